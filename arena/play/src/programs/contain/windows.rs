//! Windows: a job holds all that a program starts, and ends with the process that made it.
//!
//! The launcher enters a job of its own, starts the program in it and waits; when it is ended by force, so is all that is in
//! the job. The arena is in a job, too, so that nothing outlives it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::process::Command;
use std::sync::OnceLock;

use win32job::{ExtendedLimitInfo, Job};

use super::Swept;
use crate::os::{Pid, Signal};
use crate::programs::context::Context;
use crate::programs::limits::Limits;

/// Whether this process is in a job of its own, or why it couldn't enter one.
static JOB: OnceLock<Result<(), String>> = OnceLock::new();

/// From now on this process and all that it starts are in a job that ends with it.
fn enter_job() -> io::Result<()> {
    let enter = || {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits)?;
        job.assign_current_process()?;
        // Closing the job would end this process, too.
        std::mem::forget(job);
        Ok(())
    };
    let entered = JOB.get_or_init(|| enter().map_err(|error: win32job::JobError| error.to_string()));
    entered.clone().map_err(io::Error::other)
}

/// The arena's own job holds its children already.
pub fn signal_at_death_of(_parent: i32, _signal: Signal) -> io::Result<()> {
    Ok(())
}

/// Runs the program in a job of its own and ends as it does. Returns only on failure.
#[must_use]
pub fn launch(
    _parent: i32,
    context: &Context,
    limits: Limits,
    _team: Option<usize>,
    words: &[OsString],
) -> io::Error {
    let hold = || {
        context.enter()?;
        limits.impose(false)?;
        enter_job()
    };
    hold().err().unwrap_or_else(|| become_program(words))
}

/// Runs the program and ends as it does. Returns only on failure.
#[must_use]
pub fn become_program(words: &[OsString]) -> io::Error {
    let Some((program, arguments)) = words.split_first() else {
        return io::Error::other("no program was named");
    };
    match Command::new(program).args(arguments).status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// What programs leave behind when they end is in their jobs, and ends with these.
#[derive(Debug)]
pub struct Orphans;

impl Orphans {
    /// From now on all that this process starts ends with it.
    pub fn adopt() -> io::Result<Orphans> {
        enter_job()?;
        Ok(Orphans)
    }

    pub fn any(&self, _known: &HashSet<Pid>) -> bool {
        false
    }

    pub fn reap_dead(&self, _known: &HashSet<Pid>) {}

    /// There is nothing to end.
    pub fn sweep(&self, _known: &HashSet<Pid>) -> Swept {
        Swept::default()
    }
}
