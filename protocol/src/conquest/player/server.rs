//! What a program that plays reads: the handshake, snapshots, answers, and the end.
//!
//! Tested in this module and in `tests/conquest.rs`.

use std::io::{self, Write};

use super::order::Actor;
use crate::conquest::options::GameOptions;
use crate::conquest::types::{FactionId, Holdings, Tile, Unit, UnitId, UnitType};
use crate::conquest::words::{Conquest, Dominion, put_text};
use crate::messages::Carried;
use crate::text::{number, put_number};
use crate::types::{MapSize, Position, TeamName, Text};
use crate::words::{Words, or_none, signed};

/// A faction's rank at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// From 1; several factions may share one.
    pub rank: u32,
    pub name: TeamName,
    pub score: i64,
}

/// What a program that plays reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerLine {
    /// The server is there and waits for a faction's name.
    Welcome,
    /// Free slots, after the name.
    Slots(u32),
    /// The size of the map, after the slots.
    MapSize(MapSize),
    /// The game and its options, the last line of the handshake.
    Game {
        /// The version of the rules.
        version: u32,
        /// The faction that reads this.
        you: FactionId,
        options: GameOptions,
    },
    /// `turn N`: a snapshot of turn N begins.
    Turn(u32),
    /// `dominion NEED -`, or `dominion NEED N TURNS…`.
    Dominion(Dominion),
    /// `order N…`: the factions in the order of this turn's phases, unless all act together.
    Order(Vec<TeamName>),
    /// What the faction that reads this has.
    Own { faction: FactionId, name: TeamName, alive: bool, holdings: Holdings },
    /// What is public of another faction.
    Other {
        faction: FactionId,
        name: TeamName,
        alive: bool,
        land: u32,
        /// Its units, the one in the slot included.
        population: u32,
        score: i64,
    },
    /// What became of an order of the phase before.
    Did {
        actor: Actor<Position>,
        /// `Err`: the order had no effect, with the reason.
        outcome: Result<(), Text>,
    },
    Unit {
        id: UnitId,
        /// What is known of the unit.
        unit: Unit,
    },
    Tile {
        at: Position,
        /// What is on the tile; a bomb is shown only next to an own sapper.
        tile: Tile,
    },
    /// `siege X Y LEFT`: a base has lost strength.
    Siege {
        at: Position,
        /// How many more times the base must be neutralized before it falls.
        left: u32,
    },
    City {
        at: Position,
        /// All citizens, also those that houses add.
        citizens: u32,
        /// Citizens that work on tiles.
        workers: u32,
        merchants: u32,
        tiles: Vec<Position>,
    },
    Camp {
        at: Position,
        kind: UnitType,
        /// The city to which the camp's tile is assigned, if any.
        city: Option<Position>,
        /// Whether the camp may still recruit in this turn.
        ready: bool,
    },
    /// A free start, in a draft.
    Start {
        /// The number by which `Place` names the start.
        number: u32,
        /// The tile of the base.
        at: Position,
    },
    /// `go N`: the snapshot is complete, orders of turn N are taken.
    Go(u32),
    /// The order was taken, and is allowed as things stand.
    Ok,
    /// The order was taken; it isn't allowed as things stand, but is tried at the resolution.
    Maybe(Text),
    /// The line was refused, with the reason, which is empty only at the login.
    Ko(Text),
    /// The faction is beaten; the connection stays open until the end.
    Dead,
    /// The match is over: all factions by their ranks.
    Over(Vec<Ranked>),
}

/// A line that no server of this dialect sends to a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no line of the players' dialect")]
pub struct BadServerLine;

impl ServerLine {
    /// What this line says.
    ///
    /// # Errors
    /// The line doesn't belong to the dialect.
    pub fn parse(line: &[u8]) -> Result<ServerLine, BadServerLine> {
        let mut words = Words::new(line);
        ServerLine::read(&mut words).filter(|_| words.is_empty()).ok_or(BadServerLine)
    }

