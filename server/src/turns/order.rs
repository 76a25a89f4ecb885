//! The turn order: plain data with events. Knows no game, no clock and no seat.
//!
//! A *turn* here is one player's go. Each step first finds out whether it is allowed and else changes nothing; then
//! the ends of the match, of the act and of the turn are looked at, in this order, after all that happens. Acts and
//! conditions are asked of [`OrderRules`]. Tested on recorded cases in `tests/turns/`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use super::policy::{OwnPolicy, Player, Policy, Standing};

/// How turns go in an act. The settings of an act replace the global ones as a block.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    /// Who plays when.
    pub policy: Policy,
    /// Counted moves before which `EndTurn` does nothing; 0: none are needed.
    pub min: u32,
    /// Counted moves after which the turn ends by itself; 0: no limit.
    pub max: u32,
    /// The active set with which each turn begins.
    pub active: Option<ActiveSet>,
}

/// A named part of the match.
#[derive(Debug, Clone, Default)]
pub struct Act {
    /// The act that follows, if nothing else is named; `None`: no act.
    pub next: Option<String>,
    /// Its own settings; `None`: the global ones.
    pub turns: Option<Turns>,
}

/// The acts of a match.
#[derive(Debug, Clone, Default)]
pub struct Acts {
    /// The settings outside of acts and of acts without their own.
    pub turns: Turns,
    /// The acts by name.
    pub acts: BTreeMap<String, Act>,
    /// The act with which the match begins; `None`: no act.
    pub start: Option<String>,
}

impl Acts {
    fn turns(&self, act: Option<&str>) -> &Turns {
        act.and_then(|name| self.acts.get(name)).and_then(|act| act.turns.as_ref()).unwrap_or(&self.turns)
    }
}

/// Which players an active set has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Members {
    /// All of the act's order.
    All,
    /// All of the act's order but the current one.
    Others,
    /// These.
    List(Vec<Player>),
}

/// An active set that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveSet {
    /// Who is in it.
    pub members: Members,
    /// A word that each of them gets.
    pub word: Option<String>,
    /// Counted moves that each of them should make; told, not enforced. 0: none.
    pub min: u32,
    /// Counted moves after which a player leaves the set; 0: no limit.
    pub max: u32,
}

impl ActiveSet {
    /// A set without a word and limits.
    #[must_use]
    pub const fn of(members: Members) -> ActiveSet {
        ActiveSet { members, word: None, min: 0, max: 0 }
    }

    /// A set in which each player moves once.
    #[must_use]
    pub const fn once(members: Members) -> ActiveSet {
        ActiveSet { members, word: None, min: 1, max: 1 }
    }
}

/// That something ends, and what is named to follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End<T> {
    /// What follows; `None`: what follows in the ordinary way.
    pub next: Option<T>,
}

/// What the order asks of a game. The conditions are looked at after each step.
pub trait OrderRules {
    /// The acts of the match.
    fn acts(&self) -> &Acts;

    /// The players in a field of the game's state.
    fn field(&self, _name: &str) -> Option<Vec<Player>> {
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

    /// Whether the current turn ends. Looked at after a move and after a change of the active set.
    fn turn_ends(&self, _order: &TurnOrder) -> Option<End<Player>> {
        None
    }
}

impl OrderRules for Acts {
    fn acts(&self) -> &Acts {
        self
    }
}

/// What a player asks for beside its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The turn ends; the next player, or the one that follows.
    EndTurn(Option<Player>),
    /// The turn ends whatever minimum there is. If true, the current player leaves the order of this act.
    Pass(bool),
    /// The act ends.
    EndAct,
    /// The act ends, and that one begins.
    SetAct(String),
    /// Only these act from now on; a set without players is none.
    SetActive(ActiveSet),
    /// The match ends, with this word.
    EndMatch(String),
}

/// Why a step isn't allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// It isn't that player's turn.
    #[error("it is not this player's turn")]
    Inactive,
    /// A player that isn't in the order, or not in the match.
    #[error("no such player is in the order")]
    NoPlayer,
    /// An act that isn't there.
    #[error("there is no such act")]
    NoAct,
}

/// A member of the active set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Active {
    /// The word that came along.
    pub word: Option<String>,
    /// Counted moves that it should make; 0: none.
    pub min: u32,
    /// Counted moves after which it leaves the set; 0: no limit.
    pub max: u32,
}

/// Whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnOrder {
    at: Standing,
    act: Option<String>,
    active: Option<BTreeMap<Player, Active>>,
    /// Counted moves of the current player in this turn.
    moves: u32,
    /// Counted moves of each player that is or was in the active set of this turn.
    counts: BTreeMap<Player, u32>,
    removed: BTreeSet<Player>,
    over: Option<String>,
}

/// What happens within a step, one after the other.
enum Doing {
    /// The match, or an act, is about to begin.
    EnterAct,
    /// A turn begins; if true it is an act's first.
    StartTurn(bool),
    /// A move was made, or the active set changed.
    Moved,
    EndTurn {
        next: Option<Player>,
        force: bool,
        remove: bool,
    },
    /// Goes on to the next turn.
    UpdateTurn {
        next: Option<Player>,
        stay: bool,
    },
    EndAct(Option<String>),
    /// Goes on from that act to the one that is named, or to the one that follows.
    UpdateAct(Option<String>, Option<String>),
    EndMatch(String),
}

impl TurnOrder {
    /// A match of that many players, begun by these rules.
    ///
    /// # Errors
    /// A condition names a player or an act that isn't there.
    pub fn begin(players: usize, rules: &impl OrderRules) -> Result<TurnOrder, Refused> {
        let mut order = TurnOrder {
            at: Standing { players, turn: 0, play_order: (0..players).collect(), pos: 0 },
            act: rules.acts().start.clone(),
            active: None,
            moves: 0,
            counts: BTreeMap::new(),
            removed: BTreeSet::new(),
            over: None,
        };
        order.process(rules, Doing::EnterAct, &mut BTreeSet::new())?;
        Ok(order)
    }

    /// Where the match stands, as policies see it.
    #[must_use]
    pub const fn standing(&self) -> &Standing {
        &self.at
    }

    /// Turns begun so far; 1 after the start.
    #[must_use]
    pub const fn turn(&self) -> u64 {
        self.at.turn
    }

    /// The act; `None`: no act.
    #[must_use]
    pub fn act(&self) -> Option<&str> {
        self.act.as_deref()
    }

    /// The players of this act in their order.
    #[must_use]
    pub fn play_order(&self) -> &[Player] {
        &self.at.play_order
    }

    /// The place of the current player in the order.
    #[must_use]
    pub const fn pos(&self) -> usize {
        self.at.pos
    }

    /// The current player; `None` if the order is empty.
    #[must_use]
    pub fn current(&self) -> Option<Player> {
        self.at.play_order.get(self.at.pos).copied()
    }

    /// The active set; `None`: only the current player acts.
    #[must_use]
    pub const fn active(&self) -> Option<&BTreeMap<Player, Active>> {
        self.active.as_ref()
    }

    /// Counted moves of the current player in this turn.
    #[must_use]
    pub const fn moves(&self) -> u32 {
        self.moves
    }

    /// Counted moves of the players that are or were in the active set of this turn.
    #[must_use]
    pub const fn counts(&self) -> &BTreeMap<Player, u32> {
        &self.counts
    }

    /// The word with which the match ended.
    #[must_use]
    pub fn over(&self) -> Option<&str> {
        self.over.as_deref()
    }

