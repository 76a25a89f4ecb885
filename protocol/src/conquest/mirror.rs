//! The world as an observer can rebuild it from messages alone.
//!
//! Takes messages in any order and never panics; reports a message that contradicts earlier ones, and may take a part
//! of it. At a `gam` the mirror forgets what is on the map, so a snapshot also brings a mirror up to date that missed
//! lines. The simulation of `games/conquest` compares the mirror with the real world after every step.

use std::collections::{BTreeMap, BTreeSet};

use super::constants::SIEGE_STRENGTH;
use crate::commentary::sole_greatest;
use crate::types::{MapSize, Position, TeamName};

use super::observer::{Appearance, Message};
use super::options::GameOptions;
use super::types::{Building, FactionId, Holdings, Tile, Unit, UnitId};
use super::words::Dominion;

/// The most tiles of a map, four times what our server allows: a program may hold several mirrors.
const MAX_TILES: u32 = 1_000_000;
/// How many living units a mirror holds at most.
const MAX_UNITS: usize = 100_000;
/// How many factions a mirror holds at most: a faction's number has one byte.
const MAX_FACTIONS: usize = 256;

/// A faction as observers know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorFaction {
    pub name: TeamName,
    /// Whether it lives: no message has said that it is beaten.
    pub alive: bool,
    /// What it has, as the last message said.
    pub holdings: Holdings,
}

/// A city as observers know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MirrorCity {
    /// All citizens, also those that houses add.
    pub citizens: u32,
    /// Citizens that work on tiles.
    pub workers: u32,
    pub merchants: u32,
}

/// How a message contradicts earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The faction was never announced.
    #[error("no faction {0}")]
    NoFaction(TeamName),
    /// No faction has that number.
    #[error("no faction number {0}")]
    NoNumber(FactionId),
    /// The unit was never announced, or is gone.
    #[error("no unit {0}")]
    NoUnit(UnitId),
    /// The tile is off the map, or no map was announced.
    #[error("no tile {0}")]
    NoTile(Position),
    /// No real match has a world of that size.
    #[error("a larger world than any match has")]
    TooMuch,
}

/// The world by the messages so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mirror {
    /// The map's size, once a message has named it.
    pub size: Option<MapSize>,
    /// Ticks per second, 0 until a message names it.
    pub rate: u32,
    /// The version of the rules, 0 until a message names it.
    pub version: u32,
    /// The options, once a message has named them.
    pub options: Option<GameOptions>,
    /// The factions by their numbers.
    pub factions: Vec<MirrorFaction>,
    /// Each tile, row by row.
    pub tiles: Vec<Tile>,
    /// Bombs, and the factions that laid them.
    pub bombs: BTreeMap<Position, FactionId>,
    pub units: BTreeMap<UnitId, Unit>,
    /// Assigned tiles, and the cities that use them.
    pub assigned: BTreeMap<Position, Position>,
    pub cities: BTreeMap<Position, MirrorCity>,
    /// Camps that have recruited in this turn.
    pub used_camps: BTreeSet<Position>,
    /// Bases that have lost strength, and how much is left.
    pub sieges: BTreeMap<Position, u32>,
    /// How near the sides are to winning by their land, if that is how a match may end.
    pub dominion: Option<Dominion>,
    /// The turn, 0 until a message names it.
    pub turn: u32,
    /// The running phase; `None` between two turns.
    pub phase: Option<u32>,
    /// The factions of the running or last phase in the order of its resolution.
    pub acting: Vec<FactionId>,
    /// Whether the match is over.
    pub over: bool,
    /// The winners, in the order of their messages.
    pub winners: Vec<FactionId>,
}

impl Mirror {
    /// A mirror that no message has reached yet.
    pub fn new() -> Mirror {
        Mirror::default()
    }

    /// The strength of the base on a tile: what a siege has left of it, or the full strength.
    pub fn strength(&self, at: Position) -> u32 {
        self.sieges.get(&at).copied().unwrap_or(SIEGE_STRENGTH)
    }

    /// What is on a tile; `None` off the map.
    pub fn tile(&self, at: Position) -> Option<&Tile> {
        let size = self.size.filter(|size| size.contains(at))?;
        self.tiles.get(size.index(at))
    }

