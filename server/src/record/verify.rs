//! Plays a record's inputs again and compares what comes out with what the record says, byte by byte.
//!
//! Reads no files itself: it is given the bytes. Never panics on any of them. Tested in `tests/rules/records.rs`.

use zappy_protocol::Tick;
use zappy_protocol::constants::RULES_VERSION;
use zappy_protocol::record::{BadRecord, Entry, Fingerprint, Header, RecordLevel, RecordLine, Seat, escaped};

use super::{Recorder, header};
use crate::config::{BadConfig, GameConfig, RuleSet};
use crate::game::{Game, Input, SeatId};
use crate::zappy::Zappy;

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
pub enum BadMatch {
    /// A line makes no sense.
    #[error("line {line}: {error}")]
    Line {
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        error: BadRecord,
    },
    /// The header is not one this server can play.
    #[error("{0}")]
    Header(#[from] BadRecord),
    /// The header spells a match that can't be played.
    #[error("header: {0}")]
    Config(#[from] BadConfig),
    /// Another version of the rules.
    #[error(
        "the record was played under rules version {found}, this server plays version {RULES_VERSION}; \
         verify it with the server that recorded it"
    )]
    RulesVersion {
        /// The record's version.
        found: u32,
    },
    /// A time or a seat that can't be.
    #[error("line {line}: {what}")]
    Impossible {
        /// Which line, from 1.
        line: usize,
        /// What can't be.
        what: &'static str,
    },
    /// The fingerprint of the bytes is not the one in the last line.
    #[error("the file was changed: its fingerprint is {found:016x}, its last line says {said:016x}")]
    Changed {
        /// The fingerprint of the bytes that are there.
        found: u64,
        /// The fingerprint that was written.
        said: u64,
    },
    /// The match played again differs.
    #[error("line {line} differs: the record says {recorded:?}, played again it is {replayed:?}")]
    Differs {
        /// Which line, from 1.
        line: usize,
        /// What stands in the record.
        recorded: String,
        /// What the rules say.
        replayed: String,
    },
}

/// A record that was played again to the same end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// The last tick.
    pub ticks: Tick,
    /// Lines that came in.
    pub inputs: usize,
    /// Lines compared.
    pub lines: usize,
    /// Whether the record has its end; one that was cut off is compared up to its last whole line.
    pub complete: bool,
}

/// The lines of a record without their ends; a last line without an end is left out.
fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|&b| b == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

/// Reads a record: its header, and every later line with its number.
///
/// # Errors
/// The first line that is bad.
pub fn parse(bytes: &[u8]) -> Result<(Header, Vec<(usize, RecordLine)>), BadMatch> {
    let mut keys = Vec::new();
    let mut lines = whole_lines(bytes).zip(1..);
    for (text, line) in lines.by_ref() {
        if line == 1 && !text.starts_with(b"zrec ") {
            return Err(BadRecord::Format(escaped(&text[..text.len().min(40)])).into());
        }
        match RecordLine::parse(text).map_err(|error| BadMatch::Line { line, error })? {
            RecordLine::Header(key, value) => keys.push((key, value)),
            RecordLine::Begin => break,
            _ => {
                return Err(BadMatch::Impossible {
                    line,
                    what: "the header has no end; it ends with \"begin\"",
                });
            }
        }
    }
    let header = Header::parse(&keys)?;
    let body = lines
        .map(|(text, line)| {
            RecordLine::parse(text)
                .map(|parsed| (line, parsed))
                .map_err(|error| BadMatch::Line { line, error })
        })
        .collect::<Result<_, _>>()?;
    Ok((header, body))
}

/// The configuration that a header spells.
///
/// # Errors
/// When this server can't play it.
pub fn config_of(header: &Header) -> Result<GameConfig, BadMatch> {
    if header.rules_version != RULES_VERSION {
        return Err(BadMatch::RulesVersion { found: header.rules_version });
    }
    let config = GameConfig {
        size: header.size,
        teams: header.teams.clone(),
        slots: header.slots,
        frequency: header.frequency.try_into().map_err(|_| BadRecord::Header("frequency"))?,
        seed: header.seed,
        rules: RuleSet::parse(&header.rules).ok_or(BadRecord::Header("rules"))?,
        auto_start: header.auto_start,
        display_eggs: header.display_eggs,
        max_ticks: header.max_ticks,
        always_publish: header.level == RecordLevel::Full,
    };
    config.validate()?;
    Ok(config)
}

