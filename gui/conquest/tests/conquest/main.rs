//! The screen of conquest on records of real matches: what is folded, what is seen, and what can be done.

mod map;
mod played;
mod remarks;

use std::path::PathBuf;
use std::sync::OnceLock;
use zappy_screen_conquest::view::{Choice, ConquestChoice, Panel, Selection};

use zappy_observer::app::action::{Control, Direction};
use zappy_observer::app::link::chosen;
use zappy_observer::app::watching::comfortable_scale;
use zappy_observer::ink::{Canvas, Point, TextRun};
use zappy_observer::input::{Button, InputEvent, Keycap, Mods};
use zappy_observer::led::HIGHLIGHTS;
use zappy_observer::map_screen::MapGame as _;
use zappy_observer::screen::Screen as _;
use zappy_observer::timeline::archive::Archive as _;
use zappy_observer::timeline::fold::Fold as _;
use zappy_observer::timeline::record_file::WatchedRecord;
use zappy_protocol::Position;
use zappy_protocol::conquest::{Cause, FactionId};
use zappy_screen_conquest::state::{ConquestState, IncidentKind, LOOKBACK, TURN};
use zappy_screen_conquest::words::moment;
use zappy_screen_conquest::{App, ConquestMap, Session, keymap};

const SIZE: (f32, f32) = (1280.0, 720.0);

fn bytes() -> &'static [u8] {
    static RECORD: OnceLock<Vec<u8>> = OnceLock::new();
    RECORD.get_or_init(|| played::record(&["red", "blue", "green"], (18, 12), 45, (3, played::THINKING)))
}

fn on_disk() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("conquest.zrec");
    std::fs::write(&path, bytes()).unwrap();
    (folder, path)
}

/// The screen on the record, read to its end, with a canvas that notes its texts.
fn opened() -> (tempfile::TempDir, App, Canvas) {
    let (folder, path) = on_disk();
    let mut session = Session::record(&path).unwrap();
    session.read_all();
    let (mut app, mut canvas) = (App::new(session), Canvas::new());
    canvas.watch_text(true);
    a_point_a_pixel(&mut app);
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    (folder, app, canvas)
}

/// Draws points as pixels, so that what is drawn is clicked where it is.
fn a_point_a_pixel(app: &mut App) {
    app.watch.screen.ui_scale = 1.0 / comfortable_scale(SIZE.0, SIZE.1);
}

fn texts(canvas: &Canvas) -> Vec<String> {
    canvas.runs().iter().map(|run| run.text.clone()).collect()
}

#[test]
fn the_record_is_understood_to_its_last_line_and_tells_of_everything() {
    let (_folder, app, _) = opened();
    let story = app.watch.session.overview();
    assert_eq!(app.watch.session.oddities().total(), 0, "{:?}", app.watch.session.oddities());
    let finish = story.finish.as_ref().expect("an end");
    assert_eq!(finish.tick, app.watch.session.range().1);
    assert!(!finish.winners.is_empty() && story.phases.len() >= 20, "{finish:?}");
    let told = |wanted: fn(&IncidentKind) -> bool| story.entries.iter().any(|entry| wanted(&entry.what));
    assert!(told(|what| matches!(what, IncidentKind::Gone { by: Some(_), .. })), "nothing fell to anything");
    assert!(
        told(|what| matches!(what, IncidentKind::Land(Some(_), _)))
            && told(|what| matches!(what, IncidentKind::Bomb(_, true)))
    );
    assert!(
        told(|what| matches!(what, IncidentKind::Lost(..)))
            && told(|what| matches!(what, IncidentKind::Late(_)))
    );
    assert!(
        told(|what| matches!(what, IncidentKind::Built(..)))
            && told(|what| matches!(what, IncidentKind::Appeared(..)))
    );
    assert!(story.samples.len() >= 20 && story.samples.iter().all(|sample| sample.factions.len() == 3));
}

