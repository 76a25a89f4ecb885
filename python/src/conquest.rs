//! The memory of a faction in conquest: the last snapshot, and how the lines since then were answered.

use zappy_protocol::conquest::constants::line_budget;
use zappy_protocol::conquest::player::{ServerLine, UnitOrderKind};
use zappy_protocol::conquest::{Building, FactionId, Flags, Holdings, Stance, Terrain, Tile, Unit, UnitId};
use zappy_protocol::{MapSize, Position};

use crate::memory::{Core, Memory};

/// The most units and cities that are observed and that an action can name, in the order of the snapshot.
const MAX_ROWS: usize = 64;
/// How many numbers a unit's row has; the last one is the answer to its order.
const UNIT_NUMBERS: usize = 6;
/// The plane of the map with each tile's owner, followed by the plane of buildings.
const OWNER_PLANE: usize = 8;
/// The plane of the map with the turns left of each siege.
const SIEGE_PLANE: usize = 10;
/// The first of the map's four planes of units.
const UNIT_PLANE: usize = 11;
/// The index in the observation's field `own` of the unit that the base builds.
const BASE_SLOT: usize = 12;

/// A faction's memory of the last snapshot and of its own lines.
#[derive(Default)]
pub struct Faction {
    core: Core,
    map: Option<MapSize>,
    you: FactionId,
    turn: u32,
    /// Whether its phase is open, so that it may send lines.
    is_open: bool,
    /// Whether the phase is a draft.
    is_draft: bool,
    /// The line that waits for its answer: the index in `own_units` of the unit that it orders, if any, and whether the
    /// line ends the phase.
    pending: Option<(Option<usize>, bool)>,
    /// Lines sent in this phase, `Done` not counted.
    lines: u32,
    /// The holdings that count for rewards, as of the last snapshot: land, score, kills, gold, population. `None`
    /// before the first.
    held: Option<[f32; 5]>,
    /// Its own units in the last snapshot.
    own_units: Vec<(UnitId, Unit)>,
    /// All units of the last snapshot, its own as well.
    all_units: Vec<(UnitId, Position)>,
    /// The tiles of its own cities.
    cities: Vec<Position>,
    /// The own tiles with a base.
    bases: Vec<Position>,
    /// The numbers of the start tiles that a draft offers.
    starts: Vec<u32>,
}

impl Faction {
    pub fn new(core: Core) -> Faction {
        Faction { core, ..Faction::default() }
    }

    fn begin_snapshot(&mut self, turn: u32) {
        (self.turn, self.is_open) = (turn, false);
        ["map", "units", "cities"].into_iter().for_each(|field| self.core.get_mut(field).fill(0.0));
        self.core.get_mut("turn")[0] = turn as f32;
        self.core.get_mut("turn")[3..].fill(0.0);
        (self.own_units, self.all_units) = (Vec::new(), Vec::new());
        (self.cities, self.bases) = (Vec::new(), Vec::new());
    }

    /// Sets the faction's holdings, and earns what they gained since the last snapshot.
    fn set_holdings(&mut self, now: &Holdings) {
        let parts =
            [now.land as f32, now.score as f32, now.kills as f32, now.gold as f32, now.population as f32];
        let stocks = [now.food as f32, now.wood as f32, now.bombs as f32, now.cap as f32, now.upkeep as f32];
        let base = now.base.map_or([-1.0; 2], |at| [at.x.into(), at.y.into()]);
        let slot = now.slot.map_or([0.0; 2], |slot| [f32::from(slot.kind as u8) + 1.0, slot.left as f32]);
        for ((sum, now), before) in self.core.earned.iter_mut().zip(parts).zip(self.held.unwrap_or(parts)) {
            *sum += now - before;
        }
        self.held = Some(parts);
        self.core.set("own", 0, &[&parts[..], &stocks, &base, &slot].concat());
    }

    /// Sets numbers of a tile in successive planes of the map, of which `plane` is the first.
    fn set_planes(&mut self, plane: usize, at: Position, numbers: &[f32]) {
        let Some(map) = self.map.filter(|map| map.contains(at)) else { return };
        let planes = self.core.get_mut("map").iter_mut().skip(map.index(at)).step_by(map.area() as usize);
        planes.skip(plane).zip(numbers).for_each(|(place, number)| *place = *number);
    }

