//! The settings of a league, `league.json`: written by the first call and never changed.
//!
//! A later call takes each setting without a flag from the file, and refuses a flag with another value. Tested in
//! `arena/cli/tests/league/`.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use zappy_play::signature::Key;
use zappy_play::world::Games;

use crate::Error;
use crate::merge::LEAGUE;
use crate::place::{PLAN, read_json, write_pretty};
use crate::plan::{Planned, Terms};
use crate::variants::{asked_otherwise, refuse_other};

pub const SETTINGS: &str = LEAGUE;
/// The file beside the settings with the secret from which sealed seeds are derived.
const SECRET: &str = "secret";
/// The shortest secret, in bytes.
const SHORTEST_SECRET: usize = 32;
/// The longest file of settings or of a secret, in bytes.
const LONGEST_FILE: u64 = 1 << 20;

/// Which bots meet.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Every bot meets every other one
    RoundRobin,
    /// Every bot meets those that --against names, and these don't meet each other
    Gauntlet,
    /// The bot of which least is known plays next, against the one that tells most
    Swiss,
    /// Cups: half of the field is out after each round
    Knockout,
}

impl Pairing {
    /// The word for it on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Pairing::RoundRobin => "round-robin",
            Pairing::Gauntlet => "gauntlet",
            Pairing::Swiss => "swiss",
            Pairing::Knockout => "knockout",
        }
    }
}

/// Which situations a bot must pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Checks {
    /// All situations that there are for the game.
    #[default]
    All,
    Only(Vec<String>),
    None,
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Checks::All => f.write_str("all situations"),
            Checks::Only(names) => f.write_str(&names.join(", ")),
            Checks::None => f.write_str("none"),
        }
    }
}

/// What a call asks for; `None` means the value in the file, or the default.
#[derive(Debug, Clone)]
pub struct Wish {
    pub pairing: Option<Pairing>,
    /// The names of the bots that all others meet.
    pub against: Vec<String>,
    /// Seeds that two bots play; with Swiss pairing seeds that a version plays in all.
    pub seeds: Option<u32>,
    /// The first of seeds that every program may know.
    pub first: Option<u64>,
    /// The situations that a new version must pass.
    pub checks: Option<Checks>,
    /// How each match is played, by the flags.
    pub terms: Terms,
    /// How each match would be played without any flag.
    pub default: Terms,
}

/// The contents of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub version: u32,
    pub pairing: Pairing,
    /// With a gauntlet: the names of the bots that all others meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
    /// Seeds that two bots play; with Swiss pairing seeds that a version plays in all.
    pub seeds: u32,
    /// The first of seeds that every program may know; none: all are sealed, that is secret until the match is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// The situations that a new version must pass.
    #[serde(default)]
    pub checks: Checks,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The version of the program that plays.
    pub program: String,
    /// A match between no bots, played as all are.
    pub sample: Planned,
}

impl Settings {
    fn new(wish: &Wish) -> Result<Settings, Error> {
        let default = if wish.against.is_empty() { Pairing::RoundRobin } else { Pairing::Gauntlet };
        let pairing = wish.pairing.unwrap_or(default);
        if pairing == Pairing::Gauntlet && wish.against.is_empty() {
            let what = "--pairing gauntlet: say whom all bots meet with --against NAME, once for each";
            return Err(Error::Plan(what.to_owned()));
        }
        if pairing != Pairing::Gauntlet && !wish.against.is_empty() {
            let what = format!("--against belongs to --pairing gauntlet, not to {}", pairing.name());
            return Err(Error::Plan(what));
        }
        let default_seeds = match pairing {
            Pairing::RoundRobin | Pairing::Gauntlet => 5,
            Pairing::Swiss => 20,
            Pairing::Knockout => 3,
        };
        Ok(Settings {
            version: 1,
            pairing,
            against: wish.against.clone(),
            seeds: wish.seeds.unwrap_or(default_seeds),
            first: wish.first,
            checks: wish.checks.clone().unwrap_or_default(),
            rules_version: wish.terms.world.spec.game.rules_version,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            sample: Planned::sample(&wish.terms),
        })
    }

    /// Reads the settings of the league in that folder, or writes those of `wish` if there are none yet.
    ///
    /// # Errors
    /// The wish contradicts the settings, or the league was begun by another version of the program.
    pub fn open(folder: &Path, wish: &Wish, games: Games) -> Result<Settings, Error> {
        let path = folder.join(SETTINGS);
        if !path.exists() {
            if folder.join(PLAN).exists() {
                let what = "a tournament lies there; name another folder for the league";
                return Err(Error::Plan(format!("{}: {what}", folder.display())));
            }
            let settings = Settings::new(wish)?;
            if settings.first.is_none() {
                // A secret that a killed call has left stays.
                let secret = folder.join(SECRET);
                Key::kept(&secret).map_err(|error| Error::File(secret, error))?;
            }
            write_pretty(&path, &settings)?;
            return Ok(settings);
        }
        let kept: Settings = read_json(&path, LONGEST_FILE)?;
        let begun = (kept.version, kept.rules_version, &*kept.program);
        let name = |pairing: Pairing| pairing.name().to_owned();
        let against = Some(wish.against.join(", ")).filter(|names| !names.is_empty());
        let first = kept.first.map_or("not set".to_owned(), |first| first.to_string());
        let flags = [
            ("--pairing", name(kept.pairing), wish.pairing.map(name)),
            ("--against", kept.against.join(", "), against),
            ("--seeds", kept.seeds.to_string(), wish.seeds.map(|seeds| seeds.to_string())),
            ("--first", first, wish.first.map(|first| first.to_string())),
            ("--check", kept.checks.to_string(), wish.checks.as_ref().map(Checks::to_string)),
        ];
        let other = flags.into_iter().filter_map(|(flag, kept, asked)| {
            let asked = asked.filter(|asked| *asked != kept)?;
            Some(format!("{flag} is {kept} there, {asked} here"))
        });
        let mut words: Vec<String> = other.collect();
        words.extend(asked_otherwise(&kept.sample.terms(games)?, &wish.terms, Some(&wish.default), games));
        refuse_other(("league", &path), begun, &kept.sample, games, &words)?;
        Ok(kept)
    }

    /// The secret from which sealed seeds are derived; empty if seeds are open.
    ///
    /// # Errors
    /// Its file can't be read.
    pub fn secret(&self, folder: &Path) -> Result<Vec<u8>, Error> {
        let path = folder.join(SECRET);
        if self.first.is_some() {
            return Ok(Vec::new());
        }
        let text = zappy_server::files::read(&path, LONGEST_FILE)
            .map_err(|error| Error::File(path.clone(), error))?;
        if text.len() < SHORTEST_SECRET {
            let what =
                "it is too short to be the league's; put the file back, or begin a league in another folder";
            return Err(Error::Plan(format!("{}: {what}", path.display())));
        }
        Ok(text)
    }
}
