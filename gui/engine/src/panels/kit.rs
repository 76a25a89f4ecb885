//! What all panels are made of: frames, headings, lines of text, buttons, chips (small switches), bars, numbers.
//!
//! Must never know the match. Tested in this module and with the panels of the games.

use zappy_protocol::Position;
use zappy_protocol::text::thousands;

use super::hits::Hits;
use crate::app::action::{Choice, Control, UserAction};
use crate::app::keymap::IN_A_PAGE;
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::theme::{self, gap, size};
use crate::torus::cross;

/// Height of a heading with the distance below it, in points.
pub const HEADING: f32 = 22.0;
/// Height of a button, in points.
pub const BUTTON: f32 = 26.0;
/// Width of the button that mutes, in points.
const SOUND_WIDTH: f32 = 56.0;
/// Height of a chip, in points.
pub const CHIP: f32 = 20.0;
/// The opacity of a panel's ground.
const OPACITY: f32 = 0.94;

/// Draws a panel's ground: soft shadow, round corners, a fine line. It takes clicks from what lies below. Returns the
/// place of the panel's contents.
pub fn panel<C>(canvas: &mut Canvas, hits: &mut Hits<C>, rect: Rect) -> Rect {
    hits.cover(rect);
    let below = rect.moved(Point::new(0.0, 3.0));
    canvas.shadow(below, gap::RADIUS, 14.0, Color::BLACK.alpha(0.45));
    canvas.round_rect(rect, gap::RADIUS, theme::PANEL.alpha(OPACITY));
    canvas.outline(rect, gap::RADIUS, canvas.hairline(), theme::PANEL_LINE);
    rect.inset(gap::LARGE)
}

/// Draws an overlay's ground: a soft shadow, `shadow` points wide, round corners, a fine line. It takes clicks from
/// what lies below.
pub fn card<C>(ui: &mut Ui<'_, C>, rect: Rect, shadow: f32) {
    ui.hits.cover(rect);
    ui.canvas.shadow(rect, gap::RADIUS, shadow, Color::BLACK.alpha(0.6));
    ui.canvas.round_rect(rect, gap::RADIUS, theme::PANEL);
    ui.canvas.outline(rect, gap::RADIUS, ui.canvas.hairline(), theme::PANEL_LINE);
}

/// Draws a heading in faint capitals. Returns what is left of `rect` below it.
pub fn heading(canvas: &mut Canvas, rect: Rect, title: &str) -> Rect {
    capitals(canvas, rect.origin(), rect.w, title);
    rect.cut_top(HEADING).1
}

/// Draws small capitals at a top left corner; returns their width.
pub fn capitals(canvas: &mut Canvas, at: Point, width: f32, title: &str) -> f32 {
    let title = title.to_uppercase();
    let style = Style::strong(size::SMALL, theme::TEXT_FAINT);
    text(canvas, at, Anchor::TopLeft, width, &title, style).w
}

/// Draws one line of text, shortened to `width`. Returns its line box.
pub fn text(canvas: &mut Canvas, at: Point, anchor: Anchor, width: f32, text: &str, style: Style) -> Rect {
    let cut = shortened(canvas, text, style, width.max(0.0));
    if cut.is_empty() {
        return Rect::new(at.x, at.y, 0.0, 0.0);
    }
    canvas.text(at, anchor, &cut, style)
}

/// A text shortened to `width` points: behind a whole word, or within a word if less than half of what fits would be
/// left otherwise.
fn shortened(canvas: &Canvas, text: &str, style: Style, width: f32) -> String {
    let cut = canvas.ellipsis(text, style.face, style.size, width);
    let Some(kept) = cut.strip_suffix('…').filter(|_| *cut != *text) else { return cut.into_owned() };
    let whole = canvas.legible(text, style.face);
    let within = whole.strip_prefix(kept).is_some_and(|rest| !rest.starts_with(' '));
    let words = match kept.rfind(' ').filter(|&space| within && 2 * space >= kept.len()) {
        Some(space) => &kept[..space],
        None => kept,
    };
    // Punctuation before a word that was cut off goes with it.
    let mut words = words.trim_end_matches([' ', ',', ';', ':', '(', '·', '“']);
    // A bracket that isn't closed goes with the words that it holds.
    if let Some(open) =
        words.rfind('(').filter(|&open| !words[open..].contains(')') && 2 * open >= words.len())
    {
        words = words[..open].trim_end();
    }
    format!("{words}…")
}

