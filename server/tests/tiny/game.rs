//! The tests' own game, whole and tiny: in each turn every team says a number, and the highest wins a point.
//!
//! It goes through everything that the house offers, as the proof that a game is a guest, and it is the example for
//! writing another one (`docs/adding-a-game.md`). One player a team; a turn lasts [`TURN_TICKS`]; equal numbers win
//! nothing; the first team with enough points has won. Where teams speak one after another, the order is the game's own:
//! the last winner begins, it goes down the teams, and behind [`MOST`] the team speaks that has the fewest points.

use serde_json::{Map, Value, json};
use zappy_game::config::MatchConfig;
use zappy_game::{Advice, Column, Form, GameSpec, OptionSpec};
use zappy_protocol::Tick;
use zappy_protocol::record::Fingerprint;
use zappy_turns::engine::{Player, Setting};
use zappy_turns::order::{OrderRules, TurnOrder};
use zappy_turns::play::{TurnGame, TurnMatch};

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
    samples: &["1", "99", "100"],
    slots: |_| 1,
    map: |_| None,
    max_ticks: |_, _| 50_000,
    begin: |config, options| {
        let setting =
            Setting { turn_time: TURN_TICKS - 1, fixed_length: true, ..Setting::new(config.teams.len()) };
        let game = Tiny::new(config, 1, options.get("points").parse().unwrap_or(3));
        Ok(Box::new(TurnMatch::new(config, setting, game)))
    },
};

#[derive(Debug, Default)]
struct Team {
    points: u32,
    highest: Option<u32>,
}

pub struct Tiny {
    teams: Vec<Team>,
    wanted: u32,
    map: String,
    /// Phases of a turn: one in which all teams speak, or one for each team.
    phases: u32,
    /// What each team has said in the phases of the running turn; its last number counts.
    said: Vec<Option<u32>>,
    /// Phases of the running turn that are over.
    over: u32,
    /// The team that begins the next turn.
    first: Player,
}

impl Tiny {
    /// A match of turns with that many phases, won with that many points.
    pub fn new(config: &MatchConfig, phases: u32, wanted: u32) -> Tiny {
        let teams = config.teams.len();
        Tiny {
            teams: config.teams.iter().map(|_| Team::default()).collect(),
            wanted,
            map: config.map.to_string(),
            phases,
            said: vec![None; teams],
            over: 0,
            first: teams - 1,
        }
    }
}

/// Asked where teams speak one after another and the order is the game's own.
impl OrderRules for Tiny {
    fn first(&self, _order: &TurnOrder) -> usize {
        self.first
    }

    fn next(&self, order: &TurnOrder) -> Option<usize> {
        Some(order.index(-1))
    }

    fn next_player(&self, order: &TurnOrder) -> Option<Player> {
        let spoke = order.current()?;
        let teams = (0..self.teams.len()).filter(|_| self.said[spoke] == Some(MOST));
        teams.min_by_key(|&team| self.teams[team].points)
    }
}

impl TurnGame for Tiny {
    type Move = u32;

    const ID: (&'static str, u32) = (SPEC.name, SPEC.rules_version);

    fn parse(&self, line: &[u8]) -> Result<u32, String> {
        let number = std::str::from_utf8(line.trim_ascii()).ok().and_then(|text| text.parse().ok());
        number.filter(|&number| number <= MOST).ok_or_else(|| format!("say a number from 0 to {MOST}"))
    }

    fn hello(&self, _player: Player) -> Vec<String> {
        vec!["0".to_owned(), self.map.clone()]
    }

    fn play(&mut self, moves: &[Option<u32>]) -> Vec<String> {
        for ((team, said), chosen) in self.teams.iter_mut().zip(&mut self.said).zip(moves) {
            team.highest = team.highest.max(*chosen);
            *said = chosen.or(*said);
        }
        self.over += 1;
        if self.over == self.phases {
            self.over = 0;
            let said = std::mem::replace(&mut self.said, vec![None; self.teams.len()]);
            let best = said.iter().max().copied().flatten();
            let mut first = (0..said.len()).filter(|&team| best.is_some() && said[team] == best);
            if let (Some(winner), None) = (first.next(), first.next()) {
                self.teams[winner].points += 1;
                self.first = winner;
            }
        }
        Vec::new()
    }

    fn score(&self, player: Player) -> i64 {
        self.teams[player].points.into()
    }

    fn decided(&self) -> Option<&'static str> {
        self.teams.iter().any(|team| team.points >= self.wanted).then_some("points")
    }

    fn details(&self, player: Player) -> Map<String, Value> {
        let Team { points, highest } = self.teams[player];
        let details = [("points", json!(points)), ("highest", json!(highest))];
        details.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
    }

    fn digest(&self, print: &mut Fingerprint) {
        self.teams.iter().for_each(|team| print.update_number(team.points.into()));
        self.said.iter().flatten().for_each(|&number| print.update_number(number.into()));
        [self.over as usize, self.first].iter().for_each(|&number| print.update_number(number as u64));
    }
}
