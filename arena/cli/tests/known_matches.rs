//! What matches of fixed seeds leave: the hashes of their records and results stand in `known_matches.txt`, a line each.
//!
//! A change that isn't meant to change a match changes no line. `UPDATE_TRANSCRIPTS=1 cargo test -p zappy-arena --test
//! known_matches` writes the file anew; do it only for a change of the rules or of a format, and name it.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use support::{ARENA, Bench, client, run, server};
use zappy_play::local::bot::LocalBot;
use zappy_play::local::many::{News, cores, play_many};
use zappy_play::local::plan::Plan;
use zappy_play::local::{conquest, zappy};
use zappy_play::signature::hash;
use zappy_play::world::Games;
use zappy_protocol::TeamName;
use zappy_protocol::record::RecordLevel;
use zappy_server::games::GAMES;

const ARENAS: Games = Games { specs: GAMES, guests: &[&zappy::GUEST, &conquest::GUEST] };
/// Seeds of each rule set, from 1 on.
const SEEDS: u64 = 20;

/// A rule set of a game, and how a short match by it is played.
struct Rules {
    game: &'static str,
    /// Its name in the list.
    name: &'static str,
    options: &'static [(&'static str, &'static str)],
    teams: &'static [&'static str],
    side: u16,
    max_ticks: u64,
}

const ZAPPY: Rules = Rules {
    game: "zappy",
    name: "subject",
    options: &[("clients", "2")],
    teams: &["red", "blue"],
    side: 10,
    max_ticks: 900,
};
const CONQUEST: Rules = Rules {
    game: "conquest",
    name: "concurrent",
    options: &[("turns", "12")],
    teams: &["red", "blue"],
    side: 14,
    max_ticks: 100_000,
};
const RULES: [Rules; 8] = [
    ZAPPY,
    Rules { name: "official", options: &[("clients", "2"), ("rules", "official")], ..ZAPPY },
    Rules { name: "strict", options: &[("clients", "2"), ("rules", "strict")], ..ZAPPY },
    CONQUEST,
    Rules { name: "classic", options: &[("turns", "12"), ("rules", "classic")], ..CONQUEST },
    Rules { name: "cities", options: &[("turns", "12"), ("cities", "on")], ..CONQUEST },
    Rules {
        name: "players-draft",
        options: &[("turns", "12"), ("mode", "players"), ("placement", "draft"), ("order", "drawn")],
        ..CONQUEST
    },
    Rules {
        name: "alliances",
        options: &[("turns", "12"), ("mode", "alliances"), ("alliance", "red,blue"), ("cities", "on")],
        teams: &["red", "green", "blue"],
        ..CONQUEST
    },
];

impl Rules {
    fn plan(&self) -> Plan {
        let world =
            ARENAS.world(Some(self.game), self.options.iter().copied(), (self.side, self.side)).unwrap();
        let team = |name: &&str| TeamName::parse(name.as_bytes()).unwrap();
        let bot = |name| LocalBot::plain(team(name), world.guest.unwrap());
        Plan {
            bots: self.teams.iter().map(bot).collect(),
            seeds: 1..SEEDS + 1,
            procs: world.slots,
            freq: world.rate(None).unwrap(),
            max_ticks: self.max_ticks,
            level: RecordLevel::Full,
            jobs: 1,
            world,
        }
    }

    /// The line of a match: clock, game, rule set, seed, and the hashes of its record and of its result.
    fn line(&self, clock: &str, seed: u64, record: &[u8], mut result: Value) -> String {
        // What stays when the same match is played by another version of the server, or takes another time.
        let fields = result.as_object_mut().unwrap();
        fields.remove("server_version");
        fields.remove("arena");
        fields["lockstep"].as_object_mut().unwrap().remove("think_times");
        let (record, result) = (hash(record), hash(result.to_string().as_bytes()));
        format!("{clock} {} {} {seed} {record} {result}\n", self.game, self.name)
    }

    /// All its matches in this process.
    fn in_process(&self) -> String {
        let (plan, stop) = (self.plan(), AtomicBool::new(false));
        let mut lines = String::new();
        let play = |seed| {
            let played = plan.play(seed, Vec::new(), &stop).unwrap();
            self.line("in-process", seed, &played.record, serde_json::to_value(&played.result).unwrap())
        };
        let tell = |news: News<String>| -> Result<(), ()> {
            if let News::Over(_, line) = news {
                lines += &line;
            }
            Ok(())
        };
        play_many(plan.seeds.clone(), cores(), &stop, play, tell).unwrap();
        lines
    }

    /// One match between real programs by the lockstep clock.
    fn over_sockets(&self) -> String {
        let bench = Bench::new();
        let out = bench.path("out");
        let mut arena = Command::new(ARENA);
        arena.args([
            "match",
            "--quiet",
            "--clock",
            "lockstep",
            "--think-time",
            "60000",
            "--record-level",
            "full",
        ]);
        arena.args(["--seed", "1", "--game", self.game, "--server"]).arg(server()).arg("--out").arg(&out);
        for (flag, value) in [
            ("--width", u64::from(self.side)),
            ("--height", self.side.into()),
            ("--max-ticks", self.max_ticks),
        ] {
            arena.args([flag, &value.to_string()]);
        }
        for (key, value) in self.options {
            arena.args([&format!("--{key}"), *value]);
        }
        for team in self.teams {
            arena.arg("--bot").arg(format!("{team}={}", client()));
        }
        let finished = run(&mut arena);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        let result = serde_json::from_slice(&fs::read(out.join("result.json")).unwrap()).unwrap();
        self.line("sockets", 1, &fs::read(out.join("match.zrec")).unwrap(), result)
    }
}

#[test]
fn matches_of_fixed_seeds_leave_what_they_always_left() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/known_matches.txt");
    let mut played: String = RULES.iter().map(Rules::in_process).collect();
    played.extend([ZAPPY, CONQUEST].iter().map(Rules::over_sockets));
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        fs::write(&path, &played).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    let different: Vec<&str> =
        played.lines().filter(|line| !known.lines().any(|other| other == *line)).collect();
    assert!(different.is_empty(), "other matches than in {}:\n{}", path.display(), different.join("\n"));
    assert_eq!(played.lines().count(), known.lines().count());
}
