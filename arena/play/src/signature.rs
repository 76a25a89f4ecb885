//! Signed lists: each names the files that the arena made in a folder, and is signed with a key of the arena's user.
//! `zappy_site` shows only what such a list names.
//!
//! A list lies in the folder that it is about. It has the kind of that folder, the number that the file system has
//! given to it, and each file with its SHA-256; so a list counts nowhere else, and the folder may be renamed. The key
//! lies in the user's data folder, which no sandbox shows. What can't be signed is played all the same. Tested in this
//! module and in `site/tests/site/trust.rs`.

use std::collections::BTreeMap;
use std::env;
use std::fmt::{self, Write as _};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use zappy_server::files::{self, write_whole};

/// The name of a list.
pub const SIGNATURE: &str = ".arena-signature";
/// The longest list that is read, in bytes.
pub const LONGEST: u64 = 1 << 20;
/// The most records of many matches that their list names: the first ones.
pub const RECORDS: usize = 10_000;
/// Where the key lies below the user's data folder.
const KEY: [&str; 2] = ["zappy-arena", "key"];
/// The length of a key, in bytes.
const KEY_BYTES: usize = 32;
/// The file from which random bytes are read.
const CHANCE: &str = "/dev/urandom";
/// How a list begins; the kind and the number of the folder follow.
const LIST: &str = "zappy-arena list 2";
/// How a note begins that says where a match can be watched; the address follows.
const LIVE: &str = "zappy-arena live 1";

/// What the arena made a folder for. A list names it in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Match,
    /// Many matches in one process.
    Series,
    Tournament,
    League,
    Ladder,
    /// The report of a tournament or a league.
    Report,
    /// What one bot is graded by.
    Grade,
    /// The grades of a class.
    Class,
}

/// A SHA-256, in hexadecimal digits.
pub type Hash = String;

/// A list as it was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// What the folder was made for.
    pub kind: Kind,
    /// What the file system knows the folder by ([`place_of`]).
    pub place: u64,
    /// The files that the arena made there, by their paths from the folder.
    pub files: BTreeMap<String, Hash>,
}

/// The key that lists are signed with.
#[derive(Clone)]
pub struct Key([u8; KEY_BYTES]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Where the key of this process's user lies; `None` without a data folder (`XDG_DATA_HOME`, or `HOME`).
pub fn key_file() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")))?;
    Some(data.join(KEY[0]).join(KEY[1]))
}

/// The folder of the key, which no bot may see; `None` if it isn't there.
pub fn key_folder() -> Option<PathBuf> {
    fs::canonicalize(key_file()?.parent()?).ok()
}

impl Key {
    /// The key of this process's user; drawn if there is none.
    ///
    /// # Errors
    /// It can't be read or written, or others may read it.
    pub fn own() -> io::Result<Key> {
        let missing = || io::Error::new(ErrorKind::NotFound, "neither XDG_DATA_HOME nor HOME names a folder");
        let path = key_file().ok_or_else(missing)?;
        path.parent().map_or(Ok(()), crate::os::new_folder)?;
        Key::kept(&path)
    }

