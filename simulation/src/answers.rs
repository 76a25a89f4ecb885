//! What Zappy's players are answered, and when: worked out a second time from the text of the rules.
//!
//! This module knows of a player what its client knows: the lines that it has sent and was sent, with their ticks. What
//! a player is shown is compared with the observers' mirror. Panics at the first answer that comes too early, too late,
//! to another command or with other contents. Under the rule set `official` only contents are compared. Never asks the
//! game.
//! The planted mistakes in `server/tests/mutants` show what it finds.

use std::collections::{BTreeMap, VecDeque};

use zappy_protocol::Tick;
use zappy_protocol::zappy::mirror::{Mirror, MirrorPlayer};
use zappy_protocol::zappy::player::{BadCommand, Command, CommandKind};
use zappy_protocol::zappy::{Orientation, PlayerId, Resource};

use zappy_game::{Input, Line, Options, Output, SeatId};

/// Commands that may wait behind the running one.
const MAX_WAITING: usize = 10;
/// How long an incantation lasts, in ticks.
const INCANTATION_TICKS: Tick = 300;
/// How long a player lives on a unit of food, in ticks.
const FOOD_TICKS: u32 = 126;
/// Lines of a greeting after the name: the slots that are left, and the map's size.
const GREETING_LINES: u8 = 2;

/// A command, or what is wrong with the line.
type Asked = Result<Command, BadCommand>;

/// A command that is executed.
#[derive(Debug)]
struct Running {
    command: Asked,
    began: Tick,
    due: Tick,
}

/// The incantation that holds a player.
#[derive(Debug)]
struct Held {
    /// The tick at which it ends.
    until: Tick,
    initiates: bool,
    /// What the player's running command needs after that, in ticks.
    left: Tick,
}

/// What a client knows of its player.
#[derive(Debug)]
struct Player {
    id: PlayerId,
    /// Lines of the greeting that are still to come.
    greeting: u8,
    waiting: VecDeque<Asked>,
    running: Option<Running>,
    held: Option<Held>,
    /// The tick at which an incantation ends in which it takes part without being held.
    joined: Option<Tick>,
    /// The tick at which an incantation last released it.
    released: Option<Tick>,
    /// Whether its client sends nothing more.
    ended: bool,
    /// Whether what it was sent can mean two things: from then on nothing is expected of when it is answered.
    unsure: bool,
}

/// The players by their seats.
#[derive(Debug, Default)]
pub(super) struct Answers {
    players: BTreeMap<SeatId, Player>,
    admitted: u32,
    now: Tick,
    /// Whether an inventory that is published next belongs to the message before it; another one tells of hunger.
    inventory_follows: bool,
    /// Whether the times of answers are compared: not under `official`.
    pub(super) timed: bool,
    strict: bool,
    shows_eggs: bool,
}

impl Answers {
    /// Of a match of Zappy with these options.
    pub(super) fn new(options: &Options) -> Answers {
        Answers {
            timed: options.get("rules") != "official",
            strict: options.get("rules") == "strict",
            shows_eggs: options.get("display-eggs") == "on",
            ..Answers::default()
        }
    }

    /// A step begins at that tick. Panics if an answer was due before it.
    pub(super) fn begin_step(&mut self, now: Tick) {
        for player in self.players.values().filter(|player| now > self.now && !player.unsure) {
            let id = player.id;
            assert!(player.joined.is_none_or(|end| end >= now), "{id} isn't told of an incantation's end");
            match (&player.held, &player.running) {
                (Some(held), _) => assert!(held.until >= now, "{id} is held for longer than {}", held.until),
                (None, Some(running)) => assert!(running.due >= now, "{id} isn't answered: {running:?}"),
                (None, None) => assert!(!player.ended, "{id} has ended and stays"),
            }
        }
        self.now = now;
    }

    /// Notes an input from a seat.
    pub(super) fn note_input(&mut self, seat: SeatId, input: Input<'_>) {
        let Some(player) = self.players.get_mut(&seat).filter(|_| self.timed) else { return };
        let leaves_at_once = player.held.as_ref().is_some_and(|held| !held.initiates);
        match input {
            Input::Line(line) => player.ask(Command::parse(line), self.now),
            Input::Overflow => player.ask(Err(BadCommand::TooLong), self.now),
            Input::End if !leaves_at_once => player.end(),
            Input::End | Input::Closed | Input::Expelled(_) => _ = self.players.remove(&seat),
            Input::Open => {}
        }
    }

