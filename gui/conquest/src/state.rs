//! What is known of a match of conquest at a tick: the mirror, and what happened shortly before.
//!
//! A fold over messages with their ticks. Beyond the mirror it remembers nothing older than [`LOOKBACK`], so a state
//! that began at a snapshot so many ticks earlier equals one that began with the match. Never panics. Tested in
//! `tests/conquest/`.

use std::collections::VecDeque;
use std::sync::Arc;

use zappy_protocol::conquest::mirror::{Mirror, Misfit};
use zappy_protocol::conquest::observer::{BadMessage, Message};
use zappy_protocol::conquest::player::Actor;
use zappy_protocol::conquest::{
    Building, Cause, Dominion, FactionId, Mode, Tile, Unit, UnitId, UnitType, geometry,
};
use zappy_protocol::{Position, Text, Tick};

use zappy_observer::timeline::fold::Fold;
use zappy_observer::timeline::push_bounded;
use zappy_observer::timeline::tempo::Beat;

/// Ticks for which a turn is shown, a second at speed 1; its phases share them.
pub const TURN: Tick = 1_000;
/// Ticks for which a state remembers an incident: as long as its effect is drawn, at any speed.
pub const LOOKBACK: Tick = 6_000;
/// Incidents remembered at most: more than fifty units of each of sixteen factions cause in that time.
const RECENT_LIMIT: usize = 16_384;
/// Roughly the bytes of a state for each tile, and for each unit, assigned tile, bomb and incident.
const TILE_BYTES: usize = 12;
const THING_BYTES: usize = 64;

/// What killed a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slayer {
    /// A unit of that faction and type.
    Unit(FactionId, UnitType),
    /// A bomb of that faction.
    Bomb(FactionId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IncidentKind {
    /// A turn began: its number.
    Turn(u32),
    Appeared(UnitId, Unit),
    /// A unit went from the first tile to the second one.
    Moved(UnitId, Position, Position),
    /// The first unit attacked the second one.
    Attacked(Unit, Unit),
    /// The first unit healed the second one.
    Healed(Unit, Unit),
    /// A unit's health or shield changed: the unit now, and the points of health that it gained, negative if lost.
    Changed(UnitId, Unit, i64),
    /// A unit changed sides: the unit before, and its faction now.
    Converted(UnitId, Unit, FactionId),
    /// A unit is gone; `was` is its last state.
    Gone {
        unit: UnitId,
        was: Unit,
        cause: Cause,
        /// What killed it, as far as can be seen.
        by: Option<Slayer>,
    },
    /// A tile changed hands: the owner before, and the tile now.
    Land(Option<FactionId>, Tile),
    /// A fort of the tile's owner was built (`true`) or is gone.
    Fort(Option<FactionId>, bool),
    Built(Option<FactionId>, Building),
    /// A bomb of a faction was laid (`true`) or is gone.
    Bomb(FactionId, bool),
    /// An order of a faction couldn't be carried out: what it was for, and why.
    Lost(FactionId, Actor<()>, Text),
    /// A faction wasn't done when its phase ended.
    Late(FactionId),
    /// A faction couldn't pay its upkeep.
    Unpaid(FactionId),
    /// A base of a faction lost strength, or has it again: the points that are left.
    Siege(Option<FactionId>, u32),
    /// A side, all its factions, has held enough land to win for so many turns.
    Dominion(Vec<FactionId>, u32),
    Beaten(FactionId),
    /// A line of text by the server.
    Said(Text),
    /// The match is over: its winner, or one of several; `None` in a draw.
    Won(Option<FactionId>),
}

/// What the feed can be filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Units that fall, those that change sides, and bases under siege.
    Fights,
    Land,
    /// Units, forts, buildings and bombs that appear or go.
    Works,
    /// Orders that were lost, and factions that were late.
    Orders,
    /// Defeats, dominion, unpaid upkeep, what the server says, and the end.
    Match,
}

impl Topic {
    /// All topics in the order in which filters show them.
    pub const ALL: [Topic; 5] = [Topic::Fights, Topic::Land, Topic::Works, Topic::Orders, Topic::Match];

