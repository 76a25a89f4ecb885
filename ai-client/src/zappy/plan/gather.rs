//! The gatherers: they fetch the stones and food that the nest lacks, bring them home, and find home by sound if they
//! were born elsewhere.
//!
//! A gatherer sees the nest only when it stands there, so it remembers what was lacking when it left. It never takes
//! anything from a tile where others meet, unless food is hoarded there. A player that looks for home believes that it
//! has found it if it hears the leader on its own tile or, as a gatherer, finds a crowd where home may be. Tested in
//! `plan::tests` and in `tests/`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::{ACTION_TICKS, ELEVATIONS, elevation, natural_amount};
use zappy_protocol::zappy::player::{Command, Sight};
use zappy_protocol::zappy::{Inventory, Level, Resource};

use super::errand::{self, CROWD, per_unit, takes};
use super::{BATCH, Mind, Role, Step, route};
use crate::zappy::memory::Spot;
use crate::zappy::team::{Saying, newborns_needed};

/// With fewer units of food than this a player looks for nothing else.
pub const STARVING: u32 = 4;
/// Units of food that a gatherer takes with it.
const PROVISIONS: u32 = 8;
/// Units of food that a gatherer keeps when it unloads.
const FOOD_KEPT: u32 = 5;
/// Units of food that a gatherer carries home, if it fetches food for the nest; more from a trip that leads far.
const FOOD_LOAD: u32 = 14;
/// Units of food that should lie at the nest on a map with plenty of food, while the team is young.
const LARDER: u32 = 24;
/// The age of the team, in ticks, from which on twice as much should lie there: the core has eaten the food that it was
/// born with.
const LARDER_DOUBLED_AT: Tick = 800;
/// Stones with which the first trip goes home.
const FIRST_LOAD: u32 = 3;
/// Stones with which later trips go home.
const LOAD: u32 = 5;
/// The most stones that a gatherer carries, if it hasn't found home.
const FULL_OF_STONES: u32 = 12;
/// Each gatherer brings one of this many units that are lacking.
const SHARE: u32 = 4;
/// The stones of this many next incantations are brought before anything else.
const URGENT_INCANTATIONS: usize = 3;
/// Ticks after its birth at which a gatherer that still has helpers to lay goes home to lay them, whatever it carries.
const FIRST_TRIP_TIME: Tick = 240;
/// Ticks after its last look at the nest at which a gatherer goes home, whatever it carries; more on a trip that leads
/// far.
const TRIP_TIME: Tick = 240;
/// How far from home the longest trip leads at the start, in tiles.
const FIRST_RADIUS: u64 = 10;
/// Ticks after which trips go one tile farther: the land around the nest grows poor, because what is taken reappears
/// anywhere.
const RADIUS_GROWS_EVERY: Tick = 100;
/// How far a trip may stray from its focus, in tiles.
const STRAY_TILES: i32 = 5;
/// Helpers that the gatherers of a brood lay together, when they first come home.
const HELPERS: u32 = 8;
/// A gatherer at home says where home is if it has heard no word from there for this many ticks.
const HOME_WORD_EVERY: Tick = 60;
/// A tile away from the nest counts as a hoard of strangers if this many units of food lie there.
const HOARD_FOOD: u32 = 30;
/// Ticks for which a player remembers a hoard.
const HOARD_MEMORY: Tick = 1_000;
/// How far from the nest a gatherer has to be to lure strangers, in tiles.
const LURE_DISTANCE: i32 = 6;
/// Ticks between two words with which it lures strangers.
const LURE_EVERY: Tick = 60;
/// The steps of a gatherer; the first step that has something to do decides.
pub const STEPS: &[Step] = &[
    Mind::lay,
    Mind::join_the_core,
    Mind::strike,
    Mind::check_inventory,
    Mind::unload,
    Mind::take_here,
    Mind::lure,
    Mind::bring_home,
    Mind::fetch,
    Mind::plunder,
    Mind::explore,
];

