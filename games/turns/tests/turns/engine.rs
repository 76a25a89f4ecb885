//! The engine under a virtual clock, with a game that only notes what it is asked.

use std::collections::BTreeSet;

use zappy_turns::engine::{
    BadDone, Ending, Phases, Player, Players, Policy, Setting, Succession, TurnEngine,
};

use crate::table::{Notes, Table, each, groups, setting};

#[test]
fn f01_all_done_ends_the_turn() {
    let mut table = Table::begin(setting(3, Phases::Together));
    table.pass(1);
    let words: Vec<String> =
        table.game.log.iter().map(|line| line.split(" [").next().unwrap().to_owned()).collect();
    let right = [
        "begin_turn 1",
        "begin_phase 0",
        "snapshots",
        "end_phase 0",
        "end_turn 1",
        "begin_turn 2",
        "begin_phase 0",
        "snapshots",
    ];
    assert_eq!(words, right);
}

#[test]
fn f02_players_act_one_after_another_in_the_order_of_the_policy() {
    let orders = |policy: Policy, turns: usize| {
        let game = Notes { field: vec![2, 0, 1], ..Notes::default() };
        let mut table = Table::with(setting(3, Phases::Each(policy)), game);
        let mut order = Vec::new();
        for _ in 0..3 * turns {
            let (_, _, factions) = table.phase();
            let [acting] = factions[..] else { panic!("{factions:?}") };
            for faction in 0..4 {
                assert_eq!(table.engine.may_act(faction), faction == acting);
                if faction != acting {
                    assert_eq!(table.engine.done(faction, table.engine.turn()), Err(BadDone::NotYours));
                }
            }
            order.push(acting);
            table.pass(1);
        }
        order
    };
    assert_eq!(orders(Policy::default(), 2), [0, 1, 2, 0, 1, 2]);
    assert_eq!(orders(Policy::all(Succession::Reset), 2), [0, 1, 2, 0, 1, 2]);
    assert_eq!(orders(Policy::all(Succession::Once), 3), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    assert_eq!(orders(Policy::all(Succession::Continue), 2), [0, 1, 2, 2, 0, 1]);
    assert_eq!(orders(Policy::listed(vec![1, 2, 0], Succession::Reset), 2), [1, 2, 0, 1, 2, 0]);
    assert_eq!(
        orders(Policy { players: Players::Field("score".to_owned()), step: Succession::Reset }, 2),
        [2, 0, 1, 2, 0, 1]
    );
}

#[test]
fn f03_allies_act_together() {
    let mut table = Table::begin(setting(4, groups(4, &[vec![1, 3]], &[0, 1, 2], Succession::Reset)));
    let mut phases = Vec::new();
    for _ in 0..4 {
        phases.push(table.phase());
        table.pass(1);
    }
    assert_eq!(phases, [(1, 0, vec![0]), (1, 1, vec![1, 3]), (1, 2, vec![2]), (2, 0, vec![0])]);
    let two = groups(4, &[vec![0, 1], vec![2, 3]], &[0, 2], Succession::Reset);
    let mut table = Table::begin(setting(4, two));
    assert!(table.engine.may_act(0) && table.engine.may_act(1) && !table.engine.may_act(2));
    table.done(1);
    assert_eq!(table.phase(), (1, 0, vec![0, 1]));
    table.done(0);
    assert_eq!(table.phase(), (1, 1, vec![2, 3]));
    table.pass(1);
    assert_eq!(table.phase(), (2, 0, vec![0, 1]));
}

#[test]
fn in_a_lot_each_turn_begins_with_the_group_that_acted_last() {
    let (alone, allied) = ([2, 3, 1, 0], [2, 1, 0]);
    for (phases, right) in [
        (Phases::Each(Policy::listed(alone.to_vec(), Succession::Continue)), vec![2, 3, 1, 0, 0, 2, 3, 1]),
        (groups(4, &[vec![0, 3]], &allied, Succession::Continue), vec![2, 1, 0, 0, 2, 1, 1, 0]),
    ] {
        let mut table = Table::begin(setting(4, phases));
        let firsts = (0..8).map(|_| {
            let first = table.phase().2[0];
            table.pass(1);
            first
        });
        assert_eq!(firsts.collect::<Vec<_>>(), right);
    }
}

#[test]
fn f04_the_limit_itself_is_still_in_time() {
    let mut table = Table::begin(Setting { turn_time: 5_000, ..setting(2, Phases::Together) });
    assert_eq!(table.engine.due(&table.game), Some(5_001));
    for at in [1, 4_999, 5_000] {
        table.look(at);
        assert_eq!(table.phase().0, 1, "at {at}");
    }
    table.look(5_001);
    assert_eq!(table.phase().0, 2);
    assert_eq!(table.game.logged("late").len(), 2);
    assert_eq!(table.engine.due(&table.game), Some(10_002));
}

#[test]
fn f05_a_stale_done_is_refused() {
    let mut table = Table::begin(setting(2, Phases::Together));
    table.pass(4);
    assert_eq!(table.engine.turn(), 5);
    assert_eq!(table.engine.done(0, 4), Err(BadDone::Stale(5)));
    assert!(!table.engine.is_done(0));
    assert_eq!(table.engine.done(0, 5), Ok(()));
    assert_eq!(table.engine.done(0, 5), Ok(()));
    assert!(table.engine.is_done(0) && table.phase().0 == 5);
}

#[test]
fn f06_a_fixed_length_is_waited_for() {
    let fixed = Setting { fixed_length: true, turn_time: 100, ..setting(2, Phases::Together) };
    let mut table = Table::begin(fixed);
    table.pass(1);
    table.look(100);
    assert_eq!((table.phase().0, table.engine.due(&table.game)), (1, Some(101)));
    table.look(101);
    assert_eq!(table.phase().0, 2);
    assert!(table.game.logged("late").is_empty());
}

#[test]
fn f07_a_faction_that_is_gone_is_waited_for_only_if_asked() {
    for wait_for_absent in [false, true] {
        let waits = Setting { wait_for_absent, turn_time: 100, ..setting(2, Phases::Together) };
        let mut table = Table::begin(waits);
        table.engine.connected.remove(&1);
        table.done(0);
        assert_eq!(table.phase().0, if wait_for_absent { 1 } else { 2 });
        table.look(101);
        let phases = if wait_for_absent { 1 } else { 2 };
        assert_eq!(table.game.logged("late 1").len(), phases, "{:?}", table.game.log);
    }
}

#[test]
fn one_that_is_gone_is_late_in_each_of_its_phases_and_never_after_its_end() {
    for lockstep in [false, true] {
        let mut game = Notes::default();
        game.doom.insert((3, 0), vec![1]);
        let mut table = Table::with(Setting { lockstep, turn_time: 100, ..setting(2, each()) }, game);
        table.engine.connected.remove(&1);
        while table.phase().0 < 3 {
            match table.phase().2[0] {
                0 => table.done(0),
                _ => table.settle(),
            }
            if lockstep {
                table.look(table.now + 101);
            }
        }
        assert_eq!(table.game.logged("late"), ["late 1", "late 1"], "lockstep {lockstep}");
        table.engine.stop(&mut table.game, Ending::Stopped);
        assert_eq!(table.game.logged("late").len(), 2, "the operator ended the phase");
    }
}

#[test]
fn f08_without_anybody_and_without_a_limit_time_stands_still() {
    let mut table = Table::begin(setting(2, Phases::Together));
    table.engine.connected.clear();
    assert_eq!(table.engine.due(&table.game), None);
    table.look(1_000_000);
    assert_eq!(table.phase().0, 1);
    table.engine.connected.insert(1);
    assert_eq!(table.engine.due(&table.game), None);
    table.done(1);
    assert_eq!(table.phase().0, 2);
    // In lockstep it goes on to its limit.
    let lockstep = Setting { lockstep: true, turns: 3, ..setting(2, Phases::Together) };
    let mut table = Table::begin(lockstep);
    table.engine.connected.clear();
    while let Some(due) = table.engine.due(&table.game) {
        table.look(due);
    }
    assert_eq!((table.game.endings, table.now), (vec![Ending::Turns], 3));
}

#[test]
fn f09_another_mode_holds_from_the_next_turn_on() {
    let mut table = Table::begin(setting(3, each()));
    table.pass(1);
    table.engine.coming = Phases::Together;
    assert_eq!(table.phase(), (1, 1, vec![1]));
    table.pass(1);
    assert_eq!(table.phase(), (1, 2, vec![2]));
    table.pass(1);
    let (turn, number, mut factions) = table.phase();
    factions.sort_unstable();
    assert_eq!((turn, number, factions), (2, 0, vec![0, 1, 2]));
    table.engine.coming = each();
    table.pass(1);
    assert_eq!(table.phase(), (3, 0, vec![0]));
}

#[test]
fn a_game_is_told_the_order_of_the_turn_unless_all_act_together() {
    let allied = groups(4, &[vec![1, 3]], &[1, 0, 2], Succession::Continue);
    for (phases, right) in [
        (Phases::Together, ["begin_turn 1 []", "begin_turn 2 []"]),
        (
            Phases::Each(Policy::listed(vec![2, 0, 3, 1], Succession::Continue)),
            ["begin_turn 1 [2, 0, 3, 1]", "begin_turn 2 [1, 2, 0, 3]"],
        ),
        (allied, ["begin_turn 1 [1, 3, 0, 2]", "begin_turn 2 [2, 1, 3, 0]"]),
    ] {
        let mut table = Table::begin(setting(4, phases));
        while table.phase().0 < 2 {
            table.pass(1);
        }
        assert_eq!(table.game.logged("begin_turn"), right);
    }
}

#[test]
fn another_time_holds_from_the_next_turn_on() {
    let mut table = Table::begin(Setting { turn_time: 100, ..setting(2, each()) });
    table.engine.coming_time = 5_000;
    table.look(101);
    assert_eq!(table.engine.due(&table.game), Some(202), "the turn's other phases keep its time");
    table.look(202);
    assert_eq!(table.engine.due(&table.game), Some(202 + 5_001));
    table.engine.coming_time = 0;
    table.pass(2);
    assert_eq!((table.phase().0, table.engine.due(&table.game)), (3, None), "no limit");
}

#[test]
fn any_phases_can_follow_any_others() {
    let all = [Phases::Together, each(), groups(4, &[vec![1, 3]], &[0, 1, 2], Succession::Reset)];
    for begun in &all {
        for coming in &all {
            let mut table = Table::begin(setting(4, begun.clone()));
            for turn in 1..=6 {
                let running = if turn <= 2 { begun } else { coming };
                if turn == 2 {
                    table.engine.coming = coming.clone();
                }
                let mut acted = Vec::new();
                for number in 0.. {
                    let (now, phase, players) = table.phase();
                    assert_eq!((now, phase), (turn, number), "{begun:?}, then {coming:?}");
                    acted.extend(players);
                    table.pass(1);
                    if table.phase().0 > turn {
                        let right = match running {
                            Phases::Together => 0,
                            Phases::Each(_) => 3,
                            Phases::Groups(..) => 2,
                        };
                        assert_eq!(number, right, "{begun:?}, then {coming:?}, turn {turn}");
                        break;
                    }
                }
                acted.sort_unstable();
                assert_eq!(acted, [0, 1, 2, 3], "{begun:?}, then {coming:?}, turn {turn}");
            }
        }
    }
}

#[test]
fn a_game_says_which_player_begins_which_follows_and_which_is_next_out_of_order() {
    let own = Phases::Each(Policy::all(Succession::Own));
    let mut table = Table::with(setting(3, own), Notes { own: (2, Some(1)), ..Notes::default() });
    let acting = |table: &mut Table| -> Vec<Player> {
        let phases = (0..3).map(|_| {
            let players = table.phase().2;
            table.pass(1);
            players[0]
        });
        phases.collect()
    };
    assert_eq!(acting(&mut table), [2, 1, 1]);
    let named = [(1, 2), (2, 1)].into();
    let mut table = Table::with(setting(3, each()), Notes { named, ..Notes::default() });
    assert_eq!(acting(&mut table), [0, 2, 1]);
    assert_eq!(table.phase().0, 2);
}

#[test]
fn f10_the_sequence_is_drawn_for_a_whole_turn() {
    let sequences = |seed| {
        let mut table = Table::begin(Setting { seed, ..setting(4, Phases::Together) });
        let mut found = Vec::new();
        for _ in 0..8 {
            let begin = table.engine.sequence.to_vec();
            assert_eq!(table.phase().2, begin);
            table.pass(1);
            assert_eq!(table.game.logged("end_phase").last().unwrap(), &format!("end_phase 0 {begin:?}"));
            found.push(begin);
        }
        found
    };
    assert_eq!(sequences(7), sequences(7));
    assert!(sequences(7).windows(2).any(|pair| pair[0] != pair[1]));
    let first: BTreeSet<Vec<Player>> = (0..100).map(|seed| sequences(seed)[0].clone()).collect();
    assert!(first.len() > 10, "{}", first.len());
    for phases in [each(), groups(4, &[], &[0, 1, 2, 3], Succession::Reset)] {
        let mut table = Table::begin(setting(4, phases));
        for _ in 0..8 {
            assert_eq!(table.engine.sequence, [0, 1, 2, 3]);
            table.pass(1);
        }
    }
}

#[test]
fn f11_observers_read_a_phase_as_one_burst() {
    let mut game = Notes::default();
    game.doom.insert((1, 0), vec![1]);
    let mut engine = TurnEngine::new(Setting {
        turn_time: 10,
        ..setting(3, groups(3, &[], &[0, 1, 2], Succession::Reset))
    });
    engine.connected.extend(0..3);
    engine.start(&mut game);
    assert_eq!(game.seen, ["begin 0"]);
    engine.now = 11;
    engine.look(&mut game);
    assert_eq!(game.read, [1, 1, 1]);
    assert_eq!(game.seen, ["begin 0", "late 0", "resolve 0", "dead 1", "begin 1"]);
}

#[test]
fn f12_when_the_match_is_over_the_other_phases_are_not_begun() {
    let mut game = Notes::default();
    game.doom.insert((1, 1), vec![0, 2]);
    let mut table = Table::with(setting(3, each()), game);
    table.pass(2);
    assert_eq!(table.game.logged("begin_phase"), ["begin_phase 0 [0]", "begin_phase 1 [1]"]);
    let last = &table.game.log[table.game.log.len() - 3..];
    assert_eq!(last, ["end_phase 1 [1]", "end_turn 1", "over Last"]);
    assert!(table.engine.phase().is_none() && table.engine.due(&table.game).is_none());
    let log = table.game.log.len();
    table.look(1_000_000);
    table.engine.stop(&mut table.game, Ending::Stopped);
    assert_eq!(table.game.log.len(), log);
    assert_eq!(table.engine.done(1, 1), Err(BadDone::NotYours));
}

#[test]
fn f13_the_last_turn_is_played_to_its_end() {
    let mut table = Table::begin(Setting { turns: 10, ..setting(2, each()) });
    table.pass(18);
    assert_eq!(table.phase().0, 10);
    assert_eq!(table.game.logged("last"), ["last 10"]);
    table.pass(1);
    assert_eq!(table.phase(), (10, 1, vec![1]));
    table.pass(1);
    assert_eq!(table.game.logged("begin_turn").len(), 10);
    assert_eq!(table.game.log[table.game.log.len() - 2..], ["end_turn 10", "over Turns"]);
}

#[test]
fn f14_a_faction_that_loses_everything_is_gone_through_until_the_phase_ends() {
    let mut game = Notes::default();
    game.doom.insert((1, 0), vec![1]);
    let mut table = Table::with(setting(3, Phases::Together), game);
    table.pass(1);
    let seen = &table.game.seen;
    let place = |what: &str| seen.iter().position(|line| line == what).unwrap();
    assert!((0..3).all(|faction| place(&format!("resolve {faction}")) < place("dead 1")));
    assert_eq!(table.game.endings, []);
    assert!(table.engine.owing(&table.game).all(|faction| faction != 1));
}

#[test]
fn f16_one_faction_that_is_left_has_won_at_the_end_of_the_turn() {
    let mut game = Notes::default();
    game.doom.insert((2, 0), vec![0, 2]);
    let mut table = Table::with(setting(3, Phases::Together), game);
    table.pass(2);
    assert_eq!(table.game.log[table.game.log.len() - 2..], ["end_turn 2", "over Last"]);
    // Allies win together, a beaten one of them too.
    let mut game = Notes::default();
    game.doom.insert((1, 0), vec![0, 3]);
    game.allies = vec![vec![0, 1], vec![2, 3]];
    let mut table = Table::with(setting(4, Phases::Together), game);
    table.pass(1);
    assert_eq!(table.game.endings, []);
    table.game.doom.insert((2, 0), vec![2]);
    table.pass(1);
    assert_eq!(table.game.endings, [Ending::Last]);
}

#[test]
fn f17_with_nobody_left_it_is_a_draw() {
    let mut game = Notes::default();
    game.doom.insert((1, 0), vec![0, 1]);
    let mut table = Table::with(Setting { turns: 1, ..setting(2, Phases::Together) }, game);
    table.pass(1);
    assert_eq!(table.game.log[table.game.log.len() - 2..], ["end_turn 1", "over Draw"]);
}

#[test]
fn f18_a_faction_that_never_had_an_opponent_plays_to_the_limit() {
    let mut table = Table::begin(Setting { turns: 4, ..setting(1, Phases::Together) });
    table.pass(3);
    assert_eq!(table.game.endings, []);
    table.pass(1);
    assert_eq!(table.game.endings, [Ending::Turns]);
    let allied = Notes { allies: vec![vec![0, 1]], ..Notes::default() };
    let mut table = Table::with(Setting { turns: 2, ..setting(2, Phases::Together) }, allied);
    table.pass(1);
    assert_eq!(table.game.endings, []);
}

#[test]
fn f19_the_phase_of_a_dead_faction_opens_and_closes_without_waiting() {
    for lockstep in [false, true] {
        let mut game = Notes::default();
        game.doom.insert((1, 0), vec![1]);
        let mut table = Table::with(Setting { lockstep, turn_time: 100, ..setting(3, each()) }, game);
        table.pass(1);
        if lockstep {
            table.look(101);
            table.settle();
        }
        assert_eq!(table.phase(), (1, 2, vec![2]));
        assert_eq!(table.now, if lockstep { 101 } else { 0 });
        let log = table.game.logged("begin_phase 1").len() + table.game.logged("end_phase 1").len();
        assert_eq!((log, table.game.logged("late").len()), (2, 0));
    }
}

#[test]
fn an_opening_is_an_act_of_its_own_before_the_first_turn() {
    let opened = Setting { opening: vec![2, 0, 3, 1], ..setting(4, Phases::Together) };
    let mut table = Table::begin(opened);
    let mut order = Vec::new();
    for number in 0..4 {
        let (turn, found, factions) = table.phase();
        assert_eq!((turn, found, factions.len()), (0, number, 1));
        assert_eq!(table.engine.order.as_ref().and_then(|order| order.act.as_deref()), Some("opening"));
        assert_eq!(table.engine.done(factions[0], 1), Err(BadDone::Stale(0)));
        order.extend(factions);
        table.pass(1);
    }
    assert!(table.game.logged("end_turn").is_empty());
    assert_eq!(
        (table.phase().0, table.engine.order.as_ref().and_then(|order| order.act.as_deref())),
        (1, Some("turn"))
    );
    assert_eq!(order, [2, 0, 3, 1]);
    // In mode players the first turn begins with the first faction, not behind the one that chose last.
    let mut table = Table::begin(Setting { opening: vec![3, 1, 0, 2], ..setting(4, each()) });
    table.pass(4);
    assert_eq!(table.phase(), (1, 0, vec![0]));
}

#[test]
fn while_it_is_paused_no_phase_ends() {
    let mut table = Table::begin(Setting { turn_time: 10, ..setting(2, Phases::Together) });
    table.engine.paused = true;
    table.pass(1);
    assert_eq!((table.engine.due(&table.game), table.phase().0), (None, 1));
    table.look(1_000);
    assert_eq!(table.phase().0, 1);
    table.engine.paused = false;
    table.settle();
    assert_eq!(table.phase().0, 2);
}

#[test]
fn the_operator_ends_a_match_with_what_was_ordered() {
    let mut table = Table::begin(setting(2, each()));
    table.engine.stop(&mut table.game, Ending::Stopped);
    let last = &table.game.log[table.game.log.len() - 3..];
    assert_eq!(last, ["end_phase 0 [0]", "end_turn 1", "over Stopped"]);
    let mut early = Table { engine: TurnEngine::new(setting(2, each())), game: Notes::default(), now: 0 };
    early.engine.stop(&mut early.game, Ending::Stopped);
    assert_eq!(early.game.log, ["over Stopped"]);
}
