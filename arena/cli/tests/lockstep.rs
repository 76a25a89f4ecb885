//! Matches by the lockstep clock between real programs: what is played twice is the same, also on a busy machine, and
//! programs that misbehave are named and delay no match for long.
//!
//! The bots in `tests/bots` are Python; where there is none, a line says so and their tests pass, unless
//! `ZAPPY_PYTHON=required`.

mod support;

use std::hint::spin_loop;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use support::{ARENA, Bench, Running, assert_proven, client, python, server};

/// A match takes a second or two; a busy machine takes longer.
const WHOLE_MATCH: Duration = Duration::from_secs(240);
/// So long that no machine makes an honest program late.
const PATIENT: &str = "60000";
/// So short that a test with late programs is over soon.
const IMPATIENT: &str = "200";

/// The command of a bot; none where there is no Python.
fn bot(name: &str) -> Option<String> {
    python("bots", name)
}

/// Keeps every core busy while it lives.
struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    fn new() -> Load {
        let over = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let spin = |over: Arc<AtomicBool>| {
            move || {
                while !over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            }
        };
        let threads = (0..cores + 1).map(|_| std::thread::spawn(spin(Arc::clone(&over)))).collect();
        Load { over, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| thread.join().unwrap());
    }
}

/// A match in a folder of its own.
struct Match<'a> {
    red: &'a str,
    blue: &'a str,
    /// The flags that say what is played, and for how long.
    world: &'a [&'a str],
    flags: &'a [&'a str],
}

impl Match<'_> {
    /// Plays it to its end; its result verifies.
    fn play(&self, bench: &Bench, out: &str) -> (PathBuf, Value) {
        assert!(server().exists());
        let out = bench.path(out);
        let mut command = Command::new(ARENA);
        command.args(["match", "--clock", "lockstep", "--seed", "3", "--width", "12", "--height", "12"]);
        command.args(self.world).arg("--out").arg(&out);
        command.args(["--bot", &format!("red={}", self.red), "--bot", &format!("blue={}", self.blue)]);
        let finished = Running::start(command.args(self.flags)).finish_within(WHOLE_MATCH);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        assert_proven(&out);
        let result: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
        // The bots hold no process back.
        assert_eq!(
            (&result["arena"]["orphans_ended"], &result["arena"]["orphans_left"]),
            (&json!(0), &json!(0))
        );
        (out.join("match.zrec"), result)
    }

    /// Plays it on an idle machine and on a busy one.
    fn assert_same_twice(&self) -> Value {
        let bench = Bench::new();
        let (one, result) = self.play(&bench, "one");
        let load = Load::new();
        let (two, _) = self.play(&bench, "two");
        drop(load);
        assert_eq!((&result["reproducible"], &result["not_reproducible"]), (&json!(true), &json!([])));
        assert_same(&one, &two);
        result
    }
}

fn assert_same(one: &Path, two: &Path) {
    let [one, two] = [one, two].map(|path| std::fs::read_to_string(path).unwrap());
    let differs = one.lines().zip(two.lines()).zip(1..).find(|((a, b), _)| a != b);
    assert!(one == two, "the records differ: {differs:?}");
}

/// How often players of red were late. On a machine that is busy with other tests blue may be late as well.
fn late(result: &Value) -> u64 {
    let players = result["lockstep"]["late_players"].as_array().unwrap().iter();
    players.filter(|player| player["team"] == "red").map(|player| player["late"].as_u64().unwrap()).sum()
}

fn causes(result: &Value) -> String {
    result["not_reproducible"].to_string()
}

/// A misbehaving bot against our client, one player each, for a few hundred ticks.
fn misbehave(name: &str, arguments: &str, flags: &[&str]) -> Option<Value> {
    let red = format!("{} {arguments} -p {{port}} -n {{team}} -h {{host}}", bot(name)?);
    let played =
        Match { red: &red, blue: &client(), world: &["--clients", "1", "--max-ticks", "600"], flags };
    let result = played.play(&Bench::new(), "out").1;
    assert_eq!((&result["ticks"], &result["arena"]["outcome"]), (&json!(600), &json!("ended")));
    Some(result)
}

#[test]
fn our_client_plays_the_same_match_twice() {
    let client = client();
    let played = Match {
        red: &client,
        blue: &client,
        world: &["--clients", "6", "--max-ticks", "1500"],
        flags: &["--think-time", PATIENT],
    };
    assert!(played.assert_same_twice()["teams"][0]["born"].as_u64().unwrap() > 6);
}

