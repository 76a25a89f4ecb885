//! Transcripts: what each seat sent and read at which tick, in the lines of a record, with comments.
//!
//! A transcript is a header (only what differs from the defaults), `begin`, then inputs and outputs. The inputs
//! are played against the rules; what comes out must be the file again, to the byte. `# …` is a comment,
//! `T wait` lets time pass to tick T. The header line `bare` begins with empty ground and without refill, `hide pnw ebo`
//! leaves out messages to observers that begin with one of these words. Each run is also recorded and the record verified.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use zappy_game::config::MatchConfig;
use zappy_game::{Game, Input, MatchSpec, SeatId, find};
use zappy_game_zappy::{Zappy, ZappyOptions};
use zappy_protocol::record::{Entry, Header, RecordLevel, RecordLine, Seat};
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::games::GAMES;
use zappy_server::record::{self, Recorder};

/// The match of a transcript without header lines.
pub fn default_match() -> MatchSpec {
    let map = MapSize::new(10, 10).unwrap();
    let config = MatchConfig { seed: 1, publish: true, ..MatchConfig::new(map, Vec::new()) };
    ZappyOptions { slots: 1, ..ZappyOptions::default() }.spec(config).unwrap()
}

/// Takes one header line in.
pub fn configure(spec: &mut MatchSpec, line: &str) {
    let (key, value) = line.split_once(' ').unwrap_or_else(|| panic!("no header line: {line:?}"));
    if key == "game" {
        let game = find(GAMES, value).unwrap_or_else(|error| panic!("{error}"));
        *spec = MatchSpec::new(game, spec.config.clone());
        return;
    }
    let number = || value.parse::<u32>().unwrap_or_else(|_| panic!("no number: {line:?}"));
    let side = || value.parse::<u16>().unwrap_or_else(|_| panic!("no number: {line:?}"));
    let option = if key == "slots" { "clients" } else { key };
    if let Ok(with) = spec.clone().with([(option, value)]) {
        *spec = with;
        return;
    }
    let config = &mut spec.config;
    match key {
        "width" => config.map = MapSize::new(side(), config.map.height()).unwrap(),
        "height" => config.map = MapSize::new(config.map.width(), side()).unwrap(),
        "seed" => config.seed = number().into(),
        "frequency" => config.frequency = NonZeroU32::new(number()).unwrap(),
        "auto-start" => config.auto_start = value == "on",
        "max-ticks" => config.max_ticks = Some(number().into()),
        "team" => config.teams.push(TeamName::parse(value.as_bytes()).unwrap()),
        _ => panic!("no such header line: {line:?}"),
    }
}

enum Step {
    Comment(String),
    Wait(Tick),
    Input(Tick, Entry, String),
}

fn step(line: &str) -> Option<Step> {
    if line.starts_with('#') || line.is_empty() {
        return Some(Step::Comment(line.to_owned()));
    }
    if let Some(tick) = line.strip_suffix(" wait") {
        return Some(Step::Wait(tick.parse().unwrap_or_else(|_| panic!("no tick: {line:?}"))));
    }
    match RecordLine::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{error}")) {
        RecordLine::Event(tick, entry) if entry.is_input() => Some(Step::Input(tick, entry, line.to_owned())),
        RecordLine::Event(..) | RecordLine::End(..) => None,
        other => panic!("{other:?} has no place in a transcript"),
    }
}

/// Lets a game run to a tick. Its outputs are dropped; a recorder around the game notes them.
pub fn advance(game: &mut impl Game, tick: Tick) {
    while let Some(due) = game.poll_timeout().filter(|&due| due <= tick) {
        game.handle_timeout(due);
        while game.poll_output().is_some() {}
    }
}

/// Hands an input in at its tick.
pub fn feed(game: &mut impl Game, tick: Tick, entry: &Entry) {
    let (seat, input) = match entry {
        Entry::Admitted(seat, line) | Entry::Received(seat, line) => (seat, Input::Line(line)),
        Entry::Dropped(seat, count) => {
            return (0..*count).for_each(|_| feed(game, tick, &Entry::Received(*seat, Vec::new())));
        }
        Entry::Overflow(seat) => (seat, Input::Overflow),
        Entry::Ended(seat) => (seat, Input::End),
        Entry::Gone(seat) => (seat, Input::Closed),
        Entry::Expelled(seat, why) => (seat, Input::Expelled(why)),
        _ => unreachable!("no input"),
    };
    let seat = match seat {
        Seat::Console => SeatId::CONSOLE,
        Seat::Number(number) => SeatId(*number),
    };
    advance(game, tick);
    if matches!(entry, Entry::Admitted(..)) {
        game.handle_input(tick, seat, Input::Open);
        while game.poll_output().is_some() {}
    }
    game.handle_input(tick, seat, input);
    while game.poll_output().is_some() {}
}

