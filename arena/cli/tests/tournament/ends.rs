//! Bots that misbehave: each gets the right word, the match its result, and no process is left over.
//!
//! Some are Python; where there is none, a line says so and they are left out, unless `ZAPPY_PYTHON=required`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Pid;
use serde_json::Value;

use super::stage::{Stage, WHOLE};
use crate::support::{PYTHON, assert_gone, client, names, quoted};

/// The ends of a bot in all its matches, with the words to them.
fn ends(stage: &Stage, out: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut ends: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for text in stage.results(out).values() {
        let result: Value = serde_json::from_str(text).unwrap();
        for seat in result["seats"].as_array().unwrap() {
            let words = |key: &str| seat[key].as_str().unwrap_or_default().to_owned();
            ends.entry(words("team")).or_default().push((words("end"), words("end_detail")));
        }
    }
    ends
}

/// The folder of the Python bots; none where there is no Python.
fn python() -> Option<String> {
    let quiet = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if quiet(Command::new("python3").arg("--version")).is_ok_and(|status| status.success()) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots");
        return Some(format!("folder = {:?}\n", folder.display().to_string()));
    }
    let required = std::env::var_os("ZAPPY_PYTHON").is_some_and(|value| value == "required");
    assert!(!required, "ZAPPY_PYTHON=required, but there is no python3");
    eprintln!("there is no python3, so its bots are not played");
    None
}

/// Plays each bot against our client and compares how its two matches ended.
fn play(stage: &mut Stage, flags: &[&str], wanted: &[(&str, &str, &str)]) {
    stage.player("good");
    let flags = [&["--against", "good", "--seeds", "1"], flags].concat();
    assert_eq!(stage.planned("night", &flags), 2 * wanted.len());
    let finished = stage.run("night", &["--strict"]);
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    stage.assert_tidy("night");
    let ends = ends(stage, "night");
    assert!(ends["good"].iter().all(|(end, _)| end == "played"), "{:?}", ends["good"]);
    for (name, end, words) in wanted {
        assert_eq!(ends[*name].len(), 2);
        for (found, detail) in &ends[*name] {
            assert!(found == end && detail.contains(words), "{name}: {found}, {detail}");
            let told = format!("{name} misbehaved: {end} 2 of 2 matches\n");
            assert!(finished.stdout.contains(&told), "{}", finished.stdout);
        }
    }
}

#[test]
fn who_does_not_come_is_told_from_who_cannot() {
    let mut stage = Stage::new();
    stage.script("fails", "exit 3", "");
    stage.script("waits", "exec sleep 600", "");
    stage.script("broken", "", "");
    let make = "printf '#!/no/such/interpreter\\n' >\"$0\"";
    assert!(
        Command::new("sh").args(["-c", make]).arg(stage.bench.path("broken/bot")).status().unwrap().success()
    );
    play(
        &mut stage,
        &["--lobby-time", "2"],
        &[
            ("fails", "failed_to_start", "it ended before anybody joined: exit code 3"),
            ("waits", "never_joined", "it ran and nobody joined"),
            ("broken", "failed_to_start", "its program can't be run"),
        ],
    );
    let logs = names(&stage.out("night/matches")).into_iter();
    let logs = logs.map(|id| stage.out("night/matches").join(id).join("logs/broken-1.log"));
    let told: Vec<String> = logs.filter_map(|log| fs::read_to_string(log).ok()).collect();
    assert!(told.len() == 2 && told.iter().all(|log| log.contains("what is to run it isn't")), "{told:?}");
}

#[test]
fn who_never_says_a_word_has_not_played() {
    let mut stage = Stage::new();
    if !add_python(&mut stage, &[("silent", "silent.py", "")]) {
        return;
    }
    // It would live for 1,260 ticks on what it was born with.
    let flags = ["--think-time", "3000", "--max-ticks", "150"];
    play(&mut stage, &flags, &[("silent", "unresponsive", "it never sent a command")]);
}

#[test]
fn after_the_first_pair_in_which_a_bot_can_not_be_started_the_rest_waits_for_its_mending() {
    let mut stage = Stage::new();
    for name in ["ada", "bob"] {
        stage.player(name);
    }
    stage.script("broken", "echo 'no module named zappy' >&2\nexit 3", "");
    let matches = stage.planned("night", &["--seeds", "3"]);
    let finished = stage.begin("night", &["--sandbox", "none", "--jobs", "1"]).finish_within(WHOLE);
    assert_eq!(finished.code(), 1, "{}", finished.stderr);
    let error = finished.error();
    let words = "broken can't be started: it ended before anybody joined: exit code 3; it said: no module named zappy";
    assert!(error.contains(words) && error.contains("--keep-going"), "{error}");
    assert!(error.contains("/logs/broken-1.log"), "{error}");
    let played = stage.played("night");
    assert!((4..matches / 2).contains(&played), "{played} of {matches}");
    assert_eq!(stage.run("night", &[]).code(), 0, "with --keep-going it goes on");
    assert_eq!(stage.played("night"), matches);
}

#[test]
fn who_burns_too_much_is_stopped() {
    let mut stage = Stage::new();
    stage.script("burns", "while :; do :; done", "limits = { cpu_seconds = 1 }\n");
    // On a busy machine a second of a processor takes many on the wall.
    let wanted = [("burns", "killed_by_limit", "a process used more than 1 s of a processor")];
    play(&mut stage, &["--lobby-time", "120"], &wanted);
}

