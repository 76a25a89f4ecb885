//! What is known at a tick: the mirror, and what happened shortly before.
//!
//! A fold over messages with their ticks. Beyond the mirror it remembers nothing older than [`LOOKBACK`], so a
//! stage that began at a snapshot that much earlier equals one that was there from the start. Never knows what
//! comes next, and never panics. Tested in `tests/stage.rs`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use zappy_protocol::zappy::mirror::{Mirror, MirrorPlayer, Misfit};
use zappy_protocol::zappy::observer::{BadMessage, Message};
use zappy_protocol::zappy::{Inventory, Level, PlayerId, Resource};
use zappy_protocol::{Position, Tick};

use super::happening::{Happening, What};
use super::limits;
use super::track::{Cause, Track};
use crate::timeline::fold::{BadLine, Fold};

/// Ticks that a stage remembers: as long as an incantation lasts.
pub const LOOKBACK: Tick = 300;
/// Happenings a stage remembers at most: enough for a thousand players in a hurry.
const RECENT_LIMIT: usize = 8_192;
/// Bytes of a tile and of a player in a stage, roughly.
const TILE_BYTES: usize = 28;
const PLAYER_BYTES: usize = 1_024;
/// Ticks after its `msz` in which a dump may still be on its way; nothing in the dialect ends one.
const DUMP_TICKS: Tick = 50;

/// A running incantation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rite {
    /// Where.
    pub at: Position,
    /// The level its players had when it began.
    pub level: Level,
    /// Who takes part, the initiator first.
    pub players: Vec<PlayerId>,
    /// When it began, in ticks, if that was told within [`LOOKBACK`].
    pub began: Option<Tick>,
}

/// What is known at a tick.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stage {
    tick: Tick,
    mirror: Mirror,
    tracks: BTreeMap<PlayerId, Track>,
    rites: Vec<Rite>,
    recent: VecDeque<Arc<Happening>>,
    dump_since: Option<Tick>,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// What it says happened, if anything new.
    pub happening: Option<Arc<Happening>>,
    /// Why it doesn't fit what was told before, if so.
    pub misfit: Option<Misfit>,
    /// Whether it was left out because there is too much of everything.
    pub beyond: bool,
}

impl Stage {
    /// A stage that was told nothing yet.
    #[must_use]
    pub fn new() -> Stage {
        Stage::default()
    }

