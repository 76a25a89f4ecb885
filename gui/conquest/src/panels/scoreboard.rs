//! The factions, the first first: score, land, units, gold; and in which sequence they act.
//!
//! Rows become lower with more factions, and at last the lowest ranks are only counted.

use zappy_protocol::conquest::FactionId;
use zappy_protocol::conquest::constants::{DOMINION_NEED, DOMINION_TURNS};

use super::super::story::{crowned, ranked};
use super::super::view::{Choice, Selection, Shown};
use super::Ui;
use zappy_observer::ink::{Anchor, Face, Point, Rect, Style};
use zappy_observer::panels::kit::{self, count, number, signed};
use zappy_observer::panels::marks::emblem;
use zappy_observer::panels::ranks::{self, HEAD, Rows};
use zappy_observer::theme::{self, gap, size};

/// Heights of a row, from the roomiest to the tightest, in points.
pub const DENSITY: Rows = Rows(&[64.0, 46.0, 23.0, 18.0]);

/// `1st`, `2nd` and so on.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, hundred) if hundred != 11 => "st",
        (2, hundred) if hundred != 12 => "nd",
        (3, hundred) if hundred != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// How a match is won, by its rules: in full, and where there is no room for that.
fn rule(shown: &Shown<'_>) -> [String; 2] {
    match shown.state.mirror.dominion.as_ref().map(|dominion| dominion.need) {
        Some(need) => {
            let sinks = if need < DOMINION_NEED { " (sinking)" } else { "" };
            [
                format!(
                    "Last base standing, {need} % of the land{sinks} for {DOMINION_TURNS} turns, or best score"
                ),
                format!("Last base, {need} %{sinks} for {DOMINION_TURNS} turns, or score"),
            ]
        }
        None => ["Last base standing, or best score", "Last base, or best score"].map(str::to_owned),
    }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    let (head, rest) = inner.cut_top(HEAD);
    kit::heading(ui.canvas, head, "Factions");
    let soft = Style::regular(size::SMALL, theme::TEXT_SOFT);
    let rules = rule(shown);
    let rule = kit::fitting(ui.canvas, &rules, soft, head.w);
    kit::text(ui.canvas, head.origin() + Point::new(0.0, 17.0), Anchor::TopLeft, head.w, rule, soft);
    let ranked = ranked(&shown.state.mirror);
    let rows = (&ranked[..], ("more faction", "more factions"));
    ranks::draw(ui, (rect, rest), (DENSITY, shown.view.board_at), rows, |ui, place, faction| {
        draw_row(ui, place, *faction, shown);
    });
}

fn draw_row(ui: &mut Ui<'_>, place: Rect, faction: FactionId, shown: &Shown<'_>) {
    let mirror = &shown.state.mirror;
    let Some(known) = mirror.factions.get(faction.index()) else { return };
    let (has, look) = (&known.holdings, shown.look(Some(faction)));
    let selection = Selection::Faction(faction);
    let chosen = shown.view.selection == Some(selection);
    kit::row(
        ui,
        place.inset_xy(-6.0, 1.0),
        chosen,
        Choice::Select(selection),
        "What it has, and its lost orders",
    );
    let (head, rest) = place.inset_xy(0.0, 2.0).cut_top(if place.h < 30.0 { place.h } else { 24.0 });
    let middle = head.centre().y;
    emblem(ui.canvas, Point::new(head.x + 8.0, middle), 8.0, look);
    let large = if place.h < 30.0 { size::BODY } else { size::LARGE };
    let score = Style::strong(large, theme::TEXT);
    let drawn = kit::line_right(ui.canvas, head, &signed(has.score), score);
    let mut x = head.x + 24.0;
    if crowned(mirror) == Some(faction) {
        kit::crown(ui.canvas, Point::new(x + 6.0, middle), 6.5);
        x += 19.0;
    }
    let room = drawn.x - x - gap::BODY;
    let ink = if known.alive { look.color } else { theme::TEXT_FAINT };
    let name = kit::text(
        ui.canvas,
        Point::new(x, middle),
        Anchor::Left,
        room,
        known.name.as_str(),
        Style::strong(large, ink),
    );
    let alive = |one: &&FactionId| mirror.factions.get(one.index()).is_some_and(|other| other.alive);
    let acting: Vec<FactionId> = mirror.acting.iter().filter(alive).copied().collect();
    let turn = acting.iter().position(|acting| *acting == faction);
    let says = match (known.alive, turn) {
        (false, _) => "beaten".to_owned(),
        (true, Some(nth)) if acting.len() > 1 => format!("{} to move", ordinal(nth + 1)),
        (true, Some(_)) => "moves now".to_owned(),
        (true, None) => String::new(),
    };
    let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
    if ui.canvas.measure(&says, Face::Regular, size::SMALL) + gap::BODY <= drawn.x - name.right() - gap::BODY
    {
        kit::text(ui.canvas, Point::new(drawn.x - gap::BODY, middle), Anchor::Right, 90.0, &says, faint);
    }
    // What a beaten faction had is of no use to it.
    if rest.h < 16.0 || !known.alive {
        return;
    }
    let (line, rest) = rest.cut_top(17.0);
    let soft = Style::regular(size::SMALL, theme::TEXT_SOFT);
    let words = [
        count(has.land, "tile", "tiles"),
        format!("{}/{} units", number(has.population), number(has.cap)),
        format!("{} gold", number(has.gold)),
    ];
    let step = line.w / 3.0;
    for (nth, words) in words.iter().enumerate() {
        let at = Point::new(line.x + step * nth as f32, line.centre().y);
        kit::text(ui.canvas, at, Anchor::Left, step - 4.0, words, soft);
    }
    if rest.h >= 17.0 {
        let (line, _) = rest.cut_top(17.0);
        let slot = has.slot.map_or("builds no unit".to_owned(), |slot| match slot.left {
            0 => format!("{} is ready", slot.kind),
            left => format!("{} comes in {}", slot.kind, count(left, "turn", "turns")),
        });
        kit::line(ui.canvas, line, &format!("upkeep {} · {slot}", number(has.upkeep)), soft);
    }
}
