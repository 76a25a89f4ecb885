//! Misbehaviour that is logged once and then counted.
//!
//! Each kind of misbehaviour is described where it is noticed. Tested in `notice`.

use crate::net::notice::Notice;

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

impl Notices {
    /// Logs the misbehaviour that was counted and not yet logged.
    pub(super) fn say_the_rest(&mut self) {
        for (notice, what) in [
            (&mut self.refused, "connections not let in"),
            (&mut self.silent, "connections closed that did not log in"),
            (&mut self.slow, "connections closed that did not read"),
            (&mut self.overlong, "overlong lines"),
            (&mut self.idle, "times a player was heard later because its lines brought nothing"),
            (&mut self.lagging, "times an observer fell behind"),
            (&mut self.late, "times the clock was set back"),
            (&mut self.login, "logins refused"),
            (&mut self.tardy, "times a player was late"),
            (&mut self.console, "answers dropped because stdout was not read"),
        ] {
            if let Some(count) = notice.rest() {
                log::warn!("{count} more {what}");
            }
        }
    }
}
