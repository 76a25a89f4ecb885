//! What is to be shown: the match at the view's tick, and how the view came by it.
//!
//! Borrowed by `draw` and `panels`, which read it and change nothing.

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::zappy::story::{Roster, TeamIndex};

use super::view::View;
use crate::timeline::chronicle::Chronicle;
use crate::timeline::state::ZappyState;
use zappy_observer::app::origin::{Oddities, Origin};
use zappy_observer::app::playback::Playback;
use zappy_observer::panels::status::Status;
use zappy_observer::theme::TeamLook;
use zappy_observer::timeline::notes::Notebook;

/// What is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The view's moment: between two ticks things glide, and its pace says how long effects last.
    pub time: Playback,
    /// What is known at that tick.
    pub state: &'a ZappyState,
    pub roster: &'a Roster,
    /// The match at a glance.
    pub chronicle: &'a Chronicle,
    /// How each team looks, in the roster's order.
    pub looks: &'a [TeamLook],
    /// What the spectator has chosen.
    pub view: &'a View,
    pub origin: &'a Origin,
    pub oddities: &'a Oddities,
    /// The first tick that can be shown.
    pub first: Tick,
    /// The last tick that can be shown; live it grows.
    pub last: Tick,
    /// The inspected player's dialogue with the server up to the view's tick, the oldest first; empty where there is none.
    pub dialogue: &'a [Spoken],
    /// What bots noted for their authors.
    pub notes: &'a Notebook,
    /// Whether the director leads the camera.
    pub director: bool,
    /// A word about what was just done, such as a saved picture.
    pub notice: Option<&'a str>,
}

impl<'a> Shown<'a> {
    /// The team that has won at the moment shown, and how many ticks ago; nothing before, or without a winner.
    pub fn winner(&self) -> Option<(TeamIndex, f64)> {
        let finish = self.chronicle.finish.as_ref().filter(|end| end.tick as f64 <= self.time.tick);
        let told = self.state.mirror().winner.as_ref();
        let team = self.roster.team(told.or(finish.and_then(|end| end.winner.as_ref()))?)?;
        // A name that no player bears crowns no team.
        self.roster.lives().find(|(_, life)| life.team == team)?;
        Some((team, finish.map_or(0.0, |end| self.time.tick - end.tick as f64)))
    }

    /// Whether the match has ended at the moment shown.
    pub fn is_over(&self) -> bool {
        self.chronicle.finish.as_ref().is_some_and(|finish| self.time.tick >= finish.tick as f64)
    }

    /// What may be said over the world's lower edge.
    pub fn status(&self) -> Status<'a> {
        Status { notice: self.notice, oddities: self.oddities, bare: self.view.bare }
    }

    /// The last tick of which the timeline, the charts and the scoreboard know something.
    pub fn known_until(&self) -> Tick {
        if self.view.own.unspoiled { self.time.whole_tick() } else { Tick::MAX }
    }

    /// The first and the last tick of the timeline. One that knows nothing of later has round ends, which only the moment
    /// shown decides.
    pub fn span(&self) -> (Tick, Tick) {
        if !self.view.own.unspoiled {
            return (self.first, self.last);
        }
        let mut ends = std::iter::successors(Some(1_000_u64), |end| end.checked_mul(2));
        let now = self.time.whole_tick();
        (self.first, ends.find(|end| self.first + end > now).map_or(Tick::MAX, |end| self.first + end))
    }

    /// How a team looks; a neutral look for none of these.
    pub fn look(&self, team: Option<TeamIndex>) -> TeamLook {
        team.and_then(|team| self.looks.get(team.0)).copied().unwrap_or(TeamLook::NOBODY)
    }
}
