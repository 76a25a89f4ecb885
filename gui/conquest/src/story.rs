//! A match of conquest from its first line to its newest: what the feed, the charts, the timeline and the closing
//! screen show.
//!
//! Bounded: of a match that is longer than the limits the oldest entries go. Tested in `tests/conquest/`.

use std::collections::VecDeque;
use std::sync::Arc;

use zappy_protocol::conquest::commentary::Commentary;
use zappy_protocol::conquest::constants::Yield;
use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::mirror::{Mirror, MirrorFaction};
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::player::Actor;
use zappy_protocol::conquest::production::{CityPlan, production, tile_yield};
use zappy_protocol::conquest::{FactionId, Holdings, Tile};
use zappy_protocol::{Position, TeamName, Tick};

use super::deeds::MatchTally;
use super::state::{ConquestState, Incident, IncidentKind, Topic, is_alive};
use zappy_observer::timeline::fold::{Fold as _, History, Odd, Role};
use zappy_observer::timeline::{push_bounded, thin};

/// Incidents kept for the feed, the newest.
const ENTRY_LIMIT: usize = 100_000;
/// Beginnings of phases kept, the newest.
const PHASE_LIMIT: usize = 100_000;
/// Seats kept, the first: a faction has one, and another each time its program comes back.
const SEAT_LIMIT: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseStart {
    pub tick: Tick,
    pub turn: u32,
    /// Its number within the turn.
    pub number: u32,
}

/// What all factions had at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub tick: Tick,
    /// Each faction, by its number.
    pub factions: Vec<Holdings>,
    /// The living faction with the highest score; `None` in a tie.
    pub leads: Option<FactionId>,
    /// What the cities of each make in a turn, in units of food, wood and gold together; empty without cities.
    pub made: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    pub tick: Tick,
    /// The reason in the record's word, if one is known.
    pub reason: Option<String>,
    /// The winners; none in a draw.
    pub winners: Vec<FactionId>,
}

/// What is known of the whole match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overview {
    /// The factions' names by their numbers.
    pub names: Vec<TeamName>,
    /// What happened and has a topic, the oldest first.
    pub entries: VecDeque<Arc<Incident>>,
    /// The phases, the oldest first.
    pub phases: VecDeque<PhaseStart>,
    /// What the factions had at the end of turns, the oldest first.
    pub samples: Vec<Sample>,
    /// A sample is kept of every 2^`sample_shift`th turn.
    sample_shift: u32,
    /// Seats at which factions came in, with their names; only records hold them.
    seats: Vec<(u32, Vec<u8>)>,
    /// What each faction did in all, and the moments that decided the match.
    pub tally: MatchTally,
    /// The commentator's remarks on the match as it goes on.
    pub commentary: Commentary,
    /// How the match ended, if it did.
    pub finish: Option<Finish>,
    /// The last tick that is known.
    pub until: Tick,
}

impl Overview {
    pub fn name(&self, faction: FactionId) -> &str {
        self.names.get(faction.index()).map_or("?", TeamName::as_str)
    }

    pub fn names_of(&self, factions: &[FactionId]) -> Vec<&str> {
        factions.iter().map(|faction| self.name(*faction)).collect()
    }

    /// The seats at which a faction came in, the first one first.
    pub fn seats(&self, faction: FactionId) -> Vec<u32> {
        let name = self.name(faction).as_bytes();
        self.seats.iter().filter(|(_, of)| of == name).map(|(seat, _)| *seat).collect()
    }

    /// The faction that came in at that seat.
    pub fn at_seat(&self, seat: u32) -> Option<FactionId> {
        let (_, name) = self.seats.iter().find(|(number, _)| *number == seat)?;
        let place = self.names.iter().position(|known| known.as_str().as_bytes() == name)?;
        u8::try_from(place).ok().map(FactionId)
    }

    /// The phase that runs at that tick, or ran last.
    pub fn phase(&self, tick: Tick) -> Option<&PhaseStart> {
        let after = self.phases.partition_point(|phase| phase.tick <= tick);
        after.checked_sub(1).map(|index| &self.phases[index])
    }

    /// The turn that runs at that tick, or ran last; 0 before the first.
    pub fn turn(&self, tick: Tick) -> u32 {
        self.phase(tick).map_or(0, |phase| phase.turn)
    }

    /// When a faction reads what became of an order that was carried out at that tick: as its next phase begins.
    pub fn reported(&self, tick: Tick) -> Tick {
        let after = self.phases.partition_point(|phase| phase.tick <= tick);
        let number = after.checked_sub(1).map(|last| self.phases[last].number);
        let next = self.phases.range(after..).find(|phase| Some(phase.number) == number);
        next.map_or(tick, |phase| phase.tick)
    }

