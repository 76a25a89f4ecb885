//! What is selected, closely: a player, a tile or an egg.
//!
//! Sections stand in the order of their weight; those that find no room are left out, the buttons never. Must never tell
//! what a player thinks, only what was told of it. Tested in `facts` and in `panels/tests.rs`.

mod facts;
mod player;
mod tile;

use super::Ui;
use crate::view::{Choice, Panel, Selection, Shown, ZappyChoice, inspected};
use zappy_observer::ink::Rect;
use zappy_observer::panels::flow::Flow;
use zappy_observer::panels::kit::{self, Label, Tone};
use zappy_observer::theme::gap;

/// The height it would like, in points.
pub fn height(shown: &Shown<'_>) -> f32 {
    match inspected(shown.view) {
        Some(Selection::Player(player)) if shown.state.mirror().players.contains_key(&player) => 620.0,
        Some(Selection::Player(player)) => player::gone_height(shown, player),
        Some(Selection::Tile(at)) => tile::height(shown, at),
        Some(Selection::Egg(_)) => 150.0,
        None => 0.0,
    }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let Some(selection) = inspected(shown.view) else { return };
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    let mut flow = Flow { rest: buttons(ui, inner, selection, shown) };
    match selection {
        Selection::Player(player) => player::draw(ui, &mut flow, player, shown),
        Selection::Tile(at) => tile::draw(ui, &mut flow, at, shown),
        Selection::Egg(egg) => tile::draw_egg(ui, &mut flow, egg, shown),
    }
}

/// Draws the buttons for what is selected, at the bottom. Gives what is left above.
fn buttons(ui: &mut Ui<'_>, inner: Rect, selection: Selection, shown: &Shown<'_>) -> Rect {
    let view = shown.view;
    let (toggle_pin, pinned) = (Choice::Own(ZappyChoice::TogglePin), view.own.pinned.is_some());
    let pin = ("Pin", "P", "Keep it here while others are clicked", toggle_pin, pinned);
    let follow = ("Follow", "F", "Let the camera go with it", Choice::ToggleFollow, view.follow);
    let cone = ("Vision", "V", "Show what it can see", Choice::Own(ZappyChoice::ToggleCone), view.own.cone);
    let trail = ("Trail", "T", "Show where it walked", Choice::Own(ZappyChoice::ToggleTrail), view.own.trail);
    let (dialogue, open) = (Choice::Toggle(Panel::Dialogue), view.shows(Panel::Dialogue));
    let says = ("Dialogue", "D", "What it and the server said", dialogue, open);
    let all = match selection {
        Selection::Player(player) if shown.state.mirror().players.contains_key(&player) => {
            vec![follow, pin, cone, trail, says]
        }
        Selection::Player(_) => vec![pin, says],
        Selection::Egg(_) | Selection::Tile(_) => vec![pin],
    };
    let columns = 3;
    let rows = all.len().div_ceil(columns);
    let step = gap::SMALL + 1.0;
    let (place, rest) = inner.cut_bottom(rows as f32 * (kit::BUTTON + step) - step);
    let wide = (place.w - step * (columns - 1) as f32) / columns as f32;
    for (number, (words, key, hint, action, on)) in all.into_iter().enumerate() {
        let (row, column) = ((number / columns) as f32, (number % columns) as f32);
        // The last row's last button takes what is left.
        let double = if number == 4 { wide + step } else { 0.0 };
        let (x, y) = (place.x + (wide + step) * column, place.y + (kit::BUTTON + step) * row);
        let at = Rect::new(x, y, wide + double, kit::BUTTON);
        let tone = if on { Tone::On } else { Tone::Plain };
        kit::button(ui, at, Label { words, key, hint }, tone, action);
    }
    rest.cut_bottom(gap::BODY).1
}
