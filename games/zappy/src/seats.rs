//! Inputs from seats: logins, players' lines and observers' requests.
//!
//! The lobby knows the role of each seat. Tested by the transcripts `handshake*` and by the sessions in
//! `protocol.md`.

use std::num::NonZeroU32;

use zappy_protocol::Position;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::observer::{BadRequest, Message, Request};
use zappy_protocol::zappy::player::BadCommand;

use super::Zappy;
use super::event::Fate;
use super::player::Player;
use super::spawn::MOST_PLAYERS;
use super::world::World;
use zappy_game::config::{Clock, Observers};
use zappy_game::lobby::Taken;
use zappy_game::{Input, Line, Output, SeatId};

impl Zappy {
    pub(super) fn take_in(&mut self, seat: SeatId, input: Input<'_>) {
        if input == Input::End && self.lobby.watches(seat) && !self.world.rules().half_closed_observers_stay {
            return self.lobby.close(seat, "it sends nothing more");
        }
        match self.lobby.take_in(seat, input) {
            Taken::Done | Taken::Player(_, _, Input::Open) => {}
            Taken::Login(seat, team) => self.log_in(seat, team),
            Taken::Request(seat, line) => self.request(seat, line),
            Taken::Console(line) => self.console(line),
            Taken::Player(seat, player, Input::Line(line)) => {
                let rules = self.world.rules();
                let command = rules.command(line);
                if command == Err(BadCommand::Unknown) {
                    let if_unknown = |short: Vec<u8>| (rules.command(&short) == command).then_some(short);
                    self.lobby.shorten(seat, line, if_unknown);
                }
                self.world.submit(player, command);
            }
            Taken::Player(_, player, Input::Overflow) => self.world.submit(player, Err(BadCommand::TooLong)),
            Taken::Player(_, player, Input::End) => self.world.end_input(player),
            Taken::Player(_, player, Input::Closed) => self.world.remove_player(player, Fate::Left),
            Taken::Player(_, player, Input::Expelled(_)) => self.world.remove_player(player, Fate::Expelled),
        }
    }

    fn log_in(&mut self, seat: SeatId, team: usize) {
        let Some(player) = self.world.hatch(team) else {
            let full = self.world.players.len() >= MOST_PLAYERS;
            let why = if full { "the match has had its most players" } else { "the team has no free slot" };
            return self.lobby.refuse(seat, why);
        };
        self.seats.push(seat);
        self.lobby.admit(seat, player, self.greeting(team));
    }

    /// The lines that a player reads when it is let in: how many slots its team has left, and the map's size.
    pub(super) fn greeting(&self, team: usize) -> [Line; 2] {
        [Line::of(self.world.free_slots(team)), Line::of(self.world.map.size)]
    }

    fn request(&mut self, seat: SeatId, line: Option<&[u8]>) {
        let reads_leading = self.world.rules().leading_digits;
        let parse = if reads_leading { Request::parse_leading } else { Request::parse };
        match line.map_or(Err(BadRequest::Unknown), parse) {
            Ok(request) => self.answer(seat, request),
            Err(BadRequest::Unknown) => self.send_message(seat, &Message::UnknownRequest),
            Err(BadRequest::Parameter) => self.send_message(seat, &Message::BadParameter),
        }
    }

    fn answer(&mut self, seat: SeatId, request: Request) {
        let size = self.world.map.size;
        let message = match request {
            Request::MapSize => Some(Message::MapSize(size)),
            Request::Rate => Some(Message::Rate(self.lobby.rate().get())),
            Request::Tile { x, y } => {
                let at = u16::try_from(x).ok().zip(u16::try_from(y).ok()).map(|(x, y)| Position { x, y });
                let at = at.filter(|&at| size.contains(at));
                at.map(|at| Message::Tile { at, resources: self.world.map.tile(at).resources })
            }
            Request::PlayerPosition(player) => self
                .world
                .living_player(player)
                .map(|p| Message::PlayerPosition { player, at: p.at, orientation: p.orientation }),
            Request::PlayerLevel(id) => {
                self.world.living_player(id).map(|p| Message::PlayerLevel { player: id, level: p.level })
            }
            Request::PlayerInventory(id) => self.world.living_player(id).map(|p| inventory_message(id, p)),
            Request::AllTiles => return self.send_all(seat, World::tile_lines),
            Request::Teams => return self.send_all(seat, World::team_lines),
            Request::SetRate(rate) => {
                let most = self.world.rules().most_requested_rate;
                let wanted = NonZeroU32::new(rate).filter(|rate| rate.get() <= most);
                // Only observers that may control the match change it, and never in lockstep.
                let config = &self.world.config;
                let is_free = config.clock == Clock::Real && config.observers == Observers::Control;
                match wanted.filter(|_| is_free) {
                    Some(rate) => {
                        let line = Line::new(format!("sst {rate}").into_bytes());
                        self.lobby.push(Output::AsConsole(line));
                        return self.set_rate(rate, false);
                    }
                    None => None,
                }
            }
        };
        self.send_message(seat, &message.unwrap_or(Message::BadParameter));
    }

    fn send_all(&mut self, seat: SeatId, list: fn(&World, &mut Vec<Line>)) {
        let mut lines = Vec::new();
        list(&self.world, &mut lines);
        for line in lines {
            self.lobby.push(Output::Send(seat, line));
        }
    }
}

pub(super) fn inventory_message(player: PlayerId, p: &Player) -> Message {
    Message::PlayerInventory { player, at: p.at, inventory: p.inventory }
}
