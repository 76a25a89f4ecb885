//! The observers' dialect: what a program that watches sends and reads.
//!
//! Parsing takes any bytes and never panics; printing gives the exact bytes of the wire without the line's end.
//! `parse(print(x)) == x` holds for every value. Factions are named, but for the owner of a tile, which is a number, as
//! in the players' dialect. Tested in this module and in `tests/conquest.rs`.

use std::io::{self, Write};

use crate::text::{number, put_number};
pub use crate::types::BadMessage;
use crate::types::{MapSize, Position, TeamName, Text};
use crate::words::{Words, or_none, read_message};

use super::options::GameOptions;
use super::player::Actor;
use super::types::{Cause, FactionId, Holdings, Stance, Tile, UnitId, UnitType};
use super::words::{Dominion, put, read_outcome, write_outcome};

/// What an observer asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// `msz`: the size of the map.
    MapSize,
    /// `mct`: every tile, as `loc`.
    AllTiles,
    Factions,
    /// `sgt`: the rate in ticks per second.
    Rate,
}

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

impl Request {
    /// The request on this line; blanks around it are tolerated.
    ///
    /// # Errors
    /// Which of the two refusals answers it.
    pub fn parse(line: &[u8]) -> Result<Request, BadRequest> {
        let mut words = Words::new(line);
        let request = match words.next(Some).unwrap_or_default() {
            b"msz" => Request::MapSize,
            b"mct" => Request::AllTiles,
            b"tna" => Request::Factions,
            b"sgt" => Request::Rate,
            _ => return Err(BadRequest::Unknown),
        };
        if words.is_empty() { Ok(request) } else { Err(BadRequest::Parameter) }
    }

    /// Appends the line without its end.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(match self {
            Request::MapSize => b"msz",
            Request::AllTiles => b"mct",
            Request::Factions => b"tna",
            Request::Rate => b"sgt",
        });
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// `msz X Y`: the size of the map.
    MapSize(MapSize),
    /// `sgt N`: ticks per second.
    Rate(u32),
    /// `gam conquest V KEY VALUE …`: the game and its options; messages about everything on the map follow it.
    Game {
        /// The version of the rules.
        version: u32,
        options: GameOptions,
    },
    Faction(TeamName),
    /// `trn T P N…`: phase P of turn T begins, in which these factions act, in the order of the resolution.
    PhaseBegan {
        /// The turn, from 1; 0 is a draft.
        turn: u32,
        /// The phase within the turn, from 0.
        phase: u32,
        factions: Vec<TeamName>,
    },
    /// `tnd T`: turn T has ended.
    TurnEnded(u32),
    /// `fac N I …`: what a faction has.
    Holdings {
        name: TeamName,
        faction: FactionId,
        holdings: Holdings,
    },
    /// `loc X Y OWNER|- TERRAIN FLAGS BUILDING|-`: a tile.
    Tile {
        at: Position,
        tile: Tile,
    },
    /// `bom X Y N|-`: a bomb lies there, or none any more.
    Bomb {
        at: Position,
        /// The faction that laid it.
        owner: Option<TeamName>,
    },
    /// `unw #n N TYPE X Y H STATE`: a unit is there.
    Appeared {
        unit: UnitId,
        /// What is known of it.
        what: Appearance,
    },
    /// `umv #n X Y`: a unit moved.
    Moved {
        unit: UnitId,
        at: Position,
    },
    /// `uhp #n H STATE`: a unit's health or state changed.
    Health {
        unit: UnitId,
        health: u32,
        stance: Stance,
    },
    /// `uat #n #m`: n attacks m; what it does to m follows.
    Attacked {
        unit: UnitId,
        /// The unit that is hit.
        target: UnitId,
    },
    /// `uhe #n #m`: n heals m; what it does to m follows.
    Healed {
        unit: UnitId,
        /// The unit that is healed.
        target: UnitId,
    },
    /// `ucv #n N`: a unit changed sides.
    Converted {
        unit: UnitId,
        faction: TeamName,
    },
    /// `udi #n CAUSE`: a unit is gone.
    Gone {
        unit: UnitId,
        cause: Cause,
    },
    /// `cas X Y CX CY|-`: a tile is assigned to the city at CX CY, or to none.
    Assigned {
        at: Position,
        city: Option<Position>,
    },
    /// `cit X Y C W M`: a city's citizens, workers and merchants.
    City {
        at: Position,
        /// All citizens, also those that houses add.
        citizens: u32,
        /// Citizens that work on tiles.
        workers: u32,
        merchants: u32,
    },
    /// `cmp X Y 1|0`: the camp on a tile may recruit, or has recruited in this turn.
    Camp {
        at: Position,
        ready: bool,
    },
    /// `sie X Y LEFT`: a base has LEFT of its strength left.
    Siege {
        at: Position,
        /// How often it has to be neutralized yet.
        left: u32,
    },
    /// `dom NEED -`, or `dom NEED N TURNS…`: how near the sides are to winning by their land.
    Dominion(Dominion),
    /// `ord N #n|base|city ok|ko REASON`: what became of an order.
    Ordered {
        faction: TeamName,
        actor: Actor<()>,
        /// Why it was lost, if it was.
        outcome: Result<(), Text>,
    },
    /// `lat N`: a faction was late.
    Late(TeamName),
    /// `upk N`: a faction couldn't pay its upkeep.
    Unpaid(TeamName),
    /// `fde N`: a faction is beaten.
    Beaten(TeamName),
    /// `smg M`: a text from the server.
    Server(Text),
    /// `seg N`: the match is over; N is one of the winners, `-`: no faction won.
    Won(Option<TeamName>),
    /// `suc`: the request is unknown.
    UnknownRequest,
    /// `sbp`: the request's parameter is bad.
    BadParameter,
}

