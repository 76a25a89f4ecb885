//! The bots of a ladder by their names and, as the lobby knows them, by numbers; and a list of matches between them.
//!
//! Tested in `arena/cli/tests/ladder/`.

use std::collections::HashMap;
use std::time::SystemTime;

use zappy_tournament::Error;
use zappy_tournament::identity::Id;
use zappy_tournament::ladder::id_of;
use zappy_tournament::plan::Planned;

use crate::lobby::{Entrant, Fixture};
use crate::names::Tokens;
use crate::season::Season;

/// The bots by their names.
pub struct Entrants {
    pub names: Tokens,
    /// What tells whether their file was changed.
    pub stamp: Option<(SystemTime, u64)>,
    /// By the numbers of the bots.
    pub called: Vec<String>,
    pub numbers: HashMap<String, Entrant>,
}

impl Entrants {
    /// The number of the bot of that name.
    pub fn bot(&mut self, name: &str) -> Entrant {
        let Entrants { called, numbers, .. } = self;
        *numbers.entry(name.to_owned()).or_insert_with(|| {
            called.push(name.to_owned());
            Entrant(called.len() - 1)
        })
    }
}

/// A list of matches as the lobby plays it, without those that have a result or go on.
pub fn fixtures(
    list: Vec<(Vec<String>, u64)>,
    roster: &mut Entrants,
    season: &Season,
) -> Result<Vec<Fixture>, Error> {
    let mut left = Vec::new();
    for (names, seed) in list {
        if let Some(name) = names.iter().find(|name| !roster.names.has(name)) {
            return Err(Error::Plan(format!("--matches: there is no bot called {name}; --add it first")));
        }
        let seats: Vec<Id> = names.iter().map(|name| id_of(name)).collect();
        let is_this = |planned: &&Planned| planned.seed == Some(seed) && planned.seats == seats;
        let has_result = |planned: &&Planned| season.tournament.results.contains_key(&planned.id);
        let played = season.tournament.plan.iter().filter(has_result);
        if !played.chain(&season.cut_off).any(|planned| is_this(&planned)) {
            left.push(Fixture { bots: names.iter().map(|name| roster.bot(name)).collect(), seed });
        }
    }
    Ok(left)
}
