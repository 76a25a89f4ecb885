//! What the players of the core do: they stay at the nest, lay the team, and rise together.
//!
//! A player that is ready for the first incantation says so. The players that were ready rise together, and go on
//! without a word: all eat at the same time (`meals`), and then the leader begins the next incantation. A player that
//! isn't ready says so, and the others wait for it. Tested in `plan::tests` and in `tests/`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::{WINNING_PLAYERS, elevation};
use zappy_protocol::zappy::player::Command;
use zappy_protocol::zappy::{Level, Resource};

use super::{Mind, Role, Step};
use crate::zappy::team::{Saying, newborns_needed};

/// How many questions that cost no ticks (`Connect_nbr`) a player sends before it goes on. Meanwhile mates' commands
/// that end at this tick are done, so it hears those mates and they are idle.
const PAUSES: u32 = 3;
/// How many such questions the leader sends: fewer, so that its mates are still idle when it begins.
const LEADER_PAUSES: u32 = 1;
/// Ticks between two words of the leader, by which others find home.
const LEADER_WORD_EVERY: Tick = 50;
/// Ticks between two words of a leader that has moved the nest.
const MOVED_LEADER_WORD_EVERY: Tick = 21;
/// Words that a player says before it lays in place of a leader, so that it knows whether the server takes its
/// broadcasts.
const FIRST_CALLS: u64 = 2;
/// Ticks between two words of another player of the core.
const CORE_WORD_EVERY: Tick = 150;
/// Ticks that a player waits for mates that aren't ready, and for each mate that may begin before it.
const MATE_WAIT: Tick = 60;
/// Ticks without a word of the leader after which other players begin in its place.
const LEADER_TRUST: Tick = 70;
/// Ticks that a player waits while too few mates are left to win: a replacement has to rise through all levels.
const REPLACEMENT_WAIT: Tick = 500;
/// If no word was heard up to this tick, words are taken not to arrive.
const WORDLESS_FROM: Tick = 500;
/// Ticks with too few players after which the leader lays more.
const SHORT_HANDED_TIME: Tick = 250;
/// Ticks in which living mates answer a call of the roll.
pub const ANSWER_TIME: Tick = 30;
/// Ticks after which the roll may be called again.
const ROLL_CALL_PAUSE: Tick = 400;
/// Ticks without a rise after which the leader lays more gatherers.
const STALLED_AFTER: Tick = 900;
/// Ticks for which food that was seen counts.
const FOOD_SEEN_FOR: Tick = 900;
/// The steps of the core; the first step that has something to do decides.
pub const STEPS: &[Step] = &[
    Mind::leave,
    Mind::settle,
    Mind::say_not_ready,
    Mind::forage,
    Mind::return_home,
    Mind::count_slots,
    Mind::lay,
    Mind::eat_after_rise,
    Mind::eat_to_be_ready,
    Mind::get_ready,
    Mind::pause,
    Mind::begin,
    Mind::call_roll,
    Mind::say_ready_again,
    Mind::replace_missing,
    Mind::eat_while_waiting,
    Mind::wait,
];

impl Mind {
    /// Tells its mates that it isn't ready after all: it was pushed away, or the next incantation would starve it.
    fn say_not_ready(&mut self) -> Option<Vec<Command>> {
        if self.memory.ticks_to_live() < self.ready_life() {
            self.nest.set_not_ready();
        }
        let kind = if std::mem::take(&mut self.nest.pushed) { Saying::Pushed } else { Saying::Away };
        std::mem::take(&mut self.nest.believed_ready).then(|| self.say(kind))
    }

    /// Goes home, or looks for home.
    fn return_home(&mut self) -> Option<Vec<Command>> {
        (!self.memory.at_home()).then(|| self.head_for_home())
    }

    /// Asks for free slots until all are taken: only then does a new connection get an egg that is laid here. A leader
    /// that replaces another one speaks first, since another player may have a better claim, or the server may refuse
    /// words.
    fn count_slots(&mut self) -> Option<Vec<Command>> {
        if self.team.replaces_leader() && self.team.counter < FIRST_CALLS && !self.team.silenced {
            return Some(self.say(Saying::Here));
        }
        (self.team.leads() && !self.nest.slots_filled).then(|| vec![Command::ConnectNbr])
    }

