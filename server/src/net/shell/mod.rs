//! The loop without sockets: seats, turns, budgets, lag and deadlines, over any stream and any game.
//!
//! One turn is [`Shell::advance`], then the news of this turn (`accept`, `note_ready`, `console_line`), then
//! [`Shell::serve`] and [`Shell::flush`]. Time comes in as an argument; nothing here waits. All outputs of the game
//! are carried out before the game is called again. Tested over a network in memory in `tests`.
//!
//! Each part calls only those before it: the parts of the state (`peers`, `entrance`, `audience`, `resume`, `time`),
//! what the game says (`outputs`), what it is told (`inputs`), the rounds of lockstep (`rounds`), and the turn itself.

mod audience;
mod entrance;
mod inputs;
#[cfg(any(test, feature = "simulation"))]
mod invariants;
mod outputs;
mod pace;
mod peers;
mod resume;
mod rounds;
#[cfg(test)]
mod tests;
mod time;

use std::net::SocketAddr;
use std::time::Duration;

use audience::Audience;
pub use entrance::DoorNews;
use entrance::Entrance;
#[cfg(test)]
pub use entrance::Foul;
use pace::Pace;
use peers::Peers;
pub use resume::MissingClient;
use resume::{Orphans, RESUME_LINE};
use time::Clock;

use super::clock::RealClock;
use super::connection::{Connection, Key, Phase, Ready, Stream};
use super::lateness::LatenessHistogram;
use super::limits::Limits;
use super::lockstep::Rounds;
use super::lockstep_report::{Lockstep, LockstepReport};
use super::notice::Notices;
use super::outbox::Outbox;
use zappy_game::{Game, Input, Line, SeatId, Stand, Tick, Verdict, Words};

/// A game as the shell plays it. The game may hold notes of the match that are still to be written. While time stands
/// still no step of the game writes them, so the shell has them written.
pub trait Hosted: Game {
    /// Whether notes of the match wait to be written.
    fn has_backlog(&self) -> bool {
        false
    }

    /// Writes the notes that wait.
    fn write_backlog(&mut self) {}
}

impl Hosted for Box<dyn Game> {}

impl<G: Hosted> Hosted for &mut G {
    fn has_backlog(&self) -> bool {
        (**self).has_backlog()
    }

    fn write_backlog(&mut self) {
        (**self).write_backlog();
    }
}

/// How a shell is to run.
#[derive(Debug, Clone, Default)]
pub struct Setup {
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
    /// How long a resumed match waits for the clients of its players after the first one came; `None`: as long as it
    /// takes.
    pub patience: Option<Duration>,
}

/// A console line before the match that the game refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {number}: {words}")]
pub struct RefusedOpening {
    /// The number of the bad line, counted from 1.
    pub number: usize,
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
    #[error("the match is over")]
    Over,
}

/// What all parts of the shell need in a turn of the loop.
struct Turn {
    /// The time at which the turn began.
    at: Duration,
    limits: Limits,
    notices: Notices,
}

/// How the server ends after the match.
struct Ending {
    verdict: Option<Verdict>,
    /// The console line that ends the server if it runs on after the match.
    stay: Option<Vec<u8>>,
    /// The verdict of a match that is over while the server runs on. Then connections are let in and never answered.
    played: Option<Verdict>,
    /// When the server ends although connections are still there.
    shutdown_at: Duration,
}

/// What waits for the operator.
#[derive(Default)]
struct Operator {
    answers: Outbox,
    /// Why the last console line was refused, if it was.
    refusal: Option<Words>,
}

/// The state of the loop between two turns.
pub struct Shell<G, S> {
    /// The game that is played.
    pub game: G,
    turn: Turn,
    clock: Clock,
    /// The tick the game has reached.
    reached: Tick,
    peers: Peers<S>,
    entrance: Entrance,
    audience: Audience,
    operator: Operator,
    ending: Ending,
    /// The players of a resumed match that still wait for a client.
    orphans: Orphans,
    /// The seat that sent the line which the game handles now.
    heard: Option<SeatId>,
    /// Since when notes of the match wait to be written.
    backlog_since: Option<Duration>,
    /// Buffers for the line and for the bytes that are read.
    line: Vec<u8>,
    chunk: Vec<u8>,
    /// How late due ticks ran.
    pub lateness: LatenessHistogram,
}

