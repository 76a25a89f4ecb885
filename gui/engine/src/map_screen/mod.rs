//! The screen of a match on a torus: what the spectator can choose, what each choice changes, and the camera.
//!
//! A [`MapGame`] defines what can be selected, what happened when, and how both are drawn. Plain Rust without a window.
//! Tested with the games' screens.

mod act;
mod frame;
pub mod opening;
pub mod panels;
mod pointer;
pub mod shown;

use std::collections::BTreeSet;
use std::fmt::Debug;

use zappy_protocol::commentary::Remark;
use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::{MapSize, Position, TeamName, Tick};

use crate::app::action::{Choice, Direction, Panel};
use crate::app::keymap::Binding;
use crate::app::session::{Conversation, Session};
use crate::app::watching::Watching;
use crate::camera::Camera;
use crate::director::Cue;
use crate::ink::{Point, Rect};
use crate::panels::Hits;
use crate::panels::layout::Layout;
use crate::sound::SoundCue;
use crate::theme::TeamLook;
use crate::timeline::dialogue::SpeakerSeats;
use crate::timeline::fold::History;
pub use pointer::Pointer;

/// The spectator's choices; `own` holds the choices that only one game offers.
#[derive(Debug)]
pub struct MapView<S, V> {
    pub camera: Camera,
    /// The camera as it was fitted to the whole map last: if `camera` is another one, the spectator has moved it.
    pub fitted: Option<Camera>,
    pub selection: Option<S>,
    /// Whether the camera follows the selection.
    pub follow: bool,
    /// The panels that are open.
    pub panels: BTreeSet<Panel>,
    /// Whether all panels are hidden for now.
    pub bare: bool,
    /// Ticks per second of a film, in which nothing can be clicked; `None` in a window.
    pub film: Option<f64>,
    /// Whether the bots' notes on tiles are shown in the world.
    pub notes: bool,
    /// The feed's current entry, counted back from the newest one that passes the filter; `None`: it follows the
    /// newest.
    pub feed_at: Option<usize>,
    /// How many lines the dialogue is scrolled up from its end.
    pub dialogue_at: usize,
    /// The first row of the scoreboard that is shown, if not all rows fit.
    pub board_at: usize,
    /// The part of the window that no panel covers, in points; empty before the first frame.
    pub free: Rect,
    pub pointer: Pointer,
    pub own: V,
}

impl<S, V: Default> Default for MapView<S, V> {
    fn default() -> MapView<S, V> {
        MapView {
            camera: Camera::default(),
            fitted: None,
            selection: None,
            follow: false,
            panels: BTreeSet::from([Panel::Scoreboard, Panel::Feed, Panel::Minimap]),
            bare: false,
            film: None,
            notes: false,
            feed_at: None,
            dialogue_at: 0,
            board_at: 0,
            free: Rect::default(),
            pointer: Pointer::default(),
            own: V::default(),
        }
    }
}

impl<S, V> MapView<S, V> {
    /// Whether a panel is to be drawn.
    pub fn shows(&self, panel: Panel) -> bool {
        self.panels.contains(&panel) && (!self.bare || matches!(panel, Panel::Help | Panel::Closing))
    }

    /// Changes the filter of the feed, and goes back to the newest event.
    pub fn filter(&mut self, change: impl FnOnce(&mut V)) {
        change(&mut self.own);
        self.feed_at = None;
    }
}

/// A moment of the match, and its place if it has one.
pub type Destination = (Tick, Option<Position>);
/// The choices made by the spectator of this game.
pub type ViewOf<G> = MapView<<G as MapGame>::Selection, <G as MapGame>::View>;
/// The choices open to the spectator of this game.
pub type ChoiceOf<G> = Choice<<G as MapGame>::Selection, <G as MapGame>::Own>;
/// The overview of this game's match, whichever tick is shown.
pub type OverviewOf<G> = <<G as MapGame>::History as History>::Overview;
/// The state of this game's match at a tick.
pub type KnownOf<G> = <<G as MapGame>::History as History>::Fold;

