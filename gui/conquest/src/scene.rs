//! What is seen at a moment of a turn: where each unit is between two tiles, and which effects run.
//!
//! Messages that come together have one tick; what they say is shown one after the other over [`STAGGER`] ticks, in their
//! order. A pure function of [`Shown`]: seeking to a tick shows what playing up to it shows. Never draws. Tested
//! in `tests/conquest/`.

use std::collections::BTreeMap;

use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::{Cause, FactionId, Unit, UnitId};
use zappy_protocol::{MapSize, Position};

use super::state::{Incident, IncidentKind, LOOKBACK, TURN};
use super::view::Shown;
use zappy_observer::torus::middle;
use zappy_protocol::conquest::battles::GAP_TILES;

/// Ticks over which a burst is shown.
pub const STAGGER: f64 = 400.0;
const STEP: f64 = 250.0;
/// Seconds for which an effect is seen at the least.
const VISIBLE: f64 = 0.35;

/// Ticks for which a fight stays on the map: until the next turn's is there.
pub const FIGHT: f64 = 1.5 * TURN as f64;
/// Fights at a time at most, and blows of one: those that began first are left out.
const FIGHTS: usize = 24;
const BLOWS: usize = 64;

/// One unit that strikes at another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blow {
    pub from: Position,
    pub to: Position,
    pub by: FactionId,
    /// How much of it is still seen, 1 to 0.
    pub left: f32,
}

/// What happened in one place between units that fought there in this turn or the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct Fight {
    /// Where the first blow fell.
    pub at: Position,
    /// Each blow that was struck.
    pub blows: Vec<Blow>,
    /// Units that fell: the place, the faction, and how much of that is still seen.
    pub fallen: Vec<(Position, FactionId, f32)>,
    /// How much of it is still seen, 1 to 0.
    pub left: f32,
}

impl Fight {
    /// Units that each faction lost, by their numbers.
    pub fn losses(&self) -> BTreeMap<FactionId, usize> {
        let mut found = BTreeMap::new();
        for (_, faction, _) in &self.fallen {
            *found.entry(*faction).or_insert(0) += 1;
        }
        found
    }
}

/// The fights that are seen, from what has begun by now.
fn fights(map: MapSize, begun: &[(&Incident, f64)], now: f64) -> Vec<Fight> {
    let mut found: Vec<Fight> = Vec::new();
    for (happening, begin) in begun {
        let left = (1.0 - (now - begin) / FIGHT) as f32;
        let (Some(at), true) = (happening.at, (0.0..=1.0).contains(&left)) else { continue };
        let (blow, fell) = match &happening.what {
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
        if number == FIGHTS {
            continue;
        }
        if number == found.len() {
            found.push(Fight { at, blows: Vec::new(), fallen: Vec::new(), left });
        }
        let fight = &mut found[number];
        fight.left = fight.left.max(left);
        fight.blows.extend(blow.filter(|_| fight.blows.len() < BLOWS));
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
    /// How much of it is there: less while it appears or falls.
    pub there: f32,
    pub falls: bool,
}

/// Something that is still seen.
#[derive(Debug, Clone, Copy)]
pub struct Effect<'a> {
    pub happening: &'a Incident,
    /// 0 when it begins, 1 when it is over.
    pub age: f64,
}

/// What is seen at a moment.
#[derive(Debug, Clone, Default)]
pub struct ConquestScene<'a> {
    /// The units, in the order of their numbers.
    pub pieces: Vec<Piece>,
    /// The effects, the oldest first.
    pub effects: Vec<Effect<'a>>,
    /// The fights, the oldest first.
    pub fights: Vec<Fight>,
}

/// Ticks for which an effect lasts at the view's pace; `None` if it is shown in another way.
fn lasts(what: &IncidentKind, pace: f64) -> Option<f64> {
    let base = match what {
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
    Some(f64::max(base, VISIBLE * pace).min(LOOKBACK as f64 - STAGGER))
}

/// Each happening that may still be seen, with the moment at which it begins to be.
fn begun<'a>(shown: &Shown<'a>) -> Vec<(&'a Incident, f64)> {
    let recent: Vec<&Incident> = shown.state.recent.iter().map(AsRef::as_ref).collect();
    // The parts of a turn share its time.
    let stagger = STAGGER / f64::from(shown.state.phases(shown.state.mirror.turn));
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
        let (mut ways, mut came, mut fell) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for (happening, begin) in &begun {
            match &happening.what {
                IncidentKind::Moved(unit, from, to) => drop(ways.insert(*unit, (*begin, *from, *to))),
                IncidentKind::Appeared(unit, _) => drop(came.insert(*unit, *begin)),
                IncidentKind::Gone { unit, was, .. } => fell.push((*unit, *was, *begin)),
                _ => {}
            }
        }
        let piece = |id: UnitId, unit: Unit, there: f64, falls: bool| {
            let way = ways.get(&id).filter(|(_, _, to)| *to == unit.at);
            let point = way.map_or(middle(unit.at), |way| between(map, *way, now));
            Piece { id, unit, point, there: there.clamp(0.0, 1.0) as f32, falls }
        };
        let living = shown.state.mirror.units.iter().filter(|(_, unit)| map.contains(unit.at));
        let there = |id: &UnitId| came.get(id).map_or(1.0, |begin| (now - begin) / STEP);
        let mut pieces: Vec<Piece> = living.map(|(id, unit)| piece(*id, *unit, there(id), false)).collect();
        for (id, was, begin) in fell {
            let left = 1.0 - (now - begin) / STEP;
            if left > 0.0 && map.contains(was.at) {
                pieces.push(piece(id, was, left, now >= begin));
            }
        }
        let fights = fights(map, &begun, now);
        let seen = begun.into_iter().filter_map(|(happening, begin)| {
            let age = (now - begin) / lasts(&happening.what, pace)?;
            (0.0..1.0).contains(&age).then_some(Effect { happening, age })
        });
        ConquestScene { pieces, effects: seen.collect(), fights }
    }
}

/// Where a unit is on its way, counted on from the tile where it ends.
fn between(map: MapSize, (begin, from, to): (f64, Position, Position), now: f64) -> (f64, f64) {
    let rest = 1.0 - ((now - begin) / STEP).clamp(0.0, 1.0);
    let left = rest * rest * (3.0 - 2.0 * rest);
    let ((x, y), (dx, dy)) = (middle(to), map.delta(from, to));
    (x - f64::from(dx) * left, y - f64::from(dy) * left)
}
