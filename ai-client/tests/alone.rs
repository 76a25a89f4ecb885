//! Players of one process share nothing but what they were given at birth: each of them, played again alone with the
//! lines that it read in a match, does exactly what it did there.
//!
//! A small hall plays the matches and writes down every life. The last test searches the sources for what a match may
//! not show.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum as _;
use zappy_ai::agent::{self, Agent as _};
use zappy_ai::zappy::agent::{Player, Setup};
use zappy_ai::zappy::level::Style;
use zappy_game::config::MatchConfig;
use zappy_game::{Game as _, Input, Output, SeatId};
use zappy_game_zappy::{RuleSet, Zappy, ZappyOptions};
use zappy_protocol::line::Decoded;
use zappy_protocol::{MapSize, TeamName, Tick};

/// The longest match: a team that wins has won by then.
const MAX_TICKS: Tick = 5_000;
/// The environment variable of a process that plays one player for this test: the file with its lines.
const ALONE: &str = "ZAPPY_ALONE";

/// What a player does, with what a child is made from instead of the child.
type Action = agent::Action<Box<Setup>>;

/// Two teams and their rules.
#[derive(Debug, Clone, Copy)]
struct Table {
    styles: [Style; 2],
    /// Players of a team that are there from the start.
    slots: u32,
    rules: RuleSet,
    seed: u64,
}

/// A player from its birth on.
struct Life {
    /// What it was made from, as it was at that moment.
    setup: Setup,
    /// The player that laid it, and how many that player had laid before.
    parent: Option<(usize, usize)>,
    children: usize,
    /// Each line that it read, and what it did then.
    steps: Vec<(Vec<u8>, Vec<Action>)>,
}

/// Where players and the game meet. A seat has the number of its life.
struct Hall {
    game: Zappy,
    now: Tick,
    agents: Vec<Option<Player>>,
    lives: Vec<Life>,
    /// The lines on their way to the game.
    lines: BTreeMap<(Tick, usize), (usize, Vec<u8>)>,
    sent: usize,
    over: bool,
}

fn team(i: u32) -> TeamName {
    TeamName::parse(format!("team{i}").as_bytes()).unwrap()
}

fn founder(team: TeamName, seed: u64, style: Style) -> Setup {
    Setup { team, seed, sealed: true, style, birth: None }
}

impl Table {
    /// Plays the match to its end and gives all lives, the oldest first.
    fn play(&self) -> Vec<Life> {
        let spec = ZappyOptions { slots: self.slots, rules: self.rules, ..ZappyOptions::default() }
            .spec(MatchConfig {
                seed: self.seed,
                max_ticks: Some(MAX_TICKS),
                ..MatchConfig::new(MapSize::new(20, 20).unwrap(), vec![team(0), team(1)])
            })
            .unwrap();
        let game = Zappy::of(&spec);
        let (agents, lives) = (Vec::new(), Vec::new());
        let mut hall = Hall { game, now: 0, agents, lives, lines: BTreeMap::new(), sent: 0, over: false };
        for _ in 0..self.slots {
            for (i, style) in (0..).zip(self.styles) {
                hall.seat(founder(team(i), self.seed, style), None);
            }
        }
        while !hall.over && hall.advance() {}
        assert!(hall.over, "the match has no end: {self:?}");
        hall.lives
    }
}

impl Hall {
    fn seat(&mut self, setup: Setup, parent: Option<(usize, usize)>) {
        let seat = SeatId(u32::try_from(self.lives.len()).unwrap());
        self.lives.push(Life { setup: setup.clone(), parent, children: 0, steps: Vec::new() });
        self.agents.push(Some(Player::new(setup)));
        self.game.handle_input(self.now, seat, Input::Open);
        self.drain();
    }

    fn advance(&mut self) -> bool {
        let arrival = self.lines.first_key_value().map(|(&(at, _), _)| at);
        let due = self.game.poll_timeout();
        let Some(next) = arrival.into_iter().chain(due).min() else { return false };
        self.now = self.now.max(next);
        if arrival.is_some_and(|at| at <= self.now) {
            let Some((_, (who, line))) = self.lines.pop_first() else { return false };
            if self.agents[who].is_some() {
                self.game.handle_input(self.now, SeatId(u32::try_from(who).unwrap()), Input::Line(&line));
            }
        } else {
            self.game.handle_timeout(self.now);
        }
        self.drain();
        true
    }

    fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Send(seat, line) => self.hear(seat.0 as usize, line.text()),
                Output::Close(seat, _) => self.agents[seat.0 as usize] = None,
                Output::Finished(_) => self.over = true,
                _ => {}
            }
        }
    }

    fn hear(&mut self, who: usize, line: &[u8]) {
        let Some(agent) = &mut self.agents[who] else { return };
        let actions = hear(agent, line);
        self.lives[who].steps.push((line.to_vec(), actions.clone()));
        for action in actions {
            match action {
                Action::Send(line) => {
                    // Some players are further away than others, so that lines arrive together that were not sent
                    // together.
                    self.lines.insert((self.now + who as Tick % 4, self.sent), (who, line));
                    self.sent += 1;
                }
                Action::Connect(setup) => {
                    self.lives[who].children += 1;
                    self.seat(*setup, Some((who, self.lives[who].children - 1)));
                }
            }
        }
    }
}

fn hear(agent: &mut Player, line: &[u8]) -> Vec<Action> {
    agent.handle_line(Decoded::Line(line));
    std::iter::from_fn(|| agent.next_action()).collect()
}

/// What a player does, in words, with the whole set-up of each child.
fn told(actions: &[Action]) -> String {
    let words = actions.iter().map(|action| match action {
        Action::Send(line) => line.escape_ascii().to_string(),
        Action::Connect(setup) => format!("{setup:?}"),
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Plays a player of that set-up alone with those lines; tells the first line at which it does something else than in
/// the match.
fn departs(setup: &Setup, steps: &[(Vec<u8>, Vec<Action>)]) -> Option<String> {
    let mut agent = Player::new(setup.clone());
    steps.iter().enumerate().find_map(|(i, (line, then))| {
        let (now, then) = (told(&hear(&mut agent, line)), told(then));
        let line = String::from_utf8_lossy(line);
        (now != then).then(|| format!("line {i}, {line}: alone {now}, in the match {then}"))
    })
}

/// The levels that play against each other: each level against itself or another one.
const PAIRS: [[Style; 2]; 5] = [
    [Style::Easy, Style::Medium],
    [Style::Medium, Style::Aggressor],
    [Style::Hard, Style::Hard],
    [Style::Aggressor, Style::Expert],
    [Style::Expert, Style::Hard],
];

fn six(styles: [Style; 2], seed: u64) -> Table {
    Table { styles, slots: 6, rules: RuleSet::SUBJECT, seed }
}

fn tables() -> Vec<Table> {
    let mut tables: Vec<Table> =
        PAIRS.into_iter().flat_map(|styles| [1, 2, 3].map(|seed| six(styles, seed))).collect();
    tables.iter_mut().filter(|table| table.seed == 3).for_each(|table| table.rules = RuleSet::STRICT);
    // Six players of that level hardly ever lay; a single one lays all the others.
    tables.extend([1, 2].map(|seed| six([Style::Raider, Style::DeafRaider], seed)));
    tables.extend([1, 2, 3].map(|seed| Table { slots: 1, ..six([Style::Hard, Style::Hard], seed) }));
    tables
}

#[test]
fn each_plays_the_same_alone() {
    let (mut lived, mut born) = (BTreeMap::new(), BTreeMap::new());
    for table in tables() {
        let lives = table.play();
        for (i, life) in lives.iter().enumerate().rev() {
            assert!(life.steps.iter().any(|(_, actions)| !actions.is_empty()), "{table:?}: #{i} did nothing");
            let departs = departs(&life.setup, &life.steps);
            assert_eq!(departs, None, "{table:?}: #{i}, {:?}", life.setup);
        }
        for Setup { style, birth, .. } in lives.iter().map(|life| &life.setup) {
            *lived.entry(*style).or_insert(0) += 1;
            *born.entry(*style).or_insert(0) += i32::from(birth.is_some());
        }
    }
    eprintln!("lives {lived:?}, of them born in the match {born:?}");
    assert!(Style::value_variants().iter().all(|style| lived[style] > 0));
    assert!(born[&Style::Expert] > 50 && born[&Style::Hard] > 5, "too few children: {born:?}");
}

#[test]
fn a_player_made_from_something_else_plays_otherwise() {
    for styles in PAIRS {
        let lives = six(styles, 1).play();
        for life in &lives[..2] {
            let other = Setup { seed: life.setup.seed + 1, ..life.setup.clone() };
            assert!(departs(&other, &life.steps).is_some(), "{:?} doesn't depend on its seed", life.setup);
        }
    }
}

/// What a process needs to play a player: how its first ancestor was made, and for each ancestor and itself which
/// child it is and what it read.
fn file_of(lives: &[Life], who: usize) -> Vec<u8> {
    let mut line = vec![who];
    while let Some((parent, _)) = lives[line[0]].parent {
        line.insert(0, parent);
    }
    let Setup { team, seed, style, .. } = &lives[line[0]].setup;
    let mut file = format!("{team} {seed} {}\n", style.to_possible_value().unwrap().get_name()).into_bytes();
    for life in line.into_iter().map(|i| &lives[i]) {
        let nth = life.parent.map_or(0, |(_, nth)| nth);
        file.extend_from_slice(format!("{nth} {}\n", life.steps.len()).as_bytes());
        life.steps.iter().for_each(|(line, _)| file.extend([line, &b"\n"[..]].concat()));
    }
    file
}

/// Plays such a file in a process of its own: the ancestors and then the player, and writes down what the player did.
fn play_file(path: &Path) {
    let file = std::fs::read(path).unwrap();
    let mut lines = file.strip_suffix(b"\n").unwrap().split(|&byte| byte == b'\n');
    let mut words = || String::from_utf8(lines.next()?.to_vec()).ok();
    let first = words().unwrap();
    let [team, seed, style] = first.split(' ').collect::<Vec<_>>().try_into().unwrap();
    let mut next = vec![Box::new(founder(
        TeamName::parse(team.as_bytes()).unwrap(),
        seed.parse().unwrap(),
        Style::from_str(style, false).unwrap(),
    ))];
    let mut said = String::new();
    while let Some(line) = lines.next() {
        let line = String::from_utf8(line.to_vec()).unwrap();
        let (nth, count) = line.split_once(' ').unwrap();
        let mut agent = Player::new(*next.swap_remove(nth.parse().unwrap()));
        (next, said) = (Vec::new(), String::new());
        for line in lines.by_ref().take(count.parse().unwrap()) {
            let actions = hear(&mut agent, line);
            said += &(told(&actions) + "\n");
            next.extend(actions.into_iter().filter_map(|action| match action {
                Action::Connect(setup) => Some(setup),
                Action::Send(_) => None,
            }));
        }
    }
    std::fs::write(path.with_extension("said"), said).unwrap();
}

/// A child's set-up can't be sent to another process, but its parent can lay it again there.
#[test]
fn each_plays_the_same_in_a_process_of_its_own() {
    if let Some(path) = std::env::var_os(ALONE) {
        return play_file(Path::new(&path));
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("alone");
    std::fs::create_dir_all(&folder).unwrap();
    for (n, table) in tables().into_iter().filter(|table| table.seed == 1).enumerate() {
        let lives = table.play();
        for (i, life) in lives.iter().enumerate() {
            let path = folder.join(format!("{n}-{i}.lines"));
            std::fs::write(&path, file_of(&lives, i)).unwrap();
            let mut process = Command::new(std::env::current_exe().unwrap());
            process.args(["--exact", "each_plays_the_same_in_a_process_of_its_own"]).env(ALONE, &path);
            let output = process.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            let said = std::fs::read_to_string(path.with_extension("said")).unwrap();
            let then: String = life.steps.iter().map(|(_, actions)| told(actions) + "\n").collect();
            let differs = said.lines().zip(then.lines()).find(|(said, then)| said != then);
            assert!(said == then, "{table:?}: #{i}, alone and in the match: {differs:?}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Words for what two players could share without being given it, and for what differs between processes.
const FORBIDDEN: &str = "static thread_local unsafe leak Rc Arc Weak Mutex RwLock Condvar Cell RefCell UnsafeCell \
    OnceCell LazyCell Once OnceLock LazyLock mpsc channel Sender Receiver thread fs net env process Instant SystemTime \
    HashMap HashSet RandomState";

/// Modules of the shell: sockets, threads, the command line.
const SHELL: [&str; 2] = ["client.rs", "main.rs"];

/// The first forbidden word in a line of code. Lifetimes and comments don't count.
fn forbidden(line: &str) -> Option<String> {
    let code = line.split("//").next().unwrap_or_default().replace("'static", "");
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_forbidden =
        |word: &&str| word.starts_with("Atomic") || FORBIDDEN.split(' ').any(|other| other == *word);
    words.find(is_forbidden).map(str::to_owned)
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn nothing_in_the_sources_could_be_shared() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = sources(&folder);
    files.retain(|path| !SHELL.iter().any(|name| *path == folder.join(name)));
    assert!(files.len() > 20, "only {files:?}");
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            let word = forbidden(line);
            assert_eq!(word, None, "{}:{number}: {line}", path.display());
        }
    }
}

#[test]
fn what_could_be_shared_is_found() {
    for line in [
        "static mut COUNT: u64 = 0;",
        "    pub(crate) static NAMES: [&str; 2] = [\"a\", \"b\"];",
        "thread_local! {",
        "use std::sync::{Arc, mpsc};",
        "    seen: std::cell::RefCell<Vec<u8>>,",
        "use std::sync::atomic::AtomicU64;",
    ] {
        assert!(forbidden(line).is_some(), "{line}");
    }
    for line in ["fn name() -> &'static str {", "let arc = search; // static mut, Arc", "struct Cellar;"] {
        assert_eq!(forbidden(line), None);
    }
}
