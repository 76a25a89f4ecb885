//! Everything that can go wrong with a connection, each with its own words.

use std::net::TcpListener;
use std::time::Duration;

use zappy_observer::source::live::{Live, SourceNews, SourceState};

use crate::fake::{Fake, lines, trouble, wait, watch, watch_with};

#[test]
fn an_unknown_host() {
    // A label is at most 63 letters long, so no server is asked.
    let host = format!("{}.invalid", "x".repeat(64));
    let mut live = Live::connect(&host, 4242).unwrap();
    let why = trouble(&mut live);
    assert!(why.contains("no host is called") && why.contains("-h"), "{why}");
}

#[test]
fn a_host_that_is_being_looked_up_holds_up_nobody() {
    // Whether and when there is an answer depends on the network; leaving doesn't.
    for _ in 0..3 {
        drop(Live::connect("host.invalid", 4242).unwrap());
    }
}

#[test]
fn a_closed_port() {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let mut live = watch(port);
    let why = trouble(&mut live);
    assert!(
        why.contains(&format!("nothing listens on 127.0.0.1:{port}")) && why.contains("make server"),
        "{why}"
    );
}

#[test]
fn a_server_of_something_else() {
    let fake = Fake::one(|mut peer| {
        peer.say("SSH-2.0-OpenSSH_9.6 \x1b[31m and a lot more that nobody wants to read here\r\n");
        peer.hear();
    });
    let why = trouble(&mut fake.watch());
    assert!(why.contains("is no Zappy server: it says \"SSH-2.0-OpenSSH_9.6 \\x1b[31m"), "{why}");
    assert!(why.contains('…') && why.len() < 200, "{why}");
    fake.end();
}

#[test]
fn a_server_that_closes_at_once() {
    let fake = Fake::one(drop);
    let why = trouble(&mut fake.watch());
    assert!(why.contains("closes at once; perhaps it is full"), "{why}");
    fake.end();
}

#[test]
fn a_server_that_closes_after_its_welcome() {
    let fake = Fake::one(|mut peer| peer.greet());
    let why = trouble(&mut fake.watch());
    assert!(why.contains("closes at once"), "{why}");
    fake.end();
}

#[test]
fn a_server_that_says_nothing() {
    let fake = Fake::one(|mut peer| assert_eq!(peer.hear(), ""));
    let mut live = watch_with(fake.address.port(), Duration::from_millis(100));
    let why = trouble(&mut live);
    assert!(why.contains("says nothing") && why.contains("/start"), "{why}");
    fake.end();
}

#[test]
fn a_server_that_lets_nobody_watch() {
    let fake = Fake::one(|mut peer| {
        peer.greet();
        peer.say("ko\n");
        peer.hear();
    });
    let why = trouble(&mut fake.watch());
    assert!(why.contains("refuses observers"), "{why}");
    fake.end();
}

#[test]
fn bytes_without_end() {
    let fake = Fake::one(|mut peer| {
        // More than any buffer between takes, so the observer must have left when this is over.
        for _ in 0..1_000 {
            peer.say(&"x".repeat(100_000));
        }
    });
    let why = trouble(&mut fake.watch());
    assert!(why.contains("no Zappy server: it says \"xxx"), "{why}");
    fake.end();
}

#[test]
fn an_endless_line_amid_the_match_is_counted_and_left_out() {
    let fake = Fake::one(|mut peer| {
        peer.greet();
        peer.say("msz 3 3\n");
        for _ in 0..50 {
            peer.say(&"x".repeat(100_000));
        }
        peer.say("\nsgt 7\n");
        peer.hear();
    });
    let mut live = fake.watch();
    let (mut told, mut too_long) = (Vec::new(), 0);
    wait(&mut live, |news| {
        let SourceNews::Lines(batch) = news else { return None };
        too_long += batch.too_long;
        told.extend(batch.lines().map(|line| String::from_utf8_lossy(line).into_owned()));
        told.last().is_some_and(|line| line == "sgt 7").then_some(())
    });
    assert_eq!((told.join(","), too_long), ("msz 3 3,sgt 7".to_owned(), 1));
    drop(live);
    fake.end();
}

#[test]
fn a_line_that_never_ends_is_told_while_it_comes() {
    let fake = Fake::new(vec![
        Box::new(|mut peer| {
            peer.greet();
            peer.say("msz 3 3\n");
            peer.say(&"x".repeat(200_000));
            assert_eq!(peer.hear(), "", "the observer leaves first");
        }),
        Box::new(|mut peer| {
            peer.greet();
            peer.say(&"x".repeat(200_000));
            assert_eq!(peer.hear(), "", "the observer leaves first");
        }),
    ]);
    for _ in 0..2 {
        let mut live = fake.watch();
        let counted = wait(&mut live, |news| match news {
            SourceNews::Lines(batch) => Some(batch.too_long).filter(|many| *many > 0),
            _ => None,
        });
        assert_eq!(counted, 1);
        drop(live);
    }
    fake.end();
}

