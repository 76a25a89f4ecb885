//! The closing screen: what has won, and the match in a few facts.
//!
//! Must never show before the end. Tested with the panels of the games.

use super::kit::{self, Label, Tone, Ui};
use super::marks::emblem;
use crate::app::action::{Action, Control};
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, gap, size};

/// How a match ended.
#[derive(Debug)]
pub struct End<'a, C> {
    /// The winner's name; `None` if there is no winner.
    pub winner: Option<&'a str>,
    /// How the winner looks.
    pub look: TeamLook,
    /// The match in a few sentences.
    pub facts: &'a [String],
    /// The moments that decided it.
    pub moments: &'a [Replay<C>],
    /// What each team did, the first column its name; nothing without rows.
    pub table: &'a Table,
}

/// A moment that can be watched again.
#[derive(Debug, Clone)]
pub struct Replay<C> {
    /// When, as people read it.
    pub when: String,
    /// What happened, in a sentence.
    pub says: String,
    /// The team that it is about.
    pub look: Option<TeamLook>,
    /// What shows it again.
    pub action: Action<C>,
}

/// Numbers per team.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What the columns behind the name say; each in two words at most.
    pub columns: Vec<&'static str>,
    /// Look, name and numbers of each team.
    pub rows: Vec<(TeamLook, String, Vec<String>)>,
}

/// Height of a moment's row and of a table's, in points.
const ROW: f32 = 21.0;
const TABLE_ROW: f32 = 18.0;

/// Draws it.
pub fn draw<C: Copy>(ui: &mut Ui<'_, C>, rect: Rect, behind: Rect, end: &End<'_, C>, close: Action<C>) {
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
    kit::close(ui, Rect::new(inner.x, inner.y - 10.0, inner.w + 10.0, inner.h), close);
    let (foot, body) = kit::cut_bottom(inner, 32.0);
    draw_buttons(ui, foot, close);
    let moments =
        if end.moments.is_empty() { 0.0 } else { kit::HEADING + ROW * end.moments.len() as f32 + gap::BODY };
    let rows = end.table.rows.len().min(((body.h - moments - 84.0 - HEAD_ROW) / TABLE_ROW).max(0.0) as usize);
    let table = if rows == 0 { 0.0 } else { HEAD_ROW + TABLE_ROW * rows as f32 + gap::BODY };
    let tall = body.h - moments - table > 300.0 || (moments > 0.0 && body.h - moments - table > 190.0);
    let (head, body) = kit::cut_top(body, if tall { 140.0 } else { 84.0 });
    draw_winner(ui, head, tall, end);
    let (place, body) = kit::cut_top(body, moments.min(body.h));
    draw_moments(ui, place, end.moments);
    let (place, body) = kit::cut_bottom(body, table.min(body.h));
    draw_table(ui, place, end.table, rows);
    draw_facts(ui, body, end.facts);
}

/// Each moment with its tick; a click shows it again.
fn draw_moments<C: Copy>(ui: &mut Ui<'_, C>, place: Rect, moments: &[Replay<C>]) {
    if moments.is_empty() {
        return;
    }
    let mut rest = kit::heading(ui.canvas, place, "What decided it (click: watch it again)");
    let when = |one: &Replay<C>| ui.canvas.measure(&one.when, Face::Strong, size::BODY);
    let wide = moments.iter().map(when).fold(0.0, f32::max) + gap::LARGE;
    for moment in moments {
        let (row, below) = kit::cut_top(rest, ROW);
        rest = below;
        if row.h < ROW - 1.0 {
            return;
        }
        let lit = row.inset_xy(-6.0, 1.0);
        if kit::over(ui.mouse, lit) {
            ui.canvas.round_rect(lit, 5.0, theme::PANEL_RAISED);
        }
        ui.hits.click(lit, moment.action, "Watch it again");
        let (at, words) = kit::cut_left(row, wide);
        kit::line(ui.canvas, at, &moment.when, Style::strong(size::BODY, theme::ACCENT));
        if let Some(look) = moment.look {
            emblem(ui.canvas, Point::new(words.x + 6.0, words.centre().y), 5.0, look);
        }
        kit::line(
            ui.canvas,
            kit::cut_left(words, 18.0).1,
            &moment.says,
            Style::regular(size::BODY, theme::TEXT),
        );
    }
}

/// Height of a table's head: two lines of small text.
const HEAD_ROW: f32 = 30.0;
/// The share of a table's width that names have.
const NAMES: f32 = 0.16;

