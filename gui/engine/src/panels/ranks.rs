//! How high the rows of a scoreboard are, and how many fit: the more teams, the lower the rows, down to a least height;
//! then the last ranks are only counted.
//!
//! Tested with the scoreboards of the games.

use super::kit::{self, Ui};
use crate::app::action::Choice;
use crate::ink::{Anchor, Point, Rect, Style};
use crate::theme::{self, gap, size};

/// Height of heading and rule at the top, in points.
const HEAD: f32 = 42.0;
/// Height of the line that counts the teams without a row, in points.
const COUNT_LINE: f32 = 20.0;
/// Height of everything around the rows, in points.
const AROUND: f32 = HEAD + 2.0 * gap::LARGE;

/// The heights that a row may have, from the roomiest to the tightest that can be read, in points.
#[derive(Debug, Clone, Copy)]
pub struct Rows(pub &'static [f32]);

impl Rows {
    /// The height of a row in points, and how many rows fit into `room` points.
    pub fn density(self, teams: usize, room: f32) -> (f32, usize) {
        let teams = teams.max(1);
        let least = self.0.last().copied().unwrap_or(COUNT_LINE);
        match self.0.iter().find(|row| **row * teams as f32 <= room) {
            Some(row) => (*row, teams),
            // The cast saturates.
            None => (least, (((room - COUNT_LINE) / least).floor().max(1.0) as usize).min(teams)),
        }
    }

    /// The height of the scoreboard if it may have `room`, in points; and whether each team's bars are shown then.
    pub fn height(self, teams: usize, room: f32) -> (f32, bool) {
        let teams = teams.max(1);
        let (row, fit) = self.density(teams, room - AROUND);
        let more = if fit < teams { COUNT_LINE } else { 0.0 };
        (AROUND + row * fit as f32 + more, row >= self.0[1] && fit >= teams)
    }

    /// How many teams have no row in a scoreboard of that height, in points.
    pub fn hidden(self, teams: usize, height: f32) -> usize {
        teams - self.density(teams, height - AROUND).1.min(teams)
    }
}

/// Draws the panel with its title and with how a match is won, in the first wording of `rules` that fits. Returns the
/// places of the head and of the rows.
pub fn draw_head<C>(ui: &mut Ui<'_, C>, rect: Rect, title: &str, rules: &[String]) -> (Rect, Rect) {
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    let (head, rest) = inner.cut_top(HEAD);
    kit::heading(ui.canvas, head, title);
    let soft = Style::regular(size::SMALL, theme::TEXT_SOFT);
    let rule = kit::fitting(ui.canvas, rules, soft, head.w);
    kit::text(ui.canvas, head.origin() + Point::new(0.0, 17.0), Anchor::TopLeft, head.w, rule, soft);
    (head, rest)
}

/// Draws the rows that fit, from the row `at` on, and the line that counts the others. `rect` is the panel, `rest` the
/// place of the rows; `nouns` are the words for one row and for many.
pub fn draw<S, O, T>(
    ui: &mut Ui<'_, Choice<S, O>>,
    (rect, mut rest): (Rect, Rect),
    (rows, at): (Rows, usize),
    (all, nouns): (&[T], (&'static str, &'static str)),
    draw_row: impl Fn(&mut Ui<'_, Choice<S, O>>, Rect, &T),
) {
    let (height, fit) = rows.density(all.len(), rest.h);
    let hidden = all.len().saturating_sub(fit);
    let above = at.min(hidden);
    for row in all.iter().skip(above).take(fit) {
        draw_row(ui, rest.take_top(height), row);
    }
    if hidden == 0 {
        return;
    }
    kit::others(ui, rest.cut_top(COUNT_LINE).0, (above, fit, hidden - above), nouns, Choice::BoardMove);
    ui.hits.scroll(rect, |up| Choice::BoardMove(-up));
}
