//! Windows: nothing tells when a child has ended, so it is looked for at each turn.

use std::io;

use zappy_server::net::Endings;

use crate::os::Source;

#[derive(Debug)]
pub struct ChildEnds;

impl ChildEnds {
    /// There is nothing to catch.
    pub fn catch() -> io::Result<ChildEnds> {
        Ok(ChildEnds)
    }

    /// A child may always have ended.
    pub fn take(&mut self) -> bool {
        true
    }
}

/// Neither can be waited for.
pub fn wakes<'a>(_stop: &'a Endings, _child: &'a ChildEnds) -> Vec<Source<'a>> {
    Vec::new()
}
