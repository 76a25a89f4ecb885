//! The observer's window, on the desktop and in the browser, and which game has which screen.
//!
//! ```text
//! window    macroquad: events in, vertices out
//! games     which game has which screen
//! cli       the command line of `zappy_gui`
//! web       `zappy_web`, the observer in a page
//! ```
//!
//! Only `window` names macroquad; only `games` and the command line name a game.

pub mod games;
pub mod window;
