//! Whether a match's record proves how it went: whole, of this very match, and the same when it is played again.
//!
//! Reads the record and nothing else. Tested in `tests/tournament/proof.rs`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use zappy_protocol::record::read_head;
use zappy_server::game::GameSpec;
use zappy_server::record::{MAX_RECORD_BYTES, verify};
use zappy_server::result::MatchResult;

/// Whether the record proves that result.
///
/// # Errors
/// Why it doesn't, in words that go on after "its record".
pub fn prove(path: &Path, games: &'static [GameSpec], result: &MatchResult) -> Result<(), String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_RECORD_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("can't be read: {error}"))?;
    if bytes.len() as u64 > MAX_RECORD_BYTES {
        return Err(format!("is longer than {MAX_RECORD_BYTES} bytes"));
    }
    let of = |ticks: u64| format!("ends at tick {ticks} of {}", result.ticks);
    let header = read_head(&bytes).map_err(|error| format!("is none: {error}"))?.header;
    if header.seed != result.seed || header.game != result.game {
        return Err("is that of another match".to_owned());
    }
    let verified = verify(&bytes, games).map_err(|error| format!("doesn't verify: {error}"))?;
    if !verified.complete || result.record_complete == Some(false) || verified.ticks != result.ticks {
        return Err(of(verified.ticks));
    }
    Ok(())
}
