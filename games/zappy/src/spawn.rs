//! How things come into the world, and players leave it: the ground at the start, its refill, eggs, players.
//!
//! Everything is drawn from the seed's streams. Tested by the transcripts and the simulator's invariants.

use std::collections::BTreeSet;

use zappy_protocol::Position;
use zappy_protocol::zappy::constants::REFILL_TICKS;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::Response;
use zappy_protocol::zappy::{EggId, Level, Orientation, PlayerId, Resource};

use super::event::{Event, Fate};
use super::player::Player;
use super::schedule::Due;
use super::world::{Egg, Purpose, World};
use zappy_game::chance::Chance;

/// Players that a match may have had, those that are gone included: the result and the digest need them all, two
/// hundred megabytes.
pub(super) const MOST_PLAYERS: usize = 1 << 20;

impl World {
    /// The teams by index, in the order in which they get their eggs and in which messages name them.
    pub(super) fn teams_in_order(&self) -> impl Iterator<Item = usize> + use<> {
        let (teams, backwards) = (self.teams.len(), self.rules().last_named_first);
        (0..teams).map(move |team| if backwards { teams - 1 - team } else { team })
    }

    /// Lays eggs of a team on random tiles, without a layer.
    pub(super) fn scatter_eggs(&mut self, team: usize, count: u32) {
        let mut chance = self.chance(Purpose::Egg);
        for _ in 0..count {
            let at = self.random_tile(&mut chance);
            self.lay(team, None, at);
        }
    }

    fn random_tile(&self, chance: &mut Chance) -> Position {
        self.map.size.position(chance.below(self.map.size.area()) as usize)
    }

    /// Puts an egg, and with it a slot, on a tile.
    pub(super) fn lay(&mut self, team: usize, layer: Option<PlayerId>, at: Position) -> EggId {
        let egg = EggId(self.next_egg);
        self.next_egg += 1;
        self.eggs.insert(egg, Egg { team, at });
        self.teams[team].eggs.push(egg);
        self.map.tile_mut(at).eggs.push(egg);
        self.publish(Message::EggLaid { egg, layer, at });
        egg
    }

    /// Takes an egg, and with it its slot, out of the world.
    pub(super) fn remove_egg(&mut self, id: EggId) -> Option<Egg> {
        let egg = self.eggs.remove(&id)?;
        self.teams[egg.team].eggs.retain(|&other| other != id);
        self.map.remove_egg(egg.at, id);
        Some(egg)
    }

    /// A client hatches from an egg of its team; `None` if the team has no slot left, or the match no room.
    pub(super) fn hatch(&mut self, team: usize) -> Option<PlayerId> {
        // A refused login changes nothing, nor does it draw anything.
        if self.teams[team].eggs.is_empty() || self.players.len() >= MOST_PLAYERS {
            return None;
        }
        let mut chance = self.chance(Purpose::Hatch);
        let eggs = &self.teams[team].eggs;
        // The eggs stand in the order of their numbers.
        let egg = if self.rules().draws_eggs { eggs[chance.index(eggs.len())?] } else { *eggs.first()? };
        let orientation = Orientation::ALL[chance.below(4) as usize];
        let at = self.remove_egg(egg)?.at;
        let player = PlayerId(self.players.len() as u32);
        self.players.push(Player::new(team, at, orientation, self.now));
        self.living.insert(player);
        self.map.add_player(at, player);
        self.note_level(team, Level::MIN);
        self.plan_hunger(player);
        // Under some rules the match's time begins with the first player.
        if self.players.len() == 1
            && self.rules().time_begins_with_players
            && let Some(ticks) = self.config.max_ticks
        {
            self.ends_at = self.now + ticks;
            self.schedule.push(self.ends_at, Due::End, 0, 0);
        }
        let team = self.teams[team].name.clone();
        let Player { level, inventory, .. } = *self.player(player);
        self.publish(Message::PlayerJoined { player, at, orientation, level, team });
        self.publish(Message::PlayerInventory { player, at, inventory });
        self.publish(Message::EggHatched(egg));
        Some(player)
    }

