//! The answer to strangers that push: gatherers look for the strangers' nest, and push the players there off it.
//!
//! Gatherers never strike first: they leave strangers' nests alone until a mate was pushed. Tested in this module and
//! in `tests/levels.rs`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::player::{Command, Sight};

use super::gather::STARVING;
use super::{BATCH, Mind, route};
use crate::zappy::memory::Spot;

/// A tile counts as a nest only if at least this many players stand on it.
const NEST_PLAYERS: u32 = 5;
/// A tile counts as a nest only if at least this many stones lie on it.
const NEST_STONES: u32 = 4;
/// A crowd at most this many tiles from home may be mates that were pushed off the nest.
const NEAR_HOME: i32 = 2;
/// Ticks between two blows of one player: the nest needs its food and stones too.
const BLOW_PAUSE: Tick = 300;
/// One of this many gatherers is a scout, which looks for the strangers' nest.
const GATHERERS_PER_SCOUT: u32 = 2;
/// A scout takes food until it has this many units.
const PROVISIONS: u32 = 9;
/// At home it takes food only if more than this many units lie there.
const FULL_LARDER: u32 = 12;
/// Units that it takes at home at a time.
const MOUTHFUL: usize = 3;
/// Tiles that a scout walks at most between two looks.
const STRETCH: u8 = 3;
/// How far away a scout's next goal should be, in tiles.
const GOAL_DISTANCE: i32 = 8;
/// Ticks after which a tile counts as unknown again.
const KNOWN_FOR: Tick = 900;
/// The number of drawn tiles among which a scout chooses its next goal.
const DRAWS: usize = 24;
/// A blow: pushes the players off their nest three tiles away, going after them, and looks at the result.
const BLOW: [Command; 6] =
    [Command::Eject, Command::Forward, Command::Eject, Command::Forward, Command::Eject, Command::Look];

impl Mind {
    /// Goes to the nearest strangers' nest and pushes the players there away, or looks for a nest if it knows none.
    pub fn strike(&mut self) -> Option<Vec<Command>> {
        let now = self.memory.clock;
        let disturbed = self.team.is_disturbed(now);
        let rests =
            self.trip.struck.is_some_and(|at| now - at < BLOW_PAUSE) || self.memory.food() <= STARVING;
        let home = self.memory.home.spot()?;
        if rests || !disturbed || !self.is_sure_of_home() || !self.memory.torus.is_certain() {
            return None;
        }
        let is_nest = |sight: &Sight| {
            let kinds = sight.resources.iter().filter(|(resource, _)| *resource != Resource::Food);
            sight.players >= NEST_PLAYERS && kinds.map(|(_, units)| units).sum::<u32>() >= NEST_STONES
        };
        let is_far = |spot| {
            let (dx, dy) = self.memory.torus.delta(home, spot);
            dx.abs().max(dy.abs()) > NEAR_HOME
        };
        let nests = self.memory.seen_since(0).filter(|(spot, seen)| is_nest(&seen.sight) && is_far(*spot));
        let length = |spot: &Spot| route::length(self.memory.facing, self.memory.way_to(*spot));
        let nearest = nests.map(|(spot, _)| spot).min_by_key(length);
        let Some(nest) = nearest else { return self.scout() };
        let mut commands = self.travel(self.memory.way_to(nest));
        if commands.len() + BLOW.len() <= BATCH {
            commands.extend(BLOW);
            self.trip.struck = Some(now);
        }
        Some(commands)
    }

    /// Walks to places where it hasn't been for long and looks around on the way, if it carries nothing that the nest
    /// waits for and hasn't struck yet. It takes food from a full larder, and food that lies on its way.
    fn scout(&mut self) -> Option<Vec<Command>> {
        let is_scout = self.team.token.is_multiple_of(GATHERERS_PER_SCOUT) && self.trip.struck.is_none();
        if !is_scout || self.memory.stones() > 0 {
            return None;
        }
        if self.memory.food() < PROVISIONS && self.memory.at_home() {
            let larder = self.pile().map_or(0, |pile| pile.resources.get(Resource::Food));
            if larder > FULL_LARDER {
                return Some(vec![Command::Take(Resource::Food); MOUTHFUL]);
            }
        } else if self.memory.food() < PROVISIONS {
            self.trip.only_food = true;
            let takes = self.take_here();
            self.trip.only_food = false;
            if takes.is_some() {
                return takes;
            }
        }
        let goal = match self.trip.goal.filter(|goal| self.is_unknown(*goal)) {
            Some(goal) => goal,
            // The best of some tiles drawn by chance: one that it hasn't seen for long, at a middle distance.
            None => {
                let shape = self.memory.torus.shapes().next()?;
                let mut draw = |side: i32| i32::try_from(self.chance.below(side.unsigned_abs())).unwrap_or(0);
                let drawn: Vec<Spot> =
                    (0..DRAWS).map(|_| Spot { x: draw(shape.width), y: draw(shape.height) }).collect();
                let distance = |spot| {
                    let (dx, dy) = self.memory.way_to(spot);
                    dx.abs() + dy.abs()
                };
                let unknown = drawn.into_iter().filter(|spot| self.is_unknown(*spot));
                unknown.min_by_key(|spot| distance(*spot).abs_diff(GOAL_DISTANCE))?
            }
        };
        self.trip.goal = Some(goal);
        let steps = usize::from(self.memory.level.get().min(STRETCH));
        let mut commands = route::first_steps(self.memory.facing, self.memory.way_to(goal), steps);
        commands.push(Command::Look);
        Some(commands)
    }

