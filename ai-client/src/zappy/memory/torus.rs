//! The world's shape in a player's own frame.
//!
//! The handshake has width and height, but doesn't say which of them the player faces along. On a map that isn't square
//! both shapes stay possible until sounds rule one out; until then no way leads around the edge. Tested in this
//! module.

use zappy_protocol::MapSize;
use zappy_protocol::zappy::Orientation;
use zappy_protocol::zappy::geometry::sound_direction;

/// A tile in a player's own frame: the player was born at (0, 0); `x` grows to its right, `y` behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Spot {
    pub x: i32,
    pub y: i32,
}

impl Spot {
    /// The tile that lies `dx` tiles to the right of this one and `dy` behind it.
    pub fn plus(self, (dx, dy): (i32, i32)) -> Spot {
        Spot { x: self.x.saturating_add(dx), y: self.y.saturating_add(dy) }
    }
}

/// Width and height in the player's own frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Tiles around the world along `x`.
    pub width: i32,
    /// Tiles around the world along `y`.
    pub height: i32,
}

impl Shape {
    /// The shortest way between two tiles, as `(dx, dy)`.
    pub fn delta(self, from: Spot, to: Spot) -> (i32, i32) {
        let shortest = |from: i32, to: i32, side: i32| {
            let around = to.saturating_sub(from).rem_euclid(side);
            if around * 2 <= side { around } else { around - side }
        };
        (shortest(from.x, to.x, self.width), shortest(from.y, to.y, self.height))
    }

    /// The same tile with coordinates from 0 up to, but not including, width and height.
    pub fn normal(self, spot: Spot) -> Spot {
        Spot { x: spot.x.rem_euclid(self.width), y: spot.y.rem_euclid(self.height) }
    }

    /// Whether a sound from `to` may be heard at `from` from that direction. Where both ways round are equally long
    /// the map's own east and south decide, which a player doesn't know: either counts.
    pub fn may_sound(self, from: Spot, facing: Orientation, to: Spot, direction: u8) -> bool {
        let (dx, dy) = self.delta(from, to);
        let xs = if dx * 2 == self.width { [dx, -dx] } else { [dx, dx] };
        let ys = if dy * 2 == self.height { [dy, -dy] } else { [dy, dy] };
        xs.iter().any(|&dx| ys.iter().any(|&dy| sound_direction((dx, dy), facing) == direction))
    }
}

/// The shapes that are still possible: one or two.
#[derive(Debug, Clone)]
pub struct Torus(Vec<Shape>);

impl Torus {
    /// The torus with all shapes that the handshake leaves open.
    pub fn new(size: MapSize) -> Torus {
        let (width, height) = (i32::from(size.width()), i32::from(size.height()));
        let mut shapes = vec![Shape { width, height }, Shape { width: height, height: width }];
        shapes.dedup();
        Torus(shapes)
    }

    /// The shapes that the world may have: one, or two.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> {
        self.0.iter().copied()
    }

    /// Whether only one shape is possible.
    pub fn is_certain(&self) -> bool {
        self.0.len() == 1
    }

    /// From now on the shape is known.
    pub fn settle(&mut self, shape: Shape) {
        self.0 = vec![shape];
    }

    /// The shortest way between two tiles, as `(dx, dy)`; not around the edge while two shapes are possible.
    pub fn delta(&self, from: Spot, to: Spot) -> (i32, i32) {
        if self.is_certain() {
            self.0[0].delta(from, to)
        } else {
            (to.x.saturating_sub(from.x), to.y.saturating_sub(from.y))
        }
    }

    /// The tile with its final coordinates; unchanged while two shapes are possible, so that a tile may have several
    /// spots.
    pub fn normal(&self, spot: Spot) -> Spot {
        if self.is_certain() { self.0[0].normal(spot) } else { spot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_has_one_shape_and_others_two() {
        let square = Torus::new(MapSize::new(8, 8).unwrap());
        assert_eq!(square.normal(Spot { x: -1, y: 9 }), Spot { x: 7, y: 1 });
        assert_eq!(square.delta(Spot::default(), Spot { x: 7, y: 3 }), (-1, 3));
        let mut long = Torus::new(MapSize::new(8, 4).unwrap());
        assert!(!long.is_certain());
        assert_eq!(long.delta(Spot::default(), Spot { x: 7, y: 3 }), (7, 3));
        long.settle(Shape { width: 4, height: 8 });
        assert_eq!(long.delta(Spot::default(), Spot { x: 7, y: 3 }), (-1, 3));
    }

    #[test]
    fn a_sound_from_the_other_side_of_the_world_may_come_both_ways() {
        let shape = Shape { width: 10, height: 10 };
        let (here, there) = (Spot::default(), Spot { x: 5, y: 0 });
        let heard: Vec<u8> =
            (0..=8).filter(|&k| shape.may_sound(here, Orientation::North, there, k)).collect();
        assert_eq!(heard, [3, 7]);
    }
}
