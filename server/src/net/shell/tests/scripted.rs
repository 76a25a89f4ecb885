//! A game that does what its lines say, and panics if the shell breaks its promises.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroU32;

use crate::net::shell::Hosted;
use zappy_game::{Admission, Game, Input, Line, Output, Report, SeatId, Tick, Verdict};

/// A game that does what its lines say, and panics if the shell breaks its promises.
#[derive(Debug)]
pub struct ScriptedGame {
    now: Tick,
    outputs: VecDeque<Output>,
    due: BTreeMap<(Tick, u64), (SeatId, String)>,
    ordinal: u64,
    pub open: BTreeSet<SeatId>,
    named: BTreeSet<SeatId>,
    pub seats: u32,
    pub ended: Vec<SeatId>,
    pub closed: Vec<SeatId>,
    pub expelled: Vec<(SeatId, String)>,
    pub lines: Vec<(Tick, SeatId, String)>,
    pub overflows: usize,
    pub published: u64,
    /// What was published before so many lines no observer misses any more.
    forgotten: u64,
    /// What it answers to the question how far it remembers.
    pub remembers_since: u64,
    /// The players with their groups, in the order of joining.
    joined: Vec<(SeatId, u32)>,
    /// How many may join for each group.
    pub places: usize,
    /// Whether seats that end are closed, as those of players are.
    closes_ended: bool,
    /// Whether lines with "in" are taken one at a tick.
    paces: bool,
    over: bool,
}

impl ScriptedGame {
    pub fn new(rate: u32) -> ScriptedGame {
        let mut game = ScriptedGame {
            now: 0,
            outputs: VecDeque::new(),
            due: BTreeMap::new(),
            ordinal: 0,
            open: BTreeSet::new(),
            named: BTreeSet::new(),
            seats: 0,
            ended: Vec::new(),
            closed: Vec::new(),
            expelled: Vec::new(),
            lines: Vec::new(),
            overflows: 0,
            published: 0,
            forgotten: 0,
            remembers_since: 0,
            joined: Vec::new(),
            places: usize::MAX,
            closes_ended: false,
            paces: false,
            over: false,
        };
        game.outputs.push_back(Output::Gate(true));
        game.outputs.push_back(Output::SetTickRate(NonZeroU32::new(rate)));
        game
    }

    /// One that closes seats when they end, as a game does with players.
    pub fn playing(rate: u32) -> ScriptedGame {
        ScriptedGame { closes_ended: true, ..ScriptedGame::new(rate) }
    }

    /// The same with lines that take time: one of each packet is taken at a tick.
    pub fn pacing(rate: u32) -> ScriptedGame {
        ScriptedGame { paces: true, ..ScriptedGame::playing(rate) }
    }

    fn check(&mut self, now: Tick) {
        assert!(self.outputs.is_empty(), "not drained");
        assert!(!self.over, "called after the end");
        assert!(now >= self.now, "time goes back");
        self.now = now;
    }

    fn say(&mut self, seat: SeatId, text: &str) {
        self.outputs.push_back(Output::Send(seat, Line::new(text.as_bytes().to_vec())));
    }

    fn obey(&mut self, seat: SeatId, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = rest.split(' ').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        match word {
            "say" => self.say(seat, rest),
            "tell" => self.say(SeatId(number as u32), rest),
            "join" if self.room(number as u32) == 0 => {
                self.outputs.push_back(Output::Why(seat, "no place is left".into()));
            }
            "join" if self.named.insert(seat) => {
                self.joined.push((seat, number as u32));
                self.outputs.push_back(Output::Admit(seat));
            }
            "watch" if self.named.insert(seat) => {
                self.outputs.push_back(Output::Subscribe(seat));
            }
            "in" => {
                self.ordinal += 1;
                self.due.insert((self.now + number, self.ordinal), (seat, rest.to_owned()));
            }
            "pub" => {
                for _ in 0..number.max(1) {
                    let line = format!("pub {} {}", self.published, "x".repeat(30)).into_bytes();
                    self.published += 1;
                    self.outputs.push_back(Output::Publish(Line::new(line)));
                }
            }
            "many" => (0..number).for_each(|i| self.say(seat, &format!("answer {i} {}", "y".repeat(90)))),
            "rate" => {
                let rate = NonZeroU32::new(u32::try_from(number).unwrap());
                self.outputs.push_back(Output::SetTickRate(rate));
            }
            "gate" => self.outputs.push_back(Output::Gate(number > 0)),
            "bye" => {
                self.open.remove(&seat);
                self.outputs.push_back(Output::Close(seat, "said bye".into()));
            }
            "drop" => {
                self.open.remove(&SeatId(number as u32));
                self.outputs.push_back(Output::Close(SeatId(number as u32), "dropped".into()));
            }
            "stop" => {
                self.over = true;
                let verdict = Verdict { reason: "stopped", standings: Vec::new(), won: false, by_lot: false };
                self.outputs.push_back(Output::Finished(verdict));
            }
            _ => self.outputs.push_back(Output::Why(seat, format!("unknown word {word}").into())),
        }
    }
}

