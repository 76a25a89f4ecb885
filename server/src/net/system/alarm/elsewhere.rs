//! Systems other than Linux, where no timer has a descriptor: the poll's timeout has to do.
//!
//! There is nothing to test.

use std::io;
use std::time::Duration;

use mio::Token;

use crate::net::system::Wakes;

/// Does nothing: the poll's timeout takes its place.
#[derive(Debug)]
pub struct Alarm;

impl Alarm {
    /// No timer is needed.
    ///
    /// # Errors
    /// None.
    pub fn new(_wakes: &Wakes, _token: Token) -> io::Result<Alarm> {
        Ok(Alarm)
    }

    pub fn set(&mut self, _at: Option<Duration>, _now: Duration) {}
}
