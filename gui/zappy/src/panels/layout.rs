//! Where Zappy's panels are. Tested in `tests.rs`.

use super::{closing, inspector, is_nothing_to_show, scoreboard};
use crate::action::Panel;
use crate::shown::Shown;
use crate::view::inspected;
use zappy_observer::panels::layout::{Layout, Wants};

/// Where every panel is in a window of that size, in points.
pub fn layout(width: f32, height: f32, shown: &Shown<'_>) -> Layout {
    let shows = |panel| shown.view.shows(panel);
    let board = |room: f32| scoreboard::DENSITY.height(shown.roster.teams().len(), room);
    let wants = Wants {
        nothing: is_nothing_to_show(shown),
        help: shows(Panel::Help),
        closing: (shows(Panel::Closing) && closing::wanted(shown)).then(|| closing::size(shown)),
        area: shown.roster.teams().len() > 1,
        film: shown.view.film.is_some(),
        still: shown.time.still,
        status: shown.status(),
        scoreboard: shows(Panel::Scoreboard).then_some(&board),
        feed: shows(Panel::Feed),
        charts: shows(Panel::Charts),
        dialogue: shows(Panel::Dialogue),
        inspector: inspected(shown.view).map(|_| inspector::height(shown)),
        minimap: shown.state.mirror().size.filter(|_| shows(Panel::Minimap)),
    };
    zappy_observer::panels::layout::layout(width, height, &wants)
}
