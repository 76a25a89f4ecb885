//! The folder of a ladder: a tournament's, to which each match is added when it is over.
//!
//! Of a match first the record is written, then the line of the plan, then the result, each file whole, so that a host which is
//! killed loses no finished match and leaves no half of one. A match that was running goes on if its bots can return; else it is
//! noted as void. Tested in `arena/cli/tests/ladder/`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use serde::Serialize;
use zappy_game::GameSpec;
use zappy_play::folder::RECORD;
use zappy_play::result::{ArenaPart, ArenaResult, SeedKind, TeamPart, Told};
use zappy_play::signature::{self, Kind, hash_file};
use zappy_play::text::io_words;
use zappy_play::world::Games;
use zappy_server::net::Bank;
use zappy_server::record::RecordFile;
use zappy_server::result::MatchResult;
use zappy_tournament::Error;
use zappy_tournament::claim::Claim;
use zappy_tournament::identity::Id;
use zappy_tournament::judge::outcome_of;
use zappy_tournament::ladder::{LOBBY, STANDINGS, book};
use zappy_tournament::outcome::Outcome;
use zappy_tournament::place::{
    BOTS, Failure, PLAN, Place, clear, read_json, write_json_line, write_pretty, write_whole,
};
use zappy_tournament::plan::{Planned, Terms};
use zappy_tournament::reading::Tournament;
use zappy_tournament::variants::asked_otherwise;

use crate::names::Tokens;
use crate::settings::{LOST, SETTINGS, SeasonWish, Settings};

/// Locked by the process that plays the ladder.
const LOCK: &str = ".ladder.lock";
/// The time that the answers of a bot may take in a match before no answer is free. A bot that takes 200 ms for each line plays
/// 9,000 rounds in that time.
const FREE_IN_ALL: Duration = Duration::from_secs(1_800);
/// The longest description of a match, in bytes.
const LONGEST: u64 = 64 << 10;
/// The bytes that must be free before a match begins on a disk that was full.
const ROOM: usize = 4 << 20;
/// The folder of a running match with the address at which it is watched; removed at its end.
pub const SCRATCH: &str = ".arena-live";
/// The result of a match, in its folder.
const RESULT: &str = "result.json";
/// Why a match is void that was running when the host ended.
pub const ENDED: &str = "the host ended while it was played";
/// The plan's line of a match that isn't over, in the folder of the match.
pub const PLANNED: &str = "planned.json";

/// A match that is over.
#[derive(Debug)]
pub struct Finished {
    pub planned: Planned,
    pub result: MatchResult,
    pub record: RecordFile,
    /// The folder of its record until the match counts.
    pub unfinished: PathBuf,
    /// How long it took.
    pub seconds: f64,
}

/// A ladder's folder.
#[derive(Debug)]
pub struct Season {
    pub place: Place,
    pub teams: usize,
    pub terms: Terms,
    /// The limit for the think times of a bot in a match together.
    pub bank: Bank,
    /// The matches that were played so far.
    pub tournament: Tournament,
    /// The matches that were running when the last host ended and can go on.
    pub cut_off: Vec<Planned>,
    plan: File,
    _claim: Claim,
}

