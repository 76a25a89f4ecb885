//! Where every panel is: a pure function of the window's size and of what there is to show.
//!
//! Panels never overlap; what lies over the world by intent (help, closing, start) lies over everything. When room is
//! short, panels shrink, then go: minimap and feed first. Must never panic on a size. Tested in `tests.rs`.

use super::{closing, feed, inspector, scoreboard};
use crate::ink::Rect;
use crate::panels::layout::{MARGIN as M, above, centred, status_place, transport_place};
use crate::panels::{help, start};
use crate::theme::gap;
use crate::zappy::app::action::Panel;
use crate::zappy::app::shown::Shown;

/// Windows below these have time and the world only.
const COLUMNS_FROM: (f32, f32) = (560.0, 380.0);
/// From this width on the line of what happens now stands between the columns.
const NOW_BETWEEN_FROM: f32 = 1180.0;
/// Height of the line of what happens now: two lines of text.
const NOW: f32 = 58.0;
/// Height of charts and dialogue between the columns, and below them in small windows.
const STRIP: (f32, f32) = (236.0, 176.0);
/// Below this width charts and dialogue take the whole window's width.
const STRIP_BETWEEN_FROM: f32 = 480.0;
/// The least that a strip needs beside another one.
const STRIP_LEAST: f32 = 380.0;
/// The least height of a feed that is of any use.
const FEED_LEAST: f32 = 116.0;
/// Height at which it tells a story, in points: the scoreboard makes room for that.
const FEED_GOOD: f32 = 250.0;

/// Where every panel is, in points; an empty rectangle is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Layout {
    /// The whole window.
    pub window: Rect,
    /// What is left free of panels: the world's place for fitting.
    pub world: Rect,
    /// What happens now.
    pub now: Rect,
    /// The teams, and which one leads.
    pub scoreboard: Rect,
    /// What happened.
    pub feed: Rect,
    /// What is selected.
    pub inspector: Rect,
    /// The whole map.
    pub minimap: Rect,
    /// Numbers over time.
    pub charts: Rect,
    /// A player's dialogue.
    pub dialogue: Rect,
    /// Time.
    pub transport: Rect,
    /// Notices and oddities, over the world's lower edge.
    pub status: Rect,
    /// Over everything: keys.
    pub help: Rect,
    /// Over everything: how it ended.
    pub closing: Rect,
    /// Over everything: what to do without a match.
    pub start: Rect,
}

impl Layout {
    /// Where the picture of the minimap is, within its frame; empty if it isn't shown.
    pub fn minimap_picture(&self) -> Rect {
        if self.minimap.is_empty() { self.minimap } else { self.minimap.inset(gap::BODY) }
    }

    /// What the closing screen lies over: all but the timeline, which leads back into the match.
    pub fn behind_closing(&self) -> Rect {
        let bottom = if self.transport.is_empty() { self.window.h } else { self.transport.y };
        Rect::new(0.0, 0.0, self.window.w, bottom.max(0.0))
    }
}

/// Where every panel is in a window of that size, in points.
pub fn layout(width: f32, height: f32, shown: &Shown<'_>) -> Layout {
    let window = crate::panels::layout::window(width, height);
    let mut all = Layout { window, world: window, ..Layout::default() };
    if shown.view.shows(Panel::Help) {
        all.help = centred(window, help::SIZE);
    }
    if super::is_nothing_to_show(shown) {
        all.start = centred(window, start::SIZE);
        return all;
    }
    all.transport = transport_place(window, shown.view.bare);
    if shown.view.shows(Panel::Closing) && closing::wanted(shown) {
        all.closing = centred(all.behind_closing(), closing::SIZE);
    }
    if shown.view.bare {
        all.status = status_place(window, all.transport, shown.status());
        return all;
    }
    let mut free = above(window, all.transport);
    let between = window.w >= NOW_BETWEEN_FROM;
    if !between && window.h > 300.0 {
        all.now = Rect::new(M, M, (window.w - 2.0 * M).max(0.0), NOW);
        free = Rect::new(free.x, all.now.bottom(), free.w, (free.h - all.now.bottom()).max(0.0));
    }
    if window.w >= COLUMNS_FROM.0 && window.h >= COLUMNS_FROM.1 {
        columns(&mut all, free, shown);
    } else {
        all.world = free;
    }
    if between {
        top_middle(&mut all);
    }
    all.status = status_place(all.world, all.transport, shown.status());
    all.world = all.world.inset(gap::BODY);
    all
}

/// Left: scoreboard and feed. Right: inspector and minimap. Between or below: charts and dialogue.
fn columns(all: &mut Layout, mut free: Rect, shown: &Shown<'_>) {
    let (left, right) = widths(free.w);
    let wants_left = shown.view.shows(Panel::Scoreboard) || shown.view.shows(Panel::Feed);
    let wants_right = shown.view.inspected().is_some() || shown.view.shows(Panel::Minimap);
    let left = if wants_left { left } else { 0.0 };
    let right = if wants_right { right } else { 0.0 };
    let middle = |free: Rect| {
        let from = free.x + if left > 0.0 { left + M } else { 0.0 };
        let to = free.right() - if right > 0.0 { right + M } else { 0.0 };
        Rect::new(from, free.y, (to - from).max(0.0), free.h)
    };
    let between = middle(free).w - 2.0 * M >= STRIP_BETWEEN_FROM;
    let strip = strip_height(free, between, shown);
    if strip > 0.0 {
        let place = if between { middle(free) } else { free };
        let place = Rect::new(place.x + M, free.bottom() - strip, (place.w - 2.0 * M).max(0.0), strip);
        share_strip(all, place, shown);
        if !between {
            free.h -= strip + M;
        }
    }
    all.world = middle(free);
    if strip > 0.0 {
        let top = all.charts.y.max(all.dialogue.y);
        all.world.h = (all.world.h.min(top - all.world.y - M)).max(0.0);
    }
    let column = |x: f32, w: f32| Rect::new(x, free.y + M, w, (free.h - M).max(0.0));
    left_column(all, column(free.x + M, left), shown);
    right_column(all, column(free.right() - M - right, right), shown);
    if all.inspector.is_empty() && all.minimap.is_empty() && right > 0.0 {
        all.world.w += right + M;
    }
}

