//! Which bots of a book meet in a match, and how many matches there may be.
//!
//! A function of the book and of what was asked for. Tested in `plan`.

use super::Error;
use super::bots::Book;
use super::identity::Id;

/// The most matches of one tournament.
pub const MOST_MATCHES: usize = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairing {
    /// Every bot meets every other one.
    RoundRobin,
    /// Every bot meets those of these names, and these don't meet each other.
    Gauntlet(Vec<String>),
}

/// The sets of bots that meet, in the order of the book.
///
/// # Errors
/// When none can meet so, with the remedy.
pub fn sets(book: &Book, pairing: &Pairing, teams: usize) -> Result<Vec<Vec<Id>>, Error> {
    let ids: Vec<Id> = book.bots.iter().map(|bot| bot.id).collect();
    if !(2..=ids.len()).contains(&teams) {
        let what = format!("--teams is {}, the range is 2 to {}, the number of bots", teams, ids.len());
        return Err(Error::Plan(what));
    }
    let mut sets = Vec::new();
    match pairing {
        Pairing::RoundRobin => choose(&ids, teams, &mut Vec::new(), &mut sets),
        Pairing::Gauntlet(names) => {
            let mut references = Vec::new();
            for name in names {
                if name.is_empty() {
                    let what = "--against is empty; name a bot of --bots, or leave it away";
                    return Err(Error::Plan(what.to_owned()));
                }
                let known = book.bots.iter().find(|bot| bot.name == *name);
                let known = known.ok_or_else(|| {
                    let all: Vec<&str> = book.bots.iter().map(|bot| bot.name.as_str()).collect();
                    Error::Plan(format!("--against: no bot is called {name}; there are {}", all.join(", ")))
                })?;
                references.push(known.id);
            }
            let mut others = Vec::new();
            choose(&references, teams - 1, &mut Vec::new(), &mut others);
            for bot in ids.iter().filter(|id| !references.contains(id)) {
                sets.extend(others.iter().map(|others| [&[*bot], &others[..]].concat()));
            }
        }
    }
    if sets.is_empty() {
        let what = "nobody would meet anybody; name fewer bots in --against, or lower --teams";
        return Err(Error::Plan(what.to_owned()));
    }
    Ok(sets)
}

/// Every choice of `count` of them, in their order; stops at the limit.
fn choose(from: &[Id], count: usize, chosen: &mut Vec<Id>, out: &mut Vec<Vec<Id>>) {
    if count == 0 {
        out.push(chosen.clone());
        return;
    }
    for (i, &id) in from.iter().enumerate() {
        if out.len() > MOST_MATCHES || from.len() - i < count {
            return;
        }
        chosen.push(id);
        choose(&from[i + 1..], count - 1, chosen, out);
        chosen.pop();
    }
}
