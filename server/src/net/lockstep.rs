//! The lockstep clock's settings, its books, and what it reports.
//!
//! Wall time doesn't count: a tick passes when everybody who can act has acted. This module keeps who owes a
//! line, since when, and who was late; `shell::rounds` plays the rounds. Knows neither sockets nor a game.
//! Tested in `shell::lockstep_tests`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Duration;

use super::clock::Clock;
use super::connection::Key;
use super::deadlines::Deadlines;
use crate::game::{SeatId, Tick};

/// How a match in lockstep is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lockstep {
    /// Players without whom no tick passes.
    pub wait_players: usize,
    /// How long they are waited for, once one of them is there.
    pub lobby_time: Duration,
    /// How long a seat that owes a line is waited for.
    pub think_time: Duration,
    /// A seat that is late more often than this is ended.
    pub max_late: u32,
    /// Ticks per second at the most, so that people can watch; none: as fast as the clients answer.
    pub pace: Option<NonZeroU32>,
    /// The one console line that is taken once the match has begun: it ends it.
    pub stop_line: Vec<u8>,
}

/// How long a seat is waited for, if nobody says otherwise.
pub const THINK_TIME: Duration = Duration::from_secs(1);
/// How often a seat may be late, if nobody says otherwise.
pub const MAX_LATE: u32 = 10;
/// How long the players are waited for, if nobody says otherwise.
pub const LOBBY_TIME: Duration = Duration::from_secs(600);
/// Lines of a seat that are taken at one tick; then it passes until the next one.
pub const LINES_PER_TICK: u32 = 10;
/// Causes that are told one by one; the others are counted.
const CAUSES: usize = 20;

/// A player that was late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateSeat {
    /// Its place in the order of admission, from 0.
    pub number: u32,
    /// The line it was admitted with.
    pub name: String,
    /// How often.
    pub late: u32,
    /// Whether it was ended for it.
    pub expelled: bool,
}

/// A team that the others waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptWaiting {
    /// The line that its players were admitted with.
    pub name: String,
    /// For how long in all, however many of its players they waited for at once.
    pub time: Duration,
}

/// What the lockstep clock has to tell after a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What it ran with.
    pub settings: Lockstep,
    /// Who was late, in the order of admission.
    pub late: Vec<LateSeat>,
    /// Who kept the others waiting, by group.
    pub kept_waiting: BTreeMap<u32, KeptWaiting>,
    /// Connections that did not say in time who they are.
    pub silent: u32,
    /// Connections for which there was no room at all: they might have been players.
    pub turned_away: u32,
    /// How often several connections of one team came in together, after the beginning. If what they play
    /// isn't the same, it is left to chance which of them gets which egg.
    pub joint: u32,
    /// What else came at a time of its own.
    others: Vec<String>,
    /// And how much more of it.
    more: u32,
}

impl Report {
    /// Why the match might go otherwise when it is played again; nothing: it is reproducible.
    #[must_use]
    pub fn causes(&self) -> Vec<String> {
        let mut causes: Vec<String> = self.late.iter().take(CAUSES).map(describe).collect();
        if self.late.len() > CAUSES {
            causes.push(format!("{} more players were late", self.late.len() - CAUSES));
        }
        if self.silent > 0 {
            let time = self.settings.think_time;
            causes.push(format!(
                "{} did not say within {time:?} who they are",
                count(self.silent, "connection")
            ));
        }
        if self.turned_away > 0 {
            causes.push(format!("{} found no room", count(self.turned_away, "connection")));
        }
        causes.extend(self.others.iter().cloned());
        if self.more > 0 {
            causes.push(format!("and {} more of that kind", self.more));
        }
        causes
    }

    pub(super) fn add_cause(&mut self, words: String) {
        if self.others.len() < CAUSES { self.others.push(words) } else { self.more += 1 }
    }
}

fn describe(seat: &LateSeat) -> String {
    let LateSeat { number, name, late, expelled } = seat;
    let ended = if *expelled { " and was ended for it" } else { "" };
    format!("player #{number} of {name} was late {}{ended}", count(*late, "time"))
}

fn count(number: u32, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A seat that takes part.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) key: Key,
    /// Its place in the order of admission.
    pub(super) number: u32,
    /// The line it was admitted with.
    pub(super) name: String,
    /// Whom it belongs to.
    pub(super) group: u32,
    /// Since when it owes, or when it was last sent something.
    pub(super) since: Duration,
    /// How long it has thought since, when its last line came.
    pub(super) thought: Duration,
    /// The gathering in which it owed last.
    pub(super) gather: u64,
    /// Not waited for until something is sent to it or comes from it.
    pub(super) late: bool,
    /// Lines taken from it at this tick.
    pub(super) taken: u32,
}

/// Somebody who asks to take part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub(super) key: Key,
    pub(super) group: u32,
    /// Whether it was waited for, and belongs to this round as far as one can tell.
    pub(super) expected: bool,
}

