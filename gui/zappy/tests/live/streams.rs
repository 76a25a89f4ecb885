//! The streams of other implementations: told by a scripted server, shown properly.

use std::time::Instant;

use zappy_observer::source::live::{SourceNews, SourceState};
use zappy_protocol::Position;
use zappy_protocol::zappy::{EggId, PlayerId, Resource};
use zappy_screen_zappy::timeline::{ZappyFeed, ZappyPlayhead};

use crate::fake::{Fake, wait};

/// Watches a scripted stream to its end: `> ` the server says, `< ` it hears, `#` is a comment.
fn watched(script: &'static str, end: &'static str) -> ZappyFeed {
    let fake = Fake::one(move |mut peer| {
        for line in script.lines() {
            if let Some(said) = line.strip_prefix("> ") {
                peer.say(&format!("{said}{end}"));
            } else if let Some(heard) = line.strip_prefix("< ") {
                assert_eq!(peer.hear(), heard);
            }
        }
    });
    let mut live = fake.watch();
    let mut feed = ZappyFeed::new(Instant::now());
    wait(&mut live, |news| {
        match news {
            SourceNews::Began(at, _) => feed.begin(*at),
            SourceNews::Lines(batch) => feed.take(batch),
            SourceNews::State(SourceState::Ended) => return Some(()),
            SourceNews::State(_) | SourceNews::Reached(..) => {}
        }
        None
    });
    drop(live);
    fake.end();
    feed
}

#[test]
fn an_older_server_is_understood() {
    for end in ["\n", "\r\n"] {
        let mut feed = watched(include_str!("../streams/older.txt"), end);
        let mirror = feed.history.state.mirror();
        let alive: Vec<u32> = mirror.players.keys().map(|player| player.0).collect();
        assert_eq!(alive, [0, 2, 4]);
        let first = &mirror.players[&PlayerId(0)];
        assert_eq!((first.at, first.level.get()), (Position { x: 2, y: 1 }, 2));
        assert_eq!(first.inventory.get(Resource::Food), 11);
        assert!(mirror.eggs.is_empty() && mirror.incantations.is_empty());
        assert_eq!((mirror.rate, mirror.on_ground(Resource::Linemate)), (50, 2));
        assert_eq!(mirror.winner.as_ref().map(zappy_protocol::TeamName::as_str), Some("red"));
        let roster = &feed.history.overview.roster;
        assert_eq!(roster.layer_of(EggId(2)), Some(PlayerId(0)));
        assert_eq!(roster.team_of(PlayerId(3)).map(|team| roster.name(team)), Some("blue"));

        let counts = &feed.counts;
        assert_eq!((counts.lines, counts.unknown, counts.malformed), (41, 2, 1), "{counts:?}");
        // Players 7 and 99 were never told of.
        assert_eq!((counts.misfits, counts.too_long), (2, 0), "{counts:?}");
        assert_eq!(counts.last_bad.as_deref(), Some(""));

        let last = feed.last_tick();
        let mut playhead = ZappyPlayhead::new();
        playhead.go_to(&mut feed.spool, last).unwrap();
        assert_eq!(playhead.fold().mirror(), feed.history.state.mirror());
    }
}

#[test]
fn a_server_that_tells_nothing_by_itself_is_asked() {
    let feed = watched(include_str!("../streams/silent.txt"), "\n");
    let mirror = feed.history.state.mirror();
    assert_eq!((mirror.rate, mirror.on_ground(Resource::Linemate), mirror.teams.len()), (50, 2, 1));
    assert!(mirror.players.contains_key(&PlayerId(0)) && mirror.eggs.is_empty());
    let counts = &feed.counts;
    assert_eq!(counts.kinds, [("xyz".to_owned(), 2), ("abc".to_owned(), 1)]);
    assert_eq!((counts.unknown, counts.malformed, counts.misfits), (3, 0, 0), "{counts:?}");
}
