//! The players' dialect: what a program that plays sends and reads.
//!
//! Parsing takes any bytes and never panics; printing gives the exact bytes of the wire without the line's end.
//! `parse(print(x)) == x` holds for every value. Doesn't decide what an order does. Tested in this module and in
//! `tests/conquest.rs`.

use std::fmt;
use std::io::{self, Write};

use crate::text::number;
use crate::types::{MapSize, Position, TeamName, Text};

use super::options::GameOptions;
use super::types::{Building, FactionId, Holdings, Tile, Unit, UnitId, UnitType, named};
use super::words::{Words, or_none, put, put_number, put_position, signed};

named! { UnitOrderKind, "What a unit can be ordered to do, without its argument.",
    /// Go to a neighbouring tile.
    Travel = "travel",
    /// Take a neutral tile.
    Conquer = "conquer",
    /// Make an enemy's tile neutral.
    Neutralize = "neutralize",
    /// Earn gold.
    Gold = "gold",
    /// Hit an enemy's unit.
    Attack = "attack",
    /// Halve the next hit.
    Defend = "defend",
    /// Build a fort.
    Fortify = "fortify",
    /// Heal a unit.
    Heal = "heal",
    /// Become enlightened.
    Pray = "pray",
    /// Bring an enemy's unit to this side.
    Convert = "convert",
    /// Lay a bomb.
    Deploy = "deploy",
    /// Take a bomb away.
    Clear = "clear",
    /// Build for a city.
    Build = "build",
    /// Leave the game.
    Retire = "retire",
    /// Nothing.
    Idle = "idle",
}

impl UnitOrderKind {
    /// How the line is written.
    #[must_use]
    pub const fn usage(self) -> &'static str {
        match self {
            UnitOrderKind::Travel => "Unit N travel X Y",
            UnitOrderKind::Conquer => "Unit N conquer",
            UnitOrderKind::Neutralize => "Unit N neutralize",
            UnitOrderKind::Gold => "Unit N gold",
            UnitOrderKind::Attack => "Unit N attack U, U the number of a unit",
            UnitOrderKind::Defend => "Unit N defend",
            UnitOrderKind::Fortify => "Unit N fortify",
            UnitOrderKind::Heal => "Unit N heal U, U the number of a unit",
            UnitOrderKind::Pray => "Unit N pray",
            UnitOrderKind::Convert => "Unit N convert U, U the number of a unit",
            UnitOrderKind::Deploy => "Unit N deploy",
            UnitOrderKind::Clear => "Unit N clear",
            UnitOrderKind::Build => {
                "Unit N build KIND, one of house, mill, sawmill, market, bakery, factory, bank, camp-TYPE"
            }
            UnitOrderKind::Retire => "Unit N retire",
            UnitOrderKind::Idle => "Unit N idle",
        }
    }

    /// Whether a unit of that type can be ordered to do it.
    #[must_use]
    pub const fn fits(self, kind: UnitType) -> bool {
        use UnitType::{Cleric, Fighter, Pioneer, Sapper, Worker};
        match self {
            UnitOrderKind::Travel | UnitOrderKind::Retire | UnitOrderKind::Idle => true,
            UnitOrderKind::Conquer => matches!(kind, Pioneer | Worker | Fighter),
            UnitOrderKind::Neutralize => matches!(kind, Pioneer | Fighter),
            UnitOrderKind::Gold => matches!(kind, Pioneer | Worker),
            UnitOrderKind::Attack => matches!(kind, Pioneer | Fighter | Cleric | Sapper),
            UnitOrderKind::Defend => matches!(kind, Fighter | Sapper),
            UnitOrderKind::Fortify | UnitOrderKind::Build => matches!(kind, Worker),
            UnitOrderKind::Heal | UnitOrderKind::Pray | UnitOrderKind::Convert => matches!(kind, Cleric),
            UnitOrderKind::Deploy | UnitOrderKind::Clear => matches!(kind, Sapper),
        }
    }
}

