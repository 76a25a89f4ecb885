//! Whatever strangers do, the matches of others are the same to the byte, and what a connection says wrong is answered late.

use std::fs;
use std::io::{BufReader, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use rustix::process::Signal;

use super::stage::{Stage, bot, closed, greeted, knock, line, say};
use crate::support::{ARENA, run, wait_for};

/// Wrong tokens that are tried, faster than a thousand in a second.
const WRONG_TOKENS: usize = 1_000;
/// The longest line that a stranger sends, in MiB.
const ENDLESS: usize = 100;

/// What became of the match between ada and bob with seed 1 in a list, while `beside` does what it likes: the record, and what both
/// heard.
fn played(
    stage: &Stage,
    name: &str,
    list: &[[&str; 2]],
    beside: impl FnOnce(u16) -> Vec<JoinHandle<()>>,
) -> (Vec<u8>, Vec<Vec<String>>) {
    let (folder, path) = (stage.beside(name), stage.bench.path("list"));
    let line = |[one, other]: &[&str; 2]| format!("{{\"bots\": [\"{one}\", \"{other}\"], \"seed\": 1}}\n");
    fs::write(&path, list.iter().map(line).collect::<String>()).unwrap();
    let flags = ["--port", "0", "--gather", "0", "-v", "--matches", path.to_str().unwrap()];
    let (host, port) = stage.host(&folder, &flags);
    let strangers = beside(port);
    let bots = ["ada", "bob"].map(|name| bot(port, &stage.logins[name], name.len()));
    let heard = bots.map(|bot| bot.join().unwrap()).to_vec();
    let finished = host.finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    strangers.into_iter().for_each(|stranger| stranger.join().unwrap());
    stage.assert_no_token(&folder, &finished.stderr);
    let records = fs::read_dir(folder.join("matches")).unwrap().map(|entry| entry.unwrap().path());
    let records: Vec<Vec<u8>> = records.map(|folder| fs::read(folder.join("match.zrec")).unwrap()).collect();
    assert_eq!(records.len(), list.len());
    let is_wanted = |record: &&Vec<u8>| String::from_utf8_lossy(record).contains("team ada");
    (records.iter().find(is_wanted).unwrap().clone(), heard)
}

/// Says a line without an end, as far as the host takes it.
fn say_endlessly(mut stream: &TcpStream) {
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let part = vec![b'x'; 1 << 20];
    let _ = (0..ENDLESS).try_for_each(|_| stream.write_all(&part));
}

#[test]
fn strangers_change_no_byte_of_a_match() {
    let stage = Stage::new(&["ada", "bob", "eve", "fay", "gus"]);
    let (quiet, heard) = played(&stage, "quiet", &[["ada", "bob"]], |_| Vec::new());
    let text = String::from_utf8_lossy(&quiet);
    assert!(text.contains("Broadcast ada:******************************** is here"), "{text}");
    assert!(heard.iter().flatten().any(|line| line.contains(":********************************")));
    let [ada, eve, fay] = ["ada", "eve", "fay"].map(|name| stage.logins[name].clone());
    let strangers = |port| {
        let (half, is_half) = channel();
        let guesses = std::thread::spawn(move || {
            let mut kept = Vec::new();
            for number in 0..WRONG_TOKENS {
                let stranger = TcpStream::connect(("127.0.0.1", port)).unwrap();
                let _ = (&stranger).write_all(format!("ada:{number:032x}\n").as_bytes());
                kept.push(stranger);
                if number == WRONG_TOKENS / 2 {
                    half.send(()).unwrap();
                }
            }
        });
        let mixed = std::thread::spawn(move || {
            let mut kept = Vec::new();
            for number in 0..200 {
                let Ok(mut stranger) = TcpStream::connect(("127.0.0.1", port)) else { return };
                let _ = match number % 4 {
                    // A half-open login, an observer with a player's token, one name from many places, one that never reads.
                    0 => stranger.write_all(b"ada:0123"),
                    1 => stranger.write_all(format!("GRAPHIC {ada}\n").as_bytes()),
                    2 => stranger.write_all(format!("{eve}\n").as_bytes()),
                    _ => Ok(()),
                };
                kept.push(stranger);
            }
        });
        let unnamed = std::thread::spawn(move || {
            say_endlessly(&TcpStream::connect(("127.0.0.1", port)).unwrap());
        });
        // A player that sends an endless line in its match, and leaves it.
        let player = std::thread::spawn(move || {
            let mut player = knock(port);
            say(&player, &fay);
            assert_eq!(line(&mut player), "0");
            say_endlessly(player.get_ref());
        });
        let opponent = bot(port, &stage.logins["gus"], 3);
        is_half.recv().unwrap();
        vec![guesses, mixed, unnamed, player, std::thread::spawn(|| drop(opponent.join()))]
    };
    let (beside, again) = played(&stage, "beside", &[["ada", "bob"], ["fay", "gus"]], strangers);
    assert!(beside == quiet && again == heard);
}

#[test]
fn a_wrong_login_is_answered_late_and_the_third_one_closes() {
    let stage = Stage::new(&["ada", "bob"]);
    let (host, port) = stage.host(&stage.folder(), &["--port", "0", "--gather", "0"]);
    let mut stranger = knock(port);
    let swapped = format!("{}:bob", stage.token("bob"));
    for wrong in ["ada:0000", &swapped, "GRAPHIC ada"] {
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
    let removed = run(&mut stage.command(&stage.folder(), &["--remove", "bob"]));
    assert_eq!(removed.code(), 0, "{}", removed.stderr);
    assert_eq!(line(&mut waiting), "ko");
    closed(&mut waiting);
    let said = host.insist(Signal::INT).stderr;
    assert!(said.contains(", ada: refused, wrong token"), "{said}");
    stage.assert_no_token(&stage.folder(), &said);
}

#[test]
fn who_opens_more_connections_than_the_host_has_descriptors_keeps_nobody_out() {
    let stage = Stage::new(&["ada", "bob"]);
    let list = stage.bench.path("list");
    fs::write(&list, "{\"bots\": [\"ada\", \"bob\"], \"seed\": 1}\n").unwrap();
    let flags = ["--max-ticks", "300", "--matches", list.to_str().unwrap()];
    let (host, port) = stage.limited_host("ulimit -n 256", &flags);
    let silent: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    let bots = ["ada", "bob"].map(|name| bot(port, &stage.logins[name], name.len()));
    let heard = bots.map(|bot| bot.join().unwrap());
    assert!(heard.iter().all(|heard| heard[0] == "0"), "{heard:?}");
    let finished = host.finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(Stage::results(&stage.folder()).len(), 1);
    let told = finished.stderr.matches("no more descriptors; allow more with ulimit -n").count();
    assert!((1..5).contains(&told), "{}", finished.stderr);
    drop(silent);
}

#[test]
fn a_host_with_too_few_descriptors_for_a_match_does_not_begin() {
    let stage = Stage::new(&["ada", "bob"]);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 64; exec \"$0\" \"$@\"", ARENA, "ladder", "--port", "0", "--folder"]);
    let refused = run(command.arg(stage.folder()));
    assert_eq!(refused.code(), 2, "{}", refused.stderr);
    let words = "ulimit -n lets this process have 64 open files, a match needs 158";
    assert!(refused.stderr.contains(words), "{}", refused.stderr);
}

