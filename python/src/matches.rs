//! A match between teams of the caller and teams of our client: its beginning and end, actions, and arrays.
//!
//! In the arrays each of the caller's teams has a row for each player that it may ever have. Its players take them in
//! the order in which they are admitted. Tested in `tests/`, beside sockets in `test_play.py`.

use std::io::{Error, ErrorKind, Read};
use std::path::Path;

use pyo3::PyResult;
use zappy_ai::cli;
use zappy_game::chance::rank;
use zappy_game::config::Clock;
use zappy_game::{Game, Input, SeatId, Verdict};
use zappy_game_conquest::Conquest;
use zappy_game_zappy::Zappy;
use zappy_protocol::Tick;
use zappy_protocol::record::RecordLevel;
use zappy_server::files;
use zappy_server::record::{self, RecordFile, Recorder};

use crate::memory::Memory;
use crate::rounds::{Player, Seat};
use crate::{Setup, invalid};

/// The purpose (an input of each draw by lot) of the seeds of our clients; the games' own draws have other purposes.
const CLIENTS: u64 = 0x0067_796d;

/// A match, with what its clock in `rounds` needs.
pub struct Match {
    pub game: Box<dyn Game + Send>,
    /// What it is played with, its seed included.
    pub setup: Setup,
    /// The connections, in the order in which they were opened.
    pub seats: Vec<Seat>,
    /// The indices of the seats that wait to be admitted.
    pub arrivals: Vec<usize>,
    /// How many seats were admitted so far.
    pub admitted: u64,
    /// The seat of each row, once a player has taken the row.
    pub rows: Vec<Option<usize>>,
    /// The seats that owe a line, in drawn order.
    pub owing: Vec<SeatId>,
    pub now: Tick,
    /// `None` until the match is over; then the index of the caller's team that won, or -1.
    pub winner: Option<i32>,
    /// How often the arrays of the match were written: once before its first round, then after each round.
    writes: u64,
    /// Whether the match goes on (0), is over (1) or was cut off (2).
    end: i32,
}

/// The part of each array that belongs to one row.
pub struct Slice<'a> {
    pub observation: &'a mut [f32],
    pub mask: &'a mut [i8],
    pub reward: &'a mut f32,
    /// 0 without a player in the match, 1 with a player that owes no line; players that owe one have 2, 3 and so on, in
    /// drawn order.
    pub state: &'a mut i32,
}

/// Opens a record that is to be written, and empties it; an error names its remedy.
fn open(path: &Path) -> PyResult<RecordFile> {
    let open = || {
        let (mut file, mut start) = (RecordFile::open(path)?, Vec::new());
        files::open(path)?.take(record::MAGIC.len() as u64).read_to_end(&mut start)?;
        let words = "this is no record and isn't replaced; name another file, or remove this one";
        let is_record = start.is_empty() || start == record::MAGIC;
        if is_record { file.empty().map(|()| file) } else { Err(Error::new(ErrorKind::InvalidInput, words)) }
    };
    open().map_err(|error: Error| {
        let remedy = match error.kind() {
            // This error names its remedy already.
            ErrorKind::InvalidInput => "",
            ErrorKind::ResourceBusy => "; close the environment that writes it, or name another file",
            ErrorKind::NotFound => "; make its folder, or name a file in one that is there",
            _ => "; name a file in a folder where you may write",
        };
        invalid(format!("record: {}: {error}{remedy}", path.display()))
    })
}

impl Match {
    /// Begins a match, and plays it until one of the caller's players owes a line.
    ///
    /// # Errors
    /// If the match can't be played with these values, or its record can't be written.
    pub fn begin(setup: &Setup, seed: u64, record: Option<&Path>) -> PyResult<Match> {
        let mut setup = setup.clone();
        let Setup { spec, settings } = &mut setup;
        let config = &mut spec.config;
        (config.seed, config.clock, config.publish) = (seed, Clock::Lockstep, record.is_some());
        let mut game: Box<dyn Game + Send> = match settings.is_zappy {
            true => Box::new(Zappy::of(spec)),
            false => Box::new(Conquest::new(&spec.config, &spec.options).map_err(invalid)?),
        };
        if let Some(path) = record {
            let recorder = Recorder::new(game, open(path)?, &record::header(spec, RecordLevel::Full));
            // Each step is written at once, because a match that goes on is rendered from its record.
            game = Box::new(recorder.with_delay(0));
        }
        let rows = vec![None; settings.own.len() * settings.max_players];
        let (seats, arrivals, owing) = (Vec::new(), Vec::new(), Vec::new());
        let (admitted, now, winner, writes, end) = (0, 0, None, 0, 0);
        let mut one = Match { game, setup, seats, arrivals, admitted, rows, owing, now, winner, writes, end };
        one.drain();
        let own = one.setup.settings.own.len();
        (0..own).for_each(|team| one.fill_slots(team));
        for team in own..one.setup.spec.config.teams.len() {
            let Setup { spec, settings } = &one.setup;
            let (name, level) = (spec.config.teams[team].as_str(), &*settings.opponents[team - own]);
            let words = ["zappy_ai", "-p", "1", "-n", name, "--game", spec.game.name, "--level", level];
            let options = cli::parse(words.map(Into::into)).map_err(|exit| invalid(exit.text))?;
            let seed = rank(spec.config.seed, CLIENTS, 0, team as u64) >> 11;
            let (played, room) = (options.game.unwrap_or_default(), one.game.room(team as u32));
            let agents = options.agents(played, seed, true, room).map_err(invalid)?;
            agents.into_iter().for_each(|agent| one.enter(team, Player::Client(agent)));
        }
        one.advance();
        Ok(one)
    }

