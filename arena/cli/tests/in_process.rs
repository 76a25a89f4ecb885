//! Matches in one process: the same to the byte as with real processes over sockets, and each time; what many of
//! them leave; what is refused; and that the mirror says what was counted.

#[path = "tiny/caller.rs"]
mod caller;
#[path = "../../../server/tests/tiny/game.rs"]
mod tiny;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use crate::support::{ARENA, Bench, Finished, Running, client, names, run, server, signed, wait_for};
use caller::Caller;
use rustix::process::Signal;
use serde_json::{Value, json};
use zappy_ai::agent::Agent;
use zappy_game::config::MatchConfig;
use zappy_game::{GameSpec, MatchSpec};
use zappy_game_zappy::ZappyOptions;
use zappy_play::local::bot::LocalBot;
use zappy_play::local::in_process::InProcessMatch;
use zappy_play::local::zappy::GUEST;
use zappy_play::signature::Kind;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName};
use zappy_server::games::GAMES;
use zappy_server::record::verify;

/// A match of the arena between our bots, without `--out`.
fn arena(arguments: &str) -> Command {
    let mut command = Command::new(ARENA);
    command.arg("match").args(arguments.split_whitespace());
    command
}

fn played(command: &mut Command, out: &Path) -> Finished {
    let finished = run(command.arg("--out").arg(out));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    finished
}

fn json_of(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap()
}

fn in_process(seed: u64, level: RecordLevel) -> InProcessMatch {
    let teams = ["red", "blue", "green"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    let spec = ZappyOptions { slots: 3, ..ZappyOptions::default() }
        .spec(MatchConfig {
            seed,
            max_ticks: Some(600),
            ..MatchConfig::new(MapSize::new(9, 7).unwrap(), teams)
        })
        .unwrap();
    let crew = |team: &TeamName| LocalBot::plain(team.clone(), &GUEST).crew(5, 0, 3).unwrap();
    InProcessMatch { crews: spec.config.teams.iter().map(crew).collect(), spec, level }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let play = |seed, level| in_process(seed, level).play(Vec::new(), &AtomicBool::new(false)).unwrap();
    for level in [RecordLevel::Full, RecordLevel::Inputs] {
        let (first, again, other) = (play(1, level), play(1, level), play(2, level));
        assert!(first.record == again.record && first.digest == again.digest);
        assert!(first.record != other.record && first.digest != other.digest);
        assert!(first.result.reproducible, "{:?}", first.result.not_reproducible);
        let verified = verify(&first.record, GAMES).unwrap();
        assert_eq!((verified.ticks, verified.complete), (first.ticks, true));
    }
}

#[test]
fn another_game_is_played_by_its_own_bots() {
    static GAMES: &[GameSpec] = &[tiny::SPEC];
    let play = |numbers: [u32; 2]| {
        let names = ["red", "blue"];
        let teams = names.map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
        let config = MatchConfig { seed: 4, ..MatchConfig::new(MapSize::new(1, 1).unwrap(), teams) };
        let crew = |(team, number)| vec![Box::new(Caller::new(team, number)) as Box<dyn Agent>];
        let in_process = InProcessMatch {
            spec: MatchSpec::new(&GAMES[0], config),
            crews: names.into_iter().zip(numbers).map(crew).collect(),
            level: RecordLevel::Full,
        };
        let played = in_process.play(Vec::new(), &AtomicBool::new(false)).unwrap();
        let verified = verify(&played.record, GAMES).unwrap();
        assert_eq!((verified.ticks, verified.complete), (played.ticks, true));
        assert!(played.result.reproducible, "{:?}", played.result.not_reproducible);
        played
    };
    let (won, again, lost) = (play([7, 3]), play([7, 3]), play([3, 7]));
    assert!(won.record == again.record && won.record != lost.record);
    for (played, winner) in [(&won, "red"), (&lost, "blue")] {
        assert_eq!((played.ticks, played.verdict.reason), (3 * tiny::TURN_TICKS, "points"));
        assert_eq!(played.verdict.winners().collect::<Vec<_>>(), [winner]);
    }
}

#[test]
fn a_map_of_the_game_is_played_alike_with_a_server_and_without() {
    check_against_sockets("--game conquest --scenario islands --cities on --turns 5 --seed 4", "");
}

/// One match over sockets, with the real programs, and one in one process: everything but the arena's own words is
/// the same.
fn check_against_sockets(arguments: &str, options: &str) {
    let bench = Bench::new();
    let (sockets, here) = (bench.path("sockets"), bench.path("here"));
    let mut command = arena(arguments);
    command.args(["--clock", "lockstep", "--think-time", "60000", "--server"]).arg(server());
    for team in ["red", "blue"] {
        command.arg("--bot").arg(format!("{team}={} {options}", client()));
    }
    played(&mut command, &sockets);
    let mut command = arena(arguments);
    command.arg("--in-process");
    for team in ["red", "blue"] {
        command.arg("--bot").arg(format!("{team}=zappy_ai {options}"));
    }
    played(&mut command, &here);
    let record = fs::read(here.join("match.zrec")).unwrap();
    assert!(fs::read(sockets.join("match.zrec")).unwrap() == record, "{arguments} {options}");
    assert!(verify(&record, GAMES).unwrap().complete);
    assert_eq!(names(&here), names(&sockets));
    let [mut there, mut here] =
        [sockets, here].map(|folder| json_of(&fs::read(folder.join("result.json")).unwrap()));
    assert_eq!((&here["arena"]["in_process"], &there["arena"]["in_process"]), (&json!(true), &json!(false)));
    assert_eq!(here["arena"]["teams"][0]["seed"], there["arena"]["teams"][0]["seed"]);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&here["arena"]), keys(&there["arena"]));
    there["lockstep"]["think_time_ms"] = here["lockstep"]["think_time_ms"].clone();
    // In one process no time to answer is measured, and a busy machine lets programs wait.
    assert!(there["lockstep"].as_object_mut().unwrap().remove("think_times").is_some());
    there["lockstep"]["kept_waiting"] = here["lockstep"]["kept_waiting"].clone();
    for result in [&mut there, &mut here] {
        assert_eq!(result["arena"]["record_verified"], true);
        result.as_object_mut().unwrap().remove("arena");
    }
    assert_eq!(here, there);
}

