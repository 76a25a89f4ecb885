//! The folder of a ladder: a tournament's folder, to which each match is added when it is over.
//!
//! The record of a match is written first, then its line of the plan, then its result, each file whole, so that a host
//! which is killed loses no finished match and leaves no match half written. A match that was running goes on if its
//! bots can return; otherwise it is noted as void: it doesn't count. Tested in `arena/cli/tests/ladder/`.

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
use zappy_server::result::{MatchResult, TeamResult};
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
use crate::settings::{FILE_LOST, SETTINGS, SeasonWish, Settings};

/// Locked by the process that plays the ladder.
const LOCK: &str = ".ladder.lock";
/// The free time of all answers of a bot in a match together; after that no answer is free. A bot that takes 200 ms for
/// each line plays 9,000 rounds in it.
const FREE_IN_ALL: Duration = Duration::from_secs(1_800);
/// The longest `planned.json`, in bytes.
const LONGEST_PLANNED: u64 = 64 << 10;
/// How many bytes must be free before a match begins on a disk that was full.
const LEAST_FREE: usize = 4 << 20;
/// The folder of a running match with the address at which it is watched; removed at its end.
pub const SCRATCH: &str = ".arena-live";
/// The file with the result of a match, in the match's folder.
const RESULT: &str = "result.json";
/// Why a match is void if it was running when the host ended.
pub const ENDED: &str = "the host ended while it was played";
/// The file with the plan's line of a match that isn't over, in the match's folder.
pub const PLANNED: &str = "planned.json";

/// A match that is over.
#[derive(Debug)]
pub struct Finished {
    pub planned: Planned,
    pub result: MatchResult,
    pub record: RecordFile,
    /// The folder of its record until the match counts.
    pub unfinished: PathBuf,
    /// How long the match took.
    pub seconds: f64,
}

#[derive(Debug)]
pub struct Season {
    pub place: Place,
    /// How many bots play in a match.
    pub teams: usize,
    pub terms: Terms,
    /// The limit for all think times of a bot in a match together.
    pub bank: Bank,
    /// The matches that were played so far.
    pub tournament: Tournament,
    /// The matches that were running when the last host ended and can go on.
    pub cut_off: Vec<Planned>,
    /// The file of the plan, open to append lines.
    plan: File,
    _claim: Claim,
}

