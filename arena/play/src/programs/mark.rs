//! The mark of a team, which each of its processes bears wherever it forked to: two of the kernel's limits, of locks and of
//! resident memory, which limit nothing on Linux any more.
//!
//! A process passes its limits on to all that it starts, loses them with no change of its environment, and may lower but not
//! raise them. One of the two grows with the team's place and the other falls, so no process can take another team's mark;
//! only root without containment may raise limits. Tested in `arena/cli/tests/tournament/names.rs`.

pub use kernel::{of, put};

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::io;

    use crate::os::Pid;

    pub fn put(_: usize) -> io::Result<()> {
        Ok(())
    }

    pub fn of(_: Pid) -> Option<usize> {
        None
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::fs;
    use std::io;

    use rustix::process::{Pid, Resource, Rlimit, getrlimit, setrlimit};

    /// Teams in a match that marks can tell apart.
    const TEAMS: u64 = 1024;
    /// The limit from which marks count down where the arena itself has none.
    const HIGHEST: u64 = 1 << 40;
    /// The system's names of the two limits.
    const LOCKS: &str = "Max file locks";
    const RESIDENT: &str = "Max resident set";

    /// The marks' lowest limit of locks, and their highest of resident memory: both are below the arena's own limits.
    fn ends() -> (u64, u64) {
        let own = |resource| getrlimit(resource).maximum.unwrap_or(HIGHEST);
        (own(Resource::Locks).saturating_sub(TEAMS), own(Resource::Rss).saturating_sub(1))
    }

    /// From now on this process and its children bear the mark of the team with that index.
    pub fn put(team: usize) -> io::Result<()> {
        let team = u64::try_from(team).ok().filter(|team| *team < TEAMS);
        let team = team.ok_or_else(|| io::Error::other("a match has at most 1024 teams"))?;
        let (locks, resident) = ends();
        let limit = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
        setrlimit(Resource::Locks, limit(locks.saturating_add(team)))?;
        Ok(setrlimit(Resource::Rss, limit(resident.saturating_sub(team)))?)
    }

    /// The index of the team of a process, by the mark that the process bears; `None` if it bears none or has ended.
    pub fn of(pid: Pid) -> Option<usize> {
        let text = fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
        // The soft limit stands before the hard one.
        let most = |name: &str| -> Option<u64> {
            let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
            rest.split_ascii_whitespace().nth(1)?.parse().ok()
        };
        let (locks, resident) = ends();
        let team = most(LOCKS)?.checked_sub(locks).filter(|team| *team < TEAMS)?;
        (resident.checked_sub(most(RESIDENT)?) == Some(team)).then(|| usize::try_from(team).ok())?
    }
}
