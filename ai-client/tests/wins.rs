//! The client against itself and alone, against the real rules in one process, until somebody has won.

mod sim;

use sim::Table;

/// Plays a few seeds and expects a winner each time.
fn check(table: &Table, seeds: std::ops::RangeInclusive<u64>, limit: u64) {
    for seed in seeds {
        let table = Table { seed, max_ticks: limit, ..table.clone() };
        let outcome = table.play();
        let winner = outcome.verdict.as_ref().and_then(|verdict| verdict.winner.as_ref());
        assert!(winner.is_some() && outcome.ticks < limit, "no winner: {table:?} {outcome:?}");
    }
}

#[test]
fn two_teams_of_six() {
    check(&Table::default(), 1..=20, 12_000);
}

#[test]
fn alone() {
    check(&Table { teams: 1, ..Table::default() }, 1..=4, 12_000);
}

#[test]
fn small_and_large_maps() {
    check(&Table { width: 10, height: 10, ..Table::default() }, 1..=3, 20_000);
    check(&Table { width: 42, height: 42, ..Table::default() }, 1..=3, 20_000);
}

#[test]
fn a_map_that_is_not_square() {
    check(&Table { width: 30, height: 14, ..Table::default() }, 1..=4, 20_000);
}

#[test]
fn one_slot_and_many() {
    check(&Table { slots: 1, ..Table::default() }, 1..=3, 20_000);
    check(&Table { slots: 20, ..Table::default() }, 1..=3, 20_000);
}

#[test]
fn lines_that_arrive_late() {
    check(&Table { delay: 5, ..Table::default() }, 1..=4, 20_000);
}

#[test]
fn strangers_who_repeat_every_word() {
    check(&Table { parrots: true, ..Table::default() }, 1..=4, 12_000);
}

#[test]
fn strangers_who_push() {
    check(&Table { bullies: 2, ..Table::default() }, 1..=4, 12_000);
}

#[test]
fn the_same_seed_plays_the_same_match() {
    let table = Table { seed: 3, ..Table::default() };
    assert_eq!(table.play(), table.play());
}
