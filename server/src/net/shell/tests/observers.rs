//! Observers that lag, or that ask for much, over a network in memory.

use super::*;

#[test]
fn an_observer_that_lags_at_the_end_is_still_brought_up_to_date() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let observer = net.connect();
    net.send(&observer, b"watch\n");
    net.settle();
    net.set_room(&observer, 100);
    net.shell.console_line(b"pub 1000");
    net.shell.console_line(b"stop");
    net.turn(0);
    net.set_room(&observer, usize::MAX);
    net.settle();
    check_observer(&observer.text());
    assert!(observer.text().ends_with("end\n") && observer.wire.borrow().server_ended);
}

#[test]
fn an_observer_that_lags_is_brought_up_to_date_and_slows_no_player() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let (observer, player) = (net.connect(), net.connect());
    net.send(&observer, b"watch\n");
    net.send(&player, b"join\n");
    net.settle();
    net.set_room(&observer, 100);
    net.send(&observer, b"many 5\n");
    for _ in 0..100 {
        net.send(&player, b"pub 100\nsay ok\n");
        net.settle();
        assert!(player.text().ends_with("ok\n"));
    }
    net.set_room(&observer, usize::MAX);
    net.send(&player, b"pub 3\n");
    net.settle();
    net.send(&player, b"pub 2\n");
    net.settle();
    check_observer(&observer.text());
    assert!(observer.text().lines().last().unwrap().starts_with("pub 10004"));
    assert_eq!(observer.text().matches("answer").count(), 5);
    assert_eq!(observer.text().matches("snapshot").count(), 2);
}

#[test]
fn an_observer_that_asks_for_much_is_heard_later_and_keeps_no_other_waiting_for_long() {
    let mut game = ScriptedGame::new(100);
    let mut setup = small();
    (setup.limits.observer_rate, setup.limits.observers_rate) = (100_000, 300_000);
    let mut net = Net::new(&mut game, &setup);
    let (greedy, modest, player) = (net.connect(), net.connect(), net.connect());
    net.send(&greedy, b"watch\n");
    net.send(&player, b"join\n");
    net.settle();
    let answers = |client: &Client| client.text().matches("answer").count();
    // Each question takes some 16,000 of weight; 100 ms of credit are 10,000, and the snapshot took it all.
    net.send(&greedy, &b"many 100\n".repeat(100));
    net.settle();
    assert_eq!(answers(&greedy), 0);
    for _ in 0..10 {
        (0..100).for_each(|_| net.turn(10));
        net.settle();
    }
    let heard = answers(&greedy);
    assert!((5_000..=7_000).contains(&heard), "{heard} in 10 s");
    // The player is heard at once, however much observers are told.
    net.send(&player, b"many 150\n");
    net.settle();
    assert_eq!(answers(&player), 150);
    // One that comes later gets its snapshot and its answers although the greedy one still asks.
    net.send(&modest, b"watch\nmany 3\n");
    (0..50).for_each(|_| net.turn(10));
    net.settle();
    assert_eq!((answers(&modest), modest.text().matches("snapshot").count()), (3, 1));
}

#[test]
fn many_observers_are_told_together_and_a_while_later() {
    let mut game = ScriptedGame::new(100);
    let mut setup = small();
    setup.limits.observer_pause = Duration::from_millis(1);
    let mut net = Net::new(&mut game, &setup);
    let observers: Vec<Client> = (0..21).map(|_| net.connect()).collect();
    observers.iter().for_each(|observer| net.send(observer, b"watch\n"));
    (0..21).for_each(|_| net.turn(1));
    net.settle();
    let last = |client: &Client| client.text().lines().last().unwrap_or_default()[..5].to_owned();
    let told = |line: &str| observers.iter().filter(|observer| last(observer) == line).count();
    net.shell.console_line(b"pub");
    net.turn(0);
    assert_eq!((told("pub 0"), net.shell.next_turn()), (21, None));
    // The next ones wait until twenty times the pause is over.
    let until = net.at + Duration::from_millis(20);
    net.turn(7);
    net.shell.console_line(b"pub");
    net.shell.console_line(b"pub");
    net.turn(0);
    assert_eq!((told("pub 0"), net.shell.next_turn()), (21, Some(until)));
    net.turn(13);
    assert_eq!((told("pub 2"), net.shell.next_turn()), (21, None));
    // An answer comes after what was published before it, and so does the end.
    net.shell.console_line(b"pub");
    net.turn(0);
    net.send(&observers[0], b"say so it is\n");
    net.turn(0);
    assert!(observers[0].text().ends_with("x\nso it is\n"));
    net.shell.console_line(b"pub");
    net.shell.console_line(b"stop");
    net.turn(0);
    assert_eq!(told("pub 4"), 21);
    observers.iter().for_each(|observer| check_observer(&observer.text()));
}

#[test]
fn an_observer_that_missed_more_than_the_game_remembers_is_closed() {
    let mut game = ScriptedGame::new(100);
    game.remembers_since = 2_000;
    let mut net = Net::new(&mut game, &small());
    let (slow, good) = (net.connect(), net.connect());
    net.send(&slow, b"watch\n");
    net.send(&good, b"watch\n");
    net.settle();
    net.turn(1_000);
    net.settle();
    net.set_room(&slow, 100);
    for _ in 0..30 {
        net.shell.console_line(b"pub 50");
        net.turn(10);
        net.settle();
    }
    net.set_room(&slow, usize::MAX);
    net.settle();
    assert!(slow.wire.borrow().dropped && !good.wire.borrow().dropped);
    check_observer(&slow.text());
    check_observer(&good.text());
    assert!(good.text().lines().last().unwrap().starts_with("pub 1499"));
}
