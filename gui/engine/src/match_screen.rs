//! The screen of a match, as far as it is alike for every game: keys, the pointer, frames and pictures.
//!
//! The game draws and carries out its own choices. Clicks go to the hits of the last frame. Plain Rust without a window.
//! Tested in `gui/zappy/tests/app.rs` and `gui/app/tests/plain/`.

use std::time::Duration;

use zappy_protocol::Tick;

use crate::app::action::{Control, UserAction};
use crate::app::keymap::{self, Binding};
use crate::app::observer::GameScreen;
use crate::app::session::NewLive;
use crate::app::watching::{ANOTHER_MATCH, Chosen, Watching, comfortable_scale, sane_side};
use crate::ink::{Canvas, Point, Rect};
use crate::input::{Button, InputEvent};
use crate::instant::Instant;
use crate::led::LedTime;
use crate::panels::Hits;
use crate::screen::{Next, Screen, ScreenState, ScreenWish};
use crate::sound::SoundCue;
use crate::timeline::fold::History;

/// Two clicks within this time are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(350);
/// The pointer moves so many points before a click becomes a drag.
const DRAG_DISTANCE: f32 = 4.0;
/// Factor of zoom per notch of the wheel.
const WHEEL_ZOOM: f32 = 1.15;
/// Notches of one event that count, whatever a device says.
const WHEEL_LIMIT: f32 = 10.0;

/// What the pointer does where no panel lies. Places are in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gesture {
    /// Moves the view by so many points.
    Pan(Point),
    /// Larger by a factor about a place.
    Zoom(f32, Point),
    /// A click that was no drag; whether it is the second of two.
    Click(Point, bool),
    /// A click with the right button.
    Clear,
    /// A press or a drag at a place of the minimap.
    LookAt(Point),
}

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
pub struct Pointer {
    /// Where it is, in points; `None` beside the window.
    pub at: Option<Point>,
    drag: Option<Drag>,
    last: Point,
    clicked: Option<(Instant, Point)>,
    /// How many px of the window make a point.
    scale: f32,
    /// Whether the last input came from a finger: then panels name no keys.
    pub touched: bool,
}

impl Default for Pointer {
    fn default() -> Pointer {
        Pointer { at: None, drag: None, last: Point::ZERO, clicked: None, scale: 1.0, touched: false }
    }
}

/// The screen of a match.
pub trait MatchScreen {
    type History: History;
    /// The choices that this screen alone offers.
    type Choice: Copy;

    /// The match and the moment shown.
    fn watch(&self) -> &Watching<Self::History>;
    /// The match and the moment shown, to be changed.
    fn watch_mut(&mut self) -> &mut Watching<Self::History>;
    fn pointer(&mut self) -> &mut Pointer;
    /// What can be clicked in the last frame.
    fn hits(&self) -> &Hits<Self::Choice>;
    fn bindings() -> Vec<Binding<Self::Choice>>;
    fn perform(&mut self, choice: Self::Choice);
    /// Takes over what was chosen before the first picture, as far as it is this game's.
    fn choose(&mut self, chosen: &Chosen);
    /// Another match has begun: nothing that was chosen holds.
    fn start_over(&mut self);
    /// Another moment may be shown.
    fn refresh(&mut self) {}
    /// Places everything for a window of that size, in points.
    fn arrange(&mut self, _width: f32, _height: f32, _seconds: f32) {}
    /// The sounds after the first tick, up to the second one.
    fn sounds(&self, _ticks: (Tick, Tick)) -> Vec<SoundCue> {
        Vec::new()
    }
    /// Has [`MatchScreen::arrange`] point the camera at the choices anew, as for the first picture: only then it is known how
    /// much room the panels leave.
    fn frame_chosen(&mut self) {}
    /// The headline and the standing, in words; `None` without teams.
    fn described(&self) -> Option<(String, String)> {
        None
    }
    fn paint(&mut self, canvas: &mut Canvas);
    /// Follows the pointer in the world.
    fn gesture(&mut self, _gesture: Gesture) {}
    /// Where the whole map is shown small.
    fn minimap(&self) -> Rect {
        Rect::default()
    }

