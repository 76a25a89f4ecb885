//! A whole match in one process: agents against any [`Game`], without sockets and clocks.
//!
//! What the game sends is read at once; what agents send arrives at the same tick, or up to `delay` ticks
//! later, drawn from the seed. Everything is a function of the configuration and the seeds.

pub mod strangers;

use std::collections::BTreeMap;

use zappy_ai::agent::{Action, Agent};
use zappy_ai::zappy::agent::{Player, Setup};
use zappy_ai::zappy::level::Style;
use zappy_game::config::MatchConfig;
use zappy_game::{Game, Input, Output, SeatId, Verdict};
use zappy_game_zappy::{RuleSet, Zappy, ZappyOptions};
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::{MapSize, TeamName, Tick};

use strangers::{Bully, Parrot, Stranger, Talker};

/// The longest line that a player reads, in bytes: a view of many tiles with a crowd on each.
const LINE_LIMIT: usize = 1 << 20;

/// What is played.
#[derive(Debug, Clone)]
pub struct Table {
    pub width: u16,
    pub height: u16,
    pub teams: u32,
    pub slots: u32,
    pub seed: u64,
    /// The latest an agent's line arrives, in ticks.
    pub delay: u64,
    /// So many of a hundred broadcasts don't reach a player.
    pub lost: u64,
    /// Each broadcast is answered `ko` instead of being heard.
    pub refuses_words: bool,
    pub max_ticks: Tick,
    /// The players of the last team are parrots.
    pub parrots: bool,
    /// So many players of the last team are bullies; the others of it stay away.
    pub bullies: u32,
    /// So many players of the last team forge the words of the first; the others of it stay away.
    pub forgers: u32,
    /// So many players of the last team talk as much as they can; the others of it stay away.
    pub flooders: u32,
    /// Each player that is there from the start has a seed of its own, as when the team isn't given one.
    pub unsealed: bool,
    /// So many players of each team never come.
    pub absent: u32,
    /// How the teams play, in their order; the other teams are experts.
    pub styles: Vec<Style>,
    /// Which rules are played.
    pub rules: RuleSet,
    /// How the server writes the lists of `Look` and `Inventory`, if not as ours: what stands inside of the brackets,
    /// and what between two parts.
    pub lists: Option<[&'static str; 2]>,
    /// Players read what the server sends in pieces of a few bytes, cut anywhere.
    pub pieces: bool,
    /// An observer watches, and what it reads is kept.
    pub watched: bool,
    /// The console kills so many of the first six players that reach that level together, so many ticks later at most.
    pub loss: Option<(u8, usize, Tick)>,
}

impl Default for Table {
    fn default() -> Table {
        Table {
            width: 20,
            height: 20,
            teams: 2,
            slots: 6,
            seed: 1,
            delay: 0,
            lost: 0,
            refuses_words: false,
            max_ticks: 30_000,
            parrots: false,
            bullies: 0,
            forgers: 0,
            flooders: 0,
            unsealed: false,
            absent: 0,
            styles: Vec::new(),
            rules: RuleSet::SUBJECT,
            lists: None,
            pieces: false,
            watched: false,
            loss: None,
        }
    }
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub ticks: Tick,
    pub verdict: Option<Verdict>,
    pub connections: usize,
    pub digest: u64,
    /// What the observer read, with its ticks.
    pub news: Vec<(Tick, String)>,
}

impl Table {
    fn team(i: u32) -> TeamName {
        TeamName::parse(format!("team{i}").as_bytes()).unwrap()
    }

    fn game(&self) -> Zappy {
        let map = MapSize::new(self.width, self.height).unwrap();
        let teams = (0..self.teams).map(Table::team).collect();
        let (seed, max_ticks) = (self.seed, Some(self.max_ticks));
        let options = ZappyOptions { slots: self.slots, rules: self.rules, ..ZappyOptions::default() };
        Zappy::new(&MatchConfig { seed, max_ticks, ..MatchConfig::new(map, teams) }, options)
    }

    fn setup(&self, team: u32, seat: u32) -> Setup {
        let style = self.styles.get(team as usize).copied().unwrap_or_default();
        let own = if self.unsealed { u64::from(seat + 1) << 32 } else { 0 };
        Setup { team: Table::team(team), seed: self.seed ^ own, sealed: !self.unsealed, style, birth: None }
    }

    fn has_strangers(&self) -> bool {
        self.parrots || self.bullies + self.forgers + self.flooders > 0
    }

