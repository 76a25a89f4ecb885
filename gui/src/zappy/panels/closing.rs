//! The closing screen of Zappy: the winner, and the match in five facts.
//!
//! Must never show before the end. Tested in `tests.rs`; the facts in `facts`.

use zappy_protocol::TeamName;

use super::Ui;
use super::facts::facts;
use crate::ink::Rect;
use crate::panels::closing::{self, End};
use crate::panels::kit;
use crate::zappy::app::action::{Choice, Panel};
use crate::zappy::app::shown::Shown;

/// Whether the match has ended at the view's tick.
pub fn wanted(shown: &Shown<'_>) -> bool {
    shown.chronicle.finish.as_ref().is_some_and(|ending| kit::whole(shown.time.tick) >= ending.tick)
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, behind: Rect, shown: &Shown<'_>) {
    let Some(ending) = shown.chronicle.finish.as_ref() else { return };
    let winner = ending.winner.as_ref();
    let look = shown.look(winner.and_then(|winner| shown.roster.team(winner)));
    let facts = facts(shown.chronicle, shown.roster);
    let end = End { winner: winner.map(TeamName::as_str), look, facts: &facts };
    closing::draw(ui, rect, behind, &end, Choice::Toggle(Panel::Closing).into());
}
