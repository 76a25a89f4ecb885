//! What the pieces look like. A picture has to show without words which team leads, what happens, and why.

use zappy_observer::ink::{Canvas, Color, Figure, Point, Rect, TextRun, Vertex};
use zappy_observer::theme::{BAD, GOLD, GOOD, NIGHT, TEXT};
use zappy_protocol::zappy::PlayerId;
use zappy_screen_zappy::draw;
use zappy_screen_zappy::scene::{place_of, size_of};

use crate::script::{MATCH, Told};

const PLACE: Rect = Rect::new(0.0, 0.0, 900.0, 700.0);

/// The picture of a moment, and the texts in it.
fn picture(told: &Told, tick: f64) -> (Vec<Vertex>, Vec<TextRun>) {
    let mut canvas = Canvas::new();
    canvas.begin(PLACE.w, PLACE.h, 1.0);
    canvas.watch_text(true);
    draw::world(&mut canvas, PLACE, &told.shown(tick));
    (canvas.vertices().to_vec(), canvas.runs().to_vec())
}

/// At that scale with the middle of the view at a tile point.
fn looking(mut told: Told, (x, y): (f64, f64), scale: f32) -> Told {
    (told.view.camera.x, told.view.camera.y, told.view.camera.scale) = (x, y, scale);
    told
}

fn has(vertices: &[Vertex], color: Color) -> bool {
    vertices.iter().any(|vertex| vertex.color[..3] == color.0[..3] && vertex.color[3] > 0)
}

/// The corners of the strokes across circles that don't hold.
fn cracks(vertices: &[Vertex]) -> impl Iterator<Item = Point> {
    let strokes = vertices.iter().filter(|v| v.color == TEXT.0 && v.kind == Figure::Round.number());
    strokes.map(|v| Point::new(v.position[0], v.position[1]))
}

/// One player of that level alone on a map of 31 by 31, with so much food.
fn lone(level: u8, food: u32) -> String {
    format!("0 msz 31 31\n0 ppo #99 0 0 1\n1 pnw #3 5 5 2 {level} red\n1 pin #3 5 5 {food} 0 0 0 0 0 0\n")
}

#[test]
fn a_level_is_growth_and_another_silhouette() {
    let mut seen: Vec<(f64, usize)> = Vec::new();
    for level in 1..=8 {
        let told = looking(Told::until(&lone(level, 9), 50), (5.5, 5.5), 40.0);
        let size = place_of(&told.shown(50.0), PlayerId(3)).unwrap().size;
        assert!((size - size_of(f64::from(level))).abs() < 1e-9);
        let count = picture(&told, 50.0).0.len();
        if let Some(&(smaller, fewer)) = seen.last() {
            assert!(size > smaller + 0.02, "{level}");
            // From 2 to 3 and from 6 to 7 a rim and a halo become stronger; else something is added.
            assert!(count >= fewer || level == 8, "{level}: {count} {fewer}");
        }
        seen.push((size, count));
    }
    assert!((seen[0].0 * 2.0 - 0.6).abs() < 1e-9 && (seen[7].0 * 2.0 - 1.0).abs() < 1e-9);
    let (rim, crown, halo) = (seen[1].1, seen[3].1, seen[5].1);
    assert!(seen[0].1 < rim && rim < crown && crown < halo);
}

#[test]
fn the_highest_are_found_from_any_distance() {
    for scale in [2.0, 4.0, 9.0] {
        // What is drawn above the ground reaches that far around the player.
        let reach = |level: u8| {
            let with = looking(Told::until(&lone(level, 9), 50), (5.5, 5.5), scale);
            let middle = PLACE.centre();
            let near = |v: &&Vertex| (Point::new(v.position[0], v.position[1]) - middle).length() < 30.0;
            let bright = |v: &&Vertex| Color(v.color).luminance() > 0.3 && v.color[3] > 200;
            let all = picture(&with, 50.0).0;
            let far = all.iter().filter(near).filter(bright);
            far.map(|v| (Point::new(v.position[0], v.position[1]) - middle).length()).fold(0.0, f32::max)
        };
        assert!(reach(1) < 7.0, "{scale}: {}", reach(1));
        for level in 6..=8 {
            assert!(reach(level) > 8.0, "{level} at {scale}: {}", reach(level));
        }
    }
    let gold =
        |level| has(&picture(&looking(Told::until(&lone(level, 9), 50), (5.5, 5.5), 4.0), 50.0).0, GOLD);
    assert!(gold(8) && !gold(7));
}