    /// The members of a faction's side: its alliance, or the faction alone.
    pub fn side(&self, faction: FactionId) -> Vec<FactionId> {
        let mut alliances = self.options.iter().flat_map(|options| &options.alliances);
        alliances.find(|side| side.contains(&faction)).cloned().unwrap_or_else(|| vec![faction])
    }

    /// Whether both factions are on one side.
    pub fn allied(&self, one: FactionId, other: FactionId) -> bool {
        self.side(one).contains(&other)
    }

    /// The tiles that a side has.
    pub fn land(&self, members: &[FactionId]) -> u64 {
        let known = members.iter().filter_map(|one| self.factions.get(one.index()));
        known.map(|known| u64::from(known.holdings.land)).sum()
    }

    /// The tiles that a side has, in percent of the map.
    pub fn share(&self, members: &[FactionId]) -> u64 {
        self.land(members) * 100 / (self.tiles.len().max(1) as u64)
    }

    /// How far a faction is on its way to victory, in thousandths: its land, as a share of what dominion asks for, or
    /// of the whole map without dominion; 0 when the faction is beaten.
    pub fn progress(&self, faction: FactionId) -> u32 {
        let Some(known) = self.factions.get(faction.index()).filter(|known| known.alive) else { return 0 };
        let need = self.dominion.as_ref().map_or(100, |dominion| dominion.need.max(1));
        let progress =
            u64::from(known.holdings.land) * 100_000 / (self.tiles.len().max(1) as u64 * u64::from(need));
        progress.min(1_000) as u32
    }

    /// The faction of that name.
    pub fn faction(&self, name: &TeamName) -> Option<FactionId> {
        let index = self.factions.iter().position(|known| known.name == *name)?;
        u8::try_from(index).ok().map(FactionId)
    }

    /// The name of a faction.
    pub fn name(&self, faction: FactionId) -> Option<&TeamName> {
        self.factions.get(faction.index()).map(|known| &known.name)
    }

