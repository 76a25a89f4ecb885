//! What each command does when its time is up.
//!
//! The only place where a command changes the world; what happens at the start of a `Fork` and of an incantation is
//! in `queue` and `incantation`. Tested by the transcripts named after the commands.

use zappy_protocol::zappy::geometry::{push_direction, vision_offset, vision_tiles};
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::{Command, Response, Sight};
use zappy_protocol::zappy::{Inventory, Orientation, PlayerId, Resource, constants};
use zappy_protocol::{Position, Text};

use super::event::Event;
use super::world::World;

impl World {
    pub(super) fn carry_out(&mut self, id: PlayerId, command: &Command) {
        match command {
            Command::Forward => {
                let (at, facing) = (self.player(id).at, self.player(id).orientation);
                self.move_player(id, self.map.size.step(at, facing));
                self.emit_position(id);
                self.respond(id, Response::Ok);
            }
            Command::Right => self.turn(id, Orientation::right),
            Command::Left => self.turn(id, Orientation::left),
            Command::Look => self.look(id),
            Command::Inventory => {
                let mut inventory: Inventory = self.player(id).inventory;
                if self.rules().food_in_ticks {
                    let ticks = u64::from(inventory.get(Resource::Food)) * constants::FOOD_TICKS;
                    inventory.set(Resource::Food, u32::try_from(ticks).unwrap_or(u32::MAX));
                }
                self.respond(id, Response::Inventory(inventory));
            }
            Command::Broadcast(text) => {
                self.sound(self.player(id).at, Some(id), text);
                self.publish(Message::Broadcast { player: id, text: text.clone() });
                self.respond(id, Response::Ok);
            }
            Command::ConnectNbr => {
                let slots = self.free_slots(self.player(id).team);
                self.respond(id, Response::Slots(slots));
            }
            Command::Fork => {
                let (team, at) = (self.player(id).team, self.player(id).at);
                self.lay(team, Some(id), at);
                self.respond(id, Response::Ok);
            }
            Command::Eject => self.eject(id),
            Command::Take(resource) => self.take(id, *resource),
            Command::Set(resource) => self.set(id, *resource),
            // `queue` begins incantations, and their ends are due by themselves.
            Command::Incantation => {}
        }
    }

    fn turn(&mut self, id: PlayerId, turned: fn(Orientation) -> Orientation) {
        let player = self.player_mut(id);
        player.orientation = turned(player.orientation);
        self.emit_position(id);
        self.respond(id, Response::Ok);
    }

    /// Puts a player on a tile.
    pub(super) fn move_player(&mut self, id: PlayerId, to: Position) {
        let from = std::mem::replace(&mut self.player_mut(id).at, to);
        self.map.remove_player(from, id);
        self.map.add_player(to, id);
        if from == to {
            return;
        }
        // Some rule sets fail an incantation even if a participant that moved away comes back.
        let running = self.player(id).incantation.and_then(|number| self.incantations.get_mut(&number));
        if let Some(incantation) = running {
            incantation.moved.push(id);
        }
    }

    fn look(&mut self, id: PlayerId) {
        let player = self.player(id);
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let sight = |seen| {
            let at = self.map.size.offset(player.at, player.orientation.to_map(vision_offset(seen)));
            let tile = self.map.tile(at);
            let eggs = if self.options.display_eggs { count(tile.eggs.len()) } else { 0 };
            Sight { players: count(tile.players.len()), resources: tile.resources, eggs }
        };
        let sights = (0..vision_tiles(player.level.get())).map(sight).collect();
        self.respond(id, Response::Look(sights));
    }

    /// Lets every player but the emitter hear a sound, each from its own direction.
    pub(super) fn sound(&mut self, from: Position, emitter: Option<PlayerId>, text: &Text) {
        let heard = |&id: &PlayerId| {
            let listener = self.player(id);
            (id, self.rules().direction(self.map.size, listener.at, from, listener.orientation))
        };
        let listeners = self.living.iter().filter(|&&id| Some(id) != emitter).map(heard).collect();
        self.emit(Event::Heard { text: text.clone(), listeners });
    }

    fn eject(&mut self, id: PlayerId) {
        let (at, facing) = (self.player(id).at, self.player(id).orientation);
        let eggs_shown = self.options.display_eggs;
        let mut victims: Vec<PlayerId> =
            self.map.tile(at).players.iter().copied().filter(|&other| other != id).collect();
        if self.rules().newest_first {
            victims.reverse();
        }
        for &victim in &victims {
            self.push(victim, facing);
        }
        let eggs_break = eggs_shown || !self.rules().hidden_eggs_survive;
        let eggs = if eggs_break { self.map.tile(at).eggs.clone() } else { Vec::new() };
        for &egg in &eggs {
            self.remove_egg(egg);
            self.publish(Message::EggDestroyed(egg));
        }
        let empty_succeeds = self.rules().empty_eject_succeeds && (!eggs_shown || !eggs.is_empty());
        if victims.is_empty() && !empty_succeeds {
            return self.refuse(id, "nobody else stands here");
        }
        self.publish(Message::Ejected(id));
        if self.rules().victims_last {
            victims.iter().for_each(|&victim| self.emit_position(victim));
        }
        self.respond(id, Response::Ok);
    }

    fn push(&mut self, victim: PlayerId, towards: Orientation) {
        let player = self.player(victim);
        let (from, to) =
            (push_direction(towards, player.orientation), self.map.size.step(player.at, towards));
        self.move_player(victim, to);
        self.respond(victim, Response::Eject(from));
        if !self.rules().victims_last {
            self.emit_position(victim);
        }
    }

    fn take(&mut self, id: PlayerId, resource: Resource) {
        let at = self.player(id).at;
        if !self.map.take(at, resource) {
            return self.refuse(id, format!("no {resource} lies here"));
        }
        self.player_mut(id).inventory.add(resource, 1);
        self.publish(Message::Took { player: id, resource });
        self.end_transfer(id);
    }

    fn set(&mut self, id: PlayerId, resource: Resource) {
        if !self.player_mut(id).inventory.take_one(resource) {
            return self.refuse(id, format!("it carries no {resource}"));
        }
        self.map.put(self.player(id).at, resource);
        self.publish(Message::Dropped { player: id, resource });
        self.end_transfer(id);
    }

    /// Emits what the player carries now and what lies on its tile, and answers `ok`.
    fn end_transfer(&mut self, id: PlayerId) {
        self.emit_inventory(id);
        self.emit_tile(self.player(id).at);
        self.respond(id, Response::Ok);
    }
}
