//! The table of games that bots are checked for, with the situations of each, out of the data that lie in this crate.
//!
//! The data are a part of the program, so a mistake in them is one of ours and ends it. Tested in `arena/check/src/lib.rs` and
//! in `arena/cli/tests/check.rs`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;
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
        load::<zappy::Scene>(zappy_game_zappy::SPEC.name, zappy::SITUATIONS, zappy::REMEDIES),
        load::<conquest::Scene>(zappy_game_conquest::SPEC.name, conquest::SITUATIONS, &[]),
    ]
});

/// What the data of all games refer to.
#[derive(Deserialize)]
struct Common {
    /// What a scene has unless it or its game says otherwise.
    base: Table,
    /// Mistakes that count together.
    lists: BTreeMap<String, Vec<FaultKind>>,
    /// What situations take over with `like`.
    demands: BTreeMap<String, Table>,
}

/// The data of a game.
#[derive(Deserialize)]
struct Data {
    /// The document whose sections explain its situations.
    manual: String,
    base: Table,
    scenes: Vec<Table>,
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
    name: String,
    purpose: String,
    mistakes: Vec<String>,
    #[serde(default)]
    causes: Vec<Cause>,
    /// A remedy of the game's that is this situation's, too.
    remedy: Option<String>,
    #[serde(default)]
    missed: String,
    #[serde(default)]
    mend: String,
    section: String,
}

fn common() -> Common {
    read(toml::from_str(include_str!("common.toml")).expect("the common data are TOML"))
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
pub fn scenes<S: DeserializeOwned>(text: &str) -> Vec<(Terms, S, Vec<Table>)> {
    let data: Data = read(toml::from_str(text).expect("the data of a game are TOML"));
    let base = over(common().base, data.base);
    let scene = |scene| {
        let SceneData { terms, situations, own } = read(over(base.clone(), scene));
        (terms, read(own), situations)
    };
    data.scenes.into_iter().map(scene).collect()
}

fn load<S: DeserializeOwned + Played + 'static>(
    name: &'static str,
    text: &str,
    remedies: &[(&str, Remedy)],
) -> CheckedGame {
    let (Common { lists, demands, .. }, Data { manual, .. }) =
        (common(), read(toml::from_str(text).expect("the data of a game are TOML")));
    let manual: &'static str = manual.leak();
    let mut situations = Vec::new();
    for (terms, own, data) in scenes::<S>(text) {
        let scene: &'static Scene = Box::leak(Box::new(Scene { terms, own: Box::new(own) }));
        for mut own in data {
            let like = own.remove("like").and_then(|like| demands.get(like.as_str()?).cloned());
            let data: SituationData = read(over(like.unwrap_or_default(), own));
            let kinds = data.mistakes.into_iter().flat_map(|name| match lists.get(&name) {
                Some(list) => list.clone(),
                None => vec![Value::String(name).try_into().expect("a kind of mistake")],
            });
            let remedy = data.remedy.map(|name| {
                let found = remedies.iter().find(|(known, _)| *known == name);
                found.unwrap_or_else(|| panic!("no remedy {name}")).1
            });
            situations.push(Situation {
                name: data.name.leak(),
                purpose: data.purpose.leak(),
                scene,
                kinds: kinds.collect::<Vec<_>>().leak(),
                section: (manual, data.section.leak()),
                mend: remedy.map_or_else(|| &*data.mend.leak(), |remedy| remedy.mend),
                missed: data.missed.leak(),
                causes: remedy.map_or(data.causes, |remedy| vec![remedy.cause]).leak(),
            });
        }
    }
    CheckedGame { name, situations: situations.leak() }
}
