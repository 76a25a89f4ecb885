//! The door: the program that started the server decides which connections come in, over a socket that is the
//! server's stdin.
//!
//! The server asks about each connection with a line `came NUMBER PEER`. The other program answers `NUMBER in` (under
//! any name), `NUMBER in NAME` (under this name only) or `NUMBER out`. The server reads nothing from a connection
//! before the answer, so that the other program can look which process holds it. If the other program knows the team of
//! a connection before it comes, it says `carried PEER NAME` and isn't asked. In lockstep it says `absent NAME` when no
//! more players of that team come, so that the lobby doesn't wait for them. The server reports:
//!
//! - `foul NAME SAID`: a connection that was let in as NAME said SAID; `unknown NAME SAID`, if SAID is no team's name;
//! - `signal NUMBER PID`: a third process wanted to end the match, which the server refuses; PID is `-` if it isn't known;
//! - `seated PEER NUMBER`: that connection is this player's;
//! - `late NUMBER TICK`: no line came from that player within its think time;
//! - `stands TICK`, if each tick has to be allowed: all is played up to that tick, and a line `step` lets the next one begin.
//!
//! Waits up to a limit: a connection about which no answer has come by then isn't let in. Once the other program is
//! gone, no connection is let in. Tested in this module and in `tests/sockets.rs`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::collections::{BTreeMap, HashMap};
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::Token;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::text::{shortened, shown};

use super::shell::DoorNews;
use super::signal::Sender;
use super::system::Wakes;
use system::{Stream, join, maker, open};
use zappy_game::Tick;

/// How long the program that recognises connections may take to answer: it may be starting hundreds of programs.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Characters that are sent of a name that no team has: the other program takes lines of up to 256 bytes.
const NAME_CHARACTERS: usize = 40;
/// The longest answer, in bytes.
const LINE_LIMIT: usize = 256;
/// How many connections may be announced that haven't come yet.
const ANNOUNCED_LIMIT: usize = 4096;

/// What a new connection may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pass {
    /// Come in under any name.
    Any,
    /// Come in under this name only.
    As(Vec<u8>),
    /// Not come in; the server closes the connection.
    Out,
}

/// The server's end of the socket.
#[derive(Debug)]
pub struct Door {
    stream: Stream,
    lines: LineDecoder,
    /// Whether the other program is gone: then no connection is let in any more.
    broken: bool,
    /// The process that made the socket, if the system knows it.
    maker: Option<i32>,
    /// How many questions were asked.
    asked: u64,
    /// What was said since [`Door::heard`] was called last.
    heard: DoorOrders,
    /// The tick that was reported last as the one at which the match stands.
    stands: Option<Tick>,
    /// The names of announced connections.
    announced: HashMap<SocketAddr, Vec<u8>>,
}

/// What the other program said of the match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DoorOrders {
    /// How many ticks it allowed.
    pub steps: u64,
    /// The names of teams of which no more players come.
    pub absent: Vec<Vec<u8>>,
}

/// The answers about the connections that came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    /// What each connection may do.
    pub passes: Vec<Pass>,
    /// How long the server waited for the answers.
    pub waited: Duration,
    /// The names in the answers for which it waited: the teams of these connections are charged for the wait.
    pub names: Vec<Vec<u8>>,
}

impl Door {
    /// Takes the socket that is stdin.
    pub fn open() -> io::Result<Door> {
        Door::new(open()?)
    }

    /// From now on lines of the other program wake the loop with this token.
    pub fn join(&self, wakes: &Wakes, token: Token) -> io::Result<()> {
        join(&self.stream, wakes, token)
    }

    fn new(stream: Stream) -> io::Result<Door> {
        stream.set_write_timeout(Some(ANSWER_LIMIT))?;
        let (lines, announced, maker) = (LineDecoder::new(LINE_LIMIT), HashMap::new(), maker(&stream));
        let heard = DoorOrders::default();
        Ok(Door { stream, lines, broken: false, maker, asked: 0, heard, stands: None, announced })
    }

