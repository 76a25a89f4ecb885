//! How people name a player on a command line: by its number, or by the log of the program that plays it.
//!
//! Every flag that takes a player takes both. Knows no match. Tested in this module.

use std::path::Path;

/// A player, or the players of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerName {
    /// The player of that number.
    Number(u32),
    /// The players of the program with that log.
    Log(String),
}

impl PlayerName {
    /// Players are written with a sharp in front of their number in most places; a log may be named with its folder.
    pub fn parse(text: &str) -> Result<PlayerName, String> {
        if let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse() {
            return Ok(PlayerName::Number(number));
        }
        let name = log_name(text);
        // The log of a program is called after its team and the place of its start.
        match name.rsplit_once('-') {
            Some((team, start)) if !team.is_empty() && start.parse::<u32>().is_ok() => {
                Ok(PlayerName::Log(name.to_owned()))
            }
            _ => {
                Err("a player is a number, such as 3 or '#3', or the name of its log, such as red-3"
                    .to_owned())
            }
        }
    }
}

/// The name of a log without its folder and its ending.
pub fn log_name(path: &str) -> &str {
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path);
    name.strip_suffix(".log").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_has_a_number_or_a_log() {
        let program = |name: &str| Ok(PlayerName::Log(name.to_owned()));
        assert_eq!(PlayerName::parse("3"), Ok(PlayerName::Number(3)));
        assert_eq!(PlayerName::parse("#3"), Ok(PlayerName::Number(3)));
        assert_eq!(PlayerName::parse("red-3"), program("red-3"));
        assert_eq!(PlayerName::parse("logs/a-team-12.log"), program("a-team-12"));
        for wrong in ["", "#", "red", "-3", "red-x", "x@3"] {
            assert!(PlayerName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
