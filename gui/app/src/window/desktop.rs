//! A window of the desktop: how it is configured, and what its failures mean.
//!
//! Tested with the windows of `run` and `pictures`.

use std::{
    cell::RefCell,
    future::Future,
    panic::{self, AssertUnwindSafe},
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use macroquad::{
    conf::Conf,
    miniquad::conf::{Conf as WindowConf, Platform},
};

use super::WindowFailure;
use super::display::{self, HeldDisplay};

/// The configuration of a window of `width` x `height` logical px.
pub(super) fn configuration(
    title: &str,
    (width, height): (u32, u32),
    blocking: bool,
) -> Result<(Conf, HeldDisplay), WindowFailure> {
    let (linux_backend, display_held) = display::find()?;
    let edge = |px: u32| px.clamp(1, 16_384) as i32;
    let conf = super::configuration(WindowConf {
        // A title with a nul would end the program.
        window_title: title.replace('\0', " "),
        window_width: edge(width),
        window_height: edge(height),
        window_resizable: true,
        platform: Platform {
            linux_backend,
            blocking_event_loop: blocking,
            linux_wm_class: "zappy_gui",
            ..Platform::default()
        },
        ..WindowConf::default()
    });
    Ok((conf, display_held))
}

/// Opens the window and lives in it until the task ends or the window is closed; gives what the task gave, or nothing if the
/// window was closed before. macroquad panics when it cannot open a window; until the task has begun, that is a failure and
/// not a panic.
pub(super) fn live<T: Default + 'static>(
    (conf, display_held): (Conf, HeldDisplay),
    task: impl Future<Output = Result<T, WindowFailure>> + 'static,
) -> Result<T, WindowFailure> {
    let given = Rc::new(RefCell::new(Ok(T::default())));
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
        let (begun, given) = (begun.clone(), given.clone());
        async move {
            begun.store(true, Ordering::Relaxed);
            drop(display_held);
            let result = task.await;
            let _ = given.replace(result);
        }
    };
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| macroquad::Window::from_config(conf, task)));
    panic::set_hook(Box::new(move |info| hook(info)));
    match outcome {
        Ok(()) => given.replace(Ok(T::default())),
        Err(payload) if begun.load(Ordering::Relaxed) => panic::resume_unwind(payload),
        Err(_) => {
            let message = message.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Err(if message.contains("XHeldDisplay") {
                WindowFailure::DisplayDead(std::env::var("DISPLAY").unwrap_or_default())
            } else {
                WindowFailure::Graphics(message)
            })
        }
    }
}
