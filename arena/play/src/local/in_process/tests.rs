//! A match in one process is bounded, and what can't be played is refused.

use std::io;

use zappy_game::config::MatchConfig;
use zappy_game::{Admission, Input, Line, Output, Report, SeatId};
use zappy_game_zappy::ZappyOptions;
use zappy_protocol::{MapSize, TeamName};
use zappy_server::games::GAMES;

use super::*;
use crate::local::bot::LocalBot;
use crate::local::zappy::GUEST;

/// A game that lets every connection in and never ends.
struct Endless {
    outputs: Vec<Output>,
    due: Option<Tick>,
}

impl Hosted for Endless {}

impl Game for Endless {
    fn handle_input(&mut self, _: Tick, seat: SeatId, input: Input<'_>) {
        match input {
            Input::Open => self.outputs.push(Output::Send(seat, Line::new(b"WELCOME".to_vec()))),
            Input::Line(_) => self.outputs.push(Output::Admit(seat)),
            _ => {}
        }
    }
    fn handle_timeout(&mut self, _: Tick) {}
    fn poll_timeout(&self) -> Option<Tick> {
        self.due
    }
    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop()
    }
    fn room(&self, _: u32) -> usize {
        1
    }

    fn admission(&self, _: &[u8]) -> Admission {
        Admission::Plays(0)
    }
    fn owing(&self, _: &mut Vec<SeatId>) {}
    fn snapshot(&self, _: Option<u64>, _: &mut Vec<Line>) {}
    fn digest(&self) -> u64 {
        0
    }
    fn welcome_back(&self, _: SeatId, _: &mut Vec<Line>) {}
    fn report(&self) -> Report {
        let verdict = Verdict { reason: "endless", standings: Vec::new(), won: false, by_lot: false };
        Report { ticks: 0, verdict, teams: Vec::new() }
    }
    fn line_limit(&self, _: SeatId) -> u32 {
        10
    }
}

fn in_process(crews: &[usize]) -> InProcessMatch {
    let names = ["red", "blue", "green"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
    let teams = names[..crews.len()].to_vec();
    let config =
        MatchConfig { seed: 3, max_ticks: Some(200), ..MatchConfig::new(MapSize::new(8, 8).unwrap(), teams) };
    let spec = ZappyOptions::default().spec(config).unwrap();
    let crew = |(team, players): (&TeamName, &usize)| {
        LocalBot::plain(team.clone(), &GUEST).crew(5, 0, *players).unwrap()
    };
    let crews = spec.config.teams.iter().zip(crews).map(crew).collect();
    InProcessMatch { spec, crews, level: RecordLevel::Inputs }
}

fn play_endless(due: Option<Tick>) -> InProcessError {
    let outputs = vec![Output::Gate(true), Output::SetTickRate(std::num::NonZeroU32::new(100))];
    let mut game = Endless { outputs, due };
    let in_process = in_process(&[1]);
    let setup = setup(&in_process.spec, &*in_process.spec.begin().unwrap(), &[1]);
    let mut session = Session::new(Shell::new(&mut game, &setup).unwrap());
    session.turn_limit = 20;
    in_process.crews.into_iter().flatten().for_each(|agent| session.enter(agent, None));
    session.play(&AtomicBool::new(false)).unwrap_err()
}

#[test]
fn a_match_in_which_no_player_moves_is_given_up() {
    assert!(matches!(play_endless(None), InProcessError::Stuck(0)));
}

#[test]
fn a_tick_that_does_not_end_is_given_up() {
    assert!(matches!(play_endless(Some(7)), InProcessError::Endless(7, 21)));
}

#[test]
fn what_cannot_be_played_is_refused() {
    let play = |in_process: InProcessMatch| {
        in_process.play(io::sink(), &AtomicBool::new(false)).map(|played| played.ticks)
    };
    let mut no_ticks = in_process(&[1]);
    no_ticks.spec.config.max_ticks = Some(0);
    assert!(matches!(play(no_ticks), Err(InProcessError::Config(_))));
}

#[test]
fn a_team_may_be_absent_and_a_player_without_a_slot_leaves() {
    let played = in_process(&[0, 9]).play(Vec::new(), &AtomicBool::new(false)).unwrap();
    let teams = &played.result.teams;
    let players = teams[1].details["players"].as_array().unwrap();
    let founders = players.iter().filter(|player| player["born"] == 0).count();
    assert_eq!((played.ticks, teams[0].conduct.joined, founders), (200, 0, 6));
    assert_eq!(played.result.not_reproducible, [""; 0]);
    record::verify(&played.record, GAMES).unwrap();
}

#[test]
fn a_stop_ends_it_in_order() {
    let played = in_process(&[1, 1]).play(Vec::new(), &AtomicBool::new(true)).unwrap();
    assert!(played.stopped && !played.verdict.won);
    record::verify(&played.record, GAMES).unwrap();
}
