//! Reads the file of a record, up to a limit.
//!
//! Tested in `tests/rules/records.rs`.

use std::io::{self, Read};
use std::path::Path;

use crate::files;

/// The longest record, in bytes: a client that sends junk all night doesn't fill the disk.
pub const MAX_RECORD_BYTES: u64 = 2 << 30;
/// The longest line of a record, in bytes: more than a player of the highest level sees on the fullest ground.
pub const MAX_LINE_BYTES: usize = 16 << 20;
/// What every record begins with.
pub const BEGINNING: &[u8] = b"zrec ";
/// Bytes of a file that are read before its lines are looked at again.
const CHUNK_BYTES: u64 = 4 << 20;

/// Reads a whole record. What doesn't begin as one, or holds a line that no record holds, isn't read any further.
///
/// # Errors
/// It can't be read, or is longer than any record.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let no_record = |words: String| io::Error::new(io::ErrorKind::InvalidData, words);
    let file = files::open(path)?;
    let length = file.metadata()?.len();
    let (mut file, mut bytes, mut line) = (file.take(MAX_RECORD_BYTES + 1), Vec::new(), 0);
    loop {
        let before = bytes.len();
        file.by_ref().take(CHUNK_BYTES).read_to_end(&mut bytes)?;
        if bytes.len() == before {
            return Ok(bytes);
        }
        if before == 0 {
            if !bytes.starts_with(BEGINNING) {
                return Ok(bytes);
            }
            bytes.reserve_exact(
                usize::try_from(length.min(MAX_RECORD_BYTES)).unwrap_or(0).saturating_sub(bytes.len()),
            );
        }
        if bytes.len() as u64 > MAX_RECORD_BYTES {
            return Err(no_record(format!("no record is longer than {MAX_RECORD_BYTES} bytes")));
        }
        line = bytes[before..].iter().rposition(|&byte| byte == b'\n').map_or(line, |end| before + end + 1);
        if bytes.len() - line > MAX_LINE_BYTES {
            return Err(no_record(format!(
                "this is no record: it holds a line of more than {MAX_LINE_BYTES} bytes"
            )));
        }
    }
}