    /// The turns that are kept, the oldest first: the tick at which each began, and its number.
    pub fn turns(&self) -> impl DoubleEndedIterator<Item = (Tick, u32)> {
        self.phases.iter().filter(|phase| phase.number == 0).map(|phase| (phase.tick, phase.turn))
    }

    fn note_phase(&mut self, tick: Tick, turn: u32, number: u32) {
        if self.phases.back().is_none_or(|last| (last.turn, last.number) != (turn, number)) {
            push_bounded(&mut self.phases, PHASE_LIMIT, PhaseStart { tick, turn, number });
        }
    }

    fn sample(&mut self, tick: Tick, turn: u32, mirror: &Mirror) {
        if turn.is_multiple_of(1 << self.sample_shift) {
            self.sample_shift += u32::from(thin(&mut self.samples, false));
            self.samples.push(Sample::of(tick, mirror));
        }
    }
}

impl Sample {
    /// What all factions have at that tick.
    pub fn of(tick: Tick, mirror: &Mirror) -> Sample {
        // A beaten faction can't use the gold that it had.
        let holdings = |of: &MirrorFaction| Holdings {
            gold: if of.alive { of.holdings.gold } else { 0 },
            ..of.holdings
        };
        let factions = mirror.factions.iter().map(holdings).collect();
        let mut made = if mirror.cities.is_empty() { Vec::new() } else { vec![0; mirror.factions.len()] };
        for city in mirror.cities.keys() {
            let owner = mirror.tile(*city).and_then(|tile| tile.owner);
            if let Some(of) = owner.and_then(|owner| made.get_mut(owner.index())) {
                let Yield { food, wood, gold } = production(&plan(mirror, *city)).total;
                *of += food + wood + gold;
            }
        }
        Sample { tick, factions, leads: leader(mirror), made }
    }
}

/// The citizens, worked tiles and buildings by which a city produces, as far as observers know.
pub fn plan(mirror: &Mirror, city: Position) -> CityPlan {
    let used = mirror.assigned.iter().filter(|(_, of)| **of == city);
    let tiles: Vec<&Tile> = used.filter_map(|(at, _)| mirror.tile(*at)).collect();
    CityPlan {
        citizens: mirror.cities.get(&city).map_or(0, |known| known.citizens),
        worked: tiles.iter().filter(|tile| tile.building.is_none()).map(|tile| tile_yield(tile)).collect(),
        buildings: tiles.iter().filter_map(|tile| tile.building).collect(),
    }
}

/// The factions, the best first: the living before the beaten, then by score, then by land.
pub fn ranked(mirror: &Mirror) -> Vec<FactionId> {
    let mut all: Vec<FactionId> = (0..).map(FactionId).take(mirror.factions.len()).collect();
    let rank = |faction: &FactionId| {
        let known = &mirror.factions[faction.index()];
        std::cmp::Reverse((known.alive, known.holdings.score, known.holdings.land))
    };
    all.sort_by_key(rank);
    all
}

/// The living factions that act in this phase, in their order.
pub fn acting(mirror: &Mirror) -> Vec<FactionId> {
    mirror.acting.iter().copied().filter(|faction| is_alive(mirror, *faction)).collect()
}

/// The living faction with the highest score; `None` if several have it.
pub fn leader(mirror: &Mirror) -> Option<FactionId> {
    let score = |faction: FactionId| mirror.factions[faction.index()].holdings.score;
    let living: Vec<FactionId> = ranked(mirror).into_iter().filter(|one| is_alive(mirror, *one)).collect();
    match living[..] {
        [] => None,
        [first, second, ..] if score(first) == score(second) => None,
        [first, ..] => Some(first),
    }
}

/// Whether the base that a living faction lives by has lost strength, or has an enemy on it or beside it.
pub fn threatened(mirror: &Mirror, faction: FactionId) -> bool {
    let known = mirror.factions.get(faction.index()).filter(|known| known.alive);
    let base = known.and_then(|known| known.holdings.base).zip(mirror.size);
    base.is_some_and(|(base, size)| {
        let beside = |at: Position| reach(size, base, at) <= 1;
        let enemy = |of: FactionId| !mirror.allied(of, faction);
        mirror.sieges.contains_key(&base)
            || mirror.units.values().any(|unit| beside(unit.at) && enemy(unit.faction))
    })
}

/// The faction with the highest score, unless its base is threatened.
pub fn crowned(mirror: &Mirror) -> Option<FactionId> {
    leader(mirror).filter(|first| !threatened(mirror, *first))
}

