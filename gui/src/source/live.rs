//! A live match over TCP: a thread that connects, reads lines and comes back after a loss.
//!
//! Asking never waits: news come through a bounded channel, and while they are not taken TCP itself holds the server
//! back. Dropping a [`Live`] ends its threads at once, except one that finds an address or
//! connects; that one ends by itself. Tested in `tests/live/`.

use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::office::Office;
use super::reader::Reader;
use super::trouble::Trouble;

/// Batches that wait to be taken: with the chunk's size a few megabytes, a large map's dump.
const BATCHES: usize = 64;
/// Trying again begins with this pause, which doubles each time up to 8 s.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

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
    pub(super) text: Vec<u8>,
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
    /// A server begins to tell, from a dump on: what was told before may be of another match. With the name of the
    /// game, if the server's first line gives one.
    Began(Instant, Option<String>),
    /// Lines came.
    Lines(Batch),
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
            // It only ends when the news are not wanted any more.
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
            News::Began(..) => self.state = State::Watching,
            News::Lines(_) => {}
        }
    }

    /// Tries again now, also after the end.
    pub fn retry_now(&self) {
        self.office.change(|desk| desk.retry = true);
    }

    /// Asks the server for so many ticks per second, which holds for the whole match. Only the last wish counts; without a
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
