//! Clients that misbehave, against every game of the house: each costs others nothing, and no record is lost.

mod memory;
#[allow(dead_code, reason = "this test uses a part of it")]
#[path = "../process/mod.rs"]
mod process;
#[cfg(unix)]
mod sockets;

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
    /// Lines that do something.
    pub lines: &'static [&'static str],
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
        lines: &[
            "Forward",
            "Look",
            "Inventory",
            "Broadcast a b",
            "Fork",
            "Incantation",
            "Take food",
            "Eject",
        ],
        option: "\noption clients 6\n",
    },
    House {
        game: "conquest",
        flags: "--turn-time 3600000",
        options: &[("turn-time", "400"), ("turns", "100000")],
        welcome: 3,
        question: "Done 999999",
        answer: "ko ",
        lines: &[
            "Base income",
            "Base build pioneer",
            "Unit 0 conquer",
            "Unit 1 travel 3 3",
            "Unit 2 retire",
            "City 1 1 recruit worker",
            "Place 0",
            "Done 1",
        ],
        option: "\noption mode concurrent\n",
    },
];

#[test]
fn no_game_of_the_house_is_left_out() {
    let games = zappy_server::games::GAMES.iter().map(|game| game.name);
    assert!(games.eq(HOUSES.iter().map(|house| house.game)));
}
