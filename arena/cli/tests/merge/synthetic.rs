//! Tournaments that were never played: bots of known strength, a real plan, results drawn from a seed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tempfile::TempDir;
use zappy_game_zappy::ZappyOptions;
use zappy_play::local::zappy;
use zappy_play::programs::environment::bot_seed;
use zappy_play::world::Games;
use zappy_protocol::MapSize;
use zappy_server::games;
use zappy_tournament::bots::{Book, Bot, Limits};
use zappy_tournament::identity::{Id, IdHasher};
use zappy_tournament::outcome::{BotEnd, Cause, Outcome, Seat};
use zappy_tournament::plan::{Pairing, Planned, Terms, Wish, plan};
use zappy_tournament::seeds::Seeds;

/// The games of the arena.
pub const GAMES: Games = Games { specs: games::GAMES, guests: &[] };

/// A tournament in a folder of its own.
pub struct Night {
    pub dir: TempDir,
    pub book: Book,
    pub plan: Vec<Planned>,
}

pub fn book(names: &[&str]) -> Book {
    let bot = |(i, name): (usize, &&str)| {
        let mut identity = IdHasher::default();
        identity.add(format!("bot {i}").as_bytes());
        Bot {
            id: identity.id(),
            name: (*name).to_owned(),
            command: "./bot {port}".to_owned(),
            folder: Some(PathBuf::from("/submissions")),
            environment: BTreeMap::new(),
            processes: None,
            limits: Limits::default(),
        }
    };
    Book { version: 1, bots: names.iter().enumerate().map(bot).collect(), hidden: Vec::new() }
}

/// What tournaments keep of a team of Zappy.
pub fn details(levels: [u64; 8], highest: u64, alive: u64) -> Map<String, Value> {
    let pairs = [("levels", levels.to_vec().into()), ("highest", highest.into()), ("born", 8.into())];
    let pairs = pairs.into_iter().chain([("alive", alive.into())]);
    pairs.map(|(key, value)| (key.to_owned(), value)).collect()
}

impl Night {
    /// Planned, not played.
    pub fn new(names: &[&str], teams: usize, seeds: u64) -> Night {
        let terms = Terms {
            world: zappy::world(MapSize::new(20, 20).unwrap(), ZappyOptions::default()).unwrap(),
            max_ticks: 10_000,
            clock: "lockstep".to_owned(),
            freq: 100,
            think_time: 1_000,
            lobby_time: 30,
            max_late: 10,
        };
        let book = book(names);
        let wish = Wish {
            pairing: Pairing::RoundRobin,
            teams,
            seeds: Seeds::Open(1..1 + seeds),
            variants: vec![terms],
        };
        let plan = plan(&book, &wish).unwrap();
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("results")).unwrap();
        fs::write(dir.path().join("bots.json"), serde_json::to_string_pretty(&book).unwrap()).unwrap();
        let night = Night { dir, book, plan };
        night.write_plan();
        night
    }

    /// Forty students, the first the best.
    pub fn of_forty(seeds: u64) -> Night {
        let names: Vec<String> = (1..=40).map(|i| format!("student-{i:02}")).collect();
        Night::new(&names.iter().map(String::as_str).collect::<Vec<_>>(), 2, seeds)
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn write_plan(&self) {
        let lines: String =
            self.plan.iter().map(|planned| serde_json::to_string(planned).unwrap() + "\n").collect();
        fs::write(self.path().join("plan.jsonl"), lines).unwrap();
    }

    pub fn place(&self, id: Id) -> usize {
        self.book.bots.iter().position(|bot| bot.id == id).unwrap()
    }

    pub fn result_path(&self, planned: &Planned) -> PathBuf {
        self.path().join("results").join(format!("{}.json", planned.id))
    }

    pub fn write(&self, planned: &Planned, played: &Outcome) {
        fs::write(self.result_path(planned), serde_json::to_string(&played.clone().sealed()).unwrap())
            .unwrap();
    }

    /// The seats in the order of their ranks; the first one has won.
    pub fn ended(&self, planned: &Planned, order: &[usize]) -> Outcome {
        let seat = |(place, &bot): (usize, &Id)| {
            let rank = 1 + order.iter().position(|&other| other == place).unwrap() as u64;
            let team = self.book.bots[self.place(bot)].name.clone();
            let highest = if rank == 1 { 8 } else { 5 };
            let mut levels = [0; 8];
            levels[highest - 1] = 6;
            Seat {
                bot,
                team,
                rank,
                score: 0,
                details: details(levels, highest as u64, 6),
                late: 0,
                refused: 20 + rank,
                dropped: 0,
                end: BotEnd::Played,
                end_detail: None,
            }
        };
        Outcome {
            version: 1,
            id: planned.id,
            cause: Cause::Game("elevation".to_owned()),
            ticks: 2_000 + planned.seed.unwrap(),
            seed: None,
            winner: order.first().copied(),
            winners: Vec::new(),
            by_lot: false,
            reproducible: true,
            disturbed: Vec::new(),
            seats: planned.seats.iter().enumerate().map(seat).collect(),
            earlier: None,
            gained: Vec::new(),
            spoiled_by: Vec::new(),
            verified: Some(true),
            unproved: None,
            record_sha256: None,
            sha256: None,
        }
    }

    /// Each match as the bots' strengths make it likely; bots come weaker and weaker.
    pub fn play_by_strength(&self, step: f64) {
        for planned in &self.plan {
            self.write(planned, &self.likely(planned, step));
        }
    }

    pub fn likely(&self, planned: &Planned, step: f64) -> Outcome {
        let hash = u64::from_str_radix(&planned.id.to_string(), 16).unwrap();
        // Gumbel's distribution: the one with the greatest is the winner of Bradley and Terry's model.
        let luck = |seat: usize| {
            let uniform = (bot_seed(hash, seat) as f64 + 0.5) / 2f64.powi(53);
            let strength = -step * self.place(planned.seats[seat]) as f64 * std::f64::consts::LN_10 / 400.0;
            strength - (-uniform.ln()).ln()
        };
        let mut order: Vec<usize> = (0..planned.seats.len()).collect();
        order.sort_by(|&a, &b| luck(b).total_cmp(&luck(a)));
        self.ended(planned, &order)
    }
}
