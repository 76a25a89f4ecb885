//! Lines that are taken later than they come: those of one packet, and those of a player that sends too many for nothing.

use super::*;
use zappy_game::Tick;

/// The lines that the game was handed after the first one, with their ticks.
fn heard(game: &ScriptedGame) -> Vec<(Tick, &str)> {
    game.lines.iter().skip(1).map(|(tick, _, line)| (*tick, line.as_str())).collect()
}

#[test]
fn lines_of_one_packet_that_take_time_are_taken_one_at_a_tick() {
    let mut game = ScriptedGame::pacing(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.send(&client, b"join\nin 9 a\nin 9 b\nsay x\nin 9 c\n");
    net.settle();
    assert_eq!(net.shell.next_turn(), Some(Duration::from_millis(10)));
    net.turn(10);
    // Another packet comes while a line of the first one waits.
    net.send(&client, b"in 9 d\nsay y\n");
    net.settle();
    // The server wakes late: each line has a tick of its own all the same.
    net.turn(30);
    net.settle();
    drop(net);
    let expected = [(0, "in 9 a"), (0, "say x"), (1, "in 9 b"), (1, "say y"), (2, "in 9 c"), (3, "in 9 d")];
    assert_eq!(heard(&game), expected);
}

#[test]
fn lines_in_packets_of_their_own_are_taken_when_they_come() {
    let mut game = ScriptedGame::pacing(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.send(&client, b"join\n");
    net.settle();
    for _ in 0..16 {
        net.send(&client, b"in 9 a\n");
        net.settle();
    }
    drop(net);
    assert_eq!(heard(&game), [(0, "in 9 a"); 16]);
}

#[test]
fn more_lines_than_may_wait_for_their_ticks_stay_unread_and_none_is_lost() {
    let mut game = ScriptedGame::pacing(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.send(&client, b"join\n");
    net.send(&client, "in 1 a\n".repeat(200).as_bytes());
    for _ in 0..200 {
        net.settle();
        net.turn(10);
    }
    drop(net);
    let ticks: Vec<Tick> = heard(&game).iter().map(|(tick, _)| *tick).collect();
    assert_eq!(ticks, (0..200).collect::<Vec<Tick>>());
}

#[test]
fn an_end_comes_at_once_whatever_waits_for_its_tick() {
    let mut game = ScriptedGame::pacing(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.send(&client, b"join\nin 9 a\nin 9 b\n");
    net.settle();
    net.end(&client);
    net.settle();
    net.turn(50);
    drop(net);
    assert_eq!((heard(&game), game.ended.len()), (vec![(0, "in 9 a")], 1));
}

#[test]
fn a_player_whose_lines_bring_nothing_is_heard_later() {
    let setup = small();
    let setup = Setup { limits: Limits { idle_credit: 10, ..setup.limits }, ..setup };
    let mut game = ScriptedGame::new(50);
    let mut net = Net::new(&mut game, &setup);
    let (flood, other) = (net.connect(), net.connect());
    net.send(&flood, b"join\n");
    net.send(&other, b"join\n");
    net.send(&flood, "say x\n".repeat(40).as_bytes());
    let answers = |client: &Client| client.text().matches("x\n").count();
    net.settle();
    assert_eq!(answers(&flood), 11, "ten are free, and the next one makes it wait");
    net.send(&other, b"say x\n");
    net.settle();
    assert_eq!(answers(&other), 1, "no other player waits");
    for more in 1..=29 {
        net.turn(10);
        net.settle();
        assert_eq!(answers(&flood), 11 + more, "a hundred in each second, though it has only fifty ticks");
    }
    net.turn(10_000);
    net.send(&flood, b"say x\n");
    net.settle();
    assert_eq!(answers(&flood), 41);
}
