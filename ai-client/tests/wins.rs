//! The client against itself and alone, by the real rules in one process, until a team has won.

mod sim;

use sim::Table;
use zappy_ai::zappy::level::Style;
use zappy_game_zappy::RuleSet;
use zappy_protocol::TeamName;

/// The ticks that an undisturbed match takes at most.
const QUICK: u64 = 2_700;
/// The same where each line arrives up to ten ticks late.
const SLOW: u64 = 3_000;

/// Plays a few seeds and expects a winner each time.
fn check(table: &Table, seeds: std::ops::RangeInclusive<u64>, limit: u64) {
    for seed in seeds {
        let table = Table { seed, max_ticks: limit, ..table.clone() };
        let outcome = table.play();
        let won = outcome.verdict.as_ref().is_some_and(|verdict| verdict.won);
        assert!(won && outcome.ticks < limit, "no winner: {table:?} {outcome:?}");
    }
}

#[test]
fn two_teams_of_six() {
    check(&Table::default(), 1..=20, QUICK);
}

#[test]
fn alone() {
    check(&Table { teams: 1, ..Table::default() }, 1..=4, QUICK);
}

#[test]
fn small_and_large_maps() {
    check(&Table { width: 10, height: 10, ..Table::default() }, 1..=3, QUICK);
    check(&Table { width: 42, height: 42, ..Table::default() }, 1..=3, QUICK);
}

#[test]
fn a_map_that_is_not_square() {
    check(&Table { width: 30, height: 14, ..Table::default() }, 1..=4, QUICK);
}

#[test]
fn one_slot_and_many() {
    check(&Table { slots: 1, ..Table::default() }, 1..=3, QUICK);
    check(&Table { slots: 20, ..Table::default() }, 1..=3, QUICK);
}

#[test]
fn two_nests_on_one_tile() {
    check(&Table { width: 10, height: 10, slots: 1, ..Table::default() }, 8..=8, QUICK);
    check(&Table::default(), 263..=263, QUICK);
}

#[test]
fn lines_that_arrive_late() {
    check(&Table { delay: 5, ..Table::default() }, 1..=4, QUICK);
}

#[test]
fn words_that_are_lost() {
    check(&Table { lost: 20, teams: 1, ..Table::default() }, 1..=4, 3_000);
    check(&Table { lost: 80, teams: 1, ..Table::default() }, 1..=2, 6_000);
}

#[test]
fn strangers_who_repeat_every_word() {
    check(&Table { parrots: true, ..Table::default() }, 1..=4, QUICK);
}

/// Strangers that know this source, with a seed that the team shares and without one.
#[test]
fn strangers_who_forge_words() {
    let forgers = Table { forgers: 6, ..Table::default() };
    check(&forgers, 1..=6, QUICK);
    check(&Table { unsealed: true, ..forgers }, 1..=6, QUICK);
}

#[test]
fn strangers_who_talk_as_much_as_they_can() {
    let flooders = Table { flooders: 6, ..Table::default() };
    check(&flooders, 1..=6, QUICK);
    check(&Table { unsealed: true, ..flooders }, 1..=6, QUICK);
}

#[test]
fn a_forger_knows_how_words_are_marked_without_a_shared_seed() {
    let said = |unsealed: bool| {
        let table = Table { teams: 1, watched: true, unsealed, max_ticks: 300, ..Table::default() };
        let news = table.play().news.into_iter().filter(|(_, line)| line.starts_with("pbc "));
        let words = news.filter_map(|(_, line)| line.splitn(3, ' ').nth(2).map(String::from));
        words.collect::<Vec<String>>()
    };
    let forged = |word: &String| {
        let (rest, _) = word.rsplit_once(':').unwrap();
        let (text, mark) = rest.rsplit_once(':').unwrap();
        sim::strangers::marks(&TeamName::parse(b"team0").unwrap(), text).starts_with(mark)
    };
    let (unsealed, sealed) = (said(true), said(false));
    assert!(unsealed.len() > 3 && unsealed.iter().all(forged), "{unsealed:?}");
    assert!(sealed.len() > 3 && !sealed.iter().any(forged), "{sealed:?}");
}

