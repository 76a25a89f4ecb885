//! What a player knows of the world: where it is and faces, what it carries, what it saw, where home lies.
//!
//! The server says neither where a player is nor which way it faces, so everything here is in a frame of its own: it
//! was born at (0, 0) facing north. Learns only from the lines it has read; never decides. Tested in each module.

mod home;
mod torus;

use std::collections::BTreeMap;

use zappy_protocol::zappy::constants::{BIRTH_FOOD, FOOD_TICKS, INCANTATION_TICKS};
use zappy_protocol::zappy::geometry::{direction_offset, vision_offset};
use zappy_protocol::zappy::player::{Command, Sight};
use zappy_protocol::zappy::{Inventory, Level, Orientation, Resource};
use zappy_protocol::{MapSize, Tick};

pub use home::Home;
pub use torus::{Shape, Spot, Torus};

/// Tiles remembered at most; a view of level 8 has 81.
const SEEN_LIMIT: usize = 4_096;
/// Ticks that a unit of food lasts; an inventory counts them instead of units where the server counts food in ticks.
const TICKS_PER_FOOD: u32 = FOOD_TICKS as u32;
/// If a server's first inventory has more food than this, the server counts food in ticks.
const FOOD_COUNTED_IN_TICKS: u32 = 100;

/// A tile as it was last seen.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// What was there, less what this player has taken since.
    pub sight: Sight,
    /// The tick at which it was seen.
    pub at: Tick,
}

/// What a player knows of the world.
#[derive(Debug)]
pub struct Memory {
    /// The player's own clock, in ticks since its birth: what its commands took, and an estimate of what passed while
    /// lines travelled. Mostly a little behind the game's.
    pub clock: Tick,
    /// The shape of the world.
    pub torus: Torus,
    /// The tile on which it stands.
    pub here: Spot,
    /// Where it faces; north is where it faced at birth.
    pub facing: Orientation,
    pub level: Level,
    pub inventory: Inventory,
    /// When it last read its inventory; `None` if it never did.
    pub inventory_at: Option<Tick>,
    pub home: Home,
    /// When it last tried in vain to take food at home; `None` if no try failed since one succeeded.
    pub no_food_at_home: Option<Tick>,
    seen: BTreeMap<Spot, Seen>,
    ticks_per_food: u32,
    /// The tick at which it starves, by its own clock.
    starves_at: Tick,
    /// How much of the clock are ticks that passed while lines travelled, as estimated from the food that was eaten.
    lagged: Tick,
    /// How many batches of commands it has sent.
    batches: Tick,
    /// The estimated lag of the running batch, until it is added to the clock.
    batch_lag: Tick,
}

impl Memory {
    pub fn new(size: MapSize, born_at_home: bool) -> Memory {
        let torus = Torus::new(size);
        let home = if born_at_home { Home::known(Spot::default()) } else { Home::unknown(&torus) };
        Memory {
            clock: 0,
            torus,
            here: Spot::default(),
            facing: Orientation::North,
            level: Level::MIN,
            inventory: Inventory::default(),
            inventory_at: None,
            home,
            no_food_at_home: None,
            seen: BTreeMap::new(),
            ticks_per_food: 1,
            starves_at: Tick::from(BIRTH_FOOD + 1) * FOOD_TICKS,
            lagged: 0,
            batches: 0,
            batch_lag: 0,
        }
    }

    /// A command was answered; `ok` says whether it took effect.
    pub fn answered(&mut self, command: &Command, ok: bool) {
        let cost = command.kind().cost();
        if cost > 0 {
            let lag = std::mem::take(&mut self.batch_lag);
            (self.clock, self.lagged) = (self.clock + cost + lag, self.lagged + lag);
        }
        match command {
            Command::Forward if ok => self.step(self.facing.step()),
            Command::Right if ok => self.facing = self.facing.right(),
            Command::Left if ok => self.facing = self.facing.left(),
            Command::Take(resource) => self.took(*resource, ok),
            Command::Set(resource) if ok && self.put_down(*resource) => {
                let here = self.torus.normal(self.here);
                if let Some(seen) = self.seen.get_mut(&here) {
                    seen.sight.resources.add(*resource, 1);
                }
            }
            _ => {}
        }
    }

    /// Notes that a unit was put down; false if it wasn't known to carry one.
    fn put_down(&mut self, resource: Resource) -> bool {
        if resource == Resource::Food {
            self.starves_at = self.starves_at.saturating_sub(FOOD_TICKS);
            return true;
        }
        self.inventory.take_one(resource)
    }

    fn step(&mut self, step: (i32, i32)) {
        self.here = self.torus.normal(self.here.plus(step));
    }

    fn took(&mut self, resource: Resource, ok: bool) {
        if ok && resource == Resource::Food {
            self.starves_at += FOOD_TICKS;
        } else if ok {
            self.inventory.add(resource, 1);
        }
        if resource == Resource::Food && self.at_home() {
            self.no_food_at_home = (!ok).then_some(self.clock);
        }
        if let Some(seen) = self.seen.get_mut(&self.torus.normal(self.here)) {
            if ok {
                seen.sight.resources.take_one(resource);
            } else {
                seen.sight.resources.set(resource, 0);
            }
        }
    }

