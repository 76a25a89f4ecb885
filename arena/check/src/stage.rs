//! One scene with a bot: the real rules, the bot's connections and its program, and what was seen of it so far.
//!
//! Hands lines to the rules and their answers to the connections. The game's part, a [`Play`], knows what the lines
//! mean and which fault is injected; `rounds` is the loop. When the stage is dropped, the bot is ended. Tested in
//! `arena/cli/tests/check.rs`.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use zappy_game::{Game, Input, Line, Output, SeatId};
use zappy_play::programs::process::Process;
use zappy_play::programs::signals::Signals;
use zappy_protocol::Tick;

use super::connection::{Connection, Phase};
use super::data::remedy;
use super::machine::{FairClock, IdleTime, group_cpu_time};
use super::scene::{Enough, Role, SceneSettings, Supplies};
use super::seen::{FaultKind, RECEIVED, Remedy, Seen, WHY, shown};

/// The bot's team: a name that a bot can't have copied from an example.
pub const TEAM: &str = "Kestrel9";
/// The team of all other players.
pub const OTHERS: &str = "blue";
/// The number of the first seat of our own players; the bot's connections have lower numbers.
pub const PUPPETS: u32 = 1_000_000;

/// A game's part in a scene: what a bot's lines mean, and which fault is injected.
pub trait Play: Sized {
    /// What the game remembers of the lines of a connection.
    type Dialogue: Default;

    fn game(&mut self) -> &mut dyn Game;

