//! Comparisons: their errors over many runs, in this process and with real programs; the same seeds give the same
//! answer however many play at once; what can't be scored; what is refused.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::support::{ARENA, Bench, Finished, Running, client, names, quoted, run, server, wait_for};
use rustix::process::Signal;
use serde_json::Value;

/// Real matches of a comparison take seconds; a busy machine takes longer.
const WHOLE: Duration = Duration::from_secs(240);
/// Matches that take milliseconds.
const SMALL: &str = "--width 8 --height 8 --clients 2 --procs 1 --max-ticks 400";

fn compare(old: &str, new: &str, flags: &str) -> Command {
    let mut command = Command::new(ARENA);
    command.args(["compare", old, new]).args(flags.split_whitespace());
    command
}

fn found(finished: &Finished) -> Value {
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).unwrap()
}

/// How many of so many comparisons of our client with so many players say yes and no.
fn answers(old: u32, new: u32, runs: u32) -> (usize, usize) {
    let [old, new] = [old, new].map(|players| format!("zappy_ai --players {players}"));
    let answers: Vec<Value> = (0..runs)
        .map(|run| {
            let flags = format!("{SMALL} --in-process --json --max-pairs 400 --first {}", 1 + run * 1_000);
            found(&crate::support::run(&mut compare(&old, &new, &flags)))["answer"].clone()
        })
        .collect();
    let count = |word: &str| answers.iter().filter(|answer| **answer == word).count();
    (count("yes"), count("no"))
}

#[test]
fn over_many_runs_a_bot_is_rarely_called_stronger_than_itself() {
    // One in twenty is promised; more than four happen once in four hundred times.
    let (yes, no) = answers(2, 2, 20);
    assert!(yes <= 4 && no >= 15, "{yes} {no}");
}

#[test]
fn over_many_runs_a_weaker_bot_is_never_called_stronger_and_a_stronger_one_is() {
    let (yes, no) = answers(2, 1, 6);
    assert_eq!((yes, no), (0, 6));
    let (yes, no) = answers(1, 2, 6);
    assert_eq!((yes, no), (6, 0));
}

#[test]
fn the_same_seeds_give_the_same_answer_however_many_play_at_once() {
    let play = |jobs: u32| {
        let flags = format!("{SMALL} --in-process --json --first 5 --jobs {jobs}");
        run(&mut compare("zappy_ai --players 2", "zappy_ai --players 2", &flags)).stdout
    };
    let one = play(1);
    assert_eq!(play(5), one);
    assert!(serde_json::from_str::<Value>(&one).unwrap()["pairs"].as_u64().unwrap() > 0);
}

