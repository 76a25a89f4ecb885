//! A record's lines in their order, one after another: read from the file, or played again where it holds inputs
//! alone.
//!
//! Of a full record never more than a line is held, of a record of inputs all inputs. The lines are whole: a last line
//! that was cut off is left out. Decides nothing about what lines mean. Tested in `arena/cli/tests/records/`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use zappy_game::GameSpec;
use zappy_protocol::record::{
    BadHead, HEAD_BYTES, Header, RecordLevel, RecordLine, last_tick, read_footer, read_head, whole_lines,
};
use zappy_protocol::text::{listed, shown};
use zappy_protocol::{TeamName, Tick};
use zappy_server::record::{self, BadMatch, MAX_LINE_BYTES, match_of};

use super::files::{self, Error, refused};

/// Bytes at the end of a record without a footer in which its last tick is looked for.
const TAIL_BYTES: u64 = 256 * 1024;
const BUFFER_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone)]
pub struct End {
    /// The record's word for the reason.
    pub reason: String,
    /// The teams that come first, usually one.
    pub winners: Vec<String>,
    /// Whether the first of them was drawn by lot; `None` if it isn't known, since no line of a record says it.
    pub by_lot: Option<bool>,
}

/// A record that can be read.
#[derive(Debug)]
pub struct Source {
    pub path: PathBuf,
    /// What the match was played with.
    pub header: Header,
    /// How it ended, if the record says it.
    pub end: Option<End>,
    /// Whether the record is whole.
    pub complete: bool,
    /// The last tick of the record.
    pub last_tick: Tick,
    /// Whether the match is played again for the lines that the file lacks.
    pub replayed: bool,
    /// Why something can't be shown; `None` if all can.
    pub note: Option<String>,
    /// The games that can be played.
    pub games: &'static [GameSpec],
}

impl End {
    fn of(reason: String, winners: &[TeamName]) -> End {
        End { reason, winners: winners.iter().map(ToString::to_string).collect(), by_lot: None }
    }

    /// The team that stands first.
    pub fn winner(&self) -> Option<&str> {
        self.winners.first().map(String::as_str)
    }

    pub fn words(&self) -> String {
        let reason = shown(self.reason.as_bytes());
        let teams: Vec<String> = self.winners.iter().map(|team| shown(team.as_bytes())).collect();
        match &teams[..] {
            [team, ..] if self.by_lot == Some(true) => format!("a draw, {team} first by lot ({reason})"),
            [team] => format!("{team} has won ({reason})"),
            [] => format!("no winner ({reason})"),
            teams => format!("{} have won ({reason})", listed(teams)),
        }
    }
}

impl Source {
    /// Opens a record: reads its header and its end.
    pub fn open(path: &Path, games: &'static [GameSpec]) -> Result<Source, Error> {
        let mut file = zappy_server::files::open(path).map_err(refused)?;
        let mut head = Vec::new();
        Read::by_ref(&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        let header = match read_head(&head) {
            Ok(head) => head.header,
            Err(BadHead::Empty | BadHead::Foreign(_)) => return Err(Error::NoRecord),
            Err(error) => return Err(BadMatch::from(error).into()),
        };
        let (last_tick, end, complete) = read_end(&mut file)?;
        let only_inputs = header.level == RecordLevel::Inputs;
        let obstacle = if only_inputs { match_of(&header, games).err() } else { None };
        let why = obstacle.map(|error| match error {
            BadMatch::RulesVersion { found, .. } => format!("it was played under rules version {found}"),
            other => other.to_string(),
        });
        Ok(Source {
            path: path.to_owned(),
            replayed: only_inputs && why.is_none(),
            note: why.map(|why| {
                format!(
                    "the record holds inputs alone, and {why}, which this program can't play: only what came in is shown"
                )
            }),
            header,
            end,
            complete,
            last_tick,
            games,
        })
    }

    /// Whether answers and messages to observers are among the lines.
    pub fn is_full(&self) -> bool {
        self.replayed || self.header.level == RecordLevel::Full
    }

    /// Hands each line with its number to `take`, the header included, until `take` returns `false`. Lines that are
    /// played again have the numbers that they would have in the full record.
    ///
    /// # Errors
    /// The record can't be read on, or doesn't verify while it is played again.
    pub fn read(&self, take: &mut dyn FnMut(usize, &[u8]) -> bool) -> Result<(), Error> {
        if self.replayed {
            let mut lines = LineWriter { take, unfinished: Vec::new(), number: 0, enough: false };
            let played = record::expand(&files::read(&self.path)?, self.games, RecordLevel::Full, &mut lines);
            return match played {
                Err(_) if lines.enough => Ok(()),
                played => Ok(played.map(|_| ())?),
            };
        }
        let mut file =
            BufReader::with_capacity(BUFFER_BYTES, zappy_server::files::open(&self.path).map_err(refused)?);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            file.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line)?;
            let Some(text) = line.strip_suffix(b"\n") else {
                let whole = line.len() < MAX_LINE_BYTES;
                return if whole { Ok(()) } else { Err(Error::LongLine(number)) };
            };
            if !take(number, text) {
                break;
            }
        }
        Ok(())
    }
}

/// The last tick, how the match ended if the record says it, and whether the record is whole.
fn read_end(file: &mut File) -> Result<(Tick, Option<End>, bool), Error> {
    let bytes = file.seek(SeekFrom::End(0))?;
    let mut read = |from, to| {
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        Read::by_ref(file).take(to - from).read_to_end(&mut part)?;
        Ok::<_, io::Error>(part)
    };
    if let Some(footer) = read_footer(bytes, &mut read)? {
        return Ok((footer.tick, Some(End::of(footer.reason, &footer.winners)), true));
    }
    let tail = read(bytes.saturating_sub(TAIL_BYTES), bytes)?;
    // A record that was cut off within its footer may have the `end` line all the same.
    let lines = whole_lines(&tail).map(RecordLine::parse);
    let end = lines.filter_map(|line| match line {
        Ok(RecordLine::End(tick, reason, winners)) => Some((tick, End::of(reason, &winners))),
        _ => None,
    });
    Ok(match end.last() {
        Some((tick, end)) => (tick, Some(end), false),
        None => (last_tick(&tail).unwrap_or(0), None, false),
    })
}

/// A writer that hands over what is written as whole lines.
struct LineWriter<'a> {
    take: &'a mut dyn FnMut(usize, &[u8]) -> bool,
    unfinished: Vec<u8>,
    number: usize,
    enough: bool,
}

impl Write for LineWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.unfinished.extend_from_slice(piece);
            let Some(line) = self.unfinished.strip_suffix(b"\n") else { continue };
            self.number += 1;
            if !(self.take)(self.number, line) {
                self.enough = true;
                return Err(io::Error::other("enough was read"));
            }
            self.unfinished.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
