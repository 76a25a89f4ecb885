//! Counts of what programs hold beside their folders.

use std::collections::HashSet;

/// What files without a name hold, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Nameless {
    pub(crate) memory: u64,
    pub(crate) disk: u64,
}

/// What the folders in memory of a team's sandboxes hold.
#[derive(Debug, Default)]
pub(crate) struct InMemory {
    pub(crate) bytes: u64,
    /// Files and folders: also one without content takes some of the kernel's memory.
    pub(crate) entries: u64,
    /// The device numbers of these folders.
    #[cfg(target_os = "linux")]
    pub(crate) devices: HashSet<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    /// The number of open descriptors.
    pub(crate) count: usize,
    pub(crate) sockets: HashSet<u64>,
    pub(crate) nameless: Nameless,
}
