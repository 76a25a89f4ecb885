//! A window that shows a screen.
//!
//! Frames come when the screen wants them and when something happens. When nothing does, the process sleeps in the X
//! server's queue and uses no time. The window may block in that queue only after a while of quiet: told to block while
//! events are still queued, miniquad doesn't hand them over until one more has come.

use std::{
    io::Write as _,
    thread,
    time::{Duration, Instant},
};

use macroquad::{
    miniquad::window::{clipboard_set, dpi_scale, schedule_update},
    window::next_frame,
};

use super::{
    Easel, WindowFailure,
    brush::Brush,
    desktop::{configuration, live},
    loudspeaker::Loudspeaker,
    pictures,
};
use zappy_observer::screen::Screen;

/// The least time between two frames, for machines with drivers that don't wait for the monitor: 60 frames in a second.
const FRAME: Duration = Duration::from_micros(16_600);
/// After this time without an event the window may block in the queue.
const QUIET: Duration = Duration::from_millis(400);
/// While the user does something, waiting is cut in slices of this length, so that events are not late.
const ALERT: Duration = Duration::from_millis(16);
/// While the user does nothing, in slices of this length.
const DROWSY: Duration = Duration::from_millis(100);

/// Opens a window of `size` logical px and shows a screen, which is made once the window is there.
///
/// # Errors
/// When there is no display, or no OpenGL.
pub fn run(
    title: &str,
    size: (u32, u32),
    screen: Box<dyn FnOnce() -> Box<dyn Screen>>,
) -> Result<(), WindowFailure> {
    live(configuration(title, size, true)?, async move {
        let easel = Easel::new(Brush::new()?);
        let stirred = easel.drawn;
        let mut shown = Shown { easel, screen: screen(), speaker: Loudspeaker::new(), stirred };
        while shown.turn() {
            next_frame().await;
        }
        Ok(())
    })
}

/// The window's state between frames.
struct Shown {
    easel: Easel,
    screen: Box<dyn Screen>,
    speaker: Loudspeaker,
    /// When the last event came.
    stirred: Instant,
}

impl Shown {
    /// One turn of the loop. The canvas is drawn even if no frame was due, since macroquad shows whatever was drawn in this turn.
    /// False when the window is to close.
    fn turn(&mut self) -> bool {
        let mut happened = self.take_events();
        if !happened {
            self.wait();
            happened = self.take_events();
        }
        if happened || self.easel.is_due(Instant::now()) {
            let goes_on = self.easel.frame(&mut *self.screen, dpi_scale().max(0.1));
            self.speaker.hear(self.screen.state());
            if !goes_on {
                return false;
            }
        }
        if let Some(text) = self.screen.state().copied.take() {
            clipboard_set(&text);
        }
        if let Some(text) = self.screen.state().telling.text.take() {
            // If the reader of the standard output is gone, the window stays open.
            let _ = writeln!(std::io::stdout(), "{text}");
        }
        if let Some(path) = self.screen.state().wants_picture.take() {
            let done = pictures::write_frame(&mut self.easel, &path);
            self.screen.state().say(&match done {
                Ok(()) => format!("saved {}", path.display()),
                Err(error) => format!("can't save {}: {error}", path.display()),
            });
            self.easel.due = Some(Instant::now());
        }
        self.easel.brush.draw(&mut self.easel.canvas, None);
        let blocks = self.easel.due.is_none() && self.stirred.elapsed() > QUIET;
        if !blocks {
            schedule_update();
        }
        true
    }

    /// Tells the screen what happened; whether anything did.
    fn take_events(&mut self) -> bool {
        let happened = self.easel.events.tell(dpi_scale().max(0.1), &mut *self.screen);
        if happened {
            self.stirred = Instant::now();
        }
        happened
    }

    fn wait(&self) {
        let slice = if self.stirred.elapsed() < 2 * QUIET { ALERT } else { DROWSY };
        let pause = match self.easel.due.map(|due| due.saturating_duration_since(Instant::now())) {
            Some(left) if left.is_zero() => FRAME.saturating_sub(self.easel.drawn.elapsed()),
            Some(left) => left.min(slice),
            // Only while it is not quiet yet: else this turn was woken by something.
            None if self.stirred.elapsed() <= QUIET => ALERT,
            None => Duration::ZERO,
        };
        if !pause.is_zero() {
            thread::sleep(pause);
        }
    }
}
