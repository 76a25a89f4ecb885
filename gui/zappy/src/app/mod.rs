//! What the spectator of Zappy does, and what that changes.
//!
//! Events become actions, actions change the view, and every frame shows the match at the view's tick. Plain
//! Rust without a window. Tested in its modules and in `tests/app.rs`.

pub mod action;
pub mod keymap;
mod perform;
pub mod session;
pub mod shown;
pub mod view;

use std::ops::{Deref, DerefMut};

use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::{MapSize, Position, Tick};

use crate::panels::{self, Hits};
use crate::timeline::chronicle::Chronicler;
use crate::timeline::moments::{self, Kind, Moment};
use crate::{draw, scene, screen};
use zappy_observer::app::keymap::Binding;
use zappy_observer::app::watching::{Chosen, Watched as _, Watching};
use zappy_observer::camera::Camera;
use zappy_observer::director::{self, Cue};
use zappy_observer::ink::{Canvas, Rect};
use zappy_observer::match_screen::{Gesture, MapScreen, MatchScreen, Pointer};
use zappy_observer::timeline::dialogue::Speaker;

use action::{Choice, Panel, Selection};
use session::{Session, is_broadcast};
use shown::Shown;
use view::View;

/// The screen of Zappy, apart from its window.
#[derive(Debug)]
pub struct App(MapScreen<Chronicler, View, Choice>);

impl Deref for App {
    type Target = MapScreen<Chronicler, View, Choice>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for App {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl App {
    /// A screen that shows this match.
    pub fn new(session: Session) -> App {
        App(MapScreen::new(session))
    }

    /// Where the selection is at the tick shown.
    pub fn place_of_selection(&self) -> Option<Position> {
        perform::place_of(self, self.view.selection)
    }

    /// Brings a tile to the middle and leaves the magnification.
    pub fn centre_on(&mut self, at: Position) {
        if let Some(size) = self.watch.session.fold().mirror().size {
            self.view.camera.look_at(size, at);
        }
    }

    /// Everything that `draw` and `panels` may know.
    pub fn shown(&self) -> Shown<'_> {
        let session = &self.watch.session;
        let (first, last) = session.range();
        Shown {
            time: self.watch.time,
            stage: session.fold(),
            roster: &session.overview().roster,
            chronicle: &session.overview().chronicle,
            looks: &self.looks,
            view: &self.view,
            origin: session.origin(),
            oddities: session.oddities(),
            first,
            last,
            dialogue: self.conversation.spoken(),
            notes: session.notes(),
            notice: self.watch.notice(),
            director: self.watch.director,
        }
    }

    /// The camera that shows all of the map: what may win is not at its edge, nor are the winners.
    fn whole(&self, size: MapSize) -> Camera {
        let (mut camera, shown) = (Camera::default(), self.shown());
        camera.fit(self.layout.world, size);
        let told =
            shown.chronicle.moments.iter().filter(|moment| matches!(moment.kind, Kind::Begins(_, true)));
        let told = told.filter_map(|moment| Some((moment.tick() as f64, moment.at?)));
        let end = scene::winners(&shown).zip(shown.winner());
        let end = end.map(|(at, (_, since))| (shown.time.tick - since, at));
        let pace = self.pace((false, self.view.film));
        (camera.x, camera.y) = director::laid(size, told.chain(end), pace, shown.time.tick);
        camera.sane(size)
    }

    fn inspected_player(&self) -> Option<zappy_protocol::zappy::PlayerId> {
        match self.view.inspected() {
            Some(Selection::Player(player)) => Some(player),
            _ => None,
        }
    }

    /// Shows what the first picture is to show, by default all of the map.
    fn come_closer(&mut self) {
        let (zoom, look_at) = self.opening;
        if let Some(at) = look_at.or_else(|| self.place_of_selection().filter(|_| zoom.is_some())) {
            self.centre_on(at);
        }
        let director = self.watch.director;
        if let Some(zoom) = zoom {
            self.perform(Choice::Zoom(zoom, None));
        }
        self.watch.director = director;
    }
}

impl MatchScreen for App {
    type History = Chronicler;
    type Choice = Choice;