#[test]
fn hunger_takes_the_colour_away_and_needs_no_sign() {
    let color = |food: u32| {
        let told = looking(Told::until(&lone(1, food), 400), (5.5, 5.5), 60.0);
        let (vertices, runs) = picture(&told, 400.0);
        assert!(runs.iter().all(|run| !run.text.contains('!')), "{runs:?}");
        has(&vertices, told.looks[0].color)
    };
    assert!(color(9));
    assert!(!color(0));
}

#[test]
fn eyes_blink_by_the_tick_alone() {
    let at = |tick: u64| picture(&looking(Told::until(&lone(1, 9), tick), (5.5, 5.5), 60.0), tick as f64).0;
    let all: Vec<_> = (100..300).map(at).collect();
    let open = all.iter().filter(|picture| picture.len() == all.iter().map(Vec::len).max().unwrap()).count();
    assert!((180..200).contains(&open), "{open}");
    assert!(at(150) == at(150));
}

#[test]
fn who_is_pushed_shakes_unless_motion_is_reduced() {
    let script = format!("{}1 pnw #4 5 5 2 2 red\n100 ppo #3 6 5 2\n100 pex #4", lone(7, 9));
    let place = |calm: bool, tick: u64| {
        let mut told = looking(Told::until(&script, tick), (6.5, 5.5), 60.0);
        told.calm = calm;
        let runs = picture(&told, tick as f64).1;
        runs.into_iter().find(|run| run.text == "7").unwrap().rect
    };
    assert_ne!(place(false, 106), place(false, 150));
    assert_eq!(place(true, 106), place(true, 150));
}

#[test]
fn participants_stand_on_a_ring_around_their_tile() {
    let told = Told::until(MATCH, 150);
    for player in [1, 2] {
        let place = place_of(&told.shown(150.0), PlayerId(player)).unwrap();
        let far = (place.point.0 - 3.5).hypot(place.point.1 - 3.5);
        assert!(far > 0.5_f64.hypot(0.5) && place.rite == 1.0, "{place:?}");
    }
    // They step onto it without a jump.
    let mut last = place_of(&Told::until(MATCH, 1).shown(1.0), PlayerId(1)).unwrap().point;
    for step in 1..80 {
        let tick = 1.0 + f64::from(step) / 4.0;
        let now = place_of(&Told::until(MATCH, tick as u64).shown(tick), PlayerId(1)).unwrap().point;
        assert!((now.0 - last.0).hypot(now.1 - last.1) < 0.06, "{tick}");
        last = now;
    }
}

#[test]
fn an_incantation_is_seen_once_however_often_the_map_repeats() {
    // 10 by 8 tiles at 30 points: the map is seen nine times over, at least in part.
    let script = MATCH.replacen("    270 ", "    149 ppo #2 4 3 2\n    270 ", 1);
    for middle in [(5.0, 4.0), (0.0, 0.0), (3.4, 7.9)] {
        let told = looking(Told::until(&script, 150), middle, 30.0);
        let (vertices, runs) = picture(&told, 150.0);
        // One of the two players that it needs has left, so its circle is cracked: 9 strokes.
        let cracks = cracks(&vertices).count();
        assert!((9 * 4..9 * 8).contains(&cracks), "{middle:?}: {cracks}");
        // Repeats have no labels at all: each number of a player is there once.
        // A column has its number in smaller letters.
        let eights = runs.iter().filter(|run| run.text == "8" && run.rect.h > 15.0).count();
        assert_eq!(eights, 1, "{middle:?}");
    }
}

