//! The tests' own game, whole and tiny: in each turn every team says a number, and the highest wins a point.
//!
//! It goes through everything that the house offers, as the proof that a game is a guest, and it is the example for
//! writing another one (`docs/adding-a-game.md`). One player a team; a turn lasts [`TURN_TICKS`]; equal numbers win
//! nothing; the first team with enough points has won.

use serde_json::{Map, json};
use zappy_game::chance::rank;
use zappy_game::config::MatchConfig;
use zappy_game::lobby::{Lobby, Taken};
use zappy_game::{
    Admission, Advice, Column, Conduct, Form, Game, GameSpec, Input, Line, OptionSpec, Output, RUNNING,
    Report, SeatId, Standing, TeamReport, Verdict,
};
use zappy_protocol::Tick;
use zappy_protocol::record::Fingerprint;

/// Ticks of a turn.
pub const TURN_TICKS: Tick = 10;
/// The greatest number that a team may say.
const MOST: u32 = 99;

/// What tournaments keep of a team.
const COLUMNS: &[Column] = &[
    Column { key: "points", title: "points", listed: true, even: false },
    Column { key: "highest", title: "highest number", listed: true, even: false },
];

/// The game in a table of games.
pub const SPEC: GameSpec = GameSpec {
    name: "tiny",
    about: "each turn every team says a number, and the highest wins a point",
    rules_version: 1,
    manual: "server/tests/tiny/game.rs",
    rate: None,
    options: &[OptionSpec {
        key: "points",
        form: Form::Value,
        short: None,
        value_name: "POINTS",
        help: "Points that win, 1 to 1000",
        default: "3",
        read: |text| match text.parse::<u32>() {
            Ok(points @ 1..=1_000) => Ok(points.to_string()),
            _ => Err("the range is 1 to 1000".to_owned()),
        },
    }],
    columns: COLUMNS,
    cells: |details| GameSpec::plain_cells(COLUMNS, details),
    reasons: &[
        ("points", "a team had enough points"),
        ("time", "time was over"),
        ("stopped", "the operator ended the match"),
    ],
    advice: &[Advice {
        column: "points",
        what: "The team had no point at the end of",
        hint: "Say a number that the others don't say.",
    }],
    slots: |_| 1,
    begin: |config, options| Ok(Box::new(Tiny::new(config, options.get("points").parse().unwrap_or(3)))),
};

#[derive(Debug, Default)]
struct Team {
    seat: Option<SeatId>,
    said: Option<u32>,
    points: u32,
    highest: Option<u32>,
    conduct: Conduct,
}

struct Tiny {
    config: MatchConfig,
    lobby: Lobby<usize>,
    teams: Vec<Team>,
    wanted: u32,
    now: Tick,
    /// Turns that have ended, and when the running one does; `None` before every team is in.
    turn: u64,
    turn_ends: Option<Tick>,
    verdict: Option<Verdict>,
}

impl Tiny {
    fn new(config: &MatchConfig, wanted: u32) -> Tiny {
        Tiny {
            lobby: Lobby::new(config),
            teams: config.teams.iter().map(|_| Team::default()).collect(),
            config: config.clone(),
            wanted,
            now: 0,
            turn: 0,
            turn_ends: None,
            verdict: None,
        }
    }

    fn log_in(&mut self, seat: SeatId, team: usize) {
        if self.teams[team].seat.is_some() || self.teams[team].conduct.joined > 0 {
            return self.lobby.refuse(seat, "the team has had its player");
        }
        self.teams[team].seat = Some(seat);
        self.teams[team].conduct.joined = 1;
        self.lobby.admit(seat, team, 0, self.config.map);
        if self.teams.iter().all(|team| team.conduct.joined > 0) {
            self.turn_ends = Some(self.next_end());
            self.publish(format!("trn {}", self.turn + 1));
        }
    }

    fn player(&mut self, seat: SeatId, index: usize, input: Input<'_>) {
        let team = &mut self.teams[index];
        match input {
            Input::Line(line) => {
                let number = std::str::from_utf8(line.trim_ascii()).ok().and_then(|text| text.parse().ok());
                match number.filter(|&number| number <= MOST) {
                    None => {
                        team.conduct.unknown += 1;
                        self.lobby.refuse(seat, format!("say a number from 0 to {MOST}"));
                    }
                    Some(_) if team.said.is_some() => {
                        team.conduct.refused += 1;
                        self.lobby.refuse(seat, "one number a turn");
                    }
                    Some(number) => {
                        (team.said, team.highest) = (Some(number), team.highest.max(Some(number)));
                        team.conduct.commands += 1;
                        self.lobby.say(seat, "ok");
                    }
                }
            }
            Input::Overflow => {
                team.conduct.unknown += 1;
                self.lobby.refuse(seat, "the line is too long");
            }
            Input::Open => {}
            Input::End | Input::Closed | Input::Expelled(_) => {
                team.seat = None;
                let expelled = matches!(input, Input::Expelled(_));
                team.conduct.expelled += u64::from(expelled);
                team.conduct.left += u64::from(!expelled);
                self.lobby.close(seat, "it left");
            }
        }
    }

