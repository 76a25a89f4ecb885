//! The screen of games that have none of their own: name, version, turn, teams with their scores, the latest lines.
//!
//! Shares time, the server's frequency and the start screen with all screens. Tested in its modules and in
//! `tests/plain.rs`.

pub mod board;
mod help;
mod panels;

use std::path::PathBuf;
use std::time::Instant;

use zappy_protocol::Tick;

use crate::app::action::{self, Direction};
use crate::app::keymap::{self, Binding, Group, plain, shifted};
use crate::app::observer::{GameScreen, Watched};
use crate::app::session;
use crate::app::watching::{Chosen, Watching, Wish, comfortable_scale, sound};
use crate::ink::{Canvas, Point};
use crate::input::{Button, Event, Key};
use crate::panels::Hits;
use crate::screen::{Next, Screen};
use board::Log;

/// The match of any game that is watched.
pub type Session = session::Session<Log>;
/// Something to do.
pub type Action = action::Action<Choice>;

/// Something to do that this screen alone offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// To the beginning of the next turn, or of the one before.
    Turn(Direction),
    /// Move through the lines by so many; positive is older.
    Lines(i32),
    /// Show or hide the keys.
    Help,
    /// Close what lies over the rest.
    Escape,
}

impl From<Choice> for Action {
    fn from(choice: Choice) -> Action {
        Action::Choice(choice)
    }
}

/// All keys.
#[must_use]
pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let turns = vec![
        shifted(Group::Time, Key::N, "Shift N, N", "turn before, next", Choice::Turn(Previous)),
        plain(Group::Time, Key::N, "", "", Choice::Turn(Next)),
    ];
    let lines = vec![
        plain(Group::Feed, Key::J, "J K", "older, newer lines", Choice::Lines(1)),
        plain(Group::Feed, Key::K, "", "", Choice::Lines(-1)),
    ];
    let help = vec![
        plain(Group::Window, Key::H, "H  F1  ?", "this help", Choice::Help),
        plain(Group::Window, Key::F1, "", "", Choice::Help),
        shifted(Group::Window, Key::Slash, "", "", Choice::Help),
        plain(Group::Window, Key::Escape, "Escape", "close it", Choice::Escape),
    ];
    [keymap::time(turns), lines, keymap::window(help), keymap::server()].concat()
}

/// What the panels may know.
#[derive(Clone, Copy)]
struct Shown<'a> {
    watch: &'a Watching<Log>,
    game: &'a str,
    rules_version: Option<u32>,
    lines_at: usize,
    help: bool,
    mouse: Option<Point>,
}

/// The screen of a game that has none of its own.
#[derive(Debug)]
pub struct App {
    watch: Watching<Log>,
    /// The game's name, and the version of its rules, as the record's header or the server's first line told them.
    game: (String, Option<u32>),
    /// Lines between the newest and the first that is shown.
    lines_at: usize,
    help: bool,
    hits: Hits<Choice>,
    mouse: Option<Point>,
    /// Where on the timeline a drag began.
    drag: Option<Point>,
    /// Window px per point.
    scale: f32,
}

impl App {
    /// A screen that shows this match of this game.
    #[must_use]
    pub fn new(session: Session, game: &str, rules_version: Option<u32>) -> App {
        App {
            watch: Watching::new(session),
            game: (game.to_owned(), rules_version),
            lines_at: 0,
            help: false,
            hits: Hits::default(),
            mouse: None,
            drag: None,
            scale: 1.0,
        }
    }

    /// The match and the moment shown.
    #[must_use]
    pub fn watch(&self) -> &Watching<Log> {
        &self.watch
    }

    /// What can be clicked in the last frame.
    #[must_use]
    pub fn hits(&self) -> &Hits<Choice> {
        &self.hits
    }

    /// Lets so many seconds pass, and takes in what came.
    pub fn update(&mut self, seconds: f32, now: Instant) {
        if self.watch.take_news(now) {
            self.watch.start_over();
            self.lines_at = 0;
            self.watch.say("another match has begun on this server");
        }
        self.watch.pass(seconds);
    }

    /// Draws everything.
    pub fn paint(&mut self, canvas: &mut Canvas) {
        let told = self.watch.session.fold().game.as_ref();
        let shown = Shown {
            watch: &self.watch,
            game: told.map_or(&self.game.0, |(name, _)| name),
            rules_version: told.map(|(_, version)| *version).or(self.game.1),
            lines_at: self.lines_at,
            help: self.help,
            mouse: self.mouse,
        };
        self.hits = panels::draw(canvas, &shown);
    }

