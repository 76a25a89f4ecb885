//! Runs: to the end, killed and run again, in parts, several at once, with an arena that fails.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::stage::{Stage, WHOLE};
use crate::support::{client, names, quoted, wait_for};

/// Two bots, each of which plays our client.
fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.player("ada");
    stage.player("bob");
    stage
}

/// The same matches, played without any disturbance.
fn undisturbed(stage: &Stage, flags: &[&str]) -> usize {
    let matches = stage.planned("calm", flags);
    let finished = stage.run("calm", &[]);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(stage.results("calm").len(), matches);
    stage.assert_tidy("calm");
    matches
}

#[test]
fn what_is_played_stays_and_is_told() {
    let stage = stage();
    let matches = undisturbed(&stage, &["--seeds", "2"]);
    let (results, starts) = (stage.results("calm"), stage.starts());
    assert_eq!((matches, starts), (4, 8));
    for text in results.values() {
        let result: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!((&result["outcome"], &result["ticks"]), (&json!("time"), &json!(200)));
        assert_eq!((&result["reproducible"], &result["disturbed"]), (&json!(true), &json!([])));
        assert!(result["seats"].as_array().unwrap().iter().all(|seat| seat["end"] == "played"));
    }
    let again = stage.run("calm", &["--strict"]);
    assert_eq!((again.code(), stage.starts()), (0, starts), "{}", again.stderr);
    assert_eq!(stage.results("calm"), results);
    assert!(
        again.stdout.starts_with("4 matches planned: 4 played, 0 missing, 0 failed\n"),
        "{}",
        again.stdout
    );
    let status = stage.status("calm");
    assert_eq!((&status["played"], &status["outcomes"]), (&json!(4), &json!({ "time": 4 })));
    assert_eq!(status["bots"][0]["ends"], json!({ "played": 4 }));
}

/// Whether a match in that folder has come so far.
fn has(folder: &Path, part: &str) -> bool {
    let entries = fs::read_dir(folder.join("matches")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b".")).any(|entry| {
        entry.file_name().as_encoded_bytes().ends_with(part.as_bytes()) || entry.path().join(part).exists()
    })
}

#[test]
fn killed_at_any_moment_it_goes_on() {
    killed_it_goes_on(&stage(), &["--seeds", "8"], 10);
}

#[test]
fn six_bots_of_conquest_killed_at_any_moment_go_on() {
    let mut stage = Stage::new();
    for (name, level) in ["ada", "bob", "cy", "dee", "eve", "flo"].into_iter().zip(LEVELS.into_iter().cycle())
    {
        stage.player_of(name, level);
    }
    killed_it_goes_on(&stage, &["--seeds", "1", "--game", "conquest", "--turns", "8"], 5);
    assert_eq!(stage.results("calm").len(), 30);
    let results = stage.results("calm").into_values().collect::<String>();
    assert!(["ada", "bob", "cy", "dee", "eve", "flo"].iter().all(|name| results.contains(name)));
}

/// The levels of our client in conquest.
const LEVELS: [&str; 4] = ["easy", "medium", "hard", "expert"];

/// A tournament whose arena is killed so often comes to the same results, to the byte, as one that isn't.
fn killed_it_goes_on(stage: &Stage, flags: &[&str], kills: usize) {
    let matches = undisturbed(stage, flags);
    assert_eq!(stage.planned("killed", flags), matches);
    let out = stage.out("killed");
    for moment in 0..kills {
        let before = stage.played("killed");
        let runner = stage.start("killed", &[]);
        wait_for("the moment", || {
            let there = match moment % 5 {
                0 => true,
                1 => has(&out, ".lock"),
                2 => has(&out, ".tmp"),
                3 => has(&out, "match/match.zrec"),
                _ => stage.played("killed") > before,
            };
            (there || stage.played("killed") == matches).then_some(())
        });
        runner.insist(Signal::KILL);
    }
    assert!(stage.played("killed") < matches, "it was over before it was killed so often");
    let finished = stage.run("killed", &[]);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(stage.results("killed"), stage.results("calm"));
    stage.assert_tidy("killed");
}

#[test]
fn shards_in_any_order_are_the_whole() {
    let stage = stage();
    let flags = ["--seeds", "4"];
    undisturbed(&stage, &flags);
    stage.planned("parts", &flags);
    for shard in ["3/3", "1/3", "2/3"] {
        let finished = stage.run("parts", &["--shard", shard, "--jobs", "1"]);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
    }
    assert_eq!(stage.results("parts"), stage.results("calm"));
    stage.assert_tidy("parts");
}

