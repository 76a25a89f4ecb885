//! What every level but the expert can do: know the world, eat, pick up what it wants, wander.
//!
//! Built on the same memory and the same routes as the expert. Never speaks, and rises only alone. Tested in this
//! module.

use zappy_protocol::zappy::constants::elevation;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::zappy::{Inventory, Level, Resource};
use zappy_protocol::{MapSize, Tick};

use crate::chance::Chance;
use crate::zappy::memory::Memory;
use crate::zappy::plan::errand::{self, CROWD, INVENTORY_EVERY, commands, takes};
use crate::zappy::plan::{BATCH, route};

#[derive(Debug)]
pub struct Body {
    /// What it knows of the world.
    pub memory: Memory,
    pub chance: Chance,
    hungry: bool,
}

impl Body {
    pub fn new(size: MapSize, chance: u64) -> Body {
        Body { memory: Memory::new(size, false), chance: Chance::new(chance), hungry: false }
    }

    pub fn answered(&mut self, command: &Command, response: &Response) {
        self.memory.done(command, *response == Response::Ok);
        match response {
            Response::Look(sights) => self.memory.saw(sights),
            Response::Inventory(inventory) => self.memory.counts(*inventory),
            _ => {}
        }
    }

    /// The tick, as far as it knows.
    pub fn now(&self) -> Tick {
        self.memory.clock
    }

    /// The stones the next elevation takes; none at the top.
    pub fn toll(&self) -> Inventory {
        elevation(self.memory.level).map(|row| row.stones).unwrap_or_default()
    }

    /// What it lacks of those stones, and of that many units of food.
    pub fn lacking(&self, food: u32) -> Inventory {
        let mut wanted = self.toll();
        wanted.set(Resource::Food, food);
        wanted.subtract(&self.memory.carried());
        wanted
    }

    /// Counts what it carries from time to time.
    pub fn count(&self) -> Option<Vec<Command>> {
        let due = self.memory.counted.is_none_or(|at| self.now().saturating_sub(at) >= INVENTORY_EVERY);
        due.then(|| vec![Command::Inventory])
    }

    /// The first incantation, which needs one linemate and no second player.
    pub fn rise_alone(&self) -> Option<Vec<Command>> {
        let able = self.memory.level == Level::MIN && self.lacking(0) == Inventory::default();
        able.then(|| vec![Command::Set(Resource::Linemate), Command::Incantation, Command::Inventory])
    }

    /// Whether it has to eat: it becomes hungry below `hungry` units of food and stays so up to `sated`.
    pub fn must_eat(&mut self, hungry: u32, sated: u32) -> bool {
        let food = self.memory.food();
        self.hungry = food < hungry || self.hungry && food < sated;
        self.hungry
    }

    /// Finds food until it carries that much.
    pub fn find_food(&mut self, enough: u32) -> Vec<Command> {
        let mut wanted = Inventory::default();
        wanted.set(Resource::Food, enough.saturating_sub(self.memory.food()).max(1));
        self.gather(&wanted)
    }

    /// Picks up what it wants here, goes where it saw something, or looks around elsewhere.
    pub fn gather(&mut self, wanted: &Inventory) -> Vec<Command> {
        let worth =
            |_, there: &Inventory, wanted: &Inventory| u32::try_from(takes(there, wanted).len()).unwrap_or(0);
        let fetch = || errand::fetch(&self.memory, wanted, worth);
        self.take_here(wanted).or_else(fetch).unwrap_or_else(|| self.wander())
    }

    /// The commands of that way, as many as fit into a batch.
    pub fn travel(&self, way: (i32, i32)) -> Vec<Command> {
        route::commands(self.memory.facing, way)
    }

    /// Goes a few steps that way, since the next shout may correct the way; looks around if there is no step left.
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
        let sets = units.iter().map(|(r, n)| (r, n.min(carried.get(r)))).flat_map(commands(Command::Set));
        sets.take(BATCH).collect()
    }

    fn take_here(&self, wanted: &Inventory) -> Option<Vec<Command>> {
        let seen = self.memory.seen(self.memory.here).filter(|seen| seen.sight.players <= CROWD)?;
        let takes = takes(&seen.sight.resources, wanted);
        (!takes.is_empty()).then_some(takes)
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
        body.memory.counts(Inventory::new([9; 7]));
        assert_eq!(body.put_down(&Inventory::new([50; 7])).len(), BATCH);
        assert!(body.gather(&Inventory::new([50; 7])).len() <= BATCH);
        assert!(body.wander().len() <= BATCH);
    }
}
