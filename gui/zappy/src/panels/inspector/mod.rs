//! What is selected, closely: a player, a tile or an egg.
//!
//! Sections come in the order of their importance; those that find no room are left out, the buttons never. Of what is
//! on a tile no more is listed than there is room for; the wheel or a click on the last line goes to the others. Must
//! never say what a player thinks. Tested in `panels/tests.rs`.

mod player;

use zappy_protocol::Position;
use zappy_protocol::zappy::{EggId, Resource};

use super::needs::incantation_that_could_begin;
use super::{Ui, words};
use crate::draw::{self as marks, on_tile};
use crate::view::{Choice, Panel, Selection, Shown, ZappyChoice, inspected};
use zappy_observer::ink::{Point, Rect, Style};
use zappy_observer::panels::flow::{Flow, cell, pair};
use zappy_observer::panels::kit::{self, Label, Tone, count, number};
use zappy_observer::panels::marks::emblem;
use zappy_observer::theme::{self, gap, size};

/// Height of a line of a list.
const LINE: f32 = 22.0;
/// Players and eggs listed at a time at most.
const LIST_LIMIT: usize = 14;

/// The height that the panel needs, in points; 0 if nothing is inspected.
pub fn height(shown: &Shown<'_>) -> f32 {
    match inspected(shown.view) {
        Some(Selection::Player(player)) if shown.state.mirror().players.contains_key(&player) => 620.0,
        Some(Selection::Player(player)) => player::gone_height(shown, player),
        Some(Selection::Tile(at)) => {
            let occupants = on_tile(shown.state, at).len() - 1;
            310.0 + LINE * occupants.min(LIST_LIMIT + 1) as f32
        }
        Some(Selection::Egg(_)) => 150.0,
        None => 0.0,
    }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let Some(selection) = inspected(shown.view) else { return };
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    let mut flow = Flow { rest: draw_buttons(ui, inner, selection, shown) };
    match selection {
        Selection::Player(player) => player::draw(ui, &mut flow, player, shown),
        Selection::Tile(at) => draw_tile(ui, &mut flow, at, shown),
        Selection::Egg(egg) => {
            let Some(head) = flow.take(30.0, 0.0) else { return };
            let look = shown.story.roster.team_of_egg(egg).map(|team| shown.look(Some(team)));
            marks::egg(ui.canvas, Point::new(head.x + 12.0, head.centre().y), 11.0, look);
            let words = head.cut_left(32.0).1;
            kit::line(ui.canvas, words, &format!("Egg {egg}"), Style::strong(20.0, theme::TEXT));
            if let Some(place) = flow.take(20.0, gap::SMALL) {
                pair(ui, place, "Laid by", &origin_of_egg(shown, egg));
            }
            if let Some(place) = flow.take(20.0, 0.0) {
                let at = shown.state.mirror().eggs.get(&egg).map(|egg| egg.at);
                let words = at.map_or("not there at this tick".to_owned(), kit::place);
                pair(ui, place, "Lies at", &words);
            }
        }
    }
}

/// Draws the buttons for what is selected, at the bottom. Returns the rectangle above them.
fn draw_buttons(ui: &mut Ui<'_>, inner: Rect, selection: Selection, shown: &Shown<'_>) -> Rect {
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
        // The last button of five is two columns wide.
        let double = if number == 4 { wide + step } else { 0.0 };
        let (x, y) = (place.x + (wide + step) * column, place.y + (kit::BUTTON + step) * row);
        let at = Rect::new(x, y, wide + double, kit::BUTTON);
        let tone = if on { Tone::On } else { Tone::Plain };
        kit::button(ui, at, Label { words, key, hint }, tone, action);
    }
    rest.cut_bottom(gap::BODY).1
}

fn draw_tile(ui: &mut Ui<'_>, flow: &mut Flow, at: Position, shown: &Shown<'_>) {
    if let Some(head) = flow.take(26.0, 0.0) {
        let words = format!("Tile {}", kit::place(at));
        kit::line(ui.canvas, head, &words, Style::strong(20.0, theme::TEXT));
    }
    let running = shown.state.incantations().iter().find(|incantation| incantation.at == at);
    let (words, ink) = match running {
        Some(incantation) => {
            let players = count(incantation.players.len() as u64, "player", "players");
            let next = words::next(incantation.level);
            (format!("An incantation for {next} of {players} is under way"), theme::ACCENT)
        }
        None => match incantation_that_could_begin(shown.state.mirror(), at) {
            Some(needs) => (format!("An incantation for level {} could begin here", needs.to), theme::GOOD),
            None => ("No incantation could begin here now".to_owned(), theme::TEXT_SOFT),
        },
    };
    let style = Style::regular(size::BODY, ink);
    let lines = kit::lines_of(ui.canvas, &words, style, flow.rest.w, 2);
    let high = ui.canvas.line_height(size::BODY) * lines.len() as f32;
    if let Some(place) = flow.take(high, gap::SMALL) {
        kit::stack(ui.canvas, place.origin(), &lines, style);
    }
    draw_ground(ui, flow, at, shown);
    draw_occupants(ui, flow, at, shown);
}

