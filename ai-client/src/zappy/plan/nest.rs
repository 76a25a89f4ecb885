//! The core at the nest: lays the team, and rises together.
//!
//! A player that is ready for the first incantation says so. The players that were ready rise together, and go on
//! without a word: all eat at the same time (`meals`), and then the leader begins. A player that isn't ready says so,
//! and the others wait for it. Tested in `plan::tests` and in `tests/`.

use std::collections::VecDeque;

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::{
    BIRTH_FOOD, Elevation, FOOD_TICKS, INCANTATION_TICKS, WINNING_PLAYERS, elevation,
};
use zappy_protocol::zappy::player::{Command, Sight};
use zappy_protocol::zappy::{Level, Resource};

use super::{Mind, Role, Step};
use crate::zappy::team::{Saying, newborns_needed};

/// Players laid to stay with the founder.
pub const CORE: usize = 5;
/// Players laid with them to gather; these lay more gatherers.
pub const GATHERERS: usize = 2;
/// How many questions that cost no ticks (`Connect_nbr`) a player sends before it waits. In the meantime other commands
/// end at the same tick: it hears those mates, and they become idle.
const PAUSES: u32 = 3;
/// The same for the leader; fewer, so that its mates are still idle when it begins.
const LEADER_PAUSES: u32 = 1;
/// Ticks between two words of the leader (others find home by them), of a leader that has moved the nest, and
/// of the other players of the core.
const LEADER_WORD: Tick = 50;
const MOVED_LEADER_WORD: Tick = 21;
const CORE_WORD: Tick = 150;
/// Ticks a player waits for mates that aren't ready, and for each mate that may begin before it.
const WAIT: Tick = 60;
/// Ticks without a word of the leader after which others begin.
const TRUST: Tick = 130;
/// Ticks a player waits while too few mates are left to win: replacing one of them takes all levels.
const LONG_WAIT: Tick = 500;
/// Ticks without enough players after which the leader lays more.
const SHORT: Tick = 250;
/// Ticks in which the mates that live answer when the roll is called, and after which it may be called again.
const ROLL: Tick = 30;
const AGAIN: Tick = 400;
/// Ticks between two counts of the food it has left.
const COUNT: Tick = 100;
/// Ticks without an elevation after which the leader lays more gatherers.
const STALLED: Tick = 900;
/// The steps of the core; the first step that has something to do decides.
pub const STEPS: &[Step] = &[
    Mind::leave,
    Mind::settle,
    Mind::excuse,
    Mind::forage,
    Mind::return_home,
    Mind::count_slots,
    Mind::lay,
    Mind::bite,
    Mind::feed,
    Mind::get_ready,
    Mind::pause,
    Mind::begin,
    Mind::call_roll,
    Mind::remind,
    Mind::mend,
    Mind::nibble,
    Mind::wait,
];

/// What a player of the core remembers of its work.
#[derive(Debug, Default)]
pub struct Nest {
    /// No slot is free any more that could be filled.
    pub slots_filled: bool,
    /// The level for which its mates know that it is ready.
    pub ready: Option<Level>,
    /// Its mates believe it to be ready, and it isn't.
    missing: bool,
    /// It isn't ready because it was pushed.
    pub pushed: bool,
    spoke: Tick,
    ready_since: Option<Tick>,
    short_since: Option<Tick>,
    risen_at: Tick,
    pub foraging: bool,
    /// Units of food it took between incantations, or would have if they had lain there.
    pub planned_food: usize,
    /// It hasn't eaten since it rose.
    pub hungry: bool,
    /// The tick of the last pause, and the pauses made at that tick.
    paused: (Tick, u32),
    /// When it last tried to begin.
    tried: Option<Tick>,
    /// It began the last incantation, and begins the next one.
    pub deputy: bool,
    /// When it last called the roll.
    pub rolled: Option<Tick>,
    /// It was asked whether it is ready, and hasn't said so yet.
    answers: bool,
}

