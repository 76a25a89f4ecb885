//! Events to lines: what players read, what observers read, and the reasons for records.
//!
//! The only place that knows both the events and the dialects. Each message is encoded once, and not at all without an observer
//! or a record. Tested by the transcripts.

use zappy_protocol::Text;
use zappy_protocol::published::NO_WINNER;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::Response;

use super::Zappy;
use super::event::{Event, Fate};
use zappy_game::{Line, Output, SeatId, Words};

/// Bytes for which a line has room before it grows: most are shorter.
const USUAL_LINE: usize = 64;
/// Bytes that a buffer keeps for the next line.
const KEPT: usize = 4 << 10;

/// The line that `write` appends to a buffer. The buffer is used again and again, so that a line takes a single allocation.
fn line(buffer: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Line {
    buffer.clear();
    buffer.shrink_to(KEPT);
    write(buffer);
    buffer.push(b'\n');
    Line::together(buffer)
}

/// A message as a line.
pub(super) fn message_line(message: &Message) -> Line {
    let mut text = Vec::with_capacity(USUAL_LINE);
    message.write(&mut text);
    Line::new(text)
}

impl Zappy {
    pub(super) fn send(&mut self, seat: SeatId, response: &Response) {
        let line = line(&mut self.buffer, |out| response.write(out));
        self.lobby.push(Output::Send(seat, line));
    }

    pub(super) fn send_message(&mut self, seat: SeatId, message: &Message) {
        let line = line(&mut self.buffer, |out| message.write(out));
        self.lobby.push(Output::Send(seat, line));
    }

    pub(super) fn seat(&self, player: PlayerId) -> SeatId {
        self.seats[player.0 as usize]
    }

    fn respond(&mut self, player: PlayerId, response: &Response) {
        self.send(self.seat(player), response);
    }

    fn why(&mut self, player: PlayerId, why: Words) {
        self.lobby.push(Output::Why(self.seat(player), why));
    }

    fn publish(&mut self, message: &Message) {
        self.lobby.publish(|| line(&mut self.buffer, |out| message.write(out)));
    }

    /// Publishes a message, or withholds it from observers: then a full record alone keeps it.
    fn publish_if(&mut self, published: bool, message: &Message) {
        if published {
            self.publish(message);
        } else {
            self.lobby.withhold(|| line(&mut self.buffer, |out| message.write(out)));
        }
    }

    /// Makes the lines of an event, for players and observers.
    pub(super) fn encode(&mut self, event: Event) {
        match event {
            Event::Joined { player, at, orientation, level, team, inventory, egg } => {
                self.publish(&Message::PlayerJoined { player, at, orientation, level, team });
                self.publish(&Message::PlayerInventory { player, at, inventory });
                self.publish(&Message::EggHatched(egg));
            }
            Event::Gone { player, how } => {
                if !matches!(how, Fate::Left | Fate::Expelled) {
                    self.respond(player, &Response::Dead);
                }
                self.publish(&Message::Died(player));
                self.lobby.close(self.seat(player), how.reason());
            }
            Event::Done { player } => self.respond(player, &Response::Ok),
            Event::Refused { player, why } => {
                self.respond(player, &Response::Ko);
                self.why(player, why);
            }
            Event::Dropped { player, why } => {
                self.lobby.push(Output::Instead(self.seat(player), None));
                self.why(player, why);
            }
            Event::Looked { player, sights } => {
                let style = self.world.rules().list_style;
                let line = line(&mut self.buffer, |out| style.write_look(sights.into_iter(), out));
                self.lobby.push(Output::Send(self.seat(player), line));
            }
            Event::Counted { player, inventory } => {
                let style = self.world.rules().list_style;
                let line = line(&mut self.buffer, |out| style.write_inventory(&inventory, out));
                self.lobby.push(Output::Send(self.seat(player), line));
            }
            Event::SlotsCounted { player, slots } => self.respond(player, &Response::Slots(slots)),
            Event::Moved { player, at, orientation } => {
                self.publish(&Message::PlayerPosition { player, at, orientation });
            }
            Event::Carries { player, at, inventory } => {
                self.publish(&Message::PlayerInventory { player, at, inventory });
            }
            Event::TileChanged { at, resources } => self.publish(&Message::Tile { at, resources }),
            Event::Refilled { at, resources } => {
                let published = self.world.rules().publishes_refill;
                self.publish_if(published, &Message::Tile { at, resources });
            }
            Event::Took { player, resource } => self.publish(&Message::Took { player, resource }),
            Event::PutDown { player, resource } => self.publish(&Message::Dropped { player, resource }),
            Event::Spoke { player, text } => self.publish(&Message::Broadcast { player, text }),
            Event::Heard { text, listeners } => self.encode_heard(&text, &listeners),
            Event::Pushed { player, from } => self.respond(player, &Response::Eject(from)),
            Event::PushedAll { player } => self.publish(&Message::Ejected(player)),
            Event::Laying { player } => self.publish(&Message::Laying(player)),
            Event::Laid { egg, layer, at } => self.publish(&Message::EggLaid { egg, layer, at }),
            Event::Broken { egg } => self.publish(&Message::EggDestroyed(egg)),
            Event::Began { at, level, players, .. } => {
                for &player in &players {
                    self.respond(player, &Response::ElevationUnderway);
                }
                self.publish(&Message::IncantationBegan { at, level, players });
            }
            Event::Rose { player, level } => {
                self.respond(player, &Response::CurrentLevel(level));
                self.publish(&Message::PlayerLevel { player, level });
            }
            Event::LevelSet { player, level } => self.publish(&Message::PlayerLevel { player, level }),
            Event::Ended { at, success, .. } => self.publish(&Message::IncantationEnded { at, success }),
            Event::RateChanged { rate, by_console } => {
                let published = !by_console || self.world.rules().publishes_console_rate;
                self.publish_if(published, &Message::Rate(rate));
            }
            Event::Announced { text } => self.publish(&Message::Server(text)),
            Event::Over { verdict, winner } => {
                self.publish(&winner.map_or_else(
                    || {
                        let text = format!("{NO_WINNER}{}", verdict.reason);
                        Message::Server(Text::new(text.as_bytes()))
                    },
                    Message::Won,
                ));
                self.verdict = Some(verdict);
            }
        }
    }

    /// Makes at most nine lines, one for each direction, however many players listen.
    fn encode_heard(&mut self, text: &Text, listeners: &[(PlayerId, u8)]) {
        let mut lines: [Option<Line>; 9] = Default::default();
        for &(player, direction) in listeners {
            let message = || Response::Message { direction, text: text.clone() };
            let make = || line(&mut self.buffer, |out| message().write(out));
            let line = lines[usize::from(direction) % 9].get_or_insert_with(make).clone();
            self.lobby.push(Output::Send(self.seat(player), line));
        }
    }
}
