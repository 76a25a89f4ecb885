//! What was seen of a bot in one scene: the last lines of its transcript, and its mistakes.
//!
//! Keeps the last lines of the transcript, the first commands, the latest shouts, and the first fault of each kind.
//! Judges nothing. Tested in `arena/cli/tests/check.rs`.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::{Deserialize, Deserializer};
use zappy_protocol::Tick;

/// How many lines a transcript has at most.
const KEPT_LINES: usize = 14;
/// How many bytes of a line are shown at most.
const SHOWN_BYTES: usize = 100;
/// How many commands of the first connection are kept at most, to be compared with those of a second run of the scene.
const KEPT_COMMANDS: usize = 200;
/// How many shouts are kept at most.
const KEPT_SHOUTS: usize = 8;

/// How a transcript shows that the bot sent a line.
pub const SENT: &str = "->";
/// How a transcript shows that the bot was sent a line.
pub const RECEIVED: &str = "<-";
/// How a transcript shows why the rules refused the bot's line; the bot isn't sent the reason.
pub const WHY: &str = "? ";

/// A kind of mistake of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// It was never let in.
    NoLogin,
    /// It spoke before `WELCOME`.
    Early,
    /// Its first line was not its team's name.
    Name,
    /// Its lines end with something else than `\n` alone.
    LineEnd,
    /// It sent something that is no command.
    Invalid,
    /// More of its commands waited than may wait.
    Dropped,
    /// It asks on and on without letting time pass.
    Flood,
    /// It thought for too long.
    Slow,
    /// It stayed silent though its player could act.
    Stalled,
    /// It ended, or left, though its player could play on.
    Gone,
    /// It takes a message for the answer to its command, or asks again when an answer is late.
    Confused,
    Starved,
    /// It stays though there is nothing left to do.
    Lingers,
    /// It crashed instead of ending in order.
    Broken,
    /// No client came for its egg.
    Unhatched,
    /// It asks again and again for what was refused.
    Repeats,
    /// It writes more to its standard output and error than it may.
    Output,
    /// It gives orders to units of others.
    Foreign,
    /// It gives an order that the unit can't follow.
    Unable,
    /// It gives orders in the phase of another faction.
    Impatient,
    /// It gives orders after it has said that it is done.
    AfterDone,
    /// It says `Done` with the number of another turn.
    Stale,
    /// It gives orders after its defeat.
    Ghost,
    /// It exceeds the time of its phases again and again.
    Late,
    /// It uses the processor while it waits.
    Burns,
    /// It goes to another tile than the one on which it saw something.
    Misses,
    /// It follows a sound to its source and leaves at once, or circles the source without ever stopping there.
    Overruns,
    /// It reads a number as another one.
    Misreads,
}

/// The cause of a mistake: mistakes with one cause are reported as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// How the bot is started and logs in.
    Login,
    /// How the bot makes lines of the bytes that it reads.
    Framing,
    Message,
    Push,
    /// An incantation, the player's own or another's.
    Incantation,
    Refusal,
    /// How many commands the bot sends ahead.
    Queue,
    Spelling,
    Food,
    /// How the bot counts the tiles of what it sees.
    Sight,
    Sound,
    Numbers,
    /// The end of a connection.
    End,
}

/// Advice about one mistake, more specific than that of the situation in which it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Remedy {
    pub cause: Cause,
    /// What to do about the mistake, in words for the bot's author.
    #[serde(deserialize_with = "leaked")]
    pub mend: Phrase,
    /// Whether the remedy is more certain than the advice of the situation; true when read,
    /// cleared by scenes that aren't sure of it.
    #[serde(skip, default = "certain")]
    pub sure: bool,
}

/// A text of `common.toml` or `situations.toml`, which are read once and leaked, so that it lasts as long as the
/// program. The alias keeps serde's derive from borrowing the text from its input.
pub type Phrase = &'static str;

pub fn leaked<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    String::deserialize(from).map(|text| &*text.leak())
}

fn certain() -> bool {
    true
}

#[derive(Debug, Clone)]
pub struct Fault {
    pub kind: FaultKind,
    /// What the bot did wrong, in words.
    pub words: String,
    /// The last lines before the fault.
    pub transcript: Vec<String>,
    /// The remedy, if more is known than from the situation.
    pub remedy: Option<Remedy>,
    /// How and where the bot's program crashed, if a crash was the fault.
    pub crash: Option<String>,
}