/// Two players of level 1 that begin an incantation at 10, with a linemate on their tile.
const RITE: &str = "
    0 msz 9 9
    0 ppo #99 0 0 1
    0 bct 4 4 0 1 0 0 0 0 0
    1 pnw #0 4 4 1 1 red
    1 pnw #1 4 4 1 1 red
    1 pin #0 4 4 99 0 0 0 0 0 0
    1 pin #1 4 4 99 0 0 0 0 0 0
    10 pic 4 4 1 #0 #1
";
/// The linemate is taken at 100 by a player that has no part in it.
const TAKEN: &str = "
    50 pnw #3 4 4 1 2 blue
    100 pgt #3 1
    100 bct 4 4 0 0 0 0 0 0 0
";

#[test]
fn a_doomed_incantation_looks_doomed_from_the_moment_it_is() {
    let lacks = format!("{RITE}{TAKEN}200 bct 4 4 0 1 0 0 0 0 0");
    let at = |script: &str, tick: u64| {
        picture(&looking(Told::until(script, tick), (4.5, 4.5), 50.0), tick as f64).0
    };
    let doomed = |vertices: Vec<Vertex>| cracks(&vertices).next().is_some();
    assert!(!doomed(at(&lacks, 99)));
    assert!(doomed(at(&lacks, 100)));
    assert!(!doomed(at(&lacks, 200)), "a stone that comes back saves it");
    let pushed = format!("{RITE}\n100 ppo #0 4 3 1\n100 ppo #1 4 3 1");
    assert!(!doomed(at(&pushed, 99)));
    assert!(doomed(at(&pushed, 100)));
    let died = format!("{RITE}\n100 pdi #0\n150 pdi #1");
    assert!(!doomed(at(&died, 149)), "one is enough for level 2");
    assert!(doomed(at(&died, 150)));
}

#[test]
fn success_is_the_teams_own_light_and_a_failure_shatters() {
    let told = |end: &str| looking(Told::until(&format!("{RITE}\n{end}"), 310), (4.5, 4.5), 20.0);
    let risen = told("310 pie 4 4 1\n310 plv #0 2\n310 plv #1 2");
    for tick in [310.0, 318.0, 330.0] {
        let (vertices, _) = picture(&risen, tick);
        assert!(!has(&vertices, GOOD) && !has(&vertices, BAD), "{tick}");
    }
    let broken = told("310 pie 4 4 0");
    let (before, _) = picture(&looking(Told::until(RITE, 309), (4.5, 4.5), 20.0), 309.0);
    assert!(!has(&before, TEXT));
    assert!(has(&picture(&broken, 314.0).0, TEXT));
    let apart = |tick: f64| {
        let white = picture(&broken, tick).0.into_iter().filter(|v| v.color[..3] == TEXT.0[..3]);
        let far = white.map(|v| (Point::new(v.position[0], v.position[1]) - PLACE.centre()).length());
        far.fold(0.0, f32::max)
    };
    assert!(apart(340.0) > apart(312.0) + 5.0);
}

#[test]
fn the_map_around_an_incantation_is_the_darker_the_higher_its_level() {
    let darkness = |level: u8| {
        let script =
            format!("0 msz 31 31\n0 ppo #99 0 0 1\n1 pnw #0 4 4 1 {level} red\n1 pic 4 4 {level} #0\n");
        let told = looking(Told::until(&script, 100), (4.5, 4.5), 40.0);
        let all = picture(&told, 100.0).0;
        // The veil lies over all of the place, also in its corner.
        let corner = |v: &&Vertex| v.position == [0.0, 0.0] && v.color[..3] == NIGHT.0[..3];
        all.iter().filter(corner).map(|v| v.color[3]).filter(|&alpha| alpha < 255).max().unwrap_or(0)
    };
    for level in 2..=7 {
        assert!(darkness(level) > darkness(level - 1), "{level}");
    }
}

