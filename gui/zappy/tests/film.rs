//! A film of highlights and the first seconds of a record, as they are drawn, and what is heard of one: the sample record.

use std::collections::BTreeSet;
use std::path::Path;

use zappy_observer::app::action::Control;
use zappy_observer::app::observer::GameScreen;
use zappy_observer::app::watching::Chosen;
use zappy_observer::ink::Canvas;
use zappy_observer::input::{InputEvent, Keycap, Mods};
use zappy_observer::screen::Screen as _;
use zappy_observer::shot;
use zappy_observer::sound::SoundCue;
use zappy_screen_zappy::app::{App, Session};

const SIZE: (f32, f32) = (1280.0, 720.0);

/// The sample, read to its end, with what was chosen.
fn opened(chosen: &Chosen) -> (App, Canvas) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/sample.zrec");
    let mut app = App::new(Session::record(&sample).unwrap());
    GameScreen::choose(&mut app, chosen);
    GameScreen::read_all(&mut app);
    let mut canvas = Canvas::new();
    canvas.watch_text(true);
    (app, canvas)
}

/// What is written in the frame of that tick.
fn written(app: &mut App, canvas: &mut Canvas, tick: f64) -> Vec<String> {
    canvas.begin(SIZE.0, SIZE.1, 1.0);
    app.paint_at(tick, canvas);
    canvas.runs().iter().map(|run| run.text.clone()).collect()
}

fn has(texts: &[String], part: &str) -> bool {
    texts.iter().any(|text| text.contains(part))
}

#[test]
fn a_film_of_highlights_opens_with_the_teams_has_subtitles_and_ends_with_the_table() {
    let film = Chosen { film: Some(100.0), director: true, ..Chosen::default() };
    let (mut app, mut canvas) = opened(&film);
    let end = GameScreen::last_tick(&app);
    let led = GameScreen::led(&app).expect("a finished record is led").clone();
    let ticks = shot::led(&led, &led.shots(end), end);
    let first = written(&mut app, &mut canvas, ticks[20]);
    assert!(has(&first, "against each other") && has(&first, "wolves"), "{first:?}");
    assert!(!has(&first, "six at level 8 win"));
    let steps = written(&mut app, &mut canvas, ticks[5 * 25]);
    assert!(has(&steps, "gather stones and food") && has(&steps, "six at level 8 win"), "{steps:?}");
    let remarks = app.watch.session.overview().chronicle.commentary.remarks.all().to_vec();
    let subtitled = ticks.iter().step_by(25).filter(|tick| **tick >= 0.0).any(|tick| {
        let texts = written(&mut app, &mut canvas, *tick);
        assert!(!has(&texts, "against each other"), "the opening is over at {tick}");
        remarks.iter().any(|remark| has(&texts, &remark.says))
    });
    assert!(subtitled, "one of {remarks:?}");
    let last = written(&mut app, &mut canvas, *ticks.last().unwrap());
    for part in ["has won", "WHAT DECIDED IT", "enemies", "wolves"] {
        assert!(has(&last, part), "{part} in {last:?}");
    }
}

#[test]
fn a_record_opens_with_its_teams_and_any_key_skips_that() {
    let (mut app, mut canvas) = opened(&Chosen { opening: true, director: true, ..Chosen::default() });
    let mut frame = |app: &mut App, seconds: f32| {
        app.frame(seconds, SIZE.0, SIZE.1, 1.0, &mut canvas);
        canvas.runs().iter().map(|run| run.text.clone()).collect::<Vec<_>>()
    };
    assert!(has(&frame(&mut app, 0.2), "against each other"));
    let (before, swept) = (app.watch.time.tick, app.view.camera.x);
    for _ in 0..12 {
        frame(&mut app, 0.25);
    }
    assert!(
        app.watch.time.tick <= before && (app.view.camera.x - swept).abs() > 1.0,
        "only the camera moves"
    );
    app.event(InputEvent::Key { key: Keycap::Space, mods: Mods::NONE });
    assert!(!has(&frame(&mut app, 0.2), "against each other"));
    assert!(app.watch.time.playing && app.watch.time.tick > before, "the key did nothing else");
    let (mut other, mut canvas) = opened(&Chosen { opening: true, ..Chosen::default() });
    for _ in 0..30 {
        other.frame(0.25, SIZE.0, SIZE.1, 1.0, &mut canvas);
    }
    assert!(other.watch.time.tick > 0.0, "it ends by itself");
}

/// What is heard of the sample in frames of a sixtieth of a second, as it plays from that tick on.
fn heard(app: &mut App, canvas: &mut Canvas, from: f64, frames: u32) -> Vec<SoundCue> {
    app.watch.seek(from);
    let mut all = Vec::new();
    for _ in 0..frames {
        app.frame(1.0 / 60.0, SIZE.0, SIZE.1, 1.0, canvas);
        all.append(&mut app.state().sounds);
    }
    all.sort_by_key(|cue| cue.tick);
    all
}

#[test]
fn what_a_frame_passes_is_heard_once_and_nothing_while_time_stands_or_jumps_or_it_is_muted() {
    let (mut app, mut canvas) = opened(&Chosen::default());
    let key = |app: &mut App, key, mods| app.event(InputEvent::Key { key, mods });
    let played = heard(&mut app, &mut canvas, 900.0, 300);
    let reached = app.watch.time.whole_tick();
    assert!(played.len() > 5 && reached > 1_000, "{played:?}");
    let mut all = GameScreen::sounds(&app, (900, reached));
    all.sort_by_key(|cue| cue.tick);
    assert_eq!(played, all, "as the record has it");
    // Jumps and a pause.
    for tick in [100.0, 2_500.0, 800.0] {
        assert!(heard(&mut app, &mut canvas, tick, 1).len() <= 1, "what was jumped over is not heard");
    }
    key(&mut app, Keycap::Space, Mods::NONE);
    assert_eq!(heard(&mut app, &mut canvas, 900.0, 60), []);
    key(&mut app, Keycap::Period, Mods::SHIFT);
    assert_eq!(heard(&mut app, &mut canvas, 1_000.0, 60), []);
    key(&mut app, Keycap::Space, Mods::NONE);
    key(&mut app, Keycap::M, Mods::SHIFT);
    assert_eq!(app.state().notice(), Some("Sound off"));
    assert_eq!(heard(&mut app, &mut canvas, 900.0, 300), []);
    key(&mut app, Keycap::M, Mods::SHIFT);
    assert_eq!(heard(&mut app, &mut canvas, 900.0, 300), played);
    // The button beside the director's.
    let sound = app.hits.regions().find(|region| region.hint.contains("Silence")).unwrap().rect.centre();
    assert_eq!(app.hits.at(sound), Some(&Control::ToggleSound.into()));
}

#[test]
fn the_opening_sweeps_over_the_map_unless_motion_is_reduced() {
    let cameras = |calm: bool| {
        let (mut app, mut canvas) = opened(&Chosen { director: true, ..Chosen::default() });
        app.state().calm = calm;
        let mut camera = |frame: u32| {
            written(&mut app, &mut canvas, f64::from(frame) / 25.0 - 6.0);
            format!("{:?}", app.view.camera)
        };
        (0..25).map(&mut camera).collect::<BTreeSet<_>>().len()
    };
    assert!(cameras(false) > 20);
    assert_eq!(cameras(true), 1);
}
