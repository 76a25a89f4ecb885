//! The operator's lines, which are also those of scenario files: they set what no rule would set.
//!
//! A bad line changes nothing, and its answer says what was expected. Lines act at once, and observers read of each
//! change. Lines that steer the match (`/mode`, `/pause`, `/start`, `/quit`) are those of `game/operator.rs`. Tested in
//! `tests/operator.rs`.

use std::str::FromStr;

use zappy_protocol::Position;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::{
    Building, Cause, FactionId, Slot, Stance, Terrain, Tile, Unit, UnitId, UnitType,
};

use super::options::MAX_TURNS;
use super::world::World;

/// The greatest amount that a line sets.
const MAX_AMOUNT: u32 = 1_000_000_000;
/// The greatest health that a line sets, in points.
const MAX_HEALTH: u32 = 1_000;

/// The lines that [`World::operate`] understands, for a list of all commands.
pub const HELP: &str = "\
/tile X Y [owner NAME|-] [base on|off] [resource on|off] [fort on|off] [bomb NAME|-] [terrain plain|forest] \
[building KIND|-] [siege LEFT]
/unit new NAME TYPE X Y [as N]
/unit N [at X Y] [health H] [state -|d|e|de|c]
/unit N gone
/faction NAME [gold G] [food F] [wood W] [bombs B] [score S] [kills K] [slot TYPE LEFT|-] [base X Y] [dead TURN|-] \
[held TURNS]
/city X Y [citizens N] [assign X Y]…
/empty                     every tile neutral, plain and without anything; no units
/turn N [next-unit M]      the turn's number, at most 100000; the next unit's number
/map                       the map in letters
/state                     everything as lines of this language";

/// The answer to a line, or why it was refused.
type Answer = Result<String, String>;

