//! Windows of any size, crowds of teams, pictures, and what is said while the link is lost.

use super::*;
use crate::view::ZappyChoice;

#[test]
fn narrow_windows_and_large_text_keep_the_scoreboard() {
    for teams in [2, 20] {
        let mut scene = crowded(teams);
        // The second one is a window of 1280 by 720 with text of twice the size.
        for size in [(430.0, 300.0), (640.0, 360.0), (480.0, 640.0), (560.0, 400.0)] {
            for panels in [vec![], vec![Panel::Charts]] {
                scene.view.panels =
                    [Panel::Scoreboard, Panel::Feed, Panel::Minimap].into_iter().chain(panels).collect();
                scene.show(80.0, |shown| {
                    let all = layout(size.0, size.1, shown);
                    assert!(all.scoreboard.h > 80.0, "{size:?}: {:?}", all.scoreboard);
                    assert!(all.world.w > 120.0 && all.world.h > 60.0, "{size:?}: {:?}", all.world);
                });
                check(&scene, 80.0, size, "narrow");
            }
        }
    }
}

#[test]
fn an_upright_phone_shows_the_teams_and_what_is_selected() {
    for teams in [2, 20] {
        let mut scene = crowded(teams);
        for size in [(360.0, 560.0), (390.0, 740.0), (430.0, 860.0)] {
            for selection in [None, Some(Selection::Player(PlayerId(0)))] {
                for panels in [vec![], vec![Panel::Charts], vec![Panel::Dialogue]] {
                    scene.view.selection = selection;
                    scene.view.panels =
                        [Panel::Scoreboard, Panel::Feed, Panel::Minimap].into_iter().chain(panels).collect();
                    let all = scene.show(80.0, |shown| layout(size.0, size.1, shown));
                    assert!(all.scoreboard.h > 80.0 && all.scoreboard.w > 0.8 * size.0, "{size:?}: {all:?}");
                    assert_eq!(all.inspector.is_empty(), selection.is_none(), "{size:?}: {all:?}");
                    assert!(all.world.h > 0.2 * (size.1 - 300.0), "{size:?}: {:?}", all.world);
                    check(&scene, 80.0, size, "upright");
                }
            }
        }
    }
}

#[test]
fn every_team_of_many_can_be_reached() {
    let mut scene = crowded(20);
    scene.view.panels.insert(Panel::Charts);
    let name = |row: usize, scene: &ScriptedMatch| {
        scene.show(80.0, |shown| format!("team{:02}", scoreboard::ranked(shown)[row].0.0))
    };
    let (mut seen, mut pages) = (std::collections::BTreeSet::new(), 0);
    loop {
        let listed = runs_of(&scene, 80.0, (1024.0, 600.0)).into_iter().flat_map(|(_, runs)| runs);
        let listed: Vec<String> = listed.map(|run| run.text).collect();
        seen.extend((0..20).filter(|&row| listed.iter().any(|text| text.starts_with(&name(row, &scene)))));
        let by = scene.show(80.0, |shown| {
            let mut canvas = Canvas::new();
            canvas.begin(1024.0, 600.0, 1.0);
            let layout = layout(1024.0, 600.0, shown);
            let hits = draw(&mut canvas, &layout, shown);
            let scroll = hits.wheel_at(layout.scoreboard.centre()).expect("a list");
            assert_eq!(scroll(1), Choice::BoardMove(-1));
            let page = |region: &zappy_observer::panels::Region<Choice>| match region.action {
                UserAction::Choice(Choice::BoardMove(by)) => Some(by),
                _ => None,
            };
            hits.regions().find_map(page).expect("what leads to the others")
        });
        pages += 1;
        if by < 0 || pages > 20 {
            break;
        }
        scene.view.board_at += usize::try_from(by).unwrap();
    }
    assert!(seen.len() == 20 && pages > 1, "{seen:?} on {pages} pages");
}