#[test]
fn a_first_line_that_stops_halfway() {
    let fake = Fake::one(|mut peer| {
        peer.greet();
        peer.say("msz 10");
        while !peer.hear().is_empty() {}
    });
    let mut live = watch_with(fake.address.port(), Duration::from_millis(100));
    let why = trouble(&mut live);
    assert!(why.contains("behind its WELCOME and never ends it: \"msz 10\""), "{why}");
    drop(live);
    fake.end();
}

#[test]
fn a_server_that_greets_and_closes_is_tried_ever_more_seldom() {
    const TRIES: usize = 6;
    let visit = || -> Box<dyn FnOnce(crate::fake::Peer) + Send> {
        Box::new(|mut peer| {
            peer.greet();
            peer.say("msz 3 3\n");
        })
    };
    let fake = Fake::new((0..TRIES).map(|_| visit()).collect());
    let mut live = fake.watch();
    let tries: Vec<_> = (0..TRIES)
        .map(|_| {
            wait(&mut live, |news| match news {
                SourceNews::State(SourceState::Lost { retry_at, .. }) => Some(*retry_at),
                _ => None,
            })
        })
        .collect();
    // The first pause is 10 ms; a try begins no earlier than the pause before it has passed.
    for (nth, pair) in tries.windows(2).enumerate() {
        assert!(pair[1] - pair[0] >= Duration::from_millis(20 << nth), "{nth}: {:?}", pair[1] - pair[0]);
    }
    drop(live);
    fake.end();
}

#[test]
fn a_lost_connection_comes_back() {
    let first = |size: &'static str| {
        move |mut peer: crate::fake::Peer| {
            peer.greet();
            peer.say(size);
        }
    };
    let fake = Fake::new(vec![
        Box::new(first("msz 3 3\n")),
        Box::new(drop),
        Box::new(|mut peer| {
            peer.greet();
            peer.say("msz 4 4\n");
            assert_eq!(peer.hear(), "sst 250");
            peer.say("sgt 250\n");
            assert_eq!(peer.hear(), "");
        }),
    ]);
    let mut live = fake.watch();
    let began = |news: &SourceNews| matches!(news, SourceNews::Began(..)).then_some(());
    wait(&mut live, began);
    assert_eq!(lines(&mut live), ["msz 3 3"]);
    assert!(trouble(&mut live).contains("did the server stop?"));
    assert!(trouble(&mut live).contains("closes at once"));
    wait(&mut live, began);
    assert_eq!(live.state, SourceState::Watching);
    assert_eq!(lines(&mut live), ["msz 4 4"]);
    live.ask_rate(250);
    assert_eq!(lines(&mut live), ["sgt 250"]);
    drop(live);
    fake.end();
}

#[test]
fn a_match_without_a_winner_is_over_too() {
    let fake = Fake::one(|mut peer| {
        peer.greet();
        peer.say("msz 3 3\nsmg the match ended without a winner: extinction\n");
    });
    let mut live = fake.watch();
    wait(&mut live, |news| matches!(news, SourceNews::State(SourceState::Ended)).then_some(()));
    drop(live);
    fake.end();
}

#[test]
fn after_the_win_it_stays_away_until_it_is_asked() {
    let fake = Fake::new(vec![
        Box::new(|mut peer| {
            peer.greet();
            peer.say("msz 3 3\nseg red\n");
        }),
        Box::new(|mut peer| {
            peer.greet();
            peer.say("msz 5 5\n");
            peer.hear();
        }),
    ]);
    let mut live = fake.watch();
    wait(&mut live, |news| matches!(news, SourceNews::State(SourceState::Ended)).then_some(()));
    assert_eq!(live.next_within(Duration::ZERO), None);
    live.retry_now();
    assert_eq!(lines(&mut live), ["msz 5 5"]);
    drop(live);
    fake.end();
}

#[test]
fn dropping_it_ends_it_also_while_nobody_takes_the_lines() {
    let fake = Fake::one(|mut peer| {
        peer.greet();
        // Far more than fits anywhere: it comes to a halt, until the observer leaves.
        for _ in 0..2_000 {
            peer.say(&"bct 1 1 0 0 0 0 0 0 0\n".repeat(5_000));
        }
    });
    let mut live = fake.watch();
    wait(&mut live, |news| matches!(news, SourceNews::Lines(_)).then_some(()));
    drop(live);
    fake.end();
}