impl Nest {
    /// It is no longer ready: it has to tell its mates again when it is.
    pub fn forget(&mut self) {
        self.missing |= self.ready.take().is_some();
        self.ready_since = None;
        self.short_since = None;
    }

    /// It rose to `level`, together with the mates that were ready.
    pub fn rose(&mut self, now: Tick, level: Level) {
        self.risen_at = now;
        self.ready_since = None;
        self.deputy = self.tried.is_some_and(|at| at + INCANTATION_TICKS == now);
        self.tried = None;
        self.ready = self.ready.map(|_| level);
        self.hungry = true;
    }

    /// Ticks that are left to a player that has eaten nothing but its portions between incantations.
    pub fn planned_life(&self, now: Tick) -> Tick {
        ((Tick::from(BIRTH_FOOD + 1) + self.planned_food as Tick) * FOOD_TICKS).saturating_sub(now)
    }

    /// Mates that don't speak from now on are gone.
    pub fn calls_roll(&mut self, now: Tick) {
        self.rolled = Some(now);
    }

    /// A nest on another tile. The eggs of its team are already laid.
    pub fn elsewhere() -> Nest {
        Nest { slots_filled: true, ..Nest::default() }
    }
}

/// All players that the founder and its children lay, in the order in which they are needed.
pub fn brood() -> VecDeque<Role> {
    [vec![Role::Core; CORE], vec![Role::Gatherer; GATHERERS]].concat().into()
}

impl Mind {
    /// Tells its mates that it isn't ready after all: it was pushed away, or the next incantation would starve it.
    fn excuse(&mut self) -> Option<Vec<Command>> {
        if self.memory.life() < self.needed() {
            self.nest.forget();
        }
        let kind = if std::mem::take(&mut self.nest.pushed) { Saying::Pushed } else { Saying::Away };
        std::mem::take(&mut self.nest.missing).then(|| self.say(kind))
    }

    fn return_home(&mut self) -> Option<Vec<Command>> {
        if self.memory.home.spot().is_none() {
            return Some(self.seek());
        }
        (!self.memory.at_home()).then(|| self.head_for_home())
    }

    /// Before the leader lays it makes sure that no other egg of the team is left. One that replaces another calls first:
    /// there may be a better claim, or a server that refuses words.
    fn count_slots(&mut self) -> Option<Vec<Command>> {
        if self.team.must_call() {
            return Some(self.say(Saying::Here));
        }
        (self.team.leads() && !self.nest.slots_filled).then(|| vec![Command::ConnectNbr])
    }

    /// Says once that it is ready; from then on the players that rise together know of each other. The leader looks
    /// around meanwhile.
    pub fn get_ready(&mut self) -> Option<Vec<Command>> {
        let level = self.memory.level;
        if self.nest.ready == Some(level) {
            return None;
        }
        self.nest.ready = Some(level);
        self.nest.missing = false;
        let answers = std::mem::take(&mut self.nest.answers);
        if self.team.leads() && !answers {
            return Some(vec![Command::Look]);
        }
        self.nest.spoke = self.memory.clock;
        Some(self.say(Saying::Here))
    }

    /// Pauses for a moment without letting a tick pass.
    fn pause(&mut self) -> Option<Vec<Command>> {
        let now = self.memory.clock;
        let limit = if self.team.leads() { LEADER_PAUSES } else { PAUSES };
        let made = if self.nest.paused.0 == now { self.nest.paused.1 } else { 0 };
        self.nest.paused = (now, made + 1);
        (made < limit).then(|| vec![Command::ConnectNbr])
    }

