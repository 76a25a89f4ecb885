//! How the highest level fights: kills first, hits in crowds, meets what comes near the base, strikes at a bare one.
//!
//! Only gives units their intents in `Plan`; `expert` makes orders of them. Tested against the other levels in
//! `tests/conquest.rs`.

use std::cmp::Reverse;

use zappy_protocol::Position;
use zappy_protocol::conquest::geometry::neighbours;
use zappy_protocol::conquest::player::{BaseOrder, UnitOrder};
use zappy_protocol::conquest::{Unit, UnitId, UnitType};

use super::expert::{ALARM_RADIUS, Intent, Plan};

use UnitType::{Cleric, Fighter, Pioneer, Sapper, Worker};

const ARMED: [UnitType; 4] = [Pioneer, Fighter, Cleric, Sapper];
/// The distance from which own units are sent to meet an enemy, in tiles.
const CALL_RADIUS: u32 = 8;
/// The distance from which they are sent if the enemy stands on the base or beside it, in tiles.
const RESCUE_RADIUS: u32 = 16;
/// Fighters that go together to take an enemy's base.
const STRIKERS: usize = 2;

/// What is left of an enemy's health once these units have hit it: an enlightened one takes no damage from the first
/// hit, a defended one half of it from the first that does damage.
fn health_after(enemy: &Unit, hitting: &[(UnitId, &Unit)]) -> u32 {
    let (mut health, mut stance) = (enemy.health, enemy.stance);
    for (_, unit) in hitting {
        let damage = unit.kind.numbers().damage;
        if std::mem::take(&mut stance.enlightened) {
            continue;
        }
        let defended = std::mem::take(&mut stance.defended);
        health = health.saturating_sub(if defended { damage.div_ceil(2) } else { damage });
    }
    health
}

impl<'a> Plan<'a> {
    /// First, units that together can kill an enemy do; then all others beside an enemy hit it or run from it. A
    /// fighter that has no enemy to hit defends once before it walks.
    pub(super) fn attack(&mut self) {
        for (enemy, seen) in self.enemies.values() {
            if enemy.kind == Fighter && self.view.turn - seen <= 1 {
                self.danger.extend(neighbours(self.view.size, enemy.at));
            }
        }
        let mut enemies: Vec<(UnitId, &Unit)> = self.view.enemy_units().collect();
        let menace = |unit: &Unit| match unit.kind {
            Cleric => 4 + u32::from(unit.stance.enlightened),
            Fighter => 3,
            Sapper | Pioneer => 2,
            Worker => 0,
        };
        enemies.sort_by_key(|(id, enemy)| {
            let distance = self.view.reach(enemy.at, self.home);
            (distance > 0, distance > 2, Reverse(menace(enemy)), enemy.health, *id)
        });
        for (id, enemy) in &enemies {
            self.kill(*id, enemy);
        }
        for (id, enemy) in &enemies {
            if !self.doomed.contains(id) {
                self.hit(*id, enemy);
            }
        }
        // A doomed enemy that acts first may kill units that were to hit it, so all others beside it hit it, too.
        for (id, enemy) in enemies.iter().filter(|(id, _)| self.doomed.contains(id)).collect::<Vec<_>>() {
            for (unit_id, unit) in self.beside(enemy) {
                if unit.kind == Fighter || enemy.kind == Fighter || self.view.is_own(unit.at) {
                    self.order(unit_id, UnitOrder::Attack(*id));
                }
            }
        }
        for (id, unit) in self.idle(&[Fighter]) {
            if !unit.stance.defended && unit.at != self.home {
                self.order(id, UnitOrder::Defend);
            }
        }
    }

    /// The units beside an enemy that have no intent yet and can hit it.
    fn beside(&self, enemy: &Unit) -> Vec<(UnitId, &'a Unit)> {
        let mut beside = self.idle(&ARMED);
        beside.retain(|(_, unit)| self.view.reach(unit.at, enemy.at) == 1);
        beside
    }

    /// Kills an enemy if the units beside it can. Units that aren't needed for it are spared: those that do most damage
    /// first if the enemy has little health, otherwise those with least health.
    fn kill(&mut self, id: UnitId, enemy: &Unit) {
        let mut hitting = self.beside(enemy);
        if health_after(enemy, &hitting) > 0 {
            return;
        }
        let mut sparing = hitting.clone();
        sparing.sort_by_key(|(_, unit)| match enemy.health {
            0..3 => (Reverse(unit.kind.numbers().damage), 0),
            _ => (Reverse(0), unit.health),
        });
        for (spared, _) in sparing {
            let rest: Vec<_> = hitting.iter().copied().filter(|(unit_id, _)| *unit_id != spared).collect();
            if health_after(enemy, &rest) == 0 {
                hitting = rest;
            }
        }
        for (unit_id, _) in hitting {
            self.order(unit_id, UnitOrder::Attack(id));
        }
        self.doomed.insert(id);
    }

