//! Which matches of a bot count where the rest could change no point, or took too long.

use std::fs;

use serde_json::{Value, json};
use zappy_play::signature::{Kind, sign};

use super::grade::{grade, json};
use super::stage::Stage;
use crate::support::client;

/// Four seeds against a twin, all of whose matches are played, with what the tests make of them.
fn played(stage: &mut Stage) -> (Vec<String>, Vec<String>) {
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    let flags = ["--against", &against, "--seeds", "4", "--max-ticks", "30", "--accept-lookalikes"];
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    assert_eq!(again(stage, &flags, &["--all-matches"]).0, 0);
    let plan = fs::read_to_string(stage.out("g/plan.jsonl")).unwrap();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    (flags, plan.lines().map(id).collect())
}

fn again(stage: &Stage, flags: &[String], more: &[&str]) -> (i32, String) {
    let flags: Vec<&str> = flags.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let finished = grade(stage, &client(), "g", &flags);
    (finished.code(), finished.stdout + &finished.stderr)
}

fn change(stage: &Stage, name: &str, with: impl Fn(&mut Value)) {
    let path = stage.out("g").join(name);
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    with(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

/// Lets the graded bot win that match.
fn win(stage: &Stage, id: &str) {
    rank(stage, id, [1, 2]);
}

/// Gives the graded bot and the other one these ranks in that match.
fn rank(stage: &Stage, id: &str, [graded, other]: [u64; 2]) {
    change(stage, &format!("results/{id}.json"), |result| {
        let seats = result["seats"].as_array_mut().unwrap();
        let own = seats.iter().position(|seat| seat["team"] == "ada").unwrap();
        let ranks = |i| if i == own { graded } else { other };
        seats.iter_mut().enumerate().for_each(|(i, seat)| seat["rank"] = ranks(i).into());
        result["winner"] = if graded < other { own } else { 1 - own }.into();
        (result["by_lot"], result["outcome"]) = (false.into(), "foul".into());
        result.as_object_mut().unwrap().remove("sha256");
    });
}

fn forget(stage: &Stage, ids: &[String]) {
    for id in ids {
        fs::remove_file(stage.out("g/results").join(format!("{id}.json"))).unwrap();
        fs::remove_dir_all(stage.out("g/matches").join(id)).unwrap();
    }
}

#[test]
fn matches_that_can_change_no_point_are_not_played_and_do_not_count() {
    let mut stage = Stage::new();
    let (flags, ids) = played(&mut stage);
    ids.iter().for_each(|id| win(&stage, id));
    let starts = stage.starts();
    for _ in 0..2 {
        let (code, said) = again(&stage, &flags, &[]);
        assert_eq!(code, 0, "{said}");
        let graded = json(&stage, "g");
        let twin = &graded["opponents"][0];
        assert_eq!((&twin["wins"], &twin["left_out"]), (&json!(6), &json!(2)), "{graded:#}");
        assert_eq!((&twin["left_out_why"], &graded["complete"]), (&json!("decided"), &json!(true)));
        assert_eq!((&graded["points"], stage.starts()), (&json!(1), starts), "{said}");
        assert!(
            said.contains("2 matches against twin were left out, since they could change no point"),
            "{said}"
        );
        // Killed before it played them, it is the same.
        if stage.played("g") == 8 {
            forget(&stage, &ids[6..]);
        }
    }
    let (code, said) = again(&stage, &flags, &["--all-matches"]);
    assert_eq!((code, stage.played("g")), (0, 8), "{said}");
}

#[test]
fn what_takes_too_long_is_left_out_and_lost_by_the_bot_that_was_waited_for() {
    let mut stage = Stage::new();
    let (flags, ids) = played(&mut stage);
    ids.iter().for_each(|id| win(&stage, id));
    for (waited, why, points, beaten) in
        [(390_000, "lost_by_time", 0, "no, out of time"), (1_000, "out_of_time", 1, "yes")]
    {
        for id in &ids {
            if !stage.out("g/matches").join(id).exists() {
                continue;
            }
            change(&stage, &format!("matches/{id}/result.json"), |report| {
                report["arena"]["seconds"] = 400.into();
                for team in report["lockstep"]["think_times"].as_array_mut().unwrap() {
                    team["waited_ms"] = if team["team"] == "ada" { waited } else { 0 }.into();
                }
            });
            sign(&stage.out("g/matches").join(id), Kind::Match, &["match.zrec", "result.json"]);
        }
        let starts = stage.starts();
        let (code, said) = again(&stage, &flags, &[]);
        assert_eq!((code, stage.starts()), (0, starts), "{said}");
        let graded = json(&stage, "g");
        let twin = &graded["opponents"][0];
        assert_eq!((&twin["wins"], &twin["left_out"]), (&json!(2), &json!(6)), "{graded:#}");
        assert_eq!((&twin["left_out_why"], &graded["points"]), (&json!(why), &json!(points)), "{graded:#}");
        assert!(twin["verdict"].as_str().unwrap().starts_with(beaten), "{graded:#}");
        assert_eq!(graded["complete"], true);
        assert!(said.contains("the time for them was used up"), "{said}");
        let page = fs::read_to_string(stage.out("g/merged/index.html")).unwrap();
        assert!(page.contains("the time for them was used up"), "{page}");
        // Killed before it played them, it is the same.
        if stage.played("g") == 8 {
            forget(&stage, &ids[2..]);
            assert_eq!((again(&stage, &flags, &[]).0, json(&stage, "g")), (0, graded));
            assert_eq!(stage.starts(), starts);
        }
    }
}

#[test]
fn without_any_time_one_pair_is_played() {
    let mut stage = Stage::new();
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    let flags = [
        "--against",
        &against,
        "--seeds",
        "3",
        "--max-ticks",
        "30",
        "--budget",
        "0",
        "--jobs",
        "1",
        "--all-matches",
    ];
    let finished = grade(&stage, &client(), "g", &flags);
    assert_eq!((finished.code(), stage.played("g")), (0, 2), "{}", finished.stderr);
    assert_eq!(json(&stage, "g")["opponents"][0]["left_out"], 4);
}

#[test]
fn a_share_below_the_pass_mark_brings_the_part_of_a_point_that_the_grader_says() {
    let mut stage = Stage::new();
    let (mut flags, ids) = played(&mut stage);
    let scope = stage.out("scope.json");
    flags.extend(["--gradescope".to_owned(), scope.display().to_string()]);
    for (number, id) in ids.iter().enumerate() {
        rank(&stage, id, if number < 2 { [1, 2] } else { [2, 1] });
    }
    let starts = stage.starts();
    for (pass, points, verdict) in [
        ("0.1:0.15,0.25:0.4,0.5", json!(0.4), "no, narrowly, 0.4 of a point"),
        ("0.1:0.15,0.26:0.4,0.5", json!(0.15), "no, narrowly, 0.15 of a point"),
        ("0.3:0.4,0.5", json!(0), "no, narrowly"),
        ("0.1:0.15,0.25", json!(1), "yes, narrowly"),
    ] {
        // What is left out once a point can't change is another question, and is asked with each pass mark.
        for more in [&["--pass", pass, "--all-matches"][..], &["--pass", pass]] {
            let (code, said) = again(&stage, &flags, more);
            assert_eq!((code, stage.starts()), (0, starts), "{said}");
            let graded = json(&stage, "g");
            let twin = &graded["opponents"][0];
            assert_eq!(
                (&graded["points"], &twin["points"]),
                (&points, &points),
                "{pass} {more:?}: {graded:#}"
            );
            if more.len() == 3 {
                assert_eq!((&twin["share"], &twin["verdict"]), (&json!(0.25), &json!(verdict)), "{graded:#}");
            }
            assert!(said.contains(&format!("ada: {points} of 1 point; it beats")), "{said}");
            let scope: Value = serde_json::from_slice(&fs::read(&scope).unwrap()).unwrap();
            assert_eq!(scope["score"].as_f64(), points.as_f64(), "{scope:#}");
            assert_eq!(scope["tests"][0]["score"].as_f64(), points.as_f64(), "{scope:#}");
        }
    }
    let (code, said) = again(&stage, &flags, &["--pass", "0.25:0.333,0.5"]);
    assert_eq!(code, 2);
    assert!(said.contains("at most two digits behind the point"), "{said}");
}
