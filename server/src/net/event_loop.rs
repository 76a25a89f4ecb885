//! The part that knows mio: sockets, signals and the console around a [`Shell`].
//!
//! Registers, polls, and hands on; the shell decides. Tested in `tests/sockets.rs`.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::event::Event;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::connection::{Key, Ready};
use super::console::Console;
use super::door::{Door, Pass};
use super::lateness::LatenessHistogram;
use super::limits::Limits;
use super::listener::Listener;
use super::lockstep_report::LockstepReport;
use super::shell::{Hosted, MissingClient, RefusedOpening, Setup, Shell};
use super::signal::EndSignals;
use super::system::{self, Alarm, Wakes};
use zappy_game::{Tick, Verdict};

const LISTENER: Token = Token(0);
const SIGNALS: Token = Token(1);
const STDIN: Token = Token(2);
const STDOUT: Token = Token(3);
const DOOR: Token = Token(4);
/// Rung by threads that wait for what the poll can't wait for, on Windows.
const BELL: Token = Token(5);
const ALARM: Token = Token(6);
const FIRST_CONNECTION: usize = 7;
/// The longest time that the poll is asked to wait. A turn that comes too early changes nothing.
const LONGEST_SLEEP: Duration = Duration::from_secs(24 * 3600);
/// Events taken from the system at once; the rest comes with the next poll.
const EVENTS: usize = 1_024;
/// Descriptors besides those of connections: standard streams, poll, listener, signals, files.
const OTHER_DESCRIPTORS: usize = 64;

/// What stdin and stdout are used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleUse {
    Lines,
    /// Stdin ends the match when it ends; before that a line `absent NAME` says that no more players of that team come.
    /// Stdout isn't used.
    End,
    None,
}

/// How a server is to run.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Limits, seed, opening console lines, and the lockstep clock's settings.
    pub setup: Setup,
    /// What stdin and stdout are used for.
    pub console: ConsoleUse,
    /// Whether stdin is a [`Door`]; then it is no console.
    pub door: bool,
    /// The console line that a signal stands for.
    pub stop_line: Vec<u8>,
}

/// Why a server can't run.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The address can't be listened on.
    #[error("can't listen on {address}: {source}")]
    Bind {
        /// The address that the server was to listen on.
        address: SocketAddr,
        source: io::Error,
    },
    /// The game refused an opening line.
    #[error(transparent)]
    Opening(#[from] RefusedOpening),
    #[error("{doing}: {source}")]
    System {
        /// What the server was doing.
        doing: &'static str,
        source: io::Error,
    },
}

fn failed(doing: &'static str) -> impl FnOnce(io::Error) -> NetError {
    move |source| NetError::System { doing, source }
}

/// Listens on that address; port 0 takes a free port. Connections wait until a [`Server`] runs.
///
/// # Errors
/// The address is taken, or isn't one of this machine.
pub fn bind(address: SocketAddr) -> Result<Listener, NetError> {
    Listener::bind(address).map_err(|source| NetError::Bind { address, source })
}

/// The result of a run of the server.
#[derive(Debug, Clone)]
pub struct RunReport {
    pub verdict: Verdict,
    /// The tick at which the match ended.
    pub ticks: Tick,
    /// How late due ticks ran.
    pub lateness: LatenessHistogram,
    /// The lockstep clock's report; `None` under the real clock.
    pub lockstep: Option<LockstepReport>,
    /// The players of a resumed match for which no client came.
    pub missing_clients: Vec<MissingClient>,
}

/// A game with its sockets.
pub struct Server<'g, G> {
    poll: Poll,
    wakes: Wakes,
    alarm: Alarm,
    listener: Listener,
    endings: EndSignals,
    console: Console,
    /// Whether the match ends with stdin.
    ends_with_stdin: bool,
    door: Option<Door>,
    /// Whether each tick has to be allowed by the program at the door.
    steps: bool,
    shell: Shell<&'g mut G, TcpStream>,
    limits: Limits,
    stop_line: Vec<u8>,
}

impl<'g, G: Hosted> Server<'g, G> {
    /// Hands the opening lines to the game. No connection is let in before [`Server::run`].
    ///
    /// # Errors
    /// The game refused an opening line, or the system failed.
    pub fn new(game: &'g mut G, mut listener: Listener, options: ServerOptions) -> Result<Self, NetError> {
        let ServerOptions { setup, console, door, stop_line } = options;
        let ends_with_stdin = console == ConsoleUse::End;
        system::raise_descriptor_limit(setup.limits.connections + OTHER_DESCRIPTORS);
        let shell = Shell::new(game, &setup)?;
        let poll = Poll::new().map_err(failed("making the poll"))?;
        let registry = poll.registry();
        let wakes = Wakes::new(registry, BELL).map_err(failed("making the poll"))?;
        let alarm = Alarm::new(&wakes, ALARM).map_err(failed("making a timer"))?;
        let registered = registry.register(listener.socket(), LISTENER, Interest::READABLE);
        registered.map_err(failed("registering the listener"))?;
        let endings = EndSignals::catch().map_err(failed("catching signals"))?;
        endings.join(&wakes, SIGNALS).map_err(failed("registering signals"))?;
        system::block_what_would_end_a_match().map_err(failed("blocking signals"))?;
        let door = door.then(Door::open).transpose().map_err(failed("opening the door on stdin"))?;
        let steps = setup.lockstep.as_ref().is_some_and(|lockstep| lockstep.step);
        if let Some(door) = door.as_ref().filter(|_| setup.lockstep.is_some()) {
            door.join(&wakes, DOOR).map_err(failed("registering the door"))?;
        }
        let console = match console {
            ConsoleUse::Lines if door.is_none() => {
                Console::open(&wakes, STDIN, Some(STDOUT), setup.limits.line)
            }
            ConsoleUse::End if door.is_none() => Console::open(&wakes, STDIN, None, setup.limits.line),
            ConsoleUse::Lines | ConsoleUse::End | ConsoleUse::None => Ok(Console::default()),
        };
        let console = console.map_err(failed("opening the console"))?;
        Ok(Server {
            poll,
            wakes,
            alarm,
            listener,
            endings,
            console,
            ends_with_stdin,
            door,
            steps,
            shell,
            limits: setup.limits,
            stop_line,
        })
    }