    fn set_tile(&mut self, at: Position, tile: Tile) {
        let Tile { owner, terrain, flags: Flags { base, resource, fort, bomb }, building } = tile;
        let (is_own, is_forest) = (owner == Some(self.you), terrain == Terrain::Forest);
        let facts = [true, is_own, owner.is_some() && !is_own, is_forest, base, resource, fort, bomb];
        let building = building.and_then(|kind| Building::ALL.iter().position(|&known| known == kind));
        let numbers =
            [owner.map(FactionId::index), building].map(|index| index.map_or(0.0, |i| i as f32 + 1.0));
        self.set_planes(0, at, &facts.map(f32::from));
        self.set_planes(OWNER_PLANE, at, &numbers);
        if is_own && base {
            self.bases.push(at);
        }
    }

    fn add_unit(&mut self, id: UnitId, unit: Unit) {
        let (is_own, at, kind) = (unit.faction == self.you, unit.at, f32::from(unit.kind as u8) + 1.0);
        let Stance { defended, enlightened, converted } = unit.stance;
        let stance = u8::from(defended) + 2 * u8::from(enlightened) + 4 * u8::from(converted);
        let (health, stance) = (unit.health as f32, stance.into());
        let kinds = if is_own { [kind, 0.0] } else { [0.0, kind] };
        self.set_planes(UNIT_PLANE, at, &[kinds[0], kinds[1], health, stance]);
        self.all_units.push((id, at));
        if is_own {
            let row = [at.x.into(), at.y.into(), kind, health, stance, 0.0];
            self.core.set("units", self.own_units.len(), &row);
            self.own_units.push((id, unit));
        }
    }

    /// Takes the answer to the pending line: 1 `ok`, 2 `maybe`, 3 `ko`.
    fn answered(&mut self, answer: u8) {
        let Some((unit, ends)) = self.pending.take() else { return };
        self.core.get_mut("turn")[3] = answer.into();
        if let Some(unit) = unit.filter(|&unit| unit < MAX_ROWS) {
            self.core.set("units", unit * UNIT_NUMBERS + UNIT_NUMBERS - 1, &[answer.into()]);
        }
        self.core.earn("refused", f32::from(answer == 3));
        self.is_open &= !ends || answer != 1;
    }

    /// What replaces a name in braces in an action's line: an id or a position, one that doesn't exist if the unit,
    /// city, base or start with the index `place` is missing. `target`, 0 to 24, counts the 5 × 5 tiles around the unit
    /// or city, row by row.
    fn placeholder(&self, name: &str, place: usize, target: usize) -> String {
        let nowhere = Position { x: u16::MAX, y: u16::MAX };
        let near_to = |at: Position| {
            let offset = (target as i32 % 5 - 2, target as i32 / 5 - 2);
            self.map.filter(|map| map.contains(at)).map_or(at, |map| map.offset(at, offset))
        };
        let number = |number: Option<u32>| number.unwrap_or(u32::MAX).to_string();
        let own = self.own_units.get(place);
        let there = own.map_or(nowhere, |(_, unit)| near_to(unit.at));
        match name {
            "turn" => self.turn.to_string(),
            "unit" => number(own.map(|(id, _)| id.0)),
            "there" => there.to_string(),
            "other" => number(self.all_units.iter().find(|(_, at)| *at == there).map(|(id, _)| id.0)),
            "city" => self.cities.get(place).unwrap_or(&nowhere).to_string(),
            "near" => near_to(*self.cities.get(place).unwrap_or(&nowhere)).to_string(),
            "base" => self.bases.get(place).unwrap_or(&nowhere).to_string(),
            _ => number(self.starts.get(place).copied()),
        }
    }

    /// How many lines the faction may send in a phase.
    fn budget(&self) -> u32 {
        line_budget(u32::try_from(self.own_units.len()).unwrap_or(0))
    }
}

impl Memory for Faction {
    fn core(&mut self) -> &mut Core {
        &mut self.core
    }

