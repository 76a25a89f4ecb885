//! Where in a record's file its keyframes stand, found from the file's tail and never trusted blindly.
//!
//! Reads a few places of the file and never all of it. A file without a footer, because its match still runs
//! or was cut off, has no index. Tested through `record_file`.

use std::io;

use zappy_protocol::Tick;
use zappy_protocol::record::{Footer, MAX_TICK, RecordLine, last_tick, read_footer};

use super::archive::{Keyframe, keep_whole_lines};
use super::medium::Medium;

/// Keyframes that are looked at before the index is believed; the others are when they are used.
const PROBES: usize = 64;
/// Bytes of the file's tail in which the last line with a tick is looked for at first.
const TAIL_BYTES: u64 = 64 * 1024;
/// The most bytes of the tail that are searched for it: no line is longer.
const MAX_TAIL_BYTES: u64 = 4 << 20;

/// The findings at the end of a file.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// Where the events end, in bytes.
    pub end: u64,
    /// The last event's tick; 0 if there is none.
    pub last_tick: Tick,
    /// How the match ended; nothing while it didn't.
    pub footer: Option<Footer>,
    /// Where keyframes stand; `None` if the index is missing, or wrong because lines were changed after the match.
    pub keyframes: Option<Vec<Keyframe>>,
}

fn bytes_between(file: &Medium, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or(0)];
    let filled = file.read_at(from, &mut bytes)?;
    bytes.truncate(filled);
    Ok(bytes)
}

/// Whether there is such a keyframe at that place of the file.
pub(super) fn stands(file: &Medium, keyframe: Keyframe) -> bool {
    let expected = format!("\n{}\n", RecordLine::Keyframe(keyframe.tick).print());
    let Some(before) = keyframe.at.checked_sub(1) else { return false };
    bytes_between(file, before, before + expected.len() as u64)
        .is_ok_and(|found| found == expected.as_bytes())
}

/// Reads the end of a file of that length; its events begin at `begin`.
pub(super) fn tail(file: &Medium, begin: u64, length: u64) -> io::Result<Tail> {
    if let Some(tail) = footer(file, begin, length)? {
        return Ok(tail);
    }
    // The end of the last whole line, and the tick of the last one that has any.
    let mut size = TAIL_BYTES;
    loop {
        let from = length.saturating_sub(size).max(begin);
        let mut bytes = bytes_between(file, from, length)?;
        keep_whole_lines(&mut bytes);
        let whole = bytes.last() == Some(&b'\n');
        let end = if whole { from + bytes.len() as u64 } else { begin };
        // Reading may begin in the middle of a line, and the rest of that line may look like a tick.
        let first = bytes.iter().position(|&byte| byte == b'\n').filter(|_| from > begin).unwrap_or(0);
        let found = last_tick(&bytes[first..]);
        if found.is_some() || from == begin || size >= MAX_TAIL_BYTES {
            return Ok(Tail { end, last_tick: found.unwrap_or(0), ..Tail::default() });
        }
        size *= 4;
    }
}

fn footer(file: &Medium, begin: u64, length: u64) -> io::Result<Option<Tail>> {
    let told = read_footer(length, |from, to| bytes_between(file, from, to))?;
    // The places in a footer are right as long as no line has grown or shrunk.
    let follows_line = |at: u64| bytes_between(file, at - 1, at).is_ok_and(|before| before == b"\n");
    let told = told.filter(|footer| footer.at > 0 && follows_line(footer.at));
    let Some(footer) = told else { return end_line(file, begin, length) };
    let keyframes: Vec<Keyframe> = footer.keyframes.iter().map(|&(tick, at)| Keyframe { tick, at }).collect();
    if footer.at < begin {
        return Ok(None);
    }
    let step = keyframes.len().div_ceil(PROBES).max(1);
    let mut probes = keyframes.iter().step_by(step).chain(keyframes.last());
    let believed = in_order(&keyframes, begin, footer.at) && probes.all(|&keyframe| stands(file, keyframe));
    let (end, last_tick, keyframes) = (footer.at, footer.tick, believed.then_some(keyframes));
    Ok(Some(Tail { end, last_tick, footer: Some(footer), keyframes }))
}

/// The end of a file that has its last line, but no footer at the place which that line names: searches for the footer.
fn end_line(file: &Medium, begin: u64, length: u64) -> io::Result<Option<Tail>> {
    let from = length.saturating_sub(MAX_TAIL_BYTES).max(begin);
    let bytes = bytes_between(file, from, length)?;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let parsed = |line: &[u8]| RecordLine::parse(line.strip_suffix(b"\n")?).ok();
    if !matches!(lines.last().and_then(|line| parsed(line)), Some(RecordLine::Check(..))) {
        return Ok(None);
    }
    let mut end = length;
    for line in lines.iter().rev() {
        end -= line.len() as u64;
        if let Some(RecordLine::End(tick, reason, winners)) = parsed(line) {
            let footer = Some(Footer { tick, reason, winners, keyframes: Vec::new(), at: end });
            return Ok(Some(Tail { end, last_tick: tick, footer, keyframes: None }));
        }
    }
    Ok(None)
}

fn in_order(keyframes: &[Keyframe], begin: u64, end: u64) -> bool {
    keyframes.iter().all(|keyframe| keyframe.at > begin && keyframe.at < end && keyframe.tick <= MAX_TICK)
        && keyframes.windows(2).all(|pair| pair[0].tick <= pair[1].tick && pair[0].at < pair[1].at)
}
