//! Tournaments through the real binary: planned, played, killed in the middle, played in parts, and with bots that
//! misbehave.

mod disk;
mod ends;
mod environment;
mod grade;
mod likeness;
mod limits;
mod names;
mod pace;
mod plans;
mod proof;
mod runs;
mod sandbox;
mod seeds;
mod signals;
mod stage;
mod tricks;
mod variants;
mod verify;
mod walls;