    /// Notes that it is ready and says so, so that the players that rise together know of each other. The leader looks
    /// around instead, unless the roll was called; it speaks in `say_ready_again`.
    pub fn get_ready(&mut self) -> Option<Vec<Command>> {
        let level = self.memory.level;
        if self.nest.ready == Some(level) {
            return None;
        }
        self.nest.ready = Some(level);
        self.nest.believed_ready = false;
        let asked = std::mem::take(&mut self.nest.owes_answer);
        if self.team.leads() && !asked {
            return Some(vec![Command::Look]);
        }
        self.nest.spoke = self.memory.clock;
        Some(self.say(Saying::Here))
    }

    /// Sends questions that cost no ticks, so that mates finish what ends at this tick.
    fn pause(&mut self) -> Option<Vec<Command>> {
        let now = self.memory.clock;
        let limit = if self.team.leads() { LEADER_PAUSES } else { PAUSES };
        let made = if self.nest.paused.0 == now { self.nest.paused.1 } else { 0 };
        self.nest.paused = (now, made + 1);
        (made < limit).then(|| vec![Command::ConnectNbr])
    }

    /// Begins the incantation when all players are there. It doesn't check the stones, since an attempt without them
    /// costs nothing. A question follows the attempt: its answer shows that the incantation is over, or was refused.
    fn begin(&mut self) -> Option<Vec<Command>> {
        let (now, level) = (self.memory.clock, self.memory.level);
        if self.team.leads() && self.team.is_wordless(now, WORDLESS_FROM) {
            // It can't hear its mates, and begins when it sees enough players and the stones.
            let (pile, stones) = (self.fresh_pile()?, elevation(level)?.stones);
            let able = pile.players as usize >= WINNING_PLAYERS && pile.resources.covers(&stones);
            return if able { self.try_incantation() } else { None };
        }
        // Enough mates must be ready, and the players that rise now must still reach the highest level with the others.
        let can_win = elevation(level).zip(level.next()).is_some_and(|(row, next)| {
            let ready = self.team.ready_mates(now, level).len();
            let mut levels = self.team.levels(now);
            levels.push(level);
            for mine in levels.iter_mut().filter(|l| **l == level).take(ready + 1) {
                *mine = next;
            }
            ready + 1 >= row.players && newborns_needed(&levels) == 0
        });
        if self.nest.ready != Some(level) || !can_win {
            self.nest.ready_since = None;
            return None;
        }
        let waited = now - *self.nest.ready_since.get_or_insert(now);
        // A leader on another level, lifted by another team's incantation, waits for the others, so they begin without
        // it.
        if self.is_led()
            && !self.nest.began_last
            && self.team.leader_silence(now) < self.memory.with_lag(LEADER_TRUST)
        {
            return None;
        }
        if waited < self.patience() || self.lets_others_leave() {
            return None;
        }
        self.try_incantation()
    }

    /// Tries to begin, once per tick.
    fn try_incantation(&mut self) -> Option<Vec<Command>> {
        let now = self.memory.clock;
        (self.nest.tried.replace(now) != Some(now)).then(|| vec![Command::Incantation, Command::ConnectNbr])
    }

    /// Whether another player leads and, as far as this player knows, has the same level: then the leader begins.
    fn is_led(&self) -> bool {
        let level = self.memory.level;
        !self.team.leads() && self.team.leader().is_none_or(|leader| leader.level == level)
    }

    /// Asks the mates to say again that they are ready, when some that it believes to be ready are missing: it sees too
    /// few players, or it couldn't begin though the stones lie there.
    fn call_roll(&mut self) -> Option<Vec<Command>> {
        let (now, level) = (self.memory.clock, self.memory.level);
        let (pile, stones) = (self.fresh_pile()?, elevation(level)?.stones);
        let was_refused = self.nest.tried == Some(now) && pile.resources.covers(&stones);
        let too_few = pile.players as usize <= self.team.ready_mates(now, level).len();
        let too_soon = self.nest.roll_called.is_some_and(|at| now - at < ROLL_CALL_PAUSE);
        if self.nest.ready != Some(level) || !(was_refused || too_few) || too_soon || self.team.silenced {
            return None;
        }
        self.nest.roll_called = Some(now);
        self.team.call_roll(now, level);
        self.nest.spoke = now;
        Some(self.say(Saying::Roll))
    }

    /// Makes `get_ready` say again that it is ready, since the roll was called.
    pub fn owe_answer(&mut self) {
        self.nest.ready = None;
        self.nest.ready_since = None;
        self.nest.owes_answer = true;
    }

