//! The flags that say which game is played and with which options: one for each option of each game.
//!
//! An error is a line for people that names the flag. Tested in `flags`.

use crate::games::GameTable;
use clap::{Arg, ArgAction, ArgMatches};
use zappy_game::config::BadConfig;
use zappy_game::{Form, GameSpec, MatchSpec, OptionSpec, SCENARIO, find};

/// Within the parser, the identifiers of flags that are options of a game begin with this.
const OPTION_PREFIX: &str = "option of a game: ";

/// The command with the flags of the options of `chosen`, then with those of the other games, where their names are
/// free.
///
/// # Errors
/// An option of `chosen` has the name of another flag.
pub fn add(
    mut command: clap::Command,
    chosen: &'static GameSpec,
    games: GameTable,
) -> Result<clap::Command, String> {
    for option in chosen.options.iter().filter(|option| option.key != SCENARIO) {
        if is_taken(&command, &[option.key, &option.key.replace('-', "_")], option.short) {
            let (game, key) = (chosen.name, option.key);
            return Err(format!(
                "--game {game}: its option {key} has the name of another flag of this program; rename the option"
            ));
        }
        command = command.arg(flag(chosen, option, option.short));
    }
    if let Some(option) = chosen.scenario() {
        // The flag for files takes the game's own maps, too.
        command = command.mut_arg(SCENARIO, |flag| {
            let files = flag.get_help().map(ToString::to_string).unwrap_or_default();
            flag.help(format!("{files}. {}", option.help))
        });
    }
    for game in games.iter().filter(|game| game.name != chosen.name) {
        for option in game.options {
            let short = option.short.filter(|_| !is_taken(&command, &[], option.short));
            if !is_taken(&command, &[option.key, &option.key.replace('-', "_")], None) {
                command = command.arg(flag(game, option, short));
            }
        }
    }
    Ok(command)
}

/// Whether a flag of the command has one of these names, or this letter.
fn is_taken(command: &clap::Command, names: &[&str], short: Option<char>) -> bool {
    let mut built_in = ["help", "version"].into_iter().chain(["h", "V"]);
    built_in.any(|name| names.contains(&name) || short.is_some_and(|short| name == short.to_string()))
        || command.get_arguments().any(|known| {
            let aliases = known.get_all_aliases().unwrap_or_default();
            let mut longs = known.get_long().into_iter().chain(aliases);
            longs.any(|long| names.contains(&long)) || short.is_some() && known.get_short() == short
        })
}

fn flag(game: &GameSpec, option: &'static OptionSpec, short: Option<char>) -> Arg {
    let flag = Arg::new(format!("{OPTION_PREFIX}{}", option.key))
        .long(option.key)
        .alias(option.key.replace('-', "_"))
        .short(short)
        .value_name(option.value_name)
        .help(format!("{} [default: {}]", option.help, option.default))
        .help_heading(format!("Options of the game {}", game.name))
        .allow_negative_numbers(true);
    match option.form {
        Form::Value => flag.action(ArgAction::Set),
        Form::Switch => flag.action(ArgAction::Set).num_args(0..=1).default_missing_value("on"),
        Form::List => flag.action(ArgAction::Append),
    }
}

/// The game of that name, or the first one.
///
/// # Errors
/// There is no such game.
pub fn game(name: Option<&str>, games: GameTable) -> Result<&'static GameSpec, String> {
    match name {
        Some(name) => find(games, name).map_err(|error| format!("--game: {error}")),
        None => games.first().ok_or_else(|| "--game: there is no game to play".to_owned()),
    }
}

/// The usage of the server for that game: two lines for people.
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
    games: GameTable,
) -> Result<MatchSpec, String> {
    let text = |id: &'_ clap::Id| {
        let key = id.as_str().strip_prefix(OPTION_PREFIX)?.to_owned();
        let values: Vec<&str> = found.get_many::<String>(id.as_str())?.map(String::as_str).collect();
        Some((key, values.join(";")))
    };
    let own: Vec<(String, String)> = found.ids().filter_map(text).collect();
    let given = own.iter().chain(pairs).map(|(key, value)| (key.as_str(), value.as_str()));
    let mut known = spec.game.options.iter().chain(games.iter().flat_map(|game| game.options));
    let mut named = |key: &str| match known.find(|option| option.key == key).and_then(|option| option.short) {
        Some(short) => format!("-{short}"),
        None => format!("--{key}"),
    };
    spec.with(given).map_err(|error| match error {
        BadConfig::Option { key, value, expected } => format!("{} is {value:?}, {expected}", named(key)),
        BadConfig::NoOption { ref key, .. } => format!("{}: {error}", named(key)),
        error => error.to_string(),
    })
}
