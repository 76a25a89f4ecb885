//! What a match's result says of the teams: per team and per player, in plain serialisable values.
//!
//! Reads the world and changes nothing. The field names are a contract with the programs that read results. Tested
//! in `server/src/result.rs`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use zappy_protocol::Tick;
use zappy_protocol::zappy::player::CommandKind;
use zappy_protocol::zappy::{Level, Resource};

use super::Zappy;
use super::event::Fate;
use super::player::Player;
use zappy_game::{Advice, Column, Conduct, RUNNING, Report, TeamReport};

/// The team's details that tournaments keep.
pub(super) const COLUMNS: &[Column] = &[
    Column { key: "levels", title: "levels", listed: false, even: true },
    Column { key: "highest_level", title: "highest", listed: true, even: true },
    Column { key: "born", title: "born", listed: true, even: false },
    Column { key: "alive", title: "alive", listed: true, even: false },
];

/// What a 0 in a column means, and what to do about it.
pub(super) const ADVICE: &[Advice] = &[Advice {
    column: "alive",
    what: "Nobody of the team was alive at the end of",
    hint: "Mostly that is hunger: look at food before stones.",
}];

/// The cells of the table after a match: players on each level, alive, joined and gone.
pub(super) fn cells(details: &Map<String, Value>) -> Vec<(String, String)> {
    let number = |key: &str| details.get(key).and_then(Value::as_u64);
    let text = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
    let levels = details.get("levels").and_then(Value::as_array);
    let level = |i: usize| match levels.and_then(|levels| levels.get(i)).and_then(Value::as_u64) {
        // A level without players shows a dot, which doesn't catch the eye.
        Some(0) => ".".to_owned(),
        players => text(players),
    };
    let (alive, born) = (number("alive"), number("born"));
    let died = born.zip(alive).map(|(born, alive)| born.saturating_sub(alive));
    let levels = (0..usize::from(Level::MAX.get())).map(|i| (format!("L{}", i + 1), level(i)));
    let others = [("alive", alive), ("born", born), ("died", died)];
    levels.chain(others.map(|(title, number)| (title.to_owned(), text(number)))).collect()
}

/// What only Zappy knows of a team.
#[derive(Debug, Serialize)]
struct Details {
    /// Living players on each level, from 1 to 8.
    levels: [usize; 8],
    /// The highest level that any of its players ever reached; 0 if no player joined.
    highest_level: u8,
    /// The tick at which it was first reached; `None` if no player joined.
    highest_level_tick: Option<Tick>,
    alive: usize,
    born: usize,
    free_slots: u32,
    /// All players that joined, in the order of joining.
    players: Vec<PlayerReport>,
}

#[derive(Debug, Serialize)]
struct PlayerReport {
    player: u32,
    /// Its level; if it is gone, the level at its end.
    level: u8,
    /// Units of food it carries.
    food: u32,
    /// The tick at which it joined.
    born: Tick,
    /// `alive`, or how it ended: `starved`, `killed`, `left`, `expelled`.
    fate: &'static str,
    /// The tick at which its life ended; `None` while it lives.
    ended: Option<Tick>,
    /// Commands begun, by name; those never begun are left out.
    commands: BTreeMap<&'static str, u32>,
    /// Lines that were no command.
    unknown: u32,
    /// Commands that were answered `ko`.
    refused: u32,
    /// Lines dropped because ten commands waited.
    dropped: u32,
    /// The longest time in which it was free to act and its client sent nothing, in ticks.
    longest_silence: Tick,
}

impl Zappy {
    pub(super) fn compose_report(&self) -> Report {
        let verdict = self.verdict.clone().unwrap_or_else(|| {
            let (order, lot) = self.world.ranking();
            self.world.verdict(RUNNING, &order, false, lot)
        });
        let teams = (0..self.world.teams.len()).map(|team| self.team_report(team)).collect();
        Report { ticks: self.world.now, verdict, teams }
    }

    fn team_report(&self, index: usize) -> TeamReport {
        let team = &self.world.teams[index];
        let members =
            || self.world.players.iter().zip(0u32..).filter(move |(player, _)| player.team == index);
        let (mut levels, mut conduct) = ([0; 8], Conduct::default());
        // The tick at which the last player ended (now, while one lives), and since which tick all have been silent.
        let (mut ended, mut quiet_since) = (0, 0);
        for (player, _) in members() {
            if player.is_alive() {
                levels[usize::from(player.level.get()) - 1] += 1;
            }
            let end = player.ended.map_or(self.world.now, |(_, tick)| tick);
            let silence = player.idle_since.map_or(player.tally.last_silence, |since| end - since);
            (ended, quiet_since) = (ended.max(end), quiet_since.max(end - silence));
            conduct.joined += 1;
            conduct.left += u64::from(player.ended.is_some_and(|(how, _)| how == Fate::Left));
            conduct.expelled += u64::from(player.ended.is_some_and(|(how, _)| how == Fate::Expelled));
            conduct.commands += player.tally.commands.iter().copied().map(u64::from).sum::<u64>();
            conduct.unknown += u64::from(player.tally.unknown);
            conduct.refused += u64::from(player.tally.refused);
            conduct.dropped += u64::from(player.tally.dropped);
        }
        conduct.silence = ended - quiet_since;
        let highest = team.highest();
        let details = Details {
            levels,
            highest_level: highest.map_or(0, |(level, _)| level.get()),
            highest_level_tick: highest.map(|(_, tick)| tick),
            alive: levels.iter().sum(),
            born: members().count(),
            free_slots: self.world.free_slots(index),
            players: members()
                .map(|(player, number)| player_report(player, number, self.world.now))
                .collect(),
        };
        let details = match serde_json::to_value(&details) {
            Ok(Value::Object(map)) => map,
            // A struct of plain fields always is an object.
            _ => Map::new(),
        };
        TeamReport { team: team.name.to_string(), conduct, details }
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
        fate: player.ended.map_or("alive", |(how, _)| how.name()),
        ended: player.ended.map(|(_, tick)| tick),
        commands: commands.map(|(kind, count)| (kind.name(), count)).collect(),
        unknown: tally.unknown,
        refused: tally.refused,
        dropped: tally.dropped,
        longest_silence: tally.longest_silence.max(silence),
    }
}
