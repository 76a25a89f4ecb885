//! The world as ink: ground, things, players, rites, effects, the minimap, and the marks that panels share.
//!
//! Draws what `scene` says on a [`crate::ink::Canvas`], in points. Must never keep anything between frames:
//! the same [`crate::app::shown::Shown`] gives the same vertices. Tested in `tests/world.rs`.

mod marks;

pub use marks::{egg, emblem, resource};