    /// Begins the incantation when all are there. It doesn't check the stones: an attempt without them costs nothing.
    /// The answer to the question behind it tells that the incantation, or its refusal, is over.
    fn begin(&mut self) -> Option<Vec<Command>> {
        let (now, level) = (self.memory.clock, self.memory.level);
        if self.team.leads() && self.team.is_wordless(now, LONG_WAIT) {
            return self.begin_by_sight();
        }
        let leads_on = elevation(level).is_some_and(|row| self.leads_to_the_top(row));
        if self.nest.ready != Some(level) || !leads_on {
            self.nest.ready_since = None;
            return None;
        }
        // Another team's incantation lifted a leader on another level. It waits for the others, so they begin without
        // it.
        if self.is_led() && !self.nest.deputy && self.team.leader_pause(now) < TRUST {
            return None;
        }
        let waited = now - *self.nest.ready_since.get_or_insert(now);
        if waited < self.patience() || self.nest.tried == Some(now) || self.lets_others_leave() {
            return None;
        }
        self.nest.tried = Some(now);
        Some(vec![Command::Incantation, Command::ConnectNbr])
    }

    /// Whether the leader is thought to stand on this player's level, and so begins for it.
    fn is_led(&self) -> bool {
        let level = self.memory.level;
        !self.team.leads() && self.team.leader_level().is_none_or(|leaders| leaders == level)
    }

    /// It couldn't begin though the stones lie there: mates are missing that it thinks are ready. They are asked to say
    /// it again, and a player that had to begin in the leader's place leads from now on.
    fn call_roll(&mut self) -> Option<Vec<Command>> {
        let (now, level) = (self.memory.clock, self.memory.level);
        let refused = self.nest.tried == Some(now) && self.nest.ready == Some(level);
        let stones = elevation(level)?.stones;
        let lie = self.fresh_pile().is_some_and(|pile| pile.resources.covers(&stones));
        let again = self.nest.rolled.is_some_and(|at| now - at < AGAIN);
        if !refused || !lie || again || self.team.is_silenced() {
            return None;
        }
        self.nest.calls_roll(now);
        self.team.call_roll(now, level);
        self.nest.spoke = now;
        Some(self.say(Saying::Roll))
    }

    /// It was asked whether it is ready, and says so again if it is.
    pub fn answer_roll(&mut self) {
        self.nest.ready = None;
        self.nest.ready_since = None;
        self.nest.answers = true;
    }

    /// A leader that can't hear its mates begins when it sees enough players and the stones.
    fn begin_by_sight(&mut self) -> Option<Vec<Command>> {
        let (now, pile) = (self.memory.clock, self.fresh_pile()?);
        let stones = elevation(self.memory.level)?.stones;
        let able = pile.players as usize >= WINNING_PLAYERS && pile.resources.covers(&stones);
        (able && self.nest.tried != Some(now)).then(|| {
            self.nest.tried = Some(now);
            vec![Command::Incantation, Command::ConnectNbr]
        })
    }

    /// How long it waits before it tries to begin, in ticks: for absent mates, and for ready mates with a
    /// lower token. A vain attempt delays no player, but two incantations in a row leave no time to eat.
    fn patience(&self) -> Tick {
        let (now, level) = (self.memory.clock, self.memory.level);
        let ready = self.team.ready(now, level);
        let levels = self.team.levels(now);
        let absent = levels.iter().filter(|l| **l == level).count() > ready.len();
        let together = levels.iter().filter(|l| **l > level).count() + ready.len() + 1;
        let wait = match (together >= WINNING_PLAYERS, absent) {
            (true, false) => 0,
            (true, true) if ready.len() + 1 >= WINNING_PLAYERS => 0,
            (true, true) => WAIT,
            (false, _) => LONG_WAIT,
        };
        if self.team.leads() {
            return wait;
        }
        if self.nest.deputy {
            return wait;
        }
        let turn = ready.iter().filter(|&&token| token < self.team.token()).count() as Tick;
        wait + (turn + Tick::from(self.is_led())) * WAIT
    }

