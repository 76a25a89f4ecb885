//! Contains a team's programs in a sandbox and in a control group, as far as this machine has them.
//!
//! The files that a bot needs stay visible. The sandbox is tried before the match, so that no bot is blamed for where a file lies.
//! What the machine lacks is left out and logged, but never the sandbox, nor a team's own user when the arena runs as root.
//! Tested in `arena/cli/tests/tournament/sandbox.rs` and `arena/cli/tests/tournament/limits.rs`.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zappy_play::guard::SANDBOX_PROCESSES;
use zappy_play::os::{give, is_open, is_root, may_read};
use zappy_play::programs::bubblewrap::{AS_FIRST, Sandbox, first_hidden};
use zappy_play::programs::command::{interpreters, is_on_path, split};
use zappy_play::programs::context::{Context, user_of};
use zappy_play::programs::group::Delegated;
use zappy_play::programs::hold::{Hold, size_in_memory};
use zappy_play::programs::process::SpawnOptions;
use zappy_play::programs::room::Room;
use zappy_play::programs::sandbox::Containment;
use zappy_play::setup::Entry;

use super::Error;
use super::copies::copy;

/// The largest folder of a bot that is copied into memory, in bytes; others stay on disk.
const MOST_IN_MEMORY: u64 = 256 << 20;
/// The pid of the program's parent inside bubblewrap.
const INIT_PID: u32 = 1;

/// The containment that all teams of a match share.
#[derive(Debug)]
pub struct TeamSandbox<'a> {
    /// Whether bots are contained, and by bubblewrap or by Landlock.
    pub containment: Containment,
    /// The program that starts a bot inside the sandbox.
    pub launcher: &'a Path,
    /// Folders that no bot may see.
    pub hidden: &'a [PathBuf],
    /// The control group in which each team gets one of its own; `None`: the machine has none for us.
    pub delegated: Option<&'a Delegated>,
    /// The level at which the log tells what this machine lacks.
    pub log_level: log::Level,
}

