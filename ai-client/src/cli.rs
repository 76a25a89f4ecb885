//! The command line: values with their ranges, and the answer to a wrong one.
//!
//! `-h` is the host, as the subject demands, so help is `--help` alone. The agents that a command line asks for are
//! made here, so that it gives the same agents in this program and in the arena. Never exits the process: `parse`
//! returns what to print. Tested in this module and in `tests/socket.rs`.

use std::ffi::OsString;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{ArgAction, CommandFactory as _, Parser, ValueEnum};
use zappy_protocol::{OBSERVER_NAME, TeamName};

use crate::agent::Agent;
use crate::conquest::level::Level;
use crate::zappy::level::Style;
use crate::{conquest, zappy};

/// The most players of one process, so that no server is flooded.
const MAX_PLAYERS: u16 = 200;

/// The environment variable in which an arena says which game is played.
pub const GAME_VARIABLE: &str = "ZAPPY_GAME";

/// What can be played; Zappy if neither a flag nor the environment names a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Game {
    /// The game in ticks
    #[default]
    Zappy,
    /// The game in turns
    Conquest,
}

/// A player of Zappy, or a faction of conquest, that plays to win.
///
/// One process is one player; it opens the connections of the eggs it lays itself. It ends when the match is
/// over or when its last player starves. In conquest one process is one faction.
#[derive(Debug, Clone, Parser)]
#[command(name = "zappy_ai", version, disable_help_flag = true, after_help = EXAMPLES)]
pub struct Options {
    /// The server's port
    #[arg(short, long, allow_negative_numbers = true, value_parser = number(1..=u16::MAX))]
    pub port: u16,

    /// The team to play for, on a ladder NAME:TOKEN [default: ZAPPY_TEAM from the environment, which other users can't
    /// read]
    #[arg(short, long, value_name = "TEAM", value_parser = team, overrides_with = "name")]
    pub name: TeamName,

    /// The server's host
    #[arg(short = 'h', long, default_value = "localhost")]
    pub host: String,

    /// The game [default: ZAPPY_GAME from the environment, else zappy]
    #[arg(long, value_enum, value_name = "GAME")]
    pub game: Option<Game>,

    /// Players of Zappy started from this one process, 1 to 200, each on its own connection
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number(1..=MAX_PLAYERS))]
    pub players: u16,

    /// How well it plays
    #[arg(long, value_name = "LEVEL", default_value = "expert", value_parser = PossibleValuesParser::new(levels()))]
    pub level: String,

    /// The seed of all its chance and the key to its words: the same for all players of a team, known to no other
    /// program [default: ZAPPY_SEED from the environment, else another each time]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// Plays match after match, as on a ladder, until the server refuses it
    #[arg(long)]
    pub repeat: bool,

    /// Says more on stderr: -v each egg, -vv each line
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,

    /// Says nothing on stderr but warnings
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Prints this help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

const EXAMPLES: &str = "Examples:
  zappy_ai -p 4242 -n red                     one player on this machine
  zappy_ai -p 4242 -n red -h 192.0.2.7        one player of a game elsewhere
  zappy_ai -p 4242 -n red --players 6 -v      a whole team, talkative
  zappy_ai -p 4242 -n red --level easy        an opponent to win against
  zappy_ai -p 4242 -n red --game conquest     a faction of conquest
  zappy_ai -p 4242 -n ada:TOKEN --repeat      a bot of a ladder";

impl Options {
    /// The agents that `starts` processes with these options make. `seed` is used if the options have none; `sealed`
    /// says whether all players of the team, and no other program, were given the seed.
    ///
    /// # Errors
    /// If the game lacks the level, or conquest is asked for several players: a text for the user.
    pub fn agents(
        &self,
        game: Game,
        seed: u64,
        sealed: bool,
        starts: usize,
    ) -> Result<Vec<Box<dyn Agent>>, String> {
        let seed = self.seed.unwrap_or(seed);
        let team = self.name.clone();
        match game {
            Game::Zappy => {
                let style = Style::from_str(&self.level, false)?;
                let setup = zappy::agent::Setup { team, seed, sealed, style, birth: None };
                let player = |_| Box::new(zappy::agent::Player::new(setup.clone())) as Box<dyn Agent>;
                Ok((0..starts * usize::from(self.players)).map(player).collect())
            }
            Game::Conquest if self.players != 1 => {
                Err(format!("--players {}: in conquest a faction has one seat; leave it out", self.players))
            }
            Game::Conquest => {
                let level = Level::from_str(&self.level, false).map_err(|_| {
                    let names = levels_of("conquest").join(", ");
                    format!("--level {}: the levels of conquest are {names}", self.level)
                })?;
                let setup = conquest::agent::Setup { team, seed, level };
                let player = |_| Box::new(conquest::agent::Player::new(setup.clone())) as Box<dyn Agent>;
                Ok((0..starts).map(player).collect())
            }
        }
    }
}

/// The name of a level, or of a game, on the command line.
pub fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The names of a game's levels; those of Zappy if no game has that name.
pub fn levels_of(game: &str) -> Vec<String> {
    match Game::from_str(game, false) {
        Ok(Game::Conquest) => Level::value_variants().iter().map(name_of).collect(),
        _ => Style::value_variants().iter().map(name_of).collect(),
    }
}

