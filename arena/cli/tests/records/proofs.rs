//! `verify` and `expand`: what they refuse, what they leave, and that they never lie.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use super::matches::{FULL, INPUTS, Shelf, arena, forged, on, played, shown};
use crate::support::{ARENA, Running, names, run, wait_for};

#[test]
fn many_are_verified_in_the_order_of_the_arguments() {
    let shelf = Shelf::new();
    let mut paths = Vec::new();
    for seed in 0..8 {
        // The first takes much longer than the others.
        let ticks = if seed == 0 { 30_000 } else { 1_000 };
        let level = if seed % 2 == 0 { FULL } else { INPUTS };
        paths.push(shelf.put(&format!("{seed}.zrec"), &played(seed, level, ticks)));
    }
    let good = run(Command::new(ARENA).arg("verify").arg("-v").args(&paths));
    let lines: Vec<&str> = good.stdout.lines().collect();
    assert_eq!((good.code(), lines.len(), &good.stderr[..]), (0, 9, ""), "{}", good.stdout);
    for (line, path) in lines.iter().zip(&paths) {
        assert!(line.starts_with(&format!("{}: verified, ", path.display())), "{line}");
    }
    assert!(lines[8].starts_with("8 of 8 records verified: 37,000 ticks, "), "{}", lines[8]);
    assert!(lines[8].ends_with(" s; 8 of them touched by the console"), "{}", lines[8]);
    assert!(lines[0].ends_with(", touched by the console at tick 0 (14 lines in all)"), "{}", lines[0]);

    let record = fs::read(&paths[2]).unwrap();
    fs::write(&paths[2], forged(&record, "17 > 1 ko", "17 > 1 ok")).unwrap();
    let record = fs::read(&paths[5]).unwrap();
    fs::write(&paths[5], &record[..record.len() / 2]).unwrap();
    paths.push(shelf.path("nothing.zrec"));
    paths.push(shelf.put("notes.txt", b"buy bread\n"));
    let bad = run(Command::new(ARENA).arg("verify").args(&paths));
    let lines: Vec<&str> = bad.stderr.lines().collect();
    let parts =
        ["differs: the record says \"17 > 1 ok\", played again it is \"17 > 1 ko\"", "cut off after tick"];
    let parts = parts.into_iter().chain(["there is no such file", "this is no record"]);
    assert_eq!((bad.code(), lines.len()), (1, 4), "{}", bad.stderr);
    for ((line, path), part) in lines.iter().zip([2, 5, 8, 9].map(|i| &paths[i])).zip(parts) {
        assert!(line.starts_with(&format!("{}: ", path.display())) && line.contains(part), "{line}");
    }
    assert!(lines[0].contains(": line "), "{}", lines[0]);
    let touched = "verified, touched by the console at tick 0 (14 lines in all)";
    assert_eq!(bad.stdout.matches(touched).count(), 6, "{}", bad.stdout);
    assert!(bad.stdout.contains("\n6 of 10 records verified: "), "{}", bad.stdout);
    let quiet = run(Command::new(ARENA).args(["verify", "--quiet"]).args(&paths));
    assert_eq!((quiet.code(), quiet.stdout, quiet.stderr), (1, String::new(), bad.stderr));
}

#[test]
fn a_folder_stands_for_all_records_below_it() {
    let shelf = Shelf::new();
    let record = played(1, INPUTS, 1_000);
    for name in ["a/match.zrec", "a/b/c/match.zrec", "match.zrec", "a/notes.txt"] {
        shelf.put(name, &record);
    }
    std::os::unix::fs::symlink(shelf.0.path(), shelf.path("a/again")).unwrap();
    let found = on("verify", shelf.0.path(), &["-v"]);
    let named: Vec<&str> =
        found.stdout.lines().filter_map(|line| line.split_once(": verified")).map(|(path, _)| path).collect();
    let expected =
        ["a/b/c/match.zrec", "a/match.zrec", "match.zrec"].map(|name| shelf.path(name).display().to_string());
    assert_eq!((found.code(), named), (0, expected.iter().map(String::as_str).collect()), "{}", found.stderr);
    fs::create_dir(shelf.path("empty")).unwrap();
    let empty = on("verify", &shelf.path("empty"), &[]);
    assert_eq!(empty.code(), 1);
    assert!(empty.stderr.contains("there is no record (*.zrec) in this folder"), "{}", empty.stderr);
    let of_match = shown(&shelf.path("a"), &[]);
    assert!(of_match.contains("a/match.zrec"), "{of_match}");
}

