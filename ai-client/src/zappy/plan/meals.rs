//! What players of the core eat, and when: as little as possible, and all at the same time.
//!
//! A player eats between two incantations, at the same time as the others (`eat_after_rise`), before it says that it is
//! ready (`eat_to_be_ready`), and while it has nothing else to do (`eat_while_waiting`). It looks for food away from
//! the nest (`forage`) when it would starve there.
//!
//! A player never leaves the nest while food lies there. Tested in `plan::tests` and in `tests/`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::{
    ACTION_TICKS, BIRTH_FOOD, FOOD_TICKS, INCANTATION_TICKS, WINNING_PLAYERS,
};
use zappy_protocol::zappy::player::Command;
use zappy_protocol::zappy::{Level, Resource};

use super::Mind;
use crate::zappy::team::Saying;

/// Ticks from the start of one incantation to the start of the next.
const INCANTATION_PERIOD: Tick = INCANTATION_TICKS + ACTION_TICKS;
/// Ticks by which all incantations together may be late.
const RESERVE: Tick = 20;
/// Units of food taken at once at most.
const MOST_AT_ONCE: usize = 3;
/// Units of food that each player takes between two incantations. In the six gaps these are three units more than it
/// needs from birth to the end, so that a late incantation starves no player.
const UNITS_PER_GAP: usize = 2;
/// A player with fewer ticks to live than this says that it isn't ready: an incantation, and a little more.
const READY_LIFE: Tick = 315;
/// Before it says that it is ready, it eats until it has this many ticks to live.
const FED_LIFE: Tick = 480;
/// While it has nothing else to do, it eats until it has this many ticks to live.
const SATED_LIFE: Tick = 1_100;
/// While too few players are at the nest to rise after a push, a player looks for food if it has fewer ticks to live
/// than this. All do so at the same time: if one went after the other, one of them would always be away.
const FORAGE_LIFE: Tick = 700;
/// Ticks that the way back to the nest may take.
const WAY_BACK: Tick = 150;
/// Ticks for which a player believes that the nest still has no food after it has found none there.
const EMPTY_FOR: Tick = 60;

impl Mind {
    /// Leaves to find food when there is none at the nest, and comes back with enough.
    pub fn forage(&mut self) -> Option<Vec<Command>> {
        let life = self.memory.ticks_to_live();
        let enough = self.incantations_left() as Tick * INCANTATION_PERIOD + WAY_BACK;
        if self.nest.foraging && life >= enough.min(SATED_LIFE) {
            self.nest.foraging = false;
        }
        let (now, level) = (self.memory.clock, self.memory.level);
        let ready = self.team.ready_mates(now, level).len();
        // After strangers drove the core apart, too few players may be at the nest to rise while the others are away.
        let too_few = level > Level::MIN && ready + 1 < WINNING_PLAYERS;
        let away = || self.team.living(now).any(|(_, mate)| mate.level == level && mate.away);
        let waits = too_few && self.team.is_disturbed(now) && away();
        let least = if waits { self.ready_life().max(FORAGE_LIFE.min(enough)) } else { self.ready_life() };
        if !self.nest.foraging && life < least && self.nest_has_no_food() {
            self.nest.foraging = true;
        }
        self.nest.foraging.then(|| self.find_food())
    }

    /// Takes its food for the next incantation without looking first: a look costs as much as a try in vain.
    pub fn eat_after_rise(&mut self) -> Option<Vec<Command>> {
        if !std::mem::take(&mut self.nest.hungry) {
            return None;
        }
        let mut commands = vec![Command::Take(Resource::Food); self.portion()];
        if self.memory.lags() {
            // It also asks for its inventory, since its own clock isn't exact enough.
            commands.push(Command::Inventory);
            return Some(commands);
        }
        let (level, may_speak) = (self.memory.level.get(), !self.memory.is_strict() && !self.team.silenced);
        // In place of the leader, the player that began the incantation tells the team how far the core has come.
        let reports = may_speak && self.nest.began_last && level.is_multiple_of(2) && !self.team.leads();
        // So do players that were born late, for absent players: each can spare one unit of food once, and at each
        // level it is another player's turn.
        let its_turn = self.family.later_place().map(|place| 2 + place % 2 + place / 4 * 2);
        let spare = UNITS_PER_GAP * self.incantations_left() > self.lacking_food(self.memory.ticks_to_live());
        if !reports {
            if !may_speak || !spare || its_turn != Some(level.into()) {
                return Some(commands);
            }
            commands.pop();
        }
        Some([self.say(Saying::Here), commands].concat())
    }

