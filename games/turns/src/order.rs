//! The turn order: plain data with events. Knows no game, no clock and no seat.
//!
//! A *turn* here is one player's go. A step that isn't allowed changes nothing. After everything that happens in a step
//! the order asks whether the match, the act and the turn end, one after the other. Conditions and a game's own order
//! are asked of [`OrderRules`]. Tested on recorded cases in `tests/turns/`, and in the module `tests`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::acts::Doing;
pub use super::acts::{Act, Active, ActiveSet, Acts, End, Event, Members, Refused, Turns};
pub use super::policy::{Player, Players, Policy, Succession};

/// The questions that the order asks a game, each of which may be left out. The conditions are
/// checked after everything that happens within a step.
pub trait OrderRules {
    /// The players in a field of the game's state, for [`Players::Field`]; `None`: all.
    fn field(&self, _name: &str) -> Option<Vec<Player>> {
        None
    }

    /// For [`Succession::Own`]: the index, among the players of the act that begins, of the one that begins it. `order`
    /// still shows the players and the position of the act before.
    fn first(&self, _order: &TurnOrder) -> usize {
        0
    }

    /// For [`Succession::Own`]: the index that follows; `None` ends the act.
    fn next(&self, order: &TurnOrder) -> Option<usize> {
        Some(order.index(1))
    }

    /// The player that acts next, out of order, in a turn of the match; `None`: the one that the order names. Asked by
    /// [`super::engine`] at the end of a phase.
    fn next_player(&self, _order: &TurnOrder) -> Option<Player> {
        None
    }

    /// Whether the match is over, and the word for it.
    fn match_ends(&self, _order: &TurnOrder) -> Option<String> {
        None
    }

    /// Whether the current act ends.
    fn act_ends(&self, _order: &TurnOrder, _act: &str) -> Option<End<String>> {
        None
    }

    /// Whether the current turn ends. Asked after a move and after a change of the active set.
    fn turn_ends(&self, _order: &TurnOrder) -> Option<End<Player>> {
        None
    }
}

/// A game with no order and no conditions of its own.
impl OrderRules for () {}

/// Which player's turn it is, and which turns follow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnOrder {
    pub(super) acts: Arc<Acts>,
    /// How many players the match has.
    players: usize,
    /// Turns begun so far; 1 after the start.
    pub turn: u64,
    /// The players of this act in their order.
    pub play_order: Vec<Player>,
    /// The index of the current player in the order.
    pub pos: usize,
    /// The act; `None`: no act.
    pub act: Option<String>,
    /// The active set; `None`: only the current player acts.
    pub active: Option<BTreeMap<Player, Active>>,
    /// Counted moves of the current player in this turn.
    pub moves: u32,
    /// Counted moves of each player of the active set since it was last set, also of those that have left it.
    pub counts: BTreeMap<Player, u32>,
    /// The word with which the match ended.
    pub over: Option<String>,
    /// The acts that the running step has entered; empty between two steps.
    entered: BTreeSet<String>,
}

impl TurnOrder {
    /// A match of that many players in these acts.
    ///
    /// # Errors
    /// A condition, an act's `next` or an active set in the settings names a player or an act that the match doesn't
    /// have.
    pub fn begin(players: usize, acts: Acts, rules: &dyn OrderRules) -> Result<TurnOrder, Refused> {
        let mut order = TurnOrder {
            players,
            play_order: (0..players).collect(),
            act: acts.start.clone(),
            acts: Arc::new(acts),
            ..TurnOrder::default()
        };
        order.process(rules, Doing::EnterAct)?;
        order.entered.clear();
        Ok(order)
    }

    /// The index `further` places after the current one, before it if negative, wrapping around at both ends.
    pub fn index(&self, further: i64) -> usize {
        let len = i64::try_from(self.play_order.len()).unwrap_or(i64::MAX).max(1);
        let pos = i64::try_from(self.pos).unwrap_or(0);
        usize::try_from((pos + further % len).rem_euclid(len)).unwrap_or(0)
    }

    /// The current player; `None` if the order is empty.
    pub fn current(&self) -> Option<Player> {
        self.play_order.get(self.pos).copied()
    }

    /// Whether the player may act and raise events now.
    pub fn may_act(&self, player: Player) -> bool {
        let in_turn = match &self.active {
            Some(active) => active.contains_key(&player),
            None => self.current() == Some(player),
        };
        in_turn && self.over.is_none()
    }

