//! The thread that connects to a live match, reads lines and comes back after a loss.
//!
//! Ends as soon as its news are not wanted any more. Tested in `gui/zappy/tests/live/`.

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

/// The news are not wanted any more.
pub(super) struct Unwanted;

pub(super) struct Reader {
    pub(super) office: Arc<Office>,
    pub(super) news: SyncSender<SourceNews>,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) place: String,
    pub(super) patience: ConnectionWaits,
}

impl Reader {
    pub(super) fn run(&self) -> Result<(), Unwanted> {
        let mut pause = self.patience.pause;
        loop {
            match self.visit(&mut pause)? {
                None => {
                    self.tell(SourceNews::State(SourceState::Ended))?;
                    self.rest(None)?;
                }
                Some(why) => {
                    log::info!("{why}");
                    let retry_at = Instant::now() + pause;
                    self.tell(SourceNews::State(SourceState::Lost { why, retry_at }))?;
                    self.rest(Some(retry_at))?;
                    pause = (pause * 2).min(LONGEST_PAUSE.max(self.patience.pause));
                }
            }
        }
    }

    fn tell(&self, news: SourceNews) -> Result<(), Unwanted> {
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
    fn visit(&self, pause: &mut Duration) -> Result<Option<SourceTrouble>, Unwanted> {
        let stream = match self.dial()? {
            Ok(stream) => stream,
            Err(trouble) => return Ok(Some(trouble)),
        };
        self.tell(SourceNews::State(SourceState::Greeting))?;
        let _ = stream.set_nodelay(true);
        if let Err(error) = self.lay_out(&stream)? {
            return Ok(Some(SourceTrouble::Other { at: self.place.clone(), error: error.to_string() }));
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
        (desk.stream, desk.rate, desk.question, desk.retry) = (Some(twin), None, None, false);
        Ok(Ok(()))
    }

    /// A connection to the first address that takes one. Neither finding addresses nor connecting can be interrupted;
    /// both end by themselves.
    fn dial(&self) -> Result<Result<TcpStream, SourceTrouble>, Unwanted> {
        self.tell(SourceNews::State(SourceState::Resolving))?;
        let addresses = (self.host.as_str(), self.port).to_socket_addrs();
        let addresses: Vec<SocketAddr> = addresses.into_iter().flatten().take(MAX_ADDRESSES).collect();
        if addresses.is_empty() {
            return Ok(Err(SourceTrouble::UnknownHost(self.host.clone())));
        }
        self.tell(SourceNews::State(SourceState::Connecting))?;
        let mut trouble = SourceTrouble::Unreachable(self.place.clone());
        for address in &addresses {
            match TcpStream::connect_timeout(address, CONNECT_TIMEOUT) {
                Ok(stream) => return Ok(Ok(stream)),
                Err(error) => trouble = SourceTrouble::connecting(&self.place, &error),
            }
        }
        Ok(Err(trouble))
    }

    /// Reads until the connection ends.
    fn watch(&self, stream: &TcpStream, first: &[u8]) -> Result<Option<SourceTrouble>, Unwanted> {
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

    fn read(&self, mut stream: &TcpStream, first: &[u8]) -> Result<Option<SourceTrouble>, Unwanted> {
        let mut hearing = Hearing::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        let tell = |news: Vec<SourceNews>| news.into_iter().try_for_each(|news| self.tell(news));
        tell(hearing.hear(first, Instant::now()))?;
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => tell(hearing.hear(&chunk[..count], Instant::now()))?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        Ok((!hearing.heard_the_end()).then(|| SourceTrouble::Closed(self.place.clone())))
    }
}
