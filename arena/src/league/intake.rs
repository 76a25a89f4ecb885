//! What authors have handed in: each folder below `bots` is a bot, copied as it is and known by the hash of that copy.
//!
//! A folder that can't be taken in is told to its author and to people, and costs no other bot anything. Starts nothing.
//! Tested in this module.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tempfile::TempDir;

use super::round::{VERSIONS, Version};
use super::staging::{Folder, leave, open_folder, stage};
use crate::play::setup::MAX_PROCESSES;
use crate::programs::command::split;
use crate::text::{io_words, toml_words};
use crate::tournament::Error;
use crate::tournament::bots::{NAMES, is_name};
use crate::tournament::identity::{Id, Identity, stamp_without};

/// The folder of the bots.
pub const BOTS: &str = "bots";
/// What the arena leaves for an author in a bot's folder; no part of the bot.
pub const REPORT: &str = "check-report.txt";
/// What the name of a copy begins with that isn't kept yet.
pub const COPY: &str = ".new-";
/// Bots of a league.
pub const MOST_BOTS: usize = 200;
/// Entries of the folder of the bots that are looked at.
const MOST_ENTRIES: usize = 2_000;
/// The longest name of a bot, in bytes; its version stands behind it.
const LONGEST_NAME: usize = 56;
/// The longest `bot.toml` or `COMMAND`, in bytes.
const LONGEST: u64 = 64 << 10;
/// Programs by which a bot without `bot.toml` and `COMMAND` is started, as the starters are.
const STARTERS: [(&str, &str); 5] = [
    ("bot.py", "python3 bot.py -p {port} -n {team} -h {host}"),
    ("bot.js", "node bot.js -p {port} -n {team} -h {host}"),
    ("Bot.class", "java -cp . Bot -p {port} -n {team} -h {host}"),
    ("Bot.java", "java Bot.java -p {port} -n {team} -h {host}"),
    ("bot", "./bot -p {port} -n {team} -h {host}"),
];

/// `bot.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    command: String,
    processes: Option<u32>,
}

/// A bot as it lies there now.
#[derive(Debug)]
pub struct Found {
    /// Its version; the number is still to be given.
    pub version: Version,
    /// Its folder.
    pub folder: Folder,
    /// The copy of its files, which goes with this.
    staged: TempDir,
}

/// A bot that isn't in the field, or not as it lies there now.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// What its folder is called.
    pub name: String,
    /// Why, with the remedy.
    pub why: String,
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
    /// What the file system told of each at the last look, and why it is none; not even that if it wasn't taken in yet.
    seen: HashMap<OsString, (Id, Option<Option<String>>)>,
}

impl Intake {
    /// Takes a bot in anew at the next look.
    pub fn forget(&mut self, name: &str) {
        self.seen.remove(OsStr::new(name));
    }

    /// Whether a bot isn't taken in anew before its files change.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.seen.contains_key(OsStr::new(name))
    }

    /// Notes why a bot isn't taken as it lies there, so that it is told until its files change.
    pub fn refuse(&mut self, name: &str, why: &str) {
        if let Some((_, taken)) = self.seen.get_mut(OsStr::new(name)) {
            *taken = Some(Some(why.to_owned()));
        }
    }

    /// Looks at all bots of a league for that game, and copies those that have changed below its folder. With `patience` a bot is
    /// taken only when its files have been the same in two looks: it may be on its way there.
    ///
    /// # Errors
    /// The league's own folders can't be read or written.
    pub fn look(&mut self, league: &Path, game: &str, patience: bool) -> Result<Look, Error> {
        let names = names(league)?;
        self.seen.retain(|name, _| names.contains(name));
        let (mut look, versions) = (Look::default(), league.join(VERSIONS));
        for name in names {
            let path = league.join(BOTS).join(&name);
            let stamp = || stamp_without(&path, &[REPORT]).unwrap_or_else(|_| Identity::default().id());
            let (before, full) = (stamp(), look.found.len() + look.same.len() >= MOST_BOTS);
            match self.seen.get(&name) {
                Some((last, Some(why))) if *last == before && !full => {
                    let shown = name.to_string_lossy().into_owned();
                    match why {
                        Some(why) => look.refused.push(Refused { name: shown, why: why.clone() }),
                        None => look.same.push(shown),
                    }
                    continue;
                }
                Some((last, _)) if *last == before => {}
                _ if patience => {
                    self.seen.insert(name, (before, None));
                    look.unsettled = true;
                    continue;
                }
                _ => {}
            }
            let taken = match name.to_str() {
                _ if full => Err(format!(
                    "a league has at most {MOST_BOTS} bots; this one waits until another is removed"
                )),
                Some(name) => take(name, &path, &versions, game),
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
                Err(why) => look.refused.push(refuse(&name.to_string_lossy(), &path, &why)),
            }
            self.seen.insert(name, (before, Some(why)));
        }
        Ok(look)
    }
}

