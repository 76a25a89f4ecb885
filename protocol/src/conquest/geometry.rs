//! What is near what on the torus: diagonals count as one step.
//!
//! Integers only. Tested in this module.

use crate::types::{MapSize, Position};

/// The steps to the eight neighbours as `(dx, dy)`, clockwise from north.
pub const AROUND: [(i32, i32); 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// The distance of two tiles, in tiles: the greater one of the two axes, each by its shorter way.
pub fn reach(size: MapSize, from: Position, to: Position) -> u32 {
    let (dx, dy) = size.delta(from, to);
    dx.unsigned_abs().max(dy.unsigned_abs())
}

/// Whether the tiles are neighbours; a tile isn't its own neighbour.
pub fn adjacent(size: MapSize, from: Position, to: Position) -> bool {
    reach(size, from, to) == 1
}

/// The eight neighbours, clockwise from north.
pub fn neighbours(size: MapSize, at: Position) -> impl Iterator<Item = Position> {
    AROUND.into_iter().map(move |step| size.offset(at, step))
}

/// The tile and its eight neighbours.
pub fn surroundings(size: MapSize, at: Position) -> impl Iterator<Item = Position> {
    std::iter::once(at).chain(neighbours(size, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_lie_around_the_edges_too() {
        let size = MapSize::new(8, 10).unwrap();
        let corner = Position { x: 0, y: 9 };
        let around: Vec<String> = neighbours(size, corner).map(|at| at.to_string()).collect();
        assert_eq!(around, ["0 8", "1 8", "1 9", "1 0", "0 0", "7 0", "7 9", "7 8"]);
        assert!(neighbours(size, corner).all(|at| adjacent(size, corner, at)));
        assert!(!adjacent(size, corner, corner));
        assert_eq!(reach(size, corner, Position { x: 6, y: 4 }), 5);
    }
}
