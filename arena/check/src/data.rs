//! The data of scenes, situations and remedies, as they lie in the TOML files of this crate.
//!
//! The files are a part of the program: an error in one is a bug of this crate, and the program panics. Knows no game.
//! Tested in `arena/check/src/games.rs` and in `arena/check/src/lib.rs`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::de::{DeserializeOwned, IntoDeserializer as _};
use serde::{Deserialize, Deserializer};
use toml::Table;

use super::scene::SceneSettings;
use super::seen::{FaultKind, Phrase, Remedy, leaked};

pub static COMMON: LazyLock<Common> = LazyLock::new(|| from_text(include_str!("common.toml")));

/// What the data of all games refer to.
#[derive(Deserialize)]
pub struct Common {
    /// What a scene has unless it or its game says otherwise.
    base: Table,
    /// Named lists of mistakes; a situation may give a list's name in place of its members.
    lists: BTreeMap<String, Vec<FaultKind>>,
    /// Tables that a situation copies with `like = NAME`, and may override.
    pub demands: BTreeMap<String, Table>,
    pub remedies: BTreeMap<String, Remedy>,
}

/// The data of a game.
#[derive(Deserialize)]
pub struct GameData {
    /// The document that explains the situations of the game; each situation names a section of it.
    #[serde(deserialize_with = "leaked")]
    pub manual: Phrase,
    base: Table,
    scenes: Vec<Table>,
    #[serde(default)]
    pub remedies: BTreeMap<String, Remedy>,
}

#[derive(Deserialize)]
struct SceneData {
    #[serde(flatten)]
    settings: SceneSettings,
    situations: Vec<Table>,
    /// The rest, which the game's own scene reads.
    #[serde(flatten)]
    own: Table,
}

/// The remedy of that name, for mistakes that are made in any game.
pub fn remedy(name: &str) -> Remedy {
    COMMON.remedies[name]
}

pub fn from_text<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

pub fn from_table<T: DeserializeOwned>(table: Table) -> T {
    let shown = format!("{table:?}");
    table.try_into().unwrap_or_else(|error| panic!("{error} in\n{shown}"))
}

/// The mistakes of a situation, some of them by the names of lists.
pub fn kinds<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FaultKind>, D::Error> {
    let mut kinds = Vec::new();
    for name in Vec::<String>::deserialize(from)? {
        match COMMON.lists.get(&name) {
            Some(list) => kinds.extend(list),
            None => kinds.push(FaultKind::deserialize(name.into_deserializer())?),
        }
    }
    Ok(kinds)
}

/// The scenes in a game's data, with the data of their situations.
pub fn scenes<S: DeserializeOwned>(data: &GameData) -> impl Iterator<Item = (SceneSettings, S, Vec<Table>)> {
    data.scenes.iter().map(|scene| {
        let table = [&COMMON.base, &data.base, scene].map(Clone::clone).into_iter().flatten().collect();
        let SceneData { settings, situations, own } = from_table(table);
        (settings, from_table(own), situations)
    })
}