/// Plays the inputs of a transcript and gives the whole transcript as it should read.
pub fn replay(text: &str) -> String {
    let (head, body) = text.split_once("begin\n").expect("a transcript has a line \"begin\"");
    let mut spec = default_match();
    let keys = || head.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let words: Vec<&str> =
        keys().filter_map(|line| line.strip_prefix("hide ")).flat_map(|words| words.split(' ')).collect();
    let is_setting = |line: &&str| *line != "bare" && !line.starts_with("hide ");
    keys().filter(is_setting).for_each(|line| configure(&mut spec, line));
    spec.config.validate().expect("a transcript has teams");
    let steps: Vec<Step> = body.lines().filter_map(step).collect();

    // The format in which each line stands by itself is easier to read.
    let header = Header { format: 2, ..record::header(&spec, RecordLevel::Full) };
    let mut game = Recorder::new(Zappy::of(&spec), Vec::new(), &header);
    let hidden = if keys().any(|line| line == "bare") { clear_ground(&mut game) } else { 0 };
    for step in &steps {
        match step {
            Step::Comment(_) => {}
            Step::Wait(tick) => advance(&mut game, *tick),
            Step::Input(tick, entry, _) => feed(&mut game, *tick, entry),
        }
    }
    let bytes = game.finish().1.expect("a vector takes everything");
    if let Err(error) = record::verify(&bytes, GAMES) {
        panic!("its own record does not verify: {error}");
    }
    assert_expands(&bytes);
    let (_, lines) = record::parse(&bytes).expect("its own record can be read");
    let input = |line: &RecordLine| matches!(line, RecordLine::Event(_, entry) if entry.is_input());
    let mut inputs = 0;
    let shown = lines.into_iter().map(|(_, line)| line).skip_while(|line| {
        inputs += usize::from(input(line));
        hidden > 0 && inputs <= hidden
    });
    let is_left_out = |line: &RecordLine| matches!(line, RecordLine::Event(_, Entry::Published(text)) if words.iter().any(|word| text.starts_with(word.as_bytes())));
    let shown = shown.filter(|line| !is_left_out(line));
    format!("{head}begin\n{}", merge(&steps, shown))
}

/// The inputs alone must give the full record again. A match that goes on is played up to its last input, and
/// to the end of that tick.
fn assert_expands(full: &[u8]) {
    let (mut inputs, mut again) = (Vec::new(), Vec::new());
    let ended = record::expand(full, GAMES, RecordLevel::Inputs, &mut inputs)
        .expect("its inputs can be kept")
        .complete;
    record::expand(&inputs, GAMES, RecordLevel::Full, &mut again).expect("its inputs can be played");
    let difference = || {
        let [full, again] = [full, &again].map(String::from_utf8_lossy);
        first_difference(&full, &again)
    };
    let same = if ended { full == again } else { full.starts_with(&again) || again.starts_with(full) };
    assert!(same, "{}", difference());
}

/// Empties the ground by console lines, which stay out of the transcript, and says how many they were.
fn clear_ground(game: &mut Recorder<Zappy, Vec<u8>>) -> usize {
    let world = game.game().projection();
    let mut lines = vec!["/noRefill true".to_owned()];
    for at in world.size.unwrap().tiles() {
        let there = world.tile(at).unwrap().iter().filter(|&(_, units)| units > 0);
        lines.extend(there.map(|(resource, _)| format!("/setTile {resource} 0 {at}")));
    }
    for line in &lines {
        feed(game, 0, &Entry::Received(Seat::Console, line.clone().into_bytes()));
    }
    lines.len()
}

/// Puts comments and waits back where they stood: before the input that follows them.
fn merge(steps: &[Step], lines: impl Iterator<Item = RecordLine>) -> String {
    let mut out = String::new();
    let mut rest = steps;
    for line in lines {
        match &line {
            RecordLine::Event(_, entry) if entry.is_input() => {
                let at = rest
                    .iter()
                    .position(|s| matches!(s, Step::Input(..)))
                    .expect("an input that the transcript has");
                rest[..at].iter().for_each(|step| print(step, &mut out));
                rest = &rest[at + 1..];
            }
            RecordLine::Event(..) | RecordLine::End(..) => {}
            _ => continue,
        }
        let _ = writeln!(out, "{}", line.print());
    }
    for step in rest {
        if let Step::Input(_, _, line) = step {
            panic!("the game took no notice of {line:?}: the seat is closed, or was not admitted");
        }
        print(step, &mut out);
    }
    out
}

fn print(step: &Step, out: &mut String) {
    let _ = match step {
        Step::Comment(text) => writeln!(out, "{text}"),
        Step::Wait(tick) => writeln!(out, "{tick} wait"),
        Step::Input(..) => Ok(()),
    };
}

/// The first line in which two texts differ, for people.
pub fn first_difference(expected: &str, found: &str) -> String {
    let mut pairs = expected.lines().zip(found.lines()).zip(1..);
    match pairs.find(|((a, b), _)| a != b) {
        Some(((a, b), line)) => format!("line {line}\n  the file says {a}\n  the rules say {b}"),
        None => {
            format!("{} lines in the file, {} by the rules", expected.lines().count(), found.lines().count())
        }
    }
}