impl Season {
    /// Opens the ladder in that folder, or begins it there; matches that were running when its host ended are void, unless all their
    /// bots can go on.
    ///
    /// # Errors
    /// Another process plays it, it was begun with something else than is asked for, or its files can't be read.
    pub fn open(folder: &Path, wish: &SeasonWish, games: Games) -> Result<Season, Error> {
        let failed = |error| Error::File(folder.into(), error);
        if !folder.join(SETTINGS).exists() {
            wish.try_out()?;
        }
        fs::create_dir_all(folder).map_err(failed)?;
        let folder = fs::canonicalize(folder).map_err(failed)?;
        let claim = Claim::of(folder.join(LOCK))?.ok_or_else(|| {
            let what = "another process plays this ladder; end that, or name another folder";
            Error::Plan(format!("--folder {}: {what}", folder.display()))
        })?;
        let settings = Settings::open(&folder, wish, games)?;
        let terms = settings.sample.terms(games)?;
        let slots = terms.world.slots;
        if wish.at_once > 1 && slots > 1 {
            let what = "--at-once above 1 needs a game in which a bot has one connection";
            return Err(Error::Plan(format!("{what}; here it has {slots}, --clients 1 would do")));
        }
        if !folder.join(SETTINGS).exists() {
            write_pretty(&folder.join(SETTINGS), &settings)?;
        }
        let place = tidy(&folder)?;
        let tournament = played(&place, terms.world.spec.game, games)?;
        let plan = File::options().append(true).open(folder.join(PLAN)).map_err(failed)?;
        publish(&folder, BOTS, &tournament.book)?;
        let [teams, bank, free] = settings.flags;
        let bank = Bank::new(Duration::from_millis(free), Duration::from_secs(bank), FREE_IN_ALL);
        let cut_off = Vec::new();
        let mut season =
            Season { place, teams: teams as usize, terms, bank, tournament, cut_off, plan, _claim: claim };
        // The matches that were running when the last host ended.
        let names = Tokens::read(season.place.path())?;
        let returns: HashSet<Id> =
            names.iter().filter(|name| names.returns(name)).map(zappy_tournament::ladder::id_of).collect();
        let matches = season.place.matches();
        for entry in fs::read_dir(&matches).map_err(|error| Error::File(matches, error))?.flatten() {
            if Place::played_in(&entry.file_name()).is_none() {
                continue;
            }
            let planned = read_json::<Planned>(&entry.path().join(PLANNED), LONGEST);
            let planned = planned.ok().filter(|planned| season.place.unfinished(planned.id) == entry.path());
            match planned.filter(|planned| !season.tournament.results.contains_key(&planned.id)) {
                None => clear(&entry.path())?,
                Some(planned) if planned.seats.iter().all(|bot| returns.contains(bot)) => {
                    season.cut_off.push(planned);
                }
                Some(planned) => season.void(&planned, "the host ended before its result was kept")?,
            }
        }
        Ok(season)
    }

    /// Notes that a match is void, and why.
    ///
    /// # Errors
    /// It can't be written.
    pub fn void(&mut self, planned: &Planned, why: &str) -> Result<(), Error> {
        let names = planned.seats.iter().filter_map(|id| self.tournament.book.bot(*id));
        let names: Vec<&str> = names.map(|bot| bot.name.as_str()).collect();
        let failure = Failure::new(planned.id, format!("{}: void, {why}", names.join(", ")), Vec::new());
        let noted = self.enter_void(planned, failure.clone());
        clear(&self.place.match_folder(planned.id))?;
        clear(&self.place.unfinished(planned.id))?;
        // On a full disk there is room only now that its record is removed.
        noted.or_else(|_| self.enter_void(planned, failure))
    }

    fn enter_void(&mut self, planned: &Planned, failure: Failure) -> Result<(), Error> {
        self.place.note_failure(failure.clone())?;
        self.write_plan(planned)?;
        self.tournament.add(planned.clone(), Err(failure));
        Ok(())
    }

    /// Begins a ladder with the settings of another one, unless one lies in that folder.
    ///
    /// # Errors
    /// The other one holds no ladder, or the folder can't be written to.
    pub fn like(folder: &Path, other: &Path) -> Result<(), Error> {
        if folder.join(SETTINGS).exists() {
            return Ok(());
        }
        let settings = Settings::read(other)?;
        Tokens::begin(folder)?;
        write_pretty(&folder.join(SETTINGS), &settings)
    }

    /// Adds names to the bots.
    ///
    /// # Errors
    /// They can't be written down.
    pub fn note_names(&mut self, names: &[String]) -> Result<(), Error> {
        let known = self.tournament.book.bots.iter().map(|bot| bot.name.as_str());
        let all = book(known.chain(names.iter().map(String::as_str)));
        if all != self.tournament.book {
            self.tournament.book = all;
            publish(self.place.path(), BOTS, &self.tournament.book)?;
        }
        Ok(())
    }

