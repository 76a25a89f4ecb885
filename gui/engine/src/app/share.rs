//! The command, or in a page the link, that opens this very moment and selection, to be sent to other people.
//!
//! Never draws, and names no game: the selection comes as the text that the game's screen reads. Tested in this
//! module and in `gui/zappy/tests/page.rs`.

use std::path::Path;

use zappy_protocol::{MapSize, Position};

use super::origin::Origin;
use super::watching::Watching;
use crate::camera::Camera;
use crate::ink::Rect;
use crate::timeline::fold::History;

/// A zoom factor, 1 being the whole map, and the tile in the middle of the view.
pub type CloseUp = (f64, Position);

/// The zoom and the middle of a camera's view in the rectangle `place`; `None` if the view is the whole map, and before
/// the map's size is known.
pub fn close_up(camera: Camera, place: Rect, size: Option<MapSize>) -> Option<CloseUp> {
    let (mut whole, size) = (Camera::default(), size?);
    whole.fit(place, size);
    let zoom = f64::from(camera.scale / whole.scale);
    let middle = camera.tile(size);
    ((zoom - 1.0).abs() > 0.01).then_some((zoom.clamp(0.1, 100.0), middle))
}

/// The link, or the command, that opens this moment. `selected` is a text such as `player:7`. For a live match it names
/// no moment: only a record can be opened at one.
pub fn moment<H: History>(watch: &Watching<H>, selected: Option<&str>, close_up: Option<CloseUp>) -> String {
    let (session, tick) = (&watch.session, watch.time.whole_tick());
    if let Some(page) = &watch.screen.page {
        let mut parts: Vec<String> =
            session.record_path().map(|_| format!("tick={tick}")).into_iter().collect();
        parts.extend(selected.map(|selected| selected.replace(':', "=")));
        match close_up {
            _ if watch.screen.director => parts.push("director=1".to_owned()),
            Some((zoom, middle)) => parts.push(format!("zoom={zoom:.2}&at={},{}", middle.x, middle.y)),
            None => {}
        }
        return format!("{page}#{}", parts.join("&"));
    }
    let mut words = vec!["zappy_gui".to_owned()];
    match (session.record_path(), &session.origin) {
        (Some(path), _) => {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
            words.extend(["--replay".to_owned(), quoted(&path)]);
            words.extend(["--at-tick".to_owned(), tick.to_string()]);
        }
        (None, Origin::Live { address, .. }) => {
            let (host, port) = address.rsplit_once(':').unwrap_or((address, "4242"));
            words.extend(["-p", port, "-h", host].map(str::to_owned));
        }
        (None, _) => {}
    }
    words.extend(selected.into_iter().flat_map(|selected| ["--select", selected]).map(str::to_owned));
    if watch.screen.director {
        words.push("--director".to_owned());
    } else if let Some((zoom, middle)) = close_up {
        words.extend(["--zoom".to_owned(), format!("{zoom:.2}")]);
        words.extend(["--look-at".to_owned(), format!("{},{}", middle.x, middle.y)]);
    }
    words.join(" ")
}

/// A path, quoted so that a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_any_path_for_one_word() {
        assert_eq!(quoted(Path::new("/a/b-1.zrec")), "/a/b-1.zrec");
        assert_eq!(quoted(Path::new("/my match's.zrec")), "'/my match'\\''s.zrec'");
    }
}
