//! What is happening right now and why it matters, in one or two plain sentences.
//!
//! The headline of the director's plan, or the incantation by which a team may win just now; others have only their
//! cards. Below it the commentary, and in lulls what the leader still lacks. Must be understood without the rules.
//! Tested in this module and in `tests.rs`.

use zappy_protocol::Tick;
use zappy_protocol::text::clock;
use zappy_protocol::zappy::story::{Strength, TeamIndex, lacks, strengths};

use super::words;
use crate::scene::card;
use crate::timeline::attempt::AttemptOutcome;
use crate::timeline::moments::{MatchMoment, MomentKind};
use crate::view::Shown;
use zappy_observer::app::origin::Origin;
use zappy_observer::panels::gold;
use zappy_observer::panels::kit::count;
use zappy_observer::panels::now::{self as headline, Now};

/// Only news of a higher score comes before a running incantation by which a team may win.
const DECIDING: u32 = 125;

/// What is happening at the view's moment.
pub fn now(shown: &Shown<'_>) -> Now<TeamIndex> {
    // At an earlier moment the match is not over.
    let state = headline::state(shown.origin, &shown.time, shown.is_over());
    let (team, news) = news(shown);
    let ended = shown.story.ended().filter(|ended| shown.tick() >= ended.finish.tick);
    let also = ended.and_then(|ended| ended.why().into_iter().next());
    let remark = || shown.remark().map(|remark| remark.says.clone());
    let lacks = || lacks(shown.state.mirror(), &shown.story.roster).map(|(_, says)| says);
    let also = also.or_else(remark).or_else(lacks).unwrap_or_else(|| leading(shown));
    let also = if also == news { String::new() } else { also };
    let estimated = matches!(shown.origin, Origin::Live { .. });
    let end = shown.story.chronicle.finish.as_ref().map_or(Tick::MAX, |finish| finish.tick);
    let tick = clock(shown.tick().min(end), shown.story.chronicle.rate());
    let tick = if estimated { format!("≈ {tick}") } else { tick };
    Now::of(shown.origin, (state, !shown.time.playing), tick, (team, news), also)
}

/// The team and the sentence of the news: a broken incantation comes first, then one that may win, then all other news.
fn news(shown: &Shown<'_>) -> (Option<TeamIndex>, String) {
    let (tick, roster, chronicle) = (shown.tick(), &shown.story.roster, &shown.story.chronicle);
    if let Some(ending) = chronicle.finish.as_ref().filter(|ending| tick >= ending.tick) {
        let team = ending.winner.as_ref().and_then(|winner| roster.team(winner));
        let winner = ending.winner.as_ref().map(|winner| words::short_name(winner.as_str(), 40));
        return (team, gold::victory(winner.as_slice()));
    }
    let news = shown.headline();
    let lead = chronicle.lead(tick).and_then(|lead| lead.team);
    // A lead that the team has lost again is no news, nor is a level above which it has risen.
    let is_current = |news: &&MatchMoment| match news.kind {
        MomentKind::Leads(team, _) => lead == Some(team),
        MomentKind::Ends { to, outcome: AttemptOutcome::Risen, .. } => {
            let strengths = strengths(shown.state.mirror(), roster);
            let highest = |TeamIndex(team): TeamIndex| strengths.get(team).map_or(0, Strength::highest);
            words::moment_team(news, roster).is_none_or(|team| highest(team) <= to.get())
        }
        _ => true,
    };
    let news = news.and_then(|number| chronicle.moments.get(number)).filter(is_current);
    let deciding = card::running(shown).into_iter().next().filter(|first| first.wins);
    match (news, deciding) {
        (Some(news), deciding) if deciding.is_none() || news.breaks() || news.kind.score() > DECIDING => {
            (words::moment_team(news, roster), words::moment(news, shown.story))
        }
        (_, Some(deciding)) => {
            let team = deciding.initiator.and_then(|player| roster.team_of(player));
            let name = team.map_or_else(|| "a team".to_owned(), |team| words::name(roster, team));
            let left = deciding.left.map(|left| format!(" in {:.1} s", left / f64::from(chronicle.rate())));
            (team, format!("{name} may win{}", left.unwrap_or_default()))
        }
        _ => (lead, leading(shown)),
    }
}

