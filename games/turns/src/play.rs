//! A whole game in turns, made of what only that game knows: what a move is, what a turn does, and which player is
//! ahead.
//!
//! In each phase every player that acts chooses a move, then the moves are resolved. If players act one after another,
//! each phase has one player. Logins, observers, absent and late players, time, pause and resuming are handled here,
//! the turns by [`TurnEngine`]. Tested through the games of the tests and the worked example, `games/snakes`.

use serde_json::{Map, Value};
use zappy_game::config::{Clock, MatchConfig};
use zappy_game::lobby::Taken;
use zappy_game::{
    Admission, Game, Input, Line, Output, RUNNING, Report, SeatId, Standing, TeamReport, Verdict,
};
use zappy_protocol::record::Fingerprint;
use zappy_protocol::{TeamName, Tick};

use super::engine::{Ending, Phase, Setting, TurnEngine, TurnRules};
use super::led::{Led, SeatedRules};
use super::order::OrderRules;
use super::policy::Player;
use super::seats::{LineBudget, PlayerSeats};

/// The line that a player reads when it is out.
const OUT_LINE: &str = "dead";

/// Why a match in turns ends; a game adds the words of [`TurnGame::decided`].
pub const REASONS: &[(&str, &str)] = &[
    ("last", "one player was left"),
    ("draw", "no player was left"),
    ("turns", "the last turn was over"),
    ("time", "time was over"),
    ("stopped", "the operator ended the match"),
];

/// What only a game knows. Each team has one player, which has the team's number; lines come without their ends.
pub trait TurnGame: OrderRules {
    /// What a player chooses in a phase.
    type Move;

    /// Its name and the version of its rules, as in its table entry.
    const ID: (&'static str, u32);

    /// Lines that a player may send in a phase; one more is refused, further ones are dropped.
    const LINE_BUDGET: u32 = 8;

    /// The move that a line stands for.
    ///
    /// # Errors
    /// The line is no move; the text says what is expected.
    fn parse(&self, line: &[u8]) -> Result<Self::Move, String>;

    /// Whether the player may choose that now.
    ///
    /// # Errors
    /// Why it may not.
    fn allows(&self, _player: Player, _chosen: &Self::Move) -> Result<(), String> {
        Ok(())
    }

    /// The lines that a player reads when it comes in.
    fn hello(&self, player: Player) -> Vec<String>;

    /// The lines that a player reads before it chooses.
    fn sees(&self, _player: Player) -> Vec<String> {
        Vec::new()
    }

    /// The lines that an observer reads when it comes in, beside the teams, their scores and the turn.
    fn dump(&self) -> Vec<String> {
        Vec::new()
    }

    /// Resolves a phase, with a move for each player: `None` if it doesn't act, is out, or has chosen nothing. Returns
    /// the lines for observers.
    fn play(&mut self, moves: &[Option<Self::Move>]) -> Vec<String>;

    /// Whether the player is out of the match: it chooses nothing any more.
    fn out(&self, _player: Player) -> bool {
        false
    }

    /// The score by which players are ranked, the greater the better; a player that goes out earlier ranks behind in
    /// any case.
    fn score(&self, player: Player) -> i64;

    /// The reason for the end, if the match is decided though several players are still in.
    fn decided(&self) -> Option<&'static str> {
        None
    }

    /// The player's part of a result, beside rank and score.
    fn details(&self, player: Player) -> Map<String, Value>;

    /// Takes the whole state into a fingerprint.
    fn digest(&self, fingerprint: &mut Fingerprint);
}

/// A game with the seats of its players.
struct Seated<G: TurnGame> {
    game: G,
    teams: Vec<TeamName>,
    seats: PlayerSeats,
    moves: Vec<Option<G::Move>>,
    /// A fingerprint of the lines of these moves, for the digest.
    moves_fingerprint: Fingerprint,
    /// The scores that observers were sent last.
    scores: Vec<i64>,
    /// The turn in which each player went out.
    out_in_turn: Vec<Option<u32>>,
}

/// A match of a game in turns, behind the seam.
pub struct TurnMatch<G: TurnGame>(Led<Seated<G>>);