impl Mind {
    /// If it stands on the nest: notes what the nest lacks and what it will bring of it, and draws where the next trip
    /// leads.
    pub fn look_at_pile(&mut self) {
        if !self.memory.at_home() {
            return;
        }
        let Some(seen) = self.memory.seen(self.memory.here) else { return };
        let (mut lacking, mut urgent) = (self.whole_need(), self.stones_for(URGENT_INCANTATIONS));
        lacking.subtract(&seen.sight.resources);
        urgent.subtract(&seen.sight.resources);
        self.trip.lacking = Some(lacking);
        // Of each resource it brings its share of what is lacking, or all that the next incantations lack of it if that
        // is more. The share is rounded by chance, since otherwise all mates would bring the same last stone.
        let mut quota = Inventory::default();
        for (resource, units) in lacking.iter() {
            quota.set(resource, ((units + self.chance.below(SHARE)) / SHARE).max(urgent.get(resource)));
        }
        self.trip.quota = Some(quota);
        // The tile where the next trip leads is drawn, so that different players and trips go different ways.
        let side = self.memory.torus.shapes().map(|s| s.width.max(s.height)).max().unwrap_or(1);
        let farthest = (FIRST_RADIUS + self.memory.clock / RADIUS_GROWS_EVERY)
            .min(u64::from(side.unsigned_abs() / 2 + 1));
        let radius = 3 + self.chance.below(u32::try_from(farthest).unwrap_or(u32::MAX));
        let right = i32::try_from(self.chance.below(2 * radius + 1)).unwrap_or(0) - radius.cast_signed();
        let ahead = radius.cast_signed() - right.abs();
        let ahead = if self.chance.below(2) == 0 { ahead } else { -ahead };
        self.trip.focus = Some((self.memory.here.plus((right, ahead)), radius));
        self.trip.nest_seen = self.memory.clock;
    }

    /// Everything that the nest needs until the end.
    fn whole_need(&self) -> Inventory {
        let mut need = self.stones_for(usize::MAX);
        let shape = self.memory.torus.shapes().next();
        let area = shape.map_or(1, |s| u32::try_from(s.width * s.height).unwrap_or(u32::MAX));
        let late = self.team.age(self.memory.clock) > LARDER_DOUBLED_AT;
        // If lines travel long, the core eats more and the gatherers come home less often.
        let larder = if late || self.memory.lags() { 2 * LARDER } else { LARDER };
        need.set(Resource::Food, (natural_amount(Resource::Food, area) / 4).min(larder));
        need
    }

    /// The stones of that many incantations, beginning with the next one at the nest, or with one that runs: its stones
    /// still lie there.
    fn stones_for(&self, incantations: usize) -> Inventory {
        let lowest = self.team.lowest_level();
        let mut need = Inventory::default();
        for row in Level::all().filter(|level| *level >= lowest).filter_map(elevation).take(incantations) {
            for (resource, units) in row.stones.iter() {
                need.add(resource, units);
            }
        }
        need
    }

    /// The food with which it comes home from a trip for food; farther trips bring more.
    fn full_load(&self) -> u32 {
        FOOD_LOAD + self.radius() / 2
    }

    /// How far from home this trip leads, in tiles.
    fn radius(&self) -> u32 {
        self.trip.focus.map_or(0, |(_, radius)| radius)
    }

    fn lacking(&self) -> Inventory {
        self.trip.lacking.unwrap_or_else(|| self.whole_need())
    }

    /// How many more units of a resource it wants to pick up.
    fn wanted(&self, resource: Resource) -> u32 {
        let food = self.memory.food();
        if resource == Resource::Food {
            let fetches = self.trip.only_food || self.lacking().get(Resource::Food) > 0;
            let wants_much = fetches && (self.trip.unloads > 0 || self.trip.only_food) || self.memory.lags();
            return if wants_much { self.full_load() } else { PROVISIONS }.saturating_sub(food);
        }
        if food < STARVING || self.trip.only_food || self.memory.stones() >= FULL_OF_STONES {
            return 0;
        }
        // Before it has seen the nest it brings the stones of the second incantation, since the nest was founded on the
        // stone of the first. Half of the players of the start bring the stones of the third.
        let third = self.is_starter && self.team.token.is_multiple_of(2);
        let quota = self.trip.quota.unwrap_or(ELEVATIONS[if third { 2 } else { 1 }].stones).get(resource);
        quota.saturating_sub(self.memory.inventory.get(resource))
    }

    /// Everything that it wants to pick up.
    fn wants(&self) -> Inventory {
        Inventory::new(Resource::ALL.map(|resource| self.wanted(resource)))
    }

    /// A gatherer that rose together with the core by chance joins it if the core is short of players. This step sends
    /// nothing; the steps of the core make the next decision.
    fn join_the_core(&mut self) -> Option<Vec<Command>> {
        let mut levels = self.team.levels(self.memory.clock);
        if self.memory.level == Level::MIN || !levels.contains(&self.memory.level) {
            return None;
        }
        let needed = newborns_needed(&levels);
        levels.push(self.memory.level);
        if newborns_needed(&levels) < needed {
            self.role = Role::Core;
        }
        None
    }