#[test]
fn two_runners_share_the_matches() {
    let stage = stage();
    let matches = stage.planned("both", &["--seeds", "4"]);
    let runners = [stage.start("both", &["--jobs", "2"]), stage.start("both", &["--jobs", "2"])];
    for runner in runners {
        let finished = runner.finish_within(WHOLE);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        let told = format!("{matches} matches planned: {matches} played, 0 missing, 0 failed\n");
        assert!(finished.stdout.starts_with(&told), "{}", finished.stdout);
    }
    assert_eq!(stage.starts(), 2 * matches, "a match was played twice");
    stage.assert_tidy("both");
}

#[test]
fn interrupted_it_ends_in_order_and_goes_on_later() {
    let stage = stage();
    let matches = stage.planned("night", &["--seeds", "4"]);
    let runner = stage.start("night", &[]);
    wait_for("a match that is played", || has(&stage.out("night"), "match/match.zrec").then_some(()));
    runner.signal(Signal::INT);
    let finished = runner.finish_within(WHOLE);
    assert_eq!(finished.code(), 130, "{}", finished.stderr);
    assert!(stage.played("night") < matches);
    stage.assert_tidy("night");
    assert_eq!(stage.run("night", &[]).code(), 0);
    assert_eq!(stage.results("night").len(), matches);
}

/// A process that plays a match of that tournament.
fn player(out: &Path) -> Option<Pid> {
    let wanted = [&b"tournament"[..], b"one-match", out.as_os_str().as_encoded_bytes()];
    fs::read_dir("/proc").unwrap().flatten().find_map(|process| {
        let words = fs::read(process.path().join("cmdline")).ok()?;
        let words: Vec<&[u8]> = words.split(|&byte| byte == 0).collect();
        let plays = words.windows(3).any(|three| three == wanted);
        process.file_name().to_str()?.parse().ok().filter(|_| plays).and_then(Pid::from_raw)
    })
}

#[test]
fn a_match_whose_process_is_killed_is_played_again() {
    let stage = stage();
    let matches = stage.planned("night", &["--seeds", "1"]);
    let out = fs::canonicalize(stage.out("night")).unwrap();
    let runner = stage.start("night", &["--jobs", "1"]);
    wait_for("a match that is played", || has(&out, "match/match.zrec").then_some(()));
    kill_process(wait_for("its process", || player(&out)), Signal::KILL).unwrap();
    let finished = runner.finish_within(WHOLE);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(finished.stderr.contains("failed, tries left: 2"), "{}", finished.stderr);
    assert_eq!(stage.results("night").len(), matches);
    stage.assert_tidy("night");
}

#[test]
fn what_fails_through_the_arena_is_tried_listed_and_never_counted() {
    let stage = stage();
    let matches = stage.planned("night", &["--seeds", "1"]);
    let bad =
        stage.bench.script("bad", "echo tried >>\"$(dirname \"$0\")/tries\"\necho no room >&2\nexit 1\n");
    let finished = stage.run("night", &["--server", bad.to_str().unwrap()]);
    assert_eq!(finished.code(), 1, "{}", finished.stderr);
    let tries = fs::read_to_string(stage.bench.path("tries")).unwrap().lines().count();
    assert_eq!((tries, stage.played("night")), (3 * matches, 0));
    let status = stage.status("night");
    assert_eq!((&status["missing"], &status["played"]), (&json!(0), &json!(0)));
    let why = status["failed"][0]["why"].as_str().unwrap();
    assert!(why.contains("no room") && why.contains("/matches/") && !why.contains(".tmp/"), "{why}");
    assert_eq!(status["failed"].as_array().unwrap().len(), matches);
    assert_eq!(stage.run("night", &[]).code(), 0);
    assert_eq!(stage.status("night")["failed"], json!([]));
    stage.assert_tidy("night");
}

