//! What the spectator does, and what that changes.
//!
//! Events become actions, actions change the view, and every frame shows the match at the view's tick. Plain
//! Rust without a window. Tested in its modules and in `tests/app.rs`.

pub mod action;
pub mod keymap;
mod mouse;
mod perform;
pub mod session;
pub mod shown;
pub mod view;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zappy_protocol::{Position, Tick};

use crate::ink::{Canvas, Rect};
use crate::input::Event;
use crate::panels::{self, Hits, Layout};
use crate::screen::{Next, Screen};
use crate::theme::TeamLook;
use crate::{draw, scene};

use action::{Action, Panel, Selection};
use mouse::Mouse;
use session::Session;
use shown::Shown;
use view::{SPEEDS, View};

/// How long a notice stays.
const NOTICE_TIME: Duration = Duration::from_secs(4);
/// Pause between two frames while nothing moves but something may come.
const IDLE_TIME: Duration = Duration::from_millis(100);
/// A frame never counts for more than this, so that a window that slept doesn't leap; in seconds.
const LONGEST_FRAME: f32 = 0.25;

/// The observer, apart from its window.
#[derive(Debug)]
pub struct App {
    session: Session,
    view: View,
    /// The moment that is shown, in ticks.
    tick: f64,
    /// Ticks per second of the last frame.
    pace: f64,
    looks: Vec<TeamLook>,
    /// The window's width and height, in points.
    window: (f32, f32),
    layout: Layout,
    hits: Hits,
    mouse: Mouse,
    notice: Option<(String, Instant)>,
    /// Whether the camera was set for this map, by hand or to show all of it.
    framed: bool,
    /// What the first picture is to show: how much closer than the whole map, and where.
    opening: (Option<f32>, Option<Position>),
    /// Whether the closing screen was opened by itself.
    closed: bool,
    moving: bool,
    wants_picture: Option<PathBuf>,
    sample: &'static [u8],
    quit: bool,
}

impl App {
    /// An observer of this match. `sample` is the record that comes with the program.
    #[must_use]
    pub fn new(session: Session, sample: &'static [u8]) -> App {
        App {
            session,
            view: View::default(),
            tick: 0.0,
            pace: 0.0,
            looks: Vec::new(),
            window: (0.0, 0.0),
            layout: Layout::default(),
            hits: Hits::default(),
            mouse: Mouse::default(),
            notice: None,
            framed: false,
            opening: (None, None),
            closed: false,
            moving: false,
            wants_picture: None,
            sample,
            quit: false,
        }
    }

    /// What the spectator has chosen, to be changed before the first frame.
    pub fn view_mut(&mut self) -> &mut View {
        &mut self.view
    }

    /// What the spectator has chosen.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The match that is watched.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The match that is watched.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The moment that is shown, in ticks.
    #[must_use]
    pub fn tick(&self) -> f64 {
        self.tick
    }

    /// The whole tick of that moment.
    fn whole_tick(&self) -> Tick {
        self.tick.max(0.0) as Tick
    }

