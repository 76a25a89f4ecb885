//! Who sits where: the handshake, the players' lines, the observers' requests.
//!
//! Turns what comes from a seat into what the world understands. Tested by the transcripts `handshake_*` and
//! `observer_*`.

use zappy_protocol::constants::OBSERVER_NAME;
use zappy_protocol::observer::{BadRequest, Message, Request};
use zappy_protocol::player::{BadCommand, Command, Response};
use zappy_protocol::{PlayerId, Position};

use super::Zappy;
use super::event::{Ending, Event};
use super::player::Player;
use super::world::World;
use crate::config::{Clock, MAX_FREQUENCY};
use crate::game::{Input, Line, Output, SeatId};

/// What a seat is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It has not named itself yet.
    Unnamed,
    /// It plays.
    Player(PlayerId),
    /// It watches.
    Observer,
}

impl Zappy {
    pub(super) fn take_in(&mut self, seat: SeatId, input: Input<'_>) {
        if seat == SeatId::CONSOLE {
            return match input {
                Input::Line(line) => self.console(line),
                Input::Overflow => self.refuse_console(BadCommand::TooLong.to_string()),
                Input::Open | Input::End | Input::Closed | Input::Expelled(_) => {}
            };
        }
        if input == Input::Open {
            self.seats.insert(seat, Role::Unnamed);
            return self.encoder.send(seat, &Response::Welcome);
        }
        match self.seats.get(&seat).copied() {
            None => {}
            Some(Role::Unnamed) => self.handshake(seat, input),
            Some(Role::Player(player)) => self.player_input(seat, player, input),
            Some(Role::Observer) => self.observer_input(seat, input),
        }
    }

    fn handshake(&mut self, seat: SeatId, input: Input<'_>) {
        match input {
            Input::Line(line) => {
                if let Err(why) = self.log_in(seat, line.trim_ascii()) {
                    self.refuse_login(seat, why);
                }
            }
            Input::Overflow => self.refuse_login(seat, BadCommand::TooLong.to_string()),
            Input::End => {
                self.seats.remove(&seat);
                self.encoder.push(Output::Close(seat, "it left without naming a team".into()));
            }
            Input::Closed | Input::Expelled(_) | Input::Open => {
                self.seats.remove(&seat);
            }
        }
    }

    fn refuse_login(&mut self, seat: SeatId, why: String) {
        self.encoder.send(seat, &Response::Ko);
        self.encoder.push(Output::Why(seat, why.into()));
    }

    fn log_in(&mut self, seat: SeatId, name: &[u8]) -> Result<(), String> {
        if name == OBSERVER_NAME.as_bytes() {
            self.log_in_observer(seat);
            return Ok(());
        }
        let teams = &self.world.teams;
        let team = teams.iter().position(|team| team.name.as_str().as_bytes() == name).ok_or_else(|| {
            let names: Vec<&str> = teams.iter().map(|team| team.name.as_str()).collect();
            format!("no such team; the teams are {}", names.join(", "))
        })?;
        let player = self.world.hatch(team).ok_or("the team has no free slot")?;
        self.encoder.seats.push(seat);
        self.seats.insert(seat, Role::Player(player));
        self.encoder.push(Output::Admit(seat));
        self.encoder.send(seat, &Response::Slots(self.world.free_slots(team)));
        self.encoder.send(seat, &Response::MapSize(self.world.map.size));
        Ok(())
    }

    fn log_in_observer(&mut self, seat: SeatId) {
        self.seats.insert(seat, Role::Observer);
        self.observers += 1;
        self.encoder.publishing = true;
        self.encoder.push(Output::Subscribe(seat));
    }

    fn player_input(&mut self, seat: SeatId, player: PlayerId, input: Input<'_>) {
        match input {
            Input::Line(line) => self.world.submit(player, Command::parse(line)),
            Input::Overflow => self.world.submit(player, Err(BadCommand::TooLong)),
            Input::End => self.world.end_input(player),
            Input::Closed => {
                self.seats.remove(&seat);
                self.world.remove_player(player, Ending::Left);
            }
            Input::Expelled(why) => {
                self.expulsion = Some(why.to_owned().into());
                self.world.remove_player(player, Ending::Expelled);
            }
            Input::Open => {}
        }
    }

