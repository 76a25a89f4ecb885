//! One inhabitant: what it is, what it carries, what it is doing.
//!
//! Only state and what can be said of it alone; the rules move it. A player that is gone keeps its place, so
//! that results can tell of it.

use std::collections::VecDeque;

use zappy_protocol::constants::BIRTH_FOOD;
use zappy_protocol::player::{BadCommand, Command, CommandKind};
use zappy_protocol::{Inventory, Level, Orientation, Position, Tick};

use super::event::Ending;

/// A line in a player's queue: a command, or what stands for a bad one.
pub(super) type Request = Result<Command, BadCommand>;

/// A command that is being executed.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) request: Request,
    /// When it ends; meaningless while it is suspended.
    pub(super) due: Tick,
    /// Ticks it still needs once it goes on; none while it runs.
    pub(super) suspended: Option<Tick>,
}

/// What results tell of a player's commands.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Commands begun, by kind.
    pub(super) commands: [u64; CommandKind::ALL.len()],
    /// Lines that were no command.
    pub(super) unknown: u64,
    /// `ko` read.
    pub(super) refused: u64,
    /// Lines dropped because ten waited already.
    pub(super) dropped: u64,
    /// The longest time it was free to act and sent nothing.
    pub(super) longest_silence: Tick,
}

/// One inhabitant.
#[derive(Debug)]
pub(super) struct Player {
    /// Index of its team.
    pub(super) team: usize,
    pub(super) at: Position,
    pub(super) orientation: Orientation,
    pub(super) level: Level,
    pub(super) inventory: Inventory,
    pub(super) born: Tick,
    /// How and when it ended.
    pub(super) ended: Option<(Ending, Tick)>,
    pub(super) queue: VecDeque<Request>,
    pub(super) running: Option<Running>,
    /// The incantation it takes part in.
    pub(super) frozen: Option<u32>,
    /// Its client sends nothing more; it leaves when it has nothing left to do.
    pub(super) leaving: bool,
    /// Tells its entry in the schedule from older ones.
    pub(super) generation: u32,
    /// Since when it is free to act.
    pub(super) idle_since: Option<Tick>,
    pub(super) tally: Tally,
}

impl Player {
    pub(super) fn new(team: usize, at: Position, orientation: Orientation, now: Tick) -> Player {
        Player {
            team,
            at,
            orientation,
            level: Level::MIN,
            inventory: Inventory::new([BIRTH_FOOD, 0, 0, 0, 0, 0, 0]),
            born: now,
            ended: None,
            queue: VecDeque::new(),
            running: None,
            frozen: None,
            leaving: false,
            generation: 0,
            idle_since: Some(now),
            tally: Tally::default(),
        }
    }

    pub(super) fn alive(&self) -> bool {
        self.ended.is_none()
    }

    /// Lives, and nothing keeps it from beginning a command.
    pub(super) fn free(&self) -> bool {
        self.alive() && self.frozen.is_none() && self.running.is_none()
    }

    /// Notes that it is no longer waiting for its client.
    pub(super) fn end_silence(&mut self, now: Tick) {
        if let Some(since) = self.idle_since.take() {
            self.tally.longest_silence = self.tally.longest_silence.max(now - since);
        }
    }
}