    /// Carries an action out.
    pub fn act(&mut self, action: impl Into<Action>) {
        match action.into() {
            Action::Control(control) => self.watch.control(control),
            Action::Choice(Choice::Turn(direction)) => match self.turn(direction) {
                Some(tick) => self.watch.stop_at(tick),
                None => self.watch.say("no turn in that direction"),
            },
            Action::Choice(Choice::Lines(lines)) => {
                let most = self.watch.session.overview().lines.len().saturating_sub(1);
                self.lines_at = self.lines_at.saturating_add_signed(lines as isize).min(most);
            }
            Action::Choice(Choice::Help) => self.help = !self.help,
            Action::Choice(Choice::Escape) => self.help = false,
        }
    }

    /// When the next turn begins, or the one before did; behind the last turn comes the end.
    fn turn(&self, direction: Direction) -> Option<Tick> {
        let (lines, here) = (self.watch.session.overview(), self.watch.time.whole_tick());
        let mut turns = lines.turns.iter().map(|(tick, _)| *tick);
        match direction {
            Direction::Next => {
                let end = lines.close.as_ref().map(|close| close.tick);
                turns.find(|&tick| tick > here).or(end.filter(|&tick| tick > here))
            }
            Direction::Previous => turns.rfind(|&tick| tick < here),
        }
    }

    fn seek(&mut self, from: Point, to: Point) {
        if let Some(tick) = self.hits.seek_from(from, to) {
            self.act(action::Control::Seek(tick));
        }
    }
}

impl Screen for App {
    fn event(&mut self, event: Event) {
        let scale = self.scale;
        match event {
            Event::Key { key, mods, .. } => {
                if let Some(action) = keymap::action(bindings(), key, mods) {
                    self.act(action);
                }
            }
            Event::Moved(at) if at.is_finite() => {
                self.mouse = Some(at / scale);
                if let Some(from) = self.drag {
                    self.seek(from, at / scale);
                }
            }
            Event::Pressed(Button::Left, at, _) if at.is_finite() => {
                let at = at / scale;
                self.mouse = Some(at);
                if self.hits.seek_at(at).is_some() {
                    self.drag = Some(at);
                    self.seek(at, at);
                } else if let Some(&action) = self.hits.at(at) {
                    self.act(action);
                }
            }
            Event::Released(..) => self.drag = None,
            Event::Wheel { delta_y, at, .. } if at.is_finite() && !delta_y.is_nan() => {
                if let Some(scroll) = self.hits.wheel_at(at / scale) {
                    self.act(scroll(delta_y.clamp(-10.0, 10.0).round() as i32));
                }
            }
            Event::Dropped(path) => self.watch.wish(Wish::Open(path)),
            Event::Left => self.mouse = None,
            Event::Moved(_) | Event::Pressed(..) | Event::Wheel { .. } | Event::Text(_) | Event::Resized => {}
        }
    }

    fn frame(&mut self, seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next {
        let (width, height) = (sound(width), sound(height));
        self.scale = self.watch.ui_scale * comfortable_scale(width, height);
        self.update(seconds, Instant::now());
        canvas.begin(width * dpi, height * dpi, self.scale * dpi);
        self.paint(canvas);
        self.watch.next(self.drag.is_some())
    }

    fn wants_picture(&mut self) -> Option<PathBuf> {
        self.watch.take_picture()
    }

    fn pictured(&mut self, outcome: String) {
        self.watch.say(&outcome);
    }
}

impl GameScreen for App {
    fn watched(&self) -> &dyn Watched {
        &self.watch
    }

    fn watched_mut(&mut self) -> &mut dyn Watched {
        &mut self.watch
    }

    fn choose(&mut self, chosen: &Chosen) {
        self.help = chosen.show.iter().any(|panel| panel == "help");
        self.watch.choose(chosen);
    }

    fn paint_at(&mut self, tick: f64, canvas: &mut Canvas) {
        self.watch.time.playing = false;
        self.watch.seek(tick);
        self.update(0.0, Instant::now());
        // A far moment is read in several pieces.
        while self.watch.moving {
            self.update(0.0, Instant::now());
        }
        self.paint(canvas);
    }
}
