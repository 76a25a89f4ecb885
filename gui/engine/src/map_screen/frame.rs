//! The screen of a match in its window: keys, the pointer, frames and pictures.
//!
//! Clicks go to the hits of the last frame. Plain Rust without a window. Tested in `gui/zappy/tests/app.rs` and
//! `gui/app/tests/plain/`.

use std::time::Duration;

use zappy_protocol::Tick;

use super::pointer::Drag;
use super::{Choice, ChoiceOf, MapGame, MapScreen};
use crate::app::action::{Control, Panel, UserAction};
use crate::app::keymap;
use crate::app::observer::GameScreen;
use crate::app::session::NewLive;
use crate::app::watching::{ANOTHER_MATCH, Chosen, OPENING, comfortable_scale, sane_side};
use crate::ink::{Canvas, Point};
use crate::input::{Button, InputEvent};
use crate::instant::Instant;
use crate::led::LedTime;
use crate::screen::{Next, Screen, ScreenState, ScreenWish};
use crate::small_map::SmallMap;
use crate::sound::SoundCue;

/// Two clicks within this time are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(350);
/// The pointer moves so many points before a click becomes a drag.
const DRAG_DISTANCE: f32 = 4.0;
/// Factor of zoom per notch of the wheel.
const WHEEL_ZOOM: f32 = 1.15;
/// Notches of one event that count, whatever a device says.
const WHEEL_LIMIT: f32 = 10.0;

impl<G: MapGame> MapScreen<G> {
    pub fn act(&mut self, action: impl Into<UserAction<ChoiceOf<G>>>) {
        match action.into() {
            UserAction::Control(control) => self.watch.control(control),
            UserAction::Choice(choice) => self.perform(choice),
        }
    }

    /// Takes in what came, and lets so many seconds pass.
    pub fn update(&mut self, seconds: f32, now: Instant) {
        if self.watch.take_news(now) {
            self.start_over();
            self.watch.start_over();
            self.watch.screen.say(ANOTHER_MATCH);
        }
        self.watch.pass(seconds);
        self.refresh();
        let heard = self.watch.passed.filter(|_| !self.watch.screen.muted);
        let sounds = heard.map(|ticks| GameScreen::sounds(self, ticks));
        self.watch.screen.sounds = sounds.unwrap_or_default();
    }
}

impl<G: MapGame> Screen for MapScreen<G> {
    fn event(&mut self, event: InputEvent) {
        let scale = self.view.pointer.scale;
        if let InputEvent::Moved(at)
        | InputEvent::Pressed(_, at)
        | InputEvent::Released(_, at)
        | InputEvent::Wheel(_, at)
        | InputEvent::Pinched { at, .. } = &event
            && !at.is_finite()
        {
            return;
        }
        if matches!(event, InputEvent::Key { .. } | InputEvent::Pressed(..)) && self.watch.skip() {
            return;
        }
        match event {
            InputEvent::Touched => self.view.pointer.touched = true,
            InputEvent::Key { key, mods } => {
                self.view.pointer.touched = false;
                if let Some(action) = keymap::action(G::bindings(), key, mods) {
                    self.act(action);
                }
            }
            InputEvent::Moved(at) => self.moved(at / scale),
            InputEvent::Pressed(Button::Left, at) => self.pressed(at / scale),
            InputEvent::Pressed(Button::Middle, at) => {
                (self.view.pointer.last, self.view.pointer.drag) = (at / scale, Some(Drag::World));
            }
            InputEvent::Pressed(Button::Right, at) => {
                if !self.hits.covers(at / scale) {
                    self.perform(Choice::Escape);
                }
            }
            InputEvent::Released(_, at) => self.released(at / scale),
            InputEvent::Wheel(notches, at) => {
                let notches = if notches.is_nan() { 0.0 } else { notches.clamp(-WHEEL_LIMIT, WHEEL_LIMIT) };
                // Away from oneself is up.
                let up = (notches.signum() * notches.abs().ceil()) as i32;
                match self.hits.wheel_at(at / scale) {
                    Some(scroll) => self.perform(scroll(up)),
                    None if self.hits.covers(at / scale) => {}
                    None => self.perform(Choice::Zoom(WHEEL_ZOOM.powf(notches), Some(at / scale))),
                }
            }
            InputEvent::Pinched { by, factor, at } => {
                self.view.pointer.drag = None;
                if (by / scale).is_finite() && factor.is_finite() && !self.hits.covers(at / scale) {
                    self.perform(Choice::Pan(-(by / scale)));
                    self.perform(Choice::Zoom(factor, Some(at / scale)));
                }
            }
            InputEvent::Dropped(path) => self.state().wish = Some(ScreenWish::Open(path)),
            InputEvent::Left => self.view.pointer.at = None,
        }
    }

