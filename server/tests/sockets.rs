//! The real binary over real sockets: behaviour that only the system can show. Clients that misbehave are in `hostile`.
#![cfg(unix)]

#[allow(dead_code, reason = "this test uses a part of it")]
mod process;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use process::{BINARY, Client, PATIENCE, Server};
use zappy_server::games::GAMES;
use zappy_server::record;

fn signal(server: &Server, signal: Signal) {
    kill(Pid::from_raw(server.child.id().try_into().unwrap()), signal).unwrap();
}

fn run(flags: &str) -> Output {
    Command::new(BINARY).args(flags.split_whitespace()).stdin(Stdio::null()).output().unwrap()
}

/// The line on stderr and the exit status.
fn refused(flags: &str) -> (String, Option<i32>) {
    let output = run(flags);
    let text = String::from_utf8(output.stderr).unwrap();
    let line = text.lines().find(|line| line.starts_with("zappy_server:")).unwrap_or("");
    (line.to_owned(), output.status.code())
}

#[test]
fn a_half_close_is_still_answered() {
    let server = Server::start("-f 1000");
    let mut client = server.join("red");
    client.send("Forward\nConnect_nbr\n");
    client.half_close();
    client.expect("ok");
    client.expect("5");
    assert_eq!(client.next(), None);
}

#[test]
fn signals_and_quit_end_the_match_in_order() {
    // A hang-up ends the server also if these tests were started with nohup: what a process ignores is ignored by those that it
    // starts, and what it catches has its default effect there.
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::default()).unwrap();
    for way in [Some(Signal::SIGTERM), Some(Signal::SIGINT), Some(Signal::SIGHUP), None] {
        let mut server = Server::start("");
        let mut player = server.join("red");
        match way {
            Some(which) => signal(&server, which),
            None => server.console("/quit"),
        }
        assert_eq!(player.next(), None);
        drop(player);
        let (status, log) = server.ended();
        assert_eq!(status.code(), Some(0), "{log:#?}");
    }
}

#[test]
fn the_end_of_stdin_ends_the_match_if_it_is_to_and_what_comes_before_is_not_read() {
    let mut server = Server::start("--end-with-stdin");
    let mut player = server.join("red");
    server.console("/quit");
    player.send("Connect_nbr\n");
    player.expect("5");
    server.stdin = None;
    assert_eq!(player.next(), None);
    drop(player);
    let (status, log) = server.ended();
    assert_eq!(status.code(), Some(0), "{log:#?}");
    assert!(log.iter().any(|line| line.contains("stdin has ended")), "{log:#?}");
}

#[test]
fn in_lockstep_a_team_that_is_said_to_be_absent_is_not_waited_for() {
    const FLAGS: &str = "--clock lockstep --lobby-time 3600 -c 1";
    let mut server = Server::start(&format!("--end-with-stdin {FLAGS}"));
    let mut player = server.enter("blue");
    server.console("absent red");
    player.expect("0");

    let (mut own, other) = UnixStream::pair().unwrap();
    let server = Server::start_with_door(FLAGS, other.into());
    let mut player = server.connect();
    own.read_exact(&mut [0; "came 1 ".len()]).unwrap();
    own.write_all(b"1 in blue\n").unwrap();
    player.expect("WELCOME");
    player.send("blue\n");
    own.write_all(b"absent red\n").unwrap();
    player.expect("0");
}

/// A folder with a file in it that is no record, and its path.
fn old_record() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.zrec");
    std::fs::write(&path, "the record of another match").unwrap();
    (folder, path)
}

#[test]
fn an_older_record_goes_when_the_port_is_bound_and_not_before() {
    let (_folder, path) = old_record();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let flags = format!("-n a --bind 127.0.0.1 --record {} -p", path.display());
    assert_eq!(refused(&format!("{flags} {}", taken.local_addr().unwrap().port())).1, Some(84));
    assert_eq!(std::fs::read(&path).unwrap(), b"the record of another match");
    let mut command = Command::new(BINARY);
    let server = Server::spawn(command.args(flags.split(' ')).arg("0").stdin(Stdio::null()));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("zrec 3\n") && text.contains("\nlevel inputs\n"), "{text}");
    drop(server);
}