impl TeamSandbox<'_> {
    /// Contains the programs of the bot `name`, which is team number `team`, from 0, and starts `programs` of them.
    ///
    /// # Errors
    /// The sandbox fails or hides a file that the bot needs, root can't give the team a user, or the command is wrong.
    pub fn contain(&self, name: &str, team: usize, programs: usize, entry: &mut Entry) -> Result<(), Error> {
        entry.spawn.containment = self.containment;
        // A variable that the grader has set keeps its value.
        let is_set = |variable: &String| entry.spawn.environment.iter().any(|(other, _)| other == variable);
        let runtimes = entry.spawn.limits.environment().filter(|(name, _)| !is_set(name));
        entry.spawn.environment.extend(runtimes);
        let sandbox_processes =
            if self.containment == Containment::Bubblewrap { programs * SANDBOX_PROCESSES } else { 0 };
        let group = self.delegated.map(|all| all.group(team, entry.spawn.limits, sandbox_processes as u64));
        match group.transpose() {
            Ok(group) => entry.spawn.group = group.map(Arc::new),
            Err(error) => log::log!(self.log_level, "{name} has no control group: {error}"),
        }
        if self.containment == Containment::None {
            return Ok(());
        }
        let working_folder = entry.spawn.folder.clone().map_or_else(std::env::current_dir, Ok);
        let working_folder = working_folder.map_err(|error| Error::File(".".into(), error))?;
        let needed = self.needed_files(name, entry, &working_folder)?;
        let in_memory = self.containment == Containment::Bubblewrap && entry.spawn.folder.is_some();
        entry.spawn.user = user_of(team);
        if is_root() && entry.spawn.user.is_none() {
            return Err(Error::Arena(format!(
                "the arena is root's and can't give bot {name} a user of its own (it knows no such processor, or the match has \
                 more than 64 teams); run it as another user"
            )));
        }
        if in_memory {
            match self.try_sandbox(true, name, entry, &working_folder, &needed) {
                Err(why) => log::log!(self.log_level, "{name} doesn't start with a folder in memory: {why}"),
                tried => return tried,
            }
        }
        self.try_sandbox(false, name, entry, &working_folder, &needed)
    }

    /// Files outside the bot's folder that its command names. The bot's own links and `#!` lines are ignored, since by them it
    /// could open hidden files.
    fn needed_files(&self, name: &str, entry: &Entry, working_folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let Entry { command, spawn, .. } = entry;
        let folder = spawn.folder.as_deref();
        let words = split("its command", command.text()).map_err(|error| Error::Arena(error.to_string()))?;
        let values = spawn.environment.iter().map(|(_, value)| value);
        // Paths also follow `=` or `:`. Relative ones lie in the bot's folder, which is visible anyway.
        let paths = words.iter().skip(1).chain(values).flat_map(|word| word.split(['=', ':']));
        let named = paths.filter(|path| folder.is_none() || Path::new(path).is_absolute());
        let program = command.program().to_path_buf();
        let is_inside = |path: &Path| folder.is_some_and(|folder| path.starts_with(folder));
        let mut needed: Vec<PathBuf> = named.map(|path| working_folder.join(path)).collect();
        // A `#!` line of the bot's own opens no program outside PATH.
        let trusted = |path: &PathBuf| !is_inside(&program) || is_on_path(path);
        needed.extend(interpreters(&program).into_iter().filter(trusted));
        needed.push(program);
        needed.retain(|path| path.exists() && !is_inside(path));
        let (hidden, limits) = (self.hidden, spawn.limits);
        let room = Room { works_in: working_folder, folder, hidden, needed: &needed, limits, drops: false };
        match room.forbidden(&needed) {
            Some(path) => Err(Error::Hidden { name: name.to_owned(), path: path.clone() }),
            None => Ok(needed),
        }
    }

    /// Builds and tries the sandbox; if `in_memory`, a copy of the bot's folder in memory takes its place.
    fn try_sandbox(
        &self,
        in_memory: bool,
        name: &str,
        entry: &mut Entry,
        working_folder: &Path,
        needed: &[PathBuf],
    ) -> Result<(), Error> {
        let spawn = &mut entry.spawn;
        let failed = |why| {
            Error::Arena(format!("the sandbox around bot {name} fails: {why}; play with --sandbox none"))
        };
        spawn.hold = None;
        if in_memory {
            let sandbox = Sandbox::find().map_err(Error::Sandbox)?;
            spawn.hold = Some(Arc::new(folder_in_memory(spawn, &sandbox).map_err(failed)?));
        }
        if let (Some(folder), Some(user)) = (&spawn.folder, spawn.user) {
            let folder = spawn.hold.as_ref().map_or(folder.clone(), |hold| hold.from_outside());
            give_all(&folder, user).map_err(|error| failed(error.to_string()))?;
        }
        let (limits, drops) = (spawn.limits, spawn.user.is_some());
        let launcher = self.launcher.to_path_buf();
        let seen: Vec<PathBuf> = needed.iter().cloned().chain([launcher.clone()]).collect();
        let (folder, hidden) = (spawn.folder.as_deref(), self.hidden);
        let room = Room { works_in: working_folder, folder, hidden, needed: &seen, limits, drops };
        spawn.sandbox = self.containment.around(&room, self.launcher).map_err(Error::Sandbox)?;
        // The bot's own files aren't tried: if they fail, that is the bot's mistake.
        let readable = |path: &&PathBuf| path.is_file() && may_read(path);
        let needed = needed.iter().filter(readable).cloned();
        // A parent of the bot's folder may be closed to the bot's user.
        let files: Vec<PathBuf> = [launcher].into_iter().chain(spawn.folder.clone()).chain(needed).collect();
        match first_hidden(&self.launch_words(spawn), &files).map_err(failed)? {
            None => Ok(()),
            Some(path) if spawn.user.is_some() && !is_open(&path) => Err(Error::Arena(format!(
                "bot {name} plays as a user of its own, since the arena is root's, and the sandbox hides {} from that user; make \
                 it readable for all (chmod -R a+rX), move it to where every user may read, or run the arena as another user",
                path.display()
            ))),
            Some(path) => Err(Error::Hidden { name: name.to_owned(), path }),
        }
    }

    /// The words before the bot's command as it is started in the match, without those of the relay.
    fn launch_words(&self, spawn: &SpawnOptions) -> Vec<OsString> {
        let launch = |parent: u32, context: Context| {
            let words = [self.launcher.into(), "launch".into(), parent.to_string().into()];
            words.into_iter().chain(context.arguments())
        };
        let mut words: Vec<OsString> = launch(std::process::id(), spawn.context()).collect();
        words.push("--".into());
        // Without the relay, bubblewrap's own process is the first inside.
        words.extend(spawn.sandbox.iter().filter(|word| *word != AS_FIRST).cloned());
        if self.containment == Containment::Bubblewrap {
            words.push("--".into());
            words.extend(launch(INIT_PID, Context::inside(spawn.user)));
        }
        words
    }
}

/// A folder in memory that takes the place of the bot's, with a copy of all that is in it.
fn folder_in_memory(spawn: &SpawnOptions, sandbox: &Sandbox) -> Result<Hold, String> {
    let (Some(folder), Some(mib)) = (&spawn.folder, spawn.limits.disk_mib) else {
        return Err("no size is given".to_owned());
    };
    let own_bytes = size_in_memory(folder).map_err(|error| error.to_string())?;
    if own_bytes > MOST_IN_MEMORY {
        return Err(format!("its files have more than {} MiB", MOST_IN_MEMORY >> 20));
    }
    let hold = Hold::open(sandbox, folder, own_bytes.saturating_add(mib.saturating_mul(1 << 20)))?;
    copy(folder, &hold.from_outside()).map_err(|error| error.to_string())?;
    Ok(hold)
}

/// Gives that folder and all that is in it to a user.
fn give_all(folder: &Path, user: u32) -> io::Result<()> {
    let mut paths = vec![folder.to_path_buf()];
    while let Some(path) = paths.pop() {
        give(&path, user)?;
        if fs::symlink_metadata(&path)?.is_dir() {
            for entry in fs::read_dir(&path)? {
                paths.push(entry?.path());
            }
        }
    }
    Ok(())
}
