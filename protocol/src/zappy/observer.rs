//! The observers' dialect: what a program that watches reads. What it sends stands in `request`.
//!
//! Parsing takes any bytes and never panics, and takes the older spellings too (no `#`, `eht`); printing gives
//! the exact bytes of the wire without the line's end. `parse(print(x)) == x` holds for every value. Tested
//! in this module and in `tests/roundtrip.rs`.

use std::io::{self, Write};

use crate::text::{id, push_number, put_number, trim, words};
use crate::types::{MapSize, Position, TeamName, Text};
use crate::words::{Words, read_message};
use crate::zappy::{EggId, Inventory, Level, Orientation, PlayerId, Resource};

pub use super::request::{BadRequest, Request};
pub use crate::types::BadMessage;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// `msz X Y`: the size of the map.
    MapSize(MapSize),
    /// `bct X Y q0…q6`: what lies on a tile.
    Tile {
        at: Position,
        resources: Inventory,
    },
    Team(TeamName),
    /// `pnw #n X Y O L N`: a player joined.
    PlayerJoined {
        player: PlayerId,
        at: Position,
        orientation: Orientation,
        level: Level,
        team: TeamName,
    },
    /// `ppo #n X Y O`: a player moved, turned or was moved.
    PlayerPosition {
        player: PlayerId,
        at: Position,
        orientation: Orientation,
    },
    /// `plv #n L`: a player's level.
    PlayerLevel {
        player: PlayerId,
        level: Level,
    },
    /// `pin #n X Y q0…q6`: what a player carries.
    PlayerInventory {
        player: PlayerId,
        at: Position,
        inventory: Inventory,
    },
    /// `pex #n`: a player pushed all others off its tile.
    Ejected(PlayerId),
    /// `pbc #n M`: a player broadcast a text.
    Broadcast {
        player: PlayerId,
        text: Text,
    },
    /// `pic X Y L #n #n…`: an incantation began.
    IncantationBegan {
        at: Position,
        /// The level its players have.
        level: Level,
        /// The participants, the initiator first.
        players: Vec<PlayerId>,
    },
    /// `pie X Y R`: an incantation ended.
    IncantationEnded {
        at: Position,
        /// Whether it succeeded, 1 or 0 on the wire.
        success: bool,
    },
    /// `pfk #n`: a player began to lay an egg.
    Laying(PlayerId),
    /// `pdr #n i`: a player put something down.
    Dropped {
        player: PlayerId,
        resource: Resource,
    },
    /// `pgt #n i`: a player picked something up.
    Took {
        player: PlayerId,
        resource: Resource,
    },
    /// `pdi #n`: a player died or left.
    Died(PlayerId),
    /// `enw #e #n X Y`: an egg lies there.
    EggLaid {
        egg: EggId,
        /// The player that laid it; `None` (`#-1`) for an egg that was there from the start, and in a snapshot.
        layer: Option<PlayerId>,
        at: Position,
    },
    /// `eht #e`: an egg is about to hatch. Older servers send it, ours doesn't.
    EggHatching(EggId),
    /// `ebo #e`: a player hatched from the egg.
    EggHatched(EggId),
    /// `edi #e`: an egg was destroyed.
    EggDestroyed(EggId),
    /// `sgt T`: ticks per second.
    Rate(u32),
    /// `seg N`: the match is over and this team has won.
    Won(TeamName),
    /// `smg M`: a text from the server.
    Server(Text),
    /// `suc`: the request is unknown.
    UnknownRequest,
    /// `sbp`: the request's parameter is bad.
    BadParameter,
}

/// The first words of all messages that are read.
const MESSAGES: &str =
    "msz bct tna pnw ppo plv pin pex pbc pic pie pfk pdr pgt pdi enw sse eht ebo edi sgt sst seg smg suc sbp";

impl Message {
    /// The message on this line.
    ///
    /// # Errors
    /// The line is no message.
    pub fn parse(line: &[u8]) -> Result<Message, BadMessage> {
        read_message(line, MESSAGES, Message::read)
    }