    fn act(&mut self, action: impl Into<UserAction<Self::Choice>>)
    where
        Self: Sized,
    {
        match action.into() {
            UserAction::Control(control) => self.watch_mut().control(control),
            UserAction::Choice(choice) => self.perform(choice),
        }
    }

    /// Takes in what came, and lets so many seconds pass.
    fn update(&mut self, seconds: f32, now: Instant) {
        if self.watch_mut().take_news(now) {
            self.start_over();
            self.watch_mut().start_over();
            self.watch_mut().screen.say(ANOTHER_MATCH);
        }
        self.watch_mut().pass(seconds);
        self.refresh();
        let heard = !self.watch().screen.muted;
        let sounds = self.watch().passed.filter(|_| heard).map(|ticks| self.sounds(ticks));
        self.watch_mut().screen.sounds = sounds.unwrap_or_default();
    }
}

impl<S: MatchScreen> Screen for S {
    fn event(&mut self, event: InputEvent) {
        let scale = self.pointer().scale;
        if let InputEvent::Moved(at)
        | InputEvent::Pressed(_, at)
        | InputEvent::Released(_, at)
        | InputEvent::Wheel(_, at)
        | InputEvent::Pinched { at, .. } = &event
            && !at.is_finite()
        {
            return;
        }
        if matches!(event, InputEvent::Key { .. } | InputEvent::Pressed(..)) && self.watch_mut().skip() {
            return;
        }
        match event {
            InputEvent::Touched => self.pointer().touched = true,
            InputEvent::Key { key, mods } => {
                self.pointer().touched = false;
                if let Some(action) = keymap::action(S::bindings(), key, mods) {
                    self.act(action);
                }
            }
            InputEvent::Moved(at) => moved(self, at / scale),
            InputEvent::Pressed(Button::Left, at) => pressed(self, at / scale),
            InputEvent::Pressed(Button::Middle, at) => {
                (self.pointer().last, self.pointer().drag) = (at / scale, Some(Drag::World));
            }
            InputEvent::Pressed(Button::Right, at) => {
                if !self.hits().covers(at / scale) {
                    self.gesture(Gesture::Clear);
                }
            }
            InputEvent::Released(_, at) => released(self, at / scale),
            InputEvent::Wheel(notches, at) => {
                let notches = if notches.is_nan() { 0.0 } else { notches.clamp(-WHEEL_LIMIT, WHEEL_LIMIT) };
                // Away from oneself is up.
                let up = (notches.signum() * notches.abs().ceil()) as i32;
                match self.hits().wheel_at(at / scale) {
                    Some(scroll) => self.perform(scroll(up)),
                    None if self.hits().covers(at / scale) => {}
                    None => self.gesture(Gesture::Zoom(WHEEL_ZOOM.powf(notches), at / scale)),
                }
            }
            InputEvent::Pinched { by, factor, at } => {
                self.pointer().drag = None;
                if (by / scale).is_finite() && factor.is_finite() && !self.hits().covers(at / scale) {
                    self.gesture(Gesture::Pan(-(by / scale)));
                    self.gesture(Gesture::Zoom(factor, at / scale));
                }
            }
            InputEvent::Dropped(path) => self.state().wish = Some(ScreenWish::Open(path)),
            InputEvent::Left => self.pointer().at = None,
        }
    }

    fn frame(&mut self, seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next {
        let (width, height) = (sane_side(width), sane_side(height));
        let scale = self.watch().screen.ui_scale * comfortable_scale(width, height);
        self.pointer().scale = scale;
        self.watch_mut().time.still = self.watch().screen.wants_picture.is_some();
        self.update(seconds, Instant::now());
        self.arrange(width / scale, height / scale, seconds);
        canvas.begin(width * dpi, height * dpi, scale * dpi);
        self.paint(canvas);
        let now = Instant::now();
        if self.watch().screen.telling.is_due(now)
            && let Some((headline, standing)) = self.described()
        {
            self.watch_mut().screen.telling.tell(now, headline, &standing);
        }
        self.watch_mut().time.still = false;
        let dragging = self.pointer().drag.is_some();
        self.watch().next(dragging)
    }

    fn state(&mut self) -> &mut ScreenState {
        &mut self.watch_mut().screen
    }
}

impl<S: MatchScreen> GameScreen for S {
    fn take_other_game(&mut self) -> Option<NewLive> {
        self.watch_mut().session.take_other_game()
    }

