//! The table of games that bots are checked for, with the situations of each, out of the data that lie in this crate.
//!
//! The data are a part of the program, so a mistake in them is one of ours and ends it. Tested in `arena/check/src/lib.rs` and
//! in `arena/cli/tests/check.rs`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use super::scene::{Played, Scene, Terms};
use super::seen::{Cause, FaultKind, Remedy};
use super::{Situation, conquest, zappy};

/// A game that bots are checked for.
#[derive(Debug)]
pub struct CheckedGame {
    pub name: &'static str,
    /// Its situations, in the order in which they are tried.
    pub situations: &'static [Situation],
}

/// The games that bots are checked for.
pub static GAMES: LazyLock<Vec<CheckedGame>> = LazyLock::new(|| {
    vec![
        load::<zappy::Scene>(zappy_game_zappy::SPEC.name, zappy::SITUATIONS),
        load::<conquest::Scene>(zappy_game_conquest::SPEC.name, conquest::SITUATIONS),
    ]
});

static COMMON: LazyLock<Common> = LazyLock::new(|| parse(include_str!("common.toml")));

static REMEDIES: LazyLock<BTreeMap<String, Remedy>> = LazyLock::new(|| {
    let rooms = [zappy::SITUATIONS, conquest::SITUATIONS].map(|text| parse::<Data>(text).remedies);
    COMMON.remedies.clone().into_iter().chain(rooms.into_iter().flatten()).collect()
});

/// The remedy of that name in the data.
pub fn remedy(name: &str) -> Remedy {
    *REMEDIES.get(name).unwrap_or_else(|| panic!("no remedy {name}"))
}

/// What the data of all games refer to.
#[derive(Deserialize)]
struct Common {
    /// What a scene has unless it or its game says otherwise.
    base: Table,
    /// Mistakes that count together.
    lists: BTreeMap<String, Vec<FaultKind>>,
    /// What situations take over with `like`.
    demands: BTreeMap<String, Table>,
    remedies: BTreeMap<String, Remedy>,
}

/// The data of a game.
#[derive(Deserialize)]
pub struct Data {
    /// The document whose sections explain its situations.
    #[serde(deserialize_with = "leaked")]
    manual: Text,
    base: Table,
    scenes: Vec<Table>,
    #[serde(default)]
    remedies: BTreeMap<String, Remedy>,
}

#[derive(Deserialize)]
struct SceneData {
    #[serde(flatten)]
    terms: Terms,
    situations: Vec<Table>,
    #[serde(flatten)]
    own: Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SituationData {
    #[serde(deserialize_with = "leaked")]
    name: Text,
    #[serde(deserialize_with = "leaked")]
    purpose: Text,
    mistakes: Vec<String>,
    #[serde(default)]
    causes: Vec<Cause>,
    /// A remedy that is this situation's, too, in place of causes and of what to mend.
    remedy: Option<String>,
    #[serde(default, deserialize_with = "leaked")]
    missed: Text,
    #[serde(default, deserialize_with = "leaked")]
    mend: Text,
    #[serde(deserialize_with = "leaked")]
    section: Text,
}

/// A text of the data, which are read once and last as long as the program.
pub type Text = &'static str;

pub fn leaked<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    String::deserialize(from).map(|text| &*text.leak())
}

pub fn parse<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

fn read<T: DeserializeOwned>(table: Table) -> T {
    let shown = format!("{table:?}");
    table.try_into().unwrap_or_else(|error| panic!("{error} in\n{shown}"))
}

/// The second table over the first one.
fn over(below: Table, above: Table) -> Table {
    below.into_iter().chain(above).collect()
}

/// The scenes in a game's data, with the data of their situations.
pub fn scenes<S: DeserializeOwned>(data: Data) -> Vec<(Terms, S, Vec<Table>)> {
    let base = over(COMMON.base.clone(), data.base);
    let scene = |scene| {
        let SceneData { terms, situations, own } = read(over(base.clone(), scene));
        (terms, read(own), situations)
    };
    data.scenes.into_iter().map(scene).collect()
}

fn load<S: DeserializeOwned + Played + 'static>(name: &'static str, text: &str) -> CheckedGame {
    let data: Data = parse(text);
    let (manual, remedies) = (data.manual, data.remedies.clone());
    let mut situations = Vec::new();
    for (terms, own, data) in scenes::<S>(data) {
        let scene: &'static Scene = Box::leak(Box::new(Scene { terms, own: Box::new(own) }));
        for mut own in data {
            let like =
                own.remove("like").map(|like| COMMON.demands[like.as_str().unwrap_or_default()].clone());
            let data: SituationData = read(over(like.unwrap_or_default(), own));
            let kinds = data.mistakes.into_iter().flat_map(|name| match COMMON.lists.get(&name) {
                Some(list) => list.clone(),
                None => vec![Value::String(name).try_into().expect("a kind of mistake")],
            });
            let remedy = data.remedy.map(|name| remedies[&name]);
            situations.push(Situation {
                name: data.name,
                purpose: data.purpose,
                scene,
                kinds: kinds.collect::<Vec<_>>().leak(),
                section: (manual, data.section),
                mend: remedy.map_or(data.mend, |remedy| remedy.mend),
                missed: data.missed,
                causes: remedy.map_or(data.causes, |remedy| vec![remedy.cause]).leak(),
            });
        }
    }
    CheckedGame { name, situations: situations.leak() }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn every_remedy_that_the_code_names_is_in_the_data() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let rooms = [folder.clone(), folder.join("zappy"), folder.join("conquest")];
        let files =
            rooms.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
        let rust = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
        let mut named = 0;
        for text in rust.map(|path| fs::read_to_string(path).unwrap()) {
            for name in text.split("remedy(\"").skip(1).filter_map(|rest| rest.split_once("\")")) {
                assert!(REMEDIES.contains_key(name.0), "{}", name.0);
                named += 1;
            }
        }
        assert!(named > 20, "{named}");
    }
}