impl<G: Hosted, S: Stream> Shell<G, S> {
    /// A shell around a new game, after its opening console lines.
    ///
    /// # Errors
    /// The game refused one of them.
    pub fn new(game: G, setup: &Setup) -> Result<Self, RefusedOpening> {
        let limits = setup.limits.clone();
        let chunk = vec![0; limits.turn_bytes];
        let mut shell = Shell {
            game,
            turn: Turn { at: Duration::ZERO, limits, notices: Notices::default() },
            clock: match setup.lockstep.clone() {
                Some(settings) => Clock::Lockstep(Box::new(Rounds::new(settings, setup.seed))),
                None => Clock::Real(RealClock::stopped(), Pace::default()),
            },
            reached: 0,
            peers: Peers::default(),
            entrance: Entrance::new(setup.seed),
            audience: Audience::default(),
            operator: Operator::default(),
            ending: Ending {
                verdict: None,
                stay: setup.stay.clone(),
                played: None,
                shutdown_at: Duration::MAX,
            },
            orphans: Orphans { patience: setup.patience, ..Orphans::default() },
            heard: None,
            backlog_since: None,
            line: Vec::new(),
            chunk,
            lateness: LatenessHistogram::default(),
        };
        shell.drain();
        if let Some(stand) = &setup.stand {
            shell.resume(stand);
        }
        for (i, line) in setup.opening.iter().enumerate() {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            shell.operator.refusal = None;
            shell.console_line(line);
            if let Some(words) = shell.operator.refusal.take() {
                return Err(RefusedOpening { number: i + 1, words });
            }
        }
        Ok(shell)
    }