    fn read(words: &mut Words<'_>) -> Option<ServerLine> {
        Some(match words.next(Some)? {
            b"WELCOME" => ServerLine::Welcome,
            b"ok" => ServerLine::Ok,
            b"maybe" => ServerLine::Maybe(Text::new(words.rest())),
            b"ko" => ServerLine::Ko(Text::new(words.rest())),
            b"dead" => ServerLine::Dead,
            b"game" => {
                words.literal("conquest")?;
                ServerLine::Game {
                    version: words.keyed("version", number)?,
                    you: words.keyed("you", number).map(FactionId)?,
                    options: Carried::read(words)?,
                }
            }
            b"turn" => ServerLine::Turn(words.number()?),
            b"go" => ServerLine::Go(words.number()?),
            b"order" => ServerLine::Order(words.names().filter(|names| !names.is_empty())?),
            b"dominion" => ServerLine::Dominion(Carried::read(words)?),
            b"siege" => ServerLine::Siege { at: words.position()?, left: words.number()? },
            b"faction" => {
                let (faction, name) = (words.faction()?, words.name()?);
                let alive = words.next(|word| match word {
                    b"alive" => Some(true),
                    b"dead" => Some(false),
                    _ => None,
                })?;
                if words.starts_with("gold") {
                    ServerLine::Own { faction, name, alive, holdings: Holdings::read(words)? }
                } else {
                    let land = words.keyed("land", number)?;
                    let population = words.keyed("pop", number)?;
                    ServerLine::Other {
                        faction,
                        name,
                        alive,
                        land,
                        population,
                        score: words.keyed("score", signed)?,
                    }
                }
            }
            b"did" => {
                let actor = match words.next(Some)? {
                    b"base" => Actor::Base,
                    b"city" => Actor::City(words.position()?),
                    unit => Actor::Unit(UnitId(number(unit)?)),
                };
                ServerLine::Did { actor, outcome: Carried::<Conquest>::read(words)? }
            }
            b"unit" => ServerLine::Unit { id: words.unit()?, unit: Carried::read(words)? },
            b"tile" => ServerLine::Tile { at: words.position()?, tile: Carried::read(words)? },
            b"city" => {
                let at = words.position()?;
                let citizens = words.keyed("citizens", number)?;
                let workers = words.keyed("workers", number)?;
                let merchants = words.keyed("merchants", number)?;
                words.literal("tiles")?;
                let mut tiles = words.next(or_none(tile_word))?.map_or_else(Vec::new, |first| vec![first]);
                while !tiles.is_empty() && !words.is_empty() {
                    tiles.push(words.next(tile_word)?);
                }
                ServerLine::City { at, citizens, workers, merchants, tiles }
            }
            b"camp" => ServerLine::Camp {
                at: words.position()?,
                kind: words.next(UnitType::parse)?,
                city: words.next(or_none(tile_word))?,
                ready: words.switch()?,
            },
            b"start" => ServerLine::Start { number: words.number()?, at: words.position()? },
            b"over" => {
                let mut ranked = Vec::new();
                while !words.is_empty() {
                    let (rank, name, score) = (words.number()?, words.name()?, words.next(signed)?);
                    ranked.push(Ranked { rank, name, score });
                }
                ServerLine::Over(ranked)
            }
            first => match words.is_empty() {
                true => ServerLine::Slots(number(first)?),
                false => ServerLine::MapSize(MapSize::new(number(first)?, words.number()?)?),
            },
        })
    }

    /// Appends the line without its end.
    pub fn write(&self, out: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        let _ = self.print(out);
    }

