//! Errands, whatever a player wants: what it picks up, which tile it goes to for that, and where it looks for more.
//!
//! Decides from what the player remembers, and a little chance. Tested in `level::body` and in `tests/`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::player::Command;
use zappy_protocol::zappy::{Inventory, Orientation, Resource};

use super::{BATCH, route};
use crate::chance::Chance;
use crate::zappy::memory::{Memory, Spot};

/// Ticks after which a player no longer relies on what it saw.
const STALE: Tick = 150;
/// Ticks between two counts of what it carries.
pub const COUNT: Tick = 100;
/// The farthest detour, in commands.
const REACH: u32 = 14;
/// A tile with more players than that is a nest or a meeting place, and nothing is taken there; on its own tile a
/// player counts itself.
pub const CROWD: u32 = 3;
/// The farthest stretch between two looks.
const STRETCH: u8 = 3;

/// The commands that pick up what is wanted of what lies there: half a batch at most. Food comes first by its number,
/// but stones matter more.
pub fn takes(there: &Inventory, wanted: &Inventory) -> Vec<Command> {
    let units = there.iter().map(|(resource, n)| (resource, n.min(wanted.get(resource))));
    let mut takes: Vec<Command> = units.flat_map(commands(Command::Take)).collect();
    takes.reverse();
    takes.truncate(BATCH / 2);
    takes
}

/// One command per unit, as many as fit into a batch.
pub fn commands(make: fn(Resource) -> Command) -> impl Fn((Resource, u32)) -> std::iter::RepeatN<Command> {
    move |(resource, units)| std::iter::repeat_n(make(resource), (units as usize).min(BATCH))
}

/// Goes to the best tile that the player remembers, and takes there what it wants; `worth` is how many units it
/// expects of a tile.
pub fn fetch(
    memory: &Memory,
    wanted: &Inventory,
    worth: impl Fn(Spot, &Inventory) -> u32,
) -> Option<Vec<Command>> {
    let mut best: Option<(u32, Spot, Inventory)> = None;
    for (spot, seen) in memory.seen_since(memory.clock.saturating_sub(STALE)) {
        let worth = worth(spot, &seen.sight.resources);
        let length = route::length(memory.facing, memory.way_to(spot));
        if worth == 0 || length == 0 || length > REACH || seen.sight.players > CROWD {
            continue;
        }
        // Commands per unit, in hundredths.
        let price = (length + worth) * 100 / worth;
        if best.is_none_or(|(least, ..)| price < least) {
            best = Some((price, spot, seen.sight.resources));
        }
    }
    let (_, spot, resources) = best?;
    let mut commands = route::commands(memory.facing, memory.way_to(spot));
    commands.extend(takes(&resources, wanted));
    commands.truncate(BATCH);
    Some(commands)
}

/// Goes where the player hasn't looked lately, and looks; `far` is what speaks against a tile.
pub fn explore(memory: &Memory, chance: &mut Chance, far: impl Fn(Spot) -> i32) -> Vec<Command> {
    let steps = i32::from(memory.level.get().min(STRETCH));
    let since = memory.clock.saturating_sub(STALE);
    // How many tiles there are that way that it hasn't seen lately, weighed, with some chance.
    let mut promise = |way: Orientation| {
        let at = |right| memory.here.plus(way.to_map((steps + 1, right)));
        let fresh = |spot| memory.seen(spot).is_none_or(|seen| seen.at < since);
        let new = (-1..=1).filter(|&right| fresh(at(right))).count();
        let luck = i32::try_from(chance.below(6)).unwrap_or(0);
        i32::try_from(new).unwrap_or(0) * 4 - far(at(0)) + luck
    };
    let facing = memory.facing;
    let choices = [(facing, 0), (facing.right(), 1), (facing.left(), 1), (facing.opposite(), 2)];
    let best = choices.into_iter().max_by_key(|&(way, turns)| promise(way) - turns * 2);
    let (dx, dy) = best.map_or(facing, |(way, _)| way).step();
    let mut commands = route::commands(facing, (dx * steps, dy * steps));
    commands.push(Command::Look);
    commands
}
