//! How a match stands, and why it ended as it did, from the lines of its record: for programs that don't follow the
//! match themselves.
//!
//! Takes any lines. Tested with the commentary.

use super::commentary::Commentary;
use super::mirror::Mirror;
use super::observer::Message;
use super::types::{FactionId, Tile};
use crate::commentary::{PictureTile, Retells};
use crate::record::{Entry, RecordLine};
use crate::types::{MapSize, TeamName};

/// The size of a base in a small picture, from 1 to 8.
const BASE_SIZE: u8 = 8;
/// The size of a unit in a small picture, from 1 to 8.
const UNIT_SIZE: u8 = 3;

/// What is kept of a match of conquest to say how it stands and why it ended.
#[derive(Debug, Default)]
pub struct ConquestRetelling {
    mirror: Mirror,
    commentary: Commentary,
    end: Option<(String, Vec<TeamName>)>,
}

impl Retells for ConquestRetelling {
    fn take(&mut self, line: RecordLine) {
        let (tick, text) = match line {
            RecordLine::End(_, reason, winners) => return self.end = Some((reason, winners)),
            RecordLine::Snapshot(text) => (None, text),
            RecordLine::Event(tick, Entry::Published(text)) => (Some(tick), text),
            _ => return,
        };
        let Ok(message) = Message::parse(&text) else { return };
        if let Some(tick) = tick {
            self.commentary.look(tick, &message, &self.mirror);
        }
        // A message that contradicts earlier ones changes nothing that is shown.
        let _ = self.mirror.apply(&message);
        if let (Some(tick), Message::TurnEnded(turn)) = (tick, message) {
            self.commentary.turn(tick, &self.mirror);
            self.commentary.battles.forget_before(turn);
        }
    }

    fn why(&self) -> Vec<String> {
        let Some((reason, winners)) = &self.end else { return Vec::new() };
        let winners: Vec<_> = winners.iter().filter_map(|name| self.mirror.faction(name)).collect();
        self.commentary.why(&self.mirror, Some(reason), &winners)
    }

    fn race(&self) -> Vec<(TeamName, u32)> {
        self.mirror.numbered().map(|(one, known)| (known.name.clone(), self.mirror.progress(one))).collect()
    }

    fn map(&self) -> Option<(MapSize, Vec<PictureTile>)> {
        let picture = |tile: &Tile| {
            let owner = tile.owner.map(FactionId::index);
            let base = owner.filter(|_| tile.flags.base).map(|owner| (owner, BASE_SIZE));
            PictureTile { owner, piece: base, riches: if tile.flags.resource { 8 } else { 0 } }
        };
        let size = self.mirror.size?;
        let mut tiles: Vec<PictureTile> = self.mirror.tiles.iter().map(picture).collect();
        for unit in self.mirror.units.values() {
            let Some(tile) = tiles.get_mut(size.index(unit.at)) else { continue };
            tile.piece.get_or_insert((unit.faction.index(), UNIT_SIZE));
        }
        Some((size, tiles))
    }
}
