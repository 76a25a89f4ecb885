//! Windows: no program is held to limits.

use std::io::{self, ErrorKind};

use super::Limits;

impl Limits {
    /// Limits that are asked for can't be kept.
    pub fn impose(self) -> io::Result<()> {
        let Limits { memory_mib, cpu_seconds, disk_mib, files, .. } = self;
        if memory_mib.or(cpu_seconds).or(disk_mib).or(files.map(u64::from)).is_some() {
            return Err(io::Error::new(ErrorKind::Unsupported, "only Linux holds bots to limits"));
        }
        Ok(())
    }
}
