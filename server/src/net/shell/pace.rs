//! Players' lines that are taken later than they come, under the real clock.
//!
//! Where the rules take one line of a packet at a tick, what one read gave counts as a packet, and its further lines wait here,
//! unless they take no time. And a player whose lines bring nothing, since they take no time or are dropped, is heard later
//! once it has sent many of them. Nothing is lost by either. Tested in `tests/pace.rs`.

use std::time::Duration;

use super::{Phase, Shell, Stream};
use crate::net::connection::Key;
use zappy_game::{Game, Input, SeatId, Tick};

/// The connections with lines that wait for a tick of their own.
#[derive(Debug, Default)]
pub(super) struct Pace {
    waiting: Vec<Key>,
    /// The last tick at which such lines were taken.
    taken: Tick,
}

impl Pace {
    /// The next tick at which lines are taken.
    pub(super) fn next(&self) -> Option<Tick> {
        (!self.waiting.is_empty()).then_some(self.taken + 1)
    }
}

impl<G: Game, S: Stream> Shell<'_, G, S> {
    /// Whether a player's line waits for a tick of its own; then it is kept until that comes.
    pub(super) fn waits_for_tick(&mut self, key: Key, line: &[u8]) -> bool {
        if !self.game.is_paced(line) {
            return false;
        }
        let Some(connection) = self.connections.get_mut(&key) else { return false };
        let first = !std::mem::replace(&mut connection.took_of_read, true);
        if first && connection.paced.is_empty() {
            return false;
        }
        connection.paced.push_back(line.to_vec());
        if connection.paced.len() == 1 {
            self.pace.waiting.push(key);
            // What others have waiting was taken at this tick already.
            self.pace.taken = self.reached;
        }
        true
    }

    /// Takes the next line of each player that has one waiting, at that tick.
    pub(super) fn take_paced(&mut self, tick: Tick) {
        self.reached = self.reached.max(tick);
        self.pace.taken = self.reached;
        for key in std::mem::take(&mut self.pace.waiting) {
            let Some(connection) = self.connections.get_mut(&key) else { continue };
            let seat = connection.seat.filter(|_| connection.phase == Phase::Player);
            let (Some(seat), Some(line)) = (seat, connection.paced.pop_front()) else { continue };
            if !connection.paced.is_empty() {
                self.pace.waiting.push(key);
            }
            // It may have been left unread because too many waited.
            self.list(key);
            self.hand_in(seat, Input::Line(&line));
        }
    }

    /// Counts a line of a player that brought nothing, in the time that the player has to wait for more of them.
    pub(super) fn charge_player(&mut self, seat: SeatId) {
        let time = self.idle_time(1);
        let connection = self.seats.get(&seat).and_then(|key| self.connections.get_mut(key));
        if let Some(connection) = connection.filter(|connection| connection.phase == Phase::Player) {
            connection.told_until = connection.told_until.max(self.at) + time;
        }
    }

    /// In which time a player may send so many lines that bring nothing. In lockstep each of them waits for its round.
    fn idle_time(&self, lines: u32) -> Duration {
        let rate = self.clock.rate().map_or(0, std::num::NonZeroU32::get).max(self.limits.idle_lines);
        let time = Duration::from_secs(lines.into()) / rate.max(1);
        if self.rounds.is_some() { Duration::ZERO } else { time }
    }

    /// Whether a player has sent so many lines that brought nothing that it has to wait; then it is looked at again later.
    pub(super) fn delays_player(&mut self, key: Key) -> bool {
        let credit = self.idle_time(self.limits.idle_credit);
        let Some(connection) = self.connections.get(&key) else { return false };
        let until = connection.told_until.saturating_sub(credit);
        if until <= self.at {
            return false;
        }
        if let Some(more) = self.notices.idle.due(self.at, self.limits.notice) {
            log::warn!(
                "{}: heard later, {} of its lines took no time or were dropped{more}",
                connection.peer,
                self.limits.idle_credit
            );
        }
        self.deadlines.set(key, until);
        true
    }
}
