//! Which part of the torus is shown, and how large.
//!
//! The world has no edge, so the middle of the view is any point of the plane that repeats it: a tile may be
//! seen several times. A tile point is in tiles from the map's origin; the tile `(0, 0)` covers 0 to 1. A camera
//! holds nothing but numbers, and they stay finite whatever the input. Tested in this module.

use std::ops::Range;

use zappy_protocol::{MapSize, Position};

use crate::ink::{Point, Rect};

/// Points per tile at the least: smaller tiles couldn't be distinguished.
pub const SCALE_MIN: f32 = 1.5;
/// Points per tile at the most: such a tile fills a good part of a small window.
pub const SCALE_MAX: f32 = 160.0;
/// The most tiles seen along one side, so that an absurd camera can't make a frame endless.
const SEEN_LIMIT: i64 = 12_000;
/// The rate of [`Camera::approach`]: in a second the distance shrinks by the factor e to the power of this.
const APPROACH_RATE: f64 = 7.0;
/// How small a map may become, as a share of the scale at which all of it fits.
const MIN_SHARE_OF_FIT: f32 = 0.4;
/// The share of the window that [`Camera::fit`] fills.
const FIT_SHARE: f32 = 0.96;

/// Points per tile at which a tile is seen well.
const CLOSE_SCALE: f32 = 36.0;
/// A map that has fewer points per tile than this when all of it is shown counts as large.
const LARGE_MAP_SCALE: f32 = 12.0;

/// Which part of the torus is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Tiles east of the map's origin, at the middle of the view.
    pub x: f64,
    /// Tiles south of the map's origin, at the middle of the view.
    pub y: f64,
    /// How many points a tile is wide.
    pub scale: f32,
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { x: 0.0, y: 0.0, scale: 32.0 }
    }
}

/// The columns and rows of tiles that are seen, in the endless plane: [`wrapped`] gives the map's tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleTiles {
    pub x: Range<i64>,
    pub y: Range<i64>,
}

impl VisibleTiles {
    /// How many tiles that is.
    pub fn count(&self) -> i64 {
        (self.x.end - self.x.start).saturating_mul(self.y.end - self.y.start)
    }

    /// Each tile as `(column, row)` of the endless plane, and which tile of the map it is; row by row.
    pub fn tiles(&self, map: MapSize) -> impl Iterator<Item = ((i64, i64), Position)> + '_ {
        let columns = self.x.clone();
        self.y.clone().flat_map(move |y| columns.clone().map(move |x| ((x, y), wrapped(map, x, y))))
    }
}

/// The map's tile at this column and row of the endless plane.
pub fn wrapped(map: MapSize, x: i64, y: i64) -> Position {
    let wrap = |value: i64, side: u16| u16::try_from(value.rem_euclid(i64::from(side))).unwrap_or(0);
    Position { x: wrap(x, map.width()), y: wrap(y, map.height()) }
}

/// The shortest way on the torus from one tile point to another, in tiles east and south.
pub fn shortest(map: MapSize, from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let shortest_along = |by: f64, side: u16| {
        let side = f64::from(side);
        by - (by / side).round() * side
    };
    (shortest_along(to.0 - from.0, map.width()), shortest_along(to.1 - from.1, map.height()))
}

/// Points per tile at which the whole map fits.
fn fitting(world: Rect, map: MapSize) -> f32 {
    let scale = (world.w / f32::from(map.width())).min(world.h / f32::from(map.height())) * FIT_SHARE;
    if scale.is_finite() { scale.clamp(SCALE_MIN, SCALE_MAX) } else { SCALE_MIN }
}

/// `world` is the rectangle of the window, in points, in which the map is shown.
impl Camera {
    /// Where a tile point is on the window.
    pub fn to_window(&self, world: Rect, (x, y): (f64, f64)) -> Point {
        let scale = f64::from(self.scale);
        world.centre() + Point::new(((x - self.x) * scale) as f32, ((y - self.y) * scale) as f32)
    }

    /// The tile point at a point of the window.
    pub fn to_tiles(&self, world: Rect, at: Point) -> (f64, f64) {
        let (from, scale) = (at - world.centre(), f64::from(self.scale));
        (self.x + f64::from(from.x) / scale, self.y + f64::from(from.y) / scale)
    }

