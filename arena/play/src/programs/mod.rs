//! Other people's programs as processes: started, bounded, watched and ended, whatever they do.
//!
//! `command` reads a command line. `process` is one program as it runs; its output goes into a bounded `logfile`, of which `said`
//! finds the last lines, and `environment` chooses its variables. `limits` bound what it uses. `room` says what a program may see
//! and reach; `bubblewrap` or `fence` enforces that, as `sandbox` chooses, and `filter` refuses system calls. Where the system
//! can, a `group` bounds a whole team and a `hold` bounds its folder; a program enters both by its `context`. an `inner_relay` and a
//! `pump` carry connections out of a sandbox. A `mark` tells to which team a process belongs. `missing` says what of this the
//! machine lacks. `contain` keeps processes that programs leave behind findable, so that the arena can end them; `keeper` stands
//! by in a second process and ends what was started when the arena itself is killed; `signals` tells the arena to stop. Nothing
//! here knows a match. Tested where each module says.

pub mod bubblewrap;
pub mod command;
pub mod contain;
pub mod context;
pub mod environment;
pub mod fence;
#[cfg(target_os = "linux")]
pub mod filter;
#[cfg(target_os = "linux")]
pub mod group;
#[cfg(target_os = "linux")]
pub mod hold;
#[cfg(target_os = "linux")]
pub mod inner_relay;
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
pub mod signals;

#[cfg(not(target_os = "linux"))]
pub mod filter {
    pub fn knows_processor() -> bool {
        false
    }
}

#[cfg(not(target_os = "linux"))]
pub mod group {
    use std::io;
    use std::path::Path;

    absent! { Group { fn path(&self) -> &Path; fn shares(&self) -> bool; fn ran_out(&self) -> bool; fn end(&self); } }
    absent! { Delegated { fn group(&self, usize, super::limits::Limits, u64) -> io::Result<Group>; } }

    impl Delegated {
        pub fn find() -> Result<Delegated, String> {
            Err("only Linux has control groups".to_owned())
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub mod hold {
    use std::io;
    use std::path::{Path, PathBuf};

    use crate::os::Pid;

    absent! { Hold {
        fn keeper(&self) -> Pid;
        fn processes(&self) -> [Pid; 2];
        fn from_outside(&self) -> PathBuf;
    } }

    impl Hold {
        pub fn open(_: &super::bubblewrap::Sandbox, _: &Path, _: u64) -> Result<Hold, String> {
            Err("only Linux has folders in memory for bots".to_owned())
        }
    }

    pub fn size_in_memory(_: &Path) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(not(target_os = "linux"))]
pub mod inner_relay {
    use std::ffi::OsString;
    use std::io;
    use std::path::Path;

    use super::{context::Context, limits::Limits};

    pub const SOCKET: &str = "";

    pub fn relay(_: u16, _: &Path, _: &Context, _: Limits, _: &[OsString]) -> io::Result<i32> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux contains bots"))
    }
}