/// Widths of the left and the right column.
fn widths(window: f32) -> (f32, f32) {
    match window {
        w if w < 700.0 => (196.0, 210.0),
        w if w < 900.0 => (224.0, 244.0),
        w if w < 1200.0 => (248.0, 264.0),
        w if w < 1600.0 => (280.0, 292.0),
        w if w < 2200.0 => (316.0, 324.0),
        _ => (348.0, 360.0),
    }
}

/// What the scoreboard leaves to the feed: as much as it likes, but not at the price of the teams' levels.
fn feed_room(height: f32, shown: &Shown<'_>) -> f32 {
    let rooms = [FEED_GOOD, FEED_LEAST * 1.5, FEED_LEAST * 1.2].map(|room| room + M);
    let mut fitting = rooms.into_iter().filter(|room| height > 2.2 * (room - M));
    let last = fitting.clone().next_back().unwrap_or(0.0);
    fitting.find(|room| scoreboard::shows_levels(shown, height - room)).unwrap_or(last)
}

fn left_column(all: &mut Layout, column: Rect, shown: &Shown<'_>) {
    let mut rest = column;
    if shown.view.shows(Panel::Scoreboard) {
        let keep = if shown.view.shows(Panel::Feed) { feed_room(column.h, shown) } else { 0.0 };
        let height = scoreboard::height(shown, column.h - keep).min(column.h);
        all.scoreboard = Rect::new(column.x, column.y, column.w, height);
        let below = (column.h - height - M).max(0.0);
        rest = Rect::new(column.x, column.bottom() - below, column.w, below);
    }
    if shown.view.shows(Panel::Feed) && rest.h >= FEED_LEAST {
        let height = rest.h.min(feed::TALLEST);
        all.feed = Rect::new(rest.x, rest.bottom() - height, rest.w, height);
    }
}

fn right_column(all: &mut Layout, column: Rect, shown: &Shown<'_>) {
    let mut rest = column;
    let inspected = shown.view.inspected().is_some();
    let map = minimap_height(column.w, shown);
    // Beside an inspector the map is for finding one's way only.
    let map = if inspected { map.min((column.h * 0.21).max(110.0)) } else { map };
    if inspected {
        let want = inspector::height(shown).min(column.h);
        let room = if shown.view.shows(Panel::Minimap) { column.h - map - M } else { column.h };
        // The inspector keeps its height; the map goes where there is no room for both.
        let height = if room >= want.min(inspector::LEAST) { want.min(room) } else { want };
        all.inspector = Rect::new(column.x, column.y, column.w, height);
        let below = (column.h - height - M).max(0.0);
        rest = Rect::new(column.x, column.bottom() - below, column.w, below);
    }
    if shown.view.shows(Panel::Minimap) && rest.h >= map - 0.5 && map > 0.0 {
        all.minimap = Rect::new(rest.x, rest.bottom() - map.min(rest.h), rest.w, map.min(rest.h));
    }
}

/// The map's own proportions, within reason.
fn minimap_height(width: f32, shown: &Shown<'_>) -> f32 {
    let Some(size) = shown.stage.mirror().size else { return 0.0 };
    let inner = width - 2.0 * gap::BODY;
    let height = inner * f32::from(size.height()) / f32::from(size.width());
    height.min(inner * 0.62).max(60.0) + 2.0 * gap::BODY
}

fn strip_height(free: Rect, between: bool, shown: &Shown<'_>) -> f32 {
    let any = shown.view.shows(Panel::Charts) || shown.view.shows(Panel::Dialogue);
    let usual = if between { STRIP.0.max(free.h * 0.28) } else { STRIP.1.max(free.h * 0.28) };
    if any { usual.min(free.h * 0.55).min(360.0) } else { 0.0 }
}

/// Charts and dialogue side by side; where there is no room for both, the dialogue.
fn share_strip(all: &mut Layout, place: Rect, shown: &Shown<'_>) {
    let (charts, dialogue) = (shown.view.shows(Panel::Charts), shown.view.shows(Panel::Dialogue));
    match (charts, dialogue) {
        (true, true) if place.w >= 2.0 * STRIP_LEAST + M => {
            let half = (place.w - M) / 2.0;
            all.charts = Rect::new(place.x, place.y, half, place.h);
            all.dialogue = Rect::new(place.x + half + M, place.y, half, place.h);
        }
        (_, true) => all.dialogue = place,
        (true, false) => all.charts = place,
        (false, false) => {}
    }
}

/// Between the columns, at the top, no wider than is good to read.
fn top_middle(all: &mut Layout) {
    let width = (all.world.w - 2.0 * M).clamp(0.0, 760.0);
    let x = all.world.centre().x - width / 2.0;
    all.now = Rect::new(x, all.world.y + M, width, NOW);
    let top = all.now.bottom();
    all.world = Rect::new(all.world.x, top, all.world.w, (all.world.bottom() - top).max(0.0));
}
