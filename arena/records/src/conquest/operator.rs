//! What the operator did to a match: the console's lines that changed something, and what came of them at once.
//!
//! A record has the reason of a refused line behind it; what asks only changes nothing. Tested with `story`.

use std::collections::BTreeSet;

use zappy_protocol::TeamName;
use zappy_protocol::text::shortened;

/// Characters of a line that are told.
const CHARACTERS: usize = 120;
/// The lines that only ask.
const QUESTIONS: [&str; 3] = ["/help", "/state", "/map"];

/// The operator's lines so far.
#[derive(Debug, Default)]
pub(super) struct Operator {
    /// The last line, until it is told or was refused.
    pub(super) line: Option<String>,
    /// Whether what is told now comes of the operator's line.
    pub(super) acts: bool,
    /// The factions that were beaten, while all is told anew since one of them lives again.
    pub(super) dead: Option<BTreeSet<TeamName>>,
    /// Lines that were obeyed before the first turn.
    pub(super) before: usize,
    /// Those from then on.
    pub(super) told: usize,
}

impl Operator {
    pub(super) fn take(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        let first = line.split_whitespace().next().unwrap_or_default();
        self.acts = !line.is_empty() && !QUESTIONS.contains(&first);
        self.line = self.acts.then(|| shortened(&line, CHARACTERS));
    }

    /// The last line was refused.
    pub(super) fn refuse(&mut self) {
        (self.line, self.acts) = (None, false);
    }
}
