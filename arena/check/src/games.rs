//! The table of games in which bots can be checked, with the scenes and situations of each.
//!
//! Tested in this module, in `arena/check/src/lib.rs` and in `arena/cli/tests/check.rs`.

use std::sync::LazyLock;

use serde::de::DeserializeOwned;

use super::data::{COMMON, GameData, from_table, from_text, scenes};
use super::scene::{PlayScene, Scene};
use super::seen::Remedy;
use super::{Situation, conquest, zappy};

/// A game in which bots can be checked.
#[derive(Debug)]
pub struct CheckedGame {
    pub name: &'static str,
    /// Its situations, in the order in which they are tried.
    pub situations: &'static [Situation],
    pub(super) scenes: Vec<Scene>,
}

/// The game in which a bot is checked unless another one is asked for. It stands apart from [`GAMES`], since the flags
/// of every run of `zappy_arena` name it as a default, and making the table takes milliseconds.
pub const FIRST_GAME: &str = zappy_game_zappy::SPEC.name;

/// The games in which bots can be checked, [`FIRST_GAME`] first.
pub static GAMES: LazyLock<Vec<CheckedGame>> = LazyLock::new(|| {
    vec![
        load::<zappy::Scene>(FIRST_GAME, zappy::SITUATIONS),
        load::<conquest::Scene>(zappy_game_conquest::SPEC.name, conquest::SITUATIONS),
    ]
});

fn load<S: DeserializeOwned + PlayScene + 'static>(name: &'static str, text: &str) -> CheckedGame {
    let data: GameData = from_text(text);
    let (mut loaded_scenes, mut situations) = (Vec::new(), Vec::new());
    for (settings, own, tables) in scenes::<S>(&data) {
        for mut table in tables {
            // What `like` names comes first, so that the situation's own keys override it.
            let copied = table.remove("like").and_then(|name| COMMON.demands.get(name.as_str()?).cloned());
            let mut situation: Situation = from_table(copied.into_iter().flatten().chain(table).collect());
            (situation.scene, situation.role, situation.manual) =
                (loaded_scenes.len(), settings.role, data.manual);
            if let Some(name) = &situation.remedy {
                let Remedy { cause, mend, .. } = data.remedies[name];
                (situation.causes, situation.mend) = (vec![cause], mend);
            }
            situations.push(situation);
        }
        loaded_scenes.push(Scene { settings, own: Box::new(own) });
    }
    CheckedGame { name, situations: situations.leak(), scenes: loaded_scenes }
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