    /// Its name on a switch of the feed, and the hint that says what it shows.
    pub const fn label(self) -> (&'static str, &'static str) {
        match self {
            Topic::Fights => ("Fights", "Units that fall or change sides, bases under siege"),
            Topic::Land => ("Land", "Tiles that change hands"),
            Topic::Works => ("Works", "New units, forts, buildings and bombs"),
            Topic::Orders => ("Orders", "Orders that were lost, and why; factions that were late"),
            Topic::Match => ("Match", "Defeats, dominion, unpaid upkeep, the server, and the end"),
        }
    }

    /// The topic of an incident; `None` for what only the map shows.
    pub const fn of(what: &IncidentKind) -> Option<Topic> {
        Some(match what {
            IncidentKind::Gone { .. } | IncidentKind::Converted(..) | IncidentKind::Siege(..) => {
                Topic::Fights
            }
            IncidentKind::Land(..) => Topic::Land,
            IncidentKind::Appeared(..)
            | IncidentKind::Fort(..)
            | IncidentKind::Built(..)
            | IncidentKind::Bomb(..) => Topic::Works,
            IncidentKind::Lost(..) | IncidentKind::Late(_) => Topic::Orders,
            IncidentKind::Beaten(_)
            | IncidentKind::Unpaid(_)
            | IncidentKind::Dominion(..)
            | IncidentKind::Said(_)
            | IncidentKind::Won(_) => Topic::Match,
            _ => return None,
        })
    }
}

/// Something that happened: when, on which tile, if on one, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    pub tick: Tick,
    pub at: Option<Position>,
    pub what: IncidentKind,
}

/// Whether a faction is still in the match.
pub fn is_alive(mirror: &Mirror, faction: FactionId) -> bool {
    mirror.factions.get(faction.index()).is_some_and(|known| known.alive)
}

/// What is known at a tick.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConquestState {
    tick: Tick,
    pub mirror: Mirror,
    /// What happened within [`LOOKBACK`], the oldest first.
    pub recent: VecDeque<Arc<Incident>>,
    /// Whether the messages that come describe the match as it stands, so that they are no incidents.
    dumping: bool,
}

impl ConquestState {
    /// How many phases that turn has by the mode of the match; in turn 0, the draft, each faction has one.
    pub fn phases(&self, turn: u32) -> u32 {
        let Some(options) = &self.mirror.options else { return 1 };
        let allies: usize = options.alliances.iter().map(|one| one.len().saturating_sub(1)).sum();
        let phases = match options.mode {
            _ if turn == 0 => options.factions.len(),
            Mode::Concurrent => 1,
            Mode::Players => options.factions.len(),
            Mode::Alliances => options.factions.len().saturating_sub(allies),
        };
        u32::try_from(phases.max(1)).unwrap_or(u32::MAX)
    }

    /// Applies a message of that tick; returns the incidents in it, and why it contradicts the mirror, if it does.
    pub fn observe(&mut self, tick: Tick, message: &Message) -> (Vec<Arc<Incident>>, Option<Misfit>) {
        self.advance(tick);
        match message {
            Message::Game { .. } => self.dumping = true,
            Message::PhaseBegan { .. } | Message::TurnEnded(_) => self.dumping = false,
            _ => {}
        }
        let kinds = match message {
            _ if self.dumping => Vec::new(),
            Message::Dominion(dominion) => self.dominion_incidents(dominion),
            Message::Tile { at, tile } => self.tile_incidents(*at, *tile),
            _ => self.incident(message).into_iter().collect(),
        };
        let misfit = self.mirror.apply(message).err();
        let incidents = kinds.into_iter().map(|(at, what)| Arc::new(Incident { tick, at, what }));
        let incidents: Vec<Arc<Incident>> = incidents.collect();
        for incident in &incidents {
            push_bounded(&mut self.recent, RECENT_LIMIT, Arc::clone(incident));
        }
        (incidents, misfit)
    }

