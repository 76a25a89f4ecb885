//! How a world begins: what can be played, the drawn map, and each faction's start, which is drawn or chosen in a draft.
//!
//! Tested in `tests/maps.rs`.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::conquest::constants::{
    LEAST_SIDE, START_FOOD, START_GOLD, START_WOOD, TILES_PER_FACTION,
};
use zappy_protocol::conquest::{FactionId, GameOptions, Placement, Terrain, UnitType};
use zappy_protocol::{MapSize, Position, TeamName};

use super::map::{self, Belongings, Purpose};
use super::scenarios::Scenario;
use super::world::{Faction, Observed, Orders, Site, Unsent, World};
use zappy_game::chance::Chance;
use zappy_game::config::{BadConfig, MAX_SIDE};

impl World {
    /// The world before the first turn: a map drawn from the seed, and each faction at its start unless they are
    /// drafted. The turns and the time of `options` are only passed on to clients.
    ///
    /// # Errors
    /// No such match can be played; the error names the remedy.
    pub fn new(size: MapSize, seed: u64, options: GameOptions) -> Result<World, BadConfig> {
        World::begin(size, seed, options, None)
    }

    /// As [`World::new`], on the map of a scenario if there is one.
    ///
    /// # Errors
    /// Also if the scenario has another size, or too few starts.
    pub(super) fn begin(
        size: MapSize,
        seed: u64,
        options: GameOptions,
        scenario: Option<Scenario>,
    ) -> Result<World, BadConfig> {
        validate(size, &options)?;
        let count = options.factions.len();
        let mut drawn = match scenario {
            None => map::draw(size, count, seed, options.cities),
            Some(scenario) => {
                check_scenario(scenario, size, count)?;
                scenario.draw(count, options.cities)
            }
        };
        let with_belongings = |at| (at, drawn.belongings.remove(&at).unwrap_or_default());
        let starts = drawn.starts.into_iter().map(with_belongings).collect();
        let mut world = World {
            size,
            seed,
            turn: 0,
            order: Vec::new(),
            sites: vec![Site::default(); size.area() as usize],
            units: BTreeMap::new(),
            next_unit: 0,
            factions: factions(&options),
            cities: BTreeMap::new(),
            camps: BTreeMap::new(),
            weakened: BTreeMap::new(),
            dominator: None,
            bombs: BTreeMap::new(),
            starts,
            chosen: vec![None; count],
            converted: Vec::new(),
            unsent: Unsent { messages: Vec::new(), revived: false, changed: true },
            observed: Observed::default(),
            options,
        };
        for at in drawn.resources {
            world.site_mut(at).tile.flags.resource = true;
        }
        for at in drawn.forests {
            world.site_mut(at).tile.terrain = Terrain::Forest;
        }
        drawn.bases.into_iter().for_each(|at| world.set_base(at, true));
        if world.options.placement == Placement::Random {
            let mut lots: Vec<Position> = world.starts.iter().map(|(at, _)| *at).collect();
            Chance::new(seed, Purpose::Lots as u64, 0, 0).shuffle(&mut lots);
            let ids: Vec<FactionId> = world.ids().collect();
            ids.into_iter().zip(lots).for_each(|(faction, at)| world.give_start(faction, at));
        }
        world.observed.dominion = world.knows_dominion().then(|| world.dominion(1));
        world.hush();
        Ok(world)
    }

    /// Gives a faction its start: base, land, two pioneers, and the start's belongings.
    pub(super) fn give_start(&mut self, faction: FactionId, at: Position) {
        let sides = [self.size.offset(at, (-1, 0)), self.size.offset(at, (1, 0))];
        self.set_base(at, true);
        self.set_owner(at, Some(faction));
        self.faction_mut(faction).base = Some(at);
        let fort = self.rules().start_fort;
        self.edit(at, |tile| tile.flags.fort |= fort);
        for side in sides {
            self.set_owner(side, Some(faction));
            if self.site(side).unit.is_none() {
                self.appear(faction, UnitType::Pioneer, side);
            }
        }
        let start = self.starts.iter().find(|(start, _)| *start == at);
        let Belongings { land, forts, bombs } = start.map(|(_, own)| own.clone()).unwrap_or_default();
        land.into_iter().for_each(|at| self.set_owner(at, Some(faction)));
        forts.into_iter().for_each(|at| self.edit(at, |tile| tile.flags.fort = true));
        bombs.into_iter().for_each(|at| self.set_bomb(at, Some(faction)));
    }
}

impl World {
    /// The order in which the factions choose, drawn from the seed.
    pub fn draft_order(&self) -> Vec<FactionId> {
        let mut order: Vec<FactionId> = self.ids().collect();
        Chance::new(self.seed, Purpose::DraftOrder as u64, 0, 0).shuffle(&mut order);
        order
    }

