//! Which key does what, as one table: the window obeys it and the help overlay shows it.
//!
//! A key that is not in here does nothing. Tested in this module.

use crate::view::{Choice, Panel, Topic, ZappyChoice};
use zappy_observer::app::action::Direction;
use zappy_observer::app::keymap::{self, Binding, BindingGroup, plain, shifted};
use zappy_observer::input::Keycap;

pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let (t, s, f) = (BindingGroup::Time, BindingGroup::Selection, BindingGroup::Feed);
    let refusal = ZappyChoice::Refusal;
    let moments = vec![
        shifted(t, Keycap::N, "Shift N, N", "key moment before, next", Choice::KeyMoment(Previous)),
        plain(t, Keycap::N, "", "", Choice::KeyMoment(Next)),
        plain(t, Keycap::L, "L", "hide what comes later", ZappyChoice::ToggleUnspoiled),
    ];
    let words = "everybody's words in the world";
    let own = vec![plain(BindingGroup::World, Keycap::W, "W", words, ZappyChoice::ToggleWords)];
    let players = vec![
        shifted(s, Keycap::Tab, "Shift Tab, Tab", "player before, next", Choice::SelectNext(Previous)),
        plain(s, Keycap::Tab, "", "", Choice::SelectNext(Next)),
    ];
    let older = "older, newer lines of the dialogue";
    let selection = vec![
        plain(s, Keycap::Enter, "Enter", "the next one on the tile", ZappyChoice::SelectNextHere),
        plain(s, Keycap::F, "F", "follow", Choice::ToggleFollow),
        plain(s, Keycap::P, "P", "pin the inspector", ZappyChoice::TogglePin),
        plain(s, Keycap::V, "V", "vision", ZappyChoice::ToggleCone),
        plain(s, Keycap::T, "T", "trail", ZappyChoice::ToggleTrail),
        plain(s, Keycap::D, "D", "dialogue with the server (records)", Choice::Toggle(Panel::Dialogue)),
        plain(s, Keycap::B, "B", "others' broadcasts in the dialogue", ZappyChoice::ToggleHeard),
        shifted(s, Keycap::U, "Shift U, U", "refusal before, next", refusal(Previous)),
        plain(s, Keycap::U, "", "", refusal(Next)),
        shifted(s, Keycap::PageUp, "Shift PgUp PgDn", older, Choice::DialogueMove(10)),
        shifted(s, Keycap::PageDown, "", "", Choice::DialogueMove(-10)),
        plain(s, Keycap::Escape, "Escape", "close, or select nothing", Choice::Escape),
    ];
    let filters = vec![
        plain(f, Keycap::G, "G", "one team's, the next one's, all", ZappyChoice::CycleTeam),
        plain(f, Keycap::I, "I", "only the selected player's", ZappyChoice::FilterSelected),
    ];
    let feed = keymap::feed(filters, "1 … 7", Topic::ALL.map(ZappyChoice::ToggleTopic));
    let (time, world) = (keymap::time(keymap::ticks(), moments), keymap::map(own));
    let (window, server) = (keymap::window(keymap::panels()), keymap::server());
    [time, world, players, keymap::cursor(), selection, feed, window, server].concat()
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
        assert_eq!(action(Keycap::Up, held(false, true)), Some(Control::ServerRate(Direction::Next).into()));
        assert_eq!(action(Keycap::Space, held(false, true)), None);
    }
}
