//! What the spectator has chosen to see, and how.
//!
//! Plain state; `app` changes it. Knows nothing of the match. Tested with `app`.

use std::collections::BTreeSet;

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::TeamIndex;

use crate::app::action::{Panel, Selection};
use crate::timeline::topic::Topic;
use zappy_observer::camera::Camera;
use zappy_observer::ink::Rect;
use zappy_observer::match_screen::Pointer;

/// Which events the feed shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Topics that pass.
    pub topics: BTreeSet<Topic>,
    /// Only this team's.
    pub team: Option<TeamIndex>,
    /// Only this player's.
    pub player: Option<PlayerId>,
}

impl Default for Filter {
    /// Everything but items and words, which come by the hundred.
    fn default() -> Filter {
        let topics =
            Topic::ALL.into_iter().filter(|topic| !matches!(topic, Topic::Items | Topic::Words)).collect();
        Filter { topics, team: None, player: None }
    }
}

/// What the spectator has chosen.
#[derive(Debug)]
pub struct View {
    /// Which part of the torus, how large.
    pub camera: Camera,
    /// What is selected.
    pub selection: Option<Selection>,
    /// What the inspector is pinned to.
    pub pinned: Option<Selection>,
    /// Whether the timeline, the charts and the scoreboard know nothing of what comes later, nor does the director.
    pub unspoiled: bool,
    /// Pictures of a film: nothing that can be clicked; and the ticks in a second of the film.
    pub film: Option<f64>,
    /// Whether the camera goes with the selected player.
    pub follow: bool,
    /// Whether the selected player's vision is shown.
    pub cone: bool,
    /// Whether the selected player's trail is shown.
    pub trail: bool,
    /// Whether all broadcasts show their text in the world, and not those of the selected player alone.
    pub words: bool,
    /// Whether what bots noted on tiles is shown in the world: of the selected player, or of all if none is.
    pub notes: bool,
    /// Whether the dialogue holds the broadcasts of other players.
    pub heard: bool,
    /// Panels that are shown.
    pub panels: BTreeSet<Panel>,
    /// Whether all panels are hidden for the moment.
    pub bare: bool,
    /// What the feed shows.
    pub filter: Filter,
    /// The feed's current entry, counted from the newest that passes; none: it follows the newest.
    pub feed_at: Option<usize>,
    /// Lines of the dialogue between its end and what is shown.
    pub dialogue_at: usize,
    /// The first row of the scoreboard that is shown, as far as there are more than fit.
    pub board_at: usize,
    /// The first line that is shown of what is on the inspected tile, as far as there is more than fits.
    pub there_at: usize,
    /// The part of the window that no panel covers, in points; empty before the first frame.
    pub free: Rect,
    /// What lies over that part, such as cards, in points.
    pub covered: Vec<Rect>,
    /// The camera that shows the whole map, as long as the spectator has not moved it.
    pub laid: Option<Camera>,
    /// The mouse.
    pub pointer: Pointer,
}

impl Default for View {
    fn default() -> View {
        View {
            camera: Camera::default(),
            selection: None,
            pinned: None,
            unspoiled: false,
            film: None,
            follow: false,
            cone: true,
            trail: true,
            words: false,
            notes: false,
            heard: true,
            panels: BTreeSet::from([Panel::Scoreboard, Panel::Feed, Panel::Minimap]),
            bare: false,
            filter: Filter::default(),
            feed_at: None,
            dialogue_at: 0,
            board_at: 0,
            there_at: 0,
            free: Rect::default(),
            covered: Vec::new(),
            laid: None,
            pointer: Pointer::default(),
        }
    }
}

impl View {
    /// Whether a panel is to be drawn.
    pub fn shows(&self, panel: Panel) -> bool {
        self.panels.contains(&panel) && (!self.bare || matches!(panel, Panel::Help | Panel::Closing))
    }

    /// What the inspector is about.
    pub fn inspected(&self) -> Option<Selection> {
        self.pinned.or(self.selection)
    }

    /// The selected player.
    pub fn selected_player(&self) -> Option<PlayerId> {
        match self.selection {
            Some(Selection::Player(player)) => Some(player),
            _ => None,
        }
    }
}
