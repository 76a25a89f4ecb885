//! The folder of a tournament: what lies where, and what of it is there already.
//!
//! Every file in it that counts is there whole or not at all. Never removes a result. Tested in
//! `arena/cli/tests/tournament/`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
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
use super::plan::{MOST_MATCHES, Planned, other_terms};
use super::seeds::Seeds;
pub use super::whole::{clear, read_json, write_whole, write_with};

/// The bots of a tournament.
pub const BOTS: &str = "bots.json";
/// Its matches.
pub const PLAN: &str = "plan.jsonl";
/// The seeds that the plan names by their hashes, one per line.
const SEEDS: &str = "seeds";
/// The folder of what came of them.
const RESULTS: &str = "results";
const MATCHES: &str = "matches";
const FAILED: &str = "failed";
/// The longest `bots.json`: commands and environments of many bots.
const LONGEST_BOOK: u64 = 64 << 20;
/// The longest line of a plan: a hundred seats.
const LONGEST_LINE: u64 = 16 << 10;
/// The longest file of seeds: that of the largest plan.
const LONGEST_SEEDS: u64 = 21_000_000;
/// The longest result of a match, and the longest reason why it has none.
const LONGEST_RESULT: u64 = 1 << 20;
/// The longest `result.json`.
const LONGEST_REPORT: u64 = 64 << 20;
/// Files in a folder that are looked at: also what half-written ones leave.
const MOST_FILES: usize = 2 * MOST_MATCHES;

/// What is said of a result that doesn't fit its hash.
const CHANGED: &str = "it was changed since the match was judged: its sha256 doesn't fit";

/// Why a match has no result, though it was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub id: Id,
    /// What went wrong the last time.
    pub why: String,
    /// How often it was tried in vain.
    #[serde(default = "once")]
    pub tries: u32,
    /// Whether something else than the arena ended it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspicious: bool,
    /// The seats that stood behind then, and could have done it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gained: Vec<usize>,
    /// The seats whose use of the machine, or whose foul, spoiled it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spoiled_by: Vec<usize>,
}

fn once() -> u32 {
    1
}

#[derive(Debug, Clone)]
pub struct Place(PathBuf);

