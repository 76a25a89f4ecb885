//! What a player of `hard` knows of its mates: which live, what they carry, and how far that leads.
//!
//! Counts, and decides nothing. Tested in this module.

use std::collections::BTreeMap;

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::{ELEVATIONS, Elevation, elevation};
use zappy_protocol::zappy::{Inventory, Level, Resource};

use super::talk::{Shout, ShoutKind};

/// Ticks of silence after which a mate is taken for dead.
const SILENCE_LIMIT: Tick = 900;

/// What is known of a mate.
#[derive(Debug, Clone, Copy)]
struct Mate {
    /// When it was last heard.
    heard: Tick,
    level: Level,
    carried: Inventory,
    /// Whether it called, or said that it has come, and was heard on this player's tile.
    here: bool,
}

/// The mates that a player has heard, by token.
#[derive(Debug, Default)]
pub struct Crew {
    mates: BTreeMap<u32, Mate>,
}

impl Crew {
    /// A mate shouted, from that direction; 0 means this player's tile.
    pub fn heard(&mut self, now: Tick, direction: u8, shout: &Shout) {
        self.mates.retain(|_, mate| now.saturating_sub(mate.heard) <= SILENCE_LIMIT);
        let here = direction == 0 && shout.kind != ShoutKind::Have;
        let mate = Mate { heard: now, level: shout.level, carried: shout.carried, here };
        self.mates.insert(shout.token, mate);
    }

    /// The player was moved, or leaves its tile: no mate counts as on its tile any more.
    pub fn parted(&mut self) {
        self.mates.values_mut().for_each(|mate| mate.here = false);
    }

    /// The player rose from that level, and with it all mates of that level on its tile, so they live.
    pub fn rose(&mut self, now: Tick, from: Level) {
        for mate in self.mates.values_mut().filter(|mate| mate.here && mate.level == from) {
            mate.level = from.next().unwrap_or(from);
            mate.heard = now;
        }
    }

    fn living(&self, now: Tick) -> impl Iterator<Item = (u32, &Mate)> {
        let lives = move |mate: &Mate| now.saturating_sub(mate.heard) <= SILENCE_LIMIT;
        self.mates.iter().filter(move |(_, mate)| lives(mate)).map(|(token, mate)| (*token, mate))
    }

    /// The lowest token among the living mates; `None` if none lives.
    pub fn lowest_token(&self, now: Tick) -> Option<u32> {
        self.living(now).map(|(token, _)| token).next()
    }

    /// The levels of the living mates.
    pub fn levels(&self, now: Tick) -> Vec<Level> {
        self.living(now).map(|(_, mate)| mate.level).collect()
    }

    /// What the living mates carry together.
    pub fn carried(&self, now: Tick) -> Inventory {
        let mut all = Inventory::default();
        for (_, mate) in self.living(now) {
            mate.carried.iter().for_each(|(resource, units)| all.add(resource, units));
        }
        all
    }

    /// The units of food of the living mate that carries least; `None` if none lives.
    pub fn least_food(&self, now: Tick) -> Option<u32> {
        self.living(now).map(|(_, mate)| mate.carried.get(Resource::Food)).min()
    }

    /// The living mates on this player's tile: their tokens and levels, the lowest token first.
    pub fn mates_here(&self, now: Tick) -> Vec<(u32, Level)> {
        let here = self.living(now).filter(|(_, mate)| mate.here);
        here.map(|(token, mate)| (token, mate.level)).collect()
    }

    /// Whether a living mate is elsewhere.
    pub fn is_apart(&self, now: Tick) -> bool {
        self.living(now).any(|(_, mate)| !mate.here)
    }
}

/// The lowest level of which there are enough players for its incantation, and what that takes; `None` if there is
/// none.
pub fn next_incantation(levels: &[Level]) -> Option<(Level, &'static Elevation)> {
    let enough = |level: Level| {
        let row = elevation(level)?;
        (levels.iter().filter(|l| **l == level).count() >= row.players).then_some((level, row))
    };
    Level::all().find_map(enough)
}

/// How many incantations in a row these players can hold with these stones, and which stones they lack to rise as far
/// as their number allows.
pub fn outlook(levels: &[Level], stones: &Inventory) -> (usize, Inventory) {
    let (mut levels, mut need) = (levels.to_vec(), Inventory::default());
    let mut incantations = 0;
    // Each turn lifts at least one player a level.
    for _ in 0..levels.len() * ELEVATIONS.len() {
        let Some((level, row)) = next_incantation(&levels) else { break };
        row.stones.iter().for_each(|(resource, units)| need.add(resource, units));
        incantations += usize::from(stones.covers(&need));
        levels.iter_mut().filter(|l| **l == level).for_each(|l| *l = level.next().unwrap_or(level));
    }
    need.subtract(stones);
    (incantations, need)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(numbers: &[u8]) -> Vec<Level> {
        numbers.iter().map(|&n| Level::new(n).unwrap()).collect()
    }

    #[test]
    fn six_need_thirty_nine_stones_for_seven_incantations() {
        let (incantations, need) = outlook(&levels(&[1; 6]), &Inventory::default());
        assert_eq!((incantations, need), (0, Inventory::new([0, 9, 8, 10, 5, 6, 1])));
        assert_eq!(outlook(&levels(&[1; 6]), &need), (7, Inventory::default()));
        assert_eq!(outlook(&levels(&[1; 6]), &Inventory::new([9, 2, 1, 1, 0, 0, 0])).0, 2);
    }

    #[test]
    fn too_few_rise_as_far_as_they_can() {
        assert_eq!(outlook(&levels(&[1]), &Inventory::default()).1, Inventory::new([0, 1, 0, 0, 0, 0, 0]));
        assert_eq!(next_incantation(&levels(&[5, 5, 5])), None);
        assert_eq!(next_incantation(&levels(&[5, 5, 5, 5, 2])).unwrap().0, levels(&[5])[0]);
    }

    #[test]
    fn mates_are_forgotten_when_silent_and_rise_together() {
        let mut crew = Crew::default();
        let shout = |token, kind| Shout { token, kind, level: Level::MIN, carried: Inventory::new([3; 7]) };
        crew.heard(10, 0, &shout(4, ShoutKind::Here));
        crew.heard(10, 0, &shout(5, ShoutKind::Have));
        assert_eq!((crew.lowest_token(10), crew.least_food(10)), (Some(4), Some(3)));
        assert_eq!(crew.mates_here(10), [(4, Level::MIN)]);
        assert!(crew.is_apart(10));
        crew.rose(10, Level::MIN);
        assert_eq!(crew.levels(10), levels(&[2, 1]));
        assert!(crew.levels(11 + SILENCE_LIMIT).is_empty());
    }
}
