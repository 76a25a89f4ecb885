//! Records: any bytes are read, and what is read is proved, expanded and resumed without a panic and within limits.
//!
//! Run by `tests/corpus.rs`.

use std::convert::Infallible;

use zappy_game::config::Observers;
use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::{Spoken, is_of};
use zappy_protocol::record::notes::{Margin, Notes};
use zappy_protocol::record::{
    Glance, HEAD_BYTES, Header, RecordLevel, RecordLine, Seat, last_tick, read_footer, read_head, whole_lines,
};
use zappy_server::record::{Resumed, expand, parse, resume, standings, verify};

use crate::fuzz::lines::assert_plain;
use crate::guest::PLAYED;

/// Matches that are played again: tiles of the map, teams, slots of a team, ticks. Larger ones only take longer.
const MAX_AREA: u32 = 400;
const MAX_TEAMS: usize = 6;
const MAX_SLOTS: u64 = 20;
const MAX_TICKS: Tick = 3_000;

/// Reads any bytes as a record.
pub fn check(input: &[u8]) {
    whole_lines(input).for_each(check_line);
    let _ = last_tick(input);
    let notes = Notes::parse(input);
    assert_eq!(Notes::parse(notes.to_string().as_bytes()).notes.len(), notes.notes.len(), "{notes}");
    let mut margin = Margin::new([Notes { player: Some(0), ..notes }]);
    let places = whole_lines(input).map(|line| margin.before(line).len()).sum::<usize>();
    assert!(places <= input.len());
    let length = input.len() as u64;
    let Ok(footer) = read_footer(length, |from, to| {
        assert!(from <= to && to <= length, "bytes {from} to {to} of {length} are read");
        Ok::<_, Infallible>(input[from as usize..to as usize].to_vec())
    });
    assert!(footer.is_none_or(|footer| footer.at < length));
    match read_head(input) {
        Err(error) => assert_plain(&error),
        Ok(head) => {
            assert!(head.bytes <= input.len() && head.bytes <= HEAD_BYTES + input.len());
            let Header { map, teams, .. } = &head.header;
            let slots = head.header.number("clients").unwrap_or_default();
            let small = map.area() <= MAX_AREA && teams.len() <= MAX_TEAMS && slots <= MAX_SLOTS;
            let tick_named = |line: &[u8]| match RecordLine::parse(line) {
                Ok(RecordLine::Event(tick, _) | RecordLine::Keyframe(tick) | RecordLine::End(tick, ..)) => {
                    tick
                }
                _ => 0,
            };
            let last = whole_lines(input).map(tick_named).max().unwrap_or_default();
            if small && last <= MAX_TICKS {
                // If the record verifies, so does all that is made of it.
                let read = parse(input);
                let _ = standings(input, &PLAYED);
                match verify(input, &PLAYED) {
                    Err(error) => assert_plain(&error),
                    Ok(verified) => {
                        assert!(read.is_ok(), "a record is proved that can't be read");
                        check_derived(input, verified.complete);
                    }
                }
                check_resumed(input);
            }
        }
    }
}

/// A line comes back from its own print, and a glance at it sees what the whole reading sees.
fn check_line(line: &[u8]) {
    let parsed = RecordLine::parse(line);
    let glance = Glance::at(line);
    let words = line.escape_ascii().to_string();
    match &parsed {
        Ok(value) => {
            let again = RecordLine::parse(value.print().as_bytes());
            assert_eq!(again.as_ref(), Ok(value), "{words} is printed as {}", value.print());
        }
        Err(error) => assert_plain(&error),
    }
    if let Ok(RecordLine::Event(tick, entry)) = parsed {
        assert!(glance.tick().is_none_or(|seen| seen == tick), "{words}: a glance sees {glance:?}");
        // A record writes the seats of a line without leading noughts.
        let seats = line.split(|&byte| byte == b' ').nth(2).unwrap_or_default();
        let mut seats =
            seats.split(|&byte| byte == b',').map(|seat| std::str::from_utf8(seat).unwrap_or_default());
        let printed =
            |seat: &str| seat.parse().is_ok_and(|number: u32| Seat::Number(number).to_string() == seat);
        let plain = line.starts_with(format!("{tick} ").as_bytes()) && seats.all(printed);
        for seat in 0..3 {
            let spoken = Spoken::of(tick, entry.clone(), seat);
            // A quick look may see a seat that the line only seems to have, never the other way round.
            assert!(spoken.is_none() || is_of(line, seat) || !plain, "{words}: seat {seat} is overlooked");
        }
    }
}

/// The bytes up to the last line's end.
fn whole_part(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)]
}

/// What is made of a good record: its inputs alone, the full record from these, another one that goes on from a part.
pub fn check_derived(record: &[u8], complete: bool) {
    let made = |bytes: &[u8], level| {
        let mut out = Vec::new();
        let made = expand(bytes, &PLAYED, level, &mut out);
        let verified = made.unwrap_or_else(|error| panic!("made {level:?} of it: {error}"));
        // A record that was cut off may become complete, since what was due at its last tick is played.
        assert!(verified.complete || !complete);
        out
    };
    let inputs = made(record, RecordLevel::Inputs);
    let full = made(&inputs, RecordLevel::Full);
    if read_head(record).is_ok_and(|head| head.header.level == RecordLevel::Full) {
        // Of a record that was cut off, either may hold more: what followed from the last input, or the time after it.
        let whole = whole_part(record);
        let both = whole.len().min(full.len());
        let same = full[..both] == whole[..both] && (!complete || full.len() == record.len());
        assert!(same, "the full record doesn't come from the inputs alone");
    }
    // Any place will do; this one depends on all of the record.
    let sum = inputs.iter().fold(0_usize, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    check_resumed(&inputs[..sum % (inputs.len() + 1)]);
    if complete {
        let mut changed = inputs.clone();
        changed[sum % inputs.len()] ^= 1;
        // A record without its last line's end counts as cut off.
        let seen = verify(&changed, &PLAYED).map_or(true, |verified| !verified.complete);
        assert!(seen, "a change goes unseen");
    }
}

/// A match that goes on from inputs that were cut off anywhere leaves one good record, which begins with them. If the
/// match was over, the record is whole.
fn check_resumed(part: &[u8]) {
    match resume(part, &PLAYED, Observers::Control, Vec::new()) {
        Err(error) => assert_plain(&error),
        Ok(Resumed { recorder: game, stand, .. }) => {
            let over = game.is_finished();
            let Ok(again) = game.finish().1 else { panic!("a record in memory can't be written") };
            // Lines that no server writes may be left out of what is written.
            if verify(part, &PLAYED).is_err() {
                return;
            }
            let verified =
                verify(&again, &PLAYED).unwrap_or_else(|error| panic!("resumed at {stand:?}: {error}"));
            assert!(verified.complete == over && verified.ticks <= stand.tick);
            let inputs = read_head(part).is_ok_and(|head| head.header.level == RecordLevel::Inputs);
            if inputs {
                assert!(again.starts_with(whole_part(part)), "what was there has changed");
            }
        }
    }
}
