//! A torus on the window: where tiles are seen, the seam, and the numbers at the edges.
//!
//! Draws what is the same for every game on a map; knows no game. Must never keep anything between frames. Tested below
//! and with the worlds of the games.

use std::ops::Range;

use zappy_protocol::{MapSize, Position};

use crate::camera::{Camera, VisibleTiles, shortest, wrapped};
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::theme::{ACCENT, NIGHT, SEAM, TERRAIN, TEXT, TEXT_FAINT, TEXT_SOFT, gap, size};

/// The opacity of the night over repeats of the world: they keep a quarter of their light.
const DIM: f32 = 0.75;
/// Points per tile above which coordinates begin to show, and above which they show fully.
const LABELS_FROM: (f32, f32) = (4.0, 7.0);
/// Points per tile from which on there is room for words.
const WORDS_FROM: f32 = 24.0;
/// Points between two coordinates at the least.
const LABEL_DISTANCE: f32 = 34.0;
/// Height of the strip of coordinates, in points.
const LABEL_STRIP: f32 = 18.0;
/// The most things that are drawn, counting repeats; but each thing is drawn once, however many there are.
const DRAWN_LIMIT: f32 = 4_000.0;

/// Where a torus is seen on the window.
#[derive(Debug, Clone, Copy)]
pub struct TorusView {
    /// The rectangle of the window in which the world is shown, in points.
    pub place: Rect,
    /// The part of `place` in which things are drawn: all of it, unless there would be more things than `DRAWN_LIMIT`.
    pub area: Rect,
    /// Which part is seen, and how large.
    pub camera: Camera,
    pub map: MapSize,
}

impl TorusView {
    /// A torus of that size with `things` things on it.
    pub fn new(place: Rect, camera: Camera, map: MapSize, things: usize) -> TorusView {
        let camera = camera.sane(map);
        let repeats = (DRAWN_LIMIT / things.max(1) as f32).sqrt().floor().max(1.0);
        let (w, h) = (f32::from(map.width()), f32::from(map.height()));
        let (w, h) = (w * repeats * camera.scale, h * repeats * camera.scale);
        let area = Rect::around(place.centre(), w, h).intersect(place);
        TorusView { place, area, camera, map }
    }

    /// A length in tiles as points.
    pub fn tiles(&self, tiles: f64) -> f32 {
        tiles as f32 * self.camera.scale
    }

    /// Every point of the window at which a tile point is seen; what is drawn there reaches `margin` points around it.
    pub fn seen(&self, at: (f64, f64), margin: f32) -> impl Iterator<Item = Point> + use<> {
        self.camera.places(self.area, self.map, at, margin)
    }

    /// The part of the window that shows the world once, at full light; around it are repeats.
    pub fn lit(&self) -> Rect {
        let [w, h] = [self.map.width(), self.map.height()].map(|tiles| f32::from(tiles) * self.camera.scale);
        Rect::around(self.place.centre(), w, h)
    }

    /// The point at which a tile point is seen in the part at full light: what shall be seen only once is drawn there.
    /// It may lie beside the window.
    pub fn once(&self, at: (f64, f64)) -> Point {
        let (dx, dy) = shortest(self.map, (self.camera.x, self.camera.y), at);
        self.place.centre() + Point::new(self.tiles(dx), self.tiles(dy))
    }

    /// The rectangle of a tile around its middle, `share` of its full size.
    pub fn tile_rect(&self, middle: Point, share: f32) -> Rect {
        let side = self.camera.scale * share;
        Rect::around(middle, side, side)
    }

    /// Draws the seam: the lines at which the map begins anew.
    pub fn seam(&self, canvas: &mut Canvas, seen: &VisibleTiles) {
        let (w, h) = (i64::from(self.map.width()), i64::from(self.map.height()));
        let width = (self.camera.scale * 0.04).clamp(1.0, 2.5);
        let narrow = w.min(h) as f32 * self.camera.scale;
        let color = SEAM.alpha(0.75 * (narrow / 90.0).clamp(0.15, 1.0));
        let place = self.place;
        let seams = |from: i64, to: i64, side: i64| {
            (from.div_euclid(side)..=to.div_euclid(side)).map(move |repeat| repeat * side)
        };
        for x in seams(seen.x.start, seen.x.end, w) {
            let at = self.camera.to_window(place, (x as f64, 0.0)).x;
            canvas.rect(Rect::new(at - width / 2.0, place.y, width, place.h), color);
        }
        for y in seams(seen.y.start, seen.y.end, h) {
            let at = self.camera.to_window(place, (0.0, y as f64)).y;
            canvas.rect(Rect::new(place.x, at - width / 2.0, place.w, width), color);
        }
    }

