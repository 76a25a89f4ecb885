//! What is played in which order, and what the table says of it.

use std::fs;
use std::process::Command;

use rustix::process::Signal;
use zappy_play::signature::Kind;

use super::stage::{League, TERMS, WHOLE, tiny};

use crate::support::{Running, example, run, signed, wait_for};

#[test]
fn only_what_is_missing_is_played_and_a_bot_is_told_why_it_fell() {
    let league = League::new();
    [("ada", 30), ("bob", 20), ("cyd", 10)].iter().for_each(|(name, number)| league.hand_in(name, *number));
    league.once(&["--seeds", "2"]);
    assert_eq!((league.rounds(), league.played()), (2, 12));
    assert_eq!(league.order(), ["ada@1", "bob@1", "cyd@1"]);
    assert!(league.standings().table.iter().all(|row| row.why.is_none() && row.place_before.is_none()));
    let before = league.files();
    // The flags of the first call hold, and nothing is played twice.
    league.once(&[]);
    assert_eq!(league.files(), before);

    league.hand_in("dan", 40);
    league.once(&[]);
    assert_eq!((league.rounds(), league.played()), (4, 24));
    assert_eq!(league.order(), ["dan@1", "ada@1", "bob@1", "cyd@1"]);
    let table = league.standings().table;
    assert_eq!(table[1].why.as_deref(), Some("fell from 1 to 2: lost 4 of 4 to newcomer dan@1"));
    assert_eq!((table[0].place_before, table[1].place_before), (None, Some(1)));

    league.hand_in("cyd", 50);
    league.once(&[]);
    let table = league.standings().table;
    assert_eq!(league.order(), ["cyd@2", "dan@1", "ada@1", "bob@1"]);
    let why = table[0].why.as_deref().unwrap();
    assert!(why.starts_with("a new version, rose from 4 to 1: won 4 of 4 against "), "{why}");
    assert_eq!(table[1].why.as_deref(), Some("fell from 1 to 2: lost 4 of 4 to new version cyd@2"));
    let history = &league.standings().versions;
    assert_eq!(history.iter().filter(|career| career.name == "cyd").count(), 2);
    assert!(
        history.iter().any(|career| career.name == "cyd" && !career.in_field && career.history.len() == 4)
    );

    // An older version comes back: all its matches are known. A bot that is removed leaves.
    let played = league.played();
    league.hand_in("cyd", 10);
    league.remove("bob");
    league.once(&[]);
    assert_eq!(
        (league.played(), league.order()),
        (played, vec!["dan@1".into(), "ada@1".into(), "cyd@1".into()])
    );
    let page = fs::read_to_string(league.path("index.html")).unwrap();
    assert!(page.contains("League of 3 bots") && page.contains("merged/index.html#b-"), "{page}");
    assert_eq!(signed(&league.path("merged")).0, Kind::Report);
    let own = ["bots.json", "standings.json"].map(str::to_owned);
    assert_eq!(signed(&league.path("")), (Kind::League, own.into()));
}

#[test]
fn a_league_that_is_called_again_and_waits_says_for_what() {
    let league = League::new();
    [("ada", 30), ("bob", 20)].iter().for_each(|(name, number)| league.hand_in(name, *number));
    league.once(&["--seeds", "1"]);
    let again = league.start(&[]);
    again.wait_for_line("nothing is missing; it waits for new versions below ");
    assert!(!again.said().contains(" matches between "), "{}", again.said());
    assert_eq!(again.insist(Signal::INT).code(), 0);
}

#[test]
fn a_new_version_at_the_same_place_is_compared_with_the_one_before_it() {
    let league = League::new();
    [("ada", 30), ("bob", 20), ("cyd", 10)].iter().for_each(|(name, number)| league.hand_in(name, *number));
    league.once(&["--seeds", "1"]);
    league.hand_in("cyd", 11);
    league.once(&[]);
    let why = |name: &str| league.standings().table.iter().find(|row| row.name == name).unwrap().why.clone();
    assert_eq!(why("cyd").as_deref(), Some("a new version, at the same place: rated as cyd@1 is"));
    let merged = fs::read_to_string(league.path("merged/index.html")).unwrap();
    let title = "<h1>All 4 versions of the league</h1>";
    assert!(
        merged.contains(title) && merged.contains("<a href=\"../index.html\">the league's</a>"),
        "{merged}"
    );
}

