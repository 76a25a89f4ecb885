//! The system's figures of a bot's processes: which connections are theirs, and for how long they could run.
//!
//! On a busy machine a good bot waits for a processor, and that time doesn't count. Where the system gives no figures,
//! every connection is taken for the bot's, and all time counts. Tested in this module and in
//! `arena/cli/tests/check.rs`.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use zappy_play::diag;
use zappy_play::os::{Pid, getpid};
use zappy_play::programs::contain::{Seen, own_processes, processes};

/// Time between two samples of how long the bot's processes have waited for a processor.
pub const SAMPLE_PAUSE: Duration = Duration::from_millis(100);
/// The most processes of a bot that are looked at.
const MOST_PROCESSES: usize = 64;
/// The most waiting time that is carried over to later samples.
const MAX_DEBT: Duration = Duration::from_secs(1);
/// The kernel's clock ticks per second, in which it counts processor time, on every Linux.
const USER_HZ: u64 = 100;
/// How many times the process that holds a connection is looked for: it may be in the middle of `exec`.
const OWNER_ATTEMPTS: usize = 3;

/// Whether the connection from `peer` belongs to a process that this one has started, or to a child of such a process.
pub fn is_own(server: SocketAddr, peer: SocketAddr) -> bool {
    for _ in 0..OWNER_ATTEMPTS {
        let Ok(ends) = diag::ends(server, &[peer]) else { return true };
        let Some(Some(end)) = ends.first() else { return false };
        let is_held = |one: &Seen| diag::sockets(one.pid).any(|socket| socket == end.inode);
        if own_processes().iter().filter(|one| one.pid != getpid()).any(is_held) {
            return true;
        }
    }
    false
}

/// `/proc/PID/task/TID/{name}` of each thread of a process and of its descendants.
fn read_per_thread(root: Pid, name: &str) -> HashMap<OsString, String> {
    let (mut todo, mut found, mut looked) = (vec![root.as_raw_pid().unsigned_abs()], HashMap::new(), 0);
    while let Some(pid) = todo.pop().filter(|_| looked < MOST_PROCESSES) {
        looked += 1;
        for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let read = |file| fs::read_to_string(task.path().join(file)).unwrap_or_default();
            found.insert(task.file_name(), read(name));
            todo.extend(
                read("children").split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()),
            );
        }
    }
    found
}

/// Whether any thread of a process or of its descendants can run: its state is R.
pub fn is_runnable(root: Pid) -> bool {
    // The name in brackets may hold anything; behind it comes the state.
    let runs = |text: &String| text.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" R"));
    read_per_thread(root, "stat").values().any(runs)
}

/// The processor time that a group of processes has spent so far.
pub fn group_cpu_time(group: Pid) -> Duration {
    let members = processes().into_iter().filter(|one| one.group == group.as_raw_pid());
    Duration::from_millis(members.map(|one| one.clock_ticks).sum::<u64>() * 1000 / USER_HZ)
}

/// A clock that stands still while the machine keeps the bot from running. Advance it before the bot's lines are read:
/// lines that came while this program couldn't run are then read before the bot is judged late.
#[derive(Debug)]
pub struct FairClock {
    /// The time that the clock shows.
    fair: Duration,
    /// When it was last advanced.
    last: Instant,
    /// When the last sample was taken.
    sampled_at: Instant,
    /// Time that has passed since the last sample.
    unsettled: Duration,
    /// Waiting time not deducted yet: the system reports a wait when it is over, which may be several samples later.
    debt: Duration,
    /// How long each thread had waited by the last sample, in nanoseconds.
    waited: HashMap<OsString, u64>,
}

impl FairClock {
    pub fn new(now: Instant) -> FairClock {
        FairClock {
            fair: Duration::ZERO,
            last: now,
            sampled_at: now,
            unsettled: Duration::ZERO,
            debt: Duration::ZERO,
            waited: HashMap::new(),
        }
    }

    /// Counts the time since the last call.
    pub fn advance(&mut self, now: Instant, bot: Pid) {
        self.unsettled += now.saturating_duration_since(self.last);
        self.last = now;
        if now.saturating_duration_since(self.sampled_at) >= SAMPLE_PAUSE {
            // The file has the nanoseconds on a processor, those waiting for one, and the number of turns on one.
            let nanos =
                |text: String| text.split(' ').nth(1).and_then(|field| field.parse().ok()).unwrap_or(0);
            let threads = read_per_thread(bot, "schedstat").into_iter();
            self.settle(threads.map(|(task, text)| (task, nanos(text))).collect());
            self.sampled_at = now;
        }
    }

    /// Counts the time since the last sample, less what the threads have waited in it.
    fn settle(&mut self, waited: HashMap<OsString, u64>) {
        let before = |task| self.waited.get(task).copied().unwrap_or(0);
        let new_wait: u64 = waited.iter().map(|(task, nanos)| nanos.saturating_sub(before(task))).sum();
        let new_wait = self.debt + Duration::from_nanos(new_wait);
        self.fair += self.unsettled.saturating_sub(new_wait);
        self.debt = new_wait.saturating_sub(self.unsettled).min(MAX_DEBT);
        (self.waited, self.unsettled) = (waited, Duration::ZERO);
    }

    /// The time that the clock shows; it never goes back.
    pub fn now(&self) -> Duration {
        self.fair
    }
}

/// The processor time that a bot spent while it had nothing to do but to wait.
#[derive(Debug, Default)]
pub struct IdleTime {
    /// When the running wait began.
    pub since: Option<Instant>,
    /// The fair clock and the bot's processor time when it had come to rest in this wait.
    pub settled: Option<(Duration, Duration)>,
    /// How long it could run, in all waits that are over.
    pub could_run: Duration,
    /// The processor time that it spent in those waits.
    pub spent: Duration,
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_the_machine_kept_from_a_bot_does_not_count() {
        let mut clock = FairClock::new(Instant::now());
        let mut pass = |waited: &[(&str, u64)]| {
            clock.unsettled = Duration::from_millis(100);
            clock.settle(waited.iter().map(|(task, ms)| ((*task).into(), ms * 1_000_000)).collect());
            clock.now().as_millis()
        };
        assert_eq!(pass(&[("7", 80)]), 20);
        assert_eq!(pass(&[("7", 240)]), 20, "it never goes back");
        assert_eq!(pass(&[("7", 240)]), 60, "a wait of several looks counts for all of them");
        assert_eq!(pass(&[("8", 10)]), 150, "what a thread that has ended had waited hides nothing");
        assert_eq!(pass(&[("8", 60), ("9", 20)]), 180);
        assert_eq!(pass(&[("8", 60), ("9", 900_020)]), 180);
        let later: Vec<u128> = (0..11).map(|_| pass(&[("8", 60), ("9", 900_020)])).collect();
        assert_eq!((later[9], later[10]), (180, 280), "many threads don't stop it for long");
    }

    #[test]
    fn a_connection_of_another_program_is_told_from_a_child_s() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        // This program is no child of its own.
        let stranger = TcpStream::connect(server).unwrap();
        if diag::ends(server, &[stranger.local_addr().unwrap()]).is_err() {
            return;
        }
        assert!(!is_own(server, listener.accept().unwrap().1));
        let script = format!("exec 3<>/dev/tcp/127.0.0.1/{}; read line", server.port());
        let child = Command::new("bash").args(["-c", &script]).stdin(Stdio::piped()).spawn();
        let Ok(mut child) = child else { return };
        assert!(is_own(server, listener.accept().unwrap().1));
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
