//! Reads a tournament's folder, and checks that bots, plan and results fit each other.
//!
//! Trusts no file, since grades depend on all of them. Errors name file, line and remedy. Changes nothing.
//! Tested in `arena/cli/tests/merge/`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use zappy_game::GameSpec;
use zappy_play::signature::{self, Key, Kind, LONGEST, SIGNATURE, hash_file, key_file};
use zappy_play::text::io_words;
use zappy_play::world::Games;
use zappy_server::files;

use super::Error;
use super::bots::{Book, MOST_BOTS};
use super::identity::Id;
use super::outcome::Outcome;
use super::place::{BOTS, Failure, PLAN, Place, STUDENT};
use super::plan::Planned;
use super::whole::{LINK_MESSAGE, is_link};

/// A file that doesn't fit, and why, in words.
pub type Misfit = (PathBuf, String);

/// A tournament as it was read from its folder.
#[derive(Debug, Clone)]
pub struct Tournament {
    /// The game of all its matches.
    pub game: &'static GameSpec,
    pub book: Book,
    /// The matches, in the order of playing.
    pub plan: Vec<Planned>,
    pub results: HashMap<Id, Outcome>,
    /// The matches that were tried in vain and have no result, in the order of their ids.
    pub failures: Vec<Failure>,
}

impl Tournament {
    /// Adds a match, with its outcome or the reason why it has none.
    pub fn add(&mut self, planned: Planned, outcome: Result<Outcome, Failure>) {
        let id = planned.id;
        self.failures.retain(|failure| failure.id != id);
        match outcome {
            Ok(outcome) => drop(self.results.insert(id, outcome)),
            Err(failure) => self.failures.push(failure),
        }
        if !self.plan.iter().any(|planned| planned.id == id) {
            self.plan.push(planned);
        }
    }

    /// Removes these matches, as if they had never been planned.
    pub fn leave_out(&mut self, matches: &HashSet<Id>) {
        self.plan.retain(|planned| !matches.contains(&planned.id));
        self.results.retain(|id, _| !matches.contains(id));
        self.failures.retain(|failure| !matches.contains(&failure.id));
    }

    /// Reads and checks a tournament's folder.
    ///
    /// # Errors
    /// The first thing that is wrong; of results the first in the order of their names.
    pub fn read(folder: &Path, games: Games) -> Result<Tournament, Error> {
        let Basis { place, game, book, plan, .. } = Basis::read(folder, games)?;
        let key = own_key();
        refuse_altered(&place, key.as_ref())?;
        let planned: HashMap<Id, &Planned> = plan.iter().map(|planned| (planned.id, planned)).collect();
        let mut results = HashMap::new();
        for name in place.result_names()? {
            let path = place.results().join(&name);
            let wrong = |what: String| Error::BadResult(path.clone(), what);
            let id = path.file_stem().and_then(|stem| Id::parse(stem.to_str()?));
            let Some(planned) = id.and_then(|id| planned.get(&id)) else {
                return Err(wrong("no match of the plan has that id".to_owned()));
            };
            let played = checked_outcome(&place, planned.id, key.as_ref())?;
            played.check(planned).map_err(wrong)?;
            results.insert(planned.id, played);
        }
        let mut failures = place.failures()?;
        failures.retain(|failure| planned.contains_key(&failure.id) && !results.contains_key(&failure.id));
        Ok(Tournament { game, book, plan, results, failures })
    }
}

/// The key of this user, if there is one.
pub fn own_key() -> Option<Key> {
    Key::read(&key_file()?).ok()
}

/// The file that the arena leaves beside a match's record.
pub(super) const ARENA_RESULT: &str = "result.json";

/// The `wanted` files of a folder with another hash than the folder's signed list has for them. Gives none if no list
/// was signed with this key, since another user or machine may have played, and none in a league or a ladder, where
/// bots change between two signatures.
pub fn altered(folder: &Path, key: Option<&Key>, wanted: impl Fn(&str) -> bool) -> Vec<Misfit> {
    let list = files::read(&folder.join(SIGNATURE), LONGEST).ok().and_then(|bytes| key?.read_list(&bytes));
    let list = list.filter(|list| !matches!(list.kind, Kind::League | Kind::Ladder));
    let signed = list.into_iter().flat_map(|list| list.files);
    let check = |(name, hash): (String, signature::Hash)| {
        let path = folder.join(name);
        match hash_file(&path) {
            _ if is_link(&path) => Some((path, LINK_MESSAGE.to_owned())),
            Ok(found) if found == hash => None,
            Ok(_) => Some((path, "it was changed since the arena signed it".to_owned())),
            Err(error) => Some((path, io_words(&error))),
        }
    };
    signed.filter(|(name, _)| wanted(name)).filter_map(check).collect()
}

