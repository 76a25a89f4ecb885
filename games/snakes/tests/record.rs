//! A match of snakes as the server plays it: its record proves it, and a late observer is told what was published.

use std::collections::BTreeMap;

use zappy_game::config::MatchConfig;
use zappy_game::{Game, GameSpec, Input, Line, MatchSpec, SeatId};
use zappy_game_snakes::SPEC;
use zappy_protocol::record::{Entry, RecordLevel, RecordLine};
use zappy_protocol::{MapSize, TeamName};
use zappy_server::record::{Recorder, header, verify};

static GAMES: &[GameSpec] = &[SPEC];

#[test]
fn two_heads_that_meet_are_out_and_the_record_proves_it() {
    let teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    let config =
        MatchConfig { seed: 7, publish: true, ..MatchConfig::new(MapSize::new(8, 4).unwrap(), teams) };
    let spec = MatchSpec::new(&GAMES[0], config);
    let mut game = Recorder::new(spec.begin().unwrap(), Vec::new(), &header(&spec, RecordLevel::Full));
    let mut hand_in = |now, seat, input: Input<'_>| game.hand_in(now, SeatId(seat), input);
    for (seat, team) in [(0, "red"), (1, "blue")] {
        hand_in(0, seat, Input::Open);
        hand_in(0, seat, Input::Line(team.as_bytes()));
    }
    // From 2 1 and from 6 3 to 5 1, where food lies. Blue says nothing in the last turn and keeps its direction.
    for (now, red, blue) in [(1, "east", "west"), (2, "east", "north"), (3, "up", "")] {
        hand_in(now, 0, Input::Line(red.as_bytes()));
        hand_in(now, 1, Input::Line(blue.as_bytes()));
    }
    hand_in(30, 1, Input::Line(b"too late"));
    let verdict = game.report().verdict;
    let standings: Vec<_> =
        verdict.standings.iter().map(|one| (one.team.as_str(), one.rank, one.score)).collect();
    assert_eq!(
        (verdict.reason, verdict.won, standings),
        ("draw", false, vec![("red", 1, 2), ("blue", 1, 2)])
    );
    let mut late = Vec::new();
    game.snapshot(None, &mut late);
    let record = game.finish().1.unwrap();
    assert!(verify(&record, GAMES).unwrap().complete);
    let cells = |lines: &mut dyn Iterator<Item = Vec<u8>>| {
        let cells = lines.filter(|line| line.starts_with(b"cel "));
        let mut shown: BTreeMap<Vec<u8>, Vec<u8>> = cells.map(|line| (line[..7].to_vec(), line)).collect();
        shown.retain(|_, line| !line.ends_with(b" ."));
        shown
    };
    let published =
        cells(&mut record.split(|&byte| byte == b'\n').filter_map(|line| match RecordLine::parse(line) {
            Ok(RecordLine::Snapshot(line) | RecordLine::Event(_, Entry::Published(line))) => Some(line),
            _ => None,
        }));
    assert_eq!(cells(&mut late.iter().flat_map(Line::lines).map(<[u8]>::to_vec)), published);
    assert!(!published.is_empty());
}
