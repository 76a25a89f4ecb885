//! One inhabitant: its state, what it carries, what it is doing.
//!
//! Only state, and questions about this state alone; the rules change it. A player that is gone keeps its place in
//! the list for the sake of results. Tested by the transcripts.

use std::collections::VecDeque;

use zappy_protocol::zappy::constants::BIRTH_FOOD;
use zappy_protocol::zappy::player::{BadCommand, Command, CommandKind};
use zappy_protocol::zappy::{Inventory, Level, Orientation};
use zappy_protocol::{Position, Tick};

use super::event::Fate;

/// A line in a player's queue: a command, or what is wrong with the line.
pub(super) type ParsedCommand = Result<Command, BadCommand>;

/// A command that is being executed.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) command: ParsedCommand,
    /// When it ends; meaningless while it is suspended.
    pub(super) due: Tick,
    /// While it is suspended: the ticks that it still needs.
    pub(super) suspended: Option<Tick>,
}

/// The commands of a player's client that are not done.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    pub(super) queue: VecDeque<ParsedCommand>,
    pub(super) running: Option<Running>,
}

/// The agenda of a player that never had one, or is gone.
static NOTHING: Agenda = Agenda { queue: VecDeque::new(), running: None };

/// Counts of a player's commands, for results. They stop at their type's greatest number.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandTally {
    pub(super) commands: [u32; CommandKind::ALL.len()],
    /// Lines that were no command.
    pub(super) unknown: u32,
    /// Commands that were answered `ko`.
    pub(super) refused: u32,
    /// Lines dropped because ten waited already.
    pub(super) dropped: u32,
    /// The longest time in which the player was free to act and its client sent nothing.
    pub(super) longest_silence: Tick,
    /// How long it was so at the end: of the player, or of the match.
    pub(super) last_silence: Tick,
}

#[derive(Debug)]
pub(super) struct Player {
    pub(super) team: usize,
    pub(super) at: Position,
    pub(super) orientation: Orientation,
    pub(super) level: Level,
    pub(super) inventory: Inventory,
    pub(super) born: Tick,
    /// How and when it ended.
    pub(super) ended: Option<(Fate, Tick)>,
    /// Elsewhere, because little is kept of a player that is gone.
    agenda: Option<Box<Agenda>>,
    /// The incantation it takes part in.
    pub(super) incantation: Option<u32>,
    /// Whether it can do nothing until that has ended.
    pub(super) frozen: bool,
    /// Whether its client sends nothing more: then the player counts for nothing that others take part in, and leaves
    /// when the command that is running and its queries are answered.
    pub(super) leaving: bool,
    /// The number of its current entry in the schedule; older entries no longer count.
    pub(super) generation: u32,
    /// Since when it is free to act.
    pub(super) idle_since: Option<Tick>,
    pub(super) tally: CommandTally,
}

// So many bytes are kept of each player that ever lived: a match of as many players as there may be fits into memory.
const _: () = assert!(size_of::<Player>() <= 200);

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
            agenda: None,
            incantation: None,
            frozen: false,
            leaving: false,
            generation: 0,
            idle_since: Some(now),
            tally: CommandTally::default(),
        }
    }

    pub(super) fn alive(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether it counts for what others take part in: it lives, and its client may still send something.
    pub(super) fn counts(&self) -> bool {
        self.alive() && !self.leaving
    }

    /// Whether it lives, isn't frozen and has no command running.
    pub(super) fn free(&self) -> bool {
        self.alive() && !self.frozen && self.agenda().running.is_none()
    }

    /// Its commands that are not done.
    pub(super) fn agenda(&self) -> &Agenda {
        self.agenda.as_deref().unwrap_or(&NOTHING)
    }

    /// As [`Player::agenda`], to be changed.
    pub(super) fn agenda_mut(&mut self) -> &mut Agenda {
        self.agenda.get_or_insert_default()
    }

    /// Notes how it ended. Its commands that are not done are dropped.
    pub(super) fn end(&mut self, how: Fate, now: Tick) {
        self.end_silence(now);
        self.ended = Some((how, now));
        self.generation = self.generation.wrapping_add(1);
        (self.agenda, self.incantation, self.frozen) = (None, None, false);
    }

    /// Notes that it no longer waits for its client.
    pub(super) fn end_silence(&mut self, now: Tick) {
        self.tally.last_silence = self.idle_since.take().map_or(0, |since| now - since);
        self.tally.longest_silence = self.tally.longest_silence.max(self.tally.last_silence);
    }
}
