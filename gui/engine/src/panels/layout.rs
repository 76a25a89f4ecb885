//! Where every panel is: a pure function of the window's size and of what there is to show.
//!
//! Panels never overlap, but for help, closing screen and start screen, which lie over everything. When room is short,
//! panels shrink, then are left out: minimap and feed first. Must never panic on a size. Tested with the panels of the
//! games.

use zappy_protocol::MapSize;

use super::status::{self, Status};
use super::{help, race, start, transport};
use crate::ink::{Point, Rect};
use crate::theme::gap;

// All sizes are in points.

/// The room around and between panels.
pub const MARGIN: f32 = M;
const M: f32 = gap::LARGE;

/// A window less wide or less high than this has no columns, only the bar of time and the world.
const COLUMNS_FROM: (f32, f32) = (400.0, 246.0);
/// In a window of [`UPRIGHT_WIDTHS`], as on phones, panels are stacked if its free height divided by its width is above
/// this.
const UPRIGHT_RATIO: f32 = 0.93;
/// The widths of a window in which panels may be stacked.
const UPRIGHT_WIDTHS: std::ops::Range<f32> = 280.0..450.0;
/// The most shares of a stacked window's free height: for the scoreboard, and for the inspector, charts or dialogue.
const UPRIGHT_SHARES: (f32, f32) = (0.3, 0.42);
/// From this width on there is room for a column at both sides.
const BOTH_COLUMNS_FROM: f32 = 600.0;
/// From this free height on there is room for charts and dialogue.
const STRIP_FROM: f32 = 290.0;
/// From this width of the window on the headline stands between the columns; otherwise it stands above them.
const NOW_BETWEEN_FROM: f32 = 1180.0;
/// Height of the headline: two lines of text.
const NOW_HEIGHT: f32 = 58.0;
/// Height of the strip of charts and dialogue: between the columns, and below them in small windows.
const STRIP_HEIGHTS: (f32, f32) = (236.0, 176.0);
/// With less room than this between the columns the strip takes the whole window's width, below them.
const STRIP_BETWEEN_FROM: f32 = 480.0;
/// The least width of charts, and of the dialogue, if both are side by side.
const MIN_STRIP_WIDTH: f32 = 380.0;
/// The least height at which a feed is of use.
const MIN_FEED: f32 = 116.0;
/// The height of a feed that shows a good number of events: the scoreboard leaves so much room if it can.
const GOOD_FEED: f32 = 250.0;
/// The height beyond which a feed has more text than anyone reads.
const MAX_FEED: f32 = 720.0;
/// The least height at which an inspector is of use.
const MIN_INSPECTOR: f32 = 400.0;

/// For the height in points that a scoreboard may have: the height that it takes, and whether each team's bars are
/// shown.
pub type BoardHeight<'a> = &'a dyn Fn(f32) -> (f32, bool);

/// The panels that are to be shown, and the sizes that they would like.
#[derive(Clone, Copy)]
pub struct Wants<'a> {
    /// Whether there is no match to show: then the start screen is shown.
    pub nothing: bool,
    pub help: bool,
    /// The size that the closing screen would like, in points.
    pub closing: Option<(f32, f32)>,
    /// Teams in the race across the top.
    pub racers: usize,
    /// Whether this is a frame of a film, which has no bar of time.
    pub film: bool,
    /// The notice over the world, and whether all other panels are hidden.
    pub status: Status<'a>,
    pub scoreboard: Option<BoardHeight<'a>>,
    pub feed: bool,
    pub charts: bool,
    pub dialogue: bool,
    /// The height that the inspector of the selection would like, in points.
    pub inspector: Option<f32>,
    /// The size of the map for the minimap.
    pub minimap: Option<MapSize>,
}

/// Where every panel is, in points; a panel with an empty rectangle is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Layout {
    pub window: Rect,
    /// How far each team is on its way to the goal, across the top.
    pub race: Rect,
    /// The part that no panel covers: the world is fitted into it.
    pub world: Rect,
    /// The headline.
    pub now: Rect,
    /// The teams, and which one leads.
    pub scoreboard: Rect,
    pub feed: Rect,
    pub inspector: Rect,
    pub minimap: Rect,
    pub charts: Rect,
    pub dialogue: Rect,
    pub transport: Rect,
    /// Notices and oddities, over the world's lower edge.
    pub status: Rect,
    pub help: Rect,
    /// The closing screen, over everything.
    pub closing: Rect,
    /// The start screen, over everything.
    pub start: Rect,
}

