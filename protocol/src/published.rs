//! Lines that any game may publish, so that an observer that doesn't know the game shows something all the same.
//!
//! A game publishes those lines that fit it; `gam` is the first of the lines that bring a new observer up to date.
//! Takes any bytes. Tested in this module.

use std::collections::BTreeMap;

use crate::text::{number, trim};
use crate::types::{MapSize, Position, TeamName};
use crate::words::{Words, signed};

/// The beginning of a server's text that a match ended without a winner; the reason follows, one word.
pub const NO_WINNER: &str = "the match ended without a winner: ";

/// The sign of a cell of a grid that shows nothing.
pub const BARE: char = '.';

/// A line that any game may publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Published<'a> {
    /// `gam NAME VERSION …`: the game, and the version of its rules.
    Game {
        name: &'a str,
        /// The version of its rules.
        rules_version: u32,
    },
    /// `sgt RATE`: the server's frequency, in ticks per second.
    Rate(u32),
    /// `tna TEAM`: a team plays.
    Team(TeamName),
    /// `trn TURN …`: a turn, counted from 1, or a part of it begins; what follows the number is the game's own.
    Turn(u64),
    /// `sco TEAM SCORE`: a team's score has changed to SCORE.
    Score(TeamName, i64),
    /// `brd WIDTH HEIGHT`: the match is played on a grid of that size; each cell is bare until a `cel` for it comes.
    Board(MapSize),
    /// `cel X Y SIGN TEAM`: a cell of the grid shows the sign in the team's colour. Without TEAM the sign is no team's;
    /// with the sign `.` the cell is bare.
    Cell(Position, char, Option<TeamName>),
    /// `seg …`: the match is over; the winners follow, in the game's own way.
    End(&'a [u8]),
}

/// The grid that a match is played on, and what its cells show: for games that publish one, and for observers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    pub size: MapSize,
    /// The cells that aren't bare: the sign, and the team that it belongs to.
    pub cells: BTreeMap<Position, (char, Option<TeamName>)>,
}

impl Grid {
    /// A grid without a single cell that shows anything.
    pub const fn new(size: MapSize) -> Grid {
        Grid { size, cells: BTreeMap::new() }
    }

    /// The lines that describe the whole grid.
    pub fn lines(&self) -> Vec<String> {
        let bare = Grid::new(self.size);
        [format!("brd {}", self.size)].into_iter().chain(self.changes(&bare)).collect()
    }

    /// The lines by which an observer of the grid `before` comes to this one.
    pub fn changes(&self, before: &Grid) -> impl Iterator<Item = String> {
        let gone = before.cells.keys().filter(|at| !self.cells.contains_key(at));
        let now = self.cells.iter().filter(|(at, cell)| before.cells.get(at) != Some(cell));
        let gone = gone.map(|at| format!("cel {at} {BARE}"));
        gone.chain(now.map(|(at, (sign, team))| match team {
            Some(team) => format!("cel {at} {sign} {team}"),
            None => format!("cel {at} {sign}"),
        }))
    }
}

/// The kinds of lines of which only the latest counts, in the order in which a late observer is sent them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Game,
    Rate,
    Team(TeamName),
    Turn,
    Score(TeamName),
    Board,
    Cell(Position),
    End,
}

/// How a match stands by these lines alone: the latest line of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Latest(BTreeMap<Kind, Vec<u8>>);

impl Latest {
    /// The most published lines that are kept of a match: a grid may have 200 by 200 cells, and 1,000 lines are for all else.
    const LIMIT: usize = 41_000;

    /// Takes a line in, if any game may publish it.
    pub fn apply(&mut self, line: &[u8]) {
        let kind = match Published::parse(line) {
            None => return,
            Some(Published::Cell(at, BARE, _)) => {
                self.0.remove(&Kind::Cell(at));
                return;
            }
            Some(Published::Game { .. }) => Kind::Game,
            Some(Published::Rate(_)) => Kind::Rate,
            Some(Published::Team(team)) => Kind::Team(team),
            Some(Published::Turn(_)) => Kind::Turn,
            Some(Published::Score(team, _)) => Kind::Score(team),
            Some(Published::Board(_)) => {
                // A grid begins bare.
                self.0.retain(|kind, _| !matches!(kind, Kind::Cell(_)));
                Kind::Board
            }
            Some(Published::Cell(at, ..)) => Kind::Cell(at),
            Some(Published::End(_)) => Kind::End,
        };
        if self.0.len() < Latest::LIMIT || self.0.contains_key(&kind) {
            self.0.insert(kind, line.to_vec());
        }
    }

