//! Finds the next or previous tick at which a player was refused something.
//!
//! Reads a bounded part of the archive and never what players said to each other. Tested in
//! `tests/archive/refusal.rs`.

use std::io;

use zappy_protocol::Tick;
use zappy_protocol::record::Glance;
use zappy_protocol::record::dialogue::is_of;
use zappy_protocol::zappy::PlayerId;

use zappy_observer::timeline::archive::Archive;
use zappy_observer::timeline::tape::Cursor;

/// Bytes that are looked through at most: a fraction of a second's work, a quarter of an hour of most matches.
const WORK_BYTES: u64 = 64 << 20;

/// The first tick after this one at which the player was refused something; `None` if it isn't within [`WORK_BYTES`].
///
/// # Errors
/// If the archive can't be read.
pub fn next(archive: &mut dyn Archive, player: PlayerId, after: Tick) -> io::Result<Option<Tick>> {
    let from = archive.keyframe_before(after.saturating_add(1)).at;
    let mut found = None;
    for_each_refusal(archive, player, (from, from.saturating_add(WORK_BYTES)), &mut |tick| {
        if tick > after {
            found = Some(tick);
        }
        tick <= after
    })?;
    Ok(found)
}

/// The last tick before this one at which the player was refused something; `None` if it isn't within [`WORK_BYTES`].
///
/// # Errors
/// If the archive can't be read.
pub fn previous(archive: &mut dyn Archive, player: PlayerId, before: Tick) -> io::Result<Option<Tick>> {
    let (mut keyframe, mut until) = (archive.keyframe_before(before), archive.end());
    let furthest = keyframe.at.saturating_sub(WORK_BYTES);
    loop {
        let mut found = None;
        for_each_refusal(archive, player, (keyframe.at, until), &mut |tick| {
            if tick < before {
                found = Some(tick);
            }
            tick < before
        })?;
        let earlier = archive.keyframe_before(keyframe.tick);
        if found.is_some() || earlier.at >= keyframe.at || keyframe.at < furthest {
            return Ok(found);
        }
        (until, keyframe) = (keyframe.at, earlier);
    }
}

/// Calls `wanted` with the tick of each refusal between two places of the archive, in bytes, until it returns `false`.
fn for_each_refusal(
    archive: &mut dyn Archive,
    player: PlayerId,
    (from, until): (u64, u64),
    wanted: &mut dyn FnMut(Tick) -> bool,
) -> io::Result<()> {
    let mut cursor = Cursor::new(from);
    while cursor.place() < until {
        let Some(line) = cursor.line(archive)? else { return Ok(()) };
        let mark = line.iter().position(|&byte| byte == b' ').and_then(|space| line.get(space + 1));
        if mark == Some(&b'?')
            && is_of(line, player.0)
            && let Glance::Seat(tick) = Glance::at(line)
            && !wanted(tick)
        {
            return Ok(());
        }
        cursor.step();
    }
    Ok(())
}