    fn console(&mut self, line: Option<&[u8]>) {
        let line = String::from_utf8_lossy(line.unwrap_or_default()).trim().to_owned();
        let (name, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = self.lobby.steer(name, rest).unwrap_or_else(|| match line.as_str() {
            "/quit" => {
                self.finish("stopped", false);
                Ok("the match ends".to_owned())
            }
            _ => Err("the console lines are /start, /pause and /quit".to_owned()),
        });
        self.lobby.answer_console(answer);
    }

    fn end_turn(&mut self) {
        let best = self.teams.iter().filter_map(|team| team.said).max();
        let mut first = (0..self.teams.len()).filter(|&i| best.is_some() && self.teams[i].said == best);
        if let (Some(winner), None) = (first.next(), first.next()) {
            self.teams[winner].points += 1;
            self.publish(format!("sco {} {}", self.config.teams[winner], self.teams[winner].points));
        }
        self.teams.iter_mut().for_each(|team| team.said = None);
        self.turn += 1;
        self.turn_ends = Some(self.next_end());
        if self.teams.iter().any(|team| team.points >= self.wanted) {
            self.finish("points", true);
        } else if self.now >= self.config.last_tick() {
            let most = self.teams.iter().map(|team| team.points).max();
            let leaders = self.teams.iter().filter(|team| Some(team.points) == most).count();
            self.finish("time", leaders == 1);
        } else {
            self.publish(format!("trn {}", self.turn + 1));
        }
    }

    fn next_end(&self) -> Tick {
        (self.now + TURN_TICKS).min(self.config.last_tick().max(self.now + 1))
    }

    fn finish(&mut self, reason: &'static str, won: bool) {
        if self.verdict.is_some() {
            return;
        }
        let verdict = self.verdict(reason, won);
        let winners: Vec<&str> = verdict.winners().collect();
        let line = format!("seg {}", if winners.is_empty() { "-".to_owned() } else { winners.join(" ") });
        self.publish(line);
        for seat in self.teams.iter().filter_map(|team| team.seat).collect::<Vec<_>>() {
            self.lobby.close(seat, "the match is over");
        }
        self.lobby.push(Output::Finished(verdict.clone()));
        self.verdict = Some(verdict);
    }

    fn verdict(&self, reason: &'static str, won: bool) -> Verdict {
        let mut order: Vec<usize> = (0..self.teams.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(self.teams[i].points));
        let place = |points: u32| 1 + self.teams.iter().filter(|team| team.points > points).count() as u32;
        let standing = |&i: &usize| Standing {
            team: self.config.teams[i].to_string(),
            place: place(self.teams[i].points),
            score: self.teams[i].points.into(),
        };
        Verdict { reason, standings: order.iter().map(standing).collect(), won, by_lot: false }
    }

    fn publish(&mut self, text: String) {
        self.lobby.publish(|| Line::new(text.into_bytes()));
    }
}

impl Game for Tiny {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.now = now;
        if self.verdict.is_some() {
            return;
        }
        match self.lobby.take_in(seat, input) {
            Taken::Done => {}
            Taken::Login(seat, team) => self.log_in(seat, team),
            Taken::Player(seat, team, input) => self.player(seat, team, input),
            Taken::Request(seat, _) => self.lobby.say(seat, "suc"),
            Taken::Console(line) => self.console(line),
        }
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.now = now;
        if self.turn_ends.is_some() { self.end_turn() } else { self.finish("time", false) }
    }

    fn poll_timeout(&self) -> Option<Tick> {
        self.turn_ends.or(self.config.max_ticks).filter(|_| self.verdict.is_none())
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.lobby.pop()
    }

    fn owing(&self, out: &mut Vec<SeatId>) {
        // Drawn by the teams' places: seats are numbered as connections happen to come.
        let mut order: Vec<usize> = (0..self.teams.len()).collect();
        order.sort_by_key(|&team| rank(self.config.seed, 0, self.now, team as u64));
        let silent = order.iter().map(|&team| &self.teams[team]).filter(|team| team.said.is_none());
        out.extend(silent.filter(|_| self.turn_ends.is_some()).filter_map(|team| team.seat));
    }

    fn admission(&self, line: &[u8]) -> Admission {
        self.lobby.admission(line)
    }

    fn room(&self, group: u32) -> usize {
        usize::from(self.teams[group as usize].conduct.joined == 0)
    }

    fn snapshot(&self, _missed_from: Option<u64>, out: &mut Vec<Line>) {
        let mut line = |text: String| out.push(Line::new(text.into_bytes()));
        line(format!("gam {} {}", SPEC.name, SPEC.rules_version));
        line(format!("sgt {}", self.lobby.rate()));
        for (name, team) in self.config.teams.iter().zip(&self.teams) {
            line(format!("tna {name}"));
            line(format!("sco {name} {}", team.points));
        }
        if self.turn_ends.is_some() {
            line(format!("trn {}", self.turn + 1));
        }
    }

    fn digest(&self) -> u64 {
        let mut print = Fingerprint::default();
        print.update_number(self.turn);
        for team in &self.teams {
            print.update_number(team.points.into());
            print.update_number(team.said.map_or(0, |said| u64::from(said) + 1));
        }
        print.value()
    }

    fn report(&self) -> Report {
        let verdict = self.verdict.clone().unwrap_or_else(|| self.verdict(RUNNING, false));
        let team = |(name, team): (&zappy_protocol::TeamName, &Team)| {
            let mut details = Map::new();
            details.insert("points".to_owned(), json!(team.points));
            details.insert("highest".to_owned(), json!(team.highest));
            TeamReport { team: name.to_string(), conduct: team.conduct, details }
        };
        let teams = self.config.teams.iter().zip(&self.teams).map(team).collect();
        Report { ticks: self.now, verdict, teams }
    }

    fn line_limit(&self, _seat: SeatId) -> u32 {
        1
    }
}
