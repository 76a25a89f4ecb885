//! What each action changes.
//!
//! One function per group of actions; none of them draws. Tested in `tests/app.rs`.

use std::path::PathBuf;

use zappy_protocol::DEFAULT_FREQUENCY;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::{MapSize, Position, Tick};

use super::App;
use super::action::{Action, Direction, Panel, Selection};
use super::session::Session;
use super::view::{NORMAL_SPEED, SPEEDS};
use crate::camera::wrapped;
use crate::panels::feed;
use crate::pick;
use crate::timeline::chronicle::Noted;
use crate::timeline::happening::What;
use crate::timeline::roster::TeamIndex;

/// The subject's port.
pub const USUAL_PORT: u16 = 4242;
/// Tiles that should be seen beside the place of an event, in points per tile.
const CLOSE_SCALE: f32 = 36.0;
/// Entries the feed can be moved through.
const FEED_LIMIT: usize = 5_000;
/// Steps of the text's size.
const UI_SCALES: [f32; 7] = [0.75, 0.875, 1.0, 1.25, 1.5, 1.75, 2.0];
/// Frequencies the server may be asked for by keys, in ticks per second.
const RATES: std::ops::RangeInclusive<u32> = 1..=100_000;

/// Carries an action out.
pub fn perform(app: &mut App, action: Action) {
    match action {
        Action::TogglePlay
        | Action::Faster
        | Action::Slower
        | Action::Speed(_)
        | Action::Step(_)
        | Action::Seek(_)
        | Action::SeekStart
        | Action::SeekEnd
        | Action::KeyMoment(_)
        | Action::Refusal(_) => time(app, action),
        Action::Zoom(..) | Action::Pan(_) | Action::Fit => camera(app, action),
        Action::Select(selection) => select(app, Some(selection)),
        Action::SelectAt(point) => {
            let found = pick::at(app.scenery(), &app.shown(), point);
            select_of(app, &found);
        }
        Action::SelectNextHere => {
            let here = place_of(app, app.view.selection);
            let found = here.map(|at| pick::on_tile(app.session.stage(), at)).unwrap_or_default();
            select_of(app, &found);
        }
        Action::SelectPlayer(direction) => select_player(app, direction),
        Action::MoveCursor(dx, dy) => move_cursor(app, (dx, dy)),
        Action::Escape => escape(app),
        Action::TogglePin => {
            app.view.pinned = if app.view.pinned.is_some() { None } else { app.view.selection };
        }
        Action::ToggleFollow => app.view.follow = !app.view.follow && app.view.selected_player().is_some(),
        Action::ToggleCone => app.view.cone = !app.view.cone,
        Action::ToggleTrail => app.view.trail = !app.view.trail,
        Action::ToggleWords => app.view.words = !app.view.words,
        Action::ToggleHeard => (app.view.heard, app.view.dialogue_at) = (!app.view.heard, 0),
        Action::Toggle(panel) => toggle(app, panel),
        Action::ToggleAll => app.view.bare = !app.view.bare,
        Action::ToggleKind(_)
        | Action::FilterTeam(_)
        | Action::CycleTeam
        | Action::FilterSelected
        | Action::FeedMove(_)
        | Action::FeedOpen
        | Action::Visit(..) => events(app, action),
        Action::DialogueMove(lines) => app.view.dialogue_at = moved(app.view.dialogue_at, lines, FEED_LIMIT),
        _ => outside(app, action),
    }
}