    /// Looks for food and nothing else.
    pub fn find_food(&mut self) -> Vec<Command> {
        self.trip.only_food = true;
        let steps: [Step; 5] =
            [Mind::check_inventory, Mind::take_here, Mind::fetch, Mind::plunder, Mind::explore];
        let commands = steps.iter().find_map(|step| step(self));
        self.trip.only_food = false;
        commands.unwrap_or_default()
    }

    /// At home: puts down what it carries, looks at what is lacking now, then lays helpers and guards that are due, or
    /// says where home is. Elsewhere it only notes that it has been away.
    fn unload(&mut self) -> Option<Vec<Command>> {
        if !self.memory.at_home() {
            self.trip.was_away = true;
            return None;
        }
        if !self.barren && !self.trip.was_away {
            // The first incantation would freeze it on the nest, so it leaves before.
            return Some(vec![Command::Forward, Command::Look]);
        }
        let food = self.memory.food().saturating_sub(FOOD_KEPT).min(self.lacking().get(Resource::Food));
        let spare = std::iter::once((Resource::Food, food)).chain(self.memory.inventory.iter());
        let mut sets: Vec<Command> = spare.flat_map(per_unit(Command::Set)).collect();
        sets.reverse();
        if !sets.is_empty() {
            self.trip.unloads += 1;
            return Some(sets);
        }
        let looked = self.memory.seen(self.memory.here).is_some_and(|seen| self.memory.clock - seen.at < 20);
        if !looked {
            return Some(vec![Command::Look]);
        }
        if !std::mem::replace(&mut self.barren, true) {
            self.guard.lays_guards = self.family.is_of_first_brood() && self.family.later_place().is_some();
            self.to_lay.extend(vec![Role::Gatherer; (HELPERS / self.family.gatherers()) as usize]);
            let wait = self.family.begin_branch() as usize;
            if wait > 0 {
                return Some(vec![Command::Inventory; wait]);
            }
        }
        self.plan_guards();
        self.lay().or_else(|| {
            // It says where home is in the core's stead, which is silent while an incantation runs.
            let now = self.memory.clock;
            let due = now.saturating_sub(self.home_heard) >= HOME_WORD_EVERY;
            due.then(|| {
                self.home_heard = now;
                self.say(Saying::Home)
            })
        })
    }

    /// Speaks far from the nest while strangers drive the core apart, so that they follow its voice.
    fn lure(&mut self) -> Option<Vec<Command>> {
        let now = self.memory.clock;
        let way_home = self.memory.home.spot().map(|home| self.memory.way_to(home));
        let is_far = way_home.is_some_and(|(dx, dy)| dx.abs() + dy.abs() >= LURE_DISTANCE);
        let due = now.saturating_sub(self.trip.lured_at) >= LURE_EVERY;
        (is_far && due && self.team.is_disturbed(now)).then(|| {
            self.trip.lured_at = now;
            self.say(Saying::Lure)
        })
    }

    /// Picks up what it wants from its own tile; from the nest only the food that keeps it alive.
    pub fn take_here(&mut self) -> Option<Vec<Command>> {
        let seen = self.memory.seen(self.memory.here)?;
        if self.memory.at_home() {
            let food = seen.sight.resources.get(Resource::Food);
            let hungry = food > 0 && self.memory.food() < STARVING;
            return hungry.then(|| vec![Command::Take(Resource::Food); 2]);
        }
        let takes = takes(&seen.sight.resources, &self.wants());
        let is_allowed = seen.sight.players <= CROWD || self.is_hoard(self.memory.here, &seen.sight);
        (!takes.is_empty() && is_allowed).then_some(takes)
    }

    /// Goes home with enough stones or food, after a long time, if the first incantation waits for its stone, or to lay
    /// guards.
    fn bring_home(&mut self) -> Option<Vec<Command>> {
        let (stones, food) = (self.memory.stones(), self.memory.food());
        self.memory.home.way_from(&self.memory.torus, self.memory.here)?;
        let load = if self.trip.unloads == 0 { FIRST_LOAD } else { LOAD };
        let has_all = stones > 0 && Resource::ALL.into_iter().all(|r| self.wanted(r) == 0);
        let enough =
            has_all || stones >= load || food >= self.full_load() && self.lacking().get(Resource::Food) > 0;
        let late = self.memory.clock - self.trip.nest_seen >= TRIP_TIME + Tick::from(self.radius()) * 14;
        let late = late || !self.barren && self.memory.clock >= FIRST_TRIP_TIME;
        let stone = self.memory.inventory.get(Resource::Linemate) > 0;
        let called = stone && self.team.awaits_first_incantation(self.memory.clock);
        let length = |home| route::length(self.memory.facing, self.memory.way_to(home));
        let ticks_home = Tick::from(self.memory.home.spot().map_or(0, length)) * ACTION_TICKS;
        let lays_guards = self.guards_are_due(ticks_home);
        (food >= STARVING && (enough || late || called || lays_guards) && !self.memory.at_home())
            .then(|| self.head_for_home())
    }

