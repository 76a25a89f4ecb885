//! A game before a match begins: its entry in the table of games, with its options.
//!
//! Options come as text and are checked here, one by one; what they mean only the game knows. Tested through the games.

use std::num::NonZeroU32;

use serde_json::{Map, Value};
use zappy_protocol::{MapSize, Tick};

use super::Game;
use crate::config::{BadConfig, MatchConfig};

/// The key of the option that names one of a game's own maps, if the game has maps. As a flag of the server,
/// `--scenario` takes a file of console lines, too.
pub const SCENARIO: &str = "scenario";

/// A game's entry in the table of games: its name, its options, and how a match of it begins.
#[derive(Debug)]
pub struct GameSpec {
    /// Its name: one word on command lines, in records and in results.
    pub name: &'static str,
    /// A description for people, in half a sentence.
    pub about: &'static str,
    /// The version of its rules; raised with every change that alters a match.
    pub rules_version: u32,
    /// The file that tells writers of clients everything, such as `protocol.md`.
    pub manual: &'static str,
    /// Ticks per second where the rules fix them; `None`: the operator chooses the frequency.
    pub rate: Option<NonZeroU32>,
    /// Its own options, in the order in which records keep them.
    pub options: &'static [OptionSpec],
    /// The details of a [`super::TeamReport`] that tournaments keep of each team, in the order of their tables.
    pub columns: &'static [Column],
    /// The title and the text of each cell that the table after a match has for a team, from the team's details with
    /// its `score` among them. The titles are the same for every team, also for one without details.
    pub cells: Cells,
    /// Why a match may end: the word of a [`super::Verdict`], and what it means to people. None of these is a word
    /// for how the arena ended a match: `out_of_time`, `stalled`, `foul`.
    pub reasons: &'static [(&'static str, &'static str)],
    /// Remarks about the play of a team that loses although its programs run.
    pub advice: &'static [Advice],
    /// Lines that its players may send, some of which it refuses, for tests that play any game.
    pub samples: &'static [&'static str],
    /// How many players each team has room for at the start.
    pub slots: fn(&Options) -> usize,
    /// The only map size that goes with these options, if there is one.
    pub map: fn(&Options) -> Option<MapSize>,
    /// The last tick of a match between so many teams where every match has to end, as in a tournament, unless another
    /// tick is asked for. If the rules themselves limit a match, it ends before this tick.
    pub max_ticks: fn(&Options, usize) -> Tick,
    /// Begins a match with options that have been checked one by one.
    pub begin: Begin,
}

/// Makes a title and a text of each cell from a team's details.
pub type Cells = fn(&Map<String, Value>) -> Vec<(String, String)>;

/// Makes a match of a validated configuration and of checked options, unless they don't go together.
pub type Begin = fn(&MatchConfig, &Options) -> Result<Box<dyn Game>, BadConfig>;

/// One option of a game.
#[derive(Debug)]
pub struct OptionSpec {
    /// Its name, as in `--option KEY=VALUE`. The option is also a flag of its own, `--KEY VALUE`.
    pub key: &'static str,
    /// How that flag is given.
    pub form: Form,
    /// The flag of one letter, if it has one.
    pub short: Option<char>,
    /// What stands for the value in help texts.
    pub value_name: &'static str,
    /// What it does, for help texts.
    pub help: &'static str,
    /// The value if none is given, as text.
    pub default: &'static str,
    /// Turns what was typed into the value that records keep; the error says what is expected instead.
    pub read: fn(&str) -> Result<String, String>,
}

impl OptionSpec {
    /// An option that takes any value, with empty texts: a game's option states only what differs from it.
    pub const VALUE: OptionSpec = OptionSpec {
        key: "",
        form: Form::Value,
        short: None,
        value_name: "",
        help: "",
        default: "",
        read: |text| Ok(text.to_owned()),
    };
    /// An option that is on or off, off by default.
    pub const SWITCH: OptionSpec = OptionSpec {
        form: Form::Switch,
        value_name: "SWITCH",
        default: "off",
        read: |text| match text {
            "on" | "true" => Ok("on".to_owned()),
            "off" | "false" => Ok("off".to_owned()),
            _ => Err("the values are on and off".to_owned()),
        },
        ..OptionSpec::VALUE
    };

    /// Reads a whole number in that range, for [`OptionSpec::read`].
    ///
    /// # Errors
    /// What is expected instead.
    pub fn number(text: &str, least: u32, most: u32) -> Result<String, String> {
        let number = text.parse::<u32>().ok().filter(|number| (least..=most).contains(number));
        number.map(|number| number.to_string()).ok_or_else(|| format!("the range is {least} to {most}"))
    }
}

/// How an option is given as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// With its value; of several the last one counts.
    Value,
    /// With `on` or `off`, or alone for `on`.
    Switch,
    /// As often as there are values. The option's text has them all, with `;` in between.
    List,
}

