//! Records to look at.

use zappy_game::config::MatchConfig;
use zappy_game::{Input, SeatId};
use zappy_game_zappy::{Zappy, ZappyOptions};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName};
use zappy_server::record::{Recorder, header};

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
            if tick == 0 {
                game.hand_in(tick, SeatId(seat), Input::Open);
            }
            game.hand_in(tick, SeatId(seat), Input::Line(line.as_bytes()));
        }
        game.run_to(400);
        game.finish().1.unwrap()
    });
    records.into()
}
