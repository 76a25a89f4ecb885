//! The tables, pictures and grammars of `protocol.md` say what the constants and the code say.

use std::collections::BTreeSet;

use zappy_game::config;
use zappy_game_zappy::MAX_SLOTS;
use zappy_protocol::record::CHECK_LINE_BYTES;
use zappy_protocol::zappy::constants;
use zappy_protocol::zappy::constants::{DENSITY_PERCENT, ELEVATIONS};
use zappy_protocol::zappy::geometry::{sound_direction, vision_offset};
use zappy_protocol::zappy::observer::{BadMessage, BadRequest, Message, Request};
use zappy_protocol::zappy::player::CommandKind;
use zappy_protocol::zappy::{Orientation, Resource};
use zappy_protocol::{MapSize, Position, TeamName};
use zappy_server::net::{self, Limits};

use super::{blocks, protocol_md};

/// The rows of the only table whose first line begins so, cell by cell, without the marks of code.
pub fn table(text: &str, header: &str) -> Vec<Vec<String>> {
    let starts = text.lines().filter(|line| line.starts_with(header)).count();
    assert_eq!(starts, 1, "tables that begin with {header:?}");
    let rows = text.lines().skip_while(|line| !line.starts_with(header)).skip(2);
    let cells = |row: &str| {
        let inside = row.trim_matches('|');
        inside.split('|').map(|cell| cell.trim().replace('`', "")).collect()
    };
    rows.take_while(|row| row.starts_with('|')).map(cells).collect()
}

/// The first number of a cell: `1,000`, `256 KiB`, `60 s`.
pub fn number(cell: &str) -> u64 {
    let digits: String = cell.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
    let number: u64 = digits.replace(',', "").parse().unwrap_or_else(|_| panic!("no number: {cell:?}"));
    match cell[digits.len()..].trim_start() {
        unit if unit.starts_with("KiB") => number << 10,
        unit if unit.starts_with("MiB") => number << 20,
        _ => number,
    }
}

fn pair(cell: &str) -> (i32, i32) {
    let (x, y) =
        cell.trim_matches(['(', ')']).split_once(", ").unwrap_or_else(|| panic!("no pair: {cell:?}"));
    (x.parse().unwrap(), y.parse().unwrap())
}

fn position(cell: &str) -> Position {
    let (x, y) = pair(cell);
    Position { x: x.try_into().unwrap(), y: y.try_into().unwrap() }
}

fn orientation(letter: &str) -> Orientation {
    let place = ["N", "E", "S", "W"].iter().position(|known| *known == letter);
    Orientation::ALL[place.unwrap_or_else(|| panic!("no orientation: {letter:?}"))]
}

#[test]
fn elevations() {
    let rows = table(&protocol_md(), "| to level |");
    assert_eq!(rows.len(), ELEVATIONS.len());
    for ((row, elevation), level) in rows.iter().zip(ELEVATIONS).zip(2..) {
        let said: Vec<u64> = row.iter().map(|cell| number(cell)).collect();
        let stones = Resource::ALL[1..].iter().map(|&stone| u64::from(elevation.stones.get(stone)));
        let right: Vec<u64> = [level, elevation.players as u64].into_iter().chain(stones).collect();
        assert_eq!(said, right);
    }
}

#[test]
fn costs() {
    let rows = table(&protocol_md(), "| command | ticks |");
    let said: Vec<(String, u64)> = rows.iter().map(|row| (row[0].clone(), number(&row[1]))).collect();
    let right = CommandKind::ALL.map(|kind| (kind.name().to_owned(), kind.cost()));
    let first_words = said.iter().map(|(name, ticks)| (name.split(' ').next().unwrap().to_owned(), *ticks));
    assert_eq!(first_words.collect::<Vec<_>>(), right);
}

