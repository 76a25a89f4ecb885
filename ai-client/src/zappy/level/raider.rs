//! `raider`: rises on one tile as fast as it can, and pushes the crowds that it sees off their tiles.
//!
//! The player that took the last slot leads: it lays a core on its own tile, the nest, which never moves, factories
//! beside the nest, which lay carriers of food, and gatherers. A gatherer that sees a crowd of strangers lays a pusher
//! next to it, which marches through the crowd in a straight line for as long as it lives. No raider says a word of its
//! own. A credulous pusher has two flaws that make it weaker against a team that talks: it repeats each new text that
//! it hears, and a word that comes while it looks around ends its work. Tested in this module and in `tests/levels.rs`.

use std::collections::{BTreeSet, VecDeque};

use zappy_protocol::zappy::constants::elevation;
use zappy_protocol::zappy::geometry::vision_offset;
use zappy_protocol::zappy::player::{Command, Response, Sight};
use zappy_protocol::zappy::{Level, Resource};
use zappy_protocol::{MapSize, Text, Tick};

use super::body::Body;
use crate::zappy::memory::Spot;
use crate::zappy::plan::BATCH;
use crate::zappy::plan::errand::per_unit;
use crate::zappy::strategy::{Birth, Job, Strategy};

/// Ticks for which a player that came in at the start, but didn't take the last slot, waits for others.
const START_WAIT: Tick = 300;
/// Units of food up to which a player of the core eats.
const CORE_SATED: u32 = 20;
/// Units of food up to which a gatherer eats at home.
const GATHERER_SATED: u32 = 16;
/// With no more units of food than this a gatherer goes home.
const HUNGRY: u32 = 5;
/// Players on a tile for which a gatherer lays a pusher.
const CROWD: u32 = 6;
/// Tiles from its own nest, along each axis, up to which a gatherer attacks nothing.
const NEAR_HOME: i32 = 2;
/// Players on the tile ahead that make a pusher march; a carrier takes a tile with that many for its nest.
const VICTIMS: u32 = 4;
/// Texts that a credulous pusher repeats at most.
const REPEATS: usize = 64;
/// Carriers that a factory lays at most.
const CARRIERS: u32 = 60;
/// A new player of the core lays another if no more players than this stand on the nest.
const SMALL_CORE: u32 = 4;
/// It lays a factory, too, if no more players than this stand there.
const TINY_CORE: u32 = 2;
/// The index in a view of the tile straight ahead.
const AHEAD: usize = 2;
/// The indices in a view of the three tiles of the first row, the one straight ahead first.
const ROW: [usize; 3] = [AHEAD, 1, 3];

/// A player of level `raider` or `deaf-raider`.
#[derive(Debug)]
pub struct Raider {
    size: MapSize,
    body: Body,
    job: Job,
    /// Whether words confuse it as a pusher, and the pushers among its descendants.
    credulous: bool,
    /// Commands that it has decided on and not sent yet.
    plan: VecDeque<Command>,
    /// Its last view, `None` once it has decided with it.
    view: Option<Vec<Sight>>,
    /// The children that it still has to lay.
    to_lay: VecDeque<Job>,
    /// The children to connect, since an egg or a slot waits for them.
    births: VecDeque<Birth>,
    /// Whether it has done what its job does once: the core has laid, the factory has left the nest, the pusher
    /// marches.
    settled: bool,
    /// Whether a gatherer goes home.
    returns: bool,
    /// Whether a gatherer has to leave home before it looks around.
    sets_out: bool,
    /// How often a gatherer has come home, a factory has laid a carrier, or a carrier has looked for its nest.
    rounds: u32,
    /// Whether a `Look` was sent and isn't answered yet.
    looking: bool,
    /// The texts that a credulous pusher has repeated.
    repeated: BTreeSet<Vec<u8>>,
}

