//! Where the nest lies: the founder chooses its tile, and moves it when others nest there too.
//!
//! Never lays and never begins an incantation. Tested in `plan::tests` and, on whole matches, in `tests/wins.rs`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::player::{Command, Sight};
use zappy_protocol::zappy::{Level, Resource};

use super::mind::{CORE_LAID, GATHERERS_LAID, Nest, Site};
use super::{Mind, route};
use crate::zappy::memory::Spot;
use crate::zappy::team::Saying;

/// How many steps the founder takes in search of a tile with the stone of the first incantation.
const SEARCHES: u32 = 5;
/// The longest way that it goes to such a tile, in commands.
const LONGEST_WAY: u32 = 5;
/// With more players than this on the nest at the first look, another team nests on the same tile. The number allows
/// for two players of the own team that pass by.
const FAMILY_SIZE: u32 = 1 + (CORE_LAID + GATHERERS_LAID) as u32 + 2;
/// A world is never full of players if the leader saw no more than this many away from the nest.
const FEW_PLAYERS: u32 = 6;
/// A world is full of players if the leader saw at least one for this many tiles.
const TILES_PER_PLAYER: u32 = 4;
/// Ticks after the first look in which a crowd means another team; later its own gatherers may be the crowd.
const COMPANY_TIME: Tick = 120;
/// How often the leader moves the nest at most.
const MOVES: u32 = 3;
/// The most steps that the leader goes away before it looks for another tile.
const STRAY_STEPS: u32 = 4;
/// Ticks for which the leader waits for another team to leave.
const HOLD_TICKS: Tick = 40;

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
        let length = |spot: Spot| route::length(self.memory.facing, self.memory.way_to(spot));
        let stones = self.memory.seen_since(0).filter(|(spot, seen)| self.is_good(*spot, &seen.sight));
        let nearest = stones.map(|(spot, _)| (length(spot), spot)).min();
        match nearest.filter(|(length, _)| *length <= LONGEST_WAY) {
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

    /// Whether the stone of the first incantation lies on a tile, and no stranger that may nest there stands on it.
    fn is_good(&self, spot: Spot, sight: &Sight) -> bool {
        let own = u32::from(self.memory.way_to(spot) == (0, 0));
        let free = sight.players <= own || self.players_are_everywhere();
        sight.resources.get(Resource::Linemate) > 0 && free && self.site.left_tile != Some(spot)
    }

    /// Whether the world is full of players. Then most players of a crowd are mates, so a crowd is no sign of another
    /// team.
    fn players_are_everywhere(&self) -> bool {
        let elsewhere = self.memory.seen_since(0).filter(|(spot, _)| self.memory.way_to(*spot) != (0, 0));
        let (tiles, players) =
            elsewhere.fold((0, 0), |(tiles, players), (_, seen)| (tiles + 1, players + seen.sight.players));
        players > FEW_PLAYERS && players * TILES_PER_PLAYER >= tiles
    }

    /// Two teams that nest on one tile rise together, and eat each other's food at the wrong time, until all starve. So
    /// a leader that finds more players than its own at its first look moves the nest, or lets the other team move. It
    /// decides by chance, since the other leader may follow the same rule.
    pub fn find_company(&mut self) {
        let may_move = self.team.leads() && self.nest.ready == Some(Level::MIN) && self.to_lay.is_empty();
        let Some(pile) = self.fresh_pile().filter(|_| may_move && self.site.moves < MOVES) else { return };
        let now = self.memory.clock;
        let first_look = *self.site.first_look.get_or_insert(now);
        let alone = pile.players <= FAMILY_SIZE || self.players_are_everywhere();
        if alone || now - first_look > COMPANY_TIME || self.lets_others_leave() {
            return;
        }
        if self.chance.below(2) == 0 {
            self.site.held_until = now + HOLD_TICKS;
        } else {
            let (left_tile, moves) = (self.memory.home.spot(), self.site.moves + 1);
            self.site = Site { leaving: true, left_tile, moves, ..Site::default() };
            // No slot is left to be filled.
            self.nest = Nest::default();
            self.nest.slots_filled = true;
        }
    }

    /// Whether it waits for another team to leave this tile.
    pub fn lets_others_leave(&self) -> bool {
        self.memory.clock < self.site.held_until
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
        let steps = 1 + self.chance.below(STRAY_STEPS) as usize;
        commands.extend(vec![Command::Forward; steps]);
        commands.push(Command::Look);
        Some(commands)
    }
}
