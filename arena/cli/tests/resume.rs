//! Matches that go on from a record that was cut off, with programs started anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::support::{ARENA, Bench, Finished, Running, client, server};
use serde_json::{Value, json};
use zappy_protocol::text::thousands;
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
    assert!(told.contains(&format!("it was resumed at tick {}", before.ticks)), "{result:#}");
    assert_eq!(result["resumed"], json!([before.ticks]), "{result:#}");
    assert!(after.resumed == 1 && result.get("missing_clients").is_none(), "{after:?} {result:#}");
    let words = format!("resumed at tick {}: its server had been killed\n", thousands(before.ticks));
    assert!(resumed.stdout.contains(&words), "{}", resumed.stdout);
    let shown = Command::new(ARENA).arg("show").arg(bench.path("resumed")).output().unwrap();
    let words = format!(
        "\nthe match was resumed at tick {}, after its server had been killed",
        thousands(before.ticks)
    );
    assert!(String::from_utf8_lossy(&shown.stdout).contains(&words), "{shown:?}");
}

/// A record of a match by that clock, cut off after a player of blue has come, which on a busy machine may be late.
fn cut_record(bench: &Bench, clock: &str) -> PathBuf {
    let zappy = ["--width", "8", "--height", "8", "--clients", "1", "--max-ticks", "300", "--freq", "100"];
    let level = ["--record-level", "inputs", "--clock", clock];
    let whole = play(bench, &format!("whole-{clock}"), &[&zappy[..], &level].concat());
    assert_eq!(whole.code(), 0, "{}", whole.stderr);
    let record = fs::read_to_string(bench.path(&format!("whole-{clock}/match.zrec"))).unwrap();
    let begin = record.find("\nbegin\n").unwrap();
    let joined = begin + record[begin..].find(" blue\n").unwrap();
    let cut = bench.path(&format!("{clock}.zrec"));
    fs::write(&cut, &record[..joined.midpoint(record.len())]).unwrap();
    cut
}

/// Goes on with a match in which no client of blue ever comes.
fn go_on_alone(bench: &Bench, out: &str, cut: &Path, blue: &str, arguments: &[&str]) -> (Finished, Value) {
    let mut command = Command::new(ARENA);
    command.args(["match", "--bot", &format!("red={}", client()), "--bot", &format!("blue={blue}")]);
    command.arg("--resume").arg(cut).args(arguments).arg("--out").arg(bench.path(out));
    let finished = Running::start(&mut command).finish_within(WHOLE_MATCH);
    let text = fs::read(bench.path(out).join("result.json")).unwrap_or_default();
    (finished, serde_json::from_slice(&text).unwrap_or_default())
}

#[test]
fn a_match_goes_on_without_the_team_whose_programs_never_come() {
    let bench = Bench::new();
    server();
    for clock in ["real", "lockstep"] {
        let cut = cut_record(&bench, clock);
        let waits = ["--lobby-time", "1", "--record-delay", "0"];
        let (resumed, result) = go_on_alone(&bench, &format!("resumed-{clock}"), &cut, "false", &waits);
        assert_eq!(resumed.code(), 0, "{}", resumed.stderr);
        assert!(verified(&bench.path(&format!("resumed-{clock}/match.zrec"))).complete);
        let missing = &result["missing_clients"];
        let teams = missing.as_array().unwrap().iter().map(|one| &one["team"]);
        assert!(teams.clone().count() > 0 && teams.clone().all(|team| team == "blue"), "{result:#}");
        let words = format!("no client came for #{} of blue", missing[0]["player"]);
        assert!(resumed.stdout.contains(&words), "{}", resumed.stdout);
        // Time ran again, and red was the last team or the best.
        assert!(result["reason"] != "stopped" && result["winner"] != "blue", "{result:#}");
    }
}

#[test]
fn a_match_whose_players_are_waited_for_too_long_says_for_which() {
    let bench = Bench::new();
    server();
    let cut = cut_record(&bench, "real");
    let waits = ["--lobby-time", "600", "--timeout", "2"];
    let (resumed, result) = go_on_alone(&bench, "resumed", &cut, "sleep 600", &waits);
    assert_eq!((resumed.code(), &result["arena"]["outcome"]), (1, &"timed_out".into()), "{}", resumed.stderr);
    let words = format!("in which no client came for #{} of blue", result["missing_clients"][0]["player"]);
    assert!(resumed.error().contains(&words), "{}", resumed.stderr);
    // Nothing was played, so nothing is ranked.
    assert!(resumed.stdout.lines().any(|line| line.starts_with("   -  blue ")), "{}", resumed.stdout);
}