#[test]
fn seeking_anywhere_equals_playing_up_to_there() {
    let (_folder, path) = on_disk();
    let read = || {
        let mut session = Session::record(&path).unwrap();
        session.read_all();
        session
    };
    let (mut played, mut sought) = (read(), read());
    let go = |session: &mut Session, tick| {
        session.show(tick);
        while !session.arrived {
            session.show(tick);
        }
    };
    let last = played.range().1;
    for tick in (0..=last).step_by(61) {
        go(&mut played, tick);
        if tick % (61 * 17) == 0 {
            // From the end, so that nothing that was passed is at hand.
            go(&mut sought, last);
            go(&mut sought, tick);
            assert!(played.fold() == sought.fold(), "tick {tick}");
        }
    }
}

#[test]
fn each_turn_is_shown_for_a_second_though_many_fell_into_one_tick() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quick.zrec");
    std::fs::write(&path, played::record(&["red", "blue", "green"], (18, 12), 45, (3, 0))).unwrap();
    let passed = WatchedRecord::open(&path).unwrap().last_tick();
    let mut session = Session::record(&path).unwrap();
    session.read_all();
    let (mut app, mut canvas) = (App::new(session), Canvas::new());
    let turns: Vec<(u64, u32)> = app.watch.session.overview().turns().collect();
    assert!(turns.len() > 20 && passed < 10, "{} turns in {passed} ticks", turns.len());
    assert!(turns.iter().all(|(tick, turn)| *tick == u64::from(turn - 1) * TURN), "{turns:?}");
    assert_eq!(app.watch.session.range().1, turns.len() as u64 * TURN);
    // Played from the beginning, a second shows a turn, and each turn what happened in it.
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..turns.len() * 10 {
        app.frame(0.1, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let fold = app.watch.session.fold();
        let moved = fold.recent.iter().filter(|one| matches!(one.what, IncidentKind::Moved(..)));
        seen.extend(
            moved.map(|one| (one.tick, fold.mirror.turn >= u32::try_from(one.tick / TURN + 1).unwrap())),
        );
    }
    assert!(app.watch.time.tick > (turns.len() as u64 - 2) as f64 * TURN as f64, "{}", app.watch.time.tick);
    assert!(seen.len() > 20 && seen.iter().all(|(_, told)| *told), "{seen:?}");
}

#[test]
fn a_factions_dialogue_tells_its_orders_and_why_they_were_lost() {
    let (_folder, mut app, mut canvas) = opened();
    let lost = app.watch.session.overview().entries.iter().find_map(|entry| match &entry.what {
        IncidentKind::Lost(faction, _, why) => Some((*faction, entry.tick, why.to_string())),
        _ => None,
    });
    let (faction, tick, why) = lost.expect("an order that was lost");
    app.act(Choice::Select(Selection::Faction(faction)));
    app.watch.stop_at(tick - 1);
    app.act(Choice::Own(ConquestChoice::Lost(Direction::Next)));
    // A faction reads it as its next turn begins.
    assert_eq!(app.watch.time.whole_tick(), (tick / TURN + 1) * TURN);
    app.frame(0.0, SIZE.0, 1_000.0, 1.0, &mut canvas);
    assert!(!app.watch.moving, "all of the dialogue was found");
    let said = app.conversation.spoken();
    let told = |start: &str| said.iter().any(|line| line.text.starts_with(start));
    assert!(told("Base ") && told("Unit ") && told("Done ") && told("go ") && told("ok"), "{said:?}");
    assert!(
        said.iter().any(|line| line.text.starts_with("did ") && line.text.ends_with(&why)),
        "{why}: {said:?}"
    );
    assert!(!told("tile ") && !told("unit ") && said.iter().all(|line| line.tick <= tick + TURN));
    let texts = texts(&canvas);
    assert!(texts.iter().any(|text| text.starts_with("DIALOGUE OF")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains(" ko ")), "{texts:?}");
    app.act(Choice::DialogueMove(8));
    app.frame(0.0, SIZE.0, 1_000.0, 1.0, &mut canvas);
    assert!(self::texts(&canvas).iter().any(|text| text == "8 below"));
    app.act(Choice::Escape);
    app.act(Choice::Escape);
    app.act(Choice::Own(ConquestChoice::Lost(Direction::Next)));
    assert!(app.shown().notice.is_some_and(|notice| notice.starts_with("Select a faction")));
}

