//! The scenes of a check, one after the other, each played at most once, unless the machine may be to blame for what
//! went wrong.
//!
//! Starts the bot for each of them, and keeps what was seen of it until all situations are judged. Never runs two bots
//! at once. Tested in this module and in `arena/cli/tests/check.rs`.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::PoisonError;
use std::time::Duration;

use tempfile::TempDir;
use zappy_play::guard::Started;
use zappy_play::programs::command::Values;
use zappy_play::programs::contain::Orphans;
use zappy_play::programs::environment::HOME;
use zappy_play::programs::environment::{GAME_VARIABLE, SEED_VARIABLE, bot_seed};
use zappy_play::programs::logfile::{BOT_LOG_LIMIT, LogFile};
use zappy_play::programs::process::Process;
use zappy_play::programs::room::MayReach;
use zappy_play::programs::signals::Signals;
use zappy_play::{Error, os};
use zappy_protocol::TeamName;

use super::data::remedy;
use super::games::CheckedGame;
use super::scene::{Role, SCENE_LIMIT, Supplies};
use super::seen::{FaultKind, Seen, gist};
use super::stage::TEAM;
use super::{CHECK_LIMIT, Check, Judgement, NOT_TRIED, Situation, connection};

/// The seed of the match; the bot's own seed is derived from it.
const SEED: u64 = 42;

/// A check that is under way.
pub struct Course<'a> {
    check: &'a Check,
    game: &'static CheckedGame,
    signals: &'a mut Signals,
    orphans: Orphans,
    logs: TempDir,
    /// The scenes that were played, by their places in the game's list, and what was seen in them.
    played: Vec<(usize, Seen)>,
    /// The notes so far, without their numbers: a note of one scene isn't repeated for another.
    noted: HashSet<String>,
}