#[test]
fn a_match_to_its_winner_is_the_same_over_sockets() {
    check_against_sockets("--seed 1", "");
    check_against_sockets("--seed 2 --record-level inputs --max-ticks 800", "--seed 9");
}

#[test]
fn every_level_of_play_is_the_same_over_sockets() {
    for level in ["easy", "medium", "aggressor"] {
        check_against_sockets("--seed 5 --procs 1 --max-ticks 1500", &format!("--players 6 --level {level}"));
    }
    // Two slots, so that it lays eggs.
    check_against_sockets("--seed 6 --clients 2 --max-ticks 1500", "--level hard");
}

#[test]
fn players_that_keep_silent_are_late_and_the_match_goes_on() {
    let bench = Bench::new();
    let out = bench.path("raid");
    let mut command = arena("--in-process --seed 1 --max-ticks 800");
    // Its carriers say nothing more once they have laid down their food.
    command.args(["--bot", "red=zappy_ai --level raider", "--bot", "blue=zappy_ai"]);
    played(&mut command, &out);
    let result = json_of(&fs::read(out.join("result.json")).unwrap());
    assert_eq!((&result["ticks"], &result["reproducible"]), (&json!(800), &json!(false)), "{result:#}");
    assert!(result["not_reproducible"].to_string().contains("late"), "{result:#}");
    assert!(verify(&fs::read(out.join("match.zrec")).unwrap(), GAMES).unwrap().complete);
}

#[test]
fn a_match_on_a_small_map_with_one_process_per_team_is_the_same_over_sockets() {
    // So small that players starve and push each other.
    check_against_sockets(
        "--seed 3 --width 4 --height 3 --procs 1 --freq 1000 --max-ticks 5000",
        "--players 6",
    );
    check_against_sockets("--seed 4 --width 30 --height 5 --clients 2 --max-ticks 900", "--seed {seed}");
}