    /// Darkens the repeats, so that everything is seen once at full light; the light fades over one tile around the
    /// world.
    pub fn shade(&self, canvas: &mut Canvas) {
        let (place, lit) = (self.place, self.lit());
        if lit.encloses(place, 0.0) {
            return;
        }
        let soft = self.camera.scale;
        let cuts = |from: f32, to: f32, first: f32, last: f32| {
            [first.min(from - soft), from - soft, from, to, to + soft, last.max(to + soft)]
        };
        let xs = cuts(lit.x, lit.right(), place.x, place.right());
        let ys = cuts(lit.y, lit.bottom(), place.y, place.bottom());
        let dim = |x: usize, y: usize| {
            let inside = (2..=3).contains(&x) && (2..=3).contains(&y);
            NIGHT.alpha(if inside { 0.0 } else { DIM })
        };
        for (y, high) in ys.windows(2).enumerate() {
            for (x, wide) in xs.windows(2).enumerate() {
                let area = Rect::new(wide[0], high[0], wide[1] - wide[0], high[1] - high[0]);
                canvas.blend(area, [dim(x, y), dim(x + 1, y), dim(x + 1, y + 1), dim(x, y + 1)]);
            }
        }
    }

    /// Draws the outline of a tile, at least 7 points wide.
    pub fn frame(&self, canvas: &mut Canvas, at: Position, color: Color, width: f32) {
        for middle in self.seen(middle(at), self.camera.scale + 8.0) {
            let side = self.camera.scale.max(7.0) / self.camera.scale;
            let rect = self.tile_rect(middle, side);
            canvas.outline(rect, self.camera.scale * 0.08, width, color);
        }
    }

    /// Draws the outline of the tile under the mouse.
    pub fn hover(&self, canvas: &mut Canvas, mouse: Option<Point>) {
        if let Some(mouse) = mouse.filter(|&mouse| self.place.contains(mouse)) {
            self.frame(canvas, self.camera.tile_at(self.place, mouse, self.map), TEXT.alpha(0.5), 1.0);
        }
    }

    /// Draws the ring around what is selected.
    pub fn selected(&self, canvas: &mut Canvas, at: (f64, f64), r: f32) {
        for middle in self.seen(at, r * 2.0) {
            canvas.ring(middle, r, 4.0, NIGHT.alpha(0.7));
            canvas.ring(middle, r, 2.0, ACCENT);
        }
    }

    /// Draws a word at the upper edge of a tile, cut to the tile's width, but not where tiles are small, nor at
    /// repeats.
    pub fn word(&self, canvas: &mut Canvas, at: Position, word: &str, color: Color) {
        let tile = self.camera.scale;
        if tile < WORDS_FROM {
            return;
        }
        let word = canvas.ellipsis(word, Face::Strong, size::SMALL, tile - gap::SMALL);
        if word.is_empty() {
            return;
        }
        let wide = canvas.measure(&word, Face::Strong, size::SMALL) + gap::BODY;
        let high = canvas.line_height(size::SMALL);
        let centre = self.once(middle(at)) - Point::new(0.0, (tile - high) / 2.0 - 1.0);
        canvas.round_rect(Rect::around(centre, wide, high), high / 3.0, NIGHT.alpha(0.82));
        canvas.text(centre, Anchor::Centre, &word, Style::strong(size::SMALL, color));
    }

