//! What is to be shown: the match at the view's tick, and how the view came by it.
//!
//! Borrowed by `draw` and `panels`, which read it and change nothing.

use zappy_protocol::Tick;

use super::view::View;
use crate::theme::TeamLook;
use crate::timeline::chronicle::Chronicle;
use crate::timeline::dialogue::Spoken;
use crate::timeline::roster::{Roster, TeamIndex};
use crate::timeline::stage::Stage;

/// Where the match comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {
    /// Nowhere yet: the start screen.
    Nothing,
    /// A server.
    Live {
        /// `host:port`.
        address: String,
        /// In plain words what the connection does, when it isn't simply there; the start screen before anything came.
        trouble: Option<String>,
        /// Whether messages come.
        connected: bool,
        /// Ticks per second that the server last told; 0 before.
        rate: u32,
        /// A frequency that was asked for and not confirmed yet.
        asked: Option<u32>,
    },
    /// A record.
    Record {
        /// The file's name.
        name: String,
        /// The share that was read for marks, charts and feed, 0 to 1.
        read: f32,
        /// What is wrong with the file, if anything: it ends early, lines were skipped.
        trouble: Option<String>,
    },
}

/// What couldn't be understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Lines that are no messages of the dialect.
    pub unknown: u64,
    /// Messages with parameters that make no sense.
    pub malformed: u64,
    /// Messages that do not fit what was told before.
    pub misfits: u64,
    /// The last of these, escaped and cut.
    pub last: Option<String>,
}

impl Oddities {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.unknown + self.malformed + self.misfits
    }
}

/// What is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The view's moment, in ticks; between two ticks things glide.
    pub tick: f64,
    /// Ticks per second of the view, 0 while it stands still: how long effects last.
    pub pace: f64,
    /// What is known at that tick.
    pub stage: &'a Stage,
    /// What stays true.
    pub roster: &'a Roster,
    /// The match at a glance.
    pub chronicle: &'a Chronicle,
    /// How each team looks, in the roster's order.
    pub looks: &'a [TeamLook],
    /// What the spectator has chosen.
    pub view: &'a View,
    /// Where it comes from.
    pub origin: &'a Origin,
    /// What couldn't be understood.
    pub oddities: &'a Oddities,
    /// The first tick that can be shown.
    pub first: Tick,
    /// The last tick that can be shown; live it grows.
    pub last: Tick,
    /// The inspected player's dialogue with the server up to the view's tick, the oldest first; empty where there is none.
    pub dialogue: &'a [Spoken],
    /// A word about what was just done, such as a saved picture.
    pub notice: Option<&'a str>,
}

impl Shown<'_> {
    /// How a team looks; a neutral look for none of these.
    #[must_use]
    pub fn look(&self, team: Option<TeamIndex>) -> TeamLook {
        team.and_then(|team| self.looks.get(team.0)).copied().unwrap_or(TeamLook::NOBODY)
    }
}
