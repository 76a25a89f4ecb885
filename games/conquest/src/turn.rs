//! A turn of the world: its phases with their orders, the resolution, defeats, and what happens at its end.
//!
//! Which factions act when, and when a phase ends, is decided by the caller. Tested in `tests`.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{LARGEST_LAND_SCORE, LATE_PENALTY, UNPAID_PENALTY};
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::player::{Actor, Order};
use zappy_protocol::conquest::{Cause, FactionId, Stance, Unit, UnitId};

use super::refusal::{Answer, Refusal, require};
use super::world::{Orders, World};

impl World {
    /// Gives the running turn another number.
    pub fn set_turn(&mut self, turn: u32) {
        self.turn = turn;
    }

    /// Begins a turn: all camps may recruit again. `order`: the factions in the order of its phases; empty if all act together.
    pub fn begin_turn(&mut self, turn: u32, order: &[FactionId]) {
        self.turn = turn;
        self.order = order.to_vec();
        self.used_camps().collect::<Vec<_>>().into_iter().for_each(|at| self.set_camp(at, true));
    }

    /// Begins the phase of these factions, which come in the order of its resolution: they pay their upkeep, and every faction
    /// that has lost its base is beaten.
    pub fn begin_phase(&mut self, acting: &[FactionId]) {
        self.unsent.changed = true;
        for &faction in acting {
            if !self.alive(faction) {
                continue;
            }
            self.regain(faction);
            let owner = &mut self.factions[faction.index()];
            owner.orders = Orders::default();
            if let Some(rest) = owner.gold.checked_sub(owner.upkeep) {
                owner.gold = rest;
                continue;
            }
            owner.gold = 0;
            owner.score -= UNPAID_PENALTY;
            self.unsent.messages.push(Message::Unpaid(owner.name.clone()));
            // Units with the highest upkeep leave first, of equals the one with the highest number. The last unit stays.
            let units = &self.faction(faction).units;
            let mut dearest: Vec<(u64, UnitId)> =
                units.iter().map(|id| (self.units[id].kind.numbers().upkeep, *id)).collect();
            dearest.sort_unstable();
            let leaving = self.rules().deserters.min(dearest.len().saturating_sub(1));
            for &(_, unit) in dearest.iter().rev().take(leaving) {
                self.remove_unit(unit, Cause::Unpaid);
                let left = Refusal::not_now("it left: upkeep unpaid");
                self.faction_mut(faction).did.push((Actor::Unit(unit), Err(left)));
            }
        }
        self.remove_beaten();
    }

    /// Whether the order would be allowed as things stand. Changes nothing.
    ///
    /// # Errors
    /// Why it isn't.
    pub fn check(&self, faction: FactionId, order: &Order) -> Result<(), Refusal> {
        match *order {
            Order::Base(order) => self.check_base(faction, order),
            Order::City(at, order) => self.check_city(faction, at, order),
            Order::Unit(unit, order) => self.check_unit(faction, unit, order),
        }
    }

    /// Takes an order of a faction that acts in this phase, and answers it. A later order for the same unit or base
    /// replaces the earlier one; orders of cities never replace each other.
    pub fn submit(&mut self, faction: FactionId, order: &Order) -> Answer {
        if !self.alive(faction) {
            return Answer::Ko(Refusal::never("the faction is beaten"));
        }
        let answer = match self.check(faction, order) {
            Ok(()) => Answer::Ok,
            Err(why) if why.is_final() => return Answer::Ko(why),
            Err(why) => Answer::Maybe(why),
        };
        let orders = &mut self.factions[faction.index()].orders;
        match *order {
            Order::Base(order) => orders.base = Some(order),
            Order::City(at, order) => orders.cities.push((at, order)),
            Order::Unit(unit, order) => drop(orders.units.insert(unit, order)),
        }
        answer
    }

    /// Takes score from a faction that wasn't done when its phase ended. What it ordered counts.
    pub fn late(&mut self, faction: FactionId) {
        self.faction_mut(faction).score -= LATE_PENALTY;
        self.unsent.messages.push(Message::Late(self.name(faction)));
    }

