//! A list of matches (fixtures) that are played instead of those that the lobby would choose.
//!
//! Tested in `arena/cli/tests/ladder/`.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Deserialize;
use zappy_play::text::json_words;
use zappy_server::files;
use zappy_tournament::Error;
use zappy_tournament::identity::Id;
use zappy_tournament::ladder::id_of;
use zappy_tournament::plan::Planned;

use crate::lobby::Fixture;
use crate::names::{BYTE_ORDER_MARK, Tokens};
use crate::season::Season;

/// The longest list of matches, in bytes.
const LONGEST_LIST: u64 = 16 << 20;

/// A line of a list of matches.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    /// The names of the bots, in the order of their seats.
    bots: Vec<String>,
    seed: u64,
}

/// The matches of the list in that file that are still to begin: they have no result, and weren't cut off with the last
/// host.
pub fn read(path: &Path, names: &Tokens, season: &Season) -> Result<Vec<Fixture>, Error> {
    let bytes = files::read(path, LONGEST_LIST).map_err(|error| Error::File(path.into(), error))?;
    let has_result = |planned: &&Planned| season.tournament.results.contains_key(&planned.id);
    let begun = season.tournament.plan.iter().filter(has_result).chain(&season.cut_off);
    let begun: HashSet<(Option<u64>, &[Id])> =
        begun.map(|planned| (planned.seed, &planned.seats[..])).collect();
    let (mut unplayed, mut listed) = (Vec::new(), HashMap::new());
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    for (text, line) in bytes.split(|&byte| byte == b'\n').zip(1..) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |what: String| Error::Plan(format!("--matches {}: line {line}: {what}", path.display()));
        let Listed { bots, seed } =
            serde_json::from_slice(text).map_err(|error| wrong(json_words(&error)))?;
        if let Some(name) = bots.iter().find(|name| !names.has(name)) {
            return Err(wrong(format!("there is no bot called {name}; --add it first")));
        }
        let seats: Vec<Id> = bots.iter().map(|name| id_of(name)).collect();
        if [bots.len(), seats.iter().collect::<HashSet<_>>().len()] != [season.teams; 2] {
            let what = format!("a match is between {} different bots here", season.teams);
            return Err(wrong(format!("{what}, not {}", bots.join(", "))));
        }
        if let Some(earlier) = listed.insert((seed, bots.clone()), line) {
            return Err(wrong(format!("this match stands in line {earlier} already")));
        }
        if !begun.contains(&(Some(seed), &seats[..])) {
            unplayed.push(Fixture { bots: seats, seed });
        }
    }
    if unplayed.is_empty() {
        let what =
            if listed.is_empty() { "no match stands in it" } else { "all its matches were played before" };
        log::warn!("--matches {}: {what}, so nothing is played", path.display());
    }
    Ok(unplayed)
}