#[test]
fn a_grave_marks_for_a_while_where_a_player_died() {
    let script = format!("{}60 pdi #3\n", lone(4, 0));
    let look = |tick: u64| picture(&looking(Told::until(&script, tick), (5.5, 5.5), 12.0), tick as f64).0;
    let empty = look(60 + 301).len();
    assert!(look(200).len() > empty, "the effect of the death is over, the grave is there");
    assert!(has(&look(61), TEXT));
}

#[test]
fn what_breaks_or_dies_has_no_colour_that_a_team_might_have() {
    let ends = ["310 pie 4 4 0", "100 pdi #0\n100 pdi #1", "100 ppo #0 4 3 1\n100 ppo #1 4 3 1"];
    for (end, ticks) in ends.into_iter().zip([[311, 330], [101, 150], [101, 300]]) {
        for tick in ticks {
            let told = looking(Told::until(&format!("{RITE}\n{end}"), tick), (4.5, 4.5), 50.0);
            let mut canvas = Canvas::new();
            canvas.begin(PLACE.w, PLACE.h, 1.0);
            draw::world(&mut canvas, PLACE, &told.shown(tick as f64));
            draw::minimap(&mut canvas, PLACE, &told.shown(tick as f64), PLACE);
            assert!(!has(canvas.vertices(), BAD), "{end} at {tick}: a warning by colour alone");
        }
    }
}

#[test]
fn the_numbers_of_the_axes_lie_over_no_face() {
    // Eight that rise, and others all around them.
    let mut script = "0 msz 15 15\n0 ppo #99 0 0 1\n0 bct 7 7 0 9 9 9 9 9 9\n".to_owned();
    for player in 0..8 {
        script += &format!("1 pnw #{player} 7 7 1 7 red\n");
    }
    for (player, (x, y)) in
        (20..).zip([(7, 5), (6, 5), (8, 5), (7, 4), (9, 7), (0, 3), (3, 0), (12, 0), (0, 9)])
    {
        script += &format!("1 pnw #{player} {x} {y} 1 3 blue\n");
    }
    script += "10 pic 7 7 7 #0 #1 #2 #3 #4 #5 #6 #7\n310 pie 7 7 1\n";
    for player in 0..8 {
        script += &format!("310 plv #{player} 8\n");
    }
    for (scale, tick) in [(30.0, 311), (44.0, 318), (44.0, 330), (60.0, 335)] {
        let told = looking(Told::until(&script, tick), (7.5, 7.5), scale);
        let shown = told.shown(tick as f64);
        let (_, runs) = picture(&told, tick as f64);
        let over = |rect: Rect| {
            told.state.mirror().players.keys().any(|&player| {
                let place = place_of(&shown, player).unwrap();
                let at = told.view.camera.to_window(PLACE, place.point);
                rect.nearest(at).distance(at) < scale * place.size as f32 * 0.9
            })
        };
        // No player has such a level.
        let high = |run: &&TextRun| run.text.parse::<u8>().is_ok_and(|number| number > 9);
        let axis: Vec<&TextRun> = runs.iter().filter(high).collect();
        assert!(axis.len() > 1 && axis.iter().all(|run| !over(run.rect)), "{scale}: {axis:?}");
    }
}

/// Where words are that a player has said, as seen at that tick.
fn said(script: &str, tick: u64, at: (f64, f64)) -> Rect {
    let mut told = looking(Told::until(script, tick), at, 60.0);
    told.view.own.words = true;
    let runs = picture(&told, tick as f64).1;
    runs.iter().find(|run| run.text == "hello").map(|run| run.rect).expect("words")
}

