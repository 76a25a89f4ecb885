//! What a player does next.
//!
//! The strategy: the founder stays near its birthplace and lays the team on its own tile, the nest, so that the
//! players that rise together never have to meet. The *core* stays there and holds the incantations (`nest`);
//! *gatherers* roam, and bring stones and food (`gather`); *guards* keep strangers out (`guard`). Each role is a list of
//! steps, and the first step that has something to do decides; some steps only note something for later ones. Further
//! steps are in `site`, `meals` and `reprisal`. What they share is in `mind`. `route` turns ways into commands, `errand` fetches what is wanted.
//!
//! Decides only when everything sent before was answered, and only from the lines it has read. Tested in each module
//! and, against the real rules, in `tests/`.

pub(crate) mod errand;
mod gather;
mod guard;
mod meals;
mod mind;
mod nest;
mod reprisal;
pub(crate) mod route;
mod site;

use std::collections::VecDeque;

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::{MapSize, Text, Tick};

use crate::zappy::family::Family;
use crate::zappy::memory::Home;
use crate::zappy::strategy::{Birth, ExpertBirth, Role, Strategy};
use crate::zappy::team::{self, Saying, Seal, Team};
pub use mind::Mind;
use mind::{Step, brood};

/// Commands sent in one go: fewer than a server queues.
pub(crate) const BATCH: usize = 8;
/// Ticks that a newcomer waits for a leader's voice before it founds a nest itself.
const FOUNDING_PATIENCE: Tick = 600;
/// Ticks without a word of leader or core after which a player of the core takes the lead.
const CORE_PATIENCE: Tick = 900;
/// Ticks without a word of the leader after which a player that waits with it on one tile takes the lead: a leader that
/// waits speaks every 50 ticks.
const LEADER_PATIENCE: Tick = 340;
/// Ticks between two players that may take the lead: enough for the first to say that it does.
const TAKEOVER_TURN: Tick = 21;
/// With this many players that came in at the start, one gatherer is enough in the founder's brood.
const ENOUGH_STARTERS: usize = 4;
/// Ticks without a word of leader or core after which a gatherer founds another nest.
const GATHERER_PATIENCE: Tick = 1_800;
/// Connections that one player opens at most for slots that were never taken.
const FILLING_LIMIT: u32 = 256;
/// At most this many of the players that came in through free slots lay eggs: with many slots there are enough players.
const PARENTS: u32 = 8;

impl Mind {
    /// A player that came in at the start, when `slots` slots were left.
    pub fn starter(seal: Seal, chance: u64, slots: u32, size: MapSize) -> Mind {
        let (role, to_lay, family, team) =
            (Role::Gatherer, VecDeque::new(), Family::default(), Team::new(seal, 0));
        let birth =
            ExpertBirth { role, to_lay, at_home: false, barren: true, strict: false, chance, team, family };
        let mut mind = Mind { orphan: true, ..Mind::new(birth, size) };
        (mind.is_starter, mind.announces) = (slots > 0, slots > 0);
        if slots == 0 {
            // The last slot is taken, so eggs that are laid from now on hatch where they lie.
            mind.found_nest(0);
        }
        mind
    }
}

