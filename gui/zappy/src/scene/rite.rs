//! Incantations as they are seen: where participants stand, and how far they have stepped there.
//!
//! A pure function of what is shown. Tested below and in `tests/world/`.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use zappy_protocol::Position;
use zappy_protocol::zappy::constants::elevation;
use zappy_protocol::zappy::mirror::MirrorIncantation;
use zappy_protocol::zappy::story::What;
use zappy_protocol::zappy::{Level, PlayerId, Resource};

use super::crowd::size_of;
use crate::view::{Shown, winner};
use zappy_observer::director::eased;

/// Ticks in which participants step onto their ring, and back from it.
const STEP_TICKS: f64 = 14.0;
/// Ticks for which they stay on it when all is over.
const STAY_TICKS: f64 = 18.0;
/// Ticks in which the ring turns once.
const RING_TICKS: f64 = 900.0;
/// A ring's radius at the least and at the most, in tiles: it encloses its tile.
const RING: (f64, f64) = (0.84, 1.3);
/// The radius of the circle around the tile of a lone player, in tiles.
const CIRCLE: f64 = 0.76;
/// How much farther out the ring of another incantation on the same tile is, in tiles.
const NEXT: f64 = 0.75;
/// Room between two participants, as a share of their size.
const ROOM: f64 = 1.08;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stand {
    pub at: Position,
    /// Tiles east of the tile's middle.
    pub dx: f64,
    pub dy: f64,
    /// The token's radius, in tiles.
    pub size: f64,
    /// How much of the step onto the ring is done, 0 to 1.
    pub share: f64,
}

/// The radius of the ring on which so many players of that level stand, and of their tokens, in tiles.
pub fn ring(players: usize, level: Level) -> (f64, f64) {
    let size = size_of(f64::from(level.get()));
    if players < 2 {
        return (0.0, size);
    }
    let wide = (PI / players as f64).sin();
    let radius = (size * ROOM / wide).clamp(RING.0, RING.1);
    (radius, size.min(radius * wide / ROOM))
}

/// The radius of the circle around the ring on which so many players of that level stand, in tiles.
pub fn reach(players: usize, level: Level) -> f64 {
    let (ring, size) = ring(players, level);
    (ring + size * 1.06).max(CIRCLE)
}

/// Where all participants stand, also those of incantations that ended just now.
pub(super) fn stands(shown: &Shown<'_>) -> BTreeMap<PlayerId, Stand> {
    let (tick, running) = (shown.time.tick, shown.state.incantations());
    let mut stands = BTreeMap::new();
    let mut place = |at: Position, players: &[PlayerId], level: Level, outside: usize, share: f64| {
        let (radius, size) = ring(players.len(), level);
        let radius = radius + outside as f64 * NEXT;
        for (number, player) in players.iter().enumerate() {
            let turn = (tick / RING_TICKS + number as f64 / players.len() as f64) * TAU;
            let (dx, dy) = (turn.sin() * radius, -turn.cos() * radius);
            stands.entry(*player).or_insert(Stand { at, dx, dy, size, share });
        }
    };
    for (index, rite) in running.iter().enumerate() {
        let share = rite.began.map_or(1.0, |began| eased((tick - began as f64) / STEP_TICKS));
        place(rite.at, &rite.players, rite.level, outside(running, index), share);
    }
    // The winners stay where they have won.
    let won = winner(shown).map(|(_, since)| since);
    for happening in shown.state.recent.iter().rev() {
        let age = (tick - happening.tick as f64 - won.unwrap_or(STAY_TICKS)).max(0.0);
        if age >= STEP_TICKS {
            break;
        }
        if let (What::IncantationEnded { level: Some(level), players, .. }, Some(at)) =
            (&happening.what, happening.at)
        {
            place(at, players, *level, 0, 1.0 - eased(age / STEP_TICKS));
        }
    }
    stands
}

/// How many incantations run on the same tile since before this one.
pub fn outside(running: &[MirrorIncantation], index: usize) -> usize {
    running[..index].iter().filter(|other| other.at == running[index].at).count()
}

/// The stones that an incantation of players of that level uses up, one by one.
pub fn stones(level: Level) -> impl Iterator<Item = Resource> {
    let row = elevation(level).into_iter();
    row.flat_map(|row| row.stones.iter())
        .flat_map(|(stone, units)| std::iter::repeat_n(stone, units as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_encloses_its_tile_and_participants_stand_apart() {
        for level in Level::all().filter(|level| level.next().is_some()) {
            assert_eq!(ring(1, level), (0.0, size_of(f64::from(level.get()))));
            for players in 2..60 {
                let (radius, size) = ring(players, level);
                assert!((RING.0..=RING.1).contains(&radius) && radius > 0.5_f64.hypot(0.5), "{players}");
                let apart = 2.0 * radius * (PI / players as f64).sin();
                assert!(apart > 1.99 * size, "{players} of {level}: {apart} {size}");
            }
        }
    }

    #[test]
    fn the_last_level_takes_eleven_stones() {
        assert_eq!(stones(Level::new(7).unwrap()).count(), 11);
        assert_eq!(stones(Level::MIN).collect::<Vec<_>>(), [Resource::Linemate]);
        assert_eq!(stones(Level::MAX).count(), 0);
    }
}
