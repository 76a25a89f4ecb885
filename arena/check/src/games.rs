//! The table of games that bots are checked for, with the scenes and situations of each.
//!
//! Tested in this module, in `arena/check/src/lib.rs` and in `arena/cli/tests/check.rs`.

use std::sync::LazyLock;

use serde::de::DeserializeOwned;

use super::data::{COMMON, GameData, from_table, from_text, scenes};
use super::scene::{PlayScene, Scene};
use super::seen::Remedy;
use super::{Situation, conquest, zappy};

/// A game that bots are checked for.
#[derive(Debug)]
pub struct CheckedGame {
    pub name: &'static str,
    /// Its situations, in the order in which they are tried.
    pub situations: &'static [Situation],
    pub(super) scenes: Vec<Scene>,
}

/// The game that a bot is checked for unless another one is asked for. It stands apart from the table, since every
/// program of the arena names it in its flags and the table takes milliseconds to make.
pub const FIRST_GAME: &str = zappy_game_zappy::SPEC.name;

/// The games that bots are checked for, [`FIRST_GAME`] first.
pub static GAMES: LazyLock<Vec<CheckedGame>> = LazyLock::new(|| {
    vec![
        load::<zappy::Scene>(FIRST_GAME, zappy::SITUATIONS),
        load::<conquest::Scene>(zappy_game_conquest::SPEC.name, conquest::SITUATIONS),
    ]
});

fn load<S: DeserializeOwned + PlayScene + 'static>(name: &'static str, text: &str) -> CheckedGame {
    let data: GameData = from_text(text);
    let (mut all, mut situations) = (Vec::new(), Vec::new());
    for (settings, own, tables) in scenes::<S>(&data) {
        for mut table in tables {
            let like = table.remove("like").and_then(|like| COMMON.demands.get(like.as_str()?).cloned());
            let mut situation: Situation = from_table(like.into_iter().flatten().chain(table).collect());
            (situation.scene, situation.role, situation.manual) = (all.len(), settings.role, data.manual);
            if let Some(name) = &situation.remedy {
                let Remedy { cause, mend, .. } = data.remedies[name];
                (situation.causes, situation.mend) = (vec![cause], mend);
            }
            situations.push(situation);
        }
        all.push(Scene { settings, own: Box::new(own) });
    }
    CheckedGame { name, situations: situations.leak(), scenes: all }
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