    fn frame(&mut self, seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next {
        let (width, height) = (sane_side(width), sane_side(height));
        let scale = self.watch.screen.ui_scale * comfortable_scale(width, height);
        self.view.pointer.scale = scale;
        self.watch.time.still = self.watch.screen.wants_picture.is_some();
        self.update(seconds, Instant::now());
        self.arrange(width / scale, height / scale, seconds);
        canvas.begin(width * dpi, height * dpi, scale * dpi);
        self.paint(canvas);
        let now = Instant::now();
        if self.watch.screen.telling.is_due(now)
            && let Some((headline, standing)) = self.described()
        {
            self.watch.screen.telling.tell(now, headline, &standing);
        }
        self.watch.time.still = false;
        let dragging = self.view.pointer.drag.is_some();
        self.watch.next(dragging)
    }

    fn state(&mut self) -> &mut ScreenState {
        &mut self.watch.screen
    }
}

impl<G: MapGame> GameScreen for MapScreen<G> {
    fn take_other_game(&mut self) -> Option<NewLive> {
        self.watch.session.take_other_game()
    }

    fn read_all(&mut self) {
        self.watch.session.read_all();
        self.update(0.0, Instant::now());
    }

    fn last_tick(&self) -> Tick {
        self.watch.reach().range.1
    }

    fn choose(&mut self, chosen: &Chosen) {
        self.opening = (chosen.zoom, chosen.look_at);
        self.watch.opens = if chosen.opening { OPENING } else { 0.0 };
        self.view.film = chosen.film;
        self.view.selection = chosen.select.as_deref().and_then(G::selection);
        for word in &chosen.show {
            let panel = match word.as_str() {
                "charts" => Some(Panel::Charts),
                "dialogue" => Some(Panel::Dialogue),
                "help" => Some(Panel::Help),
                "closing" => Some(Panel::Closing),
                _ => None,
            };
            self.view.panels.extend(panel);
            self.view.bare |= word == "world";
            self.view.notes |= word == "notes";
            G::show(&mut self.view.own, word);
        }
        if self.view.panels.contains(&Panel::Dialogue) && self.view.selection.is_none() {
            log::warn!("--show dialogue shows nothing without --select");
        }
        self.watch.choose(chosen);
    }

    fn frame_anew(&mut self) {
        (self.framed, self.view.follow) = (false, false);
    }

    fn led(&self) -> Option<&LedTime> {
        self.watch.led.as_ref()
    }

    fn sounds(&self, ticks: (Tick, Tick)) -> Vec<SoundCue> {
        G::sounds(self.watch.session.overview(), self.size(), ticks)
    }

    fn paint_at(&mut self, tick: f64, canvas: &mut Canvas) {
        (self.watch.time.playing, self.watch.time.still) = (false, true);
        // Before the first tick: so many seconds of the opening are left.
        self.watch.opens = (-tick).max(0.0);
        self.watch.seek(tick);
        self.update(0.0, Instant::now());
        // A far moment, or a long dialogue, is read in several pieces.
        while self.watch.moving {
            self.update(0.0, Instant::now());
        }
        let area = canvas.area();
        self.frame_anew();
        self.arrange(area.w, area.h, 0.0);
        self.paint(canvas);
    }
}

impl<G: MapGame> MapScreen<G> {
    /// Follows the pointer to a place, in points.
    fn moved(&mut self, at: Point) {
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

    fn pressed(&mut self, at: Point) {
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
    fn released(&mut self, at: Point) {
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
