//! Records of a short match with all that is worth telling, played here, and the arena at work on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use zappy_game::config::{MatchConfig, Observers};
use zappy_game::{Game, Input, MatchSpec, SeatId};
use zappy_game_zappy::{Zappy, ZappyOptions};
use zappy_protocol::record::{CHECK_LINE_BYTES, Fingerprint, RecordLevel, RecordLine};
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::games::GAMES;
use zappy_server::record::{self, Recorder, header};

use crate::support::{ARENA, Finished};

const CONSOLE: u32 = SeatId::CONSOLE.0;

/// Ticks, connections and lines: a short life with all that is worth telling. Empty words stand for a line that is too
/// long, `+` for a new connection, `-` for one that is gone.
const SCRIPT: [(Tick, u32, &str); 43] = [
    (0, CONSOLE, "/noFood true"),
    (0, CONSOLE, "/noRefill true"),
    (0, 0, "+red"),
    (0, 1, "+blue"),
    (0, 2, "+red"),
    (0, 3, "+blue"),
    (0, CONSOLE, "/tp 0 1 1"),
    (0, CONSOLE, "/tp 2 1 1"),
    (0, CONSOLE, "/tp 1 3 3"),
    (0, CONSOLE, "/tp 3 4 4"),
    (0, CONSOLE, "/setTile linemate 1 1 1"),
    (0, CONSOLE, "/setTile thystame 0 3 3"),
    (5, 0, "Incantation"),
    (6, 0, "Look"),
    (10, 1, "Take thystame"),
    (20, 1, ""),
    (30, 3, "Broadcast hello \u{1b}[2J there"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Right"),
    (40, 1, "Connect_nbr"),
    (150, 3, "Fork"),
    (200, CONSOLE, "/tp 1 4 4"),
    (200, 3, "Eject"),
    (250, 3, "-"),
    (400, CONSOLE, "/kill 1"),
    (410, 0, "Incantation"),
    (420, CONSOLE, "/setTile linemate 1 1 1"),
    (420, CONSOLE, "/setTile deraumere 1 1 1"),
    (420, CONSOLE, "/setTile sibur 1 1 1"),
    (430, 0, "Incantation"),
    (500, CONSOLE, "/setTile sibur 0 1 1"),
    (800, 4, "+blue"),
    (900, 2, "forward"),
    (950, 4, "!it was late more than 3 times"),
];

fn spec(seed: u64, max_ticks: Tick) -> MatchSpec {
    let teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    let map = MapSize::new(5, 5).unwrap();
    let config =
        MatchConfig { seed, max_ticks: Some(max_ticks), publish: true, ..MatchConfig::new(map, teams) };
    ZappyOptions { slots: 3, ..ZappyOptions::default() }.spec(config).unwrap()
}

fn advance(game: &mut impl Game, tick: Tick) {
    while let Some(due) = game.poll_timeout().filter(|&due| due <= tick) {
        game.handle_timeout(due);
        while game.poll_output().is_some() {}
    }
}

fn hand_in(game: &mut impl Game, tick: Tick, seat: u32, input: Input<'_>) {
    advance(game, tick);
    game.handle_input(tick, SeatId(seat), input);
    while game.poll_output().is_some() {}
}

/// The record of the script's match, with so many wandering players besides, up to its end.
pub fn played(seed: u64, level: RecordLevel, max_ticks: Tick) -> Vec<u8> {
    let mut game = acted(&spec(seed, max_ticks), level, &SCRIPT);
    for tick in (1_000..max_ticks).step_by(7) {
        hand_in(&mut game, tick, 0, Input::Line(b"Take phiras"));
        hand_in(&mut game, tick, 2, Input::Line(b"Broadcast still here"));
    }
    advance(&mut game, max_ticks);
    game.finish().1.unwrap()
}

/// The record of a match in which nothing happens but that the first player of blue joins so much later than red's.
pub fn even(blue: Tick, level: RecordLevel) -> Vec<u8> {
    let mut game = acted(&spec(1, 100), level, &[(0, 0, "+red"), (blue, 1, "+blue")]);
    advance(&mut game, 100);
    game.finish().1.unwrap()
}

fn acted(spec: &MatchSpec, level: RecordLevel, script: &[(Tick, u32, &str)]) -> Recorder<Zappy, Vec<u8>> {
    let mut game = Recorder::new(Zappy::of(spec), Vec::new(), &header(spec, level));
    for &(tick, seat, words) in script {
        match words.as_bytes() {
            b"" => hand_in(&mut game, tick, seat, Input::Overflow),
            b"-" => hand_in(&mut game, tick, seat, Input::Closed),
            [b'!', ..] => hand_in(&mut game, tick, seat, Input::Expelled(&words[1..])),
            [b'+', team @ ..] => {
                hand_in(&mut game, tick, seat, Input::Open);
                hand_in(&mut game, tick, seat, Input::Line(team));
            }
            line => hand_in(&mut game, tick, seat, Input::Line(line)),
        }
    }
    game
}

/// A record of inputs, cut off in its middle and gone on with to its end: what is written then, and where that was.
pub fn resumed(seed: u64, max_ticks: Tick) -> (Vec<u8>, Tick) {
    let cut = played(seed, INPUTS, max_ticks);
    let resumed = record::resume(&cut[..cut.len() / 2], GAMES, Observers::Off, Vec::new()).unwrap();
    let mut game = resumed.recorder;
    advance(&mut game, max_ticks);
    (game.finish().1.unwrap(), resumed.stand.tick)
}

pub const FULL: RecordLevel = RecordLevel::Full;
pub const INPUTS: RecordLevel = RecordLevel::Inputs;

/// Replaces a line and repairs the fingerprint, as a forger would.
pub fn forged(record: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(record.to_vec()).unwrap();
    assert!(text.contains(from), "no {from:?}");
    let text = text.replacen(from, to, 1);
    let body = &text[..text.len() - CHECK_LINE_BYTES];
    let end = body.lines().find(|line| line.split(' ').nth(1) == Some("end")).unwrap();
    let place = body.find(&format!("\n{end}\n")).unwrap() + 1;
    let mut fingerprint = Fingerprint::default();
    fingerprint.update(body.as_bytes());
    format!("{body}{}\n", RecordLine::Check(fingerprint.value(), place as u64).print()).into_bytes()
}

pub struct Shelf(pub TempDir);

impl Shelf {
    pub fn new() -> Shelf {
        Shelf(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

pub fn arena(action: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(ARENA);
    command.arg(action).args(arguments);
    command
}

/// What is done with one file. What it says is more than a pipe may hold.
pub fn on(action: &str, file: &Path, arguments: &[&str]) -> Finished {
    let output = arena(action, arguments).arg(file).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    Finished { status: output.status, stdout, stderr }
}

pub fn shown(file: &Path, arguments: &[&str]) -> String {
    let finished = on("show", file, arguments);
    assert_eq!((finished.code(), &finished.stderr[..]), (0, ""), "{arguments:?}");
    finished.stdout
}
