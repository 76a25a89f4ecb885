//! What the spectator of Zappy does, and what that changes.
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

use std::path::PathBuf;
use std::time::Instant;

use zappy_protocol::Position;

use crate::app::playback::Playback;
use crate::app::watching::{Watching, comfortable_scale, sound};
use crate::ink::{Canvas, Rect};
use crate::input::Event;
use crate::screen::{Next, Screen};
use crate::theme::TeamLook;
use crate::zappy::panels::{self, Hits, Layout};
use crate::zappy::timeline::chronicle::Chronicler;
use crate::zappy::{draw, scene};

use action::{Action, Choice, Panel, Selection};
use mouse::Mouse;
use session::{Conversation, Session};
use shown::Shown;
use view::View;

/// The screen of Zappy, apart from its window.
#[derive(Debug)]
pub struct App {
    watch: Watching<Chronicler>,
    view: View,
    conversation: Conversation,
    looks: Vec<TeamLook>,
    /// The window's width and height, in points.
    window: (f32, f32),
    layout: Layout,
    hits: Hits,
    mouse: Mouse,
    /// Whether the camera was set for this map, by hand or to show all of it.
    framed: bool,
    /// What the first picture is to show: how much closer than the whole map, and where.
    opening: (Option<f32>, Option<Position>),
    /// Whether the closing screen was opened by itself.
    closed: bool,
}

impl App {
    /// A screen that shows this match.
    #[must_use]
    pub fn new(session: Session) -> App {
        App {
            watch: Watching::new(session),
            view: View::default(),
            conversation: Conversation::default(),
            looks: Vec::new(),
            window: (0.0, 0.0),
            layout: Layout::default(),
            hits: Hits::default(),
            mouse: Mouse::default(),
            framed: false,
            opening: (None, None),
            closed: false,
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

    /// The match and the moment shown, to be changed before the first frame.
    pub fn watch_mut(&mut self) -> &mut Watching<Chronicler> {
        &mut self.watch
    }

    /// The match and the moment shown.
    #[must_use]
    pub fn watch(&self) -> &Watching<Chronicler> {
        &self.watch
    }

    /// The match that is watched.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.watch.session
    }

    /// What the inspected player and the server said to each other.
    #[must_use]
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The view's time: the moment that is shown, and how it moves.
    #[must_use]
    pub fn time(&self) -> &Playback {
        &self.watch.time
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

    /// Nothing that was chosen holds for another match.
    fn start_over(&mut self) {
        self.view = View { mouse: self.view.mouse, ..View::default() };
        self.watch.start_over();
        (self.framed, self.closed) = (false, false);
        // Teams of other names have other colours.
        self.looks.clear();
    }

    /// Where the selection is at the tick shown.
    #[must_use]
    pub fn place_of_selection(&self) -> Option<Position> {
        perform::place_of(self, self.view.selection)
    }

    /// Brings a tile to the middle and leaves the magnification.
    pub fn centre_on(&mut self, at: Position) {
        if let Some(size) = self.session().stage().mirror().size {
            self.view.camera.look_at(size, at);
        }
    }

    /// Everything that `draw` and `panels` may know.
    #[must_use]
    pub fn shown(&self) -> Shown<'_> {
        let session = self.session();
        let (first, last) = session.range();
        Shown {
            time: self.watch.time,
            stage: session.stage(),
            roster: session.roster(),
            chronicle: session.chronicle(),
            looks: &self.looks,
            view: &self.view,
            origin: session.origin(),
            oddities: session.oddities(),
            first,
            last,
            dialogue: self.conversation.spoken(),
            notice: self.watch.notice(),
        }
    }

    /// Lets so many seconds pass, and takes in what came.
    pub fn update(&mut self, seconds: f32, now: Instant) {
        if self.watch.take_news(now) {
            self.start_over();
            self.watch.say("another match has begun on this server");
        }
        self.watch.pass(seconds);
        if self.looks.len() != self.session().roster().teams().len() {
            self.looks = TeamLook::of_all(self.session().roster().teams());
        }
        let wanted = self.view.panels.contains(&Panel::Dialogue);
        let player = self.inspected_player().filter(|_| wanted);
        let tick = self.watch.time.whole_tick();
        let whole = self.conversation.show(&mut self.watch.session, player, tick, self.view.heard);
        self.watch.moving |= !whole;
        self.close_when_over();
    }

    /// The story of the match is told once, when its end is reached.
    fn close_when_over(&mut self) {
        let time = self.watch.time;
        let over = self.session().chronicle().finish().is_some_and(|end| time.tick >= end.tick as f64);
        if over && !self.closed && time.pace > 0.0 {
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
        let Some(size) = self.session().stage().mirror().size else { return };
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
                    self.watch.moving |= before != self.view.camera;
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
    fn come_closer(&mut self) {
        let (zoom, look_at) = std::mem::take(&mut self.opening);
        if let Some(at) = look_at.or_else(|| self.place_of_selection().filter(|_| zoom.is_some())) {
            self.centre_on(at);
        }
        if let Some(zoom) = zoom {
            self.act(Choice::Zoom(zoom, None));
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

    /// Carries an action out.
    pub fn act(&mut self, action: impl Into<Action>) {
        match action.into() {
            Action::Control(control) => self.watch.control(control),
            Action::Choice(choice) => perform::perform(self, choice),
        }
    }

    /// Paints the match at that moment, in ticks; beyond the end at the last one. What else is to be seen was said to
    /// [`App::open_with`] and chosen in the view.
    pub fn paint_at(&mut self, tick: f64, canvas: &mut Canvas) {
        let opening = self.opening;
        self.watch.time.playing = false;
        self.watch.seek(tick);
        self.update(0.0, Instant::now());
        // A far moment, or a long dialogue, is read in several pieces.
        while self.watch.moving {
            self.update(0.0, Instant::now());
        }
        let area = canvas.area();
        self.arrange(area.w, area.h, 0.0);
        self.act(Choice::Fit);
        self.opening = opening;
        self.come_closer();
        self.opening = opening;
        self.arrange(area.w, area.h, 0.0);
        self.paint(canvas);
    }
}

impl Screen for App {
    fn event(&mut self, event: Event) {
        mouse::handle(self, event);
    }

    fn frame(&mut self, seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next {
        let (width, height) = (sound(width), sound(height));
        let scale = self.watch.ui_scale * comfortable_scale(width, height);
        self.mouse.set_scale(scale);
        self.update(seconds, Instant::now());
        self.arrange(width / scale, height / scale, seconds);
        canvas.begin(width * dpi, height * dpi, scale * dpi);
        self.paint(canvas);
        self.watch.next(self.mouse.is_dragging())
    }

    fn wants_picture(&mut self) -> Option<PathBuf> {
        self.watch.take_picture()
    }

    fn pictured(&mut self, outcome: String) {
        self.watch.say(&outcome);
    }
}
