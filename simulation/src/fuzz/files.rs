//! Files that people and other programs write for the arena: what is accepted means the same when it is read again, and what is
//! refused is refused in words that name the line. Run by `tests/corpus.rs`.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zappy_play::programs::command::split;
use zappy_play::result::ArenaResult;
use zappy_play::setup::split_bot;
use zappy_play::world::Games;
use zappy_server::games::GAMES;
use zappy_server::result::MatchResult;
use zappy_tournament::bots::{Book, MOST_BOTS, decode, is_name};
use zappy_tournament::grading::command::{ForAll, parse_bot_toml};
use zappy_tournament::outcome::Outcome;
use zappy_tournament::plan::Planned;

use crate::fuzz::dialects::lines;
use crate::fuzz::lines::are_plain;

const TABLE: Games = Games { specs: GAMES, guests: &[] };

/// The line that an error names is one of the text's.
fn names_a_line(words: &str, text: &str) {
    let line = words.split("line ").nth(1).and_then(|rest| rest.split(':').next()?.parse().ok());
    let count = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    assert!(line.is_some_and(|line: usize| (1..=count).contains(&line)), "{words}");
    are_plain(&words);
}

/// `bots.toml`, and `levels.toml`, which is one.
pub fn bots(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let path = Path::new("bots.toml");
    if let Err(error) = decode(path, text) {
        let words = error.to_string();
        assert!(words.starts_with("bots.toml"), "{words}");
        names_a_line(&words, text);
        return;
    }
    // A bot is known by its files: none outside of the folder is looked at here but programs of the system.
    if text.contains(['/', '\\']) || text.contains("..") {
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(place.path().join("ada")).expect("a folder in it");
    match Book::parse(path, text, place.path()) {
        Err(error) => assert!(error.to_string().contains("bots.toml"), "{error}"),
        Ok(book) => {
            assert!((2..=MOST_BOTS).contains(&book.bots.len()));
            let names: BTreeSet<&str> = book.bots.iter().map(|bot| bot.name.as_str()).collect();
            let ids: BTreeSet<String> = book.bots.iter().map(|bot| bot.id.to_string()).collect();
            assert!(names.len() == book.bots.len() && ids.len() == book.bots.len(), "{names:?}");
            assert!(names.iter().all(|name| is_name(name)), "{names:?}");
            comes_back(&book);
        }
    }
}

/// A submission's `bot.toml`, and commands.
pub fn submission(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match parse_bot_toml(text, ForAll::default()) {
        Ok(bot) => {
            assert!(bot.command.is_some_and(|command| !command.trim().is_empty()));
            assert!(bot.processes.is_none_or(|n| (1..=500).contains(&n)));
        }
        Err(words) if words.starts_with("its bot.toml, line ") => names_a_line(&words, text),
        Err(words) => {
            assert!(words.starts_with("its bot.toml"), "{words}");
            are_plain(&words);
        }
    }
    for line in text.lines() {
        match split("its command", line) {
            Ok(words) => assert!(!words.is_empty()),
            Err(error) => are_plain(&error),
        }
        if let Ok((team, command)) = split_bot(line) {
            assert_eq!(format!("{team}={command}"), line);
        }
    }
}

/// Lines of a tournament's plan.
pub fn plan(input: &[u8]) {
    for line in lines(input) {
        match Planned::parse(line) {
            Err(words) => are_plain(&words),
            Ok(planned) => {
                let text = comes_back(&planned);
                assert_eq!(Planned::parse(&text).as_ref(), Ok(&planned));
                if let Err(error) = planned.terms(TABLE) {
                    assert!(error.to_string().contains(&planned.id.to_string()), "{error}");
                    are_plain(&error);
                }
            }
        }
    }
}

/// Results of matches, as the server writes them, as the arena does, and as a tournament keeps them.
pub fn result(input: &[u8]) {
    reads_as::<MatchResult>(input);
    reads_as::<ArenaResult>(input);
    reads_as::<Outcome>(input);
}

fn reads_as<T: Serialize + DeserializeOwned + PartialEq + Debug>(input: &[u8]) {
    match serde_json::from_slice::<T>(input) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(value) => drop(comes_back(&value)),
    }
}

/// What is written is read as the same; gives what is written.
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Vec<u8> {
    let text = serde_json::to_vec(value).unwrap_or_else(|error| panic!("{error}: {value:?}"));
    let again = serde_json::from_slice::<T>(&text).unwrap_or_else(|error| panic!("{error}: {value:?}"));
    assert_eq!(&again, value);
    text
}