#[test]
fn what_cities_make_is_charted_and_told() {
    let (_folder, mut app, mut canvas) = opened();
    let made = &app.watch.session.overview().samples;
    assert!(made.iter().all(|sample| sample.made.len() == 3));
    // An empty city makes two units of food and two of gold; each of its two merchants two more.
    assert_eq!(made[0].made, [8, 8, 8]);
    let middle = app.watch.session.range().1 / 2;
    app.watch.stop_at(middle);
    app.act(Choice::Toggle(Panel::Charts));
    app.frame(0.0, 1_920.0, 1_080.0, 1.0, &mut canvas);
    assert!(texts(&canvas).iter().any(|text| text == "Made by cities"));
    let city = *app.watch.session.fold().mirror.cities.keys().next().expect("a city");
    app.act(Choice::Select(Selection::City(city)));
    app.frame(0.0, 1_920.0, 1_080.0, 1.0, &mut canvas);
    assert!(texts(&canvas).iter().any(|text| text.starts_with("MAKES EACH TURN")), "{:?}", texts(&canvas));
}

#[test]
fn nothing_but_the_mirror_outlives_the_time_it_remembers() {
    let (_folder, app, _) = opened();
    let mut state = app.watch.session.fold().clone();
    state.advance(state.tick() + LOOKBACK + 1);
    assert!(state.recent.is_empty() && !state.mirror.factions.is_empty());
    let mut lines = Vec::new();
    state.snapshot(&mut |line| lines.extend(ConquestState::parse(line)));
    assert_eq!(ConquestState::restored(state.tick(), &lines), state);
}

#[test]
fn turns_and_moments_are_visited_and_anything_is_inspected() {
    let (_folder, mut app, mut canvas) = opened();
    let mut frame = |app: &mut App| {
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        texts(&canvas)
    };
    app.act(Control::SeekStart);
    let turns: Vec<u64> = app.watch.session.overview().turns().map(|(tick, _)| tick).collect();
    app.watch.stop_at(turns[4]);
    app.act(Choice::Own(ConquestChoice::Turns(1)));
    assert_eq!(app.watch.time.whole_tick(), turns[5]);
    app.act(Choice::Own(ConquestChoice::Turns(-3)));
    assert_eq!(app.watch.time.whole_tick(), turns[2]);
    let before = app.watch.time.whole_tick();
    app.act(Choice::KeyMoment(Direction::Next));
    assert!(app.watch.time.whole_tick() > before && app.view.selection.is_some());
    app.act(Choice::SelectNext(Direction::Next));
    let said = frame(&mut app);
    assert!(said.iter().any(|text| text == "Health") && said.iter().any(|text| text == "Upkeep"), "{said:?}");
    app.act(Choice::Select(Selection::Faction(FactionId(0))));
    assert!(frame(&mut app).iter().any(|text| text == "Slot"));
    let city = *app.watch.session.fold().mirror.cities.keys().next().expect("a city");
    app.act(Choice::Select(Selection::City(city)));
    assert!(frame(&mut app).iter().any(|text| text == "Citizens"));
    app.act(Choice::Select(Selection::Tile(city)));
    assert!(frame(&mut app).iter().any(|text| text.contains("a base")));
    app.act(Choice::Toggle(Panel::Help));
    let said = frame(&mut app);
    for binding in keymap::bindings().iter().filter(|binding| !binding.keys.is_empty()) {
        assert!(said.iter().any(|text| text == binding.keys), "{} is not among {said:?}", binding.keys);
    }
}

