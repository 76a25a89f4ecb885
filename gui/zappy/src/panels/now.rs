//! What is happening right now and why it matters, in one or two plain sentences.
//!
//! Chosen by importance from what happened within [`NEWS`] ticks, and what may win just now; other incantations that run
//! are told by their cards alone. Must never need the rules to be understood. Tested in this module and in `tests.rs`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::story::{Happening, TeamIndex, What, strengths};

use super::words::{self, Won};
use crate::scene::card;
use crate::shown::Shown;
use crate::timeline::attempt;
use zappy_observer::app::origin::Origin;
use zappy_observer::panels::kit::{count, number};
use zappy_observer::panels::now::{self as headline, Now};

/// Ticks for which something is news.
const NEWS: Tick = 150;
/// Ticks in which what is over loses a point of its weight.
const FADES: u32 = 3;
/// The weight of an incantation by which a team may win.
const DECIDING: u32 = 102;
/// Happenings that are looked at for news: more than happens within that time, but in the largest matches.
const BUDGET: usize = 1_024;

/// What is happening at the view's moment.
pub fn now(shown: &Shown<'_>) -> Now<TeamIndex> {
    // At an earlier moment the match is not over.
    let state = headline::state(shown.origin, &shown.time, shown.is_over());
    let (team, news, why) = news(shown);
    let leading = leading(shown);
    let also = match why {
        Some(why) => why,
        None if news == leading => format!("{WINNING_PLAYERS} players of a team at level 8 win."),
        None => leading,
    };
    let estimated = matches!(shown.origin, Origin::Live { .. });
    let end = shown.story.chronicle.finish.as_ref().map_or(Tick::MAX, |finish| finish.tick);
    let tick = number(shown.tick().min(end));
    let tick = if estimated { format!("≈ {tick}") } else { tick };
    let paused = !shown.time.playing;
    match headline::trouble(shown.origin) {
        Some(trouble) => Now { state, paused, tick, team: None, also: news, news: trouble, trouble: true },
        None => Now { state, paused, tick, team, news, also, trouble: false },
    }
}

/// Team, sentence, and why it matters.
fn news(shown: &Shown<'_>) -> (Option<TeamIndex>, String, Option<String>) {
    let tick = shown.tick();
    if let Some(ending) = shown.story.chronicle.finish.as_ref().filter(|ending| tick >= ending.tick) {
        let winner = ending.winner.as_ref();
        let says = match winner {
            Some(winner) => format!("{} has won", words::short_name(winner.as_str(), 40)),
            None => "The match is over; nobody has won".to_owned(),
        };
        let team = winner.and_then(|winner| shown.story.roster.team(winner));
        return (team, says, Some(reason(shown, ending.reason.as_deref())));
    }
    let weight = |happening: &Happening| {
        let age = u32::try_from(tick.saturating_sub(happening.tick)).unwrap_or(u32::MAX);
        words::importance(&happening.what).saturating_sub(age / FADES)
    };
    let recent = shown.state.recent.iter().rev().take(BUDGET);
    let fresh = recent.take_while(|happening| happening.tick + NEWS >= tick);
    let best = fresh
        .filter(|happening| weight(happening) > 9)
        .max_by_key(|happening| (weight(happening), happening.tick));
    let deciding = card::running(shown).into_iter().next().filter(|first| first.wins);
    match (best, deciding) {
        (Some(best), deciding) if deciding.is_none() || weight(best) > DECIDING => {
            let team = best.what.team(&shown.story.roster);
            (team, words::say(best, &shown.story.chronicle, &shown.story.roster), why(shown, best))
        }
        (_, Some(deciding)) => {
            let team = deciding.initiator.and_then(|player| shown.story.roster.team_of(player));
            let whose =
                team.map_or_else(|| "a team".to_owned(), |team| words::name(&shown.story.roster, team));
            let left = deciding.left.map(|left| count(left.ceil() as u64, "tick", "ticks"));
            let left = left.map(|left| format!(" in {left}")).unwrap_or_default();
            (
                team,
                format!("{whose} may win{left}"),
                Some(format!("Its incantation brings {}.", deciding.brings)),
            )
        }
        _ => {
            let lead = shown.story.chronicle.lead(tick).and_then(|lead| lead.team);
            (lead, leading(shown), None)
        }
    }
}

/// Why it matters; of a push into an incantation, how many are left of those it needs.
fn why(shown: &Shown<'_>, happening: &Happening) -> Option<String> {
    let there = || shown.state.incantations().iter().find(|running| Some(running.at) == happening.at);
    match (&happening.what, there()) {
        (What::Ejected { out_of_incantation: true, .. }, Some(running)) => {
            let present = attempt::present(shown.state.mirror(), running);
            let heads = words::heads(present, attempt::needed(running.level));
            Some(format!("Off its tile a player has no part in it: {heads}."))
        }
        (what, _) => words::why(what),
    }
}