    /// A move of a player, and the events that it raises by it. Events that the move's own effect on turn or act has
    /// overtaken are left out. The game's state, as `rules` shows it, is the one after the move.
    ///
    /// # Errors
    /// It isn't allowed; then nothing has changed.
    pub fn play(
        &mut self,
        rules: &dyn OrderRules,
        by: Player,
        counted: bool,
        events: &[Event],
    ) -> Result<(), Refused> {
        self.step(by, |order| {
            let (turn, act) = (order.turn, order.act.clone());
            if counted {
                order.count(by);
            }
            order.process(rules, Doing::Moved)?;
            for event in events {
                let overtaken = match event {
                    Event::EndAct | Event::SetAct(_) => order.act != act,
                    Event::EndTurn(_) | Event::Pass(_) | Event::SetActive(_) => order.turn != turn,
                    Event::EndMatch(_) => false,
                };
                if order.over.is_none() && !overtaken {
                    order.obey(rules, event)?;
                }
            }
            Ok(())
        })
    }

    /// An event that a player raises.
    ///
    /// # Errors
    /// It isn't allowed; then nothing has changed.
    pub fn raise(&mut self, rules: &dyn OrderRules, by: Player, event: &Event) -> Result<(), Refused> {
        self.step(by, |order| order.obey(rules, event))
    }

    /// Makes a change that a player asks for; if the change is refused, all stays as it was.
    fn step(
        &mut self,
        by: Player,
        change: impl FnOnce(&mut TurnOrder) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        if self.over.is_some() {
            return Err(Refused::Over);
        }
        if !self.may_act(by) {
            return Err(Refused::Inactive);
        }
        let mut changed = self.clone();
        change(&mut changed)?;
        changed.entered.clear();
        *self = changed;
        Ok(())
    }

    fn obey(&mut self, rules: &dyn OrderRules, event: &Event) -> Result<(), Refused> {
        let doing = match event {
            Event::EndTurn(next) => Doing::EndTurn { next: *next, force: false, remove: false },
            Event::Pass(remove) => Doing::EndTurn { next: None, force: true, remove: *remove },
            Event::EndAct => Doing::EndAct(None),
            Event::SetAct(name) => Doing::EndAct(Some(name.clone())),
            Event::SetActive(set) => {
                self.set_active(set)?;
                Doing::Moved
            }
            Event::EndMatch(word) => Doing::EndMatch(word.clone()),
        };
        self.process(rules, doing)
    }

    /// Counts a move of the current player, or of a player in the active set; a player that has reached the set's
    /// maximum leaves the set, and an empty set ends.
    fn count(&mut self, by: Player) {
        if self.current() == Some(by) {
            self.moves += 1;
        }
        let Some(active) = &mut self.active else { return };
        let count = self.counts.entry(by).or_default();
        *count += 1;
        active.retain(|&player, member| player != by || member.max == 0 || *count < member.max);
        if active.is_empty() {
            self.active = None;
        }
    }

    fn set_active(&mut self, set: &ActiveSet) -> Result<(), Refused> {
        let current = self.current();
        let members: Vec<Player> = match &set.members {
            Members::All => self.play_order.clone(),
            Members::Others => {
                self.play_order.iter().copied().filter(|&player| Some(player) != current).collect()
            }
            Members::List(list) => list.clone(),
        };
        if members.iter().any(|player| *player >= self.players) {
            return Err(Refused::NoPlayer);
        }
        self.counts = members.iter().map(|&player| (player, 0)).collect();
        let active: BTreeMap<_, _> = members.into_iter().map(|player| (player, set.member.clone())).collect();
        self.active = Some(active).filter(|active| !active.is_empty());
        Ok(())
    }

    /// Does one thing after the other, until nothing follows. The loop ends, because a step enters each act at most
    /// once, and no turn ends by itself as it starts.
    fn process(&mut self, rules: &dyn OrderRules, mut doing: Doing) -> Result<(), Refused> {
        loop {
            let moved = matches!(doing, Doing::Moved);
            let follows = self.run(rules, doing)?;
            if self.over.is_some() {
                return Ok(());
            }
            doing = if let Some(word) = rules.match_ends(self) {
                Doing::EndMatch(word)
            } else if let Some(End { next }) = self.act.as_deref().and_then(|act| rules.act_ends(self, act)) {
                Doing::EndAct(next)
            } else if let Some(End { next }) = self.turn_ends(rules).filter(|_| moved) {
                Doing::EndTurn { next, force: false, remove: false }
            } else {
                let Some(follows) = follows else { return Ok(()) };
                follows
            };
        }
    }

    fn turn_ends(&self, rules: &dyn OrderRules) -> Option<End<Player>> {
        let max = self.acts.turns(self.act.as_deref()).max;
        if max > 0 && self.moves >= max { Some(End { next: None }) } else { rules.turn_ends(self) }
    }

