//! Every line of both games' dialects: what is understood is printed so that it is understood as the same.
//!
//! Run by `tests/corpus.rs`.

use std::fmt::Debug;

use zappy_protocol::conquest::{observer as watching, player as turning};
use zappy_protocol::published::Published;
use zappy_protocol::zappy::{observer, player};

use crate::fuzz::lines::assert_plain;

/// What a parser makes of a line comes back from its own print, which is one line; a refusal has words.
fn round_trip<T: PartialEq + Debug, E: ToString>(
    line: &[u8],
    parse: fn(&[u8]) -> Result<T, E>,
    write: fn(&T, &mut Vec<u8>),
) {
    match parse(line) {
        Ok(value) => {
            let mut printed = Vec::new();
            write(&value, &mut printed);
            assert!(!printed.contains(&b'\n'), "{value:?} is printed as several lines");
            let again = parse(&printed).ok();
            assert_eq!(again.as_ref(), Some(&value), "printed as {:?}", printed.escape_ascii().to_string());
        }
        Err(error) => assert_plain(&error),
    }
}

/// The lines of an input.
pub fn lines(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    input.split(|&byte| byte == b'\n')
}

/// Zappy's lines, and those that any game may publish.
pub fn zappy(input: &[u8]) {
    for line in lines(input) {
        round_trip(line, player::Command::parse, player::Command::write);
        round_trip(line, player::Response::parse, player::Response::write);
        round_trip(line, observer::Message::parse, observer::Message::write);
        round_trip(line, observer::Request::parse, observer::Request::write);
        // The official server reads more, and what both take they take alike.
        match (observer::Request::parse(line), observer::Request::parse_leading(line)) {
            (Ok(strict), leading) => assert_eq!(leading, Ok(strict)),
            (Err(_), Ok(leading)) => {
                let mut printed = Vec::new();
                leading.write(&mut printed);
                assert_eq!(observer::Request::parse(&printed), Ok(leading));
            }
            (Err(_), Err(_)) => {}
        }
        published(line);
    }
}

/// A message of Zappy's that any game may publish says the same in both readings.
fn published(line: &[u8]) {
    use observer::Message;
    match (Message::parse(line), Published::parse(line)) {
        (Ok(Message::Team(team)), other) => assert_eq!(other, Some(Published::Team(team))),
        (Ok(Message::Rate(rate)), Some(other)) => assert_eq!(other, Published::Rate(rate)),
        (Ok(Message::Won(_)), other) => assert!(matches!(other, Some(Published::End(_)))),
        _ => {}
    }
}

pub fn conquest(input: &[u8]) {
    for line in lines(input) {
        round_trip(line, turning::PlayerLine::parse, turning::PlayerLine::write);
        round_trip(line, turning::ServerLine::parse, turning::ServerLine::write);
        round_trip(line, watching::Message::parse, watching::Message::write);
        round_trip(line, watching::Request::parse, watching::Request::write);
    }
}