    /// The tile at a point of the window.
    pub fn tile_at(&self, world: Rect, at: Point, map: MapSize) -> Position {
        let (x, y) = self.to_tiles(world, at);
        wrapped(map, x.floor() as i64, y.floor() as i64)
    }

    /// The tile in the middle of the view.
    pub fn tile(&self, map: MapSize) -> Position {
        wrapped(map, self.x.floor() as i64, self.y.floor() as i64)
    }

    /// Enlarges the map by a factor; the tile point at `about`, a point of the window, stays there.
    pub fn zoom(&mut self, world: Rect, factor: f32, about: Point) {
        let scale = (self.scale * factor).clamp(SCALE_MIN, SCALE_MAX);
        if !(scale.is_finite() && about.is_finite()) {
            return;
        }
        let (x, y) = self.to_tiles(world, about);
        self.scale = scale;
        let (now_x, now_y) = self.to_tiles(world, about);
        self.go(self.x + x - now_x, self.y + y - now_y);
    }

    /// As [`Camera::zoom`], but the map never becomes so small that it is seen more than a few times over.
    pub fn zoom_on(&mut self, world: Rect, map: MapSize, factor: f32, about: Point) {
        let least = (fitting(world, map) * MIN_SHARE_OF_FIT).clamp(SCALE_MIN, SCALE_MAX);
        self.zoom(world, factor.max((least / self.scale).min(1.0)), about);
    }

    /// Moves the view by so many points: to the east and the south when positive, so that the map moves the
    /// other way on the window.
    pub fn pan(&mut self, by: Point) {
        let scale = f64::from(self.scale);
        self.go(self.x + f64::from(by.x) / scale, self.y + f64::from(by.y) / scale);
    }

    /// Shows the whole map, in the middle.
    pub fn fit(&mut self, world: Rect, map: MapSize) {
        self.scale = fitting(world, map);
        self.go(f64::from(map.width()) / 2.0, f64::from(map.height()) / 2.0);
    }

    /// The same scale, but so that the tile point is seen at `at`, a point of the window.
    pub fn holding(self, world: Rect, (x, y): (f64, f64), at: Point) -> Camera {
        let (by, scale) = (at - world.centre(), f64::from(self.scale));
        Camera { x: x - f64::from(by.x) / scale, y: y - f64::from(by.y) / scale, ..self }
    }

    /// Brings a tile to the middle at once, by the shortest way.
    pub fn look_at(&mut self, map: MapSize, tile: Position) {
        let target = (f64::from(tile.x) + 0.5, f64::from(tile.y) + 0.5);
        let (dx, dy) = shortest(map, (self.x, self.y), target);
        self.go(self.x + dx, self.y + dy);
        self.normalise(map);
    }

    /// Brings a tile to the middle, and comes so close that it is seen well.
    pub fn visit(&mut self, world: Rect, map: MapSize, tile: Position) {
        self.look_at(map, tile);
        let whole = (world.w / f32::from(map.width())).min(world.h / f32::from(map.height()));
        // All of a small map is close enough.
        self.scale =
            self.scale.max(if whole < LARGE_MAP_SCALE { CLOSE_SCALE } else { whole.min(CLOSE_SCALE) });
    }

    /// Comes nearer to a tile point by the shortest way. It ends equally near, into however many calls the seconds are
    /// cut.
    pub fn approach(&mut self, map: MapSize, target: (f64, f64), seconds: f64) {
        let (dx, dy) = shortest(map, (self.x, self.y), target);
        let share = 1.0 - (-APPROACH_RATE * seconds.max(0.0)).exp();
        self.go(self.x + dx * share, self.y + dy * share);
        self.normalise(map);
    }

    /// Brings the middle back into the map, by whole widths and heights of it; nothing looks different.
    pub fn normalise(&mut self, map: MapSize) {
        let wrap = |value: f64, side: u16| {
            let rest = value.rem_euclid(f64::from(side));
            // A tiny negative number leaves the whole side as its remainder.
            if rest < f64::from(side) { rest } else { 0.0 }
        };
        self.go(wrap(self.x, map.width()), wrap(self.y, map.height()));
    }

