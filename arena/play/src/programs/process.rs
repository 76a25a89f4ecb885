//! One program that the arena started: its output, its end, and how it is ended.
//!
//! The end of a program is noted at once, but the program is reaped only when its whole group has been ended: until then
//! the kernel gives its number, which is its group's and its session's too, to no other process. Never waits without a limit.
//! Tested in `arena/cli/tests/containment.rs`.

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeWriter};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use zappy_protocol::Tick;

use crate::Error;
use crate::os;
use crate::os::{Pid, Signal, Source, end_of, hand_over, send};
use crate::programs::context::Context;
use crate::programs::environment;
use crate::programs::group::Group;
use crate::programs::hold::Hold;
use crate::programs::limits::Limits;
use crate::programs::logfile::{Drain, LogFile};
use crate::programs::room::MayReach;
use crate::programs::sandbox::Containment;

/// How long a killed process may take to vanish; only one stuck inside the kernel takes long.
const REAP_LIMIT: Duration = Duration::from_secs(2);
/// How often a program is tried to be started while the system has no process left, and the pause between.
const STARTS: u32 = 50;
const START_PAUSE: Duration = Duration::from_millis(100);

/// Exit codes that stand for signals begin after this one.
const SIGNALS: i32 = 128;
const LAST_SIGNAL: i32 = 64;

/// How a program is started: where it works, what it gets, and what contains it.
#[derive(Debug, Clone, Default)]
pub struct SpawnOptions {
    /// The folder it works in; `None`: the arena's own.
    pub folder: Option<PathBuf>,
    /// What is added to its environment.
    pub environment: Vec<(String, String)>,
    /// Whether it gets all of the arena's environment, since it isn't one of other people's programs.
    pub trusted: bool,
    /// The place of its team in the match; `None`: it is no team's.
    pub team: Option<usize>,
    pub limits: Limits,
    pub containment: Containment,
    /// The words of its containment, which come before its own.
    pub sandbox: Vec<OsString>,
    /// The user that it runs as; `None`: the arena's.
    pub user: Option<u32>,
    /// The folder in memory in the place of its own.
    pub hold: Option<Arc<Hold>>,
    pub group: Option<Arc<Group>>,
}

impl SpawnOptions {
    /// The surroundings that its launcher enters. In bubblewrap it becomes its user only inside. In Landlock it may read files
    /// of others, since the folders above its own may be closed to all but the arena's user.
    pub fn context(&self) -> Context {
        Context {
            reads: self.user.is_some() && self.containment == Containment::Landlock,
            group: self.group.as_ref().map(|group| group.path().to_path_buf()),
            mounts_of: self.hold.as_ref().map(|hold| hold.keeper().as_raw_pid()),
            user: self.user.filter(|_| self.containment != Containment::Bubblewrap),
            apart: false,
        }
    }

    /// Ends the words of its containment with what it may connect to.
    pub fn complete(&mut self, launcher: &Path, reach: &MayReach<'_>) {
        let SpawnOptions { containment, sandbox, user, limits, .. } = self;
        *limits = containment.complete(sandbox, launcher, *user, *limits, reach);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code, if it exited.
    pub code: Option<i32>,
    /// The signal that ended it otherwise.
    pub signal: Option<i32>,
    /// The time from its start to its end.
    pub after: Duration,
    /// Whether the arena had sent it a signal to end.
    pub told: bool,
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (_, Some(signal)) => write!(f, "signal {signal}"),
            _ => f.write_str("an unknown end"),
        }
    }
}

/// A program that was started; ended and reaped when this is dropped.
#[derive(Debug)]
pub struct Process {
    /// What it is called in logs.
    name: String,
    child: Child,
    /// Its number, which is its group's too.
    pub pid: Pid,
    started: Instant,
    /// Whether the arena has sent it a signal to end.
    told: bool,
    /// How it ended, if it has.
    pub ended: Option<Ended>,
    reaped: bool,
    /// Whether it runs in bubblewrap.
    sandboxed: bool,
    pub log: LogFile,
    pub stdout: Drain,
    pub stderr: Drain,
    /// Its stdin, if it reads that. When it is closed the program ends in order, also where no signal can ask it to.
    pub leash: Option<PipeWriter>,
}

