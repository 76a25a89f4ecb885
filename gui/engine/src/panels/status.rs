//! The status line over the world's lower edge: what was just done, and which lines were not understood.
//!
//! Must never be shown without anything to say. Tested in this module, and with the panels of the
//! games.

use super::kit::{self, Ui, count};
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::theme::{self, size};
use crate::timeline::fold::Oddities;

/// Height of one line and its frame, in points.
const ONE_LINE: f32 = 28.0;
/// Height of two lines, the most that are shown, and their frame, in points.
pub const HEIGHT: f32 = ONE_LINE + 18.0;

/// What the status line may show.
#[derive(Debug, Clone, Copy)]
pub struct Status<'a> {
    /// A notice of what was just done.
    pub notice: Option<&'a str>,
    pub oddities: &'a Oddities,
    /// Whether the screen shows the world alone: then oddities aren't shown.
    pub bare: bool,
}

/// Whether there is anything to say.
pub fn wanted(says: Status<'_>) -> bool {
    says.notice.is_some() || (says.oddities.total() > 0 && !says.bare)
}

/// A sentence that counts the lines that weren't understood; `None` without any.
pub fn oddities(odd: &Oddities) -> Option<String> {
    if odd.total() == 0 {
        return None;
    }
    let lines = odd.unknown + odd.malformed;
    let mut parts = Vec::new();
    if lines > 0 {
        let kinds: Vec<String> = odd.kinds.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
        let named = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
        parts.push(format!("{} not understood{named}", count(lines, "line", "lines")));
    }
    if odd.too_long > 0 {
        parts.push(format!("{} too long to be read", count(odd.too_long, "line", "lines")));
    }
    if odd.misfits > 0 {
        parts.push(format!("{} out of place", count(odd.misfits, "message", "messages")));
    }
    let last = odd.last_bad.as_ref().or(odd.last_misfit.as_ref());
    let last = last.map(|last| format!(", last: {last}")).unwrap_or_default();
    Some(format!("{}{last}", parts.join(", ")))
}

pub fn draw<C>(ui: &mut Ui<'_, C>, rect: Rect, says: Status<'_>) {
    let (words, ink, mark) = match (says.notice, oddities(says.oddities)) {
        (Some(notice), _) => (notice.to_owned(), theme::TEXT, theme::GOOD),
        (None, Some(odd)) => (odd, theme::TEXT_SOFT, theme::ACCENT),
        (None, None) => return,
    };
    let room = rect.w - 40.0;
    let style = Style::regular(size::BODY, ink);
    let lines = kit::lines_of(ui.canvas, &words, style, room, 2);
    let width = |line: &String| ui.canvas.measure(line, Face::Regular, size::BODY);
    let wide = lines.iter().map(width).fold(0.0, f32::max) + 40.0;
    let high = if lines.len() > 1 { HEIGHT } else { ONE_LINE };
    let middle = Point::new(rect.centre().x, rect.bottom() - high / 2.0);
    let pill = Rect::around(middle, wide.min(rect.w), high.min(rect.h));
    ui.hits.cover(pill);
    ui.canvas.shadow(pill.moved(Point::new(0.0, 2.0)), ONE_LINE / 2.0, 10.0, Color::BLACK.alpha(0.4));
    ui.canvas.round_rect(pill, ONE_LINE / 2.0, theme::PANEL.alpha(0.96));
    ui.canvas.outline(pill, ONE_LINE / 2.0, ui.canvas.hairline(), theme::PANEL_LINE);
    ui.canvas.circle(Point::new(pill.x + 16.0, pill.centre().y), 3.5, mark);
    let step = pill.h / lines.len().max(1) as f32 * 0.72;
    let top = pill.centre().y - step * (lines.len() as f32 - 1.0) / 2.0;
    for (line, words) in lines.iter().enumerate() {
        let at = Point::new(pill.x + 27.0, top + step * line as f32);
        kit::text(ui.canvas, at, Anchor::Left, room, words, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_understood_is_counted() {
        assert_eq!(oddities(&Oddities::default()), None);
        let odd = Oddities {
            unknown: 10,
            malformed: 2,
            misfits: 1,
            last_bad: Some("xyz 1".to_owned()),
            ..Oddities::default()
        };
        let says = "12 lines not understood, 1 message out of place, last: xyz 1";
        assert_eq!(oddities(&odd).as_deref(), Some(says));
        let endless = Oddities { too_long: 1, ..Oddities::default() };
        assert_eq!(oddities(&endless).as_deref(), Some("1 line too long to be read"));
        let kinds = vec![("xyz".to_owned(), 9), ("abc".to_owned(), 1)];
        let named = Oddities { unknown: 10, kinds, ..Oddities::default() };
        assert_eq!(oddities(&named).as_deref(), Some("10 lines not understood (9 xyz, 1 abc)"));
    }
}
