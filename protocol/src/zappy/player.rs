//! The players' dialect: what a program that plays sends and reads.
//!
//! Parsing takes any bytes and never panics; printing gives the exact bytes of the wire without the line's end.
//! `parse(print(x)) == x` holds for every value. Doesn't decide what a command does. Tested in this module and in
//! `tests/roundtrip.rs`.

use std::io::Write as _;

use super::constants::{ACTION_TICKS, FORK_TICKS, INCANTATION_TICKS, INVENTORY_TICKS};
pub use super::lists::{ListStyle, Sight};
use super::lists::{read_inventory, read_look};
use crate::messages::{Carried, carried, commands};
use crate::text::{number, push_number, split_first, trim, words};
use crate::types::{MapSize, Text, Tick};
use crate::words::Words;
use crate::zappy::{Inventory, Level, Resource};

/// The dialect of players' commands, for [`Carried`].
#[derive(Debug)]
enum Players {}

commands! {
    CommandKind, "A command without its argument.";

    /// What a player asks for.
    #[derive(Debug, Clone, PartialEq, Eq)]
    Command of Players;

    Forward = "Forward",
    Right = "Right",
    Left = "Left",
    /// Asks what the player sees.
    Look = "Look",
    /// Asks what the player carries.
    Inventory = "Inventory",
    /// Sends a text to all other players; never an empty one.
    Broadcast(text: Text) = "Broadcast",
    /// Asks for the free slots of its team.
    ConnectNbr = "Connect_nbr",
    Fork = "Fork",
    /// Pushes all other players off the tile.
    Eject = "Eject",
    /// Picks one unit of a resource up.
    Take(resource: Resource) = "Take",
    /// Puts one unit of a resource down.
    Set(resource: Resource) = "Set",
    Incantation = "Incantation",
}

carried! { Resource, by Players: |words| words.next(Resource::parse), |resource, out| {
    out.push(b' ');
    out.extend_from_slice(resource.name().as_bytes());
} }

impl CommandKind {
    /// Ticks from the command's start to its effect.
    pub const fn cost(self) -> Tick {
        match self {
            CommandKind::ConnectNbr => 0,
            CommandKind::Inventory => INVENTORY_TICKS,
            CommandKind::Fork => FORK_TICKS,
            CommandKind::Incantation => INCANTATION_TICKS,
            _ => ACTION_TICKS,
        }
    }
}

/// Why a line is no command. The answer is always `ko`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadCommand {
    /// A line with nothing on it; takes no time.
    #[error("the line is empty")]
    Empty,
    /// No such command (case matters); takes no time.
    #[error("no such command; names are case-sensitive, as in Forward or Connect_nbr")]
    Unknown,
    /// A line longer than the limit; takes no time.
    #[error("the line is too long")]
    TooLong,
    /// Too few or too many arguments; takes the command's normal time.
    #[error("{} takes {} argument", .0.name(), if arity(*.0) == 1 { "one" } else { "no" })]
    Arguments(CommandKind),
    /// `Broadcast` without a text; takes the command's normal time.
    #[error("Broadcast needs a text")]
    EmptyText,
    /// `Broadcast` with a text that the rule set refuses; takes the command's normal time.
    #[error("Broadcast takes one word without double quotes, or one whole text in them, under these rules")]
    SeveralWords,
    /// `Take` or `Set` of something that is no resource; takes the command's normal time.
    #[error("{} takes the name of a resource: food, linemate, deraumere, sibur, mendiane, phiras or thystame", .0.name())]
    UnknownObject(CommandKind),
}

/// How many arguments a command takes: 0 or 1.
fn arity(kind: CommandKind) -> usize {
    usize::from(matches!(kind, CommandKind::Take | CommandKind::Set | CommandKind::Broadcast))
}

impl BadCommand {
    /// The command that was meant, if that is clear; its normal time passes before the `ko`.
    pub const fn kind(self) -> Option<CommandKind> {
        match self {
            BadCommand::Empty | BadCommand::Unknown | BadCommand::TooLong => None,
            BadCommand::Arguments(kind) | BadCommand::UnknownObject(kind) => Some(kind),
            BadCommand::EmptyText | BadCommand::SeveralWords => Some(CommandKind::Broadcast),
        }
    }
}

impl Command {
    /// The command on this line; blanks around it are tolerated.
    ///
    /// # Errors
    /// Why the line is no command.
    pub fn parse(line: &[u8]) -> Result<Command, BadCommand> {
        let (name, rest) = split_first(line);
        if name.is_empty() {
            return Err(BadCommand::Empty);
        }
        let kind = CommandKind::parse(name).ok_or(BadCommand::Unknown)?;
        match kind {
            CommandKind::Broadcast if Text::new(rest).is_empty() => return Err(BadCommand::EmptyText),
            CommandKind::Broadcast => {}
            _ if words(rest).count() != arity(kind) => return Err(BadCommand::Arguments(kind)),
            _ => {}
        }
        Command::read(kind, &mut Words::new(rest)).ok_or(BadCommand::UnknownObject(kind))
    }

