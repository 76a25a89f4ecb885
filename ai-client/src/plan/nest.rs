//! The core at the nest: lays the team, keeps itself fed, and rises together.
//!
//! Who is fed and stands at the nest says so once per level; when enough have said it and the stones lie
//! there, the one with the lowest name begins. Never leaves the nest but to find food. Tested in this module
//! and in `tests/`.

use std::collections::VecDeque;

use zappy_protocol::constants::{Elevation, WINNING_PLAYERS, elevation};
use zappy_protocol::player::{Command, Sight};
use zappy_protocol::{Level, Resource, Tick};

use super::{Mind, Role, Step};
use crate::team::{Kind, newborns_needed};

/// Who stays with the founder: one more than it takes.
const CORE: usize = 6;
/// Who gathers.
const GATHERERS: usize = 8;
/// With less food nobody begins a rite, which takes two and a half units.
const ENOUGH: u32 = 3;
/// With less food one eats before one is ready.
const HUNGRY: u32 = 5;
/// What one eats up to while there is nothing else to do.
const SATED: u32 = 10;
/// Ticks between two words of the leader, by which others find home, and of the others.
const LEADER_WORD: Tick = 50;
const CORE_WORD: Tick = 150;
/// Ticks between two counts of what one carries.
const COUNT: Tick = 130;
/// Ticks one waits for mates that aren't ready, and for each one whose turn it is before one's own.
const WAIT: Tick = 60;
/// Ticks one waits for mates without whom the others would have to come from far below.
const LONG_WAIT: Tick = 500;
/// Ticks without enough players after which the leader lays more.
const SHORT: Tick = 250;
/// Ticks without an elevation after which the leader lays more gatherers.
const STALLED: Tick = 900;

/// The steps of the core; the first that has something to do decides.
pub const STEPS: &[Step] = &[
    Mind::forage,
    Mind::return_home,
    Mind::count_slots,
    Mind::call_the_team,
    Mind::lay,
    Mind::count_at_nest,
    Mind::eat,
    Mind::get_ready,
    Mind::watch,
    Mind::begin,
    Mind::mend,
    Mind::nibble,
];

/// What one of the core remembers of its work.
#[derive(Debug, Default)]
pub struct Nest {
    slots_filled: bool,
    said: Option<(Tick, Level)>,
    ready_since: Option<Tick>,
    short_since: Option<Tick>,
    risen_at: Tick,
    foraging: bool,
}

impl Nest {
    /// What was said is no longer true: it has to be said again.
    pub fn forget(&mut self) {
        self.said = None;
        self.ready_since = None;
        self.short_since = None;
    }

    /// A level more.
    pub fn rose(&mut self, now: Tick) {
        self.risen_at = now;
    }

    /// So many slots were free, and are being filled.
    pub fn filled(&mut self, free: u32) {
        self.slots_filled = free == 0;
    }
}

/// Everybody the founder and its children lay, those first that are needed first.
pub fn brood() -> VecDeque<Role> {
    let pairs = (0..CORE.max(GATHERERS))
        .flat_map(|i| [(i < CORE).then_some(Role::Core), (i < GATHERERS).then_some(Role::Gatherer)]);
    pairs.flatten().collect()
}

impl Mind {
    /// Goes and finds food when there is none at the nest; comes back with enough.
    fn forage(&mut self) -> Option<Vec<Command>> {
        let food = self.memory.food();
        if self.nest.foraging && food >= SATED {
            self.nest.foraging = false;
        }
        if !self.nest.foraging && food < ENOUGH && self.larder_is_empty() {
            self.nest.foraging = true;
            if self.nest.said.take().is_some() {
                return Some(self.say(Kind::Away));
            }
        }
        self.nest.foraging.then(|| self.find_food())
    }

    fn return_home(&mut self) -> Option<Vec<Command>> {
        if self.memory.home.spot().is_none() {
            return Some(self.seek());
        }
        (!self.memory.at_home()).then(|| self.head_for_home())
    }

    /// Before the leader lays it makes sure that no other egg of the team is left.
    fn count_slots(&mut self) -> Option<Vec<Command>> {
        (self.team.leads() && !self.nest.slots_filled).then(|| vec![Command::ConnectNbr])
    }

    /// While the leader lays, the others learn where home is.
    fn call_the_team(&mut self) -> Option<Vec<Command>> {
        if self.lays.is_empty() || !self.team.leads() {
            return None;
        }
        self.word()
    }

    fn count_at_nest(&mut self) -> Option<Vec<Command>> {
        self.count(COUNT)
    }

