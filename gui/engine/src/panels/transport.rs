//! The bar of time: the timeline with a game's marks, play and speed, and the server's own frequency.
//!
//! The control of the server's frequency is apart from that of the view's speed, and says that it is for everyone.
//! Tested with the panels of the games.

use zappy_protocol::Tick;

use super::kit::{self, Label, Tone, Ui, number};
use crate::app::action::{Control, Direction, UserAction};
use crate::app::origin::Origin;
use crate::app::playback::{Playback, SPEEDS};
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::led::LedTime;
use crate::theme::{self, gap, size};
use crate::timeline::notes::Notebook;

/// Height of the bar, in points.
pub const HEIGHT: f32 = 86.0;
/// Width and height of the bar if all panels are hidden, in points.
pub const TINY: (f32, f32) = (320.0, 30.0);
/// Height of the timeline, in points.
const TRACK_HEIGHT: f32 = 34.0;
/// Radius of the star at the end of a match, in points.
const STAR_RADIUS: f32 = 8.0;
/// Points between two marks of bots' notes at the least: nearer ones are drawn as one.
const MARK_WIDTH: f32 = 6.0;
/// Width of the bar, in points, from which on all speeds are side by side; below, there are buttons for slower and
/// faster.
const ALL_SPEEDS_FROM: f32 = 1060.0;
/// Width of the button that switches between led and true time, in points.
const LED_BUTTON: f32 = 84.0;
/// Points that must be free so that this button is shown.
const LED_BUTTON_FROM: f32 = 330.0;

/// The name of a speed, which is an index of [`SPEEDS`].
pub fn speed_name(speed: usize) -> String {
    match SPEEDS.get(speed).copied().unwrap_or(1.0) {
        0.25 => "¼".to_owned(),
        0.5 => "½".to_owned(),
        factor => format!("{factor}"),
    }
}

