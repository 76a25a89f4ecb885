//! The world: map, teams, eggs, players, incantations, and what is due when.
//!
//! State and its bookkeeping; the rules stand in the modules beside it, each as methods of [`World`]. Every change leaves an
//! [`Event`]. Knows players, never connections. Tested by the transcripts and the simulator.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::Response;
use zappy_protocol::zappy::{EggId, Level, PlayerId, constants};
use zappy_protocol::{Position, TeamName, Tick};

use super::event::Event;
use super::map::Map;
use super::options::ZappyOptions;
use super::player::Player;
use super::rules::RuleSet;
use super::schedule::{Due, Schedule};
use zappy_game::chance::{Chance, rank};
use zappy_game::config::{LAST_TICK, MatchConfig};

/// What a draw is for. The numbers are part of the rules: another number gives another draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// What lies on the ground at the start.
    Ground = 0,
    /// Where the eggs lie that no player laid.
    Egg = 1,
    /// From which egg a client hatches, and which way its player faces.
    Hatch = 2,
    /// The order of what is due at one tick.
    Order = 3,
    /// Where the ground is refilled.
    Refill = 4,
    /// Ties in the ranking and at a win.
    Lot = 5,
}

impl Purpose {
    /// How many purposes there are.
    const COUNT: usize = 6;
}

/// A team and its slots.
#[derive(Debug)]
pub(super) struct Team {
    pub(super) name: TeamName,
    /// Its free slots, in the order of laying.
    pub(super) eggs: Vec<EggId>,
    /// When one of its players first reached each level.
    pub(super) reached: [Option<Tick>; Level::MAX.get() as usize],
}