    /// Keeps a match that is over; from then on it counts.
    ///
    /// # Errors
    /// It can't be written; then it is as if it hadn't been played.
    pub fn keep(&mut self, finished: Finished) -> Result<(), Error> {
        let Finished { planned, result, record, unfinished, seconds } = finished;
        let told = result_of(result, &planned, seconds);
        let failed = |error| Error::File(unfinished.clone(), error);
        record.synced().map_err(failed)?;
        let outcome = outcome_of(&told, self.tournament.game, &planned, &self.tournament.book);
        let mut outcome = outcome.map_err(|what| Error::BadResult(unfinished.clone(), what))?;
        write_json_line(&unfinished.join(RESULT), &told)?;
        outcome.record_sha256 = Some(hash_file(&unfinished.join(RECORD)).map_err(failed)?);
        clear(&unfinished.join(SCRATCH))?;
        let folder = self.place.match_folder(planned.id);
        clear(&folder)?;
        fs::rename(&unfinished, &folder).map_err(failed)?;
        self.enter(&planned, outcome.sealed())?;
        // It counts, and what is left behind is removed at the next start.
        let _ = clear(&self.place.unfinished(planned.id));
        Ok(())
    }

    /// Adds a match to the tournament, of which the files lie in its folder.
    fn enter(&mut self, planned: &Planned, outcome: Outcome) -> Result<(), Error> {
        signature::sign(&self.place.match_folder(planned.id), Kind::Match, &[RECORD, RESULT]);
        self.write_plan(planned)?;
        write_json_line(&self.place.result(planned.id), &outcome)?;
        let _ = fs::remove_file(self.place.failure(planned.id));
        self.tournament.add(planned.clone(), Ok(outcome));
        Ok(())
    }

    /// Writes the line of a match, unless it stands in the plan.
    fn write_plan(&mut self, planned: &Planned) -> Result<(), Error> {
        if self.tournament.plan.iter().any(|there| there.id == planned.id) {
            return Ok(());
        }
        let line = format!("{}\n", serde_json::json!(planned));
        let failed = |error| Error::File(self.place.path().join(PLAN), error);
        let length = self.plan.metadata().map_err(failed)?.len();
        let written = self.plan.write_all(line.as_bytes()).and_then(|()| self.plan.sync_data());
        if let Err(error) = written {
            // No other line may follow half of this one.
            let _ = self.plan.set_len(length);
            return Err(failed(error));
        }
        self.tournament.plan.push(planned.clone());
        Ok(())
    }