/// What a unit is ordered to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitOrder {
    /// Go to a neighbouring tile.
    Travel(Position),
    /// Take the neutral tile it stands on.
    Conquer,
    /// Make the enemy's tile it stands on neutral, or destroy the fort there.
    Neutralize,
    /// Earn gold on an own tile.
    Gold,
    /// Hit that unit.
    Attack(UnitId),
    /// Halve the next hit.
    Defend,
    /// Build a fort on an own tile.
    Fortify,
    /// Heal that unit.
    Heal(UnitId),
    /// Become enlightened.
    Pray,
    /// Bring that unit to this side.
    Convert(UnitId),
    /// Lay a bomb on an own tile.
    Deploy,
    /// Take away the bomb it stands on.
    Clear,
    /// Build that on an own tile.
    Build(Building),
    /// Leave the game.
    Retire,
    /// Nothing.
    Idle,
}

impl UnitOrder {
    /// Which order it is.
    #[must_use]
    pub const fn kind(self) -> UnitOrderKind {
        match self {
            UnitOrder::Travel(_) => UnitOrderKind::Travel,
            UnitOrder::Conquer => UnitOrderKind::Conquer,
            UnitOrder::Neutralize => UnitOrderKind::Neutralize,
            UnitOrder::Gold => UnitOrderKind::Gold,
            UnitOrder::Attack(_) => UnitOrderKind::Attack,
            UnitOrder::Defend => UnitOrderKind::Defend,
            UnitOrder::Fortify => UnitOrderKind::Fortify,
            UnitOrder::Heal(_) => UnitOrderKind::Heal,
            UnitOrder::Pray => UnitOrderKind::Pray,
            UnitOrder::Convert(_) => UnitOrderKind::Convert,
            UnitOrder::Deploy => UnitOrderKind::Deploy,
            UnitOrder::Clear => UnitOrderKind::Clear,
            UnitOrder::Build(_) => UnitOrderKind::Build,
            UnitOrder::Retire => UnitOrderKind::Retire,
            UnitOrder::Idle => UnitOrderKind::Idle,
        }
    }
}

/// What a faction's base is ordered to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseOrder {
    /// Earn gold.
    Income,
    /// Begin a unit.
    Build(UnitType),
    /// Go on with the unit in the slot.
    Continue,
    /// Make a bomb.
    Bomb,
    /// Make another base the faction's base.
    Move(Position),
    /// Nothing.
    Idle,
}

/// What a city is ordered to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CityOrder {
    /// Use that tile.
    Assign(Position),
    /// Give that tile up.
    Unassign(Position),
    /// Recruit a unit in a camp.
    Recruit(UnitType),
}

/// What is ordered for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Of the faction's base.
    Base(BaseOrder),
    /// Of a unit.
    Unit(UnitId, UnitOrder),
    /// Of the city on that tile.
    City(Position, CityOrder),
}

impl Order {
    /// What carries the order out.
    #[must_use]
    pub const fn actor(&self) -> Actor<Position> {
        match *self {
            Order::Base(_) => Actor::Base,
            Order::Unit(unit, _) => Actor::Unit(unit),
            Order::City(at, _) => Actor::City(at),
        }
    }
}

/// What carries an order out; `C` is how a city is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor<C> {
    /// The faction's base.
    Base,
    /// A city.
    City(C),
    /// A unit.
    Unit(UnitId),
}

/// What a program that plays sends after its login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayerLine {
    /// An order.
    Order(Order),
    /// `Done N`: nothing more comes in turn N.
    Done(u32),
    /// `Place K`: the start that it wants, in a draft.
    Place(u32),
}

/// Why a line is none of the dialect's. Each gets a `ko` with these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// A line with nothing on it.
    #[error("the line is empty")]
    Empty,
    /// A line longer than the limit.
    #[error("the line is too long")]
    TooLong,
    /// The first word is none of the dialect's.
    #[error("a line begins with Base, Unit, City, Done or Place; case matters")]
    Unknown,
    /// The first words are known, the others aren't what belongs to them.
    #[error("expected {0}")]
    Expected(&'static str),
}

const BASE: &str = "Base ORDER, one of income, build TYPE, continue, bomb, move X Y, idle";
const UNIT: &str = "Unit N ORDER, N the number of a unit";
const UNIT_ORDERS: &str = "Unit N ORDER, one of travel X Y, conquer, neutralize, gold, attack U, defend, fortify, \
                           heal U, pray, convert U, deploy, clear, build KIND, retire, idle";