impl<G: TurnGame> TurnMatch<G> {
    /// A match that has not begun. `setting`: in which order players act, and for how long; its other fields are filled
    /// in from `config`.
    pub fn new(config: &MatchConfig, setting: Setting, game: G) -> TurnMatch<G> {
        let players = config.teams.len();
        let lockstep = config.clock == Clock::Lockstep;
        let setting = Setting { players, seed: config.seed, lockstep, ..setting };
        let rules = Seated {
            teams: config.teams.clone(),
            seats: PlayerSeats::new(config, G::LINE_BUDGET),
            moves: std::iter::repeat_with(|| None).take(players).collect(),
            moves_fingerprint: Fingerprint::default(),
            scores: (0..players).map(|player| game.score(player)).collect(),
            out_in_turn: vec![None; players],
            game,
        };
        TurnMatch(Led::new(config, TurnEngine::new(setting), rules))
    }

    fn log_in(&mut self, seat: SeatId, player: Player) {
        let Led { rules, engine, .. } = &mut self.0;
        if rules.seats.room(player) == 0 {
            return rules.seats.lobby.refuse(seat, "the team's only seat is taken");
        }
        let greeting = rules.greeting(player, engine);
        rules.seats.admit(seat, player, greeting);
        engine.connected.insert(player);
        self.0.begin_when_all_are_in();
        self.mark_done();
    }

    /// Notes in the engine which players have chosen. Before the first turn the engine refuses; moves are kept until
    /// then.
    fn mark_done(&mut self) {
        let Led { rules, engine, .. } = &mut self.0;
        for player in (0..rules.moves.len()).filter(|&player| rules.moves[player].is_some()) {
            let _ = engine.done(player, engine.turn());
        }
    }

    /// Handles a player's line; `None`: it was too long.
    fn handle_line(&mut self, player: Player, line: Option<&[u8]>) {
        let Led { rules, engine, .. } = &mut self.0;
        let Some(seat) = rules.seats.seat(player) else { return };
        let Seated { game, seats, moves, moves_fingerprint, .. } = rules;
        let refusal = match seats.spend_line(player) {
            LineBudget::Over => return,
            LineBudget::Spent(budget) => Some(format!("over the budget of {budget} lines in a phase")),
            LineBudget::Within if game.out(player) => Some("you are out".to_owned()),
            LineBudget::Within if engine.has_begun() && !engine.may_act(player) => {
                Some("it is not your turn".to_owned())
            }
            LineBudget::Within if moves[player].is_some() => Some("one move a turn".to_owned()),
            LineBudget::Within => None,
        };
        let parsed = line.map_or(Err("the line is too long".to_owned()), |line| game.parse(line));
        // A record may keep a shorter line in place of a long one, if it is refused for the same reason.
        if let (Some(line), Err(why)) = (line, &parsed) {
            seats.lobby.shorten(seat, line, |short| {
                (game.parse(&short).err().as_ref() == Some(why)).then_some(short)
            });
        }
        let checked = parsed.map_err(|why| (why, true)).and_then(|chosen| {
            let allowed = refusal.map_or_else(|| game.allows(player, &chosen), Err);
            allowed.map_err(|why| (why, false)).map(|()| chosen)
        });
        let conduct = &mut seats.conduct[player];
        match checked {
            Ok(chosen) => {
                conduct.commands += 1;
                moves[player] = Some(chosen);
                moves_fingerprint.update_number(player as u64);
                moves_fingerprint.update(line.unwrap_or_default());
                seats.lobby.say(seat, "ok");
                self.mark_done();
            }
            Err((why, is_no_move)) => {
                *(if is_no_move { &mut conduct.unknown } else { &mut conduct.refused }) += 1;
                seats.lobby.refuse(seat, why);
            }
        }
    }

    fn handle_console(&mut self, line: Option<&[u8]>) {
        let line = String::from_utf8_lossy(line.unwrap_or_default()).trim().to_owned();
        let (name, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let lets_in = self.0.rules.seats.lobby.paused_started().1;
        let answer = match line.as_str() {
            "/quit" => {
                self.0.stop(Ending::Stopped);
                Ok("the match ends".to_owned())
            }
            "/start" if lets_in && !self.0.engine.has_begun() => {
                self.0.begin();
                self.mark_done();
                Ok("the match begins".to_owned())
            }
            _ => {
                let steered = self.0.rules.seats.lobby.steer(name, rest);
                steered.unwrap_or_else(|| Err("the console lines are /start, /pause and /quit".to_owned()))
            }
        };
        let lobby = &mut self.0.rules.seats.lobby;
        self.0.engine.paused = lobby.paused_started().0;
        lobby.answer_console(answer);
    }
}

impl<G: TurnGame> Seated<G> {
    /// The lines for a client that comes in, or that takes a seat over.
    fn greeting(&self, player: Player, engine: &TurnEngine) -> Vec<Line> {
        let mut lines = self.game.hello(player);
        if self.game.out(player) {
            lines.push(OUT_LINE.to_owned());
        } else if engine.may_act(player) && self.moves[player].is_none() {
            lines.extend(self.game.sees(player));
        }
        lines.into_iter().map(Line::of).collect()
    }

