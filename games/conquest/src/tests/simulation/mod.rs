//! Seeded random matches: what must hold holds after every step, for any orders.
//!
//! Factions send legal, illegal and junk lines, the operator interferes, observers lag. A failure names seed and step;
//! `SIMULATION_SEEDS` sets how many matches are played.

mod effects;
mod orders;
mod sight;

use std::collections::BTreeSet;

use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::player::{Order, PlayerLine, ServerLine, UnitOrderKind};
use zappy_protocol::conquest::{Edition, FactionId, GameOptions, Placement};
use zappy_protocol::record::Fingerprint;
use zappy_protocol::{MapSize, TeamName};

use crate::invariants;
use crate::refusal::Answer;
use crate::world::World;
use zappy_game::chance::Chance;

const TURNS: u32 = 40;
/// Matches that are played by default; in so many everything happens at least once.
const SEEDS: u64 = 150;

/// Says where a match stood when it failed.
struct Place {
    seed: u64,
    step: u32,
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}, step {}", self.seed, self.step);
        }
    }
}

struct Session {
    world: World,
    chance: Chance,
    mirror: Mirror,
    /// What an observer knew that has missed everything since.
    lagging: Mirror,
    /// All lines so far.
    record: Fingerprint,
    /// What happened at least once: messages by their first word, and orders that were allowed.
    seen: BTreeSet<String>,
    place: Place,
    /// Whether the operator interferes: its lines may break what the rules keep.
    operated: bool,
}

fn random_world(chance: &mut Chance, seed: u64) -> World {
    let count = 1 + chance.below(4);
    let mut side = || u16::try_from(8 + chance.below(9)).unwrap();
    let map = MapSize::new(side().max(11), side().max(11)).unwrap();
    let name = |i| TeamName::parse(format!("f{i}").as_bytes()).unwrap();
    let options = GameOptions {
        cities: chance.below(2) == 0,
        rules: if chance.below(2) == 0 { Edition::Arena } else { Edition::Classic },
        placement: if chance.below(4) == 0 { Placement::Draft } else { Placement::Random },
        alliances: if count > 2 && chance.below(3) == 0 {
            vec![vec![FactionId(0), FactionId(2)]]
        } else {
            Vec::new()
        },
        ..GameOptions::new((0..count).map(name).collect())
    };
    World::new(map, seed, options).unwrap()
}

impl Session {
    fn new(seed: u64) -> Session {
        let mut chance = Chance::new(seed, 900, 0, 0);
        let mut world = random_world(&mut chance, seed);
        if chance.below(2) == 0 {
            orders::crowd(&mut world, &mut chance);
        }
        let operated = chance.below(3) == 0;
        let mut session = Session {
            world,
            chance,
            mirror: Mirror::new(),
            lagging: Mirror::new(),
            record: Fingerprint::default(),
            seen: BTreeSet::new(),
            place: Place { seed, step: 0 },
            operated,
        };
        let Session { world, mirror, .. } = &mut session;
        world.dump(&mut |message| mirror.apply(message).unwrap());
        session.check();
        session
    }

    /// Takes the burst through the wire into the mirror, and holds everything against the world.
    fn check(&mut self) {
        self.place.step += 1;
        let Session { world, mirror, record, seen, .. } = self;
        world.burst(&mut |message| {
            let line = tell(message, mirror, record);
            let words: Vec<&str> = line.split(' ').collect();
            let cause = if words[0] == "udi" { words[2] } else { "" };
            seen.insert(format!("{}{cause}", words[0]));
        });
        let projection = Mirror {
            turn: mirror.turn,
            phase: mirror.phase,
            acting: mirror.acting.clone(),
            ..world.projection()
        };
        assert!(*mirror == projection, "the mirror differs:\n{mirror:?}\n{projection:?}");
        invariants::assert_invariants(&self.world, self.operated);
        if self.chance.below(20) == 0 {
            let Session { world, lagging, .. } = self;
            world.dump(&mut |message| lagging.apply(message).unwrap());
            let turn = (projection.turn, projection.phase, projection.acting.clone());
            (self.lagging.turn, self.lagging.phase, self.lagging.acting) = turn;
            assert!(self.lagging == projection, "a dump doesn't bring an old mirror up to date");
        }
    }

    fn draft(&mut self) {
        for faction in self.world.draft_order() {
            for _ in 0..self.chance.below(3) {
                let number = self.chance.below(5);
                let free = self.world.free_starts().any(|(free, _)| free == number);
                assert_eq!(self.world.choose(faction, number).is_ok(), free);
            }
            self.world.settle(faction);
            self.check();
        }
    }

    fn turn(&mut self, turn: u32) {
        self.world.begin_turn(turn, &[]);
        let all: Vec<FactionId> = self.world.ids().collect();
        let alone: Vec<Vec<FactionId>> = all.iter().map(|&one| vec![one]).collect();
        let phases = if self.chance.below(2) == 0 { vec![all] } else { alone };
        for (mut acting, phase) in phases.into_iter().zip(0..) {
            self.chance.shuffle(&mut acting);
            tell(&self.world.phase_message(phase, &acting), &mut self.mirror, &mut self.record);
            self.world.begin_phase(&acting);
            self.check();
            for &faction in &acting {
                self.read_snapshot(faction);
                self.act(faction);
            }
            if self.operated && self.chance.below(3) == 0 {
                self.interfere();
            }
            for &faction in acting.iter().filter(|faction| self.world.alive(**faction)).collect::<Vec<_>>() {
                if self.chance.below(10) == 0 {
                    self.world.late(faction);
                }
            }
            self.world.resolve(&acting);
            self.check();
        }
        self.world.end_turn();
        self.check();
        tell(&Message::TurnEnded(turn), &mut self.mirror, &mut self.record);
        if self.chance.below(5) == 0 {
            self.restore();
        }
    }

