//! Shapes. Lengths are points; widths below one px are drawn one px wide and fainter.
//!
//! Shapes with corners are drawn as one wedge from the middle for each edge, so that the shader needs one edge only for
//! each px. Must never draw a px twice within one shape, so that translucent shapes are even. Tested below.

use std::f32::consts::PI;

use super::canvas::{Canvas, Frame};
use super::clip::Polygon;
use super::color::Color;
use super::geometry::{Point, Rect};
use super::vertex::{Figure, Vertex};

/// Room around a shape for its soft edge, in px.
const SOFT_EDGE: f32 = 1.0;

/// Corners of a polygon, or points of a star, at most: with more a polygon looks round anyway.
const MAX_CORNERS: u32 = 64;
/// A wedge with its edge closer than this to the shape's middle, in px, can't be seen and isn't drawn.
const MIN_WEDGE_HEIGHT: f32 = 0.01;

/// How a shape with corners is drawn, lengths in px.
#[derive(Clone, Copy)]
struct Look {
    /// Radius of its round corners.
    rounding: f32,
    /// Width of the outline, 0 when filled.
    width: f32,
    color: [u8; 4],
}

impl Canvas {
    /// A filled rectangle; px that an edge crosses are covered exactly in part.
    pub fn rect(&mut self, rect: Rect, color: Color) {
        self.boxed(Figure::Rect, rect, 0.0, 0.0, SOFT_EDGE, color);
    }

    /// A filled rectangle with round corners.
    pub fn round_rect(&mut self, rect: Rect, radius: f32, color: Color) {
        self.boxed(Figure::Round, rect, radius, 0.0, SOFT_EDGE, color);
    }

    /// The edge of a rectangle, `width` wide, inwards from `rect`.
    pub fn outline(&mut self, rect: Rect, radius: f32, width: f32, color: Color) {
        let (width, color) = self.stroke(width, color);
        self.boxed(Figure::Round, rect, radius, width, SOFT_EDGE, color);
    }

    /// A soft shadow of a rectangle, fading over `blur` to both sides of its edge.
    pub fn shadow(&mut self, rect: Rect, radius: f32, blur: f32, color: Color) {
        let blur = (blur * self.scale).max(1.0);
        self.boxed(Figure::Shadow, rect, radius, blur, blur, color);
    }

    pub fn circle(&mut self, centre: Point, r: f32, color: Color) {
        self.round_rect(Rect::around(centre, 2.0 * r, 2.0 * r), r, color);
    }

    /// A circle's line, `width` wide, its middle at the radius `r`.
    pub fn ring(&mut self, centre: Point, r: f32, width: f32, color: Color) {
        let (width, color) = self.stroke(width, color);
        let outer = r + width / self.scale / 2.0;
        let rect = Rect::around(centre, 2.0 * outer, 2.0 * outer);
        self.boxed(Figure::Round, rect, outer, width, SOFT_EDGE, color);
    }

    /// Part of a ring with round ends, clockwise from `from_turn` to `to_turn` (turns from north).
    pub fn arc(&mut self, centre: Point, r: f32, width: f32, from_turn: f32, to_turn: f32, color: Color) {
        let sweep = to_turn - from_turn;
        if sweep >= 1.0 {
            return self.ring(centre, r, width, color);
        }
        // Draws nothing also if one of them is not a number.
        if !(sweep > 0.0 && r > 0.0) {
            return;
        }
        let (width, color) = self.stroke(width, color);
        let r = r * self.scale;
        let (sin, cos) = (PI * sweep).sin_cos();
        let frame = Frame::turned(centre * self.scale, (from_turn + to_turn) / 2.0);
        let reach = r + width / 2.0 + SOFT_EDGE;
        let within = Rect::around(Point::ZERO, 2.0 * reach, 2.0 * reach);
        self.quad(Figure::Arc, frame, within, color, [r, width / 2.0, sin, cos]);
    }

    /// A straight line with round ends.
    pub fn line(&mut self, a: Point, b: Point, width: f32, color: Color) {
        self.segment([None, Some(a), Some(b), None], width, color);
    }

