//! Plays one scene with a bot: the real rules behind a wire that does as the scene says.
//!
//! One loop on one thread waits for sockets, outputs, signals and moments; nothing in it waits without a limit.
//! Time is the lockstep clock's: a tick passes when every seat that could say something has said it, and all output
//! was written. The bot is ended with the stage, whatever it does. Tested in `tests/check.rs`.

use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::player::{CommandKind, Response};
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::config::MatchConfig;
use zappy_server::game::{Game, Input, Line, Output, SeatId};
use zappy_server::zappy::{Zappy, ZappyOptions};

use super::connection::{Connection, Phase};
use super::doing::Doing;
use super::scene::{Enough, Scene};
use super::seen::{FaultKind, Seen, Way, shown};
use crate::Error;
use crate::programs::process::Process;
use crate::programs::signals::Signals;

/// The bot's team.
pub const TEAM: &str = "red";
/// The team of all other players.
pub const OTHERS: &str = "blue";
/// A scene at the most.
pub const SCENE_LIMIT: Duration = Duration::from_secs(12);
/// Connections of a bot in a scene.
const CONNECTIONS: usize = 200;
/// Due ticks in one turn.
const TURN_TICKS: usize = 64;
/// The longest wait.
const BEAT: Duration = Duration::from_millis(50);
/// The number of the first seat of a player of ours; connections have lower ones.
const PUPPETS: u32 = 1_000_000;

/// A scene that is being played.
pub struct Stage<'a> {
    pub(super) scene: Scene,
    pub(super) process: Process,
    signals: &'a mut Signals,
    pub(super) listener: Option<TcpListener>,
    pub(super) game: Zappy,
    pub(super) connections: Vec<Connection>,
    /// The seat of each player, in the order of their numbers.
    pub(super) seats: Vec<SeatId>,
    pub(super) seen: Seen,
    pub(super) tick: Tick,
    pub(super) begun: Instant,
    /// Until when time stands still.
    pub(super) hold: Option<Instant>,
    pub(super) doing: Doing,
    /// Commands of all connections.
    pub(super) commands: u64,
    /// Since when the bot has nothing left to do, and the processor time it had spent by then.
    pub(super) finale: Option<(Instant, Duration)>,
    /// Since when the bot has had no connection, after it had one.
    pub(super) alone: Option<Instant>,
    /// When an egg was laid that still waits for a client, and how many players there had been by then.
    pub(super) egg: Option<(Instant, usize)>,
    /// How many had hatched when the last `Fork` was sent.
    pub(super) at_fork: usize,
    pub(super) hatched: bool,
    pub(super) over: bool,
    /// Whether the operator asked the arena to stop.
    pub stopped: bool,
}

/// A port on which bots are awaited.
///
/// # Errors
/// When the system has none.
pub fn listen() -> Result<TcpListener, Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listener = listener.and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    listener.map_err(|error| Error::System("can't listen on a port", error))
}

fn rules(scene: &Scene) -> Zappy {
    let team = |name: &str| TeamName::parse(name.as_bytes()).expect("a good name");
    let size = MapSize::new(scene.side, scene.side).expect("a small map");
    let config = MatchConfig { seed: 42, ..MatchConfig::new(size, vec![team(TEAM), team(OTHERS)]) };
    let options = ZappyOptions { slots: scene.slots, display_eggs: scene.eggs, ..ZappyOptions::default() };
    Zappy::new(&config, options)
}

