//! The command that opens this very moment and selection, to be pasted to other people.
//!
//! Never draws. Tested in this module.

use std::path::Path;

use super::App;
use super::action::Selection;
use crate::app::origin::Origin;
use crate::camera::{Camera, wrapped};

/// The command that shows what is shown now. Of a live match it opens the match, since only a record can be gone through.
pub fn command(app: &App) -> String {
    let session = &app.watch.session;
    let size = session.stage().mirror().size;
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
    } else if let Some(size) = size {
        let (mut whole, camera) = (Camera::default(), app.view.camera);
        whole.fit(app.layout.world, size);
        let zoom = camera.scale / whole.scale;
        if (zoom - 1.0).abs() > 0.01 {
            let middle = wrapped(size, camera.x.floor() as i64, camera.y.floor() as i64);
            words.extend(["--zoom".to_owned(), format!("{:.2}", zoom.clamp(0.1, 100.0))]);
            words.extend(["--look-at".to_owned(), format!("{},{}", middle.x, middle.y)]);
        }
    }
    words.join(" ")
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
        use zappy_protocol::Position;
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
