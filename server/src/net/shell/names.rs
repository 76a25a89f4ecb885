//! Connections that may come in under one name only, and what happens when they say another one.
//!
//! Each such case is kept until it is asked for, one per connection. A name that no team has does no harm: the game
//! answers it, and the first that is said in place of each team's is kept. Tested in `tests` and `lockstep_tests`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use super::{Shell, Stream};
use crate::net::connection::Key;
use zappy_game::{Admission, Game};

/// A connection said another name than its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foul {
    /// The name under which it was let in.
    pub name: Vec<u8>,
    /// The name that it said.
    pub said: Vec<u8>,
    /// Whether a team has that name. If none has, the game answers it, and no harm is done.
    pub known: bool,
}

impl<G: Game, S: Stream> Shell<'_, G, S> {
    /// From now on this connection may play under this name only, and not watch.
    pub fn hold_to(&mut self, key: Key, name: Vec<u8>) {
        if let Some(connection) = self.connections.get_mut(&key) {
            connection.held_to = Some(name);
        }
    }

    /// Charges the time that the server waited to know whose connections are to the teams of these names.
    pub fn charge_door(&mut self, names: &[Vec<u8>], waited: Duration) {
        let Some(rounds) = self.rounds.as_mut().filter(|rounds| rounds.begun) else { return };
        let groups = names.iter().filter_map(|name| match self.game.admission(name) {
            Admission::Plays(group) => Some((group, &**name)),
            Admission::Watches | Admission::Refused => None,
        });
        for (group, name) in groups.collect::<BTreeMap<_, _>>() {
            rounds.keep_waiting(group, &String::from_utf8_lossy(name), waited);
        }
    }

    /// The team to which a connection belongs that may come in under one name only.
    pub(super) fn team_of(&self, key: Key) -> Option<(u32, String)> {
        let name = self.connections.get(&key)?.held_to.as_deref()?;
        match self.game.admission(name) {
            Admission::Plays(group) => Some((group, String::from_utf8_lossy(name).into_owned())),
            Admission::Watches | Admission::Refused => None,
        }
    }

    /// The players that were let in since the last call, by their numbers, and the addresses of their clients.
    pub fn seated(&mut self) -> Vec<(u32, SocketAddr)> {
        std::mem::take(&mut self.seated)
    }

    /// The fouls since the last call.
    pub fn fouls(&mut self) -> Vec<Foul> {
        std::mem::take(&mut self.fouls)
    }

    /// Whether a connection says another name than its own. Then it is closed before the game hears of it.
    pub(super) fn is_foul(&mut self, key: Key, line: &[u8]) -> bool {
        let Some(connection) = self.connections.get(&key) else { return false };
        let Some(name) = &connection.held_to else { return false };
        let asked = self.game.admission(line);
        if asked == Admission::Refused && self.misnamed.insert(name.clone()) {
            self.fouls.push(Foul { name: name.clone(), said: line.to_vec(), known: false });
        }
        if asked == Admission::Refused || asked == self.game.admission(name) {
            return false;
        }
        let foul = Foul { name: name.clone(), said: line.trim_ascii().to_vec(), known: true };
        let said = String::from_utf8_lossy(&foul.said).into_owned();
        log::warn!(
            "{}: closed, it belongs to {} and said {said}",
            connection.peer,
            String::from_utf8_lossy(name)
        );
        self.fouls.push(foul);
        self.lose(key, "it said a name that isn't its own");
        true
    }
}