    /// Eats what it takes to live through the next rite. What comes next in any case goes along: who waits for
    /// each answer loses the time that lines travel.
    fn eat(&mut self) -> Option<Vec<Command>> {
        let food = self.memory.food();
        if food >= HUNGRY || self.larder_is_empty() {
            return None;
        }
        let known = self.pile().is_some_and(|pile| pile.resources.get(Resource::Food) > 0);
        let bites = if known { (HUNGRY + 1 - food).min(3) as usize } else { 0 };
        let mut commands = vec![Command::Take(Resource::Food); bites];
        if known {
            commands.extend(self.word().unwrap_or_default());
        }
        commands.push(Command::Look);
        Some(commands)
    }

    fn get_ready(&mut self) -> Option<Vec<Command>> {
        let mut commands = self.word()?;
        commands.push(Command::Look);
        Some(commands)
    }

    fn watch(&mut self) -> Option<Vec<Command>> {
        self.fresh_pile().is_none().then(|| vec![Command::Look])
    }

    /// Begins the rite when everything is there. The inventory behind it tells when the rite, or its
    /// refusal, is through.
    fn begin(&mut self) -> Option<Vec<Command>> {
        if !self.may_begin() {
            self.nest.ready_since = None;
            return None;
        }
        let (now, level) = (self.memory.clock, self.memory.level);
        let waited = now - *self.nest.ready_since.get_or_insert(now);
        let ready = self.team.ready(now, level);
        let absent = self.team.levels(now).iter().filter(|l| **l == level).count() > ready.len();
        let pile = self.fresh_pile().filter(|_| level == Level::MIN);
        let crowded = pile.is_some_and(|pile| pile.players as usize > ready.len() + 2);
        let together = self.team.levels(now).iter().filter(|l| **l > level).count() + ready.len() + 1;
        let patience = match (together >= WINNING_PLAYERS, absent || crowded) {
            (true, false) => 0,
            (true, true) => WAIT,
            (false, _) => LONG_WAIT,
        };
        // One after the other: who begins in vain delays nobody, but two rites in a row leave no time to eat.
        let turn = ready.iter().filter(|&&token| token < self.team.token()).count() as Tick;
        let patience = patience + turn * WAIT;
        (waited >= patience).then(|| vec![Command::Incantation, Command::Inventory])
    }

    fn may_begin(&self) -> bool {
        let Some(row) = elevation(self.memory.level) else { return false };
        self.nest.said.is_some() && self.stones_lie_there(row) && self.leads_to_the_top(row)
    }

    fn stones_lie_there(&self, row: &Elevation) -> bool {
        self.fresh_pile()
            .is_some_and(|pile| pile.resources.covers(&row.stones) && pile.players as usize >= row.players)
    }

    /// Whether enough are ready, and whether those who rise now can still reach the top with the others.
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

    /// The leader replaces who died, and sends out more gatherers when nothing moves.
    fn mend(&mut self) -> Option<Vec<Command>> {
        if !self.team.leads() {
            return None;
        }
        let now = self.memory.clock;
        let mut levels = self.team.levels(now);
        levels.push(self.memory.level);
        let needed = newborns_needed(&levels);
        if needed == 0 {
            self.nest.short_since = None;
        } else if now - *self.nest.short_since.get_or_insert(now) >= SHORT {
            self.nest.short_since = None;
            self.lays.extend(vec![Role::Core; needed]);
        }
        if now.saturating_sub(self.nest.risen_at) >= STALLED {
            self.nest.risen_at = now;
            self.lays.extend([Role::Gatherer; 3]);
        }
        self.lay()
    }

    /// Eats beyond hunger while waiting.
    fn nibble(&mut self) -> Option<Vec<Command>> {
        let food = self.fresh_pile()?.resources.get(Resource::Food);
        (food > 0 && self.memory.food() < SATED).then(|| vec![Command::Take(Resource::Food)])
    }

    /// Says that it is here and ready, when that is true and wasn't said lately.
    fn word(&mut self) -> Option<Vec<Command>> {
        let (now, level) = (self.memory.clock, self.memory.level);
        let interval = if self.team.leads() { LEADER_WORD } else { CORE_WORD };
        let due = self.nest.said.is_none_or(|(at, said)| said != level || now - at >= interval);
        if !due || self.memory.food() < ENOUGH {
            return None;
        }
        self.nest.said = Some((now, level));
        Some(self.say(Kind::Here))
    }

    /// The nest as last seen.
    fn pile(&self) -> Option<Sight> {
        Some(self.memory.seen(self.memory.home.spot()?)?.sight)
    }

    /// The nest, if it was looked at right now.
    fn fresh_pile(&self) -> Option<Sight> {
        let seen = self.memory.seen(self.memory.home.spot()?)?;
        (self.memory.at_home() && seen.at == self.memory.clock).then_some(seen.sight)
    }

    /// Whether there was no food at the nest when it was looked at a moment ago.
    fn larder_is_empty(&self) -> bool {
        let seen = self.memory.home.spot().and_then(|home| self.memory.seen(home));
        seen.is_some_and(|seen| {
            self.memory.clock - seen.at <= 2 * WAIT && seen.sight.resources.get(Resource::Food) == 0
        })
    }
}
