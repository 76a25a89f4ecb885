//! What conquest has to know of a scene: the field on which a bot plays, and what is done to it there.
//!
//! Words for the data in `situations.toml` alone; the stage plays them and `inject` does what is done. Tested in `arena/cli/tests/check.rs`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::stage::{OTHERS, TEAM};

/// What is done to a bot while it plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    None,
    /// Its time is over before a byte of the snapshot has reached it.
    Late,
    /// The other faction takes its time.
    Thinks,
    /// One of its units is gone when it orders.
    Vanishes,
    /// One of its units changes sides.
    Converts,
    /// It loses its base; the match goes on without it, and ends.
    Beats,
    /// The last turn is played.
    Ends,
    /// The connection ends behind a line.
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
    /// The options that aren't as by default.
    pub options: BTreeMap<String, String>,
    /// The operator's lines that lay it out before any faction is in, with `{bot}` and `{other}` for the names of both sides.
    pub field: Vec<String>,
    /// Units more of its own, in rows.
    pub army: u16,
    pub injected: Injected,
}

impl Scene {
    /// The lines that lay it out.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.field.iter().map(|line| line.replace("{bot}", TEAM).replace("{other}", OTHERS))
    }
}
