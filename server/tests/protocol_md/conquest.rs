//! The tables and the grammar of `conquest.md` say what the constants and the code say.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use zappy_game_conquest::SPEC;
use zappy_protocol::conquest::player::{PlayerLine, UnitOrderKind};
use zappy_protocol::conquest::{Building, UnitType, constants};

use super::read;
use super::tables::{number, strings_of, table};

fn conquest_md() -> String {
    read("conquest.md")
}

#[test]
fn numbers_of_the_game() {
    let rows = table(&conquest_md(), "| number of the game |");
    let said: Vec<u64> = rows.iter().map(|row| number(&row[1])).collect();
    let right = [
        u64::from(constants::DEFAULT_TURNS),
        constants::DEFAULT_TURN_TIME.into(),
        constants::START_GOLD,
        constants::CONQUER_SCORE.unsigned_abs(),
        constants::CONQUER_RESOURCE_SCORE.unsigned_abs(),
        constants::NEUTRALIZE_SCORE.unsigned_abs(),
        constants::KILL_SCORE.unsigned_abs(),
        constants::LARGEST_LAND_SCORE.unsigned_abs(),
        constants::UNPAID_PENALTY.unsigned_abs(),
        constants::LATE_PENALTY.unsigned_abs(),
        constants::LINES_BASE.into(),
    ];
    assert_eq!(said, right);
}

#[test]
fn units() {
    let rows = table(&conquest_md(), "| unit | gold |");
    assert_eq!(rows.len(), UnitType::ALL.len());
    for (row, kind) in rows.iter().zip(UnitType::ALL) {
        let numbers = kind.numbers();
        let right = [
            numbers.gold,
            numbers.turns.into(),
            numbers.health.into(),
            numbers.damage.into(),
            numbers.upkeep,
            numbers.build_score.unsigned_abs(),
        ];
        assert_eq!(row[0], kind.name());
        assert_eq!(row[1..].iter().map(|cell| number(cell)).collect::<Vec<_>>(), right, "{kind}");
    }
}

#[test]
fn orders_of_units() {
    let rows = table(&conquest_md(), "| order | who |");
    assert_eq!(rows.len(), UnitOrderKind::ALL.len());
    for (row, order) in rows.iter().zip(UnitOrderKind::ALL) {
        assert_eq!(row[0].split(' ').next(), Some(order.name()));
        let who = |kind: &UnitType| kind.name()[..1].to_uppercase();
        let able: Vec<String> = UnitType::ALL.iter().filter(|kind| order.fits(**kind)).map(who).collect();
        let right = if able.len() == UnitType::ALL.len() { "all".to_owned() } else { able.join(" ") };
        assert_eq!(row[1], right, "{order}");
    }
}

#[test]
fn buildings() {
    let rows = table(&conquest_md(), "| building | wood |");
    let mut named = 0;
    for row in rows {
        for name in row[0].split(", ") {
            let building = Building::parse(name.as_bytes()).unwrap_or_else(|| panic!("no building {name}"));
            named += 1;
            assert_eq!(number(&row[1]), constants::building_wood(building), "{name}");
            let upkeep = if row[2].is_empty() { 0 } else { number(&row[2]) };
            assert_eq!(upkeep, constants::building_upkeep(building), "{name}");
        }
    }
    assert_eq!(named, Building::ALL.len());
}

#[test]
fn reasons_of_the_end() {
    let rows = table(&conquest_md(), "| reason | the match ended because |");
    let said: Vec<(&str, &str)> = rows.iter().map(|row| (row[0].as_str(), row[1].as_str())).collect();
    assert_eq!(said, SPEC.reasons);
}

/// How the rules' sources name a value within a reason, and how the chapter does.
const VALUES: [(&str, &str); 13] = [
    ("{at}", "X Y"),
    ("{to}", "X Y"),
    ("{tile}", "X Y"),
    ("{target}", "U"),
    ("{kind}", "TYPE"),
    ("{order_kind}", "ORDER"),
    ("{gold}", "A"),
    ("{wood}", "A"),
    ("{population}", "A"),
    ("{cost}", "B"),
    ("{cap}", "B"),
    ("{}", "TYPE"),
    ("{ASSIGN_DISTANCE}", "2"),
];

/// Every reason for which the rules refuse an order, and how they answer such an order.
fn reasons() -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let folder = "games/conquest/src";
    let names = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder)).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for file in names.filter(|name| name.ends_with(".rs") && name != "refusal.rs") {
        let text = read(&format!("{folder}/{file}"));
        let refusals = ["require(", "Refusal::not_now(", "require_or_never(", "Refusal::never("]
            .map(|call| (call, text.match_indices(call)));
        let refusals = refusals.into_iter().flat_map(|(call, places)| places.map(move |(at, _)| (call, at)));
        for (call, at) in refusals {
            let words = text[at..].split('"').nth(1).unwrap();
            let words = VALUES.iter().fold(words.to_owned(), |words, (from, to)| words.replace(from, to));
            let answer = match call {
                "require_or_never(" | "Refusal::never(" => "ko",
                _ if file == "turn.rs" => "did … ko",
                _ => "maybe",
            };
            found.insert((words, answer.to_owned()));
        }
    }
    found
}

#[test]
fn reasons_of_refusals() {
    let rows = table(&conquest_md(), "| reason | answer |");
    let said: BTreeSet<(String, String)> = rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert_eq!(said, reasons());
}

#[test]
fn the_grammar_knows_every_order() {
    let strings = strings_of(&conquest_md(), "order ");
    for kind in UnitOrderKind::ALL {
        assert!(strings.contains(kind.name()), "{kind}");
    }
    for kind in UnitType::ALL {
        assert!(strings.contains(kind.name()), "{kind}");
        assert!(PlayerLine::parse(format!("Base build {kind}").as_bytes()).is_ok());
    }
    for word in ["Base", "Unit", "City", "Done", "Place"] {
        assert!(strings.contains(word), "{word}");
    }
}
