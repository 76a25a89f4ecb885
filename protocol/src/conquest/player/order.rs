//! What a program that plays sends: orders, `Done`, and `Place` in a draft.
//!
//! Doesn't decide what an order does. Tested in this module and in `tests/conquest.rs`.

use std::fmt;
use std::io::{self, Write};

use crate::conquest::types::{Building, UnitId, UnitType};
use crate::conquest::words::put;
use crate::messages::{Carried, carried, commands};
use crate::text::put_number;
use crate::types::Position;
use crate::words::Words;

/// The dialect of orders, for [`Carried`].
#[derive(Debug)]
enum Orders {}

commands! {
    UnitOrderKind, "What a unit can be ordered to do, without its argument.";

    /// What a unit is ordered to do.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    UnitOrder of Orders;

    /// Go to a neighbouring tile.
    Travel(to: Position) = "travel",
    /// Take the neutral tile it stands on.
    Conquer = "conquer",
    /// Make the enemy's tile it stands on neutral, or destroy the fort there.
    Neutralize = "neutralize",
    /// Earn gold on an own tile.
    Gold = "gold",
    Attack(unit: UnitId) = "attack",
    /// Halve the damage of the next hit.
    Defend = "defend",
    /// Build a fort on an own tile.
    Fortify = "fortify",
    Heal(unit: UnitId) = "heal",
    Pray = "pray",
    /// Bring that unit to this side.
    Convert(unit: UnitId) = "convert",
    /// Lay a bomb on an own tile.
    Deploy = "deploy",
    /// Take away the bomb on the tile it stands on.
    Clear = "clear",
    /// Build that building on an own tile.
    Build(building: Building) = "build",
    Retire = "retire",
    Idle = "idle",
}

carried! { UnitId, by Orders: |words| words.unit(), |unit, out| put_number(unit.0, out) }
carried! {
    Building, by Orders: |words| words.next(Building::parse), |building, out| put(building.name(), out)
}

impl UnitOrderKind {
    /// What follows the order's word in a line, with a blank before it; for usage messages.
    const fn argument(self) -> &'static str {
        match self {
            UnitOrderKind::Travel => " X Y",
            UnitOrderKind::Attack | UnitOrderKind::Heal | UnitOrderKind::Convert => {
                " U, U the number of a unit"
            }
            UnitOrderKind::Build => {
                " KIND, one of house, mill, sawmill, market, bakery, factory, bank, camp-TYPE"
            }
            _ => "",
        }
    }

    /// Whether a unit of that type can be given this order.
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

/// What a faction's base is ordered to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseOrder {
    Income,
    Build(UnitType),
    /// Go on with the unit in the slot.
    Continue,
    Bomb,
    /// Make another base the faction's base.
    Move(Position),
    Idle,
}

/// What a city is ordered to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CityOrder {
    Assign(Position),
    Unassign(Position),
    /// Recruit a unit in a camp.
    Recruit(UnitType),
}

/// What is ordered for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Base(BaseOrder),
    Unit(UnitId, UnitOrder),
    /// Of the city on that tile.
    City(Position, CityOrder),
}

impl Order {
    /// What carries the order out.
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
    Base,
    City(C),
    Unit(UnitId),
}

/// What a program that plays sends after its login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayerLine {
    Order(Order),
    /// `Done N`: nothing more comes in turn N.
    Done(u32),
    /// `Place K`: the start that it wants, in a draft.
    Place(u32),
}

/// Why a line doesn't belong to the dialect. The answer is a `ko` with these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// A line with nothing on it.
    #[error("the line is empty")]
    Empty,
    /// A line longer than the limit.
    #[error("the line is too long")]
    TooLong,
    /// The first word doesn't belong to the dialect.
    #[error("a line begins with Base, Unit, City, Done or Place; case matters")]
    Unknown,
    /// The first words are known, the others aren't what belongs to them.
    #[error("expected {0}")]
    Expected(&'static str),
    /// The order to a unit is known, its argument is missing or wrong, or there is more.
    #[error("expected Unit N {}{}", .0.name(), .0.argument())]
    Argument(UnitOrderKind),
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
    /// Why the line doesn't belong to the dialect, with what was expected.
    pub fn parse(line: &[u8]) -> Result<PlayerLine, BadLine> {
        let words = &mut Words::new(line);
        match words.next(Some).unwrap_or_default() {
            b"" => Err(BadLine::Empty),
            b"Base" => {
                let order = match words.next(Some).unwrap_or_default() {
                    b"income" => last(words, |_| Some(BaseOrder::Income), "Base income"),
                    b"build" => {
                        last(words, |words| words.next(UnitType::parse).map(BaseOrder::Build), BASE_TYPE)
                    }
                    b"continue" => last(words, |_| Some(BaseOrder::Continue), "Base continue"),
                    b"bomb" => last(words, |_| Some(BaseOrder::Bomb), "Base bomb"),
                    b"move" => last(words, |words| words.position().map(BaseOrder::Move), "Base move X Y"),
                    b"idle" => last(words, |_| Some(BaseOrder::Idle), "Base idle"),
                    _ => Err(BadLine::Expected(BASE)),
                };
                order.map(|order| PlayerLine::Order(Order::Base(order)))
            }
            b"Unit" => {
                let unit = words.unit().ok_or(BadLine::Expected(UNIT))?;
                let kind = words.next(UnitOrderKind::parse).ok_or(BadLine::Expected(UNIT_ORDERS))?;
                let order = UnitOrder::read(kind, words).filter(|_| words.is_empty());
                let order = order.ok_or(BadLine::Argument(kind))?;
                Ok(PlayerLine::Order(Order::Unit(unit, order)))
            }
            b"City" => {
                let at = words.position().ok_or(BadLine::Expected(CITY))?;
                let order = match words.next(Some).unwrap_or_default() {
                    b"assign" => {
                        last(words, |words| words.position().map(CityOrder::Assign), "City X Y assign X Y")
                    }
                    b"unassign" => last(
                        words,
                        |words| words.position().map(CityOrder::Unassign),
                        "City X Y unassign X Y",
                    ),
                    b"recruit" => {
                        last(words, |words| words.next(UnitType::parse).map(CityOrder::Recruit), CITY_TYPE)
                    }
                    _ => Err(BadLine::Expected(CITY)),
                };
                order.map(|order| PlayerLine::Order(Order::City(at, order)))
            }
            b"Done" => {
                last(words, Words::saturated, "Done N, N the number of the turn").map(PlayerLine::Done)
            }
            b"Place" => last(words, Words::number, "Place K, K the number of a start").map(PlayerLine::Place),
            _ => Err(BadLine::Unknown),
        }
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

/// What `read` makes of the remaining words of a line; an error with `usage` if it can't, or if words are left over.
fn last<'a, T>(
    words: &mut Words<'a>,
    read: impl FnOnce(&mut Words<'a>) -> Option<T>,
    usage: &'static str,
) -> Result<T, BadLine> {
    read(words).filter(|_| words.is_empty()).ok_or(BadLine::Expected(usage))
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
                order.print_argument(out);
                Ok(())
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
}