impl Process {
    /// Starts a program through the launcher, in a session of its own.
    pub fn start(
        name: &str,
        launcher: &Path,
        program: &Path,
        arguments: &[OsString],
        spawn: &SpawnOptions,
        stdin: Stdio,
        log: LogFile,
    ) -> Result<Process, Error> {
        let start = move || -> io::Result<Process> {
            let (stdout, out) = io::pipe()?;
            let (stderr, err) = io::pipe()?;
            if let Some(user) = spawn.user {
                // So that it may open them anew by their names.
                hand_over(&[&out, &err], user)?;
            }
            let (stdout, stderr) = (Drain::new(stdout)?, Drain::new(stderr)?);
            let mut command = Command::new(launcher);
            if let Some(folder) = &spawn.folder {
                command.current_dir(folder);
            }
            if !spawn.trusted {
                let home = spawn.folder.clone().unwrap_or_else(std::env::temp_dir);
                command.env_clear().envs(environment::passed()).env(environment::HOME, home);
            }
            command
                .args(["launch", &std::process::id().to_string()])
                .args(spawn.context().arguments())
                .args(spawn.team.map(|team| format!("--team={team}")))
                .args(spawn.limits.arguments())
                .arg("--")
                .args(&spawn.sandbox)
                .arg(program)
                .args(arguments)
                .envs(spawn.environment.iter().map(|(name, value)| (name, value)))
                .stdin(stdin)
                .stdout(out)
                .stderr(err);
            // The launcher leads a session of its own, which keeps Ctrl-C from it; Windows has none.
            if cfg!(windows) {
                os::set_apart(&mut command);
            }
            let child = spawn_child(&mut command)?;
            let pid = Pid::from_child(&child);
            let (name, started) = (name.to_string(), Instant::now());
            Ok(Process {
                name,
                child,
                pid,
                started,
                told: false,
                ended: None,
                reaped: false,
                sandboxed: spawn.containment == Containment::Bubblewrap,
                log,
                stdout,
                stderr,
                leash: None,
            })
        };
        start().map_err(|error| Error::Spawn(name.into(), error))
    }

    /// What it is called in logs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What to wait for; nothing once its log is full, when [`Process::trickle`] is enough.
    pub fn pollables(&self) -> impl Iterator<Item = Source<'_>> {
        let open = !self.log.cut;
        [&self.stdout, &self.stderr].into_iter().filter(move |_| open).filter_map(Drain::pollable)
    }

    /// Takes one chunk of each output.
    pub fn read(&mut self) {
        self.stdout.read(&mut self.log);
        self.stderr.read(&mut self.log);
    }

    /// Notes that what was printed since the last call was printed at that tick; with `all` what can still be read, too.
    pub fn stamp(&mut self, tick: Tick, all: bool) {
        if all {
            self.read();
        }
        self.log.stamp(tick);
    }

    /// Reads a little once its log is full: then a program that prints little doesn't block.
    pub fn trickle(&mut self) {
        if self.log.cut {
            self.read();
        }
    }

    /// Notes its end without reaping it; whether it has ended since the last call.
    pub fn note_end(&mut self) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let (code, signal) = match end_of(&mut self.child, self.pid) {
            Ok(Some(end)) => {
                self.stdout.finish(&mut self.log);
                self.stderr.finish(&mut self.log);
                end
            }
            Ok(None) => return false,
            // Another part of this process reaped it: it is gone all the same.
            Err(_) => (None, None),
        };
        // A sandbox gives its program's signal as a shell does.
        let inside = code.map(|code| code - SIGNALS);
        let inside = inside.filter(|signal| self.sandboxed && (1..=LAST_SIGNAL).contains(signal));
        let (code, signal) = if inside.is_some() { (None, inside) } else { (code, signal) };
        self.ended = Some(Ended { code, signal, after: self.started.elapsed(), told: self.told });
        true
    }

    /// Sends a signal to its whole group, and to itself in case it changed its group.
    pub fn signal(&mut self, signal: Signal) {
        if self.reaped {
            return;
        }
        self.told |= self.ended.is_none();
        send(&mut self.child, self.pid, signal, &mut self.leash);
    }

    /// Ends its group for good and reaps it.
    pub fn reap(&mut self) {
        if self.reaped {
            return;
        }
        self.note_end();
        self.signal(Signal::KILL);
        let deadline = Instant::now() + REAP_LIMIT;
        while self.ended.is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
            self.note_end();
        }
        if self.ended.is_none() {
            log::error!("{} (process {}) does not end; look after it", self.name, self.child.id());
        }
        let _ = self.child.try_wait();
        self.reaped = true;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.reap();
    }
}

/// Waits a little while the system has no process left: another program's end gives some back.
fn spawn_child(command: &mut Command) -> io::Result<Child> {
    for _ in 1..STARTS {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(START_PAUSE),
            result => return result,
        }
    }
    command.spawn()
}
