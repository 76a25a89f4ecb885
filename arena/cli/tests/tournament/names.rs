//! Bots that come in under another team's name, or as observers: they are named, lose, and harm no other team.

use std::fs;

use serde_json::Value;

use super::ends::add_python;
use super::sandbox::{has_landlock, works};
use super::stage::Stage;
use crate::support::{ARENA, Running, assert_proven, client, names, python, quoted, server, wait_for};

const IMPOSTORS: [(&str, &str, &str); 4] = [
    ("early", "impostor.py --name good", "a program of it said that it was of good"),
    ("later", "impostor.py --name good --moments 3", "a program of it said that it was of good"),
    ("blind", "impostor.py --name GRAPHIC", "a program of it wanted to watch as an observer"),
    ("spy", "impostor.py --name GRAPHIC --moments 3", "a program of it wanted to watch as an observer"),
];

/// Plays each bot against our client, which must have won all its matches with all its players.
fn play(flags: &[&str], sandbox: &str) {
    let mut stage = Stage::new();
    let bots = IMPOSTORS.map(|(name, command, _)| (name, command, ""));
    if !add_python(&mut stage, &bots) {
        return;
    }
    stage.player("good");
    let flags = [&["--against", "good", "--seeds", "1"], flags].concat();
    assert_eq!(stage.planned("night", &flags), 2 * IMPOSTORS.len());
    let finished = stage.run("night", &["--strict", "--sandbox", sandbox]);
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    stage.assert_tidy("night");
    for text in stage.results("night").values() {
        let result: Value = serde_json::from_str(text).unwrap();
        assert_eq!(result["outcome"], "foul", "{text}");
        let winner = result["winner"].as_u64().unwrap() as usize;
        let [good, bad] = [&result["seats"][winner], &result["seats"][1 - winner]];
        assert_eq!((&good["team"], &good["end"]), (&"good".into(), &"played".into()), "{text}");
        assert!(good["rank"] == 1 && good["born"].as_u64() >= Some(1) && bad["rank"] == 2, "{text}");
        let (.., words) = IMPOSTORS.iter().find(|(name, ..)| bad["team"] == *name).unwrap();
        assert_eq!((&bad["end"], &bad["end_detail"]), (&"protocol_violation".into(), &(*words).into()));
    }
    // What was played is what the rules say, and tells of no connection that didn't come in.
    for id in names(&stage.out("night").join("matches")) {
        assert_proven(&stage.out("night").join("matches").join(id));
    }
}

#[test]
fn who_comes_as_somebody_else_has_lost_in_lockstep() {
    play(&[], "none");
}

#[test]
fn who_comes_as_somebody_else_has_lost_by_the_clock_on_the_wall() {
    // Long enough for a busy machine to start a program in.
    play(&["--clock", "real", "--freq", "100", "--max-ticks", "400"], "none");
}

#[test]
fn who_comes_as_somebody_else_out_of_a_sandbox_has_lost() {
    if works() {
        play(&[], "bwrap");
    }
}

/// A bot whose process forks away and watches, disguised as its opponent's, is the one that has lost, and never the opponent.
fn frame(sandbox: &str) {
    let mut stage = Stage::new();
    let bots = [("joins", "framer.py --as group", ""), ("borrows", "framer.py --as seed", "")];
    if !add_python(&mut stage, &bots) {
        return;
    }
    stage.player("good");
    assert_eq!(stage.planned("night", &["--against", "good", "--seeds", "1"]), 4);
    let finished = stage.run("night", &["--strict", "--sandbox", sandbox]);
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    for text in stage.results("night").values() {
        let result: Value = serde_json::from_str(text).unwrap();
        for seat in result["seats"].as_array().unwrap() {
            let end = if seat["team"] == "good" { "played" } else { "protocol_violation" };
            assert_eq!(seat["end"], end, "{sandbox}: {text}");
        }
    }
    stage.wait_for_silence();
}

#[test]
fn who_disguises_itself_as_another_team_has_lost() {
    frame("none");
}

#[test]
fn who_disguises_itself_as_another_team_in_landlock_has_lost() {
    if has_landlock() {
        frame("landlock");
    }
}

#[test]
fn who_is_gone_before_anybody_looks_takes_nobodys_place() {
    let mut stage = Stage::new();
    if !add_python(&mut stage, &[("hasty", "impostor.py --name good --gone 1", "")]) {
        return;
    }
    stage.player("good");
    stage.planned("night", &["--against", "good", "--seeds", "2"]);
    let finished = stage.run("night", &[]);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    for text in stage.results("night").values() {
        let result: Value = serde_json::from_str(text).unwrap();
        for seat in result["seats"].as_array().unwrap() {
            match (seat["team"].as_str().unwrap(), seat["end"].as_str().unwrap()) {
                ("good", "played") => assert!(seat["rank"] == 1 && seat["born"].as_u64() >= Some(1)),
                // Whether it is seen in time is up to the machine.
                ("hasty", "protocol_violation" | "failed_to_start" | "never_joined") => {
                    assert_eq!(seat["born"], 0);
                }
                _ => panic!("{text}"),
            }
        }
    }
}

