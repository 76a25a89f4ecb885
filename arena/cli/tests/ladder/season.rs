//! Bots come and come again, whatever becomes of the host; the same list of matches comes to the same results.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::stage::{Stage, delayed};
use crate::support::programs::build;
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
    let table = |folder: &Path| fs::read_to_string(folder.join("ladder.json")).unwrap();
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
    let verify = || run(Command::new(ARENA).args(["tournament", "verify"]).arg(&merged));
    let proved = verify();
    assert_eq!(proved.code(), 0, "{}{}", proved.stdout, proved.stderr);
    let changed = merged.join("results").join(whole.keys().next().unwrap());
    fs::write(&changed, fs::read_to_string(&changed).unwrap().replace("\"late\":0", "\"late\":1")).unwrap();
    let refused = verify();
    assert_eq!(refused.code(), 1, "{}{}", refused.stdout, refused.stderr);
    assert!((refused.stdout + &refused.stderr).contains("it was changed since the match was judged"));
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
    // What a host that was killed has left of its lobby is told no longer.
    let lobby = folder.join("lobby.json");
    fs::write(&lobby, "{\"waiting\": [[\"bob\", 1]], \"playing\": []}").unwrap();
    let (host, port) = stage.host(&folder, &["--port", "0"]);
    wait_for("the lobby", || (!fs::read_to_string(&lobby).ok()?.contains("bob")).then_some(()));
    assert!(refused(&["--port", "0"]).contains("another process plays this ladder"));
    // Its table may be looked at, and one that can't listen leaves a new folder as it was.
    wait_for("the table", || folder.join("ladder.json").exists().then_some(()));
    let table = run(&mut stage.command(&folder, &["--table"]));
    assert!(table.code() == 0 && table.stdout.contains("ada"), "{}{}", table.stdout, table.stderr);
    let beside = stage.beside("beside");
    let flags = ["--bind", "127.0.0.1", "--port", &port.to_string(), "--width", "11"];
    let in_use = run(&mut stage.command(&beside, &flags));
    assert!(in_use.code() == 2 && in_use.stderr.contains("--port"), "{}", in_use.stderr);
    assert!(!beside.join("settings.json").exists());
    host.insist(Signal::INT);
    for (flags, words) in [
        (&["--clock", "real", "--bank", "1"][..], "belong to --clock lockstep"),
        (&["--add", "bob", "--width", "11"], "what is played is told to the host"),
        (&["--list", "--game", "conquest"], "what is played is told to the host"),
        (&["--gather", "1", "--wait", "1"], "no bot would ever be paired"),
        (&["--bind", "localhost"], "127.0.0.1 is this machine alone"),
        (&["--game", "conquest"], "settings.json: --game is zappy there, conquest here; leave the flags out"),
        (&["--game", "conquest", "--clients", "2"], "--clients: the game conquest has no option clients"),
    ] {
        let said = refused(flags);
        assert!(said.contains(words), "{said}");
    }
    for task in ["--list", "--table"] {
        let nowhere = run(&mut stage.command(&stage.bench.path("nowhere"), &[task]));
        assert!(nowhere.code() == 2 && nowhere.stderr.contains("no ladder lies there"), "{}", nowhere.stderr);
    }
    let list = stage.bench.path("same");
    fs::write(&list, "{\"bots\": [\"ada\", \"ada\"], \"seed\": 1}\n").unwrap();
    assert!(refused(&["--port", "0", "--matches", list.to_str().unwrap()]).contains("not ada, ada"));
    assert!(run(&mut stage.command(&folder, &["--add", "eve"])).code() == 0);
    fs::write(&list, "{\"bots\": [\"ada\", \"eve\"], \"seed\": 1}\n".repeat(2)).unwrap();
    let twice = refused(&["--port", "0", "--matches", list.to_str().unwrap()]);
    assert!(twice.contains("line 2: this match stands in line 1 already"), "{twice}");
    // A host on which no match was played yet is merged, too.
    let merged = stage.bench.path("merged");
    let taken = run(&mut stage.command(&merged, &["--merge", folder.to_str().unwrap()]));
    assert_eq!(taken.code(), 0, "{}", taken.stderr);
    assert!(refused(&["--width", "11"]).contains("settings.json: --width is 10 there, 11 here; leave"));
    assert!(refused(&["--bank", "7"]).contains("--bank is 120 there, 7 here"));
    let other = run(&mut stage.command(&stage.bench.path("other"), &["--at-once", "2"]));
    assert!(other.code() == 2 && other.stderr.contains("--clients 1"), "{}", other.stderr);
    let list = stage.bench.path("list");
    fs::write(&list, "{\"bots\": [\"ada\", \"nobody\"], \"seed\": 1}\n").unwrap();
    let words = refused(&["--port", "0", "--matches", list.to_str().unwrap()]);
    assert!(words.contains("no bot called nobody"), "{words}");
}

