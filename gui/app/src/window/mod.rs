//! The window: events in, vertices out. The only module that names macroquad.
//!
//! Must never decide what is shown. `run` shows a [`zappy_observer::screen::Screen`]; `loudspeaker` plays its
//! sounds; `pictures` writes canvases to files without a visible window; [`browser`] fills a page. A process opens one window,
//! once, since macroquad's state is global.
//! Parts are tested in their files; the whole is seen in the `ink` example, and in a browser in `tests/browser.rs`.

pub mod browser;
mod brush;
mod events;
mod shader;

#[cfg(not(target_arch = "wasm32"))]
mod desktop;
#[cfg(not(target_arch = "wasm32"))]
mod loudspeaker;
#[cfg(not(target_arch = "wasm32"))]
mod pictures;
#[cfg(not(target_arch = "wasm32"))]
mod run;
#[cfg(not(target_arch = "wasm32"))]
mod typefaces;

use std::io;
use std::path::PathBuf;

use macroquad::conf::{Conf, UpdateTrigger};
use macroquad::miniquad::conf::Conf as WindowConf;

#[cfg(not(target_arch = "wasm32"))]
pub use pictures::{film, pictures};
#[cfg(not(target_arch = "wasm32"))]
pub use run::run;

use brush::Brush;
use events::Events;
use zappy_observer::ink::{BATCH_VERTICES, Canvas};
use zappy_observer::instant::Instant;
use zappy_observer::screen::{Next, Screen};
pub use zappy_observer::shot::MAX_EDGE;

/// From now on takes letters that the bundled typefaces lack from those of this system, which are searched for when the first
/// such letter comes.
#[cfg(not(target_arch = "wasm32"))]
pub fn use_system_typefaces() {
    zappy_observer::ink::search_typefaces_with(typefaces::search);
}

/// Why there is no window, or no picture.
#[derive(Debug, thiserror::Error)]
pub enum WindowFailure {
    #[error(
        "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; without a screen, use `xvfb-run -a zappy_gui ...`"
    )]
    NoDisplay,
    /// A display that is named but not there.
    #[error(
        "the display {0:?} does not answer, or lets nobody in; without a screen, use `xvfb-run -a zappy_gui ...`"
    )]
    DisplayDead(String),
    /// A window, or OpenGL, could not be had.
    #[error(
        "cannot open a window with OpenGL ({0}); install Mesa (libgl1, libgl1-mesa-dri) or use `xvfb-run -a zappy_gui ...`"
    )]
    Graphics(String),
    /// No film could be made.
    #[cfg(not(target_arch = "wasm32"))]
    #[error(transparent)]
    Film(#[from] zappy_observer::film::NoFilm),
    /// A picture of an impossible size.
    #[error("a picture has 1 to {MAX_EDGE} px to the side, not {0} x {1}")]
    Size(u32, u32),
    /// A picture could not be written.
    #[error(
        "cannot write the picture {path}: {reason}; check that the directory exists and can be written to"
    )]
    Picture { path: PathBuf, reason: io::Error },
}

/// What a window keeps between frames, on the desktop and in a page.
struct Easel {
    brush: Brush,
    canvas: Canvas,
    events: Events,
    /// When the last frame began.
    drawn: Instant,
    /// When the next frame is due; `None`: when something happens.
    due: Option<Instant>,
}

impl Easel {
    fn new(brush: Brush) -> Easel {
        let now = Instant::now();
        Easel { brush, canvas: Canvas::new(), events: Events::new(), drawn: now, due: Some(now) }
    }

    /// Whether a frame is due at that moment.
    fn is_due(&self, now: Instant) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// Draws a frame of a screen, with `dpi` physical px per logical px; `false` if the screen asks for its window to close.
    fn frame(&mut self, screen: &mut dyn Screen, dpi: f32) -> bool {
        let now = Instant::now();
        let seconds = now.duration_since(std::mem::replace(&mut self.drawn, now)).as_secs_f32();
        let (width, height) = (self.events.size.0 / dpi, self.events.size.1 / dpi);
        let next = screen.frame(seconds, width, height, dpi, &mut self.canvas);
        self.due = match next {
            Next::Again => Some(Instant::now()),
            Next::After(time) => Instant::now().checked_add(time),
            Next::WhenSomethingHappens | Next::Quit => None,
        };
        next != Next::Quit
    }
}

/// The most indices of a draw call: a polygon of n corners has n vertices and 3(n − 2) indices.
const DRAW_CALL_INDICES: usize = BATCH_VERTICES * 3;

/// The configuration that every window shares: miniquad's own part, and that it wakes at whatever happens.
fn configuration(window: WindowConf) -> Conf {
    Conf {
        miniquad_conf: WindowConf { high_dpi: true, sample_count: 1, icon: None, ..window },
        update_on: Some(UpdateTrigger {
            key_down: true,
            mouse_down: true,
            mouse_up: true,
            mouse_motion: true,
            mouse_wheel: true,
            specific_key: None,
            touch: true,
        }),
        draw_call_vertex_capacity: BATCH_VERTICES + 1,
        draw_call_index_capacity: DRAW_CALL_INDICES,
        ..Conf::default()
    }
}
