//! The bots: `bots.toml` as people write it, and the book (`bots.json`) in which a tournament keeps the checked bots.
//!
//! Reads files and starts nothing. What is wrong is said in one line that names file, bot and remedy. Tested in
//! this module.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use zappy_play::programs::command::{Template, is_on_path, split};
pub use zappy_play::programs::limits::Limits;
use zappy_play::setup::MAX_PROCESSES;
use zappy_play::text::{io_words, toml_words};
use zappy_protocol::TeamName;
use zappy_server::files;

use super::Error;
use super::identity::{Id, IdHasher, file_paths, stamp};

/// The most bots of one tournament.
pub const MOST_BOTS: usize = 1_000;
/// The longest `bots.toml`, in bytes.
const LONGEST_FILE: u64 = 4 << 20;

/// What a bot's name must be, as the remedy in an error.
pub const NAME_REMEDY: &str =
    "use one word of at most 64 bytes that doesn't begin with a dash; no bot is called GRAPHIC";

/// A bot as a file or a command line describes it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSpec {
    pub name: String,
    pub command: String,
    pub folder: Option<PathBuf>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    pub processes: Option<u32>,
    #[serde(default)]
    pub limits: Limits,
}

/// The content of `bots.toml`, unchecked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotsFile {
    #[serde(default)]
    pub(super) limits: Limits,
    #[serde(default)]
    pub(super) bot: Vec<BotSpec>,
}

/// A bot as a tournament knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bot {
    /// The hash of what the bot is made of.
    pub id: Id,
    /// What people call it; no key.
    pub name: String,
    /// How it is started, with placeholders.
    pub command: String,
    /// Its working folder, absolute; all files below it are the bot. `None`: it works in the folder in which the arena
    /// was started.
    pub folder: Option<PathBuf>,
    /// Environment variables that it gets besides the usual ones.
    pub environment: BTreeMap<String, String>,
    /// How often the command is started for a team; `None`: once for each slot.
    pub processes: Option<u32>,
    /// What its programs may use.
    pub limits: Limits,
}

/// All bots of a tournament, in the order in which they were written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    pub version: u32,
    pub bots: Vec<Bot>,
    /// Folders that no bot may see, besides the tournament's and the bots' own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<PathBuf>,
}

impl Book {
    /// The bot of that id.
    pub fn bot(&self, id: Id) -> Option<&Bot> {
        self.bots.iter().find(|bot| bot.id == id)
    }

    /// The bot of that id, which a plan names.
    ///
    /// # Errors
    /// The book has no bot of that id.
    pub fn known(&self, id: Id) -> Result<&Bot, Error> {
        let unknown = || Error::Arena(format!("bots.json names no bot {id}; plan another tournament"));
        self.bot(id).ok_or_else(unknown)
    }

