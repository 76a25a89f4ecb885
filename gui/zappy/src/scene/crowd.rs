//! How several players share a tile: on a ring in the order of their numbers, the rest on a stack.
//!
//! A player that is halfway to another tile counts half on each of the two. So the ring opens and closes smoothly, and
//! depends on the moment only. Tested below.

use zappy_protocol::zappy::{Level, PlayerId};
use zappy_protocol::{MapSize, Position};

use super::glide::Glide;

/// Players of a tile that have a seat of their own.
pub const SEATS: usize = 6;
/// Token radius at level 1 by the players on the tile, in tiles.
const SIZES: [f64; 5] = [0.3, 0.3, 0.2, 0.18, 0.155];
/// Token radius of a player that is alone, at the lowest and at the highest level, in tiles.
const LONE_RADIUS: (f64, f64) = (SIZES[1], 0.5);
/// The ring's radius by the players on the tile, in tiles.
const RINGS: [f64; 7] = [0.0, 0.0, 0.23, 0.23, 0.25, 0.28, 0.305];
/// Where on the ring the first player stands, by the players on the tile, in turns clockwise from north.
const STARTS: [f64; 7] = [0.75, 0.75, 0.75, 1.0, 0.875, 1.0, 1.0];

/// The token radius of a player of that level that is alone on its tile, in tiles; between two levels it grows.
pub fn size_of(level: f64) -> f64 {
    let (lowest, highest) = (f64::from(Level::MIN.get()), f64::from(Level::MAX.get()));
    LONE_RADIUS.0 + (LONE_RADIUS.1 - LONE_RADIUS.0) * (level - lowest) / (highest - lowest)
}

/// How many times as large as a player of the lowest level one of that level is.
pub(super) fn growth(level: f64) -> f64 {
    size_of(level) / SIZES[1]
}

/// A player's seat on a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seat {
    /// Tiles east of the tile's middle.
    pub dx: f64,
    /// Tiles south of the tile's middle.
    pub dy: f64,
    /// The token's radius, in tiles.
    pub size: f64,
    /// Whether it shares the seat in the middle.
    pub stacked: bool,
}

const ALONE: Seat = Seat { dx: 0.0, dy: 0.0, size: SIZES[1], stacked: false };

/// A player on a tile: the tile's index, the player, its share there, its growth, its seat.
type Occupant = (usize, PlayerId, f64, f64, Seat);

/// Which players are on which tile, and how much of each; sorted by tile and player.
pub(super) struct Crowd {
    occupants: Vec<Occupant>,
}

/// The table's value at an index, which may lie between two entries.
fn interpolated(table: &[f64], at: f64) -> f64 {
    let last = table.len() - 1;
    let at = at.clamp(0.0, last as f64);
    let low = (at.floor() as usize).min(last);
    let high = (low + 1).min(last);
    table[low] + (table[high] - table[low]) * (at - low as f64)
}

/// The seat of a lowest-level player on a tile with `all` players, of which `before` have lower numbers.
fn seat(before: f64, all: f64) -> Seat {
    let seats = all.clamp(1.0, SEATS as f64);
    let turn = interpolated(&STARTS, all) + (before / seats).min(1.0);
    let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
    // When the ring is full, the next player goes to the middle.
    let outside = 1.0 - (before - (SEATS as f64 - 1.0)).clamp(0.0, 1.0);
    let ring = interpolated(&RINGS, all) * outside;
    Seat { dx: sin * ring, dy: -cos * ring, size: interpolated(&SIZES, all), stacked: outside == 0.0 }
}

