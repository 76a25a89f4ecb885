//! The world as an observer can rebuild it from messages alone.
//!
//! Knows only what the dialect carries: not the team of an egg, nor the time left of anything. Takes messages in any
//! order and never panics; reports a message that contradicts earlier ones, which then changes nothing. The server's
//! tests compare the mirror with the real world after every step.

use std::collections::BTreeMap;

use super::observer::Message;
use crate::types::{MapSize, Position, TeamName, Tick};
use crate::zappy::{EggId, Inventory, Level, Orientation, PlayerId, Resource};

/// A player as observers know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorPlayer {
    pub at: Position,
    pub orientation: Orientation,
    pub level: Level,
    pub team: TeamName,
    /// What it carries, as the last message said.
    pub inventory: Inventory,
    /// Whether the player is laying an egg, as far as messages say.
    pub laying: bool,
}

/// An egg as observers know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MirrorEgg {
    pub at: Position,
    /// The player that laid it, if a message said so.
    pub layer: Option<PlayerId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorIncantation {
    pub at: Position,
    /// The level its players had when it began.
    pub level: Level,
    /// The participants, the initiator first.
    pub players: Vec<PlayerId>,
    /// The tick at which it began, if known: messages don't say, so their reader may fill it in.
    pub began: Option<Tick>,
}

/// How a message contradicts earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The player was never announced, or is gone.
    #[error("no player {0}")]
    NoPlayer(PlayerId),
    /// The egg was never announced, or is gone.
    #[error("no egg {0}")]
    NoEgg(EggId),
    /// The tile is off the map, or no map was announced.
    #[error("no tile {0}")]
    NoTile(Position),
    #[error("no incantation at {0}")]
    NoIncantation(Position),
}

/// The world by the messages so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mirror {
    /// The map's size, once a message has named it.
    pub size: Option<MapSize>,
    /// Ticks per second, 0 until a message names it.
    pub rate: u32,
    /// What lies on each tile, row by row.
    pub tiles: Vec<Inventory>,
    /// The teams in the order of their messages.
    pub teams: Vec<TeamName>,
    pub players: BTreeMap<PlayerId, MirrorPlayer>,
    /// Eggs that lie on the map.
    pub eggs: BTreeMap<EggId, MirrorEgg>,
    /// Running incantations in the order in which they began.
    pub incantations: Vec<MirrorIncantation>,
    /// The winner, once a message has named it.
    pub winner: Option<TeamName>,
}

impl Mirror {
    /// A mirror that no message has reached yet.
    pub fn new() -> Mirror {
        Mirror::default()
    }

    /// What lies on a tile; `None` off the map.
    pub fn tile(&self, at: Position) -> Option<&Inventory> {
        let size = self.size.filter(|size| size.contains(at))?;
        self.tiles.get(size.index(at))
    }

    /// Takes one message in.
    ///
    /// # Errors
    /// The message contradicts earlier ones, and changes nothing.
    pub fn apply(&mut self, message: &Message) -> Result<(), Misfit> {
        match message {
            Message::MapSize(size) => {
                if self.size != Some(*size) {
                    self.size = Some(*size);
                    self.tiles = vec![Inventory::default(); size.area() as usize];
                }
            }
            Message::Tile { at, resources } => {
                let size = self.size.filter(|size| size.contains(*at)).ok_or(Misfit::NoTile(*at))?;
                *self.tiles.get_mut(size.index(*at)).ok_or(Misfit::NoTile(*at))? = *resources;
            }
            Message::Team(team) => {
                if !self.teams.contains(team) {
                    self.teams.push(team.clone());
                }
            }
            Message::PlayerJoined { player, at, orientation, level, team } => {
                let known = self.players.entry(*player).or_insert_with(|| MirrorPlayer {
                    at: *at,
                    orientation: *orientation,
                    level: *level,
                    team: team.clone(),
                    inventory: Inventory::default(),
                    laying: false,
                });
                // A snapshot announces players that may be known already: what the message doesn't name stays.
                (known.at, known.orientation, known.level) = (*at, *orientation, *level);
            }
            Message::PlayerPosition { player, at, orientation } => {
                let known = self.player_mut(*player)?;
                (known.at, known.orientation) = (*at, *orientation);
            }
            Message::PlayerLevel { player, level } => self.player_mut(*player)?.level = *level,
            Message::PlayerInventory { player, at, inventory } => {
                let known = self.player_mut(*player)?;
                (known.at, known.inventory) = (*at, *inventory);
            }
            Message::Laying(player) => self.player_mut(*player)?.laying = true,
            Message::Died(player) => {
                self.players.remove(player).ok_or(Misfit::NoPlayer(*player))?;
            }
            Message::Ejected(player)
            | Message::Broadcast { player, .. }
            | Message::Dropped { player, .. }
            | Message::Took { player, .. } => {
                self.player_mut(*player)?;
            }
            Message::IncantationBegan { at, level, players } => {
                // A player is in one incantation at a time, so an incantation that a snapshot names again is replaced.
                self.incantations.retain(|known| !known.players.iter().any(|p| players.contains(p)));
                let (at, level, players) = (*at, *level, players.clone());
                self.incantations.push(MirrorIncantation { at, level, players, began: None });
            }
            Message::IncantationEnded { at, .. } => {
                // All incantations last equally long: of several on a tile the oldest ends first.
                let oldest = self.incantations.iter().position(|known| known.at == *at);
                self.incantations.remove(oldest.ok_or(Misfit::NoIncantation(*at))?);
            }
            Message::EggLaid { egg, layer, at } => {
                let known = self.eggs.entry(*egg).or_insert(MirrorEgg { at: *at, layer: *layer });
                known.at = *at;
                if let Some(layer) = layer {
                    known.layer = Some(*layer);
                    if let Some(player) = self.players.get_mut(layer) {
                        player.laying = false;
                    }
                }
            }
            Message::EggHatching(egg) => self.eggs.get(egg).map(|_| ()).ok_or(Misfit::NoEgg(*egg))?,
            Message::EggHatched(egg) | Message::EggDestroyed(egg) => {
                self.eggs.remove(egg).ok_or(Misfit::NoEgg(*egg))?;
            }
            Message::Rate(rate) => self.rate = *rate,
            Message::Won(team) => self.winner = Some(team.clone()),
            Message::Server(_) | Message::UnknownRequest | Message::BadParameter => {}
        }
        Ok(())
    }