/// The names in the folder of the bots, in their order; it is made if it isn't there.
fn names(league: &Path) -> Result<Vec<OsString>, Error> {
    let (bots, versions) = (league.join(BOTS), league.join(VERSIONS));
    for folder in [&bots, &versions] {
        fs::create_dir_all(folder).map_err(|error| Error::File(folder.clone(), error))?;
    }
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

/// Tells the author, too, where there is a folder to do so in.
fn refuse(name: &str, path: &Path, why: &str) -> Refused {
    if let Ok(folder) = open_folder(path) {
        tell(&folder, name, &format!("This bot is not in the league: {why}\n"));
    }
    Refused { name: zappy_protocol::text::shown(name.as_bytes()), why: why.to_owned() }
}

/// Leaves a report in a bot's folder; where that can't be done people are told.
pub(super) fn tell(folder: &Folder, name: &str, text: &str) {
    if let Err(error) = leave(folder, REPORT, text) {
        log::warn!("{name}: {REPORT} can't be written into its folder: {}", io_words(&error));
    }
}

fn take(name: &str, path: &Path, versions: &Path, game: &str) -> Result<Found, String> {
    if !is_name(name) || name.contains(['@', '/']) || name.len() > LONGEST_NAME {
        return Err(format!(
            "no bot can be called so: {NAMES}; in a league the name has at most {LONGEST_NAME} bytes and no @"
        ));
    }
    let folder =
        open_folder(path).map_err(|_| "it is no folder; put each bot into a folder of its own".to_owned())?;
    let new = tempfile::Builder::new().prefix(COPY).tempdir_in(versions);
    let staged = new.map_err(|error| format!("it can't be copied: {}", io_words(&error)))?;
    stage(&folder, staged.path(), &[REPORT, &format!(".{REPORT}.new")]).map_err(|error| io_words(&error))?;
    let Written { command, processes } = command(staged.path(), game)?;
    if processes.is_some_and(|n| n == 0 || n as usize > MAX_PROCESSES) {
        return Err(format!("bot.toml: processes is out of range; it goes from 1 to {MAX_PROCESSES}"));
    }
    keeps_to_its_folder(&command)?;
    let nobody = Id::parse("0000000000000000").ok_or("no id")?;
    let mut version = Version { name: name.to_owned(), number: 0, id: nobody, command, processes };
    let mut bot = version.bot(Path::new(""));
    bot.folder = Some(staged.path().to_path_buf());
    let here = |why: String| why.replace(&staged.path().display().to_string(), &path.display().to_string());
    let template = bot.template(bot.folder.as_deref()).map_err(&here)?;
    template.with_script("its command", staged.path()).map_err(|error| here(error.to_string()))?;
    version.id = bot.identify().map_err(&here)?;
    Ok(Found { version, folder, staged })
}

/// How the bot is started: by `bot.toml`, else by `COMMAND`, else as the starter whose file is there.
fn command(folder: &Path, game: &str) -> Result<Written, String> {
    let read = |name: &str| match zappy_server::files::read(&folder.join(name), LONGEST) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| format!("{name}: it isn't UTF-8")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{name}: {}", io_words(&error))),
    };
    // What a link names isn't the bot's.
    let own = |name: &&str| fs::symlink_metadata(folder.join(name)).is_ok_and(|meta| meta.is_file());
    if let Some(text) = Some("bot.toml").filter(own).map_or(Ok(None), read)? {
        return toml::from_str(&text).map_err(|error| {
            let what = toml_words(&error, &text);
            format!("bot.toml: {what}; it has a line command = \"…\", and may have processes = N")
        });
    }
    let written = |command: String| Written { command, processes: None };
    if let Some(text) = Some("COMMAND").filter(own).map_or(Ok(None), read)? {
        return Ok(written(text.lines().next().unwrap_or_default().trim().to_owned()));
    }
    let of_game = format!("{game}.py");
    if own(&&*of_game) {
        return Ok(written(STARTERS[0].1.replace(STARTERS[0].0, &of_game)));
    }
    let starter = STARTERS.iter().find(|(file, _)| own(file));
    starter.map(|(_, command)| written((*command).to_owned())).ok_or_else(|| {
        let files: Vec<&str> = STARTERS.iter().map(|(file, _)| *file).collect();
        format!(
            "nothing says how it is started: write a bot.toml with the line command = \"python3 my_bot.py -p {{port}} -n \
             {{team}} -h {{host}}\", or call its program {}; what must be compiled, hand in compiled",
            files.join(", ")
        )
    })
}