    /// Begins a turn: runs what is due by `at`, as far as the budget reaches.
    pub fn advance(&mut self, at: Duration) {
        let overslept = self.clock.is_lockstep()
            && self.next_turn().is_some_and(|planned| at > planned + self.turn.limits.oversleep);
        let gap = at.saturating_sub(self.turn.at);
        self.turn.at = self.turn.at.max(at);
        self.audience.snapshots_left = self.turn.limits.turn_snapshots;
        self.audience.answer_bytes = 0;
        if let Clock::Lockstep(rounds) = &mut self.clock {
            rounds.at = self.turn.at;
            if overslept {
                // While the whole machine stood still, no player had time to think. It isn't known for how long it did,
                // so all of the time since the last turn counts.
                rounds.oversleep(gap);
            }
            return;
        }
        let before = self.reached;
        for _ in 0..self.turn.limits.turn_ticks {
            if self.is_over() {
                break;
            }
            let Clock::Real(clock, pace) = &self.clock else { break };
            let target = clock.tick_at(self.turn.at).max(self.reached);
            let (due, paced) = (self.game.poll_timeout(), pace.next());
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

    /// Takes what connections have sent, within the budgets.
    pub fn serve(&mut self) {
        self.open_seats();
        self.expire();
        let mut lines_left = self.turn.limits.all_turn_lines;
        for _ in 0..self.peers.ready.len() {
            if lines_left == 0 {
                break;
            }
            let Some(key) = self.peers.ready.pop_front() else { break };
            if let Some(connection) = self.peers.get_mut(key) {
                connection.listed = false;
            }
            if self.take_from(key, &mut lines_left) {
                self.peers.queue_to_read(key);
            }
        }
        self.bury();
        if self.clock.is_lockstep() && self.ending.played.is_none() {
            self.play_rounds();
            self.bury();
        }
    }

    /// Takes a line from the operator.
    pub fn console_line(&mut self, line: &[u8]) {
        if line.trim_ascii() == RESUME_LINE {
            if !self.orphans.is_empty() {
                return self.go_on_without();
            }
            let words = "no player waits for a client; /resume is for a match that was resumed";
            self.operator.refusal = Some(words.into());
            return self.answer_console(Line::new(words.into()));
        }
        if self.ending.stay.as_deref() == Some(line.trim_ascii()) {
            self.ending.stay = None;
            if let Some(verdict) = self.ending.played.take() {
                return self.finish(verdict);
            }
        }
        if self.ending.verdict.is_none()
            && let Clock::Lockstep(rounds) = &mut self.clock
        {
            let stop = &rounds.report.settings.stop_line;
            if line.trim_ascii() == stop.as_slice() {
                rounds.report.add_cause(format!("the operator ended it at tick {}", self.reached));
            } else if rounds.begun {
                let stop = String::from_utf8_lossy(stop);
                let words = format!("in lockstep only {stop} is taken once the match has begun");
                return self.answer_console(Line::new(words.into_bytes()));
            }
        }
        self.hand_in(SeatId::CONSOLE, Input::Line(line));
    }

    /// Answers a line from the operator that was too long.
    pub fn console_overflow(&mut self) {
        self.hand_in(SeatId::CONSOLE, Input::Overflow);
    }

    /// The answers that wait for the operator.
    pub fn answers(&mut self) -> &mut Outbox {
        &mut self.operator.answers
    }

    /// Whether there is room for another connection from that address; gives the key for it.
    ///
    /// # Errors
    /// There is no room.
    pub fn admit(&mut self, peer: SocketAddr) -> Result<Key, Refused> {
        let (all, limits) = (self.peers.connections.len(), &self.turn.limits);
        let from_address = self.peers.addresses.get(&peer.ip()).copied().unwrap_or(0);
        let refused = if self.ending.verdict.is_some() {
            Refused::Over
        } else if self.entrance.next_seat == SeatId::CONSOLE.0 || all >= limits.connections {
            Refused::Full(all)
        } else if from_address >= limits.per_address && !peer.ip().to_canonical().is_loopback() {
            Refused::FullAddress(from_address)
        } else {
            self.peers.next_key += 1;
            return Ok(Key(self.peers.next_key));
        };
        if let (None, Clock::Lockstep(rounds)) = (&self.ending.verdict, &mut self.clock) {
            rounds.report.turned_away = rounds.report.turned_away.saturating_add(1);
        }
        if let Some(more) = self.turn.notices.refused.due(self.turn.at, self.turn.limits.notice) {
            log::warn!("{peer}: not let in, {refused}{more}");
        }
        Err(refused)
    }

    /// Takes a connection in under the key that [`Shell::admit`] gave.
    pub fn accept(&mut self, key: Key, stream: S, peer: SocketAddr) {
        log::debug!("{peer}: connected");
        *self.peers.addresses.entry(peer.ip()).or_default() += 1;
        let mut connection = Connection::new(stream, peer, self.turn.limits.line);
        if self.game.keeps_returns() {
            connection.keep_returns();
        }
        self.peers.connections.insert(key, connection);
        self.entrance.enter(key);
    }

    /// From now on this connection may play under this name only, and not watch.
    pub fn hold_to(&mut self, key: Key, name: Vec<u8>) {
        if let Some(connection) = self.peers.get_mut(key) {
            connection.held_to = Some(name);
        }
    }

    /// The news for the program at the door since the last call.
    pub fn door_news(&mut self) -> DoorNews {
        std::mem::take(&mut self.entrance.news)
    }

    /// Notes what the system reports of a connection.
    pub fn note_ready(&mut self, key: Key, ready: Ready) {
        let Some(connection) = self.peers.get_mut(key) else { return };
        connection.note(ready);
        // A connection that ended before the gate opened must not take a place. After that, in lockstep, its lines
        // count, and its end is read behind them, whenever it is noticed.
        let broken = ready.broken && (!self.clock.is_lockstep() || !self.entrance.gate);
        if (broken || ready.ended && !self.entrance.gate) && connection.phase == Phase::Waiting {
            self.peers.mark_gone(key, "left before it was let in");
            return;
        }
        if connection.readable {
            self.peers.queue_to_read(key);
        }
        self.peers.mark_dirty(key);
    }

    /// When the next turn has to begin at the latest; `None`: only when a socket is ready.
    pub fn next_turn(&self) -> Option<Duration> {
        if self.finished().is_some() {
            return Some(self.turn.at);
        }
        let lists_empty =
            self.peers.ready.is_empty() && self.peers.dirty.is_empty() && self.peers.gone.is_empty();
        let opens = self.entrance.gate && self.ending.verdict.is_none() && !self.entrance.opening.is_empty();
        if !lists_empty || opens {
            return Some(self.turn.at);
        }
        if self.ending.verdict.is_some() {
            return Some(
                self.peers
                    .deadlines
                    .next()
                    .map_or(self.ending.shutdown_at, |next| next.min(self.ending.shutdown_at)),
            );
        }
        let due = self.game.poll_timeout();
        let due = match &self.ending.played {
            Some(_) => None,
            None => self.clock.next_turn(due),
        };
        let hands_out_at = self.audience.hands_out_at(&self.turn.limits);
        let due = due.into_iter().chain(self.peers.deadlines.next()).chain(hands_out_at);
        due.chain(self.writes_backlog_at()).chain(self.orphans.due()).min()
    }

    /// The verdict, once everything is written or the time for writing is over.
    pub fn finished(&self) -> Option<&Verdict> {
        let done = self.peers.connections.is_empty() || self.turn.at >= self.ending.shutdown_at;
        self.ending.verdict.as_ref().filter(|_| done)
    }

    /// The players for which no client has come, whether the match still waits for one or not.
    pub fn missing_clients(&self) -> Vec<MissingClient> {
        let waiting = self.orphans.waiting.values().map(|(_, client)| client);
        self.orphans.missing.iter().chain(waiting).cloned().collect()
    }

    /// How many connections were removed so far: their descriptors are free.
    pub fn closed(&self) -> u64 {
        self.peers.closed
    }

    /// Whether there is a connection with that key.
    pub fn holds(&self, key: Key) -> bool {
        self.peers.connections.contains_key(&key)
    }

    /// Logs the misbehaviour that was counted and not yet logged.
    pub fn log_remaining(&mut self) {
        self.turn.notices.log_remaining();
    }

    /// The time at which the running turn of the loop began.
    pub fn time(&self) -> Duration {
        self.turn.at
    }

    /// How many more players a group has room for, those that come in with the next round counted.
    pub fn room(&self, group: u32) -> usize {
        let coming = match &self.clock {
            Clock::Lockstep(rounds) => rounds.arrivals.iter().filter(|one| one.group == group).count(),
            Clock::Real(..) => 0,
        };
        self.game.room(group).saturating_sub(coming)
    }

    /// The tick the game has reached.
    pub fn tick(&self) -> Tick {
        self.reached
    }

    /// The lockstep clock's report; `None` under the real clock.
    pub fn lockstep(&self) -> Option<&LockstepReport> {
        self.clock.report()
    }
}
