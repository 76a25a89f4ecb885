//! Checks a bot before it is handed in: crafted situations, one after the other, and in plain words what it did
//! wrong.
//!
//! The rules are the real ones behind a wire of ours (`stage`, `wire`, `connection`); `input`, `patience` and `leave` see
//! what a bot does wrong whatever it plays, `situation` makes a verdict of it, and `report` tells it. What is played, what
//! is done to the bot and which mistakes count where is in a room per game. Each scene ends within
//! the limit of its terms and takes the bot and all it left behind with it. Never runs two bots at once. Tested in
//! this module and in `arena/cli/tests/check.rs`.

#![allow(missing_docs, reason = "it is no library for others, and plain names need no comment")]

mod common;
mod connection;
mod conquest;
mod games;
mod input;
mod leave;
mod machine;
mod patience;
mod report;
mod rest;
mod rounds;
mod scene;
mod seen;
mod situation;
mod stage;
mod wire;
mod zappy;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use zappy_game::Options;
use zappy_play::Error;
use zappy_play::guard::Known;
use zappy_play::os;
use zappy_play::programs::command::{Template, Values};
use zappy_play::programs::contain::Orphans;
use zappy_play::programs::environment::HOME;
use zappy_play::programs::logfile::{BOT_LOG_LIMIT, LogFile};
use zappy_play::programs::process::{Means, Process};
use zappy_play::programs::sandbox::Containment;
use zappy_play::programs::seed::{GAME_VARIABLE, SEED_VARIABLE, bot_seed};
use zappy_play::programs::signals::Signals;
use zappy_protocol::TeamName;

pub use games::{CheckedGame, GAMES};
pub use report::{CheckReport, Telling};
use scene::{Role, Room, SCENE_LIMIT, Scene};
use seen::{Cause, FaultKind, Remedy, Seen, gist};
pub use situation::{Judgement, Situation};
use stage::TEAM;

/// How long all scenes may take together; what the bot takes to start doesn't count, nor do scenes that are long by
/// themselves.
const CHECK_LIMIT: Duration = Duration::from_secs(240);
/// What to do about a bot that is silent once it is let in, unless its lines come one by one.
const TOGETHER: Remedy = Remedy {
    cause: Cause::Framing,
    mend: "what follows the team's name comes in one packet, and one read brings all of it: take the lines one by one, \
           and keep the rest",
    sure: true,
};
/// How it begins if a situation isn't tried at all.
const NOT_TRIED: &str = "not tried";
/// The seed of the match that a bot's own is drawn from.
const SEED: u64 = 42;

/// A bot that is to be checked.
#[derive(Debug)]
pub struct Check {
    pub bot: Template,
    /// Where it works and what is around it: nothing, or Landlock.
    pub means: Means,
    /// What of it runs, for a guard that looks on.
    pub running: Arc<Mutex<Known>>,
    /// The program that starts it: this one.
    pub launcher: std::path::PathBuf,
    pub game: &'static str,
    /// The flags that ask for this game with these options, each behind a blank.
    pub flags: String,
    /// Its options, as far as a scene doesn't set them.
    pub options: Options,
    /// The situations, in their order.
    pub situations: Vec<&'static Situation>,
}

/// What came of one situation.
#[derive(Debug)]
pub struct Finding {
    pub situation: &'static Situation,
    pub verdict: Judgement,
    /// How long its scene took, in seconds; nearly nothing if another situation had played it already.
    pub seconds: f64,
    /// How much of that the bot took to start and to log in, in seconds.
    pub start: f64,
}

/// How much of the check's time the scenes have taken.
#[derive(Debug, Default)]
struct Budget(Duration);

impl Budget {
    fn spend(&mut self, scene: &dyn Scene, seen: &Seen) {
        if scene.terms().limit <= SCENE_LIMIT {
            self.0 += seen.played;
        }
    }

    fn is_left(&self) -> bool {
        self.0 < CHECK_LIMIT
    }
}

impl Check {
    /// What is about to be tried.
    #[must_use]
    pub fn describe(&self) -> String {
        let (n, all) = (self.situations.len(), self.all().count());
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

    /// All situations of its game.
    fn all(&self) -> impl Iterator<Item = &'static Situation> {
        GAMES.iter().filter(|game| game.name == self.game).flat_map(|game| game.situations)
    }

