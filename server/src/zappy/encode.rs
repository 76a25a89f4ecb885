//! Events to lines: what players read, what observers read, and the reasons for records.
//!
//! The only place that knows both what happened and how the dialects say it. Each message is encoded once, and
//! not at all when nobody watches or records. Tested by the transcripts.

use std::collections::VecDeque;

use zappy_protocol::observer::Message;
use zappy_protocol::player::{Response, write_look};
use zappy_protocol::{PlayerId, Text};

use super::event::{Ending, Event};
use crate::game::{Line, Output, SeatId, Words};

/// A response as a line.
pub(super) fn response_line(response: &Response) -> Line {
    let mut text = Vec::new();
    response.write(&mut text);
    Line::new(text)
}

/// A message as a line.
pub(super) fn message_line(message: &Message) -> Line {
    let mut text = Vec::new();
    message.write(&mut text);
    Line::new(text)
}

/// Turns events into outputs.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    outputs: VecDeque<Output>,
    /// The seat of each player, by number.
    pub(super) seats: Vec<SeatId>,
    /// Whether anybody watches or records.
    pub(super) publishing: bool,
    /// Lines published so far.
    pub(super) published: u64,
}

impl Encoder {
    pub(super) fn pop(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub(super) fn push(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    pub(super) fn send(&mut self, seat: SeatId, response: &Response) {
        self.push(Output::Send(seat, response_line(response)));
    }

    pub(super) fn send_message(&mut self, seat: SeatId, message: &Message) {
        self.push(Output::Send(seat, message_line(message)));
    }

    fn tell(&mut self, player: PlayerId, response: &Response) {
        self.send(self.seat(player), response);
    }

    fn seat(&self, player: PlayerId) -> SeatId {
        self.seats[player.0 as usize]
    }

    fn why(&mut self, player: PlayerId, why: Words) {
        self.push(Output::Why(self.seat(player), why));
    }

    fn publish(&mut self, message: &Message) {
        if self.publishing {
            self.published += 1;
            self.push(Output::Publish(message_line(message)));
        }
    }

    /// What an event means for players and observers.
    pub(super) fn encode(&mut self, event: Event) {
        match event {
            Event::Joined { .. } => self.encode_joined(event),
            Event::Gone { player, how } => self.encode_gone(player, how),
            Event::Done { player } => self.tell(player, &Response::Ok),
            Event::Refused { player, why } => {
                self.tell(player, &Response::Ko);
                self.why(player, why);
            }
            Event::Dropped { player, why } => self.why(player, why),
            Event::Looked { player, sights } => {
                let mut text = Vec::new();
                write_look(sights.into_iter(), &mut text);
                self.push(Output::Send(self.seat(player), Line::new(text)));
            }
            Event::Counted { player, inventory } => self.tell(player, &Response::Inventory(inventory)),
            Event::SlotsTold { player, slots } => self.tell(player, &Response::Slots(slots)),
            Event::Heard { text, listeners } => self.encode_heard(&text, &listeners),
            Event::Pushed { player, from } => self.tell(player, &Response::Eject(from)),
            Event::Began { at, level, players, .. } => {
                for &player in &players {
                    self.tell(player, &Response::ElevationUnderway);
                }
                self.publish(&Message::IncantationBegan { at, level, players });
            }
            Event::Rose { player, level } => {
                self.tell(player, &Response::CurrentLevel(level));
                self.publish(&Message::PlayerLevel { player, level });
            }
            Event::Over { verdict, winner } => match winner {
                Some(team) => self.publish(&Message::Won(team)),
                None => self.announce(&format!("the match ended without a winner: {}", verdict.reason)),
            },
            _ => self.encode_shown(event),
        }
    }

    /// There are but nine lines, however many listen.
    fn encode_heard(&mut self, text: &Text, listeners: &[(PlayerId, u8)]) {
        let mut lines: [Option<Line>; 9] = Default::default();
        for &(player, direction) in listeners {
            let make = || response_line(&Response::Message { direction, text: text.clone() });
            let line = lines[usize::from(direction) % 9].get_or_insert_with(make).clone();
            self.push(Output::Send(self.seat(player), line));
        }
    }

    fn announce(&mut self, text: &str) {
        self.publish(&Message::Server(Text::new(text.as_bytes())));
    }

    /// What only observers are told.
    fn encode_shown(&mut self, event: Event) {
        let message = match event {
            Event::Moved { player, at, orientation } => Message::PlayerPosition { player, at, orientation },
            Event::Carries { player, at, inventory } => Message::PlayerInventory { player, at, inventory },
            Event::TileChanged { at, resources } => Message::Tile { at, resources },
            Event::Took { player, resource } => Message::Took { player, resource },
            Event::PutDown { player, resource } => Message::Dropped { player, resource },
            Event::Spoke { player, text } => Message::Broadcast { player, text },
            Event::PushedAll { player } => Message::Ejected(player),
            Event::Laying { player } => Message::Laying(player),
            Event::Laid { egg, layer, at } => Message::EggLaid { egg, layer, at },
            Event::Broken { egg } => Message::EggDestroyed(egg),
            Event::LevelSet { player, level } => Message::PlayerLevel { player, level },
            Event::Ended { at, success, .. } => Message::IncantationEnded { at, success },
            Event::RateChanged { rate } => Message::Rate(rate),
            Event::Announced { text } => Message::Server(text),
            _ => return,
        };
        self.publish(&message);
    }

    fn encode_joined(&mut self, event: Event) {
        let Event::Joined { player, at, orientation, level, team, inventory, egg, .. } = event else {
            return;
        };
        self.publish(&Message::PlayerJoined { player, at, orientation, level, team });
        self.publish(&Message::PlayerInventory { player, at, inventory });
        self.publish(&Message::EggHatched(egg));
    }

    fn encode_gone(&mut self, player: PlayerId, how: Ending) {
        if !matches!(how, Ending::Left | Ending::Expelled) {
            self.tell(player, &Response::Dead);
        }
        self.publish(&Message::Died(player));
    }
}
