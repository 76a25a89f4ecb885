//! The world as it is seen: camera, places between tiles, picking, and what is drawn.

mod draw;
mod pick;
mod places;
mod script;
