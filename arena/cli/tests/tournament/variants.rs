//! Plans whose matches differ in options of the game: its maps, with cities and without.

use std::fs;
use std::process::Command;

use super::grade::json;
use super::stage::{Stage, WHOLE};
use crate::support::{ARENA, Finished, Running, client};

const VARIED: [&str; 10] = [
    "--game",
    "conquest",
    "--turns",
    "3",
    "--seeds",
    "1",
    "--vary",
    "scenario=straits,drawn",
    "--vary",
    "cities=on,off",
];

fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.player_of("easy", "easy");
    stage.player_of("hard", "hard");
    stage
}

fn tournament(stage: &Stage, action: &str) -> Finished {
    Running::start(Command::new(ARENA).args(["tournament", action]).arg(stage.out("t"))).finish_within(WHOLE)
}

#[test]
fn each_variant_is_played_on_each_seed_in_both_seats_proved_and_told() {
    let stage = stage();
    assert_eq!(stage.planned("t", &VARIED), 8);
    let plan = fs::read_to_string(stage.out("t/plan.jsonl")).unwrap();
    let sized = |size: &str| plan.lines().filter(|line| line.contains(size)).count();
    assert_eq!((sized("\"width\":24,\"height\":16"), sized("\"width\":20,\"height\":20")), (4, 4), "{plan}");
    let again = stage.plan("t", &VARIED);
    assert!(again.code() == 0 && again.stdout.contains("this very plan already"), "{}", again.stdout);
    let finished = stage.run("t", &[]);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let proved = tournament(&stage, "verify");
    assert_eq!(proved.code(), 0, "{}{}", proved.stdout, proved.stderr);
    let merged = tournament(&stage, "merge");
    assert_eq!(merged.code(), 0, "{}", merged.stderr);
    let [table, page] = ["matches.csv", "index.html"].map(|name| {
        let path = stage.out("t/merged").join(name);
        fs::read_to_string(path).unwrap()
    });
    assert!(table.lines().next().unwrap().ends_with(",variant"), "{table}");
    for variant in ["cities on, scenario straits", "cities off, scenario drawn"] {
        assert!(merged.stdout.contains(variant), "{}", merged.stdout);
        assert_eq!(table.matches(variant).count(), 4, "two matches of two seats: {table}");
        assert!(page.contains(variant), "{page}");
    }
    assert!(page.contains("Points by variant"), "{page}");
}

#[test]
fn a_grade_has_the_matches_of_all_variants() {
    let stage = stage();
    let mut command = Command::new(ARENA);
    command.args(["grade", &client(), "--name", "ada", "--against"]).arg(stage.out("bots.toml"));
    command.args(["--all-matches", "--accept-lookalikes", "--sandbox", "none", "--out"]).arg(stage.out("g"));
    let finished = Running::start(command.args(["--first", "1"]).args(VARIED)).finish_within(WHOLE);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let graded = json(&stage, "g");
    for opponent in graded["opponents"].as_array().unwrap() {
        let count = |key: &str| opponent[key].as_u64().unwrap();
        assert_eq!(count("wins") + count("draws") + count("losses"), 8, "{graded:#}");
    }
    assert!(finished.stdout.contains("points by variant"), "{}", finished.stdout);
}

#[test]
fn what_makes_no_variants_is_refused_by_name() {
    let stage = stage();
    for (flags, words) in [
        (&["--vary", "cities=on,on"][..], "--vary cities names on twice; name each value once"),
        (
            &["--vary", "cities=on", "--vary", "cities=off"],
            "--vary cities is given twice; write all its values",
        ),
        (
            &["--vary", "scenario=atlantis"],
            "--scenario is \"atlantis\", the maps are straits, ring, islands, centre, uneven",
        ),
        (
            &["--vary", "scenario=ring", "--width", "20"],
            "the map ring has 28x28 tiles, not 20x28; leave width and height",
        ),
        (&["--vary", "weather=rain"], "has no option weather"),
        (&["--vary", "cities"], "write KEY=VALUE,VALUE"),
    ] {
        let refused = stage.plan("t", &[&["--game", "conquest"], flags].concat());
        assert!(refused.code() == 2 && refused.stderr.contains(words), "{flags:?}: {}", refused.stderr);
    }
}