#[test]
fn sieges_and_dominion_are_told() {
    let mut lines = vec!["/empty".to_owned()];
    for (name, base) in [("red", "2 2"), ("blue", "14 2"), ("green", "8 10")] {
        lines.push(format!("/tile {base} owner {name} base on"));
        lines.push(format!("/faction {name} base {base}"));
    }
    lines.extend((3..9).flat_map(|y| (0..18).map(move |x| format!("/tile {x} {y} owner red"))));
    lines.extend(["/tile 14 2 siege 1", "/faction red held 4"].map(str::to_owned));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("conquest.zrec");
    let factions = ["red", "blue", "green"];
    std::fs::write(&path, played::record_of("arena", &lines, &factions, (18, 12), 9, (3, 0))).unwrap();
    let mut session = Session::record(&path).unwrap();
    session.read_all();
    let (mut app, mut canvas) = (App::new(session), Canvas::new());
    canvas.watch_text(true);
    a_point_a_pixel(&mut app);
    let mut said = |app: &mut App, choice: Choice| {
        app.act(choice);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        texts(&canvas)
    };
    app.act(Control::SeekEnd);
    let closing = said(&mut app, Choice::Toggle(Panel::Closing));
    let why = "red held enough of the land at the end of 5 turns in a row, the last one turn 1";
    assert!(closing.iter().any(|text| text.starts_with(why)), "{closing:?}");
    let base = said(&mut app, Choice::Select(Selection::Tile(Position { x: 14, y: 2 })));
    assert!(base.contains(&"2 of 4 left; it falls at 0".to_owned()), "{base:?}");
    let holder = said(&mut app, Choice::Select(Selection::Faction(FactionId(0))));
    assert!(holder.contains(&"5 of 5 turns with 50 % of the land".to_owned()), "{holder:?}");
}

#[test]
fn the_end_is_told_with_its_winner_its_cause_five_moments_and_a_table() {
    let (_folder, mut app, mut canvas) = opened();
    app.act(Control::SeekEnd);
    app.act(Choice::Toggle(Panel::Closing));
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    let said = texts(&canvas);
    assert!(said.iter().any(|text| text == "has won" || text == "Nobody has won"), "{said:?}");
    let over =
        said.iter().find(|text| text.starts_with("The last turn was over in turn 45; the best score wins:"));
    assert!(over.is_some(), "{said:?}");
    let story = app.watch.session.overview();
    let moments = story.tally.highlights();
    // A battle of several turns is one of them.
    assert!((4..=HIGHLIGHTS).contains(&moments.len()), "{moments:?}");
    assert!(moments.windows(2).all(|two| two[0].tick < two[1].tick));
    for one in &moments {
        let says = moment(one, story);
        assert!(said.contains(&says), "{says}: {said:?}");
    }
    let fell = story.entries.iter().filter(|one| {
        matches!(
            one.what,
            IncidentKind::Gone { cause: Cause::Attack | Cause::Bomb, .. } | IncidentKind::Converted(..)
        )
    });
    let lost: u32 = story.tally.deeds.iter().map(|deeds| deeds.lost).sum();
    assert_eq!(fell.count(), lost as usize);
    assert!(lost > 0 && story.tally.deeds.iter().any(|deeds| deeds.orders_lost > 0));
    assert!(said.contains(&"fights".to_owned()) && said.contains(&"orders".to_owned()), "{said:?}");
    let (winner, sheet) = (story.name(story.finish.as_ref().unwrap().winners[0]), app.layout.closing);
    let here = |run: &&TextRun| sheet.encloses(run.rect, 0.0);
    let rows = |name| canvas.runs().iter().filter(here).filter(move |run| run.text == name);
    let y = |name| rows(name).map(|run| run.rect.y).fold(0.0, f32::max);
    assert!(story.names.iter().all(|name| name.as_str() == winner || y(name.as_str()) > y(winner)));
    // A click shows the first of them again.
    let tick = moments[0].tick;
    let replay = app.hits.regions().find(|region| region.action == Choice::Replay(tick).into());
    let at = replay.expect("a moment to click").rect.centre();
    app.event(InputEvent::Moved(at));
    app.event(InputEvent::Pressed(Button::Left, at));
    app.event(InputEvent::Released(Button::Left, at));
    assert!(app.watch.time.playing && (tick - TURN..=tick).contains(&app.watch.time.whole_tick()));
    assert!(!app.view.panels.contains(&Panel::Closing));
    assert!(ConquestMap::highlights(app.watch.session.overview()).contains(&tick));
}

