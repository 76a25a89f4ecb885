//! The closing screen: who has won, and the match in five facts.
//!
//! Must never show before the end. Tested in `tests.rs`; the facts in `facts`.

use zappy_protocol::TeamName;

use super::Ui;
use super::facts::facts;
use crate::app::action::Control;
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::panels::kit::{self, Label, Tone};
use crate::panels::marks::emblem;
use crate::theme::{self, gap, size};
use crate::zappy::app::action::{Choice, Panel};
use crate::zappy::app::shown::Shown;

/// The size it would like, in points.
pub const SIZE: (f32, f32) = (600.0, 416.0);

/// Whether the match has ended at the view's tick.
pub fn wanted(shown: &Shown<'_>) -> bool {
    shown.chronicle.finish.as_ref().is_some_and(|ending| kit::whole(shown.time.tick) >= ending.tick)
}

/// Draws it.
pub fn draw(ui: &mut Ui<'_>, rect: Rect, behind: Rect, shown: &Shown<'_>) {
    let Some(ending) = shown.chronicle.finish.as_ref() else { return };
    let winner = ending.winner.as_ref();
    let team = winner.and_then(|winner| shown.roster.team(winner));
    let look = shown.look(team);
    ui.hits.forget_scrolls();
    ui.hits.cover(behind);
    ui.canvas.rect(behind, Color::BLACK.alpha(0.5));
    ui.canvas.shadow(rect, gap::RADIUS, 30.0, Color::BLACK.alpha(0.6));
    ui.canvas.round_rect(rect, gap::RADIUS, theme::PANEL);
    ui.canvas.clipped(rect, |canvas| {
        let light = Point::new(rect.centre().x, rect.y - 10.0);
        canvas.glow(light, rect.w * 0.5, look.color.alpha(0.22));
    });
    ui.canvas.outline(rect, gap::RADIUS, ui.canvas.hairline(), theme::PANEL_LINE);
    let inner = rect.inset(2.0 * gap::LARGE);
    kit::close(
        ui,
        Rect::new(inner.x, inner.y - 10.0, inner.w + 10.0, inner.h),
        Choice::Toggle(Panel::Closing),
    );
    let (foot, body) = kit::cut_bottom(inner, 32.0);
    draw_buttons(ui, foot);
    let tall = body.h > 300.0;
    let (head, body) = kit::cut_top(body, if tall { 140.0 } else { 84.0 });
    draw_winner(ui, head, winner.map(TeamName::as_str), tall, shown);
    draw_facts(ui, body, shown);
}

fn draw_winner(ui: &mut Ui<'_>, head: Rect, winner: Option<&str>, tall: bool, shown: &Shown<'_>) {
    let team = shown.chronicle.finish.as_ref().and_then(|ending| shown.roster.team(ending.winner.as_ref()?));
    let look = shown.look(team);
    let Some(winner) = winner else {
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

fn draw_facts(ui: &mut Ui<'_>, body: Rect, shown: &Shown<'_>) {
    let facts = facts(shown.chronicle, shown.roster);
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

fn draw_buttons(ui: &mut Ui<'_>, foot: Rect) {
    let wide = ((foot.w - gap::BODY) / 2.0).min(170.0);
    let x = foot.centre().x - wide - gap::BODY / 2.0;
    let again = Rect::new(x, foot.y, wide, foot.h);
    let label = Label { words: "Watch again", key: "Home", hint: "" };
    kit::button(ui, again, label, Tone::Main, Control::SeekStart);
    let other = Rect::new(x + wide + gap::BODY, foot.y, wide, foot.h);
    let label = Label { words: "Close", key: "Esc", hint: "" };
    kit::button(ui, other, label, Tone::Plain, Choice::Toggle(Panel::Closing));
}
