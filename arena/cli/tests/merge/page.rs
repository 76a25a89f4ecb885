//! `index.html`: complete in itself, safe from what bots are called, and leading to every match.

use std::fs;

use zappy_tournament::outcome::{BotEnd, Cause, Intervention};
use zappy_tournament::report::html;

use super::order::merge;
use super::standings::tell;
use super::synthetic::Night;

/// What stands between the quotation marks of each such attribute.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    page.split(&format!(" {attribute}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_match_is_linked_and_nothing_comes_from_elsewhere() {
    let night = Night::new(&["ada", "bob", "eve"], 2, 3);
    night.play_by_strength(100.0);
    assert!(merge(&night, &[]).status.success());
    let page = fs::read_to_string(night.path().join("merged/index.html")).unwrap();
    for planned in &night.plan {
        for file in ["match.zrec", "result.json", "logs/"] {
            assert!(page.contains(&format!("href=\"../matches/{}/{file}\"", planned.id)), "{file}");
        }
    }
    let links = values(&page, "href");
    assert!(
        links.iter().all(|link| ["#", "../matches/", "times.html#"].iter().any(|way| link.starts_with(way))),
        "{links:?}"
    );
    let ids = values(&page, "id");
    let inner = links.iter().filter_map(|link| link.strip_prefix('#'));
    inner.for_each(|link| assert!(ids.contains(&link), "#{link} leads nowhere"));
    assert!(values(&page, "src").is_empty() && !page.contains("http://") && !page.contains("https://"));
    assert!(!page.contains("url(") && !page.contains("@import"));
    let elsewhere = night.path().join("a b/c");
    assert!(merge(&night, &["--out", elsewhere.to_str().unwrap()]).status.success());
    let page = fs::read_to_string(elsewhere.join("index.html")).unwrap();
    assert!(page.contains(&format!("href=\"../../matches/{}/logs/\"", night.plan[0].id)));
}

#[test]
fn names_and_words_of_bots_stay_words() {
    let names = ["<script>alert(1)</script>", "\"'onload=x", "&amp;"];
    let night = Night::new(&names, 2, 1);
    for planned in &night.plan {
        let mut played = night.likely(planned, 0.0);
        played.disturbed = vec!["<i>\u{202e}late".to_owned()];
        for seat in &mut played.seats {
            (seat.end, seat.end_detail) = (BotEnd::Crashed, Some("</li><script>x</script>\u{1b}".to_owned()));
        }
        night.write(planned, &played);
    }
    let page = tell(&night, |tally| html::page(tally, "../matches", None));
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("&quot;&#39;onload=x"));
    assert!(page.contains("&amp;amp;") && !page.contains("<i>") && !page.contains(['\u{202e}', '\u{1b}']));
    // Tags that are opened are closed, in their order: a page is nearly XML.
    let body = &page[page.find("<body>").unwrap()..page.find("<script>").unwrap()];
    let body = body.replace(" hidden>", " hidden=\"\"/>") + "</body>";
    roxmltree::Document::parse(&body).unwrap();
}

#[test]
fn a_student_reads_what_went_wrong() {
    let night = Night::new(&["ada", "bob"], 2, 40);
    for (i, planned) in night.plan.iter().enumerate() {
        let mut played = night.likely(planned, 100.0);
        let bob = played.seats.iter().position(|seat| night.place(seat.bot) == 1).unwrap();
        let seat = &mut played.seats[bob];
        (seat.late, seat.dropped) = (2, 3);
        seat.details.insert("alive".to_owned(), if i == 0 { 0.into() } else { 4.into() });
        match i {
            1 => (seat.end, seat.end_detail) = (BotEnd::KilledByLimit, Some("512 MiB of memory".to_owned())),
            2 => played.cause = Cause::Arena(Intervention::OutOfTime),
            3.. => seat.end = BotEnd::NeverJoined,
            _ => {}
        }
        night.write(planned, &played);
    }
    let page = tell(&night, |tally| html::page(tally, "../matches", None));
    let bob = &page[page.find(&format!("<details id=\"b-{}", night.book.bots[1].id)).unwrap()..];
    let bob = &bob[..bob.find("</details>").unwrap()];
    for words in [
        "What went wrong in its matches",
        "Once it used more than its limits allow.",
        ", seat 1 of 2: 512 MiB of memory. <a href=",
        "77 times it ran, but never joined.",
        "and 27 more, in matches.csv",
        "Late 158 times</b>, at most 2 times in one match",
        "237 commands dropped",
        "Nobody of the team was alive at the end of 1 match.",
    ] {
        assert!(bob.contains(words), "{words} isn't in {bob}");
    }
    assert!(page.contains("<h2 id=\"unscored\">") && page.contains("cut off by the clock on the wall"));
    assert!(page.contains("None of its programs failed: all played to the end."));
    assert!(page.contains(
        "<p class=\"note\">79 of 80 played, 1 can&#39;t be scored; the ranking is provisional.</p>"
    ));
}

#[test]
fn a_match_that_no_bot_joined_was_ended_by_no_operator() {
    let night = Night::new(&["ada", "bob"], 2, 1);
    for planned in &night.plan {
        let mut played = night.likely(planned, 100.0);
        (played.cause, played.ticks) = (Cause::Game("stopped".to_owned()), 0);
        played.seats.iter_mut().for_each(|seat| seat.end = BotEnd::FailedToStart);
        night.write(planned, &played);
    }
    let page = tell(&night, |tally| html::page(tally, "../matches", None));
    assert_eq!(
        (page.matches("nobody joined").count(), page.matches("operator ended").count()),
        (2, 0),
        "{page}"
    );
}

#[test]
fn forty_bots_fit_the_page() {
    let night = Night::of_forty(1);
    night.play_by_strength(40.0);
    let page = tell(&night, |tally| html::page(tally, "../matches", None));
    // A square for each pair, a line for each bot.
    assert_eq!(page.matches(" % of the points (").count(), 40 * 39);
    assert_eq!(page.matches("<circle ").count(), 40);
    assert!(page.len() < 4 << 20, "{}", page.len());
}
