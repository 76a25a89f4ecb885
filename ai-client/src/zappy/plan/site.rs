//! Where the nest lies: the founder chooses its tile, and moves it when others nest there too.
//!
//! Never lays and never begins an incantation. Tested in `plan::tests` and, on whole matches, in `tests/wins.rs`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::player::{Command, Sight};
use zappy_protocol::zappy::{Level, Resource};

use super::nest::{CORE, GATHERERS, Nest};
use super::{Mind, route};
use crate::zappy::memory::Spot;
use crate::zappy::team::Saying;

/// How often the founder looks for a tile with the stone of the first incantation, and how many tiles it goes for it.
const SEARCHES: u32 = 5;
const REACH: u32 = 5;
/// With more players than this at the first look another team nests there too. The number allows for a few players of
/// its own that pass by.
const FAMILY: u32 = 1 + (CORE + GATHERERS) as u32 + 2;
/// A world counts as full if the leader saw more than a few players in it, and at least one for this many
/// tiles.
const FEW: u32 = 6;
const FULL: u32 = 4;
/// Ticks after the first look in which a crowd means another team; later its own gatherers may be the crowd.
const SETTLING: Tick = 120;
/// How often the leader moves the nest at most.
const MOVES: u32 = 3;
/// Random steps that it makes before it looks for another tile.
const STRAY: u32 = 4;
/// Ticks for which it waits for another team to leave.
const HOLD: Tick = 40;

/// What the leader remembers of the tile.
#[derive(Debug, Default)]
pub struct Site {
    /// Whether the nest stands on its tile.
    pub settled: bool,
    searches: u32,
    /// When it first looked at its nest after its family was laid.
    looked: Option<Tick>,
    /// Until this tick it lets others move, and begins no incantation that would freeze them.
    held_until: Tick,
    /// Whether it is leaving and hasn't said so to its family yet.
    leaving: bool,
    /// The tile that it left last, and how often it left one.
    left: Option<Spot>,
    moves: u32,
}

impl Mind {
    /// The founder chooses a tile for the nest where the stone for the first incantation lies: walking there costs less
    /// than waiting for a gatherer to bring the stone.
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

    /// Whether the stone of the first incantation lies there, and no player stands there that may nest too.
    fn is_good(&self, spot: Spot, sight: &Sight) -> bool {
        let own = u32::from(self.memory.way_to(spot) == (0, 0));
        let free = sight.players <= own || self.players_are_everywhere();
        sight.resources.get(Resource::Linemate) > 0 && free && self.site.left != Some(spot)
    }

    /// Whether the world is full of players. Then most players of a crowd are mates, so a crowd is no sign of another team.
    fn players_are_everywhere(&self) -> bool {
        let elsewhere = self.memory.seen_since(0).filter(|(spot, _)| self.memory.way_to(*spot) != (0, 0));
        let (tiles, players) =
            elsewhere.fold((0, 0), |(tiles, players), (_, seen)| (tiles + 1, players + seen.sight.players));
        players > FEW && players * FULL >= tiles
    }

    /// Two teams that nest on one tile rise together, and eat each other's food at the wrong time, until all starve. So
    /// a leader that finds more players than its own at its first look moves the nest, or lets the other team move.
    /// Both leaders may think the same, so each decides by chance.
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
            // No slot is left to be filled.
            self.nest = Nest::default();
            self.nest.slots_filled = true;
        }
    }

    /// Whether it waits for another team to leave this tile.
    pub fn lets_others_leave(&self) -> bool {
        self.memory.clock < self.site.held_until
    }

    /// Whether its family still has to find the moved nest.
    pub fn moved(&self) -> bool {
        self.site.left.is_some() && self.memory.level == Level::MIN
    }

    /// Tells the family to follow, and leaves in a random direction, since the other team may leave too.
    pub fn leave(&mut self) -> Option<Vec<Command>> {
        if !std::mem::take(&mut self.site.leaving) {
            return None;
        }
        let mut commands = self.say(Saying::Move);
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
}