    /// The key in that file; drawn if there is none.
    ///
    /// # Errors
    /// It can't be read or written, or others may read it.
    pub fn kept(path: &Path) -> io::Result<Key> {
        match Key::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Key::draw(path),
            read => read,
        }
    }

    /// Twelve hexadecimal digits that stand for a name: without the key the name can't be found from them.
    pub fn pseudonym(&self, name: &str) -> String {
        let mac = self.mac(name).map(|mac| digits(&mac.finalize().into_bytes()[..6]));
        mac.unwrap_or_default()
    }

    /// The key in that file.
    ///
    /// # Errors
    /// It can't be read, or is none, or others may read it.
    pub fn read(path: &Path) -> io::Result<Key> {
        let wrong = |words: String| io::Error::new(ErrorKind::InvalidData, words);
        let text = files::read(path, 4 * KEY_BYTES as u64)?;
        if !crate::os::is_private(&fs::metadata(path)?) {
            let path = path.display();
            return Err(wrong(format!("others may read or write it; chmod 600 '{path}'")));
        }
        let text = String::from_utf8(text).unwrap_or_default();
        let bytes = bytes_of(text.trim()).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Key).ok_or_else(|| wrong("it is no key; remove it, and the arena draws another".to_owned()))
    }

    /// Draws the key, unless another process has just done so.
    fn draw(path: &Path) -> io::Result<Key> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        let mut bytes = [0; KEY_BYTES];
        File::open(CHANCE)?.read_exact(&mut bytes)?;
        // A temporary file has mode 600.
        let mut new = NamedTempFile::new_in(folder)?;
        writeln!(new, "{}", digits(&bytes))?;
        new.as_file().sync_all()?;
        match new.persist_noclobber(path) {
            Err(error) if error.error.kind() != ErrorKind::AlreadyExists => return Err(error.error),
            _ => files::flush_folder(path),
        }
        Key::read(path)
    }

    fn mac(&self, text: &str) -> Option<Hmac<Sha256>> {
        Some(Hmac::<Sha256>::new_from_slice(&self.0).ok()?.chain_update(text))
    }

    /// A text with its signature behind it.
    fn signed(&self, text: &str) -> String {
        let mac = self.mac(text).map(|mac| digits(&mac.finalize().into_bytes()));
        format!("{text}{}\n", mac.unwrap_or_default())
    }

    /// The text without its signature; `None` unless [`Key::signed`] has signed it with this key.
    fn verified<'a>(&self, signed: &'a [u8]) -> Option<&'a str> {
        let signed = std::str::from_utf8(signed).ok()?.strip_suffix('\n')?;
        let (text, mac) = signed.split_at_checked(signed.len().checked_sub(64)?)?;
        self.mac(text)?.verify_slice(&bytes_of(mac)?).ok()?;
        Some(text)
    }

    /// The list of a folder, to be written as [`SIGNATURE`] there.
    pub fn list(&self, list: &List) -> Vec<u8> {
        let kind = list.kind.to_possible_value().map(|kind| kind.get_name().to_owned()).unwrap_or_default();
        let mut text = format!("{LIST} {kind} {}\n", list.place);
        for (name, hash) in &list.files {
            let _ = writeln!(text, "{hash}  {name}");
        }
        self.signed(&text).into_bytes()
    }

    /// The list that these bytes are, if it was signed with this key.
    pub fn read_list(&self, bytes: &[u8]) -> Option<List> {
        let mut lines = self.verified(bytes)?.lines();
        let (kind, place) = lines.next()?.strip_prefix(LIST)?.trim().split_once(' ')?;
        let kind = Kind::from_str(kind, false).ok()?;
        let files = lines.map(|line| {
            let (hash, name) = line.split_once("  ")?;
            Some((name.to_owned(), hash.to_owned()))
        });
        Some(List { kind, place: place.parse().ok()?, files: files.collect::<Option<_>>()? })
    }

    /// A signed note that says where a match can be watched. Where the server plays many matches, `team` is a team of
    /// this one; otherwise it is empty.
    pub fn live(&self, server: SocketAddr, team: &str) -> String {
        self.signed(&format!("{LIVE} {server} {team} "))
    }

    /// The server's address and the team in a note that [`Key::live`] has made with this key; `None` for any other
    /// note.
    pub fn read_live(&self, bytes: &[u8]) -> Option<(SocketAddr, String)> {
        let text = self.verified(bytes)?.strip_prefix(LIVE)?.trim();
        let (server, team) = text.split_once(' ').unwrap_or((text, ""));
        Some((server.parse().ok()?, team.to_owned()))
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> Hash {
    digits(&Sha256::digest(bytes))
}

/// A writer that passes on what is written to it, and computes the hash of that.
#[derive(Debug)]
pub struct Hashing<W> {
    inner: W,
    sha: Sha256,
}

impl<W> Hashing<W> {
    pub fn new(inner: W) -> Hashing<W> {
        Hashing { inner, sha: Sha256::new() }
    }

    /// The hash of all that was written.
    pub fn hash(self) -> Hash {
        digits(&self.sha.finalize())
    }
}

impl<W: io::Write> io::Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.sha.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The hash of a file.
pub fn hash_file(path: &Path) -> io::Result<Hash> {
    let mut hashing = Hashing::new(io::sink());
    io::copy(&mut files::open(path)?, &mut hashing)?;
    Ok(hashing.hash())
}

/// What the file system knows a folder by: it stays when the folder is renamed, and a copy has another one.
///
/// # Errors
/// There is no such folder.
pub fn place_of(folder: &Path) -> io::Result<u64> {
    Ok(crate::os::number(&fs::metadata(folder)?))
}

/// Signs a folder: what it is, and those of these files that are there. Where that fails, a line in the log says so,
/// and the site doesn't show it.
pub fn sign(folder: &Path, kind: Kind, names: &[&str]) {
    sign_with(folder, kind, names, BTreeMap::new());
}

/// As [`sign`], with further files of which the hashes are known, by their paths from the folder.
pub fn sign_with(folder: &Path, kind: Kind, names: &[&str], known: BTreeMap<String, Hash>) {
    let sign = || -> io::Result<()> {
        let key = Key::own()?;
        let mut files = known;
        for name in names {
            match hash_file(&folder.join(name)) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                hash => drop(files.insert((*name).to_owned(), hash?)),
            }
        }
        let list = key.list(&List { kind, place: place_of(folder)?, files });
        write_whole(&folder.join(SIGNATURE), &folder.join(format!("{SIGNATURE}.new")), &list, 0o666)
    };
    if let Err(error) = sign() {
        log::info!("{} isn't signed, and zappy_site won't show it: {error}", folder.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key([byte; KEY_BYTES])
    }

    #[test]
    fn a_list_counts_with_its_key_and_as_it_was_signed() {
        let files = [("match.zrec".to_owned(), hash(b"x")), ("result.json".to_owned(), hash(b"y"))];
        for &kind in Kind::value_variants() {
            let list = List { kind, place: 7, files: files.clone().into() };
            let bytes = key(1).list(&list);
            assert_eq!(key(1).read_list(&bytes), Some(list));
            assert_eq!(key(2).read_list(&bytes), None, "another user's");
            for at in 0..bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 1;
                assert_eq!(key(1).read_list(&other), None, "byte {at}");
                assert_eq!(key(1).read_list(&bytes[..at]), None, "cut at {at}");
            }
        }
        let list = List { kind: Kind::Match, place: 7, files: files.into() };
        assert_eq!(key(1).read_live(&key(1).list(&list)), None);
    }

    #[test]
    fn a_note_of_a_match_that_runs_is_no_list() {
        let server = "127.0.0.1:4242".parse().unwrap();
        let note = key(1).live(server, "");
        assert_eq!(key(1).read_live(note.as_bytes()), Some((server, String::new())));
        let of = key(1).live(server, "ada");
        assert_eq!(key(1).read_live(of.as_bytes()), Some((server, "ada".to_owned())));
        assert_eq!(key(2).read_live(note.as_bytes()), None);
        assert_eq!(key(1).read_live(note.replace("4242", "4243").as_bytes()), None);
        assert_eq!(key(1).read_list(note.as_bytes()), None);
    }

    #[test]
    fn the_key_is_drawn_once_and_read_only_if_nobody_else_may() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let drawn: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| Key::draw(&path).unwrap().0)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(drawn.iter().all(|key| *key == drawn[0] && *key != [0; KEY_BYTES]));
        assert_eq!(Key::read(&path).unwrap().0, drawn[0]);
        #[cfg(unix)]
        {
            fs::set_permissions(&path, crate::os::rights(0o640).unwrap()).unwrap();
            assert!(Key::read(&path).unwrap_err().to_string().contains("chmod 600"));
            fs::set_permissions(&path, crate::os::rights(0o600).unwrap()).unwrap();
        }
        fs::write(&path, "no key").unwrap();
        assert!(Key::read(&path).is_err());
    }
}
