//! The whole loop over a network in memory: one promise per test.

use std::time::Duration;

use super::{Foul, Refused, Setup, Shell};
use crate::net::connection::Key;
use crate::net::limits::Limits;
use crate::net::shell::tests::scripted::ScriptedGame;
use crate::net::testing::{Client, FakeStream, Net};
use zappy_game::SeatId;

mod endings;
mod lockstep;
mod observers;
mod order;
mod pace;
mod scripted;
mod simulation;
mod turns;

/// The weight of a snapshot of the test's game, which is more than a player's outbox holds.
pub(super) const SNAPSHOT: usize = 402 * 75;

pub(super) fn small() -> Setup {
    let limits = Limits {
        line: 100,
        player_outbox: 20_000,
        observer_outbox: 5_000,
        read_mark: 2_000,
        connections: 50,
        per_address: 3,
        ..Limits::default()
    };
    Setup { limits, seed: 1, ..Setup::default() }
}

#[test]
fn a_server_that_stays_lets_connections_in_and_never_answers_them() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &Setup { stay: Some(b"stop".to_vec()), ..small() });
    let (player, observer) = (net.connect(), net.connect());
    net.send(&player, b"join\n");
    net.send(&observer, b"watch\n");
    net.settle();
    let told = observer.text().len();
    net.send(&player, b"pub 1\nstop\n");
    net.settle();
    assert!(observer.text()[told..].starts_with("pub 0"), "{}", observer.text());
    let late = net.connect();
    net.send(&late, b"join\nsay x\n");
    // Long after the time in which it would have to name itself.
    net.turn(200_000);
    net.settle();
    assert_eq!((late.text().as_str(), net.shell.closed()), ("", 0));
    assert!(net.shell.finished().is_none() && net.shell.next_turn().is_none());
    net.end(&late);
    net.reset(&player);
    net.settle();
    assert!(late.wire.borrow().server_ended && net.shell.closed() == 2, "it lets go of those that leave");
    net.shell.console_line(b"stop");
    net.turn(10_000);
    assert_eq!(net.shell.finished().unwrap().reason, "stopped");
}

#[test]
fn lines_come_in_pieces_and_are_answered_at_their_tick() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.settle();
    net.send(&client, b"in 7 a\nsa");
    net.settle();
    net.send(&client, b"y now\r\n");
    net.settle();
    assert_eq!(client.text(), "WELCOME\nnow\n");
    assert_eq!(net.shell.next_turn(), Some(Duration::from_millis(70)));
    net.turn(69);
    assert_eq!(client.text(), "WELCOME\nnow\n");
    net.turn(1);
    assert_eq!(client.text(), "WELCOME\nnow\ntick 7: 7 a\n");
    assert_eq!(net.shell.lateness.worst(), Duration::ZERO);
}

#[test]
fn a_late_turn_runs_every_tick_by_itself_and_before_what_came() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.send(&client, b"join\nin 3 a\nin 5 b\nin 5 c\nin 0 d\nsay x\n");
    net.settle();
    net.send(&client, b"say late\n");
    net.turn(500);
    let text = "WELCOME\ntick 0: 0 d\nx\ntick 3: 3 a\ntick 5: 5 b\ntick 5: 5 c\nlate\n";
    assert_eq!(client.text(), text);
    drop(net);
    assert_eq!(game.lines.last().unwrap().0, 50);
}

#[test]
fn a_stopped_server_sets_its_clock_back_instead_of_racing() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.send(&client, b"join\nin 10 a\nin 20 b\n");
    net.settle();
    net.turn(3_600_000);
    assert_eq!(net.shell.tick(), 10);
    assert_eq!(net.shell.next_turn(), Some(Duration::from_millis(3_600_100)));
}

#[test]
fn time_stands_still_while_lines_are_still_taken() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.send(&client, b"join\nin 10 a\n");
    net.turn(50);
    net.shell.console_line(b"rate 0");
    net.turn(10_000);
    assert_eq!((net.shell.tick(), net.shell.next_turn()), (5, None));
    net.send(&client, b"say there\n");
    net.settle();
    assert!(client.text().ends_with("there\n"));
    net.shell.console_line(b"rate 1000");
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(10)));
}

