//! Connections and players that end at odd moments, over a network in memory.

use super::*;
use zappy_game::{SeatedPlayer, Stand};

#[test]
fn a_connection_that_closed_its_side_and_breaks_later_is_removed_although_nothing_is_written() {
    for word in ["watch\n", "join\n", ""] {
        let mut game = ScriptedGame::new(100);
        let mut net = Net::new(&mut game, &small());
        let client = net.connect();
        net.send(&client, word.as_bytes());
        net.end(&client);
        net.settle();
        assert!(!client.wire.borrow().dropped);
        net.reset(&client);
        net.settle();
        assert!(client.wire.borrow().dropped, "{word:?}");
        drop(net);
        assert_eq!((game.ended.len(), game.closed.len()), (1, 1));
    }
}

#[test]
fn connections_that_were_to_be_let_in_when_the_match_ended_keep_no_turn_going() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &Setup { opening: vec![b"gate 0".to_vec()], ..small() });
    let client = net.connect();
    net.settle();
    net.shell.console_line(b"gate 1");
    net.shell.console_line(b"stop");
    net.settle();
    assert!(client.wire.borrow().server_ended && net.shell.finished().is_none());
    assert!(net.shell.next_turn().is_some_and(|next| next > net.at));
}

#[test]
fn a_player_that_ends_while_its_client_is_waited_for_is_taken_over_by_none() {
    let mut game = ScriptedGame::new(100);
    game.seats = 1;
    let players = vec![SeatedPlayer { name: b"join".to_vec(), open: true }];
    let rate = std::num::NonZeroU32::new(100);
    let stand = Stand { tick: 5, gate: true, rate, published: 0, resumed: vec![5], players };
    let mut net = Net::new(&mut game, &Setup { stand: Some(stand), ..small() });
    net.turn(1_000);
    assert_eq!(net.shell.tick(), 5, "a client is waited for");
    net.shell.console_line(b"drop 0");
    net.turn(1_000);
    assert_eq!(net.shell.tick(), 105);
    let client = net.connect();
    net.send(&client, b"join\n");
    net.settle();
    drop(net);
    assert_eq!(game.lines.last(), Some(&(105, SeatId(1), "join".to_owned())));
}
