//! The headline: what happens at the moment shown and why it matters, in one or two sentences; and subtitles.
//!
//! Tested with the panels of the games.

use super::kit::{self, Ui};
use super::marks::emblem;
use crate::app::origin::Origin;
use crate::app::playback::Playback;
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, gap, size};

/// Width of the part with state and tick, in points.
const STATE_WIDTH: f32 = 130.0;

/// Whether now, the past, or a record is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadlineState {
    Live,
    /// Live, but an earlier tick is shown.
    Past,
    /// Live, but the connection is gone.
    Lost,
    /// Live, and the match is over.
    Over,
    Record,
}

/// The contents of the headline.
#[derive(Debug, Clone, PartialEq)]
pub struct Now<T> {
    /// Whether now, the past or a record is shown.
    pub state: HeadlineState,
    pub paused: bool,
    /// The tick or the turn, `≈` where it is estimated.
    pub tick: String,
    /// The team that `news` is about.
    pub team: Option<T>,
    /// The first sentence: what happens.
    pub news: String,
    /// The second sentence: why that matters, or which team leads.
    pub also: String,
    /// Whether `news` is about trouble with the connection.
    pub trouble: bool,
}

/// Whether now, the past, or a record is shown; `over`: the match has ended at the moment shown.
pub fn state(origin: &Origin, time: &Playback, over: bool) -> HeadlineState {
    match origin {
        // A server may stay connected for a while after its match.
        Origin::Live { trouble: None, .. } if over => HeadlineState::Over,
        Origin::Live { connected: false, .. } if time.at_now => HeadlineState::Lost,
        Origin::Live { .. } if time.at_now => HeadlineState::Live,
        Origin::Live { .. } => HeadlineState::Past,
        Origin::Record { .. } | Origin::Nothing => HeadlineState::Record,
    }
}

impl<T> Now<T> {
    /// The headline of a moment. Trouble with a live match's connection comes first, in place of the news; trouble with
    /// a record doesn't pass, so it stands beside the record's name.
    pub fn of(
        origin: &Origin,
        (state, paused): (HeadlineState, bool),
        tick: String,
        (team, news): (Option<T>, String),
        also: String,
    ) -> Now<T> {
        match origin {
            Origin::Live { trouble: Some(trouble), .. } => {
                Now { state, paused, tick, team: None, news: trouble.clone(), also: news, trouble: true }
            }
            _ => Now { state, paused, tick, team, news, also, trouble: false },
        }
    }
}

pub fn draw<C, T>(
    ui: &mut Ui<'_, C>,
    rect: Rect,
    now: &Now<T>,
    (look, origin, unit): (Option<TeamLook>, &Origin, &str),
) {
    let inner = kit::panel(ui.canvas, ui.hits, rect).inset_xy(0.0, -4.0);
    let (left, rest) = inner.cut_left(STATE_WIDTH);
    draw_state(ui, left, now, unit);
    let line = Rect::new(left.right(), inner.y + 2.0, ui.canvas.hairline(), inner.h - 4.0);
    ui.canvas.rect(ui.canvas.snap(line), theme::PANEL_LINE);
    let (_, mut rest) = rest.cut_left(gap::LARGE);
    if now.trouble && matches!(origin, Origin::Live { .. }) {
        let (place, left) = rest.cut_right(76.0);
        let button = Rect::around(place.centre(), place.w, kit::BUTTON);
        kit::retry(ui, button, kit::Tone::Plain);
        rest = left.cut_right(gap::BODY).1;
    }
    let (first, second) = rest.cut_top(rest.h * 0.5);
    let mut x = first.x;
    if let Some(look) = look {
        emblem(ui.canvas, Point::new(x + 7.0, first.centre().y), 7.0, look);
        x += 21.0;
    }
    let ink = if now.trouble { theme::BAD } else { theme::TEXT };
    let room = first.right() - x;
    let fits = |size: f32| ui.canvas.measure(&now.news, Face::Strong, size) <= room;
    if !fits(size::BODY) {
        let set = [(Style::strong(size::BODY, ink), 2), (Style::strong(size::SMALL, ink), 3)];
        return draw_whole(ui, Rect::new(x, rest.y, room, rest.h), &now.news, set);
    }
    let big = if fits(size::LARGE) { size::LARGE } else { size::BODY };
    let at = Point::new(x, first.centre().y);
    kit::text(ui.canvas, at, Anchor::Left, room, &now.news, Style::strong(big, ink));
    let soft = |size: f32| Style::regular(size, theme::TEXT_SOFT);
    draw_whole(ui, second, &now.also, [(soft(size::BODY), 1), (soft(size::SMALL), 2)]);
}

