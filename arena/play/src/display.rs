//! What people see while a match runs: on a terminal one line that is redrawn, elsewhere plain lines when something
//! happens.
//!
//! Writes to standard error only, so that standard output holds the result alone. Never waits. Tested in this
//! module.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use zappy_game::Length;
use zappy_protocol::Tick;
use zappy_protocol::text::thousands;

use crate::os;
use crate::watch::Follow;

/// What clears the line on a terminal and puts the cursor at its beginning.
pub const CLEAR: &str = "\r\x1b[2K";
/// The time between two drawings of the line.
const REDRAW: Duration = Duration::from_millis(200);
/// The time between two summaries where no line is redrawn.
const SUMMARY: Duration = Duration::from_secs(10);
const DEFAULT_COLUMNS: usize = 80;

/// Shows people how a match goes.
#[derive(Debug)]
pub struct Display {
    /// Whether a line is redrawn.
    live: bool,
    /// Whether that line stands on the terminal now.
    drawn: bool,
    /// Whether [`Display::progress`] was called before.
    begun: bool,
    /// When the next line is to be shown.
    next: Instant,
}

impl Display {
    /// A line that is redrawn if standard error is a terminal and `quiet` doesn't forbid it.
    pub fn new(quiet: bool) -> Display {
        let live = io::stderr().is_terminal() && !quiet;
        Display { live, drawn: false, begun: false, next: Instant::now() }
    }

    /// Logs what has happened; only in detailed logs where a line is redrawn.
    pub fn tell(&mut self, text: &str) {
        log::log!(if self.live { log::Level::Debug } else { log::Level::Info }, "{text}");
    }

    /// Whether it is time to show again how the match goes.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Shows how far the match is and how its teams stand. Callers ask [`Display::is_due`] first.
    pub fn update(&mut self, tick: Option<Tick>, most: Length, game: &mut dyn Follow) {
        let when = moment(tick, game);
        if self.live {
            self.draw(&status(when.as_deref(), most, &game.standings()));
        } else {
            let when = when.map_or_else(|| "by now: ".to_owned(), |when| format!("by {when}: "));
            sum_up(&when, game);
        }
        self.next = Instant::now() + if self.live { REDRAW } else { SUMMARY };
    }

    /// Shows that text, which says how many of many matches are over, if it is time to.
    pub fn progress(&mut self, text: impl FnOnce() -> String) {
        if !self.is_due() {
            return;
        }
        if self.live {
            self.draw(&text());
        } else if std::mem::replace(&mut self.begun, true) {
            // At the first call there is nothing to report yet.
            log::info!("{}", text());
        }
        self.next = Instant::now() + if self.live { REDRAW } else { SUMMARY };
    }

    fn draw(&mut self, text: &str) {
        redraw(text);
        self.drawn = true;
    }

    /// Logs what has happened since the last summary, and removes the line.
    pub fn finish(&mut self, game: &mut dyn Follow) {
        self.clear();
        if !self.live {
            sum_up("before the end: ", game);
        }
    }

    /// Writes a line for people, also on a terminal.
    pub fn say(&mut self, text: &str) {
        self.clear();
        let _ = writeln!(io::stderr(), "{text}");
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}

/// Writes a line over the last one, cut where the terminal ends.
pub fn redraw(text: &str) {
    let columns = os::columns().unwrap_or(0);
    let columns = if columns == 0 { DEFAULT_COLUMNS } else { columns };
    // A line that fills the last column would wrap.
    let shown: String = text.chars().take(columns - 1).collect();
    let _ = write!(io::stderr(), "{CLEAR}{shown}");
}

impl Drop for Display {
    fn drop(&mut self) {
        self.clear();
    }
}

fn sum_up(when: &str, game: &mut dyn Follow) {
    for line in game.summary() {
        log::info!("{when}{line}");
    }
}

/// How far the match is: its turn, or about its tick; `None` if neither is known.
fn moment(tick: Option<Tick>, game: &dyn Follow) -> Option<String> {
    let tick = || Some(format!("about {}", Length::Ticks(tick?).moment()));
    game.turn().map_or_else(tick, |turn| Some(Length::Turns(turn).moment()))
}

fn status(when: Option<&str>, most: Length, standings: &[String]) -> String {
    let when = match when {
        Some(when) => format!("{when} of {}", thousands(most.count())),
        None => format!("at most {most}"),
    };
    [&[when], standings].concat().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unknown;

    #[test]
    fn the_line_names_tick_and_teams() {
        let standings = ["red: 3 alive, L1x2 L3x1".to_owned()];
        let when = moment(Some(42), &Unknown);
        let said = status(when.as_deref(), Length::Ticks(100), &standings);
        assert_eq!(said, "about tick 42 of 100 | red: 3 alive, L1x2 L3x1");
        assert_eq!(status(None, Length::Turns(400), &[]), "at most 400 turns");
    }
}
