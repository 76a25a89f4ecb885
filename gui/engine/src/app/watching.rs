//! A match that is watched: the session, the moment shown, and what is asked of the program around the screen.
//!
//! The part of a screen that is the same for every game. Never draws. Tested in `gui/zappy/tests/app.rs` and
//! `gui/zappy/tests/session.rs`.

use std::path::PathBuf;
use std::time::Duration;

use zappy_protocol::{DEFAULT_FREQUENCY, Position, Tick};

use super::action::{Control, Direction};
use super::origin::Origin;
use super::playback::{Playback, Reach, SPEEDS};
use super::session::Session;
use crate::instant::Instant;
use crate::led::LedTime;
use crate::screen::{Next, ScreenState, ScreenWish};
use crate::theme::size;
use crate::timeline::fold::History;

/// How long the opening of a match lasts, in seconds.
pub const OPENING: f64 = 6.0;
/// How long a notice stays: the first duration, plus the second one for each of its bytes.
const NOTICE_TIME: (Duration, Duration) = (Duration::from_secs(3), Duration::from_millis(80));
/// Pause between two frames while nothing moves but something may come.
const IDLE_TIME: Duration = Duration::from_millis(100);
/// The most seconds by which one frame moves time on, so that the view doesn't leap after the window slept.
const LONGEST_FRAME: f32 = 0.25;
/// The most seconds of the view's time in one frame for which sounds are played; more is a jump, as into a running
/// match.
pub const MOST_HEARD: f64 = 1.0;
/// The factors on the size of text and panels among which the keys choose.
const UI_SCALES: [f32; 7] = [0.75, 0.875, 1.0, 1.25, 1.5, 1.75, 2.0];
/// The frequencies that keys can ask the server for, in ticks per second.
const RATES: std::ops::RangeInclusive<u32> = 1..=100_000;
/// Seconds that the view goes on after a match's end, so that the end is seen.
const AFTER_END: f64 = 3.0;
/// The height of the smallest text in px where there is room for it.
const SMALL_PX: f32 = 13.0;
/// The longest side of a window, in px: more than any screen or wall of screens has.
const LONGEST_SIDE: f32 = 32_768.0;

/// The notice for a server that plays another match than the one that was shown.
pub const ANOTHER_MATCH: &str = "another match has begun; of the one before only its record is left";

/// The choices made before the first picture. A screen ignores words that it doesn't know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chosen {
    /// How much closer than the whole map.
    pub zoom: Option<f32>,
    /// The tile in the middle; `None`: that of the selection.
    pub look_at: Option<Position>,
    /// The selection, in the words of the game's screen.
    pub select: Option<String>,
    /// Further panels and marks to show, in the words of the game's screen.
    pub show: Vec<String>,
    /// Factor on the size of text and panels.
    pub scale: Option<f32>,
    /// The tick to begin at, paused.
    pub at_tick: Option<Tick>,
    /// Whether the director leads the camera.
    pub director: bool,
    /// Whether a title comes first, with the teams and what wins.
    pub opening: bool,
    /// Whether a record passes at an even pace, not slowly where the match is decided.
    pub true_time: bool,
    /// The ticks per second of a film; `None` unless one is made.
    pub film: Option<f64>,
}

/// A match that is watched.
#[derive(Debug)]
pub struct Watching<H: History> {
    pub session: Session<H>,
    pub time: Playback,
    /// The pace of a record that is slow where the match is decided; `None` until the record was read, and live.
    pub led: Option<LedTime>,
    pub screen: ScreenState,
    /// Seconds of the opening that are left.
    pub opens: f64,
    /// The ticks that the last update played: after the first one, up to and with the second; `None` if time stood
    /// still or jumped.
    pub passed: Option<(Tick, Tick)>,
    /// Whether another update would change what is shown, though no time passes.
    pub moving: bool,
    /// Whether the spectator wants the window closed.
    quit: bool,
}

