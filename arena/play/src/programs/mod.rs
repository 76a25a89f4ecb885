//! Other people's programs as processes: started, bounded, watched and ended, whatever they do.
//!
//! `command` is how a command line of theirs is read, `process` one of them as it runs, its output in a bounded
//! `logfile`, its use of the machine within `limits`, `sandbox`
//! (a `room`), `fence` and `filter`, and as far as the system can `group` and `hold`, in the `context` that it enters, its connections
//! carried out of a sandbox by `inside` and a `pump`, its chance from `seed`, its team told by its `mark`. `contain` keeps what
//! they leave behind within reach, `keeper` ends all of it when the arena itself is killed, and `signals` tells
//! the arena to stop. What only Linux has stands empty in `elsewhere`. Nothing here knows a match.

pub mod bubblewrap;
pub mod command;
pub mod contain;
pub mod context;
pub mod environment;
pub mod fence;
pub mod filter;
#[cfg(target_os = "linux")]
pub mod group;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere/group.rs"]
pub mod group;
#[cfg(target_os = "linux")]
pub mod hold;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere/hold.rs"]
pub mod hold;
#[cfg(target_os = "linux")]
pub mod inside;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere/inside.rs"]
pub mod inside;
pub mod keeper;
pub mod limits;
pub mod logfile;
pub mod mark;
pub mod missing;
pub mod process;
#[cfg(target_os = "linux")]
pub mod pump;
pub mod room;
pub mod said;
pub mod sandbox;
pub mod seed;
pub mod signals;