impl<'a> Stage<'a> {
    /// Everything in its place; the bot has just been started.
    pub fn new(scene: Scene, process: Process, listener: TcpListener, signals: &'a mut Signals) -> Stage<'a> {
        let begun = Instant::now();
        let mut stage = Stage {
            scene,
            process,
            signals,
            listener: Some(listener),
            game: rules(&scene),
            connections: Vec::new(),
            seats: Vec::new(),
            seen: Seen::new(begun),
            tick: 0,
            begun,
            hold: None,
            doing: Doing::default(),
            commands: 0,
            finale: None,
            alone: None,
            egg: None,
            at_fork: 0,
            hatched: false,
            over: false,
            stopped: false,
        };
        stage.drain();
        for i in 0..scene.others + if scene.full { scene.slots } else { 0 } {
            let seat = SeatId(PUPPETS + i);
            let team = if i < scene.others { OTHERS } else { TEAM };
            stage.hand_in(seat, Input::Open);
            stage.hand_in(seat, Input::Line(team.as_bytes()));
        }
        stage.furnish();
        stage
    }

    /// Plays it to its end.
    pub fn play(mut self) -> (Seen, bool) {
        while !self.over {
            self.wait();
            self.accept();
            self.greet();
            self.listen();
            self.pass_time();
            self.write();
            self.look_after();
            self.process.trickle();
        }
        self.process.read();
        if self.process.log().is_cut() {
            self.seen.fault(
                FaultKind::Output,
                "it writes more than 1 MiB to its standard output and error; what is beyond is read slowly, so that \
                 it may block"
                    .into(),
            );
        }
        (self.seen, self.stopped)
    }

    fn wait(&mut self) {
        let now = Instant::now();
        let mut until = now + BEAT;
        let moments = self.connections.iter().filter_map(|connection| connection.wire.due());
        for moment in moments.chain(self.hold) {
            until = until.min(moment);
        }
        let signals = self.signals.pollables();
        let mut fds: Vec<PollFd<'_>> =
            signals.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let listener = self.listener.iter().map(AsFd::as_fd);
        let streams = self.connections.iter().filter(|c| c.phase != Phase::Gone && !c.ended);
        let sockets = listener.chain(streams.map(|connection| connection.stream.as_fd()));
        let all = sockets.chain(self.process.pollables());
        fds.extend(all.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let timeout = Timespec::try_from(until.saturating_duration_since(now)).ok();
        // Interrupted by a signal: everything is looked at anyway.
        let _ = poll(&mut fds, timeout.as_ref());
        self.process.read();
        self.signals.child_ended();
        if self.signals.stops() > 0 {
            (self.stopped, self.over) = (true, true);
        }
    }

    fn accept(&mut self) {
        let Some(listener) = &self.listener else { return };
        while self.connections.len() < CONNECTIONS {
            let Ok((stream, _)) = listener.accept() else { return };
            let n = self.connections.len();
            let name = if n == 0 { "bot".to_owned() } else { format!("bot/{}", n + 1) };
            let seat = SeatId(u32::try_from(n).unwrap_or(0));
            let (manner, now) = (self.scene.manner, Instant::now());
            if let Ok(connection) = Connection::new(seat, name, stream, manner, now) {
                self.seen.say(&connection.name, Way::Sent, "(connects)");
                self.connections.push(connection);
            }
        }
        if self.listener.take().is_some() {
            self.seen.fault(FaultKind::Flood, format!("it opened {CONNECTIONS} connections"));
            self.over = true;
        }
    }

    /// Sends `WELCOME` to connections that have waited long enough, and notes which ones didn't wait.
    fn greet(&mut self) {
        for i in 0..self.connections.len() {
            let connection = &mut self.connections[i];
            if connection.phase != Phase::Waiting {
                continue;
            }
            if !self.scene.greeting.is_zero() {
                connection.read();
                if !connection.pending().is_empty() {
                    let text = shown(connection.pending());
                    self.seen.say(&connection.name, Way::Sent, &text);
                    let words = format!("it sent \"{text}\" before it had read WELCOME");
                    self.seen.fault(FaultKind::Early, words);
                    self.over = true;
                }
            }
            if connection.since.elapsed() >= self.scene.greeting {
                connection.phase = Phase::Greeted;
                let seat = connection.seat;
                self.hand_in(seat, Input::Open);
            }
        }
    }

    /// Hands in a console line. If the rules refuse it, the mistake is ours, so it is told.
    pub(super) fn console(&mut self, line: &str) {
        self.hand_in(SeatId::CONSOLE, Input::Line(line.as_bytes()));
    }

    pub(super) fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.game.handle_input(self.tick, seat, input);
        self.drain();
    }

    pub(super) fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Send(seat, line) => self.send(seat, &line),
                Output::Admit(seat) => self.admit(seat),
                Output::Why(seat, words) if words.starts_with("dropped") => self.note_dropped(seat),
                Output::Close(seat, _) => self.close(seat),
                _ => {}
            }
        }
    }

    fn connection_of(&mut self, seat: SeatId) -> Option<&mut Connection> {
        self.connections.get_mut(seat.0 as usize)
    }

    fn send(&mut self, seat: SeatId, line: &Line) {
        if seat == SeatId::CONSOLE {
            log::trace!("console: {}", shown(line.text()));
        }
        let (now, mut died) = (Instant::now(), false);
        let Some(connection) = self.connections.get_mut(seat.0 as usize) else { return };
        for line in line.lines() {
            self.seen.say(&connection.name, Way::Read, &shown(line));
            connection.wire.push(line, now);
            connection.idle = None;
            let Ok(response) = Response::parse(line) else { continue };
            if connection.phase != Phase::Playing {
                continue;
            }
            let waited = connection.waiting.len();
            let answered = connection.note_response(&response);
            if connection.waiting.len() < waited {
                connection.left = connection.waiting.len();
                connection.last.1 = shown(line);
            }
            if answered == Some(CommandKind::Fork) && response == Response::Ok {
                self.egg.get_or_insert((now, self.at_fork));
                self.seen.met += u32::from(self.scene.enough == Enough::Hatched);
            }
            self.doing.note_response(&response, line);
            self.doing.note_answer(answered, &response);
            died |= response == Response::Dead;
        }
        if died {
            self.note_death(seat);
        }
    }

    fn admit(&mut self, seat: SeatId) {
        let player = PlayerId(u32::try_from(self.seats.len()).unwrap_or(u32::MAX));
        self.seats.push(seat);
        if let Some(connection) = self.connection_of(seat) {
            connection.phase = Phase::Playing;
            self.equip(player);
        }
    }

    fn note_dropped(&mut self, seat: SeatId) {
        if let Some(connection) = self.connection_of(seat) {
            // It will never be answered.
            connection.waiting.pop_back();
            let words = "it sent a command while ten waited behind the running one; that command was dropped and \
                         will never be answered";
            self.seen.fault(FaultKind::Dropped, words.into());
            self.doing.dropped += 1;
        }
    }

    fn close(&mut self, seat: SeatId) {
        if let Some(connection) = self.connections.get_mut(seat.0 as usize) {
            connection.phase = Phase::Closing;
            self.seen.say(&connection.name, Way::Read, "(the server closes the connection)");
        }
    }

    /// Lets time pass until a seat has something to say.
    fn pass_time(&mut self) {
        for _ in 0..TURN_TICKS {
            let held = self.hold.is_some_and(|hold| hold > Instant::now());
            let writing = self.connections.iter().any(|c| !c.wire.is_empty() && !c.wire.gathers());
            if held || writing || self.over || self.finale.is_some() {
                return;
            }
            if self.owes() || !self.connections.iter().any(|c| c.phase == Phase::Playing) {
                return;
            }
            self.make_mischief();
            if self.finale.is_some() || self.hold.is_some_and(|hold| hold > Instant::now()) {
                return;
            }
            let Some(next) = self.game.poll_timeout() else { return };
            self.tick = next;
            self.seen.tick = next;
            self.connections.iter_mut().for_each(|connection| connection.at_tick = (0, 0));
            self.game.handle_timeout(next);
            self.drain();
            self.be_quicker();
        }
    }

    /// Whether any of the bot's players could say something; notes since when.
    fn owes(&mut self) -> bool {
        let mut owing = Vec::new();
        self.game.owing(&mut owing);
        let now = Instant::now();
        let mut any = false;
        for seat in owing {
            let along = self.connection_of(seat).is_some_and(|c| c.wire.gathers() && !c.wire.is_empty());
            if along {
                self.shout_along(seat);
            }
            let Some(connection) = self.connection_of(seat) else { continue };
            if connection.phase != Phase::Playing || connection.ended {
                continue;
            }
            any = true;
            if along {
                connection.wire.release(now);
            } else if connection.wire.is_empty() {
                connection.idle.get_or_insert(now);
            }
        }
        any
    }

    fn write(&mut self) {
        let now = Instant::now();
        for connection in &mut self.connections {
            if connection.phase == Phase::Gone {
                continue;
            }
            if connection.wire.flush(&mut connection.stream, now).is_err() {
                connection.ended = true;
            }
            if connection.phase == Phase::Closing {
                connection.close_sending();
            }
        }
    }
}