/// Starters in four languages that come again until the host is gone.
fn starters(stage: &Stage, port: u16) -> Vec<std::thread::JoinHandle<()>> {
    static BUILT: OnceLock<Vec<(&str, String)>> = OnceLock::new();
    let programs = BUILT.get_or_init(|| build("bot"));
    let programs: Vec<&String> =
        programs.iter().filter(|(language, _)| *language != "java").map(|(_, bot)| bot).collect();
    let bots = stage.logins.values().zip(programs.into_iter().cycle()).zip(0..);
    let play = |((login, program), seed): ((&String, &String), u32)| {
        let (words, login) = (shlex::split(program).unwrap(), login.clone());
        std::thread::spawn(move || {
            while TcpStream::connect(("127.0.0.1", port)).is_ok() {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
                command.env("ZAPPY_TEAM", &login).env("ZAPPY_SEED", seed.to_string());
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                command.status().unwrap();
            }
        })
    };
    bots.map(play).collect()
}

#[test]
fn a_season_of_eight_bots_in_four_languages_comes_to_the_same_whatever_befalls_the_host_and_the_lines() {
    let stage = Stage::new(&["ada", "bob", "cleo", "dan", "eve", "fay", "gus", "hal"]);
    let names: Vec<&String> = stage.logins.keys().collect();
    let pairs = (0..60).map(|number| (number % 8, (number % 8 + 1 + number / 8 % 7) % 8));
    let lines: Vec<String> = pairs
        .zip(1..)
        .map(|((one, other), seed)| {
            format!("{{\"bots\": [\"{}\", \"{}\"], \"seed\": {seed}}}\n", names[one], names[other])
        })
        .collect();
    let begin = |folder: &Path, count: usize| {
        let list = stage.bench.path(&format!("list-{count}"));
        fs::write(&list, lines[..count].concat()).unwrap();
        let flags = ["--port", "0", "--gather", "0", "--max-ticks", "150", "--matches"];
        stage.host(folder, &[&flags[..], &[list.to_str().unwrap()]].concat())
    };
    let to_the_end = &|folder: &Path, delay: u64, count: usize| {
        let (host, port) = begin(folder, count);
        let line = if delay > 0 { delayed(port, Duration::from_millis(delay)) } else { port };
        let bots = starters(&stage, line);
        let finished = host.finish();
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        stage.assert_no_token(folder, &finished.stderr);
        (Stage::results(folder), bots)
    };
    let (one, other) = (stage.beside("one"), stage.beside("other"));
    let (whole, mut bots) = to_the_end(&one, 0, lines.len());
    assert_eq!(whole.len(), lines.len());
    for least in [10, 30] {
        let (host, port) = begin(&other, lines.len());
        bots.extend(starters(&stage, port));
        wait_for("results", || (Stage::results(&other).len() >= least).then_some(()));
        host.signal(Signal::KILL);
        host.finish();
    }
    let (again, more) = to_the_end(&other, 0, lines.len());
    bots.extend(more);
    assert_eq!(again, whole);
    let table = |folder: &Path| fs::read_to_string(folder.join("ladder.json")).unwrap();
    assert_eq!(table(&one), table(&other));
    // On slow lines, which take longer, the first matches of the list.
    std::thread::scope(|scope| {
        let slow = [(20, 16), (200, 4)].map(|(delay, count)| {
            let folder = stage.beside(&delay.to_string());
            (delay, count, scope.spawn(move || to_the_end(&folder, delay, count)))
        });
        for (delay, count, played) in slow {
            let (slow, more) = played.join().unwrap();
            bots.extend(more);
            assert_eq!(slow.len(), count);
            assert!(slow.iter().all(|(id, result)| whole.get(id) == Some(result)), "{delay} ms");
        }
    });
    bots.into_iter().for_each(|bot| drop(bot.join()));
    let told: Vec<Value> = whole.values().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect();
    assert!(told.iter().all(|result| result["reproducible"] == true && result["disturbed"] == json!([])));
    assert!(told.iter().any(|result| !result["winner"].is_null()), "{told:?}");
}
