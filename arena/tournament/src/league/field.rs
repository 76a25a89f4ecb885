//! Decides which versions are in a league's field: the bots in their folders, once they are checked.
//!
//! Why a bot is refused is reported to its author and to people; an older version of it stays. Plans and plays nothing. Tested in
//! `arena/cli/tests/league/`.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Duration;

use zappy_play::Error;
use zappy_play::programs::signals::Signals;
use zappy_protocol::TeamName;

use super::authors::Authors;
use super::history::History;
use super::intake::{Found, Intake, Look, called, leave_report};
use super::round::Version;
use super::settings::{Pairing, Settings};
use super::standings::Refused;
use super::trial::{Trial, Trials};
use crate::bots::MOST_BOTS;
use crate::grading::command::Names;
use crate::identity::Id;

/// The most checks between two rounds.
const MOST_CHECKS: usize = 8;
/// The same while the bots in the field play on and needn't wait for the others.
const MOST_MEANWHILE: usize = 1;
/// How often the arena tries to make a check.
const CHECK_TRIES: usize = 3;
/// The most versions of one bot in a league.
const MOST_VERSIONS: u32 = 50;
#[derive(Debug, Default)]
pub(super) struct Gate {
    intake: Intake,
    authors: Authors,
    /// Whether the bots in the field play on while others wait for their check.
    meanwhile: bool,
    /// The bots that aren't in the field as they lie in their folders.
    pub(super) refused: Vec<Refused>,
    /// How often each bot was checked by this process.
    checked: BTreeMap<String, usize>,
}

/// The field after a look at the bots.
pub(super) struct Field {
    /// The versions in the field, by their bots' names.
    pub(super) ids: Vec<Id>,
    pub(super) entered: Vec<Version>,
    /// Whether another look will find more.
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

/// A bot's standing before its new files are taken in.
struct Before {
    /// The number of the version that they would be.
    number: u32,
    /// The version that plays on if they aren't taken in.
    plays_on: Option<String>,
}

impl Before {
    /// The standing of the bot of that name by the rounds and the field.
    fn of(history: &History, field: &BTreeMap<String, Id>, name: &str) -> Before {
        let earlier = history.versions.iter().filter(|version| version.name == name).count();
        let on = field.get(name).and_then(|id| history.version(*id));
        Before { number: earlier as u32 + 1, plays_on: on.map(Version::label) }
    }

    /// The beginning of the report to the author if they aren't taken in.
    fn head(&self, name: &str) -> String {
        match &self.plays_on {
            Some(label) => {
                format!("{name}'s new version ({}) did not enter the league; {label} plays on", self.number)
            }
            None => "This bot is not in the league".to_owned(),
        }
    }
}

/// Checks that were made in a look at the bots, and how many there will be at most.
struct Counted {
    made: usize,
    of: usize,
}

/// The version that has these files already, or why a bot of that name can't have them, too.
fn again(known: &Version, name: &str) -> Result<Version, String> {
    let why = || format!("it is the same bot as {}, to the byte; hand in another one", known.label());
    if known.name == name { Ok(known.clone()) } else { Err(why()) }
}

impl Gate {
    /// Opens the gate of a league with these settings.
    ///
    /// # Errors
    /// The file of the authors can't be read.
    pub(super) fn open(league: &Path, settings: &Settings) -> Result<Gate, Error> {
        Ok(Gate {
            authors: Authors::read(league)?,
            meanwhile: settings.pairing != Pairing::Knockout,
            ..Gate::default()
        })
    }

