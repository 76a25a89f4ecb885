//! The lockstep clock of a match without a server. A round admits connections and takes a line of each player; when
//! there is nothing to take, the next tick begins at which something is due.
//!
//! The order is that of the server's lockstep clock, so the same lines give the same record to the byte. The arena's
//! matches in one process use the server's shell instead, since their results tell of late and refused connections as a
//! server's do; in this file a round costs little more than its rules. The caller decides when a round is complete:
//! nothing waits. Tested beside sockets in `tests/test_play.py`, and in `tests/test_matches.py`.

use std::collections::VecDeque;

use zappy_ai::agent::{Action, Agent};
use zappy_game::chance::{ADMISSION, Chance};
use zappy_game::{Input, Output, SeatId};
use zappy_protocol::line::Decoded;

use crate::matches::Match;
use crate::memory::Memory;

/// The player at the other end of a connection.
pub enum Player {
    Caller(Box<dyn Memory>),
    Client(Box<dyn Agent>),
}

/// A connection, and what is known of the player at its other end.
pub struct Seat {
    pub team: usize,
    pub player: Player,
    /// The row in the arrays, if it is a player of the caller that was admitted and found a free row.
    pub row: Option<usize>,
    /// Lines that the player sent and that no round has taken yet; the very first one names its team.
    pub lines: VecDeque<Vec<u8>>,
    /// Whether the player sends nothing more at this tick.
    pub waits: bool,
    /// Lines taken at this tick.
    taken: u32,
}

impl Match {
    /// Opens a connection for a team. The next round admits or refuses it by its first line.
    pub fn enter(&mut self, team: usize, player: Player) {
        let seat = self.seats.len();
        // The caller's players begin with their team's name; our client sends it by itself.
        let lines = self.setup.settings.own.get(team).map(|name| name.clone().into()).into_iter().collect();
        self.seats.push(Seat { team, player, row: None, lines, waits: false, taken: 0 });
        self.arrivals.push(seat);
        self.hand_in(SeatId(seat as u32), Input::Open);
        self.poll_client(seat);
    }

    /// Takes the lines of one of our clients, and opens the connections that it asks for.
    fn poll_client(&mut self, seat: usize) {
        while let Player::Client(agent) = &mut self.seats[seat].player
            && let Some(action) = agent.poll_action()
        {
            match action {
                Action::Send(line) => self.seats[seat].lines.push_back(line),
                Action::Connect(child) => self.enter(self.seats[seat].team, Player::Client(child)),
            }
        }
    }

    /// Plays until a row owes a line or, if none of the caller's players is left, until the match is over.
    pub fn advance(&mut self) {
        while (self.play_round() || self.pass_time()) && self.winner.is_none() {
            self.game.owing(&mut self.owing);
            (0..self.owing.len()).for_each(|place| self.poll_client(self.owing[place].0 as usize));
            self.join();
            if !self.owing_rows().is_empty() {
                return;
            }
        }
    }

    /// The rows that owe a line and have neither sent one nor chosen to wait, in the drawn order of the seats.
    pub fn owing_rows(&self) -> Vec<usize> {
        let seats = self.owing.iter().map(|seat| &self.seats[seat.0 as usize]);
        seats.filter(|seat| seat.lines.is_empty() && !seat.waits).filter_map(|seat| seat.row).collect()
    }

    /// Admits the connections that wait, then takes a line of each player that owes one and has sent one; false if no
    /// connection waited and no line was taken.
    fn play_round(&mut self) -> bool {
        let mut played = self.admit();
        for id in std::mem::take(&mut self.owing) {
            let limit = self.game.line_limit(id);
            let Seat { lines, taken, .. } = &mut self.seats[id.0 as usize];
            if self.winner.is_none()
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

    /// Lets the game admit or refuse each connection that waits, in an order drawn for this round; false if none waits.
    fn admit(&mut self) -> bool {
        let arrivals = std::mem::take(&mut self.arrivals);
        let chance = Chance::new(self.setup.spec.config.seed, ADMISSION, self.now, self.admitted + 1);
        let team = |&seat: &usize| self.seats[seat].team as u32;
        let arrivals = chance.order_of_admission(arrivals, team, |team| self.game.room(team));
        for &seat in &arrivals {
            let (id, before) = (SeatId(seat as u32), self.admitted);
            let line = self.seats[seat].lines.pop_front().unwrap_or_default();
            self.hand_in(id, Input::Line(&line));
            if self.admitted == before {
                self.hand_in(id, Input::Closed);
            }
        }
        !arrivals.is_empty()
    }

    /// Goes to the next tick at which something is due; false if there is none.
    fn pass_time(&mut self) -> bool {
        let Some(due) = self.game.poll_timeout() else { return false };
        if due > self.now {
            self.seats.iter_mut().for_each(|seat| (seat.taken, seat.waits) = (0, false));
            self.now = due;
        }
        self.run_due();
        true
    }

    /// Runs what is due at this tick.
    fn run_due(&mut self) {
        self.game.handle_timeout(self.now);
        self.drain();
    }

    /// Hands an input to the game, after running what is due at this tick.
    pub fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        while self.winner.is_none() && self.game.poll_timeout().is_some_and(|due| due <= self.now) {
            self.run_due();
        }
        self.game.handle_input(self.now, seat, input);
        self.drain();
    }

    /// Takes all outputs of the game: hands lines to their players, and notes admissions and the end.
    pub fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Send(seat, lines) if seat != SeatId::CONSOLE => {
                    let player = &mut self.seats[seat.0 as usize].player;
                    lines.lines().for_each(|line| match player {
                        Player::Caller(memory) => memory.hear(line),
                        Player::Client(agent) => agent.handle_line(Decoded::Line(line)),
                    });
                }
                Output::Admit(SeatId(seat)) => {
                    self.admitted += 1;
                    // A player of the caller takes the next row of its team; other teams have no rows.
                    let (seat, per_team) = (seat as usize, self.setup.settings.max_players);
                    let first = self.seats[seat].team * per_team;
                    let row = (first..first + per_team).find(|&row| self.rows.get(row) == Some(&None));
                    self.seats[seat].row = row;
                    row.into_iter().for_each(|row| self.rows[row] = Some(seat));
                }
                Output::Finished(verdict) => self.finish(&verdict),
                // The game closes a player's connection only when the player is dead or the match is over.
                _ => {}
            }
        }
    }
}
