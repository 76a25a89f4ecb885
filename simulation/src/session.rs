//! A session: a server from its start to its end, with the clients, the operator and the disk around it, through as many
//! lives as it has.
//!
//! After each turn the invariants are looked at; whenever the server rests, nothing may be forgotten, and what each
//! observer knows that was sent everything must be what a new one is sent. Tested by the sessions in `tests`.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use super::accounts::Accounts;
use super::client::{Client, Owed};
use super::fuzz::mutate::mutate;
use super::lines::{Draws, TEAMS, conquest_console, zappy_console};
use super::observer_view::ObserverView;
use super::plan::{Plan, STOP};
use super::script::{Kind, Script, Step};
use zappy_game::Game;
use zappy_game::chance::Chance;
use zappy_server::net::testing::Net;
use zappy_server::record::{Medium, RecordFile, Recorder};

/// The most turns of the server's loop in one sleep; after these the rest of its time doesn't pass.
const MAX_TURNS: u32 = 400;
/// Turns in one sleep after which the server counts as one that never rests.
const RESTLESS_TURNS: u32 = 50_000;
/// The most clients of a session that are connected at once.
const MAX_CLIENTS: usize = 60;
/// As [`MAX_CLIENTS`], in a session with crowds.
const CROWDED_CLIENTS: usize = 4_000;
/// From this many connections on the shell is checked after every 64th turn only.
const CROWD_CONNECTIONS: usize = 100;

/// A file on a disk that may be full.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk(pub(super) Rc<RefCell<File>>);

/// What the disk holds, and how much more it takes; `None`: any number of bytes.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    pub(super) room: Option<usize>,
    pub(super) failed: bool,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self.0.borrow_mut();
        let count = bytes.len().min(file.room.unwrap_or(usize::MAX));
        file.room = file.room.map(|room| room - count);
        file.bytes.extend_from_slice(&bytes[..count]);
        let full = count == 0 && !bytes.is_empty();
        file.failed |= full;
        if full { Err(ErrorKind::StorageFull.into()) } else { Ok(count) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Medium for Disk {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.0.borrow().bytes.len() as u64)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.0.borrow_mut().bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(())
    }
}

/// The game that is played, with its record.
pub(super) type Recorded = Recorder<Box<dyn Game>, RecordFile<Disk>>;

/// How a life of the server ended.
pub(super) enum Death {
    /// Its match is over, and it ended in order.
    Natural,
    /// It was killed, and so many bytes at the end of the record are lost.
    Killed(usize),
}

pub(super) struct Session {
    pub(super) plan: Plan,
    pub(super) chance: Chance,
    pub(super) disk: Disk,
    pub(super) clients: Vec<Client>,
    /// What the record said of the players when the server was started again.
    pub(super) before: Accounts,
    crowded: bool,
    /// How many ports were used: each connection has one of its own.
    ports: u16,
}

impl Session {
    pub(super) fn new(script: &Script) -> Session {
        let crowded = script.steps.iter().any(|step| step.kind == Kind::Crowd);
        Session {
            plan: Plan::of(script.seed, crowded),
            chance: Chance::new(script.seed, 3, 0, 0),
            disk: Disk::default(),
            clients: Vec::new(),
            before: Accounts::new(),
            crowded,
            ports: 0,
        }
    }
}

/// A server from its start to its end.
pub(super) struct Life<'a, 'g> {
    session: &'a mut Session,
    net: Net<'g, Recorded>,
    turns: u32,
    /// Whether clients were let in when it started.
    gate: bool,
}

impl<'a, 'g> Life<'a, 'g> {
    pub(super) fn new(session: &'a mut Session, net: Net<'g, Recorded>, gate: bool) -> Life<'a, 'g> {
        Life { session, net, turns: 0, gate }
    }

