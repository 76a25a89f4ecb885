//! What a faction knows of the world: the last snapshot, and what it saw of each tile before; and what decides from that.
//!
//! Decides nothing itself, and takes any line. Tested through `agent`.

use std::collections::BTreeMap;
use std::fmt::Debug;

use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::player::{Order, ServerLine, UnitOrder};
use zappy_protocol::conquest::{Dominion, FactionId, GameOptions, Holdings, Tile, Unit, UnitId, UnitType};
use zappy_protocol::{MapSize, Position};

use crate::chance::Chance;

/// How far below what dominion needs an enemy's land calls for an answer, in percent of all tiles.
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
    /// How near the sides are to dominion, by the rules `arena`.
    pub(super) dominion: Option<Dominion>,
    pub(super) units: BTreeMap<UnitId, Unit>,
    /// The unit in sight on each tile.
    on: Vec<Option<UnitId>>,
    /// What was last seen of each tile, and in which turn.
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
            on: vec![None; area],
            known: vec![None; area],
            cities: BTreeMap::new(),
        }
    }

    /// A line of a snapshot; others change nothing.
    pub(super) fn take(&mut self, line: ServerLine) {
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
        self.on.fill(None);
        for (&id, unit) in &self.units {
            self.on[self.size.index(unit.at)] = Some(id);
        }
    }

    /// What was last seen of a tile.
    pub(super) fn tile(&self, at: Position) -> Option<Tile> {
        self.known[self.size.index(at)].map(|(tile, _)| tile)
    }

    /// The turn in which a tile was last seen; 0 if never.
    pub(super) fn seen(&self, at: Position) -> u32 {
        self.known[self.size.index(at)].map_or(0, |(_, turn)| turn)
    }

    /// The owner of a tile, as far as is known.
    pub(super) fn owner(&self, at: Position) -> Option<FactionId> {
        self.tile(at)?.owner.filter(|owner| self.alive.contains_key(owner))
    }

    pub(super) fn is_own(&self, at: Position) -> bool {
        self.owner(at) == Some(self.me)
    }

    /// What brings a tile nearer to being an own one, if it isn't known to be an own or an ally's one.
    pub(super) fn taking(&self, at: Position) -> Option<UnitOrder> {
        match self.owner(at) {
            None => Some(UnitOrder::Conquer),
            Some(owner) => self.is_enemy(owner).then_some(UnitOrder::Neutralize),
        }
    }

    pub(super) fn is_takable(&self, at: Position) -> bool {
        self.taking(at).is_some()
    }

    /// Whether a worker can earn there sooner or later.
    pub(super) fn is_workable(&self, at: Position) -> bool {
        self.has_resource(at) && (self.owner(at).is_none() || self.is_own(at))
    }

    pub(super) fn has_resource(&self, at: Position) -> bool {
        self.tile(at).is_some_and(|tile| tile.flags.resource)
    }

    /// The unit in sight on a tile.
    pub(super) fn unit_at(&self, at: Position) -> Option<(UnitId, &Unit)> {
        let id = self.on[self.size.index(at)]?;
        self.units.get(&id).map(|unit| (id, unit))
    }

    /// Whether it is neither this faction nor an ally.
    pub(super) fn is_enemy(&self, faction: FactionId) -> bool {
        let allied = |one: &Vec<FactionId>| one.contains(&faction) && one.contains(&self.me);
        faction != self.me && !self.options.alliances.iter().any(allied)
    }

    /// The own units, by number.
    pub(super) fn own_units(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        self.units.iter().filter(|(_, unit)| unit.faction == self.me).map(|(&id, unit)| (id, unit))
    }

    /// The enemies' units in sight, by number.
    pub(super) fn enemies(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        self.units.iter().filter(|(_, unit)| self.is_enemy(unit.faction)).map(|(&id, unit)| (id, unit))
    }

    /// How many own units of that type there are, the one in the slot counted.
    pub(super) fn count(&self, kind: UnitType) -> u32 {
        let slot = self.own.slot.iter().filter(|slot| slot.kind == kind).count();
        let units = self.own_units().filter(|(_, unit)| unit.kind == kind).count();
        u32::try_from(slot + units).unwrap_or(u32::MAX)
    }

    /// The distance of two tiles.
    pub(super) fn reach(&self, from: Position, to: Position) -> u32 {
        reach(self.size, from, to)
    }

    /// The enemy with the most land, if that is nearly what dominion needs.
    pub(super) fn rival(&self) -> Option<FactionId> {
        let need = self.dominion.as_ref()?.need.saturating_sub(RIVAL_MARGIN);
        let near = |land: u32| 100 * land >= need * self.size.area();
        let enemies = self.alive.iter().filter(|&(&faction, &land)| self.is_enemy(faction) && near(land));
        enemies.max_by_key(|&(_, land)| land).map(|(&faction, _)| faction)
    }

    /// The nearest base of an enemy that is known.
    pub(super) fn enemy_base(&self, home: Position) -> Option<Position> {
        let is_base = |at: Position| self.tile(at).is_some_and(|tile| tile.flags.base);
        let is_enemy = |at: Position| self.owner(at).is_some_and(|owner| self.is_enemy(owner));
        let bases = self.size.tiles().filter(|&at| is_base(at) && is_enemy(at));
        bases.min_by_key(|&at| self.reach(home, at))
    }

    /// Where a base may be that was never seen: as far away as possible.
    pub(super) fn opposite(&self, home: Position) -> Position {
        let half = (i32::from(self.size.width() / 2), i32::from(self.size.height() / 2));
        self.size.offset(home, half)
    }

    /// The tiles that were never seen.
    pub(super) fn unseen(&self) -> impl Iterator<Item = Position> {
        self.size.tiles().filter(|&at| self.seen(at) == 0)
    }

    /// How many enemies are alive.
    pub(super) fn rivals(&self) -> usize {
        self.alive.keys().filter(|&&faction| self.is_enemy(faction)).count()
    }

    /// Turns that are left, the running one counted.
    pub(super) fn turns_left(&self) -> u64 {
        u64::from(self.options.turns.saturating_sub(self.turn) + 1)
    }

    /// How far it has come, in words.
    pub(super) fn summary(&self) -> String {
        let View { turn, options, own, .. } = self;
        format!(
            "turn {turn} of {}, land {}, population {}, score {}",
            options.turns, own.land, own.population, own.score
        )
    }
}
