//! One fixed order of events for every game in turns: begin of a turn, its phases, its end.
//!
//! `begin_turn -> for each phase { begin_phase -> collect -> end_phase } -> end_turn -> over? -> begin_turn`. The game
//! is behind [`TurnRules`]; the engine knows none of its rules. It knows no clock either: the caller sets the tick,
//! and calls [`TurnEngine::look`] at each tick that [`TurnEngine::due`] names. A [`TurnOrder`] says which players act
//! in a phase. Tested in `tests/turns/engine.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use zappy_game::chance::Chance;
use zappy_protocol::Tick;

use super::order::{ActiveSet, Acts, Event, Members, OrderRules, TurnOrder};
pub use super::policy::{Player, Players, Policy, Succession};
pub use super::setting::{Ending, OPENING, Phases, Setting, TURN};

/// The purpose of the engine's draws, far beyond the purposes of the games, which number theirs from 0.
const SEQUENCE: u64 = 1_000;

/// A slice of a turn in which a group of players acts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phase {
    /// The turn, from 1; 0 in the opening.
    pub turn: u32,
    /// The phase within the turn, from 0.
    pub number: u32,
    /// The players that act, in the sequence of this turn; those that are out, too.
    pub players: Vec<Player>,
}

impl Phase {
    /// Whether the first turn is still to come.
    pub const fn is_opening(&self) -> bool {
        self.turn == 0
    }
}

/// The questions that the engine asks a game, in this order. A turn's events come between `hold` and `release`. Each
/// question with a default may be left out.
pub trait TurnRules {
    /// Whether the player is in the match.
    fn alive(&self, player: Player) -> bool;

    /// What the game says of its own order of turns.
    fn order_rules(&self) -> &dyn OrderRules {
        &()
    }

    /// Observers are sent nothing from now on.
    fn hold(&mut self) {}

    /// Observers are sent what was held back.
    fn release(&mut self) {}

    /// A turn begins: scores are computed. `order`: all players in the order of the turn's phases; empty if they act
    /// together.
    fn begin_turn(&mut self, _turn: u32, _order: &[Player]) {}

    /// A phase begins: the game does its own work, and ends players that have lost already; in the opening it does
    /// neither.
    fn begin_phase(&mut self, phase: &Phase);

    /// Sends the acting players what they see. Their time begins after this.
    fn send_snapshots(&mut self, phase: &Phase);

    /// The player was not done when the phase ended, whether it is connected or not.
    fn penalise(&mut self, phase: &Phase, player: Player);

    /// The orders of the phase are resolved. Players that lose by this stay until `remove_beaten`.
    fn resolve(&mut self, phase: &Phase);

    /// The players that have lost are removed.
    fn remove_beaten(&mut self) {}

    /// Whether these two players win together.
    fn allied(&self, one: Player, other: Player) -> bool {
        one == other
    }

    /// The word for the end, if the rules say that the match is decided though players are left that don't win
    /// together.
    fn decided(&self) -> Option<&'static str> {
        None
    }

    /// A turn ends: the game does what it does once a turn, then sends observers the changes and the end of the turn.
    fn end_turn(&mut self, _turn: u32) {}

    /// The turn that begins next is the last one.
    fn announce_last_turn(&mut self, _turn: u32) {}

    /// The match is over. Nothing is asked afterwards.
    fn finish(&mut self, ending: Ending);
}

/// Why a `Done` isn't taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadDone {
    /// The player doesn't act in this phase.
    #[error("it is not your phase")]
    NotYours,
    /// The orders are for another turn than the one that is running.
    #[error("turn {0} is running")]
    Stale(u32),
}

/// How far a match has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// The match has not begun.
    #[default]
    Waiting,
    /// A phase is running and takes what players choose.
    Collecting,
    Over,
}

/// Leads a game through its turns.
#[derive(Debug, Clone, Default)]
pub struct TurnEngine {
    /// How the match is played. Phases and time are those of the running turn.
    pub setting: Setting,
    stage: Stage,
    /// Says which players act in the running phase; `None` before the match.
    pub order: Option<TurnOrder>,
    /// The turn that is running, or that comes after the opening.
    turn: u32,
    /// The phases of a turn from the next one on.
    pub coming: Phases,
    /// The time of a phase from the next turn on, in ticks; 0: no limit by the real clock.
    pub coming_time: u64,
    /// All players in the sequence of this turn.
    pub sequence: Vec<Player>,
    phase: Phase,
    /// How many phases this turn has.
    phase_count: usize,
    /// The players that are done with the running phase.
    done: BTreeSet<Player>,
    /// The tick at which the phase's time began.
    began: Tick,
    /// The tick that the match has reached: the caller sets it before anything else that happens at it.
    pub now: Tick,
    /// The players that have a client.
    pub connected: BTreeSet<Player>,
    /// Whether the operator has paused the match: then no phase ends.
    pub paused: bool,
    /// How the match ends at the end of this turn, unless its rules end it otherwise; `None`: it goes on.
    stopping: Option<Ending>,
}