fn draw_table<C>(ui: &mut Ui<'_, C>, place: Rect, table: &Table, rows: usize) {
    if rows == 0 || place.h < HEAD_ROW + TABLE_ROW {
        return;
    }
    let (head, mut rest) = kit::cut_top(place, HEAD_ROW);
    let step = head.w * (1.0 - NAMES) / table.columns.len().max(1) as f32;
    let column = |row: Rect, number: usize| {
        Rect::new(row.x + row.w * NAMES + step * number as f32, row.y, step - gap::SMALL, row.h)
    };
    let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
    for (number, title) in table.columns.iter().enumerate() {
        let (upper, lower) = title.split_once(' ').unwrap_or(("", title));
        let (top, bottom) = kit::cut_top(column(head, number), HEAD_ROW / 2.0);
        kit::line_right(ui.canvas, top, upper, faint);
        kit::line_right(ui.canvas, bottom, lower, faint);
    }
    for (look, name, numbers) in table.rows.iter().take(rows) {
        let (row, below) = kit::cut_top(rest, TABLE_ROW);
        rest = below;
        emblem(ui.canvas, Point::new(row.x + 6.0, row.centre().y), 5.0, *look);
        let at = Rect::new(row.x + 18.0, row.y, row.w * NAMES - 20.0, row.h);
        kit::line(ui.canvas, at, name, Style::strong(size::BODY, look.color));
        for (number, value) in numbers.iter().enumerate() {
            kit::line_right(ui.canvas, column(row, number), value, Style::regular(size::BODY, theme::TEXT));
        }
    }
}

fn draw_winner<C>(ui: &mut Ui<'_, C>, head: Rect, tall: bool, end: &End<'_, C>) {
    let look = end.look;
    let Some(winner) = end.winner else {
        kit::line_centre(ui.canvas, head, "Nobody has won", Style::strong(size::HUGE, theme::TEXT));
        return;
    };
    let size = if tall { size::TITLE } else { size::HUGE };
    let middle = head.centre().x;
    let mut y = head.y;
    if tall {
        let centre = Point::new(middle, y + 40.0);
        kit::crown(ui.canvas, centre - Point::new(0.0, 32.0), 9.0);
        emblem(ui.canvas, centre, 22.0, look);
        y += 66.0;
    }
    let fits = ui.canvas.measure(winner, Face::Strong, size) <= head.w;
    let size = if fits { size } else { size::LARGE };
    let at = Point::new(middle, y);
    let drawn = kit::text(ui.canvas, at, Anchor::Top, head.w, winner, Style::strong(size, look.color));
    let at = Point::new(middle, drawn.bottom() - 2.0);
    kit::text(ui.canvas, at, Anchor::Top, head.w, "has won", Style::regular(size::LARGE, theme::TEXT_SOFT));
}

fn draw_facts<C>(ui: &mut Ui<'_, C>, body: Rect, facts: &[String]) {
    let style = Style::regular(size::LARGE.min(15.0), theme::TEXT);
    let indent = 26.0;
    let set: Vec<Vec<String>> =
        facts.iter().map(|fact| kit::lines_of(ui.canvas, fact, style, body.w - indent, 2)).collect();
    let step = ui.canvas.line_height(style.size);
    let high: f32 = set.iter().map(|lines| step * lines.len() as f32).sum();
    let between = ((body.h - high) / (set.len().max(1) + 1) as f32).clamp(2.0, 12.0);
    let mut y = body.y + between;
    for (number, lines) in set.iter().enumerate() {
        if y + step * lines.len() as f32 > body.bottom() + 1.0 {
            return;
        }
        let at = Point::new(body.x + indent - 12.0, y);
        let count = (number + 1).to_string();
        ui.canvas.text(at, Anchor::TopRight, &count, Style::strong(style.size, theme::TEXT_FAINT));
        for line in lines {
            ui.canvas.text(Point::new(body.x + indent, y), Anchor::TopLeft, line, style);
            y += step;
        }
        y += between;
    }
}

fn draw_buttons<C>(ui: &mut Ui<'_, C>, foot: Rect, close: Action<C>) {
    let wide = ((foot.w - gap::BODY) / 2.0).min(170.0);
    let x = foot.centre().x - wide - gap::BODY / 2.0;
    let again = Rect::new(x, foot.y, wide, foot.h);
    let label = Label { words: "Watch again", key: "Home", hint: "" };
    kit::button(ui, again, label, Tone::Main, Control::SeekStart);
    let other = Rect::new(x + wide + gap::BODY, foot.y, wide, foot.h);
    let label = Label { words: "Close", key: "Esc", hint: "" };
    kit::button(ui, other, label, Tone::Plain, close);
}
