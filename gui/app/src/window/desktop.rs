//! A window of the desktop: how it is configured, and what its failures mean.
//!
//! Tested with the windows of `run` and `pictures`.

use std::{
    cell::RefCell,
    env,
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
    miniquad::conf::{Conf as WindowConf, LinuxBackend, Platform},
};

use super::WindowFailure;

/// How macroquad's panics begin when no display answers, with X11 and with Wayland.
const DEAD: [&str; 2] = ["XOpenDisplay()", "Wayland backend failed"];

/// The name of the display, and how to reach it: X11 unless there is Wayland alone. Systems other than Linux have one kind of
/// display, without a name.
fn display() -> Result<(String, LinuxBackend), WindowFailure> {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    match (set("DISPLAY"), set("WAYLAND_DISPLAY")) {
        (Some(x11), _) => Ok((x11, LinuxBackend::X11Only)),
        (None, Some(wayland)) => Ok((wayland, LinuxBackend::WaylandOnly)),
        (None, None) if cfg!(target_os = "linux") => Err(WindowFailure::NoDisplay),
        (None, None) => Ok((String::new(), LinuxBackend::X11Only)),
    }
}

/// The configuration of a window of `width` x `height` logical px.
pub(super) fn configuration(
    title: &str,
    (width, height): (u32, u32),
    blocking: bool,
) -> Result<Conf, WindowFailure> {
    let (_, linux_backend) = display()?;
    let edge = |px: u32| px.clamp(1, 16_384) as i32;
    Ok(super::configuration(WindowConf {
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
    }))
}

/// Opens the window and lives in it until the task ends or the window is closed; gives what the task gave, or nothing if the
/// window was closed before. macroquad panics when it cannot open a window; until the task has begun, that is a failure and
/// not a panic.
pub(super) fn live<T: Default + 'static>(
    conf: Conf,
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
            Err(if DEAD.iter().any(|begin| message.starts_with(begin)) {
                WindowFailure::DisplayDead(display()?.0)
            } else {
                WindowFailure::Graphics(message)
            })
        }
    }
}
