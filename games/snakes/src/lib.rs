//! Snakes, the worked example of `docs/adding-a-game.md`: each team has a snake, all move at once, and the longest wins.
//!
//! A snake that runs into another one or into itself is out. The map has no edge. Pure, as the rules of every game.
//! Tested in this module and in `tests/`.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};
use zappy_game::chance::Chance;
use zappy_game::config::MatchConfig;
use zappy_game::{Column, Form, GameSpec, OptionSpec, Options};
use zappy_protocol::published::Grid;
use zappy_protocol::record::Fingerprint;
use zappy_protocol::{Position, TeamName};
use zappy_turns::engine::{Player, Setting};
use zappy_turns::order::OrderRules;
use zappy_turns::play::{REASONS, TurnGame, TurnMatch};

/// Ticks that players have for a move, by the real clock 100 a second.
const TURN_TIME: u64 = 20;
/// The purpose of the only draws: where food grows.
const FOOD: u64 = 0;
const COLUMNS: &[Column] = &[Column { key: "length", title: "length", listed: true, even: false }];

/// The game in a table of games.
pub const SPEC: GameSpec = GameSpec {
    name: "snakes",
    about: "each turn every snake moves; what runs into a snake is out, and the longest wins",
    rules_version: 1,
    manual: "docs/adding-a-game.md",
    rate: None,
    options: &[OptionSpec {
        key: "turns",
        form: Form::Value,
        short: None,
        value_name: "TURNS",
        help: "Turns of a match, 1 to 10000",
        default: "200",
        read: |text| match text.parse::<u32>() {
            Ok(turns @ 1..=10_000) => Ok(turns.to_string()),
            _ => Err("the range is 1 to 10000".to_owned()),
        },
    }],
    columns: COLUMNS,
    cells: |details| GameSpec::plain_cells(COLUMNS, details),
    reasons: REASONS,
    advice: &[],
    samples: &["north", "east", "south", "west", "up"],
    slots: |_| 1,
    map: |_| None,
    max_ticks: |options, _| u64::from(turns(options) + 1) * (TURN_TIME + 1),
    begin: |config, options| {
        let setting =
            Setting { turn_time: TURN_TIME, turns: turns(options), ..Setting::new(config.teams.len()) };
        Ok(Box::new(TurnMatch::new(config, setting, Snakes::new(config))))
    },
};

/// The last turn of a match.
fn turns(options: &Options) -> u32 {
    options.get("turns").parse().unwrap_or(200)
}

/// Where a snake may go: the word for it, and the step on the map.
const DIRECTIONS: [(&str, (i32, i32)); 4] =
    [("north", (0, -1)), ("east", (1, 0)), ("south", (0, 1)), ("west", (-1, 0))];

struct Snake {
    team: TeamName,
    /// The head first. A snake that is out keeps its length and lies nowhere.
    body: VecDeque<Position>,
    direction: (i32, i32),
    out: bool,
}

struct Snakes {
    snakes: Vec<Snake>,
    food: Vec<Position>,
    turn: u64,
    seed: u64,
    /// The cells that spectators see.
    grid: Grid,
}

impl Snakes {
    fn new(config: &MatchConfig) -> Snakes {
        let (size, teams) = (config.map, config.teams.iter().zip(0u16..));
        let snakes = teams.map(|(team, nth)| {
            // Apart from each other on a diagonal, all heading east.
            let place =
                |side: u16| (2 * u32::from(nth) + 1) * u32::from(side) / (2 * config.teams.len() as u32);
            let head = Position { x: place(size.width()) as u16, y: place(size.height()) as u16 };
            Snake { team: team.clone(), body: VecDeque::from([head]), direction: DIRECTIONS[1].1, out: false }
        });
        let (snakes, food) = (snakes.collect(), Vec::new());
        let mut game = Snakes { snakes, food, turn: 0, seed: config.seed, grid: Grid::new(size) };
        game.settle();
        game
    }

    /// Adds food until there is a piece for each snake, if the places drawn for it are free, and draws the grid anew.
    fn settle(&mut self) {
        let mut grid = Grid::new(self.grid.size);
        for snake in self.snakes.iter().filter(|snake| !snake.out) {
            let signs = std::iter::once('@').chain(std::iter::repeat('o'));
            grid.cells.extend(
                snake.body.iter().zip(signs).map(|(at, sign)| (*at, (sign, Some(snake.team.clone())))),
            );
        }
        let mut chance = Chance::new(self.seed, FOOD, self.turn, 0);
        for _ in self.food.len()..self.snakes.len() {
            let at = grid.size.position(chance.below(grid.size.tiles().count() as u32) as usize);
            if !grid.cells.contains_key(&at) && !self.food.contains(&at) {
                self.food.push(at);
            }
        }
        grid.cells.extend(self.food.iter().map(|at| (*at, ('*', None))));
        self.grid = grid;
    }
}

impl OrderRules for Snakes {}

impl TurnGame for Snakes {
    type Move = (i32, i32);

    const ID: (&'static str, u32) = (SPEC.name, SPEC.rules_version);

    fn parse(&self, line: &[u8]) -> Result<(i32, i32), String> {
        let direction = DIRECTIONS.iter().find(|(name, _)| name.as_bytes() == line.trim_ascii());
        direction.map(|(_, step)| *step).ok_or_else(|| "say north, east, south or west".to_owned())
    }

    fn hello(&self, player: Player) -> Vec<String> {
        vec![format!("you {}", self.snakes[player].team)]
    }

    fn sees(&self, _player: Player) -> Vec<String> {
        self.grid.lines().into_iter().chain(["go".to_owned()]).collect()
    }

    fn dump(&self) -> Vec<String> {
        self.grid.lines()
    }

    fn play(&mut self, moves: &[Option<(i32, i32)>]) -> Vec<String> {
        let (before, size) = (self.grid.clone(), self.grid.size);
        for (snake, chosen) in self.snakes.iter_mut().zip(moves).filter(|(snake, _)| !snake.out) {
            snake.direction = chosen.unwrap_or(snake.direction);
            let head = size.offset(snake.body[0], snake.direction);
            snake.body.push_front(head);
            if !self.food.contains(&head) {
                snake.body.pop_back();
            }
        }
        let living = |snake: &&Snake| !snake.out;
        let bodies: Vec<Position> =
            self.snakes.iter().filter(living).flat_map(|snake| &snake.body).copied().collect();
        self.food.retain(|at| !bodies.contains(at));
        for snake in self.snakes.iter_mut().filter(|snake| !snake.out) {
            snake.out = bodies.iter().filter(|at| **at == snake.body[0]).count() > 1;
        }
        self.turn += 1;
        self.settle();
        self.grid.changes(&before).collect()
    }

    fn out(&self, player: Player) -> bool {
        self.snakes[player].out
    }

    fn score(&self, player: Player) -> i64 {
        self.snakes[player].body.len() as i64
    }

    fn details(&self, player: Player) -> Map<String, Value> {
        [("length".to_owned(), json!(self.snakes[player].body.len()))].into_iter().collect()
    }

    fn digest(&self, print: &mut Fingerprint) {
        self.grid.lines().iter().for_each(|line| print.update(line.as_bytes()));
    }
}