    /// The starts that no faction has yet, with their numbers.
    pub fn free_starts(&self) -> impl Iterator<Item = (u32, Position)> {
        let taken = |at: Position| self.factions.iter().any(|faction| faction.base == Some(at));
        (0..).zip(self.starts.iter().map(|(at, _)| *at)).filter(move |&(_, at)| !taken(at))
    }

    /// Notes that the faction wants the start of that number; a later choice replaces an earlier one.
    ///
    /// # Errors
    /// In words, why it can't have that start.
    pub fn choose(&mut self, faction: FactionId, number: u32) -> Result<(), String> {
        if !self.free_starts().any(|(free, _)| free == number) {
            let free: Vec<String> = self.free_starts().map(|(free, _)| free.to_string()).collect();
            return Err(format!("no free start {number}; free are {}", free.join(", ")));
        }
        self.chosen[faction.index()] = Some(number);
        Ok(())
    }

    /// Gives a faction that has no start yet the one that it chose, or one by lot: its turn to choose is over.
    pub fn settle(&mut self, faction: FactionId) {
        if self.faction(faction).base.is_some() {
            return;
        }
        let free: Vec<(u32, Position)> = self.free_starts().collect();
        let chosen = self.chosen[faction.index()].take();
        let lot = || Chance::new(self.seed, Purpose::DraftLot as u64, 0, faction.0.into()).index(free.len());
        let index = free.iter().position(|&(number, _)| Some(number) == chosen).or_else(lot);
        if let Some(&(_, at)) = index.and_then(|index| free.get(index)) {
            self.give_start(faction, at);
        }
    }
}

/// Refuses a scenario of another size than the match's, or with too few starts.
fn check_scenario(scenario: Scenario, size: MapSize, factions: usize) -> Result<(), BadConfig> {
    let (name, starts) = (scenario.name, scenario.starts());
    if let Some(own) = scenario.size().filter(|own| *own != size) {
        let [own, size] = [own, size].map(|size| format!("{}x{}", size.width(), size.height()));
        let words = format!("the map {name} has {own} tiles, not {size}; leave width and height away");
        return Err(BadConfig::Together(words));
    }
    if factions > starts {
        return Err(BadConfig::Together(format!(
            "the map {name} has starts for 1 to {starts} factions, not for {factions}"
        )));
    }
    Ok(())
}

/// The factions before they have a start.
fn factions(options: &GameOptions) -> Vec<Faction> {
    let stock = |amount| if options.cities { amount } else { 0 };
    let faction = |(name, alliance): (&TeamName, usize)| Faction {
        name: name.clone(),
        alliance,
        beaten: None,
        fell_to: None,
        gold: START_GOLD,
        food: stock(START_FOOD),
        wood: stock(START_WOOD),
        bombs: 0,
        kills: 0,
        score: 0,
        base: None,
        slot: None,
        land: 0,
        held: 0,
        upkeep: 0,
        units: BTreeSet::new(),
        bases: BTreeSet::new(),
        orders: Orders::default(),
        did: Vec::new(),
    };
    let mut factions: Vec<Faction> = options.factions.iter().zip(0..).map(faction).collect();
    // An alliance goes by the number of its first member.
    for members in &options.alliances {
        for member in members {
            factions[member.index()].alliance = members[0].index();
        }
    }
    factions
}

/// Refuses sides, numbers of factions, names and alliances with which no match can be played.
fn validate(size: MapSize, options: &GameOptions) -> Result<(), BadConfig> {
    for (name, side) in [("width", size.width()), ("height", size.height())] {
        if !(LEAST_SIDE..=MAX_SIDE).contains(&side) {
            let (value, least, most) = (side.into(), LEAST_SIDE.into(), MAX_SIDE.into());
            return Err(BadConfig::Range { name, value, least, most });
        }
    }
    let together = |what: String| Err(BadConfig::Together(what));
    let count = options.factions.len();
    let room = (size.area() / TILES_PER_FACTION) as usize;
    if count == 0 || count > room {
        return together(format!(
            "a map of {} tiles has room for 1 to {room} factions, not for {count}; each needs {TILES_PER_FACTION} tiles",
            size.area()
        ));
    }
    // In lines, names stand between commas, semicolons and blanks, and `-` stands for none.
    let is_bad = |name: &str| name == "-" || name.contains([',', ';']) || name.contains(char::is_whitespace);
    if let Some(bad) = options.factions.iter().find(|name| is_bad(name.as_str())) {
        return together(format!(
            "no faction can be called {bad}: use a word without commas and semicolons, not -"
        ));
    }
    let mut seen = BTreeSet::new();
    for members in &options.alliances {
        if members.len() < 2 {
            return together(
                "--alliance: an alliance needs two factions, as in --alliance red,blue".to_owned(),
            );
        }
        for member in members {
            let Some(name) = options.factions.get(member.index()) else {
                return together(format!("--alliance: there are {count} factions; name each of them once"));
            };
            if !seen.insert(*member) {
                return together(format!("--alliance names {name} twice; name each faction once"));
            }
        }
    }
    Ok(())
}
