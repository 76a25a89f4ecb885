//! What an expert knows and remembers, and what players of every role do: speak, walk, lay, count.
//!
//! Decides nothing: the steps of the roles and of the leader do. Tested in `plan::tests`.

use std::collections::VecDeque;

use zappy_protocol::zappy::constants::INCANTATION_TICKS;
use zappy_protocol::zappy::player::{Command, Sight};
use zappy_protocol::zappy::{Inventory, Level};
use zappy_protocol::{MapSize, Tick};

use super::errand::INVENTORY_EVERY;
use super::route;
use crate::chance::Chance;
use crate::zappy::family::Family;
use crate::zappy::memory::{Memory, Spot};
use crate::zappy::strategy::{ExpertBirth, Role};
use crate::zappy::team::{Saying, Team};

/// Eggs that one player lays at most.
const LAYING_LIMIT: u32 = 60;
/// Ticks without a known rise after which no player of the team lays any more.
const STANDSTILL: Tick = 1_500;
/// How many players are laid to stay with the founder.
pub const CORE_LAID: usize = 5;
/// How many gatherers are laid with them; these lay more gatherers.
pub const GATHERERS_LAID: usize = 2;
/// A step: the commands to send, or `None` if it has nothing to do.
pub type Step = fn(&mut Mind) -> Option<Vec<Command>>;

/// An expert: what it knows and remembers.
#[derive(Debug)]
pub struct Mind {
    pub memory: Memory,
    pub team: Team,
    pub chance: Chance,
    pub role: Role,
    /// The children that it still has to lay.
    pub to_lay: VecDeque<Role>,
    /// Whether it lays no others, as in [`ExpertBirth`].
    pub barren: bool,
    /// Whether it came in at the start, so that it has learnt nothing from a parent, and hasn't looked around yet.
    pub orphan: bool,
    /// When it last heard a word from home, or spoke there itself.
    pub home_heard: Tick,
    /// How many eggs it has laid.
    pub laid: u32,
    /// Whether it gave up laying, with children still to lay, since no player of the team rises.
    pub stopped: bool,
    /// The children to connect, once their eggs are laid.
    pub births: VecDeque<ExpertBirth>,
    pub family: Family,
    /// Whether it came in at the start, before the last slot was taken.
    pub is_starter: bool,
    /// Whether it still has to say that it came in at the start.
    pub announces: bool,
    pub site: Site,
    pub nest: Nest,
    pub trip: Trip,
    pub guard: Watch,
}

/// What a player of the core remembers of its work.
#[derive(Debug, Default)]
pub struct Nest {
    /// Whether all slots of the team are taken.
    pub slots_filled: bool,
    /// The level for which its mates know that it is ready.
    pub ready: Option<Level>,
    /// Whether its mates believe that it is ready though it isn't.
    pub believed_ready: bool,
    /// Whether it was pushed and hasn't said so yet.
    pub pushed: bool,
    /// When it last said that it is ready, or called the roll.
    pub spoke: Tick,
    /// Since when all mates that it needs are ready.
    pub ready_since: Option<Tick>,
    /// Since when too few players are left.
    pub short_since: Option<Tick>,
    /// When it last rose, or laid gatherers since it hadn't risen for long.
    pub risen_at: Tick,
    /// Whether it looks for food away from the nest.
    pub foraging: bool,
    /// Units of food that it took, or tried to take, between incantations.
    pub planned_food: usize,
    /// Whether it hasn't eaten since it rose.
    pub hungry: bool,
    /// The tick of the last pause, and how many pauses were made at that tick.
    pub paused: (Tick, u32),
    /// When it last tried to begin an incantation.
    pub tried: Option<Tick>,
    /// Whether it began the last incantation, and so begins the next one.
    pub began_last: bool,
    /// When the roll was last called, by itself or by a mate.
    pub roll_called: Option<Tick>,
    /// Whether it was asked if it is ready, and hasn't answered yet.
    pub owes_answer: bool,
}

impl Nest {
    /// Notes that it isn't ready any more. When it is ready again, it will have to say so again.
    pub fn set_not_ready(&mut self) {
        self.believed_ready |= self.ready.take().is_some();
        self.ready_since = None;
        self.short_since = None;
    }

    /// Notes that it rose to `level`, together with the mates that were ready.
    pub fn rose(&mut self, now: Tick, level: Level) {
        self.risen_at = now;
        self.ready_since = None;
        self.began_last = self.tried.is_some_and(|at| at + INCANTATION_TICKS == now);
        self.tried = None;
        self.ready = self.ready.map(|_| level);
        self.hungry = true;
    }
}

/// What the leader remembers of the nest's tile.
#[derive(Debug, Default)]
pub struct Site {
    /// Whether the nest stands on its tile.
    pub settled: bool,
    /// How many steps it has taken in search of a tile.
    pub searches: u32,
    /// When it first looked at its nest after its family was laid.
    pub first_look: Option<Tick>,
    /// Until this tick it lets others move, and begins no incantation that would freeze them.
    pub held_until: Tick,
    /// Whether it is leaving and hasn't said so to its family yet.
    pub leaving: bool,
    /// The tile of its previous nest, if it has moved the nest.
    pub left_tile: Option<Spot>,
    /// How often it has moved the nest.
    pub moves: u32,
}