    /// Tries all situations; `tell` is called after each.
    ///
    /// # Errors
    /// The bot can't be started at all.
    pub fn run(&self, signals: &mut Signals, mut tell: impl FnMut(&Finding)) -> Result<CheckReport, Error> {
        let orphans = Orphans::adopt().map_err(|error| Error::System("can't adopt orphans", error))?;
        let logs = tempfile::tempdir().map_err(|error| Error::System("can't make a folder", error))?;
        let mut budget = Budget::default();
        let mut scenes: Vec<(&'static dyn Scene, Seen)> = Vec::new();
        let (mut findings, mut known, mut interrupted) = (Vec::new(), Vec::new(), false);
        let mut told = HashSet::new();
        let mut words: Vec<String> = Vec::new();
        for &situation in &self.situations {
            let at = Instant::now();
            let by_habit =
                scenes.iter().any(|(scene, seen)| scene.terms().role == Role::Ordinary && seen.kept_silent);
            let logged_in = scenes.iter().any(|(_, seen)| seen.logged_in);
            let new = !scenes.iter().any(|(scene, _)| same(*scene, situation.scene));
            // Where it isn't let in at all, or says nothing however lines come, there is nothing more to see, and each
            // scene would wait for it.
            let entry = scenes.iter().filter(|(scene, _)| {
                matches!(scene.terms().role, Role::Login | Role::Ordinary | Role::Apart)
            });
            let entry: Vec<&Seen> = entry.map(|(_, seen)| seen).collect();
            let refused = |seen: &Seen| seen.has(FaultKind::Name) && !seen.logged_in;
            let outside = entry.iter().any(|seen| seen.has(FaultKind::NoLogin) || refused(seen));
            let dumb = entry.len() > 1 && entry.iter().all(|seen| is_dumb(seen));
            let shut_out = outside || dumb;
            let mut start = Duration::ZERO;
            if new && !shut_out && budget.is_left() {
                let role = situation.scene.terms().role;
                if role == Role::Echo && !scenes.iter().any(|(scene, _)| scene.terms().role == Role::Words) {
                    // It speaks only where it has a reason to.
                    words =
                        self.see(self.scene(Role::Words), by_habit, &[], &logs, &orphans, signals)?.0.words;
                }
                let (mut seen, mut stopped) =
                    self.see(situation.scene, by_habit, &words, &logs, &orphans, signals)?;
                if role == Role::Words {
                    words = std::mem::take(&mut seen.words);
                }
                if logged_in && seen.unreached && !stopped {
                    // It can log in, so the machine may be to blame: it has another chance.
                    (seen, stopped) =
                        self.see(situation.scene, by_habit, &words, &logs, &orphans, signals)?;
                    if seen.unreached {
                        let again = "in this scene it didn't log in, twice, though it had in others: ";
                        seen.starved = seen.faults.last().map(|fault| format!("{again}{}", fault.words));
                    }
                }
                if stopped {
                    interrupted = true;
                    break;
                }
                start = seen.started;
                budget.spend(situation.scene, &seen);
                if role == Role::Ordinary {
                    known = seen.faults.iter().map(|fault| fault.kind).collect();
                }
                if role == Role::Login && is_dumb(&seen) {
                    // What keeps it silent? It may only expect its lines one by one.
                    let apart = self.scene(Role::Apart);
                    let (slowly, stopped) = self.see(apart, by_habit, &[], &logs, &orphans, signals)?;
                    interrupted |= stopped;
                    if slowly.spoke {
                        seen.faults.iter_mut().for_each(|fault| fault.remedy = Some(TOGETHER));
                    }
                    scenes.push((apart, slowly));
                }
                // What was worth knowing in one scene isn't told again.
                seen.notes.retain(|note| told.insert(gist(note)));
                scenes.push((situation.scene, seen));
                if interrupted {
                    break;
                }
            }
            let verdict = match scenes.iter().find(|(scene, _)| same(*scene, situation.scene)) {
                Some((_, seen)) => situation.judge(seen, &known),
                None if shut_out => {
                    // A slip that keeps it out is told best by the situation that is about it.
                    let slip = scenes.iter().find_map(|(_, seen)| seen.fault_of(situation.kinds[0]));
                    let why = if outside { "it didn't log in" } else { "it says nothing once it is let in" };
                    slip.filter(|fault| fault.kind.is_slip()).map_or_else(
                        || Judgement::Untold(format!("{NOT_TRIED}: {why}"), Vec::new()),
                        |fault| Judgement::Failed(fault.clone()),
                    )
                }
                None => {
                    let words = format!(
                        "{NOT_TRIED}: the scenes before it took {} s, its starts not counted",
                        CHECK_LIMIT.as_secs()
                    );
                    Judgement::Untold(words, Vec::new())
                }
            };
            if let (Judgement::Passed(_), Some((_, seen))) =
                (&verdict, scenes.iter_mut().find(|(scene, _)| same(*scene, situation.scene)))
            {
                seen.notes.clear();
            }
            let (seconds, start) = (at.elapsed().as_secs_f64(), start.as_secs_f64());
            let finding = Finding { situation, verdict, seconds, start };
            tell(&finding);
            findings.push(finding);
        }
        let (command, flags) = (self.bot.text().to_owned(), self.flags.clone());
        Ok(CheckReport { command, flags, game: self.game, findings, interrupted })
    }

    /// The scene that plays that part.
    fn scene(&self, role: Role) -> &'static dyn Scene {
        let mut scenes = self.all().map(|situation| situation.scene);
        scenes.find(|scene| scene.terms().role == role).expect("each game has such a scene")
    }

