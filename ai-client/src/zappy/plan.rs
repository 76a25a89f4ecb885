//! What a player does next.
//!
//! The strategy: the founder stays near its birthplace and lays the team on its own tile, the nest, so that the
//! players that rise together never have to meet. The *core* stays there and holds the incantations (`nest`);
//! *gatherers* roam, and bring stones and food (`gather`); *guards* keep strangers out (`guard`). Each role is a list of steps, and the first step that has
//! something to do decides; some steps only take note of something. `site`, `meals` and `homing` hold further steps.
//! `route` turns ways into commands, `errand` fetches what is wanted, `family` says when each child comes in.
//!
//! Decides only when everything sent before was answered, and only from the lines it has read. Tested in each module
//! and, against the real rules, in `tests/`.

pub(crate) mod errand;
mod family;
mod gather;
mod guard;
mod homing;
mod meals;
mod nest;
mod reprisal;
pub(crate) mod route;
mod site;

use std::collections::VecDeque;

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::{MapSize, TeamName, Text, Tick};

use crate::chance::{Chance, mix};
use crate::zappy::memory::{Home, Memory};
use crate::zappy::team;
use crate::zappy::team::{Saying, Seal, Team};
use family::Family;
use gather::Trip;
use guard::Watch;
use nest::Nest;
use site::Site;

/// Commands sent in one go: fewer than a server queues.
pub(crate) const BATCH: usize = 8;
/// Ticks a newcomer waits for a leader's voice before it founds a nest itself.
const FOUNDING: Tick = 600;
/// Ticks for which the core waits for a silent leader: it knows when to expect its words.
const CORE_PATIENCE: Tick = 900;
/// The same where the leader should stand on the same tile: it speaks every 50 ticks while it waits.
const LEADER_PATIENCE: Tick = 340;
/// Ticks in which a player says that it leads, before the next one does.
const TURN: Tick = 21;
/// Players of the start that make one gatherer enough in the founder's brood.
const STARTERS: usize = 4;
/// Ticks for which gatherers wait for a silent leader.
const GATHERER_PATIENCE: Tick = 1_800;
/// Eggs one player lays at most.
const LAYING_LIMIT: u32 = 60;
/// Ticks without a known rise after which no player of the team lays any more.
const STANDSTILL: Tick = 1_500;
/// Connections one player opens at most for slots that were never taken.
const FILLING_LIMIT: u32 = 256;
/// At most this many of the players that came in through free slots lay eggs; with many slots there are
/// enough players already.
const PARENTS: u32 = 8;

/// What a player does for its team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Stays at the nest and rises.
    Core,
    Gatherer,
    /// Stands beside the nest and pushes strangers away.
    Guard,
}

/// What a parent hands to its child. Two players share nothing else outside the game.
#[derive(Debug, Clone)]
pub struct ExpertBirth {
    role: Role,
    lays: VecDeque<Role>,
    at_home: bool,
    /// Lays only the children in `lays`. A player that isn't barren also lays helpers when it first comes
    /// home.
    barren: bool,
    /// Whether the server counts food in ticks.
    strict: bool,
    chance: u64,
    team: Team,
    pub(super) family: Family,
}

/// A step: the commands to send, or `None` if it has nothing to do.
type Step = fn(&mut Mind) -> Option<Vec<Command>>;

#[derive(Debug)]
pub struct Mind {
    memory: Memory,
    team: Team,
    chance: Chance,
    role: Role,
    /// The children it still has to lay.
    lays: VecDeque<Role>,
    /// It lays no more than those.
    barren: bool,
    /// It was there from the start, so no parent told it anything, and it hasn't looked around yet.
    orphan: bool,
    /// When it last heard, or said, where home is.
    home_heard: Tick,
    laid: u32,
    /// It had more to lay when it stopped.
    stopped: bool,
    births: VecDeque<ExpertBirth>,
    family: Family,
    /// It was there from the start.
    started: bool,
    /// It says that it was there from the start.
    announces: bool,
    site: Site,
    nest: Nest,
    trip: Trip,
    guard: Watch,
}

