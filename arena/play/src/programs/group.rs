//! A control group (version 2) for each team, where the system delegates one: the kernel then keeps what a team uses
//! together of memory and of tasks, gives each team its share of the processors, and ends all of a team at once.
//!
//! The arena may divide a group among teams only if no process is in it, so it moves those that are there, itself included,
//! into a group of their own, and only where the system says that all below is left to it. Where anything of this is missing
//! teams have no group, and only the guard. Decides nothing about limits. Tested in this module against a folder that looks like one.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{Access, access, getxattr};
use rustix::process::{Pid, Signal, geteuid, kill_process, test_kill_process};

use crate::programs::limits::Limits;

/// The name of the arena's own group, beside those of its teams.
const OWN: &str = "zappy-arena";
/// How the name of a team's group begins; the number of the arena's process and the team's place follow.
const PREFIX: &str = "zappy-team-";
/// Tasks of each process: a runtime has a few threads for each core.
const TASKS: u64 = 64;
/// The share of the processors that the server and the arena have, where each team has 100.
const OWN_SHARE: &str = "1000";
/// Rounds of moving processes out of the way; they may start others meanwhile.
const ROUNDS: usize = 5;
/// How long the processes of a group may take to vanish.
const END_LIMIT: Duration = Duration::from_secs(2);
const END_PAUSE: Duration = Duration::from_millis(2);
/// Attributes of a group by which the system says that all below it is left to its owner.
const DELEGATED: [&str; 2] = ["user.delegate", "trusted.delegate"];

/// A group that may be divided among teams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delegated {
    path: PathBuf,
    /// Whether it divides the processors, too.
    shares: bool,
}

impl Delegated {
    /// The group of this process, ready to be divided.
    pub fn find() -> Result<Delegated, String> {
        let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
        let path = locate(&read("/proc/self/mountinfo")?, &read("/proc/self/cgroup")?)?;
        // All below is left to this process if its user was given it, or, as root may write everywhere, if the system says so or
        // there is nothing above it.
        let writable = |name: &str| access(path.join(name), Access::WRITE_OK).is_ok();
        let said = |name: &str| getxattr(&path, name, &mut [0; 8][..]).is_ok_and(|length| length > 0);
        let above = || path.parent().is_some_and(|above| above.join("cgroup.procs").exists());
        if !["", "cgroup.procs", "cgroup.subtree_control"].into_iter().all(writable)
            || geteuid().is_root() && above() && !DELEGATED.into_iter().any(said)
        {
            return Err(format!("the system doesn't delegate {}", path.display()));
        }
        let delegated = Delegated::prepare(path)?;
        delegated.tidy();
        Ok(delegated)
    }

    /// Moves all processes out of that group, and lets its subgroups bound memory and tasks.
    fn prepare(path: PathBuf) -> Result<Delegated, String> {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        let there = fs::read_to_string(path.join("cgroup.controllers")).map_err(failed)?;
        let has = |name: &str| there.split_ascii_whitespace().any(|controller| controller == name);
        if let Some(missing) = ["memory", "pids"].into_iter().find(|name| !has(name)) {
            return Err(format!("{} doesn't control {missing}", path.display()));
        }
        let wanted = if has("cpu") { "+memory +pids +cpu" } else { "+memory +pids" };
        for _ in 0..ROUNDS {
            match set(&path, "cgroup.subtree_control", wanted) {
                Err(error) if error.kind() == ErrorKind::ResourceBusy => move_out(&path).map_err(failed)?,
                done => {
                    done.map_err(failed)?;
                    let shares = has("cpu");
                    if shares && path.join(OWN).is_dir() {
                        set(&path.join(OWN), "cpu.weight", OWN_SHARE).map_err(failed)?;
                    }
                    return Ok(Delegated { path, shares });
                }
            }
        }
        Err(format!("{}: other processes stay in it", path.display()))
    }

