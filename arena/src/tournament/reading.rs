//! What a tournament's folder holds, read and held against itself: bots, plan, results.
//!
//! Takes nothing on trust: a grade hangs on it. What is wrong is said with file, line and remedy. Changes nothing.
//! Tested in `tests/merge/`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::bots::{Book, MOST_BOTS};
use super::identity::Id;
use super::outcome::Outcome;
use super::plan::{MOST_MATCHES, Planned};

/// The bots of a tournament.
pub const BOTS: &str = "bots.json";
/// Its matches.
pub const PLAN: &str = "plan.jsonl";
/// The folder of what came of them.
pub const RESULTS: &str = "results";
/// The longest `bots.json`: commands and environments of many bots.
const LONGEST_BOOK: u64 = 64 << 20;
/// The longest line of a plan: a hundred seats.
const LONGEST_LINE: u64 = 16 << 10;
/// The longest result.
const LONGEST_RESULT: u64 = 1 << 20;
/// Files in the folder of results that are looked at: also what half-written ones leave.
const MOST_FILES: usize = 2 * MOST_MATCHES;

/// What is wrong with a tournament's folder.
#[derive(Debug, thiserror::Error)]
pub enum BadTournament {
    /// No tournament at all.
    #[error("{0}: there is no {1} in it; name a folder that `zappy_arena tournament plan` made")]
    NoTournament(PathBuf, &'static str),
    /// A file that can't be read.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// A file that is too long, or a folder that is too full.
    #[error("{0}: {1}; it can't be the arena's")]
    TooMuch(PathBuf, String),
    /// The bots make no sense.
    #[error("{path}: {what}; plan the tournament again")]
    Book {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A line of the plan makes no sense.
    #[error("{path}: line {line}: {what}; plan the tournament again")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A result that isn't that of a planned match.
    #[error("{path}: {what}; move it away, and the match will be played again")]
    Result {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// A tournament as its folder tells it.
#[derive(Debug)]
pub struct Tournament {
    /// Who plays.
    pub book: Book,
    /// The matches, in the order of playing.
    pub plan: Vec<Planned>,
    /// What came of them.
    pub results: HashMap<Id, Outcome>,
}

impl Tournament {
    /// Reads all of it.
    ///
    /// # Errors
    /// The first thing that is wrong; of results the first in the order of their names.
    pub fn read(folder: &Path) -> Result<Tournament, BadTournament> {
        for name in [BOTS, PLAN] {
            if !folder.join(name).is_file() {
                return Err(BadTournament::NoTournament(folder.into(), name));
            }
        }
        let book = read_book(&folder.join(BOTS))?;
        let plan = read_plan(&folder.join(PLAN), &book)?;
        let results = read_results(&folder.join(RESULTS), &plan)?;
        Ok(Tournament { book, plan, results })
    }
}

/// A whole file, unless it is too long.
fn read_text(path: &Path, most: u64) -> Result<Vec<u8>, BadTournament> {
    let failed = |error| BadTournament::Unreadable(path.into(), error);
    let mut text = Vec::new();
    File::open(path).map_err(failed)?.take(most + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(BadTournament::TooMuch(path.into(), format!("longer than {} KiB", most >> 10)));
    }
    Ok(text)
}

fn read_book(path: &Path) -> Result<Book, BadTournament> {
    let wrong = |what| BadTournament::Book { path: path.into(), what };
    let book: Book =
        serde_json::from_slice(&read_text(path, LONGEST_BOOK)?).map_err(|e| wrong(e.to_string()))?;
    if book.version != 1 {
        return Err(wrong(format!("it is of version {}, this program reads 1", book.version)));
    }
    if !(2..=MOST_BOTS).contains(&book.bots.len()) {
        return Err(wrong(format!("it names {} bots, the range is 2 to {MOST_BOTS}", book.bots.len())));
    }
    let mut ids = HashSet::new();
    match book.bots.iter().find(|bot| !ids.insert(bot.id)) {
        Some(twin) => Err(wrong(format!("two bots have the id {}", twin.id))),
        None => Ok(book),
    }
}

fn read_plan(path: &Path, book: &Book) -> Result<Vec<Planned>, BadTournament> {
    let failed = |error| BadTournament::Unreadable(path.into(), error);
    let bots: HashSet<Id> = book.bots.iter().map(|bot| bot.id).collect();
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let (mut plan, mut ids, mut line) = (Vec::new(), HashSet::new(), Vec::new());
    for number in 1.. {
        line.clear();
        if reader.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line).map_err(failed)? == 0 {
            break;
        }
        let wrong = |what| BadTournament::Line { path: path.into(), line: number, what };
        if line.len() as u64 > LONGEST_LINE || plan.len() == MOST_MATCHES {
            return Err(wrong(format!("the limit is {MOST_MATCHES} lines of {} KiB", LONGEST_LINE >> 10)));
        }
        let planned: Planned = serde_json::from_slice(&line).map_err(|error| wrong(error.to_string()))?;
        check(&planned, &bots).map_err(wrong)?;
        if !ids.insert(planned.id) {
            return Err(wrong(format!("the match {} stands there twice", planned.id)));
        }
        plan.push(planned);
    }
    Ok(plan)
}

fn check(planned: &Planned, bots: &HashSet<Id>) -> Result<(), String> {
    if planned.id != planned.hash() {
        return Err(format!("the id {} isn't that of the match beside it, {}", planned.id, planned.hash()));
    }
    if let Some(stranger) = planned.seats.iter().find(|seat| !bots.contains(seat)) {
        return Err(format!("no bot has the id {stranger}"));
    }
    if planned.seats.len() < 2 || planned.seats.iter().collect::<BTreeSet<_>>().len() < planned.seats.len() {
        return Err("a match takes two bots or more, all different".to_owned());
    }
    Ok(())
}

/// Nobody has played yet if there is no such folder. What isn't called `*.json` is somebody's half-written file.
fn read_results(folder: &Path, plan: &[Planned]) -> Result<HashMap<Id, Outcome>, BadTournament> {
    let failed = |error| BadTournament::Unreadable(folder.into(), error);
    let planned: HashMap<Id, &Planned> = plan.iter().map(|planned| (planned.id, planned)).collect();
    let mut names = BTreeSet::new();
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        Ok(entries) => {
            for (count, entry) in entries.enumerate() {
                if count == MOST_FILES {
                    let what = format!("more than {MOST_FILES} files");
                    return Err(BadTournament::TooMuch(folder.into(), what));
                }
                let name = entry.map_err(failed)?.file_name();
                let shown = name.to_string_lossy();
                if !shown.starts_with('.') && shown.ends_with(".json") {
                    names.insert(name);
                }
            }
        }
    }
    let mut results = HashMap::with_capacity(names.len());
    for name in names {
        let path = folder.join(&name);
        let wrong = |what: String| BadTournament::Result { path: path.clone(), what };
        let id = path.file_stem().and_then(|stem| Id::parse(stem.to_str()?));
        let Some(planned) = id.and_then(|id| planned.get(&id)) else {
            return Err(wrong("no match of the plan has that id".to_owned()));
        };
        let text = read_text(&path, LONGEST_RESULT)?;
        let played: Outcome = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        played.check(planned).map_err(wrong)?;
        results.insert(planned.id, played);
    }
    Ok(results)
}
