//! Where the match stands, for people; and a match in which each tick waits for what the operator types, or until it is known
//! what the programs have printed by then.
//!
//! The server allows no tick by itself. Never waits; what isn't understood is told. Tested in `arena/cli/tests/debugging.rs`.

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

/// The longest line that may be typed.
const LINE_LIMIT: usize = 100;
/// The most ticks or turns of one line.
const MOST_STEPS: u64 = 1_000_000;

/// Up to where the match goes on without another word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The match waits where it stands.
    Here,
    NextStop,
    /// The first stop at that tick, or in that turn, or later.
    At(u64),
    End,
}

/// Decides when the next tick may begin.
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
    /// That tick or, in a game in turns, the turn.
    at: u64,
    goal: Goal,
    /// Whether it was typed that the match is to end.
    pub(super) quit: bool,
    followed: Option<Followed>,
    /// How many notes of each player were shown.
    noted: BTreeMap<u32, usize>,
}

impl Steps {
    pub(super) fn new(debugging: &Debugging) -> Steps {
        let typed = debugging.steps();
        let followed = if let Debugging::ByStep(player) = debugging { player.clone() } else { None };
        Steps {
            typed,
            lines: LineDecoder::new(LINE_LIMIT),
            open: true,
            told: false,
            stands: None,
            asked: false,
            at: 0,
            goal: if typed { Goal::Here } else { Goal::End },
            quit: false,
            followed: followed.map(Followed::new),
            noted: BTreeMap::new(),
        }
    }

    /// Whether the match waits for what is typed: only then is it read, so that each line is the answer to a prompt, and a
    /// pipe keeps what comes later.
    pub(super) fn listens(&self) -> bool {
        self.typed && self.open && self.asked && self.goal == Goal::Here
    }

    /// Takes the next line that was typed, if one was. When there is no more the match goes on.
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
                    (_, Ok(more @ 1..)) => self.goal = Goal::At(self.at + more.min(MOST_STEPS)),
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
    /// Notes at which tick programs printed what they did, and lets the next tick begin if that was asked for.
    pub(super) fn allow_steps(&mut self) {
        match self.door.as_mut().and_then(|door| door.stands.take()) {
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
        let Some(tick) = self.steps.stands else { return };
        if self.steps.typed && !self.steps.asked {
            self.read_news();
        }
        let turn = self.watch.game.turn();
        let help = help(turn.is_some());
        self.steps.at = turn.unwrap_or(tick);
        if matches!(self.steps.goal, Goal::At(goal) if goal <= self.steps.at) {
            self.steps.goal = Goal::Here;
        }
        if self.steps.goal == Goal::Here && !std::mem::replace(&mut self.steps.asked, true) {
            self.show_dialogue();
            let told = std::mem::replace(&mut self.steps.told, true);
            let turn = turn.map_or_else(String::new, |turn| format!(", turn {turn}"));
            let help = if told { String::new() } else { format!(" ({help})") };
            let standings = self.watch.game.standings();
            self.display.say(&[vec![format!("tick {tick}{turn}{help}")], standings].concat().join(" | "));
        }
        self.steps.read(&help);
        if self.steps.goal != Goal::Here {
            (self.steps.stands, self.steps.asked) = (None, false);
            if self.steps.goal == Goal::NextStop {
                self.steps.goal = Goal::Here;
            }
            // A server that has ended needs none.
            let _ = self.door.as_ref().map(|door| door.voice.say("step\n"));
        }
    }

    /// Shows what the players that the operator follows and the server have said to each other since the last time, and what
    /// their programs have noted.
    fn show_dialogue(&mut self) {
        let players = self.followed_players();
        if !self.steps.told {
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
            let of = bot::program_of(player, &self.bots, seated);
            let all =
                of.map(|(program, place)| notes::so_far(self.folder, program, place)).unwrap_or_default();
            let shown = self.steps.noted.insert(player, all.len()).unwrap_or(0);
            all.iter().skip(shown).for_each(|note| self.display.say(&format!("{:>9} :  {}", "", note.what)));
        }
    }

    /// Those of the players so far that the operator follows.
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

    /// Warns that the player that the operator follows isn't there, if it isn't, and says which ones are.
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

    /// The tick that the match has reached: in lockstep the last one in its record, which is written as it goes on.
    pub(super) fn tick(&self) -> Option<Tick> {
        self.watch.about_tick().or_else(|| server::reached(files::open(&self.folder.record()).ok()?))
    }

    /// Reports what the observer's messages have told since the last call.
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