/// Which team leads, and with what.
fn leading(shown: &Shown<'_>) -> String {
    let strengths = strengths(shown.state.mirror(), &shown.story.roster);
    let Some(best) = strengths.iter().filter(|strength| strength.alive() > 0).max_by_key(|s| s.rank()) else {
        return "Waiting for players".to_owned();
    };
    let high = best.highest();
    let there = words::players(best.levels[usize::from(high.max(1)) - 1]);
    match shown.story.chronicle.lead(shown.tick()).and_then(|lead| lead.team) {
        Some(team) => format!("{} leads: {there} at level {high}", words::name(&shown.story.roster, team)),
        None if strengths.len() > 1 => {
            format!("Nobody leads: the first teams have {there} at level {high} each")
        }
        None => format!("{there} at level {high}"),
    }
}

/// Why the match ended, in words, as far as it was told or can be counted.
fn reason(shown: &Shown<'_>, reason: Option<&str>) -> String {
    match (words::won(&shown.story.chronicle, &shown.story.roster), reason) {
        (Some(Won::Goal(top)), _) => format!("It has {}.", words::at_top(top)),
        (Some(Won::Best), Some("time")) => "The time was over: the best team wins.".to_owned(),
        (Some(Won::Best), _) => {
            format!("{WINNING_PLAYERS} players at level 8 win; when time is over, the best team does.")
        }
        (Some(Won::Further), _) => {
            "The best teams were even; it had been further up, or there earlier.".to_owned()
        }
        (Some(Won::Even), _) => "The best teams were even: a lot, or their order, decided.".to_owned(),
        (None, Some("time")) => "The time was over before anyone played.".to_owned(),
        (None, Some("extinction")) => "Nobody was left alive.".to_owned(),
        (None, Some("stopped")) => "The match was stopped.".to_owned(),
        (None, Some(reason)) => format!("Told was: {reason}."),
        (None, None) => "The server named no winner.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;
    use zappy_observer::panels::now::HeadlineState;

    /// Six of red hold an incantation for level 8, or for another one, from tick 100 on.
    fn six_of_level(level: u8) -> ToldMatch {
        let mut lines: Vec<String> = ["0 msz 9 9", "0 tna red", "0 ppo #99 0 0 1"].map(str::to_owned).into();
        lines.extend((0..6).map(|number| format!("5 pnw #{number} 1 1 1 {level} red")));
        lines.push(format!("100 pic 1 1 {level} #0 #1 #2 #3 #4 #5"));
        ToldMatch::told(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn an_incantation_that_may_win_is_the_news_and_says_how_long_and_another_has_its_card_alone() {
        six_of_level(7).show(280.0, |shown| {
            let now = now(shown);
            assert_eq!(now.news, "red may win in 120 ticks");
            assert_eq!(now.also, "Its incantation brings 6 at level 8 (6 needed): it wins.");
            assert_eq!(now.team, Some(TeamIndex(0)));
        });
        six_of_level(6).show(280.0, |shown| {
            assert_eq!(now(shown).news, "red leads: 6 players at level 6");
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
        ToldMatch::told(&lines).show(280.0, |shown| {
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
        ToldMatch::told(&lines).show(110.0, |shown| {
            assert!(card::cards(shown).iter().any(|card| card.left.is_some()));
        });
    }

    #[test]
    fn what_is_over_goes_once_something_newer_of_its_weight_happens() {
        let lines = [
            "0 msz 9 9",
            "0 tna red",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 1 red",
            "5 pnw #1 2 2 1 1 red",
            "300 pdi #0",
            "301 pdi #1",
            "400 ppo #9 0 0 1",
        ];
        ToldMatch::told(&lines).show(301.0, |shown| assert!(now(shown).news.contains("#1 of level 1")));
    }

    #[test]
    fn a_push_says_less_than_an_incantation_that_may_win() {
        let mut lines: Vec<String> = ["0 msz 9 9", "0 tna red", "0 ppo #99 0 0 1"].map(str::to_owned).into();
        lines.extend((0..6).map(|number| format!("5 pnw #{number} 4 4 1 7 red")));
        lines.extend((10..18).map(|number| format!("5 pnw #{number} 1 1 1 2 red")));
        lines.push("5 pnw #20 1 1 2 1 red".to_owned());
        let push = (10..18).map(|number| format!("200 ppo #{number} 2 1 1"));
        let push: Vec<String> = push.chain(["200 pex #20".to_owned()]).collect();
        let news = |lines: &[String]| {
            let scene = ToldMatch::told(&lines.iter().map(String::as_str).collect::<Vec<_>>());
            scene.show(205.0, |shown| now(shown).news)
        };
        let alone = news(&[&lines[..], &push].concat());
        assert!(alone.contains("pushes"), "{alone}");
        lines.push("90 pic 4 4 7 #0 #1 #2 #3 #4 #5".to_owned());
        let beside = news(&[&lines[..], &push].concat());
        assert!(beside.contains("may win"), "{beside}");
    }

    #[test]
    fn without_news_it_says_who_leads_and_at_the_end_who_won() {
        let scene = ToldMatch::small_match();
        scene.show(945.0, |shown| assert_eq!(now(shown).news, "blue leads: 1 player at level 3"));
        scene.show(710.0, |shown| assert_eq!(now(shown).news, "blue: #2 of level 1 starved"));
        scene.show(980.0, |shown| assert_eq!(now(shown).news, "blue has won"));
    }

    /// What the headline and the closing screen say of a match that ends with these lines.
    fn told_of_the_end(lines: &[&str]) -> (String, String, Vec<String>) {
        let before = ["0 msz 9 9", "0 tna red", "0 tna blue", "0 ppo #9 0 0 1"];
        let scene = ToldMatch::told(&[&before[..], lines].concat());
        scene.show(900.0, |shown| {
            let Now { news, also, .. } = now(shown);
            (news, also, crate::panels::facts::why(&shown.story.chronicle, &shown.story.roster))
        })
    }

    #[test]
    fn a_tie_is_not_told_as_the_better_team_s_win() {
        let even =
            ["5 pnw #0 1 1 1 1 red", "5 pnw #1 2 2 1 1 blue", "700 plv #0 3", "700 plv #1 3", "800 seg red"];
        let (news, also, facts) = told_of_the_end(&even);
        assert_eq!(
            (news.as_str(), also.as_str()),
            ("red has won", "The best teams were even: a lot, or their order, decided.")
        );
        assert_eq!(facts[0], "red won at tick 800, though even with others: a lot, or their order, decided");
        let first = "red and blue were the first to reach level 3, all at tick 700";
        assert!(facts.iter().any(|fact| fact == first), "{facts:?}");
        let mut earlier = even;
        earlier[3] = "701 plv #1 3";
        let (_, also, facts) = told_of_the_end(&earlier);
        assert_eq!(also, "The best teams were even; it had been further up, or there earlier.");
        assert!(
            facts.iter().any(|fact| fact == "red was the first to reach level 3, at tick 700"),
            "{facts:?}"
        );
        let joined = ["5 pnw #0 1 1 1 1 red", "6 pnw #1 2 2 1 1 blue", "800 seg red"];
        assert!(told_of_the_end(&joined).1.contains("earlier"));
    }

    #[test]
    fn headline_and_closing_screen_count_the_same_players_at_the_top() {
        let mut lines: Vec<String> = (0..7).map(|n| format!("5 pnw #{n} 1 1 1 8 red")).collect();
        lines.push("800 seg red".to_owned());
        let (_, also, facts) = told_of_the_end(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(also, "It has 7 players at level 8 (6 needed).");
        assert_eq!(facts[0], "red had 7 players at level 8 (6 needed) at tick 800");
    }

    #[test]
    fn a_winner_that_is_no_team_crowns_nothing() {
        let (news, also, facts) = told_of_the_end(&["5 pnw #0 1 1 1 1 red", "800 seg nobody"]);
        assert_eq!(news, "The match is over; nobody has won");
        assert_eq!(also, "Told was: the server names “nobody”, which is no team.");
        assert_eq!(facts[0], "Nobody won: it ended at tick 800");
    }

    #[test]
    fn a_live_match_is_over_at_its_end_and_not_in_its_past() {
        let mut scene = ToldMatch::small_match();
        scene.origin = Origin::Live {
            address: "h:1".to_owned(),
            trouble: None,
            connected: false,
            rate: 100,
            asked: None,
        };
        scene.show(980.0, |shown| assert_eq!(now(shown).state, HeadlineState::Over));
        scene.time.at_now = false;
        scene.show(400.0, |shown| assert_eq!(now(shown).state, HeadlineState::Past));
    }

    #[test]
    fn trouble_comes_first() {
        let mut scene = ToldMatch::small_match();
        scene.origin = Origin::Live {
            address: "h:1".to_owned(),
            trouble: Some("Reconnecting: the port is closed".to_owned()),
            connected: false,
            rate: 100,
            asked: None,
        };
        scene.show(945.0, |shown| {
            let now = now(shown);
            assert!(now.trouble && now.state == HeadlineState::Lost && now.tick.starts_with('≈'));
            assert_eq!(now.news, "Reconnecting: the port is closed");
        });
    }
}
