//! All that a picture of a match on a torus depends on: the match at the moment shown, and the spectator's choices.
//!
//! Borrowed by the code that draws world and panels, which changes nothing. Tested with the games' screens.

use zappy_protocol::Tick;
use zappy_protocol::commentary::Remark;
use zappy_protocol::record::dialogue::Spoken;

use super::{ChoiceOf, KnownOf, MapGame, MapScreen, OverviewOf, ViewOf};
use crate::app::action::{Choice, Direction};
use crate::app::origin::Origin;
use crate::app::playback::{Playback, SPEEDS};
use crate::director::{REMARK_TIME, ShotPlan, ViewPace};
use crate::led::LedTime;
use crate::panels::status::Status;
use crate::panels::transport::{self, Bar};
use crate::queue::Queue;
use crate::theme::TeamLook;
use crate::timeline::fold::{History as _, Oddities};
use crate::timeline::notes::Notebook;

/// All that a picture depends on.
#[derive(Debug)]
pub struct MapShown<'a, G: MapGame> {
    /// The moment shown, which may lie between two ticks, and its pace, on which the length of effects depends.
    pub time: Playback,
    /// What is known at the moment's tick.
    pub state: &'a KnownOf<G>,
    /// What is known of the whole match.
    pub story: &'a OverviewOf<G>,
    /// How each team looks, in the order of [`MapGame::teams`].
    pub looks: &'a [TeamLook],
    /// What the spectator has chosen.
    pub view: &'a ViewOf<G>,
    pub origin: &'a Origin,
    pub oddities: &'a Oddities,
    /// The first and the last tick that can be shown; the last one grows in a live match.
    pub range: (Tick, Tick),
    /// What the inspected program and the server said to each other up to that tick, the oldest first; empty if the
    /// dialogue isn't open, or isn't known.
    pub dialogue: &'a [Spoken],
    /// What bots noted for their authors.
    pub notes: &'a Notebook,
    /// Ticks since the newest part of a turn began; `None` in a record.
    pub waited: Option<f64>,
    /// Whether the director leads the camera.
    pub director: bool,
    /// Whether the sound is off.
    pub muted: bool,
    /// A word about what was just done, such as a saved picture.
    pub notice: Option<&'a str>,
    /// How time passes for the spectator, and whether the director may use what comes later.
    pub pace: ViewPace,
    /// How fast the record passes if it is led in time; `None` until it was read, and live.
    pub led: Option<&'a LedTime>,
}

impl<G: MapGame> Clone for MapShown<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: MapGame> Copy for MapShown<'_, G> {}

/// A remark with this many times the weight of the one that is being read takes its place at once.
const OUTWEIGHS: u32 = 3;