/// Plays the inputs of a record again and compares every line.
///
/// # Errors
/// The first thing that is wrong or differs, with its line.
pub fn verify(bytes: &[u8]) -> Result<Verified, BadMatch> {
    let complete = check_fingerprint(bytes)?;
    let (found, body) = parse(bytes)?;
    let config = config_of(&found)?;
    let recorder =
        Recorder::new(Zappy::new(&config), Vec::new(), &header(&config, found.level, &found.clock));
    let mut replay = Replay { game: recorder, now: 0 };
    let mut inputs = 0;
    for (line, parsed) in &body {
        match parsed {
            RecordLine::Event(tick, entry) => inputs += usize::from(replay.feed(*line, *tick, entry)?),
            RecordLine::Keyframe(tick) | RecordLine::End(tick, ..) => replay.advance(*line, *tick)?,
            _ => {}
        }
    }
    let replayed = replay.game.finish().1.unwrap_or_default();
    let lines = compare(bytes, &replayed, complete)?;
    Ok(Verified { ticks: replay.now, inputs, lines, complete })
}

/// Whether the record is complete; an error if its bytes are not those that were written.
fn check_fingerprint(bytes: &[u8]) -> Result<bool, BadMatch> {
    let Some(last) = whole_lines(bytes).last() else { return Ok(false) };
    let Ok(RecordLine::Check(said, _)) = RecordLine::parse(last) else { return Ok(false) };
    let mut fingerprint = Fingerprint::default();
    fingerprint.update(bytes.get(..bytes.len() - last.len() - 1).unwrap_or_default());
    if fingerprint.value() != said {
        return Err(BadMatch::Changed { found: fingerprint.value(), said });
    }
    Ok(true)
}

fn compare(recorded: &[u8], replayed: &[u8], complete: bool) -> Result<usize, BadMatch> {
    let mut lines = 0;
    let mut again = whole_lines(replayed);
    for (line, was) in whole_lines(recorded).zip(1..).map(|(text, line)| (line, text)) {
        let is = again.next();
        if is != Some(was) {
            let replayed = is.map_or_else(|| "the end of the match".to_owned(), escaped);
            return Err(BadMatch::Differs { line, recorded: escaped(was), replayed });
        }
        lines = line;
    }
    match again.next() {
        Some(more) if complete => Err(BadMatch::Differs {
            line: lines + 1,
            recorded: "the end of the record".to_owned(),
            replayed: escaped(more),
        }),
        _ => Ok(lines),
    }
}

/// A match that is played from a record's inputs, one seat id for each number.
struct Replay {
    game: Recorder<Zappy, Vec<u8>>,
    now: Tick,
}

impl Replay {
    /// Hands an entry in if it is an input, and says whether it was.
    fn feed(&mut self, line: usize, tick: Tick, entry: &Entry) -> Result<bool, BadMatch> {
        let (seat, input) = match entry {
            Entry::Admitted(seat, name) => {
                self.advance(line, tick)?;
                self.hand_in(seat_id(*seat), Input::Open);
                (seat, Input::Line(name))
            }
            Entry::Received(seat, bytes) => (seat, Input::Line(bytes)),
            Entry::Overflow(seat) => (seat, Input::Overflow),
            Entry::Ended(seat) => (seat, Input::End),
            Entry::Gone(seat) => (seat, Input::Closed),
            Entry::Sent(..) | Entry::Why(..) | Entry::Closed(..) | Entry::Published(_) => {
                self.advance(line, tick)?;
                return Ok(false);
            }
        };
        self.advance(line, tick)?;
        self.hand_in(seat_id(*seat), input);
        Ok(true)
    }

    fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.game.handle_input(self.now, seat, input);
        self.drain();
    }

    /// Runs everything that is due up to a tick.
    fn advance(&mut self, line: usize, tick: Tick) -> Result<(), BadMatch> {
        if tick < self.now {
            return Err(BadMatch::Impossible { line, what: "time goes back" });
        }
        while let Some(due) = self.game.poll_timeout().filter(|&due| due <= tick) {
            self.game.handle_timeout(due);
            self.drain();
        }
        self.now = tick;
        Ok(())
    }

    fn drain(&mut self) {
        while self.game.poll_output().is_some() {}
    }
}

fn seat_id(seat: Seat) -> SeatId {
    match seat {
        Seat::Console => SeatId::CONSOLE,
        Seat::Number(number) => SeatId(number),
    }
}