/// Which team leads, and with what.
fn leading(shown: &Shown<'_>) -> String {
    let strengths = strengths(shown.state.mirror(), &shown.story.roster);
    let Some(best) = strengths.iter().filter(|strength| strength.alive() > 0).max_by_key(|s| s.rank()) else {
        return "Waiting for players".to_owned();
    };
    let high = best.highest();
    let players = count(best.levels[usize::from(high.max(1)) - 1], "player", "players");
    match shown.story.chronicle.lead(shown.tick()).and_then(|lead| lead.team) {
        Some(team) => format!("{} leads: {players} at level {high}", words::name(&shown.story.roster, team)),
        None if strengths.len() > 1 && high <= 1 => "All are still at level 1".to_owned(),
        None if strengths.len() > 1 => {
            format!("Nobody leads: the first teams have {players} at level {high} each")
        }
        None => format!("{players} at level {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;
    use zappy_observer::panels::now::HeadlineState;

    /// Six of red hold an incantation for level 8, or for another one, from tick 100 on.
    fn six_of_level(level: u8) -> ScriptedMatch {
        let mut lines: Vec<String> = ["0 msz 9 9", "0 tna red", "0 ppo #99 0 0 1"].map(str::to_owned).into();
        lines.extend((0..6).map(|number| format!("5 pnw #{number} 1 1 1 {level} red")));
        lines.push(format!("100 pic 1 1 {level} #0 #1 #2 #3 #4 #5"));
        ScriptedMatch::of(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn an_incantation_that_may_win_is_the_news_and_says_how_long_and_another_has_its_card_alone() {
        six_of_level(7).show(280.0, |shown| {
            let now = now(shown);
            assert_eq!(now.news, "red may win in 1.2 s");
            assert!(now.also.starts_with("red to level 8: "), "{}", now.also);
            assert_eq!(now.team, Some(TeamIndex(0)));
        });
        six_of_level(6).show(280.0, |shown| {
            assert_eq!(now(shown).news, "red: 6 players begin an incantation for level 7");
            assert_eq!(card::cards(shown).len(), 1);
        });
    }

    #[test]
    fn of_incantations_for_the_same_level_cards_tell_the_one_with_the_most_players_first() {
        let mut lines = vec!["0 msz 9 9".to_owned(), "0 tna red".to_owned(), "0 tna gold".to_owned()];
        lines.push("0 ppo #99 0 0 1".to_owned());
        for (number, team) in ["red", "red", "gold", "red", "gold"].into_iter().enumerate() {
            lines.push(format!("5 pnw #{number} {} 1 1 2 {team}", number.min(3)));
        }
        lines.extend((0..3).map(|number| format!("{} pic {number} 1 2 #{number}", 100 + number)));
        lines.push("103 pic 3 1 2 #4 #3".to_owned());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        ScriptedMatch::of(&lines).show(280.0, |shown| {
            let cards = card::cards(shown);
            assert!(cards.iter().any(|card| card.at.x == 3), "{cards:?}");
            assert_eq!(card::running(shown)[0].at.x, 3);
        });
    }

    #[test]
    fn what_runs_has_a_card_beside_two_that_broke_just_now() {
        let mut lines = vec!["0 msz 9 9".to_owned(), "0 tna red".to_owned(), "0 ppo #99 0 0 1".to_owned()];
        for (number, level) in [6, 6, 5].into_iter().enumerate() {
            lines.push(format!("1 pnw #{number} {number} 1 1 {level} red"));
            lines.push(format!("{} pic {number} 1 {level} #{number}", 10 + number));
        }
        lines.extend(["100 pie 0 1 0", "100 pie 1 1 0"].map(str::to_owned));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        ScriptedMatch::of(&lines).show(110.0, |shown| {
            assert!(card::cards(shown).iter().any(|card| card.left.is_some()));
        });
    }

    #[test]
    fn what_may_win_is_told_before_a_push_and_what_breaks_before_that() {
        let mut lines: Vec<String> =
            ["0 msz 9 9", "0 tna red", "0 tna blue", "0 ppo #99 0 0 1"].map(str::to_owned).into();
        lines.extend((0..6).map(|number| format!("5 pnw #{number} 4 4 1 7 red")));
        lines.extend((10..18).map(|number| format!("5 pnw #{number} 1 1 1 2 red")));
        lines.push("5 pnw #20 1 1 2 1 blue".to_owned());
        lines.push("80 pic 1 1 2 #10 #11 #12 #13 #14 #15 #16 #17".to_owned());
        let push = |moved: std::ops::Range<u8>| -> Vec<String> {
            let moved = moved.map(|number| format!("200 ppo #{number} 2 1 1"));
            moved.chain(["200 pex #20".to_owned()]).collect()
        };
        let news = |lines: &[String]| {
            let scene = ScriptedMatch::of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
            scene.show(335.0, |shown| now(shown).news)
        };
        let alone = news(&[&lines[..], &push(10..12)].concat());
        assert!(alone.contains("pushes 2 players"), "{alone}");
        lines.push("90 pic 4 4 7 #0 #1 #2 #3 #4 #5".to_owned());
        let beside = news(&[&lines[..], &push(10..12)].concat());
        assert!(beside.contains("may win"), "{beside}");
        let breaks = news(&[&lines[..], &push(10..18)].concat());
        assert!(breaks.contains("pushes 8 players away and breaks"), "{breaks}");
    }

    #[test]
    fn without_news_it_says_who_leads_and_at_the_end_who_won() {
        let scene = ScriptedMatch::small_match();
        scene.show(290.0, |shown| {
            assert_eq!(now(shown).news, "All are still at level 1");
        });
        scene.show(945.0, |shown| assert_eq!(now(shown).news, "blue takes the lead"));
        scene.show(980.0, |shown| assert_eq!(now(shown).news, "blue has won"));
        let lines = ["0 msz 9 9", "0 tna red", "0 ppo #9 0 0 1", "5 pnw #0 1 1 1 1 red", "900 ppo #9 0 0 1"];
        ScriptedMatch::of(&lines).show(800.0, |shown| {
            assert_eq!(now(shown).news, "1 player at level 1");
        });
    }

    /// What the headline and the closing screen say of a match that ends with these lines.
    fn news_and_reasons(lines: &[&str]) -> (String, String, Vec<String>) {
        let before = ["0 msz 9 9", "0 tna red", "0 tna blue", "0 ppo #9 0 0 1"];
        let scene = ScriptedMatch::of(&[&before[..], lines].concat());
        scene.show(900.0, |shown| {
            let Now { news, also, .. } = now(shown);
            (news, also, shown.story.ended().unwrap().why())
        })
    }

    #[test]
    fn a_tie_is_not_told_as_the_better_team_s_win() {
        let even =
            ["5 pnw #0 1 1 1 1 red", "5 pnw #1 2 2 1 1 blue", "700 plv #0 3", "700 plv #1 3", "800 seg red"];
        let (news, also, facts) = news_and_reasons(&even);
        assert_eq!(
            (news.as_str(), also.as_str()),
            ("red has won", "red won after 8 s, though even with others: a lot, or their order, decided")
        );
        assert_eq!(also, facts[0], "one way to tell it");
        let first = "red and blue were the first to reach level 3, all after 7 s";
        assert!(facts.iter().any(|fact| fact == first), "{facts:?}");
        let mut earlier = even;
        earlier[3] = "701 plv #1 3";
        let (_, also, facts) = news_and_reasons(&earlier);
        assert_eq!(also, "red won after 8 s, even with others but further up before, or there earlier");
        assert!(
            facts.iter().any(|fact| fact == "red was the first to reach level 3, after 7 s"),
            "{facts:?}"
        );
        let joined = ["5 pnw #0 1 1 1 1 red", "6 pnw #1 2 2 1 1 blue", "800 seg red"];
        assert!(news_and_reasons(&joined).1.contains("earlier"));
    }

    #[test]
    fn headline_and_closing_screen_count_the_same_players_at_the_top() {
        let mut lines: Vec<String> = (0..7).map(|n| format!("5 pnw #{n} 1 1 1 8 red")).collect();
        lines.push("800 seg red".to_owned());
        let (_, also, facts) = news_and_reasons(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((also.as_str(), &also), ("red had 7 players at level 8 (6 needed) after 8 s", &facts[0]));
    }

    #[test]
    fn a_winner_that_is_no_team_crowns_nothing() {
        let (news, also, facts) = news_and_reasons(&["5 pnw #0 1 1 1 1 red", "800 seg nobody"]);
        assert_eq!(news, "Nobody has won");
        assert_eq!(also, "It ended after 8 s: the server names “nobody”, which is no team");
        assert_eq!(facts[0], also);
    }

    #[test]
    fn a_live_match_is_over_at_its_end_and_not_in_its_past() {
        let mut scene = ScriptedMatch::small_match();
        scene.origin = Origin::Live {
            address: "h:1".to_owned(),
            trouble: None,
            connected: false,
            rate: 100,
            can_ask: true,
            asked: None,
        };
        scene.show(980.0, |shown| assert_eq!(now(shown).state, HeadlineState::Over));
        if let Origin::Live { connected, .. } = &mut scene.origin {
            *connected = true;
        }
        scene.show(980.0, |shown| assert_eq!(now(shown).state, HeadlineState::Over, "its server stays"));
        scene.time.at_now = false;
        scene.show(400.0, |shown| assert_eq!(now(shown).state, HeadlineState::Past));
    }

    #[test]
    fn trouble_comes_first() {
        let mut scene = ScriptedMatch::small_match();
        scene.origin = Origin::Live {
            address: "h:1".to_owned(),
            trouble: Some("Reconnecting: the port is closed".to_owned()),
            connected: false,
            rate: 100,
            can_ask: true,
            asked: None,
        };
        scene.show(945.0, |shown| {
            let now = now(shown);
            assert!(now.trouble && now.state == HeadlineState::Lost && now.tick.starts_with('≈'));
            assert_eq!(now.news, "Reconnecting: the port is closed");
        });
    }
}
