//! The match of Zappy that is watched.
//!
//! Never draws. Tested in `tests/session.rs`.

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::{Speech, Spoken};
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::Roster;

use crate::app::action::Direction;
use crate::app::session;
use crate::zappy::timeline::chronicle::{Chronicle, Chronicler};
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

/// Whether a line only says what another player said to all.
pub fn is_broadcast(spoken: &Spoken) -> bool {
    spoken.speech == Speech::Out && spoken.text.starts_with("message ")
}
