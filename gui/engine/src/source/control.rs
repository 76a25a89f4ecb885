//! What the threads of a live match share: the spectator's requests, and the connection.
//!
//! No thread holds the lock while it waits for anything else. Tested through `live`.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long writing a line to the server may take before the connection is given up.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(super) struct ControlState {
    /// Whether the match isn't watched any more, so that all threads end.
    pub(super) stop: bool,
    /// Whether to connect again now, without the rest of the pause.
    pub(super) retry: bool,
    /// The rate that the server is to be asked for, in ticks per second.
    pub(super) rate: Option<u32>,
    /// A request for the server, as bytes.
    pub(super) question: Option<&'static [u8]>,
    /// The connection, for shutting it down and for writing.
    pub(super) stream: Option<TcpStream>,
}

/// The shared values with their lock.
#[derive(Debug, Default)]
pub(super) struct ReaderControl {
    state: Mutex<ControlState>,
    pub(super) changed: Condvar,
}

impl ReaderControl {
    pub(super) fn lock(&self) -> MutexGuard<'_, ControlState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, ControlState>) -> MutexGuard<'a, ControlState> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, how: impl FnOnce(&mut ControlState)) {
        how(&mut self.lock());
        self.changed.notify_all();
    }
}

/// Writes requests to the server until the connection ends. Has a thread of its own, so that a server that doesn't read
/// delays nothing else.
pub(super) fn write_requests(control: &ReaderControl) {
    loop {
        let mut state = control.lock();
        let (words, stream) = loop {
            if state.stop || state.stream.is_none() {
                return;
            }
            let rate = state.rate.take().map(|rate| format!("sst {rate}\n").into_bytes());
            match rate.or_else(|| state.question.take().map(<[u8]>::to_vec)) {
                Some(words) => break (words, state.stream.as_ref().map(TcpStream::try_clone)),
                None => state = control.wait(state),
            }
        };
        drop(state);
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
