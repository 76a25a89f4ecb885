//! Strangers that disturb a team by repeating, forging, flooding and pushing. Each answers lines with lines.
//!
//! A forger knows this repository and the name of the team it disturbs, but no seed. `tests/wins.rs` tests that its
//! marks are those of a team without a seed.

use sha2::{Digest as _, Sha256};
use zappy_protocol::TeamName;
use zappy_protocol::zappy::player::Response;

/// A player of another team that doesn't play to win.
pub trait Stranger {
    /// What it sends when it reads this line.
    fn answer(&mut self, line: &[u8]) -> Vec<Vec<u8>>;
}

/// What a line means to a stranger, which only acts and listens.
enum Cue {
    /// The server asks for the team's name.
    Name,
    /// A player broadcast this text, heard from that direction.
    Voice(u8, Vec<u8>),
    /// The last command is done.
    Turn,
    /// The line asks for nothing.
    Wait,
}

impl Cue {
    fn read(line: &[u8]) -> Cue {
        match Response::parse(line) {
            Ok(Response::Welcome) => Cue::Name,
            Ok(Response::Message { direction, text }) => Cue::Voice(direction, text.as_bytes().to_vec()),
            Ok(
                Response::Slots(_)
                | Response::CurrentLevel(_)
                | Response::Eject(_)
                | Response::ElevationUnderway
                | Response::Dead,
            )
            | Err(_) => Cue::Wait,
            Ok(_) => Cue::Turn,
        }
    }
}

fn line(text: &str) -> Vec<Vec<u8>> {
    vec![text.as_bytes().to_vec()]
}

/// Follows every voice and pushes the players that it meets.
pub struct Bully {
    team: TeamName,
    heard: u8,
    steps: usize,
    turn: usize,
}

/// A bully that heard nothing new for a while waits.
const WAIT: u8 = 9;

impl Bully {
    pub fn new(team: TeamName) -> Bully {
        Bully { team, heard: 1, steps: 4, turn: 0 }
    }

    fn act(&mut self) -> &'static str {
        self.turn += 1;
        let (say, heard) = match (self.turn % 4, self.heard) {
            (0, heard) => ("Take food", heard),
            (_, 0) => ("Eject", 0),
            (_, WAIT) => ("Look", WAIT),
            (_, 1) if self.steps == 0 => ("Look", WAIT),
            // A step ahead, then one to the side.
            (_, 1) => ("Forward", 1),
            (_, 2) => ("Forward", 3),
            (_, 8) => ("Forward", 7),
            (_, 3) => ("Left", 1),
            (_, 4) => ("Left", 2),
            (_, 7) => ("Right", 1),
            (_, 6) => ("Right", 8),
            (_, _) => ("Right", 7),
        };
        self.heard = heard;
        self.steps = self.steps.saturating_sub(usize::from(say == "Forward"));
        say
    }
}

impl Stranger for Bully {
    fn answer(&mut self, read: &[u8]) -> Vec<Vec<u8>> {
        match Cue::read(read) {
            Cue::Name => line(self.team.as_str()),
            Cue::Voice(direction, _) => {
                (self.heard, self.steps) = (direction, 4);
                Vec::new()
            }
            Cue::Turn => line(self.act()),
            Cue::Wait => Vec::new(),
        }
    }
}

/// Says again whatever it heard, over and over, until it starves.
pub struct Parrot {
    team: TeamName,
    heard: Vec<Vec<u8>>,
    said: usize,
}

impl Parrot {
    pub fn new(team: TeamName) -> Parrot {
        Parrot { team, heard: Vec::new(), said: 0 }
    }
}

impl Stranger for Parrot {
    fn answer(&mut self, read: &[u8]) -> Vec<Vec<u8>> {
        match Cue::read(read) {
            Cue::Name => line(self.team.as_str()),
            Cue::Voice(_, text) => {
                self.heard.push(broadcast(&text));
                Vec::new()
            }
            _ if self.heard.is_empty() => line("Look"),
            _ => {
                // The newest word and the old ones take turns.
                self.said += 1;
                let old = self.said * 7 % self.heard.len();
                let at = if self.said.is_multiple_of(2) { self.heard.len() - 1 } else { old };
                vec![self.heard[at].clone()]
            }
        }
    }
}

fn broadcast(text: &[u8]) -> Vec<u8> {
    [b"Broadcast ", text].concat()
}

/// Makes up words of another team.
struct Pen {
    victim: TeamName,
    /// The last word of that team, as it was heard.
    heard: Option<String>,
    counter: u64,
    dice: u64,
}

impl Pen {
    fn new(victim: TeamName, seat: u32) -> Pen {
        Pen { victim, heard: None, counter: 0, dice: u64::from(seat) + 1 }
    }