    fn publish(&mut self, text: impl std::fmt::Display) {
        self.seats.lobby.publish(|| Line::of(text));
    }

    /// The line for observers that a turn begins, with the players that act in it unless all do.
    fn turn_line(&self, phase: &Phase) -> String {
        let names: Vec<&str> = phase.players.iter().map(|&player| self.teams[player].as_str()).collect();
        let all = names.len() == self.teams.len();
        if all { format!("trn {}", phase.turn) } else { format!("trn {} {}", phase.turn, names.join(" ")) }
    }

    /// The key by which players are ranked, the greater the better: the turn in which they went out, then the score.
    fn ranking_key(&self, player: Player) -> (u32, i64) {
        (self.out_in_turn[player].unwrap_or(u32::MAX), self.game.score(player))
    }

    /// The ranks as they are now. `decides`: rank 1 wins, if a single player has it.
    fn judge(&self, reason: &'static str, decides: bool) -> Verdict {
        let mut order: Vec<Player> = (0..self.teams.len()).collect();
        order.sort_by_key(|&player| std::cmp::Reverse(self.ranking_key(player)));
        let ahead = |player| {
            order.iter().filter(|&&other| self.ranking_key(other) > self.ranking_key(player)).count()
        };
        let standing = |&player: &Player| Standing {
            team: self.teams[player].to_string(),
            rank: 1 + ahead(player) as u32,
            score: self.game.score(player),
        };
        let standings: Vec<Standing> = order.iter().map(standing).collect();
        let won = decides && standings.iter().filter(|standing| standing.rank == 1).count() == 1;
        Verdict { reason, standings, won, by_lot: false }
    }
}

impl<G: TurnGame> SeatedRules for Seated<G> {
    fn seats(&self) -> &PlayerSeats {
        &self.seats
    }

    fn seats_mut(&mut self) -> &mut PlayerSeats {
        &mut self.seats
    }
}

impl<G: TurnGame> TurnRules for Seated<G> {
    fn alive(&self, player: Player) -> bool {
        !self.game.out(player)
    }

    fn begin_phase(&mut self, phase: &Phase) {
        self.publish(self.turn_line(phase));
        self.seats.set_budgets(|_| G::LINE_BUDGET);
    }

    fn send_snapshots(&mut self, phase: &Phase) {
        for &player in phase.players.iter().filter(|&&player| !self.game.out(player)) {
            let lines = self.game.sees(player);
            lines.into_iter().for_each(|line| self.seats.send(player, Line::of(line)));
        }
    }

    fn penalise(&mut self, _phase: &Phase, player: Player) {
        self.seats.late[player] += 1;
    }

    fn resolve(&mut self, phase: &Phase) {
        let lines = self.game.play(&self.moves);
        self.moves.fill_with(|| None);
        self.moves_fingerprint = Fingerprint::default();
        lines.into_iter().for_each(|line| self.publish(line));
        for player in 0..self.teams.len() {
            let score = self.game.score(player);
            if std::mem::replace(&mut self.scores[player], score) != score {
                self.publish(format!("sco {} {score}", self.teams[player]));
            }
            if self.game.out(player) && self.out_in_turn[player].is_none() {
                self.out_in_turn[player] = Some(phase.turn);
                self.seats.send(player, Line::of(OUT_LINE));
            }
        }
    }

    fn decided(&self) -> Option<&'static str> {
        self.game.decided()
    }

    fn order_rules(&self) -> &dyn OrderRules {
        &self.game
    }

    fn finish(&mut self, ending: Ending) {
        let (word, decides) = match ending {
            Ending::Decided(word) => (word, true),
            Ending::Last => ("last", true),
            Ending::Draw => ("draw", false),
            Ending::Turns => ("turns", true),
            Ending::Time => ("time", true),
            Ending::Stopped => ("stopped", false),
        };
        let verdict = self.judge(word, decides);
        self.publish(end_line(&verdict));
        (0..self.teams.len()).for_each(|player| self.seats.dismiss(player, None));
        self.seats.verdict = Some(verdict);
    }
}