    /// Straight lines from point to point, round at corners and ends. Points that coincide count once.
    pub fn polyline(&mut self, points: &[Point], width: f32, color: Color) {
        let min_distance = 0.05 / self.scale;
        let mut last = [None; 3];
        for &point in points {
            let [before, from, to] = last;
            if to.is_some_and(|to: Point| to.distance(point) < min_distance) {
                continue;
            }
            self.segment([before, from, to, Some(point)], width, color);
            last = [from, to, Some(point)];
        }
        let [before, from, to] = last;
        self.segment([before, from, to, None], width, color);
        if let [None, None, Some(only)] = last {
            self.circle(only, width / 2.0, color);
        }
    }

    /// The line from the second to the third point, cut at the mitres with the lines before and after it.
    fn segment(&mut self, [before, from, to, after]: [Option<Point>; 4], width: f32, color: Color) {
        let (Some(a), Some(b)) = (from, to) else { return };
        let (width, color) = self.stroke(width, color);
        let Some(along) = (b - a).unit() else {
            return self.circle(a, width / self.scale / 2.0, color);
        };
        let (half_length, half) = (a.distance(b) / 2.0 * self.scale + width / 2.0, width / 2.0);
        let middle = a.lerp(b, 0.5) * self.scale;
        let frame = Frame { at: middle, u: along, v: along.quarter() };
        let within = Rect::around(Point::ZERO, 2.0 * (half_length + SOFT_EDGE), 2.0 * (half + SOFT_EDGE));
        let params = [half_length, half, half, 0.0];
        let Some(mut polygon) = self.polygon_of(Figure::Round, frame, within, color, params) else { return };
        if let Some(mitre) =
            before.and_then(|before| (a - before).unit()).and_then(|into| (into + along).unit())
        {
            polygon = polygon.keep_side(a * self.scale, mitre);
        }
        if let Some(mitre) = after.and_then(|after| (after - b).unit()).and_then(|on| (on + along).unit()) {
            polygon = polygon.keep_side(b * self.scale, -mitre);
        }
        self.emit(polygon);
    }

    /// A rectangle in a colour that goes from `top` to `bottom`.
    pub fn gradient(&mut self, rect: Rect, top: Color, bottom: Color) {
        self.blend(rect, [top, top, bottom, bottom]);
    }

    /// A rectangle in a colour that goes smoothly from corner to corner: top left, top right, bottom right, bottom left.
    pub fn blend(&mut self, rect: Rect, corners: [Color; 4]) {
        let px = self.to_px(rect);
        // Has no room for a soft edge, so that each colour is exactly at the rectangle's corner.
        self.coloured(
            Figure::Rect,
            (px, 0.0),
            [px.w / 2.0 + SOFT_EDGE, px.h / 2.0 + SOFT_EDGE, 0.0, 0.0],
            corners,
        );
    }

    /// A rectangle in px, drawn with `room` px around it, each corner in its own colour.
    fn coloured(&mut self, kind: Figure, (px, room): (Rect, f32), params: [f32; 4], corners: [Color; 4]) {
        let within = Rect::around(Point::ZERO, px.w + 2.0 * room, px.h + 2.0 * room);
        let frame = Frame::upright(px.centre());
        if let Some(polygon) = self.polygon_of(kind, frame, within, Color::BLACK, params) {
            let colors = corners.map(|color| self.faded_color(color));
            self.emit(polygon.coloured(|corner| colors[corner.min(3)]));
        }
    }

    /// A soft-edged beam: a box that fades over `blur` to both sides of its edge, from the colour `top` to `bottom`.
    pub fn beam(&mut self, rect: Rect, blur: f32, top: Color, bottom: Color) {
        if rect.is_empty() {
            return;
        }
        let (px, blur) = (self.to_px(rect), (blur * self.scale).max(1.0));
        let params = [px.w / 2.0, px.h / 2.0, 0.0, blur];
        self.coloured(Figure::Shadow, (px, blur), params, [top, top, bottom, bottom]);
    }

