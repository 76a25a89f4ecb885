//! A match whose players are the caller's, and our clients beside them.
//!
//! Tested in `tests/`, beside sockets in `test_play.py`.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use zappy_ai::agent::{Action, Agent};
use zappy_ai::cli::{self, Game as Client};
use zappy_game::chance::rank;
use zappy_game::config::{BadConfig, Clock};
use zappy_game::rounds::{Reads, Rounds, Seat};
use zappy_game::{Game, MatchSpec, Verdict};
use zappy_game_conquest::Conquest;
use zappy_game_zappy::Zappy;
use zappy_protocol::line::Decoded;
use zappy_protocol::record::RecordLevel;
use zappy_server::record::{self, Recorder};

use crate::memory::{Memory, Shape};

/// Keeps the seeds of clients apart from the draws of games.
const CLIENTS: u64 = 0x0067_796d;
/// Text that waits to be taken, at most; what comes later is lost.
const TEXT_BYTES: usize = 1 << 20;

/// Why a match can't be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    #[error(transparent)]
    Config(#[from] BadConfig),
    #[error("opponents: {0}")]
    Client(String),
    #[error("record: {0} can't be written; name a file in a folder that exists and has room")]
    Record(String),
}

/// What matches are played with, but for the seed.
pub struct Settings {
    pub spec: MatchSpec,
    pub shape: Arc<Shape>,
    /// Per team: the level of our client that plays it, or `None` for the caller.
    pub crews: Vec<Option<String>>,
    /// Players that each of the caller's teams may have in all.
    pub max_players: usize,
    pub auto_join: bool,
    /// Whether the lines that players read are kept for the caller.
    pub keeps_text: bool,
}

/// A record's file that remembers whether it could be written.
struct Log(File, Arc<AtomicBool>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).inspect_err(|_| self.1.store(true, Ordering::Relaxed))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What is at the other end of a seat. Python asks from any thread, so a client of ours is in a lock that none waits for.
pub enum Player {
    Caller { memory: Box<dyn Memory>, text: Option<Vec<u8>>, has_news: bool },
    Client(Mutex<Box<dyn Agent>>),
}

impl Reads for Player {
    fn read(&mut self, line: &[u8]) {
        match self {
            Player::Client(agent) => {
                agent.get_mut().unwrap_or_else(PoisonError::into_inner).handle_line(Decoded::Line(line));
            }
            Player::Caller { memory, text, has_news } => {
                *has_news = true;
                memory.read(line);
                if let Some(text) = text.as_mut().filter(|text| text.len() + line.len() < TEXT_BYTES) {
                    text.extend_from_slice(line);
                    text.push(b'\n');
                }
            }
        }
    }
}

/// A match.
pub struct Match {
    rounds: Rounds<Box<dyn Game + Send + Sync>, Player>,
    settings: Arc<Settings>,
    /// The seats that the caller's teams have had, and those that have no row yet.
    rows: Vec<Option<usize>>,
    unnamed: Vec<usize>,
    /// The row of each seat, as far as they have one.
    row_of: Vec<Option<usize>>,
    asked: Vec<usize>,
    /// Rows that let their turn pass until time passes.
    passing: Vec<usize>,
    failed: Arc<AtomicBool>,
    seed: u64,
}

impl Match {
    /// Begins a match, up to the moment at which the caller is asked first.
    ///
    /// # Errors
    /// It can't be played with these values, or its record not written.
    pub fn begin(settings: Arc<Settings>, seed: u64, file: Option<&Path>) -> Result<Match, MatchError> {
        let mut spec = settings.spec.clone();
        spec.config.seed = seed;
        (spec.config.clock, spec.config.publish) = (Clock::Lockstep, file.is_some());
        let mut game: Box<dyn Game + Send + Sync> = match settings.shape.is_zappy {
            true => Box::new(Zappy::of(&spec)),
            false => Box::new(Conquest::new(&spec.config, &spec.options)?),
        };
        let failed = Arc::new(AtomicBool::new(false));
        if let Some(path) = file {
            let file = File::create(path)
                .map_err(|error| MatchError::Record(format!("{}: {error}", path.display())))?;
            let header = record::header(&spec, RecordLevel::Full);
            game = Box::new(Recorder::new(game, Log(file, failed.clone()), &header));
        }
        let mine = settings.crews.iter().filter(|crew| crew.is_none()).count();
        let rows = vec![None; mine * settings.max_players];
        let rounds = Rounds::new(game, seed);
        let (unnamed, row_of, asked, passing) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut game = Match { rounds, settings, rows, unnamed, row_of, asked, passing, failed, seed };
        (0..spec.config.teams.len()).try_for_each(|team| game.arrive(team))?;
        game.advance();
        Ok(game)
    }