#[test]
fn the_full_record_is_made_when_the_match_has_ended() {
    let (folder, path) = old_record();
    let mut server = Server::start(&format!("--record {}", path.display()));
    let mut player = server.join("red");
    player.send("Inventory\n");
    assert!(player.line().starts_with("[ food"));
    server.console("/quit");
    drop(player);
    let (status, log) = server.ended();
    assert_eq!(status.code(), Some(0), "{log:#?}");
    let record = std::fs::read(&path).unwrap();
    assert!(record::verify(&record, GAMES).unwrap().complete);
    let text = String::from_utf8(record).unwrap();
    assert!(text.contains("\nlevel full\n") && text.contains(" > 0 [ food"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something is left over");
}

#[test]
fn a_record_that_the_disk_refuses_ends_with_a_whole_line() {
    let (_folder, path) = old_record();
    let flags = format!("-f 1000 --record {}", path.display());
    let mut server = Server::start_in_shell("ulimit -f 80; exec \"$@\"", &flags);
    let mut player = server.join("red");
    let junk = format!("{}\n", "x".repeat(200));
    player.send(&junk.repeat(500));
    (0..500).for_each(|_| player.expect("ko"));
    server.expect_log("the record can't be written any more");
    player.send("Connect_nbr\n");
    player.expect("5");
    signal(&server, Signal::SIGTERM);
    assert!(server.ended().0.success());
    let record = std::fs::read(&path).unwrap();
    assert!(record.len() > 30_000 && record.ends_with(b"\n"), "{} bytes", record.len());
    assert!(!record::verify(&record, GAMES).unwrap().complete);
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    for path in [pipe.to_str().unwrap(), "/dev/zero"] {
        for flag in ["--verify", "--scenario", "--record"] {
            let (line, code) = refused(&format!("-n a -p 0 {flag} {path}"));
            let expected =
                format!("zappy_server: {flag} {path}: this is a folder, a pipe or a device; give a file");
            assert_eq!((line, code), (expected, Some(84)));
        }
    }
}

#[test]
fn observers_are_let_in_as_the_flag_says() {
    let server = Server::start("--observers off");
    let mut observer = server.connect();
    observer.expect("WELCOME");
    observer.send("GRAPHIC\n");
    observer.expect("ko");
    let server = Server::start("--observers read-only -x 3 -y 3");
    let mut observer = server.connect();
    observer.expect("WELCOME");
    observer.send("GRAPHIC\nsst 7\nsgt\n");
    while observer.line() != "sbp" {}
    observer.expect("sgt 100");
}

#[test]
fn addresses_that_cannot_be_had_are_usage_errors() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let (line, code) = refused(&format!("-n a -p {port} --bind 127.0.0.1"));
    let expected =
        format!("zappy_server: -p {port}: in use on 127.0.0.1; choose another port, or 0 for a free one");
    assert_eq!((line, code), (expected, Some(84)));
    let (line, code) = refused("-n a -p 0 --bind 192.0.2.1");
    assert!(line.contains("--bind 192.0.2.1: not an address of this machine"), "{line}");
    assert_eq!(code, Some(84));
}

#[test]
fn wrong_flags_are_one_line_and_the_usage() {
    let output = run("-n a -x 9999");
    let text = String::from_utf8(output.stderr).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("zappy_server: -x is \"9999\", the range is 1 to 500"));
    assert!(lines.next().unwrap().starts_with("usage: zappy_server "));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(84), 0));
    assert_eq!(run("--help").status.code(), Some(0));
    assert_eq!(run("").status.code(), Some(84));
}

