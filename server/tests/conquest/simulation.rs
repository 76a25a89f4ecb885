//! Seeded random sessions against conquest behind the seam: seats come and go, send orders, junk and `Done`, and the
//! operator interferes.
//!
//! After each step the mirror built from what observers were told must equal one built from a fresh dump; at the end the
//! record of the session must verify. A failure names seed and step; `SIMULATION_SEEDS` sets how many are played.

use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName};
use zappy_server::chance::Chance;
use zappy_server::config::{Clock, MatchConfig};
use zappy_server::conquest::Conquest;
use zappy_server::game::{Game, Input, Line, MatchSpec, Output, SeatId, find};
use zappy_server::games::GAMES;
use zappy_server::record::{Recorder, header, verify};

const NAMES: [&str; 3] = ["red", "blue", "green"];
const STEPS: u32 = 250;

struct Session {
    game: Recorder<Conquest, Vec<u8>>,
    now: u64,
    chance: Chance,
    mirror: Mirror,
    /// Open seats; the number of each is its place.
    open: Vec<bool>,
    turn: String,
    /// Whether time passes.
    runs: bool,
    over: bool,
}

impl Session {
    fn new(seed: u64) -> Session {
        let mut chance = Chance::new(seed, 0, 0, 0);
        let mut pick = |of: &[&'static str]| of[chance.below(of.len() as u32) as usize];
        let options = [
            ("cities", pick(&["on", "off"])),
            ("mode", pick(&["concurrent", "players", "alliances"])),
            (
                "order",
                pick(&["default", "reset", "continue", "once", "custom:green,red,blue", "custom_from:land"]),
            ),
            ("alliance", pick(&["-", "red,green"])),
            ("placement", pick(&["random", "draft"])),
            ("turns", pick(&["5", "400"])),
            ("turn-time", pick(&["0", "30"])),
            ("fixed-length", pick(&["off", "off", "on"])),
            ("wait-for-absent", pick(&["off", "on"])),
            ("checkpoint-every", "2"),
        ];
        let teams = NAMES.map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
        let clock = if pick(&["real", "lockstep"]) == "real" { Clock::Real } else { Clock::Lockstep };
        let map = MapSize::new(12, 9).unwrap();
        let config = MatchConfig { seed, clock, publish: true, ..MatchConfig::new(map, teams) };
        let spec = MatchSpec::new(find(GAMES, "conquest").unwrap(), config).with(options).unwrap();
        let game = Conquest::new(&spec.config, &spec.options).unwrap();
        let game = Recorder::new(game, Vec::new(), &header(&spec, RecordLevel::Full));
        let (open, turn) = (Vec::new(), "1".to_owned());
        let mut session =
            Session { game, now: 0, chance, mirror: Mirror::new(), open, turn, runs: false, over: false };
        session.drain();
        session.mirror = session.dump();
        session
    }

    fn dump(&self) -> Mirror {
        let (mut mirror, mut lines) = (Mirror::new(), Vec::new());
        self.game.snapshot(None, &mut lines);
        lines.iter().flat_map(Line::lines).for_each(|line| {
            mirror.apply(&Message::parse(line).unwrap()).unwrap();
        });
        mirror
    }

    fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Publish(line) => {
                    let message =
                        Message::parse(line.text()).unwrap_or_else(|error| panic!("{error}: {line:?}"));
                    self.mirror.apply(&message).unwrap();
                }
                Output::Send(_, line) => {
                    let lines = line.lines().map(String::from_utf8_lossy);
                    if let Some(turn) =
                        lines.filter_map(|line| line.strip_prefix("go ").map(str::to_owned)).last()
                    {
                        self.turn = turn;
                    }
                }
                Output::Close(seat, _) => self.open[seat.0 as usize] = false,
                Output::SetTickRate(rate) => self.runs = rate.is_some(),
                Output::Finished(_) => self.over = true,
                _ => {}
            }
        }
    }

    fn run_until(&mut self, tick: u64) {
        while let Some(due) = self.game.poll_timeout().filter(|&due| due <= tick && !self.over) {
            assert!(due >= self.now, "due at {due}, but it is {}", self.now);
            self.now = due;
            self.game.handle_timeout(due);
            self.drain();
        }
        self.now = tick;
    }

    fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.run_until(self.now);
        if !self.over {
            self.game.handle_input(self.now, seat, input);
            self.drain();
        }
        self.run_until(self.now);
    }

    fn some(&mut self, of: &[&str]) -> String {
        of[self.chance.below(of.len() as u32) as usize].to_owned()
    }

    fn line(&mut self) -> String {
        let [a, b, c, d] = [12, 9, 12, 9].map(|side| self.chance.below(side + 1));
        let unit = self.chance.below(12);
        let kind = self.some(&["pioneer", "worker", "fighter", "cleric", "sapper"]);
        match self.chance.below(12) {
            0 => self.some(&["Base income", "Base continue", "Base bomb", "Base idle", ""]),
            1 => format!("Base build {kind}"),
            2 => format!("Base move {a} {b}"),
            3 => format!("City {a} {b} assign {c} {d}"),
            4 => format!("City {a} {b} recruit {kind}"),
            5 => format!("Unit {unit} travel {a} {b}"),
            6 => format!("Place {unit}"),
            7 => "\u{0}\u{ff} junk #".to_owned(),
            8 => format!("Unit {unit} attack {a}"),
            _ => {
                let order =
                    self.some(&["conquer", "neutralize", "gold", "retire", "defend", "pray", "build house"]);
                format!("Unit {unit} {order}")
            }
        }
    }

    fn console(&mut self) -> String {
        let [a, b] = [12, 9].map(|side| self.chance.below(side));
        let name = self.some(&NAMES);
        let kind = self.some(&["pioneer", "worker", "fighter", "cleric", "sapper"]);
        match self.chance.below(14) {
            0 => format!("/tile {a} {b} owner {name} fort on"),
            1 => format!("/tile {a} {b} owner - base off"),
            2 => format!("/tile {a} {b} bomb {name} owner {name} base on"),
            3 => format!("/unit new {name} {kind} {a} {b}"),
            4 => format!("/unit {a} at {b} {b} health 2 state de"),
            5 => format!("/unit {a} gone"),
            6 => format!("/faction {name} gold 5000 score -7 base {a} {b}"),
            7 => format!("/faction {name} dead 3"),
            8 => format!("/faction {name} dead -"),
            9 => self.some(&["/mode players", "/mode alliances", "/mode concurrent", "/turn 3", "/turn 0"]),
            10 => self.some(&["/pause", "/start", "/state", "/map", "/help", "/nonsense"]),
            11 => format!("/city {a} {b} citizens 5 assign {b} {a}"),
            12 if self.chance.below(8) == 0 => "/empty".to_owned(),
            _ => "/start".to_owned(),
        }
    }

    fn step(&mut self) {
        let seats = self.open.len() as u32;
        let seat = self.chance.below(seats.max(1));
        let is_open = self.open.get(seat as usize) == Some(&true);
        match self.chance.below(20) {
            0 | 1 if seats < 40 => {
                self.open.push(true);
                self.hand_in(SeatId(seats), Input::Open);
                let name = self.some(&["red", "blue", "green", "red", "blue", "green", "pink"]);
                self.hand_in(SeatId(seats), Input::Line(name.as_bytes()));
            }
            2 if is_open && self.chance.below(4) == 0 => {
                let input = [Input::Closed, Input::End, Input::Expelled("it was late")];
                let input = input[self.chance.below(3) as usize];
                if input == Input::Closed {
                    self.open[seat as usize] = false;
                }
                self.hand_in(SeatId(seat), input);
            }
            3 => {
                let line = self.console();
                self.hand_in(SeatId::CONSOLE, Input::Line(line.as_bytes()));
            }
            4 if self.runs => {
                let until = self.now + u64::from(self.chance.below(40));
                self.run_until(until);
            }
            5..=9 if is_open => {
                let line = format!("Done {}", self.turn);
                self.hand_in(SeatId(seat), Input::Line(line.as_bytes()));
            }
            _ if is_open => {
                let line = self.line();
                self.hand_in(SeatId(seat), Input::Line(line.as_bytes()));
            }
            _ => {}
        }
    }
}

#[test]
fn random_sessions_keep_observers_right_and_leave_records_that_verify() {
    let seeds = std::env::var("SIMULATION_SEEDS").map_or(120, |seeds| seeds.parse().unwrap());
    let mut over = 0;
    for seed in 0..seeds {
        let mut session = Session::new(seed);
        for step in 0..STEPS {
            session.step();
            if session.over {
                over += 1;
                break;
            }
            let dump = session.dump();
            if session.mirror != dump {
                let [told, is] = [&session.mirror, &dump].map(|mirror| format!("{mirror:#?}"));
                let differs = told.lines().zip(is.lines()).find(|(told, is)| told != is);
                panic!("seed {seed}, step {step}: what was told differs from a dump: {differs:?}");
            }
        }
        let mut owing = Vec::new();
        session.game.owing(&mut owing);
        assert!(owing.iter().all(|seat| session.open[seat.0 as usize]), "seed {seed}");
        let record = session.game.finish().1.unwrap();
        let verified = verify(&record, GAMES).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(verified.complete, session.over, "seed {seed}");
    }
    assert!(over > 0, "no session came to its end");
}
