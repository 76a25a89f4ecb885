//! One fixed order of events for every game in turns: begin of a turn, its phases, its end.
//!
//! `begin_turn -> for each phase { begin_phase -> collect -> end_phase } -> end_turn -> over? -> begin_turn`. The game
//! is behind [`TurnRules`]; the engine knows none of its rules. It knows no clock either: the caller tells it the tick,
//! and calls [`TurnEngine::look`] at each tick that [`TurnEngine::due`] names. A [`TurnOrder`] says which players act
//! in a phase. Tested in `tests/turns/engine.rs`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use zappy_protocol::Tick;

use super::order::{ActiveSet, Acts, Event, Members, OrderRules, TurnOrder};
pub use super::policy::{Player, Policy};
pub use super::setting::{Ending, Mode, PLACEMENT, Setting, WAR};

/// A slice of a turn in which a group of factions acts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// The turn, from 1; 0 in the act `placement`.
    pub turn: u32,
    /// The phase within the turn, from 0.
    pub number: u32,
    /// The factions that act, in the sequence of this turn; dead ones too.
    pub factions: Vec<Player>,
}

impl Phase {
    /// Whether a faction chooses where it begins.
    #[must_use]
    pub const fn is_placement(&self) -> bool {
        self.turn == 0
    }
}

/// What the engine asks of a game, in the order in which it asks. A turn's events come between `hold` and `release`. A game
/// that has no use for a question doesn't answer it.
pub trait TurnRules {
    /// Whether the faction is in the match.
    fn alive(&self, faction: Player) -> bool;

    /// The factions in the order of a field of the game's state, for [`Policy::CustomFrom`].
    fn field(&self, _name: &str) -> Option<Vec<Player>> {
        None
    }

    /// Observers are sent nothing from now on.
    fn hold(&mut self) {}

    /// Observers are sent what was held back.
    fn release(&mut self) {}

    /// A turn begins: scores are computed.
    fn begin_turn(&mut self, _turn: u32) {}

    /// A phase begins: the game's own work, and the end of the factions that have lost already. A placement has none
    /// of it.
    fn begin_phase(&mut self, phase: &Phase);

    /// Sends the acting players what they see. Their time begins after this.
    fn send_snapshots(&mut self, phase: &Phase);

    /// A checkpoint is due: `engine` and the game's state as they are now.
    fn checkpoint(&mut self, _engine: &TurnEngine) {}

    /// The faction was not done when the phase's time was over.
    fn penalise(&mut self, phase: &Phase, faction: Player);

    /// The orders of the phase are resolved; all of its factions are still there.
    fn resolve(&mut self, phase: &Phase);

    /// The factions that have lost are removed.
    fn remove_beaten(&mut self) {}

    /// Whether the match is decided, and how: by default if no faction or only a single alliance is left.
    fn decided(&self, setting: &Setting) -> Option<Ending> {
        setting.last_left(|faction| self.alive(faction))
    }

    /// A turn ends: what is done once a turn, then observers are told.
    fn end_turn(&mut self, _turn: u32) {}

    /// The turn that begins next is the last one.
    fn announce_last_turn(&mut self, _turn: u32) {}

    /// The match is over. Nothing is asked afterwards.
    fn finish(&mut self, ending: Ending);
}

/// Why a `Done` isn't taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadDone {
    /// The faction doesn't act in this phase.
    #[error("it is not your phase")]
    NotYours,
    /// The orders are for another turn than the one that is running.
    #[error("turn {0} is running")]
    Stale(u32),
}

/// How far a match has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// The match has not begun.
    Waiting,
    /// Orders are collected.
    Collecting,
    /// It is over.
    Over,
}

/// What has to be kept of a match so that it can go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    stage: Stage,
    /// Which players' phase is running; `None` before the match.
    order: Option<TurnOrder>,
    /// The turn that is running, or that comes after the placement.
    turn: u32,
    mode: Mode,
    /// The mode from the next turn on.
    coming: Mode,
    /// All factions in the sequence of this turn.
    sequence: Vec<Player>,
    phase: Phase,
    /// How many phases this turn has.
    phases: u32,
    done: BTreeSet<Player>,
}

