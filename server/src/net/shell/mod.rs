//! The loop without sockets: seats, turns, budgets, lag and deadlines, over any stream and any game.
//!
//! One turn is [`Shell::advance`], then the news of this turn (`accept`, `note_ready`, `console_line`), then
//! [`Shell::serve`] and [`Shell::flush`]. Time comes in as an argument; nothing here waits. All outputs of the game
//! are carried out before the game is called again. Tested over a network in memory in `tests` and `simulation`.

mod flush;
#[cfg(any(test, feature = "simulation"))]
mod invariants;
#[cfg(test)]
mod lockstep_tests;
mod names;
mod notices;
mod outputs;
mod pace;
mod resume;
mod rounds;
mod serve;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use foldhash::fast::FixedState;
pub use names::Foul;
use notices::Notices;
use outputs::Published;
use pace::Pace;
pub use resume::MissingClient;
use resume::{Orphans, RESUME_LINE};

use super::clock::RealClock;
use super::connection::{Connection, Key, Phase, Ready, Stream};
use super::deadlines::Deadlines;
use super::lateness::LatenessHistogram;
use super::limits::Limits;
use super::lockstep::Rounds;
use super::lockstep_report::{Lockstep, LockstepReport};
use super::outbox::Outbox;
use zappy_game::chance::{ADMISSION, Chance};
use zappy_game::{Game, Input, Line, SeatId, Stand, Tick, Verdict, Words};

/// How a shell is to run.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// The limits.
    pub limits: Limits,
    /// The seed of the order in which waiting connections are let in.
    pub seed: u64,
    /// Console lines that come before the first connection. Empty lines and those that begin with `#` are skipped.
    pub opening: Vec<Vec<u8>>,
    /// The lockstep clock's settings; `None`: the real clock.
    pub lockstep: Option<Lockstep>,
    /// The console line that ends the server if it runs on after the match; `None`: it ends with the match.
    pub stay: Option<Vec<u8>>,
    /// Where the match stands, if it goes on from a record.
    pub stand: Option<Stand>,
    /// How long the clients of such a match's players are waited for after the first one came; `None`: as long as it takes.
    pub patience: Option<Duration>,
}

/// A console line before the match that the game refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {number}: {words}")]
pub struct RefusedOpening {
    /// Which line, from 1.
    pub number: usize,
    /// The game's reason.
    pub words: Words,
}

/// Why a connection isn't let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There are as many connections as the limit allows.
    #[error("there are {0} connections already")]
    Full(usize),
    /// There are as many connections from that address as the limit allows.
    #[error("there are {0} connections from that address already")]
    FullAddress(usize),
    /// The match is over.
    #[error("the match is over")]
    Over,
}

/// A map by numbers that the server itself gives away, so that no client can choose which of them collide. It is asked
/// several times for each line; its order means nothing.
type Quick<K, V> = HashMap<K, V, FixedState>;

