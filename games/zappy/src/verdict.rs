//! How a match ends: a team has won, time is over, no player and no egg is left, or the operator stops it.
//!
//! Ranks the teams; ties are decided by a drawn lot, or as the rule set says. Tested in the transcripts `win*`
//! and `end_*`.

use zappy_protocol::published::NO_WINNER;
use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::{TeamName, Text, Tick};

use super::Zappy;
use super::event::Event;
use super::world::{Purpose, World};
use zappy_game::chance::rank;
use zappy_game::{Standing, Verdict};

/// Why a match ended, one word each.
pub mod reason {
    /// Six living players of a team stand at level 8.
    pub const ELEVATION: &str = "elevation";
    /// The match's ticks are over.
    pub const TIME: &str = "time";
    /// No player lives and no egg is left.
    pub const EXTINCTION: &str = "extinction";
    /// The operator, or a signal, ended the match.
    pub const STOPPED: &str = "stopped";
}

/// Each of these words with what people read instead.
pub(super) const REASONS: &[(&str, &str)] = &[
    (reason::ELEVATION, "a team rose to the top"),
    (reason::TIME, "time was over"),
    (reason::EXTINCTION, "nobody was left alive"),
    (reason::STOPPED, "it was stopped, or all programs had ended"),
];

/// What a team is ranked by; greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Strength {
    /// The level of the highest living player, where that decides; otherwise 0.
    first: u8,
    /// Living players per level, the highest first.
    living: [usize; Level::MAX.get() as usize],
    /// The highest level any of its players ever reached.
    highest: u8,
    /// When a player first reached it; the earlier the better.
    reached: std::cmp::Reverse<Tick>,
}

impl Zappy {
    /// The team that has won, if there is one.
    pub(super) fn winner(&self) -> Option<&TeamName> {
        let name = self.verdict.as_ref()?.winners().next()?;
        self.world.teams.iter().map(|team| &team.name).find(|team| team.as_str() == name)
    }
}

impl World {
    fn strength(&self, team: usize) -> Strength {
        let mut living = [0; Level::MAX.get() as usize];
        let members = self.living.iter().map(|&id| self.player(id)).filter(|player| player.team == team);
        for player in members.filter(|player| player.counts()) {
            living[usize::from(Level::MAX.get() - player.level.get())] += 1;
        }
        let (highest, tick) =
            self.teams[team].highest().map_or((0, Tick::MAX), |(level, tick)| (level.get(), tick));
        if self.rules().highest_player_decides {
            let first = living.iter().zip(1..).find(|&(&players, _)| players > 0);
            let first = first.map_or(0, |(_, place)| Level::MAX.get() + 1 - place);
            return Strength { first, living: Default::default(), highest: 0, reached: std::cmp::Reverse(0) };
        }
        Strength { first: 0, living, highest, reached: std::cmp::Reverse(tick) }
    }

    /// The teams, the best first, and whether rank 1 was drawn by lot.
    pub(super) fn ranking(&self) -> (Vec<usize>, bool) {
        let strengths: Vec<Strength> = (0..self.teams.len()).map(|team| self.strength(team)).collect();
        let last_wins = self.rules().last_named_wins;
        let lot = |team: usize| match last_wins {
            true => (self.teams.len() - team) as u64,
            false => rank(self.config.seed, Purpose::Lot as u64, self.now, team as u64),
        };
        let mut order: Vec<usize> = (0..self.teams.len()).collect();
        order.sort_by_key(|&team| (std::cmp::Reverse(strengths[team]), lot(team)));
        let by_lot =
            !last_wins && matches!(order[..], [first, second, ..] if strengths[first] == strengths[second]);
        (order, by_lot)
    }

    /// Ends the match with a team's win. `by_lot`: the winner was drawn among equal teams.
    pub(super) fn finish_won(&mut self, winner: usize, by_lot: bool) {
        let (mut order, _) = self.ranking();
        order.retain(|&team| team != winner);
        order.insert(0, winner);
        self.finish(reason::ELEVATION, &order, Some(winner), by_lot);
    }

    /// Ends the match if its ticks are over, or if no player and no egg is left.
    pub(super) fn end_due(&mut self) {
        let (order, by_lot) = self.ranking();
        if self.now >= self.ends_at {
            // A team that no client ever joined has not played, so it can't have won.
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

    /// Whether no player and no egg is left.
    pub(super) fn extinct(&self) -> bool {
        self.living.is_empty() && self.eggs.is_empty()
    }

    fn finish(&mut self, reason: &'static str, order: &[usize], winner: Option<usize>, by_lot: bool) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        for id in self.living.clone() {
            let now = self.now;
            self.player_mut(id).end_silence(now);
        }
        let verdict = self.verdict(reason, order, winner.is_some(), by_lot);
        self.publish(match winner {
            Some(team) => Message::Won(self.teams[team].name.clone()),
            None => Message::Server(Text::new(format!("{NO_WINNER}{reason}").as_bytes())),
        });
        self.emit(Event::Over(verdict));
    }

    /// The verdict with the teams in that order, each with a rank of its own. If `won`, the first team has won.
    pub(super) fn verdict(&self, reason: &'static str, order: &[usize], won: bool, by_lot: bool) -> Verdict {
        let standing = |(&team, rank): (&usize, u32)| Standing {
            team: self.teams[team].name.to_string(),
            rank,
            score: self.score(team),
        };
        Verdict { reason, standings: order.iter().zip(1..).map(standing).collect(), won, by_lot }
    }

    /// A team's score: the levels that its six best living players have risen, 0 to 42; 42 wins.
    fn score(&self, team: usize) -> i64 {
        let living = self.living.iter().map(|&id| self.player(id)).filter(|player| player.team == team);
        let living = living.filter(|player| player.counts());
        let mut risen: Vec<u8> = living.map(|player| player.level.get() - Level::MIN.get()).collect();
        risen.sort_unstable_by(|a, b| b.cmp(a));
        risen.iter().take(WINNING_PLAYERS).map(|&levels| i64::from(levels)).sum()
    }
}
