//! What programs hold beside their folders, in numbers.

use std::collections::HashSet;

/// What files without a name hold, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::play) struct Nameless {
    pub(in crate::play) memory: u64,
    pub(in crate::play) disk: u64,
}

/// What the folders in memory of a team's sandboxes hold.
#[derive(Debug, Default)]
pub(in crate::play) struct InMemory {
    pub(in crate::play) bytes: u64,
    /// Files and folders: also one without content takes some of the kernel's memory.
    pub(in crate::play) entries: u64,
    /// The devices that these folders are.
    #[cfg(target_os = "linux")]
    pub(in crate::play) devices: HashSet<u64>,
}

/// What processes have open.
#[derive(Debug, Default)]
pub(in crate::play) struct OpenFiles {
    /// How often anything is open.
    pub(in crate::play) count: usize,
    pub(in crate::play) sockets: HashSet<u64>,
    pub(in crate::play) nameless: Nameless,
}
