//! Servers that are killed, and matches that go on: the real binary, both games and both clocks.

mod files;
#[allow(dead_code, reason = "this test uses a part of it")]
#[path = "../process/mod.rs"]
mod process;

use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use process::{BINARY, Client, PATIENCE, Server};
use zappy_server::games::GAMES;
use zappy_server::record::verify;

/// How a client of a game plays.
struct Player {
    /// What it reads when it is let in, `WELCOME` and its team's name left aside.
    welcome: usize,
    /// What it sends first.
    begins: &'static str,
    /// What it sends each time, once it was sent a line that begins with `asked`.
    says: fn(&str) -> Option<String>,
    /// What it reads, sooner or later, while it plays.
    reads: &'static str,
}

const ZAPPY: Player =
    Player { welcome: 2, begins: "Inventory\n", says: |_| Some("Inventory\n".to_owned()), reads: "[ food" };
const CONQUEST: Player = Player {
    welcome: 3,
    begins: "",
    says: |line| line.strip_prefix("go ").map(|turn| format!("Done {turn}\n")),
    reads: "go ",
};

impl Player {
    fn join(&self, server: &Server, team: &str) -> Client {
        let mut client = server.connect();
        self.log_in(&mut client, team);
        client
    }

    fn log_in(&self, client: &mut Client, team: &str) {
        client.expect("WELCOME");
        client.send(&format!("{team}\n"));
        for _ in 0..self.welcome {
            assert_ne!(client.line(), "ko");
        }
    }

    /// Two clients come in, and play until each has read so many lines that show that it plays.
    fn play_both(&self, server: &Server, times: usize) -> Vec<Client> {
        std::thread::scope(|scope| {
            let both = ["red", "blue"].map(|team| {
                let mut client = server.connect();
                scope.spawn(move || {
                    self.log_in(&mut client, team);
                    client.send(self.begins);
                    self.play(&mut client, times);
                    client
                })
            });
            both.into_iter().map(|plays| plays.join().unwrap()).collect()
        })
    }

    /// Plays until so many lines that show that it plays were read.
    fn play(&self, client: &mut Client, times: usize) {
        let mut read = 0;
        while read < times {
            let line = client.line();
            read += usize::from(line.starts_with(self.reads));
            if let Some(words) = (self.says)(&line) {
                client.send(&words);
            }
        }
    }
}

fn server(flags: &str, record: &Path) -> Server {
    let mut command = Command::new(BINARY);
    command.args(["-p", "0", "--bind", "127.0.0.1"]).args(flags.split_whitespace());
    Server::spawn(command.arg(record).stdin(Stdio::piped()))
}

/// Kills a server after so many lines of two players, and goes on with its match.
fn kill_and_go_on(flags: &str, player: &Player, times: usize) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.zrec");
    let killed = server(&format!("{flags} --record-delay 0 --record"), &record);
    let clients = player.play_both(&killed, times);
    drop((killed, clients));
    let before = verify(&std::fs::read(&record).unwrap(), GAMES).unwrap();
    assert!(!before.complete, "{before:?}");

    let mut resumed = server("--resume", &record);
    resumed.expect_log("players wait for their clients");
    let clients = player.play_both(&resumed, 3);
    resumed.console("/quit");
    drop(clients);
    let (status, log) = resumed.ended();
    assert!(status.success(), "{log:#?}");
    let after = verify(&std::fs::read(&record).unwrap(), GAMES).unwrap();
    assert!(after.complete && after.ticks >= before.ticks && after.inputs > before.inputs, "{after:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something is left over");
}

#[test]
fn a_killed_match_of_zappy_goes_on() {
    for times in [1, 2, 7, 30] {
        kill_and_go_on("-n red blue -c 1 -f 1000", &ZAPPY, times);
        kill_and_go_on("-n red blue -c 1 --clock lockstep", &ZAPPY, times);
    }
}

#[test]
fn a_killed_match_of_conquest_goes_on() {
    for times in [1, 2, 5] {
        kill_and_go_on("--game conquest -x 12 -y 10 -n red blue", &CONQUEST, times);
        kill_and_go_on(
            "--game conquest --rules arena -x 12 -y 10 -n red blue --clock lockstep",
            &CONQUEST,
            times,
        );
    }
}

/// A record whose players were left alone, and the folder that holds it.
fn left_alone(flags: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.zrec");
    let killed = server(&format!("{flags} --record-delay 0 --record"), &record);
    // In lockstep they are let in together; by the real clock each has its number.
    let joined = std::thread::scope(|scope| {
        let join = |team: &'static str| {
            let mut client = killed.connect();
            scope.spawn(move || {
                ZAPPY.log_in(&mut client, team);
                client.send("Inventory\n");
                client.skip_to("[ food");
                client
            })
        };
        let together = flags.contains("lockstep");
        let joins = ["red", "blue", "red"].map(|team| {
            let joins = join(team);
            if together { Err(joins) } else { Ok(joins.join().unwrap()) }
        });
        joins.map(|joined| joined.unwrap_or_else(|joins| joins.join().unwrap()))
    });
    drop((killed, joined));
    (folder, record)
}

