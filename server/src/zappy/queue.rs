//! A player's commands: taken in, begun, suspended, ended, one at a time and in their order.
//!
//! Decides when a command takes effect; what the effect is stands in `commands` and `incantation`. Tested by
//! the transcripts `queue_*`, `suspension_*` and `ties_*`.

use zappy_protocol::constants::QUEUE_LIMIT;
use zappy_protocol::player::{Command, CommandKind};
use zappy_protocol::{PlayerId, Tick};

use super::event::{Ending, Event};
use super::player::{Request, Running};
use super::world::World;

impl World {
    /// A line came from a player.
    pub(super) fn submit(&mut self, id: PlayerId, request: Request) {
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
        player.queue.push_back(request);
        self.advance(id);
    }

    /// A player's client sends nothing more.
    pub(super) fn end_input(&mut self, id: PlayerId) {
        self.player_mut(id).leaving = true;
        self.advance(id);
    }

    /// Begins what a player may begin.
    pub(super) fn advance(&mut self, id: PlayerId) {
        while self.player(id).free() && !self.over {
            let Some(request) = self.player_mut(id).queue.pop_front() else { break };
            self.begin(id, request);
        }
        self.leave_when_done(id);
        let now = self.now;
        let player = self.player_mut(id);
        if player.free() {
            player.idle_since.get_or_insert(now);
        }
    }

    /// A client that half-closed is owed its answers, then the player goes.
    fn leave_when_done(&mut self, id: PlayerId) {
        let player = self.player(id);
        let waits = player.running.is_some() || !player.queue.is_empty() || self.initiates(id);
        if player.alive() && player.leaving && !waits {
            self.remove_player(id, Ending::Left);
        }
    }

    fn begin(&mut self, id: PlayerId, request: Request) {
        let kind = match &request {
            Ok(command) => Some(command.kind()),
            Err(bad) => bad.kind(),
        };
        self.count(id, kind);
        match (kind, &request) {
            (None, Err(bad)) => self.refuse(id, bad.to_string()),
            (_, Ok(Command::Incantation)) => {
                if let Err(why) = self.begin_incantation(id) {
                    self.refuse(id, why);
                }
            }
            (Some(kind), _) if kind.cost() == 0 => self.execute(id, request),
            (Some(kind), _) => {
                if request == Ok(Command::Fork) {
                    self.emit(Event::Laying { player: id });
                }
                let due = self.now + kind.cost();
                self.player_mut(id).running = Some(Running { request, due, suspended: None });
                self.plan_command(id, due);
            }
            (None, Ok(_)) => {}
        }
    }

    fn count(&mut self, id: PlayerId, kind: Option<CommandKind>) {
        let tally = &mut self.player_mut(id).tally;
        match kind {
            Some(kind) => tally.commands[kind as usize] += 1,
            None => tally.unknown += 1,
        }
    }

    /// A player's entry in the schedule is due: its command ends, or it may go on after an incantation.
    pub(super) fn command_due(&mut self, id: PlayerId, generation: u32) {
        let player = self.player_mut(id);
        if !player.alive() || player.generation != generation {
            return;
        }
        if let Some(running) = player.running.take() {
            self.execute(id, running.request);
        }
        if self.player(id).alive() {
            self.advance(id);
        }
    }

    fn execute(&mut self, id: PlayerId, request: Request) {
        match request {
            Ok(command) => self.carry_out(id, &command),
            Err(bad) => self.refuse(id, bad.to_string()),
        }
    }

    /// Answers `ko`, with the reason for those who read the record.
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
