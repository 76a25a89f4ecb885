//! The lockstep clock over a network in memory: rounds, lateness, endings, and that no order of arrival matters.

mod connections;
mod debugging;
mod lobby;
mod stalls;

use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;

use crate::net::shell::tests::scripted::ScriptedGame;
use crate::net::shell::{Lockstep, Setup};
use crate::net::testing::{Client, Net};
use zappy_game::{SeatId, Tick};

const THINK: u64 = 1_000;

fn setup(players: usize) -> Setup {
    let lockstep = Lockstep {
        wait_players: players,
        lobby_time: Duration::from_secs(30),
        think_time: Duration::from_millis(THINK),
        max_late: 3,
        pace: None,
        step: false,
        stop_line: b"stop".to_vec(),
    };
    Setup { seed: 1, lockstep: Some(lockstep), ..Setup::default() }
}

fn scripted() -> ScriptedGame {
    ScriptedGame::playing(100)
}

/// A match with so many clients that have joined.
fn begun<'g>(game: &'g mut ScriptedGame, players: usize) -> (Net<'g, ScriptedGame>, Vec<Client>) {
    begun_with(game, players, &setup(players))
}

fn begun_with<'g>(
    game: &'g mut ScriptedGame,
    players: usize,
    setup: &Setup,
) -> (Net<'g, ScriptedGame>, Vec<Client>) {
    let mut net = Net::new(game, setup);
    let clients: Vec<Client> = (0..players).map(|_| net.connect()).collect();
    for client in &clients {
        net.send(client, b"join\n");
    }
    net.settle();
    (net, clients)
}

fn told(game: &ScriptedGame) -> Vec<(Tick, u32, &str)> {
    game.lines.iter().map(|(tick, seat, line)| (*tick, seat.0, line.as_str())).collect()
}

fn causes(net: &Net<'_, ScriptedGame>) -> Vec<String> {
    net.shell.lockstep().unwrap().causes()
}

#[test]
fn no_tick_passes_before_all_players_are_in_and_have_sent_a_line() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(2));
    let first = net.connect();
    net.send(&first, b"join\nin 7 a\n");
    net.turn(5_000);
    assert_eq!((net.shell.tick(), first.text().as_str()), (0, "WELCOME\n"));
    let second = net.connect();
    net.send(&second, b"join\n");
    net.turn(20);
    assert_eq!(net.shell.tick(), 0);
    net.send(&second, b"in 9 b\n");
    net.settle();
    assert_eq!(net.shell.tick(), 7);
    assert!(first.text().ends_with("tick 7: 7 a\n") && second.text() == "WELCOME\n");
    assert_eq!(causes(&net), [""; 0]);
    drop(net);
    assert_eq!(told(&game), [(0, 0, "join"), (0, 1, "join"), (0, 1, "in 9 b"), (0, 0, "in 7 a")]);
}

#[test]
fn lines_that_were_sent_ahead_wait_for_their_round_and_none_is_dropped() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[0], "in 2 x\n".repeat(100).as_bytes());
    net.send(&clients[1], b"in 1 y\n");
    net.settle();
    assert_eq!(net.shell.tick(), 1, "the other one owes");
    net.send(&clients[1], b"in 500 z\n");
    net.settle();
    assert_eq!(clients[0].text().matches("x\n").count(), 100);
    assert_eq!(net.shell.tick(), 200);
}

#[test]
fn a_player_whose_lines_take_no_time_passes_after_ten_of_them_at_one_tick() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[0], "say x\n".repeat(25).as_bytes());
    net.send(&clients[1], b"in 4 a\nin 4 b\nin 400 c\n");
    net.settle();
    drop(net);
    let ticks: Vec<Tick> =
        game.lines.iter().filter(|(_, _, line)| line == "say x").map(|line| line.0).collect();
    assert_eq!(
        (ticks[..10].to_vec(), ticks[10..20].to_vec(), ticks[20..].to_vec()),
        (vec![0; 10], vec![4; 10], vec![8; 5])
    );
}

