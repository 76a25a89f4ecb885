//! A small faction of conquest to build on: pioneers take land, a worker earns, and a unit stays on the base.
//!
//! It reads a snapshot up to `go N`, sends an order for its base and for each unit, and ends with `Done N`. What it
//! orders depends only on the lines it reads.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::net::TcpStream;
use std::process::ExitCode;

/// Health that an attack of a pioneer takes.
const DAMAGE: i32 = 2;
/// With this many units the base builds a worker.
const SETTLED: i32 = 4;
/// When an enemy is this near to the base, in steps, pioneers go for it and a unit stays on the base.
const ALARM: i32 = 3;
/// Stands for the owner of a tile that has none.
const NEUTRAL: i32 = -1;
/// Stands for the turns until the next unit appears if none is being built: too many to make room for one.
const LATER: i32 = 9;

/// A type of unit: its price, its upkeep each turn, and the turns that the base builds it.
struct Kind {
    name: &'static str,
    gold: i32,
    upkeep: i32,
    turns: i32,
}

const PIONEER: Kind = Kind { name: "pioneer", gold: 200, upkeep: 25, turns: 2 };
const WORKER: Kind = Kind { name: "worker", gold: 350, upkeep: 45, turns: 3 };

/// A place on the map: x and y.
type At = (i32, i32);

/// A tile: its owner, or `NEUTRAL`, and its flags as the server writes them.
struct Tile {
    owner: i32,
    flags: String,
}

#[derive(Clone)]
struct Unit {
    number: i32,
    owner: i32,
    kind: String,
    at: At,
    health: i32,
    state: String,
}

/// What one faction knows, and what it orders.
#[derive(Default)]
struct Faction {
    width: i32,
    height: i32,
    me: i32,
    /// The tiles that have been seen, as they were when last seen.
    tiles: HashMap<At, Tile>,
    /// The units in sight now, by their numbers.
    units: BTreeMap<i32, Unit>,
    /// Offsets from a tile to every tile, the nearest first: the tile itself, the 8 around, and so on.
    offsets: Vec<At>,
    gold: i32,
    /// The population, and the cap that it can't exceed.
    pop: i32,
    cap: i32,
    /// Gold that all units together cost each turn.
    upkeep: i32,
    base: At,
    /// The turns that are left for the unit that is being built, if there is one.
    slot: Option<i32>,
    /// The enemies' units in sight, with the health that this turn's attacks leave them.
    enemies: Vec<Unit>,
    /// Tiles on which a unit stands, or will: two can't stand on one.
    taken: HashSet<At>,
    /// Tiles to which a unit is on its way: a second one needn't go there.
    goals: HashSet<At>,
    /// The tile of an enemy near the base, if there is one.
    threat: Option<At>,
    /// Whether the unit on the base steps aside for the next one.
    makes_room: bool,
    /// Whether the gold doesn't last for the upkeep of two turns.
    poor: bool,
}

impl Faction {
    fn new(width: i32, height: i32, me: i32) -> Faction {
        let column = |x| (0..height).map(move |y| (x - width / 2, y - height / 2));
        let mut offsets: Vec<At> = (0..width).flat_map(column).collect();
        offsets.sort_by_key(|offset| {
            let (dx, dy) = (offset.0.abs(), offset.1.abs());
            (dx.max(dy), dx + dy, *offset)
        });
        Faction { width, height, me, offsets, ..Faction::default() }
    }

    /// Takes in a line of the snapshot; other kinds of lines are ignored. None for a line that is cut off.
    fn read(&mut self, words: &[&str]) -> Option<()> {
        let word = |at: usize| words.get(at).copied();
        let number = |at: usize| word(at)?.parse::<i32>().ok();
        match word(0)? {
            "turn" => self.units.clear(),
            "faction" if number(1)? == self.me => {
                // faction I NAME alive gold G food F wood W bombs B land L pop P cap C kills K score S upkeep U base X
                // Y slot TYPE LEFT, or slot - if nothing is being built.
                self.gold = number(5)?;
                self.pop = number(15)?;
                self.cap = number(17)?;
                self.upkeep = number(23)?;
                self.base = (number(25)?, number(26)?);
                self.slot = number(29);
            }
            "unit" => {
                let unit = Unit {
                    number: number(1)?,
                    owner: number(2)?,
                    kind: word(3)?.to_owned(),
                    at: (number(4)?, number(5)?),
                    health: number(6)?,
                    state: word(7)?.to_owned(),
                };
                self.units.insert(unit.number, unit);
            }
            "tile" => {
                let tile = Tile { owner: number(3).unwrap_or(NEUTRAL), flags: word(5)?.to_owned() };
                self.tiles.insert((number(1)?, number(2)?), tile);
            }
            _ => {}
        }
        Some(())
    }