    /// Whether it has never seen a tile, or not for long.
    fn is_unknown(&self, spot: Spot) -> bool {
        self.memory.seen(spot).is_none_or(|seen| self.memory.clock - seen.at > KNOWN_FOR)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Role, Strategy as _};
    use super::*;
    use crate::zappy::team::{Saying, Seal, Team};
    use zappy_protocol::zappy::player::Response;
    use zappy_protocol::zappy::{Inventory, Level};
    use zappy_protocol::{MapSize, TeamName, Text};

    /// A gatherer, born at home, that stands `steps` tiles from home; on the tile ahead it sees that many players and
    /// stones.
    fn gatherer(steps: usize, players: u32, stones: u32) -> Mind {
        let (team, size) = (TeamName::parse(b"red").unwrap(), MapSize::new(20, 20).unwrap());
        let mut mind = Mind::starter(Seal::new(&team, 1, true), 1, 1, size);
        (mind.orphan, mind.trip.born_at_nest) = (false, true);
        mind.role = Role::Gatherer;
        mind.memory.home.confirm(Spot::default());
        mind.heard(3, &pushed());
        (0..steps).for_each(|_| mind.answered(&Command::Forward, &Response::Ok));
        let crowd = Sight { players, resources: Inventory::new([0, stones, 0, 0, 0, 0, 0]), eggs: 0 };
        let row = [Sight { players: 1, ..Sight::default() }, Sight::default(), crowd, Sight::default()];
        mind.answered(&Command::Look, &Response::Look(row.into()));
        mind
    }

    /// A mate's word that it was pushed.
    fn pushed() -> Text {
        let seal = Seal::new(&TeamName::parse(b"red").unwrap(), 1, true);
        match Team::new(seal, 77).say(Saying::Pushed, Level::MIN) {
            Command::Broadcast(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn it_pushes_a_crowd_on_stones_far_from_home_and_rests() {
        let mut mind = gatherer(5, NEST_PLAYERS, NEST_STONES);
        let commands = mind.strike().unwrap();
        assert_eq!(commands, [&[Command::Forward], &BLOW[..]].concat());
        assert_eq!(mind.strike(), None);
        assert!(gatherer(2, NEST_PLAYERS, NEST_STONES).strike().is_some(), "three tiles from home");
        for (steps, players, stones) in [
            (1, NEST_PLAYERS, NEST_STONES),
            (5, NEST_PLAYERS - 1, NEST_STONES),
            (5, NEST_PLAYERS, NEST_STONES - 1),
        ] {
            assert_eq!(gatherer(steps, players, stones).strike(), None);
        }
    }

    #[test]
    fn a_scout_walks_through_tiles_that_it_has_not_seen() {
        let mut mind = gatherer(5, 0, 0);
        mind.team.set_token(GATHERERS_PER_SCOUT);
        for _ in 0..50 {
            let commands = mind.strike().unwrap();
            assert_eq!(commands.last(), Some(&Command::Look));
            for command in commands {
                let nothing = Response::Look(vec![Sight::default(); 4]);
                mind.answered(&command, if command == Command::Look { &nothing } else { &Response::Ok });
            }
            mind.memory.saw_inventory(Inventory::new([9, 0, 0, 0, 0, 0, 0]));
        }
        let seen = mind.memory.seen_since(0).count();
        assert!(seen > 80, "{seen} of 400 tiles");
    }

    #[test]
    fn it_never_strikes_first() {
        let mut mind = gatherer(5, NEST_PLAYERS, NEST_STONES);
        mind.team = Team::new(Seal::new(&TeamName::parse(b"red").unwrap(), 1, true), 5);
        assert_eq!(mind.strike(), None);
        mind.heard(3, &pushed());
        assert!(mind.strike().is_some());
    }
}