impl<'a> Course<'a> {
    pub fn new(check: &'a Check, signals: &'a mut Signals) -> Result<Course<'a>, Error> {
        let orphans = Orphans::adopt().map_err(|error| Error::System("can't adopt orphans", error))?;
        let logs = tempfile::tempdir().map_err(|error| Error::System("can't make a folder", error))?;
        let (game, played, noted) = (check.game(), Vec::new(), HashSet::new());
        Ok(Course { check, game, signals, orphans, logs, played, noted })
    }

    /// Whether the operator asked the arena to stop.
    pub fn is_stopped(&mut self) -> bool {
        self.signals.stops() > 0
    }

    /// What was seen in the scene of that role, if it was played.
    fn seen_in(&self, role: Role) -> Option<&Seen> {
        let mut played = self.played.iter();
        played.find(|(scene, _)| self.game.scenes[*scene].settings.role == role).map(|(_, seen)| seen)
    }

    /// Why no further scene is played, if so: if the bot isn't let in at all, or says nothing in whatever way lines
    /// come, nothing more can be seen, and each scene would wait for it in vain.
    fn stop_reason(&self) -> Option<&'static str> {
        let entry: Vec<&Seen> = [Role::Login, Role::Ordinary, Role::Apart]
            .into_iter()
            .filter_map(|role| self.seen_in(role))
            .collect();
        let is_not_let_in =
            |seen: &&Seen| seen.has(FaultKind::NoLogin) || seen.has(FaultKind::Name) && !seen.logged_in;
        if entry.iter().any(is_not_let_in) {
            return Some("it didn't log in");
        }
        let is_silent = entry.len() > 1 && entry.iter().all(|seen| stays_silent(seen));
        is_silent.then_some("it says nothing once it is let in")
    }

    /// Plays a scene that wasn't played yet, unless nothing more can be seen; gives how long the bot took to start.
    pub fn play(&mut self, scene: usize) -> Result<Duration, Error> {
        let is_played = self.played.iter().any(|(known, _)| *known == scene);
        if is_played || self.stop_reason().is_some() || time_spent(self.game, &self.played) >= CHECK_LIMIT {
            return Ok(Duration::ZERO);
        }
        let role = self.game.scenes[scene].settings.role;
        if role == Role::Echo && self.seen_in(Role::Words).is_none() {
            self.play(self.scene(Role::Words))?;
        }
        let logged_in = self.played.iter().any(|(_, seen)| seen.logged_in);
        let mut seen = self.watch(scene)?;
        if logged_in && seen.never_connected && !self.is_stopped() {
            // The bot can log in, so the machine may be to blame: the bot has another chance.
            seen = self.watch(scene)?;
            if seen.never_connected {
                let again = "in this scene it didn't log in, twice, though it had in others: ";
                seen.inconclusive = seen.faults.last().map(|fault| format!("{again}{}", fault.words));
            }
        }
        let start = seen.login_time;
        if role == Role::Login && stays_silent(&seen) && !self.is_stopped() {
            // The bot may be silent because it expects its lines one by one: a scene in which they come that way shows
            // it.
            let apart = self.scene(Role::Apart);
            let slowly = self.watch(apart)?;
            if slowly.spoke {
                seen.faults.iter_mut().for_each(|fault| fault.remedy = Some(remedy("together")));
            }
            self.played.push((apart, slowly));
        }
        seen.notes.retain(|note| self.noted.insert(gist(note)));
        self.played.push((scene, seen));
        Ok(start)
    }

    /// The verdict on a situation. The notes of a scene are shown with the first of its situations that the bot passes.
    pub fn judge(&mut self, situation: &Situation) -> Judgement {
        let Some(at) = self.played.iter().position(|(scene, _)| *scene == situation.scene) else {
            let untold = |why: &str| Judgement::Untold(format!("{NOT_TRIED}: {why}"), Vec::new());
            let Some(why) = self.stop_reason() else {
                let limit = CHECK_LIMIT.as_secs();
                return untold(&format!("the scenes before it took {limit} s, its starts not counted"));
            };
            // If the bot is kept out by a slip, the situation that is about the slip shows it.
            let slip = self.played.iter().find_map(|(_, seen)| seen.fault_of(situation.mistakes[0]));
            let slip = slip.filter(|fault| fault.kind.is_slip());
            return slip.map_or_else(|| untold(why), |fault| Judgement::Failed(fault.clone()));
        };
        // The ordinary match has shown only those mistakes that one of its situations counts.
        let counts = |kind: &FaultKind| {
            let mut ordinary = self.game.situations.iter().filter(|one| one.role == Role::Ordinary);
            ordinary.any(|one| one.mistakes.contains(kind))
        };
        let known = self.seen_in(Role::Ordinary).map_or(&[][..], |seen| &seen.faults);
        let known: Vec<FaultKind> = known.iter().map(|fault| fault.kind).filter(counts).collect();
        let verdict = situation.judge(&self.played[at].1, &known);
        if matches!(verdict, Judgement::Passed(_)) {
            self.played[at].1.notes.clear();
        }
        verdict
    }

    /// The place of the scene of that role.
    fn scene(&self, role: Role) -> usize {
        let mut scenes = self.game.scenes.iter();
        scenes.position(|scene| scene.settings.role == role).expect("each game has such a scene")
    }

    /// Plays a scene. If it is to be played twice, adds a note if the bot did something else the second time.
    fn watch(&mut self, scene: usize) -> Result<Seen, Error> {
        let mut seen = self.play_once(scene)?;
        let is_twice = self.game.scenes[scene].settings.role == Role::Twice;
        if !is_twice || self.is_stopped() || seen.has(FaultKind::Stalled) {
            return Ok(seen);
        }
        let again = self.play_once(scene)?;
        (seen.login_time, seen.play_time) =
            (seen.login_time + again.login_time, seen.play_time + again.play_time);
        let pairs = seen.commands.iter().zip(&again.commands);
        if let Some((i, (one, two))) = pairs.enumerate().find(|(_, (one, two))| one != two) {
            seen.notes.push(format!(
                "it isn't: command {} was \"{one}\" and then \"{two}\"; no mistake, but its matches can't be played again",
                i + 1
            ));
        }
        Ok(seen)
    }

    /// Starts the bot, plays the scene with it, and ends all that it started.
    fn play_once(&mut self, scene: usize) -> Result<Seen, Error> {
        let silent_by_habit = self.seen_in(Role::Ordinary).is_some_and(|seen| seen.kept_silent);
        // The bot's shouts in the scene that gives it a reason to shout.
        let shouts = self.seen_in(Role::Words).map_or_else(Vec::new, |seen| seen.shouts.clone());
        let Check { bot, launcher, game, options, .. } = self.check;
        let listener = connection::listen()?;
        let port =
            listener.local_addr().map_err(|error| Error::System("can't listen on a port", error))?.port();
        let path = self.logs.path().join("bot.log");
        let log = LogFile::create(path.clone(), BOT_LOG_LIMIT).map_err(|error| Error::File(path, error))?;
        let (team, seed) = (TeamName::parse(TEAM.as_bytes()), bot_seed(SEED, 0));
        let values = Values { host: "127.0.0.1", port, team: team.as_ref(), seed };
        let (program, arguments) = bot.fill(values);
        let environment = [(SEED_VARIABLE, seed.to_string()), (GAME_VARIABLE, (*game).to_owned())];
        let environment = environment.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let mut spawn = self.check.spawn.clone();
        if spawn.folder.is_none() {
            let home = self.logs.path().join("home");
            os::close_folder(&home).map_err(|error| Error::File(home.clone(), error))?;
            // Inserted first, so that a HOME that was asked for overrides it.
            spawn.environment.insert(0, (HOME.to_owned(), home.display().to_string()));
        }
        spawn.environment.extend(environment);
        spawn.complete(launcher, &MayReach::Server { port, socket: Path::new("") });
        let process = Process::start("bot", launcher, &program, &arguments, &spawn, Stdio::null(), log)?;
        let roots = HashMap::from([(process.pid, 0)]);
        *self.check.running.lock().unwrap_or_else(PoisonError::into_inner) =
            Started { roots, of_arena: Vec::new() };
        let scene = &self.game.scenes[scene];
        let seen = scene.own.play(
            scene.settings,
            Supplies { process, listener, signals: self.signals, options, silent_by_habit, shouts },
        );
        // The bot and its group ended with the stage; this ends what it left behind.
        let swept = self.orphans.sweep(&HashSet::new());
        if swept.left > 0 {
            log::error!("{} processes that the bot left behind do not end; look after them", swept.left);
        }
        Ok(seen)
    }
}

