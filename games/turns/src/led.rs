//! The part of a match in turns that is the same in every game: when it begins, what is due, and which seats owe a
//! line.
//!
//! Joins the engine with a game's seats. Tested through conquest and the games of the tests.

use zappy_game::chance::rank;
use zappy_game::config::{MAX_TICKS, MatchConfig};
use zappy_game::{Output, SeatId};
use zappy_protocol::Tick;

use super::engine::{Ending, TurnEngine, TurnRules};
use super::policy::Player;
use super::seats::{OWING, PlayerSeats};

/// The rules of a game in turns, together with its seats.
pub trait SeatedRules: TurnRules {
    /// The seats of all players, taken and free.
    fn seats(&self) -> &PlayerSeats;

    /// The seats, to be changed.
    fn seats_mut(&mut self) -> &mut PlayerSeats;
}

/// A match in turns: the rules of its game, led through the turns by the engine, and the ticks at which it begins and
/// ends.
#[derive(Debug)]
pub struct Led<R> {
    /// Says which player acts when, and how long.
    pub engine: TurnEngine,
    /// The rules of the game, with its seats.
    pub rules: R,
    last_tick: Tick,
    /// In lockstep, while players are missing: the tick at which the match begins without them. `None` before the first
    /// player came, and once the match has begun.
    begins: Option<Tick>,
}

impl<R: SeatedRules> Led<R> {
    /// A match that has not begun.
    pub fn new(config: &MatchConfig, engine: TurnEngine, rules: R) -> Led<R> {
        Led { engine, rules, last_tick: config.max_ticks.unwrap_or(MAX_TICKS), begins: None }
    }

    /// Notes the tick. Called before anything else that happens at that tick.
    pub fn advance(&mut self, now: Tick) {
        self.engine.now = now.max(self.engine.now);
    }

    /// Begins the first turn, also if players are missing.
    pub fn begin(&mut self) {
        self.begins = None;
        self.engine.start(&mut self.rules);
    }

    /// Called when a player was let in: begins the match if no player is missing any more.
    pub fn begin_when_all_are_in(&mut self) {
        if self.engine.has_begun() {
        } else if self.rules.seats().seats.iter().all(Option::is_some) {
            self.begin();
        } else if self.engine.setting.lockstep {
            // The clients that have come are all admitted in one round; at the next tick the match begins without the
            // others.
            self.begins.get_or_insert(self.engine.now + 1);
        }
    }

    /// Ends the match: the running phase is resolved, and the turn ends.
    pub fn stop(&mut self, ending: Ending) {
        self.engine.stop(&mut self.rules, ending);
    }

    /// What is due at that tick runs.
    pub fn handle_timeout(&mut self, now: Tick) {
        self.advance(now);
        if self.rules.seats().verdict.is_none() {
            if self.engine.now >= self.last_tick {
                self.stop(Ending::Time);
            } else if self.begins.is_some_and(|begins| begins <= self.engine.now) {
                self.begin();
            } else {
                self.engine.look(&mut self.rules);
            }
            self.tell_end();
        }
    }

    /// Announces the end of the match if this step has ended it, after all other lines of the step.
    pub fn tell_end(&mut self) {
        if let Some(verdict) = self.rules.seats().verdict.clone() {
            self.rules.seats_mut().lobby.push(Output::Finished(verdict));
        }
    }

    /// The next tick at which something is due.
    pub fn next_due(&self) -> Option<Tick> {
        if self.rules.seats().verdict.is_some() {
            return None;
        }
        let due = self.engine.due(&self.rules).into_iter().chain(self.begins);
        due.chain([self.last_tick]).min()
    }

    /// Adds the seats that the running phase waits for, in the order drawn for this tick.
    pub fn owing(&self, out: &mut Vec<SeatId>) {
        let (seats, now) = (self.rules.seats(), self.engine.now);
        if seats.verdict.is_none() {
            let mut owing: Vec<Player> = self.engine.owing(&self.rules).collect();
            owing.sort_by_key(|&player| rank(seats.seed, OWING, now, player as u64));
            out.extend(owing.into_iter().filter_map(|player| seats.seat(player)));
        }
    }
}
