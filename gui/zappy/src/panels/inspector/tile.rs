//! Draws what is known of a tile and of an egg. Must never list more than there is room for; the wheel or a click on the last line
//! goes to the others. Tested in `panels/tests.rs`.

use zappy_protocol::Position;
use zappy_protocol::zappy::{EggId, Resource};

use crate::draw as marks;
use crate::draw::on_tile;
use crate::panels::needs::incantation_that_could_begin;
use crate::panels::{Ui, words};
use crate::view::{Choice, Selection, Shown, ZappyChoice};
use zappy_observer::ink::{Point, Rect, Style};
use zappy_observer::panels::flow::{Flow, cell, pair};
use zappy_observer::panels::kit::{self, count, number};
use zappy_observer::panels::marks::emblem;
use zappy_observer::theme::{self, gap, size};

/// Height of a line of a list.
const LINE: f32 = 22.0;
/// Players and eggs listed at a time.
const LISTED: usize = 14;

/// The height that the inspector of a tile would like, in points.
pub fn height(shown: &Shown<'_>, at: Position) -> f32 {
    let there = on_tile(shown.state, at).len() - 1;
    310.0 + LINE * there.min(LISTED + 1) as f32
}

pub fn draw(ui: &mut Ui<'_>, flow: &mut Flow, at: Position, shown: &Shown<'_>) {
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
    draw_there(ui, flow, at, shown);
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

/// The players and eggs there; a click selects.
fn draw_there(ui: &mut Ui<'_>, flow: &mut Flow, at: Position, shown: &Shown<'_>) {
    let mut all = on_tile(shown.state, at);
    // The tile itself comes last.
    all.pop();
    let title = if all.is_empty() { "Nobody is here" } else { "Here" };
    let Some(first) = flow.section(ui, title, if all.is_empty() { 0.0 } else { LINE }) else { return };
    // A cast from a float saturates.
    let lines = (1 + (flow.rest.h / LINE) as usize).min(LISTED + 1);
    let rows = if all.len() > lines { lines - 1 } else { all.len() };
    let hidden = all.len() - rows;
    let above = shown.view.own.there_at.min(hidden);
    let mut rest = Rect { h: LINE * lines as f32, ..first };
    for selection in all.iter().skip(above).take(rows) {
        let line;
        (line, rest) = rest.cut_top(LINE);
        draw_one(ui, line, *selection, shown);
    }
    if hidden > 0 {
        let go = |by| Choice::Own(ZappyChoice::ThereMove(by));
        kit::others(ui, rest.cut_top(LINE).0, (above, rows, hidden - above), ("more", "more"), go);
        let list = Rect { h: LINE * (rows + 1) as f32, ..first };
        ui.hits.scroll(list, |up| Choice::Own(ZappyChoice::ThereMove(-up)));
    }
}

fn draw_one(ui: &mut Ui<'_>, place: Rect, selection: Selection, shown: &Shown<'_>) {
    let target = place.inset_xy(-6.0, 0.0);
    kit::row(ui, target, kit::over(ui.mouse, target), Choice::Select(selection), "Select");
    let mark = Point::new(place.x + 7.0, place.centre().y);
    let (_, words) = place.cut_left(20.0);
    match selection {
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
            pair(ui, words, &format!("Egg {egg}"), &whose(shown, egg));
        }
        Selection::Tile(_) => {}
    }
}

/// The team and the layer of an egg, as far as the dialect tells.
fn whose(shown: &Shown<'_>, egg: EggId) -> String {
    match (shown.story.roster.layer_of(egg), shown.story.roster.team_of_egg(egg)) {
        (Some(layer), Some(team)) => format!("{} of {layer}", words::name(&shown.story.roster, team)),
        (Some(layer), None) => format!("of {layer}"),
        (None, _) => "there from the start".to_owned(),
    }
}

pub fn draw_egg(ui: &mut Ui<'_>, flow: &mut Flow, egg: EggId, shown: &Shown<'_>) {
    let Some(head) = flow.take(30.0, 0.0) else { return };
    let look = shown.story.roster.team_of_egg(egg).map(|team| shown.look(Some(team)));
    marks::egg(ui.canvas, Point::new(head.x + 12.0, head.centre().y), 11.0, look);
    let words = head.cut_left(32.0).1;
    kit::line(ui.canvas, words, &format!("Egg {egg}"), Style::strong(20.0, theme::TEXT));
    if let Some(place) = flow.take(20.0, gap::SMALL) {
        pair(ui, place, "Laid by", &whose(shown, egg));
    }
    if let Some(place) = flow.take(20.0, 0.0) {
        let at = shown.state.mirror().eggs.get(&egg).map(|egg| egg.at);
        let words = at.map_or("not there at this tick".to_owned(), kit::place);
        pair(ui, place, "Lies at", &words);
    }
}
