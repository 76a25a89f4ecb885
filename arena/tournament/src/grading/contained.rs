//! Runs programs of a submission outside of its matches, contained as in a match: its build, and its bot while the bot
//! is checked, for a class and for a league.
//!
//! As in a match there are the sandbox, the kernel's limits for each process, the guard that watches what all processes
//! use together, and a limit of time. A build has no network and can write into its folder alone; its processes end
//! with it. Tested in `arena/cli/tests/class/` and `arena/cli/tests/league/`.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use zappy_check::{CheckReport, Situation};
use zappy_play::Error;
use zappy_play::guard::{Guard, Started};
use zappy_play::os::{self, Signal};
use zappy_play::programs::command::{Template, split};
use zappy_play::programs::contain::Orphans;
use zappy_play::programs::fence;
use zappy_play::programs::group::Delegated;
use zappy_play::programs::limits::Limits;
use zappy_play::programs::logfile::LogFile;
use zappy_play::programs::process::{Process, SpawnOptions};
use zappy_play::programs::room::MayReach;
use zappy_play::programs::said::{last_lines, tail};
use zappy_play::programs::sandbox::Containment;
use zappy_play::programs::signals::Signals;
use zappy_play::setup::Entry;
use zappy_play::world::World;
use zappy_protocol::TeamName;
use zappy_protocol::text::shown;

use super::situations::check_of;
use crate::copies::{copy, open_folder};
use crate::identity::IdHasher;
use crate::place::clear;
use crate::team_sandbox::TeamSandbox;

/// How long a build may take, unless the grader says otherwise.
pub const BUILD_LIMIT: Duration = Duration::from_secs(300);
/// The pause between two looks of the guard at what the programs use.
const GUARD_PAUSE: Duration = Duration::from_millis(100);

/// The containment of a submission's programs.
#[derive(Debug, Clone)]
pub struct Walls {
    pub containment: Containment,
    /// The arena's program, which starts theirs.
    pub launcher: PathBuf,
    /// Folders that they may not see.
    pub hidden: Vec<PathBuf>,
    pub limits: Limits,
    /// Further environment variables that they get.
    pub environment: Vec<(String, String)>,
}

/// The end of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Built {
    /// It is built; these links were left out, since they may lead out of the folder.
    Done(Vec<String>),
    /// It failed, for that reason, in words.
    Failed(String),
    Interrupted,
}

/// The end of a check.
#[derive(Debug)]
pub enum Tried {
    /// What was found, and the limit that the bot broke meanwhile, if it did, in words.
    Over(CheckReport, Option<String>),
    Interrupted,
    /// The bot couldn't be contained and guarded as it must be, for that reason, in words.
    Untried(String),
}

impl Walls {
    /// What starts a program of a submission, contained, in that folder.
    fn contained_entry(
        &self,
        containment: Containment,
        command: Template,
        folder: &Path,
    ) -> Result<Entry, Error> {
        let launcher = self.launcher.as_path();
        let limits = self.limits.or_default(1);
        // Tools find no other folder than this one for their caches and temporary files.
        let home = folder.display().to_string();
        let environment = [("HOME", home.clone()), ("TMPDIR", home), ("SOURCE_DATE_EPOCH", "0".to_owned())];
        let environment = environment.map(|(name, value)| (name.to_owned(), value)).into_iter();
        // A variable of the grader's replaces one of these.
        let environment = environment.chain(self.environment.iter().cloned()).collect();
        let spawn = SpawnOptions {
            folder: Some(folder.to_path_buf()),
            environment,
            limits,
            ..SpawnOptions::default()
        };
        let team = TeamName::parse(b"submission").expect("a plain word is a name");
        let mut entry = Entry { team, command, procs: Some(1), attached: None, spawn };
        let delegated = Delegated::find().ok();
        let log_level = log::Level::Debug;
        let delegated = delegated.as_ref();
        let sandbox = TeamSandbox { containment, launcher, hidden: &self.hidden, delegated, log_level };
        sandbox.contain("the submission", 0, 1, &mut entry)?;
        Ok(entry)
    }