    /// A triangle of light from `from`, where it has `color`, to nothing at its far corners `one` and `other`.
    pub fn ray(&mut self, from: Point, one: Point, other: Point, color: Color) {
        let corner = |place: Point, color: Color| {
            let at = place * self.scale;
            let (kind, params) = (Figure::Rect.number(), [1.0, 1.0, 0.0, 0.0]);
            Vertex { position: [at.x, at.y], kind, uv: [0.0, 0.0], color: self.faded_color(color), params }
        };
        let dark = color.alpha(0.0);
        self.emit(Polygon::of([corner(from, color), corner(one, dark), corner(other, dark)]));
    }

    /// A light that fades to nothing at the distance `r` from its centre.
    pub fn glow(&mut self, centre: Point, r: f32, color: Color) {
        let r = r * self.scale;
        if r > 0.0 {
            let within = Rect::around(Point::ZERO, 2.0 * r, 2.0 * r);
            self.quad(Figure::Glow, Frame::upright(centre * self.scale), within, color, [r, 0.0, 0.0, 0.0]);
        }
    }

    /// The width of a line in px, at least one, and its colour, fainter when it should be thinner.
    pub(super) fn stroke(&self, width: f32, color: Color) -> (f32, Color) {
        let width = width * self.scale;
        if width < 1.0 { (1.0, color.alpha(width)) } else { (width, color) }
    }

    /// A box; `extra` is the last parameter of its [`Figure`] (px), `margin` the room around it (px).
    fn boxed(&mut self, kind: Figure, rect: Rect, radius: f32, extra: f32, margin: f32, color: Color) {
        if rect.is_empty() {
            return;
        }
        let px = self.to_px(rect);
        let radius = (radius * self.scale).min(px.w / 2.0).min(px.h / 2.0).max(0.0);
        let within = Rect::around(Point::ZERO, px.w + 2.0 * margin, px.h + 2.0 * margin);
        let params = [px.w / 2.0, px.h / 2.0, radius, extra];
        self.quad(kind, Frame::upright(px.centre()), within, color, params);
    }

    /// A regular polygon (3 sides or more) with circumradius `r`, a corner to the north before it is turned clockwise by
    /// `turns`, and corners rounded with the radius `rounding`.
    pub fn polygon(&mut self, centre: Point, r: f32, sides: u32, turns: f32, rounding: f32, color: Color) {
        self.regular(centre, r, (sides, turns, rounding, 0.0), color);
    }

    /// A regular polygon; `shape` is its number of sides, its turns clockwise, the rounding of its corners, and the
    /// width of its outline, inwards, or 0 when it is filled.
    pub fn regular(&mut self, centre: Point, r: f32, shape: (u32, f32, f32, f32), color: Color) {
        let (sides, turns, rounding, width) = shape;
        let (width, color) = if width > 0.0 { self.stroke(width, color) } else { (0.0, color) };
        let sides = sides.clamp(3, MAX_CORNERS);
        let r = r * self.scale;
        // The distance of an edge from the middle, as a share of that of a corner.
        let edge_share = (PI / sides as f32).cos();
        let rounding = (rounding * self.scale).min(r * edge_share * 0.9).max(0.0);
        let look = Look { rounding, width, color: self.faded_color(color) };
        let r = r - rounding / edge_share;
        self.wedges(centre * self.scale, look, sides, |corner| {
            Point::from_turn(turns + corner as f32 / sides as f32) * r
        });
    }

    /// A star with `points` points of circumradius `r`, one to the north before it is turned clockwise by `turns`; the
    /// corners between the points have `ratio` times that distance from the centre.
    pub fn star(&mut self, centre: Point, r: f32, points: u32, ratio: f32, turns: f32, color: Color) {
        let corners = points.clamp(2, MAX_CORNERS) * 2;
        let (outer, inner) = (r * self.scale, r * self.scale * ratio.clamp(0.05, 1.0));
        let look = Look { rounding: 0.0, width: 0.0, color: self.faded_color(color) };
        self.wedges(centre * self.scale, look, corners, |corner| {
            let radius = if corner % 2 == 0 { outer } else { inner };
            Point::from_turn(turns + corner as f32 / corners as f32) * radius
        });
    }

