//! A whole match in one process: the server's shell in lockstep, and our players at the ends of wires in memory.
//!
//! The rules, the shell and the players are those that meet over sockets, so the record is the same to the byte.
//! There is no thread, no socket and no clock: time stands at zero, so nobody is ever late. Everything here ends:
//! a turn in which nobody moves is an error, and so are too many turns at one tick. Tested in `tests` beside this
//! and in `tests/in_process.rs`.

mod bot;
mod player;
#[cfg(test)]
mod tests;
mod wire;

use std::cell::RefCell;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zappy_ai::agent;
use zappy_ai::level::Style;
use zappy_protocol::Tick;
use zappy_protocol::record::RecordLevel;
use zappy_server::config::{BadConfig, Clock, GameConfig};
use zappy_server::game::{Game, Verdict};
use zappy_server::net::{Key, Limits, Lockstep, Ready, Setup, Shell};
use zappy_server::record::{self, Recorder};
use zappy_server::result::{Lateness, MatchResult};
use zappy_server::zappy::Zappy;

pub use bot::OurBot;
use player::{Player, Wish};
use wire::{Bell, ServerEnd};

/// Turns at one tick after which a match is given up: it takes a few, and one more for each egg that hatches.
const TURNS_AT_A_TICK: u32 = 10_000;
/// The console line that ends a match.
const STOP_LINE: &[u8] = b"/quit";
/// What a server in lockstep has by default. Nothing here takes time, so nothing comes of it.
const LOBBY_TIME: Duration = Duration::from_secs(600);
const THINK_TIME: Duration = Duration::from_millis(1_000);
const MAX_LATE: u32 = 10;

/// The players of a team at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crew {
    /// How many.
    pub players: usize,
    /// Where the chance of each of them comes from; they all know it, so it seals what they say.
    pub seed: u64,
    /// How they play.
    pub style: Style,
}

/// What a match is played with.
#[derive(Debug, Clone)]
pub struct Hall {
    /// The rules' part. The clock is the lockstep one whatever it says, and messages are made if the record wants
    /// them.
    pub config: GameConfig,
    /// One for each team, in the same order.
    pub crews: Vec<Crew>,
    /// What the record holds.
    pub level: RecordLevel,
}

/// What comes of a match.
#[derive(Debug)]
pub struct Played<W> {
    /// How it ended.
    pub verdict: Verdict,
    /// At which tick.
    pub ticks: Tick,
    /// What a server would have left as its result.
    pub result: MatchResult,
    /// The fingerprint of the last state.
    pub digest: u64,
    /// Where the record went.
    pub record: W,
    /// Whether it was stopped from outside.
    pub stopped: bool,
}

