//! A connection that has logged in, as the shell of its match sees it: like one that the shell has accepted itself.
//!
//! The bytes that the lobby has read come first, then those of the stream. The game's greeting is dropped, since the
//! lobby has greeted the client. The token of its bot is masked wherever the client sends it. Knows no game. Tested in
//! this module.

use std::io::{self, ErrorKind, IoSlice, Read, Write};

use mio::net::TcpStream;
use zappy_server::net::Stream;

/// The line with which each game greets a connection.
pub const GREETING: &[u8] = b"WELCOME\n";
/// The byte that replaces each byte of a token.
const MASK: u8 = b'*';

/// A stream, and the bytes that are read before those of the stream.
#[derive(Debug)]
pub struct HandedStream<S> {
    stream: S,
    /// Bytes that can be read, with the token masked.
    ready: Vec<u8>,
    /// Bytes behind `ready` that may be the beginning of a token.
    held: Vec<u8>,
    /// The token that is masked; empty: none is.
    token: Vec<u8>,
    /// How many bytes of the greeting are still to be dropped.
    greeting: usize,
    /// Whether the stream has no more bytes.
    ended: bool,
}

impl<S> HandedStream<S> {
    /// A connection that has read its greeting: the shell reads `ahead`, then the bytes that were read `beyond` its
    /// login, then those of the stream, with `token` masked.
    pub fn new(stream: S, ahead: &[u8], beyond: &[u8], token: &[u8]) -> HandedStream<S> {
        let mut handed = HandedStream {
            stream,
            ready: ahead.to_vec(),
            held: Vec::new(),
            token: token.to_vec(),
            greeting: GREETING.len(),
            ended: false,
        };
        handed.take_in(beyond);
        handed
    }

    /// Masks the token in further bytes, and makes those ready that can't be the beginning of a token.
    fn take_in(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        let length = self.token.len();
        if length > 0 {
            let mut at = 0;
            while let Some(found) = self.held[at..].windows(length).position(|part| part == self.token) {
                at += found + length;
                self.held[at - length..at].fill(MASK);
            }
        }
        // A token has no line end in it, so no whole line is held.
        let may_begin = |count: &usize| self.held.ends_with(&self.token[..*count]);
        let kept = (1..length).rev().filter(|count| *count <= self.held.len()).find(may_begin).unwrap_or(0);
        self.ready.extend(self.held.drain(..self.held.len() - kept));
    }

    /// Moves ready bytes into the buffer; gives their number.
    fn deliver(&mut self, bytes: &mut [u8]) -> usize {
        let count = self.ready.len().min(bytes.len());
        bytes[..count].copy_from_slice(&self.ready[..count]);
        self.ready.drain(..count);
        count
    }
}

impl<S: Read> Read for HandedStream<S> {
    /// Fills the buffer as far as the stream has bytes: a read that doesn't fill it has emptied the stream.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut count = self.deliver(bytes);
        while count < bytes.len() && !self.ended {
            match self.stream.read(&mut bytes[count..]) {
                Ok(0) => {
                    self.ended = true;
                    self.ready.append(&mut self.held);
                }
                Ok(read) => self.take_in(&bytes[count..count + read]),
                Err(error) if error.kind() != ErrorKind::WouldBlock || count == 0 => return Err(error),
                Err(_) => break,
            }
            count += self.deliver(&mut bytes[count..]);
        }
        Ok(count)
    }
}

impl<S: Write> Write for HandedStream<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.greeting == 0 {
            return self.stream.write(bytes);
        }
        let dropped = self.greeting.min(bytes.len());
        self.greeting -= dropped;
        Ok(dropped)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        if self.greeting == 0 {
            return self.stream.write_vectored(slices);
        }
        self.write(slices.iter().find(|slice| !slice.is_empty()).map_or(&[], |slice| slice))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl<S: Stream> Stream for HandedStream<S> {
    fn shutdown_write(&mut self) -> io::Result<()> {
        self.stream.shutdown_write()
    }
}

