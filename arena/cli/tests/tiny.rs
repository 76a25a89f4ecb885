//! The tests' tiny game through everything of the arena: matches over sockets by both clocks and in one process,
//! records, tournaments, comparisons and grades.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{ARENA, Bench, Finished, example, names, run};
use serde_json::Value;
use zappy_play::result::{ArenaResult, Ending};

/// The arena whose table has the tiny game.
fn tiny() -> PathBuf {
    example("zappy-arena", "tiny_arena")
}

/// A bot that always says that number.
fn bot(number: u32) -> String {
    format!("{} bot {number}", tiny().display())
}

fn arena(words: &[&str]) -> Command {
    let mut command = Command::new(tiny());
    command.args(words);
    command
}

fn good(command: &mut Command) -> Finished {
    let finished = run(command);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    finished
}

/// A match over sockets in the folder `out` of the bench, between red, which says 7, and blue, which says 3.
fn sockets(bench: &Bench, flags: &[&str]) -> (Finished, ArenaResult) {
    let mut command = arena(&["match", "--game", "tiny", "--seed", "5", "--width", "1", "--height", "1"]);
    command.arg("--server").arg(example("zappy-server", "tiny_server"));
    command.args(["--bot", &format!("red={}", bot(7)), "--bot", &format!("blue={}", bot(3))]);
    let finished = good(command.args(flags).arg("--out").arg(bench.path("out")));
    let result = serde_json::from_slice(&fs::read(bench.path("out/result.json")).unwrap()).unwrap();
    (finished, result)
}

const LOCKSTEP: [&str; 4] = ["--clock", "lockstep", "--think-time", "60000"];

#[test]
fn a_match_in_lockstep_leaves_a_record_that_is_proved_told_and_expanded() {
    let bench = Bench::new();
    let (finished, result) = sockets(&bench, &[&LOCKSTEP[..], &["--record-level", "inputs"]].concat());
    for line in [
        "winner: red (points) after 30 ticks, seed 5",
        "rank  team  points  highest number  commands  refused  dropped",
        "   1  red        3               7         3        0        0",
        "reproducible, as far as the server can see: no player was late and nothing came at a time of its own",
    ] {
        assert!(finished.stdout.contains(line), "{line} in {}", finished.stdout);
    }
    let played = result.played().unwrap();
    assert_eq!((played.game.as_str(), played.reason.as_str(), played.ticks), ("tiny", "points", 30));
    assert_eq!((played.teams[0].score, played.teams[0].conduct.commands), (3, 3));
    assert_eq!(result.arena.unwrap().outcome, Ending::Ended);

    let record = bench.path("out/match.zrec");
    let verified = good(arena(&["verify"]).arg(&record));
    assert!(verified.stdout.starts_with("1 of 1 record verified"), "{}", verified.stdout);
    good(arena(&["expand", "--out"]).arg(bench.path("full.zrec")).arg(&record));
    let shown = good(arena(&["show"]).arg(&record)).stdout;
    for line in [
        "teams     red, blue\n",
        "game      tiny, version 1 of its rules\noption    points 3\n",
        "end       red has won (points) at tick 30\n",
        "          0  <           0  7\n",
        "         30  told        *  seg red\n",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    // The ordinary arena knows no such game, and tells all the same what the full record has.
    let told = good(Command::new(ARENA).args(["show", "--json"]).arg(bench.path("full.zrec"))).stdout;
    let lines: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["game"], &lines[0]["options"]["points"]), (&"tiny".into(), &"3".into()));
    assert_eq!(lines.last().unwrap()["winner"], "red");
    let refused = run(Command::new(ARENA).arg("verify").arg(&record));
    assert!(refused.code() == 1 && refused.stderr.contains("there is no game tiny"), "{}", refused.stderr);
}

#[test]
fn by_the_real_clock_time_ends_the_match() {
    let bench = Bench::new();
    let flags = ["--freq", "100", "--max-ticks", "200", "--option", "points=9"];
    let (finished, result) = sockets(&bench, &flags);
    assert!(finished.stdout.starts_with("winner: red (time) after 200 ticks"), "{}", finished.stdout);
    let played = result.played().unwrap();
    assert_eq!(played.configuration.options["points"], 9);
    assert!(!played.reproducible);
    good(arena(&["verify"]).arg(bench.path("out/match.zrec")));
}

