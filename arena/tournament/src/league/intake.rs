//! Takes in the bots that authors have handed in: each folder below `bots` is a bot, copied as it is and known by the hash of
//! that copy.
//!
//! How a bot is built and started is found as in a class (`grading::command`). Why a folder can't be taken in is reported to its
//! author and to people; no other bot is affected. Starts no program. Tested in this module.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use zappy_play::os;
use zappy_play::text::io_words;
use zappy_protocol::text::shown;

use super::round::{VERSIONS, Version};
use super::standings::Refused;
use crate::Error;
use crate::bots::is_name;
use crate::copies::{Folder, Opened, WalkLimits, copy_open, open, open_folder, write_into};
use crate::grading::command::{ForAll, Found as Start, Names, built, find};
use crate::grading::result::{left_out_words, with_left_out};
pub use crate::grading::submission::REPORT;
use crate::grading::submission::{LINK, content, inside};
use crate::identity::{Id, IdHasher, stamp_folder};

/// The folder of the bots.
pub const BOTS: &str = "bots";
/// The prefix of a copy's name until it is kept.
pub const COPY: &str = ".new-";
/// The most bots that a league holds at a time.
pub const MOST_BOTS: usize = 200;
/// Entries of the folder of the bots that are looked at.
const MOST_ENTRIES: usize = 2_000;
/// The longest name of a bot, in bytes; its version stands behind it.
const LONGEST_NAME: usize = 56;

/// A bot that is new or has changed, as it lies in its folder now.
#[derive(Debug)]
pub struct Found {
    /// Its version, still without a number and, if it is to be built, without the id of what the build makes.
    pub version: Version,
    /// The command that builds it, without a shell.
    pub build: Option<String>,
    /// The name of its folder.
    pub called: String,
    pub folder: Folder,
    /// The hash of what its author wrote: of all files but those that say how it is started, unless there are no others.
    pub content: Id,
    /// What stands below the report to its author, in lines.
    pub note: String,
    /// The copy of its files, which is removed when this is dropped.
    staged: TempDir,
}

/// The bots in their folders at one moment.
#[derive(Debug, Default)]
pub struct Look {
    /// The bots that are new or have changed, by their names.
    pub found: Vec<Found>,
    /// The names of the bots that are as they were at the last look.
    pub same: Vec<String>,
    /// Folders that can't be taken in, each with the reason.
    pub refused: Vec<Refused>,
    /// Whether another look will find more: a bot's files are just being written.
    pub unsettled: bool,
}

/// Looks at a league's bots again and again, and copies those that have changed.
#[derive(Debug, Default)]
pub struct Intake {
    /// What was seen of each bot, by its folder's name.
    seen: HashMap<OsString, Seen>,
}

#[derive(Debug)]
struct Seen {
    /// The hash of sizes and times of the bot's files at the last look.
    stamp: Id,
    /// The time at which this stamp was seen first.
    since: Instant,
    /// `Some` once the bot was taken in, with the reason if it was refused.
    taken: Option<Option<String>>,
}

impl Intake {
    /// Notes that the bot in the folder of that name was refused: the reason is given until its files change. Without a reason the
    /// bot is taken in anew at the next look.
    pub fn mark(&mut self, name: &str, refused: Option<String>) {
        if let Some(seen) = self.seen.get_mut(OsStr::new(name)) {
            seen.taken = refused.map(Some);
        }
    }

    /// Whether a bot was taken in or refused, and isn't taken in anew before its files change.
    pub fn knows(&self, name: &str) -> bool {
        self.seen.get(OsStr::new(name)).is_some_and(|seen| seen.taken.is_some())
    }