/// One line of text in the vertical middle of `rect`, at its left, shortened to its width.
pub fn line(canvas: &mut Canvas, rect: Rect, words: &str, style: Style) -> Rect {
    text(canvas, Point::new(rect.x, rect.centre().y), Anchor::Left, rect.w, words, style)
}

/// One line of text in the vertical middle of `rect`, at its right, shortened to its width.
pub fn line_right(canvas: &mut Canvas, rect: Rect, words: &str, style: Style) -> Rect {
    text(canvas, Point::new(rect.right(), rect.centre().y), Anchor::Right, rect.w, words, style)
}

/// One line of text in the middle of `rect`, shortened to its width.
pub fn line_centre(canvas: &mut Canvas, rect: Rect, words: &str, style: Style) -> Rect {
    text(canvas, rect.centre(), Anchor::Centre, rect.w, words, style)
}

/// Draws words in as many lines as they need, at most `limit`; the last one is shortened. Returns the height in points.
pub fn paragraph(canvas: &mut Canvas, rect: Rect, limit: usize, words: &str, style: Style) -> f32 {
    let lines = lines_of(canvas, words, style, rect.w, limit);
    stack(canvas, rect.origin(), &lines, style);
    canvas.line_height(style.size) * lines.len() as f32
}

/// Draws lines one below the other, from a top left corner.
pub fn stack(canvas: &mut Canvas, at: Point, lines: &[String], style: Style) {
    let step = canvas.line_height(style.size);
    for (place, words) in lines.iter().enumerate() {
        canvas.text(Point::new(at.x, at.y + step * place as f32), Anchor::TopLeft, words, style);
    }
}

/// Words broken into at most `limit` lines; the last one ends with `…` when there is more.
pub fn lines_of(canvas: &Canvas, words: &str, style: Style, width: f32, limit: usize) -> Vec<String> {
    let mut lines = canvas.wrap(words, style.face, style.size, width.max(1.0));
    if lines.len() > limit {
        let next = lines.get(limit).cloned().unwrap_or_default();
        lines.truncate(limit);
        if let Some(last) = lines.last_mut() {
            // A long next word begins in this line if there is room, and is cut off.
            if canvas.measure(last, style.face, style.size) < width * 0.6 {
                *last = format!("{last} {next}");
            }
            let cut = shortened(canvas, &format!("{last} …"), style, width);
            let spaced = cut.ends_with(" …");
            *last = if spaced { format!("{}…", cut.trim_end_matches([' ', '…'])) } else { cut };
        }
    }
    lines
}

/// Whether the mouse is in the rectangle.
pub fn over(mouse: Option<Point>, rect: Rect) -> bool {
    mouse.is_some_and(|mouse| rect.contains(mouse))
}

/// The look of a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Something that can be done.
    Plain,
    /// Something that is switched on.
    On,
    /// The button that most people will want.
    Main,
}

/// Draws the ground of something that can be clicked; `hot`: the mouse is over it. Returns the colour for what is drawn
/// on it.
pub fn key_ground(canvas: &mut Canvas, rect: Rect, tone: Tone, hot: bool) -> Color {
    let radius = (rect.h / 2.0).min(5.0);
    let (ground, edge, ink) = match (tone, hot) {
        (Tone::Plain, false) => (theme::PANEL_RAISED, theme::PANEL_LINE, theme::TEXT_SOFT),
        (Tone::Plain, true) => (theme::PANEL_RAISED, theme::TEXT_FAINT, theme::TEXT),
        (Tone::On, false) => (theme::PANEL_RAISED, theme::ACCENT.alpha(0.7), theme::ACCENT),
        (Tone::On, true) => (theme::PANEL_RAISED, theme::ACCENT, theme::ACCENT),
        (Tone::Main, false) => (theme::ACCENT, theme::ACCENT, theme::NIGHT),
        (Tone::Main, true) => (theme::ACCENT.mix(Color::WHITE, 0.25), theme::ACCENT, theme::NIGHT),
    };
    canvas.round_rect(rect, radius, ground);
    canvas.outline(rect, radius, canvas.hairline(), edge);
    ink
}

