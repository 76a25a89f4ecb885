//! The order within a turn: what the alarm woke the server for is run and written, then comes what was read.

use super::*;

#[test]
fn what_is_due_is_written_before_anything_is_read_and_answers_to_that_come_last() {
    let mut game = ScriptedGame::new(100);
    let mut net = Net::new(&mut game, &small());
    let (waiting, asking) = (net.connect(), net.connect());
    net.send(&waiting, b"join\nin 7 a\n");
    net.send(&asking, b"join\n");
    net.settle();
    let alarm = net.shell.next_turn().unwrap();
    assert_eq!(alarm, Duration::from_millis(70));
    let last = |client: &Client| client.text().lines().last().unwrap().to_owned();
    let unread = |client: &Client| client.wire.borrow().to_server.len();
    // A line comes just before the alarm, and the system tells of both at once.
    net.shell.advance(alarm);
    net.send(&asking, b"say now\n");
    assert_eq!((last(&waiting).as_str(), unread(&asking)), ("tick 7: 7 a", 8));
    net.shell.serve();
    assert_eq!((last(&asking).as_str(), unread(&asking)), ("WELCOME", 0));
    net.shell.flush();
    assert_eq!(last(&asking), "now");
    // The line counts at the tick that was reached before it was read.
    let line = (7, SeatId(1), "say now".to_owned());
    assert_eq!(net.shell.game.lines.last(), Some(&line));
}
