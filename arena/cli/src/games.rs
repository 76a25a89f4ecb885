//! The flags that say what is played: the game, its options, and the map.
//!
//! Each option of each game is a flag of its own, made from the table of games, in every command that takes a map.
//! Tested in this module and in `tests/tiny.rs`.

use std::collections::BTreeMap;

use clap::error::Error as ClapError;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use zappy_game::config::{BadConfig, MAX_SIDE};
use zappy_game::{Form, GameSpec, OptionSpec, SCENARIO};
use zappy_play::Error;
use zappy_play::world::{Games, World};
use zappy_protocol::MapSize;

/// Width and height of the map, in tiles, unless a flag says otherwise.
const DEFAULT_SIDE: u16 = 20;
/// The prefix of the parser's ids for flags that are options of a game; the option's key follows it.
const OPTION_ID: &str = "option of a game: ";

/// What is played, and on which map.
#[derive(Debug, Clone, Args)]
pub struct WorldArgs {
    /// The game to be played
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// An option of the game; each is a flag of its own, too
    #[arg(long = "option", value_name = "KEY=VALUE", action = ArgAction::Append, value_parser =
          |text: &str| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()))
              .ok_or("write KEY=VALUE"))]
    pairs: Vec<(String, String)>,
    /// Width of the map [default: 20, or what the map of --scenario has]
    #[arg(long, value_parser = value_parser!(u16).range(1..=i64::from(MAX_SIDE)))]
    width: Option<u16>,
    /// Height of the map [default: 20, or what the map of --scenario has]
    #[arg(long, value_parser = value_parser!(u16).range(1..=i64::from(MAX_SIDE)))]
    height: Option<u16>,
    #[command(flatten)]
    flags: OptionFlags,
}

/// The options that were given as flags of their own: values by keys.
#[derive(Debug, Clone, Default)]
struct OptionFlags(BTreeMap<String, String>);

impl Args for OptionFlags {
    /// Adds nothing: [`with_options`] adds the flags, since it knows the table of games.
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for OptionFlags {
    fn from_arg_matches(found: &ArgMatches) -> Result<OptionFlags, ClapError> {
        let ids = found.ids().map(clap::Id::as_str);
        let given = ids.filter(|id| found.value_source(id) == Some(ValueSource::CommandLine));
        let flag = |id: &str| {
            let (key, values) = (id.strip_prefix(OPTION_ID)?, found.get_many::<String>(id)?);
            Some((key.to_owned(), values.map(String::as_str).collect::<Vec<_>>().join(";")))
        };
        Ok(OptionFlags(given.filter_map(flag).collect()))
    }

    fn update_from_arg_matches(&mut self, found: &ArgMatches) -> Result<(), ClapError> {
        *self = OptionFlags::from_arg_matches(found)?;
        Ok(())
    }
}

impl WorldArgs {
    /// The key of the first option of the game that was given by its own flag, if one was.
    pub(super) fn first_option(&self) -> Option<&str> {
        self.flags.0.keys().next().map(String::as_str)
    }

    /// The world with the size that its options give the map, unless they give none or flags name another.
    pub(super) fn with_own_size(&self, mut world: World) -> World {
        if let Some(own) = (world.spec.game.map)(&world.spec.options) {
            let (width, height) = (self.width.unwrap_or(own.width()), self.height.unwrap_or(own.height()));
            world.spec.config.map = MapSize::new(width, height).unwrap_or(own);
        }
        world
    }

