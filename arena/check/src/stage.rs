//! Plays one scene with a bot: the real rules, behind a connection that injects the scene's faults.
//!
//! One loop on one thread waits for sockets, output, signals and deadlines; nothing in it waits without a limit. By the
//! lockstep clock a tick passes when every seat that owes a line has sent it and all output is written; by the real
//! clock time alone counts. The game's part, a [`Play`], knows what the lines mean and which fault is injected. When
//! the stage is dropped, the bot is ended. Tested in `arena/cli/tests/check.rs`.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use zappy_game::{Game, Input, Line, Output, SeatId};
use zappy_play::os;
use zappy_play::programs::process::Process;
use zappy_play::programs::signals::Signals;
use zappy_protocol::Tick;

use super::connection::{Connection, Phase};
use super::machine::{FairClock, Rest, is_own};
use super::scene::{Role, Room, Terms};
use super::seen::{FaultKind, READ, Remedy, SENT, Seen, WHY, shown};

/// The bot's team: a name that a bot can't have copied from an example.
pub const TEAM: &str = "Kestrel9";
/// The team of all other players.
pub const OTHERS: &str = "blue";
/// The most connections of a bot in a scene.
const CONNECTIONS: usize = 200;
/// The most ticks that are run in one turn.
const TURN_TICKS: usize = 64;
/// The loop waits no longer than this.
const BEAT: Duration = Duration::from_millis(10);
/// The number of the first seat of our own players; the bot's connections have lower numbers.
pub const PUPPETS: u32 = 1_000_000;

/// A game's part in a scene: what a bot's lines mean, and which fault is injected.
pub trait Play: Sized {
    /// What the game remembers of the lines of a connection.
    type Dialogue: Default;

    fn game(&self) -> &dyn Game;

    fn game_mut(&mut self) -> &mut dyn Game;

