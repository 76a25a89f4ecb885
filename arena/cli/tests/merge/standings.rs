//! How strong bots are, which share a place, what is marked and what is listed and not scored.

use serde_json::Value;
use zappy_tournament::compare::count::Half;
use zappy_tournament::outcome::{BotEnd, Cause, Intervention};
use zappy_tournament::reading::Tournament;
use zappy_tournament::report::{csv, html, json, terminal};
use zappy_tournament::tally::Tally;

use super::synthetic::{GAMES, Night, details};

/// What is made of a night.
pub fn tell<T>(night: &Night, of: impl FnOnce(&Tally<'_>) -> T) -> T {
    let tournament = Tournament::read(night.path(), GAMES).unwrap();
    of(&Tally::new(&tournament))
}

pub fn ranking(night: &Night) -> Value {
    serde_json::from_str(&tell(night, json::ranking)).unwrap()
}

fn names(ranking: &Value) -> Vec<&str> {
    ranking["ranking"].as_array().unwrap().iter().map(|bot| bot["name"].as_str().unwrap()).collect()
}

#[test]
fn the_stronger_stand_higher_and_more_matches_tell_more() {
    let few = Night::new(&["ada", "bob", "eve"], 2, 10);
    few.play_by_strength(200.0);
    let many = Night::new(&["ada", "bob", "eve"], 2, 250);
    many.play_by_strength(200.0);
    let width = |ranking: &Value, i: usize| {
        let interval = &ranking["ranking"][i]["rating_interval"];
        interval[1].as_f64().unwrap() - interval[0].as_f64().unwrap()
    };
    let (few, many) = (ranking(&few), ranking(&many));
    assert_eq!(names(&many), ["ada", "bob", "eve"]);
    for i in 0..3 {
        assert!(width(&many, i) < width(&few, i) / 3.0, "{many:#}");
    }
    // As strong as they are: 200 points apart, the middle one average.
    for (i, truth) in [1_700.0, 1_500.0, 1_300.0].into_iter().enumerate() {
        let rating = many["ranking"][i]["rating"].as_f64().unwrap();
        assert!((rating - truth).abs() < 50.0, "{rating} {truth}");
    }
    assert_eq!(many["provisional"], false);
    assert_eq!(many["ranking"][0]["places"], serde_json::json!([1, 1]));
}

#[test]
fn forty_bots_come_out_in_about_their_order() {
    let night = Night::of_forty(1);
    night.play_by_strength(40.0);
    let ranking = ranking(&night);
    let names = names(&ranking);
    assert_eq!(names.len(), 40);
    for (place, name) in names.iter().enumerate() {
        let truth: usize = name.trim_start_matches("student-").parse().unwrap();
        assert!(truth.abs_diff(place + 1) <= 10, "{name} is at place {}", place + 1);
    }
    let text = tell(&night, terminal::render);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn who_is_equal_shares_a_place() {
    let night = Night::new(&["ada", "bob", "eve"], 2, 2);
    for planned in &night.plan {
        let places: Vec<usize> = planned.seats.iter().map(|&id| night.place(id)).collect();
        // Eve loses to both; ada and bob always end in a lot, which favours ada.
        let order = if places[0] < places[1] { [0, 1] } else { [1, 0] };
        let mut played = night.ended(planned, &order);
        if !places.contains(&2) {
            played.by_lot = true;
            played.cause = Cause::Game("time".to_owned());
            for seat in &mut played.seats {
                seat.details = details([0, 0, 0, 6, 0, 0, 0, 0], 4, 6);
            }
        }
        night.write(planned, &played);
    }
    let ranking = ranking(&night);
    let of = |i: usize, key: &str| ranking["ranking"][i][key].clone();
    assert_eq!((of(0, "place"), of(1, "place"), of(2, "place")), (1.into(), 1.into(), 3.into()));
    assert_eq!((of(0, "tied"), of(1, "tied"), of(2, "tied")), (true.into(), true.into(), false.into()));
    assert_eq!((of(0, "draws"), of(0, "wins"), of(0, "points")), (4.into(), 4.into(), 6.0.into()));
    let text = tell(&night, terminal::render);
    assert!(text.contains("\n   1=  ada ") && text.contains("\n   1=  bob "), "{text}");
    assert!(text.contains("\n    3  eve "), "{text}");
    let page = tell(&night, |tally| html::page(tally, "../matches", None));
    let drawn: Vec<&str> = page.lines().filter(|line| line.contains("a draw: a lot put the first")).collect();
    assert_eq!(drawn.len(), 4, "{page}");
    assert!(drawn.iter().all(|line| line.contains("ada = bob") && !line.contains("<b>")), "{drawn:?}");
}

#[test]
fn of_more_teams_each_pair_is_compared() {
    let night = Night::new(&["ada", "bob", "eve", "kim"], 3, 40);
    night.play_by_strength(250.0);
    let ranking = ranking(&night);
    assert_eq!(names(&ranking), ["ada", "bob", "eve", "kim"]);
    let ada = &ranking["ranking"][0];
    // Three sets of three hold it, in three rotations of forty seeds.
    assert_eq!((&ada["matches"], ada["opponents"].as_array().unwrap().len()), (&360.into(), 3));
    let count = |key: &str| ada[key].as_u64().unwrap();
    assert_eq!(count("wins") + count("losses") + count("draws"), 720);
    let points: f64 =
        ranking["ranking"].as_array().unwrap().iter().map(|bot| bot["points"].as_f64().unwrap()).sum();
    // Whole, half, nothing: one point and a half in each match.
    assert!((points - 1.5 * night.plan.len() as f64).abs() < 1e-6, "{points}");
}

#[test]
fn what_is_missing_is_told_and_what_failed_is_listed_and_not_scored() {
    let night = Night::new(&["ada", "bob", "eve"], 2, 5);
    // The runner writes no result of a match that failed.
    let [cut, failed, disturbed, other] = [0, 1, 2, 3].map(|i| &night.plan[i]);
    for planned in night.plan[..20].iter().filter(|planned| planned.id != failed.id) {
        let mut played = night.likely(planned, 100.0);
        if planned.id == cut.id {
            played.cause = Cause::Arena(Intervention::OutOfTime);
        } else if planned.id == disturbed.id {
            played.disturbed.push("the server was 200 ms late".to_owned());
        } else if planned.id == other.id {
            played.reproducible = false;
            played.seats[0].end = BotEnd::Crashed;
            played.seats[0].end_detail = Some("exit code 1".to_owned());
            played.seats[1].late = 7;
        }
        night.write(planned, &played);
    }
    let ranking = ranking(&night);
    assert_eq!((&ranking["planned"], &ranking["scored"]), (&30.into(), &18.into()));
    assert_eq!(ranking["provisional"], true);
    let listed: Vec<&str> =
        ranking["not_scored"].as_array().unwrap().iter().map(|m| m["outcome"].as_str().unwrap()).collect();
    assert_eq!(listed, ["out_of_time"]);
    let sum = |key: &str| {
        ranking["ranking"].as_array().unwrap().iter().map(|bot| bot[key].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!((sum("matches"), sum("marked"), sum("not_scored"), sum("late")), (36, 4, 2, 7));
    let crashed = |bot: &Value| bot["ends"]["crashed"].as_u64().unwrap();
    assert_eq!(ranking["ranking"].as_array().unwrap().iter().map(crashed).sum::<u64>(), 1);
    let text = tell(&night, terminal::render);
    assert!(text.starts_with("18 of 30 played, 1 can't be scored; the ranking is provisional\n"), "{text}");
    assert!(text.contains(": once broke off during the match\n"), "{text}");
    assert!(text.contains(&format!("{}: cut off by the clock on the wall\n", cut.id)), "{text}");
}

#[test]
fn nobody_has_played_yet() {
    let night = Night::new(&["ada", "bob"], 2, 1);
    std::fs::remove_dir(night.path().join("results")).unwrap();
    let text = tell(&night, terminal::render);
    assert!(text.starts_with("0 of 2 played; the ranking is provisional\n"), "{text}");
    assert!(text.contains("   1=  ada "), "{text}");
}

#[test]
fn a_match_without_a_winner_is_a_draw_for_rankings_and_comparisons_alike() {
    let night = Night::new(&["ada", "bob"], 2, 10);
    for planned in &night.plan {
        let ada = usize::from(night.place(planned.seats[0]) != 0);
        // The places put ada first, who also got farther.
        let mut played = night.ended(planned, &[ada, 1 - ada]);
        (played.cause, played.winner) = (Cause::Game("extinction".to_owned()), None);
        assert_eq!(Half::of(&played, ada, GAMES.specs.first().unwrap()).points, Some(1));
        night.write(planned, &played);
    }
    let text = String::from_utf8(tell(&night, csv::head_to_head)).unwrap();
    assert!(text.contains("\nada,") && text.lines().nth(1).unwrap().contains(",0,20,0,"), "{text}");
    let ranking = ranking(&night);
    assert_eq!((&ranking["ranking"][0]["draws"], &ranking["ranking"][0]["tied"]), (&20.into(), &true.into()));
}

#[test]
fn of_more_teams_only_those_between_which_a_lot_decided_are_even() {
    let night = Night::new(&["ada", "bob", "eve"], 3, 1);
    for planned in &night.plan {
        let order = [0, 1, 2].map(|bot| planned.seats.iter().position(|&id| night.place(id) == bot).unwrap());
        let mut played = night.ended(planned, &order);
        played.by_lot = true;
        night.write(planned, &played);
    }
    let text = String::from_utf8(tell(&night, csv::head_to_head)).unwrap();
    let counts = |pair: &str| {
        let row = text.lines().find(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            format!("{} {}", cells[0], cells[2]) == pair
        });
        row.unwrap().split(',').skip(4).take(3).collect::<Vec<_>>().join(" ")
    };
    let told = ["ada bob", "bob ada", "ada eve", "bob eve"].map(counts);
    assert_eq!(told, ["0 3 0", "0 3 0", "3 0 0", "0 3 0"], "bob and eve got equally far\n{text}");
}

#[test]
fn results_that_went_one_way_are_said_to_be_that() {
    let night = Night::new(&["ada", "bob", "eve"], 2, 10);
    for planned in &night.plan {
        let strongest = usize::from(night.place(planned.seats[0]) > night.place(planned.seats[1]));
        let among_two = !planned.seats.iter().any(|&id| night.place(id) == 0);
        // Ada always wins; bob and eve win by turns.
        let winner = if among_two { (planned.seed.unwrap_or_default() % 2) as usize } else { strongest };
        night.write(planned, &night.ended(planned, &[winner, 1 - winner]));
    }
    let ranking = ranking(&night);
    let told = [0, 1, 2].map(|place| ranking["ranking"][place]["outclassed"].clone());
    assert_eq!((names(&ranking)[0], told), ("ada", [false, true, false].map(Value::from)));
    let text = tell(&night, terminal::render);
    let words = "\none-sided: none below took a point off any above, so how far these lie apart is a guess:\n  ada, and from";
    assert!(text.contains(words) && text.matches("on down").count() == 1, "{text}");
    assert!(
        tell(&night, |tally| html::page(tally, "m", None)).contains("One-sided: none below took a point")
    );
}

#[test]
fn who_held_a_match_up_is_behind_also_when_all_got_equally_far() {
    let night = Night::new(&["ada", "bob"], 2, 1);
    for planned in &night.plan {
        let bob = planned.seats.iter().position(|&id| night.place(id) == 1).unwrap();
        let mut played = night.ended(planned, &[1 - bob, bob]);
        (played.cause, played.winner) = (Cause::Arena(Intervention::Stalled), Some(1 - bob));
        for seat in &mut played.seats {
            seat.details = details([6, 0, 0, 0, 0, 0, 0, 0], 1, 6);
        }
        played.seats[bob].end = BotEnd::Late;
        night.write(planned, &played);
    }
    let text = String::from_utf8(tell(&night, csv::head_to_head)).unwrap();
    assert!(text.contains("\nada,") && text.lines().nth(1).unwrap().contains(",2,0,0,"), "{text}");
}

#[test]
fn a_spreadsheet_runs_nothing_and_every_row_has_all_its_cells() {
    let night = Night::new(&["=1+1", "@a,\"b\"", "Ünïcode"], 2, 1);
    night.play_by_strength(0.0);
    for table in [tell(&night, csv::ranking), tell(&night, csv::head_to_head), tell(&night, csv::matches)] {
        let mut reader = ::csv::Reader::from_reader(&table[..]);
        let head = reader.headers().unwrap().len();
        let mut rows = 0;
        for row in reader.records() {
            let row = row.unwrap();
            rows += 1;
            assert_eq!(row.len(), head);
            assert!(row.iter().all(|cell| !cell.starts_with(['=', '@', '+'])), "{row:?}");
        }
        assert!(rows >= 3);
        let text = String::from_utf8(table).unwrap();
        assert!(text.contains("'=1+1") && text.contains("\"'@a,\"\"b\"\"\""), "{text}");
    }
}
