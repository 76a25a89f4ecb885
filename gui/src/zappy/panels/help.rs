//! Every key, what the mouse does, what the marks mean, and the rules in three sentences.
//!
//! Shows `keymap` as it is, so that no key is missing. Columns and sizes fit the window; nothing is cut. Tested in
//! `tests.rs`.

use zappy_protocol::zappy::Resource;

use super::Ui;
use crate::app::keymap::Group;
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::panels::kit;
use crate::panels::marks::emblem;
use crate::theme::{self, Shape, TeamLook, gap, size};
use crate::zappy::app::action::{Choice, Panel};
use crate::zappy::app::keymap::{MOUSE, bindings};
use crate::zappy::draw as marks;

/// The size it would like, in points.
pub const SIZE: (f32, f32) = (1040.0, 720.0);

/// The rules in three sentences, for a first look.
pub const RULES: [&str; 3] = [
    "Players search the map for food, without which they die, and for stones.",
    "With the right stones and partners on a tile they hold an incantation, and each of them rises a level.",
    "The first team with 6 living players at level 8 wins.",
];

/// What stands at the left of a line.
#[derive(Debug, Clone, Copy)]
enum Mark {
    Key(&'static str),
    Resource(Resource),
    Egg,
    Token,
    Time(Sign),
    None,
}

/// A mark of the timeline.
#[derive(Debug, Clone, Copy)]
enum Sign {
    Incantation,
    Failure,
    Death,
    Lead,
    End,
}

/// What the timeline's marks say.
const SIGNS: [(Sign, &str); 5] = [
    (Sign::Incantation, "an incantation; the higher, the higher its level"),
    (Sign::Failure, "an incantation that failed"),
    (Sign::Death, "deaths, below the line"),
    (Sign::Lead, "who leads, by the team’s colour"),
    (Sign::End, "the end"),
];

/// A line of the help, before it is broken.
#[derive(Debug, Clone, Copy)]
struct Entry {
    mark: Mark,
    words: &'static str,
}

/// A heading and what stands below it.
struct Block {
    title: &'static str,
    entries: Vec<Entry>,
}

/// How tightly it is set.
#[derive(Debug, Clone, Copy)]
struct Fit {
    columns: usize,
    text: f32,
}

/// From the roomiest to the tightest.
const FITS: [Fit; 5] = [
    Fit { columns: 3, text: size::BODY },
    Fit { columns: 4, text: size::BODY },
    Fit { columns: 3, text: 12.0 },
    Fit { columns: 3, text: size::SMALL },
    Fit { columns: 4, text: size::SMALL },
];

fn blocks() -> Vec<Block> {
    let all = bindings();
    let of = |group: Group| Block {
        title: group.title(),
        entries: all
            .iter()
            .filter(|b| b.group == group && !b.keys.is_empty())
            .map(|b| Entry { mark: Mark::Key(b.keys), words: b.says })
            .collect(),
    };
    let mut blocks: Vec<Block> = Group::ALL.into_iter().map(of).collect();
    let signs = SIGNS.into_iter().map(|(sign, words)| Entry { mark: Mark::Time(sign), words });
    blocks.push(Block { title: "On the timeline", entries: signs.collect() });
    let mouse = MOUSE.into_iter().map(|(keys, words)| Entry { mark: Mark::Key(keys), words });
    blocks.push(Block { title: "Mouse", entries: mouse.collect() });
    let stones = Resource::ALL.into_iter().map(|r| Entry { mark: Mark::Resource(r), words: r.name() });
    let mut legend: Vec<Entry> = stones.collect();
    legend.push(Entry { mark: Mark::Egg, words: "egg: room for one more player" });
    legend.push(Entry {
        mark: Mark::Token,
        words: "player: shape and colour are its team’s, the number its level, the beak its direction",
    });
    blocks.push(Block { title: "On the map", entries: legend });
    let rules = RULES.into_iter().map(|words| Entry { mark: Mark::None, words });
    blocks.push(Block { title: "The rules", entries: rules.collect() });
    blocks
}

/// A line that has its place.
struct Placed {
    column: usize,
    y: f32,
    what: Line,
}

enum Line {
    Title(&'static str),
    Entry(Mark, Vec<String>),
}

/// Draws it.
pub fn draw(ui: &mut Ui<'_>, rect: Rect, window: Rect) {
    ui.hits.forget_scrolls();
    ui.hits.click(window, Choice::Toggle(Panel::Help), "");
    ui.canvas.rect(window, Color::BLACK.alpha(0.55));
    let tight = rect.w < 900.0;
    ui.hits.cover(rect);
    ui.canvas.shadow(rect, gap::RADIUS, 24.0, Color::BLACK.alpha(0.6));
    ui.canvas.round_rect(rect, gap::RADIUS, theme::PANEL);
    ui.canvas.outline(rect, gap::RADIUS, ui.canvas.hairline(), theme::PANEL_LINE);
    let inner = rect.inset(if tight { gap::LARGE } else { 2.0 * gap::LARGE });
    let (head, body) = kit::cut_top(inner, if tight { 26.0 } else { 40.0 });
    let title = if tight { size::LARGE } else { 22.0 };
    let at = Point::new(head.x, head.y);
    kit::text(
        ui.canvas,
        at,
        Anchor::TopLeft,
        head.w - 30.0,
        "Keys, mouse and marks",
        Style::strong(title, theme::TEXT),
    );
    kit::close(ui, head, Choice::Toggle(Panel::Help));
    let blocks = blocks();
    for fit in FITS {
        if let Some(placed) = place(ui.canvas, body, &blocks, fit) {
            draw_placed(ui, body, &placed, fit);
            return;
        }
    }
    // A window too small even for that: what fits of the tightest.
    let tightest = Fit { columns: (body.w / 180.0).max(1.0) as usize, text: size::SMALL };
    let endless = Rect::new(body.x, body.y, body.w, 1e5);
    if let Some(placed) = place(ui.canvas, endless, &blocks, tightest) {
        ui.canvas.clipped(body, |_| ());
        let visible: Vec<Placed> =
            placed.into_iter().filter(|line| bottom(ui.canvas, line, tightest) <= body.h).collect();
        draw_placed(ui, body, &visible, tightest);
    }
}

fn bottom(canvas: &Canvas, line: &Placed, fit: Fit) -> f32 {
    let lines = match &line.what {
        Line::Title(_) => 1,
        Line::Entry(_, lines) => lines.len(),
    };
    line.y + canvas.line_height(fit.text) * lines as f32
}

fn column_width(body: Rect, fit: Fit) -> f32 {
    (body.w - 2.0 * gap::LARGE * (fit.columns - 1) as f32) / fit.columns as f32
}

/// Width of the keys.
fn key_width(canvas: &Canvas, fit: Fit) -> f32 {
    let keys = bindings().iter().map(|b| b.keys).chain(MOUSE.map(|(keys, _)| keys)).collect::<Vec<_>>();
    let widest = keys.iter().map(|keys| canvas.measure(keys, Face::Strong, fit.text)).fold(0.0, f32::max);
    widest + gap::BODY
}

fn mark_width(canvas: &Canvas, mark: Mark, fit: Fit) -> f32 {
    match mark {
        Mark::Key(_) => key_width(canvas, fit),
        Mark::Resource(_) | Mark::Egg | Mark::Token | Mark::Time(_) => fit.text * 1.9,
        Mark::None => 0.0,
    }
}

/// Every line's place, if all of them fit. Blocks are never torn apart.
fn place(canvas: &Canvas, body: Rect, blocks: &[Block], fit: Fit) -> Option<Vec<Placed>> {
    let wide = column_width(body, fit);
    let step = canvas.line_height(fit.text);
    let between = (fit.text * 0.9).round();
    let keys = key_width(canvas, fit);
    if wide < keys + 90.0 {
        return None;
    }
    let set: Vec<(f32, Vec<(f32, Line)>)> =
        blocks.iter().map(|block| set_block(canvas, block, wide, fit)).collect();
    let total: f32 = set.iter().map(|(height, _)| height + between).sum();
    let even = total / fit.columns as f32;
    let (mut column, mut y, mut placed) = (0, 0.0_f32, Vec::new());
    for (height, lines) in set {
        let past_its_share = y + height / 2.0 > even && y > 0.0;
        if column + 1 < fit.columns && (past_its_share || y + height > body.h) {
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

/// A block's height, and its lines with their heights within it.
fn set_block(canvas: &Canvas, block: &Block, wide: f32, fit: Fit) -> (f32, Vec<(f32, Line)>) {
    let step = canvas.line_height(fit.text);
    let pad = (fit.text * 0.14).round();
    let mut y = canvas.line_height(size::SMALL) + pad + 2.0;
    let mut lines = vec![(0.0, Line::Title(block.title))];
    for entry in &block.entries {
        let room = wide - mark_width(canvas, entry.mark, fit);
        let words = canvas.wrap(entry.words, Face::Regular, fit.text, room);
        let high = step * words.len() as f32 + pad;
        lines.push((y, Line::Entry(entry.mark, words)));
        y += high;
    }
    (y, lines)
}

fn draw_placed(ui: &mut Ui<'_>, body: Rect, placed: &[Placed], fit: Fit) {
    let wide = column_width(body, fit);
    let step = ui.canvas.line_height(fit.text);
    for line in placed {
        let x = body.x + (wide + 2.0 * gap::LARGE) * line.column as f32;
        let at = Point::new(x, body.y + line.y);
        match &line.what {
            Line::Title(title) => {
                kit::capitals(ui.canvas, at, wide, title);
            }
            Line::Entry(mark, words) => {
                draw_mark(ui, at, *mark, fit);
                let indent = mark_width(ui.canvas, *mark, fit);
                for (row, words) in words.iter().enumerate() {
                    let at = Point::new(at.x + indent, at.y + step * row as f32);
                    ui.canvas.text(at, Anchor::TopLeft, words, Style::regular(fit.text, theme::TEXT_SOFT));
                }
            }
        }
    }
}

fn draw_mark(ui: &mut Ui<'_>, at: Point, mark: Mark, fit: Fit) {
    let r = fit.text * 0.5;
    let centre = at + Point::new(fit.text * 0.7, ui.canvas.line_height(fit.text) / 2.0);
    match mark {
        Mark::Key(keys) => {
            ui.canvas.text(at, Anchor::TopLeft, keys, Style::strong(fit.text, theme::TEXT));
        }
        Mark::Resource(resource) => marks::resource(ui.canvas, centre, r, resource),
        Mark::Egg => marks::egg(ui.canvas, centre, r, None),
        Mark::Token => {
            let look = TeamLook { shape: Shape::Square, ..TeamLook::NOBODY };
            let beak = |x: f32, y: f32| centre + Point::new(x * r, y * r);
            ui.canvas.triangle(beak(-0.5, -0.7), beak(0.5, -0.7), beak(0.0, -1.5), look.color);
            emblem(ui.canvas, centre, r, look);
            ui.canvas.text(
                centre,
                Anchor::Centre,
                "3",
                Style::strong((fit.text * 0.75).round(), theme::NIGHT),
            );
        }
        Mark::Time(sign) => draw_sign(ui, centre, r, sign),
        Mark::None => {}
    }
}

/// As it stands on the timeline, with a piece of the line below it.
fn draw_sign(ui: &mut Ui<'_>, centre: Point, r: f32, sign: Sign) {
    let team = theme::TEAM_COLORS[0].0;
    let line = Rect::around(centre + Point::new(0.0, r * 0.4), r * 2.2, 3.0);
    let above = |high: f32| Rect::new(centre.x - 1.0, line.y - 1.0 - high, 2.0, high);
    if matches!(sign, Sign::End) {
        return ui.canvas.star(centre, r * 1.2, 5, 0.45, 0.0, theme::ACCENT);
    }
    let ink = if matches!(sign, Sign::Lead) { team } else { theme::PANEL_LINE };
    ui.canvas.round_rect(line, 1.5, ink);
    match sign {
        Sign::Incantation => ui.canvas.rect(above(r * 1.3), team),
        Sign::Failure => kit::cross(ui.canvas, Point::new(centre.x, line.y - 4.5), 2.2, theme::BAD),
        Sign::Death => {
            ui.canvas.rect(Rect::new(centre.x - 1.0, line.bottom() + 1.0, 2.0, 4.0), theme::TEXT_SOFT);
        }
        Sign::Lead | Sign::End => {}
    }
}
