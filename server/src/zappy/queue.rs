//! A player's commands: taken in, begun, suspended, ended, one at a time and in their order.
//!
//! Decides when a command takes effect; the effects are in `commands` and `incantation`. Tested by the transcripts
//! `queue_*`, `suspension*` and `ties_*`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::constants::QUEUE_LIMIT;
use zappy_protocol::zappy::player::{BadCommand, Command};

use super::event::{Event, Fate};
use super::player::{ParsedCommand, Running};
use super::schedule::Due;
use super::world::World;
use crate::config::Clock;

/// The most lines of a player that wait for their tick, where one line is taken at each tick.
pub(super) const INBOX_LINES: usize = 64;

impl World {
    /// A line came from a player.
    pub(super) fn submit(&mut self, id: PlayerId, command: ParsedCommand) {
        if !self.player(id).counts() {
            return;
        }
        // In lockstep a line is taken in each round, and the rounds of a tick have no time between them.
        let now = self.now;
        let paced = self.rules().one_line_per_tick && self.config.clock == Clock::Real;
        let player = self.player_mut(id);
        if !paced || player.taken_at != Some(now) && player.agenda().inbox.is_empty() {
            return self.take_line(id, command);
        }
        let inbox = &mut player.agenda_mut().inbox;
        if inbox.len() >= INBOX_LINES {
            return self.drop_line(id, format!("dropped: {INBOX_LINES} lines wait to be taken"));
        }
        inbox.push_back(command);
        if inbox.len() == 1 {
            self.plan_line(id);
        }
    }

    fn plan_line(&mut self, id: PlayerId) {
        let tick = self.now + 1;
        self.schedule.push(tick, Due::Line(id), self.rank(tick, id), 0);
    }

    /// A line's tick has come that waited for it.
    pub(super) fn line_due(&mut self, id: PlayerId) {
        if !self.player(id).alive() {
            return;
        }
        let inbox = &mut self.player_mut(id).agenda_mut().inbox;
        let Some(command) = inbox.pop_front() else { return };
        if !inbox.is_empty() {
            self.plan_line(id);
        }
        self.take_line(id, command);
    }

    /// Puts a command behind those that wait, if there is room.
    fn take_line(&mut self, id: PlayerId, command: ParsedCommand) {
        let now = self.now;
        let (counted, verb) = if self.rules().running_counts {
            (usize::from(self.player(id).agenda().running.is_some() || self.initiates(id)), "wait or run")
        } else {
            (0, "wait")
        };
        let player = self.player_mut(id);
        player.taken_at = Some(now);
        if player.agenda().queue.len() + counted >= QUEUE_LIMIT {
            return self.drop_line(id, format!("dropped: {QUEUE_LIMIT} commands {verb} already"));
        }
        player.end_silence(now);
        player.agenda_mut().queue.push_back(command);
        self.advance(id);
    }

    fn drop_line(&mut self, id: PlayerId, why: String) {
        let dropped = &mut self.player_mut(id).tally.dropped;
        *dropped = dropped.saturating_add(1);
        self.emit(Event::Dropped { player: id, why: why.into() });
    }

    /// A player's client sends nothing more: of what it has sent, only what changes nothing is still begun.
    pub(super) fn end_input(&mut self, id: PlayerId) {
        let now = self.now;
        let at_once = self.rules().leaves_at_once || self.player(id).frozen.is_some() && !self.initiates(id);
        if at_once {
            return self.remove_player(id, Fate::Left);
        }
        let player = self.player_mut(id);
        player.end_silence(now);
        player.leaving = true;
        player.agenda_mut().queue.retain(changes_nothing);
        self.advance(id);
    }

    /// Begins the player's next commands, as far as it is free to.
    pub(super) fn advance(&mut self, id: PlayerId) {
        while self.player(id).free() && !self.over {
            let Some(command) = self.player_mut(id).agenda_mut().queue.pop_front() else { break };
            self.begin(id, command);
        }
        self.leave_when_done(id);
        let now = self.now;
        let player = self.player_mut(id);
        if player.free() && !player.leaving {
            player.idle_since.get_or_insert(now);
        }
    }

