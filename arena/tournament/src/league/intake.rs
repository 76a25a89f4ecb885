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
use crate::grading::command::{ForAll, Found as Start, Names, command_after_build, find};
use crate::grading::result::{left_out_words, with_left_out};
pub use crate::grading::submission::REPORT;
use crate::grading::submission::{LINK_REFUSED, content, innermost};
use crate::identity::{Id, IdHasher, stamp_folder};

/// The folder of the bots.
pub const BOTS: &str = "bots";
/// The prefix of the name of a copied bot's folder, until the copy is kept as a version.
pub const COPY: &str = ".new-";
/// The most bots that a league holds at a time.
pub const MOST_BOTS: usize = 200;
/// The most entries of the folder of the bots; more of them are an error.
const MOST_ENTRIES: usize = 2_000;
/// The longest name of a bot, in bytes: with `@` and its version it must fit into a team's name.
const LONGEST_NAME: usize = 56;

/// A bot that is new or has changed, as it lies in its folder now.
#[derive(Debug)]
pub struct Found {
    /// The version it would be: still with number 0 and, if it is to be built, without the id of the built files.
    pub version: Version,
    /// The command that builds it, without a shell; `None`: nothing is built.
    pub build: Option<String>,
    pub folder_name: String,
    /// Its folder, opened; the report is left in it.
    pub folder: Folder,
    /// The hash of what its author wrote: of all files but those that say how it is started; of these if there are no
    /// others.
    pub content: Id,
    /// Lines that are put below the report to its author.
    pub note: String,
    /// The copy of its files, which is removed when the value is dropped.
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
    /// When this stamp was first seen.
    since: Instant,
    /// `None`: not taken in yet; `Some(None)`: taken in; `Some(Some(_))`: refused, for that reason.
    taken: Option<Option<String>>,
}

impl Intake {
    /// Notes that the bot in the folder of that name is refused, for a reason that holds until its files change;
    /// `None`: it isn't refused, and is taken in anew at the next look.
    pub fn mark(&mut self, name: &str, refused: Option<String>) {
        if let Some(seen) = self.seen.get_mut(OsStr::new(name)) {
            seen.taken = refused.map(Some);
        }
    }

    /// Whether the bot in the folder of that name was taken in or refused: it isn't taken in anew before its files
    /// change.
    pub fn knows(&self, name: &str) -> bool {
        self.seen.get(OsStr::new(name)).is_some_and(|seen| seen.taken.is_some())
    }

