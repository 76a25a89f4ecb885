//! Time: the timeline with its marks, play and speed, and the server's own frequency.
//!
//! What is the server's stands apart from what is the view's, and says that it is for everybody. Tested in `tests.rs`.

use zappy_protocol::Tick;

use super::kit::{self, Label, Tone, Ui, number};
use super::track::{self, Bucket};
use crate::app::action::{Action, Direction};
use crate::app::shown::{Origin, Shown};
use crate::app::view::SPEEDS;
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::theme::{self, gap, size};

/// Height of the bar, in points.
pub const HEIGHT: f32 = 86.0;
/// Size of the bar of the world-only mode, in points.
pub const TINY: (f32, f32) = (320.0, 30.0);
/// Points of the timeline that share their marks.
const BUCKET: f32 = 3.0;
/// Height of the timeline.
const TRACK: f32 = 34.0;
/// Below this width speeds are a stepper rather than a row.
const ROW_FROM: f32 = 1060.0;

/// What a speed is called.
#[must_use]
pub fn speed_name(speed: usize) -> String {
    match SPEEDS.get(speed).copied().unwrap_or(1.0) {
        0.25 => "¼".to_owned(),
        0.5 => "½".to_owned(),
        factor => format!("{factor}"),
    }
}

/// Draws it.
pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    if shown.view.bare {
        return draw_tiny(ui, rect, shown);
    }
    ui.hits.cover(rect);
    ui.canvas.shadow(rect.moved(Point::new(0.0, -2.0)), 0.0, 14.0, Color::BLACK.alpha(0.45));
    ui.canvas.rect(rect, theme::PANEL.alpha(0.97));
    ui.canvas.rect(Rect::new(rect.x, rect.y, rect.w, ui.canvas.hairline()), theme::PANEL_LINE);
    let inner = rect.inset_xy(gap::LARGE, 6.0);
    let (strip, controls) = kit::cut_top(inner, TRACK);
    draw_controls(ui, kit::cut_bottom(controls, 30.0).0, shown);
    draw_track(ui, strip, shown);
}

/// The whole match from left to right.
fn draw_track(ui: &mut Ui<'_>, strip: Rect, shown: &Shown<'_>) {
    let span = (shown.first, shown.last.max(shown.first + 1));
    let share = |tick: f64| ((tick - span.0 as f64) / (span.1 - span.0) as f64).clamp(0.0, 1.0) as f32;
    // A cast from a float saturates.
    let many = (strip.w / BUCKET).max(0.0) as usize;
    let buckets = track::buckets(shown.chronicle, span, many);
    let base = Rect::new(strip.x, strip.y + 20.0, strip.w, 5.0);
    ui.canvas.round_rect(base, 2.5, theme::PANEL_RAISED);
    if let Origin::Record { read, .. } = shown.origin
        && *read < 1.0
    {
        let unread = Rect::new(base.x + base.w * read, base.y, base.w * (1.0 - read), base.h);
        ui.canvas.round_rect(unread, 2.5, theme::PANEL_LINE);
    }
    let now = share(shown.tick);
    for (from, to, team) in track::leads(shown.chronicle, span) {
        let color = shown.look(Some(team)).color;
        let part =
            |from: f32, to: f32| Rect::new(base.x + base.w * from, base.y, base.w * (to - from), base.h);
        ui.canvas.rect(part(from, to.min(now).max(from)), color);
        ui.canvas.rect(part(from.max(now).min(to), to), color.alpha(0.38));
    }
    for (place, bucket) in buckets.iter().enumerate() {
        draw_bucket(ui, strip, place, bucket, shown);
    }
    let x = strip.x + strip.w * now;
    ui.canvas.line(Point::new(x, strip.y + 2.0), Point::new(x, base.bottom() + 2.0), 2.0, theme::ACCENT);
    ui.canvas.circle(Point::new(x, base.centre().y), 6.5, theme::PANEL);
    ui.canvas.circle(Point::new(x, base.centre().y), 5.0, theme::ACCENT);
    let reach = strip.inset_xy(0.0, -4.0);
    ui.hits.seek(reach, span.0, span.1);
    if let Some(mouse) = ui.mouse.filter(|mouse| reach.contains(*mouse)) {
        draw_hover(ui, strip, mouse, span, &buckets);
    }
}

