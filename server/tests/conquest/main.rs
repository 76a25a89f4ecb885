//! Conquest as a whole: over sockets, in this process, and in random sessions.

mod inside;
#[allow(dead_code, reason = "this test uses a part of it")]
#[path = "../process/mod.rs"]
mod process;
mod simulation;
mod sockets;
