//! Before the match: which players the lobby waits for and counts, and in which order they come in.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use super::{THINK, causes, scripted, setup};
use crate::net::connection::Key;
use crate::net::shell::Setup;
use crate::net::testing::Net;
use zappy_game::{Stand, Tick};

#[test]
fn the_lobby_waits_for_its_time_and_then_goes_on_without_the_others() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(3));
    net.turn(100_000);
    assert_eq!(net.shell.next_turn(), None, "no player is there");
    let client = net.connect();
    net.send(&client, b"join\nin 3 a\n");
    net.settle();
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_secs(30)));
    net.turn(30_000);
    net.settle();
    assert_eq!(net.shell.tick(), 3);
    assert_eq!(causes(&net), ["1 of 3 players had come when the match began after 30s"]);
}

#[test]
fn surplus_players_of_one_team_begin_no_match_without_the_other_team() {
    let mut game = scripted();
    game.places = 2;
    let mut net = Net::new(&mut game, &setup(4));
    for _ in 0..5 {
        let client = net.connect();
        net.send(&client, b"join 1\nin 3 a\n");
    }
    net.turn(1_000);
    assert_eq!(net.shell.tick(), 0);
    for _ in 0..2 {
        let client = net.connect();
        net.send(&client, b"join 2\nin 3 b\n");
    }
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net)), (3, Vec::new()));
}

#[test]
fn the_lobby_waits_for_no_more_players_of_a_team_that_is_absent() {
    for came in [0, 1] {
        let mut game = scripted();
        game.places = 2;
        let mut net = Net::new(&mut game, &setup(4));
        let join = |net: &mut Net<'_, _>, name: &str| {
            let client = net.connect();
            net.send(&client, format!("join {name}\nin 3 a\n").as_bytes());
            net.settle();
            net.shell.tick()
        };
        (0..came).for_each(|_| assert_eq!(join(&mut net, "1"), 0));
        assert_eq!(join(&mut net, "2"), 0);
        net.shell.expect_no_more(b"join 1");
        net.settle();
        assert!(net.shell.is_in_lobby(), "the other team isn't complete");
        assert_eq!(join(&mut net, "2"), 3);
        net.shell.expect_no_more(b"join 2");
        let report = net.shell.lockstep().unwrap();
        assert_eq!((report.settings.wait_players, report.causes()), (2 + came, Vec::new()));
    }
}

/// The teams of the players in the order in which they come in, when team 1 has so many players too many.
fn teams_drawn(surplus: usize, seed: u64) -> Vec<String> {
    let mut game = scripted();
    game.places = 3;
    let mut net = Net::new(&mut game, &Setup { seed, ..setup(6) });
    let names = ["join 1", "join 2"].repeat(3);
    for name in std::iter::repeat_n("join 1", surplus).chain(names) {
        let client = net.connect();
        net.send(&client, format!("{name}\n").as_bytes());
    }
    net.settle();
    drop(net);
    game.lines.into_iter().map(|(_, _, line)| line).take(6).collect()
}

#[test]
fn players_without_room_have_no_part_in_the_draw() {
    for seed in 0..20 {
        let drawn = teams_drawn(0, seed);
        assert_eq!(drawn.iter().filter(|name| *name == "join 1").count(), 3);
        assert_eq!([teams_drawn(1, seed), teams_drawn(4, seed)], [drawn.clone(), drawn]);
    }
}

/// The lines of a match with a program that names its team, sends two commands, and breaks off. If `slow`, the server
/// learns of all this at once.
fn short_lived(slow: bool) -> Vec<(Tick, u32, String)> {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(2));
    let short = net.connect();
    net.send(&short, b"join\nin 3 a\nin 3 b\n");
    short.wire.borrow_mut().broke_off = slow;
    net.turn(0);
    net.break_off(&short);
    net.settle();
    assert_eq!(net.shell.next_turn(), Some(Duration::from_secs(30)));
    let other = net.connect();
    net.send(&other, b"join\nin 4 c\nin 4 d\n");
    net.settle();
    assert_eq!(causes(&net), [""; 0]);
    drop(net);
    assert_eq!((game.ended.len(), game.closed.len()), (1, 0));
    game.lines.into_iter().map(|(tick, seat, line)| (tick, seat.0, line)).collect()
}

#[test]
fn a_player_that_breaks_off_in_the_lobby_has_come_however_early_that_is_noticed() {
    let noticed_late = short_lived(false);
    assert_eq!((short_lived(true), noticed_late.len()), (noticed_late, 6));
}

#[test]
fn the_order_of_admission_is_drawn_from_the_seed() {
    let drawn: BTreeSet<Vec<String>> = (0..20).map(|seed| teams_drawn(0, seed)).collect();
    assert!(drawn.len() > 8, "{drawn:?}");
}

