//! Bubblewrap around other people's programs, where the system has it.
//!
//! Inside, a program sees the system's folders read-only and what it needs, nothing else of the disk. It may write into
//! its own folder and into a small `/tmp` alone, and sees no process but its own, which all end with it. It has no network; a
//! relay carries its connections to the server. Whether it finds what it needs is tried before a match, so that no bot is
//! blamed for what the sandbox hides. Decides nothing about limits. Tested in this module and in
//! `arena/cli/tests/tournament/sandbox.rs`.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::os::is_root;
use crate::programs::command::is_program;
use crate::programs::context::Context;
use crate::programs::environment;
use crate::programs::inner_relay::SOCKET;
use crate::programs::limits::Limits;
use crate::programs::room::{
    MEMORY, MayReach, PRIVATE, Room, SECRETS, SETTINGS, SYSTEM, TEMPORARY, follow, is_emptied, is_system,
    is_within,
};

const PROGRAM: &str = "bwrap";
/// Programs inside can't make user namespaces, which open more of the kernel to them.
const CLOSING: [&str; 2] = ["--unshare-user", "--disable-userns"];
/// What remains of root's capabilities until the program becomes another user.
const DROPPING: [&str; 4] = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"];
/// Before a folder that any user may write into.
const OPEN_TO_ALL: [&str; 2] = ["--perms", "1777"];
/// How long it may take to show that it works, and that a program is in sight inside.
pub(crate) const TRIAL_LIMIT: Duration = Duration::from_secs(30);
/// The program takes the place of bubblewrap's own first process inside.
pub const AS_FIRST: &str = "--as-pid-1";
/// The number of the first process inside.
const FIRST_PROCESS: &str = "1";
/// The time between two looks whether a child has ended.
const PAUSE: Duration = Duration::from_millis(1);
/// What is kept in `/dev/shm`, in bytes.
const SHARED: u64 = 64 << 20;
/// A folder that holds nothing but mount points needs no room.
const EMPTY: u64 = 64 << 10;
/// Prints the first of its arguments that can't be read, or can't be run in case of the first of all.
const LOOK: &str = r#"[ -x "$1" ] || { printf %s "$1"; exit; }
shift; for path; do ( : <"$path" ) 2>/dev/null || { printf %s "$path"; exit; }; done"#;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    path: PathBuf,
    /// Whether it can take from programs inside the right to make user namespaces, as it can since 0.8.
    closes: bool,
}