const BASE_TYPE: &str = "Base build TYPE, one of pioneer, worker, fighter, cleric, sapper";
const CITY: &str = "City X Y ORDER, one of assign X Y, unassign X Y, recruit TYPE";
const CITY_TYPE: &str = "City X Y recruit TYPE, one of pioneer, worker, fighter, cleric, sapper";

impl PlayerLine {
    /// What this line says; blanks around and between its words are tolerated.
    ///
    /// # Errors
    /// Why it says nothing, with what was expected.
    pub fn parse(line: &[u8]) -> Result<PlayerLine, BadLine> {
        let mut words = Words::new(line);
        let read = |words: &mut Words<'_>| match words.next(Some).unwrap_or_default() {
            b"" => Err(BadLine::Empty),
            b"Base" => read_base(words).map(|order| PlayerLine::Order(Order::Base(order))),
            b"Unit" => read_unit(words).map(PlayerLine::Order),
            b"City" => read_city(words).map(PlayerLine::Order),
            b"Done" => last(words, Words::number, "Done N, N the number of the turn").map(PlayerLine::Done),
            b"Place" => last(words, Words::number, "Place K, K the number of a start").map(PlayerLine::Place),
            _ => Err(BadLine::Unknown),
        };
        read(&mut words)
    }

    /// Appends the line without its end.
    pub fn write(&self, out: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        let _ = match self {
            PlayerLine::Order(order) => order.print(out),
            PlayerLine::Done(turn) => write!(out, "Done {turn}"),
            PlayerLine::Place(start) => write!(out, "Place {start}"),
        };
    }
}

/// What `read` makes of the last words of a line.
fn last<'a, T>(
    words: &mut Words<'a>,
    read: impl FnOnce(&mut Words<'a>) -> Option<T>,
    usage: &'static str,
) -> Result<T, BadLine> {
    read(words).filter(|_| words.is_empty()).ok_or(BadLine::Expected(usage))
}

fn read_base(words: &mut Words<'_>) -> Result<BaseOrder, BadLine> {
    match words.next(Some).unwrap_or_default() {
        b"income" => last(words, |_| Some(BaseOrder::Income), "Base income"),
        b"build" => last(words, |words| words.next(UnitType::parse).map(BaseOrder::Build), BASE_TYPE),
        b"continue" => last(words, |_| Some(BaseOrder::Continue), "Base continue"),
        b"bomb" => last(words, |_| Some(BaseOrder::Bomb), "Base bomb"),
        b"move" => last(words, |words| words.position().map(BaseOrder::Move), "Base move X Y"),
        b"idle" => last(words, |_| Some(BaseOrder::Idle), "Base idle"),
        _ => Err(BadLine::Expected(BASE)),
    }
}

fn read_unit(words: &mut Words<'_>) -> Result<Order, BadLine> {
    let unit = words.unit().ok_or(BadLine::Expected(UNIT))?;
    let kind = words.next(UnitOrderKind::parse).ok_or(BadLine::Expected(UNIT_ORDERS))?;
    let argument = |words: &mut Words<'_>| {
        Some(match kind {
            UnitOrderKind::Travel => UnitOrder::Travel(words.position()?),
            UnitOrderKind::Conquer => UnitOrder::Conquer,
            UnitOrderKind::Neutralize => UnitOrder::Neutralize,
            UnitOrderKind::Gold => UnitOrder::Gold,
            UnitOrderKind::Attack => UnitOrder::Attack(words.unit()?),
            UnitOrderKind::Defend => UnitOrder::Defend,
            UnitOrderKind::Fortify => UnitOrder::Fortify,
            UnitOrderKind::Heal => UnitOrder::Heal(words.unit()?),
            UnitOrderKind::Pray => UnitOrder::Pray,
            UnitOrderKind::Convert => UnitOrder::Convert(words.unit()?),
            UnitOrderKind::Deploy => UnitOrder::Deploy,
            UnitOrderKind::Clear => UnitOrder::Clear,
            UnitOrderKind::Build => UnitOrder::Build(words.next(Building::parse)?),
            UnitOrderKind::Retire => UnitOrder::Retire,
            UnitOrderKind::Idle => UnitOrder::Idle,
        })
    };
    last(words, argument, kind.usage()).map(|order| Order::Unit(unit, order))
}

