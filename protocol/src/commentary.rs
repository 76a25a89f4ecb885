//! Remarks, which are sentences about a match of which none is said twice, and [`Retells`], by which the site follows a
//! record.
//!
//! Each game makes its own from the messages to observers, so that the observer's window, its films and
//! `zappy_arena show` say the same. The number of remarks is bounded. Tested with the games' commentaries.

use crate::record::RecordLine;
use crate::types::{MapSize, Position, TeamName, Tick};

/// The most remarks that are kept of a match; further ones are dropped.
const MOST_REMARKS: usize = 2_000;

/// A sentence about a match, true at its tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark<T> {
    pub tick: Tick,
    /// The team that the sentence is mainly about; `None` if it is about no team.
    pub team: Option<T>,
    /// How much the remark matters, compared with others; above 0.
    pub weight: u32,
    pub says: String,
}

/// What stands on a tile, for a small picture of the map. Teams are numbered as in [`Retells::race`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PictureTile {
    /// The team that owns the ground.
    pub owner: Option<usize>,
    /// The largest piece on the tile: its team, and its size from 1 to 8.
    pub piece: Option<(usize, u8)>,
    /// How much lies on the tile, from 0 (nothing) to 8.
    pub riches: u8,
}

/// Follows a match by the lines of its record: how it stands, and why it ended as it did.
pub trait Retells {
    /// Takes the next line of the record.
    fn take(&mut self, line: RecordLine);
    /// Why the match ended as it did, in a few sentences; empty before its end.
    fn why(&self) -> Vec<String>;
    /// Each team, and how far it is on its way to victory, in thousandths.
    fn race(&self) -> Vec<(TeamName, u32)>;
    /// The map's size and its tiles as they stand, row by row; `None` before the size is known.
    fn map(&self) -> Option<(MapSize, Vec<PictureTile>)>;
}

/// What was said of a match so far, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remarks<T> {
    all: Vec<Remark<T>>,
}

impl<T> Remarks<T> {
    /// Adds a remark unless its sentence was said before or [`MOST_REMARKS`] are kept; returns whether it was added.
    pub fn say(&mut self, remark: Remark<T>) -> bool {
        let is_kept = self.all.len() < MOST_REMARKS && self.all.iter().all(|known| known.says != remark.says);
        if is_kept {
            self.all.push(remark);
        }
        is_kept
    }

    pub fn all(&self) -> &[Remark<T>] {
        &self.all
    }
}

/// A position as people read it: `4, 7`, with a no-break space.
pub fn place(at: Position) -> String {
    format!("{},\u{a0}{}", at.x, at.y)
}

/// Whether a count has come to a number that people take note of: 10, 20, 50, 100 and so on.
pub fn is_round(count: u32) -> bool {
    let mut unit = 1;
    while unit <= count / 10 {
        unit *= 10;
    }
    unit >= 10 && [1, 2, 5].iter().any(|times| unit * times == count)
}

/// The item with the greatest number; `None` if several have it, or if there is no item.
pub(crate) fn sole_greatest<N: Ord, T>(all: impl Iterator<Item = (N, T)>) -> Option<T> {
    let mut all: Vec<(N, T)> = all.collect();
    all.sort_by(|(one, _), (other, _)| other.cmp(one));
    let is_alone = all.get(1).is_none_or(|(next, _)| *next < all[0].0);
    all.into_iter().next().filter(|_| is_alone).map(|(_, one)| one)
}
