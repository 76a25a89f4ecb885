//! Bots come and come again, whatever becomes of the host; the same list of matches comes to the same results.

use std::fs;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::stage::{Stage, bot, delayed};
use crate::support::{ARENA, binary, run, wait_for};

/// Our client, which plays match after match until the test ends.
struct Client(Child);

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn client(stage: &Stage, name: &str, port: u16) -> Client {
    let mut command = Command::new(binary("zappy-ai", "zappy_ai"));
    command.args(["-q", "--repeat", "-p", &port.to_string(), "-h", "127.0.0.1"]);
    command.env("ZAPPY_TEAM", &stage.logins[name]).env("ZAPPY_SEED", "7");
    Client(command.spawn().unwrap())
}

#[test]
fn bots_come_again_and_a_killed_host_loses_no_result() {
    let stage = Stage::new(&["ada", "bob", "eve"]);
    let folder = stage.folder();
    let (host, port) = stage.host(&folder, &["--port", "0", "--gather", "0.1"]);
    let _clients: Vec<Client> = ["ada", "bob"].iter().map(|name| client(&stage, name, port)).collect();
    let count =
        |least| wait_for("results", || Some(Stage::results(&folder)).filter(|there| there.len() >= least));
    count(2);
    host.signal(Signal::KILL);
    let said = host.finish().stderr;
    let before = Stage::results(&folder);
    let (host, _) = stage.host(&folder, &["--port", &port.to_string(), "--gather", "0.1"]);
    let after = count(before.len() + 2);
    assert!(before.iter().all(|(name, bytes)| after.get(name) == Some(bytes)));
    let finished = host.insist(Signal::INT);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(finished.stdout.contains("ada") && finished.stdout.contains("eve"), "{}", finished.stdout);

    let table: Value = serde_json::from_slice(&fs::read(folder.join("ladder.json")).unwrap()).unwrap();
    let results = Stage::results(&folder).len() as u64;
    assert_eq!(table["scored"], results);
    // Both sat in both seats, as often as can be.
    let plan = fs::read_to_string(folder.join("plan.jsonl")).unwrap();
    let seats = |line: &str| serde_json::from_str::<Value>(line).unwrap()["seats"][0].clone();
    let first = plan.lines().filter(|line| seats(line) == seats(plan.lines().next().unwrap())).count();
    assert!(first.abs_diff(plan.lines().count() - first) <= 1, "{plan}");
    let verified = run(Command::new(ARENA).arg("verify").arg(folder.join("matches")));
    assert_eq!(verified.code(), 0, "{}", verified.stderr);
    assert!(fs::read_dir(folder.join("matches")).unwrap().count() as u64 >= results);
    stage.assert_no_token(&folder, &(said + &finished.stderr));
}

#[test]
fn a_list_comes_to_the_same_results_on_two_hosts_of_which_one_is_killed() {
    let names = ["ada", "bob", "eve", "zoe"];
    let stage = Stage::new(&names);
    let list = stage.bench.path("list");
    let pairs = names
        .iter()
        .flat_map(|one| names.iter().filter(move |other| one != *other).map(move |other| (one, other)));
    let lines: String = pairs
        .zip(1..)
        .map(|((one, other), seed)| format!("{{\"bots\": [\"{one}\", \"{other}\"], \"seed\": {seed}}}\n"))
        .collect();
    fs::write(&list, &lines).unwrap();
    let count = lines.lines().count();
    let (one, other) = (stage.beside("one"), stage.beside("other"));
    let flags = ["--port", "0", "--gather", "0", "--matches", list.to_str().unwrap()];
    let play = |port| stage.play(&names, port);
    let (host, port) = stage.host(&one, &flags);
    let bots = play(port);
    let finished = host.finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    bots.into_iter().for_each(|bot| drop(bot.join()));
    let whole = Stage::results(&one);
    assert_eq!(whole.len(), count);
    for least in [2, 6] {
        let (host, port) = stage.host(&other, &flags);
        let bots = play(port);
        wait_for("results", || (Stage::results(&other).len() >= least).then_some(()));
        host.signal(Signal::KILL);
        host.finish();
        bots.into_iter().for_each(|bot| drop(bot.join()));
    }
    let (host, port) = stage.host(&other, &flags);
    let bots = play(port);
    assert_eq!(host.finish().code(), 0);
    bots.into_iter().for_each(|bot| drop(bot.join()));
    assert_eq!(Stage::results(&other), whole);
    let table = |folder: &std::path::Path| fs::read_to_string(folder.join("ladder.json")).unwrap();
    assert_eq!(table(&one), table(&other));
    // A third of the list here, on slow lines, the rest there: merged they come to the same.
    let merged = stage.bench.path("merged");
    let all: Vec<&str> = lines.lines().collect();
    for (name, part) in [("a", &all[..4]), ("b", &all[4..])] {
        let folder = stage.beside(name);
        fs::write(&list, part.join("\n")).unwrap();
        let (host, port) = stage.host(&folder, &flags);
        let bots = play(if name == "a" { delayed(port, Duration::from_millis(20)) } else { port });
        assert_eq!(host.finish().code(), 0);
        bots.into_iter().for_each(|bot| drop(bot.join()));
        let finished = run(&mut stage.command(&merged, &["--merge", folder.to_str().unwrap()]));
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
    }
    assert_eq!(Stage::results(&merged), whole);
    assert_eq!(table(&merged), table(&one));
    let verified = run(Command::new(ARENA).arg("verify").arg(merged.join("matches")));
    assert_eq!(verified.code(), 0, "{}", verified.stderr);
    let reproducible =
        |bytes: &Vec<u8>| serde_json::from_slice::<Value>(bytes).unwrap()["reproducible"] == true;
    assert!(whole.values().all(reproducible));
}

#[test]
fn what_is_wrong_is_said_with_its_remedy() {
    let stage = Stage::new(&["ada"]);
    let folder = stage.folder();
    let refused = |flags: &[&str]| {
        let finished = run(&mut stage.command(&folder, flags));
        assert_eq!(finished.code(), 2, "{flags:?}: {}", finished.stderr);
        finished.stderr
    };
    assert!(refused(&["--add", "ada"]).contains("already"));
    assert!(refused(&["--add", "a:b"]).contains("31 bytes"));
    assert!(refused(&["--remove", "bob"]).contains("--list"));
    let (host, _) = stage.host(&folder, &["--port", "0"]);
    assert!(refused(&["--table"]).contains("another process plays this ladder"));
    host.insist(Signal::INT);
    assert!(refused(&["--width", "11"]).contains("width is 10 there, 11 here"));
    assert!(refused(&["--bank", "7"]).contains("--bank is 120 there, 7 here"));
    let other = run(&mut stage.command(&stage.bench.path("other"), &["--at-once", "2"]));
    assert!(other.code() == 2 && other.stderr.contains("--clients 1"), "{}", other.stderr);
    let list = stage.bench.path("list");
    fs::write(&list, "{\"bots\": [\"ada\", \"nobody\"], \"seed\": 1}\n").unwrap();
    let words = refused(&["--port", "0", "--matches", list.to_str().unwrap()]);
    assert!(words.contains("no bot called nobody"), "{words}");
}