#[test]
fn the_headline_of_many_factions_is_whole() {
    let names = ["red", "blue", "green", "gold", "violet", "cyan", "lime", "pink"];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("eight.zrec");
    std::fs::write(&path, played::record(&names, (24, 24), 6, (5, 0))).unwrap();
    let mut session = Session::record(&path).unwrap();
    session.read_all();
    let (mut app, mut canvas) = (App::new(session), Canvas::new());
    canvas.watch_text(true);
    let mut orders = 0;
    for tick in (0..app.watch.session.range().1).step_by(250) {
        app.watch.stop_at(tick);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let now = app.layout.now;
        let line = |run: &&TextRun| now.encloses(run.rect, 2.0);
        for run in canvas.runs().iter().filter(line) {
            assert!(!run.truncated && !run.text.ends_with('…'), "{tick}: {run:?}");
            orders += usize::from(run.text.ends_with("’s last"));
        }
    }
    assert!(orders > 0);
}

#[test]
fn texts_are_whole_and_stand_in_the_window_at_any_size() {
    let (_folder, mut app, mut canvas) = opened();
    app.watch.screen.ui_scale = 1.0;
    let middle = app.watch.session.range().1 / 2;
    app.watch.stop_at(middle);
    let city = *app.watch.session.fold().mirror.cities.keys().next().unwrap();
    let selections = [
        None,
        Some(Selection::Faction(FactionId(1))),
        Some(Selection::City(city)),
        Some(Selection::Tile(city)),
    ];
    for (width, height) in [(390.0, 740.0), (800.0, 600.0), (1280.0, 720.0), (1920.0, 1080.0)] {
        for selection in selections {
            app.view.selection = selection;
            app.view.panels.insert(Panel::Charts);
            app.frame(0.0, width, height, 1.0, &mut canvas);
            canvas.begin(width, height, 1.0);
            zappy_observer::map_screen::panels::draw(&mut canvas, &app.layout, &app.shown());
            let area = canvas.area();
            for (number, run) in canvas.runs().iter().enumerate() {
                let at = || format!("{width}x{height} {selection:?}: {run:?}");
                assert!(area.encloses(run.rect, 1.0) && run.visible.encloses(run.rect, 0.01), "{}", at());
                // Line boxes are roomier than letters.
                let ink = |run: &TextRun| run.rect.inset_xy(0.75, run.rect.h * 0.12);
                let over = canvas.runs()[..number].iter().find(|other| ink(other).overlaps(ink(run)));
                assert!(over.is_none(), "over {over:?}: {}", at());
            }
        }
    }
}

#[test]
fn what_opens_this_moment_is_copied_and_can_be_read_again() {
    let (_folder, mut app, mut canvas) = opened();
    let unit = *app.watch.session.fold().mirror.units.keys().next().expect("a unit");
    app.watch.stop_at(3 * TURN);
    app.act(Choice::Select(Selection::Unit(unit)));
    let mut copy = |app: &mut App| {
        app.event(InputEvent::Key { key: Keycap::Y, mods: Mods::NONE });
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        app.state().copied.take().expect("something is copied")
    };
    let command = copy(&mut app);
    assert!(command.starts_with("zappy_gui --replay ") && command.contains("conquest.zrec"), "{command}");
    assert!(command.ends_with(&format!("--at-tick {} --select unit:{}", 3 * TURN, unit.0)), "{command}");
    app.watch.screen.page = Some("https://arena/watch/final".to_owned());
    app.act(Choice::Zoom(3.0, None));
    let address = copy(&mut app);
    let (page, fragment) = address.split_once('#').unwrap();
    assert_eq!(page, "https://arena/watch/final");
    let chosen = chosen(fragment, &["unit", "city", "tile", "faction"]);
    assert_eq!(chosen.at_tick, Some(3 * TURN), "{address}");
    assert_eq!(
        chosen.select.as_deref().and_then(ConquestMap::selection),
        Some(Selection::Unit(unit)),
        "{address}"
    );
    assert!(chosen.zoom.is_some_and(|zoom| zoom > 2.0) && chosen.look_at.is_some(), "{address}");
}

