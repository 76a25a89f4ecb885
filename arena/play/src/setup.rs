//! The settings of a match: plain values, and the check that they go together.
//!
//! Never starts or opens anything. Tested in this module and in `arena/cli/tests/refusals.rs`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use zappy_game::config::{Clock, MAX_TEAMS};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::text::many;
use zappy_protocol::{TeamName, Tick};
use zappy_server::games::GameTable;

use crate::Error;
use crate::clock::ClockSetup;
use crate::programs::command::{ATTACH, Template};
use crate::programs::process::SpawnOptions;
use crate::watch::{Follow, Ticks, Unknown};
use crate::world::World;

/// The most bot processes of one match: each costs the arena a descriptor, of which a process may usually have 1,024.
pub const MAX_PROCESSES: usize = 500;

/// How many of a team's players people may start themselves.
const MAX_ATTACHED: u32 = 100;

/// One team and how its bots are started.
#[derive(Debug, Clone)]
pub struct Entry {
    pub team: TeamName,
    /// The command that starts each of its processes.
    pub command: Template,
    /// How many processes the command is started as; `None`: as many as [`Setup::procs`] says.
    pub procs: Option<usize>,
    /// How many players people start themselves instead of that command; `None`: the arena starts the command.
    pub attached: Option<u32>,
    /// The folder, containment and limits that the bots run with.
    pub spawn: SpawnOptions,
}

impl Entry {
    /// Reads `TEAM=COMMAND`.
    ///
    /// # Errors
    /// The team can't have this name, or the command can't be run.
    pub fn parse(text: &str) -> Result<Entry, Error> {
        let (team, command) = split_bot(text)?;
        let (attached, whose) = (attached(&team, command)?, format!("--bot {team}"));
        let command = match attached {
            Some(_) => Template::attached(command),
            None => Template::parse(&whose, command)?.with_script(&whose, Path::new(""))?,
        };
        Ok(Entry { team, command, procs: attached.map(|_| 0), attached, spawn: SpawnOptions::default() })
    }
}

/// How many players people start themselves, if the text asks for that instead of naming a command.
fn attached(team: &TeamName, command: &str) -> Result<Option<u32>, Error> {
    let Some(number) = command.trim().strip_prefix(ATTACH) else { return Ok(None) };
    let number = match number.strip_prefix(':') {
        None if number.is_empty() => Some(1),
        None => None,
        Some(number) => number.parse().ok(),
    };
    match number.filter(|number| (1..=MAX_ATTACHED).contains(number)) {
        Some(number) => Ok(Some(number)),
        None => Err(Error::BadAttached(team.to_string(), MAX_ATTACHED)),
    }
}

/// The team and the command in `TEAM=COMMAND`.
///
/// # Errors
/// The text names no team, or a team can't have this name.
pub fn split_bot(text: &str) -> Result<(TeamName, &str), Error> {
    let (name, command) = text.split_once('=').ok_or_else(|| Error::NoTeam(text.into()))?;
    if name.is_empty() {
        return Err(Error::NoTeam(text.into()));
    }
    if name == zappy_protocol::OBSERVER_NAME {
        return Err(Error::ReservedTeam(name.into()));
    }
    // Observers read the name as one word; programs would take one with a dash for a flag.
    let bad = name.contains(char::is_whitespace) || name.starts_with('-');
    let team = TeamName::parse(name.as_bytes()).filter(|_| !bad);
    Ok((team.ok_or_else(|| Error::BadTeam(name.into()))?, command))
}

/// Checks the number of teams, and that no name stands twice.
pub fn check_teams(teams: &[&TeamName]) -> Result<(), Error> {
    if teams.len() > MAX_TEAMS {
        return Err(Error::TooManyTeams(teams.len(), MAX_TEAMS));
    }
    let twin = teams.iter().enumerate().find(|(i, team)| teams[..*i].contains(team));
    twin.map_or(Ok(()), |(_, team)| Err(Error::TwinTeams(team.to_string())))
}

