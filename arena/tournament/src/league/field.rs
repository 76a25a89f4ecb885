//! Decides which versions are in a league's field: the bots in their folders, once they are checked.
//!
//! Why a bot is refused stands in a report to its author and in the standings; its older version stays. Plans and plays
//! nothing. Tested in `arena/cli/tests/league/`.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Duration;

use zappy_play::Error;
use zappy_play::programs::signals::Signals;
use zappy_protocol::TeamName;

use super::authors::Authors;
use super::history::History;
use super::intake::{Found, Intake, Look, bot_name, leave_report};
use super::round::Version;
use super::settings::{Pairing, Settings};
use super::standings::Refused;
use super::trial::{LONGEST_VERDICT, Trial, Trials, Verdict, verdict_file};
use crate::bots::MOST_BOTS;
use crate::grading::command::Names;
use crate::identity::Id;
use crate::place::{read_json, write_json_line};

/// The most builds and checks between two rounds.
const MOST_CHECKS: usize = 8;
/// The same in a league that goes on, so that the bots in the field play while others wait for their check.
const MOST_CHECKS_WHILE_PLAYING: usize = 1;
/// How often one process tries to check a bot if the arena fails in it.
const CHECK_TRIES: usize = 3;
/// The most versions of one bot in a league.
const MOST_VERSIONS: u32 = 50;

/// What is remembered from one look at the bots to the next.
#[derive(Debug, Default)]
pub(super) struct Gate {
    intake: Intake,
    authors: Authors,
    /// Whether the bots in the field play on while others wait for their check.
    plays_during_checks: bool,
    /// The bots whose files, as they lie in their folders now, aren't in the field.
    pub(super) refused: Vec<Refused>,
    /// How often each bot was built or checked by this process, by its name.
    check_counts: BTreeMap<String, usize>,
}

/// The field after a look at the bots.
pub(super) struct Field {
    /// The ids of the versions in the field, in the order of their bots' names.
    pub(super) ids: Vec<Id>,
    /// The versions among them that were in no earlier round.
    pub(super) entered: Vec<Version>,
    /// Whether another look will find more: files are being written, or checks are left.
    pub(super) unsettled: bool,
}

/// Why a bot doesn't enter.
enum Stop {
    Interrupted,
    Refused(String),
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Failed(error.into())
    }
}

/// What a league has of a bot before its new files are taken in.
struct Before {
    /// The number of the version that the new files would be, from 1.
    number: u32,
    /// The label of the version that plays on if the new files aren't taken in; `None`: none does.
    plays_on: Option<String>,
}

impl Before {
    /// Looks up the bot of that name; `field` has the id of each bot's version by the bot's name.
    fn of(history: &History, field: &BTreeMap<String, Id>, name: &str) -> Before {
        let earlier = history.versions.iter().filter(|version| version.name == name).count();
        let current = field.get(name).and_then(|id| history.version(*id));
        Before { number: earlier as u32 + 1, plays_on: current.map(Version::label) }
    }

    /// The beginning of the report to the author if the new files aren't taken in; the reason follows it.
    fn report_head(&self, name: &str) -> String {
        match &self.plays_on {
            Some(label) => {
                format!("{name}'s new version ({}) did not enter the league; {label} plays on", self.number)
            }
            None => "This bot is not in the league".to_owned(),
        }
    }
}

/// The builds and checks of one look at the bots: how many were begun, and how many there will be at most.
struct CheckCount {
    begun: usize,
    at_most: usize,
}

/// The version that has a bot's files already if it is that bot's own; an error in words if it is another bot's.
fn own_version(known: &Version, name: &str) -> Result<Version, String> {
    let why = || format!("it is the same bot as {}, to the byte; hand in another one", known.label());
    if known.name == name { Ok(known.clone()) } else { Err(why()) }
}

impl Gate {
    /// The gate of the league in that folder, before the first look at its bots.
    ///
    /// # Errors
    /// The file of the authors can't be read.
    pub(super) fn open(league: &Path, settings: &Settings) -> Result<Gate, Error> {
        Ok(Gate {
            authors: Authors::read(league)?,
            plays_during_checks: settings.pairing != Pairing::Knockout,
            ..Gate::default()
        })
    }

