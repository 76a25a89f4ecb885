//! Zappy's entry in the arena's table of games: its options, the levels and players of our client, and what its
//! messages to observers mean: how many players of each team live on which level.
//!
//! In the arena only this module, `arena/records` and `arena/check` know Zappy's rules. Tested in this module.

use std::fmt::Write as _;

use zappy_game::config::MatchConfig;
use zappy_game_zappy::{SPEC, ZappyOptions};
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::{MapSize, TeamName};

use super::bot;
use crate::Error;
use crate::watch::Follow;
use crate::world::{Guest, World};

/// Zappy's entry among the games that can be played in this process.
pub static GUEST: Guest = Guest {
    game: SPEC.name,
    options: &[
        ("clients", "Slots per team at the start"),
        ("rules", "Which rules are played: subject; official, as the official server 3.0.1 plays; strict"),
    ],
    program: bot::PROGRAM,
    // `aggressor` is last, though `expert` beats it, since it plays by disturbing others.
    levels: &["easy", "medium", "hard", "expert", "aggressor"],
    crew: |call| bot::crew(SPEC.name, call),
    follow: |teams| Box::new(Teams::new(teams)),
};

/// What is played: Zappy with these options on a map of that size.
pub fn world(map: MapSize, options: ZappyOptions) -> Result<World, Error> {
    Ok(World::new(options.spec(MatchConfig::new(map, Vec::new()))?, Some(&GUEST)))
}

/// How many levels there are.
const LEVELS: usize = 8;

/// What is known of one team.
#[derive(Debug)]
struct Team {
    name: TeamName,
    /// The highest level that any of its players reached.
    best: u8,
    /// How many players died or left, and how many of these summaries have reported.
    lost: u32,
    reported: u32,
}

/// The teams of a match, as the messages tell.
#[derive(Debug)]
struct Teams {
    mirror: Mirror,
    teams: Vec<Team>,
}

impl Teams {
    fn new(names: &[TeamName]) -> Teams {
        let team = |name: &TeamName| Team { name: name.clone(), best: 1, lost: 0, reported: 0 };
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
        // Most messages are of these kinds, and nothing of them is shown.
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
        // A message that doesn't fit follows messages that the server had no time to send.
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
        let losing = self.teams.iter().filter(|team| team.lost > team.reported).map(|team| {
            let Team { name, lost, reported, .. } = team;
            format!("{name} lost {} more, {} alive", lost - reported, self.alive(name))
        });
        let lines = losing.collect();
        self.teams.iter_mut().for_each(|team| team.reported = team.lost);
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::bot::LocalBot;
    use crate::programs::command::split;
    use crate::programs::environment::bot_seed;
    use crate::world::Call;

    fn players(command: &str) -> Result<(usize, u64, String), String> {
        let world = world(MapSize::new(5, 5).unwrap(), ZappyOptions::default()).unwrap();
        let bot = LocalBot::parse(&format!("red={command}"), &world).map_err(|error| error.to_string())?;
        let words = split("", &bot.text).unwrap();
        let call = Call { team: &bot.team, words: &words, seed: bot_seed(42, 1), starts: 2 };
        let options = bot::options(&call)?;
        let seed = options.seed.unwrap_or(call.seed);
        Ok((bot.crew(42, 1, 2).unwrap().len(), seed, options.level))
    }

    #[test]
    fn options_mean_what_they_mean_to_the_program() {
        let drawn = bot_seed(42, 1);
        for (command, (count, seed, level)) in [
            ("zappy_ai", (2, drawn, "expert")),
            ("/no/where/zappy_ai --players=3 -q", (6, drawn, "expert")),
            ("zappy_ai --level easy", (2, drawn, "easy")),
            ("./zappy_ai --seed 7", (2, 7, "expert")),
            ("zappy_ai -p {port} -n {team} --seed {seed}", (2, drawn, "expert")),
        ] {
            assert_eq!(players(command).unwrap(), (count, seed, level.to_owned()), "{command}");
        }
    }

    #[test]
    fn what_cannot_play_here_is_refused_with_a_reason() {
        for (command, words) in [
            ("python3 bot.py", "--bot red: \"python3\" can't play in this process, only zappy_ai can"),
            ("sh -c zappy_ai", "--bot red: \"sh\" can't play"),
            ("zappy_ai --players 0", "--bot red: zappy_ai: invalid value '0' for '--players <N>'"),
            ("zappy_ai --frob", "--bot red: zappy_ai: unexpected argument '--frob' found"),
            ("zappy_ai --game conquest", "--bot red: zappy_ai: it would play another game than zappy"),
            ("zappy_ai -p {port} -n blue", "--bot red: zappy_ai: it would play for blue"),
            ("zappy_ai -v", "--bot red: zappy_ai: -v has nowhere to write to"),
            ("zappy_ai --help", "--bot red: zappy_ai: it would only print a text"),
            ("zappy_ai 'x", "--bot red: a quote"),
        ] {
            let error = players(command).unwrap_err();
            assert!(error.starts_with(words), "{error}\nexpected {words}");
        }
    }

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
