//! What all levels of play but `expert` have in common: a player that knows the world, eats, picks up what it wants and
//! wanders.
//!
//! Built on the same memory and the same routes as the expert. Never speaks, and begins no incantation but the first,
//! which needs one player. Tested in this module.

use zappy_protocol::zappy::constants::elevation;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::zappy::{Inventory, Level, Resource};
use zappy_protocol::{MapSize, Tick};

use crate::chance::Chance;
use crate::zappy::memory::Memory;
use crate::zappy::plan::errand::{self, CROWD, INVENTORY_EVERY, per_unit, takes};
use crate::zappy::plan::{BATCH, route};

/// What a player knows of the world, and its own stream of random numbers.
#[derive(Debug)]
pub struct Body {
    /// What it knows of the world.
    pub memory: Memory,
    pub chance: Chance,
    /// Whether it eats until it is sated.
    hungry: bool,
}

impl Body {
    pub fn new(size: MapSize, seed: u64) -> Body {
        Body { memory: Memory::new(size, false), chance: Chance::new(seed), hungry: false }
    }

    pub fn answered(&mut self, command: &Command, response: &Response) {
        self.memory.answered(command, *response == Response::Ok);
        match response {
            Response::Look(sights) => self.memory.saw_view(sights),
            Response::Inventory(inventory) => self.memory.saw_inventory(*inventory),
            _ => {}
        }
    }

    /// The present tick by its own clock.
    pub fn now(&self) -> Tick {
        self.memory.clock
    }

    /// The stones that the incantation of its level takes; none at the highest level.
    pub fn stones_to_rise(&self) -> Inventory {
        elevation(self.memory.level).map(|row| row.stones).unwrap_or_default()
    }

    /// What it lacks of the stones to rise and of `food` units of food.
    pub fn lacking(&self, food: u32) -> Inventory {
        let mut wanted = self.stones_to_rise();
        wanted.set(Resource::Food, food);
        wanted.subtract(&self.memory.carried());
        wanted
    }

    /// The command that asks for its inventory; `None` while it knows one that is younger than [`INVENTORY_EVERY`].
    pub fn check_inventory(&self) -> Option<Vec<Command>> {
        let due = self.memory.inventory_at.is_none_or(|at| self.now().saturating_sub(at) >= INVENTORY_EVERY);
        due.then(|| vec![Command::Inventory])
    }

    /// The commands of the first incantation, which needs one linemate and no second player; `None` above level 1
    /// or without a linemate.
    pub fn rise_alone(&self) -> Option<Vec<Command>> {
        let able = self.memory.level == Level::MIN && self.lacking(0) == Inventory::default();
        able.then(|| vec![Command::Set(Resource::Linemate), Command::Incantation, Command::Inventory])
    }

    /// Decides whether it has to eat: it becomes hungry below `hungry_below` units of food and stays so until it has
    /// `sated_at`.
    pub fn must_eat(&mut self, hungry_below: u32, sated_at: u32) -> bool {
        let food = self.memory.food();
        self.hungry = food < hungry_below || self.hungry && food < sated_at;
        self.hungry
    }

    /// Looks for food until it carries `enough` units; at least one more if it has them.
    pub fn find_food(&mut self, enough: u32) -> Vec<Command> {
        let mut wanted = Inventory::default();
        wanted.set(Resource::Food, enough.saturating_sub(self.memory.food()).max(1));
        self.gather(&wanted)
    }

    /// Picks up what it wants from its own tile, fetches it from a tile where it saw some, or looks around elsewhere.
    pub fn gather(&mut self, wanted: &Inventory) -> Vec<Command> {
        let worth =
            |_, there: &Inventory, wanted: &Inventory| u32::try_from(takes(there, wanted).len()).unwrap_or(0);
        let fetch = || errand::fetch(&self.memory, wanted, worth);
        // Where others meet it takes nothing from its own tile.
        let here = self.memory.seen(self.memory.here).filter(|seen| seen.sight.players <= CROWD);
        let takes = here.map(|seen| takes(&seen.sight.resources, wanted)).filter(|takes| !takes.is_empty());
        takes.or_else(fetch).unwrap_or_else(|| self.wander())
    }

