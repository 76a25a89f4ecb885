//! The shell: sockets, the clock and the console around any game.
//!
//! One thread, one loop: poll, read the clock and run what is due, accept and read, flush, sleep until a
//! socket is ready or a tick is due. `shell` is that loop without sockets and without a clock of its own, so that
//! tests drive all of it over a network in memory; `event_loop` joins it to mio. Never names the rules, the
//! configuration or the record. Tested in its modules and, with the real binary, in `tests/sockets.rs`.

mod clock;
mod connection;
mod console;
mod deadlines;
mod door;
mod event_loop;
mod lateness;
mod limits;
mod listener;
mod lockstep;
mod lockstep_report;
mod notice;
mod outbox;
mod shell;
mod signal;
mod system;
#[cfg(any(test, feature = "simulation"))]
pub mod testing;

pub use connection::{Key, Ready, Stream};
pub use event_loop::{ConsoleUse, NetError, RunReport, Server, ServerOptions, bind};
pub use lateness::LatenessHistogram;
pub use limits::Limits;
pub use listener::Listener;
pub use lockstep::{Bank, ENDLESS, LOBBY_TIME, MAX_LATE, THINK_TIME};
pub use lockstep_report::{LateMoment, LatePlayer, Lockstep, LockstepReport, Thinking};
pub use notice::Notice;
pub use outbox::{Outbox, Progress};
pub use shell::{Hosted, MissingClient, Refused, RefusedOpening, Setup, Shell};
pub use signal::{EndSignals, Sender};
pub use system::raise_descriptor_limit;
