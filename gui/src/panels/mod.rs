//! Everything around the world, as ink: who leads, what happens, time, and what is selected.
//!
//! Each panel is a view-model, computed from [`Shown`] and tested by itself, and a drawing of it. Must never keep
//! anything between frames, and never change anything: what can be clicked comes back as [`Hits`]. Tested in
//! `tests.rs` and in the modules.

pub mod charts;
mod closing;
mod dialogue;
pub mod facts;
pub mod feed;
mod help;
mod hits;
pub mod inspector;
mod kit;
mod layout;
pub mod needs;
pub mod now;
pub mod scoreboard;
mod start;
mod status;
pub mod track;
mod transport;
pub mod words;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use hits::{Hits, Region, Scroll};
pub use layout::{Layout, layout};

use crate::app::shown::Shown;

use crate::ink::{Canvas, Point, Rect};
use crate::theme::gap;
use kit::Ui;

/// Draws all panels that have a place. Gives what can be clicked, dragged and scrolled.
pub fn draw(canvas: &mut Canvas, layout: &Layout, shown: &Shown<'_>) -> Hits {
    let mut hits = Hits::default();
    let overlaid = [layout.help, layout.closing].into_iter().any(|rect| !rect.is_empty());
    let mouse = shown.view.mouse;
    // What lies below an overlay is out of the mouse's reach.
    let mut ui = Ui { canvas, hits: &mut hits, mouse: mouse.filter(|_| !overlaid) };
    draw_floating(&mut ui, layout, shown);
    for (rect, draw) in standing(layout) {
        if !rect.is_empty() {
            draw(&mut ui, rect, shown);
        }
    }
    ui.mouse = mouse;
    if !layout.closing.is_empty() {
        let mouse_here = mouse.filter(|_| layout.help.is_empty());
        ui.mouse = mouse_here;
        closing::draw(&mut ui, layout.closing, layout.behind_closing(), shown);
        ui.mouse = mouse;
    }
    if !layout.help.is_empty() {
        help::draw(&mut ui, layout.help, layout.window);
    }
    if let Some(mouse) = mouse {
        let hint = ui.hits.hint_at(mouse).to_owned();
        if !hint.is_empty() {
            transport::tooltip(&mut ui, mouse - Point::new(0.0, 12.0), &hint);
        }
    }
    hits
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
        (layout.transport, transport::draw),
        (layout.now, now::draw),
        (layout.status, status::draw),
        (layout.start, start::draw),
    ]
}

/// The minimap and its frame.
fn draw_floating(ui: &mut Ui<'_>, layout: &Layout, shown: &Shown<'_>) {
    if layout.minimap.is_empty() {
        return;
    }
    kit::panel(ui.canvas, ui.hits, layout.minimap);
    let place = layout.minimap.inset(gap::BODY);
    crate::draw::minimap(ui.canvas, place, shown, layout.world);
    ui.hits.minimap = Some(place);
}