fn draw_ground(ui: &mut Ui<'_>, flow: &mut Flow, at: Position, shown: &Shown<'_>) {
    let Some(ground) = shown.state.mirror().tile(at).copied() else { return };
    let rows = Resource::COUNT.div_ceil(2);
    let Some(place) = flow.section(ui, "On the ground", LINE * rows as f32) else { return };
    for (resource, units) in ground.iter() {
        let cell = cell(place, LINE, resource.index());
        let alpha = if units == 0 { 0.35 } else { 1.0 };
        let mark = Point::new(cell.x + 7.0, cell.centre().y);
        ui.canvas.faded(alpha, |canvas| marks::resource(canvas, mark, 6.5, resource));
        let ink = if units == 0 { theme::TEXT_FAINT } else { theme::TEXT };
        let (_, words) = cell.cut_left(19.0);
        let drawn = kit::line_right(ui.canvas, words, &number(units), Style::strong(size::BODY, ink));
        let name = words.cut_right(drawn.w + gap::SMALL).1;
        let soft = if units == 0 { theme::TEXT_FAINT } else { theme::TEXT_SOFT };
        kit::line(ui.canvas, name, resource.name(), Style::regular(size::SMALL, soft));
    }
}

/// The players and eggs on a tile; a click selects one.
fn draw_occupants(ui: &mut Ui<'_>, flow: &mut Flow, at: Position, shown: &Shown<'_>) {
    let mut all = on_tile(shown.state, at);
    // The tile itself comes last.
    all.pop();
    let title = if all.is_empty() { "Nobody is here" } else { "Here" };
    let Some(first) = flow.section(ui, title, if all.is_empty() { 0.0 } else { LINE }) else { return };
    // A cast from a float saturates.
    let lines = (1 + (flow.rest.h / LINE) as usize).min(LIST_LIMIT + 1);
    let rows = if all.len() > lines { lines - 1 } else { all.len() };
    let hidden = all.len() - rows;
    let above = shown.view.own.tile_list_at.min(hidden);
    let mut rest = Rect { h: LINE * lines as f32, ..first };
    for selection in all.iter().skip(above).take(rows) {
        let place;
        (place, rest) = rest.cut_top(LINE);
        let target = place.inset_xy(-6.0, 0.0);
        kit::row(ui, target, kit::over(ui.mouse, target), Choice::Select(*selection), "Select");
        let mark = Point::new(place.x + 7.0, place.centre().y);
        let (_, words) = place.cut_left(20.0);
        match *selection {
            Selection::Player(player) => {
                let team = shown.story.roster.team_of(player);
                emblem(ui.canvas, mark, 6.5, shown.look(team));
                let level = shown.state.mirror().players.get(&player).map(|known| known.level);
                let level = level.map(|level| format!("level {level}")).unwrap_or_default();
                let name = team.map(|team| words::name(&shown.story.roster, team)).unwrap_or_default();
                pair(ui, words, &format!("{player} {name}"), &level);
            }
            Selection::Egg(egg) => {
                let team = shown.story.roster.team_of_egg(egg);
                marks::egg(ui.canvas, mark, 6.5, team.map(|team| shown.look(Some(team))));
                pair(ui, words, &format!("Egg {egg}"), &origin_of_egg(shown, egg));
            }
            Selection::Tile(_) => {}
        }
    }
    if hidden > 0 {
        let go = |by| Choice::Own(ZappyChoice::ScrollTile(by));
        kit::others(ui, rest.cut_top(LINE).0, (above, rows, hidden - above), ("more", "more"), go);
        let list = Rect { h: LINE * (rows + 1) as f32, ..first };
        ui.hits.scroll(list, |up| Choice::Own(ZappyChoice::ScrollTile(-up)));
    }
}

/// The player that laid an egg, and its team as far as that is known.
fn origin_of_egg(shown: &Shown<'_>, egg: EggId) -> String {
    match (shown.story.roster.layer_of(egg), shown.story.roster.team_of_egg(egg)) {
        (Some(layer), Some(team)) => format!("{} of {layer}", words::name(&shown.story.roster, team)),
        (Some(layer), None) => format!("of {layer}"),
        (None, _) => "there from the start".to_owned(),
    }
}