impl Mind {
    /// A newborn; `slots` is the number of free slots that the handshake told.
    pub fn new(
        name: &TeamName,
        seal: Seal,
        seed: u64,
        slots: u32,
        size: MapSize,
        birth: Option<ExpertBirth>,
    ) -> Mind {
        let orphan = birth.is_none();
        let birth = birth.unwrap_or_else(|| {
            let own = mix(mix(seed, name.as_str().as_bytes()), &slots.to_le_bytes());
            let team = Team::new(seal, 0);
            let (lays, family) = (VecDeque::new(), Family::default());
            ExpertBirth {
                role: Role::Gatherer,
                lays,
                at_home: false,
                barren: true,
                strict: false,
                chance: own,
                team,
                family,
            }
        });
        let mut mind = Mind {
            memory: Memory::new(size, birth.at_home),
            team: birth.team,
            chance: Chance::new(birth.chance),
            role: birth.role,
            lays: birth.lays,
            barren: birth.barren,
            orphan,
            home_heard: 0,
            laid: 0,
            stopped: false,
            births: VecDeque::new(),
            family: birth.family,
            started: orphan && slots > 0,
            announces: orphan && slots > 0,
            site: Site::default(),
            nest: Nest::default(),
            trip: Trip::new(birth.at_home),
            guard: Watch::default(),
        };
        if birth.strict {
            mind.memory.count_in_ticks();
        }
        if orphan && slots == 0 {
            // The last slot is taken, so eggs that are laid from now on hatch where they lie.
            mind.found(0);
        }
        mind
    }

    /// The commands to send next: at least one, and no more than the server queues.
    pub fn decide(&mut self) -> Vec<Command> {
        if std::mem::take(&mut self.orphan) {
            // The unit of food tells the rules.
            return vec![Command::Inventory, Command::Look];
        }
        if std::mem::take(&mut self.announces) && self.team.token() != 0 {
            let commands = self.say(Saying::Start);
            if !commands.is_empty() {
                return commands;
            }
        }
        self.mind_the_leader();
        self.memory.begin_batch();
        let steps = match self.role {
            Role::Core => nest::STEPS,
            Role::Gatherer => gather::STEPS,
            Role::Guard => guard::STEPS,
        };
        let mut commands = steps.iter().find_map(|step| step(self)).unwrap_or_default();
        commands.truncate(BATCH);
        if commands.is_empty() {
            commands.push(Command::Look);
        }
        commands
    }

    pub fn answered(&mut self, command: &Command, response: &Response) {
        let ok = *response == Response::Ok;
        self.memory.done(command, ok);
        match (command, response) {
            (Command::Look, Response::Look(sights)) => {
                self.draw_token(sights.len());
                self.memory.saw(sights);
                self.look_at_pile();
                self.find_company();
            }
            (Command::Inventory, Response::Inventory(inventory)) => self.memory.counts(*inventory),
            (Command::ConnectNbr, Response::Slots(free)) if self.team.leads() && !self.nest.slots_filled => {
                self.fill(*free);
            }
            (Command::Fork, _) if ok => self.hatch(),
            (Command::Set(resource), _) if ok => self.delivered(*resource),
            _ => {}
        }
    }

    /// A player broadcast a text.
    pub fn heard(&mut self, direction: u8, text: &Text) {
        let led = self.team.leads();
        let Some(heard) = self.team.hear(self.memory.clock, direction, text) else { return };
        if let Some((kind, token)) = heard.guards {
            self.heard_of_guards(kind, token, direction);
            return;
        }
        let called = heard.calls_roll.is_some_and(|level| level == self.memory.level || led);
        if called && self.memory.at_home() {
            self.nest.rolled = Some(self.memory.clock);
            self.owe_answer();
        }
        if heard.may_be_home {
            self.home_heard = self.memory.clock;
        }
        if heard.moves {
            self.memory.home = Home::unknown(&self.memory.torus);
            self.team.lost_sight();
            self.nest.ready = None;
        }
        self.trip.sure |= heard.from_home && direction == 0;
        if heard.from_home || heard.may_be_home && self.memory.home.spot().is_none() {
            let before = self.memory.home.spot();
            self.memory.heard_home(direction);
            if self.memory.home.spot() != before {
                self.team.lost_sight();
                self.nest.forget();
            }
        }
        if led && !self.team.leads() {
            // There is a better claim. At another nest it means that this player works for that one.
            self.lays.clear();
            if direction != 0 {
                self.role = Role::Gatherer;
            }
        }
    }

