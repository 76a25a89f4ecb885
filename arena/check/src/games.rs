//! The table of games that bots are checked for, with the situations of each, out of the data that lie in this crate.
//!
//! Tested in this module, in `arena/check/src/lib.rs` and in `arena/cli/tests/check.rs`.

use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use toml::Value;

use super::data::{COMMON, GameData, SituationData, from_table, from_text, over, scenes};
use super::scene::{PlayScene, Scene};
use super::{Situation, conquest, zappy};

/// A game that bots are checked for.
#[derive(Debug)]
pub struct CheckedGame {
    pub name: &'static str,
    /// Its situations, in the order in which they are tried.
    pub situations: &'static [Situation],
}

/// The game that a bot is checked for unless another one is asked for. It stands apart from the table, since every program
/// of the arena tells it with its flags and the table takes milliseconds to make.
pub const FIRST_GAME: &str = zappy_game_zappy::SPEC.name;

/// The games that bots are checked for, the first of them first.
pub static GAMES: LazyLock<Vec<CheckedGame>> = LazyLock::new(|| {
    vec![
        load::<zappy::Scene>(FIRST_GAME, zappy::SITUATIONS),
        load::<conquest::Scene>(zappy_game_conquest::SPEC.name, conquest::SITUATIONS),
    ]
});

fn load<S: DeserializeOwned + PlayScene + 'static>(name: &'static str, text: &str) -> CheckedGame {
    let data: GameData = from_text(text);
    let (manual, remedies) = (data.manual, data.remedies.clone());
    let mut situations = Vec::new();
    for (settings, own, data) in scenes::<S>(data) {
        let scene: &'static Scene = Box::leak(Box::new(Scene { settings, own: Box::new(own) }));
        for mut own in data {
            let like =
                own.remove("like").map(|like| COMMON.demands[like.as_str().unwrap_or_default()].clone());
            let data: SituationData = from_table(over(like.unwrap_or_default(), own));
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
    fn every_remedy_that_the_code_names_is_in_its_data() {
        let of_zappy = from_text::<GameData>(zappy::SITUATIONS).remedies;
        for (folder, known) in [("src", &COMMON.remedies), ("src/zappy", &of_zappy)] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let rust = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
            let texts: Vec<String> = rust.map(|path| fs::read_to_string(path).unwrap()).collect();
            let code = texts.iter().filter_map(|text| text.split("#[cfg(test)]").next());
            let named: Vec<&str> = code
                .flat_map(|code| code.split("remedy(\"").skip(1))
                .filter_map(|rest| rest.split('"').next())
                .collect();
            assert!(named.len() > 5, "{named:?}");
            named.iter().for_each(|name| assert!(known.contains_key(*name), "{name}"));
        }
    }
}
