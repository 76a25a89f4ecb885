//! Linux: a timer with a descriptor.
//!
//! How late ticks begin with and without it is shown by the bench `load`.

use std::io;
use std::time::Duration;

use mio::{Interest, Token};
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use crate::net::system::Wakes;

/// A timer in the poll.
#[derive(Debug)]
pub struct Alarm {
    timer: TimerFd,
    /// When it rings next, or rang last; `None` before it was set and after setting it failed.
    at: Option<Duration>,
}

impl Alarm {
    /// A timer in this poll; each ring is an event with that token.
    ///
    /// # Errors
    /// The system's.
    pub fn new(wakes: &Wakes, token: Token) -> io::Result<Alarm> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        wakes.join(&timer, token, Interest::READABLE)?;
        Ok(Alarm { timer, at: None })
    }

    /// Lets it ring at `at` if that is after `now`; otherwise a ring that was set before stays set. The timer needn't be read, since the poll reports each ring once.
    pub fn set(&mut self, at: Option<Duration>, now: Duration) {
        let Some(at) = at.filter(|&at| at > now && self.at != Some(at)) else { return };
        let once = Expiration::OneShot((at - now).into());
        // If this fails the poll's timeout still wakes the loop.
        self.at = self.timer.set(once, TimerSetTimeFlags::empty()).ok().map(|()| at);
    }
}