    /// The same view; numbers that can't be drawn with are replaced.
    pub fn sane(mut self, map: MapSize) -> Camera {
        let limits = |scale: f32| scale.clamp(SCALE_MIN, SCALE_MAX);
        self.scale = if self.scale.is_finite() { limits(self.scale) } else { Camera::default().scale };
        if !(self.x.is_finite() && self.y.is_finite()) {
            (self.x, self.y) = (0.0, 0.0);
        }
        self.normalise(map);
        self
    }

    /// The tiles that are at least partly seen.
    pub fn visible(&self, world: Rect, map: MapSize) -> VisibleTiles {
        if world.is_empty() || map.area() == 0 {
            return VisibleTiles { x: 0..0, y: 0..0 };
        }
        let (left, top) = self.to_tiles(world, world.origin());
        let (right, bottom) = self.to_tiles(world, Point::new(world.right(), world.bottom()));
        let span = |from: f64, to: f64| {
            let from = from.floor() as i64;
            from..(to.ceil() as i64).clamp(from, from.saturating_add(SEEN_LIMIT))
        };
        VisibleTiles { x: span(left, right), y: span(top, bottom) }
    }

    /// Every point of the window at which a tile point is seen, as a small map is seen several times. `margin` is how
    /// far around the tile point something is drawn, in points: places so far outside are included.
    pub fn places(
        &self,
        world: Rect,
        map: MapSize,
        at: (f64, f64),
        margin: f32,
    ) -> impl Iterator<Item = Point> + use<> {
        let (first, scale) = (self.to_window(world, at), self.scale);
        let repeats = |first: f32, from: f32, to: f32, side: u16| {
            let step = f32::from(side) * scale;
            let count = |edge: f32| f64::from((edge - first) / step);
            let begin = count(from - margin).ceil() as i64;
            let end = (count(to + margin).floor() as i64).min(begin.saturating_add(SEEN_LIMIT));
            (begin..=end).map(move |count| first + count as f32 * step)
        };
        let rows = repeats(first.y, world.y, world.bottom(), map.height());
        let columns = repeats(first.x, world.x, world.right(), map.width());
        let can_be_seen = !world.is_empty() && first.is_finite();
        rows.filter(move |_| can_be_seen).flat_map(move |y| columns.clone().map(move |x| Point::new(x, y)))
    }

