//! What each choice changes.
//!
//! One arm or function per choice; none of them draws. Tested in `tests/app.rs`.

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::{TeamIndex, What};
use zappy_protocol::{MapSize, Position, Tick};

use super::{App, session};
use crate::app::action::{Choice, Panel, Selection};
use crate::panels::{feed, scoreboard};
use crate::pick;
use crate::screen;
use crate::timeline::chronicle::Noted;
use zappy_observer::app::action::Direction;
use zappy_observer::app::playback::NORMAL_SPEED;
use zappy_observer::app::share;
use zappy_observer::app::watching::Watched as _;
use zappy_observer::camera::wrapped;
use zappy_observer::panels::feed::moved;

/// Seconds before a moment at which its replay begins: as long as an incantation, and a little more.
const REPLAY_LEAD: f64 = 4.0;

/// Carries a choice out.
pub fn perform(app: &mut App, choice: Choice) {
    app.watch.director &= !choice.takes_camera();
    match choice {
        Choice::ToggleDirector => {
            app.watch.director = !app.watch.director;
            app.view.follow = false;
        }
        Choice::Replay(tick) => replay(app, tick),
        Choice::ToggleUnspoiled => app.view.unspoiled = !app.view.unspoiled,
        Choice::Share => {
            let closer =
                share::closer(app.view.camera, app.layout.world, app.watch.session.fold().mirror().size);
            let selected = app.view.inspected().map(screen::named);
            let moment = share::moment(&app.watch, selected.as_deref(), closer);
            app.watch.copy(moment);
        }
        Choice::KeyMoment(direction) => key_moment(app, direction),
        Choice::Refusal(direction) => refusal(app, direction),
        Choice::Select(selection) => select(app, Some(selection)),
        Choice::SelectAt(point) => {
            let found = pick::at(app.layout.scenery(), &app.shown(), point);
            select_of(app, &found);
        }
        Choice::SelectNextHere => {
            let here = place_of(app, app.view.selection);
            let found = here.map(|at| pick::on_tile(app.watch.session.fold(), at)).unwrap_or_default();
            select_of(app, &found);
        }
        Choice::SelectPlayer(direction) => select_player(app, direction),
        Choice::MoveCursor(dx, dy) => move_cursor(app, (dx, dy)),
        Choice::Escape => escape(app),
        Choice::TogglePin => {
            app.view.pinned = if app.view.pinned.is_some() { None } else { app.view.selection };
        }
        Choice::ToggleFollow => app.view.follow = !app.view.follow && app.view.selected_player().is_some(),
        Choice::ToggleCone => app.view.cone = !app.view.cone,
        Choice::ToggleTrail => app.view.trail = !app.view.trail,
        Choice::ToggleWords => app.view.words = !app.view.words,
        Choice::ToggleNotes => {
            app.view.notes = !app.view.notes;
            if app.watch.session.notes().players().next().is_none() {
                app.watch.say("no bot noted anything in this match");
            }
        }
        Choice::Zoom(factor, about) => {
            let world = app.layout.scenery();
            let middle = about.filter(|_| !app.view.follow).unwrap_or_else(|| world.centre());
            if let Some(size) = app.watch.session.fold().mirror().size {
                app.view.camera.zoom_on(world, size, factor, middle);
            }
        }
        Choice::Pan(by) => {
            app.view.follow = false;
            app.view.camera.pan(by);
        }
        Choice::Fit => {
            app.view.follow = false;
            if let Some(size) = app.watch.session.fold().mirror().size {
                let world = app.layout.world;
                app.view.camera.fit(world, size);
                app.view.laid = Some(app.view.camera);
            }
        }
        Choice::ToggleHeard => (app.view.heard, app.view.dialogue_at) = (!app.view.heard, 0),
        Choice::Toggle(panel) => toggle(app, panel),
        Choice::ToggleAll => app.view.bare = !app.view.bare,
        Choice::ToggleTopic(topic) => {
            if !app.view.filter.topics.remove(&topic) {
                app.view.filter.topics.insert(topic);
            }
            app.view.feed_at = None;
        }
        Choice::FilterTeam(team) => (app.view.filter.team, app.view.feed_at) = (team, None),
        Choice::CycleTeam => cycle_team(app),
        Choice::FilterSelected => {
            let selected = app.view.selected_player();
            let same = app.view.filter.player == selected;
            (app.view.filter.player, app.view.feed_at) = (selected.filter(|_| !same), None);
        }
        Choice::BoardMove(rows) => move_board(app, rows),
        Choice::ThereMove(lines) => move_there(app, lines),
        Choice::FeedMove(entries) => {
            let next = moved(app.view.feed_at, entries);
            if next.is_none_or(|next| feed::entry(&app.shown(), next).is_some()) {
                app.view.feed_at = next;
            }
        }
        Choice::FeedOpen => {
            if let Some((tick, at)) = feed::entry(&app.shown(), app.view.feed_at.unwrap_or(0)) {
                visit(app, tick, at);
                app.view.feed_at = None;
            }
        }
        Choice::Visit(tick, at) => {
            visit(app, tick, at);
            app.view.feed_at = None;
        }
        Choice::DialogueMove(lines) => {
            app.view.dialogue_at = moved(Some(app.view.dialogue_at), lines).unwrap_or(0);
        }
    }
}

