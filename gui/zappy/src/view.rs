//! The spectator of Zappy: what can be selected and done there, what was chosen, and what may be shown of the match.
//!
//! Plain values: keys, buttons and panels make choices, `app` carries them out. Tested in `tests/app.rs`.

use std::collections::BTreeSet;

use zappy_protocol::zappy::story::{TeamIndex, What};
use zappy_protocol::zappy::{EggId, PlayerId};
use zappy_protocol::{Position, Tick};

pub use zappy_observer::app::action::Panel;
use zappy_observer::app::action::{self, Direction};
use zappy_observer::ink::Rect;
use zappy_observer::map_screen::{MapView, shown::MapShown};
use zappy_observer::theme::TeamLook;

/// What can be selected in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    Player(PlayerId),
    Egg(EggId),
    Tile(Position),
}

/// Something to do on the screen of Zappy.
pub type Choice = action::Choice<Selection, ZappyChoice>;
/// Something to do on this screen or on every screen.
pub type UserAction = action::UserAction<Choice>;

/// Something to do that this screen alone offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZappyChoice {
    /// Go to the next or previous moment at which the inspected player was refused something.
    Refusal(Direction),
    /// Select the next thing on the tile of the selection.
    SelectNextHere,
    /// Keep the inspector on this selection while others are clicked, or not.
    TogglePin,
    /// Hide what comes later than the moment shown, or show all that is known.
    ToggleUnspoiled,
    /// Show what the selected player can see, or not.
    ToggleCone,
    /// Show where the selected player walked, or not.
    ToggleTrail,
    /// Show all players' broadcasts in the world, or not.
    ToggleWords,
    /// Show what others say in the dialogue, or not.
    ToggleHeard,
    /// Show the events of a topic in the feed, or hide them.
    ToggleTopic(Topic),
    /// Show only this team's events in the feed; `None` for those of all teams.
    FilterTeam(Option<TeamIndex>),
    /// Show only the next team's events in the feed; after the last team, those of all.
    CycleTeam,
    /// Show only events of the selected player in the feed, or those of all players.
    FilterSelected,
    /// Scroll the list of what is on the inspected tile by so many lines.
    ScrollTile(i32),
}

impl From<ZappyChoice> for UserAction {
    fn from(choice: ZappyChoice) -> UserAction {
        UserAction::Choice(Choice::Own(choice))
    }
}

/// What the feed can be filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    Lives,
    Incantations,
    Words,
    Pushes,
    Eggs,
    /// Resources taken and put down.
    Items,
    /// The server, and the end of the match.
    Server,
}

impl Topic {
    /// All topics in the order in which filters show them.
    pub const ALL: [Topic; 7] = [
        Topic::Incantations,
        Topic::Lives,
        Topic::Words,
        Topic::Pushes,
        Topic::Eggs,
        Topic::Items,
        Topic::Server,
    ];

    /// The topic of an event.
    pub fn of(what: &What) -> Topic {
        match what {
            What::Joined(_) | What::Gone { .. } => Topic::Lives,
            What::Level { .. }
            | What::First { .. }
            | What::Lead { .. }
            | What::IncantationBegan { .. }
            | What::IncantationEnded { .. } => Topic::Incantations,
            What::Broadcast(..) => Topic::Words,
            What::Ejected { .. } => Topic::Pushes,
            What::Laying(_) | What::EggLaid(..) | What::EggHatched(_) | What::EggDestroyed(_) => Topic::Eggs,
            What::Took(..) | What::Dropped(..) => Topic::Items,
            _ => Topic::Server,
        }
    }

    /// Its name on a switch of the feed, and the hint that says what it shows.
    pub const fn label(self) -> (&'static str, &'static str) {
        match self {
            Topic::Incantations => ("Incantations", "Incantations and levels"),
            Topic::Lives => ("Lives", "Players who die, of a famine the first; births are listed with eggs"),
            Topic::Words => ("Words", "Broadcasts"),
            Topic::Pushes => ("Push", "Players pushed off their tile by other teams"),
            Topic::Eggs => ("Eggs", "Births, and eggs laid, hatched, destroyed"),
            Topic::Items => ("Items", "Resources taken and put down"),
            Topic::Server => ("Game", "The server, and the end of the match"),
        }
    }
}

