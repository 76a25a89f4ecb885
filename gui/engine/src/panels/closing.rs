//! The closing screen: who has won and why, the moments that decided the match, and what each team did.
//!
//! Must never be shown before the end. Tested with the panels of the games.

use zappy_protocol::Tick;

use super::gold;
use super::kit::{self, Label, Tone, Ui, number};
use super::marks::emblem;
use crate::app::action::{Choice, Control, Panel};
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, gap, size};

/// The contents of the closing screen.
#[derive(Debug)]
pub struct MatchEnd<'a> {
    /// The winners' names; empty without a winner.
    pub winners: &'a [&'a str],
    /// The look of the first winner, or a neutral one.
    pub look: TeamLook,
    /// Why they have won, in a few sentences, the most important first.
    pub why: &'a [String],
    /// The moments that decided the match.
    pub moments: &'a [Replay],
    /// What each team did, the winner first; without rows it isn't drawn.
    pub table: &'a ClosingTable,
}

/// A moment that can be watched again.
#[derive(Debug, Clone)]
pub struct Replay {
    pub tick: Tick,
    /// When it happened, in words.
    pub when: String,
    /// What happened, in a sentence.
    pub says: String,
    /// The team that it is about.
    pub look: Option<TeamLook>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClosingTable {
    /// For each column behind the name its title, of two words at most, and a sentence about what it counts.
    pub columns: Vec<(&'static str, &'static str)>,
    /// Look, name and numbers of each team, the best first.
    pub rows: Vec<(TeamLook, String, Vec<String>)>,
}

/// Height of a moment's row, in points.
const MOMENT_ROW: f32 = 21.0;
/// Height of a table's row, in points.
const TABLE_ROW: f32 = 18.0;
/// Rows of the table that have room before further sentences do.
const KEPT_ROWS: usize = 4;
/// Room for the first sentence, in points.
const FIRST_SENTENCE: f32 = 42.0;
/// Height of the winner's name alone, and with the mark above it, in points.
const HEAD_HEIGHTS: (f32, f32) = (62.0, 122.0);
/// The most room between two parts, in points.
const MAX_GAP: f32 = 20.0;

/// The width and the height in points that the closing screen needs for so many moments and rows.
pub fn size(moments: usize, rows: usize) -> (f32, f32) {
    (920.0, 300.0 + kit::HEADING + MOMENT_ROW * moments as f32 + table_height(rows) + 4.0 * gap::LARGE)
}

fn table_height(rows: usize) -> f32 {
    if rows == 0 { 0.0 } else { TABLE_HEAD + TABLE_ROW * rows as f32 }
}

/// Draws the closing screen in `rect`, and darkens `behind`, the part of the window around it.
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
    let moments =
        if end.moments.is_empty() { 0.0 } else { kit::HEADING + MOMENT_ROW * end.moments.len() as f32 };
    let mut room = (body.h - HEAD_HEIGHTS.0 - moments).max(0.0);
    // The first teams of the table come before further sentences.
    let kept = table_height(end.table.rows.len().min(KEPT_ROWS));
    let why = sentences(ui.canvas, end.why, body.w, (room - kept).max(room.min(FIRST_SENTENCE)));
    let why_height: f32 =
        why.iter().map(|(lines, style)| ui.canvas.line_height(style.size) * lines.len() as f32).sum();
    room -= why_height;
    // The cast saturates.
    let rows = end.table.rows.len().min(((room - TABLE_HEAD) / TABLE_ROW).max(0.0) as usize);
    let table = table_height(rows);
    room -= table;
    let tall = room >= HEAD_HEIGHTS.1 - HEAD_HEIGHTS.0 + 2.0 * gap::SMALL;
    let head = if tall { HEAD_HEIGHTS.1 } else { HEAD_HEIGHTS.0 };
    room -= head - HEAD_HEIGHTS.0;
    let between = (room / 4.0).clamp(0.0, MAX_GAP);
    let mut rest = body;
    let [head, mut sentences, moments, table] = [head, why_height, moments, table].map(|height| {
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

/// The lines and the style of each sentence, as many sentences as have room; the first one is stronger.
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
        let row = rest.take_top(MOMENT_ROW);
        if row.h < MOMENT_ROW - 1.0 {
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
const TABLE_HEAD: f32 = 30.0;
/// The share of a table's width that the column of names has.
const NAME_SHARE: f32 = 0.16;

fn draw_table<C>(ui: &mut Ui<'_, C>, place: Rect, table: &ClosingTable, rows: usize) {
    if rows == 0 || place.h < TABLE_HEAD + TABLE_ROW {
        return;
    }
    let (head, mut rest) = place.cut_top(TABLE_HEAD);
    let step = head.w * (1.0 - NAME_SHARE) / table.columns.len().max(1) as f32;
    let column = |row: Rect, nth: usize| {
        Rect::new(row.x + row.w * NAME_SHARE + step * nth as f32, row.y, step - gap::SMALL, row.h)
    };
    let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
    if rows < table.rows.len() {
        let best = format!("best {} of {}", number(rows as u64), number(table.rows.len() as u64));
        let place = Rect::new(head.x, head.y + TABLE_HEAD / 2.0, head.w * NAME_SHARE, TABLE_HEAD / 2.0);
        kit::line(ui.canvas, place, &best, faint);
    }
    for (nth, (title, hint)) in table.columns.iter().enumerate() {
        let (upper, lower) = title.split_once(' ').unwrap_or(("", title));
        let (top, bottom) = column(head, nth).cut_top(TABLE_HEAD / 2.0);
        kit::line_right(ui.canvas, top, upper, faint);
        kit::line_right(ui.canvas, bottom, lower, faint);
        ui.hits.name(Rect { h: place.h, ..column(head, nth) }, hint);
    }
    for (look, name, numbers) in table.rows.iter().take(rows) {
        let row = rest.take_top(TABLE_ROW);
        emblem(ui.canvas, Point::new(row.x + 6.0, row.centre().y), 5.0, *look);
        let at = Rect::new(row.x + 18.0, row.y, row.w * NAME_SHARE - 20.0, row.h);
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