#[test]
fn a_silent_connection_is_closed_and_a_player_is_not() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let (silent, player) = (net.connect(), net.connect());
    net.send(&player, b"join\n");
    net.settle();
    let limit = small().limits.handshake;
    assert_eq!(net.shell.next_turn(), Some(limit));
    net.turn(u64::try_from(limit.as_millis()).unwrap());
    assert!(silent.wire.borrow().dropped && !player.wire.borrow().dropped);
    assert_eq!(net.shell.next_turn(), None);
    drop(net);
    assert_eq!(game.closed, [SeatId(0)]);
}

#[test]
fn a_half_close_is_told_after_the_last_line_and_answered() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.send(&client, b"join\nin 7 last\nunfinished");
    net.end(&client);
    net.settle();
    net.turn(70);
    assert_eq!(client.text(), "WELCOME\ntick 7: 7 last\n");
    net.shell.console_line(b"unheard");
    net.settle();
    drop(net);
    assert_eq!((game.ended.len(), game.closed.len(), game.lines.len()), (1, 0, 3));
}

#[test]
fn a_reset_is_told_once() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.settle();
    net.reset(&client);
    net.settle();
    assert!(client.wire.borrow().dropped);
    drop(net);
    assert_eq!(game.closed, [SeatId(0)]);
}

#[test]
fn a_closed_seat_reads_everything_and_its_own_bytes_are_thrown_away() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.set_room(&client, 10);
    net.send(&client, b"join\nmany 20\nbye\nsay more\n");
    net.settle();
    assert!(!client.wire.borrow().server_ended);
    net.set_room(&client, usize::MAX);
    net.send(&client, &[b'x'; 100_000]);
    net.settle();
    assert!(client.wire.borrow().server_ended && !client.wire.borrow().dropped);
    assert_eq!(client.text().lines().count(), 21);
    assert!(client.wire.borrow().to_server.is_empty());
    net.end(&client);
    net.settle();
    assert!(client.wire.borrow().dropped);
    drop(net);
    assert_eq!((game.closed.len(), game.lines.len()), (0, 3));
}

#[test]
fn a_closed_seat_that_never_reads_is_cut_off() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let client = net.connect();
    net.set_room(&client, 10);
    net.send(&client, b"join\nbye\n");
    net.settle();
    net.turn(5_000);
    net.settle();
    assert!(client.wire.borrow().dropped);
}

#[test]
fn a_player_that_does_not_read_is_held_back_and_one_over_its_limit_is_cut_off() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let (held, lost) = (net.connect(), net.connect());
    net.settle();
    for client in [&held, &lost] {
        net.set_room(client, 0);
        net.send(client, b"join\n");
    }
    net.send(&held, "many 1\n".repeat(1000).as_bytes());
    net.send(&lost, b"many 1000\n");
    net.settle();
    assert!(lost.wire.borrow().dropped && !held.wire.borrow().dropped);
    net.set_room(&held, usize::MAX);
    net.settle();
    assert_eq!(held.text().lines().count(), 1001);
    drop(net);
    assert_eq!(game.closed, [SeatId(1)]);
}

#[test]
fn an_endless_line_and_a_flood_cost_others_nothing() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let (endless, flood, other) = (net.connect(), net.connect(), net.connect());
    net.settle();
    net.send(&endless, &vec![b'x'; 1 << 20]);
    net.send(&flood, "say 1\n".repeat(10_000).as_bytes());
    net.send(&other, b"join\nsay hello\n");
    net.turn(1);
    assert!(other.text().ends_with("hello\n"));
    assert!(endless.wire.borrow().to_server.len() > 1_000_000, "taken at once");
    assert!(flood.text().lines().count() <= 129);
    net.send(&endless, b"\nsay sorry\n");
    net.settle();
    assert!(endless.text().ends_with("sorry\n"));
    assert_eq!(flood.text().lines().count(), 10_001);
    drop(net);
    assert_eq!(game.overflows, 1);
}

