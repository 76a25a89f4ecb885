//! A match whose players are the caller's, and our clients beside them: rows, actions, and what is shown of it.
//!
//! Tested in `tests/`, beside sockets in `test_play.py`.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use pyo3::PyResult;
use zappy_ai::cli::{self, Game as Client};
use zappy_game::chance::rank;
use zappy_game::config::Clock;
use zappy_game::{Game, Input, MatchSpec, SeatId, Verdict};
use zappy_game_conquest::Conquest;
use zappy_game_zappy::Zappy;
use zappy_protocol::Tick;
use zappy_protocol::record::RecordLevel;
use zappy_server::record::{self, Recorder};

use crate::memory::Shape;
use crate::rounds::{Player, Seat};
use crate::wrong;

/// The purpose of the draws from which our clients get their seeds; games have purposes of their own.
const CLIENTS: u64 = 0x0067_796d;

/// What matches are played with, but for the seed.
pub struct Settings {
    pub spec: MatchSpec,
    pub shape: Arc<Shape>,
    /// The levels of our client that play the last teams; the first ones are the caller's.
    pub opponents: Vec<String>,
    /// Players that each of the caller's teams may have in all.
    pub max_players: usize,
    pub auto_join: bool,
    /// Whether the lines that players read are kept for the caller.
    pub keeps_text: bool,
}

impl Settings {
    /// The teams of the caller.
    fn own(&self) -> usize {
        self.spec.config.teams.len() - self.opponents.len()
    }
}

/// A match.
pub struct Match {
    pub game: Box<dyn Game + Send>,
    pub settings: Arc<Settings>,
    pub seed: u64,
    /// The connections, in the order in which they were opened.
    pub seats: Vec<Seat>,
    /// The seat of each row, once a player has taken the row.
    pub rows: Vec<Option<usize>>,
    /// The seats that owe a line, and the rows among them that are asked, in drawn order.
    pub owing: Vec<SeatId>,
    pub asked: Vec<usize>,
    pub now: Tick,
    /// How the match ended, once it has.
    pub verdict: Option<Verdict>,
    rounds: u64,
}

/// The parts of the arrays that belong to one match.
pub struct Arrays<'a> {
    pub observations: &'a mut [f32],
    pub masks: &'a mut [i8],
    pub rewards: &'a mut [f32],
    /// Per row: 0 not there, 1 there, 2 and more asked, in drawn order.
    pub states: &'a mut [i32],
    /// 0 goes on, 1 over, 2 cut off; and the place of the caller's team that won, or -1.
    pub end: &'a mut [i32],
}

impl Match {
    /// Begins a match, up to the moment at which the caller is asked first.
    ///
    /// # Errors
    /// It can't be played with these values, or its record not written.
    pub fn begin(settings: &Arc<Settings>, seed: u64, file: Option<&Path>) -> PyResult<Match> {
        let mut spec = settings.spec.clone();
        spec.config.seed = seed;
        (spec.config.clock, spec.config.publish) = (Clock::Lockstep, file.is_some());
        let mut game: Box<dyn Game + Send> = match settings.shape.is_zappy {
            true => Box::new(Zappy::of(&spec)),
            false => Box::new(Conquest::new(&spec.config, &spec.options).map_err(wrong)?),
        };
        if let Some(path) = file {
            let file = File::create(path).map_err(|error| {
                let path = path.display();
                wrong(format!("record: {path}: {error}; name a file in a folder that exists and has room"))
            })?;
            let header = record::header(&spec, RecordLevel::Full);
            // Each step is written at once, because a match that goes on is rendered from its record.
            game = Box::new(Recorder::new(game, file, &header).with_delay(0));
        }
        let own = settings.own();
        let mut one = Match {
            game,
            settings: settings.clone(),
            seed,
            seats: Vec::new(),
            rows: vec![None; own * settings.max_players],
            owing: Vec::new(),
            asked: Vec::new(),
            now: 0,
            verdict: None,
            rounds: 0,
        };
        one.drain();
        (0..own).for_each(|team| one.fill(team));
        for (team, level) in (own..).zip(&settings.opponents) {
            one.enter_clients(team, level)?;
        }
        one.advance(false);
        Ok(one)
    }

    /// Opens a connection for each player with which our client begins.
    fn enter_clients(&mut self, team: usize, level: &str) -> PyResult<()> {
        let room = self.game.room(team as u32);
        let seed = rank(self.seed, CLIENTS, 0, team as u64) >> 11;
        let name = self.settings.spec.config.teams[team].as_str();
        let words = ["zappy_ai", "-p", "1", "-n", name, "--level", level].map(Into::into);
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        let options = cli::parse(words).map_err(|exit| wrong(format!("opponents: {}", first(&exit.text))))?;
        let client = if self.settings.shape.is_zappy { Client::Zappy } else { Client::Conquest };
        let agents = options.agents(client, seed, true, room);
        let agents = agents.map_err(|error| wrong(format!("opponents: {error}")))?;
        agents.into_iter().for_each(|agent| self.enter(team, Player::Client(agent)));
        Ok(())
    }

    /// Opens connections for the free slots of one of the caller's teams, as far as it may have more players.
    fn fill(&mut self, team: usize) {
        let settings = self.settings.clone();
        let count =
            |is: fn(&Seat) -> bool| self.seats.iter().filter(|seat| seat.team == team && is(seat)).count();
        let (had, waiting) = (count(|seat| seat.plays), count(Seat::waits));
        let room = self.game.room(team as u32).min(settings.max_players.saturating_sub(had));
        for _ in waiting..room {
            let (memory, text) = (settings.shape.memory(), settings.keeps_text.then(Vec::new));
            self.enter(team, Player::Caller { memory, text, has_news: true });
        }
    }