    fn read(name: &[u8], p: &mut Words<'_>) -> Option<Message> {
        Some(match name {
            b"msz" => Message::MapSize(MapSize::new(p.number()?, p.number()?)?),
            b"bct" => Message::Tile { at: p.position()?, resources: p.inventory()? },
            b"tna" => Message::Team(p.team()?),
            b"pnw" => Message::PlayerJoined {
                player: p.player()?,
                at: p.position()?,
                orientation: p.orientation()?,
                level: p.level()?,
                team: p.team()?,
            },
            b"ppo" => Message::PlayerPosition {
                player: p.player()?,
                at: p.position()?,
                orientation: p.orientation()?,
            },
            b"plv" => Message::PlayerLevel { player: p.player()?, level: p.level()? },
            b"pin" => {
                Message::PlayerInventory { player: p.player()?, at: p.position()?, inventory: p.inventory()? }
            }
            b"pex" => Message::Ejected(p.player()?),
            b"pbc" => Message::Broadcast { player: p.player()?, text: Text::new(p.rest()) },
            b"pic" => {
                Message::IncantationBegan { at: p.position()?, level: p.level()?, players: p.players()? }
            }
            b"pie" => Message::IncantationEnded { at: p.position()?, success: p.success()? },
            b"pfk" => Message::Laying(p.player()?),
            b"pdr" => Message::Dropped { player: p.player()?, resource: p.resource()? },
            b"pgt" => Message::Took { player: p.player()?, resource: p.resource()? },
            b"pdi" => Message::Died(p.player()?),
            b"enw" => Message::EggLaid { egg: p.egg()?, layer: p.layer()?, at: p.position()? },
            // Some servers announce a team's first eggs in this way.
            b"sse" => {
                let egg = p.egg()?;
                p.next(TeamName::parse)?;
                Message::EggLaid { egg, layer: None, at: p.position()? }
            }
            b"eht" => Message::EggHatching(p.egg()?),
            b"ebo" => Message::EggHatched(p.egg()?),
            b"edi" => Message::EggDestroyed(p.egg()?),
            b"sgt" | b"sst" => Message::Rate(p.number()?),
            b"seg" => Message::Won(p.team()?),
            b"smg" => Message::Server(Text::new(p.rest())),
            b"suc" => Message::UnknownRequest,
            b"sbp" => Message::BadParameter,
            _ => return None,
        })
    }

    /// Appends the line without its end.
    pub fn write(&self, out: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        let _ = self.print(out);
    }

    fn print(&self, out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Message::MapSize(size) => write!(out, "msz {size}"),
            Message::Tile { at, resources } => {
                // Without `write!`, which is slower: a snapshot has up to a quarter of a million of these lines.
                out.extend_from_slice(b"bct");
                at.put(out);
                amounts(resources, out);
                Ok(())
            }
            Message::Team(name) => write!(out, "tna {name}"),
            Message::PlayerJoined { player, at, orientation, level, team } => {
                write!(out, "pnw {player} {at} {} {level} {team}", orientation.number())
            }
            Message::PlayerPosition { player, at, orientation } => {
                about_player(b"ppo", *player, out);
                at.put(out);
                put_number(orientation.number().into(), out);
                Ok(())
            }
            Message::PlayerLevel { player, level } => write!(out, "plv {player} {level}"),
            Message::PlayerInventory { player, at, inventory } => {
                about_player(b"pin", *player, out);
                at.put(out);
                amounts(inventory, out);
                Ok(())
            }
            Message::Ejected(player) => write!(out, "pex {player}"),
            Message::Broadcast { player, text } => {
                write!(out, "pbc {player} ")?;
                out.write_all(text.as_bytes())
            }
            Message::IncantationBegan { at, level, players } => {
                write!(out, "pic {at} {level}")?;
                players.iter().try_for_each(|player| write!(out, " {player}"))
            }
            Message::IncantationEnded { at, success } => write!(out, "pie {at} {}", u8::from(*success)),
            Message::Laying(player) => write!(out, "pfk {player}"),
            Message::Dropped { player, resource } => write!(out, "pdr {player} {}", resource.index()),
            Message::Took { player, resource } => write!(out, "pgt {player} {}", resource.index()),
            Message::Died(player) => write!(out, "pdi {player}"),
            Message::EggLaid { egg, layer: Some(layer), at } => write!(out, "enw {egg} {layer} {at}"),
            Message::EggLaid { egg, layer: None, at } => write!(out, "enw {egg} #-1 {at}"),
            Message::EggHatching(egg) => write!(out, "eht {egg}"),
            Message::EggHatched(egg) => write!(out, "ebo {egg}"),
            Message::EggDestroyed(egg) => write!(out, "edi {egg}"),
            Message::Rate(rate) => write!(out, "sgt {rate}"),
            Message::Won(team) => write!(out, "seg {team}"),
            Message::Server(text) => {
                write!(out, "smg ")?;
                out.write_all(text.as_bytes())
            }
            Message::UnknownRequest => write!(out, "suc"),
            Message::BadParameter => write!(out, "sbp"),
        }
    }
}

