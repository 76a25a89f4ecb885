//! One agent at the end of a wire.
//!
//! Keeps to the contract that `zappy_ai::client` keeps over a socket: before a child's connection is opened the parent
//! sends all it has to say, and it neither sends nor reads anything more until the child has read its first line.
//! Decides nothing about the game. Tested through `in_process` and, byte for byte against real processes, in
//! `arena/cli/tests/in_process.rs`.

use zappy_ai::agent::{Action, Agent, AgentState};
use zappy_protocol::line::LineDecoder;

use super::wire::Wire;

/// The longest line that is kept, as in `zappy_ai`: a view of many tiles with a crowd on each.
const LINE_LIMIT: usize = 1 << 20;

pub struct Player {
    pub wire: Wire,
    /// The player that waits until this one has been greeted; `None` if there is none.
    pub parent: Option<usize>,
    decoder: LineDecoder,
    agent: Box<dyn Agent>,
    /// Whether it waits for its child, which was neither greeted nor turned away yet.
    pub waits: bool,
    /// Whether it has read anything; then its parent need no longer wait.
    pub greeted: bool,
    /// Whether it has said anything, or left, since this was last reset.
    pub spoke: bool,
}

impl Player {
    /// A player that hasn't read anything yet.
    pub fn new(agent: Box<dyn Agent>, parent: Option<usize>) -> Player {
        Player {
            wire: Wire::default(),
            parent,
            decoder: LineDecoder::new(LINE_LIMIT),
            agent,
            waits: false,
            greeted: false,
            spoke: false,
        }
    }

    pub fn leave(&mut self) {
        let mut pipe = self.wire.borrow_mut();
        (pipe.left, pipe.down) = (true, Vec::new());
        self.spoke = true;
    }

    /// Reads what there is and does what the agent wants. Returns the child that the agent wants a connection for; from
    /// then on the agent waits for the child's greeting.
    pub fn play(&mut self) -> Option<Box<dyn Agent>> {
        if self.waits || self.wire.borrow().left {
            return None;
        }
        let bytes = std::mem::take(&mut self.wire.borrow_mut().down);
        self.decoder.push(&bytes);
        while let Some(line) = self.decoder.next_line() {
            self.greeted = true;
            self.agent.handle_line(line);
        }
        let mut bytes = Vec::new();
        while let Some(action) = self.agent.poll_action() {
            match action {
                Action::Send(line) => {
                    bytes.extend_from_slice(&line);
                    bytes.push(b'\n');
                }
                Action::Connect(child) => {
                    self.say(&bytes);
                    self.waits = true;
                    return Some(child);
                }
            }
        }
        self.say(&bytes);
        let over = matches!(self.agent.state(), AgentState::Refused | AgentState::Out);
        let ended = self.wire.borrow().ended;
        if over || ended {
            self.leave();
        }
        None
    }

    fn say(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.wire.borrow_mut().up.extend_from_slice(bytes);
            self.spoke = true;
        }
    }
}
