//! What is seen at a moment of a turn: where each unit is between two tiles, and which effects run.
//!
//! Messages that come together have one tick; what they say is shown one after the other within [`STAGGER_TICKS`], in
//! their order. A pure function of [`Shown`]: seeking to a tick shows what playing up to it shows. Never draws. Tested
//! in `tests/conquest/`.

use std::collections::BTreeMap;

use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::{Cause, FactionId, Unit, UnitId};
use zappy_protocol::{MapSize, Position};

use super::state::{Incident, IncidentKind, LOOKBACK, TURN};
use super::view::Shown;
use zappy_observer::torus::middle;
use zappy_protocol::conquest::battles::GAP_TILES;

/// Ticks over which the incidents of one tick are shown one after the other.
pub const STAGGER_TICKS: f64 = 400.0;
/// Ticks in which a unit moves to the next tile, appears, or falls.
const MOTION_TICKS: f64 = 250.0;
/// Seconds for which an effect is seen at the least, at any speed.
const MIN_EFFECT_SECONDS: f64 = 0.35;

/// Ticks for which a fight stays on the map: until the fights of the next turn are seen.
pub const FIGHT_TICKS: f64 = 1.5 * TURN as f64;
/// Fights at a time at most, and blows of one: those that begin later are left out.
const FIGHT_LIMIT: usize = 24;
const BLOW_LIMIT: usize = 64;

/// One unit that strikes at another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blow {
    pub from: Position,
    pub to: Position,
    /// The faction of the unit that strikes.
    pub by: FactionId,
    /// The share of its time on the map that is left, 1 to 0.
    pub left: f32,
}

/// What happened in one place between units that fought there in this turn or the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct Fight {
    /// Where the first blow fell.
    pub at: Position,
    /// Each blow that was struck.
    pub blows: Vec<Blow>,
    /// Units that fell: the tile, the faction, and the share of its time on the map that is left, 1 to 0.
    pub fallen: Vec<(Position, FactionId, f32)>,
    /// The greatest share that is left of any blow or fall in it, 1 to 0.
    pub left: f32,
}

impl Fight {
    /// How many units each faction lost.
    pub fn losses(&self) -> BTreeMap<FactionId, usize> {
        let mut found = BTreeMap::new();
        for (_, faction, _) in &self.fallen {
            *found.entry(*faction).or_insert(0) += 1;
        }
        found
    }
}

/// The fights that are seen at the tick `now`, from incidents and the ticks at which they are shown.
fn fights(map: MapSize, begun: &[(&Incident, f64)], now: f64) -> Vec<Fight> {
    let mut found: Vec<Fight> = Vec::new();
    for (incident, begin) in begun {
        let left = (1.0 - (now - begin) / FIGHT_TICKS) as f32;
        let (Some(at), true) = (incident.at, (0.0..=1.0).contains(&left)) else { continue };
        let (blow, fell) = match &incident.what {
            IncidentKind::Attacked(by, target) => {
                (Some(Blow { from: by.at, to: target.at, by: by.faction, left }), None)
            }
            IncidentKind::Gone { was, cause: Cause::Attack | Cause::Bomb, .. } => {
                (None, Some((was.at, was.faction, left)))
            }
            _ => continue,
        };
        let near = |fight: &Fight| reach(map, fight.at, at) <= GAP_TILES;
        let number = found.iter().position(near).unwrap_or(found.len());
        if number == FIGHT_LIMIT {
            continue;
        }
        if number == found.len() {
            found.push(Fight { at, blows: Vec::new(), fallen: Vec::new(), left });
        }
        let fight = &mut found[number];
        fight.left = fight.left.max(left);
        fight.blows.extend(blow.filter(|_| fight.blows.len() < BLOW_LIMIT));
        fight.fallen.extend(fell);
    }
    found
}

/// A unit as it is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    pub id: UnitId,
    /// What is known of it.
    pub unit: Unit,
    /// Its middle as a tile point.
    pub point: (f64, f64),
    /// 1, or less while it appears or falls.
    pub opacity: f32,
    pub falls: bool,
}

/// Something that is still seen.
#[derive(Debug, Clone, Copy)]
pub struct Effect<'a> {
    pub incident: &'a Incident,
    /// 0 when it begins, 1 when it is over.
    pub age: f64,
}