impl Sandbox {
    /// Looks for it in PATH, and doesn't try it.
    pub fn find() -> Result<Sandbox, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(PROGRAM)).find(|path| is_program(path));
        let path = found.ok_or_else(|| format!("{PROGRAM} is not installed"))?;
        let help = Command::new(&path).arg("--help").stdin(Stdio::null()).output();
        let closes = help.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(CLOSING[1]));
        Ok(Sandbox { path, closes })
    }

    /// Whether it works here: some systems forbid what it needs.
    pub fn try_out(self) -> Result<Sandbox, String> {
        let works_in = Path::new("/");
        let limits = Limits::DEFAULT;
        let room = Room { works_in, folder: None, hidden: &[], needed: &[], limits, drops: false };
        ask(&self.around(&room), &["true".into()])
            .map_err(|why| format!("{} does not work here: {why}", self.path.display()))?;
        Ok(self)
    }

    /// For tests: any program in its place.
    #[cfg(test)]
    pub(crate) fn at(path: &str) -> Sandbox {
        Sandbox { path: path.into(), closes: true }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The words before a program's own.
    pub fn around(&self, room: &Room<'_>) -> Vec<OsString> {
        let mut words = Words(vec![self.path.clone().into()]);
        if self.closes && !room.drops {
            words.add(&CLOSING);
        }
        words.add(&["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
        words.add(&["--unshare-net", "--new-session", "--die-with-parent", AS_FIRST, "--cap-drop", "ALL"]);
        if room.drops {
            words.add(&DROPPING);
        }
        for place in SYSTEM.into_iter().chain([SETTINGS]).map(Path::new).filter(|place| place.is_dir()) {
            match fs::read_link(place) {
                Ok(target) if fs::canonicalize(place).is_ok_and(|real| is_system(&real)) => {
                    words.link(&target, place);
                }
                _ => words.bind("--ro-bind", place),
            }
        }
        words.add(&["--proc", "/proc", "--dev", "/dev"]);
        if is_root() {
            // The kernel's settings belong to root, and root needs no capability to write them. One of them names a
            // program that the kernel runs outside of the sandbox.
            words.bind("--ro-bind", Path::new("/proc/sys"));
        }
        words.add(&OPEN_TO_ALL);
        words.empty(Path::new(MEMORY), SHARED);
        let disk = room.limits.disk_mib.map_or(SHARED, |mib| mib.saturating_mul(1 << 20));
        words.add(&OPEN_TO_ALL);
        words.empty(Path::new(TEMPORARY), disk);
        for private in PRIVATE.map(Path::new).into_iter().filter(|path| path.is_dir()) {
            match fs::read_link(private) {
                Ok(target) => words.link(&target, private),
                Err(_) => words.empty(private, EMPTY),
            }
        }
        for secret in SECRETS.map(Path::new).into_iter().filter(|path| path.exists()) {
            if secret.is_dir() {
                words.empty(secret, EMPTY);
            } else {
                words.add(&["--ro-bind", "/dev/null"]);
                words.0.push(secret.into());
            }
        }
        let open = room.open();
        for folder in &open {
            words.way(folder, room.hidden);
            words.bind("--ro-bind", folder);
        }
        if room.folder.is_none() {
            // It works there, and may see nothing of it.
            words.on("--dir", room.works_in);
        }
        let covered = |hidden: &&PathBuf| {
            room.in_sight(hidden, &open) || room.folder.is_some_and(|own| own.starts_with(hidden))
        };
        let hidden: Vec<&PathBuf> = room.hidden.iter().filter(covered).collect();
        for hidden in &hidden {
            words.way(hidden, room.hidden);
            words.empty(hidden, EMPTY);
        }
        let in_sight = |path: &Path| !is_within(path, room.hidden) && room.in_sight(path, &open);
        for needed in room.needed {
            let (real, links) = follow(needed);
            if real.is_file() && !in_sight(&real) {
                words.way(&real, room.hidden);
                words.bind("--ro-bind", &real);
            }
            for (link, target) in links.into_iter().filter(|(link, _)| !in_sight(link)) {
                words.way(&link, room.hidden);
                words.link(&target, &link);
            }
        }
        if let Some(folder) = room.folder {
            words.way(folder, room.hidden);
            words.bind("--bind", folder);
        }
        hidden.iter().for_each(|hidden| words.on("--remount-ro", hidden));
        // Not before the folders in `/dev/shm` are there, nor those on the way to others.
        words.add(&["--remount-ro", "/dev", "--remount-ro", "/"]);
        words.on("--chdir", room.works_in);
        words.0
    }
}

/// Ends the words before a program's own with the launcher inside, which lets it become `user`, sets its limits and, if it
/// may reach a server, is its relay.
pub fn complete(
    words: &mut Vec<OsString>,
    launcher: &Path,
    user: Option<u32>,
    limits: Limits,
    reach: &MayReach<'_>,
) {
    match reach {
        MayReach::Server { port, socket } => {
            words.extend(["--bind".into(), socket.into(), SOCKET.into(), "--".into(), launcher.into()]);
            words.extend(["relay", &port.to_string(), SOCKET].map(OsString::from));
        }
        MayReach::Nothing => {
            // Without a relay, bubblewrap's own process is the first inside.
            words.retain(|word| *word != AS_FIRST);
            words.extend(["--".into(), launcher.into()]);
            words.extend(["launch", FIRST_PROCESS].map(OsString::from));
        }
    }
    // Both are the program's, and not the relay's.
    words.extend(Context::inside(user).arguments());
    words.extend(limits.arguments());
    words.push("--".into());
}

/// The first of these files that is hidden inside, where the sandbox's words are `words`. The first of them is a program.
pub fn first_hidden(words: &[OsString], files: &[PathBuf]) -> Result<Option<PathBuf>, String> {
    let mut look: Vec<OsString> = ["sh", "-c", LOOK, "sh"].map(OsString::from).into();
    look.extend(files.iter().map(OsString::from));
    let hidden = ask(words, &look)?;
    Ok(files.iter().find(|file| file.as_os_str().as_encoded_bytes() == hidden).cloned())
}

/// What a program inside prints on its standard output before it ends well. It prints less than a pipe holds.
fn ask(sandbox: &[OsString], program: &[OsString]) -> Result<Vec<u8>, String> {
    let mut command = Command::new(&sandbox[0]);
    command.args(&sandbox[1..]).arg("--").args(program).env_clear().envs(environment::passed());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    match end_within(&mut child, TRIAL_LIMIT) {
        Ok(Some(_)) => {}
        failed => {
            let _ = child.kill();
            let _ = child.wait();
            let late = || format!("it took more than {} s", TRIAL_LIMIT.as_secs());
            return Err(failed.err().map_or_else(late, |error| error.to_string()));
        }
    }
    let printed = child.wait_with_output().map_err(|error| error.to_string())?;
    if printed.status.success() {
        return Ok(printed.stdout);
    }
    Err(format!("{}: {}", printed.status, String::from_utf8_lossy(&printed.stderr).trim()))
}

/// How a child ended within that time; `None` if it hasn't.
pub(crate) fn end_within(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait()? {
            None if Instant::now() < deadline => sleep(PAUSE),
            ended => return Ok(ended),
        }
    }
}

/// The words of bubblewrap's command line.
struct Words(Vec<OsString>);

impl Words {
    fn add(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(Into::into));
    }

    /// A flag about a path.
    fn on(&mut self, flag: &str, path: &Path) {
        self.0.extend([flag.into(), path.into()]);
    }

    /// An empty folder in memory at that path.
    fn empty(&mut self, path: &Path, bytes: u64) {
        self.add(&["--size", &bytes.to_string()]);
        self.on("--tmpfs", path);
    }

    /// The folders above that path in places that are empty inside: any user may go through them.
    fn way(&mut self, path: &Path, hidden: &[PathBuf]) {
        let below =
            |folder: &Path| hidden.iter().any(|hidden| folder != hidden && folder.starts_with(hidden));
        let mut ways: Vec<&Path> =
            path.ancestors().skip(1).filter(|way| is_emptied(way) || below(way)).collect();
        ways.reverse();
        for way in ways {
            self.on("--dir", way);
        }
    }

    fn link(&mut self, target: &Path, link: &Path) {
        self.0.extend(["--symlink".into(), target.into(), link.into()]);
    }

    /// What lies at that path outside, at the same path inside.
    fn bind(&mut self, flag: &str, path: &Path) {
        self.0.extend([flag.into(), path.into(), path.into()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room<'a>(works_in: &'a Path, hidden: &'a [PathBuf], drops: bool) -> Room<'a> {
        Room { works_in, folder: Some(works_in), hidden, needed: &[], limits: Limits::DEFAULT, drops }
    }

    fn words(room: &Room<'_>) -> Vec<String> {
        Sandbox::at("bwrap").around(room).into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn every_user_finds_its_way_to_the_folder_through_emptied_places() {
        let hidden = ["/srv/night", "/opt/night"].map(PathBuf::from);
        let ways = |works_in: &str| {
            let words = words(&room(Path::new(works_in), &hidden, true));
            let ways: Vec<String> =
                words.windows(2).filter(|pair| pair[0] == "--dir").map(|pair| pair[1].clone()).collect();
            ways
        };
        assert_eq!(ways("/tmp/a/b/c"), ["/tmp", "/tmp/a", "/tmp/a/b"]);
        assert_eq!(ways("/srv/night/play/bot-1"), ["/srv", "/srv", "/srv/night", "/srv/night/play"]);
        assert_eq!(ways("/opt/night/play/bot-1"), ["/opt/night/play"]);
        assert!(ways("/opt/day").is_empty());
    }

    #[test]
    fn who_becomes_another_user_keeps_the_right_to_do_so_and_nothing_else() {
        let has = |words: &[String], word: &str| words.iter().any(|other| other == word);
        let (folder, hidden) = (Path::new("/srv/day"), []);
        let [as_ours, as_other] = [false, true].map(|drops| words(&room(folder, &hidden, drops)));
        assert!(has(&as_ours, "--disable-userns") && !has(&as_ours, "--cap-add"));
        assert!(!has(&as_other, "--unshare-user"));
        let kept: Vec<&String> = as_other.iter().skip_while(|word| *word != "--cap-drop").take(6).collect();
        assert_eq!(kept, ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]);
    }
}
