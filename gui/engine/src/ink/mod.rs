//! Shapes and text as vertices, without a window.
//!
//! Everything on the screen is a list of quads with one vertex format, drawn by one shader with one texture (the glyph
//! atlas), in the order in which it was pushed. A [`Canvas`] takes points and gives vertices in physical px.
//! Must never name a graphics library. Tested in the files' own `tests` modules.

mod atlas;
mod canvas;
mod clip;
mod color;
mod fallback;
mod font;
mod geometry;
mod legible;
mod shapes;
mod text;
mod vertex;

pub use atlas::Atlas;
pub use canvas::{BATCH_VERTICES, Batch, Canvas, TextRun};
pub use color::Color;
pub use fallback::{Search, TYPEFACES, search_typefaces_with};
pub use font::Face;
pub use geometry::{Point, Rect};
pub use text::{Anchor, MAX_RUN_CHARS, Style};
pub use vertex::{Figure, Vertex};