    /// Sets the scene up; the bot has just been started.
    fn begin(stage: &mut Stage<'_, Self>);

    /// Takes a line of a connection that has logged in, before it is handed to the rules.
    fn take_line(stage: &mut Stage<'_, Self>, connection: usize, line: &[u8]);

    /// Notes a line that is sent to a seat.
    fn note_sent(stage: &mut Stage<'_, Self>, seat: SeatId, line: &[u8]);

    /// Notes that a seat plays from now on.
    fn note_admitted(_stage: &mut Stage<'_, Self>, _seat: SeatId) {}

    /// Notes the reason with which the rules refused a line of the seat.
    fn note_refusal(_stage: &mut Stage<'_, Self>, _seat: SeatId, _words: &str) {}

    /// Called before a connection that gathers lines is sent them.
    fn before_sending(_stage: &mut Stage<'_, Self>, _seat: SeatId) {}

    /// Does what the scene wants before a tick passes, when no player of the bot owes a line.
    fn before_tick(stage: &mut Stage<'_, Self>);

    /// Called when all that was due at a tick has run.
    fn after_tick(_stage: &mut Stage<'_, Self>) {}

    /// Whether the scene is over; asked in each turn of the loop.
    fn is_over(stage: &mut Stage<'_, Self>) -> bool;

    /// Whether this scene learns the bot's habits: then a tick passes only after the bot has said all that it wants to
    /// say.
    fn learns_habits(stage: &Stage<'_, Self>) -> bool {
        stage.settings.role == Role::Ordinary
    }

    /// Whether the bot's think time begins anew after it was sent this line; `None`: after it has sent one itself.
    fn renews_think_time(line: Option<&[u8]>) -> bool;

    /// Whether a fault was injected into that connection, after which it should go on.
    fn is_disturbed(_stage: &Stage<'_, Self>, _connection: usize) -> bool {
        false
    }

    /// Says what is wrong with a connection that has fallen silent.
    fn silence_in_words(connection: &Connection<Self::Dialogue>) -> String;

    /// What to do about a connection that ended or fell silent, judged by its last lines and the last line on the bot's
    /// standard error.
    fn remedy(_stage: &Stage<'_, Self>, _connection: usize, _error: &str) -> Option<Remedy> {
        None
    }

    /// How far the scene has come, in words: `40 ticks`.
    fn progress(stage: &Stage<'_, Self>) -> String;

    /// Whether the bot may leave now, though it may also stay.
    fn may_leave(&self) -> bool {
        false
    }

    /// Names the event after which the bot should have left.
    fn what_happened(&self) -> &'static str;
}

/// How often and how fast the bot sends lines.
#[derive(Debug, Default)]
pub struct Rhythm {
    /// How many commands the bot has sent, or how many phases it has ended.
    pub steps: u64,
    /// That number when the fault was last injected.
    pub steps_at_fault: u64,
    /// When the bot sent its last line.
    pub last_line_at: Option<Instant>,
    /// The time between the bot's last two lines.
    pub last_gap: Duration,
    /// Since when the bot may be about to send another line, by the fair clock; `None` once it was found asleep.
    pub may_send_since: Option<Duration>,
    /// How long the scene has waited for such lines in all, by the fair clock.
    pub line_pauses: Duration,
}

/// How the bot leaves when nothing is left for it to do.
#[derive(Debug, Default)]
pub struct Leave {
    /// Since when nothing is left to do, by the fair clock, and the processor time that the bot had spent by then.
    pub nothing_left: Option<(Duration, Duration)>,
    /// The port to which the bot connects.
    pub port: Option<u16>,
    /// Whether the bot connects again after it should have ended; `None` until that is tested.
    pub returned: Option<bool>,
    /// Since when the bot has had no connection, by the fair clock, after it had one.
    pub unconnected_since: Option<Duration>,
}

/// A scene that is being played.
pub struct Stage<'a, P: Play> {
    pub(super) settings: SceneSettings,
    pub(super) play: P,
    pub(super) process: Process,
    pub(super) signals: &'a mut Signals,
    pub(super) listener: Option<TcpListener>,
    pub(super) connections: Vec<Connection<P::Dialogue>>,
    pub(super) seen: Seen,
    pub(super) begun: Instant,
    /// No tick passes before this moment.
    pub(super) hold: Option<Instant>,
    pub(super) rhythm: Rhythm,
    /// The fair clock: how much of the time so far the bot could have used. The limits of bot and scene are measured in
    /// it.
    pub(super) clock: FairClock,
    pub(super) leave: Leave,
    /// How many connections of other programs were refused.
    pub(super) strangers: u32,
    /// When the bot was let in, by the wall clock and by the fair clock.
    pub(super) entered: Option<(Instant, Duration)>,
    /// The processor time that the bot's processes spend while all its players wait for answers.
    pub(super) idle_time: IdleTime,
    /// Whether in an ordinary match, too, one of the bot's players kept silent while another played on.
    pub(super) silent_by_habit: bool,
    /// What the bot shouted in other scenes.
    pub(super) shouts: Vec<String>,
    pub(super) over: bool,
}

impl<'a, P: Play> Stage<'a, P> {
    pub fn new(settings: SceneSettings, play: P, supplies: Supplies<'a>) -> Stage<'a, P> {
        let begun = Instant::now();
        let port = supplies.listener.local_addr().ok().map(|address| address.port());
        let mut stage = Stage {
            settings,
            play,
            process: supplies.process,
            signals: supplies.signals,
            listener: Some(supplies.listener),
            connections: Vec::new(),
            seen: Seen { begun: Some(begun), ..Seen::default() },
            begun,
            hold: None,
            rhythm: Rhythm::default(),
            clock: FairClock::new(begun),
            leave: Leave { port, ..Leave::default() },
            strangers: 0,
            entered: None,
            idle_time: IdleTime::default(),
            silent_by_habit: supplies.silent_by_habit,
            shouts: supplies.shouts,
            over: false,
        };
        stage.drain();
        P::begin(&mut stage);
        stage
    }

    /// Notes how often the thing that the scene is about has happened by now.
    pub(super) fn note_occurrences(&mut self, times: u32) {
        if times > self.seen.occurrences {
            self.rhythm.steps_at_fault = self.rhythm.steps;
        }
        self.seen.occurrences = times;
    }

    /// Whether the bot has done all that the scene waits for.
    pub(super) fn is_through(&self) -> bool {
        match self.settings.enough {
            Enough::Steps(n) => self.rhythm.steps >= n,
            Enough::Met(n, more) => {
                self.seen.occurrences >= n && self.rhythm.steps >= self.rhythm.steps_at_fault + more
            }
            Enough::Ticks | Enough::Hatched | Enough::End => false,
        }
    }

    /// Processor time of the bot's group so far.
    pub(super) fn process_time(&self) -> Duration {
        group_cpu_time(self.process.pid)
    }

    /// Hands a console line to the rules.
    pub(super) fn console(&mut self, line: &str) {
        self.hand_in(SeatId::CONSOLE, Input::Line(line.as_bytes()));
    }

    /// Logs in one of our own players.
    pub(super) fn seat(&mut self, seat: SeatId, team: &str) {
        self.hand_in(seat, Input::Open);
        self.hand_in(seat, Input::Line(team.as_bytes()));
    }

    pub(super) fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.play.game().handle_input(self.seen.tick, seat, input);
        self.drain();
    }

    /// Notes a mistake of the bot and ends the scene, since nothing more can be seen after it.
    pub(super) fn fail(&mut self, kind: FaultKind, words: String) {
        self.seen.fault(kind, words);
        self.over = true;
    }

    /// The seats that could send a line now.
    pub(super) fn owing(&mut self) -> Vec<SeatId> {
        let mut owing = Vec::new();
        self.play.game().owing(&mut owing);
        owing
    }

    pub(super) fn drain(&mut self) {
        while let Some(output) = self.play.game().poll_output() {
            match output {
                Output::Send(seat, line) => self.send(seat, &line),
                Output::Admit(seat) => {
                    if let Some(connection) = self.connection_of(seat) {
                        connection.phase = Phase::Playing;
                        self.seen.logged_in = true;
                        self.entered.get_or_insert((Instant::now(), self.clock.now()));
                    }
                    P::note_admitted(self, seat);
                }
                Output::Why(seat, words) => {
                    if let Some(connection) = self.connections.get(seat.0 as usize) {
                        self.seen.note_line(&connection.name, WHY, &words);
                    }
                    P::note_refusal(self, seat, &words);
                }
                Output::Close(seat, _) => {
                    if let Some(connection) = self.connections.get_mut(seat.0 as usize) {
                        connection.phase = Phase::Closing;
                        self.seen.note_line(&connection.name, RECEIVED, "(the server closes the connection)");
                    }
                }
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
                self.seen.note_line(&connection.name, RECEIVED, &shown(line));
                connection.wire.push(line, now);
                if P::renews_think_time(Some(line)) {
                    connection.idle_since = None;
                }
            }
            P::note_sent(self, seat, line);
        }
    }

    pub(super) fn is_held(&self) -> bool {
        self.hold.is_some_and(|hold| hold > Instant::now())
    }

    /// Runs what is due at that tick.
    pub(super) fn run(&mut self, tick: Tick) {
        self.seen.tick = tick;
        while self.play.game().poll_timeout() == Some(tick) {
            self.play.game().handle_timeout(tick);
            self.drain();
        }
    }

    /// Begins the end of a scene about how the bot ends: takes no more connections, and closes those that are open.
    pub(super) fn begin_finale(&mut self) {
        self.seen.occurrences = 1;
        self.leave.nothing_left = Some((self.clock.now(), self.process_time()));
        self.listener = None;
        for connection in &mut self.connections {
            if connection.is_open() {
                connection.phase = Phase::Closing;
            }
        }
    }

    /// If `rest`, the beginning of a line, was sent and its end wasn't, notes that mistake, and gives its words, with
    /// `more` behind them, and its remedy.
    pub(super) fn fault_of_unended(&mut self, rest: &[u8], more: &str) -> Option<(String, Option<Remedy>)> {
        if rest.is_empty() {
            return None;
        }
        let words = format!("it sent \"{}\" and never the \\n that ends the line{more}", shown(rest));
        let remedy = Some(remedy("unended"));
        self.seen.fault_with(FaultKind::LineEnd, words.clone(), remedy);
        Some((words, remedy))
    }

    /// Ends all connections in the middle of a line.
    pub(super) fn break_off(&mut self, part: &'static str) {
        for connection in self.connections.iter_mut().filter(|connection| connection.is_open()) {
            connection.wire.packets.push_back(part.into());
            self.seen.note_line(&connection.name, RECEIVED, &format!("{part}   (and the connection ends)"));
        }
        self.begin_finale();
    }
}
