//! Placement by draft: factions choose their starts one after another, in turn 0.
//!
//! Tested in `tests/maps.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::FactionId;

use super::map::Purpose;
use super::world::World;
use zappy_game::chance::Chance;

impl World {
    /// The order in which the factions choose, drawn from the seed.
    pub fn draft_order(&self) -> Vec<FactionId> {
        let mut order: Vec<FactionId> = self.ids().collect();
        Chance::new(self.seed, Purpose::DraftOrder as u64, 0, 0).shuffle(&mut order);
        order
    }

    /// The starts that no faction has yet, with their numbers.
    pub fn free_starts(&self) -> impl Iterator<Item = (u32, Position)> {
        let taken = |at: Position| self.factions.iter().any(|faction| faction.base == Some(at));
        (0..).zip(self.starts.iter().map(|(at, _)| *at)).filter(move |&(_, at)| !taken(at))
    }

    /// The faction wants that start; a later choice replaces the earlier one.
    ///
    /// # Errors
    /// In words, why it can't have it.
    pub fn choose(&mut self, faction: FactionId, number: u32) -> Result<(), String> {
        if !self.free_starts().any(|(free, _)| free == number) {
            let free: Vec<String> = self.free_starts().map(|(free, _)| free.to_string()).collect();
            return Err(format!("no free start {number}; free are {}", free.join(", ")));
        }
        self.chosen[faction.index()] = Some(number);
        Ok(())
    }

    /// The faction's turn to choose is over: it gets the start that it chose, or one by lot.
    pub fn settle(&mut self, faction: FactionId) {
        if self.faction(faction).base.is_some() {
            return;
        }
        let free: Vec<(u32, Position)> = self.free_starts().collect();
        let chosen = self.chosen[faction.index()].take();
        let lot = || Chance::new(self.seed, Purpose::DraftLot as u64, 0, faction.0.into()).index(free.len());
        let place = free.iter().position(|&(number, _)| Some(number) == chosen).or_else(lot);
        if let Some(&(_, at)) = place.and_then(|place| free.get(place)) {
            self.found(faction, at);
        }
    }
}