impl Strategy for Mind {
    fn decide(&mut self) -> Vec<Command> {
        if std::mem::take(&mut self.orphan) {
            // How the server counts food, in units or in ticks, shows whether it plays by the strict rules.
            return vec![Command::Inventory, Command::Look];
        }
        if std::mem::take(&mut self.announces) && self.team.token != 0 {
            return self.say(Saying::Start);
        }
        self.watch_leader();
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

    fn answered(&mut self, command: &Command, response: &Response) {
        let ok = *response == Response::Ok;
        self.memory.answered(command, ok);
        match (command, response) {
            (Command::Look, Response::Look(sights)) => {
                if self.team.token == 0 {
                    // The first look differs even between players with equal handshakes.
                    let drawn = self.chance.next_u64() ^ sights.len() as u64;
                    self.team.set_token(team::token_of(drawn));
                }
                self.memory.saw_view(sights);
                self.look_at_pile();
                self.find_company();
            }
            (Command::Inventory, Response::Inventory(inventory)) => self.memory.saw_inventory(*inventory),
            (Command::ConnectNbr, Response::Slots(free)) if self.team.leads() && !self.nest.slots_filled => {
                // Opens connections for slots that were never taken: a player that connects comes out of an egg laid at
                // the nest only when no other egg is left.
                self.nest.slots_filled = *free == 0;
                for index in 0..(*free).min(FILLING_LIMIT) {
                    let family = Family::from_free_slot(index);
                    let birth = self.birth(Role::Gatherer, VecDeque::new(), family, false);
                    self.births.push_back(ExpertBirth { barren: index >= PARENTS, ..birth });
                }
            }
            (Command::Fork, _) if ok => self.hatch(),
            (Command::Set(resource), _) if ok => {
                if let Some(lacking) = &mut self.trip.lacking {
                    lacking.take_one(*resource);
                }
            }
            _ => {}
        }
    }

    fn heard(&mut self, direction: u8, text: &Text) {
        let was_leader = self.team.leads();
        let Some(heard) = self.team.hear(self.memory.clock, direction, text) else { return };
        if let Some((kind, token)) = heard.guards {
            self.heard_of_guards(kind, token, direction);
            return;
        }
        let must_answer = heard.calls_roll.is_some_and(|level| level == self.memory.level || was_leader);
        if must_answer && self.memory.at_home() {
            self.nest.roll_called = Some(self.memory.clock);
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
        self.trip.heard_leader_here |= heard.from_home && direction == 0;
        if heard.from_home || heard.may_be_home && self.memory.home.spot().is_none() {
            let before = self.memory.home.spot();
            self.memory.heard_home(direction);
            if self.memory.home.spot() != before {
                self.team.lost_sight();
                self.nest.set_not_ready();
            }
        }
        if was_leader && !self.team.leads() {
            // Another player has the better claim. If it leads at another nest, this player becomes a gatherer of that
            // nest.
            self.to_lay.clear();
            if direction != 0 {
                self.role = Role::Gatherer;
            }
        }
    }

    fn pushed(&mut self, from: u8) {
        // A guard that is pushed outward shares its post with another guard, so it asks for a side again.
        let is_on_post = self.guard.post.is_some_and(|post| self.memory.way_to(post) == (0, 0));
        if is_on_post && from == guard::NEST_DIRECTION {
            (self.guard.post, self.guard.asked) = (None, None);
        }
        self.memory.pushed(from);
        self.team.lost_sight();
        self.nest.set_not_ready();
        self.nest.pushed = true;
    }

    fn incantation_over(&mut self, level: Option<Level>) {
        let before = self.memory.level;
        self.memory.incantation_over(level);
        let Some(level) = level else {
            self.nest.set_not_ready();
            self.nest.roll_called = Some(self.memory.clock);
            self.team.call_roll(self.memory.clock, before);
            self.team.lost_sight();
            return;
        };
        self.team.rose(self.memory.clock, before, level);
        self.nest.rose(self.memory.clock, level);
    }

    fn next_birth(&mut self) -> Option<Birth> {
        self.births.pop_front().map(Box::new).map(Birth::Expert)
    }

    fn silenced(&mut self) {
        if self.team.replaces_leader() {
            // It can't know whether another player leads, so it lays no team.
            self.to_lay.clear();
        }
        self.team.silenced = true;
    }

    fn note(&self) -> Option<&'static str> {
        self.stopped.then_some("it lays no more eggs: no player of the team has risen for 1500 ticks")
    }
}

impl Mind {
    /// Takes the lead, or founds another nest, if leader and core were silent for too long.
    fn watch_leader(&mut self) {
        if self.team.leads() {
            return;
        }
        if self.role == Role::Gatherer
            && self.fresh_pile().is_some_and(|pile| pile.players as usize > WINNING_PLAYERS)
        {
            // A core that nothing disturbs rises from level to level without a word.
            self.team.core_noticed = self.memory.clock;
        }
        let silence = self.memory.clock.saturating_sub(self.team.core_noticed);
        let knows_core = self.team.leader.is_some() || self.team.core_noticed > 0;
        let stagger = Tick::from(self.team.token % 200);
        match self.role {
            Role::Core if silence > CORE_PATIENCE + stagger && self.memory.at_home() => {
                self.replace_leader();
            }
            Role::Core if self.leader_is_lost(stagger) => {
                self.replace_leader();
                self.owe_answer();
            }
            Role::Guard => {}
            // Silence is no sign where words don't arrive.
            Role::Gatherer
                if self.team.silenced
                    || self.team.leader.is_some() && self.team.is_wordless(self.memory.clock, 0) => {}
            Role::Gatherer if !knows_core && silence > FOUNDING_PATIENCE + stagger => self.found_nest(1),
            _ if silence > GATHERER_PATIENCE + stagger => self.found_nest(1),
            _ => {}
        }
    }