fn read_city(words: &mut Words<'_>) -> Result<Order, BadLine> {
    let at = words.position().ok_or(BadLine::Expected(CITY))?;
    let order = match words.next(Some).unwrap_or_default() {
        b"assign" => last(words, |words| words.position().map(CityOrder::Assign), "City X Y assign X Y"),
        b"unassign" => {
            last(words, |words| words.position().map(CityOrder::Unassign), "City X Y unassign X Y")
        }
        b"recruit" => last(words, |words| words.next(UnitType::parse).map(CityOrder::Recruit), CITY_TYPE),
        _ => Err(BadLine::Expected(CITY)),
    };
    order.map(|order| Order::City(at, order))
}

impl Order {
    fn print(&self, out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Order::Base(order) => match order {
                BaseOrder::Income => write!(out, "Base income"),
                BaseOrder::Build(kind) => write!(out, "Base build {kind}"),
                BaseOrder::Continue => write!(out, "Base continue"),
                BaseOrder::Bomb => write!(out, "Base bomb"),
                BaseOrder::Move(at) => write!(out, "Base move {at}"),
                BaseOrder::Idle => write!(out, "Base idle"),
            },
            Order::Unit(unit, order) => {
                write!(out, "Unit {unit} {}", order.kind())?;
                match order {
                    UnitOrder::Travel(to) => write!(out, " {to}"),
                    UnitOrder::Attack(other) | UnitOrder::Heal(other) | UnitOrder::Convert(other) => {
                        write!(out, " {other}")
                    }
                    UnitOrder::Build(building) => write!(out, " {building}"),
                    _ => Ok(()),
                }
            }
            Order::City(at, order) => match order {
                CityOrder::Assign(tile) => write!(out, "City {at} assign {tile}"),
                CityOrder::Unassign(tile) => write!(out, "City {at} unassign {tile}"),
                CityOrder::Recruit(kind) => write!(out, "City {at} recruit {kind}"),
            },
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = Vec::new();
        // Writing to a vector cannot fail.
        let _ = self.print(&mut line);
        f.write_str(&String::from_utf8_lossy(&line))
    }
}

