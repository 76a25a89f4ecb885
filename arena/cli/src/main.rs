//! The binary: the arena with the games of the server's table.

use std::process::ExitCode;

use zappy_play::local::{conquest, zappy};
use zappy_play::world::{Games, Guest};
use zappy_records::RecordRooms;
use zappy_server::games::GAMES;

static GUESTS: &[&Guest] = &[&zappy::GUEST, &conquest::GUEST];
static ROOMS: RecordRooms = &[&zappy_records::zappy::ROOM, &zappy_records::conquest::ROOM];

fn main() -> ExitCode {
    zappy_arena::run(Games { specs: GAMES, guests: GUESTS }, ROOMS)
}
