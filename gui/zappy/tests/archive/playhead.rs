//! Seeking equals playing, on records and on the spool, in whatever order ticks are asked for.

use zappy_observer::timeline::archive::Archive;
use zappy_observer::timeline::fold::Fold as _;
use zappy_observer::timeline::playhead::Arrival;
use zappy_observer::timeline::spool::{Limits, Spool};
use zappy_protocol::Tick;
use zappy_protocol::record::{Entry, RecordLine};
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_screen_zappy::timeline::ZappyPlayhead;
use zappy_screen_zappy::timeline::state::{LOOKBACK, ZappyState};

use crate::spool::Memory;
use crate::support::{Dice, Match, opened, record};

/// Each message with its tick, read in the plainest way; the opening snapshot apart.
pub fn messages(bytes: &[u8]) -> (Vec<Message>, Vec<(Tick, Message)>) {
    let (mut snapshot, mut events, mut opening) = (Vec::new(), Vec::new(), true);
    for line in bytes.split(|&byte| byte == b'\n') {
        match RecordLine::parse(line) {
            Ok(RecordLine::Snapshot(text)) if opening => snapshot.push(Message::parse(&text).unwrap()),
            Ok(RecordLine::Event(tick, Entry::Published(text))) => {
                opening = false;
                events.push((tick, Message::parse(&text).unwrap()));
            }
            Ok(RecordLine::Event(..) | RecordLine::Keyframe(_)) => opening = false,
            _ => {}
        }
    }
    (snapshot, events)
}

/// The stage at that tick as if one had watched from the beginning.
fn played(snapshot: &[Message], events: &[(Tick, Message)], tick: Tick) -> ZappyState {
    let mut state = ZappyState::restored(0, snapshot);
    for (at, message) in events.iter().take_while(|(at, _)| *at <= tick) {
        state.apply(*at, message);
    }
    state.advance(tick);
    state
}

fn went(playhead: &mut ZappyPlayhead, archive: &mut dyn Archive, tick: Tick) {
    let mut calls = 0;
    while playhead.go_to(archive, tick).unwrap() == Arrival::OnTheWay {
        calls += 1;
        assert!(calls < 1_000, "it never arrives");
    }
}

/// Jumps, steps and scrubs, and compares with playing each time.
fn wander(archive: &mut dyn Archive, bytes: &[u8], seed: u64, oldest: Tick, rounds: u32) {
    let (snapshot, events) = messages(bytes);
    let (mut playhead, mut dice, mut tick) = (ZappyPlayhead::new(), Dice(seed), Tick::default());
    let last = archive.last_tick();
    for round in 0..rounds {
        tick = match dice.below(6) {
            0 => tick + 1,
            1 => tick.saturating_sub(1),
            2 => tick + dice.below(40),
            3 => tick.saturating_sub(dice.below(40)),
            4 => events[usize::try_from(dice.below(events.len() as u64)).unwrap()].0,
            _ => dice.below(last + 10),
        }
        .clamp(oldest, last + 10);
        went(&mut playhead, archive, tick);
        assert_eq!(playhead.tick(), tick);
        let expected = played(&snapshot, &events, tick);
        assert!(
            *playhead.fold() == expected,
            "round {round}, tick {tick}: {}",
            difference(playhead.fold(), &expected)
        );
    }
}

/// Where two stages begin to differ, for people.
fn difference(found: &ZappyState, expected: &ZappyState) -> String {
    let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    let at = found.bytes().zip(expected.bytes()).position(|(a, b)| a != b).unwrap_or(0);
    let around = |text: &str| text.chars().skip(at.saturating_sub(300)).take(500).collect::<String>();
    format!("…{}…\ninstead of …{}…", around(&found), around(&expected))
}

#[test]
fn seeking_equals_playing_in_a_record() {
    for seed in 1..4 {
        let bytes = record(&Match::small(seed));
        let mut archive = opened(&bytes);
        assert!(archive.keyframes.len() > 1, "{} keyframes", archive.keyframes.len());
        wander(&mut archive, &bytes, seed, 0, 120);
    }
}

#[test]
fn seeking_equals_playing_without_an_index() {
    let bytes = record(&Match::small(9));
    let cut = bytes[..bytes.len() - 300].to_vec();
    let mut archive = opened(&cut);
    assert!(archive.keyframes.is_empty());
    wander(&mut archive, &cut, 5, 0, 40);
}