#[test]
fn a_round_waits_for_a_player_that_passes_since_it_may_still_open_a_connection() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[1], b"in 4 a\nin 4 b\n");
    net.send(&clients[0], "say x\n".repeat(10).as_bytes());
    net.settle();
    assert_eq!(net.shell.tick(), 0, "its next line isn't there");
    let child = net.connect();
    net.send(&child, b"join\n");
    net.settle();
    net.send(&clients[0], b"in 9 c\n");
    net.send(&child, b"in 9 d\n");
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (8, 0));
    drop(net);
    let told = told(&game);
    assert!(told.contains(&(0, 2, "join")) && told.contains(&(4, 0, "in 9 c")), "{told:?}");
}

#[test]
fn the_lines_of_a_round_come_in_the_order_that_the_game_draws() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 3);
    for client in [&clients[1], &clients[0], &clients[2]] {
        net.send(client, b"say a\nin 5 b\n");
    }
    net.settle();
    drop(net);
    let seats: Vec<u32> = told(&game).iter().map(|line| line.1).collect();
    let drawn: Vec<u32> = seats[..3].iter().rev().copied().collect();
    assert_eq!(seats[3..], [drawn.clone(), drawn].concat());
}

#[test]
fn a_late_player_is_counted_and_not_waited_for_until_it_speaks() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[1], b"in 3 a\nin 3 b\n");
    net.settle();
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK)));
    net.turn(THINK);
    net.settle();
    assert_eq!(net.shell.tick(), 6, "it is not waited for at the next tick either");
    assert_eq!(causes(&net), ["player #0 of join was late 1 time (at tick 0)"]);
    net.send(&clients[0], b"in 2 c\n");
    net.send(&clients[1], b"in 5 d\nin 5 e\n");
    net.settle();
    assert_eq!(net.shell.tick(), 8, "having spoken it is waited for");
    net.turn(THINK);
    net.settle();
    assert_eq!(net.shell.tick(), 16);
    assert_eq!(net.shell.lockstep().unwrap().late[0].late, 2);
}

#[test]
fn a_late_player_is_waited_for_again_as_soon_as_it_is_sent_a_line() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[1], b"in 3 a\nin 3 b\ntell 0 wake up\nin 3 c\n");
    net.settle();
    net.turn(THINK);
    net.settle();
    assert_eq!((net.shell.tick(), clients[0].text().as_str()), (6, "WELCOME\n0 wake up\n"));
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK)));
}

#[test]
fn a_late_player_has_its_think_time_again_once_it_has_sent_a_line() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[1], b"in 3 a\n");
    net.settle();
    net.turn(THINK);
    net.settle();
    net.turn(300);
    net.send(&clients[0], b"mumble\n");
    net.send(&clients[1], b"in 3 b\n");
    net.settle();
    assert_eq!((net.shell.tick(), clients[0].text().as_str()), (3, "WELCOME\n"));
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK)));
}

#[test]
fn a_player_that_has_sent_its_line_is_not_late_while_others_think() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[0], b"in 99 a\n");
    for _ in 0..4 {
        net.turn(900);
        net.send(&clients[1], b"in 3 b\n");
        net.settle();
    }
    assert_eq!((net.shell.tick(), causes(&net).len()), (12, 0));
}

#[test]
fn a_line_to_a_seat_gives_it_time_to_think_and_an_answer_to_its_own_line_does_not() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.turn(600);
    net.send(&clients[0], b"tell 1 something\n");
    net.send(&clients[1], b"say mine\n");
    net.settle();
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(400)));
    net.send(&clients[0], b"in 9 a\n");
    net.settle();
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK)));
}

#[test]
fn think_time_begins_anew_with_each_gathering_after_one_in_which_nothing_was_owed() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[0], b"in 9 a\n");
    net.send(&clients[1], b"in 3 b\n");
    net.turn(0);
    for _ in 0..3 {
        net.turn(800);
        net.send(&clients[1], b"in 2 c\n");
    }
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (9, 0));
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(THINK)));
}

#[test]
fn a_player_that_does_not_read_is_disconnected_at_a_time_of_its_own() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.set_room(&clients[0], 0);
    net.send(&clients[1], b"in 9 a\n");
    net.send(&clients[0], b"many 3000\n");
    net.settle();
    assert_eq!(causes(&net), ["player #0 of join was disconnected, it does not read"]);
    assert_eq!(net.shell.tick(), 9, "and not waited for");
}

#[test]
fn no_more_lines_are_taken_from_a_player_that_does_not_read_its_answers() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    net.set_room(&clients[0], 0);
    net.send(&clients[0], b"many 600\nin 3 a\n");
    net.settle();
    assert_eq!(net.shell.tick(), 0);
    net.set_room(&clients[0], usize::MAX);
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (3, 0));
}