#[test]
fn strangers_who_push() {
    check(&Table { bullies: 2, ..Table::default() }, 1..=4, 5_000);
    check(&Table { bullies: 6, ..Table::default() }, 1..=4, 8_000);
}

#[test]
fn the_strict_rules() {
    check(&Table { rules: RuleSet::STRICT, ..Table::default() }, 1..=4, QUICK);
    check(&Table { rules: RuleSet::STRICT, teams: 1, ..Table::default() }, 1..=4, QUICK);
}

#[test]
fn the_official_rules() {
    check(&Table { rules: RuleSet::OFFICIAL, ..Table::default() }, 1..=4, QUICK);
    check(&Table { rules: RuleSet::OFFICIAL, teams: 1, delay: 5, ..Table::default() }, 1..=2, QUICK);
}

/// Under each rule set, as on servers with other habits than ours.
#[test]
fn servers_with_other_habits() {
    for rules in RuleSet::ALL {
        let usual = Table { rules: rules.with_official_habits(), pieces: true, ..Table::default() };
        check(&Table { lists: Some(["", ","]), ..usual.clone() }, 1..=2, QUICK);
        check(&Table { lists: Some([" ", ", "]), teams: 1, ..usual.clone() }, 1..=1, QUICK);
        // Where an incantation leaves busy players behind, lines that travel long part the team.
        let late = if rules == RuleSet::STRICT { 9_000 } else { SLOW };
        check(&Table { delay: 10, ..usual }, 1..=1, late);
    }
}

#[test]
fn no_broadcast_holds_a_blank() {
    for style in [Style::Expert, Style::Hard, Style::Medium, Style::Aggressor] {
        let (styles, watched) = (vec![style, Style::Medium], true);
        let news = Table { styles, watched, max_ticks: 3_000, ..Table::default() }.play().news;
        let texts = news.iter().filter(|(_, line)| line.starts_with("pbc "));
        let texts: Vec<&str> = texts.filter_map(|(_, line)| line.splitn(3, ' ').nth(2)).collect();
        assert!(texts.len() > 10, "{style:?}: {texts:?}");
        assert!(!texts.iter().any(|text| text.contains([' ', '"'])), "{style:?}: {texts:?}");
    }
}

/// The players that came in when no word was heard: refused, or lost without a trace.
#[test]
fn births_stay_bounded_without_words() {
    for (style, rules) in
        [Style::Expert, Style::Hard].into_iter().flat_map(|style| RuleSet::ALL.map(|rules| (style, rules)))
    {
        let table = Table { rules, styles: vec![style], teams: 1, max_ticks: 12_000, ..Table::default() };
        for seed in 1..=2 {
            let refused = Table { seed, refuses_words: true, ..table.clone() }.play();
            assert!(refused.connections <= 40, "{style:?}: {refused:?}");
            let lost = Table { seed, lost: 100, ..table.clone() }.play();
            assert!(lost.connections <= 200, "{style:?}: {lost:?}");
        }
    }
}

/// One of the six is killed as they reach a level: the team goes on with others, in at most twice the ticks.
#[test]
fn a_lost_member_of_the_core_is_replaced() {
    for level in [2, 4, 7] {
        let table = Table { teams: 1, loss: Some((level, 1, 0)), max_ticks: 4_692, ..Table::default() };
        for seed in 1..=2 {
            let outcome = Table { seed, ..table.clone() }.play();
            let verdict = outcome.verdict.as_ref();
            assert!(verdict.is_some_and(|verdict| verdict.reason == "elevation"), "{level}: {outcome:?}");
            assert!(outcome.news.iter().any(|(_, line)| line.starts_with("pdi ")), "{level}: no player died");
        }
    }
}

#[test]
fn watching_changes_nothing() {
    let table = Table { delay: 5, ..Table::default() };
    let watched = Table { watched: true, ..table.clone() }.play();
    assert_eq!(table.play().ticks, watched.ticks);
    assert!(watched.news.iter().any(|(_, line)| line.starts_with("pic ")));
}

#[test]
fn the_same_seed_plays_the_same_match() {
    let table = Table { seed: 3, ..Table::default() };
    assert_eq!(table.play(), table.play());
}