    /// Tile and kind of the incident in a message that the mirror hasn't applied yet; for messages with at most one.
    fn incident(&self, message: &Message) -> Option<(Option<Position>, IncidentKind)> {
        let mirror = &self.mirror;
        let unit = |id: &UnitId| mirror.units.get(id).copied();
        let of = |name| mirror.faction(name);
        Some(match message {
            Message::PhaseBegan { turn, phase: 0, .. } if *turn > mirror.turn => {
                (None, IncidentKind::Turn(*turn))
            }
            Message::Appeared { unit, what } => {
                let (faction, at) = (of(&what.faction)?, what.at);
                let now = Unit { faction, kind: what.kind, at, health: what.health, stance: what.stance };
                (Some(at), IncidentKind::Appeared(*unit, now))
            }
            Message::Moved { unit: id, at } => {
                let was = unit(id).filter(|was| was.at != *at)?;
                (Some(*at), IncidentKind::Moved(*id, was.at, *at))
            }
            Message::Attacked { unit: id, target } | Message::Healed { unit: id, target } => {
                let (one, other) = (unit(id)?, unit(target)?);
                let heals = matches!(message, Message::Healed { .. });
                let kind = if heals { IncidentKind::Healed } else { IncidentKind::Attacked };
                (Some(other.at), kind(one, other))
            }
            Message::Health { unit: id, health, stance } => {
                let was = unit(id)?;
                let now = Unit { health: *health, stance: *stance, ..was };
                (Some(was.at), IncidentKind::Changed(*id, now, i64::from(*health) - i64::from(was.health)))
            }
            Message::Converted { unit: id, faction } => {
                let was = unit(id)?;
                (Some(was.at), IncidentKind::Converted(*id, was, of(faction)?))
            }
            Message::Gone { unit: id, cause } => {
                let (was, cause) = (unit(id)?, *cause);
                (Some(was.at), IncidentKind::Gone { unit: *id, was, cause, by: self.slayer(was, cause) })
            }
            Message::Bomb { at, owner: Some(owner) } => (Some(*at), IncidentKind::Bomb(of(owner)?, true)),
            Message::Bomb { at, owner: None } => {
                (Some(*at), IncidentKind::Bomb(*mirror.bombs.get(at)?, false))
            }
            Message::Ordered { faction, actor, outcome: Err(reason) } => {
                let at = if let Actor::Unit(id) = actor { unit(id).map(|known| known.at) } else { None };
                (at, IncidentKind::Lost(of(faction)?, *actor, reason.clone()))
            }
            Message::Unpaid(name) => (None, IncidentKind::Unpaid(of(name)?)),
            Message::Late(name) => (None, IncidentKind::Late(of(name)?)),
            Message::Beaten(name) => {
                let faction = of(name)?;
                let known = mirror.factions.get(faction.index());
                (known.and_then(|known| known.holdings.base), IncidentKind::Beaten(faction))
            }
            Message::Siege { at, left } if mirror.strength(*at) != *left => {
                (Some(*at), IncidentKind::Siege(mirror.tile(*at).and_then(|tile| tile.owner), *left))
            }
            Message::Server(text) => (None, IncidentKind::Said(text.clone())),
            Message::Won(name) => (None, IncidentKind::Won(name.as_ref().and_then(of))),
            _ => return None,
        })
    }

    /// An incident for each side that has held enough land for more turns than the mirror knows.
    fn dominion_incidents(&self, now: &Dominion) -> Vec<(Option<Position>, IncidentKind)> {
        let mirror = &self.mirror;
        let before = |name| {
            let held = mirror.dominion.iter().flat_map(|known| &known.held).find(|(known, _)| known == name);
            held.map_or(0, |(_, turns)| *turns)
        };
        let longer = now.held.iter().filter(|(name, turns)| *turns > before(name));
        let incident = |(name, turns): &(_, u32)| {
            // It concerns all of the land, not one tile.
            Some((None, IncidentKind::Dominion(mirror.side(mirror.faction(name)?), *turns)))
        };
        longer.filter_map(incident).collect()
    }

