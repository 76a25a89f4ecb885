//! `aggressor`: lives from disturbing others.
//!
//! It follows every stranger's voice to its tile, pushes the players there away and takes the stones and the food
//! that lie there. When it knows of no victim it uses what it stole: it calls its mates, as `medium` does, and rises
//! with those that come. Never floods: it speaks only to meet. Tested in this module and in `tests/levels.rs`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::player::Command;
use zappy_protocol::zappy::{Inventory, Level, Resource};

use super::body::Body;
use super::loner::{LonerState, Temper};
use super::voice::Voice;
use crate::zappy::plan::errand::takes;
use crate::zappy::plan::route;

/// Units of food below which it looks for nothing else.
const HUNGRY: u32 = 5;
/// Units of food up to which a hungry player looks for more.
const SATED: u32 = 9;
/// Units of food up to which it takes what others leave.
const LOOTED_FOOD: u32 = 30;
/// Stones of a kind up to which it takes what others leave, even beyond its own need: others lack them then.
const LOOTED_STONES: u32 = 20;
/// Ticks without a voice or a victim after which it gives up a chase.
const CHASE_TIME: Tick = 250;
/// Ticks for which it believes that a crowd stays where it was seen.
const CROWD_MEMORY: Tick = 40;
/// Players on a tile that make a crowd, this one counted on its own tile.
const CROWD: u32 = 2;

/// The stranger that it follows.
#[derive(Debug)]
struct Prey {
    voice: Voice,
    /// When the stranger was last heard or pushed.
    last_met: Tick,
}

/// The temper of a loner that disturbs others.
#[derive(Debug, Default)]
pub struct Aggressor {
    prey: Option<Prey>,
}

impl Aggressor {
    /// Pushes the other players off its own tile, and takes what they leave.
    fn strike(&mut self, own: &LonerState) -> Option<Vec<Command>> {
        own.body.memory.seen_now().filter(|sight| sight.players >= CROWD)?;
        if own.meeting.is_on() {
            return None;
        }
        if let Some(prey) = &mut self.prey {
            prey.last_met = own.body.now();
        }
        Some([Command::Eject].into_iter().chain(loot(&own.body)).chain([Command::Look]).collect())
    }
}

/// The commands that take what it wants of what lies on its own tile.
fn loot(body: &Body) -> Vec<Command> {
    let Some(sight) = body.memory.seen_now() else { return Vec::new() };
    let mut wanted = Inventory::new([LOOTED_STONES; Resource::COUNT]);
    wanted.set(Resource::Food, LOOTED_FOOD);
    wanted.subtract(&body.memory.carried());
    takes(&sight.resources, &wanted)
}

/// Sends at most four commands of the way `(dx, dy)`, since the next shout may correct it. Looks around if it arrives.
fn approach(body: &Body, way: (i32, i32)) -> Vec<Command> {
    let mut commands = body.travel(way);
    let arrives = commands.len() <= 4;
    commands.truncate(4);
    if arrives {
        commands.push(Command::Look);
    }
    commands
}

impl Temper for Aggressor {
    fn decide(&mut self, own: &mut LonerState) -> Vec<Command> {
        if own.must_eat(HUNGRY, SATED) {
            let here = own.body.memory.seen_now().map_or_else(Vec::new, |sight| {
                takes(&sight.resources, &Inventory::new([LOOTED_FOOD, 0, 0, 0, 0, 0, 0]))
            });
            return if here.is_empty() { own.body.find_food(SATED) } else { here };
        }
        let meets = own.meeting.is_on();
        // To call a meeting comes last; a meeting that has begun comes before a chase.
        let commands = (own.body.rise_alone())
            .or_else(|| self.strike(own))
            .or_else(|| if meets { own.attend(Level::MAX) } else { None })
            .or_else(|| {
                // Goes to the tile from which the voice comes, takes what lies there, and waits for the players to come
                // back.
                let prey = self.prey.as_ref()?;
                if own.body.now() - prey.last_met > CHASE_TIME {
                    self.prey = None;
                    return None;
                }
                let way = prey.voice.way_to_speaker(&own.body.memory)?;
                if way != (0, 0) {
                    return Some(approach(&own.body, way));
                }
                let mut commands = loot(&own.body);
                commands.push(Command::Look);
                Some(commands)
            })
            .or_else(|| {
                // Goes to the nearest tile where it saw a crowd lately.
                let memory = &own.body.memory;
                let crowds = memory.seen_since(own.body.now().saturating_sub(CROWD_MEMORY));
                let crowds = crowds.filter(|(_, seen)| seen.sight.players >= CROWD);
                let ways = crowds.map(|(spot, _)| memory.way_to(spot)).filter(|way| *way != (0, 0));
                Some(approach(&own.body, ways.min_by_key(|way| route::length(memory.facing, *way))?))
            })
            .or_else(|| own.attend(Level::MAX));
        commands.unwrap_or_else(|| {
            let wanted = own.body.lacking(LOOTED_FOOD / 2);
            own.body.gather(&wanted)
        })
    }