    /// Notes an output of the game. `mirror` knows the messages before it. `due`: the game runs what is due.
    pub(super) fn note_output(&mut self, output: &Output, due: bool, mirror: Option<&Mirror>) {
        match output {
            Output::Admit(seat) => {
                self.players.insert(*seat, Player::new(PlayerId(self.admitted)));
                self.admitted += 1;
            }
            Output::Publish(line) => {
                let hungry = line.text().starts_with(b"pin ") && !self.inventory_follows;
                if due && hungry {
                    self.assert_commands_ended("a player is hungry");
                }
                self.inventory_follows =
                    [b"pgt", b"pdr", b"pnw"].iter().any(|word| line.text().starts_with(*word));
            }
            Output::Send(seat, line) => {
                if due && line.text() == b"dead" {
                    self.assert_commands_ended("a player dies");
                }
                let Some(player) = self.players.get_mut(seat) else { return };
                if player.greeting > 0 {
                    player.greeting -= 1;
                    return;
                }
                if let Some((mirror, there)) = mirror.and_then(|m| Some((m, m.players.get(&player.id)?))) {
                    let shown = match line.text() {
                        text if is_view(text) => Some(view_text(mirror, there, self.shows_eggs, self.strict)),
                        text if text.starts_with(b"[") => Some(inventory_text(there, self.strict)),
                        _ => None,
                    };
                    let shown = shown.map_or_else(|| line.clone(), |shown| Line::new(shown.into_bytes()));
                    assert_eq!(line, &shown, "{} is shown something else than there is", player.id);
                }
                if self.timed && !player.unsure {
                    player.read(line.text(), self.now, self.strict);
                }
                if line.text() == b"dead" {
                    self.players.remove(seat);
                }
            }
            Output::Close(seat, why) => {
                let gone = self.players.remove(seat);
                let gone = gone.filter(|player| self.timed && !player.unsure && why != "the match is over");
                let asked = gone.and_then(|player| player.running.map(|running| (player.id, running)));
                assert!(asked.is_none(), "a player leaves without an answer: {asked:?}");
            }
            Output::Finished(_) => self.players.clear(),
            _ => {}
        }
    }

    /// Panics if a command of this tick hasn't ended.
    fn assert_commands_ended(&self, before: &str) {
        let unanswered = |player: &&Player| {
            let runs = player.running.as_ref().filter(|_| player.held.is_none() && !player.unsure);
            runs.is_some_and(|running| running.due <= self.now)
        };
        let player = self.players.values().filter(|_| self.timed).find(unanswered);
        assert!(player.is_none(), "{before} before the commands of that tick have ended: {player:?}");
    }
}

impl Player {
    fn new(id: PlayerId) -> Player {
        Player {
            id,
            greeting: GREETING_LINES,
            waiting: VecDeque::new(),
            running: None,
            held: None,
            joined: None,
            released: None,
            ended: false,
            unsure: false,
        }
    }

    /// Its client has sent a line.
    fn ask(&mut self, command: Asked, now: Tick) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(command);
            self.begin_next(now);
        }
    }

    /// Its client sends nothing more: commands that would change the world are dropped.
    fn end(&mut self) {
        self.ended = true;
        self.waiting.retain(|asked| {
            matches!(asked, Ok(Command::Look | Command::Inventory | Command::ConnectNbr) | Err(_))
        });
    }

    fn begin_next(&mut self, now: Tick) {
        if self.running.is_none() && self.held.is_none() {
            self.running = self.waiting.pop_front().map(|command| {
                let due = now + duration(&command);
                Running { command, began: now, due }
            });
        }
    }

    fn read(&mut self, text: &[u8], now: Tick, strict: bool) {
        let (id, words) = (self.id, text.escape_ascii());
        match text {
            b"dead" => {}
            b"Elevation underway" => self.hold(now, strict),
            _ if text.starts_with(b"message ") || text.starts_with(b"eject: ") => {}
            _ if text.starts_with(b"Current level: ") && self.joined.is_some()
                || text == b"ko" && self.joined == Some(now) =>
            {
                assert_eq!(self.joined.take(), Some(now), "the end of {id}'s incantation");
            }
            _ if self.held.is_some() => {
                let held = self.held.take().unwrap_or_else(|| unreachable!("it is held"));
                assert!(
                    text == b"ko" || text.starts_with(b"Current level: "),
                    "{id} is held and reads {words}"
                );
                assert_eq!(held.until, now, "the end of {id}'s incantation");
                self.released = Some(now);
                if let Some(running) = &mut self.running {
                    running.due = now + held.left;
                }
                self.begin_next(now);
            }
            _ => {
                let running = self.running.take();
                let running = running.unwrap_or_else(|| panic!("{id} has asked nothing and reads {words}"));
                let is_answer = match &running.command {
                    Ok(Command::Look) => is_view(text),
                    Ok(Command::Inventory) => text.starts_with(b"[") && !is_view(text),
                    Ok(Command::ConnectNbr) => !text.is_empty() && text.iter().all(u8::is_ascii_digit),
                    Ok(Command::Eject | Command::Take(_) | Command::Set(_)) => text == b"ok" || text == b"ko",
                    Ok(Command::Incantation) | Err(_) => text == b"ko",
                    Ok(_) => text == b"ok",
                };
                assert!(is_answer, "{id} reads {words}: {running:?}");
                assert_eq!(running.due, now, "{id} reads {words}: {running:?}");
                self.begin_next(now);
            }
        }
    }

    /// An incantation begins in which the player takes part; under `strict` only the initiator is held.
    fn hold(&mut self, now: Tick, strict: bool) {
        assert!(self.held.is_none() && self.joined.is_none(), "{} takes part in two incantations", self.id);
        let initiates =
            self.running.as_ref().is_some_and(|running| running.command == Ok(Command::Incantation));
        if strict && !initiates {
            self.joined = Some(now + INCANTATION_TICKS);
            return;
        }
        // Its client can't tell whether its next command had begun already.
        self.unsure |=
            self.released == Some(now) && self.running.as_ref().is_some_and(|running| running.began == now);
        if initiates {
            self.running = None;
        }
        let left = self.running.as_ref().map_or(0, |running| running.due - now);
        self.held = Some(Held { until: now + INCANTATION_TICKS, initiates, left });
    }
}

