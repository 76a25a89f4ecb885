//! Records to look at.

use zappy_game::config::MatchConfig;
use zappy_game::{Game, Input, SeatId};
use zappy_game_zappy::{Zappy, ZappyOptions};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::record::{Recorder, header};

fn advance(game: &mut impl Game, tick: Tick) {
    while let Some(due) = game.poll_timeout().filter(|&due| due <= tick) {
        game.handle_timeout(due);
        while game.poll_output().is_some() {}
    }
}

/// A record of a short match, of inputs and in full.
pub fn records() -> (Vec<u8>, Vec<u8>) {
    let teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    let config = MatchConfig::new(MapSize::new(5, 5).unwrap(), teams);
    let config = MatchConfig { seed: 7, max_ticks: Some(400), publish: true, ..config };
    let spec = ZappyOptions { slots: 3, ..ZappyOptions::default() }.spec(config).unwrap();
    let records = [RecordLevel::Inputs, RecordLevel::Full].map(|level| {
        let mut game = Recorder::new(Zappy::of(&spec), Vec::new(), &header(&spec, level));
        for (tick, seat, line) in
            [(0, 0, "red"), (0, 1, "blue"), (5, 0, "Forward"), (9, 1, "Broadcast hello")]
        {
            advance(&mut game, tick);
            if tick == 0 {
                game.handle_input(tick, SeatId(seat), Input::Open);
            }
            game.handle_input(tick, SeatId(seat), Input::Line(line.as_bytes()));
            while game.poll_output().is_some() {}
        }
        advance(&mut game, 400);
        game.finish().1.unwrap()
    });
    records.into()
}
