//! `show` for records of conquest.

use std::fs;
use std::process::Command;

use super::matches::{Shelf, on, shown};
use super::stories::objects;
use crate::support::{ARENA, Bench, Finished, run};

const ALLIES: [&str; 4] = [
    "a=zappy_ai --level expert",
    "b=zappy_ai --level expert",
    "c=zappy_ai --level easy",
    "d=zappy_ai --level easy",
];

/// Plays a match of conquest by these flags between these bots.
fn conquest(bench: &Bench, flags: &str, bots: &[&str]) -> Finished {
    let mut command = Command::new(ARENA);
    command.args("match --in-process --game conquest".split(' ')).args(flags.split(' '));
    for bot in bots {
        command.args(["--bot", bot]);
    }
    let finished = run(command.arg("--out").arg(bench.path("played")));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    finished
}

#[test]
fn a_match_of_conquest_is_told_by_its_turns() {
    let bench = Bench::new();
    let flags = "--seed 3 --turns 120 --width 16 --height 16 --cities on";
    let finished = conquest(&bench, flags, &["red=zappy_ai", "blue=zappy_ai --level hard"]);
    assert!(
        finished.stdout.contains(" turns, seed 3\n") && finished.stdout.contains("score"),
        "{}",
        finished.stdout
    );
    let story = shown(&bench.path("played"), &[]);
    assert!(story.lines().count() < 200, "{story}");
    for part in [
        "\nteams     red, blue\n",
        " led by score from turn ",
        " at turn ",
        "\nrank  faction",
        "\nturn  land  units",
        "option    turns 120\n",
    ] {
        assert!(story.contains(part), "{part:?} in\n{story}");
    }
    assert!(!story.contains(" at tick "), "{story}");
    // All of it, and one player's dialogue, is told line by line.
    let all = shown(&bench.path("played"), &["--all"]);
    assert!(all.lines().count() > 1_000 && all.contains("  *  tnd 7\n"));
    let dialogue = shown(&bench.path("played"), &["--player", "0"]);
    assert!(dialogue.contains("  <           0  Done 7\n") && dialogue.contains("  >           0  turn 7\n"));
    let turn = shown(&bench.path("played"), &["--player", "0", "--from", "7", "--to", "7"]);
    assert!(turn.contains("Done 7\n") && !turn.contains("Done 5\n") && !turn.contains("Done 9\n"), "{turn}");
}

#[test]
fn of_conquest_programs_get_objects_and_what_is_not_there_is_said() {
    let bench = Bench::new();
    let played =
        conquest(&bench, "--seed 5 --turns 40 --width 10 --height 10 --alliance a,b --alliance c,d", &ALLIES);
    let out = bench.path("played");
    let winners =
        played.stdout.lines().find_map(|line| line.strip_prefix("winners: ")).expect("several winners");
    assert!(winners.starts_with("a, b (dominion)"), "{}", played.stdout);
    let story = shown(&out, &[]);
    for part in [
        "\nend       a and b have won (dominion) at turn ",
        "  a and b have won (dominion)\n",
        "  a and b hold the 50 % of the land",
    ] {
        assert!(story.contains(part), "{part:?} in\n{story}");
    }
    let ranks: Vec<&str> = story[story.find("\nrank ").unwrap()..].lines().skip(2).collect();
    assert!(
        ranks.iter().zip(["   1  ", "   1  ", "   3  ", "   4  "]).all(|(row, rank)| row.starts_with(rank)),
        "{story}"
    );

    let all = objects(&shown(&out, &["--json"]));
    let (head, end) = (all.first().unwrap(), all.last().unwrap());
    let both = serde_json::json!(["a", "b"]);
    assert_eq!((&head["type"], &head["winners"], &head["winner"]), (&"head".into(), &both, &"a".into()));
    assert_eq!((&end["type"], &end["winners"], &end["teams"][1]["rank"]), (&"end".into(), &both, &1.into()));
    for kind in ["lead", "dominion", "turn", "won", "ended"] {
        assert!(all.iter().any(|one| one["type"] == kind), "no {kind}");
    }
    assert!(all.iter().all(|one| one["type"] != "line"));
    assert!(objects(&shown(&out, &["--json", "--all"])).iter().any(|one| one["type"] == "line"));

    let late = shown(&out, &["--from", "900"]);
    assert!(late.contains("\nthere is nothing so late: the record ends at turn "), "{late}");
    for arguments in [&["--player", "9"][..], &["--player", "9", "--json"]] {
        let refused = on("show", &out, arguments);
        assert_eq!((refused.code(), &refused.stdout[..]), (1, ""));
        let words = "there was no player #9; a had #0; b had #1; c had #2; d had #3\n";
        assert!(refused.stderr.ends_with(words), "{}", refused.stderr);
    }
}

#[test]
fn the_longest_story_of_conquest_has_two_hundred_lines() {
    let bench = Bench::new();
    conquest(&bench, "--seed 5 --turns 5 --width 10 --height 10", &ALLIES);
    // After the beginning of that match more happens in each turn than in any real one.
    let record = fs::read_to_string(bench.path("played/match.zrec")).unwrap();
    let began = record.lines().take_while(|line| !line.starts_with(|first: char| first.is_ascii_digit()));
    let mut long: String = began.map(|line| format!("{line}\n")).collect();
    for turn in 1..=400 {
        let (dominion, score) = if turn % 2 == 0 { ("a 1", 0) } else { ("-", 9 * turn) };
        let holdings = "food 0 wood 0 bombs 0 land 9 pop 1 cap 5 kills 0";
        for event in [
            format!("* trn {turn} 0 a b c d"),
            "< c /pause".to_owned(),
            format!("* dom 50 {dominion}"),
            "* upk b".to_owned(),
            format!("* fac a 0 gold 0 {holdings} score {score} upkeep 0 base - - slot - 0"),
            format!("* tnd {turn}"),
        ] {
            long += &format!("{turn} {event}\n");
        }
    }
    let story = shown(&Shelf::new().put("long.zrec", long.as_bytes()), &[]);
    for part in
        [" that matter less were left out", "380 lines more of the operator’s aren’t told", "\n 400  "]
    {
        assert!(story.contains(part), "{part:?} in\n{story}");
    }
    assert!((160..=200).contains(&story.lines().count()), "{} lines in\n{story}", story.lines().count());
}
