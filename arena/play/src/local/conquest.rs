//! Conquest in the arena: its players in this process, and what its messages to observers mean.
//!
//! In the arena only this module, `arena/records` and `arena/check` know Conquest's rules. Tested in this module.

use zappy_game_conquest::SPEC;
use zappy_protocol::TeamName;
use zappy_protocol::conquest::Holdings;
use zappy_protocol::conquest::observer::Message;

use super::bot;
use crate::watch::Follow;
use crate::world::Guest;

/// What the arena has for conquest.
pub static GUEST: Guest = Guest {
    game: SPEC.name,
    options: &[],
    program: bot::PROGRAM,
    levels: &["easy", "medium", "hard", "raider", "expert"],
    crew: |call| bot::crew(SPEC.name, call),
    follow: |names| Box::new(Factions::new(names)),
};

/// What is known of one faction.
#[derive(Debug)]
struct Faction {
    name: TeamName,
    holdings: Holdings,
    /// How many kills summaries have reported.
    reported: u32,
}

/// The factions of a match, as the messages tell.
#[derive(Debug)]
struct Factions {
    factions: Vec<Faction>,
    turn: u32,
    has_begun: bool,
}

impl Factions {
    fn new(names: &[TeamName]) -> Factions {
        let faction =
            |name: &TeamName| Faction { name: name.clone(), holdings: Holdings::default(), reported: 0 };
        Factions { factions: names.iter().map(faction).collect(), turn: 0, has_begun: false }
    }
}

impl Follow for Factions {
    fn take(&mut self, line: &[u8], news: &mut Vec<String>) {
        // Nothing of other messages is shown.
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
        let lines = self.factions.iter_mut().filter_map(|faction| {
            let more = faction.holdings.kills.saturating_sub(faction.reported);
            faction.reported = faction.reported.max(faction.holdings.kills);
            (more > 0).then(|| format!("{} killed {more} more", faction.name))
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::bot::LocalBot;
    use crate::world::Games;
    use zappy_server::games::GAMES;

    const ARENA: Games = Games { specs: GAMES, guests: &[&GUEST] };

    #[test]
    fn our_client_plays_a_faction_and_says_what_it_can_not_do() {
        let world = ARENA.world(Some("conquest"), [("turns", "9")], (12, 12)).unwrap();
        assert_eq!((world.slots, world.max_ticks(2)), (1, 20_020));
        for command in ["zappy_ai", "zappy_ai --level easy", "./zappy_ai --game conquest --seed 3"] {
            let bot = LocalBot::parse(&format!("red={command}"), &world).unwrap();
            assert_eq!(bot.crew(42, 1, 1).unwrap().len(), 1, "{command}");
        }
        for (command, words) in [
            ("zappy_ai --players 3", "zappy_ai: --players 3: in conquest a faction has one seat"),
            ("zappy_ai --level aggressor", "zappy_ai: --level aggressor: the levels of conquest are"),
            ("zappy_ai --game zappy", "zappy_ai: it would play another game than conquest"),
            ("python3 bot.py", "\"python3\" can't play in this process"),
        ] {
            let error = LocalBot::parse(&format!("red={command}"), &world).unwrap_err().to_string();
            assert!(error.contains(words), "{error}\nexpected {words}");
        }
    }

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