    /// What can be clicked in the last frame.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        &self.hits
    }

    /// Where everything is in the last frame.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Watches another match instead.
    pub fn watch(&mut self, session: Session) {
        self.session = session;
        self.start_over();
    }

    /// Nothing that was chosen holds for another match.
    fn start_over(&mut self) {
        let kept = View { ui_scale: self.view.ui_scale, mouse: self.view.mouse, ..View::default() };
        self.view = kept;
        (self.tick, self.framed, self.closed, self.notice) = (0.0, false, false, None);
        // Teams of other names have other colours.
        self.looks.clear();
    }

    /// Shows the record in this file, or says why not.
    pub fn open(&mut self, path: &Path) {
        match Session::record(path) {
            Ok(session) => self.watch(session),
            Err(error) => self.say(&error.to_string()),
        }
    }

    /// Says something for a few seconds.
    pub fn say(&mut self, what: &str) {
        let mut letters = what.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        self.notice = Some((first + letters.as_str(), Instant::now()));
    }

    /// Whether another update would change what is shown, though no time passes.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.moving
    }

    /// Where the selection is at the tick shown.
    #[must_use]
    pub fn place_of_selection(&self) -> Option<Position> {
        perform::place_of(self, self.view.selection)
    }

    /// Brings a tile to the middle and leaves the magnification.
    pub fn centre_on(&mut self, at: Position) {
        if let Some(size) = self.session.stage().mirror().size {
            self.view.camera.look_at(size, at);
        }
    }

    /// Everything that `draw` and `panels` may know.
    #[must_use]
    pub fn shown(&self) -> Shown<'_> {
        let (first, last) = self.session.range();
        Shown {
            tick: self.tick,
            pace: self.pace,
            stage: self.session.stage(),
            roster: self.session.roster(),
            chronicle: self.session.chronicle(),
            looks: &self.looks,
            view: &self.view,
            origin: self.session.origin(),
            oddities: self.session.oddities(),
            first,
            last,
            dialogue: self.session.spoken(),
            notice: self.notice.as_ref().map(|(what, _)| what.as_str()),
        }
    }

    /// Shows that moment and stops there.
    pub fn seek(&mut self, tick: f64) {
        let (first, last) = self.session.range();
        self.tick = tick.clamp(first as f64, (last as f64).max(first as f64));
        self.view.at_now = false;
    }

    /// Lets so many seconds pass, and takes in what came.
    pub fn update(&mut self, seconds: f32, now: Instant) {
        self.session.update(now);
        if self.session.began_anew() {
            self.start_over();
            self.say("another match has begun on this server");
        }
        let seconds = if seconds.is_nan() { 0.0 } else { seconds.clamp(0.0, LONGEST_FRAME) };
        self.pass(f64::from(seconds));
        self.session.show(self.whole_tick());
        if self.looks.len() != self.session.roster().teams().len() {
            self.looks = TeamLook::of_all(self.session.roster().teams());
        }
        let wanted = self.view.panels.contains(&Panel::Dialogue);
        let player = self.inspected_player().filter(|_| wanted);
        let whole = self.session.show_dialogue(player, self.whole_tick(), self.view.heard);
        self.moving |= !whole || !self.session.arrived();
        self.close_when_over();
        if self.notice.as_ref().is_some_and(|(_, since)| now.duration_since(*since) > NOTICE_TIME) {
            self.notice = None;
        }
    }

    fn pass(&mut self, seconds: f64) {
        let (first, last) = self.session.range();
        let (head, live) = (self.session.now(), self.session.is_live());
        let before = self.tick;
        if live && self.view.at_now {
            self.tick = head;
            self.pace = self.session.base_rate();
        } else if self.view.playing {
            self.pace = SPEEDS[self.view.speed] * self.session.base_rate();
            self.tick += seconds * self.pace;
            if self.tick >= head {
                self.tick = head;
                self.view.at_now = live;
                self.view.playing = live;
            }
        } else {
            self.pace = 0.0;
        }
        self.tick = self.tick.clamp(first as f64, (last as f64).max(first as f64));
        self.moving = self.tick.to_bits() != before.to_bits();
    }

    /// The story of the match is told once, when its end is reached.
    fn close_when_over(&mut self) {
        let over = self.session.chronicle().ending().is_some_and(|end| self.tick >= end.tick as f64);
        if over && !self.closed && self.pace > 0.0 {
            self.view.panels.insert(Panel::Closing);
            self.closed = true;
        }
    }

    fn inspected_player(&self) -> Option<zappy_protocol::zappy::PlayerId> {
        match self.view.inspected() {
            Some(Selection::Player(player)) => Some(player),
            _ => None,
        }
    }

    /// Places everything for a window of that size, in points, and moves the camera.
    pub fn arrange(&mut self, width: f32, height: f32, seconds: f32) {
        self.window = (width, height);
        self.layout = panels::layout(width, height, &self.shown());
        let Some(size) = self.session.stage().mirror().size else { return };
        let world = self.layout.world;
        if !self.framed && !world.is_empty() {
            self.view.camera.fit(world, size);
            self.framed = true;
            self.come_closer();
        }
        if self.view.follow {
            let target =
                self.view.selected_player().and_then(|player| scene::place_of(&self.shown(), player));
            match target {
                Some(place) => {
                    let before = self.view.camera;
                    self.view.camera.approach(size, place.point, f64::from(seconds));
                    self.moving |= before != self.view.camera;
                }
                None => self.view.follow = false,
            }
        }
        self.view.camera.normalise(size);
    }

    /// Shows the first picture so many times closer than the whole map, about that tile or the selection.
    pub fn open_with(&mut self, zoom: Option<f32>, look_at: Option<Position>) {
        self.opening = (zoom, look_at);
    }

    /// Carries [`App::open_with`] out.
    pub(crate) fn come_closer(&mut self) {
        let (zoom, look_at) = std::mem::take(&mut self.opening);
        if let Some(at) = look_at.or_else(|| self.place_of_selection().filter(|_| zoom.is_some())) {
            self.centre_on(at);
        }
        if let Some(zoom) = zoom {
            self.act(Action::Zoom(zoom, None));
        }
    }

    /// The world's place: it fills the window, and its middle is that of the part which no panel covers.
    fn scenery(&self) -> Rect {
        let middle = self.layout.world.centre();
        let reach = |middle: f32, side: f32| 2.0 * middle.max(side - middle);
        let (width, height) = self.window;
        Rect::around(middle, reach(middle.x, width), reach(middle.y, height))
    }

    /// Draws everything.
    pub fn paint(&mut self, canvas: &mut Canvas) {
        let shown = self.shown();
        draw::world(canvas, self.scenery(), &shown);
        self.hits = panels::draw(canvas, &self.layout, &shown);
    }

    fn next(&self) -> Next {
        if self.quit {
            Next::Quit
        } else if self.moving || self.mouse.is_dragging() {
            Next::Again
        } else if self.session.is_waiting() || self.notice.is_some() {
            Next::After(IDLE_TIME)
        } else {
            Next::WhenSomethingHappens
        }
    }

    /// Carries an action out.
    pub fn act(&mut self, action: Action) {
        perform::perform(self, action);
    }
}

impl Screen for App {
    fn event(&mut self, event: Event) {
        mouse::handle(self, event);
    }

    fn frame(&mut self, seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next {
        let (width, height) = (sound(width), sound(height));
        let scale = self.view.ui_scale * comfortable_scale(width, height);
        self.mouse.set_scale(scale);
        self.update(seconds, Instant::now());
        self.arrange(width / scale, height / scale, seconds);
        canvas.begin(width * dpi, height * dpi, scale * dpi);
        self.paint(canvas);
        self.next()
    }

    fn wants_picture(&mut self) -> Option<PathBuf> {
        self.wants_picture.take()
    }

    fn pictured(&mut self, outcome: String) {
        self.say(&outcome);
    }
}

/// The longest side of a window, in px: more than any screen or wall of screens has.
const LONGEST_SIDE: f32 = 32_768.0;

/// A side of a window, whatever the system says.
fn sound(side: f32) -> f32 {
    if side.is_finite() { side.clamp(1.0, LONGEST_SIDE) } else { 1.0 }
}

/// Text grows with large windows, which are looked at from further away.
#[must_use]
pub fn comfortable_scale(width: f32, height: f32) -> f32 {
    (width / 1600.0).min(height / 900.0).clamp(1.0, 2.0)
}