    /// The names of these bots' teams in one match: those of the bots, or the first of name-2, name-3 and so on that is free.
    ///
    /// # Errors
    /// The book has no such bot, or no team can have that name.
    pub fn teams(&self, seats: &[Id]) -> Result<Vec<TeamName>, Error> {
        let mut teams: Vec<TeamName> = Vec::new();
        for id in seats {
            let name = &self.known(*id)?.name;
            let free = |name: &String| teams.iter().all(|team| team.as_str() != *name);
            let names = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}-{n}")));
            let name = names.take(teams.len() + 1).find(free).unwrap_or_default();
            let wrong = || Error::Arena(format!("no team can be called {name:?}"));
            teams.push(TeamName::parse(name.as_bytes()).ok_or_else(wrong)?);
        }
        Ok(teams)
    }

    /// Reads `bots.toml` and every bot's files.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(path: &Path) -> Result<Book, Error> {
        let (text, beside) = load("--bots", path)?;
        Book::parse(path, &text, &beside)
    }

    /// The bots of these names and commands, which have no folder and no limits of their own.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn of(commands: &[(&str, &str)], processes: Option<u32>) -> Result<Book, Error> {
        let here = std::env::current_dir().map_err(|error| Error::File(".".into(), error))?;
        let bots = commands.iter().enumerate().map(|(i, &(name, command))| {
            let (name, command) = (name.to_owned(), command.to_owned());
            let spec = BotSpec { name, command, processes, ..BotSpec::default() };
            check_bot(Path::new("compare"), i + 1, spec, Limits::default(), &here)
        });
        Ok(Book { version: 1, bots: bots.collect::<Result<_, _>>()?, hidden: Vec::new() })
    }

    /// Reads the bots from a text. Their paths are relative to the folder `beside`; errors call the text `path`.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(path: &Path, text: &str, beside: &Path) -> Result<Book, Error> {
        Book::check_all(path, decode(path, text)?, 1, beside)
    }

    /// Checks all bots of the file `path`, of which errors give the first the number `first`.
    pub(super) fn check_all(path: &Path, file: BotsFile, first: usize, beside: &Path) -> Result<Book, Error> {
        let count = file.bot.len();
        if !(2..=MOST_BOTS).contains(&count) {
            let what = format!("it names {count} bots; a tournament takes 2 to {MOST_BOTS}");
            return Err(Error::Bots { path: path.into(), what });
        }
        let (mut bots, mut wrong) = (Vec::<Bot>::with_capacity(count), Vec::new());
        for (number, spec) in (first..).zip(file.bot) {
            let bot = match check_bot(path, number, spec, file.limits, beside) {
                Ok(bot) => bot,
                Err(error) => {
                    wrong.push(error);
                    continue;
                }
            };
            if bots.iter().any(|other| other.name == bot.name) {
                let what = format!("two bots are called {}; people could not tell them apart", bot.name);
                wrong.push(Error::Bots { path: path.into(), what });
            } else if let Some(other) = bots.iter().find(|other| other.id == bot.id) {
                wrong.push(Error::Same { path: path.into(), one: other.name.clone(), other: bot.name });
            } else {
                bots.push(bot);
            }
        }
        match wrong.len() {
            0 => Ok(Book { version: 1, bots, hidden: Vec::new() }),
            1 => Err(wrong.remove(0)),
            _ => Err(Error::Several(wrong)),
        }
    }
}

/// Whether a bot can have this name.
pub fn is_name(name: &str) -> bool {
    let is_reserved =
        name.contains(char::is_whitespace) || name.starts_with('-') || name == zappy_protocol::OBSERVER_NAME;
    !is_reserved && TeamName::parse(name.as_bytes()).is_some()
}

/// The text of a file that the user named with this flag, and the folder in which it lies.
pub(super) fn load(flag: &str, path: &Path) -> Result<(String, PathBuf), Error> {
    let failed = |error: io::Error| Error::Plan(format!("{flag} {}: {}", path.display(), io_words(&error)));
    let bytes = files::read(path, LONGEST_FILE).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => {
            let what = format!("longer than {} MiB; give the file that names the bots", LONGEST_FILE >> 20);
            Error::Bots { path: path.into(), what }
        }
        _ => failed(error),
    })?;
    let text = String::from_utf8(bytes).map_err(|error| failed(io::Error::other(error)))?;
    let absolute = std::path::absolute(path).map_err(failed)?;
    Ok((text, absolute.parent().unwrap_or(Path::new("/")).to_path_buf()))
}

/// Reads the bots of a text, without a look at their files. Errors call the text `path`.
///
/// # Errors
/// It is no `bots.toml`; the error has the line.
pub fn decode(path: &Path, text: &str) -> Result<BotsFile, Error> {
    toml::from_str(text).map_err(|error| Error::Bots { path: path.into(), what: toml_words(&error, text) })
}

