//! Why a match ended as it did, from the lines of its record: for those that neither fold nor show it otherwise.
//!
//! Takes any lines. Tested with the commentary.

use super::commentary::Commentary;
use super::mirror::Mirror;
use super::observer::Message;
use crate::commentary::Retells;
use crate::record::{Entry, RecordLine};
use crate::types::TeamName;

/// A match of conquest, as far as its end is explained by it.
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
        // What doesn't fit is no story.
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
}