    /// Asks what the new connections of these peers may do, and waits for the answers.
    pub fn ask(&mut self, came: impl Iterator<Item = SocketAddr>) -> Answers {
        let peers: Vec<SocketAddr> = came.collect();
        if peers.is_empty() {
            return Answers::default();
        }
        let began = Instant::now();
        self.hear_announcements();
        let mut passes: Vec<Option<Pass>> =
            peers.iter().map(|peer| self.announced.remove(peer).map(Pass::As)).collect();
        let mut unanswered = BTreeMap::new();
        let mut questions = String::new();
        for (i, peer) in peers.iter().enumerate().filter(|&(i, _)| passes[i].is_none()) {
            self.asked += 1;
            unanswered.insert(self.asked, i);
            questions += &format!("came {} {peer}\n", self.asked);
        }
        if unanswered.is_empty() {
            return Answers { passes: passes.into_iter().flatten().collect(), ..Answers::default() };
        }
        self.say(&questions);
        let asked: Vec<usize> = unanswered.values().copied().collect();
        while !unanswered.is_empty()
            && let Some((number, pass)) = self.answer(began + ANSWER_LIMIT)
        {
            if let Some(i) = unanswered.remove(&number) {
                passes[i] = Some(pass);
            }
        }
        let names = asked.iter().filter_map(|&i| match &passes[i] {
            Some(Pass::As(name)) => Some(name.clone()),
            _ => None,
        });
        let (names, waited) = (names.collect(), began.elapsed());
        Answers { passes: passes.into_iter().map(|pass| pass.unwrap_or(Pass::Out)).collect(), waited, names }
    }

    /// Reports which connections said another name than their own, which players came in, and which were late.
    pub fn tell(&mut self, news: &DoorNews) {
        for foul in &news.fouls {
            let [name, said] = [&foul.name, &foul.said].map(|word| String::from_utf8_lossy(word));
            self.say(&match foul.known {
                true => format!("foul {name} {said}\n"),
                false => format!("unknown {name} {}\n", shortened(&shown(&foul.said), NAME_CHARACTERS)),
            });
        }
        for (player, peer) in &news.seated {
            self.say(&format!("seated {peer} {player}\n"));
        }
        for (player, tick) in &news.late {
            self.say(&format!("late {player} {tick}\n"));
        }
    }

    /// Reports at which tick the match stands, once for each such tick; `None`: at none, it goes on.
    pub fn tell_stand(&mut self, stands: Option<Tick>) {
        if let Some(tick) = stands.filter(|_| self.stands != stands) {
            self.say(&format!("stands {tick}\n"));
        }
        self.stands = stands;
    }

    /// What the other program said of the match since the last call.
    pub fn heard(&mut self) -> DoorOrders {
        self.hear_announcements();
        std::mem::take(&mut self.heard)
    }

    /// Whether a signal of that sender may end the match: a signal of the kernel, one of the program at the door and,
    /// if that program is gone or isn't known, any signal.
    pub fn may_end(&self, sender: Sender) -> bool {
        let Some(maker) = self.maker.filter(|_| !self.broken) else { return true };
        matches!(sender, Sender::Kernel) || sender == Sender::Process(maker)
    }

    /// Reports a signal that wasn't obeyed.
    pub fn report_signal(&mut self, signal: i32, sender: Sender) {
        let sender = match sender {
            Sender::Process(pid) => pid.to_string(),
            Sender::Kernel | Sender::Unknown => "-".to_owned(),
        };
        self.say(&format!("signal {signal} {sender}\n"));
    }

    fn say(&mut self, words: &str) {
        if !self.broken
            && let Err(error) = self.stream.write_all(words.as_bytes())
        {
            self.give_up(&error);
        }
    }

