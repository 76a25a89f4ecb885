//! Conquest behind the seam, in this process: orders of phases, drafts, pauses and states.

use zappy_game::config::{MAX_TICKS, MatchConfig};
use zappy_game::{Game, Input, Line, MatchSpec, Output, SeatId};
use zappy_game_conquest::{Conquest, SPEC};
use zappy_protocol::{MapSize, TeamName};

/// A match in this process, and what its clients read.
struct Table {
    game: Conquest,
    now: u64,
    /// What clients and the console read.
    read: Vec<String>,
    /// What observers read.
    seen: Vec<String>,
}

impl Table {
    fn new(spec: &MatchSpec, game: Conquest) -> Table {
        let mut table = Table { game, now: 0, read: Vec::new(), seen: Vec::new() };
        table.settle();
        for (name, number) in spec.config.teams.iter().zip(0..) {
            table.hand_in(SeatId(number), Input::Open);
            table.hand_in(SeatId(number), Input::Line(name.as_str().as_bytes()));
        }
        table
    }

    fn settle(&mut self) {
        loop {
            while let Some(output) = self.game.poll_output() {
                let text = |line: &Line| {
                    line.lines().map(|line| String::from_utf8_lossy(line).into_owned()).collect::<Vec<_>>()
                };
                match output {
                    Output::Finished(_) => {
                        assert_eq!(self.game.poll_output(), None, "nothing follows the end");
                    }
                    Output::Send(_, line) => self.read.extend(text(&line)),
                    Output::Publish(line) => self.seen.extend(text(&line)),
                    _ => {}
                }
            }
            match self.game.poll_timeout().filter(|&due| due <= self.now) {
                Some(due) => self.game.handle_timeout(due),
                None => return,
            }
        }
    }

    fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.now += 1;
        self.game.handle_input(self.now, seat, input);
        self.settle();
    }

    fn say(&mut self, seat: u32, line: &str) {
        self.hand_in(SeatId(seat), Input::Line(line.as_bytes()));
    }

    /// A line on the console; gives its answer.
    fn console(&mut self, line: &str) -> Vec<String> {
        self.read.clear();
        self.hand_in(SeatId::CONSOLE, Input::Line(line.as_bytes()));
        self.read.clone()
    }

    /// Both factions order a little in this turn.
    fn turn(&mut self, turn: u32) {
        let base = ["build pioneer", "continue", "income"][turn as usize % 3];
        for seat in 0..2 {
            self.say(seat, &format!("Base {base}"));
            for unit in 0..8 {
                let order = ["conquer", "gold", "retire"][((turn + unit) % 5 / 2) as usize];
                self.say(seat, &format!("Unit {unit} {order}"));
            }
        }
        (0..2).for_each(|seat| self.say(seat, &format!("Done {turn}")));
    }
}

fn spec(pairs: &[(&str, &str)]) -> MatchSpec {
    let teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
    let config = MatchConfig { seed: 9, ..MatchConfig::new(MapSize::new(12, 10).unwrap(), teams.to_vec()) };
    MatchSpec::new(&SPEC, config).with(pairs.iter().copied()).unwrap()
}

fn begin(spec: &MatchSpec) -> Table {
    Table::new(spec, Conquest::new(&spec.config, &spec.options).unwrap())
}

#[test]
fn state_read_back_after_empty_gives_the_same_digest() {
    let mut table = begin(&spec(&[("cities", "on"), ("turns", "50")]));
    (1..8).for_each(|turn| table.turn(turn));
    let digest = table.game.digest();
    let state = table.console("/state");
    assert!(state.len() > 10 && state.last().unwrap() == "/mode concurrent", "{state:?}");
    table.console("/empty");
    assert_ne!(table.game.digest(), digest);
    for line in &state {
        table.console(line);
    }
    assert_eq!(table.game.digest(), digest);
    assert_eq!(table.console("/state"), state);
    table.turn(8);
}

/// The factions that act, by what observers are told of the running phase.
fn acting(game: &Conquest) -> String {
    let mut lines = Vec::new();
    game.snapshot(None, &mut lines);
    let lines: Vec<&[u8]> = lines.iter().flat_map(Line::lines).collect();
    let last = String::from_utf8_lossy(lines.last().unwrap()).into_owned();
    last.strip_prefix("trn ").unwrap_or_else(|| panic!("{last}")).to_owned()
}

#[test]
fn every_order_of_the_phases_can_be_chosen() {
    for (order, right) in [
        ("default", ["1 0 red", "1 1 blue", "2 0 red", "2 1 blue"]),
        ("reset", ["1 0 red", "1 1 blue", "2 0 red", "2 1 blue"]),
        ("once", ["1 0 red", "1 1 blue", "2 0 red", "2 1 blue"]),
        ("continue", ["1 0 red", "1 1 blue", "2 0 blue", "2 1 red"]),
        ("custom:blue,red", ["1 0 blue", "1 1 red", "2 0 blue", "2 1 red"]),
        ("custom_from:score", ["1 0 red", "1 1 blue", "2 0 blue", "2 1 red"]),
        ("custom_from:land", ["1 0 red", "1 1 blue", "2 0 red", "2 1 blue"]),
    ] {
        let mut table = begin(&spec(&[("mode", "players"), ("order", order)]));
        table.console("/faction blue score 7");
        let mut found = Vec::new();
        for turn in [1, 1, 2, 2] {
            let phase = acting(&table.game);
            table.say(u32::from(phase.ends_with("blue")), &format!("Done {turn}"));
            found.push(phase);
        }
        assert_eq!(found, right, "{order}");
    }
}