/// Checks bot number `number` of the file `path`, and finds its id. Its paths are relative to the folder `beside`;
/// `limits` stand in for those that the bot doesn't set.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn check_bot(
    path: &Path,
    number: usize,
    spec: BotSpec,
    limits: Limits,
    beside: &Path,
) -> Result<Bot, Error> {
    let BotSpec { name, command, folder, environment, processes, limits: own } = spec;
    if !is_name(&name) {
        let (limit, remedy) = (TeamName::LIMIT, "bytes that doesn't begin with a dash");
        let what = format!("bot {number} is called {name:?}; use one word of at most {limit} {remedy}");
        return Err(Error::Bots { path: path.into(), what });
    }
    let wrong = |what: String| Error::Bot { path: path.into(), name: name.clone(), what };
    if processes.is_some_and(|n| n == 0 || n as usize > MAX_PROCESSES) {
        return Err(wrong(format!("processes is out of range; it goes from 1 to {MAX_PROCESSES}")));
    }
    let mut variables = environment.iter();
    if let Some((key, _)) =
        variables.find(|(key, value)| key.is_empty() || key.contains(['=', '\0']) || value.contains('\0'))
    {
        return Err(wrong(format!(
            "environment: {key:?} can't be set; a name is not empty and holds no =, and neither it nor its value a NUL"
        )));
    }
    let folder = folder.map(|folder| beside.join(folder));
    if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(wrong(format!("there is no folder {}", folder.display())));
    }
    let command = make_absolute(command, folder.is_none().then_some(beside), |_| false);
    let limits = own.or(limits);
    let Limits { memory_mib, cpu_seconds, log_kib, disk_mib, team_memory_mib, .. } = limits;
    if [memory_mib, cpu_seconds, log_kib, disk_mib, team_memory_mib].contains(&Some(0))
        || [limits.processes, limits.files].contains(&Some(0))
    {
        return Err(wrong("a limit of 0 lets nothing run; the least is 1".to_owned()));
    }
    if let Some((started, most)) = processes.zip(limits.processes).filter(|(started, most)| started > most) {
        return Err(wrong(format!(
            "processes is {started}, but limits.processes allows {most}; raise the limit"
        )));
    }
    let unknown = IdHasher::default().id();
    let mut bot = Bot { id: unknown, name: name.clone(), command, folder, environment, processes, limits };
    bot.id = bot.identify().map_err(&wrong)?;
    let works_in = bot.folder.as_deref().unwrap_or(beside);
    let template = bot.template(bot.folder.as_deref()).map_err(&wrong)?;
    template.with_script("its command", works_in).map_err(|error| wrong(error.to_string()))?;
    Ok(bot)
}

/// The command with absolute paths for its program and for the arguments that `is_file` picks, both taken from the
/// folder `beside`, so that it can be started from any folder. Without `beside` it stays as it is: a bot with a folder
/// is started there.
pub(super) fn make_absolute(
    command: String,
    beside: Option<&Path>,
    is_file: impl Fn(&str) -> bool,
) -> String {
    let Some((beside, mut words)) = beside.zip(shlex::split(&command)) else { return command };
    let mut changed = false;
    for (place, word) in words.iter_mut().enumerate().filter(|(_, word)| !word.starts_with('/')) {
        let is_path = if place == 0 { word.contains('/') } else { is_file(word) };
        if is_path {
            *word = beside.join(&word).display().to_string();
            changed = true;
        }
    }
    let joined = shlex::try_join(words.iter().map(String::as_str)).ok();
    joined.filter(|_| changed).unwrap_or(command)
}

impl Bot {
    /// The bot's command, with its program found below `folder`.
    ///
    /// # Errors
    /// In words, when there is no such program.
    pub fn template(&self, folder: Option<&Path>) -> Result<Template, String> {
        let folder = folder.unwrap_or(Path::new(""));
        Template::parse_in("its command", &self.command, folder).map_err(|error| error.to_string())
    }

