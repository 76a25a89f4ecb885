//! What a faction knows of the world: the last snapshot, and what it saw of each tile before.
//!
//! Defines `Strategy`, which decides from that; decides nothing itself, and takes any line. Tested through `agent`.

use std::collections::BTreeMap;
use std::fmt::Debug;

use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::player::{Order, ServerLine, UnitOrder};
use zappy_protocol::conquest::{Dominion, FactionId, GameOptions, Holdings, Tile, Unit, UnitId, UnitType};
use zappy_protocol::{MapSize, Position};

use crate::chance::Chance;

/// An enemy that lacks no more land than this for dominion has to be stopped, in percent of all tiles.
const RIVAL_MARGIN: u32 = 5;

/// What decides for a faction, whatever its level.
pub(super) trait Strategy: Debug + Send {
    /// The orders of a turn.
    fn decide(&mut self, view: &View, chance: &mut Chance) -> Vec<Order>;
}

/// A city of the own faction.
#[derive(Debug, Clone)]
pub(super) struct City {
    /// All citizens, also those that houses add.
    pub(super) citizens: u32,
    /// The tiles assigned to it.
    pub(super) tiles: Vec<Position>,
}

/// What is known of the world.
#[derive(Debug)]
pub(super) struct View {
    pub(super) size: MapSize,
    pub(super) me: FactionId,
    pub(super) options: GameOptions,
    /// The turn of the last snapshot.
    pub(super) turn: u32,
    pub(super) own: Holdings,
    /// The factions that are alive, with their land in tiles.
    pub(super) alive: BTreeMap<FactionId, u32>,
    /// How near each side is to dominion (a win by land); `None` in rules without it.
    pub(super) dominion: Option<Dominion>,
    pub(super) units: BTreeMap<UnitId, Unit>,
    /// The unit in sight on each tile, by the tile's index.
    unit_on: Vec<Option<UnitId>>,
    /// What was last seen of each tile, by its index, and in which turn; `None` if never.
    known: Vec<Option<(Tile, u32)>>,
    pub(super) cities: BTreeMap<Position, City>,
}

impl View {
    pub(super) fn new(size: MapSize, me: FactionId, options: GameOptions) -> View {
        let area = size.area() as usize;
        View {
            size,
            me,
            options,
            turn: 0,
            own: Holdings::default(),
            alive: BTreeMap::new(),
            dominion: None,
            units: BTreeMap::new(),
            unit_on: vec![None; area],
            known: vec![None; area],
            cities: BTreeMap::new(),
        }
    }

    /// Notes a line of a snapshot; other lines change nothing.
    pub(super) fn apply(&mut self, line: ServerLine) {
        match line {
            ServerLine::Turn(turn) => {
                self.turn = turn;
                self.alive.clear();
                self.dominion = None;
                self.units.clear();
                self.cities.clear();
            }
            ServerLine::Own { faction, alive, holdings, .. } if alive => {
                self.alive.insert(faction, holdings.land);
                self.own = holdings;
                self.own.base = holdings.base.filter(|&at| self.size.contains(at));
            }
            ServerLine::Other { faction, alive, land, .. } if alive => drop(self.alive.insert(faction, land)),
            ServerLine::Dominion(dominion) => self.dominion = Some(dominion),
            ServerLine::Unit { id, unit } if self.size.contains(unit.at) => drop(self.units.insert(id, unit)),
            ServerLine::Tile { at, tile } if self.size.contains(at) => {
                self.known[self.size.index(at)] = Some((tile, self.turn));
            }
            ServerLine::City { at, citizens, tiles, .. } if self.size.contains(at) => {
                let tiles = tiles.into_iter().filter(|&tile| self.size.contains(tile)).collect();
                self.cities.insert(at, City { citizens, tiles });
            }
            _ => {}
        }
    }

    /// Called when the snapshot is complete: finds the unit on each tile.
    pub(super) fn complete(&mut self) {
        self.unit_on.fill(None);
        for (&id, unit) in &self.units {
            self.unit_on[self.size.index(unit.at)] = Some(id);
        }
    }

    /// What was last seen of a tile; `None` if it was never seen.
    pub(super) fn tile(&self, at: Position) -> Option<Tile> {
        self.known[self.size.index(at)].map(|(tile, _)| tile)
    }

    /// The turn in which a tile was last seen; 0 if never.
    pub(super) fn last_seen(&self, at: Position) -> u32 {
        self.known[self.size.index(at)].map_or(0, |(_, turn)| turn)
    }

    /// The owner of a tile when it was last seen; `None` if it was neutral or never seen, or its owner is beaten.
    pub(super) fn owner(&self, at: Position) -> Option<FactionId> {
        self.tile(at)?.owner.filter(|owner| self.alive.contains_key(owner))
    }