#[test]
fn time_stands_still_until_all_are_back_and_the_first_orphan_is_taken_over_first() {
    let (_folder, record) = left_alone("-n red blue -c 2 -f 100");
    let mut resumed = server("--resume", &record);
    let mut observer = resumed.connect();
    observer.expect("WELCOME");
    observer.send("GRAPHIC\n");
    observer.skip_to("pnw #0");
    observer.send("sst 100000\n");
    observer.skip_to("sgt 100000");
    let mut red = ZAPPY.join(&resumed, "red");
    resumed.expect_log("takes over player #0 of red");
    let mut stranger = resumed.connect();
    stranger.expect("WELCOME");
    stranger.send("green\n");
    stranger.expect("ko");
    let _blue = ZAPPY.join(&resumed, "blue");
    resumed.expect_log("takes over player #1 of blue");
    red.send("Connect_nbr\n");
    red.expect("0");
    // A hundred thousand ticks a second, and no player has starved: one of them is still waited for.
    observer.send("pin #2\n");
    observer.skip_to("pin #2");
    resumed.console("/resume");
    resumed.expect_log("time runs again");
    observer.skip_to("pdi #2");
    observer.skip_to("pdi #0");
    resumed.console("/quit");
    assert!(resumed.ended().0.success());
    assert!(verify(&std::fs::read(&record).unwrap(), GAMES).unwrap().complete);
}

/// What a program says on its standard error that ends by itself, and its exit code.
fn ends(command: &mut Command) -> (String, Option<i32>) {
    let log = tempfile::tempfile().unwrap();
    let stderr = Stdio::from(log.try_clone().unwrap());
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
    let end = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if Instant::now() > end => break None,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let (mut log, mut text) = (log, Vec::new());
    log.rewind().unwrap();
    log.read_to_end(&mut text).unwrap();
    (String::from_utf8_lossy(&text).into_owned(), status.and_then(|status| status.code()))
}

/// The same of a server that doesn't come to listen.
fn said(flags: &str, record: &Path) -> (String, Option<i32>) {
    let mut command = Command::new(BINARY);
    command.args(["-p", "0", "--bind", "127.0.0.1"]).args(flags.split_whitespace());
    ends(command.arg(record))
}

