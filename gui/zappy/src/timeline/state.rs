//! What is known at a tick: the match as an observer knows it, and what happened shortly before.
//!
//! A fold over messages with their ticks. Beyond the mirror it remembers nothing older than [`LOOKBACK`], so a state
//! that began at a snapshot so many ticks earlier equals one that began with the match. Never knows what comes next,
//! and never panics. Tested in `tests/state.rs`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use zappy_protocol::text::{shortened, shown};
use zappy_protocol::zappy::constants::FOOD_TICKS;
use zappy_protocol::zappy::mirror::{Mirror, MirrorIncantation, Misfit};
use zappy_protocol::zappy::observer::{BadMessage, Message};
use zappy_protocol::zappy::story::{Happening, Observed, What};
use zappy_protocol::zappy::{Orientation, PlayerId, Resource};
use zappy_protocol::{Position, Text, Tick};

pub use zappy_protocol::zappy::story::LOOKBACK;

use super::track::{Movement, Track};
use zappy_observer::timeline::fold::Fold;
use zappy_observer::timeline::push_bounded;

/// Happenings remembered at most: enough for a thousand busy players.
const RECENT_LIMIT: usize = 8_192;
/// Bytes kept of a broadcast or a text of the server: more than is ever shown. Tens of thousands of texts are kept.
const TEXT_BYTES: usize = 2_048;
/// Characters quoted of a side of the map that can't be read.
const SIDE: usize = 12;
/// Roughly the bytes of a state for each tile and for each player.
const TILE_BYTES: usize = 28;
const PLAYER_BYTES: usize = 1_024;

/// What is known at a tick.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZappyState {
    observed: Observed,
    tracks: BTreeMap<PlayerId, Track>,
    /// What happened within [`LOOKBACK`], the oldest first.
    pub recent: VecDeque<Arc<Happening>>,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageOutcome {
    /// What it says happened, if anything new.
    pub happening: Option<Arc<Happening>>,
    /// Why it contradicts the mirror, if it does.
    pub misfit: Option<Misfit>,
    /// The player that has eaten a unit of food, if the message says so.
    pub ate: Option<PlayerId>,
}

impl ZappyState {
    pub fn mirror(&self) -> &Mirror {
        self.observed.mirror()
    }

    /// How a player got where it is, if anything is remembered.
    pub fn track(&self, player: PlayerId) -> Option<&Track> {
        self.tracks.get(&player)
    }

    /// Running incantations in the order in which they began.
    pub fn incantations(&self) -> &[MirrorIncantation] {
        &self.mirror().incantations
    }

    /// Ticks until a player starves if it eats nothing more: exact if its last meal was seen, or else the least it can
    /// be; `None` for unknown players.
    pub fn time_to_live(&self, player: PlayerId) -> Option<TimeToLive> {
        let food = Tick::from(self.mirror().players.get(&player)?.inventory.get(Resource::Food));
        let whole = food * FOOD_TICKS;
        Some(match self.track(player).and_then(|track| track.hungry_at) {
            Some(at) => {
                let left = FOOD_TICKS.saturating_sub(self.tick().saturating_sub(at));
                TimeToLive { ticks: whole + left, exact: true }
            }
            None => TimeToLive { ticks: whole, exact: false },
        })
    }

    /// Applies a message of that tick and returns what became of it; `None` if it was left out since a limit was met.
    pub fn observe(&mut self, tick: Tick, message: &Message) -> Option<MessageOutcome> {
        self.advance(tick);
        if !self.observed.holds(message) {
            return None;
        }
        let ate = self.eater(message);
        let pushed = self.follow(message);
        let applied = self.observed.apply(tick, message, &pushed);
        let happening = applied.happening.map(|mut happening| {
            match &mut happening.what {
                What::Joined(player) => {
                    self.tracks.insert(*player, Track::joined(happening.tick));
                }
                What::Gone { player, .. } => {
                    self.tracks.remove(player);
                }
                What::Broadcast(_, text) | What::ServerMessage(text) => cut(text),
                _ => {}
            }
            Arc::new(happening)
        });
        if let Some(happening) = &happening {
            push_bounded(&mut self.recent, RECENT_LIMIT, Arc::clone(happening));
        }
        Some(MessageOutcome { happening, misfit: applied.misfit, ate })
    }