/// Words on a button, and the key that does the same.
#[derive(Debug, Clone, Copy)]
pub struct Label<'a> {
    pub words: &'a str,
    pub key: &'a str,
    /// What the tooltip says; empty for none.
    pub hint: &'static str,
}

/// A button with words, and a key beside them if there is room.
pub fn button<C>(
    ui: &mut Ui<'_, C>,
    rect: Rect,
    label: Label<'_>,
    tone: Tone,
    action: impl Into<UserAction<C>>,
) {
    let hot = over(ui.mouse, rect);
    let ink = key_ground(ui.canvas, rect, tone, hot);
    ui.hits.click(rect, action, label.hint);
    let inner = rect.inset_xy(6.0, 0.0);
    let words = ui.canvas.measure(label.words, Face::Regular, size::BODY);
    let key = ui.canvas.measure(label.key, Face::Regular, size::SMALL);
    let style = Style::regular(size::BODY, ink);
    let together = words + gap::SMALL + 2.0 + key;
    if label.key.is_empty() || ui.hits.still || ui.hits.touched || together > inner.w {
        line_centre(ui.canvas, inner, label.words, style);
        return;
    }
    let left = inner.x + (inner.w - together) / 2.0;
    let at = Point::new(left, rect.centre().y);
    ui.canvas.text(at, Anchor::Left, label.words, style);
    let faint = if tone == Tone::Main { theme::NIGHT } else { theme::TEXT_FAINT };
    let at = Point::new(left + words + gap::SMALL + 2.0, rect.centre().y);
    ui.canvas.text(at, Anchor::Left, label.key, Style::regular(size::SMALL, faint));
}

/// The button that connects again.
pub fn retry<C>(ui: &mut Ui<'_, C>, rect: Rect, tone: Tone) {
    let hint = if IN_A_PAGE { "Connect again now (Shift R)" } else { "Connect again now (Ctrl R)" };
    button(ui, rect, Label { words: "Retry", key: "", hint }, tone, Control::Retry);
}

/// Draws two switches over the world's upper right corner: one for the sound, one for the director. A picture, in which
/// nothing can be clicked, has none.
pub fn director<S, O>(ui: &mut Ui<'_, Choice<S, O>>, world: Rect, leads: bool, muted: bool) {
    let Some(both) = director_place(world).filter(|_| !ui.hits.still) else { return };
    let (sound, place) = both.cut_left(SOUND_WIDTH);
    let (tone, hint) =
        if muted { (Tone::Plain, "Let it be heard (Shift M)") } else { (Tone::On, "Silence (Shift M)") };
    button(ui, sound, Label { words: "Sound", key: "", hint }, tone, Control::ToggleSound);
    let place = place.cut_left(gap::SMALL).1;
    let (words, tone, hint) = if leads {
        ("Director on", Tone::On, "The camera goes where it matters. Z, or any move of yours, lets it go")
    } else {
        ("Director", Tone::Plain, "Let the camera go where it matters")
    };
    button(ui, place, Label { words, key: "Z", hint }, tone, Choice::ToggleDirector);
}

/// The place of both switches that [`director`] draws, if there is room.
pub fn director_place(world: Rect) -> Option<Rect> {
    let (wide, high) = (SOUND_WIDTH + gap::SMALL + 104.0, BUTTON);
    let place = Rect::new(world.right() - wide - gap::SMALL, world.y + gap::SMALL, wide, high);
    (world.w >= 220.0 && world.h >= 120.0).then_some(place)
}

/// Draws a small switch with a word.
pub fn chip<C>(ui: &mut Ui<'_, C>, rect: Rect, label: Label<'_>, on: bool, action: impl Into<UserAction<C>>) {
    let hot = over(ui.mouse, rect);
    if on {
        ui.canvas.round_rect(rect, 5.0, theme::PANEL_RAISED);
    }
    let edge =
        if hot || on { theme::TEXT_FAINT.alpha(if hot { 1.0 } else { 0.45 }) } else { theme::PANEL_LINE };
    ui.canvas.outline(rect, 5.0, ui.canvas.hairline(), edge);
    ui.hits.click(rect, action, label.hint);
    let ink = if on { theme::TEXT } else { theme::TEXT_FAINT };
    let words = if label.words.is_empty() {
        label.key.to_owned()
    } else if label.key.is_empty() || ui.hits.still || ui.hits.touched {
        label.words.to_owned()
    } else {
        format!("{} {}", label.key, label.words)
    };
    line_centre(ui.canvas, rect.inset_xy(3.0, 0.0), &words, Style::regular(size::SMALL, ink));
}

