//! The screen of a match on a torus: what the spectator has chosen, what each choice changes, and where the camera is.
//!
//! A [`MapGame`] says what can be selected, what happened when, and how both are drawn. Plain Rust without a window.
//! Tested with the games' screens.

use std::collections::BTreeSet;
use std::fmt::Debug;

use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::{MapSize, Position, TeamName, Tick};

use crate::app::action::{Choice, Direction, Panel};
use crate::app::conversation::Conversation;
use crate::app::keymap::Binding;
use crate::app::playback::{NORMAL_SPEED, SPEEDS};
use crate::app::session::Session;
use crate::app::share;
use crate::app::watching::{Chosen, Watched as _, Watching};
use crate::camera::{Camera, wrapped};
use crate::director::{Cue, Pace, Picture, Plan};
use crate::ink::{Canvas, Point, Rect};
use crate::match_screen::{Gesture, MatchScreen, Pointer};
use crate::panels::Hits;
use crate::panels::feed::moved;
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

/// A game on a torus: what of its screen is not alike for every game.
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
    /// Where a selection is; `None` of what isn't there.
    fn place(known: &Known<Self>, selection: Self::Selection) -> Option<Position>;
    fn tile(at: Position) -> Self::Selection;
    /// Reads what is selected in words, such as `tile:3,7`.
    fn selection(text: &str) -> Option<Self::Selection>;
    /// The words in which a selection is read.
    fn named(selection: Self::Selection) -> String;
    /// The next one of those that act behind the selection, or the one before.
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

    /// Stops at that moment, and brings its place onto the window.
    fn visit(&mut self, (tick, at): Destination) {
        self.watch.stop_at(tick);
        let Some(at) = at else { return };
        self.view.follow = false;
        if let Some(size) = self.size() {
            self.view.camera.visit(self.layout.world, size, at);
        }
        if !self.view.selection.is_some_and(G::moves) {
            self.view.selection = Some(G::tile(at));
        }
    }

    fn move_cursor(&mut self, by: (i32, i32)) {
        let Some(size) = self.size() else { return };
        let (x, y) = (self.view.camera.x.floor() as i64, self.view.camera.y.floor() as i64);
        let here = self.place_of(self.view.selection);
        let next = here.map_or_else(|| wrapped(size, x, y), |at| size.offset(at, by));
        self.select(Some(G::tile(next)));
        self.show_selection();
    }

    /// Closes one thing at a time, the uppermost first.
    fn escape(&mut self) {
        let over = [Panel::Help, Panel::Closing, Panel::Dialogue, Panel::Charts];
        if over.iter().any(|panel| self.view.panels.remove(panel)) || std::mem::take(&mut self.view.bare) {
            return;
        }
        if self.view.selection.is_some() {
            self.select(None);
        } else {
            G::let_go(&mut self.view.own);
        }
    }

    fn toggle(&mut self, panel: Panel) {
        if panel == Panel::Closing {
            let Some(end) = G::History::finished(self.watch.session.overview()) else {
                return self.watch.say("the match isn’t over, as far as is known");
            };
            if self.watch.time.tick < end as f64 {
                // It is told at the end alone, so one goes there to see it.
                self.watch.stop_at(end);
                self.view.panels.remove(&panel);
            }
        }
        if !self.view.panels.remove(&panel) {
            self.view.panels.insert(panel);
            self.view.bare = false;
        }
    }

    /// Shows a moment from so long before that it is understood, and no faster than it can be followed.
    fn replay(&mut self, tick: Tick) {
        self.watch.seek(tick.saturating_sub(G::lead(self)) as f64);
        (self.watch.time.playing, self.watch.time.speed) = (true, NORMAL_SPEED);
        (self.watch.director, self.view.follow, self.view.bare) = (true, false, false);
        self.view.panels.remove(&Panel::Closing);
    }

    fn share(&mut self) {
        let closer = share::closer(self.view.camera, self.layout.world, self.size());
        let selected = G::inspected(&self.view).map(G::named);
        let moment = share::moment(&self.watch, selected.as_deref(), closer);
        self.watch.copy(moment);
    }

    fn takes_camera(choice: &ChoiceOf<G>) -> bool {
        match choice {
            Choice::Own(own) => G::takes_camera(*own),
            Choice::KeyMoment(_)
            | Choice::Select(_)
            | Choice::SelectAt(_)
            | Choice::SelectNext(_)
            | Choice::MoveCursor(..)
            | Choice::ToggleFollow
            | Choice::Zoom(..)
            | Choice::Pan(_)
            | Choice::Fit
            | Choice::FeedOpen
            | Choice::Visit(..) => true,
            _ => false,
        }
    }

    /// How time passes for the spectator.
    pub fn pace(&self, foresees: bool) -> Pace {
        let (session, time) = (&self.watch.session, self.watch.time);
        let speed = if session.is_live() && time.at_now { 1.0 } else { SPEEDS[time.speed] };
        let rate = self.view.film.unwrap_or(speed * session.base_rate());
        Pace { rate, foresees: foresees && !session.is_live() }
    }

    /// Where the director has the camera, on a map that a camera shows whole.
    fn directed(&self, map: MapSize, whole: Camera) -> Camera {
        let picture = Picture { world: self.layout.world, free: G::free(self), whole };
        let plan = Plan::of(map, &G::cues(self), self.pace(G::foresees(&self.view.own)));
        plan.camera(self.watch.time.tick, picture, map)
    }

    /// Shows what the first picture is to show, by default all of the map.
    fn come_closer(&mut self, size: MapSize) {
        let (zoom, look_at) = self.opening;
        let selected = || self.place_of(self.view.selection).filter(|_| zoom.is_some());
        if let Some(at) = look_at.or_else(selected) {
            self.view.camera.look_at(size, at);
        }
        if let Some(zoom) = zoom {
            self.zoom(zoom, None);
        }
    }

    fn zoom(&mut self, factor: f32, about: Option<Point>) {
        let world = self.layout.scenery();
        let about = about.filter(|_| !self.view.follow).unwrap_or_else(|| world.centre());
        if let Some(size) = self.size() {
            self.view.camera.zoom_on(world, size, factor, about);
        }
    }

    fn follow(&mut self, size: MapSize, seconds: f32) {
        let Some(target) = G::target(self) else {
            self.view.follow = false;
            return;
        };
        let before = self.view.camera;
        self.view.camera.approach(size, target, f64::from(seconds));
        self.watch.moving |= before != self.view.camera;
    }

    /// Whether the end is seen for the first time.
    fn closes(&mut self) -> bool {
        let (time, reach) = (self.watch.time, self.watch.reach());
        let over = reach.end.is_some() && time.tick >= reach.range.1 as f64 && time.pace > 0.0;
        over && !std::mem::replace(&mut self.closed, true)
    }
}