#[test]
fn it_goes_on_until_it_is_stopped_and_sees_what_comes() {
    let league = League::new();
    [("ada", 30), ("bob", 20)].iter().for_each(|(name, number)| league.hand_in(name, *number));
    let playing = league.start(&["--seeds", "1"]);
    wait_for("the first table", || league.path("standings.json").exists().then_some(()));
    // Two at once are one too many.
    let second = run(&mut league.command(&["--once"]));
    assert_eq!(second.code(), 2);
    assert!(second.stderr.contains("another process plays this league; end that"), "{}", second.stderr);
    league.hand_in("cyd", 25);
    wait_for("the newcomer", || {
        (league.standings().table.len() == 3 && league.standings().complete).then_some(())
    });
    playing.signal(Signal::INT);
    let finished = playing.finish_within(WHOLE);
    assert!(matches!(finished.code(), 0 | 130), "{}", finished.stderr);
    assert_eq!(league.order(), ["ada@1", "cyd@1", "bob@1"]);
}

#[test]
fn swiss_and_knockout_come_to_an_end_and_cups_to_a_winner() {
    let league = League::new();
    let five = [("ada", 30), ("bob", 20), ("cyd", 10), ("dan", 40), ("eve", 50)];
    five.iter().for_each(|(name, number)| league.hand_in(name, *number));
    league.once(&["--pairing", "swiss", "--seeds", "2"]);
    let standings = league.standings();
    assert!(standings.complete && standings.table.iter().all(|row| row.matches >= 4), "{standings:?}");
    assert!(league.played() < 24, "{}", league.played());

    let league = League::new();
    five.iter().for_each(|(name, number)| league.hand_in(name, *number));
    league.once(&["--pairing", "knockout", "--seeds", "1"]);
    let cup = league.standings().cup.unwrap();
    assert_eq!((cup.cup, cup.stages.len(), cup.winner.as_deref()), (1, 3, Some("eve@1")));
    let played = league.played();
    assert_eq!(played, 8, "four duels of two matches");
    league.once(&[]);
    assert_eq!((league.played(), league.rounds()), (played, 3));
    league.hand_in("flo", 60);
    league.once(&[]);
    let cup = league.standings().cup.unwrap();
    assert_eq!((cup.cup, cup.winner.as_deref()), (2, Some("flo@1")));
}

#[test]
fn a_round_can_be_played_in_parts_as_a_tournament() {
    let league = League::new();
    [("ada", 30), ("bob", 20), ("cyd", 10)].iter().for_each(|(name, number)| league.hand_in(name, *number));
    let plan = |words: &str| {
        let finished = run(&mut league.command(&["--plan", "--seeds", "1"]));
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        assert!(finished.stdout.contains(words), "{}", finished.stdout);
    };
    plan("round 1 lacks 6 matches; play on with: zappy_arena tournament run");
    for shard in ["2/2", "1/2"] {
        let mut command = Command::new(tiny());
        command.args(["tournament", "run", "--sandbox", "none", "--shard", shard]).arg(league.path(""));
        command.arg("--server").arg(example("zappy-server", "tiny_server"));
        let finished = Running::start(&mut command).finish_within(WHOLE);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
    }
    plan("ada@1");
    assert_eq!((league.rounds(), league.order()), (1, vec!["ada@1".into(), "bob@1".into(), "cyd@1".into()]));
    let alone = League::new();
    [("ada", 30), ("bob", 20), ("cyd", 10)].iter().for_each(|(name, number)| alone.hand_in(name, *number));
    alone.once(&["--seeds", "1"]);
    assert_eq!(alone.files(), league.files());
}

#[test]
fn a_league_goes_on_where_it_was_moved_or_copied_to() {
    let (league, place) = (League::new(), tempfile::tempdir().unwrap());
    [("ada", 30), ("bob", 20)].iter().for_each(|(name, number)| league.hand_in(name, *number));
    league.once(&["--seeds", "1"]);
    league.hand_in("cyd", 10);
    let [copied, moved] = ["copied", "moved"].map(|name| place.path().join(name));
    assert!(run(Command::new("cp").arg("-a").args([&league.path(""), &copied])).code() == 0);
    fs::rename(league.path(""), &moved).unwrap();
    for folder in [&copied, &moved] {
        let mut command = Command::new(tiny());
        command.arg("league").arg(folder).arg("--once").args(TERMS);
        command.arg("--server").arg(example("zappy-server", "tiny_server"));
        let finished = Running::start(&mut command).finish_within(WHOLE);
        assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
        assert_eq!(fs::read_dir(folder.join("results")).unwrap().count(), 6, "{}", finished.stderr);
        let bots = fs::read_to_string(folder.join("bots.json")).unwrap();
        assert_eq!(bots.matches(&format!("{}/", folder.display())).count(), 3, "{bots}");
        let proved = run(Command::new(tiny()).args(["tournament", "verify"]).arg(folder));
        assert_eq!(proved.code(), 0, "{}{}", proved.stdout, proved.stderr);
    }
    fs::rename(&moved, league.path("")).unwrap();
}
