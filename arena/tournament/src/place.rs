//! The folder of a tournament: the paths of its files, and which of them exist already.
//!
//! A file of the tournament exists whole or not at all. Never removes a result. Tested in
//! `arena/cli/tests/tournament/`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zappy_play::os;
use zappy_play::proof::Suspicion;
use zappy_play::result::ArenaResult;
use zappy_server::files;

use super::Error;
use super::bots::Book;
use super::identity::Id;
use super::outcome::Outcome;
use super::plan::{MOST_MATCHES, Planned};
use super::seeds::{RANDOM_DEVICE, Seeds};
use super::variants::differing_terms;
pub use super::whole::{clear, read_json, write_json_line, write_pretty, write_whole};
use super::whole::{is_link, partial, read_limited, write_with_mode};

/// The bots of a tournament.
pub const BOTS: &str = "bots.json";
pub const PLAN: &str = "plan.jsonl";
/// The seeds that the plan names by their hashes, one per line.
const SEEDS: &str = "seeds";
/// The folder of the matches' results.
const RESULTS: &str = "results";
const MATCHES: &str = "matches";
const FAILED: &str = "failed";
/// The folder of the report, if no other one is named.
pub const MERGED: &str = "merged";
/// The file with the grade of a submission, beside the folder of its matches.
pub const STUDENT: &str = "student.json";
/// The longest `bots.json`, in bytes: commands and environments of many bots.
const LONGEST_BOOK: u64 = 64 << 20;
/// The longest line of a plan, in bytes: a hundred seats.
const LONGEST_LINE: u64 = 16 << 10;
/// The longest file of seeds, in bytes: that of the largest plan.
const LONGEST_SEEDS: u64 = 21_000_000;
/// The longest outcome of a match, and the longest failure, in bytes.
const LONGEST_RESULT: u64 = 1 << 20;
/// The longest `result.json`, in bytes.
const LONGEST_ARENA_RESULT: u64 = 64 << 20;
/// The most files of a folder that are looked at, leftovers of half-written ones included.
const MOST_FILES: usize = 2 * MOST_MATCHES;

/// Why a match has no result, though it was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub id: Id,
    /// Why the last try failed, in words.
    pub why: String,
    /// How often the match was tried in vain.
    #[serde(default = "one_try")]
    pub tries: u32,
    /// Whether something other than the arena ended the match.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspicious: bool,
    /// The seats that were losing when the match was ended and could have ended it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gained: Vec<usize>,
    /// The seats that spoiled the match by a foul or by using more of the machine than they may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spoiled_by: Vec<usize>,
}

fn one_try() -> u32 {
    1
}

impl Failure {
    /// A try that failed, and the seats that spoiled it.
    pub fn new(id: Id, why: String, spoiled_by: Vec<usize>) -> Failure {
        Failure { id, why, tries: 1, suspicious: false, gained: Vec::new(), spoiled_by }
    }

    /// A try that something other than the arena ended, and the seats that spoiled it.
    pub fn suspicious(id: Id, Suspicion { why, gained }: Suspicion, spoiled_by: Vec<usize>) -> Failure {
        Failure { suspicious: true, gained, ..Failure::new(id, why, spoiled_by) }
    }
}

/// The folder of a tournament.
#[derive(Debug, Clone)]
pub struct Place(PathBuf);

