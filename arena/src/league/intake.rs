//! What authors have handed in: each folder below `bots` is a bot, copied as it is and known by the hash of that copy.
//!
//! How it is built and started is found as in a class (`grading::command`). A folder that can't be taken in is told to its
//! author and to people, and costs no other bot anything. Starts nothing.
//! Tested in this module.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::refused::Refused;
use super::round::{VERSIONS, Version};
use crate::grading::command::{ForAll, Found as Start, Names, built, find};
pub use crate::grading::submission::REPORT;
use crate::grading::submission::{content, only_folder};
use crate::os;
use crate::text::io_words;
use crate::tournament::Error;
use crate::tournament::bots::is_name;
use crate::tournament::copies::{Folder, Most, leave, open_folder, open_inside, stage};
use crate::tournament::identity::{Id, Identity, stamp_without};

/// The folder of the bots.
pub const BOTS: &str = "bots";
/// What the name of a copy begins with that isn't kept yet.
pub const COPY: &str = ".new-";
/// Bots of a league.
pub const MOST_BOTS: usize = 200;
/// Entries of the folder of the bots that are looked at.
const MOST_ENTRIES: usize = 2_000;
/// The longest name of a bot, in bytes; its version stands behind it.
const LONGEST_NAME: usize = 56;

/// A bot as it lies there now.
#[derive(Debug)]
pub struct Found {
    /// Its version; the number is still to be given, and what a build makes of it to be noted.
    pub version: Version,
    /// How it is built, without a shell.
    pub build: Option<String>,
    /// What its folder is called.
    pub called: String,
    /// Its folder.
    pub folder: Folder,
    /// The hash of what its author wrote: of all files but those that say how it is started, unless there are no others.
    pub content: Id,
    /// What its author is told besides, in lines.
    pub note: String,
    /// The copy of its files, which goes with this.
    staged: TempDir,
}

/// What lies in the folder of the bots.
#[derive(Debug, Default)]
pub struct Look {
    /// The bots that are new or have changed, by their names.
    pub found: Vec<Found>,
    /// The bots that are as they were at the last look.
    pub same: Vec<String>,
    /// What is none.
    pub refused: Vec<Refused>,
    /// Whether another look will find more: a bot's files are just being written.
    pub unsettled: bool,
}

/// Looks at a league's bots again and again, and copies those that have changed.
#[derive(Debug, Default)]
pub struct Intake {
    /// What was seen of each, by its folder's name.
    seen: HashMap<OsString, Seen>,
}

#[derive(Debug)]
struct Seen {
    /// What the file system told at the last look.
    stamp: Id,
    /// Since when it tells that.
    since: Instant,
    /// Why the bot is none; not even that if it wasn't taken in yet.
    taken: Option<Option<String>>,
}

impl Intake {
    /// Takes the bot in the folder of that name in anew at the next look.
    pub fn forget(&mut self, name: &str) {
        if let Some(seen) = self.seen.get_mut(OsStr::new(name)) {
            seen.taken = None;
        }
    }