    /// Whether the player may act and raise events now.
    #[must_use]
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
        rules: &impl OrderRules,
        by: Player,
        counted: bool,
        events: &[Event],
    ) -> Result<(), Refused> {
        self.step(by, |order, entered| {
            let (turn, act) = (order.at.turn, order.act.clone());
            if counted {
                order.count(by);
            }
            order.process(rules, Doing::Moved, entered)?;
            for event in events {
                let overtaken = match event {
                    Event::EndAct | Event::SetAct(_) => order.act != act,
                    Event::EndTurn(_) | Event::Pass(_) | Event::SetActive(_) => order.at.turn != turn,
                    Event::EndMatch(_) => false,
                };
                if order.over.is_none() && !overtaken {
                    order.obey(rules, event, entered)?;
                }
            }
            Ok(())
        })
    }

    /// An event that a player raises.
    ///
    /// # Errors
    /// It isn't allowed; then nothing has changed.
    pub fn raise(&mut self, rules: &impl OrderRules, by: Player, event: &Event) -> Result<(), Refused> {
        self.step(by, |order, entered| order.obey(rules, event, entered))
    }

    /// Removes a player for good, from this act, the active set and all later acts. If it was the current one its turn
    /// ends.
    ///
    /// # Errors
    /// The match is over, or there is no such player; then nothing has changed.
    pub fn remove_player(&mut self, rules: &impl OrderRules, player: Player) -> Result<(), Refused> {
        self.attempt(|order, entered| {
            if order.over.is_some() {
                return Err(Refused::Over);
            }
            if player >= order.at.players || !order.removed.insert(player) {
                return Err(Refused::NoPlayer);
            }
            if order.current() == Some(player) {
                let end = Doing::EndTurn { next: None, force: true, remove: true };
                return order.process(rules, end, entered);
            }
            let before =
                order.at.play_order.iter().take(order.at.pos).filter(|&&other| other == player).count();
            order.at.pos -= before;
            order.at.play_order.retain(|&other| other != player);
            let left = order.leave_active(player);
            if left { order.process(rules, Doing::Moved, entered) } else { Ok(()) }
        })
    }

    /// Does something that a player asks for, or nothing at all.
    fn step(
        &mut self,
        by: Player,
        change: impl FnOnce(&mut TurnOrder, &mut BTreeSet<String>) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        if self.over.is_some() {
            return Err(Refused::Over);
        }
        if !self.may_act(by) {
            return Err(Refused::Inactive);
        }
        self.attempt(change)
    }

    /// Changes everything or nothing. The change notes the acts that it entered.
    fn attempt(
        &mut self,
        change: impl FnOnce(&mut TurnOrder, &mut BTreeSet<String>) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let mut changed = self.clone();
        change(&mut changed, &mut BTreeSet::new())?;
        *self = changed;
        Ok(())
    }

    fn obey(
        &mut self,
        rules: &impl OrderRules,
        event: &Event,
        entered: &mut BTreeSet<String>,
    ) -> Result<(), Refused> {
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
        self.process(rules, doing, entered)
    }

    /// Counts a move of the current player, or of one in the active set.
    fn count(&mut self, by: Player) {
        if self.current() == Some(by) {
            self.moves += 1;
        }
        let Some(active) = &self.active else { return };
        let count = self.counts.entry(by).or_default();
        *count += 1;
        if active.get(&by).is_some_and(|member| member.max > 0 && *count >= member.max) {
            self.leave_active(by);
        }
    }

    /// Takes a player out of the active set, which is none when it is empty; false if it wasn't in it.
    fn leave_active(&mut self, player: Player) -> bool {
        let Some(active) = &mut self.active else { return false };
        let left = active.remove(&player).is_some();
        if active.is_empty() {
            self.active = None;
        }
        left
    }

    fn set_active(&mut self, set: &ActiveSet) -> Result<(), Refused> {
        let current = self.current();
        let members: Vec<Player> = match &set.members {
            Members::All => self.at.play_order.clone(),
            Members::Others => {
                self.at.play_order.iter().copied().filter(|&player| Some(player) != current).collect()
            }
            Members::List(list) => list.clone(),
        };
        if members.iter().any(|player| *player >= self.at.players || self.removed.contains(player)) {
            return Err(Refused::NoPlayer);
        }
        let member = Active { word: set.word.clone(), min: set.min, max: set.max };
        self.counts = members.iter().map(|&player| (player, 0)).collect();
        let active: BTreeMap<_, _> = members.into_iter().map(|player| (player, member.clone())).collect();
        self.active = Some(active).filter(|active| !active.is_empty());
        Ok(())
    }

    /// Does one thing after the other, until nothing follows. Ends, because each act is entered at most once and a
    /// turn's own end is never looked at when it starts.
    fn process(
        &mut self,
        rules: &impl OrderRules,
        mut doing: Doing,
        entered: &mut BTreeSet<String>,
    ) -> Result<(), Refused> {
        loop {
            let moved = matches!(doing, Doing::Moved);
            let follows = self.run(rules, doing, entered)?;
            if self.over.is_some() {
                return Ok(());
            }
            doing = if let Some(word) = rules.match_ends(self) {
                Doing::EndMatch(word)
            } else if let Some(End { next }) = self.act().and_then(|act| rules.act_ends(self, act)) {
                Doing::EndAct(next)
            } else if let Some(End { next }) = self.turn_ends(rules).filter(|_| moved) {
                Doing::EndTurn { next, force: false, remove: false }
            } else {
                let Some(follows) = follows else { return Ok(()) };
                follows
            };
        }
    }

    fn turn_ends(&self, rules: &impl OrderRules) -> Option<End<Player>> {
        let max = rules.acts().turns(self.act()).max;
        if max > 0 && self.moves >= max { Some(End { next: None }) } else { rules.turn_ends(self) }
    }

    /// Does one thing, and gives what follows.
    fn run(
        &mut self,
        rules: &impl OrderRules,
        doing: Doing,
        entered: &mut BTreeSet<String>,
    ) -> Result<Option<Doing>, Refused> {
        let acts = rules.acts();
        Ok(match doing {
            Doing::EnterAct => {
                entered.extend(self.act.clone());
                Some(Doing::StartTurn(true))
            }
            Doing::StartTurn(first) => self.start_turn(rules, first)?,
            Doing::Moved => None,
            Doing::EndTurn { next, force, remove } => {
                if next.is_some_and(|next| !self.at.play_order.contains(&next)) {
                    return Err(Refused::NoPlayer);
                }
                if !force && self.moves < acts.turns(self.act()).min {
                    return Ok(None);
                }
                self.clear_active();
                if remove && let Some(current) = self.current() {
                    self.at.play_order.retain(|&player| player != current);
                    if self.at.pos >= self.at.play_order.len() {
                        self.at.pos = 0;
                    }
                }
                if self.at.play_order.is_empty() {
                    Some(Doing::EndAct(None))
                } else {
                    Some(Doing::UpdateTurn { next, stay: remove })
                }
            }
            Doing::UpdateTurn { next, stay } => {
                let place =
                    next.and_then(|next| self.at.play_order.iter().position(|&player| player == next));
                let place = if stay { Some(self.at.pos) } else { place };
                match place.or_else(|| acts.turns(self.act()).policy.next(&self.at)) {
                    None => Some(Doing::EndAct(None)),
                    Some(pos) => {
                        self.at.pos = if pos < self.at.play_order.len() { pos } else { 0 };
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
                self.act = next.filter(|next| !entered.contains(next));
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

    /// Starts a turn, an act's first one with the act's order. An act without players ends.
    fn start_turn(&mut self, rules: &impl OrderRules, first: bool) -> Result<Option<Doing>, Refused> {
        let turns = rules.acts().turns(self.act());
        if first {
            let mut play_order = turns.policy.play_order(&self.at, |name| rules.field(name));
            play_order.retain(|player| *player < self.at.players && !self.removed.contains(player));
            let pos = turns.policy.first(&self.at);
            self.at.pos = if pos < play_order.len() { pos } else { 0 };
            self.at.play_order = play_order;
        }
        if self.at.play_order.is_empty() {
            return Ok(self.act.is_some().then_some(Doing::EndAct(None)));
        }
        self.at.turn += 1;
        self.moves = 0;
        if let Some(set) = &turns.active {
            self.set_active(set)?;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn acts() -> Acts {
        let turns = |policy| Turns { policy, ..Turns::default() };
        let act = |next: Option<&str>, turns| Act { next: next.map(str::to_owned), turns };
        let once = Turns { active: Some(ActiveSet::once(Members::All)), ..turns(Policy::Reset) };
        let few = Turns { min: 1, max: 3, ..turns(Policy::Custom(vec![2, 0, 2])) };
        let acts = [
            ("draft", act(Some("war"), Some(turns(Policy::Once)))),
            ("war", act(Some("draft"), Some(few))),
            ("vote", act(None, Some(once))),
            ("rest", act(Some("vote"), Some(turns(Policy::Continue)))),
        ];
        let acts = acts.map(|(name, act)| (name.to_owned(), act)).into();
        Acts { turns: turns(Policy::Default), acts, start: Some("draft".to_owned()) }
    }

    /// One thing that a test tries.
    #[derive(Debug, Clone)]
    enum Try {
        Play(Player, bool, Vec<Event>),
        Raise(Player, Event),
        Remove(Player),
    }

    fn event() -> impl Strategy<Value = Event> {
        let name = prop_oneof![Just("draft"), Just("war"), Just("vote"), Just("rest"), Just("nowhere")];
        let members = prop_oneof![
            Just(Members::All),
            Just(Members::Others),
            prop::collection::vec(0usize..5, 0..4).prop_map(Members::List)
        ];
        prop_oneof![
            prop::option::of(0usize..6).prop_map(Event::EndTurn),
            any::<bool>().prop_map(Event::Pass),
            Just(Event::EndAct),
            name.prop_map(|name| Event::SetAct(name.to_owned())),
            (members, 0u32..2, 0u32..3).prop_map(|(members, min, max)| {
                Event::SetActive(ActiveSet { members, word: None, min, max })
            }),
        ]
    }

    fn tries() -> impl Strategy<Value = Vec<Try>> {
        let one = prop_oneof![
            4 => (0usize..6, any::<bool>(), prop::collection::vec(event(), 0..3)).prop_map(|(p, c, e)| Try::Play(p, c, e)),
            4 => (0usize..6, event()).prop_map(|(p, e)| Try::Raise(p, e)),
            1 => (0usize..6).prop_map(Try::Remove),
        ];
        prop::collection::vec(one, 0..60)
    }

    proptest! {
        #[test]
        fn nothing_refused_changes_anything_and_a_stranger_never_acts(tries in tries(), players in 1usize..5) {
            let acts = acts();
            let mut order = TurnOrder::begin(players, &acts).unwrap();
            let mut removed = BTreeSet::new();
            for one in tries {
                let before = order.clone();
                let (by, result) = match &one {
                    Try::Play(by, counted, events) => (Some(*by), order.play(&acts, *by, *counted, events)),
                    Try::Raise(by, event) => (Some(*by), order.raise(&acts, *by, event)),
                    Try::Remove(player) => (None, order.remove_player(&acts, *player)),
                };
                if result.is_err() {
                    prop_assert_eq!(&order, &before);
                }
                if let Some(by) = by {
                    prop_assert!(result.is_err() || before.may_act(by));
                    prop_assert!(result.is_err() || by < players && !removed.contains(&by));
                } else if let (Try::Remove(player), Ok(())) = (&one, result) {
                    removed.insert(*player);
                }
                prop_assert!(order.play_order().iter().all(|player| *player < players && !removed.contains(player)));
                prop_assert!(order.play_order().is_empty() || order.pos() < order.play_order().len());
                prop_assert!(order.active().is_none_or(|active| !active.is_empty()));
                prop_assert!((0..10).filter(|&player| order.may_act(player)).all(|player| player < players));
            }
        }

        /// Conditions that are always true lead nowhere for ever.
        #[test]
        fn it_always_terminates(tries in tries(), players in 1usize..5, next in prop::option::of(0usize..5)) {
            struct Restless(Acts, Option<Player>);
            impl OrderRules for Restless {
                fn acts(&self) -> &Acts {
                    &self.0
                }
                fn act_ends(&self, order: &TurnOrder, _act: &str) -> Option<End<String>> {
                    (order.turn() > 3).then_some(End { next: None })
                }
                fn turn_ends(&self, _order: &TurnOrder) -> Option<End<Player>> {
                    Some(End { next: self.1 })
                }
            }
            let rules = Restless(acts(), next);
            let mut order = TurnOrder::begin(players, &rules).unwrap();
            for one in tries {
                let turn = order.turn();
                let _ = match &one {
                    Try::Play(by, counted, events) => order.play(&rules, *by, *counted, events),
                    Try::Raise(by, event) => order.raise(&rules, *by, event),
                    Try::Remove(player) => order.remove_player(&rules, *player),
                };
                prop_assert!(order.turn() - turn <= 20);
            }
        }
    }

    #[test]
    fn a_removed_player_is_gone_for_good() {
        let mut acts = Acts::default();
        acts.acts.insert("war".to_owned(), Act::default());
        let mut order = TurnOrder::begin(3, &acts).unwrap();
        order.raise(&acts, 0, &Event::EndTurn(None)).unwrap();
        order.remove_player(&acts, 0).unwrap();
        assert_eq!(
            (order.play_order(), order.pos(), order.current(), order.turn()),
            (&[1, 2][..], 0, Some(1), 2)
        );
        order.remove_player(&acts, 1).unwrap();
        assert_eq!((order.current(), order.turn()), (Some(2), 3));
        order.raise(&acts, 2, &Event::SetAct("war".to_owned())).unwrap();
        assert_eq!(order.play_order(), [2]);
        assert_eq!(order.remove_player(&acts, 1), Err(Refused::NoPlayer));
        order.remove_player(&acts, 2).unwrap();
        assert_eq!((order.play_order(), order.current()), (&[][..], None));
        assert_eq!(order.raise(&acts, 2, &Event::EndTurn(None)), Err(Refused::Inactive));
    }
}
