//! Where a wish to end the match came from.
//!
//! A plain value. Tested in `unix`.

/// Where a signal came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// The kernel: a terminal, say.
    Kernel,
    /// The process of that number, as the kernel itself noted it.
    Process(i32),
    /// A process that may have named another one as the sender, or one that can't be told from here.
    Unknown,
}
