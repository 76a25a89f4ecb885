//! How a match stands, and why it ended as it did, from the lines of its record: for programs that don't follow the
//! match themselves.
//!
//! Takes any lines. Tested in `site/tests/site/pages.rs`.

use super::observer::Message;
use super::story::{Commentary, Deeds, EndedMatch, Observed, Roster, TeamIndex, ZappyFinish, strengths};
use super::{Inventory, PlayerId};
use crate::DEFAULT_FREQUENCY;
use crate::commentary::{PictureTile, Retells};
use crate::record::{Entry, Header, RecordLine, Seat};
use crate::types::{MapSize, TeamName, Tick};

/// The most pushed players that are kept until the message about the push comes: far more than in any real match.
const MOST_PUSHED: usize = 1_000;

/// What is kept of a match of Zappy to say how it stands and why it ended.
#[derive(Debug, Default)]
pub struct ZappyRetelling {
    observed: Observed,
    roster: Roster,
    commentary: Commentary,
    deeds: Vec<Deeds>,
    /// Players that read that they were pushed; the message about the push hasn't come yet.
    pushed: Vec<PlayerId>,
    /// Ticks per second.
    rate: u32,
    /// The tick of the end, the record's word for the reason, and the winners.
    end: Option<(Tick, String, Vec<TeamName>)>,
}

impl ZappyRetelling {
    /// The match of that record.
    pub fn new(header: &Header) -> ZappyRetelling {
        let rate = if header.clock == "lockstep" { DEFAULT_FREQUENCY } else { header.frequency };
        ZappyRetelling { rate, ..ZappyRetelling::default() }
    }

    fn take_entry(&mut self, tick: Tick, entry: Entry) {
        match entry {
            // Each victim reads that it was pushed; the message about the push comes after these lines.
            Entry::Sent(Seat::Number(seat), text)
                if text.starts_with(b"eject: ") && self.pushed.len() < MOST_PUSHED =>
            {
                self.pushed.push(PlayerId(seat));
            }
            Entry::Published(text) | Entry::Withheld(text)
                if !text.starts_with(b"bct ") && !text.starts_with(b"pin ") =>
            {
                let Ok(message) = Message::parse(&text) else { return };
                let is_push = matches!(message, Message::Ejected(_));
                let pushed = if is_push { std::mem::take(&mut self.pushed) } else { Vec::new() };
                self.roster.apply(tick, &message);
                if let Some(happening) = self.observed.apply(tick, &message, &pushed).happening {
                    Deeds::count(&mut self.deeds, &happening, &self.roster);
                    self.commentary.take(&happening, self.observed.mirror(), &self.roster);
                }
            }
            _ => {}
        }
    }
}

impl Retells for ZappyRetelling {
    fn take(&mut self, line: RecordLine) {
        match line {
            RecordLine::End(tick, reason, winners) => self.end = Some((tick, reason, winners)),
            RecordLine::Snapshot(text) => {
                if let Ok(message) = Message::parse(&text) {
                    self.roster.apply(0, &message);
                    self.observed.restore(&message);
                }
            }
            RecordLine::Event(tick, entry) => self.take_entry(tick, entry),
            _ => {}
        }
    }

    fn why(&self) -> Vec<String> {
        let Some((tick, reason, winners)) = &self.end else { return Vec::new() };
        let ZappyRetelling { observed, roster, commentary, deeds, rate, .. } = self;
        let (teams, winner) = (strengths(observed.mirror(), roster), winners.first().cloned());
        let finish = ZappyFinish { tick: *tick, reason: Some(reason.clone()), winner, teams };
        EndedMatch { finish: &finish, commentary, deeds, roster, rate: *rate }.why()
    }

    fn race(&self) -> Vec<(TeamName, u32)> {
        let strengths = strengths(self.observed.mirror(), &self.roster);
        let teams = self.roster.teams().iter().cloned();
        teams.zip(strengths).map(|(team, strength)| (team, strength.progress())).collect()
    }

    fn map(&self) -> Option<(MapSize, Vec<PictureTile>)> {
        let mirror = self.observed.mirror();
        let size = mirror.size?;
        let riches = |tile: &Inventory| tile.amounts().iter().sum::<u32>().min(8) as u8;
        let mut tiles: Vec<PictureTile> = mirror
            .tiles
            .iter()
            .map(|tile| PictureTile { riches: riches(tile), ..PictureTile::default() })
            .collect();
        for (id, player) in &mirror.players {
            let Some(TeamIndex(team)) = self.roster.team_of(*id) else { continue };
            let Some(tile) = tiles.get_mut(size.index(player.at)) else { continue };
            if tile.piece.is_none_or(|(_, level)| level < player.level.get()) {
                tile.piece = Some((team, player.level.get()));
            }
        }
        Some((size, tiles))
    }
}
