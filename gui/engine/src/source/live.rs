//! A live match over TCP: a thread that connects, reads lines and comes back after a loss.
//!
//! Asking never waits: news come through a bounded channel, and while they are not taken TCP itself holds the server
//! back. Dropping a [`Live`] ends its connection; its thread ends by itself, at the latest when it has found an
//! address or connected. Tested in `gui/zappy/tests/live/`.

use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

pub use super::news::{ConnectionWaits, NewsBatch, SourceNews, SourceState};
use super::office::Office;
use super::reader::Reader;

/// Batches that wait to be taken, each with the moment at which it was read: a server may send each line by itself, and
/// what waits in the system has no moment. With the chunk's size they hold the dump of a large map.
const BATCHES: usize = 1_024;

#[derive(Debug)]
pub struct Live {
    news: Option<Receiver<SourceNews>>,
    office: Arc<Office>,
    /// How the connection stood after the news that were taken last.
    pub state: SourceState,
    /// The host and port that are watched.
    pub place: String,
    /// Whether the server can be asked for something; a page only watches.
    pub asks: bool,
}

impl Live {
    /// Begins to watch what is played there. Returns at once; what goes wrong comes as news.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn connect(host: &str, port: u16) -> io::Result<Live> {
        Live::with(host, port, ConnectionWaits::default())
    }

    /// As [`Live::connect`], with another patience.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn with(host: &str, port: u16, patience: ConnectionWaits) -> io::Result<Live> {
        let office = Arc::new(Office::default());
        let (sender, news) = sync_channel(BATCHES);
        let place = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let reader = Reader {
            office: Arc::clone(&office),
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
        Ok(Live { news: Some(news), office, state: SourceState::Resolving, place, asks: true })
    }

    /// A match of which the news come from something else than a thread.
    pub(super) fn of(place: &str, news: Receiver<SourceNews>, office: Arc<Office>) -> Live {
        let place = place.to_owned();
        Live { news: Some(news), office, state: SourceState::Connecting, place, asks: false }
    }

    /// The next news, if there are any. Never waits.
    pub fn poll(&mut self) -> Option<SourceNews> {
        let news = self.news.as_ref()?.try_recv().ok()?;
        self.note(&news);
        Some(news)
    }

    /// The next news, waited for that long.
    pub fn next_within(&mut self, patience: Duration) -> Option<SourceNews> {
        let news = self.news.as_ref()?.recv_timeout(patience).ok()?;
        self.note(&news);
        Some(news)
    }

    fn note(&mut self, news: &SourceNews) {
        match news {
            SourceNews::State(state) => self.state = state.clone(),
            SourceNews::Began(..) => self.state = SourceState::Watching,
            SourceNews::Lines(_) | SourceNews::Reached(..) => {}
        }
    }

    /// Tries again now, also after the end.
    pub fn retry_now(&self) {
        self.office.change(|desk| desk.retry = true);
    }

    /// Asks the server for `rate` ticks per second, for the whole match. Only the last request counts; without a
    /// connection it is forgotten.
    pub fn ask_rate(&self, rate: u32) {
        self.office.change(|desk| desk.rate = Some(rate).filter(|_| desk.stream.is_some()));
    }

    /// Sends the server this question; without a connection it is forgotten. A page asks nothing: its site does.
    pub fn ask(&self, question: &'static [u8]) {
        self.office.change(|desk| desk.question = Some(question).filter(|_| desk.stream.is_some()));
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
    }
}
