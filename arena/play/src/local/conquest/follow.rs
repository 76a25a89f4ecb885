//! What conquest's messages to observers come to: what each faction has, and when each was beaten.
//!
//! Drops what isn't shown. Tested in this module.

use zappy_protocol::TeamName;
use zappy_protocol::conquest::Holdings;
use zappy_protocol::conquest::observer::Message;

use crate::watch::Follow;

/// What is known of one faction.
#[derive(Debug)]
struct Faction {
    name: TeamName,
    holdings: Holdings,
    /// The kills that have been told.
    told: u32,
}

/// The factions of a match, as the messages tell.
#[derive(Debug)]
pub struct Factions {
    factions: Vec<Faction>,
    turn: u32,
    has_begun: bool,
}

impl Factions {
    pub fn new(names: &[TeamName]) -> Factions {
        let faction =
            |name: &TeamName| Faction { name: name.clone(), holdings: Holdings::default(), told: 0 };
        Factions { factions: names.iter().map(faction).collect(), turn: 0, has_begun: false }
    }
}

impl Follow for Factions {
    fn take(&mut self, line: &[u8], news: &mut Vec<String>) {
        // Of all that is told, only this is shown.
        if ![&b"fac "[..], b"trn ", b"fde "].iter().any(|name| line.starts_with(name)) {
            return;
        }
        match Message::parse(line) {
            Ok(Message::Holdings { name, holdings, .. }) => {
                if let Some(faction) = self.factions.iter_mut().find(|faction| faction.name == name) {
                    faction.holdings = holdings;
                }
            }
            Ok(Message::PhaseBegan { turn, .. }) => (self.turn, self.has_begun) = (turn, true),
            Ok(Message::Beaten(name)) => news.push(format!("{name} is beaten in turn {}", self.turn)),
            _ => {}
        }
    }

    fn has_begun(&self) -> Option<bool> {
        Some(self.has_begun)
    }

    fn turn(&self) -> Option<u64> {
        Some(self.turn.into())
    }

    fn standings(&self) -> Vec<String> {
        let words = |faction: &Faction| {
            let Faction { name, holdings: Holdings { score, land, population, .. }, .. } = faction;
            format!("{name}: score {score}, land {land}, population {population}")
        };
        self.factions.iter().map(words).collect()
    }

    fn summary(&mut self) -> Vec<String> {
        let told =
            self.factions.iter_mut().filter(|faction| faction.holdings.kills > faction.told).map(|faction| {
                let more =
                    faction.holdings.kills - std::mem::replace(&mut faction.told, faction.holdings.kills);
                format!("{} killed {more} more", faction.name)
            });
        told.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holdings_turns_and_defeats_are_told_and_junk_is_passed_over() {
        let names = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
        let (mut factions, mut news) = (Factions::new(&names), Vec::new());
        assert_eq!(factions.has_begun(), Some(false));
        for line in [
            "trn 7 0 red blue",
            "fac red 0 gold 830 food 0 wood 0 bombs 0 land 14 pop 3 cap 6 kills 2 score 245 upkeep 95 base 10 4 \
             slot - 0",
            "umv #1 3 3",
            "fac green 5 gold",
            "fde blue",
            "fde",
        ] {
            factions.take(line.as_bytes(), &mut news);
        }
        assert_eq!(news, ["blue is beaten in turn 7"]);
        assert_eq!(factions.standings()[0], "red: score 245, land 14, population 3");
        assert_eq!(factions.summary(), ["red killed 2 more"]);
        assert_eq!((factions.summary(), factions.has_begun()), (Vec::new(), Some(true)));
    }
}