/// Whether the command names programs of the system and files of the bot alone: what it names elsewhere would come in sight of
/// the sandbox.
fn keeps_to_its_folder(command: &str) -> Result<(), String> {
    let words = split("its command", command).map_err(|error| error.to_string())?;
    let parts = words.iter().flat_map(|word| word.split(['=', ':', ',']));
    match parts.map(Path::new).find(|part| {
        part.is_absolute() || part.components().any(|part| part == std::path::Component::ParentDir)
    }) {
        Some(part) => Err(format!(
            "its command names {:?}; name programs of the system without a path, and files by their path from the bot's folder",
            part.display().to_string()
        )),
        None => Ok(()),
    }
}

impl Found {
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
        let to: PathBuf = league.join(VERSIONS).join(self.version.id.to_string());
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

    fn league(fill: impl FnOnce(&Path)) -> (TempDir, Look) {
        let league = tempfile::tempdir().unwrap();
        let bots = league.path().join(BOTS);
        fs::create_dir(&bots).unwrap();
        fill(&bots);
        let look = Intake::default().look(league.path(), "zappy", false).unwrap();
        (league, look)
    }

    fn write(bots: &Path, name: &str, file: &str, text: &str) {
        fs::create_dir_all(bots.join(name)).unwrap();
        fs::write(bots.join(name).join(file), text).unwrap();
    }

    #[test]
    fn a_bot_says_how_it_is_started_or_is_as_the_starters_are() {
        let toml = "command = \"sh -c 'echo {port}'\"\nprocesses = 2\n";
        let (_league, look) = league(|bots| {
            write(bots, "toml", "bot.toml", toml);
            write(bots, "line", "COMMAND", "sh run.sh {port}\r\n");
            write(bots, "line", "run.sh", "");
            write(bots, "py", "bot.py", "");
            write(bots, "game", "bot.py", "");
            write(bots, "game", "zappy.py", "");
        });
        assert_eq!(look.refused, []);
        let commands: Vec<(&str, &str, Option<u32>)> = look
            .found
            .iter()
            .map(|found| (&*found.version.name, &*found.version.command, found.version.processes))
            .collect();
        let python = "python3 bot.py -p {port} -n {team} -h {host}";
        assert_eq!(
            commands,
            [
                ("game", "python3 zappy.py -p {port} -n {team} -h {host}", None),
                ("line", "sh run.sh {port}", None),
                ("py", python, None),
                ("toml", "sh -c 'echo {port}'", Some(2)),
            ]
        );
    }