#[test]
fn in_one_process_the_record_is_the_same_to_the_byte() {
    let bench = Bench::new();
    sockets(&bench, &LOCKSTEP);
    let local = ["match", "--in-process", "--game", "tiny", "--width", "1", "--height", "1", "--seed", "5"];
    let bots = ["--bot", "red=tiny_bot 7", "--bot", "blue=tiny_bot 3"];
    let finished = good(arena(&local).args(bots).arg("--out").arg(bench.path("here")));
    assert!(finished.stdout.starts_with("winner: red (points) after 30 ticks"), "{}", finished.stdout);
    assert!(
        fs::read(bench.path("here/match.zrec")).unwrap() == fs::read(bench.path("out/match.zrec")).unwrap()
    );
    let finished = good(
        arena(&local).args(bots).args(["--seeds", "3", "--points", "1", "--out"]).arg(bench.path("many")),
    );
    assert!(finished.stdout.contains("ended by points 3"), "{}", finished.stdout);
    assert_eq!(names(&bench.path("many/records")), ["5.zrec", "6.zrec", "7.zrec"]);
    let refused = run(arena(&local).args(["--bot", "red=zappy_ai", "--out"]).arg(bench.path("no")));
    assert!(refused.code() == 2 && refused.error().contains("only tiny_bot can"), "{}", refused.stderr);
    let fair =
        good(&mut arena(&["mirror", "--game", "tiny", "--seeds", "60", "--max-ticks", "500", "--json"]));
    let said: Value = serde_json::from_str(&fair.stdout).unwrap();
    assert_eq!((&said["matches"], &said["matter"]), (&60.into(), &serde_json::json!([])));
    let stronger = ["compare", "tiny_bot 3", "tiny_bot 7", "--game", "tiny", "--in-process", "--require"];
    let finished = good(&mut arena(&stronger));
    assert!(finished.stdout.starts_with("The new version is stronger."), "{}", finished.stdout);
}

/// `bots.toml` with a bot for each number.
fn bots(bench: &Bench, numbers: &[u32]) -> PathBuf {
    let entry = |number: &u32| format!("[[bot]]\nname = \"says-{number}\"\ncommand = {:?}\n", bot(*number));
    fs::write(bench.path("bots.toml"), numbers.iter().map(entry).collect::<String>()).unwrap();
    bench.path("bots.toml")
}

const TERMS: [&str; 8] = ["--game", "tiny", "--points", "2", "--seeds", "1", "--think-time", "60000"];

#[test]
fn a_tournament_is_planned_played_and_summed_up() {
    let bench = Bench::new();
    let (file, night) = (bots(&bench, &[3, 5, 7]), bench.path("night"));
    good(arena(&["tournament", "plan", "--bots"]).arg(&file).args(TERMS).arg("--out").arg(&night));
    let plan = fs::read_to_string(night.join("plan.jsonl")).unwrap();
    let game = "\"game\":{\"name\":\"tiny\",\"rules_version\":1,\"options\":{\"points\":\"2\"}},\"width\":20";
    assert!(plan.lines().count() == 6 && plan.lines().all(|line| line.contains(game)), "{plan}");
    let server = example("zappy-server", "tiny_server");
    let play = || {
        let mut command = arena(&["tournament", "run", "--sandbox", "none", "--server"]);
        good(command.arg(&server).arg(&night)).stdout
    };
    let said = play();
    assert!(said.contains("6 played, 0 missing, 0 failed\nended by points 6\n"), "{said}");
    assert_eq!(play(), said);
    let finished = good(arena(&["tournament", "merge"]).arg(&night));
    let (table, one_sided) = finished.stdout.split_once("one-sided: ").unwrap();
    let order: Vec<&str> = table.split_whitespace().filter(|word| word.starts_with("says-")).collect();
    assert!(one_sided.contains("  says-7, and from says-5 on down\n"), "{one_sided}");
    assert_eq!(order, ["says-7", "says-5", "says-3"], "{}", finished.stdout);
    let table = fs::read_to_string(night.join("merged/matches.csv")).unwrap();
    let (head, rows) = table.split_once('\n').unwrap();
    assert!(head.ends_with(",end,end_detail,points,highest_number,late,refused,dropped,score"), "{head}");
    assert_eq!(rows.lines().filter(|row| row.ends_with(",played,,2,7,0,0,0,2")).count(), 4, "{rows}");
    let page = fs::read_to_string(night.join("merged/index.html")).unwrap();
    for words in ["a team had enough points", "The team had no point at the end of 4 matches."] {
        assert!(page.contains(words), "{words}");
    }
    // The ordinary arena says what it lacks.
    let refused = run(Command::new(ARENA).args(["tournament", "merge"]).arg(&night));
    assert!(refused.code() != 0 && refused.stderr.contains("there is no game tiny"), "{}", refused.stderr);
    let result = names(&night.join("results")).into_iter().find(|name| name.ends_with(".json")).unwrap();
    fs::remove_file(night.join("results").join(result)).unwrap();
    let mut again = Command::new(ARENA);
    let refused =
        run(again.args(["tournament", "run", "--sandbox", "none", "--server"]).arg(&server).arg(&night));
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(refused.code() != 0 && said.contains("there is no game tiny"), "{said}");
}

#[test]
fn bots_are_compared_and_graded() {
    let bench = Bench::new();
    let server = example("zappy-server", "tiny_server");
    let mut command =
        arena(&["compare", &bot(3), &bot(7), "--game", "tiny", "--max-pairs", "2", "--sandbox", "none"]);
    let finished = good(command.arg("--server").arg(&server));
    assert!(finished.stdout.contains("4 won, 0 lost, 0 drawn"), "{}", finished.stdout);
    let against = bots(&bench, &[3, 7]);
    let mut command = arena(&["grade", &bot(5), "--name", "ada", "--sandbox", "none", "--server"]);
    // All of these bots are one program, with other arguments.
    command
        .arg(&server)
        .arg("--accept-lookalikes")
        .args(TERMS)
        .arg("--against")
        .arg(against)
        .arg("--out")
        .arg(bench.path("g"));
    let finished = good(&mut command);
    assert!(finished.stdout.contains("ada: 1 of 2 points"), "{}", finished.stdout);
}