    /// The stage that a snapshot of that tick describes. What does not fit in it is ignored.
    #[must_use]
    pub fn restored<'a>(tick: Tick, snapshot: impl IntoIterator<Item = &'a Message>) -> Stage {
        let mut stage = Stage { tick, ..Stage::default() };
        for message in snapshot {
            if !limits::hold(&stage.mirror, message) {
                continue;
            }
            let _ = stage.mirror.apply(message);
            stage.forget_what_snapshots_lack(message);
        }
        stage.rites = stage.mirror.incantations.iter().map(|known| Rite::of(known, None)).collect();
        stage
    }

    /// The tick it shows.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// The world.
    #[must_use]
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// How a player got where it is, if anything is remembered.
    #[must_use]
    pub fn track(&self, player: PlayerId) -> Option<&Track> {
        self.tracks.get(&player)
    }

    /// Running incantations in the order in which they began.
    #[must_use]
    pub fn rites(&self) -> &[Rite] {
        &self.rites
    }

    /// What happened within [`LOOKBACK`], the oldest first.
    #[must_use]
    pub fn recent(&self) -> &VecDeque<Arc<Happening>> {
        &self.recent
    }

    /// The incantation a player takes part in.
    #[must_use]
    pub fn rite_of(&self, player: PlayerId) -> Option<&Rite> {
        self.rites.iter().find(|rite| rite.players.contains(&player))
    }

    /// Ticks until a player starves if it eats nothing more: exact if its last meal was seen, else the least
    /// it can be. Nothing for unknown players.
    #[must_use]
    pub fn time_to_live(&self, player: PlayerId) -> Option<TimeToLive> {
        let food = Tick::from(self.mirror.players.get(&player)?.inventory.get(Resource::Food));
        let whole = food * zappy_protocol::zappy::constants::FOOD_TICKS;
        let hungry_at = self.track(player).and_then(|track| track.hungry_at);
        Some(match hungry_at {
            Some(at) => {
                let left =
                    zappy_protocol::zappy::constants::FOOD_TICKS.saturating_sub(self.tick.saturating_sub(at));
                TimeToLive { ticks: whole + left, exact: true }
            }
            None => TimeToLive { ticks: whole, exact: false },
        })
    }

    /// Lets time pass without news.
    pub fn advance(&mut self, tick: Tick) {
        if tick <= self.tick {
            return;
        }
        self.tick = tick;
        let oldest = tick.saturating_sub(LOOKBACK);
        while self.recent.front().is_some_and(|happening| happening.tick < oldest) {
            self.recent.pop_front();
        }
        self.tracks.retain(|_, track| track.forget(oldest));
        for rite in &mut self.rites {
            rite.began = rite.began.filter(|&began| began >= oldest);
        }
        self.dump_since = self.dump_since.filter(|since| tick <= since + DUMP_TICKS);
    }

    /// Takes one message of that tick in.
    pub fn apply(&mut self, tick: Tick, message: &Message) -> Told {
        self.advance(tick);
        if !limits::hold(&self.mirror, message) {
            return Told { beyond: true, ..Told::default() };
        }
        self.note_dump(message);
        let what = self.foresee(message);
        let misfit = self.mirror.apply(message).err();
        self.forget_what_snapshots_lack(message);
        let happening = what.map(|(at, what)| Arc::new(Happening { tick: self.tick, at, what }));
        if let Some(happening) = &happening {
            if self.recent.len() == RECENT_LIMIT {
                self.recent.pop_front();
            }
            self.recent.push_back(Arc::clone(happening));
        }
        Told { happening, misfit, beyond: false }
    }

    /// Who stands in a dump didn't just join.
    fn note_dump(&mut self, message: &Message) {
        match message {
            Message::MapSize(_) => self.dump_since = Some(self.tick),
            Message::Tile { .. }
            | Message::Rate(_)
            | Message::Team(_)
            | Message::PlayerJoined { .. }
            | Message::PlayerInventory { .. }
            | Message::PlayerLevel { .. }
            | Message::EggLaid { .. }
            | Message::IncantationBegan { .. } => {}
            _ => self.dump_since = None,
        }
    }

    /// Who laid an egg and who is laying is no part of every snapshot, so the roster and the tracks hold it.
    fn forget_what_snapshots_lack(&mut self, message: &Message) {
        match message {
            Message::EggLaid { egg, .. } => {
                if let Some(egg) = self.mirror.eggs.get_mut(egg) {
                    egg.layer = None;
                }
            }
            Message::Laying(player) => {
                if let Some(player) = self.mirror.players.get_mut(player) {
                    player.laying = false;
                }
            }
            _ => {}
        }
    }

    /// What the message says beyond what the mirror knows before it is applied.
    fn foresee(&mut self, message: &Message) -> Option<(Option<Position>, What)> {
        match message {
            Message::PlayerJoined { player, at, orientation, .. } => {
                if self.mirror.players.contains_key(player) {
                    self.moved(*player, *at, *orientation);
                    return None;
                }
                if self.dump_since.is_some() {
                    return None;
                }
                self.tracks.insert(*player, Track::joined(self.tick));
                Some((Some(*at), What::Joined(*player)))
            }
            Message::PlayerPosition { player, at, orientation } => {
                self.moved(*player, *at, *orientation);
                None
            }
            Message::PlayerInventory { player, inventory, .. } => {
                self.ate(*player, inventory);
                None
            }
            Message::PlayerLevel { player, level } => self.rose(*player, *level),
            Message::Died(player) => {
                let known = self.mirror.players.get(player)?.clone();
                self.tracks.remove(player);
                Some((Some(known.at), What::Died(*player, Box::new(known))))
            }
            Message::IncantationBegan { at, level, players } => self.began(*at, *level, players),
            Message::IncantationEnded { at, success } => Some((Some(*at), self.ended(*at, *success))),
            Message::Rate(rate) if *rate == self.mirror.rate || self.mirror.rate == 0 => None,
            Message::Rate(rate) => Some((None, What::Rate(*rate))),
            Message::Won(team) => Some((None, What::Won(team.clone()))),
            Message::Server(text) => Some((None, What::Said(limits::cut(text)))),
            _ => self.foresee_deed(message),
        }
    }

    fn foresee_deed(&mut self, message: &Message) -> Option<(Option<Position>, What)> {
        let place = |player: &PlayerId| self.mirror.players.get(player).map(|known| known.at);
        let egg_place = |egg| self.mirror.eggs.get(egg).map(|known| known.at);
        Some(match message {
            Message::Broadcast { player, text } => {
                (place(player), What::Broadcast(*player, limits::cut(text)))
            }
            Message::Took { player, resource } => (place(player), What::Took(*player, *resource)),
            Message::Dropped { player, resource } => (place(player), What::Dropped(*player, *resource)),
            Message::Laying(player) => {
                let at = place(player);
                self.tracks.entry(*player).or_default().laying_since = Some(self.tick);
                (at, What::Laying(*player))
            }
            Message::Ejected(player) => {
                let at = place(player);
                (at, What::Ejected { player: *player, victims: self.pushed_by(*player) })
            }
            Message::EggLaid { egg, layer, at } => {
                let known = self.mirror.eggs.contains_key(egg);
                if let Some(track) = layer.and_then(|layer| self.tracks.get_mut(&layer)) {
                    track.laying_since = None;
                }
                if known || self.dump_since.is_some() {
                    return None;
                }
                (Some(*at), What::EggLaid(*egg, *layer))
            }
            Message::EggHatched(egg) => (egg_place(egg), What::EggHatched(*egg)),
            Message::EggDestroyed(egg) => (egg_place(egg), What::EggDestroyed(*egg)),
            _ => return None,
        })
    }

    fn moved(&mut self, player: PlayerId, to: Position, facing: zappy_protocol::zappy::Orientation) {
        let (Some(size), Some(known)) = (self.mirror.size, self.mirror.players.get(&player)) else { return };
        let (tick, from) = (self.tick, (known.at, known.orientation));
        self.tracks.entry(player).or_default().moved(size, tick, from, (to, facing));
    }

    /// A unit of food less without having been put down is a meal.
    fn ate(&mut self, player: PlayerId, inventory: &Inventory) {
        let Some(known) = self.mirror.players.get(&player) else { return };
        if inventory.get(Resource::Food) >= known.inventory.get(Resource::Food) {
            return;
        }
        let now = self.tick;
        let deeds = self.recent.iter().rev().take_while(|happening| happening.tick == now);
        let put_down =
            deeds.map(|happening| &happening.what).any(|what| *what == What::Dropped(player, Resource::Food));
        if !put_down {
            self.tracks.entry(player).or_default().hungry_at = Some(now);
        }
    }

    fn rose(&self, player: PlayerId, to: Level) -> Option<(Option<Position>, What)> {
        if self.dump_since.is_some() {
            return None;
        }
        let MirrorPlayer { at, level: from, .. } = *self.mirror.players.get(&player)?;
        (from != to).then_some((Some(at), What::Level { player, from, to }))
    }

    /// A dump tells running incantations again: those keep the tick at which they began.
    fn began(
        &mut self,
        at: Position,
        level: Level,
        players: &[PlayerId],
    ) -> Option<(Option<Position>, What)> {
        let same = self.rites.iter().find(|rite| rite.at == at && rite.players.first() == players.first());
        let known = same.is_some() || self.dump_since.is_some();
        let began = same.map_or(Some(self.tick).filter(|_| !known), |rite| rite.began);
        self.rites.retain(|rite| !rite.players.iter().any(|player| players.contains(player)));
        self.rites.push(Rite { at, level, players: players.to_vec(), began });
        let what = What::RiteBegan { level, players: players.to_vec() };
        (!known).then_some((Some(at), what))
    }

    fn ended(&mut self, at: Position, success: bool) -> What {
        let oldest = self.rites.iter().position(|rite| rite.at == at).map(|index| self.rites.remove(index));
        let level = oldest.as_ref().map(|rite| rite.level);
        What::RiteEnded { level, players: oldest.map(|rite| rite.players).unwrap_or_default(), success }
    }

    /// The victims' moves are told just before the push itself.
    fn pushed_by(&mut self, ejector: PlayerId) -> Vec<PlayerId> {
        let (Some(size), Some(known)) = (self.mirror.size, self.mirror.players.get(&ejector)) else {
            return Vec::new();
        };
        let (from, to) = (known.at, size.step(known.at, known.orientation));
        let mut victims = Vec::new();
        for (&player, track) in self.tracks.iter_mut().filter(|(player, _)| **player != ejector) {
            let Some(step) = track.steps.back_mut() else { continue };
            if (step.tick, step.from, step.to) == (self.tick, from, to) && step.turned_from == step.facing {
                step.cause = Cause::Pushed;
                victims.push(player);
            }
        }
        victims
    }
}

