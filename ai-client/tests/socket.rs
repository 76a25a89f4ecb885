//! The binary and the sockets, against small servers made for each test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::thread;

use zappy_ai::agent::{Action, Agent, AgentState};
use zappy_ai::client::{Address, ClientError, PlayerEnd, play};
use zappy_protocol::line::Decoded;

/// Runs the binary to its end while `serve` plays the server.
fn run(extra: &[&str], serve: impl FnOnce(&TcpListener) + Send + 'static) -> Output {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = thread::spawn(move || serve(&listener));
    let output = Command::new(env!("CARGO_BIN_EXE_zappy_ai"))
        .args(["-p", &port, "-n", "red", "-h", "127.0.0.1", "--seed", "1"])
        .args(extra)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    server.join().unwrap();
    output
}

/// A client at the door: what it says, line by line.
struct Guest {
    lines: BufReader<TcpStream>,
}

impl Guest {
    fn accept(listener: &TcpListener) -> Guest {
        let (stream, _) = listener.accept().unwrap();
        Guest { lines: BufReader::new(stream) }
    }

    fn say(&mut self, text: &str) {
        self.lines.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Says it in pieces of so many bytes, each in a segment of its own where the network doesn't join them.
    fn say_in_pieces(&mut self, text: &str, size: usize) {
        self.lines.get_ref().set_nodelay(true).unwrap();
        for piece in text.as_bytes().chunks(size) {
            self.lines.get_mut().write_all(piece).unwrap();
            thread::yield_now();
        }
    }

    /// Lets it in as the last of its team.
    fn admit(listener: &TcpListener) -> Guest {
        let mut guest = Guest::accept(listener);
        guest.say("WELCOME\n");
        assert_eq!(guest.hear(), "red");
        guest.say("0\n10 10\n");
        guest
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_end_of_the_match_is_a_good_end() {
    let output = run(&[], |listener| {
        let mut guest = Guest::admit(listener);
        assert_eq!(guest.hear(), "Inventory");
    });
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("the match is over"));
}

/// Some servers send the slots and the map in one segment, others in two.
#[test]
fn a_handshake_comes_in_any_pieces() {
    for size in [1, 2, 64] {
        let output = run(&[], move |listener| {
            let mut guest = Guest::accept(listener);
            guest.say_in_pieces("WELCOME\n", size);
            assert_eq!(guest.hear(), "red");
            guest.say_in_pieces("0\n10 10\n", size);
            assert_eq!(guest.hear(), "Inventory");
        });
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}

#[test]
fn so_is_starving() {
    let output = run(&[], |listener| {
        let mut guest = Guest::admit(listener);
        guest.say("dead\n");
        assert_eq!(guest.hear(), "Inventory");
    });
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("starved"));
}

#[test]
fn a_refusal_is_explained() {
    let output = run(&["-q"], |listener| {
        let mut guest = Guest::accept(listener);
        guest.say("WELCOME\n");
        assert_eq!(guest.hear(), "red");
        guest.say("ko\n");
    });
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("refused team \"red\"") && text.lines().count() == 1, "{text}");
    assert!(text.contains("NAME:TOKEN on a ladder"), "{text}");
}

#[test]
fn a_token_is_told_to_the_server_alone() {
    for game in ["zappy", "conquest"] {
        let output = run(&["-vv", "-n", "ada:0123", "--game", game], |listener| {
            let mut guest = Guest::accept(listener);
            guest.say("WELCOME\n");
            assert_eq!(guest.hear(), "ada:0123");
            guest.say("ko\n");
        });
        let text = stderr(&output);
        assert!(
            text.contains("\"ada\": its token is wrong, its name was removed") && !text.contains("0123"),
            "{text}"
        );
    }
}

#[test]
fn a_server_that_hangs_up_at_once_is_an_error() {
    let output = run(&[], |listener| drop(Guest::accept(listener)));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("before the game began"));
}

