//! The screen of games that have none of their own: name, version, turn, teams with their scores, the latest lines.
//!
//! The controls of time and of the server's frequency, and the start screen, are those of all screens. Tested in its modules and in
//! `gui/app/tests/plain/`.

pub mod board;
mod panels;

use zappy_protocol::Tick;

use crate::app::action::{self, Direction};
use crate::app::keymap::{self, Binding, BindingGroup, plain, shifted};
use crate::app::session;
use crate::app::watching::{Chosen, Watching};
use crate::ink::Canvas;
use crate::input::Keycap;
use crate::match_screen::{MatchScreen, Pointer};
use crate::panels::Hits;
use board::Log;

/// A watched match, of whatever game.
pub type Session = session::Session<Log>;
pub type UserAction = action::UserAction<Choice>;

/// Something to do that this screen alone offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// To the beginning of the next turn, or of the one before.
    Turn(Direction),
    /// Move through the lines by so many; positive is older.
    Lines(i32),
    /// Move through the teams by so many; positive is towards the last ones.
    Teams(i32),
    /// Show or hide the keys.
    Help,
    /// Close what lies over the rest.
    Escape,
}

impl From<Choice> for UserAction {
    fn from(choice: Choice) -> UserAction {
        UserAction::Choice(choice)
    }
}

pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let turns = vec![
        shifted(BindingGroup::Time, Keycap::N, "Shift N, N", "turn before, next", Choice::Turn(Previous)),
        plain(BindingGroup::Time, Keycap::N, "", "", Choice::Turn(Next)),
    ];
    let lines = vec![
        plain(BindingGroup::Feed, Keycap::J, "J K", "older, newer lines", Choice::Lines(1)),
        plain(BindingGroup::Feed, Keycap::K, "", "", Choice::Lines(-1)),
    ];
    let help = vec![
        plain(BindingGroup::Window, Keycap::H, "H  F1  ?", "this help", Choice::Help),
        plain(BindingGroup::Window, Keycap::F1, "", "", Choice::Help),
        shifted(BindingGroup::Window, Keycap::Slash, "", "", Choice::Help),
        plain(BindingGroup::Window, Keycap::Escape, "Escape", "close it", Choice::Escape),
    ];
    [keymap::time(keymap::ticks(), turns), lines, keymap::window(help), keymap::server()].concat()
}

/// The screen of a game that has none of its own.
#[derive(Debug)]
pub struct App {
    /// The match and the moment shown.
    pub watch: Watching<Log>,
    /// The game's name, and the version of its rules, as the record's header or the server's first line told them.
    game: (String, Option<u32>),
    /// How many of the newest lines are scrolled past.
    lines_at: usize,
    /// The first team that is shown, as far as there are more than fit.
    teams_at: usize,
    help: bool,
    /// What can be clicked in the last frame.
    pub hits: Hits<Choice>,
    pointer: Pointer,
}

impl App {
    /// A screen that shows this match of this game.
    pub fn new(session: Session, game: &str, rules_version: Option<u32>) -> App {
        App {
            watch: Watching::new(session),
            game: (game.to_owned(), rules_version),
            lines_at: 0,
            teams_at: 0,
            help: false,
            hits: Hits::default(),
            pointer: Pointer::default(),
        }
    }

    /// The game's name, and the version of its rules: as they were told last.
    fn game(&self) -> (&str, Option<u32>) {
        let told = self.watch.session.fold().game.as_ref();
        told.map_or((&*self.game.0, self.game.1), |(name, version)| (&**name, Some(*version)))
    }

    /// The tick at which the next turn begins, or the one before began; after the last turn, that of the match's end.
    fn turn(&self, direction: Direction) -> Option<Tick> {
        let (lines, here) = (self.watch.session.overview(), self.watch.time.whole_tick());
        let turns = lines.turns.iter().map(|(tick, _)| *tick);
        let end = lines.close.as_ref().map(|close| close.tick);
        let end = end.filter(|&tick| direction == Direction::Next && tick > here);
        direction.from(here, turns, |tick| *tick).or(end)
    }
}

impl MatchScreen for App {
    type History = Log;
    type Choice = Choice;

    fn watch(&self) -> &Watching<Log> {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watching<Log> {
        &mut self.watch
    }

    fn pointer(&mut self) -> &mut Pointer {
        &mut self.pointer
    }

    fn hits(&self) -> &Hits<Choice> {
        &self.hits
    }

    fn bindings() -> Vec<Binding<Choice>> {
        bindings()
    }

    fn perform(&mut self, choice: Choice) {
        match choice {
            Choice::Turn(direction) => match self.turn(direction) {
                Some(tick) => self.watch.stop_at(tick),
                None => self.watch.screen.say("no turn in that direction"),
            },
            Choice::Lines(lines) => {
                let most = self.watch.session.overview().lines.len().saturating_sub(1);
                self.lines_at = self.lines_at.saturating_add_signed(lines as isize).min(most);
            }
            Choice::Teams(teams) => {
                let most = self.watch.session.fold().teams.len().saturating_sub(1);
                self.teams_at = self.teams_at.saturating_add_signed(teams as isize).min(most);
            }
            Choice::Help => self.help = !self.help,
            Choice::Escape => self.help = false,
        }
    }

    fn choose(&mut self, chosen: &Chosen) {
        self.help = chosen.show.iter().any(|panel| panel == "help");
    }

    fn start_over(&mut self) {
        (self.lines_at, self.teams_at) = (0, 0);
    }

    fn paint(&mut self, canvas: &mut Canvas) {
        self.hits = panels::draw(canvas, self);
    }
}
