//! The traits that a game implements so that its matches can be shown at any tick: how its published lines are folded.
//!
//! A [`Fold`] is what is known at one tick: a timeline restores it, applies lines to it and advances it. A
//! [`History`] follows a match from its first line to its newest and keeps what is known of the whole match. Both
//! are plain values: no clock, no file, no socket. Tested with each game.

use std::fmt::Debug;

use zappy_protocol::{BadMessage, TeamName, Tick};

use super::tempo::Beat;

/// The most messages of a snapshot that are taken in: more than the largest world has, since a file could hold any
/// number.
pub const SNAPSHOT_MESSAGES: usize = 2_000_000;

/// Why a message was not taken in, or only in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Odd {
    /// The message contradicts earlier ones; the text says how.
    Misfit(String),
    /// The message was left out because as much is kept as a limit allows.
    Beyond,
}

/// Counts of the lines of a match, and of those with something wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Oddities {
    /// All lines, including those that were understood.
    pub lines: u64,
    /// Lines that are no message of the dialect.
    pub unknown: u64,
    /// The first words of unknown lines, in the order in which they first came, each with the number of its lines; a
    /// bounded number of words.
    pub kinds: Vec<(String, u64)>,
    /// Messages with wrong parameters.
    pub malformed: u64,
    /// Lines that were too long to be read; the last one may not have ended yet.
    pub too_long: u64,
    /// Messages that contradict earlier ones.
    pub misfits: u64,
    /// What is wrong with the last line that was unknown or malformed, or that line itself, escaped and cut.
    pub last_bad: Option<String>,
    /// Why the last misfit didn't fit.
    pub last_misfit: Option<String>,
}

impl Oddities {
    /// The number of lines with something wrong.
    pub fn total(&self) -> u64 {
        self.unknown + self.too_long + self.malformed + self.misfits
    }
}

/// What a message means for a live feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The message may be a part of the dump: the lines that bring an observer up to date when it connects.
    Dump,
    /// As [`Role::Dump`]; and the message holds the server's frequency, in ticks per second.
    Rate(u32),
    /// The message ends the match.
    End,
    News,
}

/// The state of a match at one tick, as far as it is known.
pub trait Fold: Clone + Debug + Default + Send + 'static {
    type Message: Send;

    /// How many ticks back a fold depends on what happened: a fold that begins at a snapshot this many ticks earlier
    /// equals one that began with the match.
    const LOOKBACK: Tick;
    /// Ticks per second of a record at speed 1: a pace at which people can follow a match.
    const RECORD_RATE: f64 = 100.0;
    /// The ticks for which a turn is shown, however long it took; 0: time is shown as it passed. The ticks that are
    /// handed to a fold and a history are those at which things are shown.
    const TURN: Tick = 0;

    /// Reads a published line.
    ///
    /// # Errors
    /// When it is no message of the game.
    fn parse(line: &[u8]) -> Result<Self::Message, BadMessage>;

    /// Why a line is no message, in plain words; `None` if there are none for it.
    fn explain(_line: &[u8]) -> Option<String> {
        None
    }

    /// The fold that a snapshot of this tick describes.
    fn restored(tick: Tick, snapshot: &[Self::Message]) -> Self;

    /// What the next message means for the pace at which turns are shown; `None`: nothing.
    fn beat(&self, _message: &Self::Message) -> Option<Beat> {
        None
    }

    /// Whether a message says nothing new, like most answers to [`History::question`].
    fn knows(&self, _message: &Self::Message) -> bool {
        false
    }

    /// Takes in a message of that tick.
    fn apply(&mut self, tick: Tick, message: &Self::Message);

    /// Lets time pass up to that tick.
    fn advance(&mut self, tick: Tick);

    fn tick(&self) -> Tick;

    /// Hands over the lines from which [`Fold::restored`] makes this fold again, as far as a snapshot can.
    fn snapshot(&self, line: &mut dyn FnMut(&[u8]));

    /// How much memory the fold takes, in bytes, roughly.
    fn weight(&self) -> usize;
}

/// A match from its first line to its newest.
pub trait History: Debug + Default + Send + 'static {
    /// What is known at one tick.
    type Fold: Fold;
    /// What is known of the whole match, whichever tick is shown.
    type Overview: Clone + Debug + Default + Send + 'static;

    /// What is known at the newest tick.
    fn newest(&self) -> &Self::Fold;

    /// The overview of the match so far.
    fn overview(&self) -> &Self::Overview;

    /// The tick at which the match ended; `None` until that is known.
    fn finished(overview: &Self::Overview) -> Option<Tick>;

    /// Takes in a whole snapshot of that tick, of which nothing counts as happening now.
    fn restore(&mut self, tick: Tick, snapshot: &[<Self::Fold as Fold>::Message]);

    /// Takes in a message of that tick.
    ///
    /// # Errors
    /// When the message is odd; the usable part of it was taken in.
    fn take(&mut self, tick: Tick, message: &<Self::Fold as Fold>::Message) -> Result<(), Odd>;

    /// A program logged in at that seat with that line; only records hold this.
    fn admitted(&mut self, _seat: u32, _line: &[u8]) {}

    /// The program at that seat was refused something; only records hold this.
    fn refused(&mut self, _seat: u32) {}

    /// The game closed that seat, with the reason; only records hold this.
    fn closed(&mut self, _seat: u32, _why: &str) {}

    /// Lets time pass up to that tick.
    fn advance(&mut self, tick: Tick);

    /// The match ended at that tick, as its record says: the game's reason and the winners.
    fn end(&mut self, tick: Tick, reason: &str, winners: &[TeamName]);

    /// Live: what a message means for the feed.
    fn role(message: &<Self::Fold as Fold>::Message) -> Role;

    /// Live: whether the dump has begun to give the state of the match.
    fn is_told(&self) -> bool;

    /// Live: the request that the server must be sent now and then, if its rules don't send everything by themselves.
    fn question(&self) -> Option<&'static [u8]> {
        None
    }

    /// Live: the dump is over.
    fn after_dump(&mut self, tick: Tick);

    /// Live, after the dump of a new connection: whether this is still the match that was known as `before` when the
    /// last connection was lost. If so, takes in at that tick what ended meanwhile.
    fn resume(&mut self, tick: Tick, before: &Self::Fold) -> bool;
}
