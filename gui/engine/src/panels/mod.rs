//! What panels of every game are made of, and those panels that are alike for all of them, as ink.
//!
//! Must never keep anything between frames, and never change anything: what can be clicked comes back as [`Hits`].
//! Names no game. Tested in its modules, and with the panels of the games.

pub mod charts;
pub mod closing;
pub mod dialogue;
pub mod feed;
pub mod flow;
pub mod gold;
pub mod help;
mod hits;
pub mod kit;
pub mod layout;
pub mod marks;
pub mod now;
pub mod race;
pub mod ranks;
pub mod start;
pub mod status;
pub mod transport;

pub use hits::{Hits, Region};

use crate::ink::{Canvas, Point};
use kit::Ui;
use layout::Layout;

/// Draws panels that stand beside one another, then what lies over them: how the match ended, the keys, a hint. What
/// lies below an overlay is out of the mouse's reach.
pub fn draw<C>(
    canvas: &mut Canvas,
    layout: &Layout,
    mouse: Option<Point>,
    standing: impl FnOnce(&mut Ui<'_, C>),
    (closing, help): (impl FnOnce(&mut Ui<'_, C>), impl FnOnce(&mut Ui<'_, C>)),
) -> Hits<C> {
    let mut hits = Hits::default();
    (hits.still, hits.touched) = (layout.still, layout.touched);
    let overlaid = !(layout.help.is_empty() && layout.closing.is_empty());
    let mut ui = Ui { canvas, hits: &mut hits, mouse: mouse.filter(|_| !overlaid) };
    standing(&mut ui);
    if !layout.closing.is_empty() {
        ui.mouse = mouse.filter(|_| layout.help.is_empty());
        closing(&mut ui);
    }
    ui.mouse = mouse;
    if !layout.help.is_empty() {
        help(&mut ui);
    }
    hint(&mut ui);
    hits
}

/// What the mouse is over, in words.
pub fn hint<C>(ui: &mut Ui<'_, C>) {
    let Some(mouse) = ui.mouse else { return };
    let hint = ui.hits.hint_at(mouse).to_owned();
    if !hint.is_empty() {
        kit::tooltip(ui, mouse - Point::new(0.0, 12.0), &hint);
    }
}
