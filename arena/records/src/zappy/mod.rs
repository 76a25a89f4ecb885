//! What happened in a match of Zappy, from the lines of its record.
//!
//! `story` makes happenings of the lines, `story_text` a text of reasonable length, `dialogue` what one player and the
//! server said to each other, and `sight` draws what a player saw; `tally` counts for all of these what came from
//! players. `show` writes them, with `tables` around them or as `json`, and `verdict` says why the first team came
//! first. Changes nothing. Tested in `arena/cli/tests/records/` and in `arena/cli/tests/lockstep.rs`.

mod dialogue;
mod json;
mod show;
mod sight;
mod story;
mod story_text;
mod tables;
mod tally;
mod verdict;

use std::fmt::Write as _;
use std::path::Path;

use zappy_protocol::text::{many, shown};

use crate::players::Programs;
use crate::showing::RecordRoom;
use crate::source::Source;
use story::Story;

/// The most reasons of refusals that are named for each team.
const MOST_REASONS: usize = 3;

/// What there is for records of Zappy.
pub static ROOM: RecordRoom =
    RecordRoom { game: zappy_game_zappy::SPEC.name, show: show::show, by_lot: verdict::by_lot, refusals };

/// For each team of the full record in that folder a line with what it was refused and the command that shows more;
/// empty if the record can't be read.
fn refusals(source: &Source, folder: &Path) -> String {
    let Some(story) = Story::of(source) else { return String::new() };
    let programs = Programs::beside(&source.path);
    let folder = folder.to_string_lossy();
    let folder = shlex::try_quote(&folder).map_or_else(|_| shown(folder.as_bytes()), String::from);
    let mut text = String::new();
    for team in story.teams() {
        let reasons = team.tally.ranked_reasons();
        let Some(&(_, most)) = story.tally.most_refused(team.name).first() else { continue };
        let reason = |(why, count): &(&str, u64)| format!("{} ({count})", shown(why.as_bytes()));
        let mut why: Vec<String> = reasons.iter().take(MOST_REASONS).map(reason).collect();
        if reasons.len() > MOST_REASONS {
            why.push(format!("{} more", reasons.len() - MOST_REASONS));
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
