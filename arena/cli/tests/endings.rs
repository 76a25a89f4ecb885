//! How matches end: in order, deserted, by timeout, by the operator, by a server that fails; with which exit
//! code, and what is left in the folder.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::support::{Bench, Running, assert_gone, names, run};
use rustix::process::Signal;
use serde_json::{Value, json};

const COMPLETE: [&str; 3] = ["logs", "match.zrec", "result.json"];

#[test]
fn a_match_that_ends_leaves_record_result_and_logs() {
    let bench = Bench::new();
    let ender = bench.bot("ender", "echo \"$@\"; echo oops >&2; echo >\"$here/end\"; exit 3");
    let waiter = bench.bot("waiter", "exec sleep 600");
    let finished = run(bench.arena(&[("red", &ender), ("blue", &waiter)]).args([
        "--max-ticks",
        "9",
        "-v",
        "--record-delay",
        "5",
    ]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(
        finished.stdout.starts_with("winner: red (elevation) after 77 ticks, seed 5"),
        "{}",
        finished.stdout
    );
    assert_eq!(bench.left(), COMPLETE);
    assert_eq!(names(&bench.path("out/logs")), ["blue-1.log", "red-1.log", "server.log"]);
    assert_eq!(bench.log("red-1.log"), "-p 9 -n red -h 127.0.0.1\noops\n");
    assert!(bench.log("server.log").contains("a word for the log"));
    let arguments = fs::read_to_string(bench.path("server.args")).unwrap();
    let expected = "--bind 127.0.0.1 -n red blue -p 0 -x 20 -y 20 -f 100 --max-ticks 9 --seed - --game zappy \
                    --option rules=subject --option clients=6 --option display-eggs=off --clock real --record ";
    assert!(arguments.starts_with(expected) && arguments.ends_with("--no-console\n"), "{arguments}");
    assert!(arguments.contains(" --record-delay 5 "), "{arguments}");
    let result = bench.result();
    assert_eq!(result["winner"], "red");
    assert_eq!((&result["ticks"], &result["seed"]), (&json!(77), &json!(5)));
    assert_eq!(result["configuration"]["width"], 20, "what the server said stays");
    let arena = &result["arena"];
    assert_eq!((&arena["outcome"], &arena["error"]), (&json!("ended"), &Value::Null));
    assert_eq!(arena["record_verified"], true);
    assert_eq!(arena["teams"][0]["command"], json!(ender));
    assert_eq!(arena["teams"][0]["processes"][0]["log"], "logs/red-1.log");
    assert_eq!(arena["teams"][0]["processes"][0]["end"]["code"], 3);
    assert_eq!(arena["teams"][0]["processes"][0]["end"]["by_arena"], false);
    assert_eq!(arena["teams"][1]["processes"][0]["end"]["signal"], 15);
    assert_eq!(arena["teams"][1]["processes"][0]["end"]["by_arena"], true);
    assert_gone(&bench.pids("bots.pid", 2));
    assert_gone(&bench.pids("server.pid", 1));
}

#[test]
fn a_match_that_its_record_does_not_prove_has_failed() {
    let bench = Bench::new();
    fs::write(bench.path("unproved"), "").unwrap();
    let ender = bench.bot("ender", "echo >\"$here/end\"");
    let finished = run(&mut bench.arena(&[("red", &ender)]));
    assert_eq!(finished.code(), 1, "{}", finished.stderr);
    assert!(
        finished.error().starts_with("nothing proves the match: its record is none: "),
        "{}",
        finished.stderr
    );
    assert!(finished.stdout.contains("not to be scored: nothing proves the match: "), "{}", finished.stdout);
    let arena = &bench.result()["arena"];
    assert_eq!((&arena["outcome"], &arena["record_verified"]), (&json!("unproved"), &json!(false)));
    assert!(arena["error"].as_str().unwrap().starts_with("nothing proves the match: "));
    assert_eq!(bench.left(), COMPLETE);
}

#[test]
fn no_bot_tells_the_arena_to_stop() {
    let bench = Bench::new();
    let red = bench.bot(
        "red",
        "keeper=$(sed -n 's/^PPid:.//p' /proc/$PPID/status)\nkill -TERM $keeper; kill -INT $keeper; kill -TERM $PPID\n\
         exec sleep 600",
    );
    // It ends the match once the other one was ended.
    let body = "while ! grep -q '^State:.*Z' \"/proc/$(cat \"$here/red.pid\")/status\" 2>/dev/null; do sleep 0.05; done\n\
                echo >\"$here/end\"";
    let blue = bench.bot("blue", body);
    let red = format!("sh -c 'echo $$ >\"$0.pid\"; exec \"$0\"' {red}");
    let finished = run(&mut bench.arena(&[("red", &red), ("blue", &blue)]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let result = bench.result();
    assert_eq!(result["arena"]["outcome"], "ended");
    assert_eq!(result["arena"]["teams"][0]["foul"], "a program of it sent the arena a signal to stop");
    assert_eq!(result["arena"]["teams"][1]["foul"], Value::Null);
    assert_eq!(result["winner"], Value::Null, "the server named red");
}

#[test]
fn placeholders_reach_the_bot() {
    let bench = Bench::new();
    let ender = bench.bot("ender", "echo \"$@\"; echo >\"$here/end\"");
    let finished =
        run(bench.arena(&[("red", &format!("{ender} '{{team}} at' {{host}}:{{port}}"))]).arg("-q"));
    assert_eq!((finished.code(), finished.stderr.as_str()), (0, ""));
    assert_eq!(bench.log("red-1.log"), "red at 127.0.0.1:9\n");
}

#[test]
fn a_seed_is_drawn_and_told() {
    let bench = Bench::new();
    let ender = bench.bot("ender", "echo >\"$here/end\"");
    let mut command = bench.arena(&[("red", &ender)]);
    // The last one counts nowhere: a flag may come once, so the usual seed is left out by hand.
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let place = arguments.iter().position(|argument| argument == "--seed").unwrap();
    command = std::process::Command::new(crate::support::ARENA);
    command.args(&arguments[..place]).args(&arguments[place + 2..]);
    let finished = run(&mut command);
    let seed = bench.result()["seed"].as_u64().unwrap();
    assert!(finished.stderr.contains(&format!("seed {seed},")), "{}", finished.stderr);
    // The server heard it on its stdin.
    assert!(fs::read_to_string(bench.path("server.args")).unwrap().contains("--seed - "));
}

#[test]
fn a_match_that_nobody_plays_any_more_is_ended() {
    let bench = Bench::new();
    let finished = run(&mut bench.arena(&[("red", "true"), ("blue", "false")]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(finished.stderr.contains("blue-1 failed after"), "{}", finished.stderr);
    let result = bench.result();
    assert_eq!((&result["winner"], &result["reason"]), (&Value::Null, &json!("stopped")));
    assert_eq!(result["arena"]["outcome"], "deserted");
    assert_eq!(bench.left(), COMPLETE);
}

#[test]
fn the_timeout_cuts_a_match_off() {
    let bench = Bench::new();
    let bot = bench.bot("bot", "exec sleep 600");
    let finished = run(bench.arena(&[("red", &bot)]).args(["--timeout", "1"]));
    assert_eq!(finished.code(), 1);
    assert!(finished.error().starts_with("no bot had logged in after 1 s, and the match was cut off"));
    assert_eq!(bench.result()["arena"]["outcome"], "timed_out");
    assert_eq!(bench.result()["reason"], "stopped");
    assert_eq!(bench.left(), COMPLETE);
    assert_gone(&bench.pids("bots.pid", 1));
    assert_gone(&bench.pids("server.pid", 1));
}

#[test]
fn the_operator_ends_everything() {
    for signal in [Signal::INT, Signal::TERM] {
        let bench = Bench::new();
        let bot = bench.bot("bot", "trap '' INT; sleep 600");
        let arena = Running::start(&mut bench.arena(&[("red", &bot), ("blue", &bot)]));
        let bots = bench.pids("bots.pid", 2);
        arena.signal(signal);
        let finished = arena.finish();
        assert_eq!(finished.code(), 130, "{signal:?}: {}", finished.stderr);
        assert_eq!(finished.error(), "interrupted; the match was not played to its end");
        assert_eq!(bench.result()["arena"]["outcome"], "interrupted");
        assert_eq!(bench.left(), COMPLETE);
        assert_gone(&bots);
        assert_gone(&bench.pids("server.pid", 1));
    }
}

#[test]
fn started_with_nohup_it_outlives_its_terminal() {
    let bench = Bench::new();
    let bot = bench.bot("bot", "exec sleep 600");
    let arena = bench.arena(&[("red", &bot)]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", crate::support::ARENA]).args(arena.get_args());
    let arena = Running::start(&mut shell);
    bench.pids("bots.pid", 1);
    arena.signal(Signal::HUP);
    fs::write(bench.path("end"), "\n").unwrap();
    let finished = arena.finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(bench.result()["arena"]["outcome"], "ended");
}

#[test]
fn who_insists_waits_for_nobody() {
    let bench = Bench::new();
    let stubborn = "trap '' TERM; echo $$ >\"$(dirname \"$0\")/server.pid\"; echo 127.0.0.1:9; \
                    while :; do sleep 1; done";
    bench.script("server", stubborn);
    let bot = bench.bot("bot", "trap '' TERM INT HUP; while :; do sleep 1; done");
    let arena = Running::start(&mut bench.arena(&[("red", &bot)]));
    let pids = [bench.pids("bots.pid", 1), bench.pids("server.pid", 1)].concat();
    let begin = Instant::now();
    // Signals that come too close together are one to the kernel.
    let finished = arena.insist(Signal::INT);
    assert_eq!(finished.code(), 130, "{}", finished.stderr);
    assert!(begin.elapsed() < Duration::from_secs(10), "the server's grace alone is longer");
    assert_gone(&pids);
}

/// What an observer reads of a short match.
const SEEN: &str = "WELCOME\nmsz 20 20\nsgt 100\ntna red\ntna blue\npnw #0 1 1 1 1 red\npnw #1 2 2 1 1 blue\n\
                    plv #0 2\npdi #1\nseg red\n";

#[test]
fn where_there_is_no_terminal_events_are_lines() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let waiter = bench.bot("waiter", "exec sleep 600");
    let mut command = bench.arena(&[("red", &waiter), ("blue", "true")]);
    let arena = Running::start(command.env("PORT", port));
    let (mut observer, _) = listener.accept().unwrap();
    let mut login = String::new();
    BufReader::new(&observer).read_line(&mut login).unwrap();
    assert_eq!(login, "GRAPHIC\n");
    observer.write_all(SEEN.as_bytes()).unwrap();
    // Its end is read after all that came before.
    drop(observer);
    arena.wait_for_line("red reaches level 2");
    fs::write(bench.path("end"), "\n").unwrap();
    let finished = arena.finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    for line in ["red reaches level 2", "blue lost 1 more, 0 alive"] {
        assert!(finished.stderr.contains(line), "{line} in {}", finished.stderr);
    }
    assert!(!finished.stderr.contains('\x1b'), "{}", finished.stderr);
}

#[test]
fn a_server_that_refuses_is_quoted() {
    let bench = Bench::new();
    bench.script("server", "echo 'zappy_server: -x is 0, the range is 1 to 500' >&2; exit 84");
    let finished = run(&mut bench.arena(&[("red", "true")]));
    assert_eq!(finished.code(), 1);
    let expected = "the server failed: it ended before it listened (exit code 84): zappy_server: -x is 0, the \
                    range is 1 to 500; its log is ";
    assert!(finished.error().starts_with(expected), "{}", finished.stderr);
    assert_eq!(bench.result()["reason"], "server_failed");
    assert_eq!(bench.left(), ["logs", "result.json"]);
}

#[test]
fn a_server_that_dies_or_says_nothing_good_is_an_arena_failure() {
    let cases = [
        (
            "echo 127.0.0.1:9; sleep 0.2; kill -KILL $$",
            "ended it by signal 9, as any of its teams could (signal 9)",
        ),
        ("echo 127.0.0.1:9; sleep 0.2", "it left no result (exit code 0)"),
        ("echo 127.0.0.1:9; sleep 0.2; echo '{1' >\"$RESULT\"", "its result is not JSON"),
        ("echo 127.0.0.1:9; sleep 0.2; echo '[]' >\"$RESULT\"", "its result is no match's"),
    ];
    for (body, expected) in cases {
        let bench = Bench::new();
        let find = "for word; do [ \"$last\" = --result ] && RESULT=$word; last=$word; done\n";
        bench.script("server", &format!("{find}{body}"));
        let finished = run(&mut bench.arena(&[("red", "sleep 600")]));
        assert_eq!(finished.code(), 1, "{}", finished.stderr);
        assert!(finished.error().contains(expected), "{}\nexpected {expected}", finished.stderr);
        assert_eq!(bench.result()["winner"], Value::Null);
        assert_eq!(bench.left(), ["logs", "result.json"]);
    }
}

#[test]
fn a_server_that_never_listens_is_given_up() {
    let bench = Bench::new();
    bench.script("server", "echo $$ >\"$(dirname \"$0\")/server.pid\"; echo hello; exec sleep 600");
    let finished = run(&mut bench.arena(&[("red", "true")]));
    assert_eq!(finished.code(), 1);
    assert!(finished.error().contains("it did not say where it listens within 10 s"), "{}", finished.stderr);
    assert_gone(&bench.pids("server.pid", 1));
}
