//! Matches that go on from a record that was cut off, with programs started anew.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use support::{ARENA, Bench, Finished, Running, client, server};
use zappy_server::games::GAMES;
use zappy_server::record::verify;

/// A match takes a second or two; a busy machine takes longer.
const WHOLE_MATCH: Duration = Duration::from_secs(240);

fn play(bench: &Bench, out: &str, arguments: &[&str]) -> Finished {
    assert!(server().exists());
    let mut command = Command::new(ARENA);
    command.arg("match");
    for team in ["red", "blue"] {
        command.args(["--bot", &format!("{team}={}", client())]);
    }
    command.args(arguments).arg("--out").arg(bench.path(out));
    Running::start(&mut command).finish_within(WHOLE_MATCH)
}

fn verified(path: &Path) -> zappy_server::record::Verified {
    verify(&fs::read(path).unwrap(), GAMES).unwrap()
}

/// Plays a match of that game by that clock, cuts its record in the middle, and plays the second half from there.
fn cut_and_go_on(game: &[&str], clock: &str) {
    let bench = Bench::new();
    let whole = play(
        &bench,
        "whole",
        &[game, &["--clock", clock, "--seed", "5", "--record-level", "inputs"]].concat(),
    );
    assert_eq!(whole.code(), 0, "{}", whole.stderr);
    let bytes = fs::read(bench.path("whole/match.zrec")).unwrap();
    let cut = bench.path("cut.zrec");
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let before = verified(&cut);
    assert!(!before.complete && before.inputs > 10, "{before:?}");
    let resumed = play(&bench, "resumed", &["--resume", cut.to_str().unwrap()]);
    assert_eq!(resumed.code(), 0, "{}", resumed.stderr);
    let after = verified(&bench.path("resumed/match.zrec"));
    assert!(after.complete && after.ticks > before.ticks, "{before:?} {after:?}");
    let result: Value =
        serde_json::from_slice(&fs::read(bench.path("resumed/result.json")).unwrap()).unwrap();
    assert_eq!((&result["seed"], &result["reproducible"]), (&5.into(), &false.into()), "{result:#}");
    let told = result["not_reproducible"].to_string();
    assert_eq!(
        told.contains(&format!("it was resumed at tick {}", before.ticks)),
        clock == "lockstep",
        "{result:#}"
    );
}

#[test]
fn the_second_half_is_played_by_programs_that_are_started_anew() {
    let zappy = ["--width", "8", "--height", "8", "--clients", "2", "--max-ticks", "300"];
    cut_and_go_on(&zappy, "lockstep");
    cut_and_go_on(&[&zappy[..], &["--freq", "1000"]].concat(), "real");
    let conquest = ["--game", "conquest", "--width", "12", "--height", "12", "--turns", "12"];
    cut_and_go_on(&conquest, "lockstep");
}

#[test]
fn what_can_t_go_on_is_refused_by_its_flag() {
    let bench = Bench::new();
    let whole = play(
        &bench,
        "whole",
        &["--clock", "lockstep", "--max-ticks", "50", "--clients", "1", "--record-level", "inputs"],
    );
    assert_eq!(whole.code(), 0, "{}", whole.stderr);
    let record = bench.path("whole/match.zrec");
    let record = record.to_str().unwrap();
    let cut = bench.path("cut.zrec");
    let bytes = fs::read(record).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let cut = cut.to_str().unwrap();
    for (out, arguments, words) in [
        ("again", &["--resume", record][..], "the match has ended; there is nothing to go on with"),
        ("again", &["--resume", "nowhere.zrec"], "--resume nowhere.zrec: there is no such file"),
        ("again", &["--resume", cut, "--bot", "green=true"], "which are red, blue"),
        ("again", &["--resume", cut, "--seed", "4"], "--seed"),
        (".", &["--resume", cut, "--force"], "give --out another one"),
    ] {
        let refused = play(&bench, out, arguments);
        assert!(refused.code() == 2 && refused.stderr.contains(words), "{arguments:?}: {}", refused.stderr);
    }
}
