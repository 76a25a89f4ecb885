//! A scene of Zappy: what surrounds a bot and what is done to it there, as `situations.toml` says; the map laid out,
//! the player that faults are injected into, and the player of the check beside it.
//!
//! `inject` does what is done to the bot. Tested in `arena/cli/tests/check.rs`.

use serde::Deserialize;
use zappy_game::SeatId;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::player::Response;
use zappy_protocol::{MapSize, Tick};

use super::Zappy;
use crate::stage::{OTHERS, Stage, TEAM};

/// The fault that is injected while a bot plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    None,
    /// A player shouts while the bot waits for an answer.
    Shouts,
    /// A player shouts whenever the bot's answer is about to go, so that both go together.
    ShoutsAlong,
    /// A player shouts a great deal whenever the bot's answer is about to go.
    Bursts,
    /// A player shouts bytes that are no UTF-8.
    ShoutsBytes,
    /// A player shouts as long a text as there can be.
    ShoutsLong,
    /// A player stands on the bot's tile and pushes.
    Pushes,
    /// The things that the bot saw are gone when it comes to take them.
    Refuses,
    /// Time stands still, so that the bot has to wait for its answer.
    Delays,
    /// Something lies ahead to its left or right, and nowhere else.
    Tempts,
    /// The bot is called from a tile, again and again.
    Calls,
    /// The bot carries more than 9 units of food, and then fewer.
    Fills,
    /// The stones of the bot's own incantation vanish.
    TakesStones,
    /// Others' incantations take the bot along, and fail.
    Freezes,
    /// Others' incantations take the bot along, and raise it.
    Raises,
    Kills,
    /// The server closes the connection.
    Closes,
    /// The connection ends in the middle of a line.
    Breaks,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The length of a side of the square map, in tiles.
    pub side: u16,
    /// Slots of the bot's team.
    pub slots: u32,
    /// The most ticks that the scene lasts.
    pub ticks: Tick,
    pub injected: Injected,
    /// Players of other teams, which do nothing by themselves.
    pub others: u32,
    /// Units of food and of linemate on each tile; `None`: as the rules have it.
    pub ground: Option<(u32, u32)>,
    /// Whether eggs lie about and are seen.
    pub eggs: bool,
    /// Units of food that each player of the bot carries at the start; `None`: as the rules have it.
    pub food: Option<u32>,
    /// Whether players eat, and may starve.
    pub hunger: bool,
    /// The level to which others' incantations raise the bot before anything else is done.
    pub level: u8,
    /// The lines that the scene is about.
    pub counts: Awaited,
}

/// The kind of line that a scene is about.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Awaited {
    Nothing,
    /// A `Look` without anything in it.
    BareLook,
    LongLook,
    /// A `Look` with eggs in it.
    Eggs,
    Push,
    /// A message that is no UTF-8, or as long as can be.
    OddMessage,
}

impl Awaited {
    /// Whether a line that the bot is sent is of this kind.
    pub fn matches_line(self, response: &Response, line: &[u8]) -> bool {
        match (self, response) {
            (Awaited::BareLook, Response::Look(tiles)) => {
                tiles.iter().all(|tile| tile.resources.iter().all(|(_, n)| n == 0))
            }
            (Awaited::LongLook, Response::Look(_)) => line.len() > BUFFER_BYTES,
            (Awaited::Eggs, Response::Look(tiles)) => tiles.iter().any(|tile| tile.eggs > 0),
            (Awaited::Push, Response::Eject(_)) => true,
            (Awaited::OddMessage, Response::Message { .. }) => {
                line.ends_with(NOT_UTF8) || line.ends_with(&long_text())
            }
            _ => false,
        }
    }
}

/// The size of the buffer into which many programs read lines, in bytes.
const BUFFER_BYTES: usize = 4096;
/// Bytes that aren't valid UTF-8.
pub const NOT_UTF8: &[u8] = b"caf\xe9 \xff\xfe \x80";

/// A text that makes a `Broadcast` nearly as long as a line may be.
pub fn long_text() -> Vec<u8> {
    b"and so on and ".repeat(290).trim_ascii().to_vec()
}

fn tiles(side: u16) -> impl Iterator<Item = (u16, u16)> {
    (0..side).flat_map(move |y| (0..side).map(move |x| (x, y)))
}

/// Lays out what lies on the map before the bot connects.
pub fn furnish(stage: &mut Stage<'_, Zappy>) {
    let scene = stage.play.scene;
    if !scene.hunger {
        stage.console("/noFood true");
    }
    if scene.ground.is_some() && !scene.hunger {
        stage.console("/noRefill true");
    }
    for (x, y) in tiles(scene.side) {
        if let Some((food, linemate)) = scene.ground {
            for resource in ["deraumere", "sibur", "mendiane", "phiras", "thystame"] {
                stage.console(&format!("/setTile {resource} 0 {x} {y}"));
            }
            stage.console(&format!("/setTile food {food} {x} {y}"));
            stage.console(&format!("/setTile linemate {linemate} {x} {y}"));
        }
        if scene.eggs {
            stage.console(&format!("/fork {OTHERS} {x} {y}"));
        }
    }
}

/// The bot's player into which faults are injected, with its seat: the eldest that lives and speaks.
pub fn victim(stage: &Stage<'_, Zappy>) -> Option<(PlayerId, usize, MirrorPlayer)> {
    let players = stage.play.game.projection().players;
    let seat = |id: PlayerId| stage.play.seats.get(id.0 as usize).map(|seat| seat.0 as usize);
    let mut own: Vec<_> = players.into_iter().filter(|(_, player)| player.team.as_str() == TEAM).collect();
    // A player that keeps silent comes last, since it shows nothing.
    own.sort_by_key(|(id, _)| seat(*id).and_then(|i| stage.connections.get(i)).is_none_or(|one| one.mute));
    let (id, player) = own.into_iter().next()?;
    Some((id, seat(id)?, player))
}

/// The size of the scene's map.
pub fn map_size(stage: &Stage<'_, Zappy>) -> MapSize {
    MapSize::new(stage.play.scene.side, stage.play.scene.side).expect("a small map")
}

/// The first player of the check, and its seat.
pub fn puppet(stage: &Stage<'_, Zappy>) -> (PlayerId, SeatId) {
    (PlayerId(0), stage.play.seats[0])
}

/// Puts these units of food and linemate on each tile.
pub fn lay_out(stage: &mut Stage<'_, Zappy>, food: u32, linemate: u32) {
    for (x, y) in tiles(stage.play.scene.side) {
        stage.console(&format!("/setTile food {food} {x} {y}"));
        stage.console(&format!("/setTile linemate {linemate} {x} {y}"));
    }
}