    /// Another player pushed this one to the next tile.
    pub fn pushed(&mut self, from: u8) {
        self.lose_post(from);
        self.memory.pushed(from);
        self.team.lost_sight();
        self.nest.forget();
        self.nest.pushed = true;
    }

    /// An incantation that it took part in is over; `level` is its new level if it rose.
    pub fn incantation_over(&mut self, level: Option<Level>) {
        self.memory.incantation_over();
        let Some(level) = level else {
            self.nest.forget();
            self.nest.rolled = Some(self.memory.clock);
            self.team.call_roll(self.memory.clock, self.memory.level);
            self.team.lost_sight();
            return;
        };
        self.team.rose(self.memory.clock, self.memory.level, level);
        self.memory.level = level;
        self.nest.rose(self.memory.clock, level);
    }

    /// Whether the server counts food in ticks, as far as it knows.
    pub fn knows_strict(&self) -> bool {
        self.memory.strict()
    }

    /// The next child to connect, once its egg is laid.
    pub fn next_birth(&mut self) -> Option<ExpertBirth> {
        self.births.pop_front()
    }

    /// The server passes none of its words. A player that wanted to replace a leader can't know whether there is one, so
    /// it lays no team.
    pub fn silenced(&mut self) {
        if self.team.replaces() {
            self.lays.clear();
        }
        self.team.silenced = true;
    }

