//! One connection of a bot: its bytes as lines, and the `Wire` by which it is answered.
//!
//! Knows no dialect: a game keeps what it remembers in `dialogue`. Tested in `arena/cli/tests/check.rs`.

use std::io::{self, ErrorKind, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use zappy_game::SeatId;
use zappy_play::{Error, diag, os};

use super::wire::{Manner, Wire};

/// The most bytes that are read at once.
const CHUNK_BYTES: usize = 16 * 1024;
/// Bytes after which a line without an end is cut.
const LINE_LIMIT: usize = 64 * 1024;

/// The phases of a connection, from its greeting to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Waiting,
    Greeted,
    Playing,
    /// The server has ended it, or is about to.
    Closing,
    Gone,
}

#[derive(Debug)]
pub struct Connection<D> {
    pub seat: SeatId,
    pub name: String,
    pub stream: TcpStream,
    pub wire: Wire,
    pub phase: Phase,
    pub connected_at: Instant,
    /// Since when the connection's player owes a line, by the stage's fair clock; `None` if it owes none.
    pub idle_since: Option<Duration>,
    /// Since when the end of a line is missing, by the fair clock; `None` if no line is unended.
    pub unended_since: Option<Duration>,
    /// Whether the player keeps silent while another of the bot's plays on; then no line of the player is waited for.
    pub mute: bool,
    /// Since when the bot has taken no more bytes, by the fair clock; `None` if it takes them.
    pub stuck_since: Option<Duration>,
    /// The game's state of the dialogue.
    pub dialogue: D,
    /// Lines that came after the server had ended the connection.
    pub afterwards: usize,
    /// The last line that the bot sent, and the last answer that it got, for messages.
    pub last: (String, String),
    /// Whether the bot has closed its half.
    pub ended: bool,
    bytes: Vec<u8>,
}

/// Opens a port for the bot.
pub fn listen() -> Result<TcpListener, Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listener = listener.and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    listener.map_err(|error| Error::System("can't listen on a port", error))
}

impl<D: Default> Connection<D> {
    pub fn new(
        seat: SeatId,
        name: String,
        stream: TcpStream,
        manner: Manner,
        now: Instant,
    ) -> io::Result<Connection<D>> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Connection {
            seat,
            name,
            stream,
            wire: Wire::new(manner, now),
            phase: Phase::Waiting,
            connected_at: now,
            idle_since: None,
            unended_since: None,
            mute: false,
            stuck_since: None,
            dialogue: D::default(),
            afterwards: 0,
            last: Default::default(),
            ended: false,
            bytes: Vec::new(),
        })
    }

    pub fn read(&mut self) {
        let mut chunk = [0; CHUNK_BYTES];
        if self.bytes.len() >= LINE_LIMIT {
            return;
        }
        // Received bytes are acknowledged at once; otherwise the bot's system may hold back its next command.
        os::acknowledge(&self.stream);
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

    /// The number of bytes that were written and that the bot hasn't read yet; 0 where the system doesn't report it.
    pub fn unread(&self) -> u32 {
        let (Ok(server), Ok(bot)) = (self.stream.local_addr(), self.stream.peer_addr()) else { return 0 };
        let ends = diag::ends(server, &[bot]).unwrap_or_default();
        ends.first().copied().flatten().map_or(0, |end| end.unread)
    }

    /// The bytes that have come of a line without its end.
    pub fn pending(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether neither the server has ended the connection nor the bot has closed it.
    pub fn is_open(&self) -> bool {
        !matches!(self.phase, Phase::Closing | Phase::Gone)
    }
}
