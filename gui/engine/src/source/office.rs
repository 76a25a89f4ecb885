//! What the threads of a live match share: the spectator's requests, and the connection.
//!
//! No thread holds the desk while it waits for anything else. Tested through `live`.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a line to the server may take before it is given up.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) stop: bool,
    /// The pause before the next try is over.
    pub(super) retry: bool,
    /// The rate that the server is to be asked for, in ticks per second.
    pub(super) rate: Option<u32>,
    /// The question for the server.
    pub(super) question: Option<&'static [u8]>,
    /// The connection, for shutting it down and for writing.
    pub(super) stream: Option<TcpStream>,
}

#[derive(Debug, Default)]
pub(super) struct Office {
    desk: Mutex<Desk>,
    pub(super) bell: Condvar,
}

impl Office {
    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'a>(&self, desk: MutexGuard<'a, Desk>) -> MutexGuard<'a, Desk> {
        self.bell.wait(desk).unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, how: impl FnOnce(&mut Desk)) {
        how(&mut self.desk());
        self.bell.notify_all();
    }
}

/// Writes requests to the server, apart from reading, so that a server that doesn't read holds up nothing.
pub(super) fn ask(office: &Office) {
    loop {
        let mut desk = office.desk();
        let (words, stream) = loop {
            if desk.stop || desk.stream.is_none() {
                return;
            }
            let rate = desk.rate.take().map(|rate| format!("sst {rate}\n").into_bytes());
            match rate.or_else(|| desk.question.take().map(<[u8]>::to_vec)) {
                Some(words) => break (words, desk.stream.as_ref().map(TcpStream::try_clone)),
                None => desk = office.wait(desk),
            }
        };
        drop(desk);
        if let Some(Ok(mut stream)) = stream {
            let written = stream.set_write_timeout(Some(WRITE_TIMEOUT));
            if let Err(error) = written.and_then(|()| stream.write_all(&words)) {
                let words = words.trim_ascii().escape_ascii();
                log::warn!("the server can't be asked {words}: {error}");
                // Half a line may have gone out; only a new connection is clean.
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}