#[test]
fn a_match_by_the_official_rules_is_the_same_over_sockets() {
    check_against_sockets("--seed 7 --rules official --clients 3 --max-ticks 1200", "--level easy");
}

#[test]
fn a_match_by_the_strict_rules_is_the_same_over_sockets() {
    check_against_sockets("--seed 7 --rules strict --clients 2 --max-ticks 1200", "");
}

/// Of two children that come in together chance decides which gets which egg.
#[test]
fn children_of_one_team_come_in_one_after_the_other() {
    let bench = Bench::new();
    for (out, options) in
        [("subject", ""), ("strict", "--rules strict"), ("two", "--clients 2 --rules strict")]
    {
        let out = bench.path(out);
        let arguments = format!("--in-process --seed 7 --seeds 6 --max-ticks 2200 {options}");
        played(arena(&arguments).args(["--bot", "red=zappy_ai", "--bot", "blue=zappy_ai"]), &out);
        let joint = |line: &String| json_of(line.as_bytes())["lockstep"]["joint_admissions"].clone();
        assert_eq!(lines(&out).iter().map(joint).collect::<Vec<_>>(), vec![json!(0); 6], "{options}");
    }
}

#[test]
fn a_match_of_conquest_is_the_same_over_sockets() {
    let map = "--game conquest --width 16 --height 16";
    check_against_sockets(&format!("{map} --seed 5 --turns 60"), "");
    let cities = "--cities on --mode players --placement draft --seed 6 --turns 25 --record-level inputs";
    check_against_sockets(&format!("{map} {cities}"), "--level hard");
    // Options that name teams.
    let named = "--mode players --order custom:blue,red --seed 7 --turns 10 --record-level inputs";
    check_against_sockets(&format!("{map} {named}"), "--level easy");
}

/// Many small matches.
const SERIES: &str = "--in-process --bot red=zappy_ai --bot blue=zappy_ai --width 10 --height 10 --clients 2 \
                      --max-ticks 500 --seed 40";

fn lines(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(String::from).collect()
}

#[test]
fn many_matches_leave_what_each_would_leave_alone() {
    let bench = Bench::new();
    let (out, alone) = (bench.path("many"), bench.path("alone"));
    let finished = played(&mut arena(&format!("{SERIES} --seeds 12 --jobs 3")), &out);
    for words in
        ["12 matches from seed 40 on", "  red ", "ended by time 12", "quartiles 500 500 500", "on 3 threads"]
    {
        assert!(finished.stdout.contains(words), "{words} in {}", finished.stdout);
    }
    assert_eq!(names(&out), ["records", "results.jsonl"]);
    let lines = lines(&out);
    let seeds: Vec<u64> =
        lines.iter().map(|line| json_of(line.as_bytes())["seed"].as_u64().unwrap()).collect();
    assert!(seeds.iter().copied().eq(40..52), "{seeds:?}");
    let records: Vec<String> = (40..52).map(|seed| format!("{seed}.zrec")).collect();
    assert_eq!(names(&out.join("records")), records);
    let known = records.iter().map(|name| format!("records/{name}")).chain(["results.jsonl".to_owned()]);
    assert_eq!(signed(&out), (Kind::Series, known.collect()));
    for name in &records {
        assert!(
            verify(&fs::read(out.join("records").join(name)).unwrap(), GAMES).unwrap().complete,
            "{name}"
        );
    }
    played(&mut arena(&format!("{SERIES} --record-level inputs")), &alone);
    assert_eq!(signed(&alone), (Kind::Match, ["match.zrec", "result.json"].map(str::to_owned).into()));
    assert!(fs::read(alone.join("match.zrec")).unwrap() == fs::read(out.join("records/40.zrec")).unwrap());
    let mut result = json_of(&fs::read(alone.join("result.json")).unwrap());
    // Records of many matches are proved when that is asked for.
    assert_eq!(result["arena"]["record_verified"].take(), true);
    assert!(result["arena"].as_object_mut().unwrap().remove("seconds").is_some());
    assert_eq!(result, json_of(lines[0].as_bytes()));
}