/// Refuses a tournament if its file of bots, or the grade in the folder above, was changed since the arena signed it.
///
/// # Errors
/// One of these files was changed.
pub(super) fn refuse_altered(place: &Place, key: Option<&Key>) -> Result<(), Error> {
    if let Some((path, what)) = altered_grade(place, key) {
        return Err(Error::Plan(format!("{}: {what}; grade it again, which writes it anew", path.display())));
    }
    let misfit = altered(place.path(), key, |name| name == BOTS).pop();
    misfit.map_or(Ok(()), |(path, what)| Err(Error::Book(path, what)))
}

/// The grade in the folder above, if it was changed since the arena signed it.
pub(super) fn altered_grade(place: &Place, key: Option<&Key>) -> Option<Misfit> {
    altered(place.path().parent()?, key, |name| name == STUDENT).pop()
}

/// The outcome of a match, if the files of the match are those that the arena signed.
///
/// # Errors
/// The files were changed, or the outcome can't be read or was changed.
pub(super) fn checked_outcome(place: &Place, id: Id, key: Option<&Key>) -> Result<Outcome, Error> {
    let folder = place.match_folder(id);
    let link = is_link(&folder).then(|| (folder.clone(), LINK_MESSAGE.to_owned()));
    match link.or_else(|| altered(&folder, key, |name| name == ARENA_RESULT).pop()) {
        Some((path, what)) => Err(Error::Altered(path, what, place.result(id))),
        None => place.outcome(id),
    }
}

/// The checked bots and plan of a tournament, without its results.
pub(super) struct Basis {
    pub(super) games: Games,
    pub(super) place: Place,
    pub(super) game: &'static GameSpec,
    pub(super) book: Book,
    pub(super) plan: Vec<Planned>,
}

impl Basis {
    pub(super) fn read(folder: &Path, games: Games) -> Result<Basis, Error> {
        if let Some(name) = [BOTS, PLAN].into_iter().find(|name| !folder.join(name).is_file()) {
            let remedy = "put it back, or name a folder that `zappy_arena tournament plan` made";
            return Err(Error::Plan(format!("{}: there is no {name} in it; {remedy}", folder.display())));
        }
        let place = Place::open(folder)?;
        let book = place.book()?;
        let unfit = |what| Err(Error::Book(folder.join(BOTS), what));
        if book.version != 1 {
            return unfit(format!("it is of version {}, this program reads 1", book.version));
        }
        if !(2..=MOST_BOTS).contains(&book.bots.len()) {
            return unfit(format!("it names {} bots, the range is 2 to {MOST_BOTS}", book.bots.len()));
        }
        let mut bots = HashSet::new();
        if let Some(twin) = book.bots.iter().find(|bot| !bots.insert(bot.id)) {
            return unfit(format!("two bots have the id {}", twin.id));
        }
        let plan = place.plan(|_| true)?;
        let wrong = |line, what| Err(Error::Bad { path: folder.join(PLAN), line, what });
        let mut ids = HashSet::new();
        for (Planned { id, seats, .. }, line) in plan.iter().zip(1..) {
            if let Some(stranger) = seats.iter().find(|seat| !bots.contains(seat)) {
                return wrong(line, format!("no bot has the id {stranger}"));
            }
            if seats.len() < 2 || seats.iter().collect::<HashSet<_>>().len() < seats.len() {
                return wrong(line, "a match takes two bots or more, all different".to_owned());
            }
            if !ids.insert(id) {
                return wrong(line, format!("the match {id} stands there twice"));
            }
        }
        let first = games.find(None).map_or("", |game| game.name);
        let game = match games.find(plan.first().and_then(Planned::game)) {
            Ok(game) => game,
            Err(error) => return wrong(1, error.to_string()),
        };
        let names = plan.iter().map(|planned| planned.game().unwrap_or(first));
        if let Some((other, line)) = names.zip(1..).find(|(name, _)| *name != game.name) {
            return wrong(line, format!("it is a match of {other}, the others are of {}", game.name));
        }
        Ok(Basis { games, place, game, book, plan })
    }
}