    /// Every line of a snapshot is one of the dialect, and the snapshot ends with `go`.
    fn read_snapshot(&mut self, faction: FactionId) {
        let mut out = Vec::new();
        self.world.snapshot(faction, &mut out);
        self.record.update(&out);
        let lines: Vec<ServerLine> =
            out.split(|&byte| byte == b'\n').map(|line| ServerLine::parse(line).unwrap()).collect();
        assert_eq!(
            (&lines[0], lines.last()),
            (&ServerLine::Turn(self.world.turn()), Some(&ServerLine::Go(self.world.turn())))
        );
        sight::assert_sight(&self.world, faction, &lines);
    }

    fn act(&mut self, faction: FactionId) {
        for _ in 0..3 + 2 * self.world.holdings(faction).population {
            let line = orders::random_line(&self.world, faction, &mut self.chance);
            match PlayerLine::parse(&line) {
                Ok(PlayerLine::Order(order)) => self.submit(faction, &order),
                Ok(_) => {}
                Err(why) => assert!(!why.to_string().is_empty()),
            }
        }
    }

    /// The answer is what `check` says, and giving an order changes nothing.
    fn submit(&mut self, faction: FactionId, order: &Order) {
        let before = self.world.digest();
        let allowed = self.world.check(faction, order);
        if self.chance.below(4) == 0 {
            effects::assert_check_tells_the_truth(&self.world, faction, order);
        }
        let answer = self.world.submit(faction, order);
        match (&answer, &allowed) {
            (Answer::Ok, Ok(())) => {
                self.seen.insert(kind_of(order));
            }
            (Answer::Maybe(said), Err(why)) => assert!(said == why && !why.is_final()),
            (Answer::Ko(said), why) => {
                assert!(!self.world.alive(faction) || why.as_ref() == Err(said) && said.is_final());
            }
            other => panic!("{other:?} to {order}"),
        }
        assert_eq!(self.world.digest(), before, "giving {order} changed the world");
        let mut line = Vec::new();
        answer.line().write(&mut line);
        self.record.update(&line);
    }

    fn interfere(&mut self) {
        for _ in 0..=self.chance.below(3) {
            let line = orders::operator_line(&self.world, &mut self.chance);
            let before = self.world.digest();
            if self.world.operate(&line).is_none_or(|answer| answer.is_err()) {
                assert_eq!(self.world.digest(), before, "{line} was refused and changed the world");
            }
            self.check();
        }
    }

    /// The state, read back into an emptied world, is the same.
    fn restore(&self) {
        let mut other = self.world.clone();
        assert_eq!(other.operate("/empty"), Some(Ok("the map is empty".to_owned())));
        for line in self.world.state() {
            other.operate(&line).unwrap().unwrap_or_else(|why| panic!("{line}: {why}"));
        }
        assert_eq!(other.digest(), self.world.digest());
        invariants::assert_invariants(&other, true);
    }
}

/// An order without its numbers.
fn kind_of(order: &Order) -> String {
    let words = order.to_string();
    words.split(' ').filter(|word| word.parse::<u32>().is_err()).take(2).collect::<Vec<_>>().join(" ")
}

/// Prints a message, reads it back, and shows it to the mirror.
fn tell(message: &Message, mirror: &mut Mirror, record: &mut Fingerprint) -> String {
    let mut line = Vec::new();
    message.write(&mut line);
    record.update(&line);
    let read = Message::parse(&line).unwrap_or_else(|why| panic!("{why}: {}", line.escape_ascii()));
    assert_eq!(read, *message);
    mirror.apply(&read).unwrap_or_else(|why| panic!("{why}: {}", line.escape_ascii()));
    String::from_utf8(line).unwrap()
}

/// Plays a match, and gives a fingerprint of every line of it, and what happened in it.
fn play(seed: u64) -> (u64, BTreeSet<String>) {
    let mut session = Session::new(seed);
    if session.world.options().placement == Placement::Draft {
        session.draft();
    }
    for turn in 1..=TURNS {
        session.turn(turn);
        if !session.world.ids().any(|faction| session.world.alive(faction)) {
            break;
        }
        if session.chance.below(10) == 0 {
            session.lagging = session.mirror.clone();
        }
    }
    session.record.update_number(session.world.digest());
    (session.record.value(), std::mem::take(&mut session.seen))
}

/// What has to happen in some match, or the simulator looks at nothing.
const HAPPENS: &str = "loc bom unw umv uhp uat uhe ucv udiattack udibomb udiretired udibeaten udioperator cas cit ord lat \
                       fde fac gam";

#[test]
fn everything_holds_whatever_is_ordered() {
    let seeds = std::env::var("SIMULATION_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SEEDS);
    let seen: BTreeSet<String> = (0..seeds).flat_map(|seed| play(seed).1).collect();
    if seeds < SEEDS {
        return;
    }
    for message in HAPPENS.split(' ') {
        assert!(seen.contains(message), "no match had {message}: {seen:?}");
    }
    for kind in UnitOrderKind::ALL {
        assert!(seen.contains(&format!("Unit {kind}")), "no unit was allowed to {kind}: {seen:?}");
    }
    for order in
        "Base income,Base build,Base continue,Base bomb,Base move,City assign,City unassign,City recruit"
            .split(',')
    {
        assert!(seen.contains(order), "{order} was never allowed: {seen:?}");
    }
}

#[test]
fn d32_the_same_seed_and_orders_give_the_same_record() {
    for seed in 1_000..1_010 {
        assert_eq!(play(seed), play(seed), "seed {seed}");
    }
    assert_ne!(play(1_000), play(1_001));
}