impl Place {
    /// Writes a new tournament into a folder; false if exactly this tournament lies there already.
    ///
    /// # Errors
    /// Another tournament or other files lie there, or the folder can't be written to.
    pub fn create(path: &Path, book: &Book, plan: &[Planned], seeds: &Seeds) -> Result<bool, Error> {
        let failed = |error| Error::Out(path.into(), error);
        let (bots, lines) = contents(book, plan).map_err(failed)?;
        os::new_folder(path).map_err(failed)?;
        let place = Place(path.to_path_buf());
        if place.0.join(PLAN).exists() {
            if has_content(&place.0.join(BOTS), &bots) && has_content(&place.0.join(PLAN), &lines) {
                return Ok(false);
            }
            return Err(Error::Plan(format!(
                "--out {}: another tournament was planned there: {}; choose another folder, or ask for the same again",
                path.display(),
                place.difference(book, plan)
            )));
        }
        for entry in fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            // A call that was killed may have left one of the files, or a part of one.
            let parts = [BOTS, PLAN, SEEDS].map(|ours| partial(&path.join(ours)));
            if name != BOTS && name != SEEDS && !parts.contains(&path.join(&name)) {
                return Err(Error::Foreign(path.into(), name, "no tournament's"));
            }
        }
        place.write_sealed_seeds(seeds.sealed())?;
        write_whole(&place.0.join(BOTS), &bots)?;
        write_whole(&place.0.join(PLAN), &lines)?;
        Ok(true)
    }

    /// Writes bots, plan and sealed seeds into a folder to which matches are added later; a file with the same content
    /// stays untouched.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn update(path: &Path, book: &Book, plan: &[Planned], sealed: &[u64]) -> Result<Place, Error> {
        let failed = |error| Error::Out(path.into(), error);
        let place = Place(path.to_path_buf());
        let (bots, lines) = contents(book, plan).map_err(failed)?;
        place.write_sealed_seeds(sealed)?;
        write_if_changed(&place.0.join(BOTS), &bots, 0o666)?;
        write_if_changed(&place.0.join(PLAN), &lines, 0o666)?;
        Place::open(path)
    }

    /// How the tournament in the folder differs from this one, in words.
    fn difference(&self, book: &Book, plan: &[Planned]) -> String {
        let (Ok(bots), Ok(first)) = (self.book(), self.plan(|line| line == 0)) else {
            return "its files can't be read".to_owned();
        };
        let mut words = differing_terms(first.first(), plan.first());
        let missing = |all: &Book, others: &Book, what: &str| {
            let missing = all.bots.iter().find(|bot| others.bot(bot.id).is_none());
            missing.map(|bot| format!("the bot {} as it is {what} isn't among the others", bot.name))
        };
        words.extend(missing(&bots, book, "there").or_else(|| missing(book, &bots, "here")));
        if words.is_empty() {
            let other =
                "it has other seeds, or more or fewer matches (--seeds, --first, --against, --teams, --vary)";
            words.push(other.to_owned());
        }
        words.join(", ")
    }

    /// Opens the tournament in that folder.
    ///
    /// # Errors
    /// No tournament was planned in that folder.
    pub fn open(path: &Path) -> Result<Place, Error> {
        let place = fs::canonicalize(path).ok().map(Place).filter(|place| place.0.join(PLAN).is_file());
        place.ok_or_else(|| {
            let remedy = "do that with zappy_arena tournament plan";
            Error::Plan(format!("{}: no tournament was planned there; {remedy}", path.display()))
        })
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn seeds_file(&self) -> PathBuf {
        self.0.join(SEEDS)
    }

    /// The folder of the results.
    pub fn results(&self) -> PathBuf {
        self.0.join(RESULTS)
    }

    /// The folder with a folder for each match.
    pub fn matches(&self) -> PathBuf {
        self.0.join(MATCHES)
    }

    /// The result of a match.
    pub fn result(&self, id: Id) -> PathBuf {
        self.results().join(format!("{id}.json"))
    }

    /// The file that says why a match has no result.
    pub fn failure(&self, id: Id) -> PathBuf {
        self.0.join(FAILED).join(format!("{id}.json"))
    }

    /// The folder with the record and the logs of a match.
    pub fn match_folder(&self, id: Id) -> PathBuf {
        self.matches().join(id.to_string())
    }

    /// The folder in which a match lies while it is played.
    pub fn unfinished(&self, id: Id) -> PathBuf {
        self.matches().join(format!(".{id}.tmp"))
    }

    /// The match that is being played in the folder with this name.
    pub fn played_in(name: &OsStr) -> Option<Id> {
        Id::parse(name.to_str()?.strip_prefix('.')?.strip_suffix(".tmp")?)
    }

    /// The file that a process keeps locked while it plays the match.
    pub fn lock(&self, id: Id) -> PathBuf {
        self.matches().join(format!(".{id}.lock"))
    }

    /// The bots.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn book(&self) -> Result<Book, Error> {
        let path = self.0.join(BOTS);
        read_json(&path, LONGEST_BOOK).map_err(|error| match error {
            Error::Bad { path, what, .. } => Error::Book(path, what),
            error => error,
        })
    }

    /// The plan, or only the lines that `wanted` picks by their number, counted from 0.
    ///
    /// # Errors
    /// When it can't be read, or a line is no match.
    pub fn plan(&self, wanted: impl Fn(usize) -> bool) -> Result<Vec<Planned>, Error> {
        let path = self.0.join(PLAN);
        let failed = |error| Error::File(path.clone(), error);
        let mut reader = BufReader::new(files::open(&path).map_err(failed)?);
        let (mut plan, mut line) = (Vec::new(), Vec::new());
        for number in 1.. {
            line.clear();
            if reader.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line).map_err(failed)? == 0 {
                break;
            }
            let wrong = |what| Error::Bad { path: path.clone(), line: number, what };
            if line.len() as u64 > LONGEST_LINE || number > MOST_MATCHES {
                let what = format!("the limit is {MOST_MATCHES} lines of {} KiB", LONGEST_LINE >> 10);
                return Err(wrong(what));
            }
            if wanted(number - 1) {
                plan.push(Planned::parse(&line).map_err(wrong)?);
            }
        }
        Ok(plan)
    }

    /// The `count` seeds for a plan in that folder. If `first` is given, they count up from it; without it they count
    /// up from 1 if a plan in the folder does. Otherwise they are the seeds that were drawn for the folder earlier, so
    /// that the same tournament can be asked for again. If the folder holds none, or another number of them, they are
    /// drawn now.
    ///
    /// # Errors
    /// There aren't that many seeds, or they can't be read or drawn.
    pub fn seeds(path: &Path, first: Option<u64>, count: u64) -> Result<Seeds, Error> {
        let place = Place(path.to_path_buf());
        let first = first.or_else(|| {
            let plan = place.plan(|line| line == 0).ok().filter(|_| place.0.join(PLAN).exists())?;
            plan.first().is_some_and(|planned| planned.seed == Some(1)).then_some(1)
        });
        if let Some(first) = first {
            let end = first.checked_add(count);
            let too_many = || Error::Plan(format!("--first: from seed {first} on there are not {count}"));
            return Ok(Seeds::Open(first..end.ok_or_else(too_many)?));
        }
        let earlier = if place.seeds_file().exists() { place.sealed_seeds()? } else { Vec::new() };
        if earlier.len() as u64 == count {
            return Ok(Seeds::Sealed(earlier));
        }
        Seeds::draw(count).map_err(|error| Error::File(RANDOM_DEVICE.into(), error))
    }

    /// Writes the sealed seeds of a class into its folder, where [`Place::seeds`] finds them for every student; seeds
    /// that lie there already stay.
    ///
    /// # Errors
    /// They can't be written.
    pub fn write_seeds(path: &Path, seeds: &Seeds) -> Result<(), Error> {
        let place = Place(path.to_path_buf());
        if place.seeds_file().exists() { Ok(()) } else { place.write_sealed_seeds(seeds.sealed()) }
    }

    fn write_sealed_seeds(&self, seeds: &[u64]) -> Result<(), Error> {
        let lines: String = seeds.iter().map(|seed| format!("{seed}\n")).collect();
        if seeds.is_empty() { Ok(()) } else { write_if_changed(&self.seeds_file(), lines.as_bytes(), 0o600) }
    }

    /// The seeds that the plan names by their hashes.
    pub(super) fn sealed_seeds(&self) -> Result<Vec<u64>, Error> {
        let path = self.seeds_file();
        let bytes = read_limited(&path, LONGEST_SEEDS)?;
        let text = String::from_utf8_lossy(&bytes);
        let wrong =
            |number| Error::Bad { path: path.clone(), line: number, what: "it is no seed".to_owned() };
        text.lines().zip(1..).map(|(line, number)| line.parse().map_err(|_| wrong(number))).collect()
    }

    /// The seed of a match.
    ///
    /// # Errors
    /// The seed is sealed, and the file of seeds can't be read or doesn't hold it.
    pub fn seed(&self, planned: &Planned) -> Result<u64, Error> {
        if let Some(seed) = planned.seed {
            return Ok(seed);
        }
        let seeds = self.sealed_seeds()?;
        seeds.into_iter().find(|&seed| planned.is_of_seed(seed)).ok_or_else(|| {
            Error::Plan(format!(
                "{}: no line of it is the seed of match {}; put the file back, or plan the tournament again in another folder",
                self.seeds_file().display(),
                planned.id
            ))
        })
    }

    /// The matches that have a result.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn played(&self) -> Result<BTreeSet<Id>, Error> {
        ids(&self.results())
    }

    /// The file names of the whole results, sorted.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn result_names(&self) -> Result<BTreeSet<String>, Error> {
        whole_files(&self.results())
    }

    /// The outcome of a match.
    ///
    /// # Errors
    /// The match has no result, or the result can't be read or was changed since the match was judged.
    pub fn outcome(&self, id: Id) -> Result<Outcome, Error> {
        let path = self.result(id);
        let outcome: Outcome = read_result(&path)?;
        if outcome.sha256.as_ref().is_none_or(|hash| *hash == outcome.hash()) {
            return Ok(outcome);
        }
        let what = "it was changed since the match was judged: its sha256 doesn't fit";
        Err(Error::BadResult(path, what.to_owned()))
    }

    /// The `result.json` in the match's folder; `None` if it is missing or can't be read.
    pub fn arena_result(&self, id: Id) -> Option<ArenaResult> {
        read_json(&self.match_folder(id).join("result.json"), LONGEST_ARENA_RESULT).ok()
    }

    /// The matches that were tried and have no result, with the reasons.
    ///
    /// # Errors
    /// One of their files can't be read.
    pub fn failures(&self) -> Result<Vec<Failure>, Error> {
        ids(&self.0.join(FAILED))?.into_iter().map(|id| read_result(&self.failure(id))).collect()
    }

    /// Why earlier tries of a match failed, with their number, and the seats that gained by it; `None` if none failed.
    pub fn earlier_tries(&self, id: Id) -> Option<Suspicion> {
        let Failure { why, tries, gained, .. } = read_result(&self.failure(id)).ok()?;
        let why = if tries > 1 { format!("{why} ({tries} tries failed)") } else { why };
        Some(Suspicion { why, gained })
    }

    /// Notes that a try of a match failed, beside what earlier ones left.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn note_failure(&self, mut failure: Failure) -> Result<(), Error> {
        let id = failure.id;
        if let Ok(before) = read_result::<Failure>(&self.failure(id)) {
            failure.tries = before.tries.saturating_add(1);
            failure.suspicious |= before.suspicious;
            if failure.gained.is_empty() {
                failure.gained = before.gained;
            }
            if failure.spoiled_by.is_empty() {
                failure.spoiled_by = before.spoiled_by;
            }
        }
        write_json_line(&self.failure(id), &failure)
    }
}