/// The contents of the bar.
#[derive(Clone, Copy)]
pub struct Bar<'a, C> {
    pub time: &'a Playback,
    /// How fast the record passes if it is led in time; `None` until it was read, and live.
    pub led: Option<&'a LedTime>,
    /// The first and the last tick of the timeline.
    pub range: (Tick, Tick),
    /// The last tick that can be shown; `None` if it isn't named, because it would reveal when the match ends.
    pub last: Option<Tick>,
    /// Where the match comes from.
    pub origin: &'a Origin,
    /// Whether the match is over, as far as is known.
    pub ended: bool,
    /// What the button for the next moment that matters in the game does.
    pub next: UserAction<C>,
    /// The words for a tick.
    pub name: &'a dyn Fn(Tick) -> String,
    /// Ticks of a step, and the tooltips of the buttons for a step back and a step ahead.
    pub step: (i64, [&'static str; 2]),
    /// Whether the game lets the server be asked for another frequency.
    pub asks: bool,
    /// The action that shows the other panels again, if they are hidden.
    pub hidden: Option<UserAction<C>>,
}

/// The timeline on the window.
#[derive(Debug, Clone, Copy)]
pub struct Strip {
    pub rect: Rect,
    /// The line of time itself, within `rect`.
    pub base: Rect,
    /// The ticks of its left and its right edge.
    pub span: (Tick, Tick),
    /// How far along the strip the moment shown is, from 0 to 1.
    pub now: f32,
}

impl Strip {
    /// How far along the strip a tick lies, from 0 to 1.
    pub fn share(&self, tick: Tick) -> f32 {
        let (first, last) = self.span;
        (tick.saturating_sub(first) as f64 / last.saturating_sub(first).max(1) as f64).clamp(0.0, 1.0) as f32
    }

    /// The x of a tick on the window.
    pub fn x(&self, tick: Tick) -> f32 {
        self.rect.x + self.rect.w * self.share(tick)
    }
}

/// [`Bar::step`] of one tick, for games without turns.
pub const TICK: (i64, [&str; 2]) = (1, ["One tick back (,)", "One tick ahead (.)"]);

/// The marks of a game on the timeline.
pub trait Marks<C> {
    /// Draws the marks; the moment shown is drawn over them.
    fn draw(&self, ui: &mut Ui<'_, C>, strip: &Strip);

    /// The tooltip for that tick.
    fn hover(&self, strip: &Strip, tick: Tick) -> String;
}

/// Draws the notes of bots for the timeline, each in the `color` of its player's number. Notes close together are one
/// mark; their first word stands beside it if there is room.
pub fn draw_notes<C>(ui: &mut Ui<'_, C>, strip: &Strip, notes: &Notebook, color: impl Fn(u32) -> Color) {
    let mut markers: Vec<_> =
        notes.markers().filter(|(tick, ..)| (strip.span.0..=strip.span.1).contains(tick)).collect();
    markers.sort_unstable();
    let mut free_from = f32::NEG_INFINITY;
    let mut drawn: Vec<(f32, u32, &str)> = Vec::new();
    for (tick, player, word) in markers {
        let x = strip.x(tick);
        if x >= free_from {
            free_from = x + MARK_WIDTH;
            drawn.push((x, player, word));
        }
    }
    for (index, &(x, player, word)) in drawn.iter().enumerate() {
        let (ink, top) = (color(player), strip.rect.y + 5.0);
        let (left, right) = (Point::new(x - 4.0, top - 3.0), Point::new(x + 4.0, top - 3.0));
        ui.canvas.triangle(left, right, Point::new(x, top + 5.0), ink);
        let wide = ui.canvas.measure(word, Face::Regular, size::SMALL);
        let room = drawn.get(index + 1).map_or(strip.rect.right(), |(next, ..)| next - MARK_WIDTH) - x - 7.0;
        if wide < room {
            let at = Point::new(x + 7.0, top);
            ui.canvas.text(at, Anchor::Left, word, Style::regular(size::SMALL, ink));
        }
    }
}

/// Draws the star that marks the end of the match at `x`, or further left so that all of it is within the timeline.
pub fn draw_end<C>(ui: &mut Ui<'_, C>, strip: &Strip, x: f32) {
    let at = Point::new(x.min(strip.rect.right() - 7.0), strip.rect.y + 7.0);
    ui.canvas.star(at, STAR_RADIUS, 5, 0.45, 0.0, theme::ACCENT);
}

/// The tooltip of the timeline: `says`, and the notes of bots near that tick.
pub fn with_notes(says: String, strip: &Strip, notes: &Notebook, tick: Tick) -> String {
    let reach = ((strip.span.1 - strip.span.0) as f32 * MARK_WIDTH / strip.rect.w.max(1.0)) as Tick;
    let noted = notes.near(tick, reach);
    if noted.is_empty() { says } else { format!("{says}; {noted}") }
}

/// Draws the bar of time.
pub fn draw<C: Copy>(ui: &mut Ui<'_, C>, rect: Rect, bar: &Bar<'_, C>, marks: &impl Marks<C>) {
    if let Some(panels) = bar.hidden {
        // A small bar that shows the panels again.
        ui.hits.click(rect, panels, "Show the panels (X)");
        ui.canvas.round_rect(rect, rect.h / 2.0, theme::PANEL.alpha(0.85));
        let inner = rect.inset_xy(16.0, 0.0);
        let state = if bar.time.playing || ui.hits.still { "" } else { "paused · " };
        let tick = bar.time.whole_tick().min(bar.last.unwrap_or(Tick::MAX));
        let of = bar.last.map(|last| format!(" / {}", (bar.name)(last))).unwrap_or_default();
        let words = format!("{state}{}{of}", (bar.name)(tick));
        let drawn = kit::line(ui.canvas, inner, &words, Style::strong(size::BODY, theme::TEXT));
        let (_, rest) = inner.cut_left(drawn.w + gap::BODY);
        let hint = "X shows the panels";
        if !ui.hits.still && ui.canvas.measure(hint, Face::Regular, size::SMALL) <= rest.w {
            let at = Point::new(rest.right(), rest.centre().y);
            ui.canvas.text(at, Anchor::Right, hint, Style::regular(size::SMALL, theme::TEXT_FAINT));
        }
        return;
    }
    ui.hits.cover(rect);
    ui.canvas.shadow(rect.moved(Point::new(0.0, -2.0)), 0.0, 14.0, Color::BLACK.alpha(0.45));
    ui.canvas.rect(rect, theme::PANEL.alpha(0.97));
    ui.canvas.rect(Rect::new(rect.x, rect.y, rect.w, ui.canvas.hairline()), theme::PANEL_LINE);
    let inner = rect.inset_xy(gap::LARGE, 6.0);
    let (strip, controls) = inner.cut_top(TRACK_HEIGHT);
    draw_controls(ui, controls.cut_bottom(30.0).0, bar);
    draw_track(ui, strip, bar, marks);
}

/// Draws the timeline: the whole match from left to right.
fn draw_track<C>(ui: &mut Ui<'_, C>, rect: Rect, bar: &Bar<'_, C>, marks: &impl Marks<C>) {
    let span = (bar.range.0, bar.range.1.max(bar.range.0 + 1));
    let share = (bar.time.tick - span.0 as f64) / (span.1 - span.0) as f64;
    let base = Rect::new(rect.x, rect.y + 20.0, rect.w, 5.0);
    let strip = Strip { rect, base, span, now: share.clamp(0.0, 1.0) as f32 };
    ui.canvas.round_rect(base, 2.5, theme::PANEL_RAISED);
    if let Origin::Record { read, .. } = bar.origin
        && *read < 1.0
    {
        let unread = Rect::new(base.x + base.w * read, base.y, base.w * (1.0 - read), base.h);
        ui.canvas.round_rect(unread, 2.5, theme::PANEL_LINE);
    }
    // Lines below the timeline show where the record passes slowly.
    for (from, to) in bar.led.filter(|_| bar.time.led).into_iter().flat_map(LedTime::slow) {
        let (left, right) = (strip.x(from), strip.x(to));
        ui.canvas.rect(Rect::new(left, base.bottom() + 2.0, right - left, 2.0), theme::ACCENT.alpha(0.6));
    }
    marks.draw(ui, &strip);
    let x = rect.x + rect.w * strip.now;
    // Where the moment shown is at the star of the end, its line begins below the star.
    let at_star = bar.ended && bar.last.is_some() && x > rect.right() - 2.0 * STAR_RADIUS;
    let top = if at_star { rect.y + 9.0 + STAR_RADIUS } else { rect.y + 2.0 };
    ui.canvas.line(Point::new(x, top), Point::new(x, base.bottom() + 2.0), 2.0, theme::ACCENT);
    ui.canvas.circle(Point::new(x, base.centre().y), 6.5, theme::PANEL);
    ui.canvas.circle(Point::new(x, base.centre().y), 5.0, theme::ACCENT);
    let clickable =
        Rect::between(Point::new(rect.x, rect.y - 4.0), Point::new(rect.right(), rect.bottom() + 4.0));
    ui.hits.seek(clickable, span.0, span.1);
    if let Some(mouse) = ui.mouse.filter(|mouse| clickable.contains(*mouse)) {
        let share = f64::from(((mouse.x - rect.x) / rect.w.max(1.0)).clamp(0.0, 1.0));
        let tick = span.0 + ((span.1 - span.0) as f64 * share).round() as Tick;
        let words = marks.hover(&strip, tick);
        ui.canvas.rect(Rect::new(mouse.x - 0.5, rect.y, 1.0, rect.h - 6.0), theme::TEXT.alpha(0.5));
        kit::tooltip(ui, Point::new(mouse.x, rect.y - 8.0), &words);
    }
}

/// Draws, from left to right: play and steps, speed, led or true time, the tick; and at the right the server's
/// frequency.
fn draw_controls<C: Copy>(ui: &mut Ui<'_, C>, row: Rect, bar: &Bar<'_, C>) {
    if ui.hits.still {
        return draw_time(ui, row, bar);
    }
    let mut rest = row;
    if row.w >= 560.0 {
        rest = draw_server(ui, rest, bar);
    }
    let (step, [back, ahead]) = bar.step;
    let play = if bar.time.playing { (STOP, "Stop (Space)") } else { (PLAY, "Go on (Space)") };
    let buttons = [
        (START, Tone::Plain, Control::SeekStart.into(), "The beginning (Home)"),
        (BACK, Tone::Plain, Control::Step(-step).into(), back),
        (play.0, Tone::Main, Control::TogglePlay.into(), play.1),
        (AHEAD, Tone::Plain, Control::Step(step).into(), ahead),
        (NEXT, Tone::Plain, bar.next, "The next key moment (N)"),
    ];
    for ((bars, triangle), tone, action, hint) in buttons {
        let (place, left) = rest.cut_left(if tone == Tone::Main { 40.0 } else { 28.0 });
        rest = left.cut_left(gap::SMALL).1;
        let place = Rect::around(place.centre(), place.w, 28.0);
        let ink = kit::key_ground(ui.canvas, place, tone, kit::over(ui.mouse, place));
        let at = |x: f32, y: f32| place.centre() + Point::new(x, y);
        for &(x, w) in bars {
            ui.canvas.rect(Rect::around(at(x, 0.0), w, 11.0), ink);
        }
        if let Some((side, half, tip)) = triangle {
            ui.canvas.triangle(at(side, -half), at(side, half), at(tip, 0.0), ink);
        }
        ui.hits.click(place, action, hint);
    }
    let rest = rest.cut_left(gap::BODY).1;
    let mut rest =
        if row.w >= ALL_SPEEDS_FROM { draw_speeds(ui, rest, bar) } else { draw_stepper(ui, rest, bar) };
    if let Some(led) = bar.led.filter(|_| rest.w >= LED_BUTTON_FROM) {
        let (place, left) = rest.cut_left(gap::BODY).1.cut_left(LED_BUTTON);
        let pace = led.speed(bar.time.tick);
        let words = if bar.time.led { format!("Led {pace:.1}×") } else { "True time".to_owned() };
        let tone = if bar.time.led { Tone::On } else { Tone::Plain };
        let hint = "Slow where it is decided, fast where little happens; or true time (Shift Z)";
        let label = Label { words: &words, key: "", hint };
        kit::button(ui, Rect::around(place.centre(), place.w, 26.0), label, tone, Control::ToggleLed);
        rest = left;
    }
    draw_time(ui, rest.cut_left(gap::LARGE).1, bar);
}

/// The picture on a button, in points from its middle: bars by their x and their width, and a triangle by the x of its
/// upright side, half the height of that, and the x of its tip.
type Icon = (&'static [(f32, f32)], Option<(f32, f32, f32)>);

const START: Icon = (&[(-5.0, 2.0)], Some((5.0, 5.5, -3.5)));
const BACK: Icon = (&[(5.0, 2.0)], Some((3.0, 5.5, -5.5)));
const PLAY: Icon = (&[], Some((-4.0, 6.5, 6.5)));
const STOP: Icon = (&[(-3.0, 3.5), (3.0, 3.5)], None);
const AHEAD: Icon = (&[(-5.0, 2.0)], Some((-3.0, 5.5, 5.5)));
const NEXT: Icon = (&[(5.0, 2.0)], Some((-5.0, 5.5, 3.5)));

/// Draws all speeds side by side. Returns what is left at their right.
fn draw_speeds<C: Copy>(ui: &mut Ui<'_, C>, rest: Rect, bar: &Bar<'_, C>) -> Rect {
    let (label, rest) = rest.cut_left(44.0);
    kit::line(ui.canvas, label, "Speed", Style::regular(size::SMALL, theme::TEXT_FAINT));
    let mut rest = rest;
    for speed in 0..SPEEDS.len() {
        let (place, left) = rest.cut_left(27.0);
        rest = left.cut_left(2.0).1;
        let chip = Rect::around(place.centre(), place.w, 24.0);
        let name = speed_name(speed);
        let tone = if bar.time.speed == speed { Tone::On } else { Tone::Plain };
        let hot = kit::over(ui.mouse, chip);
        let ink = match tone {
            Tone::On => kit::key_ground(ui.canvas, chip, tone, hot),
            _ if hot => theme::TEXT,
            _ => theme::TEXT_SOFT,
        };
        ui.hits.click(chip, Control::Speed(speed), "Speed of the view ([ and ])");
        kit::line_centre(ui.canvas, chip, &name, Style::regular(size::BODY, ink));
    }
    rest
}

/// Draws the speed between buttons for slower and faster. Returns what is left at their right.
fn draw_stepper<C: Copy>(ui: &mut Ui<'_, C>, rest: Rect, bar: &Bar<'_, C>) -> Rect {
    let (less, rest) = rest.cut_left(24.0);
    let (value, rest) = rest.cut_left(38.0);
    let (more, rest) = rest.cut_left(24.0);
    if more.w < 24.0 {
        return rest;
    }
    let square = |rect: Rect| Rect::around(rect.centre(), rect.w, 24.0);
    let label = |words, hint| Label { words, key: "", hint };
    kit::button(ui, square(less), label("–", "Slower ([)"), Tone::Plain, Control::Slower);
    let name = format!("{}×", speed_name(bar.time.speed));
    kit::line_centre(ui.canvas, value, &name, Style::strong(size::BODY, theme::TEXT));
    kit::button(ui, square(more), label("+", "Faster (])"), Tone::Plain, Control::Faster);
    rest
}

/// Draws the tick, the last one, the button that goes to now or to the end, and how far behind now the view is.
fn draw_time<C: Copy>(ui: &mut Ui<'_, C>, rest: Rect, bar: &Bar<'_, C>) {
    // After the end of the match time still passes, but its ticks don't count on.
    let tick = bar.time.whole_tick().min(bar.last.unwrap_or(Tick::MAX));
    let live = matches!(bar.origin, Origin::Live { .. });
    let strong = Style::strong(size::LARGE, theme::TEXT);
    let about = if live { "≈ " } else { "" };
    let drawn = kit::line(ui.canvas, rest, &format!("{about}{}", (bar.name)(tick)), strong);
    let (_, rest) = rest.cut_left(drawn.w + gap::SMALL);
    let of = bar.last.map(|last| format!("/ {}", (bar.name)(last))).unwrap_or_default();
    let drawn = kit::line(ui.canvas, rest, &of, Style::regular(size::BODY, theme::TEXT_FAINT));
    let (_, rest) = rest.cut_left(drawn.w + gap::LARGE);
    let behind = bar.last.map_or(Tick::MAX, |last| last.saturating_sub(tick));
    let (words, hint) = if live { ("Now", "Return to now (End)") } else { ("End", "The last tick (End)") };
    let at_end = if live { bar.time.at_now } else { behind == 0 };
    let wide = if ui.hits.still { 0.0 } else { 64.0 };
    if rest.w < wide {
        return;
    }
    if !ui.hits.still {
        let place = Rect::new(rest.x, rest.centre().y - 13.0, wide, 26.0);
        let tone = if at_end { Tone::On } else { Tone::Plain };
        kit::button(ui, place, Label { words, key: "", hint }, tone, Control::SeekEnd);
    }
    let (_, rest) = rest.cut_left(wide + gap::BODY);
    let says = match bar.origin {
        Origin::Record { read, .. } if *read < 1.0 => format!("{} % read", (read * 100.0).floor()),
        Origin::Live { .. } if !at_end => format!("{} behind", number(behind)),
        _ => String::new(),
    };
    if let Origin::Record { name, trouble, .. } = bar.origin
        && rest.w > 200.0
    {
        let (words, ink) = match trouble {
            Some(trouble) => (format!("{name}: {trouble}"), theme::BAD),
            None => (name.clone(), theme::TEXT_FAINT),
        };
        kit::line_right(ui.canvas, rest.cut_left(90.0).1, &words, Style::regular(size::SMALL, ink));
    }
    if rest.w > 60.0 {
        kit::line(ui.canvas, rest, &says, Style::regular(size::SMALL, theme::TEXT_SOFT));
    }
}

/// Draws the frequency of the server, which holds for the whole match. Returns what is left at its left.
fn draw_server<C: Copy>(ui: &mut Ui<'_, C>, row: Rect, bar: &Bar<'_, C>) -> Rect {
    let Origin::Live { rate, can_ask, asked, connected, .. } = bar.origin else { return row };
    if !bar.asks || !can_ask || bar.ended {
        return row;
    }
    let wide = if row.w >= ALL_SPEEDS_FROM { 268.0 } else { 214.0 };
    let (place, left) = row.cut_right(wide);
    ui.canvas.round_rect(place, 6.0, theme::NIGHT);
    ui.canvas.outline(place, 6.0, ui.canvas.hairline(), theme::PANEL_LINE);
    let inner = place.inset_xy(gap::BODY, 3.0);
    let label = |words, hint| Label { words, key: "", hint };
    let (more, rest) = inner.cut_right(24.0);
    let (less, rest) = rest.cut_right(gap::SMALL).1.cut_right(24.0);
    let rest = rest.cut_right(gap::BODY).1;
    let twice = "Twice the server’s frequency, for everybody (Ctrl ↑)";
    let half = "Half the server’s frequency, for everybody (Ctrl ↓)";
    if *connected {
        kit::button(ui, less, label("–", half), Tone::Plain, Control::ServerRate(Direction::Previous));
        kit::button(ui, more, label("+", twice), Tone::Plain, Control::ServerRate(Direction::Next));
    }
    let head = if row.w >= ALL_SPEEDS_FROM { "SERVER, FOR ALL" } else { "SERVER" };
    let drawn = kit::line(ui.canvas, rest, head, Style::strong(size::SMALL, theme::TEXT_FAINT));
    let (_, rest) = rest.cut_left(drawn.w + gap::BODY);
    let value = match asked {
        Some(asked) => format!("{} → {}", number(*rate), number(*asked)),
        None if *rate == 0 => "–".to_owned(),
        None => format!("{} ticks/s", number(*rate)),
    };
    kit::line_right(ui.canvas, rest, &value, Style::regular(size::BODY, theme::TEXT));
    left.cut_right(gap::LARGE).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ink::Canvas;

    struct Nothing;

    impl Marks<()> for Nothing {
        fn draw(&self, _: &mut Ui<'_, ()>, _: &Strip) {}

        fn hover(&self, _: &Strip, _: Tick) -> String {
            String::new()
        }
    }

    /// The y of the upper end of the line at the moment shown, at `tick` of 100.
    fn top(tick: f64, last: Option<Tick>) -> f32 {
        let (mut canvas, mut hits) = (Canvas::new(), crate::panels::Hits::default());
        canvas.begin(600.0, 300.0, 1.0);
        let mut ui = Ui { canvas: &mut canvas, hits: &mut hits, mouse: None };
        let bar = Bar {
            time: &Playback { tick, ..Playback::default() },
            led: None,
            range: (0, 100),
            last,
            origin: &Origin::Nothing,
            ended: true,
            next: UserAction::Control(Control::SeekEnd),
            name: &number,
            step: TICK,
            asks: false,
            hidden: None,
        };
        draw_track(&mut ui, Rect::new(0.0, 100.0, 600.0, TRACK_HEIGHT), &bar, &Nothing);
        let accent = canvas.vertices().iter().filter(|vertex| vertex.color == theme::ACCENT.0);
        accent.map(|vertex| vertex.position[1]).fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn only_a_server_that_takes_wishes_has_a_control_for_its_frequency() {
        let written = |can_ask: bool, ended: bool| {
            let (mut canvas, mut hits) = (Canvas::new(), crate::panels::Hits::<()>::default());
            canvas.begin(1_280.0, 100.0, 1.0);
            canvas.watch_text(true);
            let (address, trouble) = ("h:1".to_owned(), None);
            let origin = Origin::Live { address, trouble, connected: true, rate: 100, can_ask, asked: None };
            let bar = Bar {
                time: &Playback::default(),
                led: None,
                range: (0, 100),
                last: Some(100),
                origin: &origin,
                ended,
                next: UserAction::Control(Control::SeekEnd),
                name: &number,
                step: TICK,
                asks: true,
                hidden: None,
            };
            let mut ui = Ui { canvas: &mut canvas, hits: &mut hits, mouse: None };
            draw(&mut ui, Rect::new(0.0, 0.0, 1_280.0, HEIGHT), &bar, &Nothing);
            canvas.runs().iter().any(|run| run.text.contains("ticks/s"))
        };
        assert_eq!([written(true, false), written(false, false), written(true, true)], [true, false, false]);
    }

    #[test]
    fn the_playhead_does_not_strike_through_the_star() {
        assert!(top(100.0, Some(100)) >= 107.0 + STAR_RADIUS && top(90.0, Some(100)) < 103.0);
        assert!(top(100.0, None) < 103.0, "where the end isn’t named there is no star");
    }
}