    /// The commands of the way `(dx, dy)`, as many as fit into a batch.
    pub fn travel(&self, way: (i32, i32)) -> Vec<Command> {
        route::commands(self.memory.facing, way)
    }

    /// Sends at most four commands of the way `(dx, dy)`, since the next broadcast may correct it; looks around if
    /// there is no way left.
    pub fn approach(&self, way: (i32, i32)) -> Vec<Command> {
        let mut commands = self.travel(way);
        commands.truncate(4);
        if commands.is_empty() {
            commands.push(Command::Look);
        }
        commands
    }

    /// Puts down these units, as far as it carries them.
    pub fn put_down(&self, units: &Inventory) -> Vec<Command> {
        let carried = self.memory.carried();
        let sets = units.iter().map(|(r, n)| (r, n.min(carried.get(r)))).flat_map(per_unit(Command::Set));
        sets.take(BATCH).collect()
    }

    /// Goes where it hasn't looked lately, and looks.
    pub fn wander(&mut self) -> Vec<Command> {
        errand::explore(&self.memory, &mut self.chance, |_| 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::zappy::player::Sight;

    fn body() -> Body {
        Body::new(MapSize::new(10, 10).unwrap(), 1)
    }

    fn sight(amounts: [u32; 7]) -> Sight {
        Sight { players: 0, resources: Inventory::new(amounts), eggs: 0 }
    }

    #[test]
    fn it_takes_what_it_wants_and_leaves_the_rest() {
        let mut body = body();
        let look = vec![sight([3, 1, 1, 0, 0, 0, 0]), sight([0; 7]), sight([0; 7]), sight([0; 7])];
        body.answered(&Command::Look, &Response::Look(look));
        let wanted = Inventory::new([2, 1, 0, 0, 0, 0, 0]);
        let food = Command::Take(Resource::Food);
        assert_eq!(body.gather(&wanted), [Command::Take(Resource::Linemate), food.clone(), food]);
    }

    #[test]
    fn it_fetches_what_it_saw() {
        let mut body = body();
        let look = vec![sight([0; 7]), sight([0; 7]), sight([0; 7]), sight([1, 0, 0, 0, 0, 0, 0])];
        body.answered(&Command::Look, &Response::Look(look));
        let way = [Command::Forward, Command::Right, Command::Forward, Command::Take(Resource::Food)];
        assert_eq!(body.find_food(99), way);
    }

    #[test]
    fn where_others_meet_nothing_is_taken() {
        let mut body = body();
        let crowd = Sight { players: 4, ..sight([5; 7]) };
        body.answered(&Command::Look, &Response::Look(vec![crowd]));
        assert_eq!(body.find_food(99).last(), Some(&Command::Look));
    }

    #[test]
    fn it_rises_alone_once() {
        let mut body = body();
        assert_eq!(body.rise_alone(), None);
        body.memory.inventory.add(Resource::Linemate, 1);
        assert!(body.rise_alone().is_some());
        body.memory.incantation_over(Level::new(2));
        assert_eq!(body.rise_alone(), None);
    }

    #[test]
    fn everything_fits_into_a_batch() {
        let mut body = body();
        let look = (0..4).map(|_| sight([9; 7])).collect();
        body.answered(&Command::Look, &Response::Look(look));
        body.memory.saw_inventory(Inventory::new([9; 7]));
        assert_eq!(body.put_down(&Inventory::new([50; 7])).len(), BATCH);
        assert!(body.gather(&Inventory::new([50; 7])).len() <= BATCH);
        assert!(body.wander().len() <= BATCH);
    }
}
