//! Events to lines: what players read, what observers read, and the reasons for records.
//!
//! Each message is encoded once, and not at all without an observer or a record. Tested by the transcripts.

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::Response;

use super::Zappy;
use super::event::Event;
use zappy_game::{Line, Output, SeatId, Words};

/// Bytes that a line has room for before it grows: most lines are shorter.
const USUAL_LINE_BYTES: usize = 64;
/// Capacity that the buffer keeps for the next line, in bytes; what a longer line took beyond that is given back.
const KEPT_BYTES: usize = 4 << 10;

/// The line that `write` appends to a buffer. The buffer is used again and again, so that a line takes a single allocation.
fn compose_line(buffer: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Line {
    buffer.clear();
    buffer.shrink_to(KEPT_BYTES);
    write(buffer);
    buffer.push(b'\n');
    Line::together(buffer)
}

/// A message as a line.
pub(super) fn message_line(message: &Message) -> Line {
    let mut text = Vec::with_capacity(USUAL_LINE_BYTES);
    message.write(&mut text);
    Line::new(text)
}

impl Zappy {
    pub(super) fn send_message(&mut self, seat: SeatId, message: &Message) {
        let line = compose_line(&mut self.buffer, |out| message.write(out));
        self.lobby.push(Output::Send(seat, line));
    }

    pub(super) fn seat(&self, player: PlayerId) -> SeatId {
        self.seats[player.0 as usize]
    }

    fn respond(&mut self, player: PlayerId, response: &Response) {
        let style = self.world.rules().list_style;
        let line = compose_line(&mut self.buffer, |out| match response {
            Response::Look(sights) => style.write_look(sights.iter().copied(), out),
            Response::Inventory(inventory) => style.write_inventory(inventory, out),
            _ => response.write(out),
        });
        self.lobby.push(Output::Send(self.seat(player), line));
    }

    fn give_reason(&mut self, player: PlayerId, why: Words) {
        self.lobby.push(Output::Why(self.seat(player), why));
    }

    /// Makes the lines of an event, for players and observers.
    pub(super) fn encode(&mut self, event: Event) {
        match event {
            Event::Published(message) | Event::Incantation(_, message) => {
                self.lobby.publish(|| compose_line(&mut self.buffer, |out| message.write(out)));
            }
            Event::Withheld(message) => {
                self.lobby.withhold(|| compose_line(&mut self.buffer, |out| message.write(out)));
            }
            Event::Responded(player, response) => self.respond(player, &response),
            Event::Refused(player, why) => {
                self.respond(player, &Response::Ko);
                self.give_reason(player, why);
            }
            Event::Dropped(player, why) => {
                self.lobby.push(Output::Instead(self.seat(player), None));
                self.give_reason(player, why);
            }
            Event::Heard { text, listeners } => {
                // At most nine lines, one for each direction, however many players listen.
                let mut lines: [Option<Line>; 9] = Default::default();
                for (player, direction) in listeners {
                    let message = || Response::Message { direction, text: text.clone() };
                    let make = || compose_line(&mut self.buffer, |out| message().write(out));
                    let line = lines[usize::from(direction) % 9].get_or_insert_with(make).clone();
                    self.lobby.push(Output::Send(self.seat(player), line));
                }
            }
            Event::Gone(player, how) => self.lobby.close(self.seat(player), how.reason()),
            Event::Over(verdict) => self.verdict = Some(verdict),
        }
    }
}
