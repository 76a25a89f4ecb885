//! The building blocks of panels, and the panels that are the same for all games, drawn with `ink`.
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

use crate::ink::Point;
use kit::Ui;

/// Draws the tooltip of what the mouse is over.
pub fn hint<C>(ui: &mut Ui<'_, C>) {
    let Some(mouse) = ui.mouse else { return };
    let hint = ui.hits.hint_at(mouse).to_owned();
    if !hint.is_empty() {
        kit::tooltip(ui, mouse - Point::new(0.0, 12.0), &hint);
    }
}
