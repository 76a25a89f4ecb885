//! What is drawn of the world: the same by seeking as by playing, what moves and falls, fights, the numbers at its edges.

use zappy_observer::app::action::Control;
use zappy_observer::ink::{Canvas, Point, Vertex};
use zappy_observer::screen::Screen as _;
use zappy_observer::theme::GOOD;
use zappy_protocol::conquest::{FactionId, Stance, UnitType};
use zappy_screen_conquest::scene::ConquestScene;
use zappy_screen_conquest::state::{IncidentKind, Slayer, TURN};
use zappy_screen_conquest::view::{Choice, Panel, Selection};
use zappy_screen_conquest::{App, pieces};

use super::{SIZE, opened, texts};

fn picture(app: &mut App) -> Vec<Vertex> {
    // On fresh canvases: where a glyph stands in the atlas depends on what was written before.
    let mut canvas = Canvas::new();
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    canvas.vertices().to_vec()
}

#[test]
fn seeking_shows_the_same_picture_as_playing() {
    let (_folder, mut played, mut canvas) = opened();
    let (_other, mut sought, _) = opened();
    let at = played.watch.session.range().1 / 2 + 130;
    played.watch.seek((at - 3_000) as f64);
    while played.watch.time.whole_tick() < at {
        let step = i64::try_from((at - played.watch.time.whole_tick()).min(170)).unwrap();
        played.act(Control::Step(step));
        played.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    }
    sought.act(Control::SeekEnd);
    sought.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    sought.act(Control::Seek(at));
    for app in [&mut played, &mut sought] {
        app.watch.time.playing = false;
        app.view.panels.remove(&Panel::Closing);
        app.act(Choice::Select(Selection::Faction(FactionId(1))));
        app.act(Choice::Toggle(Panel::Charts));
        app.act(Choice::Fit);
    }
    assert!(picture(&mut played) == picture(&mut sought), "the pictures differ");
    let before = picture(&mut sought);
    sought.act(Control::Step(40));
    assert!(before != picture(&mut sought), "nothing moves within a turn");
}

#[test]
fn what_changed_in_a_turn_moves_and_falls_one_after_the_other() {
    let (_folder, mut app, mut canvas) = opened();
    let falls = |what: &IncidentKind| matches!(what, IncidentKind::Gone { .. });
    let entries = &app.watch.session.overview().entries;
    let tick = entries.iter().find(|entry| falls(&entry.what)).expect("a unit that falls").tick;
    let mut seen = (0, 0, 0);
    for step in 0..60 {
        app.watch.stop_at(tick + step * 10);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let shown = app.shown();
        let scene = ConquestScene::of(&shown);
        let between = |point: (f64, f64)| (point.0 - 0.5).fract() != 0.0 || (point.1 - 0.5).fract() != 0.0;
        seen.0 += scene.pieces.iter().filter(|piece| between(piece.point)).count();
        seen.1 += scene.pieces.iter().filter(|piece| piece.falls).count();
        seen.2 += scene.effects.len();
    }
    assert!(seen.0 > 0 && seen.1 > 0 && seen.2 > 0, "{seen:?}");
}

#[test]
fn a_fight_shows_who_strikes_whom_and_what_each_lost() {
    let (_folder, mut app, mut canvas) = opened();
    let fell = app.watch.session.overview().entries.iter().find_map(|entry| match &entry.what {
        IncidentKind::Gone { was, by: Some(Slayer::Unit(by, _)), .. } => {
            Some((entry.tick, was.at, was.faction, *by))
        }
        _ => None,
    });
    let (tick, at, whose, by) = fell.expect("a unit that fell to another one");
    let fight_at = |app: &App| {
        let fights = ConquestScene::of(&app.shown()).fights;
        fights
            .into_iter()
            .find(|fight| fight.fallen.iter().any(|(place, of, _)| (*place, *of) == (at, whose)))
    };
    app.watch.stop_at(tick - 1);
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    assert_eq!(fight_at(&app), None);
    // To the end of the turn, also when the blows themselves are over.
    for later in [450, 900] {
        app.watch.stop_at(tick + later);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let fight = fight_at(&app).expect("it is seen");
        assert!(fight.blows.iter().any(|blow| blow.by == by && blow.to == at), "{fight:?}");
        let lost = fight.losses()[&whose];
        assert!(texts(&canvas).contains(&format!("−{lost}")), "{:?}", texts(&canvas));
    }
    app.watch.stop_at(tick + 2 * TURN);
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    let shown = app.shown();
    let old = shown
        .state
        .recent
        .iter()
        .filter(|one| one.tick <= tick && matches!(one.what, IncidentKind::Attacked(..)));
    assert!(old.count() > 0, "it is remembered");
    let blows = ConquestScene::of(&shown).fights.into_iter().flat_map(|fight| fight.blows);
    assert!(blows.map(|blow| blow.left).all(|left| (0.0..=1.0).contains(&left)));
    assert!(fight_at(&app).is_none(), "but it is over");
}