#[test]
fn there_is_room_for_so_many_in_all_and_from_one_address() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let far: Vec<Client> = (0..3).map(|_| net.connect_from("192.0.2.1:7").unwrap()).collect();
    assert_eq!(net.connect_from("192.0.2.1:8").unwrap_err(), Refused::FullAddress(3));
    for _ in 0..47 {
        net.connect();
    }
    assert_eq!(net.connect_from("[::1]:8").unwrap_err(), Refused::Full(50));
    net.settle();
    net.reset(&far[0]);
    net.settle();
    assert!(net.connect_from("192.0.2.1:8").is_ok());
}

/// The order in which ten waiting clients are given their seats.
fn order_at_the_gate(seed: u64) -> Vec<usize> {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &Setup { seed, opening: vec![b"gate 0".to_vec()], ..small() });
    let clients: Vec<Client> = (0..10).map(|_| net.connect()).collect();
    for (i, client) in clients.iter().enumerate() {
        net.send(client, format!("client {i}\n").as_bytes());
    }
    net.settle();
    assert!(clients.iter().all(|client| client.text().is_empty()));
    net.reset(&clients[3]);
    net.shell.console_line(b"gate 1");
    net.settle();
    drop(net);
    let mut named: Vec<(SeatId, usize)> = game
        .lines
        .iter()
        .filter_map(|(_, seat, line)| Some((*seat, line.strip_prefix("client ")?.parse().ok()?)))
        .collect();
    named.sort_unstable();
    named.into_iter().map(|(_, client)| client).collect()
}

#[test]
fn the_gate_holds_all_connections_and_lets_them_in_in_drawn_order() {
    let order = order_at_the_gate(1);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
    assert_eq!(order_at_the_gate(1), order);
    assert_ne!(order_at_the_gate(2), order);
    assert_ne!(order, sorted);
}

#[test]
fn a_refused_opening_line_is_named() {
    let mut game = ScriptedGame::new(100);
    let opening = ["# a position", "gate 1", "", "nonsense"].map(|line| line.as_bytes().to_vec()).to_vec();
    let error = Shell::<_, FakeStream>::new(&mut game, &Setup { opening, ..small() }).err().unwrap();
    assert_eq!(error.to_string(), "line 4: unknown word nonsense");
}

#[test]
fn the_console_answers_are_bounded() {
    let mut game = ScriptedGame::new(100);
    let mut setup = small();
    setup.limits.console_outbox = 1_000;
    let mut net = Net::new(&mut game, &setup);
    net.shell.console_line(b"many 1000");
    assert!(net.shell.answers().weight() < 1_200);
}

#[test]
fn the_end_is_written_to_all_and_waits_for_none_of_them_for_long() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let (reader, stuck, watcher) = (net.connect(), net.connect(), net.connect());
    net.send(&watcher, b"watch\n");
    net.settle();
    net.set_room(&stuck, 3);
    net.send(&reader, b"say last words\n");
    net.send(&stuck, b"say never read\n");
    net.settle();
    net.shell.console_line(b"pub 1");
    net.shell.console_line(b"stop");
    net.shell.console_line(b"say too late");
    net.settle();
    assert!(net.shell.finished().is_none());
    assert!(reader.wire.borrow().server_ended && reader.text().ends_with("last words\n"));
    assert!(watcher.text().lines().last().unwrap().starts_with("pub 0"));
    net.end(&reader);
    net.end(&watcher);
    net.settle();
    assert!(net.shell.finished().is_none());
    assert_eq!(net.connect_from("127.0.0.1:1").unwrap_err(), Refused::Over);
    net.turn(3_000);
    assert_eq!(net.shell.finished().unwrap().reason, "stopped");
}

#[test]
fn a_match_that_ends_before_it_begins_waits_for_nothing() {
    let mut game = ScriptedGame::new(100);
    let net = Net::new(&mut game, &Setup { opening: vec![b"stop".to_vec(), b"say x".to_vec()], ..small() });
    assert_eq!(net.shell.next_turn(), Some(Duration::ZERO));
    assert!(net.shell.finished().is_some());
}

