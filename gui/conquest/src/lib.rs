//! The screen of conquest: the torus with its owners, what the factions do on it turn by turn, and how they stand.
//!
//! `stage` and `story` fold what observers are told, `words` says it, `scene` is what of it is seen at a moment, `draw`,
//! `effects` and `pieces` draw it, `panels` stand around it. Tested in its modules and in `tests/conquest/`.

pub mod deeds;
pub mod draw;
mod effects;
pub mod keymap;
pub mod panels;
pub mod pieces;
pub mod scene;
pub mod stage;
pub mod story;
pub mod topic;
pub mod view;
pub mod words;

use std::ops::{Deref, DerefMut};

use zappy_protocol::conquest::UnitId;
use zappy_protocol::{Position, Tick};

use panels::Hits;
use stage::{Happening, What};
use story::Story;
use view::{Choice, Panel, Selection, Shown, View};
use zappy_observer::app::action::Direction;
use zappy_observer::app::keymap::Binding;
use zappy_observer::app::playback::NORMAL_SPEED;
use zappy_observer::app::watching::{Chosen, Watched as _, Watching};
use zappy_observer::app::{session, share};
use zappy_observer::camera::{Camera, wrapped};
use zappy_observer::director::Cue;
use zappy_observer::ink::{Canvas, Rect};
use zappy_observer::match_screen::{Gesture, MapScreen, MatchScreen, Pointer};
use zappy_observer::panels::feed;
use zappy_observer::timeline::dialogue::Speaker;

/// What the director makes of a happening: fights, and bases that change hands or fall.
fn cue(one: &Happening) -> Option<Cue> {
    let score = words::importance(&one.what);
    let after = stage::TURN;
    (score >= 90 && one.at.is_some()).then_some(Cue {
        tick: one.tick,
        until: one.tick + after,
        at: one.at,
        score,
    })
}

/// The match of conquest that is watched.
pub type Session = session::Session<Story>;

/// The screen of conquest, apart from its window.
#[derive(Debug)]
pub struct App(MapScreen<Story, View, Choice>);

impl Deref for App {
    type Target = MapScreen<Story, View, Choice>;

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

