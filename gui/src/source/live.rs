//! A live match over TCP: a thread that connects, reads lines and comes back after a loss.
//!
//! Whoever asks never waits: news come through a bounded channel, and while nobody takes them the server is held
//! back by TCP itself. Dropping a [`Live`] ends its threads at once, except one that finds an address or
//! connects; that one ends by itself. Tested in `tests/live/`.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zappy_protocol::line::{Decoded, LineDecoder};

use super::dial;
use super::greeting::Greeting;
use super::trouble::Trouble;

/// The longest line: longer than any message of the dialect.
const LINE_BYTES: usize = 64 * 1024;
/// Bytes read at once; a batch is hardly longer.
const CHUNK_BYTES: usize = 64 * 1024;
/// Batches that wait for whoever asks: with the chunk's size a few megabytes, a large map's dump.
const BATCHES: usize = 64;
/// How long a word to the server may take before it is given up.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// Trying again begins with this pause, which doubles
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// up to this one.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How the connection stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The host's address is being looked up.
    Resolving,
    /// The connection is being made.
    Connecting,
    /// The first words are exchanged.
    Greeting,
    /// Lines come.
    Watching,
    /// There is no connection; it is tried again.
    Lost {
        /// Why.
        why: Trouble,
        /// When it is tried again.
        retry_at: Instant,
    },
    /// The match was won and the server left; nothing is tried again by itself.
    Ended,
}

/// Lines that came together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// When they came.
    pub at: Instant,
    text: Vec<u8>,
    /// Lines that were too long and are left out.
    pub too_long: u32,
}

impl Batch {
    /// Lines that came at that moment, each with its end.
    #[must_use]
    pub fn new(at: Instant, text: Vec<u8>) -> Batch {
        Batch { at, text, too_long: 0 }
    }

    /// The lines without their ends.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
    }
}

/// What is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The connection stands otherwise.
    State(State),
    /// A server begins to tell, from a dump on: what was told before may be of another match.
    Began(Instant),
    /// Lines came.
    Lines(Batch),
}

/// What the threads share.
#[derive(Debug, Default)]
struct Desk {
    /// Everybody goes home.
    stop: bool,
    /// The pause before the next try is over.
    retry: bool,
    /// The rate the server shall be asked for.
    rate: Option<u32>,
    /// The connection, for shutting it down and for writing.
    stream: Option<TcpStream>,
    /// What the dialling thread has to say, with the number of its attempt.
    dialled: Option<(u64, Dialled)>,
}

#[derive(Debug)]
enum Dialled {
    Found,
    Done(Result<TcpStream, Trouble>),
}

#[derive(Debug, Default)]
struct Office {
    desk: Mutex<Desk>,
    bell: Condvar,
}

impl Office {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, desk: MutexGuard<'a, Desk>) -> MutexGuard<'a, Desk> {
        self.bell.wait(desk).unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, how: impl FnOnce(&mut Desk)) {
        how(&mut self.desk());
        self.bell.notify_all();
    }
}

/// How long things are waited for; tests wait less.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For each of the server's first two lines; by default 5 s.
    pub greeting: Option<Duration>,
    /// The first pause before another try.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { greeting: None, pause: FIRST_PAUSE }
    }
}

/// A live match.
#[derive(Debug)]
pub struct Live {
    news: Option<Receiver<News>>,
    office: Arc<Office>,
    thread: Option<JoinHandle<()>>,
    state: State,
    place: String,
}