    /// Whether enough mates are ready, and whether the players that rise now can still reach the highest level with
    /// the others.
    fn leads_to_the_top(&self, row: &Elevation) -> bool {
        let (now, level) = (self.memory.clock, self.memory.level);
        let ready = self.team.ready(now, level).len();
        let Some(next) = level.next() else { return false };
        let mut levels = self.team.levels(now);
        levels.push(level);
        for mine in levels.iter_mut().filter(|l| **l == level).take(ready + 1) {
            *mine = next;
        }
        ready + 1 >= row.players && newborns_needed(&levels) == 0
    }

    /// The leader replaces dead players, and lays more gatherers when the team hasn't risen for long. One that took the lead
    /// where words are refused can't know what its team is short of.
    fn mend(&mut self) -> Option<Vec<Command>> {
        let blind = self.team.is_silenced() && self.team.replaces();
        if !self.team.leads() || blind {
            return None;
        }
        if self.lays.is_empty() {
            self.family.begin_core();
        }
        let now = self.memory.clock;
        let mut levels = self.team.levels(now);
        levels.push(self.memory.level);
        let needed = if self.team.is_wordless(now, LONG_WAIT) {
            self.pile().map_or(0, |pile| WINNING_PLAYERS.saturating_sub(pile.players as usize))
        } else {
            newborns_needed(&levels)
        };
        let fed = self.food_in_sight();
        if needed == 0 {
            self.nest.short_since = None;
        } else if now - *self.nest.short_since.get_or_insert(now) >= self.tolerance() {
            self.nest.short_since = None;
            self.lays.extend(vec![Role::Core; needed.min(fed)]);
        }
        if now.saturating_sub(self.nest.risen_at) >= STALLED {
            self.nest.risen_at = now;
            self.lays.extend(vec![Role::Gatherer; fed.min(3)]);
        }
        self.lay()
    }

    /// Ticks for which it waits for players that it misses: it knows for sure once the roll was called.
    fn tolerance(&self) -> Tick {
        let answered = |at: Tick| (ROLL..AGAIN).contains(&(self.memory.clock - at));
        // Where no words arrive there is no mate to miss, and no end of laying.
        if self.nest.rolled.is_some_and(answered) && self.team.misses_mates(self.memory.clock) {
            0
        } else {
            SHORT
        }
    }

    /// Units of food that it saw lately, where it didn't take them. A newborn brings food of its own, but needs more.
    fn food_in_sight(&self) -> usize {
        let seen = self.memory.seen_since(self.memory.clock.saturating_sub(STALLED));
        seen.map(|(_, seen)| seen.sight.resources.get(Resource::Food) as usize).sum()
    }

    /// Says again that it is ready, when the wait grows long.
    fn remind(&mut self) -> Option<Vec<Command>> {
        let now = self.memory.clock;
        let interval = match (self.team.leads(), self.memory.strict()) {
            (true, _) if self.moved() => MOVED_LEADER_WORD,
            (true, _) => LEADER_WORD,
            (false, false) => CORE_WORD,
            (false, true) => 4 * CORE_WORD,
        };
        let due = now.saturating_sub(self.nest.spoke.max(self.nest.risen_at)) >= interval;
        if !due || self.nest.ready.is_none() {
            return None;
        }
        self.nest.spoke = now;
        Some(self.say(Saying::Here))
    }

    /// Waits; by the strict rules with the shortest command. Its clock lags behind when lines travel, so from time to
    /// time it counts the food it has left.
    fn wait(&mut self) -> Option<Vec<Command>> {
        let counts = self.count(COUNT);
        let still = self.memory.strict() && !self.team.leads();
        counts.or_else(|| Some(vec![if still { Command::Inventory } else { Command::Look }]))
    }

    /// The nest as last seen.
    pub fn pile(&self) -> Option<Sight> {
        Some(self.memory.seen(self.memory.home.spot()?)?.sight)
    }

    /// The nest, if it looked at it at this tick.
    pub fn fresh_pile(&self) -> Option<Sight> {
        let seen = self.memory.seen(self.memory.home.spot()?)?;
        (self.memory.at_home() && seen.at == self.memory.clock).then_some(seen.sight)
    }
}
