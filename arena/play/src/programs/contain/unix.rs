//! Unix: sessions, orphans that are adopted, and a signal at the arena's death.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{WaitOptions, getpgrp, kill_process_group, setsid, waitpid};

use super::{Seen, Swept, processes};
use crate::os::{Pid, Signal, getpid, getppid, kill_process};
use crate::programs::command::first_line;
use crate::programs::context::Context;
use crate::programs::limits::Limits;
use crate::programs::mark;

/// How long the arena goes on ending what was left behind, which may fork faster than it can be ended.
const SWEEP_LIMIT: Duration = Duration::from_secs(5);
/// The pause between two looks at what is left.
const SWEEP_PAUSE: Duration = Duration::from_millis(5);

/// From now on no process of the same user may look into this one's memory or write there.
#[cfg(target_os = "linux")]
pub fn close_memory() -> io::Result<()> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// From now on the death of `parent` sends this signal to this process.
///
/// # Errors
/// When the kernel doesn't know how, or the parent is gone already.
pub fn signal_at_death_of(parent: i32, signal: Signal) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(signal))?;
    #[cfg(not(target_os = "linux"))]
    let _ = signal;
    // The parent may have died before the signal was asked for.
    if getppid().map(Pid::as_raw_pid) == Some(parent) {
        Ok(())
    } else {
        Err(io::Error::other("the arena is gone"))
    }
}

/// Becomes the program, which leads a session of its own, bears its team's mark, is held to the limits, and ends when
/// `parent`, the arena, dies. Returns only on failure.
///
/// No program can enter the process group of another session, so that no program passes for another one's child. A program of
/// our own does all this, because between fork and exec only unsafe code could.
#[must_use]
pub fn launch(
    parent: i32,
    context: &Context,
    limits: Limits,
    team: Option<usize>,
    words: &[OsString],
) -> io::Error {
    let hold = || {
        context.enter()?;
        // A process that becomes another user has to ask for the signal anew.
        signal_at_death_of(parent, Signal::KILL)?;
        setsid()?;
        team.map_or(Ok(()), mark::put)?;
        limits.impose(context.counts_alone())
    };
    hold().err().unwrap_or_else(|| become_program(words))
}

/// Becomes the program. Returns only on failure.
#[must_use]
pub fn become_program(words: &[OsString]) -> io::Error {
    let Some((program, arguments)) = words.split_first() else {
        return io::Error::other("no program was named");
    };
    let error = Command::new(program).args(arguments).exec();
    if error.kind() == io::ErrorKind::NotFound && Path::new(program).exists() {
        let words = if first_line(Path::new(program)).is_some_and(|line| line.ends_with('\r')) {
            "it is there, but its first line (#!) has the line end of Windows (\\r\\n): save it with that of Unix (\\n)"
        } else {
            "it is there, but what is to run it isn't: look at its first line (#!) and what it was built for"
        };
        return io::Error::new(error.kind(), words);
    }
    error
}

/// Processes that programs leave behind when they end, which this process adopts.
///
/// Ends them all when it is dropped, so it must outlive the values that stand for the programs themselves.
#[derive(Debug)]
pub struct Orphans {
    /// Children that were there before anything was started, which aren't ours to end.
    innocent: HashSet<Pid>,
}

impl Orphans {
    /// From now on this process adopts what its children leave behind.
    pub fn adopt() -> io::Result<Orphans> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(getpid()))?;
        Ok(Orphans { innocent: children().map(|child| child.pid).collect() })
    }

    /// All children except those that were there from the start and the `known` ones.
    fn find(&self, known: &HashSet<Pid>) -> Vec<Seen> {
        let is_orphan = |pid: &Pid| !self.innocent.contains(pid) && !known.contains(pid);
        children().filter(|child| is_orphan(&child.pid)).collect()
    }

    /// Whether a process that was left behind still runs. `known`: the programs that the arena started itself.
    pub fn any(&self, known: &HashSet<Pid>) -> bool {
        self.find(known).iter().any(|child| !child.dead)
    }

    /// Reaps adopted processes that have ended.
    pub fn reap_dead(&self, known: &HashSet<Pid>) {
        for child in self.find(known).iter().filter(|child| child.dead) {
            let _ = waitpid(Some(child.pid), WaitOptions::NOHANG);
        }
    }

    /// Ends everything that was left behind, and what that leaves behind in turn.
    pub fn sweep(&self, known: &HashSet<Pid>) -> Swept {
        let deadline = Instant::now() + SWEEP_LIMIT;
        let mut ended = HashSet::new();
        loop {
            self.reap_dead(known);
            let orphans = self.find(known);
            if orphans.is_empty() {
                return Swept { ended: ended.len(), left: 0 };
            }
            if Instant::now() >= deadline {
                return Swept { ended: ended.len().saturating_sub(orphans.len()), left: orphans.len() };
            }
            let living: Vec<&Seen> = orphans.iter().filter(|orphan| !orphan.dead).collect();
            // A whole group ends at one moment, and with it what forks and is gone before it is looked at.
            let groups: HashSet<Pid> =
                living.iter().filter_map(|orphan| Pid::from_raw(orphan.group)).collect();
            for group in groups.iter().filter(|group| **group != getpgrp() && !known.contains(group)) {
                let _ = kill_process_group(*group, Signal::KILL);
            }
            for orphan in living {
                // A process that this one may not end is counted as left.
                let _ = kill_process(orphan.pid, Signal::KILL);
                ended.insert(orphan.pid);
            }
            std::thread::sleep(SWEEP_PAUSE);
        }
    }
}

impl Drop for Orphans {
    fn drop(&mut self) {
        self.sweep(&HashSet::new());
    }
}

/// The children of this process.
fn children() -> impl Iterator<Item = Seen> {
    processes().into_iter().filter(|process| process.parent == getpid().as_raw_pid())
}