fn amounts(inventory: &Inventory, out: &mut Vec<u8>) {
    inventory.amounts().iter().for_each(|&units| put_number(units, out));
}

fn about_player(message: &[u8], player: PlayerId, out: &mut Vec<u8>) {
    out.extend_from_slice(message);
    out.extend_from_slice(b" #");
    push_number(player.0, out);
}

impl Words<'_> {
    fn orientation(&mut self) -> Option<Orientation> {
        self.number().and_then(Orientation::from_number)
    }

    fn level(&mut self) -> Option<Level> {
        self.number().and_then(Level::new)
    }

    fn player(&mut self) -> Option<PlayerId> {
        self.next(id).map(PlayerId)
    }

    fn players(&mut self) -> Option<Vec<PlayerId>> {
        words(self.rest()).map(|word| id(word).map(PlayerId)).collect()
    }

    fn egg(&mut self) -> Option<EggId> {
        self.next(id).map(EggId)
    }

    fn layer(&mut self) -> Option<Option<PlayerId>> {
        self.next(|word| match word {
            b"#-1" | b"-1" => Some(None),
            word => id(word).map(PlayerId).map(Some),
        })
    }

    /// Some servers write words where ours writes a digit.
    fn success(&mut self) -> Option<bool> {
        self.next(|word| match word {
            b"1" | b"ok" => Some(true),
            b"0" | b"ko" => Some(false),
            _ => None,
        })
    }

    fn resource(&mut self) -> Option<Resource> {
        Resource::ALL.get(self.number::<usize>()?).copied()
    }

    fn inventory(&mut self) -> Option<Inventory> {
        let mut amounts = [0; Resource::COUNT];
        for units in &mut amounts {
            *units = self.number()?;
        }
        Some(Inventory::new(amounts))
    }

    fn team(&mut self) -> Option<TeamName> {
        TeamName::parse(trim(self.rest()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Message, BadMessage> {
        Message::parse(line.as_bytes())
    }

    #[test]
    fn ids_are_taken_with_and_without_their_mark() {
        assert_eq!(parsed("pnw 3 1 2 4 1 red"), parsed("pnw #3 1 2 4 1 red"));
        assert_eq!(parsed("enw 3 -1 1 2"), parsed("enw #3 #-1 1 2"));
    }

    #[test]
    fn other_servers_spellings_are_understood() {
        assert_eq!(parsed("eht #4"), Ok(Message::EggHatching(EggId(4))));
        assert_eq!(parsed("pie 1 2 ok"), parsed("pie 1 2 1"));
        assert_eq!(parsed("sse #4 red 1 2"), parsed("enw #4 #-1 1 2"));
        assert_eq!(parsed("sse #4 1 2"), Err(BadMessage::Parameter));
        assert_eq!(parsed("pbc #1"), Ok(Message::Broadcast { player: PlayerId(1), text: Text::default() }));
        assert_eq!(
            parsed("pnw #3 1 2 4 1 the reds"),
            parsed("pnw #3 1 2 4 1 the reds "),
            "a name may hold blanks"
        );
    }

    #[test]
    fn malformed_messages_are_told_from_unknown_ones() {
        assert_eq!(parsed("hello world"), Err(BadMessage::Unknown));
        for bad in ["msz", "msz 0 1", "bct 1 2 3", "plv #1 9", "pie 1 2 3", "pdi", "pdi #1 #2", "pgt #1 7"] {
            assert_eq!(parsed(bad), Err(BadMessage::Parameter), "{bad:?}");
        }
    }
}
