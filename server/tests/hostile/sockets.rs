//! The real binary, real sockets, and clients that send too much, too little, or never read.

use std::io::Write;
use std::net::Shutdown;
use std::process::{Command, Stdio};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use zappy_server::games::GAMES;
use zappy_server::record::verify;

use super::process::{BINARY, Client, Server};
use super::{HOUSES, House};

impl House {
    fn start(&self, flags: &str) -> Server {
        Server::start(&format!("--game {} {} {flags}", self.game, self.flags))
    }

    /// A client that plays for that team, and has read what follows its name.
    fn join(&self, server: &Server, team: &str) -> Client {
        let mut client = server.connect();
        client.expect("WELCOME");
        client.send(&format!("{team}\n"));
        (0..self.welcome).for_each(|_| drop(client.line()));
        client
    }

    /// Waits for the answer to a question that the player asks now.
    fn ask(&self, player: &mut Client) {
        player.send(&format!("{}\n", self.question));
        player.skip_to(self.answer);
    }
}

#[test]
fn a_handshake_and_lines_come_in_pieces() {
    for house in HOUSES {
        let server = house.start("-x 12 -y 9");
        let mut client = server.connect();
        client.expect("WELCOME");
        for piece in ["r", "e", "d\r", "\n ", &house.question[..3]] {
            client.send(piece);
            client.stream.flush().unwrap();
        }
        client.line();
        client.expect("12 9");
        client.send(&format!("{}\r\n", &house.question[3..]));
        client.skip_to(house.answer);
    }
}

#[test]
fn an_endless_line_counts_once_and_costs_others_nothing() {
    for house in HOUSES {
        let mut server = house.start("");
        let (mut junk, mut player) = (server.connect(), house.join(&server, "blue"));
        junk.expect("WELCOME");
        let before = server.memory();
        for _ in 0..8 {
            junk.stream.write_all(&vec![b'x'; 1 << 20]).unwrap();
            house.ask(&mut player);
        }
        assert!(server.memory() < before + 4_096, "{} to {} KiB", before, server.memory());
        junk.send("\n");
        junk.expect("ko");
        junk.send("red\n");
        junk.line();
        junk.expect("10 10");
        server.expect_log("more than 4096 bytes");
    }
}

#[test]
fn ten_thousand_lines_in_one_write_cost_others_nothing() {
    for house in HOUSES {
        let server = house.start("");
        let (mut flood, mut player) = (house.join(&server, "red"), house.join(&server, "blue"));
        flood.send(&format!("{}\n", house.lines()[0]).repeat(10_000));
        flood.stream.write_all(&[0, 159, 146, 150, 10, 255, 10]).unwrap();
        house.ask(&mut player);
        flood.skip_to("ok");
        house.ask(&mut player);
    }
}

#[test]
fn who_asks_and_never_reads_costs_others_nothing() {
    for house in HOUSES {
        let server = house.start("-x 60 -y 60");
        let (mut watching, mut playing) = (server.connect(), house.join(&server, "red"));
        let mut player = house.join(&server, "blue");
        watching.send("GRAPHIC\n");
        house.ask(&mut player);
        let before = server.memory();
        // Each `mct` asks for 3,600 lines; what doesn't fit into the system's buffers stays unsent.
        for client in [&mut watching, &mut playing] {
            client.stream.set_nonblocking(true).unwrap();
        }
        let question = format!("{}\n", house.question).repeat(200);
        for _ in 0..200 {
            let _ = watching.stream.write(b"mct\nmct\nmct\nmct\nmct\n");
            let _ = playing.stream.write(question.as_bytes());
            house.ask(&mut player);
        }
        assert!(server.memory() < before + (64 << 10), "{before} to {} KiB", server.memory());
        house.ask(&mut player);
    }
}

#[test]
fn clients_that_break_off_and_come_again_cost_others_nothing() {
    for house in HOUSES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.zrec");
        let mut server = house.start(&format!("--record {}", path.display()));
        let mut player = house.join(&server, "blue");
        for round in 0..60 {
            let mut other = server.connect();
            let name = ["red\n", "GRAPHIC\n", "pink\n", "\n", "red"][round % 5];
            other.send(&format!("{name}{}\n\u{7f}\\\n", house.lines()[round % house.lines().len()]));
            match round % 3 {
                0 => drop(other),
                1 => other.half_close(),
                _ => drop(other.stream.shutdown(Shutdown::Both)),
            }
            if round % 10 == 0 {
                house.ask(&mut player);
            }
        }
        house.ask(&mut player);
        server.console("/quit");
        while player.next().is_some() {}
        let (status, log) = server.ended();
        assert_eq!(status.code(), Some(0), "{log:#?}");
        let record = std::fs::read(&path).unwrap();
        assert!(verify(&record, GAMES).unwrap().complete, "{}", house.game);
        assert!(String::from_utf8(record).unwrap().contains(house.option));
    }
}

#[test]
fn long_lines_are_kept_short_in_records() {
    for house in HOUSES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.zrec");
        let mut server = house.start(&format!("--record {}", path.display()));
        let (mut junk, mut player) = (house.join(&server, "red"), house.join(&server, "blue"));
        // Ten at a time, since Zappy drops more.
        for _ in 0..3 {
            for _ in 0..9 {
                junk.send(&format!("{}\n", "~".repeat(4_000)));
            }
            (0..9).for_each(|_| junk.skip_to("ko"));
        }
        house.ask(&mut player);
        server.console("/quit");
        drop((junk, player));
        assert_eq!(server.ended().0.code(), Some(0));
        let record = std::fs::read(&path).unwrap();
        assert!(verify(&record, GAMES).unwrap().complete);
        let text = String::from_utf8(record).unwrap();
        assert_eq!(text.matches("~~... (4000 bytes)\n").count(), 27, "{}", house.game);
        assert!(!text.contains(&"~".repeat(61)), "{}", house.game);
    }
}

#[test]
fn a_silent_connection_is_closed() {
    for house in HOUSES {
        let mut server = house.start("--handshake-time 2");
        let (mut silent, mut player) = (server.connect(), house.join(&server, "red"));
        silent.expect("WELCOME");
        assert_eq!(silent.next(), None);
        server.expect_log("did not log in within 2s");
        house.ask(&mut player);
    }
}

#[test]
fn a_thousand_connections_at_once_are_all_greeted() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, hard.min(4_096), hard).unwrap();
    for house in HOUSES {
        let server = house.start("");
        let mut clients: Vec<Client> = (0..1_000).map(|_| server.connect()).collect();
        clients.iter_mut().for_each(|client| client.expect("WELCOME"));
    }
}

#[test]
fn when_descriptors_run_out_the_rest_waits_for_others_to_leave() {
    for house in HOUSES {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -n 40; exec \"$@\"", "sh", BINARY]);
        command.args("-p 0 --bind 127.0.0.1 -n red blue --game".split(' ')).arg(house.game);
        let server = Server::spawn(command.args(house.flags.split(' ')).stdin(Stdio::null()));
        let mut player = house.join(&server, "red");
        let mut clients: Vec<Client> = (0..60).map(|_| server.connect()).collect();
        clients[0].expect("WELCOME");
        house.ask(&mut player);
        // Each client that leaves makes room for one that waits.
        clients.remove(0);
        clients.into_iter().for_each(|mut client| client.expect("WELCOME"));
        house.ask(&mut player);
        kill(Pid::from_raw(server.child.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
        let (status, log) = server.ended();
        assert!(status.success());
        let said = log.iter().filter(|line| line.contains("no connection can be accepted")).count();
        assert_eq!(said, 1, "{log:#?}");
    }
}