#[test]
fn the_second_half_is_played_by_programs_that_are_started_anew() {
    let zappy = ["--width", "8", "--height", "8", "--clients", "2", "--max-ticks", "300"];
    cut_and_go_on(&zappy, "lockstep");
    cut_and_go_on(&[&zappy[..], &["--freq", "100"]].concat(), "real");
    let conquest = ["--game", "conquest", "--width", "12", "--height", "12", "--turns", "12"];
    cut_and_go_on(&conquest, "lockstep");
}

#[test]
fn programs_come_again_that_had_not_come_in_yet() {
    let bench = Bench::new();
    let flags = ["--clock", "lockstep", "--max-ticks", "200", "--clients", "2", "--record-level", "inputs"];
    assert_eq!(play(&bench, "whole", &flags).code(), 0);
    let text = fs::read_to_string(bench.path("whole/match.zrec")).unwrap();
    let cut = bench.path("cut.zrec");
    for players in [0, 1, 3] {
        let (head, rest) = text.split_once("\nbegin\n").unwrap();
        let admitted: String = rest.split_inclusive('\n').take(players).collect();
        assert_eq!(admitted.lines().filter(|line| line.contains(" + ")).count(), players, "{admitted}");
        fs::write(&cut, format!("{head}\nbegin\n{admitted}")).unwrap();
        // Slowly, since the match waits only for players of the record, and the others' programs start beside it.
        let slowly = ["--force", "--pace", "50"];
        let resumed = play(&bench, "resumed", &[&["--resume", cut.to_str().unwrap()], &slowly[..]].concat());
        assert_eq!(resumed.code(), 0, "{}", resumed.stderr);
        let result: Value =
            serde_json::from_slice(&fs::read(bench.path("resumed/result.json")).unwrap()).unwrap();
        let joined = fs::read_to_string(bench.path("resumed/match.zrec")).unwrap();
        let joined = joined.lines().filter(|line| line.contains(" + ")).count();
        assert!(joined >= 4 && result["ticks"] == 200, "{players}: {joined} came: {result:#}");
    }
}

#[test]
fn what_can_t_go_on_is_refused_by_its_flag() {
    let bench = Bench::new();
    let whole = play(
        &bench,
        "whole",
        &["--clock", "lockstep", "--max-ticks", "400", "--clients", "1", "--record-level", "inputs"],
    );
    assert_eq!(whole.code(), 0, "{}", whole.stderr);
    let record = bench.path("whole/match.zrec");
    let record = record.to_str().unwrap();
    let cut = bench.path("cut.zrec");
    let bytes = fs::read(record).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let cut = cut.to_str().unwrap();
    let real = cut_record(&bench, "real");
    let real = real.to_str().unwrap();
    let ended = bench.path("ended.zrec");
    fs::write(&ended, &bytes[..bytes.len() - 10]).unwrap();
    let ended = ended.to_str().unwrap();
    for (out, arguments, words) in [
        ("again", &["--resume", record][..], "the match has ended; there is nothing to go on with"),
        (
            "again",
            &["--resume", ended],
            "nothing but the end of its record is missing, which zappy_server --resume",
        ),
        ("again", &["--resume", "nowhere.zrec"], "--resume nowhere.zrec: there is no such file"),
        ("again", &["--resume", cut, "--bot", "green=true"], "which are red, blue"),
        ("again", &["--resume", cut, "--seed", "4"], "--seed"),
        ("again", &["--resume", cut, "--clients", "4"], "--clients"),
        ("again", &["--resume", cut, "--wait-players", "4"], "--wait-players"),
        ("again", &["--resume", real, "--debug"], "leave out --debug"),
        (".", &["--resume", cut, "--force"], "give --out another one"),
    ] {
        let refused = play(&bench, out, arguments);
        assert!(refused.code() == 2 && refused.stderr.contains(words), "{arguments:?}: {}", refused.stderr);
    }
}
