//! Bubblewrap around other people's programs, where the system has it.
//!
//! Inside, a program sees the system read-only, of other people's bots and of the tournament nothing, may write
//! into its own folder and into a small `/tmp` alone, and sees no process but its own, which all end with it. The
//! network stays as it is, since the server is there. Decides nothing about limits. Tested in
//! `tests/tournament/sandbox.rs`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::geteuid;

use crate::programs::command::is_program;
use crate::programs::limits::Limits;

const PROGRAM: &str = "bwrap";
/// How long it may take to show that it works.
const TRIAL_LIMIT: Duration = Duration::from_secs(10);
const TRIAL_PAUSE: Duration = Duration::from_millis(2);
/// What is kept in `/dev/shm`, in bytes.
const SHARED: u64 = 64 << 20;
/// A folder that holds nothing but mount points needs no room.
const EMPTY: u64 = 64 << 10;
/// Where services are asked to start programs.
const SERVICES: [&str; 6] =
    ["/run/dbus", "/run/user", "/run/systemd", "/run/containerd", "/run/docker.sock", "/run/podman"];

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
    /// When it must be and doesn't.
    pub fn settle(self) -> Result<bool, crate::Error> {
        if self == Wish::None {
            log::info!("the bots run without a sandbox");
            return Ok(false);
        }
        match Sandbox::find().and_then(Sandbox::try_out) {
            Ok(_) => log::info!("the bots run in bubblewrap"),
            Err(why) if self == Wish::Bwrap => return Err(crate::tournament::Error::Sandbox(why).into()),
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
    /// In words, why it doesn't.
    pub fn try_out(self) -> Result<Sandbox, String> {
        let failed = |why: String| format!("{} does not work here: {why}", self.0.display());
        let words = self
            .around(Path::new("/"), &Room { folder: None, hidden: &[], seen: &[], limits: Limits::DEFAULT });
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .arg("true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let deadline = Instant::now() + TRIAL_LIMIT;
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(self),
                Ok(Some(status)) => return Err(failed(status.to_string())),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(TRIAL_PAUSE),
                result => {
                    let _ = child.kill();
                    let _ = child.wait();
                    let late = || format!("it took more than {} s", TRIAL_LIMIT.as_secs());
                    return Err(failed(result.err().map_or_else(late, |error| error.to_string())));
                }
            }
        }
    }

    /// The words before a program's own.
    #[must_use]
    pub fn around(&self, works_in: &Path, room: &Room<'_>) -> Vec<OsString> {
        let mut words = Words(vec![self.0.clone().into()]);
        words.add(&["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
        words.add(&["--new-session", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/"]);
        words.add(&["--proc", "/proc", "--dev", "/dev"]);
        if geteuid().is_root() {
            // The kernel's settings belong to root, who needs no capability to write them; one of them names a
            // program that the kernel runs outside of all this.
            words.bind("--ro-bind", Path::new("/proc/sys"), Path::new("/proc/sys"));
        }
        words.empty(Path::new("/dev/shm"), SHARED);
        words.add(&["--remount-ro", "/dev"]);
        let disk = room.limits.disk_mib.map_or(SHARED, |mib| mib.saturating_mul(1 << 20));
        words.empty(Path::new("/tmp"), disk);
        for service in SERVICES.map(Path::new) {
            if service.is_dir() {
                words.empty(service, EMPTY);
            } else if service.exists() {
                words.bind("--ro-bind", Path::new("/dev/null"), service);
            }
        }
        if works_in.starts_with("/tmp") {
            words.bind("--ro-bind", works_in, works_in);
        }
        for hidden in room.hidden {
            words.empty(hidden, EMPTY);
        }
        let hides = |path: &Path| {
            let in_tmp = path.starts_with("/tmp") && !path.starts_with(works_in);
            in_tmp || room.hidden.iter().any(|hidden| path.starts_with(hidden))
        };
        for seen in room.seen {
            // Nothing can be laid over a link, and nothing need be where it is in sight; but what it names must be.
            let real = seen.canonicalize().unwrap_or_else(|_| seen.clone());
            for path in [&real, seen] {
                if hides(path) {
                    words.bind("--ro-bind-try", &real, path);
                }
            }
        }
        if let Some(folder) = room.folder {
            words.bind("--bind", folder, folder);
        }
        for hidden in room.hidden {
            words.add(&["--remount-ro"]);
            words.0.push(hidden.into());
        }
        words.add(&["--chdir"]);
        words.0.push(works_in.into());
        words.add(&["--"]);
        words.0
    }
}

/// What a program finds inside.
#[derive(Debug, Clone, Copy)]
pub struct Room<'a> {
    /// Where it may write; none: nowhere but in `/tmp`.
    pub folder: Option<&'a Path>,
    /// Folders that are empty.
    pub hidden: &'a [PathBuf],
    /// What is there all the same.
    pub seen: &'a [PathBuf],
    /// What it may use.
    pub limits: Limits,
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

    fn bind(&mut self, how: &str, from: &Path, to: &Path) {
        self.add(&[how]);
        self.0.extend([from.into(), to.into()]);
    }
}
