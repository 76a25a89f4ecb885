//! Carries out a spectator's choices on a map, and moves the camera.
//!
//! Tested with the games' screens.

use zappy_protocol::Tick;

use super::{Choice, ChoiceOf, Destination, MapGame, MapScreen, MapView, opening, panels};
use crate::app::action::Panel;
use crate::app::playback::NORMAL_SPEED;
use crate::app::share;
use crate::director::ShotFrame;
use crate::ink::{Canvas, Point};
use crate::led::LedTime;
use crate::panels::Hits;
use crate::panels::feed::moved;
use crate::panels::race::Racer;
use crate::theme::TeamLook;
use crate::timeline::fold::History;

impl<G: MapGame> MapScreen<G> {
    /// Stops at a moment, and brings the tile where it happened, if it has one, to the middle.
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

    /// Closes an open panel; if there is none, shows the hidden panels again, or drops the selection.
    fn escape(&mut self) {
        let closable = [Panel::Help, Panel::Closing, Panel::Dialogue, Panel::Charts];
        if closable.iter().any(|panel| self.view.panels.remove(panel)) || std::mem::take(&mut self.view.bare)
        {
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
                return self.watch.screen.say("the match isn’t over, as far as is known");
            };
            if self.watch.time.tick < end as f64 {
                // The result is shown only at the end of the match, so the screen goes to that tick.
                self.watch.stop_at(end);
                self.view.panels.remove(&panel);
            }
        }
        // A panel behind the closing screen can't be seen.
        if matches!(panel, Panel::Charts | Panel::Dialogue) && self.view.panels.remove(&Panel::Closing) {
            self.view.panels.remove(&panel);
        }
        if !self.view.panels.remove(&panel) {
            self.view.panels.insert(panel);
            self.view.bare = false;
        }
    }

    /// Replays a moment, from a little earlier so that it can be understood, and slowly enough to follow.
    fn replay(&mut self, tick: Tick) {
        self.watch.seek(tick.saturating_sub(G::lead(self)) as f64);
        (self.watch.time.playing, self.watch.time.speed) = (true, NORMAL_SPEED);
        (self.watch.screen.director, self.view.follow, self.view.bare) = (true, false, false);
        self.view.panels.remove(&Panel::Closing);
    }

    fn share(&mut self) {
        let close_up = share::close_up(self.view.camera, self.layout.world, self.size());
        let selected = G::inspected(&self.view).map(G::named);
        let moment = share::moment(&self.watch, selected.as_deref(), close_up);
        self.watch.copy(moment);
    }

    /// Whether this choice moves the camera, so that the director stops leading.
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

    /// Zooms by a factor about a point of the window, or about its middle: always while the camera follows something.
    fn zoom(&mut self, factor: f32, about: Option<Point>) {
        let world = self.layout.scenery();
        let about = about.filter(|_| !self.view.follow).unwrap_or_else(|| world.centre());
        if let Some(size) = self.size() {
            self.view.camera.zoom_on(world, size, factor, about);
        }
    }

    pub fn perform(&mut self, choice: ChoiceOf<G>) {
        self.watch.screen.director &= !Self::takes_camera(&choice);
        match choice {
            Choice::KeyMoment(direction) => match G::key_moment(self, direction) {
                Some(moment) => self.visit(moment),
                None => self.watch.screen.say("no key moment in that direction"),
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
            Choice::MoveCursor(dx, dy) => {
                let Some(size) = self.size() else { return };
                let selected = self.place_of(self.view.selection);
                let next =
                    selected.map_or_else(|| self.view.camera.tile(size), |at| size.offset(at, (dx, dy)));
                self.select(Some(G::tile(next)));
                self.show_selection();
            }
            Choice::Escape => self.escape(),
            Choice::ToggleDirector => {
                (self.watch.screen.director, self.view.follow) = (!self.watch.screen.director, false);
            }
            Choice::ToggleFollow => {
                self.view.follow = !self.view.follow && self.view.selection.is_some_and(G::moves);
            }
            Choice::Replay(tick) => self.replay(tick),
            Choice::Share => self.share(),
            Choice::ToggleNotes => {
                self.view.notes = !self.view.notes;
                if self.watch.session.notes.players().next().is_none() {
                    self.watch.screen.say("no bot noted anything in this match");
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
                    self.view.fitted = Some(self.view.camera);
                }
            }
            Choice::Toggle(panel) => self.toggle(panel),
            Choice::ToggleAll => self.view.bare = !self.view.bare,
            Choice::BoardMove(rows) => {
                let teams = G::teams(self.watch.session.overview()).len();
                let last = G::PANELS.rows.hidden(teams, self.layout.scoreboard.h);
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

    /// Drops all choices and the colours of the teams, since another match begins.
    pub(super) fn start_over(&mut self) {
        let pointer = std::mem::take(&mut self.view.pointer);
        self.view = MapView { pointer, ..MapView::default() };
        (self.framed, self.closed, self.opening) = (false, false, (None, None));
        self.looks.clear();
    }

    /// Follows the moment that is shown.
    pub(super) fn refresh(&mut self) {
        let names = G::teams(self.watch.session.overview());
        if self.looks.len() != names.len() {
            self.looks = TeamLook::of_all(names);
        }
        let session = &self.watch.session;
        let is_known = !session.is_live() && !session.is_waiting() && G::foresees(&self.view.own);
        match G::History::finished(session.overview()).filter(|_| is_known) {
            Some(end) if self.watch.led.is_none() => {
                let (cues, decisive) = (G::cues(&self.shown()), G::highlights(session.overview()));
                let span = (session.range().0, end);
                let led = LedTime::of(span, session.turn(), session.base_rate(), &cues, decisive);
                self.watch.led = Some(led);
            }
            Some(_) => {}
            None => self.watch.led = None,
        }
        let dialogue_is_open = self.view.panels.contains(&Panel::Dialogue);
        let speaker = if dialogue_is_open { G::speaker(self) } else { None };
        let (tick, own) = (self.watch.time.whole_tick(), &self.view.own);
        let session = &mut self.watch.session;
        let complete = self.conversation.show(session, speaker, tick, |line| G::wants(own, line));
        self.watch.moving |= !complete;
        // The closing screen opens when the spectator sees the end for the first time.
        let (time, reach) = (self.watch.time, self.watch.reach());
        let at_end = reach.end.is_some() && time.tick >= reach.range.1 as f64;
        let sees_end = at_end && (time.pace > 0.0 || self.view.film.is_some());
        if sees_end && !std::mem::replace(&mut self.closed, true) {
            self.view.panels.insert(Panel::Closing);
        }
    }

    /// Places everything for a window of that size, in points.
    pub fn arrange(&mut self, width: f32, height: f32, seconds: f32) {
        self.layout = panels::layout(width, height, &self.shown());
        let world = self.layout.world;
        self.view.free = world;
        let Some(size) = self.size() else { return };
        let whole = G::whole(self, size);
        // As long as the spectator hasn't moved the camera away from the whole map, it is fitted anew in each frame.
        let untouched = self.view.fitted == Some(self.view.camera) && !self.view.follow;
        if !world.is_empty() && (!self.framed || untouched) {
            (self.view.camera, self.view.fitted) = (whole, Some(whole));
            if !std::mem::replace(&mut self.framed, true) {
                // The first picture shows all of the map unless another camera was asked for.
                let (zoom, look_at) = self.opening;
                let selected = || self.place_of(self.view.selection).filter(|_| zoom.is_some());
                if let Some(at) = look_at.or_else(selected) {
                    self.view.camera.look_at(size, at);
                }
                if let Some(zoom) = zoom {
                    self.zoom(zoom, None);
                }
            }
        }
        if let Some(share) = self.watch.opening().filter(|_| !world.is_empty()) {
            let share = if self.watch.screen.calm { 0.5 } else { share };
            (self.view.camera, self.view.fitted) = (opening::sweep(whole, size, share), None);
            return G::arranged(self);
        }
        let is_directed = self.watch.screen.director && !world.is_empty();
        if let Some(plan) = self.shown().plan().filter(|_| is_directed) {
            let picture = ShotFrame { world, free: G::free(self), whole };
            let directed = plan.camera(self.shown().spent(self.watch.time.tick), picture, size);
            (self.view.camera, self.view.fitted) = (directed, None);
        } else if self.view.follow {
            let (target, before) = (G::target(self), self.view.camera);
            match target {
                Some(target) => self.view.camera.approach(size, target, f64::from(seconds)),
                None => self.view.follow = false,
            }
            self.watch.moving |= before != self.view.camera;
        }
        self.view.camera.normalise(size);
        G::arranged(self);
    }

    /// The headline and the standing, in words; `None` without teams.
    pub(super) fn described(&self) -> Option<(String, String)> {
        let shown = self.shown();
        let says = |racer: Racer| {
            let leads = if racer.leads { " leads" } else { "" };
            format!("{}{leads}: {}", racer.name, racer.says[0])
        };
        let standing: Vec<String> = (G::PANELS.race)(&shown).into_iter().map(says).collect();
        (!standing.is_empty()).then(|| ((G::PANELS.headline)(&shown).news, standing.join("; ")))
    }

    pub fn paint(&mut self, canvas: &mut Canvas) {
        let shown = self.shown();
        (G::PANELS.world)(canvas, self.layout.scenery(), &shown);
        self.hits = match self.watch.opening() {
            Some(share) => {
                opening::draw(canvas, G::teams(shown.story), &self.looks, G::PANELS.steps, share);
                Hits::default()
            }
            None => panels::draw(canvas, &self.layout, &shown),
        };
    }
}
