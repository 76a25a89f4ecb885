//! The feed: a list of what happened, the newest first; a click on an entry goes to its place and moment.
//!
//! Knows entries only as words, marks and actions. Tested with the panels of the games.

use super::kit::{self, Label, Ui};
use super::marks::emblem;
use crate::app::action::{Choice, UserAction};
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, gap, size};

/// Width of the column with the ticks, in points.
const TICKS_WIDTH: f32 = 46.0;
/// Width of the column with the marks, in points.
const MARKS_WIDTH: f32 = 16.0;
/// Width of a switch without its name: its number and the room around both, in points.
const SWITCH_WIDTH: f32 = 16.0;
/// Room above and below an entry's words, in points.
const PAD: f32 = 3.0;

/// The last entry to which one can move, counted from the newest.
const LAST_ENTRY: usize = 5_000;

/// An entry of the feed.
pub struct FeedItem<C> {
    /// When it happened, in words.
    pub when: String,
    /// The team's look; `None` if it concerns no team.
    pub look: Option<TeamLook>,
    pub words: String,
    /// The colour of the words.
    pub ink: Color,
    /// The most lines of words.
    pub limit: usize,
    pub action: UserAction<C>,
}

/// A switch: its name, its hint, whether it is on, what a click does, and how many cells of a row it takes.
pub type Switch<O> = (&'static str, &'static str, bool, O, usize);

/// Entries from the newest on.
pub type Items<'a, C> = &'a dyn Fn() -> Box<dyn Iterator<Item = FeedItem<C>> + 'a>;

/// The index in a list `by` steps from `at`, negative towards the first entry. `None`, before the first entry, means
/// that no entry is current and the list follows what comes.
pub fn moved(at: Option<usize>, by: i32) -> Option<usize> {
    let from = at.map_or(-1, |at| i64::try_from(at).unwrap_or(i64::MAX));
    usize::try_from(from.saturating_add(i64::from(by))).ok().map(|to| to.min(LAST_ENTRY))
}

/// The filters of a list. Each chip at its head, from right to left, has a label, a width in points (`None`: that of
/// its words), whether it is on, and what a click does. Switches stand below in so many columns.
pub struct Narrowing<'a, O> {
    pub chips: Vec<(Label<'a>, Option<f32>, bool, O)>,
    pub switches: &'a [Switch<O>],
    pub columns: usize,
}

/// Draws the list in its panel, below its filters; `current` is the current entry, counted from the newest.
pub fn draw<S: Copy, O: Copy>(
    ui: &mut Ui<'_, Choice<S, O>>,
    rect: Rect,
    narrowing: Narrowing<'_, O>,
    current: Option<usize>,
    items: Items<'_, Choice<S, O>>,
) {
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    // The newest entry stands at the top.
    ui.hits.scroll(rect, |up| Choice::FeedMove(-up));
    let rest = kit::heading(ui.canvas, inner, "Events");
    let mut row = Rect::new(inner.x + 60.0, inner.y - 3.0, inner.w - 60.0, kit::CHIP);
    for (label, wide, on, choice) in narrowing.chips {
        let words = ui.canvas.measure(label.words, Face::Regular, size::SMALL) + 30.0;
        let (chip, left) = row.cut_right(wide.unwrap_or(words.min(row.w)));
        kit::chip(ui, chip, label, on, Choice::Own(choice));
        row = left.cut_right(gap::SMALL).1;
    }
    let rest = draw_switches(ui, rest, narrowing.switches, narrowing.columns);
    let is_narrowed = !narrowing.switches.is_empty();
    let none = if is_narrowed { "Nothing yet that the filters let through" } else { "Nothing yet" };
    draw_list(ui, rest.cut_top(gap::SMALL + 2.0).1, current, items, none);
}

