//! In which surroundings a program of other people runs: its control group, the mounts that it sees, and its user.
//!
//! The launcher enters them before it becomes the program, since only a process itself can. Never decides who gets what.
//! Tested in this module and in `tests/tournament/limits.rs`.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::os::{getpid, is_root};
use crate::programs::filter;
use clap::Args;

/// The first user of a team. No system gives these numbers, up to the last that is positive, to anything else.
const FIRST_USER: u32 = 0x7000_0000;
/// The teams of a match that can have users of their own.
const TEAMS: u32 = 64;

/// What a program enters before it begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Context {
    /// The control group that it joins
    #[arg(long, value_name = "FOLDER")]
    pub group: Option<PathBuf>,
    /// The process whose mounts it sees
    #[arg(long, value_name = "PID")]
    pub mounts_of: Option<i32>,
    /// The user that it becomes, with no privilege left
    #[arg(long, value_name = "UID")]
    pub user: Option<u32>,
}

impl Context {
    /// The launcher's flags.
    #[must_use]
    pub fn arguments(&self) -> Vec<OsString> {
        let group = self.group.iter().flat_map(|group| ["--group".into(), group.into()]);
        let mounts = self.mounts_of.iter().flat_map(|pid| ["--mounts-of".into(), pid.to_string().into()]);
        let user = self.user.iter().flat_map(|user| ["--user".into(), user.to_string().into()]);
        group.chain(mounts).chain(user).collect()
    }

    /// From now on this process is there, and all that it starts. Its one thread is the only one that may call this.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn enter(&self) -> io::Result<()> {
        if let Some(group) = &self.group {
            let mut members = OpenOptions::new().write(true).open(group.join("cgroup.procs"))?;
            // The process that writes.
            members.write_all(b"0")?;
        }
        if let Some(pid) = self.mounts_of {
            kernel::see_mounts_of(pid)?;
        }
        self.user.map_or(Ok(()), kernel::become_user)
    }
}

/// A user for the team at that place of this process's match, which no other match has at the same time; `None` if this
/// process may not give it one.
#[must_use]
pub fn user_of(team: usize) -> Option<u32> {
    let rightful = is_root() && filter::is_known();
    user_in(u32::try_from(getpid().as_raw_pid()).ok()?, team).filter(|_| rightful)
}

fn user_in(process: u32, team: usize) -> Option<u32> {
    let team = u32::try_from(team).ok().filter(|team| *team < TEAMS)?;
    let user = FIRST_USER.checked_add(process.checked_mul(TEAMS)?)?.checked_add(team)?;
    Some(user).filter(|user| i32::try_from(*user).is_ok())
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::io;

    fn refuse() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn see_mounts_of(_: i32) -> io::Result<()> {
        refuse()
    }

    pub fn become_user(_: u32) -> io::Result<()> {
        refuse()
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::fs::{File, read_link};
    use std::io;
    use std::os::fd::AsFd;

    use rustix::process::{Gid, Uid};
    use rustix::thread::{
        CapabilitySet, CapabilitySets, LinkNameSpaceType, move_into_link_name_space, set_capabilities,
        set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    };

    pub fn see_mounts_of(pid: i32) -> io::Result<()> {
        let path = |kind: &str| format!("/proc/{pid}/ns/{kind}");
        let mounts = File::open(path("mnt"))?;
        // It has users of its own where this process may not mount: there this process may do so, too.
        if read_link(path("user"))? != read_link("/proc/self/ns/user")? {
            let users = File::open(path("user"))?;
            move_into_link_name_space(users.as_fd(), Some(LinkNameSpaceType::User))?;
        }
        Ok(move_into_link_name_space(mounts.as_fd(), Some(LinkNameSpaceType::Mount))?)
    }

    pub fn become_user(user: u32) -> io::Result<()> {
        let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
        set_thread_groups(&[])?;
        set_thread_res_gid(gid, gid, gid)?;
        set_thread_res_uid(uid, uid, uid)?;
        let none = CapabilitySet::empty();
        Ok(set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_teams_of_matches_at_one_time_have_the_same_user() {
        // The kernel gives no process a number beyond this.
        const LAST_PROCESS: u32 = (1 << 22) - 1;
        let mut users: Vec<u32> = Vec::new();
        for process in [1, 2, 3, LAST_PROCESS] {
            users.extend((0..64).map(|team| user_in(process, team).unwrap()));
        }
        assert!(users.iter().all(|user| (FIRST_USER..=i32::MAX as u32).contains(user)));
        users.sort_unstable();
        users.dedup();
        assert_eq!(users.len(), 4 * 64);
        assert_eq!((user_in(1, 64), user_in(LAST_PROCESS + 1, 0)), (None, None));
    }

    #[test]
    fn a_program_that_can_not_enter_does_not_run() {
        let gone = Context { group: Some("/no/such/group".into()), ..Context::default() };
        assert!(gone.enter().is_err());
        assert_eq!(gone.arguments(), ["--group", "/no/such/group"]);
        let all = Context { group: None, mounts_of: Some(7), user: Some(8) };
        assert_eq!(all.arguments(), ["--mounts-of", "7", "--user", "8"]);
        assert_eq!(Context::default().enter().ok(), Some(()));
    }
}