/// A game on a torus: the parts of its screen that differ from game to game.
pub trait MapGame: Debug + Sized + 'static {
    type History: History;
    /// What can be selected in the world.
    type Selection: Copy + Debug + PartialEq;
    /// Choices that this screen alone offers.
    type Own: Copy + Debug;
    /// One side of the match, such as a team or a faction.
    type Team: Copy + Debug;
    /// What the spectator has chosen on this screen alone.
    type View: Debug + Default;

    const PANELS: panels::Panels<Self>;

    fn bindings() -> Vec<Binding<ChoiceOf<Self>>>;
    /// The names of the teams, in the order in which colours are given out.
    fn teams(overview: &OverviewOf<Self>) -> &[TeamName];
    /// The index of a team in [`MapGame::teams`].
    fn number(team: Self::Team) -> usize;
    /// The size of the map; `None` before it is known.
    fn size(known: &KnownOf<Self>) -> Option<MapSize>;
    /// Where a selection is; `None` if it doesn't exist at this moment.
    fn place(known: &KnownOf<Self>, selection: Self::Selection) -> Option<Position>;
    /// The selection of a tile.
    fn tile(at: Position) -> Self::Selection;
    /// Reads a selection from text, such as `tile:3,7`.
    fn selection(text: &str) -> Option<Self::Selection>;
    /// The text from which [`MapGame::selection`] reads this selection.
    fn named(selection: Self::Selection) -> String;
    /// The things at a place of the window, the topmost first.
    fn pick(screen: &MapScreen<Self>, at: Point) -> Vec<Self::Selection>;
    /// The next key moment, or the one before.
    fn key_moment(screen: &MapScreen<Self>, direction: Direction) -> Option<Destination>;
    /// An entry of the feed, counted back from the newest one that passes the filter.
    fn entry(screen: &MapScreen<Self>, number: usize) -> Option<Destination>;
    /// The sounds on a map of that size after the first tick, up to the second one.
    fn sounds(overview: &OverviewOf<Self>, size: Option<MapSize>, ticks: (Tick, Tick)) -> Vec<SoundCue>;
    fn perform(screen: &mut MapScreen<Self>, own: Self::Own);

    /// The player or unit after the selected one, or the one before it.
    fn next(_screen: &MapScreen<Self>, _direction: Direction) -> Option<Self::Selection> {
        None
    }
    /// How many ticks before a moment its replay begins.
    fn lead(_screen: &MapScreen<Self>) -> Tick {
        0
    }
    /// The speaker of the dialogue shown in the open panel.
    fn speaker(_screen: &MapScreen<Self>) -> Option<SpeakerSeats> {
        None
    }
    /// The scenes that the director may choose from.
    fn cues(_shown: &shown::MapShown<'_, Self>) -> Vec<Cue> {
        Vec::new()
    }
    /// The commentary of the match, the oldest remark first.
    fn remarks(_overview: &OverviewOf<Self>) -> &[Remark<Self::Team>] {
        &[]
    }
    /// The ticks of the moments that decided the match, in their order.
    fn highlights(_overview: &OverviewOf<Self>) -> Vec<Tick> {
        Vec::new()
    }
    /// The selection that the inspector describes.
    fn inspected(view: &ViewOf<Self>) -> Option<Self::Selection> {
        view.selection
    }
    /// Whether a selection moves by itself: it can be followed, and stays selected when a moment is visited.
    fn moves(_selection: Self::Selection) -> bool {
        false
    }
    /// The tile point, east and south, of the selection that moves by itself, at the moment shown; `None` if it is
    /// gone.
    fn target(_screen: &MapScreen<Self>) -> Option<(f64, f64)> {
        None
    }
    /// Whether this choice moves the camera, so that the director stops leading.
    fn takes_camera(_own: Self::Own) -> bool {
        false
    }
    /// Whether this line is shown in the dialogue.
    fn wants(_view: &Self::View, _line: &Spoken) -> bool {
        true
    }
    /// Whether the director may use what comes later in a record.
    fn foresees(_view: &Self::View) -> bool {
        true
    }
    /// The camera that shows all of the map.
    fn whole(screen: &MapScreen<Self>, size: MapSize) -> Camera {
        let mut whole = Camera::default();
        whole.fit(screen.layout.world, size);
        whole
    }
    /// The part of the world that nothing covers, in the middle of which the director shows a place.
    fn free(screen: &MapScreen<Self>) -> Rect {
        screen.layout.world
    }
    /// Shows something extra that this word names.
    fn show(_view: &mut Self::View, _word: &str) {}
    /// Called when something was selected by name rather than by its place.
    fn selected(_screen: &mut MapScreen<Self>) {}
    /// Called when another selection is made.
    fn reselected(_view: &mut Self::View) {}
    /// Closes what only this game has opened, when nothing else is left to close.
    fn let_go(_view: &mut Self::View) {}
    /// Called when the layout and the camera of this frame are settled.
    fn arranged(_screen: &mut MapScreen<Self>) {}
}

