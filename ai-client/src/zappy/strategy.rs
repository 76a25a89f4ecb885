//! What decides for a player of Zappy, and what a parent hands to the child that it lays.
//!
//! Decides nothing by itself. Tested through `agent` and the levels of play.

use std::collections::VecDeque;
use std::fmt::Debug;

use zappy_protocol::Text;
use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::player::{Command, Response};

use super::family::Family;
use super::team::Team;

/// What decides for a player. It is asked for commands when everything sent before was answered.
pub trait Strategy: Debug + Send {
    /// The commands to send next: at least one, and no more than the server queues.
    fn decide(&mut self) -> Vec<Command>;
    fn answered(&mut self, command: &Command, response: &Response);
    /// A player broadcast a text.
    fn heard(&mut self, direction: u8, text: &Text);
    /// Another player pushed this one to the next tile, from the side with that number.
    fn pushed(&mut self, from: u8);
    /// An incantation that it took part in is over; `level` is its new level if it rose.
    fn incantation_over(&mut self, level: Option<Level>);
    /// The next child to connect, once its egg is laid. Most levels of play never lay.
    fn next_birth(&mut self) -> Option<Birth> {
        None
    }

    /// Called when the server turns out to refuse its broadcasts: from now on those that it decides on aren't sent.
    fn silenced(&mut self) {}

    /// Whether it does nothing for now. It is asked again when a line arrives.
    fn rests(&self) -> bool {
        false
    }

    /// What people should know of how it plays, besides the name of its level of play.
    fn note(&self) -> Option<&'static str> {
        None
    }
}

/// What a parent hands to its child. Two players share nothing else outside the game.
#[derive(Debug, Clone)]
pub enum Birth {
    Expert(Box<ExpertBirth>),
    /// The seed of its chance and nothing else.
    Plain(u64),
    /// What a raider does, and the seed of its chance.
    Raider(Job, u64),
}

/// What an expert begins with.
#[derive(Debug, Clone)]
pub struct ExpertBirth {
    pub(super) role: Role,
    /// The children that it is to lay.
    pub(super) lays: VecDeque<Role>,
    /// Whether it was laid at the nest.
    pub(super) at_home: bool,
    /// Lays only the children in `lays`. A player that isn't barren also lays helpers when it first comes home.
    pub(super) barren: bool,
    /// Whether the server counts food in ticks.
    pub(super) strict: bool,
    /// The seed of its chance.
    pub(super) chance: u64,
    pub(super) team: Team,
    pub(super) family: Family,
}

/// What an expert does for its team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Stays at the nest and rises.
    Core,
    Gatherer,
    /// Stands beside the nest and pushes strangers away.
    Guard,
}

/// What a raider does for its team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// Waits for players that come in at the start after it, with the number of slots that were left when it came in.
    Spare(u32),
    /// Begins the incantations.
    Leader,
    /// Rises with the leader.
    Core,
    /// Lays carriers beside the nest.
    Factory,
    /// Gives the nest the food that it was born with.
    Carrier,
    /// Fetches stones.
    Gatherer,
    /// Fetches the stones that are needed first, then others, and robs crowds.
    Shy,
    /// Marches through a crowd and pushes it along.
    Pusher,
    /// Does nothing any more.
    Idle,
}
