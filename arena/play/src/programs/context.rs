//! The surroundings of other people's programs: control group, mounts and user.
//!
//! The launcher enters them before it becomes the program, since only a process itself can. Never decides which process gets what.
//! Tested in this module and in `arena/cli/tests/tournament/limits.rs`.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::os::{getpid, is_root};
use crate::programs::filter;
use clap::Args;

/// The number of the first user of a team. No system gives these numbers, up to the greatest of 31 bits, to anything else.
const FIRST_USER: u32 = 0x7000_0000;
/// How many teams of a match can have users of their own.
const TEAMS: u32 = 64;
/// The first version of Linux that counts what a user runs by namespaces of users.
const FIRST_TO_COUNT: (u32, u32) = (5, 14);

/// The surroundings that a program enters before it begins.
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
    /// As that user it may read files of others, as far as a fence lets it: folders above its own may be closed to all
    #[arg(long, requires = "user")]
    pub reads: bool,
    /// It is in a sandbox that has made a namespace of users, if it could
    #[arg(long)]
    pub apart: bool,
}

impl Context {
    pub fn arguments(&self) -> Vec<OsString> {
        let group = self.group.iter().flat_map(|group| ["--group".into(), group.into()]);
        let mounts = self.mounts_of.iter().flat_map(|pid| ["--mounts-of".into(), pid.to_string().into()]);
        let user = self.user.iter().flat_map(|user| ["--user".into(), user.to_string().into()]);
        let reads = self.reads.then(|| "--reads".into());
        let apart = self.apart.then(|| "--apart".into());
        group.chain(mounts).chain(user).chain(reads).chain(apart).collect()
    }

    /// The surroundings inside of bubblewrap for a program that is to run as that user.
    pub fn inside(user: Option<u32>) -> Context {
        Context { user, apart: user.is_none(), ..Context::default() }
    }

    /// Whether the kernel counts the processes and threads of this process's user for one team, or a part of it, alone: the
    /// user is the team's, or is counted for the sandbox's own namespace.
    pub fn counts_alone(&self) -> bool {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        self.user.is_some()
            || self.apart
                && counts_by_namespace(&read("/proc/sys/kernel/osrelease"))
                && holds_one_user(&read("/proc/self/uid_map"))
    }

    /// Puts this process, and all that it starts, into these surroundings. The process must have a single thread.
    pub fn enter(&self) -> io::Result<()> {
        if let Some(group) = &self.group {
            let mut members = OpenOptions::new().write(true).open(group.join("cgroup.procs"))?;
            // It stands for the process that writes it.
            members.write_all(b"0")?;
        }
        if let Some(pid) = self.mounts_of {
            kernel::see_mounts_of(pid)?;
        }
        self.user.map_or(Ok(()), |user| kernel::become_user(user, self.reads))
    }
}

/// Whether a kernel of that release counts what a user runs by namespaces, as Linux does since 5.14.
fn counts_by_namespace(release: &str) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse::<u32>().ok());
    let version = numbers.next().flatten().zip(numbers.next().flatten());
    version.is_some_and(|version| version >= FIRST_TO_COUNT)
}

/// Whether these are all users of a namespace: a single one, as a sandbox makes it. Those of a container are more.
fn holds_one_user(map: &str) -> bool {
    let mut lines = map.lines();
    lines.next().is_some_and(|line| line.split_ascii_whitespace().nth(2) == Some("1"))
        && lines.next().is_none()
}

/// A user for the team at that place of this process's match, which no other match has at the same time; `None` if this
/// process may not give it one.
pub fn user_of(team: usize) -> Option<u32> {
    let rightful = is_root() && filter::knows_processor();
    user_in(u32::try_from(getpid().as_raw_pid()).ok()?, team).filter(|_| rightful)
}

fn user_in(process: u32, team: usize) -> Option<u32> {
    let team = u32::try_from(team).ok().filter(|team| *team < TEAMS)?;
    let user = FIRST_USER.checked_add(process.checked_mul(TEAMS)?)?.checked_add(team)?;
    Some(user).filter(|user| i32::try_from(*user).is_ok())
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    pub fn see_mounts_of(_: i32) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    pub fn become_user(_: u32, _: bool) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::fs::{File, read_link};
    use std::io;
    use std::os::fd::AsFd;

    use rustix::process::{Gid, Uid};
    use rustix::thread::{
        CapabilitySet, CapabilitySets, LinkNameSpaceType, configure_capability_in_ambient_set,
        move_into_link_name_space, set_capabilities, set_keep_capabilities, set_thread_groups,
        set_thread_res_gid, set_thread_res_uid,
    };

    pub fn see_mounts_of(pid: i32) -> io::Result<()> {
        let path = |kind: &str| format!("/proc/{pid}/ns/{kind}");
        let mounts = File::open(path("mnt"))?;
        // Where this process may not mount, that one is in a namespace of users in which both may.
        if read_link(path("user"))? != read_link("/proc/self/ns/user")? {
            let users = File::open(path("user"))?;
            move_into_link_name_space(users.as_fd(), Some(LinkNameSpaceType::User))?;
        }
        Ok(move_into_link_name_space(mounts.as_fd(), Some(LinkNameSpaceType::Mount))?)
    }

    pub fn become_user(user: u32, reads: bool) -> io::Result<()> {
        let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
        set_keep_capabilities(reads)?;
        set_thread_groups(&[])?;
        set_thread_res_gid(gid, gid, gid)?;
        set_thread_res_uid(uid, uid, uid)?;
        let kept = if reads { CapabilitySet::DAC_READ_SEARCH } else { CapabilitySet::empty() };
        set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: kept })?;
        if reads {
            // So that the program that it becomes, and all that this starts, keep it, too.
            configure_capability_in_ambient_set(kept, true)?;
        }
        Ok(())
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
        let all = Context { group: None, mounts_of: Some(7), user: Some(8), reads: true, apart: true };
        assert_eq!(all.arguments(), ["--mounts-of", "7", "--user", "8", "--reads", "--apart"]);
        assert_eq!(Context::default().enter().ok(), Some(()));
    }
    #[test]
    fn what_a_user_runs_is_one_teams_only_in_a_namespace_of_its_own() {
        for (release, counts) in [
            ("5.14.0-1.el9", true),
            ("6.1", true),
            ("5.13.19-generic", false),
            ("4.18.0", false),
            ("", false),
        ] {
            assert_eq!(counts_by_namespace(release), counts, "{release}");
        }
        for (map, one) in [
            ("      1000       1000          1\n", true),
            ("         0          0 4294967295\n", false),
            ("         0       1000          1\n         1     100000      65536\n", false),
            ("", false),
        ] {
            assert_eq!(holds_one_user(map), one, "{map}");
        }
        assert!(Context::inside(Some(7)).counts_alone() && !Context::default().counts_alone());
        assert_eq!(Context::inside(None).arguments(), ["--apart"]);
    }
}
