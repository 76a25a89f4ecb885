//! The world as an observer should know it, and the fingerprint of all of it.
//!
//! Reads the world and changes nothing. The simulator compares the projection with the mirror built from
//! messages after every step. Tested in `simulation/tests/rules`.

use zappy_protocol::record::Fingerprint;
use zappy_protocol::zappy::Inventory;
use zappy_protocol::zappy::mirror::{Mirror, MirrorEgg, MirrorIncantation, MirrorPlayer};
use zappy_protocol::{Position, Tick};

use super::Zappy;
use super::player::{ParsedCommand, Player};
use super::world::Incantation;

impl Zappy {
    /// The world as far as the observers' dialect describes it, without the layers of eggs and without players that are
    /// laying.
    pub fn projection(&self) -> Mirror {
        let world = &self.world;
        let size = world.map.size;
        let player = |p: &Player| MirrorPlayer {
            at: p.at,
            orientation: p.orientation,
            level: p.level,
            team: world.teams[p.team].name.clone(),
            inventory: p.inventory,
            laying: false,
        };
        let incantation = |i: &Incantation| MirrorIncantation {
            at: i.at,
            level: i.level,
            players: i.players.clone(),
            began: None,
        };
        Mirror {
            size: Some(size),
            rate: self.lobby.rate().get(),
            tiles: (0..size.area() as usize).map(|i| world.map.tile(size.position(i)).resources).collect(),
            teams: world.teams_in_order().map(|team| world.teams[team].name.clone()).collect(),
            players: world.living.iter().map(|&id| (id, player(world.player(id)))).collect(),
            eggs: world.eggs.iter().map(|(&id, egg)| (id, MirrorEgg { at: egg.at, layer: None })).collect(),
            incantations: world.incantations.values().map(incantation).collect(),
            winner: self.winner().cloned(),
        }
    }

    /// The tick from which refills are counted.
    pub const fn refills_since(&self) -> Tick {
        self.world.refill.origin
    }

    pub(super) fn fingerprint(&self) -> u64 {
        let world = &self.world;
        let mut print = Fingerprint::default();
        for number in [
            world.now,
            self.lobby.rate().get().into(),
            world.next_egg.into(),
            world.next_incantation.into(),
            world.refill.origin,
            world.ends_at,
        ] {
            print.update_number(number);
        }
        let (paused, started) = self.lobby.paused_started();
        for flag in [world.no_food, world.refill.stopped, paused, started, world.over] {
            print.update_number(flag.into());
        }
        for index in 0..world.map.size.area() as usize {
            add_inventory(&mut print, &world.map.tile(world.map.size.position(index)).resources);
        }
        for (id, egg) in &world.eggs {
            print.update_number(id.0.into());
            print.update_number(egg.team as u64);
            add_position(&mut print, egg.at);
        }
        for player in &world.players {
            add_player(&mut print, player);
        }
        for (&number, incantation) in &world.incantations {
            print.update_number(number.into());
            add_position(&mut print, incantation.at);
            print.update_number(incantation.initiator.map_or(0, |id| u64::from(id.0) + 1));
            for player in incantation.players.iter().chain(&incantation.moved) {
                print.update_number(player.0.into());
            }
        }
        print.value()
    }
}

fn add_position(print: &mut Fingerprint, at: Position) {
    print.update_number(u64::from(at.x) << 16 | u64::from(at.y));
}

fn add_inventory(print: &mut Fingerprint, inventory: &Inventory) {
    for units in inventory.amounts() {
        print.update(&units.to_le_bytes());
    }
}

fn add_player(print: &mut Fingerprint, player: &Player) {
    let (how, when) = player.ended.map_or((0, 0), |(how, when)| (how as u64 + 1, when));
    print.update_number(how);
    print.update_number(when);
    print.update_number(player.team as u64);
    print.update_number(player.born);
    add_position(print, player.at);
    print.update_number(u64::from(player.orientation.number()) << 8 | u64::from(player.level.get()));
    add_inventory(print, &player.inventory);
    print.update_number(player.incantation.map_or(0, |number| u64::from(number) + 1));
    print.update_number(player.leaving.into());
    let agenda = player.agenda();
    if let Some(running) = &agenda.running {
        print.update_number(running.due);
        print.update_number(running.suspended.map_or(0, |left| left + 1));
        add_command(print, &running.command);
    }
    print.update_number(agenda.queue.len() as u64);
    for command in &agenda.queue {
        add_command(print, command);
    }
}

fn add_command(print: &mut Fingerprint, command: &ParsedCommand) {
    let mut bytes = Vec::new();
    match command {
        Ok(command) => command.write(&mut bytes),
        Err(bad) => bytes.extend_from_slice(bad.to_string().as_bytes()),
    }
    print.update_number(bytes.len() as u64);
    print.update(&bytes);
}