    /// Adds the matches of other folders of this ladder that aren't here, with their records; gives their number. Matches that are
    /// void there and weren't played here are noted, too.
    ///
    /// # Errors
    /// One of them is no other folder with matches that are played as here, or something can't be copied; then nothing is taken in.
    pub fn merge(&mut self, folders: &[PathBuf], games: Games) -> Result<usize, Error> {
        let (mut names, mut void) = (Vec::new(), Vec::new());
        let mut new: BTreeMap<Id, (Place, Planned, Outcome)> = BTreeMap::new();
        let own = Tokens::read(self.place.path())?;
        for folder in folders {
            let (from, there) = self.other(folder, games)?;
            warn_of_results(&from, &there);
            let theirs = Tokens::read(from.path())?;
            for name in theirs.iter().filter(|name| own.has(name) && !own.has_token_of(&theirs, name)) {
                let folder = folder.display();
                log::warn!(
                    "{name} has another token in {folder}; both count as one bot: rename one if it is another"
                );
            }
            names.extend(there.book.bots.iter().map(|bot| bot.name.clone()));
            for planned in there.plan {
                let id = planned.id;
                let known = self.tournament.results.get(&id).map(|outcome| (&self.place, outcome));
                let known = known.or_else(|| new.get(&id).map(|(place, _, outcome)| (place, outcome)));
                if let Some((place, known)) = known {
                    let ended = |outcome: &Outcome| (outcome.winner, outcome.winners.clone(), outcome.ticks);
                    if there.results.get(&id).is_some_and(|other| ended(other) != ended(known)) {
                        let (one, other) = (place.result(id), from.result(id));
                        let (one, other) = (one.display(), other.display());
                        let what = "the same match ended in two ways; move away what shall not count of";
                        return Err(Error::Plan(format!("--merge: {what} {one} and {other}")));
                    }
                    continue;
                }
                let failure = there.failures.iter().find(|failure| failure.id == id);
                void.extend(failure.map(|failure| (planned.clone(), failure.clone())));
                let played = there.results.get(&id).cloned();
                new.extend(played.map(|outcome| (id, (from.clone(), planned, outcome))));
            }
        }
        let copied = new.iter().try_for_each(|(id, (source, _, outcome))| {
            let (from, to) = (source.match_folder(*id), self.place.unfinished(*id));
            clear(&to)?;
            fs::create_dir_all(&to).map_err(|error| Error::File(to.clone(), error))?;
            [RECORD, RESULT].into_iter().try_for_each(|name| {
                let copied = fs::copy(from.join(name), to.join(name));
                copied.map(drop).map_err(|error| Error::File(from.join(name), error))
            })?;
            // What was copied is judged, whatever becomes of the other one meanwhile.
            let misfit = misfit(&to.join(RECORD), outcome);
            misfit.map_or(Ok(()), |what| Err(Error::Altered(from.join(RECORD), what, source.result(*id))))
        });
        if let Err(error) = copied {
            new.keys().try_for_each(|id| clear(&self.place.unfinished(*id)))?;
            return Err(error);
        }
        self.note_names(&names)?;
        for (id, (_, planned, outcome)) in &new {
            let folder = self.place.match_folder(*id);
            clear(&folder)?;
            fs::rename(self.place.unfinished(*id), &folder).map_err(|error| Error::File(folder, error))?;
            self.enter(planned, outcome.clone())?;
        }
        for (planned, failure) in void {
            let is_known = self.tournament.plan.iter().any(|there| there.id == planned.id);
            if !is_known {
                self.enter_void(&planned, failure)?;
            }
        }
        Ok(new.len())
    }

    /// The tournament in another folder of this ladder.
    fn other(&self, folder: &Path, games: Games) -> Result<(Place, Tournament), Error> {
        let refuse = |what: &str| Error::Plan(format!("--merge {}: {what}", folder.display()));
        let settings = Settings::read(folder)?;
        let words = asked_otherwise(&settings.sample.terms(games)?, &self.terms, None, games);
        if !words.is_empty() {
            return Err(refuse(&format!("it is another ladder: {}", words.join(", "))));
        }
        let from = Place::open(folder).map_err(|_| Error::Book(folder.join(PLAN), LOST.to_owned()))?;
        if from.path() == self.place.path() {
            return Err(refuse("it is the ladder of --folder itself; name that of another host"));
        }
        let there = played(&from, self.tournament.game, games)?;
        Ok((from, there))
    }

    /// Warns of records that aren't those by which the results were judged. The results count all the same.
    pub fn warn_of_records(&self) {
        for id in self.tournament.plan.iter().map(|planned| planned.id) {
            let Some(outcome) = self.tournament.results.get(&id) else { continue };
            let path = self.place.match_folder(id).join(RECORD);
            let Some(what) = misfit(&path, outcome) else { continue };
            let (path, result) = (path.display(), self.place.result(id));
            let result = result.display();
            log::warn!("{path}: {what}. The match counts all the same, unless you move {result} away");
        }
    }
}

/// Warns of matches that were played and have lost their results. They don't count.
pub fn warn_of_results(place: &Place, there: &Tournament) {
    let void: HashSet<Id> = there.failures.iter().map(|failure| failure.id).collect();
    for id in there.plan.iter().map(|planned| planned.id) {
        let (result, folder) = (place.result(id), place.match_folder(id));
        // A host that keeps a match just now is about to write its result.
        let is_lost = !there.results.contains_key(&id) && !void.contains(&id) && folder.exists();
        if is_lost && !place.unfinished(id).exists() {
            let (result, folder) = (result.display(), folder.display());
            let remedy = format!("put a copy of it back, or move {folder} away");
            log::warn!(
                "{result}: it isn't there, though its match was played, which doesn't count; {remedy}"
            );
        }
    }
}

