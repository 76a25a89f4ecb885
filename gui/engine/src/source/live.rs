//! A live match over TCP: a thread connects, reads lines, and connects again when the connection is lost.
//!
//! Polling never waits: news come through a bounded channel, and while they are not taken TCP itself holds the server
//! back. Dropping a [`Live`] ends its connection; its thread ends by itself, if need be after a look-up or a connect
//! that is under way. Tested in `gui/zappy/tests/live/`.

use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use super::control::ReaderControl;
pub use super::news::{ConnectionWaits, NewsBatch, SourceNews, SourceState};
use super::reader::Reader;

/// The most batches of lines that wait to be taken. Many, since a server may send each line by itself, and only a line
/// that was read has the moment at which it came; with the size of a read they hold the dump of a large map.
const MAX_BATCHES: usize = 1_024;

/// The connection to a live match, as the screen has it.
#[derive(Debug)]
pub struct Live {
    news: Option<Receiver<SourceNews>>,
    control: Arc<ReaderControl>,
    /// The state of the connection after the news that were taken last.
    pub state: SourceState,
    /// The host and port that are watched.
    pub place: String,
    /// Whether the server can be asked for something; a page only watches.
    pub can_ask: bool,
}

impl Live {
    /// Begins to watch the match of this server. Returns at once; trouble comes as news.
    ///
    /// # Errors
    /// When the system can't start a thread.
    pub fn connect(host: &str, port: u16) -> io::Result<Live> {
        Live::with(host, port, ConnectionWaits::default())
    }

    /// As [`Live::connect`], with other waiting times.
    ///
    /// # Errors
    /// When the system can't start a thread.
    pub fn with(host: &str, port: u16, patience: ConnectionWaits) -> io::Result<Live> {
        let control = Arc::new(ReaderControl::default());
        let (sender, news) = sync_channel(MAX_BATCHES);
        let place = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let reader = Reader {
            control: Arc::clone(&control),
            news: sender,
            host: host.to_owned(),
            port,
            place: place.clone(),
            patience,
        };
        std::thread::Builder::new().name("live".to_owned()).spawn(move || {
            // The reader ends only when its news aren't wanted any more.
            let _ = reader.run();
        })?;
        Ok(Live { news: Some(news), control, state: SourceState::Resolving, place, can_ask: true })
    }

    /// A match of which a page, not a thread, sends the news.
    pub(super) fn of(place: &str, news: Receiver<SourceNews>, control: Arc<ReaderControl>) -> Live {
        let place = place.to_owned();
        Live { news: Some(news), control, state: SourceState::Connecting, place, can_ask: false }
    }

    /// The next news, if there are any. Never waits.
    pub fn poll(&mut self) -> Option<SourceNews> {
        let news = self.news.as_ref()?.try_recv().ok()?;
        self.note(&news);
        Some(news)
    }

    /// The next news; waits for it as long as `patience`.
    pub fn next_within(&mut self, patience: Duration) -> Option<SourceNews> {
        let news = self.news.as_ref()?.recv_timeout(patience).ok()?;
        self.note(&news);
        Some(news)
    }

    /// Notes the state that a piece of news leaves.
    fn note(&mut self, news: &SourceNews) {
        match news {
            SourceNews::State(state) => self.state = state.clone(),
            SourceNews::Began(..) => self.state = SourceState::Watching,
            SourceNews::Lines(_) | SourceNews::Reached(..) => {}
        }
    }

    /// Connects again now, also after the end of the match.
    pub fn retry_now(&self) {
        self.control.change(|state| state.retry = true);
    }

    /// Asks the server for `rate` ticks per second, for the whole match. Only the last request counts; it is dropped if
    /// there is no connection.
    pub fn ask_rate(&self, rate: u32) {
        self.control.change(|state| state.rate = Some(rate).filter(|_| state.stream.is_some()));
    }

    /// Sends the server this request, which is dropped if there is no connection. A page sends none: its site does.
    pub fn ask(&self, question: &'static [u8]) {
        self.control.change(|state| state.question = Some(question).filter(|_| state.stream.is_some()));
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // Closes the channel first, as the reader may be waiting for room in it.
        self.news = None;
        self.control.change(|state| {
            state.stop = true;
            if let Some(stream) = &state.stream {
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
    }
}