/// The events of a match, spooled as if they came from a live one.
pub fn spooled(bytes: &[u8], limits: Limits, store: Memory) -> Spool {
    let (snapshot, events) = messages(bytes);
    let mut spool = Spool::with(0, limits, Box::new(store));
    let (mut state, mut line) = (ZappyState::default(), Vec::new());
    for (tick, message) in snapshot.into_iter().map(|message| (0, message)).chain(events) {
        line.clear();
        message.write(&mut line);
        state.apply(tick, &message);
        spool.append(tick, &line, &state);
    }
    spool
}

#[test]
fn seeking_equals_playing_in_a_spool() {
    let bytes = record(&Match::small(4));
    let limits = Limits { memory: 40_000, disk: 1 << 30, segment: 10_000, ratio: 2 };
    let mut spool = spooled(&bytes, limits, Memory::default());
    let (snapshot, events) = messages(&bytes);
    let (mut playhead, mut dice) = (ZappyPlayhead::new(), Dice(77));
    let all: Vec<(Tick, Message)> = snapshot.into_iter().map(|message| (0, message)).chain(events).collect();
    for _ in 0..150 {
        let tick = dice.below(spool.last_tick() + 2);
        went(&mut playhead, &mut spool, tick);
        let expected = played(&[], &all, tick);
        assert!(*playhead.fold() == expected, "tick {tick}: {}", difference(playhead.fold(), &expected));
    }
}

#[test]
fn what_was_forgotten_is_not_shown_and_what_is_left_is_right() {
    let bytes = record(&Match::small(4));
    let limits = Limits { memory: 40_000, disk: 60_000, segment: 10_000, ratio: 2 };
    let mut spool = spooled(&bytes, limits, Memory::default());
    assert!(spool.first_tick() > 1_000, "{spool:?}");
    let mut playhead = ZappyPlayhead::new();
    went(&mut playhead, &mut spool, 0);
    assert_eq!(playhead.tick(), spool.first_tick());
    let (snapshot, events) = messages(&bytes);
    let tick = spool.first_tick() + LOOKBACK + 1;
    went(&mut playhead, &mut spool, tick);
    let all: Vec<_> = snapshot.into_iter().map(|message| (0, message)).chain(events).collect();
    assert!(*playhead.fold() == played(&[], &all, tick));
}

#[test]
fn a_world_that_begins_anew_takes_nothing_over() {
    let mut spool = Spool::new(0);
    let mut state = ZappyState::default();
    let mut tell = |spool: &mut Spool, tick, line: &str| {
        state.apply(tick, &Message::parse(line.as_bytes()).unwrap());
        spool.append(tick, line.as_bytes(), &state);
    };
    for (tick, line) in [(0, "msz 5 5"), (0, "tna red"), (3, "pnw #0 1 1 1 1 red")] {
        tell(&mut spool, tick, line);
    }
    spool.begin_anew(50, &ZappyState::default());
    for (tick, line) in [(50, "msz 5 5"), (50, "tna red"), (51, "pnw #1 1 1 1 1 red")] {
        tell(&mut spool, tick, line);
    }
    let mut playhead = ZappyPlayhead::new();
    for (tick, players) in [(49, vec![0]), (50, vec![]), (60, vec![1]), (10, vec![0]), (51, vec![1])] {
        went(&mut playhead, &mut spool, tick);
        let alive: Vec<u32> = playhead.fold().mirror().players.keys().map(|player| player.0).collect();
        assert_eq!(alive, players, "at tick {tick}");
    }
}

#[test]
fn a_live_head_goes_on_as_lines_arrive() {
    let mut spool = Spool::new(0);
    let (mut state, mut playhead) = (ZappyState::default(), ZappyPlayhead::new());
    for (tick, line) in [(0, "msz 5 5"), (0, "pnw 0 1 1 1 1 red"), (4, "ppo 0 1 2 3"), (4, "ppo 0 1 3 3")] {
        let message = Message::parse(line.as_bytes()).unwrap();
        assert_eq!(state.tell(tick, &message).and_then(|told| told.misfit), None);
        spool.append(tick, line.as_bytes(), &state);
        // Also a line of the tick that is shown already is taken in.
        went(&mut playhead, &mut spool, tick);
        assert_eq!(playhead.fold().mirror().players.len(), state.mirror().players.len());
        let place = |mirror: &Mirror| mirror.players.values().map(|player| player.at).next();
        assert_eq!(place(playhead.fold().mirror()), place(state.mirror()));
    }
}
