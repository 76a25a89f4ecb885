//! The observers' dialect: what a program that watches sends and reads.
//!
//! Parsing takes any bytes and never panics; printing gives the exact bytes of the wire without the line's end.
//! `parse(print(x)) == x` holds for every value. Factions are named, but for the owner of a tile, which is a number, as
//! in the players' dialect. Tested in this module and in `tests/conquest.rs`.

use crate::messages::{Carried, carried, messages};
use crate::text::{number, push_number, put_number};
pub use crate::types::BadMessage;
use crate::types::{MapSize, Position, TeamName, Text};
use crate::words::Words;

use super::options::GameOptions;
use super::player::Actor;
use super::types::{Cause, FactionId, Holdings, Stance, Tile, UnitId, UnitType};
use super::words::{Conquest, Dominion, in_order, put};

/// Why a line is no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// The request is unknown; the answer is `suc`.
    #[error("no such request; the requests are msz, mct, tna and sgt")]
    Unknown,
    /// A parameter is wrong; the answer is `sbp`.
    #[error("a request takes no parameter")]
    Parameter,
}

messages! {
    /// What an observer asks for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    Request of Conquest, else BadRequest;

    /// `msz`: the size of the map.
    b"msz" => MapSize,
    /// `mct`: every tile, as `loc`.
    b"mct" => AllTiles,
    b"tna" => Factions,
    /// `sgt`: the rate in ticks per second.
    b"sgt" => Rate,
}

impl Request {
    /// The request on this line; blanks around it are tolerated.
    ///
    /// # Errors
    /// Which of the two refusals answers it.
    pub fn parse(line: &[u8]) -> Result<Request, BadRequest> {
        let mut words = Words::new(line);
        Request::read(words.next(Some).unwrap_or_default(), &mut words)
    }
}

/// A unit as `unw` describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    pub faction: TeamName,
    pub kind: UnitType,
    pub at: Position,
    pub health: u32,
    pub stance: Stance,
}
in_order! { Appearance: faction, kind, at, health, stance }

messages! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    Message of Conquest, else BadMessage;

    /// `msz X Y`: the size of the map.
    b"msz" => MapSize(size: MapSize),
    /// `sgt N`: ticks per second.
    b"sgt" => Rate(rate: u32),
    /// `gam conquest V KEY VALUE …`: the game and its options; messages about everything on the map follow it.
    b"gam" "conquest" => Game {
        /// The version of the rules.
        version: u32,
        options: GameOptions,
    },
    b"tna" => Faction(name: TeamName),
    /// `trn T P N…`: phase P of turn T begins, in which the factions N act; their orders are resolved in this sequence.
    b"trn" => PhaseBegan {
        /// The turn, from 1; 0 is a draft.
        turn: u32,
        /// The phase within the turn, from 0.
        phase: u32,
        factions: Vec<TeamName>,
    },
    /// `tnd T`: turn T has ended.
    b"tnd" => TurnEnded(turn: u32),
    /// `fac N I …`: what a faction has.
    b"fac" => Holdings { name: TeamName, faction: FactionId, holdings: Holdings },
    /// `loc X Y OWNER|- TERRAIN FLAGS BUILDING|-`: a tile.
    b"loc" => Tile { at: Position, tile: Tile },
    /// `bom X Y N|-`: a bomb of faction N lies on a tile, or none any more.
    b"bom" => Bomb {
        at: Position,
        /// The faction that laid the bomb; `None`: no bomb lies there any more.
        owner: Option<TeamName>,
    },
    /// `unw #n N TYPE X Y H STATE`: a unit has appeared.
    b"unw" => Appeared {
        unit: UnitId,
        /// What is known of the unit.
        what: Appearance,
    },
    /// `umv #n X Y`: a unit moved.
    b"umv" => Moved { unit: UnitId, at: Position },
    /// `uhp #n H STATE`: a unit's health or state changed.
    b"uhp" => Health { unit: UnitId, health: u32, stance: Stance },
    /// `uat #n #m`: n attacks m; what it does to m follows.
    b"uat" => Attacked {
        unit: UnitId,
        /// The unit that is hit.
        target: UnitId,
    },
    /// `uhe #n #m`: n heals m; what it does to m follows.
    b"uhe" => Healed {
        unit: UnitId,
        /// The unit that is healed.
        target: UnitId,
    },
    /// `ucv #n N`: a unit changed sides.
    b"ucv" => Converted { unit: UnitId, faction: TeamName },
    /// `udi #n CAUSE`: a unit is gone.
    b"udi" => Gone { unit: UnitId, cause: Cause },
    /// `cas X Y CX CY|-`: a tile is assigned to the city at CX CY, or to none.
    b"cas" => Assigned { at: Position, city: Option<Position> },
    /// `cit X Y C W M`: a city's citizens, workers and merchants.
    b"cit" => City {
        at: Position,
        /// All citizens, also those that houses add.
        citizens: u32,
        /// Citizens that work on tiles.
        workers: u32,
        merchants: u32,
    },
    /// `cmp X Y 1|0`: the camp on a tile may recruit, or has recruited in this turn.
    b"cmp" => Camp { at: Position, ready: bool },
    /// `sie X Y LEFT`: a base has LEFT of its strength left.
    b"sie" => Siege {
        at: Position,
        /// How many more times the base must be neutralized before it falls.
        left: u32,
    },
    /// `dom NEED -`, or `dom NEED N TURNS…`: how near the sides are to winning by their land.
    b"dom" => Dominion(dominion: Dominion),
    /// `ord N #n|base|city ok|ko REASON`: what became of an order.
    b"ord" => Ordered {
        faction: TeamName,
        actor: Actor<()>,
        /// `Err`: the order had no effect, with the reason.
        outcome: Result<(), Text>,
    },
    /// `lat N`: a faction was late.
    b"lat" => Late(faction: TeamName),
    /// `upk N`: a faction couldn't pay its upkeep.
    b"upk" => Unpaid(faction: TeamName),
    /// `fde N`: a faction is beaten.
    b"fde" => Beaten(faction: TeamName),
    /// `smg M`: a text from the server.
    b"smg" => Server(text: Text),
    /// `seg N`: the match is over; N is one of the winners, `-`: no faction won.
    b"seg" => Won(winner: Option<TeamName>),
    /// `suc`: the request is unknown.
    b"suc" => UnknownRequest,
    /// `sbp`: the request's parameter is bad.
    b"sbp" => BadParameter,
}

