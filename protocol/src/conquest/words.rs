//! The pieces that both dialects' parsers and printers use: names, tiles, units, holdings.
//!
//! Takes any bytes. Tested through the dialects.

use std::io::Write as _;

use crate::messages::{Carried, carried};
use crate::text::{id, number, put_number};
use crate::types::{TeamName, Text};
use crate::words::{Words, or_none, signed};

use super::types::{
    Building, Cause, FactionId, Flags, Holdings, Slot, Stance, Terrain, Tile, Unit, UnitId, UnitType,
};

impl Words<'_> {
    pub(super) fn unit(&mut self) -> Option<UnitId> {
        self.next(id).map(UnitId)
    }

    pub(super) fn faction(&mut self) -> Option<FactionId> {
        self.number().map(FactionId)
    }

    /// A name without blanks, as all names in this game are.
    pub(super) fn name(&mut self) -> Option<TeamName> {
        self.next(TeamName::parse)
    }

    /// The names that are left.
    pub(super) fn names(&mut self) -> Option<Vec<TeamName>> {
        let mut names = Vec::new();
        while !self.is_empty() {
            names.push(self.name()?);
        }
        Some(names)
    }
}

/// Appends a blank and a word.
pub(super) fn put(word: &str, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(word.as_bytes());
}

/// Conquest's dialects, for [`Carried`]: both carry values alike, but for a unit's number and what a faction has.
#[derive(Debug)]
pub(super) enum Conquest {}

/// How near the sides are to winning by their land.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dominion {
    /// The share of all tiles that is needed, in percent.
    pub need: u32,
    /// The sides that held that share at the end of the last turns: the first living member, and for how many turns.
    pub held: Vec<(TeamName, u32)>,
}

carried! { Dominion, by Conquest: |words| {
    let need = words.number()?;
    let mut held = Vec::new();
    if words.starts_with("-") {
        words.literal("-")?;
        return Some(Dominion { need, held });
    }
    while held.is_empty() || !words.is_empty() {
        held.push((words.name()?, words.number()?));
    }
    Some(Dominion { need, held })
}, |dominion, out| {
    put_number(dominion.need, out);
    if dominion.held.is_empty() {
        put("-", out);
    }
    for (name, turns) in &dominion.held {
        put(name.as_str(), out);
        put_number(*turns, out);
    }
} }

/// Values of one word, read by `parse` and printed by `name`.
macro_rules! by_name {
    ($($type:ty),+) => {
        $(carried! { $type, by Conquest: |words| words.next(<$type>::parse), |value, out| put(value.name(), out) })+
    };
}
by_name! { Building, Cause, Stance, Terrain, UnitType }

/// Values of several parts, read and printed one after another.
macro_rules! in_order {
    ($type:ident: $($part:ident),+) => {
        carried! { $type, by Conquest: |words| Some($type { $($part: Carried::<Conquest>::read(words)?),+ }), |value, out| {
            $(Carried::<Conquest>::print(&value.$part, out);)+
        } }
    };
}
pub(super) use in_order;
in_order! { Tile: owner, terrain, flags, building }
in_order! { Unit: faction, kind, at, health, stance }

/// A value, or `-` for `None`.
impl<T: Carried<Conquest>> Carried<Conquest> for Option<T> {
    fn read(words: &mut Words<'_>) -> Option<Option<T>> {
        if words.starts_with("-") {
            words.literal("-")?;
            return Some(None);
        }
        T::read(words).map(Some)
    }

    fn print(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.print(out),
            None => put("-", out),
        }
    }
}

carried! { TeamName, by Conquest: |words| words.name(), |name, out| put(name.as_str(), out) }
carried! { FactionId, by Conquest: |words| words.faction(), |faction, out| put_number(faction.0.into(), out) }
carried! { bool, by Conquest: |words| words.switch(), |is_on, out| put_number((*is_on).into(), out) }
carried! { Flags, by Conquest: |words| words.next(Flags::parse), |flags, out| {
    out.push(b' ');
    out.extend_from_slice(&flags.letters());
} }

// `ok`, or `ko` and the reason, if there is one.
carried! { Result<(), Text>, by Conquest: |words| match words.next(Some)? {
    b"ok" => Some(Ok(())),
    b"ko" => Some(Err(Text::new(words.rest()))),
    _ => None,
}, |outcome, out| match outcome {
    Ok(()) => put("ok", out),
    Err(why) => {
        put("ko", out);
        put_text(why, out);
    }
} }

impl Holdings {
    pub(super) fn read(words: &mut Words<'_>) -> Option<Holdings> {
        let mut holdings = Holdings {
            gold: words.keyed("gold", number)?,
            food: words.keyed("food", number)?,
            wood: words.keyed("wood", number)?,
            bombs: words.keyed("bombs", number)?,
            land: words.keyed("land", number)?,
            population: words.keyed("pop", number)?,
            cap: words.keyed("cap", number)?,
            kills: words.keyed("kills", number)?,
            score: words.keyed("score", signed)?,
            upkeep: words.keyed("upkeep", number)?,
            base: None,
            slot: None,
        };
        words.literal("base")?;
        holdings.base = Carried::<Conquest>::read(words)?;
        if holdings.base.is_none() {
            words.literal("-")?;
        }
        if let Some(kind) = words.keyed("slot", or_none(UnitType::parse))? {
            holdings.slot = Some(Slot { kind, left: words.number()? });
        }
        Some(holdings)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let Holdings { gold, food, wood, bombs, land, population, cap, kills, score, upkeep, base, slot } =
            self;
        // Writing to a vector cannot fail.
        let _ = write!(
            out,
            " gold {gold} food {food} wood {wood} bombs {bombs} land {land} pop {population} cap {cap} \
             kills {kills} score {score} upkeep {upkeep} base"
        );
        match base {
            Some(at) => at.put(out),
            None => out.extend_from_slice(b" - -"),
        }
        match slot {
            Some(slot) => {
                let _ = write!(out, " slot {} {}", slot.kind, slot.left);
            }
            None => out.extend_from_slice(b" slot -"),
        }
    }
}

/// Appends a blank and the text, or nothing if the text is empty.
pub(super) fn put_text(text: &Text, out: &mut Vec<u8>) {
    if !text.is_empty() {
        Carried::<Conquest>::print(text, out);
    }
}
