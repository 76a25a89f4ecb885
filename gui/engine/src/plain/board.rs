//! What any game's published lines tell: teams, scores, the turn, the end, and the lines themselves.
//!
//! Every line is taken, and shown as it is; those that [`Published`] knows say more. Bounded in everything. Tested in
//! this module and in `gui/app/tests/plain/`.

use std::collections::VecDeque;

use zappy_protocol::published::{BARE, Grid, Published};
use zappy_protocol::record::escaped;
use zappy_protocol::{BadMessage, TeamName, Tick};

use crate::timeline::fold::{Fold, History, Odd, Role};
use crate::timeline::push_bounded;

/// Bytes of a line that are kept: more than is ever shown.
const TEXT_BYTES: usize = 400;
const LINE_LIMIT: usize = 50_000;
/// Beginnings of turns kept, the newest.
const TURN_LIMIT: usize = 100_000;
const TEAM_LIMIT: usize = 1_000;
/// Bytes that a team takes in a board, roughly, and a cell.
const TEAM_BYTES: usize = 120;
const CELL_BYTES: usize = 60;
/// Cells of a grid that are kept, those of a grid of 200 by 200.
const CELL_LIMIT: usize = 40_000;

/// A team and its score, if one was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    pub name: TeamName,
    pub score: Option<i64>,
}

/// What is known at one tick.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board {
    tick: Tick,
    /// The game's name and the version of its rules, if a line told them.
    pub game: Option<(String, u32)>,
    /// The server's frequency, in ticks per second, if one was told.
    pub rate: Option<u32>,
    /// The teams in the order in which they were told.
    pub teams: Vec<Team>,
    /// The turn, if the game has turns.
    pub turn: Option<u64>,
    /// The grid, if the match is played on one.
    pub grid: Option<Grid>,
    /// What the line says that ended the match.
    pub end: Option<String>,
}

impl Board {
    fn team(&mut self, name: TeamName, score: Option<i64>) {
        if let Some(team) = self.teams.iter_mut().find(|team| team.name == name) {
            team.score = score.or(team.score);
        } else if self.teams.len() < TEAM_LIMIT {
            self.teams.push(Team { name, score });
        }
    }

    /// Whether that team has a score and no other one has as much.
    pub fn leads(&self, team: &Team) -> bool {
        team.score.is_some() && self.teams.iter().filter(|other| other.score >= team.score).count() == 1
    }
}

impl Fold for Board {
    type Message = Vec<u8>;

    /// A board follows from a snapshot and what comes after it.
    const LOOKBACK: Tick = 0;

    fn parse(line: &[u8]) -> Result<Vec<u8>, BadMessage> {
        Ok(line[..line.len().min(TEXT_BYTES)].to_vec())
    }

    fn restored(tick: Tick, snapshot: &[Vec<u8>]) -> Board {
        let mut board = Board { tick, ..Board::default() };
        snapshot.iter().for_each(|line| board.apply(tick, line));
        board
    }

    fn apply(&mut self, tick: Tick, line: &Vec<u8>) {
        self.advance(tick);
        match Published::parse(line) {
            Some(Published::Game { name, rules_version }) => {
                self.game = Some((name.to_owned(), rules_version));
            }
            Some(Published::Rate(rate)) => self.rate = Some(rate),
            Some(Published::Team(name)) => self.team(name, None),
            Some(Published::Turn(turn)) => self.turn = Some(turn),
            Some(Published::Score(name, score)) => self.team(name, Some(score)),
            Some(Published::Board(size)) => self.grid = Some(Grid::new(size)),
            Some(Published::Cell(at, sign, team)) => {
                let Some(grid) = self.grid.as_mut().filter(|grid| grid.size.contains(at)) else { return };
                if sign == BARE {
                    grid.cells.remove(&at);
                } else if grid.cells.len() < CELL_LIMIT || grid.cells.contains_key(&at) {
                    grid.cells.insert(at, (sign, team));
                }
            }
            Some(Published::End(says)) => self.end = Some(escaped(says)),
            None => {}
        }
    }

    fn advance(&mut self, tick: Tick) {
        self.tick = self.tick.max(tick);
    }

    fn tick(&self) -> Tick {
        self.tick
    }

