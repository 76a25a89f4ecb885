//! What a program and the server say to each other, and what it noted between, up to the tick shown.
//!
//! Never draws. Tested in `gui/zappy/tests/session.rs` and with the games' screens.

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::Spoken;

use super::session::Session;
use crate::timeline::dialogue::{DialogueReader, SpeakerSeats};
use crate::timeline::fold::History;

/// What a program and the server say to each other.
#[derive(Debug, Default)]
pub struct Conversation {
    dialogue: Option<DialogueReader>,
    spoken: Vec<Spoken>,
}

impl Conversation {
    /// Shows the dialogue of that program up to that tick, or none, as far as its lines are `wanted`. Returns whether all
    /// of it was found.
    pub fn show<H: History>(
        &mut self,
        session: &mut Session<H>,
        speaker: Option<SpeakerSeats>,
        tick: Tick,
        wanted: impl Fn(&Spoken) -> bool,
    ) -> bool {
        let (Some(speaker), Some(archive)) = (speaker, session.record_archive()) else {
            self.dialogue = None;
            self.spoken.clear();
            return true;
        };
        let dialogue = match &mut self.dialogue {
            Some(known) if known.speaker.seats == speaker.seats => known,
            other => other.insert(DialogueReader::new(speaker)),
        };
        if let Err(error) = dialogue.show(archive, tick) {
            session.complain(format!("can't read the dialogue: {error}"));
        }
        self.spoken = dialogue.with_notes(&session.notes, wanted);
        dialogue.complete
    }

    /// The lines that were asked for, the oldest first.
    pub fn spoken(&self) -> &[Spoken] {
        &self.spoken
    }
}