/// The loop's state.
pub struct Shell<'g, G, S> {
    game: &'g mut G,
    limits: Limits,
    /// The real clock; it stands still in lockstep.
    clock: RealClock,
    /// The lockstep clock; `None` under the real clock.
    rounds: Option<Rounds>,
    seed: u64,
    /// When this turn began.
    at: Duration,
    /// The tick the game has reached.
    reached: Tick,
    connections: Quick<Key, Connection<S>>,
    seats: Quick<SeatId, Key>,
    addresses: HashMap<IpAddr, usize>,
    next_key: usize,
    next_seat: u32,
    gate: bool,
    /// Connections that came while the gate was closed.
    waiting: Vec<Key>,
    /// Connections that get a seat next, in this order.
    opening: VecDeque<Key>,
    /// Connections to read.
    ready: VecDeque<Key>,
    /// Connections to write.
    dirty: Vec<Key>,
    /// Connections to remove.
    gone: Vec<Key>,
    /// The observers.
    watchers: Vec<Key>,
    /// Connections whose outboxes are to be checked after this step.
    swollen: Vec<Key>,
    published: Published,
    /// Since when something that was noted of the match waits to be written.
    backlog_since: Option<Duration>,
    snapshots_left: usize,
    /// Observers whose snapshot would take too much memory for now.
    postponed: BTreeSet<Key>,
    /// Bytes of answers to observers in this turn.
    answered: usize,
    /// Up to when the observers together have used up what they may be told.
    told_until: Duration,
    deadlines: Deadlines,
    pace: Pace,
    /// The seat whose line the game handles now.
    heard: Option<SeatId>,
    /// Connections that said another name than their own.
    fouls: Vec<Foul>,
    /// The teams of which a connection said a name that no team has.
    misnamed: BTreeSet<Vec<u8>>,
    /// Players that were let in.
    admitted: u32,
    /// Those of them that the door wasn't told of yet, with the addresses of their clients.
    seated: Vec<(u32, SocketAddr)>,
    /// Answers that wait for the console.
    answers: Outbox,
    console_refusal: Option<Words>,
    verdict: Option<Verdict>,
    /// The console line without which the server runs on after the match.
    stay: Option<Vec<u8>>,
    /// The verdict of a match after which the server runs on. Then connections are let in and never answered.
    played: Option<Verdict>,
    /// The players of a resumed match whose clients are waited for.
    orphans: Orphans,
    shutdown_at: Duration,
    closed: u64,
    chance: Chance,
    line: Vec<u8>,
    chunk: Vec<u8>,
    lateness: LatenessHistogram,
    notices: Notices,
}

impl<'g, G: Game, S: Stream> Shell<'g, G, S> {
    /// A shell around a new game, after its opening console lines.
    ///
    /// # Errors
    /// The game refused one of them.
    pub fn new(game: &'g mut G, setup: &Setup) -> Result<Self, RefusedOpening> {
        let mut shell = Shell {
            game,
            limits: setup.limits.clone(),
            clock: RealClock::stopped(),
            rounds: setup.lockstep.clone().map(Rounds::new),
            seed: setup.seed,
            at: Duration::ZERO,
            reached: 0,
            connections: Quick::default(),
            seats: Quick::default(),
            addresses: HashMap::new(),
            next_key: 0,
            next_seat: 0,
            gate: false,
            waiting: Vec::new(),
            opening: VecDeque::new(),
            ready: VecDeque::new(),
            dirty: Vec::new(),
            gone: Vec::new(),
            watchers: Vec::new(),
            swollen: Vec::new(),
            published: Published::default(),
            backlog_since: None,
            snapshots_left: 0,
            postponed: BTreeSet::new(),
            answered: 0,
            told_until: Duration::ZERO,
            deadlines: Deadlines::default(),
            pace: Pace::default(),
            heard: None,
            fouls: Vec::new(),
            misnamed: BTreeSet::new(),
            admitted: 0,
            seated: Vec::new(),
            answers: Outbox::default(),
            console_refusal: None,
            verdict: None,
            stay: setup.stay.clone(),
            played: None,
            orphans: Orphans::new(setup.patience),
            shutdown_at: Duration::MAX,
            closed: 0,
            chance: Chance::new(setup.seed, ADMISSION, 0, 0),
            line: Vec::new(),
            chunk: vec![0; setup.limits.turn_bytes],
            lateness: LatenessHistogram::default(),
            notices: Notices::default(),
        };
        shell.drain();
        if let Some(stand) = &setup.stand {
            shell.resume(stand);
        }
        for (i, line) in setup.opening.iter().enumerate() {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            shell.console_refusal = None;
            shell.console_line(line);
            if let Some(words) = shell.console_refusal.take() {
                return Err(RefusedOpening { number: i + 1, words });
            }
        }
        Ok(shell)
    }