/// A match from its first line to its newest.
#[derive(Debug, Clone, Default)]
pub struct ConquestStory {
    /// What is known at the newest tick.
    pub state: ConquestState,
    /// What is known of the whole match.
    pub overview: Overview,
}

impl ConquestStory {
    fn note_names(&mut self) {
        let known = &self.state.mirror.factions;
        if known.len() > self.overview.names.len() {
            self.overview.names = known.iter().map(|faction| faction.name.clone()).collect();
        }
    }
}

impl History for ConquestStory {
    type Fold = ConquestState;
    type Overview = Overview;

    fn newest(&self) -> &ConquestState {
        &self.state
    }

    fn overview(&self) -> &Overview {
        &self.overview
    }

    fn finished(overview: &Overview) -> Option<Tick> {
        overview.finish.as_ref().map(|finish| finish.tick)
    }

    fn restore(&mut self, tick: Tick, snapshot: &[Message]) {
        self.state = ConquestState::restored(tick, snapshot);
        self.note_names();
        let mirror = &self.state.mirror;
        if let Some(phase) = mirror.phase {
            self.overview.note_phase(tick, mirror.turn, phase);
        }
    }

    fn take(&mut self, tick: Tick, message: &Message) -> Result<(), Odd> {
        self.advance(tick);
        self.overview.commentary.look(tick, message, &self.state.mirror);
        let (incidents, misfit) = self.state.observe(tick, message);
        self.note_names();
        match message {
            Message::PhaseBegan { turn, phase, .. } => self.overview.note_phase(tick, *turn, *phase),
            Message::TurnEnded(turn) => {
                self.overview.sample(tick, *turn, &self.state.mirror);
                let mirror = &self.state.mirror;
                let commentary = &mut self.overview.commentary;
                commentary.turn(tick, mirror);
                commentary.battles.forget_before(*turn);
                let battles = commentary.battles.all.iter().filter(|battle| battle.newest.turn == *turn);
                self.overview.tally.note_turn_end(tick, leader(mirror), battles);
            }
            Message::Ordered { actor: Actor::Unit(id), outcome: Ok(()), .. } => {
                if let Some(unit) = self.state.mirror.units.get(id) {
                    self.overview.tally.note_order(tick, (unit.faction, *id, unit.kind));
                }
            }
            _ => {}
        }
        for incident in incidents {
            self.overview.tally.count(&incident, &self.state.mirror);
            if let IncidentKind::Won(winner) = incident.what {
                let draw = || Finish { tick, reason: None, winners: Vec::new() };
                let finish = self.overview.finish.get_or_insert_with(draw);
                finish.winners.extend(winner.filter(|winner| !finish.winners.contains(winner)));
            }
            if Topic::of(&incident.what).is_some() {
                push_bounded(&mut self.overview.entries, ENTRY_LIMIT, incident);
            }
        }
        misfit.map_or(Ok(()), |misfit| Err(Odd::Misfit(misfit.to_string())))
    }

    fn admitted(&mut self, seat: u32, line: &[u8]) {
        if self.overview.seats.len() < SEAT_LIMIT {
            self.overview.seats.push((seat, line.to_vec()));
        }
    }

    fn refused(&mut self, seat: u32) {
        if let Some(faction) = self.overview.at_seat(seat) {
            self.overview.tally.deeds_of(faction).refused += 1;
        }
    }

    fn advance(&mut self, tick: Tick) {
        if self.overview.finish.is_none() {
            self.state.advance(tick);
            self.overview.until = self.overview.until.max(tick);
        }
    }

    fn end(&mut self, tick: Tick, reason: &str, winners: &[TeamName]) {
        let winners = winners.iter().filter_map(|name| self.state.mirror.faction(name)).collect();
        self.overview.until = self.overview.until.max(tick);
        self.overview.tally.note_end(tick);
        self.overview.finish = Some(Finish { tick, reason: Some(reason.to_owned()), winners });
    }

    fn role(message: &Message) -> Role {
        match message {
            Message::Rate(rate) => Role::Rate(*rate),
            // A dump has these too; they count as news wherever they come.
            Message::Siege { .. } | Message::Dominion(_) => Role::News,
            Message::PhaseBegan { .. } => Role::Dump,
            Message::Won(_) => Role::End,
            message if message.is_dump() => Role::Dump,
            _ => Role::News,
        }
    }

    fn is_told(&self) -> bool {
        self.state.mirror.size.is_some() && !self.state.mirror.factions.is_empty()
    }

    fn after_dump(&mut self, _tick: Tick) {}

    fn resume(&mut self, _tick: Tick, before: &ConquestState) -> bool {
        let (before, now) = (&before.mirror, &self.state.mirror);
        !before.over && (before.size, &before.options) == (now.size, &now.options) && before.turn <= now.turn
    }
}
