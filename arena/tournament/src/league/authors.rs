//! Which bot was first seen with given files, and which folder owns each bot's name.
//!
//! The first bot seen with given files is the original. If several were first seen in one scan of the folder, none of
//! them can be proved to be the original, since time stamps can be forged: so all authors get a note and none is
//! refused. A name belongs to the folder that had it first. `authors.json` keeps originals and owners for good, also
//! when a bot fails its check or its folder is removed. The file holds no time. Tested in this module and in
//! `arena/cli/tests/league/`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::intake::{Found, bot_name};
use crate::Error;
use crate::identity::Id;
use crate::place::{read_json, write_pretty};

pub(super) const AUTHORS_FILE: &str = "authors.json";
/// The most hashes of files, and the most names, that are kept; later ones are not.
const MAX_ENTRIES: usize = 10_000;
/// The largest `authors.json` that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Authors {
    /// By the hash of a bot's files the names of the bots first seen with them; several if one scan found them all.
    contents: BTreeMap<String, Vec<String>>,
    /// By each bot's name the name of the folder that owns it.
    folders: BTreeMap<String, String>,
}

impl Authors {
    /// Reads `authors.json` of the league in that folder; empty if there is none yet.
    ///
    /// # Errors
    /// The file can't be read, or isn't valid.
    pub(super) fn read(league: &Path) -> Result<Authors, Error> {
        let path = league.join(AUTHORS_FILE);
        if path.exists() { read_json(&path, MAX_BYTES) } else { Ok(Authors::default()) }
    }

    /// Adds the bots that have files not seen before, and the folders of new names; writes the file if that changed anything.
    ///
    /// # Errors
    /// The file can't be written.
    pub(super) fn add_found(&mut self, league: &Path, found: &[Found]) -> Result<(), Error> {
        let mut found: Vec<&Found> = found.iter().collect();
        found.sort_by_key(|found| found.version.name.clone());
        let before = self.clone();
        for Found { content, version, folder_name, .. } in found {
            let content = content.to_string();
            if self.folders.len() < MAX_ENTRIES {
                self.folders.entry(version.name.clone()).or_insert_with(|| folder_name.clone());
            }
            if !before.contents.contains_key(&content) && self.contents.len() < MAX_ENTRIES {
                self.contents.entry(content).or_default().push(version.name.clone());
            }
        }
        if *self != before {
            write_pretty(&league.join(AUTHORS_FILE), self)?;
        }
        Ok(())
    }

    /// The bots that came first with the files of this hash.
    pub(super) fn first_bots_with(&self, content: Id) -> &[String] {
        self.contents.get(&content.to_string()).map(Vec::as_slice).unwrap_or_default()
    }

    /// The name of the folder that owns the name of a bot; `None` for a new name.
    pub(super) fn folder(&self, name: &str) -> Option<&str> {
        self.folders.get(name).map(String::as_str)
    }

    /// Whether the name of the bot in a folder belongs to that folder, or to none yet.
    pub(super) fn is_owner(&self, folder: &str) -> bool {
        self.folder(&bot_name(folder)).is_none_or(|owner| owner == folder)
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
    fn the_bot_seen_first_is_the_original_whatever_the_time_stamps_say() {
        let league = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str, age: u64| {
            let folder = league.path().join(BOTS).join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("run.sh"), text).unwrap();
            let file = File::options().append(true).open(folder.join("run.sh")).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(age)).unwrap();
        };
        let look = || {
            let names = Names { game: "tiny", program: "bot" };
            let mut authors = Authors::read(league.path()).unwrap();
            let owner = authors.clone();
            let owner = |name: &str| owner.folder(name).map(str::to_owned);
            let found =
                Intake::default().look(league.path(), names, None, &owner, &|_| String::new()).unwrap().found;
            authors.add_found(league.path(), &found).unwrap();
            (Authors::read(league.path()).unwrap(), found)
        };
        write("zoe", "exit", 6);
        let (authors, found) = look();
        assert_eq!(authors.first_bots_with(found[0].content), ["zoe"]);
        // A copy that comes later isn't the original, though its time stamp is older.
        write("aaron", "exit", 1);
        let (authors, found) = look();
        assert_eq!(authors.first_bots_with(found[0].content), ["zoe"]);
        // Of two bots in one scan neither is taken for the copy.
        write("bob", "exit 1", 7);
        write("eve", "exit 1", 2);
        let (authors, found) = look();
        assert_eq!(authors.first_bots_with(found[1].content), ["bob", "eve"]);
        assert_eq!(look().0, authors);
    }
}
