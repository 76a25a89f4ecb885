//! The settings of a ladder: how its matches are played. The settings of the first call hold for all later calls.
//!
//! Tested in `arena/cli/tests/ladder/`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use zappy_play::world::Games;
use zappy_protocol::TeamName;
use zappy_tournament::Error;
use zappy_tournament::place::{PLAN, read_json};
use zappy_tournament::plan::{Planned, Terms};
use zappy_tournament::variants::{asked_otherwise, refuse_other};

use crate::names::NAMES;

/// The file of the settings.
pub const SETTINGS: &str = "settings.json";
/// The complaint about a file of a ladder that was removed.
pub const FILE_LOST: &str = "it isn't there";
/// The longest settings file, in bytes.
const LONGEST_FILE: u64 = 64 << 10;
/// The flags for all matches of a ladder besides their terms: the number of bots in a match; the seconds that the
/// answers of a bot may take in a match beyond the free time; the milliseconds of each answer that are free, by default
/// enough for an answer from another continent.
const FLAGS: [&str; 3] = ["--teams", "--bank", "--free"];
/// The values of [`FLAGS`] that aren't given.
const DEFAULTS: [u64; 3] = [2, 120, 500];

/// The settings that a call asks for.
#[derive(Debug, Clone)]
pub struct SeasonWish {
    /// How each match is played, by the flags.
    pub terms: Terms,
    /// How each match would be played without any flag.
    pub default: Terms,
    /// The values of --teams, --bank (seconds) and --free (milliseconds), if they are given.
    pub flags: [Option<u64>; 3],
    /// Matches of one bot at the same time.
    pub at_once: usize,
}

impl SeasonWish {
    /// Begins a match with these settings and drops it, to learn at once whether any match can be played.
    ///
    /// # Errors
    /// No match can be played with these settings.
    pub fn try_out(&self) -> Result<(), Error> {
        let bots = 0..self.flags[0].unwrap_or(DEFAULTS[0]);
        let names = bots.filter_map(|bot| TeamName::parse(format!("bot{bot}").as_bytes())).collect();
        let begun = self.terms.world.game(names).begin();
        begun.map(drop).map_err(|error| Error::Plan(format!("no match can be played so: {error}")))
    }
}

/// The contents of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The version of the format: 1.
    version: u32,
    /// The values of [`FLAGS`].
    pub flags: [u64; 3],
    /// The version of the game's rules.
    rules_version: u32,
    /// The version of the program that plays.
    program: String,
    /// A match between no bots, played as all are.
    pub sample: Planned,
}

impl Settings {
    /// The settings of the ladder in that folder.
    ///
    /// # Errors
    /// There is no ladder, or its settings can't be read.
    pub fn read(folder: &Path) -> Result<Settings, Error> {
        refuse_no_ladder(folder)?;
        let path = folder.join(SETTINGS);
        if path.exists() {
            read_json(&path, LONGEST_FILE)
        } else {
            Err(Error::Book(path, FILE_LOST.to_owned()))
        }
    }

    /// The settings of the ladder in that folder, or of one that is to begin there.
    ///
    /// # Errors
    /// The ladder was begun with other settings than the wish has, or the folder is that of a tournament or a league.
    pub fn open(folder: &Path, wish: &SeasonWish, games: Games) -> Result<Settings, Error> {
        let path = folder.join(SETTINGS);
        let (own, rules_version) = (env!("CARGO_PKG_VERSION"), wish.terms.world.spec.game.rules_version);
        if !path.exists() {
            if folder.join(NAMES).exists() && folder.join(PLAN).exists() {
                return Err(Error::Book(path, FILE_LOST.to_owned()));
            }
            if folder.join(PLAN).exists() {
                let what = "there is a plan in it and no settings.json, so a tournament or a league lies there; name \
                            another folder";
                return Err(Error::Plan(format!("--folder {}: {what}", folder.display())));
            }
            let flags = std::array::from_fn(|place| wish.flags[place].unwrap_or(DEFAULTS[place]));
            let sample = Planned::sample(&wish.terms);
            return Ok(Settings { version: 1, flags, rules_version, program: own.to_owned(), sample });
        }
        let kept: Settings = read_json(&path, LONGEST_FILE)?;
        let mut words = asked_otherwise(&kept.sample.terms(games)?, &wish.terms, Some(&wish.default), games);
        for ((flag, asked), kept) in FLAGS.iter().zip(wish.flags).zip(kept.flags) {
            let other = asked.filter(|asked| *asked != kept);
            words.extend(other.map(|asked| format!("{flag} is {kept} there, {asked} here")));
        }
        let begun = (kept.version, kept.rules_version, &*kept.program);
        refuse_other(("ladder", &path), begun, &kept.sample, games, &words)?;
        Ok(kept)
    }
}

/// Refuses a folder in which no ladder was begun.
///
/// # Errors
/// There is no ladder; the error names the remedy.
pub fn refuse_no_ladder(folder: &Path) -> Result<(), Error> {
    if [SETTINGS, NAMES].iter().any(|name| folder.join(name).exists()) {
        return Ok(());
    }
    let what = "no ladder lies there; look at how it is spelt, or begin one with --add NAME";
    Err(Error::Plan(format!("{}: {what}", folder.display())))
}