/// A short match of conquest.
const CONQUEST: [&str; 4] = ["--game", "conquest", "--turns", "20"];

#[test]
fn factions_play_the_same_match_twice() {
    let expert = format!("{} --level expert", client());
    let starter = python("../../../ai-client/starters/python", "conquest.py");
    let red = starter.map_or_else(client, |starter| format!("{starter} -p {{port}} -n {{team}} -h {{host}}"));
    let flags = ["--think-time", PATIENT];
    let played = Match { red: &red, blue: &expert, world: &CONQUEST, flags: &flags };
    let result = played.assert_same_twice();
    assert_eq!(result["game"], "conquest");
    assert!(result["teams"].as_array().unwrap().iter().all(|team| team["land"].as_u64().unwrap() > 3));
}

#[test]
fn factions_that_misbehave_are_named_and_hold_no_other_up() {
    // Not a line, bytes of all kinds, thousands of lines of another game ahead, answers that are never read.
    for name in ["silent.py", "garbage.py", "flood.py", "deaf.py"] {
        let Some(red) = bot(name) else { return };
        let red = format!("{red} -p {{port}} -n {{team}} -h {{host}}");
        let flags = ["--think-time", IMPATIENT, "--max-late", "3"];
        let blue = client();
        let played = Match { red: &red, blue: &blue, world: &CONQUEST, flags: &flags };
        let result = played.play(&Bench::new(), "out").1;
        // Red never gets anywhere, and blue plays as if it were alone.
        let [red, blue] = [0, 1].map(|team| result["teams"][team]["land"].as_u64().unwrap());
        assert!(blue > 3 && red <= 3, "{name}: {result:#}");
        assert!(result["teams"][0]["phases_late"].as_u64() >= Some(3), "{name}: {result:#}");
    }
}

#[test]
fn programs_that_start_a_process_for_each_egg_play_the_same_match_twice() {
    let Some(layer) = bot("layer.py") else { return };
    let flags = ["--think-time", PATIENT];
    let played =
        Match { red: &layer, blue: &layer, world: &["--clients", "4", "--max-ticks", "1000"], flags: &flags };
    let result = played.assert_same_twice();
    assert!(result["teams"].as_array().unwrap().iter().all(|team| team["born"].as_u64().unwrap() > 4));
    assert!(result["lockstep"]["joint_admissions"].as_u64().unwrap() > 0, "children that come in together");
}

#[test]
fn programs_of_two_languages_play_the_same_match_twice() {
    let Some(layer) = bot("layer.py") else { return };
    let flags = ["--think-time", PATIENT];
    Match { red: &layer, blue: &client(), world: &["--clients", "4", "--max-ticks", "1000"], flags: &flags }
        .assert_same_twice();
}

#[test]
fn who_never_says_anything_is_named_and_holds_nobody_up() {
    let Some(result) = misbehave("silent.py", "", &["--think-time", IMPATIENT]) else { return };
    let players = result["lockstep"]["late_players"].as_array().unwrap().iter();
    let red: Vec<&Value> = players.filter(|player| player["team"] == "red").collect();
    assert!(!red.is_empty(), "{result:#}");
    for player in red {
        // How often it is sent something decides whether it is given up; then it changes nothing.
        let silent = player["silent"] == true;
        assert_eq!(silent, player["late"] == 3, "{player}");
        let cause = format!("player #{} of red was late", player["player"]);
        assert_eq!(causes(&result).contains(&cause), !silent, "{}", causes(&result));
    }
}

#[test]
fn who_is_late_too_often_is_ended() {
    let flags = ["--think-time", IMPATIENT, "--max-late", "0"];
    let Some(result) = misbehave("silent.py", "", &flags) else { return };
    assert_eq!(late(&result), 1);
    let causes = causes(&result);
    assert!(
        causes.contains(" of red was late 1 time (at tick ") && causes.contains(") and was ended for it"),
        "{causes}"
    );
    assert_eq!((&result["teams"][0]["alive"], &result["reproducible"]), (&json!(0), &json!(false)));
}

#[test]
fn connections_that_say_nothing_are_counted() {
    // On a busy machine the players themselves need longer than a moment until they say their names.
    let flags = ["--think-time", "2000"];
    let Some(result) = misbehave("mute_connections.py", "--mute 3", &flags) else { return };
    assert_eq!(
        (&result["lockstep"]["silent_connections"], &result["reproducible"]),
        (&json!(3), &json!(false))
    );
    assert!(causes(&result).contains("did not say within"), "{}", causes(&result));
}

