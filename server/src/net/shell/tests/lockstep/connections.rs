//! Connections that come during a match: for eggs, without a word, of observers, and refused ones.

use super::{Setup, THINK, begun, begun_with, causes, scripted, setup};

#[test]
fn the_connection_of_an_egg_is_welcomed_at_once_and_comes_in_before_its_parents_next_line() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[1], b"in 9 a\n");
    net.settle();
    let child = net.connect();
    net.settle();
    assert_eq!(child.text(), "WELCOME\n");
    net.send(&clients[0], b"in 3 b\n");
    net.settle();
    assert_eq!(net.shell.tick(), 0, "it has not said who it is");
    net.send(&child, b"join\nin 2 c\n");
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (2, 0));
    drop(net);
    let order: Vec<&str> = game.lines.iter().map(|line| line.2.as_str()).collect();
    assert_eq!(order, ["join", "join", "join", "in 9 a", "in 3 b", "in 2 c"]);
}

#[test]
fn a_connection_that_is_opened_after_its_parents_next_line_is_a_cause() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    let other = net.connect();
    net.send(&other, b"join 7\n");
    net.send(&clients[0], b"in 3 a\n");
    net.send(&clients[1], b"in 3 a\n");
    net.settle();
    let before = causes(&net).len();
    // The player of team 7 is still waited for, so that the round in which the child comes in is their parents' too.
    net.send(&clients[0], b"in 3 b\n");
    net.send(&clients[1], b"in 3 b\n");
    net.settle();
    let child = net.connect();
    net.settle();
    net.send(&child, b"join\n");
    net.send(&other, b"in 3 c\n");
    net.settle();
    assert_eq!(causes(&net)[before..], ["player #3 of join came in at a time of its own"]);
}

#[test]
fn a_parent_may_open_a_connection_as_soon_as_it_is_answered() {
    let mut setup = setup(1);
    setup.limits.turn_rounds = 1;
    let mut game = scripted();
    let (mut net, clients) = begun_with(&mut game, 1, &setup);
    net.send(&clients[0], b"in 3 a\n");
    while !clients[0].text().contains("tick 3") {
        net.turn(0);
    }
    let child = net.connect();
    net.turn(0);
    assert_eq!(child.text(), "WELCOME\n");
    net.send(&child, b"join\n");
    net.send(&clients[0], b"in 3 b\n");
    net.settle();
    assert_eq!(causes(&net), [""; 0]);
}

#[test]
fn a_connection_that_says_nothing_costs_one_think_time() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    let mute = net.connect();
    net.send(&clients[0], b"in 3 a\nin 3 b\n");
    net.settle();
    assert_eq!(net.shell.tick(), 0);
    net.turn(THINK);
    net.settle();
    assert_eq!(net.shell.tick(), 6);
    assert_eq!(causes(&net), ["1 connection did not say within 1s who they are"]);
    net.send(&mute, b"join\n");
    net.send(&clients[0], b"in 3 c\n");
    net.settle();
    assert_eq!(mute.text(), "WELCOME\n");
    drop(net);
    assert!(game.lines.iter().any(|(tick, seat, line)| (*tick, seat.0, line.as_str()) == (6, 1, "join")));
}

#[test]
fn new_connections_cannot_hold_the_match_up_for_ever() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    net.send(&clients[0], b"in 3 a\nin 300 b\n");
    let mut mutes = Vec::new();
    for _ in 0..12 {
        mutes.push(net.connect());
        net.turn(THINK * 9 / 10);
        // The one before leaves just in time, so that it isn't late.
        if let [.., before, _] = &mutes[..] {
            net.end(before);
        }
    }
    assert_eq!(net.shell.tick(), 303);
    assert!(
        causes(&net)
            .contains(&"connections that don't say who they are aren't waited for any more".to_owned())
    );
    net.send(&clients[0], b"in 3 c\n");
    net.connect();
    net.settle();
    assert_eq!(net.shell.tick(), 306);
}

#[test]
fn a_refused_connection_is_not_waited_for_and_is_a_cause_when_it_comes_in_after_all() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    let other = net.connect();
    net.send(&other, b"nonsense\n");
    net.send(&clients[0], b"in 3 a\n");
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (3, 0));
    net.send(&other, b"join\n");
    net.send(&clients[0], b"in 3 b\n");
    net.settle();
    assert_eq!(causes(&net), ["player #1 of join came in at a time of its own"]);
}

#[test]
fn children_that_come_in_together_are_counted() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    for line in [&b"join\n"[..], b"join\n", b"join 2\n"] {
        let child = net.connect();
        net.send(&child, line);
    }
    clients.iter().for_each(|client| net.send(client, b"in 3 a\n"));
    net.settle();
    assert_eq!(net.shell.lockstep().unwrap().joint, 1);
}

#[test]
fn a_player_that_comes_in_while_its_team_owes_no_line_is_a_cause() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    let stranger = net.connect();
    net.send(&stranger, b"join 2\n");
    net.send(&clients[0], b"in 3 a\n");
    net.settle();
    assert_eq!(causes(&net), ["player #1 of join 2 came in at a time of its own"]);
}

#[test]
fn observers_and_refused_logins_hold_no_round_up() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    let (watcher, wrong) = (net.connect(), net.connect());
    net.send(&watcher, b"watch\n");
    net.send(&wrong, b"nonsense\n");
    net.end(&wrong);
    net.send(&clients[0], b"in 3 a\nin 3 b\n");
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (6, 0));
    assert!(watcher.text().contains("snapshot new"));
}

#[test]
fn a_result_stays_readable_however_much_came_at_a_time_of_its_own() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    for _ in 0..25 {
        let stranger = net.connect();
        net.send(&stranger, b"join 2\n");
    }
    net.send(&clients[0], b"in 3 a\n");
    net.settle();
    let causes = causes(&net);
    assert_eq!((causes.len(), causes[20].as_str()), (21, "and 5 more of that kind"));
}

#[test]
fn a_connection_that_breaks_when_the_server_outlives_its_match_is_removed() {
    let mut game = scripted();
    let setup = Setup { stay: Some(b"end".to_vec()), ..setup(1) };
    let (mut net, clients) = begun_with(&mut game, 1, &setup);
    let before = net.connect();
    net.send(&clients[0], b"stop\n");
    net.send(&before, b"watch\n");
    net.settle();
    let after = net.connect();
    net.send(&after, b"join\n");
    net.settle();
    assert_eq!(after.text(), "");
    for (count, client) in (1..).zip([&clients[0], &before, &after]) {
        net.reset(client);
        net.settle();
        assert_eq!((net.shell.closed(), net.shell.next_turn()), (count, None));
    }
}
