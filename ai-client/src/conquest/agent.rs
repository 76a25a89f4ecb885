//! A faction's client without input and output.
//!
//! Knows the handshake, the draft, and which lines make a snapshot; a `Strategy` decides what to order when the
//! snapshot is complete. What it does depends on the lines it has read and its seed, and on nothing else. Takes any
//! bytes. Tested in this module and, against the real rules, in `tests/conquest.rs`.

use std::collections::VecDeque;

use zappy_protocol::conquest::constants::{RULES_VERSION, line_budget};
use zappy_protocol::conquest::player::{Order, PlayerLine, Ranked, ServerLine};
use zappy_protocol::line::Decoded;
use zappy_protocol::{MapSize, TeamName};

use crate::agent::{Action, Agent, AgentState, refusal, without_token};
use crate::chance::{Chance, mix};
use crate::conquest::level::Level;
use crate::conquest::view::{Strategy, View};

/// Turns between two times that `words` tells the user how the faction stands.
const NEWS_TURNS: u32 = 50;

/// What a client is made from.
#[derive(Debug, Clone)]
pub struct Setup {
    pub team: TeamName,
    /// The seed of its chance.
    pub seed: u64,
    pub level: Level,
}

/// A faction's client, from before its handshake to its end.
#[derive(Debug)]
pub struct Player {
    setup: Setup,
    phase: Phase,
    chance: Chance,
    lines: VecDeque<Vec<u8>>,
    words: String,
}

/// What the client waits for: the next line of the handshake, or the lines of the match.
#[derive(Debug)]
enum Phase {
    Greeting,
    Login,
    Size,
    Game(MapSize),
    Playing(Box<Play>),
    Refused,
}

/// A client after its handshake.
#[derive(Debug)]
struct Play {
    view: View,
    strategy: Box<dyn Strategy>,
    /// The numbers of the start tiles that a draft offers.
    starts: Vec<u32>,
}

impl Agent for Player {
    fn handle_line(&mut self, line: Decoded<'_>) {
        if let Decoded::Line(line) = line
            && let Ok(line) = ServerLine::parse(line)
        {
            self.handle(line);
        }
    }

    fn poll_action(&mut self) -> Option<Action> {
        self.lines.pop_front().map(Action::Send)
    }

    /// A beaten faction stays to read how the match ends.
    fn state(&self) -> AgentState {
        match self.phase {
            Phase::Greeting | Phase::Login | Phase::Size | Phase::Game(_) => AgentState::Entering,
            Phase::Playing(_) => AgentState::Playing,
            Phase::Refused => AgentState::Refused,
        }
    }

    fn words(&self) -> String {
        self.words.clone()
    }
}

impl Player {
    /// A client that hasn't read anything yet.
    #[must_use]
    pub fn new(setup: Setup) -> Player {
        let chance = Chance::new(mix(setup.seed, setup.team.as_str().as_bytes()));
        Player { setup, phase: Phase::Greeting, chance, lines: VecDeque::new(), words: String::new() }
    }

    fn handle(&mut self, line: ServerLine) {
        let name = self.setup.team.as_str();
        match (&mut self.phase, line) {
            (Phase::Greeting, ServerLine::Welcome) => {
                self.lines.push_back(name.as_bytes().to_vec());
                self.phase = Phase::Login;
            }
            (Phase::Login, ServerLine::Ko(_)) => {
                self.words = refusal("faction", name);
                self.phase = Phase::Refused;
            }
            (Phase::Login, ServerLine::Slots(_)) => self.phase = Phase::Size,
            (Phase::Size, ServerLine::MapSize(size)) => self.phase = Phase::Game(size),
            (Phase::Game(_), ServerLine::Game { version, .. }) if version != RULES_VERSION => {
                self.words = format!("version {RULES_VERSION} of the rules: it plays version {version}");
                self.phase = Phase::Refused;
            }
            (Phase::Game(size), ServerLine::Game { you, options, .. }) => {
                let strategy = self.setup.level.strategy();
                let play = Play { view: View::new(*size, you, options), strategy, starts: Vec::new() };
                self.phase = Phase::Playing(Box::new(play));
                "waits for the first turn".clone_into(&mut self.words);
            }
            (Phase::Playing(play), line) => match line {
                ServerLine::Start { number, .. } => play.starts.push(number),
                ServerLine::Go(turn) => {
                    let orders = play.answer(turn, &mut self.chance);
                    if turn == 1 || turn.is_multiple_of(NEWS_TURNS) {
                        self.words = play.view.summary();
                    }
                    self.lines.extend(orders.into_iter().map(|line| {
                        let mut bytes = Vec::new();
                        line.write(&mut bytes);
                        bytes
                    }));
                }
                ServerLine::Dead => self.words = format!("beaten in turn {}", play.view.turn),
                ServerLine::Over(ranked) => {
                    let own = without_token(self.setup.team.as_str());
                    if let Some(Ranked { rank, score, .. }) =
                        ranked.iter().find(|faction| faction.name.as_str() == own)
                    {
                        self.words = format!("rank {rank}, score {score}");
                    }
                }
                line => play.view.apply(line),
            },
            _ => {}
        }
    }
}

