//! Where a request to end the match came from.
//!
//! A plain value. Tested in `unix`.

/// Where a signal came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// The kernel: a terminal, say.
    Kernel,
    /// The process of that number, as the kernel itself noted it.
    Process(i32),
    /// A process that can't be known: it may have named another process as the sender, or the system doesn't say.
    Unknown,
}
