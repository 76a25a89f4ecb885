//! Loners that meet for an incantation: a player that carries the stones calls, and mates of its level that hear it
//! come.
//!
//! The caller stays where it is; the others find it by ear and say when they stand there. Each player knows only its
//! own part. A caller gives up after a while, and rests before it calls again. Tested in `tests/levels.rs` and in
//! `medium`.

use std::collections::BTreeSet;

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::elevation;
use zappy_protocol::zappy::player::Command;
use zappy_protocol::zappy::{Inventory, Level, Resource};

use super::body::Body;
use super::talk::{Shout, ShoutKind, Talk};
use super::voice::Voice;

/// Ticks between two calls of a caller that waits for mates.
const CALL_EVERY: Tick = 30;
/// Ticks that a caller waits for others.
const PATIENCE: Tick = 450;
/// Ticks for which a caller doesn't call again after too few came.
const REST: Tick = 250;
/// Ticks of silence after which the caller is taken to have given up.
const SILENCE: Tick = 150;
/// Units of food that a player needs to call.
const FOOD_TO_CALL: u32 = 9;
/// Units of food that a player needs to come, and to stay.
const FOOD_TO_STAY: u32 = 5;

/// A player's part in a meeting.
#[derive(Debug, Default)]
enum Part {
    #[default]
    None,
    /// It calls, since that tick, and waits for others.
    Caller { since: Tick, last_call: Option<Tick> },
    /// It follows that mate's voice; `said` once it has said that it came.
    Guest { token: u32, voice: Box<Voice>, said: bool },
}

/// What a player knows of a meeting.
#[derive(Debug, Default)]
pub struct Meeting {
    part: Part,
    /// The tokens of the mates that said they stand on this tile.
    mates_here: BTreeSet<u32>,
    /// It doesn't call before this tick.
    rest_until: Tick,
}

impl Meeting {
    /// Whether it is at a meeting or on its way there.
    pub fn is_on(&self) -> bool {
        !matches!(self.part, Part::None)
    }

    /// The meeting is over for this player.
    pub fn end(&mut self) {
        self.part = Part::None;
        self.mates_here.clear();
    }

    /// The player was pushed: no mate is on its tile any more.
    pub fn pushed(&mut self) {
        self.mates_here.clear();
        if let Part::Guest { said, .. } = &mut self.part {
            *said = false;
        }
    }

    /// A mate shouted, from that direction; `own` is this player's token.
    pub fn heard(&mut self, body: &Body, own: u32, direction: u8, shout: &Shout) {
        if shout.level != body.memory.level {
            return;
        }
        match shout.kind {
            ShoutKind::Here if direction == 0 => {
                self.mates_here.insert(shout.token);
            }
            ShoutKind::Call => self.heard_call(body, own, direction, shout.token),
            _ => {
                self.mates_here.remove(&shout.token);
            }
        }
    }

    /// Follows a caller, unless it already follows, or is, one with a lower token, or lacks food.
    fn heard_call(&mut self, body: &Body, own: u32, direction: u8, caller: u32) {
        match &mut self.part {
            Part::Guest { token, voice, .. } if *token == caller => {
                voice.heard(&body.memory, direction);
                return;
            }
            // Of two callers the one with the lower token stays where it is.
            Part::Guest { token, .. } if *token < caller => return,
            Part::Caller { .. } if own < caller => return,
            _ => {}
        }
        if body.memory.food() >= FOOD_TO_STAY {
            let mut voice = Box::new(Voice::anywhere(&body.memory));
            voice.heard(&body.memory, direction);
            self.part = Part::Guest { token: caller, voice, said: false };
            self.mates_here.clear();
        }
    }

    /// What it does for a meeting, or to call one, as long as its level is below `top`; `None` if nothing.
    pub fn attend(&mut self, body: &Body, talk: &mut Talk, top: Level) -> Option<Vec<Command>> {
        let (now, food) = (body.now(), body.memory.food());
        match &mut self.part {
            Part::None => {
                let has_level = body.memory.level > Level::MIN && body.memory.level < top;
                let ready = has_level && food >= FOOD_TO_CALL && now >= self.rest_until;
                (ready && body.lacking(0) == Inventory::default()).then_some(())?;
                self.part = Part::Caller { since: now, last_call: None };
                self.call(body, talk)
            }
            Part::Caller { since, .. } if food < FOOD_TO_STAY || now - *since > PATIENCE => {
                self.rest_until = now + REST;
                self.end();
                None
            }
            Part::Caller { .. } => self.call(body, talk),
            Part::Guest { voice, .. } if food < FOOD_TO_STAY || voice.silence(&body.memory) > SILENCE => {
                self.end();
                None
            }
            Part::Guest { voice, said, .. } if voice.is_here(&body.memory) => {
                let shout = (!std::mem::replace(said, true)).then(|| talk.say(ShoutKind::Here, body));
                Some(shout.into_iter().chain([Command::Look]).collect())
            }
            Part::Guest { voice, .. } => {
                Some(body.approach(voice.way_to_speaker(&body.memory).unwrap_or_default()))
            }
        }
    }

    /// Calls, looks, and begins the incantation when enough mates have come.
    fn call(&mut self, body: &Body, talk: &mut Talk) -> Option<Vec<Command>> {
        let Part::Caller { last_call, .. } = &mut self.part else { return None };
        let Some(sight) = body.memory.seen_now() else { return Some(vec![Command::Look]) };
        let row = elevation(body.memory.level)?;
        let mut lacking = row.stones;
        lacking.subtract(&sight.resources);
        if !body.memory.carried().covers(&lacking) {
            // The incantation failed, and another player took the stones that lay there.
            self.end();
            return None;
        }
        if self.mates_here.len() + 1 >= row.players && sight.players as usize >= row.players {
            lacking.set(Resource::Food, 0);
            let mut commands = body.put_down(&lacking);
            commands.extend([Command::Incantation, Command::Inventory]);
            // A mate that doesn't take part will say again that it is here.
            self.mates_here.clear();
            return Some(commands);
        }
        if last_call.is_none_or(|at| body.now() - at >= CALL_EVERY) {
            *last_call = Some(body.now());
            return Some(vec![talk.say(ShoutKind::Call, body), Command::Look]);
        }
        Some(vec![Command::Look])
    }
}
