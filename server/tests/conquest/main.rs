//! Conquest as a whole: over sockets and in this process.

mod inside;
#[allow(dead_code, reason = "this test uses a part of it")]
#[path = "../process/mod.rs"]
mod process;
mod sockets;