/// Leads a game through its turns.
#[derive(Debug, Clone)]
pub struct TurnEngine {
    setting: Setting,
    state: State,
    /// When the phase's time began.
    began: Tick,
    now: Tick,
    connected: BTreeSet<Player>,
    /// While the operator pauses no phase ends.
    paused: bool,
    /// How the match ends at the end of this turn, whatever else.
    stopping: Option<Ending>,
}

/// A game as the turn order sees it.
struct Asked<'a, R> {
    acts: Acts,
    rules: &'a R,
}

impl<R: TurnRules> OrderRules for Asked<'_, R> {
    fn acts(&self) -> &Acts {
        &self.acts
    }

    fn field(&self, name: &str) -> Option<Vec<Player>> {
        self.rules.field(name)
    }
}

impl TurnEngine {
    /// A match that has not begun.
    #[must_use]
    pub fn new(setting: Setting) -> TurnEngine {
        let state = State {
            stage: Stage::Waiting,
            order: None,
            turn: 1,
            mode: setting.mode,
            coming: setting.mode,
            sequence: (0..setting.factions).collect(),
            phase: Phase { turn: 1, number: 0, factions: Vec::new() },
            phases: 0,
            done: BTreeSet::new(),
        };
        let connected = BTreeSet::new();
        TurnEngine { setting, state, began: 0, now: 0, connected, paused: false, stopping: None }
    }