    fn listen(&mut self, text: Vec<u8>) {
        let word = String::from_utf8(text).ok().filter(|text| text.starts_with(VERSION));
        self.heard = word.or(self.heard.take());
    }

    fn draw(&mut self, limit: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % limit
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.draw(choices.len() as u64)).unwrap()]
    }

    /// A word with forged marks: in the name of a speaker that was heard, of no player at all, or of one that would
    /// lead before all others.
    fn forged(&mut self) -> String {
        let heard = self.heard.clone().unwrap_or_default();
        let parts: Vec<&str> = heard.split(':').collect();
        let new = format!("{:x}", self.draw(1 << 31));
        let token = self.pick(&["0", "1", &new, parts.get(1).copied().unwrap_or("2")]);
        let last = parts.get(2).and_then(|counter| counter.parse().ok()).unwrap_or(0);
        self.counter += 1;
        let counter = self.pick(&[self.counter, u64::wrapping_add(last, 1), u64::MAX]);
        let kind = self.pick(&["lead0", "lead0", "lead1", "here", "away", "home", "move"]);
        let level = self.draw(8) + 1;
        let said = format!("{VERSION}:{token}:{counter}:{kind}:{level}");
        format!("{said}:{}", marks(&self.victim, &said))
    }

    /// A word that was heard, with a part of it changed.
    fn changed(&mut self) -> String {
        let Some(heard) = self.heard.clone() else { return self.forged() };
        let mut parts: Vec<String> = heard.split(':').map(String::from).collect();
        let at = usize::try_from(self.draw(4)).unwrap() + 1;
        let other = self.pick(&["0", "18446744073709551615", "lead0", "away", "8"]);
        if let Some(part) = parts.get_mut(at) {
            other.clone_into(part);
        }
        parts.join(":")
    }
}

/// What the words of a team begin with.
const VERSION: &str = "zappy2";

/// The marks of a word, as well as a program can make them that knows only the team's name.
pub fn marks(team: &TeamName, said: &str) -> String {
    let key = Sha256::new().chain_update(b"zappy2 team ").chain_update(team.as_str()).finalize();
    let mark = Sha256::new().chain_update(key).chain_update(said).finalize();
    let mark: String = mark.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{mark}:{mark}")
}

/// What keeps a talker alive: it walks and eats.
fn live(turn: u64) -> Vec<Vec<u8>> {
    line(if turn.is_multiple_of(2) { "Forward" } else { "Take food" })
}

/// Talks as long as it lives.
pub struct Talker {
    team: TeamName,
    pen: Pen,
    turn: u64,
    /// One of so many commands keeps it alive.
    rests: u64,
    text: fn(&mut Pen) -> Vec<u8>,
}

impl Talker {
    /// Forges the words of another team.
    pub fn forger(team: TeamName, victim: TeamName, seat: u32) -> Talker {
        Talker { team, pen: Pen::new(victim, seat), turn: 0, rests: 3, text: forgery }
    }

    /// Talks as much as it can: forged words, their beginnings, and bytes of all lengths.
    pub fn flooder(team: TeamName, victim: TeamName, seat: u32) -> Talker {
        Talker { team, pen: Pen::new(victim, seat), turn: 0, rests: 8, text: flood }
    }
}

impl Stranger for Talker {
    fn answer(&mut self, read: &[u8]) -> Vec<Vec<u8>> {
        match Cue::read(read) {
            Cue::Name => line(self.team.as_str()),
            Cue::Voice(_, text) => {
                self.pen.listen(text);
                Vec::new()
            }
            Cue::Turn => {
                self.turn += 1;
                if self.turn.is_multiple_of(self.rests) {
                    live(self.turn / self.rests)
                } else {
                    vec![broadcast(&(self.text)(&mut self.pen))]
                }
            }
            Cue::Wait => Vec::new(),
        }
    }
}

fn forgery(pen: &mut Pen) -> Vec<u8> {
    if pen.draw(4) == 0 { pen.changed() } else { pen.forged() }.into()
}

/// The longest text a server takes with its default limit of a line.
const LONGEST: usize = (4 << 10) - "Broadcast ".len() - 1;

fn flood(pen: &mut Pen) -> Vec<u8> {
    let forged = pen.forged().into_bytes();
    let length = usize::try_from(pen.draw(LONGEST as u64)).unwrap() + 1;
    match pen.draw(4) {
        0 => forged,
        1 => forged.into_iter().cycle().take(length).collect(),
        2 => vec![b' '; LONGEST],
        _ => (0..length).map(|_| pen.pick(b"zappy2:lead0: \x00\x7f\xff,")).collect(),
    }
}
