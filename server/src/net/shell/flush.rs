//! Writing what waits, bringing lagging observers up to date, and closing in order. Tested in `tests` and
//! `simulation`.

use super::{Phase, Shell, Stream};
use crate::game::Game;
use crate::net::connection::{Key, Lag};
use crate::net::outbox::{LINE_WEIGHT, Progress};

impl<G: Game, S: Stream> Shell<'_, G, S> {
    /// Writes once to every connection that has lines waiting and is writable.
    pub fn flush(&mut self) {
        if !self.postponed.is_empty() && self.watchers_weight() < self.limits.all_observers {
            std::mem::take(&mut self.postponed).into_iter().for_each(|key| self.mark_dirty(key));
        }
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
            Err(error) => return self.fail_write(key, &error.to_string()),
        }
        if held && self.connections.get(&key).is_some_and(|now| !now.held(self.limits.read_mark)) {
            self.list(key);
        }
    }

    fn watchers_weight(&self) -> usize {
        self.watchers.iter().filter_map(|key| self.connections.get(key)).map(|c| c.outbox.weight()).sum()
    }

    fn bring_up_to_date(&mut self, key: Key, lag: Lag) {
        if self.watchers_weight() >= self.limits.all_observers {
            self.postponed.insert(key);
            return;
        }
        if self.delays_observer(key) {
            return;
        }
        if let Some(connection) = self.connections.get_mut(&key)
            && self.snapshots_left > 0
        {
            self.snapshots_left -= 1;
            connection.lag = None;
            let missed_from = match lag {
                Lag::New => None,
                Lag::Missed(from) => Some(from),
            };
            // The game stands between two steps.
            let mut lines = Vec::new();
            self.game.snapshot(missed_from, &mut lines);
            let weight = lines.iter().map(|line| line.bytes().len() + LINE_WEIGHT).sum();
            lines.into_iter().for_each(|line| connection.outbox.push(line));
            self.charge_observer(key, weight);
            // Its requests were held back meanwhile.
            self.list(key);
        }
        // The snapshot is written in the next turn, or made if there was no budget for it.
        self.mark_dirty(key);
    }

    fn emptied(&mut self, key: Key) {
        let Some(connection) = self.connections.get_mut(&key) else { return };
        if let Some(lag) = connection.lag {
            self.bring_up_to_date(key, lag);
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