    fn read(&mut self, line: &[u8]) {
        let Ok(line) = ServerLine::parse(line) else { return };
        if let ServerLine::Own { holdings, .. } = &line {
            self.set_holdings(holdings);
        }
        match line {
            ServerLine::MapSize(size) => self.map = Some(size),
            ServerLine::Game { you, options, .. } => {
                self.you = you;
                self.core.get_mut("turn")[1] = options.turns as f32;
            }
            ServerLine::Turn(turn) => self.begin_snapshot(turn),
            ServerLine::Dominion(dominion) => self.core.get_mut("turn")[2] = dominion.need as f32,
            ServerLine::Own {
                faction, alive, holdings: Holdings { land, population, score, .. }, ..
            }
            | ServerLine::Other { faction, alive, land, population, score, .. } => {
                let row = [alive.into(), land as f32, population as f32, score as f32];
                self.core.set("factions", faction.index(), &row);
            }
            ServerLine::Did { outcome, .. } => {
                self.core.get_mut("turn")[4 + usize::from(outcome.is_err())] += 1.0;
            }
            ServerLine::Unit { id, unit } => self.add_unit(id, unit),
            ServerLine::Tile { at, tile } => self.set_tile(at, tile),
            ServerLine::Siege { at, left } => self.set_planes(SIEGE_PLANE, at, &[left as f32]),
            ServerLine::City { at, citizens, workers, merchants, .. } => {
                let [citizens, workers, merchants] = [citizens, workers, merchants].map(|count| count as f32);
                let row = [at.x.into(), at.y.into(), citizens, workers, merchants];
                self.core.set("cities", self.cities.len(), &row);
                self.cities.push(at);
            }
            ServerLine::Start { number, .. } => self.starts.push(number),
            ServerLine::Go(turn) => {
                (self.turn, self.is_open, self.is_draft) = (turn, true, turn == 0);
                (self.lines, self.pending) = (0, None);
            }
            ServerLine::Ok => self.answered(1),
            ServerLine::Maybe(_) => self.answered(2),
            ServerLine::Ko(_) => self.answered(3),
            ServerLine::Dead => self.core.die(),
            ServerLine::Over(_) => self.is_open = false,
            ServerLine::Welcome | ServerLine::Slots(_) | ServerLine::Order(_) | ServerLine::Camp { .. } => {}
        }
    }

    fn act(&mut self, action: &[i32]) -> Option<Vec<u8>> {
        let [action, place, target] =
            <[i32; 3]>::try_from(action).ok()?.map(|number| number.unsigned_abs() as usize);
        let mut line = self.core.settings.actions.get(action).filter(|_| action > 0)?.clone();
        let is_unit = line.starts_with("Unit");
        while let (Some(from), Some(to)) = (line.find('{'), line.find('}')) {
            let word = self.placeholder(&line[from + 1..to], place, target);
            line.replace_range(from..=to, &word);
        }
        let ends = line.starts_with("Done");
        self.lines += u32::from(!ends);
        // Of the lines over the budget the server answers only the first.
        let is_answered = ends || self.lines <= self.budget() + 1;
        self.pending = is_answered.then_some((is_unit.then_some(place), ends));
        Some(line.into_bytes())
    }

    fn mask(&self, out: &mut [i8]) {
        let actions = &self.core.settings.actions;
        let places = self.own_units.len().max(self.cities.len()).max(self.bases.len()).max(self.starts.len());
        for (action, may) in actions.iter().zip(out.iter_mut()) {
            let mut words = action.split(' ');
            let (first, last) = (words.next(), words.nth(1).unwrap_or_default());
            let kind = UnitOrderKind::parse(last.as_bytes());
            let obeys = |unit: &Unit| !unit.stance.converted && kind.is_some_and(|kind| kind.fits(unit.kind));
            // Whether any unit, city or start could carry the line out, going by the last snapshot.
            *may = i8::from(match first {
                Some("Done") => true,
                _ if self.lines >= self.budget() => false,
                Some("Place") => self.is_draft,
                _ if self.is_draft => false,
                Some("Unit") => self.own_units.iter().take(MAX_ROWS).any(|(_, unit)| obeys(unit)),
                Some("City") => !self.cities.is_empty(),
                _ => action != "Base continue" || self.core.get("own")[BASE_SLOT] > 0.0,
            });
        }
        out[actions.len()..][..MAX_ROWS].iter_mut().skip(places).for_each(|may| *may = 0);
    }

    fn owes(&self) -> bool {
        self.is_open && !self.core.is_out && self.pending.is_none()
    }
}