    /// Looks at all bots of a league, and copies those that have changed into its folder of versions. `names` are those
    /// of the game. With `patience` a bot is taken only if its files have been the same in two looks and for so long,
    /// since they may still be written. `owner` gives the folder that owns a bot's name, `head` the beginning of the
    /// report on a bot that isn't taken.
    ///
    /// # Errors
    /// The league's own folders can't be read or written.
    pub fn look(
        &mut self,
        league: &Path,
        names: Names<'_>,
        patience: Option<Duration>,
        owner: &dyn Fn(&str) -> Option<String>,
        head: &dyn Fn(&str) -> String,
    ) -> Result<Look, Error> {
        let folder_names = folder_names(league)?;
        self.seen.retain(|name, _| folder_names.contains(name));
        let (mut look, versions) = (Look::default(), league.join(VERSIONS));
        // By each bot's name its folder. A folder of exactly that name comes before one that is renamed to it.
        let exact = folder_names.iter().filter_map(|name| Some((name.to_str()?.to_owned(), name.clone())));
        let mut folder_of: HashMap<String, OsString> = exact.collect();
        for name in folder_names {
            let bot = bot_name(&name.to_string_lossy());
            let owner = owner(&bot).map(OsString::from);
            let first = owner
                .as_ref()
                .unwrap_or_else(|| folder_of.entry(bot.clone()).or_insert_with(|| name.clone()));
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
            let (before, is_full) = (stamp(), look.found.len() + look.same.len() >= MOST_BOTS);
            let seen = self.seen.get(&name).filter(|seen| seen.stamp == before);
            match seen.and_then(|seen| seen.taken.as_ref()).filter(|_| !is_full) {
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
                _ if is_full => Err(format!(
                    "a league has at most {MOST_BOTS} bots; this one waits until another is removed"
                )),
                Some(name) => take_in(name, &path, &versions, names),
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
                    // The author gets a report, too, unless what lies there is no folder.
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

/// The names in the folder of the bots, sorted, without those that begin with a dot.
fn folder_names(league: &Path) -> Result<Vec<OsString>, Error> {
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

/// Writes the report into a bot's folder, or a warning into the log if that fails.
pub(super) fn leave_report(folder: &Folder, name: &str, text: &str) {
    if let Err(error) = write_into(folder, REPORT, text) {
        log::warn!("{name}: {REPORT} can't be written into its folder: {}", io_words(&error));
    }
}

/// The name of the bot in the folder of that name: one word as a team's name, without the `@` that separates a version.
pub(super) fn bot_name(folder: &str) -> String {
    let replaced = |c: char| if c.is_whitespace() || c.is_control() || c == '@' { '_' } else { c };
    let name: String = folder.chars().map(replaced).collect();
    if name.starts_with('-') { name.replacen('-', "_", 1) } else { name }
}

/// Copies the bot at that path into the folder `versions`, and finds out how it is built and started. Errors are in
/// words, with the remedy.
fn take_in(folder_name: &str, path: &Path, versions: &Path, names: Names<'_>) -> Result<Found, String> {
    let name = bot_name(folder_name);
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
        Opened::Link(_) => return Err(LINK_REFUSED.to_owned()),
        _ => return Err("it is no folder; put each bot into a folder of its own".to_owned()),
    };
    // The report goes into `folder`; the bot's files may lie in the only folder within that.
    let files = open_folder(path).and_then(innermost).map_err(|error| io_words(&error))?;
    let new = tempfile::Builder::new().prefix(COPY).tempdir_in(versions);
    let staged = new.map_err(|error| format!("it can't be copied: {}", io_words(&error)))?;
    let links = copy_open(&files, staged.path(), WalkLimits::HANDED_IN, &[REPORT, &format!(".{REPORT}.new")])
        .map_err(|error| io_words(&error))?;
    let Start { command, build, processes, .. } =
        find(staged.path(), names, ForAll::default()).map_err(|why| with_left_out(why, &links))?;
    let (id, command) = (IdHasher::default().id(), command.unwrap_or_default());
    let other_name = (name != folder_name).then(|| folder_name.to_owned());
    let version =
        Version { name, number: 0, id, source: None, command, processes, folder: other_name, twin: false };
    let with_own_path =
        |why: String| why.replace(&staged.path().display().to_string(), &path.display().to_string());
    let content = content(staged.path()).map_err(|error| with_own_path(io_words(&error)))?;
    let version = if let Some(build) = &build {
        let mut source = IdHasher::default();
        source.add(format!("{:?} {build:?} {processes:?}", version.command).as_bytes());
        source.add_files(staged.path()).map_err(|error| with_own_path(error.to_string()))?;
        Version { source: Some(source.id()), ..version }
    } else {
        identified(&version, staged.path(), names).map_err(|why| with_left_out(with_own_path(why), &links))?
    };
    let (folder_name, note) = (folder_name.to_owned(), left_out_note(&links));
    Ok(Found { version, build, folder_name, folder, content, note, staged })
}

/// The line for the author on links that are left out of the copy that plays; empty without any.
pub(super) fn left_out_note(links: &[String]) -> String {
    left_out_words(links).map_or(String::new(), |words| format!("{words}\n"))
}

/// The version with its command and id, which depend on the built files.
///
/// # Errors
/// It can't be started; in words, with the remedy.
pub(super) fn identified(version: &Version, files: &Path, names: Names<'_>) -> Result<Version, String> {
    let mut version = version.clone();
    if version.command.is_empty() {
        version.command = command_after_build(files, names)?;
    }
    let mut bot = version.bot(Path::new(""));
    bot.folder = Some(files.to_path_buf());
    let template = bot.template(bot.folder.as_deref())?;
    template.with_script("its command", files).map_err(|error| error.to_string())?;
    version.id = bot.identify()?;
    Ok(version)
}

impl Found {
    /// Gives it another id than the bot has that came with the same files.
    ///
    /// # Errors
    /// It can't be started; in words, with the remedy.
    pub(super) fn set_apart(&mut self, names: Names<'_>) -> Result<(), String> {
        self.version.twin = true;
        if let Some(source) = self.version.source {
            self.version.source = Some(Id::of([source.to_string(), self.version.name.clone()]));
        } else {
            self.version = identified(&self.version, self.files(), names)?;
        }
        Ok(())
    }

    pub fn files(&self) -> &Path {
        self.staged.path()
    }

    /// Makes the copy the version's folder, unless that is there already.
    ///
    /// # Errors
    /// The copy can't be moved there.
    pub fn keep(self, league: &Path) -> Result<Version, Error> {
        let to = self.version.place(league);
        if !to.exists() {
            fs::rename(self.staged.path(), &to).map_err(|error| Error::File(to, error))?;
            // The copy's folder was moved, so dropping it must not remove it.
            let _ = self.staged.keep();
        }
        Ok(self.version)
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