    /// The free slots of a team: one for each of its eggs.
    pub(super) fn free_slots(&self, team: usize) -> u32 {
        u32::try_from(self.teams[team].eggs.len()).unwrap_or(u32::MAX)
    }

    /// Takes a player out of the world; what it carried is gone.
    pub(super) fn remove_player(&mut self, id: PlayerId, how: Fate) {
        if !self.living.remove(&id) {
            return;
        }
        self.fasting.remove(&id);
        let now = self.now;
        let player = self.player_mut(id);
        player.end(how, now);
        let at = player.at;
        self.map.remove_player(at, id);
        if !matches!(how, Fate::Left | Fate::Expelled) {
            self.respond(id, Response::Dead);
        }
        self.publish(Message::Died(id));
        self.emit(Event::Gone(id, how));
        if self.extinct() {
            // The end comes after everything else of this tick.
            self.schedule.push(now, Due::End, 0, 0);
        }
    }

    /// A player has used up a unit of food: it eats the next one or starves.
    pub(super) fn hunger(&mut self, id: PlayerId) {
        if !self.living.contains(&id) {
            return;
        }
        if self.no_food {
            self.fasting.insert(id);
            return;
        }
        if !self.player_mut(id).inventory.take_one(Resource::Food) {
            return self.remove_player(id, Fate::Starved);
        }
        self.emit_inventory(id);
        self.plan_hunger(id);
    }

    /// Plans the next refill if something is missing and none is planned.
    pub(super) fn plan_refill(&mut self) {
        let anything_missing = || Resource::ALL.into_iter().any(|resource| self.missing(resource) > 0);
        if self.refill.planned || self.refill.stopped || !anything_missing() {
            return;
        }
        // An input at a tick comes after that tick's refill.
        let earliest = if self.in_due { self.now } else { self.now + 1 } - self.refill.origin;
        self.refill.planned = true;
        let tick = self.refill.origin + earliest.next_multiple_of(REFILL_TICKS);
        self.schedule.push(tick, Due::Refill, 0, 0);
    }

    fn missing(&self, resource: Resource) -> u64 {
        self.map.natural(resource).saturating_sub(self.map.on_ground(resource))
    }

    /// The console stops refills or lets them go on.
    pub(super) fn set_no_refill(&mut self, stopped: bool) {
        if self.refill.stopped && !stopped && self.rules().refill_begins_anew {
            self.refill.origin = self.now;
            self.refill.planned = false;
        }
        self.refill.stopped = stopped;
    }

    /// Puts back what is missing on the ground, unless this tick is no longer one of a refill.
    pub(super) fn refill(&mut self) {
        if !(self.now - self.refill.origin).is_multiple_of(REFILL_TICKS) {
            return;
        }
        self.refill.planned = false;
        if !self.refill.stopped {
            self.spread(Purpose::Refill);
        }
    }

    /// Puts what is missing on tiles that are drawn. `purpose`: what the draws are for.
    pub(super) fn spread(&mut self, purpose: Purpose) {
        let mut chance = self.chance(purpose);
        let mut changed = BTreeSet::new();
        for resource in Resource::ALL {
            for _ in 0..self.missing(resource) {
                let mut at = self.random_tile(&mut chance);
                // As long as some of it is missing, at least half of all tiles have none, so a few draws find one.
                while self.rules().fills_bare_tiles && self.map.tile(at).resources.get(resource) > 0 {
                    at = self.random_tile(&mut chance);
                }
                self.map.put(at, resource);
                changed.insert(self.map.size.index(at));
            }
        }
        for index in changed {
            let at = self.map.size.position(index);
            let tile = Message::Tile { at, resources: self.map.tile(at).resources };
            self.publish_if(self.rules().publishes_refill, tile);
        }
    }
}