impl<G: MapGame> MatchScreen for MapScreen<G> {
    type History = G::History;
    type Choice = ChoiceOf<G>;

    fn watch(&self) -> &Watching<G::History> {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watching<G::History> {
        &mut self.watch
    }

    fn pointer(&mut self) -> &mut Pointer {
        &mut self.view.pointer
    }

    fn hits(&self) -> &Hits<ChoiceOf<G>> {
        &self.hits
    }

    fn bindings() -> Vec<Binding<ChoiceOf<G>>> {
        G::bindings()
    }

    fn perform(&mut self, choice: ChoiceOf<G>) {
        self.watch.director &= !Self::takes_camera(&choice);
        match choice {
            Choice::KeyMoment(direction) => match G::key_moment(self, direction) {
                Some(moment) => self.visit(moment),
                None => self.watch.say("no key moment in that direction"),
            },
            Choice::Select(selection) => {
                self.select(Some(selection));
                G::selected(self);
            }
            Choice::SelectAt(point) => self.select_of(&G::pick(self, point)),
            Choice::SelectNext(direction) => {
                if let Some(next) = G::next(self, direction) {
                    self.select(Some(next));
                    self.show_selection();
                }
            }
            Choice::MoveCursor(dx, dy) => self.move_cursor((dx, dy)),
            Choice::Escape => self.escape(),
            Choice::ToggleDirector => {
                (self.watch.director, self.view.follow) = (!self.watch.director, false);
            }
            Choice::ToggleFollow => {
                self.view.follow = !self.view.follow && self.view.selection.is_some_and(G::moves);
            }
            Choice::Replay(tick) => self.replay(tick),
            Choice::Share => self.share(),
            Choice::ToggleNotes => {
                self.view.notes = !self.view.notes;
                if self.watch.session.notes().players().next().is_none() {
                    self.watch.say("no bot noted anything in this match");
                }
            }
            Choice::Zoom(factor, about) => self.zoom(factor, about),
            Choice::Pan(by) => {
                self.view.follow = false;
                self.view.camera.pan(by);
            }
            Choice::Fit => {
                self.view.follow = false;
                if let Some(size) = self.size() {
                    self.view.camera.fit(self.layout.world, size);
                    self.view.camera.normalise(size);
                    self.view.laid = Some(self.view.camera);
                }
            }
            Choice::Toggle(panel) => self.toggle(panel),
            Choice::ToggleAll => self.view.bare = !self.view.bare,
            Choice::BoardMove(rows) => {
                let last = G::hidden_rows(self);
                self.view.board_at = moved(Some(self.view.board_at.min(last)), rows).unwrap_or(0).min(last);
            }
            Choice::FeedMove(entries) => {
                let next = moved(self.view.feed_at, entries);
                if next.is_none_or(|next| G::entry(self, next).is_some()) {
                    self.view.feed_at = next;
                }
            }
            Choice::FeedOpen => {
                if let Some(moment) = G::entry(self, self.view.feed_at.unwrap_or(0)) {
                    self.visit(moment);
                    self.view.feed_at = None;
                }
            }
            Choice::Visit(tick, at) => {
                self.visit((tick, at));
                self.view.feed_at = None;
            }
            Choice::DialogueMove(lines) => {
                self.view.dialogue_at = moved(Some(self.view.dialogue_at), lines).unwrap_or(0);
            }
            Choice::Own(own) => G::perform(self, own),
        }
    }

    fn choose(&mut self, chosen: &Chosen) {
        self.opening = (chosen.zoom, chosen.look_at);
        self.view.film = chosen.film;
        self.view.selection = chosen.select.as_deref().and_then(G::selection);
        for word in &chosen.show {
            match word.as_str() {
                "charts" => drop(self.view.panels.insert(Panel::Charts)),
                "dialogue" => drop(self.view.panels.insert(Panel::Dialogue)),
                "help" => drop(self.view.panels.insert(Panel::Help)),
                "closing" => drop(self.view.panels.insert(Panel::Closing)),
                "world" => self.view.bare = true,
                "notes" => self.view.notes = true,
                word => G::show(&mut self.view.own, word),
            }
        }
        if self.view.panels.contains(&Panel::Dialogue) && self.view.selection.is_none() {
            log::warn!("--show dialogue needs what speaks: add --select");
        }
    }

    /// Nothing that was chosen for the match before holds; names of other teams have other colours.
    fn start_over(&mut self) {
        let pointer = std::mem::take(&mut self.view.pointer);
        self.view = MapView { pointer, ..MapView::default() };
        (self.framed, self.closed, self.opening) = (false, false, (None, None));
        self.looks.clear();
    }

    fn refresh(&mut self) {
        let names = G::teams(self.watch.session.overview());
        if self.looks.len() != names.len() {
            self.looks = TeamLook::of_all(names);
        }
        let speaks = self.view.panels.contains(&Panel::Dialogue);
        let speaker = if speaks { G::speaker(self) } else { None };
        let (tick, own) = (self.watch.time.whole_tick(), &self.view.own);
        let session = &mut self.watch.session;
        let whole = self.conversation.show(session, speaker, tick, |line| G::wants(own, line));
        self.watch.moving |= !whole;
        if self.closes() {
            self.view.panels.insert(Panel::Closing);
        }
    }

    fn arrange(&mut self, width: f32, height: f32, seconds: f32) {
        self.layout = G::layout(self, width, height);
        let world = self.layout.world;
        self.view.free = world;
        let Some(size) = self.size() else { return };
        let whole = G::whole(self, size);
        // As long as the spectator leaves the whole map alone, it is laid as the moment asks for.
        let untouched = self.view.laid == Some(self.view.camera) && !self.view.follow;
        if !world.is_empty() && (!self.framed || untouched) {
            (self.view.camera, self.view.laid) = (whole, Some(whole));
            if !std::mem::replace(&mut self.framed, true) {
                self.come_closer(size);
            }
        }
        if self.watch.director && !world.is_empty() {
            (self.view.camera, self.view.laid) = (self.directed(size, whole), None);
        } else if self.view.follow {
            self.follow(size, seconds);
        }
        self.view.camera.normalise(size);
        G::arranged(self);
    }

    fn highlights(&self) -> Vec<Tick> {
        G::highlights(self)
    }

    fn frame_chosen(&mut self) {
        (self.framed, self.view.follow) = (false, false);
    }

    fn paint(&mut self, canvas: &mut Canvas) {
        self.hits = G::draw(self, canvas);
    }

    fn gesture(&mut self, gesture: Gesture) {
        match gesture {
            Gesture::Pan(by) => self.perform(Choice::Pan(by)),
            Gesture::Zoom(factor, at) => self.perform(Choice::Zoom(factor, Some(at))),
            Gesture::Click(_, true) if self.view.selection.is_some_and(G::moves) => {
                (self.view.follow, self.watch.director) = (true, false);
            }
            Gesture::Click(at, _) => self.perform(Choice::SelectAt(at)),
            Gesture::Clear => self.perform(Choice::Escape),
            Gesture::LookAt(at) => {
                let Some((x, y)) = G::minimap_tile(self, at) else { return };
                (self.view.camera.x, self.view.camera.y, self.view.follow) = (x, y, false);
                self.watch.director = false;
            }
        }
    }

    fn minimap(&self) -> Rect {
        self.layout.minimap_picture()
    }
}