/// The configuration of a match.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The teams in the order given.
    pub entries: Vec<Entry>,
    /// The seed of all chance in the match.
    pub seed: u64,
    /// The record of the match to go on with; `None` for a new match.
    pub resume: Option<PathBuf>,
    /// Whether only the result tells the seed, as in a tournament.
    pub sealed: bool,
    /// The games that can be replayed. After the match its record is replayed, and the match has failed if the record
    /// isn't whole or doesn't verify.
    pub games: GameTable,
    /// Whether the bots' folders are copies made by the arena. It removes them before it writes the result.
    pub copied: bool,
    /// The game and its world.
    pub world: World,
    /// How many processes each team has, unless its entry says otherwise.
    pub procs: usize,
    /// The ticks per second that observers are told and by which the real clock runs.
    pub freq: u32,
    pub clock: ClockSetup,
    pub record_level: RecordLevel,
    /// By how many ticks the record may lag behind the match at most; `None`: the server's default.
    pub record_delay: Option<Tick>,
    /// The tick at which the match ends.
    pub max_ticks: Tick,
    /// How long the match may take by the clock on the wall; [`Duration::MAX`] for no limit.
    pub timeout: Duration,
    pub debugging: Debugging,
    /// The file of console lines that are run before the first player comes in.
    pub scenario: Option<PathBuf>,
    /// The server's port; 0 for any free one.
    pub port: u16,
    /// Whether bots may leave notes in the match's folder.
    pub notes: bool,
    /// The command of an observer with which people watch the match.
    pub observer: Option<Template>,
    pub server: PathBuf,
    /// This program's own binary, which starts the others.
    pub launcher: PathBuf,
}

/// Whether a match is played to find out what a bot does. Such a match has no limit of time and isn't graded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Debugging {
    #[default]
    No,
    Yes,
    /// Each tick waits until the operator allows it; at these stops the new lines of a player are shown, if one is
    /// followed.
    ByStep(Option<PlayerName>),
}

impl Debugging {
    /// Whether each tick waits for the operator.
    pub fn is_by_step(&self) -> bool {
        matches!(self, Debugging::ByStep(_))
    }
}

impl Setup {
    /// The match in one line.
    pub fn describe(&self) -> String {
        let words = |entry: &Entry| {
            let own = entry.procs.map(|procs| format!(", {}", many(procs as u64, "process")));
            format!("{} ({}{})", entry.team, entry.command.text(), own.unwrap_or_default())
        };
        let teams: Vec<String> = self.entries.iter().map(words).collect();
        let seats_in_words = match self.resume {
            Some(_) => "resumed".to_owned(),
            None => {
                let (slots, procs) = (self.world.slots as u64, self.procs as u64);
                format!("{} and {} per team", many(slots, "slot"), many(procs, "process"))
            }
        };
        format!(
            "seed {}, {}, {seats_in_words}, {}, at most {}{}: {}",
            self.seed,
            self.world,
            self.clock.describe(self.freq),
            self.world.max_length(self.max_ticks, self.entries.len()),
            if self.timeout == Duration::MAX {
                String::new()
            } else {
                format!(" and {} s", self.timeout.as_secs())
            },
            teams.join(", "),
        )
    }

    /// What reads the game's messages to observers during the match.
    pub fn follow(&self) -> Box<dyn Follow> {
        let teams: Vec<TeamName> = self.entries.iter().map(|entry| entry.team.clone()).collect();
        self.world.guest.map_or_else(|| Box::new(Unknown) as Box<dyn Follow>, |guest| (guest.follow)(&teams))
    }

    /// How observers can compute ticks from the frequency they are told. In a resumed match they can't, since its time
    /// begins to run after they have come.
    pub fn ticks(&self) -> Ticks {
        match self.clock.clock {
            _ if self.resume.is_some() => Ticks::Unknown,
            Clock::Real => Ticks::FromStart,
            Clock::Lockstep if self.clock.pace == Some(self.freq) => Ticks::FromFirstPlayer,
            Clock::Lockstep => Ticks::Unknown,
        }
    }

