//! What Zappy's messages to observers come to: how many players of each team live on which level.
//!
//! Drops what isn't shown. Tested in this module.

use std::fmt::Write as _;

use zappy_protocol::TeamName;
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;

use crate::watch::Follow;

/// How many levels there are.
const LEVELS: usize = 8;

/// What is known of one team.
#[derive(Debug)]
struct Team {
    name: TeamName,
    /// The highest level that any of its players reached.
    best: u8,
    /// Players that died or left, and how many of them have been told.
    lost: u32,
    told: u32,
}

/// The teams of a match, as the messages tell.
#[derive(Debug)]
pub struct Teams {
    mirror: Mirror,
    teams: Vec<Team>,
}

impl Teams {
    pub fn new(names: &[TeamName]) -> Teams {
        let team = |name: &TeamName| Team { name: name.clone(), best: 1, lost: 0, told: 0 };
        Teams { mirror: Mirror::new(), teams: names.iter().map(team).collect() }
    }

    /// Living players of a team at each level.
    fn levels(&self, team: &TeamName) -> [u32; LEVELS] {
        let mut levels = [0; LEVELS];
        for player in self.mirror.players.values().filter(|player| player.team == *team) {
            levels[usize::from(player.level.get()) - 1] += 1;
        }
        levels
    }

    fn alive(&self, team: &TeamName) -> u32 {
        self.levels(team).iter().sum()
    }
}

impl Follow for Teams {
    fn take(&mut self, line: &[u8], news: &mut Vec<String>) {
        // Most of the traffic, and nothing that is shown.
        if [&b"bct "[..], b"pin ", b"ppo ", b"pbc "].iter().any(|name| line.starts_with(name)) {
            return;
        }
        let Ok(message) = Message::parse(line) else { return };
        let player = match &message {
            Message::Died(player)
            | Message::PlayerLevel { player, .. }
            | Message::PlayerJoined { player, .. } => Some(*player),
            _ => None,
        };
        let before = player.and_then(|player| self.mirror.players.get(&player).cloned());
        // What doesn't fit was missed while the server had no time for us.
        let _ = self.mirror.apply(&message);
        let now = player.and_then(|player| self.mirror.players.get(&player));
        let Some(known) = now.or(before.as_ref()) else { return };
        let Some(team) = self.teams.iter_mut().find(|team| team.name == known.team) else { return };
        if now.is_none() {
            team.lost += 1;
        } else if known.level.get() > team.best {
            team.best = known.level.get();
            news.push(format!("{} reaches level {}", team.name, team.best));
        }
    }

    fn has_begun(&self) -> Option<bool> {
        Some(self.teams.iter().any(|team| team.lost > 0 || self.alive(&team.name) > 0))
    }

    fn standings(&self) -> Vec<String> {
        let words = |team: &Team| {
            let mut text = format!("{}: {} alive,", team.name, self.alive(&team.name));
            for (i, players) in self.levels(&team.name).iter().enumerate().filter(|(_, n)| **n > 0) {
                // Writing to a string cannot fail.
                let _ = write!(text, " L{}x{players}", i + 1);
            }
            text
        };
        self.teams.iter().map(words).collect()
    }

    fn summary(&mut self) -> Vec<String> {
        let losing = self.teams.iter().filter(|team| team.lost > team.told).map(|team| {
            let Team { name, lost, told, .. } = team;
            format!("{name} lost {} more, {} alive", lost - told, self.alive(name))
        });
        let lines = losing.collect();
        self.teams.iter_mut().for_each(|team| team.told = team.lost);
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &str) -> (Teams, Vec<String>) {
        let names = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
        let (mut teams, mut news) = (Teams::new(&names), Vec::new());
        assert_eq!(teams.has_begun(), Some(false));
        lines.lines().for_each(|line| teams.take(line.as_bytes(), &mut news));
        (teams, news)
    }

    #[test]
    fn players_are_counted_at_their_levels() {
        let (mut teams, news) = told(
            "WELCOME\nmsz 2 2\nsgt 100\ntna red\ntna blue\npnw #0 0 0 1 1 red\npnw #1 0 0 1 1 red\n\
             pnw #2 0 0 1 3 blue\nplv #0 2\nplv #0 2\nplv #1 2\npdi #1\npnw #0 0 0 1 2 red\nseg red\n",
        );
        let [red, blue] = &teams.teams[..] else { panic!("two teams") };
        let [of_red, of_blue] = [red, blue].map(|team| teams.levels(&team.name));
        assert_eq!((&of_red[..3], teams.alive(&red.name), red.lost, red.best), (&[0, 1, 0][..], 1, 1, 2));
        assert_eq!((of_blue[2], teams.alive(&blue.name), blue.lost), (1, 1, 0));
        assert_eq!(news, ["blue reaches level 3", "red reaches level 2"]);
        assert_eq!(teams.standings(), ["red: 1 alive, L2x1", "blue: 1 alive, L3x1"]);
        assert_eq!(teams.summary(), ["red lost 1 more, 1 alive"]);
        assert_eq!((teams.summary(), teams.has_begun()), (Vec::new(), Some(true)));
    }

    #[test]
    fn junk_is_passed_over() {
        let (teams, news) = told("pnw\nplv #7 2\npdi #9\n\u{0}\nnonsense\npnw #1 0 0 1 1 green\nplv #1 4\n");
        assert!(news.is_empty());
        assert!(teams.teams.iter().all(|team| teams.alive(&team.name) == 0));
    }
}
