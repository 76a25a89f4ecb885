//! What units are ordered to do.
//!
//! `check_unit` says whether an order is allowed, or why not; `apply_unit` carries it out unchecked. Tested in `tests`.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{
    CLEAR_SCORE, CONQUER_RESOURCE_SCORE, CONQUER_SCORE, CONVERT_SCORE, DEPLOY_GOLD, FORT_GOLD, FORTIFY_SCORE,
    HEAL_SCORE, HEALING, KILL_SCORE, NEUTRALIZE_SCORE, PIONEER_GOLD, RESOURCE_GOLD, WORKER_GOLD,
    building_wood,
};
use zappy_protocol::conquest::geometry::adjacent;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::player::UnitOrder;
use zappy_protocol::conquest::{Building, Cause, FactionId, Stance, Unit, UnitId, UnitType};

use super::refusal::{Refusal, require, require_or_never};
use super::world::World;

impl World {
    /// Whether a unit of the faction may do this now.
    pub(super) fn check_unit(&self, faction: FactionId, id: UnitId, order: UnitOrder) -> Result<(), Refusal> {
        let own = self.units.get(&id).filter(|unit| unit.faction == faction);
        let unit = own.ok_or_else(|| Refusal::never("not your unit"))?;
        require_or_never(!unit.stance.converted, || "it was converted")?;
        let (kind, order_kind) = (unit.kind, order.kind());
        require_or_never(order_kind.fits(kind), || format!("a {kind} can't {order_kind}"))?;
        let tile = self.tile(unit.at);
        let own_tile = require(tile.owner == Some(faction), || "the tile isn't your own");
        match order {
            UnitOrder::Travel(to) => {
                require_or_never(self.size.contains(to), || format!("{to} is off the map"))?;
                require(adjacent(self.size, unit.at, to), || "the tile isn't next to the unit")?;
                require(self.site(to).unit.is_none(), || "a unit stands there")
            }
            UnitOrder::Conquer => require(tile.owner.is_none(), || "the tile isn't neutral"),
            UnitOrder::Neutralize => {
                let is_enemys = tile.owner.is_some_and(|owner| self.enemies(owner, faction));
                require(is_enemys, || "the tile isn't an enemy's")
            }
            UnitOrder::Gold => own_tile,
            UnitOrder::Attack(target) => self.enemy_beside(unit, target),
            UnitOrder::Fortify => {
                own_tile?;
                require(!tile.flags.fort, || "a fort stands there already")?;
                self.check_gold(faction, FORT_GOLD)
            }
            UnitOrder::Heal(target) => {
                let friend = self.units.get(&target).filter(|friend| {
                    !self.enemies(friend.faction, faction) && adjacent(self.size, unit.at, friend.at)
                });
                let none = || Refusal::not_now(format!("no other friendly unit {target} is next to it"));
                let friend = friend.ok_or_else(none)?;
                require(friend.health < friend.kind.numbers().health, || format!("unit {target} isn't hurt"))
            }
            UnitOrder::Convert(target) => {
                require(unit.stance.enlightened, || "the cleric isn't enlightened; it has to pray first")?;
                self.enemy_beside(unit, target)?;
                let on_base = self
                    .units
                    .get(&target)
                    .is_some_and(|enemy| self.faction(enemy.faction).base == Some(enemy.at));
                require(!(on_base && self.rules().loyalty), || "it stands on its base")?;
                self.check_cap(faction)
            }
            UnitOrder::Deploy => {
                own_tile?;
                require(!tile.flags.bomb, || "a bomb lies there already")?;
                require(self.faction(faction).bombs > 0, || "no bomb left; the base makes them")?;
                self.check_gold(faction, DEPLOY_GOLD)
            }
            UnitOrder::Clear => require(tile.flags.bomb, || "no bomb lies there"),
            UnitOrder::Build(building) => self.check_building(faction, unit.at, building),
            UnitOrder::Defend | UnitOrder::Pray | UnitOrder::Retire | UnitOrder::Idle => Ok(()),
        }
    }

    /// Whether that enemy stands next to the unit.
    fn enemy_beside(&self, unit: &Unit, target: UnitId) -> Result<(), Refusal> {
        let enemy = self.units.get(&target).filter(|enemy| {
            self.enemies(enemy.faction, unit.faction) && adjacent(self.size, unit.at, enemy.at)
        });
        enemy.map(|_| ()).ok_or_else(|| Refusal::not_now(format!("no enemy's unit {target} is next to it")))
    }

    pub(super) fn check_gold(&self, faction: FactionId, cost: u64) -> Result<(), Refusal> {
        let gold = self.faction(faction).gold;
        require(gold >= cost, || format!("not enough gold: {gold} of {cost}"))
    }

    pub(super) fn check_cap(&self, faction: FactionId) -> Result<(), Refusal> {
        let (population, cap) = (self.faction(faction).population(), self.faction(faction).cap());
        require(population < cap, || format!("the population is at its cap: {population} of {cap}"))
    }

    fn check_building(&self, faction: FactionId, at: Position, building: Building) -> Result<(), Refusal> {
        require_or_never(self.options.cities, || "this match has no cities")?;
        let tile = self.tile(at);
        require(tile.owner == Some(faction), || "the tile isn't your own")?;
        require(!tile.flags.base, || "a base stands there")?;
        require(tile.building.is_none(), || "a building stands there already")?;
        let (wood, cost) = (self.faction(faction).wood, building_wood(building));
        require(wood >= cost, || format!("not enough wood: {wood} of {cost}"))
    }