/// The screen of a match on a torus, without its window.
#[derive(Debug)]
pub struct MapScreen<G: MapGame> {
    /// The match and the moment shown.
    pub watch: Watching<G::History>,
    pub view: ViewOf<G>,
    /// The dialogue of the inspected program with the server.
    pub conversation: Conversation,
    /// The colour and the emblem of each team, in the order of [`MapGame::teams`].
    pub looks: Vec<TeamLook>,
    /// The layout of the last frame.
    pub layout: Layout,
    /// What can be clicked in the last frame.
    pub hits: Hits<ChoiceOf<G>>,
    /// Whether the camera was set for this map, by hand or to show the whole map.
    framed: bool,
    /// What the first picture should show: how many times larger than the whole map, and the tile in the middle.
    opening: (Option<f32>, Option<Position>),
    /// Whether the spectator has seen the end, at which the closing screen opens.
    closed: bool,
}

impl<G: MapGame> MapScreen<G> {
    /// A screen that shows this match.
    pub fn new(session: Session<G::History>) -> MapScreen<G> {
        MapScreen {
            watch: Watching::new(session),
            view: MapView::default(),
            conversation: Conversation::default(),
            looks: Vec::new(),
            layout: Layout::default(),
            hits: Hits::default(),
            framed: false,
            opening: (None, None),
            closed: false,
        }
    }

    pub fn size(&self) -> Option<MapSize> {
        G::size(self.watch.session.fold())
    }

    /// Where a selection is at the moment shown.
    pub fn place_of(&self, selection: Option<G::Selection>) -> Option<Position> {
        G::place(self.watch.session.fold(), selection?)
    }

    /// Selects this, and scrolls the panels about the selection back to their beginning.
    pub fn select(&mut self, selection: Option<G::Selection>) {
        if selection != self.view.selection {
            self.view.dialogue_at = 0;
            self.view.follow &= selection.is_some_and(G::moves);
            G::reselected(&mut self.view.own);
        }
        self.view.selection = selection;
    }

    /// Selects the first of `found`, or the one after the current selection if that is among them; nothing if there are
    /// none.
    pub fn select_of(&mut self, found: &[G::Selection]) {
        let current = found.iter().position(|one| Some(*one) == self.view.selection);
        let next = current.map_or(0, |index| (index + 1) % found.len());
        self.select(found.get(next).copied());
    }

    /// Brings the selection to the middle if it is beyond the view's edge or close to it.
    pub fn show_selection(&mut self) {
        let Some((at, size)) = self.place_of(self.view.selection).zip(self.size()) else { return };
        let (camera, world) = (&mut self.view.camera, self.layout.world);
        let (dx, dy) = size.delta(camera.tile(size), at);
        let near_edge = |tiles: i32, side: f32| tiles.unsigned_abs() as f32 * camera.scale > side * 0.45;
        if near_edge(dx, world.w) || near_edge(dy, world.h) {
            camera.look_at(size, at);
        }
    }
}
