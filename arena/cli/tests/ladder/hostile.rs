//! Whatever strangers do, the matches of others are the same to the byte, and what a connection says wrong is answered late.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::stage::{Stage, bot, closed, knock, line, say};
use crate::support::wait_for;

/// The record of the match between two bots with seed 1, while `beside` does what it likes; and what the host said.
fn played(stage: &Stage, name: &str, beside: impl FnOnce(u16)) -> (Vec<u8>, Vec<Vec<String>>, String) {
    let folder = stage.beside(name);
    let list = stage.bench.path("list");
    fs::write(&list, "{\"bots\": [\"ada\", \"bob\"], \"seed\": 1}\n").unwrap();
    let flags = ["--port", "0", "--gather", "0", "-v", "--matches", list.to_str().unwrap()];
    let (host, port) = stage.host(&folder, &flags);
    beside(port);
    let bots = ["ada", "bob"].map(|name| bot(port, &stage.logins[name], name.len()));
    let heard = bots.map(|bot| bot.join().unwrap()).to_vec();
    let finished = host.finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    stage.assert_no_token(&folder, &finished.stderr);
    (Stage::record(&folder), heard, finished.stderr)
}

#[test]
fn strangers_change_no_byte_of_a_match() {
    let stage = Stage::new(&["ada", "bob", "eve"]);
    let (quiet, heard, _) = played(&stage, "quiet", |_| {});
    let text = String::from_utf8_lossy(&quiet);
    assert!(text.contains("Broadcast ada:******************************** is here"), "{text}");
    assert!(heard.iter().flatten().any(|line| line.contains(":********************************")));
    let eve = stage.logins["eve"].clone();
    let strangers = |port| {
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            for number in 0..200 {
                let mut stranger = knock(port);
                match number % 5 {
                    // A wrong token, a half-open login, an endless line, an observer with a token, one that never reads.
                    0 => say(&stranger, "ada:00000000000000000000000000000000"),
                    1 => drop(stranger.get_mut().write_all(b"ada:0123")),
                    2 => drop(stranger.get_mut().write_all(&vec![b'x'; 1 << 20])),
                    3 => say(&stranger, &format!("GRAPHIC {eve}")),
                    _ => say(&stranger, &eve),
                }
                kept.push(stranger);
            }
        });
    };
    let (beside, again, _) = played(&stage, "beside", strangers);
    assert!(beside == quiet && again == heard);
}

#[test]
fn a_wrong_login_is_answered_late_and_the_third_one_closes() {
    let stage = Stage::new(&["ada", "bob"]);
    let (host, port) = stage.host(&stage.folder(), &["--port", "0", "--gather", "0"]);
    let mut stranger = knock(port);
    for wrong in ["ada:0000", "GRAPHIC", "GRAPHIC ada"] {
        let start = Instant::now();
        say(&stranger, wrong);
        assert_eq!(line(&mut stranger), "ko");
        assert!(start.elapsed() >= Duration::from_millis(950), "{wrong}: {:?}", start.elapsed());
    }
    closed(&mut stranger);
    // One that waits is sent away when its name is removed.
    let mut waiting = knock(port);
    say(&waiting, &stage.logins["bob"]);
    wait_for("the lobby", || {
        let lobby = fs::read_to_string(stage.folder().join("lobby.json")).ok()?;
        lobby.contains("\"bob\"").then_some(())
    });
    let removed = crate::support::run(&mut stage.command(&stage.folder(), &["--remove", "bob"]));
    assert_eq!(removed.code(), 0, "{}", removed.stderr);
    assert_eq!(line(&mut waiting), "ko");
    closed(&mut waiting);
    host.insist(Signal::INT);
}

#[test]
fn an_observer_watches_the_match_of_a_name() {
    let stage = Stage::new(&["ada", "bob"]);
    let (host, port) = stage.host(&stage.folder(), &["--port", "0", "--gather", "0"]);
    // Two that say no command: their match waits for them.
    let idle = ["ada", "bob"].map(|name| {
        let idle = knock(port);
        say(&idle, &stage.logins[name]);
        idle
    });
    let idle = idle.map(|mut idle| {
        assert_eq!(line(&mut idle), "0");
        idle
    });
    let mut watcher = knock(port);
    say(&watcher, "GRAPHIC bob");
    assert_eq!(line(&mut watcher), "msz 10 10");
    let told = std::iter::from_fn(|| Some(line(&mut watcher))).take_while(|line| !line.is_empty());
    let teams: Vec<String> = told.filter(|line| line.starts_with("tna ")).take(2).collect();
    assert!(teams.contains(&"tna ada".to_owned()) && teams.contains(&"tna bob".to_owned()), "{teams:?}");
    drop(idle);
    host.insist(Signal::INT);
}