/// Moves through those who are on the inspected tile.
fn move_there(app: &mut App, lines: i32) {
    let on_tile = |at| pick::on_tile(app.watch.session.fold(), at).len();
    let last = place_of(app, app.view.inspected()).map_or(0, on_tile);
    app.view.there_at = moved(Some(app.view.there_at.min(last)), lines).unwrap_or(0).min(last);
}

/// Moves through the scoreboard, no further than there are teams without a row.
fn move_board(app: &mut App, rows: i32) {
    let teams = app.watch.session.overview().roster.teams().len();
    let last = scoreboard::hidden(teams, app.layout.scoreboard.h);
    app.view.board_at = moved(Some(app.view.board_at.min(last)), rows).unwrap_or(0).min(last);
}

/// Only the next team's events; its row is seen wherever it ranks.
fn cycle_team(app: &mut App) {
    let teams = app.watch.session.overview().roster.teams().len();
    let next = app.view.filter.team.map_or(0, |team| team.0 + 1);
    (app.view.filter.team, app.view.feed_at) = (Some(TeamIndex(next)).filter(|team| team.0 < teams), None);
    let rank = app.view.filter.team.and_then(|team| scoreboard::rank(&app.shown(), team));
    app.view.board_at = rank.unwrap_or(0);
}

/// What the timeline marks as turning points.
fn is_key(noted: &&Noted) -> bool {
    matches!(noted.happening.what, What::IncantationEnded { .. } | What::Gone { .. } | What::Won(_))
}

fn key_moment(app: &mut App, direction: Direction) {
    let entries = &app.watch.session.overview().chronicle.entries;
    let here = app.watch.time.whole_tick();
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
        None => app.watch.say(&format!(
            "no key moment {}",
            if direction == Direction::Next { "after this" } else { "before this" }
        )),
    }
}

fn refusal(app: &mut App, direction: Direction) {
    let Some(player) = app.inspected_player() else {
        app.watch.say("select a player first");
        return;
    };
    let tick = app.watch.time.whole_tick();
    match session::refusal(&mut app.watch.session, player, tick, direction) {
        Some(tick) => {
            app.watch.stop_at(tick);
            app.view.panels.insert(Panel::Dialogue);
            (app.view.dialogue_at, app.view.bare) = (0, false);
        }
        None if app.watch.session.is_live() => {
            app.watch.say("a server tells no observer of refusals; the record does");
        }
        None => app.watch.say(&format!("no refusal of {player} in that direction")),
    }
}

/// A moment can be watched best when it stands still and its place is on the window.
fn visit(app: &mut App, tick: Tick, at: Option<Position>) {
    app.watch.stop_at(tick);
    if let Some(at) = at {
        look_at(app, at);
        if app.view.selected_player().is_none() {
            app.view.selection = Some(Selection::Tile(at));
        }
    }
}

/// From so long before a moment that it is understood, and no faster than it can be followed.
fn replay(app: &mut App, tick: Tick) {
    let before = (REPLAY_LEAD * app.watch.reach().rate) as Tick;
    app.watch.seek(tick.saturating_sub(before) as f64);
    (app.watch.time.playing, app.watch.time.speed) = (true, NORMAL_SPEED);
    (app.watch.director, app.view.follow, app.view.bare) = (true, false, false);
    app.view.panels.remove(&Panel::Closing);
}

fn look_at(app: &mut App, at: Position) {
    app.view.follow = false;
    if let Some(size) = app.watch.session.fold().mirror().size {
        let world = app.layout.world;
        app.view.camera.visit(world, size, at);
    }
}

fn select(app: &mut App, selection: Option<Selection>) {
    if selection != app.view.selection {
        (app.view.dialogue_at, app.view.there_at) = (0, 0);
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
    let players = &app.watch.session.fold().mirror().players;
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
    let mirror = app.watch.session.fold().mirror();
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
    let (Some(at), Some(size)) = (place_of(app, app.view.selection), app.watch.session.fold().mirror().size)
    else {
        return;
    };
    let world = app.layout.world;
    app.view.camera.bring_in(world, size, at);
}

fn move_cursor(app: &mut App, by: (i32, i32)) {
    let Some(size) = app.watch.session.fold().mirror().size else { return };
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
    if panel == Panel::Closing && app.watch.session.overview().chronicle.finish.is_none() {
        app.watch.say("the match isn't over, as far as is known");
        return;
    }
    let end = app.watch.session.overview().chronicle.finish.as_ref().map_or(0, |ending| ending.tick);
    if panel == Panel::Closing && app.watch.time.tick < end as f64 {
        // It is told at the end alone, so one goes there to see it.
        app.watch.stop_at(end);
        app.view.panels.remove(&panel);
    }
    if !app.view.panels.remove(&panel) {
        app.view.panels.insert(panel);
        app.view.bare = false;
    }
}