    fn snapshot(&self, line: &mut dyn FnMut(&[u8])) {
        let mut say = |text: String| line(text.as_bytes());
        if let Some((name, version)) = &self.game {
            say(format!("gam {name} {version}"));
        }
        if let Some(rate) = self.rate {
            say(format!("sgt {rate}"));
        }
        for Team { name, score } in &self.teams {
            say(format!("tna {name}"));
            if let Some(score) = score {
                say(format!("sco {name} {score}"));
            }
        }
        if let Some(turn) = self.turn {
            say(format!("trn {turn}"));
        }
        self.grid.iter().flat_map(Grid::lines).for_each(&mut say);
        if let Some(end) = &self.end {
            say(format!("seg {end}"));
        }
    }

    fn weight(&self) -> usize {
        let cells = self.grid.as_ref().map_or(0, |grid| grid.cells.len());
        (1 + self.teams.len()) * TEAM_BYTES + cells * CELL_BYTES
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    pub tick: Tick,
    /// The game's word for the reason, if a record told it.
    pub reason: Option<String>,
    /// The winners' names; before a record told them, what the game's line says of them.
    pub winners: Vec<String>,
}

/// What is told of the whole match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// The teams in the order in which they were told.
    pub teams: Vec<TeamName>,
    /// Published lines with their ticks, the oldest first.
    pub lines: VecDeque<(Tick, Box<str>)>,
    /// When each turn began, the oldest first.
    pub turns: VecDeque<(Tick, u64)>,
    /// How the match ended, if it did.
    pub close: Option<Close>,
}

impl Lines {
    /// The lines up to that tick, the newest first.
    pub fn until(&self, tick: Tick) -> impl Iterator<Item = &(Tick, Box<str>)> {
        let end = self.lines.partition_point(|(at, _)| *at <= tick);
        self.lines.range(..end).rev()
    }
}

/// A match from its first line to its newest.
#[derive(Debug, Clone, Default)]
pub struct Log {
    board: Board,
    overview: Lines,
}

impl Log {
    /// Takes over the names of teams that were told for the first time.
    fn name_teams(&mut self) {
        let known = self.overview.teams.len();
        self.overview.teams.extend(self.board.teams.iter().skip(known).map(|team| team.name.clone()));
    }
}

impl History for Log {
    type Fold = Board;
    type Overview = Lines;

    fn newest(&self) -> &Board {
        &self.board
    }

    fn overview(&self) -> &Lines {
        &self.overview
    }

    fn finished(overview: &Lines) -> Option<Tick> {
        overview.close.as_ref().map(|close| close.tick)
    }

    fn restore(&mut self, tick: Tick, snapshot: &[Vec<u8>]) {
        self.board = Board::restored(tick, snapshot);
        self.name_teams();
    }

    fn take(&mut self, tick: Tick, line: &Vec<u8>) -> Result<(), Odd> {
        let before = self.board.turn;
        self.board.apply(tick, line);
        self.name_teams();
        if let Some(turn) = self.board.turn.filter(|_| self.board.turn != before) {
            push_bounded(&mut self.overview.turns, TURN_LIMIT, (tick, turn));
        }
        if let (Some(winners), None) = (&self.board.end, &self.overview.close) {
            let winners = Some(winners.clone()).filter(|says| !says.is_empty());
            self.overview.close = Some(Close { tick, reason: None, winners: winners.into_iter().collect() });
        }
        // The grid shows its cells.
        if !matches!(Published::parse(line), Some(Published::Cell(..))) {
            push_bounded(&mut self.overview.lines, LINE_LIMIT, (tick, escaped(line).into()));
        }
        Ok(())
    }

    fn advance(&mut self, tick: Tick) {
        self.board.advance(tick);
    }

    fn end(&mut self, tick: Tick, reason: &str, winners: &[TeamName]) {
        let winners = winners.iter().map(TeamName::to_string).collect();
        self.overview.close = Some(Close { tick, reason: Some(reason.to_owned()), winners });
    }

    fn role(line: &Vec<u8>) -> Role {
        match Published::parse(line) {
            Some(Published::Rate(rate)) => Role::Rate(rate),
            Some(Published::End(_)) => Role::End,
            Some(_) => Role::Dump,
            None => Role::News,
        }
    }