impl<H: History> Watching<H> {
    /// Watches this match from its beginning, or live from now on.
    pub fn new(session: Session<H>) -> Watching<H> {
        Watching {
            session,
            time: Playback::default(),
            led: None,
            screen: ScreenState::default(),
            opens: 0.0,
            passed: None,
            moving: false,
            quit: false,
        }
    }

    fn is_open(&self) -> bool {
        self.session.origin != Origin::Nothing
    }

    /// Resets the moment, the title and the notice because another match is shown.
    pub fn start_over(&mut self) {
        (self.time, self.led, self.opens, self.screen.said) = (Playback::default(), None, 0.0, None);
    }

    /// Takes over what was chosen before the first picture, as far as it is the same for every game.
    pub fn choose(&mut self, chosen: &Chosen) {
        self.screen.ui_scale = chosen.scale.unwrap_or(self.screen.ui_scale);
        self.screen.director = chosen.director;
        self.time.led &= !chosen.true_time;
        if let Some(tick) = chosen.at_tick {
            if self.session.turn() > 0 {
                // Which ticks are shown is known only once the whole record was read.
                self.session.read_all();
            }
            self.stop_at(tick);
        }
    }

    /// The moments of the match that can be shown, with some seconds after its end.
    pub fn reach(&self) -> Reach {
        let session = &self.session;
        let end = H::finished(session.overview());
        let (first, last) = session.range();
        let after = end.map_or(0, |_| (AFTER_END * session.base_rate().max(0.0)) as Tick);
        let now = if end.is_some() { (last + after) as f64 } else { session.now() };
        Reach {
            range: (first, last + after),
            end,
            now,
            live: session.is_live(),
            rate: session.base_rate(),
            turns: session.turn() > 0,
        }
    }

    pub fn seek(&mut self, tick: f64) {
        self.time.seek(self.reach().range, tick);
    }

    /// Shows this tick and stops there.
    pub fn stop_at(&mut self, tick: Tick) {
        self.time.playing = false;
        self.seek(tick as f64);
    }

    /// How much of the opening has passed, from 0 to 1; `None` when it is over.
    pub fn opening(&self) -> Option<f32> {
        (self.opens > 0.0).then(|| (1.0 - self.opens / OPENING).clamp(0.0, 1.0) as f32)
    }

    /// Ends the opening; returns whether it was still on.
    pub fn skip(&mut self) -> bool {
        std::mem::take(&mut self.opens) > 0.0
    }

    /// Asks the window to put this text into the clipboard.
    pub fn copy(&mut self, text: String) {
        self.screen.say(&format!("copied: {text}"));
        self.screen.copied = Some(text);
    }

    /// Takes in what came. Returns whether another match has begun: then what was selected before is void.
    pub fn take_news(&mut self, now: Instant) -> bool {
        let another = self.session.update(now);
        let time = |text: &str| NOTICE_TIME.0 + NOTICE_TIME.1 * u32::try_from(text.len()).unwrap_or(u32::MAX);
        // The notice why a match couldn't be opened stays until a match is open.
        let is_open = self.is_open();
        self.screen.said.take_if(|(text, since)| is_open && now.duration_since(*since) > time(text));
        another
    }

    /// Lets `seconds` of wall time pass.
    pub fn pass(&mut self, seconds: f32) {
        let seconds = if seconds.is_nan() { 0.0 } else { seconds.clamp(0.0, LONGEST_FRAME) };
        let (mut reach, seconds, before) = (self.reach(), f64::from(seconds), self.time.whole_tick());
        self.passed = None;
        if self.opens > 0.0 && !self.time.still {
            self.opens = (self.opens - seconds).max(0.0);
            self.session.show(self.time.whole_tick());
            self.moving = true;
            return;
        }
        if let Some(led) = self.led.as_ref().filter(|_| self.time.led) {
            // The rate at which this frame ends exactly at the tick that led time gives.
            let (tick, ahead) = (self.time.tick, seconds * SPEEDS[self.time.speed]);
            let next = led.tick(led.seconds(tick) + ahead);
            reach.rate = if ahead > 0.0 { (next - tick) / ahead } else { led.pace(tick) };
        }
        self.moving = self.time.pass(reach, seconds);
        let after = self.time.whole_tick();
        let is_heard = before < after && (after - before) as f64 <= self.time.pace * MOST_HEARD;
        self.passed = is_heard.then_some((before, after));
        self.session.show(self.time.whole_tick());
        self.moving |= !self.session.arrived;
    }

