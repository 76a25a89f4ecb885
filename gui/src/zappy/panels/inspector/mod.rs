//! What is selected, closely: a player, a tile or an egg.
//!
//! Sections stand in the order of their weight; those that find no room are left out, the buttons never. Must never tell
//! what a player thinks, only what was told of it. Tested in `card` and in `panels/tests.rs`.

mod card;
mod player;
mod tile;

pub use card::{Card, Deed, Doing, card};

use super::Ui;
use crate::ink::{Anchor, Point, Rect, Style};
use crate::panels::kit::{self, Label, Tone};
use crate::theme::{self, gap, size};
use crate::zappy::app::action::{Choice, Panel, Selection};
use crate::zappy::app::shown::Shown;

/// The least height with which it is of use, in points.
pub const LEAST: f32 = 400.0;

/// The height it would like, in points.
#[must_use]
pub fn height(shown: &Shown<'_>) -> f32 {
    match shown.view.inspected() {
        Some(Selection::Player(player)) if shown.stage.mirror().players.contains_key(&player) => 620.0,
        Some(Selection::Player(player)) => player::gone_height(shown, player),
        Some(Selection::Tile(at)) => tile::height(shown, at),
        Some(Selection::Egg(_)) => 150.0,
        None => 0.0,
    }
}

/// Draws it.
pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let Some(selection) = shown.view.inspected() else { return };
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    match selection {
        Selection::Player(player) => player::draw(ui, inner, player, shown),
        Selection::Tile(at) => tile::draw(ui, inner, at, shown),
        Selection::Egg(egg) => tile::draw_egg(ui, inner, egg, shown),
    }
}

/// Sections from the top down; one that finds no room is left out.
struct Flow {
    rest: Rect,
}

impl Flow {
    fn new(rest: Rect) -> Flow {
        Flow { rest }
    }

    /// A place of that height, with the usual distance above; `None` if there is no room.
    fn take(&mut self, height: f32, above: f32) -> Option<Rect> {
        if self.rest.h < height + above {
            return None;
        }
        let (_, rest) = kit::cut_top(self.rest, above);
        let (place, rest) = kit::cut_top(rest, height);
        self.rest = rest;
        Some(place)
    }

    /// A heading and a place of that height below it, or neither.
    fn section(&mut self, ui: &mut Ui<'_>, title: &str, height: f32) -> Option<Rect> {
        let tight = self.rest.h < HEAD + height + gap::LARGE;
        let place = self.take(HEAD + height, if tight { gap::SMALL } else { gap::LARGE })?;
        kit::capitals(ui.canvas, place.origin(), place.w, title);
        Some(kit::cut_top(place, HEAD).1)
    }
}

/// Height of a section's heading.
const HEAD: f32 = 18.0;

/// What the buttons are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// A player that is there.
    Living,
    /// A player that isn't there, or not any more.
    Gone,
    /// A tile or an egg.
    Thing,
}

/// Buttons at the bottom. Gives what is left above.
fn buttons(ui: &mut Ui<'_>, inner: Rect, what: Subject, shown: &Shown<'_>) -> Rect {
    let view = shown.view;
    let pin = ("Pin", "P", "Keep it here while others are clicked", Choice::TogglePin, view.pinned.is_some());
    let follow = ("Follow", "F", "Let the camera go with it", Choice::ToggleFollow, view.follow);
    let cone = ("Vision", "V", "Show what it can see", Choice::ToggleCone, view.cone);
    let trail = ("Trail", "T", "Show where it walked", Choice::ToggleTrail, view.trail);
    let says = (
        "Dialogue",
        "D",
        "What it and the server said",
        Choice::Toggle(Panel::Dialogue),
        view.shows(Panel::Dialogue),
    );
    let all = match what {
        Subject::Living => vec![follow, pin, cone, trail, says],
        Subject::Gone => vec![pin, says],
        Subject::Thing => vec![pin],
    };
    let columns = 3;
    let rows = all.len().div_ceil(columns);
    let step = gap::SMALL + 1.0;
    let (place, rest) = kit::cut_bottom(inner, rows as f32 * (kit::BUTTON + step) - step);
    let wide = (place.w - step * (columns - 1) as f32) / columns as f32;
    for (number, (words, key, hint, action, on)) in all.into_iter().enumerate() {
        let (row, column) = ((number / columns) as f32, (number % columns) as f32);
        // The last row's last button takes what is left.
        let double = if number == 4 { wide + step } else { 0.0 };
        let at = Rect::new(
            place.x + (wide + step) * column,
            place.y + (kit::BUTTON + step) * row,
            wide + double,
            kit::BUTTON,
        );
        let tone = if on { Tone::On } else { Tone::Plain };
        kit::button(ui, at, Label { words, key, hint }, tone, action);
    }
    kit::cut_bottom(rest, gap::BODY).1
}

/// A faint word at the left and a plain one at the right.
fn pair(ui: &mut Ui<'_>, place: Rect, left: &str, right: &str) {
    let faint = Style::regular(size::BODY, theme::TEXT_SOFT);
    let drawn = kit::line(ui.canvas, place, left, faint);
    let room = (place.w - drawn.w - gap::BODY).max(0.0);
    let at = Point::new(place.right(), place.centre().y);
    kit::text(ui.canvas, at, Anchor::Right, room, right, Style::regular(size::BODY, theme::TEXT));
}