/// The first words of all messages.
const MESSAGES: &str = "msz sgt gam tna trn tnd fac loc bom unw umv uhp uat uhe ucv udi cas cit cmp sie dom ord lat upk \
     fde smg seg suc sbp";

impl Message {
    /// Whether it may be a part of a dump: the messages that bring an observer up to date that has just come.
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
        read_message(line, MESSAGES, Message::read)
    }

    fn read(name: &[u8], words: &mut Words<'_>) -> Option<Message> {
        Some(match name {
            b"msz" => Message::MapSize(MapSize::new(words.number()?, words.number()?)?),
            b"sgt" => Message::Rate(words.number()?),
            b"gam" => {
                words.literal("conquest")?;
                Message::Game { version: words.number()?, options: GameOptions::read(words)? }
            }
            b"tna" => Message::Faction(words.name()?),
            b"trn" => {
                let (turn, phase) = (words.number()?, words.number()?);
                Message::PhaseBegan { turn, phase, factions: words.names()? }
            }
            b"tnd" => Message::TurnEnded(words.number()?),
            b"fac" => {
                let (name, faction, holdings) = (words.name()?, words.faction()?, Holdings::read(words)?);
                if holdings.slot.is_none() {
                    words.literal("0")?;
                }
                Message::Holdings { name, faction, holdings }
            }
            b"loc" => Message::Tile { at: words.position()?, tile: Tile::read(words)? },
            b"bom" => Message::Bomb { at: words.position()?, owner: words.next(or_none(TeamName::parse))? },
            b"unw" => Message::Appeared {
                unit: words.unit()?,
                what: Appearance {
                    faction: words.name()?,
                    kind: words.next(UnitType::parse)?,
                    at: words.position()?,
                    health: words.number()?,
                    stance: words.next(Stance::parse)?,
                },
            },
            b"umv" => Message::Moved { unit: words.unit()?, at: words.position()? },
            b"uhp" => Message::Health {
                unit: words.unit()?,
                health: words.number()?,
                stance: words.next(Stance::parse)?,
            },
            b"uat" => Message::Attacked { unit: words.unit()?, target: words.unit()? },
            b"uhe" => Message::Healed { unit: words.unit()?, target: words.unit()? },
            b"ucv" => Message::Converted { unit: words.unit()?, faction: words.name()? },
            b"udi" => Message::Gone { unit: words.unit()?, cause: words.next(Cause::parse)? },
            b"cas" => Message::Assigned { at: words.position()?, city: words.position_or_none()? },
            b"cit" => Message::City {
                at: words.position()?,
                citizens: words.number()?,
                workers: words.number()?,
                merchants: words.number()?,
            },
            b"cmp" => Message::Camp { at: words.position()?, ready: words.switch()? },
            b"sie" => Message::Siege { at: words.position()?, left: words.number()? },
            b"dom" => Message::Dominion(Dominion::read(words)?),
            b"ord" => Message::Ordered {
                faction: words.name()?,
                actor: words.next(|word| match word {
                    b"base" => Some(Actor::Base),
                    b"city" => Some(Actor::City(())),
                    unit => number(unit.strip_prefix(b"#")?).map(|unit| Actor::Unit(UnitId(unit))),
                })?,
                outcome: read_outcome(words)?,
            },
            b"lat" => Message::Late(words.name()?),
            b"upk" => Message::Unpaid(words.name()?),
            b"fde" => Message::Beaten(words.name()?),
            b"smg" => Message::Server(Text::new(words.rest())),
            b"seg" => Message::Won(words.next(or_none(TeamName::parse))?),
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
            Message::Rate(rate) => write!(out, "sgt {rate}"),
            Message::Game { version, options } => {
                write!(out, "gam conquest {version}")?;
                options.write(out);
                Ok(())
            }
            Message::Faction(name) => write!(out, "tna {name}"),
            Message::PhaseBegan { turn, phase, factions } => {
                write!(out, "trn {turn} {phase}")?;
                factions.iter().try_for_each(|name| write!(out, " {name}"))
            }
            Message::TurnEnded(turn) => write!(out, "tnd {turn}"),
            Message::Holdings { name, faction, holdings } => {
                write!(out, "fac {name} {faction}")?;
                holdings.write(out);
                if holdings.slot.is_none() { write!(out, " 0") } else { Ok(()) }
            }
            Message::Tile { at, tile } => {
                // A snapshot consists mostly of these: up to a quarter of a million lines.
                out.extend_from_slice(b"loc");
                at.put(out);
                tile.write(out);
                Ok(())
            }
            Message::Bomb { at, owner } => write!(out, "bom {at} {}", or_dash(owner.as_ref())),
            Message::Appeared { unit, what } => {
                let Appearance { faction, kind, at, health, stance } = what;
                write!(out, "unw #{unit} {faction} {kind} {at} {health} {}", stance.name())
            }
            Message::Moved { unit, at } => {
                out.extend_from_slice(b"umv #");
                write!(out, "{unit}")?;
                at.put(out);
                Ok(())
            }
            Message::Health { unit, health, stance } => {
                write!(out, "uhp #{unit}")?;
                put_number(*health, out);
                put(stance.name(), out);
                Ok(())
            }
            Message::Attacked { unit, target } => write!(out, "uat #{unit} #{target}"),
            Message::Healed { unit, target } => write!(out, "uhe #{unit} #{target}"),
            Message::Converted { unit, faction } => write!(out, "ucv #{unit} {faction}"),
            Message::Gone { unit, cause } => write!(out, "udi #{unit} {cause}"),
            Message::Assigned { at, city: Some(city) } => write!(out, "cas {at} {city}"),
            Message::Assigned { at, city: None } => write!(out, "cas {at} -"),
            Message::City { at, citizens, workers, merchants } => {
                write!(out, "cit {at} {citizens} {workers} {merchants}")
            }
            Message::Camp { at, ready } => write!(out, "cmp {at} {}", u8::from(*ready)),
            Message::Siege { at, left } => write!(out, "sie {at} {left}"),
            Message::Dominion(dominion) => {
                write!(out, "dom")?;
                dominion.write(out)
            }
            Message::Ordered { faction, actor, outcome } => {
                match actor {
                    Actor::Base => write!(out, "ord {faction} base")?,
                    Actor::City(()) => write!(out, "ord {faction} city")?,
                    Actor::Unit(unit) => write!(out, "ord {faction} #{unit}")?,
                }
                write_outcome(outcome, out)
            }
            Message::Late(name) => write!(out, "lat {name}"),
            Message::Unpaid(name) => write!(out, "upk {name}"),
            Message::Beaten(name) => write!(out, "fde {name}"),
            Message::Server(text) => {
                write!(out, "smg ")?;
                out.write_all(text.as_bytes())
            }
            Message::Won(name) => write!(out, "seg {}", or_dash(name.as_ref())),
            Message::UnknownRequest => write!(out, "suc"),
            Message::BadParameter => write!(out, "sbp"),
        }
    }
}

fn or_dash(name: Option<&TeamName>) -> &str {
    name.map_or("-", TeamName::as_str)
}

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