fn time(app: &mut App, action: Action) {
    match action {
        Action::TogglePlay => {
            let live = app.session.is_live();
            app.view.playing = !(app.view.playing && (app.view.at_now || app.pace > 0.0));
            app.view.at_now = false;
            let at_end = app.tick >= app.session.range().1 as f64;
            if app.view.playing && at_end && !live {
                app.seek(app.session.range().0 as f64);
            }
        }
        Action::Faster => app.view.speed = (app.view.speed + 1).min(SPEEDS.len() - 1),
        Action::Slower => app.view.speed = app.view.speed.saturating_sub(1),
        Action::Speed(step) => app.view.speed = step.min(SPEEDS.len() - 1),
        Action::Step(ticks) => {
            app.view.playing = false;
            app.seek(app.tick.floor() + ticks as f64);
        }
        Action::Seek(tick) => app.seek(tick as f64),
        Action::SeekStart => app.seek(app.session.range().0 as f64),
        Action::SeekEnd if app.session.is_live() => {
            (app.view.at_now, app.view.playing, app.view.speed) = (true, true, NORMAL_SPEED);
        }
        Action::SeekEnd => {
            app.view.playing = false;
            app.seek(app.session.range().1 as f64);
        }
        Action::KeyMoment(direction) => key_moment(app, direction),
        Action::Refusal(direction) => refusal(app, direction),
        _ => {}
    }
}

/// What the timeline marks as turning points.
fn is_key(noted: &&Noted) -> bool {
    matches!(noted.happening.what, What::RiteEnded { .. } | What::Died(..) | What::Won(_))
}

fn key_moment(app: &mut App, direction: Direction) {
    let entries = app.session.chronicle().entries();
    let here = app.whole_tick();
    let found = match direction {
        Direction::Next => {
            let first = entries.partition_point(|noted| noted.happening.tick <= here);
            entries.range(first..).find(is_key)
        }
        Direction::Previous => {
            let end = entries.partition_point(|noted| noted.happening.tick < here);
            entries.range(..end).rev().find(is_key)
        }
    };
    match found.map(|noted| (noted.happening.tick, noted.happening.at)) {
        Some((tick, at)) => visit(app, tick, at),
        None => app.say(&format!(
            "no key moment {}",
            if direction == Direction::Next { "after this" } else { "before this" }
        )),
    }
}

fn refusal(app: &mut App, direction: Direction) {
    let Some(player) = app.inspected_player() else {
        app.say("select a player first");
        return;
    };
    match app.session.refusal(player, app.whole_tick(), direction) {
        Some(tick) => {
            app.view.playing = false;
            app.seek(tick as f64);
            app.view.panels.insert(Panel::Dialogue);
            (app.view.dialogue_at, app.view.bare) = (0, false);
        }
        None if app.session.is_live() => app.say("a server tells nobody of refusals; the record does"),
        None => app.say(&format!("no refusal of {player} in that direction")),
    }
}

/// A moment can be watched best when it stands still and its place is on the window.
fn visit(app: &mut App, tick: Tick, at: Option<Position>) {
    app.view.playing = false;
    app.seek(tick as f64);
    if let Some(at) = at {
        look_at(app, at);
        if app.view.selected_player().is_none() {
            app.view.selection = Some(Selection::Tile(at));
        }
    }
}

fn look_at(app: &mut App, at: Position) {
    app.view.follow = false;
    if let Some(size) = app.session.stage().mirror().size {
        app.view.camera.look_at(size, at);
        app.view.camera.scale = app.view.camera.scale.max(CLOSE_SCALE.min(fit_scale(app)));
    }
}

/// Points per tile when all of a small map is shown; large maps are looked at closely.
fn fit_scale(app: &App) -> f32 {
    let size = app.session.stage().mirror().size;
    let world = app.layout.world;
    size.map_or(CLOSE_SCALE, |size| {
        let whole = (world.w / f32::from(size.width())).min(world.h / f32::from(size.height()));
        if whole < 12.0 { CLOSE_SCALE } else { whole }
    })
}

fn camera(app: &mut App, action: Action) {
    let world = app.scenery();
    match action {
        Action::Zoom(factor, about) => {
            let middle = about.filter(|_| !app.view.follow).unwrap_or_else(|| world.centre());
            if let Some(size) = app.session.stage().mirror().size {
                app.view.camera.zoom_on(world, size, factor, middle);
            }
        }
        Action::Pan(by) => {
            app.view.follow = false;
            app.view.camera.pan(by);
        }
        Action::Fit => {
            app.view.follow = false;
            if let Some(size) = app.session.stage().mirror().size {
                app.view.camera.fit(app.layout.world, size);
            }
        }
        _ => {}
    }
}

