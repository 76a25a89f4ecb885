//! Windows: Ctrl-C, Ctrl-Break and the closing of the console, all of which come from the system.
//!
//! Tried by `arena/windows/smoke.sh`.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mio::Token;

use super::sender::Sender;
use crate::net::system::Wakes;

/// The number by which Unix knows Ctrl-C.
const SIGINT: i32 = 2;

/// Ctrl-C and its like: the system reports all of them in one way, and only to one handler of the process.
#[derive(Debug, Clone)]
pub struct EndSignals {
    /// How many came to the process.
    came: Arc<AtomicUsize>,
    /// How many of them [`EndSignals::take`] has returned.
    taken: usize,
}

/// What the handler of this process counts, and the loops that it wakes.
#[derive(Debug, Default)]
struct Handler {
    came: Arc<AtomicUsize>,
    loops: Arc<Mutex<Vec<Wakes>>>,
}

/// The handler of this process, or why there is none.
static HANDLER: OnceLock<Result<Handler, String>> = OnceLock::new();

fn handler() -> io::Result<&'static Handler> {
    let install = || {
        let handler = Handler::default();
        let (came, loops) = (handler.came.clone(), handler.loops.clone());
        let handle = move || {
            came.fetch_add(1, Ordering::SeqCst);
            loops.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Wakes::ring);
        };
        ctrlc::set_handler(handle).map_err(|error| error.to_string())?;
        Ok(handler)
    };
    HANDLER.get_or_init(install).as_ref().map_err(|why| io::Error::other(why.clone()))
}

impl EndSignals {
    /// Catches them from now on.
    ///
    /// # Errors
    /// The system refuses.
    pub fn catch() -> io::Result<EndSignals> {
        let came = handler()?.came.clone();
        Ok(EndSignals { taken: came.load(Ordering::SeqCst), came })
    }

    /// From now on each wakes this loop.
    ///
    /// # Errors
    /// The system refuses.
    pub fn join(&self, wakes: &Wakes, _token: Token) -> io::Result<()> {
        handler()?.loops.lock().unwrap_or_else(PoisonError::into_inner).push(wakes.clone());
        Ok(())
    }

    /// Those that came since the last call; each counts as Ctrl-C.
    pub fn take(&mut self) -> Vec<(i32, Sender)> {
        let came = self.came.load(Ordering::SeqCst);
        let new = came - std::mem::replace(&mut self.taken, came);
        vec![(SIGINT, Sender::Kernel); new]
    }
}