    /// Carries out the orders of these factions, one faction after the other: base, cities in the order given, units by
    /// number. Each order is checked again when its turn has come. Then the factions that have lost their base are
    /// beaten.
    pub fn resolve(&mut self, sequence: &[FactionId]) {
        self.converted.clear();
        self.factions.iter_mut().filter(|one| one.alive()).for_each(|one| one.fell_to = None);
        for &faction in sequence {
            let owner = self.faction_mut(faction);
            owner.did.clear();
            let Orders { base, cities, units } = std::mem::take(&mut owner.orders);
            if !self.alive(faction) {
                continue;
            }
            let cities = cities.into_iter().map(|(at, order)| Order::City(at, order));
            let units = units.into_iter().map(|(unit, order)| Order::Unit(unit, order));
            for order in base.map(Order::Base).into_iter().chain(cities).chain(units) {
                let outcome = self.carry_out(faction, &order);
                let actor = order.actor();
                self.faction_mut(faction).did.push((actor, outcome.clone()));
                let actor = match actor {
                    Actor::Base => Actor::Base,
                    Actor::City(_) => Actor::City(()),
                    Actor::Unit(unit) => Actor::Unit(unit),
                };
                let (faction, outcome) = (self.name(faction), outcome.map_err(|why| why.text()));
                self.unsent.messages.push(Message::Ordered { faction, actor, outcome });
            }
        }
        // Converted units take orders again, but for those that changed sides in this resolution.
        let is_converted = |(id, unit): &(&UnitId, &Unit)| {
            unit.stance.converted && sequence.contains(&unit.faction) && !self.converted.contains(id)
        };
        let converted = self.units.iter().filter(is_converted);
        for (id, health) in converted.map(|(&id, unit)| (id, unit.health)).collect::<Vec<_>>() {
            self.set_health(id, health, Stance::default());
        }
        self.remove_beaten();
    }

    fn carry_out(&mut self, faction: FactionId, order: &Order) -> Result<(), Refusal> {
        if let Order::Unit(unit, _) = *order {
            // The order of a unit that changed sides is lost, even if it changed back.
            let known = self.units.get(&unit).ok_or_else(|| Refusal::not_now("the unit is gone"))?;
            let kept = known.faction == faction && !self.converted.contains(&unit);
            require(kept, || "the unit changed sides")?;
        }
        self.check(faction, order)?;
        match *order {
            Order::Base(order) => self.apply_base(faction, order),
            Order::City(at, order) => self.apply_city(faction, at, order),
            Order::Unit(unit, order) => self.apply_unit(faction, unit, order),
        }
        Ok(())
    }

    /// Beats every living faction that has lost its base: its units, bombs and slot vanish, its land becomes neutral.
    fn remove_beaten(&mut self) {
        let homeless = |faction: &FactionId| self.alive(*faction) && !self.holds_base(*faction);
        for faction in self.ids().filter(homeless).collect::<Vec<_>>() {
            let turn = self.turn;
            let owner = self.faction_mut(faction);
            owner.beaten = Some(turn);
            (owner.slot, owner.bombs, owner.orders) = (None, 0, Orders::default());
            let units: Vec<UnitId> = owner.units.iter().copied().collect();
            self.unsent.messages.push(Message::Beaten(self.name(faction)));
            units.into_iter().for_each(|unit| self.remove_unit(unit, Cause::Beaten));
            let bombs = self.bombs.iter().filter(|&(_, &owner)| owner == faction);
            let bombs: Vec<Position> = bombs.map(|(&at, _)| at).collect();
            bombs.into_iter().for_each(|at| self.set_bomb(at, None));
            let land = self.size.tiles().filter(|&at| self.tile(at).owner == Some(faction));
            let land: Vec<Position> = land.collect();
            land.into_iter().for_each(|at| self.set_owner(at, None));
        }
    }

    /// Ends a turn: the faction with strictly the largest land scores, and cities produce.
    pub fn end_turn(&mut self) {
        let living = self.ids().filter(|&faction| self.alive(faction));
        let mut lands: Vec<(u32, FactionId)> =
            living.map(|faction| (self.faction(faction).land, faction)).collect();
        lands.sort_unstable_by(|one, other| other.cmp(one));
        if let [(largest, faction), rest @ ..] = &lands[..]
            && rest.first().is_none_or(|&(second, _)| second < *largest)
        {
            let more = self.rules().largest_land_turns.map_or(0, |turns| self.turn / turns);
            self.faction_mut(*faction).score += LARGEST_LAND_SCORE + i64::from(more);
        }
        if self.options.cities {
            self.produce();
        }
        self.count_dominion();
    }
}
