//! One connection of a bot: bytes to lines, what waits for an answer, and the wire back.
//!
//! Knows the dialect, not the rules: the game says which seat owes an answer. Tested in `tests/check.rs`.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

use zappy_protocol::zappy::player::{Command, CommandKind, Response};
use zappy_server::game::SeatId;

use super::wire::{Manner, Wire};

/// Bytes taken at once.
const CHUNK: usize = 16 * 1024;
/// Bytes of a line that has no end.
const LINE_LIMIT: usize = 64 * 1024;

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It waits for `WELCOME`.
    Waiting,
    /// It has read it.
    Greeted,
    /// It plays.
    Playing,
    /// The server has ended it, or is about to.
    Closing,
    /// It is gone.
    Gone,
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    /// How the game calls it.
    pub seat: SeatId,
    /// How people call it.
    pub name: String,
    /// The socket.
    pub stream: TcpStream,
    /// The way back.
    pub wire: Wire,
    /// How far it has come.
    pub phase: Phase,
    /// When it was accepted.
    pub since: Instant,
    /// Since when its player owes a line; `None` if it owes none.
    pub idle: Option<Instant>,
    /// The commands without an answer, the oldest first; a bad command is `None`.
    pub waiting: VecDeque<Option<CommandKind>>,
    /// How many commands were still waiting after the last answer.
    pub left: usize,
    /// Lines that came after the server had ended the connection.
    pub afterwards: usize,
    /// The last command, and the last answer to one, for people.
    pub last: (String, String),
    /// Whether it takes part in an incantation.
    pub frozen: bool,
    /// Lines sent at this tick, and those of them that take no time.
    pub at_tick: (usize, usize),
    /// Whether the bot has closed its half.
    pub ended: bool,
    closed_sending: bool,
    bytes: Vec<u8>,
}

impl Connection {
    /// A connection that has just come.
    ///
    /// # Errors
    /// When it can't be used without waiting.
    pub fn new(
        seat: SeatId,
        name: String,
        stream: TcpStream,
        manner: Manner,
        now: Instant,
    ) -> io::Result<Connection> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Connection {
            seat,
            name,
            stream,
            wire: Wire::new(manner, now),
            phase: Phase::Waiting,
            since: now,
            idle: None,
            waiting: VecDeque::new(),
            left: 0,
            afterwards: 0,
            last: Default::default(),
            frozen: false,
            at_tick: (0, 0),
            ended: false,
            closed_sending: false,
            bytes: Vec::new(),
        })
    }

    /// Takes what has come.
    pub fn read(&mut self) {
        let mut chunk = [0; CHUNK];
        if self.bytes.len() >= LINE_LIMIT {
            return;
        }
        match self.stream.read(&mut chunk) {
            Ok(0) => self.ended = true,
            Ok(n) => self.bytes.extend_from_slice(&chunk[..n]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.ended = true,
        }
    }

    /// The next line, its end (`\n`) not included; a line that is too long comes in pieces.
    pub fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.bytes.iter().position(|&byte| byte == b'\n');
        if end.is_none() && self.bytes.len() >= LINE_LIMIT {
            return Some(std::mem::take(&mut self.bytes));
        }
        let mut line: Vec<u8> = self.bytes.drain(..=end?).collect();
        line.pop();
        Some(line)
    }

    /// What has come and is no line yet.
    pub fn pending(&self) -> &[u8] {
        &self.bytes
    }

    /// Notes that the bot was sent this response. Gives the command that it answers, if it answers one.
    pub fn note_response(&mut self, response: &Response) -> Option<CommandKind> {
        let own_rite = self.waiting.front() == Some(&Some(CommandKind::Incantation));
        match response {
            Response::Message { .. } | Response::Eject(_) | Response::Dead | Response::Welcome => None,
            Response::ElevationUnderway => {
                self.frozen = true;
                None
            }
            Response::CurrentLevel(_) | Response::Ko if self.frozen => {
                self.frozen = false;
                if own_rite { self.waiting.pop_front().flatten() } else { None }
            }
            _ => self.waiting.pop_front().flatten(),
        }
    }

    /// It sent that command, good or bad.
    pub fn note_command(&mut self, command: Option<&Command>) {
        let kind = command.map(Command::kind);
        self.waiting.push_back(kind);
        self.at_tick.0 += 1;
        self.at_tick.1 += usize::from(kind.is_none_or(|kind| kind.cost() == 0));
    }

    /// Ends the server's half once everything was written.
    pub fn close_sending(&mut self) {
        if !self.closed_sending && self.wire.is_empty() {
            self.closed_sending = true;
            let _ = self.stream.shutdown(Shutdown::Write);
        }
    }

    /// Whether it may still say something.
    pub fn is_open(&self) -> bool {
        !matches!(self.phase, Phase::Closing | Phase::Gone)
    }
}