#[test]
fn pairs_used_up_decide_nothing_and_what_is_required_is_refused() {
    let flags = format!("{SMALL} --in-process --max-pairs 3");
    let finished = run(&mut compare("zappy_ai", "zappy_ai", &flags));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(finished.stdout.starts_with("Not decided"), "{}", finished.stdout);
    let finished = run(compare("zappy_ai", "zappy_ai", &flags).arg("--require"));
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    // Few players against twice as many: it is known.
    let flags = format!("{SMALL} --in-process --require");
    let finished = run(&mut compare("zappy_ai --players 1", "zappy_ai --players 2", &flags));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(finished.stdout.starts_with("The new version is stronger.\n"), "{}", finished.stdout);
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_remedy() {
    assert!(server().exists());
    let ours = client();
    for (old, new, flags, words) in [
        ("python3 a", "zappy_ai", "--in-process", "old: \"python3\" can't play in this process"),
        ("zappy_ai", "zappy_ai --frob", "--in-process", "new: zappy_ai: unexpected argument '--frob'"),
        (&ours, &ours, "", "both are the same bot"),
        ("/no/where/bot", &ours, "", "compare: bot old: "),
        ("zappy_ai", "zappy_ai", "--elo1 -4", "--elo1 -4 is not above --elo0 0"),
        ("zappy_ai", "zappy_ai", "--elo0 NaN", "--elo0 is NaN"),
        ("zappy_ai", "zappy_ai", "--alpha 0.6", "--alpha is 0.6, the range is"),
        ("zappy_ai", "zappy_ai", "--in-process --out x", "cannot be used with '--"),
    ] {
        let finished = run(&mut compare(old, new, flags));
        assert_eq!(finished.code(), 2, "{}", finished.stderr);
        assert!(finished.error().contains(words), "{}\nexpected {words}", finished.error());
    }
}

/// A comparison with real programs, of our client with one player and with two.
fn real(bench: &Bench, flags: &str) -> Finished {
    let ours = client();
    assert!(server().exists());
    let [one, two] = [1, 2].map(|players| format!("{ours} --players {players}"));
    let flags = format!("{SMALL} --think-time 60000 --lobby-time 1 --json {flags}");
    let mut command = compare(&one, &two, &flags);
    Running::start(command.current_dir(bench.folder.path())).finish_within(WHOLE)
}

#[test]
fn real_programs_play_until_it_is_known_and_a_second_call_knows_it_already() {
    let bench = Bench::new();
    let flags = "--elo1 400 --alpha 0.2 --beta 0.2 --max-pairs 12 --out kept";
    let first = real(&bench, flags);
    let answer = found(&first);
    assert_eq!(answer["answer"], "yes", "{answer:#}");
    assert!(answer["pairs"].as_u64().unwrap() < 12, "{answer:#}");
    let results = || fs::read_dir(bench.path("kept/results")).unwrap().count();
    let played = results();
    assert!((2..24).contains(&played), "{played}");
    assert_eq!(real(&bench, flags).stdout, first.stdout);
    assert_eq!(results(), played);
}

#[test]
fn after_a_pair_in_which_a_bot_can_not_be_started_its_own_error_is_told() {
    let bench = Bench::new();
    assert!(server().exists());
    let ours = format!("{} --players 2", client());
    let broken = quoted(&bench.script("broken", "echo 'no such module' >&2\nexit 7\n"));
    let flags = format!("{SMALL} --lobby-time 1 --max-pairs 50 --jobs 1 --sandbox none --out kept");
    let mut command = compare(&format!("{broken} {{port}}"), &ours, &flags);
    let finished = Running::start(command.current_dir(bench.folder.path())).finish_within(WHOLE);
    assert_eq!((finished.code(), &finished.stdout[..]), (1, ""), "{}", finished.stderr);
    let error = finished.error();
    let words = "the old version can't be started: it ended before anybody joined: exit code 7; it said: no such module";
    assert!(error.contains(words), "{error}");
    assert_eq!(names(&bench.path("kept/results")).len(), 2);
}

#[test]
fn an_interrupted_comparison_says_so_and_decides_nothing() {
    let bench = Bench::new();
    let ours = client();
    assert!(server().exists());
    let [one, two] = [1, 2].map(|seed| format!("{ours} --players 2 --seed {seed}"));
    // Bots that are alike would play for hours.
    let flags = format!("{SMALL} --think-time 60000 --elo1 1 --max-pairs 5000 --out kept");
    let running = Running::start(compare(&one, &two, &flags).current_dir(bench.folder.path()));
    let results = bench.path("kept/results");
    wait_for("a result", || (results.exists() && !names(&results).is_empty()).then_some(()));
    running.signal(Signal::INT);
    let finished = running.finish_within(WHOLE);
    assert_eq!((finished.code(), &finished.stdout[..]), (130, ""), "{}", finished.stderr);
}

#[test]
fn a_match_that_the_arena_cannot_play_is_an_error_and_no_answer() {
    let bench = Bench::new();
    let ours = client();
    let broken = bench.script("broken", "exit 1\n");
    let [one, two] = [1, 2].map(|players| format!("{ours} --players {players}"));
    let mut command = compare(&one, &two, &format!("{SMALL} --jobs 1 --max-pairs 50 --out kept"));
    let command = command.arg("--server").arg(broken).current_dir(bench.folder.path());
    let finished = Running::start(command).finish_within(WHOLE);
    assert_eq!((finished.code(), &finished.stdout[..]), (1, ""), "{}", finished.stderr);
    let error = finished.error();
    assert!(error.contains("a match of pair 1 could not be played: "), "{error}");
    // Neither were all the others tried.
    assert_eq!(names(&bench.path("kept/failed")).len(), 1);
}
