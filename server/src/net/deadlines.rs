//! Deadlines of connections, at most one for each.
//!
//! Tested through the shell.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use super::connection::Key;

/// The deadlines of all connections, the nearest first.
#[derive(Debug, Default)]
pub struct Deadlines {
    nearest: BTreeSet<(Duration, Key)>,
    by_key: HashMap<Key, Duration>,
}

impl Deadlines {
    /// Sets a connection's deadline in place of the one it has.
    pub fn set(&mut self, key: Key, at: Duration) {
        self.clear(key);
        self.nearest.insert((at, key));
        self.by_key.insert(key, at);
    }

    /// Takes a connection's deadline away.
    pub fn clear(&mut self, key: Key) {
        if let Some(at) = self.by_key.remove(&key) {
            self.nearest.remove(&(at, key));
        }
    }

    /// The nearest deadline, if there is any.
    pub fn next(&self) -> Option<Duration> {
        self.nearest.first().map(|&(at, _)| at)
    }

    /// The connections that have a deadline.
    #[cfg(any(test, feature = "simulation"))]
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        assert_eq!(self.nearest.len(), self.by_key.len(), "a deadline is forgotten");
        self.nearest.iter().map(|&(_, key)| key)
    }

    /// Removes the nearest deadline if it has passed by `now`, and returns its connection.
    pub fn pop(&mut self, now: Duration) -> Option<Key> {
        let &(at, key) = self.nearest.first().filter(|(at, _)| *at <= now)?;
        self.nearest.remove(&(at, key));
        self.by_key.remove(&key);
        Some(key)
    }
}