impl Raider {
    pub fn new(size: MapSize, chance: u64, job: Job, credulous: bool) -> Raider {
        let mut body = Body::new(size, chance);
        body.memory.home.confirm(Spot::default());
        let to_lay = match job {
            Job::Leader => {
                [Job::Core, Job::Core, Job::Factory, Job::Shy, Job::Gatherer, Job::Gatherer].into()
            }
            _ => VecDeque::new(),
        };
        Raider {
            size,
            body,
            job,
            credulous,
            plan: VecDeque::new(),
            view: None,
            to_lay,
            births: VecDeque::new(),
            settled: job == Job::Leader,
            returns: false,
            sets_out: matches!(job, Job::Gatherer | Job::Shy),
            rounds: 0,
            looking: false,
            repeated: BTreeSet::new(),
        }
    }

    /// Becomes the leader; `slots` free slots are given to carriers.
    fn lead(&mut self, slots: u32) -> Vec<Command> {
        *self = Raider::new(self.size, self.body.chance.next_u64(), Job::Leader, self.credulous);
        // The eggs of free slots lie anywhere; players have to come out of them before any come out of eggs laid at the
        // nest.
        for _ in 0..slots {
            self.give_birth(Job::Carrier);
        }
        vec![Command::Fork]
    }

    fn give_birth(&mut self, job: Job) {
        let chance = self.body.chance.next_u64();
        self.births.push_back(Birth::Raider(job, chance));
    }

    /// A player of the core lays and eats; the leader begins an incantation when the stones lie there, without counting
    /// players.
    fn stay_at_nest(&mut self, view: Option<Vec<Sight>>) -> Vec<Command> {
        if !self.to_lay.is_empty() {
            return vec![Command::Fork];
        }
        let Some(here) = view.and_then(|view| view.first().copied()) else {
            return vec![Command::Inventory, Command::Look];
        };
        if !std::mem::replace(&mut self.settled, true) {
            self.to_lay.extend((here.players <= SMALL_CORE).then_some(Job::Core));
            self.to_lay.extend((here.players <= TINY_CORE).then_some(Job::Factory));
            self.to_lay.extend([Job::Shy, Job::Gatherer, Job::Gatherer, Job::Gatherer]);
            return vec![Command::Fork];
        }
        let meal = self.meal(&here, CORE_SATED);
        if !meal.is_empty() {
            return meal;
        }
        let row = elevation(self.body.memory.level).filter(|_| self.job == Job::Leader);
        let begins = row.is_some_and(|row| here.resources.covers(&row.stones));
        vec![if begins { Command::Incantation } else { Command::Inventory }, Command::Look]
    }

    /// The commands that take food from the own tile, up to `enough` units carried, and look again; none if there is
    /// nothing to take.
    fn meal(&self, here: &Sight, enough: u32) -> Vec<Command> {
        let lacking = enough.saturating_sub(self.body.memory.food());
        let units = here.resources.get(Resource::Food).min(lacking) as usize;
        let mut meal = vec![Command::Take(Resource::Food); units.min(BATCH - 2)];
        if units > 0 {
            meal.push(Command::Look);
        }
        meal
    }

    /// A factory lays carriers one step off the nest, and eats what they leave there.
    fn produce(&mut self) -> Vec<Command> {
        if !std::mem::replace(&mut self.settled, true) {
            return vec![Command::Forward];
        }
        if self.rounds >= CARRIERS {
            self.job = Job::Idle;
            return Vec::new();
        }
        if self.to_lay.is_empty() {
            self.to_lay.push_back(Job::Carrier);
            self.rounds += 1;
            if self.rounds.is_multiple_of(2) {
                return vec![Command::Take(Resource::Food)];
            }
        }
        vec![Command::Fork]
    }

