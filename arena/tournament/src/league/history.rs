//! All rounds of a league taken together: which versions there are, and how often each two have met.
//!
//! A function of the rounds. Tested with `run`, in `arena/cli/tests/league/`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::meeting::{Dealer, Meeting};
use super::round::{Round, Version};
use crate::Error;
use crate::bots::Book;
use crate::identity::Id;
use crate::place::Place;
use crate::plan::{MOST_MATCHES, Planned};

/// What all rounds together say.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The rounds, in their order.
    pub(super) rounds: Vec<Round>,
    /// All versions, in the order in which they entered.
    pub(super) versions: Vec<Version>,
    /// On how many seeds two versions have met.
    pub(super) met: BTreeMap<[Id; 2], u32>,
    /// The matches in the order of the rounds.
    plan: Vec<Planned>,
    sealed: Vec<u64>,
    /// Of each match its meeting, and the round in which it was planned.
    pub(super) meetings: HashMap<Id, (Meeting, u32)>,
}

impl History {
    /// Reads all rounds.
    ///
    /// # Errors
    /// A round can't be read, or names a version that never entered.
    pub(super) fn read(league: &Path, dealer: &Dealer) -> Result<History, Error> {
        let mut history = History::default();
        for round in Round::read_all(league)? {
            history.add(round, dealer)?;
        }
        Ok(history)
    }

    /// Takes in one more round.
    ///
    /// # Errors
    /// It names a version that never entered, or there are too many matches.
    pub(super) fn add(&mut self, round: Round, dealer: &Dealer) -> Result<(), Error> {
        let wrong = |what: &str| Error::Plan(format!("round {} of the league: {what}", round.round));
        self.versions.extend_from_slice(&round.entered);
        let known: HashSet<Id> = self.versions.iter().map(|version| version.id).collect();
        let named = round.meetings.iter().flat_map(|meeting| &meeting.bots).chain(&round.field);
        if known.len() < self.versions.len() || named.into_iter().any(|id| !known.contains(id)) {
            return Err(wrong("its versions aren't those that entered; put the file back as it was"));
        }
        for meeting in &round.meetings {
            let (matches, sealed) = dealer.deal(meeting);
            let met = self.met.entry(meeting.bots).or_default();
            *met = (*met).max(meeting.seed + 1);
            self.sealed.extend(sealed);
            for planned in matches {
                self.meetings.insert(planned.id, (*meeting, round.round));
                self.plan.push(planned);
            }
        }
        if self.plan.len() > MOST_MATCHES || self.meetings.len() < self.plan.len() {
            let what = "there are more matches than a league holds; begin another one in another folder";
            return Err(wrong(what));
        }
        self.rounds.push(round);
        Ok(())
    }

    /// Lays out bots and matches as the tournament that is played.
    ///
    /// # Errors
    /// When it can't be written.
    pub(super) fn lay_out(&self, league: &Path) -> Result<Place, Error> {
        let bots = self.versions.iter().map(|version| version.bot(league)).collect();
        Place::lay_out(league, &Book { version: 1, bots, hidden: Vec::new() }, &self.plan, &self.sealed)
    }

    /// The version of that id.
    pub(super) fn version(&self, id: Id) -> Option<&Version> {
        self.versions.iter().find(|version| version.id == id)
    }

    /// The versions in the field of the last round.
    pub(super) fn field(&self) -> Vec<&Version> {
        let field = self.rounds.last().map(|round| &round.field[..]).unwrap_or_default();
        field.iter().filter_map(|id| self.version(*id)).collect()
    }

    /// The matches of the last round.
    pub(super) fn open(&self) -> impl Iterator<Item = Id> {
        let last = self.rounds.last().map_or(0, |round| 2 * round.meetings.len());
        self.plan[self.plan.len() - last..].iter().map(|planned| planned.id)
    }
}
