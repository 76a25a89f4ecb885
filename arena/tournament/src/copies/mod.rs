//! Copies of other people's files: of a submission, of a bot of a league, of what a build has made, and of a bot for one match,
//! in which what its programs write is seen by no other match.
//!
//! The folder may change while it is copied, so each step goes from a folder that is open, never by a path again: no link is
//! followed (links stay links), nothing is waited for, and no more is read than a bot may have. A copy belongs to the arena's
//! user and bears no rights but to be read and run, whatever the original bore. Tested in `linux`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::*;
#[cfg(target_os = "linux")]
pub use linux::*;

use super::identity::{DEPTH, MOST_BYTES, MOST_FILES};

/// Files, folders and links of what is handed in to a league, where each version is kept.
const HANDED_FILES: usize = 2_000;
/// Bytes of it.
const HANDED_BYTES: u64 = 64 << 20;
/// Folders within its folders.
const HANDED_DEPTH: usize = 16;

/// What is copied at most.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    /// Of what, in words.
    pub of: &'static str,
    pub files: usize,
    /// Bytes of all files.
    pub bytes: u64,
    pub depth: usize,
}

impl Most {
    /// What any bot may have: so many files and as many folders.
    pub const BOT: Most = Most { of: "a bot", files: 2 * MOST_FILES, bytes: MOST_BYTES, depth: DEPTH };
    /// What a bot may have that is handed in to a league.
    pub const HANDED: Most =
        Most { of: "a bot of a league", files: HANDED_FILES, bytes: HANDED_BYTES, depth: HANDED_DEPTH };
}
