//! Compares two records of one match: where they differ first, and what the difference tells.
//!
//! Reads both once, line by line, and nothing else. Tested in this module and in `arena/cli/tests/debugging.rs`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use zappy_protocol::record::{Entry, RecordLine, Seat};
use zappy_protocol::text::{shortened, shown};

use crate::Error;

/// How many characters of a line are shown.
const SHOWN: usize = 160;

/// The first line in which two records differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// That line in the first record and in the second; `None`: the record had ended before it.
    pub texts: [Option<Vec<u8>>; 2],
}

/// The first line in which the two records differ; `None` if they are equal.
pub fn first_difference(one: &Path, other: &Path) -> Result<Option<Difference>, Error> {
    let open =
        |path: &Path| File::open(path).map(BufReader::new).map_err(|error| Error::File(path.into(), error));
    let (mut one, mut other) = (open(one)?, open(other)?);
    let failed = |error| Error::System("can't read a record", error);
    for line in 1.. {
        let texts = [next_line(&mut one).map_err(failed)?, next_line(&mut other).map_err(failed)?];
        if texts[0] != texts[1] {
            return Ok(Some(Difference { line, texts }));
        }
        if texts[0].is_none() {
            break;
        }
    }
    Ok(None)
}

fn next_line(record: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let count = record.read_until(b'\n', &mut line)?;
    Ok((count > 0).then_some(line))
}

impl Difference {
    /// The difference for people, with what it tells; `folder` holds the first record.
    pub fn render(&self, folder: &Path) -> String {
        let text = |text: &Option<Vec<u8>>| match text {
            Some(line) => shortened(&shown(line.trim_ascii_end()), SHOWN),
            None => "(the record is over)".to_owned(),
        };
        let [one, other] = &self.texts;
        let mut out = format!("played twice: the records differ first in line {}\n", self.line);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  match.zrec  {}\n  again.zrec  {}", text(one), text(other));
        let entries = self.texts.iter().flatten().filter_map(|line| {
            match RecordLine::parse(line.trim_ascii_end()).ok()? {
                RecordLine::Event(_, entry) => Some(entry),
                _ => None,
            }
        });
        let entries: Vec<Entry> = entries.collect();
        let first_seat = |pick: fn(&Entry) -> Option<&Seat>| entries.iter().find_map(pick);
        let came = first_seat(|entry| if let Entry::Admitted(seat, _) = entry { Some(seat) } else { None });
        let said = first_seat(|entry| match entry {
            Entry::Received(seat, _) | Entry::Overflow(seat) | Entry::Ended(seat) => Some(seat),
            _ => None,
        });
        let folder = folder.display();
        let cause = match (came, said) {
            (Some(_), _) => "a client came in at another time: its parent didn't wait for WELCOME, or a connection was opened \
                             while no player of the team owed a line"
                .to_owned(),
            (None, Some(Seat::Number(player))) => format!(
                "player #{player} said something else after having read the same: it is its program; see zappy_arena show \
                 {folder} --player {player}"
            ),
            _ => "what the programs said before is the same".to_owned(),
        };
        let _ = writeln!(out, "{cause} (protocol.md, 18)");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found_and_explained() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["one", "two"].map(|name| folder.path().join(name));
        let differs = |one: &str, two: &str| {
            std::fs::write(&paths[0], one).unwrap();
            std::fs::write(&paths[1], two).unwrap();
            first_difference(&paths[0], &paths[1]).unwrap().map(|found| found.render(Path::new("out")))
        };
        let start = "0 + 0 red\n0 < 0 Look\n";
        assert_eq!(differs(start, start), None);
        for (one, two, words) in [
            (
                "7 < 0 Left\n",
                "7 < 0 Right\n",
                "player #0 said something else after having read the same: it is its program",
            ),
            ("7 + 1 red\n", "7 < 0 Right\n", "a client came in at another time"),
            ("7 < 0 Left\n", "", "player #0 said something else"),
            ("7 > 0 ok\n", "8 > 0 ok\n", "what the programs said before is the same"),
        ] {
            let text = differs(&format!("{start}{one}"), &format!("{start}{two}")).unwrap();
            assert!(
                text.starts_with("played twice: the records differ first in line 3\n  match.zrec  7 "),
                "{text}"
            );
            assert!(text.contains(words), "{text}");
        }
    }
}