    /// The engine's part of a checkpoint, as one line of JSON.
    ///
    /// # Errors
    /// Never, since all of it is plain data.
    pub fn write(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.state)
    }

    /// Goes on from a checkpoint: the same turn and sequence, no faction connected, and the phase's time begins at `now`.
    ///
    /// # Errors
    /// The text is no engine's.
    pub fn resume(setting: Setting, text: &str, now: Tick) -> serde_json::Result<TurnEngine> {
        let state = serde_json::from_str(text)?;
        Ok(TurnEngine { state, began: now, now, ..TurnEngine::new(setting) })
    }

    /// What the match is played with.
    #[must_use]
    pub const fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The running phase; `None` before the match and after it.
    #[must_use]
    pub fn phase(&self) -> Option<&Phase> {
        (self.state.stage == Stage::Collecting).then_some(&self.state.phase)
    }

    /// The turn that is running; before the match and in the placement the first one.
    #[must_use]
    pub const fn turn(&self) -> u32 {
        self.state.turn
    }

    /// All factions in the sequence of this turn.
    #[must_use]
    pub fn sequence(&self) -> &[Player] {
        &self.state.sequence
    }

    /// The mode from the next turn on.
    #[must_use]
    pub const fn coming_mode(&self) -> Mode {
        self.state.coming
    }

    /// The turn order; `None` before the match.
    #[must_use]
    pub const fn order(&self) -> Option<&TurnOrder> {
        self.state.order.as_ref()
    }

    /// Whether the match has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.state.stage != Stage::Waiting
    }

    /// Whether the faction acts in the running phase.
    #[must_use]
    pub fn may_act(&self, faction: Player) -> bool {
        self.phase().is_some() && self.order().is_some_and(|order| order.may_act(faction))
    }

    /// Whether the faction is done with the running phase.
    #[must_use]
    pub fn is_done(&self, faction: Player) -> bool {
        self.state.done.contains(&faction)
    }

    /// Whether the faction is connected.
    #[must_use]
    pub fn is_connected(&self, faction: Player) -> bool {
        self.connected.contains(&faction)
    }

    /// The factions that the running phase waits for.
    pub fn owing<'a>(&'a self, rules: &'a impl TurnRules) -> impl Iterator<Item = Player> + 'a {
        let factions = self.phase().into_iter().flat_map(|phase| &phase.factions).copied();
        factions
            .filter(|&faction| rules.alive(faction) && self.is_connected(faction) && !self.is_done(faction))
    }

    /// From the next turn on another mode holds.
    pub const fn set_mode(&mut self, mode: Mode) {
        self.state.coming = mode;
    }

    /// The running turn, or the first one, has that number.
    pub fn set_turn(&mut self, turn: u32) {
        self.state.turn = turn;
        if self.state.phase.turn != 0 || self.state.stage == Stage::Waiting {
            self.state.phase.turn = turn;
        }
    }

    /// Whether phases may end.
    pub const fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Notes the tick. Called before anything else that happens at it.
    pub const fn advance(&mut self, now: Tick) {
        self.now = now;
    }

    /// A faction's connection has come or has gone.
    pub fn set_connected(&mut self, faction: Player, connected: bool) {
        if connected {
            self.connected.insert(faction);
        } else {
            self.connected.remove(&faction);
        }
    }

    /// The faction has given all its orders for the running phase; said again without effect.
    ///
    /// # Errors
    /// It isn't its phase, or another turn's.
    pub fn done(&mut self, faction: Player, turn: u32) -> Result<(), BadDone> {
        if !self.may_act(faction) {
            return Err(BadDone::NotYours);
        }
        if turn != self.state.phase.turn {
            return Err(BadDone::Stale(self.state.phase.turn));
        }
        self.state.done.insert(faction);
        Ok(())
    }

    /// The next tick at which the engine has to look; the present one if the phase has come to its end.
    #[must_use]
    pub fn due(&self, rules: &impl TurnRules) -> Option<Tick> {
        if self.state.stage != Stage::Collecting || self.paused {
            None
        } else if self.is_settled(rules) {
            Some(self.now)
        } else {
            let limited = self.setting.turn_time > 0 || self.setting.lockstep;
            limited.then(|| (self.began + self.setting.turn_time + 1).max(self.now))
        }
    }

    /// Whether no faction is waited for. In lockstep a phase lasts its time, unless all of its factions are dead.
    fn is_settled(&self, rules: &impl TurnRules) -> bool {
        let waits = |faction: Player| {
            let absent = !self.connected.contains(&faction);
            let waited_for = self.setting.lockstep || !absent || self.setting.wait_for_absent;
            let done = self.is_done(faction) && !self.setting.lockstep;
            rules.alive(faction) && waited_for && !done
        };
        !self.setting.fixed_length
            && !self.connected.is_empty()
            && !self.state.phase.factions.iter().any(|&faction| waits(faction))
    }

    /// Begins the match.
    pub fn start(&mut self, rules: &mut impl TurnRules) {
        if self.has_begun() {
            return;
        }
        self.state.stage = Stage::Collecting;
        self.state.mode = self.state.coming;
        let acts = self.setting.acts(self.state.mode);
        // Acts of one's own making and without conditions refuse nothing.
        self.state.order = TurnOrder::begin(self.setting.factions, &Asked { acts, rules }).ok();
        if self.setting.draft.is_empty() {
            self.begin_turn(rules);
        } else {
            self.state.sequence = self.setting.draft.clone();
            self.state.phases = self.setting.draft.len() as u32;
            self.begin_phase(rules, 0, 0);
        }
    }

    /// Ends the running phase if its time is over or if no faction is waited for any more, and goes on to the
    /// next one.
    pub fn look(&mut self, rules: &mut impl TurnRules) {
        if self.state.stage != Stage::Collecting || self.paused {
            return;
        }
        let limited = self.setting.turn_time > 0 || self.setting.lockstep;
        let over = limited && self.now - self.began > self.setting.turn_time;
        if over || self.is_settled(rules) {
            self.end_phase(rules, over);
            self.go_on(rules);
        }
    }

    /// Ends the match: the running phase is resolved, and the turn ends.
    pub fn stop(&mut self, rules: &mut impl TurnRules, ending: Ending) {
        let placement = self.state.phase.is_placement();
        match self.state.stage {
            Stage::Over => {}
            Stage::Collecting if !placement => {
                self.stopping = Some(ending);
                self.end_phase(rules, false);
                self.end_turn(rules);
            }
            Stage::Collecting | Stage::Waiting => self.finish(rules, ending),
        }
    }

    fn finish(&mut self, rules: &mut impl TurnRules, ending: Ending) {
        self.state.stage = Stage::Over;
        rules.finish(ending);
    }

    fn begin_turn(&mut self, rules: &mut impl TurnRules) {
        self.state.mode = self.state.coming;
        let first = self.order().is_some_and(|order| order.act() == Some(WAR) && order.turn() == 1);
        if !first {
            self.raise(rules, &Event::SetAct(WAR.to_owned()));
        }
        self.state.sequence = match (self.state.mode, self.order()) {
            (Mode::Concurrent, _) | (_, None) => self.setting.draw_sequence(self.state.turn),
            (mode, Some(order)) => {
                let (before, after) = order.play_order().split_at(order.pos());
                after.iter().chain(before).flat_map(|&first| self.setting.group(mode, first)).collect()
            }
        };
        self.state.phases = self.order().map_or(1, |order| order.play_order().len() as u32);
        rules.begin_turn(self.state.turn);
        self.begin_phase(rules, self.state.turn, 0);
    }

    /// Raises an event in the name of a player that may act.
    fn raise(&mut self, rules: &impl TurnRules, event: &Event) {
        let acts = self.setting.acts(self.state.mode);
        let Some(order) = &mut self.state.order else { return };
        let active = order.active().and_then(|active| active.keys().next().copied());
        if let Some(by) = active.or(order.current()) {
            let raised = order.raise(&Asked { acts, rules }, by, event);
            debug_assert!(raised.is_ok(), "{event:?}: {raised:?}");
        }
    }

    fn begin_phase(&mut self, rules: &mut impl TurnRules, turn: u32, number: u32) {
        let first = self.order().and_then(TurnOrder::current).unwrap_or(0);
        let mode = if turn == 0 { Mode::Players } else { self.state.mode };
        let group = self.setting.group(mode, first);
        if mode != Mode::Players {
            self.raise(rules, &Event::SetActive(ActiveSet::of(Members::List(group.clone()))));
        }
        let factions =
            self.state.sequence.iter().copied().filter(|faction| group.contains(faction)).collect();
        self.state.phase = Phase { turn, number, factions };
        self.state.done.clear();
        let phase = self.state.phase.clone();
        rules.hold();
        rules.begin_phase(&phase);
        rules.release();
        rules.send_snapshots(&phase);
        self.began = self.now;
        let every = self.setting.checkpoint_every;
        if number == 0 && turn > 0 && every > 0 && turn.is_multiple_of(every) {
            rules.checkpoint(self);
        }
    }

    /// `late`: the time is over, so that factions that are not done are late. Those that are gone aren't.
    fn end_phase(&mut self, rules: &mut impl TurnRules, late: bool) {
        let phase = self.state.phase.clone();
        rules.hold();
        if late {
            let owing: Vec<Player> = self.owing(rules).collect();
            owing.into_iter().for_each(|faction| rules.penalise(&phase, faction));
        }
        rules.resolve(&phase);
        rules.remove_beaten();
        rules.release();
    }

    /// What follows the end of a phase.
    fn go_on(&mut self, rules: &mut impl TurnRules) {
        let Phase { turn, number, .. } = self.state.phase;
        let more = number + 1 < self.state.phases && (turn == 0 || rules.decided(&self.setting).is_none());
        if more {
            self.raise(rules, &Event::EndTurn(None));
            self.begin_phase(rules, turn, number + 1);
        } else if turn == 0 {
            self.begin_turn(rules);
        } else {
            self.end_turn(rules);
        }
    }

    fn end_turn(&mut self, rules: &mut impl TurnRules) {
        let turn = self.state.turn;
        rules.end_turn(turn);
        self.state.turn += 1;
        let limit = (turn >= self.setting.turns).then_some(Ending::Turns);
        if let Some(ending) = rules.decided(&self.setting).or(limit).or(self.stopping) {
            return self.finish(rules, ending);
        }
        if self.state.turn == self.setting.turns {
            rules.announce_last_turn(self.state.turn);
        }
        self.begin_turn(rules);
    }
}
