//! Whatever is done to the window and whatever is in a record, the observer goes on: no panic, a finite tick,
//! a bounded number of vertices.

use std::time::Instant;

use zappy_observer::app::action::{Control, Direction};
use zappy_observer::ink::{Canvas, Point};
use zappy_observer::input::{Button, InputEvent};
use zappy_observer::screen::Screen;
use zappy_screen_zappy::app::{App, Session};
use zappy_screen_zappy::keymap;
use zappy_screen_zappy::view::{Choice, Panel, UserAction};

const SAMPLE: &[u8] = include_bytes!("../../assets/sample.zrec");
/// Frames of one run: enough for every key to come several times.
const FRAMES: usize = 150;
/// Beginnings of chance; 107 once asked for a window of a billion px, and for as many tiles.
const SEEDS: [u64; 4] = [7, 100, 107, 109];
/// Vertices of a frame at most, far beyond what the sample needs.
const VERTICES: usize = 1_000_000;

/// A small generator, so that every run does the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }

    fn number(&mut self) -> f32 {
        let odd = [0.0, -0.0, -1e9, 1e9, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE, 0.5, 1.0, -3.0];
        if self.below(4) == 0 { odd[self.below(odd.len())] } else { self.below(2_000) as f32 }
    }

    fn point(&mut self) -> Point {
        Point { x: self.number(), y: self.number() }
    }

    fn event(&mut self) -> InputEvent {
        let button = [Button::Left, Button::Middle, Button::Right][self.below(3)];
        match self.below(8) {
            0 => InputEvent::Moved(self.point()),
            1 | 2 => InputEvent::Pressed(button, self.point()),
            3 | 4 => InputEvent::Released(button, self.point()),
            5 => InputEvent::Wheel(self.number(), self.point()),
            _ => InputEvent::Left,
        }
    }

    fn action(&mut self) -> UserAction {
        let all = keymap::bindings();
        let ticks = [0, 1, 300, u64::MAX, 1 << 53][self.below(5)];
        match self.below(12) {
            0 => Control::Step([i64::MIN, i64::MAX, -1, 1][self.below(4)]).into(),
            1 => Control::Seek(ticks).into(),
            2 => Choice::Zoom(self.number(), Some(self.point())).into(),
            3 => Choice::Pan(self.point()).into(),
            4 => Choice::Toggle(Panel::Charts).into(),
            5 => Choice::SelectNext(Direction::Next).into(),
            _ => all[self.below(all.len())].action,
        }
    }
}

/// What leaves the record, the window or this machine's disk alone.
fn is_harmless(action: UserAction) -> bool {
    use Control::{ConnectHere, OpenSample, Quit, Screenshot};
    !matches!(action, UserAction::Control(Quit | ConnectHere | Screenshot | OpenSample))
}

fn roughly(app: &mut App, chance: &mut Chance, canvas: &mut Canvas, frames: usize) {
    for _ in 0..frames {
        for _ in 0..chance.below(4) {
            app.event(chance.event());
        }
        let action = chance.action();
        if is_harmless(action) {
            app.act(action);
        }
        let (seconds, width, height) = (chance.number(), chance.number(), chance.number());
        app.frame(seconds, width, height, 1.0, canvas);
        assert!(app.watch.time.tick.is_finite());
        let camera = app.view.camera;
        assert!(camera.x.is_finite() && camera.y.is_finite() && camera.scale.is_finite(), "{action:?}");
        let vertices: usize = canvas.batches().map(|batch| batch.vertices.len()).sum();
        // No real window is larger; what claims to be is bounded by the canvas itself.
        let real = width.max(height) <= 4_096.0;
        assert!(!real || vertices < VERTICES, "{vertices} vertices on {width}x{height}");
    }
}

#[test]
fn whatever_is_done_the_window_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.zrec");
    std::fs::write(&path, SAMPLE).unwrap();
    for seed in SEEDS {
        let (mut chance, mut canvas) = (Chance(seed), Canvas::new());
        let mut app = App::new(Session::record(&path).unwrap());
        app.watch.session.read_all();
        roughly(&mut app, &mut chance, &mut canvas, FRAMES);
    }
}

#[test]
fn a_spoilt_record_is_shown_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spoilt.zrec");
    let (mut chance, mut canvas) = (Chance(7), Canvas::new());
    for _ in 0..12 {
        let mut bytes = SAMPLE.to_vec();
        for _ in 0..chance.below(400) {
            let at = chance.below(bytes.len());
            match chance.below(3) {
                0 => bytes[at] ^= 1 << chance.below(8),
                1 => bytes[at] = b'9',
                _ => {
                    let from = chance.below(bytes.len());
                    let length = chance.below(2_000).min(bytes.len() - from.max(at));
                    bytes.copy_within(from..from + length, at);
                }
            }
        }
        if chance.below(3) == 0 {
            bytes.truncate(chance.below(SAMPLE.len()));
        }
        std::fs::write(&path, &bytes).unwrap();
        let Ok(session) = Session::record(&path) else { continue };
        let mut app = App::new(session);
        app.watch.session.read_all();
        for _ in 0..6 {
            app.watch.seek(chance.below(5_000) as f64);
            app.update(0.0, Instant::now());
            roughly(&mut app, &mut chance, &mut canvas, 2);
        }
    }
}
