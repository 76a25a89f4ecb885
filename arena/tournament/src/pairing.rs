//! What can be asked of a plan: which bots meet, how their matches are played, and into how many shards it is divided.
//!
//! Plain values, and functions of the book and of what was asked for. Tested in this module and in `plan`.

use zappy_play::world::World;
use zappy_protocol::Tick;

use super::Error;
use super::bots::Book;
use super::identity::Id;

/// The most matches of one tournament.
pub const MOST_MATCHES: usize = 1_000_000;
/// The most shards of a plan.
const MOST_SHARDS: usize = 100_000;

/// How each match is played.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The game with its options, and the map.
    pub world: World,
    /// The tick at which a match ends.
    pub max_ticks: Tick,
    /// `lockstep` or `real`.
    pub clock: String,
    /// Ticks per second of the real clock.
    pub freq: u32,
    /// In lockstep, how long a player is waited for, in milliseconds.
    pub think_time: u64,
    /// In lockstep, how long programs may take to connect and log in, in seconds.
    pub lobby_time: u64,
    /// In lockstep, how often a player may be late.
    pub max_late: u32,
}

/// One of the shards of a plan: parts that together are the plan and share no match, for runs that know nothing of each
/// other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Default for Shard {
    fn default() -> Shard {
        Shard { index: 0, count: 1 }
    }
}

impl Shard {
    /// Reads `I/N`, with I from 1 to N.
    ///
    /// # Errors
    /// In words, when the text has another form.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((i, count)) if (1..=count).contains(&i) && count <= MOST_SHARDS => {
                Ok(Shard { index: i - 1, count })
            }
            _ => Err(format!("write I/N, with I from 1 to N and N at most {MOST_SHARDS}")),
        }
    }

    /// Whether a line of the plan, counted from 0, belongs to the shard.
    pub fn has_line(self, line: usize) -> bool {
        line % self.count == self.index
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairing {
    /// Every bot meets every other one.
    RoundRobin,
    /// The bots with these names meet all others, but not each other.
    Gauntlet(Vec<String>),
}

/// The sets of bots that meet, in the order of the book.
///
/// # Errors
/// When no bots can meet by this pairing, with the remedy.
pub fn sets(book: &Book, pairing: &Pairing, teams: usize) -> Result<Vec<Vec<Id>>, Error> {
    let refuse = |what: String| Err(Error::Plan(what));
    let ids: Vec<Id> = book.bots.iter().map(|bot| bot.id).collect();
    if !(2..=ids.len()).contains(&teams) {
        return refuse(format!("--teams is {teams}, the range is 2 to {}, the number of bots", ids.len()));
    }
    let mut sets = Vec::new();
    match pairing {
        Pairing::RoundRobin => choose(&ids, teams, &mut Vec::new(), &mut sets),
        Pairing::Gauntlet(names) => {
            let mut references = Vec::new();
            for name in names {
                if name.is_empty() {
                    return refuse("--against is empty; name a bot of --bots, or leave it out".to_owned());
                }
                let Some(bot) = book.bots.iter().find(|bot| bot.name == *name) else {
                    let all: Vec<&str> = book.bots.iter().map(|bot| bot.name.as_str()).collect();
                    return refuse(format!(
                        "--against: no bot is called {name}; there are {}",
                        all.join(", ")
                    ));
                };
                references.push(bot.id);
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
        return refuse(what.to_owned());
    }
    Ok(sets)
}

/// Adds to `out` every choice of `count` more bots to those in `chosen`, in the order of `from`, until `out` has more
/// than [`MOST_MATCHES`].
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_the_whole_plan_and_share_nothing() {
        let shards: Vec<Shard> =
            ["1/3", "2/3", "3/3"].iter().map(|text| Shard::parse(text).unwrap()).collect();
        for line in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.has_line(line)).count(), 1);
            assert!(Shard::default().has_line(line));
        }
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", "1/100001", "-1/2"] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
    }
}
