//! A match in which each tick waits: for what the operator types, or until what the programs printed by then was read.
//! And the tick and the news of any match, for people.
//!
//! Where ticks wait, the server begins one only after the line `step`. Never blocks; a typed line that isn't understood
//! is answered by a warning. Tested in `arena/cli/tests/debugging.rs`.

use std::collections::BTreeMap;

use zappy_protocol::Tick;
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_server::files;

use super::Match;
use super::followed::Followed;
use crate::bot;
use crate::notes;
use crate::os;
use crate::server;
use crate::setup::Debugging;
use crate::setup::PlayerName;

/// The longest line that may be typed, in bytes.
const LINE_LIMIT: usize = 100;
/// The most ticks or turns that a typed number may ask for.
const MOST_STEPS: u64 = 1_000_000;

/// How far the match goes on before it waits for another typed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Nowhere: the match waits.
    Here,
    NextStop,
    /// The first stop at that tick, or in that turn, or later.
    At(u64),
    End,
}

/// Decides when the next tick may begin.
pub(super) struct Steps {
    /// Whether the operator decides it; otherwise a tick begins when what programs printed before it was read.
    typed: bool,
    lines: LineDecoder,
    /// Whether more may be typed.
    open: bool,
    /// Whether the help was shown, which says what may be typed.
    help_shown: bool,
    /// The tick at which the match waits; `None` while it goes on.
    waiting_at: Option<Tick>,
    /// Whether the prompt for that tick was shown.
    prompted: bool,
    /// That tick or, in a game in turns, the turn; the last one while the match goes on.
    position: u64,
    goal: Goal,
    /// Whether the operator typed that the match is to end.
    pub(super) quit: bool,
    followed: Option<Followed>,
    /// How many notes of each player were shown, by the player's number.
    notes_shown: BTreeMap<u32, usize>,
}

impl Steps {
    pub(super) fn new(debugging: &Debugging) -> Steps {
        let typed = debugging.is_by_step();
        let followed = if let Debugging::ByStep(player) = debugging { player.clone() } else { None };
        Steps {
            typed,
            lines: LineDecoder::new(LINE_LIMIT),
            open: true,
            help_shown: false,
            waiting_at: None,
            prompted: false,
            position: 0,
            goal: if typed { Goal::Here } else { Goal::End },
            quit: false,
            followed: followed.map(Followed::new),
            notes_shown: BTreeMap::new(),
        }
    }

    /// Whether the match waits for a typed line. Only then is one read, so that each line is the answer to a prompt,
    /// and a pipe keeps the lines that follow.
    pub(super) fn listens(&self) -> bool {
        self.typed && self.open && self.prompted && self.goal == Goal::Here
    }

    /// Reads typed lines until one lets the match go on, or none is left for now. Once the input has ended, the match
    /// goes on to its end.
    fn read(&mut self, help: &str) {
        while self.listens() && !self.quit {
            if let Some(decoded) = self.lines.next_line() {
                let line = match decoded {
                    Decoded::Line(line) => String::from_utf8_lossy(line).trim().to_owned(),
                    Decoded::Overflow => "?".to_owned(),
                };
                match (&line[..], line.parse::<u64>()) {
                    ("", _) => self.goal = Goal::NextStop,
                    ("c", _) => self.goal = Goal::End,
                    ("q", _) => self.quit = true,
                    (_, Ok(more @ 1..)) => self.goal = Goal::At(self.position + more.min(MOST_STEPS)),
                    _ => log::warn!("{line:?} isn't understood; {help}"),
                }
                continue;
            }
            let mut chunk = [0; LINE_LIMIT];
            match os::read_typed(&mut chunk) {
                Ok(None) => return,
                Ok(Some(0)) | Err(_) => (self.open, self.goal) = (false, Goal::End),
                Ok(Some(count)) => self.lines.push(&chunk[..count]),
            }
        }
    }
}

