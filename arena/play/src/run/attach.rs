//! What people bring to a match: programs that they start themselves, and the observer that they watch with.
//!
//! A program that people start belongs to no bot, so the server's door lets it in as any team, while a bot comes in as
//! its own team alone. The match doesn't depend on the observer. Tested in `arena/cli/tests/debugging.rs` and
//! `arena/cli/tests/audience.rs`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use zappy_game::config::Clock;
use zappy_protocol::TeamName;
use zappy_protocol::record::notes::Notes;
use zappy_protocol::record::{Entry, RecordLine, Seat};

use super::Match;
use super::wait::WaitResult;
use crate::Error;
use crate::bot;
use crate::notes::{NOTES_VARIABLE, Writer, write_notes};
use crate::programs::command::Values;
use crate::programs::environment::{GAME_VARIABLE, SEED_VARIABLE, bot_seed};
use crate::programs::logfile::BOT_LOG_LIMIT;
use crate::programs::process::{Process, SpawnOptions};

/// Longer lines of a record, in bytes, aren't searched for admissions: none is so long.
const LINE_LIMIT: usize = 4096;
/// How long the bots wait until the observer is ready, so that it sees the match from the start.
const READY_LIMIT: Duration = Duration::from_secs(10);
/// How long a window may stay open after its match: a day.
const WINDOW_LIMIT: Duration = Duration::from_secs(24 * 3600);

impl Match<'_> {
    /// Shows the arguments for programs that people start themselves. Under the real clock, waits until these have
    /// joined, so that the bots are started after them; in lockstep the server itself waits for all.
    pub(super) fn admit_attached(&mut self, address: SocketAddr) -> Result<WaitResult, Error> {
        let entries = &self.setup.entries;
        let wanted: usize =
            entries.iter().filter_map(|entry| entry.attached).map(|number| number as usize).sum();
        for (team, entry) in entries.iter().enumerate() {
            let Some(number) = entry.attached else { continue };
            let notes = self.folder.notes_file(&bot::name(entry.team.as_str(), 1), 1);
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
        // Without a door it isn't known which players are in, so the bots don't wait.
        if wanted == 0 || self.setup.clock.clock == Clock::Lockstep || self.door.is_none() {
            return Ok(WaitResult::Done);
        }
        let is_in = |m: &mut Match<'_>| m.seated().len() >= wanted || m.server.ended.is_some();
        Ok(self.wait(Duration::MAX, is_in))
    }

    /// Starts the observer, if one is wanted, and waits until it is ready: until its standard output has any byte.
    pub(super) fn start_observer(&mut self, address: SocketAddr) -> Result<WaitResult, Error> {
        let Some(command) = &self.setup.observer else { return Ok(WaitResult::Done) };
        let log = self.folder.log("observer", BOT_LOG_LIMIT)?;
        let host = address.ip().to_string();
        let values = Values { host: &host, port: address.port(), team: None, seed: self.setup.seed };
        let (program, arguments) = command.fill(values);
        let spawn = SpawnOptions { trusted: true, ..SpawnOptions::default() };
        let launcher = &self.setup.launcher;
        let observer =
            Process::start("observer", launcher, &program, &arguments, &spawn, Stdio::null(), log)?;
        self.observer = Some(observer);
        let ready_or_gone = |m: &mut Match<'_>| {
            m.observer.as_ref().is_none_or(|o| o.ended.is_some() || !o.stdout.head.is_empty())
        };
        let woken = self.wait(READY_LIMIT, ready_or_gone);
        if woken == WaitResult::TimedOut {
            log::warn!("the observer does not say that it watches; the match begins without it");
        }
        Ok(woken)
    }

    /// Waits until the observer's window is closed, for a day at most. The operator may interrupt the wait.
    pub(super) fn wait_for_observer(&mut self) {
        let open = |m: &mut Match<'_>| m.observer.as_ref().is_some_and(|observer| observer.ended.is_none());
        if open(self) {
            log::info!("the match is over and its folder complete; close the observer's window to go on");
            self.wait(WINDOW_LIMIT, |m| !open(m));
        }
    }

    /// For each team that people start themselves, the players that no bot plays, in the order in which they connected;
    /// `None` for other teams.
    pub(super) fn attached(&self) -> Vec<Option<Vec<u32>>> {
        let mut unowned: Vec<_> = self.seated().iter().filter(|seated| seated.bot.is_none()).collect();
        unowned.sort_by_key(|seated| seated.arrival);
        let teams = if self.setup.has_attached() { self.admitted() } else { Vec::new() };
        let players_of = |team: &TeamName| {
            let plays =
                |player: &u32| teams.iter().any(|(number, name)| number == player && name == team.as_str());
            unowned.iter().map(|seated| seated.player).filter(plays).collect()
        };
        self.setup.entries.iter().map(|entry| entry.attached.map(|_| players_of(&entry.team))).collect()
    }

    /// The players that the record admits, each with the name of its team.
    fn admitted(&self) -> Vec<(u32, String)> {
        let Ok(file) = File::open(self.folder.record()) else { return Vec::new() };
        let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
        let candidates =
            lines.filter(|line| line.len() < LINE_LIMIT && line.windows(3).any(|part| part == b" + "));
        candidates
            .filter_map(|line| match RecordLine::parse(&line).ok()? {
                RecordLine::Event(_, Entry::Admitted(Seat::Number(player), name)) => {
                    Some((player, String::from_utf8_lossy(name.trim_ascii()).into_owned()))
                }
                _ => None,
            })
            .collect()
    }

    /// Replaces the files that programs wrote notes into by their final form, and gives the notes.
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
        write_notes(self.folder, &bots.chain(others).collect::<Vec<_>>())
    }
}