impl TurnEngine {
    /// A match that has not begun.
    pub fn new(setting: Setting) -> TurnEngine {
        TurnEngine {
            turn: 1,
            coming: setting.phases.clone(),
            coming_time: setting.turn_time,
            sequence: (0..setting.players).collect(),
            phase: Phase { turn: 1, ..Phase::default() },
            setting,
            ..TurnEngine::default()
        }
    }

    /// The running phase; `None` before the match and after it.
    pub fn phase(&self) -> Option<&Phase> {
        (self.stage == Stage::Collecting).then_some(&self.phase)
    }

    /// The turn that is running; before the match and in the opening the first one.
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// Whether the match has begun.
    pub fn has_begun(&self) -> bool {
        self.stage != Stage::Waiting
    }

    /// Whether the player acts in the running phase.
    pub fn may_act(&self, player: Player) -> bool {
        self.phase().is_some() && self.order.as_ref().is_some_and(|order| order.may_act(player))
    }

    /// Whether the player is done with the running phase.
    pub fn is_done(&self, player: Player) -> bool {
        self.done.contains(&player)
    }

    /// The players that the running phase waits for.
    pub fn owing<'a>(&'a self, rules: &'a impl TurnRules) -> impl Iterator<Item = Player> + 'a {
        let players = self.phase().into_iter().flat_map(|phase| &phase.players).copied();
        players.filter(|&player| {
            rules.alive(player) && self.connected.contains(&player) && !self.is_done(player)
        })
    }

    /// Gives the running turn, or before the match the first one, this number.
    pub fn set_turn(&mut self, turn: u32) {
        self.turn = turn;
        if self.phase.turn != 0 || self.stage == Stage::Waiting {
            self.phase.turn = turn;
        }
    }

    /// The player has given all its orders for the running phase of this turn; a second call changes nothing.
    ///
    /// # Errors
    /// The player doesn't act in this phase, or another turn is running.
    pub fn done(&mut self, player: Player, turn: u32) -> Result<(), BadDone> {
        if !self.may_act(player) {
            return Err(BadDone::NotYours);
        }
        if turn != self.phase.turn {
            return Err(BadDone::Stale(self.phase.turn));
        }
        self.done.insert(player);
        Ok(())
    }

    /// The next tick at which [`TurnEngine::look`] is to be called; the present one if the phase has come to its end,
    /// `None` if time alone doesn't end the phase.
    pub fn due(&self, rules: &impl TurnRules) -> Option<Tick> {
        if self.stage != Stage::Collecting || self.paused {
            None
        } else if self.is_settled(rules) {
            Some(self.now)
        } else {
            let limited = self.setting.turn_time > 0 || self.setting.lockstep;
            limited.then(|| (self.began + self.setting.turn_time + 1).max(self.now))
        }
    }

    /// Whether no player is waited for. In lockstep a phase lasts its time, unless all of its players are dead.
    fn is_settled(&self, rules: &impl TurnRules) -> bool {
        let waits = |player: Player| {
            let absent = !self.connected.contains(&player);
            let waited_for = self.setting.lockstep || !absent || self.setting.wait_for_absent;
            let done = self.is_done(player) && !self.setting.lockstep;
            rules.alive(player) && waited_for && !done
        };
        !self.setting.fixed_length
            && !self.connected.is_empty()
            && !self.phase.players.iter().any(|&player| waits(player))
    }

    /// Begins the match, unless it has begun already.
    pub fn start(&mut self, rules: &mut impl TurnRules) {
        if self.has_begun() {
            return;
        }
        self.stage = Stage::Collecting;
        let acts = self.take_coming();
        // These acts name only players and acts that exist: only a game's own condition could be refused.
        self.order = TurnOrder::begin(self.setting.players, acts, rules.order_rules()).ok();
        if self.setting.opening.is_empty() {
            self.open_turn(rules);
        } else {
            self.sequence = self.setting.opening.clone();
            self.phase_count = self.setting.opening.len();
            self.begin_phase(rules, 0, 0);
        }
    }

    /// Ends the running phase if its time is over or if no player is waited for any more, and goes on with
    /// the next one, or with the end of the turn.
    pub fn look(&mut self, rules: &mut impl TurnRules) {
        if self.stage != Stage::Collecting || self.paused {
            return;
        }
        let limited = self.setting.turn_time > 0 || self.setting.lockstep;
        let over = limited && self.now - self.began > self.setting.turn_time;
        if !over && !self.is_settled(rules) {
            return;
        }
        self.end_phase(rules, true);
        let Phase { turn, number, .. } = self.phase;
        let more = number as usize + 1 < self.phase_count;
        if more && (turn == 0 || self.decided(rules).is_none()) {
            let next = self.order.as_ref().and_then(|order| rules.order_rules().next_player(order));
            self.raise(rules, &Event::EndTurn(next));
            self.begin_phase(rules, turn, number + 1);
        } else if turn == 0 {
            self.begin_turn(rules);
        } else {
            self.end_turn(rules);
        }
    }

