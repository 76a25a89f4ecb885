//! The seam: the shell moves lines, seats and ticks; a game turns lines into outputs.
//!
//! Everything that is not the rules (sockets, clocks, records, simulators) works with any [`Game`]. This
//! module names neither the shell nor a game. Tested through the shell and the games.

#![warn(missing_docs)]

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;

pub use zappy_protocol::Tick;

pub mod chance;
pub mod config;
mod length;
pub mod lobby;
mod report;
mod spec;
mod stand;

pub use length::Length;
pub use report::{Conduct, RUNNING, Report, Standing, TeamReport, Verdict};
pub use spec::{Advice, Column, Form, GameSpec, MatchSpec, OptionSpec, Options, SCENARIO, find};
pub use stand::{SeatedPlayer, Stand};

/// One connection as the game sees it. No number is given to two connections of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatId(pub u32);

impl SeatId {
    /// The seat of the server's operator, which is always there.
    pub const CONSOLE: SeatId = SeatId(u32::MAX);
}

impl std::fmt::Display for SeatId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == SeatId::CONSOLE { f.write_str("console") } else { write!(f, "seat {}", self.0) }
    }
}

/// What comes from a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input<'a> {
    /// The connection was opened; it has not sent anything yet.
    Open,
    /// A line, without its end.
    Line(&'a [u8]),
    /// A line that was too long; its bytes are gone.
    Overflow,
    /// The peer sends nothing more, but still reads.
    End,
    /// The connection is gone, closed by the peer or by the shell.
    Closed,
    /// The shell ends the connection, for this reason.
    Expelled(&'a str),
}

/// A line that goes out, with its end, or several such lines that go out together. Cloning shares the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line(Arc<[u8]>);

impl Line {
    /// A line with the bytes of `text`; the line end is added here.
    pub fn new(mut text: Vec<u8>) -> Line {
        text.push(b'\n');
        Line(text.into())
    }

    /// All bytes, the line's end included.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The line that a value is written as.
    pub fn of(text: impl std::fmt::Display) -> Line {
        Line::new(text.to_string().into_bytes())
    }

    /// Each line without its end.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text().split(|&byte| byte == b'\n')
    }

    /// The last line without its end.
    pub fn last(&self) -> &[u8] {
        self.lines().last().unwrap_or_default()
    }

    /// Lines that go out together; each has its end already.
    pub fn together(lines: &[u8]) -> Line {
        Line(lines.into())
    }

    /// The bytes without the last line's end.
    pub fn text(&self) -> &[u8] {
        &self.0[..self.0.len() - 1]
    }
}

/// What the first line of a seat asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// To play for the team of that index, its *group*, if there is room when the seat's turn comes.
    Plays(u32),
    /// To watch, as an observer.
    Watches,
    /// Nothing that the game knows: the seat is refused and may try again.
    Refused,
}

/// Text for people, in the log, in records and on the console.
pub type Words = Cow<'static, str>;

/// What a game wants done. Outputs are carried out in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A line for one seat.
    Send(SeatId, Line),
    /// The seat plays from now on: its handshake is over.
    Admit(SeatId),
    /// The seat is an observer from now on. The shell asks for a [`Game::snapshot`] between two steps and sends
    /// it; then the seat gets every [`Output::Publish`].
    Subscribe(SeatId),
    /// A line for all observers.
    Publish(Line),
    /// A line that the rules withhold from observers although it is true. Never sent; full records keep it, marked as
    /// withheld, so that pictures made of records are right.
    Withhold(Line),
    /// Why that seat was just refused something, or was ended. Never sent; for logs and records.
    Why(SeatId, Words),
    /// An observer's request did what this console line does. Records keep the console line, since they leave
    /// observers out. Comes before the other outputs of that request.
    AsConsole(Line),
    /// The line that just came from that seat has the same effect as this shorter one, which records keep instead.
    /// `None`: the game dropped the line, whatever it said; records only count such lines. Comes before the other
    /// outputs of that input.
    Instead(SeatId, Option<Line>),
    /// Whether connections may take a seat now. While they may not, they wait unread.
    Gate(bool),
    /// Ticks per second of the real clock from now on; `None`: time stands still.
    SetTickRate(Option<NonZeroU32>),
    /// Send what waits for this seat, then close it. The game gets no further input from the seat.
    Close(SeatId, Words),
    /// The match is over: send what waits for any seat, then stop. The last output of a game.
    Finished(Verdict),
}