/// Draws switches in so many columns, each with its number as key. Returns what is left of `place` below them.
fn draw_switches<S: Copy, O: Copy>(
    ui: &mut Ui<'_, Choice<S, O>>,
    place: Rect,
    switches: &[Switch<O>],
    columns: usize,
) -> Rect {
    if ui.hits.still || switches.is_empty() {
        return place;
    }
    let step = gap::SMALL;
    let width = |columns: usize| (place.w - step * (columns - 1) as f32) / columns as f32;
    // Where a name would be cut off, the switches show only their numbers; the tooltip has the name.
    let is_cut = switches.iter().any(|(name, .., cells)| {
        let wide = width(columns) * *cells as f32 + step * (*cells as f32 - 1.0) - SWITCH_WIDTH;
        ui.canvas.measure(name, Face::Regular, size::SMALL) > wide
    });
    let tight = place.h < 130.0 || is_cut;
    let columns = if tight { switches.len() } else { columns };
    let cell = width(columns);
    let mut from = 0;
    for (number, &(name, hint, on, choice, cells)) in switches.iter().enumerate() {
        let cells = if tight { 1 } else { cells };
        let (row, column) = (from / columns, from % columns);
        from += cells;
        let x = place.x + (cell + step) * column as f32;
        let wide = cell * cells as f32 + step * (cells - 1) as f32;
        let chip = Rect::new(x, place.y + (kit::CHIP + step) * row as f32, wide, kit::CHIP);
        let key = (number + 1).to_string();
        let label = Label { words: if tight { "" } else { name }, key: &key, hint };
        kit::chip(ui, chip, label, on, Choice::Own(choice));
    }
    let rows = from.div_ceil(columns) as f32;
    place.cut_top(rows * kit::CHIP + (rows - 1.0) * step).1
}

/// Draws the entries that have room, or the word that there is none; `current` is the one at hand, counted from the newest.
fn draw_list<C: Copy>(
    ui: &mut Ui<'_, C>,
    list: Rect,
    current: Option<usize>,
    items: Items<'_, C>,
    none: &str,
) {
    let first = first_row(ui.canvas, list, current, items);
    let mut y = list.y;
    for (number, item) in items().enumerate().skip(first) {
        // Half an entry would mislead: only the first one shown is shortened to what there is room for.
        let room = list.bottom() + 0.5 - y;
        let fits = (1..=item.limit).rev().find(|&lines| height(ui.canvas, lines) <= room).unwrap_or(1);
        let lines = lines(ui.canvas, list, &item, if y > list.y { item.limit } else { fits });
        let high = height(ui.canvas, lines.len());
        if y + high > list.bottom() + 0.5 {
            return;
        }
        let is_current = current == Some(number);
        let target = Rect::new(list.x, y, list.w, high).inset_xy(-6.0, 0.0);
        kit::row(ui, target, is_current, item.action, "Go there, then");
        if is_current {
            let mark = Rect::new(target.x, target.y + 3.0, 2.5, target.h - 6.0);
            ui.canvas.round_rect(mark, 1.2, theme::ACCENT);
        }
        let middle = y + PAD + ui.canvas.line_height(size::BODY) / 2.0;
        let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
        kit::text(ui.canvas, Point::new(list.x, middle), Anchor::Left, TICKS_WIDTH - 4.0, &item.when, faint);
        let mark = Point::new(list.x + TICKS_WIDTH + 4.0, middle);
        match item.look {
            Some(look) => emblem(ui.canvas, mark, 4.5, look),
            None => ui.canvas.circle(mark, 2.5, theme::TEXT_FAINT),
        }
        let at = Point::new(list.x + TICKS_WIDTH + MARKS_WIDTH, y + PAD);
        kit::stack(ui.canvas, at, &lines, Style::regular(size::BODY, item.ink));
        y += high;
    }
    if y == list.y {
        kit::paragraph(ui.canvas, list, 2, none, Style::regular(size::BODY, theme::TEXT_FAINT));
    }
}

/// The number of the newest entry shown: newer ones are left out so that the current entry is in sight.
fn first_row<C>(canvas: &Canvas, list: Rect, current: Option<usize>, items: Items<'_, C>) -> usize {
    let Some(current) = current else { return 0 };
    let mut room = list.h;
    let from = current.saturating_sub(64);
    let heights: Vec<f32> = items()
        .skip(from)
        .take(current - from + 1)
        .map(|item| height(canvas, lines(canvas, list, &item, item.limit).len()))
        .collect();
    let mut first = current;
    for (back, high) in heights.iter().rev().enumerate() {
        room -= high;
        if room < 0.0 {
            break;
        }
        first = current - back;
    }
    first
}

fn lines<C>(canvas: &Canvas, list: Rect, item: &FeedItem<C>, limit: usize) -> Vec<String> {
    let style = Style::regular(size::BODY, item.ink);
    kit::lines_of(canvas, &item.words, style, list.w - TICKS_WIDTH - MARKS_WIDTH, limit)
}

fn height(canvas: &Canvas, lines: usize) -> f32 {
    canvas.line_height(size::BODY) * lines as f32 + 2.0 * PAD
}