#[test]
fn wrong_usage_is_told_from_what_is_wrong_with_a_file() {
    for (action, arguments, text) in [
        ("verify", &[][..], "see zappy_arena verify --help"),
        ("show", &[], "see zappy_arena show --help"),
        ("expand", &["x", "--level", "half"], "see zappy_arena expand --help"),
        ("show", &["x", "--player", "red"], "a player is a number"),
        ("show", &["x", "--player", "1", "--all"], "cannot be used with"),
        ("show", &["x", "--from", "9", "--to", "8"], "nothing is between them"),
    ] {
        let finished = run(&mut arena(action, arguments));
        assert_eq!(finished.code(), 2, "{action} {arguments:?}");
        assert!(finished.error().contains(text), "{}", finished.stderr);
    }
    let device = on("show", Path::new("/dev/null"), &[]);
    assert!(device.code() == 1 && device.stderr.contains("a pipe or a device"), "{}", device.stderr);
    let shelf = Shelf::new();
    for action in ["verify", "show", "expand"] {
        let finished = on(action, &shelf.path("none.zrec"), &[]);
        assert_eq!(finished.code(), 1, "{action}");
        assert!(finished.stderr.ends_with("none.zrec: there is no such file\n"), "{}", finished.stderr);
        let help = run(&mut arena(action, &["--help"]));
        assert!(help.code() == 0 && help.stdout.contains("Examples:"), "{}", help.stdout);
    }
}

#[test]
fn other_rules_are_refused_and_their_inputs_shown() {
    let shelf = Shelf::new();
    for version in ["0", "99"] {
        let other = format!("game zappy {version}\n");
        let inputs = shelf.put("inputs.zrec", &forged(&played(1, INPUTS, 1_000), "game zappy 3\n", &other));
        let full = shelf.put("full.zrec", &forged(&played(1, FULL, 1_000), "game zappy 3\n", &other));
        let words = format!("the record was played under rules version {version}");
        for (action, path) in [("verify", &inputs), ("verify", &full), ("expand", &inputs)] {
            let refused = on(action, path, &[]);
            assert_eq!(refused.code(), 1);
            assert!(refused.stderr.contains(&words), "{}", refused.stderr);
        }
        assert_eq!(names(shelf.0.path()), ["full.zrec", "inputs.zrec"]);
        let story = shown(&inputs, &[]);
        assert!(story.contains(&format!("it was played under rules version {version}, which")), "{story}");
        assert!(
            story.contains("4 players join: 2 red, 2 blue") && story.contains("red has won (time)"),
            "{story}"
        );
        let dialogue = shown(&inputs, &["--player", "1"]);
        assert!(dialogue.contains("10 <         Take thystame\n"), "{dialogue}");
        assert!(
            dialogue.contains("the answers are not in the file") && !dialogue.contains("never"),
            "{dialogue}"
        );
        assert!(shown(&full, &[]).contains("blue: #1 of level 1 was killed by the console"));
    }
}