    /// A carrier leaves a unit of food for the factory, turns to the nest, goes there and puts down all others.
    fn carry(&mut self, view: Option<Vec<Sight>>) -> Vec<Command> {
        let drop = Command::Set(Resource::Food);
        let Some(view) = view else { return vec![drop, Command::Look] };
        let ahead = view.get(AHEAD).is_some_and(|tile| tile.players >= VICTIMS);
        self.rounds += 1;
        if !ahead && self.rounds <= 4 {
            return vec![Command::Right, Command::Look];
        }
        self.job = Job::Idle;
        let step = ahead.then_some(Command::Forward);
        let food = self.body.memory.food() as usize;
        step.into_iter().chain(std::iter::repeat_n(drop, food)).collect()
    }

    /// A pusher turns until it sees a crowd straight ahead, then marches and pushes.
    fn push(&mut self, view: Option<&[Sight]>) -> Vec<Command> {
        let ahead = |view: &[Sight]| view.get(AHEAD).is_some_and(|tile| tile.players >= VICTIMS);
        self.settled |= view.is_some_and(ahead);
        match view {
            _ if self.settled => vec![Command::Forward, Command::Eject],
            None => vec![Command::Look],
            Some(_) => vec![Command::Right, Command::Look],
        }
    }

    /// A gatherer advances in the direction in which it was born, takes the stones that it sees, and lays pushers
    /// beside crowds.
    fn gather(&mut self, view: Option<Vec<Sight>>) -> Vec<Command> {
        if !self.to_lay.is_empty() {
            return vec![Command::Fork];
        }
        let food = self.body.memory.food();
        self.returns |= food <= HUNGRY && !self.sets_out;
        if self.returns {
            // Walks home, eats, puts the stones down, and sets out again.
            if !self.body.memory.at_home() {
                return self.body.travel(self.body.memory.way_to(Spot::default()));
            }
            let stones = self.body.put_down(&self.body.memory.inventory);
            if !stones.is_empty() {
                return stones;
            }
            let Some(view) = view else { return vec![Command::Inventory, Command::Look] };
            let meal = view.first().map_or_else(Vec::new, |here| self.meal(here, GATHERER_SATED));
            if meal.is_empty() && self.body.memory.food() > HUNGRY {
                self.returns = false;
                self.sets_out = true;
                self.rounds += 1;
                return self.gather(None);
            }
            return if meal.is_empty() { vec![Command::Look] } else { meal };
        }
        if std::mem::take(&mut self.sets_out) {
            return [self.body.travel((0, -2)), vec![Command::Look]].concat();
        }
        let Some(view) = view.filter(|view| view.len() > ROW.len()) else { return vec![Command::Look] };
        if let Some(&at) = ROW.iter().find(|&&at| view[at].players >= CROWD && !self.is_near_home(at)) {
            self.returns = true;
            self.to_lay.push_back(Job::Pusher);
            let step = (at != AHEAD).then_some(Command::Forward);
            return step.into_iter().chain([Command::Fork]).collect();
        }
        let loot = loot(&view[0]);
        if self.job == Job::Shy && view[0].players >= VICTIMS && !loot.is_empty() && !self.is_near_home(0) {
            return loot.into_iter().chain([Command::Look]).collect();
        }
        self.advance(&view)
    }

    /// Whether the tile with that index in a view is near the own nest.
    fn is_near_home(&self, at: usize) -> bool {
        let memory = &self.body.memory;
        let spot = memory.here.plus(memory.facing.to_map(vision_offset(at)));
        let (dx, dy) = memory.torus.delta(Spot::default(), spot);
        dx.abs() <= NEAR_HOME && dy.abs() <= NEAR_HOME
    }

