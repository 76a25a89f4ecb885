//! The pointer on the screen of a match: clicks on what was drawn last, drags of the world, the timeline and the minimap.
//!
//! Tested in `gui/zappy/tests/app.rs` and `gui/app/tests/plain/`.

use std::time::Duration;

use super::{Choice, MapGame, MapScreen};
use crate::app::action::Control;
use crate::ink::Point;
use crate::instant::Instant;
use crate::small_map::SmallMap;

/// Two clicks within this time are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(350);
/// The pointer moves so many points before a click becomes a drag.
const DRAG_DISTANCE: f32 = 4.0;

/// What a held button drags.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Drag {
    /// Not moved far enough yet.
    Pending(Point),
    World,
    /// Pressed at this place of the strip; the pointer may leave it.
    Timeline(Point),
    Minimap,
}

/// The pointer between two events.
#[derive(Debug)]
pub struct Pointer {
    /// Where it is, in points; `None` beside the window.
    pub at: Option<Point>,
    pub(super) drag: Option<Drag>,
    pub(super) last: Point,
    clicked: Option<(Instant, Point)>,
    /// How many px of the window make a point.
    pub(super) scale: f32,
    /// Whether the last input came from a finger: then panels name no keys.
    pub touched: bool,
}

impl Default for Pointer {
    fn default() -> Pointer {
        Pointer { at: None, drag: None, last: Point::ZERO, clicked: None, scale: 1.0, touched: false }
    }
}

impl<G: MapGame> MapScreen<G> {
    /// Follows the pointer to a place, in points.
    pub(super) fn moved(&mut self, at: Point) {
        let pointer = &mut self.view.pointer;
        let by = at - pointer.last;
        pointer.at = Some(at);
        match pointer.drag {
            Some(Drag::Pending(from)) if from.distance(at) < DRAG_DISTANCE => return,
            Some(Drag::Pending(from)) => {
                pointer.drag = Some(Drag::World);
                self.perform(Choice::Pan(from - at));
            }
            Some(Drag::World) => self.perform(Choice::Pan(-by)),
            Some(Drag::Timeline(from)) => self.seek(from, at),
            Some(Drag::Minimap) => self.look_at(at),
            None => {}
        }
        self.view.pointer.last = at;
    }

    pub(super) fn pressed(&mut self, at: Point) {
        let pointer = &mut self.view.pointer;
        (pointer.last, pointer.at) = (at, Some(at));
        if self.hits.seek_from(at, at).is_some() {
            pointer.drag = Some(Drag::Timeline(at));
            self.seek(at, at);
        } else if let Some(&action) = self.hits.at(at) {
            self.act(action);
        } else if self.layout.minimap_picture().contains(at) {
            pointer.drag = Some(Drag::Minimap);
            self.look_at(at);
        } else if !self.hits.covers(at) {
            pointer.drag = Some(Drag::Pending(at));
        }
    }

    /// Selects what was clicked if that was no drag; a second click follows it if it moves.
    pub(super) fn released(&mut self, at: Point) {
        let pointer = &mut self.view.pointer;
        let Some(Drag::Pending(_)) = pointer.drag.take() else { return };
        let now = Instant::now();
        let again = pointer.clicked.is_some_and(|(when, place)| {
            now.duration_since(when) < DOUBLE_CLICK && place.distance(at) < DRAG_DISTANCE
        });
        pointer.clicked = if again { None } else { Some((now, at)) };
        if again && self.view.selection.is_some_and(G::moves) {
            (self.view.follow, self.watch.screen.director) = (true, false);
        } else {
            self.perform(Choice::SelectAt(at));
        }
    }

    /// Goes to a moment by a drag on the timeline.
    fn seek(&mut self, from: Point, to: Point) {
        if let Some(tick) = self.hits.seek_from(from, to) {
            self.watch.control(Control::Seek(tick));
        }
    }

    /// Shows the part of the world that lies at a place of the minimap.
    fn look_at(&mut self, at: Point) {
        let small = self.size().and_then(|size| SmallMap::new(self.layout.minimap_picture(), size));
        let Some((x, y)) = small.and_then(|small| small.tile_point(at)) else { return };
        (self.view.camera.x, self.view.camera.y, self.view.follow) = (x, y, false);
        self.watch.screen.director = false;
    }
}