/// Why the record there isn't the one by which the match was judged, in words.
fn misfit(record: &Path, outcome: &Outcome) -> Option<String> {
    match (hash_file(record), &outcome.record_sha256) {
        (Err(error), _) => Some(io_words(&error)),
        (Ok(hash), Some(said)) if hash != *said => {
            Some("it was changed since the match was judged".to_owned())
        }
        _ => None,
    }
}

/// Whether another process hosts the ladder in that folder.
///
/// # Errors
/// The lock can't be made.
pub fn is_hosted(folder: &Path) -> Result<bool, Error> {
    Ok(Claim::of(folder.join(LOCK))?.is_none())
}

/// The tournament in a ladder's folder.
fn played(place: &Place, game: &'static GameSpec, games: Games) -> Result<Tournament, Error> {
    if !place.path().join(BOTS).exists() {
        return Err(Error::Book(place.path().join(BOTS), LOST.to_owned()));
    }
    if !place.plan(|line| line == 0)?.is_empty() {
        return Tournament::read(place.path(), games);
    }
    if let Some(name) = place.result_names()?.first() {
        let (plan, result) = (place.path().join(PLAN), place.results().join(name));
        let (plan, result) = (plan.display(), result.display());
        let remedy = "put a copy of it back, or begin a ladder in another folder";
        let what = format!("{plan}: it was lost or emptied, since {result} is there; {remedy}");
        return Err(Error::Plan(what));
    }
    let (results, plan, failures) = (HashMap::new(), Vec::new(), Vec::new());
    Ok(Tournament { game, book: place.book()?, plan, results, failures })
}

/// Writes a file of a ladder's folder that the site shows, and signs all of them. No other thread does so meanwhile, else one would
/// sign what another one replaces.
///
/// # Errors
/// It can't be written.
pub fn publish(folder: &Path, name: &str, value: &impl Serialize) -> Result<(), Error> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    write_pretty(&folder.join(name), value)?;
    signature::sign(folder, Kind::Ladder, &[BOTS, STANDINGS, LOBBY]);
    Ok(())
}

/// Tries whether the disk has room for another match; nothing of it stays.
///
/// # Errors
/// It has none.
pub fn try_disk(place: &Place) -> Result<(), Error> {
    let path = place.matches().join(".room");
    let written = fs::write(&path, vec![0; ROOM]);
    let _ = fs::remove_file(&path);
    written.map_err(|error| Error::File(path, error))
}

/// Lays down a new ladder's files, and removes half a line with which the plan may end since its disk was full.
fn tidy(folder: &Path) -> Result<Place, Error> {
    let failed = |error: io::Error| Error::File(folder.into(), error);
    if !folder.join(BOTS).exists() && !folder.join(PLAN).exists() {
        write_pretty(&folder.join(BOTS), &book([]))?;
    }
    if !folder.join(PLAN).exists() {
        write_whole(&folder.join(PLAN), b"")?;
    }
    let place = Place::open(folder)?;
    fs::create_dir_all(place.matches()).map_err(failed)?;
    let bytes = fs::read(folder.join(PLAN)).map_err(failed)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let rest = &bytes[whole..];
    if Planned::parse(rest).is_ok() {
        write_whole(&folder.join(PLAN), &[&bytes[..], b"\n"].concat())?;
    } else if !rest.is_empty() && (whole > 0 || place.result_names()?.is_empty()) {
        // A plan that has nothing else and results is damaged, and is named as that.
        write_whole(&folder.join(PLAN), &bytes[..whole])?;
    }
    Ok(place)
}

/// The result of a match between bots that run elsewhere.
fn result_of(result: MatchResult, planned: &Planned, seconds: f64) -> ArenaResult {
    let team = |team: &zappy_server::result::TeamResult| TeamPart {
        team: team.name.clone(),
        came: true,
        ..TeamPart::default()
    };
    let arena = ArenaPart {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed_kind: if planned.seed.is_some() { SeedKind::Open } else { SeedKind::Sealed },
        seconds: Some(seconds),
        teams: result.teams.iter().map(team).collect(),
        ..ArenaPart::default()
    };
    ArenaResult { told: Told::Whole(Box::new(result)), arena: Some(arena) }
}