impl<'a, G: MapGame> MapShown<'a, G> {
    /// What the status line over the world's lower edge shows.
    pub fn status(&self) -> Status<'a> {
        Status { notice: self.notice, oddities: self.oddities, bare: self.view.bare }
    }

    /// The whole tick of the moment shown.
    pub fn tick(&self) -> Tick {
        self.time.whole_tick()
    }

    /// The shots and the headlines of the match, in the spectator's time ([`MapShown::spent`]); `None` before the map's
    /// size is known.
    pub fn plan(&self) -> Option<ShotPlan> {
        let mut cues = G::cues(self);
        let spent = |tick: Tick| self.spent(tick as f64) as Tick;
        for cue in cues.iter_mut().filter(|_| self.led.is_some() && self.time.led) {
            (cue.tick, cue.until) = (spent(cue.tick), spent(cue.until));
        }
        Some(ShotPlan::of(G::size(self.state)?, &cues, self.pace))
    }

    /// The number ([`Cue::number`](crate::director::Cue)) of the moment that is the headline; `None` without news.
    pub fn headline(&self) -> Option<usize> {
        self.plan()?.headline(self.spent(self.time.tick))
    }

    /// The remark of the commentary that a panel shows; `None` in a film, which has it as a subtitle.
    pub fn remark(&self) -> Option<&'a Remark<G::Team>> {
        self.any_remark().filter(|_| self.view.film.is_none())
    }

    /// The remark of the commentary that is a film's subtitle; `None` in a window.
    pub fn subtitle(&self) -> Option<&'a Remark<G::Team>> {
        self.any_remark().filter(|_| self.view.film.is_some() && !self.is_over())
    }

    /// The remark of the commentary at the moment shown; each one stays until it can have been read.
    fn any_remark(&self) -> Option<&'a Remark<G::Team>> {
        let all = G::remarks(self.story);
        let mut queue = Queue::new(REMARK_TIME.map(|seconds| self.pace.ticks(seconds)), OUTWEIGHS);
        for (number, remark) in all.iter().take_while(|one| one.tick as f64 <= self.time.tick).enumerate() {
            queue.push(self.spent(remark.tick as f64), remark.weight, number);
        }
        queue.at(self.spent(self.time.tick)).and_then(|(_, number)| all.get(number))
    }

    /// The spectator's time at a tick, in which plans are made: the tick itself, unless the record is led in time.
    pub fn spent(&self, tick: f64) -> f64 {
        self.led.filter(|_| self.time.led).map_or(tick, |led| led.spent(tick))
    }

    /// The spectator's time ([`MapShown::spent`]) from this tick to the moment shown.
    pub fn since(&self, tick: Tick) -> f64 {
        self.spent(self.time.tick) - self.spent(tick as f64)
    }

    /// Whether the match has ended at the moment shown.
    pub fn is_over(&self) -> bool {
        G::History::finished(self.story).is_some_and(|end| self.time.tick >= end as f64)
    }

    /// How a team looks; a neutral look for `None` and for an unknown team.
    pub fn look(&self, team: Option<G::Team>) -> TeamLook {
        team.and_then(|team| self.looks.get(G::number(team))).copied().unwrap_or(TeamLook::NEUTRAL)
    }

    /// The timeline's bar, as it is for games without turns; `name` gives the words for a tick.
    pub fn bar<'b>(&'b self, name: &'b dyn Fn(Tick) -> String) -> Bar<'b, ChoiceOf<G>> {
        Bar {
            time: &self.time,
            led: self.led,
            range: self.range,
            last: Some(self.range.1),
            origin: self.origin,
            ended: G::History::finished(self.story).is_some(),
            next: Choice::KeyMoment(Direction::Next).into(),
            name,
            step: transport::TICK,
            asks: true,
            hidden: self.view.bare.then(|| Choice::ToggleAll.into()),
        }
    }
}

impl<G: MapGame> MapScreen<G> {
    /// How time passes for the spectator.
    pub fn pace(&self, foresees: bool) -> ViewPace {
        let (session, time) = (&self.watch.session, self.watch.time);
        let speed = if session.is_live() && time.at_now { 1.0 } else { SPEEDS[time.speed] };
        let led = time.led && self.watch.led.is_some();
        let rate = self.view.film.filter(|_| !led).unwrap_or(speed * session.base_rate());
        let whole_between = session.turn() > 0;
        let calm = self.watch.screen.calm;
        ViewPace { rate, foresees: foresees && !session.is_live(), whole_between, calm }
    }

    /// Everything that a picture depends on.
    pub fn shown(&self) -> MapShown<'_, G> {
        let session = &self.watch.session;
        MapShown {
            time: self.watch.time,
            state: session.fold(),
            story: session.overview(),
            looks: &self.looks,
            view: &self.view,
            origin: &session.origin,
            oddities: session.oddities(),
            range: session.range(),
            dialogue: self.conversation.spoken(),
            notes: &session.notes,
            waited: session.since_part(),
            director: self.watch.screen.director,
            muted: self.watch.screen.muted,
            notice: self.watch.screen.notice(),
            pace: self.pace(G::foresees(&self.view.own)),
            led: self.watch.led.as_ref(),
        }
    }
}