impl Live {
    /// Begins to watch what is played there. Returns at once; what goes wrong comes as news.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn connect(host: &str, port: u16) -> io::Result<Live> {
        Live::with(host, port, Patience::default())
    }

    /// The same with another patience.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn with(host: &str, port: u16, patience: Patience) -> io::Result<Live> {
        let office = Arc::new(Office::default());
        let (sender, news) = sync_channel(BATCHES);
        let place = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let mut reader = Reader {
            office: Arc::clone(&office),
            news: sender,
            host: host.to_owned(),
            port,
            place: place.clone(),
            patience,
            attempt: 0,
        };
        let thread = std::thread::Builder::new().name("live".to_owned()).spawn(move || {
            // Who doesn't want any more news is the only reason to end.
            let _ = reader.run();
        })?;
        Ok(Live { news: Some(news), office, thread: Some(thread), state: State::Resolving, place })
    }

    /// The host and port that are watched.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// How the connection stood after the news that were taken last.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The next news, if there are any. Never waits.
    pub fn poll(&mut self) -> Option<News> {
        let news = self.news.as_ref()?.try_recv().ok()?;
        self.note(&news);
        Some(news)
    }

    /// The next news, waited for that long.
    pub fn next_within(&mut self, patience: Duration) -> Option<News> {
        let news = self.news.as_ref()?.recv_timeout(patience).ok()?;
        self.note(&news);
        Some(news)
    }

    fn note(&mut self, news: &News) {
        match news {
            News::State(state) => self.state = state.clone(),
            News::Began(_) => self.state = State::Watching,
            News::Lines(_) => {}
        }
    }

    /// Tries again now, also after the end.
    pub fn retry_now(&self) {
        self.office.change(|desk| desk.retry = true);
    }

    /// Asks the server for so many ticks per second, for everybody. Only the last wish counts; without a
    /// connection it is forgotten.
    pub fn ask_rate(&self, rate: u32) {
        self.office.change(|desk| desk.rate = Some(rate).filter(|_| desk.stream.is_some()));
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // The reader may be waiting for room in the channel.
        self.news = None;
        self.office.change(|desk| {
            desk.stop = true;
            if let Some(stream) = &desk.stream {
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Nobody wants to hear any more.
struct Unwanted;

struct Reader {
    office: Arc<Office>,
    news: SyncSender<News>,
    host: String,
    port: u16,
    place: String,
    patience: Patience,
    attempt: u64,
}

impl Reader {
    fn run(&mut self) -> Result<(), Unwanted> {
        let mut pause = self.patience.pause;
        loop {
            match self.visit(&mut pause)? {
                None => {
                    self.tell(News::State(State::Ended))?;
                    self.rest(None)?;
                }
                Some(why) => {
                    log::info!("{why}");
                    let retry_at = Instant::now() + pause;
                    self.tell(News::State(State::Lost { why, retry_at }))?;
                    self.rest(Some(retry_at))?;
                    pause = (pause * 2).min(LONGEST_PAUSE.max(self.patience.pause));
                }
            }
        }
    }

    fn tell(&self, news: News) -> Result<(), Unwanted> {
        self.news.send(news).map_err(|_| Unwanted)
    }

    /// Waits for the next try.
    fn rest(&self, until: Option<Instant>) -> Result<(), Unwanted> {
        let mut desk = self.office.desk();
        loop {
            if desk.stop {
                return Err(Unwanted);
            }
            if std::mem::take(&mut desk.retry) {
                return Ok(());
            }
            desk = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.office.wait(desk),
                Some(Duration::ZERO) => return Ok(()),
                Some(left) => {
                    self.office.bell.wait_timeout(desk, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// One connection from its beginning to its end; the reason of the end, or none when the match is over.
    fn visit(&mut self, pause: &mut Duration) -> Result<Option<Trouble>, Unwanted> {
        let stream = match self.dial()? {
            Ok(stream) => stream,
            Err(trouble) => return Ok(Some(trouble)),
        };
        self.tell(News::State(State::Greeting))?;
        let _ = stream.set_nodelay(true);
        if let Err(error) = self.lay_out(&stream)? {
            return Ok(Some(Trouble::Other { at: self.place.clone(), error: error.to_string() }));
        }
        let greeted = Greeting::new(&stream, &self.place, self.patience.greeting).exchange();
        let ended = match greeted {
            Ok(bytes) => {
                *pause = self.patience.pause;
                self.watch(&stream, &bytes)
            }
            Err(trouble) => Ok(Some(trouble)),
        };
        let _ = stream.shutdown(Shutdown::Both);
        self.office.change(|desk| (desk.stream, desk.rate) = (None, None));
        if self.office.desk().stop { Err(Unwanted) } else { ended }
    }

    /// Lets the others get at the connection.
    fn lay_out(&self, stream: &TcpStream) -> Result<io::Result<()>, Unwanted> {
        let twin = match stream.try_clone() {
            Ok(twin) => twin,
            Err(error) => return Ok(Err(error)),
        };
        let mut desk = self.office.desk();
        if desk.stop {
            return Err(Unwanted);
        }
        (desk.stream, desk.rate, desk.retry) = (Some(twin), None, false);
        Ok(Ok(()))
    }

    fn dial(&mut self) -> Result<Result<TcpStream, Trouble>, Unwanted> {
        self.tell(News::State(State::Resolving))?;
        self.attempt += 1;
        let attempt = self.attempt;
        let (office, host, port, place) =
            (Arc::clone(&self.office), self.host.clone(), self.port, self.place.clone());
        let spawned = std::thread::Builder::new().name("dial".to_owned()).spawn(move || {
            let say = |word| office.change(|desk| desk.dialled = Some((attempt, word)));
            let done = dial::resolve(&host, port).and_then(|addresses| {
                say(Dialled::Found);
                dial::connect(&place, &addresses)
            });
            say(Dialled::Done(done));
        });
        if let Err(error) = spawned {
            return Ok(Err(Trouble::Other { at: self.place.clone(), error: error.to_string() }));
        }
        let mut told = false;
        loop {
            match self.next_word()? {
                Dialled::Done(result) => return Ok(result),
                Dialled::Found if !std::mem::replace(&mut told, true) => {
                    self.tell(News::State(State::Connecting))?;
                }
                Dialled::Found => {}
            }
        }
    }

    fn next_word(&self) -> Result<Dialled, Unwanted> {
        let mut desk = self.office.desk();
        loop {
            if desk.stop {
                return Err(Unwanted);
            }
            match desk.dialled.take() {
                Some((attempt, word)) if attempt == self.attempt => return Ok(word),
                _ => desk = self.office.wait(desk),
            }
        }
    }

    /// Reads until the connection ends.
    fn watch(&self, stream: &TcpStream, first: &[u8]) -> Result<Option<Trouble>, Unwanted> {
        let office = Arc::clone(&self.office);
        let writer = std::thread::Builder::new().name("ask".to_owned()).spawn(move || ask(&office));
        let ended = self.read(stream, first);
        // Without a connection the writer goes home.
        self.office.change(|desk| desk.stream = None);
        if let Ok(writer) = writer {
            let _ = stream.shutdown(Shutdown::Both);
            let _ = writer.join();
        }
        ended
    }

    fn read(&self, mut stream: &TcpStream, first: &[u8]) -> Result<Option<Trouble>, Unwanted> {
        let mut decoder = LineDecoder::new(LINE_BYTES);
        let mut won = false;
        let mut chunk = vec![0; CHUNK_BYTES];
        self.tell(News::Began(Instant::now()))?;
        decoder.push(first);
        loop {
            let batch = decoded(&mut decoder);
            won |= batch.lines().any(|line| line.starts_with(b"seg "));
            if !batch.text.is_empty() || batch.too_long > 0 {
                self.tell(News::Lines(batch))?;
            }
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => decoder.push(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        Ok((!won).then(|| Trouble::Closed(self.place.clone())))
    }
}

fn decoded(decoder: &mut LineDecoder) -> Batch {
    let mut batch = Batch::new(Instant::now(), Vec::new());
    while let Some(line) = decoder.next_line() {
        match line {
            Decoded::Line(line) => {
                batch.text.extend_from_slice(line);
                batch.text.push(b'\n');
            }
            Decoded::Overflow => batch.too_long = batch.too_long.saturating_add(1),
        }
    }
    batch
}

/// Writes wishes to the server, apart from reading, so that a server that doesn't read holds up nothing.
fn ask(office: &Office) {
    loop {
        let mut desk = office.desk();
        let (rate, stream) = loop {
            if desk.stop || desk.stream.is_none() {
                return;
            }
            match desk.rate.take() {
                Some(rate) => break (rate, desk.stream.as_ref().map(TcpStream::try_clone)),
                None => desk = office.wait(desk),
            }
        };
        drop(desk);
        if let Some(Ok(mut stream)) = stream {
            let written = stream.set_write_timeout(Some(WRITE_TIMEOUT));
            if let Err(error) = written.and_then(|()| stream.write_all(format!("sst {rate}\n").as_bytes())) {
                log::warn!("the server can't be asked for {rate} ticks per second: {error}");
                // Half a line may have gone out; only a new connection is clean.
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}