    /// Hits an enemy that survives the turn; pioneers run from it if it is stronger and the base isn't near.
    fn hit(&mut self, id: UnitId, enemy: &Unit) {
        let view = self.view;
        let fighters = |at: Position| -> Vec<Position> {
            let foes =
                view.enemy_units().filter(|(id, foe)| foe.kind == Fighter && !self.doomed.contains(id));
            foes.map(|(_, foe)| foe.at).filter(|&foe| view.reach(foe, at) <= 2).collect()
        };
        let near = |(_, unit): &(UnitId, &Unit)| unit.kind != Worker && view.reach(unit.at, enemy.at) <= 2;
        let support = self.own().into_iter().filter(near).count();
        let brave = view.reach(enemy.at, self.home) <= 3
            || support > 2 * fighters(enemy.at).len().max(1)
            || !matches!(enemy.kind, Fighter | Sapper);
        let intent = |unit: &Unit| match brave || unit.kind != Pioneer {
            true => Intent::Order(UnitOrder::Attack(id)),
            false => Intent::Flee(fighters(unit.at).into_iter().chain([enemy.at]).collect()),
        };
        let intents: Vec<_> =
            self.beside(enemy).into_iter().map(|(unit_id, unit)| (unit_id, intent(unit))).collect();
        self.intents.extend(intents);
    }

    /// The fighters nearest to an enemy's base go to it and take it.
    pub(super) fn strike(&mut self) {
        let (view, enemy_base) = (self.view, self.likely_enemy_base());
        let mut fighters: Vec<_> = self.own().into_iter().filter(|(_, unit)| unit.kind == Fighter).collect();
        fighters.sort_by_key(|(id, unit)| (self.distance(unit.at, enemy_base), *id));
        if fighters.len() < STRIKERS {
            return;
        }
        for (id, unit) in fighters.into_iter().take(STRIKERS) {
            let hits = matches!(self.intents.get(&id), Some(Intent::Order(UnitOrder::Attack(_))));
            let distance = view.reach(unit.at, enemy_base);
            if distance == 0 {
                self.order(id, view.taking_order(enemy_base).unwrap_or(UnitOrder::Defend));
            } else if distance > 1 && !hits || distance == 1 && view.unit_at(enemy_base).is_none() {
                self.intents.insert(id, Intent::Charge(enemy_base));
            }
        }
    }

    /// Sends units to the enemies near the base, the nearest enemy first, and decides for the unit on the base.
    pub(super) fn defend(&mut self, base: BaseOrder) {
        let (view, home) = (self.view, self.home);
        let threatens = |(id, (enemy, seen)): &(&UnitId, &(Unit, u32))| {
            let near = view.reach(enemy.at, home) <= ALARM_RADIUS && view.turn - seen <= 3;
            near && enemy.kind != Worker && !self.doomed.contains(id)
        };
        let threats = self.enemies.iter().filter(threatens).map(|(id, (enemy, _))| (*id, *enemy));
        let mut threats: Vec<(UnitId, Unit)> = threats.collect();
        threats.sort_by_key(|(_, enemy)| self.distance(enemy.at, home));
        for (id, enemy) in &threats {
            self.meet(*id, enemy);
        }
        let Some((_, nearest)) = threats.first() else { return };
        let on_base = |(id, unit): &(UnitId, &Unit)| unit.at == home && !self.intents.contains_key(id);
        let Some((id, unit)) = self.own().into_iter().find(on_base) else { return };
        let distance = view.reach(nearest.at, home);
        // A unit that is about to appear needs the base empty; otherwise the base is safer with a unit on it.
        let ready = base == BaseOrder::Continue && view.own.slot.is_some_and(|slot| slot.left <= 1);
        if ready && distance > 1 {
            self.intents.insert(id, Intent::Charge(nearest.at));
        } else if !ready && distance <= 2 {
            let defends = matches!(unit.kind, Fighter | Sapper);
            self.order(id, if defends { UnitOrder::Defend } else { UnitOrder::Gold });
        }
    }

    /// Sends the nearest units to an enemy, as many as it takes to kill it, and some to spare.
    fn meet(&mut self, id: UnitId, enemy: &Unit) {
        let (view, home) = (self.view, self.home);
        let damage = |(unit_id, unit): &(UnitId, &Unit)| match self.intents.get(unit_id) {
            Some(Intent::Order(UnitOrder::Attack(hit))) if *hit == id => unit.kind.numbers().damage,
            _ => 0,
        };
        let hit: u32 = self.own().iter().map(damage).sum();
        let distance = view.reach(enemy.at, home);
        let spare = if enemy.kind == Fighter { 3 } else { 1 } + if distance == 0 { 8 } else { 0 };
        let mut need = (enemy.health + spare).saturating_sub(hit);
        let radius = if distance <= 1 { RESCUE_RADIUS } else { CALL_RADIUS };
        let mut idle = self.idle(&ARMED);
        idle.sort_by_key(|(_, unit)| self.distance(unit.at, enemy.at));
        for (unit_id, unit) in idle {
            if need == 0 || view.reach(unit.at, enemy.at) > radius {
                break;
            }
            if unit.at != home || distance > 2 {
                need = need.saturating_sub(unit.kind.numbers().damage);
                self.intents.insert(unit_id, Intent::Charge(enemy.at));
            }
        }
    }
}