    /// Builds what lies in that folder with a command that is run there without a shell, within `limit`; its output
    /// goes into the file `log`. After a failure what the folder holds is of no use.
    ///
    /// # Errors
    /// The arena failed.
    pub fn build(
        &self,
        command: &str,
        folder: &Path,
        limit: Duration,
        log: &Path,
        signals: &mut Signals,
    ) -> Result<Built, Error> {
        let orphans = Orphans::adopt().map_err(|error| Error::System("can't adopt orphans", error))?;
        let command = match Template::parse_in("its build", command, folder) {
            Ok(command) => command,
            Err(error) => return Ok(Built::Failed(error.to_string())),
        };
        let mut entry = self.contained_entry(self.containment, command, folder)?;
        let mut guard = Guard::new(std::slice::from_ref(&entry), folder);
        let file = LogFile::create(log.to_path_buf(), entry.spawn.limits.log_bytes());
        let file = file.map_err(|error| Error::File(log.to_path_buf(), error))?;
        entry.spawn.complete(&self.launcher, &MayReach::Nothing);
        // The words of a build are its arguments as they are: no placeholder is filled in, and nothing is appended.
        let program = entry.command.program().to_path_buf();
        let words = split("its build", entry.command.text())?;
        let arguments: Vec<OsString> = words.into_iter().skip(1).map(Into::into).collect();
        let (spawn, launcher) = (&mut entry.spawn, &self.launcher);
        let mut process =
            Process::start("the build", launcher, &program, &arguments, spawn, Stdio::null(), file)?;
        let of_arena = entry.spawn.hold.iter().flat_map(|hold| hold.processes()).collect();
        let started = Started { roots: HashMap::from([(process.pid, 0)]), of_arena };
        let deadline = Instant::now() + limit;
        let (mut is_late, mut is_stopped) = (false, false);
        while !process.note_end() && !is_late && !is_stopped {
            process.trickle();
            guard.enforce(&started, None);
            let sources: Vec<_> = signals.pollables().into_iter().chain(process.pollables()).collect();
            let _ = os::wait(&sources, GUARD_PAUSE);
            drop(sources);
            if !process.log.cut {
                process.read();
            }
            signals.child_ended();
            is_stopped = signals.stops() > 0;
            is_late = Instant::now() > deadline;
        }
        process.signal(Signal::KILL);
        process.reap();
        // Processes that outlived their parents are the arena's own children now, and end. The keeper of the folder in
        // memory stays.
        orphans.sweep(&entry.spawn.hold.iter().flat_map(|hold| hold.processes()).collect::<HashSet<_>>());
        guard.note_out_of_memory();
        guard.measure_disks();
        if is_stopped {
            return Ok(Built::Interrupted);
        }
        let breach = guard.breach(0).map(|words| format!("it used {words}"));
        let ended = process.ended.filter(|ended| ended.code != Some(0) && !ended.told);
        let ended = ended.map(|ended| format!("it ended with {ended}"));
        let time_over = is_late.then(|| format!("it took more than {} s", limit.as_secs()));
        if let Some(why) = breach.or(time_over).or(ended) {
            let output: String = last_lines(&tail(log)).iter().map(|line| format!("\n  {line}")).collect();
            let command = entry.command.text();
            return Ok(Built::Failed(format!("{command}: {why}{output}")));
        }
        self.copy_built(&entry.spawn, folder)
    }

    /// Replaces the folder by a copy of what was built in it, or in memory. It is a copy in any case, since the build
    /// has set the owners and rights of its files.
    fn copy_built(&self, spawn: &SpawnOptions, folder: &Path) -> Result<Built, Error> {
        let from = spawn.hold.as_ref().map_or(folder.to_path_buf(), |hold| hold.from_outside());
        // Nothing in it may be a pipe or too large.
        let readable =
            open_folder(&from).and_then(|from| IdHasher::default().add_folder(&from, Path::new(""), &[]));
        if let Err(error) = readable {
            let words = shown(error.to_string().as_bytes());
            return Ok(Built::Failed(format!("what it made can't be taken: {words}")));
        }
        let out = folder.with_extension("built");
        let failed = |error| Error::File(out.clone(), error);
        clear(&out)?;
        let left_out = copy(&from, &out).map_err(failed)?;
        clear(folder)?;
        fs::rename(&out, folder).map_err(failed)?;
        Ok(Built::Done(left_out))
    }

    /// Checks a bot in these situations, on a copy of its files in the folder `scratch`, which is removed afterwards.
    /// The check talks to the bot over TCP, so Landlock contains it: bubblewrap would cut the network off.
    ///
    /// # Errors
    /// The arena failed.
    pub fn check(
        &self,
        (command, files): (&str, &Path),
        scratch: &Path,
        (world, situations): (&World, Vec<&'static Situation>),
        signals: &mut Signals,
    ) -> Result<Tried, Error> {
        clear(scratch)?;
        copy(files, scratch).map_err(|error| Error::File(scratch.to_path_buf(), error))?;
        let bot = Template::parse_in("its command", command, scratch)?;
        let containment = match self.containment {
            Containment::None => Ok(Containment::None),
            _ => fence::find().map(|_| Containment::Landlock),
        };
        let contain = |by| self.contained_entry(by, bot, scratch).map_err(|error| error.to_string());
        let entry = match containment.and_then(contain) {
            Ok(entry) => entry,
            Err(why) => {
                clear(scratch)?;
                return Ok(Tried::Untried(why));
            }
        };
        let mut guard = Guard::new(std::slice::from_ref(&entry), scratch);
        let check = check_of((entry.command, entry.spawn), self.launcher.clone(), world, situations);
        let running = Arc::clone(&check.running);
        // The guard, on a thread of its own, looks at what the bot uses.
        let tried = std::thread::scope(|scope| -> Result<Tried, Error> {
            // The guard's thread ends when this value is dropped, also after a panic.
            let checking = Arc::new(());
            let until = Arc::downgrade(&checking);
            let look = move || {
                while until.strong_count() > 0 {
                    let started = running.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    guard.enforce(&started, None);
                    std::thread::park_timeout(GUARD_PAUSE);
                }
                guard.note_out_of_memory();
                guard.breach(0).map(str::to_owned)
            };
            let thread = match Builder::new().name("guard".to_owned()).spawn_scoped(scope, look) {
                Ok(thread) => thread,
                Err(error) => return Ok(Tried::Untried(error.to_string())),
            };
            let report = check.run(signals, |_| ());
            drop(checking);
            thread.thread().unpark();
            let broken = thread.join().ok().flatten();
            let report = report?;
            Ok(if report.interrupted { Tried::Interrupted } else { Tried::Over(report, broken) })
        })?;
        clear(scratch)?;
        Ok(tried)
    }
}