    /// Why it lays no more, if it has stopped before its work was done.
    pub fn note(&self) -> Option<&'static str> {
        self.stopped.then_some("it lays no more eggs: no player of the team has risen for 1500 ticks")
    }

    pub fn level(&self) -> Level {
        self.memory.level
    }

    /// Draws the token from the first look, which differs even between players with equal handshakes.
    fn draw_token(&mut self, tiles: usize) {
        if self.team.token() == 0 {
            let word = self.chance.word() ^ tiles as u64;
            self.team.set_token(team::name(word));
        }
    }

    fn mind_the_leader(&mut self) {
        if self.team.leads() {
            return;
        }
        if self.role == Role::Gatherer
            && self.fresh_pile().is_some_and(|pile| pile.players as usize > WINNING_PLAYERS)
        {
            // A core that nothing disturbs rises from level to level without a word.
            self.team.core_noticed = self.memory.clock;
        }
        let (silence, known) = self.team.leader_silence(self.memory.clock);
        let stagger = Tick::from(self.team.token() % 200);
        match self.role {
            Role::Core if silence > CORE_PATIENCE + stagger && self.memory.at_home() => {
                self.replace_leader();
            }
            Role::Core if self.leader_is_lost(stagger) => {
                self.replace_leader();
                self.owe_answer();
            }
            Role::Guard => {}
            Role::Gatherer if !self.team.can_miss_a_leader() => {}
            Role::Gatherer if !known && silence > FOUNDING + stagger => self.found(1),
            _ if silence > GATHERER_PATIENCE + stagger => self.found(1),
            _ => {}
        }
    }

    /// Whether it waits at the nest for a leader that doesn't speak though it should stand there, or didn't answer when the
    /// roll was called. One player after the other takes the lead then, as long as none has said so.
    fn leader_is_lost(&self, stagger: Tick) -> bool {
        let (now, level) = (self.memory.clock, self.memory.level);
        if !self.memory.at_home() || self.nest.ready != Some(level) || level == Level::MIN {
            return false;
        }
        let pause = self.team.leader_pause(now);
        let ready = self.team.ready(now, level);
        let before = ready.iter().filter(|token| **token < self.team.token()).count() as Tick;
        let unanswered = self.nest.rolled.is_some_and(|at| now - at > nest::ROLL + TURN * before);
        // Where no words arrive at all, silence tells nothing.
        let silent = !ready.is_empty()
            && pause > self.memory.stretched(LEADER_PATIENCE) + stagger
            && !self.team.leader_is_away(now);
        silent || unanswered && self.team.leader_is_gone(now)
    }

    /// Takes the lead at the nest, which stays where it is.
    fn replace_leader(&mut self) {
        self.team.take_lead(1);
        self.site.stays();
    }

    /// Makes this tile the nest.
    fn found(&mut self, rank: u8) {
        self.team.take_lead(rank);
        if rank > 0 {
            self.team.found_anew(self.memory.clock);
        }
        self.role = Role::Core;
        self.family = Family::default();
        self.lays = nest::brood();
        self.memory.home.confirm(self.memory.here);
        self.nest.forget();
    }

    /// Opens connections for slots that were never taken: eggs laid at the nest hatch there only when no other egg is
    /// left.
    fn fill(&mut self, free: u32) {
        self.nest.slots_filled = free == 0;
        for index in 0..free.min(FILLING_LIMIT) {
            let birth = self.birth(Role::Gatherer, VecDeque::new(), false);
            let (barren, family) = (index >= PARENTS, Family::apart(index));
            self.births.push_back(ExpertBirth { barren, family, ..birth });
        }
    }

    /// The egg lies there; the child gets half of the work that is left.
    fn hatch(&mut self) {
        let first = self.team.leads() && self.laid == 0;
        if first
            && self.team.starters >= STARTERS
            && let Some(last) = self.lays.back_mut()
        {
            // Where players of the start gather, another player can stay in the core: then a loss delays no incantation.
            *last = Role::Core;
            self.family.sole = true;
        }
        let Some(role) = self.lays.pop_front() else { return };
        self.laid += 1;
        let (mut own, mut its) = (VecDeque::new(), VecDeque::new());
        for (i, role) in self.lays.drain(..).enumerate() {
            if i % 2 == 0 { its.push_back(role) } else { own.push_back(role) }
        }
        self.lays = own;
        let at_home = self.memory.at_home();
        let family = self.family.child();
        let birth = ExpertBirth { family, ..self.birth(role, its, at_home) };
        self.births.push_back(birth);
    }

    fn birth(&mut self, role: Role, lays: VecDeque<Role>, at_home: bool) -> ExpertBirth {
        let word = self.chance.word();
        let mut team = self.team.for_child(self.memory.clock, team::name(word), self.memory.level);
        if !at_home {
            team.lost_sight();
        }
        let (barren, strict) = (self.role == Role::Gatherer, self.memory.strict());
        let family = Family::default();
        ExpertBirth { role, lays, at_home, barren, strict, chance: word, team, family }
    }

    /// Lays the next child. Nothing is sent behind it: the child's connection is opened before anything else happens.
    fn lay(&mut self) -> Option<Vec<Command>> {
        let stands_still = self.team.standstill(self.memory.clock) >= STANDSTILL;
        self.stopped = stands_still && (self.stopped || !self.lays.is_empty());
        if self.laid >= LAYING_LIMIT || stands_still {
            self.lays.clear();
        }
        (!self.lays.is_empty() && self.memory.at_home()).then(|| vec![Command::Fork])
    }

    /// Counts what it carries from time to time.
    fn count(&mut self, interval: Tick) -> Option<Vec<Command>> {
        let now = self.memory.clock;
        let due = now.saturating_sub(self.memory.counted.unwrap_or(0)) >= interval;
        due.then(|| vec![Command::Inventory])
    }

    fn say(&mut self, kind: Saying) -> Vec<Command> {
        if self.team.silenced {
            return Vec::new();
        }
        vec![self.team.say(kind, self.memory.level)]
    }

    fn travel(&self, way: (i32, i32)) -> Vec<Command> {
        route::commands(self.memory.facing, way)
    }
}

#[cfg(test)]
mod tests;