    /// A filled polygon; its corners are given from `centre` in units of `r` points, in order around it; every edge
    /// must be seen from the centre.
    pub fn facets(&mut self, centre: Point, r: f32, corners: &[(f32, f32)], color: Color) {
        let look = Look { rounding: 0.0, width: 0.0, color: self.faded_color(color) };
        let count = u32::try_from(corners.len()).unwrap_or(MAX_CORNERS).min(MAX_CORNERS);
        if count < 3 {
            return;
        }
        let r = r * self.scale;
        self.wedges(centre * self.scale, look, count, |corner| {
            let (x, y) = corners[corner as usize];
            Point::new(x, y) * r
        });
    }

    pub fn triangle(&mut self, a: Point, b: Point, c: Point, color: Color) {
        let [a, b, c] = [a, b, c].map(|corner| corner * self.scale);
        let sides = [b.distance(c), c.distance(a), a.distance(b)];
        let perimeter: f32 = sides.iter().sum();
        // Seen from the middle of the inscribed circle, the nearest edge of any px is that of its wedge.
        let middle = (a * sides[0] + b * sides[1] + c * sides[2]) / perimeter;
        let look = Look { rounding: 0.0, width: 0.0, color: self.faded_color(color) };
        let corners = [a, b, c].map(|corner| corner - middle);
        self.wedges(middle, look, 3, |corner| corners[corner as usize % 3]);
    }

