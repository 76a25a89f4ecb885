//! What a session plays, and within which limits: drawn from its seed.
//!
//! Tested by the sessions in `tests`.

use std::num::NonZeroU32;
use std::time::Duration;

use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName};

use super::guest::WATCHED;
use super::lines::TEAMS;
use zappy_game::chance::Chance;
use zappy_game::config::{Clock, MatchConfig, Observers};
use zappy_game::{MatchSpec, Tick};
use zappy_server::net::{Limits, Lockstep, Setup};

/// The console line that ends a match.
pub(super) const STOP: &[u8] = b"/quit";

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) spec: MatchSpec,
    pub(super) setup: Setup,
    pub(super) level: RecordLevel,
    /// After how many ticks bytes of the record that wait are written at the latest.
    pub(super) record_delay: Tick,
    /// Whether some connections may come in under one name only.
    pub(super) held: bool,
}

impl Plan {
    /// The plan of that seed.
    pub(super) fn of(seed: u64, crowded: bool) -> Plan {
        let mut chance = Chance::new(seed, 2, 0, 0);
        let [of_zappy, of_conquest, of_guest] = &WATCHED;
        let game = if chance.below(5) > 1 { of_zappy } else { of_conquest };
        // The worked example stands for any game without rules of its own in this crate.
        let game = if seed % 16 == 5 && !crowded { of_guest } else { game };
        let zappy = game.name == of_zappy.name;
        let teams = 1 + chance.below(3) as usize;
        let names = TEAMS[..teams].iter().filter_map(|name| TeamName::parse(name.as_bytes()));
        let clock = if chance.below(5) < 2 { Clock::Lockstep } else { Clock::Real };
        let level = if chance.below(2) == 0 { RecordLevel::Full } else { RecordLevel::Inputs };
        let side = |chance: &mut Chance| 1 + u16::try_from(chance.below(9)).unwrap_or(0);
        let map = if zappy { (side(&mut chance), side(&mut chance)) } else { (12, 9) };
        let map = MapSize::new(map.0, map.1).unwrap_or_else(|| unreachable!("a map of {map:?}"));
        let config = MatchConfig {
            frequency: NonZeroU32::new([10, 100, 100, 1000][chance.below(4) as usize])
                .unwrap_or(NonZeroU32::MIN),
            seed,
            clock,
            auto_start: chance.below(6) > 0,
            max_ticks: (chance.below(3) == 0).then(|| 50 + Tick::from(chance.below(2000))),
            observers: if chance.below(8) == 0 { Observers::Off } else { Observers::Control },
            publish: level == RecordLevel::Full,
            ..MatchConfig::new(map, names.collect())
        };
        let options = match game.name {
            "zappy" => {
                let rules = ["subject", "official", "strict"][chance.below(3) as usize];
                let slots = if crowded { 300 } else { 1 + chance.below(5) };
                let eggs = ["on", "off"][chance.below(2) as usize];
                vec![
                    ("rules", rules.to_owned()),
                    ("clients", slots.to_string()),
                    ("display-eggs", eggs.to_owned()),
                ]
            }
            "conquest" => conquest_options(&mut chance, teams),
            _ => vec![("turns", "40".to_owned())],
        };
        let spec = MatchSpec::new(game, config);
        let options = options.iter().map(|(key, value)| (*key, value.as_str()));
        let spec = spec.with(options).unwrap_or_else(|error| unreachable!("{error}"));
        let room = (spec.game.slots)(&spec.options) * teams;
        let lockstep = (clock == Clock::Lockstep).then(|| Lockstep {
            wait_players: 1 + chance.index(room.min(6)).unwrap_or(0),
            lobby_time: Duration::from_secs(30),
            think_time: Duration::from_millis([50, 1000][chance.below(2) as usize]),
            max_late: 3,
            pace: (chance.below(4) == 0).then(|| NonZeroU32::MIN.saturating_add(199)),
            step: chance.below(5) == 0,
            stop_line: STOP.to_vec(),
        });
        let opening = (chance.below(3) == 0 && zappy).then(|| b"/setTile linemate 9 0 0".to_vec());
        let setup = Setup {
            limits: limits(&mut chance, zappy, crowded),
            seed,
            opening: opening.into_iter().collect(),
            lockstep,
            stay: (chance.below(6) == 0).then(|| STOP.to_vec()),
            ..Setup::default()
        };
        let record_delay = [0, 0, 20, 100][chance.below(4) as usize];
        Plan { spec, setup, level, record_delay, held: chance.below(6) == 0 }
    }

    /// Whether it is Zappy that is played.
    pub(super) fn is_zappy(&self) -> bool {
        self.spec.game.name == zappy_game_zappy::SPEC.name
    }
}

fn conquest_options(chance: &mut Chance, teams: usize) -> Vec<(&'static str, String)> {
    let mut pick = |of: &[&'static str]| of[chance.below(of.len() as u32) as usize].to_owned();
    let orders = ["default", "reset", "continue", "once", "custom_from:land", "custom:green,red,blue"];
    vec![
        ("cities", pick(&["on", "off"])),
        ("mode", pick(&["concurrent", "players", "alliances"])),
        ("order", pick(if teams == 3 { &orders } else { &orders[..5] })),
        ("alliance", if teams == 3 { pick(&["-", "red,green"]) } else { "-".to_owned() }),
        ("placement", pick(&["random", "draft"])),
        ("turns", pick(&["5", "400"])),
        ("turn-time", pick(&["0", "30", "1000"])),
        ("fixed-length", pick(&["off", "off", "on"])),
        ("wait-for-absent", pick(&["off", "on"])),
    ]
}

/// A server's default limits, or limits so small that sessions reach them.
fn limits(chance: &mut Chance, zappy: bool, crowded: bool) -> Limits {
    if crowded || chance.below(3) == 0 {
        return Limits::default();
    }
    Limits {
        line: 100,
        turn_bytes: 64 + chance.below(1000) as usize,
        turn_lines: 1 + chance.below(10) as usize,
        all_turn_lines: 8 + chance.below(100) as usize,
        turn_written: ((10 + chance.below(100)) << chance.below(8)) as usize,
        turn_accepts: 1 + chance.below(4) as usize,
        turn_ticks: 1 + chance.below(50) as usize,
        turn_rounds: 1 + chance.below(8) as usize,
        turn_answers: 2_000,
        observer_rate: 100_000,
        observers_rate: 400_000,
        connections: 8 + chance.below(40) as usize,
        per_address: 3,
        player_outbox: if zappy { 3_000 } else { 60_000 },
        // From less than a line to more than a session publishes, so that observers lag in many ways.
        observer_outbox: ((100 + chance.below(300)) << chance.below(5)) as usize,
        all_observers: 60_000,
        read_mark: 1_000,
        console_outbox: 2_000,
        ..Limits::default()
    }
}
