//! Clients that misbehave, against every game of the house: each costs others nothing, and no record is lost.

mod memory;
#[allow(dead_code, reason = "this test uses a part of it")]
#[path = "../process/mod.rs"]
mod process;
#[cfg(unix)]
mod sockets;

use zappy_game::find;
use zappy_server::games::GAMES;

/// A game, and what its clients say.
#[derive(Debug, Clone, Copy)]
pub struct House {
    /// Its name.
    pub game: &'static str,
    /// Flags with which its time doesn't end what a test looks at.
    pub flags: &'static str,
    /// Options to the same end.
    pub options: &'static [(&'static str, &'static str)],
    /// How many lines follow a player's name.
    pub welcome: usize,
    /// A line that a player may send at any time, also a hundred times.
    pub question: &'static str,
    /// How the answer begins.
    pub answer: &'static str,
    /// The option that a record of a match in the game has.
    pub option: &'static str,
}

/// Every game of the house.
pub const HOUSES: [House; 2] = [
    House {
        game: "zappy",
        flags: "-f 100",
        options: &[],
        welcome: 2,
        question: "Connect_nbr",
        answer: "5",
        option: "\noption clients 6\n",
    },
    House {
        game: "conquest",
        flags: "--turn-time 3600000",
        options: &[("turn-time", "400"), ("turns", "100000")],
        welcome: 3,
        question: "Done 999999",
        answer: "ko ",
        option: "\noption mode concurrent\n",
    },
];

impl House {
    /// Lines that do something.
    fn lines(&self) -> &'static [&'static str] {
        find(GAMES, self.game).unwrap().samples
    }
}

#[test]
fn no_game_of_the_house_is_left_out() {
    let games = GAMES.iter().map(|game| game.name);
    assert!(games.eq(HOUSES.iter().map(|house| house.game)));
}
