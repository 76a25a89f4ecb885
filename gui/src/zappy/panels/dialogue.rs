//! What the inspected player and the server said to each other, the newest at the bottom.
//!
//! Must never show a line that was said after the view's tick. Tested in `tests.rs`.

use zappy_protocol::record::dialogue::{Speech, Spoken};

use super::Ui;
use crate::app::origin::Origin;
use crate::ink::{Anchor, Face, Point, Rect, Style};
use crate::panels::kit::{self, Label, Tone, number};
use crate::theme::{self, gap, size};
use crate::zappy::app::action::{Choice, Panel, Selection};
use crate::zappy::app::shown::Shown;

/// Width of the column with the ticks.
const TICKS: f32 = 58.0;
/// Width of the column with the arrows.
const ARROWS: f32 = 18.0;

/// Why there is nothing to read, if so.
pub fn missing(shown: &Shown<'_>) -> Option<&'static str> {
    if !shown.dialogue.is_empty() {
        return None;
    }
    Some(match (shown.origin, shown.view.inspected()) {
        (Origin::Live { .. }, _) => "A server tells observers nothing of this; records hold it.",
        (_, Some(Selection::Player(_))) => {
            "Nothing was said up to this tick, or the record has no dialogues."
        }
        _ => "Select a player to read what it and the server say to each other.",
    })
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    // The newest line stands at the foot.
    ui.hits.scroll(rect, |up| Choice::DialogueMove(up * 3));
    let title = match shown.view.inspected() {
        Some(Selection::Player(player)) => format!("Dialogue of {player} with the server"),
        _ => "Dialogue with the server".to_owned(),
    };
    let (head, body) = kit::cut_top(inner, kit::HEADING);
    kit::capitals(ui.canvas, head.origin(), head.w - 230.0, &title);
    kit::close(ui, head, Choice::Toggle(Panel::Dialogue));
    let place = Rect::new(head.right() - 26.0 - 112.0, head.y - 5.0, 112.0, 22.0);
    let label = Label { words: "Broadcasts", key: "B", hint: "What others say to everybody" };
    kit::button(ui, place, label, if shown.view.heard { Tone::On } else { Tone::Plain }, Choice::ToggleHeard);
    let behind = shown.view.dialogue_at.min(shown.dialogue.len());
    if behind > 0 {
        let words = format!("{} below", number(behind as u64));
        let at = Point::new(place.x - gap::BODY, head.y);
        kit::text(ui.canvas, at, Anchor::TopRight, 70.0, &words, Style::regular(size::SMALL, theme::ACCENT));
    }
    if let Some(why) = missing(shown) {
        kit::paragraph(ui.canvas, body, 3, why, Style::regular(size::BODY, theme::TEXT_SOFT));
        return;
    }
    draw_lines(ui, body, &shown.dialogue[..shown.dialogue.len() - behind]);
}

/// From the bottom up, as many as there is room for.
fn draw_lines(ui: &mut Ui<'_>, body: Rect, spoken: &[Spoken]) {
    let step = ui.canvas.line_height(size::BODY);
    let wide = body.w - TICKS - ARROWS;
    let mut bottom = body.bottom();
    let mut highest: Option<(Rect, &Spoken)> = None;
    for (place, line) in spoken.iter().enumerate().rev() {
        let text = kit::lines_of(ui.canvas, &line.text, Style::mono(size::BODY, theme::TEXT), wide, 3);
        let why = line
            .why
            .as_ref()
            .map(|why| kit::lines_of(ui.canvas, why, Style::regular(size::SMALL, theme::TEXT), wide, 2));
        let small = ui.canvas.line_height(size::SMALL);
        let high = step * text.len() as f32 + why.as_ref().map_or(0.0, |why| small * why.len() as f32 + 2.0);
        let top = bottom - high;
        if top < body.y - 0.5 {
            break;
        }
        let fresh = place.checked_sub(1).is_none_or(|before| spoken[before].tick != line.tick);
        let row = Rect::new(body.x, top, body.w, high);
        draw_line(ui, row, line, &text);
        if fresh {
            draw_tick(ui, row, line);
        }
        highest = Some((row, line)).filter(|_| !fresh);
        let at = Point::new(body.x + TICKS + ARROWS, top + step * text.len() as f32);
        kit::stack(
            ui.canvas,
            at,
            why.as_deref().unwrap_or_default(),
            Style::regular(size::SMALL, theme::BAD),
        );
        bottom = top - 1.0;
    }
    // The line that its tick stands at is above: without one its time is unknown.
    if let Some((row, line)) = highest {
        draw_tick(ui, row, line);
    }
}

fn draw_tick(ui: &mut Ui<'_>, row: Rect, line: &Spoken) {
    let middle = row.y + ui.canvas.line_height(size::BODY) / 2.0;
    let at = Point::new(row.x + TICKS - gap::BODY, middle);
    let style = Style::regular(size::SMALL, theme::TEXT_FAINT);
    kit::text(ui.canvas, at, Anchor::Right, TICKS - gap::BODY, &number(line.tick), style);
}

fn draw_line(ui: &mut Ui<'_>, place: Rect, line: &Spoken, text: &[String]) {
    let step = ui.canvas.line_height(size::BODY);
    let middle = place.y + step / 2.0;
    let (arrow, calm) = match line.speech {
        Speech::In | Speech::TooLong | Speech::Dropped => ("→", theme::TEXT),
        Speech::Out | Speech::Reason => ("←", theme::TEXT_SOFT),
        Speech::Joined | Speech::Ended | Speech::Gone | Speech::Expelled | Speech::Closed => {
            ("·", theme::TEXT_FAINT)
        }
    };
    let ink = if line.why.is_some() || line.speech == Speech::Reason { theme::BAD } else { calm };
    let color = if arrow == "→" { theme::ACCENT } else { theme::TEXT_FAINT };
    let at = Point::new(place.x + TICKS, middle);
    ui.canvas.text(at, Anchor::Left, arrow, Style::new(Face::Mono, size::BODY, color));
    let at = Point::new(place.x + TICKS + ARROWS, place.y);
    kit::stack(ui.canvas, at, text, Style::mono(size::BODY, ink));
}