/// Draws the ground of a row that can be clicked: lit while the mouse is over it, and more while it is chosen.
pub fn row<C>(
    ui: &mut Ui<'_, C>,
    rect: Rect,
    chosen: bool,
    action: impl Into<UserAction<C>>,
    hint: &'static str,
) {
    if chosen || over(ui.mouse, rect) {
        let ground = theme::PANEL_RAISED.alpha(if chosen { 1.0 } else { 0.5 });
        ui.canvas.round_rect(rect, 5.0, ground);
    }
    ui.hits.click(rect, action, hint);
}

/// Draws a small cross, at the right of a panel's `head`, that closes the panel.
pub fn close<C>(ui: &mut Ui<'_, C>, head: Rect, action: impl Into<UserAction<C>>) {
    let place = Rect::new(head.right() - 18.0, head.y - 3.0, 20.0, 20.0);
    let ink = if over(ui.mouse, place) { theme::TEXT } else { theme::TEXT_FAINT };
    cross(ui.canvas, place.centre(), 4.0, 1.5, ink);
    ui.hits.click(place, action, "Close");
}

/// Draws words in a small box above the point `foot`, or below it if there is no room.
pub fn tooltip<C>(ui: &mut Ui<'_, C>, foot: Point, words: &str) {
    let area = ui.canvas.area().inset(gap::SMALL);
    let style = Style::regular(size::BODY, theme::TEXT);
    let words = ui.canvas.ellipsis(words, style.face, style.size, (area.w - 16.0).max(0.0)).into_owned();
    let wide = ui.canvas.measure(&words, style.face, style.size) + 16.0;
    if wide > area.w || words.is_empty() {
        return;
    }
    let high = ui.canvas.line_height(style.size) + 8.0;
    let x = (foot.x - wide / 2.0).clamp(area.x, (area.right() - wide).max(area.x));
    let y = if foot.y - high < area.y { foot.y + 30.0 } else { foot.y - high };
    let place = Rect::new(x, y, wide, high);
    ui.canvas.shadow(place, 5.0, 10.0, Color::BLACK.alpha(0.5));
    ui.canvas.round_rect(place, 5.0, theme::PANEL_RAISED);
    ui.canvas.outline(place, 5.0, ui.canvas.hairline(), theme::TEXT_FAINT.alpha(0.6));
    line_centre(ui.canvas, place, &words, style);
}

/// Draws a share (0 to 1) as a bar.
pub fn bar(canvas: &mut Canvas, rect: Rect, share: f32, color: Color) {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    canvas.round_rect(rect, rect.h / 2.0, theme::PANEL_RAISED);
    if share > 0.0 {
        let filled = Rect::new(rect.x, rect.y, (rect.w * share).max(rect.h), rect.h);
        canvas.round_rect(filled, rect.h / 2.0, color);
    }
}

/// Draws a crown, for the team that leads; `r` is half its width in points.
pub fn crown(canvas: &mut Canvas, centre: Point, r: f32) {
    let at = |x: f32, y: f32| centre + Point::new(x * r, y * r);
    let gold = theme::ACCENT;
    canvas.triangle(at(-1.0, -0.55), at(-0.9, 0.7), at(0.1, 0.7), gold);
    canvas.triangle(at(0.0, -0.9), at(-0.62, 0.7), at(0.62, 0.7), gold);
    canvas.triangle(at(1.0, -0.55), at(-0.1, 0.7), at(0.9, 0.7), gold);
    canvas.rect(Rect::between(at(-0.9, 0.62), at(0.9, 0.95)), gold);
}

/// A number with its thousands apart, such as `12 345`; between them is [`THIN`].
pub fn number(value: impl Into<u64>) -> String {
    thousands(value.into()).chars().map(|c| if c == ',' { THIN } else { c }).collect()
}