    pub(super) fn is_own(&self, at: Position) -> bool {
        self.owner(at) == Some(self.me)
    }

    /// What a unit on a tile does to take it: conquers a neutral tile, makes an enemy's neutral. `None` if the tile is
    /// known to belong to this faction or an ally.
    pub(super) fn taking_order(&self, at: Position) -> Option<UnitOrder> {
        match self.owner(at) {
            None => Some(UnitOrder::Conquer),
            Some(owner) => self.is_enemy(owner).then_some(UnitOrder::Neutralize),
        }
    }

    pub(super) fn is_takable(&self, at: Position) -> bool {
        self.taking_order(at).is_some()
    }

    /// Whether a worker can earn on a tile, at once or after conquering it: one with a resource, own or neutral.
    pub(super) fn is_workable(&self, at: Position) -> bool {
        self.has_resource(at) && (self.owner(at).is_none() || self.is_own(at))
    }

    pub(super) fn has_resource(&self, at: Position) -> bool {
        self.tile(at).is_some_and(|tile| tile.flags.resource)
    }

    /// The unit in sight on a tile.
    pub(super) fn unit_at(&self, at: Position) -> Option<(UnitId, &Unit)> {
        let id = self.unit_on[self.size.index(at)]?;
        self.units.get(&id).map(|unit| (id, unit))
    }

    /// Whether a faction is neither this one nor an ally.
    pub(super) fn is_enemy(&self, faction: FactionId) -> bool {
        let allied = |group: &Vec<FactionId>| group.contains(&faction) && group.contains(&self.me);
        faction != self.me && !self.options.alliances.iter().any(allied)
    }

    /// The own units, by number.
    pub(super) fn own_units(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        self.units.iter().filter(|(_, unit)| unit.faction == self.me).map(|(&id, unit)| (id, unit))
    }

    /// The enemies' units in sight, by number.
    pub(super) fn enemy_units(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        self.units.iter().filter(|(_, unit)| self.is_enemy(unit.faction)).map(|(&id, unit)| (id, unit))
    }

    /// How many own units of that type there are, counting the one that the base is making.
    pub(super) fn count(&self, kind: UnitType) -> u32 {
        let slot = self.own.slot.iter().filter(|slot| slot.kind == kind).count();
        let units = self.own_units().filter(|(_, unit)| unit.kind == kind).count();
        u32::try_from(slot + units).unwrap_or(u32::MAX)
    }

    /// The distance of two tiles, in tiles; a diagonal step counts as one.
    pub(super) fn reach(&self, from: Position, to: Position) -> u32 {
        reach(self.size, from, to)
    }

    /// The enemy with the most land, if that is nearly what dominion needs; `None` in rules without dominion.
    pub(super) fn rival(&self) -> Option<FactionId> {
        let percent = self.dominion.as_ref()?.need.saturating_sub(RIVAL_MARGIN);
        let is_near = |land: u32| 100 * land >= percent * self.size.area();
        let enemies = self.alive.iter().filter(|&(&faction, &land)| self.is_enemy(faction) && is_near(land));
        enemies.max_by_key(|&(_, land)| land).map(|(&faction, _)| faction)
    }

    /// The base of an enemy nearest to `home`, of those that were seen.
    pub(super) fn enemy_base(&self, home: Position) -> Option<Position> {
        let is_base = |at: Position| self.tile(at).is_some_and(|tile| tile.flags.base);
        let is_enemy = |at: Position| self.owner(at).is_some_and(|owner| self.is_enemy(owner));
        let bases = self.size.tiles().filter(|&at| is_base(at) && is_enemy(at));
        bases.min_by_key(|&at| self.reach(home, at))
    }

    /// The tile farthest from `home`: where an enemy's base is looked for first while none was seen.
    pub(super) fn opposite(&self, home: Position) -> Position {
        let half = (i32::from(self.size.width() / 2), i32::from(self.size.height() / 2));
        self.size.offset(home, half)
    }

    /// The tiles that were never seen.
    pub(super) fn unseen(&self) -> impl Iterator<Item = Position> {
        self.size.tiles().filter(|&at| self.last_seen(at) == 0)
    }

    /// How many enemy factions are alive.
    pub(super) fn enemy_count(&self) -> usize {
        self.alive.keys().filter(|&&faction| self.is_enemy(faction)).count()
    }

    /// Turns that are left, counting the running one.
    pub(super) fn turns_left(&self) -> u64 {
        u64::from(self.options.turns.saturating_sub(self.turn) + 1)
    }

    /// The turn and how the own faction stands, in words.
    pub(super) fn summary(&self) -> String {
        let View { turn, options, own, .. } = self;
        format!(
            "turn {turn} of {}, land {}, population {}, score {}",
            options.turns, own.land, own.population, own.score
        )
    }
}