    /// Takes the steps until the server ends or is killed; if none is left, lets the match end.
    pub(super) fn run<'s>(&mut self, steps: &mut impl Iterator<Item = &'s Step>) -> Death {
        for step in steps {
            if step.kind == Kind::Kill {
                return Death::Killed(
                    [0, step.how as usize % 200, step.how as usize][usize::from(step.which) % 3],
                );
            }
            self.step(*step);
            if self.net.shell.finished().is_some() {
                return Death::Natural;
            }
        }
        self.end();
        Death::Natural
    }

    fn step(&mut self, Step { kind, which, how }: Step) {
        let mut draws = Draws::new(how);
        match kind {
            Kind::Connect => self.connect(which, &mut draws),
            Kind::Crowd => (0..200 + which % 800).for_each(|i| self.connect(i, &mut draws)),
            Kind::Round => self.round(&mut draws),
            Kind::Play => {
                for _ in 0..1 + which % 8 {
                    self.round(&mut draws);
                    self.arrive_all();
                    self.sleep(Duration::from_millis([0, 10, 70][usize::from(which) % 3]));
                }
            }
            Kind::ArriveAll => self.arrive_all(),
            Kind::ReadAll => self.read_all(),
            Kind::FailAccept => self.net.fail_to_accept(match how % 4 {
                0 => ErrorKind::ConnectionAborted.into(),
                1 => ErrorKind::Interrupted.into(),
                2 => ErrorKind::PermissionDenied.into(),
                // EMFILE, where systems have numbers for errors.
                _ => io::Error::from_raw_os_error(24),
            }),
            Kind::Sleep => {
                let micros =
                    [0, 1_000, 10_000, 70_000, 300_000, 2_000_000, 20_000_000][usize::from(which) % 7];
                self.sleep(Duration::from_micros(u64::from(micros + how % 1_000)));
            }
            Kind::StandStill => {
                let millis = [1, 50, 300, 1_500, 100_000][usize::from(which) % 5];
                self.turn(self.net.at + Duration::from_millis(millis));
            }
            Kind::Console => self.console(&mut draws),
            Kind::FillDisk => {
                let room = (which % 3 > 0).then_some(how as usize % 20_000);
                self.session.disk.0.borrow_mut().room = room;
            }
            Kind::Kill => {}
            _ => self.step_of_client(kind, which, how, &mut draws),
        }
        if self.session.chance.below(3) > 0 {
            self.sleep(Duration::ZERO);
        }
    }

    fn step_of_client(&mut self, kind: Kind, which: u16, how: u32, draws: &mut Draws) {
        let clients = &self.session.clients;
        let mut served: Vec<usize> = (0..clients.len()).filter(|&i| clients[i].is_served()).collect();
        if kind == Kind::Stall && served.iter().any(|&i| clients[i].view.is_some()) {
            // The server ends players that don't read, so mostly observers stall: these must be brought up to date.
            served.retain(|&i| how.is_multiple_of(4) || clients[i].view.is_some());
        }
        if served.is_empty() {
            return;
        }
        let game = self.session.plan.spec.game;
        let client = &mut self.session.clients[served[usize::from(which) % served.len()]];
        match kind {
            Kind::Say => {
                (0..[1, 1, 3, 12][how as usize % 4]).for_each(|_| client.say_something(game, draws));
            }
            Kind::Flood => (0..how % 400).for_each(|_| client.say_something(game, draws)),
            Kind::Junk => {
                let junk: Vec<u8> = (0..how % 300).map(|_| draws.below(256) as u8).collect();
                client.say(&junk);
            }
            Kind::Endless => client.say(&vec![b'x'; how as usize % 20_000]),
            Kind::Name => client.say_line(draws.pick(&["red", "blue", "GRAPHIC", "nobody", "green"])),
            Kind::Stall => {
                let (mut wire, bytes) = (client.wire.borrow_mut(), how as usize % 300);
                match how % 5 {
                    0 | 1 => wire.room = 0,
                    2 | 3 => wire.room = bytes,
                    _ => wire.portion = Some(1 + bytes),
                }
            }
            Kind::HalfClose => client.ends = true,
            Kind::Reset => client.wire.borrow_mut().reset = true,
            Kind::BreakOff => client.wire.borrow_mut().broke_off = true,
            Kind::Interrupt => client.wire.borrow_mut().interruptions = how % 4,
            _ => {}
        }
        let arrives = match kind {
            Kind::Arrive => [1, 1, 2, how as usize % 50][usize::from(which) % 4],
            _ if !how.is_multiple_of(3) => usize::MAX,
            _ => 0,
        };
        client.arrive(arrives);
        let peer = client.peer;
        self.net.report(peer);
    }

    fn connect(&mut self, which: u16, draws: &mut Draws) {
        let session = &mut *self.session;
        let most = if session.crowded { CROWDED_CLIENTS } else { MAX_CLIENTS };
        if session.clients.iter().filter(|client| client.is_served()).count() >= most
            || session.ports == u16::MAX
        {
            return;
        }
        session.ports += 1;
        let host = if which.is_multiple_of(4) { [192, 0, 2, (which / 4 % 3) as u8] } else { [127, 0, 0, 1] };
        let mut client = Client::new(SocketAddr::from((host, session.ports)));
        let teams = session.plan.spec.config.teams.len();
        let team = TEAMS[draws.below(teams as u64) as usize];
        let name = match draws.below(16) {
            0..=8 => Some(team),
            9..=12 => Some("GRAPHIC"),
            13 => Some(["nobody", " red\t", ""][draws.below(3) as usize]),
            _ => None,
        };
        if session.plan.held && draws.below(2) == 0 {
            // Most clients that are held to a name say it.
            let own = name.filter(|name| TEAMS[..teams].contains(name) && draws.below(4) > 0).unwrap_or(team);
            client.held_to = Some(own.as_bytes().to_vec());
            self.net.names.insert(client.peer, own.as_bytes().to_vec());
        }
        name.into_iter().for_each(|name| client.say_line(name));
        if draws.below(6) > 0 {
            client.arrive(usize::MAX);
        }
        self.net.knock(&client.wire, client.peer);
        session.clients.push(client);
    }

    fn round(&mut self, draws: &mut Draws) {
        let game = self.session.plan.spec.game;
        for client in self.session.clients.iter_mut().filter(|client| client.number.is_some()) {
            client.say_something(game, draws);
            client.arrive(usize::MAX);
            self.net.report(client.peer);
        }
    }

    fn console(&mut self, draws: &mut Draws) {
        let map = self.session.plan.spec.config.map;
        let lines = if self.session.plan.is_zappy() {
            zappy_console(draws, (map.width().into(), map.height().into()))
        } else {
            conquest_console(draws)
        };
        let misspelt = draws.below(4) == 0;
        // An empty line first, so that no time passes between the game's last step and the lines.
        self.net.shell.console_line(b"");
        for line in lines {
            let mut line = line.into_bytes();
            if misspelt {
                line = mutate("", &line, b"", draws.below(u64::MAX));
                line.retain(|&byte| byte != b'\n');
            }
            self.net.shell.console_line(&line);
        }
        if draws.below(20) == 0 {
            self.net.shell.console_overflow();
        }
    }

    fn arrive_all(&mut self) {
        for client in &mut self.session.clients {
            if client.arrive(usize::MAX) {
                self.net.report(client.peer);
            }
        }
    }

    fn read_all(&mut self) {
        for client in &mut self.session.clients {
            client.wire.borrow_mut().room = usize::MAX;
            self.net.report(client.peer);
        }
    }

    /// Time passes, and the server wakes when it has to.
    fn sleep(&mut self, time: Duration) {
        let until = self.net.at + time;
        let (mut moment, mut turns) = (self.net.at, 0);
        for _ in 0..RESTLESS_TURNS {
            let wake = self.net.next_turn().map(|next| next.max(self.net.at));
            match wake.filter(|&wake| wake <= until && (turns < MAX_TURNS || wake == self.net.at)) {
                Some(wake) => {
                    turns += u32::from(wake > moment);
                    moment = wake;
                    self.turn(wake);
                }
                None => {
                    self.rest();
                    if turns < MAX_TURNS {
                        self.net.at = until;
                    }
                    return;
                }
            }
            if self.net.shell.finished().is_some() {
                return;
            }
        }
        let shell = &self.net.shell;
        panic!("the server never rests, at tick {} and {:?}: {}", shell.tick(), self.net.at, shell.unrest());
    }

    fn turn(&mut self, at: Duration) {
        let Session { chance, clients, plan, .. } = &mut *self.session;
        let net = &mut self.net;
        let stood = net.shell.stands();
        net.take_turn(at, chance);
        assert!(stood.is_none_or(|tick| tick == net.shell.tick()), "a tick begins that wasn't allowed");
        for (number, peer) in net.shell.door_news().seated {
            let client = clients.iter_mut().rfind(|client| client.peer == peer);
            if let Some(client) = client {
                assert_eq!(client.number.replace(number), None, "one client plays twice");
            }
        }
        let answers = net.shell.answers();
        // Answers to the operator that find no room are dropped.
        let _ = answers.write_to(&mut io::sink(), 1 + chance.below(5_000) as usize);
        self.turns += 1;
        if net.shell.connected() < CROWD_CONNECTIONS {
            let think_time = plan.setup.lockstep.as_ref().map(|lockstep| lockstep.think_time);
            think_time.into_iter().for_each(|time| assert_waited_for(net, clients, time));
        }
        if net.shell.connected() < CROWD_CONNECTIONS || self.turns.is_multiple_of(64) {
            net.shell.assert_invariants();
            let served = clients.iter().filter(|client| client.is_served()).count();
            assert!(served >= net.shell.connected(), "{served} wires, {} connections", net.shell.connected());
            for client in clients.iter_mut() {
                let key = net.keys.get(&client.peer);
                let watches = key.is_some_and(|key| net.shell.watches(*key).0);
                client.read(watches, &plan.spec);
            }
        }
    }

    /// Checks that a server that has nothing to do until its next deadline has forgotten nothing.
    fn rest(&mut self) {
        if self.net.shell.finished().is_some() {
            return;
        }
        self.net.assert_nothing_forgotten();
        let mut expected = None;
        let Session { clients, plan, chance, .. } = &mut *self.session;
        let welcomes = self.gate || clients.iter().any(|client| !client.wire.borrow().to_client.is_empty());
        assert!(!welcomes || !self.net.shell.keeps_waiting(), "a connection isn't let in");
        if self.net.shell.stands().is_some() && chance.below(3) > 0 {
            self.net.shell.allow([1, 1, 3, 100][chance.below(4) as usize]);
        }
        if self.net.shell.is_over() {
            return;
        }
        let rules = plan.spec.options.get("rules");
        for client in clients.iter_mut() {
            let Some(key) = self.net.keys.get(&client.peer) else { continue };
            let (watches, told_all) = self.net.shell.watches(*key);
            let read = client.read(watches, &plan.spec);
            if !told_all
                || !read && client.view.is_some() && !self.turns.is_multiple_of(8)
                || client.read_bytes != client.wire.borrow().to_client.len()
            {
                continue;
            }
            let expected = expected.get_or_insert_with(|| {
                let view = ObserverView::snapshot(plan.spec.game.name, &self.net.shell.game, false);
                view.without_withheld(rules)
            });
            let told = client.view.clone().unwrap_or_else(|| panic!("an observer was told nothing"));
            told.without_withheld(rules).assert_shows(expected, "an observer was told something else");
        }
    }

    /// Lets the match end: all clients leave it, or the operator ends it.
    fn end(&mut self) {
        let leave = self.session.chance.below(2) == 0;
        if leave {
            self.net.shell.console_line(b"/start");
            self.net.shell.console_line(b"/resume");
            // In lockstep players leave in rounds, and there are none while time stands still.
            if self.net.shell.stands_still() {
                self.net.shell.console_line(b"/pause");
            }
            self.read_all();
            self.arrive_all();
            self.sleep(Duration::ZERO);
            for client in &self.session.clients {
                client.wire.borrow_mut().reset = true;
                self.net.report(client.peer);
            }
            for _ in 0..300 {
                self.sleep(Duration::from_secs(60));
                if self.net.shell.connected() == 0 && self.net.next_turn() != Some(self.net.at) {
                    break;
                }
            }
            self.net.shell.assert_drained();
        }
        self.net.shell.console_line(STOP);
        let reads = leave || self.session.chance.below(3) > 0;
        if reads {
            self.read_all();
            self.arrive_all();
        }
        for _ in 0..50 {
            self.sleep(Duration::from_millis(100));
            if self.net.shell.finished().is_some() {
                break;
            }
            for client in &self.session.clients {
                let mut wire = client.wire.borrow_mut();
                if wire.server_ended && !wire.ended {
                    wire.ended = true;
                    drop(wire);
                    self.net.report(client.peer);
                }
            }
        }
        assert!(self.net.shell.finished().is_some(), "the server doesn't end");
        if reads {
            self.net.shell.assert_drained();
        }
    }
}

/// Panics if a tick has begun in this turn although a player owed a line before it, its think time wasn't over and nothing
/// had come from it. The time is counted from the end of a turn to that of another, so it is longer than the server's,
/// never shorter. A player that was late may not be waited for until it says something.
fn assert_waited_for(net: &Net<'_, Recorded>, clients: &mut [Client], think_time: Duration) {
    let (at, tick, owing) = (net.at, net.shell.tick(), net.shell.owing());
    let rests = net.next_turn().is_none_or(|next| next > at) && !net.shell.stands_still();
    for client in clients {
        let before = client.owed.take();
        client.late &= !client.has_sent();
        let Some(key) = net.keys.get(&client.peer) else { continue };
        if let Some(Owed { since, tick: owed_at, asked: true }) = before
            && !client.has_sent()
            && net.shell.plays(*key)
        {
            client.late |= at - since >= think_time;
            assert!(client.late || tick == owed_at, "tick {tick} begins without player {:?}", client.number);
        }
        let Some(&fetched) = owing.get(key) else { continue };
        let since = before.map_or(at, |owed| owed.since);
        let asked = rests && !fetched && !client.late;
        client.owed = Some(Owed { since, tick, asked });
        client.arrived.1 = client.arrived.0;
    }
}