impl Layout {
    /// Where the picture of the minimap is, within its frame; empty if it isn't shown.
    pub fn minimap_picture(&self) -> Rect {
        if self.minimap.is_empty() { self.minimap } else { self.minimap.inset(gap::BODY) }
    }

    /// Where the world is drawn: a rectangle that covers the window and has the same middle as the part that no panel
    /// covers.
    pub fn scenery(&self) -> Rect {
        let middle = self.world.centre();
        let reach = |middle: f32, side: f32| 2.0 * middle.max(side - middle);
        Rect::around(middle, reach(middle.x, self.window.w), reach(middle.y, self.window.h))
    }

    /// The part of the window behind the closing screen: all but the timeline, which leads back into the match.
    pub fn behind_closing(&self) -> Rect {
        let bottom = if self.transport.is_empty() { self.window.h } else { self.transport.y };
        Rect::new(0.0, self.race.bottom(), self.window.w, (bottom - self.race.bottom()).max(0.0))
    }
}

/// The whole window, in points; a size that makes no sense is corrected.
pub fn window(width: f32, height: f32) -> Rect {
    let size = |side: f32| if side.is_finite() { side.clamp(0.0, 65_536.0) } else { 0.0 };
    Rect::new(0.0, 0.0, size(width), size(height))
}

/// The part of the window above the bar of time.
pub fn above(window: Rect, transport: Rect) -> Rect {
    let bottom = if transport.is_empty() { window.h } else { transport.y - MARGIN };
    Rect::new(0.0, 0.0, window.w, bottom.max(0.0))
}

/// The place of the status line, over the world's lower edge; empty without anything to say.
pub fn status_place(world: Rect, transport: Rect, says: Status<'_>) -> Rect {
    if !status::wanted(says) || world.w < 120.0 || world.h < 80.0 {
        return Rect::default();
    }
    let bottom = if transport.is_empty() { world.bottom() } else { world.bottom().min(transport.y) };
    let width = (world.w - 2.0 * MARGIN).min(560.0);
    Rect::new(world.centre().x - width / 2.0, bottom - MARGIN - status::HEIGHT, width, status::HEIGHT)
}

/// The place of an overlay in the middle of the window: of the wanted width and height, or as large as the window
/// allows.
pub fn centred(window: Rect, (width, height): (f32, f32)) -> Rect {
    let room = window.inset(if window.w < 900.0 { gap::SMALL } else { 2.0 * MARGIN });
    Rect::around(window.centre(), width.min(room.w), height.min(room.h))
}

/// Where every panel is in a window of that size, in points: the race at the top, and all others below it.
pub fn layout(width: f32, height: f32, wants: &Wants<'_>) -> Layout {
    let all = window(width, height);
    let high = if wants.nothing { 0.0 } else { race::height((all.w, all.h), wants.racers) };
    let mut found = beneath(window(all.w, all.h - high), wants);
    (found.window, found.race) = (all, all.cut_top(high).0);
    if wants.help {
        found.help = centred(all, help::SIZE);
    }
    for rect in [
        &mut found.world,
        &mut found.now,
        &mut found.scoreboard,
        &mut found.feed,
        &mut found.inspector,
        &mut found.minimap,
        &mut found.charts,
        &mut found.dialogue,
        &mut found.transport,
        &mut found.status,
        &mut found.closing,
    ] {
        rect.y += high;
    }
    found
}

