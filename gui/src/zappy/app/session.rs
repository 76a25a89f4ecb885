//! The match of Zappy that is watched, and what one of its players and the server say to each other.
//!
//! Never draws. Tested in `tests/session.rs`.

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::Roster;

use crate::app::action::Direction;
use crate::app::session;
use crate::zappy::timeline::chronicle::{Chronicle, Chronicler};
use crate::zappy::timeline::dialogue::{Dialogue, is_broadcast};
use crate::zappy::timeline::refusal;
use crate::zappy::timeline::stage::Stage;

/// The match of Zappy that is watched.
pub type Session = session::Session<Chronicler>;

impl Session {
    /// The stage at the tick shown.
    pub fn stage(&self) -> &Stage {
        self.fold()
    }

    /// What stays true.
    pub fn roster(&self) -> &Roster {
        &self.overview().roster
    }

    /// The match at a glance.
    pub fn chronicle(&self) -> &Chronicle {
        &self.overview().chronicle
    }

    /// The next tick at which the player was refused something, or the one before; a live server doesn't tell.
    pub fn refusal(&mut self, player: PlayerId, tick: Tick, direction: Direction) -> Option<Tick> {
        let archive = self.record_archive()?;
        let found = match direction {
            Direction::Next => refusal::next(archive, player, tick),
            Direction::Previous => refusal::previous(archive, player, tick),
        };
        found.unwrap_or_else(|error| {
            self.complain(format!("can't look for refusals: {error}"));
            None
        })
    }
}

/// What a player and the server say to each other, up to the tick shown.
#[derive(Debug, Default)]
pub struct Conversation {
    dialogue: Option<Dialogue>,
    spoken: Vec<Spoken>,
}

impl Conversation {
    /// Shows the dialogue of that player up to that tick, or none; `heard`: with the broadcasts of others. Returns
    /// whether all of it was found.
    pub fn show(&mut self, session: &mut Session, player: Option<PlayerId>, tick: Tick, heard: bool) -> bool {
        let (Some(player), Some(archive)) = (player, session.record_archive()) else {
            self.dialogue = None;
            self.spoken.clear();
            return true;
        };
        let dialogue = match &mut self.dialogue {
            Some(known) if known.player() == player => known,
            other => other.insert(Dialogue::new(player)),
        };
        if let Err(error) = dialogue.show(archive, tick) {
            session.complain(format!("can't read the dialogue: {error}"));
        }
        self.spoken.clear();
        let own = |line: &&Spoken| heard || !is_broadcast(line);
        self.spoken.extend(dialogue.lines().filter(own).cloned());
        dialogue.is_complete()
    }

    /// The lines that were asked for, the oldest first.
    pub fn spoken(&self) -> &[Spoken] {
        &self.spoken
    }
}
