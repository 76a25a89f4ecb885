//! Which versions are in a league's field: what lies in the folder of the bots, once it is known and checked.
//!
//! What is refused is told to its author and to people; an older version of it stays. Plans and plays nothing. Tested in
//! `tests/league/`.

use std::collections::{BTreeMap, HashSet};

use zappy_protocol::TeamName;

use super::history::History;
use super::intake::{Found, Intake, Refused, tell};
use super::round::Version;
use super::trial::{Checks, Trial, Trials};
use crate::Error;
use crate::play::world::World;
use crate::programs::signals::Signals;
use crate::tournament::bots::MOST_BOTS;
use crate::tournament::identity::Id;
use crate::tournament::run::Run;

/// Checks between two rounds: those that wait longest come first.
const MOST_CHECKS: usize = 8;
/// How often a check is tried that the arena can't make.
const CHECK_TRIES: usize = 3;
/// Versions of one bot.
const MOST_VERSIONS: usize = 50;
/// Lets bots in.
#[derive(Debug)]
pub(super) struct Gate {
    intake: Intake,
    /// What isn't in the field as it lies there.
    pub(super) refused: Vec<Refused>,
    /// How often each bot was checked by this process.
    checked: BTreeMap<String, usize>,
    /// Which situations a bot must pass.
    pub(super) checks: Checks,
}

/// What a look at the bots came to.
pub(super) struct Field {
    /// The versions in the field, by their bots' names.
    pub(super) ids: Vec<Id>,
    /// Those that are new.
    pub(super) entered: Vec<Version>,
    /// Whether another look will find more.
    pub(super) unsettled: bool,
}

impl Gate {
    /// One that asks for these situations.
    pub(super) fn new(checks: Checks) -> Gate {
        Gate { intake: Intake::default(), refused: Vec::new(), checked: BTreeMap::new(), checks }
    }

    /// Takes in what has changed, and checks what is new; `None` if the operator ended it.
    ///
    /// # Errors
    /// When the bots can't be looked at, or the arena failed in a check.
    pub(super) fn look(
        &mut self,
        (history, world): (&History, &World),
        run: &Run,
        patience: bool,
        signals: &mut Signals,
    ) -> Result<Option<Field>, Error> {
        let look = self.intake.look(run.place.path(), world.spec.game.name, patience)?;
        self.refused = look.refused;
        let mut unsettled = look.unsettled;
        // Where the bot of a name stood so far; what is refused now or is still on its way plays on as it was.
        let mut field: BTreeMap<String, Id> =
            history.field().into_iter().map(|version| (version.name.clone(), version.id)).collect();
        let mut there: HashSet<String> = look.same.into_iter().collect();
        there.extend(self.refused.iter().map(|refused| refused.name.clone()));
        there.extend(look.found.iter().map(|found| found.version.name.clone()));
        if !unsettled {
            field.retain(|name, _| there.contains(name));
        }
        let mut entered = Vec::new();
        let mut found = look.found;
        found.sort_by_key(|found| (self.checks_of(&found.version.name), found.version.name.clone()));
        let mut checks = 0;
        for found in found {
            let name = found.version.name.clone();
            if checks == MOST_CHECKS {
                self.intake.forget(&name);
                unsettled = true;
                continue;
            }
            let Some(admitted) = self.admit(found, (history, world), &entered, &mut checks, run, signals)?
            else {
                return Ok(None);
            };
            match admitted {
                Ok(version) => {
                    field.insert(name, version.id);
                    if history.version(version.id).is_none() {
                        entered.push(version);
                    }
                }
                Err(why) => {
                    unsettled |= !self.intake.knows(&name);
                    self.intake.refuse(&name, &why);
                    self.refused.push(Refused { name, why });
                }
            }
        }
        self.refused.sort_by(|a, b| a.name.cmp(&b.name));
        entered.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(Field { ids: field.into_values().collect(), entered, unsettled }))
    }

    fn checks_of(&self, name: &str) -> usize {
        self.checked.get(name).copied().unwrap_or_default()
    }

    /// The version as which a bot enters, or why it doesn't; `None` if the operator ended it.
    fn admit(
        &mut self,
        mut found: Found,
        (history, world): (&History, &World),
        entered: &[Version],
        checks: &mut usize,
        run: &Run,
        signals: &mut Signals,
    ) -> Result<Option<Result<Version, String>>, Error> {
        let (id, name) = (found.version.id, found.version.name.clone());
        let known = history.version(id).or_else(|| entered.iter().find(|version| version.id == id)).cloned();
        let earlier = history.versions.iter().filter(|(version, _)| version.name == name).count();
        let refuse = |why: String| {
            tell(&found.folder, &name, &format!("This bot is not in the league: {why}\n"));
            Ok(Some(Err(why)))
        };
        match known {
            Some(known) if known.name == name => return Ok(Some(Ok(known))),
            Some(known) => {
                return refuse(format!(
                    "it is the same bot as {}, to the byte; hand in another one",
                    known.label()
                ));
            }
            None if earlier == MOST_VERSIONS => {
                return refuse(format!(
                    "a bot has at most {MOST_VERSIONS} versions in a league; wait for the next one"
                ));
            }
            None if history.versions.len() + entered.len() == MOST_BOTS => {
                return refuse(format!(
                    "a league has at most {MOST_BOTS} versions; begin another one in another folder"
                ));
            }
            None => {}
        }
        found.version.number = earlier as u32 + 1;
        let team = TeamName::parse(found.version.label().as_bytes());
        if team.is_none() {
            return Ok(Some(Err("no team can be called so; give it a shorter name".to_owned())));
        }
        let trials = Trials {
            league: run.place.path(),
            checks: &self.checks,
            world,
            program: &run.program,
            containment: run.containment,
        };
        let verdict = match trials.known(id)? {
            Some(verdict) => verdict,
            None => {
                if trials.are_made() {
                    *checks += 1;
                    *self.checked.entry(name.clone()).or_default() += 1;
                    log::info!("{} is checked", found.version.label());
                }
                match trials.run(&found.version, found.files(), signals)? {
                    Trial::Interrupted => return Ok(None),
                    Trial::Failed(why) => {
                        if self.checks_of(&name) < CHECK_TRIES {
                            self.intake.forget(&name);
                        }
                        return Ok(Some(Err(format!("its check could not be made: {why}"))));
                    }
                    Trial::Over(verdict, report) => {
                        tell(&found.folder, &name, &report);
                        trials.keep(&verdict)?;
                        verdict
                    }
                }
            }
        };
        match verdict.why {
            Some(why) => Ok(Some(Err(why))),
            None => Ok(Some(Ok(found.keep(run.place.path())?))),
        }
    }
}
