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
    /// The tick at which it ends; meaningless while it is suspended.
    pub(super) due: Tick,
    /// The ticks that it still needs, while it is suspended; `None` while it runs.
    pub(super) suspended: Option<Tick>,
}

/// The commands of a player's client that are not done.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    pub(super) queue: VecDeque<ParsedCommand>,
    pub(super) running: Option<Running>,
}

/// The agenda of a player that never had one, or is gone.
static EMPTY_AGENDA: Agenda = Agenda { queue: VecDeque::new(), running: None };

/// Counts of a player's commands, for results. A count that has reached its type's greatest number stays there.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandTally {
    pub(super) commands: [u32; CommandKind::ALL.len()],
    /// Lines that were no command.
    pub(super) unknown: u32,
    /// Commands that were answered `ko`.
    pub(super) refused: u32,
    /// Lines dropped because ten waited already.
    pub(super) dropped: u32,
    /// The longest time in ticks in which the player was free to act and its client sent nothing.
    pub(super) longest_silence: Tick,
    /// The last such time in ticks: the one in which the player or the match ended; 0 if the player was busy then.
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
    /// How and when its life ended; `None` while it lives.
    pub(super) ended: Option<(Fate, Tick)>,
    /// Boxed, so that a player that is gone takes little memory; `None` if it has no commands, or is gone.
    agenda: Option<Box<Agenda>>,
    /// The number of the incantation that it takes part in.
    pub(super) incantation: Option<u32>,
    /// Whether it can do nothing until that incantation has ended.
    pub(super) frozen: bool,
    /// Whether its client sends nothing more: then the player counts for nothing that others take part in, and leaves
    /// when the command that is running and its queries are answered.
    pub(super) leaving: bool,
    /// The generation of its current command's entry in the schedule; entries of older ones no longer count.
    pub(super) generation: u32,
    /// Since which tick it is free to act and its client sends nothing; `None` while it is busy.
    pub(super) idle_since: Option<Tick>,
    pub(super) tally: CommandTally,
}

// This many bytes are kept of each player that ever lived, so a match of `MOST_PLAYERS` fits into memory.
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

    pub(super) fn is_alive(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether it counts for what others take part in: it lives, and its client may still send something.
    pub(super) fn counts(&self) -> bool {
        self.is_alive() && !self.leaving
    }

    /// Whether it lives, isn't frozen and has no command running.
    pub(super) fn is_free(&self) -> bool {
        self.is_alive() && !self.frozen && self.agenda().running.is_none()
    }

    /// Its commands that are not done.
    pub(super) fn agenda(&self) -> &Agenda {
        self.agenda.as_deref().unwrap_or(&EMPTY_AGENDA)
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

    /// Notes that its client has sent something, or that it can no longer act.
    pub(super) fn end_silence(&mut self, now: Tick) {
        self.tally.last_silence = self.idle_since.take().map_or(0, |since| now - since);
        self.tally.longest_silence = self.tally.longest_silence.max(self.tally.last_silence);
    }
}
