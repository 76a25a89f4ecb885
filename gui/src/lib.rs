//! The observer: a window on a live match or on its record.
//!
//! ```text
//! source    where the lines of a live match come from, and when they came
//! timeline  what happened when: records and the live past, and any tick of them shown again
//! scene     what is to be seen at a moment: tweens and effects, in game time
//! camera    which part of the torus, how large; pick: what is under the cursor
//! draw      the world as ink        panels  everything around it as ink
//! ink       shapes and text as vertices, without a window
//! app       what the user does, and what that changes
//! window    macroquad: events in, vertices out
//! ```
//!
//! Knows the game from observers' messages and from records alone, never from the rules. Only `window` and the
//! binary name macroquad; everything else is plain Rust and tested without a display.

pub mod app;
pub mod camera;
pub mod games;
pub mod ink;
pub mod input;
pub mod panels;
pub mod plain;
pub mod screen;
pub mod shot;
pub mod source;
pub mod theme;
pub mod timeline;
pub mod window;
pub mod zappy;