    fn watch(&self) -> &Watching<Chronicler> {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watching<Chronicler> {
        &mut self.watch
    }

    fn pointer(&mut self) -> &mut Pointer {
        &mut self.view.pointer
    }

    fn hits(&self) -> &Hits {
        &self.hits
    }

    fn bindings() -> Vec<Binding<Choice>> {
        keymap::bindings()
    }

    fn perform(&mut self, choice: Choice) {
        perform::perform(self, choice);
    }

    fn choose(&mut self, chosen: &Chosen) {
        self.opening = (chosen.zoom, chosen.look_at);
        self.view.film = chosen.film;
        screen::choose(&mut self.view, chosen);
    }

    fn start_over(&mut self) {
        let pointer = std::mem::take(&mut self.view.pointer);
        self.forget(View { pointer, ..View::default() });
    }

    fn refresh(&mut self) {
        self.name(|overview| overview.roster.teams());
        let wanted = self.view.panels.contains(&Panel::Dialogue);
        let player = self.inspected_player().filter(|_| wanted);
        let tick = self.watch.time.whole_tick();
        let speaker = player.map(|player| Speaker::at(player.0));
        let heard = self.view.heard;
        let wanted = |line: &Spoken| heard || !is_broadcast(line);
        let screen = &mut self.0;
        let whole = screen.conversation.show(&mut screen.watch.session, speaker, tick, wanted);
        self.watch.moving |= !whole;
        if self.closes() {
            self.view.panels.insert(Panel::Closing);
        }
    }

    fn arrange(&mut self, width: f32, height: f32, seconds: f32) {
        self.layout = panels::layout(width, height, &self.shown());
        let Some(size) = self.watch.session.fold().mirror().size else { return };
        let world = self.layout.world;
        self.view.free = world;
        let whole = self.whole(size);
        // As long as the spectator leaves the whole map alone, it is laid as the moment asks for.
        let untouched = self.view.laid == Some(self.view.camera) && !self.view.follow;
        if !world.is_empty() && (!self.framed || untouched) {
            (self.view.camera, self.view.laid) = (whole, Some(whole));
            if !std::mem::replace(&mut self.framed, true) {
                self.come_closer();
            }
        }
        if self.watch.director && !world.is_empty() {
            let moments = &self.watch.session.overview().chronicle.moments;
            let cues: Vec<Cue> = moments.iter().map(Moment::cue).collect();
            let free = if self.view.bare { world } else { panels::free(&self.layout) };
            self.view.camera =
                self.directed((size, free, whole), &cues, (!self.view.unspoiled, self.view.film));
            self.view.laid = None;
        } else if self.view.follow {
            let target =
                self.view.selected_player().and_then(|player| scene::place_of(&self.shown(), player));
            match target {
                Some(place) => {
                    let before = self.view.camera;
                    self.view.camera.approach(size, place.point, f64::from(seconds));
                    self.watch.moving |= before != self.view.camera;
                }
                None => self.view.follow = false,
            }
        }
        self.view.camera.normalise(size);
        self.view.covered = panels::covered(&self.layout, &self.shown());
    }

    fn highlights(&self) -> Vec<Tick> {
        moments::highlights(&self.watch.session.overview().chronicle.moments)
            .iter()
            .map(|moment| moment.tick())
            .collect()
    }

    fn frame_chosen(&mut self) {
        (self.framed, self.view.follow) = (false, false);
    }

    fn paint(&mut self, canvas: &mut Canvas) {
        let shown = self.shown();
        draw::world(canvas, self.layout.scenery(), &shown);
        self.hits = panels::draw(canvas, &self.layout, &shown);
    }

    fn gesture(&mut self, gesture: Gesture) {
        match gesture {
            Gesture::Pan(by) => self.perform(Choice::Pan(by)),
            Gesture::Zoom(factor, at) => self.perform(Choice::Zoom(factor, Some(at))),
            Gesture::Click(_, true) if self.view.selected_player().is_some() => {
                (self.view.follow, self.watch.director) = (true, false);
            }
            Gesture::Click(at, _) => self.perform(Choice::SelectAt(at)),
            Gesture::Clear => self.perform(Choice::Escape),
            Gesture::LookAt(at) => {
                let place = self.layout.minimap_picture();
                let Some((x, y)) = draw::minimap_tile(place, &self.shown(), at) else { return };
                (self.view.camera.x, self.view.camera.y, self.view.follow) = (x, y, false);
                self.watch.director = false;
            }
        }
    }

    fn minimap(&self) -> Rect {
        self.layout.minimap_picture()
    }
}
