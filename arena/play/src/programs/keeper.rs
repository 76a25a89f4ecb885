//! Stands by while another process of this program plays a match.
//!
//! Whichever of the two is killed, the other one is left to end what was started: the player ends its match in
//! order when the keeper dies, and the keeper ends what is left when the player dies. Only when both are killed
//! at once, what a bot itself had started can live on. Never touches the match. Tested in
//! `arena/cli/tests/containment.rs`.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitStatus};
#[cfg(unix)]
use std::{
    io::{self, Write},
    os::fd::AsFd,
    os::unix::process::CommandExt,
    process::{ChildStdin, Stdio},
    time::Duration,
};

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::Error;
#[cfg(unix)]
use crate::os::{self, Pid, Signal, kill_process};
use crate::programs::contain::Orphans;
use crate::programs::signals::Signals;

/// Bytes of input that are handed on at once; a pipe takes more.
#[cfg(unix)]
const CHUNK: usize = 1024;
/// The longest wait: not every event that counts comes with a signal.
#[cfg(unix)]
const BEAT: Duration = Duration::from_secs(1);

/// Runs this program again, with `arguments`, and passes the operator's signals on to it, and if `typed` also what the
/// operator types: a terminal stops a program of another group that reads from it. Waits without a limit of time, since
/// the player ends its match within limits of its own.
#[cfg(unix)]
pub fn keep(program: &Path, arguments: &[OsString], typed: bool) -> Result<ExitStatus, Error> {
    let orphans = Orphans::adopt().map_err(|error| Error::System("can't adopt orphans", error))?;
    let mut signals = Signals::install()?;
    // In a group of its own, or a terminal's Ctrl-C would reach it twice, and the second one means hurry.
    let mut player = Command::new(program)
        .args(arguments)
        .process_group(0)
        .stdin(if typed { Stdio::piped() } else { Stdio::inherit() })
        .spawn()
        .map_err(|error| Error::Spawn("the match".into(), error))?;
    let pid = Pid::from_child(&player);
    let mut stops = 0;
    let mut typing = player.stdin.take();
    let status = loop {
        match player.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Err(Error::System("can't wait for the match", error)),
        }
        while stops < signals.stops() {
            stops += 1;
            let _ = kill_process(pid, Signal::INT);
        }
        wait(&mut signals, &mut typing);
    };
    orphans.sweep(&[].into());
    Ok(status)
}

/// Waits for a signal, the player's end or the operator's input, and hands the input on.
#[cfg(unix)]
fn wait(signals: &mut Signals, typing: &mut Option<ChildStdin>) {
    let stdin = io::stdin();
    let mut sources = signals.pollables();
    let takes_more = |typing: &ChildStdin| {
        let mut fds = [PollFd::from_borrowed_fd(typing.as_fd(), PollFlags::OUT)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    };
    // While the match doesn't read, input stays unread here, too, so that writing to the match never blocks.
    let listens = typing.as_ref().is_some_and(takes_more);
    if listens {
        sources.push(stdin.as_fd());
    }
    let ready = os::wait(&sources, BEAT).is_ok_and(|ready| listens && ready.last() == Some(&true));
    drop(sources);
    if ready {
        let mut chunk = [0; CHUNK];
        let count = rustix::io::read(&stdin, &mut chunk).unwrap_or(0);
        let taken =
            typing.as_mut().is_some_and(|typing| count > 0 && typing.write_all(&chunk[..count]).is_ok());
        // Closing this end of the pipe tells the match that the input has ended.
        typing.take_if(|_| !taken);
    }
    signals.child_ended();
}

/// Runs this program again, with `arguments`. A console's Ctrl-C reaches both: the player ends in order, and the keeper after
/// it. What is typed isn't handed on.
#[cfg(windows)]
pub fn keep(program: &Path, arguments: &[OsString], _typed: bool) -> Result<ExitStatus, Error> {
    let _orphans = Orphans::adopt().map_err(|error| Error::System("can't hold programs in a job", error))?;
    let _signals = Signals::install()?;
    let mut player = Command::new(program)
        .args(arguments)
        .spawn()
        .map_err(|error| Error::Spawn("the match".into(), error))?;
    player.wait().map_err(|error| Error::System("can't wait for the match", error))
}