impl Fold for Stage {
    type Message = Message;

    const LOOKBACK: Tick = LOOKBACK;

    fn parse(line: &[u8]) -> Result<Message, BadLine> {
        Message::parse(line).map_err(|bad| match bad {
            BadMessage::Unknown => BadLine::Unknown,
            BadMessage::Parameter => BadLine::Malformed,
        })
    }

    fn restored(tick: Tick, snapshot: &[Message]) -> Stage {
        Stage::restored(tick, snapshot)
    }

    fn apply(&mut self, tick: Tick, message: &Message) {
        Stage::apply(self, tick, message);
    }

    fn advance(&mut self, tick: Tick) {
        Stage::advance(self, tick);
    }

    fn tick(&self) -> Tick {
        self.tick
    }

    fn snapshot(&self, line: &mut dyn FnMut(&[u8])) {
        let mut text = Vec::new();
        for message in self.mirror.snapshot() {
            text.clear();
            message.write(&mut text);
            line(&text);
        }
    }

    fn weight(&self) -> usize {
        self.mirror.tiles.len() * TILE_BYTES + self.mirror.players.len() * PLAYER_BYTES
    }
}

impl Rite {
    fn of(known: &zappy_protocol::zappy::mirror::MirrorIncantation, began: Option<Tick>) -> Rite {
        Rite { at: known.at, level: known.level, players: known.players.clone(), began }
    }
}

/// How long a player lives without another meal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeToLive {
    /// In ticks.
    pub ticks: Tick,
    /// Whether its last meal was seen; else it may be up to 126 ticks more.
    pub exact: bool,
}
