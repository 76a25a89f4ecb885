//! Why the first team came before the others in a match that ended by time, as far as the record shows it.
//!
//! No line of a record says so; this module compares the teams as the rules do. Tested in `arena/cli/tests/records/`.

use std::cmp::Reverse;

use zappy_game_zappy::RuleSet;
use zappy_protocol::Tick;
use zappy_protocol::text::{shown, thousands};

use super::story::{Story, Team};
use crate::source::Source;

/// The reason of an end by time.
const TIME: &str = "time";

/// What decides between teams, the most important part first: living players at each level from the highest level down,
/// the highest level that a player of the team ever reached, and the tick at which it did.
type Criteria = ([u32; 8], u8, Reverse<Tick>);

/// The first team and the one that comes closest to it.
struct Duel<'a> {
    first: (&'a str, Criteria),
    second: (&'a str, Criteria),
    /// Whether the official rules are played, by which only the highest level counts.
    official: bool,
}

impl<'a> Duel<'a> {
    /// `None` if the match didn't end by time with a winner, or if another team is stronger than that winner.
    fn of(source: &Source, story: &'a Story) -> Option<Duel<'a>> {
        let end = source.end.as_ref().filter(|end| end.reason == TIME && source.is_full())?;
        let winner = end.winner()?;
        let official = source.header.option("rules") == Some(RuleSet::OFFICIAL.name());
        let mut teams: Vec<_> =
            story.teams().into_iter().map(|team| (team.name, criteria(&team, official))).collect();
        let first = teams.swap_remove(teams.iter().position(|(name, _)| *name == winner)?);
        let second = teams
            .into_iter()
            .max_by_key(|(_, criteria)| *criteria)
            .filter(|(_, criteria)| *criteria <= first.1)?;
        Some(Duel { first, second, official })
    }
}

fn criteria(team: &Team<'_>, official: bool) -> Criteria {
    if official {
        let top = [team.strength.highest().into(), 0, 0, 0, 0, 0, 0, 0];
        return (top, 0, Reverse(0));
    }
    let reached = team.deeds.first_at.iter().zip(1..).filter_map(|(at, level)| Some((level, (*at)?))).last();
    let (highest, at) = reached.unwrap_or((0, Tick::MAX));
    (team.strength.rank(), highest, Reverse(at))
}

/// Whether the first place was drawn by lot; `None` if the record doesn't say.
pub fn by_lot(source: &Source) -> Option<bool> {
    source.end.as_ref().filter(|end| end.reason == TIME && end.winner().is_some())?;
    let story = Story::of(source)?;
    let duel = Duel::of(source, &story)?;
    Some(duel.first.1 == duel.second.1 && !duel.official)
}

/// Why the first team comes before another that has as many players at each level; `None` if none has.
pub fn tie_break(source: &Source, story: &Story) -> Option<String> {
    let Duel { first: (first, (levels, highest, at)), second: (second, (others, other, later)), official } =
        Duel::of(source, story)?;
    if levels != others {
        return None;
    }
    let (first, second) = (shown(first.as_bytes()), shown(second.as_bytes()));
    let equal = if official { "equal highest levels" } else { "equal levels" };
    let why = if official {
        format!("{first} was named after {second}, and the last-named team wins")
    } else if highest != other {
        format!("{first} had reached level {highest}, {second} only level {other}")
    } else if at != later {
        let (at, later) = (thousands(at.0), thousands(later.0));
        format!("{first} reached level {highest} first, at tick {at}, {second} at tick {later}")
    } else {
        "nothing else decides either, so the lot did".to_owned()
    };
    Some(format!("{equal}: {why}"))
}