    /// Goes to the best tile that it remembers other than home, and takes what it wants there.
    fn fetch(&mut self) -> Option<Vec<Command>> {
        let (wanted, home) = (self.wants(), self.memory.home.spot());
        let worth = |spot, there: &Inventory, wanted: &Inventory| {
            let units = there.iter().map(|(resource, units)| units.min(wanted.get(resource)));
            if home == Some(spot) { 0 } else { units.sum() }
        };
        errand::fetch(&self.memory, &wanted, worth)
    }

    /// Goes to food that strangers have hoarded: as long as it lies there, no other food grows anywhere.
    fn plunder(&mut self) -> Option<Vec<Command>> {
        if self.wanted(Resource::Food) == 0 {
            return None;
        }
        let since = self.memory.clock.saturating_sub(HOARD_MEMORY);
        let hoards = self.memory.seen_since(since).filter(|(spot, seen)| self.is_hoard(*spot, &seen.sight));
        let length = |spot: Spot| route::length(self.memory.facing, self.memory.way_to(spot));
        let nearest = hoards.map(|(spot, _)| (length(spot), spot)).filter(|(length, _)| *length > 0).min();
        let (length, spot) = nearest?;
        let mut commands = self.travel(self.memory.way_to(spot));
        if (length as usize) < BATCH {
            commands.push(Command::Look);
        }
        Some(commands)
    }

    /// Whether strangers have hoarded food on a tile. False for a gatherer that isn't sure of home: the hoard may be
    /// its own nest.
    fn is_hoard(&self, spot: Spot, sight: &Sight) -> bool {
        if self.role == Role::Gatherer && !self.is_sure_of_home() {
            return false;
        }
        let delta = |home| self.memory.torus.delta(home, spot);
        let is_far = |(dx, dy): (i32, i32)| dx.abs().max(dy.abs()) > 1;
        sight.resources.get(Resource::Food) >= HOARD_FOOD
            && self.memory.home.spot().map(delta).is_some_and(is_far)
    }

    /// Goes toward the focus of its trip, to a tile where it hasn't looked lately, and looks.
    fn explore(&mut self) -> Option<Vec<Command>> {
        let focus = self.trip.focus.filter(|_| self.memory.food() >= STARVING);
        let penalty = |spot| {
            focus.map_or(0, |(focus, _)| {
                let (dx, dy) = self.memory.torus.delta(spot, focus);
                (dx.abs() + dy.abs() - STRAY_TILES).max(0) * 3
            })
        };
        Some(errand::explore(&self.memory, &mut self.chance, penalty))
    }

    /// Whether it knows for sure where home is, so that it doesn't attack its own team: its egg lay at the nest, and it
    /// still believes that home is its birthplace; or it has heard the leader on its own tile.
    pub fn is_sure_of_home(&self) -> bool {
        if self.trip.born_at_nest {
            self.memory.home.spot() == Some(Spot::default())
        } else {
            self.trip.heard_leader_here
        }
    }

    /// Goes home, or to where home may be.
    pub fn head_for_home(&mut self) -> Vec<Command> {
        if self.memory.home.spot().is_none() {
            return self.seek();
        }
        let way = self.memory.home.way_from(&self.memory.torus, self.memory.here).unwrap_or_default();
        self.pass_guards(way).unwrap_or_else(|| self.travel(way))
    }

    /// Looks for home: goes to the nearest tile that may be home, and takes that tile for home if it finds a crowd
    /// there.
    pub fn seek(&mut self) -> Vec<Command> {
        let Some(way) = self.memory.home.way_from(&self.memory.torus, self.memory.here) else {
            return self.find_food();
        };
        if way != (0, 0) && self.memory.food() >= STARVING {
            // It walks only a few steps, since the next sound may correct the way.
            let mut commands = self.travel(way);
            commands.truncate(BATCH / 2);
            return commands;
        }
        match self.memory.seen_now() {
            _ if way != (0, 0) => return self.find_food(),
            // Several players of the core may look for home, so to one of them a crowd proves nothing.
            Some(sight) if self.role != Role::Core && sight.players <= CROWD => return self.find_food(),
            Some(_) if self.role != Role::Core => self.memory.home.confirm(self.memory.here),
            _ => {}
        }
        vec![Command::Look]
    }
}