    /// Sets the scene up; the bot has just been started.
    fn begin(stage: &mut Stage<'_, Self>);

    /// A connection that has logged in sent this line, which is about to be handed to the rules.
    fn hear(stage: &mut Stage<'_, Self>, connection: usize, line: &[u8]);

    /// This line is sent to a seat.
    fn told(stage: &mut Stage<'_, Self>, seat: SeatId, line: &[u8]);

    /// A seat plays from now on.
    fn admitted(stage: &mut Stage<'_, Self>, seat: SeatId);

    /// The rules say why they refused what the seat said.
    fn why(_stage: &mut Stage<'_, Self>, _seat: SeatId, _words: &str) {}

    /// A connection that gathers lines is about to be sent them.
    fn gather(_stage: &mut Stage<'_, Self>, _seat: SeatId) {}

    /// No player of the bot owes a line. Does what the scene wants before time passes.
    fn before_tick(stage: &mut Stage<'_, Self>);

    /// All that was due at this tick has run.
    fn after_tick(_stage: &mut Stage<'_, Self>) {}

    /// Called now and then; true if the scene is over.
    fn look(stage: &mut Stage<'_, Self>) -> bool;

    /// Whether this scene learns the bot's habits: then time passes only after the bot has said all that it wants to
    /// say.
    fn learns(stage: &Stage<'_, Self>) -> bool {
        stage.terms.role == Role::Ordinary
    }

    /// Whether the bot's think time begins anew after it was sent this line; `None`: after it has sent one itself.
    fn renews(line: Option<&[u8]>) -> bool;

    /// Whether a fault was injected into that connection, after which it should go on.
    fn disturbed(_stage: &Stage<'_, Self>, _connection: usize) -> bool {
        false
    }

    /// Says what is wrong with a connection that has fallen silent.
    fn silence(connection: &Connection<Self::Dialogue>) -> String;

    /// What to do about a connection that ended or fell silent, judged by its last lines and the last line on the bot's
    /// standard error.
    fn remedy(_stage: &Stage<'_, Self>, _connection: usize, _error: &str) -> Option<Remedy> {
        None
    }

    /// How far the scene came, such as "40 ticks".
    fn progress(stage: &Stage<'_, Self>) -> String;

    /// Whether the bot is free to leave now or to stay.
    fn may_leave(&self) -> bool {
        false
    }

    /// The event after which the bot should have left.
    fn what_happened(&self) -> &'static str;
}

/// A scene that is being played.
pub struct Stage<'a, P: Play> {
    pub(super) terms: Terms,
    pub(super) play: P,
    pub(super) process: Process,
    signals: &'a mut Signals,
    pub(super) listener: Option<TcpListener>,
    pub(super) connections: Vec<Connection<P::Dialogue>>,
    pub(super) seen: Seen,
    pub(super) tick: Tick,
    pub(super) begun: Instant,
    /// Time stands still until this moment.
    pub(super) hold: Option<Instant>,
    /// How many lines all playing connections have sent.
    pub(super) commands: u64,
    /// When the bot sent its last line.
    pub(super) spoke: Instant,
    /// The time between its last two lines.
    pub(super) pause: Duration,
    /// Since when the bot may be about to say more, by the fair clock; `None` once it was found asleep.
    pub(super) at_it: Option<Duration>,
    /// How long the scene has waited for such lines in all, by the fair clock.
    pub(super) more: Duration,
    /// The fair clock: how much of the time so far the bot could have used. All limits are measured in it.
    pub(super) clock: FairClock,
    /// Since when the bot has nothing left to do, and the processor time it had spent by then.
    pub(super) finale: Option<(Duration, Duration)>,
    /// How many connections of other programs were refused.
    pub(super) strangers: u32,
    /// Since when the bot has had no connection, after it had one.
    pub(super) alone: Option<Duration>,
    /// When the bot was let in, by the clock on the wall and by the fair one.
    pub(super) entered: Option<(Instant, Duration)>,
    /// What the bot's processes do while all its players wait for answers.
    pub(super) rest: Rest,
    /// Whether in an ordinary match, too, one of the bot's players kept silent while another played on.
    pub(super) by_habit: bool,
    /// The port to which the bot connects. `returned` says whether the bot connects again after it should have ended;
    /// `None` until that is tested.
    pub(super) port: Option<u16>,
    pub(super) returned: Option<bool>,
    /// What the bot shouted in other scenes.
    pub(super) words: &'a [String],
    pub(super) over: bool,
    /// Whether the operator asked the arena to stop.
    stopped: bool,
}

impl<'a, P: Play> Stage<'a, P> {
    pub fn new(terms: Terms, play: P, room: Room<'a>) -> Stage<'a, P> {
        let begun = Instant::now();
        let port = room.listener.local_addr().ok().map(|address| address.port());
        let mut stage = Stage {
            terms,
            play,
            process: room.process,
            signals: room.signals,
            listener: Some(room.listener),
            connections: Vec::new(),
            seen: Seen::new(begun),
            tick: 0,
            begun,
            hold: None,
            commands: 0,
            spoke: begun,
            pause: Duration::ZERO,
            at_it: None,
            more: Duration::ZERO,
            clock: FairClock::new(begun),
            finale: None,
            strangers: 0,
            alone: None,
            entered: None,
            rest: Rest::default(),
            by_habit: room.by_habit,
            port,
            returned: None,
            words: room.words,
            over: false,
            stopped: false,
        };
        stage.drain();
        P::begin(&mut stage);
        stage
    }

    /// Plays the scene to its end; true if the operator asked the arena to stop.
    pub fn play(mut self) -> (Seen, bool) {
        while !self.over {
            self.wait();
            self.clock.advance(Instant::now(), self.process.pid());
            self.look_at_rest();
            self.accept();
            self.greet();
            self.listen();
            self.pass_time();
            self.write();
            self.look_after();
            self.process.trickle();
        }
        if let Some((entered, _)) = self.entered {
            (self.seen.started, self.seen.played) = (entered - self.begun, entered.elapsed());
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
        self.hold = self.hold.filter(|hold| *hold > now);
        let mut until = now + BEAT;
        let moments = self.connections.iter().filter_map(|connection| connection.wire.due());
        for moment in moments.chain(self.hold) {
            until = until.min(moment);
        }
        let listener = self.listener.iter().map(os::source);
        let streams = self.connections.iter().filter(|c| c.phase != Phase::Gone && !c.ended);
        let sockets = listener.chain(streams.map(|connection| os::source(&connection.stream)));
        let all: Vec<_> =
            self.signals.pollables().into_iter().chain(sockets).chain(self.process.pollables()).collect();
        // An error means a signal interrupted the wait; everything is looked at anyway.
        let _ = os::wait(&all, until.saturating_duration_since(now));
        self.process.read();
        self.signals.child_ended();
        if self.signals.stops() > 0 {
            (self.stopped, self.over) = (true, true);
        }
    }

    fn accept(&mut self) {
        let Some(listener) = &self.listener else { return };
        while self.connections.len() < CONNECTIONS {
            let Ok((stream, peer)) = listener.accept() else { return };
            if !listener.local_addr().is_ok_and(|server| is_own(server, peer)) {
                self.strangers += 1;
                continue;
            }
            if let Some(returned) = &mut self.returned {
                *returned = true;
                continue;
            }
            let n = self.connections.len();
            let name = if n == 0 { "bot".to_owned() } else { format!("bot/{}", n + 1) };
            let seat = SeatId(u32::try_from(n).unwrap_or(0));
            let (manner, now) = (self.terms.manner, Instant::now());
            if let Ok(connection) = Connection::new(seat, name, stream, manner, now) {
                self.seen.say(&connection.name, SENT, "(connects)");
                self.connections.push(connection);
            }
        }
        if self.listener.take().is_some() {
            self.fail(FaultKind::Flood, format!("it opened {CONNECTIONS} connections"));
        }
    }

    /// Sends `WELCOME` to connections that have waited long enough, and notes the connections that spoke before it.
    fn greet(&mut self) {
        for i in 0..self.connections.len() {
            let connection = &mut self.connections[i];
            if connection.phase != Phase::Waiting {
                continue;
            }
            if !self.terms.greeting.is_zero() {
                connection.read();
                if !connection.pending().is_empty() {
                    let text = shown(connection.pending());
                    self.seen.say(&connection.name, SENT, &text);
                    let words = format!("it sent \"{text}\" before it had read WELCOME");
                    self.seen.fault(FaultKind::Early, words);
                    self.over = true;
                }
            }
            if connection.since.elapsed() >= self.terms.greeting {
                connection.phase = Phase::Greeted;
                let seat = connection.seat;
                self.hand_in(seat, Input::Open);
            }
        }
    }

    /// Hands a console line to the rules. If they refuse it, the mistake is in the scene, so it is reported.
    pub(super) fn console(&mut self, line: &str) {
        self.hand_in(SeatId::CONSOLE, Input::Line(line.as_bytes()));
    }

    /// Logs in one of our own players.
    pub(super) fn seat(&mut self, seat: SeatId, team: &str) {
        self.hand_in(seat, Input::Open);
        self.hand_in(seat, Input::Line(team.as_bytes()));
    }

    pub(super) fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.play.game_mut().handle_input(self.tick, seat, input);
        self.drain();
    }

    /// Notes a mistake of the bot and ends the scene, since nothing more can be seen after it.
    pub(super) fn fail(&mut self, kind: FaultKind, words: String) {
        self.seen.fault(kind, words);
        self.over = true;
    }

    /// The seats that could send a line now.
    pub(super) fn owing(&self) -> Vec<SeatId> {
        let mut owing = Vec::new();
        self.play.game().owing(&mut owing);
        owing
    }

    pub(super) fn drain(&mut self) {
        while let Some(output) = self.play.game_mut().poll_output() {
            match output {
                Output::Send(seat, line) => self.send(seat, &line),
                Output::Admit(seat) => {
                    if let Some(connection) = self.connection_of(seat) {
                        connection.phase = Phase::Playing;
                        self.seen.logged_in = true;
                        self.entered.get_or_insert((Instant::now(), self.clock.now()));
                    }
                    P::admitted(self, seat);
                }
                Output::Why(seat, words) => {
                    if let Some(connection) = self.connections.get(seat.0 as usize) {
                        self.seen.say(&connection.name, WHY, &words);
                    }
                    P::why(self, seat, &words);
                }
                Output::Close(seat, _) => self.close(seat),
                _ => {}
            }
        }
    }

    pub(super) fn connection_of(&mut self, seat: SeatId) -> Option<&mut Connection<P::Dialogue>> {
        self.connections.get_mut(seat.0 as usize)
    }

    fn send(&mut self, seat: SeatId, line: &Line) {
        if seat == SeatId::CONSOLE {
            log::trace!("console: {}", shown(line.text()));
        }
        let now = Instant::now();
        for line in line.lines() {
            if let Some(connection) = self.connections.get_mut(seat.0 as usize) {
                self.seen.say(&connection.name, READ, &shown(line));
                connection.wire.push(line, now);
                if P::renews(Some(line)) {
                    connection.idle = None;
                }
            }
            P::told(self, seat, line);
        }
    }

    fn close(&mut self, seat: SeatId) {
        if let Some(connection) = self.connections.get_mut(seat.0 as usize) {
            connection.phase = Phase::Closing;
            self.seen.say(&connection.name, READ, "(the server closes the connection)");
        }
    }

    pub(super) fn is_held(&self) -> bool {
        self.hold.is_some_and(|hold| hold > Instant::now())
    }

    /// Lets time pass: in lockstep until a seat can send a line, by the real clock as much as has passed.
    fn pass_time(&mut self) {
        if self.terms.real {
            return self.pass_real_time();
        }
        for _ in 0..TURN_TICKS {
            let writing = self.connections.iter().any(|c| !c.wire.is_empty() && !c.wire.gathers());
            if self.is_held() || writing || self.over || self.finale.is_some() {
                return;
            }
            if self.owes()
                || !self.connections.iter().any(|c| c.phase == Phase::Playing)
                || self.may_say_more()
            {
                return;
            }
            P::before_tick(self);
            if self.finale.is_some() || self.is_held() {
                return;
            }
            let Some(next) = self.play.game().poll_timeout() else { return };
            self.run(next);
            P::after_tick(self);
        }
    }

    fn pass_real_time(&mut self) {
        self.owes();
        P::before_tick(self);
        let now = Tick::try_from(self.begun.elapsed().as_millis()).unwrap_or(Tick::MAX);
        while let Some(next) = self.play.game().poll_timeout().filter(|next| *next <= now && !self.over) {
            self.run(next);
            P::after_tick(self);
        }
        self.tick = now;
    }

    /// Runs what is due at that tick.
    pub(super) fn run(&mut self, tick: Tick) {
        (self.tick, self.seen.tick) = (tick, tick);
        while self.play.game().poll_timeout() == Some(tick) {
            self.play.game_mut().handle_timeout(tick);
            self.drain();
        }
    }

    /// Whether any of the bot's players could send a line; notes since when.
    fn owes(&mut self) -> bool {
        let (owing, now, fair) = (self.owing(), Instant::now(), self.clock.now());
        for connection in self.connections.iter_mut().filter(|one| !owing.contains(&one.seat)) {
            connection.idle = None;
        }
        let mut any = false;
        for seat in owing {
            let along = self.connection_of(seat).is_some_and(|c| c.wire.gathers() && !c.wire.is_empty());
            if along {
                P::gather(self, seat);
            }
            let Some(connection) = self.connection_of(seat) else { continue };
            if connection.phase != Phase::Playing || connection.ended {
                continue;
            }
            any |= !connection.mute;
            if along {
                connection.wire.release(now);
            } else if connection.wire.is_empty() {
                connection.idle.get_or_insert(fair);
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
            let due = connection.wire.due().is_some_and(|due| due <= now);
            if due && self.terms.role == Role::Apart && connection.unread() > 0 {
                connection.wire.put_off(now);
            }
            if connection.wire.flush(&mut connection.stream, now).is_err() {
                connection.ended = true;
            }
            if connection.phase == Phase::Closing {
                connection.close_sending();
            }
        }
    }

    /// Takes no more connections: from now on the bot should end.
    pub(super) fn begin_finale(&mut self) {
        self.finale = Some((self.clock.now(), self.process_time()));
        self.listener = None;
        for connection in &mut self.connections {
            if connection.is_open() {
                connection.phase = Phase::Closing;
            }
        }
    }

    /// Ends all connections in the middle of a line.
    pub(super) fn break_off(&mut self, part: &'static str) {
        for connection in self.connections.iter_mut().filter(|connection| connection.is_open()) {
            connection.wire.push_part(part.as_bytes());
            self.seen.say(&connection.name, READ, &format!("{part}   (and the connection ends)"));
        }
        self.seen.met = 1;
        self.begin_finale();
    }
}
