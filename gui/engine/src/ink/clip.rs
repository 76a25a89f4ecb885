//! Cuts convex polygons of vertices at straight lines; what new vertices carry is interpolated.
//!
//! Must never allocate: a polygon lies on the stack. Tested below.

use super::{geometry::Point, geometry::Rect, vertex::Vertex};

/// The most corners of a polygon: a quad has 4 and each straight cut adds at most one, so the 4 edges of a clip and the
/// 2 mitres of a line make 10; 2 are spare.
const MAX_CORNERS: usize = 12;

#[derive(Clone, Copy)]
pub(super) struct Polygon {
    corners: [Vertex; MAX_CORNERS],
    len: usize,
}

impl Polygon {
    /// The polygon with these corners, given in order around it.
    pub(super) fn of<const COUNT: usize>(given: [Vertex; COUNT]) -> Self {
        let mut corners = [given[0]; MAX_CORNERS];
        corners[..COUNT].copy_from_slice(&given);
        Self { corners, len: COUNT }
    }

    pub(super) fn corners(&self) -> &[Vertex] {
        &self.corners[..self.len]
    }

    /// The same polygon with the colour that `color` gives for a corner's number.
    pub(super) fn coloured(mut self, color: impl Fn(usize) -> [u8; 4]) -> Self {
        for (number, corner) in self.corners.iter_mut().enumerate() {
            corner.color = color(number);
        }
        self
    }

    /// The same polygon with each corner moved to where `place` puts it; `place` must be affine.
    pub(super) fn placed(mut self, place: impl Fn(Point) -> Point) -> Self {
        for corner in &mut self.corners[..self.len] {
            let [x, y] = corner.position;
            let at = place(Point::new(x, y));
            corner.position = [at.x, at.y];
        }
        self
    }

    /// Keeps the part for which `distance(position)` is not negative; `distance` must be affine.
    pub(super) fn keep(&self, distance: impl Fn([f32; 2]) -> f32) -> Self {
        let mut kept = Self { corners: self.corners, len: 0 };
        let Some(mut from) = self.corners().last().copied() else { return kept };
        let mut from_side = distance(from.position);
        for &to in self.corners() {
            let side = distance(to.position);
            if (side >= 0.0) != (from_side >= 0.0) {
                kept.push(between(&from, &to, from_side / (from_side - side)));
            }
            if side >= 0.0 {
                kept.push(to);
            }
            (from, from_side) = (to, side);
        }
        kept
    }

    /// Keeps the side of a line through `at` to which `towards` points, in physical px.
    pub(super) fn keep_side(&self, at: Point, towards: Point) -> Self {
        self.keep(|[x, y]| (Point::new(x, y) - at).dot(towards))
    }

    /// Keeps what lies in `area` (physical px).
    pub(super) fn keep_in(&self, area: Rect) -> Self {
        self.keep(|[x, _]| x - area.x)
            .keep(|[x, _]| area.right() - x)
            .keep(|[_, y]| y - area.y)
            .keep(|[_, y]| area.bottom() - y)
    }

    fn push(&mut self, corner: Vertex) {
        if let Some(place) = self.corners.get_mut(self.len) {
            *place = corner;
            self.len += 1;
        }
    }
}

/// `a` at `t` = 0, `b` at `t` = 1; kind and params are those of `a`.
fn between(a: &Vertex, b: &Vertex, t: f32) -> Vertex {
    let mix = |from: f32, to: f32| from + (to - from) * t;
    let mut cut = *a;
    for axis in 0..2 {
        cut.position[axis] = mix(a.position[axis], b.position[axis]);
        cut.uv[axis] = mix(a.uv[axis], b.uv[axis]);
    }
    for channel in 0..4 {
        cut.color[channel] = mix(f32::from(a.color[channel]), f32::from(b.color[channel])).round() as u8;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(size: f32) -> Polygon {
        let corner = |x: f32, y: f32| Vertex {
            position: [x, y],
            kind: 0.0,
            uv: [x * 2.0, y * 3.0],
            color: [(x / size * 200.0) as u8, 0, 0, 255],
            params: [1.0; 4],
        };
        Polygon::of([corner(0.0, 0.0), corner(size, 0.0), corner(size, size), corner(0.0, size)])
    }

    fn area(polygon: &Polygon) -> f32 {
        let corners = polygon.corners();
        let pairs = corners.iter().zip(corners.iter().cycle().skip(1));
        pairs.map(|(a, b)| a.position[0] * b.position[1] - b.position[0] * a.position[1]).sum::<f32>() / 2.0
    }

    #[test]
    fn area_in_a_clip_is_exact() {
        let square = square(10.0);
        let clip = Rect::new(2.0, -5.0, 3.0, 9.0);
        assert!((area(&square.keep_in(clip)) - 12.0).abs() < 1e-4);
        assert!((area(&square.keep_in(Rect::new(-1.0, -1.0, 20.0, 20.0))) - 100.0).abs() < 1e-4);
        assert!(square.keep_in(Rect::new(20.0, 0.0, 5.0, 5.0)).corners().is_empty());
    }

    #[test]
    fn two_sides_of_a_cut_make_the_whole() {
        let square = square(10.0);
        let (at, towards) = (Point::new(3.0, 4.0), Point::new(0.6, -0.8));
        let one = area(&square.keep_side(at, towards));
        let other = area(&square.keep_side(at, -towards));
        assert!(one > 1.0 && other > 1.0);
        assert!((one + other - 100.0).abs() < 1e-3);
    }

    #[test]
    fn attributes_are_interpolated() {
        let cut = square(10.0).keep_in(Rect::new(2.5, 5.0, 2.5, 2.0));
        assert_eq!(cut.corners().len(), 4);
        for corner in cut.corners() {
            let [x, y] = corner.position;
            assert!((corner.uv[0] - x * 2.0).abs() < 1e-4 && (corner.uv[1] - y * 3.0).abs() < 1e-4);
            assert!((f32::from(corner.color[0]) - x * 20.0).abs() <= 1.0);
            assert_eq!(corner.params, [1.0; 4]);
        }
    }

    #[test]
    fn many_cuts_stay_within_the_corners() {
        let mut cut = square(10.0);
        for step in 0..40_u8 {
            let towards = Point::from_turn(f32::from(step) / 40.0);
            cut = cut.keep_side(Point::new(5.0, 5.0) - towards * 4.0, towards);
        }
        assert!(cut.corners().len() <= MAX_CORNERS);
    }
}
