//! Loners that meet for an incantation: a player that carries the stones calls, and mates of its level that hear it come.
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

/// Ticks between two calls.
const CALL: Tick = 30;
/// Ticks a caller waits for others, and rests when too few came.
const PATIENCE: Tick = 450;
const REST: Tick = 250;
/// Ticks of silence after which the caller is taken to have given up.
const SILENCE: Tick = 150;
/// Food that it takes to call, and to come.
const FED: u32 = 9;
const ENOUGH: u32 = 5;

/// A player's part in a meeting.
#[derive(Debug, Default)]
enum Part {
    #[default]
    None,
    /// It calls, and waits for others.
    Caller { since: Tick, called: Option<Tick> },
    /// It follows that mate's voice.
    Guest { token: u32, voice: Box<Voice>, said: bool },
}

/// What a player knows of a meeting.
#[derive(Debug, Default)]
pub struct Meeting {
    part: Part,
    /// The mates that said they stand on this tile.
    here: BTreeSet<u32>,
    rest_until: Tick,
}

impl Meeting {
    /// Whether it is at a meeting or on its way there.
    pub fn is_on(&self) -> bool {
        !matches!(self.part, Part::None)
    }

    /// The meeting is over for this player.
    pub fn over(&mut self) {
        self.part = Part::None;
        self.here.clear();
    }

    /// The player was pushed: no mate is on its tile any more.
    pub fn pushed(&mut self) {
        self.here.clear();
        if let Part::Guest { said, .. } = &mut self.part {
            *said = false;
        }
    }

    pub fn heard(&mut self, body: &Body, own: u32, direction: u8, shout: &Shout) {
        if shout.level != body.memory.level {
            return;
        }
        match shout.kind {
            ShoutKind::Here if direction == 0 => {
                self.here.insert(shout.token);
            }
            ShoutKind::Call => self.called(body, own, direction, shout.token),
            _ => {
                self.here.remove(&shout.token);
            }
        }
    }

    fn called(&mut self, body: &Body, own: u32, direction: u8, caller: u32) {
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
        if body.memory.food() >= ENOUGH {
            let mut voice = Box::new(Voice::anywhere(&body.memory));
            voice.heard(&body.memory, direction);
            self.part = Part::Guest { token: caller, voice, said: false };
            self.here.clear();
        }
    }

    /// What it does for a meeting, below level `top`; `None` if there is none.
    pub fn attend(&mut self, body: &Body, talk: &mut Talk, top: Level) -> Option<Vec<Command>> {
        let (now, food) = (body.now(), body.memory.food());
        match &mut self.part {
            Part::None => {
                let able = body.memory.level > Level::MIN && body.memory.level < top;
                let ready = able && food >= FED && now >= self.rest_until;
                (ready && body.lacking(0) == Inventory::default()).then_some(())?;
                self.part = Part::Caller { since: now, called: None };
                self.call(body, talk)
            }
            Part::Caller { since, .. } if food < ENOUGH || now - *since > PATIENCE => {
                self.rest_until = now + REST;
                self.over();
                None
            }
            Part::Caller { .. } => self.call(body, talk),
            Part::Guest { voice, .. } if food < ENOUGH || voice.silence(&body.memory) > SILENCE => {
                self.over();
                None
            }
            Part::Guest { voice, said, .. } if voice.is_here(&body.memory) => {
                let shout = (!std::mem::replace(said, true)).then(|| talk.say(ShoutKind::Here, body));
                Some(shout.into_iter().chain([Command::Look]).collect())
            }
            Part::Guest { voice, .. } => Some(body.approach(voice.way(&body.memory).unwrap_or_default())),
        }
    }

    /// Calls, looks, and begins the incantation when enough mates have come.
    fn call(&mut self, body: &Body, talk: &mut Talk) -> Option<Vec<Command>> {
        let Part::Caller { called, .. } = &mut self.part else { return None };
        let Some(sight) = body.memory.seen_now() else { return Some(vec![Command::Look]) };
        let row = elevation(body.memory.level)?;
        let mut lacking = row.stones;
        lacking.subtract(&sight.resources);
        if !body.memory.carried().covers(&lacking) {
            // The incantation failed, and another player took the stones that lay there.
            self.over();
            return None;
        }
        if self.here.len() + 1 >= row.players && sight.players as usize >= row.players {
            lacking.set(Resource::Food, 0);
            let mut commands = body.put_down(&lacking);
            commands.extend([Command::Incantation, Command::Inventory]);
            // A mate that doesn't take part will say again that it is here.
            self.here.clear();
            return Some(commands);
        }
        if called.is_none_or(|at| body.now() - at >= CALL) {
            *called = Some(body.now());
            return Some(vec![talk.say(ShoutKind::Call, body), Command::Look]);
        }
        Some(vec![Command::Look])
    }
}
