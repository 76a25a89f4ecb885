//! The wall: guards stand on the tiles beside the nest and push all players that come there outward, so that strangers
//! don't get in.
//!
//! A player of the team knocks before its last steps home: it says so, and the guards on its side wait. A guard pushes
//! from its own tile only. Tested in this module and in `tests/levels.rs`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::player::Command;

use super::{Mind, Role, Step};
use crate::zappy::memory::{Shape, Spot};
use crate::zappy::team::Saying;

/// The age of the team at which guards are laid, in ticks: before that gatherers come and go with the first stones.
const FROM: Tick = 700;
/// Ticks after that from which players knock.
const BUILDING: Tick = 60;
/// Guards that the gatherers of the founder's brood lay together: one for each side.
const GUARDS: u32 = 4;
/// Ticks after which it lays their successors, since guards starve.
const TERM: Tick = 1_200;
/// Units of food that a guard takes with it.
const PROVISIONS: u32 = 2;
/// What 100 ticks of commands come to where lines travel too long for guards to know when a player comes in, and where
/// no player knocks: a little later, since the players of a team judge it differently.
const SLOW: Tick = 108;
const SLOWER: Tick = 116;
/// The shortest side of a world on which walls are built: on smaller ones the sides of a nest, and of nests of others, are
/// the same tiles.
const ROOM: i32 = 6;
/// How often a guard turns to another side at most, because a player stands there.
const TURNS: u32 = 8;
/// Ticks from a knock to the end of the last steps: two steps and a turn. A guard waits a little longer.
const STEPS_HOME: Tick = 21;
const OPEN: Tick = STEPS_HOME + 3;
/// Tiles from home at which a player knocks.
const DOORSTEP: i32 = 2;
/// Directions in which the knocks of players on other sides are heard.
const BEHIND: std::ops::RangeInclusive<u8> = 4..=6;

/// The steps of a guard; the first step that has something to do decides.
pub const STEPS: &[Step] = &[Mind::lay, Mind::take_provisions, Mind::hold, Mind::take_post];

/// What a player remembers of the wall.
#[derive(Debug, Default)]
pub struct Watch {
    /// The tile on which it stands guard.
    post: Option<Spot>,
    turns: u32,
    eaten: u32,
    /// Until then it pushes no player.
    open_until: Tick,
    knocked: Option<Tick>,
    /// It is of the founder's brood and lays guards.
    pub lays: bool,
    laid: Option<Tick>,
}

impl Mind {
    fn take_provisions(&mut self) -> Option<Vec<Command>> {
        if !self.memory.at_home() || self.guard.eaten >= PROVISIONS {
            return None;
        }
        self.guard.eaten += 1;
        Some(vec![Command::Take(Resource::Food)])
    }

    /// Pushes outward as long as it stands on its post. One command at a time: a guard that was pushed must stop.
    fn hold(&mut self) -> Option<Vec<Command>> {
        let post = self.guard.post?;
        let outward = self.memory.torus.delta(self.memory.home.spot()?, post);
        if self.memory.way_to(post) != (0, 0) || self.memory.facing.step() != outward {
            return None;
        }
        let waits = self.memory.clock < self.guard.open_until;
        Some(vec![if waits { Command::Inventory } else { Command::Eject }])
    }

    /// Goes to its post and turns outward; it takes a side of the nest on which it sees no player.
    fn take_post(&mut self) -> Option<Vec<Command>> {
        let home = self.memory.home.spot()?;
        if let Some(post) = self.guard.post {
            let way = self.memory.way_to(post);
            if way != (0, 0) {
                return Some(self.travel(way));
            }
            let right = self.memory.facing.right().step() == self.memory.torus.delta(home, post);
            return Some(vec![if right { Command::Right } else { Command::Left }]);
        }
        if !self.memory.at_home() {
            return Some(self.travel(self.memory.way_to(home)));
        }
        let ahead = self.memory.here.plus(self.memory.facing.step());
        let Some(seen) = self.memory.seen(ahead).filter(|seen| seen.at == self.memory.clock) else {
            return Some(vec![Command::Look]);
        };
        if seen.sight.players > 0 && self.guard.turns < TURNS {
            self.guard.turns += 1;
            return Some(vec![Command::Right, Command::Look]);
        }
        self.guard.post = Some(self.memory.torus.normal(ahead));
        Some(vec![Command::Forward])
    }

    /// A mate knocked.
    pub fn open(&mut self, direction: u8) {
        if !BEHIND.contains(&direction) {
            self.guard.open_until = self.memory.clock + OPEN;
        }
    }

    /// One of the founder's brood lays guards when they are due, if it hears its mates at all.
    pub fn plan_guards(&mut self) {
        let now = self.memory.clock;
        let due = self.team.age(now) >= FROM && self.guard.laid.is_none_or(|at| now - at > TERM);
        let has_room = |shape: Shape| shape.width.min(shape.height) >= ROOM;
        if self.guard.lays
            && due
            && self.memory.torus.shapes().all(has_room)
            && !self.team.is_wordless(now, 0)
            && self.memory.stretched(100) < SLOW
        {
            self.guard.laid = Some(now);
            self.lays.extend(vec![Role::Guard; (GUARDS / self.family.gatherers()) as usize]);
            self.family.begin_branch();
        }
    }

