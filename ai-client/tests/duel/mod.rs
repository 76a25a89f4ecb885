//! A whole match of conquest in one process: agents against the real rules, without sockets and clocks.
//!
//! What the game sends is read at once, and what agents send arrives at once. Everything is a function of the
//! configuration and the seeds.

use std::collections::VecDeque;

use zappy_ai::agent::{Action, Agent as _};
use zappy_ai::conquest::agent::{Player, Setup};
use zappy_ai::conquest::level::Level;
use zappy_game::config::MatchConfig;
use zappy_game::{Game, Input, MatchSpec, Output, SeatId, TeamReport, Verdict};
use zappy_protocol::conquest::player::ServerLine;
use zappy_protocol::line::Decoded;
use zappy_protocol::{MapSize, TeamName};

/// What is played.
#[derive(Debug, Clone)]
pub struct Duel<'a> {
    /// The side of the map, in tiles.
    pub side: u16,
    pub seed: u64,
    /// How the factions play, in their order.
    pub levels: Vec<Level>,
    /// Options of the game.
    pub options: Vec<(&'a str, &'a str)>,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// The turns that were played.
    pub turns: u32,
    /// The score of each faction at the begin of each turn.
    pub scores: Vec<Vec<i64>>,
    /// The land of each faction at the end, in tiles.
    pub land: Vec<u64>,
    pub digest: u64,
}

/// Milliseconds of a phase, so that ticks tell turns.
const TURN_TIME: &str = "0";

impl Duel<'_> {
    pub fn name(faction: usize) -> TeamName {
        TeamName::parse(format!("faction{faction}").as_bytes()).unwrap()
    }

    /// Plays the match to its end.
    pub fn play(&self) -> Outcome {
        let names = (0..self.levels.len()).map(Duel::name).collect();
        let map = MapSize::new(self.side, self.side).unwrap();
        let config = MatchConfig { seed: self.seed, ..MatchConfig::new(map, names) };
        let options = [("turn-time", TURN_TIME)].into_iter().chain(self.options.iter().copied());
        let mut game =
            MatchSpec::new(&zappy_game_conquest::SPEC, config).with(options).unwrap().begin().unwrap();
        let setup = |(i, &level)| Setup { team: Duel::name(i), seed: self.seed, level };
        let mut players: Vec<Player> = self.levels.iter().enumerate().map(setup).map(Player::new).collect();
        let mut waiting: VecDeque<(SeatId, Vec<u8>)> = VecDeque::new();
        let mut scores: Vec<Vec<i64>> = Vec::new();
        for seat in 0..players.len() {
            game.handle_input(0, SeatId(u32::try_from(seat).unwrap()), Input::Open);
        }
        loop {
            while let Some(output) = game.poll_output() {
                match output {
                    Output::Send(seat, lines) => {
                        let player = &mut players[seat.0 as usize];
                        for line in lines.lines() {
                            note(&mut scores, self.levels.len(), line);
                            player.handle_line(Decoded::Line(line));
                        }
                        while let Some(Action::Send(line)) = player.poll_action() {
                            waiting.push_back((seat, line));
                        }
                    }
                    Output::Finished(verdict) => {
                        let land = |team: TeamReport| team.details["land"].as_u64().unwrap();
                        let land = game.report().teams.into_iter().map(land).collect();
                        let turns = u32::try_from(scores.len()).unwrap();
                        return Outcome { verdict, turns, scores, land, digest: game.digest() };
                    }
                    _ => {}
                }
            }
            match waiting.pop_front() {
                Some((seat, line)) => game.handle_input(0, seat, Input::Line(&line)),
                None => game.handle_timeout(game.poll_timeout().expect("it ends")),
            }
        }
    }
}

/// Notes what a line of a snapshot tells of turns and scores.
fn note(scores: &mut Vec<Vec<i64>>, factions: usize, line: &[u8]) {
    if !line.starts_with(b"turn ") && !line.starts_with(b"faction ") {
        return;
    }
    match (ServerLine::parse(line), scores.last_mut()) {
        (Ok(ServerLine::Turn(turn)), _) => scores.resize(turn as usize, vec![0; factions]),
        (Ok(ServerLine::Own { faction, holdings, .. }), Some(now)) => now[faction.index()] = holdings.score,
        (Ok(ServerLine::Other { faction, score, .. }), Some(now)) => now[faction.index()] = score,
        _ => {}
    }
}
