//! One connection: its bytes in and out, and whether it is ready to be read or written.
//!
//! The system reports readiness only once, so it is remembered until the stream says that it would block. Knows neither
//! the game nor the clock. Tested through the shell.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

use zappy_protocol::line::{Decoded, LineDecoder};

use super::outbox::Outbox;
use super::system::SHORT_READ_ENDS;
use zappy_game::{Input, Line, SeatId};

/// Names a connection. No key is used for two connections.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub usize);

/// A byte stream that doesn't block.
pub trait Stream: Read + Write {
    /// Closes the sending side; the peer may still send.
    ///
    /// # Errors
    /// The connection is gone.
    fn shutdown_write(&mut self) -> io::Result<()>;
}

impl Stream for mio::net::TcpStream {
    fn shutdown_write(&mut self) -> io::Result<()> {
        self.shutdown(std::net::Shutdown::Write)
    }
}

/// What the system reports of a connection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ready {
    /// There is something to read.
    pub readable: bool,
    /// There is room to write.
    pub writable: bool,
    /// The peer sends nothing more.
    pub ended: bool,
    /// The connection is gone in both directions.
    pub broken: bool,
}

/// The stage that a connection is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Accepted, unread, without a seat.
    Waiting,
    /// Has a seat, but has not said a name yet.
    Handshake,
    Player,
    Observer,
    /// Without a seat; what waits is being written.
    Closing,
    /// Everything is written; the peer is to close.
    Lingering,
    /// It waits to be removed.
    Gone,
}

/// What was found in a connection's bytes.
#[derive(Debug)]
pub enum Found {
    Input(Fetched),
    /// Nothing came, but more may follow.
    Nothing,
    /// The budget is used up; there may be more.
    Spent,
    Broken(io::Error),
}

/// What was read from a connection. In lockstep it is kept for the next round.
#[derive(Debug)]
pub enum Fetched {
    Line(Vec<u8>),
    /// A line that was too long.
    Overflow,
    /// The peer sends nothing more; found once.
    End,
}

impl Fetched {
    /// The input that the game is handed.
    pub fn input(&self) -> Input<'_> {
        match self {
            Fetched::Line(line) => Input::Line(line),
            Fetched::Overflow => Input::Overflow,
            Fetched::End => Input::End,
        }
    }
}

/// Why an observer needs a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lag {
    /// The observer has just logged in.
    New,
    /// The observer missed published lines, after it had got this many.
    Missed(u64),
}

/// A stream with its buffers.
#[derive(Debug)]
pub struct Connection<S> {
    pub stream: S,
    pub peer: SocketAddr,
    pub phase: Phase,
    pub seat: Option<SeatId>,
    /// The only name that the connection may say; `None`: any.
    pub held_to: Option<Vec<u8>>,
    pub outbox: Outbox,
    /// In lockstep, how many lines it was sent, and the last one.
    pub sent: (u64, Option<Line>),
    /// Why the connection needs a snapshot; `None` if it needs none.
    pub lag: Option<Lag>,
    /// The time up to which its allowance is spent: of bytes that an observer may be sent, or of lines that a player
    /// may send without effect.
    pub spent_until: Duration,
    /// The line that waits for its round.
    pub fetched: Option<Fetched>,
    /// Lines that each wait for a tick of their own.
    pub paced: VecDeque<Vec<u8>>,
    /// Whether a line that takes a tick of its own was taken already of the bytes that were read last: the next such
    /// line waits.
    pub paced_line_taken: bool,
    /// Whether the peer doesn't read any more. Then nothing is written, but what the peer sent before is still read.
    pub deaf: bool,
    pub readable: bool,
    pub writable: bool,
    /// Whether it is in the shell's list of connections to read.
    pub listed: bool,
    /// Whether it is in the shell's list of connections to write.
    pub dirty: bool,
    decoder: LineDecoder,
    end: End,
}

/// How far the end of what a peer sends has got on its way to the game.
#[derive(Debug, Default)]
struct End {
    /// The system has reported that nothing more will come; the end itself may still be unread.
    reported: bool,
    /// The system has reported that the connection is gone.
    broken: bool,
    /// The end was read from the stream.
    read: bool,
    /// The end was found behind all lines, and is handed on.
    found: bool,
}

