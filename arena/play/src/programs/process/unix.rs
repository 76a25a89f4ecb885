//! Unix: a child is looked at without reaping it, and signals reach its group.

use std::io::{self, PipeWriter};
use std::process::{Child, Command};

use rustix::fs::fchown;
use rustix::io::Errno;
use rustix::process::{
    Gid, Uid, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group, waitid,
};

use crate::os::{Pid, Signal};

/// Gives pipes to a user.
pub fn hand_over(outputs: &[&PipeWriter], user: u32) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
    outputs.iter().try_for_each(|output| Ok(fchown(output, Some(uid), Some(gid))?))
}

/// The launcher does all that is needed.
pub fn ready_to_start(command: &mut Command) -> &mut Command {
    command
}

/// The exit code of a child that has ended, or the signal that ended it. It isn't reaped.
pub fn end_of(_child: &mut Child, pid: Pid) -> io::Result<Option<(Option<i32>, Option<i32>)>> {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(pid), how) {
        Ok(Some(status)) => Ok(Some((exit_code(&status), status.terminating_signal()))),
        Ok(None) | Err(Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn exit_code(status: &WaitIdStatus) -> Option<i32> {
    status.exit_status().filter(|_| status.exited())
}

/// Sends a signal to a child's whole group, and to itself in case it changed its group.
pub fn send(_child: &mut Child, pid: Pid, signal: Signal, _leash: &mut Option<PipeWriter>) {
    let _ = kill_process_group(pid, signal);
    let _ = kill_process(pid, signal);
}