/// Lets the system ask now and then whether the peer is still there.
pub fn keep_alive(stream: &TcpStream) {
    #[cfg(unix)]
    if let Err(error) = rustix::net::sockopt::set_socket_keepalive(stream, true) {
        log::debug!("a connection isn't kept alive: {error}");
    }
    #[cfg(not(unix))]
    let _ = stream;
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::net::SocketAddr;
    use std::rc::Rc;
    use std::time::Duration;

    use zappy_game::MatchSpec;
    use zappy_game::config::{Clock, MatchConfig};
    use zappy_protocol::record::RecordLevel;
    use zappy_protocol::{MapSize, TeamName};
    use zappy_server::games::GAMES;
    use zappy_server::net::testing::{FakeStream, Wire};
    use zappy_server::net::{Lockstep, Setup, Shell};
    use zappy_server::record::{Recorder, header};

    use super::*;

    const TOKEN: &[u8] = b"0123456789abcdef0123456789abcdef";

    fn wire(lines: &[u8]) -> Rc<RefCell<Wire>> {
        let wire = Wire { to_server: lines.iter().copied().collect(), room: usize::MAX, ..Wire::default() };
        Rc::new(RefCell::new(wire))
    }

    /// What can be read in pieces of so many bytes: `parts[0]` was read beyond the login, the other parts come one by
    /// one.
    fn read(parts: &[&[u8]], piece: usize) -> Vec<u8> {
        let wire = wire(b"");
        let mut handed = HandedStream::new(FakeStream(Rc::clone(&wire)), b"ada\n", parts[0], TOKEN);
        let (mut all, mut bytes) = (Vec::new(), vec![0; piece]);
        for part in &parts[1..] {
            wire.borrow_mut().to_server.extend(*part);
            while let Ok(count) = handed.read(&mut bytes) {
                all.extend_from_slice(&bytes[..count]);
            }
        }
        wire.borrow_mut().ended = true;
        while let Ok(count @ 1..) = handed.read(&mut bytes) {
            all.extend_from_slice(&bytes[..count]);
        }
        all
    }

    #[test]
    fn a_token_is_replaced_wherever_and_in_whatever_pieces_it_comes() {
        let text = [b"Broadcast 0101".as_slice(), TOKEN, TOKEN, b"x0\nLook\n012"].concat();
        let wanted = [b"ada\nBroadcast 0101".as_slice(), &[MASK; 64], b"x0\nLook\n012"].concat();
        for cut in 0..text.len() {
            for piece in [1, 7, 1_000] {
                let (one, other) = text.split_at(cut);
                assert_eq!(read(&[one, other], piece), wanted, "cut at {cut}");
                assert_eq!(read(&[b"", one, other], piece), wanted, "cut at {cut}");
            }
        }
    }

    #[test]
    fn whole_lines_are_never_held_back() {
        let wire = wire(b"0123");
        let mut handed = HandedStream::new(FakeStream(Rc::clone(&wire)), b"", b"Look\n", TOKEN);
        let mut bytes = [0; 64];
        assert_eq!(handed.read(&mut bytes).unwrap(), 5);
        assert_eq!(handed.read(&mut bytes).unwrap_err().kind(), ErrorKind::WouldBlock);
        wire.borrow_mut().to_server.extend(b"\n");
        assert_eq!(handed.read(&mut bytes).unwrap(), 5);
        assert_eq!(&bytes[..5], b"0123\n");
    }

    /// The record of a match between two clients over such streams, and the bytes that the first client was sent.
    fn play<S: Stream>(stream: impl Fn(Rc<RefCell<Wire>>, &'static [u8]) -> S) -> (Vec<u8>, Vec<u8>) {
        let teams = [b"red", b"blu"].map(|name| TeamName::parse(name).unwrap()).to_vec();
        let size = MapSize::new(10, 10).unwrap();
        let config = MatchConfig {
            seed: 7,
            clock: Clock::Lockstep,
            max_ticks: Some(200),
            ..MatchConfig::new(size, teams)
        };
        let spec = MatchSpec::new(&GAMES[0], config);
        let (think_time, wait_players) = (Duration::from_secs(1), 2);
        let lockstep = Lockstep {
            wait_players,
            lobby_time: think_time,
            think_time,
            max_late: 0,
            pace: None,
            step: false,
            stop_line: b"/quit".to_vec(),
        };
        let setup = Setup { seed: 7, lockstep: Some(lockstep), ..Setup::default() };
        let recorder = Recorder::new(spec.begin().unwrap(), Vec::new(), &header(&spec, RecordLevel::Full));
        let mut shell = Shell::new(recorder, &setup).unwrap();
        let wires = [(b"red\n", 0), (b"blu\n", 1)].map(|(name, number): (&'static [u8; 4], u16)| {
            let wire = wire(b"");
            let peer = SocketAddr::from(([127, 0, 0, 1], number));
            let key = shell.admit(peer).unwrap();
            shell.accept(key, stream(Rc::clone(&wire), name), peer);
            wire
        });
        // Each client sends ten lines and no more, and dies since it is late then.
        wires.iter().for_each(|wire| wire.borrow_mut().to_server.extend(b"Forward\nLook\n".repeat(5)));
        let mut at = Duration::ZERO;
        while shell.finished().is_none() {
            shell.advance(at);
            shell.serve();
            shell.flush();
            at = at.max(shell.next_turn().unwrap_or(at));
        }
        let sent = wires[0].borrow().to_client.clone();
        (shell.game.finish().1.unwrap(), sent)
    }

    #[test]
    fn a_match_of_handed_connections_leaves_the_record_of_accepted_ones() {
        let (accepted, sent) = play(|wire, name| {
            let said: Vec<u8> = wire.borrow_mut().to_server.drain(..).collect();
            wire.borrow_mut().to_server.extend(name.iter().chain(&said));
            FakeStream(wire)
        });
        let (handed, sent_later) = play(|wire, name| HandedStream::new(FakeStream(wire), name, b"", TOKEN));
        assert_eq!(String::from_utf8(handed).unwrap(), String::from_utf8(accepted).unwrap());
        assert!(sent_later.len() > 100 && sent_later == sent[GREETING.len()..]);
    }
}