    /// Looks at all bots of a league for a game of these names, and copies those that have changed below its folder. With `patience`
    /// a bot is taken only if its files have been the same in two looks and for so long: they may still be written. `owner` knows the
    /// folder to which a bot's name belongs, `head` the beginning of the report to the author of a bot that isn't taken.
    ///
    /// # Errors
    /// The league's own folders can't be read or written.
    pub fn look(
        &mut self,
        league: &Path,
        of: Names<'_>,
        patience: Option<Duration>,
        owner: &dyn Fn(&str) -> Option<String>,
        head: &dyn Fn(&str) -> String,
    ) -> Result<Look, Error> {
        let names = names(league)?;
        self.seen.retain(|name, _| names.contains(name));
        let (mut look, versions) = (Look::default(), league.join(VERSIONS));
        let exact = names.iter().filter_map(|name| Some((name.to_str()?.to_owned(), name.clone())));
        let mut folders: HashMap<String, OsString> = exact.collect();
        for name in names {
            let bot = called(&name.to_string_lossy());
            let owner = owner(&bot).map(OsString::from);
            let first =
                owner.as_ref().unwrap_or_else(|| folders.entry(bot.clone()).or_insert_with(|| name.clone()));
            let path = league.join(BOTS).join(&name);
            if *first != name {
                let (folder, first) = (shown(name.as_encoded_bytes()), first.to_string_lossy());
                let why = match owner {
                    Some(_) => format!(
                        "and that name belongs to the folder {first:?}, which had it first; rename this folder"
                    ),
                    None => format!("as the bot in the folder {first:?} is; rename one of the two folders"),
                };
                let why = format!("it would be called {bot}, {why}");
                if let Ok(own) = open_folder(&path) {
                    leave_report(&own, &folder, &format!("This bot is not in the league: {why}\n"));
                }
                look.refused.push(Refused::new(folder, why));
                self.seen.remove(&name);
                continue;
            }
            let stamp = || {
                let stamp = open_folder(&path).and_then(|folder| stamp_folder(&folder, &[REPORT]));
                stamp.unwrap_or_else(|_| IdHasher::default().id())
            };
            let (before, full) = (stamp(), look.found.len() + look.same.len() >= MOST_BOTS);
            let seen = self.seen.get(&name).filter(|seen| seen.stamp == before);
            match seen.and_then(|seen| seen.taken.as_ref()).filter(|_| !full) {
                Some(Some(why)) => {
                    look.refused.push(Refused::new(name.to_string_lossy().into_owned(), why.clone()));
                    continue;
                }
                Some(None) => {
                    look.same.push(bot);
                    continue;
                }
                None => {}
            }
            let is_new = seen.is_none_or(|seen| seen.taken.is_none());
            let since = seen.map_or_else(Instant::now, |seen| seen.since);
            if is_new && patience.is_some_and(|least| seen.is_none() || since.elapsed() < least) {
                self.seen.insert(name, Seen { stamp: before, since, taken: None });
                look.unsettled = true;
                continue;
            }
            let taken = match name.to_str() {
                _ if full => Err(format!(
                    "a league has at most {MOST_BOTS} bots; this one waits until another is removed"
                )),
                Some(name) => take(name, &path, &versions, of),
                None => Err("the name isn't UTF-8; rename the folder".to_owned()),
            };
            if stamp() != before {
                log::info!("{}: its files change; it is looked at again", path.display());
                self.seen.remove(&name);
                look.unsettled = true;
                continue;
            }
            let why = match taken {
                Ok(found) => {
                    look.found.push(found);
                    None
                }
                Err(why) => {
                    // The author is told, too, where there is a folder to do so in.
                    if let Ok(folder) = open_folder(&path) {
                        leave_report(&folder, &bot, &format!("{}: {why}\n", head(&bot)));
                    }
                    look.refused.push(Refused::new(shown(name.as_encoded_bytes()), why.clone()));
                    Some(why)
                }
            };
            self.seen.insert(name, Seen { stamp: before, since: Instant::now(), taken: Some(why) });
        }
        Ok(look)
    }
}

/// The names in the folder of the bots, sorted.
fn names(league: &Path) -> Result<Vec<OsString>, Error> {
    let (bots, versions) = (league.join(BOTS), league.join(VERSIONS));
    os::close_folder(&versions).map_err(|error| Error::File(versions, error))?;
    let failed = |error| Error::File(bots.clone(), error);
    let entries = fs::read_dir(&bots).map_err(failed)?.take(MOST_ENTRIES + 1);
    let names: io::Result<Vec<OsString>> = entries.map(|entry| Ok(entry?.file_name())).collect();
    let mut names = names.map_err(failed)?;
    if names.len() > MOST_ENTRIES {
        let what = format!(
            "more than {MOST_ENTRIES} entries; a league has {MOST_BOTS} bots at the most, remove the others"
        );
        return Err(Error::Plan(format!("{}: {what}", bots.display())));
    }
    // A name that begins with a dot is that of a bot still being copied, or of a tool's file.
    names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
    names.sort();
    Ok(names)
}

/// Leaves a report in a bot's folder; the log says so if that can't be done.
pub(super) fn leave_report(folder: &Folder, name: &str, text: &str) {
    if let Err(error) = write_into(folder, REPORT, text) {
        log::warn!("{name}: {REPORT} can't be written into its folder: {}", io_words(&error));
    }
}

