//! The screen of a match on a torus: what the spectator has chosen, what each choice changes, and where the camera is.
//!
//! A [`MapGame`] says what can be selected, what happened when, and how both are drawn. Plain Rust without a window.
//! Tested with the games' screens.

mod act;

use std::collections::BTreeSet;
use std::fmt::Debug;

use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::{MapSize, Position, TeamName, Tick};

use crate::app::action::{Choice, Direction, Panel};
use crate::app::conversation::Conversation;
use crate::app::keymap::Binding;
use crate::app::playback::SPEEDS;
use crate::app::session::Session;
use crate::app::watching::Watching;
use crate::camera::Camera;
use crate::director::{Cue, Pace};
use crate::ink::{Canvas, Point, Rect};
use crate::match_screen::Pointer;
use crate::panels::Hits;
use crate::panels::layout::Layout;
use crate::theme::TeamLook;
use crate::timeline::dialogue::Speaker;
use crate::timeline::fold::History;

/// What the spectator has chosen; `own` is what one game alone offers.
#[derive(Debug)]
pub struct MapView<S, V> {
    pub camera: Camera,
    /// The camera that shows the whole map, as long as the spectator has not moved it.
    pub laid: Option<Camera>,
    pub selection: Option<S>,
    /// Whether the camera goes with what is selected.
    pub follow: bool,
    /// The panels that are open.
    pub panels: BTreeSet<Panel>,
    /// Whether all panels are hidden for the moment.
    pub bare: bool,
    /// For a film, nothing of which can be clicked: the ticks in a second of it.
    pub film: Option<f64>,
    /// Whether what bots noted on tiles is shown in the world.
    pub notes: bool,
    /// The feed's current entry, counted from the newest that passes; none: it follows the newest.
    pub feed_at: Option<usize>,
    /// Lines of the dialogue between its end and what is shown.
    pub dialogue_at: usize,
    /// The first row of the scoreboard that is shown, as far as there are more than fit.
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
            laid: None,
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

    /// Shows the events that pass a changed filter from the newest on.
    pub fn filter(&mut self, change: impl FnOnce(&mut V)) {
        change(&mut self.own);
        self.feed_at = None;
    }
}

/// A moment of the match, and its place if it has one.
pub type Destination = (Tick, Option<Position>);
/// What the spectator of this game has chosen.
pub type ViewOf<G> = MapView<<G as MapGame>::Selection, <G as MapGame>::View>;
/// What the spectator of this game can choose.
pub type ChoiceOf<G> = Choice<<G as MapGame>::Selection, <G as MapGame>::Own>;
type Known<G> = <<G as MapGame>::History as History>::Fold;

