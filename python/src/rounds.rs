//! The lockstep clock of a match without a server: connections are admitted, a line of each player is taken, time passes.
//!
//! All this is as the server's lockstep clock has it, so the same lines give the same record to the byte. The arena's
//! matches in one process use the server's shell instead, since their results tell of late and refused connections as a
//! server's do; here a round costs little more than its rules. The caller decides when a round is complete: nothing here
//! waits. Tested beside sockets in `tests/test_play.py`, and in `tests/test_matches.py`.

use std::collections::VecDeque;

use zappy_ai::agent::{Action, Agent};
use zappy_game::chance::{ADMISSION, Chance};
use zappy_game::{Input, Output, SeatId};
use zappy_protocol::line::Decoded;

use crate::matches::Match;
use crate::memory::Memory;

/// Text that waits to be taken, at most; what comes later is lost.
const TEXT_BYTES: usize = 1 << 20;

/// The player at the other end of a connection.
pub enum Player {
    Caller { memory: Box<dyn Memory>, text: Option<Vec<u8>>, has_news: bool },
    Client(Box<dyn Agent>),
}

impl Player {
    fn read(&mut self, line: &[u8]) {
        match self {
            Player::Client(agent) => agent.handle_line(Decoded::Line(line)),
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

/// A connection.
pub struct Seat {
    /// The team's index.
    pub team: usize,
    pub player: Player,
    /// The row of one of the caller's players that was let in.
    pub row: Option<usize>,
    /// Lines that the player sent and that no round has taken yet; the very first one names its team.
    pub lines: VecDeque<Vec<u8>>,
    /// Whether it was let in, and whether the game has closed it.
    pub plays: bool,
    pub gone: bool,
    /// Whether it lets its turn pass until time passes.
    pub passes: bool,
    /// Lines taken at this tick.
    taken: u32,
}

impl Seat {
    /// Whether the next round admits or refuses it.
    pub fn waits(&self) -> bool {
        !self.plays && !self.gone
    }
}

impl Match {
    /// Opens a connection for a team. The next round lets it in or refuses it by its first line.
    pub fn enter(&mut self, team: usize, player: Player) {
        let seat = self.seats.len();
        let lines = match player {
            Player::Caller { .. } => VecDeque::from([self.settings.spec.config.teams[team].as_str().into()]),
            Player::Client(_) => VecDeque::new(),
        };
        let (plays, gone, passes) = (false, false, false);
        self.seats.push(Seat { team, player, row: None, lines, plays, gone, passes, taken: 0 });
        self.hand_in(SeatId(seat as u32), Input::Open);
        self.hear(seat);
    }

    /// Takes the lines of one of our clients, and opens the connections that it asks for.
    fn hear(&mut self, seat: usize) {
        while let Seat { team, player: Player::Client(agent), lines, .. } = &mut self.seats[seat] {
            match agent.poll_action() {
                Some(Action::Send(line)) => lines.push_back(line),
                Some(Action::Connect(child)) => {
                    let team = *team;
                    self.enter(team, Player::Client(child));
                }
                None => return,
            }
        }
    }

    /// Plays until the caller is asked, or the match is over, or none of the caller's players is left. A match that is
    /// `alone` goes on without them.
    pub fn advance(&mut self, alone: bool) {
        loop {
            self.owing.clear();
            self.game.owing(&mut self.owing);
            let owing = std::mem::take(&mut self.owing);
            owing.iter().for_each(|seat| self.hear(seat.0 as usize));
            self.join(&owing);
            let silent = |&SeatId(seat): &SeatId| {
                let Seat { row, lines, passes, .. } = &self.seats[seat as usize];
                row.filter(|_| lines.is_empty() && !passes)
            };
            self.asked = owing.iter().filter_map(silent).collect();
            self.owing = owing;
            if !self.asked.is_empty() || !self.go_on(alone) {
                return;
            }
        }
    }

    /// Plays a round, or goes to the next tick; false if the match is over or none of the caller's players is left.
    pub fn go_on(&mut self, alone: bool) -> bool {
        if !self.play_round() {
            let is_watched = alone || (0..self.rows.len()).any(|row| self.lives(row));
            let Some(due) = self.game.poll_timeout().filter(|_| is_watched) else { return false };
            if due > self.now {
                self.seats.iter_mut().for_each(|seat| (seat.taken, seat.passes) = (0, false));
                self.now = due;
            }
            self.run_due();
        }
        self.verdict.is_none()
    }

    /// Admits the connections that wait, then takes a line of each player that owes one and has sent one; false if there
    /// were neither.
    fn play_round(&mut self) -> bool {
        let mut played = self.admit();
        for id in std::mem::take(&mut self.owing) {
            let limit = self.game.line_limit(id);
            let Seat { lines, taken, .. } = &mut self.seats[id.0 as usize];
            if self.verdict.is_none()
                && *taken < limit
                && let Some(line) = lines.pop_front()
            {
                *taken += 1;
                self.hand_in(id, Input::Line(&line));
                played = true;
            }
        }
        played
    }

    /// Hands the first line of each connection that waits to the game, which admits or refuses it; false if none waits.
    fn admit(&mut self) -> bool {
        let waiting = (0..self.seats.len()).filter(|&seat| self.seats[seat].waits()).collect();
        let admitted = self.seats.iter().filter(|seat| seat.plays).count() as u64;
        let chance = Chance::new(self.seed, ADMISSION, self.now, admitted + 1);
        let team = |&seat: &usize| self.seats[seat].team as u32;
        let arrivals = chance.order_of_admission(waiting, team, |team| self.game.room(team));
        for &seat in &arrivals {
            let id = SeatId(seat as u32);
            if let Some(line) = self.seats[seat].lines.pop_front() {
                self.hand_in(id, Input::Line(&line));
            }
            if !self.seats[seat].plays {
                self.seats[seat].gone = true;
                self.hand_in(id, Input::Closed);
            }
        }
        !arrivals.is_empty()
    }

    fn run_due(&mut self) {
        self.game.handle_timeout(self.now);
        self.drain();
    }

    /// Hands an input to the game, after running what is due at this tick.
    pub fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        while self.verdict.is_none() && self.game.poll_timeout().is_some_and(|due| due <= self.now) {
            self.run_due();
        }
        self.game.handle_input(self.now, seat, input);
        self.drain();
    }

    pub fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Send(SeatId(seat), line) => {
                    let seat = self.seats.get_mut(seat as usize).into_iter();
                    seat.for_each(|seat| line.lines().for_each(|line| seat.player.read(line)));
                }
                Output::Admit(SeatId(seat)) => self.name(seat as usize),
                Output::Close(SeatId(seat), _) => self.seats[seat as usize].gone = true,
                Output::Finished(verdict) => self.verdict = Some(verdict),
                _ => {}
            }
        }
    }
}
