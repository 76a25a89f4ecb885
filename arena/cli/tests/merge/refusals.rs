//! What isn't a tournament, or not this one's, is refused with file, line and remedy, and nothing changes.

use std::fs;

use serde_json::Value;
use zappy_tournament::outcome::Outcome;

use super::order::merge;
use super::synthetic::Night;

/// Merges, expects to be refused, and returns why.
fn refused(night: &Night, flags: &[&str]) -> String {
    let output = merge(night, flags);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty() && text.lines().count() == 1, "{text}");
    assert!(!night.path().join("merged").exists());
    text
}

fn night() -> Night {
    let night = Night::new(&["ada", "bob", "eve"], 2, 2);
    night.play_by_strength(100.0);
    night
}

#[test]
fn a_folder_that_is_no_tournament() {
    let night = night();
    for name in ["plan.jsonl", "bots.json"] {
        fs::remove_file(night.path().join(name)).unwrap();
        let text = refused(&night, &[]);
        assert!(text.contains(&format!("there is no {name} in it; put it back, or name a folder")), "{text}");
    }
}

#[test]
fn a_plan_that_was_changed_names_its_line() {
    let change = |from: &str, to: &str| {
        let night = night();
        let path = night.path().join("plan.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        let (second, rest) = rest.split_once('\n').unwrap();
        assert!(second.contains(from));
        fs::write(&path, format!("{first}\n{}\n{rest}", second.replacen(from, to, 1))).unwrap();
        let text = refused(&night, &[]);
        assert!(text.contains("plan.jsonl: line 2: ") && text.contains("put a copy of it back"), "{text}");
        text
    };
    assert!(change("\"seed\":1", "\"seed\":9").contains("isn't that of the match beside it"));
    assert!(change("\"width\":20", "\"width\":\"x\"").contains("invalid type"));
    assert!(change("{", "{{").contains("key must be a string"));
    assert!(change("\"pair\"", "\"pear\"").contains("unknown field `pear`"));
    let night = night();
    let path = night.path().join("plan.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{text}")).unwrap();
    assert!(refused(&night, &[]).contains("line 13: the match "));
}

#[test]
fn bots_that_make_no_sense() {
    let night = night();
    let path = night.path().join("bots.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut book: Value = serde_json::from_str(&text).unwrap();
    let [first, last] = [0, 2].map(|i| book["bots"][i]["id"].clone());
    book["bots"][2]["id"] = first;
    fs::write(&path, book.to_string()).unwrap();
    assert!(refused(&night, &[]).contains("bots.json: two bots have the id "));
    book["bots"][2]["id"] = "0000000000000000".into();
    fs::write(&path, book.to_string()).unwrap();
    let stranger = format!("no bot has the id {}", last.as_str().unwrap());
    assert!(refused(&night, &[]).contains(&stranger));
    fs::write(&path, text.replace("\"version\": 1", "\"version\": 2")).unwrap();
    assert!(refused(&night, &[]).contains("bots.json: it is of version 2"));
}

#[test]
fn a_forged_result_is_refused_by_its_name() {
    let forge = |change: &dyn Fn(&mut Outcome), words: &str| {
        let night = night();
        let planned = &night.plan[3];
        let mut played = night.likely(planned, 100.0);
        change(&mut played);
        night.write(planned, &played);
        let text = refused(&night, &[]);
        let file = format!("results/{}.json: ", planned.id);
        assert!(text.contains(&file) && text.contains(words) && text.contains("move it away"), "{text}");
    };
    let other = night().plan[4].id;
    forge(&|played| played.id = other, "it says it is the result of ");
    forge(&|played| played.seats.reverse(), "its seats are ");
    forge(&|played| played.seats.truncate(1), "its seats are ");
    forge(&|played| played.version = 7, "it is of version 7");
    forge(&|played| played.winner = Some(2), "seat 2 has won; the last one is 1");
    forge(&|played| played.seats[0].rank = 3, "is 3; the range is 1 to 2");
    forge(&|played| played.seats.iter_mut().for_each(|seat| seat.rank = 2), "has won, but its rank is 2");
    let night = night();
    fs::write(night.path().join("results/0000000000000000.json"), "{}").unwrap();
    assert!(refused(&night, &[]).contains("0000000000000000.json: no match of the plan has that id"));
    let path = night.result_path(&night.plan[0]);
    fs::remove_file(night.path().join("results/0000000000000000.json")).unwrap();
    fs::write(path, "{\"version\":1").unwrap();
    assert!(refused(&night, &[]).contains("EOF while parsing"));
}

#[test]
fn a_folder_of_somebody_else_is_not_replaced() {
    let night = night();
    let other = night.path().join("mine");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("thesis.txt"), "years").unwrap();
    let text = refused(&night, &["--out", other.to_str().unwrap()]);
    assert!(text.contains("\"thesis.txt\" in there is not of an earlier merge"), "{text}");
    assert_eq!(fs::read_to_string(other.join("thesis.txt")).unwrap(), "years");
}
