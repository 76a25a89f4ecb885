//! Plans: the same again changes nothing, another one is refused.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use zappy_play::signature::Kind;

use super::stage::Stage;

use crate::support::{ARENA, names, run, signed};

fn stage() -> Stage {
    let mut stage = Stage::new();
    for name in ["ada", "bob", "eve"] {
        stage.script(name, &format!("exit 1 # {name}"), "");
    }
    stage
}

#[test]
fn planned_twice_is_planned_once() {
    let stage = stage();
    let first = stage.plan("night", &["--seeds", "2"]);
    assert_eq!(first.code(), 0, "{}", first.stderr);
    assert!(first.stdout.starts_with("planned 12 matches between 3 bots on 2 seeds in "), "{}", first.stdout);
    assert_eq!(names(&stage.out("night")), ["bots.json", "plan.jsonl"]);
    assert_eq!(signed(&stage.out("night")), (Kind::Tournament, vec!["bots.json".to_owned()]));
    let inode = || fs::metadata(stage.out("night").join("plan.jsonl")).unwrap().ino();
    let before = inode();
    let second = stage.plan("night", &["--seeds", "2"]);
    assert_eq!((second.code(), inode()), (0, before));
    assert!(second.stdout.contains("nothing was changed"), "{}", second.stdout);
    let other = stage.plan("night", &["--seeds", "3"]);
    assert_eq!((other.code(), inode()), (2, before));
    assert!(
        other.error().contains("another tournament was planned there: it has other seeds"),
        "{}",
        other.stderr
    );
    let longer = stage.plan("night", &["--seeds", "2", "--max-ticks", "500"]);
    assert!(
        longer.error().contains("planned there: max_ticks is 200 there, 500 here; choose"),
        "{}",
        longer.stderr
    );
    fs::write(stage.out("eve/notes"), "changed").unwrap();
    let changed = stage.plan("night", &["--seeds", "2"]);
    let words = "planned there: the bot eve as it is there isn't among the others; choose";
    assert!(changed.error().contains(words), "{}", changed.stderr);
    fs::remove_file(stage.out("eve/notes")).unwrap();
    let gauntlet = stage.plan("gauntlet", &["--against", "eve", "--seeds", "1"]);
    assert!(gauntlet.stdout.starts_with("planned 4 matches"), "{}", gauntlet.stdout);
    let three = stage.plan("three", &["--teams", "3", "--seeds", "1"]);
    assert!(three.stdout.starts_with("planned 3 matches"), "{}", three.stdout);
}

#[test]
fn a_call_that_was_killed_half_way_is_made_good() {
    let stage = stage();
    fs::create_dir(stage.out("night")).unwrap();
    for name in ["bots.json", ".plan.jsonl.new"] {
        fs::write(stage.out("night").join(name), "half").unwrap();
    }
    assert_eq!(stage.planned("night", &["--seeds", "1"]), 6);
    assert_eq!(names(&stage.out("night")), ["bots.json", "plan.jsonl"]);
}

#[test]
fn what_makes_no_tournament_is_refused() {
    let stage = stage();
    fs::create_dir(stage.out("thesis")).unwrap();
    fs::write(stage.out("thesis").join("thesis.tex"), "").unwrap();
    for (out, flags, words) in [
        ("thesis", &[][..], "\"thesis.tex\" in there is no tournament's"),
        ("night", &["--against", "zoe"], "--against: no bot is called zoe; there are ada, bob, eve"),
        ("night", &["--teams", "4"], "--teams is 4, the range is 2 to 3"),
        ("night", &["--clock", "sundial"], "the clocks are real and lockstep"),
        ("night", &["--against", ""], "--against is empty; name a bot"),
        (
            "night",
            &["--seeds", "-3"],
            "invalid value '-3' for '--seeds <N>': give a whole number without a sign",
        ),
        ("/proc/1/night", &[], "--out /proc/1/night: "),
    ] {
        let finished = stage.plan(out, flags);
        assert!(finished.code() == 2 && finished.error().contains(words), "{}", finished.stderr);
    }
    assert!(!stage.out("night").exists());
    let missing = stage.out("none.toml");
    let finished = run(Command::new(ARENA)
        .args(["tournament", "plan", "--out"])
        .arg(stage.out("night"))
        .arg("--bots")
        .arg(&missing));
    let words = format!("--bots {}: there is no such file or folder", missing.display());
    assert!(finished.code() == 2 && finished.error().contains(&words), "{}", finished.stderr);
    for what in ["run", "status"] {
        let finished = run(Command::new(ARENA).args(["tournament", what]).arg(stage.out("thesis")));
        assert!(finished.code() == 2 && finished.error().contains("no tournament was planned there"));
    }
}

#[test]
fn a_plan_that_was_tampered_with_is_not_played() {
    let stage = stage();
    stage.planned("night", &["--seeds", "1"]);
    let path = stage.out("night").join("plan.jsonl");
    let plan = fs::read_to_string(&path).unwrap();
    fs::write(&path, plan.replacen("\"seed\":1,", "\"seed\":2,", 1)).unwrap();
    let finished = stage.run("night", &[]);
    assert_eq!(finished.code(), 2);
    assert!(finished.error().contains("plan.jsonl: line 1: the id "), "{}", finished.stderr);
}