impl<S: Stream> Connection<S> {
    pub fn new(stream: S, peer: SocketAddr, line_limit: usize) -> Connection<S> {
        Connection {
            stream,
            peer,
            phase: Phase::Waiting,
            seat: None,
            held_to: None,
            outbox: Outbox::default(),
            sent: (0, None),
            lag: None,
            spent_until: Duration::ZERO,
            fetched: None,
            paced: VecDeque::new(),
            paced_line_taken: false,
            deaf: false,
            readable: true,
            writable: true,
            listed: false,
            dirty: false,
            decoder: LineDecoder::new(line_limit),
            end: End::default(),
        }
    }

    /// From now on a `\r` before a line's end belongs to the line.
    pub fn keep_returns(&mut self) {
        self.decoder.keep_returns();
    }

    /// Notes what the system reports.
    pub fn note(&mut self, ready: Ready) {
        self.readable |= ready.readable || ready.ended || ready.broken;
        self.writable |= ready.writable || ready.broken;
        self.end.reported |= ready.ended || ready.broken;
        self.end.broken |= ready.broken;
    }

    /// Whether no more lines are taken for now, because more than `mark` (a weight) waits for the peer, or an
    /// observer's snapshot.
    pub fn is_held(&self, mark: usize) -> bool {
        self.lag.is_some() || self.outbox.weight() > mark
    }

    /// Whether the end of what the peer sends was found, behind all of its lines.
    pub fn end_is_found(&self) -> bool {
        self.end.found
    }

    /// Finds the next line in the bytes that came; reads up to `budget` more bytes, which is reduced by them. `line`
    /// and `chunk` are buffers for the line and for what is read.
    pub fn next(&mut self, line: &mut Vec<u8>, chunk: &mut [u8], budget: &mut usize) -> Found {
        loop {
            match self.decoder.next_line() {
                Some(Decoded::Line(bytes)) => {
                    line.clear();
                    line.extend_from_slice(bytes);
                    return Found::Input(Fetched::Line(std::mem::take(line)));
                }
                Some(Decoded::Overflow) => return Found::Input(Fetched::Overflow),
                None => {}
            }
            if self.end.read {
                let first = !std::mem::replace(&mut self.end.found, true);
                return match first {
                    true => Found::Input(Fetched::End),
                    // Nothing more is read, so no read would report it.
                    false if self.end.broken => Found::Broken(ErrorKind::ConnectionReset.into()),
                    false => Found::Nothing,
                };
            }
            match self.read(chunk, budget) {
                Ok(Some(count)) => self.decoder.push(&chunk[..count]),
                Ok(None) if self.end.read => {}
                Ok(None) if self.readable => return Found::Spent,
                Ok(None) => return Found::Nothing,
                Err(error) => return Found::Broken(error),
            }
        }
    }

    /// Reads up to `budget` bytes and throws them away; true once the peer has closed.
    pub fn discard(&mut self, chunk: &mut [u8], budget: &mut usize) -> io::Result<bool> {
        while self.read(chunk, budget)?.is_some() {}
        Ok(self.end.read)
    }

    /// Reads once, and returns how many bytes came; `None` if there is nothing to read now, no budget left, or the end
    /// was read.
    fn read(&mut self, chunk: &mut [u8], budget: &mut usize) -> io::Result<Option<usize>> {
        while self.readable && !self.end.read && *budget > 0 {
            let room = chunk.len().min(*budget);
            match self.stream.read(&mut chunk[..room]) {
                Ok(0) => self.end.read = true,
                Ok(count) => {
                    *budget -= count;
                    self.paced_line_taken = false;
                    // A read that doesn't fill the chunk has emptied the socket, and most systems report what comes
                    // later. But an end that was reported already isn't reported again, so it has to be read at once.
                    self.readable = count == room || self.end.reported || !SHORT_READ_ENDS;
                    return Ok(Some(count));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}