impl Match<'_> {
    /// Notes at which tick programs printed their output, and lets the next tick begin unless the operator wants to
    /// wait.
    pub(super) fn allow_steps(&mut self) {
        match self.door.as_mut().and_then(|door| door.stands.take()) {
            Some(tick) => {
                self.steps.waiting_at = Some(tick);
                self.bots.iter_mut().for_each(|bot| bot.process.stamp(tick, true));
            }
            None if !self.setup.ticks_wait() => {
                if let Some(tick) = self.watch.about_tick() {
                    self.bots.iter_mut().for_each(|bot| bot.process.stamp(tick, false));
                }
            }
            None => {}
        }
        let Some(tick) = self.steps.waiting_at else { return };
        if self.steps.typed && !self.steps.prompted {
            self.read_news();
        }
        let turn = self.watch.game.turn();
        let help = help(turn.is_some());
        self.steps.position = turn.unwrap_or(tick);
        if matches!(self.steps.goal, Goal::At(goal) if goal <= self.steps.position) {
            self.steps.goal = Goal::Here;
        }
        if self.steps.goal == Goal::Here && !std::mem::replace(&mut self.steps.prompted, true) {
            self.show_dialogue();
            let help_shown = std::mem::replace(&mut self.steps.help_shown, true);
            let turn = turn.map_or_else(String::new, |turn| format!(", turn {turn}"));
            let help = if help_shown { String::new() } else { format!(" ({help})") };
            let standings = self.watch.game.standings();
            self.display.say(&[vec![format!("tick {tick}{turn}{help}")], standings].concat().join(" | "));
        }
        self.steps.read(&help);
        if self.steps.goal != Goal::Here {
            (self.steps.waiting_at, self.steps.prompted) = (None, false);
            if self.steps.goal == Goal::NextStop {
                self.steps.goal = Goal::Here;
            }
            // An error means that the server has ended, and needs no line.
            let _ = self.door.as_ref().map(|door| door.voice.say("step\n"));
        }
    }

    /// Shows what the players that the operator follows and the server have said to each other since the last time, and
    /// what their programs have noted.
    fn show_dialogue(&mut self) {
        let players = self.followed_players();
        if !self.steps.help_shown {
            self.tell_absence("plays yet", "those that do");
        }
        let Some(followed) = &mut self.steps.followed else { return };
        let path = self.folder.record();
        match followed.news(&path, self.setup.games, &players) {
            Ok(lines) => lines.iter().for_each(|line| self.display.say(line)),
            Err(error) => log::warn!("{}: {error}", path.display()),
        }
        let seated = self.door.as_ref().map(|door| &door.seated[..]).unwrap_or_default();
        for player in players {
            let program = bot::program_of(player, &self.bots, seated);
            let all = program
                .map(|(name, place)| notes::notes_so_far(self.folder, name, place))
                .unwrap_or_default();
            let shown = self.steps.notes_shown.insert(player, all.len()).unwrap_or(0);
            all.iter().skip(shown).for_each(|note| self.display.say(&format!("{:>9} :  {}", "", note.what)));
        }
    }

    /// The numbers of the players that the operator follows and that have joined by now.
    fn followed_players(&self) -> Vec<u32> {
        let seated = self.seated();
        match self.steps.followed.as_ref().map(Followed::player) {
            Some(PlayerName::Number(number)) => {
                seated.iter().map(|one| one.player).filter(|player| player == number).collect()
            }
            Some(PlayerName::Log(name)) => {
                let bots = self.bots.iter().filter(|bot| bot.process.name() == name);
                bots.flat_map(|bot| bot.players(seated)).collect()
            }
            None => Vec::new(),
        }
    }

    /// If the player that the operator follows isn't in the match, warns of that and names the players that are.
    /// `plays` ends "no player 3", and `others` names those that are.
    pub(super) fn tell_absence(&self, plays: &str, others: &str) {
        let (Some(followed), Some(door)) = (&self.steps.followed, &self.door) else { return };
        if !self.followed_players().is_empty() {
            return;
        }
        let mut numbers: Vec<u32> = door.seated.iter().map(|seated| seated.player).collect();
        numbers.sort_unstable();
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let numbers = if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") };
        match followed.player() {
            PlayerName::Number(number) => log::warn!("no player {number} {plays}; {others}: {numbers}"),
            PlayerName::Log(name) if self.bots.iter().any(|bot| bot.process.name() == name) => {
                log::warn!("no player of {name} {plays}; {others}: {numbers}");
            }
            PlayerName::Log(name) => {
                let names: Vec<&str> = self.bots.iter().map(|bot| bot.process.name()).collect();
                log::warn!("no program's log is called {name:?}; there are {}", names.join(", "));
            }
        }
    }

    /// The tick that the match has reached, if it is known: about it by the frequency, or else the last one in its
    /// record, which is written during the match.
    pub(super) fn tick(&self) -> Option<Tick> {
        self.watch.about_tick().or_else(|| server::reached(files::open(&self.folder.record()).ok()?))
    }

    /// Logs the news in the messages that the server has sent to the arena, as an observer, since the last call.
    pub(super) fn read_news(&mut self) {
        let news = self.watch.read();
        if !news.is_empty() {
            let when = self.tick().map_or_else(String::new, |tick| format!("about tick {tick}: "));
            news.iter().for_each(|news| self.display.tell(&format!("{when}{news}")));
        }
    }
}

/// What may be typed, as `match --help` says it, too.
fn help(in_turns: bool) -> String {
    let unit = if in_turns { "turns" } else { "ticks" };
    format!("Enter: the next stop; a number: so many {unit}; c: on without stopping; q: end the match")
}
