//! Writing what waits, bringing lagging observers up to date, and closing in order. Tested in `tests` and
//! `simulation`.

use std::time::Duration;

use super::{Phase, Shell, Stream};
use crate::net::connection::{Key, Lag};
use crate::net::outbox::{LINE_WEIGHT, Progress};
use zappy_game::Game;

/// Lines published between two times that the game is told which ones no observer misses.
const FORGET_LINES: u64 = 1_024;

impl<G: Game, S: Stream> Shell<'_, G, S> {
    /// Writes once to every connection that has lines waiting and is writable.
    pub fn flush(&mut self) {
        if !self.postponed.is_empty() && self.watchers_weight() < self.limits.all_observers {
            std::mem::take(&mut self.postponed).into_iter().for_each(|key| self.mark_dirty(key));
        }
        if self.hands_out_at().is_some_and(|due| due <= self.at) {
            self.hand_out();
        }
        if self.published.lines >= self.published.forgets_at {
            self.forget_published();
        }
        self.bound_backlog();
        for key in std::mem::take(&mut self.dirty) {
            if let Some(connection) = self.connections.get_mut(&key) {
                connection.dirty = false;
                self.flush_one(key);
            }
        }
    }

    /// When something is to be done that no connection asks for.
    pub(super) fn chores(&self) -> impl Iterator<Item = Duration> {
        self.hands_out_at().into_iter().chain(self.writes_backlog_at()).chain(self.orphans.due())
    }

    /// When what was noted of the match has waited long enough to be written, by the clock on the wall: while time stands
    /// still the match's own doesn't tell.
    pub(super) fn writes_backlog_at(&self) -> Option<Duration> {
        self.backlog_since.map(|since| since + self.limits.record_pause)
    }

    fn bound_backlog(&mut self) {
        if self.writes_backlog_at().is_some_and(|due| due <= self.at) {
            self.game.write_backlog();
        }
        let since = self.backlog_since.filter(|_| self.writes_backlog_at().is_some_and(|due| due > self.at));
        self.backlog_since = self.game.has_backlog().then(|| since.unwrap_or(self.at));
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

    /// Tells the game which lines no observer misses any more.
    fn forget_published(&mut self) {
        let watchers = self.watchers.iter().filter_map(|key| self.connections.get(key));
        let missing = watchers.filter_map(|watcher| match watcher.lag {
            Some(Lag::Missed(from)) => Some(from),
            Some(Lag::New) => None,
            None => watcher.outbox.first_published(),
        });
        let gathered = (!self.published.gathered.is_empty()).then_some(self.published.gathered_from);
        self.game.forget(missing.chain(gathered).min().unwrap_or(self.published.lines));
        self.published.forgets_at = self.published.lines + FORGET_LINES;
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
        if matches!(lag, Lag::Missed(from) if from < self.game.remembers_since()) {
            return self.lose(key, "fell too far behind to be brought up to date");
        }
        // A snapshot holds what was published before it.
        self.hand_out();
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