    fn owner(&self, at: At) -> i32 {
        self.tiles.get(&at).map_or(NEUTRAL, |tile| tile.owner)
    }

    /// Whether a tile's or a unit's owner is an enemy. TODO for you: allies, if the match has any, are none; the line
    /// of the options names them.
    fn is_enemys(&self, owner: i32) -> bool {
        owner != NEUTRAL && owner != self.me
    }

    /// Whether the tile is a place for the worker: a resource that belongs to no enemy.
    fn is_site(&self, at: At) -> bool {
        self.tiles.get(&at).is_some_and(|tile| tile.flags.contains('r') && !self.is_enemys(tile.owner))
    }

    /// Steps between two tiles: a diagonal is one, and the map has no edge.
    fn distance(&self, a: At, b: At) -> i32 {
        let (dx, dy) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        dx.min(self.width - dx).max(dy.min(self.height - dy))
    }

    /// All tiles, the nearest to that place first.
    fn around(&self, at: At) -> impl Iterator<Item = At> + '_ {
        let tile = move |offset: &At| {
            ((at.0 + offset.0).rem_euclid(self.width), (at.1 + offset.1).rem_euclid(self.height))
        };
        self.offsets.iter().map(tile)
    }

    /// The orders of this turn, the base's first.
    fn orders(&mut self) -> Vec<String> {
        let all = self.units.values().cloned();
        let (mine, others): (Vec<Unit>, Vec<Unit>) = all.partition(|unit| unit.owner == self.me);
        self.enemies = others.into_iter().filter(|unit| self.is_enemys(unit.owner)).collect();
        self.taken = self.units.values().map(|unit| unit.at).collect();
        self.goals.clear();
        let mut places = self.enemies.iter().map(|unit| unit.at);
        self.threat = places.find(|&at| self.distance(at, self.base) <= ALARM);
        let (base, left) = self.base_order(mine.iter().any(|unit| unit.kind == WORKER.name));
        // The base acts before the units, so the unit on it makes room a turn before the next one appears.
        self.makes_room = left <= 1 && self.threat.is_none();
        self.poor = self.gold < 2 * self.upkeep;
        let mut orders = vec![base];
        // By the rules `arena` a unit that has changed sides takes no order at first.
        for unit in mine.iter().filter(|unit| unit.state != "c") {
            orders.extend(self.unit_order(unit).map(|order| format!("Unit {} {order}", unit.number)));
        }
        orders
    }

    /// The base's order, and in how many turns the next unit appears.
    fn base_order(&mut self, has_worker: bool) -> (String, i32) {
        let income = ("Base income".to_owned(), LATER);
        if let Some(left) = self.slot {
            // What can't be paid costs score, and by the rules `arena` a unit.
            return if self.gold >= self.upkeep { ("Base continue".to_owned(), left - 1) } else { income };
        }
        let site = self.tiles.keys().any(|&at| self.is_site(at));
        let kind = if site && !has_worker && self.pop >= SETTLED { WORKER } else { PIONEER };
        if self.pop >= self.cap || self.gold < kind.gold + 2 * (self.upkeep + kind.upkeep) {
            return income;
        }
        self.gold -= kind.gold;
        (format!("Base build {}", kind.name), kind.turns - 1)
    }

    /// A unit's order; None if it is to do nothing. TODO for you: fighters, clerics and sappers, which this faction
    /// doesn't build.
    fn unit_order(&mut self, unit: &Unit) -> Option<String> {
        let on_guard = unit.at == self.base && !self.makes_room;
        if unit.kind == WORKER.name {
            return Some(if on_guard { "gold".to_owned() } else { self.worker_order(unit) });
        } else if unit.kind != PIONEER.name {
            return None;
        }
        let attack = self.attack(unit);
        attack.or_else(|| Some(if on_guard { "gold".to_owned() } else { self.pioneer_order(unit) }))
    }

    /// Takes land, or meets an enemy near the base. TODO for you: strike. A faction whose base tile isn't its own is
    /// beaten, but a single unit seldom takes it.
    fn pioneer_order(&mut self, unit: &Unit) -> String {
        let owner = self.owner(unit.at);
        if owner != self.me {
            return if self.is_enemys(owner) { "neutralize" } else { "conquer" }.to_owned();
        }
        if let Some(threat) = self.threat.filter(|_| self.distance(unit.at, self.base) <= 2 * ALARM) {
            return self.step(unit, threat);
        }
        if self.poor && unit.at != self.base {
            return "gold".to_owned();
        }
        self.go(unit, |me, at| me.owner(at) != me.me)
    }

    /// Earns on a resource, or goes to the nearest one.
    fn worker_order(&mut self, unit: &Unit) -> String {
        if self.is_site(unit.at) {
            return if self.owner(unit.at) == self.me { "gold" } else { "conquer" }.to_owned();
        }
        self.go(unit, Faction::is_site)
    }

    /// Attacks an enemy beside the unit, if this turn's attacks have left one alive. TODO for you: which one first?
    fn attack(&mut self, unit: &Unit) -> Option<String> {
        let beside = |enemy: &Unit| enemy.health > 0 && self.distance(unit.at, enemy.at) == 1;
        let place = self.enemies.iter().position(beside)?;
        let enemy = &mut self.enemies[place];
        enemy.health -= DAMAGE;
        if enemy.health <= 0 {
            self.taken.remove(&enemy.at);
        }
        Some(format!("attack {}", enemy.number))
    }

    /// Goes towards the nearest tile that is good, free, and no other unit's goal. If there is none, a unit on the base
    /// steps aside.
    fn go(&mut self, unit: &Unit, good: fn(&Faction, At) -> bool) -> String {
        let free = |at: &At| !self.taken.contains(at) && !self.goals.contains(at);
        let goal = self.around(unit.at).find(|at| free(at) && good(self, *at));
        if goal.is_none() && unit.at != self.base {
            return if self.owner(unit.at) == self.me { "gold" } else { "idle" }.to_owned();
        }
        self.goals.extend(goal);
        self.step(unit, goal.unwrap_or(unit.at))
    }

    /// Goes to the free tile beside the unit that is nearest to the tile `to`.
    fn step(&mut self, unit: &Unit, to: At) -> String {
        let free = self.around(unit.at).skip(1).take(8).filter(|at| !self.taken.contains(at));
        let Some(at) = free.min_by_key(|&at| self.distance(at, to)) else { return "idle".to_owned() };
        self.taken.remove(&unit.at);
        self.taken.insert(at);
        format!("travel {} {}", at.0, at.1)
    }
}