    /// Begins a turn: runs what is due by `at`, as far as the budget reaches.
    pub fn advance(&mut self, at: Duration) {
        let late = self.rounds.is_some()
            && self.next_turn().is_some_and(|planned| at > planned + self.limits.oversleep);
        if let Some(rounds) = self.rounds.as_mut().filter(|_| late) {
            // When the whole machine stood still, no player had time to think. How long it stood still can't be
            // known, so the whole turn counts.
            rounds.oversleep(at - self.at);
        }
        self.at = self.at.max(at);
        self.snapshots_left = self.limits.turn_snapshots;
        self.answered = 0;
        if self.rounds.is_some() {
            return;
        }
        let before = self.reached;
        for _ in 0..self.limits.turn_ticks {
            if self.is_over() {
                break;
            }
            let target = self.clock.tick_at(self.at).max(self.reached);
            let (due, paced) = (self.game.poll_timeout(), self.pace.next());
            match (due.filter(|&tick| tick <= target), paced.filter(|&tick| tick <= target)) {
                (Some(due), paced) if paced.is_none_or(|paced| due <= paced) => self.run_due(due),
                (_, Some(tick)) => self.take_paced(tick),
                _ => {
                    self.reached = target;
                    break;
                }
            }
        }
        // What was due goes out before new lines are read.
        if self.reached > before {
            self.flush();
        }
    }

    fn run_due(&mut self, tick: Tick) {
        debug_assert!(tick >= self.reached, "due at {tick}, but {} is reached", self.reached);
        // An input may make something due at the tick that is reached already; that isn't late.
        if let Some(due) = self.clock.time_of(tick).filter(|_| tick > self.reached) {
            let late = self.at.saturating_sub(due);
            self.lateness.add(late);
            if late > self.limits.slip {
                self.clock.set_back(self.at, tick);
                if let Some(more) = self.notices.late.due(self.at, self.limits.notice) {
                    log::warn!("tick {tick} runs {late:?} late; the clock is set back{more}");
                }
            }
        }
        self.reached = self.reached.max(tick);
        self.game.handle_timeout(self.reached);
        self.drain();
    }