impl Crowd {
    /// Seats players, given with their glides and their growth. `free` is the share of a player, 0 to 1, that needs a
    /// seat on a tile; the rest of it stands on an incantation's ring.
    pub(super) fn of(
        map: MapSize,
        glides: &[(PlayerId, Glide, f64)],
        free: impl Fn(PlayerId, Position) -> f64,
    ) -> Crowd {
        let mut occupants = Vec::with_capacity(glides.len() + glides.len() / 2);
        for (player, glide, grown) in glides {
            let share = glide.share * free(*player, glide.to);
            occupants.push((map.index(glide.to), *player, share, *grown, ALONE));
            if glide.share < 1.0 && glide.from != glide.to {
                let share = (1.0 - glide.share) * free(*player, glide.from);
                occupants.push((map.index(glide.from), *player, share, *grown, ALONE));
            }
        }
        occupants.sort_unstable_by_key(|&(tile, player, ..)| (tile, player));
        for tile in occupants.chunk_by_mut(|one, other| one.0 == other.0) {
            let all: f64 = tile.iter().map(|&(_, _, share, ..)| share).sum();
            // Grown players stand on a wider ring, so that they don't hide one another.
            let grown: f64 = tile.iter().map(|&(_, _, share, grown, _)| share * grown).sum();
            let wide = if all > 0.0 { grown / all } else { 1.0 };
            let mut before = 0.0;
            for (_, _, share, grown, place) in tile.iter_mut() {
                let seat = seat(before, all);
                *place = Seat { dx: seat.dx * wide, dy: seat.dy * wide, size: seat.size * *grown, ..seat };
                before += *share;
            }
        }
        Crowd { occupants }
    }

    /// A player's seat on a tile where it is.
    pub(super) fn seat(&self, map: MapSize, tile: Position, player: PlayerId, grown: f64) -> Seat {
        let key = (map.index(tile), player);
        let found = self.occupants.binary_search_by_key(&key, |&(tile, player, ..)| (tile, player));
        let alone = Seat { size: ALONE.size * grown, ..ALONE };
        found.ok().and_then(|index| self.occupants.get(index)).map_or(alone, |&(.., seat)| seat)
    }

    /// Tiles with a stack, and how many lie on it.
    pub(super) fn stacks(&self, map: MapSize) -> Vec<(Position, usize)> {
        let tiles = self.occupants.chunk_by(|one, other| one.0 == other.0);
        let counted = tiles.map(|tile| {
            (tile[0].0, tile.iter().filter(|(_, _, share, _, seat)| seat.stacked && *share > 0.0).count())
        });
        counted.filter(|&(_, count)| count > 1).map(|(tile, count)| (map.position(tile), count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(one: Seat, other: Seat) -> f64 {
        (one.dx - other.dx).hypot(one.dy - other.dy)
    }

    #[test]
    fn up_to_six_stand_apart_and_inside_their_tile() {
        for all in 1..=SEATS {
            let seats: Vec<Seat> = (0..all).map(|before| seat(before as f64, all as f64)).collect();
            for (one, place) in seats.iter().enumerate() {
                assert!(place.dx.abs().max(place.dy.abs()) + place.size < 0.5, "{all}: {place:?}");
                for other in &seats[..one] {
                    assert!(apart(*place, *other) > 1.9 * place.size, "{all}: {place:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn a_lone_player_grows_from_three_fifths_of_a_tile_to_a_whole_one() {
        assert!((size_of(1.0) - 0.3).abs() < 1e-9 && (size_of(8.0) - 0.5).abs() < 1e-9);
        for level in 2..=8 {
            let (before, now) = (f64::from(level) - 1.0, f64::from(level));
            assert!(growth(now) > growth(before) * 1.04, "{level}");
        }
    }

    #[test]
    fn the_rest_lies_in_the_middle() {
        let all = 20.0;
        assert!(!seat(5.0, all).stacked);
        for before in 6..20 {
            let rest = seat(f64::from(before), all);
            assert!(rest.stacked && rest.dx.hypot(rest.dy) < 1e-9);
        }
    }

    #[test]
    fn the_ring_opens_without_a_jump() {
        for fixed in 0..8 {
            let mut last = seat(f64::from(fixed), f64::from(fixed) + 1.0);
            for step in 1..=1000 {
                let now = seat(f64::from(fixed), f64::from(fixed) + 1.0 + f64::from(step) / 100.0);
                assert!(apart(last, now) < 0.02, "{fixed} {step}: {last:?} {now:?}");
                last = now;
            }
        }
    }
}
