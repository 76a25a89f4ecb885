//! Files that people write for the arena: what is refused is refused in words that name the line and command no terminal.
//!
//! Run by `tests/corpus.rs`.

use std::path::Path;

use zappy_play::programs::command::split;
use zappy_play::setup::split_bot;
use zappy_tournament::bots::decode;
use zappy_tournament::grading::command::{ForAll, parse_bot_toml};

use crate::fuzz::lines::assert_plain;

/// An error names a line that the text has, and has plain words.
fn assert_names_a_line(words: &str, text: &str) {
    let line = words.split("line ").nth(1).and_then(|rest| rest.split(':').next()?.parse().ok());
    let count = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    assert!(line.is_some_and(|line: usize| (1..=count).contains(&line)), "{words}");
    assert_plain(&words);
}

/// `bots.toml`, and `levels.toml`, which is one.
pub fn bots(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Err(error) = decode(Path::new("bots.toml"), text) {
        let words = error.to_string();
        assert!(words.starts_with("bots.toml"), "{words}");
        assert_names_a_line(&words, text);
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
        Err(words) if words.starts_with("its bot.toml, line ") => assert_names_a_line(&words, text),
        Err(words) => {
            assert!(words.starts_with("its bot.toml"), "{words}");
            assert_plain(&words);
        }
    }
    for line in text.lines() {
        match split("its command", line) {
            Ok(words) => assert!(!words.is_empty()),
            Err(error) => assert_plain(&error),
        }
        if let Ok((team, command)) = split_bot(line) {
            assert_eq!(format!("{team}={command}"), line);
        }
    }
}
