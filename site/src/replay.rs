//! Any record as one that can be watched: a record of inputs is played again by the rules, and proved by that.
//!
//! Writes to what it is given and nowhere else. Tested in `tests/site/pages.rs`.

use std::fs::File;
use std::io::{self, Read, Write};

use zappy_play::signature::Hash;
use zappy_protocol::record::RecordLevel;
use zappy_server::record;

use crate::gzip::Bounded;
use crate::summary::Games;
use crate::trust;

/// The longest record that is sent.
const RECORD_BYTES: u64 = 512 << 20;
/// The longest record of inputs that is played again.
const INPUTS_BYTES: u64 = 64 << 20;

/// Writes a record that can be watched.
///
/// # Errors
/// It is too long, or isn't the one of that hash, or can't be read or played again, or `out` fails.
pub fn write(
    (file, hash): (File, Option<Hash>),
    level: RecordLevel,
    games: Games,
    out: &mut dyn Write,
) -> io::Result<()> {
    let most = if level == RecordLevel::Full { RECORD_BYTES } else { INPUTS_BYTES };
    if file.metadata()?.len() > most {
        let words = format!("the record is longer than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    let mut file = file.take(most);
    if level == RecordLevel::Full {
        return trust::copy(&mut file, hash.as_ref(), out);
    }
    let mut inputs = Vec::new();
    trust::copy(&mut file, hash.as_ref(), &mut inputs)?;
    let out = Bounded { out, written_bytes: 0, most_bytes: RECORD_BYTES };
    record::expand(&inputs, games, RecordLevel::Full, out).map(|_| ()).map_err(io::Error::other)
}
