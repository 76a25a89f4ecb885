//! The help: every key, what the mouse does, and what marks mean, drawn over everything else.
//!
//! Shows the table of keys as it is, so that no key is missing. Columns and sizes fit the window; nothing is cut. Tested
//! with the panels of the games.

use super::kit::{self, Ui};
use crate::app::action::UserAction;
use crate::app::keymap::{Binding, BindingGroup};
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::theme::{self, gap, size};

/// The width and the height that the help needs, in points.
pub const SIZE: (f32, f32) = (1040.0, 720.0);

/// Draws a mark around a point, with a radius in points.
pub type Draw<C> = Box<dyn Fn(&mut Ui<'_, C>, Point, f32)>;

/// The mark at the left of a line.
pub enum HelpMark<C> {
    /// Keys, or what the mouse does.
    Key(&'static str),
    Drawn(Draw<C>),
    None,
}

/// A heading and the lines below it.
pub struct Block<C> {
    pub title: &'static str,
    /// Marks with what they mean.
    pub entries: Vec<(HelpMark<C>, &'static str)>,
}

/// A mark that this function draws.
pub fn drawn<C>(draw: impl Fn(&mut Ui<'_, C>, Point, f32) + 'static) -> HelpMark<C> {
    HelpMark::Drawn(Box::new(draw))
}

/// The lines for the mouse; `double` says what a double click does, if anything.
pub fn mouse<C>(double: Option<&'static str>) -> Block<C> {
    let single = ("Click", "select; again: the next one on the tile");
    let others = [
        ("Drag", "move the view; on the timeline: seek"),
        ("Wheel", "zoom about the cursor; over a list: scroll"),
        ("Right click", "clear the selection"),
        ("Click an event", "go to its place and moment"),
        ("Drop a file", "open a record"),
    ];
    let double = double.map(|says| ("Double click", says));
    let all = std::iter::once(single).chain(double).chain(others);
    Block { title: "Mouse", entries: all.map(|(mouse, says)| (HelpMark::Key(mouse), says)).collect() }
}

/// Draws a piece of the timeline a little below a mark's middle, and returns its place.
pub fn timeline<C>(ui: &mut Ui<'_, C>, at: Point, r: f32, ink: Color) -> Rect {
    let line = Rect::around(at + Point::new(0.0, r * 0.4), r * 2.2, 3.0);
    ui.canvas.round_rect(line, 1.5, ink);
    line
}

/// The keys of a table: a block for each group that has any.
pub fn keys<C>(table: &[Binding<C>]) -> Vec<Block<C>> {
    let of = |(group, title): (BindingGroup, &'static str)| {
        let named = table.iter().filter(|b| b.group == group && !b.keys.is_empty());
        Block { title, entries: named.map(|b| (HelpMark::Key(b.keys), b.says)).collect() }
    };
    BindingGroup::ALL.into_iter().map(of).filter(|block| !block.entries.is_empty()).collect()
}

/// How tightly the help is set: the number of columns, and the size of the text in points.
type Fit = (usize, f32);

/// The fits to be tried, from the roomiest to the tightest.
const FITS: [Fit; 6] =
    [(3, size::BODY), (4, size::BODY), (3, 12.0), (3, size::SMALL), (4, size::SMALL), (3, 10.0)];

/// A line with its place: a column, and its distance in points from the top.
struct Placed<'a, C> {
    column: usize,
    y: f32,
    what: Line<'a, C>,
}

enum Line<'a, C> {
    Title(&'static str),
    Entry(&'a HelpMark<C>, Vec<String>),
}

/// The height of a block, and its lines, each with its distance from the block's top.
type Set<'a, C> = (f32, Vec<(f32, Line<'a, C>)>);

/// Draws the help in `rect`, over the whole `window`; a click on its cross or beside it does `close`.
pub fn draw<C: Copy>(
    ui: &mut Ui<'_, C>,
    rect: Rect,
    window: Rect,
    blocks: &[Block<C>],
    close: UserAction<C>,
) {
    ui.hits.forget_scrolls();
    ui.hits.click(window, close, "");
    ui.canvas.rect(window, Color::BLACK.alpha(0.55));
    let tight = rect.w < 900.0;
    kit::card(ui, rect, 24.0);
    let inner = rect.inset(if tight { gap::LARGE } else { 2.0 * gap::LARGE });
    let (head, body) = inner.cut_top(if tight { 26.0 } else { 40.0 });
    let title = Style::strong(if tight { size::LARGE } else { 22.0 }, theme::TEXT);
    kit::text(ui.canvas, head.origin(), Anchor::TopLeft, head.w - 30.0, "Keys, mouse and marks", title);
    kit::close(ui, head, close);
    for fit in FITS {
        if let Some(placed) = place_lines(ui.canvas, body, blocks, fit) {
            return draw_placed(ui, body, &placed, (fit, key_width(ui.canvas, blocks, fit)));
        }
    }
    // A window too small even for the tightest fit: the lines that have room are shown.
    let tightest = ((body.w / 180.0).max(1.0) as usize, size::SMALL);
    let endless = Rect { h: 1e5, ..body };
    if let Some(mut placed) = place_lines(ui.canvas, endless, blocks, tightest) {
        let step = ui.canvas.line_height(tightest.1);
        placed.retain(|line| {
            let lines = if let Line::Entry(_, lines) = &line.what { lines.len() } else { 1 };
            line.y + step * lines as f32 <= body.h
        });
        draw_placed(ui, body, &placed, (tightest, key_width(ui.canvas, blocks, tightest)));
    }
}

fn column_width(body: Rect, (columns, _): Fit) -> f32 {
    (body.w - 2.0 * gap::LARGE * (columns - 1) as f32) / columns as f32
}

/// The width of the widest key.
fn key_width<C>(canvas: &Canvas, blocks: &[Block<C>], (_, text): Fit) -> f32 {
    let marks = blocks.iter().flat_map(|block| &block.entries);
    let wide = |(mark, _): &(HelpMark<C>, _)| match mark {
        HelpMark::Key(keys) => canvas.measure(keys, Face::Strong, text),
        HelpMark::Drawn(_) | HelpMark::None => 0.0,
    };
    marks.map(wide).fold(0.0, f32::max) + gap::BODY
}

fn mark_width<C>(mark: &HelpMark<C>, key_width: f32, (_, text): Fit) -> f32 {
    match mark {
        HelpMark::Key(_) => key_width,
        HelpMark::Drawn(_) => text * 1.9,
        HelpMark::None => 0.0,
    }
}

/// Every line's place; `None` if not all of them fit. A block is never divided between two columns.
fn place_lines<'a, C>(
    canvas: &Canvas,
    body: Rect,
    blocks: &'a [Block<C>],
    fit: Fit,
) -> Option<Vec<Placed<'a, C>>> {
    let (columns, text) = fit;
    let wide = column_width(body, fit);
    let step = canvas.line_height(text);
    let between = (text * 0.9).round();
    let keys = key_width(canvas, blocks, fit);
    if wide < keys + 90.0 {
        return None;
    }
    let pad = (text * 0.14).round();
    let set: Vec<Set<'a, C>> = blocks
        .iter()
        .map(|block| {
            let mut y = canvas.line_height(size::SMALL) + pad + 2.0;
            let mut lines = vec![(0.0, Line::Title(block.title))];
            for (mark, says) in &block.entries {
                let words = canvas.wrap(says, Face::Regular, text, wide - mark_width(mark, keys, fit));
                let high = step * words.len() as f32 + pad;
                lines.push((y, Line::Entry(mark, words)));
                y += high;
            }
            (y, lines)
        })
        .collect();
    let total: f32 = set.iter().map(|(height, _)| height + between).sum();
    let even = total / columns as f32;
    let (mut column, mut y, mut placed) = (0, 0.0_f32, Vec::new());
    for (height, lines) in set {
        let past_its_share = y + height / 2.0 > even && y > 0.0;
        if column + 1 < columns && (past_its_share || y + height > body.h) {
            (column, y) = (column + 1, 0.0);
        }
        if y + height > body.h + step * 0.2 {
            return None;
        }
        placed.extend(lines.into_iter().map(|(at, what)| Placed { column, y: y + at, what }));
        y += height + between;
    }
    Some(placed)
}

fn draw_placed<C>(ui: &mut Ui<'_, C>, body: Rect, placed: &[Placed<'_, C>], (fit, keys): (Fit, f32)) {
    let wide = column_width(body, fit);
    let (text, step) = (fit.1, ui.canvas.line_height(fit.1));
    for line in placed {
        let x = body.x + (wide + 2.0 * gap::LARGE) * line.column as f32;
        let at = Point::new(x, body.y + line.y);
        match &line.what {
            Line::Title(title) => {
                kit::capitals(ui.canvas, at, wide, title);
            }
            Line::Entry(mark, words) => {
                match mark {
                    HelpMark::Key(keys) => {
                        ui.canvas.text(at, Anchor::TopLeft, keys, Style::strong(text, theme::TEXT));
                    }
                    HelpMark::Drawn(draw) => draw(ui, at + Point::new(text * 0.7, step / 2.0), text * 0.5),
                    HelpMark::None => {}
                }
                let at = at + Point::new(mark_width(mark, keys, fit), 0.0);
                kit::stack(ui.canvas, at, words, Style::regular(text, theme::TEXT_SOFT));
            }
        }
    }
}