#[test]
fn threads_change_nothing_in_what_many_matches_leave() {
    let bench = Bench::new();
    let [one, four] = ["1", "4"].map(|jobs| {
        let out = bench.path(jobs);
        played(&mut arena(&format!("{SERIES} --seeds 9 --record-level full --jobs {jobs}")), &out);
        let records = (40..49).map(|seed| fs::read(out.join(format!("records/{seed}.zrec"))).unwrap());
        (lines(&out), records.collect::<Vec<_>>())
    });
    assert!(one == four);
}

#[test]
fn what_is_finished_stays_when_the_operator_ends_it() {
    let bench = Bench::new();
    let out = bench.path("out");
    let mut command = arena(&format!("{SERIES} --seeds 1000000"));
    let running = Running::start(command.arg("--out").arg(&out));
    wait_for("a few results", || {
        let text = fs::read_to_string(out.join("results.jsonl")).ok()?;
        (text.lines().count() > 5).then_some(())
    });
    running.signal(Signal::INT);
    let finished = running.finish();
    assert_eq!(finished.code(), 130, "{}", finished.stderr);
    assert!(finished.error().starts_with("interrupted"), "{}", finished.stderr);
    assert!(finished.stdout.contains("of 1000000 wanted"), "{}", finished.stdout);
    assert_eq!(names(&out), ["records", "results.jsonl"]);
    let (lines, records) = (lines(&out), names(&out.join("records")));
    assert_eq!(lines.len(), records.len());
    assert!(lines.iter().map(|line| json_of(line.as_bytes())["seed"].as_u64().unwrap()).is_sorted());
    for name in records {
        assert!(
            verify(&fs::read(out.join("records").join(&name)).unwrap(), GAMES).unwrap().complete,
            "{name}"
        );
    }
}

#[test]
fn the_operator_gets_record_and_result_of_a_single_match() {
    let bench = Bench::new();
    let out = bench.path("out");
    // So many players that it isn't over before it is noticed to have begun.
    let mut command = arena("--in-process --width 60 --height 60 --clients 30 --seed 1");
    (0..20).for_each(|team| {
        command.arg("--bot").arg(format!("t{team}=zappy_ai"));
    });
    let running = Running::start(command.arg("--out").arg(&out));
    wait_for("the record", || fs::metadata(out.join("match.zrec")).ok().filter(|record| record.len() > 0));
    let finished = running.insist(Signal::INT);
    assert_eq!(finished.code(), 130, "{}", finished.stderr);
    assert_eq!(names(&out), ["logs", "match.zrec", "result.json"]);
    assert!(verify(&fs::read(out.join("match.zrec")).unwrap(), GAMES).unwrap().complete);
    let result = json_of(&fs::read(out.join("result.json")).unwrap());
    assert_eq!((&result["winner"], &result["arena"]["outcome"]), (&Value::Null, &json!("interrupted")));
}

/// What follows `match --in-process --bot red=`, and how the error begins.
const REFUSED: [(&str, &str); 13] = [
    ("true", "--bot red: \"true\" can't play in this process, only zappy_ai can"),
    ("zappy_ai --bot blue=python3", "--bot blue: \"python3\" can't play in this process"),
    ("zappy_ai --bot red=zappy_ai", "--bot: the team red is named twice"),
    ("zappy_ai --clock real", "--clock real means nothing with --in-process"),
    ("zappy_ai --think-time 5", "--think-time means nothing with --in-process"),
    ("zappy_ai --pace 5", "--pace means nothing with --in-process"),
    ("zappy_ai --observer true", "--observer means nothing with --in-process"),
    ("zappy_ai --timeout 5", "--timeout means nothing with --in-process"),
    ("zappy_ai --max-ticks 1000000000000001", "this can't be played: the last tick is 1000000000000001"),
    (
        "zappy_ai --procs 7",
        "--bot red: 7 players for 6 slots; lower --procs or --players, or raise --clients",
    ),
    ("zappy_ai --jobs 2", "--jobs spreads many matches over cores; add --seeds N"),
    ("zappy_ai --seeds 0", "invalid value '0' for '--seeds <N>'"),
    (
        "zappy_ai --seeds 2 --seed 18446744073709551614",
        "--seeds: from seed 18446744073709551614 on there are not 2",
    ),
];

