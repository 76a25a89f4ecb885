//! Refusals found from anywhere, forwards and backwards, are those in the record.

use zappy_protocol::Tick;
use zappy_protocol::record::{Entry, RecordLine, Seat};
use zappy_protocol::zappy::PlayerId;
use zappy_screen_zappy::timeline::refusal::{next, previous};

use crate::support::{Dice, Match, opened, record};

#[test]
fn from_anywhere_the_next_and_the_one_before_are_found() {
    let bytes = record(&Match::small(3));
    let mut archive = opened(&bytes);
    let mut dice = Dice(11);
    for player in [0, 5, 23, 9_999] {
        let refused = |line| match RecordLine::parse(line) {
            Ok(RecordLine::Event(tick, Entry::Why(seat, _))) => {
                (seat == Seat::Number(player)).then_some(tick)
            }
            _ => None,
        };
        let ticks: Vec<Tick> = bytes.split(|&byte| byte == b'\n').filter_map(refused).collect();
        assert_eq!(ticks.is_empty(), player == 9_999);
        for _ in 0..30 {
            let from = dice.below(9_500);
            let later = ticks.iter().copied().find(|&tick| tick > from);
            let earlier = ticks.iter().copied().rev().find(|&tick| tick < from);
            assert_eq!(next(&mut archive, PlayerId(player), from).unwrap(), later, "player {player} {from}");
            assert_eq!(
                previous(&mut archive, PlayerId(player), from).unwrap(),
                earlier,
                "player {player} {from}"
            );
        }
    }
}
