//! The tiny game through the server: sockets, both clocks, records of both levels, verifying and expanding.

#[path = "tiny/game.rs"]
mod game;

#[allow(dead_code, reason = "this test uses a part of it")]
mod process;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use process::Server;
use tempfile::TempDir;
use zappy_game::GameSpec;
use zappy_protocol::record::{RecordLevel, read_head};
use zappy_server::record::{expand, verify};
use zappy_server::result::MatchResult;

static GAMES: &[GameSpec] = &[game::SPEC];

/// The server with the longer table. The test asks Cargo to build it, since Cargo builds examples only when it runs
/// all tests, as `ZAPPY_PROGRAMS=built` says.
fn tiny_server() -> &'static Path {
    static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
        let path = Path::new(process::BINARY).with_file_name("examples/tiny_server");
        if std::env::var_os("ZAPPY_PROGRAMS").is_some_and(|value| value == "built") {
            return path;
        }
        let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
        let arguments =
            ["build", "-q", "-p", "zappy-server", "--example", "tiny_server", "--profile", profile];
        assert!(Command::new(env!("CARGO")).args(arguments).status().unwrap().success());
        path
    });
    &BUILT
}

/// Starts a match of the tiny game; its record and its result will lie in the folder.
fn start(flags: &[&str]) -> (Server, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(tiny_server());
    command.args(["--game", "tiny", "-p", "0", "--bind", "127.0.0.1", "-n", "red", "blue"]);
    command.args(["--no-console", "--record"]).arg(folder.path().join("match.zrec"));
    command.arg("--result").arg(folder.path().join("result.json")).args(flags);
    (Server::spawn(command.stdin(Stdio::null())), folder)
}

/// Three turns, all won by red; gives what an observer read, the record and the result.
fn play(flags: &[&str]) -> (Vec<String>, Vec<u8>, MatchResult) {
    let (server, folder) = start(flags);
    let mut observer = server.enter("GRAPHIC");
    observer.expect("gam tiny 1");
    let (mut red, mut blue) = (server.enter("red"), server.enter("blue"));
    for (client, number) in [(&mut red, "7\n"), (&mut blue, "5\n")] {
        client.expect("0");
        client.expect("10 10");
        client.send(number);
    }
    for _ in 0..2 {
        for (client, number) in [(&mut red, "7\n"), (&mut blue, "5\n")] {
            client.expect("ok");
            client.send(number);
        }
    }
    assert_eq!([red.rest(), blue.rest()], [["ok"]; 2]);
    let seen = observer.rest();
    let (record, result) = server.record_and_result(folder.path());
    (seen, record, result)
}

fn check(record: &[u8], result: &MatchResult) {
    let verified = verify(record, GAMES).unwrap();
    assert!(verified.complete);
    assert_eq!((result.game.as_str(), result.reason.as_str()), ("tiny", "points"));
    assert_eq!((&result.winner, &result.winners), (&Some("red".to_owned()), &vec!["red".to_owned()]));
    assert_eq!(result.configuration.options["points"], 3);
    let scores: Vec<(u32, i64, u64)> =
        result.teams.iter().map(|team| (team.rank, team.score, team.conduct.commands)).collect();
    assert_eq!(scores, [(1, 3, 3), (2, 0, 3)]);
    let head = read_head(record).unwrap().header;
    assert_eq!((head.game.as_str(), head.rules_version, head.option("points")), ("tiny", 1, Some("3")));
}

#[test]
fn in_lockstep_the_same_match_leaves_the_same_record() {
    let flags = ["--clock", "lockstep", "--seed", "5"];
    let (seen, record, result) = play(&flags);
    assert!(result.reproducible, "{:?}", result.not_reproducible);
    assert_eq!(seen.last().map(String::as_str), Some("seg red"));
    check(&record, &result);
    assert_eq!(play(&flags).1, record);
}

#[test]
fn a_record_of_inputs_expands_to_the_full_one() {
    let (_, full, result) = play(&["--clock", "lockstep", "--seed", "5"]);
    let (_, inputs, _) = play(&["--clock", "lockstep", "--seed", "5", "--record-level", "inputs"]);
    check(&inputs, &result);
    let mut expanded = Vec::new();
    expand(&inputs, GAMES, RecordLevel::Full, &mut expanded).unwrap();
    assert_eq!(expanded, full);
}

#[test]
fn a_few_bytes_cannot_keep_a_reader_for_ever() {
    let (_, inputs, _) = play(&["--clock", "lockstep", "--record-level", "inputs"]);
    let text = String::from_utf8(inputs).unwrap();
    let body = text.lines().take_while(|line| !line.contains(" end ")).filter(|line| !line.contains(" . "));
    let begun: String = body.take(20).map(|line| format!("{line}\n")).collect();
    let refused = verify(format!("{begun}9999999999 k\n").as_bytes(), GAMES).unwrap_err().to_string();
    assert!(refused.contains("more happens than in any match with so few lines"), "{refused}");
}

#[test]
fn by_the_real_clock_turns_pass_by_themselves() {
    let (server, folder) = start(&["-f", "1000", "--max-ticks", "40", "--option", "points=9"]);
    let (mut red, blue) = (server.enter("red"), server.enter("blue"));
    red.send("3\n4\n");
    drop(blue.rest());
    assert!(red.rest().contains(&"ok".to_owned()));
    let (record, result) = server.record_and_result(folder.path());
    assert!(verify(&record, GAMES).unwrap().complete);
    assert_eq!((result.reason.as_str(), result.ticks), ("time", 40));
    assert_eq!(result.winner.as_deref(), Some("red"));
}

#[test]
fn the_ordinary_server_names_the_games_that_it_has() {
    let run = |arguments: &[&str]| {
        let out = Command::new(process::BINARY).args(arguments).output().unwrap();
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, said) = run(&["--game", "tiny", "-n", "red"]);
    let games = zappy_server::games::GAMES.iter().map(|game| game.name).collect::<Vec<_>>().join(", ");
    let right = format!("zappy_server: --game: there is no game tiny; the games are {games}");
    assert_eq!((code, said.lines().next()), (Some(84), Some(right.as_str())));
    let record = play(&["--clock", "lockstep"]).1;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), record).unwrap();
    let (code, said) = run(&["--verify", file.path().to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(said.contains("there is no game tiny"), "{said}");
}