impl Hosted for ScriptedGame {}

impl Game for ScriptedGame {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.check(now);
        let next = self.due.keys().next();
        assert!(next.is_none_or(|&(tick, _)| tick > now), "{next:?} was due before an input at {now}");
        assert!(
            matches!(input, Input::Open) || seat == SeatId::CONSOLE || self.open.contains(&seat),
            "{input:?} of {seat}, which isn't open"
        );
        match input {
            Input::Open => {
                assert_eq!(seat, SeatId(self.seats), "seats count up");
                self.seats += 1;
                self.open.insert(seat);
                self.say(seat, "WELCOME");
            }
            Input::Line(bytes) => {
                let line = String::from_utf8_lossy(bytes).into_owned();
                self.lines.push((now, seat, line.clone()));
                self.obey(seat, &line);
            }
            Input::Overflow => self.overflows += 1,
            Input::End => {
                self.ended.push(seat);
                if self.closes_ended {
                    self.open.remove(&seat);
                    self.outputs.push_back(Output::Close(seat, "ended".into()));
                }
            }
            Input::Expelled(why) => {
                self.open.remove(&seat);
                self.expelled.push((seat, why.to_owned()));
                self.outputs.push_back(Output::Close(seat, "expelled".into()));
            }
            Input::Closed => {
                self.open.remove(&seat);
                self.closed.push(seat);
            }
        }
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.check(now);
        let due: Vec<_> = self.due.range(..(now, u64::MAX)).map(|(key, _)| *key).collect();
        assert!(!due.is_empty(), "nothing is due at {now}");
        for key in due {
            assert_eq!(key.0, now, "not called at exactly the due tick");
            let (seat, text) = self.due.remove(&key).unwrap();
            if self.open.contains(&seat) {
                self.say(seat, &format!("tick {now}: {text}"));
            }
        }
    }

    fn poll_timeout(&self) -> Option<Tick> {
        self.due.keys().next().map(|&(tick, _)| tick)
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The last player to join comes first.
    fn owing(&self, out: &mut Vec<SeatId>) {
        let busy = |seat: &SeatId| self.due.values().any(|(other, _)| other == seat);
        let joined = self.joined.iter().rev().map(|(seat, _)| seat);
        out.extend(joined.filter(|seat| self.open.contains(seat) && !busy(seat)));
    }

    fn admission(&self, line: &[u8]) -> Admission {
        match line {
            b"watch" => Admission::Watches,
            [b'j', b'o', b'i', b'n', .., team @ b'0'..=b'9'] => Admission::Plays(u32::from(team - b'0')),
            b"join" => Admission::Plays(0),
            _ => Admission::Refused,
        }
    }

    fn room(&self, group: u32) -> usize {
        self.places - self.joined.iter().filter(|(_, other)| *other == group).count()
    }

    fn snapshot(&self, missed_from: Option<u64>, out: &mut Vec<Line>) {
        assert!(self.outputs.is_empty(), "in the middle of a step");
        assert!(missed_from.is_none_or(|from| from >= self.forgotten), "{missed_from:?} is forgotten");
        let missed = missed_from.map_or("new".to_owned(), |count| count.to_string());
        out.push(Line::new(format!("snapshot {missed} {}", self.published).into_bytes()));
        (0..400).for_each(|i| out.push(Line::new(format!("tile {i}").into_bytes())));
        out.push(Line::new(b"end".to_vec()));
    }

    fn forget(&mut self, before: u64) {
        assert!((self.forgotten..=self.published).contains(&before), "{before} after {}", self.forgotten);
        self.forgotten = before;
    }

    fn remembers_since(&self) -> u64 {
        self.remembers_since
    }

    fn digest(&self) -> u64 {
        0
    }

    fn welcome_back(&self, _seat: SeatId, _out: &mut Vec<Line>) {}

    fn report(&self) -> Report {
        let verdict = Verdict { reason: "stopped", standings: Vec::new(), won: false, by_lot: false };
        Report { ticks: self.now, verdict, teams: Vec::new() }
    }

    fn line_limit(&self, _seat: SeatId) -> u32 {
        10
    }

    fn is_paced(&self, line: &[u8]) -> bool {
        self.paces && line.starts_with(b"in ")
    }
}
