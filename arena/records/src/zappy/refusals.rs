//! A line for each team of a match: what was refused to it, and the command that shows more.
//!
//! Reads the record once. Tested in `arena/cli/tests/lockstep.rs`.

use std::fmt::Write as _;
use std::path::Path;

use zappy_protocol::text::{many, shown};

use super::story::Story;
use crate::source::Source;
use crate::whose::Programs;

/// Reasons that are told of each team.
const REASONS: usize = 3;

/// The lines of the full record in that folder; none if it can't be read.
pub fn refusals(source: &Source, folder: &Path) -> String {
    let Some(story) = Story::of(source) else { return String::new() };
    let programs = Programs::beside(&source.path);
    let folder = folder.to_string_lossy();
    let folder =
        shlex::try_quote(&folder).map_or_else(|_| shown(folder.as_bytes()).into(), std::borrow::Cow::from);
    let mut text = String::new();
    for team in story.teams() {
        let reasons = team.tally.ranked_reasons();
        let Some(&(_, most)) = story.tally.most_refused(team.name).first() else { continue };
        let reason = |(why, count): &(&str, u64)| format!("{} ({count})", shown(why.as_bytes()));
        let mut why: Vec<String> = reasons.iter().take(REASONS).map(reason).collect();
        if reasons.len() > REASONS {
            why.push(format!("{} more", reasons.len() - REASONS));
        }
        let log = programs.log(most.0).map(|log| format!(", {}", shown(log.path.as_bytes())));
        let log = log.unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} of {} refused; why: {}\n  most of {most}{log}: zappy_arena show {folder} --player {}",
            many(team.tally.lines.refused, "command"),
            shown(team.name.as_bytes()),
            why.join(", "),
            most.0
        );
    }
    text
}
