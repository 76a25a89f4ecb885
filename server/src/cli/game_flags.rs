//! The flags that say which game is played and with which options: one for each option of each game.
//!
//! An error is a line for people that names the flag. Tested in `flags`.

use clap::{Arg, ArgAction, ArgMatches};
use zappy_game::config::BadConfig;
use zappy_game::{Form, GameSpec, MatchSpec, OptionSpec, find};

/// The command with the flags of the games' options.
pub fn add(mut command: clap::Command, games: &'static [GameSpec]) -> clap::Command {
    for game in games {
        for option in game.options {
            if command.get_arguments().any(|known| known.get_id() == option.key) {
                continue;
            }
            let flag = Arg::new(option.key)
                .long(option.key)
                .alias(option.key.replace('-', "_"))
                .short(option.short)
                .value_name(option.value_name)
                .help(format!("{} [default: {}]", option.help, option.default))
                .help_heading(format!("Options of the game {}", game.name))
                .allow_negative_numbers(true);
            let flag = match option.form {
                Form::Value => flag.action(ArgAction::Set),
                Form::Switch => flag.action(ArgAction::Set).num_args(0..=1).default_missing_value("on"),
                Form::List => flag.action(ArgAction::Append),
            };
            command = command.arg(flag);
        }
    }
    command
}

/// The game of that name, or the first one.
///
/// # Errors
/// There is no such game.
pub fn game(name: Option<&str>, games: &'static [GameSpec]) -> Result<&'static GameSpec, String> {
    match name {
        Some(name) => find(games, name).map_err(|error| format!("--game: {error}")),
        None => games.first().ok_or_else(|| "--game: there is no game to play".to_owned()),
    }
}

/// How a server of that game is started.
pub fn usage(game: &GameSpec, games: &[GameSpec]) -> String {
    let is_first = games.first().is_some_and(|first| first.name == game.name);
    let mut flags = if is_first { String::new() } else { format!("--game {} ", game.name) };
    flags += "-p PORT -x WIDTH -y HEIGHT -n TEAM...";
    for option in game.options.iter().filter(|option| option.form == Form::Value) {
        if let Some(short) = option.short {
            flags += &format!(" -{short} {}", option.value_name);
        }
    }
    if game.rate.is_none() {
        flags += " -f FREQ";
    }
    format!("usage: zappy_server {flags} [OPTIONS]\n(--help explains each of them)")
}

/// The match with the game's options from their own flags, and from `--option`.
///
/// # Errors
/// The game has no such option, or not with this value.
pub fn options(
    spec: MatchSpec,
    found: &ArgMatches,
    pairs: &[(String, String)],
    games: &'static [GameSpec],
) -> Result<MatchSpec, String> {
    let known = || games.iter().flat_map(|game| game.options);
    let text = |option: &'static OptionSpec| {
        let values: Vec<&str> = found.get_many::<String>(option.key)?.map(String::as_str).collect();
        Some((option.key, values.join(";")))
    };
    let own: Vec<(&str, String)> = known().filter_map(text).collect();
    let given = own.iter().map(|(key, value)| (*key, value.as_str()));
    let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let named = |key: &str| match known().find(|option| option.key == key).and_then(|option| option.short) {
        Some(short) => format!("-{short}"),
        None => format!("--{key}"),
    };
    spec.with(given.chain(pairs)).map_err(|error| match error {
        BadConfig::Option { key, value, expected } => format!("{} is {value:?}, {expected}", named(key)),
        BadConfig::NoOption { ref key, .. } => format!("{}: {error}", named(key)),
        error => error.to_string(),
    })
}
