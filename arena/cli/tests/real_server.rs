//! Whole matches on the real server: what the other tests' scripted server only promises.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use crate::support::{ARENA, Bench, DEADLINE, Running, assert_gone, client, names, run, server, wait_for};
use rustix::process::Signal;
use serde_json::{Value, json};

/// A whole match takes about ten seconds; a busy machine is slower, not the game.
const WHOLE_MATCH: Duration = Duration::from_secs(240);

/// A match on the real server, which is found without being named.
fn arena(bench: &Bench, bots: &[(&str, &str)]) -> Command {
    assert!(server().exists());
    let mut command = Command::new(ARENA);
    command.arg("match").arg("--out").arg(bench.path("out"));
    command.args(["--procs", "1", "--seed", "7", "--clients", "2", "--width", "10", "--height", "10"]);
    for (team, bot) in bots {
        command.arg("--bot").arg(format!("{team}={bot}"));
    }
    command
}

/// A bot that only tells its port, for a test that plays itself.
fn teller(bench: &Bench) -> String {
    bench.bot("teller", "echo $2 >\"$here/port.new\"; mv \"$here/port.new\" \"$here/port\"; exec sleep 600")
}

/// Logs a player in and lets it turn round once.
fn join(bench: &Bench, team: &str) -> BufReader<TcpStream> {
    let port = wait_for("the port", || std::fs::read_to_string(bench.path("port")).ok());
    let stream = TcpStream::connect(("127.0.0.1", port.trim().parse().unwrap())).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut player = BufReader::new(stream);
    write!(player.get_mut(), "{team}\nRight\nNonsense\n").unwrap();
    for expected in ["WELCOME\n", "1\n", "10 10\n", "ok\n", "ko\n"] {
        let mut line = String::new();
        player.read_line(&mut line).unwrap();
        assert_eq!(line, expected);
    }
    player
}

#[test]
fn a_match_that_no_bot_joined_was_not_ended_by_an_operator() {
    let bench = Bench::new();
    let mut command = arena(&bench, &[("red", "true"), ("blue", "false")]);
    let finished = Running::start(command.args(["--clock", "lockstep"])).finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let words = "nobody joined: all programs of the bots had ended before";
    assert_eq!(bench.result()["not_reproducible"], json!([words]));
    assert!(finished.stdout.contains(words) && !finished.stdout.contains("operator"), "{}", finished.stdout);
}

#[test]
fn a_match_is_played_to_its_last_tick_and_its_record_proves_it() {
    let bench = Bench::new();
    let bot = teller(&bench);
    let mut command = arena(&bench, &[("red", &bot), ("blue", "sleep 600")]);
    let running = Running::start(command.args(["--freq", "1000", "--max-ticks", "1000"]));
    let player = join(&bench, "red");
    let finished = running.finish();
    drop(player);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(finished.stdout.starts_with("winner: red ("), "{}", finished.stdout);
    assert_eq!(bench.left(), ["logs", "match.zrec", "result.json"]);
    assert_eq!(names(&bench.path("out/logs")), ["blue-1.log", "red-1.log", "server.log"]);
    let result = bench.result();
    assert_eq!((&result["ticks"], &result["seed"]), (&json!(1000), &json!(7)));
    assert_eq!(result["teams"][0]["born"], 1);
    assert_eq!(result["teams"][0]["players"][0]["refused"], 1);
    assert_eq!(result["arena"]["outcome"], "ended");
    assert_eq!(result["arena"]["server"]["end"]["code"], 0);
    crate::support::assert_proven(&bench.path("out"));
}

#[test]
fn the_operator_gets_record_and_result_all_the_same() {
    let bench = Bench::new();
    let bot = teller(&bench);
    let running = Running::start(&mut arena(&bench, &[("red", &bot)]));
    let player = join(&bench, "red");
    running.signal(Signal::INT);
    let finished = running.finish();
    drop(player);
    assert_eq!(finished.code(), 130, "{}", finished.stderr);
    assert_eq!(bench.left(), ["logs", "match.zrec", "result.json"]);
    let result = bench.result();
    assert_eq!((&result["winner"], &result["arena"]["outcome"]), (&Value::Null, &json!("interrupted")));
    assert_eq!(result["teams"][0]["alive"], 1);
    assert_gone(&bench.pids("bots.pid", 1));
}

#[test]
fn a_match_without_players_is_ended() {
    let bench = Bench::new();
    let finished = run(&mut arena(&bench, &[("red", "true"), ("blue", "true")]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let result = bench.result();
    assert_eq!((&result["winner"], &result["teams"][0]["born"]), (&Value::Null, &json!(0)));
}

#[test]
fn our_client_plays_itself_to_a_winner() {
    let bench = Bench::new();
    let client = client();
    let mut command = Command::new(ARENA);
    assert!(server().exists());
    command.args(["match", "--seed", "1", "--freq", "500", "--out"]).arg(bench.path("out"));
    command.arg("--bot").arg(format!("red={client}")).arg("--bot").arg(format!("blue={client}"));
    let running = Running::start(&mut command);
    let finished = running.finish_within(WHOLE_MATCH);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let result = bench.result();
    assert_eq!(result["reason"], "elevation", "{}", finished.stdout);
    assert!(result["winner"].is_string());
    assert_eq!(names(&bench.path("out/logs")).len(), 13);
    crate::support::assert_proven(&bench.path("out"));
}