/// Above the line rites that succeeded, as high as their level, and failed ones, low; below it deaths.
fn draw_bucket(ui: &mut Ui<'_>, strip: Rect, place: usize, bucket: &Bucket, shown: &Shown<'_>) {
    let x = strip.x + BUCKET * place as f32 + BUCKET / 2.0;
    let foot = strip.y + 18.0;
    let stick = |high: f32| Rect::new(x - 1.0, foot - high, 2.0, high);
    if bucket.rites > 0 {
        ui.canvas.rect(stick(3.0 + f32::from(bucket.level) * 1.6), shown.look(bucket.team).color);
    } else if bucket.failures > 0 {
        // A cross: red alone is near to the orange of a team.
        kit::cross(ui.canvas, Point::new(x, foot - 3.5), 2.2, theme::BAD);
    }
    if bucket.deaths > 0 {
        let high = (2.0 + bucket.deaths as f32).min(6.0);
        ui.canvas.rect(Rect::new(x - 1.0, strip.y + 27.5, 2.0, high), theme::TEXT_SOFT);
    }
    if bucket.won {
        let at = Point::new(x.min(strip.right() - 7.0), strip.y + 7.0);
        ui.canvas.star(at, 8.0, 5, 0.45, 0.0, theme::ACCENT);
    }
}

fn draw_hover(ui: &mut Ui<'_>, strip: Rect, mouse: Point, span: (Tick, Tick), buckets: &[Bucket]) {
    let share = f64::from(((mouse.x - strip.x) / strip.w.max(1.0)).clamp(0.0, 1.0));
    let tick = span.0 + ((span.1 - span.0) as f64 * share).round() as Tick;
    // The next buckets belong to it: nobody hits three points.
    let at = track::place(tick, span, buckets.len());
    let near = [at, at.saturating_sub(1), at + 1];
    let full =
        near.into_iter().filter_map(|place| buckets.get(place)).find(|bucket| !bucket.says().is_empty());
    let words = track::hover(tick, full.unwrap_or(&Bucket::default()));
    ui.canvas.rect(Rect::new(mouse.x - 0.5, strip.y, 1.0, strip.h - 6.0), theme::TEXT.alpha(0.5));
    tooltip(ui, Point::new(mouse.x, strip.y - 8.0), &words);
}

/// Words in a small box above a place.
pub fn tooltip(ui: &mut Ui<'_>, foot: Point, words: &str) {
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
    kit::line_centre(ui.canvas, place, &words, style);
}

/// From left to right: play, speed, time, now; at the right the server's frequency.
fn draw_controls(ui: &mut Ui<'_>, row: Rect, shown: &Shown<'_>) {
    let mut rest = row;
    if row.w >= 560.0 {
        rest = draw_server(ui, rest, shown);
    }
    let mut take = |wide: f32| {
        let (place, left) = kit::cut_left(rest, wide);
        rest = kit::cut_left(left, gap::SMALL).1;
        Rect::around(place.centre(), place.w, 28.0)
    };
    let places = [take(28.0), take(28.0), take(40.0), take(28.0), take(28.0)];
    draw_play(ui, places, shown);
    let rest = kit::cut_left(rest, gap::BODY).1;
    let rest = if row.w >= ROW_FROM { draw_speeds(ui, rest, shown) } else { draw_stepper(ui, rest, shown) };
    draw_time(ui, kit::cut_left(rest, gap::LARGE).1, shown);
}

fn draw_play(ui: &mut Ui<'_>, [start, back, play, ahead, end]: [Rect; 5], shown: &Shown<'_>) {
    let icon = |ui: &mut Ui<'_>, rect: Rect, icon: Icon, action: Action, hint: &'static str| {
        let tone = if icon.is_play() { Tone::Main } else { Tone::Plain };
        let hot = kit::over(ui.mouse, rect);
        let ink = kit::key_ground(ui.canvas, rect, tone, hot);
        draw_icon(ui, rect.centre(), icon, ink);
        ui.hits.click(rect, action, hint);
    };
    icon(ui, start, Icon::Start, Action::SeekStart, "The beginning (Home)");
    icon(ui, back, Icon::Back, Action::Step(-1), "One tick back (,)");
    let (face, hint) =
        if shown.view.playing { (Icon::Stop, "Stop (Space)") } else { (Icon::Play, "Go on (Space)") };
    icon(ui, play, face, Action::TogglePlay, hint);
    icon(ui, ahead, Icon::Ahead, Action::Step(1), "One tick ahead (.)");
    icon(ui, end, Icon::Next, Action::KeyMoment(Direction::Next), "The next key moment (N)");
}

/// What stands on a button of the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Icon {
    Start,
    Back,
    Play,
    Stop,
    Ahead,
    Next,
}

impl Icon {
    fn is_play(self) -> bool {
        matches!(self, Icon::Play | Icon::Stop)
    }
}

