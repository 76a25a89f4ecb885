//! A record of the tests' tiny game, which has no screen of its own.

use zappy_game::config::MatchConfig;
use zappy_game::{Input, MatchSpec, SeatId};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName};
use zappy_server::record::{Recorder, header};

#[path = "../../../../server/tests/tiny/game.rs"]
mod game;

/// The turns of the match: blue wins the second one, red the others.
pub const TURNS: [(u32, u32); 5] = [(9, 5), (3, 8), (7, 7), (6, 1), (2, 1)];

/// The record of a match in which red and blue say these numbers and red wins at last, at tick 50.
pub fn record() -> Vec<u8> {
    let teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    let config =
        MatchConfig { seed: 7, publish: true, ..MatchConfig::new(MapSize::new(10, 10).unwrap(), teams) };
    let spec = MatchSpec::new(&game::SPEC, config);
    let mut game = Recorder::new(spec.begin().unwrap(), Vec::new(), &header(&spec, RecordLevel::Full));
    let mut hand_in = |now, seat, input: Input<'_>| game.hand_in(now, SeatId(seat), input);
    for (seat, team) in [(0, "red"), (1, "blue")] {
        hand_in(0, seat, Input::Open);
        hand_in(0, seat, Input::Line(team.as_bytes()));
    }
    for (turn, (red, blue)) in (0..).zip(TURNS) {
        hand_in(turn * 10 + 1, 0, Input::Line(red.to_string().as_bytes()));
        hand_in(turn * 10 + 2, 1, Input::Line(blue.to_string().as_bytes()));
    }
    hand_in(60, 0, Input::Closed);
    game.finish().1.unwrap()
}
