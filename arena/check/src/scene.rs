//! A scene of any game: its settings, its supplies, and the interface by which its game plays it.
//!
//! The faults that are injected are the game's; the data stand in the TOML files of this crate, which `data` reads.
//! Tested in `arena/cli/tests/check.rs`.

use std::fmt::Debug;
use std::net::TcpListener;
use std::time::Duration;

use serde::Deserialize;
use zappy_game::Options;
use zappy_play::programs::process::Process;
use zappy_play::programs::signals::Signals;

use super::seen::Seen;
use super::wire::{Manner, millis};

/// The part that a scene plays in a check, if other scenes depend on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The handshake: a bot that fails it isn't let in by any scene.
    Login,
    /// An ordinary match: its mistakes are reported here alone.
    Ordinary,
    /// It is played twice, and the bot's lines are compared.
    Twice,
    /// The lines come one by one, as a poor reader expects them.
    Apart,
    /// The bot may shout here what its players say to each other.
    Words,
    /// The bot's shouts in the scene `Words` are shouted to it.
    Echo,
    #[default]
    Other,
}

/// When a scene is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enough {
    /// After as many ticks as the scene's settings say.
    Ticks,
    /// After this many steps of the bot: commands that it sent, or phases that it ended.
    Steps(u64),
    /// After the thing that the scene is about has happened this many times, and then this many more steps.
    Met(u32, u64),
    /// When a client hatched from an egg.
    Hatched,
    /// When the bot has ended, or ought to have.
    End,
}

/// The settings of a scene that all games have.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct SceneSettings {
    pub role: Role,
    pub manner: Manner,
    /// How long the server waits before it sends `WELCOME`; in the data in milliseconds, as all times.
    #[serde(deserialize_with = "millis")]
    pub greeting: Duration,
    /// How long the server waits after `WELCOME` before it takes the team's name in.
    #[serde(deserialize_with = "millis")]
    pub answer: Duration,
    /// Whether other players have taken all slots of the bot's team.
    pub full: bool,
    /// Whether time passes by the real clock; otherwise by the lockstep clock.
    pub real: bool,
    /// Whether the bot has to send lines; otherwise it may keep silent.
    pub asks: bool,
    /// How long the scene may last once the bot is let in, counting only the time in which the bot could run.
    #[serde(deserialize_with = "millis")]
    pub limit: Duration,
    pub enough: Enough,
}

/// The limit of an ordinary scene; a scene with a longer limit isn't counted for the limit of the check.
pub const SCENE_LIMIT: Duration = Duration::from_secs(12);

/// The bot and everything else that a scene is played with.
#[derive(Debug)]
pub struct Supplies<'a> {
    /// The bot, which has just been started.
    pub process: Process,
    pub listener: TcpListener,
    /// The operator's wish to stop.
    pub signals: &'a mut Signals,
    /// The options of the game that was asked for.
    pub options: &'a Options,
    /// Whether players of the bot's are known to keep silent on purpose.
    pub silent_by_habit: bool,
    /// The bot's shouts in other scenes.
    pub shouts: Vec<String>,
}

#[derive(Debug)]
pub struct Scene {
    pub settings: SceneSettings,
    /// The game's part of the scene.
    pub own: Box<dyn PlayScene>,
}

/// The game's part of a scene.
pub trait PlayScene: Debug + Send + Sync {
    fn play(&self, settings: SceneSettings, supplies: Supplies<'_>) -> Seen;
}