    /// Whether a bot isn't taken in anew before its files change.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.seen.get(OsStr::new(name)).is_some_and(|seen| seen.taken.is_some())
    }

    /// Notes why a bot isn't taken as it lies there, so that it is told until its files change.
    pub fn refuse(&mut self, name: &str, why: &str) {
        if let Some(seen) = self.seen.get_mut(OsStr::new(name)) {
            seen.taken = Some(Some(why.to_owned()));
        }
    }

    /// Looks at all bots of a league for a game of these names, and copies those that have changed below its folder. With `patience` a bot is
    /// taken only when its files have been the same in two looks and for so long: it may be on its way there. `head` begins what the author
    /// of a bot of that name is told that isn't taken; `owner` knows the folder to which a bot's name belongs.
    ///
    /// # Errors
    /// The league's own folders can't be read or written.
    pub fn look(
        &mut self,
        league: &Path,
        of: Names<'_>,
        patience: Option<Duration>,
        (owner, head): (&dyn Fn(&str) -> Option<String>, &dyn Fn(&str) -> String),
    ) -> Result<Look, Error> {
        let names = names(league)?;
        self.seen.retain(|name, _| names.contains(name));
        let (mut look, versions) = (Look::default(), league.join(VERSIONS));
        let mut folders: HashMap<String, OsString> = HashMap::new();
        let exact = names.iter().filter_map(|name| name.to_str().map(|text| (text.to_owned(), name.clone())));
        folders.extend(exact);
        for name in names {
            let bot = called(&name.to_string_lossy());
            let owner = owner(&bot).map(OsString::from);
            let first =
                owner.as_ref().unwrap_or_else(|| folders.entry(bot.clone()).or_insert_with(|| name.clone()));
            if *first != name {
                let (folder, first) =
                    (zappy_protocol::text::shown(name.as_encoded_bytes()), first.to_string_lossy());
                let why = match owner {
                    Some(_) => format!(
                        "it would be called {bot}, and that name belongs to the folder {first:?}, which had it first; rename this folder"
                    ),
                    None => format!(
                        "it would be called {bot}, as the bot in the folder {first:?} is; rename one of the two folders"
                    ),
                };
                if let Ok(own) = open_folder(&league.join(BOTS).join(&name)) {
                    tell(&own, &folder, &format!("This bot is not in the league: {why}\n"));
                }
                look.refused.push(Refused::new(folder, why));
                self.seen.remove(&name);
                continue;
            }
            let path = league.join(BOTS).join(&name);
            let stamp = || stamp_without(&path, &[REPORT]).unwrap_or_else(|_| Identity::default().id());
            let (before, full) = (stamp(), look.found.len() + look.same.len() >= MOST_BOTS);
            match self.seen.get(&name) {
                Some(Seen { stamp, taken: Some(why), .. }) if *stamp == before && !full => {
                    match why {
                        Some(why) => {
                            look.refused.push(Refused::new(name.to_string_lossy().into_owned(), why.clone()));
                        }
                        None => look.same.push(bot),
                    }
                    continue;
                }
                Some(Seen { stamp, since, taken: None })
                    if *stamp == before && patience.is_some_and(|least| since.elapsed() < least) =>
                {
                    look.unsettled = true;
                    continue;
                }
                Some(seen) if seen.stamp == before => {}
                _ if patience.is_some() => {
                    self.seen.insert(name, Seen { stamp: before, since: Instant::now(), taken: None });
                    look.unsettled = true;
                    continue;
                }
                _ => {}
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
            let why = taken.as_ref().err().cloned();
            match taken {
                Ok(found) => look.found.push(found),
                Err(why) => {
                    // The author is told, too, where there is a folder to do so in.
                    if let Ok(folder) = open_folder(&path) {
                        tell(&folder, &bot, &format!("{}: {why}\n", head(&bot)));
                    }
                    look.refused
                        .push(Refused::new(zappy_protocol::text::shown(name.as_encoded_bytes()), why));
                }
            }
            self.seen.insert(name, Seen { stamp: before, since: Instant::now(), taken: Some(why) });
        }
        Ok(look)
    }
}

/// The names in the folder of the bots, in their order.
fn names(league: &Path) -> Result<Vec<OsString>, Error> {
    let (bots, versions) = (league.join(BOTS), league.join(VERSIONS));
    os::close_folder(&versions).map_err(|error| Error::File(versions, error))?;
    let failed = |error| Error::File(bots.clone(), error);
    let mut names = Vec::new();
    for entry in fs::read_dir(&bots).map_err(failed)?.take(MOST_ENTRIES + 1) {
        names.push(entry.map_err(failed)?.file_name());
    }
    if names.len() > MOST_ENTRIES {
        let what = format!(
            "more than {MOST_ENTRIES} entries; a league has {MOST_BOTS} bots at the most, remove the others"
        );
        return Err(Error::Plan(format!("{}: {what}", bots.display())));
    }
    // What begins with a dot is on its way there, or a tool's own.
    names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
    names.sort();
    Ok(names)
}

