//! Where the match stands, for people; and a match in which each tick waits for what the operator types.
//!
//! The server allows no tick by itself. Never waits; what isn't understood is told. Tested in `tests/debugging.rs`.

use zappy_protocol::Tick;
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_server::files;

use super::Match;
use crate::os;
use crate::play::server;

/// What may be typed, as `match --help` says it, too.
const HELP: &str = "Enter: the next tick; a number: so many; c: on without stopping; q: end the match";
/// The longest line that may be typed.
const LINE_LIMIT: usize = 100;
/// The most ticks of one line.
const MOST_STEPS: u64 = 1_000_000;

/// What the operator types.
#[derive(Debug)]
pub(super) struct Steps {
    lines: LineDecoder,
    /// Whether more may be typed.
    open: bool,
    /// Whether it was said what may be typed.
    told: bool,
    /// The tick at which the match stands.
    stands: Option<Tick>,
    /// Whether it was said that the match stands there.
    asked: bool,
    /// Ticks that were asked for and haven't begun.
    left: u64,
    /// Whether no tick waits any more.
    free: bool,
    /// Whether the match is to end.
    quit: bool,
}

impl Steps {
    pub(super) fn new() -> Steps {
        Steps {
            lines: LineDecoder::new(LINE_LIMIT),
            open: true,
            told: false,
            stands: None,
            asked: false,
            left: 0,
            free: false,
            quit: false,
        }
    }

    /// Whether what is typed is read.
    pub(super) fn listens(&self) -> bool {
        self.open
    }

    /// Whether the match is to end; that is told once.
    pub(super) fn quits(&mut self) -> bool {
        std::mem::take(&mut self.quit)
    }

    /// Takes what was typed, if anything was. At its end the match goes on.
    fn read(&mut self) {
        let mut chunk = [0; LINE_LIMIT];
        if !self.open {
            return;
        }
        match os::read_typed(&mut chunk) {
            Ok(None) => return,
            Ok(Some(0)) | Err(_) => (self.open, self.free) = (false, true),
            Ok(Some(count)) => self.lines.push(&chunk[..count]),
        }
        while let Some(decoded) = self.lines.next_line() {
            let line = match decoded {
                Decoded::Line(line) => String::from_utf8_lossy(line).trim().to_owned(),
                Decoded::Overflow => "?".to_owned(),
            };
            match (line.as_str(), line.parse::<u64>()) {
                ("", _) => self.left = (self.left + 1).min(MOST_STEPS),
                ("c", _) => self.free = true,
                ("q", _) => self.quit = true,
                (_, Ok(more)) => self.left = self.left.saturating_add(more).min(MOST_STEPS),
                _ => log::warn!("{HELP}"),
            }
        }
    }
}

impl Match<'_> {
    /// Lets the next tick begin if it was asked for.
    pub(super) fn keep_step(&mut self) {
        let Some(steps) = &mut self.steps else { return };
        steps.read();
        let Some(door) = self.door.as_mut() else { return };
        if let Some(tick) = door.stands() {
            steps.stands = Some(tick);
        }
        let Some(tick) = steps.stands else { return };
        if steps.free || steps.left > 0 {
            let word = if steps.free { "run" } else { "step" };
            steps.left = steps.left.saturating_sub(1);
            (steps.stands, steps.asked) = (None, false);
            // A server that has ended needs none.
            let _ = door.say(&format!("{word}\n"));
        } else if !std::mem::replace(&mut steps.asked, true) {
            let help =
                if std::mem::replace(&mut steps.told, true) { String::new() } else { format!(" ({HELP})") };
            let words = format!("tick {tick}{help}");
            self.read_news();
            self.display.ask(&words, self.watch.game());
        }
    }

    /// The tick that the match has reached: in lockstep the last one in its record, which is written as it goes on.
    pub(super) fn tick(&self) -> Option<Tick> {
        self.watch.about_tick().or_else(|| server::reached(files::open(&self.folder.record()).ok()?))
    }

    /// Tells what came over the wire since the last call.
    pub(super) fn read_news(&mut self) {
        let news = self.watch.read();
        if !news.is_empty() {
            let tick = self.tick();
            news.iter().for_each(|news| self.display.tell(tick, news));
        }
    }
}