/// The words behind the name of a line.
struct Words<'a> {
    /// The beginning of the lines of [`HELP`] that say what is expected.
    usage: &'a str,
    rest: std::str::SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn expected(&self) -> String {
        let usages = HELP.lines().filter(|line| line.starts_with(self.usage));
        let without_remarks = usages.map(|line| line.split("  ").next().unwrap_or(line));
        format!("expected {}", without_remarks.collect::<Vec<_>>().join(", or "))
    }

    /// The next word; if there is none, what was expected.
    fn next(&mut self) -> Result<&'a str, String> {
        self.rest.next().ok_or_else(|| self.expected())
    }

    /// The value that `read` makes of the next word.
    fn read<T>(&mut self, read: impl FnOnce(&'a [u8]) -> Option<T>) -> Result<T, String> {
        let word = self.next()?;
        read(word.as_bytes()).ok_or_else(|| format!("{word:?} doesn't fit; {}", self.expected()))
    }

    /// As [`Words::read`], but the word `-` gives `None`.
    fn or_none<T>(&mut self, read: impl FnOnce(&'a [u8]) -> Option<T>) -> Result<Option<T>, String> {
        self.read(|word| if word == b"-" { Some(None) } else { read(word).map(Some) })
    }

    fn switch(&mut self) -> Result<bool, String> {
        self.read(|word| match word {
            b"on" => Some(true),
            b"off" => Some(false),
            _ => None,
        })
    }

    fn number<T: FromStr>(&mut self) -> Result<T, String> {
        self.read(|word| std::str::from_utf8(word).ok()?.parse().ok())
    }

    fn amount(&mut self, least: u32, most: u32) -> Result<u32, String> {
        let number = self.number::<u32>()?;
        if (least..=most).contains(&number) {
            return Ok(number);
        }
        Err(format!("{number} is out of the range {least} to {most}; {}", self.expected()))
    }

    fn position(&mut self, world: &World) -> Result<Position, String> {
        let at = Position { x: self.number()?, y: self.number()? };
        if world.size.contains(at) {
            Ok(at)
        } else {
            Err(format!("{at} is off the map of {} tiles", world.size))
        }
    }

    fn faction(&mut self, world: &World) -> Result<FactionId, String> {
        let name = self.next()?;
        world.faction_named(name)
    }

    fn faction_or_none(&mut self, world: &World) -> Result<Option<FactionId>, String> {
        match self.next()? {
            "-" => Ok(None),
            name => world.faction_named(name).map(Some),
        }
    }

    /// The amount behind the word `key`, which must end the line; `default` if the line has no more words.
    fn last_amount(&mut self, key: &str, default: u32) -> Result<u32, String> {
        let amount = match self.rest.next() {
            None => default,
            Some(word) if word == key => self.amount(0, MAX_AMOUNT)?,
            Some(_) => return Err(self.expected()),
        };
        self.end().map(|()| amount)
    }

    /// An error if the line has more words.
    fn end(&mut self) -> Result<(), String> {
        self.rest.next().map_or(Ok(()), |word| Err(format!("{word:?} is too much; {}", self.expected())))
    }
}

/// One change that a `/tile` line asks for.
enum TileEdit {
    Owner(Option<FactionId>),
    Base(bool),
    Resource(bool),
    Fort(bool),
    Bomb(Option<FactionId>),
    Terrain(Terrain),
    Building(Option<Building>),
    Siege(u32),
}

impl World {
    /// Carries out a line of the operator's, and answers it, maybe with several lines. `None` if the line is none of those in
    /// [`HELP`].
    pub fn operate(&mut self, line: &str) -> Option<Answer> {
        let (name, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let mut words = Words { usage: name, rest: rest.split_whitespace() };
        Some(match name {
            "/tile" => self.operate_tile(words),
            "/unit" => self.operate_unit(words),
            "/faction" => self.operate_faction(words),
            "/city" => self.operate_city(words),
            "/turn" => self.operate_turn(words),
            "/empty" => words.end().map(|()| self.empty()),
            "/map" => words.end().map(|()| self.drawing()),
            "/state" => words.end().map(|()| self.state().join("\n")),
            _ => return None,
        })
    }

    fn faction_named(&self, name: &str) -> Result<FactionId, String> {
        self.options.faction(name.as_bytes()).ok_or_else(|| {
            let known: Vec<&str> = self.factions.iter().map(|faction| faction.name.as_str()).collect();
            format!("no faction {name:?}; the factions are {}", known.join(", "))
        })
    }

    fn operate_tile(&mut self, mut words: Words<'_>) -> Answer {
        let at = words.position(self)?;
        // Whether a base stands there once the edits so far are done.
        let (mut edits, mut has_base) = (Vec::new(), self.tile(at).flags.base);
        while let Some(key) = words.rest.next() {
            edits.push(match key {
                "owner" => TileEdit::Owner(words.faction_or_none(self)?),
                "base" => {
                    has_base = words.switch()?;
                    TileEdit::Base(has_base)
                }
                "siege" if has_base => TileEdit::Siege(words.amount(1, self.rules().siege)?),
                "siege" => return Err(format!("no base stands at {at}; {}", words.expected())),
                "resource" => TileEdit::Resource(words.switch()?),
                "fort" => TileEdit::Fort(words.switch()?),
                "bomb" => TileEdit::Bomb(words.faction_or_none(self)?),
                "terrain" => TileEdit::Terrain(words.read(Terrain::parse)?),
                "building" => TileEdit::Building(words.or_none(Building::parse)?),
                _ => return Err(words.expected()),
            });
        }
        for edit in edits {
            match edit {
                TileEdit::Owner(owner) => self.set_owner(at, owner),
                TileEdit::Base(base) => {
                    self.set_base(at, base);
                    // A new base has its full strength.
                    self.restore(at);
                }
                TileEdit::Siege(left) => self.set_strength(at, left, false),
                TileEdit::Resource(on) => self.edit(at, |tile| tile.flags.resource = on),
                TileEdit::Fort(on) => self.edit(at, |tile| tile.flags.fort = on),
                TileEdit::Bomb(owner) => self.set_bomb(at, owner),
                TileEdit::Terrain(terrain) => self.edit(at, |tile| tile.terrain = terrain),
                TileEdit::Building(building) => self.edit(at, |tile| tile.building = building),
            }
        }
        Ok(self.tile_line(at))
    }

    fn operate_unit(&mut self, mut words: Words<'_>) -> Answer {
        let first = words.next()?;
        if first == "new" {
            words.usage = "/unit new";
            let faction = words.faction(self)?;
            let (kind, at) = (words.read(UnitType::parse)?, words.position(self)?);
            let id = UnitId(words.last_amount("as", self.next_unit)?);
            self.check_vacant(at)?;
            if self.units.contains_key(&id) {
                return Err(format!("unit {id} is there already"));
            }
            let health = kind.numbers().health;
            self.add_unit(id, Unit { faction, kind, at, health, stance: Stance::default() });
            return Ok(id.to_string());
        }
        let named = first.trim_start_matches('#').parse().ok().map(UnitId);
        let id = named.filter(|id| self.units.contains_key(id)).ok_or_else(|| format!("no unit {first}"))?;
        let before = self.units[&id];
        let mut after = before;
        while let Some(key) = words.rest.next() {
            match key {
                "gone" => {
                    words.end()?;
                    self.remove_unit(id, Cause::Operator);
                    return Ok(format!("unit {id} is gone"));
                }
                "at" => after.at = words.position(self)?,
                "health" => after.health = words.amount(1, MAX_HEALTH)?,
                "state" => after.stance = words.read(Stance::parse)?,
                _ => return Err(words.expected()),
            }
        }
        if after.at != before.at {
            self.check_vacant(after.at)?;
            self.move_unit(id, after.at);
        }
        self.set_health(id, after.health, after.stance);
        Ok(self.unit_lines(id).join("\n"))
    }

    /// Refuses a tile on which a unit stands.
    fn check_vacant(&self, at: Position) -> Result<(), String> {
        self.site(at).unit.map_or(Ok(()), |unit| Err(format!("unit {unit} stands at {at}")))
    }

    fn operate_faction(&mut self, mut words: Words<'_>) -> Answer {
        let id = words.faction(self)?;
        let mut after = self.faction(id).clone();
        while let Some(key) = words.rest.next() {
            match key {
                "gold" => after.gold = words.amount(0, MAX_AMOUNT)?.into(),
                "food" => after.food = words.amount(0, MAX_AMOUNT)?.into(),
                "wood" => after.wood = words.amount(0, MAX_AMOUNT)?.into(),
                "bombs" => after.bombs = words.amount(0, MAX_AMOUNT)?,
                "kills" => after.kills = words.amount(0, MAX_AMOUNT)?,
                "score" => after.score = words.number::<i32>()?.into(),
                "slot" => {
                    after.slot = match words.or_none(UnitType::parse)? {
                        Some(kind) => Some(Slot { kind, left: words.amount(0, MAX_AMOUNT)? }),
                        None => None,
                    }
                }
                "base" => after.base = Some(words.position(self)?),
                "held" => after.held = self.check_held(id, words.amount(0, MAX_TURNS)?)?,
                "dead" => {
                    let turn = |word| std::str::from_utf8(word).ok()?.parse().ok();
                    after.beaten = words.or_none(turn)?;
                }
                _ => return Err(words.expected()),
            }
        }
        match (self.faction(id).alive(), after.alive()) {
            (true, false) => self.unsent.messages.push(Message::Beaten(self.name(id))),
            (false, true) => self.unsent.revived = true,
            _ => {}
        }
        *self.faction_mut(id) = after;
        self.publish_dominion(self.turn.max(1));
        Ok(self.faction_line(id))
    }

    /// Checks for how many turns a faction is to have held enough land for dominion, and gives that number back. It may
    /// be 0; any other has to equal that of each living ally, unless the ally's is 0.
    fn check_held(&self, faction: FactionId, turns: u32) -> Result<u32, String> {
        if !self.knows_dominion() {
            return Err("this match has no dominion".to_owned());
        }
        let allies =
            self.ids().filter(|&ally| ally != faction && self.alive(ally) && !self.enemies(ally, faction));
        let mut wrong = allies.map(|ally| self.faction(ally)).filter(|ally| ![0, turns].contains(&ally.held));
        match wrong.next().filter(|_| turns > 0) {
            Some(ally) => {
                Err(format!("its ally {} held for {} turns, not for {turns}", ally.name, ally.held))
            }
            None => Ok(turns),
        }
    }

    fn operate_city(&mut self, mut words: Words<'_>) -> Answer {
        let at = words.position(self)?;
        let owner = self.tile(at).owner.filter(|_| self.cities.contains_key(&at));
        let owner =
            owner.ok_or_else(|| format!("no city at {at}: a city is a faction's base with --cities on"))?;
        let (mut citizens, mut tiles) = (None, Vec::new());
        while let Some(key) = words.rest.next() {
            match key {
                "citizens" => citizens = Some(words.amount(0, MAX_AMOUNT)?),
                "assign" => {
                    let tile = words.position(self)?;
                    self.check_assignment(owner, at, tile).map_err(|why| format!("{tile}: {why}"))?;
                    if tiles.contains(&tile) {
                        return Err(format!("{tile} is assigned twice in this line"));
                    }
                    tiles.push(tile);
                }
                _ => return Err(words.expected()),
            }
        }
        self.unsent.changed = true;
        if let Some(city) = self.cities.get_mut(&at) {
            city.citizens = citizens.unwrap_or(city.citizens);
        }
        tiles.into_iter().for_each(|tile| self.assign(tile, at));
        Ok(self.city_line(at))
    }

    fn operate_turn(&mut self, mut words: Words<'_>) -> Answer {
        let turn = words.amount(0, MAX_TURNS)?;
        let next = words.last_amount("next-unit", self.next_unit)?;
        let least = self.units.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        if next < least {
            return Err(format!("unit {} is there, so the next unit is {least} or more", least - 1));
        }
        (self.turn, self.next_unit) = (turn, next);
        Ok(format!("/turn {turn} next-unit {next}"))
    }

    fn empty(&mut self) -> String {
        let units: Vec<UnitId> = self.units.keys().copied().collect();
        units.into_iter().for_each(|unit| self.remove_unit(unit, Cause::Operator));
        for at in self.size.tiles() {
            self.set_bomb(at, None);
            self.set_owner(at, None);
            self.set_base(at, false);
            self.edit(at, |tile| *tile = Tile::default());
        }
        "the map is empty".to_owned()
    }
}