    /// Carries out what `check_unit` allowed.
    pub(super) fn apply_unit(&mut self, faction: FactionId, id: UnitId, order: UnitOrder) {
        let Some(unit) = self.units.get(&id).copied() else { return };
        let at = unit.at;
        match order {
            UnitOrder::Travel(to) => self.travel(id, unit, to),
            UnitOrder::Conquer => {
                let resource = if self.tile(at).flags.resource { CONQUER_RESOURCE_SCORE } else { 0 };
                self.set_owner(at, Some(faction));
                self.faction_mut(faction).score += CONQUER_SCORE + resource;
            }
            UnitOrder::Neutralize => {
                if self.tile(at).flags.fort {
                    self.edit(at, |tile| tile.flags.fort = false);
                } else if !self.withstands(at) {
                    let owner = self.tile(at).owner.map(|owner| self.faction_mut(owner));
                    if let Some(owner) = owner.filter(|owner| owner.base == Some(at)) {
                        owner.fell_to = Some((faction, unit.kind));
                    }
                    self.set_owner(at, None);
                    self.faction_mut(faction).score += NEUTRALIZE_SCORE;
                }
            }
            UnitOrder::Gold => {
                let earned = match unit.kind {
                    UnitType::Pioneer => PIONEER_GOLD,
                    _ if self.tile(at).flags.resource => RESOURCE_GOLD,
                    _ => WORKER_GOLD,
                };
                self.earn(faction, earned);
            }
            UnitOrder::Attack(target) => self.attack(faction, id, unit, target),
            UnitOrder::Defend => self.set_stance(id, Stance { defended: true, ..unit.stance }),
            UnitOrder::Pray => self.set_stance(id, Stance { enlightened: true, ..unit.stance }),
            UnitOrder::Fortify => {
                self.faction_mut(faction).gold -= FORT_GOLD;
                self.edit(at, |tile| tile.flags.fort = true);
                self.faction_mut(faction).score += FORTIFY_SCORE;
            }
            UnitOrder::Heal(target) => {
                let Some(friend) = self.units.get(&target).copied() else { return };
                self.unsent.messages.push(Message::Healed { unit: id, target });
                let health = (friend.health + HEALING).min(friend.kind.numbers().health);
                self.set_health(target, health, friend.stance);
                self.faction_mut(faction).score += HEAL_SCORE;
            }
            UnitOrder::Convert(target) => {
                self.set_stance(id, Stance { enlightened: false, ..unit.stance });
                if let Some(convert) = self.units.get(&target).copied() {
                    self.strike_off(target, convert);
                    let convert = Unit { faction, ..convert };
                    self.units.insert(target, convert);
                    self.enlist(target, convert);
                    self.unsent
                        .messages
                        .push(Message::Converted { unit: target, faction: self.name(faction) });
                    // Nothing shields it any more.
                    let stance = Stance { converted: self.rules().loyalty, ..Stance::default() };
                    self.set_health(target, convert.health, stance);
                    self.converted.push(target);
                }
                self.faction_mut(faction).score += CONVERT_SCORE;
            }
            UnitOrder::Deploy => {
                let owner = self.faction_mut(faction);
                owner.gold -= DEPLOY_GOLD;
                owner.bombs -= 1;
                self.set_bomb(at, Some(faction));
            }
            UnitOrder::Clear => {
                let enemys = self.bombs.get(&at).is_some_and(|&owner| self.enemies(owner, faction));
                self.set_bomb(at, None);
                self.faction_mut(faction).score += if enemys { CLEAR_SCORE } else { 0 };
            }
            UnitOrder::Build(building) => {
                self.faction_mut(faction).wood -= building_wood(building);
                self.edit(at, |tile| tile.building = Some(building));
            }
            UnitOrder::Retire => {
                self.remove_unit(id, Cause::Retired);
                self.faction_mut(faction).score -= unit.kind.numbers().build_score;
            }
            UnitOrder::Idle => {}
        }
    }

    pub(super) fn earn(&mut self, faction: FactionId, gold: u64) {
        let faction = self.faction_mut(faction);
        faction.gold = faction.gold.saturating_add(gold);
    }

    fn set_stance(&mut self, id: UnitId, stance: Stance) {
        if let Some(health) = self.units.get(&id).map(|unit| unit.health) {
            self.set_health(id, health, stance);
        }
    }

    fn travel(&mut self, id: UnitId, unit: Unit, to: Position) {
        self.move_unit(id, to);
        let owner = self.bombs.get(&to).copied();
        let Some(owner) = owner.filter(|&owner| self.enemies(owner, unit.faction)) else { return };
        if unit.kind != UnitType::Sapper {
            self.remove_unit(id, Cause::Bomb);
            self.set_bomb(to, None);
            self.count_kill(owner);
        }
    }

    fn attack(&mut self, faction: FactionId, id: UnitId, unit: Unit, target: UnitId) {
        let Some(enemy) = self.units.get(&target).copied() else { return };
        self.unsent.messages.push(Message::Attacked { unit: id, target });
        let damage = unit.kind.numbers().damage;
        let Stance { defended, enlightened, .. } = enemy.stance;
        let (damage, stance) = match (enlightened, defended) {
            (true, _) => (0, Stance { enlightened: false, ..enemy.stance }),
            (false, true) => (damage.div_ceil(2), Stance { defended: false, ..enemy.stance }),
            (false, false) => (damage, enemy.stance),
        };
        if damage < enemy.health {
            self.set_health(target, enemy.health - damage, stance);
        } else {
            self.remove_unit(target, Cause::Attack);
            self.count_kill(faction);
        }
    }

    fn count_kill(&mut self, faction: FactionId) {
        let faction = self.faction_mut(faction);
        faction.score += KILL_SCORE;
        faction.kills += 1;
    }
}
