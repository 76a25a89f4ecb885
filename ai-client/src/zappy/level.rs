//! The levels of play: one whole strategy each, so that there are opponents from weak to strong.
//!
//! `expert` is the strategy in `plan`. The others play as students' programs do, on top of one `body` that knows the
//! world and gathers: an `easy` player lives alone, `medium` players meet others of their level by ear, a `hard` team
//! first gathers everything, then rises, an `aggressor` lives by disturbing others, a `raider`
//! team rises fast and pushes the crowds that it sees, a `deaf-raider` team does so without listening to words. Each player decides for
//! itself from the lines it reads and a seed. Tested in each module and, against each other, in `tests/levels.rs`.

mod aggressor;
mod body;
mod crew;
mod easy;
mod hard;
mod loner;
mod medium;
mod meeting;
mod raider;
mod talk;
mod voice;

use std::fmt::Debug;

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::{MapSize, TeamName, Text};

use aggressor::Aggressor;
use loner::Loner;
use medium::Medium;
use raider::{Job, Raider};

use crate::chance::mix;
use crate::zappy::plan;
use crate::zappy::plan::Mind;
use crate::zappy::team::Seal;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, clap::ValueEnum)]
pub enum Style {
    /// Survives and rises once, alone
    Easy,
    /// Gathers alone and meets others for an incantation now and then
    Medium,
    /// A team that gathers everything and then rises together
    Hard,
    /// Plays to win, as fast as can be
    #[default]
    Expert,
    /// Lives from disturbing others
    Aggressor,
    /// Rises fast on one tile, and pushes the crowds that it sees
    Raider,
    /// The same, with pushers that no words confuse
    DeafRaider,
}

/// What a player knows when its handshake is over.
#[derive(Debug, Clone, Copy)]
pub struct Newborn<'a> {
    pub team: &'a TeamName,
    /// The seed of its chance.
    pub seed: u64,
    /// Whether the whole team was given that seed.
    pub sealed: bool,
    /// The slots that were left when it came in.
    pub slots: u32,
    pub size: MapSize,
}

/// What a parent hands to its child. Two players share nothing else outside the game.
#[derive(Debug, Clone)]
pub enum Birth {
    /// A place in the family of experts.
    Planned(Box<plan::ExpertBirth>),
    /// The seed of its chance and nothing else.
    Plain(u64),
    /// What a raider does, and the seed of its chance.
    Raider(Job, u64),
}

impl Birth {
    /// How many of a tick's moments (`plan::family`) its parent lets pass before it connects the child, so that children from eggs of the same tick come
    /// in one by one.
    pub fn turn(&self) -> u32 {
        if let Birth::Planned(birth) = self { birth.family.turn() } else { 0 }
    }
}

/// What decides for a player. It is asked for commands when everything sent before was answered.
pub trait Strategy: Debug + Send {
    /// The commands to send next: at least one, and no more than the server queues.
    fn decide(&mut self) -> Vec<Command>;
    fn answered(&mut self, command: &Command, response: &Response);
    /// A player broadcast a text.
    fn heard(&mut self, direction: u8, text: &Text);
    /// Another player pushed this one to the next tile.
    fn pushed(&mut self, from: u8);
    /// An incantation that it took part in is over; `level` is its new level if it rose.
    fn incantation_over(&mut self, level: Option<Level>);
    /// The next child to connect, once its egg is laid. Most levels of play never lay.
    fn next_birth(&mut self) -> Option<Birth> {
        None
    }

    /// Called when the server turns out to pass none of its broadcasts: from now on those that it decides on aren't sent.
    fn silenced(&mut self) {}

    /// Whether it does nothing for now. It is asked again when a line arrives.
    fn rests(&self) -> bool {
        false
    }

    /// Whether it knows from its parent that the server plays by the strict rules.
    fn knows_strict(&self) -> bool {
        false
    }

    /// What people should know of how it plays, besides the name of its level of play.
    fn note(&self) -> Option<&'static str> {
        None
    }

    /// The player's level in the game.
    fn level(&self) -> Level;
}

impl Style {
    /// Its name on the command line.
    pub fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// A player of that style.
    pub fn player(self, newborn: &Newborn<'_>, birth: Option<Birth>) -> Box<dyn Strategy> {
        let Newborn { team, seed, sealed, slots, size } = *newborn;
        let chance = match &birth {
            Some(Birth::Plain(seed) | Birth::Raider(_, seed)) => *seed,
            _ => mix(mix(seed, team.as_str().as_bytes()), &slots.to_le_bytes()),
        };
        match self {
            Style::Easy => Box::new(easy::Easy::new(size, chance)),
            Style::Medium => Box::new(Loner::new(team, size, chance, Medium)),
            Style::Hard => Box::new(hard::Hard::new(team, size, chance, birth.is_some())),
            Style::Aggressor => Box::new(Loner::new(team, size, chance, Aggressor::default())),
            Style::Raider | Style::DeafRaider => {
                let job = if let Some(Birth::Raider(job, _)) = birth { job } else { Job::Spare(slots) };
                Box::new(Raider::new(size, chance, job, self == Style::Raider))
            }
            Style::Expert => {
                let birth = if let Some(Birth::Planned(birth)) = birth { Some(*birth) } else { None };
                Box::new(Mind::new(team, Seal::new(team, seed, sealed), seed, slots, size, birth))
            }
        }
    }
}

impl Strategy for Mind {
    fn knows_strict(&self) -> bool {
        Mind::knows_strict(self)
    }

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

    fn silenced(&mut self) {
        Mind::silenced(self);
    }

    fn note(&self) -> Option<&'static str> {
        Mind::note(self)
    }

    fn level(&self) -> Level {
        Mind::level(self)
    }
}
