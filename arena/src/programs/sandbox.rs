//! Bubblewrap around other people's programs, where the system has it.
//!
//! Inside, a program sees the system read-only, nothing of other people's bots and of the tournament, may write into
//! its own folder and into a small `/tmp` alone, and sees no process but its own, which all end with it. What it can't
//! run without is in sight wherever it lies, and this is tried before a match: a program that the sandbox hides is
//! never the bot's mistake. The network stays as it is, since the server is there. Decides nothing about limits. Tested
//! in this module and in `tests/tournament/sandbox.rs`.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::geteuid;

use crate::programs::command::is_program;
use crate::programs::limits::Limits;

const PROGRAM: &str = "bwrap";
/// How long it may take to show that it works, and that a program is in sight inside.
const TRIAL_LIMIT: Duration = Duration::from_secs(10);
const TRIAL_PAUSE: Duration = Duration::from_millis(2);
/// What is kept in `/dev/shm`, in bytes.
const SHARED: u64 = 64 << 20;
/// A folder that holds nothing but mount points needs no room.
const EMPTY: u64 = 64 << 10;
const TEMPORARY: &str = "/tmp";
const MEMORY: &str = "/dev/shm";
/// Where services are asked to start programs.
const SERVICES: [&str; 6] =
    ["/run/dbus", "/run/user", "/run/systemd", "/run/containerd", "/run/docker.sock", "/run/podman"];
/// Prints the first of its arguments that can't be read, or can't be run in case of the first of all.
const LOOK: &str = r#"[ -x "$1" ] || { printf %s "$1"; exit; }
shift; for path; do [ -r "$path" ] || { printf %s "$path"; exit; }; done"#;
/// The kernel follows no more links than this on the way to a file.
const LINKS: usize = 40;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Wish {
    /// Bubblewrap if it works here, else nothing
    Auto,
    /// Nothing
    None,
    /// Bubblewrap, or no match at all
    Bwrap,
}

impl Wish {
    /// Whether bubblewrap is to be around the bots, and works.
    ///
    /// # Errors
    /// In words, when it must be and doesn't.
    pub fn settle(self) -> Result<bool, String> {
        if self == Wish::None {
            log::info!("the bots run without a sandbox");
            return Ok(false);
        }
        match Sandbox::find().and_then(Sandbox::try_out) {
            Ok(_) => log::info!("the bots run in bubblewrap"),
            Err(why) if self == Wish::Bwrap => return Err(why),
            Err(why) => {
                log::warn!("the bots run without a sandbox: {why}; what this leaves open tells --help");
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Bubblewrap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox(PathBuf);

impl Sandbox {
    /// Where it is, untried.
    ///
    /// # Errors
    /// In words, when it isn't there.
    pub fn find() -> Result<Sandbox, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(PROGRAM)).find(|path| is_program(path));
        found.map(Sandbox).ok_or_else(|| format!("{PROGRAM} is not installed"))
    }

    /// Whether it works here: some systems forbid what it needs.
    ///
    /// # Errors
    /// In words, when it doesn't.
    pub fn try_out(self) -> Result<Sandbox, String> {
        let works_in = Path::new("/");
        let room = Room { works_in, folder: None, hidden: &[], needed: &[], limits: Limits::DEFAULT };
        ask(&self.around(&room), &["true".into()])
            .map_err(|why| format!("{} does not work here: {why}", self.0.display()))?;
        Ok(self)
    }

    /// The words before a program's own.
    #[must_use]
    pub fn around(&self, room: &Room<'_>) -> Vec<OsString> {
        let mut words = Words(vec![self.0.clone().into()]);
        words.add(&["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
        words.add(&["--new-session", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/"]);
        words.add(&["--proc", "/proc", "--dev", "/dev"]);
        if geteuid().is_root() {
            // The kernel's settings belong to root, who needs no capability to write them; one of them names a
            // program that the kernel runs outside of all this.
            words.bind("--ro-bind", Path::new("/proc/sys"));
        }
        words.empty(Path::new(MEMORY), SHARED);
        let disk = room.limits.disk_mib.map_or(SHARED, |mib| mib.saturating_mul(1 << 20));
        words.empty(Path::new(TEMPORARY), disk);
        for service in SERVICES.map(Path::new) {
            if service.is_dir() {
                words.empty(service, EMPTY);
            } else if service.exists() {
                words.add(&["--ro-bind", "/dev/null"]);
                words.0.push(service.into());
            }
        }
        let open = room.open();
        open.iter().for_each(|folder| words.bind("--ro-bind", folder));
        for hidden in room.hidden {
            words.empty(hidden, EMPTY);
        }
        let within = |path: &Path, folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        let in_sight = |path: &Path| {
            room.folder.is_some_and(|folder| path.starts_with(folder))
                || !within(path, room.hidden) && (!is_emptied(path) || within(path, &open))
        };
        for needed in room.needed {
            let (real, links) = follow(needed);
            if real.is_file() && !in_sight(&real) {
                words.bind("--ro-bind", &real);
            }
            for (link, target) in links.into_iter().filter(|(link, _)| !in_sight(link)) {
                words.add(&["--symlink"]);
                words.0.extend([target.into(), link.into()]);
            }
        }
        if let Some(folder) = room.folder {
            words.bind("--bind", folder);
        }
        for hidden in room.hidden {
            words.add(&["--remount-ro"]);
            words.0.push(hidden.into());
        }
        // Not before the folders in `/dev/shm` are there.
        words.add(&["--remount-ro", "/dev", "--chdir"]);
        words.0.push(room.works_in.into());
        words.add(&["--"]);
        words.0
    }
}

/// The first of these files that is hidden inside, where the sandbox's words are `words`. The first of them is a program.
///
/// # Errors
/// In words, when the sandbox can't be asked.
pub fn first_hidden(words: &[OsString], files: &[PathBuf]) -> Result<Option<PathBuf>, String> {
    let mut look: Vec<OsString> = ["sh", "-c", LOOK, "sh"].map(OsString::from).into();
    look.extend(files.iter().map(OsString::from));
    let hidden = ask(words, &look)?;
    Ok((!hidden.is_empty()).then(|| OsString::from_vec(hidden).into()))
}

/// What a program inside says on its standard output before it ends well. It says less than a pipe holds.
fn ask(sandbox: &[OsString], program: &[OsString]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(&sandbox[0])
        .args(&sandbox[1..])
        .args(program)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let deadline = Instant::now() + TRIAL_LIMIT;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(TRIAL_PAUSE),
            result => {
                let _ = child.kill();
                let _ = child.wait();
                let late = || format!("it took more than {} s", TRIAL_LIMIT.as_secs());
                return Err(result.err().map_or_else(late, |error| error.to_string()));
            }
        }
    };
    let (mut said, mut why) = (Vec::new(), String::new());
    let read = child.stdout.take().map_or(Ok(0), |mut out| out.read_to_end(&mut said));
    read.map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(said);
    }
    // It is told beside the status, if it can be read.
    let _ = child.stderr.take().map(|mut err| err.read_to_string(&mut why));
    Err(format!("{status}: {}", why.trim()))
}

/// What a program finds inside.
#[derive(Debug, Clone, Copy)]
pub struct Room<'a> {
    /// The folder that it works in, without a link on its way.
    pub works_in: &'a Path,
    /// Where it may write; `None`: nowhere but in `/tmp`.
    pub folder: Option<&'a Path>,
    /// Folders that are empty, without links on their ways.
    pub hidden: &'a [PathBuf],
    /// Files and folders that it can't run without, by absolute paths.
    pub needed: &'a [PathBuf],
    /// What it may use.
    pub limits: Limits,
}

impl Room<'_> {
    /// The folders in emptied places that are in sight all the same, none of them within another: that in which the
    /// program works, and those of the files that it needs, since a program needs what lies beside it too.
    fn open(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.works_in.to_path_buf()];
        for needed in self.needed {
            let (real, links) = follow(needed);
            folders.extend(links.iter().filter_map(|(link, _)| home(link)));
            folders.extend(if real.is_dir() { Some(real) } else { home(&real) });
        }
        let hidden = |folder: &PathBuf| self.hidden.iter().any(|hidden| folder.starts_with(hidden));
        folders.retain(|folder| is_emptied(folder) && !hidden(folder));
        folders.sort();
        folders.dedup_by(|inner, outer| inner.starts_with(outer));
        folders
    }
}

