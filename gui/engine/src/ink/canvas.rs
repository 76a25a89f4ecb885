//! The canvas: where quads are collected, cut and faded, in painter's order.
//!
//! Coordinates come in points and leave in physical px. Must never allocate per quad once its buffers have grown, nor
//! panic on any number. Shapes are in `shapes`, text in `text`. Tested below.

use std::ops::Range;

use super::atlas::Atlas;
use super::clip::Polygon;
use super::color::Color;
use super::geometry::{Point, Rect};
use super::vertex::{Figure, Vertex};

/// Vertices of a batch at most, so that 16 bits number them and a draw call's buffer holds them.
pub const BATCH_VERTICES: usize = 60_000;

/// Vertices of a frame at most (about 80 MB); any further quads are not drawn.
const MAX_VERTICES: usize = 2_000_000;

/// Coordinates beyond this many px lose the precision the shader needs, and are not drawn.
const MAX_COORDINATE: f32 = 1e6;

/// Part of a frame that one draw call draws.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    pub vertices: &'a [Vertex],
    pub indices: &'a [u16],
}

/// A text that was drawn, as tests see it.
#[derive(Debug, Clone, PartialEq)]
pub struct TextRun {
    pub text: String,
    /// Its line box, in points.
    pub rect: Rect,
    /// The part of the box within the clip, in points.
    pub visible: Rect,
    /// Whether it was shortened: it ends with `…`.
    pub truncated: bool,
}

/// Collects the vertices of a frame.
pub struct Canvas {
    /// Width in physical px.
    pub(super) width: f32,
    /// Height in physical px.
    pub(super) height: f32,
    /// Physical px to the point.
    pub(super) scale: f32,
    /// The part that may be drawn on at the moment, in physical px.
    pub(super) clip: Rect,
    /// The factor on the opacity of everything, 0 to 1.
    pub(super) fade: f32,
    squash: Option<Squash>,
    vertices: Vec<Vertex>,
    indices: Vec<u16>,
    /// For each batch its part of `vertices` and its part of `indices`.
    batches: Vec<(Range<usize>, Range<usize>)>,
    /// The texture with the glyphs of this frame.
    pub atlas: Atlas,
    /// Whether text runs are noted in `runs`.
    pub(super) notes_runs: bool,
    pub(super) runs: Vec<TextRun>,
}

impl Default for Canvas {
    fn default() -> Self {
        Self::new()
    }
}

/// A deformation of everything that is drawn: longer in one direction, narrower across it; in physical px.
#[derive(Clone, Copy)]
struct Squash {
    /// The point that stays where it is.
    centre: Point,
    /// The direction in which things become longer, one long.
    along: Point,
    /// The factor on lengths along that direction; widths are divided by it.
    by: f32,
}

impl Squash {
    fn moved(self, at: Point) -> Point {
        let (from, across) = (at - self.centre, self.along.quarter());
        self.centre + self.along * (from.dot(self.along) * self.by) + across * (from.dot(across) / self.by)
    }
}

/// A shape's own frame: where its origin and axes are on the screen.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The origin, in physical px.
    pub at: Point,
    /// Direction of u, a vector of length 1.
    pub u: Point,
    /// Direction of v, a vector of length 1.
    pub v: Point,
}

impl Frame {
    pub(super) const fn upright(at: Point) -> Self {
        Self { at, u: Point::new(1.0, 0.0), v: Point::new(0.0, 1.0) }
    }

    /// A frame of which v points `turn` turns clockwise from north.
    pub(super) fn turned(at: Point, turn: f32) -> Self {
        let v = Point::from_turn(turn);
        Self { at, u: v.quarter(), v }
    }
}

impl Canvas {
    /// A canvas without size; [`Canvas::begin`] gives it one.
    pub fn new() -> Self {
        Self {
            width: 0.0,
            height: 0.0,
            scale: 1.0,
            clip: Rect::default(),
            fade: 1.0,
            squash: None,
            vertices: Vec::new(),
            indices: Vec::new(),
            batches: Vec::new(),
            atlas: Atlas::new(),
            notes_runs: false,
            runs: Vec::new(),
        }
    }