    /// The order in which processes are started, as pairs of a team and the number of its process, from 1. The teams
    /// take turns, so that no team has all its processes started before the others.
    pub fn starts(&self) -> Vec<(usize, usize)> {
        let counts = self.entries.iter().map(|entry| entry.procs.unwrap_or(self.procs)).enumerate();
        let mut starts: Vec<_> =
            counts.flat_map(|(team, count)| (1..=count).map(move |n| (team, n))).collect();
        starts.sort_by_key(|&(team, n)| (n, team));
        starts
    }

    /// Whether each tick waits for the arena: if the operator steps through the match, or if bots may leave notes in
    /// lockstep, each of which is given the tick at which it was written.
    pub fn ticks_wait(&self) -> bool {
        self.debugging.is_by_step() || self.notes && self.clock.clock == Clock::Lockstep
    }

    /// Whether people start programs of a team themselves.
    pub fn has_attached(&self) -> bool {
        self.entries.iter().any(|entry| entry.attached.is_some())
    }

    /// Checks the rules that concern several values at once.
    pub fn validate(&self) -> Result<(), Error> {
        check_teams(&self.entries.iter().map(|entry| &entry.team).collect::<Vec<_>>())?;
        self.world.check(self.entries.iter().map(|entry| entry.team.clone()).collect())?;
        let processes = self.starts().len();
        if processes > MAX_PROCESSES {
            return Err(Error::TooManyProcesses(processes, MAX_PROCESSES));
        }
        Ok(())
    }
}

/// How people name players on a command line: by a number, or by the log of the program that plays them. Every flag
/// that takes a player takes both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerName {
    /// The player of that number.
    Number(u32),
    /// The players of the program with that log.
    Log(String),
}

impl PlayerName {
    /// Reads a number, also with the `#` that most output puts before it, or the name of a log, also with its folder.
    pub fn parse(text: &str) -> Result<PlayerName, String> {
        if let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse() {
            return Ok(PlayerName::Number(number));
        }
        let name = log_name(text);
        // The log of a program is named after its team and the number of the program in it.
        match name.rsplit_once('-') {
            Some((team, start)) if !team.is_empty() && start.parse::<u32>().is_ok() => {
                Ok(PlayerName::Log(name.to_owned()))
            }
            _ => {
                Err("a player is a number, such as 3 or '#3', or the name of its log, such as red-3"
                    .to_owned())
            }
        }
    }
}

/// The name of a log without its folder and its ending.
pub fn log_name(path: &str) -> &str {
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path);
    name.strip_suffix(".log").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_name_ends_at_the_first_equals_sign() {
        let entry = Entry::parse("red=env A=1 true").unwrap();
        assert_eq!(entry.team.as_str(), "red");
        assert_eq!(entry.command.text(), "env A=1 true");
    }

    #[test]
    fn names_that_no_team_can_have_are_refused() {
        assert!(matches!(Entry::parse("true"), Err(Error::NoTeam(_))));
        assert!(matches!(Entry::parse("=true"), Err(Error::NoTeam(_))));
        assert!(matches!(Entry::parse("GRAPHIC=true"), Err(Error::ReservedTeam(_))));
        assert!(matches!(Entry::parse("a b=true"), Err(Error::BadTeam(_))));
        assert!(matches!(Entry::parse("-x=true"), Err(Error::BadTeam(_))));
        assert!(matches!(Entry::parse(&format!("{}=true", "x".repeat(65))), Err(Error::BadTeam(_))));
    }

    #[test]
    fn a_player_has_a_number_or_a_log() {
        let program = |name: &str| Ok(PlayerName::Log(name.to_owned()));
        assert_eq!(PlayerName::parse("3"), Ok(PlayerName::Number(3)));
        assert_eq!(PlayerName::parse("#3"), Ok(PlayerName::Number(3)));
        assert_eq!(PlayerName::parse("red-3"), program("red-3"));
        assert_eq!(PlayerName::parse("logs/a-team-12.log"), program("a-team-12"));
        for wrong in ["", "#", "red", "-3", "red-x", "x@3"] {
            assert!(PlayerName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
