//! The tables and the grammar of `conquest.md` say what the constants and the code say.

use zappy_game_conquest::{Refusal, SPEC};
use zappy_protocol::Position;
use zappy_protocol::conquest::player::{PlayerLine, UnitOrderKind};
use zappy_protocol::conquest::{Building, UnitId, UnitType, constants};

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

/// Every reason, with 11, 12 for a tile, 13 for a unit, 14 and 15 for amounts; a new one has to be added here.
fn refusals() -> Vec<Refusal> {
    let first = Refusal::Beaten;
    let next = |known: Refusal| {
        Some(match known {
            Refusal::Beaten => Refusal::OffMap(Position { x: 11, y: 12 }),
            Refusal::OffMap(_) => Refusal::NotYourUnit,
            Refusal::NotYourUnit => Refusal::NotInTable(UnitType::Worker, UnitOrderKind::Attack),
            Refusal::NotInTable(..) => Refusal::NoCities,
            Refusal::NoCities => Refusal::NotYourCity,
            Refusal::NotYourCity => Refusal::Gone,
            Refusal::Gone => Refusal::ChangedSides,
            Refusal::ChangedSides => Refusal::Converted,
            Refusal::Converted => Refusal::Left,
            Refusal::Left => Refusal::OnItsBase,
            Refusal::OnItsBase => Refusal::NotAdjacent,
            Refusal::NotAdjacent => Refusal::Occupied,
            Refusal::Occupied => Refusal::NotNeutral,
            Refusal::NotNeutral => Refusal::NotEnemys,
            Refusal::NotEnemys => Refusal::NotOwn,
            Refusal::NotOwn => Refusal::NoEnemy(UnitId(13)),
            Refusal::NoEnemy(_) => Refusal::NoFriend(UnitId(13)),
            Refusal::NoFriend(_) => Refusal::NotHurt(UnitId(13)),
            Refusal::NotHurt(_) => Refusal::FortThere,
            Refusal::FortThere => Refusal::Gold(14, 15),
            Refusal::Gold(..) => Refusal::Wood(14, 15),
            Refusal::Wood(..) => Refusal::NotEnlightened,
            Refusal::NotEnlightened => Refusal::Cap(14, 15),
            Refusal::Cap(..) => Refusal::NoBombLeft,
            Refusal::NoBombLeft => Refusal::BombThere,
            Refusal::BombThere => Refusal::NoBombThere,
            Refusal::NoBombThere => Refusal::BaseThere,
            Refusal::BaseThere => Refusal::BuildingThere,
            Refusal::BuildingThere => Refusal::BaseLost,
            Refusal::BaseLost => Refusal::NoBaseThere,
            Refusal::NoBaseThere => Refusal::SlotBusy(UnitType::Worker),
            Refusal::SlotBusy(_) => Refusal::SlotEmpty,
            Refusal::SlotEmpty => Refusal::TooFar,
            Refusal::TooFar => Refusal::Assigned,
            Refusal::Assigned => Refusal::NotAssigned,
            Refusal::NotAssigned => Refusal::NoIdleCitizen,
            Refusal::NoIdleCitizen => Refusal::NoCamp(UnitType::Worker),
            Refusal::NoCamp(_) => Refusal::CampsUsed(UnitType::Worker),
            Refusal::CampsUsed(_) => Refusal::NoRoom,
            Refusal::NoRoom => return None,
        })
    };
    std::iter::successors(Some(first), |&known| next(known)).collect()
}

#[test]
fn reasons_of_refusals() {
    let rows = table(&conquest_md(), "| reason | answer |");
    let said: Vec<(String, String)> = rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let shown = |why: &Refusal| {
        let words = [
            ("11 12", "X Y"),
            ("13", "U"),
            ("14", "A"),
            ("15", "B"),
            ("worker", "TYPE"),
            ("attack", "ORDER"),
        ];
        let text = words.iter().fold(why.to_string(), |text, (from, to)| text.replace(from, to));
        let answer = match why {
            Refusal::Gone | Refusal::ChangedSides | Refusal::Left => "did … ko",
            why if why.is_final() => "ko",
            _ => "maybe",
        };
        (text, answer.to_owned())
    };
    let right: Vec<(String, String)> = refusals().iter().map(shown).collect();
    assert_eq!(said, right);
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
