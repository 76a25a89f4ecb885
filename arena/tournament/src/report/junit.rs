//! `junit.xml`: a suite per bot and a case per opponent, for the tools that show tests.
//!
//! No time and no name of a machine gets into it. Tested in `arena/cli/tests/merge/`.

use std::ops::Range;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use zappy_protocol::text::many;

use super::opponents;
use super::terminal::times_words;
use crate::outcome::BotEnd;
use crate::tally::{Ranked, Score, Tally};
use crate::verdict::needed;

/// The file, of these bots by their places in the book. A case is passed by a share of `pass` of the points against the
/// opponent, or by more than half if `pass` is one half. It is failed by less, or if too few matches were won by one of
/// the two, and skipped if nothing was played.
pub fn render(tally: &Tally<'_>, bots: Range<usize>, pass: f64) -> String {
    let mut report = Report::new("zappy_arena tournament");
    for bot in bots {
        let standing = tally.standings.iter().find(|standing| standing.bot == bot);
        report.add_test_suites(standing.map(|standing| suite(tally, standing, pass)));
    }
    // Writing to a string cannot fail.
    report.to_string().unwrap_or_default()
}

fn suite(tally: &Tally<'_>, standing: &Ranked, pass: f64) -> TestSuite {
    let bot = &tally.book.bots[standing.bot];
    let mut suite = TestSuite::new(bot.name.as_str());
    let (low, high) = standing.rating.interval();
    let properties = [
        ("id", bot.id.to_string()),
        ("rating", format!("{:.1}", standing.rating.value)),
        ("rating_interval", format!("{low:.1} to {high:.1}")),
        ("matches", standing.matches.to_string()),
        ("marked", standing.marked.to_string()),
        ("progress", tally.progress()),
    ];
    suite.add_properties(properties.map(|(name, value)| (name.to_owned(), value)));
    let opponents = opponents(tally, standing.bot);
    suite.add_test_cases(opponents.map(|(other, score)| against(&bot.name, tally.name(other), score, pass)));
    let words = |(end, count): (BotEnd, u64)| {
        format!("{} it {}. {}\n", times_words(count), end.words(), end.advice(tally.game.manual))
    };
    let faults: String = standing.bad_ends_by_kind().map(words).collect();
    if !faults.is_empty() {
        suite.set_system_err(faults);
    }
    suite
}

/// The case of a bot against another one. It says the score, the share that is needed, and whether chance alone could
/// make the difference.
fn against(bot: &str, other: &str, score: Score, pass: f64) -> TestCase {
    let name = format!("against {other}");
    let Some(share) = score.share() else {
        let words = "no match of the two was scored";
        let mut case = case(bot, name, None);
        case.status = TestCaseStatus::skipped();
        case.status.set_message(words);
        case.set_system_out(words);
        return case;
    };
    let (low, high) = score.by_seed.interval();
    let Score { wins, draws, losses, .. } = score;
    let needed = needed(pass);
    let sure = if !score.is_decided() {
        "not decided, since too few matches were won: let them last longer"
    } else if (low..=high).contains(&pass) {
        "the interval holds the threshold, so more matches could turn this round"
    } else {
        "the interval is clear of the threshold"
    };
    let words = format!(
        "{share:.3} of the points, 95 % interval {low:.3} to {high:.3}, of {} (won {wins}, drawn {draws}, lost \
         {losses}); {needed} is needed; {sure}",
        many(score.count(), "result"),
    );
    let failure = if share >= pass && !score.is_decided() { "not decided" } else { "too few points" };
    let passes = score.passes(0, pass) && score.is_decided();
    let mut case = case(bot, name, (!passes).then_some((NonSuccessKind::Failure, failure, words.as_str())));
    case.set_system_out(words);
    case
}

/// A case of that bot. `failure`: the kind, the type and the words of a case that isn't passed.
pub fn case(bot: &str, name: String, failure: Option<(NonSuccessKind, &str, &str)>) -> TestCase {
    let mut status = TestCaseStatus::success();
    if let Some((kind, type_name, words)) = failure {
        status = TestCaseStatus::non_success(kind);
        status.set_message(words).set_type(type_name);
    }
    let mut case = TestCase::new(name, status);
    case.set_classname(bot);
    case
}