impl Play {
    /// The answer to `go`: a start tile drawn by lot in turn 0, the draft; the orders of the turn afterwards.
    fn answer(&mut self, turn: u32, chance: &mut Chance) -> Vec<PlayerLine> {
        let starts = std::mem::take(&mut self.starts);
        if turn == 0 {
            let count = u32::try_from(starts.len()).unwrap_or(u32::MAX);
            let chosen = starts.get(chance.below(count) as usize).copied();
            return chosen.map(PlayerLine::Place).into_iter().chain([PlayerLine::Done(0)]).collect();
        }
        self.view.complete();
        let mut orders: Vec<Order> = self.strategy.decide(&self.view, chance);
        let units = u32::try_from(self.view.own_units().count()).unwrap_or(u32::MAX);
        orders.truncate(line_budget(units) as usize);
        orders.into_iter().map(PlayerLine::Order).chain([PlayerLine::Done(turn)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;
    use proptest::prelude::*;

    const LOGIN: [&str; 4] = [
        "WELCOME",
        "0",
        "10 8",
        "game conquest version 2 you 0 factions red,blue cities on rules classic mode concurrent turns 400 time 1000 placement \
         random alliances -",
    ];
    const SNAPSHOT: [&str; 10] = [
        "turn 1",
        "faction 0 red alive gold 450 food 0 wood 0 bombs 0 land 3 pop 2 cap 5 kills 0 score 0 upkeep 50 base 4 5 \
         slot -",
        "faction 1 blue alive land 3 pop 2 score 0",
        "unit 0 0 pioneer 3 5 3 -",
        "unit 1 0 pioneer 5 5 3 -",
        "tile 2 5 - plain ---- -",
        "tile 3 5 0 plain ---- -",
        "tile 4 5 0 plain b--- -",
        "city 4 5 citizens 2 workers 0 merchants 2 tiles -",
        "go 1",
    ];

    fn player(level: Level) -> Player {
        Player::new(Setup { team: TeamName::parse(b"red").unwrap(), seed: 1, level })
    }

    /// Gives the player these lines; returns what it sends.
    fn feed(player: &mut Player, lines: &[&str]) -> Vec<String> {
        lines.iter().for_each(|line| player.handle_line(Decoded::Line(line.as_bytes())));
        let mut said = Vec::new();
        while let Some(Action::Send(line)) = player.poll_action() {
            said.push(String::from_utf8(line).unwrap());
        }
        said
    }

    #[test]
    fn every_level_orders_something_of_each_unit_and_ends_the_turn() {
        for &level in Level::value_variants() {
            let mut player = player(level);
            assert_eq!(feed(&mut player, &LOGIN), ["red"]);
            let said = feed(&mut player, &SNAPSHOT);
            assert!(said.iter().any(|line| line.starts_with("Unit 0 ")), "{level:?} {said:?}");
            assert!(said.iter().any(|line| line.starts_with("Base build ")), "{level:?} {said:?}");
            assert_eq!(said.last().unwrap(), "Done 1");
            assert_eq!(player.state(), AgentState::Playing);
        }
    }

    #[test]
    fn a_refusal_ends_it() {
        let mut player = player(Level::Expert);
        feed(&mut player, &["WELCOME", "ko"]);
        assert_eq!(player.state(), AgentState::Refused);
        assert!(player.words().contains("\"red\""), "{}", player.words());
        assert!(feed(&mut player, &LOGIN).is_empty());
    }

    #[test]
    fn other_rules_are_not_played() {
        let mut player = player(Level::Expert);
        let other = LOGIN[3].replace("version 2", "version 3");
        feed(&mut player, &["WELCOME", "0", "10 8", &other]);
        assert_eq!((player.state(), player.words().contains("version 3")), (AgentState::Refused, true));
    }

    #[test]
    fn a_draft_is_answered_with_one_of_the_starts() {
        let mut player = player(Level::Medium);
        feed(&mut player, &LOGIN);
        let said = feed(&mut player, &["start 3 1 1", "start 5 6 6", "go 0"]);
        assert!(["Place 3", "Place 5"].contains(&said[0].as_str()) && said[1] == "Done 0", "{said:?}");
        assert_eq!(feed(&mut player, &["go 0"]), ["Done 0"]);
    }

    #[test]
    fn the_end_is_told_in_words() {
        let mut player = player(Level::Easy);
        feed(&mut player, &LOGIN);
        feed(&mut player, &SNAPSHOT);
        feed(&mut player, &["dead"]);
        assert_eq!((player.words(), player.state()), ("beaten in turn 1".into(), AgentState::Playing));
        feed(&mut player, &["over 1 blue 310 2 red 245"]);
        assert_eq!(player.words(), "rank 2, score 245");
    }

    proptest! {
        #[test]
        fn whatever_the_server_sends_a_turn_is_answered_within_the_budget(
            picks in proptest::collection::vec(0usize..22, 0..300),
            level in proptest::sample::select(Level::value_variants()),
        ) {
            let odd_lines = [
                "unit 7 1 fighter 4 4 6 d", "unit 8 0 worker 4 5 5 -", "unit 9 0 sapper 9 7 6 -",
                "unit 4 0 cleric 0 0 4 e", "unit 5 0 fighter 900 900 6 -", "tile 900 4 1 plain bbbb -",
                "tile 9 7 1 forest b--- house", "tile 0 0 0 forest -r-- camp-pioneer", "turn 399", "go 7",
                "faction 0 red alive gold 9450 food 0 wood 90 bombs 3 land 30 pop 2 cap 8 kills 0 score 0 upkeep 50 \
                 base 900 5 slot worker 0",
                "dead",
            ];
            let lines = [&SNAPSHOT[..], &odd_lines[..]].concat();
            let mut player = player(level);
            feed(&mut player, &LOGIN);
            for pick in picks {
                let said = feed(&mut player, &[lines[pick]]);
                prop_assert!(said.is_empty() || said.last().unwrap().starts_with("Done "));
                prop_assert!(said.len() <= 40 + 10 * 6 + 1);
            }
        }
    }
}
