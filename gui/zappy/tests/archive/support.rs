//! Matches played in the process, by players who do anything.

use std::io::Write;

use tempfile::NamedTempFile;
use zappy_game::config::MatchConfig;
use zappy_game::{Input, SeatId};
use zappy_game_zappy::{Zappy, ZappyOptions};
use zappy_observer::timeline::record_file::WatchedRecord;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::record::{Recorder, header};

/// A generator for what players do.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// What is played.
pub struct Match {
    pub side: u16,
    pub seats: u32,
    pub ticks: Tick,
    pub seed: u64,
    pub level: RecordLevel,
}

impl Match {
    /// A small match that is long enough for several keyframes.
    pub fn small(seed: u64) -> Match {
        Match { side: 6, seats: 24, ticks: 9_000, seed, level: RecordLevel::Full }
    }
}

/// The record of a match. Players walk, take, quarrel, lay eggs, leave; eggs hatch; incantations are held.
pub fn record(played: &Match) -> Vec<u8> {
    let teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    let spec = ZappyOptions { slots: played.seats.div_ceil(2), ..ZappyOptions::default() }
        .spec(MatchConfig {
            seed: played.seed,
            publish: true,
            max_ticks: Some(played.ticks),
            ..MatchConfig::new(MapSize::new(played.side, played.side).unwrap(), teams)
        })
        .unwrap();
    let mut game = Recorder::new(Zappy::of(&spec), Vec::new(), &header(&spec, played.level));
    let mut dice = Dice(played.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut seats = 0..0;
    for now in (0..played.ticks).step_by(3) {
        game.run_to(now);
        if seats.len() < played.seats as usize || dice.below(40) == 0 {
            let team: &[u8] = if seats.end % 2 == 0 { b"red" } else { b"blue" };
            game.hand_in(now, SeatId(seats.end), Input::Open);
            game.hand_in(now, SeatId(seats.end), Input::Line(team));
            seats.end += 1;
        }
        if dice.below(60) == 0 {
            let (x, y) = (dice.below(played.side.into()), dice.below(played.side.into()));
            let level = dice.below(2) + 1;
            let line = format!("/incantate {level} {x} {y}");
            game.hand_in(now, SeatId::CONSOLE, Input::Line(line.as_bytes()));
        }
        for _ in 0..played.seats.div_ceil(3) {
            let seat = u32::try_from(dice.below(seats.end.into())).unwrap();
            let line = command(&mut dice);
            game.hand_in(now, SeatId(seat), Input::Line(line.as_bytes()));
        }
    }
    game.run_to(played.ticks);
    game.finish().1.unwrap()
}

fn command(dice: &mut Dice) -> &'static str {
    const COMMANDS: [&str; 20] = [
        "Forward",
        "Forward",
        "Forward",
        "Left",
        "Right",
        "Look",
        "Inventory",
        "Take food",
        "Take food",
        "Take food",
        "Take linemate",
        "Set linemate",
        "Incantation",
        "Broadcast over \\ here \u{e9}",
        "Fork",
        "Eject",
        "Connect_nbr",
        "nonsense",
        "Take sibur",
        "Set food",
    ];
    COMMANDS[usize::try_from(dice.below(COMMANDS.len() as u64)).unwrap()]
}

/// The bytes in a file that vanishes with the test.
pub fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// The bytes, opened.
pub fn opened(bytes: &[u8]) -> WatchedRecord {
    WatchedRecord::open(file(bytes).path()).unwrap()
}
