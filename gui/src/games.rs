//! Which game has which screen: the only file of the library, beside the games' own rooms, that names a game.
//!
//! Tested in `tests/observer.rs` and `tests/plain.rs`.

use crate::app::observer::{GameScreen, Games};
use crate::app::session::{NewLive, Session};
use crate::timeline::record_file::RecordFile;
use crate::{conquest, plain, zappy};

/// The screens of all games. A game that isn't named here has the plain one.
pub const GAMES: Games = Games { record, live, nothing };

/// The game of servers that name none in their first line.
const UNNAMED: &str = "zappy";

fn record(file: RecordFile) -> Box<dyn GameScreen> {
    let (game, rules_version) = (file.header().game.clone(), file.header().rules_version);
    match game.as_str() {
        "zappy" => Box::new(zappy::app::App::new(Session::show_record(file))),
        "conquest" => Box::new(conquest::App::new(Session::show_record(file))),
        _ => Box::new(plain::App::new(Session::show_record(file), &game, Some(rules_version))),
    }
}

fn live(new: NewLive) -> Box<dyn GameScreen> {
    let game = new.game.clone().unwrap_or_else(|| UNNAMED.to_owned());
    match game.as_str() {
        "zappy" => Box::new(zappy::app::App::new(Session::watch(new))),
        "conquest" => Box::new(conquest::App::new(Session::watch(new))),
        _ => Box::new(plain::App::new(Session::watch(new), &game, None)),
    }
}

fn nothing() -> Box<dyn GameScreen> {
    Box::new(zappy::app::App::new(Session::nothing()))
}
