//! Plays a record's inputs again, compares what comes out with what the record says, byte by byte, and can keep
//! it at another level.
//!
//! Reads no files itself: it is given the bytes. Never panics on any of them. Tested in `tests/rules/records.rs`.

use std::io::{self, Write};

use zappy_protocol::Tick;
use zappy_protocol::constants::RULES_VERSION;
use zappy_protocol::record::{BadRecord, Fingerprint, Header, RecordLevel, RecordLine, escaped};

use super::replay::{Played, play};
use super::{Recorder, header};
use crate::config::{BadConfig, Clock, GameConfig, RuleSet};
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
    #[error(transparent)]
    Header(#[from] BadRecord),
    /// The header spells a match that can't be played.
    #[error(transparent)]
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
    /// What it is expanded to can't be written.
    #[error("can't write: {0}")]
    Write(#[from] io::Error),
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

type Lines<'a> = Box<dyn Iterator<Item = (&'a [u8], usize)> + 'a>;

/// Reads a record's header; the lines behind it come with their numbers.
fn read_header(bytes: &[u8]) -> Result<(Header, Lines<'_>), BadMatch> {
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
    Ok((Header::parse(&keys)?, Box::new(lines)))
}

/// Reads a whole record: its header, and every later line with its number.
///
/// # Errors
/// The first line that is bad.
pub fn parse(bytes: &[u8]) -> Result<(Header, Vec<(usize, RecordLine)>), BadMatch> {
    let (header, lines) = read_header(bytes)?;
    let parsed = |(text, line)| {
        RecordLine::parse(text).map(|parsed| (line, parsed)).map_err(|error| BadMatch::Line { line, error })
    };
    Ok((header, lines.map(parsed).collect::<Result<_, _>>()?))
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
        clock: Clock::parse(&header.clock).ok_or(BadRecord::Header("clock"))?,
        rules: RuleSet::parse(&header.rules).ok_or(BadRecord::Header("rules"))?,
        auto_start: header.auto_start,
        display_eggs: header.display_eggs,
        max_ticks: header.max_ticks,
        always_publish: header.level == RecordLevel::Full,
    };
    config.validate()?;
    Ok(config)
}

/// Plays the inputs of a record again and compares every line. Keeps little more than the bytes it is given.
///
/// # Errors
/// The first thing that is wrong or differs, with its line.
pub fn verify(bytes: &[u8]) -> Result<Verified, BadMatch> {
    let complete = check_fingerprint(bytes)?;
    let (found, lines) = read_header(bytes)?;
    let config = config_of(&found)?;
    let compare = Comparison::new(bytes, complete);
    let mut recorder = Recorder::new(Zappy::new(&config), compare, &header(&config, found.level));
    let Played { ticks, inputs } = play(&mut recorder, lines, |game| game.file().difference.is_some())?;
    let lines = compared(recorder.finish().1)?;
    Ok(Verified { ticks, inputs, lines, complete })
}

/// Plays the inputs of a record again and writes the record of that level which the same match would have left:
/// of a record of inputs the full one, byte by byte, or the other way round. The given record is verified on the
/// way; of one that was cut off, what is written ends there too.
///
/// # Errors
/// The first thing that is wrong or differs, with its line, or what went wrong with writing. What was written by
/// then is worth nothing.
pub fn expand(bytes: &[u8], level: RecordLevel, out: impl Write) -> Result<Verified, BadMatch> {
    let complete = check_fingerprint(bytes)?;
    let (found, lines) = read_header(bytes)?;
    let config = GameConfig { always_publish: true, ..config_of(&found)? };
    let spelled = |level| header(&config, level);
    let compare = Comparison::new(bytes, complete);
    let verifier = Recorder::new(Zappy::new(&config), compare, &spelled(found.level));
    let mut recorder = Recorder::new(verifier, out, &spelled(level));
    let stop = |game: &Recorder<Recorder<Zappy, Comparison<'_>>, _>| {
        game.error.is_some() || game.game.file().difference.is_some()
    };
    let Played { ticks, inputs } = play(&mut recorder, lines, stop)?;
    let (verifier, written) = recorder.finish();
    let lines = if written.is_ok() { compared(verifier.finish().1)? } else { 0 };
    written?;
    Ok(Verified { ticks, inputs, lines, complete })
}

/// How many lines are the same.
fn compared(written: io::Result<Comparison<'_>>) -> Result<usize, BadMatch> {
    match written {
        Ok(comparison) => comparison.finish(),
        Err(_) => Err(BadMatch::Impossible { line: 0, what: "it is longer than any record" }),
    }
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

/// Takes what the match says when it is played again, and holds it against what was recorded.
struct Comparison<'a> {
    recorded: &'a [u8],
    complete: bool,
    at: usize,
    lines: usize,
    line: Vec<u8>,
    difference: Option<BadMatch>,
}

impl<'a> Comparison<'a> {
    fn new(bytes: &'a [u8], complete: bool) -> Comparison<'a> {
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |last| last + 1);
        let (at, lines, line) = (0, 0, Vec::new());
        Comparison { recorded: &bytes[..whole], complete, at, lines, line, difference: None }
    }

    /// The recorded line that comes next, with its end.
    fn next(&self) -> Option<&'a [u8]> {
        let rest = &self.recorded[self.at..];
        rest.split_inclusive(|&b| b == b'\n').next()
    }

    fn differs(&self, recorded: String, replayed: String) -> BadMatch {
        BadMatch::Differs { line: self.lines + 1, recorded, replayed }
    }

    fn take_line(&mut self) {
        let is = self.line.trim_ascii_end();
        match self.next() {
            Some(was) if was == self.line => {
                self.at += was.len();
                self.lines += 1;
            }
            Some(was) => self.difference = Some(self.differs(escaped(was.trim_ascii_end()), escaped(is))),
            None if self.complete => {
                self.difference = Some(self.differs("the end of the record".to_owned(), escaped(is)));
            }
            // It was cut off here.
            None => {}
        }
        self.line.clear();
    }

    fn finish(self) -> Result<usize, BadMatch> {
        match (self.next(), self.difference) {
            (_, Some(difference)) => Err(difference),
            (None, None) => Ok(self.lines),
            (Some(was), None) => Err(BadMatch::Differs {
                line: self.lines + 1,
                recorded: escaped(was.trim_ascii_end()),
                replayed: "the end of the match".to_owned(),
            }),
        }
    }
}

impl Write for Comparison<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&b| b == b'\n') {
            if self.difference.is_some() {
                break;
            }
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.take_line();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
