//! Drawn seeds: only a hash of them is planned, nothing tells them during the match, and the result does.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;
use zappy_play::programs::environment::bot_seed;
use zappy_tournament::seeds::seal;

use super::stage::Stage;
use crate::support::{ARENA, client, names, quoted, run};

/// Two bots that write down all that the system tells of any process, then play.
fn spies() -> Stage {
    let mut stage = Stage::new();
    let seen = quoted(&stage.bench.path("seen"));
    for name in ["ada", "bob"] {
        let look = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'";
        let body = format!("echo {name} $ZAPPY_SEED >>{seen}.own\n{look} >>{seen}\nexec {} \"$@\"", client());
        stage.script(name, &body, "");
    }
    stage
}

#[test]
fn a_drawn_seed_is_told_by_the_result_alone() {
    let stage = spies();
    let finished = stage.plan_sealed("night", &["--seeds", "2"]);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let file = stage.out("night").join("seeds");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let drawn: Vec<u64> =
        fs::read_to_string(&file).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    let plan = || fs::read_to_string(stage.out("night/plan.jsonl")).unwrap();
    for (line, seed) in plan().lines().zip([drawn[0], drawn[0], drawn[1], drawn[1]]) {
        let planned: Value = serde_json::from_str(line).unwrap();
        assert!(planned["seed"].is_null() && planned["seed_sha256"] == seal(seed), "{line}");
    }
    // The same again is the same, and more seeds are another plan.
    let before = plan();
    assert_eq!(stage.plan_sealed("night", &["--seeds", "2"]).code(), 0);
    assert_eq!(stage.plan_sealed("night", &["--seeds", "3"]).code(), 2);
    assert_eq!((plan(), fs::read_to_string(&file).unwrap().lines().count()), (before, 2));

    for shard in ["1/2", "2/2"] {
        let finished = stage.run("night", &["--shard", shard]);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
    }
    // What the bots saw: the server's and the arena's command lines are among it, no seed is, in whatever notation.
    // Other programs on the machine have what arguments they like.
    let seen = String::from_utf8_lossy(&fs::read(stage.out("seen")).unwrap()).into_owned();
    assert!(seen.contains("--record-level") && seen.contains("--kept-by"), "{seen}");
    for seed in &drawn {
        assert!(!seen.contains(&seed.to_string()) && !seen.contains(&format!("{seed:x}")), "{seed}\n{seen}");
    }
    let own = fs::read_to_string(stage.out("seen.own")).unwrap();
    for (id, text) in stage.results("night") {
        let result: Value = serde_json::from_str(&text).unwrap();
        let seed = result["seed"].as_u64().unwrap();
        assert!(drawn.contains(&seed), "{text}");
        let whole = stage.out("night/matches").join(id.trim_end_matches(".json")).join("result.json");
        let whole: Value = serde_json::from_slice(&fs::read(whole).unwrap()).unwrap();
        assert_eq!((&whole["arena"]["seed_kind"], whole["seed"].as_u64()), (&"sealed".into(), Some(seed)));
        for (place, team) in whole["arena"]["teams"].as_array().unwrap().iter().enumerate() {
            assert!(own.contains(&format!("{} {}\n", team["team"].as_str().unwrap(), bot_seed(seed, place))));
        }
    }
    let merged = run(Command::new(ARENA).args(["tournament", "merge"]).arg(stage.out("night")));
    assert_eq!(merged.code(), 0, "{}", merged.stderr);
    let table = fs::read_to_string(stage.out("night/merged/matches.csv")).unwrap();
    assert!(drawn.iter().all(|seed| table.contains(&seed.to_string())));
}

#[test]
fn a_result_with_another_seed_and_a_plan_without_its_seeds_are_refused() {
    let mut stage = Stage::new();
    stage.player("ada");
    stage.player("bob");
    assert_eq!(stage.plan_sealed("night", &["--seeds", "1"]).code(), 0);
    assert_eq!(stage.run("night", &[]).code(), 0);
    let results = stage.out("night/results");
    let name = names(&results).remove(0);
    let mut result: Value = serde_json::from_slice(&fs::read(results.join(&name)).unwrap()).unwrap();
    result["seed"] = (result["seed"].as_u64().unwrap() ^ 1).into();
    fs::write(results.join(&name), result.to_string()).unwrap();
    let merged = run(Command::new(ARENA).args(["tournament", "merge"]).arg(stage.out("night")));
    assert!(
        merged.code() == 2 && merged.error().contains("it was changed since the match was judged"),
        "{}",
        merged.stderr
    );
    // As an arena left it that noted no hashes.
    result.as_object_mut().unwrap().remove("sha256").unwrap();
    fs::write(results.join(&name), result.to_string()).unwrap();
    let merged = run(Command::new(ARENA).args(["tournament", "merge"]).arg(stage.out("night")));
    assert!(
        merged.code() == 2 && merged.error().contains("of which the plan names the hash"),
        "{}",
        merged.stderr
    );

    fs::remove_file(results.join(&name)).unwrap();
    fs::write(stage.out("night/seeds"), "7\n").unwrap();
    assert_eq!(stage.run("night", &[]).code(), 1);
    let why = stage.status("night")["failed"][0]["why"].clone();
    assert!(why.as_str().unwrap().contains("no line of it is the seed of match"), "{why}");
    fs::write(stage.out("night/seeds"), "7\n".repeat(11_000_000)).unwrap();
    assert_eq!(stage.run("night", &[]).code(), 1);
    let why = stage.status("night")["failed"][0]["why"].clone();
    assert!(why.as_str().unwrap().contains("seeds: longer than"), "{why}");
}

#[test]
fn a_plan_with_seeds_from_one_on_is_asked_for_as_it_was() {
    let mut stage = Stage::new();
    stage.player("ada");
    stage.player("bob");
    stage.planned("night", &["--seeds", "2"]);
    let again = stage.plan_sealed("night", &["--seeds", "2"]);
    assert!(again.stdout.contains("nothing was changed"), "{} {}", again.stdout, again.stderr);
    assert!(!stage.out("night/seeds").exists());
}
