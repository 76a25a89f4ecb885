//! How a match ends: a team has won, time is over, nobody is left, or the operator stops it.
//!
//! Ranks the teams; ties go to a drawn lot, never to a name or a number. Tested in the transcripts `win_*` and
//! `end_*`.

use zappy_protocol::{Level, Tick};

use super::event::Event;
use super::schedule::Due;
use super::world::World;
use crate::chance::{Purpose, rank};
use crate::game::Verdict;

/// Why a match ended, one word each.
pub mod reason {
    /// Six living players of a team stand at level 8.
    pub const ELEVATION: &str = "elevation";
    /// The match's ticks are over.
    pub const TIME: &str = "time";
    /// Nobody lives and no egg is left.
    pub const EXTINCTION: &str = "extinction";
    /// The operator, or a signal, ended the match.
    pub const STOPPED: &str = "stopped";
}

/// What a team is ranked by; greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    /// Living players per level, the highest first.
    living: [usize; Level::MAX.get() as usize],
    /// The highest level any of its players ever reached.
    highest: u8,
    /// When it was reached; the earlier the better.
    reached: std::cmp::Reverse<Tick>,
}

impl World {
    fn standing(&self, team: usize) -> Standing {
        let mut living = [0; Level::MAX.get() as usize];
        for player in self.living.iter().map(|&id| self.player(id)).filter(|player| player.team == team) {
            living[usize::from(Level::MAX.get() - player.level.get())] += 1;
        }
        let (highest, tick) =
            self.teams[team].highest().map_or((0, Tick::MAX), |(level, tick)| (level.get(), tick));
        Standing { living, highest, reached: std::cmp::Reverse(tick) }
    }

    /// The teams, the best first, and whether the first place was drawn by lot.
    pub(super) fn ranking(&self) -> (Vec<usize>, bool) {
        let standings: Vec<Standing> = (0..self.teams.len()).map(|team| self.standing(team)).collect();
        let lot = |team: usize| rank(self.config.seed, Purpose::Lot, self.now, team as u64);
        let mut order: Vec<usize> = (0..self.teams.len()).collect();
        order.sort_by_key(|&team| (std::cmp::Reverse(standings[team]), lot(team)));
        let by_lot = matches!(order[..], [first, second, ..] if standings[first] == standings[second]);
        (order, by_lot)
    }

    pub(super) fn finish_won(&mut self, winner: usize, by_lot: bool) {
        let (mut order, _) = self.ranking();
        order.retain(|&team| team != winner);
        order.insert(0, winner);
        self.finish(reason::ELEVATION, &order, Some(winner), by_lot);
    }

    /// The match's ticks are over, or nobody is left.
    pub(super) fn end_due(&mut self) {
        let (order, by_lot) = self.ranking();
        if self.now >= self.config.last_tick() {
            // A team that nobody ever joined has not played, so it can't have won.
            let best = order.first().copied().filter(|&team| self.teams[team].highest().is_some());
            self.finish(reason::TIME, &order, best, by_lot && best.is_some());
        } else if self.extinct() {
            self.finish(reason::EXTINCTION, &order, None, false);
        }
    }

    /// The operator ends the match.
    pub(super) fn stop(&mut self) {
        let (order, _) = self.ranking();
        self.finish(reason::STOPPED, &order, None, false);
    }

    fn extinct(&self) -> bool {
        self.living.is_empty() && self.eggs.is_empty()
    }

    /// Plans the end when nobody is left; it comes after everything else of this tick.
    pub(super) fn end_if_extinct(&mut self) {
        if self.extinct() {
            self.schedule.push(self.now, Due::End, 0, 0);
        }
    }

    fn finish(&mut self, reason: &'static str, order: &[usize], winner: Option<usize>, by_lot: bool) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        for id in self.living.clone() {
            let now = self.now;
            self.player_mut(id).end_silence(now);
        }
        let name = |team: usize| self.teams[team].name.clone();
        let verdict = Verdict {
            reason,
            winner: winner.map(|team| name(team).to_string()),
            ranking: order.iter().map(|&team| name(team).to_string()).collect(),
            by_lot,
        };
        let winner = winner.map(name);
        self.emit(Event::Over { verdict, winner });
    }
}
