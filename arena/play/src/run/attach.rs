//! Seats for programs that people start themselves: says where to connect, waits for them, and tells afterwards which
//! players they were.
//!
//! Such a program belongs to no bot, so the door lets it in under any name, as it does in every match of people's own; a
//! bot still comes in as its own team alone. Tested in `arena/cli/tests/debugging.rs`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::time::Duration;

use zappy_game::config::Clock;
use zappy_protocol::record::notes::Notes;
use zappy_protocol::record::{Entry, RecordLine, Seat};

use super::Match;
use super::turns::WaitResult;
use crate::Error;
use crate::bot;
use crate::door::Seated;
use crate::notes::{NOTES_VARIABLE, Writer, keep};
use crate::programs::environment::{GAME_VARIABLE, SEED_VARIABLE, bot_seed};

/// The longest line of a record that may tell of an admission.
const LINE_LIMIT: usize = 4096;

impl Match<'_> {
    /// Says how programs that people start themselves come in. By the clock on the wall the others are started when these
    /// are in; in lockstep the server waits for all of them.
    pub(super) fn admit_attached(&mut self, address: SocketAddr) -> Result<WaitResult, Error> {
        let entries = &self.setup.entries;
        let wanted: usize =
            entries.iter().filter_map(|entry| entry.attached).map(|number| number as usize).sum();
        for (team, entry) in entries.iter().enumerate() {
            let Some(number) = entry.attached else { continue };
            let notes = self.folder.note(&bot::name(entry.team.as_str(), 1), 1);
            let players = if number == 1 { "a player".to_owned() } else { format!("{number} players") };
            let name = shlex::try_quote(entry.team.as_str()).unwrap_or_default();
            let notes = notes.display().to_string();
            let notes = shlex::try_quote(&notes).unwrap_or_default();
            self.display.say(&format!(
                "waiting for {players} of {}; start your program with these arguments and variables:\n\n  \
                 -p {} -n {name} -h {}\n\n  {GAME_VARIABLE}={} {SEED_VARIABLE}={} {NOTES_VARIABLE}={notes}\n",
                entry.team,
                address.port(),
                address.ip(),
                self.setup.world.spec.game.name,
                bot_seed(self.setup.seed, team),
            ));
        }
        // Where connections aren't authenticated nothing tells which players are in, so the others don't wait.
        if wanted == 0 || self.setup.clock.clock == Clock::Lockstep || self.door.is_none() {
            return Ok(WaitResult::Done);
        }
        let is_in = |m: &mut Match<'_>| m.seated().len() >= wanted || m.server.ended.is_some();
        Ok(self.wait(Duration::MAX, is_in))
    }

    /// The players of all programs.
    pub(super) fn seated(&self) -> &[Seated] {
        self.door.as_ref().map(|door| &door.seated[..]).unwrap_or_default()
    }

    /// For each team that people start themselves, the players that no bot plays, in the order in which they connected.
    pub(super) fn attached(&self) -> Vec<Option<Vec<u32>>> {
        let mut free: Vec<_> = self.seated().iter().filter(|seated| seated.bot.is_none()).collect();
        free.sort_by_key(|seated| seated.arrival);
        let teams = if self.setup.has_attached() { self.admitted() } else { Vec::new() };
        let of = |name: &str| {
            let is_of = |player: u32| teams.iter().any(|(number, team)| *number == player && team == name);
            free.iter().map(|seated| seated.player).filter(|player| is_of(*player)).collect()
        };
        let entries = self.setup.entries.iter();
        entries.map(|entry| entry.attached.map(|_| of(entry.team.as_str()))).collect()
    }

    /// The players of the record with the lines that let them in.
    fn admitted(&self) -> Vec<(u32, String)> {
        let Ok(file) = File::open(self.folder.record()) else { return Vec::new() };
        let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
        let short =
            lines.filter(|line| line.len() < LINE_LIMIT && line.windows(3).any(|part| part == b" + "));
        short
            .filter_map(|line| match RecordLine::parse(&line).ok()? {
                RecordLine::Event(_, Entry::Admitted(Seat::Number(player), name)) => {
                    Some((player, String::from_utf8_lossy(name.trim_ascii()).into_owned()))
                }
                _ => None,
            })
            .collect()
    }

    /// Keeps what bots noted in the folder of the match, and gives it.
    pub(super) fn keep_notes(&self, attached: &[Option<Vec<u32>>]) -> Vec<Notes> {
        if !self.setup.notes {
            return Vec::new();
        }
        let team = |team: usize| self.setup.entries[team].team.to_string();
        let bots = self.bots.iter().map(|bot| Writer {
            name: bot.process.name().to_owned(),
            team: team(bot.team),
            log: bot.log(),
            players: bot.players(self.seated()),
        });
        let others = attached.iter().enumerate().filter_map(|(place, players)| {
            let name = bot::name(&team(place), 1);
            Some(Writer { name, team: team(place), log: None, players: players.clone()? })
        });
        keep(self.folder, &bots.chain(others).collect::<Vec<_>>())
    }
}
