//! A server that stands still or is kept busy: it makes no player late, and no program can hold a match up with it.

use std::num::NonZeroU32;
use std::time::Duration;

use super::{THINK, begun, begun_with, causes, scripted, setup};
use crate::net::Bank;
use crate::net::lockstep_report::MOMENTS;
use crate::net::testing::Net;

#[test]
fn a_server_that_is_kept_busy_waits_for_no_player_for_ever() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[1], b"in 3 a\n");
    let watcher = net.connect();
    net.send(&watcher, b"watch\n");
    let mut turns = 0;
    while net.shell.tick() == 0 && turns < 1_000 {
        // There always is work left, and the next turn begins late each time.
        net.send(&watcher, &b"say x\n".repeat(100));
        net.turn(150);
        turns += 1;
    }
    // Four think times of patience, and the one that every player has.
    assert_eq!((net.shell.tick(), turns), (3, 5 * THINK / 150 + 1));
    assert_eq!(causes(&net), ["player #0 of join was late 1 time (at tick 0)"]);
}

#[test]
fn a_round_gives_new_patience_with_the_server() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    for _ in 0..40 {
        net.turn(60_000);
        net.send(&clients[0], b"in 3 a\n");
        net.settle();
    }
    assert_eq!((net.shell.tick(), causes(&net).len()), (120, 0));
}

#[test]
fn time_in_which_the_server_stood_still_is_not_charged_to_connections_either() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    net.send(&clients[0], b"in 3 a\nin 3 b\n");
    let child = net.connect();
    net.settle();
    net.turn(20_000);
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK)));
    net.send(&child, b"join\n");
    net.settle();
    net.send(&child, b"in 9 c\n");
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (6, 0));
}

#[test]
fn a_turn_takes_no_more_lines_than_under_the_real_clock() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 50);
    clients.iter().for_each(|client| net.send(client, &b"in 1 a\n".repeat(100)));
    net.turn(10);
    assert_eq!(net.shell.tick(), 20, "after as many rounds as it takes for 1,024 lines");
    assert_eq!(net.shell.next_turn(), Some(net.at));
    net.settle();
    assert_eq!(net.shell.tick(), 100);
}

#[test]
fn a_long_stop_uses_up_no_more_patience_than_a_think_time() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    for _ in 0..4 {
        net.turn(60_000);
        net.settle();
    }
    net.send(&clients[0], b"in 3 a\n");
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (3, 0));
}

#[test]
fn a_player_that_thinks_for_longer_than_the_pace_takes_causes_no_extra_turn() {
    let mut setup = setup(2);
    setup.lockstep.as_mut().unwrap().pace = NonZeroU32::new(100);
    let mut game = scripted();
    let (mut net, clients) = begun_with(&mut game, 2, &setup);
    net.send(&clients[0], b"in 5 a\n");
    net.send(&clients[1], b"say b\n");
    net.settle();
    net.turn(400);
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK - 400)));
}

#[test]
fn waiting_time_is_charged_to_the_team_that_the_others_wait_for() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    for _ in 0..5 {
        for (client, millis) in clients.iter().zip([300, 400]) {
            net.turn(millis);
            net.send(client, b"in 3 a\n");
            net.settle();
        }
    }
    let kept = &net.shell.lockstep().unwrap().kept_waiting;
    let times: Vec<_> = kept.values().map(|kept| (kept.name.as_str(), kept.time.as_millis())).collect();
    assert_eq!(times, [("join", 5 * 700)], "time in which two players of a team are waited for counts once");
}

#[test]
fn a_silent_connection_and_the_time_at_the_door_are_charged_to_their_team() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    let silent = net.connect();
    net.shell.hold_to(silent.key, b"join 7".to_vec());
    net.settle();
    net.send(&clients[0], b"in 3 a\n");
    net.settle();
    net.turn(THINK - 100);
    net.send(&silent, b"join 7\n");
    net.settle();
    net.shell.charge_door(&[b"join 7".to_vec(), b"GRAPHIC".to_vec()], Duration::from_millis(5));
    let kept = &net.shell.lockstep().unwrap().kept_waiting;
    let times: Vec<_> =
        kept.values().map(|kept| (kept.name.as_str(), kept.time.as_millis() as u64)).collect();
    assert_eq!(times, [("join 7", THINK - 100 + 5)]);
}

#[test]
fn a_player_that_never_speaks_again_is_waited_for_once_in_126_ticks_and_changes_nothing() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    let mut waits = Vec::new();
    for tick in (0..500).step_by(10) {
        assert_eq!(net.shell.tick(), tick);
        // The other one tells it something every ten ticks.
        net.send(&clients[1], b"tell 0 hello\nin 10 a\n");
        net.settle();
        while net.shell.tick() == tick {
            waits.push(tick);
            net.turn(THINK);
            net.settle();
        }
    }
    let gaps: Vec<u64> = waits.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(waits.len(), 3 + 3, "{waits:?}");
    assert!(gaps[2..].iter().all(|&gap| (126..=140).contains(&gap)), "{waits:?}");
    let late = net.shell.lockstep().unwrap().late[0].clone();
    assert_eq!((late.late, late.silent, late.expelled), (3, true, false));
    assert_eq!(causes(&net), [""; 0], "it never spoke, so nothing came sooner or later");
    // Having spoken, it is a player as any other, and the match hangs on when that was.
    net.send(&clients[0], b"say x\n");
    net.send(&clients[1], b"in 10 a\n");
    net.settle();
    assert_eq!(causes(&net), ["player #0 of join was late 3 times (first at tick 0)"]);
    assert!(!net.shell.lockstep().unwrap().late[0].silent);
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK)), "it is waited for again");
}

