//! Which game has which screen: the only file, beside the command line, that names a game.
//!
//! Tested in `tests/`.

use zappy_observer::app::observer::{GameScreen, Games};
use zappy_observer::app::session::{NewLive, Session};
use zappy_observer::plain;
use zappy_observer::timeline::record_file::RecordFile;
use zappy_screen_conquest as conquest;
use zappy_screen_zappy as zappy;

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
