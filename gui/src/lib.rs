//! The observer: a window on a live match or on its record.
//!
//! ```text
//! source    where the lines of a live match come from, and when they came
//! timeline  what happened when: records and the live past, and any tick of them shown again
//! app       what the user does and what that changes, as far as it is alike for every game
//! panels    time, the start screen, and what all panels are made of, as ink
//! match_screen  keys, the pointer, frames and pictures of any match
//! camera    which part of a torus, how large
//! director  where the camera goes by itself
//! torus     a torus on the window: seam, numbers, the small map
//! film      frames as a film, by ffmpeg
//! ink       shapes and text as vertices, without a window
//! window    macroquad: events in, vertices out; on the desktop and in the browser
//! games     which game has which screen
//! zappy     the screen of Zappy: what its lines say, scene, world, panels, choices
//! conquest  the screen of conquest
//! plain     the screen of games that have none of their own
//! ```
//!
//! Knows a game from its published lines and from records alone, never from the rules. Only `window` and the binary
//! name macroquad, only `games`, the binary and a game's own room name a game; everything else is plain Rust and tested
//! without a display.

pub mod app;
pub mod camera;
pub mod conquest;
pub mod director;
#[cfg(not(target_arch = "wasm32"))]
pub mod film;
pub mod games;
pub mod ink;
pub mod input;
pub mod instant;
pub mod match_screen;
pub mod panels;
pub mod plain;
pub mod screen;
pub mod shot;
pub mod small_map;
pub mod source;
pub mod theme;
pub mod timeline;
pub mod torus;
pub mod window;
pub mod zappy;
