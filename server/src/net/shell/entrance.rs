//! How connections get their seats: they wait at the gate, are let in one by one, and may be held to one name.
//!
//! A connection that says another name than its own commits a foul, which is news for the program at the door. A name
//! that no team has does no harm: the game answers it, and only the first one of each team is news. Tested in `tests`
//! and `tests::lockstep`.

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

use super::Stream;
use crate::net::connection::{Connection, Key};
use zappy_game::chance::{ADMISSION, Chance};
use zappy_game::{Admission, Game, Tick};

/// A connection that said another name than its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foul {
    /// The name under which it was let in.
    pub name: Vec<u8>,
    /// The name that it said.
    pub said: Vec<u8>,
    /// Whether a team has that name. If none has, the game answers it, and no harm is done.
    pub known: bool,
}

/// News for the program at the door.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DoorNews {
    /// Connections that said another name than their own.
    pub fouls: Vec<Foul>,
    /// Players that were let in, by number, with the addresses of their clients.
    pub seated: Vec<(u32, SocketAddr)>,
    /// Players that were late, by number, each with the tick at which it was late.
    pub late: Vec<(u32, Tick)>,
}

/// The connections on their way to a seat.
pub(super) struct Entrance {
    /// Whether connections may take a seat.
    pub(super) gate: bool,
    /// Connections that came while the gate was closed.
    pub(super) waiting: Vec<Key>,
    /// Connections that get a seat next, in this order.
    pub(super) opening: VecDeque<Key>,
    /// The number of the seat that the next connection gets.
    pub(super) next_seat: u32,
    /// Draws the order of the connections that waited.
    chance: Chance,
    pub(super) news: DoorNews,
    /// The names of the teams of which a connection has already said a name that no team has.
    misnamed: BTreeSet<Vec<u8>>,
    /// How many players were let in.
    pub(super) admitted: u32,
}

impl Entrance {
    pub(super) fn new(seed: u64) -> Entrance {
        Entrance {
            gate: false,
            waiting: Vec::new(),
            opening: VecDeque::new(),
            next_seat: 0,
            chance: Chance::new(seed, ADMISSION, 0, 0),
            news: DoorNews::default(),
            misnamed: BTreeSet::new(),
            admitted: 0,
        }
    }

    /// Gives a new connection a seat, or lets it wait while the gate is closed.
    pub(super) fn enter(&mut self, key: Key) {
        if self.gate { self.opening.push_back(key) } else { self.waiting.push(key) }
    }

    /// Forgets a connection that left before it was let in.
    pub(super) fn leave(&mut self, key: Key) {
        self.waiting.retain(|&waiting| waiting != key);
        self.opening.retain(|&waiting| waiting != key);
    }

    pub(super) fn set_gate(&mut self, open: bool) {
        self.gate = open;
        if open {
            let mut waiting = std::mem::take(&mut self.waiting);
            self.chance.shuffle(&mut waiting);
            self.opening.extend(waiting);
        }
    }

    /// Whether a connection says the name of another team, or of observers, in place of its own. Adds to the news that
    /// it does, or that it says a name that no team has.
    pub(super) fn is_foul<S: Stream>(
        &mut self,
        connection: &Connection<S>,
        line: &[u8],
        game: &impl Game,
    ) -> bool {
        let Some(name) = &connection.held_to else { return false };
        let asked = game.admission(line);
        if asked == Admission::Refused && self.misnamed.insert(name.clone()) {
            self.news.fouls.push(Foul { name: name.clone(), said: line.to_vec(), known: false });
        }
        if asked == Admission::Refused || asked == game.admission(name) {
            return false;
        }
        let foul = Foul { name: name.clone(), said: line.trim_ascii().to_vec(), known: true };
        let [own, said] = [name, &foul.said].map(|name| String::from_utf8_lossy(name).into_owned());
        log::warn!("{}: closed, it belongs to {own} and said {said}", connection.peer);
        self.news.fouls.push(foul);
        true
    }
}

/// The group that plays under a name, with the name as a string; `None` if no team has that name.
pub(super) fn team_of(name: &[u8], game: &impl Game) -> Option<(u32, String)> {
    match game.admission(name) {
        Admission::Plays(group) => Some((group, String::from_utf8_lossy(name).into_owned())),
        Admission::Watches | Admission::Refused => None,
    }
}