    /// Draws the coordinates of the world's columns and rows, each once and whole: along the edges of the world, or of
    /// `free`, which is the part of the window that no panel covers. Draws none if tiles are too small to be counted,
    /// nor a number that would lie over one of `figures`, each a point and a radius.
    pub fn labels(&self, canvas: &mut Canvas, free: Rect, figures: &[(Point, f32)]) {
        let (scale, lit) = (self.camera.scale, self.lit());
        let free = free.intersect(self.place);
        let opacity = smooth(LABELS_FROM.0, LABELS_FROM.1, scale);
        if opacity <= 0.0 || free.w < LABEL_STRIP * 4.0 || free.h < LABEL_STRIP * 4.0 {
            return;
        }
        let top = (lit.y - LABEL_STRIP / 2.0).max(free.y + LABEL_STRIP / 2.0);
        let left = (lit.x - LABEL_STRIP * 0.6).max(free.x + LABEL_STRIP * 0.75);
        canvas.faded(opacity, |canvas| {
            let seen = self.camera.visible(self.place, self.map);
            let mut number_at = |at: Point, number: i64| {
                let text = number.to_string();
                let wide = canvas.measure(&text, Face::Regular, size::SMALL) + gap::SMALL;
                let plate = Rect::around(at, wide, LABEL_STRIP * 0.8);
                let touches = |&(at, r): &(Point, f32)| plate.inset(-r).contains(at);
                if !free.encloses(plate, 0.5) || figures.iter().any(touches) {
                    return;
                }
                canvas.round_rect(plate, gap::SMALL, NIGHT.alpha(0.6));
                // 0 is brighter, as the seam is at the origin.
                let color = if number == 0 { TEXT_SOFT } else { TEXT_FAINT };
                canvas.text(at, Anchor::Centre, &text, Style::regular(size::SMALL, color));
            };
            let to_window = |x: f64, y: f64| self.camera.to_window(self.place, (x, y));
            for (column, number) in numbered(seen.x, self.map.width(), scale) {
                let x = to_window(column as f64 + 0.5, 0.0).x;
                if (lit.x..lit.right()).contains(&x) && x > left + LABEL_STRIP / 2.0 {
                    number_at(Point::new(x, top), number);
                }
            }
            for (row, number) in numbered(seen.y, self.map.height(), scale) {
                let y = to_window(0.0, row as f64 + 0.5).y;
                if (lit.y..lit.bottom()).contains(&y) && y > top + LABEL_STRIP / 2.0 {
                    number_at(Point::new(left, y), number);
                }
            }
        });
    }
}

/// The columns or rows that bear their number, each with that number: all, or every second, fifth or tenth.
fn numbered(seen: Range<i64>, side: u16, scale: f32) -> impl Iterator<Item = (i64, i64)> {
    let step = [1, 2, 5, 10].into_iter().find(|&step| step as f32 * scale >= LABEL_DISTANCE).unwrap_or(10);
    let named = move |at: i64| (at, at.rem_euclid(i64::from(side)));
    seen.map(named).filter(move |(_, number)| number % step == 0)
}

/// The middle of a tile.
pub fn middle(at: Position) -> (f64, f64) {
    (f64::from(at.x) + 0.5, f64::from(at.y) + 0.5)
}

/// A number that belongs to a tile, the same wherever and whenever it is seen.
pub fn hash(at: Position) -> u32 {
    let mut n = u32::from(at.x).wrapping_mul(0x9e37_79b1) ^ u32::from(at.y).wrapping_mul(0x85eb_ca77);
    n = (n ^ (n >> 15)).wrapping_mul(0x2c1b_3c6d);
    n = (n ^ (n >> 12)).wrapping_mul(0x297a_2d39);
    n ^ (n >> 15)
}

/// The tint of a tile's ground before it is blended with that of its neighbours.
pub fn terrain(at: Position) -> Color {
    TERRAIN[hash(at) as usize % TERRAIN.len()]
}

/// The colours of land, blended where four tiles meet and lit from the north-west.
pub struct Land {
    /// Column and row of the first tile.
    first: (i64, i64),
    /// Corners in a row: one more than tiles.
    columns: usize,
    /// The colours of the tiles' corners, row by row.
    corners: Vec<Color>,
}

