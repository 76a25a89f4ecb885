//! The levels of play: one whole strategy each, so that there are opponents from weak to strong.
//!
//! `expert` is the strategy in `plan`. The others play as students' programs do, on top of one `body` that knows the
//! world and gathers: an `easy` player lives alone, `medium` players meet others of their level by ear, a `hard` team
//! first gathers everything, then rises, an `aggressor` lives by disturbing others, a `raider` team rises fast and
//! pushes the crowds that it sees, a `deaf-raider` team does so without listening to words. Each player decides for
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

use zappy_protocol::{MapSize, TeamName};

use super::plan::Mind;
use super::strategy::{Birth, Job, Strategy};
use super::team::Seal;
use crate::chance::mix;
use aggressor::Aggressor;
use loner::Loner;
use medium::Medium;
use raider::Raider;

/// How well, and in which style, a player plays.
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

/// What a player is made from.
#[derive(Debug, Clone)]
pub struct Setup {
    pub team: TeamName,
    /// The seed of its chance.
    pub seed: u64,
    /// Whether all players of the team, and no other program, were given that seed: then it seals what they say.
    pub sealed: bool,
    /// How it plays; its children play the same way.
    pub style: Style,
    /// What its parent handed to it; `None` for a player that came in at the start.
    pub birth: Option<Birth>,
}

impl Setup {
    /// The strategy of a player that came in when `slots` slots were left.
    pub(super) fn strategy(&self, slots: u32, size: MapSize) -> Box<dyn Strategy> {
        let Setup { team, seed, sealed, style, birth } = self;
        let chance = match birth {
            Some(Birth::Plain(chance) | Birth::Raider(_, chance)) => *chance,
            _ => mix(mix(*seed, team.as_str().as_bytes()), &slots.to_le_bytes()),
        };
        match style {
            Style::Easy => Box::new(easy::Easy::new(size, chance)),
            Style::Medium => Box::new(Loner::new(team, size, chance, Medium)),
            Style::Hard => Box::new(hard::Hard::new(team, size, chance, birth.is_some())),
            Style::Aggressor => Box::new(Loner::new(team, size, chance, Aggressor::default())),
            Style::Raider | Style::DeafRaider => {
                let job = if let Some(Birth::Raider(job, _)) = birth { *job } else { Job::Spare(slots) };
                Box::new(Raider::new(size, chance, job, *style == Style::Raider))
            }
            Style::Expert => Box::new(match birth {
                Some(Birth::Expert(birth)) => Mind::new(birth.as_ref().clone(), size),
                _ => Mind::starter(Seal::new(team, *seed, *sealed), chance, slots, size),
            }),
        }
    }
}
