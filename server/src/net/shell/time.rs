//! What makes time pass: the clock on the wall, or the players.
//!
//! The shell asks [`Clock`] wherever the two clocks differ. `pace` belongs to the real clock alone, `rounds` to the
//! lockstep clock alone. Tested in `tests/lockstep.rs` and `tests/pace.rs`.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use super::pace::Pace;
use crate::net::clock::RealClock;
use crate::net::connection::Key;
use crate::net::lockstep::Rounds;
use crate::net::lockstep_report::LockstepReport;
use zappy_game::{SeatId, Stand, Tick};

pub(super) enum Clock {
    /// The clock on the wall: so many ticks per second.
    Real(RealClock, Pace),
    /// The players: a tick passes when every player that can act has acted.
    Lockstep(Box<Rounds>),
}

impl Clock {
    pub(super) fn is_lockstep(&self) -> bool {
        matches!(self, Clock::Lockstep(_))
    }

    /// The rounds, for code that runs in lockstep alone.
    pub(super) fn rounds(&mut self) -> &mut Rounds {
        match self {
            Clock::Lockstep(rounds) => rounds,
            Clock::Real(..) => unreachable!("the real clock has no rounds"),
        }
    }

    pub(super) fn set_rate(&mut self, at: Duration, reached: Tick, rate: Option<NonZeroU32>) {
        match self {
            Clock::Real(clock, _) => clock.set_rate(at, reached, rate),
            Clock::Lockstep(rounds) => rounds.runs = rate.is_some(),
        }
    }

    /// When the clock needs a turn at the latest; `due` is the game's next tick.
    pub(super) fn next_turn(&self, due: Option<Tick>) -> Option<Duration> {
        match self {
            Clock::Real(clock, pace) => {
                due.into_iter().chain(pace.next()).min().and_then(|tick| clock.time_of(tick))
            }
            Clock::Lockstep(rounds) => rounds.next_turn(due),
        }
    }

    /// The time in which a player may send so many lines that take no time or are dropped, at a line for each tick and
    /// at least `least_rate` a second. Zero in lockstep, where each line waits for its round anyway.
    pub(super) fn idle_time(&self, lines: u32, least_rate: u32) -> Duration {
        match self {
            Clock::Real(clock, _) => {
                let rate = clock.rate().map_or(0, NonZeroU32::get).max(least_rate);
                Duration::from_secs(lines.into()) / rate.max(1)
            }
            Clock::Lockstep(_) => Duration::ZERO,
        }
    }

    /// The groups of the players that the round waits for.
    pub(super) fn awaited_groups(&self) -> BTreeSet<u32> {
        match self {
            Clock::Real(..) => BTreeSet::new(),
            Clock::Lockstep(rounds) => rounds.awaited_groups(),
        }
    }

    /// Notes that a line was sent to a seat.
    pub(super) fn note_sent(&mut self, seat: SeatId, tick: Tick) {
        if let Clock::Lockstep(rounds) = self {
            rounds.note_sent(seat, tick);
        }
    }

    /// Notes that a seat was closed: no round waits for it.
    pub(super) fn close(&mut self, key: Key, seat: SeatId) {
        if let Clock::Lockstep(rounds) = self {
            rounds.forget(key, Some(seat));
        }
    }

    /// Removes a connection that is gone. If a player's connection was lost before its end was read, the match isn't
    /// reproducible.
    pub(super) fn lose(&mut self, key: Key, seat: Option<SeatId>) {
        let Clock::Lockstep(rounds) = self else { return };
        rounds.charge();
        if let Some(player) = seat.and_then(|seat| rounds.players.get(&seat)) {
            let words =
                format!("player #{} of {} was disconnected, it does not read", player.number, player.name);
            rounds.report.add_cause(words);
        }
        rounds.forget(key, seat);
    }

    /// Goes on with the match where its record ends.
    pub(super) fn resume(&mut self, stand: &Stand) {
        let Clock::Lockstep(rounds) = self else { return };
        // A match without players may have begun, too, if none of those that came found room.
        rounds.begun |= rounds.admitted > 0 || stand.tick > 0;
        let resumed = stand.resumed.iter();
        resumed.for_each(|tick| rounds.report.add_cause(format!("it was resumed at tick {tick}")));
    }

    /// The lockstep clock's report; `None` under the real clock.
    pub(super) fn report(&self) -> Option<&LockstepReport> {
        match self {
            Clock::Real(..) => None,
            Clock::Lockstep(rounds) => Some(&rounds.report),
        }
    }
}
