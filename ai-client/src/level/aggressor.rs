//! `aggressor`: lives from disturbing others.
//!
//! It follows every stranger's voice to where it comes from, pushes away whom it finds there and takes what lies
//! there, stones and larder. Where nobody is to be disturbed it uses what it stole: it calls its mates, as
//! `medium` does, and rises with those who come. Never floods: it speaks only to meet. Tested in this module and
//! in `tests/levels.rs`.

use zappy_protocol::player::{Command, Response};
use zappy_protocol::{Inventory, Level, MapSize, Resource, TeamName, Text, Tick};

use super::Strategy;
use super::body::{Body, takes};
use super::meeting::Meeting;
use super::talk::Talk;
use super::voice::Voice;
use crate::plan::route;

/// Food below which nothing else is looked for, up to which it eats then, and up to which it takes what it finds.
const HUNGRY: u32 = 5;
const SATED: u32 = 9;
const LOOT: u32 = 30;
/// Stones of a kind it robs: what isn't there for others is worth having.
const HOARD: u32 = 20;
/// Ticks without a voice or a victim after which it looks for another.
const BORED: Tick = 250;
/// Ticks for which a crowd is believed to stay, and how many players are one.
const SEEN: Tick = 40;
const CROWD: u32 = 2;

/// Whom it follows.
#[derive(Debug)]
struct Prey {
    voice: Voice,
    /// When it was heard or met last.
    met: Tick,
}

/// One that disturbs.
#[derive(Debug)]
pub struct Aggressor {
    body: Body,
    talk: Talk,
    meeting: Meeting,
    prey: Option<Prey>,
    hungry: bool,
}

impl Aggressor {
    /// A newborn.
    pub fn new(team: &TeamName, size: MapSize, chance: u64) -> Aggressor {
        let (body, talk) = (Body::new(size, chance), Talk::new(team));
        Aggressor { body, talk, meeting: Meeting::default(), prey: None, hungry: false }
    }

    /// A stranger spoke.
    fn scent(&mut self, direction: u8) {
        let memory = &self.body.memory;
        let prey =
            self.prey.get_or_insert_with(|| Prey { voice: Voice::anywhere(memory), met: memory.clock });
        prey.voice.heard(memory, direction);
        prey.met = memory.clock;
    }

    /// What it takes of what lies here, whoever it belongs to.
    fn loot(&self) -> Vec<Command> {
        let Some(sight) = self.body.here() else { return Vec::new() };
        let mut wanted = Inventory::new([HOARD; Resource::COUNT]);
        wanted.set(Resource::Food, LOOT);
        wanted.subtract(&self.body.memory.carried());
        if self.hungry {
            wanted = Inventory::new([LOOT, 0, 0, 0, 0, 0, 0]);
        }
        takes(&sight.resources, &wanted)
    }

    fn eat(&mut self) -> Option<Vec<Command>> {
        let food = self.body.memory.food();
        self.hungry = food < HUNGRY || self.hungry && food < SATED;
        self.hungry.then_some(())?;
        self.meeting.over();
        let loot = self.loot();
        Some(if loot.is_empty() { self.body.find_food(SATED) } else { loot })
    }

    /// Pushes away who is here, and takes what they leave.
    fn strike(&mut self) -> Option<Vec<Command>> {
        self.body.here().filter(|sight| sight.players >= CROWD)?;
        if self.meeting.is_on() {
            return None;
        }
        if let Some(prey) = &mut self.prey {
            prey.met = self.body.memory.clock;
        }
        let loot = self.loot();
        Some([Command::Eject].into_iter().chain(loot).chain([Command::Look]).collect())
    }

    /// Goes where the voice is, robs the place, and waits there for those who come back.
    fn chase(&mut self) -> Option<Vec<Command>> {
        let now = self.body.now();
        let prey = self.prey.as_ref()?;
        if now - prey.met > BORED {
            self.prey = None;
            return None;
        }
        let way = prey.voice.way(&self.body.memory)?;
        if way == (0, 0) {
            let mut commands = self.loot();
            commands.push(Command::Look);
            return Some(commands);
        }
        Some(self.go(way))
    }

    /// Only a few steps at once: the next voice may tell better. Looks around when it arrives.
    fn go(&self, way: (i32, i32)) -> Vec<Command> {
        let mut commands = self.body.travel(way);
        let arrives = commands.len() <= 4;
        commands.truncate(4);
        if arrives {
            commands.push(Command::Look);
        }
        commands
    }

    /// Its part in a meeting of its own team.
    fn meet(&mut self) -> Option<Vec<Command>> {
        self.meeting.attend(&self.body, &mut self.talk, Level::MAX)
    }

