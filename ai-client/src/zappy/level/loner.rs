//! Players that live for themselves and meet mates by ear: what `medium` and `aggressor` have in common.
//!
//! A loner draws the number by which it names itself from what it sees first, asks for its inventory from time to time,
//! and listens to its mates. Its temper decides everything else. Tested in `medium` and `aggressor`.

use std::fmt::Debug;

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::{MapSize, TeamName, Text};

use super::body::Body;
use super::meeting::Meeting;
use super::talk::Talk;
use crate::zappy::strategy::Strategy;

/// The decisions in which loners differ.
pub trait Temper: Debug + Send {
    /// The commands to send next: at least one, and no more than the server queues.
    fn decide(&mut self, own: &mut LonerState) -> Vec<Command>;

    /// A text was heard from `direction` that isn't a new shout of a mate.
    fn heard_stranger(&mut self, _body: &Body, _direction: u8) {}
}

/// What all loners have, whatever their temper.
#[derive(Debug)]
pub struct LonerState {
    /// What it knows of the world.
    pub body: Body,
    /// Its part in a meeting.
    pub meeting: Meeting,
    talk: Talk,
}

impl LonerState {
    /// Whether it has to eat; if so, it leaves its meeting.
    pub fn must_eat(&mut self, hungry: u32, sated: u32) -> bool {
        let must = self.body.must_eat(hungry, sated);
        if must {
            self.meeting.end();
        }
        must
    }

    /// What it does for a meeting, or to call one, as long as its level is below `top`; `None` if nothing.
    pub fn attend(&mut self, top: Level) -> Option<Vec<Command>> {
        self.meeting.attend(&self.body, &mut self.talk, top)
    }
}

/// A loner with its temper.
#[derive(Debug)]
pub struct Loner<T> {
    pub own: LonerState,
    temper: T,
}

impl<T: Temper> Loner<T> {
    pub fn new(team: &TeamName, size: MapSize, chance: u64, temper: T) -> Loner<T> {
        let (body, talk) = (Body::new(size, chance), Talk::new(team));
        Loner { own: LonerState { body, meeting: Meeting::default(), talk }, temper }
    }
}

impl<T: Temper> Strategy for Loner<T> {
    fn decide(&mut self) -> Vec<Command> {
        if self.own.talk.token == 0 {
            return vec![Command::Look];
        }
        self.own.body.check_inventory().unwrap_or_else(|| self.temper.decide(&mut self.own))
    }

    fn answered(&mut self, command: &Command, response: &Response) {
        self.own.body.answered(command, response);
        if let Response::Look(sights) = response {
            self.own.talk.draw_token(&mut self.own.body, sights);
        }
    }

    fn heard(&mut self, direction: u8, text: &Text) {
        let LonerState { body, meeting, talk } = &mut self.own;
        match talk.hear(text) {
            Some(shout) => meeting.heard(body, talk.token, direction, &shout),
            None => self.temper.heard_stranger(body, direction),
        }
    }

    fn pushed(&mut self, from: u8) {
        self.own.body.memory.pushed(from);
        self.own.meeting.pushed();
    }

    fn incantation_over(&mut self, level: Option<Level>) {
        self.own.body.memory.incantation_over(level);
        self.own.meeting.end();
    }
}
