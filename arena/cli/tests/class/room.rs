//! A folder of submissions and the opponents that they meet.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::support::kinds::{SMALL, write};
use crate::support::{ARENA, Bench, Finished, Running, client, server};

/// A class takes seconds; a busy machine takes longer.
pub const WHOLE: Duration = Duration::from_secs(240);
/// What a class is graded with besides; on seeds that every program may know.
const QUICK: &str = "--lobby-time 1 --first 1 --sandbox none --check none";

/// A test's folder with `submissions` and `levels.toml`.
pub struct Room {
    pub bench: Bench,
}

impl Room {
    pub fn new() -> Room {
        assert!(server().exists());
        let bench = Bench::new();
        fs::create_dir(bench.path("submissions")).unwrap();
        let limits = "[limits]\nprocesses = 32\ndisk_mib = 8\nlog_kib = 1\n";
        let easy =
            format!("[[bot]]\nname = \"easy\"\ncommand = {:?}\n", format!("{} --level easy", client()));
        fs::write(bench.path("levels.toml"), format!("{limits}{easy}")).unwrap();
        Room { bench }
    }

    pub fn out(&self, name: &str) -> PathBuf {
        self.bench.path(name)
    }

    /// What a student handed in: files with their texts; those that begin with `#!` can be run.
    pub fn hand_in(&self, name: impl AsRef<OsStr>, files: &[(&str, &str)]) -> PathBuf {
        let folder = self.bench.path("submissions").join(name.as_ref());
        write(&folder, files);
        folder
    }

    /// Our client at a level; it notes each time that it is started.
    pub fn player(&self, name: &str, level: &str) {
        let starts = self.bench.path("starts").display().to_string();
        let run = format!("echo {name} >>'{starts}'\nexec {} --level {level} \"$@\"\n", client());
        self.hand_in(name, &[("run.sh", &run)]);
    }

    /// How often players were started.
    pub fn starts(&self) -> usize {
        fs::read_to_string(self.bench.path("starts")).unwrap_or_default().lines().count()
    }

    /// `grade` with these flags, and where they say nothing those for small matches.
    pub fn command(&self, what: &Path, out: &str, flags: &[&str]) -> Command {
        let kind = if what == self.out("submissions") { "--class" } else { "--submission" };
        let small = small_but_for(flags);
        let mut command = Command::new(ARENA);
        command.arg("grade").arg(kind).arg(what).arg("--out").arg(self.out(out)).args(small).args(flags);
        if !flags.contains(&"--against") {
            command.arg("--against").arg(self.out("levels.toml"));
        }
        command
    }

    /// Grades the class on seeds that are drawn.
    pub fn grade_sealed(&self, out: &str) -> Finished {
        let mut command = Command::new(ARENA);
        command.arg("grade").arg("--class").arg(self.out("submissions")).arg("--out").arg(self.out(out));
        command.args(small_but_for(&["--first"]));
        Running::start(command.arg("--against").arg(self.out("levels.toml"))).finish_within(WHOLE)
    }

    pub fn start(&self, out: &str, flags: &[&str]) -> Running {
        Running::start(&mut self.command(&self.out("submissions"), out, flags))
    }

    pub fn grade(&self, out: &str, flags: &[&str]) -> Finished {
        self.start(out, flags).finish_within(WHOLE)
    }

    pub fn class(&self, out: &str) -> Value {
        json(&self.out(out).join("class.json"))
    }
}

/// The flags of small matches, but for these and their values.
fn small_but_for(flags: &[&str]) -> Vec<&'static str> {
    let all: Vec<&str> = SMALL.split(' ').chain(QUICK.split(' ')).collect();
    all.chunks(2).filter(|pair| !flags.contains(&pair[0])).flatten().copied().collect()
}

pub fn json(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap()
}

/// What came of a student.
pub fn student<'a>(class: &'a Value, name: &str) -> &'a Value {
    let mut all = class["students"].as_array().unwrap().iter();
    all.find(|student| student["student"] == name).unwrap_or_else(|| panic!("no {name} in {class:#}"))
}