    /// Fills the free slots of the caller's teams that owe.
    pub fn join(&mut self, owing: &[SeatId]) {
        for team in 0..self.settings.own() {
            let owes = || owing.iter().any(|seat| self.seats[seat.0 as usize].team == team);
            if self.settings.auto_join && self.game.room(team as u32) > 0 && owes() {
                self.fill(team);
            }
        }
    }

    /// A seat was admitted. One of the caller's gets the next row of its team.
    pub fn name(&mut self, seat: usize) {
        let (most, team) = (self.settings.max_players, self.seats[seat].team);
        let row = (team * most..(team + 1) * most).find(|&row| self.rows.get(row) == Some(&None));
        (self.seats[seat].plays, self.seats[seat].row) = (true, row);
        row.into_iter().for_each(|row| self.rows[row] = Some(seat));
    }

    /// Plays a round with what the rows that are asked do, then goes on until the caller is asked again. `wait` lets the
    /// others go on until time passes.
    pub fn step(&mut self, actions: &[i32], weights: &[f32], most: u64, arrays: &mut Arrays<'_>) {
        let size = actions.len() / self.rows.len();
        for row in std::mem::take(&mut self.asked) {
            if let Some(Seat { player: Player::Caller { memory, .. }, lines, passes, .. }) = self.seat(row) {
                match memory.act(&actions[row * size..][..size]) {
                    Some(line) => lines.push_back(line),
                    None => *passes = true,
                }
            }
        }
        if self.verdict.is_none() {
            if self.go_on(false) {
                self.advance(false);
            }
            self.reward();
        }
        self.rounds += 1;
        self.show(weights, false, arrays);
        let lives = arrays.states.iter().any(|&state| state > 0);
        arrays.end[0] = if lives { 2 * i32::from(self.rounds >= most) } else { 1 };
        let own = &self.settings.spec.config.teams[..self.settings.own()];
        let winner = own.iter().position(|team| self.winners().any(|winner| winner == team.as_str()));
        arrays.end[1] = winner.map_or(-1, |place| place as i32);
    }

    fn winners(&self) -> impl Iterator<Item = &str> {
        self.verdict.iter().flat_map(Verdict::winners)
    }

    /// If the match is over, the caller's players that are still in it have won or lost.
    fn reward(&mut self) {
        let winners: Vec<String> = self.winners().map(str::to_owned).collect();
        for seat in self.seats.iter_mut().filter(|seat| seat.plays && !winners.is_empty()) {
            if let Player::Caller { memory, has_news, .. } = &mut seat.player
                && !memory.core().is_out
            {
                *has_news = true;
                let team = self.settings.spec.config.teams[seat.team].as_str();
                let won = winners.iter().any(|winner| winner == team);
                memory.core().earn(if won { "won" } else { "lost" }, 1.0);
            }
        }
    }

    /// Writes the rows that have changed, or all of them.
    pub fn show(&mut self, weights: &[f32], all: bool, arrays: &mut Arrays<'_>) {
        let rows = self.rows.len();
        let (size, values) = (arrays.observations.len() / rows, arrays.masks.len() / rows);
        arrays.rewards.fill(0.0);
        for row in 0..rows {
            let asked = self.asked.iter().position(|&asked| asked == row);
            let state = i32::from(self.lives(row)) + asked.map_or(0, |place| place as i32 + 1);
            let changed = std::mem::replace(&mut arrays.states[row], state) != state;
            let observation = &mut arrays.observations[row * size..][..size];
            let mask = &mut arrays.masks[row * values..][..values];
            let Some(Seat { player: Player::Caller { memory, has_news, .. }, .. }) = self.seat(row) else {
                if all {
                    observation.fill(0.0);
                    mask.fill(0);
                    mask[0] = 1;
                }
                continue;
            };
            let news = std::mem::take(has_news) || all;
            if news {
                let core = memory.core();
                core.changed = if all { 0 } else { core.changed };
                core.observe(observation);
                arrays.rewards[row] =
                    core.earned.iter().zip(weights).map(|(part, weight)| part * weight).sum();
                core.earned.fill(0.0);
            }
            if news || changed {
                memory.write_mask(asked.is_some(), mask);
            }
        }
    }

    /// Makes the record whole: a match in which none of the caller's players is left goes on to its end, any other one
    /// ends where it stands.
    pub fn end(&mut self) {
        if self.verdict.is_none() && !(0..self.rows.len()).any(|row| self.lives(row)) {
            self.advance(true);
        }
        if self.verdict.is_none() {
            self.hand_in(SeatId::CONSOLE, Input::Line(b"/quit"));
        }
        self.asked.clear();
    }

    /// Whether the player of a row still plays.
    pub fn lives(&mut self, row: usize) -> bool {
        self.verdict.is_none()
            && self.seat(row).is_some_and(|seat| match &mut seat.player {
                Player::Caller { memory, .. } => !seat.gone && !memory.core().is_out,
                Player::Client(_) => false,
            })
    }

    /// The seat of a row, if it has had one.
    pub fn seat(&mut self, row: usize) -> Option<&mut Seat> {
        self.rows[row].map(|seat| &mut self.seats[seat])
    }
}
