//! A folder with bots in it, and tournaments between them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::support::{ARENA, Bench, Finished, Running, client, names, quoted, server, wait_for};

/// A tournament of these takes seconds; a busy machine takes longer.
pub const WHOLE: Duration = Duration::from_secs(240);
/// Small matches in which no machine makes an honest program late.
pub const SMALL: [&str; 10] =
    ["--width", "10", "--height", "10", "--clients", "1", "--max-ticks", "200", "--think-time", "60000"];

/// The bots' folder and `bots.toml`.
pub struct Stage {
    pub bench: Bench,
    toml: String,
}

impl Stage {
    pub fn new() -> Stage {
        assert!(server().exists());
        Stage { bench: Bench::new(), toml: String::new() }
    }

    /// A bot with a folder of its own, in which a shell script called `bot` does that.
    pub fn script(&mut self, name: &str, body: &str, more: &str) {
        fs::create_dir(self.bench.path(name)).unwrap();
        self.bench.script(&format!("{name}/bot"), &format!("{body}\n"));
        self.add(name, "./bot", &format!("folder = {name:?}\n{more}"));
    }

    /// Our client, which notes each time it is started.
    pub fn player(&mut self, name: &str) {
        self.player_of(name, "expert");
    }

    /// The same at a level of its own.
    pub fn player_of(&mut self, name: &str, level: &str) {
        let starts = self.bench.path("starts");
        let body = format!("echo {name} >>{}\nexec {} --level {level} \"$@\"", quoted(&starts), client());
        self.script(name, &body, "");
    }

    /// A bot with this command and these lines in its entry. What it starts can be told by its environment.
    pub fn add(&mut self, name: &str, command: &str, more: &str) {
        let mark = self.mark();
        self.toml += &format!(
            "[[bot]]\nname = {name:?}\ncommand = {command:?}\nenvironment = {{ TEST_MARK = {mark:?} }}\n{more}\n"
        );
        fs::write(self.bench.path("bots.toml"), &self.toml).unwrap();
    }

    fn mark(&self) -> String {
        self.bench.folder.path().display().to_string()
    }

    pub fn out(&self, name: &str) -> PathBuf {
        self.bench.path(name)
    }

    /// With seeds from 1 on, so that tournaments of the same bots can be compared.
    pub fn plan(&self, out: &str, flags: &[&str]) -> Finished {
        self.plan_sealed(out, &[flags, &["--first", "1"]].concat())
    }

    /// With seeds that are drawn.
    pub fn plan_sealed(&self, out: &str, flags: &[&str]) -> Finished {
        let mut command = Command::new(ARENA);
        command.args(["tournament", "plan", "--bots"]).arg(self.bench.path("bots.toml"));
        // The options of a game are no flags of another one.
        let other = |flag: &str| {
            flags.contains(&"--game") && ["--clients", "--max-ticks"].contains(&flag)
                // Variants have maps of their own size.
                || flags.contains(&"--vary") && ["--width", "--height"].contains(&flag)
        };
        let small = SMALL.chunks(2).filter(|pair| !flags.contains(&pair[0]) && !other(pair[0])).flatten();
        Running::start(command.arg("--out").arg(self.out(out)).args(small).args(flags)).finish()
    }

    /// Plans it and says how many matches there are.
    pub fn planned(&self, out: &str, flags: &[&str]) -> usize {
        let finished = self.plan(out, flags);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        fs::read_to_string(self.out(out).join("plan.jsonl")).unwrap().lines().count()
    }

    /// Also where a bot can't be started: most bots here are broken on purpose.
    pub fn start(&self, out: &str, flags: &[&str]) -> Running {
        self.begin(out, &[flags, &["--keep-going"]].concat())
    }

    /// As people do.
    pub fn begin(&self, out: &str, flags: &[&str]) -> Running {
        let mut command = Command::new(ARENA);
        command.args(["tournament", "run"]).arg(self.out(out)).args(flags);
        if !flags.contains(&"--sandbox") {
            // Most bots here note things outside of their folders.
            command.args(["--sandbox", "none"]);
        }
        Running::start(&mut command)
    }

    pub fn run(&self, out: &str, flags: &[&str]) -> Finished {
        self.start(out, flags).finish_within(WHOLE)
    }

    pub fn status(&self, out: &str) -> serde_json::Value {
        let mut command = Command::new(ARENA);
        command.args(["tournament", "status", "--json"]).arg(self.out(out));
        let finished = Running::start(&mut command).finish();
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        serde_json::from_str(&finished.stdout).unwrap()
    }

    /// All results, by their names, to the byte.
    pub fn results(&self, out: &str) -> BTreeMap<String, String> {
        let folder = self.out(out).join("results");
        let names = names(&folder).into_iter();
        names.map(|name| (name.clone(), fs::read_to_string(folder.join(name)).unwrap())).collect()
    }

    /// How many results there are by now.
    pub fn played(&self, out: &str) -> usize {
        fs::read_dir(self.out(out).join("results")).map_or(0, Iterator::count)
    }

    /// How often players were started so far.
    pub fn starts(&self) -> usize {
        fs::read_to_string(self.bench.path("starts")).unwrap_or_default().lines().count()
    }

    /// Fails unless matches have left what they should and nothing else, and no program lives on.
    pub fn assert_tidy(&self, out: &str) {
        let results = names(&self.out(out).join("results"));
        let matches: Vec<String> = names(&self.out(out).join("matches"));
        let wanted: Vec<String> =
            results.iter().map(|name| name.trim_end_matches(".json").to_owned()).collect();
        assert_eq!(matches, wanted);
        for id in &matches {
            let left = names(&self.out(out).join("matches").join(id));
            assert_eq!(left, ["logs", "match.zrec", "result.json"]);
        }
        assert_eq!(names(&self.out(out)), ["bots.json", "matches", "plan.jsonl", "results"]);
        self.wait_for_silence();
    }

    /// Until no program of a bot is left.
    pub fn wait_for_silence(&self) {
        wait_for("the end of all bots", || self.alive().is_empty().then_some(()));
    }

    /// The processes that bots of this stage are, or have started.
    fn alive(&self) -> Vec<String> {
        let mark = format!("TEST_MARK={}", self.mark());
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let marked = processes.filter(|process| {
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
        });
        marked.map(|process| process.file_name().into_string().unwrap()).collect()
    }
}
