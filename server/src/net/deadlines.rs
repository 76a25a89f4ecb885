//! When whose time is up: at most one deadline per connection.
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

    /// The nearest one.
    pub fn next(&self) -> Option<Duration> {
        self.nearest.first().map(|&(at, _)| at)
    }

    /// Takes out somebody whose time is up.
    pub fn pop(&mut self, now: Duration) -> Option<Key> {
        let &(at, key) = self.nearest.first().filter(|(at, _)| *at <= now)?;
        self.nearest.remove(&(at, key));
        self.of.remove(&key);
        Some(key)
    }
}