#[test]
fn a_scenario_that_is_wrong_is_a_usage_error() {
    assert!(refused("-n a --scenario /no/such/file").0.ends_with("there is no such file"));
    // A game with maps of its own names them, and what doesn't fit the one that was named.
    for (flags, words) in [
        (
            "-n a --scenario atlantis",
            "no such file; the maps are straits, ring, islands, centre, uneven and drawn",
        ),
        ("-n a b c --scenario straits", "the map straits has starts for 1 to 2 factions, not for 3"),
        ("-n a -x 9 --scenario ring", "the map ring has 28x28 tiles, not 9x28; leave width and height away"),
    ] {
        let (line, code) = refused(&format!("--game conquest -p 0 {flags}"));
        assert!(line.ends_with(words) && code == Some(84), "{line}");
    }
    let path = std::env::temp_dir().join(format!("zappy-scenario-{}", std::process::id()));
    std::fs::write(&path, "# a position\n/noFood true\n/nonsense\n").unwrap();
    let (line, code) = refused(&format!("-n a -p 0 --scenario {}", path.display()));
    std::fs::remove_file(&path).unwrap();
    assert!(line.contains("line 3: no such command"), "{line}");
    assert_eq!(code, Some(84));
}

#[test]
fn every_kind_of_stdin_lets_the_match_run() {
    let file = std::env::temp_dir().join(format!("zappy-console-{}", std::process::id()));
    std::fs::write(&file, "/clients\n/noFood true\n").unwrap();
    let from_file = format!("exec \"$@\" < {}", file.display());
    for line in ["exec \"$@\" < /dev/null", "exec \"$@\" <&-", &from_file] {
        let server = Server::start_in_shell(line, "-f 1000 --max-ticks 100");
        if line == from_file {
            server.expect_answer("0 players alive");
        }
        let (status, log) = server.ended();
        assert_eq!(status.code(), Some(0), "{line}: {log:#?}");
    }
    std::fs::remove_file(&file).unwrap();
    let mut server = Server::start("-f 1000 --max-ticks 2000");
    server.console("/clients");
    server.expect_answer("0 players alive");
    server.stdin = None;
    assert_eq!(server.ended().0.code(), Some(0));
}

#[test]
fn the_gate_opens_with_start() {
    let mut server = Server::start("--auto-start off");
    let mut clients: Vec<Client> = (0..5).map(|_| server.connect()).collect();
    server.console("/clients");
    server.expect_answer("0 players alive");
    for client in &mut clients {
        client.stream.set_nonblocking(true).unwrap();
        assert!(client.stream.peek(&mut [0]).is_err(), "greeted before the start");
        client.stream.set_nonblocking(false).unwrap();
    }
    server.console("/start");
    clients.iter_mut().for_each(|client| client.expect("WELCOME"));
}

#[test]
fn the_match_goes_on_when_stdout_is_not_read() {
    let (mut server, _unread) = Server::start_unread();
    let help = "/help\n".repeat(2_000);
    server.stdin.as_mut().unwrap().write_all(help.as_bytes()).unwrap();
    server.expect_log("stdout is not read");
    let mut player = server.join("red");
    player.send("Connect_nbr\n");
    player.expect("5");
    server.console("/quit");
    assert_eq!(player.next(), None);
    server.expect_log("the match ended");
}