    fn is_told(&self) -> bool {
        self.board.game.is_some() || !self.board.teams.is_empty()
    }

    fn after_dump(&mut self, _tick: Tick) {}

    fn resume(&mut self, _tick: Tick, before: &Board) -> bool {
        let now = &self.board;
        let names = |board: &Board| board.teams.iter().map(|team| team.name.clone()).collect::<Vec<_>>();
        before.end.is_none()
            && (&before.game, names(before)) == (&now.game, names(now))
            && before.turn <= now.turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[(Tick, &str)]) -> Log {
        let mut log = Log::default();
        for (tick, line) in lines {
            log.take(*tick, &Board::parse(line.as_bytes()).unwrap()).unwrap();
        }
        log
    }

    const MATCH: [(Tick, &str); 8] = [
        (0, "gam tiny 1"),
        (0, "sgt 50"),
        (0, "tna red hot"),
        (0, "tna blue"),
        (0, "trn 1"),
        (10, "sco blue 1"),
        (10, "trn 2"),
        (17, "what \\ is this"),
    ];

    #[test]
    fn a_board_tells_teams_scores_and_the_turn() {
        let log = told(&MATCH);
        let board = log.newest();
        let scores: Vec<_> = board.teams.iter().map(|team| (team.name.as_str(), team.score)).collect();
        assert_eq!(scores, [("red hot", None), ("blue", Some(1))]);
        assert_eq!((board.turn, board.rate, board.tick()), (Some(2), Some(50), 17));
        assert_eq!(board.teams.iter().map(|team| board.leads(team)).collect::<Vec<_>>(), [false, true]);
        assert_eq!(log.overview().turns, [(0, 1), (10, 2)]);
        let newest: Vec<&str> = log.overview().until(16).map(|(_, line)| &**line).take(2).collect();
        assert_eq!(newest, ["trn 2", "sco blue 1"]);
        assert_eq!(&*log.overview().lines.back().unwrap().1, "what \\x5c is this");
    }

    #[test]
    fn a_snapshot_brings_the_board_back() {
        let grid = [
            (18, "brd 9 7"),
            (18, "cel 8 6 @ red hot"),
            (18, "cel 0 0 *"),
            (19, "cel 9 0 *"),
            (20, "cel 0 0 ."),
        ];
        let board = told(&[&MATCH[..], &grid, &[(30, "seg blue")]].concat()).newest().clone();
        assert_eq!(board.grid.as_ref().map(|grid| grid.cells.len()), Some(1));
        let mut snapshot = Vec::new();
        board.snapshot(&mut |line| snapshot.push(line.to_vec()));
        assert_eq!(Board::restored(30, &snapshot), board);
    }

    #[test]
    fn the_end_is_told_once_and_a_record_knows_the_reason() {
        let mut log = told(&[(5, "seg blue"), (6, "seg red")]);
        let close = log.overview().close.clone().unwrap();
        assert_eq!((close.tick, close.reason, close.winners), (5, None, vec!["blue".to_owned()]));
        log.end(7, "points", &[TeamName::parse(b"blue").unwrap()]);
        assert_eq!(log.overview().close.as_ref().unwrap().reason.as_deref(), Some("points"));
    }

    #[test]
    fn another_game_and_an_earlier_turn_are_another_match() {
        let before = told(&MATCH).newest().clone();
        assert!(told(&MATCH).resume(20, &before));
        assert!(!told(&MATCH[..5]).resume(20, &before));
        assert!(!told(&MATCH[1..]).resume(20, &before));
    }

    #[test]
    fn nothing_grows_without_end() {
        let mut log = Log::default();
        for number in 0..TEAM_LIMIT + 5 {
            log.take(1, &format!("tna t{number}").into_bytes()).unwrap();
        }
        assert_eq!(log.newest().teams.len(), TEAM_LIMIT);
        assert_eq!(Board::parse(&[b'x'; 5_000]).unwrap().len(), TEXT_BYTES);
        let mut list = VecDeque::new();
        (0..9).for_each(|number| push_bounded(&mut list, 3, number));
        assert_eq!(list, [6, 7, 8]);
    }
}
