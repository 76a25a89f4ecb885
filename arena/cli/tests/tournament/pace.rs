//! What a bot has of its points: none if it is another one under another name; and which matches count where the rest could
//! change no point, or took too long.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::grade::{grade, json};
use crate::stage::Stage;
use crate::support::client;

/// A match in which enough is said to tell players apart.
const LONG: [&str; 10] =
    ["--first", "1", "--pass", "0", "--seeds", "1", "--clients", "2", "--max-ticks", "700"];

#[test]
fn our_client_with_a_byte_more_has_no_point_unless_that_is_accepted() {
    let mut stage = Stage::new();
    stage.player_of("twin", "easy");
    let against = stage.out("bots.toml").display().to_string();
    fs::create_dir(stage.out("mine")).unwrap();
    let program = stage.out("mine/bot");
    fs::copy(client().trim_matches('\''), &program).unwrap();
    let mut bytes = fs::read(&program).unwrap();
    bytes.push(b'x');
    // As another program writes it: see `Bench::script`.
    fs::write(stage.out("bytes"), bytes).unwrap();
    let copied = std::process::Command::new("cp").arg(stage.out("bytes")).arg(&program).status().unwrap();
    assert!(copied.success());
    let folder = stage.out("mine").display().to_string();
    let flags = ["--against", &against, "--folder", &folder, "--seeds", "1"];
    let finished = grade(&stage, "./bot --level expert", "g", &flags);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let graded = json(&stage, "g");
    assert_eq!((&graded["points"], &graded["looks_like"]), (&json!(0), &json!("zappy_ai")), "{graded:#}");
    assert_eq!(graded["opponents"][0]["verdict"], "no, looks like another");
    let words = "looks like zappy_ai: it is that program";
    assert!(finished.stdout.contains(words), "{}", finished.stdout);
    let page = fs::read_to_string(stage.out("g/merged/index.html")).unwrap();
    assert!(page.contains("Looks like zappy_ai") && !page.contains("--accept"), "{page}");
    let accepted =
        grade(&stage, "./bot --level expert", "g", &[&flags[..], &["--accept-lookalikes"]].concat());
    assert_eq!(accepted.code(), 0, "{}", accepted.stderr);
    let graded = json(&stage, "g");
    assert_eq!((&graded["looks_like"], &graded["likeness_accepted"]), (&json!("zappy_ai"), &json!(true)));
    assert_ne!(graded["opponents"][0]["verdict"], "no, looks like another");
}

/// Grades what lies in the folder of that name, which is started so, against `bots.toml`; gives what it looks like.
fn looks_like(stage: &Stage, name: &str, command: &str) -> Value {
    let [against, folder] = ["bots.toml", name].map(|name| stage.out(name).display().to_string());
    let flags = [&["--against", &against, "--folder", &folder][..], &LONG].concat();
    let finished = grade(stage, command, &format!("g-{name}"), &flags);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let graded = json(stage, &format!("g-{name}"));
    assert_eq!(graded["points"] == 0, graded["looks_like"] != Value::Null, "{graded:#}");
    graded["looks_like"].clone()
}

#[test]
fn a_bot_that_plays_as_an_opponent_or_a_level_of_our_client_does_in_every_seat_is_named() {
    let mut stage = Stage::new();
    stage.player_of("easy", "easy");
    stage.player_of("house", "hard");
    for (name, level, like) in [("copy", "hard", "house"), ("level", "medium", "zappy_ai --level medium")] {
        fs::create_dir(stage.out(name)).unwrap();
        stage
            .bench
            .script(&format!("{name}/run"), &format!("# my own\nexec {} --level {level} \"$@\"\n", client()));
        assert_eq!(looks_like(&stage, name, "./run"), like);
    }
}

#[test]
fn our_client_is_named_however_it_is_packed_and_a_starter_is_not() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return eprintln!("there is no python3, so nothing is packed with it");
    }
    let mut stage = Stage::new();
    stage.player_of("easy", "easy");
    let pack =
        "import sys, zlib; open(sys.argv[2], 'wb').write(zlib.compress(open(sys.argv[1], 'rb').read(), 1))";
    let unpack = "import os, sys, tempfile, zlib\n\
        file, path = tempfile.mkstemp(dir='.')\n\
        os.write(file, zlib.decompress(open('data', 'rb').read())); os.close(file); os.chmod(path, 0o755)\n\
        os.execv(path, [path, '--level', 'expert'] + sys.argv[1:])\n";
    let beside = "import os, sys\nos.chmod('data', 0o755); os.execv('./data', ['data', '--level', 'hard'] + sys.argv[1:])\n";
    let starter = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ai-client/starters/python/bot.py"),
    );
    let program = client().trim_matches('\'').to_owned();
    for (name, bot, like) in [
        ("packed", unpack, json!("zappy_ai --level expert")),
        ("beside", beside, json!("zappy_ai")),
        ("starter", &starter.unwrap(), Value::Null),
    ] {
        fs::create_dir(stage.out(name)).unwrap();
        fs::write(stage.out(name).join("bot.py"), bot).unwrap();
        let data = stage.out(name).join("data");
        match name {
            "packed" => {
                let python =
                    std::process::Command::new("python3").args(["-c", pack, &program]).arg(data).status();
                assert!(python.unwrap().success());
            }
            "beside" => fs::write(data, [&fs::read(&program).unwrap()[..], b"more"].concat()).unwrap(),
            _ => {}
        }
        let command = "python3 bot.py -p {port} -n {team} -h {host}";
        assert_eq!(looks_like(&stage, name, command), like, "{name}");
    }
}

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
            assert!(said.contains(&format!("ada: {points} of 1 points; it beats")), "{said}");
            let scope: Value = serde_json::from_slice(&fs::read(&scope).unwrap()).unwrap();
            assert_eq!(scope["score"].as_f64(), points.as_f64(), "{scope:#}");
            assert_eq!(scope["tests"][0]["score"].as_f64(), points.as_f64(), "{scope:#}");
        }
    }
    let (code, said) = again(&stage, &flags, &["--pass", "0.25:0.333,0.5"]);
    assert_eq!(code, 2);
    assert!(said.contains("at most two digits behind the point"), "{said}");
}
