//! The world as it is seen: camera, places between tiles, picking, and what is drawn.

mod draw;
mod look;
mod pick;
mod places;
mod script;