    /// Begins a frame of `width_px` x `height_px` physical px, `scale` px to the point.
    pub fn begin(&mut self, width_px: f32, height_px: f32, scale: f32) {
        self.scale = if scale.is_finite() { scale.clamp(0.1, 16.0) } else { 1.0 };
        let size = |px: f32| if px.is_finite() { px.clamp(0.0, 65_536.0) } else { 0.0 };
        (self.width, self.height) = (size(width_px), size(height_px));
        self.clip = Rect::new(0.0, 0.0, self.width, self.height);
        self.fade = 1.0;
        self.squash = None;
        self.vertices.clear();
        self.indices.clear();
        self.batches.clear();
        self.runs.clear();
        self.atlas.begin();
    }

    /// The whole canvas, in points.
    pub fn area(&self) -> Rect {
        Rect::new(0.0, 0.0, self.width / self.scale, self.height / self.scale)
    }

    /// Physical px to the point.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The same rectangle with its edges on whole px, so that they are sharp and neighbours leave no seam.
    pub fn snap(&self, rect: Rect) -> Rect {
        let snap = |value: f32| (value * self.scale).round() / self.scale;
        let (x, y) = (snap(rect.x), snap(rect.y));
        Rect::new(x, y, snap(rect.right()) - x, snap(rect.bottom()) - y)
    }

    /// The thinnest sharp line: one px, in points.
    pub fn hairline(&self) -> f32 {
        1.0 / self.scale
    }

    /// Draws only within `rect` (points) and what was the clip before.
    pub fn clipped<R>(&mut self, rect: Rect, draw: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.clip;
        self.clip = before.intersect(self.to_px(rect));
        let result = draw(self);
        self.clip = before;
        result
    }

    /// Draws with the opacity of everything multiplied by `alpha` (0..=1).
    pub fn faded<R>(&mut self, alpha: f32, draw: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.fade;
        self.fade = if alpha.is_nan() { 0.0 } else { before * alpha.clamp(0.0, 1.0) };
        let result = draw(self);
        self.fade = before;
        result
    }

    /// Draws with everything `by` times (0.25..=4) as long along the unit vector `along` and as much narrower across it; `at`
    /// (points) stays where it is. A squash within another one replaces it.
    pub fn squashed<R>(&mut self, at: Point, along: Point, by: f32, draw: impl FnOnce(&mut Self) -> R) -> R {
        let by = if by.is_nan() { 1.0 } else { by.clamp(0.25, 4.0) };
        let before = self.squash.replace(Squash { centre: at * self.scale, along, by });
        let result = draw(self);
        self.squash = before;
        result
    }

