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

/// What the end of a file says.
#[derive(Debug)]
pub(super) struct Tail {
    /// Where the events end, in bytes.
    pub end: u64,
    /// The last event's tick; 0 if there is none.
    pub last_tick: Tick,
    /// How the match ended; nothing while it didn't.
    pub footer: Option<Footer>,
    /// Where keyframes stand; `None` if the index is missing or wrong.
    pub keyframes: Option<Vec<Keyframe>>,
}

fn bytes_between(file: &Medium, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or(0)];
    let filled = file.read_at(from, &mut bytes)?;
    bytes.truncate(filled);
    Ok(bytes)
}

/// Whether the keyframe stands where it is said to stand.
pub(super) fn stands(file: &Medium, keyframe: Keyframe) -> bool {
    let expected = format!("\n{}\n", RecordLine::Keyframe(keyframe.tick).print());
    let Some(before) = keyframe.at.checked_sub(1) else { return false };
    bytes_between(file, before, before + expected.len() as u64)
        .is_ok_and(|found| found == expected.as_bytes())
}

/// What the end of a file of that length says; its events begin at `begin`.
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
            return Ok(Tail { end, last_tick: found.unwrap_or(0), footer: None, keyframes: None });
        }
        size *= 4;
    }
}

fn footer(file: &Medium, begin: u64, length: u64) -> io::Result<Option<Tail>> {
    let Some(footer) = read_footer(length, |from, to| bytes_between(file, from, to))? else {
        return Ok(None);
    };
    let keyframes: Vec<Keyframe> = footer.keyframes.iter().map(|&(tick, at)| Keyframe { tick, at }).collect();
    if footer.at < begin {
        return Ok(None);
    }
    let step = keyframes.len().div_ceil(PROBES).max(1);
    let mut probes = keyframes.iter().step_by(step).chain(keyframes.last());
    let believed = in_order(&keyframes, begin, footer.at) && probes.all(|&keyframe| stands(file, keyframe));
    Ok(Some(Tail {
        end: footer.at,
        last_tick: footer.tick,
        footer: Some(footer),
        keyframes: believed.then_some(keyframes),
    }))
}

fn in_order(keyframes: &[Keyframe], begin: u64, end: u64) -> bool {
    keyframes.iter().all(|keyframe| keyframe.at > begin && keyframe.at < end && keyframe.tick <= MAX_TICK)
        && keyframes.windows(2).all(|pair| pair[0].tick <= pair[1].tick && pair[0].at < pair[1].at)
}