    /// The players that a team has from the start come in.
    fn arrive(&mut self, team: usize) -> Result<(), MatchError> {
        let settings = self.settings.clone();
        let room = self.rounds.game.room(team as u32);
        let Some(level) = &settings.crews[team] else {
            (0..room.min(settings.max_players)).for_each(|_| self.enter(team));
            return Ok(());
        };
        let seed = rank(self.seed, CLIENTS, 0, team as u64) >> 11;
        let words =
            ["zappy_ai", "-p", "1", "-n", settings.spec.config.teams[team].as_str(), "--level", level];
        let options = cli::parse(words.map(Into::into));
        let options = options.map_err(|exit| MatchError::Client(exit.text.lines().take(1).collect()))?;
        let client = if settings.shape.is_zappy { Client::Zappy } else { Client::Conquest };
        let agents = options.agents(client, seed, true, room).map_err(MatchError::Client)?;
        agents.into_iter().for_each(|agent| self.enter_client(team as u32, agent));
        Ok(())
    }

    fn enter(&mut self, team: usize) {
        let text = self.settings.keeps_text.then(Vec::new);
        let player = Player::Caller { memory: self.settings.shape.memory(), text, has_news: true };
        let seat = self.rounds.enter(team as u32, player);
        let name = self.settings.spec.config.teams[team].as_str();
        self.rounds.seats[seat].lines.push_back(name.as_bytes().to_vec());
        self.unnamed.push(seat);
    }

    fn enter_client(&mut self, team: u32, agent: Box<dyn Agent>) {
        let seat = self.rounds.enter(team, Player::Client(Mutex::new(agent)));
        self.hear(seat);
    }

    /// Lets a client of ours say what it has to say; a child that it wants a connection for comes in.
    fn hear(&mut self, seat: usize) {
        while let Seat { team, player: Player::Client(agent), lines, .. } = &mut self.rounds.seats[seat] {
            match agent.get_mut().unwrap_or_else(PoisonError::into_inner).poll_action() {
                Some(Action::Send(line)) => lines.push_back(line),
                Some(Action::Connect(child)) => {
                    let team = *team;
                    self.enter_client(team, child);
                }
                None => return,
            }
        }
    }

    /// Plays until the caller is asked, or nothing of it is left, or the match is over.
    fn advance(&mut self) {
        loop {
            let owing = self.rounds.gather();
            owing.iter().for_each(|&seat| self.hear(seat));
            self.join(&owing);
            let row = |&seat: &usize| self.row_of.get(seat).copied().flatten();
            let silent = |&(seat, row): &(usize, usize)| {
                self.rounds.seats[seat].lines.is_empty() && !self.passing.contains(&row)
            };
            let theirs = owing.iter().filter_map(|seat| Some((*seat, row(seat)?)));
            self.asked = theirs.filter(silent).map(|(_, row)| row).collect();
            if !self.asked.is_empty() || !self.go_on() {
                return;
            }
        }
    }

    /// Plays a round, or lets time pass; false if nothing more happens to the caller.
    fn go_on(&mut self) -> bool {
        if !self.rounds.play() {
            let lives = (0..self.rows.len()).any(|row| self.lives(row).1);
            match lives.then(|| self.rounds.begin_tick()).flatten() {
                None => return false,
                Some(passes) => self.passing.retain(|_| !passes),
            }
        }
        for seat in std::mem::take(&mut self.unnamed) {
            self.name(seat);
        }
        !self.is_over()
    }

    /// A seat of the caller's has got its place in the order of admission: it gets the next row of its team.
    fn name(&mut self, seat: usize) {
        if !self.rounds.seats[seat].plays {
            return;
        }
        let team = self.rounds.seats[seat].team as usize;
        let first = self.settings.crews[..team].iter().filter(|crew| crew.is_none()).count()
            * self.settings.max_players;
        if let Some(row) = (first..self.rows.len()).find(|&row| self.rows[row].is_none()) {
            self.rows[row] = Some(seat);
            self.row_of.resize(self.row_of.len().max(seat + 1), None);
            self.row_of[seat] = Some(row);
        }
    }

