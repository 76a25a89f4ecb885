//! The names that may play, each with the hash of its token: a connection with the token plays as that bot.
//!
//! A token is told once, when it is drawn, and kept nowhere. The file is written whole, by one process at a time, and only the
//! ladder's user may read it. Tested in this module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use zappy_play::signature::{Hash, hash};
use zappy_protocol::{OBSERVER_NAME, TeamName};
use zappy_server::files;
use zappy_tournament::Error;
use zappy_tournament::bots::MOST_BOTS;
use zappy_tournament::claim::Claim;
use zappy_tournament::place::read_json;
use zappy_tournament::seeds::Seeds;

/// The file of the names.
const NAMES: &str = "names.json";
/// The longest of it, in bytes.
const LONGEST: u64 = 1 << 20;
/// The longest name of a bot, in bytes: with a colon and a token behind it it is as long as a team's name may be.
pub const NAME_LIMIT: usize = 31;
/// The file with the tokens of an import has the name of the imported one and this.
const TOKENS: &str = ".tokens";

/// The names of a ladder with the hashes of their tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tokens {
    version: u32,
    names: BTreeMap<String, Hash>,
    /// Those of bots that can go on in the middle of a match after their connections were lost.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    returns: BTreeSet<String>,
}

/// What a connection says first, if its name and token are good.
#[derive(Debug, PartialEq, Eq)]
pub enum Login<'a> {
    /// It plays under that name, and has that token.
    Plays(&'a str, &'a str),
    /// It watches the match of that name.
    Watches(&'a str),
}

fn token_hash(name: &str, token: &str) -> Hash {
    hash(format!("zappy_arena ladder token {name}:{token}").as_bytes())
}

/// What is wrong with a name, in words.
fn refuse(name: &str) -> Option<String> {
    let good = TeamName::parse(name.as_bytes()).is_some()
        && name.len() <= NAME_LIMIT
        && !name.contains([':', ',', '"'])
        && !name.contains(char::is_whitespace)
        && !name.starts_with('-')
        && name != OBSERVER_NAME;
    let shown = zappy_protocol::text::shown(name.as_bytes());
    (!good).then(|| {
        format!(
            "no bot can be called {shown}: use one word of at most {NAME_LIMIT} bytes without colons, commas and quotes that \
             doesn't begin with a dash and isn't {OBSERVER_NAME}"
        )
    })
}

impl Tokens {
    /// Those of a ladder; none if it has no file of them.
    ///
    /// # Errors
    /// The file can't be read for what it is.
    pub fn read(ladder: &Path) -> Result<Tokens, Error> {
        let path = ladder.join(NAMES);
        if path.exists() { read_json(&path, LONGEST) } else { Ok(Tokens { version: 1, ..Tokens::default() }) }
    }

    /// What tells whether the file was changed.
    pub fn stamp(ladder: &Path) -> Option<(std::time::SystemTime, u64)> {
        let meta = fs::metadata(ladder.join(NAMES)).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    }

    /// All names, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Whether there is a bot of that name.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Whether the bot of that name can go on in the middle of a match.
    pub fn returns(&self, name: &str) -> bool {
        self.returns.contains(name)
    }

