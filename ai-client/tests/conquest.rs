//! The levels of conquest against each other, against the real rules in one process, with seats swapped.

mod duel;

use std::ops::RangeInclusive;

use clap::ValueEnum as _;
use duel::Duel;
use zappy_ai::conquest::level::Level;

const RULES: [&str; 2] = ["classic", "arena"];

/// How often the first level is alone in the first place, each seed played in both seats.
fn wins(levels: [Level; 2], options: &[(&str, &str)], seeds: RangeInclusive<u64>) -> usize {
    let won = |seed, seat: usize| {
        let mut levels = levels.to_vec();
        levels.rotate_left(seat);
        let outcome = Duel { side: 24, seed, levels, options: options.to_vec() }.play();
        usize::from(outcome.verdict.winners().eq([Duel::name(seat).as_str()]))
    };
    seeds.map(|seed| won(seed, 0) + won(seed, 1)).sum()
}

/// The order of the ladder, on few seeds; `examples/conquest_levels.rs` measures it on many.
#[test]
fn each_level_beats_the_one_below() {
    use Level::{Easy, Expert, Hard, Medium, Raider};
    for pair in [[Medium, Easy], [Hard, Medium], [Expert, Hard], [Expert, Raider]] {
        for (rules, cities) in RULES.into_iter().flat_map(|rules| [(rules, "off"), (rules, "on")]) {
            let won = wins(pair, &[("rules", rules), ("cities", cities)], 5..=8);
            assert!(won >= 6, "{pair:?}: the better one won {won} of 8, rules {rules}, cities {cities}");
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_match_and_another_one_another() {
    let duel = |seed, level| {
        let options = vec![("rules", "arena"), ("cities", "on"), ("turns", "40")];
        Duel { side: 16, seed, levels: vec![level, Level::Easy], options }.play()
    };
    for &level in Level::value_variants() {
        assert_eq!(duel(3, level), duel(3, level), "{level:?}");
        assert_ne!(duel(3, level).digest, duel(4, level).digest, "{level:?}");
    }
}

#[test]
fn every_mode_is_played_to_an_end() {
    for options in [
        vec![("mode", "players"), ("placement", "draft")],
        vec![("mode", "alliances"), ("alliance", "faction0,faction2"), ("cities", "on")],
    ] {
        let levels = vec![Level::Expert, Level::Hard, Level::Medium, Level::Easy];
        let options: Vec<_> = options.into_iter().chain([("turns", "60")]).collect();
        let outcome = Duel { side: 24, seed: 2, levels, options: options.clone() }.play();
        assert!((1..=60).contains(&outcome.turns), "{options:?} {outcome:?}");
        assert!(["turns", "conquest"].contains(&outcome.verdict.reason), "{options:?} {outcome:?}");
        // Allies never beat each other, so a winner by conquest is no lone ally.
        let winners = outcome.verdict.winners().count();
        assert!(winners >= 1, "{options:?} {outcome:?}");
    }
}
