//! Everything around the world, as ink: which team leads, what happens, time, and what is selected.
//!
//! Each panel is a view-model, computed from [`Shown`] and tested by itself, and a drawing of it. Must never keep
//! anything between frames, and never change anything: what can be clicked comes back as [`Hits`]. Tested in
//! `tests.rs` and in the modules.

pub mod card;
pub mod charts;
mod closing;
mod dialogue;
pub mod facts;
pub mod feed;
mod help;
pub mod inspector;
mod lead;
mod moments;
pub mod needs;
pub mod now;
pub mod scoreboard;
mod stand;
pub mod track;
pub mod words;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use stand::free;
pub use zappy_observer::panels::layout::Layout;

use crate::action::{Choice, Panel};
use crate::shown::Shown;
use crate::view::inspected;
use zappy_observer::app::action::Direction;
use zappy_observer::app::origin::Origin;
use zappy_observer::ink::{Canvas, Rect};
use zappy_observer::panels::kit::{self, number};
use zappy_observer::panels::layout::{self, Wants};
use zappy_observer::panels::start::{self, Start};
use zappy_observer::panels::status;
use zappy_observer::panels::transport::{self, Bar};

/// What the panels draw with.
pub type Ui<'a> = kit::Ui<'a, Choice>;
/// What of the panels can be clicked.
pub type Hits = zappy_observer::panels::Hits<Choice>;

const ABOUT: &str = "Teams of programs search a world without edges for food and stones, rise level by level in common \
                     incantations, and win with six players at level 8. Here you watch them.";

/// Whether there is no match to show yet.
pub fn is_nothing_to_show(shown: &Shown<'_>) -> bool {
    *shown.origin == Origin::Nothing || shown.state.mirror().size.is_none()
}

/// Where every panel is in a window of that size, in points.
pub fn layout(width: f32, height: f32, shown: &Shown<'_>) -> Layout {
    let shows = |panel| shown.view.shows(panel);
    let board = |room: f32| scoreboard::DENSITY.height(shown.roster.teams().len(), room);
    let wants = Wants {
        nothing: is_nothing_to_show(shown),
        help: shows(Panel::Help),
        closing: (shows(Panel::Closing) && shown.is_over()).then(|| closing::size(shown)),
        area: shown.roster.teams().len() > 1,
        film: shown.view.film.is_some(),
        still: shown.time.still,
        status: shown.status(),
        scoreboard: shows(Panel::Scoreboard).then_some(&board),
        feed: shows(Panel::Feed),
        charts: shows(Panel::Charts),
        dialogue: shows(Panel::Dialogue),
        inspector: inspected(shown.view).map(|_| inspector::height(shown)),
        minimap: shown.state.mirror().size.filter(|_| shows(Panel::Minimap)),
    };
    layout::layout(width, height, &wants)
}

/// What lies over the part of the world that the panels leave free.
pub fn covered(layout: &Layout, shown: &Shown<'_>) -> Vec<Rect> {
    let mut found: Vec<Rect> = vec![layout.status];
    if !shown.view.bare {
        found.extend(stand::standing(layout, shown).1.covers());
        if shown.view.film.is_none() {
            found.extend(kit::director_place(layout.world));
        }
    }
    found.retain(|rect| !rect.is_empty());
    found
}

/// Draws all panels that have a place. Gives what can be clicked, dragged and scrolled.
pub fn draw(canvas: &mut Canvas, layout: &Layout, shown: &Shown<'_>) -> Hits {
    let beside = |ui: &mut Ui<'_>| {
        if !layout.minimap.is_empty() {
            kit::panel(ui.canvas, ui.hits, layout.minimap);
            crate::draw::minimap(ui.canvas, layout.minimap_picture(), shown, layout.world);
        }
        if !shown.view.bare {
            card::draw(ui, layout, shown);
            if shown.view.film.is_none() && !is_nothing_to_show(shown) {
                kit::director(ui, layout.world, shown.director);
            }
        }
        for (rect, draw) in standing(layout).into_iter().filter(|(rect, _)| !rect.is_empty()) {
            draw(ui, rect, shown);
        }
    };
    let closing = |ui: &mut Ui<'_>| closing::draw(ui, layout.closing, layout.behind_closing(), shown);
    let help = |ui: &mut Ui<'_>| help::draw(ui, layout.help, layout.window);
    zappy_observer::panels::draw(canvas, layout, shown.view.pointer.at, beside, (closing, help))
}

type Draw = fn(&mut Ui<'_>, Rect, &Shown<'_>);

/// Panels that stand beside one another.
fn standing(layout: &Layout) -> [(Rect, Draw); 9] {
    [
        (layout.scoreboard, scoreboard::draw),
        (layout.feed, feed::draw),
        (layout.inspector, inspector::draw),
        (layout.charts, charts::draw),
        (layout.dialogue, dialogue::draw),
        (layout.transport, draw_transport),
        (layout.now, now::draw),
        (layout.status, |ui, rect, shown| status::draw(ui, rect, shown.status())),
        (layout.start, |ui, rect, shown| {
            let help = Choice::Toggle(Panel::Help).into();
            let (origin, status) = (shown.origin, shown.status());
            // This screen is there for servers that have named no game, or not yet.
            let about = if matches!(origin, Origin::Live { .. }) { start::ANY_GAME } else { ABOUT };
            start::draw(ui, rect, &Start { about, origin, status, help });
        }),
    ]
}

fn draw_transport(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let bar = Bar {
        time: &shown.time,
        range: shown.span(),
        last: (!shown.view.own.unspoiled).then_some(shown.last),
        origin: shown.origin,
        ended: shown.chronicle.finish.as_ref().is_some_and(|finish| finish.tick <= shown.known_until()),
        next: Choice::KeyMoment(Direction::Next).into(),
        name: &number,
        step: transport::TICK,
        asks: true,
        hidden: shown.view.bare.then(|| Choice::ToggleAll.into()),
    };
    transport::draw(ui, rect, &bar, &track::MatchMarks(shown));
}