/// All levels of play, each with its description in every game that has it.
fn levels() -> Vec<PossibleValue> {
    let help = |value: PossibleValue| value.get_help().map(ToString::to_string).unwrap_or_default();
    let described = |style: &Style| {
        let value = style.to_possible_value()?;
        let conquest =
            Level::from_str(value.get_name(), false).ok().and_then(|level| level.to_possible_value());
        let conquest = conquest.map(|value| format!("; conquest: {}", help(value))).unwrap_or_default();
        Some(PossibleValue::new(name_of(style)).help(format!("Zappy: {}{conquest}", help(value))))
    };
    Style::value_variants().iter().filter_map(described).collect()
}

/// A parser of whole numbers in `range`; its error names the range.
fn number<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Clone,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("the range is {} to {}", range.start(), range.end()))
    }
}

fn team(name: &str) -> Result<TeamName, String> {
    let parsed = TeamName::parse(name.as_bytes()).filter(|team| team.as_str() != OBSERVER_NAME);
    parsed.ok_or_else(|| {
        format!("a team's name has 1 to {} bytes of plain text and isn't {OBSERVER_NAME}", TeamName::LIMIT)
    })
}

/// What to do when the arguments can't be used: print a text and exit.
#[derive(Debug, PartialEq, Eq)]
pub struct Exit {
    /// The exit code: 0 when help was asked for, else 84.
    pub code: u8,
    /// The text; for stdout if the code is 0, else for stderr.
    pub text: String,
}

/// These arguments, the program's name first, with `-n team` before all others, which a later `-n` overrides.
pub fn with_team(
    arguments: impl IntoIterator<Item = OsString>,
    team: Option<OsString>,
) -> impl Iterator<Item = OsString> {
    let mut arguments = arguments.into_iter().collect::<Vec<_>>().into_iter();
    let program = arguments.next();
    let named = team.into_iter().flat_map(|team| ["-n".into(), team]);
    program.into_iter().chain(named).chain(arguments)
}

/// The options in these arguments, the program's name first; the error says what to print when there are none.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Options, Exit> {
    Options::try_parse_from(arguments).map_err(|error| {
        let text = error.render().to_string();
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            return Exit { code: 0, text };
        }
        let reason: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let tip = text.lines().map(str::trim).filter(|line| line.starts_with("tip: a similar"));
        let usage = Options::command().render_usage();
        let message: Vec<&str> = reason.into_iter().chain(tip).collect();
        Exit { code: 84, text: format!("{}\n{usage}\n", message.join(" ")) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str) -> Result<Options, Exit> {
        parse(line.split(' ').map(Into::into))
    }

    #[test]
    fn the_subjects_flags() {
        let options = check("zappy_ai -p 4242 -n red -h example.org").unwrap();
        assert_eq!((options.port, options.host.as_str()), (4242, "example.org"));
        assert_eq!(check("zappy_ai -p 4242 -n red").unwrap().host, "localhost");
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let named = |line: &str| parse(with_team(words(line), Some("ada:1".into()))).unwrap().name;
        assert_eq!(named("zappy_ai -p 4242").as_str(), "ada:1");
        assert_eq!(named("zappy_ai -p 4242 -n red").as_str(), "red");
    }

    #[test]
    fn conquest_has_one_seat_and_levels_of_its_own() {
        let agents =
            |line: &str| check(line).unwrap().agents(Game::Conquest, 1, true, 1).map(|agents| agents.len());
        assert_eq!(agents("zappy_ai -p 1 -n red --game conquest"), Ok(1));
        for (flag, words) in
            [("--players 2", "one seat"), ("--level aggressor", "easy, medium, hard, expert, raider")]
        {
            let refused = agents(&format!("zappy_ai -p 1 -n red {flag}")).unwrap_err();
            assert!(refused.starts_with(flag) && refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn help_is_no_error() {
        let exit = check("zappy_ai --help").unwrap_err();
        assert_eq!(exit.code, 0);
        assert!(exit.text.contains("zappy_ai -p 4242 -n red"));
        let levels = |game: &str| exit.text.lines().filter(|line| line.contains(game)).count();
        assert_eq!((levels("Zappy: "), levels("conquest: ")), (7, 5), "{}", exit.text);
    }

    #[test]
    fn a_wrong_value_is_named_in_one_line_before_the_usage() {
        for (line, parts) in [
            ("zappy_ai -p 0 -n red", &["'0'", "--port", "1 to 65535"][..]),
            ("zappy_ai -p x -n red", &["'x'", "--port", "1 to 65535"]),
            ("zappy_ai -p -5 -n red", &["'-5'", "--port", "1 to 65535"]),
            ("zappy_ai -p 1 -n red --players 201", &["201", "--players", "1 to 200"]),
            ("zappy_ai -p 1 -n red --players -1", &["'-1'", "--players", "1 to 200"]),
            ("zappy_ai -p 1 -n red --seed 1.5", &["'1.5'", "--seed", "0 to 18446744073709551615"]),
            ("zappy_ai -p 1 -n GRAPHIC", &["GRAPHIC", "--name", "1 to 64"]),
            ("zappy_ai -p 1 -n red --game chess", &["chess", "--game", "conquest"]),
            ("zappy_ai -p 1 -n red --level brutal", &["brutal", "--level", "easy"]),
            ("zappy_ai -p 1", &["--name"]),
            ("zappy_ai -p 1 -n red --frob", &["--frob"]),
            ("zappy_ai -p 1 -n red --playres 2", &["--playres", "'--players'"]),
        ] {
            let exit = check(line).unwrap_err();
            assert_eq!(exit.code, 84, "{line}");
            let (first, rest) = exit.text.split_once('\n').unwrap();
            assert!(parts.iter().all(|part| first.contains(part)), "{first}");
            assert!(rest.starts_with("Usage: zappy_ai"), "{rest}");
        }
    }
}
