//! The two numberings on the torus: the tiles of a `Look` and the directions of a sound.
//!
//! Integers only, so every result is exact and the same on every machine. Tested in this module.

use super::types::Orientation;
use crate::types::{MapSize, Position};

impl MapSize {
    /// The neighbouring tile in that direction, around the edges.
    #[must_use]
    pub fn step(self, at: Position, way: Orientation) -> Position {
        self.offset(at, way.step())
    }
}

impl Orientation {
    /// Turns `(ahead, right)` as this player sees it into `(dx, dy)` on the map.
    pub const fn to_map(self, (ahead, right): (i32, i32)) -> (i32, i32) {
        let (fx, fy) = self.step();
        let (rx, ry) = self.right().step();
        (fx * ahead + rx * right, fy * ahead + ry * right)
    }

    /// Turns `(dx, dy)` on the map into `(ahead, right)` as this player sees it.
    pub const fn from_map(self, (dx, dy): (i32, i32)) -> (i32, i32) {
        let (fx, fy) = self.step();
        let (rx, ry) = self.right().step();
        (fx * dx + fy * dy, rx * dx + ry * dy)
    }
}

/// How many tiles a `Look` shows at that level.
pub const fn vision_tiles(level: u8) -> usize {
    let side = level as usize + 1;
    side * side
}

/// Where the `Look` tile of that number lies, as `(ahead, right)`: row `d` holds the tiles `d²` to
/// `d² + 2d`, from left to right.
pub fn vision_offset(tile: usize) -> (i32, i32) {
    let row = tile.isqrt();
    let column = tile - row * row;
    let row = i32::try_from(row).unwrap_or(i32::MAX);
    (row, i32::try_from(column).unwrap_or(i32::MAX) - row)
}

/// The number of the direction a sound comes from: 0 on the same tile, else 1 in front and on
/// counter-clockwise to 8. `delta` is the way from the receiver to the emitter on the map.
///
/// Cardinal if `(a + b)² < 2·b²`, with `a` the smaller and `b` the larger of the two distances: that is the
/// nearest of eight angles, and no two whole numbers tie.
pub fn sound_direction(delta: (i32, i32), facing: Orientation) -> u8 {
    let Some(((a, b), (axis, diagonal))) = distances_and_directions(delta, facing) else { return 0 };
    if (a + b) * (a + b) < 2 * b * b { axis } else { diagonal }
}

/// As [`sound_direction`], by the official server's sectors: cardinal if `3·a < b`, with `a` the smaller and `b` the
/// larger of the two distances; at exactly `3·a = b` the sector that comes next counter-clockwise.
pub fn sound_direction_by_thirds(delta: (i32, i32), facing: Orientation) -> u8 {
    let Some(((a, b), (axis, diagonal))) = distances_and_directions(delta, facing) else { return 0 };
    // The numbers grow counter-clockwise, and 1 comes after 8.
    let comes_next = diagonal == axis % 8 + 1;
    if 3 * a > b || 3 * a == b && comes_next { diagonal } else { axis }
}

/// The smaller and the larger of the two distances, and the cardinal and the diagonal direction between which the way
/// lies; `None` on the same tile.
fn distances_and_directions(delta: (i32, i32), facing: Orientation) -> Option<((i64, i64), (u8, u8))> {
    let (ahead, right) = facing.from_map(delta);
    if (ahead, right) == (0, 0) {
        return None;
    }
    let (a, b) = (i64::from(ahead.abs().min(right.abs())), i64::from(ahead.abs().max(right.abs())));
    let axis = if ahead.abs() > right.abs() { (ahead.signum(), 0) } else { (0, right.signum()) };
    let directions = (direction_number(axis.0, axis.1), direction_number(ahead.signum(), right.signum()));
    Some(((a, b), directions))
}

/// The number of the side a push came from, as the pushed player sees it: 1 in front, 3 left, 5 behind, 7
/// right. `pushed` is the way it was moved.
pub fn push_direction(pushed: Orientation, facing: Orientation) -> u8 {
    let (ahead, right) = facing.from_map(pushed.opposite().step());
    direction_number(ahead, right)
}

fn direction_number(ahead: i32, right: i32) -> u8 {
    (1..=8).find(|number| direction_offset(*number) == Some((ahead, right))).unwrap_or(0)
}