    /// Plays a scene. The scene that is played twice gets a note if the bot did something else the second
    /// time.
    fn see(
        &self,
        scene: &dyn Scene,
        by_habit: bool,
        words: &[String],
        logs: &TempDir,
        orphans: &Orphans,
        signals: &mut Signals,
    ) -> Result<(Seen, bool), Error> {
        let (mut seen, stopped) = self.play(scene, by_habit, words, logs.path(), orphans, signals)?;
        if scene.terms().role != Role::Twice || stopped || seen.has(FaultKind::Stalled) {
            return Ok((seen, stopped));
        }
        let (again, stopped) = self.play(scene, by_habit, words, logs.path(), orphans, signals)?;
        (seen.started, seen.played) = (seen.started + again.started, seen.played + again.played);
        let pairs = seen.commands.iter().zip(&again.commands);
        if let Some((i, (one, two))) = pairs.enumerate().find(|(_, (one, two))| one != two) {
            seen.notes.push(format!(
                "it isn't: command {} was \"{one}\" and then \"{two}\"; no mistake, but its matches can't be \
                 played again",
                i + 1
            ));
        }
        Ok((seen, stopped))
    }

    fn play(
        &self,
        scene: &dyn Scene,
        by_habit: bool,
        words: &[String],
        logs: &Path,
        orphans: &Orphans,
        signals: &mut Signals,
    ) -> Result<(Seen, bool), Error> {
        let listener = connection::listen()?;
        let port =
            listener.local_addr().map_err(|error| Error::System("can't listen on a port", error))?.port();
        let path = logs.join("bot.log");
        let log = LogFile::create(path.clone(), BOT_LOG_LIMIT).map_err(|error| Error::File(path, error))?;
        let (team, seed) = (TeamName::parse(TEAM.as_bytes()), bot_seed(SEED, 0));
        let values = Values { host: "127.0.0.1", port, team: team.as_ref(), seed };
        let (program, arguments) = self.bot.fill(values);
        let arguments: Vec<_> = arguments.into_iter().map(Into::into).collect();
        let environment = [(SEED_VARIABLE, seed.to_string()), (GAME_VARIABLE, self.game.to_owned())];
        let environment = environment.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let mut means = self.means.clone();
        if means.folder.is_none() {
            let home = logs.join("home");
            os::close_folder(&home).map_err(|error| Error::File(home.clone(), error))?;
            // First, so that what was asked for wins.
            means.environment.insert(0, (HOME.to_owned(), home.display().to_string()));
        }
        means.environment.extend(environment);
        if means.containment == Containment::Landlock {
            means.sandbox.extend(["--connect".into(), port.to_string().into(), "--".into()]);
        }
        let process =
            Process::start("bot", &self.launcher, &program, &arguments, &means, Stdio::null(), log)?;
        let roots = HashMap::from([(process.pid(), 0)]);
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Known { roots, apart: Vec::new() };
        let played = scene.play(Room { process, listener, signals, options: &self.options, by_habit, words });
        // With the stage went the bot and its group; now what it left behind.
        let swept = orphans.sweep(&HashSet::new());
        if swept.left > 0 {
            log::error!("{} processes that the bot left behind do not end; look after them", swept.left);
        }
        Ok(played)
    }
}

/// Whether it was let in and then said nothing, or left.
fn is_dumb(seen: &Seen) -> bool {
    let stopped = seen.has(FaultKind::Stalled) || seen.has(FaultKind::Gone);
    stopped && !seen.spoke && !seen.has(FaultKind::Name)
}

/// Whether both are one scene.
fn same(one: &dyn Scene, other: &dyn Scene) -> bool {
    std::ptr::addr_eq(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_slow_start_nor_a_long_scene_eats_the_time_of_the_others() {
        let [mut slow, mut all] = [(); 2].map(|()| Seen::new(Instant::now()));
        (slow.started, slow.played) = (CHECK_LIMIT, Duration::from_secs(1));
        all.played = CHECK_LIMIT;
        for game in GAMES {
            let mut budget = Budget::default();
            for scene in game.situations.iter().map(|situation| situation.scene) {
                let is_long = scene.terms().limit > SCENE_LIMIT;
                budget.spend(scene, if is_long { &all } else { &slow });
            }
            assert!(budget.is_left(), "{}", game.name);
            budget.spend(game.situations[0].scene, &all);
            assert!(!budget.is_left(), "{}", game.name);
        }
    }

    #[test]
    fn each_situation_has_a_name_of_its_own_some_advice_and_a_section_that_is_there() {
        for game in GAMES {
            for (i, situation) in game.situations.iter().enumerate() {
                let (manual, section) = situation.section;
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(manual);
                let heading = format!("\n## {section}\n");
                assert!(std::fs::read_to_string(path).unwrap().contains(&heading), "no section {section}");
                let name = situation.name;
                assert!(game.situations[..i].iter().all(|other| other.name != name), "{name} twice");
                assert!(!situation.mend.is_empty(), "no advice for {name}");
            }
        }
    }
}