#[test]
fn a_line_that_is_too_long_is_taken_as_one() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    net.send(&clients[0], &[b'x'; 5_000]);
    net.send(&clients[0], b"\nin 3 a\n");
    net.settle();
    assert_eq!(net.shell.tick(), 3);
    drop(net);
    assert_eq!(game.overflows, 1);
}

#[test]
fn a_player_that_is_late_too_often_is_ended_with_the_reason() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[1], b"in 10000 busy\n");
    for _ in 0..5 {
        net.send(&clients[0], b"say still here\n");
        net.settle();
        net.turn(THINK);
        net.settle();
    }
    assert!(clients[0].wire.borrow().server_ended);
    assert_eq!(causes(&net)[0], "player #0 of join was late 4 times (first at tick 0) and was ended for it");
    drop(net);
    assert_eq!(game.expelled, [(SeatId(0), "it was late more than 3 times".to_owned())]);
}

#[test]
fn the_time_that_others_think_is_not_ones_own() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[0], b"say x\n");
    net.settle();
    net.turn(THINK - 100);
    net.send(&clients[1], b"in 9 a\n");
    net.settle();
    assert!(clients[0].text().ends_with("x\n"), "only now is it answered");
    net.turn(THINK - 100);
    net.send(&clients[0], b"in 3 b\n");
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net)), (3, vec![]));
    // But answers that take no time share one think time.
    net.turn(THINK - 100);
    net.send(&clients[0], b"say y\n");
    net.settle();
    net.turn(100);
    assert_eq!(causes(&net), ["player #0 of join was late 1 time (at tick 3)"]);
}

#[test]
fn a_line_that_has_come_is_never_late_however_late_it_is_looked_at() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    // The system hasn't told of it yet.
    clients[0].wire.borrow_mut().to_server.extend(b"in 3 a\n");
    net.turn(THINK + 50);
    net.settle();
    assert_eq!((net.shell.tick(), causes(&net).len()), (3, 0));
}

#[test]
fn when_the_server_itself_stood_still_no_player_is_late() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    net.turn(THINK / 2);
    net.turn(60_000);
    net.settle();
    assert_eq!(causes(&net), [""; 0]);
    net.send(&clients[0], b"in 3 a\n");
    net.settle();
    net.turn(THINK);
    net.settle();
    assert_eq!(causes(&net).len(), 1);
}

#[test]
fn a_line_without_an_end_does_not_keep_the_others_waiting_for_longer() {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[1], b"in 3 a\n");
    for _ in 0..20 {
        net.send(&clients[0], &[b'x'; 50_000]);
        net.turn(THINK / 20);
    }
    assert_eq!((net.shell.tick(), causes(&net).len()), (3, 1));
}

/// What the game hears of a client that sends three lines and then ends, in order or by a reset.
fn hears_of(reset: bool) -> (Vec<(Tick, SeatId, String)>, [usize; 3]) {
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 2);
    net.send(&clients[0], b"in 3 a\nin 3 b\nin 3 c\nunfinished");
    if reset {
        net.break_off(&clients[0]);
    } else {
        net.end(&clients[0]);
    }
    net.send(&clients[1], b"in 4 x\nin 4 y\nin 40 z\n");
    net.settle();
    let causes = causes(&net).len();
    drop(net);
    (game.lines, [game.ended.len(), game.closed.len(), causes])
}

#[test]
fn it_makes_no_difference_how_a_program_ends() {
    let in_order = hears_of(false);
    let reset = hears_of(true);
    assert_eq!(in_order, reset);
    assert_eq!((in_order.0.len(), in_order.1), (8, [1, 0, 0]));
}

#[test]
fn the_console_can_only_end_a_match_that_has_begun() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(1));
    net.shell.console_line(b"say before");
    let client = net.connect();
    net.send(&client, b"join\n");
    net.settle();
    let before = net.shell.answers().weight();
    net.shell.console_line(b"say after");
    let words = "in lockstep only stop is taken once the match has begun
";
    assert_eq!(net.shell.answers().weight() - before, 64 + words.len());
    net.shell.console_line(b"stop");
    assert_eq!(causes(&net), ["the operator ended it at tick 0"]);
    drop(net);
    assert!(!game.lines.iter().any(|(_, _, line)| line == "say after"));
}