    /// A push moved the player; it came from the direction `from`, 1 to 8 as for sounds.
    pub fn pushed(&mut self, from: u8) {
        if let Some((ahead, right)) = direction_offset(from) {
            self.step(self.facing.to_map((-ahead, -right)));
        }
    }

    /// An incantation in which the player took part is over; `level` is its new level if it rose.
    pub fn incantation_over(&mut self, level: Option<Level>) {
        self.clock += INCANTATION_TICKS;
        self.level = level.unwrap_or(self.level);
    }

    /// Remembers what a `Look` showed.
    pub fn saw_view(&mut self, sights: &[Sight]) {
        if self.seen.len() + sights.len() > SEEN_LIMIT {
            let recent = self.clock.saturating_sub(200);
            self.seen.retain(|_, seen| seen.at >= recent);
        }
        if self.seen.len() + sights.len() > SEEN_LIMIT {
            self.seen.clear();
        }
        for (i, &sight) in sights.iter().take(SEEN_LIMIT).enumerate() {
            let spot = self.torus.normal(self.here.plus(self.facing.to_map(vision_offset(i))));
            self.seen.insert(spot, Seen { sight, at: self.clock });
        }
    }

    /// Remembers what an `Inventory` showed.
    pub fn saw_inventory(&mut self, mut inventory: Inventory) {
        let food = inventory.get(Resource::Food);
        if self.inventory_at.is_none() && food > FOOD_COUNTED_IN_TICKS {
            self.count_in_ticks();
        }
        let food = Tick::from(food / self.ticks_per_food);
        if self.inventory_at.is_none() {
            // Servers differ in what they give a newborn.
            self.starves_at = self.starves_at.min(self.clock + (food + 1) * FOOD_TICKS);
        }
        // The food that it has eaten shows how many ticks have passed at least: more than its commands took, where
        // lines travel long.
        let passed = self.starves_at.saturating_sub((food + 1) * FOOD_TICKS).max(self.clock);
        self.lagged += passed - self.clock;
        self.clock = passed;
        // The unit that it is eating may end at any moment; the others last in full. If that makes it live longer than
        // it knew, the clock ran ahead, so less lag is assumed from now on.
        let longer = (self.clock + food * FOOD_TICKS + 1).saturating_sub(self.starves_at);
        self.starves_at += longer;
        self.lagged = self.lagged.saturating_sub(longer);
        inventory.set(Resource::Food, 0);
        self.inventory = inventory;
        self.inventory_at = Some(self.clock);
    }

    /// A mate's word from home was heard from that direction; 0 means this player's own tile.
    pub fn heard_home(&mut self, direction: u8) {
        let before = self.torus.is_certain();
        self.home.heard(&mut self.torus, self.here, self.facing, direction);
        if self.torus.is_certain() != before {
            // The spots get their final coordinates now; what was seen at the old ones is lost.
            self.here = self.torus.normal(self.here);
            self.home.normalise(&self.torus);
            self.seen.clear();
        }
    }

    /// Called when it sends a batch of commands; it decides again only when all of them are answered.
    pub fn begin_batch(&mut self) {
        self.batch_lag = self.lagged / self.batches.max(1);
        self.batches += 1;
    }

    /// The ticks that pass while its commands take `ticks` ticks, the travel of lines included.
    pub fn with_lag(&self, ticks: Tick) -> Tick {
        ticks * self.clock.max(1) / (self.clock - self.lagged).max(1)
    }

    /// Whether ticks pass while lines travel.
    pub fn lags(&self) -> bool {
        self.lagged > 0
    }

    /// Ticks until it starves, if it eats no more.
    pub fn ticks_to_live(&self) -> Tick {
        self.starves_at.saturating_sub(self.clock)
    }

    /// Units of food that it could put down, the one that it is eating not counted.
    pub fn food(&self) -> u32 {
        u32::try_from(self.ticks_to_live().saturating_sub(1) / FOOD_TICKS).unwrap_or(u32::MAX)
    }

    /// All that it could put down: stones, and units of food.
    pub fn carried(&self) -> Inventory {
        let mut all = self.inventory;
        all.set(Resource::Food, self.food());
        all
    }

    /// From now on it knows that the server counts food in ticks.
    pub fn count_in_ticks(&mut self) {
        self.ticks_per_food = TICKS_PER_FOOD;
    }

    /// Whether the server counts food in ticks, as the strict rules demand.
    pub fn is_strict(&self) -> bool {
        self.ticks_per_food > 1
    }

    /// The number of stones that it carries.
    pub fn stones(&self) -> u32 {
        self.inventory.iter().filter(|(r, _)| *r != Resource::Food).map(|(_, n)| n).sum()
    }

    /// A tile as last seen; `None` if it was never seen, or is forgotten.
    pub fn seen(&self, spot: Spot) -> Option<Seen> {
        self.seen.get(&self.torus.normal(spot)).copied()
    }

