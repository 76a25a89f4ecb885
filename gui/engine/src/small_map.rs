//! The whole map of a torus, small: where a tile is on it, and which part of it the camera shows.
//!
//! Draws what is the same for every game on a map; knows no game. Must never keep anything between frames. Tested
//! below.

use zappy_protocol::MapSize;

use crate::camera::Camera;
use crate::ink::{Canvas, Color, Point, Rect};
use crate::theme::{GROUND, NIGHT, PANEL_LINE, TEXT};

/// Where the whole map is drawn small.
#[derive(Debug, Clone, Copy)]
pub struct SmallMap {
    /// Where the map is within its panel: as large as its shape allows, in the middle.
    pub area: Rect,
    map: MapSize,
    /// Points per tile.
    pub scale: f32,
}

impl SmallMap {
    /// A map of that size within `place`; `None` without room.
    pub fn new(place: Rect, map: MapSize) -> Option<SmallMap> {
        let (w, h) = (f32::from(map.width()), f32::from(map.height()));
        let scale = (place.w / w).min(place.h / h);
        let area = Rect::around(place.centre(), w * scale, h * scale);
        (scale.is_finite() && !area.is_empty()).then_some(SmallMap { area, map, scale })
    }

    /// The tile point at a point of the window; `None` beside the map.
    pub fn tile_point(&self, at: Point) -> Option<(f64, f64)> {
        let from = at - self.area.origin();
        self.area.contains(at).then(|| (f64::from(from.x / self.scale), f64::from(from.y / self.scale)))
    }

    /// The point of the window at which a tile point is drawn.
    pub fn at(&self, (x, y): (f64, f64)) -> Point {
        let wrap = |value: f64, side: u16| value.rem_euclid(f64::from(side)) as f32;
        let (x, y) = (wrap(x, self.map.width()), wrap(y, self.map.height()));
        self.area.origin() + Point::new(x * self.scale, y * self.scale)
    }

    /// Draws a whole map into `place`: its ground, in at most `max_cells` cells along a side, the `things` on it, the
    /// frame of what the camera shows in the rectangle `world`, and what lies `over` that. `color` gives a cell's
    /// colour for the first and the end of its columns, and of its rows.
    pub fn draw(
        canvas: &mut Canvas,
        (place, map): (Rect, MapSize),
        (max_cells, color): (u16, impl Fn((u16, u16), (u16, u16)) -> Color),
        (camera, world): (Camera, Rect),
        (things, over): (impl FnOnce(&mut Canvas, &SmallMap), impl FnOnce(&mut Canvas, &SmallMap)),
    ) {
        let Some(small) = SmallMap::new(place, map) else { return };
        canvas.clipped(place, |canvas| {
            canvas.rect(small.area, GROUND);
            small.ground(canvas, max_cells, color);
            canvas.clipped(small.area, |canvas| {
                things(canvas, &small);
                small.frame(canvas, camera, world);
                over(canvas, &small);
            });
            canvas.outline(small.area, 0.0, canvas.hairline(), PANEL_LINE);
        });
    }

    /// Draws the ground in cells; the parameters are those of [`SmallMap::draw`].
    fn ground(&self, canvas: &mut Canvas, max_cells: u16, color: impl Fn((u16, u16), (u16, u16)) -> Color) {
        let cut = |side: u16| -> Vec<(u16, u16)> {
            let cells = side.min(max_cells);
            let border =
                |cell: u16| u16::try_from(u32::from(cell) * u32::from(side) / u32::from(cells.max(1)));
            (0..cells).map(|cell| (border(cell).unwrap_or(0), border(cell + 1).unwrap_or(side))).collect()
        };
        let rows = cut(self.map.height());
        for (left, right) in cut(self.map.width()) {
            for &(top, bottom) in &rows {
                let from = self.area.origin() + Point::new(f32::from(left), f32::from(top)) * self.scale;
                let size = Point::new(f32::from(right - left), f32::from(bottom - top)) * self.scale;
                let cell = canvas.snap(Rect::new(from.x, from.y, size.x, size.y));
                canvas.rect(cell, color((left, right), (top, bottom)));
            }
        }
    }

