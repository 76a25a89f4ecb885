//! Everything around the world of conquest, as ink.
//!
//! Must never keep anything between frames, and never change anything: what can be clicked comes back as [`Hits`]. Tested
//! in `tests/conquest/`.

mod charts;
mod closing;
mod dialogue;
pub mod feed;
mod help;
mod inspector;
pub mod scoreboard;
mod time;

use super::draw;
use super::view::{Choice, Panel, Shown};
use zappy_observer::app::origin::Origin;
use zappy_observer::ink::{Canvas, Rect};
use zappy_observer::panels::layout::{self, Layout, Wants};
use zappy_observer::panels::start::{self, Start};
use zappy_observer::panels::{kit, status};

/// What the panels draw with.
pub type Ui<'a> = kit::Ui<'a, Choice>;
/// What of the panels can be clicked.
pub type Hits = zappy_observer::panels::Hits<Choice>;

const ABOUT: &str = "Factions take the land of a world without edges turn by turn: they build units, conquer, fight and \
                     lay bombs, and are out when their base falls. Here you watch them.";

fn is_nothing_to_show(shown: &Shown<'_>) -> bool {
    *shown.origin == Origin::Nothing || shown.mirror().size.is_none()
}

/// Where every panel is in a window of that size, in points.
pub fn layout(width: f32, height: f32, shown: &Shown<'_>) -> Layout {
    let shows = |panel| shown.view.shows(panel);
    let board = |room: f32| scoreboard::DENSITY.height(shown.mirror().factions.len(), room);
    let wants = Wants {
        nothing: is_nothing_to_show(shown),
        help: shows(Panel::Help),
        closing: (shows(Panel::Closing) && shown.is_over()).then(|| closing::size(shown)),
        area: false,
        film: shown.view.film.is_some(),
        still: shown.time.still,
        status: shown.status(),
        scoreboard: shows(Panel::Scoreboard).then_some(&board),
        feed: shows(Panel::Feed),
        charts: shows(Panel::Charts),
        dialogue: shows(Panel::Dialogue),
        inspector: shown.view.selection.map(|_| inspector::height(shown)).filter(|_| !shown.view.bare),
        minimap: shown.mirror().size.filter(|_| shows(Panel::Minimap)),
    };
    layout::layout(width, height, &wants)
}

/// Draws all panels that have a place. Gives what can be clicked, dragged and scrolled.
pub fn draw(canvas: &mut Canvas, layout: &Layout, shown: &Shown<'_>) -> Hits {
    let beside = |ui: &mut Ui<'_>| {
        if !layout.minimap.is_empty() {
            kit::panel(ui.canvas, ui.hits, layout.minimap);
            draw::minimap(ui.canvas, layout.minimap_picture(), shown, layout.world);
        }
        if !shown.view.bare && shown.view.film.is_none() && !is_nothing_to_show(shown) {
            kit::director(ui, layout.world, shown.director);
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
        (layout.transport, time::draw_transport),
        (layout.now, time::draw_now),
        (layout.status, |ui, rect, shown| status::draw(ui, rect, shown.status())),
        (layout.start, |ui, rect, shown| {
            let help = Choice::Toggle(Panel::Help).into();
            let (origin, status) = (shown.origin, shown.status());
            start::draw(ui, rect, &Start { about: ABOUT, origin, status, help });
        }),
    ]
}
