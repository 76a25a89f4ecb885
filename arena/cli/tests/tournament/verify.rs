//! A finished tournament is proved again from its records; whatever was changed since it was judged is named.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use zappy_tournament::outcome::Outcome;

use super::stage::Stage;
use crate::support::{ARENA, Finished, names, run};

fn on(stage: &Stage, action: &str) -> Finished {
    run(Command::new(ARENA).args(["tournament", action]).arg(stage.out("night")))
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Makes the seat that lost the winner.
fn flipped(mut result: Value) -> Value {
    let loser = 1 - result["winner"].as_u64().unwrap_or_default();
    result["winner"] = loser.into();
    for (seat, i) in result["seats"].as_array_mut().unwrap().iter_mut().zip(0..) {
        seat["rank"] = if i == loser { 1 } else { 2 }.into();
    }
    result
}

/// The same with the hash that the arena would write.
fn sealed(result: &Value) -> Value {
    let outcome: Outcome = serde_json::from_value(result.clone()).unwrap();
    json!(outcome.sealed())
}

/// A tournament of two matches, and the id of one of them.
fn night() -> (Stage, Vec<String>) {
    let mut stage = Stage::new();
    stage.player_of("ada", "easy");
    stage.player("bob");
    stage.planned("night", &["--seeds", "1"]);
    assert_eq!(stage.run("night", &[]).code(), 0);
    let ids = names(&stage.out("night/matches"));
    (stage, ids)
}

#[test]
fn a_tournament_is_proved_and_each_file_that_was_changed_is_named() {
    let (stage, ids) = night();
    let proved = on(&stage, "verify");
    assert_eq!((proved.code(), &proved.stderr[..]), (0, ""), "{}", proved.stdout);
    assert_eq!(proved.stdout, "2 of 2 matches proved from their records\n");
    let result = stage.out("night/results").join(format!("{}.json", ids[0]));
    let report = stage.out("night/matches").join(&ids[0]).join("result.json");
    let [record, other] = [0, 1].map(|i| stage.out("night/matches").join(&ids[i]).join("match.zrec"));
    let [honest, told] = [read(&result), read(&report)];
    let without_hash = |mut value: Value| {
        value.as_object_mut().unwrap().remove("sha256");
        value
    };
    let plan = stage.out("night/plan.jsonl");
    let bots = stage.out("night/bots.json");
    let lines = fs::read_to_string(&plan).unwrap();
    let swapped = |text: String| {
        text.replace("\"ada\"", "\"eve\"").replace("\"bob\"", "\"ada\"").replace("\"eve\"", "\"bob\"")
    };
    let other_command =
        fs::read_to_string(&bots).unwrap().replacen("\"command\": \"", "\"command\": \"nice ", 1);
    let mut winning = told.clone();
    winning["teams"][0]["rank"] = told["teams"][1]["rank"].clone();
    winning["teams"][1]["rank"] = told["teams"][0]["rank"].clone();
    let mut unverified = honest.clone();
    unverified["verified"] = false.into();
    let json = |value: Value| Some(value.to_string().into_bytes());
    // What is changed, what is named by `verify`, its words, and whether merge refuses it.
    let cases = [
        (&result, json(flipped(honest.clone())), &result, "it was changed since the match was judged", true),
        (&result, json(sealed(&flipped(honest.clone()))), &result, "tells otherwise than result.json", false),
        (&result, json(without_hash(unverified.clone())), &result, "its record doesn't prove it", true),
        (&result, json(unverified), &result, "it was changed since", true),
        (&result, None, &result, "it isn't there, though the match was played", false),
        (&record, Some(fs::read(&other).unwrap()), &record, "its hash isn't the one in the result", false),
        (&record, None, &record, "there is no such file", false),
        (&report, json(winning), &report, "it was changed since the arena signed it", true),
        (&bots, Some(other_command.into_bytes()), &bots, "it was changed since the arena signed it", true),
        (
            &bots,
            Some(swapped(fs::read_to_string(&bots).unwrap()).into_bytes()),
            &record,
            "another teams",
            true,
        ),
        (&plan, Some(lines.lines().next().unwrap().into()), &plan, "in which its bots change seats", true),
    ];
    for (path, change, named, words, refused) in cases {
        let before = fs::read(path).unwrap();
        match change {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        let found = on(&stage, "verify");
        let line = found.stderr.lines().find(|line| line.starts_with(&format!("{}: ", named.display())));
        assert!(line.is_some_and(|line| line.contains(words)), "{words}: {}{}", found.stdout, found.stderr);
        assert_eq!(found.code(), 1, "{words}");
        let merged = on(&stage, "merge");
        assert_eq!(merged.code() != 0, refused, "{words}");
        if path == &bots {
            for refused in [merged, on(&stage, "status")] {
                assert_eq!(refused.code(), 2, "{}", refused.stdout);
                let line = format!("{}: it was changed since the arena signed it", bots.display());
                assert!(refused.error().contains(&line), "{}", refused.stderr);
            }
        }
        fs::write(path, before).unwrap();
    }
    assert_eq!(on(&stage, "verify").code(), 0);
}

#[test]
fn a_report_that_was_changed_is_named_until_it_is_made_anew() {
    let (stage, _) = night();
    assert_eq!(on(&stage, "merge").code(), 0);
    assert_eq!(on(&stage, "verify").code(), 0);
    let [ranking, page] = ["ranking.json", "index.html"].map(|name| stage.out("night/merged").join(name));
    let first = fs::read_to_string(&ranking).unwrap();
    fs::write(&ranking, first.replace("ada", "eve")).unwrap();
    fs::remove_file(&page).unwrap();
    let (found, status, merged) = (on(&stage, "verify"), on(&stage, "status"), on(&stage, "merge"));
    assert_eq!((found.code(), status.code(), merged.code()), (1, 0, 0), "{}", found.stdout);
    for (path, words) in
        [(&ranking, "it was changed since the arena signed it"), (&page, "there is no such file")]
    {
        for told in [&found.stderr, &status.stdout, &merged.stderr] {
            assert!(told.contains(&format!("{}: {words}", path.display())), "{told}");
        }
    }
    assert_eq!(on(&stage, "verify").code(), 0);
    assert_eq!(fs::read_to_string(&ranking).unwrap(), first);
}

#[test]
fn a_link_in_the_place_of_what_a_match_left_is_named_and_not_followed() {
    let (stage, ids) = night();
    let folder = stage.out("night/matches").join(&ids[0]);
    let result = stage.out("night/results").join(format!("{}.json", ids[0]));
    let elsewhere = stage.out("elsewhere");
    for (path, refused) in [
        (result, true),
        (folder.join("result.json"), true),
        (folder.join("match.zrec"), false),
        (folder, true),
    ] {
        fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        let named = format!("{}: it is a link, which isn't followed", path.display());
        for (action, is_wrong) in [("verify", true), ("status", refused), ("merge", refused)] {
            let found = on(&stage, action);
            assert_eq!(
                (found.code() != 0, found.stderr.contains(&named)),
                (is_wrong, is_wrong),
                "{action}: {}",
                found.stderr
            );
        }
        fs::remove_file(&path).unwrap();
        fs::rename(&elsewhere, &path).unwrap();
    }
    assert_eq!(on(&stage, "verify").code(), 0);
}

#[test]
fn a_file_of_seeds_that_does_not_fit_the_plan_is_named() {
    let mut stage = Stage::new();
    stage.player("ada");
    stage.player("bob");
    assert_eq!(stage.plan_sealed("night", &["--seeds", "2"]).code(), 0);
    assert_eq!(stage.run("night", &[]).code(), 0);
    assert_eq!(on(&stage, "verify").code(), 0);
    let seeds = stage.out("night/seeds");
    let before = fs::read_to_string(&seeds).unwrap();
    let first = before.lines().next().unwrap();
    for (change, words) in [
        (Some(before.replacen(first, "7", 1)), "the seed with the SHA-256 "),
        (Some(format!("{before}7\n")), "it holds a seed that the plan doesn't name"),
        (Some(before.replacen(first, "x", 1)), "it is no seed"),
        (None, "there is no such file"),
    ] {
        match change {
            Some(text) => fs::write(&seeds, text).unwrap(),
            None => fs::remove_file(&seeds).unwrap(),
        }
        let found = on(&stage, "verify");
        assert_eq!(found.code(), 1, "{words}: {}", found.stdout);
        let line = found.stderr.lines().find(|line| line.starts_with(&format!("{}: ", seeds.display())));
        assert!(line.is_some_and(|line| line.contains(words)), "{words}: {}", found.stderr);
    }
    fs::write(&seeds, before).unwrap();
    assert_eq!(on(&stage, "verify").code(), 0);
}

#[test]
fn whoever_changes_all_that_is_told_is_caught_by_the_record() {
    let (stage, ids) = night();
    let result = stage.out("night/results").join(format!("{}.json", ids[1]));
    let report = stage.out("night/matches").join(&ids[1]).join("result.json");
    let mut told = read(&report);
    let names: Vec<Value> =
        told["teams"].as_array().unwrap().iter().map(|team| team["name"].clone()).collect();
    let mut forged = read(&result);
    let loser = 1 - forged["winner"].as_u64().unwrap_or_default() as usize;
    forged = flipped(forged);
    told["winner"] = names[loser].clone();
    told["winners"] = json!([names[loser]]);
    for (team, i) in told["teams"].as_array_mut().unwrap().iter_mut().zip(0..) {
        team["rank"] = if i == loser { 1 } else { 2 }.into();
    }
    forged["by_lot"] = told["by_lot"].clone();
    fs::write(&report, told.to_string()).unwrap();
    fs::write(&result, sealed(&forged).to_string()).unwrap();
    // With the list of what was signed nothing else is needed.
    fs::remove_file(report.with_file_name(".arena-signature")).unwrap();
    assert_eq!(on(&stage, "merge").code(), 0, "its hash fits");
    let found = on(&stage, "verify");
    let words = format!("{}/match.zrec: it tells ", report.parent().unwrap().display());
    assert!(found.code() == 1 && found.stderr.contains(&words), "{}", found.stderr);
}

#[test]
fn results_without_a_hash_are_marked_and_changed_ones_are_named_by_status() {
    let (stage, ids) = night();
    let result = stage.out("night/results").join(format!("{}.json", ids[0]));
    let mut old = read(&result);
    old.as_object_mut().unwrap().remove("sha256");
    fs::write(&result, old.to_string()).unwrap();
    assert_eq!(stage.status("night")["unsealed"], 1);
    let words = "results without the hash of when they were judged";
    for action in ["status", "merge"] {
        let told = on(&stage, action);
        assert!(told.code() == 0 && told.stdout.contains(words), "{action}: {}", told.stdout);
    }
    assert!(fs::read_to_string(stage.out("night/merged/index.html")).unwrap().contains("without the hash"));
    old["sha256"] = "0".into();
    fs::write(&result, old.to_string()).unwrap();
    for action in ["status", "merge"] {
        let refused = on(&stage, action);
        assert_ne!(refused.code(), 0, "{action}");
        let file = format!("results/{}.json: it was changed since the match was judged", ids[0]);
        assert!(refused.stderr.contains(&file), "{action}: {}", refused.stderr);
    }
}