    /// The address that was bound.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Runs the match to its end.
    ///
    /// # Errors
    /// The system failed.
    pub fn run(mut self) -> Result<RunReport, NetError> {
        let start = Instant::now();
        let mut events = Events::with_capacity(EVENTS);
        loop {
            let now = start.elapsed();
            let next = self.next_turn(now);
            self.alarm.set(next, now);
            let wait = next.map(|next| next.saturating_sub(now).min(LONGEST_SLEEP));
            match self.poll.poll(&mut events, wait) {
                Err(error) if error.kind() == ErrorKind::Interrupted => events.clear(),
                polled => polled.map_err(failed("waiting for sockets"))?,
            }
            self.shell.advance(start.elapsed());
            for event in &events {
                self.note(event);
            }
            self.turn();
            if let Some(verdict) = self.shell.finished().cloned() {
                self.console.write(self.shell.answers(), usize::MAX);
                self.console.close(&self.wakes);
                self.shell.log_remaining();
                let lateness = self.shell.lateness.clone();
                let lockstep = self.shell.lockstep().cloned();
                let (ticks, missing_clients) = (self.shell.tick(), self.shell.missing_clients());
                return Ok(RunReport { verdict, ticks, lateness, lockstep, missing_clients });
            }
        }
    }

    fn next_turn(&mut self, now: Duration) -> Option<Duration> {
        if self.console.is_busy(self.shell.answers()) {
            return Some(now);
        }
        self.shell.next_turn().into_iter().chain(self.listener.next(now)).min()
    }

    fn note(&mut self, event: &Event) {
        match event.token() {
            LISTENER => self.listener.note_ready(),
            STDIN => self.console.note_readable(),
            STDOUT => self.console.note_writable(),
            DOOR | ALARM => {}
            SIGNALS => self.obey_signals(),
            BELL => {
                self.console.note_readable();
                self.console.note_writable();
                self.obey_signals();
            }
            Token(token) => {
                let broken = event.is_error() || event.is_write_closed();
                let key = Key(token - FIRST_CONNECTION);
                let ready = Ready {
                    readable: event.is_readable(),
                    writable: event.is_writable(),
                    ended: event.is_read_closed(),
                    broken,
                };
                self.shell.note_ready(key, ready);
            }
        }
    }

    /// Ends the match if a signal has come that may end it.
    fn obey_signals(&mut self) {
        for (signal, sender) in self.endings.take() {
            if let Some(door) = &mut self.door
                && !door.may_end(sender)
            {
                log::warn!("signal {signal} isn't obeyed, since the program at the door didn't send it");
                door.report_signal(signal, sender);
                continue;
            }
            log::info!("signal {signal}: the match ends");
            self.shell.console_line(&self.stop_line);
        }
    }

    fn turn(&mut self) {
        self.accept();
        let shell = &mut self.shell;
        match self.ends_with_stdin {
            true => self.console.read(&self.wakes, |line| {
                if let Some(team) = line.and_then(|line| line.strip_prefix(b"absent ")) {
                    shell.expect_no_more(team);
                }
            }),
            false => self.console.read(&self.wakes, |line| match line {
                Some(line) => shell.console_line(line),
                None => shell.console_overflow(),
            }),
        }
        if self.ends_with_stdin && self.console.input.is_none() {
            self.ends_with_stdin = false;
            log::info!("stdin has ended, and the match with it");
            self.shell.console_line(&self.stop_line);
        }
        self.shell.serve();
        self.shell.flush();
        let news = self.shell.door_news();
        if let Some(door) = &mut self.door {
            door.tell(&news);
            if self.steps || self.shell.is_in_lobby() {
                let heard = door.heard();
                heard.absent.iter().for_each(|team| self.shell.expect_no_more(team));
                self.shell.allow(heard.steps);
                door.tell_stand(self.shell.stands());
            }
        }
        self.console.write(self.shell.answers(), self.limits.turn_written);
        self.listener.note_closed(self.shell.closed());
    }

    fn accept(&mut self) {
        let came = self.listener.accept_all(self.shell.time(), &self.limits);
        let passes = match &mut self.door {
            Some(door) => {
                let answers = door.ask(came.iter().map(|&(_, peer)| peer));
                self.shell.charge_door(&answers.names, answers.waited);
                answers.passes
            }
            None => vec![Pass::Any; came.len()],
        };
        for ((mut stream, peer), pass) in came.into_iter().zip(passes) {
            if pass == Pass::Out {
                log::debug!("{peer}: not let in, as the door decided");
                continue;
            }
            let Ok(key) = self.shell.admit(peer) else { continue };
            // Answers are small and go out at once. If this fails the connection is broken, which reading it will show.
            let _ = stream.set_nodelay(true);
            let both = Interest::READABLE | Interest::WRITABLE;
            let token = Token(key.0 + FIRST_CONNECTION);
            if let Err(error) = self.poll.registry().register(&mut stream, token, both) {
                log::warn!("{peer}: not let in, {error}");
                continue;
            }
            self.shell.accept(key, stream, peer);
            if let Pass::As(name) = pass {
                self.shell.hold_to(key, name);
            }
        }
    }
}