/// A faction's place at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// Its place, from 1; several factions may share one.
    pub place: u32,
    /// Its name.
    pub name: TeamName,
    /// Its score.
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
        /// The options.
        options: GameOptions,
    },
    /// `turn N`: a snapshot of turn N begins.
    Turn(u32),
    /// What the faction that reads this has.
    Own {
        /// Its number.
        faction: FactionId,
        /// Its name.
        name: TeamName,
        /// Whether it is alive.
        alive: bool,
        /// What it has.
        holdings: Holdings,
    },
    /// What is public of another faction.
    Other {
        /// Its number.
        faction: FactionId,
        /// Its name.
        name: TeamName,
        /// Whether it is alive.
        alive: bool,
        /// Tiles it owns.
        land: u32,
        /// Its units, the one in the slot counted.
        population: u32,
        /// Its score.
        score: i64,
    },
    /// What became of an order of the phase before.
    Did {
        /// What carried it out.
        actor: Actor<Position>,
        /// Why it was lost, if it was.
        outcome: Result<(), Text>,
    },
    /// A unit in sight.
    Unit {
        /// Its number.
        id: UnitId,
        /// What is known of it.
        unit: Unit,
    },
    /// A tile in sight.
    Tile {
        /// Where it is.
        at: Position,
        /// What is on it; a bomb only next to an own sapper.
        tile: Tile,
    },
    /// An own city.
    City {
        /// Its tile.
        at: Position,
        /// Its citizens, those of its houses counted.
        citizens: u32,
        /// Citizens that work on tiles.
        workers: u32,
        /// The other citizens.
        merchants: u32,
        /// Its tiles, sorted.
        tiles: Vec<Position>,
    },
    /// A free start, in a draft.
    Start {
        /// Its number, for `Place`.
        number: u32,
        /// The tile of the base.
        at: Position,
    },
    /// `go N`: the snapshot is complete, orders of turn N are taken.
    Go(u32),
    /// Taken, and allowed as things stand.
    Ok,
    /// Taken, not allowed as things stand, tried at the resolution.
    Maybe(Text),
    /// Not taken; without words only at the login.
    Ko(Text),
    /// The faction is beaten; the connection stays open until the end.
    Dead,
    /// The match is over: all factions by their places.
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
    /// The line says nothing.
    pub fn parse(line: &[u8]) -> Result<ServerLine, BadServerLine> {
        let mut words = Words::new(line);
        ServerLine::read(&mut words).filter(|_| words.is_empty()).ok_or(BadServerLine)
    }

    fn read(words: &mut Words<'_>) -> Option<ServerLine> {
        Some(match words.next(Some)? {
            b"WELCOME" => ServerLine::Welcome,
            b"ok" => ServerLine::Ok,
            b"maybe" => ServerLine::Maybe(words.rest()),
            b"ko" => ServerLine::Ko(words.rest()),
            b"dead" => ServerLine::Dead,
            b"game" => {
                words.literal("conquest")?;
                ServerLine::Game {
                    version: words.keyed("version", number)?,
                    you: words.keyed("you", number).map(FactionId)?,
                    options: GameOptions::read(words)?,
                }
            }
            b"turn" => ServerLine::Turn(words.number()?),
            b"go" => ServerLine::Go(words.number()?),
            b"faction" => return read_faction(words),
            b"did" => ServerLine::Did { actor: read_actor(words)?, outcome: read_outcome(words)? },
            b"unit" => ServerLine::Unit { id: words.unit()?, unit: Unit::read(words)? },
            b"tile" => ServerLine::Tile { at: words.position()?, tile: Tile::read(words)? },
            b"city" => {
                let at = words.position()?;
                let citizens = words.keyed("citizens", number)?;
                let workers = words.keyed("workers", number)?;
                let merchants = words.keyed("merchants", number)?;
                words.literal("tiles")?;
                let mut tiles = words.next(or_none(pair))?.map_or_else(Vec::new, |first| vec![first]);
                while !tiles.is_empty() && !words.is_empty() {
                    tiles.push(words.next(pair)?);
                }
                ServerLine::City { at, citizens, workers, merchants, tiles }
            }
            b"start" => ServerLine::Start { number: words.number()?, at: words.position()? },
            b"over" => {
                let mut ranked = Vec::new();
                while !words.is_empty() {
                    let (place, name, score) = (words.number()?, words.name()?, words.next(signed)?);
                    ranked.push(Ranked { place, name, score });
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
                options.write(out);
                Ok(())
            }
            ServerLine::Turn(turn) => write!(out, "turn {turn}"),
            ServerLine::Own { faction, name, alive, holdings } => {
                write!(out, "faction {faction} {name} {}", life(*alive))?;
                holdings.write(out);
                Ok(())
            }
            ServerLine::Other { faction, name, alive, land, population, score } => {
                write!(
                    out,
                    "faction {faction} {name} {} land {land} pop {population} score {score}",
                    life(*alive)
                )
            }
            ServerLine::Did { actor, outcome } => {
                match actor {
                    Actor::Base => write!(out, "did base")?,
                    Actor::City(at) => write!(out, "did city {at}")?,
                    Actor::Unit(unit) => write!(out, "did {unit}")?,
                }
                write_outcome(outcome, out)
            }
            ServerLine::Unit { id, unit } => {
                out.extend_from_slice(b"unit");
                put_number(id.0, out);
                put_number(unit.faction.0.into(), out);
                put(unit.kind.name(), out);
                put_position(unit.at, out);
                put_number(unit.health, out);
                put(unit.stance.name(), out);
                Ok(())
            }
            ServerLine::Tile { at, tile } => {
                // A snapshot consists mostly of these.
                out.extend_from_slice(b"tile");
                put_position(*at, out);
                tile.write(out);
                Ok(())
            }
            ServerLine::City { at, citizens, workers, merchants, tiles } => {
                write!(out, "city {at} citizens {citizens} workers {workers} merchants {merchants} tiles")?;
                tiles.iter().try_for_each(|tile| write!(out, " {},{}", tile.x, tile.y))?;
                if tiles.is_empty() { write!(out, " -") } else { Ok(()) }
            }
            ServerLine::Start { number, at } => write!(out, "start {number} {at}"),
            ServerLine::Go(turn) => write!(out, "go {turn}"),
            ServerLine::Ok => write!(out, "ok"),
            ServerLine::Maybe(why) => write!(out, "maybe").and_then(|()| write_text(why, out)),
            ServerLine::Ko(why) => write!(out, "ko").and_then(|()| write_text(why, out)),
            ServerLine::Dead => write!(out, "dead"),
            ServerLine::Over(ranked) => {
                write!(out, "over")?;
                ranked.iter().try_for_each(|one| write!(out, " {} {} {}", one.place, one.name, one.score))
            }
        }
    }
}

const fn life(alive: bool) -> &'static str {
    if alive { "alive" } else { "dead" }
}