    /// Removes groups of matches that were killed.
    fn tidy(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            let process = rest.and_then(|rest| Pid::from_raw(rest.split('-').next()?.parse().ok()?));
            if process.is_some_and(|process| test_kill_process(process) == Err(rustix::io::Errno::SRCH)) {
                remove(&entry.path());
            }
        }
    }

    /// A group for a team of this process's match.
    pub fn group(&self, team: usize, limits: Limits, sandbox_processes: u64) -> io::Result<Group> {
        let path = self.path.join(format!("{PREFIX}{}-{team}", std::process::id()));
        fs::create_dir_all(&path)?;
        let group = Group { path };
        if let Some(mib) = limits.team_memory_mib {
            set(&group.path, "memory.max", &mib.saturating_mul(1 << 20).to_string())?;
            // Where there is no swap there is no such file.
            let _ = set(&group.path, "memory.swap.max", "0");
            // All of the team is ended, not whichever of its processes is the largest.
            set(&group.path, "memory.oom.group", "1")?;
        }
        if let Some(processes) = limits.processes {
            let tasks = u64::from(processes).saturating_add(sandbox_processes).saturating_mul(TASKS);
            set(&group.path, "pids.max", &tasks.to_string())?;
        }
        if self.shares {
            set(&group.path, "cpu.weight", "100")?;
        }
        Ok(group)
    }
}

/// A team's group; when this is dropped it is removed, and all that is in it ended.
#[derive(Debug)]
pub struct Group {
    path: PathBuf,
}