    /// Units of food that it takes before the next incantation. All players take the same number, so that they are
    /// ready at the same tick; they take more if a player that has eaten only these portions since its birth would
    /// starve before the end.
    fn portion(&mut self) -> usize {
        let planned = (Tick::from(BIRTH_FOOD + 1) + self.nest.planned_food as Tick) * FOOD_TICKS;
        let planned = planned.saturating_sub(self.memory.clock);
        // By the strict rules a player that eats longer than the leader is left behind by the incantation.
        let life = if self.memory.is_strict() { planned } else { planned.min(self.memory.ticks_to_live()) };
        let lacking = self.lacking_food(life);
        let portion = lacking
            .div_ceil(self.incantations_left().saturating_sub(1).max(1))
            .clamp(UNITS_PER_GAP, MOST_AT_ONCE);
        self.nest.planned_food += portion;
        portion
    }

    /// The ticks to live that a player needs to be ready.
    pub fn ready_life(&self) -> Tick {
        self.memory.with_lag(READY_LIFE)
    }

    /// The number of incantations to the highest level.
    fn incantations_left(&self) -> usize {
        usize::from(Level::MAX.get() - self.memory.level.get())
    }

    /// Units of food that a player with `life` ticks to live lacks to reach the highest level.
    fn lacking_food(&self, life: Tick) -> usize {
        let time = self.memory.with_lag(self.incantations_left() as Tick * INCANTATION_PERIOD + RESERVE);
        usize::try_from(time.saturating_sub(life).div_ceil(FOOD_TICKS)).unwrap_or(usize::MAX)
    }

    /// Eats enough to live through the next incantation, before it says that it is ready.
    pub fn eat_to_be_ready(&mut self) -> Option<Vec<Command>> {
        let life = self.memory.ticks_to_live();
        if self.nest.ready.is_some()
            || life >= self.memory.with_lag(FED_LIFE)
            || life >= self.ready_life() && self.nest_has_no_food()
        {
            return None;
        }
        let has_seen_food = self.pile().is_some_and(|pile| pile.resources.get(Resource::Food) > 0);
        let mut commands = vec![Command::Take(Resource::Food); if has_seen_food { 2 } else { 0 }];
        commands.push(Command::Look);
        Some(commands)
    }

    /// Eats more than it needs while it waits. By the strict rules only the leader does, since an incantation leaves
    /// busy players behind.
    pub fn eat_while_waiting(&mut self) -> Option<Vec<Command>> {
        if self.memory.is_strict() && !self.team.leads() {
            return None;
        }
        let food = self.fresh_pile()?.resources.get(Resource::Food);
        (food > 0 && self.memory.ticks_to_live() < SATED_LIFE).then(|| vec![Command::Take(Resource::Food)])
    }

    /// Whether a look at the nest, or a try to take food, found no food there a moment ago.
    fn nest_has_no_food(&self) -> bool {
        let seen = self.memory.home.spot().and_then(|home| self.memory.seen(home));
        let fresh = |at: Tick| self.memory.clock - at <= EMPTY_FOR;
        seen.is_some_and(|seen| {
            let is_known = fresh(seen.at) || self.memory.no_food_at_home.is_some_and(fresh);
            is_known && seen.sight.resources.get(Resource::Food) == 0
        })
    }
}