fn draw_icon(ui: &mut Ui<'_>, centre: Point, icon: Icon, ink: Color) {
    let at = |x: f32, y: f32| centre + Point::new(x, y);
    let canvas = &mut *ui.canvas;
    let mut bar = |x: f32, w: f32| canvas.rect(Rect::around(at(x, 0.0), w, 11.0), ink);
    match icon {
        Icon::Start | Icon::Ahead => bar(-5.0, 2.0),
        Icon::Back | Icon::Next => bar(5.0, 2.0),
        Icon::Stop => {
            bar(-3.0, 3.5);
            bar(3.0, 3.5);
        }
        Icon::Play => {}
    }
    match icon {
        Icon::Start => canvas.triangle(at(5.0, -5.5), at(5.0, 5.5), at(-3.5, 0.0), ink),
        Icon::Back => canvas.triangle(at(3.0, -5.5), at(3.0, 5.5), at(-5.5, 0.0), ink),
        Icon::Ahead => canvas.triangle(at(-3.0, -5.5), at(-3.0, 5.5), at(5.5, 0.0), ink),
        Icon::Next => canvas.triangle(at(-5.0, -5.5), at(-5.0, 5.5), at(3.5, 0.0), ink),
        Icon::Play => canvas.triangle(at(-4.0, -6.5), at(-4.0, 6.5), at(6.5, 0.0), ink),
        Icon::Stop => {}
    }
}

/// All speeds side by side.
fn draw_speeds(ui: &mut Ui<'_>, rest: Rect, shown: &Shown<'_>) -> Rect {
    let (label, rest) = kit::cut_left(rest, 44.0);
    kit::line(ui.canvas, label, "Speed", Style::regular(size::SMALL, theme::TEXT_FAINT));
    let mut rest = rest;
    for speed in 0..SPEEDS.len() {
        let (place, left) = kit::cut_left(rest, 27.0);
        rest = kit::cut_left(left, 2.0).1;
        let chip = Rect::around(place.centre(), place.w, 24.0);
        let name = speed_name(speed);
        let tone = if shown.view.speed == speed { Tone::On } else { Tone::Plain };
        let hot = kit::over(ui.mouse, chip);
        let ink = if tone == Tone::On { kit::key_ground(ui.canvas, chip, tone, hot) } else { soft(hot) };
        ui.hits.click(chip, Action::Speed(speed), "Speed of the view ([ and ])");
        kit::line_centre(ui.canvas, chip, &name, Style::regular(size::BODY, ink));
    }
    rest
}

fn soft(hot: bool) -> Color {
    if hot { theme::TEXT } else { theme::TEXT_SOFT }
}

/// The speed between slower and faster.
fn draw_stepper(ui: &mut Ui<'_>, rest: Rect, shown: &Shown<'_>) -> Rect {
    let (less, rest) = kit::cut_left(rest, 24.0);
    let (value, rest) = kit::cut_left(rest, 38.0);
    let (more, rest) = kit::cut_left(rest, 24.0);
    if more.w < 24.0 {
        return rest;
    }
    let square = |rect: Rect| Rect::around(rect.centre(), rect.w, 24.0);
    let label = |words, hint| Label { words, key: "", hint };
    kit::button(ui, square(less), label("–", "Slower ([)"), Tone::Plain, Action::Slower);
    let name = format!("{}×", speed_name(shown.view.speed));
    kit::line_centre(ui.canvas, value, &name, Style::strong(size::BODY, theme::TEXT));
    kit::button(ui, square(more), label("+", "Faster (])"), Tone::Plain, Action::Faster);
    rest
}