impl Message {
    /// Whether the message may be a part of a dump: the messages that bring a new observer up to date.
    pub fn is_dump(&self) -> bool {
        matches!(
            self,
            Message::MapSize(_)
                | Message::Rate(_)
                | Message::Game { .. }
                | Message::Faction(_)
                | Message::Holdings { .. }
                | Message::Beaten(_)
                | Message::Tile { .. }
                | Message::Bomb { .. }
                | Message::Appeared { .. }
                | Message::Assigned { .. }
                | Message::City { .. }
                | Message::Camp { .. }
                | Message::Siege { .. }
                | Message::Dominion(_)
        )
    }

    /// The message on this line.
    ///
    /// # Errors
    /// The line is no message.
    pub fn parse(line: &[u8]) -> Result<Message, BadMessage> {
        let mut words = Words::new(line);
        Message::read(words.next(Some).unwrap_or_default(), &mut words)
    }
}

carried! { UnitId, by Conquest: |words| words.unit(), |unit, out| {
    out.extend_from_slice(b" #");
    push_number(unit.0, out);
} }

// As players are sent it, but an empty slot is `slot - 0` instead of `slot -`.
carried! { Holdings, by Conquest: |words| {
    let holdings = Holdings::read(words)?;
    if holdings.slot.is_none() {
        words.literal("0")?;
    }
    Some(holdings)
}, |holdings, out| {
    holdings.write(out);
    if holdings.slot.is_none() {
        put_number(0, out);
    }
} }

carried! { Actor<()>, by Conquest: |words| words.next(|word| match word {
    b"base" => Some(Actor::Base),
    b"city" => Some(Actor::City(())),
    unit => number(unit.strip_prefix(b"#")?).map(|unit| Actor::Unit(UnitId(unit))),
}), |actor, out| match actor {
    Actor::Base => put("base", out),
    Actor::City(()) => put("city", out),
    Actor::Unit(unit) => Carried::<Conquest>::print(unit, out),
} }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conquest::types::Edition;

    #[test]
    fn unknown_requests_differ_from_bad_parameters() {
        for unknown in ["", "MSZ", "bct 1 1", "sst 3"] {
            assert_eq!(Request::parse(unknown.as_bytes()), Err(BadRequest::Unknown), "{unknown:?}");
        }
        assert_eq!(Request::parse(b"msz 1"), Err(BadRequest::Parameter));
        assert_eq!(Request::parse(b" mct "), Ok(Request::AllTiles));
    }

    #[test]
    fn messages_are_written_as_the_rules_say() {
        for line in [
            "gam conquest 1 factions red,blue,green cities on rules classic mode players turns 40 time 0 \
             placement draft alliances red,green",
            "trn 3 0 blue red",
            "fac red 0 gold 500 food 10 wood 20 bombs 0 land 3 pop 2 cap 5 kills 0 score -75 upkeep 50 base - - \
             slot - 0",
            "fac red 0 gold 500 food 10 wood 20 bombs 0 land 3 pop 2 cap 5 kills 0 score 0 upkeep 50 base 4 5 \
             slot worker 2",
            "loc 4 5 0 plain b--- -",
            "loc 4 6 - forest -rfm camp-fighter",
            "bom 4 6 blue",
            "bom 4 6 -",
            "unw #3 red cleric 4 6 4 de",
            "uhp #3 2 -",
            "udi #3 bomb",
            "cas 4 6 4 5",
            "cas 4 6 -",
            "cit 4 5 2 1 1",
            "cmp 4 6 0",
            "sie 4 5 2",
            "dom 50 -",
            "dom 49 blue 2 red 1",
            "ord red #3 ko a unit stands there",
            "ord red city ok",
            "seg -",
        ] {
            let mut out = Vec::new();
            Message::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}")).write(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), line);
        }
    }

    #[test]
    fn records_of_the_first_version_name_no_rule_set() {
        let line = b"gam conquest 1 factions red cities off mode players turns 40 time 0 placement random alliances -";
        let Ok(Message::Game { options, .. }) = Message::parse(line) else { panic!("no game") };
        assert_eq!(options.rules, Edition::Classic);
    }

    #[test]
    fn malformed_messages_are_told_from_unknown_ones() {
        assert_eq!(Message::parse(b"bct 1 2 3"), Err(BadMessage::Unknown));
        for bad in [
            "msz 0 1",
            "loc 1 2 0 plain ---- - -",
            "udi #1",
            "cas 1 2",
            "cmp 1 2 2",
            "ord red 3 ok",
            "gam zappy 1",
        ] {
            assert_eq!(Message::parse(bad.as_bytes()), Err(BadMessage::Parameter), "{bad:?}");
        }
    }
}
