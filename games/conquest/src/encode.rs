//! What observers are sent: the messages of what happened, then what changed of factions and cities, each of these once.
//!
//! Tested by the simulator and in `tests/snapshots.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::FactionId;
use zappy_protocol::conquest::constants::{RULES_VERSION, TICKS_PER_SECOND};
use zappy_protocol::conquest::observer::Message;

use super::world::{Faction, World};

impl World {
    /// Sends what happened since the last burst, in its order, and then what changed of factions and cities.
    pub fn burst(&mut self, send: &mut dyn FnMut(&Message)) {
        if !self.unsent.changed && self.unsent.messages.is_empty() {
            return;
        }
        if std::mem::take(&mut self.unsent.revived) {
            self.dump(send);
        }
        std::mem::take(&mut self.unsent.messages).iter().for_each(&mut *send);
        for faction in self.ids() {
            let holdings = self.holdings(faction);
            if self.observed.factions.get(faction.index()) != Some(&holdings) {
                send(&self.holdings_message(faction));
            }
        }
        for &at in self.cities.keys() {
            if self.observed.cities.get(&at) != Some(&self.people(at)) {
                send(&self.city_message(at));
            }
        }
        self.note_observed();
    }

    /// Drops what happened since the last burst, for a match without an observer.
    pub fn hush(&mut self) {
        if self.unsent.changed || !self.unsent.messages.is_empty() {
            self.unsent.messages.clear();
            self.unsent.revived = false;
            self.note_observed();
        }
    }

    /// Notes what observers know now: the next burst sends what differs from that.
    fn note_observed(&mut self) {
        self.unsent.changed = false;
        self.observed.factions.clear();
        self.observed.factions.extend(self.factions.iter().map(Faction::holdings));
        if !self.cities.is_empty() || !self.observed.cities.is_empty() {
            self.observed.cities = self.cities.keys().map(|&at| (at, self.people(at))).collect();
        }
    }

    /// Sends everything but the running phase, for an observer that comes.
    pub fn dump(&self, send: &mut dyn FnMut(&Message)) {
        send(&Message::MapSize(self.size));
        send(&Message::Rate(TICKS_PER_SECOND));
        send(&Message::Game { version: RULES_VERSION, options: self.options.clone() });
        self.factions.iter().for_each(|faction| send(&Message::Faction(faction.name.clone())));
        self.ids().for_each(|faction| send(&self.holdings_message(faction)));
        let beaten = self.ids().filter(|&faction| !self.alive(faction));
        beaten.for_each(|faction| send(&Message::Beaten(self.name(faction))));
        self.tiles(send);
        for (&at, &owner) in &self.bombs {
            send(&Message::Bomb { at, owner: Some(self.name(owner)) });
        }
        for (&id, &unit) in &self.units {
            send(&self.appearance(id, unit));
        }
        let assigned = self.size.tiles().filter_map(|at| self.site(at).city.map(|city| (at, city)));
        assigned.for_each(|(at, city)| send(&Message::Assigned { at, city: Some(city) }));
        self.cities.keys().for_each(|&at| send(&self.city_message(at)));
        self.used_camps().for_each(|at| send(&Message::Camp { at, ready: false }));
        self.weakened.iter().for_each(|(&at, base)| send(&Message::Siege { at, left: base.left }));
        self.observed.dominion.iter().for_each(|dominion| send(&Message::Dominion(dominion.clone())));
    }

    /// Sends every tile, column by column: the answer to `mct`.
    pub fn tiles(&self, send: &mut dyn FnMut(&Message)) {
        self.size.tiles().for_each(|at| send(&Message::Tile { at, tile: *self.tile(at) }));
    }

    /// The message that a phase of these factions begins, in the order of its resolution.
    pub fn phase_message(&self, phase: u32, acting: &[FactionId]) -> Message {
        let factions = acting.iter().map(|&faction| self.name(faction)).collect();
        Message::PhaseBegan { turn: self.turn, phase, factions }
    }

    fn holdings_message(&self, faction: FactionId) -> Message {
        Message::Holdings { name: self.name(faction), faction, holdings: self.holdings(faction) }
    }

    fn city_message(&self, at: Position) -> Message {
        let people = self.people(at);
        let (citizens, workers, merchants) = (people.citizens, people.workers, people.merchants);
        Message::City { at, citizens, workers, merchants }
    }
}
