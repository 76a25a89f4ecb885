//! Plays a record's inputs again, compares what comes out with what the record says, byte by byte, and can keep
//! it at another level.
//!
//! Reads no files itself: it is given the bytes. Never panics on any of them. Tested in `tests/rules/records.rs`.

use std::io::{self, Write};

use crate::games::GameTable;
use zappy_protocol::Tick;
use zappy_protocol::record::{
    BadHead, BadRecord, Fingerprint, Head, Header, RecordLevel, RecordLine, RecordPrinter, escaped,
    read_head, whole_lines,
};

use super::replay::{Progress, Touched, play};
use super::{Recorder, header};
use zappy_game::config::{BadConfig, Clock, MatchConfig, Observers};
use zappy_game::{Game, MatchSpec, Report, find};

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
pub enum BadMatch {
    /// A line makes no sense.
    #[error("line {line}: {error}")]
    Line {
        line: usize,
        /// What is wrong with it.
        error: BadRecord,
    },
    /// The file doesn't begin as a record does.
    #[error(transparent)]
    Head(#[from] BadHead),
    /// A value of the header can't be played by this server.
    #[error(transparent)]
    Header(#[from] BadRecord),
    /// The match that the header describes can't be played.
    #[error(transparent)]
    Config(#[from] BadConfig),
    /// Another version of the rules.
    #[error(
        "the record was played under rules version {found}, this server plays version {played}; \
         use a server that plays version {found}"
    )]
    RulesVersion {
        found: u32,
        /// The version that can be played.
        played: u32,
    },
    /// A line that can't occur in a match.
    #[error("line {line}: {what}")]
    Impossible { line: usize, what: &'static str },
    /// The record that is to be resumed has its footer.
    #[error("line {line}: the match has ended; there is nothing to go on with")]
    Ended {
        /// The record's last line, from 1.
        line: usize,
    },
    /// The fingerprint of the bytes isn't that in the last line.
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
        line: usize,
        /// What stands in the record.
        recorded: String,
        /// The line that the rules give.
        replayed: String,
    },
    /// The new record can't be written.
    #[error("the new record can't be written: {0}")]
    Write(#[from] io::Error),
}

/// A record that was played again to the same end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    pub ticks: Tick,
    /// Lines of the record that came in from clients and the console.
    pub inputs: usize,
    /// Lines of the record that were compared with those played again.
    pub lines: usize,
    /// Whether the record has its footer. A record that was cut off is compared up to its last whole line.
    pub complete: bool,
    /// How often the match was resumed.
    pub resumed: u64,
    /// How an operator's console interfered with the match; `None`: not at all.
    pub touched: Option<Touched>,
}

/// A record's header, and the lines after it with their numbers.
pub(super) fn read(bytes: &[u8]) -> Result<(Header, impl Iterator<Item = (&[u8], usize)>), BadMatch> {
    let Head { header, bytes: head, lines } = read_head(bytes)?;
    Ok((header, whole_lines(&bytes[head..]).zip(lines + 1..)))
}

/// Reads a whole record: its header, and every later line with its number.
///
/// # Errors
/// The first line that is bad.
pub fn parse(bytes: &[u8]) -> Result<(Header, Vec<(usize, RecordLine)>), BadMatch> {
    let (header, lines) = read(bytes)?;
    let parsed = |(text, line)| {
        RecordLine::parse(text).map(|parsed| (line, parsed)).map_err(|error| BadMatch::Line { line, error })
    };
    Ok((header, lines.map(parsed).collect::<Result<_, _>>()?))
}

/// The match that a header describes.
///
/// # Errors
/// When these games can't play it.
pub fn match_of(header: &Header, games: GameTable) -> Result<MatchSpec, BadMatch> {
    let game = find(games, &header.game)?;
    if header.rules_version != game.rules_version {
        return Err(BadMatch::RulesVersion { found: header.rules_version, played: game.rules_version });
    }
    let config = MatchConfig {
        map: header.map,
        teams: header.teams.clone(),
        frequency: header.frequency.try_into().map_err(|_| BadRecord::Header("frequency"))?,
        seed: header.seed,
        clock: Clock::parse(&header.clock).ok_or(BadRecord::Header("clock"))?,
        auto_start: header.auto_start,
        max_ticks: header.max_ticks,
        observers: Observers::Off,
        publish: header.level == RecordLevel::Full,
    };
    config.validate()?;
    let options = header.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    Ok(MatchSpec::new(game, config).with(options)?)
}

/// The header that the record of that match has at `level`, in the format and with the spelling of each option that the
/// header `found` has.
pub(super) fn header_like(found: &Header, spec: &MatchSpec, level: RecordLevel) -> Header {
    let mut header = Header { format: found.format, ..header(spec, level) };
    for (key, value) in &mut header.options {
        if let Some(name) = found.option(key) {
            name.clone_into(value);
        }
    }
    header
}

/// Plays the inputs of a record again and compares every line. Needs little more memory than the record itself.
///
/// # Errors
/// The first thing that is wrong or differs, with its line.
pub fn verify(bytes: &[u8], games: GameTable) -> Result<Verified, BadMatch> {
    judge(bytes, games).map(|(verified, _)| verified)
}

/// As [`verify`], and returns with it how the match went when it was played again.
///
/// # Errors
/// As for [`verify`].
pub fn judge(bytes: &[u8], games: GameTable) -> Result<(Verified, Report), BadMatch> {
    let complete = check_fingerprint(bytes)?;
    let (found, lines) = read(bytes)?;
    let spec = match_of(&found, games)?;
    let compare = Comparison::new(bytes, complete);
    let header = header_like(&found, &spec, found.level);
    let mut recorder = Recorder::new(spec.begin()?, compare, &header);
    let progress = play(&mut recorder, lines, |game| game.file.difference.is_some())?;
    let (game, compare) = recorder.finish();
    Ok((verified(&progress, compared(compare)?, complete), game.report()))
}

/// How the teams stand where a record ends, also if the record was cut off. Compares nothing.
///
/// # Errors
/// The first thing that is wrong, with its line.
pub fn standings(bytes: &[u8], games: GameTable) -> Result<Report, BadMatch> {
    let (found, lines) = read(bytes)?;
    let mut game = match_of(&found, games)?.begin()?;
    play(&mut game, lines, |_| false)?;
    Ok(game.report())
}

/// Plays the inputs of a record again and writes the record that the same match would have left at `level`, byte by
/// byte: the full record from one of inputs, or the other way round. The given record is verified at the same time.
/// If it was cut off, the written record ends there too. The format stays the same. A full record that was played
/// under another version of the rules can't be verified: its inputs are kept as they stand in it.
///
/// # Errors
/// The first thing that is wrong or differs, with its line, or what went wrong with writing. Then what was written
/// is no record.
pub fn expand(
    bytes: &[u8],
    games: GameTable,
    level: RecordLevel,
    out: impl Write,
) -> Result<Verified, BadMatch> {
    let complete = check_fingerprint(bytes)?;
    let (found, lines) = read(bytes)?;
    let mut spec = match match_of(&found, games) {
        Err(BadMatch::RulesVersion { .. })
            if (found.level, level) == (RecordLevel::Full, RecordLevel::Inputs) =>
        {
            return reduce(&found, lines, complete, out);
        }
        other => other?,
    };
    spec.config.publish = true;
    let compare = Comparison::new(bytes, complete);
    let verifier = Recorder::new(spec.begin()?, compare, &header_like(&found, &spec, found.level));
    let mut recorder = Recorder::new(verifier, out, &header_like(&found, &spec, level));
    let stop = |game: &Recorder<Recorder<Box<dyn Game>, Comparison<'_>>, _>| {
        game.error.is_some() || game.game.file.difference.is_some()
    };
    let progress = play(&mut recorder, lines, stop)?;
    let (verifier, written) = recorder.finish();
    let lines = if written.is_ok() { compared(verifier.finish().1)? } else { 0 };
    written?;
    Ok(verified(&progress, lines, complete))
}