    /// Notes what was announced so far.
    fn hear_announcements(&mut self) {
        while !self.broken
            && let Ok(Some(line)) = self.next_line(None)
        {
            self.hear(&line);
        }
    }

    /// The next answer with the number of its question; `None` if no answer comes in time.
    fn answer(&mut self, deadline: Instant) -> Option<(u64, Pass)> {
        while !self.broken {
            match self.next_line(Some(deadline)) {
                Ok(Some(line)) => {
                    if let Some(answer) = self.hear(&line) {
                        return Some(answer);
                    }
                }
                Ok(None) => {
                    log::warn!("a connection is not let in: the program at the door did not answer in time");
                    return None;
                }
                Err(error) => self.give_up(&error),
            }
        }
        None
    }

    /// Notes an announcement or an allowed tick; returns an answer, with the number of its question.
    fn hear(&mut self, line: &[u8]) -> Option<(u64, Pass)> {
        let text = std::str::from_utf8(line).ok()?;
        if text == "step" {
            self.heard.steps = self.heard.steps.saturating_add(1);
            return None;
        }
        let (first, rest) = text.split_once(' ')?;
        if first == "absent" {
            self.heard.absent.push(rest.into());
            return None;
        }
        if first == "carried" {
            let (peer, name) = rest.split_once(' ')?;
            if self.announced.len() < ANNOUNCED_LIMIT {
                self.announced.insert(peer.parse().ok()?, name.into());
            }
            return None;
        }
        let pass = match rest {
            "in" => Pass::Any,
            _ => rest.strip_prefix("in ").map_or(Pass::Out, |name| Pass::As(name.into())),
        };
        Some((first.parse().ok()?, pass))
    }

