//! The greeting: the server says `WELCOME`, the observer says `GRAPHIC`, and a first line of the match comes back.
//! A server that then sends nothing is asked for it.
//!
//! Reads no more than needed to distinguish a Zappy server from anything else, and waits for a bounded time however
//! slowly bytes come. Tested through `live`.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::trouble::{SourceTrouble, cut};
use crate::instant::Instant;

/// How long a server may send nothing after `GRAPHIC` before it is asked how the match stands.
const SILENCE: Duration = Duration::from_secs(1);
/// The requests for that: some servers send nothing by themselves, but answer them.
const QUESTIONS: &[u8] = b"msz\nmct\ntna\nsgt\n";
/// The most bytes of a first line that may still be a Zappy server's.
const FIRST_LINE_BYTES: usize = 1024;

/// A connection during the greeting.
pub(super) struct Greeting<'a> {
    stream: &'a TcpStream,
    /// Host and port, for messages of trouble.
    at: &'a str,
    /// Bytes that were read and belong to lines not handled yet.
    bytes: Vec<u8>,
    /// How long each line is waited for.
    patience: Duration,
    /// Whether the server has said `WELCOME`.
    welcomed: bool,
}

impl<'a> Greeting<'a> {
    pub(super) fn new(stream: &'a TcpStream, at: &'a str, patience: Duration) -> Greeting<'a> {
        Greeting { stream, at, bytes: Vec::new(), patience, welcomed: false }
    }

    /// Goes through the greeting and returns the bytes that came after the server's `WELCOME`: the beginning of its
    /// messages.
    pub(super) fn exchange(mut self) -> Result<Vec<u8>, SourceTrouble> {
        let Some(first) = self.line_within(self.patience)? else { return Err(self.no_line()) };
        if first.trim_ascii() != b"WELCOME" {
            return Err(SourceTrouble::NoZappy { at: self.at.to_owned(), said: cut(&first) });
        }
        self.bytes.drain(..=first.len());
        self.welcomed = true;
        let written = self.stream.set_write_timeout(Some(self.patience));
        written.and_then(|()| self.stream.write_all(b"GRAPHIC\n")).map_err(|error| self.lost(&error))?;
        let answer = match self.line_within(SILENCE.min(self.patience))? {
            Some(line) => line,
            None => {
                self.stream.write_all(QUESTIONS).map_err(|error| self.lost(&error))?;
                self.line_within(self.patience)?.ok_or_else(|| self.no_line())?
            }
        };
        if answer.trim_ascii() == b"ko" {
            return Err(SourceTrouble::Refused(self.at.to_owned()));
        }
        self.stream.set_read_timeout(None).map_err(|error| self.lost(&error))?;
        Ok(self.bytes)
    }

    /// The first line in `bytes`, where it stays; `None` if it doesn't come in that time.
    fn line_within(&mut self, patience: Duration) -> Result<Option<Vec<u8>>, SourceTrouble> {
        let until = Instant::now() + patience;
        loop {
            if let Some(end) = self.bytes.iter().position(|&byte| byte == b'\n') {
                return Ok(Some(self.bytes[..end].to_vec()));
            }
            if self.bytes.len() > FIRST_LINE_BYTES {
                // After the welcome a line may be long; the decoder counts lines that are too long.
                return if self.welcomed { Ok(Some(self.bytes.clone())) } else { Err(self.no_zappy()) };
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let mut chunk = [0; FIRST_LINE_BYTES];
            let read = self.stream.set_read_timeout(Some(left));
            match read.and_then(|()| self.stream.read(&mut chunk)) {
                Ok(0) if self.bytes.is_empty() => {
                    return Err(SourceTrouble::ClosedAtOnce(self.at.to_owned()));
                }
                Ok(0) => return Err(self.no_zappy()),
                Ok(count) => self.bytes.extend_from_slice(&chunk[..count]),
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {}
                    _ => return Err(self.lost(&error)),
                },
            }
        }
    }

    /// The error when no whole line came in time.
    fn no_line(&self) -> SourceTrouble {
        if self.bytes.is_empty() { SourceTrouble::Silent(self.at.to_owned()) } else { self.no_zappy() }
    }

    /// The error when the bytes that came are no line of a Zappy server.
    fn no_zappy(&self) -> SourceTrouble {
        let (at, said) = (self.at.to_owned(), cut(&self.bytes));
        if self.welcomed { SourceTrouble::Unended { at, said } } else { SourceTrouble::NoZappy { at, said } }
    }

    /// The error when reading or writing failed.
    fn lost(&self, error: &io::Error) -> SourceTrouble {
        match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
                SourceTrouble::ClosedAtOnce(self.at.to_owned())
            }
            _ => SourceTrouble::Other { at: self.at.to_owned(), error: error.to_string() },
        }
    }
}