#[test]
fn an_observer_that_never_reads_slows_no_player_and_is_brought_up_to_date() {
    let mut server = Server::start("-x 40 -y 40 -f 1000");
    let (mut observer, mut player) = (server.connect(), server.join("red"));
    observer.expect("WELCOME");
    observer.send("GRAPHIC\n");
    observer.skip_to("tna red");
    // Until the system's own buffers are full, which are megabytes.
    let word = "x".repeat(4_000);
    let begun = Instant::now();
    let mut slowest = Duration::ZERO;
    for i in 0..5_000 {
        server.console(&format!("/send_guis {word}"));
        if i % 100 == 0 {
            let asked = Instant::now();
            player.send("Connect_nbr\n");
            player.expect("5");
            slowest = slowest.max(asked.elapsed());
        }
    }
    server.expect_log("falls behind");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}, of {:?}", begun.elapsed());
    assert!(server.memory() < 64 << 10, "{} KiB", server.memory());
    observer.skip_to("msz 40 40");
    observer.skip_to("tna blue");
    server.console("/send_guis at last");
    while observer.line() != "smg at last" {}
}

#[test]
fn a_player_that_never_reads_is_cut_off_and_slows_no_other() {
    // So slow that the player doesn't starve, however busy the machine is.
    let mut server = Server::start("-f 10");
    let (stuck, mut player) = (server.join("red"), server.join("blue"));
    let word = "x".repeat(4_000);
    for _ in 0..5_000 {
        server.console(&format!("/send_ais {word}"));
        player.skip_to("message 0, x");
    }
    server.expect_log("does not read what it is sent");
    player.send("Connect_nbr\n");
    player.expect("5");
    drop(stuck);
}

#[test]
fn the_door_decides_which_connections_come_in() {
    let (own, other) = UnixStream::pair().unwrap();
    own.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut tell, mut own) = (own.try_clone().unwrap(), BufReader::new(own));
    let server = Server::start_with_door("", other.into());
    let mut hear = || {
        let mut line = String::new();
        own.read_line(&mut line).unwrap();
        line
    };
    let cases = [
        ("in", "blue", Some("5")),
        ("in", "GRAPHIC", Some("msz 10 10")),
        ("in red", "red", Some("5")),
        ("in red", "green", Some("ko")),
        ("in red", "blue", None),
        ("in red", "GRAPHIC", None),
        ("out", "red", None),
    ];
    let mut players = 0;
    for (number, (answer, name, heard)) in (1..).zip(cases) {
        let mut client = server.connect();
        client.send(&format!("{name}\n"));
        assert_eq!(hear(), format!("came {number} {}\n", client.stream.local_addr().unwrap()));
        writeln!(tell, "{number} {answer}").unwrap();
        // A connection that is ended at once may not even be welcomed.
        let mut line = client.next();
        if line.as_deref() == Some("WELCOME") {
            line = client.next();
        }
        assert_eq!(line.as_deref(), heard, "{answer}, {name}");
        if answer != "out" && heard.is_none() {
            assert_eq!(hear(), format!("foul red {name}\n"));
        }
        if heard == Some("ko") {
            assert_eq!(hear(), format!("unknown red {name}\n"));
        }
        if heard == Some("5") {
            assert_eq!(hear(), format!("seated {} {players}\n", client.stream.local_addr().unwrap()));
            players += 1;
        }
    }
    // Without the program at the door no connection comes in.
    drop((own, tell));
    assert_eq!(server.connect().next(), None);
}

#[test]
#[cfg(target_os = "linux")]
fn with_a_door_only_the_program_there_ends_the_match() {
    let (own, other) = UnixStream::pair().unwrap();
    own.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut own = BufReader::new(own);
    let server = Server::start_with_door("", other.into());
    for (name, number) in [("TERM", 15), ("INT", 2)] {
        let line = format!("kill -{name} {}", server.child.id());
        let mut other = Command::new("sh").args(["-c", &line]).spawn().unwrap();
        let mut heard = String::new();
        own.read_line(&mut heard).unwrap();
        assert_eq!(heard, format!("signal {number} {}\n", other.id()));
        assert!(other.wait().unwrap().success());
    }
    signal(&server, Signal::SIGTERM);
    let (status, log) = server.ended();
    assert_eq!(status.code(), Some(0), "{log:#?}");
    assert!(log.iter().any(|line| line.contains("signal 15 isn't obeyed")), "{log:#?}");
}
