//! The screen of games that have none of their own: the grid that they publish, the teams by their scores, the lines.
//!
//! Tested in its modules and in `gui/app/tests/plain/`.

pub mod board;
mod panels;
mod world;

use std::convert::Infallible;

use zappy_protocol::{MapSize, Position, TeamName, Tick};

use crate::app::action::{self, Direction, Panel};
use crate::app::keymap::{self, Binding, BindingGroup, plain, shifted};
use crate::app::link::position;
use crate::app::session;
use crate::ink::Point;
use crate::input::Keycap;
use crate::map_screen::panels::Panels;
use crate::map_screen::shown::MapShown;
use crate::map_screen::{Destination, MapGame, MapScreen};
use crate::sound::{Sound, SoundCue};
use board::{Board, Lines, Log};

/// A watched match, of whatever game.
pub type Session = session::Session<Log>;
/// The screen of a game that has none of its own.
pub type App = MapScreen<PlainMap>;
/// Something to do on this screen; what is selected is a cell of the grid.
pub type Choice = action::Choice<Position, Infallible>;
/// What is to be shown.
type Shown<'a> = MapShown<'a, PlainMap>;

/// The map of any game: its grid, or a single tile where it publishes none.
#[derive(Debug)]
pub struct PlainMap;

/// What only the record's header may tell.
#[derive(Debug, Default)]
pub struct PlainView {
    /// The game's name, and the version of its rules.
    game: Option<(String, u32)>,
}

/// A screen that shows this match. `game` is the game's name and the version of its rules, until a line tells them.
pub fn screen(session: Session, game: Option<(String, u32)>) -> App {
    let mut app = App::new(session);
    app.view.own = PlainView { game };
    app
}

impl MapGame for PlainMap {
    type History = Log;
    type Selection = Position;
    type Own = Infallible;
    type Team = usize;
    type View = PlainView;

    const PANELS: Panels<PlainMap> = panels::PANELS;

    fn bindings() -> Vec<Binding<Choice>> {
        use Direction::{Next, Previous};
        let (t, s) = (BindingGroup::Time, BindingGroup::Selection);
        let turns = vec![
            shifted(t, Keycap::N, "Shift N, N", "turn before, next", Choice::KeyMoment(Previous)),
            plain(t, Keycap::N, "", "", Choice::KeyMoment(Next)),
        ];
        let close = vec![plain(s, Keycap::Escape, "Escape", "close, or select nothing", Choice::Escape)];
        let mut panels = keymap::panels();
        // What such a game counts beside scores isn't known.
        panels.retain(|key| key.action != Choice::Toggle(Panel::Charts).into());
        let (time, map) = (keymap::time(keymap::ticks(), turns), keymap::map(Vec::new()));
        let (feed, window) = (keymap::feed(Vec::new(), "", []), keymap::window(panels));
        [time, map, keymap::cursor(), close, feed, window, keymap::server()].concat()
    }

    fn teams(lines: &Lines) -> &[TeamName] {
        &lines.teams
    }

    fn number(team: usize) -> usize {
        team
    }

    fn size(board: &Board) -> Option<MapSize> {
        match &board.grid {
            Some(grid) => Some(grid.size),
            None => MapSize::new(1, 1).filter(|_| *board != Board::default()),
        }
    }

    fn place(board: &Board, at: Position) -> Option<Position> {
        board.grid.as_ref().filter(|grid| grid.size.contains(at)).map(|_| at)
    }

    fn tile(at: Position) -> Position {
        at
    }

    fn selection(text: &str) -> Option<Position> {
        position(text.strip_prefix("tile:")?)
    }

    fn named(at: Position) -> String {
        format!("tile:{},{}", at.x, at.y)
    }

    fn pick(app: &App, at: Point) -> Vec<Position> {
        world::pick(app.layout.scenery(), &app.shown(), at).into_iter().collect()
    }

    /// The beginnings of turns, and the match's end.
    fn key_moment(app: &App, direction: Direction) -> Option<Destination> {
        let (lines, here) = (app.watch.session.overview(), app.watch.time.whole_tick());
        let end = lines.close.as_ref().map(|close| close.tick);
        let ticks = lines.turns.iter().map(|(tick, _)| *tick).chain(end);
        direction.from(here, ticks, |tick| *tick).map(|tick| (tick, None))
    }

    fn entry(app: &App, number: usize) -> Option<Destination> {
        let (lines, here) = (app.watch.session.overview(), app.watch.time.whole_tick());
        lines.until(here).nth(number).map(|(tick, _)| (*tick, None))
    }

    fn sounds(lines: &Lines, size: Option<MapSize>, (after, until): (Tick, Tick)) -> Vec<SoundCue> {
        let ends = lines.close.iter().map(|close| close.tick).filter(|tick| after < *tick && *tick <= until);
        ends.map(|tick| SoundCue::at(tick, Sound::Fanfare, None, size)).collect()
    }

    fn perform(_app: &mut App, own: Infallible) {
        match own {}
    }

    /// Nothing is known to decide such a match, so its time isn't led.
    fn foresees(_view: &PlainView) -> bool {
        false
    }
}