#[test]
fn a_picture_is_not_paused_and_names_no_key() {
    let mut scene = ScriptedMatch::small_match();
    scene.time.playing = false;
    let said = |scene: &ScriptedMatch| -> Vec<String> {
        let all = runs_of(scene, 960.0, (1280.0, 720.0)).into_iter().flat_map(|(_, runs)| runs);
        all.map(|run| run.text).collect()
    };
    let is_interactive = |text: &String| {
        let named = |keys: &str| keys.starts_with(|letter: char| letter.is_alphabetic()) && text == keys;
        let key = bindings().iter().any(|binding| named(binding.keys));
        let chip = ["G all teams", "1 Incantations"].contains(&text.as_str());
        key || chip || text.to_lowercase().contains("paused") || text.contains("X shows")
    };
    for (bare, panels) in [(false, vec![Panel::Charts]), (false, vec![Panel::Closing]), (true, vec![])] {
        scene.view.bare = bare;
        scene.view.panels =
            [Panel::Scoreboard, Panel::Feed, Panel::Minimap].into_iter().chain(panels).collect();
        scene.view.selection = Some(Selection::Player(PlayerId(0)));
        scene.time.still = false;
        assert!(said(&scene).iter().any(is_interactive), "the test knows what to look for");
        scene.time.still = true;
        let found: Vec<String> = said(&scene).into_iter().filter(is_interactive).collect();
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn the_remedy_of_a_lost_link_is_told_to_its_end() {
    let mut scene = crowded(2);
    for trouble in [
        "nothing listens on 127.0.0.1:4242; is the server running? (make server) is it that port? (-p)",
        "arena.example.org:4242 closes at once; perhaps it is full or not started yet, or no Zappy server",
    ] {
        let words = Some(trouble.to_owned());
        scene.origin = Origin::Live {
            address: "h:1".to_owned(),
            trouble: words,
            connected: false,
            rate: 100,
            can_ask: true,
            asked: None,
        };
        for size in SIZES.into_iter().chain([(640.0, 480.0)]) {
            let all = runs_of(&scene, 100.0, size);
            let said: Vec<&str> =
                all.iter().flat_map(|(_, runs)| runs).map(|run| run.text.as_str()).collect();
            let said = said.join(" ");
            assert!(said.contains(trouble), "{size:?}: {said}");
            check(&scene, 100.0, size, "lost");
        }
    }
}

#[test]
fn what_is_said_stands_where_no_panel_is() {
    let mut scene = ScriptedMatch::of(&[
        "0 msz 10 10",
        "0 tna red",
        "0 ppo #9 0 0 1",
        "1 pnw #0 2 5 1 1 red",
        "2 pbc #0 here",
    ]);
    scene.view.own.words = true;
    scene.view.camera = zappy_observer::camera::Camera { x: 5.0, y: 5.0, scale: 60.0 };
    let place = Rect::new(0.0, 0.0, 600.0, 600.0);
    let mut bubble = |free: Rect| {
        scene.view.free = free;
        scene.show(4.0, |shown| {
            let mut canvas = Canvas::new();
            canvas.begin(600.0, 600.0, 1.0);
            canvas.watch_text(true);
            crate::draw::world(&mut canvas, place, shown);
            canvas.runs().iter().find(|run| run.text == "here").map(|run| run.rect)
        })
    };
    assert!(bubble(Rect::default()).is_some());
    // The speaker stands at 150, 330.
    for free in [Rect::new(140.0, 100.0, 300.0, 300.0), Rect::new(100.0, 310.0, 300.0, 200.0)] {
        let there = bubble(free).expect("it is said");
        assert!(free.encloses(there, 0.01), "{there:?} in {free:?}");
    }
    assert_eq!(bubble(Rect::new(300.0, 0.0, 300.0, 600.0)), None, "a panel covers the speaker");
}

#[test]
fn all_that_is_on_a_tile_can_be_reached() {
    let mut scene = crowded(2);
    let all = 23;
    scene.view.selection = Some(Selection::Tile(Position { x: 3, y: 3 }));
    let (mut seen, mut pages) = (std::collections::BTreeSet::new(), 0);
    loop {
        let by = scene.show(80.0, |shown| {
            let mut canvas = Canvas::new();
            canvas.begin(1280.0, 720.0, 1.0);
            let layout = layout(1280.0, 720.0, shown);
            let hits = draw(&mut canvas, &layout, shown);
            let here = |region: &zappy_observer::panels::Region<Choice>| {
                layout.inspector.encloses(region.rect, 10.0)
            };
            seen.extend(hits.regions().filter(|region| here(region)).filter_map(
                |region| match region.action {
                    UserAction::Choice(Choice::Select(selection)) => Some(selection),
                    _ => None,
                },
            ));
            let page = hits.regions().find_map(|region| match region.action {
                UserAction::Choice(Choice::Own(ZappyChoice::ScrollTile(by))) => {
                    Some((by, region.rect.centre()))
                }
                _ => None,
            });
            let (by, at) = page.expect("what leads to the others");
            assert_eq!(hits.wheel_at(at).expect("a list")(1), Choice::Own(ZappyChoice::ScrollTile(-1)));
            by
        });
        pages += 1;
        if by < 0 || pages > 20 {
            break;
        }
        scene.view.own.tile_list_at += usize::try_from(by).unwrap();
    }
    assert!(seen.len() >= all && pages > 1, "{} on {pages} pages", seen.len());
}

#[test]
fn what_is_told_of_an_incantation_is_whole_in_a_narrow_window() {
    let mut lines: Vec<String> = (0..8).map(|n| format!("5 pnw #{n} 15 0 1 4 red")).collect();
    lines.push("100 pic 15 0 4 #0 #1 #2 #3 #4 #5 #6 #7".to_owned());
    lines.extend((0..8).map(|n| format!("400 plv #{n} 5")));
    lines.extend(["400 pie 15 0 1", "450 pdi #0"].map(str::to_owned));
    let before = ["0 msz 20 20", "0 tna red", "0 ppo #9 0 0 1", "0 bct 15 0 9 9 9 9 9 9 9"];
    let scene =
        ScriptedMatch::of(&before.into_iter().chain(lines.iter().map(String::as_str)).collect::<Vec<_>>());
    let all = runs_of(&scene, 460.0, (480.0, 800.0));
    let runs: Vec<&TextRun> = all.iter().flat_map(|(_, runs)| runs).collect();
    let cut = runs.iter().find(|run| run.truncated);
    assert!(cut.is_none(), "{cut:?}");
    let said = runs.iter().map(|run| run.text.as_str()).collect::<Vec<_>>().join(" ");
    assert!(said.contains("incantation for level 5 succeeded at 15,\u{a0}0: 8 rise"), "{said}");
}