    /// The next line, or `None` if none comes by `deadline`; without a deadline only a line that has come already.
    fn next_line(&mut self, deadline: Option<Instant>) -> io::Result<Option<Vec<u8>>> {
        let mut chunk = [0; LINE_LIMIT];
        loop {
            match self.lines.next_line() {
                Some(Decoded::Line(line)) => return Ok(Some(line.to_vec())),
                Some(Decoded::Overflow) => return Err(ErrorKind::InvalidData.into()),
                None => {}
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            self.stream.set_nonblocking(left.is_none())?;
            self.stream.set_read_timeout(left)?;
            let read = self.stream.read(&mut chunk);
            self.stream.set_nonblocking(false)?;
            match read {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.lines.push(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Stops asking: the other program is gone.
    fn give_up(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.broken, true) {
            log::error!("no connection is let in any more: the program at the door doesn't answer ({error})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::shell::Foul;

    /// Asks about these connections, checks that the questions are `asked`, and gives them this answer.
    fn ask(door: &mut Door, mut other: &Stream, peers: &[SocketAddr], asked: &str, answer: &str) -> Answers {
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| door.ask(peers.iter().copied()));
            let mut heard = vec![0; asked.len()];
            other.read_exact(&mut heard).unwrap();
            other.write_all(answer.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(heard).unwrap(), asked);
            asking.join().unwrap()
        })
    }

    #[test]
    fn only_the_program_at_the_door_ends_the_match() {
        let (own, mut other) = system::pair();
        let mut door = Door::new(own).unwrap();
        let maker = i32::try_from(std::process::id()).unwrap();
        let knows_maker = door.maker.is_some();
        assert_eq!(knows_maker, cfg!(target_os = "linux"));
        assert!(door.may_end(Sender::Process(maker)) && door.may_end(Sender::Kernel));
        assert_eq!(door.may_end(Sender::Process(1)), !knows_maker);
        assert_eq!(door.may_end(Sender::Unknown), !knows_maker);
        door.report_signal(15, Sender::Process(7));
        door.report_signal(2, Sender::Unknown);
        // Once that program is gone, any signal must be able to end the match.
        door.give_up(&ErrorKind::BrokenPipe.into());
        assert!(door.may_end(Sender::Process(1)));
        drop(door);
        let mut heard = String::new();
        other.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "signal 15 7\nsignal 2 -\n");
    }

    #[test]
    fn players_are_told_in_their_order_and_ticks_are_allowed_one_by_one_or_all() {
        let (own, mut other) = system::pair();
        let mut door = Door::new(own).unwrap();
        let peers: Vec<SocketAddr> = (1..=3).map(|port| SocketAddr::from(([127, 0, 0, 1], port))).collect();
        door.tell(&DoorNews { seated: (0..).zip(peers).collect(), ..DoorNews::default() });
        for stands in [None, Some(0), Some(0), Some(7), None, Some(7)] {
            door.tell_stand(stands);
        }
        assert_eq!(door.heard(), DoorOrders::default());
        other.write_all(b"step\nabsent red\nstep\n").unwrap();
        let all = DoorOrders { steps: 2, absent: vec![b"red".to_vec()] };
        assert_eq!([door.heard(), door.heard()], [all, DoorOrders::default()]);
        drop(door);
        let mut heard = String::new();
        other.read_to_string(&mut heard).unwrap();
        let seated = "seated 127.0.0.1:1 0\nseated 127.0.0.1:2 1\nseated 127.0.0.1:3 2\n";
        assert_eq!(heard, format!("{seated}stands 0\nstands 7\nstands 7\n"));
    }

    #[test]
    fn each_connection_gets_the_answer_about_itself() {
        let (own, mut other) = system::pair();
        let mut door = Door::new(own).unwrap();
        let peers: Vec<SocketAddr> = (1..=4).map(|port| SocketAddr::from(([127, 0, 0, 1], port))).collect();
        let asked: String = (1..=4).map(|port| format!("came {port} 127.0.0.1:{port}\n")).collect();
        let answers = ask(&mut door, &other, &peers, &asked, "2 in red\n1 in\n3 out\n4 no\n");
        assert_eq!(answers.passes, [Pass::Any, Pass::As(b"red".to_vec()), Pass::Out, Pass::Out]);
        assert_eq!(answers.names, [b"red"]);
        // No question is asked about a connection that was announced, and a late answer answers no later question.
        other.write_all(b"1 in\ncarried 127.0.0.1:1 blue\n").unwrap();
        let answers = ask(&mut door, &other, &peers[..2], "came 5 127.0.0.1:2\n", "4 in\n5 in red\n");
        assert_eq!(answers.passes, [Pass::As(b"blue".to_vec()), Pass::As(b"red".to_vec())]);
        other.write_all(b"carried 127.0.0.1:4 red\n").unwrap();
        let carried = Answers { passes: vec![Pass::As(b"red".to_vec())], ..Answers::default() };
        assert_eq!(door.ask(peers[3..].iter().copied()), carried, "it needn't wait");
        door.tell(&DoorNews { seated: vec![(3, peers[0])], ..DoorNews::default() });
        let known = Foul { name: b"red".to_vec(), said: b"blue".to_vec(), known: true };
        let said = [&b"r d\x1b"[..], &[b'x'; 90]].concat();
        let unknown = Foul { name: b"red".to_vec(), said, known: false };
        door.tell(&DoorNews { fouls: vec![known, unknown], ..DoorNews::default() });
        drop(other.shutdown(std::net::Shutdown::Write));
        assert_eq!(door.ask(peers[..2].iter().copied()).passes, [Pass::Out, Pass::Out]);
        drop(door);
        let mut heard = String::new();
        other.read_to_string(&mut heard).unwrap();
        let unknown = format!("unknown red r d\\x1b{}…", "x".repeat(NAME_CHARACTERS - 7));
        let came = "came 6 127.0.0.1:1\ncame 7 127.0.0.1:2\n";
        assert_eq!(heard, format!("seated 127.0.0.1:1 3\nfoul red blue\n{unknown}\n{came}"));
    }
}
