//! What an observer asks for.
//!
//! Parsing takes any bytes and never panics, and takes ids with and without `#`; `parse(print(x)) == x` holds for every
//! value. Tested in this module and in `tests/roundtrip.rs`.

use std::io::Write as _;

use crate::text::{id, leading_number, number, words};
use crate::zappy::PlayerId;

/// What an observer asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// `msz`: the size of the map.
    MapSize,
    /// `bct X Y`: one tile. The numbers may lie off the map.
    Tile {
        x: u32,
        y: u32,
    },
    AllTiles,
    Teams,
    /// `ppo #n`: where a player is.
    PlayerPosition(PlayerId),
    /// `plv #n`: a player's level.
    PlayerLevel(PlayerId),
    /// `pin #n`: what a player carries.
    PlayerInventory(PlayerId),
    /// `sgt`: the frequency in ticks per second.
    Rate,
    /// `sst T`: another frequency for the match, in ticks per second.
    SetRate(u32),
}

/// Why a line is no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// The request is unknown; the answer is `suc`.
    #[error("no such request")]
    Unknown,
    /// A parameter is wrong; the answer is `sbp`.
    #[error("wrong, missing or surplus parameter")]
    Parameter,
}

impl Request {
    /// The request on this line; ids with or without `#`, blanks around it tolerated.
    ///
    /// # Errors
    /// Which of the two refusals answers it.
    pub fn parse(line: &[u8]) -> Result<Request, BadRequest> {
        Request::read(line, number, id, number)
    }

    /// The request on this line, its coordinates and ids read as the official server reads them: only the leading
    /// digits count, and a word without any is 0; a negative number is read as `u32::MAX`, which names nothing. The
    /// rate of `sst` is read as by [`Request::parse`], but may begin with a `+`.
    ///
    /// # Errors
    /// Which of the two refusals answers it.
    pub fn parse_leading(line: &[u8]) -> Result<Request, BadRequest> {
        let id = |word: &[u8]| Some(leading_number(word.strip_prefix(b"#").unwrap_or(word)));
        let rate = |word: &[u8]| number(word.strip_prefix(b"+").unwrap_or(word));
        Request::read(line, |word| Some(leading_number(word)), id, rate)
    }

    fn read(
        line: &[u8],
        coordinate: impl Fn(&[u8]) -> Option<u32>,
        id: impl Fn(&[u8]) -> Option<u32>,
        rate: impl Fn(&[u8]) -> Option<u32>,
    ) -> Result<Request, BadRequest> {
        let mut words = words(line);
        let name = words.next().ok_or(BadRequest::Unknown)?;
        let mut next_coordinate = || words.next().and_then(&coordinate).ok_or(BadRequest::Parameter);
        let request = match name {
            b"msz" => Request::MapSize,
            b"bct" => Request::Tile { x: next_coordinate()?, y: next_coordinate()? },
            b"mct" => Request::AllTiles,
            b"tna" => Request::Teams,
            b"sgt" => Request::Rate,
            b"sst" => Request::SetRate(words.next().and_then(rate).ok_or(BadRequest::Parameter)?),
            b"ppo" | b"plv" | b"pin" => {
                let player = PlayerId(words.next().and_then(id).ok_or(BadRequest::Parameter)?);
                match name {
                    b"ppo" => Request::PlayerPosition(player),
                    b"plv" => Request::PlayerLevel(player),
                    _ => Request::PlayerInventory(player),
                }
            }
            _ => return Err(BadRequest::Unknown),
        };
        if words.next().is_some() { Err(BadRequest::Parameter) } else { Ok(request) }
    }

    /// Appends the line without its end.
    pub fn write(&self, out: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        let _ = match self {
            Request::MapSize => write!(out, "msz"),
            Request::Tile { x, y } => write!(out, "bct {x} {y}"),
            Request::AllTiles => write!(out, "mct"),
            Request::Teams => write!(out, "tna"),
            Request::PlayerPosition(player) => write!(out, "ppo {player}"),
            Request::PlayerLevel(player) => write!(out, "plv {player}"),
            Request::PlayerInventory(player) => write!(out, "pin {player}"),
            Request::Rate => write!(out, "sgt"),
            Request::SetRate(rate) => write!(out, "sst {rate}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_with_and_without_their_mark() {
        assert_eq!(Request::parse(b"ppo #3"), Request::parse(b" ppo 3 "));
    }

    #[test]
    fn unknown_requests_differ_from_bad_parameters() {
        for unknown in ["", "  ", "MSZ", "mszz", "pnw #1"] {
            assert_eq!(Request::parse(unknown.as_bytes()), Err(BadRequest::Unknown), "{unknown:?}");
        }
        for bad in
            ["msz 1", "bct", "bct 1", "bct 1 x", "bct 1 2 3", "ppo", "ppo #", "sst -1", "sst 1.5", "bct -1 2"]
        {
            assert_eq!(Request::parse(bad.as_bytes()), Err(BadRequest::Parameter), "{bad:?}");
        }
    }

    #[test]
    fn the_official_server_reads_leading_digits() {
        let read = |line: &str| Request::parse_leading(line.as_bytes());
        assert_eq!(read("bct a b"), Ok(Request::Tile { x: 0, y: 0 }));
        assert_eq!(read("bct 1.5 2"), Ok(Request::Tile { x: 1, y: 2 }));
        assert_eq!(read("bct 99999999999 2"), Ok(Request::Tile { x: u32::MAX, y: 2 }));
        assert_eq!(read("ppo #"), Ok(Request::PlayerPosition(PlayerId(0))));
        assert_eq!(read("pin #12x"), Ok(Request::PlayerInventory(PlayerId(12))));
        let nowhere = PlayerId(u32::MAX);
        assert_eq!(read("bct -1 0"), Ok(Request::Tile { x: u32::MAX, y: 0 }));
        assert_eq!(read("bct +1 -0"), Ok(Request::Tile { x: 1, y: 0 }));
        assert_eq!(read("ppo -1"), Ok(Request::PlayerPosition(nowhere)));
        assert_eq!(read("pin #-1"), Ok(Request::PlayerInventory(nowhere)));
        assert_eq!(read("sst +1"), Ok(Request::SetRate(1)));
        for bad in ["bct 1", "bct 1 2 3", "sst 1.5", "sst a", "sst -1", "sst ++1", "sst +", "ppo", "msz 1"] {
            assert_eq!(read(bad), Err(BadRequest::Parameter), "{bad:?}");
        }
        assert_eq!(read("mszz"), Err(BadRequest::Unknown));
    }
}
