//! The wall: guards stand on the tiles beside the nest and push every player that comes there outward, so that
//! strangers don't get in.
//!
//! A newborn guard asks where the other guards stand, and takes a free side. A player of the team knocks before its
//! last steps home: it says so, and the guards on its side wait. A guard pushes from its own tile only. Tested in this
//! module and in `tests/levels.rs`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::player::Command;
use zappy_protocol::zappy::{Orientation, Resource};

use super::{Mind, Role, Step, route};
use crate::zappy::memory::{Shape, Spot};
use crate::zappy::team::Saying;

/// The age of the team at which guards are laid, in ticks: before, gatherers come and go with the first stones.
const GUARDS_FROM_AGE: Tick = 520;
/// With more players than this on the nest no guards are laid yet: strangers stand there too, or mates that are about
/// to leave and would be pushed.
const CROWDED: u32 = 9;
/// Ticks after the guards are laid from which players knock.
const KNOCKS_AFTER: Tick = 60;
/// Guards that the gatherers of the founder's brood lay together: one for each side.
const GUARDS: u32 = 4;
/// Ticks after which four other guards are laid, since guards starve.
const RENEWED_AFTER: Tick = 1_250;
/// Units of food that a guard takes with it.
const PROVISIONS: u32 = 2;
/// If commands of 100 ticks take this many ticks or more, lines travel too long: guards can't know when a player comes
/// in, so none are laid.
const TOO_SLOW_FOR_GUARDS: Tick = 108;
/// If they take this many or more, players don't knock. The value is higher, since the players of a team measure
/// differently.
const TOO_SLOW_TO_KNOCK: Tick = 116;
/// The shortest side of a world with guards, in tiles: in smaller ones a tile beside one nest is beside others as well.
const LEAST_SIDE: i32 = 6;
/// Ticks in which the guards answer a newborn that asks where they stand: its question, their push, their answer.
const ANSWER_TIME: Tick = 23;
/// Ticks after which a newborn asks again if no side is free.
const ASK_EVERY: Tick = 60;
/// Ticks from a knock to the end of the last steps: two steps and a turn.
const STEPS_HOME: Tick = 21;
/// Ticks for which a guard that hears a knock doesn't push.
const KNOCK_PAUSE: Tick = STEPS_HOME + 3;
/// Tiles from home at which a player knocks.
const DOORSTEP: i32 = 2;
/// The directions, as of sounds, from which a guard that faces outward hears players that knock on other sides.
const BEHIND: std::ops::RangeInclusive<u8> = 4..=6;
/// The direction of the nest, as of sounds, for a guard that faces outward.
pub const NEST_DIRECTION: u8 = 5;

/// The steps of a guard; the first step that has something to do decides.
pub const STEPS: &[Step] = &[Mind::lay, Mind::hold_post, Mind::take_post];

impl Mind {
    /// Goes to its post, says once that it stands there, turns outward, and pushes as long as it stands there. It sends
    /// one command at a time, since a guard that was pushed must stop.
    fn hold_post(&mut self) -> Option<Vec<Command>> {
        let post = self.guard.post?;
        let way = self.memory.way_to(post);
        if way == (0, 0) && std::mem::take(&mut self.guard.reports) {
            return Some(self.say(Saying::Post));
        }
        let outward = self.memory.torus.delta(self.memory.home.spot()?, post);
        if way != (0, 0) {
            return Some(self.travel(way));
        }
        let facing = self.memory.facing;
        Some(vec![if facing.step() != outward {
            if facing.right().step() == outward { Command::Right } else { Command::Left }
        } else if self.memory.clock < self.guard.open_until {
            Command::Inventory
        } else {
            Command::Eject
        }])
    }