impl Place {
    /// Lays a tournament down in a folder; false if the very same lies there already.
    ///
    /// # Errors
    /// When something else is there, or it can't be written to.
    pub fn lay_down(path: &Path, book: &Book, plan: &[Planned], seeds: &Seeds) -> Result<bool, Error> {
        let failed = |error| Error::Out(path.into(), error);
        let (bots, lines) = bytes(book, plan).map_err(failed)?;
        os::new_folder(path).map_err(failed)?;
        let place = Place(path.to_path_buf());
        if place.plan_file().exists() {
            let same = |path: &Path, wanted: &[u8]| {
                // What is longer is another one, and isn't read.
                files::read(path, wanted.len() as u64).is_ok_and(|there| there == wanted)
            };
            if same(&place.bots_file(), &bots) && same(&place.plan_file(), &lines) {
                return Ok(false);
            }
            return Err(Error::OtherTournament(path.into(), place.difference(book, plan)));
        }
        for entry in fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            // A call that was killed may have left one of the files, or half of one.
            if name != BOTS && name != SEEDS && !is_hidden(&name) {
                return Err(Error::Foreign(path.into(), name));
            }
        }
        place.keep_sealed(seeds)?;
        write_whole(&place.bots_file(), &place.hidden(BOTS), &bots)?;
        write_whole(&place.plan_file(), &place.hidden(PLAN), &lines)?;
        Ok(true)
    }

    /// Lays down bots, plan and sealed seeds in a folder to which matches come by and by; what lies there and is the same
    /// stays untouched.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn lay_out(path: &Path, book: &Book, plan: &[Planned], sealed: &[u64]) -> Result<Place, Error> {
        let failed = |error| Error::Out(path.into(), error);
        let place = Place(path.to_path_buf());
        let (bots, lines) = bytes(book, plan).map_err(failed)?;
        let seeds: String = sealed.iter().map(|seed| format!("{seed}\n")).collect();
        let write = |file: &Path, name: &str, bytes: &[u8], mode| {
            let same = files::read(file, bytes.len() as u64).is_ok_and(|there| there == bytes);
            if same { Ok(()) } else { write_with(file, &place.hidden(name), bytes, mode) }
        };
        if !sealed.is_empty() {
            write(&place.seeds_file(), SEEDS, seeds.as_bytes(), 0o600)?;
        }
        write(&place.bots_file(), BOTS, &bots, 0o666)?;
        write(&place.plan_file(), PLAN, &lines, 0o666)?;
        Place::open(path)
    }

    /// In what the tournament that lies there differs from this one, in words.
    fn difference(&self, book: &Book, plan: &[Planned]) -> String {
        let (Ok(bots), Ok(first)) = (self.book(), self.plan(|line| line == 0)) else {
            return "its files can't be read".to_owned();
        };
        let mut words = other_terms(first.first(), plan.first());
        let missing = |all: &Book, others: &Book, what: &str| {
            let lacks = all.bots.iter().find(|bot| others.bot(bot.id).is_none());
            lacks.map(|bot| format!("the bot {} as it is {what} isn't among the others", bot.name))
        };
        words.extend(missing(&bots, book, "there").or_else(|| missing(book, &bots, "here")));
        if words.is_empty() {
            words.push(
                "it has other seeds, or more or fewer matches (--seeds, --first, --against, --teams)"
                    .to_owned(),
            );
        }
        words.join(", ")
    }

    /// The tournament in that folder.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(path: &Path) -> Result<Place, Error> {
        let absolute = fs::canonicalize(path).map_err(|_| Error::NoTournament(path.into()))?;
        let place = Place(absolute);
        if place.plan_file().is_file() { Ok(place) } else { Err(Error::NoTournament(path.into())) }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn bots_file(&self) -> PathBuf {
        self.0.join(BOTS)
    }

    fn plan_file(&self) -> PathBuf {
        self.0.join(PLAN)
    }

    fn seeds_file(&self) -> PathBuf {
        self.0.join(SEEDS)
    }

    fn hidden(&self, name: &str) -> PathBuf {
        self.0.join(format!(".{name}.new"))
    }

    /// The folder of the results.
    #[must_use]
    pub fn results(&self) -> PathBuf {
        self.0.join(RESULTS)
    }

    /// The folder of what matches leave.
    #[must_use]
    pub fn matches(&self) -> PathBuf {
        self.0.join(MATCHES)
    }

    /// The result of a match.
    #[must_use]
    pub fn result(&self, id: Id) -> PathBuf {
        self.results().join(format!("{id}.json"))
    }

    /// Why a match has none.
    #[must_use]
    pub fn failure(&self, id: Id) -> PathBuf {
        self.0.join(FAILED).join(format!("{id}.json"))
    }

    /// Record, logs and all that a match leaves.
    #[must_use]
    pub fn match_folder(&self, id: Id) -> PathBuf {
        self.matches().join(id.to_string())
    }

    /// Where a match is played.
    #[must_use]
    pub fn unfinished(&self, id: Id) -> PathBuf {
        self.matches().join(format!(".{id}.tmp"))
    }

    /// The match that is played in a folder of that name.
    #[must_use]
    pub fn played_in(name: &OsStr) -> Option<Id> {
        Id::parse(name.to_str()?.strip_prefix('.')?.strip_suffix(".tmp")?)
    }

    /// The file that a process holds locked while it plays a match.
    #[must_use]
    pub fn lock(&self, id: Id) -> PathBuf {
        self.matches().join(format!(".{id}.lock"))
    }

    /// The bots.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn book(&self) -> Result<Book, Error> {
        let path = self.bots_file();
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
        let path = self.plan_file();
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

    /// The seeds for a plan in that folder: from `first` on, if one is given; else those that were drawn for the plan that
    /// is there, so that the same can be asked for again; else drawn now. A plan that names seeds from 1 on was made when
    /// that was the default.
    ///
    /// # Errors
    /// There aren't so many, or they can't be read or drawn.
    pub fn seeds(path: &Path, first: Option<u64>, count: u64) -> Result<Seeds, Error> {
        let place = Place(path.to_path_buf());
        let first = first.or_else(|| {
            let plan = place.plan(|line| line == 0).ok().filter(|_| place.plan_file().exists())?;
            plan.first().is_some_and(|planned| planned.seed == Some(1)).then_some(1)
        });
        if let Some(first) = first {
            return Seeds::from_first(first, count).map_err(Error::Plan);
        }
        if place.seeds_file().exists() {
            let there = place.sealed()?;
            if there.len() as u64 == count {
                return Ok(Seeds::Sealed(there));
            }
        }
        Seeds::draw(count).map_err(|error| Error::File("/dev/urandom".into(), error))
    }

    /// Keeps the seeds of a class, all of which plays the same ones, in its folder, where [`Place::seeds`] finds them again.
    ///
    /// # Errors
    /// They can't be written.
    pub fn keep_seeds(path: &Path, seeds: &Seeds) -> Result<(), Error> {
        let place = Place(path.to_path_buf());
        if place.seeds_file().exists() { Ok(()) } else { place.keep_sealed(seeds) }
    }

    fn keep_sealed(&self, seeds: &Seeds) -> Result<(), Error> {
        let Seeds::Sealed(seeds) = seeds else { return Ok(()) };
        let lines: String = seeds.iter().map(|seed| format!("{seed}\n")).collect();
        write_with(&self.seeds_file(), &self.hidden(SEEDS), lines.as_bytes(), 0o600)
    }

    /// The seeds that the plan names by their hashes.
    fn sealed(&self) -> Result<Vec<u64>, Error> {
        let path = self.seeds_file();
        let failed = |error| Error::File(path.clone(), error);
        let mut text = String::new();
        let file = File::open(&path).map_err(failed)?;
        file.take(LONGEST_SEEDS).read_to_string(&mut text).map_err(failed)?;
        let wrong =
            |number| Error::Bad { path: path.clone(), line: number, what: "it is no seed".to_owned() };
        text.lines().zip(1..).map(|(line, number)| line.parse().map_err(|_| wrong(number))).collect()
    }

    /// The seed of a match.
    ///
    /// # Errors
    /// It is sealed, and the file of seeds can't be read or doesn't hold it.
    pub fn seed(&self, planned: &Planned) -> Result<u64, Error> {
        if let Some(seed) = planned.seed {
            return Ok(seed);
        }
        let seeds = self.sealed()?;
        let found = seeds.into_iter().find(|&seed| planned.is_of_seed(seed));
        found.ok_or_else(|| Error::NoSeed(self.seeds_file(), planned.id))
    }

    /// The matches that have a result.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn played(&self) -> Result<BTreeSet<Id>, Error> {
        ids(&self.results())
    }

    /// The names of the results that are whole, in their order.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn result_names(&self) -> Result<BTreeSet<String>, Error> {
        whole_files(&self.results())
    }

    /// What came of a match.
    ///
    /// # Errors
    /// When it has no result, or that can't be read or was changed since the match was judged.
    pub fn outcome(&self, id: Id) -> Result<Outcome, Error> {
        let path = self.result(id);
        let outcome: Outcome = read_result(&path)?;
        if outcome.fits_its_hash() { Ok(outcome) } else { Err(Error::BadResult(path, CHANGED.to_owned())) }
    }

    /// Seconds that a match took, and that its bots took to leave; 0 where nothing tells.
    #[must_use]
    pub fn seconds(&self, id: Id) -> (f64, f64) {
        let arena = self.report(id).and_then(|result| result.arena);
        arena.map_or((0.0, 0.0), |arena| (arena.seconds.unwrap_or(0.0), arena.leaving_seconds))
    }

    /// The `result.json` that lies with a match; `None` where it isn't there or can't be read.
    #[must_use]
    pub fn report(&self, id: Id) -> Option<ArenaResult> {
        read_json(&self.match_folder(id).join("result.json"), LONGEST_REPORT).ok()
    }

    /// The matches that were tried in vain, with the reasons.
    ///
    /// # Errors
    /// When a file of theirs can't be read.
    pub fn failures(&self) -> Result<Vec<Failure>, Error> {
        ids(&self.0.join(FAILED))?.into_iter().map(|id| read_result(&self.failure(id))).collect()
    }

    /// Notes that a match was tried in vain, and which seats spoiled it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn note_failure(&self, id: Id, why: &str, spoiled_by: Vec<usize>) -> Result<(), Error> {
        let (why, gained) = (why.to_owned(), Vec::new());
        self.note(Failure { id, why, tries: 1, suspicious: false, gained, spoiled_by })
    }

    /// Notes that something else than the arena ended a match, and which seats spoiled it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn note_suspicion(
        &self,
        id: Id,
        Suspicion { why, gained }: Suspicion,
        spoiled_by: Vec<usize>,
    ) -> Result<(), Error> {
        self.note(Failure { id, why, tries: 1, suspicious: true, gained, spoiled_by })
    }

    /// Why a match failed, with the number of tries, and the seats that gained by it.
    #[must_use]
    pub fn earlier(&self, id: Id) -> Option<Suspicion> {
        let Failure { why, tries, gained, .. } = read_result(&self.failure(id)).ok()?;
        let why = if tries > 1 { format!("{why} ({tries} tries failed)") } else { why };
        Some(Suspicion { why, gained })
    }

    fn note(&self, mut failure: Failure) -> Result<(), Error> {
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
        let folder = self.0.join(FAILED);
        fs::create_dir_all(&folder).map_err(|error| Error::File(folder.clone(), error))?;
        let text = serde_json::json!(failure).to_string() + "\n";
        write_whole(&self.failure(id), &folder.join(format!(".{id}.new")), text.as_bytes())
    }

    pub fn forget_failure(&self, id: Id) {
        let _ = fs::remove_file(self.failure(id));
        // Only when it is empty.
        let _ = fs::remove_dir(self.0.join(FAILED));
    }
}

/// The files of the bots and of the plan.
fn bytes(book: &Book, plan: &[Planned]) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bots = serde_json::to_vec_pretty(book)?;
    bots.push(b'\n');
    let mut lines = Vec::new();
    for planned in plan {
        serde_json::to_writer(&mut lines, planned)?;
        lines.push(b'\n');
    }
    Ok((bots, lines))
}

/// Whether the name is that of one of our unfinished files.
fn is_hidden(name: &OsStr) -> bool {
    [BOTS, PLAN, SEEDS].iter().any(|ours| name.to_str() == Some(&format!(".{ours}.new")))
}

/// The files in a folder that are whole, in the order of their names; none if there is no folder.
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

/// The matches in a folder with a file each; none if there is no folder.
fn ids(folder: &Path) -> Result<BTreeSet<Id>, Error> {
    let names = whole_files(folder)?;
    Ok(names.iter().filter_map(|name| Id::parse(name.strip_suffix(".json")?)).collect())
}

/// Reads a match's result. A bad file is an error of its own: it spoils this match and no other.
fn read_result<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    read_json(path, LONGEST_RESULT).map_err(|error| match error {
        Error::Bad { path, what, .. } => Error::BadResult(path, what),
        error => error,
    })
}
