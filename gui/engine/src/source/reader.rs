//! The thread that connects to a live match, reads its lines, and connects again when the connection is lost.
//!
//! Ends when its news are not wanted any more, if need be after a look-up or a connect that is under way. Tested in
//! `gui/zappy/tests/live/`.

use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::control::{ReaderControl, write_requests};
use super::decoder::NewsDecoder;
use super::greeting::Greeting;
use super::news::{ConnectionWaits, SourceNews, SourceState};
use super::trouble::SourceTrouble;
use crate::instant::Instant;

/// The most bytes read at once; a batch is hardly longer.
const CHUNK_BYTES: usize = 16 * 1024;
/// The longest pause before another try.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How long connecting to one address may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The most addresses of one host that are tried: two of each family (IPv4, IPv6).
const MAX_ADDRESSES: usize = 4;

/// Why a connection isn't watched any more though the match isn't over.
pub(super) enum VisitEnd {
    /// The news are not wanted any more.
    Unwanted,
    Trouble(SourceTrouble),
}

pub(super) struct Reader {
    pub(super) control: Arc<ReaderControl>,
    pub(super) news: SyncSender<SourceNews>,
    pub(super) host: String,
    pub(super) port: u16,
    /// Host and port, for people.
    pub(super) place: String,
    pub(super) patience: ConnectionWaits,
}

impl Reader {
    /// Watches connection after connection; returns only when the news are not wanted any more.
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

    /// Waits until that moment (`None`: without end), or until another try is asked for.
    fn wait_until(&self, until: Option<Instant>) -> Result<(), VisitEnd> {
        let mut state = self.control.lock();
        loop {
            if state.stop {
                return Err(VisitEnd::Unwanted);
            }
            if std::mem::take(&mut state.retry) {
                return Ok(());
            }
            state = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.control.wait(state),
                Some(Duration::ZERO) => return Ok(()),
                Some(left) => {
                    self.control.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Watches one connection from its beginning to its end; `Ok` if the match is over. Resets `pause` if it lasted.
    fn visit(&self, pause: &mut Duration) -> Result<(), VisitEnd> {
        let stream = self.dial()?;
        self.send(SourceNews::State(SourceState::Greeting))?;
        let _ = stream.set_nodelay(true);
        let twin = stream.try_clone().map_err(|error| {
            VisitEnd::Trouble(SourceTrouble::Other { at: self.place.clone(), error: error.to_string() })
        })?;
        {
            let mut state = self.control.lock();
            if state.stop {
                return Err(VisitEnd::Unwanted);
            }
            (state.stream, state.rate, state.question, state.retry) = (Some(twin), None, None, false);
        }
        let greeted = Greeting::new(&stream, &self.place, self.patience.greeting).exchange();
        let ended = greeted.map_err(VisitEnd::Trouble).and_then(|bytes| {
            let begun = Instant::now();
            let ended = self.watch(&stream, &bytes);
            // A short connection doesn't reset the pause: else a server that greets and closes at once would be tried
            // too often.
            if begun.elapsed() >= self.patience.steady {
                *pause = self.patience.pause;
            }
            ended
        });
        let _ = stream.shutdown(Shutdown::Both);
        self.control.change(|state| (state.stream, state.rate) = (None, None));
        if self.control.lock().stop { Err(VisitEnd::Unwanted) } else { ended }
    }

    /// Connects to the first address that accepts. Neither finding addresses nor connecting can be interrupted; both
    /// end by themselves.
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

    /// Reads until the connection ends, while another thread writes requests. `first` are the bytes that were already
    /// read.
    fn watch(&self, stream: &TcpStream, first: &[u8]) -> Result<(), VisitEnd> {
        let control = Arc::clone(&self.control);
        let writer =
            std::thread::Builder::new().name("ask".to_owned()).spawn(move || write_requests(&control));
        let ended = self.read(stream, first);
        // The writer ends when there is no connection.
        self.control.change(|state| state.stream = None);
        if let Ok(writer) = writer {
            let _ = stream.shutdown(Shutdown::Both);
            let _ = writer.join();
        }
        ended
    }

    /// Sends the news in `first` and in what comes through the stream until its end; `Ok` if the match is over.
    fn read(&self, mut stream: &TcpStream, first: &[u8]) -> Result<(), VisitEnd> {
        let mut decoder = NewsDecoder::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        let send = |news: Vec<SourceNews>| news.into_iter().try_for_each(|news| self.send(news));
        send(decoder.decode(first, Instant::now()))?;
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => send(decoder.decode(&chunk[..count], Instant::now()))?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let closed = || VisitEnd::Trouble(SourceTrouble::Closed(self.place.clone()));
        if decoder.over { Ok(()) } else { Err(closed()) }
    }
}
