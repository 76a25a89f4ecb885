//! Progress of a long job: one line that is redrawn on a terminal, elsewhere a new line now and then.
//!
//! Writes to standard error only, and nothing about a job that is soon over. Tested in this module.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use zappy_play::display::{CLEAR, redraw};
use zappy_protocol::text::thousands;

/// Time between two redraws of the line on a terminal.
const REDRAW: Duration = Duration::from_millis(200);
/// Time between two lines where standard error is no terminal.
const LINE_PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Progress {
    quiet: bool,
    on_terminal: bool,
    /// Whether a line stands on the terminal that has to be cleared.
    drawn: bool,
    /// When progress is shown next, and the time between two such moments.
    next: Instant,
    pause: Duration,
}

impl Progress {
    pub fn new(quiet: bool) -> Progress {
        let on_terminal = io::stderr().is_terminal();
        let pause = if on_terminal { REDRAW } else { LINE_PAUSE };
        Progress { quiet, on_terminal, drawn: false, next: Instant::now() + pause, pause }
    }

    /// Shows the progress, if it is time to.
    pub fn update(&mut self, done: usize, all: usize) {
        let now = Instant::now();
        if self.quiet || now < self.next {
            return;
        }
        self.next = now + self.pause;
        if self.on_terminal {
            redraw(&words(done, all));
            self.drawn = true;
        } else {
            let _ = writeln!(io::stderr(), "{}", words(done, all));
        }
    }

    /// Clears the line on the terminal, so that another text can stand there.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}

fn words(done: usize, all: usize) -> String {
    let percent = done * 100 / all.max(1);
    format!("{} of {} records played again ({percent} %)", thousands(done as u64), thousands(all as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_far_it_is() {
        assert_eq!(words(7, 50), "7 of 50 records played again (14 %)");
        assert_eq!(words(900, 1_000), "900 of 1,000 records played again (90 %)");
        assert_eq!(words(0, 0), "0 of 0 records played again (0 %)");
    }
}
