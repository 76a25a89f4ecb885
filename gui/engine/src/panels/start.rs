//! The start screen: what this program is, how to see a match, and what is wrong with the connection.
//!
//! Shown while there is no match to show. Tested with the panels of the games.

use super::kit::{self, Label, Tone, Ui};
use super::marks;
use super::status::{self, Status};
use crate::app::action::{Control, UserAction};
use crate::app::keymap::IN_A_PAGE;
use crate::app::origin::Origin;
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, TeamShape, gap, size};

/// The width and the height that the start screen needs, in points.
pub const SIZE: (f32, f32) = (640.0, if IN_A_PAGE { 398.0 } else { 462.0 });

/// What is known of a match before its server has said which game it is.
pub const ANY_GAME: &str = "Programs play against each other. Which game it is, the server says when it lets the viewer in; then \
                            you see its world here.";

/// The commands that open the viewer with a match, and what each shows.
const COMMANDS: [(&str, &str); 2] =
    [("zappy_gui -p PORT -h HOST", "a live match"), ("zappy_gui --replay FILE", "a record")];

/// What the start screen shows.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a, C> {
    /// What the game is, in two or three sentences.
    pub about: &'a str,
    /// Where the match is to come from.
    pub origin: &'a Origin,
    /// Notices, such as why no match could be opened.
    pub status: Status<'a>,
    /// What the help button does.
    pub help: UserAction<C>,
}

pub fn draw<C: Copy>(ui: &mut Ui<'_, C>, rect: Rect, start: &Start<'_, C>) {
    ui.hits.cover(rect);
    let tight = rect.h < 400.0 || rect.w < 560.0;
    ui.canvas.shadow(rect, gap::RADIUS, 30.0, Color::BLACK.alpha(0.5));
    ui.canvas.round_rect(rect, gap::RADIUS, theme::PANEL);
    ui.canvas.outline(rect, gap::RADIUS, ui.canvas.hairline(), theme::PANEL_LINE);
    let inner = rect.inset(if tight { gap::LARGE } else { 3.0 * gap::LARGE });
    let mut rest = inner;
    let mut take = |height: f32| Some(rest.take_top(height)).filter(|place| place.h >= height);
    if let Some(place) = take(56.0) {
        let at = Point::new(place.x, place.y - 6.0);
        let style = Style::strong(size::TITLE, theme::TEXT);
        let title = kit::text(ui.canvas, at, Anchor::TopLeft, place.w, "Zappy Arena", style);
        let shapes = [TeamShape::Circle, TeamShape::Square, TeamShape::Triangle];
        for (nth, (color, shape)) in theme::TEAM_COLORS.into_iter().zip(shapes).enumerate() {
            let x = title.right() + 26.0 + 26.0 * nth as f32;
            if x + 10.0 < place.right() {
                let at = Point::new(x, title.centre().y + 3.0);
                marks::emblem(ui.canvas, at, 9.0, TeamLook { color, shape });
            }
        }
    }
    let style = Style::regular(15.0, theme::TEXT_SOFT);
    let lines = ui.canvas.wrap(start.about, Face::Regular, style.size, inner.w).len();
    if let Some(place) = take(ui.canvas.line_height(style.size) * lines as f32 + 20.0) {
        kit::paragraph(ui.canvas, place, lines, start.about, style);
    }
    // An error may take two lines.
    if let Some(place) = take(84.0) {
        draw_state(ui, place, start);
    }
    if let Some(place) = take(50.0) {
        draw_buttons(ui, place, start.help);
    }
    if let Some(place) = take(58.0) {
        draw_drop(ui, place);
    }
    if !IN_A_PAGE && let Some(place) = take(64.0) {
        let (head, mut rest) = place.cut_top(20.0);
        kit::capitals(ui.canvas, head.origin(), head.w, "From the command line");
        for (command, what) in COMMANDS {
            let line = rest.take_top(20.0);
            let drawn = kit::line(ui.canvas, line, command, Style::mono(size::BODY, theme::TEXT));
            let (_, after) = line.cut_left(drawn.w + gap::LARGE);
            kit::line(ui.canvas, after, what, Style::regular(size::BODY, theme::TEXT_FAINT));
        }
    }
}

