//! The closing screen: what has won and why, the moments that decided it, and what each team did.
//!
//! Must never show before the end. Tested with the panels of the games.

use zappy_protocol::Tick;

use super::gold;
use super::kit::{self, Label, Tone, Ui, number};
use super::marks::emblem;
use crate::app::action::{Choice, Control, Panel};
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, gap, size};

#[derive(Debug)]
pub struct MatchEnd<'a> {
    /// The winners' names; none without a winner.
    pub winners: &'a [&'a str],
    pub look: TeamLook,
    /// Why, in a few sentences, the most telling first.
    pub why: &'a [String],
    /// The moments that decided it.
    pub moments: &'a [Replay],
    /// What each team did, the winner first; nothing without rows.
    pub table: &'a ClosingTable,
}

/// A moment that can be watched again.
#[derive(Debug, Clone)]
pub struct Replay {
    pub tick: Tick,
    /// When, as people read it.
    pub when: String,
    /// What happened, in a sentence.
    pub says: String,
    /// The team that it is about.
    pub look: Option<TeamLook>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClosingTable {
    /// What the columns behind the name say, each in two words at most; and what they count, in a sentence.
    pub columns: Vec<(&'static str, &'static str)>,
    /// Look, name and numbers of each team, the best first.
    pub rows: Vec<(TeamLook, String, Vec<String>)>,
}

/// Height of a moment's row and of a table's, in points.
const ROW: f32 = 21.0;
const TABLE_ROW: f32 = 18.0;
/// Rows of the table that are kept where room is short, and the height of one sentence, in points.
const KEPT: usize = 4;
const ONE: f32 = 42.0;
/// Height of the winner's name alone, and with its mark, in points.
const HEADS: (f32, f32) = (62.0, 122.0);
/// The most that stands between two parts, in points.
const BETWEEN: f32 = 20.0;

/// The size that it would like with so many moments and rows, in points.
pub fn size(moments: usize, rows: usize) -> (f32, f32) {
    (920.0, 300.0 + kit::HEADING + ROW * moments as f32 + table_height(rows) + 4.0 * gap::LARGE)
}

fn table_height(rows: usize) -> f32 {
    if rows == 0 { 0.0 } else { HEAD_ROW + TABLE_ROW * rows as f32 }
}

pub fn draw<S: Copy, O: Copy>(ui: &mut Ui<'_, Choice<S, O>>, rect: Rect, behind: Rect, end: &MatchEnd<'_>) {
    ui.hits.forget_scrolls();
    ui.hits.cover(behind);
    ui.canvas.rect(behind, Color::BLACK.alpha(0.5));
    ui.canvas.shadow(rect, gap::RADIUS, 30.0, Color::BLACK.alpha(0.6));
    ui.canvas.round_rect(rect, gap::RADIUS, theme::PANEL);
    ui.canvas.clipped(rect, |canvas| {
        let light = Point::new(rect.centre().x, rect.y - 10.0);
        canvas.glow(light, rect.w * 0.5, end.look.color.alpha(0.22));
    });
    ui.canvas.outline(rect, gap::RADIUS, ui.canvas.hairline(), theme::PANEL_LINE);
    let inner = rect.inset(2.0 * gap::LARGE);
    let head = Rect::new(inner.x, inner.y - 10.0, inner.w + 10.0, inner.h);
    kit::close(ui, head, Choice::Toggle(Panel::Closing));
    let (foot, body) = inner.cut_bottom(32.0);
    draw_buttons(ui, foot);
    let moments = if end.moments.is_empty() { 0.0 } else { kit::HEADING + ROW * end.moments.len() as f32 };
    let mut room = (body.h - HEADS.0 - moments).max(0.0);
    // The first teams of the table come before further sentences.
    let kept = table_height(end.table.rows.len().min(KEPT));
    let why = sentences(ui.canvas, end.why, body.w, (room - kept).max(room.min(ONE)));
    let high: f32 =
        why.iter().map(|(lines, style)| ui.canvas.line_height(style.size) * lines.len() as f32).sum();
    room -= high;
    // A cast from a float saturates.
    let rows = end.table.rows.len().min(((room - HEAD_ROW) / TABLE_ROW).max(0.0) as usize);
    let table = table_height(rows);
    room -= table;
    let tall = room >= HEADS.1 - HEADS.0 + 2.0 * gap::SMALL;
    let head = if tall { HEADS.1 } else { HEADS.0 };
    room -= head - HEADS.0;
    let between = (room / 4.0).clamp(0.0, BETWEEN);
    let mut rest = body;
    let [head, mut sentences, moments, table] = [head, high, moments, table].map(|height| {
        let place = rest.take_top(height);
        rest.take_top(between);
        place
    });
    draw_winner(ui, head, tall, end);
    for (line, style) in why.iter().flat_map(|(lines, style)| lines.iter().map(move |line| (line, style))) {
        let row = sentences.take_top(ui.canvas.line_height(style.size));
        kit::line_centre(ui.canvas, row, line, *style);
    }
    draw_moments(ui, moments, end.moments);
    draw_table(ui, table, end.table, rows);
}

/// Sentences with their lines, as many as have room, the first one stronger.
fn sentences(canvas: &Canvas, why: &[String], width: f32, room: f32) -> Vec<(Vec<String>, Style)> {
    let mut left = room;
    let set = why.iter().enumerate().map(|(place, words)| {
        let style = match place {
            0 => Style::strong(15.0, theme::TEXT),
            _ => Style::regular(size::BODY, theme::TEXT_SOFT),
        };
        (kit::lines_of(canvas, words, style, width, 2), style)
    });
    let fits = set.take_while(|(lines, style)| {
        left -= canvas.line_height(style.size) * lines.len() as f32;
        left >= 0.0
    });
    fits.collect()
}

/// Each moment with its tick; a click shows it again.
fn draw_moments<S, O>(ui: &mut Ui<'_, Choice<S, O>>, place: Rect, moments: &[Replay]) {
    if moments.is_empty() {
        return;
    }
    let mut rest = kit::heading(ui.canvas, place, "What decided it (click: watch it again)");
    let when = |one: &Replay| ui.canvas.measure(&one.when, Face::Strong, size::BODY);
    let wide = moments.iter().map(when).fold(0.0, f32::max) + gap::LARGE;
    for moment in moments {
        let row = rest.take_top(ROW);
        if row.h < ROW - 1.0 {
            return;
        }
        let lit = row.inset_xy(-6.0, 1.0);
        if kit::over(ui.mouse, lit) {
            ui.canvas.round_rect(lit, 5.0, theme::PANEL_RAISED);
        }
        ui.hits.click(lit, Choice::Replay(moment.tick), "Watch it again");
        let (at, words) = row.cut_left(wide);
        kit::line(ui.canvas, at, &moment.when, Style::strong(size::BODY, theme::ACCENT));
        if let Some(look) = moment.look {
            emblem(ui.canvas, Point::new(words.x + 6.0, words.centre().y), 5.0, look);
        }
        kit::line(ui.canvas, words.cut_left(18.0).1, &moment.says, Style::regular(size::BODY, theme::TEXT));
    }
}

/// Height of a table's head: two lines of small text.
const HEAD_ROW: f32 = 30.0;
/// The share of a table's width that names have.
const NAMES: f32 = 0.16;

fn draw_table<C>(ui: &mut Ui<'_, C>, place: Rect, table: &ClosingTable, rows: usize) {
    if rows == 0 || place.h < HEAD_ROW + TABLE_ROW {
        return;
    }
    let (head, mut rest) = place.cut_top(HEAD_ROW);
    let step = head.w * (1.0 - NAMES) / table.columns.len().max(1) as f32;
    let column = |row: Rect, nth: usize| {
        Rect::new(row.x + row.w * NAMES + step * nth as f32, row.y, step - gap::SMALL, row.h)
    };
    let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
    if rows < table.rows.len() {
        let best = format!("best {} of {}", number(rows as u64), number(table.rows.len() as u64));
        let place = Rect::new(head.x, head.y + HEAD_ROW / 2.0, head.w * NAMES, HEAD_ROW / 2.0);
        kit::line(ui.canvas, place, &best, faint);
    }
    for (nth, (title, hint)) in table.columns.iter().enumerate() {
        let (upper, lower) = title.split_once(' ').unwrap_or(("", title));
        let (top, bottom) = column(head, nth).cut_top(HEAD_ROW / 2.0);
        kit::line_right(ui.canvas, top, upper, faint);
        kit::line_right(ui.canvas, bottom, lower, faint);
        ui.hits.name(Rect { h: place.h, ..column(head, nth) }, hint);
    }
    for (look, name, numbers) in table.rows.iter().take(rows) {
        let row = rest.take_top(TABLE_ROW);
        emblem(ui.canvas, Point::new(row.x + 6.0, row.centre().y), 5.0, *look);
        let at = Rect::new(row.x + 18.0, row.y, row.w * NAMES - 20.0, row.h);
        kit::line(ui.canvas, at, name, Style::strong(size::BODY, look.color));
        for (nth, value) in numbers.iter().enumerate() {
            kit::line_right(ui.canvas, column(row, nth), value, Style::regular(size::BODY, theme::TEXT));
        }
    }
}

fn draw_winner<C>(ui: &mut Ui<'_, C>, head: Rect, tall: bool, end: &MatchEnd<'_>) {
    let look = end.look;
    let (winner, verb) = gold::parts(end.winners);
    if end.winners.is_empty() {
        let says = format!("{winner} {verb}");
        kit::line_centre(ui.canvas, head, &says, Style::strong(size::HUGE, theme::TEXT));
        return;
    }
    let size = if tall { size::TITLE } else { size::HUGE };
    let mut at = Point::new(head.centre().x, head.y);
    if tall {
        let centre = Point::new(at.x, at.y + 36.0);
        kit::crown(ui.canvas, centre - Point::new(0.0, 29.0), 9.0);
        emblem(ui.canvas, centre, 20.0, look);
        at.y += 58.0;
    }
    let fits = ui.canvas.measure(&winner, Face::Strong, size) <= head.w;
    let size = if fits { size } else { size::LARGE };
    let drawn = kit::text(ui.canvas, at, Anchor::Top, head.w, &winner, Style::strong(size, look.color));
    at.y = drawn.bottom() - 2.0;
    kit::text(ui.canvas, at, Anchor::Top, head.w, verb, Style::regular(size::LARGE, theme::TEXT_SOFT));
}

fn draw_buttons<S, O>(ui: &mut Ui<'_, Choice<S, O>>, foot: Rect) {
    let wide = ((foot.w - gap::BODY) / 2.0).min(170.0);
    let again = Rect { x: foot.centre().x - wide - gap::BODY / 2.0, w: wide, ..foot };
    let label = Label { words: "Watch again", key: "Home", hint: "" };
    kit::button(ui, again, label, Tone::Main, Control::SeekStart);
    let close = Rect { x: again.x + wide + gap::BODY, ..again };
    let label = Label { words: "Close", key: "Esc", hint: "" };
    kit::button(ui, close, label, Tone::Plain, Choice::Toggle(Panel::Closing));
}
