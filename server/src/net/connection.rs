//! One connection: its bytes in and out, and which of both it is ready for.
//!
//! Readiness comes once, so it is kept here until the stream says that it would block. Knows neither the game
//! nor the clock. Tested through the shell.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;

use zappy_protocol::line::{Decoded, LineDecoder};

use super::outbox::Outbox;
use crate::game::SeatId;

/// Names a connection; never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub usize);

/// A byte stream that doesn't block.
pub trait Stream: Read + Write {
    /// Nothing more will be written; the peer may still send.
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

/// What the system says of a connection.
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

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Accepted, unread, without a seat.
    Waiting,
    /// Has a seat and not yet said who it is.
    Handshake,
    /// Takes part.
    Player,
    /// Watches.
    Observer,
    /// Without a seat; what waits is written.
    Closing,
    /// All is written; the peer is to close.
    Lingering,
    /// To be removed.
    Gone,
}

/// What was found in a connection's bytes.
#[derive(Debug)]
pub enum Found {
    /// A line; its bytes are in the buffer handed in.
    Line,
    /// A line that was too long.
    Overflow,
    /// The peer sends nothing more; found once.
    End,
    /// Nothing for now.
    Nothing,
    /// There may be more than the budget allows.
    Spent,
    /// The connection broke.
    Broken(io::Error),
}

/// What was fetched for the next round of the lockstep clock.
#[derive(Debug)]
pub enum Head {
    /// A line.
    Line(Vec<u8>),
    /// A line that was too long.
    Overflow,
    /// Nothing more will come.
    End,
}

/// Why an observer needs a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lag {
    /// It has just logged in.
    New,
    /// It got so many published lines before it missed some.
    Missed(u64),
}

/// A stream with its buffers.
#[derive(Debug)]
pub struct Connection<S> {
    pub stream: S,
    pub peer: SocketAddr,
    pub phase: Phase,
    pub seat: Option<SeatId>,
    /// The one name that may be said over it; none: any.
    pub held_to: Option<Vec<u8>>,
    pub outbox: Outbox,
    /// An observer that needs a snapshot.
    pub lag: Option<Lag>,
    /// What was fetched and waits for its round.
    pub head: Option<Head>,
    /// Nothing is written any more, because nobody reads; what was sent before may still be read.
    pub deaf: bool,
    pub readable: bool,
    pub writable: bool,
    /// Whether the system has said that nothing more will come; the end itself may still be unread.
    ending: bool,
    /// Whether it is on the list of those to be read.
    pub listed: bool,
    /// Whether it is on the list of those to be written to.
    pub dirty: bool,
    decoder: LineDecoder,
    ended: bool,
    end_told: bool,
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
            lag: None,
            head: None,
            deaf: false,
            readable: true,
            writable: true,
            ending: false,
            listed: false,
            dirty: false,
            decoder: LineDecoder::new(line_limit),
            ended: false,
            end_told: false,
        }
    }

    /// Takes note of what the system says.
    pub fn note(&mut self, ready: Ready) {
        self.readable |= ready.readable || ready.ended || ready.broken;
        self.writable |= ready.writable || ready.broken;
        self.ending |= ready.ended || ready.broken;
    }

    /// Whether no more lines are taken for now, because it doesn't read what it asked for.
    pub fn held(&self, mark: usize) -> bool {
        self.lag.is_some() || self.outbox.weight() > mark
    }

    /// The next thing in the bytes that came; reads up to `budget` more of them into `chunk`.
    pub fn next(&mut self, line: &mut Vec<u8>, chunk: &mut [u8], budget: &mut usize) -> Found {
        loop {
            match self.decoder.next_line() {
                Some(Decoded::Line(bytes)) => {
                    line.clear();
                    line.extend_from_slice(bytes);
                    return Found::Line;
                }
                Some(Decoded::Overflow) => return Found::Overflow,
                None => {}
            }
            if self.ended {
                let first = !std::mem::replace(&mut self.end_told, true);
                return if first { Found::End } else { Found::Nothing };
            }
            match self.read(chunk, budget) {
                Ok(Some(count)) => self.decoder.push(&chunk[..count]),
                Ok(None) if self.ended => {}
                Ok(None) if self.readable => return Found::Spent,
                Ok(None) => return Found::Nothing,
                Err(error) => return Found::Broken(error),
            }
        }
    }

    /// Reads and throws away; true once the peer has closed.
    pub fn discard(&mut self, chunk: &mut [u8], budget: &mut usize) -> io::Result<bool> {
        while self.read(chunk, budget)?.is_some() {}
        Ok(self.ended)
    }

    fn read(&mut self, chunk: &mut [u8], budget: &mut usize) -> io::Result<Option<usize>> {
        while self.readable && !self.ended && *budget > 0 {
            let room = chunk.len().min(*budget);
            match self.stream.read(&mut chunk[..room]) {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    *budget -= count;
                    // Less than there was room for was all there is: what comes later is told anew. Only an
                    // end that was told already won't be, so it has to be read for.
                    self.readable = count == room || self.ending;
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
