//! Events to messages for observers.
//!
//! The only place that knows both the events and how the dialect tells them. What changed of factions and cities is told
//! once, after the events of a burst. Tested by the simulator.

use zappy_protocol::conquest::constants::{RULES_VERSION, TICKS_PER_SECOND};
use zappy_protocol::conquest::observer::{Appearance, Message};
use zappy_protocol::conquest::player::Actor;
use zappy_protocol::conquest::{FactionId, Unit, UnitId};
use zappy_protocol::{Position, TeamName};

use super::event::Event;
use super::refusal::text;
use super::world::{Faction, World};

impl World {
    /// Tells what happened since the last burst, in its order, and then which factions and cities changed.
    pub fn burst(&mut self, tell: &mut dyn FnMut(&Message)) {
        if !self.changed && self.events.is_empty() {
            return;
        }
        let events = std::mem::take(&mut self.events);
        for &event in &events {
            if let Event::CityEnded { at } = event {
                self.told.cities.remove(&at);
            }
            if event == Event::Revived {
                self.dump(tell);
            } else if let Some(message) = self.message(event) {
                tell(&message);
            }
        }
        for faction in self.ids() {
            let holdings = self.holdings(faction);
            if self.told.factions.get(faction.index()) != Some(&holdings) {
                tell(&self.holdings_message(faction));
            }
        }
        for &at in self.cities.keys() {
            if self.told.cities.get(&at) != Some(&self.people(at)) {
                tell(&self.city_message(at));
            }
        }
        self.note_told();
    }

    /// Forgets what happened since the last burst: there is no observer to tell.
    pub fn hush(&mut self) {
        if self.changed || !self.events.is_empty() {
            self.events.clear();
            self.note_told();
        }
    }

    /// A new observer reads the values of now, so the next burst tells what differs from them.
    fn note_told(&mut self) {
        self.changed = false;
        self.told.factions.clear();
        self.told.factions.extend(self.factions.iter().map(Faction::holdings));
        if !self.cities.is_empty() || !self.told.cities.is_empty() {
            self.told.cities = self.cities.keys().map(|&at| (at, self.people(at))).collect();
        }
    }

    /// Tells an observer all that there is, but for the running phase.
    pub fn dump(&self, tell: &mut dyn FnMut(&Message)) {
        tell(&Message::MapSize(self.size));
        tell(&Message::Rate(TICKS_PER_SECOND));
        tell(&Message::Game { version: RULES_VERSION, options: self.options.clone() });
        self.factions.iter().for_each(|faction| tell(&Message::Faction(faction.name.clone())));
        self.ids().for_each(|faction| tell(&self.holdings_message(faction)));
        let beaten = self.ids().filter(|&faction| !self.alive(faction));
        beaten.for_each(|faction| tell(&Message::Beaten(self.name(faction))));
        self.tiles(tell);
        for (&at, &owner) in &self.bombs {
            tell(&Message::Bomb { at, owner: Some(self.name(owner)) });
        }
        for (&unit, &what) in &self.units {
            tell(&self.appearance(unit, what));
        }
        let used = self.size.tiles().filter_map(|at| self.site(at).city.map(|city| (at, city)));
        used.for_each(|(at, city)| tell(&Message::Assigned { at, city: Some(city) }));
        self.cities.keys().for_each(|&at| tell(&self.city_message(at)));
        self.used_camps().for_each(|at| tell(&Message::Camp { at, ready: false }));
        self.weakened.iter().for_each(|(&at, base)| tell(&Message::Siege { at, left: base.left }));
        self.told.dominion.iter().for_each(|dominion| tell(&Message::Dominion(dominion.clone())));
    }

    /// Tells every tile, column by column: the answer to `mct`.
    pub fn tiles(&self, tell: &mut dyn FnMut(&Message)) {
        self.size.tiles().for_each(|at| tell(&Message::Tile { at, tile: *self.tile(at) }));
    }

    /// The message that a phase of these factions begins, in the order of its resolution.
    pub fn phase_message(&self, phase: u32, acting: &[FactionId]) -> Message {
        let factions = acting.iter().map(|&faction| self.name(faction)).collect();
        Message::PhaseBegan { turn: self.turn, phase, factions }
    }

    pub(super) fn name(&self, faction: FactionId) -> TeamName {
        self.faction(faction).name.clone()
    }

    fn holdings_message(&self, faction: FactionId) -> Message {
        Message::Holdings { name: self.name(faction), faction, holdings: self.holdings(faction) }
    }

    fn city_message(&self, at: Position) -> Message {
        let people = self.people(at);
        let (citizens, workers, merchants) = (people.citizens, people.workers, people.merchants);
        Message::City { at, citizens, workers, merchants }
    }

    fn appearance(&self, unit: UnitId, what: Unit) -> Message {
        let Unit { faction, kind, at, health, stance } = what;
        let faction = self.name(faction);
        Message::Appeared { unit, what: Appearance { faction, kind, at, health, stance } }
    }

    /// The message of an event, if it has one of its own.
    fn message(&self, event: Event) -> Option<Message> {
        Some(match event {
            Event::Tile { at, tile } => Message::Tile { at, tile },
            Event::Bomb { at, owner } => Message::Bomb { at, owner: owner.map(|owner| self.name(owner)) },
            Event::Appeared { unit, what } => self.appearance(unit, what),
            Event::Moved { unit, at } => Message::Moved { unit, at },
            Event::Health { unit, health, stance } => Message::Health { unit, health, stance },
            Event::Attacked { unit, target } => Message::Attacked { unit, target },
            Event::Healed { unit, target } => Message::Healed { unit, target },
            Event::Converted { unit, faction } => Message::Converted { unit, faction: self.name(faction) },
            Event::Gone { unit, cause } => Message::Gone { unit, cause },
            Event::Assigned { at, city } => Message::Assigned { at, city },
            Event::Camp { at, ready } => Message::Camp { at, ready },
            Event::Dominion => return self.told.dominion.clone().map(Message::Dominion),
            Event::Siege { at, left } => Message::Siege { at, left },
            Event::Ordered { faction, actor, outcome } => {
                let actor = match actor {
                    Actor::Base => Actor::Base,
                    Actor::City(_) => Actor::City(()),
                    Actor::Unit(unit) => Actor::Unit(unit),
                };
                Message::Ordered { faction: self.name(faction), actor, outcome: outcome.map_err(text) }
            }
            Event::Late { faction } => Message::Late(self.name(faction)),
            Event::Unpaid { faction } => Message::Unpaid(self.name(faction)),
            Event::Beaten { faction } => Message::Beaten(self.name(faction)),
            Event::CityEnded { .. } | Event::Revived => return None,
        })
    }
}
