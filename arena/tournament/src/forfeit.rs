//! Which matches that can't be scored count as lost all the same, and by which teams.
//!
//! Nothing proves how such a match would have ended, so it counts for no bot: it is lost by those that spoiled it, by what
//! they used or did, or by standing behind when something ended it; where that isn't known, or is so of all teams, it
//! counts for nothing. Tested in `arena/cli/tests/merge/forfeits.rs`.

use std::collections::{BTreeSet, HashMap};

use super::identity::Id;
use super::reading::Tournament;

/// The seats by which each match without a score is lost; those of which nothing is known are left out.
pub fn forfeits(tournament: &Tournament) -> HashMap<Id, BTreeSet<usize>> {
    let unscored = tournament.results.values().filter(|played| !played.cause.counts());
    let unscored = unscored.map(|played| (played.id, &played.spoiled_by, &played.gained));
    let failed = tournament.failures.iter().map(|failure| (failure.id, &failure.spoiled_by, &failure.gained));
    let seats: HashMap<Id, usize> = tournament.plan.iter().map(|one| (one.id, one.seats.len())).collect();
    let known = unscored.chain(failed).filter_map(|(id, spoilers, gained)| {
        let count = *seats.get(&id)?;
        let lost: BTreeSet<usize> =
            spoilers.iter().chain(gained).copied().filter(|&seat| seat < count).collect();
        (!lost.is_empty() && lost.len() < count).then_some((id, lost))
    });
    known.collect()
}
