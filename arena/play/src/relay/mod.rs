//! The arena's end of the relays: a socket for each contained team, and behind each of its connections one to the server.
//!
//! What comes in over a team's socket is that team's, by construction: no other program can reach it. A thread for each
//! carries the bytes, and announces each connection at the server's door before it comes, so that the server needn't ask.
//! Never looks at what they say. Tested in `arena/cli/tests/tournament/sandbox.rs` and
//! `arena/cli/tests/tournament/names.rs`.

mod carried;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

pub use carried::{Carried, MOST_CONNECTIONS};
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Relays, Voice};
#[cfg(target_os = "linux")]
pub use linux::{Relays, Voice};
