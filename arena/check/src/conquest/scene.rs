//! What conquest has to know of a scene: the field on which a bot plays, and what is done to it there.
//!
//! Only types for what `situations.toml` says; the stage plays a scene, and `inject` does what is done to the bot. Tested in `arena/cli/tests/check.rs`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::stage::{OTHERS, TEAM};

/// What is done to a bot while it plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    None,
    /// The bot's phase ends before a byte of the snapshot has reached it.
    Late,
    /// The other faction takes its time.
    Thinks,
    /// One of the bot's units is gone when it orders.
    Vanishes,
    /// One of the bot's units changes sides.
    Converts,
    /// The bot loses its base; the match goes on without it for a while.
    Beats,
    /// The last turn is played.
    Ends,
    /// The connection ends right after a whole line.
    Closes,
    /// The connection ends in the middle of a line.
    Breaks,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The width and height of the map.
    pub sides: (u16, u16),
    /// How many factions there are; the bot's is the first.
    pub factions: usize,
    /// The options that differ from their defaults.
    pub options: BTreeMap<String, String>,
    /// The operator's lines that lay it out before any faction is in, with `{bot}` and `{other}` for the names of both factions.
    pub field: Vec<String>,
    /// How many more units the bot has, placed in rows.
    pub army: u16,
    pub injected: Injected,
}

impl Scene {
    /// The lines of the field with the factions' names put in.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.field.iter().map(|line| line.replace("{bot}", TEAM).replace("{other}", OTHERS))
    }
}