    fn observer_input(&mut self, seat: SeatId, input: Input<'_>) {
        match input {
            Input::Line(line) => match Request::parse(line) {
                Ok(request) => self.answer(seat, request),
                Err(BadRequest::Unknown) => self.encoder.send_message(seat, &Message::UnknownRequest),
                Err(BadRequest::Parameter) => self.encoder.send_message(seat, &Message::BadParameter),
            },
            Input::Overflow => self.encoder.send_message(seat, &Message::UnknownRequest),
            // Whoever sends nothing more may still watch.
            Input::End | Input::Open => {}
            Input::Closed | Input::Expelled(_) => {
                self.seats.remove(&seat);
                self.observers -= 1;
                self.encoder.publishing = self.observers > 0 || self.world.config.always_publish;
            }
        }
    }

    fn answer(&mut self, seat: SeatId, request: Request) {
        let size = self.world.map.size;
        let message = match request {
            Request::MapSize => Some(Message::MapSize(size)),
            Request::Rate => Some(Message::Rate(self.rate.get())),
            Request::Tile { x, y } => self.tile_message(x, y),
            Request::PlayerPosition(id) => self.world.living_player(id).map(|p| position_message(id, p)),
            Request::PlayerLevel(id) => {
                self.world.living_player(id).map(|p| Message::PlayerLevel { player: id, level: p.level })
            }
            Request::PlayerInventory(id) => self.world.living_player(id).map(|p| carries_message(id, p)),
            Request::AllTiles => return self.send_all(seat, World::tile_lines),
            Request::Teams => return self.send_all(seat, World::team_lines),
            Request::SetRate(rate) => return self.set_rate_for(seat, rate),
        };
        self.encoder.send_message(seat, &message.unwrap_or(Message::BadParameter));
    }

    fn tile_message(&self, x: u32, y: u32) -> Option<Message> {
        let at = Position { x: u16::try_from(x).ok()?, y: u16::try_from(y).ok()? };
        let there = self.world.map.size.contains(at);
        there.then(|| Message::Tile { at, resources: self.world.map.tile(at).resources })
    }

    fn send_all(&mut self, seat: SeatId, list: fn(&World, &mut Vec<Line>)) {
        let mut lines = Vec::new();
        list(&self.world, &mut lines);
        for line in lines {
            self.encoder.push(Output::Send(seat, line));
        }
    }

    fn set_rate_for(&mut self, seat: SeatId, rate: u32) {
        // In lockstep who watches has no part in the match.
        let free = self.world.config.clock == Clock::Real;
        let wanted = std::num::NonZeroU32::new(rate).filter(|rate| free && rate.get() <= MAX_FREQUENCY);
        let Some(rate) = wanted else {
            return self.encoder.send_message(seat, &Message::BadParameter);
        };
        self.encoder.push(Output::AsConsole(Line::new(format!("/setFreq {rate}").into_bytes())));
        self.set_rate(rate);
    }

    /// Another frequency for everybody; running times keep their ticks.
    pub(super) fn set_rate(&mut self, rate: std::num::NonZeroU32) {
        self.rate = rate;
        self.world.emit(Event::RateChanged { rate: rate.get() });
        self.tell_rate();
    }

    /// Tells the clock how fast time runs now.
    pub(super) fn tell_rate(&mut self) {
        let runs = self.started && !self.paused;
        self.encoder.push(Output::SetTickRate(runs.then_some(self.rate)));
    }
}

pub(super) fn position_message(player: PlayerId, p: &Player) -> Message {
    Message::PlayerPosition { player, at: p.at, orientation: p.orientation }
}

pub(super) fn carries_message(player: PlayerId, p: &Player) -> Message {
    Message::PlayerInventory { player, at: p.at, inventory: p.inventory }
}