#[test]
fn an_end_by_the_operator_is_told_in_the_lobby_too_and_not_after_the_end() {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(1));
    net.shell.console_line(b"stop");
    assert_eq!(causes(&net), ["the operator ended it at tick 0"]);
    let mut game = scripted();
    let (mut net, clients) = begun(&mut game, 1);
    net.send(&clients[0], b"stop\n");
    net.settle();
    net.shell.console_line(b"stop");
    assert_eq!(causes(&net), [""; 0]);
}

#[test]
fn a_connection_that_is_turned_away_might_have_been_a_player() {
    let mut setup = setup(1);
    setup.limits.connections = 2;
    let mut game = scripted();
    let (mut net, _clients) = begun_with(&mut game, 1, &setup);
    let watcher = net.connect();
    net.send(&watcher, b"watch\n");
    net.settle();
    assert_eq!(causes(&net), [""; 0]);
    assert!(net.connect_from("127.0.0.1:9").is_err());
    assert_eq!(causes(&net), ["1 connection found no room"]);
}

#[test]
fn a_pace_holds_the_match_down_and_does_not_catch_up() {
    let mut setup = setup(1);
    setup.lockstep.as_mut().unwrap().pace = NonZeroU32::new(100);
    let mut game = scripted();
    let (mut net, clients) = begun_with(&mut game, 1, &setup);
    net.send(&clients[0], b"in 5 a\nin 5 b\n");
    net.settle();
    assert_eq!((net.shell.tick(), net.shell.next_turn()), (0, Some(Duration::from_millis(50))));
    net.turn(50);
    net.settle();
    assert_eq!((net.shell.tick(), net.shell.next_turn()), (5, Some(Duration::from_millis(100))));
    net.turn(50);
    net.turn(900);
    net.send(&clients[0], b"in 5 c\nin 5 d\n");
    net.settle();
    assert_eq!(net.shell.tick(), 15, "it thought for longer than its command takes");
    assert_eq!(net.shell.next_turn(), Some(net.at + Duration::from_millis(50)));
}

/// A program: what it sends next is a function of how many lines it has read.
const SCRIPT: [&str; 6] = ["in 3 a", "say b", "in 7 c", "in 1 d", "say e", "in 2 f"];

/// Plays three programs that answer each line. `turns` says for each turn which program acts, how many bytes it sends
/// at most, and how many milliseconds pass.
fn log_of(turns: &[(usize, usize, u64)]) -> Vec<(Tick, u32, String)> {
    let mut game = scripted();
    let mut net = Net::new(&mut game, &setup(3));
    let mut programs: Vec<(Option<Client>, usize, Vec<u8>)> = (0..3).map(|_| (None, 0, Vec::new())).collect();
    // Afterwards the programs act in turn until nothing changes any more.
    let rest = (0..300).map(|i| (i % 3, usize::MAX, 0));
    for (program, bytes, millis) in turns.iter().copied().chain(rest) {
        let (client, answered, unsent) = &mut programs[program % 3];
        let client = client.get_or_insert_with(|| net.connect());
        let read = client.text().lines().count();
        while *answered < read.min(30) {
            let name = if *answered == 0 { "join 1\n" } else { "" };
            unsent.extend(format!("{name}{}\n", SCRIPT[*answered % SCRIPT.len()]).bytes());
            *answered += 1;
        }
        let part: Vec<u8> = unsent.drain(..bytes.min(unsent.len())).collect();
        net.send(client, &part);
        net.turn(millis);
    }
    assert_eq!(causes(&net), [""; 0]);
    drop(net);
    let mut seats: Vec<SeatId> = Vec::new();
    let mut number = |seat: SeatId| {
        let known = seats.iter().position(|&other| other == seat);
        known.unwrap_or_else(|| {
            seats.push(seat);
            seats.len() - 1
        })
    };
    game.lines.into_iter().map(|(tick, seat, line)| (tick, number(seat) as u32, line)).collect()
}

proptest! {
    #[test]
    fn neither_the_order_of_arrival_nor_the_size_of_packets_changes_a_match(
        turns in proptest::collection::vec((0usize..3, 1usize..12, 0u64..20), 0..120),
    ) {
        let log = log_of(&turns);
        prop_assert!(log.len() > 60);
        prop_assert_eq!(log, log_of(&[]));
    }
}
