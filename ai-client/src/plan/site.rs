//! Where the nest lies: the founder chooses its tile, and moves it when others nest there too.
//!
//! Never lays and never begins a rite. Tested in `plan::tests` and, on whole matches, in `tests/wins.rs`.

use zappy_protocol::player::{Command, Sight};
use zappy_protocol::{Level, Resource, Tick};

use super::nest::{CORE, GATHERERS, Nest};
use super::{Mind, route};
use crate::memory::{Home, Spot};
use crate::team::Kind;

/// How often the founder looks for a tile with the stone of the first rite, and how far it goes for it.
const SEARCHES: u32 = 5;
const REACH: u32 = 5;
/// More players than that at the first look, and somebody else nests there too: a few of the team may pass by.
const FAMILY: u32 = 1 + (CORE + GATHERERS) as u32 + 2;
/// A world in which more than a few players were seen, and one on so many tiles, is full.
const FEW: u32 = 6;
const FULL: u32 = 4;
/// Ticks after the first look in which a crowd is somebody else's family; later it may be one's own gatherers.
const SETTLING: Tick = 120;
/// How often the leader moves the nest.
const MOVES: u32 = 3;
/// Steps at random before it looks for another tile.
const STRAY: u32 = 4;
/// Ticks that others have to leave.
const HOLD: Tick = 40;
/// Ticks between two words of a leader that has moved.
pub const CALL: Tick = 21;

/// What the leader remembers of the tile.
#[derive(Debug, Default)]
pub struct Site {
    settled: bool,
    searches: u32,
    /// When it first looked at its nest, the family being there.
    looked: Option<Tick>,
    /// It lets others move, and begins no rite that would hold them up.
    held_until: Tick,
    /// It leaves, and nobody knows yet.
    leaving: bool,
    /// Which tile it left, and how often it left one.
    left: Option<Spot>,
    moves: u32,
}

impl Mind {
    /// The founder takes a tile for the nest on which the stone for the first rite lies: walking there costs
    /// less than waiting for somebody who brings it.
    pub fn settle(&mut self) -> Option<Vec<Command>> {
        if !self.team.leads() || self.site.settled {
            return None;
        }
        let here = self.memory.seen(self.memory.here);
        if here.is_none() && self.site.searches == 0 {
            return Some(vec![Command::Look]);
        }
        let near = |spot: Spot| route::length(self.memory.facing, self.memory.way_to(spot));
        let stones = self.memory.seen_since(0).filter(|(spot, seen)| self.is_good(*spot, &seen.sight));
        let nearest = stones.map(|(spot, _)| (near(spot), spot)).min();
        match nearest.filter(|(length, _)| *length <= REACH) {
            Some((length, spot)) if length > 0 => return Some(self.travel(self.memory.way_to(spot))),
            None if self.site.searches < SEARCHES => {
                self.site.searches += 1;
                return Some(vec![Command::Forward, Command::Look]);
            }
            _ => {}
        }
        self.site.settled = true;
        self.team.lost_sight();
        self.memory.home.confirm(self.memory.here);
        None
    }

    /// Whether the first rite's stone lies there, and nobody stands there who may nest there too.
    fn is_good(&self, spot: Spot, sight: &Sight) -> bool {
        let own = u32::from(self.memory.way_to(spot) == (0, 0));
        let free = sight.players <= own || self.players_are_everywhere();
        sight.resources.get(Resource::Linemate) > 0 && free && self.site.left != Some(spot)
    }

    /// In a world that is full of players a crowd tells nothing: most are of the team.
    fn players_are_everywhere(&self) -> bool {
        let elsewhere = self.memory.seen_since(0).filter(|(spot, _)| self.memory.way_to(*spot) != (0, 0));
        let (tiles, players) =
            elsewhere.fold((0, 0), |(tiles, players), (_, seen)| (tiles + 1, players + seen.sight.players));
        players > FEW && players * FULL >= tiles
    }

    /// Two teams that nest on one tile rise together, and eat each other's food at the wrong time, until all
    /// starve. So a leader that finds more players than its own at its first look moves the nest, or lets the
    /// others move: both may think alike, so a coin decides.
    pub fn find_company(&mut self) {
        let asked = self.team.leads() && self.nest.ready == Some(Level::MIN) && self.lays.is_empty();
        let Some(pile) = self.fresh_pile().filter(|_| asked && self.site.moves < MOVES) else { return };
        let now = self.memory.clock;
        let looked = *self.site.looked.get_or_insert(now);
        let alone = pile.players <= FAMILY || self.players_are_everywhere();
        if alone || now - looked > SETTLING || self.lets_others_leave() {
            return;
        }
        if self.chance.below(2) == 0 {
            self.site.held_until = now + HOLD;
        } else {
            let (left, moves) = (self.memory.home.spot(), self.site.moves + 1);
            self.site = Site { leaving: true, left, moves, ..Site::default() };
            self.nest = Nest::elsewhere();
        }
    }

    /// Whether it waits for others to leave this tile.
    pub fn lets_others_leave(&self) -> bool {
        self.memory.clock < self.site.held_until
    }

    /// Whether its family still has to find the nest that was moved.
    pub fn moved(&self) -> bool {
        self.site.left.is_some() && self.memory.level == Level::MIN
    }

    /// Tells the family that it has to follow, and strays from the way that others who leave may take.
    pub fn leave(&mut self) -> Option<Vec<Command>> {
        if !std::mem::take(&mut self.site.leaving) {
            return None;
        }
        let mut commands = self.say(Kind::Move);
        match self.chance.below(3) {
            0 => {}
            1 => commands.push(Command::Left),
            _ => commands.push(Command::Right),
        }
        let steps = 1 + self.chance.below(STRAY) as usize;
        commands.extend(vec![Command::Forward; steps]);
        commands.push(Command::Look);
        Some(commands)
    }

    /// The leader moves the nest; where to will be heard.
    pub fn lose_home(&mut self) {
        self.memory.home = Home::unknown(&self.memory.torus);
        self.team.lost_sight();
        self.nest.ready = None;
    }
}
