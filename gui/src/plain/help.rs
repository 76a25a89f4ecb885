//! Every key of the plain screen, over everything else.
//!
//! Shows the table of keys as it is. Tested in `tests/plain.rs`.

use super::{Choice, bindings};
use crate::app::keymap::Group;
use crate::ink::{Color, Rect, Style};
use crate::panels::kit;
use crate::theme::{self, gap, size};

/// The size it would like, in points.
pub const SIZE: (f32, f32) = (720.0, 290.0);
/// Width of the keys.
const KEYS: f32 = 100.0;

/// Draws it; a click beside it closes it.
pub fn draw(ui: &mut kit::Ui<'_, Choice>, rect: Rect, window: Rect) {
    ui.hits.forget_scrolls();
    ui.hits.click(window, Choice::Help, "");
    ui.canvas.rect(window, Color::BLACK.alpha(0.55));
    ui.hits.cover(rect);
    ui.canvas.round_rect(rect, gap::RADIUS, theme::PANEL);
    ui.canvas.outline(rect, gap::RADIUS, ui.canvas.hairline(), theme::PANEL_LINE);
    let inner = rect.inset(2.0 * gap::LARGE);
    kit::close(ui, inner, Choice::Help);
    let step = ui.canvas.line_height(size::BODY);
    let (left, right) = kit::cut_left(inner, inner.w / 2.0);
    let (mut column, mut columns) = (left, [right].into_iter());
    for group in Group::ALL {
        let of_group = bindings().into_iter().filter(|binding| binding.group == group);
        let lines: Vec<_> = of_group.filter(|binding| !binding.keys.is_empty()).collect();
        let high = step * lines.len() as f32 + kit::HEADING + gap::LARGE;
        if lines.is_empty() {
            continue;
        }
        if column.h < high
            && let Some(next) = columns.next()
        {
            column = next;
        }
        let (place, below) = kit::cut_top(column, high);
        column = below;
        kit::capitals(ui.canvas, place.origin(), place.w, group.title());
        for (number, binding) in lines.iter().enumerate() {
            let y = place.y + kit::HEADING + step * number as f32;
            if y + step > inner.bottom() {
                return;
            }
            let at = Rect::new(place.x, y, place.w - gap::LARGE, step);
            let (keys, says) = kit::cut_left(at, KEYS.min(at.w));
            kit::line(ui.canvas, keys, binding.keys, Style::strong(size::BODY, theme::ACCENT));
            kit::line(ui.canvas, says, binding.says, Style::regular(size::BODY, theme::TEXT));
        }
    }
}