/// Why a match was not played.
#[derive(Debug, thiserror::Error)]
pub enum HallError {
    /// The rules can't be played with that.
    #[error(transparent)]
    Config(#[from] BadConfig),
    /// A crew for each team, no more and no less.
    #[error("{crews} crews for {teams} teams; give each team one")]
    Crews {
        /// Crews given.
        crews: usize,
        /// Teams.
        teams: usize,
    },
    /// Nobody would ever come.
    #[error("nobody plays; give a team a player")]
    Nobody,
    /// More players than connections.
    #[error("{players} players are too many, {limit} can connect; lower the number of players")]
    Crowd {
        /// Players at the start.
        players: usize,
        /// Connections at the most.
        limit: usize,
    },
    /// Everybody waits for everybody else. A bug.
    #[error("nobody moves any more at tick {0}: a bug in the arena; the record shows what came before")]
    Stuck(Tick),
    /// A tick that doesn't end. A bug.
    #[error("tick {tick} had not ended after {turns} turns: a bug; the record shows what came before")]
    Endless {
        /// At which tick.
        tick: Tick,
        /// Turns taken.
        turns: u32,
    },
    /// The record can't be written.
    #[error("the record can't be written: {0}")]
    Record(#[from] io::Error),
}

impl Hall {
    /// Plays the match and writes its record. When `stop` becomes true it ends in order at the next turn.
    ///
    /// # Errors
    /// It can't be played with these values, or its record not written; or a bug.
    pub fn play<W: Write>(&self, record: W, stop: &AtomicBool) -> Result<Played<W>, HallError> {
        let config = GameConfig {
            clock: Clock::Lockstep,
            always_publish: self.level == RecordLevel::Full,
            ..self.config.clone()
        };
        config.validate()?;
        let setup = self.setup(&config)?;
        let header = record::header(&config, self.level);
        let mut recorder = Recorder::new(Zappy::new(&config), record, &header);
        let shell = Shell::new(&mut recorder, &setup).expect("no opening line, so none is refused");
        let mut floor = Floor::new(shell);
        for (crew, team) in self.crews.iter().zip(&config.teams) {
            for _ in 0..crew.players {
                let Crew { seed, style, .. } = *crew;
                floor
                    .enter(agent::Setup { team: team.clone(), seed, sealed: true, style, birth: None }, None);
            }
        }
        let (verdict, stopped) = floor.play(stop)?;
        let (ticks, lockstep) = (floor.shell.tick(), floor.shell.lockstep().cloned());
        drop(floor);
        let (game, written) = recorder.finish();
        let record = written?;
        let result =
            MatchResult::new(&config, game.report(), lockstep.as_ref(), Lateness::default(), Some(true));
        Ok(Played { verdict, ticks, result, digest: game.digest(), record, stopped })
    }

    fn setup(&self, config: &GameConfig) -> Result<Setup, HallError> {
        let (crews, teams) = (self.crews.len(), config.teams.len());
        if crews != teams {
            return Err(HallError::Crews { crews, teams });
        }
        let limits = Limits::default();
        let (players, limit) = (self.crews.iter().map(|crew| crew.players).sum(), limits.connections);
        if players == 0 {
            return Err(HallError::Nobody);
        }
        if players > limit {
            return Err(HallError::Crowd { players, limit });
        }
        // Whoever finds no slot begins no match.
        let placed = self.crews.iter().map(|crew| crew.players.min(config.slots as usize)).sum();
        let lockstep = Lockstep {
            wait_players: placed,
            lobby_time: LOBBY_TIME,
            think_time: THINK_TIME,
            max_late: MAX_LATE,
            pace: None,
            stop_line: STOP_LINE.to_vec(),
        };
        Ok(Setup { limits, seed: config.seed, opening: Vec::new(), lockstep: Some(lockstep) })
    }
}

/// The shell and everybody who plays.
struct Floor<'g, G> {
    shell: Shell<'g, G, ServerEnd>,
    players: Vec<Player>,
    /// The name of each player's connection, once it has one.
    keys: Vec<Option<Key>>,
    /// Who wants a connection.
    entering: Vec<usize>,
    /// Who has said something.
    speaking: Vec<usize>,
    bell: Rc<RefCell<Bell>>,
    /// Turns at one tick at the most.
    turns: u32,
}

impl<'g, G: Game> Floor<'g, G> {
    fn new(shell: Shell<'g, G, ServerEnd>) -> Floor<'g, G> {
        Floor {
            shell,
            players: Vec::new(),
            keys: Vec::new(),
            entering: Vec::new(),
            speaking: Vec::new(),
            bell: Rc::default(),
            turns: TURNS_AT_A_TICK,
        }
    }

    fn enter(&mut self, setup: agent::Setup, parent: Option<usize>) {
        self.entering.push(self.players.len());
        self.players.push(Player::new(setup, parent));
        self.keys.push(None);
    }

    /// Plays to the end; true if it was stopped.
    fn play(&mut self, stop: &AtomicBool) -> Result<(Verdict, bool), HallError> {
        let (mut tick, mut turns, mut stopped) = (0, 0, false);
        loop {
            self.shell.advance(Duration::ZERO);
            if !stopped && stop.load(Ordering::Relaxed) {
                stopped = true;
                self.shell.console_line(STOP_LINE);
            }
            self.connect();
            self.hear();
            self.shell.serve();
            self.shell.flush();
            if let Some(verdict) = self.shell.finished() {
                return Ok((verdict.clone(), stopped));
            }
            let moved = self.move_players();
            let tick_now = self.shell.tick();
            let due = self.shell.next_turn().is_some_and(|next| next <= self.shell.time());
            if !moved && !due {
                return Err(HallError::Stuck(tick_now));
            }
            turns = if tick_now == tick { turns + 1 } else { 0 };
            tick = tick_now;
            if turns > self.turns {
                return Err(HallError::Endless { tick, turns });
            }
        }
    }

    /// Lets in who wants a connection; who gets none leaves, as a program would.
    fn connect(&mut self) {
        for player in std::mem::take(&mut self.entering) {
            let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
            match self.shell.admit(peer) {
                Ok(key) => {
                    self.keys[player] = Some(key);
                    let (wire, bell) = (self.players[player].wire.clone(), self.bell.clone());
                    self.shell.accept(key, ServerEnd { wire, player, bell }, peer);
                }
                Err(_) => {
                    self.players[player].leave();
                    self.settle(player);
                }
            }
        }
    }

    /// Tells the shell whose wires hold something.
    fn hear(&mut self) {
        for player in self.speaking.drain(..) {
            let Some(key) = self.keys[player] else { continue };
            let ended = self.players[player].wire.pipe().is_left();
            self.shell.note_ready(key, Ready { readable: true, ended, ..Ready::default() });
        }
    }

    /// Lets everybody move who has something to read; false if nobody has.
    fn move_players(&mut self) -> bool {
        let rung = self.bell.borrow_mut().take();
        for &player in &rung {
            if let Wish::Child(setup) = self.players[player].play() {
                self.enter(*setup, Some(player));
            }
            if self.players[player].has_spoken() {
                self.speaking.push(player);
            }
            if self.players[player].is_settled() {
                self.settle(player);
            }
        }
        !rung.is_empty()
    }

    /// Nobody has to wait any more for this player's greeting.
    fn settle(&mut self, player: usize) {
        if let Some(parent) = self.players[player].parent.take() {
            self.players[parent].go_on();
            self.bell.borrow_mut().ring(parent);
        }
    }
}