    /// Its own tile, if it has looked at it at the present tick.
    pub fn seen_now(&self) -> Option<Sight> {
        self.seen(self.here).filter(|seen| seen.at == self.clock).map(|seen| seen.sight)
    }

    /// All tiles seen since that tick.
    pub fn seen_since(&self, since: Tick) -> impl Iterator<Item = (Spot, Seen)> + '_ {
        self.seen.iter().filter(move |(_, seen)| seen.at >= since).map(|(spot, seen)| (*spot, *seen))
    }

    /// The way to a tile as `(dx, dy)`: tiles to the right and tiles back, in the frame of its birth.
    pub fn way_to(&self, spot: Spot) -> (i32, i32) {
        self.torus.delta(self.here, spot)
    }

    /// Whether the player stands at home, as far as it knows.
    pub fn at_home(&self) -> bool {
        self.home.spot().is_some_and(|home| self.way_to(home) == (0, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(MapSize::new(10, 10).unwrap(), true)
    }

    #[test]
    fn dead_reckoning_goes_around_the_world() {
        let mut memory = memory();
        for _ in 0..9 {
            memory.answered(&Command::Forward, true);
        }
        assert_eq!(memory.way_to(Spot::default()), (0, -1));
        memory.answered(&Command::Forward, true);
        assert!(memory.at_home());
        assert_eq!(memory.clock, 70);
    }

    #[test]
    fn a_push_is_a_step_away_from_where_it_came() {
        let mut memory = memory();
        memory.answered(&Command::Right, true);
        memory.pushed(5);
        assert_eq!(memory.here, Spot { x: 1, y: 0 });
        memory.pushed(3);
        assert_eq!(
            memory.here,
            Spot { x: 1, y: 1 },
            "from the left, so to the right: south when facing east"
        );
        memory.pushed(0);
        assert_eq!(memory.here, Spot { x: 1, y: 1 });
    }

    #[test]
    fn what_is_taken_is_no_longer_seen() {
        let mut memory = memory();
        let mut sight = Sight::default();
        sight.resources.set(Resource::Food, 2);
        memory.saw_view(&[sight]);
        memory.answered(&Command::Take(Resource::Food), true);
        assert_eq!(memory.food(), BIRTH_FOOD + 1);
        assert_eq!(memory.seen(memory.here).unwrap().sight.resources.get(Resource::Food), 1);
        memory.answered(&Command::Take(Resource::Food), false);
        assert_eq!(memory.seen(memory.here).unwrap().sight.resources.get(Resource::Food), 0);
    }

    #[test]
    fn food_counted_in_ticks_is_understood() {
        let mut memory = memory();
        memory.saw_inventory(Inventory::new([1134, 0, 0, 0, 0, 0, 0]));
        assert_eq!(memory.food(), 9);
        memory.saw_inventory(Inventory::new([126, 2, 0, 0, 0, 0, 0]));
        assert_eq!((memory.food(), memory.stones()), (1, 2));
    }

    #[test]
    fn the_food_that_was_eaten_tells_how_long_lines_travel() {
        let mut memory = memory();
        let food = |units| Inventory::new([units, 0, 0, 0, 0, 0, 0]);
        memory.saw_inventory(food(9));
        assert_eq!((memory.clock, memory.lags()), (0, false));
        for _ in 0..10 {
            memory.begin_batch();
            memory.answered(&Command::Look, true);
        }
        memory.saw_inventory(food(8));
        assert_eq!((memory.clock, memory.with_lag(100)), (126, 180), "its commands took 70 ticks");
        memory.begin_batch();
        memory.answered(&Command::ConnectNbr, true);
        assert_eq!(memory.clock, 126, "an answer of no ticks tells nothing of a moment");
        memory.answered(&Command::Look, true);
        assert_eq!(memory.clock, 126 + 7 + 5, "from now on each batch counts what the others took longer");
        memory.saw_inventory(food(8));
        assert_eq!(memory.clock, 138);
        memory.saw_inventory(food(9));
        assert_eq!((memory.clock, memory.ticks_to_live()), (138, 9 * FOOD_TICKS + 1), "time never goes back");
        assert_eq!(memory.with_lag(100), 153, "but less is expected of what follows");
    }

    #[test]
    fn a_server_that_gives_a_newborn_more_food_is_believed() {
        let mut memory = memory();
        memory.saw_inventory(Inventory::new([10, 0, 0, 0, 0, 0, 0]));
        assert_eq!((memory.clock, memory.food()), (0, 10));
    }

    #[test]
    fn memory_is_bounded() {
        let mut memory = Memory::new(MapSize::new(500, 500).unwrap(), true);
        for _ in 0..20_000 {
            memory.saw_view(&[Sight::default(); 4]);
            memory.answered(&Command::Forward, true);
            memory.answered(&Command::Right, true);
            memory.answered(&Command::Forward, true);
            memory.answered(&Command::Left, true);
        }
        assert!(memory.seen.len() <= SEEN_LIMIT);
    }
}
