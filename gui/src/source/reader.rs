//! The thread that connects to a live match, reads lines and comes back after a loss.
//!
//! Ends as soon as its news are not wanted any more. Tested in `tests/live/`.

use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::published::{NO_WINNER, Published};

use super::greeting::Greeting;
use super::news::{Batch, News, Patience, State};
use super::office::{Office, ask};
use super::trouble::Trouble;

/// The longest line: longer than any message of the dialect.
const LINE_BYTES: usize = 64 * 1024;
/// Bytes read at once; a batch is hardly longer.
const CHUNK_BYTES: usize = 64 * 1024;
/// Bytes in which a server says which game is played.
const OPENING_BYTES: usize = 1024;
/// The longest pause before another try.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How long one address is waited for.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Addresses of one host that are tried: both families, and a spare each.
const MAX_ADDRESSES: usize = 4;

/// The news are not wanted any more.
pub(super) struct Unwanted;

pub(super) struct Reader {
    pub(super) office: Arc<Office>,
    pub(super) news: SyncSender<News>,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) place: String,
    pub(super) patience: Patience,
}

impl Reader {
    pub(super) fn run(&self) -> Result<(), Unwanted> {
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

    /// One connection from its beginning to its end; gives the reason of the end, `None` if the match is over.
    fn visit(&self, pause: &mut Duration) -> Result<Option<Trouble>, Unwanted> {
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
                let begun = Instant::now();
                let ended = self.watch(&stream, &bytes);
                // A server that greets and goes is no better than one that isn't there.
                if begun.elapsed() >= self.patience.steady {
                    *pause = self.patience.pause;
                }
                ended
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

    /// A connection to the first address that takes one. Neither finding addresses nor connecting can be interrupted;
    /// both end by themselves.
    fn dial(&self) -> Result<Result<TcpStream, Trouble>, Unwanted> {
        self.tell(News::State(State::Resolving))?;
        let addresses = (self.host.as_str(), self.port).to_socket_addrs();
        let addresses: Vec<SocketAddr> = addresses.into_iter().flatten().take(MAX_ADDRESSES).collect();
        if addresses.is_empty() {
            return Ok(Err(Trouble::UnknownHost(self.host.clone())));
        }
        self.tell(News::State(State::Connecting))?;
        let mut trouble = Trouble::Unreachable(self.place.clone());
        for address in &addresses {
            match TcpStream::connect_timeout(address, CONNECT_TIMEOUT) {
                Ok(stream) => return Ok(Ok(stream)),
                Err(error) => trouble = Trouble::connecting(&self.place, &error),
            }
        }
        Ok(Err(trouble))
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
        // Lines that came before it is known which game is played.
        let mut opening = Some(Vec::new());
        decoder.push(first);
        let mut begun = false;
        let mut endless = false;
        loop {
            let mut batch = decoded(&mut decoder, &mut endless);
            won |= batch.lines().any(is_end);
            if let Some(mut told) = opening.take() {
                told.extend_from_slice(&batch.text);
                let game = game_named(&told);
                if !begun || matches!(game, Some(Some(_))) {
                    // A name that comes late begins everything anew.
                    self.tell(News::Began(Instant::now(), game.clone().flatten()))?;
                    batch.text.clone_from(&told);
                }
                begun = true;
                opening = Some(told).filter(|told| game.is_none() && told.len() < OPENING_BYTES);
            }
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

/// The game that these lines name, or that they name none; `None` while they tell only the map's size and the rate.
fn game_named(text: &[u8]) -> Option<Option<String>> {
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let telling = lines.find(|line| !line.starts_with(b"msz ") && !line.starts_with(b"sgt "))?;
    Some(match Published::parse(telling) {
        Some(Published::Game { name, .. }) => Some(name.to_owned()),
        _ => None,
    })
}

/// Whether a line says that the match is over.
fn is_end(line: &[u8]) -> bool {
    line.starts_with(b"seg ")
        || line.strip_prefix(b"smg ").is_some_and(|text| text.starts_with(NO_WINNER.as_bytes()))
}

/// The lines that came; `endless`: whether the line that comes was counted as too long before its end.
fn decoded(decoder: &mut LineDecoder, endless: &mut bool) -> Batch {
    let mut batch = Batch::new(Instant::now(), Vec::new());
    while let Some(line) = decoder.next_line() {
        match line {
            Decoded::Line(line) => {
                batch.text.extend_from_slice(line);
                batch.text.push(b'\n');
            }
            Decoded::Overflow if std::mem::take(endless) => {}
            Decoded::Overflow => batch.too_long = batch.too_long.saturating_add(1),
        }
    }
    if decoder.is_overflowing() && !std::mem::replace(endless, true) {
        batch.too_long = batch.too_long.saturating_add(1);
    }
    batch
}