#[test]
fn densities() {
    let rows = table(&protocol_md(), "| number | resource |");
    assert_eq!(rows.len(), Resource::COUNT);
    for (row, resource) in rows.iter().zip(Resource::ALL) {
        assert_eq!(number(&row[0]), resource.index() as u64);
        assert_eq!(row[1], resource.name());
        assert_eq!(row[2], (f64::from(DENSITY_PERCENT[resource.index()]) / 100.0).to_string());
        for (cell, area) in row[3..].iter().zip([100, 400, 9]) {
            let amount = u64::from(constants::natural_amount(resource, area));
            assert_eq!(number(cell), amount, "{resource}");
        }
    }
}

#[test]
fn numbers_of_the_game() {
    let rows = table(&protocol_md(), "| number of the game |");
    let said: Vec<u64> = rows.iter().map(|row| number(&row[1])).collect();
    let right = [
        constants::BIRTH_FOOD.into(),
        constants::FOOD_TICKS,
        (u64::from(constants::BIRTH_FOOD) + 1) * constants::FOOD_TICKS,
        constants::REFILL_TICKS,
        constants::INCANTATION_TICKS,
        constants::WINNING_PLAYERS as u64,
        zappy_protocol::DEFAULT_FREQUENCY.into(),
    ];
    assert_eq!(said, right);
}

#[test]
fn limits() {
    let rows = table(&protocol_md(), "| limit | value |");
    let said: Vec<(&str, u64)> = rows.iter().map(|row| (row[0].as_str(), number(&row[1]))).collect();
    let shell = Limits::default();
    let right = [
        ("line", shell.line as u64),
        ("commands waiting", constants::QUEUE_LIMIT as u64),
        ("team name", TeamName::LIMIT as u64),
        ("map side", config::MAX_SIDE.into()),
        ("teams", config::MAX_TEAMS as u64),
        ("slots per team", MAX_SLOTS.into()),
        ("frequency", config::MAX_FREQUENCY.into()),
        ("handshake", shell.handshake.as_secs()),
        ("connections", shell.connections as u64),
        ("connections from one address", shell.per_address as u64),
        ("unread answers", shell.read_mark as u64),
        ("waiting for a player", shell.player_outbox as u64),
        ("messages waiting for an observer", shell.observer_outbox as u64),
        ("dumps in one turn", shell.turn_snapshots as u64),
        ("answers to observers in one turn", shell.turn_answers as u64),
        ("dumps waiting for all observers", shell.all_observers as u64),
        ("bytes in one turn", shell.turn_bytes as u64),
        ("lines in one turn", shell.turn_lines as u64),
        ("lines that bring nothing, under the real clock", shell.idle_credit.into()),
        ("lines that wait for a tick of their own, under official", shell.paced_lines as u64),
        ("lines in one turn, in all", shell.all_turn_lines as u64),
        ("written in one turn", shell.turn_written as u64),
        ("accepted in one turn", shell.turn_accepts as u64),
        ("ticks in one turn", shell.turn_ticks as u64),
        ("closing", shell.close_flush.as_secs()),
        ("lingering", shell.linger.as_secs()),
        ("end of the match", shell.shutdown_flush.as_secs()),
        ("lateness", shell.slip.as_secs()),
        ("think time, in lockstep", net::THINK_TIME.as_secs()),
        ("late, in lockstep", net::MAX_LATE.into()),
        ("lobby, in lockstep", net::LOBBY_TIME.as_secs()),
        ("lines at one tick, in lockstep", constants::QUEUE_LIMIT as u64),
        ("console answers", shell.console_outbox as u64),
    ];
    assert_eq!(said, right);
}

#[test]
fn the_last_line_of_a_record() {
    let said = format!("always has {CHECK_LINE_BYTES} bytes");
    assert!(protocol_md().contains(&said), "{said:?} is missing");
}

#[test]
fn sounds_worked_out() {
    let rows = table(&protocol_md(), "| map | listener |");
    assert!(rows.len() >= 8, "{} examples", rows.len());
    for row in rows {
        let [map, listener, faces, emitter, way, _, heard] = &row[..] else { panic!("{row:?}") };
        let (width, height) = map.split_once('×').unwrap();
        let size = MapSize::new(width.parse().unwrap(), height.parse().unwrap()).unwrap();
        let delta = size.delta(position(listener), position(emitter));
        assert_eq!(delta, pair(way), "{row:?}");
        assert_eq!(u64::from(sound_direction(delta, orientation(faces))), number(heard), "{row:?}");
    }
}

