//! One of our players at the end of a wire.
//!
//! Keeps to the contract that `zappy_ai::client` keeps over a socket: whoever opens the connection of an egg sends
//! first what it has to say, and says and reads nothing more before `WELCOME` was read there. Decides nothing
//! about the game. Tested through `hall` and, byte for byte against real processes, in `tests/in_process.rs`.

use zappy_ai::agent::{Action, Agent, Setup};
use zappy_protocol::line::{Decoded, LineDecoder};

use super::wire::Wire;

/// The longest line that is kept, as in `zappy_ai`: a view of many tiles with a crowd on each.
const LINE_LIMIT: usize = 1 << 20;

/// What a player wants after its turn.
#[derive(Debug)]
pub enum Wish {
    /// Nothing but to read on.
    Nothing,
    /// A connection for an agent made from this; the player waits for its greeting.
    Child(Box<Setup>),
}

/// A player.
pub struct Player {
    /// Its connection.
    pub wire: Wire,
    /// Who waits for its greeting.
    pub parent: Option<usize>,
    decoder: LineDecoder,
    agent: Agent,
    /// Whether it waits for a child's greeting.
    waits: bool,
    /// Whether it has read anything.
    greeted: bool,
    /// Whether it has said anything, or left, since that was asked last.
    spoke: bool,
}

impl Player {
    /// A player that hasn't read anything yet.
    pub fn new(setup: Setup, parent: Option<usize>) -> Player {
        Player {
            wire: Wire::default(),
            parent,
            decoder: LineDecoder::new(LINE_LIMIT),
            agent: Agent::new(setup),
            waits: false,
            greeted: false,
            spoke: false,
        }
    }

    /// Whether the one who waits for its greeting needn't any more.
    pub fn is_settled(&self) -> bool {
        self.greeted || self.wire.pipe().is_left()
    }

    /// Whether it has said anything, or left, since this was asked last.
    pub fn has_spoken(&mut self) -> bool {
        std::mem::take(&mut self.spoke)
    }

    /// Its child was greeted, or never will be.
    pub fn go_on(&mut self) {
        self.waits = false;
    }

    /// Its connection was refused.
    pub fn leave(&mut self) {
        self.wire.pipe_mut().leave();
        self.spoke = true;
    }

    /// Reads what there is and does what the agent wants.
    pub fn play(&mut self) -> Wish {
        if self.waits || self.wire.pipe().is_left() {
            return Wish::Nothing;
        }
        self.read();
        let mut bytes = Vec::new();
        while let Some(action) = self.agent.poll_action() {
            match action {
                Action::Send(line) => {
                    bytes.extend_from_slice(&line);
                    bytes.push(b'\n');
                }
                Action::Connect(setup) => {
                    self.say(&bytes);
                    self.waits = true;
                    return Wish::Child(setup);
                }
            }
        }
        self.say(&bytes);
        if self.agent.end().is_some() || self.wire.pipe().ended {
            self.leave();
        }
        Wish::Nothing
    }

    fn read(&mut self) {
        let bytes = std::mem::take(&mut self.wire.pipe_mut().down);
        self.decoder.push(&bytes);
        while let Some(line) = self.decoder.next_line() {
            self.greeted = true;
            match line {
                Decoded::Line(line) => self.agent.handle_line(line),
                Decoded::Overflow => self.agent.handle_overflow(),
            }
        }
    }

    fn say(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.wire.pipe_mut().say(bytes);
            self.spoke = true;
        }
    }
}
