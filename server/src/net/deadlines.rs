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
    of: HashMap<Key, Duration>,
}

impl Deadlines {
    /// Sets a connection's deadline in place of the one it has.
    pub fn set(&mut self, key: Key, at: Duration) {
        self.clear(key);
        self.nearest.insert((at, key));
        self.of.insert(key, at);
    }

    /// Takes a connection's deadline away.
    pub fn clear(&mut self, key: Key) {
        if let Some(at) = self.of.remove(&key) {
            self.nearest.remove(&(at, key));
        }
    }

    pub fn next(&self) -> Option<Duration> {
        self.nearest.first().map(|&(at, _)| at)
    }

    /// The connections that have a deadline.
    #[cfg(any(test, feature = "simulation"))]
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        assert_eq!(self.nearest.len(), self.of.len(), "a deadline is forgotten");
        self.nearest.iter().map(|&(_, key)| key)
    }

    /// Removes a deadline that has passed, and gives its connection.
    pub fn pop(&mut self, now: Duration) -> Option<Key> {
        let &(at, key) = self.nearest.first().filter(|(at, _)| *at <= now)?;
        self.nearest.remove(&(at, key));
        self.of.remove(&key);
        Some(key)
    }
}