/// A detail of a team's report that tournaments keep.
#[derive(Debug)]
pub struct Column {
    /// Its key in [`super::TeamReport::details`].
    pub key: &'static str,
    /// Its title. With `_` for blanks it is the column's name in files, which may not be one of the arena's own
    /// columns: `bot`, `team`, `rank`, `score`, `late`, `refused`, `dropped`, `end`, `end_detail`.
    pub title: &'static str,
    /// Whether tables show it; it is a number then.
    pub listed: bool,
    /// Whether it tells teams apart where ranks don't: if rank 1 was drawn by lot, or if no team has won, two teams
    /// that agree in all such columns are even, whatever their ranks.
    pub even: bool,
}

impl Column {
    /// Its name in files: the title with `_` for spaces.
    pub fn name(&self) -> String {
        self.title.replace(' ', "_")
    }
}

/// A remark about a team's play, made if a column was 0 at the end of matches.
#[derive(Debug)]
pub struct Advice {
    /// The column's name in files.
    pub column: &'static str,
    /// What happened; the number of matches follows.
    pub what: &'static str,
    /// Where the bot's author should look.
    pub hint: &'static str,
}

/// A game's options, complete and checked one by one, in the order of [`GameSpec::options`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options(Vec<(&'static str, String)>);

impl Options {
    /// The value of an option; empty if the game doesn't have that option.
    pub fn get(&self, key: &str) -> &str {
        self.0.iter().find(|(known, _)| *known == key).map_or("", |(_, value)| value)
    }

    /// All options, as key and value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(key, value)| (*key, value.as_str()))
    }
}

impl GameSpec {
    /// A cell for each listed column, for [`GameSpec::cells`].
    pub fn plain_cells(columns: &[Column], details: &Map<String, Value>) -> Vec<(String, String)> {
        let text = |column: &Column| match details.get(column.key) {
            None | Some(Value::Null) => "-".to_owned(),
            Some(value) => value.to_string(),
        };
        columns.iter().filter(|column| column.listed).map(|one| (one.title.to_owned(), text(one))).collect()
    }

    /// The option by which it plays on one of its own maps, if it has some.
    pub fn scenario(&self) -> Option<&'static OptionSpec> {
        self.options.iter().find(|option| option.key == SCENARIO)
    }

    /// What a verdict's word means to people; the word itself if the game doesn't know it.
    pub fn reason<'a>(&self, word: &'a str) -> &'a str {
        self.reasons.iter().find(|(known, _)| *known == word).map_or(word, |(_, meaning)| meaning)
    }
}

/// A match that can be played: the game, and what it is played with.
#[derive(Debug, Clone)]
pub struct MatchSpec {
    /// The game that is played.
    pub game: &'static GameSpec,
    /// What every game's match is played with.
    pub config: MatchConfig,
    /// The options that only this game has.
    pub options: Options,
}

impl MatchSpec {
    /// A match of that game with this configuration, the game's own rate if it has one, and the default of each option.
    pub fn new(game: &'static GameSpec, config: MatchConfig) -> MatchSpec {
        let config = MatchConfig { frequency: game.rate.unwrap_or(config.frequency), ..config };
        let options = game.options.iter().map(|option| (option.key, option.default.to_owned())).collect();
        MatchSpec { game, config, options: Options(options) }
    }

    /// The same match with these options of the game; those that aren't named keep their values.
    ///
    /// # Errors
    /// An option that the game doesn't have, or a value out of its range.
    pub fn with<'a>(
        mut self,
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<MatchSpec, BadConfig> {
        let game = self.game;
        for (key, value) in options {
            let place = game.options.iter().position(|option| option.key == key);
            let place = place.ok_or_else(|| BadConfig::NoOption {
                game: game.name,
                key: key.to_owned(),
                known: game.options.iter().map(|option| option.key).collect::<Vec<_>>().join(", "),
            })?;
            let read = (game.options[place].read)(value);
            self.options.0[place].1 = read.map_err(|expected| BadConfig::Option {
                key: game.options[place].key,
                value: value.to_owned(),
                expected,
            })?;
        }
        Ok(self)
    }

    /// The same match on the game's own map of that name; `None` if it has no such map.
    pub fn on_map(&self, name: &str) -> Option<MatchSpec> {
        self.clone().with([(self.game.scenario()?.key, name)]).ok()
    }

    /// Begins the match.
    ///
    /// # Errors
    /// When no such match can be played.
    pub fn begin(&self) -> Result<Box<dyn Game>, BadConfig> {
        self.config.validate()?;
        (self.game.begin)(&self.config, &self.options)
    }
}

/// The game of that name.
///
/// # Errors
/// There is no game of that name; the error names those that there are.
pub fn find(games: &'static [GameSpec], name: &str) -> Result<&'static GameSpec, BadConfig> {
    games.iter().find(|game| game.name == name).ok_or_else(|| BadConfig::NoGame {
        name: name.to_owned(),
        known: games.iter().map(|game| game.name).collect::<Vec<_>>().join(", "),
    })
}
