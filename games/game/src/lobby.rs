//! The lobby: what every game does before and beside its rules.
//!
//! Login of players and observers, the gate, the rate, pause, start and quit, and the queue of outputs. A game
//! keeps one, hands every input to [`Lobby::take_in`], and gets back the part that is the game's own to handle. Knows
//! no rules. Tested by the games' transcripts and over the shell's network in memory.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;

use zappy_protocol::record::{RESUMED, RESUMED_WORDS};
use zappy_protocol::text::{shown, trim};
use zappy_protocol::{OBSERVER_NAME, TeamName};

use crate::config::{MatchConfig, Observers};
use crate::{Admission, Input, Line, Output, SeatId, Words};

/// How many bytes records keep of a senseless line that has more than twice as many.
const JUNK_BYTES: usize = 60;

/// The part that a seat has in the match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role<P> {
    /// The seat has not said a name yet.
    Unnamed,
    /// The seat is this player's.
    Player(P),
    /// The seat is an observer's.
    Observer,
}

/// The part of an input that the game has to handle itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken<'a, P> {
    /// Nothing: the lobby has done everything.
    Done,
    /// The seat named a team, by its index: the game calls [`Lobby::admit`] or [`Lobby::refuse`].
    Login(SeatId, usize),
    /// Something came from a player; never [`Input::Open`].
    Player(SeatId, P, Input<'a>),
    /// A line came from an observer; `None` if it was too long.
    Request(SeatId, Option<&'a [u8]>),
    /// A line came from the console; `None` if it was too long.
    Console(Option<&'a [u8]>),
}

/// Why a console line is refused that takes no arguments and has some.
pub fn surplus(name: &str, rest: &str) -> String {
    format!("{rest:?} is too much; expected {name}")
}

/// The answer to a console line, or the reason of its refusal.
pub type ConsoleAnswer = Result<String, String>;

/// The seats of a match and the outputs to them. `P` is how the game names its players.
#[derive(Debug)]
pub struct Lobby<P> {
    outputs: VecDeque<Output>,
    /// The open seats, with the part that each has.
    roles: BTreeMap<SeatId, Role<P>>,
    teams: Vec<TeamName>,
    observers: usize,
    /// Whether messages to observers are made even while there is no observer.
    recorded: bool,
    published: u64,
    policy: Observers,
    rate: NonZeroU32,
    paused: bool,
    started: bool,
    /// While the shell ends a seat: why.
    expulsion: Option<Words>,
}

impl<P: Copy> Lobby<P> {
    /// The lobby of a match that is about to begin.
    pub fn new(config: &MatchConfig) -> Lobby<P> {
        let mut lobby = Lobby {
            outputs: VecDeque::new(),
            roles: BTreeMap::new(),
            teams: config.teams.clone(),
            observers: 0,
            recorded: config.publish,
            published: 0,
            policy: config.observers,
            rate: config.frequency,
            paused: false,
            started: config.auto_start,
            expulsion: None,
        };
        lobby.push(Output::Gate(config.auto_start));
        lobby.put_rate();
        lobby
    }

    /// Does what doesn't depend on the game, and gives back what the game has to do.
    pub fn take_in<'a>(&mut self, seat: SeatId, input: Input<'a>) -> Taken<'a, P> {
        if seat == SeatId::CONSOLE {
            return match input {
                Input::Line(RESUMED) => {
                    self.publish(|| Line::new(format!("smg {RESUMED_WORDS}").into_bytes()));
                    Taken::Done
                }
                Input::Line(line) => Taken::Console(Some(line)),
                Input::Overflow => Taken::Console(None),
                Input::Open | Input::End | Input::Closed | Input::Expelled(_) => Taken::Done,
            };
        }
        if input == Input::Open {
            self.roles.insert(seat, Role::Unnamed);
            self.say(seat, "WELCOME");
            return Taken::Done;
        }
        match self.roles.get(&seat).copied() {
            None => Taken::Done,
            Some(Role::Unnamed) => self.handshake(seat, input),
            Some(Role::Player(player)) => {
                match input {
                    Input::Closed => {
                        self.roles.remove(&seat);
                    }
                    Input::Expelled(why) => self.expulsion = Some(why.to_owned().into()),
                    Input::Line(_) | Input::Overflow | Input::End | Input::Open => {}
                }
                Taken::Player(seat, player, input)
            }
            Some(Role::Observer) => self.watch(seat, input),
        }
    }

    fn handshake<'a>(&mut self, seat: SeatId, input: Input<'a>) -> Taken<'a, P> {
        match input {
            Input::Line(line) => match self.admission(line) {
                Admission::Watches => {
                    self.roles.insert(seat, Role::Observer);
                    self.observers += 1;
                    self.push(Output::Subscribe(seat));
                }
                Admission::Plays(team) => return Taken::Login(seat, team as usize),
                Admission::Refused if line.trim_ascii() == OBSERVER_NAME.as_bytes() => {
                    self.refuse(seat, "this server lets no observers in (--observers off)");
                }
                Admission::Refused => {
                    let names: Vec<&str> = self.teams.iter().map(TeamName::as_str).collect();
                    self.refuse(seat, format!("no such team; the teams are {}", names.join(", ")));
                }
            },
            Input::Overflow => self.refuse(seat, "the line is too long"),
            Input::End => self.close(seat, "it left without naming a team"),
            Input::Closed | Input::Expelled(_) | Input::Open => {
                self.roles.remove(&seat);
            }
        }
        Taken::Done
    }

    fn watch<'a>(&mut self, seat: SeatId, input: Input<'a>) -> Taken<'a, P> {
        match input {
            Input::Line(line) => Taken::Request(seat, Some(line)),
            Input::Overflow => Taken::Request(seat, None),
            // An observer that sends nothing more may still watch.
            Input::End | Input::Open => Taken::Done,
            Input::Closed | Input::Expelled(_) => {
                self.roles.remove(&seat);
                self.observers -= 1;
                Taken::Done
            }
        }
    }

    /// The admission that a seat asks for by this first line.
    pub fn admission(&self, line: &[u8]) -> Admission {
        let name = trim(line);
        if name == OBSERVER_NAME.as_bytes() {
            let watches = self.policy != Observers::Off;
            return if watches { Admission::Watches } else { Admission::Refused };
        }
        let team = self.teams.iter().zip(0..).find(|(team, _)| team.as_str().as_bytes() == name);
        team.map_or(Admission::Refused, |(_, index)| Admission::Plays(index))
    }

    /// Lets the seat play, and sends it these lines, with which the game greets its players.
    pub fn admit(&mut self, seat: SeatId, player: P, greeting: impl IntoIterator<Item = Line>) {
        self.roles.insert(seat, Role::Player(player));
        self.push(Output::Admit(seat));
        greeting.into_iter().for_each(|line| self.push(Output::Send(seat, line)));
    }

    /// Has records keep less of a long line that just came from that seat. `keep` is given a shorter line: the long one
    /// without the blanks around it, or its beginning and its length. `keep` returns the line that records are to keep,
    /// which the game must answer as it answered the long one; `None`: they keep the long one.
    pub fn shorten(&mut self, seat: SeatId, line: &[u8], keep: impl FnOnce(Vec<u8>) -> Option<Vec<u8>>) {
        if line.len() <= 2 * JUNK_BYTES {
            return;
        }
        let short = match trim(line) {
            core if core.len() <= 2 * JUNK_BYTES => core.to_vec(),
            core => [&core[..JUNK_BYTES], format!("... ({} bytes)", line.len()).as_bytes()].concat(),
        };
        if let Some(kept) = keep(short) {
            self.push(Output::Instead(seat, Some(Line::new(kept))));
        }
    }

    /// Refuses a login; the seat may try again.
    pub fn refuse(&mut self, seat: SeatId, why: impl Into<Words>) {
        self.say(seat, "ko");
        self.push(Output::Why(seat, why.into()));
    }

    /// Closes a seat, unless its connection is gone already. While the shell ends a seat, the shell's reason is
    /// given instead of `why`.
    pub fn close(&mut self, seat: SeatId, why: impl Into<Words>) {
        let why = self.expulsion.take().unwrap_or_else(|| why.into());
        if let Some(role) = self.roles.remove(&seat) {
            self.observers -= usize::from(matches!(role, Role::Observer));
            self.push(Output::Close(seat, why));
        }
    }

    /// Obeys a console line that every game understands; `None` if the line is another one. `rest`: the line behind its
    /// first word, which is `name`.
    pub fn steer(&mut self, name: &str, rest: &str) -> Option<ConsoleAnswer> {
        Some(match name {
            "/pause" | "/start" if !rest.is_empty() => Err(surplus(name, rest)),
            "/pause" if !self.started => Err("the match has not begun; /start begins it".to_owned()),
            "/pause" => {
                self.paused = !self.paused;
                self.put_rate();
                let words =
                    if self.paused { "time stands still; /pause lets it run again" } else { "time runs" };
                Ok(words.to_owned())
            }
            "/start" if self.started => Err("the match has begun already".to_owned()),
            "/start" => {
                self.started = true;
                self.push(Output::Gate(true));
                self.put_rate();
                Ok("clients are let in".to_owned())
            }
            _ => return None,
        })
    }

    /// Answers a console line, with the reason if it was refused.
    pub fn answer_console(&mut self, answer: ConsoleAnswer) {
        // A reason may quote the line, the control characters of which must not reach the operator's terminal.
        let answer = answer.map_err(|why| shown(why.as_bytes()));
        let text = answer.as_ref().unwrap_or_else(|why| why);
        text.lines().for_each(|line| self.say(SeatId::CONSOLE, line));
        if let Err(why) = answer {
            self.push(Output::Why(SeatId::CONSOLE, why.into()));
        }
    }

    /// Ticks per second of the real clock.
    pub const fn rate(&self) -> NonZeroU32 {
        self.rate
    }

    /// Sets the rate of the match, in ticks per second. It is up to the game to tell observers.
    pub fn set_rate(&mut self, rate: NonZeroU32) {
        self.rate = rate;
        self.put_rate();
    }

    /// Sets the pace of the real clock: the rate, or none while time stands still.
    fn put_rate(&mut self) {
        let runs = self.started && !self.paused;
        self.push(Output::SetTickRate(runs.then_some(self.rate)));
    }

    /// `(paused, started)`: whether the operator has paused the match, and whether clients are let in.
    pub const fn paused_started(&self) -> (bool, bool) {
        (self.paused, self.started)
    }

    /// How many observers there are.
    pub const fn observers(&self) -> usize {
        self.observers
    }

    /// Whether messages to observers are made: while there is an observer, or a record to keep them.
    pub const fn publishing(&self) -> bool {
        self.recorded || self.observers > 0
    }

    /// How many lines have been published since the match began.
    pub const fn published(&self) -> u64 {
        self.published
    }

    /// A line for all observers; `line` is called only if [`Lobby::publishing`].
    pub fn publish(&mut self, line: impl FnOnce() -> Line) {
        if self.publishing() {
            self.published += 1;
            self.push(Output::Publish(line()));
        }
    }

    /// A line for full records that observers never read; `line` is called only if a record is kept.
    pub fn withhold(&mut self, line: impl FnOnce() -> Line) {
        if self.recorded {
            self.push(Output::Withhold(line()));
        }
    }

    /// Whether the seat is an observer's.
    pub fn watches(&self, seat: SeatId) -> bool {
        matches!(self.roles.get(&seat), Some(Role::Observer))
    }

    /// Panics if the open seats aren't exactly these, or the observers among them are miscounted.
    pub fn assert_invariants(&self, open: &std::collections::BTreeSet<SeatId>) {
        assert!(self.roles.keys().eq(open), "open are {:?}, not {open:?}", self.roles.keys());
        let observers = self.roles.values().filter(|role| matches!(role, Role::Observer)).count();
        assert_eq!(observers, self.observers, "the observers are miscounted");
    }

    /// A line of text for one seat.
    pub fn say(&mut self, seat: SeatId, text: &str) {
        self.push(Output::Send(seat, Line::new(text.as_bytes().to_vec())));
    }

    /// Adds an output behind those that wait.
    pub fn push(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    /// How many outputs wait to be taken by [`Lobby::pop`].
    pub fn waiting(&self) -> usize {
        self.outputs.len()
    }

    /// Takes the output that has waited longest.
    pub fn pop(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }
}