/// The way a direction number points, as `(ahead, right)` of -1, 0 or 1; `None` for 0 and beyond 8.
pub const fn direction_offset(number: u8) -> Option<(i32, i32)> {
    Some(match number {
        1 => (1, 0),
        2 => (1, -1),
        3 => (0, -1),
        4 => (-1, -1),
        5 => (-1, 0),
        6 => (-1, 1),
        7 => (0, 1),
        8 => (1, 1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_row_seen_from_seven_seven_facing_east() {
        let size = MapSize::new(10, 10).unwrap();
        let seen: Vec<Position> = (0..4)
            .map(|t| size.offset(Position { x: 7, y: 7 }, Orientation::East.to_map(vision_offset(t))))
            .collect();
        let expected = [(7, 7), (8, 6), (8, 7), (8, 8)].map(|(x, y)| Position { x, y });
        assert_eq!(seen, expected);
    }

    #[test]
    fn eight_directions_around_a_listener_facing_north() {
        let around = [(0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1)];
        let heard: Vec<u8> = around.iter().map(|&d| sound_direction(d, Orientation::North)).collect();
        assert_eq!(heard, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(sound_direction((0, 0), Orientation::West), 0);
    }

    #[test]
    fn the_border_between_cardinal_and_diagonal_is_at_22_5_degrees() {
        assert_eq!(sound_direction((2, -5), Orientation::North), 1, "atan(2/5) = 21.8 degrees");
        assert_eq!(sound_direction((5, -12), Orientation::North), 8, "atan(5/12) = 22.6 degrees");
        assert_eq!(sound_direction((12, -5), Orientation::North), 8);
        assert_eq!(sound_direction((12, -4), Orientation::North), 7);
    }

    #[test]
    fn the_official_sectors_meet_at_one_to_three_and_ties_go_counter_clockwise() {
        let heard = |delta| sound_direction_by_thirds(delta, Orientation::North);
        assert_eq!([heard((0, 0)), heard((1, -4)), heard((1, -2)), heard((2, -5))], [0, 1, 8, 8]);
        // Around the listener, from the front on counter-clockwise: each tie is between two distances_and_directions.
        let ties = [(-1, -3), (-3, -1), (-3, 1), (-1, 3), (1, 3), (3, 1), (3, -1), (1, -3)];
        assert_eq!(ties.map(heard), [2, 3, 4, 5, 6, 7, 8, 1]);
    }

    #[test]
    fn half_a_map_away_the_official_way_stays_on_the_map() {
        let size = MapSize::new(10, 7).unwrap();
        let (west, east) = (Position { x: 2, y: 1 }, Position { x: 7, y: 1 });
        assert_eq!((size.delta(east, west), size.delta_within(east, west)), ((5, 0), (-5, 0)));
        assert_eq!((size.delta(west, east), size.delta_within(west, east)), ((5, 0), (5, 0)));
        let far = Position { x: 9, y: 6 };
        assert_eq!(size.delta_within(west, far), size.delta(west, far));
    }

    #[test]
    fn a_push_from_behind_is_five() {
        for way in Orientation::ALL {
            assert_eq!(push_direction(way, way), 5);
            assert_eq!(push_direction(way, way.opposite()), 1);
            assert_eq!(push_direction(way, way.right()), 7);
            assert_eq!(push_direction(way, way.left()), 3);
        }
    }

    proptest! {
        #[test]
        fn the_nearest_of_eight_angles(dx in -300i32..300, dy in -300i32..300) {
            prop_assume!((dx, dy) != (0, 0));
            let degrees = f64::from(-dx).atan2(f64::from(-dy)).to_degrees().rem_euclid(360.0);
            let nearest = ((degrees / 45.0).round() as u8) % 8 + 1;
            prop_assert_eq!(sound_direction((dx, dy), Orientation::North), nearest);
        }

        #[test]
        fn turning_the_listener_turns_the_sound(dx in -50i32..50, dy in -50i32..50) {
            prop_assume!((dx, dy) != (0, 0));
            for facing in Orientation::ALL {
                let turned = sound_direction((dx, dy), facing.right());
                prop_assert_eq!((sound_direction((dx, dy), facing) + 1) % 8 + 1, turned);
            }
        }

        #[test]
        fn frames_turn_back(o in 0usize..4, dx in -9i32..9, dy in -9i32..9) {
            let facing = Orientation::ALL[o];
            prop_assert_eq!(facing.to_map(facing.from_map((dx, dy))), (dx, dy));
        }
    }
}
