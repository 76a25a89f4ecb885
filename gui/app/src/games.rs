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

/// The words that `--show` takes: panels and marks that aren't shown by default, and two views with less in them.
const SHOW_WORDS: [&str; 7] = ["charts", "dialogue", "help", "closing", "notes", "unspoiled", "world"];

/// The game of a server that names none in its first line.
const UNNAMED_GAME: &str = "zappy";

fn record(file: WatchedRecord) -> Box<dyn GameScreen> {
    let (game, rules_version) = (file.header.game.clone(), file.header.rules_version);
    match game.as_str() {
        "zappy" => Box::new(zappy::app::App::new(Session::show_record(file))),
        "conquest" => Box::new(conquest::App::new(Session::show_record(file))),
        _ => Box::new(plain::screen(Session::show_record(file), Some((game, rules_version)))),
    }
}

fn live(new: NewLive) -> Box<dyn GameScreen> {
    let game = new.game.clone().unwrap_or_else(|| UNNAMED_GAME.to_owned());
    match game.as_str() {
        "zappy" => Box::new(zappy::app::App::new(Session::watch(new))),
        "conquest" => Box::new(conquest::App::new(Session::watch(new))),
        _ => Box::new(plain::screen(Session::watch(new), None)),
    }
}

fn nothing() -> Box<dyn GameScreen> {
    Box::new(zappy::app::App::new(Session::nothing()))
}

/// Checks the value of `--select`: at least one game's screen must understand it; the others ignore it.
///
/// # Errors
/// Says what may be given.
pub fn parse_selection(text: &str) -> Result<String, String> {
    if ZappyMap::selection(text).is_none() && ConquestMap::selection(text).is_none() {
        let remedy = "give player:N, egg:N or tile:X,Y; in conquest unit:N, city:X,Y or faction:N";
        return Err(remedy.to_owned());
    }
    Ok(text.to_owned())
}

/// Checks one word of `--show`.
///
/// # Errors
/// Says what may be given.
pub fn parse_shown(text: &str) -> Result<String, String> {
    let known = SHOW_WORDS.contains(&text).then(|| text.to_owned());
    known.ok_or_else(|| format!("choose from {}", SHOW_WORDS.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_are_shown_by_name() {
        assert_eq!(parse_shown("charts").as_deref(), Ok("charts"));
        assert_eq!(parse_shown("world").as_deref(), Ok("world"));
        assert!(parse_shown("all").unwrap_err().contains("charts"));
    }
}