impl Land {
    /// The land of the tiles that are seen.
    pub fn of(map: MapSize, seen: &VisibleTiles) -> Land {
        let (from, to) = ((seen.x.start, seen.y.start), (seen.x.end, seen.y.end));
        let columns = usize::try_from(to.0 - from.0 + 1).unwrap_or(0);
        // One more tile on each side: a corner is the mean of four tiles.
        let row = |y: i64| -> Vec<(Color, u32)> {
            (from.0 - 1..=to.0).map(|x| wrapped(map, x, y)).map(|at| (terrain(at), hash(at) >> 8)).collect()
        };
        let mut above = row(from.1 - 1);
        let mut corners = Vec::new();
        for y in from.1..=to.1 {
            let below = row(y);
            let meet = above.windows(2).zip(below.windows(2));
            corners.extend(meet.map(|(north, south)| {
                let color = north[0].0.mix(south[1].0, 0.5).mix(north[1].0.mix(south[0].0, 0.5), 0.5);
                // A corner that is higher than its neighbour in the north-west faces the light.
                let slope = (south[1].1 & 0xff) as f32 - (north[0].1 & 0xff) as f32;
                let light = if slope > 0.0 { Color::WHITE } else { Color::BLACK };
                color.mix(light, slope.abs() / 255.0 * if slope > 0.0 { 0.05 } else { 0.34 })
            }));
            above = below;
        }
        Land { first: from, columns, corners }
    }

    /// The colours of a tile's corners: top left, top right, bottom right, bottom left.
    pub fn tile(&self, (x, y): (i64, i64)) -> [Color; 4] {
        let at = |x: i64, y: i64| {
            let (column, row) = (x - self.first.0, y - self.first.1);
            let index = usize::try_from(row).ok().zip(usize::try_from(column).ok());
            index.and_then(|(row, column)| self.corners.get(row * self.columns + column)).copied()
        };
        [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map(|(x, y)| at(x, y).unwrap_or(TERRAIN[0]))
    }
}

/// 0 below `from`, 1 above `to`, and a smooth curve between (smoothstep).
pub fn smooth(from: f32, to: f32, value: f32) -> f32 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    if t.is_nan() { 0.0 } else { t * t * (3.0 - 2.0 * t) }
}

/// Maps 0..=1 to 0..=1, quickly at first, then slower.
pub fn ease_out(t: f64) -> f32 {
    let rest = 1.0 - t.clamp(0.0, 1.0) as f32;
    1.0 - rest * rest * rest
}

/// The strength of an effect at `age` (0 to 1): up to 1 until `rise`, then down to 0 at its end.
pub fn swell(age: f64, rise: f64) -> f32 {
    let (up, down) = ((age / rise).min(1.0), ((1.0 - age) / (1.0 - rise)).min(1.0));
    (up.min(down) as f32).clamp(0.0, 1.0)
}

/// A brighter colour, for text and marks on the ground.
pub fn bright(color: Color) -> Color {
    color.mix(Color::WHITE, 0.3)
}

