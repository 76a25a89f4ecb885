//! A small Zappy player to build on: it eats, reaches level 2 alone, broadcasts, and lays one egg.
//!
//! Most plans end with a Look, whose answer makes the next plan. A few commands are sent ahead, so that
//! the server never waits for the network. What a player does depends on the lines it reads and on `ZAPPY_SEED` alone.
//! Each player is a thread.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};

/// How many commands may be sent and not answered; the server keeps ten, and drops further ones. With 1 the bot would
/// hang after an Incantation, which counts as answered only when a command sent after it is answered.
const AHEAD: usize = 3;
/// With fewer units of food the player only eats; a unit lasts 126 ticks.
const HUNGRY: u32 = 6;
/// With this many units of food it eats no more.
const ENOUGH: u32 = 30;
/// With this many units of food it lays an egg.
const RICH: u32 = 20;
/// One step ahead when facing up, right, down, left: x grows to the right, y downwards.
const STEPS: [(i32, i32); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

/// How many players this process has started.
static PLAYERS: AtomicU32 = AtomicU32::new(0);

/// The file of a player's notes: the one in `ZAPPY_NOTES`, with `.2` and so on for further players.
fn open_notes() -> Option<File> {
    let number = PLAYERS.fetch_add(1, Ordering::Relaxed) + 1;
    let path = std::env::var("ZAPPY_NOTES").ok()?;
    let path = if number == 1 { path } else { format!("{path}.{number}") };
    File::options().create(true).append(true).open(path).ok()
}

#[derive(Clone)]
struct Options {
    host: String,
    port: u16,
    team: String,
}

/// Random numbers that are the same each time: FNV-1a of a text, then a linear congruential generator.
struct Chance(u64);

impl Chance {
    fn new(text: &str) -> Chance {
        let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Chance(text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    /// A number from 0 to `limit - 1`.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// One player on one connection, from WELCOME to its end.
struct Player {
    options: Options,
    input: BufReader<TcpStream>,
    /// The commands to send, the next one first.
    plan: VecDeque<String>,
    /// The commands that were sent and not answered, the oldest first.
    pending: VecDeque<String>,
    chance: Chance,
    /// Whether it will lay an egg.
    lays: bool,
    /// The thread of the player that came out of its egg.
    child: Option<JoinHandle<io::Result<bool>>>,
    /// Whether it takes part in an incantation, during which nothing is answered.
    frozen: bool,
    level: u32,
    /// In units, even if `Inventory` shows ticks.
    food: u32,
    /// What `Inventory` shows for a unit of food: 1, or 126 ticks by the strict rules; 0 until it is known.
    unit: u32,
    /// How many views it has made plans from.
    looks: u32,
    /// Its place, counted from its birthplace: the server doesn't tell a player where it stands, nor where north is.
    at: (i32, i32),
    /// Where it faces, as an index of `STEPS`; 0 is where it faced at birth.
    facing: usize,
    notes: Option<File>,
    /// Commands sent since the team's name; each note says after how many it was written.
    commands_sent: u32,
    /// Lines read since the team's name; begins at -1, since `WELCOME` isn't counted. Each note says this, too.
    lines_read: i32,
}

/// How many of a thing are in a tile of a view, which has one word for each.
fn count(tile: &str, thing: &str) -> usize {
    tile.split_whitespace().filter(|word| *word == thing).count()
}

impl Player {
    /// Opens a connection, reads WELCOME and names the team.
    fn connect(options: &Options, lays: bool) -> io::Result<Player> {
        let stream = TcpStream::connect((options.host.as_str(), options.port))?;
        stream.set_nodelay(true)?;
        let mut player = Player {
            options: options.clone(),
            input: BufReader::new(stream),
            plan: VecDeque::new(),
            pending: VecDeque::new(),
            chance: Chance(0),
            lays,
            child: None,
            frozen: false,
            level: 1,
            food: 9,
            unit: 0,
            looks: 0,
            at: (0, 0),
            facing: 0,
            notes: open_notes(),
            commands_sent: 0,
            lines_read: -1,
        };
        player.read()?; // WELCOME
        player.send(&options.team)?;
        Ok(player)
    }

    /// The next line, in however many packets it comes. Other players may broadcast bytes that are no UTF-8.
    fn read(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.input.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.lines_read += 1;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    /// Writes a note for `zappy_arena show` and the observer: words, `tile X Y word` (X, Y as in `at`), or `marker
    /// word` for the timeline. Opponents don't see it.
    fn note(&mut self, words: &str) {
        let Some(notes) = &mut self.notes else { return };
        if notes.write_all(format!("{}/{} {words}\n", self.commands_sent, self.lines_read).as_bytes()).is_err() {
            self.notes = None;
        }
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        self.input.get_mut().write_all(format!("{line}\n").as_bytes())
    }

    /// Plays until it dies, or until the connection ends, which is an error. False if the team has no free slot.
    fn play(mut self) -> io::Result<bool> {
        let slots = self.read()?;
        if slots == "ko" {
            return Ok(false);
        }
        let _map = self.read()?;
        // All processes of a team have the same seed; the number of slots left makes players differ.
        let seed = std::env::var("ZAPPY_SEED").unwrap_or_default();
        self.chance = Chance::new(&format!("{seed} {slots}"));
        let end = self.live();
        eprintln!("{}", if end.is_ok() { "starved" } else { "the connection ended" });
        let Player { input, child, .. } = self;
        drop(input);
        if let Some(child) = child {
            let _ = child.join(); // Let it finish.
        }
        end.map(|()| true)
    }

    fn live(&mut self) -> io::Result<()> {
        loop {
            self.go_on()?;
            let line = self.read()?;
            if line == "dead" {
                return Ok(());
            }
            self.handle(&line);
        }
    }

    /// Sends commands of the plan until enough wait for an answer; if none is planned and none waits, it plans to look
    /// around.
    fn go_on(&mut self) -> io::Result<()> {
        if self.plan.is_empty() && self.pending.is_empty() {
            self.add(["Inventory", "Look"]);
        }
        while self.pending.len() < AHEAD {
            let Some(command) = self.plan.pop_front() else { break };
            self.send(&command)?;
            self.commands_sent += 1;
            self.pending.push_back(command);
        }
        Ok(())
    }

    fn add<'a>(&mut self, commands: impl IntoIterator<Item = &'a str>) {
        self.plan.extend(commands.into_iter().map(str::to_owned));
    }

    /// Handles a line: a message that comes unasked, a number, which answers Connect_nbr, or the answer to the oldest
    /// command.
    fn handle(&mut self, line: &str) {
        let level = line.strip_prefix("Current level: ").and_then(|level| level.parse().ok());
        if let Some((direction, text)) = line.strip_prefix("message ").and_then(|rest| rest.split_once(','))
        {
            // Some servers send no blank behind the comma.
            self.hear(direction.parse().unwrap_or(0), text.strip_prefix(' ').unwrap_or(text));
        } else if let Some(side) = line.strip_prefix("eject: ") {
            // `side` is where the push came from: 5 is behind, which moved us ahead.
            self.step((5 - side.parse().unwrap_or(5)) / 2);
            self.plan.clear(); // The plan was made for another tile.
        } else if line == "Elevation underway" {
            // For 300 ticks there are no answers. Another player's incantation may have taken us along.
            self.frozen = true;
        } else if level.is_some() || self.frozen && line == "ko" {
            // Some servers send no `Elevation underway`.
            self.frozen = false;
            if let Some(level) = level {
                self.level = level;
                eprintln!("level {level}");
                self.note(&format!("marker level {level}"));
            }
        } else if let (Ok(_), Some(at)) =
            (line.parse::<u32>(), self.pending.iter().position(|command| command == "Connect_nbr"))
        {
            // The official server answers Connect_nbr at once, before commands that were sent earlier.
            self.pending.remove(at);
        } else {
            if line != "ko" && self.pending.front().is_some_and(|command| command == "Incantation") {
                // `Elevation underway` and the level answered it.
                self.pending.pop_front();
            }
            if let Some(command) = self.pending.pop_front() {
                self.answer(&command, line);
            }
        }
    }

    fn answer(&mut self, command: &str, line: &str) {
        match command {
            "Look" if self.pending.is_empty() => {
                let tiles: Vec<&str> = line.trim_matches(['[', ']']).split(',').collect();
                self.think(&tiles);
            }
            "Inventory" => {
                let items = line.trim_start_matches(['[', ' ']);
                let food = items.split([' ', ',']).nth(1).and_then(|food| food.parse::<u32>().ok());
                let Some(food) = food else { return };
                // At birth a player has 9 or 10 units. A server with --rules strict counts ticks: more than 1000.
                if self.unit == 0 {
                    self.unit = if food > 100 { 126 } else { 1 };
                }
                self.food = food / self.unit;
            }
            "Forward" => self.step(0),
            "Right" => self.facing = (self.facing + 1) % 4,
            "Left" => self.facing = (self.facing + 3) % 4,
            "Fork" if line == "ok" => self.hatch(),
            _ => {}
        }
    }

    /// Notes that the player moved one tile: ahead, or in the direction `turned` quarter turns to the right of that.
    fn step(&mut self, turned: i32) {
        let (dx, dy) = STEPS[(self.facing as i32 + turned).rem_euclid(4) as usize];
        self.at = (self.at.0 + dx, self.at.1 + dy);
    }

    /// TODO for you: direction is 0 on your own tile, 1 ahead, and so on counter-clockwise to 8. Go where it came from,
    /// or answer. Any player can shout anything: don't trust every text that begins with your team's name.
    fn hear(&mut self, _direction: u32, _text: &str) {}

    /// Makes a plan from a view. Its tiles, the player's own first, have one word for each thing.
    fn think(&mut self, tiles: &[&str]) {
        self.looks += 1;
        let here = tiles[0];
        if self.lays && self.food >= RICH {
            // We send nothing behind the Fork: in lockstep, time then stands still until the egg's connection is open.
            self.lays = false;
            self.note("marker lays an egg");
            self.add(["Fork"]);
            return;
        }
        if self.looks.is_multiple_of(10) {
            let ((x, y), team) = (self.at, &self.options.team);
            let text = format!("Broadcast {team}:level:{}:at:{x}:{y}", self.level);
            self.plan.push_back(text);
        }
        let mut wanted = Vec::new();
        if self.food < ENOUGH {
            wanted.push("food");
        }
        if self.level == 1 && self.food >= HUNGRY {
            wanted.push("linemate");
        }
        let wants = if wanted.is_empty() { "nothing".to_owned() } else { wanted.join(" and ") };
        self.note(&format!("level {}, food {}, here{here}, wants {wants}", self.level, self.food));
        // TODO for you: from level 2 on an incantation takes several players of one level on a tile, and more stones;
        // see the table in protocol.md, chapter 12. Take the stones you will need, meet, Set them down, and begin.
        let here_is = |thing| wanted.contains(&thing) && count(here, thing) > 0;
        if here_is("linemate") && count(here, "player") == 1 {
            self.add(["Incantation", "Connect_nbr"]);
        } else if here_is("food") {
            self.add(std::iter::repeat_n("Take food", count(here, "food").min(3)));
        } else {
            self.walk(tiles, &wanted);
        }
        self.add(["Inventory", "Look"]);
    }

    /// Plans the way to the nearest tile with something wanted, or a random walk if there is none. Tile d*d + i of a
    /// view lies d ahead and i - d to the right.
    fn walk(&mut self, tiles: &[&str], wanted: &[&str]) {
        let good = |&index: &usize| wanted.iter().any(|thing| count(tiles[index], thing) > 0);
        let ways = (1..tiles.len()).filter(good).map(|index| {
            let ahead = index.isqrt();
            let right = index as i32 - (ahead * ahead + ahead) as i32;
            (ahead + right.unsigned_abs() as usize + usize::from(right != 0), ahead, right)
        });
        if let Some((_, ahead, right)) = ways.min() {
            let (forward, side) = (STEPS[self.facing], STEPS[(self.facing + 1) % 4]);
            let along = |from: i32, forward: i32, side: i32| from + ahead as i32 * forward + right * side;
            let (x, y) = (along(self.at.0, forward.0, side.0), along(self.at.1, forward.1, side.1));
            self.note(&format!("tile {x} {y} goal"));
            self.add(std::iter::repeat_n("Forward", ahead));
            if right != 0 {
                self.add([if right > 0 { "Right" } else { "Left" }]);
                self.add(std::iter::repeat_n("Forward", right.unsigned_abs() as usize));
            }
        } else {
            if self.chance.below(4) == 0 {
                let turn = if self.chance.below(2) == 0 { "Left" } else { "Right" };
                self.add([turn]);
            }
            self.add(std::iter::repeat_n("Forward", self.level as usize));
        }
    }

    /// Opens the egg's connection. WELCOME is read and the team named before this player's next line, so that the child
    /// comes in at the same tick each time. TODO for you: how many eggs does your team need, and where?
    fn hatch(&mut self) {
        match Player::connect(&self.options, false) {
            Ok(child) => self.child = Some(thread::spawn(|| child.play())),
            Err(error) => eprintln!("no connection for the egg: {error}"),
        }
    }
}

const USAGE: &str = "Usage: bot -p PORT -n TEAM [-h HOST]

  -p PORT  the server's port
  -n TEAM  the team's name (ZAPPY_TEAM)
  -h HOST  the server's host (localhost)
  --help   this";

/// Reads the arguments; None if one is wrong or missing.
fn options_of(args: &[String]) -> Option<Options> {
    // On a ladder the team is NAME:TOKEN; it may come from ZAPPY_TEAM, since others can read a command line.
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
    let player = match Player::connect(&options, true) {
        Ok(player) => player,
        Err(error) => {
            eprintln!("bot: no server on {}:{}: {error}", options.host, options.port);
            return ExitCode::FAILURE;
        }
    };
    // Most matches end with the end of the connection, so that this error is no failure of the program.
    if let Ok(false) = player.play() {
        // What stands behind a colon is a ladder's token.
        let name = options.team.split(':').next().unwrap_or_default();
        let hint = "on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent";
        eprintln!("bot: no place in team {name}: no such team, or all its slots are taken ({hint})");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
