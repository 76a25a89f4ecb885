//! Only Linux has control groups.

use std::io;
use std::path::Path;

use crate::programs::limits::Limits;

/// Has no value: this system lacks what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delegated {}

impl Delegated {
    /// Finds none.
    pub fn find() -> Result<Delegated, String> {
        Err("only Linux has control groups".to_owned())
    }

    /// A group for a team.
    pub fn group(&self, _team: usize, _limits: Limits, _keepers: u64) -> io::Result<Group> {
        match *self {}
    }
}

/// Has no value: this system lacks what it needs.
#[derive(Debug)]
pub enum Group {}

impl Group {
    #[must_use]
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// Whether the kernel gives each team its share of the processors.
    #[must_use]
    pub fn shares(&self) -> bool {
        match *self {}
    }

    /// Whether the kernel ended something in it for want of memory.
    #[must_use]
    pub fn ran_out(&self) -> bool {
        match *self {}
    }

    /// Ends all that is in it.
    pub fn end(&self) {
        match *self {}
    }
}
