//! Which bot the files were first seen of that were handed in, so that a copy of them is refused and its author plays.
//!
//! Of two bots that are seen in one look, the one with the older files is the author's. `authors.json` keeps this and it never
//! changes, also when the author's bot fails its check. The file holds no time. Tested in this module and in `tests/league/`.

use std::collections::BTreeMap;
use std::path::Path;

use super::intake::Found;
use crate::tournament::Error;
use crate::tournament::identity::Id;
use crate::tournament::place::{read_json, write_whole};

/// The file.
pub(super) const AUTHORS: &str = "authors.json";
/// Contents that are remembered; what comes later is known by its versions alone.
const MOST_CONTENTS: usize = 10_000;
/// The longest of that file.
const LONGEST: u64 = 4 << 20;

/// The bots' names by the hashes of what was handed in.
#[derive(Debug, Default)]
pub(super) struct Authors(BTreeMap<String, String>);

impl Authors {
    /// Those of a league.
    ///
    /// # Errors
    /// The file can't be read for what it is.
    pub(super) fn read(league: &Path) -> Result<Authors, Error> {
        let path = league.join(AUTHORS);
        if path.exists() { read_json(&path, LONGEST).map(Authors) } else { Ok(Authors::default()) }
    }

    /// Writes down which bot each set of files belongs to, and warns where two are of the same age.
    ///
    /// # Errors
    /// When it can't be written down.
    pub(super) fn note(&mut self, league: &Path, found: &[Found]) -> Result<(), Error> {
        let mut found: Vec<&Found> = found.iter().collect();
        found.sort_by_key(|found| (found.age, found.version.name.clone()));
        let before = self.0.len();
        for (i, one) in found.iter().enumerate() {
            let content = one.content.to_string();
            if self.0.contains_key(&content) || self.0.len() >= MOST_CONTENTS {
                continue;
            }
            let even = |other: &&&Found| other.content == one.content && other.age == one.age;
            for other in found[i + 1..].iter().filter(even) {
                log::warn!(
                    "{} and {} hold the same files, and the one's are as old as the other's: {} plays. If the other one wrote them, \
                     let it hand in a changed version",
                    one.called,
                    other.called,
                    one.version.name
                );
            }
            self.0.insert(content, one.version.name.clone());
        }
        if self.0.len() > before {
            let text = format!("{:#}\n", serde_json::json!(self.0));
            write_whole(&league.join(AUTHORS), &league.join(".authors.new"), text.as_bytes())?;
        }
        Ok(())
    }

    /// The bot of which these were seen first.
    pub(super) fn of(&self, content: Id) -> Option<&str> {
        self.0.get(&content.to_string()).map(String::as_str)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::super::intake::{BOTS, Intake};
    use super::*;
    use crate::grading::command::Names;

    #[test]
    fn the_older_files_win_and_stay_their_authors() {
        let league = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str, age: u64| {
            let folder = league.path().join(BOTS).join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("run.sh"), text).unwrap();
            let file = File::options().append(true).open(folder.join("run.sh")).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(age)).unwrap();
        };
        let look = || {
            let of = Names { game: "zappy", program: "zappy_ai" };
            Intake::default().look(league.path(), of, None, |_| String::new()).unwrap().found
        };
        write("zoe", "exit", 5);
        write("aaron", "exit", 6);
        let found = look();
        Authors::read(league.path()).unwrap().note(league.path(), &found).unwrap();
        let mut authors = Authors::read(league.path()).unwrap();
        assert_eq!(authors.of(found[0].content), Some("zoe"));
        // Files that only claim to be older come too late.
        write("aaron", "exit", 1);
        let found = look();
        authors.note(league.path(), &found).unwrap();
        assert_eq!(authors.of(found[0].content), Some("zoe"));
        write("aaron", "exit 1", 7);
        let found = look();
        authors.note(league.path(), &found).unwrap();
        assert_eq!(
            (authors.of(found[0].content), authors.of(found[1].content)),
            (Some("aaron"), Some("zoe"))
        );
    }
}