/// A game on a torus: the parts of its screen that differ from game to game.
pub trait MapGame: Debug + Sized + 'static {
    type History: History;
    /// What can be selected in the world.
    type Selection: Copy + Debug + PartialEq;
    /// Choices that this screen alone offers.
    type Own: Copy + Debug;
    /// What the spectator has chosen of them.
    type View: Debug + Default;

    fn bindings() -> Vec<Binding<ChoiceOf<Self>>>;
    /// The names of the teams, in the order of their looks.
    fn teams(overview: &<Self::History as History>::Overview) -> &[TeamName];
    fn size(known: &Known<Self>) -> Option<MapSize>;
    /// Where a selection is; `None` if it isn't there.
    fn place(known: &Known<Self>, selection: Self::Selection) -> Option<Position>;
    fn tile(at: Position) -> Self::Selection;
    /// Reads what is selected in words, such as `tile:3,7`.
    fn selection(text: &str) -> Option<Self::Selection>;
    /// The words in which a selection is read.
    fn named(selection: Self::Selection) -> String;
    /// The next thing that acts, behind the one that is selected, or the one before it.
    fn next(screen: &MapScreen<Self>, direction: Direction) -> Option<Self::Selection>;
    /// What is at a place of the window, the topmost first.
    fn pick(screen: &MapScreen<Self>, at: Point) -> Vec<Self::Selection>;
    /// The next moment that matters, or the one before.
    fn key_moment(screen: &MapScreen<Self>, direction: Direction) -> Option<Destination>;
    /// An entry of the feed, counted from the newest that passes.
    fn entry(screen: &MapScreen<Self>, number: usize) -> Option<Destination>;
    /// Rows of the scoreboard for which there is no room.
    fn hidden_rows(screen: &MapScreen<Self>) -> usize;
    /// Ticks before a moment at which its replay begins.
    fn lead(screen: &MapScreen<Self>) -> Tick;
    /// The speaker of the dialogue that is shown while its panel is open.
    fn speaker(screen: &MapScreen<Self>) -> Option<Speaker>;
    /// What the director may show.
    fn cues(screen: &MapScreen<Self>) -> Vec<Cue>;
    /// The ticks of the moments that decided the match, in their order.
    fn highlights(screen: &MapScreen<Self>) -> Vec<Tick>;
    /// Where everything is in a window of that size, in points.
    fn layout(screen: &MapScreen<Self>, width: f32, height: f32) -> Layout;
    /// Draws everything; gives what can be clicked.
    fn draw(screen: &MapScreen<Self>, canvas: &mut Canvas) -> Hits<ChoiceOf<Self>>;
    /// The tile under a place of the small map.
    fn minimap_tile(screen: &MapScreen<Self>, at: Point) -> Option<(f64, f64)>;
    fn perform(screen: &mut MapScreen<Self>, own: Self::Own);

    /// What the inspector is about.
    fn inspected(view: &ViewOf<Self>) -> Option<Self::Selection> {
        view.selection
    }
    /// Whether a selection moves by itself: it can be followed, and stays selected when a moment is visited.
    fn moves(_selection: Self::Selection) -> bool {
        false
    }
    /// Where the selection that moves by itself is at the moment shown.
    fn target(_screen: &MapScreen<Self>) -> Option<(f64, f64)> {
        None
    }
    /// Whether the spectator takes the camera by this, so that the director lets go of it.
    fn takes_camera(_own: Self::Own) -> bool {
        false
    }
    /// Whether the dialogue holds this line.
    fn wants(_view: &Self::View, _line: &Spoken) -> bool {
        true
    }
    /// Whether the director may know what comes later in a record.
    fn foresees(_view: &Self::View) -> bool {
        true
    }
    /// The camera that shows all of the map.
    fn whole(screen: &MapScreen<Self>, size: MapSize) -> Camera {
        let mut whole = Camera::default();
        whole.fit(screen.layout.world, size);
        whole.normalise(size);
        whole
    }
    /// The part of the world that the director leaves free.
    fn free(screen: &MapScreen<Self>) -> Rect {
        screen.layout.world
    }
    /// Shows what this word names, beside what is shown anyway.
    fn show(_view: &mut Self::View, _word: &str) {}
    /// Something was selected by name rather than by its place.
    fn selected(_screen: &mut MapScreen<Self>) {}
    fn reselected(_view: &mut Self::View) {}
    /// Lets go of what only this game holds, when nothing else is left to close.
    fn let_go(_view: &mut Self::View) {}
    /// Everything has its place and the camera is where it stays for this frame.
    fn arranged(_screen: &mut MapScreen<Self>) {}
}

/// The screen of a match on a torus, apart from its window.
#[derive(Debug)]
pub struct MapScreen<G: MapGame> {
    /// The match and the moment shown.
    pub watch: Watching<G::History>,
    pub view: ViewOf<G>,
    /// What the inspected program and the server said to each other.
    pub conversation: Conversation,
    pub looks: Vec<TeamLook>,
    /// Where everything is in the last frame.
    pub layout: Layout,
    /// What can be clicked in the last frame.
    pub hits: Hits<ChoiceOf<G>>,
    /// Whether the camera was set for this map, by hand or to show all of it.
    framed: bool,
    /// What the first picture is to show: how much closer than the whole map, and where.
    opening: (Option<f32>, Option<Position>),
    /// Whether the end was seen, so that it was told.
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

    /// Selects this; what was shown of the selection before is shown from its beginning.
    pub fn select(&mut self, selection: Option<G::Selection>) {
        if selection != self.view.selection {
            self.view.dialogue_at = 0;
            self.view.follow &= selection.is_some_and(G::moves);
            G::reselected(&mut self.view.own);
        }
        self.view.selection = selection;
    }

    /// Selects the first of these, or the one behind the selection if that is among them.
    pub fn select_of(&mut self, found: &[G::Selection]) {
        let known = found.iter().position(|one| Some(*one) == self.view.selection);
        let next = known.map_or(0, |place| (place + 1) % found.len());
        self.select(found.get(next).copied());
    }

    /// Brings the selection onto the window if it isn't there.
    pub fn show_selection(&mut self) {
        if let Some((at, size)) = self.place_of(self.view.selection).zip(self.size()) {
            self.view.camera.bring_in(self.layout.world, size, at);
        }
    }

    /// How time passes for the spectator.
    pub fn pace(&self, foresees: bool) -> Pace {
        let (session, time) = (&self.watch.session, self.watch.time);
        let speed = if session.is_live() && time.at_now { 1.0 } else { SPEEDS[time.speed] };
        let rate = self.view.film.unwrap_or(speed * session.base_rate());
        Pace { rate, foresees: foresees && !session.is_live() }
    }
}