    /// What a first line asks for; `None` if it asks for nothing that there is, or its token isn't that of its name.
    pub fn login<'a>(&self, line: &'a [u8]) -> Option<Login<'a>> {
        let line = std::str::from_utf8(line).ok()?.trim();
        if let Some(name) = line.strip_prefix(OBSERVER_NAME).and_then(|rest| rest.strip_prefix(' ')) {
            return self.has(name).then_some(Login::Watches(name));
        }
        let (name, token) = line.split_once(':')?;
        (*self.names.get(name)? == token_hash(name, token)).then_some(Login::Plays(name, token))
    }

    /// Adds a name, of a bot that `returns` or doesn't; its token.
    fn draw(&mut self, name: &str, returns: bool) -> Result<String, Error> {
        if let Some(words) = refuse(name) {
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

    /// Adds a name to a ladder; gives its token, which is kept nowhere.
    ///
    /// # Errors
    /// No bot can be called so, there is one already, or the file can't be written.
    pub fn add(ladder: &Path, name: &str, returns: bool) -> Result<String, Error> {
        Tokens::change(ladder, |names| names.draw(name, returns))
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

    /// Adds the names that stand first in the lines of a file, and writes them with their tokens into a file beside it, which
    /// only its user may read; gives its path and how many there are. A first line `name` is a title.
    ///
    /// # Errors
    /// A line has no good name, which is told with its number; then none is added.
    pub fn import(ladder: &Path, file: &Path, returns: bool) -> Result<(PathBuf, usize), Error> {
        let read = files::read(file, LONGEST).map_err(|error| Error::File(file.into(), error))?;
        let mut out = file.as_os_str().to_owned();
        out.push(TOKENS);
        let out = PathBuf::from(out);
        if out.exists() {
            let what = "it holds the tokens of an earlier import; move it away".to_owned();
            return Err(Error::Bots { path: out, what });
        }
        Tokens::change(ladder, |names| {
            let mut tokens = String::new();
            for (line, number) in read.split(|&byte| byte == b'\n').zip(1..) {
                let first = line.split(|&byte| byte == b',').next().unwrap_or_default().trim_ascii();
                let name = String::from_utf8_lossy(first).trim_matches('"').trim().to_owned();
                if line.trim_ascii().is_empty() || number == 1 && name.eq_ignore_ascii_case("name") {
                    continue;
                }
                let wrong = |error: Error| Error::Bots {
                    path: file.into(),
                    what: format!("line {number}: {error}; nothing was imported"),
                };
                tokens += &format!("{name},{}\n", names.draw(&name, returns).map_err(wrong)?);
            }
            let count = tokens.lines().count();
            // Before the names count, so that none is there without its token.
            let part = out.with_extension("part");
            files::write_whole(&out, &part, tokens.as_bytes(), 0o600)
                .map_err(|error| Error::File(out.clone(), error))?;
            Ok((out.clone(), count))
        })
    }

    /// Changes a ladder's names; what is refused changes nothing.
    fn change<T>(ladder: &Path, change: impl FnOnce(&mut Tokens) -> Result<T, Error>) -> Result<T, Error> {
        let failed = |error| Error::File(ladder.into(), error);
        fs::create_dir_all(ladder).map_err(failed)?;
        let lock = ladder.join(".names.lock");
        let Some(_claim) = Claim::of(lock.clone())? else {
            return Err(Error::File(lock, ErrorKind::ResourceBusy.into()));
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
    fn a_token_is_told_once_and_lets_in_its_own_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let token = Tokens::add(folder.path(), "ada", false).unwrap();
        let other = Tokens::add(folder.path(), "bob", false).unwrap();
        assert!(token.len() == 32 && token != other);
        let names = Tokens::read(folder.path()).unwrap();
        let login = |line: &str| names.login(line.as_bytes()).is_some();
        let plays = format!("ada:{token}\r");
        assert_eq!(names.login(plays.as_bytes()), Some(Login::Plays("ada", &token)));
        assert_eq!(names.login(b"GRAPHIC bob"), Some(Login::Watches("bob")));
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
        let kept = fs::read_to_string(folder.path().join(NAMES)).unwrap();
        assert!(!kept.contains(&token), "{kept}");
        Tokens::remove(folder.path(), "ada").unwrap();
        assert!(Tokens::read(folder.path()).unwrap().login(plays.as_bytes()).is_none());
        assert!(Tokens::remove(folder.path(), "ada").is_err());
    }

    #[test]
    fn no_bot_has_a_name_that_others_could_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "a:b", "a b", "-a", "GRAPHIC", "a,b", &"x".repeat(NAME_LIMIT + 1), "a\u{7}"] {
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
        assert_eq!(Tokens::read(&ladder).unwrap().iter().count(), 0);
        fs::write(&list, "name,group\r\nada,1\r\n\"bob\",2\r\n").unwrap();
        let (out, count) = Tokens::import(&ladder, &list, false).unwrap();
        assert_eq!((out.file_name().unwrap().to_str().unwrap(), count), ("class.csv.tokens", 2));
        let names = Tokens::read(&ladder).unwrap();
        for line in fs::read_to_string(&out).unwrap().lines() {
            assert!(names.login(line.replace(',', ":").as_bytes()).is_some(), "{line}");
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
