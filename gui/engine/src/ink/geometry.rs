//! Points and rectangles in points (y grows downwards). Must never know what is drawn with them. Tested below.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// A place or a displacement, in points.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

impl Point {
    /// The origin: the top left corner.
    pub const ZERO: Self = Self::new(0.0, 0.0);

    pub const fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    /// The vector of length 1 that points `turn` turns clockwise from north.
    pub fn from_turn(turn: f32) -> Self {
        let (sin, cos) = (turn * std::f32::consts::TAU).sin_cos();
        Self::new(sin, -cos)
    }

    /// `self` at `t` = 0, `other` at `t` = 1.
    pub fn lerp(self, other: Self, t: f32) -> Self {
        self + (other - self) * t
    }

    pub fn length(self) -> f32 {
        self.x.hypot(self.y)
    }

    pub fn distance(self, other: Self) -> f32 {
        (other - self).length()
    }

    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }

    /// The vector of length 1 in the same direction; `None` if this one has no direction.
    pub fn unit(self) -> Option<Self> {
        let length = self.length();
        (length > 1e-6 && length.is_finite()).then(|| self / length)
    }

    /// The vector turned clockwise (as seen on the screen) by a quarter turn.
    pub fn quarter(self) -> Self {
        Self::new(-self.y, self.x)
    }

    /// Whether both coordinates are finite.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl Add for Point {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f32> for Point {
    type Output = Self;
    fn mul(self, factor: f32) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }
}

impl Div<f32> for Point {
    type Output = Self;
    fn div(self, divisor: f32) -> Self {
        Self::new(self.x / divisor, self.y / divisor)
    }
}

impl Neg for Point {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

impl AddAssign for Point {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// An upright rectangle, in points. Width and height are not negative in what the methods return.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    pub x: f32,
    pub y: f32,
    pub w: f32,
    pub h: f32,
}

impl Rect {
    /// A rectangle from its top left corner and its size.
    pub const fn new(x: f32, y: f32, w: f32, h: f32) -> Self {
        Self { x, y, w, h }
    }

    /// The rectangle between two opposite corners.
    pub fn between(a: Point, b: Point) -> Self {
        Self::new(a.x.min(b.x), a.y.min(b.y), (a.x - b.x).abs(), (a.y - b.y).abs())
    }

    /// The rectangle of a size around a centre.
    pub fn around(centre: Point, w: f32, h: f32) -> Self {
        Self::new(centre.x - w / 2.0, centre.y - h / 2.0, w, h)
    }

    /// x of the right edge.
    pub fn right(self) -> f32 {
        self.x + self.w
    }

    /// y of the bottom edge.
    pub fn bottom(self) -> f32 {
        self.y + self.h
    }

    pub fn origin(self) -> Point {
        Point::new(self.x, self.y)
    }

