//! Linux: X11 or Wayland, which are asked.

use std::{
    env,
    fmt::Debug,
    net::{TcpStream, ToSocketAddrs},
    os::linux::net::SocketAddrExt,
    os::unix::net::{SocketAddr, UnixStream},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use macroquad::miniquad::conf::LinuxBackend;

use super::HeldDisplay;
use crate::window::WindowFailure;

/// A display on another machine must answer within this time.
const PATIENCE: Duration = Duration::from_secs(3);

/// A server without clients begins anew when the last one leaves, and doesn't answer meanwhile.
const RESET: Duration = Duration::from_millis(1_500);
const PAUSE: Duration = Duration::from_millis(30);

fn held(stream: impl Debug + 'static) -> HeldDisplay {
    Box::new(stream)
}

/// The way to a display that answers.
pub fn find() -> Result<(LinuxBackend, HeldDisplay), WindowFailure> {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let (x11, wayland) = (set("DISPLAY"), set("WAYLAND_DISPLAY"));
    if x11.is_none() && wayland.is_none() {
        return Err(WindowFailure::NoDisplay);
    }
    let open_wayland = |display: &str| {
        let path = if Path::new(display).is_absolute() {
            PathBuf::from(display)
        } else {
            Path::new(&env::var_os("XDG_RUNTIME_DIR")?).join(display)
        };
        UnixStream::connect(path).ok().map(held)
    };
    let begun = Instant::now();
    loop {
        if let Some(display_held) = x11.as_deref().and_then(open_x11) {
            return Ok((LinuxBackend::X11Only, display_held));
        }
        if let Some(display_held) = wayland.as_deref().and_then(open_wayland) {
            return Ok((LinuxBackend::WaylandOnly, display_held));
        }
        if begun.elapsed() > RESET {
            return Err(WindowFailure::DisplayDead(x11.or(wayland).unwrap_or_default()));
        }
        thread::sleep(PAUSE);
    }
}

fn open_x11(display: &str) -> Option<HeldDisplay> {
    let (host, number) = x11_place(display)?;
    if host.is_empty() || host == "unix" {
        let path = format!("/tmp/.X11-unix/X{number}");
        let hidden = || UnixStream::connect_addr(&SocketAddr::from_abstract_name(&path)?);
        return UnixStream::connect(&path).or_else(|_| hidden()).ok().map(held);
    }
    let mut addresses = (host, 6000_u16.checked_add(number)?).to_socket_addrs().ok()?;
    addresses.find_map(|address| TcpStream::connect_timeout(&address, PATIENCE).ok().map(held))
}

/// Host and number of a name like `:0`, `unix:1.0`, `localhost:10.0`.
fn x11_place(display: &str) -> Option<(&str, u16)> {
    let (host, rest) = display.rsplit_once(':')?;
    let number = rest.split('.').next()?.parse().ok()?;
    Some((host, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_displays() {
        assert_eq!(x11_place(":0"), Some(("", 0)));
        assert_eq!(x11_place("localhost:10.0"), Some(("localhost", 10)));
        assert_eq!(x11_place("unix:1.2"), Some(("unix", 1)));
        for bad in ["", "0", ":", ":x", ":70000"] {
            assert_eq!(x11_place(bad), None, "{bad}");
        }
    }

    #[test]
    fn nobody_answers_at_a_display_that_is_not() {
        assert!(open_x11(":64999").is_none());
        assert!(open_x11("127.0.0.1:60000").is_none(), "no such port");
    }
}
