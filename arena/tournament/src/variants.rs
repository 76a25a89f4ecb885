//! Differences between the terms of matches: of two matches, of the flags of two calls, and of the matches of one plan, which
//! has variants with different options of the game.
//!
//! Tested in `plan` and in `arena/cli/tests/tournament/variants.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};
use zappy_game::MatchSpec;
use zappy_play::world::Games;

use super::Error;
use super::plan::{Planned, Terms};

/// The options that differ between the matches of a plan.
#[derive(Debug, Default)]
pub struct Variants(Vec<String>);

impl Variants {
    /// The options that differ in this plan.
    pub fn of(plan: &[Planned]) -> Variants {
        let all: BTreeSet<BTreeMap<String, String>> = plan.iter().map(Planned::options).collect();
        let keys: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
        let values = |key: &String| all.iter().map(|options| options.get(key)).collect::<BTreeSet<_>>();
        Variants(keys.into_iter().filter(|key| values(key).len() > 1).cloned().collect())
    }

    /// The values of these options in a match, such as `cities on, scenario ring`; empty if no option differs.
    pub fn name(&self, planned: &Planned) -> String {
        let options = planned.options();
        // A line that names no game has the defaults of the options that it lacks.
        let value = |key: &String| options.get(key).map_or("default", String::as_str);
        self.0.iter().map(|key| format!("{key} {}", value(key))).collect::<Vec<_>>().join(", ")
    }
}

/// The keys of a match's line that say how it is played, with their values; empty without a match.
pub fn terms_of(planned: Option<&Planned>) -> Map<String, Value> {
    let Some(Ok(Value::Object(mut terms))) = planned.map(serde_json::to_value) else { return Map::new() };
    terms.retain(|key, _| !["id", "pair", "seats", "seed", "seed_sha256"].contains(&key.as_str()));
    terms
}

/// The keys by which two JSON objects differ.
pub(super) fn differing_keys<'a>(one: &'a Map<String, Value>, other: &'a Map<String, Value>) -> Vec<&'a str> {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).map(String::as_str).collect()
}

/// In which terms two matches differ, in words: one that is planned in a folder (`there`), and one that is asked for (`here`).
pub fn differing_terms(there: Option<&Planned>, here: Option<&Planned>) -> Vec<String> {
    let (there, here) = (terms_of(there), terms_of(here));
    let value = |value: Option<&Value>| value.map_or("not set".to_owned(), ToString::to_string);
    let words =
        |key: &str| format!("{key} is {} there, {} here", value(there.get(key)), value(here.get(key)));
    differing_keys(&there, &here).into_iter().map(words).collect()
}

/// The flags that ask for these terms, with their values.
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

/// The flags of a call, whose terms are `asked`, that ask for other terms than those of a folder (`there`), in words. A flag with
/// the value that it has in `default`, the terms of a call without flags for that game, wasn't given. The flags of another game
/// aren't compared.
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
    let value = |key: &str| there.get(key).map_or("not set", String::as_str);
    let asked = asked.iter().filter(other);
    asked.map(|(key, here)| format!("--{key} is {} there, {here} here", value(key))).collect()
}

/// Refuses to go on with a league or a ladder (`what`), of which the settings lie at `path`, if another version of the
/// format, of the rules or of the program has begun it, or if `words` name settings that differ from those that are
/// asked for now.
///
/// # Errors
/// The versions or the settings differ.
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
    refuse(format!("{}; leave the flags out, or begin a {what} in another folder", words.join(", ")))
}