    /// Ends the match: the running phase is resolved, and the turn ends.
    pub fn stop(&mut self, rules: &mut impl TurnRules, ending: Ending) {
        let opening = self.phase.is_opening();
        match self.stage {
            Stage::Over => {}
            Stage::Collecting if !opening => {
                self.stopping = Some(ending);
                self.end_phase(rules, false);
                self.end_turn(rules);
            }
            Stage::Collecting | Stage::Waiting => self.finish(rules, ending),
        }
    }

    fn finish(&mut self, rules: &mut impl TurnRules, ending: Ending) {
        self.stage = Stage::Over;
        rules.finish(ending);
    }

    fn begin_turn(&mut self, rules: &mut impl TurnRules) {
        let acts = self.take_coming();
        if let Some(order) = &mut self.order {
            order.acts = Arc::new(acts);
        }
        self.raise(rules, &Event::SetAct(TURN.to_owned()));
        self.open_turn(rules);
    }

    /// The phases and the time that were set for the next turn hold from now on. Returns their acts.
    fn take_coming(&mut self) -> Acts {
        self.setting.phases = self.coming.clone();
        self.setting.turn_time = self.coming_time;
        self.setting.acts()
    }

    /// The turn's act was entered: its sequence is known, and its first phase begins.
    fn open_turn(&mut self, rules: &mut impl TurnRules) {
        let order = self.order.as_ref().map_or(&[][..], |order| &order.play_order);
        self.phase_count = order.len();
        self.sequence = match self.setting.phases {
            Phases::Together => {
                let mut sequence: Vec<Player> = (0..self.setting.players).collect();
                Chance::new(self.setting.seed, SEQUENCE, self.turn.into(), 0).shuffle(&mut sequence);
                sequence
            }
            Phases::Each(_) | Phases::Groups(..) => {
                let (before, after) = order.split_at(self.order.as_ref().map_or(0, |order| order.pos));
                after.iter().chain(before).flat_map(|&first| self.setting.group(first)).collect()
            }
        };
        let in_order = if self.setting.phases == Phases::Together { &[][..] } else { &self.sequence };
        rules.begin_turn(self.turn, in_order);
        self.begin_phase(rules, self.turn, 0);
    }

    /// Raises an event in the name of a player that may act.
    fn raise(&mut self, rules: &impl TurnRules, event: &Event) {
        let Some(order) = &mut self.order else { return };
        let active = order.active.as_ref().and_then(|active| active.keys().next().copied());
        if let Some(by) = active.or(order.current()) {
            let raised = order.raise(rules.order_rules(), by, event);
            debug_assert!(raised.is_ok(), "{event:?}: {raised:?}");
        }
    }

    fn begin_phase(&mut self, rules: &mut impl TurnRules, turn: u32, number: u32) {
        let first = self.order.as_ref().and_then(TurnOrder::current).unwrap_or(0);
        let group = if turn == 0 { vec![first] } else { self.setting.group(first) };
        if group != [first] {
            self.raise(rules, &Event::SetActive(ActiveSet::of(Members::List(group.clone()))));
        }
        let players = self.sequence.iter().copied().filter(|player| group.contains(player)).collect();
        self.phase = Phase { turn, number, players };
        self.done.clear();
        let phase = self.phase.clone();
        rules.hold();
        rules.begin_phase(&phase);
        rules.release();
        rules.send_snapshots(&phase);
        self.began = self.now;
    }

    /// Resolves the running phase. `late`: players that aren't done are penalised, also those that are gone and weren't
    /// waited for.
    fn end_phase(&mut self, rules: &mut impl TurnRules, late: bool) {
        let phase = self.phase.clone();
        rules.hold();
        for &player in phase.players.iter().filter(|&&player| late && !self.is_done(player)) {
            if rules.alive(player) {
                rules.penalise(&phase, player);
            }
        }
        rules.resolve(&phase);
        rules.remove_beaten();
        rules.release();
    }

    /// Whether the match is decided: by the rules, or since those that are left win together and have beaten another
    /// player.
    fn decided(&self, rules: &impl TurnRules) -> Option<Ending> {
        if let Some(word) = rules.decided() {
            return Some(Ending::Decided(word));
        }
        let left: Vec<Player> = (0..self.setting.players).filter(|&player| rules.alive(player)).collect();
        let Some(&first) = left.first() else { return Some(Ending::Draw) };
        let together = left.iter().all(|&player| rules.allied(first, player));
        (together && left.len() < self.setting.players).then_some(Ending::Last)
    }

    fn end_turn(&mut self, rules: &mut impl TurnRules) {
        let turn = self.turn;
        rules.end_turn(turn);
        self.turn += 1;
        let limit = (turn >= self.setting.turns).then_some(Ending::Turns);
        if let Some(ending) = self.decided(rules).or(limit).or(self.stopping) {
            return self.finish(rules, ending);
        }
        if self.turn == self.setting.turns {
            rules.announce_last_turn(self.turn);
        }
        self.begin_turn(rules);
    }
}