/// The signs of a picture with their places, blanks between them left out.
fn signs(picture: &str) -> Vec<((i32, i32), char)> {
    let rows = picture.lines().skip(1).zip(0..);
    rows.flat_map(|(row, y)| row.split_whitespace().zip(0..).map(move |(sign, x)| ((x, y), sign)))
        .map(|(at, sign)| (at, sign.chars().next().unwrap()))
        .collect()
}

/// A picture: which way the player faces, and each number with its way from the player.
struct Picture {
    facing: Orientation,
    numbers: Vec<((i32, i32), u8)>,
}

/// The pictures of one kind. The player stands on the 0.
fn pictures(tag: &str) -> Vec<Picture> {
    let text = protocol_md();
    let found = blocks(&text).into_iter().filter(|block| block.tag == tag);
    found
        .map(|block| {
            let facing = block.body.lines().next().unwrap().strip_prefix("facing ").unwrap();
            let signs = signs(&block.body);
            let (cx, cy) = signs.iter().find(|(_, sign)| *sign == '0').unwrap().0;
            let numbers = signs.iter().filter_map(|&((x, y), sign)| {
                Some(((x - cx, y - cy), u8::try_from(sign.to_digit(10)?).unwrap()))
            });
            Picture { facing: orientation(facing), numbers: numbers.collect() }
        })
        .collect()
}

#[test]
fn pictures_of_vision() {
    let pictures = pictures("vision");
    assert_eq!(pictures.iter().map(|picture| picture.facing).collect::<Vec<_>>(), Orientation::ALL);
    for Picture { facing, numbers } in pictures {
        assert_eq!(numbers.len(), 9);
        for (way, tile) in numbers {
            assert_eq!(facing.to_map(vision_offset(tile.into())), way, "tile {tile} facing {facing:?}");
        }
    }
}

#[test]
fn pictures_of_sound() {
    let pictures = pictures("sound");
    let near = &pictures[..4];
    assert_eq!(near.iter().map(|picture| picture.facing).collect::<Vec<_>>(), Orientation::ALL);
    for Picture { facing, numbers } in pictures {
        assert!(numbers.len() >= 9);
        for (way, number) in numbers {
            assert_eq!(sound_direction(way, facing), number, "from {way:?} facing {facing:?}");
        }
    }
}

/// The case-sensitive strings of the grammar block in which `rule` is defined.
fn strings(rule: &str) -> BTreeSet<String> {
    strings_of(&protocol_md(), rule)
}

/// The same in that document.
pub fn strings_of(text: &str, rule: &str) -> BTreeSet<String> {
    let starts = |block: &super::Block<'_>| block.body.lines().any(|line| line.starts_with(rule));
    let grammar = blocks(text).into_iter().find(|block| block.tag == "abnf" && starts(block));
    let body = grammar.unwrap_or_else(|| panic!("no grammar defines {rule:?}")).body;
    body.split("%s\"").skip(1).map(|rest| rest.split('"').next().unwrap().trim_end().to_owned()).collect()
}

#[test]
fn the_grammar_of_commands_knows_every_name_and_no_other() {
    let names = CommandKind::ALL.into_iter().map(CommandKind::name);
    let right = names.chain(Resource::ALL.into_iter().map(Resource::name)).map(str::to_owned);
    assert_eq!(strings("command "), right.collect());
}

#[test]
fn the_grammars_of_observers_know_only_names_that_are_understood() {
    let requests = strings("request ");
    assert_eq!(requests.len(), 9);
    for name in requests {
        assert_ne!(Request::parse(name.as_bytes()), Err(BadRequest::Unknown), "{name}");
    }
    let messages = strings("message ");
    assert_eq!(messages.len(), 23);
    for name in messages {
        assert_ne!(Message::parse(name.as_bytes()), Err(BadMessage::Unknown), "{name}");
    }
}