/// Whether the bot was let in and then never said anything, whether it stayed or left.
fn stays_silent(seen: &Seen) -> bool {
    let stopped = seen.has(FaultKind::Stalled) || seen.has(FaultKind::Gone);
    stopped && !seen.spoke && !seen.has(FaultKind::Name)
}

/// How much of the check's time these scenes have taken; the bot's starts don't count, nor do scenes that are long by
/// themselves.
fn time_spent(game: &CheckedGame, played: &[(usize, Seen)]) -> Duration {
    let counted = played.iter().filter(|(scene, _)| game.scenes[*scene].settings.limit <= SCENE_LIMIT);
    counted.map(|(_, seen)| seen.play_time).sum()
}

#[cfg(test)]
mod tests {
    use super::super::GAMES;
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn neither_a_slow_start_nor_a_long_scene_eats_the_time_of_the_others() {
        let seen = |play_time: Duration| Seen { login_time: CHECK_LIMIT, play_time, ..Seen::default() };
        for game in GAMES.iter() {
            let length = |scene: &Scene| {
                if scene.settings.limit > SCENE_LIMIT { CHECK_LIMIT } else { Duration::from_secs(1) }
            };
            let scenes = game.scenes.iter().enumerate();
            let mut all: Vec<_> = scenes.map(|(place, scene)| (place, seen(length(scene)))).collect();
            assert!(time_spent(game, &all) < CHECK_LIMIT, "{}", game.name);
            all.push((0, seen(CHECK_LIMIT)));
            assert!(time_spent(game, &all) >= CHECK_LIMIT, "{}", game.name);
        }
    }
}