/// The clock's books.
#[derive(Debug)]
pub(super) struct Rounds {
    pub(super) report: Report,
    /// Whether the lobby is over.
    pub(super) begun: bool,
    /// When somebody first asked to take part.
    pub(super) lobby_since: Option<Duration>,
    /// Whether the game lets time pass.
    pub(super) runs: bool,
    pub(super) players: BTreeMap<SeatId, Player>,
    pub(super) admitted: u32,
    /// Connections that haven't said yet who they are and are waited for, and whose players were waited for when
    /// they were welcomed.
    pub(super) unnamed: BTreeMap<Key, Rc<BTreeSet<u32>>>,
    /// Since when nobody but unnamed connections holds a round up.
    pub(super) held_since: Option<Duration>,
    /// How long they have done so in all.
    pub(super) held: Duration,
    /// Who is admitted in the next round.
    pub(super) arrivals: Vec<Arrival>,
    /// Whether a round is being gathered.
    pub(super) gathering: bool,
    /// Gatherings so far.
    pub(super) gathers: u64,
    /// Who owes in this round, in drawn order.
    pub(super) owing: Vec<SeatId>,
    /// Who of them is still waited for.
    pub(super) waiting: BTreeSet<SeatId>,
    /// Until when it is noted who kept the others waiting.
    pub(super) charged: Duration,
    /// When whose think time is over, by the time that counts.
    pub(super) thinking: Deadlines,
    /// The seat whose line is being handed in.
    pub(super) speaking: Option<SeatId>,
    /// Time by which the server itself overslept; nobody's think time.
    pub(super) overslept: Duration,
    /// What of it was given since the last round; at most a think time at once.
    pub(super) spared: Duration,
    /// Holds the match down to what people can follow.
    pub(super) pace: Option<Clock>,
    /// Whether the budget of a turn ended before the work.
    pub(super) more: bool,
}

impl Rounds {
    pub(super) fn new(settings: Lockstep) -> Rounds {
        let pace = settings.pace.map(|rate| {
            let mut clock = Clock::stopped();
            clock.set_rate(Duration::ZERO, 0, Some(rate));
            clock
        });
        Rounds {
            report: Report {
                settings,
                late: Vec::new(),
                kept_waiting: BTreeMap::new(),
                silent: 0,
                turned_away: 0,
                joint: 0,
                others: Vec::new(),
                more: 0,
            },
            begun: false,
            lobby_since: None,
            runs: false,
            players: BTreeMap::new(),
            admitted: 0,
            unnamed: BTreeMap::new(),
            held_since: None,
            held: Duration::ZERO,
            arrivals: Vec::new(),
            gathering: false,
            gathers: 0,
            owing: Vec::new(),
            waiting: BTreeSet::new(),
            charged: Duration::ZERO,
            thinking: Deadlines::default(),
            speaking: None,
            overslept: Duration::ZERO,
            spared: Duration::ZERO,
            pace,
            more: false,
        }
    }

    /// The time that counts: what the server overslept is nobody's.
    pub(super) fn fair(&self, at: Duration) -> Duration {
        at.saturating_sub(self.overslept)
    }

    /// The server stood still for so long. Whoever keeps it or its machine busy can't hold a round up with that
    /// for ever: then the time counts again.
    pub(super) fn oversleep(&mut self, gap: Duration) {
        if self.spared < self.patience() {
            self.spared += gap.min(self.report.settings.think_time);
            self.overslept += gap;
        }
    }

    /// Waits for a connection, for the think time from `since` on.
    pub(super) fn expect(&mut self, key: Key, since: Duration) {
        self.thinking.set(key, since + self.report.settings.think_time);
    }

    /// A line was sent to a seat. What it is answered at once doesn't give it more time to think.
    pub(super) fn delivered(&mut self, seat: SeatId, at: Duration) {
        let fair = self.fair(at);
        let speaking = self.speaking == Some(seat);
        let Some(player) = self.players.get_mut(&seat) else { return };
        player.late = false;
        if !speaking {
            (player.since, player.thought) = (fair, Duration::ZERO);
        }
    }

    /// A seat owes in this gathering; its think time runs on if it owed in the last one too. For how long the
    /// others thought meanwhile is not its business.
    pub(super) fn begin_owing(&mut self, seat: SeatId, at: Duration) -> Option<Key> {
        let (fair, gather) = (self.fair(at), self.gathers);
        let player = self.players.get_mut(&seat)?;
        if player.gather + 1 != gather {
            player.thought = Duration::ZERO;
        }
        if !player.late {
            player.since = fair.saturating_sub(player.thought);
        }
        player.gather = gather;
        Some(player.key)
    }

    /// No round is played before that seat has sent a line, has ended or is late.
    pub(super) fn wait_for(&mut self, seat: SeatId) {
        if let Some(&Player { key, since, late: false, .. }) = self.players.get(&seat) {
            self.waiting.insert(seat);
            self.expect(key, since);
        }
    }