/// How long a command takes, in ticks. An incantation is refused or begins at once.
fn duration(asked: &Asked) -> Tick {
    let kind = match asked {
        Ok(Command::Incantation) => return 0,
        Ok(command) => Some(command.kind()),
        Err(bad) => bad.kind(),
    };
    match kind {
        None | Some(CommandKind::ConnectNbr) => 0,
        Some(CommandKind::Inventory) => 1,
        Some(CommandKind::Fork) => 42,
        Some(CommandKind::Incantation) => INCANTATION_TICKS,
        Some(_) => 7,
    }
}

/// Whether a line answers a `Look`.
fn is_view(text: &[u8]) -> bool {
    text.starts_with(b"[ player") || text.starts_with(b"[player")
}

/// The answer to a `Look`: the tiles row by row, each from left to right.
fn view_text(mirror: &Mirror, of: &MirrorPlayer, shows_eggs: bool, strict: bool) -> String {
    let size = mirror.size.unwrap_or_else(|| panic!("the map's size wasn't told"));
    let (x, y) = match of.orientation {
        Orientation::North => (0, -1),
        Orientation::East => (1, 0),
        Orientation::South => (0, 1),
        Orientation::West => (-1, 0),
    };
    let mut tiles = Vec::new();
    for row in 0..=i32::from(of.level.get()) {
        for side in -row..=row {
            let (east, south) = (x * row - y * side, y * row + x * side);
            let at = (
                (i32::from(of.at.x) + east).rem_euclid(size.width().into()),
                (i32::from(of.at.y) + south).rem_euclid(size.height().into()),
            );
            tiles.push(contents(mirror, at, shows_eggs));
        }
    }
    if strict {
        return format!("[{}]", tiles.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join(", "));
    }
    let tiles = tiles.iter().enumerate().map(|(place, words)| match words.join(" ") {
        words if place > 0 && !words.is_empty() => format!(" {words}"),
        words => words,
    });
    format!("[ {} ]", tiles.collect::<Vec<_>>().join(","))
}

/// The words for what is on the tile at these x and y.
fn contents(mirror: &Mirror, at: (i32, i32), shows_eggs: bool) -> Vec<&'static str> {
    let here = |x: u16, y: u16| (i32::from(x), i32::from(y)) == at;
    let players = mirror.players.values().filter(|player| here(player.at.x, player.at.y)).count();
    let eggs = mirror.eggs.values().filter(|egg| shows_eggs && here(egg.at.x, egg.at.y)).count();
    let width = mirror.size.map_or(0, |size| i32::from(size.width()));
    let ground = mirror.tiles[(at.1 * width + at.0) as usize];
    let mut words = vec!["player"; players];
    for resource in Resource::ALL {
        words.extend((0..ground.get(resource)).map(|_| resource.name()));
    }
    words.extend((0..eggs).map(|_| "egg"));
    words
}

/// The answer to an `Inventory`.
fn inventory_text(of: &MirrorPlayer, strict: bool) -> String {
    let units = Resource::ALL.map(|resource| {
        let units = of.inventory.get(resource);
        let amount = if strict && resource == Resource::Food { units * FOOD_TICKS } else { units };
        format!("{resource} {amount}")
    });
    if strict { format!("[{}]", units.join(", ")) } else { format!("[ {} ]", units.join(", ")) }
}
