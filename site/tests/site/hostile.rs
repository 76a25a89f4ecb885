//! Clients that do what no browser does: none costs another one anything.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

use super::support::{Match, Stage, until};
use tokio_tungstenite::tungstenite::Message;

/// Waits until the site has closed a connection; gives what it said before.
fn closed(mut stream: TcpStream) -> String {
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Ok(_) => {}
        Err(error) => assert_ne!(error.kind(), ErrorKind::WouldBlock, "it was never closed"),
    }
    String::from_utf8_lossy(&said).into_owned()
}

fn works(stage: &Stage) {
    assert_eq!(stage.get("/").status, 200);
}

#[test]
fn a_connection_without_a_request_is_closed_in_time() {
    let stage = Stage::new();
    let silent = stage.connect();
    let mut begun = stage.connect();
    begun.write_all(b"GET / HTTP/1.1\r\nhost: local").unwrap();
    let mut idle = stage.connect();
    idle.write_all(b"GET /site.css HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut half = stage.connect();
    half.write_all(b"GET /site.css HT").unwrap();
    half.shutdown(Shutdown::Write).unwrap();
    let mut dripping = stage.connect();
    dripping.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    until("the one that drips is closed", || {
        works(&stage);
        dripping.write_all(b"x: y\r\n").is_err()
    });
    works(&stage);
    assert!(closed(idle).contains("200 OK"));
    for stream in [silent, begun, half] {
        closed(stream);
    }
    works(&stage);
}

#[test]
fn requests_without_end_or_sense_are_refused() {
    let stage = Stage::new();
    let endless = |start: &str, part: &str| {
        let mut stream = stage.connect();
        stream.write_all(start.as_bytes()).unwrap();
        until("it is closed", || stream.write_all(part.repeat(100).as_bytes()).is_err());
    };
    endless("GET /", "x");
    endless("GET / HTTP/1.1\r\nhost: localhost\r\nlong: ", "x");
    endless("GET / HTTP/1.1\r\nhost: localhost\r\n", "many: 1\r\n");
    works(&stage);
    // Bytes of a fixed sequence that looks like chance.
    let mut state = 1_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    for length in 0..150 {
        let mut stream = stage.connect();
        let junk: Vec<u8> = (0..length).map(|_| byte()).collect();
        let _ = stream.write_all(&junk);
        let _ = stream.write_all(b"\r\n\r\n");
        let _ = stream.shutdown(Shutdown::Write);
        assert!(!closed(stream).contains(" 200 "));
    }
    for (request, status) in [
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n", "421"),
        ("GET http://evil.example/ HTTP/1.1\r\nhost: localhost\r\n\r\n", "421"),
        ("GET / HTTP/1.1\r\nhost: localhost\r\norigin: http://evil.example\r\n\r\n", "403"),
        ("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n", "405"),
        ("GET / HTTP/9.9\r\nhost: localhost\r\n\r\n", "400"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"),
        ("CONNECT localhost:22 HTTP/1.1\r\nhost: localhost:22\r\n\r\n", "405"),
    ] {
        let mut stream = stage.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let _ = stream.shutdown(Shutdown::Write);
        let said = closed(stream);
        assert!(
            said.starts_with(&format!("HTTP/1.1 {status}")) || status == "400" && said.is_empty(),
            "{request}: {said}"
        );
    }
    works(&stage);
}

#[test]
fn connections_beyond_the_limit_are_closed_and_places_come_back() {
    let stage = Stage::with(400);
    let many: Vec<_> = (0..400).map(|_| stage.connect()).collect();
    until("all places are taken", || {
        // It has no place: it is closed without a word.
        let mut one = stage.connect();
        let _ = one.write_all(b"GET /site.css HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        closed(one).is_empty()
    });
    drop(many);
    until("places are free again", || {
        let mut one = stage.connect();
        let _ = one.write_all(b"GET /site.css HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        closed(one).contains("200 OK")
    });
}

#[test]
fn a_spectator_that_sends_garbage_is_alone_in_being_closed() {
    let stage = Stage::new();
    let mut game = Match::begin(&stage.folder.path().join("final"));
    let mut good = stage.watch("/live/final").unwrap();
    game.greet();
    game.say("msz 1 1\nsgt 7\ntna red\n");
    good.until("tna red");
    // Frames of no kind, frames without a mask, frames that are longer than any.
    for garbage in [
        &b"\xff\xff\xff\xff\xff\xff\xff\xff"[..],
        b"\x81\x05hello",
        b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",
    ] {
        let mut bad = stage.watch("/live/final").unwrap();
        bad.0.get_mut().write_all(garbage).unwrap();
        bad.end();
    }
    let mut long = stage.watch("/live/final").unwrap();
    let _ = long.0.send(Message::text("x".repeat(100_000)));
    long.end();
    let mut flood = stage.watch("/live/final").unwrap();
    until("the flood is ended", || flood.0.send(Message::text("pie")).is_err());
    // One that says a little is left alone, and what it says is ignored.
    good.0.send(Message::text("sst 10000\n")).unwrap();
    game.say("smg still here\n");
    good.until("smg still here");
    assert!(game.heard_nothing());
    works(&stage);
}

#[test]
fn matches_that_are_watched_have_a_limit() {
    let stage = Stage::new();
    let games: Vec<_> =
        (0..65).map(|number| Match::begin(&stage.folder.path().join(format!("m{number}")))).collect();
    let watchers: Vec<_> = (0..64).map(|number| stage.watch(&format!("/live/m{number}")).unwrap()).collect();
    assert_eq!(stage.watch("/live/m64").err(), Some(503));
    assert!(stage.watch("/live/m63").is_ok(), "one that is watched already");
    drop((watchers, games));
}