/// Which events the feed shows; without a team or a player, those of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    pub topics: BTreeSet<Topic>,
    pub team: Option<TeamIndex>,
    pub player: Option<PlayerId>,
}

impl Default for Filter {
    /// Everything but items, broadcasts and eggs, which come by the hundred.
    fn default() -> Filter {
        let topics = BTreeSet::from([Topic::Lives, Topic::Incantations, Topic::Pushes, Topic::Server]);
        Filter { topics, team: None, player: None }
    }
}

/// What the spectator has chosen.
pub type View = MapView<Selection, ZappyView>;

/// The spectator's choices that only this screen offers.
#[derive(Debug)]
pub struct ZappyView {
    /// What the inspector is pinned to; `None` if it describes the selection.
    pub pinned: Option<Selection>,
    /// Whether timeline, charts, scoreboard and director know nothing of what comes later than the moment shown.
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
    /// The number of the first line that is shown of the list of what is on the inspected tile.
    pub tile_list_at: usize,
    /// The rectangles of cards and words over the part of the window that no panel covers, in points.
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
            tile_list_at: 0,
            covered: Vec::new(),
        }
    }
}

/// What the inspector describes: what it is pinned to, or what is selected if it isn't pinned.
pub fn inspected(view: &View) -> Option<Selection> {
    view.own.pinned.or(view.selection)
}

/// The player that the inspector describes, if it is one.
pub fn inspected_player(view: &View) -> Option<PlayerId> {
    if let Some(Selection::Player(player)) = inspected(view) { Some(player) } else { None }
}

/// The player that is selected, if what is selected is one.
pub fn selected_player(view: &View) -> Option<PlayerId> {
    if let Some(Selection::Player(player)) = view.selection { Some(player) } else { None }
}

/// Zappy, as a game on a torus.
#[derive(Debug)]
pub struct ZappyMap;

/// What is to be shown.
pub type Shown<'a> = MapShown<'a, ZappyMap>;

/// The team that has won at the moment shown, and how many ticks ago; `None` before the end, or without a winner.
pub fn winner(shown: &Shown<'_>) -> Option<(TeamIndex, f64)> {
    let (roster, tick) = (&shown.story.roster, shown.time.tick);
    let finish = shown.story.chronicle.finish.as_ref().filter(|end| end.tick as f64 <= tick);
    let named = shown.state.mirror().winner.as_ref();
    let team = roster.team(named.or(finish.and_then(|end| end.winner.as_ref()))?)?;
    // A team that never had a player can't have won, whatever the server says.
    roster.lives().find(|(_, life)| life.team == team)?;
    Some((team, finish.map_or(0.0, |end| tick - end.tick as f64)))
}

/// How a player looks, by its team in the roster, or in the mirror if the roster doesn't know it.
pub fn look_of(shown: &Shown<'_>, player: PlayerId) -> TeamLook {
    let (roster, players) = (&shown.story.roster, &shown.state.mirror().players);
    let mirrored = || roster.team(&players.get(&player)?.team);
    shown.look(roster.team_of(player).or_else(mirrored))
}

/// The last tick that the timeline, the charts and the scoreboard may show; `Tick::MAX` if all that is known.
pub fn known_until(shown: &Shown<'_>) -> Tick {
    if shown.view.own.unspoiled { shown.tick() } else { Tick::MAX }
}

/// The first and the last tick of the timeline. If what comes later is hidden, it is 1 000 ticks long, or twice that
/// and so on, as the moment shown requires.
pub fn span(shown: &Shown<'_>) -> (Tick, Tick) {
    let (first, last) = shown.range;
    if !shown.view.own.unspoiled {
        return (first, last);
    }
    let mut ends = std::iter::successors(Some(1_000_u64), |end| end.checked_mul(2));
    (first, ends.find(|end| first + end > shown.tick()).map_or(Tick::MAX, |end| first + end))
}