#[test]
fn a_drawn_order_takes_turns_in_going_first_and_is_another_one_for_another_seed() {
    let firsts = |seed: u64, mode: &str| {
        let mut spec = spec(&[("mode", mode), ("order", "drawn")]);
        spec.config.seed = seed;
        let mut table = begin(&spec);
        let mut found = Vec::new();
        for phase in 0..6 {
            let acting = acting(&table.game);
            table.say(u32::from(acting.ends_with("blue")), &format!("Done {}", 1 + phase / 2));
            found.push(acting.split(' ').next_back().unwrap().to_owned());
        }
        found.join(" ")
    };
    for mode in ["players", "alliances"] {
        let mut found: Vec<String> = (0..40).map(|seed| firsts(seed, mode)).collect();
        assert_eq!(firsts(0, mode), found[0]);
        found.sort();
        found.dedup();
        assert_eq!(found, ["blue red red blue blue red", "red blue blue red red blue"], "{mode}");
    }
}

#[test]
fn the_operator_changes_the_turn_for_those_that_are_not_done() {
    let mut table = begin(&spec(&[]));
    table.say(0, "Done 1");
    let said = table.console("/turn 7");
    assert_eq!(said.iter().filter(|line| *line == "go 7").count(), 1, "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("faction 1 blue alive gold ")), "{said:?}");
    table.say(1, "Done 7");
    assert_eq!(table.read.iter().filter(|line| *line == "go 8").count(), 2);
    // In a draft turn 0 stays, and its choices are not asked for again.
    let mut table = begin(&spec(&[("placement", "draft")]));
    assert_eq!(table.console("/turn 7"), ["/turn 7 next-unit 0"]);
}

#[test]
fn a_flood_in_the_phase_of_another_faction_is_counted_like_any_other() {
    let mut table = begin(&spec(&[("mode", "players")]));
    let other = u32::from(acting(&table.game).ends_with("red"));
    table.read.clear();
    (0..200).for_each(|_| table.say(other, "Base income"));
    assert_eq!(table.read.len(), 61);
    assert_eq!(table.read[59], "ko it is not your phase");
    assert_eq!(table.read[60], "ko over the budget of 60 lines in a phase");
    table.say(1 - other, "Done 1");
    table.read.clear();
    table.say(other, "Base income");
    assert_eq!(table.read, ["ok"], "its own phase has a budget of its own");
}

#[test]
fn another_mode_holds_from_the_next_turn_on() {
    let mut table = begin(&spec(&[]));
    assert_eq!(table.console("/mode players"), ["mode players from the next turn on"]);
    assert!(acting(&table.game).starts_with("1 0 ") && acting(&table.game).len() == "1 0 red blue".len());
    table.turn(1);
    assert_eq!(acting(&table.game), "2 0 red");
    table.say(0, "Done 2");
    assert_eq!(acting(&table.game), "2 1 blue");
    table.say(1, "Done 2");
    assert_eq!(acting(&table.game), "3 0 red");
    assert_eq!(table.console("/mode solo"), ["expected /mode concurrent|players|alliances"]);
}

#[test]
fn each_mode_can_follow_each_other_one() {
    let modes = ["concurrent", "players", "alliances"];
    for (begun, coming) in modes.iter().flat_map(|begun| modes.map(|coming| (*begun, coming))) {
        let mut table = begin(&spec(&[("mode", begun)]));
        for turn in 1..=6 {
            if turn == 2 {
                table.console(&format!("/mode {coming}"));
            }
            let running = if turn <= 2 { begun } else { coming };
            let mut acted = Vec::new();
            while acting(&table.game).starts_with(&format!("{turn} ")) {
                let phase = acting(&table.game);
                table.read.clear();
                let names: Vec<String> = phase.split(' ').skip(2).map(str::to_owned).collect();
                for name in &names {
                    table.say(u32::from(name == "blue"), &format!("Done {turn}"));
                }
                assert_eq!(table.read.iter().filter(|line| *line == "ok").count(), names.len());
                acted.extend(names);
            }
            acted.sort();
            assert_eq!(acted, ["blue", "red"], "{begun}, then {coming}, turn {turn}");
            let told = table.read.iter().filter(|line| line.starts_with("order ")).count();
            let next = if turn < 2 { begun } else { coming };
            assert_eq!(
                told > 0,
                next != "concurrent",
                "{running}, then {coming}, turn {turn}: {:?}",
                table.read
            );
        }
    }
}

#[test]
fn one_that_hangs_up_pays_as_one_that_is_late_does() {
    for hangs_up in [false, true] {
        let mut table = begin(&spec(&[]));
        if hangs_up {
            table.hand_in(SeatId(1), Input::Closed);
        }
        for turn in 1..=3 {
            table.say(0, &format!("Done {turn}"));
            if !hangs_up {
                table.now += 1_001;
                table.settle();
            }
        }
        assert!(acting(&table.game).starts_with("4 0 "));
        let scores: Vec<i64> = table.game.report().verdict.standings.iter().map(|one| one.score).collect();
        assert_eq!(scores, [0, -300], "hangs up: {hangs_up}");
        // The operator ends the match in mid-phase: no further penalty.
        table.console("/quit");
        assert_eq!(table.game.report().verdict.standings[1].score, -300);
    }
}

#[test]
fn the_time_is_changed_from_the_next_turn_on_and_never_in_lockstep() {
    let mut table = begin(&spec(&[("turn-time", "604800000")]));
    assert_eq!(table.game.poll_timeout(), Some(table.now + 604_800_001));
    assert_eq!(table.console("/turn-time 50"), ["50 milliseconds a phase from the next turn on"]);
    assert_eq!(table.game.poll_timeout(), Some(table.now - 1 + 604_800_001), "not this turn");
    table.turn(1);
    assert_eq!(table.game.poll_timeout(), Some(table.now + 51));
    assert_eq!(table.console("/turn-time 0"), ["no limit of time from the next turn on"]);
    for bad in ["", " x", " -1", " 604800001"] {
        let said = table.console(&format!("/turn-time{bad}"));
        assert_eq!(said, ["expected /turn-time MS, 0 to 604800000"], "{bad:?}");
    }
    table.turn(2);
    assert_eq!(table.game.poll_timeout(), Some(MAX_TICKS));
    let mut lockstep = spec(&[]);
    lockstep.config.clock = zappy_game::config::Clock::Lockstep;
    let said = begin(&lockstep).console("/turn-time 50");
    assert!(said[0].starts_with("in lockstep a phase ends when every faction is done"), "{said:?}");
}

#[test]
fn a_late_choice_in_a_draft_is_a_lot_without_a_penalty() {
    let mut table = begin(&spec(&[("placement", "draft")]));
    let first = acting(&table.game);
    assert!(first.starts_with("0 0 "), "{first}");
    table.now += 1_001;
    table.settle();
    assert!(acting(&table.game).starts_with("0 1 "));
    let second = u32::from(acting(&table.game).ends_with("blue"));
    table.say(second, "Place 9");
    assert!(table.read.last().unwrap().starts_with("ko no free start 9; free are "));
    table.say(second, "Done 0");
    assert!(acting(&table.game).starts_with("1 0 "));
    for team in table.game.report().teams {
        assert_eq!((team.details["land"].clone(), team.details["phases_late"].clone()), (3.into(), 0.into()));
    }
    assert!(table.game.report().verdict.standings.iter().all(|standing| standing.score == 0));
}

#[test]
fn while_it_is_paused_no_phase_ends() {
    let mut table = begin(&spec(&[]));
    assert_eq!(table.console("/pause"), ["time stands still; /start lets it run again"]);
    table.turn(1);
    assert!(acting(&table.game).starts_with("1 0 "));
    assert_eq!(table.game.poll_timeout(), Some(MAX_TICKS));
    assert_eq!(table.console("/pause"), ["time stands still already; /start lets it run again"]);
    assert_eq!(table.console("/start")[0], "time runs");
    assert!(acting(&table.game).starts_with("2 0 "));
    assert_eq!(table.console("/start"), ["the match has begun already"]);
}

#[test]
fn the_operator_begins_without_those_that_lack_and_changes_the_turn() {
    let spec = spec(&[]);
    let mut table = Table {
        game: Conquest::new(&spec.config, &spec.options).unwrap(),
        now: 0,
        read: Vec::new(),
        seen: Vec::new(),
    };
    table.hand_in(SeatId(0), Input::Open);
    table.say(0, "red");
    table.say(0, "Done 1");
    assert_eq!(table.read.last().unwrap(), "ko the match has not begun");
    assert_eq!(table.console("/start").last().unwrap(), "the match begins");
    // The faction that has to be done with it reads the new number.
    let said = table.console("/turn 40");
    let [first, .., last, answer] = &said[..] else { panic!("{said:?}") };
    assert_eq!([first, last, answer], ["turn 40", "go 40", "/turn 40 next-unit 4"]);
    assert_eq!(table.console("/turn 40"), ["/turn 40 next-unit 4"], "nothing has changed");
    assert!(table.console("/turn 100001")[0].starts_with("100001 is out of the range 0 to 100000"));
    for stale in ["Done 1", "Done 99999999999999999999"] {
        table.say(0, stale);
        assert_eq!(table.read.last().unwrap(), "ko turn 40 is running");
    }
    table.say(0, "Done 40");
    assert_eq!(table.read.last().unwrap(), "go 41");
    assert_eq!(table.console("/quit"), ["over 1 red 0 2 blue -100", "the match ends"]);
    assert_eq!(table.game.report().verdict.reason, "stopped");
}