    /// The game, its options and the map that the flags ask for; `more` are options that override those of the flags.
    ///
    /// # Errors
    /// There is no such game, or no such option, or a value is out of its range.
    pub fn world(&self, games: Games, more: &[(&str, &str)]) -> Result<World, Error> {
        let flags = self.flags.0.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let pairs = self.pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let options = flags.chain(pairs).chain(more.iter().copied());
        let sides = (self.width.unwrap_or(DEFAULT_SIDE), self.height.unwrap_or(DEFAULT_SIDE));
        let world = games.world(self.game.as_deref(), options, sides).map(|world| self.with_own_size(world));
        world.map_err(|error| match error {
            Error::Config(BadConfig::Option { key, value, expected }) => {
                Error::Flag(format!("--{key} is {value:?}, {expected}"))
            }
            Error::Config(BadConfig::NoOption { game, key, known }) => {
                let flag = if self.flags.0.contains_key(&key) { &key } else { "option" };
                Error::Flag(format!("--{flag}: {}", BadConfig::NoOption { game, key: key.clone(), known }))
            }
            Error::Config(error @ BadConfig::NoGame { .. }) => Error::Flag(format!("--game: {error}")),
            error => error,
        })
    }
}

/// The command and its subcommands, with a flag for each option of each game behind the map's flags. If two games have
/// an option of one name, the flag is that of the game that is `asked` for, or of the first of the two.
pub(super) fn with_options(mut command: Command, games: Games, asked: Option<&str>) -> Command {
    let inner: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in inner {
        command = command.mut_subcommand(name, |inner| with_options(inner, games, asked));
    }
    // In `--seeds -3` the -3 is a bad value and no other flag.
    command = command.mut_args(|flag| match flag.get_action().takes_values() {
        true => flag.allow_negative_numbers(true),
        false => flag,
    });
    if command.get_arguments().all(|flag| flag.get_id() != "height") {
        return command;
    }
    // The places of the flags in the help, with gaps for the new ones; help and version come last by themselves.
    let (mut place, mut new_place) = (0, 0);
    command = command.mut_args(|flag| {
        place += 10;
        if flag.get_id() == "height" {
            new_place = place;
        }
        flag.display_order(place)
    });
    let (own, others): (Vec<_>, Vec<_>) = games.specs.iter().partition(|game| Some(game.name) == asked);
    for game in own.into_iter().chain(others) {
        for (option, help) in options(game, games) {
            let id = format!("{OPTION_ID}{}", option.key);
            // If there is a flag of this name already, another game's or one for files, it gets this help, too.
            let known = command.get_arguments().find(|flag| flag.get_long() == Some(option.key));
            if let Some(known) = known.map(|flag| flag.get_id().clone()) {
                command = command.mut_arg(known, |flag| {
                    let more = match option.key {
                        SCENARIO => help.to_owned(),
                        _ => format!("In {}: {help} [default: {}]", game.name, option.default),
                    };
                    let words = flag.get_help().map(ToString::to_string).unwrap_or_default();
                    flag.help(format!("{words}. {more}"))
                });
                continue;
            }
            new_place += 1;
            let flag = Arg::new(id).long(option.key).value_name(option.value_name).help(help);
            let flag =
                flag.default_value(option.default).allow_negative_numbers(true).display_order(new_place);
            let flag = match option.form {
                Form::Value => flag.action(ArgAction::Set),
                Form::Switch => flag.action(ArgAction::Set).num_args(0..=1).default_missing_value("on"),
                Form::List => flag.action(ArgAction::Append),
            };
            let heading = format!("Options of the game {}", game.name);
            command = command.arg(if games.is_first(game) { flag } else { flag.help_heading(heading) });
        }
    }
    command
}

/// The options of a game, each with its help: first those for which the arena has a help of its own.
fn options(game: &'static GameSpec, games: Games) -> Vec<(&'static OptionSpec, &'static str)> {
    let words = games.guest(game).map(|guest| guest.options).unwrap_or_default();
    let place = |option: &OptionSpec| words.iter().position(|(key, _)| *key == option.key);
    let help = |option: &'static OptionSpec| place(option).map_or(option.help, |place| words[place].1);
    let mut options: Vec<_> = game.options.iter().map(|option| (option, help(option))).collect();
    options.sort_by_key(|(option, _)| place(option).unwrap_or(words.len()));
    options
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use clap::CommandFactory as _;
    use std::ffi::OsString;

    use zappy_server::cli::asked_game;

    use super::*;
    use zappy_play::local::zappy::GUEST;
    use zappy_play::world::Guest;

    const GAMES: Games = Games { specs: zappy_server::games::GAMES, guests: &[] };

    fn world(arguments: &str) -> Result<World, String> {
        world_of(arguments, GAMES)
    }

    fn world_of(arguments: &str, games: Games) -> Result<World, String> {
        let line = format!("zappy_arena mirror {arguments}");
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let found = with_options(Cli::command(), games, asked_game(&words)).try_get_matches_from(&words);
        let found = found.map_err(|error| error.to_string())?;
        let mirror = found.subcommand_matches("mirror").unwrap();
        let world = WorldArgs::from_arg_matches(mirror).unwrap();
        world.world(games, &[]).map_err(|error| error.to_string())
    }

    #[test]
    fn an_option_belongs_to_its_game_where_another_one_has_it_too() {
        const DRAW: OptionSpec =
            OptionSpec { key: "clients", form: Form::Switch, ..zappy_game_zappy::SPEC.options[1] };
        static TWO: &[GameSpec] = &[
            zappy_game_zappy::SPEC,
            GameSpec { name: "other", options: &[DRAW], slots: |_| 2, ..zappy_game_zappy::SPEC },
        ];
        let games = Games { specs: TWO, guests: &[] };
        // A switch takes no value, a number does.
        assert!(world_of("--clients", games).is_err());
        assert!(world_of("--game zappy --clients", games).is_err());
        let switched = world_of("--game other --clients", games).unwrap_err();
        assert!(switched.starts_with("--clients is \"on\""), "{switched}");
        assert_eq!(world_of("--game=other --clients 3", games).unwrap().slots, 2);
    }

    #[test]
    fn options_are_flags_and_flags_are_options() {
        for (arguments, shown, slots) in [
            ("", "20x20", 6),
            ("--width 9 --clients 3", "9x20", 3),
            ("--option clients=3 --game zappy", "20x20", 3),
            ("--rules strict --option display-eggs=on", "20x20, strict rules, on display-eggs", 6),
            // As many turns as slots are no slots.
            ("--game conquest --turns 1", "20x20, 1 turns", 1),
        ] {
            let world = world(arguments).unwrap();
            assert_eq!((world.to_string().as_str(), world.slots), (shown, slots), "{arguments}");
        }
    }

    #[test]
    fn what_is_no_option_is_refused_by_name() {
        for (arguments, words) in [
            ("--width -3", "error: invalid value '-3' for '--width <WIDTH>'"),
            ("--clients 0", "--clients is \"0\", the range is 1 to 1000"),
            ("--option clients=x", "--clients is \"x\", the range is 1 to 1000"),
            ("--rules lax", "--rules is \"lax\", the rule sets are subject, official and strict"),
            ("--option cities=on", "--option: the game zappy has no option cities; its options are rules,"),
            ("--game chess", "--game: there is no game chess; the games are zappy, conquest"),
            (
                "--option clients",
                "error: invalid value 'clients' for '--option <KEY=VALUE>': write KEY=VALUE",
            ),
        ] {
            let error = world(arguments).unwrap_err();
            assert!(error.starts_with(words), "{error}\nexpected {words}");
        }
    }

    #[test]
    fn every_command_that_takes_a_map_takes_the_options() {
        static GUESTS: &[&Guest] = &[&GUEST];
        let command = with_options(Cli::command(), Games { guests: GUESTS, ..GAMES }, None);
        let tournament = command.find_subcommand("tournament").unwrap();
        let commands = ["match", "mirror", "compare", "grade"].map(|name| command.find_subcommand(name));
        for command in commands.into_iter().chain([tournament.find_subcommand("plan")]) {
            let help = command.unwrap().clone().render_help().to_string();
            for flag in ["--game <GAME>", "--option <KEY=VALUE>", "--clients <CLIENTS>", "--rules <RULES>"] {
                assert!(help.contains(flag), "{help}");
            }
            let words = "--clients <CLIENTS>            Slots per team at the start [default: 6]";
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(squeezed(&help).contains(&squeezed(words)), "{help}");
        }
    }
}
