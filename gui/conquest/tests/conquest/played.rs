//! Records of matches of conquest between simple programs, played by the real rules: everything the screen shows
//! happens in them.

use std::collections::{BTreeMap, VecDeque};

use zappy_game::config::MatchConfig;
use zappy_game::{Game, Input, MatchSpec, Output, SeatId};
use zappy_game_conquest::SPEC;
use zappy_protocol::conquest::geometry::{adjacent, neighbours, reach};
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::player::{BaseOrder, CityOrder, Order, PlayerLine, ServerLine, UnitOrder};
use zappy_protocol::conquest::{Building, FactionId, Holdings, Tile, Unit, UnitId, UnitType};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, Position, TeamName, Tick};
use zappy_server::record::{Recorder, header};

/// Ticks between a snapshot and `Done`, of programs that think.
pub const THINKING: Tick = 800;

/// A small generator, so that every run does the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// What a program knows, and how it plays.
struct Program {
    me: FactionId,
    map: MapSize,
    has: Holdings,
    units: BTreeMap<UnitId, Unit>,
    tiles: BTreeMap<Position, Tile>,
    cities: Vec<(Position, u32, Vec<Position>)>,
    chance: Chance,
}

impl Program {
    /// Takes a line in; gives the orders when its turn is told.
    fn read(&mut self, line: &[u8], bases: &[Option<Position>]) -> Option<Vec<PlayerLine>> {
        match ServerLine::parse(line).ok()? {
            ServerLine::Turn(_) => {
                self.units.clear();
                self.tiles.clear();
                self.cities.clear();
            }
            ServerLine::Own { holdings, .. } => self.has = holdings,
            ServerLine::Unit { id, unit } => drop(self.units.insert(id, unit)),
            ServerLine::Tile { at, tile } => drop(self.tiles.insert(at, tile)),
            ServerLine::City { at, merchants, tiles, .. } => self.cities.push((at, merchants, tiles)),
            ServerLine::Go(turn) => {
                let mut lines: Vec<PlayerLine> = vec![PlayerLine::Order(Order::Base(self.base()))];
                let mine: Vec<(UnitId, Unit)> = self
                    .units
                    .iter()
                    .filter(|(_, u)| u.faction == self.me)
                    .map(|(id, u)| (*id, *u))
                    .collect();
                for (id, unit) in mine {
                    lines.push(PlayerLine::Order(Order::Unit(id, self.unit(unit, bases))));
                }
                lines.extend(self.cities());
                lines.push(PlayerLine::Done(turn));
                return Some(lines);
            }
            _ => {}
        }
        None
    }

    fn base(&mut self) -> BaseOrder {
        if self.has.slot.is_some() {
            return BaseOrder::Continue;
        }
        let mine =
            |kind: UnitType| self.units.values().filter(|u| u.faction == self.me && u.kind == kind).count();
        let wanted = match (mine(UnitType::Worker), mine(UnitType::Fighter), mine(UnitType::Sapper)) {
            (0, ..) => UnitType::Worker,
            (_, 0, _) => UnitType::Fighter,
            (1, ..) => UnitType::Worker,
            (_, 1, 0) => UnitType::Sapper,
            _ if mine(UnitType::Cleric) == 0 => UnitType::Cleric,
            _ if mine(UnitType::Pioneer) < 4 => UnitType::Pioneer,
            _ => UnitType::Fighter,
        };
        if mine(UnitType::Sapper) > 0 && self.has.bombs == 0 && self.has.gold > 900 {
            BaseOrder::Bomb
        } else if self.has.gold >= wanted.numbers().gold + 2 * self.has.upkeep
            && self.has.population < self.has.cap
        {
            BaseOrder::Build(wanted)
        } else {
            BaseOrder::Income
        }
    }

    fn tile(&self, at: Position) -> Tile {
        self.tiles.get(&at).copied().unwrap_or_default()
    }

    fn enemy(&self, owner: Option<FactionId>) -> bool {
        owner.is_some_and(|owner| owner != self.me)
    }