    /// Free slots of the caller's teams that owe are joined.
    fn join(&mut self, owing: &[usize]) {
        if !self.settings.auto_join || !self.settings.shape.is_zappy {
            return;
        }
        for team in 0..self.settings.crews.len() {
            let room = self.rounds.game.room(team as u32);
            let of_team = |seat: &&Seat<Player>| seat.team as usize == team;
            let owes = || owing.iter().any(|&seat| of_team(&&self.rounds.seats[seat]));
            if room > 0 && self.settings.crews[team].is_none() && owes() {
                let had = self.rounds.seats.iter().filter(of_team).filter(|seat| seat.plays).count();
                let room = room.min(self.settings.max_players.saturating_sub(had));
                (self.rounds.arriving(team as u32)..room).for_each(|_| self.enter(team));
            }
        }
    }

    /// What a row does, if it is asked; false if it isn't. `wait` lets the others go on until time passes.
    pub fn act(&mut self, row: usize, action: &[i32]) -> bool {
        let Some(place) = self.asked.iter().position(|&asked| asked == row) else { return false };
        self.asked.remove(place);
        let seat = self.rows[row].map(|seat| &mut self.rounds.seats[seat]);
        if let Some(Seat { player: Player::Caller { memory, .. }, lines, .. }) = seat {
            match memory.act(action) {
                Some(line) => lines.push_back(line),
                None => self.passing.push(row),
            }
        }
        true
    }

    /// Plays a round with what was said, and on until the caller is asked again. Those who said nothing pass.
    pub fn play(&mut self) {
        self.passing.append(&mut self.asked);
        if self.is_over() {
            return;
        }
        if self.go_on() {
            self.advance();
        }
        if let Some(verdict) = &self.rounds.verdict {
            let winners: Vec<&str> = verdict.winners().collect();
            for seat in self.rounds.seats.iter_mut().filter(|seat| seat.plays) {
                if let Player::Caller { memory, .. } = &mut seat.player
                    && !memory.core().is_out
                {
                    let won = winners.contains(&self.settings.spec.config.teams[seat.team as usize].as_str());
                    let earned = &mut memory.core_mut().earned;
                    let last = earned.len() - 2;
                    earned[last + usize::from(!won)] += f32::from(u8::from(!winners.is_empty()));
                }
            }
        }
    }

    /// Makes the record whole: a match in which nothing is left of the caller is played on to its end, any other one ends
    /// where it stands.
    ///
    /// # Errors
    /// The record could not be written.
    pub fn end(&mut self, record: &str) -> Result<(), MatchError> {
        while !self.is_over() && !(0..self.rows.len()).any(|row| self.lives(row).1) {
            self.rounds.gather().iter().for_each(|&seat| self.hear(seat));
            if !self.rounds.play() && self.rounds.begin_tick().is_none() {
                break;
            }
        }
        if !self.is_over() {
            self.rounds.operate(b"/quit");
        }
        self.asked.clear();
        if self.failed.load(Ordering::Relaxed) { Err(MatchError::Record(record.to_owned())) } else { Ok(()) }
    }

    pub const fn is_over(&self) -> bool {
        self.rounds.verdict.is_some()
    }

    /// The rows that are asked, in drawn order.
    pub fn asked(&self) -> &[usize] {
        &self.asked
    }

    pub fn game(&self) -> &dyn Game {
        &*self.rounds.game
    }

    /// Whether a row has been taken, and whether its player still plays.
    pub fn lives(&self, row: usize) -> (bool, bool) {
        match self.rows[row].map(|seat| &self.rounds.seats[seat]) {
            Some(Seat { player: Player::Caller { memory, .. }, gone, .. }) => {
                (true, !gone && !memory.core().is_out && !self.is_over())
            }
            _ => (false, false),
        }
    }

    /// The player of a row, if there was one.
    pub fn player(&mut self, row: usize) -> Option<&mut Player> {
        Some(&mut self.rounds.seats[self.rows[row]?].player)
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The place among the caller's teams of the one that won; -1 if none of them did.
    pub fn winner(&self) -> i32 {
        let winners: Vec<&str> = self.rounds.verdict.iter().flat_map(Verdict::winners).collect();
        let teams = self.settings.spec.config.teams.iter().zip(&self.settings.crews);
        let mut teams = teams.filter(|(_, crew)| crew.is_none()).map(|(team, _)| team.as_str());
        teams.position(|team| winners.contains(&team)).map_or(-1, |place| place as i32)
    }
}
