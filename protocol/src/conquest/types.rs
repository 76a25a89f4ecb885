//! The nouns of conquest: factions, units, tiles, buildings, and the words for them.
//!
//! Plain values without behaviour beyond their own words on the wire. The dialects can print and parse every value of
//! these types that the rules produce. Tested in this module.

use std::fmt;

use crate::types::{Position, named, numbered};

named! { UnitType, "What a unit is.",
    /// Takes land.
    Pioneer = "pioneer",
    /// Earns gold, and builds for cities.
    Worker = "worker",
    Fighter = "fighter",
    /// Heals other units, and makes enemies' units change sides.
    Cleric = "cleric",
    /// Lays bombs, sees them and clears them.
    Sapper = "sapper",
}

named! { Terrain, "What a tile is made of.",
    Plain = "plain",
    /// Gives wood, and feeds a little.
    Forest = "forest",
}

named! { Mode, "Which factions act in one phase.",
    Concurrent = "concurrent",
    Players = "players",
    Alliances = "alliances",
}

named! { Placement, "How factions come to their starts.",
    Random = "random",
    /// Factions choose their starts, one after another.
    Draft = "draft",
}

named! { Edition, "Which of the two rule sets is played.",
    /// The base rules, without what `Arena` adds.
    Classic = "classic",
    /// With siege, loyalty, desertion and dominion.
    Arena = "arena",
}

named! { Cause, "Why a unit is gone.",
    Attack = "attack",
    /// It stepped on a bomb.
    Bomb = "bomb",
    /// Its faction let it go.
    Retired = "retired",
    Beaten = "beaten",
    /// It left since its faction couldn't pay the upkeep.
    Unpaid = "unpaid",
    /// The operator took it away.
    Operator = "operator",
}

/// What stands on a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Building {
    House,
    // Mill, sawmill and market raise a city's food, wood and gold; bakery, factory and bank double what they add.
    Mill,
    Sawmill,
    Market,
    Bakery,
    Factory,
    Bank,
    /// Units of that type are recruited in it.
    Camp(UnitType),
}

impl Building {
    pub const ALL: [Building; 12] = [
        Building::House,
        Building::Mill,
        Building::Sawmill,
        Building::Market,
        Building::Bakery,
        Building::Factory,
        Building::Bank,
        Building::Camp(UnitType::Pioneer),
        Building::Camp(UnitType::Worker),
        Building::Camp(UnitType::Fighter),
        Building::Camp(UnitType::Cleric),
        Building::Camp(UnitType::Sapper),
    ];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Building::House => "house",
            Building::Mill => "mill",
            Building::Sawmill => "sawmill",
            Building::Market => "market",
            Building::Bakery => "bakery",
            Building::Factory => "factory",
            Building::Bank => "bank",
            Building::Camp(UnitType::Pioneer) => "camp-pioneer",
            Building::Camp(UnitType::Worker) => "camp-worker",
            Building::Camp(UnitType::Fighter) => "camp-fighter",
            Building::Camp(UnitType::Cleric) => "camp-cleric",
            Building::Camp(UnitType::Sapper) => "camp-sapper",
        }
    }

    /// The building of that name; case matters.
    pub fn parse(word: &[u8]) -> Option<Building> {
        Building::ALL.into_iter().find(|one| one.name().as_bytes() == word)
    }
}

impl fmt::Display for Building {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

numbered! { FactionId(u8) as "{}", "A faction's number, from 0 up in the order in which the factions were named." }

impl FactionId {
    /// The faction's place in a list of all factions.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

numbered! { UnitId(u32) as "{}", "A unit's number, from 0 up in the order of appearance." }

/// A unit's state: what shields it from the next hit, or that it was just converted and takes no orders yet. On the
/// wire `-`, `d`, `e`, `de` or `c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Stance {
    /// The next hit is halved.
    pub defended: bool,
    /// The next hit does nothing.
    pub enlightened: bool,
    /// The unit changed sides and takes no orders yet; nothing shields it.
    pub converted: bool,
}

impl Stance {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match (self.converted, self.defended, self.enlightened) {
            (true, ..) => "c",
            (false, false, false) => "-",
            (false, true, false) => "d",
            (false, false, true) => "e",
            (false, true, true) => "de",
        }
    }