#[test]
fn inputs_expand_to_the_very_record_that_was_not_kept() {
    let shelf = Shelf::new();
    let (inputs, full) = (played(5, INPUTS, 20_000), played(5, FULL, 20_000));
    let path = shelf.put("match.zrec", &inputs);
    let made = on("expand", &path, &[]);
    assert_eq!((made.code(), &made.stderr[..]), (0, ""));
    assert!(made.stdout.contains("match.full.zrec: 20,000 ticks, "), "{}", made.stdout);
    assert!(fs::read(shelf.path("match.full.zrec")).unwrap() == full);
    let piped = arena("expand", &["--out", "-"]).arg(&path).output().unwrap();
    assert!(piped.status.success() && piped.stdout == full);

    fs::write(shelf.path("match.full.zrec"), "mine").unwrap();
    let kept = on("expand", &path, &[]);
    assert_eq!(kept.code(), 1);
    assert!(kept.stderr.contains("is there already; replace it with --force"), "{}", kept.stderr);
    assert_eq!(fs::read_to_string(shelf.path("match.full.zrec")).unwrap(), "mine");
    assert_eq!(on("expand", &path, &["--force"]).code(), 0);
    assert!(fs::read(shelf.path("match.full.zrec")).unwrap() == full);
    std::os::unix::fs::symlink("match.zrec", shelf.path("link")).unwrap();
    let link = shelf.path("link").display().to_string();
    let refused = on("expand", &path, &["--force", "--out", &link]);
    assert!(
        refused.code() == 1 && refused.stderr.contains("only a file can be replaced"),
        "{}",
        refused.stderr
    );

    let again = on("expand", &shelf.path("match.full.zrec"), &[]);
    assert!(again.code() == 1 && again.stderr.contains("this record holds full already"), "{}", again.stderr);
    let back = shelf.path("small.zrec").display().to_string();
    let small = on("expand", &shelf.path("match.full.zrec"), &["--level", "inputs", "--out", &back]);
    assert_eq!(small.code(), 0, "{}", small.stderr);
    assert!(fs::read(&back).unwrap() == inputs);
    assert_eq!(names(shelf.0.path()), ["link", "match.full.zrec", "match.zrec", "small.zrec"]);
}

#[test]
fn what_does_not_verify_leaves_nothing() {
    let shelf = Shelf::new();
    let record = played(5, INPUTS, 5_000);
    let lie = shelf.put("lie.zrec", &forged(&record, "410 < 0 Incantation", "410 < 0 Forward"));
    let refused = on("expand", &lie, &[]);
    assert_eq!((refused.code(), &refused.stdout[..]), (1, ""));
    assert!(refused.stderr.contains(" differs: the record says \"digest "), "{}", refused.stderr);
    assert_eq!(names(shelf.0.path()), ["lie.zrec"]);
    let half = shelf.put("half.zrec", &record[..record.len() / 2]);
    let made = on("expand", &half, &[]);
    assert!(made.code() == 0 && made.stderr.contains("cut off after tick "), "{}", made.stderr);
    let half = fs::read(shelf.path("half.full.zrec")).unwrap();
    assert!(half.len() > record.len() && played(5, FULL, 5_000).starts_with(&half));
}

#[test]
fn whoever_stops_reading_is_left_alone() {
    let shelf = Shelf::new();
    let full = shelf.put("full.zrec", &played(1, FULL, 60_000));
    let inputs = shelf.put("inputs.zrec", &played(1, INPUTS, 60_000));
    for (action, path, arguments) in [
        ("show", &full, &["--all"][..]),
        ("show", &full, &["--json"]),
        ("show", &inputs, &["--all"]),
        ("show", &full, &["--player", "0"]),
        ("expand", &inputs, &["--out", "-"]),
    ] {
        let mut child =
            arena(action, arguments).arg(path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        reader.read_line(&mut first).unwrap();
        assert!(!first.is_empty());
        drop(reader);
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!((child.wait().unwrap().code(), &errors[..]), (Some(0), ""), "{action} {arguments:?}");
    }
}

#[test]
fn an_interrupted_expansion_leaves_nothing_or_the_whole() {
    let shelf = Shelf::new();
    let path = shelf.put("match.zrec", &played(1, INPUTS, 400_000));
    let running = Running::start(arena("expand", &[]).arg(&path));
    wait_for("a file to be written", || (names(shelf.0.path()).len() > 1).then_some(()));
    running.signal(Signal::TERM);
    let finished = running.finish();
    if finished.code() == 130 {
        assert_eq!(names(shelf.0.path()), ["match.zrec"], "{}", finished.stderr);
        assert!(finished.error().starts_with("interrupted"), "{}", finished.stderr);
    } else {
        // It was quicker than the signal.
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        assert!(fs::read(shelf.path("match.full.zrec")).unwrap() == played(1, FULL, 400_000));
    }
}