/// The tick, the last one, and live the way back to now.
fn draw_time(ui: &mut Ui<'_>, rest: Rect, shown: &Shown<'_>) {
    let tick = kit::whole(shown.tick);
    let live = matches!(shown.origin, Origin::Live { .. });
    let strong = Style::strong(size::LARGE, theme::TEXT);
    let about = if live { "≈ " } else { "" };
    let drawn = kit::line(ui.canvas, rest, &format!("{about}{}", number(tick)), strong);
    let (_, rest) = kit::cut_left(rest, drawn.w + gap::SMALL);
    let of = format!("/ {}", number(shown.last));
    let drawn = kit::line(ui.canvas, rest, &of, Style::regular(size::BODY, theme::TEXT_FAINT));
    let (_, rest) = kit::cut_left(rest, drawn.w + gap::LARGE);
    let behind = shown.last.saturating_sub(tick);
    let (words, hint) = if live { ("Now", "Return to now (End)") } else { ("End", "The last tick (End)") };
    let at_end = if live { shown.view.at_now } else { behind == 0 };
    let wide = 64.0;
    if rest.w >= wide {
        let place = Rect::new(rest.x, rest.centre().y - 13.0, wide, 26.0);
        let tone = if at_end { Tone::On } else { Tone::Plain };
        let label = Label { words, key: "", hint };
        kit::button(ui, place, label, tone, Action::SeekEnd);
        let (_, rest) = kit::cut_left(rest, wide + gap::BODY);
        let says = match shown.origin {
            Origin::Record { read, .. } if *read < 1.0 => format!("{} % read", (read * 100.0).floor()),
            Origin::Live { .. } if !at_end => format!("{} behind", number(behind)),
            _ => String::new(),
        };
        if let Origin::Record { name, trouble, .. } = shown.origin
            && rest.w > 200.0
        {
            let place = kit::cut_left(rest, 90.0).1;
            let (words, ink) = match trouble {
                Some(trouble) => (format!("{name}: {trouble}"), theme::BAD),
                None => (name.clone(), theme::TEXT_FAINT),
            };
            kit::line_right(ui.canvas, place, &words, Style::regular(size::SMALL, ink));
        }
        if rest.w > 60.0 {
            kit::line(ui.canvas, rest, &says, Style::regular(size::SMALL, theme::TEXT_SOFT));
        }
    }
}

/// The frequency of the server, for everybody who plays or looks on. Gives what is left at its left.
fn draw_server(ui: &mut Ui<'_>, row: Rect, shown: &Shown<'_>) -> Rect {
    let Origin::Live { rate, asked, connected, .. } = shown.origin else { return row };
    if !connected && shown.chronicle.ending().is_some() {
        return row;
    }
    let wide = if row.w >= ROW_FROM { 268.0 } else { 214.0 };
    let (place, left) = kit::cut_right(row, wide);
    ui.canvas.round_rect(place, 6.0, theme::NIGHT);
    ui.canvas.outline(place, 6.0, ui.canvas.hairline(), theme::PANEL_LINE);
    let inner = place.inset_xy(gap::BODY, 3.0);
    let label = |words, hint| Label { words, key: "", hint };
    let (more, rest) = kit::cut_right(inner, 24.0);
    let (less, rest) = kit::cut_right(kit::cut_right(rest, gap::SMALL).1, 24.0);
    let rest = kit::cut_right(rest, gap::BODY).1;
    let twice = "Twice the server’s frequency, for everybody (Ctrl ↑)";
    let half = "Half the server’s frequency, for everybody (Ctrl ↓)";
    if *connected {
        kit::button(ui, less, label("–", half), Tone::Plain, Action::ServerFaster(Direction::Previous));
        kit::button(ui, more, label("+", twice), Tone::Plain, Action::ServerFaster(Direction::Next));
    }
    let head = if row.w >= ROW_FROM { "SERVER, FOR ALL" } else { "SERVER" };
    let drawn = kit::line(ui.canvas, rest, head, Style::strong(size::SMALL, theme::TEXT_FAINT));
    let (_, rest) = kit::cut_left(rest, drawn.w + gap::BODY);
    let value = match asked {
        Some(asked) => format!("{} → {}", number(*rate), number(*asked)),
        None if *rate == 0 => "–".to_owned(),
        None => format!("{} ticks/s", number(*rate)),
    };
    kit::line_right(ui.canvas, rest, &value, Style::regular(size::BODY, theme::TEXT));
    kit::cut_right(left, gap::LARGE).1
}

/// The one bar of the world-only mode.
fn draw_tiny(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    ui.hits.click(rect, Action::ToggleAll, "Show the panels (X)");
    ui.canvas.round_rect(rect, rect.h / 2.0, theme::PANEL.alpha(0.85));
    let inner = rect.inset_xy(16.0, 0.0);
    let state = if shown.view.playing { String::new() } else { "paused · ".to_owned() };
    let words = format!("{state}{} / {}", number(kit::whole(shown.tick)), number(shown.last));
    let drawn = kit::line(ui.canvas, inner, &words, Style::strong(size::BODY, theme::TEXT));
    let (_, rest) = kit::cut_left(inner, drawn.w + gap::BODY);
    let hint = "X shows the panels";
    if ui.canvas.measure(hint, Face::Regular, size::SMALL) <= rest.w {
        let at = Point::new(rest.right(), rest.centre().y);
        ui.canvas.text(at, Anchor::Right, hint, Style::regular(size::SMALL, theme::TEXT_FAINT));
    }
}
