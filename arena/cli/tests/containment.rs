//! Bots that misbehave: no process outlives the match, logs stay small, and none escapes by the arena's own death.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{ARENA, Bench, Running, assert_gone, run, wait_for};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use zappy_play::programs::logfile::{BOT_LOG_LIMIT, LogFile};
use zappy_play::programs::process::{Process, SpawnOptions};

/// Ends the match once `count` processes have noted themselves.
fn ender(bench: &Bench, count: usize) -> String {
    let body = format!(
        "until [ $(wc -l <\"$here/bots.pid\") -ge {} ]; do sleep 0.02; done; echo >\"$here/end\"",
        count + 1
    );
    bench.bot("ender", &body)
}

#[test]
fn bots_that_ignore_signals_or_leave_children_are_ended() {
    let bench = Bench::new();
    let deaf = bench.bot("deaf", "trap '' TERM INT HUP; while :; do sleep 1; done");
    let parent = bench.bot("parent", "sleep 600 & echo $! >>\"$here/bots.pid\"; exit 0");
    let daemon = bench.bot(
        "daemon",
        "setsid sh -c 'echo $$ >>\"$0/bots.pid\"; trap \"\" TERM HUP; \
                                      while :; do sleep 1; done' \"$here\" >/dev/null 2>&1 & exit 0",
    );
    let bots =
        [("deaf", deaf.as_str()), ("parent", &parent), ("daemon", &daemon), ("red", &ender(&bench, 5))];
    let finished = run(&mut bench.arena(&bots));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_gone(&bench.pids("bots.pid", 6));
    let arena = &bench.result()["arena"];
    assert_eq!(arena["teams"][0]["processes"][0]["end"]["signal"], 9);
    assert_eq!(arena["teams"][1]["processes"][0]["end"]["code"], 0);
    assert!(arena["orphans_ended"].as_u64().unwrap() >= 1, "{arena}");
    assert_eq!(arena["orphans_left"], 0);
}

#[test]
fn what_a_bot_started_keeps_the_match_going() {
    let bench = Bench::new();
    // The parent leaves at once; only its child, which forked away, goes on to end the match as a winner.
    let bot = bench.bot("bot", "setsid sh -c 'sleep 2; echo >\"$0/end\"' \"$here\" >/dev/null 2>&1 & exit 0");
    let finished = run(&mut bench.arena(&[("red", &bot)]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(bench.result()["arena"]["outcome"], "ended");
    assert_eq!(bench.result()["winner"], "red");
}

#[test]
fn a_flood_fills_no_disk_and_stops_nobody() {
    let bench = Bench::new();
    let flood = bench.bot("flood", "exec yes floods");
    let patient = bench.bot(
        "patient",
        "until grep -q arena \"$here/out/logs/flood-1.log\" 2>/dev/null; do sleep 0.02; done; echo >\"$here/end\"",
    );
    let finished = run(&mut bench.arena(&[("flood", &flood), ("red", &patient)]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let log = bench.log("flood-1.log");
    assert!((log.len() as u64) < BOT_LOG_LIMIT + 100);
    assert!(log.ends_with("[cut by the arena: a log holds at most 1048576 bytes]\n"));
    assert_eq!(bench.result()["arena"]["teams"][0]["processes"][0]["log_cut"], true);
    assert_gone(&bench.pids("bots.pid", 2));
}

/// A bot that forks a child away from itself; neither heeds signals.
fn escaper(bench: &Bench) -> String {
    let body = "setsid sh -c 'echo $$ >>\"$0/bots.pid\"; trap \"\" TERM INT HUP; while :; do sleep 1; done' \
                \"$here\" & trap '' TERM INT HUP; while :; do sleep 1; done";
    bench.bot("escaper", body)
}

fn wait_until_gone(pids: &[Pid]) {
    wait_for("the end of all", || pids.iter().all(|pid| test_kill_process(*pid).is_err()).then_some(()));
}

#[test]
fn killing_the_arena_ends_its_match_in_order() {
    let bench = Bench::new();
    let arena = Running::start(&mut bench.arena(&[("red", &escaper(&bench))]));
    let pids = [bench.pids("bots.pid", 2), bench.pids("server.pid", 1)].concat();
    arena.signal(Signal::KILL);
    wait_until_gone(&pids);
    wait_for("the result", || bench.path("out/result.json").exists().then_some(()));
    assert_eq!(bench.result()["arena"]["outcome"], "interrupted");
    wait_for("the folder's last state", || {
        (bench.left() == ["logs", "match.zrec", "result.json"]).then_some(())
    });
}

#[test]
fn killing_the_process_that_plays_leaves_nobody() {
    let bench = Bench::new();
    let arena = Running::start(&mut bench.arena(&[("red", &escaper(&bench))]));
    let server = bench.pids("server.pid", 1);
    let pids = [bench.pids("bots.pid", 2), server.clone()].concat();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server[0])).unwrap();
    let player = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1).unwrap();
    kill_process(Pid::from_raw(player.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    let finished = arena.finish();
    assert_eq!(finished.code(), 1);
    assert!(finished.error().starts_with("the match was killed"), "{}", finished.stderr);
    assert_gone(&pids);
    assert_eq!(bench.left(), ["logs", "notes"]);
}

#[test]
fn a_panic_ends_what_was_started() {
    let folder = tempfile::tempdir().unwrap();
    let log = LogFile::create(folder.path().join("a.log"), 1000).unwrap();
    let script = "trap '' TERM; while :; do sleep 1; done";
    let arguments = ["-c".into(), script.into()];
    let process = Process::start(
        "a",
        Path::new(ARENA),
        Path::new("/bin/sh"),
        &arguments,
        &SpawnOptions::default(),
        Stdio::null(),
        log,
    )
    .unwrap();
    let pid = process.pid;
    assert!(test_kill_process(pid).is_ok());
    let panicked = catch_unwind(AssertUnwindSafe(move || {
        let _owned = process;
        panic!("as planned");
    }));
    assert!(panicked.is_err());
    assert_gone(&[pid]);
}

#[test]
fn a_program_that_turns_out_not_to_run_says_so_in_its_log() {
    let bench = Bench::new();
    let bad = bench.path("bad").display().to_string();
    let make = "printf '#!/no/such/interpreter\\n' >\"$0\"; chmod +x \"$0\"";
    assert!(Command::new("sh").args(["-c", make, &bad]).status().unwrap().success());
    let finished = run(&mut bench.arena(&[("red", &bad)]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(bench.result()["arena"]["teams"][0]["processes"][0]["end"]["code"], 127);
    assert!(bench.log("red-1.log").starts_with("zappy_arena: can't run "), "{}", bench.log("red-1.log"));
}