fn select(app: &mut App, selection: Option<Selection>) {
    if selection != app.view.selection {
        app.view.dialogue_at = 0;
        app.view.follow &= matches!(selection, Some(Selection::Player(_)));
    }
    app.view.selection = selection;
}

/// The first of these, or the one after the selection if that is among them.
fn select_of(app: &mut App, found: &[Selection]) {
    let known = found.iter().position(|one| Some(*one) == app.view.selection);
    let next = known.map_or(0, |place| (place + 1) % found.len());
    select(app, found.get(next).copied());
}

fn select_player(app: &mut App, direction: Direction) {
    let players = &app.session.stage().mirror().players;
    let all: Vec<PlayerId> = players.keys().copied().collect();
    if all.is_empty() {
        return;
    }
    let here = app.view.selected_player().unwrap_or(match direction {
        Direction::Next => PlayerId(u32::MAX),
        Direction::Previous => PlayerId(0),
    });
    let next = match direction {
        Direction::Next => all.iter().find(|&&player| player > here).unwrap_or(&all[0]),
        Direction::Previous => all.iter().rev().find(|&&player| player < here).unwrap_or(&all[all.len() - 1]),
    };
    let next = *next;
    select(app, Some(Selection::Player(next)));
    show_selection(app);
}

/// Where a selection is, at the tick shown.
pub fn place_of(app: &App, selection: Option<Selection>) -> Option<Position> {
    let mirror = app.session.stage().mirror();
    match selection? {
        Selection::Player(player) => mirror.players.get(&player).map(|known| known.at),
        Selection::Egg(egg) => mirror.eggs.get(&egg).map(|known| known.at),
        Selection::Tile(at) => mirror.size.filter(|size| size.contains(at)).map(|_| at),
    }
}

fn tile_in_the_middle(app: &App, size: MapSize) -> Position {
    wrapped(size, app.view.camera.x.floor() as i64, app.view.camera.y.floor() as i64)
}

/// Brings the selection onto the window if it isn't there.
fn show_selection(app: &mut App) {
    let (Some(at), Some(size)) = (place_of(app, app.view.selection), app.session.stage().mirror().size)
    else {
        return;
    };
    let (world, camera) = (app.layout.world, app.view.camera);
    let middle = tile_in_the_middle(app, size);
    let (dx, dy) = size.delta(middle, at);
    let far = |tiles: i32, side: f32| tiles.unsigned_abs() as f32 * camera.scale > side * 0.45;
    if far(dx, world.w) || far(dy, world.h) {
        app.view.camera.look_at(size, at);
    }
}

fn move_cursor(app: &mut App, by: (i32, i32)) {
    let Some(size) = app.session.stage().mirror().size else { return };
    let here = place_of(app, app.view.selection);
    let next = here.map_or_else(|| tile_in_the_middle(app, size), |at| size.offset(at, by));
    select(app, Some(Selection::Tile(next)));
    show_selection(app);
}

/// One thing at a time, the uppermost first.
fn escape(app: &mut App) {
    for panel in [Panel::Help, Panel::Closing, Panel::Dialogue, Panel::Charts] {
        if app.view.panels.remove(&panel) {
            return;
        }
    }
    if app.view.bare {
        app.view.bare = false;
    } else if app.view.selection.is_some() {
        select(app, None);
    } else {
        app.view.pinned = None;
    }
}

fn toggle(app: &mut App, panel: Panel) {
    if panel == Panel::Closing && app.session.chronicle().ending().is_none() {
        app.say("the match isn't over, as far as is known");
        return;
    }
    let end = app.session.chronicle().ending().map_or(0, |ending| ending.tick);
    if panel == Panel::Closing && app.tick < end as f64 {
        // It is told at the end alone, so one goes there to see it.
        app.view.playing = false;
        app.seek(end as f64);
        app.view.panels.remove(&panel);
    }
    if !app.view.panels.remove(&panel) {
        app.view.panels.insert(panel);
        app.view.bare = false;
    }
}