    pub fn centre(self) -> Point {
        Point::new(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(self) -> bool {
        // Not-a-number is empty, too.
        !(self.w > 0.0 && self.h > 0.0)
    }

    /// Whether a point lies in it: left and top edges belong to it, right and bottom edges do not.
    pub fn contains(self, point: Point) -> bool {
        point.x >= self.x && point.y >= self.y && point.x < self.right() && point.y < self.bottom()
    }

    /// The place in it that is nearest to a point.
    pub fn nearest(self, to: Point) -> Point {
        Point::new(to.x.min(self.right()).max(self.x), to.y.min(self.bottom()).max(self.y))
    }

    /// Whether another rectangle lies in it, with `slack` points of tolerance.
    pub fn encloses(self, other: Self, slack: f32) -> bool {
        other.x >= self.x - slack
            && other.y >= self.y - slack
            && other.right() <= self.right() + slack
            && other.bottom() <= self.bottom() + slack
    }

    /// `by` points smaller at each side (larger when negative); width and height never become negative.
    pub fn inset(self, by: f32) -> Self {
        self.inset_xy(by, by)
    }

    /// `x` points smaller at left and right, `y` points at top and bottom.
    pub fn inset_xy(self, x: f32, y: f32) -> Self {
        let (w, h) = ((self.w - 2.0 * x).max(0.0), (self.h - 2.0 * y).max(0.0));
        Self::around(self.centre(), w, h)
    }

    pub fn moved(self, by: Point) -> Self {
        Self::new(self.x + by.x, self.y + by.y, self.w, self.h)
    }

    /// The part that both have in common; empty when they do not touch.
    pub fn intersect(self, other: Self) -> Self {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = self.right().min(other.right());
        let bottom = self.bottom().min(other.bottom());
        Self::new(x, y, (right - x).max(0.0), (bottom - y).max(0.0))
    }

    /// Whether they have an area in common.
    pub fn overlaps(self, other: Self) -> bool {
        !self.intersect(other).is_empty()
    }

    /// Cuts up to `h` points off the top: the strip and the rest.
    pub fn cut_top(self, h: f32) -> (Self, Self) {
        let h = h.clamp(0.0, self.h.max(0.0));
        (Self { h, ..self }, Self { y: self.y + h, h: self.h - h, ..self })
    }

    /// Cuts up to `h` points off the top of this rectangle, and gives the strip.
    pub fn take_top(&mut self, h: f32) -> Self {
        let strip;
        (strip, *self) = self.cut_top(h);
        strip
    }

    /// Cuts up to `h` points off the bottom: the strip and the rest.
    pub fn cut_bottom(self, h: f32) -> (Self, Self) {
        let h = h.clamp(0.0, self.h.max(0.0));
        let left = self.h - h;
        (Self { y: self.y + left, h, ..self }, Self { h: left, ..self })
    }

    /// Cuts up to `w` points off the left: the strip and the rest.
    pub fn cut_left(self, w: f32) -> (Self, Self) {
        let w = w.clamp(0.0, self.w.max(0.0));
        (Self { w, ..self }, Self { x: self.x + w, w: self.w - w, ..self })
    }

    /// Cuts up to `w` points off the right: the strip and the rest.
    pub fn cut_right(self, w: f32) -> (Self, Self) {
        let w = w.clamp(0.0, self.w.max(0.0));
        let left = self.w - w;
        (Self { x: self.x + left, w, ..self }, Self { w: left, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_add_up_to_the_whole() {
        let (cut, rest) = Rect::new(10.0, 20.0, 100.0, 50.0).cut_top(5.0);
        assert_eq!(cut, Rect::new(10.0, 20.0, 100.0, 5.0));
        let (cut, rest) = rest.cut_bottom(15.0);
        assert_eq!(cut, Rect::new(10.0, 55.0, 100.0, 15.0));
        let (cut, rest) = rest.cut_left(30.0);
        assert_eq!(cut, Rect::new(10.0, 25.0, 30.0, 30.0));
        let (cut, rest) = rest.cut_right(500.0);
        assert_eq!(cut, Rect::new(40.0, 25.0, 70.0, 30.0));
        assert!(rest.is_empty());
        assert_eq!(rest.cut_left(1.0).0.w, 0.0);
    }

    #[test]
    fn edges_belong_to_one_neighbour_only() {
        let (left, right) = Rect::new(0.0, 0.0, 10.0, 10.0).cut_left(4.0);
        let edge = Point::new(4.0, 1.0);
        assert!(right.contains(edge) && !left.contains(edge));
        assert!(!left.overlaps(right));
        assert!(left.intersect(right).is_empty());
    }

    #[test]
    fn inset_never_turns_inside_out() {
        let rect = Rect::new(0.0, 0.0, 10.0, 4.0);
        assert_eq!(rect.inset(1.0), Rect::new(1.0, 1.0, 8.0, 2.0));
        assert_eq!(rect.inset(3.0), Rect::new(3.0, 2.0, 4.0, 0.0));
        assert_eq!(rect.inset(-1.0), Rect::new(-1.0, -1.0, 12.0, 6.0));
    }

    #[test]
    fn turns_go_clockwise_from_north() {
        let east = Point::from_turn(0.25);
        assert!((east - Point::new(1.0, 0.0)).length() < 1e-6);
        assert!((Point::from_turn(0.0) - Point::new(0.0, -1.0)).length() < 1e-6);
        assert!(Point::ZERO.unit().is_none());
        assert_eq!(Point::new(3.0, 4.0).length(), 5.0);
        assert_eq!(Point::ZERO.lerp(Point::new(2.0, 4.0), 0.5), Point::new(1.0, 2.0));
    }
}