    /// The stranger of the last team that takes that seat.
    fn stranger(&self, seat: u32) -> Option<Box<dyn Stranger>> {
        let (own, victim) = (Table::team(self.teams - 1), Table::team(0));
        if self.parrots {
            return Some(Box::new(Parrot::new(own)));
        }
        let (forgers, flooders) = (self.bullies + self.forgers, self.bullies + self.forgers + self.flooders);
        match seat {
            _ if seat < self.bullies => Some(Box::new(Bully::new(own))),
            _ if seat < forgers => Some(Box::new(Talker::forger(own, victim, seat))),
            _ if seat < flooders => Some(Box::new(Talker::flooder(own, victim, seat))),
            _ => None,
        }
    }

    /// Plays the match to its end.
    pub fn play(&self) -> Outcome {
        let mut hall = Hall::new(self.game(), self.seed, self.delay);
        hall.lost = self.lost;
        hall.refuses_words = self.refuses_words;
        hall.lists = self.lists;
        hall.pieces = self.pieces;
        hall.loss = self.loss;
        for seat in 0..self.slots.saturating_sub(self.absent) {
            for team in 0..self.teams {
                let strange = team + 1 == self.teams && self.has_strangers();
                if !strange {
                    hall.seat(Guest::Player(Box::new(Player::new(self.setup(team, seat)))));
                } else if let Some(stranger) = self.stranger(seat) {
                    hall.seat(Guest::Stranger(stranger));
                }
            }
        }
        if self.watched || self.loss.is_some() {
            hall.seat(Guest::Watcher);
        }
        hall.play()
    }
}

/// What sits on a seat.
pub enum Guest {
    Player(Box<dyn Agent>),
    Stranger(Box<dyn Stranger>),
    Watcher,
}

impl Guest {
    fn hear(&mut self, line: &[u8]) -> Vec<Action> {
        match self {
            Guest::Player(agent) => {
                agent.handle_line(Decoded::Line(line));
                std::iter::from_fn(|| agent.poll_action()).collect()
            }
            Guest::Stranger(stranger) => stranger.answer(line).into_iter().map(Action::Send).collect(),
            Guest::Watcher => {
                (line == b"WELCOME").then(|| Action::Send(b"GRAPHIC".to_vec())).into_iter().collect()
            }
        }
    }
}

struct Seat {
    guest: Guest,
    decoder: LineDecoder,
    last_arrival: Tick,
    open: bool,
}

/// Where agents and a game meet.
pub struct Hall<G> {
    game: G,
    now: Tick,
    seats: Vec<Seat>,
    lines: BTreeMap<(Tick, u64), (SeatId, Vec<u8>)>,
    count: u64,
    dice: u64,
    delay: u64,
    lost: u64,
    refuses_words: bool,
    lists: Option<[&'static str; 2]>,
    pieces: bool,
    verdict: Option<Verdict>,
    news: Vec<(Tick, String)>,
    loss: Option<(u8, usize, Tick)>,
    /// The players that reached the level of the loss at the same tick.
    risen: Vec<(Tick, String)>,
}

impl<G: Game> Hall<G> {
    pub fn new(game: G, seed: u64, delay: u64) -> Hall<G> {
        Hall {
            game,
            now: 0,
            seats: Vec::new(),
            lines: BTreeMap::new(),
            count: 0,
            dice: seed | 1,
            delay,
            lost: 0,
            refuses_words: false,
            lists: None,
            pieces: false,
            verdict: None,
            news: Vec::new(),
            loss: None,
            risen: Vec::new(),
        }
    }

    /// Lets a guest in.
    pub fn seat(&mut self, guest: Guest) {
        let seat = SeatId(self.seats.len() as u32);
        self.seats.push(Seat { guest, decoder: LineDecoder::new(LINE_LIMIT), last_arrival: 0, open: true });
        self.game.handle_input(self.now, seat, Input::Open);
        self.drain();
    }

    /// Plays until a team has won or nothing is due any more.
    pub fn play(mut self) -> Outcome {
        while self.verdict.is_none() && self.advance() {}
        let digest = self.game.digest();
        Outcome {
            ticks: self.now,
            verdict: self.verdict,
            connections: self.seats.len(),
            digest,
            news: self.news,
        }
    }

