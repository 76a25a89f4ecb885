//! Before the match: who is waited for, who is counted, who comes in first.

use std::time::Duration;

use super::{causes, parrot, setup};
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