    /// The time since this was last asked is put down to the teams that are waited for.
    pub(super) fn charge(&mut self, at: Duration) {
        let fair = self.fair(at);
        let passed = fair.saturating_sub(self.charged);
        self.charged = fair;
        if passed.is_zero() {
            return;
        }
        let asked = self.waiting.iter().filter_map(|seat| self.players.get(seat));
        let asked: BTreeMap<u32, &str> = asked.map(|player| (player.group, &*player.name)).collect();
        for (group, name) in asked {
            let kept = self.report.kept_waiting.entry(group);
            let kept = kept.or_insert_with(|| KeptWaiting { name: name.to_owned(), time: Duration::ZERO });
            kept.time += passed;
        }
    }

    /// A line of a seat that owes one is there.
    pub(super) fn heard(&mut self, seat: SeatId, at: Duration) {
        self.charge(at);
        let fair = self.fair(at);
        if let Some(player) = self.players.get_mut(&seat) {
            if std::mem::take(&mut player.late) {
                player.since = fair;
            }
            player.thought = fair.saturating_sub(player.since);
            self.thinking.clear(player.key);
        }
        self.waiting.remove(&seat);
    }

    /// A connection is no part of the match any more.
    pub(super) fn forget(&mut self, key: Key, seat: Option<SeatId>) {
        self.thinking.clear(key);
        self.unnamed.remove(&key);
        self.arrivals.retain(|arrival| arrival.key != key);
        if let Some(seat) = seat {
            self.players.remove(&seat);
            self.waiting.remove(&seat);
        }
    }

    /// A connection isn't waited for any more; if it was, says who was waited for when it was welcomed.
    pub(super) fn stop_expecting(&mut self, key: Key) -> Option<Rc<BTreeSet<u32>>> {
        self.thinking.clear(key);
        self.unnamed.remove(&key)
    }

    /// The groups whose players are waited for.
    pub(super) fn asked(&self) -> BTreeSet<u32> {
        self.waiting.iter().filter_map(|seat| self.players.get(seat)).map(|player| player.group).collect()
    }

    /// Whoever opens connections and says nothing, or keeps the server busy, can hold up the match for as long as a
    /// player may that is late time and again, and no longer.
    fn patience(&self) -> Duration {
        self.report.settings.think_time.saturating_mul(self.report.settings.max_late.saturating_add(1))
    }

    /// Whether new connections are still waited for.
    pub(super) fn patient(&self) -> bool {
        self.held < self.patience()
    }

    /// Whether nobody is waited for.
    pub(super) fn complete(&mut self, at: Duration) -> bool {
        self.charge(at);
        let at = self.fair(at);
        if self.waiting.is_empty() && !self.unnamed.is_empty() {
            let since = *self.held_since.get_or_insert(at);
            if self.held + (at - since) < self.patience() {
                return false;
            }
            let count = self.unnamed.len();
            for key in std::mem::take(&mut self.unnamed).into_keys() {
                self.thinking.clear(key);
            }
            self.report.silent += u32::try_from(count).unwrap_or(u32::MAX);
            self.report
                .add_cause("connections that don't say who they are aren't waited for any more".to_owned());
        }
        if let Some(since) = self.held_since.take() {
            self.held += at - since;
        }
        self.waiting.is_empty()
    }

    /// Notes that a seat was late; true if it was late too often.
    pub(super) fn note_late(&mut self, seat: SeatId) -> bool {
        self.waiting.remove(&seat);
        let Some(player) = self.players.get_mut(&seat) else { return false };
        player.late = true;
        let late = &mut self.report.late;
        let place = late.binary_search_by_key(&player.number, |late| late.number);
        let place = place.unwrap_or_else(|place| {
            let (number, name) = (player.number, player.name.clone());
            late.insert(place, LateSeat { number, name, late: 0, expelled: false });
            place
        });
        late[place].late += 1;
        late[place].expelled = late[place].late > self.report.settings.max_late;
        late[place].expelled
    }

    /// A tick has begun: everybody may speak again.
    pub(super) fn begin_tick(&mut self) {
        self.players.values_mut().for_each(|player| player.taken = 0);
    }

    /// When the next turn is to begin at the latest for this clock's sake; `due` is the game's next tick.
    pub(super) fn next_turn(&self, at: Duration, due: Option<Tick>) -> Option<Duration> {
        if self.more {
            return Some(at);
        }
        if !self.begun {
            let since = self.lobby_since.filter(|_| !self.arrivals.is_empty());
            return since.map(|since| since + self.report.settings.lobby_time);
        }
        let thinking = self.thinking.next().map(|until| until + self.overslept);
        let held =
            self.held_since.map(|since| since + self.patience().saturating_sub(self.held) + self.overslept);
        let idle = self.waiting.is_empty() && self.unnamed.is_empty();
        let paced = self.pace.as_ref().filter(|_| self.runs && idle);
        let paced = paced.and_then(|clock| clock.time_of(due?));
        thinking.into_iter().chain(held).chain(paced).min()
    }
}
