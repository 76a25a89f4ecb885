//! A whole match in one process: the server's shell in lockstep, and agents at the ends of wires in memory.
//!
//! The game, the shell and the agents are those that meet over sockets, so the record is the same to the byte. There is
//! no thread, no socket and no clock: time stands still as long as a player moves, so that no player with something to
//! say is late. When all players that are waited for keep silent, their think time is over at once. Every match ends: a
//! turn in which no player moves and none is waited for is an error, and so are too many turns at one tick. Knows no
//! game's rules. Tested in `tests` beside this and in `arena/cli/tests/in_process.rs`.

mod player;
#[cfg(test)]
mod tests;
mod wire;

use std::cell::RefCell;
use std::io::{self, Write};
use std::mem::take;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zappy_ai::agent::Agent;
use zappy_game::config::{BadConfig, Clock};
use zappy_game::{Game, MatchSpec, Verdict};
use zappy_protocol::Tick;
use zappy_protocol::record::RecordLevel;
use zappy_server::net::{Hosted, Key, Limits, Lockstep, Ready, Setup, Shell};
use zappy_server::record::{self, Recorder};
use zappy_server::result::{Lateness, MatchResult};

use player::Player;
use wire::{Bell, ServerEnd};

/// Turns at one tick after which a match is given up: it takes a few, and one more for each egg that hatches.
const TURNS_AT_A_TICK: u32 = 10_000;
/// The console line that ends a match.
const STOP_LINE: &[u8] = b"/quit";
/// A server's defaults in lockstep. No player takes time in this process, so they change nothing.
const LOBBY_TIME: Duration = Duration::from_secs(600);
const THINK_TIME: Duration = Duration::from_millis(1_000);
const MAX_LATE: u32 = 10;