/// What a gatherer remembers of its trip.
#[derive(Debug, Default)]
pub struct Trip {
    /// What the nest lacked when it was last seen, less what was brought since.
    pub lacking: Option<Inventory>,
    /// The stones that it wants to bring next; `None` before it has seen the nest.
    pub quota: Option<Inventory>,
    /// When it last looked at the nest while it stood there.
    pub nest_seen: Tick,
    /// How often it has unloaded at the nest.
    pub unloads: u32,
    /// Whether it looks for food and nothing else, for the time of one decision.
    pub only_food: bool,
    /// When it last spoke to lure strangers.
    pub lured_at: Tick,
    /// Whether its egg lay at the nest.
    pub born_at_nest: bool,
    /// Whether it has heard the leader on its own tile.
    pub heard_leader_here: bool,
    /// The tile to which it walks while it looks for strangers.
    pub goal: Option<Spot>,
    /// When it last pushed strangers off their nest.
    pub struck: Option<Tick>,
    /// Whether it has been away from the nest.
    pub was_away: bool,
    /// The tile to which this trip leads, and its distance from home.
    pub focus: Option<(Spot, u32)>,
}

/// What a player remembers of the guards around the nest, or of its own work as one of them.
#[derive(Debug, Default)]
pub struct Watch {
    /// The tile on which it stands guard; `None` before it has chosen one.
    pub post: Option<Spot>,
    /// When it last asked where the other guards stand.
    pub asked: Option<Tick>,
    /// The tiles beside the nest on which other guards have said since that they stand.
    pub taken: Vec<Spot>,
    /// Whether it will say where it stands as soon as it is on its post.
    pub reports: bool,
    /// Units of food that it has taken, or tried to take, at the nest.
    pub eaten: u32,
    /// Until this tick it pushes no player, since one has knocked.
    pub open_until: Tick,
    /// When it last knocked, on its own way home.
    pub knocked: Option<Tick>,
    /// Whether it is of the founder's brood and lays guards.
    pub lays_guards: bool,
    /// When it last laid guards.
    pub laid: Option<Tick>,
}

impl Mind {
    /// The mind of a newborn player, on a map of this size.
    pub fn new(birth: ExpertBirth, size: MapSize) -> Mind {
        let ExpertBirth { role, to_lay, at_home, barren, strict, chance, team, family } = birth;
        let mut memory = Memory::new(size, at_home);
        if strict {
            memory.count_in_ticks();
        }
        let mut mind = Mind {
            memory,
            team,
            chance: Chance::new(chance),
            role,
            to_lay,
            barren,
            orphan: false,
            home_heard: 0,
            laid: 0,
            stopped: false,
            births: VecDeque::new(),
            family,
            is_starter: false,
            announces: false,
            site: Site::default(),
            nest: Nest::default(),
            trip: Trip::default(),
            guard: Watch::default(),
        };
        mind.trip.born_at_nest = at_home;
        mind
    }

    /// Lays the next child. No command follows in the same batch: the child is connected before anything else happens.
    pub fn lay(&mut self) -> Option<Vec<Command>> {
        let stands_still = self.team.standstill(self.memory.clock) >= STANDSTILL;
        self.stopped = stands_still && (self.stopped || !self.to_lay.is_empty());
        if self.laid >= LAYING_LIMIT || stands_still {
            self.to_lay.clear();
        }
        (!self.to_lay.is_empty() && self.memory.at_home()).then(|| vec![Command::Fork])
    }

    /// Asks for its inventory from time to time.
    pub fn check_inventory(&mut self) -> Option<Vec<Command>> {
        let since = self.memory.clock.saturating_sub(self.memory.inventory_at.unwrap_or(0));
        (since >= INVENTORY_EVERY).then(|| vec![Command::Inventory])
    }

    pub fn say(&mut self, kind: Saying) -> Vec<Command> {
        vec![self.team.say(kind, self.memory.level)]
    }

    pub fn travel(&self, way: (i32, i32)) -> Vec<Command> {
        route::commands(self.memory.facing, way)
    }

    /// The nest's tile as last seen; `None` if it never was.
    pub fn pile(&self) -> Option<Sight> {
        Some(self.memory.seen(self.memory.home.spot()?)?.sight)
    }

    /// The nest's tile, if it stands there and has looked at it at the present tick.
    pub fn fresh_pile(&self) -> Option<Sight> {
        self.memory.seen_now().filter(|_| self.memory.at_home())
    }
}

/// The players that the founder and its children lay, in the order in which they are needed.
pub fn brood() -> VecDeque<Role> {
    [vec![Role::Core; CORE_LAID], vec![Role::Gatherer; GATHERERS_LAID]].concat().into()
}