#[test]
fn a_silent_player_whose_connection_ends_has_spoken() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    for _ in 0..3 {
        net.send(&clients[1], b"tell 0 hello\nin 10 a\n");
        net.settle();
        net.turn(THINK);
        net.settle();
    }
    assert_eq!(causes(&net), [""; 0]);
    net.end(&clients[0]);
    net.send(&clients[1], b"in 10 a\n");
    net.settle();
    assert_eq!(causes(&net), ["player #0 of join was late 3 times (first at tick 0)"]);
}

#[test]
fn how_long_each_player_took_is_told_from_its_answers_to_its_line() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    for _ in 0..9 {
        net.turn(100);
        net.send(&clients[0], b"in 3 a\n");
        net.settle();
        net.turn(300);
        net.send(&clients[1], b"in 3 b\n");
        net.settle();
    }
    net.turn(THINK);
    let thinking = &net.shell.lockstep().unwrap().thinking;
    let millis = |of: &crate::net::Thinking| {
        let [median, most] = [of.times.percentile(50.0), of.times.worst()].map(|time| time.as_millis());
        (of.times.total(), median, most, of.waited.as_millis())
    };
    let [one, other] = [millis(&thinking[0]), millis(&thinking[1])];
    assert_eq!((one.0, one.2, one.3), (10, u128::from(THINK), 9 * 100 + u128::from(THINK)));
    assert_eq!((other.0, other.2, other.3), (10, u128::from(THINK), 9 * 400 + u128::from(THINK)));
    assert!((100..=125).contains(&one.1) && (400..=500).contains(&other.1), "{one:?} {other:?}");
}

#[test]
fn where_in_its_dialogue_a_player_was_late_is_told() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[0], b"say one\nin 3 a\nsay two\n");
    net.send(&clients[1], b"in 3 b\ntell 0 wake up\nin 30 c\n");
    net.settle();
    net.turn(THINK);
    net.settle();
    let report = net.shell.lockstep().unwrap();
    let moment = &report.late[0].moments[0];
    let heard = clients[0].text().lines().count() as u64 - 1;
    assert_eq!((moment.tick, moment.sent, moment.read), (3, 3, heard), "the greeting isn't counted");
    assert_eq!(moment.after.as_deref(), clients[0].text().lines().last());
    assert_eq!(causes(&net), ["player #0 of join was late 1 time (at tick 3)"]);
    // The first times are told one by one, all are counted.
    for _ in 0..MOMENTS + 5 {
        net.send(&clients[0], b"say more\n");
        net.settle();
        net.turn(THINK);
        net.settle();
    }
    assert!(net.shell.lockstep().unwrap().late[0].moments.len() <= MOMENTS);
}

#[test]
fn a_bank_is_charged_beyond_what_is_free_and_an_empty_one_makes_late() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(1));
    net.shell.keep_bank(Bank::new(Duration::from_millis(100), Duration::from_millis(150), Duration::MAX));
    let client = net.connect();
    net.send(&client, b"join\n");
    net.settle();
    // Three answers that take 160 ms each: 60 are charged for the first two, and for the third one there are 130.
    for answer in 1..=3 {
        net.turn(80);
        let until = if answer < 3 { 80 } else { 49 };
        net.turn(until);
        assert_eq!(causes(&net), [""; 0], "answer {answer}");
        if answer < 3 {
            net.send(&client, b"in 1 a\n");
            net.settle();
            assert_eq!(net.shell.tick(), answer);
        }
    }
    net.turn(1);
    assert_eq!(causes(&net), ["player #0 of join was late 1 time (at tick 2)"]);
}

#[test]
fn who_takes_what_is_free_without_end_is_charged_for_all_of_it() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(1));
    let [free, each, in_all] = [100, 150, 180].map(Duration::from_millis);
    net.shell.keep_bank(Bank::new(free, each, in_all));
    let client = net.connect();
    net.send(&client, b"join\n");
    net.settle();
    // Answers of 90 ms each: the first one is free, the second one goes beyond what is free in all, and 60 ms are left for the third.
    for answer in 1..=2 {
        net.turn(90);
        net.send(&client, b"in 1 a\n");
        net.settle();
        assert_eq!(net.shell.tick(), answer);
    }
    net.turn(1);
    net.send(&client, b"in 1 a\n");
    net.settle();
    assert_eq!(causes(&net), [""; 0]);
    net.turn(200);
    assert_eq!(causes(&net), ["player #0 of join was late 1 time (at tick 3)"]);
}