fn events(app: &mut App, action: Action) {
    match action {
        Action::ToggleKind(kind) => {
            if !app.view.filter.kinds.remove(&kind) {
                app.view.filter.kinds.insert(kind);
            }
            app.view.feed_at = None;
        }
        Action::FilterTeam(team) => (app.view.filter.team, app.view.feed_at) = (team, None),
        Action::CycleTeam => {
            let teams = app.session.roster().teams().len();
            let next = app.view.filter.team.map_or(0, |team| team.0 + 1);
            (app.view.filter.team, app.view.feed_at) =
                (Some(TeamIndex(next)).filter(|team| team.0 < teams), None);
        }
        Action::FilterSelected => {
            let selected = app.view.selected_player();
            let same = app.view.filter.player == selected;
            (app.view.filter.player, app.view.feed_at) = (selected.filter(|_| !same), None);
        }
        Action::FeedMove(entries) => {
            let next = match app.view.feed_at {
                None if entries > 0 => moved(0, entries - 1, FEED_LIMIT),
                None => return,
                Some(0) if entries < 0 => {
                    app.view.feed_at = None;
                    return;
                }
                Some(at) => moved(at, entries, FEED_LIMIT),
            };
            let there = feed::entry(&app.shown(), next).is_some();
            app.view.feed_at = if there { Some(next) } else { app.view.feed_at };
        }
        Action::FeedOpen => {
            let entry = feed::entry(&app.shown(), app.view.feed_at.unwrap_or(0));
            if let Some((tick, at)) = entry {
                visit(app, tick, at);
                app.view.feed_at = None;
            }
        }
        Action::Visit(tick, at) => {
            visit(app, tick, at);
            app.view.feed_at = None;
        }
        _ => {}
    }
}

fn moved(at: usize, by: i32, limit: usize) -> usize {
    at.saturating_add_signed(by as isize).min(limit)
}

fn outside(app: &mut App, action: Action) {
    match action {
        Action::ServerFaster(direction) => {
            let told = app.session.stage().mirror().rate;
            let rate = if told == 0 { DEFAULT_FREQUENCY } else { told };
            ask_rate(app, if direction == Direction::Next { rate.saturating_mul(2) } else { rate / 2 });
        }
        Action::Retry => app.session.retry(),
        Action::OpenSample => {
            if let Err(error) = open_sample(app) {
                app.say(&format!("can't unpack the sample record: {error}"));
            }
        }
        Action::ConnectHere => match Session::live("localhost", USUAL_PORT) {
            Ok(session) => app.watch(session),
            Err(error) => app.say(&format!("can't start to connect: {error}")),
        },
        Action::UiScale(direction) => {
            let here = UI_SCALES.iter().position(|&scale| scale >= app.view.ui_scale).unwrap_or(2);
            let next = here.saturating_add_signed(direction.sign() as isize).min(UI_SCALES.len() - 1);
            app.view.ui_scale = UI_SCALES[next];
        }
        Action::Screenshot => {
            app.wants_picture = Some(PathBuf::from(format!("zappy-{:06}.png", app.whole_tick())));
        }
        Action::Quit => app.quit = true,
        _ => {}
    }
}

fn ask_rate(app: &mut App, rate: u32) {
    if app.session.is_live() {
        app.session.ask_rate(rate.clamp(*RATES.start(), *RATES.end()));
    } else {
        app.say("a record has no server to ask; [ and ] change the speed");
    }
}

/// The sample is read like any other record, so it needs a file; once open, it needs no name.
fn open_sample(app: &mut App) -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("sample.zrec");
    std::fs::write(&path, app.sample)?;
    app.open(&path);
    Ok(())
}