    /// The lines that bring a new observer up to date.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.0.values().map(Vec::as_slice)
    }
}

/// The longest name of a game, in bytes.
const NAME_BYTES: usize = 64;

impl Published<'_> {
    /// Reads a line, given without its end; `None` if it is none that any game may publish.
    pub fn parse(line: &[u8]) -> Option<Published<'_>> {
        let words = &mut Words::new(line);
        match words.next(Some)? {
            b"gam" => {
                let name = words.next(|name| std::str::from_utf8(name).ok())?;
                let fits = (1..=NAME_BYTES).contains(&name.len())
                    && name.bytes().all(|byte| byte.is_ascii_graphic());
                Some(Published::Game { name, rules_version: words.number().filter(|_| fits)? })
            }
            b"sgt" => number(words.rest()).map(Published::Rate),
            b"tna" => TeamName::parse(words.rest()).map(Published::Team),
            b"trn" => words.number().map(Published::Turn),
            b"sco" => {
                // A name may hold blanks.
                let rest = words.rest();
                let blank = rest.iter().rposition(|&byte| byte == b' ')?;
                let (team, score) = (TeamName::parse(trim(&rest[..blank]))?, &rest[blank + 1..]);
                signed(score).map(|score| Published::Score(team, score))
            }
            b"brd" => {
                let size = MapSize::new(words.number()?, words.number()?);
                size.filter(|_| words.is_empty()).map(Published::Board)
            }
            b"cel" => {
                let at = words.position()?;
                let sign = words.next(|sign| std::str::from_utf8(sign).ok()?.parse::<char>().ok())?;
                let team = words.rest();
                let team = if team.is_empty() { None } else { Some(TeamName::parse(team)?) };
                Some(Published::Cell(at, sign, team)).filter(|_| !sign.is_control())
            }
            b"seg" => Some(Published::End(words.rest())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(line: &str) -> Option<Published<'_>> {
        Published::parse(line.as_bytes())
    }

    fn team(name: &str) -> TeamName {
        TeamName::parse(name.as_bytes()).unwrap()
    }

    #[test]
    fn each_line_is_told_from_the_others() {
        let game = Published::Game { name: "tiny", rules_version: 3 };
        assert_eq!(said("gam tiny 3"), Some(game.clone()));
        assert_eq!(said("gam tiny 3 and more"), Some(game));
        assert_eq!(said("sgt 100"), Some(Published::Rate(100)));
        assert_eq!(said("tna red"), Some(Published::Team(team("red"))));
        assert_eq!(said("trn 12"), Some(Published::Turn(12)));
        assert_eq!(said("trn 12 0 red blue"), Some(Published::Turn(12)));
        assert_eq!(said("sco red hot 7"), Some(Published::Score(team("red hot"), 7)));
        assert_eq!(said("sco red -7"), Some(Published::Score(team("red"), -7)));
        assert_eq!(said("brd 12 9"), MapSize::new(12, 9).map(Published::Board));
        let at = Position { x: 3, y: 4 };
        assert_eq!(said("cel 3 4 @ red"), Some(Published::Cell(at, '@', Some(team("red")))));
        assert_eq!(said("cel 3 4 \u{1f40d}"), Some(Published::Cell(at, '\u{1f40d}', None)));
        assert_eq!(said("seg red blue"), Some(Published::End(b"red blue")));
        assert_eq!(said("seg"), Some(Published::End(b"")));
        for other in [
            "",
            "gam",
            "gam tiny",
            "gam tiny x",
            "sgt",
            "sco red",
            "sco 3",
            "trn -1",
            "brd 0 9",
            "brd 9",
            "cel 3 4",
            "cel 3 4 ab",
            "cel 3 -4 a",
            "msz 3 3",
            "tna",
            "gam t\u{e9} 1",
        ] {
            assert_eq!(said(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in any::<Vec<u8>>()) {
            let _ = Published::parse(&bytes);
        }
    }
}