    /// Hands an input to the game at the tick reached, after running what is due at that tick.
    fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        while let Some(tick) = self.game.poll_timeout().filter(|&tick| tick <= self.reached) {
            if self.is_over() {
                break;
            }
            self.run_due(tick);
        }
        if !self.is_over() {
            if let Input::Line(line) = input {
                log::trace!("tick {}, {seat} < {}", self.reached, line.escape_ascii());
            }
            self.heard = Some(seat);
            self.game.handle_input(self.reached, seat, input);
            self.drain();
            self.heard = None;
        }
    }

    /// A line from the operator.
    pub fn console_line(&mut self, line: &[u8]) {
        if line.trim_ascii() == RESUME_LINE {
            return self.resume_line();
        }
        if self.stay.as_deref() == Some(line.trim_ascii()) {
            self.stay = None;
            if let Some(verdict) = self.played.take() {
                return self.finish(verdict);
            }
        }
        if let Some(rounds) = self.rounds.as_mut().filter(|_| self.verdict.is_none()) {
            let stop = &rounds.report.settings.stop_line;
            if line.trim_ascii() == stop.as_slice() {
                rounds.report.add_cause(format!("the operator ended it at tick {}", self.reached));
            } else if rounds.begun {
                let stop = String::from_utf8_lossy(stop);
                let words = format!("in lockstep only {stop} is taken once the match has begun");
                return self.answer(Line::new(words.into_bytes()));
            }
        }
        self.hand_in(SeatId::CONSOLE, Input::Line(line));
    }

    /// A line from the operator that was too long.
    pub fn console_overflow(&mut self) {
        self.hand_in(SeatId::CONSOLE, Input::Overflow);
    }

    /// The answers that wait for the operator.
    pub fn answers(&mut self) -> &mut Outbox {
        &mut self.answers
    }

    /// Whether there is room for another connection from that address; gives the key for it.
    ///
    /// # Errors
    /// There is no room.
    pub fn admit(&mut self, peer: SocketAddr) -> Result<Key, Refused> {
        let there = self.addresses.get(&peer.ip()).copied().unwrap_or(0);
        let limits = &self.limits;
        let refused = if self.verdict.is_some() {
            Refused::Over
        } else if self.connections.len() >= limits.connections || self.next_seat == SeatId::CONSOLE.0 {
            Refused::Full(self.connections.len())
        } else if there >= limits.per_address && !peer.ip().to_canonical().is_loopback() {
            Refused::FullAddress(there)
        } else {
            self.next_key += 1;
            return Ok(Key(self.next_key));
        };
        if let Some(rounds) = self.rounds.as_mut().filter(|_| self.verdict.is_none()) {
            rounds.report.turned_away = rounds.report.turned_away.saturating_add(1);
        }
        if let Some(more) = self.notices.refused.due(self.at, self.limits.notice) {
            log::warn!("{peer}: not let in, {refused}{more}");
        }
        Err(refused)
    }

    /// Takes a connection in under the key that [`Shell::admit`] gave.
    pub fn accept(&mut self, key: Key, stream: S, peer: SocketAddr) {
        log::debug!("{peer}: connected");
        *self.addresses.entry(peer.ip()).or_default() += 1;
        let mut connection = Connection::new(stream, peer, self.limits.line);
        if self.game.keeps_returns() {
            connection.keep_returns();
        }
        self.connections.insert(key, connection);
        if self.gate { self.opening.push_back(key) } else { self.waiting.push(key) }
    }

    /// Notes what the system reports of a connection.
    pub fn note_ready(&mut self, key: Key, ready: Ready) {
        let Some(connection) = self.connections.get_mut(&key) else { return };
        connection.note(ready);
        // A connection that ended before the gate opened must not take a place. In lockstep only the lines that it
        // sent count, and not when its end is noticed.
        let broken = ready.broken && (self.rounds.is_none() || !self.gate);
        if (broken || ready.ended && !self.gate) && connection.phase == Phase::Waiting {
            self.lose(key, "left before it was let in");
            return;
        }
        if connection.readable {
            self.list(key);
        }
        self.mark_dirty(key);
    }

    /// When the next turn is to begin at the latest; `None`: when a socket is ready.
    #[must_use]
    pub fn next_turn(&self) -> Option<Duration> {
        if self.finished().is_some() {
            return Some(self.at);
        }
        let lists_empty = self.ready.is_empty() && self.dirty.is_empty() && self.gone.is_empty();
        let opens = self.gate && self.verdict.is_none() && !self.opening.is_empty();
        if !lists_empty || opens {
            return Some(self.at);
        }
        if self.verdict.is_some() {
            return Some(self.deadlines.next().map_or(self.shutdown_at, |next| next.min(self.shutdown_at)));
        }
        let due = self.game.poll_timeout();
        let due = match &self.rounds {
            _ if self.played.is_some() => None,
            Some(rounds) => rounds.next_turn(self.at, due),
            None => due.into_iter().chain(self.pace.next()).min().and_then(|tick| self.clock.time_of(tick)),
        };
        due.into_iter().chain(self.deadlines.next()).chain(self.chores()).min()
    }

    /// The verdict, once everything is written or the time for that is over.
    #[must_use]
    pub fn finished(&self) -> Option<&Verdict> {
        let done = self.connections.is_empty() || self.at >= self.shutdown_at;
        self.verdict.as_ref().filter(|_| done)
    }

    /// How many connections were removed so far: their descriptors are free.
    #[must_use]
    pub fn closed(&self) -> u64 {
        self.closed
    }

    /// When this turn began.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.at
    }

    /// The tick the game has reached.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.reached
    }

    /// How late due ticks ran.
    #[must_use]
    pub fn lateness(&self) -> &LatenessHistogram {
        &self.lateness
    }

    /// The lockstep clock's report; `None` under the real clock.
    #[must_use]
    pub fn lockstep(&self) -> Option<&LockstepReport> {
        self.rounds.as_ref().map(|rounds| &rounds.report)
    }

    fn list(&mut self, key: Key) {
        if let Some(connection) = self.connections.get_mut(&key)
            && !std::mem::replace(&mut connection.listed, true)
        {
            self.ready.push_back(key);
        }
    }

    fn mark_dirty(&mut self, key: Key) {
        if let Some(connection) = self.connections.get_mut(&key)
            && connection.writable
            && !std::mem::replace(&mut connection.dirty, true)
        {
            self.dirty.push(key);
        }
    }
}