    fn heard_stranger(&mut self, body: &Body, direction: u8) {
        let memory = &body.memory;
        let prey =
            self.prey.get_or_insert_with(|| Prey { voice: Voice::anywhere(memory), last_met: memory.clock });
        prey.voice.heard(memory, direction);
        prey.last_met = memory.clock;
    }
}

#[cfg(test)]
mod tests {
    use super::super::loner::Loner;
    use super::*;
    use crate::zappy::strategy::Strategy as _;
    use zappy_protocol::zappy::player::{Response, Sight};
    use zappy_protocol::{MapSize, TeamName, Text};

    fn aggressor(food: u32) -> Loner<Aggressor> {
        let team = TeamName::parse(b"red").unwrap();
        let mut aggressor = Loner::new(&team, MapSize::new(10, 10).unwrap(), 1, Aggressor::default());
        see(&mut aggressor, 1, [0; 7]);
        let carries = Inventory::new([food, 0, 0, 0, 0, 0, 0]);
        aggressor.answered(&Command::Inventory, &Response::Inventory(carries));
        aggressor
    }

    fn see(aggressor: &mut Loner<Aggressor>, players: u32, amounts: [u32; 7]) {
        let here = Sight { players, resources: Inventory::new(amounts), eggs: 0 };
        let sights = [here].into_iter().chain([Sight::default(); 3]).collect();
        aggressor.answered(&Command::Look, &Response::Look(sights));
    }

    #[test]
    fn it_follows_strangers_and_pushes_and_robs_them() {
        let mut aggressor = aggressor(9);
        aggressor.heard(3, &Text::new(b"we meet here"));
        let way = aggressor.decide();
        assert_eq!(way[..2], [Command::Left, Command::Forward]);
        way.iter().for_each(|command| aggressor.answered(command, &Response::Ok));
        aggressor.heard(0, &Text::new(b"we meet here"));
        see(&mut aggressor, 3, [1, 0, 0, 0, 0, 0, 1]);
        let [stone, food] = [Resource::Thystame, Resource::Food].map(Command::Take);
        assert_eq!(aggressor.decide(), [Command::Eject, stone, food, Command::Look]);
    }

    #[test]
    fn it_waits_where_they_come_back_but_not_for_ever() {
        let mut aggressor = aggressor(9);
        aggressor.heard(0, &Text::new(b"we meet here"));
        see(&mut aggressor, 1, [0; 7]);
        assert_eq!(aggressor.decide(), [Command::Look]);
        (0..CHASE_TIME / 7 + 1).for_each(|_| see(&mut aggressor, 1, [0; 7]));
        assert_eq!(aggressor.decide(), [Command::Inventory]);
        let count = Response::Inventory(Inventory::new([9, 0, 0, 0, 0, 0, 0]));
        aggressor.answered(&Command::Inventory, &count);
        assert_ne!(aggressor.decide(), [Command::Look]);
    }

    #[test]
    fn a_hungry_one_eats_the_larder_and_leaves_the_stones() {
        let mut aggressor = aggressor(2);
        see(&mut aggressor, 5, [2, 3, 0, 0, 0, 0, 0]);
        assert_eq!(aggressor.decide(), vec![Command::Take(Resource::Food); 2]);
    }
}