    fn unit(&mut self, unit: Unit, bases: &[Option<Position>]) -> UnitOrder {
        let here = self.tile(unit.at);
        let beside = |other: &&(UnitId, Unit)| adjacent(self.map, unit.at, other.1.at);
        let all: Vec<(UnitId, Unit)> = self.units.iter().map(|(id, unit)| (*id, *unit)).collect();
        let foe = all.iter().filter(beside).find(|(_, other)| other.faction != self.me).map(|(id, _)| *id);
        let takes = matches!(unit.kind, UnitType::Pioneer | UnitType::Fighter);
        match (unit.kind, foe) {
            (UnitType::Cleric, Some(foe)) if unit.stance.enlightened => return UnitOrder::Convert(foe),
            (UnitType::Cleric, _) if !unit.stance.enlightened && self.chance.below(3) == 0 => {
                return UnitOrder::Pray;
            }
            (UnitType::Pioneer | UnitType::Fighter | UnitType::Sapper, Some(foe))
                if unit.kind != UnitType::Pioneer =>
            {
                return UnitOrder::Attack(foe);
            }
            (UnitType::Worker, _) if here.owner == Some(self.me) => {
                if here.building.is_none()
                    && !here.flags.base
                    && self.has.wood >= 10
                    && self.chance.below(3) == 0
                {
                    return UnitOrder::Build(
                        [Building::Mill, Building::House, Building::Sawmill][self.chance.below(3)],
                    );
                }
                if !here.flags.fort && self.has.gold > 1_200 && self.chance.below(5) == 0 {
                    return UnitOrder::Fortify;
                }
                if self.chance.below(6) > 0 {
                    return UnitOrder::Gold;
                }
            }
            (UnitType::Sapper, _)
                if here.owner == Some(self.me) && self.has.bombs > 0 && !here.flags.bomb =>
            {
                return UnitOrder::Deploy;
            }
            _ => {}
        }
        if takes && self.enemy(here.owner) {
            return UnitOrder::Neutralize;
        }
        if matches!(unit.kind, UnitType::Pioneer | UnitType::Fighter | UnitType::Worker)
            && here.owner.is_none()
        {
            return UnitOrder::Conquer;
        }
        if unit.kind == UnitType::Fighter && self.chance.below(7) == 0 {
            return UnitOrder::Defend;
        }
        UnitOrder::Travel(self.way(unit, bases))
    }

    /// Pioneers go to free land, fighters to the nearest base of others; the rest goes anywhere.
    fn way(&mut self, unit: Unit, bases: &[Option<Position>]) -> Position {
        let free: Vec<Position> = neighbours(self.map, unit.at)
            .filter(|at| self.units.values().all(|other| other.at != *at))
            .collect();
        if free.is_empty() {
            return unit.at;
        }
        let others =
            bases.iter().enumerate().filter(|(one, _)| *one != self.me.index()).filter_map(|(_, at)| *at);
        let goal = others.min_by_key(|at| (reach(self.map, unit.at, *at), at.x, at.y));
        match unit.kind {
            UnitType::Fighter | UnitType::Cleric if goal.is_some() && self.chance.below(5) > 0 => {
                let goal = goal.unwrap_or(unit.at);
                free.into_iter().min_by_key(|at| (reach(self.map, *at, goal), at.x, at.y)).unwrap_or(unit.at)
            }
            UnitType::Pioneer => {
                let neutral: Vec<Position> =
                    free.iter().copied().filter(|at| self.tile(*at).owner != Some(self.me)).collect();
                let from = if neutral.is_empty() { &free } else { &neutral };
                from[self.chance.below(from.len())]
            }
            _ => free[self.chance.below(free.len())],
        }
    }

    fn cities(&mut self) -> Vec<PlayerLine> {
        let mut lines = Vec::new();
        for (city, merchants, taken) in self.cities.clone() {
            let near: Vec<Position> = self
                .tiles
                .iter()
                .filter(|(at, tile)| tile.owner == Some(self.me) && !tile.flags.base && !taken.contains(at))
                .map(|(at, _)| *at)
                .filter(|at| reach(self.map, *at, city) <= 2)
                .collect();
            let built = near.iter().find(|at| self.tile(**at).building.is_some());
            if let Some(at) = built.or(near.first().filter(|_| merchants > 1)) {
                lines.push(PlayerLine::Order(Order::City(city, CityOrder::Assign(*at))));
            }
        }
        lines
    }
}

