//! The thread that connects to a live match, reads its lines, and connects again when the connection is lost.
//!
//! Ends when its news are not wanted any more, once a look-up or a connect under way has ended. Tested in `gui/zappy/tests/live/`.

use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::greeting::Greeting;
use super::hearing::Hearing;
use super::news::{ConnectionWaits, SourceNews, SourceState};
use super::office::{Office, ask};
use super::trouble::SourceTrouble;
use crate::instant::Instant;

/// Bytes read at once; a batch is hardly longer.
const CHUNK_BYTES: usize = 16 * 1024;
/// The longest pause before another try.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How long one address is waited for.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Addresses of one host that are tried: both families, and a spare each.
const MAX_ADDRESSES: usize = 4;

/// Why watching a connection stopped before the match was over.
pub(super) enum VisitEnd {
    /// The news are not wanted any more.
    Unwanted,
    Trouble(SourceTrouble),
}

pub(super) struct Reader {
    pub(super) office: Arc<Office>,
    pub(super) news: SyncSender<SourceNews>,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) place: String,
    pub(super) patience: ConnectionWaits,
}

impl Reader {
    /// Watches connection after connection; ends with an error alone.
    pub(super) fn run(&self) -> Result<(), VisitEnd> {
        let mut pause = self.patience.pause;
        loop {
            let retry_at = match self.visit(&mut pause) {
                Ok(()) => {
                    self.send(SourceNews::State(SourceState::Ended))?;
                    None
                }
                Err(VisitEnd::Trouble(why)) => {
                    log::info!("{why}");
                    let retry_at = Instant::now() + pause;
                    self.send(SourceNews::State(SourceState::Lost { why, retry_at }))?;
                    pause = (pause * 2).min(LONGEST_PAUSE.max(self.patience.pause));
                    Some(retry_at)
                }
                unwanted => return unwanted,
            };
            self.wait_until(retry_at)?;
        }
    }

    fn send(&self, news: SourceNews) -> Result<(), VisitEnd> {
        self.news.send(news).map_err(|_| VisitEnd::Unwanted)
    }

    /// Waits until that moment, or until another try is asked for.
    fn wait_until(&self, until: Option<Instant>) -> Result<(), VisitEnd> {
        let mut desk = self.office.desk();
        loop {
            if desk.stop {
                return Err(VisitEnd::Unwanted);
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

    /// One connection from its beginning to its end; `Ok` if the match is over.
    fn visit(&self, pause: &mut Duration) -> Result<(), VisitEnd> {
        let stream = self.dial()?;
        self.send(SourceNews::State(SourceState::Greeting))?;
        let _ = stream.set_nodelay(true);
        let twin = stream.try_clone().map_err(|error| {
            VisitEnd::Trouble(SourceTrouble::Other { at: self.place.clone(), error: error.to_string() })
        })?;
        {
            let mut desk = self.office.desk();
            if desk.stop {
                return Err(VisitEnd::Unwanted);
            }
            (desk.stream, desk.rate, desk.question, desk.retry) = (Some(twin), None, None, false);
        }
        let greeted = Greeting::new(&stream, &self.place, self.patience.greeting).exchange();
        let ended = greeted.map_err(VisitEnd::Trouble).and_then(|bytes| {
            let begun = Instant::now();
            let ended = self.watch(&stream, &bytes);
            // Only a connection that lasted a while resets the pause: a server that greets and closes at once would be tried too often.
            if begun.elapsed() >= self.patience.steady {
                *pause = self.patience.pause;
            }
            ended
        });
        let _ = stream.shutdown(Shutdown::Both);
        self.office.change(|desk| (desk.stream, desk.rate) = (None, None));
        if self.office.desk().stop { Err(VisitEnd::Unwanted) } else { ended }
    }

    /// A connection to the first address that takes one. Neither finding addresses nor connecting can be interrupted;
    /// both end by themselves.
    fn dial(&self) -> Result<TcpStream, VisitEnd> {
        self.send(SourceNews::State(SourceState::Resolving))?;
        let addresses = (self.host.as_str(), self.port).to_socket_addrs();
        let addresses: Vec<SocketAddr> = addresses.into_iter().flatten().take(MAX_ADDRESSES).collect();
        if addresses.is_empty() {
            return Err(VisitEnd::Trouble(SourceTrouble::UnknownHost(self.host.clone())));
        }
        self.send(SourceNews::State(SourceState::Connecting))?;
        let at = || self.place.clone();
        let mut trouble = SourceTrouble::Unreachable(at());
        for address in &addresses {
            let error = match TcpStream::connect_timeout(address, CONNECT_TIMEOUT) {
                Ok(stream) => return Ok(stream),
                Err(error) => error,
            };
            trouble = match error.kind() {
                io::ErrorKind::ConnectionRefused => SourceTrouble::NothingListens(at()),
                io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
                    SourceTrouble::Unreachable(at())
                }
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => SourceTrouble::TimedOut(at()),
                _ => SourceTrouble::Other { at: at(), error: error.to_string() },
            };
        }
        Err(VisitEnd::Trouble(trouble))
    }

    /// Reads until the connection ends, while another thread writes what the server is asked.
    fn watch(&self, stream: &TcpStream, first: &[u8]) -> Result<(), VisitEnd> {
        let office = Arc::clone(&self.office);
        let writer = std::thread::Builder::new().name("ask".to_owned()).spawn(move || ask(&office));
        let ended = self.read(stream, first);
        // Without a connection the writer ends.
        self.office.change(|desk| desk.stream = None);
        if let Ok(writer) = writer {
            let _ = stream.shutdown(Shutdown::Both);
            let _ = writer.join();
        }
        ended
    }

    fn read(&self, mut stream: &TcpStream, first: &[u8]) -> Result<(), VisitEnd> {
        let mut hearing = Hearing::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        let send = |news: Vec<SourceNews>| news.into_iter().try_for_each(|news| self.send(news));
        send(hearing.hear(first, Instant::now()))?;
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => send(hearing.hear(&chunk[..count], Instant::now()))?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let closed = || VisitEnd::Trouble(SourceTrouble::Closed(self.place.clone()));
        if hearing.over { Ok(()) } else { Err(closed()) }
    }
}
