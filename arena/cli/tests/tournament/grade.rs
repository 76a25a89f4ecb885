//! A bot against a row of opponents: a point for each that it beats, the same again for nothing, and what is refused.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::stage::{SMALL, Stage, WHOLE};
use crate::support::{ARENA, Finished, Running, client, names, quoted};

/// Grades `bot` against what the stage names, or our own bots.
pub fn grade(stage: &Stage, bot: &str, out: &str, flags: &[&str]) -> Finished {
    let mut command = Command::new(ARENA);
    let usual = [&SMALL[..], &["--name", "ada"]].concat();
    let usual = usual.chunks(2).filter(|pair| !flags.contains(&pair[0])).flatten();
    command.args(["grade", bot, "--out"]).arg(stage.out(out)).args(usual).args(flags);
    Running::start(command.args(["--sandbox", "none"])).finish_within(WHOLE)
}

pub fn json(stage: &Stage, out: &str) -> Value {
    serde_json::from_slice(&fs::read(stage.out(out).join("grade.json")).unwrap()).unwrap()
}

#[test]
fn a_point_for_each_opponent_that_is_beaten() {
    let mut stage = Stage::new();
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    let flags = ["--against", &against, "--seeds", "2", "--all-matches", "--accept-lookalikes"];
    let finished = grade(&stage, &client(), "g", &flags);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let graded = json(&stage, "g");
    assert_eq!(
        (&graded["name"], &graded["of"], &graded["complete"]),
        (&"ada".into(), &1.into(), &true.into())
    );
    let twin = &graded["opponents"][0];
    let share = twin["share"].as_f64().unwrap();
    let decided = twin["decided"] == true;
    assert_eq!(twin["beaten"], share > 0.5 && decided, "{graded}");
    assert_eq!(twin["clear"], false, "four results between equals tell nothing");
    assert_eq!(graded["points"], usize::from(share > 0.5 && decided));
    let narrowly = decided && share > 0.0;
    assert_eq!(twin["verdict"].as_str().unwrap().ends_with(", narrowly"), narrowly, "{graded}");
    let words = "narrowly: on other seeds it could go the other way; more --seeds make it clearer\n";
    assert_eq!(finished.stdout.contains(words), narrowly, "{}", finished.stdout);
    let page = fs::read_to_string(stage.out("g/merged/index.html")).unwrap();
    assert!(!page.contains("--seeds"), "what only a grader can do is told to a student: {page}");
    let junit = fs::read_to_string(stage.out("g/grade.xml")).unwrap();
    assert!(junit.contains("against twin") && !junit.contains("against ada"), "{junit}");
    assert!(stage.out("g/merged/index.html").is_file());
    assert_eq!(stage.starts(), 4);

    let again = grade(&stage, &client(), "g", &flags);
    assert_eq!((again.code(), json(&stage, "g")), (0, graded), "{}", again.stderr);
    assert_eq!(stage.starts(), 4, "nothing is played twice");

    for (pass, points) in [("0", usize::from(decided)), ("1", usize::from(share >= 1.0))] {
        assert_eq!(grade(&stage, &client(), "g", &[&flags[..], &["--pass", pass]].concat()).code(), 0);
        assert_eq!(json(&stage, "g")["points"], points, "{pass}");
    }
}

#[test]
fn who_can_not_be_started_is_graded_after_a_pair_and_its_opponents_are_mended_first() {
    let mut stage = Stage::new();
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    stage.bench.script("mine", "echo 'syntax error' >&2\nexit 1\n");
    let mine = quoted(&stage.out("mine"));
    let finished = grade(&stage, &mine, "g", &["--against", &against, "--seeds", "5", "--jobs", "1"]);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!((json(&stage, "g")["points"].as_u64(), stage.played("g")), (Some(0), 2));
    assert!(finished.stdout.contains("ada can't be started: "), "{}", finished.stdout);
    assert!(finished.stdout.contains("it said: syntax error"), "{}", finished.stdout);
    stage.script("absent", "exit 1", "");
    let refused = grade(&stage, &client(), "h", &["--against", &against, "--seeds", "5", "--jobs", "1"]);
    assert_eq!(refused.code(), 1, "{}", refused.stdout);
    assert!(
        refused.error().contains("nothing is graded: the opponent absent can't be started"),
        "{}",
        refused.stderr
    );
    assert!(stage.played("h") < 8, "{}", stage.played("h"));
}

