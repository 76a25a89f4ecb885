//! A round: which versions are in the field and which meetings are played next. Its file is written before any
//! of these meetings is played.
//!
//! The tournament's plan is made from the rounds' files alone. Tested in `arena/cli/tests/league/`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::bots::{Bot, Limits};
use crate::identity::Id;
use crate::place::read_json;

/// The environment variable with the bot's name, by which a version gets another id than a bot with the same files (its
/// twin).
const TWIN: &str = "ZAPPY_BOT";
/// The folder of the rounds' files.
pub const ROUNDS: &str = "rounds";
/// The folder of the versions' files, each below the hash of what was handed in.
pub const VERSIONS: &str = "versions";
/// The most rounds of one league.
pub const MOST_ROUNDS: u32 = 100_000;
/// The longest file of a round, in bytes.
const LONGEST_ROUND: u64 = 64 << 20;

/// A version of a bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// The bot: the name of its folder, made one word.
    pub name: String,
    /// Which of the bot's versions, from 1.
    pub number: u32,
    /// The hash of its files, as they were built, and its command.
    pub id: Id,
    /// The hash of the files that were handed in, if they were built; none: what was handed in plays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Id>,
    pub command: String,
    /// How often the command is started; none: once per slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Whether it has [`TWIN`] in its environment, since another bot came with the same files in the same look.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub twin: bool,
    /// The name of its folder, if that isn't the bot's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// A bot with its version, as people read it: `ada@2`.
pub fn label(name: &str, number: u32) -> String {
    format!("{name}@{number}")
}

impl Version {
    /// The bot with its version, as people read it.
    pub fn label(&self) -> String {
        label(&self.name, self.number)
    }

    /// The hash of the files that were handed in.
    pub fn handed_in(&self) -> Id {
        self.source.unwrap_or(self.id)
    }

    /// Where its files lie, below the folder of the league.
    pub fn place(&self, league: &Path) -> PathBuf {
        league.join(VERSIONS).join(self.handed_in().to_string())
    }

    /// The bot as a tournament knows it, in a league's folder.
    pub fn bot(&self, league: &Path) -> Bot {
        Bot {
            id: self.id,
            name: self.label(),
            command: self.command.clone(),
            folder: Some(self.place(league)),
            environment: self.twin.then(|| (TWIN.to_owned(), self.name.clone())).into_iter().collect(),
            processes: self.processes,
            limits: Limits::default(),
        }
    }
}

/// Two matches between two versions on one seed, each in both seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// The ids of the two versions, the smaller one first.
    pub bots: [Id; 2],
    /// Which of their seeds, from 0.
    pub seed: u32,
}

/// Two ids as [`Meeting::bots`] and the keys of maps have them: the smaller one first.
pub fn pair(one: Id, other: Id) -> [Id; 2] {
    [one.min(other), one.max(other)]
}

/// A stage of a cup, as a round plays it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The number of the cup, from 1.
    pub cup: u32,
    /// Which of its stages, from 1.
    pub stage: u32,
    /// The duels in the order of the bracket.
    pub duels: Vec<Duel>,
}

/// Two versions of which one goes on to the next stage of a cup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Duel {
    pub one: Id,
    /// Its opponent; none: `one` goes on without a match.
    pub other: Option<Id>,
    /// On how many seeds they meet.
    pub seeds: u32,
}

/// The contents of a round's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// The version of the format: 1.
    pub version: u32,
    pub round: u32,
    /// The versions that no earlier round had.
    pub entered: Vec<Version>,
    /// The versions in the field, in the order of their bots' names.
    pub field: Vec<Id>,
    pub meetings: Vec<Meeting>,
    /// In a cup: its duels in this round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
}

/// The path of the file for a round in `folder` below a league's folder.
pub fn round_file(league: &Path, folder: &str, round: u32) -> PathBuf {
    league.join(folder).join(format!("{round:06}.json"))
}

impl Round {
    /// All rounds of a league, in their order.
    ///
    /// # Errors
    /// A file can't be read, or isn't the round that its name says.
    pub fn read_all(league: &Path) -> Result<Vec<Round>, Error> {
        let mut rounds = Vec::new();
        for number in 1..=MOST_ROUNDS {
            let path = round_file(league, ROUNDS, number);
            match path.symlink_metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                Err(error) => return Err(Error::File(path, error)),
                Ok(_) => {}
            }
            let round: Round = read_json(&path, LONGEST_ROUND)?;
            if (round.version, round.round) != (1, number) {
                let what = format!("it is round {} of format {}", round.round, round.version);
                return Err(Error::Bad { path, line: 1, what });
            }
            rounds.push(round);
        }
        Ok(rounds)
    }
}