    #[test]
    fn a_version_is_known_by_its_files_and_a_report_changes_nothing() {
        let (league, first) = league(|bots| write(bots, "ada", "COMMAND", "sh -c true"));
        let bots = league.path().join(BOTS);
        let id = first.found[0].version.id;
        write(&bots, "ada", REPORT, "words");
        let same = Intake::default().look(league.path(), "zappy", false).unwrap();
        assert_eq!(same.found[0].version.id, id);
        write(&bots, "ada", "notes", "more");
        let other = Intake::default().look(league.path(), "zappy", false).unwrap();
        assert_ne!(other.found[0].version.id, id);
        let kept = first.found.into_iter().next().unwrap().keep(league.path()).unwrap();
        assert_eq!(kept.bot(league.path()).identify().unwrap(), id);
        drop((same, other));
        // What isn't kept doesn't stay.
        assert_eq!(fs::read_dir(league.path().join(VERSIONS)).unwrap().count(), 1);
    }

    #[test]
    fn what_is_wrong_is_told_with_the_remedy_and_costs_no_other_bot_anything() {
        let (league, look) = league(|bots| {
            write(bots, "good", "COMMAND", "sh -c true");
            write(bots, "nothing", "readme", "");
            write(bots, "typo", "bot.toml", "\ncomand = \"x\"\n");
            write(bots, "greedy", "bot.toml", "command = \"true\"\nlimits = { memory_mib = 9 }\n");
            write(bots, "many", "bot.toml", "command = \"true\"\nprocesses = 501\n");
            write(bots, "nosy", "COMMAND", "cat --file=/etc/passwd");
            write(bots, "climber", "COMMAND", "../good/bot");
            write(bots, "lost", "COMMAND", "./bot");
            write(bots, "script", "COMMAND", "sh bot.sh");
            write(bots, "a@2", "COMMAND", "true");
            write(bots, "two words", "COMMAND", "true");
            write(bots, ".upload", "COMMAND", "true");
            fs::create_dir(bots.join(OsStr::from_bytes(b"\xff"))).unwrap();
            fs::write(bots.join("file"), "").unwrap();
            symlink(bots.join("good"), bots.join("twin")).unwrap();
            fs::create_dir(bots.join("linked")).unwrap();
            symlink("/etc/passwd", bots.join("linked/COMMAND")).unwrap();
        });
        assert_eq!(look.found.len(), 1);
        let told: Vec<(&str, &str)> =
            look.refused.iter().map(|refused| (&*refused.name, &*refused.why)).collect();
        assert_eq!(told.len(), 14, "{told:?}");
        for (name, words) in [
            ("nothing", "write a bot.toml with the line command ="),
            ("typo", "bot.toml: line 2: unknown field `comand`"),
            ("greedy", "bot.toml: line 2: unknown field `limits`"),
            ("many", "processes is out of range; it goes from 1 to 500"),
            ("nosy", "its command names \"/etc/passwd\"; name programs"),
            ("climber", "its command names \"../good/bot\""),
            ("lost", "there is no program \"./bot\""),
            ("script", "there is no script \"bot.sh\" in /"),
            ("a@2", "at most 56 bytes and no @"),
            ("two words", "use one word"),
            ("file", "it is no folder; put each bot into a folder of its own"),
            ("twin", "it is no folder"),
            ("linked", "nothing says how it is started"),
        ] {
            let why = told.iter().find(|(told, _)| *told == name).unwrap().1;
            assert!(why.contains(words) && !why.contains(".new-"), "{name}: {why}");
        }
        assert!(told.iter().any(|(_, why)| why.contains("isn't UTF-8")));
        let report = fs::read_to_string(league.path().join("bots/lost").join(REPORT)).unwrap();
        assert!(report.starts_with("This bot is not in the league: "), "{report}");
    }
}