/// The record of a match between these factions over so many turns, with cities; `thinking` is the time between a
/// snapshot and `Done`, in ticks.
pub fn record(factions: &[&str], size: (u16, u16), turns: u32, (seed, thinking): (u64, Tick)) -> Vec<u8> {
    record_of("classic", &[], factions, size, turns, (seed, thinking))
}

/// The record of a match by these rules, after lines of the operator's.
pub fn record_of(
    rules: &str,
    operated: &[String],
    factions: &[&str],
    (width, height): (u16, u16),
    turns: u32,
    (seed, thinking): (u64, Tick),
) -> Vec<u8> {
    let teams = factions.iter().map(|name| TeamName::parse(name.as_bytes()).unwrap()).collect();
    let map = MapSize::new(width, height).unwrap();
    let config = MatchConfig { seed, publish: true, ..MatchConfig::new(map, teams) };
    let turns = turns.to_string();
    let options = [("cities", "on"), ("turns", turns.as_str()), ("rules", rules)];
    let spec = MatchSpec::new(&SPEC, config).with(options).unwrap();
    let mut game = Recorder::new(spec.begin().unwrap(), Vec::new(), &header(&spec, RecordLevel::Full));
    let mut programs: Vec<Program> = (0..)
        .take(factions.len())
        .map(|number| Program {
            me: FactionId(number),
            map,
            has: Holdings::default(),
            units: BTreeMap::new(),
            tiles: BTreeMap::new(),
            cities: Vec::new(),
            chance: Chance(seed + u64::from(number)),
        })
        .collect();
    let mut bases = vec![None; factions.len()];
    // What each program will say, and when.
    let mut said: VecDeque<(Tick, SeatId, Vec<u8>)> = VecDeque::new();
    for line in operated {
        game.handle_input(0, SeatId::CONSOLE, Input::Line(line.as_bytes()));
    }
    for (number, name) in (0..).zip(factions) {
        game.handle_input(0, SeatId(number), Input::Open);
        while game.poll_output().is_some() {}
        said.push_back((0, SeatId(number), name.as_bytes().to_vec()));
    }
    let mut over = false;
    while !over {
        let now = match (said.front().map(|(at, ..)| *at), game.poll_timeout()) {
            (at, Some(due)) if at.is_none_or(|at| due <= at) => {
                game.handle_timeout(due);
                due
            }
            (Some(at), _) => {
                let (_, seat, line) = said.pop_front().unwrap();
                game.handle_input(at, seat, Input::Line(&line));
                at
            }
            (None, _) => break,
        };
        while let Some(output) = game.poll_output() {
            match output {
                Output::Send(seat, line) if seat != SeatId::CONSOLE => {
                    for line in line.lines() {
                        let answer = programs[seat.0 as usize].read(line, &bases);
                        let mut lines: Vec<_> = answer.into_iter().flatten().collect();
                        let done = lines.pop();
                        let words = |line: &PlayerLine| {
                            let mut text = Vec::new();
                            line.write(&mut text);
                            text
                        };
                        let seldom = programs[seat.0 as usize].chance.below(90) == 0;
                        // Now and then a program is too slow.
                        let think = if seldom { 3 * thinking } else { thinking };
                        said.extend(lines.iter().map(|line| (now + thinking / 2, seat, words(line))));
                        said.extend(done.iter().map(|line| (now + think, seat, words(line))));
                        said.make_contiguous().sort_by_key(|(at, seat, _)| (*at, *seat));
                    }
                }
                Output::Publish(line) => {
                    for message in line.lines().filter_map(|line| Message::parse(line).ok()) {
                        if let Message::Holdings { faction, holdings, .. } = message {
                            bases[faction.index()] = holdings.base;
                        }
                    }
                }
                Output::Finished(_) => over = true,
                _ => {}
            }
        }
    }
    game.finish().1.unwrap()
}
