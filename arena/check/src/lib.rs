//! Plays a bot that is to be handed in through crafted situations, and says in plain words what it did wrong.
//!
//! A *situation* is a question, such as whether the bot reads split lines; a *scene* is a short match that answers one
//! or more of them; the `course` plays the scenes of a check one after another; a *stage* is a scene that is being
//! played. The rules are the game's own, and run behind connections that this crate controls (`stage`, `wire`,
//! `connection`); `input`, `patience` and `leave` see what a bot does wrong whatever it plays, `situation` makes a
//! verdict of it, and `report` writes it. What is played and what is done to the bot is in a module per game; which
//! scenes there are, and which mistakes count where, stands in its `situations.toml`, which `data` reads. Each scene
//! has a time limit; at the end of a scene the bot and all its processes are ended. Never runs two bots at once. Tested
//! in this module and in `arena/cli/tests/check.rs`.

#![allow(missing_docs, reason = "it is no library for others, and plain names need no comment")]

mod connection;
mod conquest;
mod course;
mod data;
mod games;
mod input;
mod leave;
mod machine;
mod patience;
mod report;
mod rounds;
mod scene;
mod seen;
mod situation;
mod stage;
mod wire;
mod zappy;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use zappy_game::Options;
use zappy_play::Error;
use zappy_play::guard::Started;
use zappy_play::programs::command::Template;
use zappy_play::programs::process::SpawnOptions;
use zappy_play::programs::signals::Signals;

use course::Course;
pub use games::{CheckedGame, FIRST_GAME, GAMES};
pub use report::{CheckReport, FindingsText};
pub use situation::{Judgement, Situation};

/// How long all scenes may take together; what the bot takes to start doesn't count, nor do scenes that are long by
/// themselves.
const CHECK_LIMIT: Duration = Duration::from_secs(240);
/// The beginning of the reason that is given for a situation that wasn't tried.
const NOT_TRIED: &str = "not tried";

/// A bot that is to be checked.
#[derive(Debug)]
pub struct Check {
    pub bot: Template,
    /// Its working folder, its environment and its containment.
    pub spawn: SpawnOptions,
    /// The processes of the bot that run, for the guard that watches them.
    pub running: Arc<Mutex<Started>>,
    /// The program that starts the bot: the arena itself.
    pub launcher: PathBuf,
    pub game: &'static str,
    /// The flags of the command line that ask for this game and its options, each with a blank before it.
    pub flags: String,
    /// The game's options; a scene may override them.
    pub options: Options,
    /// The situations, in their order.
    pub situations: Vec<&'static Situation>,
}

/// A situation with its verdict.
#[derive(Debug)]
pub struct Finding {
    pub situation: &'static Situation,
    pub verdict: Judgement,
    /// How long its scene took, in seconds; nearly nothing if another situation had played it already.
    pub seconds: f64,
    /// How much of `seconds` the bot took to start and to log in.
    pub start: f64,
}

impl Check {
    /// The first lines of a check: the bot, and what is tried.
    pub fn describe(&self) -> String {
        let (n, all) = (self.situations.len(), self.game().situations.len());
        let how = if n == all {
            let limit = CHECK_LIMIT.as_secs();
            format!(
                "{all}, in about half a minute; {limit} s at the most, beside the bot's starts and the long scene"
            )
        } else {
            let names: Vec<&str> = self.situations.iter().map(|situation| situation.name).collect();
            format!("{n} of {all}: {}", names.join(", "))
        };
        format!("{}\nSituations: {how}.\n\n", self.bot.text())
    }

    fn game(&self) -> &'static CheckedGame {
        GAMES.iter().find(|game| game.name == self.game).expect("a game of the table")
    }

    /// Tries the situations in order until all are tried or a signal stops it; `tell` is called after each.
    ///
    /// # Errors
    /// The bot can't be started at all.
    pub fn run(&self, signals: &mut Signals, mut tell: impl FnMut(&Finding)) -> Result<CheckReport, Error> {
        let mut course = Course::new(self, signals)?;
        let mut findings = Vec::new();
        for situation in &self.situations {
            let at = Instant::now();
            let start = course.play(situation.scene)?;
            if course.is_stopped() {
                break;
            }
            let (verdict, seconds) = (course.judge(situation), at.elapsed().as_secs_f64());
            let finding = Finding { situation, verdict, seconds, start: start.as_secs_f64() };
            tell(&finding);
            findings.push(finding);
        }
        let (command, flags) = (self.bot.text().to_owned(), self.flags.clone());
        Ok(CheckReport { command, flags, game: self.game, findings, interrupted: course.is_stopped() })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_situation_has_a_name_of_its_own_some_advice_and_a_section_that_is_there() {
        for game in GAMES.iter() {
            for (i, situation) in game.situations.iter().enumerate() {
                let section = situation.section;
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(situation.manual);
                let heading = format!("\n## {section}\n");
                assert!(std::fs::read_to_string(path).unwrap().contains(&heading), "no section {section}");
                let name = situation.name;
                assert!(game.situations[..i].iter().all(|other| other.name != name), "{name} twice");
                assert!(!situation.mend.is_empty(), "no advice for {name}");
            }
        }
    }
}