/// The connection to the server, and the file of notes.
struct Server {
    input: BufReader<TcpStream>,
    notes: Option<File>,
    /// Lines sent after the faction's name; each note says after how many it was written.
    sent: i32,
}

impl Server {
    fn connect(options: &Options) -> io::Result<Server> {
        let stream = TcpStream::connect((options.host.as_str(), options.port))?;
        stream.set_nodelay(true)?;
        let path = std::env::var("ZAPPY_NOTES").ok();
        let notes = path.and_then(|path| File::options().create(true).append(true).open(path).ok());
        Ok(Server { input: BufReader::new(stream), notes, sent: -1 })
    }

    /// Reads the next line, in however many packets it comes. Names may have any bytes.
    fn read(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.input.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn send(&mut self, lines: &[String]) -> io::Result<()> {
        self.sent += lines.len() as i32;
        self.input.get_mut().write_all((lines.join("\n") + "\n").as_bytes())
    }

    /// Notes something for you, which `zappy_arena show` and the observer tell: words, `tile X Y word`, or `marker
    /// word` for the timeline. Opponents don't see it.
    fn note(&mut self, words: &str) {
        let Some(notes) = &mut self.notes else { return };
        if notes.write_all(format!("{} {words}\n", self.sent).as_bytes()).is_err() {
            self.notes = None;
        }
    }

    /// Plays until the match is over: then the server closes the connection, which is an error. False if the server had
    /// no place for the faction.
    fn play(&mut self, name: &str) -> io::Result<bool> {
        self.read()?; // WELCOME
        self.send(&[name.to_owned()])?;
        if self.read()?.trim() == "ko" {
            return Ok(false);
        }
        let size: Vec<i32> =
            self.read()?.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
        let options = self.read()?;
        let me = options.split_ascii_whitespace().skip_while(|word| *word != "you").nth(1);
        let (&[width, height], Some(me)) = (&size[..], me.and_then(|me| me.parse().ok())) else {
            return Err(ErrorKind::InvalidData.into());
        };
        let (mut faction, mut place) = (Faction::new(width, height, me), None);
        loop {
            let line = self.read()?;
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match words[..] {
                // A start tile, offered in a draft. TODO for you: choose the best start, not the first.
                ["start", number, ..] => place = place.or_else(|| Some(format!("Place {number}"))),
                ["go", turn, ..] => {
                    let mut lines =
                        if turn == "0" { Vec::from_iter(place.clone()) } else { self.act(&mut faction) };
                    lines.push(format!("Done {turn}"));
                    self.send(&lines)?;
                }
                ["dead" | "over", ..] => eprintln!("{}", words.join(" ")),
                _ => {
                    let _ = faction.read(&words); // A line that is cut off is left out.
                }
            }
        }
    }

    /// The orders of a turn, with notes on the gold, the units, and a new threat.
    fn act(&mut self, faction: &mut Faction) -> Vec<String> {
        let was_alarmed = faction.threat.is_some();
        let orders = faction.orders();
        self.note(&format!("gold {}, population {} of {}", faction.gold, faction.pop, faction.cap));
        if let Some((x, y)) = faction.threat.filter(|_| !was_alarmed) {
            self.note("marker alarm");
            self.note(&format!("tile {x} {y} enemy"));
        }
        orders
    }
}

struct Options {
    host: String,
    port: u16,
    team: String,
}

const USAGE: &str = "Usage: conquest -p PORT -n TEAM [-h HOST]