    /// When the next frame is wanted.
    pub fn next(&self, dragging: bool) -> Next {
        if self.quit {
            Next::Quit
        } else if self.moving || dragging || self.session.wants_frames() {
            Next::Again
        } else if self.session.is_waiting() || self.screen.said.is_some() && self.is_open() {
            Next::After(IDLE_TIME)
        } else {
            Next::WhenSomethingHappens
        }
    }

    /// Carries out what is the same on every screen.
    pub fn control(&mut self, control: Control) {
        match control {
            Control::TogglePlay => self.time.toggle(self.reach()),
            Control::Faster => self.time.speed = (self.time.speed + 1).min(SPEEDS.len() - 1),
            Control::Slower => self.time.speed = self.time.speed.saturating_sub(1),
            Control::Speed(step) => self.time.speed = step.min(SPEEDS.len() - 1),
            Control::ToggleLed => {
                self.time.led = !self.time.led;
                if self.led.is_none() {
                    self.screen.say("only a finished record is led in time");
                }
            }
            Control::Step(ticks) => {
                self.time.playing = false;
                self.seek(self.time.tick.floor() + ticks as f64);
            }
            Control::Seek(tick) => self.seek(tick as f64),
            Control::SeekStart => self.seek(self.session.range().0 as f64),
            Control::SeekEnd => self.time.seek_end(self.reach()),
            Control::ServerRate(direction) => self.ask_rate(direction),
            Control::Retry => self.session.retry(),
            Control::OpenSample => self.screen.wish = Some(ScreenWish::Sample),
            Control::ChooseRecord => self.screen.wish = Some(ScreenWish::Choose),
            Control::ConnectHere => self.screen.wish = Some(ScreenWish::ConnectHere),
            Control::UiScale(direction) => {
                let current = UI_SCALES.iter().position(|&scale| scale >= self.screen.ui_scale).unwrap_or(2);
                let next = current.saturating_add_signed(direction as isize).min(UI_SCALES.len() - 1);
                self.screen.ui_scale = UI_SCALES[next];
            }
            Control::ToggleSound => {
                self.screen.muted = !self.screen.muted;
                self.screen.say(if self.screen.muted { "sound off" } else { "sound on" });
            }
            Control::Screenshot => {
                let tick = self.time.whole_tick();
                self.screen.wants_picture = Some(PathBuf::from(format!("zappy-{tick:06}.png")));
            }
            Control::Quit => self.quit = true,
        }
    }

    fn ask_rate(&mut self, direction: Direction) {
        if !self.session.is_live() {
            return self.screen.say("a record has no server to ask; [ and ] change the speed");
        }
        if matches!(self.session.origin, Origin::Live { can_ask: false, .. }) {
            return self.screen.say("a page only watches; [ and ] change the speed of what was");
        }
        let known = self.session.rate();
        let rate = if known == 0 { DEFAULT_FREQUENCY } else { known };
        let rate = if direction == Direction::Next { rate.saturating_mul(2) } else { rate / 2 };
        self.session.ask_rate(rate.clamp(*RATES.start(), *RATES.end()));
    }
}

/// The side of a window in px, brought within sane limits whatever the system reports.
pub fn sane_side(side: f32) -> f32 {
    if side.is_finite() { side.clamp(1.0, LONGEST_SIDE) } else { 1.0 }
}

/// The factor on text and panels, 1 to 3, for a window of this size in px. It grows with large windows, which are
/// looked at from further away; in a window 720 px high the smallest text has 13 px.
pub fn comfortable_scale(width: f32, height: f32) -> f32 {
    let (far, near) = ((width / 1440.0).min(height / 810.0), (width / 1080.0).min(height / 608.0));
    far.max(near.min(SMALL_PX / size::SMALL)).clamp(1.0, 3.0)
}
