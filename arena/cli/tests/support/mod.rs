//! What the arena's tests share: matches in a folder of their own, servers and bots as small shell scripts,
//! and waiting with a deadline.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use tempfile::TempDir;
use zappy_play::signature::{Key, Kind, SIGNATURE, hash};

pub mod kinds;
pub mod programs;

/// Nothing in these tests takes nearly as long, even on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

pub const ARENA: &str = env!("CARGO_BIN_EXE_zappy_arena");

/// A server that obeys the contract without a game: it ends when a bot writes into the fifo `end`, with a
/// result, or when it is told to. No shell can listen on a port: it tells the one in `PORT`, or any. A real server, on which
/// no bot plays, makes its record, unless the test wants one that proves nothing.
const SERVER: &str = r#"
here=$(dirname "$0")
echo "$@" >"$here/server.args"
echo $$ >"$here/server.pid"
while [ $# -gt 0 ]; do
    case $1 in
    --result) result=$2 ;;
    --record) record=$2 ;;
    --seed) seed=$2 ;;
    esac
    shift
done
[ "$seed" = - ] && read -r seed
finish() {
    [ -e "$here/unproved" ] && echo '# no record' >"$record" ||
        "$here/real" -p 0 --bind 127.0.0.1 -n red blue -x 20 -y 20 -f 100000 --max-ticks 77 --seed "$seed" \
            --record "$record" --record-level inputs --no-console >/dev/null 2>&1
    cat >"$result" <<JSON
{"server_version":"0.0","game":"zappy","rules_version":1,"record_version":2,"seed":$seed,"configuration":{"width":20,
"height":20,"frequency":100,"max_frequency":100000,"auto_start":true,"max_ticks":null,"clock":"real","teams":[]},
"ticks":77,"winner":$1,"winners":[$3],"reason":"$2","ranking":[],"by_lot":false,"teams":[],"reproducible":false,
"not_reproducible":[],"lockstep":null,"lateness":{"ticks":0,"p50_us":0,"p99_us":0,"max_us":0},"record_complete":true}
JSON
    kill $waiting 2>/dev/null
    exit 0
}
trap 'finish null stopped' TERM
echo "zappy_server 0.0 listens on 127.0.0.1:${PORT:-9}"
echo "a word for the log" >&2
cat "$here/end" >/dev/null &
waiting=$!
wait $waiting
finish '"red"' elevation '"red"'
"#;

/// The arena in a folder that is made, with that viewer beside it.
pub fn with_viewer(folder: &Path, viewer: &str) -> PathBuf {
    fs::create_dir_all(folder.join("zappy_web")).unwrap();
    fs::write(folder.join("zappy_web/viewer.js"), viewer).unwrap();
    arena_in(folder)
}

/// The arena in that folder. Another process copies it: one that this process still writes can't be run, and a test beside
/// may start a program at that moment, which then holds it open.
pub fn arena_in(folder: &Path) -> PathBuf {
    let arena = folder.join("zappy_arena");
    assert!(Command::new("cp").arg(ARENA).arg(&arena).status().unwrap().success());
    arena
}

/// A program of this workspace, beside the arena's binary. Cargo is asked for it, since what lies there may be older
/// than its source when only a part of the workspace is tested; not if `ZAPPY_PROGRAMS=built` says that all of it is.
pub fn binary(package: &str, name: &str) -> PathBuf {
    built(package, "--bin", name, Path::new(ARENA).with_file_name(name))
}

/// A program of the tests, which is an example of a package.
pub fn example(package: &str, name: &str) -> PathBuf {
    built(package, "--example", name, Path::new(ARENA).with_file_name("examples").join(name))
}

fn built(package: &str, kind: &str, name: &str, path: PathBuf) -> PathBuf {
    static BUILT: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut built = BUILT.lock().unwrap();
    let all = std::env::var_os("ZAPPY_PROGRAMS").is_some_and(|value| value == "built");
    if !all && !built.iter().any(|other| other == name) {
        let profile = match Path::new(ARENA).parent().and_then(Path::file_name).and_then(|name| name.to_str())
        {
            Some("debug") | None => "dev",
            Some(name) => name,
        };
        let arguments = ["build", "-q", "-p", package, kind, name, "--profile", profile];
        assert!(Command::new(env!("CARGO")).args(arguments).status().unwrap().success());
        built.push(name.to_owned());
    }
    path
}

