//! The world as an observer should know it, and the fingerprint of all of it.
//!
//! Reads the world and changes nothing. The simulator compares the projection with the mirror built from messages after
//! every step. Tested in `tests/simulation`.

use zappy_protocol::Position;
use zappy_protocol::conquest::Slot;
use zappy_protocol::conquest::constants::{RULES_VERSION, TICKS_PER_SECOND};
use zappy_protocol::conquest::mirror::{Mirror, MirrorFaction};
use zappy_protocol::record::Fingerprint;

use super::world::{Faction, World};

impl World {
    /// The world as the observers' dialect describes it, but for the turn, the running phase and the winners.
    pub fn projection(&self) -> Mirror {
        let faction = |known: &Faction| MirrorFaction {
            name: known.name.clone(),
            alive: known.alive(),
            holdings: known.holdings(),
        };
        let assigned = self.size.tiles().filter_map(|at| self.site(at).city.map(|city| (at, city)));
        Mirror {
            size: Some(self.size),
            rate: TICKS_PER_SECOND,
            version: RULES_VERSION,
            options: Some(self.options.clone()),
            factions: self.factions.iter().map(faction).collect(),
            tiles: self.sites.iter().map(|site| site.tile).collect(),
            bombs: self.bombs.clone(),
            units: self.units.clone(),
            assigned: assigned.collect(),
            cities: self.cities.keys().map(|&at| (at, self.people(at))).collect(),
            used_camps: self.used_camps().collect(),
            sieges: self.weakened.iter().map(|(&at, base)| (at, base.left)).collect(),
            dominion: self.observed.dominion.clone(),
            ..Mirror::default()
        }
    }

    /// A fingerprint of all that `/state` prints: not of orders, of what became of them, and of this turn's recruits.
    pub fn digest(&self) -> u64 {
        let mut print = Fingerprint::default();
        print.update_number(self.turn.into());
        print.update_number(self.next_unit.into());
        for tile in self.sites.iter().map(|site| &site.tile) {
            let owner = tile.owner.map_or(0, |owner| u8::saturating_add(owner.0, 1));
            print.update(&[owner, tile.terrain as u8]);
            print.update(&tile.flags.letters());
            print.update(tile.building.map_or("-", |building| building.name()).as_bytes());
        }
        for (at, owner) in &self.bombs {
            add_position(&mut print, Some(*at));
            print.update_number(owner.0.into());
        }
        for (at, base) in &self.weakened {
            add_position(&mut print, Some(*at));
            print.update_number(base.left.into());
        }
        for (id, unit) in &self.units {
            print.update_number(u64::from(id.0) << 32 | u64::from(unit.health));
            print.update(&[unit.faction.0, unit.kind as u8]);
            print.update(unit.stance.name().as_bytes());
            add_position(&mut print, Some(unit.at));
        }
        for faction in &self.factions {
            let slot = |slot: Slot| 1 + u64::from(slot.left) * 8 + slot.kind as u64;
            let numbers = [
                faction.beaten.map_or(0, |turn| u64::from(turn) + 1),
                faction.gold,
                faction.food,
                faction.wood,
                faction.bombs.into(),
                faction.kills.into(),
                faction.score.cast_unsigned(),
                faction.slot.map_or(0, slot),
            ];
            numbers.into_iter().for_each(|number| print.update_number(number));
            add_position(&mut print, faction.base);
            if self.knows_dominion() {
                print.update_number(faction.held.into());
            }
        }
        for (at, city) in &self.cities {
            add_position(&mut print, Some(*at));
            print.update_number(city.citizens.into());
            city.tiles.iter().for_each(|tile| add_position(&mut print, Some(*tile)));
        }
        print.value()
    }
}

fn add_position(print: &mut Fingerprint, at: Option<Position>) {
    print.update_number(at.map_or(u64::MAX, |at| u64::from(at.x) << 16 | u64::from(at.y)));
}