    /// All factions with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (FactionId, &MirrorFaction)> {
        (0..=u8::MAX).map(FactionId).zip(&self.factions)
    }

    /// The living factions with their numbers.
    pub fn living(&self) -> impl Iterator<Item = (FactionId, &MirrorFaction)> {
        self.numbered().filter(|(_, known)| known.alive)
    }

    /// The living faction that alone has the highest score; `None` if several have it.
    pub fn leader(&self) -> Option<FactionId> {
        sole_greatest(self.living().map(|(one, known)| (known.holdings.score, one)))
    }

    /// The members of the side that alone has the most land; `None` if several have it.
    pub fn widest_side(&self) -> Option<Vec<FactionId>> {
        let sides: BTreeSet<Vec<FactionId>> = self.living().map(|(one, _)| self.side(one)).collect();
        sole_greatest(sides.into_iter().map(|side| (self.land(&side), side)))
    }

    /// Takes one message in.
    ///
    /// # Errors
    /// The message contradicts earlier ones. A part of it may have been taken.
    pub fn apply(&mut self, message: &Message) -> Result<(), Misfit> {
        match message {
            Message::MapSize(size) if size.area() > MAX_TILES => return Err(Misfit::TooMuch),
            Message::MapSize(size) => {
                if self.size != Some(*size) {
                    self.size = Some(*size);
                    self.tiles = vec![Tile::default(); size.area() as usize];
                    self.clear_map();
                }
            }
            Message::Rate(rate) => self.rate = *rate,
            // A match begins.
            Message::Game { version, options } => {
                (self.version, self.options, self.dominion) = (*version, Some(options.clone()), None);
                self.factions.clear();
                self.units.clear();
                self.clear_map();
            }
            Message::Faction(name) => {
                if self.faction(name).is_none() {
                    if self.factions.len() >= MAX_FACTIONS {
                        return Err(Misfit::TooMuch);
                    }
                    let holdings = Holdings::default();
                    self.factions.push(MirrorFaction { name: name.clone(), alive: true, holdings });
                }
            }
            Message::PhaseBegan { turn, phase, factions } => {
                let acting = factions.iter().map(|name| self.known(name)).collect::<Result<_, _>>()?;
                (self.turn, self.phase, self.acting) = (*turn, Some(*phase), acting);
            }
            Message::TurnEnded(turn) => (self.turn, self.phase) = (*turn, None),
            Message::Holdings { name, faction, holdings } => {
                let known = self.factions.get_mut(faction.index()).filter(|known| known.name == *name);
                known.ok_or_else(|| Misfit::NoFaction(name.clone()))?.holdings = *holdings;
            }
            Message::Tile { at, tile } => return self.set_tile(*at, *tile),
            Message::Bomb { at, owner: Some(owner) } => {
                let owner = self.known(owner)?;
                self.on_map(*at)?;
                self.bombs.insert(*at, owner);
            }
            Message::Bomb { at, owner: None } => drop(self.bombs.remove(at)),
            Message::Appeared { unit, what } => {
                let Appearance { ref faction, kind, at, health, stance } = *what;
                let faction = self.known(faction)?;
                if self.units.len() >= MAX_UNITS && !self.units.contains_key(unit) {
                    return Err(Misfit::TooMuch);
                }
                self.units.insert(*unit, Unit { faction, kind, at, health, stance });
            }
            Message::Moved { unit, at } => self.unit(*unit)?.at = *at,
            Message::Health { unit, health, stance } => {
                let known = self.unit(*unit)?;
                (known.health, known.stance) = (*health, *stance);
            }
            Message::Attacked { unit, target } | Message::Healed { unit, target } => {
                self.unit(*unit)?;
                self.unit(*target)?;
            }
            Message::Converted { unit, faction } => {
                let faction = self.known(faction)?;
                self.unit(*unit)?.faction = faction;
            }
            Message::Gone { unit, .. } => drop(self.units.remove(unit).ok_or(Misfit::NoUnit(*unit))?),
            Message::Assigned { at, city: Some(city) } => {
                self.on_map(*at)?;
                self.assigned.insert(*at, *city);
            }
            Message::Assigned { at, city: None } => drop(self.assigned.remove(at)),
            &Message::City { at, citizens, workers, merchants } => {
                self.on_map(at)?;
                self.cities.insert(at, MirrorCity { citizens, workers, merchants });
            }
            &Message::Camp { at, ready: true } => drop(self.used_camps.remove(&at)),
            &Message::Camp { at, ready: false } => {
                self.on_map(at)?;
                self.used_camps.insert(at);
            }
            &Message::Siege { at, left } => {
                self.on_map(at)?;
                match left < SIEGE_STRENGTH {
                    true => self.sieges.insert(at, left),
                    false => self.sieges.remove(&at),
                };
            }
            Message::Dominion(dominion) => {
                dominion.held.iter().try_for_each(|(name, _)| self.known(name).map(drop))?;
                self.dominion = Some(dominion.clone());
            }
            Message::Beaten(name) => {
                let faction = self.known(name)?;
                self.factions[faction.index()].alive = false;
            }
            Message::Ordered { faction, .. } | Message::Late(faction) | Message::Unpaid(faction) => {
                self.known(faction)?;
            }
            Message::Won(name) => return self.end(name.as_ref()),
            Message::Server(_) | Message::UnknownRequest | Message::BadParameter => {}
        }
        Ok(())
    }

    /// Forgets bombs, assigned tiles, cities, used camps and sieges, but not the tiles themselves.
    fn clear_map(&mut self) {
        self.bombs.clear();
        self.assigned.clear();
        self.cities.clear();
        self.used_camps.clear();
        self.sieges.clear();
    }

    /// Notes that the match is over, and a winner; `None`: no faction has won.
    fn end(&mut self, winner: Option<&TeamName>) -> Result<(), Misfit> {
        self.over = true;
        let winner = winner.map(|name| self.known(name)).transpose()?;
        let new = winner.filter(|winner| !self.winners.contains(winner));
        self.winners.extend(new);
        Ok(())
    }

    fn known(&self, name: &TeamName) -> Result<FactionId, Misfit> {
        self.faction(name).ok_or_else(|| Misfit::NoFaction(name.clone()))
    }

    fn unit(&mut self, unit: UnitId) -> Result<&mut Unit, Misfit> {
        self.units.get_mut(&unit).ok_or(Misfit::NoUnit(unit))
    }

    fn on_map(&self, at: Position) -> Result<MapSize, Misfit> {
        self.size.filter(|size| size.contains(at)).ok_or(Misfit::NoTile(at))
    }

    /// Changes a tile. A city ends when its tile is no base any more or changes its owner; a new owner's city comes in
    /// a message of its own. Whether a camp has recruited is forgotten with the camp.
    fn set_tile(&mut self, at: Position, tile: Tile) -> Result<(), Misfit> {
        if let Some(owner) = tile.owner.filter(|owner| owner.index() >= self.factions.len()) {
            return Err(Misfit::NoNumber(owner));
        }
        let size = self.on_map(at)?;
        let known = self.tiles.get_mut(size.index(at)).ok_or(Misfit::NoTile(at))?;
        if !tile.flags.base || tile.owner != known.owner || tile.owner.is_none() {
            self.cities.remove(&at);
        }
        if !matches!(tile.building, Some(Building::Camp(_))) {
            self.used_camps.remove(&at);
        }
        *known = tile;
        Ok(())
    }

    /// Messages that make a new mirror equal to this one. Plain neutral tiles with nothing on them are left out.
    pub fn snapshot(&self) -> Vec<Message> {
        let mut out: Vec<Message> = self.size.map(Message::MapSize).into_iter().collect();
        out.push(Message::Rate(self.rate));
        let game = self.options.clone().map(|options| Message::Game { version: self.version, options });
        out.extend(game);
        out.extend(self.factions.iter().map(|known| Message::Faction(known.name.clone())));
        for (number, known) in (0..=u8::MAX).zip(&self.factions) {
            let (name, holdings) = (known.name.clone(), known.holdings);
            out.push(Message::Holdings { name, faction: FactionId(number), holdings });
        }
        let beaten = self.factions.iter().filter(|known| !known.alive);
        out.extend(beaten.map(|known| Message::Beaten(known.name.clone())));
        if let Some(size) = self.size {
            let tiles = self.tiles.iter().enumerate().filter(|&(_, tile)| *tile != Tile::default());
            out.extend(tiles.map(|(i, &tile)| Message::Tile { at: size.position(i), tile }));
        }
        out.extend(
            self.bombs.iter().map(|(&at, owner)| Message::Bomb { at, owner: self.name(*owner).cloned() }),
        );
        for (&unit, &Unit { faction, kind, at, health, stance }) in &self.units {
            if let Some(faction) = self.name(faction).cloned() {
                out.push(Message::Appeared { unit, what: Appearance { faction, kind, at, health, stance } });
            }
        }
        out.extend(self.assigned.iter().map(|(&at, &city)| Message::Assigned { at, city: Some(city) }));
        out.extend(self.cities.iter().map(|(&at, &MirrorCity { citizens, workers, merchants })| {
            Message::City { at, citizens, workers, merchants }
        }));
        out.extend(self.used_camps.iter().map(|&at| Message::Camp { at, ready: false }));
        out.extend(self.sieges.iter().map(|(&at, &left)| Message::Siege { at, left }));
        out.extend(self.dominion.clone().map(Message::Dominion));
        let factions = self.acting.iter().filter_map(|&one| self.name(one).cloned()).collect();
        match self.phase {
            Some(phase) => out.push(Message::PhaseBegan { turn: self.turn, phase, factions }),
            None if self.turn > 0 || !self.acting.is_empty() => {
                out.push(Message::PhaseBegan { turn: self.turn, phase: 0, factions });
                out.push(Message::TurnEnded(self.turn));
            }
            None => {}
        }
        if self.over && self.winners.is_empty() {
            out.push(Message::Won(None));
        }
        out.extend(self.winners.iter().map(|&one| Message::Won(self.name(one).cloned())));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirror_of(lines: &[&str]) -> (Mirror, Vec<Misfit>) {
        let mut mirror = Mirror::new();
        let misfits = lines
            .iter()
            .filter_map(|line| mirror.apply(&Message::parse(line.as_bytes()).unwrap()).err())
            .collect();
        (mirror, misfits)
    }

    const SNAPSHOT: [&str; 19] = [
        "msz 9 8",
        "sgt 1000",
        "gam conquest 1 factions red,blue cities on rules classic mode concurrent turns 40 time 0 placement random alliances -",
        "tna red",
        "tna blue",
        "fac red 0 gold 500 food 10 wood 20 bombs 0 land 3 pop 2 cap 5 kills 0 score 5 upkeep 50 base 4 5 slot - 0",
        "fde blue",
        "loc 4 5 0 plain b--- -",
        "loc 5 5 0 forest ---m house",
        "loc 6 5 0 plain ---- camp-fighter",
        "bom 5 5 blue",
        "unw #3 red cleric 4 6 4 de",
        "unw #4 blue worker 0 0 5 -",
        "cas 5 5 4 5",
        "cit 4 5 3 0 3",
        "cmp 6 5 0",
        "sie 4 5 2",
        "dom 49 red 2",
        "trn 7 0 red",
    ];

    #[test]
    fn a_snapshot_makes_an_equal_mirror() {
        assert_eq!(Mirror::new().snapshot().len(), 1);
        for end in [&["seg red"][..], &["seg -"], &["tnd 7"], &[]] {
            let (mirror, misfits) = mirror_of(&[&SNAPSHOT, end].concat());
            assert_eq!(misfits, []);
            let mut again = Mirror::new();
            for message in mirror.snapshot() {
                assert_eq!(again.apply(&message), Ok(()), "{message:?}");
            }
            assert_eq!(again, mirror);
        }
    }

    #[test]
    fn a_dump_forgets_what_ended_while_lines_were_missed() {
        let later = ["unw #9 red worker 1 1 5 -", "bom 1 1 red", "cas 4 4 4 5", "cmp 7 7 0"];
        assert_eq!(mirror_of(&[&SNAPSHOT, &later[..], &SNAPSHOT].concat()), mirror_of(&SNAPSHOT));
        let (phase, rest) = SNAPSHOT.split_last().unwrap();
        assert!(phase.starts_with("trn"));
        assert_eq!(
            mirror_of(&[&SNAPSHOT, &later[..], rest].concat()),
            mirror_of(&SNAPSHOT),
            "the turn runs on"
        );
    }

    #[test]
    fn a_city_ends_with_its_base() {
        assert_eq!(mirror_of(&SNAPSHOT).0.cities.len(), 1);
        for end in ["loc 4 5 - plain b--- -", "loc 4 5 1 plain b--- -", "loc 4 5 0 plain ---- -"] {
            assert_eq!(mirror_of(&[&SNAPSHOT[..], &[end]].concat()).0.cities.len(), 0, "{end}");
        }
    }

    #[test]
    fn a_camp_is_ready_again_when_it_is_said_or_when_another_building_stands_there() {
        assert_eq!(mirror_of(&SNAPSHOT).0.used_camps.len(), 1);
        for end in ["cmp 6 5 1", "loc 6 5 0 plain ---- -", "loc 6 5 0 plain ---- mill"] {
            assert_eq!(mirror_of(&[&SNAPSHOT[..], &[end]].concat()).0.used_camps.len(), 0, "{end}");
        }
        assert_eq!(
            mirror_of(&[&SNAPSHOT[..], &["loc 6 5 1 plain ---- camp-fighter"]].concat()).0.used_camps.len(),
            1
        );
    }

    #[test]
    fn a_world_beyond_all_bounds_is_not_held() {
        let (mirror, misfits) =
            mirror_of(&[&SNAPSHOT[..], &["msz 10000 10000", "bom 9 9 red", "seg red", "seg red"]].concat());
        assert_eq!(misfits, [Misfit::TooMuch, Misfit::NoTile(Position { x: 9, y: 9 })]);
        assert_eq!((mirror.tiles.len(), mirror.winners.len()), (72, 1));
        let mut crowd = Mirror::new();
        let name = |number: usize| TeamName::parse(format!("f{number}").as_bytes()).unwrap();
        let refused =
            (0..MAX_FACTIONS + 9).filter(|&number| crowd.apply(&Message::Faction(name(number))).is_err());
        assert_eq!(refused.count(), 9);
        assert_eq!(crowd.snapshot().len(), 1 + 2 * MAX_FACTIONS);
    }

    #[test]
    fn what_does_not_fit_is_reported() {
        let bad = [
            "loc 9 0 - plain ---- -",
            "loc 0 0 2 plain ---- -",
            "udi #7 attack",
            "umv #7 1 1",
            "lat green",
            "upk green",
            "cmp 9 9 0",
            "sie 9 9 0",
            "dom 50 green 1",
        ];
        assert_eq!(mirror_of(&[&SNAPSHOT[..], &bad].concat()).1.len(), bad.len());
    }
}