    /// Opens connections for the free slots of one of the caller's teams, at most one for each free row.
    fn fill_slots(&mut self, team: usize) {
        let settings = self.setup.settings.clone();
        let rows = self.rows[team * settings.max_players..][..settings.max_players].iter();
        let free = rows.filter(|row| row.is_none()).count().min(self.game.room(team as u32));
        (0..free).for_each(|_| self.enter(team, Player::Caller(settings.memory())));
    }

    /// Fills the free slots of those of the caller's teams that owe lines, if `auto_join` is set.
    pub fn join(&mut self) {
        for team in 0..self.setup.settings.own.len() {
            let owes = self.owing.iter().any(|seat| self.seats[seat.0 as usize].team == team);
            if owes && self.setup.settings.auto_join {
                self.fill_slots(team);
            }
        }
    }

    /// Plays a round and writes the arrays; the first call only writes them. Returns whether the match goes on (0), is
    /// over (1) or was cut off (2), and the index of the caller's team that won, or -1. When it has ended, another
    /// match begins in its place with a seed that is greater by `next`, unless that is 0. With `None` no other
    /// match begins, and the caller cuts matches off by itself.
    ///
    /// # Errors
    /// If the next match can't be played.
    pub fn step(&mut self, actions: &[i32], next: Option<u64>, rows: &mut [Slice<'_>]) -> PyResult<[i32; 2]> {
        rows.iter_mut().for_each(|row| *row.reward = 0.0);
        if self.writes > 0 && self.end == 0 {
            self.act(actions);
        }
        if self.end == 0 && self.winner.is_some() {
            self.settle(rows);
        }
        let is_cut = next.and(self.setup.settings.max_cycles).is_some_and(|cycles| self.writes >= cycles);
        self.end = self.end.max(if self.winner.is_none() { 2 * i32::from(is_cut) } else { 1 });
        self.write_rows(rows);
        let outcome = [self.end, self.winner.unwrap_or(-1)];
        if let Some(next) = next.filter(|&next| next > 0 && self.end > 0) {
            *self = Match::begin(&self.setup, self.setup.spec.config.seed.wrapping_add(next), None)?;
            self.write_rows(rows);
        }
        Ok(outcome)
    }

    /// Takes the actions of the rows that owe a line, then plays until rows owe again. A row with the action `wait`
    /// isn't asked again at this tick.
    fn act(&mut self, actions: &[i32]) {
        let size = actions.len() / self.rows.len();
        for row in self.owing_rows() {
            let seat = self.rows[row].map(|seat| &mut self.seats[seat]);
            if let Some(Seat { player: Player::Caller(memory), lines, waits, .. }) = seat {
                let line = memory.act(&actions[row * size..][..size]);
                *waits = line.is_none();
                lines.extend(line);
            }
        }
        if self.winner.is_none() {
            self.advance();
        }
    }

    /// Notes which of the caller's teams won, since the match is over.
    pub fn finish(&mut self, verdict: &Verdict) {
        let mut own = self.setup.settings.own.iter();
        let place = own.position(|team| verdict.winners().any(|winner| winner == team));
        self.winner = Some(place.map_or(-1, |place| place as i32));
    }

    /// If a team has won, each of the caller's players that is alive at the end earns `won` or `lost`; if none is
    /// alive, those that died in the last round do. `rows` are as they were before the last round.
    fn settle(&mut self, rows: &[Slice<'_>]) {
        let (settings, verdict) = (self.setup.settings.clone(), self.game.report().verdict);
        let mut earns: Vec<bool> = (0..rows.len()).map(|row| self.is_playing(row)).collect();
        if !earns.contains(&true) {
            earns = rows.iter().map(|row| *row.state > 0).collect();
        }
        for row in (0..rows.len()).filter(|&row| earns[row] && verdict.won) {
            let team = &settings.own[row / settings.max_players];
            let part = if verdict.winners().any(|winner| winner == team) { "won" } else { "lost" };
            self.memory(row).into_iter().for_each(|memory| memory.core().earn(part, 1.0));
        }
    }

    /// Writes the rows that have changed into the arrays; the first time all rows.
    fn write_rows(&mut self, rows: &mut [Slice<'_>]) {
        let (is_first, mut places) = (self.writes == 0, vec![0; rows.len()]);
        self.owing_rows().into_iter().zip(1..).for_each(|(row, place)| places[row] = place);
        for (number, (row, place)) in rows.iter_mut().zip(places).enumerate() {
            let state =
                i32::from(self.winner.is_none() && self.end < 2 && self.is_playing(number)) * (1 + place);
            let changed = std::mem::replace(row.state, state) != state || is_first;
            if let Some(memory) = self.memory(number) {
                *row.reward += memory.core().reward();
                if memory.core().observe(row.observation) || changed {
                    memory.write_mask(state > 1, row.mask);
                }
            } else if is_first {
                row.observation.fill(0.0);
                row.mask.fill(0);
                row.mask[0] = 1;
            }
        }
        self.writes += 1;
    }

    /// Ends a match that goes on, which completes its record.
    pub fn end(&mut self) {
        if self.winner.is_none() {
            self.hand_in(SeatId::CONSOLE, Input::Line(b"/quit"));
        }
    }

    /// Whether a player has taken the row and isn't out of the match.
    fn is_playing(&mut self, row: usize) -> bool {
        self.memory(row).is_some_and(|memory| !memory.core().is_out)
    }

    /// The memory of the player that has taken a row, alive or dead.
    pub fn memory(&mut self, row: usize) -> Option<&mut Box<dyn Memory>> {
        let Player::Caller(memory) = &mut self.seats[self.rows[row]?].player else { return None };
        Some(memory)
    }
}
