//! Matches that are debugged: without a limit of time, and tick by tick.

use std::num::NonZeroU32;
use std::time::Duration;

use super::{Setup, begun_with, causes, scripted, setup};
use crate::net::testing::Net;
use crate::net::{ENDLESS, Lockstep};

/// A month, in milliseconds.
const MONTH: u64 = 30 * 24 * 3_600 * 1_000;

fn endless(players: usize, step: bool) -> Setup {
    let mut setup = setup(players);
    setup.limits.handshake = ENDLESS;
    setup.lockstep = setup.lockstep.map(|lockstep| Lockstep {
        think_time: ENDLESS,
        lobby_time: ENDLESS,
        step,
        ..lockstep
    });
    setup
}

#[test]
fn without_a_limit_neither_a_name_nor_the_lobby_nor_a_line_is_ever_late() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &endless(2, false));
    let clients = [net.connect(), net.connect()];
    net.turn(MONTH);
    net.send(&clients[0], b"join\n");
    net.turn(MONTH);
    net.send(&clients[1], b"join\n");
    net.settle();
    net.send(&clients[1], b"in 3 a\n");
    net.turn(MONTH);
    let child = net.connect();
    net.turn(MONTH);
    assert_eq!(net.shell.tick(), 0, "it is still waited for");
    assert!(net.shell.next_turn().is_none_or(|next| next > net.at + Duration::from_millis(MONTH)));
    net.send(&child, b"join\nin 5 b\n");
    net.send(&clients[0], b"in 2 c\n");
    net.settle();
    assert_eq!(net.shell.tick(), 2);
    let report = net.shell.lockstep().unwrap();
    assert_eq!((report.late.len(), report.silent), (0, 0));
}

#[test]
fn each_tick_waits_until_it_is_allowed() {
    let mut game = scripted();
    let (mut net, clients) = begun_with(&mut game, 2, &endless(2, true));
    assert_eq!(net.shell.stands(), None, "both still owe a line");
    net.send(&clients[0], b"in 3 a\nin 3 b\nin 3 c\n");
    net.send(&clients[1], b"in 4 d\nin 90 e\n");
    net.settle();
    assert_eq!((net.shell.tick(), net.shell.stands()), (0, Some(0)));
    net.shell.allow(0);
    net.settle();
    assert_eq!(net.shell.tick(), 0);
    for tick in [3, 4] {
        net.shell.allow(1);
        net.turn(MONTH);
        net.settle();
        assert_eq!((net.shell.tick(), net.shell.stands()), (tick, Some(tick)));
    }
    // That goes on without stopping, as far as the players have spoken.
    net.shell.allow(u64::MAX);
    net.settle();
    assert_eq!((net.shell.tick(), net.shell.stands()), (9, None));
    assert_eq!(causes(&net), [""; 0]);
}

#[test]
fn a_tick_that_waits_to_be_allowed_causes_no_turn_however_fast_the_pace_is() {
    let mut setup = endless(1, true);
    setup.lockstep.as_mut().unwrap().pace = NonZeroU32::new(100);
    let mut game = scripted();
    let (mut net, clients) = begun_with(&mut game, 1, &setup);
    net.send(&clients[0], b"in 3 a\nin 90 b\n");
    for tick in [0, 3] {
        net.turn(1_000);
        net.settle();
        assert_eq!((net.shell.tick(), net.shell.stands(), net.shell.next_turn()), (tick, Some(tick), None));
        net.shell.allow(1);
    }
}
