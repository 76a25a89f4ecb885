//! Losses that belong together: a death within five turns and four tiles of another death belongs to the same battle,
//! and desertions from one faction within five turns are one battle, too. After twenty turns a battle goes on as a new
//! one.
//!
//! The story of `show` and the observer list the same battles. Plain values. Tested in this module.

use std::collections::BTreeMap;

use super::geometry::reach;
use super::mirror::Mirror;
use super::{FactionId, UnitType};
use crate::commentary::place;
use crate::text::{many, possessive};
use crate::types::{MapSize, Position, Tick};

/// The most turns between a death and an earlier one of the same battle.
pub const GAP_TURNS: u32 = 5;
/// The most tiles between a death and an earlier one of the same battle, and between a base and a battle that is named
/// after it; a diagonal step counts as one.
pub const GAP_TILES: u32 = 4;
/// Turns from the first death of a battle in which further deaths belong to it; later ones belong to its next part.
pub const PART_TURNS: u32 = 20;

/// The loss of a unit that was killed, or that deserted because its upkeep wasn't paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Death {
    pub turn: u32,
    pub tick: Tick,
    pub at: Position,
    pub of: FactionId,
    pub kind: UnitType,
    pub deserts: bool,
}

/// A battle: where and when it began, and what it has cost so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Battle {
    pub first: Death,
    /// The first death of the latest turn with a death.
    pub newest: Death,
    /// The faction at the base of which the battle began; `None` if it began at no base.
    pub gate: Option<FactionId>,
    /// Whether it is a later part of a battle that lasted longer than [`PART_TURNS`].
    pub goes_on: bool,
    pub lost: BTreeMap<FactionId, BTreeMap<UnitType, u32>>,
    /// The turns and tiles of the deaths that are recent enough for a further death to belong to the same battle.
    recent: Vec<(u32, Position)>,
}

impl Battle {
    fn new(death: Death, gate: Option<FactionId>, goes_on: bool) -> Battle {
        let (lost, recent) = (BTreeMap::new(), Vec::new());
        let mut battle = Battle { first: death, newest: death, gate, goes_on, lost, recent };
        battle.add(death);
        battle
    }

    fn add(&mut self, death: Death) {
        self.newest = if death.turn > self.newest.turn { death } else { self.newest };
        *self.lost.entry(death.of).or_default().entry(death.kind).or_default() += 1;
        self.recent.retain(|(turn, _)| turn + GAP_TURNS >= death.turn);
        self.recent.push((death.turn, death.at));
    }

    fn join(&mut self, other: Battle) {
        for (of, kinds) in other.lost {
            for (kind, count) in kinds {
                *self.lost.entry(of).or_default().entry(kind).or_default() += count;
            }
        }
        self.newest = if other.newest.turn > self.newest.turn { other.newest } else { self.newest };
        self.gate = self.gate.or(other.gate);
        self.recent.extend(other.recent);
    }

    /// Whether the death belongs to the battle or to its next part.
    fn reaches(&self, size: MapSize, death: &Death) -> bool {
        let near = |(turn, at): &(u32, Position)| {
            let is_close = death.deserts || reach(size, death.at, *at) <= GAP_TILES;
            is_close && death.turn.saturating_sub(*turn) <= GAP_TURNS
        };
        death.deserts == self.first.deserts
            && (!death.deserts || death.of == self.first.of)
            && self.recent.iter().rev().any(near)
    }

    /// Whether the death belongs to the battle, not to its next part.
    fn holds(&self, size: MapSize, death: &Death) -> bool {
        death.turn.saturating_sub(self.first.turn) < PART_TURNS && self.reaches(size, death)
    }

    /// How many units the battle has cost.
    pub fn fallen(&self) -> u32 {
        self.lost.values().flat_map(BTreeMap::values).sum()
    }

    /// Where the battle is, and what each side has lost: `battle at blue’s gate: red loses 2 fighters`.
    pub fn words(&self, name: impl Fn(FactionId) -> String) -> String {
        let units = |kinds: &BTreeMap<UnitType, u32>| {
            let units = kinds.iter().map(|(kind, count)| many((*count).into(), kind.name()));
            units.collect::<Vec<_>>().join(", ")
        };
        let mut lost: Vec<String> =
            self.lost.iter().map(|(of, kinds)| format!("{} loses {}", name(*of), units(kinds))).collect();
        lost.sort();
        let lost = lost.join("; ");
        let (first, newest) = (self.first.turn, self.newest.turn);
        let turns = if newest == first { String::new() } else { format!(" in turns {first} to {newest}") };
        let site = match self.gate {
            Some(of) => format!("at {} gate", possessive(&name(of))),
            None => format!("around {}", place(self.first.at)),
        };
        let continued = if self.goes_on { " goes on" } else { "" };
        match self.fallen() {
            _ if self.first.deserts && turns.is_empty() => format!("{lost} by desertion, unpaid"),
            _ if self.first.deserts => format!("{lost} by desertion, unpaid,{turns}"),
            1 if self.gate.is_none() => format!("{lost} at {}", place(self.first.at)),
            1 => format!("{lost} {site}"),
            _ => format!("battle {site}{continued}{turns}: {lost}"),
        }
    }
}

