//! The rules, case by case: scenes are set up in the operator's language, orders are given as players give them.
//!
//! The rules' cases D01 to D40 and C01 to C20 stand in `units`, `turns`, `production` and `cities`, each with its id in
//! its name.

mod arena;
mod cities;
mod maps;
mod operator;
mod production;
mod scenarios;
mod simulation;
mod snapshots;
mod turns;
mod units;

use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::player::{PlayerLine, ServerLine};
use zappy_protocol::conquest::{FactionId, GameOptions, Holdings, Tile, Unit, UnitId};
use zappy_protocol::{MapSize, Position, TeamName};

use super::World;

const NAMES: [&str; 3] = ["red", "blue", "green"];

fn names(names: &[&str]) -> Vec<TeamName> {
    names.iter().map(|name| TeamName::parse(name.as_bytes()).unwrap()).collect()
}

fn at(x: u16, y: u16) -> Position {
    Position { x, y }
}

fn size(width: u16, height: u16) -> MapSize {
    MapSize::new(width, height).unwrap()
}

/// A world of 20 by 20 tiles with red's base at 2 2, blue's at 12 12 and green's at 2 12, and nothing else but what is
/// set up. It is turn 1, in the phase of all.
struct Scene {
    world: World,
}

impl Scene {
    fn new(lines: &[&str]) -> Scene {
        Scene::with(GameOptions::new(names(&NAMES)), lines)
    }

    fn allied(lines: &[&str]) -> Scene {
        let mut options = GameOptions::new(names(&NAMES));
        options.alliances = vec![vec![FactionId(0), FactionId(2)]];
        Scene::with(options, lines)
    }

    fn cities(lines: &[&str]) -> Scene {
        Scene::with(GameOptions { cities: true, ..GameOptions::new(names(&NAMES)) }, lines)
    }

    fn with(options: GameOptions, lines: &[&str]) -> Scene {
        let mut scene = Scene { world: World::new(size(20, 20), 1, options).unwrap() };
        let bases = [("red", "2 2"), ("blue", "12 12"), ("green", "2 12")];
        scene.operate("/empty");
        for (name, place) in bases {
            scene.operate(&format!("/tile {place} owner {name} base on"));
            scene.operate(&format!("/faction {name} base {place}"));
        }
        lines.iter().for_each(|line| scene.operate(line));
        scene.world.begin_turn(1, &[]);
        scene.world.hush();
        scene
    }

    fn operate(&mut self, line: &str) {
        let answer = self.world.operate(line).unwrap_or_else(|| panic!("not the world's: {line}"));
        answer.unwrap_or_else(|why| panic!("{line}: {why}"));
    }

    /// Gives an order, and gives back the answer.
    fn say(&mut self, faction: &str, line: &str) -> String {
        let Ok(PlayerLine::Order(order)) = PlayerLine::parse(line.as_bytes()) else {
            panic!("no order: {line}")
        };
        let answer = self.world.submit(id(faction), &order);
        printed(&answer.line())
    }

    /// Carries out what was ordered, red before blue before green.
    fn resolve(&mut self) {
        self.world.resolve(&[FactionId(0), FactionId(1), FactionId(2)]);
    }

    /// Gives orders, carries them out, and gives back what became of them, without the leading `did`.
    fn run(&mut self, faction: &str, lines: &[&str]) -> Vec<String> {
        for line in lines {
            let answer = self.say(faction, line);
            assert!(!answer.starts_with("ko"), "{line}: {answer}");
        }
        self.resolve();
        self.did(faction)
    }

    fn did(&self, faction: &str) -> Vec<String> {
        let lines = self.snapshot(faction);
        lines.iter().filter_map(|line| line.strip_prefix("did ").map(str::to_owned)).collect()
    }

    fn snapshot(&self, faction: &str) -> Vec<String> {
        let mut out = Vec::new();
        self.world.snapshot(id(faction), &mut out);
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    fn begin(&mut self) {
        self.world.begin_phase(&[FactionId(0), FactionId(1), FactionId(2)]);
    }

    fn holdings(&self, faction: &str) -> Holdings {
        self.world.holdings(id(faction))
    }

    fn score(&self, faction: &str) -> i64 {
        self.holdings(faction).score
    }

    fn gold(&self, faction: &str) -> u64 {
        self.holdings(faction).gold
    }

    fn unit(&self, number: u32) -> Option<Unit> {
        self.world.units.get(&UnitId(number)).copied()
    }

    fn health(&self, number: u32) -> u32 {
        self.unit(number).unwrap().health
    }

    fn tile(&self, x: u16, y: u16) -> Tile {
        *self.world.tile(at(x, y))
    }
}

fn id(faction: &str) -> FactionId {
    let index = NAMES.iter().position(|name| *name == faction).unwrap();
    FactionId(index.try_into().unwrap())
}

/// What observers are told since the last time.
fn burst(scene: &mut Scene) -> Vec<String> {
    let mut lines = Vec::new();
    scene.world.burst(&mut |message: &Message| {
        let mut out = Vec::new();
        message.write(&mut out);
        lines.push(String::from_utf8(out).unwrap());
    });
    lines
}

fn printed(line: &ServerLine) -> String {
    let mut out = Vec::new();
    line.write(&mut out);
    String::from_utf8(out).unwrap()
}