/// Two players come in together at the beginning, and two others in a later round of the same tick: whether team 1's
/// comes first, each time.
fn drawn_twice(seed: u64) -> [bool; 2] {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &Setup { seed, ..setup(2) });
    for _ in 0..2 {
        for line in [&b"join 1\n"[..], b"join 2\n"] {
            let client = net.connect();
            net.send(&client, line);
        }
        net.settle();
    }
    assert_eq!(net.shell.tick(), 0);
    net.turn(1_000);
    net.settle();
    drop(net);
    let first: Vec<bool> = game.lines.iter().map(|(_, _, line)| line == "join 1").collect();
    assert_eq!(first.len(), 4);
    [first[0], first[2]]
}

#[test]
fn two_draws_at_one_tick_do_not_go_alike() {
    let alike = (0..40).map(drawn_twice).filter(|[first, second]| first == second).count();
    assert!((8..32).contains(&alike), "{alike} of 40");
}

#[test]
fn a_player_may_wait_in_the_lobby_for_longer_than_a_login_may_take() {
    let mut setup = setup(2);
    setup.lockstep.as_mut().unwrap().lobby_time = Duration::from_secs(600);
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup);
    let first = net.connect();
    net.send(&first, b"join\nin 3 a\n");
    net.turn(0);
    net.turn(90_000);
    let second = net.connect();
    net.send(&second, b"join\nin 3 b\n");
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (3, 0));
}

#[test]
fn a_connection_without_a_name_when_the_match_begins_has_its_think_time_from_then_on() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(1));
    let _mute = net.connect();
    net.turn(0);
    net.turn(20_000);
    let client = net.connect();
    net.send(&client, b"join\nin 3 a\n");
    net.settle();
    assert_eq!(net.shell.tick(), 0);
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK)));
    net.turn(THINK);
    net.settle();
    assert_eq!((net.shell.tick(), net.shell.lockstep().unwrap().silent), (3, 1));
}

#[test]
fn a_player_without_room_may_try_again_and_is_closed_when_it_does_not() {
    let mut game = scripted();
    game.places = 1;
    let mut net = Net::new(&mut game, &setup(1));
    let clients = [net.connect(), net.connect()];
    clients.iter().for_each(|client| net.send(client, b"join\n"));
    net.settle();
    assert_eq!(causes(&net), [""; 0]);
    net.send(&clients[0], b"in 9 a\nin 9 b\n");
    net.turn(61_000);
    net.settle();
    assert!(clients[1].wire.borrow().dropped && !clients[0].wire.borrow().dropped);
}

#[test]
fn a_pace_begins_with_the_match() {
    let mut setup = setup(1);
    setup.lockstep.as_mut().unwrap().pace = NonZeroU32::new(100);
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup);
    net.turn(5_000);
    let client = net.connect();
    net.send(&client, b"join\nin 5 a\n");
    net.settle();
    assert_eq!((net.shell.tick(), net.shell.next_turn()), (0, Some(net.at + Duration::from_millis(50))));
}

#[test]
fn a_connection_that_says_another_name_than_its_own_is_not_counted() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(2));
    for (number, name) in [(1, "join 1"), (2, "join 2"), (3, "join 2")] {
        let client = net.connect();
        net.shell.hold_to(Key(number), if number == 2 { b"join 1".to_vec() } else { name.into() });
        net.send(&client, format!("{name}\nin 3 a\n").as_bytes());
        net.settle();
        assert_eq!(
            (net.shell.tick() > 0, net.shell.door_news().fouls.len()),
            (number == 3, usize::from(number == 2))
        );
    }
    assert_eq!(causes(&net), Vec::<String>::new());
}

#[test]
fn a_lobby_that_is_paused_sleeps_although_its_time_is_over() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(2));
    let client = net.connect();
    net.send(&client, b"join\n");
    net.settle();
    net.shell.console_line(b"rate 0");
    net.turn(60_000);
    net.settle();
    assert_eq!((net.shell.next_turn(), client.text().as_str()), (None, "WELCOME\n"));
    net.shell.console_line(b"rate 100");
    net.send(&client, b"in 3 a\n");
    net.settle();
    assert!(client.text().ends_with("tick 3: 3 a\n"), "{}", client.text());
}

#[test]
fn a_match_that_had_gone_on_without_players_is_no_lobby_again_when_it_is_resumed() {
    let mut game = scripted();
    let stand = Stand { tick: 5, gate: true, rate: NonZeroU32::new(100), ..Stand::default() };
    let mut net = Net::new(&mut game, &Setup { stand: Some(stand), ..setup(2) });
    let client = net.connect();
    net.send(&client, b"join\nin 3 a\n");
    net.settle();
    assert_eq!(net.shell.tick(), 8, "no second player is waited for");
}
