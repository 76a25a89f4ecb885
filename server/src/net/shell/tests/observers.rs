//! Observers that lag, or that ask for much, over a network in memory.

use super::*;

#[test]
fn an_observer_that_lags_at_the_end_is_still_brought_up_to_date() {
    let mut game = Parrot::new(100);
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
    let mut game = Parrot::new(100);
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
    let mut game = Parrot::new(100);
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
