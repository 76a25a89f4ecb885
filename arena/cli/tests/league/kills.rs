//! A league that is killed goes on as if it hadn't been.

use rustix::process::Signal;

use super::stage::League;
use crate::support::wait_for;

/// Two that all others meet, so that a league of ten is small.
const FLAGS: [&str; 8] = ["--against", "bot-8", "--against", "bot-9", "--seeds", "1", "--merge-every", "1"];
/// Matches of the first round, and in all.
const FIRST: usize = 32;
const ALL: usize = FIRST + 12;

fn ten() -> League {
    let league = League::new();
    (0..10).for_each(|number| league.hand_in(&format!("bot-{number}"), 10 + number));
    league
}

/// Three new versions: two that beat all, and one that falls behind.
fn renew(league: &League) {
    [(0, 90), (3, 2), (7, 45)]
        .iter()
        .for_each(|(bot, number)| league.hand_in(&format!("bot-{bot}"), *number));
}

#[test]
fn three_new_versions_come_over_ten_bots_and_two_kills_change_no_byte() {
    let calm = ten();
    let playing = calm.start(&[&["--once"], &FLAGS[..]].concat());
    wait_for("the first results", || (calm.path("results").is_dir() && calm.played() > 0).then_some(()));
    renew(&calm);
    assert_eq!(calm.rounds(), 1);
    let finished = playing.finish_within(super::stage::WHOLE);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!((calm.rounds(), calm.played()), (2, ALL));
    // Two that won all they played are as good as each other.
    let mut best = calm.order()[..2].to_vec();
    best.sort();
    assert_eq!(best, ["bot-0@2", "bot-7@2"]);

    let killed = ten();
    let playing = killed.start(&FLAGS);
    wait_for("some results", || (killed.path("results").is_dir() && killed.played() > 2).then_some(()));
    renew(&killed);
    playing.insist(Signal::KILL);
    assert!(killed.rounds() == 1 && killed.played() < FIRST);
    let playing = killed.start(&FLAGS);
    wait_for("the second round", || (killed.rounds() == 2 && killed.played() > FIRST).then_some(()));
    playing.insist(Signal::KILL);
    assert!(killed.played() < ALL);
    killed.once(&FLAGS);
    let (killed, calm) = (killed.files(), calm.files());
    assert_eq!(killed.keys().collect::<Vec<_>>(), calm.keys().collect::<Vec<_>>());
    for (name, text) in calm {
        assert!(killed[&name] == text, "{name}:\n{text}\nbut was killed:\n{}", killed[&name]);
    }
}
