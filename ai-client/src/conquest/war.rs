//! The strike: units that find the enemy's base, gather before it, and take it together.
//!
//! An enemy is beaten if its base tile is neutral at the end of a resolution, so nothing else is worth as much. Tested
//! against the other levels in `tests/conquest.rs`.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use zappy_protocol::Position;
use zappy_protocol::conquest::player::UnitOrder;
use zappy_protocol::conquest::{Unit, UnitId, UnitType};

use super::doctrine::Doctrine;
use super::turn::Turn;
use super::view::View;

/// How far from the base the units gather, in tiles: beyond its sight and what stands around it.
const GATHERING: u32 = 4;

/// The units that strike, and how far they have come.
#[derive(Debug, Default)]
pub(super) struct Strike {
    units: BTreeSet<UnitId>,
    /// How many units strike together.
    size: usize,
    /// Whether they go for the base now.
    assault: bool,
    target: Option<Position>,
}

impl Strike {
    pub(super) fn has(&self, unit: UnitId) -> bool {
        self.units.contains(&unit)
    }

    /// Chooses the target and the units.
    pub(super) fn enlist(&mut self, view: &View, doctrine: &Doctrine) {
        self.units.retain(|&id| view.units.get(&id).is_some_and(|unit| unit.faction == view.me));
        self.size = doctrine.strike as usize;
        self.target = (self.size > 0).then(|| target(view)).flatten();
        let Some(target) = self.target.filter(|_| view.turn >= doctrine.strike_from) else {
            return self.units.clear();
        };
        let far = |unit: &Unit| view.reach(unit.at, target);
        let mut pool: Vec<(UnitId, &Unit)> = view
            .own_units()
            .filter(|&(id, unit)| !self.units.contains(&id) && Some(unit.at) != view.own.base)
            .filter(|(_, unit)| !matches!(unit.kind, UnitType::Worker | UnitType::Sapper))
            .collect();
        // Those that are nearest to home stay there.
        pool.sort_by_key(|&(id, unit)| (Reverse(far(unit)), id));
        let (mut guards, mut settlers) = (doctrine.guards, doctrine.settlers);
        pool.retain(|(_, unit)| {
            let left = match unit.kind {
                UnitType::Fighter => &mut guards,
                UnitType::Pioneer => &mut settlers,
                _ => return true,
            };
            let stays = *left > 0;
            *left = left.saturating_sub(1);
            !stays
        });
        pool.sort_by_key(|&(id, unit)| (unit.kind == UnitType::Pioneer, far(unit), id));
        let spare = pool.len().min(self.size.saturating_sub(self.units.len()));
        // The first ones go together; later ones follow.
        if !self.units.is_empty() || spare >= self.size {
            self.units.extend(pool[..spare].iter().map(|(id, _)| id));
        }
        let is_near = |id: &&UnitId| view.units.get(id).is_some_and(|unit| far(unit) <= GATHERING);
        let near = self.units.iter().filter(is_near).count();
        self.assault = near >= self.size || self.assault && near * 2 >= self.size;
    }

    /// The order of a unit that strikes.
    pub(super) fn order(&self, turn: &mut Turn<'_>, unit: &Unit) -> UnitOrder {
        let view = turn.view;
        let Some(target) = self.target else { return UnitOrder::Idle };
        let far = view.reach(unit.at, target);
        if far == 0 {
            return view.taking(unit.at).unwrap_or(UnitOrder::Idle);
        }
        if self.assault && far == 1 {
            if !turn.taken.contains(&target)
                && let Some(order) = turn.go(unit, target)
            {
                return order;
            }
            let garrison = view.unit_at(target).filter(|(_, enemy)| view.is_enemy(enemy.faction));
            if let Some((id, enemy)) = garrison.filter(|&(id, enemy)| turn.health(id, enemy) > 0) {
                return turn.attack(unit, id, enemy);
            }
        }
        if let Some(order) = turn.fight(unit) {
            return order;
        }
        if unit.kind == UnitType::Cleric && !unit.stance.enlightened {
            return UnitOrder::Pray;
        }
        if far > GATHERING || self.assault && far > 1 {
            return turn.go(unit, target).or(view.taking(unit.at)).unwrap_or(UnitOrder::Idle);
        }
        view.taking(unit.at).unwrap_or(UnitOrder::Idle)
    }
}

/// The nearest base of an enemy that is known; else where the only one may be: as far away as possible, and not seen yet.
fn target(view: &View) -> Option<Position> {
    let home = view.own.base?;
    let known = view.enemy_base(home);
    if known.is_some() || view.rivals() > 1 {
        return known;
    }
    let guess = view.opposite(home);
    view.unseen().min_by_key(|&at| (view.reach(guess, at), view.size.distance(guess, at)))
}
