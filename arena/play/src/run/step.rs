//! Where the match stands, for people; and a match in which each tick waits for what the operator types, or until it is known
//! what the programs have printed by then.
//!
//! The server allows no tick by itself. Never waits; what isn't understood is told. Tested in `arena/cli/tests/debugging.rs`.

use zappy_protocol::Tick;
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::record::dialogue::{Spoken, is_of};
use zappy_protocol::record::{RecordLevel, RecordLine};
use zappy_server::{files, record};

use super::Match;
use crate::door::Door;
use crate::os;
use crate::server;

/// What may be typed, as `match --help` says it, too.
const HELP: &str = "Enter: the next tick; a number: so many; c: on without stopping; q: end the match";
/// The longest line that may be typed.
const LINE_LIMIT: usize = 100;
/// The most ticks of one line.
const MOST_STEPS: u64 = 1_000_000;

/// What lets ticks begin.
#[derive(Debug)]
pub(super) struct Steps {
    /// Whether the operator does; else each tick begins when what programs printed by then was taken.
    typed: bool,
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
    /// Lines of the player's dialogue that were shown.
    shown: usize,
}

impl Steps {
    pub(super) fn new(typed: bool) -> Steps {
        Steps {
            typed,
            lines: LineDecoder::new(LINE_LIMIT),
            open: true,
            told: false,
            stands: None,
            asked: false,
            left: 0,
            free: !typed,
            quit: false,
            shown: 0,
        }
    }

    /// Whether the match waits for what is typed: only then is it read, so that each line is the answer to a prompt, and a
    /// pipe keeps what comes later.
    pub(super) fn listens(&self) -> bool {
        self.typed && self.open && self.asked && !self.goes()
    }

    /// Whether the match is to end; that is told once.
    pub(super) fn quits(&mut self) -> bool {
        std::mem::take(&mut self.quit)
    }

    fn goes(&self) -> bool {
        self.free || self.left > 0
    }

    /// Takes the next line that was typed, if one was. When there is no more the match goes on.
    fn read(&mut self) {
        while self.listens() && !self.quit {
            if let Some(decoded) = self.lines.next_line() {
                let line = match decoded {
                    Decoded::Line(line) => String::from_utf8_lossy(line).trim().to_owned(),
                    Decoded::Overflow => "?".to_owned(),
                };
                self.take(&line);
                continue;
            }
            let mut chunk = [0; LINE_LIMIT];
            match os::read_typed(&mut chunk) {
                Ok(None) => return,
                Ok(Some(0)) | Err(_) => (self.open, self.free) = (false, true),
                Ok(Some(count)) => self.lines.push(&chunk[..count]),
            }
        }
    }

    fn take(&mut self, line: &str) {
        match (line, line.parse::<u64>()) {
            ("", _) => self.left = 1,
            ("c", _) => self.free = true,
            ("q", _) => self.quit = true,
            (_, Ok(more)) => self.left = more.min(MOST_STEPS),
            _ => log::warn!("{HELP}"),
        }
    }
}

impl Match<'_> {
    /// Notes at which tick programs printed what they did, and lets the next tick begin if that was asked for.
    pub(super) fn keep_step(&mut self) {
        match self.door.as_mut().and_then(Door::stands) {
            Some(tick) => {
                self.steps.stands = Some(tick);
                self.bots.iter_mut().for_each(|bot| bot.process.stamp(tick, true));
            }
            None if !self.setup.stops() => {
                if let Some(tick) = self.watch.about_tick() {
                    self.bots.iter_mut().for_each(|bot| bot.process.stamp(tick, false));
                }
            }
            None => {}
        }
        self.steps.read();
        let Some(tick) = self.steps.stands else { return };
        let steps = &mut self.steps;
        if steps.goes() {
            steps.left = steps.left.saturating_sub(1);
            (steps.stands, steps.asked) = (None, false);
            // A server that has ended needs none.
            let _ = self.door.as_mut().map(|door| door.say("step\n"));
        } else if !std::mem::replace(&mut steps.asked, true) {
            let help =
                if std::mem::replace(&mut steps.told, true) { String::new() } else { format!(" ({HELP})") };
            let words = format!("tick {tick}{help}");
            self.read_news();
            if let Some(player) = self.setup.shown {
                self.show_dialogue(player);
            }
            self.display.ask(&words, self.watch.game());
            self.steps.read();
        }
    }

    /// Shows what that player and the server have said to each other since the last time. The growing record has the inputs
    /// alone, so they are played again for the answers.
    fn show_dialogue(&mut self, player: u32) {
        let (path, mut lines) = (self.folder.record(), Vec::new());
        let played = record::read_file(&path).map_err(|error| error.to_string()).and_then(|inputs| {
            record::expand(&inputs, self.setup.games, RecordLevel::Full, &mut lines)
                .map_err(|error| error.to_string())
        });
        if let Err(error) = played {
            return log::warn!("{}: {error}", path.display());
        }
        let spoken =
            lines.split(|&byte| byte == b'\n').filter(|line| is_of(line, player)).filter_map(|line| {
                let Ok(RecordLine::Event(tick, entry)) = RecordLine::parse(line) else { return None };
                Some((tick, Spoken::of(tick, entry, player)?))
            });
        for (tick, Spoken { speech, text, why, .. }) in spoken.skip(self.steps.shown) {
            self.steps.shown += 1;
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            self.display.say(&format!("{tick:>9} {}  {text}{why}", speech.mark()));
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