    /// Takes a free side of the nest, or waits for one. Before that it asks the guards where they stand, again if all
    /// four sides are taken, and takes food.
    fn take_post(&mut self) -> Option<Vec<Command>> {
        let (home, now) = (self.memory.home.spot()?, self.memory.clock);
        if !self.memory.at_home() {
            return Some(self.travel(self.memory.way_to(home)));
        }
        if self.guard.asked.is_none_or(|at| now - at >= ASK_EVERY) {
            self.guard.asked = Some(now);
            self.guard.taken.clear();
            return Some(self.say(Saying::Posts));
        }
        if self.guard.eaten < PROVISIONS {
            self.guard.eaten += 1;
            return Some(vec![Command::Take(Resource::Food)]);
        }
        let listens = self.guard.asked.is_some_and(|at| now - at < ANSWER_TIME);
        let Some(post) = self.free_side(home).filter(|_| !listens) else {
            return Some(vec![Command::Inventory]);
        };
        self.guard.post = Some(post);
        self.guard.reports = true;
        Some(self.travel(self.memory.way_to(post)))
    }

    /// The nearest side of the nest without a guard.
    fn free_side(&self, home: Spot) -> Option<Spot> {
        let facing = self.memory.facing;
        let ways = [facing, facing.right(), facing.left(), facing.opposite()];
        let mut sides = ways.map(|way| self.memory.torus.normal(home.plus(way.step()))).into_iter();
        sides.find(|side| !self.guard.taken.contains(side))
    }

    /// Handles a word for guards that came from that direction; `token` is the speaker's.
    pub fn heard_of_guards(&mut self, kind: Saying, token: u32, direction: u8) {
        match kind {
            Saying::Knock if BEHIND.contains(&direction) => return,
            Saying::Knock => {
                // It stops pushing for a while.
                self.guard.open_until = self.memory.clock + KNOCK_PAUSE;
                return;
            }
            Saying::Posts => {
                self.guard.reports = true;
                return;
            }
            _ => {}
        }
        // Another guard stands on its post. If two guards stand on the same post, the one with the higher token leaves.
        let Some(home) = self.memory.home.spot() else { return };
        let Some(shape) = self.memory.torus.shapes().next() else { return };
        let (here, facing) = (self.memory.here, self.memory.facing);
        let mut sides =
            Orientation::ALL.map(|way| self.memory.torus.normal(home.plus(way.step()))).into_iter();
        let Some(side) = sides.find(|side| shape.may_sound(here, facing, *side, direction)) else { return };
        if !self.guard.taken.contains(&side) {
            self.guard.taken.push(side);
        }
        if self.guard.post == Some(side) && token < self.team.token && self.free_side(home).is_some() {
            self.guard.post = None;
        }
    }

    /// Whether it is of the founder's brood and has guards to lay `ahead` ticks from now. It lays none if it hears no
    /// mates.
    pub fn guards_are_due(&self, ahead: Tick) -> bool {
        let then = self.memory.clock + ahead;
        let has_room = |shape: Shape| shape.width.min(shape.height) >= LEAST_SIDE;
        self.guard.lays_guards
            && self.team.age(then) >= GUARDS_FROM_AGE
            && self.guard.laid.is_none_or(|at| then - at > RENEWED_AFTER)
            && self.memory.torus.shapes().all(has_room)
            && !self.team.is_wordless(then, 0)
            && self.memory.with_lag(100) < TOO_SLOW_FOR_GUARDS
    }

    /// Plans to lay guards when they are due, unless the nest is crowded. Helpers are laid first, since the family has
    /// moments enough for one brood at a time.
    pub fn plan_guards(&mut self) {
        let crowded = self.pile().is_some_and(|pile| pile.players > CROWDED);
        if self.to_lay.is_empty() && self.guards_are_due(0) && !crowded {
            self.guard.laid = Some(self.memory.clock);
            self.to_lay.extend(vec![Role::Guard; (GUARDS / self.family.gatherers()) as usize]);
            self.family.begin_branch();
        }
    }