    /// Appends the line without its end.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.kind().name().as_bytes());
        self.print_argument(out);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// The server is there and waits for a team name.
    Welcome,
    /// A number alone: free slots, after the team name and as the answer to `Connect_nbr`.
    Slots(u32),
    /// The size of the map, the last line of the handshake.
    MapSize(MapSize),
    Ok,
    /// The command was refused, or failed.
    Ko,
    /// The player starved; the connection closes.
    Dead,
    /// The answer to `Look`, tile by tile.
    Look(Vec<Sight>),
    Inventory(Inventory),
    /// A player broadcast a text.
    Message {
        /// The direction it came from, 0 to 8.
        direction: u8,
        text: Text,
    },
    /// Another player pushed this one off its tile; the direction the push came from, 1 to 8.
    Eject(u8),
    /// An incantation began in which the player takes part.
    ElevationUnderway,
    /// The player rose to this level.
    CurrentLevel(Level),
}

/// A line that no server of this dialect sends to a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no response of the players' dialect")]
pub struct BadResponse;

impl Response {
    /// The response on this line.
    ///
    /// # Errors
    /// The line is no response.
    pub fn parse(line: &[u8]) -> Result<Response, BadResponse> {
        Response::read(trim(line)).ok_or(BadResponse)
    }

    fn read(line: &[u8]) -> Option<Response> {
        let level = |word| number(word).and_then(Level::new).map(Response::CurrentLevel);
        Some(match line {
            b"WELCOME" => Response::Welcome,
            b"ok" => Response::Ok,
            b"ko" => Response::Ko,
            b"dead" => Response::Dead,
            b"Elevation underway" => Response::ElevationUnderway,
            // An inventory has a number behind each name; a `Look` never has one.
            [b'[', inside @ .., b']'] if inside.iter().any(u8::is_ascii_digit) => {
                Response::Inventory(read_inventory(inside)?)
            }
            [b'[', inside @ .., b']'] => Response::Look(read_look(inside)?),
            _ => {
                if let Some(rest) = line.strip_prefix(b"message ") {
                    let comma = rest.iter().position(|&b| b == b',')?;
                    let direction = number(trim(&rest[..comma])).filter(|k| *k <= 8)?;
                    return Some(Response::Message { direction, text: Text::new(&rest[comma + 1..]) });
                }
                if let Some(rest) = line.strip_prefix(b"eject: ") {
                    return number(rest).filter(|k| (1..=8).contains(k)).map(Response::Eject);
                }
                if let Some(rest) = line.strip_prefix(b"Current level: ") {
                    return level(rest);
                }
                let mut numbers = words(line);
                let (first, second) = (numbers.next()?, numbers.next());
                match (second, numbers.next()) {
                    (None, _) => Response::Slots(number(first)?),
                    (Some(height), None) => Response::MapSize(MapSize::new(number(first)?, number(height)?)?),
                    _ => return None,
                }
            }
        })
    }

    /// Appends the line without its end.
    pub fn write(&self, out: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        let _ = match self {
            Response::Welcome => out.write_all(b"WELCOME"),
            Response::Slots(n) => {
                push_number(*n, out);
                Ok(())
            }
            Response::MapSize(size) => write!(out, "{size}"),
            Response::Ok => out.write_all(b"ok"),
            Response::Ko => out.write_all(b"ko"),
            Response::Dead => out.write_all(b"dead"),
            Response::Look(tiles) => {
                ListStyle::default().write_look(tiles.iter().copied(), out);
                Ok(())
            }
            Response::Inventory(inventory) => {
                ListStyle::default().write_inventory(inventory, out);
                Ok(())
            }
            Response::Message { direction, text } => {
                write!(out, "message {direction}, ").and_then(|()| out.write_all(text.as_bytes()))
            }
            Response::Eject(from) => write!(out, "eject: {from}"),
            Response::ElevationUnderway => out.write_all(b"Elevation underway"),
            Response::CurrentLevel(level) => write!(out, "Current level: {level}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_around_commands_are_tolerated_and_case_matters() {
        assert_eq!(Command::parse(b"  Forward\t "), Ok(Command::Forward));
        assert_eq!(Command::parse(b"forward"), Err(BadCommand::Unknown));
        assert_eq!(Command::parse(b" "), Err(BadCommand::Empty));
        assert_eq!(Command::parse(b"Take  food "), Ok(Command::Take(Resource::Food)));
        assert_eq!(Command::parse(b"Broadcast  a  b "), Ok(Command::Broadcast(Text::new(b"a  b"))));
    }

    #[test]
    fn bad_arguments_name_the_command_whose_time_passes() {
        assert_eq!(Command::parse(b"Forward 3"), Err(BadCommand::Arguments(CommandKind::Forward)));
        assert_eq!(Command::parse(b"Take"), Err(BadCommand::Arguments(CommandKind::Take)));
        assert_eq!(Command::parse(b"Take food food"), Err(BadCommand::Arguments(CommandKind::Take)));
        assert_eq!(Command::parse(b"Set player"), Err(BadCommand::UnknownObject(CommandKind::Set)));
        assert_eq!(Command::parse(b"Broadcast  "), Err(BadCommand::EmptyText));
        assert_eq!(BadCommand::EmptyText.kind(), Some(CommandKind::Broadcast));
        assert_eq!(BadCommand::Arguments(CommandKind::Take).to_string(), "Take takes one argument");
        assert_eq!(BadCommand::Arguments(CommandKind::Fork).to_string(), "Fork takes no argument");
    }

    #[test]
    fn lines_no_server_sends_are_no_responses() {
        for bad in ["", "OK", "message 9, x", "message x", "eject: 0", "Current level: 9", "1 2 3", "[ cat ]"]
        {
            assert_eq!(Response::parse(bad.as_bytes()), Err(BadResponse), "{bad:?}");
        }
    }
}
