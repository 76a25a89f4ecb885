//! What the panels draw, at many sizes and for many teams: nothing cut off, nothing over anything else, no panic.

use crate::view::{Choice, Panel, Selection, UserAction, ZappyChoice};
use zappy_protocol::Position;
use zappy_protocol::record::dialogue::{Speech, Spoken};
use zappy_protocol::zappy::PlayerId;

use super::testing::ScriptedMatch;
use super::*;
use crate::keymap::bindings;
use zappy_observer::app::action::Control;
use zappy_observer::app::origin::Origin;
use zappy_observer::app::playback::Playback;
use zappy_observer::ink::{Canvas, Point, Rect, TextRun};
use zappy_observer::map_screen::panels::{draw, layout, standing};
use zappy_observer::panels::Hits;
use zappy_observer::timeline::fold::Oddities;

mod windows;

const SIZES: [(f32, f32); 5] =
    [(800.0, 600.0), (1024.0, 768.0), (1280.0, 720.0), (1920.0, 1080.0), (2560.0, 1440.0)];

/// Text may reach out of its panel by so many points: line boxes are larger than glyphs.
const OVERHANG: f32 = 1.5;

/// The part of a line's box that letters fill.
fn ink(run: &TextRun) -> Rect {
    run.rect.inset_xy(0.75, run.rect.h * 0.12)
}

