//! Builds a bot before it enters, if its files say how, and checks it as `zappy_arena check` does, on copies of its files and
//! contained as a class's submissions are.
//!
//! The verdict is kept by the hash of what was handed in, so that no version is built or checked twice. A bot that deceives its
//! check gains nothing but a place in the field. Tested in `arena/cli/tests/league/`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use zappy_check::{FindingsText, Situation};
use zappy_play::Error;
use zappy_play::programs::limits::Limits;
use zappy_play::programs::signals::Signals;
use zappy_play::signature::key_folder;
use zappy_play::world::World;
use zappy_protocol::text::many;

use super::intake::{Found, REPORT, identified, left_out_note};
use super::settings::Checks;
use crate::grading::command::Names;
use crate::grading::contained::{BUILD_LIMIT, Built, Tried, Walls};
use crate::grading::situations::situations_of;
use crate::identity::Id;
use crate::run::Run;

/// The folder of the verdicts.
const CHECKED: &str = "checked";
/// The prefix of the folders in which bots are checked and the logs of builds lie.
pub const SCRATCH: &str = ".check-";
/// The longest file of a verdict, in bytes.
pub const LONGEST_VERDICT: u64 = 1 << 20;

/// The result of a bot's build and check, as a file keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The version of the format: 1.
    pub version: u32,
    /// The hash of what was handed in.
    pub id: Id,
    /// Why the bot doesn't enter; none: it may enter.
    pub why: Option<String>,
}

/// The end of a build or a check of a bot.
#[derive(Debug)]
pub enum Trial {
    /// The bot is built, or needs no build: there is no verdict and no report yet.
    Passed,
    /// There is a verdict: why the bot doesn't enter, if it doesn't, and the report to its author.
    Over(Option<String>, String),
    /// The arena could not build or check the bot, for that reason.
    Failed(String),
    Interrupted,
}

#[derive(Debug, Clone, Copy)]
pub struct Trials<'a> {
    pub run: &'a Run,
    pub world: &'a World,
    /// Which situations a bot must pass.
    pub checks: &'a Checks,
}

/// The path of the verdict on what was handed in.
pub fn verdict_file(league: &Path, id: Id) -> PathBuf {
    league.join(CHECKED).join(format!("{id}.json"))
}

impl Trials<'_> {
    fn league(&self) -> &Path {
        self.run.place.path()
    }

    /// Whether bots of this league are checked at all.
    pub fn are_checks_made(&self) -> bool {
        !self.situations().is_empty()
    }

    fn situations(&self) -> Vec<&'static Situation> {
        let wanted = |situation: &&Situation| match self.checks {
            Checks::All => true,
            Checks::Only(names) => names.iter().any(|name| name == situation.name),
            Checks::None => false,
        };
        situations_of(self.world.spec.game.name).iter().filter(wanted).collect()
    }

    /// Whether that bot has still to be built.
    pub fn must_build(&self, found: &Found) -> bool {
        found.build.is_some() && !found.version.place(self.league()).exists()
    }

    fn walls(&self) -> Result<Walls, Error> {
        Ok(Walls {
            containment: self.run.containment,
            launcher: crate::worker::own_program()?,
            hidden: [self.league().to_path_buf()].into_iter().chain(key_folder()).collect(),
            limits: Limits::default(),
            environment: self.run.added.values()?,
        })
    }

    /// The files of a bot: those of its version, if they are kept already, or the copy that was taken in.
    fn files(&self, found: &Found) -> PathBuf {
        let kept = found.version.place(self.league());
        if kept.exists() { kept } else { found.files().to_path_buf() }
    }

    fn scratch(&self) -> Result<tempfile::TempDir, Error> {
        let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(self.league());
        scratch.map_err(|error| Error::System("can't make a folder for a check", error))
    }

    /// Builds a bot if its files name a build and it isn't built yet, and puts command and id into its version. `head`
    /// begins a report on a bot that doesn't enter.
    ///
    /// # Errors
    /// When the arena failed.
    pub fn build(&self, found: &mut Found, head: &str, signals: &mut Signals) -> Result<Trial, Error> {
        let Some(build) = found.build.clone() else { return Ok(Trial::Passed) };
        let refused = |why: &str, more: &str| {
            let text = format!("{head}: it isn't built: {why}{more}\n");
            Trial::Over(Some(format!("it isn't built: {why}")), text)
        };
        if self.must_build(found) {
            let scratch = self.scratch()?;
            let log = scratch.path().join("build.log");
            match self.walls()?.build(&build, found.files(), BUILD_LIMIT, &log, signals) {
                Ok(Built::Done(links)) => found.note += &left_out_note(&links),
                Ok(Built::Interrupted) => return Ok(Trial::Interrupted),
                Ok(Built::Failed(why)) => {
                    let (why, more) = why.split_once('\n').unwrap_or((&why, ""));
                    return Ok(refused(why, &format!("\n{more}")));
                }
                Err(error) if error.is_full_disk() => return Err(error),
                Err(error) => return Ok(Trial::Failed(error.to_string())),
            }
        }
        let files = self.files(found);
        match identified(&found.version, &files, Names::of(self.world)) {
            Ok(version) => {
                found.version = version;
                Ok(Trial::Passed)
            }
            Err(why) => {
                let why = why.replace(&format!("{}/", files.display()), "");
                Ok(refused(&why.replace(&files.display().to_string(), "its folder"), ""))
            }
        }
    }

    /// Checks a bot, and leaves the bot's files as they are.
    ///
    /// # Errors
    /// When the arena failed.
    pub fn check(&self, found: &Found, head: &str, signals: &mut Signals) -> Result<Trial, Error> {
        if !self.are_checks_made() {
            let report = "This bot is in the league; its bots aren't checked.\n".to_owned();
            return Ok(Trial::Over(None, report));
        }
        let version = &found.version;
        let (scratch, files) = (self.scratch()?, self.files(found));
        let (works_in, asked) = (scratch.path().join("bot"), (self.world, self.situations()));
        let bot = (version.command.as_str(), files.as_path());
        let (report, broken) = match self.walls()?.check(bot, &works_in, asked, signals)? {
            Tried::Untried(why) => return Ok(Trial::Failed(why)),
            Tried::Interrupted => return Ok(Trial::Interrupted),
            Tried::Over(report, broken) => (report, broken),
        };
        let mut findings_text = FindingsText::default();
        let findings = report.findings.iter().map(|finding| findings_text.take(finding, false));
        let mut text = format!("{}\n\n{}", version.command, findings.collect::<String>());
        text += &(findings_text.rest() + &report.summary());
        let (passed, all) = (report.passed(), many(report.findings.len() as u64, "situation"));
        let is_good = report.is_good();
        let failed = (!is_good).then(|| format!("{passed} of {all} passed; see {REPORT} in its folder"));
        let why = broken.map(|broken| format!("in its check it used {broken}")).or(failed);
        let report = match &why {
            None => format!("This bot is in the league: it passed its check.\n\n{text}"),
            Some(why) if is_good => format!("{head}: {why}.\n\n{text}"),
            Some(_) => format!("{head}: it failed its check.\n\n{text}"),
        };
        Ok(Trial::Over(why, report))
    }
}
