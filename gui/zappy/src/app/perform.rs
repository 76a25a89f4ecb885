//! What each of Zappy's own choices changes.
//!
//! None of them draws. Tested in `tests/app.rs`.

use zappy_protocol::zappy::story::{TeamIndex, What};

use super::{App, inspected_player};
use crate::action::{Panel, ZappyChoice};
use crate::panels::scoreboard;
use crate::timeline::chronicle::ChronicleEntry;
use crate::timeline::refusal;
use crate::{pick, view};
use zappy_observer::app::action::Direction;
use zappy_observer::map_screen::Destination;
use zappy_observer::panels::feed::moved;

pub fn perform(app: &mut App, choice: ZappyChoice) {
    match choice {
        ZappyChoice::Refusal(direction) => to_refusal(app, direction),
        ZappyChoice::SelectNextHere => {
            let here = app.place_of(app.view.selection);
            let found = here.map(|at| pick::on_tile(app.watch.session.fold(), at)).unwrap_or_default();
            app.select_of(&found);
        }
        ZappyChoice::TogglePin => {
            let pinned = app.view.own.pinned.take();
            app.view.own.pinned = if pinned.is_some() { None } else { app.view.selection };
        }
        ZappyChoice::ToggleUnspoiled => app.view.own.unspoiled = !app.view.own.unspoiled,
        ZappyChoice::ToggleCone => app.view.own.cone = !app.view.own.cone,
        ZappyChoice::ToggleTrail => app.view.own.trail = !app.view.own.trail,
        ZappyChoice::ToggleWords => app.view.own.words = !app.view.own.words,
        ZappyChoice::ToggleHeard => {
            (app.view.own.heard, app.view.dialogue_at) = (!app.view.own.heard, 0);
        }
        ZappyChoice::ToggleTopic(topic) => app.view.filter(|own| {
            if !own.filter.topics.remove(&topic) {
                own.filter.topics.insert(topic);
            }
        }),
        ZappyChoice::FilterTeam(team) => app.view.filter(|own| own.filter.team = team),
        ZappyChoice::CycleTeam => {
            let teams = app.watch.session.overview().roster.teams().len();
            let next = app.view.own.filter.team.map_or(0, |team| team.0 + 1);
            let next = Some(TeamIndex(next)).filter(|team| team.0 < teams);
            app.view.filter(|own| own.filter.team = next);
            // Its row is seen wherever it ranks.
            app.view.board_at = next.and_then(|team| scoreboard::rank(&app.shown(), team)).unwrap_or(0);
        }
        ZappyChoice::FilterSelected => {
            let selected = view::selected_player(&app.view);
            app.view.filter(|own| {
                let same = own.filter.player == selected;
                own.filter.player = selected.filter(|_| !same);
            });
        }
        ZappyChoice::ThereMove(lines) => {
            let on_tile = |at| pick::on_tile(app.watch.session.fold(), at).len();
            let last = app.place_of(view::inspected(&app.view)).map_or(0, on_tile);
            let there_at = &mut app.view.own.there_at;
            *there_at = moved(Some((*there_at).min(last)), lines).unwrap_or(0).min(last);
        }
    }
}

pub fn key_moment(app: &App, direction: Direction) -> Option<Destination> {
    let entries = &app.watch.session.overview().chronicle.entries;
    // What the timeline marks as turning points.
    let is_key = |noted: &&ChronicleEntry| {
        matches!(noted.happening.what, What::IncantationEnded { .. } | What::Gone { .. } | What::Won(_))
    };
    let key = entries.iter().filter(is_key);
    let found = direction.from(app.watch.time.whole_tick(), key, |noted| noted.happening.tick);
    found.map(|noted| (noted.happening.tick, noted.happening.at))
}

/// To the next tick at which the player was refused something, or to the one before; a live server doesn't tell.
fn to_refusal(app: &mut App, direction: Direction) {
    let Some(player) = inspected_player(app) else {
        app.watch.screen.say("select a player first");
        return;
    };
    let tick = app.watch.time.whole_tick();
    let session = &mut app.watch.session;
    let found = session.record_archive().map(|archive| match direction {
        Direction::Next => refusal::next(archive, player, tick),
        Direction::Previous => refusal::previous(archive, player, tick),
    });
    let found = found.unwrap_or(Ok(None)).unwrap_or_else(|error| {
        session.complain(format!("can't look for refusals: {error}"));
        None
    });
    match found {
        Some(tick) => {
            app.watch.stop_at(tick);
            app.view.panels.insert(Panel::Dialogue);
            (app.view.dialogue_at, app.view.bare) = (0, false);
        }
        None if app.watch.session.is_live() => {
            app.watch.screen.say("a server tells no observer of refusals; the record does");
        }
        None => app.watch.screen.say(&format!("no refusal of {player} in that direction")),
    }
}
