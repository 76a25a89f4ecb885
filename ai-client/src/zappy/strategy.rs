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

/// What decides for a player. It is asked for commands when all commands sent before are answered.
pub trait Strategy: Debug + Send {
    /// The commands to send next: at least one, and no more than the server queues.
    fn decide(&mut self) -> Vec<Command>;
    fn answered(&mut self, command: &Command, response: &Response);
    /// Another player's broadcast was heard from that direction, 0 if from the own tile, otherwise 1 to 8.
    fn heard(&mut self, direction: u8, text: &Text);
    /// Another player pushed this one to the next tile, coming from that direction, 1 to 8.
    fn pushed(&mut self, from: u8);
    /// An incantation in which it took part is over; `level` is its new level, `None` if it didn't rise.
    fn incantation_over(&mut self, level: Option<Level>);
    /// The next child to connect, once its egg is laid; `None` if there is none. Most levels of play never lay.
    fn next_birth(&mut self) -> Option<Birth> {
        None
    }

    /// Called when the server turns out to refuse its broadcasts: from now on no broadcast is sent, even if it decides
    /// on one.
    fn silenced(&mut self) {}

    /// Whether it does nothing for now. It is asked again when a line arrives.
    fn rests(&self) -> bool {
        false
    }

    /// What users should know about its present play; `None` if nothing is unusual.
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
    pub(super) to_lay: VecDeque<Role>,
    /// Whether its egg lay at the nest.
    pub(super) at_home: bool,
    /// Whether it lays only the children in `to_lay`; otherwise it also lays helpers when it first comes home.
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
    /// Came in at the start, when this many slots were left, and waits for the others; the last one becomes the leader.
    Spare(u32),
    /// Begins the incantations.
    Leader,
    /// Rises with the leader.
    Core,
    /// Lays carriers beside the nest.
    Factory,
    /// Puts down on the nest the food that it was born with.
    Carrier,
    /// Fetches stones, and lays pushers beside crowds.
    Gatherer,
    /// Fetches the stones that are needed first, then others, and robs crowds.
    Shy,
    /// Marches through a crowd and pushes it along.
    Pusher,
    Idle,
}