/// Everything that was seen of a bot in a scene.
#[derive(Debug, Default)]
pub struct Seen {
    /// When the scene began, by the wall clock: the transcript counts its seconds from then.
    pub begun: Option<Instant>,
    /// The last lines of the transcript.
    pub lines: VecDeque<String>,
    /// The mistakes, the first of each kind, in the order in which they were made.
    pub faults: Vec<Fault>,
    /// Facts that are worth knowing but no mistakes.
    pub notes: Vec<String>,
    /// Habits that would be a mistake of that kind on other servers, in words.
    pub elsewhere: Vec<(FaultKind, String)>,
    /// How often the thing that the scene is about has happened.
    pub occurrences: u32,
    /// The first commands of the first connection.
    pub commands: Vec<String>,
    /// The bot's latest shouts; of shouts that differ in numbers alone only the last is kept.
    pub shouts: Vec<String>,
    /// The tick that was reached.
    pub tick: Tick,
    /// Whether a connection of the bot was let in.
    pub logged_in: bool,
    /// How long the bot took to be let in, by the wall clock.
    pub login_time: Duration,
    /// How long the scene went on after that, by the wall clock.
    pub play_time: Duration,
    /// Whether the scene gave up waiting for the bot to log in while its program still ran.
    pub never_connected: bool,
    /// Whether a player kept silent while another of the bot's played on.
    pub kept_silent: bool,
    /// Whether the bot said anything after it was let in.
    pub spoke: bool,
    /// Why the scene says nothing about the bot: the machine was too busy, or the bot too slow to start.
    pub inconclusive: Option<String>,
}

/// Words without their digits, so that words which differ in numbers alone are equal.
pub fn gist(words: &str) -> String {
    words.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

impl FaultKind {
    /// Whether a scene goes on after a mistake of this kind as if the bot hadn't made it.
    pub fn is_slip(self) -> bool {
        use FaultKind::*;
        matches!(self, LineEnd | Invalid | Slow | Output | Foreign | Unable | Impatient | AfterDone | Stale)
    }
}

/// A line for people: bytes that can't be printed are shown as `\x..`, and a long line is cut.
pub fn shown(line: &[u8]) -> String {
    let text = line[..line.len().min(SHOWN_BYTES)]
        .escape_ascii()
        .to_string()
        .replace("\\\"", "\"")
        .replace("\\'", "'");
    if line.len() > SHOWN_BYTES { format!("{text}… ({} bytes)", line.len()) } else { text }
}

impl Seen {
    /// Adds a line to the transcript: `side` is the name of the connection, `arrow` one of [`SENT`], [`RECEIVED`] and
    /// [`WHY`].
    pub fn note_line(&mut self, side: &str, arrow: &str, text: &str) {
        if self.lines.len() == KEPT_LINES {
            self.lines.pop_front();
        }
        let seconds = self.begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        self.lines.push_back(format!("{seconds:7.3} s  tick {:>5}  {side:<5} {arrow} {text}", self.tick));
    }

    /// Keeps a command of the first connection.
    pub fn keep_command(&mut self, command: &[u8]) {
        if self.commands.len() < KEPT_COMMANDS {
            self.commands.push(shown(command));
        }
    }

    /// Keeps a shout of the bot if the console could send it again: short text without control characters. An earlier
    /// shout that differs in numbers alone is dropped.
    pub fn keep_shout(&mut self, text: &[u8]) {
        let Ok(text) = std::str::from_utf8(text) else { return };
        self.shouts.retain(|shout| gist(shout) != gist(text));
        if text.len() <= SHOWN_BYTES && !text.contains(char::is_control) {
            self.shouts.push(text.to_owned());
        }
        if self.shouts.len() > KEPT_SHOUTS {
            self.shouts.remove(0);
        }
    }

    /// Notes a mistake; only the first of its kind counts.
    pub fn fault(&mut self, kind: FaultKind, words: String) {
        self.fault_with(kind, words, None);
    }

    /// Notes a habit that this server tolerates and others may not, once for each kind of mistake.
    pub fn note_elsewhere(&mut self, kind: FaultKind, words: &str) {
        if !self.elsewhere.iter().any(|(noted, _)| *noted == kind) {
            self.elsewhere.push((kind, words.to_owned()));
        }
    }

    /// Notes a mistake as `fault` does, with a remedy where more is known of what to do about it.
    pub fn fault_with(&mut self, kind: FaultKind, words: String, remedy: Option<Remedy>) {
        // Whatever goes wrong after a mistake of these kinds comes from it.
        let is_root =
            |fault: &&Fault| matches!(fault.kind, FaultKind::Dropped | FaultKind::LineEnd | FaultKind::Name);
        let root = self.faults.iter().find(is_root).and_then(|fault| fault.remedy);
        let remedy = root.filter(|remedy| remedy.sure).or(remedy);
        if !self.has(kind) {
            self.faults.push(Fault {
                kind,
                words,
                transcript: self.lines.iter().cloned().collect(),
                remedy,
                crash: None,
            });
        }
    }

    pub fn fault_of(&self, kind: FaultKind) -> Option<&Fault> {
        self.faults.iter().find(|fault| fault.kind == kind)
    }

    pub fn has(&self, kind: FaultKind) -> bool {
        self.fault_of(kind).is_some()
    }
}