    fn advance(&mut self) -> bool {
        if let Some((&(at, _), _)) = self.lines.first_key_value()
            && at <= self.now
            && let Some((_, (seat, line))) = self.lines.pop_first()
        {
            // A `Broadcast` without a text is refused, after the same ticks.
            let refused = self.refuses_words && line.starts_with(b"Broadcast ");
            let line = if refused { b"Broadcast".to_vec() } else { line };
            if seat == SeatId::CONSOLE || self.seats[seat.0 as usize].open {
                self.game.handle_input(self.now, seat, Input::Line(&line));
                self.drain();
            }
            return true;
        }
        let arrival = self.lines.first_key_value().map(|(&(at, _), _)| at);
        let due = self.game.poll_timeout();
        let Some(next) = arrival.into_iter().chain(due).min() else { return false };
        self.now = next;
        if due == Some(next) {
            self.game.handle_timeout(next);
            self.drain();
        }
        true
    }

    fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Send(SeatId::CONSOLE, _) => {}
                Output::Send(_, line) if line.text().starts_with(b"message ") && self.is_lost() => {}
                Output::Send(seat, line) => {
                    self.hear(seat, line.text());
                }
                Output::Close(seat, _) => self.seats[seat.0 as usize].open = false,
                Output::Publish(line) if self.watched() => {
                    let text = String::from_utf8_lossy(line.text()).into_owned();
                    if let ["plv", id, level] = text.split(' ').collect::<Vec<_>>()[..] {
                        self.note_rise(id, level);
                    }
                    self.news.push((self.now, text));
                }
                Output::Finished(verdict) => self.verdict = Some(verdict),
                _ => {}
            }
        }
    }

    /// A player rose: when six together have reached the level of the loss, draws which of them die, and when.
    fn note_rise(&mut self, id: &str, level: &str) {
        let Some((_, count, late)) = self.loss.filter(|(at, ..)| at.to_string() == level) else { return };
        if self.risen.first().is_some_and(|(at, _)| *at != self.now) {
            self.risen.clear();
        }
        self.risen.push((self.now, id.trim_start_matches('#').to_owned()));
        if self.risen.len() < WINNING_PLAYERS {
            return;
        }
        self.loss = None;
        for _ in 0..count {
            let victim = self.draw(self.risen.len() as u64) as usize;
            let line = format!("/kill {}", self.risen.swap_remove(victim).1).into_bytes();
            let at = self.now + self.draw(late + 1);
            self.lines.insert((at, self.count), (SeatId::CONSOLE, line));
            self.count += 1;
        }
    }

    /// Lets the guest read a line as this server sends it, and carries out what it does at it.
    fn hear(&mut self, seat: SeatId, line: &[u8]) {
        let text = self.lists.and_then(|blanks| rewritten(line, blanks));
        let text = [text.as_deref().unwrap_or(line), b"\n"].concat();
        let (mut rest, whole) = (&text[..], !self.pieces);
        while !rest.is_empty() {
            let count = if whole { rest.len() } else { rest.len().min(1 + self.draw(7) as usize) };
            let (piece, later) = rest.split_at(count);
            rest = later;
            let Seat { guest, decoder, .. } = &mut self.seats[seat.0 as usize];
            decoder.push(piece);
            let mut actions = Vec::new();
            while let Some(Decoded::Line(line)) = decoder.next_line() {
                actions.extend(guest.hear(line));
            }
            self.act(seat, actions);
        }
    }

    fn is_lost(&mut self) -> bool {
        self.lost > 0 && self.draw(100) < self.lost
    }

    fn draw(&mut self, range: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % range
    }

    fn watched(&self) -> bool {
        self.seats.iter().any(|seat| matches!(seat.guest, Guest::Watcher))
    }

    fn act(&mut self, seat: SeatId, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send(line) => self.post(seat, line),
                Action::Connect(child) => self.seat(Guest::Player(child)),
            }
        }
    }

    /// A line is on its way; lines of one seat stay in order.
    fn post(&mut self, seat: SeatId, line: Vec<u8>) {
        if matches!(self.seats[seat.0 as usize].guest, Guest::Watcher) {
            // Watching draws nothing, so it changes nothing.
            self.lines.insert((self.now, self.count), (seat, line));
            self.count += 1;
            return;
        }
        let late = self.draw(self.delay + 1);
        let state = &mut self.seats[seat.0 as usize];
        state.last_arrival = state.last_arrival.max(self.now + late);
        self.lines.insert((state.last_arrival, self.count), (seat, line));
        self.count += 1;
    }
}

/// A list with other blanks.
fn rewritten(line: &[u8], [inside, between]: [&str; 2]) -> Option<Vec<u8>> {
    let list = std::str::from_utf8(line).ok()?.strip_prefix('[')?.strip_suffix(']')?;
    let parts: Vec<&str> = list.split(',').map(str::trim).collect();
    Some(format!("[{inside}{}{inside}]", parts.join(between)).into_bytes())
}
