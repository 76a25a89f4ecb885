//! The world with its seats: the answers to the turn engine, and the lines that the seats are sent.
//!
//! Changes nothing but through the world's own methods. Tested in `tests/conquest.rs`.

use zappy_protocol::Text;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::player::ServerLine;
use zappy_protocol::conquest::{FactionId, constants};

use super::super::ranking::Rank;
use super::super::world::World;
use zappy_game::config::MatchConfig;
use zappy_game::{Line, SeatId, Standing, Verdict};
use zappy_turns::engine::{Ending, Phase, Player, TurnRules};
use zappy_turns::led::SeatedRules;
use zappy_turns::order::OrderRules;
use zappy_turns::seats::PlayerSeats;

/// The word for the end of a match that is won by land.
const DOMINION: &str = "dominion";

/// The words for the end of a match, and what they mean to people.
pub(in super::super) const REASONS: &[(&str, &str)] = &[
    ("conquest", "one faction or alliance was left"),
    ("extinction", "no faction was left"),
    (DOMINION, "a faction or alliance held enough of the land for enough turns"),
    ("turns", "the last turn was over"),
    ("time", "time was over"),
    ("stopped", "the operator ended the match"),
];

/// About how many bytes of a dump are sent as one output.
const BLOCK_BYTES: usize = 16 * 1024;

/// The world, and the factions' seats.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) world: World,
    pub(super) seats: PlayerSeats,
    /// Whether messages to observers are held back, until the turn engine calls `release`.
    holding: bool,
}

/// A message as the line that is sent.
pub(super) fn message_line(message: &Message) -> Line {
    let mut line = Vec::new();
    message.write(&mut line);
    Line::new(line)
}

/// Messages that go out together, so that a dump isn't a quarter of a million outputs.
#[derive(Debug, Default)]
struct Block(Vec<u8>);

impl Block {
    fn add(&mut self, message: &Message, out: &mut Vec<Line>) {
        if self.0.len() >= BLOCK_BYTES {
            out.push(Line::new(std::mem::take(&mut self.0)));
        }
        if !self.0.is_empty() {
            self.0.push(b'\n');
        }
        message.write(&mut self.0);
    }

    fn end(self, out: &mut Vec<Line>) {
        if !self.0.is_empty() {
            out.push(Line::new(self.0));
        }
    }
}

impl Field {
    pub(super) fn new(config: &MatchConfig, world: World) -> Field {
        Field { seats: PlayerSeats::new(config, constants::line_budget(0)), holding: false, world }
    }

    /// The faction with that index among the match's teams.
    pub(super) fn id(&self, index: usize) -> Option<FactionId> {
        self.world.ids().nth(index)
    }

    /// The factions that act in a phase.
    fn ids(&self, phase: &Phase) -> Vec<FactionId> {
        phase.players.iter().filter_map(|&faction| self.id(faction)).collect()
    }

    /// Lets a seat play for a faction, and sends it the greeting.
    pub(super) fn admit(&mut self, seat: SeatId, faction: FactionId) {
        self.seats.admit(seat, faction.index(), self.greeting(faction));
    }

    /// The lines that a faction reads when it is let in: that no seat is left, the map's size, and the options.
    pub(super) fn greeting(&self, faction: FactionId) -> [Line; 3] {
        [Line::of(0), Line::of(self.world.size()), line_of(&self.world.game_line(faction))]
    }

    /// A line for a faction, if it is connected.
    pub(super) fn send(&mut self, faction: FactionId, line: &ServerLine) {
        self.seats.send(faction.index(), line_of(line));
    }

    /// A message for all observers.
    fn publish(&mut self, message: &Message) {
        self.seats.lobby.publish(|| message_line(message));
    }

    /// Publishes what has happened, unless messages are held back.
    pub(super) fn publish_changes(&mut self) {
        if self.holding {
            return;
        }
        if !self.seats.lobby.publishing() {
            return self.world.hush();
        }
        let Field { world, seats, .. } = self;
        world.burst(&mut |message| seats.lobby.publish(|| message_line(message)));
    }

    /// Publishes which phase is running.
    pub(super) fn publish_phase(&mut self, phase: &Phase) {
        let message = self.phase_message(phase);
        self.publish(&message);
    }

    /// Adds the lines that bring an observer up to date, the running phase last.
    pub(super) fn dump(&self, phase: Option<&Phase>, out: &mut Vec<Line>) {
        let mut block = Block::default();
        self.world.dump(&mut |message| block.add(message, out));
        if let Some(phase) = phase {
            block.add(&self.phase_message(phase), out);
        }
        block.end(out);
    }

    /// Adds the lines of all tiles, the answer to `mct`.
    pub(super) fn tiles(&self, out: &mut Vec<Line>) {
        let mut block = Block::default();
        self.world.tiles(&mut |message| block.add(message, out));
        block.end(out);
    }

    fn phase_message(&self, phase: &Phase) -> Message {
        self.world.phase_message(phase.number, &self.ids(phase))
    }

    /// Sends a faction what it reads before it acts, if it is connected and alive.
    pub(super) fn send_snapshot(&mut self, faction: FactionId, phase: &Phase) {
        if self.seats.seat(faction.index()).is_some() && self.world.alive(faction) {
            let mut lines = Vec::new();
            self.before_acting(faction, phase, &mut lines);
            lines.into_iter().for_each(|line| self.seats.send(faction.index(), line));
        }
    }

