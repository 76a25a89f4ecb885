//! Misbehaviour that is logged once and then counted.
//!
//! What is said of each stands where it is noticed. Tested in `notice`.

use super::{Hosted, Shell, Stream};
use crate::net::notice::Notice;

/// What is counted.
#[derive(Debug, Default)]
pub(super) struct Notices {
    pub(super) refused: Notice,
    pub(super) silent: Notice,
    pub(super) slow: Notice,
    pub(super) overlong: Notice,
    pub(super) idle: Notice,
    pub(super) lagging: Notice,
    pub(super) late: Notice,
    pub(super) console: Notice,
    pub(super) login: Notice,
    pub(super) tardy: Notice,
}

impl<G: Hosted, S: Stream> Shell<'_, G, S> {
    /// Logs what was counted and not yet logged.
    pub fn say_the_rest(&mut self) {
        let notices = &mut self.turn.notices;
        for (notice, what) in [
            (&mut notices.refused, "connections not let in"),
            (&mut notices.silent, "connections closed that did not log in"),
            (&mut notices.slow, "connections closed that did not read"),
            (&mut notices.overlong, "overlong lines"),
            (&mut notices.idle, "times a player was heard later because its lines brought nothing"),
            (&mut notices.lagging, "times an observer fell behind"),
            (&mut notices.late, "times the clock was set back"),
            (&mut notices.login, "logins refused"),
            (&mut notices.tardy, "times a player was late"),
            (&mut notices.console, "answers dropped because stdout was not read"),
        ] {
            if let Some(count) = notice.rest() {
                log::warn!("{count} more {what}");
            }
        }
    }
}
