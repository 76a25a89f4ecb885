//! What people see while a match runs: one line that is redrawn on a terminal, plain lines at events elsewhere.
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
const REDRAW: Duration = Duration::from_millis(200);
/// Between two summaries where there is no terminal.
const SUMMARY: Duration = Duration::from_secs(10);
const DEFAULT_COLUMNS: usize = 80;

/// The screen, or what stands in for it.
#[derive(Debug)]
pub struct Display {
    live: bool,
    drawn: bool,
    begun: bool,
    next: Instant,
}

impl Display {
    /// A line that is redrawn if standard error is a terminal and `quiet` doesn't forbid it.
    pub fn new(quiet: bool) -> Display {
        let live = io::stderr().is_terminal() && !quiet;
        Display { live, drawn: false, begun: false, next: Instant::now() }
    }

    /// Tells what has happened since it was last looked at.
    pub fn tell(&mut self, tick: Option<Tick>, news: &str) {
        let when = tick.map_or_else(String::new, |tick| format!("about tick {tick}: "));
        self.tell_exactly(&format!("{when}{news}"));
    }

    pub fn tell_exactly(&mut self, text: &str) {
        if self.live {
            log::debug!("{text}");
        } else {
            log::info!("{text}");
        }
    }

    /// Whether it is time to show how it stands.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Shows how it stands, if it is time to.
    pub fn update(&mut self, tick: Option<Tick>, most: Length, game: &mut dyn Follow) {
        if !self.is_due() {
            return;
        }
        let now = Instant::now();
        if self.live {
            self.next = now + REDRAW;
            self.draw(&status(moment(tick, game).as_deref(), most, &game.standings()));
        } else {
            self.next = now + SUMMARY;
            let when = moment(tick, game);
            let when = when.map_or_else(|| "by now: ".to_owned(), |when| format!("by {when}: "));
            sum_up(&when, game);
        }
    }

    /// Shows how far many matches are, if it is time to.
    pub fn progress(&mut self, text: impl FnOnce() -> String) {
        if !self.is_due() {
            return;
        }
        let now = Instant::now();
        if self.live {
            self.next = now + REDRAW;
            self.draw(&text());
        } else {
            // Nothing yet is no news.
            if std::mem::replace(&mut self.begun, true) {
                log::info!("{}", text());
            }
            self.next = now + SUMMARY;
        }
    }

    fn draw(&mut self, text: &str) {
        redraw(text);
        self.drawn = true;
    }

    /// Tells what is left to tell, and removes the line.
    pub fn finish(&mut self, game: &mut dyn Follow) {
        self.clear();
        if !self.live {
            sum_up("before the end: ", game);
        }
    }

    /// Tells people what they are to do.
    pub fn say(&mut self, text: &str) {
        self.clear();
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Says where the match stands that waits for a word, and how its teams do.
    pub fn ask(&mut self, words: &str, game: &dyn Follow) {
        self.clear();
        let text = [&[words.to_owned()], &game.standings()[..]].concat().join(" | ");
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

/// How far the match is: its turn, or about its tick.
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