/// What is seen at a moment.
#[derive(Debug, Clone, Default)]
pub struct ConquestScene<'a> {
    /// The units in the order of their numbers, then those that just fell.
    pub pieces: Vec<Piece>,
    /// The effects, the oldest first.
    pub effects: Vec<Effect<'a>>,
    /// The fights, the oldest first.
    pub fights: Vec<Fight>,
}

/// Ticks for which an incident's effect lasts at a pace of so many ticks a second; `None` if it has no effect.
fn effect_ticks(what: &IncidentKind, pace: f64) -> Option<f64> {
    let least = match what {
        IncidentKind::Attacked(..)
        | IncidentKind::Healed(..)
        | IncidentKind::Fort(..)
        | IncidentKind::Built(..)
        | IncidentKind::Bomb(..) => 450.0,
        IncidentKind::Changed(..) | IncidentKind::Appeared(..) | IncidentKind::Land(..) => 600.0,
        IncidentKind::Gone { .. } | IncidentKind::Converted(..) => 800.0,
        IncidentKind::Beaten(_) | IncidentKind::Late(_) | IncidentKind::Unpaid(_) => 1_500.0,
        _ => return None,
    };
    Some(f64::max(least, MIN_EFFECT_SECONDS * pace).min(LOOKBACK as f64 - STAGGER_TICKS))
}

/// Each recent incident, with the tick, and the part of one, at which it is first shown.
fn begun<'a>(shown: &Shown<'a>) -> Vec<(&'a Incident, f64)> {
    let recent: Vec<&Incident> = shown.state.recent.iter().map(AsRef::as_ref).collect();
    // The phases of a turn share its time.
    let stagger = STAGGER_TICKS / f64::from(shown.state.phases(shown.state.mirror.turn));
    let mut found = Vec::with_capacity(recent.len());
    for burst in recent.chunk_by(|one, other| one.tick == other.tick) {
        let step = stagger / burst.len() as f64;
        found.extend(burst.iter().zip(0..).map(|(one, nth)| (*one, one.tick as f64 + step * f64::from(nth))));
    }
    found
}

impl<'a> ConquestScene<'a> {
    /// What is seen of this moment.
    pub fn of(shown: &Shown<'a>) -> ConquestScene<'a> {
        let Some(map) = shown.state.mirror.size else { return ConquestScene::default() };
        let (now, pace) = (shown.time.tick, shown.time.pace);
        let begun = begun(shown);
        let (mut moves, mut appeared, mut fallen) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for (incident, begin) in &begun {
            match &incident.what {
                IncidentKind::Moved(unit, from, to) => drop(moves.insert(*unit, (*begin, *from, *to))),
                IncidentKind::Appeared(unit, _) => drop(appeared.insert(*unit, *begin)),
                IncidentKind::Gone { unit, was, .. } => fallen.push((*unit, *was, *begin)),
                _ => {}
            }
        }
        let piece = |id: UnitId, unit: Unit, opacity: f64, falls: bool| {
            let last_move = moves.get(&id).filter(|(_, _, to)| *to == unit.at);
            // At the map's edge the point may lie beyond the map.
            let point = last_move.map_or(middle(unit.at), |&(begin, from, to)| {
                let rest = 1.0 - ((now - begin) / MOTION_TICKS).clamp(0.0, 1.0);
                let left = rest * rest * (3.0 - 2.0 * rest);
                let ((x, y), (dx, dy)) = (middle(to), map.delta(from, to));
                (x - f64::from(dx) * left, y - f64::from(dy) * left)
            });
            Piece { id, unit, point, opacity: opacity.clamp(0.0, 1.0) as f32, falls }
        };
        let living = shown.state.mirror.units.iter().filter(|(_, unit)| map.contains(unit.at));
        let opacity = |id: &UnitId| appeared.get(id).map_or(1.0, |begin| (now - begin) / MOTION_TICKS);
        let mut pieces: Vec<Piece> = living.map(|(id, unit)| piece(*id, *unit, opacity(id), false)).collect();
        for (id, was, begin) in fallen {
            let left = 1.0 - (now - begin) / MOTION_TICKS;
            if left > 0.0 && map.contains(was.at) {
                pieces.push(piece(id, was, left, now >= begin));
            }
        }
        let fights = fights(map, &begun, now);
        let seen = begun.into_iter().filter_map(|(incident, begin)| {
            let age = (now - begin) / effect_ticks(&incident.what, pace)?;
            (0.0..1.0).contains(&age).then_some(Effect { incident, age })
        });
        ConquestScene { pieces, effects: seen.collect(), fights }
    }
}