    /// The id that follows from what its files hold now.
    ///
    /// # Errors
    /// In words, when they can't be read or its program is gone.
    pub fn identify(&self) -> Result<Id, String> {
        let template = self.template(self.folder.as_deref())?;
        let mut hasher = IdHasher::default();
        if self.folder.is_some() {
            hasher.add(self.command.as_bytes());
        } else {
            // The program counts by what is in it, not by where it lies.
            let words = split("its command", &self.command).map_err(|error| error.to_string())?;
            hasher.add(template.program().file_name().unwrap_or_default().as_encoded_bytes());
            words[1..].iter().for_each(|word| hasher.add(word.as_bytes()));
        }
        for (key, value) in &self.environment {
            hasher.add(key.as_bytes());
            hasher.add(value.as_bytes());
        }
        hasher.add(format!("{:?} {:?}", self.processes, self.limits).as_bytes());
        let add = |root: &PathBuf| hasher.add_files(root).map_err(|error| error.to_string());
        self.roots(&template).iter().try_for_each(add)?;
        Ok(hasher.id())
    }

    /// The bot's program, unless that is the system's, and the files that its command names as arguments.
    pub fn command_files(&self) -> Vec<PathBuf> {
        let Ok(template) = self.template(self.folder.as_deref()) else { return Vec::new() };
        let program = Some(template.program().to_path_buf()).filter(|path| !is_on_path(path));
        program.into_iter().chain(self.argument_files()).collect()
    }

    /// The error that this bot can't be played with, for a reason in words.
    pub(super) fn unplayable(&self, why: &str) -> Error {
        Error::Plan(format!("bot {}: {why}", self.name))
    }

    /// The files that its command names as arguments.
    fn argument_files(&self) -> impl Iterator<Item = PathBuf> {
        let words = split("its command", &self.command).unwrap_or_default().into_iter().skip(1);
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        words.map(move |word| folder.join(word)).filter(|path| path.is_file())
    }

    /// All files of the bot: those below its folder or, without a folder, those of its command.
    pub fn files(&self) -> Vec<PathBuf> {
        let folder = self.folder.as_ref();
        folder.map_or_else(|| self.command_files(), |folder| file_paths(folder).unwrap_or_default())
    }

    /// The paths below which its files lie: its folder or, without one, its program and the files that its command
    /// names.
    fn roots(&self, template: &Template) -> Vec<PathBuf> {
        if let Some(folder) = &self.folder {
            return vec![folder.clone()];
        }
        std::iter::once(template.program().to_path_buf()).chain(self.argument_files()).collect()
    }

