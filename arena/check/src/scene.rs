//! A scene as the frame sees it: what it needs to know to play it, whatever the game.
//!
//! What is done to a bot there is the game's; the data stand in the TOML files of this crate, which `data` reads. Tested in
//! `arena/cli/tests/check.rs`.

use std::fmt::Debug;
use std::net::TcpListener;
use std::time::Duration;

use serde::Deserialize;
use zappy_game::Options;
use zappy_play::programs::process::Process;
use zappy_play::programs::signals::Signals;

use super::seen::Seen;
use super::wire::{Manner, millis};

/// What a scene is for, where that makes a difference to the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The handshake: a bot that fails it is let in nowhere.
    Login,
    /// An ordinary match: what goes wrong here is said here alone.
    Ordinary,
    /// It is played twice, and the bot's lines are compared.
    Twice,
    /// Each line by itself, which is what a poor reader expects.
    Apart,
    /// The bot may shout here what its players say to each other.
    Words,
    /// What it shouted there is shouted to it.
    Echo,
    #[default]
    Other,
}

/// When a scene is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enough {
    /// After the scene's ticks.
    Ticks,
    /// After the bot has come so far: commands that it sent, or phases that it ended.
    Steps(u64),
    /// After what the scene is about has happened this often, and after this many steps more.
    Met(u32, u64),
    /// When a client hatched from an egg.
    Hatched,
    /// When the bot has ended, or ought to have.
    End,
}

/// What the frame needs to know of a scene.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct SceneSettings {
    pub role: Role,
    pub manner: Manner,
    /// How long the server waits before it sends `WELCOME`; in the data in milliseconds, as all times.
    #[serde(deserialize_with = "millis")]
    pub greeting: Duration,
    /// How long it waits besides before it takes in the name that it is told.
    #[serde(deserialize_with = "millis")]
    pub answer: Duration,
    /// Whether others have taken all the bot's places.
    pub full: bool,
    /// Whether time passes by the real clock; else by the lockstep clock.
    pub real: bool,
    /// Whether the bot has to speak; else it may as well keep silent.
    pub asks: bool,
    /// How long it may take once the bot is in, of the time that the bot could run.
    #[serde(deserialize_with = "millis")]
    pub limit: Duration,
    pub enough: Enough,
}

/// How long a scene may take that isn't long by itself.
pub const SCENE_LIMIT: Duration = Duration::from_secs(12);

/// What a scene is played with.
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
    pub by_habit: bool,
    /// What it shouted in other scenes.
    pub words: Vec<String>,
}

#[derive(Debug)]
pub struct Scene {
    pub settings: SceneSettings,
    /// What its game has to know besides.
    pub own: Box<dyn PlayScene>,
}

/// What a game knows of a scene.
pub trait PlayScene: Debug + Send + Sync {
    fn play(&self, settings: SceneSettings, supplies: Supplies<'_>) -> Seen;
}