    /// Draws a frame around what the camera shows, in as many pieces as the seam cuts it into. The rest of the map is
    /// darkened, so that pieces in several corners are understood as one.
    fn frame(&self, canvas: &mut Canvas, camera: Camera, world: Rect) {
        let pieces = self.pieces(camera, world);
        for rest in pieces.iter().fold(vec![self.area], |rest, piece| {
            rest.into_iter().flat_map(|part| without(part, *piece)).collect()
        }) {
            canvas.rect(rest, NIGHT.alpha(0.5));
        }
        for piece in pieces {
            let rect = canvas.snap(piece);
            canvas.outline(rect.inset(-1.0), 2.0, 3.0, NIGHT.alpha(0.6));
            canvas.outline(rect.inset(0.5), 1.5, 1.5, TEXT);
        }
    }

    /// The parts of the small map that the camera shows.
    fn pieces(&self, camera: Camera, world: Rect) -> Vec<Rect> {
        let Camera { x, y, scale } = camera.sane(self.map);
        let (w, h) = (f32::from(self.map.width()), f32::from(self.map.height()));
        let (wide, high) = (world.w / scale, world.h / scale);
        let middle = self.at((x, y));
        let size = |seen: f32, side: f32| (seen.min(side) * self.scale).max(6.0);
        let (width, height) = (size(wide, w), size(high, h));
        let centre = Point::new(
            if wide >= w { self.area.centre().x } else { middle.x },
            if high >= h { self.area.centre().y } else { middle.y },
        );
        let repeats = |all: bool| if all { 0..=0 } else { -1..=1 };
        let mut found = Vec::new();
        for column in repeats(wide >= w) {
            for row in repeats(high >= h) {
                let by = Point::new(column as f32 * self.area.w, row as f32 * self.area.h);
                let piece = Rect::around(centre + by, width, height).intersect(self.area);
                if piece.w > 0.5 && piece.h > 0.5 {
                    found.push(piece);
                }
            }
        }
        found
    }
}

/// The parts of a rectangle outside another one: above it, below it, and at its sides.
fn without(rect: Rect, hole: Rect) -> Vec<Rect> {
    let hole = hole.intersect(rect);
    if hole.is_empty() {
        return vec![rect];
    }
    let parts = [
        Rect::new(rect.x, rect.y, rect.w, hole.y - rect.y),
        Rect::new(rect.x, hole.bottom(), rect.w, rect.bottom() - hole.bottom()),
        Rect::new(rect.x, hole.y, hole.x - rect.x, hole.h),
        Rect::new(hole.right(), hole.y, rect.right() - hole.right(), hole.h),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_of_the_view_is_whole_wherever_the_edge_cuts_it() {
        let map = MapSize::new(20, 20).unwrap();
        let small = SmallMap::new(Rect::new(10.0, 10.0, 200.0, 200.0), map).unwrap();
        let world = Rect::new(0.0, 0.0, 600.0, 500.0);
        for (middle, many) in [((10.0, 10.0), 1), ((0.5, 10.0), 2), ((19.0, 0.5), 4)] {
            let camera = Camera { x: middle.0, y: middle.1, scale: 60.0 };
            let pieces = small.pieces(camera, world);
            assert_eq!(pieces.len(), many, "{middle:?}: {pieces:?}");
            assert!(pieces.iter().all(|piece| small.area.encloses(*piece, 0.01)), "{pieces:?}");
            // Together they are as large as what is seen: 10 by 8⅓ tiles of ten points.
            let seen: f32 = pieces.iter().map(|piece| piece.w * piece.h).sum();
            assert!((seen - 100.0 * 500.0 / 6.0).abs() < 1.0, "{seen}");
            let rest = pieces.iter().fold(vec![small.area], |rest, piece| {
                rest.into_iter().flat_map(|part| without(part, *piece)).collect()
            });
            let dark: f32 = rest.iter().map(|part| part.w * part.h).sum();
            assert!((seen + dark - 40_000.0).abs() < 1.0, "all else is darker: {dark}");
        }
    }
}
