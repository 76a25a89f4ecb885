//! Holds players' lines back for a later tick, under the real clock.
//!
//! Some rules take one line of a packet per tick. Then everything that one read gave counts as a packet, and its
//! further lines wait here, unless they take no time. And after a player has sent many lines that take no time or are
//! dropped, its next ones wait. No line is lost by either. Tested in `tests/pace.rs`.

use super::{Phase, Stream};
use crate::net::connection::{Connection, Key};
use zappy_game::{SeatId, Tick};

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

    /// Keeps a paced line if it has to wait for a tick of its own, until that tick; false if it needn't wait.
    pub(super) fn hold_back<S: Stream>(
        &mut self,
        key: Key,
        from: &mut Connection<S>,
        line: &[u8],
        reached: Tick,
    ) -> bool {
        let first = !std::mem::replace(&mut from.paced_line_taken, true);
        if first && from.paced.is_empty() {
            return false;
        }
        from.paced.push_back(line.to_vec());
        if from.paced.len() == 1 {
            self.waiting.push(key);
            // The waiting lines of other players were already taken at this tick.
            self.taken = reached;
        }
        true
    }

    /// The connections of which a line may be taken at that tick.
    pub(super) fn begin(&mut self, tick: Tick) -> Vec<Key> {
        self.taken = tick;
        std::mem::take(&mut self.waiting)
    }

    /// Takes the first of a player's waiting lines, with the player's seat.
    pub(super) fn take<S: Stream>(
        &mut self,
        key: Key,
        from: &mut Connection<S>,
    ) -> Option<(SeatId, Vec<u8>)> {
        let seat = from.seat.filter(|_| from.phase == Phase::Player)?;
        let line = from.paced.pop_front()?;
        if !from.paced.is_empty() {
            self.waiting.push(key);
        }
        Some((seat, line))
    }
}