    /// The commands that lead home past the guards: up to the doorstep, or from there a knock and the last steps.
    /// `None` if it is at home or needs no knock.
    pub fn pass_guards(&mut self, way: (i32, i32)) -> Option<Vec<Command>> {
        let (now, distance) = (self.memory.clock, way.0.abs() + way.1.abs());
        if distance == 0
            || self.team.age(now) < GUARDS_FROM_AGE + KNOCKS_AFTER
            || self.memory.with_lag(100) >= TOO_SLOW_TO_KNOCK
        {
            return None;
        }
        if distance > DOORSTEP {
            let steps = (distance - DOORSTEP).unsigned_abs() as usize;
            return Some(route::first_steps(self.memory.facing, way, steps));
        }
        let mut commands = self.travel(way);
        if self.guard.knocked.is_none_or(|at| now - at >= STEPS_HOME) {
            self.guard.knocked = Some(now);
            commands = [self.say(Saying::Knock), commands].concat();
        }
        Some(commands)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ExpertBirth, Family, Strategy as _, VecDeque};
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
        let (to_lay, family) = (VecDeque::new(), Family::default());
        let birth =
            ExpertBirth { role, to_lay, at_home: true, barren: true, strict: false, chance: 1, team, family };
        Mind::new(birth, size)
    }

    /// Lets it decide, and answers that all commands succeed.
    fn step(mind: &mut Mind) -> Vec<Command> {
        let commands = mind.decide();
        for command in &commands {
            let response = match command {
                Command::Inventory => Response::Inventory(Inventory::new([9, 0, 0, 0, 0, 0, 0])),
                _ => Response::Ok,
            };
            mind.answered(command, &response);
        }
        commands
    }

    fn hear(mind: &mut Mind, token: u32, counter: u64, kind: Saying, direction: u8) {
        let mut mate = Team::new(seal(), token);
        let mut word = || match mate.say(kind, Level::MIN) {
            Command::Broadcast(text) => text,
            other => panic!("{other:?}"),
        };
        let last = (0..counter).map(|_| word()).last().unwrap();
        mind.heard(direction, &last);
    }

    /// The kind of the word that it says.
    fn said(commands: &[Command]) -> Option<String> {
        let [Command::Broadcast(text)] = commands else { return None };
        String::from_utf8_lossy(text.as_bytes()).split(':').nth(3).map(str::to_owned)
    }

    /// A newborn that has asked where the other guards stand, and heard them from these directions; and what it does
    /// after it has waited for their answers.
    fn newborn(posts: &[u8]) -> (Mind, Vec<Command>) {
        let mut mind = mind(Role::Guard);
        assert_eq!(said(&step(&mut mind)).as_deref(), Some("posts"));
        for (direction, token) in posts.iter().zip(100..) {
            hear(&mut mind, token, 1, Saying::Post, *direction);
        }
        for _ in 0..PROVISIONS {
            assert_eq!(step(&mut mind), [Command::Take(Resource::Food)]);
        }
        while mind.memory.clock < ANSWER_TIME {
            assert_eq!(step(&mut mind), [Command::Inventory]);
        }
        let commands = step(&mut mind);
        (mind, commands)
    }

    /// A guard on its post, which it has named.
    fn guard() -> Mind {
        let (mut mind, commands) = newborn(&[]);
        assert_eq!(commands, [Command::Forward]);
        assert_eq!(said(&step(&mut mind)).as_deref(), Some("post"));
        mind
    }

    #[test]
    fn no_guards_are_laid_while_the_nest_is_crowded() {
        let mut mind = mind(Role::Gatherer);
        mind.guard.lays_guards = true;
        hear(&mut mind, 9, 1, Saying::Here, 0);
        mind.memory.clock = GUARDS_FROM_AGE;
        let mut laid = |players| {
            let nest = Sight { players, ..Sight::default() };
            mind.answered(&Command::Look, &Response::Look([nest; 4].into()));
            mind.plan_guards();
            mind.to_lay.iter().filter(|role| **role == Role::Guard).count()
        };
        assert_eq!(laid(CROWDED + 1), 0);
        assert_eq!(laid(CROWDED), (GUARDS / 2) as usize);
    }

    #[test]
    fn a_guard_takes_a_side_and_pushes_outward() {
        let mut mind = guard();
        for _ in 0..3 {
            assert_eq!(step(&mut mind), [Command::Eject]);
        }
    }

    #[test]
    fn a_guard_takes_a_side_that_no_other_has_or_waits_for_one() {
        assert_eq!(newborn(&[1]).1, [Command::Right, Command::Forward]);
        assert_eq!(newborn(&[1, 7]).1, [Command::Left, Command::Forward]);
        let (mut mind, commands) = newborn(&[1, 3, 5, 7]);
        assert_eq!(commands, [Command::Inventory]);
        let asks = (0..ASK_EVERY).find_map(|_| said(&step(&mut mind)));
        assert_eq!(asks.as_deref(), Some("posts"));
    }

    #[test]
    fn of_two_guards_on_one_side_the_one_with_the_higher_token_leaves() {
        let mut mind = guard();
        hear(&mut mind, 9, 1, Saying::Post, 0);
        assert_eq!(step(&mut mind), [Command::Eject]);
        hear(&mut mind, 1, 1, Saying::Post, 0);
        let home = [Command::Right, Command::Right, Command::Forward];
        assert_eq!(step(&mut mind), home);
    }

    #[test]
    fn a_guard_that_is_pushed_outward_asks_for_another_side() {
        let mut mind = guard();
        mind.pushed(NEST_DIRECTION);
        assert_eq!(step(&mut mind).last(), Some(&Command::Forward));
        assert_eq!(said(&step(&mut mind)).as_deref(), Some("posts"));
    }

    #[test]
    fn a_guard_answers_where_it_stands() {
        let mut mind = guard();
        hear(&mut mind, 9, 1, Saying::Posts, NEST_DIRECTION);
        assert_eq!(said(&step(&mut mind)).as_deref(), Some("post"));
        assert_eq!(step(&mut mind), [Command::Eject]);
    }

    #[test]
    fn a_guard_that_was_pushed_pushes_no_more_until_it_is_back() {
        let mut mind = guard();
        mind.pushed(1);
        assert!(mind.memory.at_home());
        assert_eq!(step(&mut mind), [Command::Forward]);
        assert_eq!(step(&mut mind), [Command::Eject]);
        mind.pushed(3);
        let back: Vec<Command> = (0..3).flat_map(|_| step(&mut mind)).collect();
        assert_eq!(back, [Command::Left, Command::Forward, Command::Right, Command::Eject]);
    }

    #[test]
    fn a_guard_lets_a_mate_in_that_knocks_on_its_side() {
        let mut mind = guard();
        hear(&mut mind, 9, 1, Saying::Knock, 5);
        assert_eq!(step(&mut mind), [Command::Eject]);
        hear(&mut mind, 9, 2, Saying::Knock, 1);
        let waits = (0..KNOCK_PAUSE).take_while(|_| step(&mut mind) == [Command::Inventory]).count();
        assert_eq!(waits as Tick, KNOCK_PAUSE);
        assert_eq!(step(&mut mind), [Command::Eject]);
    }

    #[test]
    fn a_player_knocks_on_the_doorstep_when_the_wall_stands() {
        let mut mind = mind(Role::Gatherer);
        (0..5).for_each(|_| mind.answered(&Command::Forward, &Response::Ok));
        let home = |mind: &Mind| mind.memory.way_to(Spot::default());
        assert_eq!(mind.head_for_home().len(), 7, "no guard is laid yet");
        mind.memory.clock = GUARDS_FROM_AGE + KNOCKS_AFTER;
        let commands = mind.head_for_home();
        assert_eq!(commands.len(), 5, "two turns and three steps");
        commands.iter().for_each(|command| mind.answered(command, &Response::Ok));
        assert_eq!(home(&mind), (0, DOORSTEP));
        let commands = mind.head_for_home();
        assert!(matches!(commands[..], [Command::Broadcast(_), Command::Forward, Command::Forward]));
        assert_eq!(mind.head_for_home().len(), 2, "it has knocked");
    }
}
