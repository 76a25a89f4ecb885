//! Which of a match's programs opened a connection: the process that holds it, or one of its parents.
//!
//! For people who look for a player's log. Decides nothing, so what isn't found isn't told. Tested in this module and in
//! `tests/lockstep.rs`.

use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;

use rustix::process::Pid;

use crate::play::diag::sockets;
use crate::programs::contain::processes;

/// The longest chain of parents that is followed: a program behind shells and wrappers has a few.
const PARENTS: usize = 32;

/// The processes that opened each connection: the one that did, and its parents.
pub type Origins = HashMap<SocketAddr, Vec<Pid>>;

/// A process and its parents, the nearest first.
#[must_use]
pub fn lineage(pid: Pid) -> Vec<Pid> {
    std::iter::successors(Some(pid), |pid| parent(*pid)).take(PARENTS).collect()
}

fn parent(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything.
    let fields = &stat[stat.rfind(')')? + 1..];
    Pid::from_raw(fields.split_ascii_whitespace().nth(1)?.parse().ok()?)
}

/// The lineage of the process that holds a socket: of one of these programs, or of what they started.
#[must_use]
pub fn holder(inode: u64, programs: &[Pid]) -> Vec<Pid> {
    let holds = |pid: &Pid| sockets(*pid).any(|socket| socket == inode);
    if let Some(program) = programs.iter().copied().find(holds) {
        return vec![program];
    }
    let others = processes().into_iter().map(|seen| seen.pid).filter(holds).map(lineage);
    others.into_iter().find(|line| line.iter().any(|pid| programs.contains(pid))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::os::fd::AsRawFd;

    use rustix::process::{getpid, getppid};

    use super::*;
    use crate::play::diag::socket;

    #[test]
    fn the_process_that_holds_a_socket_is_found_with_its_parents() {
        let line = lineage(getpid());
        if line.len() < 2 {
            // This system has no /proc.
            return;
        }
        assert_eq!(line[..2], [getpid(), getppid().unwrap()]);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let link = fs::read_link(format!("/proc/self/fd/{}", listener.as_raw_fd())).unwrap();
        let inode = socket(&link).unwrap();
        assert_eq!(holder(inode, &[getpid()]), [getpid()]);
        assert_eq!(holder(inode, &[getppid().unwrap()])[..2], line[..2]);
        drop(listener);
        assert_eq!(holder(inode, &[getpid()]), []);
    }
}
