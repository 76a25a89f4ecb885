//! The lines that a faction reads at the beginning of its phase, and the tiles that it sees.
//!
//! Reads the world and changes nothing. Tested in `tests`.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::RULES_VERSION;
use zappy_protocol::conquest::geometry::surroundings;
use zappy_protocol::conquest::player::{Ranked, ServerLine};
use zappy_protocol::conquest::{Building, FactionId, Tile, Unit, UnitId, UnitType};

use super::world::{Site, World};

impl World {
    /// The last line of a faction's handshake.
    pub fn game_line(&self, you: FactionId) -> ServerLine {
        ServerLine::Game { version: RULES_VERSION, you, options: self.options.clone() }
    }

    /// The last line of the match.
    pub fn over_line(&self) -> ServerLine {
        let ranked = self.ranking().into_iter().map(|one| {
            let name = self.faction(one.faction).name.clone();
            Ranked { rank: one.rank, name, score: one.score }
        });
        ServerLine::Over(ranked.collect())
    }

    /// Appends the snapshot for a faction, from `turn` to `go`: lines with `\n` between them. It says what became of the
    /// faction's last orders until the next ones are resolved.
    pub fn snapshot(&self, faction: FactionId, out: &mut Vec<u8>) {
        let mut send = |line: &ServerLine| {
            line.write(out);
            out.push(b'\n');
        };
        send(&ServerLine::Turn(self.turn));
        if !self.order.is_empty() {
            send(&ServerLine::Order(self.order.iter().map(|&one| self.name(one)).collect()));
        }
        if self.knows_dominion() {
            send(&ServerLine::Dominion(self.dominion(self.turn)));
        }
        for (known, id) in self.factions.iter().zip(self.ids()) {
            let (name, alive, holdings) = (known.name.clone(), known.alive(), known.holdings());
            send(&if id == faction {
                ServerLine::Own { faction: id, name, alive, holdings }
            } else {
                let (land, population, score) = (holdings.land, holdings.population, holdings.score);
                ServerLine::Other { faction: id, name, alive, land, population, score }
            });
        }
        for (actor, outcome) in &self.faction(faction).did {
            let outcome = outcome.clone().map_err(|why| why.text());
            send(&ServerLine::Did { actor: *actor, outcome });
        }
        let tiles = self.sight(faction);
        let mut units: Vec<UnitId> = tiles.iter().filter_map(|&(at, _)| self.site(at).unit).collect();
        units.sort_unstable();
        for id in units {
            if let Some(&unit) = self.units.get(&id) {
                send(&ServerLine::Unit { id, unit });
            }
        }
        for &(at, tile) in &tiles {
            send(&ServerLine::Tile { at, tile });
        }
        for (at, base) in tiles.iter().filter_map(|&(at, _)| Some((at, self.weakened.get(&at)?))) {
            send(&ServerLine::Siege { at, left: base.left });
        }
        for &at in self.faction(faction).bases.iter().filter(|at| self.cities.contains_key(at)) {
            let people = self.people(at);
            let tiles = self.cities[&at].tiles.iter().copied().collect();
            let (citizens, workers, merchants) = (people.citizens, people.workers, people.merchants);
            send(&ServerLine::City { at, citizens, workers, merchants, tiles });
        }
        for (&at, &ready) in &self.camps {
            let Site { tile, city, .. } = *self.site(at);
            if let Some(Building::Camp(kind)) = tile.building.filter(|_| tile.owner == Some(faction)) {
                send(&ServerLine::Camp { at, kind, city, ready });
            }
        }
        ServerLine::Go(self.turn).write(out);
    }

    /// The tiles that the faction sees, sorted, a bomb only where one of its sappers sees it.
    fn sight(&self, faction: FactionId) -> Vec<(Position, Tile)> {
        let own = self.faction(faction);
        let units: Vec<&Unit> = own.units.iter().filter_map(|unit| self.units.get(unit)).collect();
        let around = |places: &mut dyn Iterator<Item = Position>| {
            let mut seen: Vec<Position> = places.flat_map(|at| surroundings(self.size, at)).collect();
            seen.sort_unstable();
            seen.dedup();
            seen
        };
        let seen = around(&mut units.iter().map(|unit| unit.at).chain(own.bases.iter().copied()));
        let sappers = units.iter().filter(|unit| unit.kind == UnitType::Sapper);
        let searched = around(&mut sappers.map(|unit| unit.at));
        let shown = |at: Position| {
            let mut tile = *self.tile(at);
            tile.flags.bomb &= searched.binary_search(&at).is_ok();
            (at, tile)
        };
        seen.into_iter().map(shown).collect()
    }
}
