//! The door: the program that started the server decides which connections come in, over a socket that is the
//! server's stdin.
//!
//! The server asks about each connection with a line `came PEER`. The other program answers `in` (under any name),
//! `in NAME` (under this name only) or `out`. The server reads nothing from a connection before the answer, so that
//! the other program can look which process holds it. The server reports `foul NAME SAID` when a connection that was
//! let in as NAME said SAID, and `signal NUMBER PID` when another process than the other program wanted to end the match,
//! which isn't done then; PID is `-` where the kernel doesn't tell. Never waits for longer than a limit; without an answer no connection comes in any more.
//! Tested in this module and in `tests/sockets.rs`.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use zappy_protocol::line::{Decoded, LineDecoder};

use super::shell::Foul;
use super::signal::Sender;

/// How long an answer may take: the program that answers may be starting hundreds of others.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// The longest answer, in bytes.
const LINE_LIMIT: usize = 256;

/// What a new connection may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pass {
    /// Come in under any name.
    Any,
    /// Come in under this name only.
    As(Vec<u8>),
    /// Nothing: it is closed.
    Out,
}

/// The server's end of the socket.
#[derive(Debug)]
pub struct Door {
    stream: UnixStream,
    lines: LineDecoder,
    broken: bool,
    /// The process that made the socket; `None` where the system doesn't tell.
    maker: Option<i32>,
}

impl Door {
    /// Takes the socket that is stdin.
    pub fn open() -> io::Result<Door> {
        Door::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
    }

    fn new(stream: UnixStream) -> io::Result<Door> {
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        stream.set_write_timeout(Some(ANSWER_LIMIT))?;
        let maker = maker(&stream);
        Ok(Door { stream, lines: LineDecoder::new(LINE_LIMIT), broken: false, maker })
    }

    /// Asks about new connections; gives one answer for each.
    pub fn ask(&mut self, came: impl Iterator<Item = SocketAddr>) -> Vec<Pass> {
        let asked: Vec<String> = came.map(|peer| format!("came {peer}\n")).collect();
        if !asked.is_empty() {
            self.say(&asked.concat());
        }
        asked.iter().map(|_| self.answer()).collect()
    }

    /// Reports a connection that said another name than its own.
    pub fn tell(&mut self, foul: &Foul) {
        let [name, said] = [&foul.name, &foul.said].map(|word| String::from_utf8_lossy(word));
        self.say(&format!("foul {name} {said}\n"));
    }

    /// Whether a signal from there may end the match: from the program at the door or, once that has gone or where it can't
    /// be told, from anywhere.
    pub fn may_end(&self, sender: Sender) -> bool {
        let Some(maker) = self.maker.filter(|_| !self.broken) else { return true };
        matches!(sender, Sender::Kernel) || sender == Sender::Process(maker)
    }

    /// Reports a signal that wasn't obeyed.
    pub fn report(&mut self, signal: i32, sender: Sender) {
        let sender = match sender {
            Sender::Process(pid) => pid.to_string(),
            Sender::Kernel | Sender::Unknown => "-".to_owned(),
        };
        self.say(&format!("signal {signal} {sender}\n"));
    }

    fn say(&mut self, words: &str) {
        if !self.broken
            && let Err(error) = self.stream.write_all(words.as_bytes())
        {
            self.give_up(&error);
        }
    }

    fn answer(&mut self) -> Pass {
        match self.next_line() {
            Ok(line) if line == b"in" => Pass::Any,
            Ok(line) => line.strip_prefix(b"in ").map_or(Pass::Out, |name| Pass::As(name.to_vec())),
            Err(error) => {
                self.give_up(&error);
                Pass::Out
            }
        }
    }

    fn next_line(&mut self) -> io::Result<Vec<u8>> {
        let mut chunk = [0; LINE_LIMIT];
        while !self.broken {
            match self.lines.next_line() {
                Some(Decoded::Line(line)) => return Ok(line.to_vec()),
                Some(Decoded::Overflow) => return Err(ErrorKind::InvalidData.into()),
                None => {}
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.lines.push(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::BrokenPipe.into())
    }

    /// Stops asking: a late answer would be taken for the answer to the next question.
    fn give_up(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.broken, true) {
            log::error!("no connection is let in any more: the program at the door doesn't answer ({error})");
        }
    }
}

#[cfg(target_os = "linux")]
fn maker(stream: &UnixStream) -> Option<i32> {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
    getsockopt(stream, PeerCredentials).ok().map(|peer| peer.pid()).filter(|&pid| pid > 0)
}

#[cfg(not(target_os = "linux"))]
fn maker(_: &UnixStream) -> Option<i32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_program_at_the_door_ends_the_match() {
        let (own, mut other) = UnixStream::pair().unwrap();
        let mut door = Door::new(own).unwrap();
        let maker = i32::try_from(std::process::id()).unwrap();
        let told = door.maker.is_some();
        assert_eq!(told, cfg!(target_os = "linux"));
        assert!(door.may_end(Sender::Process(maker)) && door.may_end(Sender::Kernel));
        assert_eq!(door.may_end(Sender::Process(1)), !told);
        assert_eq!(door.may_end(Sender::Unknown), !told);
        door.report(15, Sender::Process(7));
        door.report(2, Sender::Unknown);
        // Where that program is gone, the match must not be without end.
        door.give_up(&ErrorKind::BrokenPipe.into());
        assert!(door.may_end(Sender::Process(1)));
        drop(door);
        let mut heard = String::new();
        other.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "signal 15 7\nsignal 2 -\n");
    }

    #[test]
    fn each_connection_gets_the_answer_about_itself() {
        let (own, mut other) = UnixStream::pair().unwrap();
        let mut door = Door::new(own).unwrap();
        other.write_all(b"in\nin red\nout\nno\n").unwrap();
        let peers = (1..=4).map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        let passes = door.ask(peers.clone());
        assert_eq!(passes, [Pass::Any, Pass::As(b"red".to_vec()), Pass::Out, Pass::Out]);
        door.tell(&Foul { name: b"red".to_vec(), said: b"blue".to_vec() });
        drop(other.shutdown(std::net::Shutdown::Write));
        assert_eq!(door.ask(peers.take(2)), [Pass::Out, Pass::Out]);
        drop(door);
        let mut heard = String::new();
        other.read_to_string(&mut heard).unwrap();
        let asked: String = (1..=4).map(|port| format!("came 127.0.0.1:{port}\n")).collect();
        assert_eq!(
            heard,
            format!("{asked}foul red blue\ncame 127.0.0.1:1\ncame 127.0.0.1:2\n"),
            "the second time no answer comes"
        );
    }
}