/// A tile as one word: `11,4`.
fn pair(word: &[u8]) -> Option<Position> {
    let comma = word.iter().position(|&byte| byte == b',')?;
    Some(Position { x: number(&word[..comma])?, y: number(&word[comma + 1..])? })
}

fn read_faction(words: &mut Words<'_>) -> Option<ServerLine> {
    let (faction, name) = (words.faction()?, words.name()?);
    let alive = words.next(|word| match word {
        b"alive" => Some(true),
        b"dead" => Some(false),
        _ => None,
    })?;
    if words.starts_with("gold") {
        return Some(ServerLine::Own { faction, name, alive, holdings: Holdings::read(words)? });
    }
    let land = words.keyed("land", number)?;
    let population = words.keyed("pop", number)?;
    let score = words.keyed("score", signed)?;
    Some(ServerLine::Other { faction, name, alive, land, population, score })
}

fn read_actor(words: &mut Words<'_>) -> Option<Actor<Position>> {
    Some(match words.next(Some)? {
        b"base" => Actor::Base,
        b"city" => Actor::City(words.position()?),
        unit => Actor::Unit(UnitId(number(unit)?)),
    })
}

/// Reads `ok`, or `ko` and the reason.
pub(super) fn read_outcome(words: &mut Words<'_>) -> Option<Result<(), Text>> {
    match words.next(Some)? {
        b"ok" => Some(Ok(())),
        b"ko" => Some(Err(words.rest())),
        _ => None,
    }
}

/// Appends a blank and what [`read_outcome`] reads.
pub(super) fn write_outcome(outcome: &Result<(), Text>, out: &mut Vec<u8>) -> io::Result<()> {
    match outcome {
        Ok(()) => write!(out, " ok"),
        Err(why) => write!(out, " ko").and_then(|()| write_text(why, out)),
    }
}

/// Appends a blank and the text, or nothing if there is none.
fn write_text(text: &Text, out: &mut Vec<u8>) -> io::Result<()> {
    if text.is_empty() { Ok(()) } else { write!(out, " ").and_then(|()| out.write_all(text.as_bytes())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_says_what_was_expected() {
        let said = |line: &str| PlayerLine::parse(line.as_bytes()).unwrap_err().to_string();
        assert_eq!(said("  "), "the line is empty");
        assert_eq!(said("unit 3 idle"), "a line begins with Base, Unit, City, Done or Place; case matters");
        assert_eq!(said("Base build tank"), format!("expected {BASE_TYPE}"));
        assert_eq!(said("Base income now"), "expected Base income");
        assert_eq!(said("Base"), format!("expected {BASE}"));
        assert_eq!(said("Unit x idle"), format!("expected {UNIT}"));
        assert_eq!(said("Unit 3 fly"), format!("expected {UNIT_ORDERS}"));
        assert_eq!(said("Unit 3 travel 1"), "expected Unit N travel X Y");
        assert_eq!(said("Unit 3 travel -1 2"), "expected Unit N travel X Y");
        assert_eq!(said("Unit 3 travel 70000 2"), "expected Unit N travel X Y");
        assert_eq!(said("City 1 2 assign 3 4 5"), "expected City X Y assign X Y");
        assert_eq!(said("Done"), "expected Done N, N the number of the turn");
    }

    #[test]
    fn the_rules_examples_are_read_and_written() {
        for line in [
            "game conquest version 1 you 0 factions red,blue cities off mode concurrent turns 400 time 1000 \
             placement random alliances -",
            "turn 12",
            "faction 0 red alive gold 830 food 0 wood 0 bombs 0 land 14 pop 3 cap 6 kills 0 score 245 upkeep 95 \
             base 10 4 slot -",
            "faction 1 blue alive land 20 pop 5 score 310",
            "did 7 ok",
            "did base ko not enough gold: 200 of 350",
            "did city 10 4 ok",
            "unit 7 0 pioneer 10 5 3 -",
            "tile 10 5 0 plain br-- -",
            "city 10 4 citizens 2 workers 1 merchants 1 tiles 11,4",
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
