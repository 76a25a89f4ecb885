//! What people see while a match runs: one line that is redrawn on a terminal, plain lines at events elsewhere.
//!
//! Writes to standard error only, so that standard output holds the result alone. Never waits. Tested in this
//! module.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use rustix::termios::tcgetwinsize;
use zappy_protocol::Tick;

use crate::play::watch::{News, Standing};

/// What clears the line on a terminal and puts the cursor at its beginning.
pub const CLEAR: &str = "\r\x1b[2K";
const REDRAW: Duration = Duration::from_millis(200);
/// Between two summaries of deaths where there is no terminal.
const SUMMARY: Duration = Duration::from_secs(10);
const DEFAULT_COLUMNS: usize = 80;

/// The screen, or what stands in for it.
#[derive(Debug)]
pub struct Display {
    live: bool,
    drawn: bool,
    begun: bool,
    next: Instant,
    lost_told: Vec<u32>,
}

impl Display {
    /// A line that lives if anybody can see it and `quiet` doesn't forbid it.
    #[must_use]
    pub fn new(quiet: bool) -> Display {
        let live = io::stderr().is_terminal() && !quiet;
        Display { live, drawn: false, begun: false, next: Instant::now(), lost_told: Vec::new() }
    }

    /// Tells something that happened.
    pub fn tell(&mut self, tick: Option<Tick>, news: &News) {
        let when = tick.map_or_else(String::new, |tick| format!("about tick {tick}: "));
        let text = match news {
            News::Reached(team, level) => format!("{when}{team} reaches level {level}"),
            News::Won(team) => format!("{when}{team} has won"),
        };
        if self.live {
            log::debug!("{text}");
        } else {
            log::info!("{text}");
        }
    }

    /// Shows how it stands, if it is time to.
    pub fn update(&mut self, tick: Option<Tick>, max_ticks: Tick, standings: &[Standing]) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        if self.live {
            self.next = now + REDRAW;
            self.draw(&status(tick, max_ticks, standings));
        } else {
            self.next = now + SUMMARY;
            let when = tick.map_or_else(|| "by now: ".to_owned(), |tick| format!("by about tick {tick}: "));
            self.tell_deaths(&when, standings);
        }
    }

    /// Shows how far many matches are, if it is time to.
    pub fn progress(&mut self, text: impl FnOnce() -> String) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
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

    fn tell_deaths(&mut self, when: &str, standings: &[Standing]) {
        self.lost_told.resize(standings.len(), 0);
        for (standing, told) in standings.iter().zip(&mut self.lost_told) {
            if standing.lost > *told {
                let (team, alive) = (&standing.team, standing.alive());
                log::info!("{when}{team} lost {} more, {alive} alive", standing.lost - *told);
                *told = standing.lost;
            }
        }
    }

    fn draw(&mut self, text: &str) {
        redraw(text);
        self.drawn = true;
    }

    /// Tells what is left to tell, and removes the line.
    pub fn finish(&mut self, standings: &[Standing]) {
        self.clear();
        if !self.live {
            self.tell_deaths("before the end: ", standings);
        }
    }

    /// Removes the line.
    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}

/// Writes a line over the last one, cut where the terminal ends.
pub(crate) fn redraw(text: &str) {
    let columns = tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_col));
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

fn status(tick: Option<Tick>, max_ticks: Tick, standings: &[Standing]) -> String {
    let mut text = match tick {
        Some(tick) => format!("about tick {tick} of {max_ticks}"),
        None => format!("in lockstep, at most {max_ticks} ticks"),
    };
    for standing in standings {
        // Writing to a string cannot fail.
        let _ = write!(text, " | {}: {} alive,", standing.team, standing.alive());
        for (i, players) in standing.levels.iter().enumerate().filter(|(_, players)| **players > 0) {
            let _ = write!(text, " L{}x{players}", i + 1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::TeamName;

    #[test]
    fn the_line_names_teams_and_levels() {
        let team = TeamName::parse(b"red").unwrap();
        let standing = Standing { team, levels: [2, 0, 1, 0, 0, 0, 0, 0], best: 3, lost: 1 };
        assert_eq!(status(Some(42), 100, &[standing]), "about tick 42 of 100 | red: 3 alive, L1x2 L3x1");
    }
}
