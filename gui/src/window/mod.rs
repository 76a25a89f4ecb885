//! The window: events in, vertices out. With the binary, the only room that names macroquad.
//!
//! Must never decide what is shown. [`run()`] shows a [`crate::screen::Screen`]; [`pictures()`] writes canvases to files
//! without a visible window. A process can do either once: macroquad's state is global. Parts are tested in their files;
//! the whole is seen in the `ink` example.

mod brush;
mod display;
mod events;
mod pictures;
mod run;
mod shader;
mod typefaces;

use std::{
    future::Future,
    io,
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use macroquad::{
    conf::{Conf, UpdateTrigger},
    miniquad::conf::{Conf as WindowConf, Platform},
};

pub use pictures::{MAX_EDGE, film, pictures};
pub use run::run;

use crate::ink::BATCH_VERTICES;
use display::Door;

/// From now on asks typefaces of this system for letters that the bundled ones lack. They are looked for when the first such
/// letter comes.
pub fn use_system_typefaces() {
    crate::ink::search_typefaces_with(typefaces::search);
}

/// Why there is no window, or no picture.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Neither X11 nor Wayland.
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
    #[error(transparent)]
    Film(#[from] crate::film::NoFilm),
    /// A picture of an impossible size.
    #[error("a picture has 1 to {MAX_EDGE} px to the side, not {0} x {1}")]
    Size(u32, u32),
    /// A picture could not be written.
    #[error(
        "cannot write the picture {path}: {reason}; check that the directory exists and can be written to"
    )]
    Picture {
        /// Where to.
        path: PathBuf,
        /// Why not.
        reason: io::Error,
    },
}

/// Indices of a draw call: a polygon cut to 12 corners has 30, a quad 6, so three per vertex are never passed.
const DRAW_CALL_INDICES: usize = BATCH_VERTICES * 3;

/// The configuration of a window of `width` x `height` logical px.
fn configuration(title: &str, (width, height): (u32, u32), blocking: bool) -> Result<(Conf, Door), Failure> {
    let (linux_backend, door) = display::find()?;
    let edge = |px: u32| px.clamp(1, 16_384) as i32;
    let conf = Conf {
        miniquad_conf: WindowConf {
            // A title with a nul would end the program.
            window_title: title.replace('\0', " "),
            window_width: edge(width),
            window_height: edge(height),
            high_dpi: true,
            sample_count: 1,
            window_resizable: true,
            icon: None,
            platform: Platform {
                linux_backend,
                blocking_event_loop: blocking,
                linux_wm_class: "zappy_gui",
                ..Platform::default()
            },
            ..WindowConf::default()
        },
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
    };
    Ok((conf, door))
}

/// Opens the window and lives in it until the task ends or the window is closed. macroquad panics when it cannot open
/// one; until the task has begun, that is a failure and not a panic.
fn live<T: Future<Output = ()> + 'static>((conf, door): (Conf, Door), task: T) -> Result<(), Failure> {
    let begun = Arc::new(AtomicBool::new(false));
    let message = Arc::new(Mutex::new(String::new()));
    let hook = Arc::new(panic::take_hook());
    panic::set_hook({
        let (begun, message, hook) = (begun.clone(), message.clone(), hook.clone());
        Box::new(move |info| {
            if begun.load(Ordering::Relaxed) {
                return hook(info);
            }
            let payload = info.payload();
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text =
                text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("macroquad gave up");
            let mut message = message.lock().unwrap_or_else(PoisonError::into_inner);
            *message = text.lines().next().unwrap_or_default().to_owned();
        })
    });
    let task = {
        let begun = begun.clone();
        async move {
            begun.store(true, Ordering::Relaxed);
            drop(door);
            task.await;
        }
    };
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| macroquad::Window::from_config(conf, task)));
    panic::set_hook(Box::new(move |info| hook(info)));
    match outcome {
        Ok(()) => Ok(()),
        Err(payload) if begun.load(Ordering::Relaxed) => panic::resume_unwind(payload),
        Err(_) => Err(refusal(message.lock().unwrap_or_else(PoisonError::into_inner).clone())),
    }
}

/// What macroquad's panic means.
fn refusal(message: String) -> Failure {
    if message.contains("XOpenDisplay") {
        return Failure::DisplayDead(std::env::var("DISPLAY").unwrap_or_default());
    }
    Failure::Graphics(message)
}
