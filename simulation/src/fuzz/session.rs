//! Whole matches through the seam, whatever comes: what clients and the operator are sent, and what the record is good for.
//! What every game promises the shell and its observers is looked at by its warden (`guest`).
//!
//! Run by `tests/corpus.rs`.

use std::collections::{BTreeMap, BTreeSet};

use zappy_game::{Game, Input, MatchSpec, Output, SeatId};
use zappy_protocol::Tick;
use zappy_protocol::conquest::{observer as watching, player as turning};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::zappy::{observer, player};
use zappy_server::games::GAMES;
use zappy_server::net::testing::FakeStream;
use zappy_server::net::{Setup, Shell};
use zappy_server::record::{Recorder, header, verify};

use crate::fuzz::lines::are_plain;
use crate::fuzz::record;
use crate::fuzz::script::{Step, head, steps};

/// The most seats of a session.
const MAX_SEATS: usize = 24;
/// The longest that time passes in a session, in ticks, and how often something may be due in it.
const MAX_TICKS: Tick = 20_000;
const MAX_DUE: u32 = 4_000;
/// How often something may be due at one tick before time counts as standing still.
const MAX_DUE_AT_A_TICK: u32 = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Unnamed,
    Player,
    Observer,
}

/// A match, and what is known of its seats.
struct Session {
    game: Recorder<Box<dyn Game>, Vec<u8>>,
    /// The name of the game that is played.
    name: &'static str,
    now: Tick,
    due: u32,
    opened: u32,
    open: BTreeMap<SeatId, Role>,
    /// The seats that send nothing more.
    ended: BTreeSet<SeatId>,
    gate: bool,
    runs: bool,
    finished: bool,
    /// Whether the console line that is played was refused.
    refused: bool,
    answers: usize,
}

impl Session {
    fn new(spec: &MatchSpec) -> Option<Session> {
        let game = Recorder::new(spec.begin().ok()?, Vec::new(), &header(spec, RecordLevel::Full));
        let name = spec.game.name;
        let mut session = Session {
            game,
            name,
            now: 0,
            due: 0,
            opened: 0,
            open: BTreeMap::new(),
            ended: BTreeSet::new(),
            gate: false,
            runs: false,
            finished: false,
            refused: false,
            answers: 0,
        };
        session.drain();
        Some(session)
    }

    fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            assert!(!self.finished, "it goes on after its end: {output:?}");
            match output {
                Output::Send(SeatId::CONSOLE, line) => self.answers += line.lines().count(),
                Output::Send(seat, line) => {
                    let role =
                        self.open.get(&seat).unwrap_or_else(|| panic!("a line for {seat}, which is closed"));
                    for line in line.lines() {
                        let known = match (role, self.name == "zappy") {
                            (Role::Observer, true) => observer::Message::parse(line).is_ok(),
                            (Role::Observer, false) => watching::Message::parse(line).is_ok(),
                            (_, true) => player::Response::parse(line).is_ok(),
                            (_, false) => turning::ServerLine::parse(line).is_ok(),
                        };
                        assert!(known, "{role:?} is sent {:?}", line.escape_ascii().to_string());
                    }
                }
                Output::Admit(seat) => self.becomes(seat, Role::Player),
                Output::Subscribe(seat) => self.becomes(seat, Role::Observer),
                Output::Why(SeatId::CONSOLE, why) => {
                    are_plain(&why);
                    self.refused = true;
                }
                Output::Close(seat, why) => {
                    assert!(!why.is_empty() && self.open.remove(&seat).is_some(), "{seat} is closed twice");
                }
                Output::Gate(open) => self.gate = open,
                Output::SetTickRate(rate) => self.runs = rate.is_some(),
                Output::Finished(verdict) => {
                    assert!(!verdict.reason.is_empty());
                    self.finished = true;
                }
                Output::Why(_, why) => are_plain(&why),
                Output::Publish(_) | Output::Withhold(_) | Output::AsConsole(_) | Output::Instead(..) => {}
            }
        }
    }

    fn becomes(&mut self, seat: SeatId, role: Role) {
        assert_eq!(self.open.insert(seat, role), Some(Role::Unnamed), "{seat} becomes {role:?}");
    }

    /// Hands something in, as the shell does: what is due runs before it.
    fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.run_due(self.now);
        if !self.is_over() {
            self.game.handle_input(self.now, seat, input);
            self.drain();
        }
    }

    /// Whether the match has ended, or more was due in it than a session has time for.
    fn is_over(&self) -> bool {
        self.finished || self.due > MAX_DUE
    }

    fn run_due(&mut self, until: Tick) {
        let mut at_this_tick = 0;
        while let Some(due) = self.game.poll_timeout().filter(|&due| due <= until && !self.is_over()) {
            assert!(due >= self.now, "tick {due} is due at tick {}", self.now);
            at_this_tick = if due == self.now { at_this_tick + 1 } else { 0 };
            assert!(at_this_tick <= MAX_DUE_AT_A_TICK, "time stands still at tick {due}");
            self.now = due;
            self.due += 1;
            self.game.handle_timeout(due);
            self.drain();
        }
        if !self.is_over() {
            self.now = until;
        }
    }

    /// The seat of that number, if it is open.
    fn seat(&self, number: usize) -> Option<SeatId> {
        let seat = SeatId(u32::try_from(number).ok()?);
        self.open.contains_key(&seat).then_some(seat)
    }

    fn play(&mut self, step: Step<'_>) {
        match step {
            Step::Open(name) => self.open(name),
            Step::Say(number, times, line) => {
                for _ in 0..times {
                    let Some(seat) = self.seat(number).filter(|seat| !self.ended.contains(seat)) else {
                        return;
                    };
                    self.hand_in(seat, Input::Line(line));
                }
            }
            Step::Long(number) => {
                if let Some(seat) = self.seat(number).filter(|seat| !self.ended.contains(seat)) {
                    self.hand_in(seat, Input::Overflow);
                }
            }
            Step::End(number) => {
                if let Some(seat) = self.seat(number)
                    && self.ended.insert(seat)
                {
                    self.hand_in(seat, Input::End);
                }
            }
            Step::Close(number) => {
                if let Some(seat) = self.seat(number) {
                    self.run_due(self.now);
                    self.open.remove(&seat);
                    self.hand_in(seat, Input::Closed);
                }
            }
            Step::Expel(number, why) => {
                // The shell ends players alone for what they do.
                let player = |seat: &SeatId| self.open.get(seat) == Some(&Role::Player);
                if let Some(seat) = self.seat(number).filter(player) {
                    self.hand_in(seat, Input::Expelled(if why.is_empty() { "late" } else { why }));
                }
            }
            Step::Console(line) => self.operate(line),
            Step::Wait(ticks) => {
                if self.runs {
                    let until = self.now.saturating_add(ticks).min(MAX_TICKS);
                    self.run_due(until.max(self.now));
                }
            }
        }
    }

    fn open(&mut self, name: &[u8]) {
        self.run_due(self.now);
        if !self.gate || self.is_over() || self.open.len() >= MAX_SEATS {
            return;
        }
        let seat = SeatId(self.opened);
        self.opened += 1;
        self.open.insert(seat, Role::Unnamed);
        self.hand_in(seat, Input::Open);
        self.hand_in(seat, Input::Line(name));
    }

    /// Hands in a line of the operator's. A bad one changes nothing, and each is answered.
    fn operate(&mut self, line: &[u8]) {
        self.run_due(self.now);
        if self.is_over() {
            return;
        }
        // An empty line changes nothing, but the game takes note of the tick.
        self.hand_in(SeatId::CONSOLE, Input::Line(b""));
        let before = self.game.digest();
        (self.refused, self.answers) = (false, 0);
        self.hand_in(SeatId::CONSOLE, Input::Line(line));
        let text = line.escape_ascii().to_string();
        let changed = self.game.digest() != before;
        assert!(!self.refused || !changed, "it was refused and changed something: {text}");
        let blank = String::from_utf8_lossy(line).trim().is_empty();
        assert!(blank || self.answers > 0 || !self.refused, "a refusal without an answer: {text}");
    }
}

/// A session over the seam. The record that it leaves is proved, taken apart and gone on with.
pub fn session(input: &[u8]) {
    let Some((spec, text)) = head(input) else { return };
    let Some(mut session) = Session::new(&spec) else { return };
    for step in steps(text) {
        session.play(step);
        if session.is_over() {
            break;
        }
        let (mut owing, mut again) = (Vec::new(), Vec::new());
        session.game.owing(&mut owing);
        session.game.owing(&mut again);
        assert_eq!(owing, again, "to ask which seats owe changes their order");
        for seat in owing {
            assert_eq!(session.open.get(&seat), Some(&Role::Player), "{seat} owes");
        }
    }
    let finished = session.finished;
    let Ok(record) = session.game.finish().1 else { panic!("a record in memory can't be written") };
    let verified = verify(&record, GAMES).unwrap_or_else(|error| panic!("its record: {error}"));
    assert_eq!(verified.complete, finished, "its record is whole");
    record::derived(&record, finished);
}

/// A scenario: the lines of a file before the first connection. The first bad line is named; else the record is good.
pub fn scenario(input: &[u8]) {
    let Some((spec, text)) = head(input) else { return };
    let Ok(game) = spec.begin() else { return };
    let mut game = Recorder::new(game, Vec::new(), &header(&spec, RecordLevel::Full));
    let opening: Vec<Vec<u8>> =
        text.split(|&byte| byte == b'\n').map(|line| line.trim_ascii().to_vec()).collect();
    let setup = Setup { opening, ..Setup::default() };
    match Shell::<_, FakeStream>::new(&mut game, &setup) {
        Ok(shell) => drop(shell),
        Err(refused) => {
            let line = refused.number.checked_sub(1).and_then(|index| setup.opening.get(index));
            assert!(line.is_some_and(|line| !line.is_empty()), "{refused}");
            are_plain(&refused);
            return;
        }
    }
    let Ok(record) = game.finish().1 else { panic!("a record in memory can't be written") };
    verify(&record, GAMES).unwrap_or_else(|error| panic!("its record: {error}"));
}