impl Season {
    /// Opens the ladder in that folder, or begins it there; matches that were running when its host ended are void, unless all their
    /// bots can go on.
    ///
    /// # Errors
    /// Another process plays the ladder, it was begun with other settings, or its files can't be read.
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
        let place = prepare(&folder)?;
        let tournament = read_tournament(&place, terms.world.spec.game, games)?;
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
            names.iter().filter(|name| names.can_return(name)).map(zappy_tournament::ladder::id_of).collect();
        let matches = season.place.matches();
        for entry in fs::read_dir(&matches).map_err(|error| Error::File(matches, error))?.flatten() {
            if Place::played_in(&entry.file_name()).is_none() {
                continue;
            }
            let planned = read_json::<Planned>(&entry.path().join(PLANNED), LONGEST_PLANNED);
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

    /// Notes that a match is void, and why; removes its record.
    ///
    /// # Errors
    /// The note can't be written.
    pub fn void(&mut self, planned: &Planned, why: &str) -> Result<(), Error> {
        let names = planned.seats.iter().filter_map(|id| self.tournament.book.bot(*id));
        let names: Vec<&str> = names.map(|bot| bot.name.as_str()).collect();
        let failure = Failure::new(planned.id, format!("{}: void, {why}", names.join(", ")), Vec::new());
        let noted = self.add_void(planned, failure.clone());
        clear(&self.place.match_folder(planned.id))?;
        clear(&self.place.unfinished(planned.id))?;
        // On a full disk there may be room for the note only now that the record is removed.
        noted.or_else(|_| self.add_void(planned, failure))
    }

    /// Adds a void match to the tournament.
    fn add_void(&mut self, planned: &Planned, failure: Failure) -> Result<(), Error> {
        self.place.note_failure(failure.clone())?;
        self.append_to_plan(planned)?;
        self.tournament.add(planned.clone(), Err(failure));
        Ok(())
    }

    /// Begins a ladder with the settings of the ladder in `other`, unless there is one in the folder already.
    ///
    /// # Errors
    /// There is no ladder in `other`, or the folder can't be written to.
    pub fn begin_like(folder: &Path, other: &Path) -> Result<(), Error> {
        if folder.join(SETTINGS).exists() {
            return Ok(());
        }
        let settings = Settings::read(other)?;
        Tokens::begin(folder)?;
        write_pretty(&folder.join(SETTINGS), &settings)
    }

    /// Adds these names to the tournament's bots, unless they are there already.
    ///
    /// # Errors
    /// The file of the bots can't be written.
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
    /// The match can't be written; then it doesn't count.
    pub fn keep(&mut self, finished: Finished) -> Result<(), Error> {
        let Finished { planned, result, record, unfinished, seconds } = finished;
        // The bots run elsewhere, so no more is known of a team than that it came.
        let team =
            |team: &TeamResult| TeamPart { team: team.name.clone(), came: true, ..TeamPart::default() };
        let arena = ArenaPart {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed_kind: if planned.seed.is_some() { SeedKind::Open } else { SeedKind::Sealed },
            seconds: Some(seconds),
            teams: result.teams.iter().map(team).collect(),
            ..ArenaPart::default()
        };
        let result = ArenaResult { told: Told::Whole(Box::new(result)), arena: Some(arena) };
        let failed = |error| Error::File(unfinished.clone(), error);
        record.synced().map_err(failed)?;
        let outcome = outcome_of(&result, self.tournament.game, &planned, &self.tournament.book);
        let mut outcome = outcome.map_err(|what| Error::BadResult(unfinished.clone(), what))?;
        write_json_line(&unfinished.join(RESULT), &result)?;
        outcome.record_sha256 = Some(hash_file(&unfinished.join(RECORD)).map_err(failed)?);
        clear(&unfinished.join(SCRATCH))?;
        let folder = self.place.match_folder(planned.id);
        clear(&folder)?;
        fs::rename(&unfinished, &folder).map_err(failed)?;
        self.add_played(&planned, outcome.sealed())?;
        // The match counts; what can't be removed now is removed at the next start.
        let _ = clear(&self.place.unfinished(planned.id));
        Ok(())
    }

    /// Adds a match to the tournament; its record and result lie in its folder already.
    fn add_played(&mut self, planned: &Planned, outcome: Outcome) -> Result<(), Error> {
        signature::sign(&self.place.match_folder(planned.id), Kind::Match, &[RECORD, RESULT]);
        self.append_to_plan(planned)?;
        write_json_line(&self.place.result(planned.id), &outcome)?;
        let _ = fs::remove_file(self.place.failure(planned.id));
        self.tournament.add(planned.clone(), Ok(outcome));
        Ok(())
    }

    /// Appends the line of a match to the plan, unless the plan has it.
    fn append_to_plan(&mut self, planned: &Planned) -> Result<(), Error> {
        if self.tournament.plan.iter().any(|known| known.id == planned.id) {
            return Ok(());
        }
        let line = format!("{}\n", serde_json::json!(planned));
        let failed = |error| Error::File(self.place.path().join(PLAN), error);
        let length = self.plan.metadata().map_err(failed)?.len();
        let written = self.plan.write_all(line.as_bytes()).and_then(|()| self.plan.sync_data());
        if let Err(error) = written {
            // The next line must not follow a part of this one.
            let _ = self.plan.set_len(length);
            return Err(failed(error));
        }
        self.tournament.plan.push(planned.clone());
        Ok(())
    }

    /// Adds the matches of other hosts of this ladder, which lie in these folders, with their records, unless they are
    /// known; gives the number of new matches. Void matches are added, too, if they aren't known.
    ///
    /// # Errors
    /// A folder isn't that of another host of this ladder, or a file can't be copied; then no match is added.
    pub fn merge(&mut self, folders: &[PathBuf], games: Games) -> Result<usize, Error> {
        let (mut names, mut void) = (Vec::new(), Vec::new());
        let mut new: BTreeMap<Id, (Place, Planned, Outcome)> = BTreeMap::new();
        let own = Tokens::read(self.place.path())?;
        for folder in folders {
            let (from, other) = self.read_other(folder, games)?;
            warn_of_results(&from, &other);
            let theirs = Tokens::read(from.path())?;
            for name in theirs.iter().filter(|name| own.has(name) && !own.has_token_of(&theirs, name)) {
                let folder = folder.display();
                log::warn!(
                    "{name} has another token in {folder}; both count as one bot: rename one if it is another"
                );
            }
            names.extend(other.book.bots.iter().map(|bot| bot.name.clone()));
            for planned in other.plan {
                let id = planned.id;
                let known = self.tournament.results.get(&id).map(|outcome| (&self.place, outcome));
                let known = known.or_else(|| new.get(&id).map(|(place, _, outcome)| (place, outcome)));
                if let Some((place, known)) = known {
                    let ended = |outcome: &Outcome| (outcome.winner, outcome.winners.clone(), outcome.ticks);
                    if other.results.get(&id).is_some_and(|theirs| ended(theirs) != ended(known)) {
                        let (one, two) = (place.result(id), from.result(id));
                        let (one, two) = (one.display(), two.display());
                        let what = "the same match ended in two ways; move away what shall not count of";
                        return Err(Error::Plan(format!("--merge: {what} {one} and {two}")));
                    }
                    continue;
                }
                let failure = other.failures.iter().find(|failure| failure.id == id);
                void.extend(failure.map(|failure| (planned.clone(), failure.clone())));
                let played = other.results.get(&id).cloned();
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
            // The copy is compared, since the original may change meanwhile.
            let mismatch = record_mismatch(&to.join(RECORD), outcome);
            mismatch.map_or(Ok(()), |what| Err(Error::Altered(from.join(RECORD), what, source.result(*id))))
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
            self.add_played(planned, outcome.clone())?;
        }
        for (planned, failure) in void {
            let is_known = self.tournament.plan.iter().any(|known| known.id == planned.id);
            if !is_known {
                self.add_void(&planned, failure)?;
            }
        }
        Ok(new.len())
    }

    /// The matches of another host of this ladder, in that folder.
    fn read_other(&self, folder: &Path, games: Games) -> Result<(Place, Tournament), Error> {
        let refuse = |what: &str| Error::Plan(format!("--merge {}: {what}", folder.display()));
        let settings = Settings::read(folder)?;
        let words = asked_otherwise(&settings.sample.terms(games)?, &self.terms, None, games);
        if !words.is_empty() {
            return Err(refuse(&format!("it is another ladder: {}", words.join(", "))));
        }
        let from = Place::open(folder).map_err(|_| Error::Book(folder.join(PLAN), FILE_LOST.to_owned()))?;
        if from.path() == self.place.path() {
            return Err(refuse("it is the ladder of --folder itself; name that of another host"));
        }
        let tournament = read_tournament(&from, self.tournament.game, games)?;
        Ok((from, tournament))
    }

    /// Warns of records that were changed or lost since their matches were judged. The results count all the same.
    pub fn warn_of_records(&self) {
        for id in self.tournament.plan.iter().map(|planned| planned.id) {
            let Some(outcome) = self.tournament.results.get(&id) else { continue };
            let path = self.place.match_folder(id).join(RECORD);
            let Some(what) = record_mismatch(&path, outcome) else { continue };
            let (path, result) = (path.display(), self.place.result(id));
            let result = result.display();
            log::warn!("{path}: {what}. The match counts all the same, unless you move {result} away");
        }
    }
}

/// Warns of matches that were played and have lost their results, so that they don't count.
pub fn warn_of_results(place: &Place, tournament: &Tournament) {
    let void: HashSet<Id> = tournament.failures.iter().map(|failure| failure.id).collect();
    for id in tournament.plan.iter().map(|planned| planned.id) {
        let (result, folder) = (place.result(id), place.match_folder(id));
        // If the unfinished folder exists, a host may be about to write the result.
        let is_lost = !tournament.results.contains_key(&id) && !void.contains(&id) && folder.exists();
        if is_lost && !place.unfinished(id).exists() {
            let (result, folder) = (result.display(), folder.display());
            let remedy = format!("put a copy of it back, or move {folder} away");
            log::warn!(
                "{result}: it isn't there, though its match was played, which doesn't count; {remedy}"
            );
        }
    }
}

/// Why the record at that path isn't the one by which the match was judged, in words; `None`: it is.
fn record_mismatch(record: &Path, outcome: &Outcome) -> Option<String> {
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

/// Reads the tournament in a ladder's folder, which may have no match yet.
fn read_tournament(place: &Place, game: &'static GameSpec, games: Games) -> Result<Tournament, Error> {
    if !place.path().join(BOTS).exists() {
        return Err(Error::Book(place.path().join(BOTS), FILE_LOST.to_owned()));
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

/// Writes one of the files of a ladder's folder that the site shows, and signs all of them. Only one thread at a time
/// does this, so that none signs a file that another thread is replacing.
///
/// # Errors
/// The file can't be written.
pub fn publish(folder: &Path, name: &str, value: &impl Serialize) -> Result<(), Error> {
    static PUBLISHING: Mutex<()> = Mutex::new(());
    let _guard = PUBLISHING.lock();
    write_pretty(&folder.join(name), value)?;
    signature::sign(folder, Kind::Ladder, &[BOTS, STANDINGS, LOBBY]);
    Ok(())
}

/// Tries whether the disk has room for another match, with a file that is removed at once.
///
/// # Errors
/// The disk has no room.
pub fn try_disk(place: &Place) -> Result<(), Error> {
    let path = place.matches().join(".room");
    let written = fs::write(&path, vec![0; LEAST_FREE]);
    let _ = fs::remove_file(&path);
    written.map_err(|error| Error::File(path, error))
}

/// Writes the files of a new ladder. If the last line of the plan has no end, which a full disk may leave, completes or
/// removes it.
fn prepare(folder: &Path) -> Result<Place, Error> {
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
    let last_line = &bytes[whole..];
    if Planned::parse(last_line).is_ok() {
        write_whole(&folder.join(PLAN), &[&bytes[..], b"\n"].concat())?;
    } else if !last_line.is_empty() && (whole > 0 || place.result_names()?.is_empty()) {
        // If the plan has no other line although there are results, it is damaged: it stays, and reading it is an
        // error.
        write_whole(&folder.join(PLAN), &bytes[..whole])?;
    }
    Ok(place)
}
