//! Only Linux has folders in memory that a team's programs alone see.

use std::io;
use std::path::{Path, PathBuf};

use crate::os::Pid;
use crate::programs::bubblewrap::Sandbox;

/// Has no value: this system lacks what it needs.
#[derive(Debug)]
pub enum Hold {}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filled {
    /// Bytes of files.
    pub bytes: u64,
    pub entries: u64,
}

impl Hold {
    /// Opens none.
    pub fn open(_sandbox: &Sandbox, _folder: &Path, _bytes: u64) -> Result<Hold, String> {
        Err("only Linux has folders in memory for bots".to_owned())
    }

    #[must_use]
    pub fn keeper(&self) -> Pid {
        match *self {}
    }

    /// The processes that keep it.
    #[must_use]
    pub fn processes(&self) -> [Pid; 2] {
        match *self {}
    }

    /// The folder as the arena sees it.
    #[must_use]
    pub fn from_outside(&self) -> PathBuf {
        match *self {}
    }

    /// What is in it now.
    #[must_use]
    pub fn filled(&self) -> Option<Filled> {
        match *self {}
    }
}

/// The room that the files of that folder take in memory isn't asked for.
pub fn room_of(_folder: &Path) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}
