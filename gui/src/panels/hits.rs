//! What of the panels can be clicked, dragged and scrolled.
//!
//! Filled while panels are drawn, so that what is seen is what is hit. Must never do anything itself: `app` carries out
//! what it says. Tested in this module.

use std::borrow::Cow;

use zappy_protocol::Tick;

use crate::app::action::Action;
use crate::ink::{Point, Rect};

/// Something that can be clicked.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Where, in points.
    pub rect: Rect,
    /// What a click does.
    pub action: Action,
    /// What it is, for a tooltip; empty for none.
    pub hint: Cow<'static, str>,
}

/// A list that the wheel scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// The feed, with [`Action::FeedMove`].
    Feed,
    /// The dialogue, with [`Action::DialogueMove`].
    Dialogue,
}

/// A strip whose left edge is one tick and whose right edge another.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Axis {
    rect: Rect,
    first: Tick,
    last: Tick,
}

/// One layer: what lies above hides what lies below.
#[derive(Debug, Clone, PartialEq)]
enum Hit {
    Cover(Rect),
    Region(Region),
    Note(Rect, &'static str),
    Axis(Axis),
}

/// What of the panels can be clicked, dragged and scrolled.
#[derive(Debug, Clone, Default)]
pub struct Hits {
    layers: Vec<Hit>,
    scrolls: Vec<(Rect, Scroll)>,
    /// Where the minimap's picture goes, if it is shown.
    pub minimap: Option<Rect>,
}

impl Hits {
    /// What a click there does, if anything.
    #[must_use]
    pub fn at(&self, point: Point) -> Option<&Action> {
        self.region_at(point).map(|region| &region.action)
    }

    /// What can be clicked there: the topmost.
    #[must_use]
    pub fn region_at(&self, point: Point) -> Option<&Region> {
        match self.top(point)? {
            Hit::Region(region) => Some(region),
            Hit::Cover(_) | Hit::Note(..) | Hit::Axis(_) => None,
        }
    }

    /// What a tooltip there says; empty for none.
    #[must_use]
    pub fn hint_at(&self, point: Point) -> &str {
        match self.top(point) {
            Some(Hit::Region(region)) => &region.hint,
            Some(Hit::Note(_, hint)) => hint,
            Some(Hit::Cover(_) | Hit::Axis(_)) | None => "",
        }
    }

    /// Whether a panel lies there: clicks do not reach the world.
    #[must_use]
    pub fn covers(&self, point: Point) -> bool {
        self.top(point).is_some()
    }

    /// The tick that a press or a drag there seeks.
    #[must_use]
    pub fn seek_at(&self, point: Point) -> Option<Tick> {
        match self.top(point)? {
            Hit::Axis(axis) => Some(axis.tick(point.x)),
            Hit::Cover(_) | Hit::Note(..) | Hit::Region(_) => None,
        }
    }

    /// The tick for a drag that began at `from` and is now at `to`, which may have left the strip.
    #[must_use]
    pub fn seek_from(&self, from: Point, to: Point) -> Option<Tick> {
        match self.top(from)? {
            Hit::Axis(axis) => Some(axis.tick(to.x)),
            Hit::Cover(_) | Hit::Note(..) | Hit::Region(_) => None,
        }
    }

    /// The list that the wheel scrolls there.
    #[must_use]
    pub fn wheel_at(&self, point: Point) -> Option<Scroll> {
        let over = self.scrolls.iter().rev().find(|(rect, _)| rect.contains(point));
        over.map(|(_, scroll)| *scroll)
    }

    /// All regions, those below first.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        self.layers.iter().filter_map(|hit| match hit {
            Hit::Region(region) => Some(region),
            Hit::Cover(_) | Hit::Note(..) | Hit::Axis(_) => None,
        })
    }

    fn top(&self, point: Point) -> Option<&Hit> {
        self.layers.iter().rev().find(|hit| hit.rect().contains(point))
    }

    pub(super) fn cover(&mut self, rect: Rect) {
        self.layers.push(Hit::Cover(rect));
    }

    pub(super) fn click(&mut self, rect: Rect, action: Action, hint: impl Into<Cow<'static, str>>) {
        self.layers.push(Hit::Region(Region { rect, action, hint: hint.into() }));
    }

    pub(super) fn name(&mut self, rect: Rect, hint: &'static str) {
        self.layers.push(Hit::Note(rect, hint));
    }

    pub(super) fn seek(&mut self, rect: Rect, first: Tick, last: Tick) {
        self.layers.push(Hit::Axis(Axis { rect, first, last }));
    }

    pub(super) fn scroll(&mut self, rect: Rect, what: Scroll) {
        self.scrolls.push((rect, what));
    }

    /// What lies below is out of reach of the wheel from now on.
    pub(super) fn forget_scrolls(&mut self) {
        self.scrolls.clear();
    }
}

impl Hit {
    fn rect(&self) -> Rect {
        match self {
            Hit::Cover(rect) | Hit::Note(rect, _) => *rect,
            Hit::Region(region) => region.rect,
            Hit::Axis(axis) => axis.rect,
        }
    }
}

impl Axis {
    fn tick(&self, x: f32) -> Tick {
        let share = f64::from((x - self.rect.x) / self.rect.w.max(1.0)).clamp(0.0, 1.0);
        self.first + (self.last.saturating_sub(self.first) as f64 * share).round() as Tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_wins_and_backgrounds_swallow() {
        let mut hits = Hits::default();
        hits.click(Rect::new(0.0, 0.0, 50.0, 50.0), Action::Fit, "below");
        hits.cover(Rect::new(10.0, 10.0, 50.0, 50.0));
        hits.click(Rect::new(20.0, 20.0, 5.0, 5.0), Action::Escape, "");
        assert_eq!(hits.at(Point::new(5.0, 5.0)), Some(&Action::Fit));
        assert_eq!(hits.at(Point::new(15.0, 15.0)), None);
        assert_eq!(hits.at(Point::new(22.0, 22.0)), Some(&Action::Escape));
        assert!(hits.covers(Point::new(59.0, 59.0)) && !hits.covers(Point::new(70.0, 70.0)));
    }

    #[test]
    fn a_strip_seeks_and_a_drag_may_leave_it() {
        let mut hits = Hits::default();
        hits.seek(Rect::new(100.0, 0.0, 200.0, 10.0), 50, 250);
        assert_eq!(hits.seek_at(Point::new(100.0, 5.0)), Some(50));
        assert_eq!(hits.seek_at(Point::new(200.0, 5.0)), Some(150));
        assert_eq!(hits.seek_at(Point::new(200.0, 50.0)), None);
        let from = Point::new(110.0, 2.0);
        assert_eq!(hits.seek_from(from, Point::new(900.0, 90.0)), Some(250));
        assert_eq!(hits.seek_from(from, Point::new(-5.0, 90.0)), Some(50));
        assert_eq!(hits.seek_from(Point::ZERO, from), None);
    }

    #[test]
    fn the_wheel_scrolls_the_list_below_it() {
        let mut hits = Hits::default();
        hits.scroll(Rect::new(0.0, 0.0, 10.0, 10.0), Scroll::Feed);
        hits.scroll(Rect::new(20.0, 0.0, 10.0, 10.0), Scroll::Dialogue);
        assert_eq!(hits.wheel_at(Point::new(5.0, 5.0)), Some(Scroll::Feed));
        assert_eq!(hits.wheel_at(Point::new(25.0, 5.0)), Some(Scroll::Dialogue));
        assert_eq!(hits.wheel_at(Point::new(15.0, 5.0)), None);
    }
}