#[test]
fn who_names_another_team_is_told_so_after_a_pair_by_terminal_and_page() {
    let mut stage = Stage::new();
    stage.player("twin");
    stage.player_of("other", "easy");
    let against = stage.out("bots.toml").display().to_string();
    let mine = format!("{} -p {{port}} -n red -h {{host}}", client());
    let flags = ["--against", &against, "--seeds", "3", "--jobs", "1", "--lobby-time", "2"];
    let finished = grade(&stage, &mine, "g", &flags);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let graded = json(&stage, "g");
    assert_eq!((&graded["points"], stage.played("g")), (&0.into(), 2), "{graded:#}");
    assert_eq!(graded["faults"], serde_json::json!({ "never_joined": 2 }));
    assert_eq!(graded["opponents"][0]["clear"], true);
    let page = fs::read_to_string(stage.out("g/merged/index.html")).unwrap();
    let why = "it named a team that doesn't exist here: red; the team stands behind -n";
    let all_lost = "No further match was played, and all of them count as lost";
    let words = finished.stdout.as_str();
    for told in ["ada: 0 of 2 points", &format!("ada never joins: {why}"), all_lost, "no, not played"] {
        assert!(words.contains(told), "{told}: {words}");
        assert!(page.contains(&told.replace('\'', "&#39;")), "{told}: {page}");
    }
    assert!(page.contains("<h1>Grade of ada</h1>"), "{page}");
    for other in ["interpreter", "narrowly", "bots.toml"] {
        assert!(!words.contains(other) && !page.contains(other), "{other}: {words}\n{page}");
    }
    let hints = zappy_game_zappy::SPEC.advice.iter().map(|advice| advice.hint);
    for other in hints.chain(["Rating", "provisional", "Tournament"]) {
        assert!(!page.contains(other), "{other}: {page}");
    }
}