    /// Does one thing, and gives what follows.
    fn run(&mut self, rules: &dyn OrderRules, doing: Doing) -> Result<Option<Doing>, Refused> {
        let acts = Arc::clone(&self.acts);
        Ok(match doing {
            Doing::EnterAct => {
                self.entered.extend(self.act.clone());
                Some(Doing::StartTurn(true))
            }
            Doing::StartTurn(first) => self.start_turn(rules, first)?,
            Doing::Moved => None,
            Doing::EndTurn { next, force, remove } => {
                if next.is_some_and(|next| !self.play_order.contains(&next)) {
                    return Err(Refused::NoPlayer);
                }
                if !force && self.moves < acts.turns(self.act.as_deref()).min {
                    return Ok(None);
                }
                self.clear_active();
                if remove && let Some(current) = self.current() {
                    self.play_order.retain(|&player| player != current);
                    if self.pos >= self.play_order.len() {
                        self.pos = 0;
                    }
                }
                if self.play_order.is_empty() {
                    Some(Doing::EndAct(None))
                } else {
                    Some(Doing::UpdateTurn { next, stay: remove })
                }
            }
            Doing::UpdateTurn { next, stay } => {
                let place = next.and_then(|next| self.play_order.iter().position(|&player| player == next));
                let place = if stay { Some(self.pos) } else { place };
                match place.or_else(|| self.next(rules)) {
                    None => Some(Doing::EndAct(None)),
                    Some(pos) => {
                        self.pos = if pos < self.play_order.len() { pos } else { 0 };
                        Some(Doing::StartTurn(false))
                    }
                }
            }
            Doing::EndAct(next) => {
                if next.as_ref().is_some_and(|next| !acts.acts.contains_key(next)) {
                    return Err(Refused::NoAct);
                }
                self.clear_active();
                Some(Doing::UpdateAct(self.act.take(), next))
            }
            Doing::UpdateAct(from, next) => {
                let own = from.and_then(|from| acts.acts.get(&from)).and_then(|act| act.next.clone());
                let next = next.or(own);
                if next.as_ref().is_some_and(|next| !acts.acts.contains_key(next)) {
                    return Err(Refused::NoAct);
                }
                // An act that ends at once counts as entered, too.
                self.act = next.filter(|next| self.entered.insert(next.clone()));
                Some(Doing::EnterAct)
            }
            Doing::EndMatch(word) => {
                self.act = None;
                self.over = Some(word);
                None
            }
        })
    }

    fn clear_active(&mut self) {
        self.active = None;
        self.counts.clear();
    }

    /// The index that follows; `None` ends the act.
    fn next(&self, rules: &dyn OrderRules) -> Option<usize> {
        match self.acts.turns(self.act.as_deref()).policy.step {
            Succession::Once => Some(self.pos + 1).filter(|&next| next < self.play_order.len()),
            Succession::Own => rules.next(self),
            Succession::Default | Succession::Reset | Succession::Continue => Some(self.index(1)),
        }
    }

    /// The index that begins the act; `play_order` and `pos` are still those of the act before.
    fn first(&self, step: Succession, rules: &dyn OrderRules) -> usize {
        match step {
            _ if self.play_order.is_empty() => 0,
            Succession::Default if self.turn == 0 => self.pos,
            Succession::Default => self.index(1),
            Succession::Continue => self.pos,
            Succession::Reset | Succession::Once => 0,
            Succession::Own => rules.first(self),
        }
    }

    /// Starts a turn, an act's first one with the act's order. An act without players ends.
    fn start_turn(&mut self, rules: &dyn OrderRules, first: bool) -> Result<Option<Doing>, Refused> {
        let acts = Arc::clone(&self.acts);
        let turns = acts.turns(self.act.as_deref());
        if first {
            let listed = match &turns.policy.players {
                Players::All => None,
                Players::List(list) => Some(list.clone()),
                Players::Field(name) => rules.field(name),
            };
            let mut play_order = listed.unwrap_or_else(|| (0..self.players).collect());
            play_order.retain(|player| *player < self.players);
            let pos = self.first(turns.policy.step, rules);
            self.pos = if pos < play_order.len() { pos } else { 0 };
            self.play_order = play_order;
        }
        if self.play_order.is_empty() {
            return Ok(self.act.is_some().then_some(Doing::EndAct(None)));
        }
        self.turn += 1;
        self.moves = 0;
        if let Some(set) = &turns.active {
            self.set_active(set)?;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
