//! The data of scenes, situations and remedies, as they lie in the TOML files of this crate.
//!
//! They are a part of the program, so a mistake in them is ours, and the program panics. Knows no game. Tested in `games` and in
//! `arena/check/src/lib.rs`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Table;

use super::scene::SceneSettings;
use super::seen::{Cause, FaultKind, Phrase, Remedy, leaked};

pub static COMMON: LazyLock<Common> = LazyLock::new(|| from_text(include_str!("common.toml")));

/// The remedy of that name, for mistakes that are made in any game.
pub fn remedy(name: &str) -> Remedy {
    COMMON.remedies[name]
}

/// What the data of all games refer to.
#[derive(Deserialize)]
pub struct Common {
    /// What a scene has unless it or its game says otherwise.
    base: Table,
    /// Names for lists of mistakes, which situations may use in place of the mistakes.
    pub lists: BTreeMap<String, Vec<FaultKind>>,
    /// What situations take over with `like`.
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
    #[serde(flatten)]
    own: Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SituationData {
    #[serde(deserialize_with = "leaked")]
    pub name: Phrase,
    #[serde(deserialize_with = "leaked")]
    pub purpose: Phrase,
    pub mistakes: Vec<String>,
    #[serde(default)]
    pub causes: Vec<Cause>,
    /// The name of a remedy of the game, which replaces `causes` and `mend`.
    pub remedy: Option<String>,
    /// The note if what the scene is about never happened.
    #[serde(default, deserialize_with = "leaked")]
    pub missed: Phrase,
    #[serde(default, deserialize_with = "leaked")]
    pub mend: Phrase,
    #[serde(deserialize_with = "leaked")]
    pub section: Phrase,
}

pub fn from_text<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

pub fn from_table<T: DeserializeOwned>(table: Table) -> T {
    let shown = format!("{table:?}");
    table.try_into().unwrap_or_else(|error| panic!("{error} in\n{shown}"))
}

/// The entries of both tables; where both have a key, that of `above`.
pub fn over(below: Table, above: Table) -> Table {
    below.into_iter().chain(above).collect()
}

/// The scenes in a game's data, with the data of their situations.
pub fn scenes<S: DeserializeOwned>(data: GameData) -> Vec<(SceneSettings, S, Vec<Table>)> {
    let base = over(COMMON.base.clone(), data.base);
    let scene = |scene| {
        let SceneData { settings, situations, own } = from_table(over(base.clone(), scene));
        (settings, from_table(own), situations)
    };
    data.scenes.into_iter().map(scene).collect()
}