impl Team {
    /// The highest level any of its players ever reached, and when.
    pub(super) fn highest(&self) -> Option<(Level, Tick)> {
        let reached = |level: Level| Some((level, self.reached[usize::from(level.get()) - 1]?));
        Level::all().rev().find_map(reached)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Egg {
    pub(super) team: usize,
    pub(super) at: Position,
}

#[derive(Debug)]
pub(super) struct Incantation {
    pub(super) at: Position,
    /// The level its players had when it began.
    pub(super) level: Level,
    /// The player that began it; `None`: the console did, and then it needs and takes no stones.
    pub(super) initiator: Option<PlayerId>,
    /// The participants, in the order in which they read that it has begun.
    pub(super) players: Vec<PlayerId>,
    /// The participants that were moved since it began.
    pub(super) moved: Vec<PlayerId>,
}

/// When the ground is refilled.
#[derive(Debug, Default)]
pub(super) struct Refill {
    /// Whether a refill is in the schedule.
    pub(super) planned: bool,
    /// The tick from which the periods between refills are counted.
    pub(super) origin: Tick,
    /// Whether the operator has stopped refills.
    pub(super) stopped: bool,
}

/// The whole state of a match without its connections.
#[derive(Debug)]
pub(super) struct World {
    pub(super) config: MatchConfig,
    pub(super) options: ZappyOptions,
    pub(super) now: Tick,
    pub(super) map: Map,
    pub(super) teams: Vec<Team>,
    /// All players that ever lived, by number.
    pub(super) players: Vec<Player>,
    pub(super) living: BTreeSet<PlayerId>,
    pub(super) eggs: BTreeMap<EggId, Egg>,
    pub(super) next_egg: u32,
    /// The running incantations by number, which is the order in which they began.
    pub(super) incantations: BTreeMap<u32, Incantation>,
    pub(super) next_incantation: u32,
    pub(super) schedule: Schedule,
    /// Whether the world is running what is due at this tick; otherwise it handles an input.
    pub(super) in_due: bool,
    pub(super) refill: Refill,
    /// Whether players lose no food, since the operator said so.
    pub(super) no_food: bool,
    /// Players that would have lost a unit of food meanwhile: no hunger is planned for them until food is lost again.
    pub(super) fasting: BTreeSet<PlayerId>,
    pub(super) over: bool,
    /// The tick at which the match's time is over.
    pub(super) ends_at: Tick,
    /// For each purpose the tick of the last stream, and how many streams that tick had.
    ordinals: [(Tick, u64); Purpose::COUNT],
    pub(super) events: VecDeque<Event>,
}

impl World {
    /// A world at tick 0: resources lie on the ground, and every team has its eggs.
    pub(super) fn new(config: &MatchConfig, options: ZappyOptions) -> World {
        let teams =
            config.teams.iter().map(|name| Team { name: name.clone(), eggs: Vec::new(), reached: [None; 8] });
        let mut world = World {
            config: config.clone(),
            options,
            now: 0,
            map: Map::new(config.map),
            teams: teams.collect(),
            players: Vec::new(),
            living: BTreeSet::new(),
            eggs: BTreeMap::new(),
            next_egg: 0,
            incantations: BTreeMap::new(),
            next_incantation: 0,
            schedule: Schedule::default(),
            in_due: false,
            refill: Refill::default(),
            no_food: false,
            fasting: BTreeSet::new(),
            over: false,
            ends_at: LAST_TICK,
            ordinals: [(0, 0); Purpose::COUNT],
            events: VecDeque::new(),
        };
        world.spread(Purpose::Ground);
        for team in world.teams_in_order() {
            world.scatter_eggs(team, options.slots);
        }
        // Where the first player begins the match's time, `hatch` sets its end.
        world.ends_at = if options.rules.time_begins_with_players { LAST_TICK } else { config.last_tick() };
        world.schedule.push(world.ends_at, Due::End, 0, 0);
        // An observer learns of the new world by a dump.
        world.events.clear();
        world
    }

    /// The rules that are played.
    pub(super) fn rules(&self) -> &RuleSet {
        &self.options.rules
    }

    pub(super) fn emit(&mut self, event: Event) {
        self.events.push_back(event);
    }

    pub(super) fn publish(&mut self, message: Message) {
        self.emit(Event::Published(message));
    }

    /// Publishes a message, or withholds it from observers.
    pub(super) fn publish_if(&mut self, published: bool, message: Message) {
        self.emit(if published { Event::Published(message) } else { Event::Withheld(message) });
    }

    pub(super) fn respond(&mut self, player: PlayerId, response: Response) {
        self.emit(Event::Responded(player, response));
    }

    pub(super) fn player(&self, id: PlayerId) -> &Player {
        &self.players[id.0 as usize]
    }

    pub(super) fn player_mut(&mut self, id: PlayerId) -> &mut Player {
        &mut self.players[id.0 as usize]
    }

    /// The player of that number, if it lives.
    pub(super) fn living_player(&self, id: PlayerId) -> Option<&Player> {
        self.living.contains(&id).then(|| self.player(id))
    }

    /// A new stream for that purpose; each call within a tick gives another one.
    pub(super) fn chance(&mut self, purpose: Purpose) -> Chance {
        let (tick, count) = &mut self.ordinals[purpose as usize];
        if *tick != self.now {
            (*tick, *count) = (self.now, 0);
        }
        *count += 1;
        Chance::new(self.config.seed, purpose as u64, self.now, *count)
    }

    /// A player's place in the order drawn for a tick.
    pub(super) fn rank(&self, tick: Tick, player: PlayerId) -> u64 {
        rank(self.config.seed, Purpose::Order as u64, tick, player.0.into())
    }

    /// Plans the end of a player's command; an end that was planned before no longer counts.
    pub(super) fn plan_command(&mut self, id: PlayerId, tick: Tick) {
        let rank = self.rank(tick, id);
        let player = self.player_mut(id);
        player.generation = player.generation.wrapping_add(1);
        let generation = player.generation;
        self.schedule.push(tick, Due::Command(id), rank, generation);
    }

    /// A player's place in the order of hunger at a tick.
    fn hunger_rank(&self, tick: Tick, id: PlayerId) -> u64 {
        if self.rules().newest_first { u64::MAX - u64::from(id.0) } else { self.rank(tick, id) }
    }

    /// The frequency changes: if the rules say so, what is running ends after the seconds that it would have taken.
    pub(super) fn change_rate(&mut self, old: u32, new: u32) {
        if !self.rules().keeps_seconds || old == new {
            return;
        }
        let now = self.now;
        let scaled = |left: Tick| (left * Tick::from(new)).div_ceil(Tick::from(old));
        for &id in &self.living {
            if let Some(running) = &mut self.players[id.0 as usize].agenda_mut().running {
                match &mut running.suspended {
                    Some(left) => *left = scaled(*left),
                    None => running.due = now + scaled(running.due - now),
                }
            }
        }
        let mut schedule = std::mem::take(&mut self.schedule);
        schedule.retime(|due, tick, rank| {
            let later = now + scaled(tick.saturating_sub(now));
            match due {
                Due::Incantation(_) => (later, rank),
                Due::Command(id) => (later, self.rank(later, id)),
                Due::Hunger(id) => (later, self.hunger_rank(later, id)),
                Due::Refill | Due::End => (tick, rank),
            }
        });
        self.schedule = schedule;
    }

    pub(super) fn plan_hunger(&mut self, id: PlayerId) {
        let tick = self.now + constants::FOOD_TICKS;
        let rank = self.hunger_rank(tick, id);
        self.schedule.push(tick, Due::Hunger(id), rank, 0);
    }

    /// Food is lost again: the players that fasted are hungry at the ticks at which they would have been otherwise.
    pub(super) fn end_fast(&mut self) {
        for id in std::mem::take(&mut self.fasting) {
            let since_born = self.now - self.player(id).born;
            let tick = self.now + constants::FOOD_TICKS - since_born % constants::FOOD_TICKS;
            self.schedule.push(tick, Due::Hunger(id), self.rank(tick, id), 0);
        }
    }

    /// Notes that a player of the team has reached that level now.
    pub(super) fn note_level(&mut self, team: usize, level: Level) {
        let now = self.now;
        self.teams[team].reached[usize::from(level.get()) - 1].get_or_insert(now);
    }

    /// Emits the resources on a tile.
    pub(super) fn emit_tile(&mut self, at: Position) {
        let resources = self.map.tile(at).resources;
        self.publish(Message::Tile { at, resources });
    }

    /// Emits the inventory of a player.
    pub(super) fn emit_inventory(&mut self, player: PlayerId) {
        let Player { at, inventory, .. } = *self.player(player);
        self.publish(Message::PlayerInventory { player, at, inventory });
    }

    /// Emits the place and the orientation of a player.
    pub(super) fn emit_position(&mut self, player: PlayerId) {
        let Player { at, orientation, .. } = *self.player(player);
        self.publish(Message::PlayerPosition { player, at, orientation });
    }

    /// Answers `ko`, and notes the reason for the record.
    pub(super) fn refuse(&mut self, id: PlayerId, why: impl Into<zappy_game::Words>) {
        let refused = &mut self.player_mut(id).tally.refused;
        *refused = refused.saturating_add(1);
        self.emit(Event::Refused(id, why.into()));
    }

    /// Holds a player in an incantation: a running command waits with the time it has left.
    pub(super) fn freeze(&mut self, id: PlayerId) {
        let now = self.now;
        let player = self.player_mut(id);
        player.end_silence(now);
        player.frozen = true;
        player.generation = player.generation.wrapping_add(1);
        if let Some(running) = &mut player.agenda_mut().running {
            running.suspended.get_or_insert(running.due.saturating_sub(now));
        }
    }

    /// Lets a player go on: its command with the time it had left, or its next one.
    pub(super) fn thaw(&mut self, id: PlayerId) {
        let now = self.now;
        let player = self.player_mut(id);
        player.frozen = false;
        let mut left: Tick = 0;
        if let Some(running) = &mut player.agenda_mut().running {
            left = running.suspended.take().unwrap_or(0);
            running.due = now + left;
        }
        self.plan_command(id, now + left);
    }
}
