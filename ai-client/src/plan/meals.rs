//! What the core eats, and when: as little as will do, while everybody eats.
//!
//! `bite` between two rites, all at the same time; `feed` before one says that one is ready; `nibble` while there is
//! nothing else to do; `forage` away from the nest, when one would starve there.
//!
//! Never leaves the nest while food lies there. Tested in `plan::tests` and in `tests/`.

use zappy_protocol::constants::{FOOD_TICKS, INCANTATION_TICKS};
use zappy_protocol::player::Command;
use zappy_protocol::{Level, Resource, Tick};

use super::Mind;
use crate::team::Kind;

/// Ticks from the begin of one rite to that of the next, and a little for all of them together.
const RITE: Tick = INCANTATION_TICKS + 7;
const RESERVE: Tick = 20;
/// What one takes at once at most.
const MOUTHFUL: usize = 3;
/// Units of food everybody takes between two rites. In six such gaps these are three more than last from birth to the
/// end: rites that are held up starve nobody then.
const BITES: usize = 2;
/// Who has less to live says that it isn't ready: a rite, and a little.
pub const NEEDED: Tick = 315;
/// What one eats up to then.
const ENOUGH: Tick = 480;
/// What one eats up to while there is nothing else to do.
const SATED: Tick = 1_100;
/// Ticks that the way back to the nest may take.
const RETURN: Tick = 150;
/// Ticks for which a look at an empty larder is believed.
const BELIEVED: Tick = 60;

impl Mind {
    /// Goes and finds food when there is none at the nest; comes back with enough.
    pub fn forage(&mut self) -> Option<Vec<Command>> {
        let life = self.memory.life();
        let enough = self.rites_left() as Tick * RITE + RETURN;
        if self.nest.foraging && life >= enough.min(SATED) {
            self.nest.foraging = false;
        }
        if !self.nest.foraging && life < NEEDED && self.larder_is_empty() {
            self.nest.foraging = true;
        }
        self.nest.foraging.then(|| self.find_food())
    }

    /// Takes its food for the next rite, whether it sees any or not: a look costs as much as a vain try.
    pub fn bite(&mut self) -> Option<Vec<Command>> {
        let bites = if std::mem::take(&mut self.nest.hungry) { self.portion() } else { 0 };
        if bites == 0 {
            return None;
        }
        if !self.calls() {
            return Some(vec![Command::Take(Resource::Food); bites]);
        }
        let mut commands = self.say(Kind::Here);
        commands.extend(vec![Command::Take(Resource::Food); bites - 1]);
        Some(commands)
    }

    /// What it takes before the next rite: as much as everybody, so that all are ready at the same tick, and more
    /// if somebody would starve before the end who has eaten with it since its birth and nothing else.
    fn portion(&mut self) -> usize {
        let planned = self.nest.planned_life(self.memory.clock);
        // By the strict rules who eats longer than the leader is left behind.
        let life = if self.memory.strict() { planned } else { planned.min(self.memory.life()) };
        let lacking = self.lacking_food(life);
        let portion = lacking.div_ceil(self.rites_left().saturating_sub(1).max(1)).clamp(BITES, MOUTHFUL);
        self.nest.planned_food += portion;
        portion
    }

    /// Rites to the top.
    fn rites_left(&self) -> usize {
        usize::from(Level::MAX.get() - self.memory.level.get())
    }

    /// Units of food without which one who lives so long would starve before the end.
    fn lacking_food(&self, life: Tick) -> usize {
        let time = self.rites_left() as Tick * RITE + RESERVE;
        usize::try_from(time.saturating_sub(life).div_ceil(FOOD_TICKS)).unwrap_or(usize::MAX)
    }

    /// Whether it tells those who are away how far the core is, instead of taking its first bite: who was born
    /// late has time for that once, another one each time.
    fn calls(&self) -> bool {
        let its_turn = self.family.birthplace().map(|place| 2 + place % 2 + place / 4 * 2);
        let spare = BITES * self.rites_left() > self.lacking_food(self.memory.life());
        its_turn == Some(self.memory.level.get().into()) && spare && !self.memory.strict()
    }

    /// Eats what it takes to live through the next rite before it says that it is ready.
    pub fn feed(&mut self) -> Option<Vec<Command>> {
        let life = self.memory.life();
        if self.nest.ready.is_some() || life >= ENOUGH || life >= NEEDED && self.larder_is_empty() {
            return None;
        }
        let known = self.pile().is_some_and(|pile| pile.resources.get(Resource::Food) > 0);
        let mut commands = vec![Command::Take(Resource::Food); if known { 2 } else { 0 }];
        commands.push(Command::Look);
        Some(commands)
    }

    /// Eats beyond hunger while waiting. By the strict rules who does something isn't taken along.
    pub fn nibble(&mut self) -> Option<Vec<Command>> {
        if self.memory.strict() && !self.team.leads() {
            return None;
        }
        let food = self.fresh_pile()?.resources.get(Resource::Food);
        (food > 0 && self.memory.life() < SATED).then(|| vec![Command::Take(Resource::Food)])
    }

    /// Whether there was no food at the nest when it was looked at a moment ago.
    fn larder_is_empty(&self) -> bool {
        let seen = self.memory.home.spot().and_then(|home| self.memory.seen(home));
        seen.is_some_and(|seen| {
            self.memory.clock - seen.at <= BELIEVED && seen.sight.resources.get(Resource::Food) == 0
        })
    }
}
