//! Which game has which screen: the only file, beside the command line, that names a game.
//!
//! Tested in `tests/`.

use zappy_observer::app::observer::{GameScreen, GameScreens};
use zappy_observer::app::session::{NewLive, Session};
use zappy_observer::map_screen::MapGame as _;
use zappy_observer::plain;
use zappy_observer::timeline::record_file::WatchedRecord;
use zappy_screen_conquest::{self as conquest, ConquestMap};
use zappy_screen_zappy::{self as zappy, view::ZappyMap};

/// The screens of all games. A game that isn't named here has the plain one.
pub const GAMES: GameScreens = GameScreens { record, live, nothing, selectable: &SELECTABLE };

/// The words for what can be selected on any of these screens.
const SELECTABLE: [&str; 6] = ["player", "egg", "tile", "unit", "city", "faction"];

/// What may be shown beside what is shown anyway, in the words of the command line.
const SHOWN: [&str; 7] = ["charts", "dialogue", "help", "closing", "notes", "unspoiled", "world"];

/// The game of servers that name none in their first line.
const UNNAMED: &str = "zappy";

fn record(file: WatchedRecord) -> Box<dyn GameScreen> {
    let (game, rules_version) = (file.header.game.clone(), file.header.rules_version);
    match game.as_str() {
        "zappy" => Box::new(zappy::app::App::new(Session::show_record(file))),
        "conquest" => Box::new(conquest::App::new(Session::show_record(file))),
        _ => Box::new(plain::screen(Session::show_record(file), Some((game, rules_version)))),
    }
}

fn live(new: NewLive) -> Box<dyn GameScreen> {
    let game = new.game.clone().unwrap_or_else(|| UNNAMED.to_owned());
    match game.as_str() {
        "zappy" => Box::new(zappy::app::App::new(Session::watch(new))),
        "conquest" => Box::new(conquest::App::new(Session::watch(new))),
        _ => Box::new(plain::screen(Session::watch(new), None)),
    }
}

fn nothing() -> Box<dyn GameScreen> {
    Box::new(zappy::app::App::new(Session::nothing()))
}

/// Lets a text through that the screen of a game understands; the screen of another game ignores what it doesn't know.
///
/// # Errors
/// Says what may be given.
pub fn select(text: &str) -> Result<String, String> {
    if ZappyMap::selection(text).is_none() && ConquestMap::selection(text).is_none() {
        let remedy = "give player:N, egg:N or tile:X,Y; in conquest unit:N, city:X,Y or faction:N";
        return Err(remedy.to_owned());
    }
    Ok(text.to_owned())
}

/// Lets the name of something through that may be shown.
///
/// # Errors
/// Says what may be given.
pub fn show(text: &str) -> Result<String, String> {
    let known = SHOWN.contains(&text).then(|| text.to_owned());
    known.ok_or_else(|| format!("choose from {}", SHOWN.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_are_shown_by_name() {
        assert_eq!(show("charts").as_deref(), Ok("charts"));
        assert_eq!(show("world").as_deref(), Ok("world"));
        assert!(show("all").unwrap_err().contains("charts"));
    }
}