#[test]
fn what_means_nothing_in_one_process_is_refused_and_leaves_nothing() {
    let bench = Bench::new();
    for (arguments, words) in &REFUSED {
        let mut command = arena(&format!("--in-process --bot red={arguments}"));
        let finished = run(command.arg("--out").arg(bench.path("out")));
        assert_eq!(finished.code(), 2, "{arguments}: {}", finished.stderr);
        assert!(finished.error().starts_with(words), "{}\nexpected {words}", finished.error());
    }
    let finished = run(arena("--bot red=true --seeds 2").arg("--out").arg(bench.path("out")));
    let words = "--seeds plays matches in one process; add --in-process";
    assert_eq!((finished.code(), finished.error()), (2, words));
    assert!(!bench.path("out").exists());
}

fn mirror(arguments: &str) -> Finished {
    run(Command::new(ARENA).arg("mirror").args(arguments.split_whitespace()))
}

#[test]
fn the_mirror_counts_every_match_once_in_each_of_its_tests() {
    let small = "--teams 3 --clients 2 --width 14 --height 14 --max-ticks 500 --seeds 60";
    let finished = mirror(&format!("{small} --json"));
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let said = json_of(finished.stdout.as_bytes());
    let sum = |counts: &Value| counts.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum::<u64>();
    let decided = 60 - said["without_winner"].as_u64().unwrap();
    assert_eq!((said["matches"].as_u64(), &said["matter"]), (Some(60), &json!([])));
    assert_eq!(
        (sum(&said["seats"]["wins"]), said["seats"]["degrees_of_freedom"].as_u64()),
        (decided, Some(2))
    );
    assert_eq!(sum(&said["names"]["test"]["wins"]), decided);
    assert_eq!(sum(&said["order_of_admission"]["wins"]), 2 * decided);
    assert_eq!(said["order_of_admission"]["wins"].as_array().unwrap().len(), 6);
    // Only because admission is shuffled over the seats do places tell more than seats.
    for place in said["admitted_by_seat"].as_array().unwrap() {
        let held: Vec<u64> = place.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        assert_eq!((held.len(), held.iter().sum::<u64>()), (3, 60), "{held:?}");
        assert!(held.iter().all(|&times| (6..=36).contains(&times)), "{held:?}");
    }
    for (key, range) in [("margin_95", 0.05..0.2), ("visible_share", 0.4..0.9)] {
        assert!(range.contains(&said[key].as_f64().unwrap()), "{said:#}");
    }
    let text = mirror(small).stdout;
    for words in [
        "seat       wins  share",
        "alder ",
        "cedar ",
        "nothing is shown to matter",
        "% of",
        " in nine of ten runs",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
}

#[test]
fn few_matches_prove_nothing() {
    let finished = mirror("--clients 1 --width 5 --height 5 --max-ticks 100 --seeds 4 -q");
    assert_eq!(finished.code(), 1, "{}", finished.stdout);
    assert!(finished.stdout.contains("too few decided matches to say"), "{}", finished.stdout);
}

#[test]
fn help_tells_of_matches_in_one_process() {
    let finished = run(Command::new(ARENA).args(["match", "--help"]));
    for words in ["--in-process --seeds 100", "results.jsonl", "--jobs <N>"] {
        assert!(finished.stdout.contains(words), "{words} in {}", finished.stdout);
    }
    let finished = mirror("--help");
    assert!(finished.stdout.contains("--teams 4 --width 30"), "{}", finished.stdout);
}