    /// Where it saw a crowd a moment ago.
    fn surprise(&self) -> Option<Vec<Command>> {
        let memory = &self.body.memory;
        let crowds = memory.seen_since(self.body.now().saturating_sub(SEEN));
        let ways =
            crowds.filter(|(_, seen)| seen.sight.players >= CROWD).map(|(spot, _)| memory.way_to(spot));
        let nearest =
            ways.filter(|way| *way != (0, 0)).min_by_key(|way| route::length(memory.facing, *way))?;
        Some(self.go(nearest))
    }
}

impl Strategy for Aggressor {
    fn decide(&mut self) -> Vec<Command> {
        if self.talk.token() == 0 {
            return vec![Command::Look];
        }
        if let Some(count) = self.body.count() {
            return count;
        }
        // What it does for itself comes last, unless mates have already called.
        let steps = [
            Aggressor::eat,
            |own: &mut Aggressor| own.body.rise_alone(),
            Aggressor::strike,
            |own: &mut Aggressor| if own.meeting.is_on() { own.meet() } else { None },
            Aggressor::chase,
            |own: &mut Aggressor| own.surprise(),
            Aggressor::meet,
        ];
        let commands = steps.iter().find_map(|step| step(self));
        commands.unwrap_or_else(|| {
            let wanted = self.body.lacking(LOOT / 2);
            self.body.gather(&wanted)
        })
    }

    fn answered(&mut self, command: &Command, response: &Response) {
        self.body.answered(command, response);
        if let Response::Look(sights) = response {
            self.talk.call_oneself(&mut self.body, sights);
        }
    }

    fn heard(&mut self, direction: u8, text: &Text) {
        match self.talk.hear(text) {
            Some(word) => self.meeting.heard(&self.body, self.talk.token(), direction, &word),
            None => self.scent(direction),
        }
    }

    fn pushed(&mut self, from: u8) {
        self.body.memory.pushed(from);
        self.meeting.pushed();
    }

    fn incantation_over(&mut self, level: Option<Level>) {
        self.body.incantation_over(level);
        self.meeting.over();
    }

    fn level(&self) -> Level {
        self.body.memory.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::player::Sight;

    fn aggressor(food: u32) -> Aggressor {
        let team = TeamName::parse(b"red").unwrap();
        let mut aggressor = Aggressor::new(&team, MapSize::new(10, 10).unwrap(), 1);
        see(&mut aggressor, 1, [0; 7]);
        let carries = Inventory::new([food, 0, 0, 0, 0, 0, 0]);
        aggressor.answered(&Command::Inventory, &Response::Inventory(carries));
        aggressor
    }

    fn see(aggressor: &mut Aggressor, players: u32, amounts: [u32; 7]) {
        let here = Sight { players, resources: Inventory::new(amounts), eggs: 0 };
        let sights = [here].into_iter().chain([Sight::default(); 3]).collect();
        aggressor.answered(&Command::Look, &Response::Look(sights));
    }

    #[test]
    fn it_follows_strangers_and_pushes_and_robs_whom_it_finds() {
        let mut aggressor = aggressor(9);
        aggressor.heard(3, &Text::new(b"we meet here"));
        let way = aggressor.decide();
        assert_eq!(way[..2], [Command::Left, Command::Forward]);
        way.iter().for_each(|command| aggressor.answered(command, &Response::Ok));
        aggressor.heard(0, &Text::new(b"we meet here"));
        see(&mut aggressor, 3, [1, 0, 0, 0, 0, 0, 1]);
        let [stone, food] = [Resource::Thystame, Resource::Food].map(Command::Take);
        assert_eq!(aggressor.decide(), [Command::Eject, stone, food, Command::Look]);
    }

    #[test]
    fn it_waits_where_they_come_back_until_it_is_bored() {
        let mut aggressor = aggressor(9);
        aggressor.heard(0, &Text::new(b"we meet here"));
        see(&mut aggressor, 1, [0; 7]);
        assert_eq!(aggressor.decide(), [Command::Look]);
        (0..BORED / 7 + 1).for_each(|_| see(&mut aggressor, 1, [0; 7]));
        assert_eq!(aggressor.decide(), [Command::Inventory]);
        let count = Response::Inventory(Inventory::new([9, 0, 0, 0, 0, 0, 0]));
        aggressor.answered(&Command::Inventory, &count);
        assert_ne!(aggressor.decide(), [Command::Look]);
    }

    #[test]
    fn a_hungry_one_eats_the_larder_and_leaves_the_stones() {
        let mut aggressor = aggressor(2);
        see(&mut aggressor, 5, [2, 3, 0, 0, 0, 0, 0]);
        assert_eq!(aggressor.decide(), vec![Command::Take(Resource::Food); 2]);
    }
}
