//! The words in which the command line and links name what is selected. Tested in this module.

use zappy_protocol::zappy::{EggId, PlayerId};

use super::action::Selection;
use zappy_observer::app::link::position;

/// Reads `player:N`, `egg:N` or `tile:X,Y`.
pub fn selection(text: &str) -> Option<Selection> {
    let (what, which) = text.split_once(':')?;
    let id = || which.strip_prefix('#').unwrap_or(which).parse().ok();
    match what {
        "player" => id().map(PlayerId).map(Selection::Player),
        "egg" => id().map(EggId).map(Selection::Egg),
        "tile" => position(which).map(Selection::Tile),
        _ => None,
    }
}

/// The words by which a command line selects this.
pub fn named(selection: Selection) -> String {
    match selection {
        Selection::Player(player) => format!("player:{}", player.0),
        Selection::Egg(egg) => format!("egg:{}", egg.0),
        Selection::Tile(at) => format!("tile:{},{}", at.x, at.y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::Position;

    #[test]
    fn what_is_selected_is_named_by_kind_and_number() {
        assert_eq!(selection("player:#3"), Some(Selection::Player(PlayerId(3))));
        assert_eq!(selection("egg:12"), Some(Selection::Egg(EggId(12))));
        assert_eq!(selection("tile:3,7"), Some(Selection::Tile(Position { x: 3, y: 7 })));
        for wrong in ["3", "player:", "player:x", "tile:3", "team:1"] {
            assert!(selection(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_is_selected_is_named_as_it_is_read() {
        for one in [
            Selection::Player(PlayerId(7)),
            Selection::Egg(EggId(3)),
            Selection::Tile(Position { x: 3, y: 9 }),
        ] {
            assert_eq!(selection(&named(one)), Some(one));
        }
    }
}
