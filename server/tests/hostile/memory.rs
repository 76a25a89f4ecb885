//! Random sessions of each game through the shell, over a network in memory: joins, orders, junk in any pieces,
//! half-closes, resets, clients that don't read. A failure names game, seed and step; `SIMULATION_SEEDS` sets how many
//! sessions are played.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use zappy_game::chance::Chance;
use zappy_game::config::MatchConfig;
use zappy_game::{MatchSpec, find};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName};
use zappy_server::games::GAMES;
use zappy_server::net::{Hosted, Key, Limits, Ready, Setup, Shell, Stream};
use zappy_server::record::{Recorder, header, verify};

use super::{HOUSES, House};

const STEPS: u32 = 150;
/// Turns of the loop in which everything that waits is read and written.
const SETTLING: u32 = 400;

/// Both directions of one connection.
#[derive(Debug, Default)]
struct Wire {
    up: VecDeque<u8>,
    ended: bool,
    reset: bool,
    down: Vec<u8>,
    /// Bytes that the client's side still takes.
    room: usize,
    dropped: bool,
}

#[derive(Debug)]
struct End(Rc<RefCell<Wire>>);

impl Read for End {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut wire = self.0.borrow_mut();
        if wire.reset {
            return Err(ErrorKind::ConnectionReset.into());
        }
        if wire.up.is_empty() {
            return if wire.ended { Ok(0) } else { Err(ErrorKind::WouldBlock.into()) };
        }
        let count = wire.up.len().min(buffer.len());
        for (place, byte) in buffer.iter_mut().zip(wire.up.drain(..count)) {
            *place = byte;
        }
        Ok(count)
    }
}

impl Write for End {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut wire = self.0.borrow_mut();
        if wire.reset {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let count = bytes.len().min(wire.room);
        if count == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        wire.room -= count;
        wire.down.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for End {
    fn shutdown_write(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.0.borrow_mut().dropped = true;
    }
}

/// A number below `count`.
fn pick(chance: &mut Chance, count: usize) -> usize {
    chance.below(u32::try_from(count).unwrap()) as usize
}

struct Client {
    key: Key,
    wire: Rc<RefCell<Wire>>,
}

struct Session<'g, G> {
    shell: Shell<&'g mut G, End>,
    house: House,
    clients: Vec<Client>,
    at: Duration,
}

impl<G: Hosted> Session<'_, G> {
    fn connect(&mut self) {
        let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        if let Ok(key) = self.shell.admit(peer) {
            let wire = Rc::new(RefCell::new(Wire { room: usize::MAX, ..Wire::default() }));
            self.shell.accept(key, End(wire.clone()), peer);
            self.clients.push(Client { key, wire });
        }
    }

    fn tell(&mut self, client: usize, change: impl FnOnce(&mut Wire) -> Ready) {
        let Client { key, wire } = &self.clients[client];
        let ready = change(&mut wire.borrow_mut());
        if !wire.borrow().dropped {
            self.shell.note_ready(*key, ready);
        }
    }

    fn send(&mut self, client: usize, bytes: &[u8]) {
        self.tell(client, |wire| {
            wire.up.extend(bytes);
            Ready { readable: true, ..Ready::default() }
        });
    }

    fn turn(&mut self, millis: u64) {
        self.at += Duration::from_millis(millis);
        self.shell.advance(self.at);
        self.shell.serve();
        self.shell.flush();
    }

    /// Something that a client does.
    fn step(&mut self, chance: &mut Chance) {
        // The first client behaves.
        let client = 1 + pick(chance, self.clients.len() - 1);
        let words = self.house.lines();
        match chance.below(16) {
            0 if self.clients.len() < 30 => self.connect(),
            1 | 2 => {
                let name = ["red", "red", "GRAPHIC", "pink", "", "mct"][pick(chance, 6)];
                self.send(client, format!("{name}\n").as_bytes());
            }
            3..=6 => {
                let line = format!("{}\n", words[pick(chance, words.len())]).repeat(1 + pick(chance, 30));
                let cut = pick(chance, line.len() + 1);
                self.send(client, &line.as_bytes()[..cut]);
            }
            7 => {
                let junk: Vec<u8> = (0..chance.below(400)).map(|_| chance.below(256) as u8).collect();
                self.send(client, &junk);
            }
            8 => self.send(client, &vec![b'x'; 5_000]),
            9 => self.tell(client, |wire| {
                wire.ended = true;
                Ready { readable: true, ended: true, ..Ready::default() }
            }),
            10 => self.tell(client, |wire| {
                wire.reset = true;
                Ready { readable: true, ended: true, ..Ready::default() }
            }),
            11 => {
                let room = [0, 7, 500, usize::MAX][pick(chance, 4)];
                self.tell(client, |wire| {
                    wire.room = room;
                    Ready { writable: true, ..Ready::default() }
                });
            }
            12 => {
                let line = ["/help", "/nonsense", "\u{ff}", "/map", "/state", "/tile"][pick(chance, 6)];
                self.shell.console_line(line.as_bytes());
            }
            _ => self.turn(chance.below(120).into()),
        }
    }
}

fn play(house: House, seed: u64) {
    let at = |step: u32| format!("{}, seed {seed}, step {step}", house.game);
    let teams = ["blue", "red"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
    let config = MatchConfig::new(MapSize::new(12, 10).unwrap(), teams.to_vec());
    let config = MatchConfig { seed, publish: true, ..config };
    let spec = MatchSpec::new(find(GAMES, house.game).unwrap(), config).with(house.options.iter().copied());
    let spec = spec.unwrap();
    let head = header(&spec, RecordLevel::Full);
    let mut game = Recorder::new(spec.begin().unwrap(), Vec::new(), &head);
    let setup =
        Setup { limits: Limits { player_outbox: 50_000, ..Limits::default() }, seed, ..Setup::default() };
    let shell = Shell::new(&mut game, &setup).unwrap();
    let mut session = Session { shell, house, clients: Vec::new(), at: Duration::ZERO };
    let mut chance = Chance::new(seed, 0, 0, 0);
    (0..2).for_each(|_| session.connect());
    session.send(0, b"blue\n");
    session.turn(0);
    for step in 0..STEPS {
        session.step(&mut chance);
        assert!(session.shell.finished().is_none(), "{}: it has ended", at(step));
        assert!(!session.clients[0].wire.borrow().dropped, "{}: the one that behaves is gone", at(step));
    }
    let read = session.clients[0].wire.borrow().down.len();
    session.send(0, format!("{}\n", house.question).as_bytes());
    (0..SETTLING).for_each(|_| session.turn(0));
    let text = String::from_utf8_lossy(&session.clients[0].wire.borrow().down[read..]).into_owned();
    assert!(text.lines().any(|line| line.starts_with(house.answer)), "{}: {text}", at(STEPS));
    session.shell.console_line(b"/quit");
    session.turn(0);
    // Those that don't read are waited for, and not for long.
    session.turn(60_000);
    assert_eq!(session.shell.finished().map(|verdict| verdict.reason), Some("stopped"), "{}", at(STEPS));
    drop(session);
    let record = game.finish().1.unwrap();
    let verified = verify(&record, GAMES).unwrap_or_else(|error| panic!("{}: {error}", at(STEPS)));
    assert!(verified.complete, "{}", at(STEPS));
}

#[test]
fn random_sessions_cost_a_client_that_behaves_nothing_and_leave_whole_records() {
    let seeds = std::env::var("SIMULATION_SEEDS").map_or(60, |seeds| seeds.parse().unwrap());
    for house in HOUSES {
        (0..seeds).for_each(|seed| play(house, seed));
    }
}