/// Why a match was not played.
#[derive(Debug, thiserror::Error)]
pub enum InProcessError {
    #[error(transparent)]
    Config(#[from] BadConfig),
    #[error("nobody moves any more at tick {0}: a bug in the arena; the record shows what came before")]
    Stuck(Tick),
    #[error("tick {0} had not ended after {1} turns: a bug; the record shows what came before")]
    Endless(Tick, u32),
    #[error("the record can't be written: {0}")]
    Record(#[from] io::Error),
}

/// The settings and players of a match.
#[derive(Debug)]
pub struct InProcessMatch {
    /// The game and its configuration. The clock is the lockstep one whatever it says, and messages are made if the
    /// record wants them.
    pub spec: MatchSpec,
    /// The players that each team has from the start, in the order of the teams: one crew for each, and in all no more
    /// than can connect.
    pub crews: Vec<Vec<Box<dyn Agent>>>,
    pub level: RecordLevel,
}

/// A match that is over.
#[derive(Debug)]
pub struct Played<W> {
    pub verdict: Verdict,
    /// The tick at which it ended.
    pub ticks: Tick,
    /// What a server would have left as its result.
    pub result: MatchResult,
    /// The fingerprint of the last state.
    pub digest: u64,
    pub record: W,
    /// Whether it was stopped from outside.
    pub stopped: bool,
}

impl InProcessMatch {
    /// Plays the match and writes its record. When `stop` becomes true it ends in order at the next turn.
    ///
    /// # Errors
    /// It can't be played with these values, or its record not written; or a bug.
    pub fn play<W: Write>(self, record: W, stop: &AtomicBool) -> Result<Played<W>, InProcessError> {
        let mut spec = self.spec;
        (spec.config.clock, spec.config.publish) = (Clock::Lockstep, self.level == RecordLevel::Full);
        let game = spec.begin()?;
        let players: Vec<usize> = self.crews.iter().map(Vec::len).collect();
        let setup = setup(&spec, &*game, &players);
        let header = record::header(&spec, self.level);
        let mut recorder = Recorder::new(game, record, &header);
        let shell = Shell::new(&mut recorder, &setup).expect("no opening line, so none is refused");
        let mut session = Session::new(shell);
        self.crews.into_iter().flatten().for_each(|agent| session.enter(agent, None));
        let (verdict, stopped) = session.play(stop)?;
        let (ticks, lockstep) = (session.shell.tick(), session.shell.lockstep().cloned());
        drop(session);
        let (game, written) = recorder.finish();
        let record = written?;
        let result = MatchResult::new(&spec, game.report(), lockstep.as_ref(), Lateness::default());
        let result = MatchResult { record_complete: Some(true), ..result };
        Ok(Played { verdict, ticks, result, digest: game.digest(), record, stopped })
    }
}

/// The settings of the shell when the teams begin with so many players.
fn setup(spec: &MatchSpec, game: &dyn Game, crews: &[usize]) -> Setup {
    // The match doesn't wait for players that find no slot.
    let placed = crews.iter().zip(0..).map(|(players, team)| game.room(team).min(*players)).sum();
    let lockstep = Lockstep {
        wait_players: placed,
        lobby_time: LOBBY_TIME,
        think_time: THINK_TIME,
        max_late: MAX_LATE,
        pace: None,
        step: false,
        stop_line: STOP_LINE.to_vec(),
    };
    Setup { limits: Limits::default(), seed: spec.config.seed, lockstep: Some(lockstep), ..Setup::default() }
}

/// A match that is played: the server's shell and all players.
struct Session<'g, G> {
    shell: Shell<&'g mut G, ServerEnd>,
    players: Vec<Player>,
    /// The shell's key of each player's connection, once it has one.
    keys: Vec<Option<Key>>,
    /// The players that want a connection.
    entering: Vec<usize>,
    /// The players that have said something.
    speaking: Vec<usize>,
    /// Rung for the players that have something to read.
    bell: Rc<RefCell<Bell>>,
    /// The most turns at one tick.
    turn_limit: u32,
}

impl<'g, G: Hosted> Session<'g, G> {
    fn new(shell: Shell<&'g mut G, ServerEnd>) -> Session<'g, G> {
        Session {
            shell,
            players: Vec::new(),
            keys: Vec::new(),
            entering: Vec::new(),
            speaking: Vec::new(),
            bell: Rc::default(),
            turn_limit: TURNS_AT_A_TICK,
        }
    }

    fn enter(&mut self, agent: Box<dyn Agent>, parent: Option<usize>) {
        self.entering.push(self.players.len());
        self.players.push(Player::new(agent, parent));
        self.keys.push(None);
    }

    /// Plays to the end; true if the match was stopped from outside.
    fn play(&mut self, stop: &AtomicBool) -> Result<(Verdict, bool), InProcessError> {
        let (mut tick, mut turns, mut stopped, mut at) = (0, 0, false, Duration::ZERO);
        loop {
            self.shell.advance(at);
            if !stopped && stop.load(Ordering::Relaxed) {
                stopped = true;
                self.shell.console_line(STOP_LINE);
            }
            self.connect();
            // Tells the shell which wires hold something.
            for player in self.speaking.drain(..) {
                let Some(key) = self.keys[player] else { continue };
                let ended = self.players[player].wire.borrow().left;
                self.shell.note_ready(key, Ready { readable: true, ended, ..Ready::default() });
            }
            self.shell.serve();
            self.shell.flush();
            if let Some(verdict) = self.shell.finished() {
                return Ok((verdict.clone(), stopped));
            }
            // Lets every player move that has something to read.
            let rung = self.bell.borrow_mut().take();
            for &player in &rung {
                if let Some(child) = self.players[player].play() {
                    self.enter(child, Some(player));
                }
                if take(&mut self.players[player].spoke) {
                    self.speaking.push(player);
                }
                if self.players[player].greeted || self.players[player].wire.borrow().left {
                    self.release_parent(player);
                }
            }
            let moved = !rung.is_empty();
            let tick_now = self.shell.tick();
            match self.shell.next_turn() {
                // No player that is waited for says anything: they are late at once.
                Some(next) if !moved => at = at.max(next),
                None if !moved => return Err(InProcessError::Stuck(tick_now)),
                _ => {}
            }
            turns = if tick_now == tick { turns + 1 } else { 0 };
            tick = tick_now;
            if turns > self.turn_limit {
                return Err(InProcessError::Endless(tick, turns));
            }
        }
    }

    /// Connects the players that want a connection; a player that gets none leaves, as a program would.
    fn connect(&mut self) {
        for player in take(&mut self.entering) {
            let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
            match self.shell.admit(peer) {
                Ok(key) => {
                    self.keys[player] = Some(key);
                    let (wire, bell) = (self.players[player].wire.clone(), self.bell.clone());
                    self.shell.accept(key, ServerEnd { wire, player, bell }, peer);
                }
                Err(_) => {
                    self.players[player].leave();
                    self.release_parent(player);
                }
            }
        }
    }

    /// Lets the player that waits for this player's greeting go on, if there is one.
    fn release_parent(&mut self, player: usize) {
        if let Some(parent) = self.players[player].parent.take() {
            self.players[parent].waits = false;
            self.bell.borrow_mut().ring(parent);
        }
    }
}