/// Checks what an observer read: published lines follow one another, and after a gap a snapshot names the line at
/// which the gap began and goes on at the one where it ended.
pub(super) fn check_observer(text: &str) {
    let (mut next, mut in_snapshot) = (None, false);
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    for line in whole.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "snapshot" => {
                assert!(!in_snapshot, "a snapshot in a snapshot");
                let expected = next.map_or("new".to_owned(), |count: u64| count.to_string());
                assert_eq!(words[1], expected, "the gap begins elsewhere");
                next = Some(words[2].parse().unwrap());
                in_snapshot = true;
            }
            "tile" => assert!(in_snapshot),
            "end" => in_snapshot = false,
            "pub" => {
                assert!(!in_snapshot, "published within a snapshot");
                assert_eq!(Some(words[1].parse().unwrap()), next, "a published line is missing");
                next = next.map(|count| count + 1);
            }
            // An answer.
            _ => {}
        }
    }
}

#[test]
fn a_burst_disconnects_no_player_that_reads() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let (reader, sleeper) = (net.connect(), net.connect());
    net.send(&reader, b"join\n");
    net.send(&sleeper, b"join\n");
    net.settle();
    net.set_room(&sleeper, 0);
    net.send(&reader, b"many 1000\n");
    net.send(&sleeper, b"many 1000\n");
    net.settle();
    assert_eq!(reader.text().matches("answer").count(), 1000);
    assert!(!reader.wire.borrow().dropped && sleeper.wire.borrow().dropped);
}

#[test]
fn one_line_of_any_length_fits() {
    let mut game = ScriptedGame::new(100);
    let mut setup = small();
    setup.limits.line = 100_000;
    let mut net = Net::new(&mut game, &setup);
    let player = net.connect();
    net.send(&player, b"join\n");
    net.settle();
    net.set_room(&player, 10);
    net.send(&player, format!("say {}\n", "z".repeat(90_000)).as_bytes());
    net.settle();
    net.set_room(&player, usize::MAX);
    net.settle();
    assert!(player.text().ends_with("zzz\n") && !player.wire.borrow().dropped);
}

#[test]
fn a_connection_that_left_before_the_gate_opened_takes_no_place() {
    let mut game = ScriptedGame::new(100);
    let setup = Setup { opening: vec![b"gate 0".to_vec()], ..small() };
    let mut net = Net::new(&mut game, &setup);
    let (ghost, guest) = (net.connect(), net.connect());
    net.send(&ghost, b"join\n");
    net.end(&ghost);
    net.send(&guest, b"join\n");
    net.settle();
    net.shell.console_line(b"gate 1");
    net.settle();
    assert!(ghost.wire.borrow().dropped && guest.text() == "WELCOME\n");
    drop(net);
    assert_eq!(game.seats, 1);
}

#[test]
fn a_connection_that_is_held_to_a_name_says_no_other() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let mut told = false;
    for name in ["join 1", "join 2", "watch", "junk", "junk"] {
        net.shell.door_news();
        let client = net.connect();
        net.shell.hold_to(Key(net.shell.peers.next_key), b"join 1".to_vec());
        net.settle();
        net.send(&client, format!("{name}\nsay x\n").as_bytes());
        net.settle();
        let known = name != "junk";
        let foul = Foul { name: b"join 1".to_vec(), said: name.as_bytes().to_vec(), known };
        let (fouls, text) = match name {
            "join 1" => (Vec::new(), "WELCOME\nx\n"),
            // It is told once.
            "junk" if told => (Vec::new(), "WELCOME\nx\n"),
            "junk" => (vec![foul], "WELCOME\nx\n"),
            _ => (vec![foul], "WELCOME\n"),
        };
        told |= !known;
        assert_eq!((net.shell.door_news().fouls, client.text().as_str()), (fouls, text), "{name}");
    }
    drop(net);
    assert!(game.lines.iter().all(|(_, _, line)| line != "join 2" && line != "watch"), "{:?}", game.lines);
}
