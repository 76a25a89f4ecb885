//! The dialogue of a program with the server, with the program's own notes among the lines, the newest line at the
//! bottom.
//!
//! Tested with the panels of the games.

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::{Speech, Spoken};

use super::kit::{self, Label, Tone, Ui, number};
use crate::app::action::{Choice, Panel};
use crate::app::origin::Origin;
use crate::ink::{Anchor, Face, Point, Rect, Style};
use crate::theme::{self, gap, size};

/// Width of the column with the ticks, in points.
const TICKS_WIDTH: f32 = 58.0;
/// Width of the column with the arrows, in points.
const ARROWS_WIDTH: f32 = 18.0;

/// The contents of the panel.
pub struct Says<'a, O> {
    /// The program that talks to the server; `None` if none is selected.
    pub speaker: Option<String>,
    pub origin: &'a Origin,
    /// The lines up to the moment shown, the oldest first.
    pub spoken: &'a [Spoken],
    /// How many lines newer than the one at the foot are scrolled out of sight.
    pub behind: usize,
    /// Why there is nothing to read in a record: the text if the program said nothing, and the text if none is
    /// selected.
    pub missing: [&'static str; 2],
    /// The words for a moment.
    pub when: &'a dyn Fn(Tick) -> String,
    /// Whether a line says that something was refused; a line with a reason always does.
    pub refused: fn(&Spoken) -> bool,
    /// A switch: its label, whether it is on, and what a click does.
    pub switch: Option<(Label<'a>, bool, O)>,
}

pub fn draw<S, O>(ui: &mut Ui<'_, Choice<S, O>>, rect: Rect, says: Says<'_, O>) {
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    // The newest line stands at the foot.
    ui.hits.scroll(rect, |up| Choice::DialogueMove(up * 3));
    let (head, body) = inner.cut_top(kit::HEADING);
    kit::close(ui, head, Choice::Toggle(Panel::Dialogue));
    let mut right = head.right() - 26.0;
    if let Some((label, on, choice)) = says.switch {
        let place = Rect::new(right - 112.0, head.y - 5.0, 112.0, 22.0);
        kit::button(ui, place, label, if on { Tone::On } else { Tone::Plain }, Choice::Own(choice));
        right = place.x;
    }
    // Room for the number of lines below.
    let of = says.speaker.as_ref().map(|speaker| format!("of {speaker} ")).unwrap_or_default();
    let title = format!("Dialogue {of}with the server");
    kit::capitals(ui.canvas, head.origin(), right - head.x - 92.0, &title);
    let behind = says.behind.min(says.spoken.len());
    if behind > 0 {
        let words = format!("{} below", number(behind as u64));
        let at = Point::new(right - gap::BODY, head.y);
        kit::text(ui.canvas, at, Anchor::TopRight, 70.0, &words, Style::regular(size::SMALL, theme::ACCENT));
    }
    if says.spoken.is_empty() {
        let missing = match says.origin {
            Origin::Live { .. } => "A server tells observers nothing of this; records hold it.",
            _ => says.missing[usize::from(says.speaker.is_none())],
        };
        kit::paragraph(ui.canvas, body, 3, missing, Style::regular(size::BODY, theme::TEXT_SOFT));
        return;
    }
    // From the bottom up, as many lines as there is room for.
    let spoken = &says.spoken[..says.spoken.len() - behind];
    let step = ui.canvas.line_height(size::BODY);
    let wide = body.w - TICKS_WIDTH - ARROWS_WIDTH;
    let mut bottom = body.bottom();
    let mut highest: Option<(Rect, &Spoken)> = None;
    for (place, line) in spoken.iter().enumerate().rev() {
        let text = kit::lines_of(ui.canvas, &line.text, Style::mono(size::BODY, theme::TEXT), wide, 3);
        let reason = Style::regular(size::SMALL, theme::BAD);
        let why = line.why.as_ref().map(|why| kit::lines_of(ui.canvas, why, reason, wide, 2));
        let small = ui.canvas.line_height(size::SMALL);
        let high = step * text.len() as f32 + why.as_ref().map_or(0.0, |why| small * why.len() as f32 + 2.0);
        let top = bottom - high;
        if top < body.y - 0.5 {
            break;
        }
        let begins_tick = place.checked_sub(1).is_none_or(|before| spoken[before].tick != line.tick);
        let row = Rect::new(body.x, top, body.w, high);
        draw_line(ui, row, (line, (says.refused)(line)), &text);
        if begins_tick {
            draw_tick(ui, row, &(says.when)(line.tick));
        }
        highest = Some((row, line)).filter(|_| !begins_tick);
        let at = Point::new(body.x + TICKS_WIDTH + ARROWS_WIDTH, top + step * text.len() as f32);
        kit::stack(ui.canvas, at, why.as_deref().unwrap_or_default(), reason);
        bottom = top - 1.0;
    }
    // A tick stands beside its first line. Where that one has no room, the tick stands beside the highest line shown.
    if let Some((row, line)) = highest {
        draw_tick(ui, row, &(says.when)(line.tick));
    }
}

fn draw_tick<C>(ui: &mut Ui<'_, C>, row: Rect, words: &str) {
    let middle = row.y + ui.canvas.line_height(size::BODY) / 2.0;
    let at = Point::new(row.x + TICKS_WIDTH - gap::BODY, middle);
    let style = Style::regular(size::SMALL, theme::TEXT_FAINT);
    kit::text(ui.canvas, at, Anchor::Right, TICKS_WIDTH - gap::BODY, words, style);
}

fn draw_line<C>(ui: &mut Ui<'_, C>, place: Rect, (line, refused): (&Spoken, bool), text: &[String]) {
    let step = ui.canvas.line_height(size::BODY);
    let middle = place.y + step / 2.0;
    let (arrow, calm) = match line.speech {
        Speech::In | Speech::TooLong | Speech::Dropped => ("→", theme::TEXT),
        Speech::Out | Speech::Reason => ("←", theme::TEXT_SOFT),
        Speech::Noted => (":", theme::TEXT_SOFT),
        Speech::Joined | Speech::Ended | Speech::Gone | Speech::Expelled | Speech::Closed => {
            ("·", theme::TEXT_FAINT)
        }
    };
    let ink = if refused || line.why.is_some() || line.speech == Speech::Reason { theme::BAD } else { calm };
    let color = if arrow == "→" { theme::ACCENT } else { theme::TEXT_FAINT };
    let at = Point::new(place.x + TICKS_WIDTH, middle);
    ui.canvas.text(at, Anchor::Left, arrow, Style::new(Face::Mono, size::BODY, color));
    let at = Point::new(place.x + TICKS_WIDTH + ARROWS_WIDTH, place.y);
    kit::stack(ui.canvas, at, text, Style::mono(size::BODY, ink));
}
