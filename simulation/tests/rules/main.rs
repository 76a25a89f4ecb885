//! Seeded random sessions against the rules: the invariants hold after every step, for any input.
//!
//! Seats open, log in, play, send junk, half-close and vanish; observers lag; the console interferes; all rule sets
//! are played. After each step the mirror built from messages, those that a rule set withholds included, must equal
//! the world. A failure names seed and step; `SIMULATION_SEEDS`
//! sets how many sessions are played.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use zappy_protocol::record::{Fingerprint, RecordLevel};
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::Response;
use zappy_protocol::{MapSize, TeamName, Tick};

use zappy_game::chance::Chance;
use zappy_game::config::{Clock, MatchConfig, Observers};
use zappy_game::{Game, Input, Line, MatchSpec, Output, SeatId};
use zappy_game_zappy::{RuleSet, Zappy, ZappyOptions};
use zappy_server::games::GAMES;
use zappy_server::record::{Recorder, header, verify};

mod ledger;

use ledger::Ledger;

const STEPS: u32 = 250;
/// The purpose of what a session draws.
const PURPOSE: u64 = 5;

fn random_match(chance: &mut Chance, seed: u64) -> MatchSpec {
    let side = |chance: &mut Chance| u16::try_from(1 + chance.below(9)).unwrap();
    let team = |i| TeamName::parse(format!("team{i}").as_bytes()).unwrap();
    let config = MatchConfig {
        map: MapSize::new(side(chance), side(chance)).unwrap(),
        teams: (0..=chance.below(3)).map(team).collect(),
        frequency: NonZeroU32::new(1 + chance.below(1000)).unwrap(),
        seed,
        clock: if chance.below(4) == 0 { Clock::Lockstep } else { Clock::Real },
        auto_start: chance.below(8) > 0,
        max_ticks: (chance.below(3) == 0).then(|| 500 + Tick::from(chance.below(3000))),
        observers: Observers::Control,
        publish: true,
    };
    let options = ZappyOptions {
        rules: RuleSet::ALL[chance.below(3) as usize],
        slots: 1 + chance.below(7),
        display_eggs: chance.below(2) == 0,
    };
    options.spec(config).unwrap()
}

/// An observer that sometimes misses lines.
#[derive(Default)]
struct Watcher {
    mirror: Mirror,
    /// While it misses lines: how many it had got before.
    missed_from: Option<u64>,
}

impl Watcher {
    fn take(&mut self, line: &[u8]) {
        let message = Message::parse(line)
            .unwrap_or_else(|error| panic!("{error}: {:?}", line.escape_ascii().to_string()));
        self.mirror.apply(&message).unwrap_or_else(|misfit| panic!("{misfit}: {message:?}"));
    }
}

/// One session: the game, its observers, and what is known of its seats.
struct Session {
    game: Recorder<Zappy, Vec<u8>>,
    map: MapSize,
    chance: Chance,
    now: Tick,
    /// The open seats, and whether each is an observer.
    open: BTreeMap<SeatId, bool>,
    /// The seats that send nothing more.
    ended: BTreeSet<SeatId>,
    next_seat: u32,
    watchers: Vec<Watcher>,
    published: u64,
    ledger: Ledger,
    outputs: Fingerprint,
    /// Whether seats may be opened.
    gate: bool,
    /// Whether time runs.
    runs: bool,
    finished: bool,
}

impl Session {
    fn new(seed: u64, level: RecordLevel) -> Session {
        let mut chance = Chance::new(seed, PURPOSE, 0, 0);
        let spec = random_match(&mut chance, seed);
        let rules = ZappyOptions::read(&spec.options).rules;
        let game = Recorder::new(Zappy::of(&spec), Vec::new(), &header(&spec, level));
        let mut session = Session {
            game,
            map: spec.config.map,
            chance,
            now: 0,
            open: BTreeMap::new(),
            ended: BTreeSet::new(),
            next_seat: 0,
            watchers: (0..3).map(|_| Watcher::default()).collect(),
            published: 0,
            ledger: Ledger::new(rules),
            outputs: Fingerprint::default(),
            gate: false,
            runs: false,
            finished: false,
        };
        session.catch_up(None);
        session.drain(true);
        session
    }

    fn catch_up(&mut self, only_lagging: Option<usize>) {
        let all = 0..self.watchers.len();
        for index in all.filter(|&i| only_lagging.is_none_or(|only| only == i)) {
            let mut lines = Vec::new();
            self.game.snapshot(self.watchers[index].missed_from.take(), &mut lines);
            self.game.withheld(&mut lines);
            lines.iter().flat_map(Line::lines).for_each(|line| self.watchers[index].take(line));
        }
    }

    fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.run_due(self.now);
        self.game.handle_input(self.now, seat, input);
        self.drain(seat == SeatId::CONSOLE);
    }

    fn run_due(&mut self, until: Tick) {
        while let Some(due) = self.game.poll_timeout().filter(|&due| due <= until) {
            assert!(due >= self.now, "time went back");
            self.now = due;
            self.game.handle_timeout(due);
            self.drain(false);
            self.check(true);
        }
        self.now = until;
    }

    fn drain(&mut self, console: bool) {
        while let Some(output) = self.game.poll_output() {
            self.outputs.update(format!("{output:?}").as_bytes());
            match output {
                Output::Send(seat, line) => {
                    assert!(
                        seat == SeatId::CONSOLE || self.open.contains_key(&seat),
                        "a line for a closed seat"
                    );
                    let playing = self.open.get(&seat) == Some(&false);
                    assert!(!playing || Response::parse(line.text()).is_ok(), "{line:?}");
                }
                Output::Subscribe(seat) => {
                    self.open.insert(seat, true);
                }
                Output::Close(seat, _) => assert!(self.open.remove(&seat).is_some(), "closed twice"),
                Output::Publish(line) => {
                    self.publish(line.text(), console);
                    self.published += 1;
                }
                Output::Withhold(line) => self.publish(line.text(), console),
                Output::Gate(open) => self.gate = open,
                Output::SetTickRate(rate) => self.runs = rate.is_some(),
                Output::Finished(_) => self.finished = true,
                _ => {}
            }
        }
        self.ledger.end_step();
    }

    fn publish(&mut self, line: &[u8], console: bool) {
        if !console {
            let before = &self.watchers[0].mirror;
            let period = self.now - self.game.game().refills_since();
            self.ledger.take(&Message::parse(line).unwrap(), before, period);
        }
        // Lag can begin anywhere, also between two lines of one event.
        if self.chance.below(100) == 0 {
            self.watchers[2].missed_from.get_or_insert(self.published);
        }
        for watcher in &mut self.watchers {
            if watcher.missed_from.is_none() {
                watcher.take(line);
            }
        }
    }

    /// `due`: what was due at this tick has run.
    fn check(&mut self, due: bool) {
        // As a server does, so that what is needed to bring observers up to date and no more is remembered.
        let missed = self.watchers.iter().filter_map(|watcher| watcher.missed_from).min();
        self.game.forget(missed.unwrap_or(self.published));
        let zappy = self.game.game();
        zappy.assert_world_invariants(due);
        let mut expected = zappy.projection();
        expected.eggs.values_mut().for_each(|egg| egg.layer = None);
        for watcher in self.watchers.iter().filter(|watcher| watcher.missed_from.is_none()) {
            let mut mirror = watcher.mirror.clone();
            mirror.eggs.values_mut().for_each(|egg| egg.layer = None);
            mirror.players.values_mut().for_each(|player| player.laying = false);
            assert_eq!(mirror, expected, "the mirror differs from the world");
        }
    }

    fn random_seat(&mut self) -> Option<SeatId> {
        let index = self.chance.index(self.open.len())?;
        self.open.keys().nth(index).copied()
    }

    fn step(&mut self) {
        match self.chance.below(20) {
            0..=1 if self.gate => self.open_seat(),
            2..=11 => self.line_of_a_seat(),
            12 => self.console_line(),
            13 => self.end_a_seat(),
            14 => self.lag(),
            _ if !self.runs => self.hand_in(SeatId::CONSOLE, Input::Line(b"/pause")),
            _ => {
                let ticks = [1, 3, 7, 40, 130][self.chance.below(5) as usize];
                let until = self.now + 1 + Tick::from(self.chance.below(ticks));
                self.run_due(until);
            }
        }
        self.check(false);
    }

    fn open_seat(&mut self) {
        let seat = SeatId(self.next_seat);
        self.next_seat += 1;
        self.open.insert(seat, false);
        self.hand_in(seat, Input::Open);
        let name = ["team0", " team1\t", "team2", "nobody", "", "GRAPHIC"][self.chance.below(6) as usize];
        self.hand_in(seat, Input::Line(name.as_bytes()));
    }

    fn line_of_a_seat(&mut self) {
        for _ in 0..[1, 1, 2, 15][self.chance.below(4) as usize] {
            let Some(seat) = self.random_seat().filter(|seat| !self.ended.contains(seat)) else { return };
            let line = LINES[self.chance.below(u32::try_from(LINES.len()).unwrap()) as usize];
            let input = if line.is_empty() { Input::Overflow } else { Input::Line(line.as_bytes()) };
            self.hand_in(seat, input);
        }
    }

    fn end_a_seat(&mut self) {
        let Some(seat) = self.random_seat() else { return };
        if self.chance.below(2) == 0 {
            if self.ended.insert(seat) {
                self.hand_in(seat, Input::End);
            }
            return;
        }
        self.open.remove(&seat);
        self.hand_in(seat, Input::Closed);
    }

    fn lag(&mut self) {
        // The first observer never lags: the ledger follows the messages that it gets.
        let index = 1 + self.chance.below(2) as usize;
        match self.watchers[index].missed_from {
            None => self.watchers[index].missed_from = Some(self.published),
            Some(_) => self.catch_up(Some(index)),
        }
    }

    /// The console gathers players and stones, so that incantations happen at every level.
    fn console_line(&mut self) {
        let size = self.map;
        let at = size.position(self.chance.below(size.area()) as usize);
        let id = self.chance.below(10);
        let number = self.chance.below(9);
        if self.chance.below(3) == 0 {
            let stones = ["linemate", "deraumere", "sibur", "mendiane", "phiras", "thystame"];
            for line in stones.map(|stone| format!("/setTile {stone} 3 {at}")) {
                self.hand_in(SeatId::CONSOLE, Input::Line(line.as_bytes()));
            }
            for id in 0..10 {
                self.hand_in(SeatId::CONSOLE, Input::Line(format!("/tp {id} {at}").as_bytes()));
            }
            return;
        }
        let line = match self.chance.below(16) {
            0 => format!("/setLevel {id} {number}"),
            1 => format!("/setInventory {id} food {number}"),
            2 => format!("/kill {id}"),
            3 => format!("/fork team0 {at}"),
            4 => format!("/setClientsNb {number}"),
            5 => format!("/incantate {number} {at}"),
            6 => format!("/broadcast \"what now\" {at}"),
            7 => format!("/setFreq {number}"),
            8 => format!("/noFood {}", number > 6),
            9 => format!("/noRefill {}", number > 4),
            10 => "/send_ais hello".to_owned(),
            11 => "/pause".to_owned(),
            12 => format!("/setTile food {number} {at}"),
            13 => "/clients".to_owned(),
            14 => "/map".to_owned(),
            _ => "/start".to_owned(),
        };
        self.hand_in(SeatId::CONSOLE, Input::Line(line.as_bytes()));
    }
}