#[test]
fn an_opponent_that_never_comes_is_mended_and_its_folder_goes() {
    let mut stage = Stage::new();
    stage.script("absent", "exec sleep 600", "");
    let against = stage.out("bots.toml").display().to_string();
    let out = stage.out("g");
    for more in [&["--jobs", "1"][..], &["--keep-going"]] {
        let flags = [&["--against", &against, "--seeds", "1", "--lobby-time", "1"][..], more].concat();
        let refused = grade(&stage, &client(), "g", &flags);
        assert_eq!(refused.code(), 1, "{}", refused.stdout);
        let error = refused.error();
        let remedy = format!("Mend that, remove {}, and grade again", out.display());
        assert!(
            error.contains("nothing is graded: the opponent absent ") && error.contains(&remedy),
            "{error}"
        );
        let log = error.split_once('(').and_then(|(_, rest)| rest.split_once(')')).unwrap().0;
        assert!(fs::exists(log).unwrap(), "{error}");
        fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn draws_alone_bring_no_point() {
    let mut stage = Stage::new();
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    // Nothing is reached so soon.
    let flags =
        ["--against", &against, "--seeds", "2", "--max-ticks", "1", "--all-matches", "--accept-lookalikes"];
    let finished = grade(&stage, &client(), "g", &flags);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let told = json(&stage, "g");
    let twin = &told["opponents"][0];
    assert_eq!((&twin["draws"], &twin["share"]), (&4.into(), &0.5.into()), "{told:#}");
    assert_eq!(
        (&twin["decided"], &twin["beaten"], &told["points"]),
        (&false.into(), &false.into(), &0.into())
    );
    assert!(finished.stdout.contains("  not decided\n"), "{}", finished.stdout);
    assert!(finished.stdout.contains("a higher --max-ticks and another --out"), "{}", finished.stdout);
    let junit = fs::read_to_string(stage.out("g/grade.xml")).unwrap();
    assert!(junit.contains("type=\"not decided\""), "{junit}");
}

#[test]
fn matches_that_are_not_scored_bring_no_point() {
    let mut stage = Stage::new();
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    let flags =
        ["--against", &against, "--seeds", "2", "--max-ticks", "30", "--all-matches", "--accept-lookalikes"];
    assert_eq!(grade(&stage, &client(), "g", &flags).code(), 0);
    // One is won, and the others ran out of time.
    for (i, name) in names(&stage.out("g/results")).iter().enumerate() {
        let path = stage.out("g/results").join(name);
        let mut result: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for seat in result["seats"].as_array_mut().unwrap() {
            seat["rank"] = if seat["team"] == "ada" { 1 } else { 2 }.into();
        }
        let won = result["seats"].as_array().unwrap().iter().position(|seat| seat["team"] == "ada");
        result["winner"] = won.into();
        // Of such a match the ranks alone count.
        result["outcome"] = if i == 0 { "foul" } else { "out_of_time" }.into();
        result.as_object_mut().unwrap().remove("sha256");
        fs::write(&path, result.to_string()).unwrap();
    }
    let graded = grade(&stage, &client(), "g", &flags);
    assert_eq!(graded.code(), 0, "{}", graded.stderr);
    let told = json(&stage, "g");
    assert_eq!((&told["points"], &told["complete"]), (&0.into(), &false.into()), "{told:#}");
    assert_eq!(
        (&told["opponents"][0]["wins"], &told["opponents"][0]["missing"]),
        (&1.into(), &3.into()),
        "{told:#}"
    );
    assert!(graded.stdout.contains("not scored, and counted as lost here: 3 matches"), "{}", graded.stdout);
}

#[test]
fn who_does_not_start_gets_no_points_and_gives_none() {
    let mut stage = Stage::new();
    stage.player("twin");
    stage.script("absent", "exit 1", "");
    let against = stage.out("bots.toml").display().to_string();
    let flags = ["--against", &against, "--seeds", "1"];
    let refused = grade(&stage, &client(), "g", &flags);
    assert_eq!(refused.code(), 1, "{}", refused.stdout);
    assert!(refused.stderr.contains("the opponent absent"), "{}", refused.stderr);
    assert!(!stage.out("g/grade.json").exists());

    let mut stage = Stage::new();
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    let finished = grade(&stage, "false", "h", &["--against", &against, "--seeds", "1", "--strict"]);
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    assert_eq!(
        (&json(&stage, "h")["points"], &json(&stage, "h")["faults"]["failed_to_start"]),
        (&0.into(), &2.into())
    );
}

#[test]
fn without_opponents_ours_are_played_and_a_changed_bot_needs_another_folder() {
    let mut stage = Stage::new();
    stage.script("bot", &format!("exec {} \"$@\"", client()), "");
    let folder = stage.out("bot").display().to_string();
    let flags = ["--folder", &folder, "--seeds", "1", "--max-ticks", "30"];
    let finished = grade(&stage, "./bot", "g", &flags);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(opponents(&stage, "g"), ["easy", "medium", "hard", "expert", "aggressor"]);
    fs::write(stage.out("bot/notes"), "changed").unwrap();
    let refused = grade(&stage, "./bot", "g", &flags);
    assert_eq!(refused.code(), 2);
    assert!(refused.stderr.contains("choose another folder"), "{}", refused.stderr);
}

/// By their names.
fn opponents(stage: &Stage, out: &str) -> Vec<Value> {
    json(stage, out)["opponents"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect()
}

#[test]
fn levels_are_played_that_the_game_has_or_that_are_named() {
    let stage = Stage::new();
    for (out, against, played) in [
        ("all", &[][..], &["easy", "medium", "hard", "raider", "expert"][..]),
        ("two", &["--against", "raider,easy"], &["raider", "easy"]),
    ] {
        let mut command = Command::new(ARENA);
        command.args(["grade", &client(), "--name", "ada", "--game", "conquest", "--turns", "3", "--out"]);
        command.arg(stage.out(out)).args(against);
        command.args("--width 10 --height 10 --seeds 1 --sandbox none --think-time 60000".split(' '));
        let finished = Running::start(&mut command).finish_within(WHOLE);
        assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
        assert_eq!(opponents(&stage, out), played);
        assert_eq!(json(&stage, out)["complete"], true);
    }
}

#[test]
fn a_script_that_the_command_names_is_part_of_the_bot() {
    let mut stage = Stage::new();
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    stage.bench.script("mine", "exit 1\n");
    let command = format!("sh {}", quoted(&stage.out("mine")));
    let flags = ["--against", &against, "--seeds", "1", "--lobby-time", "1"];
    assert_eq!(grade(&stage, &command, "g", &flags).code(), 0);
    stage.bench.script("mine", "exit 2\n");
    let refused = grade(&stage, &command, "g", &flags);
    assert_eq!(refused.code(), 2, "{}", refused.stderr);
}

#[test]
fn what_can_not_be_graded_is_refused_before_anything_is_played() {
    let mut stage = Stage::new();
    stage.player("twin");
    let against = stage.out("bots.toml").display().to_string();
    let missing = stage.out("nowhere").display().to_string();
    let nameless = stage.out("nameless.toml");
    fs::write(&nameless, "[[bot]]\nname = \"ivy smith\"\ncommand = \"true\"\n").unwrap();
    let nameless = nameless.display().to_string();
    for (bot, flags, word) in [
        (&client()[..], vec!["--against", &against, "--pass", "1.5"], "0 to 1"),
        (
            &client()[..],
            vec!["--against", &nameless],
            &format!("{nameless}: bot 1 is called \"ivy smith\"; use one word"),
        ),
        (
            &client()[..],
            vec!["--against", &against, "--folder", &against],
            &format!("--folder {against}: that is a file; give the folder"),
        ),
        ("/nowhere/bot", vec!["--against", &against], "the bot to grade: bot ada: "),
        (
            &client()[..],
            vec!["--against", &missing],
            &format!("--against {missing}: there is no such file or folder"),
        ),
        (
            &client()[..],
            vec!["--against", ""],
            "for '--against <FILE|LEVELS>' and what was given is empty; give one, or leave",
        ),
        (
            &client()[..],
            vec!["--against", &against, "--folder", &missing],
            &format!("--folder {missing}: there is no folder"),
        ),
        (
            &client()[..],
            vec!["--against", &against, "--name", "twin"],
            "--name twin: an opponent is called so",
        ),
        (&client()[..], vec!["--against", &against, "--name", "a b"], "--name \"a b\": use one word"),
        (
            &format!("{} -p {{prt}}", client()),
            vec!["--against", &against],
            "\"{prt}\" is no placeholder; there are",
        ),
        ("sh nowhere.sh", vec!["--against", &against], "there is no script \"nowhere.sh\" in /"),
    ] {
        let refused = grade(&stage, bot, "g", &flags);
        assert_eq!(refused.code(), 2, "{flags:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(word), "{flags:?}: {}", refused.stderr);
        assert_eq!(refused.stderr.trim().lines().count(), 1, "{}", refused.stderr);
    }
    fs::write(stage.out("g"), "").unwrap();
    let refused = grade(&stage, &client(), "g", &["--against", &against]);
    let words = format!("--out {}: a file is there where a folder must be", stage.out("g").display());
    assert!(refused.error().contains(&words), "{}", refused.stderr);
    let mut command = Command::new(ARENA);
    let refused = Running::start(command.args(["tournament", "run", "g", "--shard", "-1/4"])).finish();
    assert!(refused.stderr.contains("'-1/4' for '--shard <I/N>'"), "{}", refused.stderr);
    assert_eq!(stage.starts(), 0);
}

#[test]
fn files_that_the_command_names_count_from_here_and_not_from_the_opponents() {
    let mut stage = Stage::new();
    stage.player("twin");
    fs::create_dir_all(stage.out("here/work")).unwrap();
    stage.bench.script("here/work/mine.sh", &format!("exec {} \"$@\"\n", client()));
    for (out, against) in [("g", Some("bots.toml")), ("levels", None)] {
        let mut command = Command::new(ARENA);
        command.current_dir(stage.out("here")).args(["grade", "sh work/mine.sh -p {port} -n {team}"]);
        command
            .args(["--name", "ada", "--seeds", "1", "--sandbox", "none", "--out"])
            .arg(stage.out(out))
            .args(SMALL);
        if let Some(file) = against {
            command.arg("--against").arg(stage.out(file));
        }
        let finished = Running::start(command.arg("--accept-lookalikes")).finish_within(WHOLE);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        assert_eq!(json(&stage, out)["complete"], true);
    }
}