#[test]
fn any_window_any_event_and_any_moment_are_taken() {
    let (_folder, mut app, mut canvas) = opened();
    for (width, height) in [(1.0, 1.0), (0.0, 0.0), (30.0, 2_000.0), (5_000.0, 20.0), (f32::NAN, 100.0)] {
        app.frame(0.016, width, height, 1.0, &mut canvas);
    }
    for value in [f32::NAN, f32::INFINITY, -1e30, 0.0, 600.0] {
        let at = Point { x: value, y: value };
        app.event(InputEvent::Moved(at));
        app.event(InputEvent::Pressed(Button::Left, at));
        app.event(InputEvent::Released(Button::Left, at));
        app.event(InputEvent::Wheel(value, at));
        app.frame(value, SIZE.0, SIZE.1, 1.0, &mut canvas);
    }
    for binding in keymap::bindings() {
        let (key, shift) = (binding.key, binding.shift);
        if !binding.ctrl && key != Keycap::F12 {
            app.event(InputEvent::Key { key, mods: Mods { shift, ..Mods::NONE } });
            app.frame(0.1, SIZE.0, SIZE.1, 1.0, &mut canvas);
        }
    }
    assert!(app.watch.time.tick.is_finite() && app.view.camera.scale.is_finite());
}

#[test]
fn the_director_goes_to_fights_before_they_happen_and_lets_go_when_the_view_is_moved() {
    let (_folder, mut app, mut canvas) = opened();
    let press = |app: &mut App, canvas: &mut Canvas, key| {
        app.event(InputEvent::Key { key, mods: Mods::NONE });
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, canvas);
    };
    let whole = app.view.camera;
    let fights = app.watch.session.overview().entries.iter();
    let fights = fights.filter(|one| matches!(one.what, IncidentKind::Gone { by: Some(_), .. }));
    let fights: Vec<(u64, _)> = fights.filter_map(|one| Some((one.tick, one.at?))).collect();
    press(&mut app, &mut canvas, Keycap::Z);
    let near = fights.iter().filter(|(tick, at)| {
        app.act(Control::Seek(*tick));
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let camera = app.view.camera;
        let middle = (f64::from(at.x) + 0.5, f64::from(at.y) + 0.5);
        camera.scale > whole.scale && (camera.x, camera.y) == middle
    });
    assert!(near.count() > 0, "no fight of {fights:?} is in the middle when it happens");
    assert!(app.watch.screen.director);
    press(&mut app, &mut canvas, Keycap::Left);
    assert!(!app.watch.screen.director);
}

#[test]
fn the_race_is_by_land_and_the_picture_shows_what_the_headline_says() {
    let (_folder, mut app, mut canvas) = opened();
    app.watch.screen.director = true;
    let mut told = 0;
    let mut ticks: Vec<u64> = app.watch.session.overview().tally.moments.iter().map(|one| one.tick).collect();
    ticks.dedup();
    for tick in ticks {
        app.watch.stop_at(tick);
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
        let shown = app.shown();
        let way = zappy_screen_conquest::panels::scoreboard::race(&shown);
        let land = shown.state.mirror.factions.iter().map(|known| known.holdings.land as f32);
        for (racer, land) in way.iter().zip(land).filter(|(racer, _)| !racer.out) {
            let need = shown.state.mirror.dominion.as_ref().map_or(100, |dominion| dominion.need) as f32;
            let share = land * 100.0 / shown.state.mirror.tiles.len() as f32 / need;
            assert!((racer.way[0] - share.min(1.0)).abs() < 2e-3, "{racer:?}");
        }
        let news = shown.headline();
        let moment_told = news.map(|number| &shown.story.tally.moments[number]);
        if let Some(one) = moment_told.filter(|one| !shown.is_over() && one.tick == tick) {
            let says = moment(one, shown.story);
            let now = app.layout.now;
            let there =
                canvas.runs().iter().any(|run| now.encloses(run.rect, 2.0) && says.starts_with(&run.text));
            assert!(there, "{says}");
            if let Some(at) = one.at {
                let size = shown.state.mirror.size.unwrap();
                let (dx, dy) = size.delta(shown.view.camera.tile(size), at);
                let far = shown.view.camera.scale < 20.0;
                assert!(far || dx.unsigned_abs().max(dy.unsigned_abs()) <= 6, "{says}: {dx}, {dy}");
                told += 1;
            }
        }
    }
    assert!(told > 0);
}