    /// Whether it waits at the nest for a leader that doesn't speak though it should stand there, or didn't answer when
    /// the roll was called. In the second case the players there take the lead one after the other, until one says that
    /// it leads.
    fn leader_is_lost(&self, stagger: Tick) -> bool {
        let (now, level) = (self.memory.clock, self.memory.level);
        if !self.memory.at_home() || self.nest.ready != Some(level) || level == Level::MIN {
            return false;
        }
        let silence = self.team.leader_silence(now);
        let ready = self.team.ready_mates(now, level);
        let before = ready.iter().filter(|token| **token < self.team.token).count() as Tick;
        let unanswered =
            self.nest.roll_called.is_some_and(|at| now - at > nest::ANSWER_TIME + TAKEOVER_TURN * before);
        // Without a ready mate words may not arrive at all, so silence is no sign.
        let silent = !ready.is_empty()
            && silence > self.memory.with_lag(LEADER_PATIENCE) + stagger
            && !self.team.leader().is_some_and(|leader| leader.away && !leader.is_gone(now));
        silent || unanswered && self.team.leader_is_gone(now)
    }

    /// Takes the lead at the nest, which stays where it is.
    fn replace_leader(&mut self) {
        self.team.take_lead(1);
        self.site.settled = true;
    }

    /// Makes this tile the nest.
    fn found_nest(&mut self, rank: u8) {
        self.team.take_lead(rank);
        if rank > 0 {
            self.team.found_anew(self.memory.clock);
        }
        self.role = Role::Core;
        self.family = Family::default();
        self.to_lay = brood();
        self.memory.home.confirm(self.memory.here);
        self.nest.set_not_ready();
    }

    /// Its egg is laid; the child gets every other one of the children that are still to lay.
    fn hatch(&mut self) {
        if self.team.leads()
            && self.laid == 0
            && self.team.starters >= ENOUGH_STARTERS
            && let Some(last) = self.to_lay.back_mut()
        {
            // Where players of the start gather, a seventh player can stay in the core: then a loss delays no
            // incantation.
            *last = Role::Core;
            self.family.sole = true;
        }
        let Some(role) = self.to_lay.pop_front() else { return };
        self.laid += 1;
        let (mut own, mut child_lays) = (VecDeque::new(), VecDeque::new());
        for (i, role) in self.to_lay.drain(..).enumerate() {
            if i % 2 == 0 { child_lays.push_back(role) } else { own.push_back(role) }
        }
        self.to_lay = own;
        let family = self.family.child();
        let birth = self.birth(role, child_lays, family, self.memory.at_home());
        self.births.push_back(birth);
    }

    /// What a child with this role begins with.
    fn birth(&mut self, role: Role, to_lay: VecDeque<Role>, family: Family, at_home: bool) -> ExpertBirth {
        let chance = self.chance.next_u64();
        let mut team = self.team.for_child(self.memory.clock, team::token_of(chance), self.memory.level);
        if !at_home {
            team.lost_sight();
        }
        let (barren, strict) = (self.role == Role::Gatherer, self.memory.is_strict());
        ExpertBirth { role, to_lay, at_home, barren, strict, chance, team, family }
    }
}

#[cfg(test)]
mod tests;