fn verified(progress: &Progress, lines: usize, complete: bool) -> Verified {
    let Progress { inputs, touched, ref stand, .. } = *progress;
    Verified { ticks: stand.tick, inputs, lines, complete, resumed: stand.resumed.len() as u64, touched }
}

/// Writes the record of inputs of a full record that can't be played again.
fn reduce<'a>(
    found: &Header,
    lines: impl Iterator<Item = (&'a [u8], usize)>,
    complete: bool,
    mut out: impl Write,
) -> Result<Verified, BadMatch> {
    let mut printer = RecordPrinter::default();
    let header = Header { level: RecordLevel::Inputs, ..found.clone() };
    header.lines().for_each(|line| printer.push(&line));
    let (mut ticks, mut inputs, mut resumed, mut touched, mut end) = (0, 0, 0, None, None);
    for (text, number) in lines {
        let line = RecordLine::parse(text).map_err(|error| BadMatch::Line { line: number, error })?;
        match &line {
            RecordLine::Event(tick, entry) => {
                ticks = *tick;
                if entry.is_input() {
                    inputs += 1;
                    resumed += u64::from(entry.is_resumption());
                    Touched::note(&mut touched, *tick, entry);
                    printer.push(&line);
                }
            }
            RecordLine::End(tick, ..) => (ticks, end) = (*tick, Some(line)),
            RecordLine::Digest(digest) => {
                if let Some(end) = end.take() {
                    printer.finish(&end, *digest);
                }
            }
            _ => {}
        }
        out.write_all(printer.waiting())?;
        printer.clear();
    }
    Ok(Verified { ticks, inputs, lines: 0, complete, resumed, touched })
}

/// How many lines are the same, or the first difference.
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

/// The file of the match that is played again: compares each line that is written with the recorded one.
struct Comparison<'a> {
    recorded: &'a [u8],
    complete: bool,
    /// How many bytes and lines of the record were compared.
    at: usize,
    lines: usize,
    /// The line that is being written.
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

    fn finish(mut self) -> Result<usize, BadMatch> {
        match (self.difference.take(), self.next()) {
            (Some(difference), _) => Err(difference),
            (None, None) => Ok(self.lines),
            (None, Some(recorded)) => {
                Err(self.differs(escaped(recorded.trim_ascii_end()), "the end of the match".to_owned()))
            }
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
            if !piece.ends_with(b"\n") {
                break;
            }
            let replayed = self.line.trim_ascii_end();
            match self.next() {
                Some(recorded) if recorded == self.line => {
                    self.at += recorded.len();
                    self.lines += 1;
                }
                Some(recorded) => {
                    self.difference =
                        Some(self.differs(escaped(recorded.trim_ascii_end()), escaped(replayed)));
                }
                None if self.complete => {
                    self.difference =
                        Some(self.differs("the end of the record".to_owned(), escaped(replayed)));
                }
                // The record was cut off before this line.
                None => {}
            }
            self.line.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
