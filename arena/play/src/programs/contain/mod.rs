//! Means by which other people's programs stay within reach.
//!
//! Three means, none of which needs a privilege: each program leads a session of its own; the arena
//! adopts what its children leave behind, so that a process that forked away is found as a child; and the
//! launcher, which becomes the program, asks the kernel to end it when the arena dies. A program that changes
//! its user, or that asks another service to start something, is out of reach. On other Unix systems only the
//! sessions work. Windows has jobs in their place.
//! Tested in `arena/cli/tests/containment.rs`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use unix::close_memory;
#[cfg(unix)]
pub use unix::{Orphans, become_program, launch, signal_at_death_of};
#[cfg(windows)]
pub use windows::{Orphans, become_program, launch, signal_at_death_of};

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;

use crate::os::{Pid, getpid};

/// More bytes than the kernel tells of a process, which it does at one go: some fifty numbers and a short name. Reading on
/// until the end would double the time that a look at all processes takes.
const STAT_BYTES: usize = 2_048;
/// The most processes above another one that are looked at.
const MOST_ABOVE: usize = 4096;

/// How many processes a sweep has ended, and how many it couldn't.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    pub ended: usize,
    /// Processes that couldn't be ended.
    pub left: usize,
}

/// What the system tells of a process.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub pid: Pid,
    /// Dead and not yet reaped.
    pub dead: bool,
    /// Its parent's number, 0 for none.
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    /// When it began, in the kernel's clock ticks since the machine's start. A later process may have the same number,
    /// but not the same start.
    pub start: u64,
    pub threads: u64,
    /// Pages of memory it holds.
    pub pages: u64,
    /// The processor time that it has spent, in the kernel's clock ticks.
    pub clock_ticks: u64,
}

/// All processes. Entries that can't be read have just ended.
pub fn processes() -> Vec<Seen> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(Pid::from_raw).filter_map(see).collect()
}

/// This process and all below it. Where the system lists children only they are read, so that other programs on the machine
/// cost nothing; a child that ends meanwhile may hide its sibling until the next look.
pub fn own_processes() -> Vec<Seen> {
    let own = getpid();
    let Some(mut todo) = see(own).filter(|own| children(own).is_some()).map(|own| vec![own]) else {
        let is_own = |one: &Seen| one.pid == own || is_below(one.pid, own) == Some(true);
        return processes().into_iter().filter(is_own).collect();
    };
    let mut found = HashMap::new();
    while let Some(seen) = todo.pop() {
        if found.insert(seen.pid, seen).is_none() {
            todo.extend(children(&seen).into_iter().flatten().filter_map(see));
        }
    }
    found.into_values().collect()
}

/// The children of a process, which the system lists by the thread that started them; `None` where it doesn't.
fn children(of: &Seen) -> Option<Vec<Pid>> {
    let folder = format!("/proc/{}/task", of.pid);
    let lists = match of.threads {
        1 => vec![std::fs::read_to_string(format!("{folder}/{}/children", of.pid)).ok()?],
        _ => {
            let threads = std::fs::read_dir(folder).ok()?.flatten();
            threads
                .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
                .collect()
        }
    };
    let children = lists.iter().flat_map(|list| list.split_ascii_whitespace());
    (!lists.is_empty()).then(|| children.filter_map(|child| Pid::from_raw(child.parse().ok()?)).collect())
}

/// The nearest of the processes in `roots` that is `pid` or above it; `None` if there is none.
#[cfg(target_os = "linux")]
pub fn root_of<T>(pid: Pid, roots: &HashMap<Pid, T>) -> Option<Pid> {
    let above = |pid: &Pid| see(*pid).and_then(|seen| Pid::from_raw(seen.parent));
    std::iter::successors(Some(pid), above).take(MOST_ABOVE).find(|pid| roots.contains_key(pid))
}

/// Whether the process `above` started `pid`, or one of those above `pid`; `None` if `pid` has ended.
pub fn is_below(pid: Pid, above: Pid) -> Option<bool> {
    let mut at = see(pid)?;
    for _ in 0..MOST_ABOVE {
        if at.parent == above.as_raw_pid() {
            return Some(true);
        }
        // A parent that ends meanwhile leaves its children to another one, so the child is looked at again.
        at = match Pid::from_raw(at.parent) {
            Some(parent) => see(parent).or_else(|| see(at.pid))?,
            None => return Some(false),
        };
    }
    Some(false)
}

/// What the system tells of a process; `None` if it has ended.
pub fn see(pid: Pid) -> Option<Seen> {
    let mut buffer = [0; STAT_BYTES];
    let length = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut buffer).ok()?;
    let stat = &buffer[..length];
    // The name in brackets may hold anything, brackets too. The fields behind it are counted from 0, which is the
    // state.
    let end = stat.iter().rposition(|&b| b == b')')?;
    let fields: Vec<&str> = std::str::from_utf8(&stat[end + 1..]).ok()?.split_ascii_whitespace().collect();
    let small = |i: usize| fields.get(i)?.parse().ok();
    let large = |i: usize| fields.get(i)?.parse::<u64>().ok();
    let dead = matches!(*fields.first()?, "Z" | "X");
    let (parent, group, session) = (small(1)?, small(2)?, small(3)?);
    let (threads, start, pages) = (large(17)?, large(19)?, large(21)?);
    let clock_ticks = large(11)?.saturating_add(large(12)?);
    Some(Seen { pid, dead, parent, group, session, start, threads, pages, clock_ticks })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};
    use std::sync::mpsc;

    use rustix::process::kill_process_group;

    use super::*;
    use crate::os::Signal;

    #[test]
    fn own_processes_are_this_one_and_all_below_it_whatever_thread_started_them() {
        let (done, wait) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut command = Command::new("sh");
            command.args(["-c", "sleep 1000 & echo started; wait"]).process_group(0).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
            tell.send(Pid::from_child(&child)).unwrap();
            // A thread that ends leaves its children to another one.
            let _ = wait.recv();
            kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
            child.wait().unwrap();
        });
        let child = told.recv().unwrap();
        let own = own_processes();
        let is_there = |pid: Pid| own.iter().any(|one| one.pid == pid);
        assert!(is_there(getpid()) && is_there(child));
        assert!(own.iter().any(|one| one.parent == child.as_raw_pid()), "its child is missing");
        assert!(!is_there(Pid::from_raw(1).unwrap()), "another's process");
        drop(done);
        thread.join().unwrap();
    }
}
