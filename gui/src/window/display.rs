//! Whether there is a display at all, asked before macroquad does, which would panic.

use std::{
    env,
    net::{TcpStream, ToSocketAddrs},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use macroquad::miniquad::conf::LinuxBackend;

use super::Failure;

/// A display on another machine must answer within this time.
const PATIENCE: Duration = Duration::from_secs(3);

/// The way to a display that answers.
pub(super) fn find() -> Result<LinuxBackend, Failure> {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let (x11, wayland) = (set("DISPLAY"), set("WAYLAND_DISPLAY"));
    if x11.as_deref().is_some_and(x11_answers) {
        return Ok(LinuxBackend::X11Only);
    }
    if wayland.as_deref().is_some_and(wayland_answers) {
        return Ok(LinuxBackend::WaylandOnly);
    }
    Err(match x11.or(wayland) {
        Some(name) => Failure::DisplayDead(name),
        None => Failure::NoDisplay,
    })
}

fn x11_answers(display: &str) -> bool {
    let Some((host, number)) = x11_place(display) else { return false };
    if host.is_empty() || host == "unix" {
        return UnixStream::connect(format!("/tmp/.X11-unix/X{number}")).is_ok() || abstract_answers(number);
    }
    let Some(port) = 6000_u16.checked_add(number) else { return false };
    let mut addresses = (host, port).to_socket_addrs().into_iter().flatten();
    addresses.any(|address| TcpStream::connect_timeout(&address, PATIENCE).is_ok())
}

#[cfg(target_os = "linux")]
fn abstract_answers(number: u16) -> bool {
    use std::os::{linux::net::SocketAddrExt, unix::net::SocketAddr};
    let address = SocketAddr::from_abstract_name(format!("/tmp/.X11-unix/X{number}"));
    address.is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn abstract_answers(_number: u16) -> bool {
    false
}

/// Host and number of a name like `:0`, `unix:1.0`, `localhost:10.0`.
fn x11_place(display: &str) -> Option<(&str, u16)> {
    let (host, rest) = display.rsplit_once(':')?;
    let number = rest.split('.').next()?.parse().ok()?;
    Some((host, number))
}

fn wayland_answers(display: &str) -> bool {
    let path = if Path::new(display).is_absolute() {
        PathBuf::from(display)
    } else {
        let Some(runtime) = env::var_os("XDG_RUNTIME_DIR") else { return false };
        Path::new(&runtime).join(display)
    };
    UnixStream::connect(path).is_ok()
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
        assert!(!x11_answers(":64999"));
        assert!(!x11_answers("127.0.0.1:60000"), "no such port");
    }
}