/// Where the other panels are in the window without the race.
fn beneath(window: Rect, wants: &Wants<'_>) -> Layout {
    let mut all = Layout { window, world: window, ..Layout::default() };
    if wants.nothing {
        all.start = centred(window, start::SIZE);
        return all;
    }
    if !wants.film && window.w >= 40.0 && window.h >= 120.0 {
        // The bar of time along the lower edge; a small one if all panels are hidden.
        all.transport = if wants.status.bare {
            let width = transport::TINY.0.min(window.w - 2.0 * M).max(0.0);
            let at = Point::new(window.centre().x, window.bottom() - M - transport::TINY.1 / 2.0);
            Rect::around(at, width, transport::TINY.1)
        } else {
            window.cut_bottom(transport::HEIGHT).0
        };
    }
    if let Some(size) = wants.closing {
        all.closing = centred(all.behind_closing(), size);
    }
    if wants.status.bare {
        all.status = status_place(window, all.transport, wants.status);
        return all;
    }
    let mut free = above(window, all.transport);
    let between = window.w >= NOW_BETWEEN_FROM;
    if !between && window.h > 300.0 {
        all.now = Rect::new(M, M, (window.w - 2.0 * M).max(0.0), NOW_HEIGHT);
        free = Rect::new(free.x, all.now.bottom(), free.w, (free.h - all.now.bottom()).max(0.0));
    }
    if UPRIGHT_WIDTHS.contains(&window.w) && free.h > UPRIGHT_RATIO * free.w {
        upright(&mut all, free, wants);
    } else if window.w >= COLUMNS_FROM.0 && window.h >= COLUMNS_FROM.1 {
        columns(&mut all, free, wants);
    } else {
        all.world = free;
    }
    if between {
        // The headline between the columns, at the top, no wider than is good to read.
        let width = (all.world.w - 2.0 * M).clamp(0.0, 760.0);
        all.now = Rect::new(all.world.centre().x - width / 2.0, all.world.y + M, width, NOW_HEIGHT);
        all.world = all.world.cut_top(M + NOW_HEIGHT).1;
    }
    all.status = status_place(all.world, all.transport, wants.status);
    all.world = all.world.inset(gap::BODY);
    all
}