#[test]
fn a_bot_that_changed_is_not_played() {
    let stage = stage();
    stage.planned("night", &["--seeds", "1"]);
    let path = stage.bench.path("bob/bot");
    let before = fs::read(&path).unwrap();
    fs::write(stage.bench.path("bob/new"), "more").unwrap();
    let finished = stage.run("night", &[]);
    assert_eq!((finished.code(), stage.starts()), (2, 0));
    assert!(finished.error().starts_with("bot bob: its files are not those that were planned ("));
    fs::remove_file(stage.bench.path("bob/new")).unwrap();
    // The same content is the same bot, however often it is written.
    fs::write(stage.bench.path("bob/copy"), before).unwrap();
    fs::set_permissions(stage.bench.path("bob/copy"), fs::metadata(&path).unwrap().permissions()).unwrap();
    fs::rename(stage.bench.path("bob/copy"), &path).unwrap();
    assert_eq!(stage.run("night", &[]).code(), 0);
}

#[test]
fn what_a_bot_writes_no_match_sees() {
    let mut stage = stage();
    let body = format!("[ -e seen ] && exit 9\n: >seen\nexec {} \"$@\"", client());
    stage.script("eve", &body, "");
    let matches = stage.planned("night", &["--against", "ada", "--seeds", "2"]);
    let finished = stage.run("night", &["--strict"]);
    assert_eq!((finished.code(), stage.played("night")), (0, matches), "{}", finished.stdout);
    assert_eq!(names(&stage.bench.path("eve")), ["bot"]);
}

/// A bot that kills itself, as an operator might kill it, as long as `wanted` says so.
fn ends_itself(stage: &Stage, wanted: &str) -> String {
    let starts = quoted(&stage.bench.path("eves"));
    format!("echo eve >>{starts}\n{wanted} && kill -9 $$\nexec {} \"$@\"", client())
}

#[test]
fn what_was_disturbed_is_played_again_when_asked() {
    let mut stage = stage();
    let once = quoted(&stage.bench.path("once"));
    let body = ends_itself(&stage, &format!("[ ! -e {once} ] && : >{once}"));
    stage.script("eve", &body, "");
    stage.planned("night", &["--against", "eve", "--seeds", "1", "--lobby-time", "2"]);
    assert_eq!(stage.run("night", &["--jobs", "1"]).code(), 0);
    let before = stage.results("night");
    assert_eq!(stage.status("night")["disturbed"], 1);
    assert_eq!(stage.run("night", &[]).code(), 0);
    assert_eq!(stage.results("night"), before, "nobody asked");
    assert_eq!(stage.run("night", &["--replay-disturbed"]).code(), 0);
    let after = stage.results("night");
    assert_eq!(stage.status("night")["disturbed"], 0);
    assert_eq!(before.iter().filter(|(name, text)| after[*name] != **text).count(), 1);
    stage.assert_tidy("night");
}

#[test]
fn what_is_disturbed_each_time_is_played_again_three_times() {
    let mut stage = Stage::new();
    stage.player("ada");
    let body = ends_itself(&stage, "true");
    stage.script("eve", &body, "");
    let matches = stage.planned("night", &["--seeds", "1", "--lobby-time", "1"]);
    assert_eq!(stage.run("night", &[]).code(), 0);
    let before = stage.results("night");
    let finished = stage.run("night", &["--replay-disturbed"]);
    assert_eq!((finished.code(), stage.results("night")), (0, before), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("disturbed again and again, with results that stay: 2 matches"),
        "{}",
        finished.stderr
    );
    let starts = fs::read_to_string(stage.bench.path("eves")).unwrap().lines().count();
    assert_eq!(starts, 4 * matches);
    stage.assert_tidy("night");
}

#[test]
fn a_result_that_cannot_be_read_is_to_be_moved_away() {
    let mut stage = Stage::new();
    stage.player("ada");
    stage.script("bob", "exit 3", "");
    stage.planned("night", &["--seeds", "1", "--lobby-time", "2"]);
    let results = stage.out("night").join("results");
    fs::create_dir(&results).unwrap();
    let plan = fs::read_to_string(stage.out("night").join("plan.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(plan.lines().next().unwrap()).unwrap();
    let path = results.join(format!("{}.json", first["id"].as_str().unwrap()));
    fs::write(&path, "{").unwrap();
    let finished = stage.run("night", &["--replay-disturbed"]);
    let remedy = "move it away, and the match counts as not played";
    assert!(finished.code() == 2 && finished.stderr.contains(remedy), "{}", finished.stderr);
    assert_eq!(fs::read_to_string(path).unwrap(), "{", "nothing that is there is overwritten");
}