#[test]
fn who_sleeps_now_and_then_is_late_and_plays_on() {
    let arguments = "--nap 0.5 --every 5";
    let Some(result) = misbehave("slow.py", arguments, &["--think-time", IMPATIENT, "--max-late", "1000"])
    else {
        return;
    };
    assert!(late(&result) > 0 && result["reproducible"] == false);
    assert_eq!(result["teams"][0]["alive"], 1);
}

#[test]
fn it_makes_no_difference_whether_a_program_ends_or_breaks_off() {
    let Some(dies) = bot("dies.py") else { return };
    let (bench, blue) = (Bench::new(), client());
    let play = |unread: &str| {
        let red = format!("{dies} --unread {unread} -p {{port}} -n {{team}} -h {{host}}");
        let flags = ["--think-time", PATIENT];
        let played =
            Match { red: &red, blue: &blue, world: &["--clients", "1", "--max-ticks", "600"], flags: &flags };
        played.play(&bench, &format!("unread-{unread}"))
    };
    let ((one, result), (two, other)) = (play("0"), play("1"));
    assert_eq!((&result["reproducible"], &other["reproducible"]), (&json!(true), &json!(true)));
    assert_eq!(result["teams"][0]["alive"], 0);
    assert_same(&one, &two);
}

#[test]
fn lines_sent_ahead_and_questions_without_end_change_nothing() {
    for name in ["flood.py", "zero.py"] {
        let Some(red) = bot(name) else { return };
        let flags = ["--think-time", PATIENT];
        let played = Match {
            red: &red,
            blue: &client(),
            world: &["--clients", "1", "--max-ticks", "600"],
            flags: &flags,
        };
        let result = played.assert_same_twice();
        assert_eq!(result["teams"][0]["players"][0]["dropped"], 0, "{name}");
        assert_eq!(result["ticks"], 600, "{name}");
    }
}

#[test]
fn who_never_comes_is_waited_for_as_long_as_the_lobby_lasts() {
    let flags = ["--think-time", PATIENT, "--lobby-time", "1"];
    let played = Match {
        red: "sleep 600",
        blue: &client(),
        world: &["--clients", "1", "--max-ticks", "300"],
        flags: &flags,
    };
    let result = played.play(&Bench::new(), "out").1;
    assert_eq!((&result["ticks"], &result["reproducible"]), (&json!(300), &json!(false)));
    assert!(causes(&result).contains("1 of 2 players had come"), "{}", causes(&result));
}

#[test]
fn a_team_whose_programs_have_all_ended_is_not_waited_for() {
    let flags = ["--think-time", PATIENT, "--lobby-time", "3600"];
    let played = Match {
        red: "false",
        blue: &client(),
        world: &["--clients", "2", "--max-ticks", "300"],
        flags: &flags,
    };
    let bench = Bench::new();
    let (record, result) = played.play(&bench, "out");
    assert_eq!((&result["ticks"], &result["reproducible"]), (&json!(300), &json!(false)));
    assert!(causes(&result).contains("all programs of red ended before"), "{}", causes(&result));
    let processes = result["arena"]["teams"][0]["processes"].as_array().unwrap();
    let codes: Vec<&Value> = processes.iter().map(|process| &process["end"]["code"]).collect();
    assert_eq!(codes, [&json!(1), &json!(1)], "{processes:?}");
    assert_eq!(result["teams"][1]["born"].as_u64().map(|born| born >= 2), Some(true));
    // It isn't its own program's fault, so the match is the same each time.
    let [one, other] = [record, played.play(&bench, "again").0].map(|path| std::fs::read(path).unwrap());
    assert!(one == other);
}

