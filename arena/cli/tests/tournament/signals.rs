//! Bots that end the server or the arena, or try to: the kernel tells who sent a signal that can be caught, so that its team
//! has lost; after `SIGKILL` the match is played again, and the team that stood behind is suspicious.

use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use zappy_play::programs::sandbox::Wish;

use super::ends::add_python;
use super::stage::Stage;
use crate::support::{ARENA, assert_proven, client, names, run};

/// A bot that does this before it plays as our client does; `$server` is the server of its match, if it sees one.
fn add(stage: &mut Stage, name: &str, does: &str) {
    let body = format!(
        "for process in /proc/[0-9]*; do\n    grep -q \"^PPid:.*[^0-9]$PPID\\$\" $process/status 2>/dev/null || continue\n    \
         grep -q zappy_server $process/cmdline && server=${{process#/proc/}}\ndone\n{does}\nexec {} \"$@\"",
        client()
    );
    stage.script(name, &body, "");
}

fn results(stage: &Stage) -> Vec<Value> {
    stage.results("night").values().map(|text| serde_json::from_str(text).unwrap()).collect()
}

#[test]
fn who_tells_the_server_or_the_arena_to_stop_has_lost() {
    let tricks = [
        ("ann", "kill -TERM $server; sleep 600", "a program of it sent the server signal 15"),
        ("bob", "(kill -HUP $server; sleep 600) & wait", "a program of it sent the server signal 1"),
        ("cid", "kill -INT $PPID; sleep 600", "a program of it sent the arena a signal to stop"),
        ("dan", "(kill -TERM $PPID; sleep 600) & wait", "a program of it sent the arena a signal to stop"),
    ];
    // The servers heed a hang-up also if these tests were started with nohup: what a process ignores is ignored by those that
    // it starts, and what it catches has its default effect there.
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::default()).unwrap();
    let mut stage = Stage::new();
    stage.player("good");
    tricks.iter().for_each(|(name, does, _)| add(&mut stage, name, does));
    let matches = stage.planned("night", &["--against", "good", "--seeds", "1"]);
    assert_eq!(matches, 2 * tricks.len());
    let finished = stage.run("night", &["--strict"]);
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    stage.assert_tidy("night");
    for result in results(&stage) {
        assert_eq!((&result["outcome"], &result["verified"]), (&json!("foul"), &json!(true)), "{result}");
        let winner = result["winner"].as_u64().unwrap() as usize;
        let [good, bad] = [&result["seats"][winner], &result["seats"][1 - winner]];
        let (.., words) = tricks.iter().find(|(name, ..)| bad["team"] == *name).unwrap();
        assert_eq!((&good["team"], &bad["end_detail"]), (&json!("good"), &json!(words)), "{result}");
        assert_eq!((&good["end"], &bad["rank"]), (&json!("played"), &json!(2)), "{result}");
    }
    assert_eq!(stage.status("night")["suspicious"], 0);
    for id in names(&stage.out("night").join("matches")) {
        assert_proven(&stage.out("night").join("matches").join(id));
    }
}

#[test]
fn a_server_takes_no_order_from_a_program_that_cannot_be_found() {
    let mut stage = Stage::new();
    stage.player("good");
    // The arena can't look before the sender has ended and was reaped.
    add(&mut stage, "eve", "kill -STOP $PPID; sh -c \"kill -TERM $server\"; kill -CONT $PPID");
    let matches = stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--strict"]);
    assert_eq!((finished.code(), stage.played("night")), (0, matches), "{}", finished.stderr);
    for result in results(&stage) {
        assert_eq!((&result["outcome"], &result["verified"]), (&json!("time"), &json!(true)), "{result}");
    }
}

/// Matches that a bot has ended are played again in a sandbox; where there is none, they aren't scored. What happened
/// before is told in either case.
fn told_of_all(stage: &Stage, matches: usize) -> Vec<(Vec<Value>, String)> {
    let finished = stage.run("night", &["--jobs", "1"]);
    let status = stage.status("night");
    let told = |one: &Value, why: &str| {
        let gained = one["gained"].as_array().cloned().unwrap_or_default();
        (gained, one[why].as_str().unwrap_or_else(|| panic!("{one}")).to_owned())
    };
    if Wish::Auto.settle().is_ok() {
        assert_eq!((finished.code(), stage.played("night")), (0, matches), "{}", finished.stderr);
        assert_eq!(status["suspicious"], json!(matches), "{status:#}");
        let results = results(stage);
        assert!(results.iter().all(|result| result["verified"] == true && result["outcome"] == "time"));
        return results.iter().map(|result| told(result, "earlier")).collect();
    }
    assert_eq!((finished.code(), stage.played("night")), (1, 0), "{}", finished.stderr);
    let failed = status["failed"].as_array().unwrap();
    assert_eq!(failed.len(), matches);
    failed.iter().map(|failure| told(failure, "why")).collect()
}

#[test]
fn who_kills_the_server_gains_nothing() {
    let mut stage = Stage::new();
    stage.player("ada");
    add(&mut stage, "assassin", "[ -z \"$server\" ] || kill -KILL $server");
    let matches = stage.planned("night", &["--seeds", "1"]);
    for (gained, why) in told_of_all(&stage, matches) {
        assert!(
            why.contains("ended it by signal 9, as ") && why.contains("none of them stood behind"),
            "{why}"
        );
        assert_eq!(gained, [] as [Value; 0]);
    }
    assert!(stage.status("night")["bots"].as_array().unwrap().iter().all(|bot| bot["suspicious"] == 0));
}

#[test]
fn a_stop_from_a_program_that_cannot_be_found_voids_the_match() {
    let mut stage = Stage::new();
    stage.player("ada");
    let does = "[ -z \"$server\" ] || { kill -STOP $PPID; sh -c \"kill -TERM $PPID\"; kill -CONT $PPID; }";
    add(&mut stage, "eve", does);
    let matches = stage.planned("night", &["--seeds", "1"]);
    for (_, why) in told_of_all(&stage, matches) {
        assert!(
            why.starts_with("a program that had ended when it was looked for told the arena to stop"),
            "{why}"
        );
    }
}

#[test]
fn who_stood_behind_when_something_killed_the_server_or_the_arena_is_suspicious() {
    for whom in ["zappy_server", "zappy_arena"] {
        let mut stage = Stage::new();
        stage.player("ada");
        let command = format!("killer.py --moments 15 --whom {whom}");
        if !add_python(&mut stage, &[("eve", command.as_str(), "")]) {
            return;
        }
        let matches = stage.planned("night", &["--seeds", "1", "--max-ticks", "600"]);
        for (gained, why) in told_of_all(&stage, matches) {
            assert!(
                why.contains(" could; eve stood behind at tick ") && why.contains(" gained by it"),
                "{why}"
            );
            assert_eq!(gained.len(), 1, "{why}");
        }
        let status = stage.status("night");
        assert_eq!(
            (&status["bots"][0]["suspicious"], &status["bots"][1]["suspicious"]),
            (&json!(0), &json!(2))
        );
        let merged = run(Command::new(ARENA).args(["tournament", "merge"]).arg(stage.out("night")));
        let words = "eve is suspicious: it stood behind when something else than the arena ended 2 matches";
        assert!(merged.stdout.contains(words), "{}", merged.stdout);
        let page = std::fs::read_to_string(stage.out("night/merged/index.html")).unwrap();
        assert!(page.contains(words));
    }
}