/// Asserts that a server with these flags refuses to run, in these words, and touches nothing in the folder.
fn assert_refused(flags: &str, record: &Path, code: i32, words: &str) {
    let state = || {
        let entries = std::fs::read_dir(record.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = entries.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect();
        files.sort();
        files
    };
    let before = state();
    let (text, ended) = said(flags, record);
    assert!(ended == Some(code) && text.contains(words), "{flags} ends with {ended:?}: {text}");
    assert!(state() == before, "{flags} has changed a file");
}

fn result(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_match_tells_how_often_it_was_resumed() {
    for (flags, clock) in [("-f 100", "real"), ("--clock lockstep --wait-players 3", "lockstep")] {
        let (folder, record) = left_alone(&format!("-n red blue -c 2 {flags}"));
        let json = folder.path().join("result.json");
        let first = server("--resume", &record);
        let mut client = ZAPPY.join(&first, "red");
        drop(first);
        assert!(client.next().is_none());
        let mut again = server(&format!("--lobby-time 86400 --result {} --resume", json.display()), &record);
        again.expect_log("3 players wait for their clients");
        let clients = ["red", "blue", "red"].map(|team| ZAPPY.join(&again, team));
        again.expect_log("all players have their clients: time runs again");
        again.console("/quit");
        assert!(again.ended().0.success());
        drop(clients);
        let result = result(&json);
        let ticks = result["resumed"].as_array().unwrap_or_else(|| panic!("{result:#}"));
        assert_eq!((ticks.len(), &result["configuration"]["clock"]), (2, &clock.into()), "{result:#}");
        assert!(result.get("missing_clients").is_none(), "{result:#}");
        let told = result["not_reproducible"].to_string();
        ticks.iter().for_each(|tick| {
            assert!(told.contains(&format!("it was resumed at tick {tick}")), "{told}");
        });
        let text = std::fs::read_to_string(&record).unwrap();
        for mark in
            [" < c /resume\n", " * smg the match was resumed here, after its server had been killed\n"]
        {
            assert_eq!(text.matches(mark).count(), 2, "{mark}: {text}");
        }
        let output = Command::new(BINARY).arg("--verify").arg(&record).output().unwrap();
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(words.contains("lines, resumed 2 times"), "{words}");
    }
}

#[test]
fn an_operator_can_t_write_the_mark_of_a_resumption() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.zrec");
    let mut running = server("-n red blue --record", &record);
    running.console(" /resume ");
    running.expect_answer("no player waits for a client");
    running.console("/quit");
    assert!(running.ended().0.success());
    assert!(!std::fs::read_to_string(&record).unwrap().contains("resume"));
}

#[test]
fn a_match_that_ends_while_clients_are_waited_for_doesn_t_say_that_time_runs() {
    let (folder, record) = left_alone("-n red blue -c 2 -f 100");
    let json = folder.path().join("result.json");
    let mut resumed = server(&format!("--result {} --resume", json.display()), &record);
    resumed.console("/quit");
    let (status, log) = resumed.ended();
    assert!(status.success() && !log.iter().any(|line| line.contains("time runs again")), "{log:#?}");
    let missing = serde_json::json!([
        { "player": 0, "team": "red" }, { "player": 1, "team": "blue" }, { "player": 2, "team": "red" },
    ]);
    assert_eq!(result(&json)["missing_clients"], missing);
}

#[test]
fn clients_are_waited_for_as_long_as_the_lobby_s_time_after_the_first_one_came() {
    for flags in ["-f 100", "--clock lockstep --wait-players 3"] {
        let (folder, record) = left_alone(&format!("-n red blue -c 2 {flags}"));
        let json = folder.path().join("result.json");
        let mut resumed = server(&format!("--lobby-time 1 --result {} --resume", json.display()), &record);
        resumed.expect_log("3 players wait for their clients, and time for them, for 1s after the first one");
        let mut blue = ZAPPY.join(&resumed, "blue");
        resumed.expect_log("the clients that haven't come 1s after the first one aren't waited for");
        resumed.expect_log(": time runs again without them");
        blue.send("Inventory\n");
        blue.skip_to("[ food");
        resumed.console("/quit");
        assert!(resumed.ended().0.success());
        let result = result(&json);
        let missing = result["missing_clients"].as_array().unwrap().iter().map(|one| &one["team"]);
        assert!(missing.eq(["red", "red"]), "{result:#}");
        assert!(verify(&std::fs::read(&record).unwrap(), GAMES).unwrap().complete);
    }
}

#[test]
fn limits_that_no_record_holds_are_told() {
    let (_folder, record) =
        left_alone("-n red blue -c 2 --clock lockstep --wait-players 3 --think-time 5000");
    let mut resumed = server("--think-time 7000 --max-late 3 --resume", &record);
    resumed.expect_log("each has 7s to think and is ended when late more than 3 times");
    resumed.expect_log(
        "the limits of the lockstep clock and --observers come from the command line; the record has none",
    );
}

/// Waits until the record on the disk holds a line.
fn expect_recorded(record: &Path, line: &str) {
    let end = Instant::now() + PATIENCE;
    while !std::fs::read_to_string(record).unwrap_or_default().contains(line) {
        assert!(Instant::now() < end, "{line:?} isn't recorded");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_was_said_is_on_the_disk_within_a_second_also_while_time_stands_still() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.zrec");
    // A hundred ticks, which is how long a record may lag, take a hundred seconds.
    let mut running = server("-n red -c 2 -f 1 --record", &record);
    let mut client = ZAPPY.join(&running, "red");
    expect_recorded(&record, "+ 0 red\n");
    running.console("/pause");
    client.send("Inventory\n");
    expect_recorded(&record, " < c /pause\n");
    expect_recorded(&record, " < 0 Inventory\n");
    drop((running, client));
    let mut resumed = server("--resume", &record);
    expect_recorded(&record, " < c /resume\n");
    resumed.console("/setTile linemate 3 0 0");
    expect_recorded(&record, " < c /setTile linemate 3 0 0\n");
}

#[test]
fn other_rules_are_refused_with_the_version_that_is_needed() {
    let (_folder, record) = left_alone("-n red blue -c 2 -f 100");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace("\ngame zappy 3\n", "\ngame zappy 1\n")).unwrap();
    let words =
        "played under rules version 1, this server plays version 3; use a server that plays version 1";
    assert_refused("--resume", &record, 1, words);
}

#[test]
fn wrong_flags_and_records_are_refused_and_stay_as_they_are() {
    let (_folder, record) = left_alone("-n red blue -c 2 -f 100");
    let before = std::fs::read(&record).unwrap();
    let path = record.display().to_string();
    for (flags, words) in [
        (
            format!("--resume {path} -n red"),
            "-n can't be given with --resume: the record tells what is played",
        ),
        (format!("--resume {path} -x 12"), "-x can't be given with --resume"),
        (format!("--resume {path} -c 3"), "-c can't be given with --resume"),
        (format!("--resume {path} --record other"), "--record can't be given with --resume"),
        (format!("--resume {path} --pace 5"), "--pace belongs to the lockstep clock"),
        ("--resume /nowhere.zrec".to_owned(), "--resume /nowhere.zrec: there is no such file"),
    ] {
        let output = Command::new(BINARY).args(flags.split(' ')).stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(84) && text.contains(words), "{flags}: {text}");
        assert_eq!(std::fs::read(&record).unwrap(), before, "{flags}");
    }
}
