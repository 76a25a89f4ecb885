//! What the spectator of Zappy has chosen to see, and how.
//!
//! Plain state; `app` changes it. Knows nothing of the match. Tested with `app`.

use std::collections::BTreeSet;

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::TeamIndex;

use crate::action::Selection;
use crate::timeline::topic::Topic;
use zappy_observer::ink::Rect;
use zappy_observer::map_screen::MapView;

/// Which events the feed shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    pub topics: BTreeSet<Topic>,
    pub team: Option<TeamIndex>,
    pub player: Option<PlayerId>,
}

impl Default for Filter {
    /// Everything but items, words, and eggs, which come by the hundred.
    fn default() -> Filter {
        let counted = |topic: &Topic| matches!(topic, Topic::Items | Topic::Words | Topic::Eggs);
        let topics = Topic::ALL.into_iter().filter(|topic| !counted(topic)).collect();
        Filter { topics, team: None, player: None }
    }
}

/// What the spectator has chosen.
pub type View = MapView<Selection, ZappyView>;

/// What the spectator has chosen of what this screen alone offers.
#[derive(Debug)]
pub struct ZappyView {
    /// What the inspector is pinned to.
    pub pinned: Option<Selection>,
    /// Whether the timeline, the charts and the scoreboard know nothing of what comes later, nor does the director.
    pub unspoiled: bool,
    /// Whether the selected player's vision is shown.
    pub cone: bool,
    /// Whether the selected player's trail is shown.
    pub trail: bool,
    /// Whether all broadcasts show their text in the world, and not those of the selected player alone.
    pub words: bool,
    /// Whether the dialogue holds the broadcasts of other players.
    pub heard: bool,
    pub filter: Filter,
    /// The first line that is shown of what is on the inspected tile, as far as there is more than fits.
    pub there_at: usize,
    /// What lies over the part of the window that no panel covers, such as cards, in points.
    pub covered: Vec<Rect>,
}

impl Default for ZappyView {
    fn default() -> ZappyView {
        ZappyView {
            pinned: None,
            unspoiled: false,
            cone: true,
            trail: true,
            words: false,
            heard: true,
            filter: Filter::default(),
            there_at: 0,
            covered: Vec::new(),
        }
    }
}

/// What the inspector is about.
pub fn inspected(view: &View) -> Option<Selection> {
    view.own.pinned.or(view.selection)
}

/// The player that is selected, if what is selected is one.
pub fn selected_player(view: &View) -> Option<PlayerId> {
    if let Some(Selection::Player(player)) = view.selection { Some(player) } else { None }
}
