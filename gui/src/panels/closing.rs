//! The closing screen: what has won, and the match in a few facts.
//!
//! Must never show before the end. Tested with the panels of the games.

use super::kit::{self, Label, Tone, Ui};
use super::marks::emblem;
use crate::app::action::{Action, Control};
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, gap, size};

/// How a match ended.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    /// The winner's name; `None` if there is no winner.
    pub winner: Option<&'a str>,
    /// How the winner looks.
    pub look: TeamLook,
    /// The match in a few sentences.
    pub facts: &'a [String],
}

/// Draws it.
pub fn draw<C: Copy>(ui: &mut Ui<'_, C>, rect: Rect, behind: Rect, end: &End<'_>, close: Action<C>) {
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
    let tall = body.h > 300.0;
    let (head, body) = kit::cut_top(body, if tall { 140.0 } else { 84.0 });
    draw_winner(ui, head, tall, end);
    draw_facts(ui, body, end.facts);
}

fn draw_winner<C>(ui: &mut Ui<'_, C>, head: Rect, tall: bool, end: &End<'_>) {
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