/// A cross of which each arm is `r` points long from the middle outwards along both axes.
pub fn cross(canvas: &mut Canvas, at: Point, r: f32, width: f32, color: Color) {
    let (down, up) = (Point::new(r, r), Point::new(r, -r));
    canvas.line(at - down, at + down, width, color);
    canvas.line(at - up, at + up, width, color);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::TEAM_COLORS;

    fn torus(width: u16, height: u16, scale: f32) -> TorusView {
        let camera = Camera { x: f64::from(width) / 2.0, y: f64::from(height) / 2.0, scale };
        TorusView::new(Rect::new(0.0, 0.0, 800.0, 600.0), camera, MapSize::new(width, height).unwrap(), 10)
    }

    #[test]
    fn land_is_below_a_fifth_of_the_pieces_light() {
        let pieces = TEAM_COLORS.iter().map(|color| color.luminance()).fold(f32::MAX, f32::min);
        let (map, seen) = (MapSize::new(200, 200).unwrap(), VisibleTiles { x: 0..200, y: 0..200 });
        let land = Land::of(map, &seen);
        let light: Vec<f32> =
            seen.tiles(map).flat_map(|(tile, _)| land.tile(tile)).map(Color::luminance).collect();
        let most = light.iter().copied().fold(0.0, f32::max);
        assert!(most * 5.0 < pieces, "{most} {pieces}");
        // But it is land: lit and shaded, of several tints.
        assert!(light.iter().copied().fold(f32::MAX, f32::min) < most / 2.0);
        let tints: std::collections::BTreeSet<[u8; 4]> =
            (0..200).map(|x| terrain(Position { x, y: 3 }).0).collect();
        assert_eq!(tints.len(), TERRAIN.len());
    }

    #[test]
    fn neighbours_have_the_same_colour_at_the_corners_they_share_also_across_the_seam() {
        let (map, seen) = (MapSize::new(7, 5).unwrap(), VisibleTiles { x: -8..9, y: -6..6 });
        let land = Land::of(map, &seen);
        for ((x, y), _) in seen.tiles(map) {
            let [_, right, low, _] = land.tile((x, y));
            if x + 1 < seen.x.end {
                let [left, _, _, below] = land.tile((x + 1, y));
                assert_eq!((right, low), (left, below), "{x} {y}");
            }
            if x + 7 < seen.x.end {
                assert_eq!(land.tile((x, y)), land.tile((x + 7, y)));
            }
        }
    }

    #[test]
    fn repeats_have_a_quarter_of_the_light_and_the_world_all_of_it() {
        let (torus, mut canvas) = (torus(10, 10, 30.0), Canvas::new());
        canvas.begin(800.0, 600.0, 1.0);
        torus.shade(&mut canvas);
        let alpha = |at: Point| {
            let here = canvas.vertices().iter().filter(|v| Point::new(v.position[0], v.position[1]) == at);
            here.map(|v| v.color[3]).max()
        };
        let lit = torus.lit();
        assert_eq!(alpha(Point::new(0.0, 0.0)), Some(191));
        assert_eq!(alpha(lit.origin()), Some(0));
        assert_eq!(alpha(lit.origin() - Point::new(30.0, 30.0)), Some(191));
        // All of the world is at full light: nothing is darkened within.
        let within = canvas
            .vertices()
            .iter()
            .filter(|v| lit.inset(1.0).contains(Point::new(v.position[0], v.position[1])));
        assert!(within.map(|v| v.color[3]).all(|alpha| alpha == 0));
    }

    #[test]
    fn columns_and_rows_are_named_once_each_and_whole() {
        for (scale, free) in [
            (40.0, Rect::new(0.0, 0.0, 800.0, 600.0)),
            (34.0, Rect::new(250.0, 60.0, 300.0, 400.0)),
            (100.0, Rect::new(250.0, 60.0, 500.0, 400.0)),
        ] {
            let (torus, mut canvas) = (torus(10, 8, scale), Canvas::new());
            canvas.begin(800.0, 600.0, 1.0);
            canvas.watch_text(true);
            torus.labels(&mut canvas, free, &[]);
            assert!(canvas.runs().len() > 4, "{scale}");
            for run in canvas.runs() {
                assert!(free.encloses(run.rect, 1.0), "{run:?} in {free:?}");
                assert!(run.visible.w > run.rect.w - 0.1 && run.visible.h > run.rect.h - 0.1, "{run:?}");
                let alike = canvas.runs().iter().filter(|other| other.text == run.text).count();
                assert!(alike <= 2, "{}: once for its column and once for its row", run.text);
            }
        }
    }

    #[test]
    fn no_number_lies_over_a_figure() {
        let (torus, mut canvas) = (torus(10, 8, 100.0), Canvas::new());
        canvas.begin(800.0, 600.0, 1.0);
        canvas.watch_text(true);
        let free = Rect::new(100.0, 60.0, 500.0, 400.0);
        torus.labels(&mut canvas, free, &[]);
        let (at, all) = (canvas.runs()[2].rect.centre(), canvas.runs().len());
        canvas.begin(800.0, 600.0, 1.0);
        torus.labels(&mut canvas, free, &[(at + Point::new(0.0, 25.0), 22.0)]);
        assert_eq!(canvas.runs().len(), all - 1);
        assert!(canvas.runs().iter().all(|run| !run.rect.contains(at)));
    }

    #[test]
    fn a_small_map_can_be_counted_too() {
        let (torus, mut canvas) = (torus(60, 40, 9.0), Canvas::new());
        canvas.begin(800.0, 600.0, 1.0);
        canvas.watch_text(true);
        torus.labels(&mut canvas, Rect::new(0.0, 0.0, 800.0, 600.0), &[]);
        let said: Vec<&str> = canvas.runs().iter().map(|run| run.text.as_str()).collect();
        assert!(["0", "10", "20", "50"].iter().all(|number| said.contains(number)), "{said:?}");
    }
}
