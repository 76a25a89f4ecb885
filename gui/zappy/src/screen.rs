//! What the command line chooses, in Zappy's words.
//!
//! Never draws. Tested in this module, in `tests/app.rs` and `gui/app/tests/pictures.rs`.

use zappy_protocol::Position;
use zappy_protocol::zappy::{EggId, PlayerId};

use super::app::action::{Panel, Selection};
use super::app::view::View;
use zappy_observer::app::watching::Chosen;

/// Reads `player:N`, `egg:N` or `tile:X,Y`.
///
/// # Errors
/// Says what may be given.
pub fn selection(text: &str) -> Result<Selection, String> {
    let remedy = || "give player:N, egg:N or tile:X,Y".to_owned();
    let (what, which) = text.split_once(':').ok_or_else(remedy)?;
    let id = || which.strip_prefix('#').unwrap_or(which).parse().map_err(|_| remedy());
    match what {
        "player" => Ok(Selection::Player(PlayerId(id()?))),
        "egg" => Ok(Selection::Egg(EggId(id()?))),
        "tile" => position(which).map(Selection::Tile),
        _ => Err(remedy()),
    }
}

/// The same words for what is selected.
pub fn named(selection: Selection) -> String {
    match selection {
        Selection::Player(player) => format!("player:{}", player.0),
        Selection::Egg(egg) => format!("egg:{}", egg.0),
        Selection::Tile(at) => format!("tile:{},{}", at.x, at.y),
    }
}

/// Reads `X,Y`.
///
/// # Errors
/// Says what may be given.
pub fn position(text: &str) -> Result<Position, String> {
    let parts = text.split_once(',').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
    parts.map(|(x, y)| Position { x, y }).ok_or_else(|| "give a tile as X,Y, such as 3,7".to_owned())
}

/// What may be shown beside what is shown anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// A panel that is closed at first.
    Panel(Panel),
    /// The world without any panel.
    World,
    /// What bots noted on tiles.
    Notes,
    /// Nothing that comes later than the moment shown.
    Unspoiled,
}

/// Reads the name of a panel, or `world`.
///
/// # Errors
/// Says what may be given.
pub fn extra(text: &str) -> Result<Extra, String> {
    Ok(match text {
        "charts" => Extra::Panel(Panel::Charts),
        "dialogue" => Extra::Panel(Panel::Dialogue),
        "help" => Extra::Panel(Panel::Help),
        "closing" => Extra::Panel(Panel::Closing),
        "world" => Extra::World,
        "notes" => Extra::Notes,
        "unspoiled" => Extra::Unspoiled,
        _ => return Err("choose from charts, dialogue, help, closing, notes, unspoiled, world".to_owned()),
    })
}

/// Takes over what was chosen before the first picture.
pub fn choose(view: &mut View, chosen: &Chosen) {
    view.selection = chosen.select.as_deref().and_then(|text| selection(text).ok());
    for extra in chosen.show.iter().filter_map(|text| extra(text).ok()) {
        match extra {
            Extra::Panel(panel) => drop(view.panels.insert(panel)),
            Extra::World => view.bare = true,
            Extra::Notes => view.notes = true,
            Extra::Unspoiled => view.unspoiled = true,
        }
    }
    if view.panels.contains(&Panel::Dialogue) && view.selection.is_none() {
        log::warn!("--show dialogue needs a player: add --select player:N");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_selected_is_named_by_kind_and_number() {
        assert_eq!(selection("player:#3"), Ok(Selection::Player(PlayerId(3))));
        assert_eq!(selection("egg:12"), Ok(Selection::Egg(EggId(12))));
        assert_eq!(selection("tile:3,7"), Ok(Selection::Tile(Position { x: 3, y: 7 })));
        for wrong in ["3", "player:", "player:x", "tile:3", "team:1"] {
            assert!(selection(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_selected_is_named_as_it_is_read() {
        for one in [
            Selection::Player(PlayerId(7)),
            Selection::Egg(EggId(3)),
            Selection::Tile(Position { x: 3, y: 9 }),
        ] {
            assert_eq!(selection(&named(one)), Ok(one));
        }
    }

    #[test]
    fn panels_are_shown_by_name() {
        assert_eq!(extra("charts"), Ok(Extra::Panel(Panel::Charts)));
        assert_eq!(extra("world"), Ok(Extra::World));
        assert!(extra("all").unwrap_err().contains("charts"));
    }
}