    fn player_mut(&mut self, player: PlayerId) -> Result<&mut MirrorPlayer, Misfit> {
        self.players.get_mut(&player).ok_or(Misfit::NoPlayer(player))
    }

    /// Messages that make a new mirror equal to this one. Tiles with nothing on them are left out.
    pub fn snapshot(&self) -> Vec<Message> {
        let mut out: Vec<Message> = self.size.map(Message::MapSize).into_iter().collect();
        out.push(Message::Rate(self.rate));
        if let Some(size) = self.size {
            let bare = Inventory::default();
            let tiles = self.tiles.iter().enumerate().filter(|&(_, tile)| *tile != bare);
            out.extend(tiles.map(|(i, tile)| Message::Tile { at: size.position(i), resources: *tile }));
        }
        out.extend(self.teams.iter().cloned().map(Message::Team));
        for (&player, known) in &self.players {
            let MirrorPlayer { at, orientation, level, inventory, .. } = *known;
            let team = known.team.clone();
            out.push(Message::PlayerJoined { player, at, orientation, level, team });
            out.push(Message::PlayerInventory { player, at, inventory });
        }
        out.extend(self.eggs.iter().map(|(&egg, known)| Message::EggLaid {
            egg,
            layer: known.layer,
            at: known.at,
        }));
        // An egg's line says that its layer has finished, so players that are laying another one come after the eggs.
        let laying = self.players.iter().filter(|(_, known)| known.laying);
        out.extend(laying.map(|(&player, _)| Message::Laying(player)));
        out.extend(self.incantations.iter().map(|known| Message::IncantationBegan {
            at: known.at,
            level: known.level,
            players: known.players.clone(),
        }));
        out.extend(self.winner.iter().cloned().map(Message::Won));
        out
    }

    /// Units of a resource on the ground.
    pub fn on_ground(&self, resource: Resource) -> u64 {
        self.tiles.iter().map(|tile| u64::from(tile.get(resource))).sum()
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

    #[test]
    fn a_second_dump_changes_nothing_that_is_known() {
        let snapshot = [
            "msz 2 2",
            "sgt 100",
            "bct 1 1 3 0 0 0 0 0 0",
            "tna red",
            "pnw #0 1 1 2 1 red",
            "pin #0 1 1 9 0 0 0 0 0 0",
        ];
        let once = mirror_of(&[&snapshot[..], &["enw #0 #0 1 1", "pic 1 1 1 #0"]].concat());
        let twice = mirror_of(
            &[
                &snapshot[..],
                &["enw #0 #0 1 1", "pic 1 1 1 #0"],
                &snapshot,
                &["enw #0 #-1 1 1", "pic 1 1 1 #0"],
            ]
            .concat(),
        );
        assert_eq!(once, twice);
        assert_eq!(once.0.eggs[&EggId(0)].layer, Some(PlayerId(0)));
    }

    #[test]
    fn a_snapshot_makes_an_equal_mirror() {
        assert_eq!(Mirror::new().snapshot().len(), 1);
        let (mirror, misfits) = mirror_of(&[
            "msz 3 2",
            "sgt 50",
            "bct 1 1 3 0 0 0 0 0 1",
            "bct 2 0 0 0 0 0 0 0 0",
            "tna red",
            "tna blue",
            "pnw #0 1 1 2 1 red",
            "pnw #4 0 1 3 2 blue",
            "pin #4 2 1 9 0 0 1 0 0 0",
            "enw #7 #-1 0 0",
            "enw #8 #4 2 1",
            "pfk #4",
            "pic 2 1 2 #4",
            "pic 1 1 1 #0 #9",
            "seg blue",
        ]);
        assert_eq!(misfits, []);
        let mut again = Mirror::new();
        for message in mirror.snapshot() {
            assert_eq!(again.apply(&message), Ok(()), "{message:?}");
        }
        assert_eq!(again, mirror);
        assert!(again.players[&PlayerId(4)].laying);
    }

    #[test]
    fn the_older_of_two_incantations_on_a_tile_ends_first() {
        let (mirror, misfits) = mirror_of(&["msz 2 2", "pic 1 1 1 #0", "pic 1 1 2 #1 #2", "pie 1 1 1"]);
        assert_eq!(misfits, []);
        assert_eq!(mirror.incantations[0].level.get(), 2);
    }

    #[test]
    fn what_does_not_fit_is_reported() {
        let (_, misfits) = mirror_of(&[
            "bct 0 0 1 1 1 1 1 1 1",
            "msz 2 2",
            "bct 2 0 1 1 1 1 1 1 1",
            "pdi #3",
            "ebo #1",
            "pie 0 0 1",
        ]);
        assert_eq!(misfits.len(), 5);
    }
}