    /// Draws a wedge for each pair of neighbouring corners; `corner` gives their places relative to `middle`, in px.
    fn wedges(&mut self, middle: Point, look: Look, corners: u32, corner: impl Fn(u32) -> Point) {
        if look.color[3] == 0 {
            return;
        }
        let first = corner(0);
        let mut next = first;
        for number in 1..=corners {
            let (from, to) = (next, if number == corners { first } else { corner(number) });
            next = to;
            let Some(along) = (to - from).unit() else { continue };
            let across = along.quarter();
            let outward = if across.dot(from) < 0.0 { -across } else { across };
            let inside = outward.dot(from);
            if inside.is_nan() || inside <= MIN_WEDGE_HEIGHT {
                continue;
            }
            let reach = (inside + look.rounding + SOFT_EDGE) / inside;
            let half = from.distance(to) / 2.0;
            let edge = from.lerp(to, 0.5);
            let vertex = |place: Point| {
                let at = middle + place;
                let own = place - edge;
                Vertex {
                    position: [at.x, at.y],
                    kind: Figure::Edge.number(),
                    uv: [own.dot(outward), own.dot(along)],
                    color: look.color,
                    params: [half, look.rounding, look.width, 0.0],
                }
            };
            self.emit(Polygon::of([vertex(Point::ZERO), vertex(from * reach), vertex(to * reach)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canvas() -> Canvas {
        let mut canvas = Canvas::new();
        canvas.begin(400.0, 400.0, 2.0);
        canvas
    }

    #[test]
    fn every_shape_is_one_quad() {
        let (rect, at, white) = (Rect::new(50.0, 50.0, 40.0, 30.0), Point::new(90.0, 90.0), Color::WHITE);
        let draw: [&dyn Fn(&mut Canvas); 12] = [
            &|canvas| canvas.rect(rect, white),
            &|canvas| canvas.round_rect(rect, 5.0, white),
            &|canvas| canvas.outline(rect, 5.0, 1.0, white),
            &|canvas| canvas.shadow(rect, 5.0, 9.0, white),
            &|canvas| canvas.circle(at, 5.0, white),
            &|canvas| canvas.ring(at, 5.0, 1.0, white),
            &|canvas| canvas.arc(at, 5.0, 1.0, 0.0, 0.7, white),
            &|canvas| canvas.line(at, Point::new(20.0, 30.0), 1.0, white),
            &|canvas| canvas.gradient(rect, white, Color::CLEAR),
            &|canvas| canvas.blend(rect, [white; 4]),
            &|canvas| canvas.glow(at, 9.0, white),
            &|canvas| canvas.beam(rect, 4.0, Color::CLEAR, white),
        ];
        for (which, draw) in draw.into_iter().enumerate() {
            let mut canvas = canvas();
            draw(&mut canvas);
            assert_eq!(canvas.vertices().len(), 4, "shape {which}");
        }
    }

    #[test]
    fn thin_lines_are_one_px_and_fainter() {
        let mut canvas = canvas();
        canvas.line(Point::new(10.0, 10.0), Point::new(50.0, 10.0), 0.25, Color::WHITE);
        let vertex = canvas.vertices()[0];
        assert_eq!(vertex.params[1], 0.5);
        assert_eq!(vertex.color[3], 128);
    }

    #[test]
    fn an_arc_without_sweep_is_nothing_and_a_full_one_a_ring() {
        let mut canvas = canvas();
        canvas.arc(Point::new(50.0, 50.0), 20.0, 2.0, 0.5, 0.5, Color::WHITE);
        assert!(canvas.vertices().is_empty());
        canvas.arc(Point::new(50.0, 50.0), 20.0, 2.0, 0.5, 1.5, Color::WHITE);
        assert_eq!(canvas.vertices()[0].kind, Figure::Round.number());
    }

    #[test]
    fn a_polylines_segments_share_no_area() {
        let mut canvas = canvas();
        let points = [Point::new(20.0, 20.0), Point::new(80.0, 20.0), Point::new(80.0, 90.0)];
        canvas.polyline(&points, 6.0, Color::WHITE);
        let corner = points[1] * 2.0;
        let (mut first, mut second) = (0, 0);
        for vertex in canvas.vertices() {
            let from = Point::new(vertex.position[0], vertex.position[1]) - corner;
            // The mitre goes through the corner, from the lower left to the upper right.
            let side = from.x + from.y;
            if vertex.params[0] > 65.0 + 1.0 {
                second += 1;
                assert!(side > -0.01, "{from:?}");
            } else {
                first += 1;
                assert!(side < 0.01, "{from:?}");
            }
        }
        assert!(first >= 4 && second >= 4);
    }

    #[test]
    fn a_polyline_of_one_place_is_a_dot() {
        let mut canvas = canvas();
        canvas.polyline(&[Point::new(20.0, 20.0); 5], 6.0, Color::WHITE);
        assert_eq!(canvas.vertices().len(), 4);
        canvas.polyline(&[], 6.0, Color::WHITE);
        assert_eq!(canvas.vertices().len(), 4);
    }

    fn drawn(draw: impl Fn(&mut Canvas)) -> Vec<Vertex> {
        let mut canvas = canvas();
        draw(&mut canvas);
        canvas.vertices().to_vec()
    }

    #[test]
    fn every_edge_has_a_wedge() {
        let at = Point::new(90.0, 90.0);
        let wedges = |draw: &dyn Fn(&mut Canvas)| drawn(draw).len() / 3;
        assert_eq!(wedges(&|canvas| canvas.polygon(at, 9.0, 6, 0.1, 1.0, Color::WHITE)), 6);
        assert_eq!(wedges(&|canvas| canvas.regular(at, 9.0, (0, 0.1, 99.0, 2.0), Color::WHITE)), 3);
        assert_eq!(wedges(&|canvas| canvas.star(at, 9.0, 5, 0.4, 0.1, Color::WHITE)), 10);
        assert_eq!(
            wedges(&|canvas| canvas.triangle(at, Point::ZERO, Point::new(9.0, 70.0), Color::WHITE)),
            3
        );
        assert_eq!(wedges(&|canvas| canvas.triangle(at, at, at, Color::WHITE)), 0);
        let kite = [(0.0, -1.0), (0.6, 0.0), (0.0, 1.0), (-0.6, 0.0)];
        assert_eq!(wedges(&|canvas| canvas.facets(at, 9.0, &kite, Color::WHITE)), 4);
        assert_eq!(wedges(&|canvas| canvas.facets(at, 9.0, &kite[..2], Color::WHITE)), 0);
        assert_eq!(wedges(&|canvas| canvas.polygon(at, f32::NAN, 6, 0.0, 0.0, Color::WHITE)), 0);
    }

    #[test]
    fn the_middle_is_inside_and_the_rim_outside_of_every_edge() {
        let at = Point::new(90.0, 90.0);
        for vertex in drawn(|canvas| canvas.polygon(at, 20.0, 5, 0.0, 3.0, Color::WHITE)) {
            let middle = vertex.position == [180.0, 180.0];
            let out = vertex.uv[0] - vertex.params[1];
            assert!(if middle { out < -20.0 } else { (0.99..1.01).contains(&out) }, "{vertex:?}");
        }
    }
}