/// A number that may be negative, with its thousands apart.
pub fn signed(value: i64) -> String {
    let sign = if value < 0 { "−" } else { "" };
    format!("{sign}{}", number(value.unsigned_abs()))
}

pub const THIN: char = '\u{2009}';

/// A count with its noun: `1 player`, `3 players`.
pub fn count(value: impl Into<u64>, one: &str, many: &str) -> String {
    let value = value.into();
    format!("{} {}", number(value), if value == 1 { one } else { many })
}

/// A tile as the labels of the map count it, such as `4, 7`, with a no-break space.
pub fn place(at: Position) -> String {
    format!("{},\u{a0}{}", at.x, at.y)
}

/// Draws how many rows a list leaves out above and below those shown, with the noun for one and for many: `2 above, 4
/// more teams`. A click does `go` with the rows of a page, or at the end with `i32::MIN`, which goes back to the first
/// row.
pub fn others<C>(
    ui: &mut Ui<'_, C>,
    place: Rect,
    (above, rows, below): (usize, usize, usize),
    (one, many): (&str, &str),
    go: impl Fn(i32) -> C,
) {
    let page = if below == 0 { i32::MIN } else { i32::try_from(rows.max(1)).unwrap_or(i32::MAX) };
    row(ui, place.inset_xy(-6.0, 0.0), false, UserAction::Choice(go(page)), "Show the others");
    let says = match (above as u64, below as u64) {
        (0, below) => format!("and {}", count(below, one, many)),
        (above, 0) => format!("{} above, no more below", number(above)),
        (above, below) => format!("{} above, {}", number(above), count(below, one, many)),
    };
    line(ui.canvas, place, &says, Style::regular(size::SMALL, theme::TEXT_SOFT));
}

/// The first of these wordings that fits into `width` points; the last one if none does.
pub fn fitting<'w>(canvas: &Canvas, wordings: &'w [String], style: Style, width: f32) -> &'w str {
    let fits = |words: &&String| canvas.measure(words, style.face, style.size) <= width;
    wordings.iter().find(fits).or(wordings.last()).map_or("", String::as_str)
}

/// What a panel is drawn with: the canvas, the hits to be filled, and the mouse.
pub struct Ui<'a, C> {
    pub canvas: &'a mut Canvas,
    pub hits: &'a mut Hits<C>,
    /// Where the mouse is, in points; `None` if it is beside the window or out of the panel's reach.
    pub mouse: Option<Point>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(number(7_u32), "7");
        assert_eq!(number(999_u32), "999");
        assert_eq!(number(12_345_u32), format!("12{THIN}345"));
        assert_eq!(number(1_000_000_u64), format!("1{THIN}000{THIN}000"));
        assert_eq!(count(1_u32, "player", "players"), "1 player");
        assert_eq!(count(0_u32, "player", "players"), "0 players");
    }

    #[test]
    fn too_many_lines_end_with_dots() {
        let mut canvas = Canvas::new();
        canvas.begin(400.0, 400.0, 1.0);
        let style = Style::regular(13.0, theme::TEXT);
        let lines = lines_of(&canvas, "one two three four five six seven", style, 60.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…'), "{lines:?}");
        assert!(lines.iter().all(|line| canvas.measure(line, style.face, style.size) <= 60.0));
        assert_eq!(lines_of(&canvas, "one", style, 60.0, 2), ["one"]);
    }

    #[test]
    fn what_is_shortened_ends_behind_a_word() {
        let mut canvas = Canvas::new();
        canvas.begin(400.0, 400.0, 1.0);
        let style = Style::regular(13.0, theme::TEXT);
        let cut = |text: &str, share: f32| {
            let width = canvas.measure(text, style.face, style.size);
            shortened(&canvas, text, style, width * share)
        };
        assert_eq!(cut("7 players (2 needed)", 0.8), "7 players…");
        assert_eq!(cut("#27 pushes #42 away at 9,\u{a0}7", 0.93), "#27 pushes #42 away at…");
        assert_eq!(cut("incantation for level", 0.74), "incantation…");
        assert_eq!(cut("one two", 1.0), "one two");
        let name = cut("averyveryverylongname", 0.6);
        assert!(name.starts_with("averyv") && name.ends_with('…'), "a word alone is cut: {name}");
    }
}
