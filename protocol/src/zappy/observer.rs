//! The observers' dialect: what a program that watches reads. What such a program sends stands in `request`.
//!
//! Parsing takes any bytes and never panics, and takes the older spellings too (no `#`, `eht`); printing gives
//! the exact bytes of the wire without the line's end. `parse(print(x)) == x` holds for every value. Tested
//! in this module and in `tests/roundtrip.rs`.

use crate::messages::{Carried, carried, messages};
use crate::text::{id, push_number, put_number, trim};
use crate::types::{MapSize, Position, TeamName, Text};
use crate::words::Words;
use crate::zappy::{EggId, Inventory, Level, Orientation, PlayerId, Resource};

pub use super::request::{BadRequest, Request};
pub use crate::types::BadMessage;

/// The dialect of messages to observers, for [`Carried`].
#[derive(Debug)]
enum Observers {}

messages! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    Message of Observers, else BadMessage;

    /// `msz X Y`: the size of the map.
    b"msz" => MapSize(size: MapSize),
    /// `bct X Y q0…q6`: what lies on a tile.
    b"bct" => Tile { at: Position, resources: Inventory },
    b"tna" => Team(name: TeamName),
    /// `pnw #n X Y O L N`: a player joined.
    b"pnw" => PlayerJoined {
        player: PlayerId, at: Position, orientation: Orientation, level: Level, team: TeamName,
    },
    /// `ppo #n X Y O`: a player moved, turned or was moved.
    b"ppo" => PlayerPosition { player: PlayerId, at: Position, orientation: Orientation },
    /// `plv #n L`: a player's level.
    b"plv" => PlayerLevel { player: PlayerId, level: Level },
    /// `pin #n X Y q0…q6`: what a player carries.
    b"pin" => PlayerInventory { player: PlayerId, at: Position, inventory: Inventory },
    /// `pex #n`: a player pushed all others off its tile.
    b"pex" => Ejected(player: PlayerId),
    /// `pbc #n M`: a player broadcast a text.
    b"pbc" => Broadcast { player: PlayerId, text: Text },
    /// `pic X Y L #n #n…`: an incantation began.
    b"pic" => IncantationBegan {
        at: Position,
        /// The level its players have.
        level: Level,
        /// The participants, the initiator first.
        players: Vec<PlayerId>,
    },
    /// `pie X Y R`: an incantation ended.
    b"pie" => IncantationEnded {
        at: Position,
        /// Whether it succeeded, 1 or 0 on the wire.
        success: bool,
    },
    /// `pfk #n`: a player began to lay an egg.
    b"pfk" => Laying(player: PlayerId),
    /// `pdr #n i`: a player put something down.
    b"pdr" => Dropped { player: PlayerId, resource: Resource },
    /// `pgt #n i`: a player picked something up.
    b"pgt" => Took { player: PlayerId, resource: Resource },
    /// `pdi #n`: a player died or left.
    b"pdi" => Died(player: PlayerId),
    /// `enw #e #n X Y`: an egg lies on a tile.
    b"enw" => EggLaid {
        egg: EggId,
        /// The player that laid it; `None` (`#-1`) for an egg that was there from the start, and in a snapshot.
        layer: Option<PlayerId>,
        at: Position,
    },
    /// `eht #e`: an egg is about to hatch. Older servers send it, ours doesn't.
    b"eht" => EggHatching(egg: EggId),
    /// `ebo #e`: a player hatched from the egg.
    b"ebo" => EggHatched(egg: EggId),
    /// `edi #e`: an egg was destroyed.
    b"edi" => EggDestroyed(egg: EggId),
    /// `sgt T`: ticks per second.
    b"sgt" => Rate(rate: u32),
    /// `seg N`: the match is over and this team has won.
    b"seg" => Won(team: TeamName),
    /// `smg M`: a text from the server.
    b"smg" => Server(text: Text),
    /// `suc`: the request is unknown.
    b"suc" => UnknownRequest,
    /// `sbp`: the request's parameter is bad.
    b"sbp" => BadParameter,
}

impl Message {
    /// The message on this line.
    ///
    /// # Errors
    /// The line is no message.
    pub fn parse(line: &[u8]) -> Result<Message, BadMessage> {
        let mut words = Words::new(line);
        match words.next(Some).unwrap_or_default() {
            // Some servers announce a team's first eggs as `sse #e N X Y`.
            b"sse" => {
                let egg = EggId::read(&mut words).ok_or(BadMessage::Parameter)?;
                words.next(TeamName::parse).ok_or(BadMessage::Parameter)?;
                let at = words.position().filter(|_| words.is_empty()).ok_or(BadMessage::Parameter)?;
                Ok(Message::EggLaid { egg, layer: None, at })
            }
            b"sst" => Message::read(b"sgt", &mut words),
            word => Message::read(word, &mut words),
        }
    }
}

carried! { PlayerId, by Observers: |words| words.next(id).map(PlayerId), |player, out| put_id(player.0, out) }
carried! { EggId, by Observers: |words| words.next(id).map(EggId), |egg, out| put_id(egg.0, out) }
carried! { Level, by Observers: |words| Level::new(words.number()?), |level, out| put_number(level.get().into(), out) }

// The layer of an egg.
carried! { Option<PlayerId>, by Observers: |words| words.next(|word| match word {
    b"#-1" | b"-1" => Some(None),
    word => id(word).map(PlayerId).map(Some),
}), |layer, out| match layer {
    Some(player) => player.print(out),
    None => out.extend_from_slice(b" #-1"),
} }

carried! {
    Orientation, by Observers: |words| Orientation::from_number(words.number()?),
    |orientation, out| put_number(orientation.number().into(), out)
}

// Whether an incantation succeeded. Some servers write words where ours writes a digit.
carried! { bool, by Observers: |words| words.next(|word| match word {
    b"1" | b"ok" => Some(true),
    b"0" | b"ko" => Some(false),
    _ => None,
}), |success, out| put_number((*success).into(), out) }

carried! {
    Resource, by Observers: |words| Resource::ALL.get(words.number::<usize>()?).copied(),
    |resource, out| put_number(resource.index() as u32, out)
}

carried! { Inventory, by Observers: |words| {
    let mut amounts = [0; Resource::COUNT];
    for units in &mut amounts {
        *units = words.number()?;
    }
    Some(Inventory::new(amounts))
}, |inventory, out| inventory.amounts().iter().for_each(|&units| put_number(units, out)) }

// All that is left of the line: a name may hold blanks.
carried! { TeamName, by Observers: |words| TeamName::parse(trim(words.rest())), |name, out| {
    out.push(b' ');
    out.extend_from_slice(name.as_str().as_bytes());
} }

/// Appends a blank, `#` and the number.
fn put_id(number: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(b" #");
    push_number(number, out);
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