#[test]
fn the_players_of_each_log_are_known_and_shown_by_its_name() {
    let Some(slow) = bot("slow.py") else { return };
    let slow = format!("{slow} --nap 0.02 -p {{port}} -n {{team}} -h {{host}}");
    // A shell stands between the program that is started and the one that plays.
    let ours = format!("sh -c '{} -p {{port}} -n {{team}} -h {{host}} & wait'", client());
    let bench = Bench::new();
    let out = bench.path("out");
    let mut command = Command::new(ARENA);
    command.args([
        "match",
        "--clock",
        "lockstep",
        "--seed",
        "3",
        "--width",
        "12",
        "--height",
        "12",
        "--clients",
        "2",
    ]);
    command.args(["--max-ticks", "600", "--think-time", PATIENT, "--out"]).arg(&out);
    command.args(["--bot", &format!("red={slow}"), "--bot", &format!("blue={ours}")]);
    let finished = Running::start(&mut command).finish_within(WHOLE_MATCH);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let result: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    let record = std::fs::read_to_string(out.join("match.zrec")).unwrap();
    let mut players = Vec::new();
    for (team, name) in ["red", "blue"].iter().enumerate() {
        for program in result["arena"]["teams"][team]["processes"].as_array().unwrap() {
            let own: Vec<u64> =
                program["players"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
            assert!(!own.is_empty(), "{program}");
            let log = program["log"].as_str().unwrap();
            for player in &own {
                let admitted = format!(" + {player} {name}\n");
                assert!(record.contains(&admitted), "#{player} is of {name}, by {log}");
            }
            let told = format!("#{}", own[0]);
            assert!(finished.stdout.contains(&told) && finished.stdout.contains(log), "{}", finished.stdout);
            players.extend(own.iter().map(|player| (*player, log.to_owned())));
        }
    }
    players.sort();
    let joined =
        result["teams"].as_array().unwrap().iter().map(|team| team["conduct"]["joined"].as_u64().unwrap());
    assert_eq!(players.len() as u64, joined.sum::<u64>(), "each player has a log: {players:?}");
    let show = |arguments: &[&str]| {
        let finished = Running::start(Command::new(ARENA).arg("show").arg(&out).args(arguments)).finish();
        assert_eq!(finished.code(), 0, "{arguments:?}: {}", finished.stderr);
        finished.stdout
    };
    let (first, log) = &players[0];
    let by_number = show(&["--player", &first.to_string()]);
    assert!(by_number.contains(&format!("\nlog       {log}\n")), "{by_number}");
    let short = log.trim_start_matches("logs/").trim_end_matches(".log");
    let own = players.iter().filter(|(_, of)| of == log).count();
    let by_log = show(&["--player", short]);
    assert!(by_log.contains(&by_number[by_number.find("player    #").unwrap()..]), "{by_log}");
    assert_eq!(
        (by_log.matches("\nplayer    #").count(), by_log.matches("\nrecord    ").count() <= 1),
        (own, true)
    );
    let red = players.iter().filter(|(_, log)| log.contains("red")).count();
    assert_eq!(show(&["--team", "red"]).matches("\nplayer    #").count(), red);
    let lines = show(&["--team", "red", "--json"]);
    let ends = lines.lines().filter(|line| line.contains("\"type\":\"end\"")).count();
    assert_eq!((lines.matches("\"type\":\"head\"").count(), ends), (1, red));
    for (arguments, words) in [
        (["--player", "red-9"], "there was no program red-9; there were red-1 red-2 blue-1 blue-2"),
        (["--team", "green"], "there was no team green; there were red blue"),
        (["--player", "99"], "there was no player #99; "),
    ] {
        let refused = Running::start(Command::new(ARENA).arg("show").arg(&out).args(arguments)).finish();
        assert!(refused.code() == 1 && refused.error().contains(words), "{}", refused.stderr);
    }

    // Red naps for 20 ms every ten moments, and blue doesn't.
    let times = result["lockstep"]["think_times"].as_array().unwrap();
    let red = times.iter().find(|team| team["team"] == "red").unwrap();
    let number = |value: &Value, key: &str| value[key].as_u64().unwrap();
    assert!(number(red, "max_us") >= 20_000 && number(red, "p50_us") <= number(red, "p99_us"), "{red:#}");
    assert!(number(red, "p99_us") <= number(red, "max_us") && number(red, "waited_ms") >= 20, "{red:#}");
    let answers: u64 =
        red["players"].as_array().unwrap().iter().map(|player| number(player, "answers")).sum();
    assert_eq!(answers, number(red, "answers"), "{red:#}");
    assert!(finished.stdout.contains("the others waited longest for "), "{}", finished.stdout);

    // What was refused is told with its reasons and a command that shows more.
    let refused = |team: usize| number(&result["teams"][team]["conduct"], "refused");
    for (team, name) in ["red", "blue"].iter().enumerate().filter(|(team, _)| refused(*team) > 0) {
        let plural = if refused(team) == 1 { "" } else { "s" };
        let words = format!("{} command{plural} of {name} refused; why: ", refused(team));
        assert!(finished.stdout.contains(&words), "{words} in {}", finished.stdout);
        assert!(finished.stdout.contains(": zappy_arena show "), "{}", finished.stdout);
    }
}