    /// Takes in the bots that have changed, and checks the new ones; `None` if the operator ended it. With `patience`
    /// the league goes on by itself, and files must have been unchanged for so long.
    ///
    /// # Errors
    /// When the bots can't be looked at, or the arena failed in a check.
    pub(super) fn look(
        &mut self,
        history: &History,
        trials: Trials<'_>,
        patience: Option<Duration>,
        signals: &mut Signals,
    ) -> Result<Option<Field>, Error> {
        // The version of each bot so far, by its name: it plays on if newer files are refused or still being written.
        let mut field: BTreeMap<String, Id> =
            history.field().into_iter().map(|version| (version.name.clone(), version.id)).collect();
        let owner = |name: &str| self.authors.folder(name).map(str::to_owned);
        let head = |name: &str| Before::of(history, &field, name).report_head(name);
        let (league, names) = (trials.run.place.path(), Names::of(trials.world));
        let Look { mut found, same, refused, mut unsettled } =
            self.intake.look(league, names, patience, &owner, &head)?;
        self.authors.add_found(league, &found)?;
        self.set_twins_apart(&mut found, names);
        self.refused = refused;
        if !unsettled {
            let mut present: HashSet<String> = same.into_iter().collect();
            let refused = self.refused.iter().filter(|one| self.authors.is_owner(&one.name));
            present.extend(refused.map(|one| bot_name(&one.name)));
            present.extend(found.iter().map(|found| found.version.name.clone()));
            field.retain(|name, _| present.contains(name));
        }
        let mut entered = Vec::new();
        found.sort_by_key(|found| (self.checks_of(&found.version.name), found.version.name.clone()));
        let has_seen = |id: Id| history.versions.iter().any(|version| version.handed_in() == id);
        let is_known = |id: Id| has_seen(id) || verdict_file(league, id).exists();
        let unknown = found.iter().filter(|found| !is_known(found.version.handed_in())).count();
        let mut checks = CheckCount { begun: 0, at_most: unknown.min(MOST_CHECKS) };
        for found in found {
            let (name, folder) = (found.version.name.clone(), found.folder_name.clone());
            let others_play = self.plays_during_checks && patience.is_some() && field.len() > 1;
            if checks.begun >= if others_play { MOST_CHECKS_WHILE_PLAYING } else { MOST_CHECKS } {
                self.intake.mark(&folder, None);
                unsettled = true;
                continue;
            }
            let before = Before::of(history, &field, &name);
            match self.admit(found, history, (&entered, &before), &mut checks, trials, signals) {
                Err(Stop::Interrupted) => return Ok(None),
                Err(Stop::Failed(error)) => return Err(error),
                Ok(version) => {
                    field.insert(name, version.id);
                    if history.version(version.id).is_none() {
                        entered.push(version);
                    }
                }
                Err(Stop::Refused(why)) => {
                    if self.intake.knows(&folder) {
                        self.intake.mark(&folder, Some(why.clone()));
                    } else {
                        // The arena failed in the build or check: the next look tries again.
                        unsettled = true;
                    }
                    self.refused.push(Refused::new(folder, why));
                }
            }
        }
        for one in self.refused.iter_mut().filter(|one| self.authors.is_owner(&one.name)) {
            let Before { number, plays_on } = Before::of(history, &field, &bot_name(&one.name));
            (one.number, one.plays_on) = (number, plays_on);
        }
        self.refused.sort_by(|a, b| a.name.cmp(&b.name));
        entered.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(Field { ids: field.into_values().collect(), entered, unsettled }))
    }

    /// Gives bots that came with the same files in one look different ids, with a note to their authors and in the log.
    fn set_twins_apart(&self, found: &mut [Found], names: Names<'_>) {
        for found in found {
            let name = found.version.name.clone();
            let authors = self.authors.first_bots_with(found.content);
            if authors.len() < 2 || !authors.contains(&name) {
                continue;
            }
            let others: Vec<&str> =
                authors.iter().filter(|author| **author != name).map(String::as_str).collect();
            let words = format!(
                "{name} came with the same files as {} in the same look; who wrote them isn't known, so none is refused",
                others.join(", ")
            );
            log::warn!("{words}");
            found.note += &format!("{words}\n");
            leave_report(&found.folder, &name, &found.note);
            if authors[0] != name
                && let Err(why) = found.set_apart(names)
            {
                log::warn!("{name}: {why}");
            }
        }
    }

    fn checks_of(&self, name: &str) -> usize {
        self.check_counts.get(name).copied().unwrap_or_default()
    }

    /// The version that has the bot's files already, or why they can become none; `None`: they may become version
    /// `number`.
    fn known_or_refused(
        &self,
        found: &Found,
        (history, entered): (&History, &[Version]),
        number: u32,
    ) -> Option<Result<Version, String>> {
        let name = &found.version.name;
        let mut all = history.versions.iter().chain(entered);
        let same = all.find(|known| known.handed_in() == found.version.handed_in());
        let authors = self.authors.first_bots_with(found.content);
        let author = Some(authors.join("'s and ")).filter(|_| !authors.is_empty() && !authors.contains(name));
        let why = match (same.map(|same| own_version(same, name)), author) {
            (Some(Ok(known)), _) => return Some(Ok(known)),
            (_, Some(author)) => format!(
                "its files are {author}'s, to the byte, which were here before (COMMAND and bot.toml don't count); \
                 hand in a bot of your own"
            ),
            (Some(Err(why)), None) => why,
            (None, None) if number > MOST_VERSIONS => {
                format!("a bot has at most {MOST_VERSIONS} versions in a league; wait for the next one")
            }
            (None, None) if history.versions.len() + entered.len() == MOST_BOTS => {
                format!("a league has at most {MOST_BOTS} versions; begin another one in another folder")
            }
            (None, None) => return None,
        };
        Some(Err(why))
    }

    /// The version as which a bot enters, or why it doesn't.
    fn admit(
        &mut self,
        mut found: Found,
        history: &History,
        (entered, before): (&[Version], &Before),
        checks: &mut CheckCount,
        trials: Trials<'_>,
        signals: &mut Signals,
    ) -> Result<Version, Stop> {
        let league = trials.run.place.path();
        let (name, head) = (found.version.name.clone(), before.report_head(&found.version.name));
        let refuse = |found: &Found, why: String| {
            leave_report(&found.folder, &name, &format!("{head}: {why}\n"));
            Err(Stop::Refused(why))
        };
        match self.known_or_refused(&found, (history, entered), before.number) {
            Some(Err(why)) => return refuse(&found, why),
            Some(Ok(known)) => return Ok(known),
            None => {}
        }
        found.version.number = before.number;
        if TeamName::parse(found.version.label().as_bytes()).is_none() {
            return Err(Stop::Refused("no team can be called so; give it a shorter name".to_owned()));
        }
        let file = verdict_file(league, found.version.handed_in());
        let verdict: Option<Verdict> =
            file.exists().then(|| read_json(&file, LONGEST_VERDICT)).transpose()?;
        if let Some(why) = verdict.as_ref().and_then(|verdict| verdict.why.clone()) {
            return Err(Stop::Refused(why));
        }
        let must_check = verdict.is_none() && trials.are_checks_made();
        if trials.must_build(&found) || must_check {
            checks.begun += 1;
            *self.check_counts.entry(name.clone()).or_default() += 1;
            let what = if must_check { "checking" } else { "building" };
            let CheckCount { begun, at_most } = checks;
            log::info!("{what} {} ({begun} of {at_most})", found.version.label());
        }
        let built = trials.build(&mut found, &head, signals)?;
        self.conclude(built, "build", &found, trials)?;
        // Builds of different files may come to equal ones.
        let mut all = history.versions.iter().chain(entered);
        if let Some(known) = all.find(|known| known.id == found.version.id) {
            return match own_version(known, &name) {
                Ok(known) => {
                    found.keep(league)?;
                    Ok(known)
                }
                Err(why) => refuse(&found, why),
            };
        }
        if verdict.is_none() {
            let checked = trials.check(&found, &head, signals)?;
            self.conclude(checked, "check", &found, trials)?;
        }
        Ok(found.keep(league)?)
    }

    /// Leaves the author the report on a build or a check (`what`), and keeps the verdict.
    fn conclude(&mut self, trial: Trial, what: &str, found: &Found, trials: Trials<'_>) -> Result<(), Stop> {
        let name = &found.version.name;
        match trial {
            Trial::Interrupted => Err(Stop::Interrupted),
            Trial::Passed => Ok(()),
            Trial::Failed(why) => {
                if self.checks_of(name) < CHECK_TRIES {
                    self.intake.mark(&found.folder_name, None);
                }
                Err(Stop::Refused(format!("its {what} could not be made: {why}")))
            }
            Trial::Over(why, report) => {
                match &why {
                    Some(why) => log::info!("{} failed: {why}", found.version.label()),
                    None => log::info!("{} passed", found.version.label()),
                }
                leave_report(&found.folder, name, &format!("{report}{}", found.note));
                let verdict = Verdict { version: 1, id: found.version.handed_in(), why: why.clone() };
                write_json_line(&verdict_file(trials.run.place.path(), verdict.id), &verdict)?;
                why.map_or(Ok(()), |why| Err(Stop::Refused(why)))
            }
        }
    }
}