    /// The way home past the guards; it ends on the doorstep, or leads on from there after a knock.
    pub fn pass_guards(&mut self, way: (i32, i32)) -> Option<Vec<Command>> {
        let (now, far) = (self.memory.clock, way.0.abs() + way.1.abs());
        if far == 0 || self.team.age(now) < FROM + BUILDING || self.memory.stretched(100) >= SLOWER {
            return None;
        }
        let mut commands = self.travel(way);
        if far > DOORSTEP {
            let steps = commands.iter().enumerate().filter(|(_, command)| **command == Command::Forward);
            let last = steps.map(|(at, _)| at).nth((far - DOORSTEP - 1).unsigned_abs() as usize);
            commands.truncate(last.map_or(commands.len(), |at| at + 1));
        } else if self.guard.knocked.is_none_or(|at| now - at >= STEPS_HOME) {
            self.guard.knocked = Some(now);
            commands = [self.say(Saying::Knock), commands].concat();
        }
        Some(commands)
    }
}

#[cfg(test)]
mod tests {
    use super::super::family::Family;
    use super::super::{ExpertBirth, VecDeque};
    use super::*;
    use crate::zappy::team::{Seal, Team};
    use zappy_protocol::zappy::player::{Response, Sight};
    use zappy_protocol::zappy::{Inventory, Level};
    use zappy_protocol::{MapSize, TeamName};

    fn seal() -> Seal {
        Seal::new(&TeamName::parse(b"red").unwrap(), 1, true)
    }

    /// A player that was born at the nest.
    fn mind(role: Role) -> Mind {
        let (team, size) = (Team::new(seal(), 5), MapSize::new(20, 20).unwrap());
        let (lays, family) = (VecDeque::new(), Family::default());
        let birth =
            ExpertBirth { role, lays, at_home: true, barren: true, strict: false, chance: 1, team, family };
        Mind::new(&TeamName::parse(b"red").unwrap(), seal(), 1, 0, size, Some(birth))
    }

    /// Decides, and answers that so many players stand ahead.
    fn step(mind: &mut Mind, ahead: u32) -> Vec<Command> {
        let commands = mind.decide();
        let tile = |players| Sight { players, ..Sight::default() };
        for command in &commands {
            let response = match command {
                Command::Look => Response::Look(vec![tile(7), tile(0), tile(ahead), tile(0)]),
                Command::Inventory => Response::Inventory(Inventory::new([9, 0, 0, 0, 0, 0, 0])),
                _ => Response::Ok,
            };
            mind.answered(command, &response);
        }
        commands
    }

    /// A guard on its post, on the side that it looked at second.
    fn guard() -> Mind {
        let mut mind = mind(Role::Guard);
        for _ in 0..PROVISIONS {
            assert_eq!(step(&mut mind, 0), [Command::Take(Resource::Food)]);
        }
        assert_eq!(step(&mut mind, 1), [Command::Look]);
        assert_eq!(step(&mut mind, 0), [Command::Right, Command::Look]);
        assert_eq!(step(&mut mind, 0), [Command::Forward]);
        mind
    }

    #[test]
    fn a_guard_takes_a_free_side_and_pushes_outward() {
        let mut mind = guard();
        for _ in 0..3 {
            assert_eq!(step(&mut mind, 0), [Command::Eject]);
        }
    }

    #[test]
    fn a_guard_that_was_pushed_pushes_no_more_until_it_is_back() {
        let mut mind = guard();
        mind.pushed(1);
        assert!(mind.memory.at_home());
        assert_eq!(step(&mut mind, 0), [Command::Forward]);
        assert_eq!(step(&mut mind, 0), [Command::Eject]);
        mind.pushed(3);
        let back: Vec<Command> = (0..3).flat_map(|_| step(&mut mind, 0)).collect();
        assert_eq!(back, [Command::Left, Command::Forward, Command::Right, Command::Eject]);
    }

    #[test]
    fn a_guard_lets_a_mate_in_that_knocks_on_its_side() {
        let mut mate = Team::new(seal(), 9);
        let mut knock = |mind: &mut Mind, direction| match mate.say(Saying::Knock, Level::MIN) {
            Command::Broadcast(text) => mind.heard(direction, &text),
            other => panic!("{other:?}"),
        };
        let mut mind = guard();
        knock(&mut mind, 5);
        assert_eq!(step(&mut mind, 0), [Command::Eject]);
        knock(&mut mind, 1);
        let waits = (0..OPEN).take_while(|_| step(&mut mind, 0) == [Command::Inventory]).count();
        assert_eq!(waits as Tick, OPEN);
        assert_eq!(step(&mut mind, 0), [Command::Eject]);
    }

    #[test]
    fn a_player_knocks_on_the_doorstep_when_the_wall_stands() {
        let mut mind = mind(Role::Gatherer);
        (0..5).for_each(|_| mind.answered(&Command::Forward, &Response::Ok));
        let home = |mind: &Mind| mind.memory.way_to(Spot::default());
        assert_eq!(mind.head_for_home().len(), 7, "no guard is laid yet");
        mind.memory.clock = FROM + BUILDING;
        let commands = mind.head_for_home();
        assert_eq!(commands.len(), 5, "two turns and three steps");
        commands.iter().for_each(|command| mind.answered(command, &Response::Ok));
        assert_eq!(home(&mind), (0, DOORSTEP));
        let commands = mind.head_for_home();
        assert!(matches!(commands[..], [Command::Broadcast(_), Command::Forward, Command::Forward]));
        assert_eq!(mind.head_for_home().len(), 2, "it has knocked");
    }
}