/// The folder of a program with all that belongs to it: `bin` has its libraries beside it.
fn home(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let prefix = folder.parent().filter(|prefix| folder.ends_with("bin") && is_emptied(prefix));
    Some(prefix.unwrap_or(folder).to_path_buf())
}

/// Whether that path lies below a folder that is empty inside for everyone.
fn is_emptied(path: &Path) -> bool {
    let emptied = [TEMPORARY, MEMORY].into_iter().chain(SERVICES).map(Path::new);
    emptied.into_iter().any(|emptied| path != emptied && path.starts_with(emptied))
}

/// Where a path leads, and the links on the way there with what they name.
fn follow(path: &Path) -> (PathBuf, Vec<(PathBuf, PathBuf)>) {
    let (mut path, mut links) = (path.to_path_buf(), Vec::new());
    for _ in 0..LINKS {
        let mut ways: Vec<&Path> = path.ancestors().collect();
        ways.reverse();
        let Some((way, target)) = ways.into_iter().find_map(|way| Some((way, fs::read_link(way).ok()?)))
        else {
            break;
        };
        let (Some(name), Some(Ok(folder))) = (way.file_name(), way.parent().map(fs::canonicalize)) else {
            break;
        };
        let rest = path.strip_prefix(way).unwrap_or(Path::new(""));
        let on = folder.join(&target);
        let next = if rest.as_os_str().is_empty() { on } else { on.join(rest) };
        links.push((folder.join(name), target));
        path = next;
    }
    (fs::canonicalize(&path).unwrap_or(path), links)
}

struct Words(Vec<OsString>);

impl Words {
    fn add(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(Into::into));
    }

    fn empty(&mut self, path: &Path, bytes: u64) {
        self.add(&["--size", &bytes.to_string(), "--tmpfs"]);
        self.0.push(path.into());
    }

    fn bind(&mut self, how: &str, path: &Path) {
        self.add(&[how]);
        self.0.extend([path.into(), path.into()]);
    }
}
