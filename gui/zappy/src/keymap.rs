//! Which key does what, as one table: the window obeys it and the help overlay shows it.
//!
//! A key that is not in here does nothing. Tested in this module.

use crate::view::Topic;
use crate::view::{Choice, Panel, ZappyChoice};
use zappy_observer::app::action::Direction;
use zappy_observer::app::keymap::{self, Binding, BindingGroup, plain, shifted};
use zappy_observer::input::Keycap;

pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let g = BindingGroup::Time;
    let moments = vec![
        shifted(g, Keycap::N, "Shift N, N", "key moment before, next", Choice::KeyMoment(Previous)),
        plain(g, Keycap::N, "", "", Choice::KeyMoment(Next)),
        own(g, Keycap::L, "L", "hide what comes later", ZappyChoice::ToggleUnspoiled),
    ];
    let time = keymap::time(keymap::ticks(), moments);
    let words = "everybody's words in the world";
    let world = keymap::map(vec![own(BindingGroup::World, Keycap::W, "W", words, ZappyChoice::ToggleWords)]);
    let filters = vec![
        own(BindingGroup::Feed, Keycap::G, "G", "one team's, the next one's, all", ZappyChoice::CycleTeam),
        own(BindingGroup::Feed, Keycap::I, "I", "only the selected player's", ZappyChoice::FilterSelected),
    ];
    let feed = keymap::feed(filters, "1 … 7", Topic::ALL.map(ZappyChoice::ToggleTopic));
    let window = keymap::window(keymap::panels());
    [time, world, selection(), feed, window, keymap::server()].concat()
}

/// A key for what this screen alone offers.
fn own(
    group: BindingGroup,
    key: Keycap,
    keys: &'static str,
    says: &'static str,
    choice: ZappyChoice,
) -> Binding<Choice> {
    plain(group, key, keys, says, Choice::Own(choice))
}

fn selection() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let (g, refusal) = (BindingGroup::Selection, ZappyChoice::Refusal);
    let older = "older, newer lines of the dialogue";
    let mut all = vec![
        shifted(g, Keycap::Tab, "Shift Tab, Tab", "player before, next", Choice::SelectNext(Previous)),
        plain(g, Keycap::Tab, "", "", Choice::SelectNext(Next)),
    ];
    all.extend(keymap::cursor());
    all.extend([
        own(g, Keycap::Enter, "Enter", "the next one on the tile", ZappyChoice::SelectNextHere),
        plain(g, Keycap::F, "F", "follow", Choice::ToggleFollow),
        own(g, Keycap::P, "P", "pin the inspector", ZappyChoice::TogglePin),
        own(g, Keycap::V, "V", "vision", ZappyChoice::ToggleCone),
        own(g, Keycap::T, "T", "trail", ZappyChoice::ToggleTrail),
        plain(g, Keycap::D, "D", "dialogue with the server (records)", Choice::Toggle(Panel::Dialogue)),
        own(g, Keycap::B, "B", "others' broadcasts in the dialogue", ZappyChoice::ToggleHeard),
        Binding { shift: true, ..own(g, Keycap::U, "Shift U, U", "refusal before, next", refusal(Previous)) },
        own(g, Keycap::U, "", "", refusal(Next)),
        shifted(g, Keycap::PageUp, "Shift PgUp PgDn", older, Choice::DialogueMove(10)),
        shifted(g, Keycap::PageDown, "", "", Choice::DialogueMove(-10)),
        plain(g, Keycap::Escape, "Escape", "close, or select nothing", Choice::Escape),
    ]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::UserAction;
    use zappy_observer::input::Mods;

    use zappy_observer::app::action::Control;

    fn action(key: Keycap, mods: Mods) -> Option<UserAction> {
        keymap::action(bindings(), key, mods)
    }

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
        for (group, title) in BindingGroup::ALL {
            let first = all.iter().find(|b| b.group == group).unwrap();
            assert!(!first.keys.is_empty() && !first.says.is_empty());
            assert!(!title.is_empty());
        }
        assert!(all.iter().all(|b| b.keys.is_empty() == b.says.is_empty()));
    }

    #[test]
    fn keys_do_what_the_table_says() {
        let held = |shift, ctrl| Mods { shift, ctrl, alt: false };
        assert_eq!(action(Keycap::Space, held(false, false)), Some(Control::TogglePlay.into()));
        assert_eq!(action(Keycap::Comma, held(true, false)), Some(Control::Step(-20).into()));
        assert_eq!(
            action(Keycap::Up, held(false, true)),
            Some(Control::ServerFaster(Direction::Next).into())
        );
        assert_eq!(action(Keycap::Space, held(false, true)), None);
    }
}
