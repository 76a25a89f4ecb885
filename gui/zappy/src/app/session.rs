//! The match of Zappy that is watched.
//!
//! Never draws. Tested in `tests/session.rs`.

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::{Speech, Spoken};
use zappy_protocol::zappy::PlayerId;

use crate::timeline::chronicle::Chronicler;
use crate::timeline::refusal;
use zappy_observer::app::action::Direction;
use zappy_observer::app::session;

/// The match of Zappy that is watched.
pub type Session = session::Session<Chronicler>;

/// The next tick at which the player was refused something, or the one before; a live server doesn't tell.
pub fn refusal(session: &mut Session, player: PlayerId, tick: Tick, direction: Direction) -> Option<Tick> {
    let archive = session.record_archive()?;
    let found = match direction {
        Direction::Next => refusal::next(archive, player, tick),
        Direction::Previous => refusal::previous(archive, player, tick),
    };
    found.unwrap_or_else(|error| {
        session.complain(format!("can't look for refusals: {error}"));
        None
    })
}

/// Whether a line only says what another player said to all.
pub fn is_broadcast(spoken: &Spoken) -> bool {
    spoken.speech == Speech::Out && spoken.text.starts_with("message ")
}
