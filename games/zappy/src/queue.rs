//! A player's commands: taken in, begun, suspended, ended, one at a time and in their order.
//!
//! Decides when a command takes effect; the effects are in `commands` and `incantation`. Tested by the transcripts
//! `queue_*`, `suspension*` and `ties_*`.

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::constants::QUEUE_LIMIT;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::Command;

use super::event::{Event, Fate};
use super::player::{ParsedCommand, Running};
use super::world::World;

impl World {
    /// Takes a line that came from a player.
    pub(super) fn submit(&mut self, id: PlayerId, command: ParsedCommand) {
        if !self.player(id).counts() {
            return;
        }
        let (now, player) = (self.now, self.player(id));
        if self.rules().answers_at_once && !player.frozen && self.rules().takes_no_time(&command) {
            self.player_mut(id).end_silence(now);
            self.begin(id, command);
            return self.advance(id);
        }
        // How many commands count besides the waiting ones.
        let (counted, verb) = if self.rules().running_counts {
            (usize::from(self.player(id).agenda().running.is_some() || self.initiates(id)), "wait or run")
        } else {
            (0, "wait")
        };
        let player = self.player_mut(id);
        if player.agenda().queue.len() + counted >= QUEUE_LIMIT {
            player.tally.dropped = player.tally.dropped.saturating_add(1);
            let why = format!("dropped: {QUEUE_LIMIT} commands {verb} already").into();
            return self.emit(Event::Dropped(id, why));
        }
        player.end_silence(now);
        player.agenda_mut().queue.push_back(command);
        self.advance(id);
    }

    /// A player's client sends nothing more. Of the commands that wait, only those that change nothing are still begun.
    pub(super) fn end_input(&mut self, id: PlayerId) {
        let now = self.now;
        let leaves_at_once = self.rules().leaves_at_once || self.player(id).frozen && !self.initiates(id);
        if leaves_at_once {
            return self.remove_player(id, Fate::Left);
        }
        let player = self.player_mut(id);
        player.end_silence(now);
        player.leaving = true;
        player.agenda_mut().queue.retain(|command| {
            matches!(command, Ok(Command::Look | Command::Inventory | Command::ConnectNbr) | Err(_))
        });
        self.advance(id);
    }

    /// Begins the player's next commands, as far as it is free to.
    pub(super) fn advance(&mut self, id: PlayerId) {
        while self.player(id).is_free() && !self.over {
            let Some(command) = self.player_mut(id).agenda_mut().queue.pop_front() else { break };
            self.begin(id, command);
        }
        // When its client sends nothing more, a player leaves as soon as all its commands are answered.
        let player = self.player(id);
        let agenda = player.agenda();
        let waits = agenda.running.is_some() || !agenda.queue.is_empty() || self.initiates(id);
        if player.is_alive() && player.leaving && !waits {
            self.remove_player(id, Fate::Left);
        }
        let now = self.now;
        let player = self.player_mut(id);
        if player.is_free() && !player.leaving {
            player.idle_since.get_or_insert(now);
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
            (_, Ok(Command::Incantation)) => {
                let player = self.player(id);
                if let Err(why) = self.begin_incantation(player.at, player.level, Some(id)) {
                    self.refuse(id, why);
                }
            }
            _ if self.rules().takes_no_time(&command) => self.execute(id, command),
            (Some(kind), _) => {
                if command == Ok(Command::Fork) {
                    self.publish(Message::Laying(id));
                }
                let due = self.now + kind.cost();
                self.player_mut(id).agenda_mut().running = Some(Running { command, due, suspended: None });
                self.plan_command(id, due);
            }
            (None, _) => {}
        }
    }

    /// A player's entry in the schedule is due: its command ends, or it may go on after an incantation.
    pub(super) fn command_due(&mut self, id: PlayerId, generation: u32) {
        let player = self.player_mut(id);
        if !player.is_alive() || player.generation != generation {
            return;
        }
        if let Some(running) = player.agenda_mut().running.take() {
            self.execute(id, running.command);
        }
        if self.player(id).is_alive() {
            self.advance(id);
        }
    }

    fn execute(&mut self, id: PlayerId, command: ParsedCommand) {
        match command {
            Ok(command) => self.carry_out(id, &command),
            Err(bad) => self.refuse(id, bad.to_string()),
        }
    }
}