    /// Notes how players move, eat and lay, before the mirror applies the message; returns players that were pushed.
    fn follow(&mut self, message: &Message) -> Vec<PlayerId> {
        match message {
            Message::PlayerJoined { player, at, orientation, .. }
            | Message::PlayerPosition { player, at, orientation } => self.moved(*player, *at, *orientation),
            Message::PlayerInventory { player, .. } if self.eater(message).is_some() => {
                self.tracks.entry(*player).or_default().hungry_at = Some(self.tick());
            }
            Message::Laying(player) => {
                self.tracks.entry(*player).or_default().laying_since = Some(self.tick());
            }
            Message::EggLaid { layer: Some(layer), .. } => {
                if let Some(track) = self.tracks.get_mut(layer) {
                    track.laying_since = None;
                }
            }
            // The message of a push comes just after those of the moves of the players that it pushed.
            Message::Ejected(ejector) => {
                let (Some(size), Some(known)) = (self.mirror().size, self.mirror().players.get(ejector))
                else {
                    return Vec::new();
                };
                let (from, to) = (known.at, size.step(known.at, known.orientation));
                let now = self.tick();
                let mut victims = Vec::new();
                for (&player, track) in self.tracks.iter_mut().filter(|(player, _)| *player != ejector) {
                    let Some(step) = track.steps.back_mut() else { continue };
                    if (step.tick, step.from, step.to) == (now, from, to) && step.turned_from == step.facing {
                        step.movement = Movement::Pushed;
                        victims.push(player);
                    }
                }
                return victims;
            }
            _ => {}
        }
        Vec::new()
    }

    fn moved(&mut self, player: PlayerId, to: Position, facing: Orientation) {
        let (Some(size), Some(known)) = (self.mirror().size, self.mirror().players.get(&player)) else {
            return;
        };
        let (tick, from) = (self.tick(), (known.at, known.orientation));
        self.tracks.entry(player).or_default().moved(size, tick, from, (to, facing));
    }

    /// The player that has eaten by this message: a unit of food less that wasn't put down is a meal.
    fn eater(&self, message: &Message) -> Option<PlayerId> {
        let Message::PlayerInventory { player, inventory, .. } = message else { return None };
        let known = self.mirror().players.get(player)?;
        if inventory.get(Resource::Food) >= known.inventory.get(Resource::Food) {
            return None;
        }
        let now = self.tick();
        let latest = self.recent.iter().rev().take_while(|happening| happening.tick == now);
        let put_down = What::Dropped(*player, Resource::Food);
        latest.map(|happening| &happening.what).all(|what| *what != put_down).then_some(*player)
    }
}

impl Fold for ZappyState {
    type Message = Message;

    const LOOKBACK: Tick = LOOKBACK;

    fn parse(line: &[u8]) -> Result<Message, BadMessage> {
        Message::parse(line)
    }

    fn explain(line: &[u8]) -> Option<String> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        (words.next() == Some(b"msz")).then(|| {
            let size: Vec<String> = words.take(2).map(|word| shortened(&shown(word), SIDE)).collect();
            match &size[..] {
                [width, height] => {
                    format!("the server tells a map of {width} by {height} tiles, which can’t be shown")
                }
                _ => "the server tells no size of the map behind msz".to_owned(),
            }
        })
    }

    /// A message of the snapshot that contradicts those before it is ignored.
    fn restored(tick: Tick, snapshot: &[Message]) -> ZappyState {
        ZappyState { observed: Observed::restored(tick, snapshot), ..ZappyState::default() }
    }

    fn knows(&self, message: &Message) -> bool {
        matches!(message, Message::Tile { at, resources } if self.mirror().tile(*at) == Some(resources))
    }

    fn apply(&mut self, tick: Tick, message: &Message) {
        self.observe(tick, message);
    }

    fn advance(&mut self, tick: Tick) {
        if tick <= self.tick() {
            return;
        }
        self.observed.advance(tick);
        let oldest = tick.saturating_sub(LOOKBACK);
        while self.recent.front().is_some_and(|happening| happening.tick < oldest) {
            self.recent.pop_front();
        }
        self.tracks.retain(|_, track| track.forget(oldest));
    }

    fn tick(&self) -> Tick {
        self.observed.tick()
    }

    fn snapshot(&self, line: &mut dyn FnMut(&[u8])) {
        let mut text = Vec::new();
        for message in self.mirror().snapshot() {
            text.clear();
            message.write(&mut text);
            line(&text);
        }
    }

    fn weight(&self) -> usize {
        self.mirror().tiles.len() * TILE_BYTES + self.mirror().players.len() * PLAYER_BYTES
    }
}

/// Cuts a text to the bytes that are kept.
fn cut(text: &mut Text) {
    if text.as_bytes().len() > TEXT_BYTES {
        *text = Text::new(&text.as_bytes()[..TEXT_BYTES]);
    }
}

/// How long a player lives without another meal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeToLive {
    pub ticks: Tick,
    /// Whether its last meal was seen; if not, it may live up to 126 ticks longer.
    pub exact: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_words_are_remembered_in_part() {
        let cut = |bytes: &[u8]| {
            let mut text = Text::new(bytes);
            cut(&mut text);
            text
        };
        assert_eq!(cut(&[b'x'; 60_000]).as_bytes().len(), TEXT_BYTES);
        assert_eq!(cut(b"hello"), Text::new(b"hello"));
    }
}