#[test]
fn each_name_is_told_each_reason_why_it_was_refused() {
    let stage = Stage::new(&["ada", "bob"]);
    let (host, port) = stage.host(&stage.folder(), &["--port", "0"]);
    let refused = |said: &str| {
        let mut stranger = knock(port);
        say(&stranger, said);
        assert_eq!(line(&mut stranger), "ko");
    };
    ["ada:0", "ada:1", "ada", "ada:2", "bob:0", "zed:0"].into_iter().for_each(refused);
    let said = host.insist(Signal::INT).stderr;
    for words in [
        ", ada: refused, wrong token",
        ", ada: refused, no token",
        ", bob: refused, wrong token",
        ", zed: refused, no bot of that name",
        " 2 more logins, ada: refused, wrong token",
    ] {
        assert_eq!(
            said.matches(words).count(),
            1 + usize::from(words.starts_with(", ada: refused, w")),
            "{said}"
        );
    }
    assert!(!said.contains("(and "), "{said}");
}

/// A connection from that address of this machine.
fn knock_from(address: Ipv4Addr, port: u16) -> BufReader<TcpStream> {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &SocketAddrV4::new(address, 0)).unwrap();
    connect(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)).unwrap();
    greeted(socket.into())
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
    // 16 connections of an address watch a match at the same time.
    let watch = |mut watcher: BufReader<TcpStream>| {
        say(&watcher, "GRAPHIC bob");
        let told = line(&mut watcher);
        (watcher, told)
    };
    let mut others: Vec<_> = (1..16).map(|_| watch(knock(port))).collect();
    assert!(others.iter().all(|(_, told)| told == "msz 10 10"));
    assert_eq!(watch(knock(port)).1, "ko");
    if cfg!(target_os = "linux") {
        others.push(watch(knock_from(Ipv4Addr::new(127, 0, 0, 2), port)));
        assert_eq!(others[15].1, "msz 10 10");
    }
    // One that left makes room, once the match has something to tell it.
    drop(others.remove(0));
    wait_for("room", || {
        idle.iter().for_each(|bot| say(bot, "Forward"));
        let (watcher, told) = watch(knock(port));
        (told == "msz 10 10").then(|| others.push((watcher, told)))
    });
    // The table of a host that is stopped tells of the match that was played.
    let finished = host.insist(Signal::INT);
    assert!(finished.stdout.contains("void, the host ended while it was played"), "{}", finished.stdout);
    drop(idle);
}
