//! The levels of play: one whole strategy each, so that a gauntlet has rungs.
//!
//! `expert` is the client as `plan` has it. The others are written as students write theirs, on top of one `body`
//! that knows the world and gathers: `easy` lives alone, `medium` meets others of its level by ear, `hard` is a
//! team that gathers everything first and rises then, `aggressor` lives from disturbing others. Each decides for
//! itself from the lines it reads and a seed. Tested in the parts and, against each other, in
//! `tests/levels.rs`.

mod aggressor;
mod body;
mod crew;
mod easy;
mod hard;
mod medium;
mod meeting;
mod talk;
mod voice;

use std::fmt::Debug;

use zappy_protocol::player::{Command, Response};
use zappy_protocol::{Level, MapSize, TeamName, Text};

use crate::chance::mix;
use crate::plan::{self, Mind};
use crate::team::Seal;

/// How a client plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, clap::ValueEnum)]
pub enum Style {
    /// Survives and rises once, alone
    Easy,
    /// Gathers alone and meets others for a rite now and then
    Medium,
    /// A team that gathers everything and then rises together
    Hard,
    /// Plays to win, as fast as can be
    #[default]
    Expert,
    /// Lives from disturbing others
    Aggressor,
}

/// What a player knows when its handshake is over.
#[derive(Debug, Clone, Copy)]
pub struct Newborn<'a> {
    /// Its team.
    pub team: &'a TeamName,
    /// Where its chance comes from.
    pub seed: u64,
    /// The whole team was given that seed.
    pub sealed: bool,
    /// Slots that were left.
    pub slots: u32,
    /// The map.
    pub size: MapSize,
}

/// What a parent hands to its child: all that two players ever share outside the game.
#[derive(Debug, Clone)]
pub enum Birth {
    /// A place in the family of experts.
    Planned(Box<plan::Birth>),
    /// Nothing but where its chance comes from.
    Plain(u64),
}

impl Birth {
    /// How many moments it waits, so that those whose eggs are laid at the same tick don't come in together.
    pub fn turn(&self) -> u32 {
        if let Birth::Planned(birth) = self { birth.turn() } else { 0 }
    }
}

/// What decides for a player. It is asked when everything sent before was answered.
pub trait Strategy: Debug + Send {
    /// What to send next; never nothing, never more than the server queues.
    fn decide(&mut self) -> Vec<Command>;
    /// What a command came to.
    fn answered(&mut self, command: &Command, response: &Response);
    /// Somebody said something.
    fn heard(&mut self, direction: u8, text: &Text);
    /// A push moved the player.
    fn pushed(&mut self, from: u8);
    /// An incantation it took part in is over; it may have risen.
    fn incantation_over(&mut self, level: Option<Level>);
    /// The next child whose egg lies ready; many never lay.
    fn next_birth(&mut self) -> Option<Birth> {
        None
    }

    /// Its level.
    fn level(&self) -> Level;
}

impl Style {
    /// A player of that style.
    pub fn player(self, newborn: &Newborn<'_>, birth: Option<Birth>) -> Box<dyn Strategy> {
        let Newborn { team, seed, sealed, slots, size } = *newborn;
        let chance = match &birth {
            Some(Birth::Plain(word)) => *word,
            _ => mix(mix(seed, team.as_str().as_bytes()), &slots.to_le_bytes()),
        };
        match self {
            Style::Easy => Box::new(easy::Easy::new(size, chance)),
            Style::Medium => Box::new(medium::Medium::new(team, size, chance)),
            Style::Hard => Box::new(hard::Hard::new(team, size, chance)),
            Style::Aggressor => Box::new(aggressor::Aggressor::new(team, size, chance)),
            Style::Expert => {
                let birth = if let Some(Birth::Planned(birth)) = birth { Some(*birth) } else { None };
                Box::new(Mind::new(team, Seal::new(team, seed, sealed), seed, slots, size, birth))
            }
        }
    }
}

impl Strategy for Mind {
    fn decide(&mut self) -> Vec<Command> {
        Mind::decide(self)
    }

    fn answered(&mut self, command: &Command, response: &Response) {
        Mind::answered(self, command, response);
    }

    fn heard(&mut self, direction: u8, text: &Text) {
        Mind::heard(self, direction, text);
    }

    fn pushed(&mut self, from: u8) {
        Mind::pushed(self, from);
    }

    fn incantation_over(&mut self, level: Option<Level>) {
        Mind::incantation_over(self, level);
    }

    fn next_birth(&mut self) -> Option<Birth> {
        Mind::next_birth(self).map(Box::new).map(Birth::Planned)
    }

    fn level(&self) -> Level {
        Mind::level(self)
    }
}