#[test]
fn words_stand_at_the_player_that_said_them_also_after_it_was_pushed_away() {
    let mut script = "0 msz 9 9\n0 ppo #99 0 0 1\n".to_owned();
    script.extend((0..8).map(|player| format!("1 pnw #{player} 4 4 1 2 red\n")));
    script += "1 pnw #9 4 4 2 2 blue\n10 pbc #3 hello\n";
    script.extend((0..8).map(|player| format!("20 ppo #{player} 6 4 1\n")));
    script += "20 pex #9\n";
    let tick = 35;
    let told = looking(Told::until(&script, tick), (4.5, 4.5), 60.0);
    let place = place_of(&told.shown(tick as f64), PlayerId(3)).unwrap();
    let at = told.view.camera.to_window(PLACE, place.point);
    let words = said(&script, tick, (4.5, 4.5));
    assert!((words.centre().x - at.x).abs() < 20.0 && words.bottom() < at.y, "{words:?} {at:?}");
    assert!(at.y - words.bottom() < 75.0, "{words:?} {at:?}");
}

#[test]
fn words_cover_no_player_of_an_incantation_that_is_told() {
    let mut script = "0 msz 9 9\n0 ppo #99 0 0 1\n0 bct 4 4 9 9 9 9 9 9 9\n".to_owned();
    script.extend((0..8).map(|player| format!("1 pnw #{player} 4 4 1 2 red\n")));
    script += "10 pic 4 4 2 #0 #1 #2 #3 #4 #5 #6 #7\n";
    for speaker in 0..8 {
        let script = format!("{script}40 pbc #{speaker} hello\n");
        let words = said(&script, 45, (4.5, 4.5));
        let told = looking(Told::until(&script, 45), (4.5, 4.5), 60.0);
        for player in 0..8 {
            let place = place_of(&told.shown(45.0), PlayerId(player)).unwrap();
            let at = told.view.camera.to_window(PLACE, place.point);
            let r = 60.0 * place.size as f32 * 0.8;
            assert!(words.nearest(at).distance(at) > r, "{speaker} over {player}: {words:?}");
        }
    }
}

#[test]
fn an_incantation_that_is_doomed_leaves_the_place_to_one_that_holds_on_the_same_tile() {
    // Blue's began later and has all; red's has lost its players.
    let script =
        format!("{RITE}1 pnw #2 4 4 1 1 blue\n20 pic 4 4 1 #2\n100 ppo #0 7 7 1\n100 ppo #1 7 7 1\n");
    // No crack lies across the circle that holds.
    let vertices = picture(&looking(Told::until(&script, 150), (4.5, 4.5), 50.0), 150.0).0;
    let near = |vertices: &[Vertex]| {
        cracks(vertices).filter(|at| (30.0..60.0).contains(&at.distance(PLACE.centre()))).count()
    };
    let beside = cracks(&vertices).map(|at| at - PLACE.centre()).fold(Point::ZERO, |sum, at| sum + at);
    assert!(beside.x > 0.0 && beside.y > 0.0, "{beside:?}");
    let alone = format!("{RITE}{TAKEN}");
    let cracked = picture(&looking(Told::until(&alone, 150), (4.5, 4.5), 50.0), 150.0).0;
    let (across, cracks) = (near(&vertices), near(&cracked));
    assert!(across < cracks, "{across} {cracks}");
}

#[test]
fn the_deciding_incantation_is_found_on_the_small_map() {
    let numbers = |script: &str, tick: u64| {
        let told = Told::until(script, tick);
        let mut canvas = Canvas::new();
        canvas.begin(PLACE.w, PLACE.h, 1.0);
        canvas.watch_text(true);
        let small = Rect::new(100.0, 100.0, 200.0, 200.0);
        draw::minimap(&mut canvas, small, &told.shown(tick as f64), PLACE);
        assert!(canvas.runs().iter().all(|run| small.encloses(run.rect, 0.5)), "whole, also at the edge");
        canvas.runs().iter().map(|run| run.text.clone()).collect::<Vec<_>>()
    };
    let corner = "0 msz 9 9\n0 ppo #99 0 0 1\n1 pnw #0 0 0 1 7 red\n5 pic 0 0 7 #0\n";
    assert_eq!(numbers(corner, 4), Vec::<String>::new());
    assert_eq!(numbers(corner, 50), ["8"]);
    let left = format!("{corner}6 ppo #0 4 4 1\n");
    assert_eq!(numbers(&left, 50), Vec::<String>::new(), "it is doomed, which a sign tells");
    assert_eq!(numbers(RITE, 50), ["2"]);
}