/// Draws a remark over the world: at the lower edge if the world is alone, else at the upper one, as cards lie over the
/// lower one.
pub fn subtitle(canvas: &mut Canvas, (world, alone): (Rect, bool), says: &str, look: TeamLook) {
    let size = (world.h * 0.045).clamp(size::LARGE, 34.0);
    let style = Style::strong(size, theme::TEXT);
    let lines = kit::lines_of(canvas, says, style, world.w * 0.86 - 2.0 * size, 2);
    let wide = lines.iter().map(|line| canvas.measure(line, Face::Strong, size)).fold(0.0, f32::max);
    let step = canvas.line_height(size);
    let high = step * lines.len() as f32 + size * 0.6;
    let inset = world.h * 0.04 + high / 2.0;
    let middle = Point::new(world.centre().x, if alone { world.bottom() - inset } else { world.y + inset });
    let plate = Rect::around(middle, wide + 2.4 * size, high);
    canvas.round_rect(plate, size * 0.5, theme::NIGHT.alpha(0.84));
    canvas.rect(Rect::new(plate.x, plate.y + size * 0.4, size * 0.18, high - size * 0.8), look.color);
    for (line, words) in lines.iter().enumerate() {
        let at = Point::new(middle.x, plate.y + size * 0.3 + step * (line as f32 + 0.5));
        canvas.text(at, Anchor::Centre, words, style);
    }
}

/// Draws the words in the first style, with its number of lines, that has room for all of them; if none has, in the
/// last style, cut off.
fn draw_whole<C>(ui: &mut Ui<'_, C>, place: Rect, words: &str, styles: [(Style, usize); 2]) {
    let set = styles.map(|(style, limit)| (kit::lines_of(ui.canvas, words, style, place.w, limit), style));
    let whole = |lines: &[String]| lines.last().is_none_or(|line| !line.ends_with('…'));
    let fits = set.iter().find(|(lines, _)| whole(lines));
    let [_, last] = &set;
    let (lines, style) = fits.unwrap_or(last);
    let high = ui.canvas.line_height(style.size) * lines.len() as f32;
    kit::stack(ui.canvas, Point::new(place.x, place.centre().y - high / 2.0), lines, *style);
}

fn draw_state<C, T>(ui: &mut Ui<'_, C>, place: Rect, now: &Now<T>, unit: &str) {
    let (state, color): (&str, Color) = match now.state {
        HeadlineState::Live => ("LIVE", theme::GOOD),
        HeadlineState::Past => ("PAST", theme::ACCENT),
        HeadlineState::Lost => ("NO LINK", theme::BAD),
        HeadlineState::Over => ("MATCH OVER", theme::TEXT_SOFT),
        HeadlineState::Record => ("RECORD", theme::TEXT_SOFT),
    };
    let (top, bottom) = place.cut_top(place.h * 0.42);
    let middle = top.centre().y;
    ui.canvas.circle(Point::new(top.x + 4.0, middle), 4.0, color);
    let words = if now.paused && !ui.hits.still { format!("{state} · PAUSED") } else { state.to_owned() };
    let (at, style) = (Point::new(top.x + 14.0, middle), Style::strong(size::SMALL, theme::TEXT_SOFT));
    kit::text(ui.canvas, at, Anchor::Left, top.w - 18.0, &words, style);
    let tick = Style::strong(size::LARGE, theme::TEXT);
    let drawn = kit::line(ui.canvas, bottom, &now.tick, tick);
    let at = Point::new(drawn.right() + 4.0, bottom.centre().y + 2.0);
    let room = bottom.right() - at.x - 4.0;
    if room > 26.0 {
        kit::text(ui.canvas, at, Anchor::Left, room, unit, Style::regular(size::SMALL, theme::TEXT_FAINT));
    }
}