/// Places panels in columns. Left: scoreboard and feed. Right: inspector and minimap. Between or below: charts and
/// dialogue.
fn columns(all: &mut Layout, mut free: Rect, wants: &Wants<'_>) {
    let (left, right) = widths(free.w);
    let wants_left = wants.scoreboard.is_some() || wants.feed;
    let wants_right = wants.inspector.is_some() || wants.minimap.is_some();
    // A narrow window has one column: the right one if something is selected, else the left one.
    let narrow = free.w < BOTH_COLUMNS_FROM;
    let left = if wants_left && !(narrow && wants.inspector.is_some()) { left } else { 0.0 };
    let right = if wants_right && !(narrow && wants.inspector.is_none()) { right } else { 0.0 };
    let middle = |free: Rect| {
        let from = free.x + if left > 0.0 { left + M } else { 0.0 };
        let to = free.right() - if right > 0.0 { right + M } else { 0.0 };
        Rect::new(from, free.y, (to - from).max(0.0), free.h)
    };
    let between = middle(free).w - 2.0 * M >= STRIP_BETWEEN_FROM;
    let usual = if between { STRIP_HEIGHTS.0 } else { STRIP_HEIGHTS.1 }.max(free.h * 0.28);
    let has_strip = (wants.charts || wants.dialogue) && free.h >= STRIP_FROM;
    let strip = if has_strip { usual.min(free.h * 0.55).min(360.0) } else { 0.0 };
    if strip > 0.0 {
        let place = if between { middle(free) } else { free };
        let place = Rect::new(place.x + M, free.bottom() - strip, (place.w - 2.0 * M).max(0.0), strip);
        share_strip(all, place, wants);
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
    if left > 0.0 {
        left_column(all, column(free.x + M, left), wants);
    }
    if right > 0.0 {
        right_column(all, column(free.right() - M - right, right), wants);
    }
    if all.inspector.is_empty() && all.minimap.is_empty() && right > 0.0 {
        all.world.w += right + M;
    }
}

/// Stacks panels. Above: the scoreboard. Below: the inspector if something is selected, else charts or the dialogue.
/// The world is between them.
fn upright(all: &mut Layout, free: Rect, wants: &Wants<'_>) {
    let inner = Rect::new(free.x + M, free.y + M, free.w - 2.0 * M, free.h - M);
    let most = free.h * UPRIGHT_SHARES.1;
    let (mut top, mut bottom) = (free.y, free.bottom());
    if let Some(board) = wants.scoreboard {
        let room = free.h * UPRIGHT_SHARES.0;
        all.scoreboard = Rect { h: board(room).0.min(room), ..inner };
        top = all.scoreboard.bottom();
    }
    if let Some(height) = wants.inspector.map(|want| want.min(most)) {
        all.inspector = Rect::new(inner.x, bottom - height, inner.w, height);
        bottom -= height + M;
    } else if wants.charts || wants.dialogue {
        let height = STRIP_HEIGHTS.0.min(most);
        share_strip(all, Rect::new(inner.x, bottom - height, inner.w, height), wants);
        bottom -= height + M;
    }
    all.world = Rect::new(free.x, top, free.w, (bottom - top).max(0.0));
}

/// Widths of the left and the right column in a window of that width.
fn widths(window: f32) -> (f32, f32) {
    match window {
        w if w < 500.0 => (176.0, 204.0),
        w if w < 700.0 => (196.0, 204.0),
        w if w < 900.0 => (224.0, 244.0),
        w if w < 1200.0 => (248.0, 264.0),
        w if w < 1600.0 => (280.0, 292.0),
        w if w < 2200.0 => (316.0, 324.0),
        _ => (348.0, 360.0),
    }
}

fn left_column(all: &mut Layout, column: Rect, wants: &Wants<'_>) {
    let mut rest = column;
    if let Some(board) = wants.scoreboard {
        // The scoreboard leaves the feed the most room of these that still lets it show all teams' bars.
        let rooms = [GOOD_FEED, MIN_FEED * 1.5, MIN_FEED * 1.2].map(|room| room + M);
        let mut fitting = rooms.into_iter().filter(|room| wants.feed && column.h > 2.2 * (room - M));
        let last = fitting.clone().next_back().unwrap_or(0.0);
        let feed_room = fitting.find(|room| board(column.h - room).1).unwrap_or(last);
        let height = board(column.h - feed_room).0.min(column.h);
        all.scoreboard = Rect::new(column.x, column.y, column.w, height);
        let below = (column.h - height - M).max(0.0);
        rest = Rect::new(column.x, column.bottom() - below, column.w, below);
    }
    if wants.feed && rest.h >= MIN_FEED {
        let height = rest.h.min(MAX_FEED);
        all.feed = Rect::new(rest.x, rest.bottom() - height, rest.w, height);
    }
}

fn right_column(all: &mut Layout, column: Rect, wants: &Wants<'_>) {
    let mut rest = column;
    let inner = column.w - 2.0 * gap::BODY;
    let map = wants.minimap.map_or(0.0, |size| {
        // In the map's own proportions, but neither very high nor very low.
        let height = inner * f32::from(size.height()) / f32::from(size.width());
        height.min(inner * 0.62).max(60.0) + 2.0 * gap::BODY
    });
    // Below an inspector the map is only there to find one's way, so it may be small.
    let map = if wants.inspector.is_some() { map.min((column.h * 0.21).max(110.0)) } else { map };
    if let Some(want) = wants.inspector {
        let want = want.min(column.h);
        let room = if wants.minimap.is_some() { column.h - map - M } else { column.h };
        // If there is no room for both, the inspector keeps its height and the map is left out.
        let height = if room >= want.min(MIN_INSPECTOR) { want.min(room) } else { want };
        all.inspector = Rect::new(column.x, column.y, column.w, height);
        let below = (column.h - height - M).max(0.0);
        rest = Rect::new(column.x, column.bottom() - below, column.w, below);
    }
    if wants.minimap.is_some() && rest.h >= map - 0.5 && map > 0.0 {
        all.minimap = Rect::new(rest.x, rest.bottom() - map.min(rest.h), rest.w, map.min(rest.h));
    }
}

/// Places charts and dialogue side by side in the strip; if there is no room for both, the dialogue alone.
fn share_strip(all: &mut Layout, place: Rect, wants: &Wants<'_>) {
    match (wants.charts, wants.dialogue) {
        (true, true) if place.w >= 2.0 * MIN_STRIP_WIDTH + M => {
            let half = (place.w - M) / 2.0;
            all.charts = Rect::new(place.x, place.y, half, place.h);
            all.dialogue = Rect::new(place.x + half + M, place.y, half, place.h);
        }
        (_, true) => all.dialogue = place,
        (true, false) => all.charts = place,
        (false, false) => {}
    }
}
