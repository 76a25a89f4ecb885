//! Writing what waits, bringing lagging observers up to date, and closing in order.

use super::{Phase, Shell, Stream};
use crate::game::Game;
use crate::net::connection::Key;
use crate::net::outbox::Progress;

impl<G: Game, S: Stream> Shell<'_, G, S> {
    /// Writes once to every connection that something waits for and that takes it.
    pub fn flush(&mut self) {
        for key in std::mem::take(&mut self.dirty) {
            if let Some(connection) = self.connections.get_mut(&key) {
                connection.dirty = false;
                self.flush_one(key);
            }
        }
    }

    fn flush_one(&mut self, key: Key) {
        let Some(connection) = self.connections.get_mut(&key) else { return };
        if matches!(connection.phase, Phase::Gone | Phase::Lingering) {
            return;
        }
        let held = connection.held(self.limits.read_mark);
        match connection.outbox.write_to(&mut connection.stream, self.limits.turn_written) {
            Ok(Progress::Emptied) => self.emptied(key),
            Ok(Progress::Blocked) => connection.writable = false,
            Ok(Progress::Spent) => self.mark_dirty(key),
            Err(error) => return self.lose(key, &error.to_string()),
        }
        if held && self.connections.get(&key).is_some_and(|now| !now.held(self.limits.read_mark)) {
            self.list(key);
        }
    }

    fn emptied(&mut self, key: Key) {
        let Some(connection) = self.connections.get_mut(&key) else { return };
        if let Some(missed_from) = connection.lag {
            if self.snapshots_left > 0 {
                self.snapshots_left -= 1;
                connection.lag = None;
                // The game stands between two steps.
                let mut lines = Vec::new();
                self.game.snapshot(Some(missed_from), &mut lines);
                lines.into_iter().for_each(|line| connection.outbox.push(line));
            }
            // Written, or made, in the next turn.
            self.mark_dirty(key);
        } else if connection.phase == Phase::Closing {
            connection.phase = Phase::Lingering;
            if let Err(error) = connection.stream.shutdown_write() {
                return self.lose(key, &error.to_string());
            }
            let until = (self.at + self.limits.linger).min(self.shutdown_at);
            self.deadlines.set(key, until);
            self.list(key);
        }
    }
}
