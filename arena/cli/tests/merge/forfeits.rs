//! Matches that can't be scored: lost by the bot that spoiled them, nothing for all others, and told of each bot.

use std::fs;

use serde_json::{Value, json};
use zappy_tournament::outcome::{Cause, Intervention};
use zappy_tournament::plan::Planned;
use zappy_tournament::report::{csv, html, terminal};

use super::standings::{ranking, tell};
use super::synthetic::Night;

const EVE: usize = 2;

/// How a match of eve's ends that isn't scored.
#[derive(Clone, Copy, PartialEq)]
enum Spoiled {
    /// The stronger wins, as in any other.
    No,
    /// Nothing proves it, and it isn't known why.
    Unknown,
    /// Nothing proves it, since eve used up the disk.
    ByUse,
    /// It failed, and eve used up the disk.
    Failed,
    /// Something ended its server when eve stood behind.
    Killed,
    /// It failed, and both used up the disk.
    ByBoth,
}

/// Ten seeds, of which the stronger wins all; but for her wins, eve's matches end so.
fn night(spoiled: Spoiled) -> Night {
    let night = Night::new(&["ada", "bob", "eve", "fay"], 2, 10);
    for planned in &night.plan {
        let places = [0, 1].map(|seat| night.place(planned.seats[seat]));
        let first = usize::from(places[0] > places[1]);
        let played = night.ended(planned, &[first, 1 - first]);
        match places.iter().position(|&place| place == EVE) {
            Some(eve) if eve != first && spoiled != Spoiled::No => spoil(&night, planned, eve, spoiled),
            _ => night.write(planned, &played),
        }
    }
    night
}

fn spoil(night: &Night, planned: &Planned, eve: usize, spoiled: Spoiled) {
    if matches!(spoiled, Spoiled::Unknown | Spoiled::ByUse) {
        let mut played = night.ended(planned, &[0, 1]);
        (played.cause, played.winner) = (Cause::Arena(Intervention::Unproved), None);
        played.seats.iter_mut().for_each(|seat| seat.rank = 0);
        played.unproved = Some("nothing proves the match".to_owned());
        played.spoiled_by = if spoiled == Spoiled::ByUse { vec![eve] } else { Vec::new() };
        return night.write(planned, &played);
    }
    let mut failure = json!({ "id": planned.id, "why": "no space", "tries": 3 });
    match spoiled {
        Spoiled::Killed => failure["gained"] = json!([eve]),
        Spoiled::ByBoth => failure["spoiled_by"] = json!([0, 1]),
        _ => failure["spoiled_by"] = json!([eve]),
    }
    let folder = night.path().join("failed");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{}.json", planned.id)), failure.to_string()).unwrap();
}

fn bot<'a>(ranking: &'a Value, name: &str) -> &'a Value {
    ranking["ranking"].as_array().unwrap().iter().find(|bot| bot["name"] == name).unwrap()
}

#[test]
fn a_match_that_a_bot_spoiled_is_lost_by_it_and_nothing_for_all_others() {
    let (played, unknown) = (ranking(&night(Spoiled::No)), ranking(&night(Spoiled::Unknown)));
    // She escapes 40 defeats, and all that is left are her wins.
    assert_eq!(
        (&bot(&unknown, "eve")["losses"], &bot(&unknown, "eve")["not_scored"]),
        (&0.into(), &40.into())
    );
    for spoiled in [Spoiled::ByUse, Spoiled::Failed, Spoiled::Killed] {
        let told = ranking(&night(spoiled));
        let (eve, honest) = (bot(&told, "eve"), bot(&played, "eve"));
        for key in ["matches", "points", "wins", "losses", "points_per_match", "points_interval"] {
            assert_eq!(eve[key], honest[key], "{key}");
        }
        assert_eq!((&eve["forfeited"], &eve["not_scored"]), (&40.into(), &0.into()));
        let rating = |ranking: &Value, name: &str| bot(ranking, name)["rating"].as_f64().unwrap();
        assert!((rating(&told, "eve") - rating(&played, "eve")).abs() < 60.0, "{told:#}");
        assert!(rating(&told, "eve") < rating(&unknown, "eve") - 200.0, "{told:#}");
        for name in ["ada", "bob", "fay"] {
            for key in ["rating", "rating_interval", "matches", "points", "wins", "losses", "not_scored"] {
                assert_eq!(bot(&told, name)[key], bot(&unknown, name)[key], "{name}: {key}");
            }
        }
        assert_eq!(told["scored"], unknown["scored"]);
        assert_eq!(told["not_scored"][0]["lost_by"], json!([eve["id"]]));
    }
}

#[test]
fn a_match_that_all_of_its_bots_spoiled_tells_nothing() {
    let told = ranking(&night(Spoiled::ByBoth));
    let unknown = ranking(&night(Spoiled::Unknown));
    assert_eq!(told["ranking"], unknown["ranking"]);
    assert_eq!(told["not_scored"][0]["lost_by"], json!([]));
}

#[test]
fn the_table_and_the_page_tell_of_each_bot_what_is_not_scored() {
    let spoiled = night(Spoiled::Failed);
    let (text, page) =
        (tell(&spoiled, terminal::render), tell(&spoiled, |tally| html::page(tally, "m", None)));
    for words in [
        "eve: not scored, and counted as lost, since it spoiled them: 40 matches",
        "ada: not scored, and counted for nothing: 20 matches",
        "; counts as lost by eve",
    ] {
        assert!(text.contains(words), "{words} isn't in {text}");
        assert!(page.contains(words), "{words} isn't on the page");
    }
    assert!(text.starts_with("80 of 120 played, 40 can't be scored; the ranking is provisional\n"), "{text}");
    assert!(text.lines().take(8).all(|line| line.chars().count() <= 100), "{text}");
    let row = |name: &str| {
        let line = text.lines().find(|line| line.split_whitespace().nth(1) == Some(name)).unwrap();
        line.split_whitespace().rev().nth(2).unwrap().to_owned()
    };
    assert_eq!(["ada", "bob", "eve", "fay"].map(row), ["20", "20", "0", "0"], "{text}");
    let table = String::from_utf8(tell(&spoiled, csv::ranking)).unwrap();
    assert!(table.lines().next().unwrap().contains(",not_scored,forfeited,"), "{table}");

    let alone = Night::new(&["ada", "bob"], 2, 1);
    alone.plan.iter().for_each(|planned| spoil(&alone, planned, 0, Spoiled::ByBoth));
    let text = tell(&alone, terminal::render);
    let words =
        "bob: not scored, and counted for nothing (no other is scored: its place says nothing): 2 matches";
    assert!(text.contains(words), "{text}");
}
