//! The places of the panels that can be clicked, dragged and scrolled.
//!
//! Filled while panels are drawn, so that what is seen is what is hit. Must never carry out an action: the screen does.
//! Tested in this module.

use std::borrow::Cow;

use zappy_protocol::Tick;

use crate::app::action::UserAction;
use crate::ink::{Point, Rect};

/// Something that can be clicked.
#[derive(Debug, Clone, PartialEq)]
pub struct Region<C> {
    pub rect: Rect,
    pub action: UserAction<C>,
    /// The tooltip; empty for none.
    pub hint: Cow<'static, str>,
}

/// What the wheel does over a list when it is turned by so many notches, positive away from the user.
pub type Scroll<C> = fn(i32) -> C;

/// What the pointer meets in one layer.
#[derive(Debug, Clone, PartialEq)]
enum Hit<C> {
    /// A panel, which swallows clicks.
    Cover,
    Region(Region<C>),
    /// Something that has a tooltip and can't be clicked.
    Tooltip(&'static str),
    /// A strip of time, with the ticks of its left and its right edge.
    Axis(Tick, Tick),
}

/// The places of the panels that can be clicked, dragged and scrolled.
#[derive(Debug, Clone)]
pub struct Hits<C> {
    /// Rectangles and what is in them; a later layer hides those before it.
    layers: Vec<(Rect, Hit<C>)>,
    /// The lists that the wheel scrolls.
    scrolls: Vec<(Rect, Scroll<C>)>,
    /// Whether a picture is made, in which nothing can be clicked: buttons and keys are left out.
    pub still: bool,
    /// Whether the spectator uses fingers: buttons don't name their keys.
    pub touched: bool,
}

impl<C> Default for Hits<C> {
    fn default() -> Hits<C> {
        Hits { layers: Vec::new(), scrolls: Vec::new(), still: false, touched: false }
    }
}

impl<C> Hits<C> {
    /// What a click at this point does, if anything.
    pub fn at(&self, point: Point) -> Option<&UserAction<C>> {
        if let Hit::Region(region) = &self.top(point)?.1 { Some(&region.action) } else { None }
    }

    /// The tooltip at this point; empty for none.
    pub fn hint_at(&self, point: Point) -> &str {
        match self.top(point) {
            Some((_, Hit::Region(region))) => &region.hint,
            Some((_, Hit::Tooltip(hint))) => hint,
            _ => "",
        }
    }

    /// Whether a panel lies at this point, so that clicks do not reach the world.
    pub fn covers(&self, point: Point) -> bool {
        self.top(point).is_some()
    }

    /// The tick for a press or a drag that began at `from`, in a strip of time, and is now at `to`, which may be
    /// outside it; `None` if it didn't begin in one.
    pub fn seek_from(&self, from: Point, to: Point) -> Option<Tick> {
        let (rect, Hit::Axis(first, last)) = self.top(from)? else { return None };
        let share = f64::from((to.x - rect.x) / rect.w.max(1.0)).clamp(0.0, 1.0);
        Some(first + (last.saturating_sub(*first) as f64 * share).round() as Tick)
    }

    /// What the wheel does at this point; `None` if no list is there.
    pub fn wheel_at(&self, point: Point) -> Option<Scroll<C>> {
        let over = self.scrolls.iter().rev().find(|(rect, _)| rect.contains(point));
        over.map(|(_, scroll)| *scroll)
    }

    /// All regions, the lower ones first.
    pub fn regions(&self) -> impl Iterator<Item = &Region<C>> {
        self.layers
            .iter()
            .filter_map(|(_, hit)| if let Hit::Region(region) = hit { Some(region) } else { None })
    }

    fn top(&self, point: Point) -> Option<&(Rect, Hit<C>)> {
        self.layers.iter().rev().find(|(rect, _)| rect.contains(point))
    }

    /// Adds a panel: clicks don't reach what lies below.
    pub fn cover(&mut self, rect: Rect) {
        self.layers.push((rect, Hit::Cover));
    }

    /// Adds something that can be clicked; `hint` is its tooltip, empty for none.
    pub fn click(
        &mut self,
        rect: Rect,
        action: impl Into<UserAction<C>>,
        hint: impl Into<Cow<'static, str>>,
    ) {
        let region = Region { rect, action: action.into(), hint: hint.into() };
        self.layers.push((rect, Hit::Region(region)));
    }

    /// Adds a tooltip; a click does nothing.
    pub fn name(&mut self, rect: Rect, hint: &'static str) {
        self.layers.push((rect, Hit::Tooltip(hint)));
    }

    /// Adds a strip of time: its left edge is the first tick, its right edge the last.
    pub fn seek(&mut self, rect: Rect, first: Tick, last: Tick) {
        self.layers.push((rect, Hit::Axis(first, last)));
    }

    /// Adds a list that the wheel scrolls.
    pub fn scroll(&mut self, rect: Rect, what: Scroll<C>) {
        self.scrolls.push((rect, what));
    }

    /// Removes the lists that the wheel scrolls, as an overlay covers them.
    pub fn forget_scrolls(&mut self) {
        self.scrolls.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::action::Control;

    #[test]
    fn the_topmost_wins_and_backgrounds_swallow() {
        let mut hits = Hits::<i32>::default();
        hits.click(Rect::new(0.0, 0.0, 50.0, 50.0), Control::Faster, "below");
        hits.cover(Rect::new(10.0, 10.0, 50.0, 50.0));
        hits.click(Rect::new(20.0, 20.0, 5.0, 5.0), UserAction::Choice(7), "");
        assert_eq!(hits.at(Point::new(5.0, 5.0)), Some(&Control::Faster.into()));
        assert_eq!(hits.at(Point::new(15.0, 15.0)), None);
        assert_eq!(hits.at(Point::new(22.0, 22.0)), Some(&UserAction::Choice(7)));
        assert!(hits.covers(Point::new(59.0, 59.0)) && !hits.covers(Point::new(70.0, 70.0)));
    }

    #[test]
    fn a_strip_seeks_and_a_drag_may_leave_it() {
        let mut hits = Hits::<i32>::default();
        hits.seek(Rect::new(100.0, 0.0, 200.0, 10.0), 50, 250);
        assert_eq!(hits.seek_from(Point::new(100.0, 5.0), Point::new(100.0, 5.0)), Some(50));
        assert_eq!(hits.seek_from(Point::new(200.0, 5.0), Point::new(200.0, 5.0)), Some(150));
        assert_eq!(hits.seek_from(Point::new(200.0, 50.0), Point::new(200.0, 50.0)), None);
        let from = Point::new(110.0, 2.0);
        assert_eq!(hits.seek_from(from, Point::new(900.0, 90.0)), Some(250));
        assert_eq!(hits.seek_from(from, Point::new(-5.0, 90.0)), Some(50));
        assert_eq!(hits.seek_from(Point::ZERO, from), None);
    }

    #[test]
    fn the_wheel_scrolls_the_list_below_it() {
        let mut hits = Hits::default();
        hits.scroll(Rect::new(0.0, 0.0, 10.0, 10.0), |notches| -notches);
        hits.scroll(Rect::new(20.0, 0.0, 10.0, 10.0), |notches| 3 * notches);
        let turned = |x: f32| hits.wheel_at(Point::new(x, 5.0)).map(|scroll| scroll(2));
        assert_eq!((turned(5.0), turned(25.0), turned(15.0)), (Some(-2), Some(6), None));
    }
}