    /// All vertices of the frame, in painter's order.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// The frame in parts that one draw call each can draw, in painter's order.
    pub fn batches(&self) -> impl Iterator<Item = Batch<'_>> {
        self.batches.iter().map(|(vertices, indices)| Batch {
            vertices: &self.vertices[vertices.clone()],
            indices: &self.indices[indices.clone()],
        })
    }

    pub(super) fn to_px(&self, rect: Rect) -> Rect {
        let scale = self.scale;
        Rect::new(rect.x * scale, rect.y * scale, rect.w * scale, rect.h * scale)
    }

    /// A colour's bytes with the present fade applied.
    pub(super) fn faded_color(&self, color: Color) -> [u8; 4] {
        color.alpha(self.fade).0
    }

    /// A quad that covers `within` (px, in the shape's frame).
    pub(super) fn quad(&mut self, kind: Figure, frame: Frame, within: Rect, color: Color, params: [f32; 4]) {
        if let Some(polygon) = self.polygon_of(kind, frame, within, color, params) {
            self.emit(polygon);
        }
    }

    /// The corners of the quad that [`Canvas::quad`] draws; `None` if it is fully transparent.
    pub(super) fn polygon_of(
        &self,
        kind: Figure,
        frame: Frame,
        within: Rect,
        color: Color,
        params: [f32; 4],
    ) -> Option<Polygon> {
        let color = self.faded_color(color);
        if color[3] == 0 {
            return None;
        }
        let corner = |u: f32, v: f32| {
            let place = frame.at + frame.u * u + frame.v * v;
            Vertex { position: [place.x, place.y], kind: kind.number(), uv: [u, v], color, params }
        };
        let (right, bottom) = (within.right(), within.bottom());
        Some(Polygon::of([
            corner(within.x, within.y),
            corner(right, within.y),
            corner(right, bottom),
            corner(within.x, bottom),
        ]))
    }

    /// Cuts a polygon at the clip and adds what is left.
    pub(super) fn emit(&mut self, polygon: Polygon) {
        let polygon = self.squash.map_or(polygon, |squash| polygon.placed(|at| squash.moved(at)));
        let Some(bounds) = bounds(polygon.corners()) else { return };
        if !self.clip.overlaps(bounds) {
            return;
        }
        if self.clip.encloses(bounds, 0.0) {
            self.push(polygon.corners());
        } else {
            self.push(polygon.keep_in(self.clip).corners());
        }
    }

    fn push(&mut self, corners: &[Vertex]) {
        if corners.len() < 3 || self.vertices.len() + corners.len() > MAX_VERTICES {
            return;
        }
        let full = |(vertices, _): &(Range<usize>, _)| vertices.len() + corners.len() >= BATCH_VERTICES;
        if self.batches.last().is_none_or(full) {
            let (vertices, indices) = (self.vertices.len(), self.indices.len());
            self.batches.push((vertices..vertices, indices..indices));
        }
        let Some((vertices, indices)) = self.batches.last_mut() else { return };
        let first = vertices.len() as u16;
        let count = corners.len() as u16;
        self.vertices.extend_from_slice(corners);
        // Nearly all polygons are whole quads: a fixed pattern of indices is faster for them.
        if count == 4 {
            self.indices.extend_from_slice(&[0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        } else {
            self.indices.extend((2..count).flat_map(|last| [first, first + last - 1, first + last]));
        }
        vertices.end = self.vertices.len();
        indices.end = self.indices.len();
    }
}

/// The upright rectangle around the corners; `None` if a coordinate is too large or not a number.
fn bounds(corners: &[Vertex]) -> Option<Rect> {
    let (mut left, mut top) = (f32::INFINITY, f32::INFINITY);
    let (mut right, mut bottom) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for corner in corners {
        let [x, y] = corner.position;
        // Comparisons with not-a-number fail.
        if !(x.abs() < MAX_COORDINATE && y.abs() < MAX_COORDINATE) {
            return None;
        }
        (left, top) = (left.min(x), top.min(y));
        (right, bottom) = (right.max(x), bottom.max(y));
    }
    (left <= right).then(|| Rect::new(left, top, right - left, bottom - top))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canvas() -> Canvas {
        let mut canvas = Canvas::new();
        canvas.begin(200.0, 100.0, 2.0);
        canvas
    }

    fn drawn_area(canvas: &Canvas) -> f32 {
        let triangle = |[a, b, c]: [Vertex; 3]| {
            let at = |vertex: Vertex| Point::new(vertex.position[0], vertex.position[1]);
            ((at(b) - at(a)).quarter().dot(at(c) - at(a)) / 2.0).abs()
        };
        let of = |batch: Batch<'_>| -> f32 {
            let threes = batch.indices.chunks_exact(3);
            threes.map(|three| triangle([0, 1, 2].map(|k| batch.vertices[usize::from(three[k])]))).sum()
        };
        canvas.batches().map(of).sum()
    }

    #[test]
    fn clips_nest_and_cut_exactly() {
        let mut canvas = canvas();
        canvas.clipped(Rect::new(10.0, 10.0, 20.0, 20.0), |canvas| {
            canvas.clipped(Rect::new(25.0, 0.0, 50.0, 15.0), |canvas| {
                canvas.rect(Rect::new(0.0, 0.0, 100.0, 50.0), Color::WHITE);
            });
        });
        // 5 x 5 points are 10 x 10 px.
        assert!((drawn_area(&canvas) - 100.0).abs() < 1e-3);
        assert_eq!(canvas.clip, canvas.to_px(canvas.area()));
    }

    #[test]
    fn a_squash_keeps_the_area_and_ends_with_its_drawing() {
        let mut canvas = canvas();
        let (rect, centre) = (Rect::new(40.0, 20.0, 10.0, 10.0), Point::new(45.0, 25.0));
        canvas.squashed(centre, Point::new(1.0, 0.0), 2.0, |canvas| canvas.blend(rect, [Color::WHITE; 4]));
        let width = canvas.vertices()[1].position[0] - canvas.vertices()[0].position[0];
        let height = canvas.vertices()[3].position[1] - canvas.vertices()[0].position[1];
        assert_eq!((width, height), (40.0, 10.0));
        canvas.blend(rect, [Color::WHITE; 4]);
        assert_eq!(canvas.vertices()[5].position[0] - canvas.vertices()[4].position[0], 20.0);
    }

    #[test]
    fn fades_nest() {
        let mut canvas = canvas();
        canvas.faded(0.5, |canvas| {
            canvas.faded(0.5, |canvas| canvas.rect(Rect::new(5.0, 5.0, 9.0, 9.0), Color::WHITE));
            canvas.faded(f32::NAN, |canvas| canvas.rect(Rect::new(5.0, 5.0, 9.0, 9.0), Color::WHITE));
        });
        assert_eq!(canvas.vertices().len(), 4);
        assert!(canvas.vertices().iter().all(|vertex| vertex.color == [255, 255, 255, 64]));
    }

    #[test]
    fn batches_stay_below_their_limit_and_cover_everything() {
        let mut canvas = canvas();
        for _ in 0..100_000 {
            canvas.rect(Rect::new(5.0, 5.0, 9.0, 9.0), Color::WHITE);
        }
        let mut vertices = 0;
        for batch in canvas.batches() {
            assert!(batch.vertices.len() < BATCH_VERTICES);
            assert!(batch.indices.iter().all(|&index| usize::from(index) < batch.vertices.len()));
            assert_eq!(batch.indices.len() / 6, batch.vertices.len() / 4);
            vertices += batch.vertices.len();
        }
        assert_eq!(vertices, 400_000);
    }

    #[test]
    fn a_frame_is_bounded() {
        let mut canvas = canvas();
        for _ in 0..MAX_VERTICES / 4 + 10 {
            canvas.rect(Rect::new(5.0, 5.0, 9.0, 9.0), Color::WHITE);
        }
        assert!(canvas.vertices().len() <= MAX_VERTICES);
    }

    #[test]
    fn nonsense_draws_nothing() {
        let mut canvas = canvas();
        for bad in [f32::NAN, f32::INFINITY, -1e30, 1e30] {
            canvas.rect(Rect::new(bad, 0.0, 5.0, 5.0), Color::WHITE);
            canvas.circle(Point::new(bad, bad), bad, Color::WHITE);
            canvas.line(Point::ZERO, Point::new(bad, 3.0), bad, Color::WHITE);
        }
        assert!(canvas.vertices().iter().all(|vertex| vertex.position[0].is_finite()));
        canvas.begin(f32::NAN, 0.0, f32::NAN);
        canvas.rect(Rect::new(0.0, 0.0, 5.0, 5.0), Color::WHITE);
        assert!(canvas.vertices().is_empty());
    }

    #[test]
    fn snapped_edges_lie_on_whole_px() {
        let snapped = canvas().snap(Rect::new(0.3, 0.8, 10.1, 3.0));
        assert_eq!(snapped, Rect::new(0.5, 1.0, 10.0, 3.0));
    }
}