/// Leaves a report in a bot's folder; where that can't be done people are told.
pub(super) fn tell(folder: &Folder, name: &str, text: &str) {
    if let Err(error) = leave(folder, REPORT, text) {
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
    let folder =
        open_folder(path).map_err(|_| "it is no folder; put each bot into a folder of its own".to_owned())?;
    let inside = only_folder(path);
    let (files, path) = match inside.as_ref().and_then(|name| Some((name.to_str()?, path.join(name)))) {
        Some((name, path)) => (&open_inside(&folder, name).map_err(|error| io_words(&error))?, &path.clone()),
        None => (&folder, &path.to_path_buf()),
    };
    let new = tempfile::Builder::new().prefix(COPY).tempdir_in(versions);
    let staged = new.map_err(|error| format!("it can't be copied: {}", io_words(&error)))?;
    stage(files, staged.path(), Most::HANDED, &[REPORT, &format!(".{REPORT}.new")])
        .map_err(|error| io_words(&error))?;
    let Start { command, build, processes, .. } = find(staged.path(), of, ForAll::default())?;
    let (id, command) = (Identity::default().id(), command.unwrap_or_default());
    let folder_is = (name != folder_name).then(|| folder_name.to_owned());
    let version =
        Version { name, number: 0, id, source: None, command, processes, folder: folder_is, twin: false };
    let here = |why: String| why.replace(&staged.path().display().to_string(), &path.display().to_string());
    let version = if let Some(build) = &build {
        let mut source = Identity::default();
        source.add(format!("{:?} {build:?} {processes:?}", version.command).as_bytes());
        source.add_files(staged.path()).map_err(|error| here(error.to_string()))?;
        Version { source: Some(source.id()), ..version }
    } else {
        settled(&version, staged.path(), of).map_err(here)?
    };
    let content = content(staged.path()).map_err(|error| here(io_words(&error)))?;
    Ok(Found { version, build, called: folder_name.to_owned(), folder, content, note: String::new(), staged })
}

/// The version with its command and id, now that its files are those that play.
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
    /// Makes it a version of its own, though another bot came with the same files.
    ///
    /// # Errors
    /// It can't be started; in words, with the remedy.
    pub(super) fn set_apart(&mut self, of: Names<'_>) -> Result<(), String> {
        self.version.twin = true;
        if let Some(source) = self.version.source {
            let mut own = Identity::default();
            own.add(source.to_string().as_bytes());
            own.add(self.version.name.as_bytes());
            self.version.source = Some(own.id());
        } else {
            self.version = settled(&self.version, self.files(), of)?;
        }
        Ok(())
    }

    /// Where its copy lies.
    #[must_use]
    pub fn files(&self) -> &Path {
        self.staged.path()
    }

    /// Keeps the copy as that version's for good, unless it is there already.
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::grading::command::{BOT, COMMAND};

    const OF: Names<'_> = Names { game: "zappy", program: "zappy_ai" };

    fn league(fill: impl FnOnce(&Path)) -> (TempDir, Look) {
        let league = tempfile::tempdir().unwrap();
        let bots = league.path().join(BOTS);
        fs::create_dir(&bots).unwrap();
        fill(&bots);
        let look = look(&league);
        (league, look)
    }

    fn look(league: &TempDir) -> Look {
        Intake::default().look(league.path(), OF, None, (&|_| None, &|_| "No".to_owned())).unwrap()
    }

    fn write(bots: &Path, name: &str, file: &str, text: &str) {
        fs::create_dir_all(bots.join(name)).unwrap();
        fs::write(bots.join(name).join(file), text).unwrap();
    }

    #[test]
    fn a_version_is_known_by_its_files_and_a_report_changes_nothing() {
        let (league, first) = league(|bots| write(bots, "ada", "COMMAND", "sh -c true"));
        let bots = league.path().join(BOTS);
        let id = first.found[0].version.id;
        write(&bots, "ada", REPORT, "words");
        let same = look(&league);
        assert_eq!(same.found[0].version.id, id);
        write(&bots, "ada", "notes", "more");
        let other = look(&league);
        assert_ne!(other.found[0].version.id, id);
        let kept = first.found.into_iter().next().unwrap().keep(league.path()).unwrap();
        assert_eq!(kept.bot(league.path()).identify().unwrap(), id);
        drop((same, other));
        // What isn't kept doesn't stay.
        assert_eq!(fs::read_dir(league.path().join(VERSIONS)).unwrap().count(), 1);
    }

    #[test]
    fn a_name_of_two_words_becomes_one_that_stays_beside_it() {
        assert_eq!(["ada", "Zoe Smith", "-x@2", "é\t"].map(called), ["ada", "Zoe_Smith", "_x_2", "é_"]);
        let (_league, look) = league(|bots| write(bots, "Zoe Smith", "COMMAND", "true"));
        let version = &look.found[0].version;
        assert_eq!((&*version.name, version.folder.as_deref()), ("Zoe_Smith", Some("Zoe Smith")));
    }

    #[test]
    fn what_an_author_wrote_is_known_without_how_it_is_started() {
        let (league, first) = league(|bots| {
            write(bots, "zoe", "a.sh", "exit");
            write(bots, "zoe", COMMAND, "sh a.sh");
            write(bots, "aaron", "a.sh", "exit");
            write(bots, "aaron", BOT, "command = \"sh ./a.sh\"");
            write(bots, "bob", COMMAND, "true");
            write(bots, "cyd", COMMAND, "true x");
        });
        let [aaron, bob, cyd, zoe] = &first.found[..] else { panic!("{first:?}") };
        assert_eq!(aaron.content, zoe.content);
        // Where there is nothing but the command, that is the bot.
        assert_ne!(bob.content, cyd.content);
        assert!(aaron.version.id != zoe.version.id && league.path().exists());
    }

    #[test]
    fn a_folder_is_taken_once_it_has_been_the_same_for_so_long() {
        let league = tempfile::tempdir().unwrap();
        write(&league.path().join(BOTS), "ada", COMMAND, "true");
        let mut intake = Intake::default();
        let mut look = |least: u64| {
            let least = Some(Duration::from_secs(least));
            let look = intake.look(league.path(), OF, least, (&|_| None, &|_| String::new())).unwrap();
            (look.found.len(), look.unsettled)
        };
        assert_eq!([look(3_600), look(3_600), look(0)], [(0, true), (0, true), (1, false)]);
        write(&league.path().join(BOTS), "ada", COMMAND, "true x");
        assert_eq!([look(0), look(0)], [(0, true), (1, false)]);
    }

    #[test]
    fn what_is_built_is_known_by_what_was_handed_in() {
        let (league, first) = league(|bots| {
            write(bots, "ada", "Makefile", "zappy_ai:\n\tcp ours zappy_ai\n");
            write(bots, "bob", "bot.toml", "command = \"./x\"\nbuild = \"sh build.sh\"\n");
        });
        let [ada, bob] = &first.found[..] else { panic!("{first:?}") };
        assert_eq!((ada.build.as_deref(), &*ada.version.command), (Some("make"), ""));
        assert_eq!((bob.build.as_deref(), &*bob.version.command), (Some("sh build.sh"), "./x"));
        let source = ada.version.source.unwrap();
        assert_ne!(Some(source), bob.version.source);
        write(&league.path().join(BOTS), "ada", "Makefile", "zappy_ai:\n\tcp mine zappy_ai\n");
        let other = look(&league);
        assert_ne!(other.found[0].version.source, Some(source));
        // What the build made is the version's; where it lies is known before.
        fs::write(ada.files().join("zappy_ai"), "").unwrap();
        assert!(settled(&ada.version, ada.files(), OF).unwrap_err().contains("try chmod +x"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(ada.files().join("zappy_ai"), mode).unwrap();
        let built = settled(&ada.version, ada.files(), OF).unwrap();
        assert_eq!((&*built.command, built.handed_in()), ("./zappy_ai", source));
        assert_ne!(built.id, source);
        let to = built.place(league.path());
        let ada = Found { version: built.clone(), ..first.found.into_iter().next().unwrap() };
        ada.keep(league.path()).unwrap();
        assert_eq!(built.bot(league.path()).identify().unwrap(), built.id);
        assert!(to.ends_with(source.to_string()));
    }

    #[test]
    fn what_is_wrong_is_told_with_the_remedy_and_costs_no_other_bot_anything() {
        let (league, look) = league(|bots| {
            write(bots, "good", "COMMAND", "sh -c true");
            write(bots, "nothing", "readme", "");
            write(bots, "typo", "bot.toml", "\ncomand = \"x\"\n");
            write(bots, "nosy", "COMMAND", "cat --file=/etc/passwd");
            write(bots, "lost", "COMMAND", "./bot");
            write(bots, "script", "COMMAND", "sh bot.sh");
            write(bots, &"a".repeat(57), "COMMAND", "true");
            write(bots, "GRAPHIC", "COMMAND", "true");
            write(bots, "good@", "COMMAND", "true");
            write(bots, "good ", "COMMAND", "true");
            write(bots, ".upload", "COMMAND", "true");
            fs::create_dir(bots.join(OsStr::from_bytes(b"\xff"))).unwrap();
            fs::write(bots.join("file"), "").unwrap();
            symlink(bots.join("good"), bots.join("twin")).unwrap();
            fs::create_dir(bots.join("linked")).unwrap();
            symlink("/etc/passwd", bots.join("linked/COMMAND")).unwrap();
        });
        let found: Vec<(&str, &str)> =
            look.found.iter().map(|found| (&*found.called, &*found.version.name)).collect();
        assert_eq!(found, [("good", "good"), ("good ", "good_")]);
        let long = "a".repeat(57);
        let told: Vec<(&str, &str)> =
            look.refused.iter().map(|refused| (&*refused.name, &*refused.why)).collect();
        assert_eq!(told.len(), 12, "{told:?}");
        for (name, words) in [
            ("nothing", "hand in a bot.toml with the line command ="),
            (
                "typo",
                "its bot.toml, line 2: there is no key \"comand\"; there are command, build and processes",
            ),
            ("nosy", "its command names \"/etc/passwd\"; name programs"),
            ("lost", "there is no program \"./bot\""),
            ("script", "there is no script \"bot.sh\" in /"),
            (&*long, "has 57 bytes, and 56 at most"),
            ("GRAPHIC", "no bot can be called \"GRAPHIC\""),
            ("good@", "it would be called good_, as the bot in the folder \"good \" is; rename"),
            ("file", "it is no folder; put each bot into a folder of its own"),
            ("twin", "it is no folder"),
            ("linked", "nothing says how it is started"),
        ] {
            let why = told.iter().find(|(told, _)| *told == name).unwrap().1;
            assert!(why.contains(words) && !why.contains(".new-"), "{name}: {why}");
        }
        assert!(told.iter().any(|(_, why)| why.contains("isn't UTF-8")));
        let report = fs::read_to_string(league.path().join("bots/lost").join(REPORT)).unwrap();
        assert!(report.starts_with("No: its command: there is no program"), "{report}");
    }
}