/// The state of the source in plain words, the trouble with it or with a file that was to be opened, and a colour.
fn state<C>(start: &Start<'_, C>) -> (String, Option<String>, Color) {
    let (words, why, color) = match start.origin {
        Origin::Nothing => ("No match is open.".to_owned(), None, theme::TEXT_FAINT),
        Origin::Live { address, trouble: Some(trouble), .. } => {
            (format!("No match from {address} yet."), Some(trouble.clone()), theme::BAD)
        }
        Origin::Live { address, connected: true, .. } => {
            let odd = status::oddities(start.status.oddities);
            let color = if odd.is_some() { theme::ACCENT } else { theme::GOOD };
            (format!("Connected to {address}; waiting for the world…"), odd, color)
        }
        Origin::Live { address, .. } => (format!("Connecting to {address}…"), None, theme::ACCENT),
        Origin::Record { name, trouble: Some(trouble), .. } => {
            (format!("{name} shows no match."), Some(trouble.clone()), theme::BAD)
        }
        Origin::Record { name, .. } => (format!("Opening {name}…"), None, theme::ACCENT),
    };
    match (why, start.status.notice) {
        (None, Some(notice)) => (words, Some(notice.to_owned()), theme::BAD),
        (why, _) => (words, why, color),
    }
}

fn draw_state<C>(ui: &mut Ui<'_, C>, place: Rect, start: &Start<'_, C>) {
    let (words, why, color) = state(start);
    let place = place.cut_bottom(12.0).1;
    ui.canvas.round_rect(place, 6.0, theme::NIGHT);
    let mut inner = place.inset_xy(gap::LARGE, 6.0);
    if why.is_some() && matches!(start.origin, Origin::Live { .. }) {
        let (button, left) = inner.cut_right(84.0);
        let button = Rect::around(button.centre(), button.w, 28.0);
        kit::retry(ui, button, Tone::Main);
        inner = left.cut_right(gap::LARGE).1;
    }
    let (dot, inner) = inner.cut_left(18.0);
    let (top, bottom) = inner.cut_top(if why.is_some() { inner.h / 3.0 } else { inner.h });
    ui.canvas.circle(Point::new(dot.x + 4.0, top.centre().y), 4.0, color);
    kit::line(ui.canvas, top, &words, Style::strong(size::BODY, theme::TEXT));
    if let Some(why) = why {
        kit::paragraph(ui.canvas, bottom, 2, &why, Style::regular(size::BODY, theme::BAD));
    }
}

fn draw_buttons<C>(ui: &mut Ui<'_, C>, place: Rect, help: UserAction<C>) {
    let step = gap::BODY;
    let wide = (place.w - 2.0 * step) / 5.0;
    let first = Rect::new(place.x, place.y, wide * 2.0, 36.0);
    let second = Rect { x: first.right() + step, ..first };
    let (words, open) = if IN_A_PAGE {
        ("Open a record…", Control::ChooseRecord)
    } else {
        ("Open the sample", Control::OpenSample)
    };
    kit::button(ui, first, Label { words, key: "Ctrl O", hint: "" }, Tone::Main, open);
    if !IN_A_PAGE {
        let hint = "Connect to a server on this machine";
        let label = Label { words: "Join localhost 4242", key: "Ctrl L", hint };
        kit::button(ui, second, label, Tone::Plain, Control::ConnectHere);
    }
    let last = Rect { x: second.right() + step, w: wide, ..first };
    kit::button(ui, last, Label { words: "Help", key: "H", hint: "" }, Tone::Plain, help);
}

/// Draws a dashed frame around words that invite to drop a file.
fn draw_drop<C>(ui: &mut Ui<'_, C>, place: Rect) {
    let place = place.cut_bottom(14.0).1;
    let ink = theme::TEXT_FAINT.alpha(0.6);
    let dashes = |from: f32, to: f32| {
        let mut at = from;
        std::iter::from_fn(move || {
            let dash = (at, 6.0_f32.min(to - at));
            at += 6.0 + 5.0;
            (dash.0 < to).then_some(dash)
        })
    };
    for (x, wide) in dashes(place.x, place.right()) {
        for y in [place.y, place.bottom() - 1.0] {
            ui.canvas.rect(Rect::new(x, y, wide, 1.0), ink);
        }
    }
    for (y, high) in dashes(place.y, place.bottom()) {
        for x in [place.x, place.right() - 1.0] {
            ui.canvas.rect(Rect::new(x, y, 1.0, high), ink);
        }
    }
    let style = Style::regular(size::BODY, theme::TEXT_SOFT);
    kit::line_centre(ui.canvas, place, "or drop a record (.zrec) here", style);
}