/// Whether a file has that content. Of a longer file no more is read.
fn has_content(path: &Path, wanted: &[u8]) -> bool {
    files::read(path, wanted.len() as u64).is_ok_and(|content| content == wanted)
}

/// Writes a file, unless it has that content.
fn write_if_changed(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
    if has_content(path, bytes) { Ok(()) } else { write_with_mode(path, bytes, mode) }
}

/// The contents of the files of the bots and of the plan.
fn contents(book: &Book, plan: &[Planned]) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bots = serde_json::to_vec_pretty(book)?;
    bots.push(b'\n');
    let mut lines = Vec::new();
    for planned in plan {
        serde_json::to_writer(&mut lines, planned)?;
        lines.push(b'\n');
    }
    Ok((bots, lines))
}

/// The names of the whole files in a folder, sorted; empty if there is no folder.
fn whole_files(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let failed = |error| Error::File(folder.into(), error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = BTreeSet::new();
    for (count, entry) in entries.enumerate() {
        if count == MOST_FILES {
            return Err(Error::TooMuch(folder.into(), format!("more than {MOST_FILES} files")));
        }
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && name.ends_with(".json") {
            names.insert(name);
        }
    }
    Ok(names)
}

/// The matches that have a file in a folder; empty if there is no folder.
fn ids(folder: &Path) -> Result<BTreeSet<Id>, Error> {
    let names = whole_files(folder)?;
    Ok(names.iter().filter_map(|name| Id::parse(name.strip_suffix(".json")?)).collect())
}

/// Reads a match's result. A bad file is an error of its own kind, since it spoils this match and no other.
fn read_result<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    read_json(path, LONGEST_RESULT).map_err(|error| match error {
        Error::Bad { path, what, .. } => Error::BadResult(path, what),
        Error::File(path, error) if is_link(&path) => Error::BadResult(path, error.to_string()),
        error => error,
    })
}
