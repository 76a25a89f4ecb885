//! Rounds without a server: who is asked, whose line is taken, and when time passes.

use zappy_game::config::{Clock, MatchConfig};
use zappy_game::rounds::{Reads, Rounds};
use zappy_game_zappy::{Zappy, ZappyOptions};
use zappy_protocol::{MapSize, TeamName};

#[derive(Debug, Default)]
struct Ear(Vec<String>);

impl Reads for Ear {
    fn read(&mut self, line: &[u8]) {
        self.0.push(String::from_utf8_lossy(line).into_owned());
    }
}

/// A match in which so many connections of the only team, which has two slots, want to play.
fn rounds(connections: usize) -> Rounds<Zappy, Ear> {
    let team = TeamName::parse(b"red").unwrap();
    let config =
        MatchConfig { clock: Clock::Lockstep, ..MatchConfig::new(MapSize::new(5, 5).unwrap(), vec![team]) };
    let mut rounds =
        Rounds::new(Zappy::new(&config, ZappyOptions { slots: 2, ..ZappyOptions::default() }), 0);
    for _ in 0..connections {
        let seat = rounds.enter(0, Ear::default());
        rounds.seats[seat].lines.push_back(b"red".to_vec());
    }
    assert!(rounds.gather().is_empty() && rounds.play());
    rounds
}

#[test]
fn those_without_room_are_turned_away() {
    let mut rounds = rounds(3);
    let plays: Vec<bool> = rounds.seats.iter().map(|seat| seat.plays && !seat.gone).collect();
    assert_eq!(plays, [true, true, false]);
    assert_eq!(rounds.seats[2].player.0, ["WELCOME", "ko"]);
    let mut asked = rounds.gather();
    asked.sort_unstable();
    assert_eq!((asked, rounds.arriving(0)), (vec![0, 1], 0));
}

#[test]
fn a_round_takes_a_line_of_each_and_time_passes_to_what_is_due() {
    let mut rounds = rounds(2);
    rounds.seats[0].lines.extend([b"Forward".to_vec(), b"Inventory".to_vec()]);
    rounds.gather();
    assert!(rounds.play());
    assert_eq!(rounds.gather(), [1], "the other one is busy");
    assert!(!rounds.play());
    assert_eq!((rounds.begin_tick(), rounds.now()), (Some(true), 7));
    assert_eq!(rounds.seats[0].player.0.last().unwrap(), "ok");
    assert_eq!(rounds.gather().len(), 2);
    assert!(rounds.play() && rounds.gather() == [1]);
}

#[test]
fn lines_that_take_no_time_are_bounded_by_the_tick() {
    let mut rounds = rounds(1);
    rounds.seats[0].lines.extend(vec![b"Incantation".to_vec(); 30]);
    let mut played = 0;
    while !rounds.gather().is_empty() && rounds.play() {
        played += 1;
    }
    assert_eq!((played, rounds.seats[0].lines.len()), (10, 20));
    while rounds.begin_tick() != Some(true) {}
    rounds.gather();
    assert!(rounds.play());
}

#[test]
fn a_line_from_the_console_ends_it() {
    let mut rounds = rounds(1);
    rounds.operate(b"/quit");
    assert_eq!(rounds.verdict.as_ref().map(|verdict| verdict.reason), Some("stopped"));
    assert!(rounds.seats[0].gone && rounds.gather().is_empty() && !rounds.play());
}