const LINES: [&str; 42] = [
    "Forward",
    "Forward",
    "Right",
    "Left",
    "Look",
    "Inventory",
    "Broadcast come here",
    "Connect_nbr",
    "Fork",
    "Fork",
    "Eject",
    "Eject",
    "Take food",
    "Take food",
    "Take linemate",
    "Set linemate",
    "Set food",
    "Incantation",
    "Incantation",
    "Incantation",
    "Take gold",
    "Broadcast",
    "Fork now",
    "junk",
    " ",
    "",
    "\u{0}\u{1}",
    "msz",
    "bct 0 0",
    "tna",
    "ppo #0",
    "pin 1",
    "plv #99",
    "sgt",
    "sst 50",
    "sst 0",
    "sst 20000",
    "bct 1.5 a",
    "Fork x",
    "Incantation x",
    "Broadcast word",
    "Broadcast \"two words\"",
];

/// Plays a session and gives its record, its last digest and a fingerprint of all outputs.
fn play(seed: u64, level: RecordLevel) -> (Vec<u8>, u64, u64) {
    let mut session = Session::new(seed, level);
    for step in 0..STEPS {
        if session.finished {
            break;
        }
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| session.step()));
        assert!(played.is_ok(), "seed {seed}, step {step}: see above");
    }
    session.catch_up(None);
    session.check(false);
    if !session.finished {
        session.hand_in(SeatId::CONSOLE, Input::Line(b"/quit"));
    }
    let digest = session.game.digest();
    (session.game.finish().1.unwrap(), digest, session.outputs.value())
}

fn seeds() -> u64 {
    std::env::var("SIMULATION_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

#[test]
fn the_invariants_hold_in_random_sessions() {
    for seed in 0..seeds() {
        let (record, digest, _) = play(seed, RecordLevel::Full);
        let verified = verify(&record, GAMES).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(verified.complete);
        if seed % 10 == 0 {
            let (inputs, again, _) = play(seed, RecordLevel::Inputs);
            assert_eq!(again, digest, "seed {seed}: what is recorded changes the match");
            assert!(
                inputs.len() < record.len() && verify(&inputs, GAMES).is_ok_and(|v| v.complete),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_session() {
    for seed in 0..20 {
        assert_eq!(play(seed, RecordLevel::Full), play(seed, RecordLevel::Full), "seed {seed}");
    }
}