    /// Takes in what has changed, and checks what is new; `None` if the operator ended it.
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
        // Where the bot of a name stood so far; what is refused now or is still on its way plays on as it was.
        let mut field: BTreeMap<String, Id> =
            history.field().into_iter().map(|version| (version.name.clone(), version.id)).collect();
        let owner = |name: &str| self.authors.folder(name).map(str::to_owned);
        let head = |name: &str| Before::of(history, &field, name).head(name);
        let (league, of) = (trials.run.place.path(), Names::of(trials.world));
        let Look { mut found, same, refused, mut unsettled } =
            self.intake.look(league, of, patience, &owner, &head)?;
        self.authors.add_found(league, &found)?;
        self.set_twins_apart(&mut found, of);
        self.refused = refused;
        if !unsettled {
            let mut there: HashSet<String> = same.into_iter().collect();
            let refused = self.refused.iter().filter(|one| self.authors.is_owner(&one.name));
            there.extend(refused.map(|one| called(&one.name)));
            there.extend(found.iter().map(|found| found.version.name.clone()));
            field.retain(|name, _| there.contains(name));
        }
        let mut entered = Vec::new();
        found.sort_by_key(|found| (self.checks_of(&found.version.name), found.version.name.clone()));
        let has_seen = |id: Id| history.versions.iter().any(|version| version.handed_in() == id);
        let is_known = |id: Id| has_seen(id) || Trials::is_known(league, id);
        let unknown = found.iter().filter(|found| !is_known(found.version.handed_in())).count();
        let mut checks = Counted { made: 0, of: unknown.min(MOST_CHECKS) };
        for found in found {
            let (name, folder) = (found.version.name.clone(), found.called.clone());
            let meanwhile = self.meanwhile && patience.is_some() && field.len() > 1;
            if checks.made >= if meanwhile { MOST_MEANWHILE } else { MOST_CHECKS } {
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
                        // The arena couldn't make the trial: the next look tries again.
                        unsettled = true;
                    }
                    self.refused.push(Refused::new(folder, why));
                }
            }
        }
        for one in self.refused.iter_mut().filter(|one| self.authors.is_owner(&one.name)) {
            let Before { number, plays_on } = Before::of(history, &field, &called(&one.name));
            (one.number, one.plays_on) = (number, plays_on);
        }
        self.refused.sort_by(|a, b| a.name.cmp(&b.name));
        entered.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(Field { ids: field.into_values().collect(), entered, unsettled }))
    }

    /// Sets bots apart that came with the same files in one look, with a note to their authors and in the log.
    fn set_twins_apart(&self, found: &mut [Found], of: Names<'_>) {
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
                && let Err(why) = found.set_apart(of)
            {
                log::warn!("{name}: {why}");
            }
        }
    }

    fn checks_of(&self, name: &str) -> usize {
        self.checked.get(name).copied().unwrap_or_default()
    }

    /// The version that a bot is already, or why it can be none.
    fn known(
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
        let why = match (same.map(|same| again(same, name)), author) {
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
        checks: &mut Counted,
        trials: Trials<'_>,
        signals: &mut Signals,
    ) -> Result<Version, Stop> {
        let league = trials.run.place.path();
        let (name, head) = (found.version.name.clone(), before.head(&found.version.name));
        let refuse = |found: &Found, why: String| {
            leave_report(&found.folder, &name, &format!("{head}: {why}\n"));
            Err(Stop::Refused(why))
        };
        match self.known(&found, (history, entered), before.number) {
            Some(Err(why)) => return refuse(&found, why),
            Some(Ok(known)) => return Ok(known),
            None => {}
        }
        found.version.number = before.number;
        if TeamName::parse(found.version.label().as_bytes()).is_none() {
            return Err(Stop::Refused("no team can be called so; give it a shorter name".to_owned()));
        }
        let verdict = trials.known(found.version.handed_in())?;
        if let Some(why) = verdict.as_ref().and_then(|verdict| verdict.why.clone()) {
            return Err(Stop::Refused(why));
        }
        let check = verdict.is_none() && trials.are_made();
        if trials.must_build(&found) || check {
            checks.made += 1;
            *self.checked.entry(name.clone()).or_default() += 1;
            let what = if check { "checking" } else { "building" };
            let Counted { made, of } = checks;
            log::info!("{what} {} ({made} of {of})", found.version.label());
        }
        let built = trials.build(&mut found, &head, signals)?;
        self.conclude(built, "build", &found, trials)?;
        // Two folders may be built into one bot.
        let mut all = history.versions.iter().chain(entered);
        if let Some(known) = all.find(|known| known.id == found.version.id) {
            return match again(known, &name) {
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

    /// Leaves the report on a trial to the author, and keeps its verdict.
    fn conclude(&mut self, trial: Trial, what: &str, found: &Found, trials: Trials<'_>) -> Result<(), Stop> {
        let name = &found.version.name;
        match trial {
            Trial::Interrupted => Err(Stop::Interrupted),
            Trial::Passed => Ok(()),
            Trial::Failed(why) => {
                if self.checks_of(name) < CHECK_TRIES {
                    self.intake.mark(&found.called, None);
                }
                Err(Stop::Refused(format!("its {what} could not be made: {why}")))
            }
            Trial::Over(why, report) => {
                match &why {
                    Some(why) => log::info!("{} failed: {why}", found.version.label()),
                    None => log::info!("{} passed", found.version.label()),
                }
                leave_report(&found.folder, name, &format!("{report}{}", found.note));
                trials.keep(&found.version, why.as_deref())?;
                why.map_or(Ok(()), |why| Err(Stop::Refused(why)))
            }
        }
    }
}
