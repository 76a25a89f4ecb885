//! Keys, buttons, the wheel and dropped files, turned into actions.
//!
//! Knows what can be clicked only from the last frame's hits. Tested in `tests/app.rs`.

use std::time::{Duration, Instant};

use super::{App, keymap};
use crate::app::action::Control;
use crate::app::watching::Wish;
use crate::ink::Point;
use crate::input::{Button, Event};
use crate::zappy::app::action::{Choice, Selection};
use crate::zappy::draw;

/// Two clicks within this time are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(350);
/// The pointer moves so many points before a click becomes a drag.
const DRAG_DISTANCE: f32 = 4.0;
/// Factor of zoom per notch of the wheel.
const WHEEL_ZOOM: f32 = 1.15;
/// Notches of one event that count, whatever a device says.
const WHEEL_LIMIT: f32 = 10.0;

/// What a held button drags.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drag {
    /// Not moved far enough yet.
    Pending(Point),
    World,
    /// Pressed at this place of the strip; the pointer may leave it.
    Timeline(Point),
    Minimap,
}

/// The pointer between two events.
#[derive(Debug)]
pub struct Mouse {
    drag: Option<Drag>,
    last: Point,
    clicked: Option<(Instant, Point)>,
    scale: f32,
}

impl Default for Mouse {
    fn default() -> Mouse {
        Mouse { drag: None, last: Point { x: 0.0, y: 0.0 }, clicked: None, scale: 1.0 }
    }
}

impl Mouse {
    /// Window px per point.
    pub fn set_scale(&mut self, scale: f32) {
        self.scale = scale;
    }

    /// Whether something is dragged.
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }
}

/// Carries out what an event means.
pub fn handle(app: &mut App, event: Event) {
    let scale = app.mouse.scale;
    let place = match &event {
        Event::Moved(at) | Event::Pressed(_, at, _) | Event::Released(_, at) | Event::Wheel { at, .. } => {
            Some(at)
        }
        _ => None,
    };
    if place.is_some_and(|at| !at.is_finite()) {
        return;
    }
    match event {
        Event::Key { key, mods, .. } => {
            if let Some(action) = keymap::action(key, mods) {
                app.act(action);
            }
        }
        Event::Moved(at) => moved(app, at / scale),
        Event::Pressed(Button::Left, at, _) => pressed(app, at / scale),
        Event::Pressed(Button::Middle, at, _) => {
            app.mouse.last = at / scale;
            app.mouse.drag = Some(Drag::World);
        }
        Event::Pressed(Button::Right, at, _) => {
            if !app.hits.covers(at / scale) {
                app.act(Choice::Escape);
            }
        }
        Event::Released(_, at) => released(app, at / scale),
        Event::Wheel { delta_y, at, .. } => wheel(app, delta_y, at / scale),
        Event::Dropped(path) => app.watch.wish(Wish::Open(path)),
        Event::Left => app.view.mouse = None,
        Event::Text(_) | Event::Resized => {}
    }
}

fn moved(app: &mut App, at: Point) {
    let by = at - app.mouse.last;
    app.view.mouse = Some(at);
    match app.mouse.drag {
        Some(Drag::Pending(from)) if from.distance(at) < DRAG_DISTANCE => return,
        Some(Drag::Pending(from)) => {
            app.mouse.drag = Some(Drag::World);
            app.act(Choice::Pan(from - at));
        }
        Some(Drag::World) => app.act(Choice::Pan(-by)),
        Some(Drag::Timeline(from)) => seek(app, from, at),
        Some(Drag::Minimap) => look_at(app, at),
        None => {}
    }
    app.mouse.last = at;
}

fn pressed(app: &mut App, at: Point) {
    (app.mouse.last, app.view.mouse) = (at, Some(at));
    if app.hits.seek_at(at).is_some() {
        app.mouse.drag = Some(Drag::Timeline(at));
        seek(app, at, at);
    } else if let Some(&action) = app.hits.at(at) {
        app.act(action);
    } else if app.layout.minimap_picture().contains(at) {
        app.mouse.drag = Some(Drag::Minimap);
        look_at(app, at);
    } else if !app.hits.covers(at) {
        app.mouse.drag = Some(Drag::Pending(at));
    }
}

fn released(app: &mut App, at: Point) {
    let Some(Drag::Pending(_)) = app.mouse.drag.take() else { return };
    let now = Instant::now();
    let again = app.mouse.clicked.is_some_and(|(when, place)| {
        now.duration_since(when) < DOUBLE_CLICK && place.distance(at) < DRAG_DISTANCE
    });
    app.mouse.clicked = if again { None } else { Some((now, at)) };
    if again && matches!(app.view.selection, Some(Selection::Player(_))) {
        app.view.follow = true;
    } else {
        app.act(Choice::SelectAt(at));
    }
}

fn wheel(app: &mut App, delta: f32, at: Point) {
    let notches = if delta.is_nan() { 0.0 } else { delta.clamp(-WHEEL_LIMIT, WHEEL_LIMIT) };
    // Away from oneself is up.
    let up = (notches.signum() * notches.abs().ceil()) as i32;
    match app.hits.wheel_at(at) {
        Some(scroll) => app.act(scroll(up)),
        None if app.hits.covers(at) => {}
        None => app.act(Choice::Zoom(WHEEL_ZOOM.powf(notches), Some(at))),
    }
}

fn seek(app: &mut App, from: Point, to: Point) {
    if let Some(tick) = app.hits.seek_from(from, to) {
        app.act(Control::Seek(tick));
    }
}

fn look_at(app: &mut App, at: Point) {
    let place = app.layout.minimap_picture();
    let Some((x, y)) = draw::minimap_tile(place, &app.shown(), at) else { return };
    (app.view.camera.x, app.view.camera.y, app.view.follow) = (x, y, false);
}