/// A match of so many teams with the longest names, with players at all levels, an incantation, a death, an egg and a
/// speech.
fn crowded(teams: usize) -> ScriptedMatch {
    let mut lines = vec!["0 msz 20 12".to_owned(), "0 sgt 100".to_owned()];
    let name =
        |team: usize| format!("team{team:02}{}", "日本語éö".repeat(3)).chars().take(30).collect::<String>();
    lines.extend((0..teams).map(|team| format!("0 tna {}", name(team))));
    lines.push("0 bct 3 3 9 2 2 2 2 2 1".to_owned());
    for player in 0..teams * 12 {
        let (team, level) = (player % teams, player / teams % 8 + 1);
        lines.push(format!("{} pnw #{player} 3 3 1 {level} {}", 5 + player, name(team)));
        lines.push(format!("{} pin #{player} 3 3 123456 1 0 2 0 12345 1", 5 + player));
    }
    lines.sort_by_key(|line| line.split(' ').next().and_then(|tick| tick.parse::<u32>().ok()));
    let end = 20 + teams * 12;
    lines.push(format!("{end} pbc #0 {}", "a long speech about stones ".repeat(9)));
    lines.push(format!("{end} enw #7 #0 3 3"));
    lines.push(format!("{} pdi #{}", end + 1, teams * 11));
    lines.push(format!("{} pic 3 3 1 #0 #{teams}", end + 2));
    lines.push(format!("{} pfk #{}", end + 2, teams - 1));
    lines.push(format!("{} seg {}", end + 300, name(0)));
    ScriptedMatch::of(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

fn spoken() -> Vec<Spoken> {
    let line = |tick, speech, text: &str, why: Option<&str>| Spoken {
        tick,
        speech,
        text: text.to_owned(),
        why: why.map(str::to_owned),
    };
    vec![
        line(1, Speech::Joined, "admitted", None),
        line(8, Speech::In, &"Broadcast ".repeat(30), None),
        line(12_345_678, Speech::Out, "ko", Some("there is no such resource on the tile, and never was one")),
        line(12_345_678, Speech::In, "Take food", None),
    ]
}

/// The rectangle of each panel in a window of that size, and the texts in it.
fn runs_of(scene: &ScriptedMatch, tick: f64, size: (f32, f32)) -> Vec<(Rect, Vec<TextRun>)> {
    runs_at(scene, tick, size, 1.0)
}

fn runs_at(
    scene: &ScriptedMatch,
    tick: f64,
    (width, height): (f32, f32),
    scale: f32,
) -> Vec<(Rect, Vec<TextRun>)> {
    scene.show(tick, |shown| {
        let layout = layout(width, height, shown);
        let mut all = Vec::new();
        let mut watch = |rect: Rect, draw: &dyn Fn(&mut Ui<'_>)| {
            let (mut canvas, mut hits) = (Canvas::new(), Hits::default());
            canvas.begin(width * scale, height * scale, scale);
            canvas.watch_text(true);
            hits.still = shown.time.still;
            draw(&mut Ui { canvas: &mut canvas, hits: &mut hits, mouse: None });
            all.push((rect, canvas.runs().to_vec()));
        };
        for (rect, draw) in standing(&layout).into_iter().filter(|(rect, _)| !rect.is_empty()) {
            watch(rect, &|ui| draw(ui, rect, shown));
        }
        if !layout.help.is_empty() {
            watch(layout.help, &|ui| help::draw(ui, layout.help, layout.window));
        }
        if !layout.closing.is_empty() {
            watch(layout.closing, &|ui| closing::draw(ui, layout.closing, layout.behind_closing(), shown));
        }
        all
    })
}

fn check(scene: &ScriptedMatch, tick: f64, size: (f32, f32), what: &str) {
    check_at(scene, tick, size, 1.0, what);
}

fn check_at(scene: &ScriptedMatch, tick: f64, size: (f32, f32), scale: f32, what: &str) {
    for (rect, runs) in runs_at(scene, tick, size, scale) {
        for (number, run) in runs.iter().enumerate() {
            let at = || format!("{what} at {size:?} in {rect:?}: {run:?}");
            assert!(run.visible.encloses(run.rect, 0.01), "cut off: {}", at());
            assert!(rect.encloses(run.rect, OVERHANG), "outside its panel: {}", at());
            let over = runs[..number].iter().find(|other| ink(other).overlaps(ink(run)));
            assert!(over.is_none(), "over {:?}: {}", over, at());
        }
    }
}

fn selections() -> [Option<Selection>; 5] {
    let tile = |x, y| Some(Selection::Tile(Position { x, y }));
    let player = |number| Some(Selection::Player(PlayerId(number)));
    [None, player(0), player(1), tile(3, 3), Some(Selection::Egg(zappy_protocol::zappy::EggId(7)))]
}

#[test]
fn no_text_is_cut_off_or_over_another() {
    for teams in [1, 2, 6, 20] {
        let mut scene = crowded(teams);
        scene.dialogue = spoken();
        scene.oddities = Oddities {
            unknown: 12,
            malformed: 1,
            misfits: 4,
            last_bad: Some("x".repeat(90)),
            ..Oddities::default()
        };
        let end = scene.chronicler.overview.chronicle.until as f64;
        for size in SIZES {
            for selection in selections() {
                scene.view.selection = selection;
                for panels in
                    [vec![], vec![Panel::Charts], vec![Panel::Dialogue], vec![Panel::Charts, Panel::Dialogue]]
                {
                    scene.view.panels =
                        [Panel::Scoreboard, Panel::Feed, Panel::Minimap].into_iter().chain(panels).collect();
                    check(&scene, end - 200.0, size, &format!("{teams} teams, {selection:?}"));
                }
            }
        }
    }
}

#[test]
fn no_density_of_the_display_cuts_text_off() {
    let mut scene = crowded(2);
    scene.dialogue = spoken();
    scene.view.selection = Some(Selection::Player(PlayerId(0)));
    for scale in [0.8, 1.1, 1.25, 1.5, 2.0, 3.0] {
        for size in [(800.0, 600.0), (1280.0, 720.0)] {
            for panel in [Panel::Charts, Panel::Dialogue, Panel::Help] {
                scene.view.panels = [Panel::Scoreboard, Panel::Feed, Panel::Minimap, panel].into();
                check_at(&scene, 120.0, size, scale, &format!("scale {scale}"));
            }
        }
    }
}

#[test]
fn no_overlay_is_cut_off() {
    for teams in [1, 2, 20] {
        let mut scene = crowded(teams);
        scene.view.panels = [Panel::Help, Panel::Closing].into();
        let end = scene.chronicler.overview.chronicle.until as f64;
        for size in SIZES {
            check(&scene, end, size, "overlays");
        }
    }
}

#[test]
fn the_start_screen_and_troubles_fit() {
    let live = |trouble: Option<&str>, connected| Origin::Live {
        address: "a.very.long.host.name.example.org:65535".to_owned(),
        trouble: trouble.map(str::to_owned),
        connected,
        rate: 10_000,
        can_ask: true,
        asked: None,
    };
    let trouble = "The name of the host is not known; check it, or use its number";
    for origin in [Origin::Nothing, live(None, false), live(Some(trouble), false), live(None, true)] {
        let mut scene = ScriptedMatch::of(&[]);
        scene.origin = origin.clone();
        for size in SIZES {
            check(&scene, 0.0, size, "start");
        }
        let mut scene = crowded(2);
        scene.origin = if origin == Origin::Nothing { live(Some(trouble), false) } else { origin };
        scene.time.at_now = false;
        for size in SIZES {
            check(&scene, 100.0, size, "live");
        }
    }
}

#[test]
fn the_start_screen_says_what_kept_a_match_from_being_opened() {
    let mut scene = ScriptedMatch::of(&[]);
    scene.origin = Origin::Nothing;
    scene.notice = Some("Can’t open match.zrec: the site says 404 Not Found".to_owned());
    for size in SIZES {
        let runs: Vec<TextRun> = runs_of(&scene, 0.0, size).into_iter().flat_map(|(_, runs)| runs).collect();
        let all: String = runs.iter().map(|run| format!("{} ", run.text)).collect();
        assert!(all.contains("Can’t open match.zrec"), "{all} at {size:?}");
    }
}

#[test]
fn with_short_names_only_what_is_quoted_is_shortened() {
    let mut scene = ScriptedMatch::small_match();
    for size in SIZES {
        for selection in selections() {
            scene.view.selection = selection;
            for (rect, runs) in runs_of(&scene, 650.0, size) {
                let cut = runs.iter().find(|run| run.truncated && !run.text.contains('“'));
                assert!(cut.is_none(), "{cut:?} in {rect:?} at {size:?}");
            }
        }
    }
}

#[test]
fn the_help_shows_every_key() {
    let mut scene = crowded(2);
    scene.view.panels = [Panel::Help].into();
    for size in SIZES {
        let runs: Vec<TextRun> = runs_of(&scene, 10.0, size).into_iter().flat_map(|(_, runs)| runs).collect();
        for binding in bindings().iter().filter(|binding| !binding.keys.is_empty()) {
            assert!(runs.iter().any(|run| run.text == binding.keys), "{} at {size:?}", binding.keys);
        }
        let all: String = runs.iter().map(|run| format!("{} ", run.text)).collect();
        assert!(help::RULES.iter().all(|rule| all.contains(rule.split(' ').next().unwrap_or_default())));
    }
}

#[test]
fn panels_stand_beside_one_another_and_in_the_window() {
    let mut scene = crowded(6);
    scene.oddities.unknown = 3;
    for size in SIZES.into_iter().chain([(640.0, 480.0), (1100.0, 500.0), (3840.0, 2160.0)]) {
        for selection in selections() {
            scene.view.selection = selection;
            for more in [vec![], vec![Panel::Charts], vec![Panel::Charts, Panel::Dialogue]] {
                scene.view.panels =
                    [Panel::Scoreboard, Panel::Feed, Panel::Minimap].into_iter().chain(more).collect();
                scene.show(80.0, |shown| {
                    let all = layout(size.0, size.1, shown);
                    let rects = [
                        all.now,
                        all.scoreboard,
                        all.feed,
                        all.inspector,
                        all.minimap,
                        all.charts,
                        all.dialogue,
                        all.transport,
                        all.world,
                    ];
                    let seen: Vec<Rect> = rects.into_iter().filter(|rect| !rect.is_empty()).collect();
                    for (number, rect) in seen.iter().enumerate() {
                        assert!(all.window.encloses(*rect, 0.01), "{rect:?} at {size:?}");
                        let over =
                            seen[..number].iter().find(|other| other.inset(0.01).overlaps(rect.inset(0.01)));
                        assert!(over.is_none(), "{rect:?} over {over:?} at {size:?}");
                    }
                    assert!(
                        all.world.w > 120.0 && all.world.h > 60.0,
                        "no world at {size:?}: {:?}",
                        all.world
                    );
                });
            }
        }
    }
}

#[test]
fn no_size_and_no_tick_makes_it_panic() {
    let sides = [0.0, 1.0, 7.0, 41.0, 121.0, 333.0, 777.0, 5_000.0, f32::NAN, f32::INFINITY, -4.0];
    let mut scenes = [ScriptedMatch::of(&[]), crowded(20), ScriptedMatch::small_match()];
    for scene in &mut scenes {
        scene.view.panels =
            [Panel::Scoreboard, Panel::Feed, Panel::Charts, Panel::Minimap, Panel::Dialogue].into();
        scene.view.panels.extend([Panel::Help, Panel::Closing]);
        scene.view.selection = Some(Selection::Player(PlayerId(1)));
        scene.view.feed_at = Some(1_000_000);
        scene.view.dialogue_at = usize::MAX;
        scene.dialogue = spoken();
        for width in sides {
            for height in sides {
                for bare in [false, true] {
                    scene.view.bare = bare;
                    scene.view.pointer.at = Some(Point::new(width / 2.0, height - 20.0));
                    for tick in [0.0_f64, 500.5, 1e18] {
                        scene.show(tick.min(1e6), |shown| {
                            let mut canvas = Canvas::new();
                            canvas.begin(width, height, 1.0);
                            let shown = Shown { time: Playback { tick, ..shown.time }, ..*shown };
                            draw(&mut canvas, &layout(width, height, &shown), &shown);
                        });
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_seen_can_be_clicked() {
    let mut scene = crowded(2);
    scene.view.selection = Some(Selection::Player(PlayerId(0)));
    scene.view.panels.insert(Panel::Charts);
    scene.show(100.0, |shown| {
        let mut canvas = Canvas::new();
        canvas.begin(1280.0, 720.0, 1.0);
        let layout = layout(1280.0, 720.0, shown);
        let hits = draw(&mut canvas, &layout, shown);
        for wanted in [
            Control::TogglePlay.into(),
            Choice::ToggleFollow.into(),
            Choice::Own(ZappyChoice::TogglePin).into(),
            Choice::Own(ZappyChoice::CycleTeam).into(),
            Control::SeekEnd.into(),
        ] {
            let region = hits.regions().find(|region| region.action == wanted);
            let region = region.unwrap_or_else(|| panic!("{wanted:?}"));
            assert_eq!(hits.at(region.rect.centre()), Some(&wanted));
        }
        assert!(hits.regions().any(|region| matches!(region.action, UserAction::Choice(Choice::Visit(..)))));
        assert!(hits.covers(layout.scoreboard.centre()) && !hits.covers(layout.world.centre()));
        let scroll = hits.wheel_at(layout.feed.centre()).expect("a list");
        assert_eq!(scroll(2), Choice::FeedMove(-2));
        assert_eq!(
            hits.seek_from(
                Point::new(1268.0 - 0.01, layout.transport.y + 20.0),
                Point::new(1268.0 - 0.01, layout.transport.y + 20.0)
            ),
            Some(shown.range.1)
        );
        let map = layout.minimap_picture();
        assert!(!map.is_empty() && layout.minimap.encloses(map, 0.01));
    });
}

#[test]
fn overlays_take_every_click() {
    let mut scene = crowded(2);
    scene.view.panels.insert(Panel::Help);
    scene.show(100.0, |shown| {
        let mut canvas = Canvas::new();
        canvas.begin(1280.0, 720.0, 1.0);
        let layout = layout(1280.0, 720.0, shown);
        let hits = draw(&mut canvas, &layout, shown);
        assert_eq!(hits.at(Point::new(30.0, 700.0)), Some(&Choice::Toggle(Panel::Help).into()));
        assert_eq!(hits.at(layout.help.centre()), None);
        assert!(hits.wheel_at(layout.feed.centre()).is_none());
    });
}

#[test]
fn alone_the_world_has_one_small_bar() {
    let mut scene = crowded(2);
    scene.view.bare = true;
    scene.show(100.0, |shown| {
        let all = layout(1280.0, 720.0, shown);
        assert_eq!(all.world, all.window.cut_top(all.race.h).1);
        assert!(all.race.h > 20.0, "the race is always seen");
        assert!(all.scoreboard.is_empty() && all.feed.is_empty() && all.now.is_empty());
        assert!(all.transport.w < 400.0 && all.transport.h < 40.0);
    });
}

#[test]
fn the_closing_table_of_four_teams_is_whole_at_720_lines() {
    let mut scene = crowded(4);
    scene.view.panels = [Panel::Closing].into();
    let end = scene.chronicler.overview.chronicle.until as f64;
    let size = 1.0 / zappy_observer::app::watching::comfortable_scale(1_280.0, 720.0);
    let runs: Vec<TextRun> =
        runs_of(&scene, end, (1_280.0 * size, 720.0 * size)).into_iter().flat_map(|(_, runs)| runs).collect();
    assert!(runs.iter().any(|run| run.text == "eaten"), "{runs:?}");
    assert!(!runs.iter().any(|run| run.text.starts_with("best ")), "{runs:?}");
}
