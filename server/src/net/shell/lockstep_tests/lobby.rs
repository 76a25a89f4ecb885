//! Before the match: who is waited for, who is counted, who comes in first.

use std::time::Duration;

use super::{causes, parrot, setup};
use crate::game::Tick;
use crate::net::shell::Setup;
use crate::net::testing::Net;

#[test]
fn the_lobby_waits_for_its_time_and_then_goes_on_without_the_others() {
    let mut game = parrot();
    let mut net = Net::new(&mut game, &setup(3));
    net.turn(100_000);
    assert_eq!(net.shell.next_turn(), None, "nobody is there");
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
fn more_players_of_one_team_than_have_room_begin_no_match_without_the_other() {
    let mut game = parrot();
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

/// Who comes in, in order, when so many more of team 1 ask for it than there is room for.
fn teams_drawn(surplus: usize, seed: u64) -> Vec<String> {
    let mut game = parrot();
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
fn who_finds_no_room_has_no_part_in_the_draw() {
    for seed in 0..20 {
        let drawn = teams_drawn(0, seed);
        assert_eq!(drawn.iter().filter(|name| *name == "join 1").count(), 3);
        assert_eq!([teams_drawn(1, seed), teams_drawn(4, seed)], [drawn.clone(), drawn]);
    }
}

/// What becomes of a program that names its team, says more, and breaks off; `slow`: the server learns of
/// all that at once.
fn short_lived(slow: bool) -> Vec<(Tick, u32, String)> {
    let mut game = parrot();
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
fn who_breaks_off_in_the_lobby_has_come_however_early_that_is_noticed() {
    let noticed_late = short_lived(false);
    assert_eq!((short_lived(true), noticed_late.len()), (noticed_late, 6));
}