    fn read_all(&mut self) {
        self.watch_mut().session.read_all();
        self.update(0.0, Instant::now());
    }

    fn last_tick(&self) -> Tick {
        self.watch().reach().range.1
    }

    fn choose(&mut self, chosen: &Chosen) {
        MatchScreen::choose(self, chosen);
        self.watch_mut().choose(chosen);
    }

    fn frame_anew(&mut self) {
        self.frame_chosen();
    }

    fn led(&self) -> Option<&LedTime> {
        self.watch().led.as_ref()
    }

    fn sounds(&self, ticks: (Tick, Tick)) -> Vec<SoundCue> {
        MatchScreen::sounds(self, ticks)
    }

    fn paint_at(&mut self, tick: f64, canvas: &mut Canvas) {
        (self.watch_mut().time.playing, self.watch_mut().time.still) = (false, true);
        // Before the first tick: so many seconds of the opening are left.
        self.watch_mut().opens = (-tick).max(0.0);
        self.watch_mut().seek(tick);
        self.update(0.0, Instant::now());
        // A far moment, or a long dialogue, is read in several pieces.
        while self.watch().moving {
            self.update(0.0, Instant::now());
        }
        let area = canvas.area();
        self.frame_chosen();
        self.arrange(area.w, area.h, 0.0);
        self.paint(canvas);
    }
}

fn moved(screen: &mut impl MatchScreen, at: Point) {
    let pointer = screen.pointer();
    let by = at - pointer.last;
    pointer.at = Some(at);
    match pointer.drag {
        Some(Drag::Pending(from)) if from.distance(at) < DRAG_DISTANCE => return,
        Some(Drag::Pending(from)) => {
            pointer.drag = Some(Drag::World);
            screen.gesture(Gesture::Pan(from - at));
        }
        Some(Drag::World) => screen.gesture(Gesture::Pan(-by)),
        Some(Drag::Timeline(from)) => seek(screen, from, at),
        Some(Drag::Minimap) => screen.gesture(Gesture::LookAt(at)),
        None => {}
    }
    screen.pointer().last = at;
}

fn pressed(screen: &mut impl MatchScreen, at: Point) {
    (screen.pointer().last, screen.pointer().at) = (at, Some(at));
    if screen.hits().seek_from(at, at).is_some() {
        screen.pointer().drag = Some(Drag::Timeline(at));
        seek(screen, at, at);
    } else if let Some(&action) = screen.hits().at(at) {
        screen.act(action);
    } else if screen.minimap().contains(at) {
        screen.pointer().drag = Some(Drag::Minimap);
        screen.gesture(Gesture::LookAt(at));
    } else if !screen.hits().covers(at) {
        screen.pointer().drag = Some(Drag::Pending(at));
    }
}

fn released(screen: &mut impl MatchScreen, at: Point) {
    let pointer = screen.pointer();
    let Some(Drag::Pending(_)) = pointer.drag.take() else { return };
    let now = Instant::now();
    let again = pointer.clicked.is_some_and(|(when, place)| {
        now.duration_since(when) < DOUBLE_CLICK && place.distance(at) < DRAG_DISTANCE
    });
    pointer.clicked = if again { None } else { Some((now, at)) };
    screen.gesture(Gesture::Click(at, again));
}

fn seek(screen: &mut impl MatchScreen, from: Point, to: Point) {
    if let Some(tick) = screen.hits().seek_from(from, to) {
        screen.watch_mut().control(Control::Seek(tick));
    }
}