#[test]
fn the_winners_stand_in_gold_over_everything_and_nothing_tells_before() {
    let script = format!("{}1 pnw #4 2 2 1 3 blue\n1 pin #4 2 2 9 0 0 0 0 0 0\n50 seg red\n", lone(7, 9));
    let at = |tick: u64| {
        let mut told = looking(Told::until(&script, tick), (5.5, 5.5), 30.0);
        told.overview.chronicle.finish = Some(zappy_screen_zappy::timeline::chronicle::ZappyFinish {
            tick: 50,
            reason: None,
            winner: told.overview.roster.teams().first().cloned(),
            teams: Vec::new(),
        });
        told
    };
    assert!(!has(&picture(&at(49), 49.0).0, GOLD));
    for tick in [50, 90, 300] {
        let told = at(tick);
        let all = picture(&told, tick as f64).0;
        assert!(has(&all, GOLD));
        let last = |color: Color| all.iter().rposition(|v| v.color == color.0);
        let veil = all.iter().rposition(|v| v.color[..3] == NIGHT.0[..3] && v.position[0] <= 0.0).unwrap();
        let (winner, loser) = (told.looks[0].color, told.looks[1].color);
        let runs = picture(&told, tick as f64).1;
        let says = |words: &str| runs.iter().find(|run| run.text == words).map(|run| run.rect);
        let (name, won) = (says("red").expect("its name"), says(" has won").expect("that it has won"));
        assert!(
            won.h > 60.0 && PLACE.encloses(name, 0.0) && PLACE.encloses(won, 0.0),
            "large, and whole: {won:?}"
        );
        assert!(last(winner).unwrap() > veil, "the winner is above the dark");
        assert!(last(loser).unwrap() < veil, "the loser fades");
    }
    let nobody = looking(Told::until(&format!("{}50 seg nobody\n", lone(7, 9)), 60), (5.5, 5.5), 30.0);
    assert!(!has(&picture(&nobody, 60.0).0, GOLD), "a name that no team has crowns nobody");
}

#[test]
fn seeking_into_an_incantation_and_into_the_victory_shows_what_playing_shows() {
    let script = format!("{RITE}\n310 pie 4 4 1\n310 plv #0 2\n310 plv #1 2\n320 pdi #1\n330 seg red\n");
    for tick in [315, 321, 325, 331, 360] {
        let mut both = [Told::until(&script, tick), Told::sought(&script, 9, tick)];
        for scale in [3.0, 14.0, 50.0] {
            let [played, sought] = both.each_mut().map(|told| {
                (told.view.camera.x, told.view.camera.y, told.view.camera.scale) = (4.0, 4.0, scale);
                picture(told, tick as f64 + 0.5).0
            });
            assert!(played == sought, "{tick} at {scale}");
        }
    }
}

#[test]
fn a_thousand_players_are_a_bounded_number_of_vertices() {
    let mut script = "0 msz 100 100\n0 ppo #9999 0 0 1\n".to_owned();
    for player in 0..1_000u32 {
        let (x, y, level) = (player % 100, player * 7 / 100 % 100, player % 8 + 1);
        script += &format!("1 pnw #{player} {x} {y} 1 {level} team{}\n", player % 4);
    }
    let mut told = Told::until(&script, 30);
    for (scale, limit) in [(6.0, 60_000), (20.0, 140_000), (80.0, 60_000)] {
        told = looking(told, (50.0, 50.0), scale);
        let count = picture(&told, 30.0).0.len();
        assert!(count < limit, "{count} at {scale}");
    }
}
