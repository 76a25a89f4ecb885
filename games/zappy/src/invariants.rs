//! What must hold of the world between any two steps, for simulations.
//!
//! Never changes the world. Used by `simulation/tests/rules`.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::zappy::constants::{QUEUE_LIMIT, REFILL_TICKS, natural_amount};
use zappy_protocol::zappy::{PlayerId, Resource};

use super::Zappy;
use super::world::World;
use zappy_game::SeatId;

impl Zappy {
    /// Panics if an invariant doesn't hold, or other seats are open than these. `due`: what was due at this tick has run.
    pub fn assert_invariants(&self, open: &BTreeSet<SeatId>, due: bool) {
        self.assert_world_invariants(due);
        self.lobby.assert_invariants(open);
        for &player in &self.world.living {
            assert!(open.contains(&self.seat(player)), "{player} lives and has no seat");
        }
    }

    /// Panics if an invariant of the world doesn't hold. `due`: what was due at this tick has run.
    pub fn assert_world_invariants(&self, due: bool) {
        let world = &self.world;
        world.assert_invariants();
        // Nothing is missing on the ground after a refill's tick.
        let elapsed = world.now - world.refill.origin;
        let began = world.refill.origin == 0 || elapsed > 0;
        if due && elapsed.is_multiple_of(REFILL_TICKS) && began && !world.refill.stopped && !world.over {
            for resource in Resource::ALL {
                let natural = u64::from(natural_amount(resource, world.map.size.area()));
                assert!(world.map.on_ground(resource) >= natural, "{resource} did not come back");
            }
        }
    }
}

impl World {
    /// Panics if an invariant doesn't hold.
    pub(super) fn assert_invariants(&self) {
        for resource in Resource::ALL {
            let sum: u64 =
                self.map.size.tiles().map(|at| u64::from(self.map.tile(at).resources.get(resource))).sum();
            assert_eq!(sum, self.map.on_ground(resource), "the sum of {resource} is off");
        }
        self.assert_players();
        for (number, incantation) in &self.incantations {
            for &id in &incantation.players {
                let player = self.player(id);
                let held = !self.rules().holds_initiator_only || incantation.initiator == Some(id);
                assert!(
                    !player.is_alive() || player.incantation == Some(*number) || self.over,
                    "{id} takes no part"
                );
                assert!(!player.is_alive() || player.frozen == held || self.over, "{id}: frozen or not?");
            }
        }
        for &id in &self.living {
            let player = self.player(id);
            if let Some(number) = player.incantation {
                assert!(self.incantations[&number].players.contains(&id), "{id} takes part in nothing");
            }
            assert!(!player.frozen || player.incantation.is_some(), "{id} is frozen by nothing");
        }
        let mut slots = BTreeMap::new();
        for (index, team) in self.teams.iter().enumerate() {
            for &egg in &team.eggs {
                assert_eq!(self.eggs[&egg].team, index);
                assert!(slots.insert(egg, index).is_none(), "{egg} is two slots");
            }
        }
        assert_eq!(slots.len(), self.eggs.len(), "an egg is no slot");
        for (&id, egg) in &self.eggs {
            assert!(self.map.tile(egg.at).eggs.contains(&id), "{id} does not lie at {}", egg.at);
        }
        let lying: usize = self.map.size.tiles().map(|at| self.map.tile(at).eggs.len()).sum();
        assert_eq!(lying, self.eggs.len(), "an egg lies twice");
        let born = self.players.len() + self.eggs.len();
        assert!(born <= self.next_egg as usize, "more lives than eggs");
        // Each player has a few entries, among them some that no longer count.
        let bound = 5 * self.players.len() + self.incantations.len() + 8;
        assert!(self.schedule.len() <= bound, "the schedule grows: {} entries", self.schedule.len());
        assert!(
            self.over || self.schedule.next_tick().is_none_or(|tick| tick >= self.now),
            "something is overdue"
        );
    }

    fn assert_players(&self) {
        let mut standing = 0;
        for at in self.map.size.tiles() {
            for &id in &self.map.tile(at).players {
                assert!(self.living.contains(&id) && self.player(id).at == at, "{id} does not stand at {at}");
                standing += 1;
            }
        }
        assert_eq!(standing, self.living.len(), "a player stands nowhere");
        assert!(self.fasting.is_subset(&self.living), "a player fasts that is gone");
        // A player that has thawed is free, but goes on only when its entry of this tick in the schedule comes.
        let settled = !self.over && self.schedule.next_tick() != Some(self.now);
        for (player, number) in self.players.iter().zip(0..) {
            let id = PlayerId(number);
            assert_eq!(player.is_alive(), self.living.contains(&id));
            let agenda = player.agenda();
            assert!(agenda.queue.len() <= QUEUE_LIMIT, "{id} has too many commands");
            let free = settled && player.is_free();
            assert!(!free || agenda.queue.is_empty(), "{id} is free and has commands");
            assert!(!free || player.idle_since.is_some(), "{id} is free and not idle");
            if let Some(running) = &agenda.running {
                assert_eq!(running.suspended.is_some(), player.frozen, "{id}: frozen or not?");
                assert!(
                    running.suspended.is_some() || running.due >= self.now || self.over,
                    "{id} is overdue"
                );
            }
        }
    }
}
