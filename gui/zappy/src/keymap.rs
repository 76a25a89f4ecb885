//! Which key does what, as one table: the window obeys it and the help overlay shows it.
//!
//! A key that is not in here does nothing. Tested in this module.

use super::action::{Action, Choice, Panel};
use crate::action::ZappyChoice;
use crate::timeline::topic::Topic;
use zappy_observer::app::action::Direction;
use zappy_observer::app::keymap::{self, Binding, Group, plain, shifted};
use zappy_observer::input::{Key, Mods};

/// What the mouse does, for the help overlay.
pub const MOUSE: [(&str, &str); 7] = [
    ("Click", "select; again: the next one on the tile"),
    ("Double click", "follow a player"),
    ("Drag", "move the view; on the timeline: seek"),
    ("Wheel", "zoom about the cursor; over a list: scroll"),
    ("Right click", "clear the selection"),
    ("Click an event", "go to its place and moment"),
    ("Drop a file", "open a record"),
];

pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let moments = vec![
        shifted(Group::Time, Key::N, "Shift N, N", "key moment before, next", Choice::KeyMoment(Previous)),
        plain(Group::Time, Key::N, "", "", Choice::KeyMoment(Next)),
        plain(Group::Time, Key::L, "L", "hide what comes later", Choice::Own(ZappyChoice::ToggleUnspoiled)),
    ];
    let time = keymap::time(keymap::ticks(), moments);
    let own = |group, key, keys, says, choice| plain(group, key, keys, says, Choice::Own(choice));
    let words = "everybody's words in the world";
    let world = keymap::map(vec![own(Group::World, Key::W, "W", words, ZappyChoice::ToggleWords)]);
    let filters = vec![
        own(Group::Feed, Key::G, "G", "one team's, the next one's, all", ZappyChoice::CycleTeam),
        own(Group::Feed, Key::I, "I", "only the selected player's", ZappyChoice::FilterSelected),
    ];
    let feed = keymap::feed(filters, "1 … 7", Topic::ALL.map(ZappyChoice::ToggleTopic));
    let window = keymap::window(keymap::panels());
    [time, world, selection(), feed, window, keymap::server()].concat()
}

pub fn action(key: Key, mods: Mods) -> Option<Action> {
    keymap::action(bindings(), key, mods)
}

fn selection() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let g = Group::Selection;
    let mut all = vec![
        shifted(g, Key::Tab, "Shift Tab, Tab", "player before, next", Choice::SelectNext(Previous)),
        plain(g, Key::Tab, "", "", Choice::SelectNext(Next)),
    ];
    all.extend(keymap::cursor());
    all.extend([
        plain(g, Key::Enter, "Enter", "the next one on the tile", Choice::Own(ZappyChoice::SelectNextHere)),
        plain(g, Key::F, "F", "follow", Choice::ToggleFollow),
        plain(g, Key::P, "P", "pin the inspector", Choice::Own(ZappyChoice::TogglePin)),
        plain(g, Key::V, "V", "vision", Choice::Own(ZappyChoice::ToggleCone)),
        plain(g, Key::T, "T", "trail", Choice::Own(ZappyChoice::ToggleTrail)),
        plain(g, Key::D, "D", "dialogue with the server (records)", Choice::Toggle(Panel::Dialogue)),
        plain(g, Key::B, "B", "others' broadcasts in it", Choice::Own(ZappyChoice::ToggleHeard)),
        shifted(g, Key::U, "Shift U, U", "refusal before, next", Choice::Own(ZappyChoice::Refusal(Previous))),
        plain(g, Key::U, "", "", Choice::Own(ZappyChoice::Refusal(Next))),
        shifted(g, Key::PageUp, "Shift PgUp PgDn", "older, newer lines of it", Choice::DialogueMove(10)),
        shifted(g, Key::PageDown, "", "", Choice::DialogueMove(-10)),
        plain(g, Key::Escape, "Escape", "close, or select nothing", Choice::Escape),
    ]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_observer::app::action::Control;

    #[test]
    fn no_key_does_two_things() {
        let all = bindings();
        for (place, one) in all.iter().enumerate() {
            let twice =
                all[..place].iter().any(|b| (b.key, b.shift, b.ctrl) == (one.key, one.shift, one.ctrl));
            assert!(!twice, "{:?} shift {} ctrl {}", one.key, one.shift, one.ctrl);
        }
    }

    #[test]
    fn every_key_is_in_the_help_or_beside_one_of_its_group() {
        let all = bindings();
        for group in Group::ALL {
            let first = all.iter().find(|b| b.group == group).unwrap();
            assert!(!first.keys.is_empty() && !first.says.is_empty());
            assert!(!group.title().is_empty());
        }
        assert!(all.iter().all(|b| b.keys.is_empty() == b.says.is_empty()));
    }

    #[test]
    fn keys_do_what_the_table_says() {
        let held = |shift, ctrl| Mods { shift, ctrl, alt: false };
        assert_eq!(action(Key::Space, held(false, false)), Some(Control::TogglePlay.into()));
        assert_eq!(action(Key::Comma, held(true, false)), Some(Control::Step(-20).into()));
        assert_eq!(action(Key::Up, held(false, true)), Some(Control::ServerFaster(Direction::Next).into()));
        assert_eq!(action(Key::Space, held(false, true)), None);
    }
}