pub fn server() -> PathBuf {
    binary("zappy-server", "zappy_server")
}

/// The command of our client.
pub fn client() -> String {
    quoted(&binary("zappy-ai", "zappy_ai"))
}

/// A path as a word of a command, whatever is in it.
pub fn quoted(path: &Path) -> String {
    shlex::try_quote(path.to_str().unwrap()).unwrap().into_owned()
}

/// Compiled files beside the scripts would be written by many at once, and the bots need no installed package, the
/// look for which takes a third of the time to start.
pub const PYTHON: &str = "python3 -S -B";

/// Python's own program: where `python3` is a version manager's script, it starts thirty processes first, and the tests start
/// hundreds of bots. None where there is no Python. Sandboxes may hide it, so bots in them are started by name.
pub fn interpreter() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        let script = "import sys; print(sys.executable, end='')";
        let told = Command::new("python3").args(["-c", script]).output().ok()?;
        let path = String::from_utf8(told.stdout).ok().filter(|_| told.status.success())?;
        Some(quoted(Path::new(&path)))
    };
    FOUND.get_or_init(find).as_deref()
}

/// The command of a bot below `tests`; none where there is no Python, unless `ZAPPY_PYTHON=required`.
pub fn python(folder: &str, name: &str) -> Option<String> {
    if let Some(interpreter) = interpreter() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder).join(name);
        return Some(format!("{interpreter} -S -B {}", quoted(&path)));
    }
    let required = std::env::var_os("ZAPPY_PYTHON").is_some_and(|value| value == "required");
    assert!(!required, "ZAPPY_PYTHON=required, but there is no python3");
    eprintln!("there is no python3, so {name} is not played");
    None
}

/// Fails unless the record in that folder, run again, gives the same.
pub fn assert_proven(out: &Path) {
    let verified = Command::new(server()).arg("--verify").arg(out.join("match.zrec")).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}

/// A test's folder: scripts in it, `out` as the arena's output folder.
pub struct Bench {
    pub folder: TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        bench.script("server", SERVER);
        std::os::unix::fs::symlink(server(), bench.path("real")).unwrap();
        let made = Command::new("mkfifo").arg(bench.path("end")).status().unwrap();
        assert!(made.success());
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An executable shell script. Another program writes it: a file that this one has open for writing could
    /// be open in a child of another test at the very moment it is to be run.
    pub fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path(name);
        let mut writer = Command::new("sh")
            .args(["-c", "cat >\"$0\" && chmod +x \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        write!(writer.stdin.take().unwrap(), "#!/bin/sh\n{body}").unwrap();
        assert!(writer.wait().unwrap().success());
        path
    }

    /// A bot that notes its process, then runs `body`. `$here` is the test's folder.
    pub fn bot(&self, name: &str, body: &str) -> String {
        let start = "here=$(dirname \"$0\")\necho $$ >>\"$here/bots.pid\"\n";
        quoted(&self.script(name, &format!("{start}{body}\n")))
    }

    /// The arena, about to play one process per team on the scripted server.
    pub fn arena(&self, bots: &[(&str, &str)]) -> Command {
        let mut command = Command::new(ARENA);
        command.arg("match").arg("--server").arg(self.path("server"));
        command.arg("--out").arg(self.path("out")).args(["--procs", "1", "--seed", "5"]);
        for (team, bot) in bots {
            command.arg("--bot").arg(format!("{team}={bot}"));
        }
        command
    }

    /// The pids that bots or the server noted, once there are `count`.
    pub fn pids(&self, name: &str, count: usize) -> Vec<Pid> {
        let path = self.path(name);
        wait_for(&format!("{count} pids in {name}"), || {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let whole = text.rsplit_once('\n')?.0.to_string();
            let pids = whole.lines().filter_map(|line| Pid::from_raw(line.trim().parse().ok()?));
            let pids: Vec<Pid> = pids.collect();
            (pids.len() >= count).then_some(pids)
        })
    }

    pub fn result(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path("out/result.json")).unwrap()).unwrap()
    }

    /// The names in the output folder.
    pub fn left(&self) -> Vec<String> {
        names(&self.path("out"))
    }

    pub fn log(&self, name: &str) -> String {
        fs::read_to_string(self.path("out/logs").join(name)).unwrap()
    }
}