    /// A hash of the sizes and times of its files, which changes when a file does and is quicker than to read them all.
    ///
    /// # Errors
    /// In words, when they can't be looked at.
    pub fn stamp(&self) -> Result<Id, String> {
        let roots = self.roots(&self.template(self.folder.as_deref())?).into_iter();
        let stamps = roots.map(|root| Ok(stamp(&root).map_err(|error| error.to_string())?.bytes()));
        Ok(Id::of(stamps.collect::<Result<Vec<_>, String>>()?))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder with two bots in it.
    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for name in ["ada", "bob"] {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("bot"), format!("#!/bin/sh\n# {name}\n")).unwrap();
            fs::set_permissions(folder.join("bot"), fs::Permissions::from_mode(0o755)).unwrap();
        }
        place
    }

    fn parse(place: &tempfile::TempDir, text: &str) -> Result<Book, String> {
        Book::parse(Path::new("bots.toml"), text, place.path()).map_err(|error| error.to_string())
    }

    const TWO_BOTS: &str = "[limits]\nmemory_mib = 256\ncpu_seconds = 9\n\
        [[bot]]\nname = \"ada\"\ncommand = \"./bot {port}\"\nfolder = \"ada\"\nlimits = { memory_mib = 512 }\n\
        [[bot]]\nname = \"bob\"\ncommand = \"./bot {port}\"\nfolder = \"bob\"\n";

    #[test]
    fn a_device_is_no_file_of_bots() {
        let refused = load("--bots", Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(refused.contains("this is a folder, a pipe or a device"), "{refused}");
    }

    #[test]
    fn a_bot_is_known_by_what_it_is_made_of_and_not_by_its_name() {
        let place = place();
        let book = parse(&place, TWO_BOTS).unwrap();
        let [ada, bob] = &book.bots[..] else { panic!("two bots") };
        assert_eq!((ada.limits.memory_mib, ada.limits.cpu_seconds), (Some(512), Some(9)));
        assert_eq!((bob.limits.memory_mib, bob.limits.cpu_seconds), (Some(256), Some(9)));
        assert_ne!(ada.id, bob.id);
        let renamed = parse(&place, &TWO_BOTS.replace("name = \"ada\"", "name = \"eve\"")).unwrap();
        assert_eq!((renamed.bots[0].id, &renamed.bots[0].name[..]), (ada.id, "eve"));
        fs::write(place.path().join("ada/notes"), "more").unwrap();
        assert_ne!(parse(&place, TWO_BOTS).unwrap().bots[0].id, ada.id);
        let written = serde_json::to_string(&book).unwrap();
        assert_eq!(serde_json::from_str::<Book>(&written).unwrap(), book);
    }

    #[test]
    fn what_is_wrong_is_named_with_file_bot_and_remedy() {
        let place = place();
        fs::write(place.path().join("bob/bot"), "#!/bin/sh\n# ada\n").unwrap();
        let error = |from: &str, to: &str| parse(&place, &TWO_BOTS.replace(from, to)).unwrap_err();
        let same = error("limits = { memory_mib = 512 }\n", "");
        assert!(same.contains("ada and bob are the same bot"), "{same}");
        for (from, to, words) in [
            ("[[bot]]\nname = \"bob\"", "[[bot]]\nname = \"ada\"", "two bots are called ada"),
            ("\"bob\"\ncommand", "\"b b\"\ncommand", "bot 2 is called \"b b\"; use one word"),
            ("folder = \"bob\"", "folder = \"eve\"", "bot bob: there is no folder"),
            (
                "./bot {port}\"\nfolder = \"bob\"",
                "./run\"\nfolder = \"bob\"",
                "there is no program \"./run\"",
            ),
            (
                "./bot {port}\"\nfolder = \"bob\"",
                "./bot {prt}\"\nfolder = \"bob\"",
                "\"{prt}\" is no placeholder; there are",
            ),
            (
                "./bot {port}\"\nfolder = \"bob\"",
                "sh bto.sh\"\nfolder = \"bob\"",
                "there is no script \"bto.sh\" in /",
            ),
            ("memory_mib = 256", "memory = 256", "line 2: unknown field `memory`"),
            (
                "folder = \"bob\"",
                "environment = { A = \"\\u0000\" }",
                "bot bob: environment: \"A\" can't be set",
            ),
            (
                "folder = \"bob\"",
                "environment = { \"A=\" = \"\" }",
                "bot bob: environment: \"A=\" can't be set",
            ),
            ("folder = \"bob\"", "processes = 0", "bot bob: processes is out of range"),
            (
                "folder = \"bob\"",
                "processes = 9\nlimits = { processes = 8 }",
                "bot bob: processes is 9, but limits.processes allows 8",
            ),
        ] {
            let error = error(from, to);
            assert!(error.starts_with("bots.toml: ") && error.contains(words), "{error}");
        }
        let both = TWO_BOTS.replace("folder = \"", "folder = \"no-");
        let both = parse(&place, &both).unwrap_err();
        let lines: Vec<&str> = both.lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with("bots.toml: bot ada: there is no folder"), "{both}");
        assert!(lines[1].starts_with("bots.toml: bot bob: there is no folder"), "{both}");
        let one = parse(&place, &TWO_BOTS[..TWO_BOTS.rfind("[[bot]]").unwrap()]).unwrap_err();
        assert_eq!(one, "bots.toml: it names 1 bots; a tournament takes 2 to 1000");
    }
}
