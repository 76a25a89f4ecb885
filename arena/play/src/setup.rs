//! What a match is played with: plain, validated values.
//!
//! Never starts or opens anything. Tested in this module and in `arena/cli/tests/refusals.rs`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use zappy_game::GameSpec;
use zappy_game::config::{Clock, MAX_TEAMS};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::text::many;
use zappy_protocol::{TeamName, Tick};

use crate::Error;
use crate::clock::ClockSetup;
use crate::programs::command::{ATTACH, Template};
use crate::programs::process::Means;
use crate::watch::{Follow, Ticks, Unknown};
use crate::world::World;

/// The most bot processes of one match: each costs a descriptor, and a thousand of them is the usual limit.
pub const MAX_PROCESSES: usize = 500;

/// The most players of a team that people start themselves.
const MAX_ATTACHED: u32 = 100;

/// One team and how its bots are started.
#[derive(Debug, Clone)]
pub struct Entry {
    pub team: TeamName,
    /// The command of each of its processes.
    pub command: Template,
    /// How often it is started; none: as often as every team's.
    pub procs: Option<usize>,
    /// How many players people start themselves in the place of that command; none: the arena starts it.
    pub attached: Option<u32>,
    /// Where and with what they run.
    pub means: Means,
}

impl Entry {
    /// Reads `TEAM=COMMAND`.
    ///
    /// # Errors
    /// When the team can't be called so or the command can't be run.
    pub fn parse(text: &str) -> Result<Entry, Error> {
        let (team, command) = split_bot(text)?;
        if let Some(number) = attached(&team, command)? {
            let command = Template::attached(command);
            return Ok(Entry {
                team,
                command,
                procs: Some(0),
                attached: Some(number),
                means: Means::default(),
            });
        }
        let command = Template::parse(&format!("--bot {team}"), command)?
            .with_script(&format!("--bot {team}"), std::path::Path::new(""))?;
        Ok(Entry { team, command, procs: None, attached: None, means: Means::default() })
    }
}

/// How many players people start themselves, if that is what stands in the place of a command.
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
/// When there is no team or none can be called so.
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

/// Checks how many teams there are, and that each is there once.
///
/// # Errors
/// The first thing that is wrong, with its remedy.
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
    /// Where all chance comes from.
    pub seed: u64,
    /// The record of the match that goes on, if it isn't a new one.
    pub resume: Option<PathBuf>,
    /// Whether the seed is told by the result alone, as a tournament's.
    pub sealed: bool,
    /// The games whose records can be played again: after the match, which has failed if its record isn't whole or doesn't
    /// verify.
    pub games: &'static [GameSpec],
    /// Whether the bots' folders are the arena's own copies, which are removed before the result is written.
    pub copied: bool,
    /// What it is played on.
    pub world: World,
    pub procs: usize,
    /// Ticks per second.
    pub freq: u32,
    pub clock: ClockSetup,
    pub record_level: RecordLevel,
    /// Ticks after which the record holds what has happened; `None`: as many as the server takes by default.
    pub record_delay: Option<Tick>,
    /// The tick at which the match ends.
    pub max_ticks: Tick,
    /// How long it may take by the clock on the wall; [`Duration::MAX`]: as long as it takes.
    pub timeout: Duration,
    /// Whether it is played to be debugged: without any limit of time, and not to be graded.
    pub debug: bool,
    /// Whether each tick waits for a word of the operator.
    pub step: bool,
    /// The player whose new lines are shown at each of these stops.
    pub shown: Option<u32>,
    /// Console lines that are run before the first player comes in.
    pub scenario: Option<PathBuf>,
    /// The server's port; 0: a free one.
    pub port: u16,
    /// Whether bots may leave notes in the match's folder.
    pub notes: bool,
    /// The command of an observer that people watch the match with.
    pub observer: Option<Template>,
    pub server: PathBuf,
    /// This program's own binary, which starts the others.
    pub launcher: PathBuf,
}

impl Setup {
    /// The match in one line.
    #[must_use]
    pub fn describe(&self) -> String {
        let words = |entry: &Entry| {
            let own = entry.procs.map(|procs| format!(", {}", many(procs as u64, "process")));
            format!("{} ({}{})", entry.team, entry.command.text(), own.unwrap_or_default())
        };
        let teams: Vec<String> = self.entries.iter().map(words).collect();
        let by_default = match self.resume {
            Some(_) => "resumed".to_owned(),
            None => format!("{} slots and {} processes per team", self.world.slots, self.procs),
        };
        format!(
            "seed {}, {}, {by_default}, {}, at most {} ticks{}: {}",
            self.seed,
            self.world,
            self.clock.describe(self.freq),
            self.max_ticks,
            if self.timeout == Duration::MAX {
                String::new()
            } else {
                format!(" and {} s", self.timeout.as_secs())
            },
            teams.join(", "),
        )
    }

    /// What follows the match as an observer.
    #[must_use]
    pub fn follow(&self) -> Box<dyn Follow> {
        let teams: Vec<TeamName> = self.entries.iter().map(|entry| entry.team.clone()).collect();
        self.world.guest.map_or_else(|| Box::new(Unknown) as Box<dyn Follow>, |guest| (guest.follow)(&teams))
    }

    /// How observers can reckon ticks from the frequency they are told. What was resumed began later than they came.
    #[must_use]
    pub fn ticks(&self) -> Ticks {
        match self.clock.clock {
            _ if self.resume.is_some() => Ticks::Unknown,
            Clock::Real => Ticks::FromStart,
            Clock::Lockstep if self.clock.pace == Some(self.freq) => Ticks::FromFirstPlayer,
            Clock::Lockstep => Ticks::Unknown,
        }
    }

    /// Which process of which team is started when, the processes of a team counted from 1: the teams take turns,
    /// so that none is in first as a whole.
    #[must_use]
    pub fn starts(&self) -> Vec<(usize, usize)> {
        let counts = self.entries.iter().map(|entry| entry.procs.unwrap_or(self.procs)).enumerate();
        let mut starts: Vec<_> =
            counts.flat_map(|(team, count)| (1..=count).map(move |n| (team, n))).collect();
        starts.sort_by_key(|&(team, n)| (n, team));
        starts
    }

    /// Whether each tick waits for the arena: in lockstep, where people want to know what programs printed by then.
    #[must_use]
    pub fn stops(&self) -> bool {
        self.step || self.notes && self.clock.clock == Clock::Lockstep
    }

    /// Whether people start programs of a team themselves.
    #[must_use]
    pub fn has_attached(&self) -> bool {
        self.entries.iter().any(|entry| entry.attached.is_some())
    }

    /// The players that a match in lockstep waits for without these teams, if that isn't one for each slot and wasn't
    /// said.
    #[must_use]
    pub fn players_to_wait_for(&self, absent: &BTreeSet<usize>) -> Option<usize> {
        let wanted = self.clock.waits_for_all() && (self.has_attached() || !absent.is_empty());
        let here = self.entries.iter().enumerate().filter(|(team, _)| !absent.contains(team));
        let players =
            here.map(|(_, entry)| entry.attached.map_or(self.world.slots, |number| number as usize));
        wanted.then(|| players.sum())
    }

    /// Checks what concerns several values at once.
    ///
    /// # Errors
    /// The first thing that is wrong, with its remedy.
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
}
