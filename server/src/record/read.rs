//! Reads the file of a record, which may be too long or none at all.
//!
//! Tested in `tests/rules/records.rs`.

use std::io::{self, Read};
use std::path::Path;

use crate::files;

/// The longest record, in bytes, so that no client can fill the disk with junk.
pub const MAX_RECORD_BYTES: u64 = 2 << 30;
/// The longest line of a record, in bytes, about: longer than any answer to `Look`.
pub const MAX_LINE_BYTES: usize = 16 << 20;
/// What every record begins with.
pub const MAGIC: &[u8] = b"zrec ";
/// Bytes that are read at a time, after which the length of the last line is checked.
const CHUNK_BYTES: u64 = 4 << 20;

/// Reads a whole record. Of a file without [`MAGIC`] only the first chunk is read.
///
/// # Errors
/// It can't be read, or it or one of its lines is longer than any record's.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let invalid = |words: String| io::Error::new(io::ErrorKind::InvalidData, words);
    let file = files::open(path)?;
    let length = file.metadata()?.len();
    let (mut file, mut bytes, mut line_start) = (file.take(MAX_RECORD_BYTES + 1), Vec::new(), 0);
    loop {
        let before = bytes.len();
        file.by_ref().take(CHUNK_BYTES).read_to_end(&mut bytes)?;
        if bytes.len() == before {
            return Ok(bytes);
        }
        if before == 0 {
            if !bytes.starts_with(MAGIC) {
                return Ok(bytes);
            }
            bytes.reserve_exact(
                usize::try_from(length.min(MAX_RECORD_BYTES)).unwrap_or(0).saturating_sub(bytes.len()),
            );
        }
        if bytes.len() as u64 > MAX_RECORD_BYTES {
            return Err(invalid(format!("no record is longer than {MAX_RECORD_BYTES} bytes")));
        }
        let newline = bytes[before..].iter().rposition(|&byte| byte == b'\n');
        line_start = newline.map_or(line_start, |newline| before + newline + 1);
        if bytes.len() - line_start > MAX_LINE_BYTES {
            return Err(invalid(format!(
                "this is no record: it holds a line of more than {MAX_LINE_BYTES} bytes"
            )));
        }
    }
}
