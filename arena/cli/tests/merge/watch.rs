//! Matches that can be watched from the page: with a viewer beside the program, and without.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::synthetic::Night;
use crate::support::{Finished, arena_in, run, with_viewer};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../gui/assets/sample.zrec");

#[test]
fn matches_with_a_record_can_be_watched_where_there_is_a_viewer() {
    let night = Night::new(&["ada", "bob"], 2, 3);
    night.play_by_strength(100.0);
    // In the order in which a merge goes through them.
    let mut ids: Vec<String> = night.plan.iter().map(|planned| planned.id.to_string()).collect();
    ids.sort();
    let folder = |number: usize| night.path().join("matches").join(&ids[number]);
    for number in [0, 1] {
        fs::create_dir_all(folder(number)).unwrap();
        fs::copy(SAMPLE, folder(number).join("match.zrec")).unwrap();
    }
    let programs = tempfile::tempdir().unwrap();
    let arena = with_viewer(&programs.path().join("with"), "const viewer = 1;\n");
    let bare = arena_in(programs.path());
    let merge = |program: &Path, flags: &[&str]| -> Finished {
        run(Command::new(program).args(["tournament", "merge"]).arg(night.path()).args(flags))
    };
    let file = |name: &str| fs::read_to_string(night.path().join("merged").join(name));
    let link = |number: usize| format!("<a href=\"watch.html?match={}\">watch</a>", ids[number]);

    assert_eq!(merge(&arena, &[]).code(), 0);
    let page = file("index.html").unwrap();
    assert!(page.contains(&link(0)) && page.contains(&link(1)));
    assert!(!page.contains(&link(2)), "that match left no record");
    assert_eq!(file("viewer.js").unwrap(), "const viewer = 1;\n");
    let watch = file("watch.html").unwrap();
    assert!(watch.contains("const matches = \"../matches\", script = \"replay.js\""), "{watch}");
    let script = fs::read_to_string(folder(0).join("replay.js")).unwrap();
    assert!(script.starts_with(&format!("ZappyViewer.record(\"{}\", \"H4sI", ids[0])), "{}", &script[..99]);

    // Made once; fewer are linked if that is asked for, and none without a viewer.
    fs::write(folder(0).join("replay.js"), "made once").unwrap();
    assert_eq!(merge(&arena, &["--replays", "1"]).code(), 0);
    let page = file("index.html").unwrap();
    assert_eq!(page.matches("watch.html?match=").count(), 1);
    assert_eq!(fs::read_to_string(folder(0).join("replay.js")).unwrap(), "made once");
    for (program, flags) in [(arena.as_path(), &["--replays", "0"][..]), (bare.as_path(), &[][..])] {
        assert_eq!(merge(program, flags).code(), 0);
        assert!(!file("index.html").unwrap().contains("watch.html"));
        assert!(file("watch.html").is_err() && file("viewer.js").is_err());
    }
}