    /// Adds what a faction reads before it acts.
    pub(super) fn before_acting(&self, faction: FactionId, phase: &Phase, out: &mut Vec<Line>) {
        if phase.is_opening() {
            let starts = self.world.free_starts().map(|(number, at)| ServerLine::Start { number, at });
            return out.extend(starts.chain([ServerLine::Go(0)]).map(|line| line_of(&line)));
        }
        let mut lines = Vec::new();
        self.world.snapshot(faction, &mut lines);
        out.push(Line::new(lines));
    }
}

/// A line for a faction.
pub(super) fn line_of(line: &ServerLine) -> Line {
    let mut text = Vec::new();
    line.write(&mut text);
    Line::new(text)
}

impl SeatedRules for Field {
    fn seats(&self) -> &PlayerSeats {
        &self.seats
    }

    fn seats_mut(&mut self) -> &mut PlayerSeats {
        &mut self.seats
    }
}

impl OrderRules for Field {
    /// The factions by their land if `name` is `land`, else by their score, the greatest first; equals in the order of
    /// their numbers.
    fn field(&self, name: &str) -> Option<Vec<Player>> {
        let mut factions: Vec<FactionId> = self.world.ids().collect();
        factions.sort_by_key(|&faction| {
            let holdings = self.world.holdings(faction);
            std::cmp::Reverse(if name == "land" { holdings.land.into() } else { holdings.score })
        });
        Some(factions.into_iter().map(FactionId::index).collect())
    }
}

impl TurnRules for Field {
    fn alive(&self, faction: Player) -> bool {
        self.id(faction).is_some_and(|faction| self.world.alive(faction))
    }

    fn order_rules(&self) -> &dyn OrderRules {
        self
    }

    fn allied(&self, one: Player, other: Player) -> bool {
        let (one, other) = (self.id(one), self.id(other));
        one.zip(other).is_some_and(|(one, other)| !self.world.enemies(one, other))
    }

    fn decided(&self) -> Option<&'static str> {
        self.world.dominated().then_some(DOMINION)
    }

    fn hold(&mut self) {
        self.holding = true;
    }

    fn release(&mut self) {
        self.holding = false;
        self.publish_changes();
    }

    fn begin_turn(&mut self, turn: u32, order: &[Player]) {
        let order: Vec<FactionId> = order.iter().filter_map(|&faction| self.id(faction)).collect();
        self.world.begin_turn(turn, &order);
    }

    fn begin_phase(&mut self, phase: &Phase) {
        if phase.is_opening() {
            self.world.begin_turn(0, &[]);
        }
        self.publish_phase(phase);
        let alive: Vec<FactionId> = self.world.ids().filter(|&faction| self.world.alive(faction)).collect();
        let acting = self.ids(phase);
        if !phase.is_opening() {
            self.world.begin_phase(&acting);
        }
        let Field { world, seats, .. } = self;
        seats.set_budgets(|player| world.ids().nth(player).map_or(0, |faction| world.line_budget(faction)));
        self.send_dead(&alive);
    }

    fn send_snapshots(&mut self, phase: &Phase) {
        for faction in self.ids(phase) {
            self.send_snapshot(faction, phase);
        }
    }

    fn penalise(&mut self, phase: &Phase, faction: Player) {
        if phase.is_opening() {
            return;
        }
        self.seats.late[faction] += 1;
        if let Some(faction) = self.id(faction) {
            self.world.late(faction);
        }
    }

    fn resolve(&mut self, phase: &Phase) {
        let acting = self.ids(phase);
        if phase.is_opening() {
            return acting.into_iter().for_each(|faction| self.world.settle(faction));
        }
        let alive: Vec<FactionId> = self.world.ids().filter(|&faction| self.world.alive(faction)).collect();
        self.world.resolve(&acting);
        self.send_dead(&alive);
    }

    fn end_turn(&mut self, turn: u32) {
        self.world.end_turn();
        self.publish_changes();
        self.publish(&Message::TurnEnded(turn));
    }

    fn announce_last_turn(&mut self, turn: u32) {
        let text = format!("turn {turn} is the last one");
        self.publish(&Message::Server(Text::new(text.as_bytes())));
    }

    fn finish(&mut self, how: Ending) {
        self.publish_changes();
        let (reason, won) = match how {
            Ending::Decided(word) => (word, true),
            Ending::Last => ("conquest", true),
            Ending::Draw => ("extinction", false),
            Ending::Turns => ("turns", true),
            Ending::Time => ("time", true),
            Ending::Stopped => ("stopped", false),
        };
        let verdict = self.judge(reason, won);
        let winners = if verdict.won { self.world.winners() } else { Vec::new() };
        if winners.is_empty() {
            self.publish(&Message::Won(None));
        }
        winners.into_iter().for_each(|faction| self.publish(&Message::Won(Some(self.world.name(faction)))));
        let over = self.world.over_line();
        for faction in self.world.ids() {
            self.seats.dismiss(faction.index(), Some(line_of(&over)));
        }
        self.seats.verdict = Some(verdict);
    }
}

impl Field {
    /// The verdict if the match ends now for that reason. `won`: the factions of rank 1 win.
    pub(super) fn judge(&self, reason: &'static str, won: bool) -> Verdict {
        let standing = |one: Rank| Standing {
            team: self.world.options().factions[one.faction.index()].to_string(),
            rank: one.rank,
            score: one.score,
        };
        let standings = self.world.ranking().into_iter().map(standing).collect();
        Verdict { reason, standings, won, by_lot: false }
    }

    /// Sends `dead` to the factions that were alive before and are no more.
    fn send_dead(&mut self, before: &[FactionId]) {
        for &faction in before {
            if !self.world.alive(faction) {
                self.send(faction, &ServerLine::Dead);
            }
        }
    }
}