    fn go(&mut self, x: f64, y: f64) {
        if x.is_finite() && y.is_finite() {
            (self.x, self.y) = (x, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORLD: Rect = Rect::new(100.0, 40.0, 800.0, 600.0);

    fn map(w: u16, h: u16) -> MapSize {
        MapSize::new(w, h).unwrap()
    }

    #[test]
    fn the_tile_under_the_cursor_is_the_same_across_the_seam() {
        let camera = Camera { x: 0.0, y: 0.0, scale: 40.0 };
        let centre = WORLD.centre();
        assert_eq!(camera.tile_at(WORLD, centre + Point::new(1.0, 1.0), map(10, 8)), Position { x: 0, y: 0 });
        assert_eq!(camera.tile_at(WORLD, centre - Point::new(1.0, 1.0), map(10, 8)), Position { x: 9, y: 7 });
        let far = centre + Point::new(40.0 * 10.0 * 3.0 + 1.0, 1.0);
        assert_eq!(camera.tile_at(WORLD, far, map(10, 8)), Position { x: 0, y: 0 });
    }

    #[test]
    fn looking_at_a_tile_goes_the_shortest_way() {
        let mut camera = Camera { x: 9.5, y: 0.5, scale: 30.0 };
        camera.approach(map(10, 8), (0.5, 0.5), 0.02);
        assert!(camera.x > 9.5, "{camera:?}");
        camera.look_at(map(10, 8), Position { x: 0, y: 7 });
        assert_eq!((camera.x, camera.y), (0.5, 7.5));
    }

    #[test]
    fn following_does_not_depend_on_the_frame_rate() {
        let (mut one, mut other) = (Camera::default(), Camera::default());
        one.approach(map(50, 50), (10.0, 8.0), 0.5);
        for _ in 0..50 {
            other.approach(map(50, 50), (10.0, 8.0), 0.01);
        }
        assert!((one.x - other.x).abs() + (one.y - other.y).abs() < 1e-9);
    }

    #[test]
    fn the_whole_map_fits() {
        for (w, h) in [(10, 8), (100, 100), (300, 7)] {
            let mut camera = Camera::default();
            camera.fit(WORLD, map(w, h));
            let (from, to) =
                (camera.to_window(WORLD, (0.0, 0.0)), camera.to_window(WORLD, (w.into(), h.into())));
            assert!(WORLD.encloses(Rect::between(from, to), 0.1), "{camera:?}");
        }
    }

    #[test]
    fn a_map_is_never_seen_too_often() {
        let mut camera = Camera::default();
        camera.fit(WORLD, map(10, 8));
        let fit = camera.scale;
        for _ in 0..20 {
            camera.zoom_on(WORLD, map(10, 8), 0.8, WORLD.centre());
        }
        assert!((camera.scale - fit * 0.4).abs() < 1e-3, "{camera:?}");
        camera.zoom_on(WORLD, map(10, 8), 1.5, WORLD.centre());
        assert!((camera.scale - fit * 0.6).abs() < 1e-3);
        // A camera that came from a larger map may stay, and may come nearer.
        camera.scale = 3.0;
        camera.zoom_on(WORLD, map(10, 8), 0.5, WORLD.centre());
        assert_eq!(camera.scale, 3.0);
    }

    #[test]
    fn what_is_seen_covers_the_place_and_no_more() {
        let camera = Camera { x: 0.2, y: 7.9, scale: 100.0 };
        let seen = camera.visible(WORLD, map(10, 8));
        assert_eq!((seen.x.clone(), seen.y.clone()), (-4..5, 4..11));
        assert_eq!(seen.tiles(map(10, 8)).next(), Some(((-4, 4), Position { x: 6, y: 4 })));
        assert_eq!(camera.visible(Rect::default(), map(10, 8)).tiles(map(10, 8)).count(), 0);
        let broken = Camera { scale: f32::NAN, ..camera };
        assert!(broken.visible(WORLD, map(10, 8)).tiles(map(10, 8)).count() < 2);
    }

    proptest! {
        #[test]
        fn zooming_keeps_what_is_under_the_cursor(
            x in 0.0f64..20.0, y in 0.0f64..20.0, factor in 0.2f32..5.0, px in 100.0f32..900.0, py in 40.0f32..640.0,
        ) {
            let mut camera = Camera { x, y, scale: 30.0 };
            let at = Point::new(px, py);
            let before = camera.to_tiles(WORLD, at);
            camera.zoom(WORLD, factor, at);
            let after = camera.to_tiles(WORLD, at);
            prop_assert!((before.0 - after.0).abs() + (before.1 - after.1).abs() < 1e-9);
            prop_assert!((SCALE_MIN..=SCALE_MAX).contains(&camera.scale));
        }

        #[test]
        fn counting_from_the_origin_again_changes_no_picture(x in -90.0f64..90.0, y in -90.0f64..90.0) {
            let mut camera = Camera { x, y, scale: 30.0 };
            let size = map(10, 8);
            // What lies on the very edge may be in the view before and not after, or the other way round.
            let places = |camera: &Camera, margin: f32| -> Vec<Point> {
                camera.places(WORLD, size, (3.2, 1.7), margin).collect()
            };
            let moved = |from: &[Point], to: &[Point]| {
                let near = |one: &Point| to.iter().any(|other| one.distance(*other) < 0.2);
                from.iter().find(|one| !near(one)).copied()
            };
            let (before, wider) = (places(&camera, 0.0), places(&camera, 5.0));
            camera.normalise(size);
            prop_assert!((0.0..10.0).contains(&camera.x) && (0.0..8.0).contains(&camera.y));
            prop_assert_eq!(moved(&before, &places(&camera, 5.0)), None);
            prop_assert_eq!(moved(&places(&camera, 0.0), &wider), None);
        }

        #[test]
        fn every_repeat_is_seen(x in 0.0f64..10.0, y in 0.0f64..8.0, scale in 5.0f32..120.0) {
            let camera = Camera { x, y, scale };
            let size = map(10, 8);
            let there = camera.places(WORLD, size, (2.5, 3.5), 0.0).filter(|&at| WORLD.contains(at)).count();
            let seen = camera.visible(WORLD, size);
            let hits = seen.tiles(size).filter(|(tile, at)| {
                let middle = camera.to_window(WORLD, (tile.0 as f64 + 0.5, tile.1 as f64 + 0.5));
                *at == Position { x: 2, y: 3 } && WORLD.contains(middle)
            });
            prop_assert_eq!(there, hits.count());
        }
    }
}
