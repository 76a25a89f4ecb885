//! The seats of a match in turns: which player is connected where, how its client behaved, and how much it may say.
//!
//! Knows no rules: the game says which player may come in, and what its lines mean. Tested through conquest and the
//! games of the tests.

use std::collections::BTreeSet;

use zappy_game::config::{Clock, MatchConfig};
use zappy_game::lobby::Lobby;
use zappy_game::{Conduct, Line, Output, SeatId, Verdict};

use super::policy::Player;

/// The purpose of the order in which players are waited for. A game's own draws have other purposes.
pub const OWING: u64 = 16;
/// Lines beyond its budget that are taken from a player in a phase of the lockstep clock: the first one, which is
/// refused, and one that ends the player's phase.
const LINES_BEYOND: u32 = 2;

/// Whether a line is within a player's budget for the running phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineBudget {
    /// The line is within the budget.
    Within,
    /// The line is the first one over the budget of so many lines: it is refused in words.
    Spent(u32),
    /// The line is a later one over the budget, and dropped without an answer.
    Over,
}

/// The lobby, and what belongs to each player's seat.
#[derive(Debug)]
pub struct PlayerSeats {
    /// Logins, observers, the rate, and the outputs.
    pub lobby: Lobby<Player>,
    /// How each player's clients behaved.
    pub conduct: Vec<Conduct>,
    /// How the match ended, if it did.
    pub verdict: Option<Verdict>,
    /// In how many phases each player was late.
    pub late: Vec<u64>,
    /// Each player's seat; `None` while it has no client.
    pub(super) seats: Vec<Option<SeatId>>,
    /// How many lines each player may send in the running phase.
    budgets: Vec<u32>,
    /// How many lines each player has sent in the running phase.
    lines: Vec<u32>,
    /// Whether another client may take a seat that was left.
    refills: bool,
    pub(super) seed: u64,
}

impl PlayerSeats {
    /// One seat for each team of the match, none of them taken.
    pub fn new(config: &MatchConfig, budget: u32) -> PlayerSeats {
        let players = config.teams.len();
        PlayerSeats {
            lobby: Lobby::new(config),
            conduct: vec![Conduct::default(); players],
            verdict: None,
            late: vec![0; players],
            seats: vec![None; players],
            budgets: vec![budget; players],
            lines: vec![0; players],
            refills: config.clock == Clock::Real,
            seed: config.seed,
        }
    }

    /// Lets a client play, and greets it.
    pub fn admit(&mut self, seat: SeatId, player: Player, greeting: impl IntoIterator<Item = Line>) {
        self.seats[player] = Some(seat);
        self.conduct[player].joined += 1;
        self.lobby.admit(seat, player, greeting);
    }

    /// Lets a player's client go; false if it had none. `expelled`: the server ended it. `plays`: the player could
    /// still have played.
    pub fn leave(&mut self, player: Player, expelled: bool, plays: bool) -> bool {
        let Some(seat) = self.seats[player].take() else { return false };
        self.conduct[player].expelled += u64::from(expelled);
        self.conduct[player].left += u64::from(!expelled && plays);
        self.lobby.close(seat, "its client left");
        true
    }

    /// The match is over: sends a player's client this line, if there is one, and lets it go.
    pub fn dismiss(&mut self, player: Player, line: Option<Line>) {
        line.into_iter().for_each(|line| self.send(player, line));
        if let Some(seat) = self.seats[player].take() {
            self.lobby.close(seat, "the match is over");
        }
    }

    /// A line for a player, if it is connected.
    pub fn send(&mut self, player: Player, line: Line) {
        if let Some(seat) = self.seats[player] {
            self.lobby.push(Output::Send(seat, line));
        }
    }

    /// A player's seat; `None` while it has no client.
    pub fn seat(&self, player: Player) -> Option<SeatId> {
        self.seats[player]
    }

    /// The player that has this seat.
    pub fn player(&self, seat: SeatId) -> Option<Player> {
        self.seats.iter().position(|known| *known == Some(seat))
    }

    /// How many clients a player has room for: 0 or 1.
    pub fn room(&self, player: Player) -> usize {
        usize::from(self.seats[player].is_none() && (self.refills || self.conduct[player].joined == 0))
    }

    /// A phase begins: each player may send so many lines in it.
    pub fn set_budgets(&mut self, budget: impl Fn(Player) -> u32) {
        self.lines.fill(0);
        self.budgets.iter_mut().enumerate().for_each(|(player, known)| *known = budget(player));
    }

    /// Counts a line against its player's budget in the running phase, also if only other players act in that phase.
    pub fn spend_line(&mut self, player: Player) -> LineBudget {
        let (budget, sent) = (self.budgets[player], &mut self.lines[player]);
        *sent = sent.saturating_add(1);
        match *sent {
            sent if sent <= budget => LineBudget::Within,
            sent if sent == budget + 1 => LineBudget::Spent(budget),
            _ => {
                self.conduct[player].dropped += 1;
                if let Some(seat) = self.seats[player] {
                    // Records only count dropped lines, so that a flood of them doesn't fill the disk.
                    self.lobby.push(Output::Instead(seat, None));
                }
                LineBudget::Over
            }
        }
    }

    /// How many lines the client of that seat may send at one tick of the lockstep clock.
    pub fn line_limit(&self, seat: SeatId) -> u32 {
        self.player(seat).map_or(1, |player| self.budgets[player].saturating_add(LINES_BEYOND))
    }

    /// Panics if the open seats aren't exactly these.
    pub fn assert_invariants(&self, open: &BTreeSet<SeatId>) {
        self.lobby.assert_invariants(open);
        for seat in self.seats.iter().flatten() {
            assert!(open.contains(seat), "a player's {seat} isn't open");
        }
    }
}
