//! What is to be shown of a match of Zappy, and what a spectator may know of what comes later.

use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::TeamIndex;

use zappy_observer::theme::TeamLook;

/// Zappy, as a game on a torus.
#[derive(Debug)]
pub struct ZappyMap;

/// What is to be shown.
pub type Shown<'a> = zappy_observer::map_screen::shown::MapShown<'a, ZappyMap>;

/// The team that has won at the moment shown, and how many ticks ago; nothing before, or without a winner.
pub fn winner(shown: &Shown<'_>) -> Option<(TeamIndex, f64)> {
    let (roster, tick) = (&shown.story.roster, shown.time.tick);
    let finish = shown.story.chronicle.finish.as_ref().filter(|end| end.tick as f64 <= tick);
    let told = shown.state.mirror().winner.as_ref();
    let team = roster.team(told.or(finish.and_then(|end| end.winner.as_ref()))?)?;
    // A name that no player bears crowns no team.
    roster.lives().find(|(_, life)| life.team == team)?;
    Some((team, finish.map_or(0.0, |end| tick - end.tick as f64)))
}

/// How a player looks, by the team that the roster or the world names.
pub fn look_of(shown: &Shown<'_>, player: PlayerId) -> TeamLook {
    let (roster, players) = (&shown.story.roster, &shown.state.mirror().players);
    let told = || roster.team(&players.get(&player)?.team);
    shown.look(roster.team_of(player).or_else(told))
}

/// The last tick of which the timeline, the charts and the scoreboard know something.
pub fn known_until(shown: &Shown<'_>) -> Tick {
    if shown.view.own.unspoiled { shown.tick() } else { Tick::MAX }
}

/// The first and the last tick of the timeline. One that knows nothing of later has round ends, which only the moment
/// shown decides.
pub fn span(shown: &Shown<'_>) -> (Tick, Tick) {
    let (first, last) = shown.range;
    if !shown.view.own.unspoiled {
        return (first, last);
    }
    let mut ends = std::iter::successors(Some(1_000_u64), |end| end.checked_mul(2));
    (first, ends.find(|end| first + end > shown.tick()).map_or(Tick::MAX, |end| first + end))
}
