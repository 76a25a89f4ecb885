//! A league's folder with bots of the tests' tiny game in it: the one that says the higher number wins.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use zappy_tournament::league::standings::Standings;

use crate::support::kinds::SMALL;
use crate::support::{ARENA, Finished, Running, example, names, quoted, server};

/// A league of these takes seconds; a busy machine takes longer.
pub const WHOLE: Duration = Duration::from_secs(240);
/// Small matches in which no machine makes an honest program late, on open seeds, so that leagues can be compared.
pub const TERMS: [&str; 12] = [
    "--game",
    "tiny",
    "--width",
    "1",
    "--height",
    "1",
    "--think-time",
    "60000",
    "--first",
    "1",
    "--sandbox",
    "none",
];

pub fn tiny() -> PathBuf {
    example("zappy-arena", "tiny_arena")
}

pub struct League {
    folder: TempDir,
}

impl League {
    pub fn new() -> League {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bots")).unwrap();
        League { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Hands in a bot that says that number: at once, since it is written elsewhere and then renamed.
    pub fn hand_in(&self, name: &str, number: u32) {
        self.hand_in_script(name, &format!("exec {} bot {number} \"$@\"", quoted(&tiny())));
    }

    /// Hands in a bot that runs that.
    pub fn hand_in_script(&self, name: &str, body: &str) {
        let (bots, new) = (self.path("bots"), self.path("bots").join(format!(".{name}")));
        fs::create_dir_all(&new).unwrap();
        fs::write(new.join("run.sh"), format!("{body}\n")).unwrap();
        fs::write(new.join("bot.toml"), "command = \"sh run.sh -p {port} -n {team} -h {host}\"\n").unwrap();
        let old = self.path("bots").join(format!(".{name}.old"));
        if bots.join(name).exists() {
            fs::rename(bots.join(name), &old).unwrap();
        }
        fs::rename(&new, bots.join(name)).unwrap();
        let _ = fs::remove_dir_all(old);
    }

    pub fn remove(&self, name: &str) {
        fs::remove_dir_all(self.path("bots").join(name)).unwrap();
    }

    /// The arena, about to play that league.
    pub fn command(&self, flags: &[&str]) -> Command {
        let mut command = Command::new(tiny());
        command.arg("league").arg(self.folder.path()).args(flags).args(TERMS).args(["--settle", "0"]);
        command.arg("--server").arg(example("zappy-server", "tiny_server"));
        command
    }

    pub fn start(&self, flags: &[&str]) -> Running {
        Running::start(&mut self.command(flags))
    }

    /// Plays what is missing.
    pub fn once(&self, flags: &[&str]) -> Finished {
        let finished = self.start(&[&["--once"], flags].concat()).finish_within(WHOLE);
        assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
        finished
    }

    /// Plays what is missing in a league of Zappy, of which only that is said.
    pub fn zappy(&self, flags: &[&str]) -> Finished {
        let mut command = Command::new(ARENA);
        command.arg("league").arg(self.path("")).arg("--once").args(SMALL.split(' ')).args(flags);
        Running::start(command.arg("--server").arg(server())).finish_within(WHOLE)
    }

    pub fn standings(&self) -> Standings {
        let value: Value = serde_json::from_slice(&fs::read(self.path("standings.json")).unwrap()).unwrap();
        let standings: Standings = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&standings).unwrap(), value);
        standings
    }

    /// The field with its versions, the best first.
    pub fn order(&self) -> Vec<String> {
        self.standings().table.iter().map(|row| format!("{}@{}", row.name, row.number)).collect()
    }

    pub fn played(&self) -> usize {
        names(&self.path("results")).len()
    }

    pub fn rounds(&self) -> usize {
        if self.path("rounds").is_dir() { names(&self.path("rounds")).len() } else { 0 }
    }

    /// All that a league comes to, without what depends on time or on where it lies.
    pub fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        self.add(Path::new(""), &mut files);
        files
    }

    fn add(&self, inside: &Path, files: &mut BTreeMap<String, String>) {
        for name in names(&self.folder.path().join(inside)) {
            let (path, inside) = (self.folder.path().join(inside).join(&name), inside.join(&name));
            let timed = ["logs", "result.json", "times.html"].contains(&name.as_str());
            if path.is_dir() && !timed {
                self.add(&inside, files);
            } else if !timed {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                let text = text.replace(&self.folder.path().display().to_string(), "HERE");
                files.insert(inside.display().to_string(), text);
            }
        }
    }
}
