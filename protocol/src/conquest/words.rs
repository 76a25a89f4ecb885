//! The pieces that both dialects' parsers and printers use: names, tiles, units, holdings.
//!
//! Takes any bytes. Tested through the dialects.

use std::io::Write as _;

use crate::text::{id, number, put_number};
use crate::types::{TeamName, Text};
use crate::words::{Words, or_none, signed};

use super::types::{
    Building, FactionId, Flags, Holdings, Slot, Stance, Terrain, Tile, Unit, UnitId, UnitType,
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

/// How near the sides are to winning by their land.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dominion {
    /// The share of all tiles that is needed, in percent.
    pub need: u32,
    /// The sides that held that share at the end of the last turns, each by its first living member, and for how many turns.
    pub held: Vec<(TeamName, u32)>,
}

impl Dominion {
    pub(super) fn read(words: &mut Words<'_>) -> Option<Dominion> {
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
    }

    /// Appends a blank and the values.
    pub(super) fn write(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        write!(out, " {}", self.need)?;
        if self.held.is_empty() {
            return write!(out, " -");
        }
        self.held.iter().try_for_each(|(name, turns)| write!(out, " {name} {turns}"))
    }
}

impl Tile {
    pub(super) fn read(words: &mut Words<'_>) -> Option<Tile> {
        Some(Tile {
            owner: words.next(or_none(number))?.map(FactionId),
            terrain: words.next(Terrain::parse)?,
            flags: words.next(Flags::parse)?,
            building: words.next(or_none(Building::parse))?,
        })
    }

    /// Appends the tile; a snapshot consists mostly of these.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self.owner {
            Some(owner) => put_number(owner.0.into(), out),
            None => put("-", out),
        }
        put(self.terrain.name(), out);
        out.push(b' ');
        out.extend_from_slice(&self.flags.letters());
        put(self.building.map_or("-", Building::name), out);
    }
}

impl Unit {
    pub(super) fn read(words: &mut Words<'_>) -> Option<Unit> {
        Some(Unit {
            faction: words.faction()?,
            kind: words.next(UnitType::parse)?,
            at: words.position()?,
            health: words.number()?,
            stance: words.next(Stance::parse)?,
        })
    }
}

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
        holdings.base = words.position_or_none()?;
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

/// Reads `ok`, or `ko` and the reason.
pub(super) fn read_outcome(words: &mut Words<'_>) -> Option<Result<(), Text>> {
    match words.next(Some)? {
        b"ok" => Some(Ok(())),
        b"ko" => Some(Err(Text::new(words.rest()))),
        _ => None,
    }
}

/// Appends a blank and what [`read_outcome`] reads.
pub(super) fn write_outcome(outcome: &Result<(), Text>, out: &mut Vec<u8>) -> std::io::Result<()> {
    match outcome {
        Ok(()) => write!(out, " ok"),
        Err(why) => write!(out, " ko").and_then(|()| write_text(why, out)),
    }
}

/// Appends a blank and the text, or nothing if the text is empty.
pub(super) fn write_text(text: &Text, out: &mut Vec<u8>) -> std::io::Result<()> {
    if text.is_empty() { Ok(()) } else { write!(out, " ").and_then(|()| out.write_all(text.as_bytes())) }
}
