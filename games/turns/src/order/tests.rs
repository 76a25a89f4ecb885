//! Laws of the turn order that hold whatever is tried: a refused step changes nothing, no step is taken for a player
//! that may not act, every step terminates.

use super::*;
use proptest::prelude::*;

fn acts() -> Acts {
    let turns = |policy| Turns { policy, ..Turns::default() };
    let act = |next: Option<&str>, turns| Act { next: next.map(str::to_owned), turns };
    let once = Turns { active: Some(ActiveSet::once(Members::All)), ..turns(Policy::all(Succession::Reset)) };
    let few = Turns { min: 1, max: 3, ..turns(Policy::listed(vec![2, 0, 2], Succession::Reset)) };
    let acts = [
        ("draft", act(Some("war"), Some(turns(Policy::all(Succession::Once))))),
        ("war", act(Some("draft"), Some(few))),
        ("vote", act(None, Some(once))),
        ("rest", act(Some("vote"), Some(turns(Policy::all(Succession::Continue))))),
    ];
    let acts = acts.map(|(name, act)| (name.to_owned(), act)).into();
    Acts { turns: turns(Policy::default()), acts, start: Some("draft".to_owned()) }
}

/// One step that a test tries: a move (by, counted, events), or an event alone.
#[derive(Debug, Clone)]
enum Try {
    Play(Player, bool, Vec<Event>),
    Raise(Player, Event),
}

fn event() -> impl Strategy<Value = Event> {
    let name = prop_oneof![Just("draft"), Just("war"), Just("vote"), Just("rest"), Just("nowhere")];
    let members = prop_oneof![
        Just(Members::All),
        Just(Members::Others),
        prop::collection::vec(0usize..5, 0..4).prop_map(Members::List)
    ];
    prop_oneof![
        prop::option::of(0usize..6).prop_map(Event::EndTurn),
        any::<bool>().prop_map(Event::Pass),
        Just(Event::EndAct),
        name.prop_map(|name| Event::SetAct(name.to_owned())),
        (members, 0u32..2, 0u32..3).prop_map(|(members, min, max)| {
            Event::SetActive(ActiveSet { members, member: Active { word: None, min, max } })
        }),
    ]
}

fn tries() -> impl Strategy<Value = Vec<Try>> {
    let one = prop_oneof![
        4 => (0usize..6, any::<bool>(), prop::collection::vec(event(), 0..3)).prop_map(|(p, c, e)| Try::Play(p, c, e)),
        4 => (0usize..6, event()).prop_map(|(p, e)| Try::Raise(p, e)),
    ];
    prop::collection::vec(one, 0..60)
}

proptest! {
    #[test]
    fn nothing_refused_changes_anything_and_a_stranger_never_acts(tries in tries(), players in 1usize..5) {
        let mut order = TurnOrder::begin(players, acts(), &()).unwrap();
        for one in tries {
            let before = order.clone();
            let (by, result) = match &one {
                Try::Play(by, counted, events) => (*by, order.play(&(), *by, *counted, events)),
                Try::Raise(by, event) => (*by, order.raise(&(), *by, event)),
            };
            if result.is_err() {
                prop_assert_eq!(&order, &before);
            }
            prop_assert!(result.is_err() || before.may_act(by) && by < players);
            prop_assert!(order.play_order.iter().all(|player| *player < players));
            prop_assert!(order.entered.is_empty());
            prop_assert!(order.play_order.is_empty() || order.pos < order.play_order.len());
            prop_assert!(order.active.as_ref().is_none_or(|active| !active.is_empty()));
            prop_assert!((0..10).filter(|&player| order.may_act(player)).all(|player| player < players));
        }
    }

    /// Conditions that are always true cause no endless loop.
    #[test]
    fn it_always_terminates(tries in tries(), players in 1usize..5, next in prop::option::of(0usize..5)) {
        struct Restless(Option<Player>);
        impl OrderRules for Restless {
            fn act_ends(&self, order: &TurnOrder, _act: &str) -> Option<End<String>> {
                (order.turn > 3).then_some(End { next: None })
            }
            fn turn_ends(&self, _order: &TurnOrder) -> Option<End<Player>> {
                Some(End { next: self.0 })
            }
        }
        let rules = Restless(next);
        let mut order = TurnOrder::begin(players, acts(), &rules).unwrap();
        for one in tries {
            let turn = order.turn;
            let _ = match &one {
                Try::Play(by, counted, events) => order.play(&rules, *by, *counted, events),
                Try::Raise(by, event) => order.raise(&rules, *by, event),
            };
            prop_assert!(order.turn - turn <= 20);
        }
    }
}
