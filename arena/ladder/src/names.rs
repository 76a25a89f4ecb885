//! The names of the bots that may play, each with the hash of its token: a connection with the token plays for that
//! bot.
//!
//! A token is printed once, when it is drawn, and kept nowhere. The file of names is written whole, by one process at a
//! time, and only its user may read it. Tested in this module.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use zappy_play::signature::{Hash, hash};
use zappy_protocol::text::{is_terminal_control, shown};
use zappy_protocol::{OBSERVER_NAME, TeamName};
use zappy_server::files;
use zappy_tournament::Error;
use zappy_tournament::bots::MOST_BOTS;
use zappy_tournament::claim::Claim;
use zappy_tournament::place::{PLAN, read_json};
use zappy_tournament::seeds::Seeds;

/// The file of the names.
pub const NAMES: &str = "names.json";
/// The longest file of names or list to import, in bytes.
const LONGEST_FILE: u64 = 1 << 20;
/// The longest name of a bot, in bytes: with a colon and a token it is as long as a team's name may be.
pub const NAME_LIMIT: usize = 31;
/// How long another process may take to change the names, and the pause between two looks at its lock.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// The bytes that some editors write ahead of a text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// What is appended to the name of an imported file for the file with its tokens.
const TOKENS_SUFFIX: &str = ".tokens";

/// The names of a ladder with the hashes of their tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tokens {
    /// The version of the format: 1.
    version: u32,
    #[serde(deserialize_with = "each_once")]
    names: BTreeMap<String, Hash>,
    /// The names of the bots that can go on in the middle of a match after their connections were lost.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    returns: BTreeSet<String>,
}

/// Reads names with hashes, and refuses a name that stands there twice.
fn each_once<'de, D: Deserializer<'de>>(names: D) -> Result<BTreeMap<String, Hash>, D::Error> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = BTreeMap<String, Hash>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("names with hashes")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
            let mut names = BTreeMap::new();
            while let Some((name, hash)) = all.next_entry::<String, Hash>()? {
                if names.contains_key(&name) {
                    return Err(A::Error::custom(format!("the name {name} stands there twice")));
                }
                names.insert(name, hash);
            }
            Ok(names)
        }
    }
    names.deserialize_map(Names)
}

/// A login that is refused.
#[derive(Debug, PartialEq, Eq)]
pub struct WrongLogin<'a> {
    /// The name that was given; `None` if there is none, or if what stands in its place is so long that it may be a
    /// token.
    pub name: Option<&'a str>,
    pub why: &'static str,
}

/// A first line that is accepted.
#[derive(Debug, PartialEq, Eq)]
pub enum Login<'a> {
    /// The connection plays for the bot of that name, with that token.
    Plays(&'a str, &'a str),
    /// The connection watches the match of the bot of that name.
    Watches(&'a str),
}

fn token_hash(name: &str, token: &str) -> Hash {
    hash(format!("zappy_arena ladder token {name}:{token}").as_bytes())
}

/// Why no bot can have this name, in words; `None`: a bot can.
fn refusal(name: &str) -> Option<String> {
    let is_good = TeamName::parse(name.as_bytes()).is_some()
        && name.len() <= NAME_LIMIT
        && !name.contains([':', ',', '"'])
        && !name.contains(|c: char| c.is_whitespace() || is_terminal_control(c))
        && !name.starts_with(['-', '+', '=', '@'])
        && name != OBSERVER_NAME;
    let shown = shown(name.as_bytes());
    (!is_good).then(|| {
        format!(
            "no bot can be called {shown}: use one word of at most {NAME_LIMIT} bytes without colons, commas, quotes and control \
             characters that doesn't begin with -, +, = or @ and isn't {OBSERVER_NAME}"
        )
    })
}

impl Tokens {
    /// Reads the names of a ladder; there are none if it has no such file and has played nothing.
    ///
    /// # Errors
    /// The file can't be read or isn't valid, or was lost.
    pub fn read(ladder: &Path) -> Result<Tokens, Error> {
        let path = ladder.join(NAMES);
        if !path.exists() {
            if fs::metadata(ladder.join(PLAN)).is_ok_and(|plan| plan.len() > 0) {
                return Err(Error::Book(path, "it isn't there, though matches were played".to_owned()));
            }
            return Ok(Tokens { version: 1, ..Tokens::default() });
        }
        let names: Tokens = read_json(&path, LONGEST_FILE)?;
        let version = names.version;
        let newer = (version != 1).then(|| format!("it is of version {version}, this program reads 1"));
        let unknown = names.returns.iter().find(|name| !names.has(name));
        let unknown = unknown.map(|name| format!("{name} returns, and is none of its names"));
        let wrong = newer.or_else(|| names.iter().find_map(refusal)).or(unknown);
        wrong.map_or(Ok(names), |what| Err(Error::Book(path, what)))
    }