#[test]
fn an_egg_gets_a_connection_of_its_own_before_the_parent_goes_on() {
    let output = run(&["-v"], |listener| {
        let mut parent = Guest::admit(listener);
        assert_eq!(parent.hear(), "Inventory");
        assert_eq!(parent.hear(), "Look");
        parent.say("[ food 9, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0 ]\n");
        parent.say("[ player linemate,,, ]\n");
        assert_eq!(parent.hear(), "Connect_nbr");
        parent.say("0\n");
        assert_eq!(parent.hear(), "Fork");
        parent.say("ok\n");
        let mut child = Guest::accept(listener);
        // The parent waits for the greeting of its child, so nothing can have come from it yet.
        parent.lines.get_ref().set_nonblocking(true).unwrap();
        assert!(parent.lines.fill_buf().is_err());
        parent.lines.get_ref().set_nonblocking(false).unwrap();
        child.say("WELCOME\n");
        assert_eq!(child.hear(), "red");
        assert!(!parent.hear().is_empty());
        child.say("0\n10 10\n");
        assert!(!child.hear().is_empty());
    });
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn usage_errors_exit_with_84() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_zappy_ai")).args(["-p", "x", "-n", "red"]).output().unwrap();
    assert_eq!(output.status.code(), Some(84));
    assert!(stderr(&output).contains("Usage: zappy_ai"));
    let help = Command::new(env!("CARGO_BIN_EXE_zappy_ai")).arg("--help").output().unwrap();
    assert_eq!(help.status.code(), Some(0));
    assert!(help.stderr.is_empty() && !help.stdout.is_empty());
}

#[test]
fn a_closed_pipe_changes_no_exit_code() {
    for (arguments, code) in
        [(&["--help"][..], 0), (&["-p", "0"], 84), (&["-p", "1", "-n", "a", "-h", ""], 1)]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut client = Command::new(env!("CARGO_BIN_EXE_zappy_ai"));
        client.args(arguments).env_remove("ZAPPY_SEED").stdout(writer.try_clone().unwrap()).stderr(writer);
        assert_eq!(client.status().unwrap().code(), Some(code), "{arguments:?}");
    }
}

/// A bot for a game that only this test knows: it echoes each line, connects a child at `more`, and ends at `out`
/// and `no`.
#[derive(Debug, Default)]
struct Echo {
    actions: Vec<Action>,
    heard: String,
}

impl Agent for Echo {
    fn handle_line(&mut self, line: Decoded<'_>) {
        let Decoded::Line(line) = line else { panic!("the line is short") };
        self.heard = String::from_utf8(line.to_vec()).unwrap();
        self.actions.insert(0, Action::Send(line.to_vec()));
        if self.heard == "more" {
            self.actions.insert(0, Action::Connect(Box::new(Echo::default())));
        }
    }

    fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop()
    }

    fn state(&self) -> AgentState {
        match self.heard.as_str() {
            "" => AgentState::Entering,
            "out" => AgentState::Out,
            "no" => AgentState::Refused,
            _ => AgentState::Playing,
        }
    }

    fn words(&self) -> String {
        if self.heard == "no" { "such a bot".into() } else { self.heard.clone() }
    }
}

#[test]
fn a_bot_for_another_game_plays_through_the_same_client() {
    let play_with = |serve: fn(&TcpListener)| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
        let server = thread::spawn(move || serve(&listener));
        let end = play(&address, "a team", vec![Box::new(Echo::default())]);
        server.join().unwrap();
        end
    };
    let over = play_with(|listener| {
        let mut parent = Guest::accept(listener);
        parent.say("one\nmore\n");
        assert_eq!(parent.hear(), "one");
        assert_eq!(parent.hear(), "more");
        let mut child = Guest::accept(listener);
        child.say("out\n");
        assert_eq!(child.hear(), "out");
    });
    assert_eq!(over.unwrap(), PlayerEnd::MatchOver, "the parent saw the end of the match");
    let out = play_with(|listener| Guest::accept(listener).say("out\n"));
    assert_eq!(out.unwrap(), PlayerEnd::Out);
    let refused = play_with(|listener| Guest::accept(listener).say("no\n"));
    assert!(matches!(refused, Err(ClientError::Refused(words)) if words == "such a bot"));
    let early = play_with(|listener| drop(Guest::accept(listener)));
    assert!(matches!(early, Err(ClientError::ClosedEarly)));
}