#[test]
fn what_is_written_when_the_match_is_over_is_told_and_costs_no_result() {
    let mut stage = Stage::new();
    let write = |name: &str| format!("head -c 800000 </dev/zero >{name}");
    let body = format!("{} \"$@\"\n{}\n{}", client(), write("one"), write("two"));
    stage.script("hoards", &body, "limits = { disk_mib = 1 }\n");
    play(&mut stage, &[], &[("hoards", "killed_by_limit", "it used more than 1 MiB of disk")]);
}

/// Python bots: their names, what they run, and more of their entries.
pub fn add_python(stage: &mut Stage, bots: &[(&str, &str, &str)]) -> bool {
    let Some(folder) = python() else { return false };
    for (name, command, more) in bots {
        let command = format!("{PYTHON} {command} -p {{port}} -n {{team}} -h {{host}}");
        stage.add(name, &command, &format!("{folder}{more}"));
    }
    true
}

#[test]
fn who_comes_and_misbehaves_is_told_how() {
    let mut stage = Stage::new();
    let bots =
        [("dies", "dies.py --moments 3", ""), ("silent", "silent.py", ""), ("garbage", "garbage.py", "")];
    if !add_python(&mut stage, &bots) {
        return;
    }
    play(
        &mut stage,
        &["--think-time", "3000", "--max-late", "0"],
        &[
            ("dies", "crashed", "1 player left in the match: exit code 3"),
            ("silent", "late", "1 player ended for being late"),
            ("garbage", "protocol_violation", "were no command"),
        ],
    );
}

#[test]
fn who_takes_too_much_is_ended_with_all_it_started() {
    let mut stage = Stage::new();
    let bots = [
        ("eats", "glutton.py --of memory", "limits = { team_memory_mib = 200 }\n"),
        ("starves", "glutton.py --of memory", "limits = { memory_mib = 200 }\n"),
        ("litters", "glutton.py --of disk", "limits = { disk_mib = 40 }\n"),
        ("writes", "glutton.py --of file", "limits = { disk_mib = 40 }\n"),
        ("unlinks", "glutton.py --of nameless", "limits = { disk_mib = 40 }\n"),
        ("hides", "glutton.py --of hidden", "limits = { team_memory_mib = 200 }\n"),
        ("forks", "glutton.py --of processes", "limits = { processes = 20 }\n"),
        ("spins", "glutton.py --of threads", "limits = { processes = 10 }\n"),
        ("crowds", "glutton.py --of connections", "limits = { files = 40 }\n"),
    ];
    if !add_python(&mut stage, &bots) {
        return;
    }
    play(
        &mut stage,
        &[],
        &[
            ("eats", "killed_by_limit", "it used more than 200 MiB of memory in all its processes"),
            // The kernel says no; what it makes of that is its own.
            ("starves", "crashed", "1 player left in the match: exit code 1"),
            ("litters", "killed_by_limit", "it used more than 40 MiB of disk"),
            ("writes", "crashed", "1 player left in the match: exit code 1"),
            ("unlinks", "killed_by_limit", "it used more than 40 MiB of disk"),
            ("hides", "killed_by_limit", "it used more than 200 MiB of memory in all its processes"),
            ("forks", "killed_by_limit", "it used more than 20 processes at one time"),
            ("spins", "killed_by_limit", "it used more than 160 threads in all its processes"),
            ("crowds", "killed_by_limit", "it used more than 40 connections at one time"),
        ],
    );
}

#[test]
fn who_will_not_go_is_ended_and_harms_nobody() {
    let mut stage = Stage::new();
    let note = stage.bench.path("runaways");
    let runaway = format!("runaway.py --note {}", quoted(&note));
    if !add_python(
        &mut stage,
        &[
            ("flood", "flood.py", ""),
            ("deaf", "deaf.py", ""),
            ("away", &runaway, ""),
            ("stubborn", "stubborn.py", ""),
        ],
    ) {
        return;
    }
    stage.player("good");
    let matches = stage.planned("night", &["--against", "good", "--seeds", "1"]);
    let finished = stage.run("night", &["--strict"]);
    assert_eq!(
        (finished.code(), stage.played("night")),
        (0, matches),
        "{}{}",
        finished.stdout,
        finished.stderr
    );
    stage.assert_tidy("night");
    // Two of each match: that which played and that which lay in wait.
    let away = fs::read_to_string(note).unwrap();
    let away: Vec<Pid> = away.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)).collect();
    assert_eq!(away.len(), 4);
    assert_gone(&away);
    let ends = ends(&stage, "night");
    assert!(ends.values().flatten().all(|(end, _)| end == "played"), "{ends:?}");
}

#[test]
fn limits_reach_the_program() {
    let mut stage = Stage::new();
    let body = "ulimit -v\nulimit -t\nhead -c 100000 /dev/zero | tr '\\0' x\nexit 3";
    stage.script("tells", body, "limits = { memory_mib = 512, cpu_seconds = 7, log_kib = 2 }\n");
    play(&mut stage, &["--lobby-time", "2"], &[("tells", "failed_to_start", "exit code 3")]);
    for id in names(&stage.out("night").join("matches")) {
        let log = stage.out("night").join("matches").join(id).join("logs/tells-1.log");
        let log = fs::read_to_string(log).unwrap();
        assert!(log.starts_with("524288\n7\nxxx"), "{}", &log[..100]);
        assert!(log.len() < 3_000 && log.contains("a log holds at most 2048 bytes"), "{}", log.len());
    }
}