    /// What changes on a tile: its owner, its fort, its building.
    fn tile_incidents(&self, at: Position, now: Tile) -> Vec<(Option<Position>, IncidentKind)> {
        let Some(was) = self.mirror.tile(at).copied() else { return Vec::new() };
        let owner = now.owner.or(was.owner);
        let mut found = Vec::new();
        if was.owner != now.owner {
            found.push(IncidentKind::Land(was.owner, now));
        }
        if was.flags.fort != now.flags.fort {
            found.push(IncidentKind::Fort(owner, now.flags.fort));
        }
        if let Some(building) = now.building.filter(|_| was.building != now.building) {
            found.push(IncidentKind::Built(owner, building));
        }
        found.into_iter().map(|what| (Some(at), what)).collect()
    }

    /// What killed a unit: the last attack on its tile at this tick, or an enemy's bomb on its tile or beside it.
    fn slayer(&self, was: Unit, cause: Cause) -> Option<Slayer> {
        match cause {
            Cause::Attack => {
                let latest = self.recent.iter().rev().take_while(|incident| incident.tick == self.tick);
                latest.map(|incident| &incident.what).find_map(|what| match what {
                    IncidentKind::Attacked(by, target) if target.at == was.at => {
                        Some(Slayer::Unit(by.faction, by.kind))
                    }
                    _ => None,
                })
            }
            Cause::Bomb => {
                let near = geometry::surroundings(self.mirror.size?, was.at);
                let owners = near.filter_map(|at| self.mirror.bombs.get(&at).copied());
                let mut enemies = owners.filter(|owner| *owner != was.faction);
                let first = enemies.next()?;
                // With bombs of several enemies around and none under the unit, nothing is guessed.
                let below = self.mirror.bombs.get(&was.at).copied();
                let same = below.is_some() || enemies.all(|owner| owner == first);
                same.then_some(Slayer::Bomb(below.unwrap_or(first)))
            }
            Cause::Retired | Cause::Beaten | Cause::Unpaid | Cause::Operator => None,
        }
    }
}

impl Fold for ConquestState {
    type Message = Message;

    const LOOKBACK: Tick = LOOKBACK;
    const RECORD_RATE: f64 = 1_000.0;
    const TURN: Tick = TURN;

    fn parse(line: &[u8]) -> Result<Message, BadMessage> {
        Message::parse(line)
    }

    fn restored(tick: Tick, snapshot: &[Message]) -> ConquestState {
        let mut state = ConquestState { tick, ..ConquestState::default() };
        for message in snapshot {
            // A message of the snapshot that contradicts those before it is ignored.
            let _ = state.mirror.apply(message);
        }
        state.dumping = state.mirror.turn == 0 && state.mirror.phase.is_none();
        state
    }

    fn beat(&self, message: &Message) -> Option<Beat> {
        match message {
            Message::PhaseBegan { turn, phase, .. } => Some(Beat::Part(*phase, self.phases(*turn))),
            Message::Won(_) => Some(Beat::End),
            _ => None,
        }
    }

    fn apply(&mut self, tick: Tick, message: &Message) {
        self.observe(tick, message);
    }

    fn advance(&mut self, tick: Tick) {
        self.tick = self.tick.max(tick);
        let oldest = self.tick.saturating_sub(LOOKBACK);
        while self.recent.front().is_some_and(|incident| incident.tick < oldest) {
            self.recent.pop_front();
        }
    }

    fn tick(&self) -> Tick {
        self.tick
    }

    fn snapshot(&self, line: &mut dyn FnMut(&[u8])) {
        let mut text = Vec::new();
        for message in self.mirror.snapshot() {
            text.clear();
            message.write(&mut text);
            line(&text);
        }
    }

    fn weight(&self) -> usize {
        let mirror = &self.mirror;
        let things = mirror.units.len() + mirror.assigned.len() + mirror.bombs.len() + self.recent.len();
        mirror.tiles.len() * TILE_BYTES + things * THING_BYTES
    }
}