/// The name of the bot in the folder of that name. A team's name is one word, and a version stands behind an `@`.
pub(super) fn called(folder: &str) -> String {
    let replaced = |c: char| if c.is_whitespace() || c.is_control() || c == '@' { '_' } else { c };
    let name: String = folder.chars().map(replaced).collect();
    if name.starts_with('-') { name.replacen('-', "_", 1) } else { name }
}

fn take(folder_name: &str, path: &Path, versions: &Path, of: Names<'_>) -> Result<Found, String> {
    let name = called(folder_name);
    if name.len() > LONGEST_NAME {
        let long = name.len();
        return Err(format!(
            "the folder's name has {long} bytes, and {LONGEST_NAME} at most make a bot's; rename it"
        ));
    }
    if !is_name(&name) {
        return Err(format!("no bot can be called {name:?}, since that names observers; rename the folder"));
    }
    let folder = match open(path).map_err(|error| io_words(&error))? {
        Opened::Folder(folder) => folder,
        Opened::Link(_) => return Err(LINK.to_owned()),
        _ => return Err("it is no folder; put each bot into a folder of its own".to_owned()),
    };
    // Reports are left in `folder`, even if the files lie in the only folder in it.
    let files = open_folder(path).and_then(inside).map_err(|error| io_words(&error))?;
    let new = tempfile::Builder::new().prefix(COPY).tempdir_in(versions);
    let staged = new.map_err(|error| format!("it can't be copied: {}", io_words(&error)))?;
    let links = copy_open(&files, staged.path(), WalkLimits::HANDED_IN, &[REPORT, &format!(".{REPORT}.new")])
        .map_err(|error| io_words(&error))?;
    let Start { command, build, processes, .. } =
        find(staged.path(), of, ForAll::default()).map_err(|why| with_left_out(why, &links))?;
    let (id, command) = (IdHasher::default().id(), command.unwrap_or_default());
    let folder_is = (name != folder_name).then(|| folder_name.to_owned());
    let version =
        Version { name, number: 0, id, source: None, command, processes, folder: folder_is, twin: false };
    let here = |why: String| why.replace(&staged.path().display().to_string(), &path.display().to_string());
    let content = content(staged.path()).map_err(|error| here(io_words(&error)))?;
    let version = if let Some(build) = &build {
        let mut source = IdHasher::default();
        source.add(format!("{:?} {build:?} {processes:?}", version.command).as_bytes());
        source.add_files(staged.path()).map_err(|error| here(error.to_string()))?;
        Version { source: Some(source.id()), ..version }
    } else {
        settled(&version, staged.path(), of).map_err(|why| with_left_out(here(why), &links))?
    };
    let (called, note) = (folder_name.to_owned(), left_out(&links));
    Ok(Found { version, build, called, folder, content, note, staged })
}

/// The line on links that are left out of the copy that plays, for the author; empty without any.
pub(super) fn left_out(links: &[String]) -> String {
    left_out_words(links).map_or(String::new(), |words| format!("{words}\n"))
}

/// The version with its command and id, by the files that play.
///
/// # Errors
/// It can't be started; in words, with the remedy.
pub(super) fn settled(version: &Version, files: &Path, of: Names<'_>) -> Result<Version, String> {
    let mut version = version.clone();
    if version.command.is_empty() {
        version.command = built(files, of)?;
    }
    let mut bot = version.bot(Path::new(""));
    bot.folder = Some(files.to_path_buf());
    let template = bot.template(bot.folder.as_deref())?;
    template.with_script("its command", files).map_err(|error| error.to_string())?;
    version.id = bot.identify()?;
    Ok(version)
}

impl Found {
    /// Gives it an id of its own, though another bot came with the same files.
    ///
    /// # Errors
    /// It can't be started; in words, with the remedy.
    pub(super) fn set_apart(&mut self, of: Names<'_>) -> Result<(), String> {
        self.version.twin = true;
        if let Some(source) = self.version.source {
            self.version.source = Some(Id::of([source.to_string(), self.version.name.clone()]));
        } else {
            self.version = settled(&self.version, self.files(), of)?;
        }
        Ok(())
    }

    pub fn files(&self) -> &Path {
        self.staged.path()
    }

    /// Keeps the copy for good, unless the version's files are kept already.
    ///
    /// # Errors
    /// When it can't be.
    pub fn keep(self, league: &Path) -> Result<Version, Error> {
        let to = self.version.place(league);
        if !to.exists() {
            fs::rename(self.staged.path(), &to).map_err(|error| Error::File(to, error))?;
            // It has become the version's folder.
            let _ = self.staged.keep();
        }
        Ok(self.version)
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