/// For what the arena has signed a folder, and the files that its list names, each as it is there.
pub fn signed(folder: &Path) -> (Kind, Vec<String>) {
    let list = Key::own().unwrap().read_list(&fs::read(folder.join(SIGNATURE)).unwrap()).unwrap();
    for (name, known) in &list.files {
        assert_eq!(hash(&fs::read(folder.join(name)).unwrap()), *known, "{name}");
    }
    (list.kind, list.files.into_keys().collect())
}

/// All names in a folder but that of its signed list.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != SIGNATURE)
        .collect();
    names.sort();
    names
}

/// What a finished arena left.
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// The one line that says what went wrong.
    pub fn error(&self) -> &str {
        let lines: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("zappy_arena: ")).collect();
        assert_eq!(lines.len(), 1, "{}", self.stderr);
        lines[0].trim_start_matches("zappy_arena: ")
    }
}

/// A running arena that doesn't outlive its test.
pub struct Running {
    child: Child,
    stderr: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Running {
    pub fn start(command: &mut Command) -> Running {
        Running::start_with(command, Stdio::null())
    }

    /// The same for an arena that reads what is typed.
    pub fn start_typing(command: &mut Command) -> Running {
        Running::start_with(command, Stdio::piped())
    }

    pub fn type_in(&mut self, text: &str) {
        self.child.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// What it has said so far.
    pub fn said(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    fn start_with(command: &mut Command, stdin: Stdio) -> Running {
        let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = Arc::new(Mutex::new(String::new()));
        let (pipe, text) = (BufReader::new(child.stderr.take().unwrap()), Arc::clone(&stderr));
        let reader = std::thread::spawn(move || {
            for line in pipe.lines() {
                *text.lock().unwrap() += &(line.unwrap() + "\n");
            }
        });
        Running { child, stderr, reader: Some(reader) }
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub fn wait_for_line(&self, part: &str) {
        wait_for(part, || self.stderr.lock().unwrap().contains(part).then_some(()));
    }

    /// Asks it to stop when it is time to.
    pub fn insist_when(self, is_time: impl Fn() -> bool) -> Finished {
        wait_for("the time to stop", || is_time().then_some(()));
        self.insist(Signal::INT)
    }

    /// Sends the signal again and again until the arena has ended.
    pub fn insist(self, signal: Signal) -> Finished {
        // A process that has ended takes signals until it is reaped, which only `finish` does.
        wait_for("the arena's end", || {
            self.signal(signal);
            self.reader.as_ref()?.is_finished().then_some(())
        });
        self.finish()
    }

    /// The arena writes little on its standard output, so the pipe holds all of it until it has ended.
    pub fn finish(self) -> Finished {
        self.finish_within(DEADLINE)
    }

    pub fn finish_within(mut self, limit: Duration) -> Finished {
        let status = wait_within(limit, "the arena's end", || self.child.try_wait().unwrap());
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        self.reader.take().unwrap().join().unwrap();
        let stderr = self.stderr.lock().unwrap().clone();
        Finished { status, stdout, stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // Not by force: it shall end what it started.
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

pub fn run(command: &mut Command) -> Finished {
    Running::start(command).finish()
}

/// Looks until it is there, or fails the test.
pub fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_within(DEADLINE, what, look)
}

fn wait_within<T>(limit: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Fails unless all of them are gone, reaped too.
pub fn assert_gone(pids: &[Pid]) {
    for pid in pids {
        assert!(test_kill_process(*pid).is_err(), "process {pid} is left over");
    }
}
