//! Finds a bot that can't be started, or that runs and never joins, by a pair in which it joined no match. A pair holds
//! the matches of the same bots on one seed in all rotations of their seats. The bot would lose every match, so the run
//! ends.
//!
//! Reads results and logs, and starts nothing. Tested in `arena/cli/tests/tournament/ends.rs`, `arena/cli/tests/class/` and
//! `arena/cli/tests/compare.rs`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use zappy_play::folder::log_file_name;
use zappy_play::programs::said::{error_line, tail};

use super::Error;
use super::bots::Book;
use super::identity::Id;
use super::outcome::{BotEnd, Outcome, Seat};
use super::place::Place;
use super::plan::Planned;

/// A bot that could not be started, or never joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoStart {
    pub bot: Id,
    /// How its programs ended, and the line of its log that names the error.
    pub words: String,
    pub log: PathBuf,
}

/// The seats of a match in which a bot could not be started or never joined.
pub fn absent_seats(outcome: &Outcome) -> impl Iterator<Item = &Seat> {
    outcome.seats.iter().filter(|seat| seat.end.is_absent())
}

/// The bot, if there is one, that joined none of these matches, with the reason from the first of them.
pub fn in_pair(pair: &[Outcome], book: &Book, place: &Place) -> Option<NoStart> {
    let first = pair.first()?;
    let is_absent_everywhere =
        |seat: &&Seat| pair.iter().all(|one| absent_seats(one).any(|other| other.bot == seat.bot));
    let seat = absent_seats(first).find(is_absent_everywhere)?;
    let name = book.bot(seat.bot).map_or(seat.team.as_str(), |bot| bot.name.as_str());
    let log = place.match_folder(first.id).join("logs").join(log_file_name(&format!("{}-1", seat.team)));
    let detail = seat.end_detail.as_deref().unwrap_or("it ended before anybody joined");
    let said =
        error_line(&tail(&log)).map_or("it said nothing".to_owned(), |words| format!("it said: {words}"));
    let what = if seat.end == BotEnd::NeverJoined { "never joins" } else { "can't be started" };
    Some(NoStart { bot: seat.bot, words: format!("{name} {what}: {detail}; {said}"), log })
}

/// Finds the first pair of the plan of which some bot joined no match, in this run or an earlier one, and gives that
/// bot.
///
/// # Errors
/// A result can't be read.
pub fn find(place: &Place, book: &Book) -> Result<Option<NoStart>, Error> {
    let (plan, played) = (place.plan(|_| true)?, place.played()?);
    let mut pairs: BTreeMap<Id, Vec<&Planned>> = BTreeMap::new();
    plan.iter().for_each(|planned| pairs.entry(planned.pair).or_default().push(planned));
    for planned in &plan {
        // Each pair once, at its first match.
        let Some(pair) = pairs.remove(&planned.pair) else { continue };
        if !pair.iter().all(|planned| played.contains(&planned.id)) {
            continue;
        }
        let outcomes = pair.iter().map(|planned| place.outcome(planned.id));
        let found = in_pair(&outcomes.collect::<Result<Vec<_>, _>>()?, book, place);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