    fn print(&self, out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            ServerLine::Welcome => write!(out, "WELCOME"),
            ServerLine::Slots(free) => write!(out, "{free}"),
            ServerLine::MapSize(size) => write!(out, "{size}"),
            ServerLine::Game { version, you, options } => {
                write!(out, "game conquest version {version} you {you}")?;
                options.print(out);
                Ok(())
            }
            ServerLine::Turn(turn) => write!(out, "turn {turn}"),
            ServerLine::Order(names) => {
                write!(out, "order")?;
                names.iter().try_for_each(|name| write!(out, " {name}"))
            }
            ServerLine::Dominion(dominion) => {
                out.extend_from_slice(b"dominion");
                dominion.print(out);
                Ok(())
            }
            ServerLine::Siege { at, left } => write!(out, "siege {at} {left}"),
            ServerLine::Own { faction, name, alive, holdings } => {
                write!(out, "faction {faction} {name} {}", alive_word(*alive))?;
                holdings.write(out);
                Ok(())
            }
            ServerLine::Other { faction, name, alive, land, population, score } => {
                write!(
                    out,
                    "faction {faction} {name} {} land {land} pop {population} score {score}",
                    alive_word(*alive)
                )
            }
            ServerLine::Did { actor, outcome } => {
                match actor {
                    Actor::Base => write!(out, "did base")?,
                    Actor::City(at) => write!(out, "did city {at}")?,
                    Actor::Unit(unit) => write!(out, "did {unit}")?,
                }
                Carried::<Conquest>::print(outcome, out);
                Ok(())
            }
            ServerLine::Unit { id, unit } => {
                out.extend_from_slice(b"unit");
                put_number(id.0, out);
                unit.print(out);
                Ok(())
            }
            ServerLine::Tile { at, tile } => {
                // Without `write!`, which is slower: a snapshot consists mostly of tiles.
                out.extend_from_slice(b"tile");
                at.put(out);
                tile.print(out);
                Ok(())
            }
            ServerLine::City { at, citizens, workers, merchants, tiles } => {
                write!(out, "city {at} citizens {citizens} workers {workers} merchants {merchants} tiles")?;
                tiles.iter().try_for_each(|tile| write!(out, " {},{}", tile.x, tile.y))?;
                if tiles.is_empty() { write!(out, " -") } else { Ok(()) }
            }
            ServerLine::Camp { at, kind, city, ready } => {
                write!(out, "camp {at} {kind} ")?;
                match city {
                    Some(city) => write!(out, "{},{}", city.x, city.y)?,
                    None => write!(out, "-")?,
                }
                write!(out, " {}", u8::from(*ready))
            }
            ServerLine::Start { number, at } => write!(out, "start {number} {at}"),
            ServerLine::Go(turn) => write!(out, "go {turn}"),
            ServerLine::Ok => write!(out, "ok"),
            ServerLine::Maybe(why) => write!(out, "maybe").map(|()| put_text(why, out)),
            ServerLine::Ko(why) => write!(out, "ko").map(|()| put_text(why, out)),
            ServerLine::Dead => write!(out, "dead"),
            ServerLine::Over(ranked) => {
                write!(out, "over")?;
                ranked.iter().try_for_each(|one| write!(out, " {} {} {}", one.rank, one.name, one.score))
            }
        }
    }
}

const fn alive_word(alive: bool) -> &'static str {
    if alive { "alive" } else { "dead" }
}

/// A tile as one word: `11,4`.
fn tile_word(word: &[u8]) -> Option<Position> {
    let comma = word.iter().position(|&byte| byte == b',')?;
    Some(Position { x: number(&word[..comma])?, y: number(&word[comma + 1..])? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_examples_are_read_and_written() {
        for line in [
            "game conquest version 1 you 0 factions red,blue cities off rules arena mode concurrent turns 400 \
             time 1000 placement random alliances -",
            "turn 12",
            "order blue red",
            "dominion 50 -",
            "dominion 49 blue 2 red 1",
            "siege 10 4 2",
            "faction 0 red alive gold 830 food 0 wood 0 bombs 0 land 14 pop 3 cap 6 kills 0 score 245 upkeep 95 \
             base 10 4 slot -",
            "faction 1 blue alive land 20 pop 5 score 310",
            "did 7 ok",
            "did base ko not enough gold: 200 of 350",
            "did city 10 4 ok",
            "unit 7 0 pioneer 10 5 3 -",
            "tile 10 5 0 plain br-- -",
            "city 10 4 citizens 2 workers 1 merchants 1 tiles 11,4",
            "camp 3 5 fighter 3,3 0",
            "camp 3 6 worker - 1",
            "go 12",
            "maybe a unit stands there",
            "ko not your unit",
            "start 3 4 5",
            "over 1 red 245 2 blue -10",
        ] {
            let mut out = Vec::new();
            ServerLine::parse(line.as_bytes())
                .unwrap_or_else(|error| panic!("{error}: {line}"))
                .write(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), line);
        }
    }
}
