//! What is around other people's programs: bubblewrap, Landlock or nothing, and how a program's words come to it.
//!
//! `bubblewrap` and `fence`, which is Landlock, are the two implementations; a `room` says to both what is in sight. Decides
//! nothing about limits. Tested in this module and in `arena/cli/tests/tournament/sandbox.rs`.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::programs::bubblewrap::{self, Sandbox};
use crate::programs::fence::{self, Fence};
use crate::programs::limits::Limits;
use crate::programs::room::{MayReach, Room};

/// What the grader wants to be around the bots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Wish {
    /// Bubblewrap if it works here, else Landlock, else no match at all
    Auto,
    /// Nothing
    None,
    /// Landlock, or no match at all
    Landlock,
    /// Bubblewrap, or no match at all
    Bwrap,
}

/// What is around other people's programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Containment {
    /// Nothing: they may do what the arena's user may.
    #[default]
    None,
    /// The kernel holds them to the files they need, and on newer kernels to the server's port.
    Landlock,
    /// They see little of the system, no network and no process but their own.
    Bubblewrap,
}

impl fmt::Display for Containment {
    /// Its word on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Containment {
    /// The words before a program's own that put it into that room; `complete` adds what it may connect to.
    ///
    /// # Errors
    /// In words, if bubblewrap isn't there any more.
    pub fn around(self, room: &Room<'_>, launcher: &Path) -> Result<Vec<OsString>, String> {
        Ok(match self {
            Containment::None => Vec::new(),
            Containment::Landlock => Fence::of(room).around(launcher),
            Containment::Bubblewrap => Sandbox::find()?.around(room),
        })
    }

    /// Ends the words before a program's own, which put `user` into a room, with what it may connect to. Gives the limits that
    /// are left to be set outside: in bubblewrap the launcher sets them inside.
    pub fn complete(
        self,
        words: &mut Vec<OsString>,
        launcher: &Path,
        user: Option<u32>,
        limits: Limits,
        reach: &MayReach<'_>,
    ) -> Limits {
        match self {
            Containment::None => limits,
            Containment::Landlock => {
                fence::complete(words, reach);
                limits
            }
            Containment::Bubblewrap => {
                bubblewrap::complete(words, launcher, user, limits, reach);
                Limits::default()
            }
        }
    }
}

impl Wish {
    /// What is around the bots on this machine.
    ///
    /// # Errors
    /// In words, why what is wished for doesn't work.
    pub fn settle(self) -> Result<Containment, String> {
        self.settle_with(|| Sandbox::find().and_then(Sandbox::try_out).map(drop), fence::find)
    }

    /// As [`Wish::settle`]; `bubblewrap` tries whether it works, and `landlock` gives what it can hold programs to.
    fn settle_with(
        self,
        bubblewrap: impl FnOnce() -> Result<(), String>,
        landlock: impl FnOnce() -> Result<String, String>,
    ) -> Result<Containment, String> {
        let bubblewrap = || bubblewrap().map(|()| Containment::Bubblewrap);
        let landlock = || landlock().map(|holds| (Containment::Landlock, holds));
        match self {
            Wish::None => {
                log::info!("the bots run without a sandbox");
                Ok(Containment::None)
            }
            Wish::Bwrap => bubblewrap(),
            Wish::Landlock => landlock().map(|(landlock, holds)| {
                log::info!("the bots run in Landlock, which holds {holds}");
                landlock
            }),
            Wish::Auto => bubblewrap().or_else(|why| {
                let (landlock, holds) = landlock().map_err(|other| format!("{why}, and {other}"))?;
                log::warn!("the bots run in Landlock, which holds {holds}, and not in bubblewrap: {why}");
                Ok(landlock)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(wish: Wish, bubblewrap: bool, landlock: bool) -> Result<Containment, String> {
        let works = |works, name: &str| if works { Ok(()) } else { Err(format!("no {name}")) };
        let files = || works(landlock, "Landlock").map(|()| "files".to_owned());
        wish.settle_with(|| works(bubblewrap, "bubblewrap"), files)
    }

    #[test]
    fn where_nothing_contains_nothing_is_played_unless_that_is_said() {
        use Containment::{Bubblewrap, Landlock};
        let nothing = || Err("no bubblewrap, and no Landlock".to_owned());
        assert_eq!(settled(Wish::Auto, false, false), nothing());
        assert_eq!(settled(Wish::Auto, true, true), Ok(Bubblewrap));
        assert_eq!(settled(Wish::Auto, true, false), Ok(Bubblewrap));
        assert_eq!(settled(Wish::Auto, false, true), Ok(Landlock));
        for landlock in [true, false] {
            assert_eq!(settled(Wish::Bwrap, false, landlock), Err("no bubblewrap".to_owned()));
            assert_eq!(settled(Wish::Bwrap, true, landlock), Ok(Bubblewrap));
        }
        for bubblewrap in [true, false] {
            assert_eq!(settled(Wish::Landlock, bubblewrap, false), Err("no Landlock".to_owned()));
            assert_eq!(settled(Wish::Landlock, bubblewrap, true), Ok(Landlock));
            assert_eq!(settled(Wish::None, bubblewrap, bubblewrap), Ok(Containment::None));
        }
    }
}
