//! Losses that belong together: deaths within five turns and four tiles of another one are one battle, desertions from a
//! faction within five turns one desertion.
//!
//! Plain values. Tested in this module.

use std::collections::BTreeMap;

use zappy_protocol::conquest::UnitType;
use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::text::many;
use zappy_protocol::{MapSize, Position};

/// Turns between two deaths of a battle at most.
const TURNS: u32 = 5;
/// Tiles between two deaths of a battle at most, diagonals counted as one.
const TILES: u32 = 4;

/// A unit that was killed, or that left since its upkeep wasn't paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Death {
    pub(super) turn: u32,
    pub(super) at: Position,
    pub(super) of: String,
    pub(super) kind: UnitType,
    pub(super) deserts: bool,
}

/// The battles of a match, in the order of their first deaths.
#[derive(Debug)]
pub(super) struct Battles {
    size: MapSize,
    /// Each battle's deaths, in their order.
    battles: Vec<Vec<Death>>,
}

impl Battles {
    pub(super) fn new(size: MapSize) -> Battles {
        Battles { size, battles: Vec::new() }
    }

    /// Puts a death to its battle; one that belongs to several joins them.
    pub(super) fn add(&mut self, death: Death) {
        let size = self.size;
        let near = |other: &Death| {
            let belongs = match death.deserts {
                true => death.of == other.of,
                false => reach(size, death.at, other.at) <= TILES,
            };
            belongs && death.deserts == other.deserts && death.turn.saturating_sub(other.turn) <= TURNS
        };
        let joins = |battle: &[Death]| battle.iter().rev().any(near);
        let Some(first) = self.battles.iter().position(|battle| joins(battle)) else {
            return self.battles.push(vec![death]);
        };
        let rest = self.battles.split_off(first + 1);
        let (more, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|battle| joins(battle));
        self.battles[first].extend(more.into_iter().flatten());
        self.battles[first].sort_by_key(|one| one.turn);
        self.battles[first].push(death);
        self.battles.extend(others);
    }

    /// The first turn of each battle, how many units it cost, and its words.
    pub(super) fn told(&self) -> impl Iterator<Item = (u32, usize, String)> {
        self.battles.iter().map(|deaths| (deaths[0].turn, deaths.len(), words(deaths)))
    }
}

fn words(deaths: &[Death]) -> String {
    let mut lost: BTreeMap<&str, BTreeMap<UnitType, u64>> = BTreeMap::new();
    for death in deaths {
        *lost.entry(&death.of).or_default().entry(death.kind).or_default() += 1;
    }
    let units = |kinds: BTreeMap<UnitType, u64>| {
        let units: Vec<String> = kinds.into_iter().map(|(kind, count)| many(count, kind.name())).collect();
        units.join(", ")
    };
    let lost = lost.into_iter().map(|(of, kinds)| format!("{of} loses {}", units(kinds)));
    let lost = lost.collect::<Vec<_>>().join("; ");
    let (at, last) = (deaths[0].at, deaths[deaths.len() - 1].turn);
    let by = if deaths[0].deserts { " by desertion, unpaid" } else { "" };
    match deaths.len() {
        _ if deaths[0].deserts && last == deaths[0].turn => format!("{lost}{by}"),
        _ if deaths[0].deserts => format!("{lost}{by}, until turn {last}"),
        1 => format!("{lost} at {at}"),
        _ if last == deaths[0].turn => format!("battle around {at}: {lost}"),
        _ => format!("battle around {at} until turn {last}: {lost}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(deaths: &[(u32, (u16, u16), &str)]) -> Vec<String> {
        let mut battles = Battles::new(MapSize::new(20, 20).unwrap());
        for &(turn, (x, y), of) in deaths {
            let at = Position { x, y };
            let (of, deserts) = (of.trim_end_matches('-').to_owned(), of.ends_with('-'));
            battles.add(Death { turn, at, of, kind: UnitType::Fighter, deserts });
        }
        battles.told().map(|(turn, _, words)| format!("{turn} {words}")).collect()
    }

    #[test]
    fn deaths_within_five_turns_and_four_tiles_are_one_battle() {
        assert_eq!(
            told(&[(3, (1, 1), "red"), (8, (5, 5), "blue"), (13, (9, 5), "red")]),
            ["3 battle around 1 1 until turn 13: blue loses 1 fighter; red loses 2 fighters"]
        );
        assert_eq!(told(&[(3, (1, 1), "red"), (9, (1, 1), "red")]).len(), 2, "six turns later");
        assert_eq!(told(&[(3, (1, 1), "red"), (3, (6, 1), "red")]).len(), 2, "five tiles away");
        assert_eq!(told(&[(3, (1, 1), "red"), (3, (17, 1), "red")]).len(), 1, "across the edge");
    }

    #[test]
    fn desertions_of_a_faction_are_one_wherever_they_are() {
        let apart = [(3, (1, 1), "red-"), (3, (1, 1), "red"), (3, (1, 2), "blue-"), (8, (15, 9), "red-")];
        assert_eq!(
            told(&apart),
            [
                "3 red loses 2 fighters by desertion, unpaid, until turn 8",
                "3 red loses 1 fighter at 1 1",
                "3 blue loses 1 fighter by desertion, unpaid",
            ]
        );
    }

    #[test]
    fn a_death_between_two_battles_joins_them() {
        let apart = [(3, (1, 1), "red"), (3, (9, 1), "blue")];
        assert_eq!(told(&apart), ["3 red loses 1 fighter at 1 1", "3 blue loses 1 fighter at 9 1"]);
        let joined = [&apart[..], &[(4, (5, 1), "red")]].concat();
        assert_eq!(
            told(&joined),
            ["3 battle around 1 1 until turn 4: blue loses 1 fighter; red loses 2 fighters"]
        );
    }
}
