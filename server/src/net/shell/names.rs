//! Who may come in under one name only, and what becomes of those who say another one.
//!
//! What is said of them is kept until it is asked for, one entry per connection. Never closes anybody who says a
//! name that nobody has: the game answers that. Tested in `tests` and `lockstep_tests`.

use super::{Shell, Stream};
use crate::game::{Admission, Game};
use crate::net::connection::Key;

/// Somebody said a name that isn't its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foul {
    /// The name it was let in under.
    pub name: Vec<u8>,
    /// What it said.
    pub said: Vec<u8>,
}

impl<G: Game, S: Stream> Shell<'_, G, S> {
    /// From now on this connection may take part under this name only, and not watch.
    pub fn hold_to(&mut self, key: Key, name: Vec<u8>) {
        if let Some(connection) = self.connections.get_mut(&key) {
            connection.held_to = Some(name);
        }
    }

    /// What happened of that kind since this was last asked for.
    pub fn fouls(&mut self) -> Vec<Foul> {
        std::mem::take(&mut self.fouls)
    }

    /// Whether somebody says a name that isn't its own. Then the connection is lost before the game hears of it.
    pub(super) fn is_foul(&mut self, key: Key, line: &[u8]) -> bool {
        let Some(connection) = self.connections.get(&key) else { return false };
        let Some(name) = &connection.held_to else { return false };
        let asked = self.game.admission(line);
        if asked == Admission::Refused || asked == self.game.admission(name) {
            return false;
        }
        let foul = Foul { name: name.clone(), said: line.trim_ascii().to_vec() };
        let said = String::from_utf8_lossy(&foul.said).into_owned();
        log::warn!("{}: closed, it is of {} and said {said}", connection.peer, String::from_utf8_lossy(name));
        self.fouls.push(foul);
        self.lose(key, "it said a name that isn't its own");
        true
    }
}