fn end_line(verdict: &Verdict) -> String {
    let winners: Vec<&str> = verdict.winners().collect();
    format!("seg {}", if winners.is_empty() { "-".to_owned() } else { winners.join(" ") })
}

impl<G: TurnGame> Game for TurnMatch<G> {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.0.advance(now);
        if self.0.rules.seats.verdict.is_some() {
            return;
        }
        match self.0.rules.seats.lobby.take_in(seat, input) {
            Taken::Done | Taken::Player(_, _, Input::Open) => {}
            Taken::Login(seat, player) => self.log_in(seat, player),
            Taken::Player(_, player, Input::Line(line)) => self.handle_line(player, Some(line)),
            Taken::Player(_, player, Input::Overflow) => self.handle_line(player, None),
            Taken::Player(_, player, Input::End | Input::Closed | Input::Expelled(_)) => {
                let Led { rules, engine, .. } = &mut self.0;
                let plays = !rules.game.out(player);
                rules.seats.leave(player, matches!(input, Input::Expelled(_)), plays);
                engine.connected.remove(&player);
            }
            Taken::Request(seat, _) => self.0.rules.seats.lobby.say(seat, "suc"),
            Taken::Console(line) => self.handle_console(line),
        }
        self.0.tell_end();
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.0.handle_timeout(now);
        self.mark_done();
    }

    fn poll_timeout(&self) -> Option<Tick> {
        self.0.next_due()
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.0.rules.seats.lobby.pop()
    }

    fn owing(&self, out: &mut Vec<SeatId>) {
        self.0.owing(out);
    }

    fn admission(&self, line: &[u8]) -> Admission {
        self.0.rules.seats.lobby.admission(line)
    }

    fn room(&self, group: u32) -> usize {
        self.0.rules.seats.room(group as usize)
    }

    fn snapshot(&self, _missed_from: Option<u64>, out: &mut Vec<Line>) {
        let Seated { game, teams, seats, scores, .. } = &self.0.rules;
        let (name, version) = G::ID;
        out.extend([
            Line::of(format!("gam {name} {version}")),
            Line::of(format!("sgt {}", seats.lobby.rate())),
        ]);
        for (team, score) in teams.iter().zip(scores) {
            out.extend([Line::of(format!("tna {team}")), Line::of(format!("sco {team} {score}"))]);
        }
        out.extend(self.0.engine.phase().map(|phase| Line::of(self.0.rules.turn_line(phase))));
        out.extend(game.dump().into_iter().map(Line::of));
        out.extend(seats.verdict.as_ref().map(|verdict| Line::of(end_line(verdict))));
    }

    fn digest(&self) -> u64 {
        let Led { rules, engine, .. } = &self.0;
        let mut fingerprint = Fingerprint::default();
        fingerprint.update_number(engine.turn().into());
        fingerprint.update_number(engine.phase().map_or(0, |phase| phase.number.into()));
        fingerprint.update_number(rules.moves_fingerprint.value());
        for player in 0..rules.teams.len() {
            fingerprint.update_number(engine.is_done(player).into());
            fingerprint.update_number(rules.out_in_turn[player].map_or(0, u64::from));
        }
        rules.game.digest(&mut fingerprint);
        fingerprint.value()
    }

    fn report(&self) -> Report {
        let Led { rules, engine, .. } = &self.0;
        let verdict = rules.seats.verdict.clone().unwrap_or_else(|| rules.judge(RUNNING, false));
        let team = |player: Player| TeamReport {
            team: rules.teams[player].to_string(),
            conduct: rules.seats.conduct[player],
            details: rules.game.details(player),
        };
        Report { ticks: engine.now, verdict, teams: (0..rules.teams.len()).map(team).collect() }
    }

    fn line_limit(&self, seat: SeatId) -> u32 {
        self.0.rules.seats.line_limit(seat)
    }

    fn welcome_back(&self, seat: SeatId, out: &mut Vec<Line>) {
        let Led { rules, engine, .. } = &self.0;
        let player = rules.seats.player(seat);
        out.extend(player.into_iter().flat_map(|player| rules.greeting(player, engine)));
    }
}
