//! The observer around the screens: which game's screen is shown, and what becomes of another record.

use std::path::{Path, PathBuf};

use zappy_gui::games::GAMES;
use zappy_observer::app::observer::Observer;
use zappy_observer::ink::Canvas;
use zappy_observer::input::{InputEvent, Keycap, Mods};
use zappy_observer::screen::Screen;

const SAMPLE: &[u8] = include_bytes!("../../assets/sample.zrec");

fn in_this_crate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn frame(observer: &mut Observer, canvas: &mut Canvas) {
    observer.frame(0.0, 1280.0, 720.0, 1.0, canvas);
}

#[test]
fn a_file_that_is_no_record_is_refused_and_the_match_stays() {
    let (mut observer, mut canvas) = (Observer::new(GAMES, b""), Canvas::new());
    observer.open(&in_this_crate("../assets/sample.zrec")).unwrap();
    let last = observer.screen().last_tick();
    assert!(last > 1_000);
    observer.event(InputEvent::Dropped(in_this_crate("Cargo.toml")));
    frame(&mut observer, &mut canvas);
    assert_eq!(observer.screen().last_tick(), last);
    assert!(observer.state().notice().is_some_and(|notice| notice.contains("is no record")));
}

#[test]
fn the_sample_is_opened_by_key_and_a_dropped_record_follows_it() {
    let (mut observer, mut canvas) = (Observer::new(GAMES, SAMPLE), Canvas::new());
    frame(&mut observer, &mut canvas);
    assert_eq!(observer.screen().last_tick(), 0);
    let ctrl = Mods { shift: false, ctrl: true, alt: false };
    observer.event(InputEvent::Key { key: Keycap::Plus, mods: ctrl });
    observer.event(InputEvent::Key { key: Keycap::O, mods: ctrl });
    frame(&mut observer, &mut canvas);
    assert!(observer.screen().last_tick() > 1_000);
    assert!((observer.state().ui_scale - 1.25).abs() < 1e-6, "the text's size stays");
    observer.event(InputEvent::Dropped(in_this_crate("../assets/sample.zrec")));
    frame(&mut observer, &mut canvas);
    assert_eq!(observer.state().notice(), None);
}
