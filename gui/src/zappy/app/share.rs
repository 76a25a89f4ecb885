//! The command, or in a page its address, that opens this very moment and selection, to be pasted to other people.
//!
//! Never draws. Tested in this module.

use std::path::Path;

use zappy_protocol::Position;

use super::App;
use super::action::Selection;
use crate::app::origin::Origin;
use crate::camera::{Camera, wrapped};

/// What shows what is shown now: the page's address, or a command. Of a live match it opens the match, since only a record
/// can be gone through.
pub fn moment(app: &App) -> String {
    match &app.watch.page {
        Some(page) => address(app, page),
        None => command(app),
    }
}

fn address(app: &App, page: &str) -> String {
    let mut parts = Vec::new();
    if app.watch.session.record_path().is_some() {
        parts.push(format!("tick={}", app.watch.time.whole_tick()));
    }
    parts.extend(app.view.inspected().map(|selection| named(selection).replace(':', "=")));
    match closer(app) {
        _ if app.watch.director => parts.push("director=1".to_owned()),
        Some((zoom, middle)) => parts.push(format!("zoom={zoom:.2}&at={},{}", middle.x, middle.y)),
        None => {}
    }
    format!("{page}#{}", parts.join("&"))
}

fn command(app: &App) -> String {
    let session = &app.watch.session;
    let mut words = vec!["zappy_gui".to_owned()];
    match (session.record_path(), session.origin()) {
        (Some(path), _) => {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
            words.extend(["--replay".to_owned(), quoted(&path)]);
            words.extend(["--at-tick".to_owned(), app.watch.time.whole_tick().to_string()]);
        }
        (None, Origin::Live { address, .. }) => {
            let (host, port) = address.rsplit_once(':').unwrap_or((address, "4242"));
            words.extend(["-p", port, "-h", host].map(str::to_owned));
        }
        (None, _) => {}
    }
    if let Some(selection) = app.view.inspected() {
        words.extend(["--select".to_owned(), named(selection)]);
    }
    if app.watch.director {
        words.push("--director".to_owned());
    } else if let Some((zoom, middle)) = closer(app) {
        words.extend(["--zoom".to_owned(), format!("{zoom:.2}")]);
        words.extend(["--look-at".to_owned(), format!("{},{}", middle.x, middle.y)]);
    }
    words.join(" ")
}

/// How much closer than the whole map, and the tile in the middle; `None` where the whole map is shown.
fn closer(app: &App) -> Option<(f64, Position)> {
    let size = app.watch.session.stage().mirror().size?;
    let (mut whole, camera) = (Camera::default(), app.view.camera);
    whole.fit(app.layout.world, size);
    let zoom = f64::from(camera.scale / whole.scale);
    let middle = wrapped(size, camera.x.floor() as i64, camera.y.floor() as i64);
    ((zoom - 1.0).abs() > 0.01).then_some((zoom.clamp(0.1, 100.0), middle))
}

fn named(selection: Selection) -> String {
    match selection {
        Selection::Player(player) => format!("player:{}", player.0),
        Selection::Egg(egg) => format!("egg:{}", egg.0),
        Selection::Tile(at) => format!("tile:{},{}", at.x, at.y),
    }
}

/// A path as a shell takes it for one word.
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

    #[test]
    fn what_is_selected_is_named_as_the_command_line_reads_it() {
        use crate::zappy::screen::selection;
        use zappy_protocol::zappy::{EggId, PlayerId};
        for one in [
            Selection::Player(PlayerId(7)),
            Selection::Egg(EggId(3)),
            Selection::Tile(Position { x: 3, y: 9 }),
        ] {
            assert_eq!(selection(&named(one)), Ok(one));
        }
    }
}