#[test]
fn rows_and_columns_have_their_numbers_at_fit() {
    let (_folder, mut app, mut canvas) = opened();
    app.watch.stop_at(12_200);
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    let said = texts(&canvas);
    assert!(["0", "5", "10"].iter().all(|number| said.iter().any(|text| text == number)), "{said:?}");
}

#[test]
fn names_stand_where_no_unit_is_and_no_number_hides_them() {
    let (_folder, mut app, mut canvas) = opened();
    let names = ["red", "blue", "green"];
    let (mut seen, mut lost) = (0, 0);
    for tick in (2_400..40_000).step_by(1_700) {
        app.watch.stop_at(tick);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let free = app.view.free;
        let there: Vec<_> = canvas.runs().iter().filter(|run| free.encloses(run.rect, 0.0)).collect();
        let is_loss = |text: &str| text.strip_prefix('−').is_some_and(|many| many.parse::<u32>().is_ok());
        let losses: Vec<_> = there.iter().filter(|run| is_loss(&run.text)).collect();
        let shown = app.shown();
        let (camera, map) = (app.view.camera, shown.state.mirror.size.unwrap());
        for name in there.iter().filter(|run| names.contains(&run.text.as_str())) {
            assert!(!losses.iter().any(|loss| loss.rect.overlaps(name.rect)), "{tick}: {name:?} {losses:?}");
            for piece in ConquestScene::of(&shown).pieces {
                let (dx, dy) = zappy_observer::camera::shortest(map, (camera.x, camera.y), piece.point);
                let at = camera.to_window(app.layout.world, (camera.x + dx, camera.y + dy));
                assert!(!name.rect.inset(1.0).contains(at), "{tick}: {name:?} over {piece:?}");
            }
            seen += 1;
        }
        lost += losses.len();
    }
    assert!(seen > 10 && lost > 0, "{seen} {lost}");
}

#[test]
fn health_that_was_lost_is_told_apart_from_units_that_fell() {
    let (_folder, mut app, mut canvas) = opened();
    let hits = (1_000..45_000).step_by(200).any(|tick| {
        app.watch.stop_at(tick);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        texts(&canvas).iter().any(|words| words.starts_with('−') && words.ends_with(" hp"))
    });
    assert!(hits);
}

#[test]
fn what_has_fallen_has_no_health_left_to_show() {
    let look = zappy_observer::theme::TeamLook::NEUTRAL;
    let drawn = |health: Option<u32>| {
        let mut canvas = Canvas::new();
        canvas.begin(100.0, 100.0, 1.0);
        let unit = (UnitType::Fighter, health, Stance::default());
        pieces::unit(&mut canvas, Point::new(50.0, 50.0), 20.0, look, unit);
        canvas.vertices().iter().any(|vertex| vertex.position[1] > 75.0 && vertex.color[..3] == GOOD.0[..3])
    };
    assert!(drawn(Some(6)) && !drawn(None));
}

#[test]
fn the_rule_says_what_wins_and_the_end_says_who_in_large_words() {
    let (_folder, mut app, mut canvas) = opened();
    for tick in [0, app.watch.session.range().1 - 1] {
        app.watch.stop_at(tick);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let need = app.shown().state.mirror.dominion.as_ref().map(|dominion| format!("{} %", dominion.need));
        let rule = texts(&canvas).into_iter().find(|says| says.starts_with("Last base")).expect("a rule");
        assert_eq!(need.as_ref().is_some_and(|need| rule.contains(need)), rule.contains('%'), "{rule}");
        assert_eq!(need.is_some(), rule.contains('%'), "{rule}");
    }
    let story = app.watch.session.overview();
    let finish = story.finish.as_ref().unwrap();
    let (end, winner) = (finish.tick, story.name(finish.winners[0]).to_owned());
    let mut large = |tick| {
        app.watch.stop_at(tick);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let mut words = canvas.runs().iter().filter(|run| app.layout.world.encloses(run.rect, 0.0));
        words.any(|run| run.text == winner && run.rect.h > 30.0)
    };
    assert_eq!([large(end - 1), large(end)], [false, true]);
}

#[test]
fn a_finished_record_is_led_in_time_until_a_key_returns_to_true_time() {
    let (_folder, mut app, mut canvas) = opened();
    let led = app.watch.led.clone().expect("it was read");
    let mut shown_after = |app: &mut App| {
        app.watch.seek(5_000.0);
        app.watch.time.playing = true;
        app.frame(0.2, SIZE.0, SIZE.1, 1.0, &mut canvas);
        app.watch.time.tick
    };
    let seconds = led.seconds(shown_after(&mut app)) - led.seconds(5_000.0);
    assert!((seconds - f64::from(0.2_f32)).abs() < 1e-6, "{seconds}");
    app.act(Control::ToggleLed);
    assert!((shown_after(&mut app) - 5_200.0).abs() < 1e-3);
}
