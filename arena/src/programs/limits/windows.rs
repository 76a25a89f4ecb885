//! Windows: no program is held to limits.

use std::io::{self, ErrorKind};

/// Limits that are asked for can't be kept.
///
/// # Errors
/// If there is any.
pub fn set(
    memory_mib: Option<u64>,
    cpu_seconds: Option<u64>,
    disk_mib: Option<u64>,
    files: Option<u32>,
) -> io::Result<()> {
    let any = memory_mib.is_some() || cpu_seconds.is_some() || disk_mib.is_some() || files.is_some();
    if any {
        return Err(io::Error::new(ErrorKind::Unsupported, "only Linux holds bots to limits"));
    }
    Ok(())
}