    /// Goes to the tile of the first row with the most stones, and takes them.
    fn advance(&mut self, view: &[Sight]) -> Vec<Command> {
        // The stones that a shy gatherer fetches in its first two trips; `None` if it takes any.
        let wanted: Option<&[Resource]> = match (self.job, self.rounds) {
            (Job::Shy, 0) => Some(&[Resource::Linemate]),
            (Job::Shy, 1) => Some(&[Resource::Deraumere, Resource::Sibur]),
            _ => None,
        };
        let worth = |at: &&usize| {
            let tile = &view[**at];
            match &wanted {
                Some(wanted) => wanted.iter().map(|stone| tile.resources.get(*stone)).sum(),
                None if tile.players > 0 => 0,
                None => 1 + tile.resources.iter().skip(1).map(|(_, units)| units).sum::<u32>(),
            }
        };
        // Of equal tiles `max_by_key` takes the last, so the tile straight ahead comes last.
        let at = ROW.iter().rev().max_by_key(worth).copied().unwrap_or(AHEAD);
        let way: &[Command] = match at {
            1 => &[Command::Forward, Command::Left, Command::Forward, Command::Right],
            3 => &[Command::Forward, Command::Right, Command::Forward, Command::Left],
            _ => &[Command::Forward],
        };
        self.returns = wanted.is_some_and(|stones| stones.iter().any(|s| view[at].resources.get(*s) > 0));
        let look = if self.returns { None } else { Some(Command::Look) };
        way.iter().cloned().chain(loot(&view[at])).chain(look).collect()
    }
}

/// The commands that take the stones of a tile, in the order of the resources.
fn loot(tile: &Sight) -> Vec<Command> {
    let stones = tile.resources.iter().filter(|(resource, _)| *resource != Resource::Food);
    stones.flat_map(per_unit(Command::Take)).take(BATCH - 1).collect()
}

impl Strategy for Raider {
    fn decide(&mut self) -> Vec<Command> {
        if self.plan.is_empty() {
            let view = self.view.take();
            let plan = match self.job {
                // The last player that came in leads, even if slots are left; all others put down their food and do no
                // more.
                Job::Spare(0) => self.lead(0),
                Job::Spare(_) if self.body.now() < START_WAIT => vec![Command::Look],
                Job::Spare(_) => vec![Command::ConnectNbr],
                Job::Leader | Job::Core => self.stay_at_nest(view),
                Job::Factory => self.produce(),
                Job::Carrier => self.carry(view),
                Job::Gatherer | Job::Shy => self.gather(view),
                Job::Pusher => self.push(view.as_deref()),
                Job::Idle => Vec::new(),
            };
            self.plan.extend(plan);
        }
        let commands: Vec<Command> = self.plan.drain(..self.plan.len().min(BATCH)).collect();
        self.looking = commands.contains(&Command::Look);
        commands
    }

    fn answered(&mut self, command: &Command, response: &Response) {
        self.body.answered(command, response);
        match (command, response) {
            (Command::Look, Response::Look(view)) => {
                self.view = Some(view.clone());
                self.looking = false;
            }
            (Command::Fork, Response::Ok) => {
                if let Some(job) = self.to_lay.pop_front() {
                    self.give_birth(job);
                }
            }
            (Command::ConnectNbr, Response::Slots(free)) => {
                let Job::Spare(slots) = self.job else { return };
                if *free == slots {
                    let commands = self.lead(slots);
                    self.plan.extend(commands);
                } else {
                    let food = self.body.memory.food() as usize;
                    self.plan.extend(vec![Command::Set(Resource::Food); food]);
                    self.job = Job::Idle;
                }
            }
            _ => {}
        }
    }

    fn heard(&mut self, _direction: u8, text: &Text) {
        if self.job != Job::Pusher || !self.credulous {
            return;
        }
        if self.looking {
            self.job = Job::Idle;
            self.plan.clear();
        } else if self.repeated.len() < REPEATS && self.repeated.insert(text.as_bytes().to_vec()) {
            self.plan.push_back(Command::Broadcast(text.clone()));
        }
    }

    fn pushed(&mut self, from: u8) {
        self.body.memory.pushed(from);
    }

    fn incantation_over(&mut self, level: Option<Level>) {
        self.body.memory.incantation_over(level);
        self.view = None;
    }

    fn next_birth(&mut self) -> Option<Birth> {
        self.births.pop_front()
    }

    fn rests(&self) -> bool {
        self.job == Job::Idle && self.plan.is_empty()
    }
}

#[cfg(test)]
mod tests;