/// The faction with the base nearest to a tile, if it is within [`GAP_TILES`]: a battle there is named after it.
fn gate(mirror: &Mirror, size: MapSize, at: Position) -> Option<FactionId> {
    let near =
        mirror.living().filter_map(|(faction, known)| Some((reach(size, known.holdings.base?, at), faction)));
    near.filter(|(distance, _)| *distance <= GAP_TILES).min().map(|(_, faction)| faction)
}

/// The battles of a match, in the order of their first deaths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Battles {
    pub all: Vec<Battle>,
}

impl Battles {
    /// Adds a death to its battle; if it belongs to several battles, they become one.
    pub fn add(&mut self, death: Death, mirror: &Mirror) {
        let Some(size) = mirror.size else { return };
        let Some(first) = self.all.iter().position(|battle| battle.holds(size, &death)) else {
            let gate = gate(mirror, size, death.at).filter(|_| !death.deserts);
            let goes_on = self.all.iter().any(|battle| battle.reaches(size, &death));
            return self.all.push(Battle::new(death, gate, goes_on));
        };
        let rest = self.all.split_off(first + 1);
        let (joined, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|battle| battle.holds(size, &death));
        joined.into_iter().for_each(|battle| self.all[first].join(battle));
        self.all[first].add(death);
        self.all.extend(others);
    }

    /// Forgets the battles that no death of that turn or a later one can join.
    pub fn forget_before(&mut self, turn: u32) {
        self.all.retain(|battle| battle.newest.turn + GAP_TURNS >= turn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conquest::observer::Message;

    const RED: &str = "fac red 0 gold 0 food 0 wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score 0 upkeep 0 base 9 9 slot - 0";

    fn battles_of(deaths: &[(u32, (u16, u16), &str)]) -> Vec<String> {
        let mut mirror = Mirror::new();
        for line in ["msz 20 20", "tna red", "tna blue", RED] {
            mirror.apply(&Message::parse(line.as_bytes()).unwrap()).unwrap();
        }
        let mut battles = Battles::default();
        for &(turn, (x, y), of) in deaths {
            let (at, deserts) = (Position { x, y }, of.ends_with('-'));
            let of = FactionId(u8::from(of.starts_with("blue")));
            battles.add(Death { turn, tick: 0, at, of, kind: UnitType::Fighter, deserts }, &mirror);
        }
        let name = |of: FactionId| ["red", "blue"][of.index()].to_owned();
        battles.all.iter().map(|battle| format!("{} {}", battle.first.turn, battle.words(name))).collect()
    }

    #[test]
    fn deaths_within_five_turns_and_four_tiles_are_one_battle() {
        assert_eq!(
            battles_of(&[(3, (1, 1), "red"), (8, (5, 5), "blue"), (13, (9, 5), "red")]),
            ["3 battle around 1,\u{a0}1 in turns 3 to 13: blue loses 1 fighter; red loses 2 fighters"]
        );
        assert_eq!(battles_of(&[(3, (1, 1), "red"), (9, (1, 1), "red")]).len(), 2, "six turns later");
        assert_eq!(battles_of(&[(3, (1, 1), "red"), (3, (6, 1), "red")]).len(), 2, "five tiles away");
        assert_eq!(battles_of(&[(3, (1, 1), "red"), (3, (17, 1), "red")]).len(), 1, "across the edge");
    }

    #[test]
    fn a_battle_at_a_base_has_its_name() {
        let there = [(3, (9, 6), "blue"), (4, (9, 5), "red")];
        assert_eq!(battles_of(&there[..1]), ["3 blue loses 1 fighter at red’s gate"]);
        assert_eq!(
            battles_of(&there),
            ["3 battle at red’s gate in turns 3 to 4: blue loses 1 fighter; red loses 1 fighter"]
        );
        assert_eq!(
            battles_of(&[(3, (9, 4), "blue")]),
            ["3 blue loses 1 fighter at 9,\u{a0}4"],
            "five tiles away"
        );
    }

    #[test]
    fn desertions_of_a_faction_are_one_wherever_they_are() {
        let apart = [(3, (1, 1), "red-"), (3, (1, 1), "red"), (3, (1, 2), "blue-"), (8, (15, 9), "red-")];
        assert_eq!(
            battles_of(&apart),
            [
                "3 red loses 2 fighters by desertion, unpaid, in turns 3 to 8",
                "3 red loses 1 fighter at 1,\u{a0}1",
                "3 blue loses 1 fighter by desertion, unpaid",
            ]
        );
    }

    #[test]
    fn a_battle_of_more_than_twenty_turns_is_told_in_parts() {
        let deaths: Vec<_> = (1..30).step_by(4).map(|turn| (turn, (1, 1), "red")).collect();
        assert_eq!(
            battles_of(&deaths),
            [
                "1 battle around 1,\u{a0}1 in turns 1 to 17: red loses 5 fighters",
                "21 battle around 1,\u{a0}1 goes on in turns 21 to 29: red loses 3 fighters",
            ]
        );
    }

    #[test]
    fn a_death_between_two_battles_joins_them() {
        let apart = [(3, (1, 1), "red"), (3, (9, 1), "blue")];
        let alone = ["3 red loses 1 fighter at 1,\u{a0}1", "3 blue loses 1 fighter at 9,\u{a0}1"];
        assert_eq!(battles_of(&apart), alone);
        let joined = [&apart[..], &[(4, (5, 1), "red")]].concat();
        assert_eq!(
            battles_of(&joined),
            ["3 battle around 1,\u{a0}1 in turns 3 to 4: blue loses 1 fighter; red loses 2 fighters"]
        );
    }
}