impl Group {
    /// For tests: a folder that looks like one.
    #[cfg(test)]
    pub(crate) fn at(path: &Path) -> Group {
        Group { path: path.to_path_buf() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it divides the processors, too.
    pub fn shares(&self) -> bool {
        self.path.join("cpu.weight").exists()
    }

    /// Whether the kernel ended the team since it had no memory left.
    pub fn ran_out(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        let count = |line: &str| line.strip_prefix("oom_kill ").and_then(|count| count.trim().parse().ok());
        events.lines().find_map(count).is_some_and(|count: u64| count > 0)
    }

    /// Ends all that is in it.
    pub fn end(&self) {
        if set(&self.path, "cgroup.kill", "1").is_err() {
            // The kernel can't do so all at once before Linux 5.14.
            for pid in members(&self.path) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let deadline = Instant::now() + END_LIMIT;
        self.end();
        while !remove(&self.path) && Instant::now() < deadline {
            sleep(END_PAUSE);
            self.end();
        }
    }
}

fn remove(group: &Path) -> bool {
    fs::remove_dir(group).map_or_else(|error| error.kind() == ErrorKind::NotFound, |()| true)
}

fn set(group: &Path, name: &str, value: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(group.join(name))?.write_all(value.as_bytes())
}

fn members(group: &Path) -> Vec<Pid> {
    let text = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    text.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)).collect()
}

/// Moves the processes of a group into one of their own.
fn move_out(group: &Path) -> io::Result<()> {
    let own = group.join(OWN);
    fs::create_dir_all(&own)?;
    for pid in members(group) {
        match set(&own, "cgroup.procs", &pid.to_string()) {
            // It has just ended.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) => {}
            moved => moved?,
        }
    }
    Ok(())
}

/// The folder of this process's group, as these two files of `/proc` tell, or the one above if that is the arena's own.
fn locate(mounts: &str, groups: &str) -> Result<PathBuf, String> {
    let of_version_two = |line: &&str| line.contains(" - cgroup2 ");
    let none = || "there are no control groups of version 2".to_owned();
    let fields: Vec<&str> = mounts.lines().find(of_version_two).ok_or_else(none)?.split(' ').collect();
    let (Some(&root), Some(&mount)) = (fields.get(3), fields.get(4)) else { return Err(none()) };
    let own = groups.lines().find_map(|line| line.strip_prefix("0::")).ok_or_else(none)?;
    let below = Path::new(own).strip_prefix(root).map_err(|_| format!("{own} isn't below {mount}"))?;
    let path = Path::new(mount).join(below);
    Ok(if path.ends_with(OWN) { path.parent().map_or(path.clone(), Path::to_path_buf) } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 1 0:21 / /proc rw - proc proc rw\n\
        30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

    /// A folder with the files of a group; the kernel would make them.
    fn fill(path: &Path, controllers: &str) {
        fs::create_dir_all(path).unwrap();
        fs::write(path.join("cgroup.controllers"), controllers).unwrap();
        for name in [
            "cgroup.procs",
            "cgroup.subtree_control",
            "cgroup.kill",
            "memory.max",
            "memory.swap.max",
            "memory.oom.group",
            "pids.max",
            "cpu.weight",
        ] {
            fs::write(path.join(name), "").unwrap();
        }
    }

    fn team(at: &Path) -> PathBuf {
        at.join(format!("{PREFIX}{}-1", std::process::id()))
    }

    #[test]
    fn the_group_of_a_process_is_found_and_that_of_the_arena_lies_in_it() {
        let found = |own: &str| locate(MOUNTS, &format!("1:cpu:/x\n0::{own}\n"));
        assert_eq!(found("/user.slice/a.scope"), Ok("/sys/fs/cgroup/user.slice/a.scope".into()));
        assert_eq!(found("/a.scope/zappy-arena"), Ok("/sys/fs/cgroup/a.scope".into()));
        assert_eq!(found("/"), Ok("/sys/fs/cgroup/".into()));
        let container = MOUNTS.replace("0:26 / ", "0:26 /docker/7 ");
        assert_eq!(locate(&container, "0::/docker/7/x\n"), Ok("/sys/fs/cgroup/x".into()));
        assert!(locate(&container, "0::/elsewhere\n").is_err());
        assert!(locate("22 1 0:21 / /proc rw - proc proc rw\n", "0::/\n").is_err());
        assert!(locate(MOUNTS, "4:memory:/a\n").is_err());
    }

    #[test]
    fn a_group_without_the_controllers_is_no_use() {
        let folder = tempfile::tempdir().unwrap();
        for (controllers, missing) in [("", "memory"), ("memory cpu", "pids"), ("pids", "memory")] {
            fill(folder.path(), controllers);
            let why = Delegated::prepare(folder.path().to_path_buf()).unwrap_err();
            assert!(why.ends_with(&format!("doesn't control {missing}")), "{why}");
        }
        fill(folder.path(), "cpu memory pids");
        let delegated = Delegated::prepare(folder.path().to_path_buf()).unwrap();
        assert!(delegated.shares);
        let asked = fs::read_to_string(folder.path().join("cgroup.subtree_control")).unwrap();
        assert_eq!(asked, "+memory +pids +cpu");
    }

    #[test]
    fn a_team_gets_its_limits_and_its_end() {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), "memory pids");
        let delegated = Delegated::prepare(folder.path().to_path_buf()).unwrap();
        let path = team(folder.path());
        // The kernel fills a new group; here it is there before.
        fill(&path, "");
        let limits = Limits { team_memory_mib: Some(300), processes: Some(10), ..Limits::default() };
        let group = delegated.group(1, limits, 2).unwrap();
        let said = |name: &str| fs::read_to_string(path.join(name)).unwrap();
        assert_eq!((said("memory.max").as_str(), said("memory.swap.max").as_str()), ("314572800", "0"));
        assert_eq!((said("memory.oom.group").as_str(), said("pids.max").as_str()), ("1", "768"));
        assert_eq!(said("cpu.weight"), "", "the processors aren't divided here");
        assert!(!group.ran_out());
        fs::write(path.join("memory.events"), "low 0\nmax 7\noom 1\noom_kill 0\noom_group_kill 0\n").unwrap();
        assert!(!group.ran_out());
        fs::write(path.join("memory.events"), "low 0\nmax 7\noom 1\noom_kill 3\noom_group_kill 1\n").unwrap();
        assert!(group.ran_out());
        group.end();
        assert_eq!(said("cgroup.kill"), "1");
        fs::remove_dir_all(&path).unwrap();
        drop(group);
    }

    #[test]
    fn before_the_kernel_could_end_a_group_its_processes_are_ended_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = team(folder.path());
        fill(&path, "");
        fs::remove_file(path.join("cgroup.kill")).unwrap();
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        fs::write(path.join("cgroup.procs"), format!("{}\n", child.id())).unwrap();
        let group = Group::at(&path);
        group.end();
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn what_is_in_the_way_is_moved_and_what_was_killed_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), "memory pids cpu");
        fill(&folder.path().join(OWN), "");
        fs::write(folder.path().join("cgroup.procs"), "4194303\n").unwrap();
        move_out(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(OWN).join("cgroup.procs")).unwrap(), "4194303");
        // No process has that number: the kernel gives none beyond four millions.
        let (gone, ours) = (folder.path().join(format!("{PREFIX}99999999-0")), team(folder.path()));
        fs::create_dir(&gone).unwrap();
        fs::create_dir(&ours).unwrap();
        let delegated = Delegated::prepare(folder.path().to_path_buf()).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(OWN).join("cpu.weight")).unwrap(), OWN_SHARE);
        delegated.tidy();
        assert!(!gone.exists() && ours.exists());
    }
}
