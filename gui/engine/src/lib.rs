//! The observer's engine for any game: where a match comes from, its timeline, and what the screens of games share.
//!
//! ```text
//! source    where the lines of a live match come from, and when they came
//! timeline  what happened when: records and the live past, and any tick of them shown again
//! app       what the user does and what that changes, as far as it is the same for every game
//! panels    time, the start screen, and what all panels are made of, as ink
//! map_screen  the screen of a match on a torus: keys, the pointer, frames, what is chosen and what each choice changes
//! camera    which part of a torus, how large
//! director  where the camera goes by itself
//! torus     a torus on the window: seam, numbers, the small map
//! film      frames as a film, by ffmpeg
//! led       a record's own pace, slow where its match is decided
//! sound     what is heard of a match, as samples
//! ink       shapes and text as vertices, without a window
//! plain     the screen of games that have none of their own
//! ```
//!
//! Knows no game and no game's dialect: a game's screen is a crate of its own, and `gui/app/src/games.rs` lists them.
//! Plain Rust without a window. Tested in its modules, and with the games' screens in their crates and in
//! `gui/app/tests/`.

pub mod app;
pub mod camera;
pub mod director;
#[cfg(not(target_arch = "wasm32"))]
pub mod film;
pub mod ink;
pub mod input;
pub mod instant;
pub mod led;
pub mod map_screen;
pub mod panels;
pub mod plain;
mod queue;
pub mod screen;
pub mod shot;
pub mod small_map;
pub mod sound;
pub mod source;
pub mod theme;
pub mod timeline;
pub mod torus;