    /// Everything that drawing and panels may know.
    pub fn shown(&self) -> Shown<'_> {
        let session = &self.watch.session;
        Shown {
            time: self.watch.time,
            stage: session.fold(),
            story: session.overview(),
            looks: &self.looks,
            view: &self.view,
            origin: session.origin(),
            oddities: session.oddities(),
            dialogue: self.conversation.spoken(),
            notes: session.notes(),
            waited: session.since_part(),
            range: session.range(),
            director: self.watch.director,
            notice: self.watch.notice(),
        }
    }

    fn come_closer(&mut self) {
        let Some(size) = self.watch.session.fold().mirror.size else { return };
        let (zoom, look_at) = self.opening;
        let chosen =
            || self.view.selection?.place(&self.watch.session.fold().mirror).filter(|_| zoom.is_some());
        if let Some(at) = look_at.or_else(chosen) {
            self.view.camera.look_at(size, at);
        }
        if let Some(zoom) = zoom {
            self.perform(Choice::Zoom(zoom, None));
        }
    }

    /// Stops at that moment; its place comes into sight.
    fn visit(&mut self, tick: Tick, at: Option<Position>) {
        self.watch.stop_at(tick);
        if let Some((at, size)) = at.zip(self.watch.session.fold().mirror.size) {
            let world = self.layout.world;
            self.view.camera.visit(world, size, at);
            self.view.selection = Some(Selection::Tile(at));
        }
    }

    /// Goes so many turns on or back, to their beginnings; behind the last turn comes the end.
    fn turns(&mut self, by: i64) {
        let (story, here) = (self.watch.session.overview(), self.watch.time.whole_tick());
        let turns: Vec<Tick> = story.turns().map(|(tick, _)| tick).collect();
        let known = turns.partition_point(|&tick| if by > 0 { tick <= here } else { tick < here });
        let step = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        let end = story.finish.as_ref().map(|finish| finish.tick).filter(|&tick| tick > here);
        let found = if by > 0 {
            turns.get(known.saturating_add(step - 1)).copied().or(end).or(turns.last().copied())
        } else {
            turns.get(known.saturating_sub(step)).copied()
        };
        match found {
            Some(tick) if (tick > here) == (by > 0) && tick != here => self.watch.stop_at(tick),
            _ => self.watch.say("no turn in that direction"),
        }
    }

    /// Where units fall to others, bases change hands, and the match ends.
    fn key_moment(&mut self, direction: Direction) {
        let (story, here) = (self.watch.session.overview(), self.watch.time.whole_tick());
        let mut key = story.entries.iter().filter(|entry| words::importance(&entry.what) >= 90);
        let found = match direction {
            Direction::Next => key.find(|entry| entry.tick > here),
            Direction::Previous => key.rfind(|entry| entry.tick < here),
        };
        match found.map(|entry| (entry.tick, entry.at)) {
            Some((tick, at)) => self.visit(tick, at),
            None => self.watch.say("no key moment in that direction"),
        }
    }

    /// Where an order of the selected faction was lost; in a record, where the faction reads why.
    fn lost(&mut self, direction: Direction) {
        let mirror = &self.watch.session.fold().mirror;
        let Some(faction) = self.view.selection.and_then(|chosen| chosen.faction(mirror)) else {
            return self.watch.say("select a faction, or something of it, first");
        };
        let (story, here) = (self.watch.session.overview(), self.watch.time.whole_tick());
        let live = self.watch.session.is_live();
        let lost =
            story.entries.iter().filter(|entry| matches!(entry.what, What::Lost(of, ..) if of == faction));
        let mut lost = lost.map(|entry| if live { entry.tick } else { story.told(entry.tick) });
        let found = match direction {
            Direction::Next => lost.find(|tick| *tick > here),
            Direction::Previous => lost.rfind(|tick| *tick < here),
        };
        match found {
            Some(tick) => {
                self.watch.stop_at(tick);
                self.view.selection = Some(Selection::Faction(faction));
                (self.view.dialogue_at, self.view.bare) = (0, false);
                if !live {
                    self.view.panels.insert(Panel::Dialogue);
                }
            }
            None => self.watch.say("no lost order in that direction"),
        }
    }

    fn select(&mut self, selection: Option<Selection>) {
        self.view.dialogue_at = 0;
        self.view.selection = selection;
        let mirror = &self.watch.session.fold().mirror;
        let at = selection.and_then(|selection| selection.place(mirror));
        if let Some((at, size)) = at.zip(mirror.size) {
            let world = self.layout.world;
            self.view.camera.bring_in(world, size, at);
        }
    }

    fn select_unit(&mut self, direction: Direction) {
        let units = &self.watch.session.fold().mirror.units;
        let here = if let Some(Selection::Unit(unit)) = self.view.selection { Some(unit) } else { None };
        let next = match direction {
            Direction::Next => {
                let after = |unit: &&UnitId| here.is_none_or(|here| **unit > here);
                units.keys().find(after).or(units.keys().next())
            }
            Direction::Previous => {
                let before = |unit: &&UnitId| here.is_none_or(|here| **unit < here);
                units.keys().rfind(before).or(units.keys().next_back())
            }
        };
        if let Some(unit) = next.copied() {
            self.select(Some(Selection::Unit(unit)));
        }
    }

    /// One thing at a time, the uppermost first.
    fn escape(&mut self) {
        for panel in [Panel::Help, Panel::Closing, Panel::Dialogue, Panel::Charts] {
            if self.view.panels.remove(&panel) {
                return;
            }
        }
        if !std::mem::take(&mut self.view.bare) {
            self.view.selection = None;
        }
    }

    fn toggle(&mut self, panel: Panel) {
        if panel == Panel::Closing {
            let Some(end) = self.watch.session.overview().finish.as_ref().map(|finish| finish.tick) else {
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
}

impl MatchScreen for App {
    type History = Story;
    type Choice = Choice;

    fn watch(&self) -> &Watching<Story> {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watching<Story> {
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
        let size = self.watch.session.fold().mirror.size;
        self.watch.director &= !choice.takes_camera();
        match choice {
            Choice::ToggleDirector => self.watch.director = !self.watch.director,
            Choice::Turn(direction) => self.turns(direction.sign()),
            Choice::Turns(by) => self.turns(by),
            Choice::KeyMoment(direction) => self.key_moment(direction),
            Choice::Select(selection) => self.select(Some(selection)),
            Choice::SelectAt(point) => {
                let found = draw::pick(self.layout.scenery(), &self.shown(), point);
                let known = found.iter().position(|one| Some(*one) == self.view.selection);
                let next = known.map_or(0, |place| (place + 1) % found.len());
                self.view.selection = found.get(next).copied();
            }
            Choice::SelectUnit(direction) => self.select_unit(direction),
            Choice::Lost(direction) => self.lost(direction),
            Choice::DialogueMove(lines) => {
                self.view.dialogue_at = feed::moved(Some(self.view.dialogue_at), lines).unwrap_or(0);
            }
            Choice::MoveCursor(dx, dy) => {
                let Some(size) = size else { return };
                let here = self.view.selection.and_then(|one| one.place(&self.watch.session.fold().mirror));
                let (x, y) = (self.view.camera.x, self.view.camera.y);
                let middle = wrapped(size, x.floor() as i64, y.floor() as i64);
                self.select(Some(Selection::Tile(here.map_or(middle, |at| size.offset(at, (dx, dy))))));
            }
            Choice::Escape => self.escape(),
            Choice::Zoom(factor, about) => {
                let world = self.layout.scenery();
                if let Some(size) = size {
                    let about = about.unwrap_or_else(|| world.centre());
                    self.view.camera.zoom_on(world, size, factor, about);
                }
            }
            Choice::Pan(by) => self.view.camera.pan(by),
            Choice::Fit => {
                if let Some(size) = size {
                    let world = self.layout.world;
                    self.view.camera.fit(world, size);
                    self.view.camera.normalise(size);
                    self.view.laid = Some(self.view.camera);
                }
            }
            Choice::Share => {
                let closer = share::closer(self.view.camera, self.layout.world, size);
                let selected = self.view.selection.map(keymap::named);
                let moment = share::moment(&self.watch, selected.as_deref(), closer);
                self.watch.copy(moment);
            }
            Choice::Toggle(panel) => self.toggle(panel),
            Choice::ToggleNotes => {
                self.view.notes = !self.view.notes;
                if self.watch.session.notes().players().next().is_none() {
                    self.watch.say("no bot noted anything in this match");
                }
            }
            Choice::ToggleAll => self.view.bare = !self.view.bare,
            Choice::ToggleTopic(topic) => {
                if !self.view.topics.remove(&topic) {
                    self.view.topics.insert(topic);
                }
                self.view.feed_at = None;
            }
            Choice::CycleFaction => {
                let next = self.view.faction.map_or(0, |faction| faction.0.saturating_add(1));
                let many = self.watch.session.overview().names.len();
                let next = Some(zappy_protocol::conquest::FactionId(next));
                (self.view.faction, self.view.feed_at) = (next.filter(|next| next.index() < many), None);
            }
            Choice::BoardMove(rows) => {
                let factions = self.watch.session.fold().mirror.factions.len();
                let last = panels::scoreboard::hidden(factions, self.layout.scoreboard.h);
                let next = feed::moved(Some(self.view.board_at.min(last)), rows);
                self.view.board_at = next.unwrap_or(0).min(last);
            }
            Choice::FeedMove(entries) => {
                let next = feed::moved(self.view.feed_at, entries);
                if next.is_none_or(|next| panels::feed::entry(&self.shown(), next).is_some()) {
                    self.view.feed_at = next;
                }
            }
            Choice::FeedOpen => {
                if let Some((tick, at)) = panels::feed::entry(&self.shown(), self.view.feed_at.unwrap_or(0)) {
                    self.visit(tick, at);
                    self.view.feed_at = None;
                }
            }
            Choice::Visit(tick, at) => {
                self.visit(tick, at);
                self.view.feed_at = None;
            }
            Choice::Replay(tick) => {
                self.watch.seek(tick.saturating_sub(stage::TURN) as f64);
                (self.watch.time.playing, self.watch.time.speed) = (true, NORMAL_SPEED);
                (self.watch.director, self.view.bare) = (true, false);
                self.view.panels.remove(&Panel::Closing);
            }
        }
    }

    fn choose(&mut self, chosen: &Chosen) {
        self.opening = (chosen.zoom, chosen.look_at);
        self.view.film = chosen.film;
        self.view.selection = chosen.select.as_deref().and_then(keymap::selection);
        for word in &chosen.show {
            match word.as_str() {
                "charts" => drop(self.view.panels.insert(Panel::Charts)),
                "dialogue" => drop(self.view.panels.insert(Panel::Dialogue)),
                "help" => drop(self.view.panels.insert(Panel::Help)),
                "closing" => drop(self.view.panels.insert(Panel::Closing)),
                "world" => self.view.bare = true,
                "notes" => self.view.notes = true,
                _ => {}
            }
        }
    }

    fn highlights(&self) -> Vec<Tick> {
        self.watch.session.overview().tally.highlights().iter().map(|moment| moment.tick).collect()
    }

    fn start_over(&mut self) {
        let pointer = std::mem::take(&mut self.view.pointer);
        self.forget(View { pointer, ..View::default() });
    }

    fn refresh(&mut self) {
        self.name(|overview| &overview.names);
        let (mirror, story) = (&self.watch.session.fold().mirror, self.watch.session.overview());
        let chosen = self.view.selection.filter(|_| self.view.panels.contains(&Panel::Dialogue));
        let faction = chosen.and_then(|chosen| chosen.faction(mirror));
        // What a faction sees is on the map; the lines that tell it would hide what it ordered.
        let keeps =
            |text: &str| !["unit ", "tile ", "faction ", "city "].iter().any(|of| text.starts_with(of));
        let speaker = faction.map(|faction| Speaker { seats: story.seats(faction), keeps });
        let tick = self.watch.time.whole_tick();
        let screen = &mut self.0;
        let whole = screen.conversation.show(&mut screen.watch.session, speaker, tick, |_| true);
        self.watch.moving |= !whole;
        if self.closes() {
            self.view.panels.insert(Panel::Closing);
        }
    }

    fn arrange(&mut self, width: f32, height: f32, _seconds: f32) {
        self.layout = panels::layout(width, height, &self.shown());
        self.view.free = self.layout.world;
        let Some(size) = self.watch.session.fold().mirror.size else { return };
        let mut whole = Camera::default();
        whole.fit(self.layout.world, size);
        whole.normalise(size);
        // As long as the spectator leaves the whole map alone, it fills what place there is.
        let untouched = self.view.laid == Some(self.view.camera);
        if !self.layout.world.is_empty() && (!self.framed || untouched) {
            (self.view.camera, self.view.laid) = (whole, Some(whole));
            if !std::mem::replace(&mut self.framed, true) {
                self.come_closer();
            }
        }
        if self.watch.director && !self.layout.world.is_empty() {
            let entries = &self.watch.session.overview().entries;
            let cues: Vec<Cue> = entries.iter().filter_map(|one| cue(one)).collect();
            self.view.camera = self.directed((size, self.layout.world, whole), &cues, (true, self.view.film));
        }
        self.view.camera.normalise(size);
    }

    fn frame_chosen(&mut self) {
        self.framed = false;
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
            Gesture::Click(at, _) => self.perform(Choice::SelectAt(at)),
            Gesture::Clear => self.perform(Choice::Escape),
            Gesture::LookAt(at) => {
                let place = self.layout.minimap_picture();
                if let Some((x, y)) = draw::minimap_tile(place, &self.shown(), at) {
                    (self.view.camera.x, self.view.camera.y) = (x, y);
                    self.watch.director = false;
                }
            }
        }
    }

    fn minimap(&self) -> Rect {
        self.layout.minimap_picture()
    }
}