/// The rules of a game, without sockets and clocks.
///
/// The contract: `now` never goes back. Every `handle_*` is followed by a full drain of `poll_output`. The
/// caller calls `handle_timeout(t)` at exactly each tick `t` that `poll_timeout` names, in order, before it
/// hands in anything at that tick or later. A call may leave a part of what is due for the next one, so that the
/// outputs of one step stay few: then `poll_timeout` names the same tick again. `handle_*` takes any bytes and neither
/// fails nor panics. A new game has outputs at once: [`Output::Gate`] and [`Output::SetTickRate`].
pub trait Game {
    /// An input came from a seat, or from the console.
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>);

    /// What is due at `now` runs.
    fn handle_timeout(&mut self, now: Tick);

    /// The next tick at which something is due.
    fn poll_timeout(&self) -> Option<Tick>;

    /// The next thing to do.
    fn poll_output(&mut self) -> Option<Output>;

    /// Adds the seats of the players that owe a line, being free to act, in the order drawn for this tick.
    fn owing(&self, out: &mut Vec<SeatId>);

    /// What the first line of a seat asks for. Changes nothing.
    fn admission(&self, line: &[u8]) -> Admission;

    /// How many more players a group (the team of that index) has room for now.
    fn room(&self, group: u32) -> usize;

    /// Adds the lines that bring an observer up to date. `missed_from` is `None` for a new observer. For one that
    /// lagged it is the number of published lines, counted from the first [`Output::Publish`] of the match, that
    /// the observer got before it missed some; then the lines begin with what ended since.
    fn snapshot(&self, missed_from: Option<u64>, out: &mut Vec<Line>);

    /// Every observer has got the first `before` published lines: the game may forget what ended up to then.
    fn forget(&mut self, _before: u64) {}

    /// The least `missed_from` with which a snapshot may still be asked for.
    fn remembers_since(&self) -> u64 {
        0
    }

    /// Adds the lines that a snapshot lacks because the rules withhold them from observers, for full records.
    fn withheld(&self, _out: &mut Vec<Line>) {}

    /// A fingerprint of the whole state.
    fn digest(&self) -> u64;

    /// What a result says of the match, as far as it went.
    fn report(&self) -> Report;

    /// How many lines a player may send at one tick of the lockstep clock. After them the player passes until the
    /// next tick at which something is due.
    fn line_limit(&self, seat: SeatId) -> u32;

    /// Whether a `\r` before a line's end belongs to the line.
    fn keeps_returns(&self) -> bool {
        false
    }

    /// Whether a player's line waits for the next tick of the real clock if another such line of the same packet was
    /// taken at this tick.
    fn is_paced(&self, _line: &[u8]) -> bool {
        false
    }

    /// A line that the game drops whenever it would drop any line of a player. A record only counts dropped lines; when
    /// it is played again, this line is handed in for each of them.
    fn stand_in(&self) -> &'static [u8] {
        b""
    }

    /// Adds the lines for a client that takes over a player's seat after the match was resumed: those of a login, and
    /// what the player has to know before it acts.
    fn welcome_back(&self, seat: SeatId, out: &mut Vec<Line>);
}

/// Writes those methods of a game around another game that only call the game inside.
#[macro_export]
macro_rules! hand_on {
    ($self:ident => $game:expr) => {
        fn poll_timeout(&$self) -> Option<$crate::Tick> {
            $game.poll_timeout()
        }

        fn admission(&$self, line: &[u8]) -> $crate::Admission {
            $game.admission(line)
        }

        fn room(&$self, group: u32) -> usize {
            $game.room(group)
        }

        fn forget(&mut $self, before: u64) {
            $game.forget(before);
        }

        fn remembers_since(&$self) -> u64 {
            $game.remembers_since()
        }

        fn withheld(&$self, out: &mut Vec<$crate::Line>) {
            $game.withheld(out);
        }

        fn digest(&$self) -> u64 {
            $game.digest()
        }

        fn report(&$self) -> $crate::Report {
            $game.report()
        }

        fn line_limit(&$self, seat: $crate::SeatId) -> u32 {
            $game.line_limit(seat)
        }

        fn keeps_returns(&$self) -> bool {
            $game.keeps_returns()
        }

        fn is_paced(&$self, line: &[u8]) -> bool {
            $game.is_paced(line)
        }

        fn stand_in(&$self) -> &'static [u8] {
            $game.stand_in()
        }

        fn welcome_back(&$self, seat: $crate::SeatId, out: &mut Vec<$crate::Line>) {
            $game.welcome_back(seat, out);
        }
    };
}

/// Makes a pointer to a game a game, too.
macro_rules! implement_for {
    ($($pointer:ty),*) => {$(
        impl<G: Game + ?Sized> Game for $pointer {
            fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
                (**self).handle_input(now, seat, input);
            }

            fn handle_timeout(&mut self, now: Tick) {
                (**self).handle_timeout(now);
            }

            fn poll_output(&mut self) -> Option<Output> {
                (**self).poll_output()
            }

            fn owing(&self, out: &mut Vec<SeatId>) {
                (**self).owing(out);
            }

            fn snapshot(&self, missed_from: Option<u64>, out: &mut Vec<Line>) {
                (**self).snapshot(missed_from, out);
            }

            hand_on!(self => (**self));
        }
    )*};
}

implement_for!(Box<G>, &mut G);