    /// Ticks that it waits before it tries to begin: none if all mates of the level are ready, or enough to win;
    /// [`REPLACEMENT_WAIT`] if too few live to win; otherwise [`MATE_WAIT`]. Players other than the leader and the one
    /// that began last also wait for the leader and for each ready mate with a lower token, since two incantations in a
    /// row leave no time to eat.
    fn patience(&self) -> Tick {
        let (now, level) = (self.memory.clock, self.memory.level);
        let ready = self.team.ready_mates(now, level);
        let levels = self.team.levels(now);
        let absent = levels.iter().filter(|l| **l == level).count() > ready.len();
        let could_win_with = levels.iter().filter(|l| **l > level).count() + ready.len() + 1;
        let wait = match (could_win_with >= WINNING_PLAYERS, absent) {
            (true, false) => 0,
            (true, true) if ready.len() + 1 >= WINNING_PLAYERS => 0,
            (true, true) => MATE_WAIT,
            (false, _) => REPLACEMENT_WAIT,
        };
        if self.team.leads() || self.nest.began_last {
            return wait;
        }
        let turn = ready.iter().filter(|&&token| token < self.team.token).count() as Tick;
        wait + (turn + Tick::from(self.is_led())) * MATE_WAIT
    }

    /// The leader replaces dead players, and lays more gatherers when the team hasn't risen for long. If the server
    /// refuses words, a player that took the lead can't know what its team lacks.
    fn replace_missing(&mut self) -> Option<Vec<Command>> {
        let is_deaf = self.team.silenced && self.team.replaces_leader();
        if !self.team.leads() || is_deaf {
            return None;
        }
        if self.to_lay.is_empty() {
            self.family.begin_core();
        }
        let now = self.memory.clock;
        let mut levels = self.team.levels(now);
        levels.push(self.memory.level);
        let needed = if self.team.is_wordless(now, WORDLESS_FROM) {
            self.pile().map_or(0, |pile| WINNING_PLAYERS.saturating_sub(pile.players as usize))
        } else {
            newborns_needed(&levels)
        };
        // One unit of food that was seen lately lets one more newborn live.
        let seen = self.memory.seen_since(now.saturating_sub(FOOD_SEEN_FOR));
        let can_feed = seen.map(|(_, seen)| seen.sight.resources.get(Resource::Food) as usize).sum();
        // If a roll call has just shown that mates are gone, they are replaced at once. Where no words arrive no mate
        // counts as gone: otherwise it would lay without end.
        let answered =
            self.nest.roll_called.is_some_and(|at| (ANSWER_TIME..ROLL_CALL_PAUSE).contains(&(now - at)));
        let is_short = answered && self.team.mates.values().any(|mate| mate.is_gone(now));
        let tolerance = if is_short { 0 } else { SHORT_HANDED_TIME };
        if needed == 0 {
            self.nest.short_since = None;
        } else if now - *self.nest.short_since.get_or_insert(now) >= tolerance {
            self.nest.short_since = None;
            self.to_lay.extend(vec![Role::Core; needed.min(can_feed)]);
        }
        if now.saturating_sub(self.nest.risen_at) >= STALLED_AFTER {
            self.nest.risen_at = now;
            self.to_lay.extend(vec![Role::Gatherer; can_feed.min(3)]);
        }
        self.lay()
    }

    /// Says at intervals that it is ready: mates find home by these words.
    fn say_ready_again(&mut self) -> Option<Vec<Command>> {
        let now = self.memory.clock;
        // It has moved the nest, and its family may still look for it.
        let is_sought = self.site.left_tile.is_some() && self.memory.level == Level::MIN;
        let interval = match (self.team.leads(), self.memory.is_strict()) {
            (true, _) if is_sought => MOVED_LEADER_WORD_EVERY,
            (true, _) => LEADER_WORD_EVERY,
            (false, false) => CORE_WORD_EVERY,
            (false, true) => 4 * CORE_WORD_EVERY,
        };
        let due = now.saturating_sub(self.nest.spoke.max(self.nest.risen_at)) >= interval;
        if !due || self.nest.ready.is_none() {
            return None;
        }
        self.nest.spoke = now;
        Some(self.say(Saying::Here))
    }

    /// Waits by looking or, under the strict rules unless it leads, by asking for its inventory, which takes one tick.
    /// From time to time all ask for it, since their clocks lag behind when lines travel.
    fn wait(&mut self) -> Option<Vec<Command>> {
        let quick = self.memory.is_strict() && !self.team.leads();
        let command = if quick { Command::Inventory } else { Command::Look };
        self.check_inventory().or_else(|| Some(vec![command]))
    }
}
