//! Shapes with corners, one wedge from the middle for each edge, so that a px has to know one edge only.
//!
//! Must never draw a px twice: wedges meet at the lines from the middle through the corners. Tested below.

use std::f32::consts::PI;

use super::{
    canvas::Canvas,
    clip::Polygon,
    color::Color,
    geometry::Point,
    vertex::{Figure, Vertex},
};

/// Room for the soft edge, in px.
const EDGE: f32 = 1.0;
/// Corners of a polygon, or points of a star, at most; with more it looks round.
const MAX_CORNERS: u32 = 64;
/// Shapes with an edge closer than this to their middle (px) cannot be seen.
const FLAT: f32 = 0.01;

/// How a shape with corners is drawn, lengths in px.
#[derive(Clone, Copy)]
struct Look {
    rounding: f32,
    /// Width of the outline, 0 when filled.
    width: f32,
    color: [u8; 4],
}

impl Canvas {
    /// A regular polygon (3 sides or more) with circumradius `r`, a corner to the north before it is turned, and
    /// corners rounded with the radius `rounding`.
    pub fn polygon(
        &mut self,
        centre: Point,
        r: f32,
        sides: u32,
        rotation_turns: f32,
        rounding: f32,
        color: Color,
    ) {
        self.regular(centre, r, (sides, rotation_turns, rounding, 0.0), color);
    }

    /// The edge of a regular polygon, `width` wide, inwards.
    #[allow(clippy::too_many_arguments, reason = "the polygon's own arguments and a width")]
    pub fn polygon_outline(
        &mut self,
        centre: Point,
        r: f32,
        sides: u32,
        rotation_turns: f32,
        rounding: f32,
        width: f32,
        color: Color,
    ) {
        let (width, color) = self.stroke(width, color);
        self.regular(centre, r, (sides, rotation_turns, rounding, width), color);
    }

    fn regular(&mut self, centre: Point, r: f32, shape: (u32, f32, f32, f32), color: Color) {
        let (sides, turns, rounding, width) = shape;
        let sides = sides.clamp(3, MAX_CORNERS);
        let r = r * self.scale;
        let narrow = (PI / sides as f32).cos();
        let rounding = (rounding * self.scale).min(r * narrow * 0.9).max(0.0);
        let look = Look { rounding, width, color: self.faint(color) };
        let r = r - rounding / narrow;
        self.wedges(centre * self.scale, look, sides, |corner| {
            Point::from_turn(turns + corner as f32 / sides as f32) * r
        });
    }

    /// A star with `points` points of circumradius `r`, one to the north before it is turned; the corners between
    /// them at `inner_ratio` of `r`.
    pub fn star(
        &mut self,
        centre: Point,
        r: f32,
        points: u32,
        inner_ratio: f32,
        rotation_turns: f32,
        color: Color,
    ) {
        let corners = points.clamp(2, MAX_CORNERS) * 2;
        let (outer, inner) = (r * self.scale, r * self.scale * inner_ratio.clamp(0.05, 1.0));
        let look = Look { rounding: 0.0, width: 0.0, color: self.faint(color) };
        self.wedges(centre * self.scale, look, corners, |corner| {
            let far = if corner % 2 == 0 { outer } else { inner };
            Point::from_turn(rotation_turns + corner as f32 / corners as f32) * far
        });
    }

    /// A filled polygon; its corners are given from `centre` in units of `r` points, in order around it; every edge
    /// must be seen from the centre.
    pub fn facets(&mut self, centre: Point, r: f32, corners: &[(f32, f32)], color: Color) {
        let look = Look { rounding: 0.0, width: 0.0, color: self.faint(color) };
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
        let around: f32 = sides.iter().sum();
        // From the middle of the circle within, the nearest edge is the wedge's own.
        let middle = (a * sides[0] + b * sides[1] + c * sides[2]) / around;
        let look = Look { rounding: 0.0, width: 0.0, color: self.faint(color) };
        let corners = [a, b, c].map(|corner| corner - middle);
        self.wedges(middle, look, 3, |corner| corners[corner as usize % 3]);
    }

    /// Wedges between neighbouring corners, which are given from the middle, all in px.
    fn wedges(&mut self, middle: Point, look: Look, corners: u32, corner: impl Fn(u32) -> Point) {
        if look.color[3] == 0 {
            return;
        }
        let first = corner(0);
        let mut from = first;
        for next in 1..=corners {
            let to = if next == corners { first } else { corner(next) };
            self.wedge(middle, look, from, to);
            from = to;
        }
    }

    fn wedge(&mut self, middle: Point, look: Look, from: Point, to: Point) {
        let Some(along) = (to - from).unit() else { return };
        let across = along.quarter();
        let outward = if across.dot(from) < 0.0 { -across } else { across };
        let inside = outward.dot(from);
        if inside.is_nan() || inside <= FLAT {
            return;
        }
        let reach = (inside + look.rounding + EDGE) / inside;
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
        self.emit(Polygon::triangle([vertex(Point::ZERO), vertex(from * reach), vertex(to * reach)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(draw: impl Fn(&mut Canvas)) -> Vec<Vertex> {
        let mut canvas = Canvas::new();
        canvas.begin(400.0, 400.0, 2.0);
        draw(&mut canvas);
        canvas.vertices().to_vec()
    }

    #[test]
    fn every_edge_has_a_wedge() {
        let at = Point::new(90.0, 90.0);
        let wedges = |draw: &dyn Fn(&mut Canvas)| drawn(draw).len() / 3;
        assert_eq!(wedges(&|canvas| canvas.polygon(at, 9.0, 6, 0.1, 1.0, Color::WHITE)), 6);
        assert_eq!(wedges(&|canvas| canvas.polygon_outline(at, 9.0, 0, 0.1, 99.0, 2.0, Color::WHITE)), 3);
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
