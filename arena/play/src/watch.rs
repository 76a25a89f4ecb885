//! Follows a match as an observer does, to tell people what happens while it runs.
//!
//! Reads only now and then; a server doesn't wait for its observers. What messages mean, but for the rate, is for a
//! [`Follow`] of the game. Whatever goes wrong here ends the watching, never the match. Tested in this module and in
//! `local/zappy.rs`.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use zappy_protocol::Tick;
use zappy_protocol::line::{Decoded, LineDecoder};

const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// Longer messages than this, in bytes, are passed over.
const LINE_LIMIT: usize = 4096;
/// Bytes that one call reads at most, so that the match's other work has its turn.
const READ_LIMIT: usize = 1 << 20;
const CHUNK: usize = 64 * 1024;

/// What a game's messages to observers mean; by default nothing.
pub trait Follow: fmt::Debug {
    /// Takes a message; adds a line to the news if it is worth one.
    fn take(&mut self, _message: &[u8], _news: &mut Vec<String>) {}

    /// Whether the match has begun; `None` if the messages don't tell.
    fn has_begun(&self) -> Option<bool> {
        None
    }

    /// The turn, in a game in turns: people step through it by turns instead of ticks.
    fn turn(&self) -> Option<u64> {
        None
    }

    /// How the teams stand, in a few words for each.
    fn standings(&self) -> Vec<String> {
        Vec::new()
    }

    /// What has become of the teams since this was asked last, a line for each team with news.
    fn summary(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Follows a game of which the arena doesn't know the messages.
#[derive(Debug)]
pub struct Unknown;

impl Follow for Unknown {}

/// Since when ticks pass at the frequency that the server tells its observers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ticks {
    /// Since the first message with a frequency.
    FromStart,
    /// Since the first player came in.
    FromFirstPlayer,
    /// Ticks pass at no known rate.
    Unknown,
}

#[derive(Debug)]
pub struct Watch {
    stream: Option<TcpStream>,
    lines: LineDecoder,
    /// What the messages have told so far.
    pub game: Box<dyn Follow>,
    /// When the frequency was last told, and about which tick it was then; `None` before the first time.
    anchor: Option<(Instant, f64)>,
    /// The frequency that was last told, in ticks per second.
    rate: u32,
    ticks: Ticks,
}

impl Watch {
    pub fn new(game: Box<dyn Follow>, ticks: Ticks) -> Watch {
        Watch { stream: None, lines: LineDecoder::new(LINE_LIMIT), game, anchor: None, rate: 0, ticks }
    }

    /// Logs in as an observer. A failure is only logged.
    pub fn connect(&mut self, address: SocketAddr) {
        let login = || -> std::io::Result<TcpStream> {
            let mut stream = TcpStream::connect_timeout(&address, CONNECT_LIMIT)?;
            writeln!(stream, "{}", zappy_protocol::OBSERVER_NAME)?;
            stream.set_nonblocking(true)?;
            Ok(stream)
        };
        match login() {
            Ok(stream) => self.stream = Some(stream),
            Err(error) => log::info!("can't watch the match, which goes on: {error}"),
        }
    }

    /// Takes the messages that have come; gives a line for each that is worth one.
    pub fn read(&mut self) -> Vec<String> {
        let mut news = Vec::new();
        let mut chunk = [0; CHUNK];
        let mut taken = 0;
        while let Some(stream) = self.stream.as_mut().filter(|_| taken < READ_LIMIT) {
            match stream.read(&mut chunk) {
                Ok(0) => self.stream = None,
                Ok(n) => {
                    taken += n;
                    self.take(&chunk[..n], &mut news);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.stream = None,
            }
        }
        news
    }

    fn take(&mut self, bytes: &[u8], news: &mut Vec<String>) {
        self.lines.push(bytes);
        loop {
            let message = match self.lines.next_line() {
                Some(Decoded::Line(line)) => line,
                Some(Decoded::Overflow) => continue,
                None => return,
            };
            let text = |rest: &[u8]| String::from_utf8_lossy(rest).into_owned();
            if let Some(rate) = message.strip_prefix(b"sgt ").and_then(|rate| text(rate).parse().ok()) {
                let now = Instant::now();
                let tick = tick_at(self.anchor, self.rate, now);
                (self.anchor, self.rate) = (Some((now, tick)), rate);
            }
            let waits = self.ticks == Ticks::FromFirstPlayer && self.game.has_begun() == Some(false);
            self.game.take(message, news);
            if waits && self.game.has_begun() == Some(true) {
                self.anchor = Some((Instant::now(), 0.0));
            }
        }
    }

    /// About the tick of the match by now, which observers aren't told; `None` if it can't be computed.
    pub fn about_tick(&self) -> Option<Tick> {
        (self.ticks != Ticks::Unknown).then(|| tick_at(self.anchor, self.rate, Instant::now()) as Tick)
    }
}

fn tick_at(anchor: Option<(Instant, f64)>, rate: u32, now: Instant) -> f64 {
    let Some((since, tick)) = anchor else { return 0.0 };
    tick + now.saturating_duration_since(since).as_secs_f64() * f64::from(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_told_alike_by_all_games() {
        let (mut watch, mut news) = (Watch::new(Box::new(Unknown), Ticks::FromStart), Vec::new());
        watch.take(b"WELCOME\nsgt 100\nsgt\ntrn 1\nseg -\nseg red blue\n", &mut news);
        assert_eq!((watch.rate, news), (100, Vec::new()));
    }

    #[test]
    fn a_server_that_is_not_there_is_no_harm() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let mut watch = Watch::new(Box::new(Unknown), Ticks::FromStart);
        watch.connect(address);
        assert!(watch.read().is_empty());
    }
}
