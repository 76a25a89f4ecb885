//! Windows: a child is ended by force, and its job with it. One that ends with its stdin can be asked to.

use std::io::{self, ErrorKind, PipeWriter};
use std::process::{Child, Command};

use crate::os::{Pid, Signal, set_apart};

/// Pipes belong to no user.
pub fn hand_over(_outputs: &[&PipeWriter], _user: u32) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Keeps a console's Ctrl-C from it.
pub fn ready_to_start(command: &mut Command) -> &mut Command {
    set_apart(command)
}

/// The exit code of a child that has ended.
pub fn end_of(child: &mut Child, _pid: Pid) -> io::Result<Option<(Option<i32>, Option<i32>)>> {
    Ok(child.try_wait()?.map(|status| (status.code(), None)))
}

/// Closes the child's stdin if it is to end in order by that; otherwise ends it, and with it its job.
pub fn send(child: &mut Child, _pid: Pid, signal: Signal, leash: &mut Option<PipeWriter>) {
    if leash.take().is_some() && signal == Signal::TERM {
        return;
    }
    // It may have ended by itself.
    let _ = child.kill();
}
