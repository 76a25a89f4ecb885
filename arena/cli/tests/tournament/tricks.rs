//! A bot for each trick of `arena/attack/bot.py`: none of them ranks elsewhere by it, and the report names what was tried.
//!
//! `make attack` plays the same on a disk that fills.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use zappy_play::programs::sandbox::{Containment, Wish};

use super::stage::Stage;
use crate::support::{ARENA, PYTHON, python, run};

/// What the report says of a bot where the trick is possible at all.
const NAMED: [(&str, &str); 4] = [
    ("unlinked", "used more than its limits allow"),
    ("memfd", "used more than its limits allow"),
    ("watch", "broke the protocol"),
    ("impersonate", "broke the protocol"),
];
/// Tricks that sandboxes make impossible: files in memory are refused, and in bubblewrap a full
/// folder has no room.
const IMPOSSIBLE: [(&str, &[Containment]); 2] =
    [("unlinked", &[Containment::Bubblewrap]), ("memfd", &[Containment::Bubblewrap, Containment::Landlock])];
/// Tricks of which nothing is seen where they don't work.
const UNSEEN: [&str; 5] = ["term", "server", "arena", "seed", "files"];

/// The places of the bots, by their names, and what the report says.
fn rank(tricks: bool) -> Option<(Vec<(u64, String)>, String)> {
    let mut stage = Stage::new();
    stage.player("honest");
    let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).chain(UNSEEN).collect();
    python("../../attack", "bot.py")?;
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../attack/bot.py");
    for name in &names {
        let folder = format!("{name}-files");
        fs::create_dir(stage.bench.path(&folder)).unwrap();
        fs::copy(&bot, stage.bench.path(&folder).join("bot.py")).unwrap();
        let trick = if tricks { name } else { "nothing" };
        let command = format!("{PYTHON} bot.py {trick} {{host}} {{port}} {{team}} {name}");
        let limits = "limits = { team_memory_mib = 150, disk_mib = 100 }";
        stage.add(name, &command, &format!("folder = {folder:?}\n{limits}"));
    }
    let matches = stage.planned("night", &["--against", "honest", "--seeds", "1", "--max-ticks", "300"]);
    assert_eq!(matches, 2 * names.len());
    let contained = Wish::Auto.settle().is_ok();
    let finished = stage.run("night", &["--sandbox", if contained { "auto" } else { "none" }]);
    // Where nothing contains them, the matches whose server or arena was killed aren't scored.
    assert_eq!(finished.code(), i32::from(tricks && !contained), "{}", finished.stderr);
    let merged = run(Command::new(ARENA).args(["tournament", "merge"]).arg(stage.out("night")));
    let text = fs::read_to_string(stage.out("night/merged/ranking.json")).unwrap();
    let ranking: Value = serde_json::from_str(&text).unwrap();
    let ranking = ranking["ranking"].as_array().unwrap().iter();
    let mut places: Vec<(u64, String)> = ranking
        .filter(|bot| contained || !["server", "arena"].contains(&bot["name"].as_str().unwrap()))
        .map(|bot| (bot["place"].as_u64().unwrap(), bot["name"].as_str().unwrap().to_owned()))
        .collect();
    places.sort();
    Some((places, merged.stdout))
}

#[test]
fn no_trick_changes_the_ranking_and_the_report_names_them() {
    let Some((honest, _)) = rank(false) else { return };
    let Some((tried, report)) = rank(true) else { return };
    assert_eq!(tried, honest, "{report}");
    assert_eq!(tried[0], (1, "honest".to_owned()));
    let containment = Wish::Auto.settle().unwrap_or_default();
    let impossible =
        |name: &str| IMPOSSIBLE.iter().any(|(trick, by)| *trick == name && by.contains(&containment));
    for (name, words) in NAMED.into_iter().filter(|(name, _)| !impossible(name)) {
        let named =
            report.lines().any(|line| line.trim().starts_with(&format!("{name}: ")) && line.contains(words));
        assert!(named, "{name}: {report}");
    }
}
