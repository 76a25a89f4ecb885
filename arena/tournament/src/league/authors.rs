//! Which bots the files were first seen of that were handed in, and which folder each bot's name belongs to.
//!
//! The bot that the league saw first with certain files is their author's; of those that it first sees in one look no time stamp
//! tells which that is, so none of them is refused and all are told. A name belongs to the folder that had it first.
//! `authors.json` keeps both for good, also when a bot fails its check or its folder goes. The file holds no time. Tested in this
//! module and in `arena/cli/tests/league/`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::intake::Found;
use super::round::Version;
use crate::Error;
use crate::identity::Id;
use crate::place::{read_json, write_pretty};

pub(super) const AUTHORS: &str = "authors.json";
/// Contents that are remembered; what comes later is known by its versions alone.
const MOST_CONTENTS: usize = 10_000;
/// The longest of that file.
const LONGEST: u64 = 4 << 20;

/// The bots' names by the hashes of what was handed in, and the folders by the bots' names.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Authors {
    /// Several where they were seen in one look.
    contents: BTreeMap<String, Vec<String>>,
    folders: BTreeMap<String, String>,
}

/// The file, also as it was when it knew no folders and one author of each content.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Whole(Authors),
    Contents(BTreeMap<String, String>),
}

impl Authors {
    /// Reads what a league knows of its authors.
    ///
    /// # Errors
    /// The file can't be read for what it is.
    pub(super) fn read(league: &Path) -> Result<Authors, Error> {
        let path = league.join(AUTHORS);
        if !path.exists() {
            return Ok(Authors::default());
        }
        Ok(match read_json(&path, LONGEST)? {
            Kept::Whole(authors) => authors,
            Kept::Contents(contents) => {
                let contents = contents.into_iter().map(|(content, name)| (content, vec![name])).collect();
                Authors { contents, folders: BTreeMap::new() }
            }
        })
    }

    /// Writes down which bot each set of files belongs to, and which folder each name, as far as that isn't known.
    ///
    /// # Errors
    /// When it can't be written down.
    pub(super) fn note(&mut self, league: &Path, found: &[Found]) -> Result<(), Error> {
        let mut found: Vec<&Found> = found.iter().collect();
        found.sort_by_key(|found| found.version.name.clone());
        let before = self.clone();
        for one in found {
            let (content, name) = (one.content.to_string(), &one.version.name);
            if self.folders.len() < MOST_CONTENTS {
                self.folders.entry(name.clone()).or_insert_with(|| one.called.clone());
            }
            let new = !before.contents.contains_key(&content) && self.contents.len() < MOST_CONTENTS;
            if new {
                self.contents.entry(content).or_default().push(name.clone());
            }
        }
        if *self != before {
            write_pretty(&league.join(AUTHORS), self)?;
        }
        Ok(())
    }

    /// The names of versions that have played before folders were kept belong to theirs, too.
    pub(super) fn note_played(&mut self, versions: &[Version]) {
        for Version { name, folder, .. } in versions {
            self.folders.entry(name.clone()).or_insert_with(|| folder.as_ref().unwrap_or(name).clone());
        }
    }

    /// The bots that came first with the files of this hash.
    pub(super) fn of(&self, content: Id) -> &[String] {
        self.contents.get(&content.to_string()).map(Vec::as_slice).unwrap_or_default()
    }

    /// The folder to which the name of a bot belongs.
    pub(super) fn folder(&self, name: &str) -> Option<&str> {
        self.folders.get(name).map(String::as_str)
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::super::intake::{BOTS, Intake};
    use super::*;
    use crate::grading::command::Names;

    #[test]
    fn who_was_seen_first_is_the_author_and_no_time_stamp_tells() {
        let league = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str, age: u64| {
            let folder = league.path().join(BOTS).join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("run.sh"), text).unwrap();
            let file = File::options().append(true).open(folder.join("run.sh")).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(age)).unwrap();
        };
        let look = || {
            let of = Names { game: "tiny", program: "bot" };
            let mut authors = Authors::read(league.path()).unwrap();
            let owner = authors.clone();
            let owner = |name: &str| owner.folder(name).map(str::to_owned);
            let found =
                Intake::default().look(league.path(), of, None, &owner, &|_| String::new()).unwrap().found;
            authors.note(league.path(), &found).unwrap();
            (Authors::read(league.path()).unwrap(), found)
        };
        write("zoe", "exit", 6);
        let (authors, found) = look();
        assert_eq!(authors.of(found[0].content), ["zoe"]);
        // Files that claim to be older come too late.
        write("aaron", "exit", 1);
        let (authors, found) = look();
        assert_eq!(authors.of(found[0].content), ["zoe"]);
        // Of two that come at once neither is the copy.
        write("bob", "exit 1", 7);
        write("eve", "exit 1", 2);
        let (authors, found) = look();
        assert_eq!(authors.of(found[1].content), ["bob", "eve"]);
        assert_eq!(look().0, authors);
        // An older file is still read.
        fs::write(league.path().join(AUTHORS), "{\"0123456789abcdef\": \"ada\"}").unwrap();
        let authors = Authors::read(league.path()).unwrap();
        assert_eq!(authors.of(Id::parse("0123456789abcdef").unwrap()), ["ada"]);
    }
}