    /// The time and length of the file, which change whenever it is written.
    pub fn stamp(ladder: &Path) -> Option<(std::time::SystemTime, u64)> {
        let meta = fs::metadata(ladder.join(NAMES)).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    }

    /// All names, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Whether a bot of that name has the same token as in `other`.
    pub fn has_token_of(&self, other: &Tokens, name: &str) -> bool {
        self.names.get(name).is_some_and(|hash| other.names.get(name) == Some(hash))
    }

    /// Whether there is a bot of that name.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Whether the bot of that name can go on in the middle of a match after its connections were lost.
    pub fn can_return(&self, name: &str) -> bool {
        self.returns.contains(name)
    }

    /// Parses a first line and checks its token.
    ///
    /// # Errors
    /// The line is no login, there is no bot of that name, or the token isn't that bot's.
    pub fn login<'a>(&self, line: &'a [u8]) -> Result<Login<'a>, WrongLogin<'a>> {
        let unknown = WrongLogin { name: None, why: "it says neither NAME:TOKEN nor GRAPHIC NAME" };
        let Ok(line) = std::str::from_utf8(line) else { return Err(unknown) };
        let line = line.trim();
        // A token is longer than any name, so a token in the place of a name isn't logged.
        let refused = |name: &'a str, why| {
            Err(WrongLogin { name: Some(name).filter(|name| name.len() <= NAME_LIMIT), why })
        };
        if let Some(name) = line.strip_prefix(OBSERVER_NAME).and_then(|rest| rest.strip_prefix(' ')) {
            let (bare, _) = name.split_once(':').unwrap_or((name, ""));
            return if self.has(name) {
                Ok(Login::Watches(name))
            } else {
                refused(bare, "no bot of that name to watch")
            };
        }
        match line.split_once(':') {
            Some((name, token)) => match self.names.get(name) {
                Some(hash) if *hash == token_hash(name, token) => Ok(Login::Plays(name, token)),
                Some(_) => refused(name, "wrong token"),
                None => refused(name, "no bot of that name, or removed"),
            },
            None if self.has(line) => refused(line, "no token"),
            None => Err(unknown),
        }
    }

    /// Adds the name of a bot, which `returns` to a running match or doesn't; gives the token that is drawn for it.
    fn add_drawn(&mut self, name: &str, returns: bool) -> Result<String, Error> {
        if let Some(words) = refusal(name) {
            return Err(Error::Plan(words));
        }
        if self.has(name) {
            return Err(Error::Plan(format!(
                "there is a bot called {name} already; --remove it first if its token is lost, its results stay"
            )));
        }
        if self.names.len() >= MOST_BOTS {
            return Err(Error::Plan(format!("a ladder has at most {MOST_BOTS} names; --remove some")));
        }
        let drawn = Seeds::draw(2).map_err(|error| Error::File("/dev/urandom".into(), error))?;
        let token: String = drawn.sealed().iter().map(|part| format!("{part:016x}")).collect();
        self.names.insert(name.to_owned(), token_hash(name, &token));
        self.returns.extend(returns.then(|| name.to_owned()));
        Ok(token)
    }

    /// Writes a file without names if there is none yet.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn begin(ladder: &Path) -> Result<(), Error> {
        Tokens::change(ladder, |_| Ok(()))
    }

    /// Adds a name to a ladder; gives its token, which is kept nowhere.
    ///
    /// # Errors
    /// No bot can have that name, a bot has it already, or the file can't be written.
    pub fn add(ladder: &Path, name: &str, returns: bool) -> Result<String, Error> {
        Tokens::change(ladder, |names| names.add_drawn(name, returns))
    }

    /// Removes a name from a ladder; its results stay.
    ///
    /// # Errors
    /// There is no such name, or the file can't be written.
    pub fn remove(ladder: &Path, name: &str) -> Result<(), Error> {
        Tokens::change(ladder, |names| match names.names.remove(name) {
            Some(_) => {
                names.returns.remove(name);
                Ok(())
            }
            None => Err(Error::Plan(format!("--remove: there is no bot called {name}; --list names all"))),
        })
    }

    /// Adds the names in the first column of a CSV file, and writes them with their tokens into a file beside it, which
    /// only its user may read; gives the path of that file and the number of names. A first line with `name` (or
    /// `Name`) in the place of the name has the titles, and is skipped.
    ///
    /// # Errors
    /// A line has no good name; the error has its number, and no name is added.
    pub fn import(ladder: &Path, file: &Path, returns: bool) -> Result<(PathBuf, usize), Error> {
        let read = files::read(file, LONGEST_FILE).map_err(|error| Error::File(file.into(), error))?;
        let mut out = file.as_os_str().to_owned();
        out.push(TOKENS_SUFFIX);
        let out = PathBuf::from(out);
        if out.exists() {
            let what = "it holds the tokens of an earlier import; move it away".to_owned();
            return Err(Error::Bots { path: out, what });
        }
        Tokens::change(ladder, |names| {
            let (mut tokens, mut lines) = (String::new(), HashMap::new());
            let wrong = |number: usize, why: String| Error::Bots {
                path: file.into(),
                what: format!("line {number}: {why}; nothing was imported"),
            };
            let read = read.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&read);
            for (line, number) in read.split(|&byte| byte == b'\n').zip(1..) {
                let line = std::str::from_utf8(line)
                    .map_err(|_| wrong(number, "it isn't UTF-8; save the list as that".to_owned()))?;
                // A comma between quotes is a part of the name, and no name may have one.
                let name = match line.trim().strip_prefix('"') {
                    Some(quoted) => quoted.split('"').next(),
                    None => line.split(',').next(),
                };
                let name = name.unwrap_or_default().trim();
                if line.trim().is_empty() || number == 1 && name.eq_ignore_ascii_case("name") {
                    continue;
                }
                if name.contains(';') {
                    let why = "commas stand between columns here, not semicolons";
                    return Err(wrong(number, why.to_owned()));
                }
                if let Some(earlier) = lines.insert(name, number) {
                    return Err(wrong(number, format!("{name} stands in line {earlier} already")));
                }
                let token =
                    names.add_drawn(name, returns).map_err(|error| wrong(number, error.to_string()))?;
                tokens += &format!("{name},{token}\n");
            }
            let count = tokens.lines().count();
            if count == 0 {
                let what = "no name stands in it; nothing was imported".to_owned();
                return Err(Error::Bots { path: file.into(), what });
            }
            // Written before the names are, so that no name is added without its token.
            let part = out.with_extension("part");
            files::write_whole(&out, &part, tokens.as_bytes(), 0o600)
                .map_err(|error| Error::File(out.clone(), error))?;
            Ok((out.clone(), count))
        })
    }

    /// Changes a ladder's names, as the only process that does; after an error of `change` the file stays as it was.
    fn change<T>(ladder: &Path, change: impl FnOnce(&mut Tokens) -> Result<T, Error>) -> Result<T, Error> {
        let failed = |error| Error::File(ladder.into(), error);
        fs::create_dir_all(ladder).map_err(failed)?;
        let lock = ladder.join(".names.lock");
        let begun = Instant::now();
        let _claim = loop {
            match Claim::of(lock.clone())? {
                Some(claim) => break claim,
                None if begun.elapsed() > LOCK_PATIENCE => {
                    return Err(Error::File(lock, ErrorKind::ResourceBusy.into()));
                }
                None => std::thread::sleep(LOCK_PAUSE),
            }
        };
        let mut names = Tokens::read(ladder)?;
        let done = change(&mut names)?;
        let text = format!("{:#}\n", serde_json::json!(names));
        files::write_whole(&ladder.join(NAMES), &ladder.join(".names.new"), text.as_bytes(), 0o600)
            .map_err(failed)?;
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_nowhere_and_lets_in_its_own_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let token = Tokens::add(folder.path(), "ada", false).unwrap();
        let other = Tokens::add(folder.path(), "bob", false).unwrap();
        assert!(token.len() == 32 && token != other);
        let names = Tokens::read(folder.path()).unwrap();
        let login = |line: &str| names.login(line.as_bytes()).is_ok();
        let plays = format!("ada:{token}\r");
        assert_eq!(names.login(plays.as_bytes()), Ok(Login::Plays("ada", &token)));
        assert_eq!(names.login(b"GRAPHIC bob"), Ok(Login::Watches("bob")));
        for wrong in [
            format!("ada:{other}"),
            format!("bob:{token}"),
            format!("eve:{token}"),
            format!("GRAPHIC ada:{token}"),
            "ada".to_owned(),
            "ada:".to_owned(),
            "GRAPHIC".to_owned(),
            "GRAPHIC eve".to_owned(),
            String::new(),
        ] {
            assert!(!login(&wrong), "{wrong}");
        }
        // A token in the place of a name is kept out of the host's log.
        for (line, name) in [
            (format!("ada:{other}"), Some("ada")),
            ("ada".to_owned(), Some("ada")),
            (token.clone(), None),
            (format!("{token}:ada"), None),
            (format!("GRAPHIC {token}"), None),
            (format!("GRAPHIC ada:{token}"), Some("ada")),
            (format!("ada {token}"), None),
        ] {
            assert_eq!(names.login(line.as_bytes()).unwrap_err().name, name, "{line}");
        }
        let kept = fs::read_to_string(folder.path().join(NAMES)).unwrap();
        assert!(!kept.contains(&token), "{kept}");
        Tokens::remove(folder.path(), "ada").unwrap();
        assert!(Tokens::read(folder.path()).unwrap().login(plays.as_bytes()).is_err());
        assert!(Tokens::remove(folder.path(), "ada").is_err());
    }

    #[test]
    fn a_file_that_no_ladder_wrote_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        Tokens::add(folder.path(), "ada", true).unwrap();
        let (path, text) =
            (folder.path().join(NAMES), fs::read_to_string(folder.path().join(NAMES)).unwrap());
        let line = text.lines().find(|line| line.contains("\"ada\":")).unwrap();
        for (changed, what) in [
            (text.replace("\"version\": 1", "\"version\": 9"), "version 9"),
            (text.replace(line, &format!("{line},\n{line}")), "twice"),
            (text.replace(line, &line.replace("ada", "a b")), "no bot can be called"),
            (text.replace(line, &line.replace("ada", "bob")), "ada returns"),
            (text.replace(line, "    oops"), "key must be a string (column 5)"),
        ] {
            fs::write(&path, changed).unwrap();
            let words = Tokens::read(folder.path()).unwrap_err().to_string();
            assert!(words.contains(what) && words.contains("put a copy of it back"), "{words}");
        }
        // A ladder that has played had names.
        fs::remove_file(&path).unwrap();
        fs::write(folder.path().join(PLAN), "{}\n").unwrap();
        let words = Tokens::add(folder.path(), "eve", false).unwrap_err().to_string();
        assert!(words.contains("names.json: it isn't there") && !path.exists(), "{words}");
    }

    #[test]
    fn names_that_break_logins_lists_or_terminals_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "",
            "a:b",
            "a b",
            "-a",
            "GRAPHIC",
            "a,b",
            &"x".repeat(NAME_LIMIT + 1),
            "a\u{7}",
            "=a",
            "@a",
            "+a",
            "a\u{202e}",
        ] {
            let words = Tokens::add(folder.path(), name, false).unwrap_err().to_string();
            assert!(words.contains("at most 31 bytes"), "{words}");
        }
        Tokens::add(folder.path(), &"x".repeat(NAME_LIMIT), false).unwrap();
        assert!(
            Tokens::add(folder.path(), &"x".repeat(NAME_LIMIT), false)
                .unwrap_err()
                .to_string()
                .contains("already")
        );
    }

    #[test]
    fn a_class_is_imported_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (ladder, list) = (folder.path().join("season"), folder.path().join("class.csv"));
        fs::write(&list, "name,group\nada,1\n\"bob\",2\nno good,3\n").unwrap();
        let words = Tokens::import(&ladder, &list, false).unwrap_err().to_string();
        assert!(words.contains("class.csv: line 4: no bot can be called"), "{words}");
        fs::write(&list, "\"Lovelace, Ada\",1\n").unwrap();
        let words = Tokens::import(&ladder, &list, false).unwrap_err().to_string();
        assert!(words.contains("line 1: no bot can be called Lovelace, Ada"), "{words}");
        fs::write(&list, "name\n").unwrap();
        let words = Tokens::import(&ladder, &list, false).unwrap_err().to_string();
        assert!(words.contains("no name stands in it"), "{words}");
        assert_eq!(Tokens::read(&ladder).unwrap().iter().count(), 0);
        for (text, what) in [
            (&b"ada;1\n"[..], "line 1: commas stand between columns"),
            (b"ada,1\n\xe9ve,2\n", "line 2: it isn't UTF-8"),
            (b"name\nada,1\nbob\nada,2\n", "line 4: ada stands in line 2 already"),
        ] {
            fs::write(&list, text).unwrap();
            let words = Tokens::import(&ladder, &list, false).unwrap_err().to_string();
            assert!(words.contains(what) && words.contains("nothing was imported"), "{words}");
        }
        fs::write(&list, "\u{feff}Name,group\r\nada,1\r\n\"bob\",2\r\n").unwrap();
        let (out, count) = Tokens::import(&ladder, &list, false).unwrap();
        assert_eq!((out.file_name().unwrap().to_str().unwrap(), count), ("class.csv.tokens", 2));
        let names = Tokens::read(&ladder).unwrap();
        for line in fs::read_to_string(&out).unwrap().lines() {
            assert!(names.login(line.replace(',', ":").as_bytes()).is_ok(), "{line}");
        }
        #[cfg(unix)]
        for path in [&out, &ladder.join(NAMES)] {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&list, "eve\n").unwrap();
        assert!(Tokens::import(&ladder, &list, false).unwrap_err().to_string().contains("earlier import"));
    }
}