    /// What that word stands for.
    pub fn parse(word: &[u8]) -> Option<Stance> {
        let (defended, enlightened, converted) = match word {
            b"-" => (false, false, false),
            b"d" => (true, false, false),
            b"e" => (false, true, false),
            b"de" => (true, true, false),
            b"c" => (false, false, true),
            _ => return None,
        };
        Some(Stance { defended, enlightened, converted })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    pub faction: FactionId,
    pub kind: UnitType,
    pub at: Position,
    /// Its health, in points; at least 1.
    pub health: u32,
    pub stance: Stance,
}

/// What is on a tile besides its owner and building: `brfm` on the wire, with `-` for each that is absent; `m` is the
/// bomb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags {
    pub base: bool,
    pub resource: bool,
    pub fort: bool,
    /// A bomb, if the reader of the line may see it.
    pub bomb: bool,
}

impl Flags {
    pub const fn letters(self) -> [u8; 4] {
        const fn letter(set: bool, letter: u8) -> u8 {
            if set { letter } else { b'-' }
        }
        [
            letter(self.base, b'b'),
            letter(self.resource, b'r'),
            letter(self.fort, b'f'),
            letter(self.bomb, b'm'),
        ]
    }

    /// What these letters stand for.
    pub fn parse(word: &[u8]) -> Option<Flags> {
        let &[base, resource, fort, bomb] = word else { return None };
        let flags =
            Flags { base: base == b'b', resource: resource == b'r', fort: fort == b'f', bomb: bomb == b'm' };
        (flags.letters() == word).then_some(flags)
    }
}

/// A tile as lines describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// The faction that owns the tile; `None` if it is neutral.
    pub owner: Option<FactionId>,
    /// What the tile is made of.
    pub terrain: Terrain,
    pub flags: Flags,
    pub building: Option<Building>,
}

impl Default for Tile {
    fn default() -> Tile {
        Tile { owner: None, terrain: Terrain::Plain, flags: Flags::default(), building: None }
    }
}

/// What a base is building.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The unit that will appear.
    pub kind: UnitType,
    /// How many more times `continue` must be ordered; 0 if the unit is finished and waits until the base's tile is
    /// free.
    pub left: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holdings {
    pub gold: u64,
    /// 0 in a match without cities.
    pub food: u64,
    /// 0 in a match without cities.
    pub wood: u64,
    /// Bombs that can be deployed.
    pub bombs: u32,
    pub land: u32,
    /// Its units, the one in the slot included.
    pub population: u32,
    /// The greatest population that it may have.
    pub cap: u32,
    /// How many units of other factions it killed.
    pub kills: u32,
    /// Its score; may be negative.
    pub score: i64,
    /// What its units cost in a turn, in gold.
    pub upkeep: u64,
    /// Its current base; `None` before a draft gave it one.
    pub base: Option<Position>,
    /// What that base is building.
    pub slot: Option<Slot>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for building in Building::ALL {
            assert_eq!(Building::parse(building.name().as_bytes()), Some(building));
        }
        for kind in UnitType::ALL {
            assert_eq!(UnitType::parse(kind.name().as_bytes()), Some(kind));
            assert_eq!(Building::Camp(kind).name(), format!("camp-{kind}"));
        }
        assert_eq!(UnitType::parse(b"Pioneer"), None);
        for word in [&b"-"[..], b"d", b"e", b"de", b"c"] {
            assert_eq!(Stance::parse(word).unwrap().name().as_bytes(), word);
        }
        assert_eq!(Stance::parse(b"ed"), None);
    }

    #[test]
    fn flags_stand_in_their_places() {
        let flags = Flags { base: true, resource: true, fort: false, bomb: false };
        assert_eq!(Flags::parse(b"br--"), Some(flags));
        for bad in [&b"rb--"[..], b"br-", b"br---", b"BR--", b""] {
            assert_eq!(Flags::parse(bad), None);
        }
    }
}
