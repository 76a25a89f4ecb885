//! Records that don't prove their matches: nothing is scored, all is played again, and it is told.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::stage::Stage;
use crate::support::{ARENA, names, quoted, run, server};

/// A server whose record loses its last half, as on a full disk, unless `whole` lies beside it.
fn cutting(stage: &Stage) -> String {
    let body = format!(
        "here=$(dirname \"$0\")\nfor word; do\n    [ \"$before\" = --record ] && record=$word\n    before=$word\ndone\n\
         {} \"$@\" || exit\n[ -e \"$here/whole\" ] && exit\n\
         bytes=$(wc -c <\"$record\")\nhead -c $((bytes / 2)) \"$record\" >\"$record.half\"\nmv \"$record.half\" \"$record\"\n",
        quoted(&server())
    );
    stage.bench.script("cutting", &body).to_str().unwrap().to_owned()
}

#[test]
fn a_match_whose_record_was_cut_is_not_scored_and_played_again() {
    let mut stage = Stage::new();
    stage.player("ada");
    stage.player("bob");
    let matches = stage.planned("night", &["--seeds", "1"]);
    let cutting = cutting(&stage);
    let finished = stage.run("night", &["--server", &cutting]);
    assert_eq!(finished.code(), 1, "{}", finished.stderr);
    // Each was tried three times.
    assert_eq!(stage.starts(), 2 * 3 * matches, "{}", finished.stderr);
    let results = stage.results("night");
    assert_eq!(results.len(), matches);
    for text in results.values() {
        let result: Value = serde_json::from_str(text).unwrap();
        assert_eq!((&result["outcome"], &result["verified"]), (&json!("unproved"), &json!(false)));
        assert!(
            result["unproved"].as_str().unwrap().starts_with("nothing proves the match: its record "),
            "{text}"
        );
        assert!(
            result["winner"].is_null()
                && result["seats"].as_array().unwrap().iter().all(|seat| seat["rank"] == 0)
        );
    }
    let status = stage.status("night");
    assert_eq!((&status["played"], status["unproved"].as_array().unwrap().len()), (&json!(0), matches));
    let merge = || run(Command::new(ARENA).args(["tournament", "merge"]).arg(stage.out("night")));
    let merged = merge();
    assert!(
        merged.stdout.contains("not scored:\n") && merged.stdout.contains("its record "),
        "{}",
        merged.stdout
    );
    let page = fs::read_to_string(stage.out("night/merged/index.html")).unwrap();
    assert!(page.contains("nothing proves the match"));
    fs::remove_dir_all(stage.out("night/merged")).unwrap();

    // The next run plays them again, and what is proved then counts.
    fs::write(stage.out("whole"), "").unwrap();
    let finished = stage.run("night", &["--server", &cutting]);
    assert_eq!((finished.code(), stage.starts()), (0, 2 * 4 * matches), "{}", finished.stderr);
    for text in stage.results("night").values() {
        let result: Value = serde_json::from_str(text).unwrap();
        assert_eq!((&result["outcome"], &result["verified"]), (&json!("time"), &json!(true)));
    }
    assert_eq!(stage.status("night")["unproved"], json!([]));
    assert!(!merge().stdout.contains("not scored"));
}

#[test]
fn a_record_of_another_match_proves_nothing() {
    let mut stage = Stage::new();
    stage.player("ada");
    stage.player("bob");
    stage.planned("night", &["--seeds", "1"]);
    let one = stage.planned("other", &["--seeds", "1", "--against", "ada", "--max-ticks", "100"]);
    assert_eq!((one, stage.run("other", &[]).code()), (2, 0));
    let id = names(&stage.out("other/matches")).remove(0);
    let other = stage.out("other/matches").join(id).join("match.zrec");
    let body = format!(
        "for word; do\n    [ \"$before\" = --record ] && record=$word\n    before=$word\ndone\n{} \"$@\" || exit\ncp {} \"$record\"\n",
        quoted(&server()),
        quoted(&other)
    );
    let swapping = stage.bench.script("swapping", &body);
    assert_eq!(stage.run("night", &["--server", swapping.to_str().unwrap()]).code(), 1);
    assert!(stage.results("night").values().all(|text| text.contains("\"outcome\":\"unproved\"")));
}

#[test]
fn what_can_not_be_scored_is_lost_by_the_bot_that_took_too_much() {
    let mut stage = Stage::new();
    stage.player("ada");
    let body = "head -c 1500000 /dev/zero >one; head -c 1500000 /dev/zero >two; exec sleep 600";
    stage.script("bob", body, "limits = { disk_mib = 2 }\n");
    let failing = stage.bench.script("failing", &format!("{} \"$@\"\nexit 1\n", quoted(&server())));
    for (out, server) in [("night", cutting(&stage)), ("day", failing.to_str().unwrap().to_owned())] {
        let matches = stage.planned(out, &["--seeds", "1"]);
        assert_eq!(stage.run(out, &["--server", &server]).code(), 1);
        let folder = if out == "night" { "results" } else { "failed" };
        let told = names(&stage.out(out).join(folder));
        assert_eq!(told.len(), matches, "{out}");
        for name in told {
            let text = fs::read(stage.out(out).join(folder).join(name)).unwrap();
            let told: Value = serde_json::from_slice(&text).unwrap();
            assert_eq!(told["spoiled_by"].as_array().map(Vec::len), Some(1), "{told:#}");
            let seats = told["seats"].as_array().into_iter().flatten();
            assert!(seats.zip(0..).all(|(seat, i)| (seat["team"] == "bob") == (told["spoiled_by"][0] == i)));
        }
        let merged = run(Command::new(ARENA).args(["tournament", "merge"]).arg(stage.out(out))).stdout;
        for words in [
            "bob: not scored, and counted as lost, since it spoiled them: 2 matches",
            "ada: not scored, and counted for nothing (no other is scored: its place says nothing): 2 matches",
        ] {
            assert!(merged.contains(words), "{merged}");
        }
        assert_eq!(merged.matches("; counts as lost by bob").count(), matches, "{merged}");
    }
}
