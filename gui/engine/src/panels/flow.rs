//! Sections of a panel about one thing, from the top down.
//!
//! Must never know what that thing is. Tested with the panels of the games.

use zappy_protocol::Tick;

use super::kit::{self, Ui};
use crate::ink::{Anchor, Color, Point, Rect, Style};
use crate::theme::{self, gap, size};
use crate::timeline::notes::PlacedNote;

/// Sections from the top down; one that finds no room is left out.
pub struct Flow {
    /// What is left of the panel.
    pub rest: Rect,
}

impl Flow {
    /// Takes a place of that height, `above` points below what was taken before; `None` if there is no room.
    pub fn take(&mut self, height: f32, above: f32) -> Option<Rect> {
        if self.rest.h < height + above {
            return None;
        }
        self.rest.take_top(above);
        Some(self.rest.take_top(height))
    }

    /// Draws a heading and returns a place of that height below it; draws nothing if there is no room for both.
    pub fn section<C>(&mut self, ui: &mut Ui<'_, C>, title: &str, height: f32) -> Option<Rect> {
        let tight = self.rest.h < HEADING + height + gap::LARGE;
        let place = self.take(HEADING + height, if tight { gap::SMALL } else { gap::LARGE })?;
        kit::capitals(ui.canvas, place.origin(), place.w, title);
        Some(place.cut_top(HEADING).1)
    }

    /// Draws a heading and words below it, in at most `limit` lines, if there is room for them.
    pub fn words<C>(&mut self, ui: &mut Ui<'_, C>, title: &str, words: &str, (limit, ink): (usize, Color)) {
        let style = Style::regular(size::BODY, ink);
        let lines = kit::lines_of(ui.canvas, words, style, self.rest.w, limit);
        let high = ui.canvas.line_height(size::BODY) * lines.len() as f32;
        if let Some(place) = self.section(ui, title, high) {
            kit::stack(ui.canvas, place.origin(), &lines, style);
        }
    }

    /// Draws a heading and rows of that height, each a moment and what is said of it, as many as there is room for.
    pub fn list<C>(&mut self, ui: &mut Ui<'_, C>, title: &str, height: f32, rows: &[(String, String)]) {
        for (place, (when, says)) in rows.iter().enumerate() {
            let line = if place == 0 { self.section(ui, title, height) } else { self.take(height, 0.0) };
            let Some(line) = line else { return };
            let (moment, words) = line.cut_left(46.0);
            kit::line(ui.canvas, moment, when, Style::regular(size::SMALL, theme::TEXT_FAINT));
            kit::line(ui.canvas, words, says, Style::regular(size::BODY, theme::TEXT_SOFT));
        }
    }

    /// Draws what a bot noted, the newest first: the last note in at most `limit` lines, each earlier one in a line of
    /// that height. `when` names a moment for a heading, and for a list.
    pub fn notes<C>(
        &mut self,
        ui: &mut Ui<'_, C>,
        notes: &[&PlacedNote],
        (limit, height): (usize, f32),
        when: impl Fn(Tick) -> [String; 2],
    ) {
        let Some((last, before)) = notes.split_first() else { return };
        let title = format!("Note of its bot · {}", when(last.tick)[0]);
        self.words(ui, &title, &last.what.to_string(), (limit, theme::TEXT));
        let row = |note: &&PlacedNote| (when(note.tick)[1].clone(), note.what.to_string());
        self.list(ui, "Notes before", height, &before.iter().map(row).collect::<Vec<_>>());
    }

    /// Draws a word at each side, and a share (0 to 1) as a bar below them.
    pub fn gauge<C>(&mut self, ui: &mut Ui<'_, C>, (left, right): (&str, &str), bar: Option<(f32, Color)>) {
        let Some(place) = self.take(28.0, gap::BODY) else { return };
        let (top, bottom) = place.cut_top(19.0);
        pair(ui, top, left, right);
        if let Some((share, color)) = bar {
            kit::bar(ui.canvas, Rect::new(bottom.x, bottom.y + 2.0, bottom.w, 5.0), share, color);
        }
    }
}

/// The place of a cell, counted row by row, in two columns of lines of that height.
pub fn cell(place: Rect, line: f32, number: usize) -> Rect {
    let (row, column) = ((number / 2) as f32, (number % 2) as f32);
    let wide = (place.w - gap::LARGE) / 2.0;
    Rect::new(place.x + (wide + gap::LARGE) * column, place.y + line * row, wide, line)
}

/// Height of a section's heading.
const HEADING: f32 = 18.0;

/// Draws a faint word at the left and a plain one at the right.
pub fn pair<C>(ui: &mut Ui<'_, C>, place: Rect, left: &str, right: &str) {
    let faint = Style::regular(size::BODY, theme::TEXT_SOFT);
    let drawn = kit::line(ui.canvas, place, left, faint);
    let room = (place.w - drawn.w - gap::BODY).max(0.0);
    let at = Point::new(place.right(), place.centre().y);
    kit::text(ui.canvas, at, Anchor::Right, room, right, Style::regular(size::BODY, theme::TEXT));
}
