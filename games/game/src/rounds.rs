//! Rounds of the lockstep clock without a server: for hosts that hold both ends of each connection.
//!
//! Who comes in, whose line is taken and when time passes is as the server's lockstep clock has it, so the same lines give
//! the same record to the byte. The arena's matches in one process use the server's shell instead, since their results tell
//! of late and refused connections as a server's do; here a round costs little more than its rules. What plays decides
//! when a round is complete; nothing here waits. Tested in `games/zappy/tests/rounds.rs`, and beside sockets in
//! `python/tests/test_play.py`.

use std::collections::VecDeque;

use super::chance::{ADMISSION, Chance};
use super::{Game, Input, Output, SeatId, Tick, Verdict};

/// What sits at the other end of a seat.
pub trait Reads {
    /// A line came, without its end.
    fn read(&mut self, line: &[u8]);
}

/// A connection.
#[derive(Debug)]
pub struct Seat<P> {
    /// The team's index.
    pub team: u32,
    /// What reads its lines.
    pub player: P,
    /// Lines that it said and that were not taken yet; the first one of all names its team.
    pub lines: VecDeque<Vec<u8>>,
    /// Whether it was let in.
    pub plays: bool,
    /// Whether the game has closed it.
    pub gone: bool,
    /// Lines taken at this tick.
    taken: u32,
}

/// A match, with its seats in the order in which they were opened.
#[derive(Debug)]
pub struct Rounds<G, P> {
    /// The game; what it says goes to the seats.
    pub game: G,
    /// The connections.
    pub seats: Vec<Seat<P>>,
    /// How the match ended, once it has.
    pub verdict: Option<Verdict>,
    seed: u64,
    now: Tick,
    arrivals: Vec<usize>,
    admitted: u64,
    owing: Vec<SeatId>,
}

impl<G: Game, P: Reads> Rounds<G, P> {
    /// A new game, with the seed of its configuration.
    pub fn new(game: G, seed: u64) -> Rounds<G, P> {
        let (seats, arrivals, owing) = (Vec::new(), Vec::new(), Vec::new());
        let mut rounds = Rounds { game, seats, verdict: None, seed, now: 0, arrivals, admitted: 0, owing };
        rounds.drain();
        rounds
    }

    /// The tick that the match has reached.
    pub const fn now(&self) -> Tick {
        self.now
    }

    /// Opens a connection for a team, and returns its seat's number. The next round lets it in or refuses it by its first line.
    pub fn enter(&mut self, team: u32, player: P) -> usize {
        let seat = self.seats.len();
        let lines = VecDeque::new();
        self.seats.push(Seat { team, player, lines, plays: false, gone: false, taken: 0 });
        self.hand_in(seat, Input::Open);
        self.arrivals.push(seat);
        seat
    }

    /// How many connections of a team wait to be let in.
    pub fn arriving(&self, team: u32) -> usize {
        self.arrivals.iter().filter(|&&seat| self.seats[seat].team == team).count()
    }

    /// Finds out who owes a line, in drawn order. Called before each round.
    pub fn gather(&mut self) -> Vec<usize> {
        self.owing.clear();
        if self.verdict.is_none() {
            self.game.owing(&mut self.owing);
        }
        self.owing.iter().map(|seat| seat.0 as usize).collect()
    }

    /// Plays a round: who comes in, then a line from each that owes one and has said one; false if there were none.
    pub fn play(&mut self) -> bool {
        let mut played = self.admit();
        let owing = std::mem::take(&mut self.owing);
        for &id in &owing {
            let (seat, limit) = (id.0 as usize, self.game.line_limit(id));
            if self.verdict.is_some() {
                break;
            }
            let Seat { lines, taken, .. } = &mut self.seats[seat];
            if *taken < limit
                && let Some(line) = lines.pop_front()
            {
                *taken += 1;
                self.hand_in(seat, Input::Line(&line));
                played = true;
            }
        }
        self.owing = owing;
        self.owing.clear();
        played
    }

    /// Goes to the next tick at which something is due. Returns whether time has passed; `None` if nothing is due any more.
    pub fn begin_tick(&mut self) -> Option<bool> {
        let due = self.game.poll_timeout()?;
        let passes = due > self.now;
        if passes {
            self.seats.iter_mut().for_each(|seat| seat.taken = 0);
            self.now = due;
        }
        self.run_due();
        Some(passes)
    }

    /// A line from the console.
    pub fn operate(&mut self, line: &[u8]) {
        self.game.handle_input(self.now, SeatId::CONSOLE, Input::Line(line));
        self.drain();
    }

    /// Lets in who waits, in the order that the server draws: those without room come last.
    fn admit(&mut self) -> bool {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        arrivals.sort_by_key(|&seat| self.seats[seat].team);
        let (mut placed, mut surplus) = (Vec::new(), Vec::new());
        for group in arrivals.chunk_by(|&one, &other| self.seats[one].team == self.seats[other].team) {
            let (fit, rest) = group.split_at(group.len().min(self.game.room(self.seats[group[0]].team)));
            placed.extend_from_slice(fit);
            surplus.extend_from_slice(rest);
        }
        Chance::new(self.seed, ADMISSION, self.now, self.admitted + 1).shuffle(&mut placed);
        placed.extend(surplus);
        for &seat in &placed {
            if let Some(line) = self.seats[seat].lines.pop_front() {
                self.hand_in(seat, Input::Line(&line));
            }
            if self.seats[seat].plays {
                self.admitted += 1;
            } else {
                self.seats[seat].gone = true;
                self.hand_in(seat, Input::Closed);
            }
        }
        !placed.is_empty()
    }

    fn run_due(&mut self) {
        self.game.handle_timeout(self.now);
        self.drain();
    }

    /// Hands an input to the game, after running what is due at this tick.
    fn hand_in(&mut self, seat: usize, input: Input<'_>) {
        while self.verdict.is_none() && self.game.poll_timeout().is_some_and(|due| due <= self.now) {
            self.run_due();
        }
        if let Ok(seat) = u32::try_from(seat) {
            self.game.handle_input(self.now, SeatId(seat), input);
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Send(id, line) => {
                    let seat = self.seats.get_mut(id.0 as usize).into_iter();
                    seat.for_each(|seat| line.lines().for_each(|line| seat.player.read(line)));
                }
                Output::Admit(id) => {
                    self.seats.get_mut(id.0 as usize).into_iter().for_each(|seat| seat.plays = true);
                }
                Output::Close(id, _) => {
                    self.seats.get_mut(id.0 as usize).into_iter().for_each(|seat| seat.gone = true);
                }
                Output::Finished(verdict) => self.verdict = Some(verdict),
                _ => {}
            }
        }
    }
}