/// A single match; its result and what was printed.
fn single(stage: &Stage, flags: &[&str], bots: &[(&str, &str)]) -> (Value, String) {
    let mut command = std::process::Command::new(ARENA);
    command.arg("match").arg("--server").arg(server()).arg("--out").arg(stage.out("match"));
    command.args("--clock lockstep --seed 3 --clients 1 --max-ticks 200 --force".split(' ')).args(flags);
    for (team, bot) in bots {
        command.args(["--bot", &format!("{team}={bot} -p {{port}} -n {{team}} -h {{host}}")]);
    }
    let finished = Running::start(&mut command).finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let text = fs::read_to_string(stage.out("match").join("result.json")).unwrap();
    (serde_json::from_str(&text).unwrap(), finished.stdout)
}

fn in_shell(script: &str) -> String {
    format!("sh -c {}", shlex::try_quote(script).unwrap())
}

#[test]
fn a_match_says_who_came_as_somebody_else_and_blames_no_honest_observer() {
    let Some(impostor) = python("bots", "impostor.py") else { return };
    let stage = Stage::new();
    let client = client();
    let spy = format!("{impostor} --moments 2");
    let (result, told) = single(&stage, &[], &[("red", &spy), ("blue", &client)]);
    assert_eq!(result["arena"]["teams"][0]["foul"], "a program of it wanted to watch as an observer");
    assert_eq!(result["arena"]["teams"][1]["foul"], Value::Null);
    assert!(result["winner"] != "red" && result["reproducible"] == false, "{result}");
    assert!(told.contains("red was ended and can't win: a program of it wanted to watch"), "{told}");
    // An observer of the operator.
    let watches = in_shell(&format!("echo I watch; {impostor} -n none -p {{port}} -h {{host}}"));
    let (result, told) = single(&stage, &["--observer", &watches], &[("red", &client), ("blue", &client)]);
    for team in 0..2 {
        assert_eq!(result["arena"]["teams"][team]["foul"], Value::Null);
    }
    assert_eq!(
        (&result["arena"]["connections_from_outside"], &result["reproducible"]),
        (&0.into(), &true.into())
    );
    assert!(!told.contains("connections that"), "{told}");
}

#[test]
fn who_is_of_another_match_does_not_come_in() {
    let Some(impostor) = python("bots", "impostor.py") else { return };
    let stage = Stage::new();
    let client = client();
    // It doesn't begin until the other match is over.
    let flags = "--clock lockstep --lobby-time 600 --clients 1 --procs 1 --seed 3 --max-ticks 50".split(' ');
    let begin = |out: &str, bots: &[String]| {
        let mut command = std::process::Command::new(ARENA);
        command.arg("match").arg("--server").arg(server()).arg("--out").arg(stage.out(out));
        command.args(bots.iter().flat_map(|bot| ["--bot", bot]));
        Running::start(command.args(flags.clone()))
    };
    let go = stage.out("go");
    let waits = in_shell(&format!(
        "until [ -e {} ]; do sleep 0.02; done; exec {client} -p {{port}} -n blue -h {{host}}",
        quoted(&go)
    ));
    let one =
        begin("one", &[format!("red={client} -p {{port}} -n red -h {{host}}"), format!("blue={waits}")]);
    let port = wait_for("the first server's port", || {
        let log = fs::read_to_string(stage.out("one/logs/server.log")).unwrap_or_default();
        let (_, rest) = log.split_once("listening on 127.0.0.1:")?;
        Some(rest.split_once('\n')?.0.to_owned())
    });
    let goes = format!("{impostor} -n none -h 127.0.0.1 --name blue -p {port}");
    // What it is told of its own match it doesn't heed.
    let other = format!("red={} {{port}} {{team}} {{host}}", in_shell(&goes));
    begin("two", &[other]).finish();
    fs::write(&go, "").unwrap();
    assert_eq!(one.finish().code(), 0);
    let text = fs::read_to_string(stage.out("one/result.json")).unwrap();
    let result: Value = serde_json::from_str(&text).unwrap();
    let arena = &result["arena"];
    assert_eq!(
        (&arena["connections_not_let_in"], &arena["connections_from_outside"]),
        (&1.into(), &0.into())
    );
    assert!(result["reproducible"] == true && result["teams"][1]["born"] == 1, "{text}");
}