  -p PORT  the server's port
  -n TEAM  the faction's name (ZAPPY_TEAM)
  -h HOST  the server's host (localhost)
  --help   this";

/// Reads the arguments; None if one is wrong or missing.
fn options_of(args: &[String]) -> Option<Options> {
    // On a ladder the team is NAME:TOKEN, and the token doesn't show in the environment as it would on the command
    // line.
    let (mut host, mut port, mut team) = ("localhost".to_owned(), None, std::env::var("ZAPPY_TEAM").ok());
    for pair in args.chunks(2) {
        let [flag, value] = pair else { return None };
        match flag.as_str() {
            "-h" => host = value.clone(),
            "-p" => port = value.parse().ok(),
            "-n" => team = Some(value.clone()),
            _ => return None,
        }
    }
    Some(Options { host, port: port?, team: team? })
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // -h is the host here, so help is only --help.
    if args.iter().any(|arg| arg == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let Some(options) = options_of(&args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut server = match Server::connect(&options) {
        Ok(server) => server,
        Err(error) => {
            eprintln!("conquest: no server on {}:{}: {error}", options.host, options.port);
            return ExitCode::FAILURE;
        }
    };
    if let Ok(false) = server.play(&options.team) {
        // What stands behind a colon is a ladder's token.
        let name = options.team.split(':').next().unwrap_or_default();
        let hint = "on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent";
        eprintln!("conquest: no place for {name}: no such faction, or its seat is taken ({hint})");
        return ExitCode::FAILURE;
    }
    eprintln!("the match is over");
    ExitCode::SUCCESS
}
