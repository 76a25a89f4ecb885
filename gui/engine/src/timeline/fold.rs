//! The traits that a game implements so that its matches can be shown at any tick: how its published lines are folded.
//!
//! A [`Fold`] is what is known at one tick, and what a timeline restores, applies lines to and advances. A
//! [`History`] follows a match from its first line to its newest and keeps what is told of the whole match. Both
//! are plain values: no clock, no file, no socket. Tested with each game.

use std::fmt::Debug;

use zappy_protocol::{BadMessage, TeamName, Tick};

use super::tempo::Beat;

/// Messages of a snapshot that are taken in: more than the largest world has. A file could hold any number.
pub const SNAPSHOT_MESSAGES: usize = 2_000_000;

/// Why a message left no trace, or not all that it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Odd {
    /// The message contradicts earlier ones; how, in words.
    Misfit(String),
    /// The message was left out because a limit of what is kept at one time is reached.
    Beyond,
}

/// Counts of the lines of a match, and of those with something wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Oddities {
    /// All lines, those that were understood among them.
    pub lines: u64,
    /// Lines that are no message of the dialect.
    pub unknown: u64,
    /// Their first words, in the order in which they first came, and how many came of each; a bounded number.
    pub kinds: Vec<(String, u64)>,
    /// Messages with parameters that make no sense.
    pub malformed: u64,
    /// Lines that were too long to be read; the last one may still come.
    pub too_long: u64,
    /// Messages that contradict earlier ones.
    pub misfits: u64,
    /// The last line that was unknown or malformed: what is wrong with it, or itself, escaped and cut.
    pub last_bad: Option<String>,
    /// Why the last misfit didn't fit.
    pub last_misfit: Option<String>,
}

impl Oddities {
    pub fn total(&self) -> u64 {
        self.unknown + self.too_long + self.malformed + self.misfits
    }
}

/// The part that a message plays in a live feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The message may be a part of the dump that an observer is sent at its beginning.
    Dump,
    /// As [`Role::Dump`]; and the message holds the server's frequency, in ticks per second.
    Rate(u32),
    End,
    News,
}

/// The state of a match at one tick, as far as it is known.
pub trait Fold: Clone + Debug + Default + Send + 'static {
    type Message: Send;

    /// Ticks that a fold remembers: a fold that begins at a snapshot this many ticks earlier equals a fold
    /// that began with the match.
    const LOOKBACK: Tick;
    /// Ticks per second of a record at speed 1, at which a match can be followed.
    const RECORD_RATE: f64 = 100.0;
    /// Ticks for which a turn is shown, however long it took; 0: as long as it took. All ticks that a fold and a history
    /// are told are those shown.
    const TURN: Tick = 0;

    /// Reads a published line.
    ///
    /// # Errors
    /// When it is no message of the game.
    fn parse(line: &[u8]) -> Result<Self::Message, BadMessage>;

    /// Why a line is no message, where there are plain words for it.
    fn explain(_line: &[u8]) -> Option<String> {
        None
    }

    /// The fold that a snapshot of that tick gives.
    fn restored(tick: Tick, snapshot: &[Self::Message]) -> Self;

    /// The beat of a message that comes next, for the pace at which turns are shown.
    fn beat(&self, _message: &Self::Message) -> Option<Beat> {
        None
    }

    /// Whether a message holds nothing new, as most answers to a question.
    fn knows(&self, _message: &Self::Message) -> bool {
        false
    }

    /// Takes in a message of that tick.
    fn apply(&mut self, tick: Tick, message: &Self::Message);

    /// Lets time pass up to that tick.
    fn advance(&mut self, tick: Tick);

    fn tick(&self) -> Tick;

    /// Hands over the lines from which [`Fold::restored`] makes it again, as far as a snapshot carries it.
    fn snapshot(&self, line: &mut dyn FnMut(&[u8]));

    /// How much memory it takes, in bytes, roughly.
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

    /// The tick at which the match ended, as far as that is known.
    fn finished(overview: &Self::Overview) -> Option<Tick>;

    /// Takes in a whole snapshot of that tick: nothing of it happened just now.
    fn restore(&mut self, tick: Tick, snapshot: &[<Self::Fold as Fold>::Message]);

    /// Takes in a message of that tick.
    ///
    /// # Errors
    /// When the message is odd; the usable part of it was taken in.
    fn take(&mut self, tick: Tick, message: &<Self::Fold as Fold>::Message) -> Result<(), Odd>;

    /// A program came in at that seat with that line; only records hold this.
    fn admitted(&mut self, _seat: u32, _line: &[u8]) {}

    /// The program at that seat was refused something; only records hold this.
    fn refused(&mut self, _seat: u32) {}

    /// The game closed that seat, with the reason; only records hold this.
    fn closed(&mut self, _seat: u32, _why: &str) {}

    /// Lets time pass up to that tick.
    fn advance(&mut self, tick: Tick);

    /// The match ended at that tick, as its record says: the game's reason and the winners.
    fn end(&mut self, tick: Tick, reason: &str, winners: &[TeamName]);

    /// Live: what the feed must know of a message.
    fn role(message: &<Self::Fold as Fold>::Message) -> Role;

    /// Live: whether the dump has begun to give the state of the match.
    fn is_told(&self) -> bool;

    /// Live: what the server must be asked now and then, if its rules leave something untold.
    fn question(&self) -> Option<&'static [u8]> {
        None
    }

    /// Live: the dump is over.
    fn after_dump(&mut self, tick: Tick);

    /// Live, after a loss of the connection: whether this is the match that stood like `before`. If so, takes in at
    /// that tick what ended meanwhile.
    fn resume(&mut self, tick: Tick, before: &Self::Fold) -> bool;
}
