//! Errands of any player: what it picks up, which tile it goes to for that, and where it looks for more.
//!
//! Decides from the player's memory and a little chance. Tested in `level::body` and in `tests/`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::player::Command;
use zappy_protocol::zappy::{Inventory, Orientation, Resource};

use super::{BATCH, route};
use crate::chance::Chance;
use crate::zappy::memory::{Memory, Spot};

/// Ticks for which a player relies on what it saw on a tile.
const FRESH_FOR: Tick = 150;
/// Ticks between two inventories that it asks for.
pub const INVENTORY_EVERY: Tick = 100;
/// The longest way to a tile from which it fetches something, in commands.
const LONGEST_WAY: u32 = 14;
/// A tile with more players than that is a nest or a meeting place, and a player takes nothing there. On its own tile
/// it counts itself.
pub const CROWD: u32 = 3;
/// Tiles that a player walks at most between two looks.
const STRETCH: u8 = 3;

/// The commands that pick up the wanted ones of the units that lie on the own tile: half a batch at most. Stones matter
/// more than food, so the order of the resources, in which food is first, is reversed.
pub fn takes(there: &Inventory, wanted: &Inventory) -> Vec<Command> {
    let units = there.iter().map(|(resource, n)| (resource, n.min(wanted.get(resource))));
    let mut takes: Vec<Command> = units.flat_map(per_unit(Command::Take)).collect();
    takes.reverse();
    takes.truncate(BATCH / 2);
    takes
}

/// A function that makes one command for each unit of a resource, at most a batch.
pub fn per_unit(make: fn(Resource) -> Command) -> impl Fn((Resource, u32)) -> std::iter::RepeatN<Command> {
    move |(resource, units)| std::iter::repeat_n(make(resource), (units as usize).min(BATCH))
}

/// Goes to the best tile that the player remembers, and takes what it wants there; `worth` is the number of wanted
/// units that it expects on a tile. If ticks pass while lines travel, it goes on to the next best tiles in the same
/// batch and looks around there, to save waiting for answers.
pub fn fetch(
    memory: &Memory,
    wanted: &Inventory,
    worth: impl Fn(Spot, &Inventory, &Inventory) -> u32,
) -> Option<Vec<Command>> {
    let (mut here, mut facing, mut wanted) = (memory.here, memory.facing, *wanted);
    let (mut commands, mut visited) = (Vec::new(), Vec::new());
    loop {
        let worth =
            |spot, there: &Inventory| if visited.contains(&spot) { 0 } else { worth(spot, there, &wanted) };
        let Some((spot, resources)) = best(memory, here, facing, worth) else { break };
        let way = route::commands(facing, memory.torus.delta(here, spot));
        facing = way.iter().fold(facing, |facing, command| match command {
            Command::Right => facing.right(),
            Command::Left => facing.left(),
            _ => facing,
        });
        commands.extend(way);
        commands.extend(takes(&resources, &wanted));
        if !memory.lags() || commands.len() >= BATCH {
            break;
        }
        wanted.subtract(&resources);
        visited.push(spot);
        here = spot;
    }
    if memory.lags() && !commands.is_empty() {
        commands.push(Command::Look);
    }
    commands.truncate(BATCH);
    (!commands.is_empty()).then_some(commands)
}

/// The tile with the fewest commands per wanted unit for a player at `here`, with what was seen on it.
fn best(
    memory: &Memory,
    here: Spot,
    facing: Orientation,
    worth: impl Fn(Spot, &Inventory) -> u32,
) -> Option<(Spot, Inventory)> {
    let mut best: Option<(u32, Spot, Inventory)> = None;
    for (spot, seen) in memory.seen_since(memory.clock.saturating_sub(FRESH_FOR)) {
        let worth = worth(spot, &seen.sight.resources);
        let length = route::length(facing, memory.torus.delta(here, spot));
        if worth == 0 || length == 0 || length > LONGEST_WAY || seen.sight.players > CROWD {
            continue;
        }
        // Commands per unit, times 100.
        let price = (length + worth) * 100 / worth;
        if best.is_none_or(|(least, ..)| price < least) {
            best = Some((price, spot, seen.sight.resources));
        }
    }
    best.map(|(_, spot, resources)| (spot, resources))
}

/// Goes to a tile where the player hasn't looked lately, and looks; `penalty` makes a tile less attractive: 4 outweigh
/// one tile that wasn't seen. If ticks pass while lines travel, it goes on and looks again in the same batch.
pub fn explore(memory: &Memory, chance: &mut Chance, penalty: impl Fn(Spot) -> i32) -> Vec<Command> {
    let steps = i32::from(memory.level.get().min(STRETCH));
    let since = memory.clock.saturating_sub(FRESH_FOR);
    // How attractive a direction is: 4 for each tile ahead that it hasn't seen lately, less the penalty, and some
    // chance.
    let mut score = |way: Orientation| {
        let at = |right| memory.here.plus(way.to_map((steps + 1, right)));
        let unseen = |spot| memory.seen(spot).is_none_or(|seen| seen.at < since);
        let new = (-1..=1).filter(|&right| unseen(at(right))).count();
        let luck = i32::try_from(chance.below(6)).unwrap_or(0);
        i32::try_from(new).unwrap_or(0) * 4 - penalty(at(0)) + luck
    };
    let facing = memory.facing;
    let choices = [(facing, 0), (facing.right(), 1), (facing.left(), 1), (facing.opposite(), 2)];
    let best = choices.into_iter().max_by_key(|&(way, turns)| score(way) - turns * 2);
    let (dx, dy) = best.map_or(facing, |(way, _)| way).step();
    let mut commands = route::commands(facing, (dx * steps, dy * steps));
    commands.push(Command::Look);
    let stretch = usize::try_from(steps).unwrap_or(0) + 1;
    while memory.lags() && commands.len() + stretch <= BATCH {
        commands.extend(std::iter::repeat_n(Command::Forward, stretch - 1));
        commands.push(Command::Look);
    }
    commands
}
