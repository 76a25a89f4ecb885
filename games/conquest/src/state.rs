//! The world as lines of the operator's language, and as a picture in letters.
//!
//! Reads the world and changes nothing. Tested in `tests/operator.rs`.

use std::fmt::Write as _;

use zappy_protocol::Position;
use zappy_protocol::conquest::{Building, FactionId, Stance, Tile, UnitId};

use super::world::World;

impl World {
    /// The lines which bring an emptied world with the same options to this state, without `/mode`, which the caller
    /// adds.
    pub fn state(&self) -> Vec<String> {
        let plain = Tile::default();
        let tiles = self.size.tiles().filter(|&at| *self.tile(at) != plain);
        let mut lines: Vec<String> = tiles.map(|at| self.tile_line(at)).collect();
        lines.extend(self.units.keys().flat_map(|&unit| self.unit_lines(unit)));
        lines.extend(self.ids().map(|faction| self.faction_line(faction)));
        lines.extend(self.cities.keys().map(|&at| self.city_line(at)));
        lines.push(format!("/turn {} next-unit {}", self.turn, self.next_unit));
        lines
    }

    pub(super) fn tile_line(&self, at: Position) -> String {
        let Tile { owner, terrain, flags, building } = self.tile(at);
        let siege = self.weakened.get(&at).map_or_else(String::new, |base| format!(" siege {}", base.left));
        let name =
            |faction: Option<FactionId>| faction.map_or("-", |known| self.faction(known).name.as_str());
        let switch = |on: bool| if on { "on" } else { "off" };
        format!(
            "/tile {at} owner {} base {} resource {} fort {} bomb {} terrain {terrain} building {}{siege}",
            name(*owner),
            switch(flags.base),
            switch(flags.resource),
            switch(flags.fort),
            name(self.bombs.get(&at).copied()),
            building.map_or("-", Building::name),
        )
    }

    pub(super) fn unit_lines(&self, id: UnitId) -> Vec<String> {
        let Some(unit) = self.units.get(&id) else { return Vec::new() };
        let name = &self.faction(unit.faction).name;
        let mut lines = vec![format!("/unit new {name} {} {} as {id}", unit.kind, unit.at)];
        if unit.health != unit.kind.numbers().health || unit.stance != Stance::default() {
            lines.push(format!("/unit {id} health {} state {}", unit.health, unit.stance.name()));
        }
        lines
    }

    pub(super) fn faction_line(&self, faction: FactionId) -> String {
        let known = self.faction(faction);
        let none = || "-".to_owned();
        let slot = known.slot.map_or_else(none, |slot| format!("{} {}", slot.kind, slot.left));
        let base = known.base.map_or_else(String::new, |base| format!(" base {base}"));
        let dead = known.beaten.map_or_else(none, |turn| turn.to_string());
        let held = (known.alive() && self.knows_dominion()).then(|| format!(" held {}", known.held));
        format!(
            "/faction {} gold {} food {} wood {} bombs {} score {} kills {} slot {slot}{base} dead {dead}{}",
            known.name,
            known.gold,
            known.food,
            known.wood,
            known.bombs,
            known.score,
            known.kills,
            held.unwrap_or_default(),
        )
    }

    pub(super) fn city_line(&self, at: Position) -> String {
        let Some(city) = self.cities.get(&at) else { return String::new() };
        let mut line = format!("/city {at} citizens {}", city.citizens);
        for tile in &city.tiles {
            let _ = write!(line, " assign {tile}");
        }
        line
    }

    /// The map in letters, two for each tile: its owner as a digit (`.` is none, `+` one beyond the ninth), and what
    /// is there: a unit (its type's first letter, capital), a base `b`, a resource `r`, or `-`.
    pub fn drawing(&self) -> String {
        let owner = |at: Position| match self.tile(at).owner {
            None => '.',
            Some(FactionId(number @ 0..=9)) => char::from(b'0' + number),
            Some(_) => '+',
        };
        let sign = |at: Position| {
            let unit = self.site(at).unit.and_then(|unit| self.units.get(&unit));
            let letter = unit.and_then(|unit| unit.kind.name().chars().next());
            let flags = self.tile(at).flags;
            match letter {
                Some(letter) => letter.to_ascii_uppercase(),
                None if flags.base => 'b',
                None if flags.resource => 'r',
                None => '-',
            }
        };
        let tile = |at| [owner(at), sign(at)];
        let row = |y| (0..self.size.width()).flat_map(|x| tile(Position { x, y })).collect::<String>();
        (0..self.size.height()).map(row).collect::<Vec<String>>().join("\n")
    }
}
