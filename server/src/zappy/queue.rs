//! A player's commands: taken in, begun, suspended, ended, one at a time and in their order.
//!
//! Decides when a command takes effect; the effects are in `commands` and `incantation`. Tested by the transcripts
//! `queue_*`, `suspension*` and `ties_*`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::constants::QUEUE_LIMIT;
use zappy_protocol::zappy::player::Command;

use super::event::{Event, Fate};
use super::player::{ParsedCommand, Running};
use super::world::World;

impl World {
    /// A line came from a player.
    pub(super) fn submit(&mut self, id: PlayerId, command: ParsedCommand) {
        let now = self.now;
        let player = self.player_mut(id);
        if !player.alive() || player.leaving {
            return;
        }
        if player.queue.len() >= QUEUE_LIMIT {
            player.tally.dropped += 1;
            let why = format!("dropped: {QUEUE_LIMIT} commands wait already").into();
            return self.emit(Event::Dropped { player: id, why });
        }
        player.end_silence(now);
        player.queue.push_back(command);
        self.advance(id);
    }

    /// A player's client sends nothing more.
    pub(super) fn end_input(&mut self, id: PlayerId) {
        self.player_mut(id).leaving = true;
        self.advance(id);
    }

    /// Begins the player's next commands, as far as it is free to.
    pub(super) fn advance(&mut self, id: PlayerId) {
        while self.player(id).free() && !self.over {
            let Some(command) = self.player_mut(id).queue.pop_front() else { break };
            self.begin(id, command);
        }
        self.leave_when_done(id);
        let now = self.now;
        let player = self.player_mut(id);
        if player.free() {
            player.idle_since.get_or_insert(now);
        }
    }

    /// Removes a player whose client sends nothing more, once all its commands are answered.
    fn leave_when_done(&mut self, id: PlayerId) {
        let player = self.player(id);
        let waits = player.running.is_some() || !player.queue.is_empty() || self.initiates(id);
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
        match kind {
            Some(kind) => tally.commands[kind as usize] += 1,
            None => tally.unknown += 1,
        }
        match (kind, &command) {
            (None, Err(bad)) => self.refuse(id, bad.to_string()),
            (_, Ok(Command::Incantation)) => {
                if let Err(why) = self.begin_incantation(id) {
                    self.refuse(id, why);
                }
            }
            (Some(kind), _) if kind.cost() == 0 => self.execute(id, command),
            (Some(kind), _) => {
                if command == Ok(Command::Fork) {
                    self.emit(Event::Laying { player: id });
                }
                let due = self.now + kind.cost();
                self.player_mut(id).running = Some(Running { command, due, suspended: None });
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
        if let Some(running) = player.running.take() {
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
        self.player_mut(id).tally.refused += 1;
        self.emit(Event::Refused { player: id, why: why.into() });
    }

    /// Holds a player in an incantation: a running command waits with the time it has left.
    pub(super) fn freeze(&mut self, id: PlayerId, incantation: u32) {
        let now = self.now;
        let player = self.player_mut(id);
        player.end_silence(now);
        player.frozen = Some(incantation);
        player.generation = player.generation.wrapping_add(1);
        if let Some(running) = &mut player.running {
            running.suspended.get_or_insert(running.due.saturating_sub(now));
        }
    }

    /// Lets a player go on: its command with the time it had left, or its next one.
    pub(super) fn thaw(&mut self, id: PlayerId) {
        let now = self.now;
        let player = self.player_mut(id);
        player.frozen = None;
        let mut left: Tick = 0;
        if let Some(running) = &mut player.running {
            left = running.suspended.take().unwrap_or(0);
            running.due = now + left;
        }
        self.plan_command(id, now + left);
    }
}
