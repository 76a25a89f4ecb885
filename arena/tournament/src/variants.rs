//! How matches are played, for comparison: the terms of one, how two differ, and the variants of a plan, which are its
//! matches with other options of the game.
//!
//! Tested in `plan` and in `arena/cli/tests/tournament/variants.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};
use zappy_game::MatchSpec;
use zappy_play::world::Games;

use super::Error;
use super::plan::Planned;
use super::terms::Terms;

/// The options that differ between the matches of a plan.
#[derive(Debug, Default)]
pub struct Variants(Vec<String>);

impl Variants {
    /// What differs in that plan.
    pub fn of(plan: &[Planned]) -> Variants {
        let all: BTreeSet<BTreeMap<String, String>> = plan.iter().map(Planned::options).collect();
        let keys: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
        let values = |key: &String| all.iter().map(|options| options.get(key)).collect::<BTreeSet<_>>();
        Variants(keys.into_iter().filter(|key| values(key).len() > 1).cloned().collect())
    }

    /// What tells that match apart, in words such as `cities on, scenario ring`; empty if all are played alike.
    pub fn name(&self, planned: &Planned) -> String {
        let options = planned.options();
        // A line that names no game has the defaults of what it doesn't say.
        let value = |key: &String| options.get(key).map_or("default", String::as_str).to_owned();
        let told = self.0.iter().map(|key| format!("{key} {}", value(key)));
        told.collect::<Vec<_>>().join(", ")
    }
}

/// The keys of a match's line that say how it is played; none without a match.
pub fn terms_of(planned: Option<&Planned>) -> Map<String, Value> {
    let Some(Ok(Value::Object(mut terms))) = planned.map(serde_json::to_value) else { return Map::new() };
    terms.retain(|key, _| !["id", "pair", "seats", "seed", "seed_sha256"].contains(&key.as_str()));
    terms
}

/// In which terms two matches differ, in words: one that is planned there, and one here.
pub fn other_terms(there: Option<&Planned>, here: Option<&Planned>) -> Vec<String> {
    let (there, here) = (terms_of(there), terms_of(here));
    let keys: BTreeSet<&String> = there.keys().chain(here.keys()).collect();
    let told = |value: Option<&Value>| value.map_or("not set".to_owned(), ToString::to_string);
    keys.into_iter()
        .filter(|key| there.get(*key) != here.get(*key))
        .map(|key| format!("{key} is {} there, {} here", told(there.get(key)), told(here.get(key))))
        .collect()
}

/// How matches are played, by the flags that say it.
fn flags_of(terms: &Terms) -> BTreeMap<&str, String> {
    let Terms { world, max_ticks, clock, freq, think_time, lobby_time, max_late } = terms;
    let MatchSpec { game, config, options } = &world.spec;
    let flags = [
        ("game", game.name.to_owned()),
        ("width", config.map.width().to_string()),
        ("height", config.map.height().to_string()),
        ("max-ticks", max_ticks.to_string()),
        ("clock", clock.clone()),
        ("freq", freq.to_string()),
        ("think-time", think_time.to_string()),
        ("lobby-time", lobby_time.to_string()),
        ("max-late", max_late.to_string()),
    ];
    options.iter().map(|(key, value)| (key, value.to_owned())).chain(flags).collect()
}

/// Which flags ask for something else than matches are played by there, in words; what is as by `default`, the terms of a call
/// without flags for that game, wasn't asked for. The flags of another game aren't compared.
pub fn asked_otherwise(there: &Terms, asked: &Terms, default: Option<&Terms>, games: Games) -> Vec<String> {
    let [there_name, name] = [there, asked].map(|terms| terms.world.spec.game.name);
    let is_default = default.is_some() && games.find(None).is_ok_and(|first| first.name == name);
    if name != there_name && !is_default {
        return vec![format!("--game is {there_name} there, {name} here")];
    }
    let (there, asked, default) =
        (flags_of(there), flags_of(asked), default.map(flags_of).unwrap_or_default());
    let other =
        |(key, value): &(&&str, &String)| default.get(*key) != Some(value) && there.get(*key) != Some(value);
    let told = |key: &str| there.get(key).map_or("not set", String::as_str);
    let asked = asked.iter().filter(other);
    asked.map(|(key, value)| format!("--{key} is {} there, {value} here", told(key))).collect()
}

/// Refuses to go on with a league or a ladder (`what`) that was begun otherwise. Its settings lie at `path`.
///
/// # Errors
/// A program with another version of the settings, of the rules or of itself began it, or the settings asked for now differ.
pub fn refuse_other(
    (what, path): (&str, &Path),
    (version, rules, program): (u32, u32, &str),
    sample: &Planned,
    games: Games,
    words: &[String],
) -> Result<(), Error> {
    let refuse = |why: String| Err(Error::Plan(format!("{}: {why}", path.display())));
    let (own, own_rules) = (env!("CARGO_PKG_VERSION"), sample.world(games)?.spec.game.rules_version);
    if version != 1 || rules != own_rules || program != own {
        return refuse(format!(
            "this {what} was begun with version {program} of the program and version {rules} of the rules, this is {own} and \
             {own_rules}; go on with that program, or begin a {what} in another folder"
        ));
    }
    if words.is_empty() {
        return Ok(());
    }
    refuse(format!("{}; leave the flags away, or begin a {what} in another folder", words.join(", ")))
}
