//! What a match's result says: per team and per player, in plain serialisable values.
//!
//! Reads the world and changes nothing. The field names are a contract for whoever reads results.

use serde::Serialize;
use std::collections::BTreeMap;
use zappy_protocol::player::CommandKind;
use zappy_protocol::{Resource, Tick};

use super::Zappy;
use super::player::Player;

/// The result of a match, as far as the rules know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Ticks played.
    pub ticks: Tick,
    /// The winner, if there is one.
    pub winner: Option<String>,
    /// Why the match ended, one word; `running` while it has not.
    pub reason: &'static str,
    /// The teams' names, the best first.
    pub ranking: Vec<String>,
    /// Whether the first place was drawn by lot.
    pub by_lot: bool,
    /// The teams in the order of the command line.
    pub teams: Vec<TeamReport>,
}

/// One team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TeamReport {
    /// Its name.
    pub name: String,
    /// Its place, from 1.
    pub rank: usize,
    /// Living players on each level, from 1 to 8.
    pub levels: [usize; 8],
    /// The highest level any of its players ever reached; 0 if nobody joined.
    pub highest_level: u8,
    /// The tick at which it was reached.
    pub highest_level_tick: Option<Tick>,
    /// Players alive.
    pub alive: usize,
    /// Players who joined.
    pub born: usize,
    /// Free slots left.
    pub free_slots: u32,
    /// Everybody who joined, in the order of joining.
    pub players: Vec<PlayerReport>,
}

/// One player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayerReport {
    /// Its number.
    pub player: u32,
    /// Its level, at its end if it is gone.
    pub level: u8,
    /// Units of food it carries.
    pub food: u32,
    /// The tick at which it joined.
    pub born: Tick,
    /// `alive`, or how it ended: `starved`, `killed`, `left`, `expelled`.
    pub fate: &'static str,
    /// The tick at which it ended.
    pub ended: Option<Tick>,
    /// Commands begun, by name; those never begun are left out.
    pub commands: BTreeMap<&'static str, u64>,
    /// Lines that were no command.
    pub unknown: u64,
    /// `ko` it read.
    pub refused: u64,
    /// Lines dropped because ten commands waited.
    pub dropped: u64,
    /// The longest time it was free to act and sent nothing, in ticks.
    pub longest_silence: Tick,
}

impl Zappy {
    /// What the match's result says.
    #[must_use]
    pub fn report(&self) -> Report {
        let (order, lot) = self.world.ranking();
        let name = |team: usize| self.world.teams[team].name.to_string();
        let verdict = self.verdict();
        let ranking =
            verdict.map_or_else(|| order.iter().map(|&team| name(team)).collect(), |v| v.ranking.clone());
        let teams = (0..self.world.teams.len()).map(|team| self.team_report(team, &ranking)).collect();
        Report {
            ticks: self.now(),
            winner: verdict.and_then(|v| v.winner.clone()),
            reason: verdict.map_or("running", |v| v.reason),
            by_lot: verdict.map_or(lot, |v| v.by_lot),
            ranking,
            teams,
        }
    }

    fn team_report(&self, index: usize, ranking: &[String]) -> TeamReport {
        let team = &self.world.teams[index];
        let members =
            || self.world.players.iter().zip(0u32..).filter(move |(player, _)| player.team == index);
        let mut levels = [0; 8];
        for (player, _) in members().filter(|(player, _)| player.alive()) {
            levels[usize::from(player.level.get()) - 1] += 1;
        }
        let highest = team.highest();
        let name = team.name.to_string();
        TeamReport {
            rank: ranking.iter().position(|other| *other == name).map_or(0, |place| place + 1),
            name,
            levels,
            highest_level: highest.map_or(0, |(level, _)| level.get()),
            highest_level_tick: highest.map(|(_, tick)| tick),
            alive: levels.iter().sum(),
            born: members().count(),
            free_slots: self.world.free_slots(index),
            players: members().map(|(player, number)| player_report(player, number, self.now())).collect(),
        }
    }
}

fn player_report(player: &Player, number: u32, now: Tick) -> PlayerReport {
    let tally = &player.tally;
    let commands = CommandKind::ALL.into_iter().zip(tally.commands).filter(|&(_, count)| count > 0);
    let silence = player.idle_since.map_or(0, |since| now - since);
    PlayerReport {
        player: number,
        level: player.level.get(),
        food: player.inventory.get(Resource::Food),
        born: player.born,
        fate: player.ended.map_or("alive", |(how, _)| how.word()),
        ended: player.ended.map(|(_, tick)| tick),
        commands: commands.map(|(kind, count)| (kind.name(), count)).collect(),
        unknown: tally.unknown,
        refused: tally.refused,
        dropped: tally.dropped,
        longest_silence: tally.longest_silence.max(silence),
    }
}