    /// Removes a player whose client sends nothing more, once all its commands are answered.
    fn leave_when_done(&mut self, id: PlayerId) {
        let player = self.player(id);
        let agenda = player.agenda();
        let waits = agenda.running.is_some() || !agenda.queue.is_empty() || self.initiates(id);
        if player.alive() && player.leaving && !waits {
            self.remove_player(id, Fate::Left);
        }
    }

    fn begin(&mut self, id: PlayerId, command: ParsedCommand) {
        let kind = match &command {
            Ok(command) => Some(command.kind()),
            Err(bad) => bad.kind(),
        };
        let tally = &mut self.player_mut(id).tally;
        let count = kind.map_or(&mut tally.unknown, |kind| &mut tally.commands[kind as usize]);
        *count = count.saturating_add(1);
        match (kind, &command) {
            (None, Err(bad)) => self.refuse(id, bad.to_string()),
            (_, Ok(Command::Incantation)) => {
                if let Err(why) = self.begin_incantation(id) {
                    self.refuse(id, why);
                }
            }
            (Some(kind), _) if kind.cost() == 0 => self.execute(id, command),
            (Some(kind), Err(BadCommand::Arguments(_))) if self.rules().refuses_at_once(kind) => {
                self.execute(id, command);
            }
            (Some(kind), _) => {
                if command == Ok(Command::Fork) {
                    self.emit(Event::Laying { player: id });
                }
                let due = self.now + kind.cost();
                self.player_mut(id).agenda_mut().running = Some(Running { command, due, suspended: None });
                self.plan_command(id, due);
            }
            (None, Ok(_)) => {}
        }
    }

    /// A player's entry in the schedule is due: its command ends, or it may go on after an incantation.
    pub(super) fn command_due(&mut self, id: PlayerId, generation: u32) {
        let player = self.player_mut(id);
        if !player.alive() || player.generation != generation {
            return;
        }
        if let Some(running) = player.agenda_mut().running.take() {
            self.execute(id, running.command);
        }
        if self.player(id).alive() {
            self.advance(id);
        }
    }

    fn execute(&mut self, id: PlayerId, command: ParsedCommand) {
        match command {
            Ok(command) => self.carry_out(id, &command),
            Err(bad) => self.refuse(id, bad.to_string()),
        }
    }

    /// Answers `ko`, and notes the reason for the record.
    pub(super) fn refuse(&mut self, id: PlayerId, why: impl Into<crate::game::Words>) {
        let refused = &mut self.player_mut(id).tally.refused;
        *refused = refused.saturating_add(1);
        self.emit(Event::Refused { player: id, why: why.into() });
    }

    /// Holds a player in an incantation: a running command waits with the time it has left.
    pub(super) fn freeze(&mut self, id: PlayerId, incantation: u32) {
        let now = self.now;
        let player = self.player_mut(id);
        player.end_silence(now);
        player.frozen = Some(incantation);
        player.generation = player.generation.wrapping_add(1);
        if let Some(running) = &mut player.agenda_mut().running {
            running.suspended.get_or_insert(running.due.saturating_sub(now));
        }
    }

    /// Lets a player go on: its command with the time it had left, or its next one.
    pub(super) fn thaw(&mut self, id: PlayerId) {
        let now = self.now;
        let player = self.player_mut(id);
        player.frozen = None;
        let mut left: Tick = 0;
        if let Some(running) = &mut player.agenda_mut().running {
            left = running.suspended.take().unwrap_or(0);
            running.due = now + left;
        }
        self.plan_command(id, now + left);
    }
}

/// Whether the line only asks, or is no command at all.
fn changes_nothing(command: &ParsedCommand) -> bool {
    matches!(command, Ok(Command::Look | Command::Inventory | Command::ConnectNbr) | Err(_))
}
