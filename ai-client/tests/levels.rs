//! The levels against each other, against the real rules in one process, with seats swapped.

mod sim;

use sim::Table;
use zappy_ai::zappy::level::Style;

/// How many matches the first level wins, each seed played in both seats.
fn wins(one: Style, other: Style, seeds: std::ops::RangeInclusive<u64>) -> usize {
    let table = |seed, styles| Table { seed, styles, max_ticks: 10_000, ..Table::default() };
    let won = |seed, styles: Vec<Style>| {
        let seat = styles.iter().position(|style| *style == one).unwrap();
        let verdict = table(seed, styles).play().verdict.expect("it ends");
        usize::from(verdict.standings[0].team == format!("team{seat}"))
    };
    seeds.map(|seed| won(seed, vec![one, other]) + won(seed, vec![other, one])).sum()
}

#[test]
fn each_level_beats_the_one_below() {
    for (better, worse) in
        [(Style::Medium, Style::Easy), (Style::Hard, Style::Medium), (Style::Expert, Style::Hard)]
    {
        let won = wins(better, worse, 1..=3);
        assert!(won >= 5, "{better:?} won {won} of 6 against {worse:?}");
    }
}

#[test]
fn an_aggressor_keeps_its_victims_down() {
    let table = |styles| Table { styles, max_ticks: 6_000, ..Table::default() };
    let alone = table(vec![Style::Hard, Style::Easy]).play();
    assert!(alone.ticks < 6_000, "hard should have won: {alone:?}");
    let disturbed = table(vec![Style::Hard, Style::Aggressor]).play();
    assert_eq!(disturbed.ticks, 6_000, "nobody should have won: {disturbed:?}");
}

#[test]
fn expert_leads_aggressors_astray_and_wins() {
    let won = wins(Style::Expert, Style::Aggressor, 1..=2);
    assert!(won >= 3, "expert won {won} of 4");
}

/// It lays without pause, and yet no more than its factories may, and a pusher per crowd that it sees.
#[test]
fn a_raider_rises_fast_and_pushes_others_down() {
    let table = |styles| Table { styles, max_ticks: 6_000, watched: true, ..Table::default() };
    let alone = Table { teams: 1, ..table(vec![Style::Raider]) }.play();
    assert!(alone.verdict.unwrap().winners().next().is_some() && alone.ticks < 3_000);
    let disturbed = table(vec![Style::Hard, Style::Raider]).play();
    assert_eq!(disturbed.verdict.unwrap().winners().next(), Some("team1"));
    for style in [Style::Raider, Style::DeafRaider] {
        let outcomes = [1, 2, 3].map(|seed| Table { seed, ..table(vec![style, Style::Hard]) }.play());
        let pushes = outcomes.iter().flat_map(|o| &o.news).filter(|(_, line)| line.starts_with("pex "));
        assert!(pushes.count() > 0, "{style:?} pushed no player");
        assert!(outcomes.iter().all(|o| o.connections < 300), "{style:?} laid too many");
    }
}

#[test]
fn expert_answers_raiders_in_kind() {
    for style in [Style::Raider, Style::DeafRaider] {
        let won = wins(Style::Expert, style, 1..=5);
        assert!(won >= 8, "expert won {won} of 10 against {style:?}");
    }
}

/// It pushes players of the other team away from its nest, and its own players still come in.
#[test]
fn experts_guards_keep_raiders_out_on_a_large_map() {
    let styles = vec![Style::Expert, Style::Raider];
    let table = Table { width: 42, height: 42, styles, max_ticks: 10_000, ..Table::default() };
    let verdicts = (1..=6).filter_map(|seed| Table { seed, ..table.clone() }.play().verdict);
    let won = verdicts.filter(|verdict| verdict.standings[0].team == "team0").count();
    assert!(won >= 5, "expert won {won} of 6");
}

#[test]
fn one_player_of_hard_lays_its_team() {
    let table =
        Table { teams: 1, slots: 1, styles: vec![Style::Hard], max_ticks: 10_000, ..Table::default() };
    let outcome = table.play();
    assert!((6..=12).contains(&outcome.connections), "{outcome:?}");
    assert_eq!(outcome.verdict.unwrap().winners().next(), Some("team0"));
}

#[test]
fn others_lay_no_eggs() {
    for style in [Style::Easy, Style::Medium, Style::Aggressor] {
        let table = Table { styles: vec![style, style], max_ticks: 3_000, ..Table::default() };
        assert_eq!(table.play().connections, 12, "{style:?}");
    }
}

#[test]
fn lines_that_arrive_late_and_other_rules_change_nothing_that_matters() {
    let styles = vec![Style::Medium, Style::Easy];
    let late = Table { delay: 5, styles: styles.clone(), max_ticks: 10_000, ..Table::default() };
    let strict = Table { rules: zappy_game_zappy::RuleSet::STRICT, delay: 0, ..late.clone() };
    for table in [late, strict] {
        assert_eq!(table.play().verdict.unwrap().standings[0].team, "team0", "{table:?}");
    }
}

#[test]
fn each_level_lives_and_rises_by_the_official_rules() {
    for (style, expected) in [
        (Style::Easy, 2),
        (Style::Medium, 4),
        (Style::Hard, 8),
        (Style::Expert, 8),
        (Style::Aggressor, 4),
        (Style::Raider, 8),
    ] {
        let (styles, rules) = (vec![style], zappy_game_zappy::RuleSet::OFFICIAL);
        let table = Table { teams: 1, styles, rules, watched: true, max_ticks: 8_000, ..Table::default() };
        let news = table.play().news;
        let levels = news.iter().filter_map(|(_, line)| line.strip_prefix("plv ")?.rsplit(' ').next());
        let top = levels.filter_map(|level| level.parse().ok()).max().unwrap_or(1);
        assert!(top >= expected, "{style:?} came to level {top}");
        let starved = news.iter().filter(|(_, line)| line.starts_with("pdi ")).count();
        assert!(
            starved == 0 || matches!(style, Style::Expert | Style::Raider),
            "{style:?}: {starved} starved"
        );
    }
}

#[test]
fn the_same_seed_plays_the_same_match() {
    for style in [Style::Easy, Style::Medium, Style::Hard, Style::Aggressor, Style::Raider] {
        let table = Table { seed: 3, styles: vec![style, Style::Hard], max_ticks: 2_000, ..Table::default() };
        assert_eq!(table.play(), table.play());
    }
}
