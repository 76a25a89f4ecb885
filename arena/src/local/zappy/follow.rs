//! What Zappy's messages to observers come to: how many players of each team live on which level.
//!
//! Drops what isn't shown. Tested in this module.

use std::fmt::Write as _;

use zappy_protocol::TeamName;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;

use crate::play::watch::Follow;

/// How many levels there are.
const LEVELS: usize = 8;

/// What is known of one team.
#[derive(Debug)]
struct Team {
    name: TeamName,
    /// Living players at each level.
    levels: [u32; LEVELS],
    /// The highest level that any of its players reached.
    best: u8,
    /// Players that died or left, and how many of them have been told.
    lost: u32,
    told: u32,
}

impl Team {
    fn alive(&self) -> u32 {
        self.levels.iter().sum()
    }
}

/// The teams of a match, as the messages tell.
#[derive(Debug)]
pub struct Teams {
    mirror: Mirror,
    teams: Vec<Team>,
}

impl Teams {
    /// Teams without players.
    #[must_use]
    pub fn new(names: &[TeamName]) -> Teams {
        let team =
            |name: &TeamName| Team { name: name.clone(), levels: [0; LEVELS], best: 1, lost: 0, told: 0 };
        Teams { mirror: Mirror::new(), teams: names.iter().map(team).collect() }
    }

    /// Counts a player at the level that it has now.
    fn rise(&mut self, player: PlayerId, news: &mut Vec<String>) {
        self.count(player, |team, level| {
            team.levels[level] += 1;
            let number = u8::try_from(level + 1).unwrap_or(u8::MAX);
            if number > team.best {
                team.best = number;
                news.push(format!("{} reaches level {number}", team.name));
            }
        });
    }

    /// Hands over a living player's team and the place of its level.
    fn count(&mut self, player: PlayerId, change: impl FnOnce(&mut Team, usize)) {
        let Some(known) = self.mirror.players.get(&player) else { return };
        let level = usize::from(known.level.get()) - 1;
        if let Some(team) = self.teams.iter_mut().find(|team| team.name == known.team) {
            change(team, level);
        }
    }
}

impl Follow for Teams {
    fn take(&mut self, line: &[u8], news: &mut Vec<String>) {
        // Most of the traffic, and nothing that is shown.
        if [&b"bct "[..], b"pin ", b"ppo ", b"pbc "].iter().any(|name| line.starts_with(name)) {
            return;
        }
        let Ok(message) = Message::parse(line) else { return };
        match &message {
            Message::Died(player) => self.count(*player, |team, level| {
                team.lost += 1;
                team.levels[level] = team.levels[level].saturating_sub(1);
            }),
            Message::PlayerLevel { player, .. } => self.count(*player, |team, level| {
                team.levels[level] = team.levels[level].saturating_sub(1);
            }),
            _ => {}
        }
        let known = matches!(&message, Message::PlayerJoined { player, .. } if self.mirror.players.contains_key(player));
        // What doesn't fit was missed while the server had no time for us.
        let _ = self.mirror.apply(&message);
        match message {
            Message::PlayerLevel { player, .. } => self.rise(player, news),
            Message::PlayerJoined { player, .. } if !known => self.rise(player, news),
            _ => {}
        }
    }

    fn has_begun(&self) -> Option<bool> {
        Some(self.teams.iter().any(|team| team.alive() + team.lost > 0))
    }

    fn standings(&self) -> Vec<String> {
        let words = |team: &Team| {
            let mut text = format!("{}: {} alive,", team.name, team.alive());
            for (i, players) in team.levels.iter().enumerate().filter(|(_, players)| **players > 0) {
                // Writing to a string cannot fail.
                let _ = write!(text, " L{}x{players}", i + 1);
            }
            text
        };
        self.teams.iter().map(words).collect()
    }

    fn summary(&mut self) -> Vec<String> {
        let told = self.teams.iter_mut().filter(|team| team.lost > team.told).map(|team| {
            let more = team.lost - std::mem::replace(&mut team.told, team.lost);
            format!("{} lost {more} more, {} alive", team.name, team.alive())
        });
        told.collect()
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
        assert_eq!((red.levels[..3].to_vec(), red.alive(), red.lost, red.best), (vec![0, 1, 0], 1, 1, 2));
        assert_eq!((blue.levels[2], blue.alive(), blue.lost), (1, 1, 0));
        assert_eq!(news, ["blue reaches level 3", "red reaches level 2"]);
        assert_eq!(teams.standings(), ["red: 1 alive, L2x1", "blue: 1 alive, L3x1"]);
        assert_eq!(teams.summary(), ["red lost 1 more, 1 alive"]);
        assert_eq!((teams.summary(), teams.has_begun()), (Vec::new(), Some(true)));
    }

    #[test]
    fn junk_is_passed_over() {
        let (teams, news) = told("pnw\nplv #7 2\npdi #9\n\u{0}\nnonsense\npnw #1 0 0 1 1 green\nplv #1 4\n");
        assert!(news.is_empty());
        assert!(teams.teams.iter().all(|team| team.alive() == 0));
    }
}
